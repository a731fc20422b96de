"""An episode with its spans and its row: what item histories, leakage and cost families are read from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.model.errors import printable
from pytest_memuse.profiles.rows import EntryRow, EpisodeRow, SpanRow
from pytest_memuse.spans.building import build_spans
from pytest_memuse.spans.types import Span, SpanEntry


@dataclass(frozen=True, slots=True)
class JudgedEpisode:
    """An episode, the spans that it was judged by, and the row with their verdicts. Make it with `of`."""

    episode: Episode
    spans: tuple[Span, ...]
    row: EpisodeRow

    @classmethod
    def of(cls, episode: Episode, row: EpisodeRow, spans: Sequence[Span] | None = None) -> "JudgedEpisode":
        """Return an episode with its row; ``spans`` are built where they are not given.

        Raises `MemuseError` where the row is of another episode or of other spans.
        """
        found = tuple(build_spans(episode) if spans is None else spans)
        same = episode.id == row.id and [(s.id, len(s.entries)) for s in found] == [
            (s.id, len(s.entries)) for s in row.spans
        ]
        if not same:
            raise MemuseError(
                f"the row of {printable(row.id)!r} is not that of the episode {printable(episode.id)!r} and its spans",
                reason="another_row",
                mend="make rows and spans from the same episode",
            )
        return cls(episode, found, row)

    @property
    def task(self) -> str:
        return self.episode.task.id if self.episode.task is not None else ""

    @property
    def pairs(self) -> Iterator[tuple[Span, SpanRow, tuple[tuple[SpanEntry, EntryRow], ...]]]:
        """Each span with its row, and its entries with theirs."""
        for span, row in zip(self.spans, self.row.spans, strict=True):
            yield span, row, tuple(zip(span.entries, row.entries, strict=True))


def by_arc(episodes: Sequence[JudgedEpisode]) -> dict[str, list[JudgedEpisode]]:
    """Return the episodes of each arc by position; an episode without an arc is one of its own."""
    arcs: dict[str, list[JudgedEpisode]] = {}
    for judged in episodes:
        arcs.setdefault(judged.row.arc, []).append(judged)
    return {arc: sorted(found, key=lambda judged: judged.episode.position) for arc, found in arcs.items()}
