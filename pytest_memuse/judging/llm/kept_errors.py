"""Spans whose conversation came to no accepted answer, kept so that a run which asks nobody knows them again.

They are no records of answers: whoever may ask a model asks it again. A file an arc, a line a span, and the last line
of a span's evidence stands.
"""

import threading
from pathlib import Path

from pytest_memuse.judging.evidence import EvidencePackage
from pytest_memuse.judging.llm.outcome import ErrorReason, SpanJudgment
from pytest_memuse.judging.llm.records import arc_of
from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.model.errors import FormatError, inert
from pytest_memuse.model.json_text import json_line, parse_object
from pytest_memuse.storage import inside, safe_name
from pytest_memuse.storage.appending import FileState, file_state, growing, grown_lines

_KEPT = (ErrorReason.FOLLOW_UPS, ErrorReason.CALLS, ErrorReason.CONTEXT)
"""What a conversation came to by itself. That an endpoint cannot be reached says nothing of a span."""

_LONGEST = 64 * 1024
_LARGEST = 64 * 1024 * 1024


class KeptErrors:
    """The error spans of one judge in a folder; serves several threads. Nothing is made before the first is kept.

    Raises `FormatError` for a file that is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._known: dict[str, tuple[FileState | None, dict[str, tuple[ErrorReason, str]]]] = {}

    def find(self, episode: Episode, span: str, package: EvidencePackage) -> SpanJudgment | None:
        """Return the error that a span with this evidence ended in, None where none is known."""
        with self._lock:
            found = self._lines(arc_of(episode)).get(package.digest)
        return None if found is None else SpanJudgment(span, package.digest, error=found[0], problem=found[1])

    def keep(self, episode: Episode, outcome: SpanJudgment) -> None:
        """Keep the error of a span; one that says nothing of the span, or is known, changes nothing.

        Raises `MemuseError` where it cannot be written.
        """
        if outcome.error not in _KEPT:
            return
        arc = arc_of(episode)
        path = self._path(arc)
        line = {"evidence": outcome.evidence, "span": outcome.span, "error": outcome.error, "problem": outcome.problem}
        with self._lock:
            if self._lines(arc).get(outcome.evidence) == (outcome.error, outcome.problem):
                return
            try:
                with growing(path, _LONGEST) as file:
                    file.append(json_line(line).encode("utf-8", "surrogatepass"))
            except OSError as error:
                raise MemuseError(
                    f"the error of span {inert(outcome.span)} could not be kept in {inert(str(path))}: "
                    f"{inert(error.strerror or str(error))}",
                    reason="records",
                    mend="make room, or see to the permissions of the folder, and run it again",
                ) from error

    def _path(self, arc: str) -> Path:
        return inside(self._folder.parent, self._folder / f"{safe_name(arc)}.errors")

    def _lines(self, arc: str) -> dict[str, tuple[ErrorReason, str]]:
        path = self._path(arc)
        state = file_state(path)
        if arc in self._known and self._known[arc][0] == state:
            return self._known[arc][1]
        found = {}
        for line in grown_lines(path, _LONGEST, _LARGEST):
            evidence, error = _parsed(line.content, str(path), line.number)
            found[evidence] = error
        self._known[arc] = state, found
        return found


def _parsed(raw: bytes, source: str, number: int) -> tuple[str, tuple[ErrorReason, str]]:
    try:
        line = parse_object(raw.decode("utf-8"))
        evidence, reason, problem = line["evidence"], ErrorReason(line["error"]), line["problem"]
        if not (isinstance(evidence, str) and isinstance(problem, str) and reason in _KEPT):
            raise ValueError("a field is not of its form")
    except (KeyError, ValueError) as error:
        raise FormatError(
            f"it is no error of a span: {inert(str(error))}",
            source=source,
            line=number,
            mend="restore the file from version control, or delete it: its spans are asked about again",
        ) from None
    return evidence, (reason, problem)
