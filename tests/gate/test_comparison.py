"""Matching, refusal, and the entries that are held responsible."""

from dataclasses import replace

import pytest

from pytest_memuse.gate import ChangeKind, Comparison, Refusal, TaskKey, compare
from pytest_memuse.gate.entry_changes import NOT_DELIVERED
from pytest_memuse.gate.matching import match
from pytest_memuse.profiles.rows import TEXT_KEPT, Run, Usage
from tests.gate.rows import entry, episode, span, suite

MISUSED, IGNORED, UNPRODUCTIVE = Usage.MISUSED, Usage.IGNORED, Usage.UNPRODUCTIVE


def without(run: Run, *arcs: str) -> Run:
    return replace(run, episodes=tuple(e for e in run.episodes if e.arc not in arcs))


def changed_digest(run: Run, *arcs: str) -> Run:
    return replace(run, episodes=tuple(replace(e, task_digest="d2") if e.arc in arcs else e for e in run.episodes))


def compared(baseline, current) -> Comparison:
    result = compare(baseline, current)
    assert isinstance(result, Comparison)
    return result


def one_change(before, now):
    """The changes of arc-00, whose spans are given, beside eleven arcs in which nothing happens."""

    def make(spans):
        return lambda arc, number: [episode(arc, *(spans if number == 0 else (span(entry()),)))]

    return compared(suite(12, make(before)), suite(12, make(now))).changes.get(TaskKey("arc-00", "probe"), ())


def test_nine_tenths_of_the_baselines_tasks_are_compared_and_the_rest_is_listed():
    result = compared(suite(20), changed_digest(without(suite(21), "arc-03"), "arc-04"))
    assert len(result.matching.matched) == 18
    assert result.matching.gone == (TaskKey("arc-03", "probe"),)
    assert result.matching.changed == (TaskKey("arc-04", "probe"),)
    assert result.matching.new == (TaskKey("arc-20", "probe"),)
    assert {figure.arcs for figure in result.figures} == {18}


def test_under_nine_tenths_it_refuses_with_the_counts_and_the_unmatched():
    result = compare(suite(20), changed_digest(without(suite(20), "arc-03", "arc-05"), "arc-04"))
    assert isinstance(result, Refusal)
    assert result.message == (
        "Only 17 of the baseline's 20 tasks are in this run unchanged (2 gone, 1 changed, 0 new); "
        "a comparison needs 90% of them."
    )
    assert [str(key) for key in result.matching.gone] == ["arc-03/probe", "arc-05/probe"]


def test_an_empty_baseline_is_refused():
    result = compare(Run("billing", ()), suite(6))
    assert isinstance(result, Refusal)
    assert result.message == "The baseline holds no task of this suite, so there is nothing to compare."


def test_what_is_not_matched_does_not_enter_the_figures():
    worse = suite(22, lambda arc, n: [episode(arc, span(entry(usage=MISUSED)), success=False)])
    extra = replace(worse, episodes=worse.episodes[20:])
    mixed = Run("billing", suite(20).episodes + extra.episodes)
    assert [f.current for f in compared(suite(20), mixed).figures] == [
        f.baseline for f in compared(suite(20), suite(20)).figures
    ]


def test_a_task_of_which_one_repeat_is_another_task_is_not_the_same():
    def repeated(*digests):
        return suite(12, lambda arc, n: [episode(arc, digest=d, id=f"{arc}-{i}") for i, d in enumerate(digests)])

    mixed = match(repeated("d1", "d1"), repeated("d1", "d2"))
    assert (len(mixed.matched), len(mixed.changed)) == (0, 12)
    assert len(match(repeated("d1", "d2"), repeated("d2", "d1", "d1")).matched) == 12


def test_one_task_id_in_two_arcs_is_two_tasks():
    assert len(compared(suite(10), suite(10)).matching.matched) == 10


def test_a_newly_harmful_entry_names_task_step_item_text_and_use_then_and_now():
    before = [span(entry("mem-42", usage=Usage.USED, anchors=(5,)))]
    now = [span(entry("mem-42", usage=MISUSED, anchors=(7, 4)))]
    [change] = one_change(before, now)
    assert change.kind is ChangeKind.NEWLY_HARMFUL
    assert (change.arc, change.task, change.episode, change.step) == ("arc-00", "probe", "arc-00-probe", 4)
    assert (change.item, change.text, change.then, change.now) == ("mem-42", "port is 8081", "used", "misused")
    assert (change.step_then, change.step_now) == (5, 4)


def test_an_entry_that_helped_and_is_not_delivered_any_more_is_named_by_the_baselines_step():
    [change] = one_change([span(entry("mem-42"))], [span()])
    assert change.kind is ChangeKind.NO_LONGER_BENEFICIAL
    assert (change.then, change.now) == ("used", NOT_DELIVERED)
    assert (change.step, change.step_now) == (4, None)


def test_items_with_new_identifiers_are_the_same_where_they_read_the_same():
    assert one_change([span(entry("random-1"))], [span(entry("random-2"))]) == ()


def test_items_with_new_identifiers_are_the_same_where_they_were_created_in_the_same_place():
    before = [span(entry("random-1", "port is 8081", ordinal=3))]
    now = [span(entry("random-2", "port is 8080", MISUSED, ordinal=3))]
    [change] = one_change(before, now)
    assert change.kind is ChangeKind.NEWLY_HARMFUL
    assert (change.text_then, change.text) == ("port is 8081", "port is 8080")


def test_an_item_created_in_between_moves_no_one_elses_identity():
    before = [span(entry("a", "first", ordinal=0), entry("b", "second", ordinal=1))]
    now = [span(entry("x", "new", IGNORED, False, 0), entry("y", "first", ordinal=1), entry("z", "second", ordinal=2))]
    [change, *rest] = one_change(before, now)
    assert (change.kind, change.text) == (ChangeKind.NEWLY_IRRELEVANT, "new")
    assert rest == []


def test_an_item_delivered_in_two_spans_is_one_entry_with_all_its_uses():
    before = [span(entry(usage=IGNORED), id="s1"), span(entry(), id="s2")]
    now = [span(entry(usage=IGNORED), id="s1"), span(entry(usage=MISUSED), id="s2")]
    [change] = one_change(before, now)
    assert (change.then, change.now) == ("ignored, used", "ignored, misused")


@pytest.mark.parametrize(
    ("then", "now", "kind"),
    [
        (entry(usage=IGNORED), entry(usage=IGNORED, relevance=False), ChangeKind.NO_LONGER_RELEVANT),
        (entry(usage=IGNORED, relevance=False), None, ChangeKind.NO_LONGER_DELIVERED),
        (entry("a", "x", IGNORED), entry("a", "y", IGNORED), ChangeKind.TEXT_CHANGED),
        (entry(usage=IGNORED), entry(usage=UNPRODUCTIVE), ChangeKind.USED_DIFFERENTLY),
        (None, entry(usage=IGNORED), ChangeKind.NEWLY_DELIVERED),
        (entry(usage=IGNORED), entry(), ChangeKind.NEWLY_BENEFICIAL),
        (entry(usage=MISUSED), entry(usage=MISUSED), None),
    ],
)
def test_what_became_of_an_entry_has_one_name(then, now, kind):
    found = one_change([span(*([then] if then else []))], [span(*([now] if now else []))])
    assert [change.kind for change in found] == ([kind] if kind else [])


def test_text_of_an_entry_is_one_printable_line():
    hostile = "first\x1b[31m line\nsecond\u202e" + "x" * 500
    [change] = one_change([span()], [span(entry("i\x07d", hostile, IGNORED))])
    assert change.text.isprintable()
    assert change.item.isprintable()
    assert len(change.text) <= TEXT_KEPT


def test_a_task_that_fails_now_says_so_even_where_no_entry_changed():
    before = suite(12)
    now = suite(12, lambda arc, n: [episode(arc, span(entry()), success=n > 0)])
    [change] = compared(before, now).changes[TaskKey("arc-00", "probe")]
    assert (change.kind, change.item, change.then, change.now) == (ChangeKind.TASK_FAILS, "", "solved", "failed")


def test_a_task_that_is_solved_now_has_changed_though_nothing_of_it_is_for_the_worse():
    before = suite(12, lambda arc, n: [episode(arc, span(entry()), success=n > 0)])
    result = compared(before, suite(12))
    assert result.changes == {}
    assert [task.key for task in result.changed_tasks] == [TaskKey("arc-00", "probe")]


def test_repeats_are_counted_together():
    def make(solved):
        return lambda arc, n: [
            episode(arc, span(entry()), success=r < solved or n > 0, id=f"{arc}-{r}") for r in range(3)
        ]

    [change] = compared(suite(12, make(3)), suite(12, make(1))).changes[TaskKey("arc-00", "probe")]
    assert (change.then, change.now, change.episode) == ("solved 3 of 3", "solved 1 of 3", "arc-00-1")


def test_more_delivered_text_is_a_change_of_the_task():
    [change] = one_change([span(entry(), characters=400)], [span(entry(), characters=900)])
    assert (change.kind, change.then, change.now) == (
        ChangeKind.MORE_TOKENS,
        "100 tokens an episode",
        "225 tokens an episode",
    )


def test_each_regressed_figure_names_those_responsible_and_no_other_does():
    def make(bad):
        return lambda arc, n: [
            episode(arc, span(entry(f"mem-{n}", usage=MISUSED if bad and n < 9 else Usage.USED)), success=True)
        ]

    result = compared(suite(12, make(False)), suite(12, make(True)))
    assert set(result.responsible) == {figure.name for figure in result.regressed}
    assert {change.arc for change in result.responsible["harm_yield"]} == {f"arc-{n:02}" for n in range(9)}


def test_the_task_that_moved_the_figure_most_comes_first():
    def make(bad):
        def episodes(arc, n):
            size = 400 + (4000 if bad and n == 7 else 40 if bad else 0)
            return [episode(arc, span(entry(), characters=size))]

        return episodes

    result = compared(suite(12, make(False)), suite(12, make(True)))
    assert result.responsible["delivered_tokens"][0].arc == "arc-07"


def test_a_task_in_which_the_figure_got_better_is_not_held_responsible():
    def make(bad):
        def episodes(arc, n):
            size = 40 if bad and n == 3 else 4000 + 40 * n if bad else 400
            return [episode(arc, span(entry(usage=UNPRODUCTIVE if bad and n == 3 else IGNORED), characters=size))]

        return episodes

    result = compared(suite(12, make(False)), suite(12, make(True)))
    assert TaskKey("arc-03", "probe") in result.changes
    assert {change.arc for change in result.responsible["delivered_tokens"]} == {
        f"arc-{n:02}" for n in range(12) if n != 3
    }


def test_newly_harmful_entries_stand_first_under_every_figure_even_where_their_task_got_no_worse_in_it():
    def make(bad):
        def episodes(arc, n):
            usage = MISUSED if bad and n == 0 else IGNORED
            return [episode(arc, span(entry(usage=usage), characters=4000 if bad and n > 0 else 400))]

        return episodes

    result = compared(suite(12, make(False)), suite(12, make(True)))
    first = result.responsible["delivered_tokens"][0]
    assert (first.arc, first.kind) == ("arc-00", ChangeKind.NEWLY_HARMFUL)


def test_an_outage_names_what_helped_then_and_is_not_delivered_now():
    result = compared(suite(12), suite(12, lambda arc, n: [episode(arc, success=False)]))
    assert "relevance_share" in result.responsible
    for name in ("relevance_share", "coverage_beneficial", "outcome_rate"):
        kinds = {change.kind for change in result.responsible[name]}
        assert ChangeKind.NO_LONGER_BENEFICIAL in kinds
        assert len({change.arc for change in result.responsible[name]}) == 12
