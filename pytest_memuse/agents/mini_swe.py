"""mini-SWE-agent 2.4.6 as an agent under test: LiteLLM models, real commands in the workspace.

mini-SWE-agent and LiteLLM are imported when an agent is made, never before.
"""

import importlib.metadata
from collections.abc import Mapping
from typing import Any

from pytest_memuse.agents.commands import command_environment
from pytest_memuse.agents.mini_swe_models import Flavour
from pytest_memuse.agents.mini_swe_parts import parts
from pytest_memuse.agents.protocol import EpisodeContext

SYSTEM_TEMPLATE = """\
You are a software engineer. You work in a shell, in the root folder of a repository, on the task that the user gives.

Every reply says briefly what you are about to do and calls exactly one tool. Each shell command runs in a new shell, \
in the root folder, so use relative paths.
{%- if memory_tool %}
The tool `{{ memory_tool }}` holds memories of earlier work on this project. Correct those that turn out to be out of \
date, where it lets you.
{%- endif %}
When the task is done, or you are sure that it cannot be done, run this command alone:
echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT
{%- if recall %}

{{ recall }}
{%- endif %}"""


class MiniSweAgent:
    """Runs mini-SWE-agent's default loop in the episode's workspace, with memory in its system message and as a tool.

    ``base_url`` is an OpenAI-compatible endpoint, ``model`` a LiteLLM name (``openai/...`` for such endpoints).
    ``flavour`` is the API that it speaks: ``"chat"`` (Chat Completions) or ``"responses"``; any other raises
    ValueError. After
    ``step_limit`` model calls the episode ends as it stands. ``command_seconds`` bounds one shell command. A model
    request that fails is tried again at most ``max_retries`` times. Commands see a small environment of their own, not
    the host's; ``environment`` adds to it or replaces its variables.
    """

    def __init__(
        self,
        base_url: str,
        model: str = "openai/memuse-scripted-1",
        *,
        flavour: str = Flavour.CHAT,
        step_limit: int = 30,
        command_seconds: int = 30,
        request_seconds: float = 60.0,
        max_retries: int = 1,
        api_key: str = "not-needed",
        model_kwargs: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._flavour = Flavour(flavour)
        self._parts = parts(self._flavour)
        self._model = model
        self._step_limit = step_limit
        self._command_seconds = command_seconds
        self._settings = dict(model_kwargs or {})
        self._environment = dict(environment or {})
        self._request: dict[str, Any] = {
            "api_base": base_url,
            "api_key": api_key,
            "timeout": request_seconds,
            "max_retries": max_retries,
            **self._settings,
        }

    def identity(self) -> Mapping[str, str]:
        """Return versions, model and settings; address and key do not shape what the agent does."""
        return {
            "name": "mini-swe-agent",
            "mini-swe-agent": importlib.metadata.version("mini-swe-agent"),
            "litellm": importlib.metadata.version("litellm"),
            "model": self._model,
            "step_limit": str(self._step_limit),
            # Left out for the usual one, so that recordings made before there were two keep their identity.
            **({"flavour": self._flavour.value} if self._flavour is not Flavour.CHAT else {}),
            **{f"model.{name}": str(value) for name, value in sorted(self._settings.items())},
        }

    def __call__(self, episode: EpisodeContext) -> None:
        """Run the episode to its end. Errors of the model's endpoint are raised; a step limit is not an error."""
        tool = episode.memory.tool()
        agent = self._parts.agent(
            self._parts.model(
                memory_tool=tool, model_name=self._model, model_kwargs=self._request, cost_tracking="ignore_errors"
            ),
            self._parts.environment(
                memory=episode.memory,
                workspace=episode.workspace,
                command_seconds=self._command_seconds,
                variables=command_environment(episode.workspace) | self._environment,
            ),
            system_template=SYSTEM_TEMPLATE,
            instance_template="{{ task }}",
            step_limit=self._step_limit,
            cost_limit=0,
        )
        agent.run(episode.task, recall=episode.memory.recall(), memory_tool=tool["name"] if tool else "")
