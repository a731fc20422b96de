"""Whether the agent had acted on what a changed memory system would no longer deliver, from the judged recording."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_memuse.episodes.drift import Drift, EntryDifference
from pytest_memuse.profiles.rows import EpisodeRow, RowOutcome


def with_use(drift: Drift, rows: Sequence[EpisodeRow]) -> Drift:
    """Say of each difference, the preview's included, whether the agent had acted on the recorded entry."""
    acted = {row.task: _acted_on(row) for row in rows}

    def told(episode: str, differences: Sequence[EntryDifference]) -> tuple[EntryDifference, ...]:
        known = acted.get(episode, {})
        return tuple(replace(d, acted_on=known.get(d.item)) for d in differences)

    preview = drift.preview
    if preview is not None:
        changes = tuple(replace(c, differences=told(c.episode, c.differences)) for c in preview.changes)
        preview = replace(preview, changes=changes)
    return replace(drift, differences=told(drift.episode, drift.differences), preview=preview)


def _acted_on(row: EpisodeRow) -> Mapping[str, bool]:
    """Return for each entry that the episode delivered, by its order of creation, whether it was acted on."""
    found: dict[str, bool] = {}
    for span in row.spans:
        for entry in span.entries:
            # In a span of copies there is nothing to act on that an earlier span does not hold.
            judged = entry.influence is not None or span.outcome is RowOutcome.NEUTRAL
            if entry.ordinal is not None and judged:
                name = f"item {entry.ordinal + 1}"
                found[name] = found.get(name, False) or entry.influence == "acted_on"
    return found
