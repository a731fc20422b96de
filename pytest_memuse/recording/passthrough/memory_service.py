"""The episode's memory for agents that are not Python: three requests beside the model's.

`POST /memuse/recall`, `GET /memuse/tool` and `POST /memuse/tool` ask what `recall`, `tool` and `call_tool` of the
episode's memory give, and are recorded as these are.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Protocol

from pytest_memuse.model.errors import MemuseError

PREFIX = "/memuse"


class ServedMemory(Protocol):
    """The memory of one episode as it is served; `agents.protocol.EpisodeMemory` is one."""

    def recall(self) -> str: ...

    def tool(self) -> Mapping[str, Any] | None: ...

    def call_tool(self, arguments: Mapping[str, Any], *, tool_call_id: str) -> str: ...


class MemoryService:
    """Answers for the memory that is bound, one request at a time, all in one thread of its own."""

    def __init__(self) -> None:
        self._memory: ServedMemory | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="memuse-memory")
        self.error: Exception | None = None
        """What the memory system raised last, for whoever runs the episode: an agent may pass over a refusal."""

    def bind(self, memory: ServedMemory | None) -> None:
        """Serve this memory from now on; None serves none."""
        self._memory = memory
        self.error = None

    def close(self) -> None:
        """Let go of the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def answer(self, method: str, path: str, body: bytes) -> tuple[int, dict[str, Any]]:
        """Return status and data of an answer. Raises `MemuseError` for a request that is not one of the three."""
        memory = self._memory
        if memory is None:
            raise MemuseError("no memory is served now", reason="no_memory", mend="ask while an episode runs")
        work: Callable[[], Any]
        match method, path.partition("?")[0].removeprefix(PREFIX):
            case "POST", "/recall":
                field, work = "text", memory.recall
            case "GET", "/tool":
                field, work = "tool", memory.tool
            case "POST", "/tool":
                arguments, tool_call_id = _call(body)
                field, work = "text", partial(memory.call_tool, arguments, tool_call_id=tool_call_id)
            case _:
                raise MemuseError(
                    f"there is no {method} at this path of {PREFIX}",
                    reason="not_found",
                    mend=f"ask POST {PREFIX}/recall, GET {PREFIX}/tool or POST {PREFIX}/tool",
                )
        try:
            return 200, {field: await asyncio.get_running_loop().run_in_executor(self._thread, work)}
        except Exception as error:
            self.error = error
            # Its text may hold anything; whoever runs the episode is given it whole.
            return 500, {"error": {"message": f"the memory system raised {type(error).__name__}", "type": "memory"}}


def _call(body: bytes) -> tuple[dict[str, Any], str]:
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        asked = None
    arguments = asked.get("arguments") if isinstance(asked, dict) else None
    if isinstance(arguments, str):
        # As a model's tool call gives them.
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            arguments = None
    name = asked.get("tool_call_id") if isinstance(asked, dict) else None
    if not isinstance(arguments, dict) or not isinstance(name, str):
        raise MemuseError(
            "a call of the memory tool holds an object `arguments` and a text `tool_call_id`",
            reason="bad_request",
            mend='send {"arguments": {...}, "tool_call_id": "..."} as JSON, both as the model gave them',
        )
    return arguments, name
