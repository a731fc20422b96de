"""The one registry of figures."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from pytest_memuse.judging.answers import Signal
from pytest_memuse.profiles.axes import AXES, UNCERTAINTIES, Axis, count_on, profiled, share_on
from pytest_memuse.profiles.figure_spec import Bound, Contribution, FigureSpec, Kind, Worse
from pytest_memuse.profiles.open_entries import with_open_entries
from pytest_memuse.profiles.rows import EpisodeRow, RowOutcome, Triage

__all__ = ["DEFAULT_GATED", "FIGURES", "Bound", "Contribution", "FigureSpec", "Kind", "Worse"]

_NO_PROFILE = "no span of this run was profiled"
_USE = frozenset({Signal.INFLUENCE, Signal.EFFECT})
_BENEFIT, _HARM = AXES["benefit"], AXES["harm"]


def _counting(make: Callable[[Axis], FigureSpec], axis: Axis) -> FigureSpec:
    """Return a figure that counts an axis's entries, with what it would be at most: uncertainties are known as such."""
    if axis.name not in AXES or axis is not AXES[axis.name]:
        return make(axis)
    most = make(with_open_entries(axis))
    highest = replace(most, name=f"{most.name}.highest", title=f"{most.title}, highest")
    return replace(make(axis), axis=axis, highest=highest)


def _share(name: str, title: str, worse: Worse, axis: Axis) -> FigureSpec:
    return _counting(lambda counted: _share_of(name, title, worse, counted), axis)


def _share_of(name: str, title: str, worse: Worse, axis: Axis) -> FigureSpec:
    return FigureSpec(
        name,
        title,
        "share of entries, mean over profiled spans",
        worse,
        lambda e: (sum(share_on(axis, span) for span in profiled(e)), len(profiled(e))),
        lambda e: (sum(count_on(axis, s) for s in profiled(e)), sum(len(s.entries) for s in profiled(e))),
        axis.counted,
        "entries of profiled spans",
        _NO_PROFILE,
        rests_on=axis.rests_on,
        entry=axis.holds,
    )


def _yield(name: str, title: str, worse: Worse, axis: Axis) -> FigureSpec:
    return _counting(lambda counted: _yield_of(name, title, worse, counted), axis)


def _yield_of(name: str, title: str, worse: Worse, axis: Axis) -> FigureSpec:
    def parts(episode: EpisodeRow) -> tuple[int, int]:
        spans = profiled(episode)
        return sum(count_on(axis, span) for span in spans), len(spans)

    return FigureSpec(
        name,
        title,
        "entries per 100 profiled spans",
        worse,
        parts,
        parts,
        axis.counted,
        "profiled spans",
        _NO_PROFILE,
        rests_on=axis.rests_on,
        scale=100.0,
        kind=Kind.COUNT,
        entry=axis.holds,
    )


def _coverage(name: str, title: str, worse: Worse, counted: str, axis: Axis | None) -> FigureSpec:
    if axis is None:
        return _coverage_of(name, title, worse, counted, axis)
    return _counting(lambda one: _coverage_of(name, title, worse, counted, one), axis)


def _coverage_of(name: str, title: str, worse: Worse, counted: str, axis: Axis | None) -> FigureSpec:
    def parts(episode: EpisodeRow) -> tuple[int, int]:
        return int(any(axis is None or count_on(axis, span) for span in profiled(episode))), 1

    return FigureSpec(
        name,
        title,
        "share of recorded episodes",
        worse,
        parts,
        parts,
        counted,
        "recorded episodes",
        "no episode was recorded",
        rests_on=axis.rests_on if axis is not None else frozenset(),
        entry=axis.holds if axis is not None else None,
    )


def _triage_rate(triage: Triage, worse: Worse) -> FigureSpec:
    def parts(episode: EpisodeRow) -> tuple[int, int]:
        labels = [s.triage for s in episode.spans if s.outcome in (RowOutcome.JUDGED, RowOutcome.NEUTRAL)]
        return sum(label is triage for label in labels), len(labels)

    return FigureSpec(
        f"{triage.value}_rate",
        f"{triage.value} spans",
        "share of spans with a triage label",
        worse,
        parts,
        parts,
        f"{triage.value} spans",
        "spans with a triage label",
        "no span of this run has a triage label",
        rests_on=_USE,
    )


def _outcome(episode: EpisodeRow) -> tuple[int, int]:
    return int(episode.success is True), int(episode.success is not None)


def _tokens(episode: EpisodeRow) -> int:
    return sum(span.tokens for span in episode.spans)


def _efficiency(axis: Axis) -> FigureSpec:
    def parts(episode: EpisodeRow) -> tuple[int, int]:
        return sum(count_on(axis, span) for span in profiled(episode)), _tokens(episode)

    return FigureSpec(
        "token_efficiency",
        "token efficiency",
        "beneficial entries per million delivered tokens",
        Worse.LOWER,
        parts,
        parts,
        axis.counted,
        "delivered tokens",
        "no memory text was delivered",
        rests_on=_USE,
        scale=1e6,
        kind=Kind.RATE,
        entry=axis.holds,
        if_redacted=Bound.AT_MOST,
        outside=lambda span: (0, span.tokens),
    )


def _delivered(episode: EpisodeRow) -> tuple[int, int]:
    return _tokens(episode), 1


def _restated(episode: EpisodeRow) -> tuple[int, int]:
    return sum(s.deliveries - 1 for s in episode.spans), sum(s.deliveries for s in episode.spans)


def _steps(episode: EpisodeRow) -> tuple[int, int]:
    return episode.steps, 1


_SPECS = (
    FigureSpec(
        "outcome_rate",
        "tasks solved",
        "share of episodes with a known outcome",
        Worse.LOWER,
        _outcome,
        _outcome,
        "successful episodes",
        "episodes with a known outcome",
        "no episode of this run has a known outcome",
    ),
    _share("relevance_share", "relevance", Worse.LOWER, AXES["relevance"]),
    _share("corroboration_share", "corroboration", Worse.LOWER, AXES["corroboration"]),
    _share("information_gain_share", "information gain", Worse.LOWER, AXES["information_gain"]),
    _share("acted_on_share", "acted on", Worse.LOWER, AXES["acted_on"]),
    _share("benefit_share", "benefit", Worse.LOWER, AXES["benefit"]),
    _share("harm_share", "harm", Worse.HIGHER, AXES["harm"]),
    _share("accuracy_uncertainty", "accuracy uncertainty", Worse.NEITHER, UNCERTAINTIES["accuracy"]),
    _share("novelty_uncertainty", "novelty uncertainty", Worse.NEITHER, UNCERTAINTIES["novelty"]),
    _share("influence_uncertainty", "influence uncertainty", Worse.NEITHER, UNCERTAINTIES["influence"]),
    _share("effect_uncertainty", "effect uncertainty", Worse.NEITHER, UNCERTAINTIES["effect"]),
    _yield("benefit_yield", "benefit yield", Worse.LOWER, _BENEFIT),
    _yield("harm_yield", "harm yield", Worse.HIGHER, _HARM),
    _counting(_efficiency, _BENEFIT),
    FigureSpec(
        "delivered_tokens",
        "delivered tokens",
        "estimated tokens per recorded episode",
        Worse.HIGHER,
        _delivered,
        _delivered,
        "delivered tokens",
        "recorded episodes",
        "no episode was recorded",
        kind=Kind.AMOUNT,
        if_redacted=Bound.AT_LEAST,
        outside=lambda span: (span.tokens, 0),
    ),
    _coverage("coverage_profiled", "episodes with a profile", Worse.NEITHER, "profiled episodes", None),
    _coverage("coverage_relevant", "episodes with relevance", Worse.LOWER, "relevant episodes", AXES["relevance"]),
    _coverage("coverage_beneficial", "episodes with benefit", Worse.LOWER, "beneficial episodes", _BENEFIT),
    _coverage("coverage_harmful", "episodes with harm", Worse.HIGHER, "harmful episodes", _HARM),
    _triage_rate(Triage.POSITIVE, Worse.LOWER),
    _triage_rate(Triage.NEGATIVE, Worse.HIGHER),
    _triage_rate(Triage.NEUTRAL, Worse.NEITHER),
    _triage_rate(Triage.UNRESOLVED, Worse.NEITHER),
    FigureSpec(
        "restatement_share",
        "restatements",
        "share of deliveries",
        Worse.NEITHER,
        _restated,
        _restated,
        "restatements",
        "deliveries",
        "no memory was delivered",
    ),
    FigureSpec(
        "steps",
        "agent steps",
        "steps per recorded episode",
        Worse.HIGHER,
        _steps,
        _steps,
        "agent steps",
        "recorded episodes",
        "no episode was recorded",
        kind=Kind.AMOUNT,
    ),
)

FIGURES: Mapping[str, FigureSpec] = MappingProxyType({spec.name: spec for spec in _SPECS})
"""Every figure by its name, in the order in which reports show them."""

DEFAULT_GATED = (
    "outcome_rate",
    "coverage_beneficial",
    "harm_yield",
    "relevance_share",
    "token_efficiency",
    "delivered_tokens",
)
"""The figures that a gate compares unless told otherwise, each only where it is defined."""
