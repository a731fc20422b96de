"""A memory system of a few lines for faults to be planted in: what it is given it keeps, in any form of rendering."""

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_memuse.memory.rendering import Memory, recall_text, search_text
from pytest_memuse.model import OperationKind
from pytest_memuse.recording.rendered import Change, Rendered

PORT = "The proxy talks to it directly, so `billing.port` is `8081`."
CRON = "Invoices go out at night, `invoices.cron` is `15 3 * * *`."


class Shelf:
    """Keeps a text an item; ``extract`` puts the contents of messages, the tool searches and updates."""

    def __init__(self, *texts: str, scope: str = "shop", prefix: str = "m") -> None:
        self.prefix = prefix
        self.items: dict[str, tuple[str, str]] = {}
        self.asked: list[str] = []
        for text in texts:
            self.put(text, scope)

    def put(self, text: str, scope: str) -> Change:
        item = f"{self.prefix}{len(self.items) + 1}"
        self.items[item] = (scope, text)
        return Change(OperationKind.CREATE, item, text, scope)

    def identity(self) -> Mapping[str, str]:
        return {"name": "shelf"}

    def recall(self, query: str, *, scope: str) -> Rendered:
        self.asked.append("recall")
        return recall_text(self._memories(scope), query=query, limit=4000)

    def tool(self) -> Mapping[str, Any]:
        return {"name": "shelf"}

    def call_tool(self, arguments: Mapping[str, Any], *, scope: str) -> Rendered:
        self.asked.append(str(arguments["action"]))
        if arguments["action"] == "search":
            return search_text(self._memories(scope), query=arguments["query"], limit=4000)
        item, text = arguments["memory_id"], arguments["text"]
        self.items[item] = (scope, text)
        return Rendered("Updated.", changes=(Change(OperationKind.UPDATE, item, text, scope),))

    def extract(self, messages: Sequence[Mapping[str, str]], *, scope: str) -> Sequence[Change]:
        return [self.put(message["content"], scope) for message in messages]

    def close(self) -> None:
        self.asked.append("close")

    def _memories(self, scope: str) -> list[Memory]:
        return [Memory(item, text, where) for item, (where, text) in self.items.items() if where == scope]


SEARCH = {"action": "search", "query": "port"}


def update(item: str, text: str) -> dict[str, str]:
    return {"action": "update", "memory_id": item, "text": text}


def shown(given: Rendered) -> list[str]:
    """Return what each entry shows."""
    return [given.text[entry.start : entry.end] for entry in given.entries]
