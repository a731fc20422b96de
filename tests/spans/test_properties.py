"""What holds of every episode (MemUse 3.3)."""

from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_memuse.spans import ExposureKind, SpanOutcome, build_spans, recording_problems
from tests.cases.episodes import episode_from_case
from tests.spans.random_episodes import cases

relaxed = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, database=None, max_examples=60)


@given(cases())
@relaxed
def test_a_window_lies_inside_its_episode_and_starts_no_earlier_than_its_span(case: dict[str, Any]) -> None:
    episode = episode_from_case(case)
    for span in build_spans(episode):
        for entry in span.entries:
            if entry.window is not None:
                assert span.first is not None
                assert span.first <= entry.window.first <= entry.window.last <= episode.last_step


@given(cases())
@relaxed
def test_every_delivery_is_in_exactly_one_span(case: dict[str, Any]) -> None:
    episode = episode_from_case(case)
    spans = build_spans(episode)
    found = [delivery.id for span in spans for delivery in span.deliveries]
    assert sorted(found) == sorted(delivery.id for delivery in episode.deliveries)
    assert len({span.id for span in spans}) == len(spans)


@given(cases(min_deliveries=1), st.data())
@relaxed
def test_an_unrelated_delivery_changes_no_window_and_no_grouping(case: dict[str, Any], data: st.DataObject) -> None:
    """The bystander delivers an item of its own from a message of its own at any place in the record."""
    step = data.draw(st.integers(1, len(case["steps"])))
    place = data.draw(st.integers(0, len(case["deliveries"])))
    messages = case["messages"] | {"own": {"role": "user", "text": "bystander: nothing of the kind"}}
    steps = [dict(s, sees=[*s["sees"], "own"] if n == step else s["sees"]) for n, s in enumerate(case["steps"], 1)]
    bystander = {
        "id": "own",
        "step": step,
        "entries": [{"item": "own", "value": "nothing of the kind"}],
        "placements": [{"slot": "own", "message": "own", "text": "nothing of the kind"}],
    }
    # Empty and unread deliveries join only the one before them, so those the bystander would part are left out.
    read = [d for d in case["deliveries"] if d["step"] is not None and d["entries"]]
    place = min(place, len(read))
    without = case | {"messages": messages, "steps": steps, "deliveries": read}
    beside = without | {"deliveries": [*read[:place], bystander, *read[place:]]}

    before = {s.deliveries: [e.window for e in s.entries] for s in build_spans(episode_from_case(without))}
    after = {s.deliveries: [e.window for e in s.entries] for s in build_spans(episode_from_case(beside))}
    assert {d: w for d, w in after.items() if d[0].id != "own"} == before


@given(cases())
@relaxed
def test_one_failed_check_makes_every_nonempty_attributed_span_an_error(case: dict[str, Any]) -> None:
    episode = episode_from_case(case)
    failed = bool(recording_problems(episode))
    for span in build_spans(episode):
        assert (span.outcome is SpanOutcome.ERROR) == bool(failed and span.entries and span.first is not None)
        assert (span.outcome is SpanOutcome.EMPTY) == (not span.entries)


@given(cases())
@relaxed
def test_restatements_repeat_entries_and_exposure_and_come_later(case: dict[str, Any]) -> None:
    episode = episode_from_case(case)
    for span in build_spans(episode):
        steps = [episode.step_of_call(delivery.call) for delivery in span.deliveries]
        assert (span.first, span.last) == (steps[0], steps[-1])
        assert len({step is None for step in steps}) == 1
        assert [len(d.entries) for d in span.deliveries] == [len(span.entries)] * len(span.deliveries)
        if len(span.deliveries) > 1 and span.first is not None:
            assert all(entry.exposure.kind is not ExposureKind.UNKNOWN for entry in span.entries)


@given(cases(min_deliveries=1))
@relaxed
def test_windows_of_one_item_whose_text_contains_the_other_overlap_in_a_shared_step_at_most(
    case: dict[str, Any],
) -> None:
    episode = episode_from_case(case)
    spans = [span for span in build_spans(episode) if span.first is not None]
    for index, earlier in enumerate(spans):
        for later in spans[index + 1 :]:
            for one in earlier.entries:
                for other in later.entries:
                    if one.entry.identity is None or one.entry.identity != other.entry.identity:
                        continue
                    if one.window is None or other.window is None or later.first is None:
                        continue
                    verified = one.exposure.text is not None and other.exposure.text is not None
                    if not verified or (one.exposure.text or "") in (other.exposure.text or ""):
                        assert one.window.last <= later.first


@given(cases(min_deliveries=1))
@relaxed
def test_the_same_episode_has_the_same_spans_whatever_its_messages_mapping_holds_besides(case: dict[str, Any]) -> None:
    episode = episode_from_case(case)
    used = {digest for step in episode.steps for digest in step.call.input}
    trimmed = replace(episode, messages={digest: episode.messages[digest] for digest in used})
    assert build_spans(trimmed) == build_spans(episode)
