"""The two parts of mini-SWE-agent that memory needs changed, made when it is first imported.

The model offers the memory tool beside ``bash``; the environment carries its calls out, and runs commands in an
environment of their own instead of the host's.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_memuse.agents.mini_swe_models import Flavour, model_class
from pytest_memuse.agents.protocol import EpisodeMemory
from pytest_memuse.execution.quiet_imports import quiet_import

_AGENT = "minisweagent.agents.default"
_MODULES = (
    _AGENT,
    "minisweagent.environments.local",
    "minisweagent.models.litellm_model",
    "minisweagent.models.litellm_response_model",
)


@dataclass(frozen=True, slots=True)
class Parts:
    """Classes of an imported mini-SWE-agent."""

    agent: Any
    model: Any
    environment: Any


def parts(flavour: Flavour = Flavour.CHAT) -> Parts:
    """Import mini-SWE-agent and return its classes. Raises `MemuseError` where it is not installed."""
    # All at once and before any of them is used: they read settings from the environment when they are imported.
    quiet_import(*_MODULES, extra="mini-swe-agent")
    agent = importlib.import_module(_AGENT).DefaultAgent
    return Parts(agent=agent, model=model_class(flavour), environment=_environment_class())


def _environment_class() -> Any:
    import subprocess

    from minisweagent.environments import local

    class WorkspaceEnvironment(local.LocalEnvironment):  # type: ignore[misc]  # mini-SWE-agent is read as untyped
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
