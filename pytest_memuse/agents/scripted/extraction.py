"""Answering a memory system's extraction prompt from the conversation that it holds.

The prompt is recognised by its own sections ("## Existing Memories", "## New Messages"), as Mem0 2.x writes them.
"""

import json
from collections.abc import Iterator

from pytest_memuse.agents.scripted.language import facts_in_prose, reminders

_MESSAGES = "## New Messages\n"
_AFTER_MESSAGES = "\n\n## Observation Date\n"
_MEMORIES = "## Existing Memories\n"
_ROLES = ("user", "assistant")


def is_extraction(prompt: str) -> bool:
    """Whether a user message is an extraction prompt."""
    return _MEMORIES in prompt and _MESSAGES in prompt and _AFTER_MESSAGES in prompt


def extraction_answer(prompt: str) -> str:
    """Return the JSON text that the prompt asks for: one memory for each new statement that no existing one makes.

    A statement is a fact sentence, or a reminder ("Keep in mind: ..."). A fact is new where no existing memory states
    the same value of the same subject; another value of a known subject is new, as the prompt's rules have it.
    """
    before, _, rest = prompt.partition(_MESSAGES)
    conversation = rest.rpartition(_AFTER_MESSAGES)[0]
    existing = _existing(before.rpartition(_MEMORIES)[2])
    known = {(f.subject, f.value) for text in existing for f in facts_in_prose(text)}
    texts = set(existing)
    memories: list[dict[str, str]] = []
    for role, said in _messages(conversation):
        stated: dict[str, bool] = {}
        for fact in facts_in_prose(said):
            is_new = (fact.subject, fact.value) not in known
            stated[fact.sentence] = stated.get(fact.sentence, False) or is_new
            known.add((fact.subject, fact.value))
        for sentence in reminders(said):
            stated.setdefault(sentence, True)
        for sentence, is_new in stated.items():
            if is_new and sentence not in texts:
                texts.add(sentence)
                memories.append({"id": str(len(memories)), "text": sentence, "attributed_to": role})
    return json.dumps({"memory": memories}, ensure_ascii=False)


def _existing(section: str) -> list[str]:
    start = section.find("[")
    try:
        rows, _ = json.JSONDecoder().raw_decode(section[start:]) if start >= 0 else ([], 0)
    except (ValueError, RecursionError):
        return []
    if not isinstance(rows, list):
        return []
    return [r["text"] for r in rows if isinstance(r, dict) and isinstance(r.get("text"), str)]


def _messages(conversation: str) -> Iterator[tuple[str, str]]:
    """Yield role and text of each message; a message goes on until a line begins with the next role."""
    role, lines = "", list[str]()
    for line in conversation.split("\n"):
        name, colon, rest = line.partition(": ")
        if colon and name in _ROLES:
            if role:
                yield role, "\n".join(lines)
            role, lines = name, [rest]
        else:
            lines.append(line)
    if role:
        yield role, "\n".join(lines)
