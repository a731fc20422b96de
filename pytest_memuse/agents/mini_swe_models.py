"""mini-SWE-agent's two LiteLLM models with the memory tool beside ``bash``; made when mini-SWE-agent is imported."""

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

# A memory tool's result stands in its message as the memory system wrote it.
_OBSERVATION = (
    "{% if 'memory' in output %}{{ output.output }}{% else %}"
    "{% if output.exception_info %}<exception>{{ output.exception_info }}</exception>\n{% endif %}"
    "<returncode>{{ output.returncode }}</returncode>\n<output>\n{{ output.output }}</output>{% endif %}"
)
_FORMAT_ERROR = "{{ error }} Call one of the tools that you were given, with the arguments that it asks for."


class Flavour(StrEnum):
    """Which of OpenAI's APIs mini-SWE-agent speaks."""

    CHAT = "chat"
    RESPONSES = "responses"


def model_class(flavour: Flavour) -> Any:
    """Return the model class of a flavour. mini-SWE-agent must have been imported."""
    return _chat_class() if flavour is Flavour.CHAT else _responses_class()


def _chat_class() -> Any:
    from minisweagent.exceptions import FormatError
    from minisweagent.models import litellm_model
    from minisweagent.models.utils.actions_toolcall import BASH_TOOL, parse_toolcall_actions

    class MemoryToolModel(litellm_model.LitellmModel):  # type: ignore[misc]  # mini-SWE-agent is read as untyped
        """LiteLLM's chat model with the memory tool as a second function tool."""

        # The retries of a request are LiteLLM's, few and bounded; mini-SWE-agent's own would go on for minutes.
        abort_exceptions = [Exception, KeyboardInterrupt]  # noqa: RUF012  # Its base declares it like this.

        def __init__(self, *, memory_tool: Mapping[str, Any] | None, **settings: Any) -> None:
            super().__init__(observation_template=_OBSERVATION, format_error_template=_FORMAT_ERROR, **settings)
            self._memory_name = memory_tool["name"] if memory_tool else None
            self._tools = [BASH_TOOL, *([{"type": "function", "function": dict(memory_tool)}] if memory_tool else [])]

        def _query(self, messages: list[dict[str, Any]], **kwargs: Any) -> Any:
            return litellm_model.litellm.completion(
                model=self.config.model_name,
                messages=messages,
                tools=self._tools,
                **(self.config.model_kwargs | kwargs),
            )

        def _parse_actions(self, response: Any) -> list[dict[str, Any]]:
            choice = response.choices[0]
            calls = choice.message.tool_calls or []
            if not calls:
                return self._bash_actions([], choice)
            actions: list[dict[str, Any]] = []
            for call in calls:
                if self._memory_name is not None and call.function.name == self._memory_name:
                    arguments = _arguments(call.function.arguments)
                    if arguments is None:
                        raise FormatError(_told({"role": "user", "content": _problem(call.function.name)}))
                    actions.append({"memory": arguments, "tool_call_id": call.id})
                else:
                    actions += self._bash_actions([call], choice)
            return actions

        def _bash_actions(self, calls: list[Any], choice: Any) -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = parse_toolcall_actions(
                calls,
                format_error_template=self.config.format_error_template,
                template_kwargs={"finish_reason": choice.finish_reason},
            )
            return found

    return MemoryToolModel


def _responses_class() -> Any:
    from minisweagent.exceptions import FormatError
    from minisweagent.models import litellm_response_model
    from minisweagent.models.utils.actions_toolcall_response import (
        BASH_TOOL_RESPONSE_API,
        finish_reason_from_responses_api,
        parse_toolcall_actions_response,
    )

    class MemoryToolResponseModel(litellm_response_model.LitellmResponseModel):  # type: ignore[misc]  # as above
        """LiteLLM's Responses model with the memory tool as a second function tool."""

        # As in the chat model.
        abort_exceptions = [Exception, KeyboardInterrupt]  # noqa: RUF012  # Its base declares it like this.

        def __init__(self, *, memory_tool: Mapping[str, Any] | None, **settings: Any) -> None:
            super().__init__(observation_template=_OBSERVATION, format_error_template=_FORMAT_ERROR, **settings)
            self._memory_name = memory_tool["name"] if memory_tool else None
            self._tools = [BASH_TOOL_RESPONSE_API, *([{"type": "function", **memory_tool}] if memory_tool else [])]

        def _query(self, messages: list[dict[str, Any]], **kwargs: Any) -> Any:
            return litellm_response_model.litellm.responses(
                model=self.config.model_name,
                input=messages,
                tools=self._tools,
                **(self.config.model_kwargs | kwargs),
            )

        def _parse_actions(self, response: Any) -> list[dict[str, Any]]:
            items = [item if isinstance(item, dict) else item.model_dump() for item in response.output]
            calls = [item for item in items if item.get("type") == "function_call"]
            if self._memory_name is None or all(call.get("name") != self._memory_name for call in calls):
                return self._bash_actions(response, items)
            actions: list[dict[str, Any]] = []
            for call in calls:
                if call.get("name") == self._memory_name:
                    arguments = _arguments(call.get("arguments"))
                    if arguments is None:
                        said = {"type": "input_text", "text": _problem(self._memory_name)}
                        raise FormatError(_told({"type": "message", "role": "user", "content": [said]}))
                    actions.append({"memory": arguments, "tool_call_id": call.get("call_id")})
                else:
                    actions += self._bash_actions(response, [call])
            return actions

        def _bash_actions(self, response: Any, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = parse_toolcall_actions_response(
                items,
                format_error_template=self.config.format_error_template,
                template_kwargs={"finish_reason": finish_reason_from_responses_api(response)},
            )
            return found

    return MemoryToolResponseModel


def _told(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message of a format error; mini-SWE-agent adds to its ``extra`` what the call cost."""
    return {**message, "extra": {"interrupt_type": "FormatError"}}


def _problem(name: str) -> str:
    return f"The arguments of {name} are not a JSON object."


def _arguments(text: Any) -> dict[str, Any] | None:
    try:
        arguments = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return None
    return arguments if isinstance(arguments, dict) else None
