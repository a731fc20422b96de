"""The labelled sets that the tests measure judges on."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pytest_memuse.cli.labels import read_sets
from pytest_memuse.judging import Assessment, Judge, Signal, judge_episode
from pytest_memuse.judging.labels import Label, LabelledCase
from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.spans import Span, build_spans
from tests.cases.episodes import OWN_CASES, cases_folder, episode_from_case

OWN_LABELS = Path(__file__).parents[2] / "fixtures" / "labels"
HELD = (OWN_CASES / "labels.yaml", OWN_LABELS / "tracer.yaml")
"""The sets that the tracer was first held to."""

CONSTRUCTED = OWN_LABELS / "constructed"
"""Written from construction alone, before the tracer that it measures, which reads it without a mistake."""


@dataclass(frozen=True)
class Judged:
    """One labelled entry with the judge's assessment."""

    where: str
    label: Label
    assessment: Assessment
    determines: frozenset[Signal]


@cache
def sets() -> Mapping[str, tuple[LabelledCase, ...]]:
    """Return the labelled sets by path: the project's own, and those of the folder that ``MEMUSE_CASES`` names."""
    found = read_sets([*HELD, OWN_LABELS])
    if os.environ.get("MEMUSE_CASES"):
        try:
            found |= read_sets([cases_folder()])
        except MemuseError as error:
            # Every file of that folder is optional.
            if error.reason != "no-labels":
                raise
    return found


def labelled_episode(case: Mapping[str, Any], source: str) -> Episode:
    """Return the episode of a labelled case with its task's reference facts."""
    return episode_from_case(case, source)


def judged(judge: Judge, cases: tuple[LabelledCase, ...]) -> Iterator[Judged]:
    """Judge cases and yield their entries beside their labels, in order of spans and entries."""
    for case in cases:
        judgments = judge_episode(judge, case.episode, case.spans)
        for number, (span, index, label) in enumerate(case.entries(), start=1):
            judgment = judgments.get(span.id)
            if judgment is not None:
                where = f"{case.source}: {case.name} entry {number}"
                yield Judged(where, label, judgment.assessments[index], judgment.determines)


def only_span(episode: Episode) -> tuple[tuple[Span, ...], Span]:
    """Return the spans of an episode that has one."""
    spans = build_spans(episode)
    (span,) = spans
    return spans, span
