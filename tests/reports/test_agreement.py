"""The report on two judges, and on a judge's own noise, to the letter."""

import json

from pytest_memuse.judging import Signal
from pytest_memuse.profiles.agreement import JudgesAgreement
from pytest_memuse.profiles.judge_noise import judge_noise
from pytest_memuse.reports.agreement import agreement_data, agreement_lines, noise_data, noise_lines
from tests.profiles.test_agreement import MINE, THEIRS, acted, idle, run_of
from tests.reports.golden import check_golden

PART = frozenset(Signal) - {Signal.RELEVANCE}
FOUND = JudgesAgreement.of("tracer, version 2", run_of(MINE, PART), "annotations, version 1", run_of(THEIRS))
MANY = [[idle(), idle()] for _ in range(12)]


def test_the_report_to_the_letter() -> None:
    check_golden("agreement", agreement_lines(FOUND))


def test_the_noise_to_the_letter() -> None:
    check_golden("judge-noise", noise_lines(judge_noise([run_of(MINE), run_of(THEIRS)]), 2))


def test_a_negative_estimate_is_told_as_such() -> None:
    mine, theirs = run_of([[acted()], [idle()]]), run_of([[idle()], [acted()]])
    lines = noise_lines(judge_noise([mine, theirs]), 2)
    assert any(line.startswith("Below zero for the agent (relevance_share, ") for line in lines)
    assert any("−" in line and line.startswith("acted_on_share") for line in lines)


def test_the_kappa_paradox_is_told_where_one_value_prevails_and_the_judges_differ() -> None:
    mine = run_of([[acted(), idle()], *MANY])
    theirs = run_of([[idle(), acted()], *MANY])
    lines = agreement_lines(JudgesAgreement.of("a", mine, "b", theirs))
    assert any(line.startswith("influence: 96.2 % of what the judges give is “none”") for line in lines)
    assert not any("%" in line and "judges give" in line for line in agreement_lines(FOUND))


def test_only_the_first_disagreements_are_listed_unless_all_are_asked_for() -> None:
    found = JudgesAgreement.of("a", run_of(MANY), "b", run_of([[acted(), acted()] for _ in MANY]))
    few, every = agreement_lines(found), agreement_lines(found, verbose=True)
    assert "  and 14 more (-v)" in few
    assert not any("more (-v)" in line for line in every)
    assert len(every) > len(few)


def test_hostile_text_is_inert() -> None:
    mine, theirs = (
        run_of([[acted()]], text="\x1b[31m##[error]owned\n"),
        run_of([[idle()]], text="\x1b[31m##[error]owned\n"),
    )
    lines = agreement_lines(JudgesAgreement.of("a\x1b", mine, "b", theirs))
    assert any("owned" in line for line in lines)
    assert all(line.isprintable() and "##[" not in line for line in lines)


def test_data_holds_every_disagreement_and_says_what_is_undefined() -> None:
    data = json.loads(json.dumps(agreement_data(FOUND)))
    assert data["signals"]["relevance"]["missing"] == "tracer, version 2 does not determine relevance"
    assert data["signals"]["relevance"]["kappa"]["value"] is None
    assert data["signals"]["influence"]["agreed"] == 6
    assert {one["signal"] for one in data["disagreements"]} == {"accuracy", "novelty", "influence", "effect"}
    assert all(one["text"] for one in data["disagreements"])
    noise = json.loads(json.dumps(noise_data(judge_noise([run_of(MINE), run_of(MINE, PART)]))))
    assert "relevance" in noise["relevance_share"]["undefined"]
    assert noise["harm_share"]["judge"] == 0
