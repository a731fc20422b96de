"""The prior context of a span as records: its sources, its index, and what had left it (MemUse A.2.1)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_memuse.judging.evidence.memory_text import Mark, without
from pytest_memuse.judging.evidence.messages import MessageBook, signs
from pytest_memuse.judging.evidence.rendering import message_fields, rendered_line
from pytest_memuse.judging.evidence.types import step_name
from pytest_memuse.model import Episode
from pytest_memuse.spans import PriorSource, Span, prior_context


@dataclass(frozen=True, slots=True)
class PriorRecords:
    """``cut`` are the sources that the target was taken out of, ``aliases`` lead to whole messages."""

    names: tuple[str, ...]
    removed: tuple[str, ...]
    index: str
    cut: Mapping[str, str]
    aliases: Mapping[str, str]


class PriorContexts:
    """Makes the prior records of the spans of one episode; lines that spans share are rendered once."""

    def __init__(self, episode: Episode, book: MessageBook, marks: Mapping[str, tuple[Mark, ...]]) -> None:
        self._episode, self._book, self._marks = episode, book, marks
        self._signs = {digest: signs(episode.messages[digest]) for digest in book.known}
        self._whole: dict[tuple[int, str], str] = {}
        self._gone: dict[str, str] = {}

    def of(self, span: Span) -> PriorRecords:
        """Return the prior records of a span. Raises `MemuseError` as `prior_context` does."""
        sources = prior_context(self._episode, span)
        gone = list(self._not_shown(span.first or 0, {source.message.digest for source in sources}))
        names, cut, aliases = [], {}, {}
        for source in sources:
            name = f"prior {source.position + 1}"
            known = self._book.known[source.message.digest]
            if not source.removed:
                aliases[name] = known.name
            elif source.is_marker:
                continue
            else:
                text = without(source.message.text, source.removed, self._marks.get(source.message.digest, ()))
                cut[name] = rendered_line({"message": f"m{known.number}", **message_fields(source.message, text)})
            names.append(name)
        removed = {f"removed m{self._book.known[digest].number}": self._book.known[digest].name for digest in gone}
        index = "".join((*map(self._source_line, sources), *map(self._gone_line, gone)))
        return PriorRecords(tuple(names), tuple(removed), index, cut, aliases | removed)

    def _not_shown(self, first: int, present: set[str]) -> Iterator[str]:
        """Yield the messages that were there before this input and are not in it, in order of their arrival.

        A response or result that a harness put back in a form of its own is in it.
        """
        shown = {sign for digest in present for sign in self._signs[digest]}
        for digest, known in self._book.known.items():
            if known.arrived >= first:
                return
            if digest not in present:
                marks = self._signs[digest]
                if known.made_by is None or not marks or not shown.issuperset(marks):
                    yield digest

    def _source_line(self, source: PriorSource) -> str:
        if source.removed:
            line = self._line("position", source.position + 1, source.message.digest)
            if source.is_marker:
                return rendered_line({**line, "all of it is": "target delivery"})
            read = {"read": f"prior {source.position + 1}", "characters": len(source.text)}
            return rendered_line({**line, "target delivery removed from it": True, **read})
        key = (source.position, source.message.digest)
        made = self._whole.get(key)
        if made is None:
            line = self._line("position", source.position + 1, source.message.digest)
            read = {"read": f"prior {source.position + 1}", "characters": len(source.text)}
            made = self._whole[key] = rendered_line({**line, **read})
        return made

    def _gone_line(self, digest: str) -> str:
        made = self._gone.get(digest)
        if made is None:
            name = f"m{self._book.known[digest].number}"
            line = self._line("removed before this input", name, digest)
            read = {"read": f"removed {name}", "characters": len(self._episode.messages[digest].text)}
            made = self._gone[digest] = rendered_line({**line, **read})
        return made

    def _line(self, what: str, which: int | str, digest: str) -> dict[str, Any]:
        known = self._book.known[digest]
        return {
            what: which,
            "message": f"m{known.number}",
            "role": self._episode.messages[digest].role,
            "made_by": None if known.made_by is None else step_name(known.made_by),
        }
