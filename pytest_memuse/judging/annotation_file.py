"""A person's labels as a file of YAML documents: the types, and strict reading with the line of every error.

The first document says what the file is, and who labelled and when; each further one labels a span. A signal that is
left empty is not labelled; the word *undetermined* is a label.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from pytest_memuse.judging.answers import Influence, Signal
from pytest_memuse.judging.labels import VALUES, Value
from pytest_memuse.model.digests import json_digest
from pytest_memuse.model.errors import FormatError, nearest
from pytest_memuse.storage.yaml_lines import Marked, load_yaml_lines
from pytest_memuse.storage.yaml_text import YamlError

FORMAT = 1
KIND = "memuse-annotations"
"""The key that opens the file; its value is the version of the format."""

UNDETERMINED = "undetermined"
"""The label of a signal that was looked at and that the evidence leaves open."""

_HEAD = ("by", "when", "note")
_SPAN = ("episode", "span", "evidence", "by", "when", "note", "entries")
_ENTRY = ("entry", *(signal.value for signal in Signal), "anchors", "note")
_ANCHORED = (Influence.ACTED_ON, Influence.SELECTED)


@dataclass(frozen=True, slots=True)
class EntryLabels:
    """The labels of one entry. ``values`` holds the labelled signals only; None there is *undetermined*."""

    name: str
    values: Mapping[Signal, Value] = field(default_factory=dict)
    anchors: tuple[int, ...] = ()
    note: str = ""
    line: int = 0

    @property
    def settles_effect(self) -> bool:
        """Whether the entry needs no label of its effect: only an entry that was acted on can have one."""
        influence = self.values.get(Signal.INFLUENCE, Influence.ACTED_ON)
        return Signal.EFFECT in self.values or influence is not Influence.ACTED_ON


@dataclass(frozen=True, slots=True)
class SpanLabels:
    """The labels of one span, and the digest of the evidence that they were given for; entries without any may lack."""

    episode: str
    span: str
    evidence: str
    entries: tuple[EntryLabels, ...] = ()
    line: int = 0

    @property
    def labelled(self) -> bool:
        """Whether any signal of any entry is labelled."""
        return any(entry.values for entry in self.entries)


@dataclass(frozen=True, slots=True)
class AnnotationFile:
    """The labels of a file, in its order. ``source`` names the file in errors."""

    source: str
    spans: tuple[SpanLabels, ...] = ()

    @property
    def digest(self) -> str:
        """The digest of the labels: comments, order, notes and spans without a label have no part in it."""
        return json_digest(sorted(_plain(span) for span in self.spans if span.labelled))


def read_annotations(text: str, source: str) -> AnnotationFile:
    """Return the labels that a file's text holds. Raises `FormatError` with file, line and field."""
    try:
        documents = [document for document in load_yaml_lines(text) if document.value is not None]
    except YamlError as error:
        raise FormatError(
            f"not valid YAML: {error}", source=source, line=error.line, mend="mend the file at this place"
        ) from None
    if not documents:
        _refuse_kind(source, 1, "it is empty")
    _check_head(_Field(source, documents[0]))
    spans = tuple(_span(_Field(source, document)) for document in documents[1:])
    _check_unique(spans, source)
    return AnnotationFile(source, spans)


@dataclass(frozen=True, slots=True)
class _Field:
    """A value of the file, its source, and its name for errors."""

    source: str
    marked: Marked
    name: str = ""

    @property
    def line(self) -> int:
        return self.marked.line

    def refuse(self, problem: str, mend: str = "") -> NoReturn:
        raise FormatError(
            problem, source=self.source, line=self.line, field=self.name or None, reason="annotation", mend=mend
        )

    def parts(self, known: Sequence[str], required: Sequence[str] = ()) -> dict[str, "_Field"]:
        if not isinstance(self.marked.value, dict):
            self.refuse(f"expected a mapping, found {_kind(self.marked.value)}")
        found = {name: _Field(self.source, value, name) for name, value in self.marked.value.items()}
        for name, part in found.items():
            if name not in known:
                part.refuse(f"there is no field {name!r}{nearest(name, known)}", f"the fields are {', '.join(known)}")
        for name in required:
            if name not in found or found[name].marked.value is None:
                self.refuse(f"the field {name!r} is missing")
        return found

    def items(self) -> list["_Field"]:
        value = self.marked.value
        if value is None:
            return []
        if not isinstance(value, list):
            self.refuse(f"expected a list, found {_kind(value)}")
        return [_Field(self.source, each, self.name) for each in value]

    def text(self) -> str:
        value = self.marked.value
        if value is None:
            return ""
        if isinstance(value, (dict, list, bool)):
            self.refuse(f"expected a text, found {_kind(value)}", "put quotes around it")
        return str(value)


def _check_head(head: _Field) -> None:
    value = head.marked.value
    if not isinstance(value, dict) or KIND not in value:
        known = f"its first document has no {KIND!r}"
        _refuse_kind(head.source, head.line, known)
    version = head.parts((KIND, *_HEAD))[KIND]
    if version.marked.value != FORMAT:
        version.refuse(
            f"format {version.text()[:40]!r} is not known here, which reads format {FORMAT}",
            "install the version of pytest-memuse that wrote the file",
        )


def _refuse_kind(source: str, line: int, why: str) -> NoReturn:
    raise FormatError(
        f"it is no file of annotations: {why}",
        source=source,
        line=line,
        reason="annotation",
        mend="`memuse annotate LOG -o FILE` writes one",
    )


def _span(document: _Field) -> SpanLabels:
    parts = document.parts(_SPAN, ("episode", "span", "evidence"))
    entries = tuple(_entry(each) for each in parts["entries"].items()) if "entries" in parts else ()
    names: dict[str, EntryLabels] = {}
    for entry in entries:
        if entry.name in names:
            raise FormatError(
                f"{entry.name} is labelled twice, on line {names[entry.name].line} too",
                source=document.source,
                line=entry.line,
                field="entry",
                reason="annotation",
                mend="keep one of the two",
            )
        names[entry.name] = entry
    texts = (parts["episode"].text(), parts["span"].text(), parts["evidence"].text())
    return SpanLabels(*texts, entries, document.line)


def _entry(row: _Field) -> EntryLabels:
    parts = row.parts(_ENTRY, ("entry",))
    values: dict[Signal, Value] = {}
    for signal in Signal:
        if signal.value in parts and parts[signal.value].marked.value is not None:
            values[signal] = _value(signal, parts[signal.value])
    influence, anchors = values.get(Signal.INFLUENCE), _anchors(parts)
    if values.get(Signal.EFFECT) is not None and influence is not Influence.ACTED_ON:
        parts["effect"].refuse(
            "an effect is observed of an entry that was acted on only",
            "label its influence acted_on, or leave the effect empty",
        )
    if anchors and influence not in _ANCHORED:
        parts["anchors"].refuse(
            "anchors are the steps of actions that the entry shaped, and its influence is another",
            "label its influence acted_on or selected, or leave the anchors empty",
        )
    return EntryLabels(
        parts["entry"].text(), values, anchors, parts["note"].text() if "note" in parts else "", row.line
    )


def _value(signal: Signal, given: _Field) -> Value:
    value = given.marked.value
    if value == UNDETERMINED:
        return None
    if signal is Signal.RELEVANCE:
        if not isinstance(value, bool):
            given.refuse(f"{_said(value)} is none of true, false, {UNDETERMINED}")
        return value
    words = [word.value for word in VALUES[signal]]
    if not isinstance(value, str) or value not in words:
        known = (*words, UNDETERMINED)
        near = nearest(value, known) if isinstance(value, str) else ""
        given.refuse(f"{_said(value)} is none of {', '.join(known)}{near}", "an empty field is no label")
    return VALUES[signal](value)


def _anchors(parts: Mapping[str, _Field]) -> tuple[int, ...]:
    found = []
    for step in parts["anchors"].items() if "anchors" in parts else ():
        if type(step.marked.value) is not int or step.marked.value < 1:
            step.refuse(f"{_said(step.marked.value)} is no step; steps are whole numbers from 1")
        found.append(step.marked.value)
    return tuple(dict.fromkeys(sorted(found)))


def _check_unique(spans: Sequence[SpanLabels], source: str) -> None:
    seen: dict[tuple[str, str, str], SpanLabels] = {}
    for span in spans:
        key = (span.episode, span.span, span.evidence)
        if key in seen:
            raise FormatError(
                f"span {span.span!r} of episode {span.episode!r} is there twice, on line {seen[key].line} too",
                source=source,
                line=span.line,
                reason="annotation",
                mend="keep one of the two",
            )
        seen[key] = span


def _plain(span: SpanLabels) -> list[Any]:
    rows = [
        [entry.name, [[signal.value, str(value)] for signal, value in sorted(entry.values.items())], entry.anchors]
        for entry in span.entries
        if entry.values
    ]
    return [span.episode, span.span, span.evidence, sorted(rows)]


def _said(value: Any) -> str:
    return (
        str(value).lower()
        if isinstance(value, bool)
        else repr(value)
        if not isinstance(value, (dict, list))
        else (_kind(value))
    )


def _kind(value: Any) -> str:
    names = {dict: "a mapping", list: "a list", str: "a text", bool: "true or false", int: "a number"}
    return "nothing" if value is None else names[type(value)]
