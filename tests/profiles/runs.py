"""Small runs for the tests of this room, and a strategy for any run."""

from typing import Any

from hypothesis import strategies as st

from pytest_memuse.judging.answers import Accuracy, Effect, Influence, Novelty, Signal
from pytest_memuse.profiles import EntryRow, EpisodeRow, RowOutcome, Run, SpanRow, Triage, Usage

ALL = tuple(sorted(signal.value for signal in Signal))


def entry(item: str = "A", influence: str | None = "none", effect: str | None = None, **more: Any) -> EntryRow:
    """Return a relevant, novel, uncontradicted entry, unless said otherwise."""
    fields: dict[str, Any] = {"relevance": True, "accuracy": "uncontradicted", "novelty": "novel"}
    return EntryRow(item, influence=influence, effect=effect, **(fields | more))


def used(item: str = "A", **more: Any) -> EntryRow:
    return entry(item, "acted_on", "improved", usage=Usage.USED, **more)


def misused(item: str = "A", **more: Any) -> EntryRow:
    return entry(item, "acted_on", "harmed", usage=Usage.MISUSED, **more)


def judged(*entries: EntryRow, characters: int = 400, determines: tuple[str, ...] = ALL, **more: Any) -> SpanRow:
    fields: dict[str, Any] = {"id": "S1", "triage": Triage.NEUTRAL, "first": 1, "last": 1}
    return SpanRow(
        outcome=RowOutcome.JUDGED,
        characters=characters,
        entries=entries,
        determines=determines,
        **(fields | more),
    )


def run_of(*episodes: tuple[SpanRow, ...], arcs: int | None = None, **more: Any) -> Run:
    """Return a run with these episodes' spans, spread evenly over so many arcs (one each unless said)."""
    arcs = arcs or max(1, len(episodes))
    rows = (
        EpisodeRow(id=f"E{n}", arc=f"arc-{n % arcs}", task=f"task-{n}", spans=spans, **more)
        for n, spans in enumerate(episodes)
    )
    return Run("suite", tuple(rows))


def _word(*words: str) -> st.SearchStrategy[str | None]:
    return st.sampled_from([None, *(str(word) for word in words)])


entries = st.builds(
    EntryRow,
    item=st.sampled_from(["A", "B", "C"]),
    namespace=st.sampled_from(["", "n"]),
    ordinal=st.none() | st.integers(0, 9),
    text=st.text(max_size=10),
    exposure=st.sampled_from(["full", "clipped", "unknown"]),
    window=st.none() | st.tuples(st.integers(1, 3), st.integers(3, 5)),
    relevance=st.sampled_from([True, False, None]),
    accuracy=_word(*Accuracy),
    novelty=_word(*Novelty),
    influence=_word(*Influence),
    effect=_word(*Effect),
    anchors=st.lists(st.integers(1, 9), max_size=2).map(tuple),
    usage=st.sampled_from([None, *Usage]),
)
spans = st.builds(
    SpanRow,
    id=st.text(max_size=3),
    outcome=st.sampled_from(RowOutcome),
    characters=st.integers(0, 5000),
    entries=st.lists(entries, max_size=3).map(tuple),
    triage=st.sampled_from([None, *Triage]),
    first=st.none() | st.integers(1, 5),
    last=st.none() | st.integers(5, 9),
    deliveries=st.integers(1, 4),
    route=st.sampled_from(["", "host_scheduled"]),
    form=st.text(max_size=3),
    redacted=st.booleans(),
    determines=st.just(ALL),
    problems=st.lists(st.text(max_size=5), max_size=2).map(tuple),
    corrected=st.integers(0, 2),
)
episodes = st.builds(
    EpisodeRow,
    id=st.text(max_size=3),
    arc=st.sampled_from(["x", "y", "z"]),
    task=st.text(max_size=3),
    task_digest=st.text(max_size=3),
    position=st.integers(0, 3),
    success=st.sampled_from([True, False, None]),
    steps=st.integers(0, 9),
    spans=st.lists(spans, max_size=3).map(tuple),
)
runs = st.builds(Run, suite=st.text(max_size=5), episodes=st.lists(episodes, max_size=5).map(tuple))
