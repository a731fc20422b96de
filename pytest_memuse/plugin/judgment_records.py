"""The judge of a suite with its records: where they are, and what the judge mode makes of them."""

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pytest_memuse.judging.answers import Judge
from pytest_memuse.judging.combined import judges_in, with_each
from pytest_memuse.judging.run import EpisodesJudge
from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.model.errors import printable
from pytest_memuse.plugin.judging_options import JudgingSettings, Rejudging
from pytest_memuse.plugin.options import Settings
from pytest_memuse.plugin.planting import JUDGMENTS
from pytest_memuse.reports.numbers import counted
from pytest_memuse.spans import Span
from pytest_memuse.storage import inside, safe_name

if TYPE_CHECKING:
    from pytest_memuse.judging.evidence import EpisodeCase, EvidencePackage
    from pytest_memuse.judging.llm.kept_errors import KeptErrors
    from pytest_memuse.judging.llm.outcome import SpanJudgment
    from pytest_memuse.judging.llm.records import JudgmentRecords
    from pytest_memuse.judging.llm.run_policy import Records

_LISTED = 10


@runtime_checkable
class RecordingJudge(Judge, EpisodesJudge, Protocol):
    """A judge that keeps its accepted answers and takes them from there."""

    @property
    def records(self) -> "Records | None": ...

    def with_records(self, records: "Records | None") -> "RecordingJudge": ...

    def without_asking(self, why: str) -> "RecordingJudge": ...

    def case(self, episode: Episode, spans: Sequence[Span]) -> "EpisodeCase": ...

    def replayed(self, package: "EvidencePackage", outcome: "SpanJudgment") -> "SpanJudgment": ...


@runtime_checkable
class KeepsConversations(Protocol):
    """Records that hold the conversation of each outcome, too."""

    def find(self, episode: Episode, span: str, package: "EvidencePackage") -> "SpanJudgment | None": ...

    def accepted(self, episode: Episode, outcome: "SpanJudgment") -> None: ...

    def conversation(self, episode: Episode, outcome: "SpanJudgment") -> "SpanJudgment":
        """Return an outcome that was found with the messages of its conversation."""


def records_folder(cassettes: Path, suite: str) -> Path:
    """Return the folder of a suite's judgment records. Raises `FormatError` where a link leads out of ``cassettes``."""
    from pytest_memuse.judging.llm.recorded import OF_A_SUITE

    return inside(cassettes, cassettes / safe_name(suite) / OF_A_SUITE)


def suite_judge(judge: Judge, settings: Settings, suite: str) -> Judge:
    """Return the judge as a suite is judged by it: with the suite's records, and asking what the mode allows.

    Records that the judge has already stay its own. Of a combination each judge has records of its own.
    """
    return with_each(judge, lambda part: _suite_part(part, settings, suite))


def _suite_part(judge: Judge, settings: Settings, suite: str) -> Judge:
    if not isinstance(judge, RecordingJudge):
        return judge
    records = judge.records
    if records is None:
        from pytest_memuse.judging.llm.kept_errors import KeptErrors
        from pytest_memuse.judging.llm.records import JudgmentRecords

        shared = os.environ.get(JUDGMENTS)
        folder = Path(shared) if shared else records_folder(settings.cassettes, suite)
        answers = JudgmentRecords(folder, judge.identity)
        records = SuiteRecords(answers, KeptErrors(answers.folder), settings.judging.asks)
    if settings.judging.mode == "all":
        records = Anew(records)
    kept = judge.with_records(records)
    return kept if settings.judging.asks else kept.without_asking(_why_silent(settings.judging))


def recording_judges(judge: Judge) -> Iterator[RecordingJudge]:
    """Yield the judges that keep their answers: of a combination all that do."""
    for part in judges_in(judge):
        if isinstance(part, RecordingJudge) and part.records is not None:
            yield part


@dataclass(frozen=True, slots=True)
class SuiteRecords:
    """A suite's records of one judge, and the spans of which it came to no accepted answer.

    Where the judge ``asks``, such a span is asked about again; where not, it stays the error that it was.
    """

    answers: "JudgmentRecords"
    errors: "KeptErrors"
    asks: bool

    def find(self, episode: Episode, span: str, package: "EvidencePackage") -> "SpanJudgment | None":
        """Return the outcome of a span, None where it is to be asked about."""
        found = self.answers.find(episode, span, package)
        if found is not None or self.asks:
            return found
        return self.errors.find(episode, span, package)

    def accepted(self, episode: Episode, outcome: "SpanJudgment") -> None:
        """Keep an accepted answer."""
        self.answers.accepted(episode, outcome)

    def failed(self, episode: Episode, outcome: "SpanJudgment") -> None:
        """Keep that a span came to no accepted answer."""
        self.errors.keep(episode, outcome)

    def conversation(self, episode: Episode, outcome: "SpanJudgment") -> "SpanJudgment":
        """Return an answer that was found with its messages."""
        return self.answers.conversation(episode, outcome)


@dataclass(frozen=True, slots=True)
class Anew:
    """Records out of which nothing is taken but what this session was answered itself."""

    records: "Records"
    _answered: set[tuple[str, str, str]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def find(self, episode: Episode, span: str, package: "EvidencePackage") -> "SpanJudgment | None":
        """Return the outcome of a span that was asked about already."""
        with self._lock:
            # Repeats of an episode may have the same evidence; each is asked about.
            answered = (episode.id, span, package.digest) in self._answered
        return self.records.find(episode, span, package) if answered else None

    def failed(self, episode: Episode, outcome: "SpanJudgment") -> None:
        """Keep that a span came to no accepted answer, where the records want to know."""
        from pytest_memuse.judging.llm.run_policy import KeepsErrors

        if isinstance(self.records, KeepsErrors):
            self.records.failed(episode, outcome)

    def accepted(self, episode: Episode, outcome: "SpanJudgment") -> None:
        """Keep an accepted answer in the place of the one before."""
        self.records.accepted(episode, outcome)
        with self._lock:
            self._answered.add((episode.id, outcome.span, outcome.evidence))


def check_judged(left: Mapping[str, int], spans: int, settings: Settings, suite: str, judge: Judge) -> None:
    """Raise `MemuseError` where spans were left that none may be left of; ``left`` counts them by arc.

    That is where the mode asks nobody about spans without a record, and where the run is to be stored.
    """
    judging = settings.judging
    if judging.rejudging is Rejudging.BASELINE and any(left.values()) and judging.asks:
        stopped = f": {judge.stopped}" if isinstance(judge, EpisodesJudge) else ""
        raise MemuseError(
            f"suite {printable(suite)!r}: {sum(left.values())} of {counted(spans, 'span')} are left unjudged{stopped}; "
            f"baseline {printable(judging.baseline)} is not stored by halves",
            reason="unjudged",
            mend="run the same command again; answers that were accepted are kept",
        )
    if judging.mode != "none" or not any(left.values()) or not any(recording_judges(judge)):
        return
    because = " (the mode of CI)" if settings.in_ci else ""
    raise MemuseError(
        f"suite {printable(suite)!r}: {told_by_arc(left, spans)}, and --memuse-judge-mode=none{because} asks nobody",
        reason="no-record",
        mend="run `pytest --memuse-judge-mode=new` where the judge's model can be asked, with its key in the "
        f"environment, and commit the records that it keeps ({_shown(settings, suite)})",
    )


def told_by_arc(left: Mapping[str, int], spans: int) -> str:
    """Return how many spans have no record, and of which arcs they are."""
    arcs = [f"{printable(arc, 60)} ({count})" for arc, count in left.items() if count]
    more = f" and {counted(len(arcs) - _LISTED, 'more arc')}" if len(arcs) > _LISTED else ""
    of = sum(left.values())
    verb = "has" if of == 1 else "have"
    return (
        f"{of} of {counted(spans, 'span')} {verb} no record of the judge's answer, in {', '.join(arcs[:_LISTED])}{more}"
    )


def _shown(settings: Settings, suite: str) -> str:
    return str(records_folder(settings.cassettes, suite).relative_to(settings.cassettes.parent))


def _why_silent(judging: JudgingSettings) -> str:
    return "nobody is asked while judgments are judged again" if judging.lenient else "the judge mode is none"
