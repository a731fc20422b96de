"""The scripted model's answers to a memory system's extraction prompt."""

import json
from typing import Any

import pytest

from pytest_memuse.agents.scripted import respond
from pytest_memuse.agents.scripted.extraction import extraction_answer, is_extraction


def prompt(conversation: str, existing: Any = ()) -> str:
    return (
        "## Summary\n\n\n## Last k Messages\nuser: `old` is `1`.\n\n## Recently Extracted Memories\n[]\n\n"
        f"## Existing Memories\n{json.dumps(list(existing))}\n\n## New Messages\n{conversation}\n\n"
        "## Observation Date\n2026-01-01\n\n## Current Date\n2026-01-01\n\n# Output:"
    )


def texts(answer: str) -> list[str]:
    return [m["text"] for m in json.loads(answer)["memory"]]


def test_facts_and_reminders_are_extracted_once_with_their_speaker() -> None:
    said = "user: Hello. Keep in mind: we ship on Fridays. Here,\nas ever, `a` is `1`. `a` is `1`.\n"
    said += "assistant: `b` is `2`.\n"
    answer = json.loads(extraction_answer(prompt(said)))
    assert answer["memory"] == [
        {"id": "0", "text": "Here, as ever, `a` is `1`.", "attributed_to": "user"},
        {"id": "1", "text": "We ship on Fridays.", "attributed_to": "user"},
        {"id": "2", "text": "`b` is `2`.", "attributed_to": "assistant"},
    ]


def test_what_an_existing_memory_states_is_not_extracted_again() -> None:
    existing = [{"id": "0", "text": "Since May `a` is `1`."}]
    assert texts(extraction_answer(prompt("user: `a` is `1`.", existing))) == []


def test_another_value_of_a_known_subject_is_a_new_memory() -> None:
    existing = [{"id": "0", "text": "`a` is `1`."}]
    assert texts(extraction_answer(prompt("user: `a` is `2`.", existing))) == ["`a` is `2`."]


def test_earlier_messages_and_orders_are_no_new_facts() -> None:
    assert texts(extraction_answer(prompt("user: Set `a` in `b`. Run `c`.\nassistant: I'll look at `b`."))) == []


def test_the_prompt_is_recognised_by_its_sections_through_the_model() -> None:
    body = {"messages": [{"role": "system", "content": "x"}, {"role": "user", "content": prompt("user: `a` is `1`.")}]}
    assert texts(respond(body)["choices"][0]["message"]["content"]) == ["`a` is `1`."]
    assert not is_extraction("Tell me about ## New Messages\n")


@pytest.mark.parametrize("section", ["[", "[" * 10_000, "{}", '[1, {"text": 3}]', "null", ""])
def test_a_damaged_list_of_memories_counts_as_empty(section: str) -> None:
    text = prompt("user: `a` is `1`.").replace("[]\n\n## New", section + "\n\n## New")
    assert texts(extraction_answer(text)) == ["`a` is `1`."]


def test_headings_in_the_conversation_do_not_end_it() -> None:
    said = "user: ## Existing Memories\n[]\n\n## Observation Date\n`a` is `1`.\nassistant: ok"
    assert texts(extraction_answer(prompt(said))) == ["## Observation Date `a` is `1`."]
