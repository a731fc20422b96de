"""An endpoint that fails, over real HTTP: what passes is tried again, what stays is an error with its reason."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from pytest_memuse.execution.quiet_imports import quiet_import
from pytest_memuse.judging.llm import ErrorReason, LlmJudge, RequestSettings
from pytest_memuse.judging.run import judge_episodes
from pytest_memuse.model import MemuseError
from tests.judging.llm.endpoint import Turn, assessed, fails, in_turn, says
from tests.judging.llm.judging import EPISODE, READ, judged, outcome_of
from tests.judging.llm.needs import need_litellm

need_litellm()


@pytest.mark.parametrize("status", [429, 500, 529])
def test_a_passing_failure_is_tried_again(status: int) -> None:
    with judged(in_turn(fails(status, retry_after="3600"), READ, fails(status), says(assessed()))) as (found, endpoint):
        pass
    assert (found.accepted, len(endpoint.requests), found.usage.calls) == (True, 4, 2)


@pytest.mark.parametrize("turn", [fails(429), fails(500), Turn(cut=True), Turn(body=b"<html>")])
def test_a_failure_that_stays_ends_as_an_error_once_the_retries_are_used_up(turn: Turn) -> None:
    with judged(in_turn(READ, turn), retries=2) as (found, endpoint):
        pass
    assert (found.error, found.judgment, len(endpoint.requests)) == (ErrorReason.REQUEST, None, 4)
    assert found.problem


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refusal_is_not_tried_again(status: int) -> None:
    with judged(in_turn(fails(status, "your key sk-abcdefghijkl is odd"))) as (found, endpoint):
        pass
    assert (found.error, len(endpoint.requests)) == (ErrorReason.REQUEST, 1)
    assert "sk-abc" not in found.problem


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("openai/gpt-5-mini", "OPENAI_API_KEY is not set"),
        ("opnai/gpt-5-mini", "knows no provider"),
    ],
)
def test_a_run_that_nobody_can_answer_ends_with_the_reason_and_not_with_error_spans(
    model: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    judge = LlmJudge(model)
    with pytest.raises(MemuseError, match=said):
        list(judge_episodes(judge, [EPISODE, EPISODE]))
    assert judge.usage.calls == 0


def test_a_provider_that_the_user_has_given_litellm_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    litellm = quiet_import(extra="llm")

    class Own(litellm.CustomLLM):  # type: ignore[misc, name-defined]
        def completion(self, *args: Any, **kwargs: Any) -> Any:
            raise RuntimeError("it was asked")

    monkeypatch.setattr(litellm, "custom_provider_map", [{"provider": "my-own", "custom_handler": Own()}])
    monkeypatch.setattr(litellm, "provider_list", list(litellm.provider_list))
    monkeypatch.setattr(litellm, "_custom_providers", [])
    found = outcome_of(LlmJudge("my-own/model", requests=RequestSettings(retries=0)))
    assert found.error is ErrorReason.REQUEST
    assert "it was asked" in found.problem


def test_silence_ends_by_the_time_limit_and_is_tried_again() -> None:
    hung: list[int] = []

    def script(request: Mapping[str, Any], number: int) -> Turn:
        # Told by what was read and not by number: a machine under load may let another request run out of time.
        if not any(message["role"] == "tool" for message in request["messages"]):
            return READ
        if not hung:
            hung.append(number)
            return Turn(hang=True)
        return says(assessed())

    with judged(script, seconds=0.5) as (found, endpoint):
        endpoint.release.set()
    assert found.accepted
    assert len(hung) == 1
    assert len(endpoint.requests) > hung[0]
    assert found.usage.calls == 2


def test_silence_that_stays_is_an_error() -> None:
    with judged(in_turn(Turn(hang=True)), seconds=0.2, retries=1) as (found, endpoint):
        endpoint.release.set()
    assert (found.error, len(endpoint.requests)) == (ErrorReason.REQUEST, 2)
    assert "Timeout" in found.problem


@pytest.mark.parametrize(
    "body",
    [
        {"choices": []},
        {"choices": [{"message": {"role": "assistant", "content": 5, "tool_calls": "x"}}]},
        [],
    ],
)
def test_a_response_without_a_message_is_tried_again(body: object) -> None:
    odd = Turn(body=json.dumps(body).encode())
    with judged(in_turn(odd, READ, says(assessed()))) as (found, endpoint):
        pass
    assert (found.accepted, len(endpoint.requests)) == (True, 3)


def test_what_an_endpoint_says_of_its_failure_is_shown_in_one_line_that_commands_nothing() -> None:
    hostile = "no\n::error::pwned\n##[command]x\x1b[2J\u202e sk-abcdefghijkl " + "x" * 5_000
    with judged(in_turn(fails(400, hostile))) as (found, _):
        pass
    assert found.error is ErrorReason.REQUEST
    assert found.problem.isprintable()
    assert len(found.problem) < 300
    assert "##[" not in found.problem
    assert "abcdefghijkl" not in found.problem


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_cut_in_the_middle_is_asked_for_again_and_ends_as_an_error_where_it_stays_so(
    chunked: bool,
) -> None:
    cut = Turn(text=assessed(), cut=True, chunked=chunked)
    with judged(in_turn(cut, READ, says(assessed()))) as (found, endpoint):
        pass
    assert (found.accepted, len(endpoint.requests), len(found.calls)) == (True, 3, 2)
    with judged(in_turn(cut), retries=1) as (found, endpoint):
        pass
    assert (found.error, len(endpoint.requests)) == (ErrorReason.REQUEST, 2)
    assert found.problem


def test_a_body_in_pieces_is_read_whole() -> None:
    with judged(in_turn(READ, says(assessed(), chunked=True))) as (found, _):
        pass
    assert found.accepted
