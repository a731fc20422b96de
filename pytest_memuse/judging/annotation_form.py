"""The form that a person labels a log in: one YAML document a span, the evidence beside it as comments.

Recorded text stands in comments only, each line of it made inert, so that nothing in it can end its line, begin a
document, or be taken for a label. What a file holds already is never touched: documents are added behind it.
"""

import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_memuse.judging.annotation_file import FORMAT, KIND, UNDETERMINED, EntryLabels, SpanLabels
from pytest_memuse.judging.answers import Signal
from pytest_memuse.judging.evidence import EvidencePackage, step_name
from pytest_memuse.judging.evidence.types import PRIOR_INDEX, REFERENCE, TARGET, TASK
from pytest_memuse.judging.labels import VALUES, Value
from pytest_memuse.model.errors import inert
from pytest_memuse.spans import Window
from pytest_memuse.storage.yaml_lines import quoted

SHOWN = 6_000
"""Characters of a record that the form shows; `memuse show` and the log itself have the rest."""

_WIDTH = 110

HEAD = f"""\
# Labels of delivered memory, span by span. Lines that begin with # are the evidence and count for nothing.
# Fill in a word behind a signal; what stays empty is not labelled. {UNDETERMINED} is a label: you looked, and the
# evidence leaves it open. anchors are the steps of the actions that the entry shaped, as a list: [4, 6].
#
#   relevance   true, false               does the entry bear on the task?
#   accuracy    {", ".join(VALUES[Signal.ACCURACY])}
#                                         does the rest of the evidence say so, say otherwise, or neither?
#   novelty     {", ".join(VALUES[Signal.NOVELTY])}
#                                         did the agent see it before: not at all, in part or otherwise told, all of it?
#   influence   {", ".join(VALUES[Signal.INFLUENCE])}
#                                         did a step within the credit window act on it, choose it, or mention it?
#   effect      {", ".join(VALUES[Signal.EFFECT])}
#                                         what came of acting on it; left empty where nobody acted on it
{KIND}: {FORMAT}
by:
when:
"""
"""What a new file begins with."""


@dataclass(frozen=True, slots=True)
class FormSpan:
    """A span of the form: its episode's and its own identifier, its evidence, and what is known of it.

    ``labels`` fill the form in where they are given. ``before`` are labels that were given for other evidence.
    """

    episode: str
    span: str
    package: EvidencePackage
    labels: SpanLabels | None = None
    before: SpanLabels | None = None


def form_lines(spans: Iterable[FormSpan]) -> Iterator[str]:
    """Yield the lines of the documents of these spans. The records of an episode are shown with its first span."""
    shown: set[str] = set()
    for span in spans:
        yield "---"
        if span.package.shared.digest not in shown:
            shown.add(span.package.shared.digest)
            yield from _episode_lines(span)
        yield from _span_lines(span)


def _episode_lines(span: FormSpan) -> Iterator[str]:
    package = span.package
    records = package.shared.records
    yield f"# ── episode {inert(span.episode, 200)} ".ljust(_WIDTH, "─")
    for name in (TASK, REFERENCE):
        if name in records:
            yield from _record(name, records[name])
    for number in range(1, package.shared.last_step + 1):
        yield from _record(step_name(number), records.get(step_name(number), ""))


def _span_lines(span: FormSpan) -> Iterator[str]:
    package = span.package
    yield f"# ── span {inert(span.span, 200)}, first read at step {package.first} ".ljust(_WIDTH, "─")
    yield from _record(TARGET, package.own[TARGET])
    yield "# what else the agent could see at that step:"
    yield from _record(PRIOR_INDEX, package.own[PRIOR_INDEX])
    for name in package.prior:
        yield from _record(name, package.text(name) or "")
    if span.before is not None:
        yield f"# The labels on line {span.before.line} were given for other evidence and count no more. They were:"
        for row in span.before.entries:
            yield "#   " + inert("; ".join(_fields(row)), 400)
    yield f"episode: {quoted(span.episode)}"
    yield f"span: {quoted(span.span)}"
    yield f"evidence: {quoted(package.digest)}"
    yield "entries:"
    given = {row.name: row for row in span.labels.entries} if span.labels is not None else {}
    for entry in package.entries:
        yield f"# {_heard(entry.window)}; the entry's text:"
        yield from _text_lines(entry.text if entry.text is not None else "(withheld)", "#   | ")
        yield from _entry_lines(given.get(entry.name, EntryLabels(entry.name)))


def _heard(window: Window | None) -> str:
    return "its credit window is empty" if window is None else f"credit window: steps {window.first} to {window.last}"


def _entry_lines(row: EntryLabels) -> Iterator[str]:
    yield f"- entry: {row.name}"
    for signal in Signal:
        said = f" {word(row.values[signal])}" if signal in row.values else ""
        yield f"  {signal.value}:{said}"
    yield f"  anchors: {list(row.anchors)}"
    yield f"  note: {quoted(row.note)}" if row.note else "  note:"


def word(value: Value) -> str:
    """Return a label as the file says it."""
    if value is None:
        return UNDETERMINED
    return str(value).lower() if isinstance(value, bool) else value.value


def _fields(row: EntryLabels) -> Iterator[str]:
    said = [f"{signal.value} {word(value)}" for signal, value in row.values.items()]
    yield f"{row.name}: {', '.join(said) or 'no label'}"
    if row.anchors:
        yield f"anchors {list(row.anchors)}"
    if row.note:
        yield f"note {row.note}"


def _record(name: str, text: str) -> Iterator[str]:
    """Yield a record of the evidence as comments: each of its values a field a line, long texts as they are set."""
    yield f"# {name}:"
    for line in text[:SHOWN].splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            # The cut fell into the line.
            yield from _text_lines(line, "#   ")
            continue
        yield from _value_lines(value, "#   ")
    if len(text) > SHOWN:
        yield f"#   ({len(text) - SHOWN:,} more characters; `memuse show` has them)"


def _value_lines(value: Any, lead: str) -> Iterator[str]:
    """Yield one value of a record; short fields share a line, texts stand below their names."""
    if not isinstance(value, Mapping):
        yield from _text_lines(_flat(value), lead)
        return
    short = {name: part for name, part in value.items() if len(_flat(part)) <= 60 and "\n" not in _flat(part)}
    yield from _text_lines("- " + ", ".join(f"{name}: {_flat(part)}" for name, part in short.items()), lead)
    for name, part in value.items():
        if name not in short:
            yield f"{lead}  {inert(str(name), 80)}:"
            if isinstance(part, list) and all(isinstance(each, Mapping) for each in part):
                for each in part:
                    yield from _value_lines(each, f"{lead}  ")
            else:
                yield from _text_lines(_flat(part), f"{lead}  | ")


def _flat(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _text_lines(text: str, lead: str) -> Iterator[str]:
    for line in text[:SHOWN].split("\n") or [""]:
        for part in _wrapped(line.expandtabs(4)):
            yield (lead + inert(part, _WIDTH + 40)).rstrip()
    if len(text) > SHOWN:
        yield f"{lead}({len(text) - SHOWN:,} more characters)"


def _wrapped(line: str) -> Sequence[str]:
    return textwrap.wrap(line, _WIDTH, break_on_hyphens=False, replace_whitespace=False) or [""]
