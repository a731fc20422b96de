"""Several judges as one: each signal from the first that determines it, or from the one that is named for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pytest_memuse.judging.answers import Assessment, Judge, JudgeIdentity, Judgment, Signal
from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.spans import Span

VERSION = "1"
"""Version of the rules by which judgments are combined."""


@dataclass(frozen=True)
class Combined:
    """Takes each signal of a span from the first judge that determines it there, in the order given.

    ``by_signal`` names the judge of a signal by its place, from 0; no other is asked for it then. Anchors, and whether
    the window was read, come with the influence. An effect that goes with another judge's influence than *acted on*
    is reset by the verdict rules, and counted. Where a judge that a signal depends on has no accepted answer, the whole
    span has none: the error is not made up for by a judge of less.
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

    def judge(self, episode: Episode, spans: tuple[Span, ...], span: Span) -> Judgment | None:
        """Return the judgment of one eligible span. No judge is asked that no signal is left for."""
        sources: dict[Signal, Judgment] = {}
        for place, judge in enumerate(self.judges):
            wanted = frozenset(signal for signal in Signal if self._asks(signal, place) and signal not in sources)
            if not wanted:
                continue
            given = judge.judge(episode, spans, span)
            if given is None:
                return None
            sources |= dict.fromkeys(sorted(wanted & given.determines), given)
        return Judgment(
            span.id,
            tuple(_merged(sources, index) for index in range(len(span.entries))),
            frozenset(sources),
            summary="\n".join(dict.fromkeys(one.summary for one in sources.values() if one.summary)),
        )

    def _asks(self, signal: Signal, place: int) -> bool:
        return self.by_signal.get(signal, place) == place


def _merged(sources: Mapping[Signal, Judgment], index: int) -> Assessment:
    rows = {signal: judgment.assessments[index] for signal, judgment in sources.items()}
    values: dict[str, Any] = {signal.value: None for signal in Signal}
    values |= {signal.value: getattr(row, signal.value) for signal, row in rows.items()}
    acting = rows.get(Signal.INFLUENCE)
    return Assessment(
        **values,
        anchors=acting.anchors if acting is not None else (),
        window_read=acting.window_read if acting is not None else True,
        notes={signal: row.notes[signal] for signal, row in rows.items() if signal in row.notes},
    )
