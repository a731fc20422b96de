"""Asking a model through LiteLLM, which is imported with the first question (MemUse A.5.3).

Responses are not streamed: an answer is of use only whole, a connection that is cut in the middle is noticed either
way, and providers report usage, which budgets rest on, more reliably so.
"""

import threading
from typing import Any

from pytest_memuse.execution.quiet_imports import quiet_import, settle
from pytest_memuse.judging.answer_schema import response_format
from pytest_memuse.judging.evidence import tool_schemas
from pytest_memuse.judging.llm.conversation import Reply, Request
from pytest_memuse.judging.llm.failures import FailureKind, failure_of
from pytest_memuse.judging.llm.provider import check_access
from pytest_memuse.judging.llm.replies import reply_of, sendable
from pytest_memuse.judging.llm.settings import RequestSettings, SchemaUse

_TAKES_BOTH = ("openai", "azure")
"""Providers whose own API takes tools and a schema for the answer together."""

_OF_TOOLS = ("tool_choice", "parallel_tool_calls")
"""Further settings that go with requests which offer tools, and with no other."""


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
        """Return the reply to a request. Raises `Failure`; nothing is tried again but a schema that is not taken.

        Raises `MemuseError` instead where nobody can be asked at all (`check_access`).
        """
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
        return reply_of(response)

    def _imported(self) -> Any:
        with self._lock:
            if self._litellm is None:
                litellm = quiet_import(extra="llm")
                settle(litellm)
                # Told once and at once: without it every span would be an error for the same reason.
                check_access(self._model, self._api_base or self._settings.more.get("api_base"))
                self._litellm = litellm
            return self._litellm

    def _parameters(self, litellm: Any, request: Request) -> dict[str, Any]:
        settings, claude = self._settings, "claude" in self._model.lower()
        parameters: dict[str, Any] = {
            "model": self._model,
            "messages": [sendable(message) for message in request.messages],
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
        # APIs refuse a choice of tools where none are offered.
        more = {name: value for name, value in settings.more.items() if request.tools or name not in _OF_TOOLS}
        return parameters | more

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
