"""What a suite's judge took is told with the suite, whatever else the judge was asked about in the session."""

from collections import deque
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_memuse.judging import Tracer
from pytest_memuse.judging.combined import Combined
from pytest_memuse.judging.llm import LlmJudge
from pytest_memuse.judging.run import judge_episodes
from pytest_memuse.plugin.judge_usage import spent_so_far, usage_notes
from tests.judging.evidence_cases import simple
from tests.judging.llm.scripted_client import Client, Kept
from tests.plugin.judged import judged, make_judged, unasked
from tests.plugin.project import Project

pytest_plugins = "pytester"

EPISODES = [replace(simple(f"Wait {number} s between retries."), id=f"E{number}") for number in range(3)]


def test_a_suite_is_told_what_it_took_itself() -> None:
    judge = LlmJudge("openai/scripted", client=Client(), records=Kept())
    deque(judge_episodes(judge, EPISODES[:2]), maxlen=0)
    before = spent_so_far(judge)
    deque(judge_episodes(judge, EPISODES), maxlen=0)
    assert usage_notes("shop", judge, before) == (
        "suite 'shop': judge openai/scripted: 1 span asked about, 2 from records, 2.00 calls a span, "
        "75.0% of input cached, 0.0200 USD",
    )


def test_of_judges_together_those_that_ask_a_model_are_told() -> None:
    judge = Combined((Tracer(), LlmJudge("openai/scripted", client=Client())))
    before = spent_so_far(judge)
    deque(judge_episodes(judge, EPISODES), maxlen=0)
    (note,) = usage_notes("shop", judge, before)
    assert "3 spans asked about, 0 from records" in note


@pytest.mark.parametrize("judge", [Tracer(), LlmJudge("openai/scripted", client=Client())])
def test_a_judge_that_had_nothing_to_do_is_not_told(judge: Tracer | LlmJudge) -> None:
    assert usage_notes("shop", judge, spent_so_far(judge)) == ()


@pytest.mark.long
def test_the_summary_of_a_run_tells_what_was_asked_and_what_was_taken_from_records(
    quick_project: Project, tmp_path: Path
) -> None:
    project = make_judged(quick_project.copy(tmp_path / "project"))
    ran, asked = judged(project)
    told = "judge openai/scripted: 18 spans asked about, 0 from records, 2.00 calls a span, 50.0% of input cached, "
    assert asked == 36
    assert told + "0.0360 USD" in ran.out
    again = unasked(project)
    assert "judge openai/scripted: 0 spans asked about, 18 from records\n" in again.out
