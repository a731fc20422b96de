"""The scripted model as a memory-side model: which prompts are such, and what it answers."""

import json

import pytest

from pytest_memuse.agents.scripted.memory_prompts import memory_answer


def _asked(**fields: object) -> str:
    return json.dumps({"conversation": [{"role": "user", "content": "The port is 8081. `mode` is `fast`."}], **fields})


def test_facts_of_both_forms_are_found_and_the_later_value_counts() -> None:
    again = [{"role": "user", "content": "The port is 8081."}, {"role": "user", "content": "The port is now 9090."}]
    assert memory_answer(_asked(known=[])) == json.dumps(
        {"facts": [{"subject": "port", "value": "8081"}, {"subject": "mode", "value": "fast"}]}
    )
    assert memory_answer(_asked(known=[], conversation=again)) == '{"facts": [{"subject": "port", "value": "9090"}]}'


def test_a_summary_keeps_the_latest_sentence_of_each_subject() -> None:
    before = "The port is 7000. The room is Heron Room."
    assert memory_answer(_asked(summary=before)) == "The port is 8081. The room is Heron Room. `mode` is `fast`."
    assert memory_answer(_asked(summary="", conversation=[])) == "Nothing to remember yet."


@pytest.mark.parametrize(
    "prompt",
    [
        "Set `port` in `config.ini`.",
        "{not json",
        "[]",
        "{}",
        '{"known": []}',
        '{"conversation": "text", "known": []}',
        '{"conversation": [], "known": [], "more": 1}',
        "{" + '"a": {' * 100_000,
    ],
)
def test_any_other_text_is_no_such_prompt(prompt: str) -> None:
    assert memory_answer(prompt) is None


def test_turns_that_are_none_are_passed_over() -> None:
    odd = [7, {"role": "user"}, {"role": "user", "content": 5}, {"role": "assistant", "content": "The port is 1."}]
    assert memory_answer(_asked(known=[], conversation=odd)) == '{"facts": []}'
