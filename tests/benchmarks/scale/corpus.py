"""A corpus of the paper's shape: long blocks of memory, restated in a system message before every call.

`PAPER` has the numbers of TencentDB's four runs (MemUse 4.1, A.6.5): 2,000 episodes with 51,242 deliveries in 5,963
spans. A corpus is a list of event-log files; the text in it is made of words and means nothing.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_memuse.model import (
    Actor,
    Call,
    Delivery,
    Entry,
    Episode,
    HistoryChange,
    HistoryKind,
    Message,
    Outcome,
    Placement,
    PlacementKind,
    Proof,
    Route,
    Step,
    Task,
    ToolCall,
    ToolResult,
)
from pytest_memuse.model.digests import text_digest
from pytest_memuse.model.log import EventLog, write_log

_SENTENCE = (
    "the service reads its settings from a table that the deploy job writes before the first request and a worker "
    "that starts late must wait for the lock release or retry with the same token in order that no row is lost"
)


@dataclass(frozen=True, slots=True)
class Shape:
    """What a corpus is like. ``deliveries`` and ``spans`` are totals, spread evenly; sizes are in characters.

    ``length`` makes every episode so many times as long, with so many times the deliveries and spans. ``exact`` says
    whether calls carry exact requests; without, the log gives the history only.
    """

    episodes: int
    deliveries: int
    spans: int
    entries: int = 8
    entry_size: int = 520
    message_size: int = 1200
    prompt_size: int = 2000
    per_file: int = 50
    length: int = 1
    exact: bool = True


PAPER = Shape(episodes=2000, deliveries=51_242, spans=5_963)
SMALL = Shape(episodes=12, deliveries=307, spans=36, per_file=5)


def equal_work(length: int, chunks: int, exact: bool = True) -> Shape:
    """Return a shape whose every file holds 200 steps, in 8 episodes of the paper's length or so many times fewer.

    ``length`` is 1, 2, 4 or 8. Files of two lengths hold equally many deliveries and spans and differ in nothing else.
    """
    per_file = 8 // length
    episodes = per_file * chunks
    return Shape(episodes, 26 * episodes, 3 * episodes, per_file=per_file, length=length, exact=exact)


def write_corpus(folder: Path, shape: Shape, seed: int = 0) -> list[Path]:
    """Write the corpus into a folder and return its files, in order."""
    paths = []
    for start in range(0, shape.episodes, shape.per_file):
        numbers = range(start, min(start + shape.per_file, shape.episodes))
        episodes = tuple(_Maker(shape, number, seed).episode() for number in numbers)
        path = folder / f"run-{start // shape.per_file:04}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(write_log(EventLog(episodes, "scale")))
        paths.append(path)
    return paths


def _share(total: int, number: int, of: int) -> int:
    return total * (number + 1) // of - total * number // of


class _Maker:
    """Makes one episode: each call sees the system message with the current block, and the conversation so far.

    All but one of an episode's spans are versions of the block; the last one is the result of a memory search. Blocks
    change at even distances, and each version is restated until the next one.
    """

    def __init__(self, shape: Shape, number: int, seed: int) -> None:
        self._shape = shape
        self._number = number
        self._random = random.Random(seed * 1_000_003 + number)
        words = self._random.choices(_SENTENCE.split(), k=1500)
        self._pool = " ".join(words)
        self._messages: dict[str, Message] = {}
        self._marks = 0

    def episode(self) -> Episode:
        shape = self._shape
        deliveries = _share(shape.deliveries, self._number, shape.episodes) * shape.length
        spans = max(2, _share(shape.spans, self._number, shape.episodes) * shape.length)
        searches = max(1, spans // 3)
        steps, versions = deliveries - searches, spans - searches
        searched = {steps * n // (searches + 1) + 1: n for n in range(1, searches + 1)}
        conversation = [self._message("user", self._text(600))]
        entries = [self._entry(f"item-{n}") for n in range(shape.entries)]
        block, host = self._block(entries)
        made: list[Step] = []
        found: list[Delivery] = []
        changes: list[HistoryChange] = []
        reached = 0
        for number in range(1, steps + 1):
            call_id = f"call-{number}"
            version = (number - 1) * versions // steps
            rewritten = version != (number - 2) * versions // steps and number > 1
            if rewritten:
                entries[version % len(entries)] = self._entry(f"item-{version % len(entries)}")
                block, host = self._block(entries)
            seen = [host, *conversation]
            digests = tuple(message.digest for message in seen)
            if rewritten:
                changes.append(HistoryChange(HistoryKind.REWRITE, call_id, 0, (), digests))
            else:
                changes.append(HistoryChange(HistoryKind.APPEND, call_id, reached, (), digests[reached:]))
            reached = len(digests)
            found.append(self._delivery(f"d{number}", call_id, entries, "system", block, host))
            if number - 1 in searched:
                result = conversation[-1]
                item = self._search_entry(result)
                found.append(self._delivery(f"s{number}", call_id, [item], "tool", str(item.value), result))
            response = self._response(number)
            result = self._message("tool", self._text(shape.message_size), call=f"tool-{number}")
            conversation += [response, result]
            call = Call(
                call_id, Actor.AGENT, digests if shape.exact else (), response.digest, model="model-of-the-corpus"
            )
            made.append(Step(number, call, (ToolResult(f"tool-{number}", result.digest),)))
        return Episode(
            id=f"run-{self._number}",
            steps=tuple(made),
            deliveries=tuple(found),
            messages=self._messages,
            task=Task(f"task-{self._number}", self._text(300)),
            arc=f"arc-{self._number // 50}",
            suite="scale",
            position=self._number % 50,
            history=() if shape.exact else tuple(changes),
            outcome=Outcome(self._random.random() < 0.5),
        )

    def _text(self, size: int) -> str:
        """Return a text that occurs nowhere else in the corpus."""
        self._marks += 1
        start = self._random.randrange(max(1, len(self._pool) - size))
        return f"{self._number}-{self._marks}: {self._pool[start : start + size]}"

    def _message(self, role: str, text: str, call: str | None = None) -> Message:
        message = Message(role, text, tool_call_id=call)
        return self._messages.setdefault(message.digest, message)

    def _response(self, number: int) -> Message:
        arguments = f'{{"command": "cat part-{number}.txt | head -n {number}"}}'
        message = Message("assistant", self._text(300), (ToolCall(f"tool-{number}", "bash", arguments),))
        return self._messages.setdefault(message.digest, message)

    def _entry(self, item: str) -> Entry:
        value = self._text(self._shape.entry_size)
        return Entry(item, value, "corpus", "", f"v{self._marks}", text_digest(value), f"mem-{item}")

    def _search_entry(self, result: Message) -> Entry:
        return Entry(f"found-{self._marks}", result.text, "corpus", digest=text_digest(result.text))

    def _block(self, entries: list[Entry]) -> tuple[str, Message]:
        block = "<memory>\n" + "\n".join(f"- [{entry.key}] {entry.value}" for entry in entries) + "\n</memory>"
        prompt = f"You are an agent at work. {self._pool[: self._shape.prompt_size]}"
        return block, self._message("system", f"{prompt}\n{block}\nAnswer with one command.")

    def _delivery(self, name: str, call: str, entries: list[Entry], slot: str, text: str, host: Message) -> Delivery:
        kind = PlacementKind.TOOL_RESULT if slot == "tool" else PlacementKind.MESSAGE
        proof = Proof(slot, text_digest(host.text), message=host.digest)
        return Delivery(
            id=name,
            entries=tuple(entries),
            placements=(Placement(slot, text, kind, (proof,)),),
            call=call,
            route=Route.AGENT if slot == "tool" else Route.HOST,
            form="search result" if slot == "tool" else "profile block",
        )


def longer(shape: Shape, times: int) -> Shape:
    """Return the shape with episodes so many times as long."""
    return replace(shape, length=times)


def lines_of(paths: list[Path]) -> Iterator[bytes]:
    """Yield every line of the files."""
    for path in paths:
        with path.open("rb") as file:
            yield from file
