"""What the agent executed: the tool calls of each step with their results, memory tools told apart from the world."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pytest_memuse.judging.shell import ShellState, SimpleCommand
from pytest_memuse.model import Episode, PlacementKind, ToolCall
from pytest_memuse.spans.proofs import Failure, ProofResolver


class Deed(StrEnum):
    """What a tool call is: an action on the world, a retrieval from memory or a change of it, or mere speech."""

    WORLD = "world"
    RETRIEVAL = "retrieval"
    MAINTENANCE = "maintenance"
    SPEECH = "speech"


@dataclass(frozen=True, slots=True)
class Action:
    """One executed tool call.

    ``text`` is what was executed, with variables and the working directory put in; ``spoken`` what was only said on
    the way (shell output to nobody, commit messages). ``result`` is empty and ``failed`` None where nothing was
    recorded. ``edits`` are the replacements that the action asked for, old text first. ``values`` are its arguments one
    by one: the values of fields, the words of commands.
    """

    step: int
    id: str
    tool: str
    deed: Deed
    text: str
    spoken: str
    commands: tuple[SimpleCommand, ...]
    edits: tuple[tuple[str, str], ...]
    result: str
    failed: bool | None
    values: tuple[str, ...] = ()


_MEMORY_TOOL = re.compile(r"memor|mem0|recall|remember", re.I)
_CHANGE = re.compile(r"add|creat|store|save|writ|updat|delet|remov|edit|insert|forget|put|upsert", re.I)
_SPEECH_TOOLS = frozenset({"think", "finish", "done", "final_answer", "reply", "respond", "plan", "submit", "answer"})
_SHELL_KEYS = frozenset({"command", "cmd", "script", "commands", "bash", "shell"})
_FOLDER_KEYS = frozenset({"cwd", "workdir", "working_directory", "working_dir"})
_OLD_KEYS = ("old_str", "old_string", "old_text", "old", "search")
_NEW_KEYS = ("new_str", "new_string", "new_text", "new", "replace", "replacement")
_SED = re.compile(
    r"(?:^|[\s;])(?:\d[\d,$]*)?s([/|#,@!~%])((?:(?!\1)[^\\\n]|\\.){0,2000})\1((?:(?!\1)[^\\\n]|\\.){0,2000})\1"
)
_REPLACE = re.compile(r"replace\(\s?(['\"])(.{0,2000}?)\1,\s{0,4}(['\"])(.{0,2000}?)\3")
_DEEPEST = 12


def actions_of(episode: Episode) -> tuple[Action, ...]:
    """Return the actions of an episode in order. Shell variables and the working directory live through the episode."""
    shell = ShellState()
    retrieved = _retrievals(episode)
    found: list[Action] = []
    for step in episode.steps:
        response = episode.messages.get(step.call.response or "")
        for call in response.tool_calls if response else ():
            result = next((r for r in step.results if r.tool_call_id == call.id), None)
            message = episode.messages.get(result.message) if result else None
            is_retrieval = (step.number, call.id) in retrieved
            failed = result.failed if result else None
            found.append(_action(step.number, call, shell, is_retrieval, message.text if message else "", failed))
    return tuple(found)


def _retrievals(episode: Episode) -> frozenset[tuple[int, str]]:
    """Return the step and identifier of every call whose result carries a recorded delivery."""
    resolver = ProofResolver(episode.messages)
    calls = {step.call.id: step.call for step in episode.steps}
    hosts: set[str] = set()
    for delivery in episode.deliveries:
        call = calls.get(delivery.call or "")
        for placement in delivery.placements:
            if placement.kind is PlacementKind.TOOL_RESULT and call is not None:
                host = resolver.resolve(placement, call)
                if not isinstance(host, Failure):
                    hosts.add(call.input[host.index])
    return frozenset((s.number, r.tool_call_id) for s in episode.steps for r in s.results if r.message in hosts)


def _action(step: int, call: ToolCall, shell: ShellState, retrieval: bool, result: str, failed: bool | None) -> Action:
    arguments = _arguments(call.arguments)
    commands: list[SimpleCommand] = []
    texts: list[str] = [call.name]
    if isinstance(arguments, dict):
        for key, value in arguments.items():
            command = _command_text(value) if key in _SHELL_KEYS else None
            if command is not None:
                folder = next((str(arguments[k]) for k in _FOLDER_KEYS if arguments.get(k)), None)
                if folder is not None:
                    shell.folder = folder[:2000]
                commands += shell.read(command)
            else:
                texts.extend(_flat(key, value))
    else:
        texts.extend(_flat("", arguments))
    fields = len(texts) - 1
    spoken: list[str] = []
    deed = _deed(call.name, arguments, retrieval)
    programs = [c for c in commands if c.words and c.name not in ("cd", "export")]
    if deed is Deed.WORLD and programs and all(_MEMORY_TOOL.search(c.name) for c in programs):
        deed = _deed(" ".join(programs[0].words[:2]), None, retrieval)
    for simple in commands:
        executed, said = _executed(simple)
        texts.append(executed)
        spoken.append(said)
    text = "\n".join(texts)
    if deed is Deed.SPEECH:
        text, spoken = "", [text]
    return Action(
        step, call.id, call.name, deed, text, "\n".join(filter(None, spoken)), tuple(commands),
        tuple(_edits(arguments, text)), result, failed, tuple(_values(texts[1 : 1 + fields], commands)),
    )  # fmt: skip


def _deed(name: str, arguments: Any, retrieval: bool) -> Deed:
    if retrieval:
        return Deed.RETRIEVAL
    if _MEMORY_TOOL.search(name):
        asked = name
        if isinstance(arguments, dict):
            asked += " " + " ".join(str(arguments.get(k, ""))[:80] for k in ("action", "operation", "op", "mode"))
        return Deed.MAINTENANCE if _CHANGE.search(_MEMORY_TOOL.sub("", asked)) else Deed.RETRIEVAL
    return Deed.SPEECH if name.lower() in _SPEECH_TOOLS else Deed.WORLD


def _arguments(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _command_text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        # ["bash", "-lc", "text"] runs the text; a list of words is one command.
        return str(value[-1]) if len(value) > 2 and value[1].startswith("-") and "c" in value[1] else " ".join(value)
    return None


def _flat(key: str, value: Any, depth: int = 0) -> Iterator[str]:
    """Yield every value of an argument with its key before it, so that the key tells the value's purpose."""
    if depth > _DEEPEST:
        yield str(value)[:10_000]
    elif isinstance(value, dict):
        for inner, item in value.items():
            yield from _flat(f"{key}.{inner}" if key else str(inner), item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _flat(key, item, depth + 1)
    elif value is not None:
        yield f"{key}: {value}"


def _values(fields: list[str], commands: list[SimpleCommand]) -> Iterator[str]:
    for field in fields:
        key, _, value = field.partition(": ")
        # A switch says by its name what was chosen.
        yield key.rpartition(".")[2] if value in ("True", "False") else value
    for command in commands:
        yield from command.words if _executed(command)[0] else ()


def _executed(command: SimpleCommand) -> tuple[str, str]:
    """Return what a simple command executes, and what it only says."""
    words, said = list(command.words), ""
    if command.name in ("echo", "printf", ":", "true") and not command.writes_to and not command.piped:
        return "", " ".join(command.resolved or command.words)
    if command.name == "git" and "commit" in words:
        kept, rest = [], iter(words)
        for word in rest:
            if word in ("-m", "-am", "--message"):
                said += next(rest, "") + "\n"
            else:
                kept.append(word)
        return " ".join(kept), said
    parts = [" ".join(words), " ".join(command.writes_to), command.body, " ".join(command.resolved)]
    return "\n".join(filter(None, parts)), said


def _edits(arguments: Any, text: str) -> Iterator[tuple[str, str]]:
    if isinstance(arguments, dict):
        old = next((arguments[k] for k in _OLD_KEYS if isinstance(arguments.get(k), str)), None)
        new = next((arguments[k] for k in _NEW_KEYS if isinstance(arguments.get(k), str)), None)
        if old is not None and new is not None:
            yield old, new
    for match in _SED.finditer(text):
        yield match[2], match[3]
    for match in _REPLACE.finditer(text):
        yield match[2], match[4]
