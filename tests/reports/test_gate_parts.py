"""What the gate's forms are made of: tables that fit, numbers, sentences, next commands."""

from dataclasses import replace

import pytest

from pytest_memuse.gate.entry_diff import ChangeKind
from pytest_memuse.reports.gate import failure_text, gate_lines, refusal_text
from pytest_memuse.reports.numbers import bounds, change, number
from pytest_memuse.reports.table import columns_of, fitted, table
from pytest_memuse.reports.wrapping import wrapped
from tests.hostile_text import dangers
from tests.reports.gate_situations import nothing_gated, refusal, situation

COMPARED = ("passed", "failed", "few-arcs", "inconclusive", "improved", "undefined-now", "unmatched", "tolerance")


@pytest.mark.parametrize("name", COMPARED)
@pytest.mark.parametrize("verbosity", [-1, 0, 1, 2])
def test_the_last_line_is_the_next_command(name: str, verbosity: int) -> None:
    last = gate_lines(situation(name), "main", "main", verbosity)[-1]
    assert last.startswith("next: ")
    assert "billing" in last
    assert "`pytest --memuse-update=main`" in last or "`memuse diff main`" in last


@pytest.mark.parametrize("name", ["failed", "undefined-now", "unmatched", "tolerance"])
def test_after_a_failure_the_next_command_shows_what_changed(name: str) -> None:
    assert "`memuse diff main`" in gate_lines(situation(name), "main", "main", -1)[-1]


@pytest.mark.parametrize(
    ("baseline", "diff", "accept"),
    [
        ("main", "memuse diff main`", "`memuse diff main --accept "),
        ("team a/main", "memuse diff 'team a/main'`", "`memuse diff 'team a/main' --accept "),
        ("git:v1.0", "memuse diff git:v1.0`", "`memuse diff main --accept "),
    ],
)
def test_commands_are_written_as_they_are_typed(baseline: str, diff: str, accept: str) -> None:
    lines = gate_lines(situation("failed"), baseline, baseline)
    assert diff in lines[-1]
    assert accept in lines[-2]


def test_a_refusal_names_the_baseline_in_its_last_line() -> None:
    assert refusal_text(refusal(), "main").splitlines()[-1].endswith("`pytest --memuse-update=main`")
    assert refusal_text(refusal()).splitlines()[-1].endswith("`pytest --memuse-update=NAME`")


def test_nothing_gated_is_not_called_passed() -> None:
    assert "passed" not in "\n".join(gate_lines(nothing_gated(), "main", "main", 2))


def test_what_the_settings_fail_is_not_called_passed() -> None:
    compared = situation("few-arcs")
    names = [figure.name for figure in compared.inconclusive]
    assert "FAILED: 6 figures inconclusive" in gate_lines(compared, "main", "main", failing=names)[0]
    assert "passed with a warning: 6 figures inconclusive" in gate_lines(
        compared, "main", "main", failing=(), warned=names
    )[0]  # fmt: skip


def test_what_a_ruling_lets_pass_is_not_called_failed() -> None:
    head, *rest = gate_lines(situation("failed"), "main", "main", failing=(), remarks=["a remark"])
    assert "FAILED" not in head
    assert rest[-2] == "a remark"


@pytest.mark.parametrize("name", COMPARED)
@pytest.mark.parametrize("width", [80, 100, 200])
def test_no_row_of_a_table_is_wider_than_the_terminal(name: str, width: int) -> None:
    lines = gate_lines(situation(name), "main", "main", 1, width=width)
    heads = [number for number, line in enumerate(lines) if line.startswith("─")]
    assert len(heads) == 2
    for head in heads:
        rows = lines[head - 1 : head + 2 + len(situation(name).figures) - 1]
        assert max(map(columns_of, rows)) <= width


@pytest.mark.parametrize("name", COMPARED)
def test_undefined_is_never_shown_as_zero(name: str) -> None:
    for figure in situation(name).figures:
        if figure.current is None:
            assert "now undefined" in failure_text(situation(name), figure)


def test_columns_move_closer_before_any_is_left_out() -> None:
    head, rows = ["aaaa", "bbbb", "cccc"], [["1", "2", "3"]]
    assert fitted(head, rows, 16, dispensable=(1,))[0] == "aaaa  bbbb  cccc"
    assert fitted(head, rows, 15, dispensable=(1,))[0] == "aaaa bbbb cccc"
    assert fitted(head, rows, 13, dispensable=(1,))[0] == "aaaa  cccc"
    assert fitted(head, rows, 9, dispensable=(1,))[0] == "aaaa cccc"
    assert fitted(head, rows, 3, dispensable=(1,))[0] == "aaaa cccc"


def test_wide_and_combining_characters_keep_columns_straight() -> None:
    lines = table(["name", "n"], [["所有", "1"], ["e\u0301", "2"], ["plain", "3"]], frozenset({1}))
    assert {columns_of(line) for line in lines} == {8}
    assert columns_of("所有") == 4


@pytest.mark.parametrize(
    ("low", "high", "excluded", "shown"),
    [
        (None, None, (False, False), "–"),
        (0.1, 0.4, (False, False), "0.100 to 0.400"),
        (-0.4, -0.1, (False, False), "−0.400 to −0.100"),
        (0.0, 0.4, (True, False), ">0 to 0.400"),
        (-0.4, 0.0, (False, True), "−0.400 to <0"),
        (0.1, None, (False, False), "≥ 0.100"),
        (0.0, None, (True, False), "> 0"),
        (None, 0.1, (False, False), "≤ 0.100"),
        (None, 0.0, (False, True), "< 0"),
    ],
)
def test_bounds_say_which_side_is_open_and_what_is_excluded(
    low: float | None, high: float | None, excluded: tuple[bool, bool], shown: str
) -> None:
    assert bounds(low, high, above=excluded[0], below=excluded[1]) == shown


def test_a_difference_of_rounding_is_none() -> None:
    assert change(0.3, 0.1 + 0.2) == "0"
    assert change(0.3, 0.3001) == "+0.0001"
    assert change(None, 0.3) == "–"


@pytest.mark.parametrize(
    ("value", "shown"), [(99.97, "100"), (999.7, "1,000"), (9.996, "10.0"), (0.9996, "1.00"), (0.0004, "0.0004")]
)
def test_a_number_is_rounded_before_its_digits_are_chosen(value: float, shown: str) -> None:
    assert number(value) == shown


def test_a_sentence_that_is_broken_into_lines_is_inert_in_each() -> None:
    lines = wrapped("x" * 38 + " ::error::owned and more", 40)
    assert len(lines) == 2
    assert "owned" in lines[1]
    assert dangers("\n".join(lines)) == []


def test_a_task_that_only_ran_more_often_has_not_changed() -> None:
    compared = situation("repeats")
    assert {task.then.episodes for task in compared.tasks} == {2}
    assert {task.now.episodes for task in compared.tasks} == {3}
    assert [str(task.key) for task in compared.changed_tasks] == ["arc-10/probe", "arc-11/probe"]


def test_tasks_stand_in_the_order_of_what_moved_the_figures() -> None:
    compared = situation("failed")
    changed = [task.key for task in compared.changed_tasks]
    assert list(changed) == [task.key for task in compared.tasks][: len(changed)]
    failing = [task.now.solved < task.then.solved for task in compared.changed_tasks]
    assert failing == sorted(failing, reverse=True)


def test_movements_of_the_tasks_add_up_to_the_difference() -> None:
    compared = situation("failed")
    for figure in compared.figures:
        moved = sum(task.moved.get(figure.name, 0.0) for task in compared.tasks)
        assert figure.difference is not None
        assert abs(moved) == pytest.approx(abs(figure.difference))


def test_a_comparison_of_another_plugins_figure_is_shown_without_its_words() -> None:
    compared = situation("failed")
    figure = replace(compared.figures[0], name="their_figure", title="their figure")
    assert "counts: 36 of 40 in the baseline" in failure_text(compared, figure)
    assert "successful episodes" not in failure_text(compared, figure)


def test_a_failing_figure_of_harm_names_every_newly_harmful_entry() -> None:
    compared = situation("failed")
    harm = next(figure for figure in compared.regressed if figure.name == "harm_yield")
    harmful = [c for c in compared.responsible["harm_yield"] if c.kind is ChangeKind.NEWLY_HARMFUL]
    assert len(harmful) > 8
    assert failure_text(compared, harm).count("misused") == len(harmful)
