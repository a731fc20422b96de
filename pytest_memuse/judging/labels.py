"""Labelled cases: short episodes whose construction forces some of an entry's signals (MemUse 3.4, A.2.2).

The form is that of `case_form`, with ``labels`` besides: one row an entry, in order of spans and their entries. A row
gives the five signals, null for *undetermined*, the ``anchors``, and under ``forced`` the signals that are scored.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_memuse.judging.answers import Accuracy, Effect, Influence, Novelty, Signal
from pytest_memuse.judging.case_form import Place, case_name, episode_from_case, kind
from pytest_memuse.model import Episode, FormatError
from pytest_memuse.model.errors import nearest, printable
from pytest_memuse.spans import Span, build_spans, replay_inputs

VALUES: Mapping[Signal, type[Accuracy | Novelty | Influence | Effect]] = {
    Signal.ACCURACY: Accuracy,
    Signal.NOVELTY: Novelty,
    Signal.INFLUENCE: Influence,
    Signal.EFFECT: Effect,
}
"""The values of every signal but relevance, which is true or false."""

Value = bool | Accuracy | Novelty | Influence | Effect | None
"""A signal's value: true or false for relevance; None is undetermined."""


@dataclass(frozen=True, slots=True)
class Label:
    """One entry's labels by signal; only ``forced`` signals are scored. A value of None is *undetermined*, forced.

    ``anchors`` are the steps of actions that the entry shaped; they are scored nowhere.
    """

    values: Mapping[Signal, Value]
    forced: frozenset[Signal]
    anchors: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelledCase:
    """An episode, its spans, and the label of every entry in order of spans and entries."""

    source: str
    name: str
    episode: Episode
    spans: tuple[Span, ...]
    labels: tuple[Label, ...]

    def entries(self) -> Iterator[tuple[Span, int, Label]]:
        """Yield each entry as its span, its place in it from 0, and its label."""
        places = ((span, index) for span in self.spans for index in range(len(span.entries)))
        for (span, index), label in zip(places, self.labels, strict=True):
            yield span, index, label


def is_labelled(documents: Iterable[Any]) -> bool:
    """Return whether the documents of a file are labelled cases: at least one of them has ``labels``."""
    return any(isinstance(case, dict) and "labels" in case for case in _cases(documents))


def labelled_cases(documents: Iterable[Any], source: str) -> tuple[LabelledCase, ...]:
    """Return the cases of a file's documents, in order; a document is a case, a list of cases, or empty.

    Raises `FormatError` with source, case and field.
    """
    found: dict[str, LabelledCase] = {}
    for number, data in enumerate(_cases(documents), start=1):
        if not isinstance(data, dict):
            raise FormatError(
                f"expected a mapping, found {kind(data)}", source=f"{source}: case {number}", reason="case"
            )
        case = _case(data, source)
        if case.name in found:
            problem = f"case {number} has the name of an earlier one"
            raise Place(source, case.name).error(problem, mend="give each case a name of its own")
        found[case.name] = case
    return tuple(found.values())


def _cases(documents: Iterable[Any]) -> Iterator[Any]:
    for document in documents:
        if document is not None:
            yield from document if isinstance(document, list) else [document]


def _case(data: Mapping[str, Any], source: str) -> LabelledCase:
    place = Place(source, case_name(data))
    if "labels" not in data:
        raise place.error("the field 'labels' is missing", mend="a labelled case has a row for every entry")
    episode = replay_inputs(episode_from_case(data, source))
    spans = build_spans(episode)
    where = place / "labels"
    rows = tuple(
        _label(row, where / index, len(episode.steps)) for index, row in enumerate(where.listed(data["labels"]))
    )
    names = [f"{span.id}: {printable(one.entry.value or '?', 40)}" for span in spans for one in span.entries]
    if len(names) != len(rows):
        problem = f"the spans of the case hold {len(names)} entries in all, and the rows are {len(rows)}"
        raise where.error(problem, mend=f"write a row for each, in this order: {'; '.join(names) or 'none'}")
    return LabelledCase(source, place.case, episode, spans, rows)


def _label(row: Any, place: Place, steps: int) -> Label:
    names = tuple(signal.value for signal in Signal)
    data = place.mapping(row, ("forced",), (*names, "anchors"))
    where = place / "forced"
    forced = frozenset(Signal(where.choice(name, names)) for name in where.listed(data["forced"]))
    for signal in sorted(forced):
        if signal.value not in data:
            raise where.error(f"{signal.value!r} is forced and has no value", mend="write null for undetermined")
    values = {signal: _value(signal, data.get(signal.value), place / signal.value) for signal in Signal}
    where = place / "anchors"
    anchors = tuple(where.step(step, steps) for step in where.listed(data.get("anchors")))
    return Label(values, forced, anchors)


def _value(signal: Signal, given: Any, place: Place) -> Value:
    if given is None:
        return None
    if signal is Signal.RELEVANCE:
        if not isinstance(given, bool):
            raise place.error(f"relevance is true or false, not {given!r}")
        return given
    known = tuple(each.value for each in VALUES[signal])
    if given not in known:
        problem = f"{given!r} is none of {', '.join(known)}{nearest(str(given), known)}"
        raise place.error(problem, mend="null stands for undetermined")
    return VALUES[signal](given)
