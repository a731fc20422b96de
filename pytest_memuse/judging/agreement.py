"""Agreement of a judge with labels that a construction forces: right, wrong and undetermined, signal by signal."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pytest_memuse.judging.answers import Influence, Judge, Judgment, Signal
from pytest_memuse.judging.kappa import Kappa, kappa_of
from pytest_memuse.judging.labels import LabelledCase, Value
from pytest_memuse.judging.run import Lines, judge_episodes


@dataclass(frozen=True, slots=True)
class Scored:
    """One forced signal of one entry: what the construction forces, what the judge gave, and why.

    ``answered`` is False where the judge does not determine the signal, or gave no accepted answer for the span.
    ``entry`` counts from 1 within the case.
    """

    source: str
    case: str
    entry: int
    signal: Signal
    expected: Value
    given: Value
    note: str = ""
    answered: bool = True

    @property
    def right(self) -> bool:
        """Whether the judge gave what is forced; where *undetermined* is forced, that is None."""
        return self.answered and self.given == self.expected

    @property
    def undetermined(self) -> bool:
        """Whether the judge looked and left a value open that is forced."""
        return self.answered and self.given is None and self.expected is not None

    @property
    def wrong(self) -> bool:
        """Whether the judge gave another value than the forced one."""
        return self.answered and not self.right and not self.undetermined

    @property
    def false_claim(self) -> bool:
        """Whether the judge said *acted on* where the construction has no action of the entry, or leaves it open."""
        return self.wrong and self.signal is Signal.INFLUENCE and self.given is Influence.ACTED_ON


@dataclass(frozen=True, slots=True)
class SignalAgreement:
    """How a judge agrees with the forced labels of one signal.

    ``unanswered`` labels enter nothing else. ``confusion`` counts (forced, given) pairs, *undetermined* among their
    values as None. ``kappa`` takes *undetermined* for a value like any other, so that silence is no agreement;
    ``kappa_determined`` is over the labels that the judge determined, right or wrong.
    """

    signal: Signal
    right: int
    wrong: int
    undetermined: int
    unanswered: int
    confusion: Mapping[tuple[Value, Value], int]
    kappa: Kappa
    kappa_determined: Kappa


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a judge made of labelled cases. Signals that no label forces are absent."""

    cases: int
    entries: int
    signals: tuple[SignalAgreement, ...]
    scored: tuple[Scored, ...]

    @property
    def mistakes(self) -> tuple[Scored, ...]:
        """The scored signals that are wrong, in order of source, case and entry."""
        return tuple(one for one in self.scored if one.wrong)

    @property
    def open(self) -> tuple[Scored, ...]:
        """The scored signals that are forced to a value and that the judge left undetermined."""
        return tuple(one for one in self.scored if one.undetermined)

    @property
    def false_claims(self) -> tuple[Scored, ...]:
        """Where the judge said *acted on* and the construction does not."""
        return tuple(one for one in self.scored if one.false_claim)

    @property
    def without_action(self) -> int:
        """How many judged entries are forced to another influence than *acted on*."""
        influence = (one for one in self.scored if one.signal is Signal.INFLUENCE and one.answered)
        return sum(one.expected is not Influence.ACTED_ON for one in influence)

    def of(self, signal: Signal) -> SignalAgreement:
        """Return the agreement on a signal. Raises `KeyError` where no label forces it."""
        return {one.signal: one for one in self.signals}[signal]


def measure(judge: Judge, cases: Iterable[LabelledCase], lines: Lines | None = None) -> Agreement:
    """Judge labelled cases and compare with what their construction forces. The order of cases has no influence.

    A judge that asks a model tells its progress through ``lines``.
    """
    found = list(cases)
    judged = judge_episodes(judge, (case.episode for case in found), lines=lines)
    scored = [one for case, (_, given) in zip(found, judged, strict=True) for one in score(case, given.judgments)]
    return _agreement(len(found), sum(len(case.labels) for case in found), scored)


def together(agreements: Iterable[Agreement]) -> Agreement:
    """Return the agreement on several sets as on one, from what was judged already."""
    found = list(agreements)
    return _agreement(
        sum(one.cases for one in found),
        sum(one.entries for one in found),
        (scored for one in found for scored in one.scored),
    )


def _agreement(cases: int, entries: int, found: Iterable[Scored]) -> Agreement:
    scored = sorted(found, key=lambda one: (one.source, one.case, one.entry, list(Signal).index(one.signal)))
    signals = tuple(_signal(signal, [one for one in scored if one.signal is signal]) for signal in Signal)
    return Agreement(cases, entries, tuple(one for one in signals if one is not None), tuple(scored))


def score(case: LabelledCase, judgments: Mapping[str, Judgment | None]) -> Iterator[Scored]:
    """Yield the forced signals of a case, entry by entry, beside what a judge gave for its spans."""
    for number, (span, index, label) in enumerate(case.entries(), start=1):
        judgment = judgments.get(span.id)
        for signal in (signal for signal in Signal if signal in label.forced):
            expected = label.values[signal]
            if judgment is None or signal not in judgment.determines:
                yield Scored(case.source, case.name, number, signal, expected, None, answered=False)
                continue
            assessment = judgment.assessments[index]
            given, note = getattr(assessment, signal.value), assessment.notes.get(signal, "")
            yield Scored(case.source, case.name, number, signal, expected, given, note)


def _signal(signal: Signal, scored: list[Scored]) -> SignalAgreement | None:
    if not scored:
        return None
    answered = [one for one in scored if one.answered]
    return SignalAgreement(
        signal=signal,
        right=sum(one.right for one in answered),
        wrong=sum(one.wrong for one in answered),
        undetermined=sum(one.undetermined for one in answered),
        unanswered=len(scored) - len(answered),
        confusion=Counter((one.expected, one.given) for one in answered),
        kappa=kappa_of(map(_pair, answered)),
        kappa_determined=kappa_of(_pair(one) for one in answered if not one.undetermined),
    )


def _pair(one: Scored) -> tuple[Hashable, Hashable, Hashable]:
    return (one.source, one.case), one.expected, one.given
