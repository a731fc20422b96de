"""A small agent loop for tests: the scripted model's answers are carried out, without HTTP and without a harness."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_memuse.agents.commands import command_environment
from pytest_memuse.agents.scripted import respond

BASH: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "bash",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
    },
}
INSTRUCTIONS = "When done, run: echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n"


def memory_tool(*actions: str) -> dict[str, Any]:
    """Return the schema of a memory tool that offers these actions."""
    properties = {"action": {"type": "string", "enum": list(actions)}, "query": {"type": "string"}}
    return {"type": "function", "function": {"name": "recall_box", "parameters": {"properties": properties}}}


def request(task: str, *, memory: str = "", tools: Sequence[Mapping[str, Any]] = (BASH,)) -> dict[str, Any]:
    """Return the first request of an episode."""
    messages = [{"role": "system", "content": INSTRUCTIONS + memory}, {"role": "user", "content": task}]
    return {"model": "m", "messages": messages, "tools": list(tools)}


def call_of(answer: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return name and arguments of the one tool call of a response."""
    (call,) = answer["choices"][0]["message"]["tool_calls"]
    return call["function"]["name"], json.loads(call["function"]["arguments"])


def reply(body: dict[str, Any], text: str) -> dict[str, Any]:
    """Return the next request: the model's answer to this one, and a tool result."""
    message = respond(body)["choices"][0]["message"]
    result = {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": text}
    return {**body, "messages": [*body["messages"], message, result]}


def shell_result(code: int, output: str = "") -> str:
    """Return a command's result as the harness writes it."""
    return f"<returncode>{code}</returncode>\n<output>\n{output}</output>"


@dataclass
class Run:
    """What an episode did: the shell commands, the memory calls, and what was said."""

    commands: list[str] = field(default_factory=list)
    memory_calls: list[dict[str, Any]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


def work(
    workspace: Path,
    body: dict[str, Any],
    memory: Callable[[Mapping[str, Any]], str] = lambda arguments: "No memories found.",
    *,
    limit: int = 40,
) -> Run:
    """Let the scripted model work in a folder until it submits."""
    run = Run()
    for _ in range(limit):
        message = respond(body)["choices"][0]["message"]
        run.said.append(message["content"])
        name, arguments = call_of({"choices": [{"message": message}]})
        if name == "bash":
            run.commands.append(arguments["command"])
            if "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT" in arguments["command"]:
                return run
            text = _execute(arguments["command"], workspace)
        else:
            run.memory_calls.append(arguments)
            text = memory(arguments)
        result = {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": text}
        body = {**body, "messages": [*body["messages"], message, result]}
    raise AssertionError(f"no submission after {limit} steps: {run.commands[-3:]}")


def _execute(command: str, workspace: Path) -> str:
    done = subprocess.run(
        command, shell=True, cwd=workspace, env=command_environment(workspace), text=True, capture_output=True
    )
    return shell_result(done.returncode, done.stdout + done.stderr)


def unittest_passes(test: str, workspace: Path, checks: Path) -> bool:
    """Whether an outcome test passes in the workspace."""
    environment = {**command_environment(workspace), "PYTHONPATH": str(checks)}
    return (
        subprocess.run(
            [sys.executable, "-m", "unittest", "-q", test], cwd=workspace, env=environment, capture_output=True
        ).returncode
        == 0
    )
