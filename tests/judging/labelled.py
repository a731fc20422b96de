"""Labelled cases: their form is that of ``labels.yaml``, with a task's ``references`` besides."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_memuse.judging import Accuracy, Assessment, Effect, Influence, Judge, Novelty, Signal, judge_episode
from pytest_memuse.judging.agreement import Agreement, Label
from pytest_memuse.model import Episode, ReferenceFact
from pytest_memuse.spans import Span, build_spans
from tests.cases.episodes import MalformedCase, case_name, episode_from_case, load_cases

OWN_LABELS = Path(__file__).parents[2] / "fixtures" / "labels"
_TYPES: Mapping[Signal, Any] = {
    Signal.RELEVANCE: bool,
    Signal.ACCURACY: Accuracy,
    Signal.NOVELTY: Novelty,
    Signal.INFLUENCE: Influence,
    Signal.EFFECT: Effect,
}


@dataclass(frozen=True)
class Judged:
    """One labelled entry with the judge's assessment."""

    source: str
    where: str
    label: Label
    assessment: Assessment
    determines: frozenset[Signal]


def labelled_episode(case: Mapping[str, Any], source: str) -> Episode:
    """Return the episode of a labelled case with its task's reference facts."""
    episode = episode_from_case(case, source)
    facts = tuple(
        ReferenceFact(str(f["subject"]), str(f["value"]), tuple(str(v) for v in f.get("superseded", ())))
        for f in case.get("references", ())
    )
    return replace(episode, task=replace(episode.task, references=facts)) if episode.task else episode


def judged_cases(judge: Judge, name: str, folder: Path | None = None) -> Iterator[Judged]:
    """Judge every case of a file and yield its entries beside their labels, in order of spans and entries."""
    for case in load_cases(name, folder):
        episode = labelled_episode(case, name)
        spans = build_spans(episode)
        judgments = judge_episode(judge, episode, spans)
        entries = [(span, index) for span in spans for index in range(len(span.entries))]
        if len(entries) != len(case["labels"]):
            raise MalformedCase(
                f"{name}: case {case_name(case)!r}: {len(case['labels'])} labels, {len(entries)} entries"
            )
        for (span, index), row in zip(entries, case["labels"], strict=True):
            judgment = judgments.get(span.id)
            if judgment is not None:
                where = f"{case_name(case)}, {span.id} entry {index + 1}"
                yield Judged(name, where, _label(row), judgment.assessments[index], judgment.determines)


def agreement_of(judged: list[Judged]) -> Agreement:
    """Return the agreement of a judge with the forced labels."""
    agreement = Agreement()
    for entry in judged:
        agreement.add(entry.where, entry.label, entry.assessment, entry.determines)
    return agreement


def _label(row: Mapping[str, Any]) -> Label:
    values = {s: None if row.get(s) is None else _TYPES[s](row[s]) for s in Signal}
    return Label(values, frozenset(Signal(name) for name in row["forced"]))


def only_span(episode: Episode) -> tuple[tuple[Span, ...], Span]:
    """Return the spans of an episode that has one."""
    spans = build_spans(episode)
    (span,) = spans
    return spans, span
