"""Where tracing proves too little to claim and too much to deny, and where a prior source explains an action."""

from typing import Any

import pytest

from pytest_memuse.judging import Assessment, Effect, Influence, Novelty
from tests.judging.episodes import assess, recalled

ACTED, NONE = Influence.ACTED_ON, Influence.NONE


def after(entry: str, arguments: dict[str, Any], *, task: str = "Do it.", tool: str = "set_up") -> Assessment:
    (assessment,) = assess(recalled([entry], [("", [(tool, arguments, "done")])], task=task))
    return assessment


@pytest.mark.parametrize(
    ("entry", "arguments"),
    [
        ("backups are kept for six weeks", {"job": "backups", "keep_seconds": 3628800}),
        ("the walk takes 45 minutes", {"title": "walk", "duration": "PT45M"}),
        ("the bell rings at half past seven in the evening", {"title": "bell", "at": "19:30"}),
        ("the bell rings at a quarter past seven in the evening", {"at": "19:15"}),
        ("the worker needs 1.5 GiB of memory", {"memory": "1536Mi"}),
        ("storage costs 12.85 EUR", {"cents": 1285}),
        ("the cash discount is 2.5 percent", {"discount_rate": 0.025}),
        ("the desk answers at +44 20 7946 0958", {"number": "+442079460958"}),
        ("pay to DE89370400440532013000", {"iban": "DE89 3704 0044 0532 0130 00"}),
        ("the auditor is n.lindqvist@fjell.example", {"to": "n.lindqvist@fjell.example"}),
        ("s.achterberg keeps the keys", {"person": "s.achterberg"}),
        ("kilns are signed off by Ada Brandvold", {"user": "ada brandvold"}),
        ("meet in room Fjell-7", {"place": "Fjell 7"}),
    ],
)
def test_a_value_of_the_entry_is_followed_into_another_format(entry: str, arguments: dict[str, Any]) -> None:
    assert after(entry, arguments).influence is ACTED


@pytest.mark.parametrize(
    ("entry", "arguments"),
    [
        ("storage costs 12.85 EUR", {"amount": 1285}),
        ("kilns are signed off by Ada Brandvold", {"user": "brandvold"}),
        ("Rosa works from Valparaiso", {"timezone": "America/Valparaiso"}),
        ("mark drills with visibility team-only", {"visibility": "team-only"}),
        ("the lift is serviced at 10:00", {"title": "Drill", "at": "10:00"}),
        ("audits happen on Thursdays", {"date": "2026-12-17"}),
        ("the audit is on 14 December", {"date": "2026-12-14"}),
        ("turn telemetry off", {"telemetry": False}),
        ("the customer wishes to be written to in Danish", {"body": "Kære kunde, din pakke kommer i morgen"}),
    ],
)
def test_what_only_may_be_the_entrys_is_left_open(entry: str, arguments: dict[str, Any]) -> None:
    assert after(entry, arguments).influence is None


@pytest.mark.parametrize(
    ("entry", "arguments"),
    [
        ("the choir sings on Thursdays", {"title": "Audit", "start": "10:00"}),
        ("use region eu-west-4", {"region": "us-east-1"}),
        ("storage costs 12.85 EUR", {"amount": 990}),
        ("the walk takes 45 minutes", {"title": "lunch", "duration": "PT30M"}),
    ],
)
def test_an_action_that_shares_nothing_with_the_entry_is_none(entry: str, arguments: dict[str, Any]) -> None:
    assert after(entry, arguments).influence is NONE


@pytest.mark.parametrize(
    ("task", "entry", "arguments"),
    [
        ("Put crate 7 at ramp 2.", "crates stand at ramp 2", {"crate": 7, "ramp": 2}),
        ("Mute it from 01:00 to 04:00.", "it is muted from 01:00 to 04:00", {"start": "01:00", "end": "04:00"}),
        ("Book a meeting of 2 hours.", "meetings last 2 hours", {"minutes": 120}),
        ("Set the width to 640.", "the album holds 640 pictures", {"width": 640}),
        ("Why does test_tide_table fail?", "test_tide_table is old", {"test": "test_tide_table"}),
        ("Could you drain crane-77?", "crane-77 is drained daily", {"queue": "crane-77"}),
    ],
)
def test_an_action_that_follows_the_task_is_none(task: str, entry: str, arguments: dict[str, Any]) -> None:
    assert after(entry, arguments, task=task).influence is NONE


@pytest.mark.parametrize(
    ("task", "entry", "arguments"),
    [
        ("Book the drill at ten.", "the drill room is swept at 10:00", {"title": "drill", "start": "10:00"}),
        ("Book a half-hour drill.", "the drill is talked over for 30 minutes", {"title": "drill", "minutes": 30}),
        ("Book an hour for the drill.", "the drill is talked over for 60 minutes", {"title": "drill", "minutes": 60}),
    ],
)
def test_a_value_that_the_task_says_in_words_is_no_use_of_the_entry(
    task: str, entry: str, arguments: dict[str, Any]
) -> None:
    assert after(entry, arguments, task=task).influence is not ACTED


def test_a_task_that_asks_which_value_holds_explains_no_action() -> None:
    entry, task = "exports go to crane-42", "Should exports go to crane-42 or crane-41? Send them."
    assert after(entry, {"to": "crane-42"}, task=task).influence is None


def test_a_command_that_the_agent_ran_before_is_no_use_of_the_entry() -> None:
    warm = ("bash", "tilewarm --zoom 7-11", "timeout")
    (assessment,) = assess(recalled(["warm tiles with tilewarm --zoom 7-11"], [("", [warm]), ("", [warm])], first=2))
    assert assessment.influence is NONE


@pytest.mark.parametrize(
    ("task", "entry"),
    [
        ("Push with --no-verify.", "never push with --no-verify"),
        ("Enable retries for carrier-7.", "disable retries for carrier-7"),
        ("Does the tide service page its answers?", "the tide service pages its answers"),
        ("Use port 8443 for production.", "use port 8443 for staging"),
    ],
)
def test_a_source_that_says_something_else_makes_nothing_redundant(task: str, entry: str) -> None:
    assert after(entry, {"x": "y"}, task=task).novelty is not Novelty.REDUNDANT


def test_a_source_that_says_the_same_in_other_units_makes_it_redundant() -> None:
    task, entry = "Returns are open for 90 days. Tell them.", "returns are open for ninety days"
    assert after(entry, {"x": "y"}, task=task).novelty is Novelty.REDUNDANT


@pytest.mark.parametrize("gap", ["[attachment plan.pdf: content not recorded]", "[image]"])
def test_a_source_that_was_not_recorded_leaves_novelty_and_influence_open(gap: str) -> None:
    assessment = after("berth at pier QX-14", {"pier": "QX-14"}, task=f"Berth as the plan says. {gap}")
    assert (assessment.novelty, assessment.influence) == (None, None)


def test_a_remark_on_the_only_note_refers_to_it() -> None:
    says, work = "That note is of no use here.", ("bash", "ls", "a b")
    (alone,) = assess(recalled(["the kiosk needs iOS 17"], [(says, [work])]))
    first, second = assess(recalled(["the kiosk needs iOS 17", "the lift is slow"], [(says, [work])]))
    assert alone.influence is Influence.REFERENCED
    assert (first.influence, second.influence) == (NONE, NONE)


def effect_of(result: str, *more: tuple[str, Any, str]) -> Effect | None:
    book = ("book", {"guest": "Ito", "nights": 3, "tax_code": "HB-08"}, result)
    (assessment,) = assess(recalled(["the tax code is HB-08"], [("", [deed]) for deed in (book, *more)]))
    assert assessment.influence is ACTED
    return assessment.effect


@pytest.mark.parametrize(
    ("result", "effect"),
    [
        ("booked; tax_code HB-08 ignored, the price is the same", Effect.NO_EFFECT),
        ("booked; HB-08 has no effect on guests of the house", Effect.NO_EFFECT),
        ("booked; 2 old files ignored", None),
        ("booked", None),
        ("refused: HB-08 has no effect here and is invalid", None),
    ],
)
def test_an_answer_that_calls_the_entrys_part_idle_shows_no_effect(result: str, effect: Effect | None) -> None:
    assert effect_of(result) is effect


def test_a_refused_value_that_another_one_replaced_did_harm() -> None:
    again = ("book", {"guest": "Ito", "nights": 3, "tax_code": "HB-12"}, "booked")
    assert effect_of("refused: HB-08 was retired", again) is Effect.HARMED
    assert effect_of("booked", again) is None
