"""The gate in a pytest session: compares, and reports each gated figure as a test report of its own."""

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_memuse.gate.baseline import Baseline, SuiteBaseline
from pytest_memuse.gate.rulings import Outcome, rulings_told
from pytest_memuse.model import MemuseError
from pytest_memuse.plugin.comparing import compared_with
from pytest_memuse.plugin.completeness import only_looked, why_not_evaluated
from pytest_memuse.plugin.gate_reports import gate_reports, publish, unevaluated_report
from pytest_memuse.plugin.history import leave_behind
from pytest_memuse.plugin.hooking import check_hooks, decide, extra_identity, observe
from pytest_memuse.plugin.judging_options import Rejudging
from pytest_memuse.plugin.last_failed import forget, outdated
from pytest_memuse.plugin.live import terminal_width
from pytest_memuse.plugin.pairs import identity_of, pair_of
from pytest_memuse.plugin.state import SessionState, SuiteResult, state_of
from pytest_memuse.plugin.updating import refused_update, update
from pytest_memuse.reports.gate_data import GateStatus, SuiteGate, not_evaluated

if TYPE_CHECKING:
    from pytest_memuse.gate.comparison import Comparison
    from pytest_memuse.profiles.rows import Run


def evaluate(session: pytest.Session, *, finished: bool) -> None:
    """Report the gates of every suite, show the profiles, and store the baseline that was asked for.

    Nothing here raises: what goes wrong becomes a failing report or a line of the summary.
    """
    config = session.config
    state = state_of(config)
    whole_reason = state.incomplete = why_not_evaluated(session, finished)
    for suite in _suites(state):
        result = state.results.get(suite)
        compared = state.baseline is not None or bool(state.settings.record_both)
        if result is not None:
            state.reports += _profile(result, config.get_verbosity(), gated=compared)
        reason = whole_reason or state.partial.get(suite) or ("" if result else "none of its tests ran")
        if reason or result is None:
            state.reports += ["", f"gate {suite}: not evaluated ({reason})"] if compared else []
            fails = compared and state.settings.unevaluated == "fail" and not only_looked(config)
            state.gates[suite] = not_evaluated(reason, fails=fails)
            if fails:
                publish(session, unevaluated_report(suite, reason))
            continue
        try:
            _identify(config, state, result)
            gate = _gate(config, state, result) if compared else not_evaluated("no baseline was given")
        except MemuseError as error:
            gate = _refused(state, suite, str(error))
        except Exception as error:
            # A gate that breaks has not passed; the run goes on to its summary.
            gate = _refused(state, suite, f"the gate broke, which is a defect: {error!r}")
        state.gates[suite] = gate
        reports = list(gate_reports(result, gate, properties=state.settings.junit_properties))
        for report in reports:
            publish(session, report)
        if compared:
            forget(config, outdated(config, result, [report.nodeid for report in reports]))
    if state.baseline_notes:
        state.reports += ["", *(f"baseline {state.settings.baseline}: {note}" for note in state.baseline_notes)]
    if state.settings.update:
        told, done = update(session, state, whole_reason)
        state.reports += ["", told]
        if not done and finished and not only_looked(config):
            refused = refused_update(state.settings.update, told)
            publish(session, refused)
            # What was not stored is nothing to run again.
            forget(config, [refused.nodeid])
    if state.settings.judging.rejudging is not Rejudging.BASELINE:
        # What was judged then is the stored run, which is no run of the project as it stands.
        leave_behind(session, state)


def _suites(state: SessionState) -> list[str]:
    names = [*state.results, *state.partial, *(state.baseline.suites if state.baseline is not None else ())]
    return list(dict.fromkeys(names))


def _profile(result: SuiteResult, verbosity: int, *, gated: bool) -> list[str]:
    from pytest_memuse.profiles.profile import Profile
    from pytest_memuse.reports.profile import profile_lines

    if gated and verbosity < 0:
        # Whoever asks for little wants what failed; the profile is no verdict.
        return ["", *result.notes] if result.notes else []
    profile = Profile.of(result.rows())
    return ["", *profile_lines(profile, result.identity, everything=verbosity > 0), *result.notes]


def _identify(config: pytest.Config, state: SessionState, result: SuiteResult) -> None:
    """Ask the hooks what else shapes the suite's figures. Raises `MemuseError` where one fails or is never called."""
    check_hooks(config, sorted(state.worker_hooks))
    result.identity["extra"] = extra_identity(config, result.suite, identity_of(result.identity))


def _gate(config: pytest.Config, state: SessionState, result: SuiteResult) -> SuiteGate:
    """Compare a suite and decide what each figure does to the build. Raises `MemuseError` where that is refused."""
    from pytest_memuse.gate.comparison import Refusal
    from pytest_memuse.reports.gate import gate_lines, refusal_text
    from pytest_memuse.reports.promotion import promotion_lines
    from pytest_memuse.reports.rulings import ruling_lines

    settings = state.settings
    stored, against = _compared_with(state, result)
    now = identity_of(result.identity)
    changed = [] if stored.paired else list(stored.identity.differences(now))
    current = result.rows()
    compared = compared_with(stored, against, current, now.judge, result.identity["recordings"], settings)
    if isinstance(compared, Refusal):
        text = refusal_text(compared, state.read_as or settings.baseline)
        state.reports += ["", f"gate {result.suite}: refused", *text.splitlines()]
        return SuiteGate(GateStatus.FAILED, compared.message, against, refusal=compared, changed=tuple(changed))
    decided = decide(config, result.suite, compared, settings.inconclusive)
    gate = SuiteGate.of(compared, decided, against, changed)
    result.rulings.update(rulings_told(decided))
    state.reports += ["", *(f"changed since {against}: {line}" for line in changed)]
    state.reports += promotion_lines(stored, against, config.get_verbosity())
    state.reports += gate_lines(
        compared,
        against,
        "" if stored.paired else state.read_as or settings.baseline,
        config.get_verbosity(),
        width=terminal_width(config),
        failing={one.figure.name for one in decided if one.outcome is Outcome.FAIL},
        warned={one.figure.name for one in decided if one.outcome is Outcome.WARN},
        remarks=[
            *ruling_lines(result.suite, decided),
            *(_telling(stored.run, current, compared) if gate.fails and config.get_verbosity() in (0, 1) else ()),
        ],
    )
    try:
        observe(config, result.suite, compared, decided)
    except MemuseError as error:
        state.reports.append(f"gate {result.suite}: failed ({error})")
        return replace(gate, status=GateStatus.FAILED, reason=str(error), broken=str(error))
    return gate


def _telling(then: "Run", now: "Run", compared: "Comparison") -> list[str]:
    """Return the tasks that moved the gated figures most. Quiet runs go without, and very talkative ones show all."""
    from pytest_memuse.gate.suite_diff import diff_suites
    from pytest_memuse.profiles.figures import FIGURES
    from pytest_memuse.reports.diff import telling_lines

    return telling_lines(diff_suites(then, now, figures=[FIGURES[figure.name] for figure in compared.figures]))


def _refused(state: SessionState, suite: str, reason: str) -> SuiteGate:
    state.reports += ["", f"gate {suite}: refused ({reason})"]
    return SuiteGate(GateStatus.FAILED, reason, broken=reason)


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
        return _judged_alike(state, result, baseline.suite(result.suite, settings.baseline)), settings.baseline
    instead = f" instead of the baseline {settings.baseline}" if settings.baseline else ""
    state.reports += [
        "",
        f"gate {result.suite}: both sides were recorded in one session, in turn and against the same model; "
        f"this one is compared with that of {pair.commit[:10]}{instead}",
    ]
    if state.merge_base and not pair.commit.startswith(state.merge_base):
        state.reports.append(f"  warning: the pair's other side is not the merge base {state.merge_base[:10]}")
    return pair, pair.commit[:10]


def _judged_alike(state: SessionState, result: SuiteResult, stored: SuiteBaseline) -> SuiteBaseline:
    """Return the stored suite as it is, or as the judge of now has judged it where the change under test holds that."""
    again: SuiteBaseline | None = state.judged_again.get(result.suite)
    now = identity_of(result.identity).judge
    if again is None or not stored.identity.judge.differences(now) or again.identity.judge.differences(now):
        return stored
    state.reports += [
        "",
        f"gate {result.suite}: this change has another judge ({'; '.join(stored.identity.judge.differences(now))}) and "
        "holds the same baseline judged by it, recordings and everything else unchanged; compared with that",
    ]
    return again
