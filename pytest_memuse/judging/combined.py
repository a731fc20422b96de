"""Several judges as one: each signal from the first that determines it, or from the one that is named for it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pytest_memuse.judging.answers import Judge, JudgeIdentity, Judgment, Signal
from pytest_memuse.judging.run import Asked, EpisodesJudge, Judged, Lines
from pytest_memuse.judging.stages import judged_in_stages
from pytest_memuse.judging.standing import Share, Standing, asked_in_turn
from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.spans import Span

if TYPE_CHECKING:
    from pytest_memuse.judging.llm.outcome import Usage
    from pytest_memuse.judging.llm.run_policy import Records

VERSION = "1"
"""Version of the rules by which judgments are combined."""


@dataclass(frozen=True)
class Combined:
    """Takes each signal of a span from the first judge that determines it there, in the order given.

    ``by_signal`` names the judge of a signal by its place, from 0; no other is asked for it then. Anchors, and whether
    the window was read, come with the influence. An effect that goes with another judge's influence than *acted on*
    is reset by the verdict rules, and counted. Where a judge that a signal depends on has no accepted answer, the whole
    span has none: the error is not made up for by a judge of less. No judge is asked that no signal is left for, so
    that a model which comes after a person's labels costs nothing where they say all.
    """

    judges: tuple[Judge, ...]
    by_signal: Mapping[Signal, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.judges:
            raise MemuseError("no judge to combine", reason="no-judge", mend="give at least one")
        for signal, place in self.by_signal.items():
            if not 0 <= place < len(self.judges):
                raise MemuseError(
                    f"{signal.value} is to come from judge {place}, and the judges are 0 to {len(self.judges) - 1}",
                    reason="no-judge",
                    mend="count the judges from 0",
                )

    @cached_property
    def identity(self) -> JudgeIdentity:
        """Kind *combined*; its settings hold every judge's identity by its place, counted from 1."""
        settings: dict[str, str] = {}
        for number, part in enumerate(self.parts, start=1):
            settings[str(number)] = str(part)
        for signal in sorted(self.by_signal):
            settings[signal.value] = f"from {self.by_signal[signal] + 1}"
        models = ", ".join(dict.fromkeys(part.model for part in self.parts if part.model))
        return JudgeIdentity("combined", VERSION, models, settings)

    @property
    def parts(self) -> tuple[JudgeIdentity, ...]:
        """The identities of the judges, in order."""
        return tuple(judge.identity for judge in self.judges)

    @property
    def stopped(self) -> str:
        """Why judges left spans unjudged; empty where none did."""
        reasons = (judge.stopped for judge in self.judges if isinstance(judge, EpisodesJudge))
        return "; ".join(dict.fromkeys(filter(None, reasons)))

    @property
    def usage(self) -> "Usage":
        """What the judges that ask a model have used since they were made."""
        from pytest_memuse.judging.llm.outcome import Usage, total

        used = (getattr(judge, "usage", None) for judge in self.judges)
        return total(one for one in used if isinstance(one, Usage))

    def judge(self, episode: Episode, spans: tuple[Span, ...], span: Span) -> Judgment | None:
        """Return the judgment of one eligible span; an unjudged span cannot be told from an error here."""
        return asked_in_turn(self._shares, episode, spans, span, Standing()).judgment(span)

    def judged_episodes(
        self,
        episodes: Iterable[Episode],
        lines: Lines | None = None,
        executor: Executor | None = None,
        asked: Asked | None = None,
    ) -> Judged:
        """Yield each episode with its spans and what the judges say of them together, in the order given.

        A judge with limits of its own is given at once all spans of which something is left for it; the others are
        asked span by span, through the executor if there is one.
        """
        return judged_in_stages(self._shares, episodes, lines, executor, asked)

    @property
    def _shares(self) -> tuple[Share, ...]:
        return tuple(
            Share(judge, frozenset(signal for signal in Signal if self.by_signal.get(signal, place) == place))
            for place, judge in enumerate(self.judges)
        )


def judges_in(judge: Judge) -> Iterator[Judge]:
    """Yield the judges of a combination, those of combinations within it too; any other judge alone."""
    if isinstance(judge, Combined):
        for part in judge.judges:
            yield from judges_in(part)
    else:
        yield judge


def with_each(judge: Judge, change: Callable[[Judge], Judge]) -> Judge:
    """Return a judge with each of `judges_in` changed, put together as they were."""
    if isinstance(judge, Combined):
        return replace(judge, judges=tuple(with_each(part, change) for part in judge.judges))
    return change(judge)


@runtime_checkable
class KeepsAnswers(Judge, Protocol):
    """A judge whose accepted answers can be kept and given back."""

    def with_records(self, records: "Records | None") -> Judge: ...


def keeping(judge: Judge, records: "Callable[[JudgeIdentity], Records | None]") -> Judge:
    """Return a judge with its accepted answers kept where ``records`` says for its identity.

    In a combination it is asked for the identity of each judge that can keep some; a judge that cannot is returned as
    it is.
    """
    return with_each(
        judge, lambda part: part.with_records(records(part.identity)) if isinstance(part, KeepsAnswers) else part
    )
