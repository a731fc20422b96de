"""Agreement of two judges on one suite, and what their disagreements move in its profile (docs/judging.md)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from pytest_memuse.judging.answers import Influence, Signal
from pytest_memuse.judging.paired import Given, Pair, PairedSignal, paired_signal
from pytest_memuse.profiles.axes import is_profiled
from pytest_memuse.profiles.figure import Counts, UndefinedValue
from pytest_memuse.profiles.replacing import FigureSums, Moved, with_signals
from pytest_memuse.profiles.rows import EntryRow, EpisodeRow, Run, SpanRow
from pytest_memuse.profiles.undefined import Named

_Place = tuple[int, int]
"""Position of an episode in the first run, and of a span in it."""


@dataclass(frozen=True, slots=True)
class KappaFigure:
    """Cohen's kappa with its lower bound (one-sided, 95 %, by arc). What is undefined raises where it is used."""

    value: float | UndefinedValue
    lower: float | UndefinedValue
    labels: int
    arcs: int
    signal: str = ""

    def __repr__(self) -> str:
        found = ", ".join(_shown(name, value) for name, value in (("value", self.value), ("at least", self.lower)))
        return f"<kappa of {self.signal}: {found}; {self.labels} entries in {self.arcs} arcs>"


@dataclass(frozen=True, slots=True)
class SignalAgreement:
    """Agreement on one signal. ``missing`` says why it was not compared, empty where it was."""

    paired: PairedSignal
    missing: str = ""

    @property
    def signal(self) -> Signal:
        return self.paired.signal

    @property
    def raw(self) -> float | UndefinedValue:
        """The share of entries that both judges give the same value."""
        if not self.paired.pairs:
            return self._undefined("raw", self.missing or self.paired.no_kappa)
        return self.paired.agreed / len(self.paired.pairs)

    @property
    def kappa(self) -> KappaFigure:
        """Cohen's kappa. Where it is undefined, its use raises `UndefinedFigure` with the reason."""
        found = self.paired.kappa
        value, lower = found.value, found.lower
        return KappaFigure(
            self._undefined("kappa.value", self.missing or self.paired.no_kappa) if value is None else value,
            self._undefined("kappa.lower", self.missing or self.paired.no_bound) if lower is None else lower,
            found.labels,
            found.cases,
            self.signal.value,
        )

    def __repr__(self) -> str:
        agreed = f"{self.paired.agreed} of {len(self.paired.pairs)} entries"
        return f"<agreement on {self.signal.value}: {self.missing or agreed}>"

    def _undefined(self, name: str, reason: str) -> UndefinedValue:
        spec = Named(f"{self.signal.value}.{name}", name, "", holder="agreement")
        pairs = len(self.paired.pairs)
        return UndefinedValue(spec, Counts(self.paired.agreed, "agreed", pairs, "entries"), reason)


@dataclass(frozen=True, slots=True)
class CellMoves:
    """One kind of disagreement, and what moves where the second judge's value stands for the first's in all of it."""

    first: Given
    second: Given
    entries: int
    moved: tuple[Moved, ...]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One entry of which the judges differ, what it is, and what moves where the second judge's value is taken."""

    signal: Signal
    pair: Pair
    task: str
    step: int | None
    entry: EntryRow
    moved: tuple[Moved, ...]


@dataclass(frozen=True)
class JudgesAgreement:
    """How two judges agree on the entries that both judged.

    ``first`` and ``second`` name the judges. Spans are the same where arc, episode, span, first step and the exposed
    texts of the entries are; ``only_first`` and ``only_second`` count the judged spans that the other run judges
    not, or has otherwise. Every signal is an attribute: ``agreement.influence.kappa.lower``.
    """

    first: str
    second: str
    run: Run
    other: Run
    only_first: int
    only_second: int
    spans: Mapping[_Place, SpanRow] = field(repr=False)

    @classmethod
    def of(cls, first: str, run: Run, second: str, other: Run) -> "JudgesAgreement":
        """Return the agreement of two judgings of a suite."""
        theirs = {key: span for key, _, span in _judged(other)}
        spans: dict[_Place, SpanRow] = {}
        mine = 0
        for key, place, _ in _judged(run):
            mine += 1
            if key in theirs:
                spans[place] = theirs[key]
        return cls(first, second, run, other, mine - len(spans), len(theirs) - len(spans), spans)

    @property
    def relevance(self) -> SignalAgreement:
        return self.of_signal(Signal.RELEVANCE)

    @property
    def accuracy(self) -> SignalAgreement:
        return self.of_signal(Signal.ACCURACY)

    @property
    def novelty(self) -> SignalAgreement:
        return self.of_signal(Signal.NOVELTY)

    @property
    def influence(self) -> SignalAgreement:
        return self.of_signal(Signal.INFLUENCE)

    @property
    def effect(self) -> SignalAgreement:
        """The effects of entries that both judges call acted on; of others there is none to agree on."""
        return self.of_signal(Signal.EFFECT)

    @cached_property
    def signals(self) -> tuple[SignalAgreement, ...]:
        """The agreement on every signal, those that were not compared included."""
        return tuple(self._signal(signal) for signal in Signal)

    def of_signal(self, signal: Signal) -> SignalAgreement:
        """Return the agreement on one signal."""
        return next(one for one in self.signals if one.signal is signal)

    def moves(self, signal: Signal | None = None) -> tuple[Moved, ...]:
        """Return the figures that move where a signal is the second judge's throughout; all signals unless one is said.

        An action that only the second judge sees has no effect from the first: taken alone, influence leaves it open.
        """
        if signal is None:
            return self._moved(tuple(Signal), {place: self._different(place) for place in self.spans})
        wanted: dict[_Place, set[int]] = {}
        for place, pair in self._pairs(signal):
            if not pair.agree:
                wanted.setdefault(place, set()).add(pair.entry)
        return self._moved((signal,), wanted)

    def cells(self, signal: Signal) -> tuple[CellMoves, ...]:
        """Return the kinds of disagreement on a signal, the most frequent first, each with what it moves."""
        kinds: dict[tuple[Given, Given], dict[_Place, set[int]]] = {}
        for place, pair in self._pairs(signal):
            if not pair.agree:
                kinds.setdefault((pair.first, pair.second), {}).setdefault(place, set()).add(pair.entry)
        found = [
            CellMoves(*kind, sum(map(len, wanted.values())), self._moved((signal,), wanted))
            for kind, wanted in kinds.items()
        ]
        return tuple(sorted(found, key=lambda cell: (-cell.entries, str(cell.first), str(cell.second))))

    def disagreements(self, *signals: Signal) -> Iterator[Disagreement]:
        """Yield the entries of which the judges differ, by signal (all unless some are said) and in the run's order."""
        for signal in signals or tuple(Signal):
            for place, pair in self._pairs(signal):
                if not pair.agree:
                    episode = self.run.episodes[place[0]]
                    span = episode.spans[place[1]]
                    moved = self._moved((signal,), {place: {pair.entry}})
                    entry = span.entries[pair.entry]
                    yield Disagreement(signal, pair, episode.task, span.first, entry, moved)

    @cached_property
    def _sums(self) -> FigureSums:
        return FigureSums(self.run)

    def _signal(self, signal: Signal) -> SignalAgreement:
        return SignalAgreement(paired_signal(signal, (pair for _, pair in self._pairs(signal))), self._missing(signal))

    def _missing(self, signal: Signal) -> str:
        """Return why a signal has no entry to compare, empty where it has one."""
        if not self.spans:
            return "no span was judged by both judges"
        mine = any(signal.value in self._span(place).determines for place in self.spans)
        theirs = any(signal.value in span.determines for span in self.spans.values())
        if not mine and not theirs:
            return f"neither judge determines {signal.value}"
        if not mine or not theirs:
            return f"{self.first if not mine else self.second} does not determine {signal.value}"
        if not any(True for _ in self._pairs(signal)):
            if signal is Signal.EFFECT:
                return "no entry is acted on in both judges' eyes, so there is no effect to agree on"
            return f"no span has {signal.value} from both judges"
        return ""

    def _pairs(self, signal: Signal) -> Iterator[tuple[_Place, Pair]]:
        for place, other in self.spans.items():
            span, episode = self._span(place), self.run.episodes[place[0]]
            if signal.value not in span.determines or signal.value not in other.determines:
                continue
            for number, (mine, theirs) in enumerate(zip(span.entries, other.entries, strict=True)):
                if signal is Signal.EFFECT and not (_acted_on(mine) and _acted_on(theirs)):
                    continue
                first, second = getattr(mine, signal.value), getattr(theirs, signal.value)
                yield place, Pair(episode.arc, episode.id, span.id, number, first, second)

    def _moved(self, signals: Iterable[Signal], wanted: Mapping[_Place, set[int]]) -> tuple[Moved, ...]:
        changed: dict[int, EpisodeRow] = {}
        for place, entries in wanted.items():
            if not entries:
                continue
            span, other = self._span(place), self.spans[place]
            both = [s for s in signals if s.value in span.determines and s.value in other.determines]
            fresh = with_signals(span, other, both, entries)
            if fresh != span:
                row = changed.get(place[0], self.run.episodes[place[0]])
                changed[place[0]] = _with_span(row, place[1], fresh)
        return self._sums.moved(changed)

    def _different(self, place: _Place) -> set[int]:
        """Return the entries of a span to which the judges give another value of anything, or another label."""
        pairs = zip(self._span(place).entries, self.spans[place].entries, strict=True)
        return {number for number, (mine, theirs) in enumerate(pairs) if _given(mine) != _given(theirs)}

    def _span(self, place: _Place) -> SpanRow:
        return self.run.episodes[place[0]].spans[place[1]]


def _judged(run: Run) -> Iterator[tuple[tuple[object, ...], _Place, SpanRow]]:
    """Yield the judged spans of a run with what they are known by, and their places.

    Repeats of an episode have one name; they are told apart by the order in which they stand.
    """
    seen: dict[tuple[str, str], int] = {}
    for number, episode in enumerate(run.episodes):
        repeat = seen[episode.arc, episode.id] = seen.get((episode.arc, episode.id), -1) + 1
        for index, span in enumerate(episode.spans):
            if is_profiled(span):
                texts = tuple((entry.text, entry.exposure) for entry in span.entries)
                yield (episode.arc, episode.id, repeat, span.id, span.first, texts), (number, index), span


def _with_span(episode: EpisodeRow, index: int, span: SpanRow) -> EpisodeRow:
    return replace(episode, spans=(*episode.spans[:index], span, *episode.spans[index + 1 :]))


def _given(entry: EntryRow) -> tuple[object, ...]:
    return (entry.usage, *(getattr(entry, signal.value) for signal in Signal))


def _acted_on(entry: EntryRow) -> bool:
    return entry.influence == Influence.ACTED_ON


def _shown(name: str, value: float | UndefinedValue) -> str:
    return f"{name} undefined ({value.reason})" if isinstance(value, UndefinedValue) else f"{name} {value:.2f}"
