"""The ledger, quantities with their kinds of zero, the seven cost families (MemUse A.4.4; conditional utility S1.5)."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.model import Actor, Call, Delivery, Entry, Episode, MemuseError, Step, Usage
from pytest_memuse.profiles import Knowledge, Purpose, Quantity, Rates, cost_families, ledger, mean_of
from tests.profiles.stores import CREATE, DELETE, HELPED, IDLE, change, search, span, told

RATES = {"big": Rates(input=2.0, output=10.0, cached=0.5), "flat": Rates(input=1.0, output=4.0)}


def call(name: str, actor: Actor = Actor.MEMORY, **more: Any) -> Call:
    counters = {key: more.pop(key) for key in ("input", "output", "cached", "reasoning") if key in more}
    return Call(name, actor, usage=Usage(**counters), **more)


def costs_of(*calls: Call, **more: Any) -> Any:
    return ledger([Episode("E", (), (), {}, memory_calls=calls)], RATES).costs(**more)


# --- quantities


def test_a_measured_zero_an_absent_and_an_unreported_measurement_are_three_things() -> None:
    measured, absent, unreported = Quantity.of([0]), Quantity.of([]), Quantity.of([None])
    assert [q.knowledge for q in (measured, absent, unreported)] == ["measured", "absent", "unreported"]
    assert [q.value for q in (measured, absent, unreported)] == [0, None, None]
    assert [str(q) for q in (measured, absent, unreported)] == ["0", "absent", "unreported"]


def test_a_sum_with_an_unknown_part_is_at_least_what_is_known() -> None:
    some = Quantity.of([3, None, 4])
    assert (some.knowledge, some.value, some.exact) == (Knowledge.AT_LEAST, 7, None)
    assert str(some) == "at least 7 (1 of 3 parts did not report)"


def test_absent_and_unreported_cells_leave_the_denominator_and_a_measured_zero_stays() -> None:
    found = mean_of([Quantity.of([0]), Quantity.of([6]), Quantity.of([]), Quantity.of([None]), Quantity.of([1, None])])
    assert (found.value, found.measured, found.absent, found.unreported, found.partial) == (3.0, 2, 1, 1, 1)
    assert mean_of([Quantity.of([])]).value is None


@given(st.lists(st.none() | st.floats(0, 1e6) | st.integers(0, 10**9), max_size=5), st.randoms())
@settings(deadline=None, database=None)
def test_the_order_of_parts_changes_no_sum(parts: list[float | None], random: Any) -> None:
    shuffled = list(parts)
    random.shuffle(shuffled)
    assert Quantity.of(shuffled) == Quantity.of(parts)
    assert (Quantity.of(parts).value is None) == all(part is None for part in parts)


# --- the ledger


def test_cached_and_reasoning_tokens_are_parts_and_never_added() -> None:
    found = costs_of(call("c", input=1000, output=100, cached=600, reasoning=80, model="big"))
    assert (found.input.value, found.output.value, found.cached.value, found.reasoning.value) == (1000, 100, 600, 80)
    assert found.computed.exact == pytest.approx((400 * 2.0 + 600 * 0.5 + 100 * 10.0) / 1e6)


@pytest.mark.parametrize(
    ("usage", "model", "computed"),
    [
        ({"input": 1000, "output": 100}, "flat", 0.0014),
        ({"input": 1000, "output": 100, "cached": 900}, "flat", 0.0014),
        ({"input": 1000, "output": 100}, "big", None),  # the discounted part is not reported
        ({"input": 1000, "output": 100, "cached": 1001}, "big", None),  # no part of the input
        ({"input": 1000}, "flat", None),
        ({"output": 100}, "flat", None),
        ({"input": 1000, "output": 100}, "unheard of", None),
    ],
)
def test_money_is_computed_where_the_record_allows_it(
    usage: dict[str, Any], model: str, computed: float | None
) -> None:
    found = costs_of(call("c", Actor.MEMORY, model=model, **usage)).computed
    assert found.exact == (None if computed is None else pytest.approx(computed))
    assert found.knowledge is (Knowledge.UNREPORTED if computed is None else Knowledge.MEASURED)


def test_reported_money_stays_apart_from_computed_money() -> None:
    found = costs_of(call("a", input=10, output=1, model="flat", cost=0.5), call("b", input=10, output=1, model="flat"))
    assert (found.reported.knowledge, found.reported.value) == (Knowledge.AT_LEAST, 0.5)
    assert found.computed.exact == pytest.approx(2 * 14 / 1e6)


def test_an_embedding_has_no_part_in_output_and_an_unreported_counter_of_a_model_is_unknown() -> None:
    embedding = call("e", Actor.EMBEDDING, input=10, model="big")
    found = costs_of(embedding)
    assert (found.output.knowledge, found.reasoning.knowledge) == (Knowledge.ABSENT, Knowledge.ABSENT)
    assert found.computed.exact == pytest.approx(20 / 1e6)
    both = costs_of(embedding, call("m", input=1, output=2))
    assert (both.output.exact, both.reasoning.knowledge) == (2, Knowledge.UNREPORTED)


def test_a_failed_call_was_made_and_its_unreported_usage_stays_unknown() -> None:
    found = costs_of(call("a", input=5, output=1), call("b", completed=False))
    assert (found.calls, found.failed, found.input.knowledge, found.input.value) == (2, 1, Knowledge.AT_LEAST, 5)


def test_operations_assign_calls_to_search_or_generation_and_a_shared_search_counts_once() -> None:
    entry = Entry("A", "v")
    deliveries = tuple(Delivery(f"d{n}", (entry,), (), None, operations=("s",)) for n in range(3))
    episode = Episode(
        "E",
        (Step(1, call("agent", Actor.AGENT, input=100)),),
        deliveries,
        {},
        operations=(
            search("A", id="s", calls=("embed",)),
            search("A", id="again", calls=("embed",)),
            change(CREATE, "A", calls=("write", "embed")),
        ),
        memory_calls=(call("embed", Actor.EMBEDDING, input=7), call("write", input=30), call("stray", input=1)),
        failed_calls=(call("timeout", Actor.AGENT, completed=False),),
    )
    book = ledger([episode])
    assert book.searches == 2
    by_purpose = {purpose: book.costs(purpose=purpose) for purpose in Purpose}
    assert [(p.value, c.calls, c.input.value) for p, c in by_purpose.items()] == [
        ("agent", 2, 100),
        ("search", 1, 7),
        ("generation", 1, 30),
        ("unassigned", 1, 1),
    ]
    assert book.costs(actor=Actor.EMBEDDING).calls == 1
    assert book.costs(actor=Actor.AGENT).failed == 1
    assert book.costs().input.value == 138


def test_calls_of_one_name_in_two_episodes_are_two_calls() -> None:
    episodes = [Episode(name, (), (), {}, memory_calls=(call("call-1", input=1),)) for name in "ab"]
    book = ledger(episodes)
    assert (book.costs().calls, book.costs(episode="a").calls, book.episodes) == (2, 1, ("a", "b"))


def test_no_writer_call_is_a_measured_zero_with_nothing_to_measure_under_it() -> None:
    found = ledger([Episode("E", (), (), {})]).costs(purpose=Purpose.GENERATION)
    assert (found.calls, found.failed, found.input.knowledge) == (0, 0, Knowledge.ABSENT)


@pytest.mark.parametrize("price", [-1.0, float("nan"), float("inf")])
def test_rates_that_are_no_prices_are_refused(price: float) -> None:
    with pytest.raises(MemuseError, match="rates must be finite and not negative"):
        Rates(1.0, price)


drawn_calls = st.lists(
    st.builds(
        lambda actor, usage, model, cost, completed: Call(
            "", actor, usage=usage, model=model, cost=cost, completed=completed
        ),
        st.sampled_from([Actor.MEMORY, Actor.EMBEDDING]),
        st.builds(Usage, *[st.none() | st.integers(0, 500)] * 4),
        st.sampled_from(["big", "flat", "other"]),
        st.none() | st.floats(0, 1),
        st.booleans(),
    ),
    max_size=6,
)


@given(drawn_calls)
@settings(deadline=None, database=None)
def test_actors_and_episodes_share_out_the_ledger(calls: list[Call]) -> None:
    named = [replace(each, id=f"call-{number}") for number, each in enumerate(calls)]
    episodes = [Episode(f"E{n}", (), (), {}, memory_calls=tuple(named[n::2])) for n in range(2)]
    book, backwards = ledger(episodes, RATES), ledger(episodes[::-1], RATES)
    assert book.costs() == backwards.costs()
    for name in ("input", "output", "cached", "reasoning", "reported", "computed"):
        whole = getattr(book.costs(), name)
        by_actor = [getattr(book.costs(actor=actor), name) for actor in Actor]
        by_episode = [getattr(book.costs(episode=episode.id), name) for episode in episodes]
        for parts in (by_actor, by_episode):
            assert sum(part.total for part in parts) == pytest.approx(whole.total)
            assert sum(part.measured for part in parts) == whole.measured
            assert sum(part.unreported for part in parts) == whole.unreported


# --- the seven families


def test_the_seven_families_hold_what_a_recording_states() -> None:
    episodes = [
        told(
            0,
            change(CREATE, "A", "x" * 40, calls=("w1",)),
            change(CREATE, "B", "y" * 80, id="create-B", calls=("w2",)),
            change(DELETE, "B"),
            memory_calls=(call("w1", input=100, output=10), call("w2", completed=False)),
        ),
        told(
            1,
            search("A", "C", calls=("e",)),
            spans=(span(("A", "x" * 40, HELPED), operations=("search",)), span(("K", "k" * 8, IDLE), name="S2")),
            memory_calls=(call("e", Actor.EMBEDDING, input=5), call("stray", input=9)),
            steps=(Step(1, call("agent", Actor.AGENT, input=50, output=20, reasoning=15)),),
        ),
    ]
    found = cost_families(episodes, latencies={("E1", "agent"): 1.5})
    assert (found.storage.items, found.storage.tokens.exact) == (2, 10 + 2)
    assert (found.retrieval.searches, found.retrieval.tokens.value) == (1, 10)
    assert found.retrieval.tokens.knowledge is Knowledge.AT_LEAST
    assert found.retrieval.latency.knowledge is Knowledge.UNREPORTED
    assert (found.exposure.deliveries, found.exposure.tokens.exact) == (2, 12)
    assert (found.generation.latency.exact, found.generation.calls.reasoning.exact) == (1.5, 15)
    assert (found.extraction.calls, found.extraction.failed, found.extraction.input.value) == (2, 1, 100)
    assert (found.unassigned.calls, found.unassigned.input.exact) == (1, 9)
    assert (found.api_and_compute.calls, found.api_and_compute.reported.knowledge) == (5, Knowledge.UNREPORTED)
    assert (found.selectivity.part, found.selectivity.whole) == (1, 2)


def test_memory_that_no_model_writes_has_a_measured_zero_of_writer_calls() -> None:
    found = cost_families([told(0, change(CREATE, "A", "x" * 8))])
    assert (found.extraction.calls, found.extraction.input.knowledge) == (0, Knowledge.ABSENT)
    assert (found.retrieval.searches, found.retrieval.tokens.knowledge) == (0, Knowledge.ABSENT)
    assert (found.exposure.tokens.knowledge, found.selectivity.value) == (Knowledge.ABSENT, None)


def test_redacted_text_makes_exposure_a_lower_bound() -> None:
    found = cost_families([told(0, spans=(span(("A", "x" * 8, IDLE), redacted=True),))])
    assert (found.exposure.tokens.knowledge, found.exposure.tokens.value) == (Knowledge.AT_LEAST, 2)
