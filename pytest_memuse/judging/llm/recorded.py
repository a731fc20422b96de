"""A judge that has only what was recorded of it: its kept answers, and nobody to ask."""

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from threading import Event

from pytest_memuse.judging.answers import JudgeIdentity, Judgment
from pytest_memuse.judging.evidence import EpisodeCase, EvidencePackage
from pytest_memuse.judging.llm.outcome import SpanJudgment
from pytest_memuse.judging.llm.records import JudgmentRecords, kept_judges
from pytest_memuse.judging.llm.run_policy import RunPolicy
from pytest_memuse.judging.llm.settings import RunLimits
from pytest_memuse.judging.llm.spending import Spending
from pytest_memuse.judging.run import Asked, Judged, Lines
from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.model.errors import inert, nearest
from pytest_memuse.spans import Span

OF_A_SUITE = "judgments"
"""The folder of a suite's records beside its recordings."""

_UNKNOWN = "there is no record of an answer"


class RecordedJudge:
    """Gives the answers that a judge's records hold for unchanged evidence; other spans are left unjudged."""

    def __init__(self, records: JudgmentRecords) -> None:
        self._records = records
        self._reference = shows_reference(records.identity)

    @property
    def identity(self) -> JudgeIdentity:
        """The identity of the judge whose answers these are."""
        return self._records.identity

    @property
    def stopped(self) -> str:
        """Why spans are left unjudged."""
        return _UNKNOWN

    def judged_episodes(
        self,
        episodes: Iterable[Episode],
        lines: Lines | None = None,
        executor: Executor | None = None,
        asked: Asked | None = None,
    ) -> Judged:
        """Yield each episode with its spans and what the records say of them, in the order given."""
        limits = RunLimits(parallel=1)
        spending = Spending(limits)
        spending.stop(_UNKNOWN)
        return RunPolicy(_nobody, limits, spending, self._records, self._reference).episodes(episodes, lines, asked)

    def judge(self, episode: Episode, spans: tuple[Span, ...], span: Span) -> Judgment | None:
        """Return the recorded judgment of one span, None where there is none."""
        try:
            package = self.case(episode, spans).package(span)
        except MemuseError:
            return None
        found = self._records.find(episode, span.id, package)
        return None if found is None else found.judgment

    def case(self, episode: Episode, spans: Sequence[Span]) -> EpisodeCase:
        """Return the evidence of an episode, its inputs replayed, as the judge was shown it."""
        return EpisodeCase(episode, spans, reference=self._reference)


def records_at(path: Path) -> tuple[JudgmentRecords, ...]:
    """Return the records at a path, a judge each: a folder of records, the sub-folder of a judge, or a suite's folder.

    Raises `MemuseError` where there are none, and `FormatError` for what is damaged.
    """
    if found := kept_judges(path) or kept_judges(path / OF_A_SUITE):
        return found
    beside = kept_judges(path.parent)
    if found := tuple(records for records in beside if records.folder.name == path.name):
        return found
    raise MemuseError(
        f"{inert(str(path))} holds no judgment records{nearest(path.name, [each.folder.name for each in beside])}",
        reason="no-record",
        mend=f"name the folder that --records was given, or `{OF_A_SUITE}` in a suite's folder of cassettes",
    )


def recorded_judge(path: Path) -> RecordedJudge:
    """Return the judge whose answers are kept at a path, as `records_at` takes it.

    Raises `MemuseError` where there is none, or where there are several and ``path`` does not say which.
    """
    found = records_at(path)
    if len(found) > 1:
        names = [records.folder.name for records in found]
        raise MemuseError(
            f"{inert(str(path))} keeps the answers of {len(found)} judges: {', '.join(map(inert, names))}",
            reason="several-judges",
            mend=f"say which: records:{inert(str(found[0].folder))}",
        )
    return RecordedJudge(found[0])


def shows_reference(identity: JudgeIdentity) -> bool:
    """Return whether a judge is shown a task's reference facts, which its identity says."""
    return identity.settings.get("reference") != str(False)


def _nobody(span: str, package: EvidencePackage, left: Event) -> SpanJudgment | None:
    return None
