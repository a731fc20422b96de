"""Binding a delivery to the request that carries it: placements are proven there, or fail for a reason that is told.

A proof names one message of the request, and the placement's text must stand in it exactly once (MemUse A.1.1, A.1.3).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from pytest_memuse.model.digests import text_digest
from pytest_memuse.recording.placements import Host
from pytest_memuse.recording.recording import DeliveryNote


class ProofProblem(StrEnum):
    """Why a placement could not be verified against the recorded request."""

    MISSING_MESSAGE = "missing message"
    TEXT_ABSENT = "text absent"
    NOT_UNIQUE = "text not unique"


class UnprovenPlacement(UserWarning):
    """A placement that does not verify against the recorded request, so that no figure will rest on its delivery."""


@dataclass(frozen=True, slots=True)
class Located:
    """Where a placement's text stands: the text as it stands there, and why that is no proof, if it is none."""

    pointer: str | None
    shown: str
    text_digest: str | None
    problem: str = ""


@dataclass(slots=True)
class Pending:
    """A delivery that waits for its call. ``claims`` says, by slot, where the host says that it put the text."""

    number: int
    position: int
    note: DeliveryNote
    claims: dict[str, int | str] = field(default_factory=dict)


def forms(text: str) -> Iterator[str]:
    """Yield a text as a request may hold it: verbatim, and as a JSON string where the harness wrapped it in JSON."""
    yield text
    for escaped in (json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]):
        if escaped != text:
            yield escaped


def bound(waiting: Pending, carrier: int, hosts: Sequence[Host], known: Sequence[Host]) -> DeliveryNote | None:
    """Return the delivery as the exchange ``carrier`` with the messages ``hosts`` carries it, None where it does not.

    ``known`` are the messages of the agent call before it: of several messages that hold the text, one that is new is
    taken. Where the host said in which message it put the text, the delivery is this call's whether that is verified or
    not.
    """
    note = waiting.note
    found: list[Located | None] = []
    for slot, text in ((note.slot, note.text), *((str(p["slot"]), str(p["text"])) for p in note.also)):
        claim = waiting.claims.get(slot)
        if claim is not None:
            found.append(at(hosts, claim, text))
        else:
            found.append(_searched(hosts, slot, text, note.tool_call_id, known))
    if all(located is None for located in found):
        return None
    first, *others = (located or _absent(text) for located, text in zip(found, _texts(note), strict=True))
    also = tuple(
        {**_plain(located), "slot": str(placed["slot"])} for located, placed in zip(others, note.also, strict=True)
    )
    return replace(
        note,
        text=first.shown,
        exchange=carrier,
        pointer=first.pointer,
        text_digest=first.text_digest,
        problem=str(first.problem),
        also=also,
    )


def at(hosts: Sequence[Host], place: int | str, text: str) -> Located:
    """Verify that a text stands, once, in the message that an index or a JSON pointer names.

    An index counts the messages as the model reads them, from the end where it is negative. A pointer may name a
    message or its content.
    """
    host = _named(hosts, place)
    if host is None:
        pointer = place if isinstance(place, str) else f"/messages/{place}"
        return Located(pointer, text, None, ProofProblem.MISSING_MESSAGE)
    whole = host.text
    shown = next((form for form in forms(text) if form and form in whole), None)
    if shown is None:
        return Located(host.pointer, text, text_digest(whole), ProofProblem.TEXT_ABSENT)
    return _located(host, shown)


def _searched(
    hosts: Sequence[Host], slot: str, text: str, tool_call_id: str | None, known: Sequence[Host]
) -> Located | None:
    """Find a text in the tool result that it was given as, else in the messages that are no tool results."""
    candidates: list[tuple[Host, str]] = []
    for host in hosts:
        if host.tool_call_id != tool_call_id:
            continue
        shown = next((form for form in forms(text) if form and form in host.text), None)
        if shown is not None:
            candidates.append((host, shown))
    if not candidates:
        return None
    if len(candidates) > 1:
        old = {_content(host) for host in known}
        candidates.sort(key=lambda found: (_content(found[0]) in old, found[0].role != slot))
    return _located(*candidates[0])


def _located(host: Host, shown: str) -> Located:
    whole = host.text
    once = whole.find(shown, whole.find(shown) + 1) < 0
    return Located(host.pointer, shown, text_digest(whole), "" if once else ProofProblem.NOT_UNIQUE)


def _content(host: Host) -> tuple[str, str, str | None]:
    return (host.role, host.text, host.tool_call_id)


def _named(hosts: Sequence[Host], place: int | str) -> Host | None:
    if isinstance(place, str):
        return next((host for host in hosts if place in (host.pointer, host.pointer.removesuffix("/content"))), None)
    return hosts[place] if -len(hosts) <= place < len(hosts) else None


def _absent(text: str) -> Located:
    return Located(None, text, None, ProofProblem.TEXT_ABSENT)


def _texts(note: DeliveryNote) -> list[str]:
    return [note.text, *(str(placed["text"]) for placed in note.also)]


def _plain(located: Located) -> Mapping[str, Any]:
    found = {
        "text": located.shown,
        "pointer": located.pointer,
        "text_digest": located.text_digest,
        "problem": str(located.problem),
    }
    return {name: value for name, value in found.items() if value or name == "text"}
