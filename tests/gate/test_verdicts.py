"""Verdicts and their reasons, from rows."""

from dataclasses import replace

import pytest

from pytest_memuse.gate import Comparison, Tolerance, Verdict, compare
from pytest_memuse.model.errors import MemuseError
from pytest_memuse.profiles.figures import DEFAULT_GATED, FIGURES, Bound, Worse
from pytest_memuse.profiles.rows import Usage
from tests.gate.rows import entry, episode, span, suite


def compared(baseline, current, **more) -> Comparison:
    result = compare(baseline, current, **more)
    assert isinstance(result, Comparison)
    return result


def of(result: Comparison, name: str):
    return next(figure for figure in result.figures if figure.name == name)


def failing(count, usage=Usage.MISUSED):
    """A suite whose first arcs fail on a misused entry."""

    def make(arc, number):
        bad = number < count
        return [episode(arc, span(entry(usage=usage if bad else Usage.USED)), success=not bad)]

    return make


def with_sizes(scale=1.0, step=0):
    return lambda arc, number: [episode(arc, span(entry(), characters=int(scale * (400 + 40 * number + step))))]


def test_a_suite_that_got_worse_everywhere_regresses_in_every_figure_that_did():
    result = compared(suite(12), suite(12, failing(9)))
    worse = {figure.name for figure in result.regressed}
    assert worse == {"outcome_rate", "coverage_beneficial", "harm_yield", "token_efficiency"}
    assert of(result, "harm_yield").reason == "worse by more than chance explains"


def test_the_same_change_backwards_has_improved():
    result = compared(suite(12, failing(9)), suite(12))
    assert {figure.name for figure in result.figures if figure.verdict is Verdict.IMPROVED} >= {
        "outcome_rate",
        "harm_yield",
    }
    assert not result.regressed


def test_differences_and_bounds_are_current_minus_baseline_in_the_figures_unit():
    result = compared(suite(30), suite(30, failing(15)))
    harm, outcome = of(result, "harm_yield"), of(result, "outcome_rate")
    assert (harm.baseline, harm.current, harm.difference) == (0.0, 50.0, 50.0)
    assert harm.current_counts == (15, 30)
    assert 0 < harm.lower < 50 < harm.upper
    assert outcome.lower < -0.5 < outcome.upper < 0


def test_four_arcs_are_too_few_whatever_happened_in_them():
    result = compared(suite(4), suite(4, failing(4)))
    assert {figure.verdict for figure in result.figures} == {Verdict.INCONCLUSIVE}
    for figure in result.figures:
        assert figure.reason == "too few arcs: 4 arcs, and at least 5 are needed"
        assert (figure.lower, figure.upper, figure.p) == (None, None, None)
        assert figure.arcs_needed is None or figure.arcs_needed >= 5


def test_four_arcs_say_nothing_of_what_they_would_detect_however_far_apart_they_are():
    def told(arcs):
        now = suite(arcs, lambda arc, n: [episode(arc, span(entry(), characters=400 + 400 * n * (-1) ** n + 4000))])
        return of(compared(suite(arcs), now, figures=["delivered_tokens"]), "delivered_tokens")

    few, enough = told(4), told(5)
    assert (few.smallest_detectable, few.lower, few.upper, few.p) == (None, None, None, None)
    assert enough.smallest_detectable > 0


def test_four_arcs_of_one_recording_are_still_too_few():
    digests = {f"arc-{n:02}": "same" for n in range(4)}
    result = compared(suite(4), suite(4), recordings=(digests, digests))
    assert {figure.verdict for figure in result.figures} == {Verdict.INCONCLUSIVE}


def test_many_tasks_of_four_arcs_are_too_few_all_the_same():
    def make(bad):
        return lambda arc, n: [episode(arc, span(entry()), task=f"t{t}", success=not bad) for t in range(10)]

    outcome = of(compared(suite(4, make(False)), suite(4, make(True))), "outcome_rate")
    assert (outcome.verdict, outcome.arcs) == (Verdict.INCONCLUSIVE, 4)
    assert outcome.reason == "too few arcs: 4 arcs, and at least 5 are needed"


def test_a_stricter_alpha_asks_for_more_arcs_and_for_a_rarer_chance():
    strict = of(compared(suite(6), suite(6, failing(6)), alpha=0.01), "outcome_rate")
    assert strict.reason == "too few arcs: 6 arcs, and at least 7 are needed"
    six_of_twelve = suite(12), suite(12, failing(6))
    usual, rarer = (
        of(compared(*six_of_twelve, figures=["outcome_rate"], alpha=alpha), "outcome_rate") for alpha in (0.05, 0.01)
    )
    assert usual.p == rarer.p == 1 / 64
    assert (usual.verdict, rarer.verdict) == (Verdict.REGRESSED, Verdict.INCONCLUSIVE)


def test_a_figure_that_is_undefined_now_has_regressed_even_on_too_few_arcs():
    result = compared(suite(3), suite(3, lambda arc, n: [episode(arc)]))
    relevance = of(result, "relevance_share")
    assert relevance.verdict is Verdict.REGRESSED
    assert relevance.current is None
    assert relevance.reason == "defined in the baseline, undefined now: no span of this run was profiled"
    assert of(result, "outcome_rate").verdict is Verdict.INCONCLUSIVE


def test_a_figure_that_is_new_is_inconclusive_and_says_so():
    result = compared(suite(12, lambda arc, n: [episode(arc)]), suite(12))
    relevance = of(result, "relevance_share")
    assert relevance.verdict is Verdict.INCONCLUSIVE
    assert relevance.reason.startswith("new: undefined in the baseline (no span of this run was profiled)")


def test_a_figure_that_the_judge_determines_on_neither_side_is_not_gated_and_says_why():
    def make(arc, number):
        return [episode(arc, span(entry(), determines=("influence", "novelty")))]

    result = compared(suite(12, make), suite(12, make))
    reasons = {figure.name: figure.reason for figure in result.not_gated}
    assert set(reasons) == {"coverage_beneficial", "harm_yield", "relevance_share", "token_efficiency"}
    assert "relevance, which the judge of this run does not determine" in reasons["relevance_share"]


def test_a_figure_that_gets_worse_in_neither_direction_is_not_gated():
    result = compared(suite(6), suite(6), figures=["restatement_share"])
    assert result.figures == ()
    assert result.not_gated[0].reason == "it gets worse in neither direction"


def test_the_same_recordings_on_both_sides_hold_because_nothing_changed():
    digests = {f"arc-{n:02}": f"digest-{n}" for n in range(12)}
    result = compared(suite(12), suite(12), recordings=(digests, dict(digests)))
    assert {figure.verdict for figure in result.figures} == {Verdict.HELD}
    assert result.figures[0].reason == "nothing has changed: every arc is the same recording on both sides"


def test_one_other_recording_is_enough_not_to_hold_unseen():
    digests = {f"arc-{n:02}": f"digest-{n}" for n in range(12)}
    result = compared(suite(12), suite(12), recordings=(digests, {**digests, "arc-03": "other"}))
    assert {figure.verdict for figure in result.figures} == {Verdict.INCONCLUSIVE}


def test_an_arc_without_a_recording_on_either_side_is_not_known_to_be_the_same():
    digests = {f"arc-{n:02}": f"digest-{n}" for n in range(11)}
    result = compared(suite(12), suite(12), recordings=(digests, dict(digests)))
    assert {figure.verdict for figure in result.figures} == {Verdict.INCONCLUSIVE}


def test_the_same_recordings_judged_otherwise_are_tested_like_any_other():
    digests = {f"arc-{n:02}": f"digest-{n}" for n in range(12)}
    result = compared(suite(12), suite(12, failing(9)), recordings=(digests, digests))
    assert of(result, "harm_yield").verdict is Verdict.REGRESSED


def test_no_event_on_either_side_is_inconclusive_and_never_an_interval():
    harm = of(compared(suite(20), suite(20, failing(0))), "harm_yield")
    assert (harm.verdict, harm.reason) == (Verdict.INCONCLUSIVE, "no event on either side")
    assert (harm.lower, harm.upper, harm.smallest_detectable, harm.arcs_needed) == (None, None, None, None)


def test_three_arcs_that_differ_are_not_enough_among_any_number():
    harm = of(compared(suite(60), suite(60, failing(3))), "harm_yield")
    assert harm.verdict is Verdict.INCONCLUSIVE
    assert harm.reason == "only 3 of 60 arcs differ, and at least 5 are needed"
    assert harm.arcs_needed >= 100
    assert harm.rough


def test_a_change_within_the_tolerance_is_held_and_without_one_it_is_regressed():
    before, now = suite(30, with_sizes()), suite(30, with_sizes(1.02))
    assert of(compared(before, now), "delivered_tokens").verdict is Verdict.REGRESSED
    tolerant = of(
        compared(before, now, tolerances={"delivered_tokens": Tolerance(0.1, relative=True)}), "delivered_tokens"
    )
    assert (tolerant.verdict, tolerant.reason) == (Verdict.HELD, "no worse than the tolerance")
    assert tolerant.tolerance == pytest.approx(0.1 * tolerant.baseline)
    assert tolerant.upper <= tolerant.tolerance


def test_a_change_beyond_the_tolerance_has_regressed():
    result = compared(
        suite(30, with_sizes()), suite(30, with_sizes(1.5)), tolerances={"delivered_tokens": Tolerance(10)}
    )
    tokens = of(result, "delivered_tokens")
    assert (tokens.verdict, tokens.reason) == (
        Verdict.REGRESSED,
        "worse by more than the tolerance, chance allowed for",
    )
    assert tokens.lower > 10


def scattered(arcs):
    """Two runs whose arcs differ by far more than the runs do."""
    sizes = [4 * (100 + 10 * ((7 * n) % 11)) for n in range(arcs)]
    turned = [*sizes[1:], sizes[0] + 8]
    return tuple(
        suite(arcs, lambda arc, n, of=sizes_of: [episode(arc, span(entry(), characters=of[n]))])
        for sizes_of in (sizes, turned)
    )


def test_a_difference_within_the_tolerance_is_not_held_while_its_bound_is_beyond():
    limit = {"delivered_tokens": Tolerance(2.0)}
    tokens = of(compared(*scattered(33), tolerances=limit), "delivered_tokens")
    assert tokens.difference < tokens.tolerance < tokens.upper
    assert not tokens.rough
    assert (tokens.verdict, tokens.reason) == (
        Verdict.INCONCLUSIVE,
        "no difference that the arcs can tell from chance",
    )


def test_without_a_tolerance_nothing_is_held_however_many_arcs_differ():
    there, back = (of(compared(*runs), "delivered_tokens") for runs in (scattered(33), tuple(reversed(scattered(33)))))
    assert not there.rough
    assert (there.verdict, there.reason) == (Verdict.INCONCLUSIVE, "worse, but within what chance explains")
    assert (back.verdict, back.reason) == (Verdict.INCONCLUSIVE, "better, but within what chance explains")


def test_arcs_that_all_differ_alike_have_no_bound_to_hold_a_tolerance_by():
    """Twenty arcs with two tokens more each: no spread says how much that may be in truth."""
    tokens = of(
        compared(
            suite(20, with_sizes()), suite(20, with_sizes(step=8)), tolerances={"delivered_tokens": Tolerance(20)}
        ),
        "delivered_tokens",
    )
    assert (tokens.difference, tokens.differing, tokens.upper) == (2.0, 20, None)
    assert tokens.verdict is Verdict.INCONCLUSIVE


def test_arcs_that_all_got_worse_alike_are_worse_than_the_bound_itself_in_the_figures_own_direction():
    result = compared(suite(12), suite(12, failing(12)))
    harm, outcome = of(result, "harm_yield"), of(result, "outcome_rate")
    assert (harm.lower, harm.lower_excluded, harm.upper, harm.upper_excluded) == (0.0, True, None, False)
    assert (outcome.lower, outcome.lower_excluded, outcome.upper, outcome.upper_excluded) == (None, False, 0.0, True)


def test_few_events_are_never_held_however_wide_the_tolerance():
    result = compared(suite(60), suite(60, failing(2)), tolerances={"harm_yield": Tolerance(90)})
    assert of(result, "harm_yield").verdict is Verdict.INCONCLUSIVE


def test_what_is_within_the_tolerance_by_a_rough_bound_only_is_not_held():
    def sized(scale):
        return lambda arc, n: [episode(arc, span(entry(), characters=int(400 + 40 * n + scale * (n % 5))))]

    tolerances = {"delivered_tokens": Tolerance(0.5, relative=True)}
    few, enough = (
        of(compared(suite(arcs, sized(0)), suite(arcs, sized(40)), tolerances=tolerances), "delivered_tokens")
        for arcs in (18, 19)
    )
    assert (few.differing, few.rough, few.verdict) == (14, True, Verdict.INCONCLUSIVE)
    assert few.upper < few.tolerance
    assert few.reason == "within the tolerance by a rough bound only: 14 arcs differ, fewer than 15"
    assert (enough.differing, enough.rough, enough.verdict) == (15, False, Verdict.HELD)


@pytest.mark.parametrize(
    ("share", "verdict"), [(0.6, Verdict.INCONCLUSIVE), (0.95, Verdict.INCONCLUSIVE), (1.05, Verdict.HELD)]
)
def test_held_is_what_the_bound_from_above_keeps_within_the_tolerance(share, verdict):
    def noisy(shift):
        return lambda arc, n: [episode(arc, span(entry(), characters=4000 + 400 * ((7 * n + shift * n * n) % 9)))]

    def gated(tolerance):
        tolerances = {"delivered_tokens": Tolerance(tolerance)}
        runs = suite(30, noisy(0)), suite(30, noisy(1))
        return of(compared(*runs, figures=["delivered_tokens"], tolerances=tolerances), "delivered_tokens")

    most = gated(0.0).upper
    assert most > 0
    assert gated(share * most).verdict is verdict


def test_few_arcs_with_an_event_make_a_bound_rough_however_many_differ_in_their_spans():
    """Two spans then and one now tell nothing of entries that were harmful in neither."""

    def make(count, spans):
        def arc_of(arc, number):
            usage = Usage.MISUSED if number < count else Usage.USED
            return [episode(arc, *(span(entry(usage=usage)) for _ in range(spans + number % 2)))]

        return arc_of

    harm = of(compared(suite(60, make(7, 1)), suite(60, make(12, 2))), "harm_yield")
    assert harm.rough
    assert harm.differing < 15
    many = of(compared(suite(60, make(20, 1)), suite(60, make(30, 2))), "harm_yield")
    assert not many.rough


def test_an_inconclusive_figure_says_what_could_be_seen_and_how_many_arcs_it_needs():
    def noisy(shift):
        return lambda arc, n: [episode(arc, span(entry(), characters=4000 + 400 * ((7 * n + shift * n * n) % 9)))]

    tokens = of(compared(suite(20, noisy(0)), suite(20, noisy(1))), "delivered_tokens")
    assert tokens.verdict is Verdict.INCONCLUSIVE
    assert tokens.smallest_detectable > abs(tokens.difference)
    assert tokens.arcs_needed > 20


def test_repeats_of_an_arc_are_one_cluster():
    def repeated(times, bad):
        return lambda arc, n: [
            episode(arc, span(entry(usage=Usage.MISUSED if bad else Usage.USED)), success=not bad, id=f"{arc}-{r}")
            for r in range(times)
        ]

    result = compared(suite(4, repeated(5, False)), suite(4, repeated(5, True)))
    assert {figure.reason for figure in result.figures} == {"too few arcs: 4 arcs, and at least 5 are needed"}


def test_repeating_every_arc_alike_makes_nothing_surer():
    once = compared(suite(20), suite(20, failing(7)))

    def thrice(make):
        return lambda arc, n: [replace(e, id=f"{e.id}-{r}") for r in range(3) for e in make(arc, n)]

    plain = suite(20, thrice(failing(0)))
    repeated = compared(plain, suite(20, thrice(failing(7))))
    for one, other in zip(once.figures, repeated.figures, strict=True):
        assert one.p == other.p
        assert one.difference == pytest.approx(other.difference)


def test_a_baseline_that_is_a_mere_bound_fails_nothing():
    redacted = suite(
        30,
        lambda arc, n: [
            replace(e, spans=tuple(replace(s, redacted=True) for s in e.spans)) for e in with_sizes()(arc, n)
        ],
    )
    tokens = of(compared(redacted, suite(30, with_sizes(2))), "delivered_tokens")
    assert tokens.verdict is Verdict.INCONCLUSIVE
    assert "mere bound" in tokens.reason


def test_a_figure_that_is_a_mere_bound_now_can_fail_but_neither_improve_nor_hold():
    def redacted(scale):
        plain = with_sizes(scale)
        return lambda arc, n: [
            replace(e, spans=tuple(replace(s, redacted=True) for s in e.spans)) for e in plain(arc, n)
        ]

    up = of(compared(suite(30, with_sizes()), suite(30, redacted(2))), "delivered_tokens")
    down = of(compared(suite(30, with_sizes()), suite(30, redacted(0.5))), "delivered_tokens")
    assert (up.verdict, down.verdict) == (Verdict.REGRESSED, Verdict.INCONCLUSIVE)
    tolerances = {"delivered_tokens": Tolerance(0.1, relative=True)}
    plain, bound = (
        of(compared(suite(30, with_sizes()), suite(30, make(1.02)), tolerances=tolerances), "delivered_tokens")
        for make in (with_sizes, redacted)
    )
    assert (plain.verdict, bound.verdict) == (Verdict.HELD, Verdict.INCONCLUSIVE)


@pytest.mark.parametrize("spec", [s for s in FIGURES.values() if s.if_redacted], ids=lambda s: s.name)
def test_what_redaction_leaves_of_a_figure_errs_for_the_better(spec):
    assert (spec.if_redacted is Bound.AT_LEAST) == (spec.worse is Worse.HIGHER)


def test_the_default_figures_are_those_of_the_registry_in_its_order():
    assert tuple(figure.name for figure in compared(suite(6), suite(6)).figures) == DEFAULT_GATED


def test_an_unknown_figure_is_refused_with_the_nearest_name():
    with pytest.raises(MemuseError, match="no figure 'harm_yeild'; did you mean 'harm_yield'"):
        compare(suite(6), suite(6), figures=["harm_yeild"])


def test_the_same_runs_give_the_same_comparison_without_a_seed():
    assert compare(suite(30), suite(30, failing(8))) == compare(suite(30), suite(30, failing(8)))
