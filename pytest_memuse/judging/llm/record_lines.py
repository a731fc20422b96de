"""Judgment records as lines of JSON: an accepted answer a line, and each message of the conversations once, by digest.

Both files open with a header that says what judge and what arc they are of. A line of the first file begins with the
digest of its evidence, one of the second with the digest of its message, so that a reader finds what it wants without
parsing the rest.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_memuse.judging.answers import JudgeIdentity, Judgment
from pytest_memuse.judging.evidence.ledger import Range
from pytest_memuse.judging.llm.kept import FileKind, Header, KeptAnswer, message_digest, message_text
from pytest_memuse.judging.llm.outcome import Attempt, Message, Rollback, SpanJudgment, Usage
from pytest_memuse.judging.llm.record_checks import impossible
from pytest_memuse.model.digests import text_digest
from pytest_memuse.model.errors import FormatError, nearest
from pytest_memuse.model.json_text import check_size, json_line, parse_object

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

FORMAT = 1
"""Version of the records' form. Older versions stay readable; a newer one is refused."""

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of one line. A conversation is bounded by its context, so that its longest message has a few megabytes."""

MOST_VALUES = 100_000
"""Objects and lists, and values in them, of a line that holds an answer."""

_BEGINS = re.compile(rb'\{"(?:evidence|digest)":"([0-9a-f]{32})",')
_DIGEST = re.compile(r"[0-9a-f]{32}", re.ASCII)
_CONFLICT = (b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||")
_RESTORE = "restore the file from version control, or delete it: its spans are asked about again"


def header_line(header: Header) -> bytes:
    """Return the first line of a file."""
    data = {"format": FORMAT, "kind": header.kind.value, "arc": header.arc, "judge": asdict(header.judge)}
    return json_line(data, sort_keys=False).encode()


def read_header(raw: bytes, source: str, line: int = 1) -> Header:
    """Return the header that a line is. Raises `FormatError` for anything else, and for a version of later releases."""
    error = _Error(source, line)
    data = error.parsed(raw)
    version = data.get("format")
    if isinstance(version, int) and not isinstance(version, bool) and version > FORMAT:
        raise error(
            f"format {version} of judgment records is not one that this release reads (it reads {FORMAT})",
            field="format",
            reason="version",
            mend="install the release of pytest-memuse that wrote it, or a later one",
        )
    if version != FORMAT or isinstance(version, bool):
        raise error("the first line is no header of judgment records", field="format")
    if data.get("kind") not in list(FileKind):
        raise error(f"no kind of records: {data.get('kind')!r}", field="kind")
    if not isinstance(data.get("arc"), str):
        raise error("it is no text", field="arc")
    return Header(FileKind(data["kind"]), data["arc"], _identity(data.get("judge"), error))


def answer_line(kept: KeptAnswer) -> bytes:
    """Return the line of an accepted answer. Raises ValueError where it would be longer than a line may be."""
    outcome = kept.outcome
    dumped = _adapter().dump_python(_line_of(kept), mode="json")
    dumped["judgment"]["determines"].sort()
    raw = json_line({"evidence": outcome.evidence, **dumped}, sort_keys=False).encode()
    return _within(raw)


def read_answer(raw: bytes, source: str, line: int) -> KeptAnswer:
    """Return the answer that a line holds. Raises `FormatError` with the field that is not of its form."""
    from pydantic import ValidationError

    error = _Error(source, line)
    if len(raw) > MOST_VALUES:
        try:
            check_size(raw.decode("utf-8", "replace"), MOST_VALUES, MOST_VALUES)
        except ValueError as too_large:
            raise error(f"the line is too large: {too_large}") from None
    try:
        found = _adapter().validate_json(raw, strict=True)
    except ValidationError as invalid:
        raise _damaged(raw, invalid, error) from None
    if not _DIGEST.fullmatch(found.evidence):
        raise error("it is no digest", field="evidence")
    outcome = SpanJudgment(
        found.span,
        found.evidence,
        found.judgment,
        reads=found.reads,
        attempts=found.attempts,
        rollbacks=tuple(Rollback(each.call, each.size, (), each.refused) for each in found.rollbacks),
        calls=found.calls,
        forced=found.forced,
        corrected=found.corrected,
    )
    if problem := impossible(outcome):
        raise error(problem[1], field=problem[0])
    return KeptAnswer(found.episode, outcome, found.messages, tuple(each.messages for each in found.rollbacks))


def message_line(message: Message) -> tuple[str, bytes]:
    """Return the digest of a message and its line. Raises ValueError where it is longer than a line may be."""
    text = message_text(message)
    digest = text_digest(text)
    return digest, _within(f'{{"digest":"{digest}","message":{text}}}\n'.encode())


def read_message(raw: bytes, digest: str, source: str, line: int) -> Message:
    """Return the message that a line holds. Raises `FormatError` where its content has another digest."""
    error = _Error(source, line)
    data = error.parsed(raw)
    message = data.get("message")
    if not isinstance(message, dict):
        raise error("it is no message", field="message")
    try:
        own = message_digest(message)
    except ValueError as invalid:
        raise error(str(invalid), field="message") from None
    if own != digest:
        raise error(f"the digest of the message is {own}, the line says {digest}", field="digest")
    return message


def digest_at(raw: bytes, name: str, source: str, line: int) -> str:
    """Return the digest that a line is found by: ``name`` is ``evidence`` or ``digest``. Raises `FormatError`."""
    if (found := _BEGINS.match(raw)) is not None and found[0].startswith(b'{"' + name.encode() + b'"'):
        return found[1].decode()
    # Somebody's tool has written it anew: read it whole.
    error = _Error(source, line)
    data = error.parsed(raw)
    digest = data.get(name)
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise error(f"it is no digest{nearest(name, data) if digest is None else ''}", field=name)
    return digest


@dataclass(frozen=True, slots=True)
class _Rollback:
    call: int
    size: int
    refused: bool
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    """An accepted answer in the order of its line; types within are the outcome's own."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    evidence: str
    span: str
    episode: str
    judgment: Judgment
    reads: Mapping[str, tuple[Range, ...]]
    attempts: tuple[Attempt, ...]
    rollbacks: tuple[_Rollback, ...]
    calls: tuple[Usage, ...]
    forced: bool
    corrected: int
    messages: tuple[str, ...]


@cache
def _adapter() -> "TypeAdapter[_Line]":
    from pydantic import TypeAdapter

    return TypeAdapter(_Line)


def _line_of(kept: KeptAnswer) -> _Line:
    outcome = kept.outcome
    assert outcome.judgment is not None
    rollbacks = zip(outcome.rollbacks, kept.dropped, strict=True)
    return _Line(
        outcome.evidence,
        outcome.span,
        kept.episode,
        outcome.judgment,
        outcome.reads or {},
        outcome.attempts,
        tuple(_Rollback(each.call, each.size, each.refused, dropped) for each, dropped in rollbacks),
        outcome.calls,
        outcome.forced,
        outcome.corrected,
        kept.messages,
    )


def _within(raw: bytes) -> bytes:
    if len(raw) > LONGEST_LINE:
        raise ValueError(f"the line would have {len(raw):,} bytes and may have at most {LONGEST_LINE:,}")
    return raw


def _identity(data: Any, error: "_Error") -> JudgeIdentity:
    names = ("kind", "version", "model")
    settings = data.get("settings") if isinstance(data, dict) else None
    if not isinstance(settings, dict) or not all(isinstance(data.get(name), str) for name in names):
        raise error("it is no identity of a judge: kind, version, model and settings", field="judge")
    if not all(isinstance(value, str) for value in settings.values()):
        raise error("a setting is no text", field="judge.settings")
    return JudgeIdentity(data["kind"], data["version"], data["model"], settings)


def _damaged(raw: bytes, invalid: "ValidationError", error: "_Error") -> FormatError:
    first = invalid.errors(include_url=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return error.no_json(raw, first["msg"])
    where: Sequence[Any] = first["loc"]
    known = list(_Line.__slots__) if len(where) == 1 else []
    close = nearest(str(where[0]), known) if first["type"] == "unexpected_keyword_argument" and known else ""
    return error(first["msg"] + close, field=".".join(map(str, where)) or None)


@dataclass(frozen=True, slots=True)
class _Error:
    """Makes the errors of one line."""

    source: str
    line: int

    def __call__(
        self, problem: str, *, field: str | None = None, reason: str = "damaged", mend: str = _RESTORE
    ) -> FormatError:
        return FormatError(problem, source=self.source, line=self.line, field=field, reason=reason, mend=mend)

    def parsed(self, raw: bytes) -> dict[str, Any]:
        try:
            return parse_object(raw.decode("utf-8"))
        except ValueError as invalid:
            raise self.no_json(raw, str(invalid)) from None

    def no_json(self, raw: bytes, why: str) -> FormatError:
        if raw.startswith(_CONFLICT):
            return self(
                "a conflict of two versions was left here",
                reason="conflict",
                mend="delete the lines of marks; the lines of both sides may stay (and set `merge=union` for these "
                "files in .gitattributes)",
            )
        return self(f"the line is no JSON object: {why}")
