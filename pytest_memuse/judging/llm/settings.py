"""How a judge's conversations are held: limits, sampling, retries (MemUse A.3.2, A.5.3)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from pytest_memuse.model import MemuseError


class SchemaUse(StrEnum):
    """With which requests the JSON schema of the answer is sent.

    *always*: with every one; the endpoint must take tools and a schema together. *forced*: only where no tools are
    offered. *auto*: always to the APIs that are known to take both, forced where the model takes a schema at all.
    """

    AUTO = "auto"
    ALWAYS = "always"
    FORCED = "forced"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class ConversationLimits:
    """What bounds one conversation. Of the paper's table of these settings (Table 6) only the caption survives.

    That every call counts, the forced final answer included, is the caption's; the numbers are our reading of A.6.8:
    5.06 calls a span on average and few forced answers (19 of 15,271 spans) call for a limit well above the average.
    The context is what a model must hold, in tokens; it is a fixed number and not the model's own, so that judges of
    different models see the same. ``overhead`` covers what the runtime adds to messages, ``output`` the answer, its
    reasoning included; both are kept free (A.3.2). ``tools`` bounds the tool calls of one round that are carried out.
    """

    calls: int = 24
    follow_ups: int = 4
    context: int = 128_000
    overhead: int = 2_000
    output: int = 16_000
    tools: int = 16
    note_length: int = 600

    def __post_init__(self) -> None:
        for name, least in (("calls", 2), ("follow_ups", 0), ("context", 1_000), ("overhead", 0), ("output", 64)):
            _at_least(name, getattr(self, name), least)
        _at_least("tools", self.tools, 1)
        _at_least("note_length", self.note_length, 1)


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """How requests are sent. Temperature zero and medium reasoning are the paper's (A.5.3).

    ``temperature`` and ``reasoning_effort`` may be None: then nothing is said of them. ``seconds`` is the longest that
    an endpoint may stay silent, while it is connected to and between two parts of its answer. ``retries`` bounds how
    often a request is sent again after a rate limit, an error of the server, a lost connection or silence; waits grow
    from ``first_wait`` and never exceed ``longest_wait`` seconds, whatever a server asks for. ``bounded`` says whether
    the schema bounds strings and lists; None decides by the API. ``more`` goes to LiteLLM as it is.
    """

    temperature: float | None = 0.0
    reasoning_effort: str | None = "medium"
    schema: SchemaUse = SchemaUse.AUTO
    bounded: bool | None = None
    seconds: float = 300.0
    retries: int = 5
    first_wait: float = 1.0
    longest_wait: float = 60.0
    more: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _at_least("retries", self.retries, 0)
        for name in ("seconds", "longest_wait", "first_wait"):
            if not 0 < getattr(self, name) < float("inf"):
                raise MemuseError(f"{name} must be a number of seconds above 0", reason="judge")
        secret = list(_secrets(self.more))
        if secret:
            raise MemuseError(
                f"{secret[0]!r} is no setting of a judge: settings are part of every record",
                reason="judge",
                mend="put keys into the environment variable that LiteLLM reads for this provider",
            )


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What bounds all conversations together. Five spans in parallel are the paper's (A.6.8).

    ``spans`` is how many spans may be asked about, ``dollars``, ``tokens`` (input and output) and ``calls`` what they
    may use. What is under way when one is used up comes to its end; the spans after it are left unjudged, as they are
    where what is bounded is not reported.
    """

    parallel: int = 5
    spans: int | None = None
    dollars: float | None = None
    tokens: int | None = None
    calls: int | None = None

    def __post_init__(self) -> None:
        _at_least("parallel", self.parallel, 1)
        for name in ("spans", "tokens", "calls"):
            if getattr(self, name) is not None:
                _at_least(name, getattr(self, name), 0)
        if self.dollars is not None and not 0 <= self.dollars < float("inf"):
            raise MemuseError(f"dollars must be a number of at least 0, not {self.dollars!r}", reason="judge")


def _secrets(value: Any, levels: int = 8) -> Iterator[str]:
    """Yield the names in settings that stand for something secret, such as headers that carry a key."""
    if isinstance(value, Mapping) and levels:
        for name, inner in value.items():
            plain = str(name).lower().replace("-", "_")
            if any(word in plain for word in _SECRET) or "token" in plain.split("_"):
                yield str(name)
            yield from _secrets(inner, levels - 1)


_SECRET = ("key", "secret", "password", "authorization", "cookie", "credential")


def as_texts(*settings: Any) -> dict[str, str]:
    """Return the fields of settings as texts, for a judge's identity."""
    return {
        each.name: "" if (value := getattr(one, each.name)) is None else str(value)
        for one in settings
        for each in fields(one)
        if each.name != "more"
    }


def _at_least(name: str, value: int, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise MemuseError(f"{name} must be a whole number of at least {least}, not {value!r}", reason="judge")
