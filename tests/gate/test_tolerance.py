import pytest

from pytest_memuse.gate.tolerance import Tolerance, check_gated, parse_tolerance, parse_tolerances
from pytest_memuse.model.errors import MemuseError
from pytest_memuse.profiles.figures import FIGURES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("harm_yield=0.5", Tolerance(0.5)),
        (" harm_yield = 5 % ", Tolerance(0.05, relative=True)),
        ("harm_yield=1e-3", Tolerance(0.001)),
    ],
)
def test_a_tolerance_is_a_number_or_a_percentage(text, expected):
    assert parse_tolerance(text, ["harm_yield"]) == ("harm_yield", expected)


@pytest.mark.parametrize(
    "text",
    ["harm_yield", "harm_yield=", "harm_yield=-1", "harm_yield=inf", "harm_yield=0x10", "harm_yield=" + "9" * 400],
)
def test_what_is_no_number_is_refused_with_both_forms(text):
    with pytest.raises(MemuseError, match=r"write harm_yield=0.02 .* or harm_yield=5%") as caught:
        parse_tolerance(text, ["harm_yield"])
    assert caught.value.reason == "tolerance"


def test_an_unknown_figure_is_named_with_the_nearest():
    with pytest.raises(MemuseError, match="names no figure; did you mean 'harm_yield'"):
        parse_tolerance("harm_yeld=1", ["harm_yield", "outcome_rate"])


def test_a_relative_tolerance_is_a_share_of_the_baselines_size():
    assert Tolerance(0.1, relative=True).of(-20.0) == 2.0
    assert Tolerance(0.1).of(-20.0) == 0.1


@pytest.mark.parametrize("value", [-0.1, float("nan"), float("inf")])
def test_a_tolerance_that_is_no_size_is_refused(value):
    with pytest.raises(MemuseError, match="finite number of at least 0"):
        Tolerance(value)


def test_several_tolerances_are_separated_by_commas_or_lines():
    found = parse_tolerances("steps=5%, outcome_rate = 0.02\n\nharm_yield=1e-3,\n", FIGURES)
    assert found == {
        "steps": Tolerance(0.05, relative=True),
        "outcome_rate": Tolerance(0.02),
        "harm_yield": Tolerance(0.001),
    }
    assert parse_tolerances("", FIGURES) == {}


def test_a_figure_has_one_tolerance():
    with pytest.raises(MemuseError, match="The figure 'steps' has two tolerances") as caught:
        parse_tolerances("steps=5%\nsteps=6", FIGURES)
    assert caught.value.reason == "tolerance"


def test_a_share_of_nothing_is_nothing():
    assert Tolerance(0.5, relative=True).of(0.0) == 0.0


def test_a_gated_figure_that_does_not_exist_is_named_with_its_nearest():
    check_gated(["steps", "outcome_rate"], FIGURES)
    with pytest.raises(MemuseError, match="There is no figure 'step' to gate; did you mean 'steps'"):
        check_gated(["outcome_rate", "step"], FIGURES)
