"""How a run becomes a baseline: what is kept of the one before, what is counted, and what is only added."""

from dataclasses import replace
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.gate import Baseline, Identity, JudgedBy, SuiteBaseline, TaskKey, promote, run_digest
from pytest_memuse.gate.baseline import baseline_text, parse_baseline
from pytest_memuse.gate.extension import extend
from pytest_memuse.gate.matching import episodes_by_task
from pytest_memuse.gate.promotion import KEPT, attempts_behind
from pytest_memuse.profiles.rows import Run
from pytest_memuse.reports.promotion import promotion_lines
from tests.gate.rows import entry, episode, span, suite

IDENTITY = Identity(JudgedBy("tracer", "1"), "mem0 2.2.1", "mini-swe-agent 2.4.6", "scripted")
EMPTY = Baseline("0.1.0")


def stored(count: int = 3, attempts: int = 1, created: str = "2026-03-01", run: Run | None = None) -> SuiteBaseline:
    rows = run or suite(count)
    return SuiteBaseline(rows, IDENTITY, {arc: f"recording-{arc}" for arc in rows.arcs}, created, attempts)


def promoted(*suites: SuiteBaseline) -> SuiteBaseline:
    baseline = EMPTY
    for one in suites:
        baseline = promote(baseline, one, how="--memuse-update", product="0.1.0")
    return baseline.suites["billing"]


def test_the_first_promotion_replaces_nothing() -> None:
    (promotion,) = promoted(stored()).promotions
    assert (promotion.replaced, promotion.attempts, promotion.created) == ("", 1, "2026-03-01")


def test_a_promotion_names_the_run_that_it_replaced_and_why() -> None:
    first, second = stored(3), stored(4, attempts=2, created="2026-04-01")
    before = promote(EMPTY, first, how="--memuse-update", product="0.1.0")
    after = promote(
        before, second, how="memuse diff --accept", reason="new store", regressed=["steps"], product="0.2.0"
    )
    found = after.suites["billing"]
    assert (found.run, after.product) == (second.run, "0.2.0")
    assert len(found.promotions) == 2
    newest = found.promotions[-1]
    assert (newest.replaced, newest.reason, newest.regressed) == (run_digest(first.run), "new store", ("steps",))
    assert (newest.how, newest.created) == ("memuse diff --accept", "2026-04-01")
    assert before.suites["billing"].promotions == found.promotions[:1]


def test_a_promotion_says_why_nothing_was_compared() -> None:
    after = promote(EMPTY, stored(), how="x", not_compared="another judge", product="1")
    assert after.suites["billing"].promotions[-1].not_compared == "another judge"
    assert parse_baseline(baseline_text(after), "x") == after


def test_other_suites_are_left_alone() -> None:
    search = replace(stored(), run=suite(2, name="search"))
    both = promote(promote(EMPTY, search, how="x", product="1"), stored(), how="x", product="2")
    assert both.suites["search"] == promote(EMPTY, search, how="x", product="1").suites["search"]


@pytest.mark.parametrize(
    ("attempts", "counted"),
    [((1,), 1), ((1, 2), 1), ((1, 5), 4), ((4, 4), 0), ((7, 2), 2)],
    ids=["first", "next", "after four", "judged again", "recorded from nothing"],
)
def test_attempts_count_from_the_promotion_before(attempts: tuple[int, ...], counted: int) -> None:
    assert promoted(*(stored(attempts=one) for one in attempts)).promotions[-1].attempts == counted


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 2 * KEPT + 5))
def test_the_newest_promotions_are_kept_and_the_others_counted(count: int) -> None:
    found = promoted(*(stored(1, attempts=n + 1, created=f"day {n}") for n in range(count)))
    assert [one.created for one in found.promotions] == [f"day {n}" for n in range(max(0, count - KEPT), count)]
    assert found.forgotten == max(0, count - KEPT)
    baseline = EMPTY.with_suite(found, "1")
    assert parse_baseline(baseline_text(baseline), "x") == baseline


def test_a_baseline_without_promotions_is_written_as_it_always_was() -> None:
    text = baseline_text(EMPTY.with_suite(stored(), "1"))
    assert "promotions" not in text
    assert "forgotten" not in text


class TestWarning:
    def test_a_baseline_after_few_attempts_is_not_warned_of(self) -> None:
        assert promotion_lines(promoted(stored(attempts=2)), "main") == []

    def test_a_baseline_after_many_attempts_is(self) -> None:
        (line,) = promotion_lines(promoted(stored(attempts=1), stored(attempts=4)), "main")
        assert line.startswith("warning: main was stored after 3 recordings of suite billing: figures picked by trying")

    def test_of_an_older_file_the_counter_of_the_suite_counts(self) -> None:
        assert attempts_behind(stored(attempts=3)) == 3
        assert len(promotion_lines(stored(attempts=3), "main")) == 1

    def test_tasks_that_were_only_added_do_not_hide_how_the_others_came_to_be_there(self) -> None:
        baseline = promote(EMPTY, stored(attempts=5), how="x", product="1")
        after = promote(baseline, stored(4, attempts=6), how="y", added=1, product="1")
        assert attempts_behind(after.suites["billing"]) == 5

    def test_verbosely_it_says_when_and_why_and_what_was_worse(self) -> None:
        found = promote(EMPTY, stored(), how="x", reason="a\x1b[31m why", regressed=["steps"], product="1")
        (line,) = promotion_lines(found.suites["billing"], "main", 1)
        assert line == "main was stored on 2026-03-01 with x, because “a�[31m why”; worse than before: steps"


class TestExtending:
    """Only what is not stored yet is added."""

    def test_a_new_arc_is_added_and_every_stored_row_stays(self) -> None:
        old, now = stored(3), stored(5, attempts=4)
        found = extend(old, now)
        assert found.suite.run.episodes[:3] == old.run.episodes
        assert found.added == (TaskKey("arc-03", "probe"), TaskKey("arc-04", "probe"))
        assert found.suite.recordings == now.recordings
        assert (found.suite.created, found.suite.identity, found.suite.attempts) == (old.created, old.identity, 4)

    def test_an_arc_that_only_grew_gets_its_new_task_and_its_new_recording(self) -> None:
        old = stored(2)
        grown = suite(2, lambda arc, _: [episode(arc, span(entry())), episode(arc, task="later")])
        now = replace(stored(run=grown), recordings={"arc-00": "new-0", "arc-01": "new-1"})
        found = extend(old, now)
        assert found.suite.run.episodes == grown.episodes
        assert found.suite.recordings == {"arc-00": "new-0", "arc-01": "new-1"}
        assert not found.waiting

    def test_an_arc_whose_stored_tasks_read_differently_is_left_alone_whole(self) -> None:
        old = stored(2)
        moved = suite(2, lambda arc, _: [episode(arc, span(entry()), success=False), episode(arc, task="later")])
        found = extend(old, replace(stored(run=moved), recordings={"arc-00": "n", "arc-01": "n"}))
        assert found.suite == old
        assert not found.added
        assert found.waiting == (TaskKey("arc-00", "later"), TaskKey("arc-01", "later"))

    def test_a_task_that_is_another_one_now_stays_as_stored_and_is_told(self) -> None:
        old = stored(2)
        other = suite(2, lambda arc, _: [episode(arc, span(entry()), digest="d2")])
        found = extend(old, stored(run=other))
        assert found.suite == old
        assert found.changed == (TaskKey("arc-00", "probe"), TaskKey("arc-01", "probe"))

    def test_what_was_stored_outside_every_episode_stays_too(self) -> None:
        old = stored(run=replace(suite(2), outside=(span(characters=40),)))
        now = stored(run=replace(suite(3), outside=(span(characters=900),)))
        assert extend(old, now).suite.run.outside == old.run.outside

    def test_where_nothing_is_new_nothing_changes(self) -> None:
        old = stored(3)
        assert extend(old, stored(3, attempts=9)).suite == old
        assert extend(old, stored(2)).suite == old

    @settings(deadline=None, max_examples=60)
    @given(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.booleans()), unique_by=lambda x: x[:2]),
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.booleans()), unique_by=lambda x: x[:2]),
    )
    def test_stored_rows_stay_as_they_are_whatever_comes(
        self, before: list[tuple[int, int, bool]], now: list[tuple[int, int, bool]]
    ) -> None:
        old, new = (
            stored(run=Run("billing", tuple(episode(f"a{a}", task=f"t{t}", success=s) for a, t, s in sorted(rows))))
            for rows in (before, now)
        )
        found = extend(old, new)
        kept = set(episodes_by_task(old.run))
        assert [e for e in found.suite.run.episodes if TaskKey(e.arc, e.task) in kept] == list(old.run.episodes)
        assert set(episodes_by_task(found.suite.run)) == kept | set(found.added)
        assert set(found.added) | set(found.waiting) == set(episodes_by_task(new.run)) - kept
        assert extend(found.suite, new).suite == found.suite
        arcs = [arc for arc, _ in groupby(e.arc for e in found.suite.run.episodes)]
        assert len(arcs) == len(set(arcs))

    def test_the_text_of_what_was_stored_is_the_same_line_by_line(self) -> None:
        old, now = stored(3), stored(4)
        # A comma after what was the last of a list is all that changes.
        before, after = (
            [
                line.rstrip(",")
                for line in baseline_text(EMPTY.with_suite(one, "1")).splitlines()
                if '"seal"' not in line
            ]
            for one in (old, extend(old, now).suite)
        )
        left = iter(after)
        assert [line for line in before if line not in left] == []
        assert len(after) > len(before)
