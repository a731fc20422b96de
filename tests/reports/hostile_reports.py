"""Everything that is rendered for people, from values whose every name and text is hostile."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from pytest_memuse.arcs.mutation import Control, FaultResult, MutationReport, Touched
from pytest_memuse.episodes.drift import DeliveryChange, Drift, DriftKind, EntryDifference, Preview
from pytest_memuse.gate.baseline import Baseline, Identity, JudgedBy, Promotion, SuiteBaseline, check_judge
from pytest_memuse.gate.comparison import Comparison, Refusal, compare
from pytest_memuse.gate.errors import no_baseline
from pytest_memuse.gate.rulings import Decided, Outcome, Ruled
from pytest_memuse.gate.suite_diff import diff_suites
from pytest_memuse.gate.tolerance import parse_tolerance
from pytest_memuse.judging.agreement import measure
from pytest_memuse.model import MemuseError, OperationKind
from pytest_memuse.model.errors import FormatError
from pytest_memuse.profiles import JudgedEpisode, compare_outcomes, item_histories, leakage, revise_or_remove
from pytest_memuse.profiles.figures import FIGURES
from pytest_memuse.profiles.profile import Profile
from pytest_memuse.profiles.rows import EntryRow, EpisodeRow, RowOutcome, Run, SpanRow, Triage, Usage
from pytest_memuse.reports.assertions import explain_comparison, responsible_lines
from pytest_memuse.reports.breakdowns import breakdown_lines
from pytest_memuse.reports.diff import Heading, diff_lines, telling_lines
from pytest_memuse.reports.diff_heading import identity_lines
from pytest_memuse.reports.drift import describe_drifts, preview_lines
from pytest_memuse.reports.episode import episode_lines, outside_lines
from pytest_memuse.reports.gate import failure_text, gate_lines, refusal_text
from pytest_memuse.reports.items import harmful_lines, item_lines, leak_lines
from pytest_memuse.reports.labels import label_lines
from pytest_memuse.reports.look import look_lines
from pytest_memuse.reports.mutation import mutation_lines
from pytest_memuse.reports.outcomes import outcome_lines
from pytest_memuse.reports.profile import profile_lines
from pytest_memuse.reports.promotion import promotion_lines
from pytest_memuse.reports.refresh import RefreshedArc, refresh_lines
from pytest_memuse.reports.rulings import failing_text, ruling_lines
from tests.judging.scripted_judge import ScriptedJudge, answer, labelled
from tests.profiles.stores import HARMED, change, span, told

SIGNALS = ("accuracy", "effect", "influence", "novelty", "relevance")


def run_of(text: str, *, harmful: bool, arcs: int = 6) -> Run:
    """Return a run of arcs whose every name is the text, told apart by a number at their end alone."""
    entry = EntryRow(
        item=text,
        namespace=text,
        text=text if harmful else f"{text} then",
        relevance=True,
        accuracy="contradicted" if harmful else "corroborated",
        novelty="novel",
        influence="acted_on",
        effect="harmed" if harmful else "improved",
        anchors=(1,),
        usage=Usage.MISUSED if harmful else Usage.USED,
    )
    beside = replace(entry, item=f"{text}2", usage=Usage.IGNORED, influence="none", effect=None, anchors=())
    entries = (entry, beside) if harmful else (entry,)
    triage = Triage.NEGATIVE if harmful else Triage.POSITIVE
    read = SpanRow(
        id=text,
        outcome=RowOutcome.JUDGED,
        characters=800 if harmful else 400,
        entries=entries,
        triage=triage,
        first=1,
        last=1,
        route=text,
        form=text,
        determines=SIGNALS,
        problems=(text,),
    )
    episodes = (
        EpisodeRow(
            id=f"{text}{n}",
            arc=f"{text}{n}",
            task=text,
            task_digest="d",
            success=not harmful,
            steps=9 if harmful else 3,
            spans=(read,),
        )
        for n in range(arcs)
    )
    return Run(text, tuple(episodes), outside=(read,))


def episode_of(text: str) -> JudgedEpisode:
    """Return an episode with an item that it wrote, read and was harmed by."""
    harmful, judgment = span((text, f"{text} owned-8081", HARMED), name=text, operations=(text,))
    delivery = replace(harmful.deliveries[0], form=text, id=text)
    return told(
        0,
        change(OperationKind.CREATE, text, text, id=text),
        spans=((replace(harmful, deliveries=(delivery,), problems=(text,)), judgment),),
        answers={text: "owned-8081"},
        task=text,
        text=text,
        arc=text,
        id=text,
    )


def identity_of(text: str, judge: str = "") -> Identity:
    """Return an identity whose every part is hostile."""
    judged = JudgedBy(judge or text, text, text, {text: text})
    return Identity(judged, memory=text, agent=text, model=text, recorded_against=text)


def _comparison(text: str) -> Comparison:
    """Return a comparison in which a task is gone, another has changed and a new one is there."""
    then, now = run_of(text, harmful=False, arcs=22), run_of(text, harmful=True, arcs=23)
    changed = replace(now.episodes[1], task_digest="other")
    compared = compare(then, replace(now, episodes=(changed, *now.episodes[2:])), resamples=100)
    assert isinstance(compared, Comparison)
    return compared


def _refusal(text: str) -> Refusal:
    refused = compare(run_of(text, harmful=False), run_of(f"{text}2", harmful=False))
    assert isinstance(refused, Refusal)
    return refused


def _gates(text: str) -> Iterator[tuple[str, str]]:
    compared = _comparison(text)
    for verbosity in (-1, 0, 1, 2):
        lines = gate_lines(compared, text, text, verbosity, failing={f.name for f in compared.figures})
        yield f"gate at {verbosity}", "\n".join(lines)
    yield "gate in 40 columns", "\n".join(gate_lines(compared, text, text, 2, width=40))
    yield "look", "\n".join(look_lines(compared, text, 2))
    yield "failure", "\n".join(failure_text(compared, figure) for figure in compared.figures)
    yield "refusal", refusal_text(_refusal(text), text)
    ruled = [Decided(f, Outcome.PASS, (Ruled(Outcome.FAIL, text, text),)) for f in compared.regressed]
    yield "rulings", "\n".join([*ruling_lines(text, ruled), *(failing_text(compared, one) for one in ruled)])


def _diffs(text: str) -> Iterator[tuple[str, str]]:
    diff = diff_suites(run_of(text, harmful=False), run_of(text, harmful=True))
    yield "diff", "\n".join(diff_lines(diff, Heading(text, text, (text,)), everything=True))
    yield "diff after a failure", "\n".join(telling_lines(diff))
    yield "identities", "\n".join(identity_lines(identity_of(text), identity_of(f"{text}2")))


def _stores(text: str) -> Iterator[tuple[str, str]]:
    judged = episode_of(text)
    history = item_histories([judged])[0]
    yield "items", "\n".join(item_lines(history))
    yield "harmful items", "\n".join(harmful_lines(revise_or_remove([history])))
    yield "leaks", "\n".join(leak_lines(leakage([judged])))
    yield "episode", "\n".join(episode_lines(judged.episode, judged.spans, judged.row))
    yield "outside", "\n".join(outside_lines(judged.row.spans))


def _profiles(text: str) -> Iterator[tuple[str, str]]:
    run = run_of(text, harmful=True)
    profile = Profile.of(run)
    identity = {"recorded_against": text, "judge": {"kind": text, "version": text}}
    against = compare_outcomes([run], [run_of(text, harmful=False), run_of(f"{text}2", harmful=True)])
    yield "profile", "\n".join(profile_lines(profile, identity, everything=True))
    yield "assertion", "\n".join(explain_comparison("<", profile.harm_share, text) or ())
    yield "responsible", "\n".join(responsible_lines(profile.harm_share.responsible))
    yield "breakdowns", "\n".join(breakdown_lines(profile, everything=True))
    yield "outcomes", "\n".join(outcome_lines(against, against.difference(np.random.default_rng(1), 20)))


def _recordings(text: str) -> Iterator[tuple[str, str]]:
    difference = EntryDifference("changed", text, text, text)
    preview = Preview(3, 1, 2, (DeliveryChange(text, 2, 3, (replace(difference, acted_on=True),)),), 10, 20)
    drift = Drift(DriftKind.DIFFERENT, text, text, 3, text, 1, (difference,), text, preview=preview)
    row = run_of(text, harmful=True, arcs=1).episodes[0]
    arc = RefreshedArc(text, Path("cassettes/a.jsonl"), 3, (text,), text, text, (row,), (replace(row, steps=1),))
    yield "drift", describe_drifts([drift])
    yield "drift preview", "\n".join(preview_lines([drift]))
    yield "refresh", "\n".join(refresh_lines(text, [arc], 1, baselines=[(text, Path("b.json"))], root=Path()))


def _judges(text: str) -> Iterator[tuple[str, str]]:
    fault = FaultResult(text, text, visible=True, touched=Touched(1, 2, 3, 1), refused=text, failed=(text,))
    report = MutationReport(text, 12, 1.0, 0, text, text, Control(failed=(text,), regressed=(text,)), (fault,), (text,))
    judge = ScriptedJudge({"moor": [answer()]}, frozenset())
    agreement = measure(judge, [labelled("moor", {"influence": "acted_on"})])
    yield "mutation", "\n".join(mutation_lines(report, 2))
    yield "labels", "\n".join(label_lines(text, {text: agreement}, agreement, verbose=True))


def _baselines(text: str) -> Iterator[tuple[str, str]]:
    promotion = Promotion("2026-03-01", text, text, "", 40, (text,))
    stored = SuiteBaseline(run_of(text, harmful=False), identity_of(text), {}, text, 40, promotions=(promotion,))
    yield "promotion", "\n".join(promotion_lines(stored, text, 2))
    yield "another judge", _raised(lambda: check_judge(stored, identity_of(text, "other").judge, text))
    yield "no such suite", _raised(lambda: Baseline("1", {text: stored}).suite(f"{text}2", text))
    yield "no such baseline", str(no_baseline(text, text, (text,)))
    yield "no such figure", _raised(lambda: compare(stored.run, stored.run, figures=(text,)))
    yield "no such tolerance", _raised(lambda: parse_tolerance(text, FIGURES))
    yield "damaged file", str(FormatError(text, source=text, line=3, field=text))


def _raised(act: Callable[[], object]) -> str:
    try:
        act()
    except MemuseError as error:
        return str(error)
    raise AssertionError("nothing was refused")


@cache
def reports_of(text: str) -> dict[str, str]:
    """Return every report for people, by its name."""
    parts = (_gates, _diffs, _stores, _profiles, _recordings, _judges, _baselines)
    return {name: shown for part in parts for name, shown in part(text)}
