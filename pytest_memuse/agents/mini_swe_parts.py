"""The two parts of mini-SWE-agent that memory needs changed, made when it is first imported.

The model offers the memory tool beside ``bash``; the environment carries its calls out, and runs commands in an
environment of their own instead of the host's.
"""

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_memuse.agents.protocol import EpisodeMemory
from pytest_memuse.model import MemuseError

# A memory tool's result stands in its message as the memory system wrote it.
_OBSERVATION = (
    "{% if 'memory' in output %}{{ output.output }}{% else %}"
    "{% if output.exception_info %}<exception>{{ output.exception_info }}</exception>\n{% endif %}"
    "<returncode>{{ output.returncode }}</returncode>\n<output>\n{{ output.output }}</output>{% endif %}"
)
_FORMAT_ERROR = "{{ error }} Call one of the tools that you were given, with the arguments that it asks for."


@dataclass(frozen=True, slots=True)
class Parts:
    """Classes of an imported mini-SWE-agent."""

    agent: Any
    model: Any
    environment: Any


def parts() -> Parts:
    """Import mini-SWE-agent and return its classes. Raises `MemuseError` where it is not installed."""
    try:
        with _quiet_import():
            from minisweagent.agents.default import DefaultAgent
    except ImportError as error:
        raise MemuseError(
            f"mini-SWE-agent cannot be imported: {error}",
            reason="agent-not-installed",
            mend="pip install 'pytest-memuse[mini-swe-agent]'",
        ) from error
    return Parts(agent=DefaultAgent, model=_model_class(), environment=_environment_class())


def command_environment(workspace: Path) -> dict[str, str]:
    """Return what a command sees of its host: no secrets, the Python that runs the tests, the workspace as its home."""
    return {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), *os.defpath.split(os.pathsep)]),
        "HOME": str(workspace),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PAGER": "cat",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _model_class() -> Any:
    from minisweagent.exceptions import FormatError
    from minisweagent.models import litellm_model
    from minisweagent.models.utils.actions_toolcall import BASH_TOOL, parse_toolcall_actions

    class MemoryToolModel(litellm_model.LitellmModel):  # type: ignore[misc]
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
                    actions.append({"memory": _arguments(call, FormatError), "tool_call_id": call.id})
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


def _arguments(call: Any, error_class: Any) -> dict[str, Any]:
    try:
        arguments = json.loads(call.function.arguments)
    except (TypeError, ValueError, RecursionError):
        arguments = None
    if isinstance(arguments, dict):
        return arguments
    problem = f"The arguments of {call.function.name} are not a JSON object."
    raise error_class({"role": "user", "content": problem, "extra": {"interrupt_type": "FormatError"}})


def _environment_class() -> Any:
    import subprocess

    from minisweagent.environments import local

    class WorkspaceEnvironment(local.LocalEnvironment):  # type: ignore[misc]
        """Runs commands in the workspace and hands memory calls to the episode's memory."""

        def __init__(
            self, *, memory: EpisodeMemory, workspace: Path, command_seconds: int, variables: Mapping[str, str]
        ) -> None:
            super().__init__(cwd=str(workspace), timeout=command_seconds, env=dict(variables))
            self._memory = memory

        def execute(self, action: dict[str, Any], cwd: str = "", *, timeout: int | None = None) -> dict[str, Any]:
            if "memory" in action:
                text = self._memory.call_tool(action["memory"], tool_call_id=action["tool_call_id"])
                return {"output": text, "returncode": 0, "exception_info": "", "memory": True}
            output = self._run(str(action.get("command", "")), cwd or self.config.cwd, timeout or self.config.timeout)
            self._check_finished(output)
            return output

        def _run(self, command: str, cwd: str, timeout: int) -> dict[str, Any]:
            # The base class would give the command the host's whole environment.
            try:
                done = local._run(command, cwd, self.config.env, timeout)
            except subprocess.TimeoutExpired as late:
                said = late.output if isinstance(late.output, str) else ""
                return {"output": said, "returncode": -1, "exception_info": f"no end after {timeout} seconds"}
            except (OSError, ValueError) as error:  # Such as a null byte in the command.
                return {"output": "", "returncode": -1, "exception_info": f"the command cannot be run: {error}"}
            return {"output": done.stdout, "returncode": done.returncode, "exception_info": ""}

        def get_template_vars(self, **kwargs: Any) -> dict[str, Any]:
            return dict(kwargs)  # The base class offers every variable of the host's environment to the prompts.

    return WorkspaceEnvironment


@contextlib.contextmanager
def _quiet_import() -> Iterator[None]:
    """Import with no banner, no folder made in the user's home, no settings read from there, no price list fetched."""
    with tempfile.TemporaryDirectory(prefix="memuse-mini-") as folder:
        names = {
            "MSWEA_SILENT_STARTUP": "1",
            "MSWEA_GLOBAL_CONFIG_DIR": folder,
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }
        saved = {name: os.environ.get(name) for name in names}
        os.environ.update(names)
        try:
            yield
            import litellm
            import minisweagent.environments.local
            import minisweagent.models.litellm_model  # noqa: F401

            litellm.suppress_debug_info = True
        finally:
            for name, value in saved.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value
