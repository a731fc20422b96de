"""Runs from the worked cases' short form of spans and entries, built by the product's own row functions."""

from collections.abc import Mapping
from typing import Any

from pytest_memuse.judging.answers import Accuracy, Assessment, Effect, Influence, Judgment, Novelty
from pytest_memuse.model import Delivery, Entry, Placement
from pytest_memuse.profiles import EpisodeRow, Run, SpanRow, span_row
from pytest_memuse.spans import Exposure, ExposureKind, Span, SpanEntry, SpanOutcome, Window
from tests.cases.episodes import MalformedCase, case_name


def assessment(data: Mapping[str, Any]) -> Assessment:
    """Return the assessment that the letters r, a, n, i, e and w stand for."""

    def read(kind: Any, key: str) -> Any:
        return None if data[key] is None else kind(data[key])

    return Assessment(
        relevance=data["r"],
        accuracy=read(Accuracy, "a"),
        novelty=read(Novelty, "n"),
        influence=read(Influence, "i"),
        effect=read(Effect, "e"),
        window_read=data.get("w", True),
    )


def span_from(name: str, outcome: str, chars: list[int], entries: list[Mapping[str, Any]]) -> SpanRow:
    """Return the row of a span of a case; ``chars`` holds the placement characters of each delivery."""
    deliveries = tuple(
        Delivery(f"{name}-{number}", (), (Placement("slot", None, characters=size),), None)
        for number, size in enumerate(chars)
    )
    judged = outcome == "judged"
    span = Span(
        id=name,
        deliveries=deliveries,
        entries=tuple(
            SpanEntry(Entry(str(entry.get("item", ""))), Exposure(ExposureKind.UNKNOWN), Window(1, 1))
            for entry in entries
        ),
        first=1,
        last=1,
        outcome=SpanOutcome.ELIGIBLE if outcome in ("judged", "unjudged") else SpanOutcome(outcome),
        characters=sum(chars),
    )
    judgment = Judgment(name, tuple(assessment(entry) for entry in entries)) if judged else None
    return span_row(span, judgment)


def run_from_case(case: Mapping[str, Any], source: str) -> Run:
    """Return the run of a case of ``aggregates.yaml``: one store, so one arc."""
    try:
        rows = []
        for name in case["episodes"]:
            spans = tuple(
                span_from(span["id"], span["outcome"], span["chars"], span["entries"])
                for span in case["spans"]
                if span["episode"] == name
            )
            rows.append(EpisodeRow(id=name, arc="arc", task=name, spans=spans))
        return Run("cases", tuple(rows))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise MalformedCase(f"{source}: case {case_name(case)!r}: {type(error).__name__}: {error}") from error
