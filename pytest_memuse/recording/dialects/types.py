"""What the readers of the APIs give: a request, an answer, a whole call, in the project's terms."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from pytest_memuse.model import Message, Usage


class Api(StrEnum):
    """The APIs that are read, each named by the end of its path."""

    CHAT = "/chat/completions"
    RESPONSES = "/responses"
    ANTHROPIC = "/messages"
    EMBEDDINGS = "/embeddings"


class Exchanged(Protocol):
    """What is read of a recorded exchange (`recording.Exchange`)."""

    @property
    def uri(self) -> str: ...
    @property
    def request(self) -> Any: ...
    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def response(self) -> Any: ...


class Readings:
    """What was read of the values of one recording, so that a value is read once however many requests hold it.

    A conversation's requests repeat its earlier messages, and a recording gives equal ones as one object. Values are
    told apart as objects and kept, so that none of them passes for another; they must not be changed meanwhile.
    """

    def __init__(self) -> None:
        self._found: dict[int, tuple[object, Message]] = {}
        self._pointers: list[str] = []

    def pointers(self, number: int) -> tuple[str, ...]:
        """Return the pointers to the contents of so many messages."""
        self._pointers += [f"/messages/{place}/content" for place in range(len(self._pointers), number)]
        return tuple(self._pointers[:number])

    def known(self, raw: object) -> Message | None:
        """Return the message that was read of a value already."""
        found = self._found.get(id(raw))
        return None if found is None else found[1]

    def message(self, raw: object, read: Callable[[], Message]) -> Message:
        """Return the message that ``read`` gives of a value, from before where the value was read already."""
        found = self._found.get(id(raw))
        if found is None:
            found = self._found[id(raw)] = (raw, read())
        return found[1]


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """The messages of a request in the order in which the model reads them.

    ``pointers`` holds, for each message, the JSON pointer to what its text was read from, in the request as it was
    sent. ``whole`` is False where the request does not hold its whole input, or holds what cannot be read. ``previous``
    names the response whose conversation this request goes on with; the first ``instructions`` messages (0 or 1) stand
    before that conversation and are not carried on by the next request. ``failures`` says of tool calls, by identifier,
    whether the harness reported that the tool failed.
    """

    messages: tuple[Message, ...] = ()
    pointers: tuple[str, ...] = ()
    whole: bool = True
    previous: str | None = None
    instructions: int = 0
    failures: Mapping[str, bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """What came back. ``message`` is None where no whole answer came; ``cost`` is in US dollars as reported.

    ``edited`` is set where the answer says that the provider removed something from the input before the model read it.
    """

    message: Message | None = None
    id: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    edited: bool = False


@dataclass(frozen=True, slots=True)
class Folded:
    """A stream, put together to the body that the same call would have had without streaming.

    ``ended`` is False where the stream broke off before its answer was whole, or ended in an error.
    """

    body: Mapping[str, Any]
    ended: bool


@dataclass(frozen=True, slots=True)
class ReadCall:
    """A model call in the project's terms.

    ``readable`` is False where the request's messages could not be read, or not all of them. ``pointers`` are those of
    `ReadRequest`; a message that only an earlier exchange holds has an empty one. ``cost`` is in US dollars as the
    provider reported it. ``failures`` says of tool calls whether the harness reported a failure.
    """

    messages: tuple[Message, ...]
    response: Message | None
    model: str
    usage: Usage
    readable: bool
    pointers: tuple[str, ...] = ()
    cost: float | None = None
    failures: Mapping[str, bool] = field(default_factory=dict)
