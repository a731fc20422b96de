"""What memory says never reaches the terminal as anything but text."""

import pytest

from pytest_memuse.episodes.drift import Drift, DriftKind, EntryDifference
from pytest_memuse.gate.comparison import Comparison, compare
from pytest_memuse.model.errors import printable
from pytest_memuse.profiles.profile import Profile
from pytest_memuse.profiles.rows import EntryRow, EpisodeRow, RowOutcome, Run, SpanRow, Triage, Usage
from pytest_memuse.reports.assertions import explain_comparison
from pytest_memuse.reports.drift import describe_drifts
from pytest_memuse.reports.gate import failure_text, gate_lines
from pytest_memuse.reports.profile import profile_lines

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
    span = SpanRow("S1", RowOutcome.JUDGED, 400, (entry,), triage, 1, 1, determines=signals)
    episodes = (EpisodeRow(f"{n}/e{name}", f"{n}{name}", f"e{name}", "d", 0, not harmful, 3, (span,)) for n in range(8))
    return Run(f"suite{name}", tuple(episodes))


def _all_reports() -> dict[str, str]:
    comparison = compare(_run(False), _run(True))
    assert isinstance(comparison, Comparison)
    profile = Profile.of(_run(True))
    identity = {"recorded_against": HOSTILE, "judge": {"kind": HOSTILE, "version": HOSTILE}}
    difference = EntryDifference("changed", HOSTILE, HOSTILE, HOSTILE)
    drift = Drift(DriftKind.DIFFERENT, HOSTILE, HOSTILE, 3, "recall", 1, (difference,), HOSTILE)
    return {
        "gate": "\n".join(gate_lines(comparison, HOSTILE, 2)),
        "failure": "\n".join(failure_text(comparison, figure) for figure in comparison.regressed),
        "profile": "\n".join(profile_lines(profile, identity, everything=True)),
        "assertion": "\n".join(explain_comparison("<", profile.harm_share, HOSTILE) or ()),
        "drift": describe_drifts([drift]),
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
