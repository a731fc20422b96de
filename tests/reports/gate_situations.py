"""Comparisons of small runs for the tests of what the gate shows: one for each situation that a person can meet.

Most have at most thirteen arcs, of which every exchange is counted, so that no bound depends on a generator's stream;
those with bounds that are not rough need more.
"""

from dataclasses import replace
from functools import cache

from pytest_memuse.gate.comparison import Comparison, Refusal, compare
from pytest_memuse.gate.tolerance import Tolerance
from pytest_memuse.profiles.rows import EpisodeRow, Run, Usage
from tests.gate.rows import entry, episode, span, suite

PORT = "the billing service listens on port 9091"
STALE = "the billing service listens on port 8081"
OWNER = "the billing service belongs to team Alder"


def steady(arc: str, number: int) -> list[EpisodeRow]:
    """An arc in which the agent uses what it is given; every fourth arc needs a step more, every fifth fails."""
    used = entry(item=f"mem-{number}", text=PORT)
    return [
        episode(arc, task="plant", steps=3),
        episode(arc, span(used, characters=400 + 8 * number), success=number % 5 != 4, steps=6 + (number % 4 == 3)),
    ]


def stale_from(first: int):
    """Return arcs that deliver a superseded value, and an entry beside it, from the given number on; the task fails."""

    def make(arc: str, number: int) -> list[EpisodeRow]:
        if number < first:
            return steady(arc, number)
        harmful = entry(item=f"mem-{number}", text=STALE, usage=Usage.MISUSED)
        beside = entry(item=f"mem-{number}-owner", text=OWNER, usage=Usage.IGNORED, relevance=False)
        delivered = span(harmful, beside, characters=900 + 8 * number)
        return [episode(arc, task="plant", steps=3), episode(arc, delivered, success=False, steps=9)]

    return make


def _failed() -> Comparison | Refusal:
    return compare(suite(20, steady), suite(20, stale_from(4)))


def _passed() -> Comparison | Refusal:
    run = suite(12, steady)
    recordings = {arc: f"digest-{arc}" for arc in run.arcs}
    return compare(run, run, recordings=(recordings, recordings))


def _few_arcs() -> Comparison | Refusal:
    return compare(suite(4, steady), suite(4, stale_from(2)))


def _inconclusive() -> Comparison | Refusal:
    """Some arcs are worse, and some deliver less, so that no figure differs by more than chance explains."""

    def mixed(arc: str, number: int) -> list[EpisodeRow]:
        if number % 8 == 0:
            return stale_from(0)(arc, number)
        plant, probe = steady(arc, number)
        if number % 3 == 1:
            used = entry(item=f"mem-{number}", text=PORT)
            probe = replace(probe, spans=(span(used, characters=240),))
        return [plant, replace(probe, success=number % 7 != 4)]

    return compare(suite(12, steady), suite(12, mixed))


def _improved() -> Comparison | Refusal:
    return compare(suite(12, stale_from(2)), suite(12, steady))


def _refused() -> Comparison | Refusal:
    """Of twenty-four tasks two are another task now, and one arc of two tasks is gone."""
    then = suite(12, steady)
    now = tuple(
        replace(one, task_digest="d2") if one.arc in ("arc-00", "arc-01") and one.task == "probe" else one
        for one in then.episodes
        if one.arc != "arc-02"
    )
    return compare(then, replace(then, episodes=now))


def _undefined_now() -> Comparison | Refusal:
    """The memory delivers nothing any more."""

    def silent(arc: str, number: int) -> list[EpisodeRow]:
        return [episode(arc, task="plant", steps=3), episode(arc, success=False, steps=11)]

    return compare(suite(12, steady), suite(12, silent))


def _not_gated() -> Comparison | Refusal:
    """A judge that determines relevance alone, and a figure that can get worse in neither direction."""

    def unjudged(arc: str, number: int) -> list[EpisodeRow]:
        return [episode(arc, span(entry(), determines=("relevance",), characters=400 + 8 * number))]

    names = ("outcome_rate", "relevance_share", "harm_yield", "benefit_yield", "restatement_share", "steps")
    return compare(suite(12, unjudged), suite(12, unjudged), figures=names)


def _unmatched() -> Comparison | Refusal:
    """One task is gone, another has changed, seven are new, and something was delivered outside every episode."""
    then, now = suite(12, steady), suite(12, stale_from(6))
    changed = tuple(
        replace(one, task_digest="d2") if (one.arc, one.task) == ("arc-01", "probe") else one
        for one in now.episodes
        if (one.arc, one.task) != ("arc-00", "plant")
    )
    new = tuple(episode("arc-11", task=f"extra-{number}", steps=2) for number in range(7))
    outside = (span(characters=6_000),)
    return compare(then, replace(now, episodes=(*changed, *new), outside=outside))


def _rough() -> Comparison | Refusal:
    return compare(suite(12, steady), suite(12, stale_from(5)))


def _tolerance() -> Comparison | Refusal:
    limits = {
        "outcome_rate": Tolerance(0.95),
        "delivered_tokens": Tolerance(1.5, relative=True),
        "harm_yield": Tolerance(2.0),
        "relevance_share": Tolerance(0.05),
    }
    return compare(suite(20, steady), suite(20, stale_from(1)), tolerances=limits, figures=tuple(limits))


def _repeats() -> Comparison | Refusal:
    """Every task was run twice in the baseline and three times now."""

    def repeated(make, times: int):
        return lambda arc, number: [
            replace(one, id=f"{one.id}-{turn}") for turn in range(times) for one in make(arc, number)
        ]

    return compare(suite(12, repeated(steady, 2)), suite(12, repeated(stale_from(10), 3)))


_MADE = {
    "failed": _failed,
    "passed": _passed,
    "few-arcs": _few_arcs,
    "inconclusive": _inconclusive,
    "improved": _improved,
    "refused": _refused,
    "undefined-now": _undefined_now,
    "not-gated": _not_gated,
    "unmatched": _unmatched,
    "rough": _rough,
    "tolerance": _tolerance,
    "repeats": _repeats,
}


@cache
def situation(name: str) -> Comparison:
    """Return a comparison by its name."""
    compared = _MADE[name]()
    assert isinstance(compared, Comparison)
    return compared


def refusal() -> Refusal:
    """Return the comparison that is refused."""
    compared = _refused()
    assert isinstance(compared, Refusal)
    return compared


def nothing_gated() -> Comparison:
    """Return a comparison of which no figure could be gated."""
    run = Run("billing", tuple(suite(6, steady).episodes))
    compared = compare(run, run, figures=("restatement_share",))
    assert isinstance(compared, Comparison)
    return compared
