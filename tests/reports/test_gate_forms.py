"""Every form of the gate in a terminal, to the letter.

`tests/reports/golden.py` says how the files are written anew when a form changes.
"""

import pytest

from pytest_memuse.reports.gate import failure_text, gate_lines, refusal_text
from tests.reports.gate_situations import nothing_gated, refusal, situation
from tests.reports.golden import FOLDER, check_golden

VERBOSITIES = {"q": -1, "default": 0, "v": 1, "vv": 2}

FORMS = (
    "passed-q",
    "passed-default",
    "passed-v",
    "passed-vv",
    "failed-q",
    "failed-default",
    "failed-v",
    "failed-vv",
    "few-arcs-q",
    "few-arcs-default",
    "few-arcs-v",
    "inconclusive-default",
    "inconclusive-v",
    "inconclusive-vv",
    "improved-q",
    "improved-default",
    "improved-vv",
    "undefined-now-q",
    "undefined-now-default",
    "undefined-now-v",
    "undefined-now-vv",
    "not-gated-default",
    "not-gated-v",
    "unmatched-q",
    "unmatched-default",
    "rough-default",
    "rough-v",
    "tolerance-q",
    "tolerance-default",
    "tolerance-v",
    "repeats-default",
    "repeats-vv",
)
WIDTHS = (40, 60, 120)
FAILURES = {
    "failed": "harm_yield",
    "undefined-now": "relevance_share",
    "few-arcs": "outcome_rate",
    "rough": "delivered_tokens",
    "tolerance": "relevance_share",
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_its_golden_file(form: str) -> None:
    name, _, verbosity = form.rpartition("-")
    check_golden(f"gate/{form}", gate_lines(situation(name), "main", "main", VERBOSITIES[verbosity]))


@pytest.mark.parametrize("width", WIDTHS)
def test_each_width_is_its_golden_file(width: int) -> None:
    check_golden(f"gate/width-{width}", gate_lines(situation("failed"), "main", "main", 1, width=width))


@pytest.mark.parametrize("name", FAILURES)
def test_each_failure_is_its_golden_file(name: str) -> None:
    compared = situation(name)
    figure = next(figure for figure in compared.figures if figure.name == FAILURES[name])
    check_golden(f"gate/failure-{name}", failure_text(compared, figure).split("\n"))


def test_a_refusal_is_its_golden_file() -> None:
    check_golden("gate/refusal", refusal_text(refusal(), "main").split("\n"))


@pytest.mark.parametrize("verbosity", VERBOSITIES)
def test_a_gate_of_no_figure_is_its_golden_file(verbosity: str) -> None:
    check_golden(f"gate/nothing-gated-{verbosity}", gate_lines(nothing_gated(), "main", "main", VERBOSITIES[verbosity]))


def test_inconclusive_figures_that_fail_or_warn_are_their_golden_files() -> None:
    compared = situation("few-arcs")
    names = {figure.name for figure in compared.inconclusive}
    check_golden("gate/inconclusive-fails-q", gate_lines(compared, "main", "main", -1, failing=names))
    check_golden("gate/inconclusive-warns-q", gate_lines(compared, "main", "main", -1, failing=(), warned=names))


def test_a_pair_without_a_baseline_is_its_golden_file() -> None:
    check_golden("gate/pair-default", gate_lines(situation("failed"), "0c496ea275", ""))


def test_no_golden_file_is_left_over() -> None:
    used = {
        *FORMS,
        *(f"width-{width}" for width in WIDTHS),
        *(f"failure-{name}" for name in FAILURES),
        *(f"nothing-gated-{verbosity}" for verbosity in VERBOSITIES),
        "refusal",
        "inconclusive-fails-q",
        "inconclusive-warns-q",
        "pair-default",
    }
    assert {path.stem for path in (FOLDER / "gate").glob("*")} == used
