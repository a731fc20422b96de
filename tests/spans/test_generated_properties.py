"""What holds of every episode (MemUse 3.3), on episodes that go on as real ones do."""

import random
from collections import defaultdict
from dataclasses import replace

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_memuse.model import (
    Actor,
    Call,
    Delivery,
    Entry,
    Episode,
    HistoryChange,
    HistoryKind,
    Message,
    Placement,
    Proof,
    Step,
)
from pytest_memuse.model.digests import text_digest
from pytest_memuse.model.log import EventLog, read_log, write_log
from pytest_memuse.spans import Span, SpanOutcome, Window, build_spans
from tests.spans.generator import random_episode

seeds = st.integers(0, 2**32)
quick = settings(max_examples=60)


def shape(spans: tuple[Span, ...]) -> list[tuple[list[str], list[Window | None], SpanOutcome]]:
    return [([d.id for d in span.deliveries], [e.window for e in span.entries], span.outcome) for span in spans]


def only_requests(seed: int) -> Episode:
    """An episode that is told by its exact requests alone, where every delivery was read and has entries."""
    chance = random.Random(seed)
    while True:
        episode = random_episode(chance)
        bound = {step.call.id for step in episode.steps}
        read = tuple(d for d in episode.deliveries if d.entries and d.call in bound)
        if read and not episode.history:
            return replace(episode, deliveries=read)


@given(seeds)
@quick
def test_windows_lie_between_their_span_and_the_end_and_deliveries_are_in_one_span_each(seed: int) -> None:
    episode = random_episode(random.Random(seed))
    spans = build_spans(episode)
    found = [delivery.id for span in spans for delivery in span.deliveries]
    assert sorted(found) == sorted(delivery.id for delivery in episode.deliveries)
    for span in spans:
        for entry in span.entries:
            if entry.window is not None:
                assert span.first is not None
                assert span.first <= entry.window.first <= entry.window.last <= episode.last_step
                assert [n in entry.window for n in (entry.window.first - 1, entry.window.last)] == [False, True]


@given(seeds, st.data())
@quick
def test_an_unrelated_delivery_changes_no_window(seed: int, data: st.DataObject) -> None:
    episode = only_requests(seed)
    number = data.draw(st.integers(1, len(episode.steps)))
    place = data.draw(st.integers(0, len(episode.deliveries)))
    own = Message("user", "bystander: nothing of the kind")
    step = episode.steps[number - 1]
    # Where the recording lost a part of this input, a delivery that is read from it makes the whole episode an error.
    assume(all(digest in episode.messages for digest in step.call.input))
    step = replace(step, call=replace(step.call, input=(*step.call.input, own.digest)))
    beside = replace(
        episode,
        messages={**episode.messages, own.digest: own},
        steps=tuple(step if s.number == number else s for s in episode.steps),
    )
    proof = Proof("own", text_digest(own.text), message=own.digest)
    placed = Placement("own", "nothing of the kind", proofs=(proof,))
    bystander = Delivery("own", (Entry("own", "nothing of the kind"),), (placed,), step.call.id)
    more = (*episode.deliveries[:place], bystander, *episode.deliveries[place:])

    after = build_spans(replace(beside, deliveries=more))
    assert [s for s in shape(after) if s[0] != ["own"]] == shape(build_spans(beside))


@given(seeds)
@quick
def test_a_step_that_reads_nothing_new_extends_the_windows_that_were_open_and_no_other(seed: int) -> None:
    episode = only_requests(seed)
    end, call = episode.last_step, episode.steps[-1].call
    longer = replace(episode, steps=(*episode.steps, Step(end + 1, Call("call-more", Actor.AGENT, call.input))))
    for before, after in zip(build_spans(episode), build_spans(longer), strict=True):
        assert [d.id for d in before.deliveries] == [d.id for d in after.deliveries]
        for old, new in zip(before.entries, after.entries, strict=True):
            if old.window is None:
                assert new.window in (None, Window(end + 1, end + 1))
            else:
                assert new.window is not None
                assert new.window.first == old.window.first
                assert new.window.last == old.window.last or (old.window.last, new.window.last) == (end, end + 1)


@given(seeds, st.randoms(use_true_random=False))
@quick
def test_the_order_of_the_record_matters_within_a_step_only(seed: int, chance: random.Random) -> None:
    episode = only_requests(seed)
    by_call: dict[str | None, list[Delivery]] = defaultdict(list)
    for delivery in episode.deliveries:
        by_call[delivery.call].append(delivery)
    calls = list(by_call)
    chance.shuffle(calls)
    moved = replace(episode, deliveries=tuple(d for call in calls for d in by_call[call]))
    assert shape(build_spans(moved)) == shape(build_spans(episode))


@given(st.lists(seeds, min_size=1, max_size=4, unique=True), st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_the_order_of_the_episodes_of_a_log_and_writing_it_change_no_span(
    some: list[int], chance: random.Random
) -> None:
    """What a log cannot hold, a message that is named and is not there, is left out."""
    episodes = [replace(random_episode(random.Random(seed)), id=f"episode-{seed}") for seed in some]
    whole = [e for e in episodes if all(d in e.messages for step in e.steps for d in step.call.input)]
    expected = {episode.id: shape(build_spans(episode)) for episode in whole}
    chance.shuffle(whole)
    again = read_log(list(write_log(EventLog(tuple(whole)))), "log")
    assert {episode.id: shape(build_spans(episode)) for episode in again.episodes} == expected


@given(seeds)
@quick
def test_a_history_with_every_message_gives_the_spans_of_the_exact_requests(seed: int) -> None:
    """The inputs, told once more as one rewrite before each call."""
    episode = only_requests(seed)
    assume(all(step.call.input and not step.call.gap for step in episode.steps))
    kinds = [HistoryKind.APPEND, *[HistoryKind.REWRITE] * len(episode.steps)]
    changes = (HistoryChange(k, s.call.id, 0, (), s.call.input) for k, s in zip(kinds, episode.steps, strict=False))
    told = tuple(replace(step, call=replace(step.call, input=())) for step in episode.steps)
    assert shape(build_spans(replace(episode, steps=told, history=tuple(changes)))) == shape(build_spans(episode))
