"""Answering the prompts of memory-side models: extraction of facts, and the rewriting of a summary.

They are recognised by the JSON object that they ask about: a ``conversation``, and the ``known`` facts or the
``summary`` so far.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from pytest_memuse.agents.scripted.language import facts_in_prose, sentences

_STATED = re.compile(r"The (?P<subject>.{2,160}?) is (?:now )?(?P<value>.{1,200}?)[.!]?")


def memory_answer(prompt: str) -> str | None:
    """Return what a memory-side prompt asks for, None for any other text.

    Facts are those of the controlled language, and sentences of the form "The SUBJECT is VALUE.", said by the user. The
    summary is the latest such sentence of each subject.
    """
    if not prompt.startswith("{"):
        return None
    try:
        asked = json.loads(prompt)
    except (ValueError, RecursionError):
        return None
    if not isinstance(asked, dict) or not isinstance(asked.get("conversation"), list):
        return None
    said = [
        turn["content"]
        for turn in asked["conversation"]
        if isinstance(turn, dict) and turn.get("role") == "user" and isinstance(turn.get("content"), str)
    ]
    if set(asked) == {"known", "conversation"}:
        found = {subject: value for text in said for subject, value, _ in _facts(text)}
        facts = [{"subject": subject, "value": value} for subject, value in found.items()]
        return json.dumps({"facts": facts}, ensure_ascii=False)
    if set(asked) == {"summary", "conversation"}:
        before: Any = asked["summary"]
        texts = [before if isinstance(before, str) else "", *said]
        latest = {subject: sentence for text in texts for subject, _, sentence in _facts(text)}
        return " ".join(latest.values()) or "Nothing to remember yet."
    return None


def _facts(text: str) -> Iterator[tuple[str, str, str]]:
    for sentence in sentences(text):
        marked = [(fact.subject, fact.value, sentence) for fact in facts_in_prose(sentence)]
        plain = _STATED.fullmatch(sentence) if not marked else None
        yield from marked
        if plain:
            yield plain["subject"], plain["value"], sentence
