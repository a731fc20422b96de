"""Real models behind the loop."""

from typing import Any

import pytest

from pytest_memuse.arcs import models
from pytest_memuse.arcs.models import LiteLLMChatModel


class _Answer:
    def model_dump(self) -> dict[str, Any]:
        return {"choices": [{"message": {"role": "assistant", "content": "Yes.", "tool_calls": None}}]}


class _LiteLLM:
    """Stands for the package, which takes seconds to import."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}

    def completion(self, **request: Any) -> _Answer:
        self.asked = request
        return _Answer()


def test_litellm_is_asked_by_its_own_name_of_the_model_with_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    package = _LiteLLM()
    monkeypatch.setattr(models, "quiet_import", lambda *, extra: package)
    model = LiteLLMChatModel("openai/gpt", api_base="http://model/v1", temperature=1)
    response = model({"model": "another", "messages": [], "temperature": 0})
    assert package.asked == {"model": "openai/gpt", "messages": [], "temperature": 1, "api_base": "http://model/v1"}
    assert response["choices"][0]["message"]["content"] == "Yes."
    assert model.over_http
