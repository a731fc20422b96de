"""The gate in a pytest session: reads the baseline, compares, reports each gated figure as a test report of its own."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pytest_memuse import __version__
from pytest_memuse.gate.baseline import Baseline, SuiteBaseline, check_judge, parse_baseline
from pytest_memuse.gate.store import LARGEST, baseline_path, read_baseline, write_baseline
from pytest_memuse.model import MemuseError
from pytest_memuse.plugin.pairs import identity_of, pair_of
from pytest_memuse.plugin.state import SessionState, SuiteResult, state_of
from pytest_memuse.plugin.target_branch import copy_at_merge_base
from pytest_memuse.storage import read_plain


def prepare(state: SessionState) -> None:
    """Read the baseline before any test runs. Raises `pytest.UsageError` where it cannot be used.

    In CI it is read as it stands at the merge base with the target branch, where git knows that.
    """
    settings = state.settings
    try:
        if settings.update:
            # A name that cannot be used is found before anything is recorded, not after.
            baseline_path(settings.baselines, settings.update)
        if not settings.baseline:
            return
        path = baseline_path(settings.baselines, settings.baseline)
        if settings.update == settings.baseline and not path.exists():
            return
        base = copy_at_merge_base(path) if settings.in_ci and path.parent.is_dir() else None
        if base is None or base.text is None:
            state.baseline = read_baseline(settings.baselines, settings.baseline)
            return
        state.merge_base = base.commit
        state.baseline = parse_baseline(base.text, f"{path.name} at {base.commit[:10]}")
        state.baseline_notes.append(f"read as it stands at {base.commit[:10]}, the merge base with {base.branch}")
        if not path.exists() or read_plain(path, LARGEST).decode("utf-8") != base.text:
            state.baseline_notes.append(
                f"warning: this change edits {path.name}; the edited copy takes effect once it is merged"
            )
    except MemuseError as error:
        raise pytest.UsageError(str(error)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise pytest.UsageError(f"{settings.baseline}: the baseline cannot be read: {error}") from None


def evaluate(session: pytest.Session, *, finished: bool) -> None:
    """Report the gates of every suite, show the profiles, and store the baseline that was asked for.

    Nothing here raises: what goes wrong becomes a failing report or a line of the summary.
    """
    config = session.config
    state = state_of(config)
    whole_reason = _why_not_evaluated(session, finished)
    for suite in _suites(state):
        result = state.results.get(suite)
        if result is not None:
            state.reports += _profile(result, config.get_verbosity())
        reason = whole_reason or state.partial.get(suite) or ("" if result else "none of its tests ran")
        if state.baseline is None and not state.settings.record_both:
            continue
        if reason or result is None:
            state.reports += ["", f"gate {suite}: not evaluated ({reason})"]
            continue
        try:
            reports = list(_gate(session, state, result))
        except Exception as error:
            # A gate that breaks has not passed; the run goes on to its summary.
            reports = [suite_report(result, "gate[comparison]", f"the gate broke, which is a defect: {error!r}")]
            state.reports += ["", f"gate {suite}: not evaluated (it broke: {error!r})"]
        for report in reports:
            publish(session, report)
    if state.baseline_notes:
        state.reports += ["", *(f"baseline {state.settings.baseline}: {note}" for note in state.baseline_notes)]
    if state.settings.update:
        told, done = _update(session, state, whole_reason)
        state.reports += ["", told]
        if not done and finished and not getattr(config.option, "collectonly", False):
            publish(session, _refused_update(state.settings.update, told))


def _suites(state: SessionState) -> list[str]:
    names = [*state.results, *state.partial, *(state.baseline.suites if state.baseline is not None else ())]
    return list(dict.fromkeys(names))


def _why_not_evaluated(session: pytest.Session, finished: bool) -> str:
    option = session.config.option
    if getattr(option, "collectonly", False):
        return "tests were collected only"
    if getattr(option, "keyword", ""):
        return "-k selected some of the tests"
    if getattr(option, "lf", False):
        return _last_failed(session.config)
    if any("::" in str(argument) for argument in session.config.args):
        return "single tests were named"
    if state_of(session.config).crashed:
        return "a worker crashed"
    if not finished or session.shouldstop or session.shouldfail:
        return "the run was stopped before its end"
    return ""


def _last_failed(config: pytest.Config) -> str:
    """Return why ``--lf`` leaves gates unevaluated: of a run that it leaves whole, the next one may be a part."""
    cache = getattr(config, "cache", None)
    # The session's own failures are not in the cache until its end.
    if cache is not None and not cache.get("cache/lastfailed", {}):
        return "--lf was given and nothing had failed; run without it"
    return "--lf runs what failed last"


def _profile(result: SuiteResult, verbosity: int) -> list[str]:
    from pytest_memuse.profiles.profile import Profile
    from pytest_memuse.profiles.serialise import run_from_dict
    from pytest_memuse.reports.profile import profile_lines

    profile = Profile.of(run_from_dict(result.run))
    return ["", *profile_lines(profile, result.identity, everything=verbosity > 0), *result.notes]


def _gate(session: pytest.Session, state: SessionState, result: SuiteResult) -> Iterator[pytest.TestReport]:
    from pytest_memuse.gate.comparison import Refusal, compare
    from pytest_memuse.gate.verdicts import Verdict
    from pytest_memuse.profiles.figures import DEFAULT_GATED
    from pytest_memuse.profiles.serialise import run_from_dict
    from pytest_memuse.reports.gate import failure_text, gate_lines, refusal_text

    settings = state.settings
    try:
        stored, against = _compared_with(state, result)
        now = identity_of(result.identity)
        check_judge(stored, now.judge, against)
        changed = [f"changed since {against}: {line}" for line in stored.identity.differences(now)]
        compared = compare(
            stored.run,
            run_from_dict(result.run),
            figures=settings.gated or DEFAULT_GATED,
            recordings=(stored.recordings, result.identity["recordings"]),
        )
    except MemuseError as error:
        state.reports += ["", f"gate {result.suite}: refused ({error})"]
        yield suite_report(result, "gate[comparison]", str(error))
        return
    if isinstance(compared, Refusal):
        text = refusal_text(compared)
        state.reports += ["", f"gate {result.suite}: refused", *text.splitlines()]
        yield suite_report(result, "gate[comparison]", text)
        return
    state.reports += ["", *changed, *gate_lines(compared, against, settings.baseline, session.config.get_verbosity())]
    for figure in compared.figures:
        failed = figure.verdict is Verdict.REGRESSED or (
            figure.verdict is Verdict.INCONCLUSIVE and settings.inconclusive == "fail"
        )
        yield suite_report(result, f"gate[{figure.name}]", failure_text(compared, figure) if failed else "")


def _compared_with(state: SessionState, result: SuiteResult) -> tuple[SuiteBaseline, str]:
    """Return the other side of the comparison and what it is called: that of a pair goes before a stored baseline."""
    settings = state.settings
    pair, note = pair_of(settings, result.suite, result.identity["recordings"])
    if note:
        state.reports += ["", f"gate {result.suite}: {note}"]
    if pair is None:
        baseline: Baseline | None = state.baseline
        if baseline is None:
            raise MemuseError(f"suite {result.suite!r} has no pair to compare with", reason="no-pair")
        return baseline.suite(result.suite, settings.baseline), settings.baseline
    instead = f" instead of the baseline {settings.baseline}" if settings.baseline else ""
    state.reports += [
        "",
        f"gate {result.suite}: both sides were recorded in one session, in turn and against the same model; "
        f"this one is compared with that of {pair.commit[:10]}{instead}",
    ]
    if state.merge_base and not pair.commit.startswith(state.merge_base):
        state.reports.append(f"  warning: the pair's other side is not the merge base {state.merge_base[:10]}")
    return pair, pair.commit[:10]


def suite_report(result: SuiteResult, name: str, failure: str) -> pytest.TestReport:
    """Return the call report of one check of a suite, at its test's location; an empty ``failure`` passes."""
    path, line, domain = result.location
    return _report(f"{result.nodeid}::{name}", (path, line, f"{domain} {name}"), failure)


def _report(nodeid: str, location: tuple[str, int | None, str], failure: str) -> pytest.TestReport:
    now = time.time()
    return pytest.TestReport(
        nodeid=nodeid,
        location=location,
        keywords={"memuse": 1},
        outcome="failed" if failure else "passed",
        longrepr=failure or None,
        when="call",
        duration=0.0,
        start=now,
        stop=now,
    )


def publish(session: pytest.Session, report: pytest.TestReport) -> None:
    """Tell every plugin of a gate as of a test: terminal, JUnit, JSON, cache and the exit code agree."""
    hook = session.config.hook
    session.testscollected += 1
    hook.pytest_runtest_logstart(nodeid=report.nodeid, location=report.location)
    hook.pytest_runtest_logreport(report=report)
    down = pytest.TestReport(
        report.nodeid, report.location, report.keywords, "passed", None, "teardown",
        duration=0.0, start=report.start, stop=report.stop,
    )  # fmt: skip
    hook.pytest_runtest_logreport(report=down)
    hook.pytest_runtest_logfinish(nodeid=report.nodeid, location=report.location)


def _update(session: pytest.Session, state: SessionState, whole_reason: str) -> tuple[str, bool]:
    """Store the session's suites as the baseline, its other suites kept; return what to tell, and whether it was."""
    name, force = state.settings.update, state.settings.force
    reason = whole_reason or "; ".join(f"{suite}: {why}" for suite, why in state.partial.items())
    if not reason and session.testsfailed:
        reason = "the run failed"
    if not state.results:
        return f"baseline {name}: not updated (no suite was evaluated)", False
    if reason and not force:
        return f"baseline {name}: not updated ({reason}); --memuse-force updates it all the same", False
    try:
        path = baseline_path(state.settings.baselines, name)
        stored = read_baseline(state.settings.baselines, name) if path.exists() else Baseline(__version__)
        for result in state.results.values():
            stored = stored.with_suite(_suite_baseline(result), __version__)
        path = write_baseline(state.settings.baselines, name, stored)
    except MemuseError as error:
        return f"baseline {name}: not updated ({error})", False
    return f"baseline {name}: stored {', '.join(state.results)} in {_short(path, session)}", True


def _refused_update(name: str, told: str) -> pytest.TestReport:
    """Return the failing report of an update that was asked for and did not happen."""
    return _report(f"memuse::update[{name}]", ("memuse", None, f"update[{name}]"), told)


def _short(path: Path, session: pytest.Session) -> str:
    root = session.config.rootpath
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def _suite_baseline(result: SuiteResult) -> SuiteBaseline:
    from pytest_memuse.profiles.serialise import run_from_dict

    return SuiteBaseline(
        run=run_from_dict(result.run),
        identity=identity_of(result.identity),
        recordings=result.identity["recordings"],
        created=datetime.now(UTC).date().isoformat(),
        attempts=int(result.identity.get("attempts", 0)),
    )
