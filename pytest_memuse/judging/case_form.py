"""Worked episodes in their neutral form, as a file of cases holds them, and how one becomes a `model.Episode`.

A case names its messages, and by those names what each step sees and what its tool calls return; its deliveries name
the steps that consume them. Every error names file, case and field. Fields that the form does not know are passed over,
unless they look like a slip of one that it knows.
"""

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_memuse.model import (
    Actor,
    Call,
    Delivery,
    Entry,
    Episode,
    FormatError,
    Message,
    Placement,
    PlacementKind,
    Proof,
    ReferenceFact,
    Route,
    Step,
    Task,
    ToolCall,
    ToolResult,
)
from pytest_memuse.model.digests import text_digest
from pytest_memuse.model.errors import nearest

_ROUTES = {"agent": Route.AGENT, "host": Route.HOST, **{route.value: route for route in Route}}
_PROOFS = {"ok": 1, "invalid": 1, "duplicate": 2, "missing": 0}
_CLOSE = 0.7
"""How alike a field must be to a known one to be a slip of the pen (`difflib`'s ratio)."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file a value stands: its source, the case, and the field's path."""

    source: str
    case: str
    path: str = ""

    def __truediv__(self, part: str | int) -> "Place":
        joined = f"{self.path}[{part}]" if isinstance(part, int) else f"{self.path}.{part}".removeprefix(".")
        return Place(self.source, self.case, joined)

    def error(self, problem: str, mend: str = "") -> FormatError:
        """Return the error of what stands here."""
        where = f"{self.source}: case {self.case!r}"
        return FormatError(problem, source=where, field=self.path or None, reason="case", mend=mend)

    def mapping(self, value: Any, required: Sequence[str] = (), optional: Sequence[str] = ()) -> Mapping[str, Any]:
        """Return a mapping that has the required fields and no slip of a known one. Raises `FormatError`."""
        if not isinstance(value, dict):
            raise self.error(f"expected a mapping, found {kind(value)}")
        known = (*required, *optional)
        for name in value:
            close = [] if name in known else difflib.get_close_matches(str(name), known, n=1, cutoff=_CLOSE)
            if close:
                raise self.error(f"there is no field {str(name)!r}; did you mean {close[0]!r}?")
        for name in required:
            if name not in value:
                raise self.error(f"the field {name!r} is missing")
        return value

    def listed(self, value: Any) -> Sequence[Any]:
        """Return a list; nothing stands for an empty one. Raises `FormatError`."""
        if value is None:
            return ()
        if not isinstance(value, (list, tuple)):
            raise self.error(f"expected a list, found {kind(value)}")
        return value

    def text(self, value: Any) -> str:
        """Return a text; a number or date is read as it is written. Raises `FormatError`."""
        if value is None or isinstance(value, (dict, list)):
            raise self.error(f"expected a text, found {kind(value)}")
        return str(value)

    def step(self, value: Any, steps: int) -> int:
        """Return the number of a step. Raises `FormatError`."""
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= steps:
            raise self.error(f"{value!r} is no step; the case has steps 1 to {steps}")
        return value

    def choice(self, value: Any, known: Sequence[str]) -> str:
        """Return one of the known words. Raises `FormatError` with the nearest."""
        if value not in known:
            raise self.error(f"{value!r} is none of {', '.join(known)}{nearest(str(value), known)}")
        return str(value)


def kind(value: Any) -> str:
    """Return what a value is, in the words of its file."""
    names = {dict: "a mapping", list: "a list", str: "a text", bool: "true or false", int: "a number"}
    return "nothing" if value is None else names.get(type(value), type(value).__name__)


def case_name(case: Mapping[str, Any]) -> str:
    """Return the name of a case, under whichever key its file keeps it."""
    return str(case.get("case") or case.get("name") or "unnamed")


def episode_from_case(case: Mapping[str, Any], source: str) -> Episode:
    """Return the episode of a case. Raises `FormatError`.

    Step ``n`` is call ``call-n``. ``task: null`` is a missing task, an absent task is some task; ``resolved: false``
    marks unresolved boundaries. A tool message has a tool call identifier of its own, as every recorded one has, so
    that two tool messages of equal text stay two messages.
    """
    return _CaseReader(case, Place(source, case_name(case))).episode()


class _CaseReader:
    def __init__(self, case: Mapping[str, Any], place: Place) -> None:
        self.name, self.place = place.case, place
        optional = ("case", "name", "why", "rule", "task", "references", "resolved", "labels", "expect")
        self.case = place.mapping(case, ("messages", "steps", "deliveries"), optional)
        steps = (place / "steps").listed(case["steps"])
        self.steps = [
            (place / "steps" / index).mapping(step, ("sees",), ("says", "does", "gap"))
            for index, step in enumerate(steps)
        ]
        if not steps:
            raise (place / "steps").error("an episode has at least one step")
        texts = (place / "messages").mapping(case["messages"])
        results = self._results(texts)
        self.messages = {str(key): self._message(str(key), data, results) for key, data in texts.items()}

    def episode(self) -> Episode:
        stored = {message.digest: message for message in self.messages.values()}
        steps = []
        for number, data in enumerate(self.steps, start=1):
            response = self._response(number, data)
            stored[response.digest] = response
            steps.append(self._step(number, data, response))
        where = self.place / "deliveries"
        deliveries = tuple(
            self._delivery(data, where / index) for index, data in enumerate(where.listed(self.case["deliveries"]))
        )
        task = self.case.get("task", f"The task of {self.name}.")
        return Episode(
            id=self.name,
            arc=self.name,
            suite="cases",
            steps=tuple(steps),
            deliveries=deliveries,
            messages=stored,
            task=None if task is None else Task(self.name, (self.place / "task").text(task), self._references()),
            resolved=bool(self.case.get("resolved", True)),
        )

    def _references(self) -> tuple[ReferenceFact, ...]:
        found, facts = self.place / "references", []
        for index, value in enumerate(found.listed(self.case.get("references"))):
            place = found / index
            data = place.mapping(value, ("subject", "value"), ("superseded",))
            before = (place / "superseded").listed(data.get("superseded"))
            facts.append(ReferenceFact(str(data["subject"]), str(data["value"]), tuple(str(each) for each in before)))
        return tuple(facts)

    def _does(self, number: int) -> Iterator[tuple[int, Place, Mapping[str, Any]]]:
        place = self.place / "steps" / (number - 1) / "does"
        for index, action in enumerate(place.listed(self.steps[number - 1].get("does"))):
            yield index + 1, place / index, (place / index).mapping(action, ("tool", "args"), ("result",))

    def _results(self, texts: Mapping[str, Any]) -> dict[str, str]:
        """Return the tool call of every message that is a tool's result: the first that names it."""
        found: dict[str, str] = {}
        for number in range(1, len(self.steps) + 1):
            for index, place, action in self._does(number):
                if action.get("result") is not None:
                    found.setdefault(self._known(action["result"], texts, place / "result"), _tool_call(number, index))
        return found

    def _known(self, name: Any, known: Mapping[str, Any], place: Place) -> str:
        if not isinstance(name, str) or name not in known:
            raise place.error(f"there is no message {name!r}{nearest(str(name), map(str, known))}")
        return name

    def _message(self, key: str, data: Any, results: Mapping[str, str]) -> Message:
        place = self.place / "messages" / key
        fields = place.mapping(data, ("role", "text"))
        role = (place / "role").choice(fields["role"], ("system", "developer", "user", "assistant", "tool"))
        call = results.get(key, f"tool-{key}") if role == "tool" else None
        return Message(role=role, text=(place / "text").text(fields["text"]), tool_call_id=call)

    def _response(self, number: int, data: Mapping[str, Any]) -> Message:
        calls = tuple(
            ToolCall(_tool_call(number, index), str(action["tool"]), _arguments(action["args"], place / "args"))
            for index, place, action in self._does(number)
        )
        return Message(role="assistant", text=str(data.get("says") or ""), tool_calls=calls)

    def _step(self, number: int, data: Mapping[str, Any], response: Message) -> Step:
        place = self.place / "steps" / (number - 1) / "sees"
        seen = [self._known(key, self.messages, place) for key in place.listed(data["sees"])]
        call = Call(
            id=f"call-{number}",
            actor=Actor.AGENT,
            input=tuple(self.messages[key].digest for key in seen),
            response=response.digest,
            gap=bool(data.get("gap", False)),
        )
        results = tuple(
            ToolResult(_tool_call(number, index), self.messages[action["result"]].digest)
            for index, _, action in self._does(number)
            if action.get("result") is not None
        )
        return Step(number, call, results)

    def _delivery(self, value: Any, place: Place) -> Delivery:
        data = place.mapping(value, ("id", "step", "entries", "placements"), ("route", "form", "selected_from"))
        step = None if data["step"] is None else (place / "step").step(data["step"], len(self.steps))
        found = place / "placements"
        placements = tuple(
            self._placement(each, step, found / index) for index, each in enumerate(found.listed(data["placements"]))
        )
        if "route" in data:
            route = _ROUTES[(place / "route").choice(data["route"], tuple(_ROUTES))]
        else:
            tool = any(placement.kind is PlacementKind.TOOL_RESULT for placement in placements)
            route = Route.AGENT if tool else Route.HOST
        found = place / "entries"
        return Delivery(
            id=str(data["id"]),
            entries=tuple(_entry(each, found / index) for index, each in enumerate(found.listed(data["entries"]))),
            placements=placements,
            call=None if step is None else f"call-{step}",
            route=route,
            form=str(data.get("form", "")),
            selected_from=tuple(str(each) for each in (place / "selected_from").listed(data.get("selected_from"))),
        )

    def _placement(self, value: Any, step: int | None, place: Place) -> Placement:
        data = place.mapping(value, ("slot", "message", "text"), ("kind", "proof"))
        kinds = tuple(each.value for each in PlacementKind)
        return Placement(
            slot=str(data["slot"]),
            text=None if data["text"] is None else (place / "text").text(data["text"]),
            kind=PlacementKind((place / "kind").choice(data.get("kind", "message"), kinds)),
            proofs=self._proofs(data, step, place),
        )

    def _proofs(self, data: Mapping[str, Any], step: int | None, place: Place) -> tuple[Proof, ...]:
        """Return what ``proof`` asks for: a pointer where the host message is in the input, else its digest."""
        state = (place / "proof").choice(data.get("proof", "ok"), tuple(_PROOFS))
        key, slot = self._known(data["message"], self.messages, place / "message"), str(data["slot"])
        host = self.messages[key]
        digest = text_digest(host.text if state != "invalid" else f"not: {host.text}")
        sees = () if step is None else self.steps[step - 1]["sees"]
        if key in sees:
            last = len(sees) - 1 - list(reversed(sees)).index(key)
            proof = Proof(slot, digest, pointer=f"/messages/{last}/content")
        else:
            proof = Proof(slot, digest, message=host.digest)
        return (proof,) * _PROOFS[state]


def _tool_call(step: int, index: int) -> str:
    return f"tool-{step}-{index}"


def _arguments(value: Any, place: Place) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except TypeError as error:
        raise place.error(f"not JSON: {error}", mend="put quotes around dates and times") from None


def _entry(value: Any, place: Place) -> Entry:
    names = ("item", "value", "namespace", "scheme", "version", "digest", "key", "local_version")
    data = place.mapping(value, (), names)
    found = {name: None if data.get(name) is None else (place / name).text(data[name]) for name in names}
    return Entry(
        item=found["item"],
        value=found["value"],
        namespace=found["namespace"] or "",
        scheme=found["scheme"] or "",
        version=found["version"],
        digest=found["digest"],
        key=found["key"],
        local_version=found["local_version"],
    )
