"""The judge that is a person: labels of a file, given for evidence that must not have changed since (MemUse 3.4)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pytest_memuse.judging.annotation_file import AnnotationFile, EntryLabels, SpanLabels, read_annotations
from pytest_memuse.judging.answers import Assessment, Influence, JudgeIdentity, Judgment, Signal
from pytest_memuse.judging.evidence import EpisodeCase, EvidencePackage
from pytest_memuse.model import Episode, FormatError
from pytest_memuse.model.errors import nearest, printable
from pytest_memuse.spans import Span
from pytest_memuse.storage.yaml_lines import written

VERSION = "1"
"""Version of the rules by which labels become signals."""

_NEEDS_WINDOW = (Influence.ACTED_ON, Influence.SELECTED, Influence.REFERENCED)


class EpisodeCases:
    """The evidence of the episode that was asked for last, so that its spans share it.

    Nothing depends on it; a copy in another process starts empty.
    """

    def __init__(self) -> None:
        self._last: tuple[Episode, Sequence[Span], EpisodeCase] | None = None

    def package(self, episode: Episode, spans: Sequence[Span], span: Span) -> EvidencePackage:
        """Return the evidence of a span."""
        last = self._last
        if last is None or last[0] is not episode or last[1] is not spans:
            last = self._last = (episode, spans, EpisodeCase(episode, spans))
        return last[2].package(span)

    def __reduce__(self) -> tuple[type["EpisodeCases"], tuple[()]]:
        return (EpisodeCases, ())


@dataclass(frozen=True)
class Annotations:
    """Determines the signals that a person labelled, span by span: those that every entry of a span has a label of.

    The effect of an entry that was not acted on needs none. A span without any label is left unjudged. Labels that were
    given for other evidence than there is now are refused with a `FormatError`, and so are anchors outside the credit
    window.
    """

    file: AnnotationFile
    _cases: EpisodeCases = field(default_factory=EpisodeCases, init=False, repr=False, compare=False)

    @classmethod
    def from_text(cls, text: str, source: str) -> "Annotations":
        """Return the judge of a file's text. Raises `FormatError` with file, line and field."""
        return cls(read_annotations(text, source))

    @cached_property
    def identity(self) -> JudgeIdentity:
        """Kind *annotations*; the digest of the labels is among its settings."""
        return JudgeIdentity("annotations", VERSION, settings={"labels": self.file.digest})

    def judge(self, episode: Episode, spans: tuple[Span, ...], span: Span) -> Judgment:
        """Return the judgment of one eligible span; one that determines nothing where the span has no label."""
        given = self._by_span.get((written(episode.id), written(span.id)), ())
        found = None
        if given:
            package = self._cases.package(episode, spans, span)
            found = next((labels for labels in given if labels.evidence == package.digest), None)
            if found is None:
                raise self._stale(given[-1], package.digest)
        rows = self._rows(found, span) if found is not None else {}
        entries = [rows.get(f"e{number}", EntryLabels("")) for number in range(1, len(span.entries) + 1)]
        determines = frozenset(signal for signal in Signal if all(_settles(entry, signal) for entry in entries))
        return Judgment(span.id, tuple(_assessment(entry, determines) for entry in entries), determines)

    @cached_property
    def _by_span(self) -> dict[tuple[str, str], list[SpanLabels]]:
        found: dict[tuple[str, str], list[SpanLabels]] = {}
        for labels in self.file.spans:
            if labels.labelled:
                found.setdefault((labels.episode, labels.span), []).append(labels)
        return found

    def _rows(self, labels: SpanLabels, span: Span) -> dict[str, EntryLabels]:
        names = [f"e{number}" for number in range(1, len(span.entries) + 1)]
        for row in labels.entries:
            if row.name not in names:
                problem = f"there is no entry {row.name!r}{nearest(row.name, names)}"
                raise self._error(row.line, "entry", problem, f"the span has {names[0]} to {names[-1]}")
            window = span.entries[names.index(row.name)].window
            influence = row.values.get(Signal.INFLUENCE)
            if window is None and influence in _NEEDS_WINDOW:
                problem = "its credit window is empty: no action can be its own"
                raise self._error(row.line, "influence", problem, "label its influence none or undetermined")
            outside = [step for step in row.anchors if window is None or step not in window]
            if outside and window is not None:
                problem = f"step {outside[0]} is outside its credit window, steps {window.first} to {window.last}"
                raise self._error(row.line, "anchors", problem, "name steps within the window")
        return {row.name: row for row in labels.entries}

    def _stale(self, labels: SpanLabels, now: str) -> FormatError:
        where = f"span {printable(labels.span)!r} of episode {printable(labels.episode)!r}"
        return FormatError(
            f"the labels of {where} were given for other evidence than there is now (digest "
            f"{printable(labels.evidence, 12)} then, {now[:12]} now)",
            source=self.file.source,
            line=labels.line,
            reason="stale-labels",
            mend="look at it again: `memuse annotate LOG -o FILE` adds it to the file with the evidence of now",
        )

    def _error(self, line: int, name: str, problem: str, mend: str) -> FormatError:
        return FormatError(problem, source=self.file.source, line=line, field=name, reason="annotation", mend=mend)


def _settles(entry: EntryLabels, signal: Signal) -> bool:
    if signal is Signal.EFFECT:
        return entry.settles_effect
    return signal in entry.values


def _assessment(entry: EntryLabels, determines: frozenset[Signal]) -> Assessment:
    given: dict[str, Any] = {
        signal.value: entry.values.get(signal) if signal in determines else None for signal in Signal
    }
    anchors = entry.anchors if Signal.INFLUENCE in determines else ()
    notes = {signal: entry.note for signal in sorted(determines) if entry.note}
    return Assessment(**given, anchors=anchors, notes=notes)
