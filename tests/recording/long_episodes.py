"""Exchanges of long episodes over three APIs, and how much there is to read in them."""

from collections.abc import Sequence
from typing import Any

from pytest_memuse.model import Actor
from pytest_memuse.recording.lines import write_lines
from pytest_memuse.recording.recording import Exchange, Recording


def _exchange(number: int, path: str, request: Any, response: Any) -> Exchange:
    headers = {"content-type": "application/json"}
    uri = f"http://127.0.0.1:8080/v1/{path}"
    return Exchange(number, Actor.AGENT, "POST", uri, request, 200, "OK", headers, response)


def _words(number: int, length: int) -> str:
    """Return text that is not like that of any other number."""
    return " ".join(f"w{number}n{n}" for n in range(length // 6))[:length]


def chat(steps: int, seed: int = 0) -> list[Exchange]:
    messages = [{"role": "system", "content": _words(0, 2000)}, {"role": "user", "content": _words(1, 500)}]
    out = []
    for step in range(steps):
        said = {"role": "assistant", "content": _words(10 * step + seed + 2, 300), "tool_calls": [_call(step)]}
        answer = {
            "id": f"c{step}",
            "object": "chat.completion",
            "created": step,
            "model": "m",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": said}],
            "usage": {"prompt_tokens": step},
        }
        out.append(
            _exchange(step + 1, "chat/completions", {"model": "m", "messages": [*messages], "tools": _TOOLS}, answer)
        )
        result = {"role": "tool", "tool_call_id": f"call{step}", "content": _words(10 * step + seed + 3, 1500)}
        messages += [{**said, "refusal": None}, result]
    return out


def _call(step: int) -> dict[str, Any]:
    return {
        "id": f"call{step}",
        "type": "function",
        "function": {"name": "bash", "arguments": f'{{"command": "ls {step}"}}'},
    }


_TOOLS = [
    {"type": "function", "function": {"name": "bash", "description": _words(7, 1500), "parameters": {"type": "object"}}}
]


def messages_api(steps: int) -> list[Exchange]:
    """Anthropic's API, with the mark of what is cached moving to the last message of every request."""
    messages: list[dict[str, Any]] = []
    out = []
    for step in range(steps):
        messages.append({"role": "user", "content": [{"type": "text", "text": _words(10 * step + 1, 1500)}]})
        last = {"role": "user", "content": [{**messages[-1]["content"][0], "cache_control": {"type": "ephemeral"}}]}
        said = {"role": "assistant", "content": [{"type": "text", "text": _words(10 * step + 2, 300)}]}
        system = [{"type": "text", "text": _words(0, 2000), "cache_control": {"type": "ephemeral"}}]
        request = {"model": "m", "max_tokens": 9, "system": system, "messages": [*messages[:-1], last]}
        out.append(
            _exchange(step + 1, "messages", request, {"id": f"m{step}", "type": "message", "model": "m", **said})
        )
        messages.append(said)
    return out


def responses_api(steps: int) -> list[Exchange]:
    items: list[dict[str, Any]] = [{"role": "user", "content": _words(1, 500)}]
    out = []
    for step in range(steps):
        thought = {
            "type": "reasoning",
            "id": f"r{step}",
            "summary": [],
            "encrypted_content": _words(10 * step + 2, 400),
        }
        call = {
            "type": "function_call",
            "call_id": f"c{step}",
            "name": "bash",
            "arguments": f'{{"command": "ls {step}"}}',
        }
        request = {"model": "m", "instructions": _words(0, 2000), "input": [*items], "tools": _TOOLS}
        out.append(
            _exchange(step + 1, "responses", request, {"id": f"resp{step}", "model": "m", "output": [thought, call]})
        )
        result = {"type": "function_call_output", "call_id": f"c{step}", "output": _words(10 * step + 3, 1500)}
        items += [thought, call, result]
    return out


def distinct_text(exchanges: Sequence[Exchange]) -> int:
    """Return the characters of all distinct texts of requests and responses: what a reader would have to read."""
    texts: set[str] = set()

    def gather(value: Any) -> None:
        if isinstance(value, str):
            texts.add(value)
        elif isinstance(value, dict):
            for item in value.values():
                gather(item)
        elif isinstance(value, list):
            for item in value:
                gather(item)

    for exchange in exchanges:
        gather(exchange.request)
        gather(exchange.response)
    return sum(map(len, texts))


def size_of(exchanges: Sequence[Exchange]) -> int:
    return sum(len(line.encode()) for line in write_lines(Recording("s", "a", tuple(exchanges))))
