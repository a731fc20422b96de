"""What figures do in assertions: they keep what stands behind them, tell what is compared, and refuse what is open."""

import math
import operator
import threading
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pytest_memuse.profiles import EntryRow, Figure, Profile, Run, UndefinedFigure
from pytest_memuse.profiles.figure import Compared
from pytest_memuse.profiles.support import Lack, doubts
from tests.profiles.runs import entry, judged, misused, run_of, used


def unclear(item: str = "U") -> EntryRow:
    return entry(item, "acted_on", None)


def run_with(*spans: tuple[EntryRow, ...], arcs: int = 12) -> Run:
    """Return a run of arcs with one plain entry each, and these spans in the first ones."""
    rows = [judged(*(spans[n] if n < len(spans) else (entry(),))) for n in range(arcs)]
    return run_of(*((row,) for row in rows))


class Seen(list[Compared]):
    """What a profile reports."""

    def profile(self, run: Run) -> Profile:
        return Profile.of(run, self.append)

    def told(self) -> list[tuple[str, str, float, bool]]:
        return [(one.figure.name, one.op, one.threshold, one.held) for one in self]

    def lacks(self) -> list[Lack]:
        return [doubt.lack for one in self for doubt in doubts(one)]


@pytest.mark.parametrize(
    ("compare", "told"),
    [
        (lambda f: f < 0.5, ("<", 0.5, True)),
        (lambda f: f <= 0.5, ("<=", 0.5, True)),
        (lambda f: f > 0.5, (">", 0.5, False)),
        (lambda f: f >= 0.5, (">=", 0.5, False)),
        (lambda f: f == 0.5, ("==", 0.5, False)),
        (lambda f: operator.gt(0.5, f), ("<", 0.5, True)),
        (lambda f: f < 1, ("<", 1.0, True)),
        (lambda f: f < np.float64(0.5), ("<", 0.5, True)),
        (lambda f: f < Fraction(1, 2), ("<", 0.5, True)),
    ],
)
def test_a_comparison_with_a_number_is_told_with_the_figure_on_the_left(compare: Any, told: tuple[Any, ...]) -> None:
    seen = Seen()
    compare(seen.profile(run_with((misused(),))).harm_share)
    assert [one[1:] for one in seen.told()] == [told]


def test_a_chain_is_told_comparison_by_comparison_and_two_figures_against_each_other_are_not() -> None:
    seen = Seen()
    profile = seen.profile(run_with((misused(), used())))
    assert 0 <= profile.harm_share < 0.5
    assert [one[1:3] for one in seen.told()] == [(">=", 0.0), ("<", 0.5)]
    seen.clear()
    assert profile.harm_share <= profile.acted_on_share
    assert max(profile.harm_share, profile.acted_on_share) is profile.acted_on_share
    assert sorted([profile.acted_on_share, profile.harm_share])[0] is profile.harm_share
    assert seen == []


def test_formatting_hashing_and_rounding_tell_nothing() -> None:
    seen = Seen()
    figure = seen.profile(run_with((misused(),))).harm_share
    assert (f"{figure:.3f}", str(round(figure, 2)), hash(figure)) == ("0.083", "0.08", hash(1 / 12))
    assert f"{figure}" == str(1 / 12)
    assert repr(figure).startswith("<harm_share 0.0833333: 1 harmful entries / 12 entries of profiled spans, 95 %")
    assert abs(figure) is figure
    assert seen == []


@pytest.mark.parametrize(
    ("calculate", "name", "value", "end"),
    [
        (lambda f: f / 2, "harm_share / 2", 1 / 24, lambda x: x / 2),
        (lambda f: 2 * f, "2 * harm_share", 1 / 6, lambda x: 2 * x),
        (lambda f: f - 1, "harm_share - 1", 1 / 12 - 1, lambda x: x - 1),
        (lambda f: 1 - f, "1 - harm_share", 11 / 12, lambda x: 1 - x),
        (lambda f: (f + 1) * 3, "(harm_share + 1) * 3", 3.25, lambda x: 3 * (x + 1)),
        (lambda f: -f, "-harm_share", -1 / 12, lambda x: -x),
        (lambda f: round(f, 2), "round(harm_share, 2)", 0.08, lambda x: x),
    ],
)
def test_arithmetic_with_a_number_keeps_what_stands_behind_a_figure(
    calculate: Any, name: str, value: float, end: Any
) -> None:
    base = Profile.of(run_with((misused("M"),))).harm_share
    figure = calculate(base)
    assert isinstance(figure, Figure)
    assert (figure.name, float(figure)) == (name, pytest.approx(value))
    assert base.interval is not None
    assert figure.interval == pytest.approx(tuple(sorted(map(end, base.interval))))
    assert [one.item for one in figure.owed_to(too_high=end(0) < end(1))] == ["M"]
    assert figure.counts == base.counts


@pytest.mark.parametrize(
    "calculate",
    [
        lambda f: f * f,
        lambda f: f - f,
        lambda f: sum([f, f]),
        lambda f: f * 0,
        lambda f: 1 / f,
        lambda f: f**2,
        lambda f: math.sqrt(f),
        lambda f: float(f),
        lambda f: f * math.inf,
    ],
)
def test_what_is_no_calculation_with_one_number_is_a_plain_number(calculate: Any) -> None:
    found = calculate(Profile.of(run_with((misused(),))).harm_share)
    assert type(found) is float


def test_a_long_calculation_ends_as_a_plain_number() -> None:
    figure: float = Profile.of(run_with((misused(),))).harm_share
    for _ in range(10_000):
        figure = figure * 1.0001
    assert type(figure) is float
    assert figure == pytest.approx(math.e / 12, rel=1e-3)


def test_figures_are_plain_numbers_to_numpy_and_to_approx() -> None:
    profile = Profile.of(run_with((misused(), used())))
    assert np.asarray([profile.harm_share, profile.benefit_share]).dtype == np.float64
    assert profile.harm_share == pytest.approx(1 / 24)
    assert pytest.approx(1 / 24) == profile.harm_share
    assert profile.harm_share in [profile.benefit_share]


def test_no_event_supports_no_more_than_the_upper_bound() -> None:
    seen = Seen()
    figure = seen.profile(run_with()).harm_share
    assert figure < 0.005
    (doubt,) = doubts(seen[0])
    assert (doubt.lack, doubt.relation, doubt.limit) == (Lack.RARE, "<", figure.interval and figure.interval[1])


@pytest.mark.parametrize(
    "passes", [lambda f: f == 0, lambda f: f <= 0, lambda f: not f > 0.005, lambda f: 1 - f > 0.99]
)
def test_however_it_is_written_nothing_found_is_a_doubt(passes: Any) -> None:
    seen = Seen()
    assert passes(seen.profile(run_with()).harm_share)
    assert seen.lacks() == [Lack.RARE]


def test_a_threshold_within_the_interval_is_a_doubt_and_one_outside_is_none() -> None:
    seen = Seen()
    figure = seen.profile(run_with(*[(used(),)] * 6)).benefit_share
    assert figure > 0.3
    assert seen.lacks() == [Lack.NEAR]
    seen.clear()
    assert figure > 0.05
    assert figure < 0.95
    assert figure == 0.5
    assert figure != 0.3
    assert seen.lacks() == []


def test_the_bound_that_is_asserted_on_is_in_no_doubt() -> None:
    seen = Seen()
    profile = seen.profile(run_with())
    assert profile.harm_share.upper < 0.4
    assert 1 - profile.harm_share.upper > 0.6
    assert (seen.lacks(), len(seen)) == ([], 2)


def test_one_arc_bears_no_share_out() -> None:
    seen = Seen()
    profile = seen.profile(run_of((judged(entry()),), (judged(entry()),), arcs=1))
    assert profile.harm_share < 0.5
    assert profile.delivered_tokens < 1000
    assert seen.lacks() == [Lack.NO_INTERVAL]


def test_a_bound_says_nothing_of_the_other_side() -> None:
    seen = Seen()
    run = run_of(*[(judged(used(), redacted=True),)] * 12)
    profile = seen.profile(run)
    assert profile.delivered_tokens < 1e9
    assert profile.token_efficiency > 1
    assert seen.lacks() == [Lack.BOUND] * 2
    seen.clear()
    assert profile.delivered_tokens > 1
    assert profile.token_efficiency < 1e9
    assert seen.lacks() == []


def test_entries_of_undetermined_effect_could_be_harmful() -> None:
    seen = Seen()
    profile = seen.profile(run_with((unclear(), used()), *[(used(),)] * 3))
    assert profile.harm_share == 0
    assert profile.harm_share.highest == pytest.approx(0.5 / 12)
    assert profile.harm_yield.highest == pytest.approx(100 / 12)
    assert profile.coverage_harmful.highest == pytest.approx(1 / 12)
    assert profile.effect_uncertainty.highest is profile.effect_uncertainty
    assert str(profile.harm_share.behind.open) == "1 of 5 acted-on entries has an undetermined effect"
    seen.clear()
    assert profile.harm_share < 0.04
    assert Lack.OPEN in seen.lacks()
    seen.clear()
    assert profile.harm_share < 0.5
    assert 1 - profile.harm_share > 0.5
    assert profile.harm_share.highest < 0.5
    assert profile.harm_share.upper < 0.5
    assert seen.lacks() == []


def test_what_is_at_least_so_high_is_in_no_doubt_for_open_entries() -> None:
    seen = Seen()
    assert seen.profile(run_with((unclear(),), *[(used(),)] * 11)).benefit_share > 0.2
    assert seen.lacks() == []


def test_an_entry_whose_influence_is_undetermined_could_count_on_what_refines_it() -> None:
    profile = Profile.of(run_with((entry("A", None),), (used(),)))
    for figure in (profile.acted_on_share, profile.benefit_share, profile.harm_share):
        assert float(figure.highest) == pytest.approx(float(figure) + 1 / 12)
    assert str(profile.harm_share.behind.open) == "1 of 12 entries has an undetermined influence"
    assert profile.relevance_share.highest is profile.relevance_share


@pytest.mark.parametrize(
    "claim",
    [
        lambda f: f < 0.5,
        lambda f: f <= 0,
        lambda f: f == 0,
        lambda f: f == pytest.approx(0),
        lambda f: operator.gt(0.5, f),
        lambda f: not f >= 0.5 and f < 0.5,
        lambda f: f / 2 < 0.5,
        lambda f: 1 - f > 0.5,
        lambda f: f.upper < 0.9,
        lambda f: max(f, 0.3) < 0.5,
    ],
)
def test_a_figure_of_which_nothing_is_determined_cannot_be_held_down(claim: Any) -> None:
    figure = Profile.of(run_with((unclear(),), (unclear(),))).harm_share
    with pytest.raises(UndefinedFigure, match="none of the 2 acted-on entries has a determined effect, so that"):
        claim(figure)


def test_its_value_and_what_it_is_at_least_stand_as_the_rules_define_them() -> None:
    """Each axis counts only established labels (MemUse 3.5): the share itself stays defined, and 0."""
    figure = Profile.of(run_with((unclear(),))).harm_share
    assert float(figure) == 0.0
    assert figure >= 0
    assert not figure > 0.1
    assert 1 - figure <= 1
    assert figure.highest < 0.5


def test_where_nothing_was_acted_on_nothing_is_open() -> None:
    assert Profile.of(run_with()).harm_share < 0.5


UNDEFINED: list[Any] = [
    *(lambda f, n=name: getattr(f, n)(1) for name in ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__")),
    *(
        lambda f, n=name: getattr(f, n)(1.0)
        for name in ("__pow__", "__rpow__", "__mod__", "__floordiv__", "__divmod__")
    ),
    lambda f: 0 < f < 1,
    lambda f: operator.gt(0.5, f),
    lambda f: f == pytest.approx(0.1),
    lambda f: pytest.approx(f) == 0.1,
    lambda f: pytest.approx(0.1) == f,
    lambda f: 0.1 in [f],
    lambda f: round(f, 2),
    lambda f: abs(f),
    lambda f: -f,
    lambda f: math.isnan(f),
    lambda f: math.floor(f),
    lambda f: sorted([f, f]),
    lambda f: min(f, 0.1),
    lambda f: np.asarray(f),
    lambda f: np.asarray([f, 0.1]),
    lambda f: np.float64(f),
    lambda f: np.float64(0.1) < f,
    lambda f: np.mean([f]),
    lambda f: complex(f),
    lambda f: f.upper < 0.1,
    lambda f: f.lower > 0.1,
    lambda f: f.highest < 0.1,
    lambda f: not f,
    lambda f: 0.3 if f else 0.2,
    lambda f: f and True,
]


@pytest.mark.parametrize("use", UNDEFINED)
def test_an_undefined_figure_refuses_every_use_as_a_number_with_its_reason(use: Any) -> None:
    with pytest.raises(UndefinedFigure, match="undefined: no span of this run was profiled"):
        use(Profile.of(Run("suite", ())).harm_share)


def test_an_undefined_figure_is_shown_as_such_and_is_not_none() -> None:
    figure = Profile.of(Run("suite", ())).harm_share
    assert (f"{figure}", f"{figure:.2f}", figure.defined) == ("undefined", "undefined", False)
    assert "harm_share is undefined: no span" in str(figure)
    assert figure is not None
    assert figure.responsible == ()


def test_comparisons_made_in_many_threads_are_all_told() -> None:
    seen = Seen()
    figure = seen.profile(run_with()).harm_share
    threads = [threading.Thread(target=lambda n=n: [figure < n + 1 for _ in range(50)]) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 400
    assert {one.threshold for one in seen} == {float(n + 1) for n in range(8)}
