"""Asking a model through LiteLLM, which is imported with the first question (MemUse A.5.3).

Responses are not streamed: an answer is of use only whole, a connection that is cut in the middle is noticed either
way, and providers report usage, which budgets rest on, more reliably so.
"""

import json
import threading
from collections.abc import Mapping
from typing import Any

from pytest_memuse.execution.quiet_imports import quiet_import
from pytest_memuse.judging.answer_parsing import LONGEST_ANSWER
from pytest_memuse.judging.answer_schema import response_format
from pytest_memuse.judging.evidence import tool_schemas
from pytest_memuse.judging.evidence.tools import LONGEST_ARGUMENTS
from pytest_memuse.judging.llm.conversation import Reply, Request
from pytest_memuse.judging.llm.failures import Failure, FailureKind, failure_of
from pytest_memuse.judging.llm.outcome import Message, Usage
from pytest_memuse.judging.llm.settings import RequestSettings, SchemaUse
from pytest_memuse.model.json_text import parse_json

_MOST_CALLS = 64
"""Tool calls of one response that are kept; the others are not part of the conversation."""

_TAKES_BOTH = ("openai", "azure")
"""Providers whose own API takes tools and a schema for the answer together."""

_OWN_BLOCKS = ("thinking_blocks", "reasoning_content")
"""What some providers want back with the message: their models' reasoning before a tool call."""


class LiteLLMClient:
    """Sends one request and returns its reply; raises `Failure`. Serves several threads.

    ``model`` is a LiteLLM name. ``api_base`` is the address of an OpenAI-compatible endpoint, or None for the
    provider's own. The key is read by LiteLLM from the environment; an endpoint that wants none gets a placeholder.
    """

    def __init__(self, model: str, api_base: str | None, settings: RequestSettings) -> None:
        self._model = model
        self._api_base = api_base
        self._settings = settings
        self._lock = threading.Lock()
        self._litellm: Any = None
        self._schema_refused = False

    def ask(self, request: Request) -> Reply:
        """Return the reply to a request. Raises `Failure`; nothing is tried again but a schema that is not taken."""
        litellm = self._imported()
        parameters = self._parameters(litellm, request)
        try:
            response = litellm.completion(**parameters)
        except Exception as error:
            failure = failure_of(error)
            if failure.kind is not FailureKind.REFUSED or failure.status != 400 or "response_format" not in parameters:
                raise failure from error
            # An endpoint that knows no schema: ask without, now and from now on.
            del parameters["response_format"]
            try:
                response = litellm.completion(**parameters)
            except Exception as again:
                raise failure_of(again) from again
            self._schema_refused = True
        return _reply(response)

    def _imported(self) -> Any:
        with self._lock:
            if self._litellm is None:
                self._litellm = quiet_import(extra="llm")
            return self._litellm

    def _parameters(self, litellm: Any, request: Request) -> dict[str, Any]:
        settings, claude = self._settings, "claude" in self._model.lower()
        parameters: dict[str, Any] = {
            "model": self._model,
            "messages": [_sendable(message) for message in request.messages],
            "max_tokens": request.longest,
            "timeout": settings.seconds,
            "max_retries": 0,
            "num_retries": 0,
            "drop_params": True,
        }
        if self._api_base is not None:
            parameters["api_base"] = self._api_base
        if settings.reasoning_effort is not None:
            parameters["reasoning_effort"] = settings.reasoning_effort
        # Claude takes no temperature but its own while it reasons.
        if settings.temperature is not None and not (claude and settings.reasoning_effort is not None):
            parameters["temperature"] = settings.temperature
        if request.tools:
            parameters["tools"] = tool_schemas()
        elif claude:
            # Its API wants every tool declared that the conversation has used.
            parameters |= {"tools": tool_schemas(), "tool_choice": "none"}
        if self._sends_schema(litellm, request):
            bounded = settings.bounded if settings.bounded is not None else self._api_base is not None
            note = request.note_length
            parameters["response_format"] = response_format(request.entries, note_length=note, bounded=bounded)
        if self._api_base is not None and "api_key" not in parameters and self._is_keyless(litellm):
            parameters["api_key"] = "not-needed"
        return parameters | dict(settings.more)

    def _sends_schema(self, litellm: Any, request: Request) -> bool:
        use = self._settings.schema
        if use is SchemaUse.NEVER or self._schema_refused:
            return False
        if use is SchemaUse.ALWAYS or (use is SchemaUse.FORCED and not request.tools):
            return True
        if use is SchemaUse.FORCED or "claude" in self._model.lower():
            # LiteLLM puts a schema for Claude's older models in the place of a tool, which they then must call.
            return False
        if self._api_base is None and self._provider(litellm) in _TAKES_BOTH:
            return True
        return not request.tools and (self._api_base is not None or bool(litellm.supports_response_schema(self._model)))

    def _provider(self, litellm: Any) -> str:
        try:
            return str(litellm.get_llm_provider(self._model)[1])
        except Exception:
            return ""

    def _is_keyless(self, litellm: Any) -> bool:
        """Whether the environment has no key for the provider, so that its client would refuse to ask at all."""
        found = litellm.validate_environment(self._model)
        return not found.get("keys_in_environment", False)


def _sendable(message: Message) -> dict[str, Any]:
    """Return a message as it goes out: arguments that are no JSON object are wrapped, since APIs refuse them."""
    sent = dict(message)
    if sent.get("tool_calls"):
        sent["tool_calls"] = [_sendable_call(call) for call in sent["tool_calls"]]
    return sent


def _sendable_call(call: Mapping[str, Any]) -> Mapping[str, Any]:
    arguments = call["function"]["arguments"]
    try:
        if isinstance(parse_json(arguments), dict):
            return call
    except ValueError:
        pass
    return {**call, "function": {**call["function"], "arguments": json.dumps({"unreadable": arguments[:_SHOWN]})}}


_SHOWN = 500


def _reply(response: Any) -> Reply:
    """Return what a response says, in bounds: what is beyond them is cut, and then fails the checks of an answer."""
    try:
        said = response.choices[0].message
        content = said.content if isinstance(said.content, str) else ""
        message: dict[str, Any] = {"role": "assistant", "content": content[: LONGEST_ANSWER + 1]}
        calls = [_call(number, call) for number, call in enumerate((said.tool_calls or [])[:_MOST_CALLS], start=1)]
    except (AttributeError, IndexError, TypeError) as error:
        raise Failure(FailureKind.PASSING, "the endpoint's response holds no message") from error
    if calls:
        message["tool_calls"] = _with_own_names(calls)
    for name in _OWN_BLOCKS:
        if value := getattr(said, name, None):
            message[name] = value[:LONGEST_ANSWER] if isinstance(value, str) else _plain(value)
    return Reply(message, _usage(response))


def _call(number: int, call: Any) -> dict[str, Any]:
    function = {"name": str(call.function.name or "")[:_LONGEST_NAME], "arguments": str(call.function.arguments or "")}
    function["arguments"] = function["arguments"][: LONGEST_ARGUMENTS + 1]
    return {"id": str(call.id or f"call_{number}")[:_LONGEST_NAME], "type": "function", "function": function}


_LONGEST_NAME = 200


def _with_own_names(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return calls that can be told apart: some endpoints give several of a response the same identifier."""
    if len({call["id"] for call in calls}) == len(calls):
        return calls
    return [{**call, "id": f"{call['id']}_{number}"} for number, call in enumerate(calls, start=1)]


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str))


def _usage(response: Any) -> Usage:
    """Return what a call used. LiteLLM fills in zeros where nothing was reported; no call has an empty input."""
    reported = getattr(response, "usage", None)
    tokens_in = _count(getattr(reported, "prompt_tokens", None)) or None
    if tokens_in is None:
        return Usage(1, None, None, None, None)
    details = getattr(reported, "prompt_tokens_details", None)
    cached = _count(getattr(details, "cached_tokens", None))
    cost = getattr(response, "_hidden_params", {}).get("response_cost")
    if not isinstance(cost, (int, float)) or isinstance(cost, bool) or not cost > 0:
        cost = getattr(reported, "cost", None)
    known = isinstance(cost, (int, float)) and not isinstance(cost, bool) and 0 <= cost < float("inf")
    output = _count(getattr(reported, "completion_tokens", None))
    return Usage(1, tokens_in, cached, output, float(cost) if known and cost is not None else None)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
