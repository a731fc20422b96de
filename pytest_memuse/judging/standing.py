"""How far a span has come while several judges are asked about it, one after the other."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_memuse.judging.answers import Assessment, Judge, Judgment, Signal
from pytest_memuse.model import Episode
from pytest_memuse.spans import Span


@dataclass(frozen=True, slots=True)
class Standing:
    """What the judges that were asked so far gave of one span.

    ``sources`` holds, for each signal, the judgment that it is taken from. No further judge is asked where one of them
    came to no accepted answer (``failed``, for the reason given if there is one) or left the span ``unjudged``.
    """

    sources: Mapping[Signal, Judgment] = field(default_factory=dict)
    failed: bool = False
    unjudged: bool = False
    reason: str = ""

    @property
    def over(self) -> bool:
        """Whether no further judge is asked, whatever is missing."""
        return self.failed or self.unjudged

    def after(self, wanted: Set[Signal], given: Judgment | None, reason: str = "") -> "Standing":
        """Return the standing after a judge was asked for these signals."""
        if given is None:
            return replace(self, failed=True, reason=reason)
        taken = dict.fromkeys(sorted(wanted & given.determines), given)
        return replace(self, sources={**self.sources, **taken})

    def judgment(self, span: Span) -> Judgment | None:
        """Return what the judges say together of the span; None where one of them has no accepted answer."""
        if self.over:
            return None
        return Judgment(
            span.id,
            tuple(self._merged(index) for index in range(len(span.entries))),
            frozenset(self.sources),
            summary="\n".join(dict.fromkeys(one.summary for one in self.sources.values() if one.summary)),
        )

    def _merged(self, index: int) -> Assessment:
        rows = {signal: judgment.assessments[index] for signal, judgment in self.sources.items()}
        values: dict[str, Any] = {signal.value: None for signal in Signal}
        values |= {signal.value: getattr(row, signal.value) for signal, row in rows.items()}
        acting = rows.get(Signal.INFLUENCE)
        return Assessment(
            **values,
            anchors=acting.anchors if acting is not None else (),
            window_read=acting.window_read if acting is not None else True,
            notes={signal: row.notes[signal] for signal, row in rows.items() if signal in row.notes},
        )


@dataclass(frozen=True, slots=True)
class Share:
    """One of several judges, and the signals that may be taken from it."""

    judge: Judge
    signals: frozenset[Signal]

    def wanted(self, standing: Standing) -> frozenset[Signal]:
        """Return the signals that the judge is still to be asked for; it is not asked where there are none."""
        return frozenset() if standing.over else self.signals - standing.sources.keys()


def asked_in_turn(
    shares: Iterable[Share], episode: Episode, spans: tuple[Span, ...], span: Span, standing: Standing
) -> Standing:
    """Return the standing of a span after these judges were asked about it, each if it is still needed."""
    for share in shares:
        if wanted := share.wanted(standing):
            standing = standing.after(wanted, share.judge.judge(episode, spans, span))
    return standing
