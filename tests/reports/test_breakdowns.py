"""The breakdowns of a profile and the ledger, to the letter."""

from dataclasses import replace

from pytest_memuse.model import Actor, Call, Episode, Operation, OperationKind, Step, Usage
from pytest_memuse.profiles import EpisodeRow, Profile, Rates, RowOutcome, Run, ledger
from pytest_memuse.reports.breakdowns import breakdown_lines
from pytest_memuse.reports.costs import cost_lines
from pytest_memuse.reports.profile import profile_lines
from tests.profiles.runs import entry, judged, misused, run_of, used
from tests.reports.golden import golden, text


def _run() -> Run:
    """A benefit in a failed episode, a harm in a passed one, an ignored search result and a span outside them."""
    block = {"form": "block", "route": "host_scheduled", "deliveries": 4, "characters": 4000}
    helped = judged(used("A", anchors=(7,)), entry("B"), **block)
    harmed = judged(misused("A", anchors=(1,), accuracy="contradicted"), **block)
    ignored = judged(
        entry("C", relevance=False, usage="ignored"), form="search", route="agent_directed", characters=800, id="S2"
    )
    rows = (
        EpisodeRow("E0", "a", "T0", success=False, spans=(helped,)),
        EpisodeRow("E1", "a", "T1", success=True, spans=(harmed, ignored)),
        EpisodeRow("E2", "b", "T2", success=None, spans=(judged(used("A"), **block),)),
    )
    lost = replace(helped, outcome=RowOutcome.UNASSESSABLE, characters=8000, redacted=True, triage=None)
    return Run("shop", rows, (lost,))


def test_the_breakdowns_beside_a_profile() -> None:
    assert text(breakdown_lines(Profile.of(_run()))) == golden("breakdowns")


def test_every_breakdown_of_a_profile() -> None:
    shown = breakdown_lines(Profile.of(_run()))
    every = breakdown_lines(Profile.of(_run()), everything=True)
    assert every[: len(shown)] == shown
    assert text(every[len(shown) :]) == golden("breakdowns-all")


def test_a_share_that_the_judge_does_not_determine_is_undefined_and_says_why() -> None:
    lines = breakdown_lines(Profile.of(run_of((judged(entry(), determines=("influence",)),))))
    assert text(lines) == golden("breakdowns-undefined")


def test_a_profile_begins_with_what_makes_it_less_than_exact() -> None:
    lines = profile_lines(Profile.of(_run()), {})
    assert [line for line in lines if line.startswith("warning: ")] == [
        "warning: 1 of 5 spans hold redacted text without a recorded size, which counts as nothing: delivered volume "
        "is a lower bound",
        "warning: spans outside every recorded episode: 1; they keep their delivery cost and establish no coverage",
    ]


def _call(name: str, actor: Actor, usage: Usage, **more: object) -> Call:
    return Call(name, actor, usage=usage, model="big", **more)  # type: ignore[arg-type]


def _episode() -> Episode:
    agent = [_call("c1", Actor.AGENT, Usage(1000, 50, 200), cost=0.25), _call("c2", Actor.AGENT, Usage(), cost=None)]
    return Episode(
        "E",
        tuple(Step(number, call) for number, call in enumerate(agent, 1)),
        (),
        {},
        operations=(
            Operation("s", OperationKind.SEARCH, calls=("e1",)),
            Operation("w", OperationKind.CREATE, item="A", calls=("m1",)),
        ),
        memory_calls=(
            _call("m1", Actor.MEMORY, Usage(300, 0)),
            _call("m2", Actor.MEMORY, Usage(12_000, 9)),
            _call("e1", Actor.EMBEDDING, Usage(7)),
        ),
        failed_calls=(_call("f", Actor.AGENT, Usage(), completed=False),),
    )


def test_unknown_costs_stay_unknown_and_zeros_are_measured() -> None:
    assert text(cost_lines(ledger([_episode()]))) == golden("costs")


def test_money_at_configured_rates_stands_beside_the_provider_s() -> None:
    lines = cost_lines(ledger([_episode()], {"big": Rates(input=2.0, output=10.0)}))
    assert text(lines) == golden("costs-with-rates")


def test_without_a_recorded_call_there_is_no_table_of_costs() -> None:
    assert cost_lines(ledger([Episode("E", (), (), {})])) == ["", "costs: no model call is recorded"]


def test_ledgers_of_repeats_are_added_call_by_call() -> None:
    once = ledger([_episode()])
    twice = once + once
    assert len(twice.calls) == 2 * len(once.calls)
    assert twice.costs(actor=Actor.MEMORY).input.total == 2 * 12_300
    assert twice.searches == 2
