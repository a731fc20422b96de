"""What a stale recording tells of the rest of its arc: which deliveries would be other ones, as far as can be seen."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from pytest_memuse.episodes.drift import Drift, Preview
from pytest_memuse.episodes.replaying import replay_arc
from pytest_memuse.episodes.running import record_arc
from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.recording.recording import Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.rendered import Change, Rendered, RenderedEntry
from pytest_memuse.reports.drift import describe_drifts
from tests.episodes.small_world import ARC, DEAD, NoteMemory, live_runner


@pytest.fixture(scope="module")
def recording() -> Recording:
    with live_runner() as runner:
        return record_arc("shop", ARC, runner)


def _drift(recording: Recording, memory: type[NoteMemory] = NoteMemory, arc: ArcSpec = ARC, **settings: Any) -> Drift:
    return replay_arc(arc, recording, lambda folder: memory(DEAD, **settings), Redaction(), preview=True)


def _preview(recording: Recording, memory: type[NoteMemory] = NoteMemory, **settings: Any) -> Preview:
    preview = _drift(recording, memory, **settings).preview
    assert preview is not None
    return preview


def test_what_replays_the_same_has_no_preview(recording: Recording) -> None:
    assert _drift(recording).preview is None


def test_an_outage_takes_every_delivery_out_to_the_arcs_end(recording: Recording) -> None:
    preview = _preview(recording, forgets=True)
    told = [(c.episode, c.step, [(d.how, d.item) for d in c.differences]) for c in preview.changes]
    assert told == [
        ("update", 1, [("out", "item 1")]),
        ("update", 2, [("out", "item 1")]),
        ("probe", 1, [("out", "item 1")]),
    ]
    recalled, found = len("Notes:\n- port is 8081\n"), len("[n-1] port is 8081\n")
    assert preview.tokens_before == 2 * (recalled // 4) + found // 4
    assert preview.tokens_now == len("no notes") // 4
    assert (preview.deliveries, preview.left_out) == (3, 0)


def test_a_refused_update_shows_where_the_stale_entry_would_be_delivered(recording: Recording) -> None:
    (change,) = _preview(recording, refuses_update=True).changes
    assert [(d.how, d.item, d.before, d.now) for d in change.differences] == [
        ("changed", "item 1", "port is 9091", "port is 8081")
    ]
    assert (change.episode, change.step, change.incoming, change.visible) == ("probe", 1, len("port is 8081") // 4, 0)


def test_text_that_comes_in_and_stood_in_the_input_anyway_is_told_apart(recording: Recording) -> None:
    class Repeats(NoteMemory):
        def recall(self, query: str, *, scope: str) -> Rendered:
            given = super().recall(query, scope=scope)
            start = len(given.text)
            entry = RenderedEntry("extra", "You are an agent.", start, start + 17)
            return replace(given, text=given.text + entry.value, entries=(*given.entries, entry))

    for change in _preview(recording, Repeats).changes:
        assert [(d.how, d.now) for d in change.differences] == [("in", "You are an agent.")]
        assert change.visible == change.incoming == 17 // 4


def test_text_that_only_the_delivery_itself_held_was_not_visible_anyway(recording: Recording) -> None:
    class Renumbers(NoteMemory):
        """Stores every note a second time, so that what was delivered comes in again under another name."""

        def extract(self, messages: Sequence[Mapping[str, str]], *, scope: str) -> Sequence[Change]:
            return [c for _ in range(2) for c in super(Renumbers, self).extract(messages, scope=scope)]

    first = _preview(recording, Renumbers).changes[0]
    assert [(d.how, d.item) for d in first.differences] == [("in", "new item 1")]
    assert (first.incoming, first.visible) == (len("port is 8081") // 4, 0)


def test_an_operation_that_cannot_be_followed_is_left_out_with_what_it_wrote(recording: Recording) -> None:
    class Asks(NoteMemory):
        """Extracts with another prompt than was recorded, so that nothing answers it."""

        def extract(self, messages: Sequence[Mapping[str, str]], *, scope: str) -> Sequence[Change]:
            NoteMemory.recall(replace(self, asks_differently=True), "extract", scope=scope)
            return []

    drift = _drift(recording, Asks)
    assert (drift.episode, drift.operation_kind) == ("plant", "extract")
    preview = drift.preview
    assert preview is not None
    # What the first extraction wrote is not there to be delivered or updated, which says nothing of the memory system.
    assert preview.left_out == 4
    assert [d for change in preview.changes for d in change.differences] == []


def test_the_report_gives_each_arc_and_the_sum(recording: Recording) -> None:
    def acted(drift: Drift) -> Drift:
        assert drift.preview is not None
        changes = tuple(
            replace(c, differences=tuple(replace(d, acted_on=c.episode == "probe") for d in c.differences))
            for c in drift.preview.changes
        )
        return replace(drift, preview=replace(drift.preview, changes=changes))

    one = acted(_drift(recording, forgets=True))
    told = describe_drifts([one, replace(one, arc="other")])
    assert "as far as the recorded steps go, with the agent's part as it was recorded, the stale arcs come to:" in told
    before = one.preview.tokens_before if one.preview is not None else 0
    rows = [line.split("  ") for line in told.splitlines() if "gone" in line]
    cells = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert cells == [
        ["port", "3 of 3", "1 gone, 0 changed", "0", f"{before} → 2", "–"],
        ["other", "3 of 3", "1 gone, 0 changed", "0", f"{before} → 2", "–"],
        ["all 2", "6 of 6", "2 gone, 0 changed", "0", f"{2 * before} → 4", "–"],
    ]
    assert "port, episode probe, step 1, acted on: entry goes out: item 1: “port is 9091”" in told
