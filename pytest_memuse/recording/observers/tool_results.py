"""Memory that the agent asks for by a tool which nobody of ours carries out."""

import json
from dataclasses import dataclass
from typing import Any

from pytest_memuse.model import Route, ToolCall
from pytest_memuse.model.digests import text_digest
from pytest_memuse.recording.observers.entries import Pieces, check_lists, check_pieces, check_texts, entries_of
from pytest_memuse.recording.observers.types import Observed, SeenCall, SeenEpisode, SeenMessage
from pytest_memuse.recording.recording import DeliveryNote, MemoryOperation


@dataclass(frozen=True, slots=True)
class ToolResultObserver:
    """Takes every result of the named ``tools`` for a search and the delivery of what it found.

    ``query`` names the argument that holds the query. A result that shows no stored item falls into ``pieces``; taken
    whole, as one synthesized answer whose sources are not known, it is an item of its own.
    """

    tools: tuple[str, ...]
    query: str = "query"
    slot: str = "tool_result"
    form: str = "search result"
    pieces: Pieces = "whole"
    key: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        check_lists("tool-result", tools=self.tools)
        check_texts("tool-result", query=self.query, slot=self.slot)
        check_pieces("tool-result", self.pieces, self.key)

    def observe(self, episode: SeenEpisode) -> tuple[Observed, ...]:
        """Return one delivery for each tool result that a call brought, in order."""
        found = []
        for call in episode.calls:
            asked = {
                made.id: made for seen in call.messages for made in seen.message.tool_calls if made.name in self.tools
            }
            for seen in call.messages:
                name = seen.message.tool_call_id
                if seen.message.is_tool_result and seen.new and seen.pointer and name in asked:
                    found.append(self._delivered(call, seen, asked[name], episode.scope))
        return tuple(found)

    def _delivered(self, call: SeenCall, seen: SeenMessage, made: ToolCall, scope: str) -> Observed:
        text = seen.message.text
        name = f"answer {text_digest(text)[:12]}"
        entries = entries_of(text, call.stored, pieces=self.pieces, key=self.key, name=name)
        asked: dict[str, Any] = {"query": self._query(made.arguments), "tool_call_id": made.id}
        search = MemoryOperation(number=0, kind="search", scope=scope, asked=asked, entries=entries)
        note = DeliveryNote(
            operation=0,
            slot=self.slot,
            text=text,
            exchange=call.exchange.number,
            pointer=seen.pointer,
            text_digest=text_digest(text),
            tool_call_id=made.id,
            route=Route.AGENT,
            form=self.form,
        )
        return Observed(note, search)

    def _query(self, arguments: str) -> str:
        try:
            given = json.loads(arguments)
        except (ValueError, RecursionError):
            return arguments
        value = given.get(self.query) if isinstance(given, dict) else None
        return value if isinstance(value, str) else arguments
