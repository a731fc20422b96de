"""What failing and passing assertions on figures say."""

import pytest

from pytest_memuse.plugin.noting import summary
from pytest_memuse.plugin.options import Settings
from pytest_memuse.plugin.state import SessionState
from pytest_memuse.profiles import EntryRow, Profile, Run
from pytest_memuse.profiles.figure import Compared
from pytest_memuse.profiles.support import doubts
from pytest_memuse.reports.assertions import explain_comparison, note, note_lines
from tests.profiles.runs import entry, judged, misused, run_of, used


def run_with(*spans: tuple[EntryRow, ...], arcs: int = 12) -> Run:
    return run_of(*((judged(*(spans[n] if n < len(spans) else (entry(f"plain-{n}"),))),) for n in range(arcs)))


def explained(op: str, left: object, right: object, *, brief: bool = False) -> str:
    lines = explain_comparison(op, left, right, brief=brief)
    assert lines is not None
    return "\n".join(lines)


def notes(run: Run, passes: str) -> list[str]:
    """Return the notes of an expression over ``profile`` that is true."""
    seen: list[Compared] = []
    assert eval(passes, {"profile": Profile.of(run, seen.append)})
    return [note(doubt) for compared in seen for doubt in doubts(compared)]


def test_a_failing_share_shows_value_counts_interval_and_the_entries_with_what_became_of_them() -> None:
    run = run_with((misused("mem-42", text="use port 8081", anchors=(4,)),))
    assert explained("<", Profile.of(run).harm_share, 0.005).splitlines() == [
        "harm_share 0.083 < 0.005",
        "  harm: 0.083 (share of entries, mean over profiled spans)",
        "  counts: 1 harmful entries / 12 entries of profiled spans; 95 % interval over arcs: 0.002 to 0.403",
        "  arc-0/task-0, step 4: mem-42 “use port 8081”, misused",
    ]


def test_the_figure_may_stand_on_either_side() -> None:
    figure = Profile.of(run_with((misused("mem-42"),))).harm_share
    assert explained(">", 0.005, figure).startswith("0.005 > harm_share 0.083\n")
    assert "mem-42" in explained(">", 0.005, figure)
    assert explain_comparison("<", 1, 2) is None


def test_entries_are_those_that_make_the_value_as_high_or_as_low_as_it_is() -> None:
    figure = Profile.of(run_with((used("helped"), entry("idle")), arcs=2)).benefit_share
    assert "helped" in explained("<", figure, 0.1)
    assert "idle" not in explained("<", figure, 0.1)
    assert "idle" in explained(">", figure, 0.9)
    assert "helped" not in explained(">", figure, 0.9)
    assert "helped" not in explained("<", 1 - figure, 0.1)
    assert "helped" in explained(">", figure, 0.1)  # the comparison of `assert not figure > 0.1`
    assert "helped" in explained("==", figure, pytest.approx(0.1))
    assert "idle" in explained("==", figure, pytest.approx(0.9))


def test_two_figures_are_both_explained() -> None:
    profile = Profile.of(run_with((misused("bad"), used("good"))))
    text = explained("<", profile.harm_share, profile.benefit_share)
    assert text.startswith("harm_share 0.042 < benefit_share 0.042\n")
    assert "1 harmful entries" in text
    assert "1 beneficial entries" in text


def test_what_is_calculated_from_a_figure_is_explained_like_it() -> None:
    figure = Profile.of(run_with((misused("mem-42"),))).harm_share
    text = explained("<", figure / 2, 0.005)
    assert text.startswith("(harm_share / 2) 0.042 < 0.005\n")
    assert "0.00079 to 0.202" in text
    assert "mem-42" in text


def test_open_entries_and_bounds_are_said() -> None:
    text = explained("<", Profile.of(run_with((entry("A", "acted_on"), misused()))).harm_share, 0.005)
    assert "1 of 2 acted-on entries has an undetermined effect: it could be 0.042 to 0.083" in text
    volume = Profile.of(run_of((judged(used(), redacted=True),), (judged(used()),))).delivered_tokens
    assert "delivered tokens: at least 100 (estimated" in explained("<", volume, 10)


@pytest.mark.parametrize("number", [1, 3, 40])
def test_the_short_form_fits_into_what_pytest_shows_and_says_what_it_leaves_out(number: int) -> None:
    bad = [misused(f"9f8e7d6c-0000-4000-8000-{n:012}", text="x" * 90) for n in range(number)]
    figure = Profile.of(run_with(tuple(bad))).harm_share
    text = explained("<", figure, 0.005, brief=True)
    assert len(text.splitlines()) <= 8
    assert len(text) <= 640
    assert ("more entries with -vv" in text) is (number > 2)
    assert "9f8e7d6c-0000-4000-8000-000000000000" in text


def test_a_rare_share_is_noted_with_what_so_few_support_and_the_assertion_that_says_it() -> None:
    assert notes(run_with(), "profile.harm_share < 0.005") == [
        "harm_share < 0.005 passes, but 0 harmful entries / 12 entries of profiled spans in 12 arcs support no more "
        "than “at most 0.265” (95 %)\nto assert on that: assert profile.harm_share.upper < 0.27"
    ]


def test_the_assertion_that_a_note_offers_passes() -> None:
    for spans, passes in (
        ([], "profile.harm_share < 0.005"),
        ([(used(),)] * 6, "profile.benefit_share > 0.3"),
        ([(used(),)] * 6, "1 - profile.benefit_share < 0.6"),
        ([(entry("A", "acted_on"), misused())], "profile.harm_share < 0.05"),
        ([(used(),)] * 12, "profile.benefit_share > 0.9"),
    ):
        found = notes(run_with(*spans), passes)
        assert found, passes
        for one in found:
            offered = one.rpartition("assert on that: assert ")[2]
            assert eval(offered, {"profile": Profile.of(run_with(*spans))}), offered


def test_the_lower_bound_is_offered_where_the_figure_is_held_up() -> None:
    (one,) = notes(run_with(*[(used(),)] * 6), "profile.benefit_share > 0.3")
    assert one.startswith(
        "benefit_share > 0.300 passes, but 12 arcs cannot tell 0.500 from it (95 % interval 0.200 to 0.800)"
    )
    assert one.endswith("to assert on that: assert profile.benefit_share.lower > 0.19")


def test_undetermined_effects_are_noted_with_what_the_share_could_be() -> None:
    found = notes(run_with((entry("A", "acted_on"), misused())), "profile.harm_share < 0.05")
    assert found[-1] == (
        "harm_share < 0.050 passes, but 1 of 2 acted-on entries has an undetermined effect: it could be up to 0.083\n"
        "to assert on that: assert profile.harm_share.highest < 0.084"
    )


def test_the_same_notes_of_several_tests_are_shown_once_and_many_are_cut() -> None:
    shown = note_lines({"a.py::one": ["x"], "a.py::two": ["x"], "a.py::three": ["y", "z"]})
    assert shown == ["passed on little:", "  a.py::one and 1 other test", "    x", "  a.py::three", "    y", "    z"]
    many = {f"a.py::t{n}": [f"n{n}"] for n in range(12)}
    assert note_lines(many)[-1] == "  and 4 more notes (-v)"
    assert len(note_lines(many, everything=True)) == 1 + 24


def test_with_q_nothing_is_noted() -> None:
    state = SessionState(Settings.__new__(Settings), notes={"a.py::one": ["x"]})
    assert summary(state, -1) == []
    assert summary(state, 0) == ["passed on little:", "  a.py::one", "    x"]
