"""The entry diff to the letter, its limits, and what never falls to them."""

from dataclasses import replace

import pytest

from pytest_memuse.gate.baseline import Identity, JudgedBy
from pytest_memuse.gate.suite_diff import SuiteDiff, diff_suites, only_task
from pytest_memuse.profiles.figures import FIGURES
from pytest_memuse.profiles.rows import EntryRow, EpisodeRow, Run, SpanRow, Usage
from pytest_memuse.reports.diff import ENTRIES_SHOWN, TASKS_SHOWN, TELLING_HARMFUL, Heading, diff_lines, telling_lines
from pytest_memuse.reports.diff_data import diff_data
from pytest_memuse.reports.diff_heading import identity_lines, judge_line
from pytest_memuse.reports.diff_tasks import consequence, task_lines
from tests.gate.rows import entry, episode, span, suite
from tests.hostile_text import ALL_AT_ONCE, HOSTILE_TEXTS, dangers
from tests.reports.golden import check_golden

USED, MISUSED, IGNORED = Usage.USED, Usage.MISUSED, Usage.IGNORED
HEADING = Heading("baseline main, of 2026-11-01", "the last pytest run", ["made differently: memory: k=5 then, 9 now"])


def _entry(ordinal: int, value: str, usage: Usage = IGNORED, *, relevant: bool = True, of: str = "shop") -> EntryRow:
    row = entry(f"mem-{ordinal}", value, usage, relevant, ordinal, anchors=(3, 5))
    return replace(row, namespace=of, accuracy="contradicted" if usage is MISUSED else "corroborated")


def _probe(arc: str, *spans: SpanRow, success: bool | None = True, steps: int = 5, task: str = "probe") -> EpisodeRow:
    return replace(episode(arc, *spans, task=task, success=success, steps=steps), position=int(task != "update"))


OLD, NEW = "port is 8081", "port is 9091"


def _then() -> Run:
    return Run(
        "billing",
        (
            _probe("port", span(_entry(0, OLD)), task="update"),
            _probe("port", span(_entry(0, NEW, USED), _entry(1, "use tabs", relevant=False))),
            _probe("lost", span(_entry(0, "the fix is to clear the cache", USED), _entry(1, "idle"))),
            _probe("flood", span(_entry(0, "colour is blue", USED))),
            _probe("still", span(_entry(0, "nothing happens", USED))),
            _probe("gone", span(_entry(0, "no one asks any more"))),
            _probe("steps", span(_entry(0, "slow", Usage.UNPRODUCTIVE)), success=None),
        ),
    )


def _now() -> Run:
    flood = [_entry(number, f"note {number} of a blog", relevant=False, of="blog") for number in range(3, 12)]
    return Run(
        "billing",
        (
            _probe("port", span(_entry(0, OLD)), task="update"),
            _probe(
                "port", span(_entry(0, OLD, MISUSED), _entry(1, "use tabs", relevant=False)), success=False, steps=7
            ),
            _probe("lost", span(_entry(1, "idle")), steps=10),
            _probe("flood", span(_entry(0, "colour is blue", USED), *flood, characters=4000)),
            _probe("still", span(_entry(0, "nothing happens", USED))),
            _probe("steps", span(_entry(0, "slow", Usage.UNPRODUCTIVE)), success=None, steps=6),
            _probe("extra", span(_entry(0, "a new task"))),
        ),
    )


def _diff(*, judged: bool = True) -> SuiteDiff:
    return diff_suites(_then(), _now(), judged=judged)


def test_a_diff_says_what_changed_on_the_whole_and_then_entry_by_entry() -> None:
    check_golden("diff", diff_lines(_diff(), HEADING))


def test_everything_shows_what_did_not_change_and_cuts_no_list() -> None:
    check_golden("diff-all", diff_lines(_diff(), HEADING, everything=True))


def test_without_judgments_only_deliveries_are_told() -> None:
    check_golden("diff-deliveries", diff_lines(_diff(judged=False), HEADING))


def test_a_single_task_is_told_with_all_its_entries() -> None:
    assert diff_lines(only_task(_diff(), "lost/probe"), Heading("main", "now"), only_task=True) == [
        "suite billing: then main; now now",
        "",
        "task lost/probe: solved, 5 → 10 steps, 100 tokens delivered",
        "  - item 1 `mem-0`, “the fix is to clear the cache”: used at steps 3, 5 then; not delivered now; "
        "5 more steps, task still solved",
        "  = item 2 `mem-1`, “idle”: ignored then and now",
    ]


def test_after_a_failed_gate_the_terminal_shows_the_most_telling_tasks() -> None:
    check_golden("diff-telling", telling_lines(_diff()))


def test_where_nothing_changed_nothing_is_telling() -> None:
    assert telling_lines(diff_suites(_then(), _then())) == []
    assert diff_lines(diff_suites(_then(), _then()), Heading("a", "b"))[-1] == "7 tasks compared, nothing changed"


def _many(harmful: int, tasks: int = 40, entries: int = 30) -> SuiteDiff:
    def make(bad: bool):  # type: ignore[no-untyped-def]
        def episodes(arc: str, number: int) -> list[EpisodeRow]:
            rows = [_entry(n, f"text {n}", IGNORED) for n in range(entries if bad else 1)]
            if bad and number >= tasks - harmful:
                rows += [_entry(90 + n, f"harm {number}.{n}", MISUSED) for n in range(12)]
            return [_probe(arc, span(*rows))]

        return episodes

    # Ordered by a figure that harm has no part in, so that the harmful tasks come last.
    figures = [FIGURES["outcome_rate"]]
    return diff_suites(suite(tasks, make(False)), suite(tasks, make(True)), figures=figures)


def test_long_lists_are_cut_with_the_number_left_out() -> None:
    lines = diff_lines(_many(0), Heading("a", "b"))
    assert sum(line.startswith("task ") for line in lines) == TASKS_SHOWN
    assert f"  and {29 - ENTRIES_SHOWN} more (--all): {29 - ENTRIES_SHOWN} newly delivered" in lines
    assert lines[-1] == f"and {40 - TASKS_SHOWN} more tasks (--all)"
    assert not any("--all" in line for line in diff_lines(_many(0), Heading("a", "b"), everything=True))


def test_no_limit_cuts_a_newly_harmful_entry() -> None:
    lines = diff_lines(_many(3), Heading("a", "b"))
    told = "\n".join(lines)
    for number in (37, 38, 39):
        for n in range(12):
            assert f"“harm {number}.{n}”" in told
    assert lines[-1] == f"and {40 - TASKS_SHOWN} more tasks (--all)"


def test_the_terminal_counts_the_newly_harmful_entries_that_it_has_no_room_for() -> None:
    lines = telling_lines(_many(3))
    assert sum("newly harmful in task" in line for line in lines) == TELLING_HARMFUL
    assert f"  and {36 - TELLING_HARMFUL} more newly harmful entries (`memuse diff`)" in lines


def test_texts_that_differ_late_are_shown_from_before_the_difference() -> None:
    same = "a long introduction that says nothing at all, " * 4
    then, now = _probe("a", span(_entry(0, same + "port is 1"))), _probe("a", span(_entry(0, same + "port is 2")))
    diff = diff_suites(Run("s", (then,)), Run("s", (now,)))
    lines = task_lines(diff.tasks, tasks_shown=None, entries_shown=None)
    assert lines[2].startswith("      then “a long introduction")
    assert "port is 1”" in lines[2]
    assert "port is 2”" in lines[3]


def test_an_identifier_made_at_random_is_shown_by_its_beginning() -> None:
    row = replace(_entry(0, "x"), item="0f8fad5b-d9cb-469f-a165-70867728950e", ordinal=None)
    diff = diff_suites(Run("s", (_probe("a"),)), Run("s", (_probe("a", span(row)),)))
    assert "  + `0f8fad5b`, “x”: not delivered then; ignored now" in task_lines(
        diff.tasks, tasks_shown=None, entries_shown=None
    )


def _repeated(outcomes: list[bool], steps: int) -> list[EpisodeRow]:
    return [
        replace(_probe("a", span(_entry(0, "x", USED)), success=solved, steps=steps + n), id=f"a-{n}")
        for n, solved in enumerate(outcomes)
    ]


def test_repeats_are_told_by_run_and_their_steps_are_means() -> None:
    now = _repeated([False, False], 6)
    now[1] = replace(now[1], spans=(span(_entry(0, "x", MISUSED)),))
    diff = diff_suites(Run("s", tuple(_repeated([True, True], 4))), Run("s", tuple(now)))
    assert task_lines(diff.tasks, tasks_shown=None, entries_shown=None) == [
        "task a/probe: solved 2 of 2 → solved 0 of 2, 4.5 → 6.5 steps a run, 100.0 tokens delivered a run",
        "  ! newly harmful: item 1 `mem-0` (run 2), “x”: used at steps 3, 5 then; misused at steps 3, 5 (contradicted) "
        "now; 2 more steps, task solved 2 of 2 then, 0 of 2 now",
    ]


@pytest.mark.parametrize(
    ("then", "now", "steps", "told"),
    [
        (True, True, 5, "as many steps, task still solved"),
        (False, False, 6, "1 more step, task still fails"),
        (True, False, 3, "2 fewer steps, task fails now"),
        (False, True, 4, "1 fewer step, task solved now"),
        (True, None, 5, "as many steps, outcome unknown"),
        (None, True, 5, "as many steps, task solved, unknown then"),
    ],
)
def test_what_it_led_to_is_said_in_steps_and_outcome(then: bool, now: bool, steps: int, told: str) -> None:
    diff = diff_suites(Run("s", (_probe("a", success=then),)), Run("s", (_probe("a", success=now, steps=steps),)))
    [task] = diff.tasks
    assert consequence(task.then, task.now) == told


JUDGE = JudgedBy("tracer", "2")


def test_of_two_identities_only_the_settings_that_differ_are_told() -> None:
    then = Identity(JUDGE, memory="name=mem0, recall=10 memories, 4000 characters, update_tool=on", model="m-1")
    now = Identity(JUDGE, memory="fault=outage, name=mem0, recall=10 memories, 4000 characters, update_tool=off")
    assert identity_lines(then, now) == [
        "made differently: memory: update_tool=on then, off now; fault=(none) then, outage now",
        "made differently: model: m-1 then, (none) now",
    ]
    assert identity_lines(then, then) == []


def test_an_identity_in_words_of_its_own_is_told_whole() -> None:
    then, now = Identity(JUDGE, agent="ours, v1"), Identity(JUDGE, agent="ours, v2")
    assert identity_lines(then, now) == ["made differently: agent: ours, v1 then, ours, v2 now"]


def test_two_judges_are_named_and_what_follows_from_that() -> None:
    other = JudgedBy("llm", "1", "m")
    assert judge_line(JUDGE, other, forced=False) == (
        "judged by tracer, version 2 then, by llm, version 1, model m now: judgments of different judges are not "
        "compared (--force does)"
    )
    assert "compared all the same" in judge_line(JUDGE, other, forced=True)


def test_programs_get_every_entry_of_every_task() -> None:
    data = diff_data(_diff())
    assert [task["arc"] for task in data["tasks"]] == [task.key.arc for task in _diff().tasks]
    port = next(task for task in data["tasks"] if (task["arc"], task["task"]) == ("port", "probe"))
    harm = port["entries"][0]
    assert (harm["kind"], harm["older_text_of_task"], harm["now"]["text"]) == ("newly harmful", "update", OLD)
    assert harm["then"]["uses"] == [{"usage": "used", "steps": [3, 5], "acted": True}]
    assert data["not_compared"]["gone"] == [{"arc": "gone", "task": "probe"}]
    assert data["summary"]["kinds"]["newly harmful"] == {"entries": 1, "tasks": 1}


def _hostile(words: str, usage: Usage) -> Run:
    row = replace(_entry(0, words if usage is MISUSED else f"{words} then", usage), item=words, namespace=words)
    return Run(words, (_probe(words, span(row), task=words),))


@pytest.mark.parametrize("words", [*HOSTILE_TEXTS.values(), ALL_AT_ONCE], ids=[*HOSTILE_TEXTS, "all"])
def test_hostile_text_stays_text(words: str) -> None:
    diff = diff_suites(_hostile(words, USED), _hostile(words, MISUSED))
    identities = Identity(JUDGE, memory=words, agent=f"name={words}"), Identity(JUDGE, memory="", agent="name=x")
    heading = Heading(words, words, identity_lines(*identities))
    lines = [*diff_lines(diff, heading, everything=True), *diff_lines(diff, heading), *telling_lines(diff)]
    assert dangers("\n".join(lines)) == []
    assert "newly harmful" in "\n".join(lines)
