"""Two runs task by task: order, what is compared without judgments, what is not matched, and the summary."""

from dataclasses import replace

import pytest

from pytest_memuse.gate.diff_summary import Tally, summary_of
from pytest_memuse.gate.entry_diff import ChangeKind
from pytest_memuse.gate.matching import TaskKey
from pytest_memuse.gate.suite_diff import delivery_only, diff_suites, only_task, rests_on_deliveries
from pytest_memuse.profiles.figures import FIGURES
from pytest_memuse.profiles.rows import RowOutcome, Run, Usage
from tests.gate.rows import entry, episode, span, suite

USED, MISUSED, IGNORED = Usage.USED, Usage.MISUSED, Usage.IGNORED


def arcs_of(diff) -> list[str]:
    return [task.key.arc for task in diff.tasks]


def delivering(**sizes: int):
    """A run of four arcs that deliver 400 characters each, but for those given."""
    return suite(4, lambda arc, n: [episode(arc, span(entry(), characters=sizes.get(arc.replace("-", ""), 400)))])


def test_the_task_that_moved_a_figure_most_comes_first_whatever_the_direction():
    now = delivering(arc01=2000, arc02=4000, arc03=40)
    diff = diff_suites(delivering(), now, figures=[FIGURES["delivered_tokens"]])
    assert arcs_of(diff) == ["arc-02", "arc-01", "arc-03", "arc-00"]
    moved = [task.moved.get("delivered_tokens", 0.0) for task in diff.tasks]
    assert moved == pytest.approx([225.0, 100.0, -22.5, 0.0])


def test_what_the_tasks_moved_adds_up_to_the_figures_difference():
    def make(bad):
        return lambda arc, n: [
            episode(arc, span(entry(usage=MISUSED if bad and n % 3 == 0 else USED), characters=400 + n * 40 * bad))
        ]

    diff = diff_suites(suite(9, make(False)), suite(9, make(True)))
    for figure in diff.figures:
        assert figure.then.value is not None
        assert figure.now.value is not None
        sign = 1 if figure.spec.worse == "higher" else -1
        total = sum(task.moved.get(figure.spec.name, 0.0) for task in diff.tasks)
        assert total == pytest.approx(sign * (figure.now.value - figure.then.value), abs=1e-9)


def test_a_figure_that_hardly_moved_does_not_outweigh_one_that_moved_far():
    """Every arc delivers a character or two more, and one arc is harmed: the harm leads."""
    sizes = [400, 800, 1200, 1600, 2000, 2400]

    def make(bad):
        def episodes(arc, n):
            usage = MISUSED if bad and n == 2 else IGNORED
            return [episode(arc, span(entry(usage=usage), characters=sizes[n] + (8 if bad and n != 2 else 0)))]

        return episodes

    diff = diff_suites(suite(6, make(False)), suite(6, make(True)))
    assert diff.tasks[0].key.arc == "arc-02"
    assert diff.tasks[0].weight > 10 * diff.tasks[1].weight


def test_a_task_that_fails_outweighs_two_tokens_among_thousands():
    """Half a token on average is a larger number than a quarter of the tasks, and a far smaller movement."""

    def make(bad):
        sizes = [400, 8_000, 16_000, 24_000]
        return lambda arc, n: [
            episode(
                arc, span(entry(), characters=sizes[n] + (8 if bad and n == 2 else 0)), success=not (bad and n == 1)
            )
        ]

    figures = [FIGURES["outcome_rate"], FIGURES["delivered_tokens"]]
    diff = diff_suites(suite(4, make(False)), suite(4, make(True)), figures=figures)
    assert arcs_of(diff)[:2] == ["arc-01", "arc-02"]
    assert [dict(task.moved) for task in diff.tasks[:2]] == [
        {"outcome_rate": pytest.approx(0.25)},
        {"delivered_tokens": pytest.approx(0.5)},
    ]
    assert [figure.worse for figure in diff.figures] == [True, True]
    back = diff_suites(suite(4, make(True)), suite(4, make(False)), figures=figures)
    assert [figure.worse for figure in back.figures] == [False, False]


def test_one_task_is_enough():
    diff = diff_suites(suite(1), suite(1, lambda arc, n: [episode(arc, steps=11)]))
    [task] = diff.tasks
    [change] = task.changes
    assert (change.kind, task.then.steps, task.now.steps) == (ChangeKind.NO_LONGER_BENEFICIAL, 6, 11)
    assert task.weight > 0


def test_what_matches_is_compared_however_little_that_is_and_the_rest_is_listed():
    before, now = suite(10), replace(suite(12), episodes=suite(12).episodes[8:])
    diff = diff_suites(before, now)
    assert sorted(arcs_of(diff)) == ["arc-08", "arc-09"]
    assert len(diff.matching.gone) == 8
    assert diff.matching.new == (TaskKey("arc-10", "probe"), TaskKey("arc-11", "probe"))
    assert diff.changed == ()
    assert not diff.same


def test_equal_runs_are_the_same():
    assert diff_suites(suite(5), suite(5)).same


def test_a_task_changes_with_its_steps_alone():
    diff = diff_suites(suite(2), suite(2, lambda arc, n: [episode(arc, span(entry()), steps=6 + n)]))
    assert [task.key.arc for task in diff.changed] == ["arc-01"]


def test_how_often_a_task_was_run_is_no_difference():
    twice = suite(2, lambda arc, n: [episode(arc, span(entry()), id=f"{arc}-{run}") for run in range(2)])
    assert diff_suites(suite(2), twice).changed == ()


def test_without_judgments_deliveries_are_compared_and_nothing_is_said_of_their_use():
    before = suite(3, lambda arc, n: [episode(arc, span(entry("a", "x"), entry("b", "y", IGNORED)))])
    now = suite(3, lambda arc, n: [episode(arc, span(entry("a", "x", MISUSED), entry("c", "z")))])
    diff = diff_suites(before, now, judged=False)
    kinds = [change.kind for change in diff.tasks[0].changes]
    assert kinds == [ChangeKind.NO_LONGER_DELIVERED, ChangeKind.NEWLY_DELIVERED]
    assert not any(side.judged for entry_ in diff.tasks[0].entries for side in (entry_.then, entry_.now) if side)
    assert {figure.spec.name for figure in diff.figures} == {"outcome_rate", "delivered_tokens"}


def test_taking_judgments_out_leaves_what_was_settled_before_a_judge():
    run = Run("s", (episode("a", span(), replace(span(entry()), outcome=RowOutcome.UNASSESSABLE), span(entry())),))
    spans = delivery_only(run).episodes[0].spans
    assert [one.outcome for one in spans] == [RowOutcome.EMPTY, RowOutcome.UNASSESSABLE, RowOutcome.UNJUDGED]
    assert (spans[2].characters, spans[2].entries[0].text, spans[2].entries[0].usage) == (400, "port is 8081", None)


def test_only_figures_that_no_judge_has_a_part_in_order_a_diff_without_judgments():
    judged = suite(3)
    bare = delivery_only(judged)
    fitting = [spec for spec in FIGURES.values() if rests_on_deliveries(spec)]
    assert fitting
    for spec in fitting:
        contributions = [[spec.contribution(one) for one in run.episodes] for run in (judged, bare)]
        assert contributions[0] == contributions[1], spec.name


def test_a_newly_harmful_entry_stays_named_where_the_figures_improved_on_the_whole():
    def make(bad):
        return lambda arc, n: [episode(arc, span(entry(usage=MISUSED if (n == 0) == bad else USED)))]

    diff = diff_suites(suite(8, make(False)), suite(8, make(True)))
    harm = next(figure for figure in diff.figures if figure.spec.name == "harm_yield")
    assert not harm.worse
    assert [task.key.arc for task in diff.tasks if task.newly_harmful] == ["arc-00"]


def test_a_figure_that_is_undefined_now_is_worse():
    diff = diff_suites(suite(3), suite(3, lambda arc, n: [episode(arc)]))
    undefined = {figure.spec.name for figure in diff.figures if figure.now.value is None}
    assert "harm_yield" in undefined
    assert all(figure.worse for figure in diff.figures if figure.spec.name in undefined)


def test_one_task_of_a_diff_can_be_had_alone():
    diff = only_task(diff_suites(suite(3), suite(4)), "arc-01/probe")
    assert arcs_of(diff) == ["arc-01"]
    assert diff.matching.new == ()
    assert only_task(diff, "arc-02/probe").tasks == ()


def test_the_summary_counts_what_changed_entries_have_in_common():
    own = replace(entry("a", "old", IGNORED, ordinal=0), namespace="shop")
    new = replace(own, text="new", usage=USED, influence="acted_on", effect="improved", anchors=(3,))
    fallen = replace(own, usage=MISUSED, influence="acted_on", effect="harmed", anchors=(3,), accuracy="contradicted")
    flood = replace(entry("z", "of others", IGNORED, False), namespace="blog")

    def make(bad):
        def episodes(arc, n):
            first = episode(arc, span(own), task="update", steps=4)
            probed = [span(fallen, flood)] if bad and n else [span(new)]
            probe = episode(
                arc, *(probed if not (bad and n == 0) else ()), success=not bad or n == 2, steps=4 + n * bad
            )
            return [first, replace(probe, position=1)]

        return episodes

    summary = summary_of(diff_suites(suite(3, make(False)), suite(3, make(True))))
    assert (summary.tasks, summary.changed, summary.fewer_solved, summary.more_solved) == (6, 3, 2, 0)
    assert (summary.served, summary.silent, summary.newly_served, summary.repeated) == (6, 1, 0, False)
    assert summary.kinds == {
        ChangeKind.NEWLY_HARMFUL: Tally(2, 2),
        ChangeKind.NO_LONGER_BENEFICIAL: Tally(1, 1),
        ChangeKind.NEWLY_IRRELEVANT: Tally(2, 2),
    }
    assert (summary.older, summary.foreign, summary.contradicted) == (Tally(2, 2), Tally(2, 2), 2)
    assert summary.namespaces == {"blog": 2}
    assert (summary.steps_then, summary.steps_now) == (4.0, 4.5)


def test_the_summary_tells_tasks_that_get_memory_for_the_first_time():
    bare = suite(2, lambda arc, n: [episode(arc)])
    assert summary_of(diff_suites(bare, suite(2))).newly_served == 2
