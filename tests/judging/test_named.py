"""Judges by name, and what asking a model will take."""

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_memuse.cli.judges import cost_lines
from pytest_memuse.judging import JudgeIdentity, Tracer
from pytest_memuse.judging.annotations import Annotations
from pytest_memuse.judging.combined import Combined
from pytest_memuse.judging.estimate import estimate
from pytest_memuse.judging.named import is_judge, judge_named
from pytest_memuse.model import MemuseError
from tests.judging.annotated import labels_text
from tests.judging.scripted_judge import ScriptedJudge, labelled

CASE = labelled("c", {"influence": "none"})


class Asking(ScriptedJudge):
    """A judge that says that it asks a model."""

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity("llm", "1", "some/model")


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


def test_a_model_may_be_at_an_address_and_nothing_is_asked_for_its_name() -> None:
    judge = judge_named("llm:openai/tiny@http://localhost:1/v1")
    assert (judge.identity.kind, judge.identity.model) == ("llm", "openai/tiny")
    assert len(cost_lines(judge, [(CASE.episode, CASE.spans)])) == 2


def test_only_a_judge_that_asks_a_model_has_a_cost_and_it_is_told_with_spans_calls_and_tokens() -> None:
    assert cost_lines(Tracer(), [(CASE.episode, CASE.spans)]) == []
    asking = Asking({})
    (line, _) = cost_lines(Combined((Tracer(), asking)), [(CASE.episode, CASE.spans)] * 2)
    assert line.startswith("some/model: 2 spans, about 5.06 calls each")
    assert "10 calls" in line


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
