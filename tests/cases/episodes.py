"""Worked cases: where they lie, how they are read, and how a case's episode becomes a `model.Episode`.

The form is described in ``data/README.md``. A malformed case is a `MalformedCase` that names file and case.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from pytest_memuse.model import (
    Actor,
    Call,
    Delivery,
    Entry,
    Episode,
    Message,
    Placement,
    PlacementKind,
    Proof,
    Route,
    Step,
    Task,
    ToolCall,
    ToolResult,
)
from pytest_memuse.model.digests import text_digest

OWN_CASES = Path(__file__).parent / "data"
_ROUTES = {"agent": Route.AGENT, "host": Route.HOST, **{r.value: r for r in Route}}
_PROOFS = ("ok", "missing", "duplicate", "invalid")


class MalformedCase(Exception):
    """A case that does not have the form of its file; says which file and which case."""


def cases_folder() -> Path:
    """Return the folder named by ``MEMUSE_CASES``, or the project's own cases."""
    return Path(os.environ.get("MEMUSE_CASES") or OWN_CASES)


def load_documents(name: str, folder: Path | None = None) -> list[Any]:
    """Return the YAML documents of a case file; none where the file is absent from a folder other than our own."""
    path = (folder or cases_folder()) / name
    if not path.exists() and path.parent.resolve() != OWN_CASES.resolve():
        return []
    try:
        documents = list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
    except yaml.YAMLError as error:
        raise MalformedCase(f"{path}: not YAML: {error}") from error
    return [document for document in documents if document is not None]


def load_cases(name: str, folder: Path | None = None) -> list[dict[str, Any]]:
    """Return the cases of a file in order: its documents, and the items of a document that is a list."""
    path = (folder or cases_folder()) / name
    cases: list[dict[str, Any]] = []
    for document in load_documents(name, folder):
        for case in document if isinstance(document, list) else [document]:
            if not isinstance(case, dict):
                raise MalformedCase(f"{path}: case {len(cases) + 1}: expected a mapping, found {type(case).__name__}")
            cases.append(case)
    return cases


def case_name(case: Mapping[str, Any]) -> str:
    """Return the name of a case, under whichever key its file keeps it."""
    return str(case.get("case") or case.get("name") or "unnamed")


def episode_from_case(case: Mapping[str, Any], source: str = "spans.yaml") -> Episode:
    """Return the episode of a case of ``spans.yaml`` or ``labels.yaml``.

    Step ``n`` is call ``call-n``. ``task: null`` is a missing task, an absent task is some task; ``resolved: false``
    marks unresolved boundaries. A tool message has a tool call identifier of its own, as every recorded one has, so
    that two tool messages of equal text stay two messages.
    """
    try:
        return _episode(case)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise MalformedCase(f"{source}: case {case_name(case)!r}: {type(error).__name__}: {error}") from error


def _episode(case: Mapping[str, Any]) -> Episode:
    name = case_name(case)
    results = {
        action["result"]: _tool_call_id(number, index)
        for number, step in reversed(list(enumerate(case["steps"], start=1)))
        for index, action in reversed(list(enumerate(step.get("does", ()), start=1)))
        if action.get("result") is not None
    }
    messages = {key: _message(key, data, results) for key, data in case["messages"].items()}
    stored = {message.digest: message for message in messages.values()}
    steps = []
    for number, data in enumerate(case["steps"], start=1):
        response = _response(number, data)
        stored[response.digest] = response
        steps.append(_step(number, data, messages, response))
    deliveries = tuple(_delivery(data, case["steps"], messages) for data in case["deliveries"])
    task = case.get("task", f"The task of {name}.")
    return Episode(
        id=name,
        arc=name,
        suite="cases",
        steps=tuple(steps),
        deliveries=deliveries,
        messages=stored,
        task=None if task is None else Task(id=name, text=str(task)),
        resolved=bool(case.get("resolved", True)),
    )


def _tool_call_id(step: int, index: int) -> str:
    return f"tool-{step}-{index}"


def _message(key: str, data: Mapping[str, Any], results: Mapping[str, str]) -> Message:
    call = results.get(key, f"tool-{key}") if data["role"] == "tool" else None
    return Message(role=str(data["role"]), text=str(data["text"]), tool_call_id=call)


def _response(number: int, data: Mapping[str, Any]) -> Message:
    calls = tuple(
        ToolCall(_tool_call_id(number, index), str(action["tool"]), json.dumps(action["args"], ensure_ascii=False))
        for index, action in enumerate(data.get("does", ()), start=1)
    )
    return Message(role="assistant", text=str(data.get("says", "")), tool_calls=calls)


def _step(number: int, data: Mapping[str, Any], messages: Mapping[str, Message], response: Message) -> Step:
    call = Call(
        id=f"call-{number}",
        actor=Actor.AGENT,
        input=tuple(messages[key].digest for key in data["sees"]),
        response=response.digest,
        gap=bool(data.get("gap", False)),
    )
    results = tuple(
        ToolResult(_tool_call_id(number, index), messages[action["result"]].digest)
        for index, action in enumerate(data.get("does", ()), start=1)
        if action.get("result") is not None
    )
    return Step(number, call, results)


def _delivery(data: Mapping[str, Any], steps: Sequence[Any], messages: Mapping[str, Message]) -> Delivery:
    step = data["step"]
    sees = steps[step - 1]["sees"] if step is not None else ()
    placements = tuple(_placement(placement, sees, messages) for placement in data["placements"])
    if "route" in data:
        route = _ROUTES[data["route"]]
    else:
        tool = any(placement.kind is PlacementKind.TOOL_RESULT for placement in placements)
        route = Route.AGENT if tool else Route.HOST
    return Delivery(
        id=str(data["id"]),
        entries=tuple(_entry(entry) for entry in data["entries"]),
        placements=placements,
        call=None if step is None else f"call-{step}",
        route=route,
        form=str(data.get("form", "")),
        selected_from=tuple(str(earlier) for earlier in data.get("selected_from", ())),
    )


def _entry(data: Mapping[str, Any]) -> Entry:
    def text(key: str) -> str | None:
        value = data.get(key)
        return None if value is None else str(value)

    return Entry(
        item=text("item"),
        value=text("value"),
        namespace=text("namespace") or "",
        scheme=text("scheme") or "",
        version=text("version"),
        digest=text("digest"),
        key=text("key"),
        local_version=text("local_version"),
    )


def _placement(data: Mapping[str, Any], sees: Sequence[str], messages: Mapping[str, Message]) -> Placement:
    slot = str(data["slot"])
    text = None if data["text"] is None else str(data["text"])
    kind = PlacementKind(data.get("kind", "message"))
    return Placement(slot=slot, text=text, kind=kind, proofs=tuple(_proofs(slot, data, sees, messages)))


def _proofs(
    slot: str, data: Mapping[str, Any], sees: Sequence[str], messages: Mapping[str, Message]
) -> Iterator[Proof]:
    """Yield the proofs that ``proof`` asks for; a pointer where the host message is in the input, else its digest."""
    state = data.get("proof", "ok")
    if state not in _PROOFS:
        raise ValueError(f"proof {state!r} is none of {', '.join(_PROOFS)}")
    host = messages[data["message"]]
    digest = text_digest(host.text if state != "invalid" else f"not: {host.text}")
    if data["message"] in sees:
        last = len(sees) - 1 - list(reversed(sees)).index(data["message"])
        proof = Proof(slot, digest, pointer=f"/messages/{last}/content")
    else:
        proof = Proof(slot, digest, message=host.digest)
    yield from [proof] * {"ok": 1, "invalid": 1, "duplicate": 2, "missing": 0}[state]
