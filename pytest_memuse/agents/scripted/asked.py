"""The one form in which the scripted model is asked and answers, whichever API carries it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_memuse.model import Message

MODEL_NAME = "memuse-scripted-1"
"""What every response gives as its model, so that no recording passes for one of a real model."""

_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool that a request offers; ``properties`` are those of its parameters."""

    name: str
    properties: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, read. ``only`` is the one tool that may be called, None where every offered one may."""

    messages: tuple[Message, ...]
    offers: tuple[Offer, ...] = ()
    only: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of a reply. ``arguments`` is a JSON object as text."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model says and, where it acts, the one tool call that it makes."""

    text: str
    call: Call | None = None


@dataclass(frozen=True, slots=True)
class Envelope:
    """What a response says beside the reply. ``digest`` is the request's, of which all identifiers are made.

    ``fingerprint`` tells one behaviour of the model from another. ``body`` is the request as it came.
    """

    digest: str
    fingerprint: str
    body: Mapping[str, Any]


def tokens(text: str) -> int:
    """Return an estimate: four characters a token."""
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


def offer_of(tool: Any, *, parameters: str) -> Offer | None:
    """Read an offered tool whose JSON Schema is at ``parameters``; None for what is no function with parameters."""
    if not isinstance(tool, Mapping) or not isinstance(tool.get("name"), str):
        return None
    schema = tool.get(parameters)
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    return Offer(tool["name"], properties) if isinstance(properties, Mapping) else None
