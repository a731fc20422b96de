"""What a refresh came to: which episodes were kept, each other one before and after, and what must follow."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_memuse.model.errors import inert, printable
from pytest_memuse.profiles.rows import EpisodeRow
from pytest_memuse.reports.numbers import counted
from pytest_memuse.reports.table import table

_SHOWN = 60
"""Episodes shown of a suite."""


@dataclass(frozen=True, slots=True)
class RefreshedArc:
    """A recording that was stale: its episodes before and now, and the names of those that were ``kept``.

    ``attempt`` counts the recordings of the arc, this one included. ``because`` tells the first divergence; ``whole``
    says why the whole arc was recorded although some of it might have been kept.
    """

    arc: str
    path: Path
    attempt: int
    kept: tuple[str, ...]
    because: str
    whole: str
    before: tuple[EpisodeRow, ...]
    now: tuple[EpisodeRow, ...]


def refresh_lines(
    suite: str, refreshed: Sequence[RefreshedArc], arcs: int, *, baselines: Sequence[tuple[str, Path]], root: Path
) -> list[str]:
    """Return the report of a suite's refresh; none where nothing was stale.

    ``baselines`` are names and files of the stored baselines that rest on the old recordings; paths are shown from
    ``root``.
    """
    if not refreshed:
        return []
    anew = sum(len(arc.now) - len(arc.kept) for arc in refreshed)
    kept = sum(len(arc.kept) for arc in refreshed)
    lines = [
        "",
        f"refreshed {len(refreshed)} of {counted(arcs, 'recording')} of suite {printable(suite)}: "
        f"{counted(anew, 'episode')} recorded anew, {kept} of the same arcs kept",
    ]
    for arc in refreshed:
        lines.append(f"  {printable(arc.because, 200)}")
        names = ", ".join(printable(name, 40) for name in arc.kept)
        told = f"kept: {names}" if names else "nothing could be kept"
        lines.append(f"    {told}; attempt {arc.attempt}")
        if arc.whole:
            lines.append(f"    the whole arc was recorded: {printable(arc.whole, 300)}")
    rows = [row for arc in refreshed for row in _rows(arc)]
    head = ["episode", "entries", "delivered tokens", "steps", "solved"]
    lines += ["", *(f"  {line}" for line in table(head, rows[:_SHOWN]))]
    if len(rows) > _SHOWN:
        lines.append(f"  and {len(rows) - _SHOWN} more")
    return [*lines, "", *_following(refreshed, baselines, root)]


def _rows(arc: RefreshedArc) -> list[list[str]]:
    """Return the rows of the episodes that ran anew, and of those that are gone, then → now."""
    then = {row.task: row for row in arc.before}
    now = {row.task: row for row in arc.now}
    return [
        [f"{arc.arc}/{task}", *_figures(then.get(task), now.get(task))]
        for task in dict.fromkeys((*now, *then))
        if task not in arc.kept
    ]


def _figures(then: EpisodeRow | None, now: EpisodeRow | None) -> list[str]:
    pairs = zip(_of(then), _of(now), strict=True)
    return [old if old == new else f"{old} → {new}" for old, new in pairs]


def _of(row: EpisodeRow | None) -> list[str]:
    if row is None:
        return ["–", "–", "–", "–"]
    entries, tokens = sum(len(s.entries) for s in row.spans), sum(s.tokens for s in row.spans)
    solved = {True: "yes", False: "no", None: "unknown"}[row.success]
    return [f"{entries:,}", f"{tokens:,}", f"{row.steps:,}", solved]


def _following(refreshed: Sequence[RefreshedArc], baselines: Sequence[tuple[str, Path]], root: Path) -> list[str]:
    files = [_shown(arc.path, root) for arc in refreshed]
    lines = []
    for name, path in baselines:
        lines.append(
            f"next: the baseline {printable(name)} rests on the old recordings: compare with "
            f"`pytest --memuse-baseline={_typed(name)}`, and once reviewed store it with "
            f"`pytest --memuse-update={_typed(name)}`"
        )
        files.append(_shown(path, root))
    again = max(arc.attempt for arc in refreshed)
    if again > 2:
        lines.append(
            f"note: attempt {again}: a model answers otherwise each time, and recording until a gate passes proves "
            "nothing; the attempts are stored and shown in the baseline"
        )
    return [*lines, f"then: git add {' '.join(files)}"]


def _shown(path: Path, root: Path) -> str:
    return _typed(str(path.relative_to(root) if path.is_relative_to(root) else path))


def _typed(name: str) -> str:
    """Return a name as it is typed into a shell."""
    return shlex.quote(inert(name))
