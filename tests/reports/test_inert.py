"""What memory says never reaches the terminal as anything but text."""

from dataclasses import replace

import numpy as np
import pytest

from pytest_memuse.episodes.drift import Drift, DriftKind, EntryDifference
from pytest_memuse.gate.comparison import Comparison, compare
from pytest_memuse.model import OperationKind
from pytest_memuse.model.errors import printable
from pytest_memuse.profiles import JudgedEpisode, compare_outcomes, item_histories, leakage, revise_or_remove
from pytest_memuse.profiles.profile import Profile
from pytest_memuse.profiles.rows import EntryRow, EpisodeRow, RowOutcome, Run, SpanRow, Triage, Usage
from pytest_memuse.reports.assertions import explain_comparison
from pytest_memuse.reports.breakdowns import breakdown_lines
from pytest_memuse.reports.drift import describe_drifts
from pytest_memuse.reports.episode import episode_lines, outside_lines
from pytest_memuse.reports.gate import failure_text, gate_lines
from pytest_memuse.reports.items import harmful_lines, item_lines, leak_lines
from pytest_memuse.reports.outcomes import outcome_lines
from pytest_memuse.reports.profile import profile_lines
from tests.profiles.stores import HARMED, change, span, told

HOSTILE = "\x1b[2J\x1b]0;owned\x07\rfake line\n::error::owned\u202edesrever\x00\x9b31m"


def _run(harmful: bool, name: str = HOSTILE) -> Run:
    entry = EntryRow(
        item=name,
        text=name,
        relevance=True,
        accuracy="contradicted" if harmful else "corroborated",
        novelty="novel",
        influence="acted_on",
        effect="harmed" if harmful else "improved",
        anchors=(1,),
        usage=Usage.MISUSED if harmful else Usage.USED,
    )
    signals = ("accuracy", "effect", "influence", "novelty", "relevance")
    triage = Triage.NEGATIVE if harmful else Triage.POSITIVE
    read = SpanRow("S1", RowOutcome.JUDGED, 400, (entry,), triage, 1, 1, 1, name, name, determines=signals)
    episodes = (EpisodeRow(f"{n}/e{name}", f"{n}{name}", f"e{name}", "d", 0, not harmful, 3, (read,)) for n in range(8))
    return Run(f"suite{name}", tuple(episodes))


def _hostile_episode() -> JudgedEpisode:
    """An episode whose every name and text is hostile, with an item that it wrote, read and was harmed by."""
    harmful, judgment = span((HOSTILE, f"{HOSTILE} owned-8081", HARMED), name="S1", operations=(HOSTILE,))
    delivered = replace(
        harmful, deliveries=(replace(harmful.deliveries[0], form=HOSTILE, id=HOSTILE),), problems=(HOSTILE,)
    )
    return told(
        0,
        change(OperationKind.CREATE, HOSTILE, HOSTILE, id=HOSTILE),
        spans=((delivered, judgment),),
        answers={HOSTILE: "owned-8081"},
        task=HOSTILE,
        text=HOSTILE,
        arc=HOSTILE,
        id=HOSTILE,
    )


def _all_reports() -> dict[str, str]:
    comparison = compare(_run(False), _run(True))
    assert isinstance(comparison, Comparison)
    profile = Profile.of(_run(True))
    store = [_hostile_episode()]
    history = item_histories(store)[0]
    against = compare_outcomes([_run(True)], [_run(False), _run(True, f"{HOSTILE}2")])
    identity = {"recorded_against": HOSTILE, "judge": {"kind": HOSTILE, "version": HOSTILE}}
    difference = EntryDifference("changed", HOSTILE, HOSTILE, HOSTILE)
    drift = Drift(DriftKind.DIFFERENT, HOSTILE, HOSTILE, 3, "recall", 1, (difference,), HOSTILE)
    return {
        "gate": "\n".join(gate_lines(comparison, HOSTILE, HOSTILE, 2)),
        "failure": "\n".join(failure_text(comparison, figure) for figure in comparison.regressed),
        "profile": "\n".join(profile_lines(profile, identity, everything=True)),
        "assertion": "\n".join(explain_comparison("<", profile.harm_share, HOSTILE) or ()),
        "drift": describe_drifts([drift]),
        "breakdowns": "\n".join(breakdown_lines(profile, everything=True)),
        "outcomes": "\n".join(outcome_lines(against, against.difference(np.random.default_rng(1), 20))),
        "items": "\n".join(item_lines(history)),
        "harmful": "\n".join(harmful_lines(revise_or_remove([history]))),
        "leaks": "\n".join(leak_lines(leakage(store))),
        "episode": "\n".join(episode_lines(store[0].episode, store[0].spans, store[0].row)),
        "outside": "\n".join(outside_lines(store[0].row.spans)),
    }


@pytest.mark.parametrize("report", sorted(_all_reports()))
def test_control_and_direction_characters_never_reach_a_terminal(report: str) -> None:
    text = _all_reports()[report]
    assert "owned" in text
    assert all(line.isprintable() for line in text.split("\n"))
    assert "\u202e" not in text


@pytest.mark.parametrize("report", sorted(_all_reports()))
def test_no_line_begins_as_a_command_for_a_ci_runner(report: str) -> None:
    assert not any(line.lstrip().startswith("::") for line in _all_reports()[report].splitlines())


def test_a_text_is_cut_to_the_length_that_is_asked_for() -> None:
    assert printable("x" * 500, 20) == "x" * 19 + "…"
    assert len(printable("\u202e" * 500, 20)) == 20
