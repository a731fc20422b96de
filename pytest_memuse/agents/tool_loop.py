"""A plain tool loop on LiteLLM as an agent under test: ask the model, carry out its tool calls, ask again.

LiteLLM is imported when an episode runs, never before.
"""

import importlib.metadata
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from pytest_memuse.agents.commands import CommandResult, command_environment, run_command
from pytest_memuse.agents.protocol import EpisodeContext
from pytest_memuse.execution.quiet_imports import quiet_import

SYSTEM_PROMPT = """\
You are a software engineer. You work in a shell, in the root folder of a repository, on the task that the user gives.

Each shell command runs in a new shell, in the root folder, so use relative paths. When the task is done, or you are \
sure that it cannot be done, say so and call no tool."""

_ABOUT_MEMORY = """\
The tool `{}` holds memories of earlier work on this project. Correct those that turn out to be out of date, where it \
lets you."""

_BASH: dict[str, Any] = {
    "name": "bash",
    "description": "Run a shell command.",
    "parameters": {
        "type": "object",
        "properties": {"command": {"type": "string", "description": "The command."}},
        "required": ["command"],
    },
}


class ToolLoopAgent:
    """Runs a loop of model calls in the episode's workspace, with memory in its system message and as a tool.

    ``model`` is a LiteLLM name, whose prefix decides which API is spoken (``openai/...``, ``anthropic/...``);
    ``base_url`` is the endpoint, None for the provider's own. The episode ends when the model calls no tool, or after
    ``step_limit`` model calls. ``command_seconds`` bounds one shell command. With ``stream``, answers are streamed. A
    request that fails is tried again at most ``max_retries`` times. Commands see a small environment of their own, not
    the host's; ``environment`` adds to it or replaces its variables.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        *,
        system_prompt: str = SYSTEM_PROMPT,
        step_limit: int = 30,
        command_seconds: float = 30.0,
        request_seconds: float = 60.0,
        max_retries: int = 1,
        stream: bool = False,
        api_key: str = "not-needed",
        model_kwargs: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._model = model
        self._system_prompt = system_prompt
        self._step_limit = step_limit
        self._command_seconds = command_seconds
        self._stream = stream
        self._settings = dict(model_kwargs or {})
        self._environment = dict(environment or {})
        self._request: dict[str, Any] = {
            "model": model,
            "api_base": base_url,
            "api_key": api_key,
            "timeout": request_seconds,
            "max_retries": max_retries,
            **self._settings,
        }

    def identity(self) -> Mapping[str, str]:
        """Return version, model and settings; address and key do not shape what the agent does."""
        return {
            "name": "tool-loop",
            "litellm": importlib.metadata.version("litellm"),
            "model": self._model,
            "step_limit": str(self._step_limit),
            **({"stream": "True"} if self._stream else {}),
            **{f"model.{name}": str(value) for name, value in sorted(self._settings.items())},
        }

    def __call__(self, episode: EpisodeContext) -> None:
        """Run the episode to its end. Errors of the model's endpoint are raised; a step limit is not an error."""
        litellm = quiet_import(extra="llm")
        tool = episode.memory.tool()
        functions = [_BASH, *([dict(tool)] if tool else [])]
        tools = [{"type": "function", "function": function} for function in functions]
        about = _ABOUT_MEMORY.format(tool["name"]) if tool else ""
        system = [part for part in (self._system_prompt, about, episode.memory.recall()) if part]
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": "\n\n".join(system)},
            {"role": "user", "content": episode.task},
        ]
        for _ in range(self._step_limit):
            said = self._ask(litellm, messages, tools)
            messages.append(_as_sent(said))
            if not said.tool_calls:
                return
            for call in said.tool_calls:
                text = self._carried_out(call, episode, None if tool is None else str(tool["name"]))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": text})

    def _ask(self, litellm: Any, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        streamed: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}} if self._stream else {}
        answer = litellm.completion(messages=messages, tools=tools, **self._request, **streamed)
        if self._stream:
            answer = litellm.stream_chunk_builder(list(answer), messages=messages)
        return answer.choices[0].message

    def _carried_out(self, call: Any, episode: EpisodeContext, memory_tool: str | None) -> str:
        """Carry out a tool call and return the text of its result; what is wrong with a call is told to the model."""
        arguments = _arguments(call.function.arguments)
        if arguments is None:
            return f"The arguments of {call.function.name} are not a JSON object."
        if call.function.name == memory_tool:
            return episode.memory.call_tool(arguments, tool_call_id=call.id)
        if call.function.name != _BASH["name"]:
            return f"There is no tool {call.function.name!r}."
        variables = command_environment(episode.workspace) | self._environment
        command = str(arguments.get("command", ""))
        return _shown(run_command(command, episode.workspace, variables, self._command_seconds))


def _shown(result: CommandResult) -> str:
    problem = f"<exception>{result.problem}</exception>\n" if result.problem else ""
    return f"{problem}<returncode>{result.returncode}</returncode>\n<output>\n{result.output}</output>"


def _arguments(text: Any) -> dict[str, Any] | None:
    with suppress(TypeError, ValueError, RecursionError):
        found = json.loads(text)
        return found if isinstance(found, dict) else None
    return None


def _as_sent(said: Any) -> dict[str, Any]:
    """Return an assistant message as the next request holds it: what providers take back, and nothing of LiteLLM's."""
    message: dict[str, Any] = {"role": "assistant", "content": said.content or ""}
    if said.tool_calls:
        message["tool_calls"] = [
            {"id": c.id, "type": "function", "function": {"name": c.function.name, "arguments": c.function.arguments}}
            for c in said.tool_calls
        ]
    # Anthropic's models refuse tool results where their signed thinking before the call is missing.
    thinking = getattr(said, "thinking_blocks", None)
    return message | {"thinking_blocks": thinking} if thinking else message
