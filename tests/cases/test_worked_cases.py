"""Every worked case, in the project's own folder or in the one that ``MEMUSE_CASES`` names."""

from typing import Any

import pytest

from pytest_memuse.arcs.inference import seed_spread
from pytest_memuse.arcs.merit import Merit
from pytest_memuse.judging.kappa import kappa_of
from pytest_memuse.model import PlacementKind
from pytest_memuse.profiles import FIGURES, EntryRow, EpisodeRow, Profile, RowOutcome, Run, SpanRow
from pytest_memuse.spans import ExposureKind, Span, build_spans, match_exposure
from pytest_memuse.spans.types import Exposure
from tests.arcs.scored import episode
from tests.cases.answer_checks import answer_cases, checked
from tests.cases.episodes import MalformedCase, case_name, cases_folder, episode_from_case, load_cases, load_documents
from tests.cases.runs import run_from_case, span_from

FURTHER = "further"
"""The folder of the cases that test one sentence each; another folder of cases may have one, too."""

HALF_A_TENTH = 0.05 + 1e-9
"""Half a unit of the last printed digit, halves themselves included."""

HALF_A_HUNDREDTH = 0.005 + 1e-9
"""The same of figures that are printed with two decimals."""


def cases(name: str) -> pytest.MarkDecorator:
    """Return the decorator that runs a test once per case of a file, its further cases behind the first ones."""
    found = [*load_cases(name), *load_cases(name, cases_folder() / FURTHER)]
    return pytest.mark.parametrize("case", found, ids=[case_name(case) for case in found])


def field(file: str, case: dict[str, Any], *path: str) -> Any:
    """Return a field of a case; a missing one makes the case malformed."""
    value: Any = case
    for key in path:
        if not isinstance(value, dict) or key not in value:
            raise MalformedCase(f"{file}: case {case_name(case)!r}: no field {'.'.join(path)!r}")
        value = value[key]
    return value


@cases("exposure.yaml")
def test_exposure_of_one_value_in_one_placement(case: dict[str, Any]) -> None:
    file = "exposure.yaml"
    try:
        kind = PlacementKind(field(file, case, "kind"))
    except ValueError as error:
        raise MalformedCase(f"{file}: case {case_name(case)!r}: {error}") from error
    exposure = match_exposure(field(file, case, "value"), field(file, case, "text"), kind)

    assert exposure.kind == field(file, case, "expect")
    expected = {"full": case["value"], "clipped": case.get("prefix"), "unknown": None}
    assert exposure.text == expected[case["expect"]]


@cases("spans.yaml")
def test_spans_of_an_episode(case: dict[str, Any]) -> None:
    file = "spans.yaml"
    episode = episode_from_case(case, file)
    places = {delivery.id: place for place, delivery in enumerate(episode.deliveries)}
    spans = sorted(build_spans(episode), key=lambda span: places[span.deliveries[0].id])
    wanted = field(file, case, "expect", "spans")

    assert [_span_row(span, expected) for span, expected in zip(spans, wanted, strict=False)] == wanted
    assert len(spans) == len(wanted)
    for delivery, expected in case["expect"].get("exposure", {}).items():
        span = next(s for s in spans if any(d.id == delivery for d in s.deliveries))
        assert [_exposure_word(entry.exposure) for entry in span.entries] == expected, delivery


def _span_row(span: Span, expected: dict[str, Any]) -> dict[str, Any]:
    """Return the span in the form of the case file, with the fields that the case states."""
    row: dict[str, Any] = {
        "deliveries": [delivery.id for delivery in span.deliveries],
        "outcome": span.outcome.value,
        "steps": [span.first, span.last],
        "windows": [[] if e.window is None else [e.window.first, e.window.last] for e in span.entries],
    }
    return {key: row[key] for key in expected}


def _exposure_word(exposure: Exposure) -> str:
    return f"clipped:{len(exposure.text or '')}" if exposure.kind is ExposureKind.CLIPPED else exposure.kind.value


@cases("verdicts.yaml")
def test_signals_to_verdict(case: dict[str, Any]) -> None:
    file = "verdicts.yaml"
    try:
        row = span_from("S1", "judged", [0], field(file, case, "entries"))
    except (KeyError, TypeError, ValueError) as error:
        raise MalformedCase(f"{file}: case {case_name(case)!r}: {error}") from error
    profile = Profile.of(Run("cases", (EpisodeRow("E1", "arc", "task", spans=(row,)),)))

    assert [entry.usage for entry in row.entries] == field(file, case, "usage")
    assert row.triage == field(file, case, "triage")
    assert row.corrected == case.get("corrected", 0)
    assert _figures(profile, case.get("profile", {}), "{}_share") == pytest.approx(case.get("profile", {}))
    assert _figures(profile, case.get("unsure", {}), "{}_uncertainty") == pytest.approx(case.get("unsure", {}))


def _figures(profile: Profile, wanted: dict[str, float], name: str) -> dict[str, float]:
    """Return the figures that a case states, under its words for them."""
    return {word: float(profile.figure(name.format(word))) for word in wanted}


_AGGREGATES = {
    "shares": "{}_share",
    "uncertainty": "{}_uncertainty",
    "yields_per_100_spans": "{}_yield",
    "triage_rates": "{}_rate",
    "episode_coverage": "coverage_{}",
}


@cases("aggregates.yaml")
def test_aggregates_of_a_run(case: dict[str, Any]) -> None:
    file = "aggregates.yaml"
    expect = dict(field(file, case, "expect"))
    profile = Profile.of(run_from_case(case, file))
    recurring = profile.recurring

    found: dict[str, Any] = {
        "profiled_spans": profile.profiled_spans,
        "delivered_tokens": {span: tokens for _, span, tokens in profile.tokens_by_span} | {"all": profile.tokens},
        "triage_counts": profile.triage_counts,
        "unused_relevant_entries": profile.unused.relevant,
        "recurring": {
            "threshold_episodes": recurring.threshold,
            "items": sorted(item for _, item in recurring.items),
            "share_of_relevant_entries": recurring.share_of_relevant_entries,
            "relevance_coverage_without": recurring.relevance_coverage_without,
        },
    }
    for word, name in _AGGREGATES.items():
        found[word] = _figures(profile, expect.get(word, {}), name)
    if "token_efficiency_per_million" in expect:
        found["token_efficiency_per_million"] = float(profile.token_efficiency)
    unknown = sorted(set(expect) - set(found))
    if unknown:
        raise MalformedCase(f"{file}: case {case_name(case)!r}: unknown expectations {', '.join(unknown)}")

    for word, value in expect.items():
        nested = isinstance(value, dict) and any(isinstance(part, list) for part in value.values())
        if nested:
            lists = {key: part for key, part in value.items() if isinstance(part, list)}
            assert {key: found[word][key] for key in lists} == lists, word
            value = {key: part for key, part in value.items() if key not in lists}
            found[word] = {key: found[word][key] for key in value}
        assert found[word] == pytest.approx(value), word


@pytest.mark.parametrize(
    "case",
    [*answer_cases("judge_checks.yaml"), *answer_cases("judge_checks.yaml", cases_folder() / FURTHER)],
    ids=case_name,
)
def test_checks_of_a_judge_answer(case: dict[str, Any]) -> None:
    file = "judge_checks.yaml"
    violations = sorted(field(file, case, "violations")) if not case.get("accepted") else []
    expect = {"accepted": not violations, "violations": violations} | case.get("expect", {})
    found = checked(case, file)

    assert {word: found.get(word) for word in expect} == expect


@cases("labels.yaml")
def test_labelled_cases_have_one_label_row_for_each_entry(case: dict[str, Any]) -> None:
    """How well a judge meets the labels is reported elsewhere; here a malformed case is an error."""
    file = "labels.yaml"
    spans = build_spans(episode_from_case(case, file))
    labels = field(file, case, "labels")

    assert len(labels) == sum(len(span.entries) for span in spans)
    assert {span.outcome.value for span in spans} == {"eligible"}
    for label in labels:
        assert set(label["forced"]) <= set(label)


def paper_numbers(name: str) -> list[Any]:
    """Return the rows of one table of the published figures, none where the file or the table is absent."""
    rows: list[Any] = []
    for document in load_documents("paper_numbers.yaml"):
        table = document.get(name, [])
        rows += table if isinstance(table, list) else [table]
    return rows


@pytest.mark.parametrize("row", paper_numbers("pooled_profiles"), ids=lambda row: row["system"])
def test_published_profiles_pool_over_spans(row: dict[str, Any]) -> None:
    """The published inputs are rounded to a hundredth of a percent, which moves a pooled share by as much at most."""
    for axis in ("relevance", "harm"):
        if axis not in row:
            continue
        percents = zip(row[axis], row["spans"], strict=True)
        pooled = FIGURES[f"{axis}_share"].value_of([(percent * spans, spans) for percent, spans in percents])
        assert pooled is not None
        if f"pooled_{axis}_between" in row:
            low, high = row[f"pooled_{axis}_between"]
            assert low <= pooled <= high
        else:
            assert pooled == pytest.approx(row[f"pooled_{axis}"], abs=0.005)


@pytest.mark.parametrize("total", paper_numbers("profiled_spans_in_all"))
def test_published_profiles_are_all_of_the_profiled_spans(total: int) -> None:
    spans = [count for row in paper_numbers("pooled_profiles") for count in row["spans"]]
    judged = SpanRow("S", RowOutcome.JUDGED, 0, (EntryRow("a"),))
    runs = tuple(EpisodeRow(str(n), "arc", "task", spans=(judged,) * count) for n, count in enumerate(spans))

    assert Profile.of(Run("paper", runs)).profiled_spans == total


@pytest.mark.parametrize("row", paper_numbers("conditional_effects"), ids=lambda row: str(row["acted_on"]))
def test_published_effects_are_shares_of_the_acted_on_entries(row: dict[str, Any]) -> None:
    effects = {"improved": "improved", "harmed": "harmed", "no_effect": "no_effect", "undetermined": None}
    entries = [
        {"item": "m", "r": True, "a": "corroborated", "n": "novel", "i": "acted_on", "e": effect}
        for word, effect in effects.items()
        for _ in range(row[word])
    ]
    idle = {"item": "m", "r": True, "a": "corroborated", "n": "novel", "i": "none", "e": None}
    span = span_from("S1", "judged", [0], [*entries, idle])
    found = Profile.of(Run("paper", (EpisodeRow("E", "arc", "task", spans=(span,)),))).conditional_effects

    assert {word: getattr(found, word) for word in ("acted_on", *effects)} == {
        word: row[word] for word in ("acted_on", *effects)
    }
    share = found.share("undetermined")
    assert share is not None
    assert 100 * share == pytest.approx(row["undetermined_percent"], abs=HALF_A_TENTH)


@pytest.mark.parametrize("row", paper_numbers("hidden_by_outcomes"), ids=lambda row: next(iter(row)))
def test_published_episodes_whose_outcome_hides_the_effect(row: dict[str, Any]) -> None:
    beneficial = "beneficial_episodes" in row
    total = row["beneficial_episodes" if beneficial else "harmful_episodes"]
    hidden = row["of_them_failed" if beneficial else "of_them_passed"]
    effect = "improved" if beneficial else "harmed"
    entry = {"item": "m", "r": True, "a": "corroborated", "n": "novel", "i": "acted_on", "e": effect}
    span = span_from("S1", "judged", [0], [entry])
    episodes = tuple(
        EpisodeRow(str(n), "arc", "task", success=(n < hidden) is not beneficial, spans=(span,)) for n in range(total)
    )
    found = Profile.of(Run("paper", episodes)).hidden_by_outcomes

    share = found.failed_share if beneficial else found.passed_share
    assert share is not None
    assert 100 * share == pytest.approx(row["percent"], abs=HALF_A_TENTH)


@pytest.mark.parametrize("row", paper_numbers("ignore_rate"), ids=lambda row: str(row["held"]))
def test_published_ignore_rate_of_probes_that_held_the_value(row: dict[str, Any]) -> None:
    held = [episode(n, held=True, acted=n <= row["acted"]) for n in range(1, row["held"] + 1)]
    missing = [episode(n, held=False, acted=False) for n in range(1000, 1010)]
    merit = Merit.of([*held, *missing])

    assert merit.ignore_rate == pytest.approx(row["is"], abs=HALF_A_HUNDREDTH)
    assert merit.ignore_rate.counts.denominator == row["held"]
    assert merit.utilization == pytest.approx(1 - row["is"], abs=HALF_A_HUNDREDTH)


@pytest.mark.parametrize("row", paper_numbers("seed_spread"), ids=lambda row: str(row["mean"]))
def test_published_spread_of_a_figure_over_seeds(row: dict[str, Any]) -> None:
    """Each seed has a hundred probes, of which the published share is solved."""
    merit = Merit.of(
        episode(n, seed=seed, success=n <= round(100 * value))
        for seed, value in enumerate(row["values"])
        for n in range(1, 101)
    )
    found = merit.seeds("dependent_success")

    assert found.values == pytest.approx(row["values"], abs=HALF_A_HUNDREDTH)
    assert found.mean == pytest.approx(row["mean"], abs=HALF_A_HUNDREDTH)
    assert found.deviation == pytest.approx(row["sd"], abs=HALF_A_HUNDREDTH)
    assert seed_spread(row["values"]).deviation == pytest.approx(row["sd"], abs=HALF_A_HUNDREDTH)


@pytest.mark.parametrize("row", paper_numbers("cohen_kappa"), ids=lambda row: str(row["n"]))
def test_published_agreement_of_two_readers_beyond_chance(row: dict[str, Any]) -> None:
    cells = [(a, b, count) for a, line in enumerate(row["table"]) for b, count in enumerate(line)]
    labels = [(f"{a}-{b}-{n}", a, b) for a, b, count in cells for n in range(count)]
    found = kappa_of(labels)

    assert found.labels == row["n"]
    assert sum(a == b for _, a, b in labels) == row["agree"]
    assert found.value == pytest.approx(row["kappa"], abs=HALF_A_HUNDREDTH)
