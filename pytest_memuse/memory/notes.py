"""The smallest memory system: notes in a file, found by the words that they share with what is asked."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_memuse.memory.rendering import Memory, recall_text, search_text
from pytest_memuse.model import OperationKind
from pytest_memuse.recording.rendered import Change, Rendered

_QUERY = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}


class NotesMemory:
    """Keeps every line that begins with ``note:``; shows the five notes of a scope that share most words, if any."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "notes.jsonl"
        self._file.touch()

    def identity(self) -> Mapping[str, str]:
        return {"name": "notes", "version": "1"}

    def recall(self, query: str, *, scope: str) -> Rendered:
        return recall_text(self._nearest(query, scope), query=query, limit=2000)

    def tool(self) -> Mapping[str, Any]:
        return {"name": "search_notes", "description": "Search notes of earlier work.", "parameters": _QUERY}

    def call_tool(self, arguments: Mapping[str, Any], *, scope: str) -> Rendered:
        query = str(arguments.get("query", ""))
        return search_text(self._nearest(query, scope), query=query, limit=2000)

    def extract(self, messages: Sequence[Mapping[str, str]], *, scope: str) -> Sequence[Change]:
        lines = [line.strip() for message in messages for line in message["content"].splitlines()]
        said = dict.fromkeys(line[5:].strip() for line in lines if line.lower().startswith("note:"))
        known = {note.text for note in self._notes() if note.namespace == scope}
        return [self._write(text, scope) for text in said if text and text not in known]

    def close(self) -> None: ...

    def _notes(self) -> list[Memory]:
        return [Memory(**json.loads(line)) for line in self._file.read_text(encoding="utf-8").splitlines()]

    def _nearest(self, query: str, scope: str) -> list[Memory]:
        notes = {note: len(_words(query) & _words(note.text)) for note in self._notes() if note.namespace == scope}
        return sorted((note for note in notes if notes[note]), key=lambda note: -notes[note])[:5]

    def _write(self, text: str, scope: str) -> Change:
        item = f"note-{len(self._notes()) + 1}"
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"item": item, "text": text, "namespace": scope}) + "\n")
        return Change(OperationKind.CREATE, item, text, scope)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))
