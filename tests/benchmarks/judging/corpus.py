"""A suite of recordings with deliveries as in the paper's shape, and the records of a judge that has judged it once.

Recordings are written and records are made as a session makes them; only the agent and the judge's model are scripted.
The text in them is made of words and means nothing.
"""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_memuse.judging.llm import LlmJudge, RunLimits
from pytest_memuse.judging.llm.conversation import Reply, Request
from pytest_memuse.judging.llm.outcome import Usage
from pytest_memuse.judging.llm.records import JudgmentRecords
from pytest_memuse.model import Actor
from pytest_memuse.model.digests import text_digest
from pytest_memuse.plugin.judgment_records import records_folder
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.files import recording_path, save_recording
from pytest_memuse.recording.recording import DeliveryNote, EpisodeStart, Event, Exchange, MemoryOperation, OutcomeNote
from pytest_memuse.recording.recording import Recording as Arc

SUITE = "scale"
SPANS = 3
"""Of an episode: the block of memory before and after it changed, and the result of a search."""

EPISODES = 10
"""Of an arc."""

STEPS = 24
ENTRIES = 8
ENTRY_SIZE = 520
MESSAGE_SIZE = 1_200
PROMPT_SIZE = 2_000
CALLS = 5
"""Of a conversation of the judge; the paper's has 5.06 on average (A.6.8)."""

_SENTENCE = (
    "the service reads its settings from a table that the deploy job writes before the first request and a worker "
    "that starts late must wait for the lock release or retry with the same token in order that no row is lost"
)
_TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": "Run a command in the root folder of the repository, or look for memories of earlier work.",
            "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        },
    }
    for name in ("bash", "memory")
]


def judge(*, scripted: bool = False) -> LlmJudge:
    """Return the suite's judge; it would ask a model by way of LiteLLM, unless its answers are scripted."""
    return LlmJudge("openai/scripted", client=_Reader() if scripted else None, run=RunLimits(parallel=2))


def write_suite(folder: Path, spans: int) -> None:
    """Write recordings of at least so many spans, in whole episodes, and have the judge judge them."""
    episodes, arcs = -(-spans // SPANS), []
    for number in range(-(-episodes // EPISODES)):
        size = min(EPISODES, episodes - number * EPISODES)
        arc = _Maker(number).arc(size)
        save_recording(recording_path(folder, SUITE, arc.arc), arc)
        arcs.append(arc)
    asking = judge(scripted=True)
    keeping = asking.with_records(JudgmentRecords(records_folder(folder, SUITE), asking.identity))
    for arc in arcs:
        for _ in keeping.judged_episodes(derive_log(arc).episodes):
            pass


class _Maker:
    """Makes the recording of one arc: each request shows the block of memory as it is then, and all that was said."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._random = random.Random(number)
        self._pool = " ".join(self._random.choices(_SENTENCE.split(), k=2_000))
        self._marks = 0
        self._exchanges = self._operations = 0

    def arc(self, episodes: int) -> Arc:
        events = [event for position in range(episodes) for event in self._episode(position)]
        made_with = {"memory": {"name": "corpus"}, "agent": {"model": "scripted"}, "attempt": 1}
        return Arc(SUITE, f"arc-{self._number:04}", tuple(events), made_with)

    def _episode(self, position: int) -> Iterator[Event]:
        task = self._text(600)
        yield EpisodeStart(
            f"task-{position}", position, "scope", {"id": f"task-{position}", "text": task, "digest": text_digest(task)}
        )
        said: list[dict[str, Any]] = [{"role": "user", "content": task}]
        items = [(f"item-{position}-{n}", self._text(ENTRY_SIZE)) for n in range(ENTRIES)]
        searched: MemoryOperation | None = None
        for step in range(STEPS):
            if step in (0, STEPS // 2):
                items[step % ENTRIES] = (items[step % ENTRIES][0], self._text(ENTRY_SIZE))
                yield (recall := self._operation("recall", {"query": task}, items))
            system = f"You are an agent at work. {self._pool[:PROMPT_SIZE]}\n{recall.text}\nAnswer with one call."
            messages = [{"role": "system", "content": system}, *said]
            if searched is not None:
                yield self._delivery(searched, "tool", said[-1]["content"], len(messages) - 1, said[-1]["tool_call_id"])
                searched = None
            yield self._delivery(recall, "system", system, 0)
            searches = step == STEPS // 3
            answer = self._answer(step, "memory" if searches else "bash")
            yield self._exchange(messages, answer)
            result = self._text(MESSAGE_SIZE)
            if searches:
                searched = self._operation(
                    "tool", {"action": "search"}, [(f"found-{position}", self._text(ENTRY_SIZE))]
                )
                yield searched
                result = searched.text
            said += [answer, {"role": "tool", "tool_call_id": f"c{step}", "content": result}]
        yield OutcomeNote(self._random.random() < 0.5)

    def _exchange(self, messages: Sequence[Mapping[str, Any]], answer: Mapping[str, Any]) -> Exchange:
        self._exchanges += 1
        uri = "http://127.0.0.1:8080/v1/chat/completions"
        request = {"model": "scripted", "messages": list(messages), "tools": _TOOLS}
        response = {
            "id": f"r{self._exchanges}",
            "object": "chat.completion",
            "created": self._exchanges,
            "model": "scripted",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": dict(answer)}],
            "usage": {"prompt_tokens": 9_000, "completion_tokens": 80, "total_tokens": 9_080},
        }
        headers = {"content-type": "application/json"}
        return Exchange(self._exchanges, Actor.AGENT, "POST", uri, request, 200, "OK", headers, response)

    def _answer(self, step: int, tool: str) -> dict[str, Any]:
        function = {"name": tool, "arguments": json.dumps({"text": f"cat part-{step}.txt | head -n {step}"})}
        return {
            "role": "assistant",
            "content": self._text(300),
            "tool_calls": [{"id": f"c{step}", "type": "function", "function": function}],
        }

    def _operation(self, kind: str, asked: Mapping[str, Any], items: Sequence[tuple[str, str]]) -> MemoryOperation:
        self._operations += 1
        text, entries = "Memories of earlier work:\n", []
        for item, value in items:
            entries.append({"item": item, "value": value, "start": len(text) + 2, "end": len(text) + 2 + len(value)})
            text += f"- {value}\n"
        return MemoryOperation(self._operations, kind, "scope", asked, text, False, tuple(entries))

    def _delivery(
        self, operation: MemoryOperation, slot: str, host: str, place: int, tool_call: str | None = None
    ) -> DeliveryNote:
        where = self._exchanges + 1, f"/messages/{place}/content", text_digest(host)
        return DeliveryNote(operation.number, slot, operation.text, *where, tool_call_id=tool_call)

    def _text(self, size: int) -> str:
        """Return a text that occurs nowhere else."""
        self._marks += 1
        start = self._random.randrange(len(self._pool) - size)
        return f"{self._number}-{self._marks}: {self._pool[start : start + size]}"


class _Reader:
    """A judge's model: it reads what every answer needs, then the prior context and the window, then answers."""

    def ask(self, request: Request) -> Reply:
        rounds = sum(message["role"] == "assistant" for message in request.messages)
        lines = [json.loads(line) for line in request.messages[2]["content"].splitlines()[1:]]
        (required,) = (line["required reads"] for line in lines if "required reads" in line)
        (exactly,) = (line["assess exactly"] for line in lines if "assess exactly" in line)
        names = {
            0: required["for any answer"],
            1: list(_spread(required["for acted_on, and for novel, confirming or redundant"]))[:16],
            2: list(_spread(required["by credit window"][0].get("for selected, referenced or none", ())))[:16],
            3: list(_spread(required["by credit window"][0].get("for improved, harmed or no_effect", ())))[-4:],
        }.get(rounds, [])
        if rounds < CALLS - 1 and names and request.tools:
            calls = [_call(f"{rounds}-{n}", name) for n, name in enumerate(names)]
            return Reply({"role": "assistant", "content": "", "tool_calls": calls}, Usage(1, 40_000, 30_000, 200, 0.01))
        answer = {
            "assessments": [_assessed(name) for name in _spread(exactly)],
            "summary": "The delivery was looked at with everything that stood before it, and what came after it. " * 2,
            "confidence": 0.8,
        }
        return Reply({"role": "assistant", "content": json.dumps(answer)}, Usage(1, 40_000, 30_000, 900, 0.02))


def _call(identifier: str, name: str) -> dict[str, Any]:
    function = {"name": "read_evidence", "arguments": json.dumps({"name": name})}
    return {"id": identifier, "type": "function", "function": function}


def _assessed(name: str) -> dict[str, Any]:
    note = "What the entry says is of use for the task, and nothing that was read says anything against it. "
    return {
        "id": name,
        "relevance": True,
        "accuracy": "uncontradicted",
        "novelty": None,
        "influence": None,
        "effect": None,
        "anchors": [],
        "notes": dict.fromkeys(("relevance", "accuracy", "novelty", "influence"), note),
        "evidence": ["target"],
    }


def _spread(ranges: Sequence[str]) -> Iterator[str]:
    """Yield every name of ranges such as ``prior 1 .. 12``."""
    for each in ranges:
        first, _, last = each.partition(" .. ")
        stem = first.rstrip("0123456789")
        start = int(first.removeprefix(stem))
        yield from (f"{stem}{n}" for n in range(start, int((last or first).removeprefix(stem)) + 1))
