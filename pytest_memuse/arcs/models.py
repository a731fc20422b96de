"""Real models behind the arcs' loop: an OpenAI-compatible endpoint, or whatever LiteLLM reaches.

Both ask over HTTP, so that their calls are recorded where they are made. The packages are imported on first use.
"""

from collections.abc import Mapping
from typing import Any

from pytest_memuse.arcs.loop import ChatModel
from pytest_memuse.arcs.users import Paraphrase
from pytest_memuse.execution.quiet_imports import quiet_import
from pytest_memuse.memory.conditions.models import HttpModel
from pytest_memuse.model.errors import MemuseError

PARAPHRASE_PROMPT = """\
Say the user's message in other words, as the same user would write it to the same assistant on another day. Copy \
names, numbers, dates, times, addresses, identifiers and quoted texts letter by letter. Add nothing and leave nothing \
out; what is forbidden stays forbidden. Answer with the message alone."""


class HttpChatModel:
    """Asks a model by its name at an OpenAI-compatible endpoint, at temperature 0 unless ``parameters`` say otherwise.

    ``base_url`` is what stands before ``/chat/completions``. Raises `MemuseError` where the endpoint gives no answer.
    """

    over_http = True

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        api_key: str = "not-needed",
        timeout: float = 120.0,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self._parameters = dict(parameters or {})
        self._ask = HttpModel(base_url, "/chat/completions", api_key=api_key, timeout=timeout)

    def __call__(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the response to a request."""
        return self._ask({**request, "model": self.name, **self._parameters})

    def close(self) -> None:
        """Close connections."""
        self._ask.close()


class LiteLLMChatModel:
    """Asks a model by its LiteLLM name (``openai/...``, ``anthropic/...``); ``settings`` go to every call."""

    over_http = True

    def __init__(self, name: str, **settings: Any) -> None:
        self.name = name
        self._settings = settings

    def __call__(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the response to a request. Errors of LiteLLM are raised as they are."""
        litellm = quiet_import(extra="llm")
        answer = litellm.completion(**{**request, "model": self.name, **self._settings})
        return dict(answer.model_dump())


def paraphrasing(model: ChatModel, name: str = "") -> Paraphrase:
    """Return a paraphrase that asks a model; ``name`` is the model's, by default the one that it says itself.

    It is to be an own model or an own instance: paraphrases are made before the arc is recorded.
    """
    asked = name or str(getattr(model, "name", ""))

    def paraphrase(turn: str) -> str:
        messages = [{"role": "system", "content": PARAPHRASE_PROMPT}, {"role": "user", "content": turn}]
        response = model({"model": asked, "messages": messages, "temperature": 0})
        try:
            return str(response["choices"][0]["message"]["content"])
        except (IndexError, KeyError, TypeError):
            raise MemuseError(
                "the model's answer to a paraphrase is none of the Chat Completions API",
                reason="model",
                mend="name a chat model",
            ) from None

    return paraphrase
