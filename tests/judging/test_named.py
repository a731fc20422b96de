"""Judges by name, and what asking a model will take."""

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_memuse.judging import Tracer
from pytest_memuse.judging.annotations import Annotations
from pytest_memuse.judging.combined import Combined
from pytest_memuse.judging.estimate import estimate
from pytest_memuse.judging.named import is_judge, judge_named
from pytest_memuse.model import MemuseError
from tests.judging.annotated import labels_text
from tests.judging.scripted_judge import labelled

CASE = labelled("c", {"influence": "none"})


def test_judges_are_named_and_joined(tmp_path: Path) -> None:
    (tmp_path / "a+b.yaml").write_text(labels_text(CASE, {"influence": "none"}), encoding="utf-8")
    assert isinstance(judge_named("tracer"), Tracer)
    assert isinstance(judge_named("annotations:a+b.yaml", tmp_path), Annotations)
    joined = judge_named("annotations:a+b.yaml+tracer", tmp_path)
    assert isinstance(joined, Combined)
    assert [part.kind for part in joined.parts] == ["annotations", "tracer"]


@pytest.mark.parametrize("name", ["tracer", "tracer:x", "annotations:f", "llm:openai/x", "tracer+annotations:f"])
def test_what_names_a_judge_is_told_from_stored_runs(name: str) -> None:
    assert is_judge(name)
    assert not is_judge(f"baselines/{name}")


@pytest.mark.parametrize("name", ["", "trace", "tracer:x", "annotations", "annotations:", "llm", "llm:", "tracer+"])
def test_what_names_no_judge_is_refused_with_what_there_is(name: str) -> None:
    with pytest.raises(MemuseError, match=r"name one of tracer, annotations:FILE, llm:MODEL") as caught:
        judge_named(name)
    assert caught.value.reason == "no-judge"


def test_a_model_may_be_at_an_address() -> None:
    judge = judge_named("llm:openai/tiny@http://localhost:1/v1")
    assert (judge.identity.kind, judge.identity.model) == ("llm", "openai/tiny")


def test_the_estimate_grows_with_spans_and_counts_every_call_with_what_came_before_it() -> None:
    one = estimate([(CASE.episode, CASE.spans)])
    two = estimate([(CASE.episode, CASE.spans)] * 2)
    assert (one.spans, two.spans, two.calls) == (1, 2, 10)
    assert two.least_tokens == pytest.approx(2 * one.least_tokens, abs=1)
    assert one.least_tokens < one.input_tokens < 5.06 * one.least_tokens
    task = CASE.episode.task
    assert task is not None
    longer = replace(CASE.episode, task=replace(task, text=task.text + "x" * 4_000))
    assert estimate([(longer, CASE.spans)]).least_tokens > one.least_tokens + 1_000


def test_answers_that_are_kept_and_spans_beyond_the_limit_are_in_no_other_number_of_the_estimate() -> None:
    three = [(CASE.episode, CASE.spans)] * 3
    whole, left = estimate(three), estimate(three, kept=lambda *_: True)
    assert (whole.spans, whole.kept, whole.beyond) == (3, 0, 0)
    assert (left.spans, left.kept, left.calls, left.input_tokens) == (0, 3, 0, 0)
    bound = estimate(three, most=1)
    assert (bound.spans, bound.beyond, bound.calls) == (1, 2, 5)
    assert bound.input_tokens == pytest.approx(whole.input_tokens / 3, abs=1)


def test_another_average_of_calls_changes_calls_and_tokens_alike() -> None:
    found = estimate([(CASE.episode, CASE.spans)] * 2)
    doubled = found.at(2 * found.calls_a_span)
    assert (doubled.calls, doubled.input_tokens) == (20, 2 * found.input_tokens)
    assert doubled.least_tokens == found.least_tokens
    assert doubled == estimate([(CASE.episode, CASE.spans)] * 2, doubled.calls_a_span)
