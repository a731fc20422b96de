"""Accepted answers of a judge on disk: found again as long as evidence and judge are unchanged, never asked for twice.

What is guaranteed: an answer counts as accepted from the moment when its line is whole on disk, which is so before
`JudgmentRecords.accepted` returns. Whatever fails or is killed before that moment, the answer is not kept, and its span
is asked about again; from that moment on it is found, also where `accepted` did not come to return. No file is left in
a state that the next run does not read: a line that was begun is passed over and cut off, messages whose answer was not
kept are used by the next answer that has them. An answer that cannot be kept is not used: the run ends with the reason.

"On disk" is what the operating system says of it (fsync). Only on a file system without locks, or on Windows, two
processes must not judge one arc at a time.
"""

import os
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_memuse.judging.answers import JudgeIdentity
from pytest_memuse.judging.evidence import EvidencePackage
from pytest_memuse.judging.llm.kept import Header, KeptAnswer, identity_digest
from pytest_memuse.judging.llm.outcome import SpanJudgment
from pytest_memuse.judging.llm.record_checks import misfit
from pytest_memuse.judging.llm.record_files import ArcFiles, header_of, is_answers
from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.model.errors import FormatError, inert
from pytest_memuse.storage import inside

__all__ = ["JudgmentRecords", "KeptAnswer", "arc_of", "kept_judges"]


class JudgmentRecords:
    """The records of one judge in a folder, which may hold those of other judges too. Serves several threads.

    A judge has a sub-folder of its own by its identity, an arc two files in it: ``ARC.jsonl`` with a line an accepted
    answer, and ``ARC.conversation.jsonl`` with every message of its conversations once. An answer is found by the
    digest of its evidence within the arc; where several have it (repeats of an episode may), that about the span itself
    is preferred, and of those the last one stands. Nothing is made before the first answer is kept. All methods raise
    `FormatError` for a file that is damaged or of a later version: asking again in silence would cost money.
    """

    def __init__(self, folder: Path, identity: JudgeIdentity) -> None:
        self.identity = identity
        self.folder = folder / _folder_name(identity)
        self._around = folder
        self._lock = threading.Lock()
        self._arcs: dict[str, ArcFiles] = {}

    def find(self, episode: Episode, span: str, package: EvidencePackage) -> SpanJudgment | None:
        """Return the answer that was accepted for this evidence, under the name of the span; None where there is none.

        It equals what was accepted, but has no messages: `conversation` gives them.
        """
        files = self._files(arc_of(episode))
        found = files.answer(package.digest, episode.id, span)
        if found is None:
            return None
        if problem := misfit(found.kept.outcome, package):
            raise FormatError(
                problem,
                source=str(files.path),
                line=found.line,
                field="judgment.assessments",
                mend="restore the file from version control, or delete the line: its span is asked about again",
            )
        return found.kept.for_span(span).outcome

    def accepted(self, episode: Episode, outcome: SpanJudgment) -> None:
        """Keep an accepted answer with its conversation; it is on disk when this returns.

        Raises `MemuseError` where it could not be kept, with the file, the reason and how to mend it.
        """
        files = self._files(arc_of(episode))
        messages = (*outcome.messages, *(message for each in outcome.rollbacks for message in each.messages))
        try:
            files.keep(KeptAnswer.of(episode.id, outcome), messages)
        except (OSError, ValueError) as error:
            raise _not_kept(episode, outcome, files, error) from error

    def conversation(self, episode: Episode, outcome: SpanJudgment) -> SpanJudgment:
        """Return an answer that was found with its messages, those that were rolled back included."""
        files = self._files(arc_of(episode))
        found = files.answer(outcome.evidence, episode.id, outcome.span)
        if found is None:
            raise MemuseError(
                f"there is no record of span {inert(outcome.span)} in {inert(str(files.path))}", reason="no-record"
            )
        return self._whole(files, found.kept.for_span(outcome.span))

    def arcs(self) -> tuple[str, ...]:
        """Return the arcs that have records, by their names in order."""
        return tuple(sorted({header.arc for _, header in _headers(self.folder) if header.judge == self.identity}))

    def all(self, arc: str) -> Iterator[KeptAnswer]:
        """Yield the answers of an arc, of several about one span the last, without messages; `whole` adds them."""
        for answer in self._files(arc).answers():
            yield answer.kept

    def whole(self, arc: str, kept: KeptAnswer) -> SpanJudgment:
        """Return the outcome of a kept answer with its messages."""
        return self._whole(self._files(arc), kept)

    def discard(self, arc: str, unneeded: Sequence[KeptAnswer]) -> None:
        """Remove answers of an arc that `all` gave, and the messages that no other one names.

        Answers in whose place others were accepted are removed in any case; what was accepted since `all` was asked
        stays. Raises `MemuseError` where it fails; all answers are there then, or all those that were to stay.
        """
        files = self._files(arc)
        try:
            files.discard(unneeded)
        except (OSError, ValueError) as error:
            raise MemuseError(
                f"{inert(str(files.path))} could not be written: {_why(error)}",
                reason="records",
                mend="make room, or see to the permissions of the folder, and do it again",
            ) from error

    def _files(self, arc: str) -> ArcFiles:
        with self._lock:
            if arc not in self._arcs:
                files = ArcFiles(self.folder, arc, self.identity)
                inside(self._around, files.path)
                self._arcs[arc] = files
            return self._arcs[arc]

    @staticmethod
    def _whole(files: ArcFiles, kept: KeptAnswer) -> SpanJudgment:
        return kept.whole(files.messages(kept.digests))


def kept_judges(folder: Path) -> tuple[JudgmentRecords, ...]:
    """Return the records of every judge that has some in a folder, in the order of their folders' names.

    Raises `FormatError` for a file of records that stands in the folder of another judge.
    """
    found: dict[str, JudgmentRecords] = {}
    for path, header in (each for below in _folders(folder) for each in _headers(below)):
        records = JudgmentRecords(folder, header.judge)
        if path.parent != records.folder:
            raise FormatError(
                f"the records of {header.judge} belong into {records.folder.name}",
                source=str(path),
                line=1,
                field="judge",
                mend="put the file back where it came from, or delete it",
            )
        found.setdefault(path.parent.name, records)
    return tuple(found[name] for name in sorted(found))


def arc_of(episode: Episode) -> str:
    """Return the arc under which the answers about an episode are kept; one without an arc is an arc of its own."""
    return episode.arc or episode.id


def _folder_name(identity: JudgeIdentity) -> str:
    readable = re.sub(r"[^A-Za-z0-9]+", "-", f"{identity.kind} {identity.model}").strip("-").lower()[:60]
    return f"{readable or 'judge'}-v{_plain(identity.version)}-{identity_digest(identity)[:16]}"


def _plain(version: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", version)[:20]


_OF_A_JUDGE = re.compile(r".+-v[A-Za-z0-9.-]*-[0-9a-f]{16}")


def _folders(folder: Path) -> list[Path]:
    """Return the sub-folders that may be a judge's; others hold recordings, say, and are not looked into."""
    try:
        below = [path for path in folder.iterdir() if _OF_A_JUDGE.fullmatch(path.name)]
        return sorted(path for path in below if path.is_dir() and not path.is_symlink())
    except (FileNotFoundError, NotADirectoryError):
        return []


def _headers(folder: Path) -> Iterator[tuple[Path, Header]]:
    try:
        names = sorted(filter(is_answers, os.listdir(folder)))
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in names:
        header = header_of(folder / name)
        if header is not None:
            yield folder / name, header


def _not_kept(episode: Episode, outcome: SpanJudgment, files: ArcFiles, error: OSError | ValueError) -> MemuseError:
    return MemuseError(
        f"the answer about span {inert(outcome.span)} of episode {inert(episode.id)} could not be kept in "
        f"{inert(str(files.path))}: {_why(error)}",
        reason="records",
        mend="make room, or see to the permissions of the folder, and run it again: answers that were kept are not "
        "asked for again",
    )


def _why(error: OSError | ValueError) -> str:
    return inert(error.strerror if isinstance(error, OSError) and error.strerror else str(error))
