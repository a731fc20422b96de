"""The two files in which a judge's answers about one arc are kept, and the order in which they are written."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pytest_memuse.judging.answers import JudgeIdentity
from pytest_memuse.judging.llm.kept import FileKind, Header, KeptAnswer
from pytest_memuse.judging.llm.outcome import Message
from pytest_memuse.judging.llm.record_index import LineIndex
from pytest_memuse.judging.llm.record_lines import (
    LONGEST_LINE,
    answer_line,
    header_line,
    message_line,
    read_answer,
    read_header,
    read_message,
)
from pytest_memuse.model.digests import text_digest
from pytest_memuse.model.errors import FormatError
from pytest_memuse.storage import safe_name, write_whole
from pytest_memuse.storage.appending import GrownLine, growing, grown_lines, held, line_at

_SUFFIX = ".jsonl"
_CONVERSATION = ".conversation"


class Answer(NamedTuple):
    """A kept answer, and the line on which it stands."""

    kept: KeptAnswer
    line: int


class ArcFiles:
    """The records of one arc under one judge; serves several threads, and several processes where there are locks.

    The second file is read only where an answer is added or a conversation is asked for. Everything raises
    `FormatError` for what is damaged; what writes raises `OSError` too.
    """

    def __init__(self, folder: Path, arc: str, judge: JudgeIdentity) -> None:
        stem = _stem(arc)
        self.path = folder / f"{stem}{_SUFFIX}"
        self.conversation_path = folder / f"{stem}{_CONVERSATION}{_SUFFIX}"
        self._header = Header(FileKind.JUDGMENTS, arc, judge)
        self._conversation_header = Header(FileKind.CONVERSATION, arc, judge)
        self._answers = LineIndex(self.path, self._header)
        self._messages = LineIndex(self.conversation_path, self._conversation_header)
        self._lock = threading.RLock()

    def answer(self, evidence: str, episode: str, span: str) -> Answer | None:
        """Return the answer that was accepted last for this evidence, that about this very span before any other.

        Repeats of an episode may have the same evidence; each has an answer of its own then.
        """
        with self._lock:
            lines = tuple(self._answers.lines().get(evidence, ()))
        found = [self._parsed(line) for line in lines]
        own = [each for each in found if _key(each.kept) == (evidence, episode, span)]
        return own[-1] if own else found[-1] if found else None

    def answers(self) -> Iterator[Answer]:
        """Yield the last answer about every span and evidence, in the order in which they were first accepted."""
        with self._lock:
            lines = [line for each in self._answers.lines().values() for line in each]
        found = map(self._parsed, lines)
        yield from {_key(each.kept): each for each in found}.values()

    def keep(self, kept: KeptAnswer, messages: Iterable[Message]) -> None:
        """Add an answer, and those of its messages that are not there yet.

        The messages are on disk before the answer's line is written, which is on disk when this returns: whoever reads
        a line can read its conversation. The same answer is not written again. Raises ValueError, with nothing written,
        where a line would be too long or a message is no JSON.
        """
        line = answer_line(kept)
        said = dict(map(message_line, messages))
        with (
            self._lock,
            growing(self.path, LONGEST_LINE) as answers,
            growing(self.conversation_path, LONGEST_LINE) as conversation,
        ):
            self._answers.lines(answers.state)
            known = self.answer(*_key(kept))
            if known is not None and known.kept == kept:
                return
            stored = self._messages.lines(conversation.state)
            if new := [(digest, raw) for digest, raw in said.items() if digest not in stored]:
                self._messages.append(conversation, new)
            self._answers.append(answers, [(kept.outcome.evidence, line)])

    def messages(self, digests: Iterable[str]) -> Mapping[str, Message]:
        """Return the messages with these digests."""
        with self._lock:
            lines = self._messages.lines()
            places = [(digest, self._line_of(digest, lines)) for digest in digests]
        source = str(self.conversation_path)
        return {digest: read_message(self._raw(line), digest, source, line.number) for digest, line in places}

    def discard(self, unneeded: Iterable[KeptAnswer]) -> None:
        """Remove answers, with whatever later ones stand for, and the messages that none of the others names.

        What was accepted meanwhile stays. The messages of what stays must be there. Each file is replaced in one step,
        the answers first: where a run is killed in between, messages are left that nothing names. Without any answer
        the files are removed.
        """
        gone = {_key(each): each for each in unneeded}
        with self._lock, held(self.path, LONGEST_LINE), held(self.conversation_path, LONGEST_LINE):
            kept = [each.kept for each in self.answers() if gone.get(_key(each.kept)) != each.kept]
            wanted = dict.fromkeys(digest for each in kept for digest in each.digests)
            stored = self._messages.lines()
            places = sorted((self._line_of(digest, stored) for digest in wanted), key=lambda line: line.offset)
            if kept:
                write_whole(self.path, [header_line(self._header), *map(answer_line, kept)])
                raw = (self._raw(line) + b"\n" for line in places)
                write_whole(self.conversation_path, (header_line(self._conversation_header), *raw))
            else:
                self.path.unlink(missing_ok=True)
                self.conversation_path.unlink(missing_ok=True)

    def _parsed(self, line: GrownLine) -> Answer:
        return Answer(read_answer(line.content, str(self.path), line.number), line.number)

    def _raw(self, line: GrownLine) -> bytes:
        return line_at(self.conversation_path, line.offset, LONGEST_LINE)

    def _line_of(self, digest: str, lines: Mapping[str, Sequence[GrownLine]]) -> GrownLine:
        if found := lines.get(digest):
            return found[-1]
        raise FormatError(
            f"the message {digest} of a kept conversation is not here",
            source=str(self.conversation_path),
            reason="missing",
            mend=f"restore the file from version control, or delete {self.path.name}: its spans are asked about again",
        )


def _key(kept: KeptAnswer) -> tuple[str, str, str]:
    """Return what a kept answer is about: evidence, episode and span."""
    return kept.outcome.evidence, kept.episode, kept.outcome.span


def header_of(path: Path) -> Header | None:
    """Return the header of a file of records, None where it has no line yet."""
    for line in grown_lines(path, LONGEST_LINE, LONGEST_LINE):
        return read_header(line.content, str(path), line.number)
    return None


def is_answers(name: str) -> bool:
    """Return whether a file's name is that of an arc's answers."""
    return name.endswith(_SUFFIX) and not name.startswith(".") and not name.endswith(_CONVERSATION + _SUFFIX)


def _stem(arc: str) -> str:
    stem = safe_name(arc)
    if stem.endswith(_CONVERSATION):
        # As it is, the name would be that of another arc's second file.
        return f"{stem.removesuffix(_CONVERSATION)}-conversation-{text_digest(arc)[:12]}"
    return stem
