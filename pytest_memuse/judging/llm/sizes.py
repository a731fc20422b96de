"""How much of a model's context messages take: what the provider reported, and an estimate of what came after.

The estimate is for what must fit, so that it errs upwards: three bytes a token, where English text has four characters.
The estimate of delivered tokens (`model.tokens`) is another one and prices nothing here.
"""

from collections.abc import Iterable
from typing import Any

from pytest_memuse.judging.llm.outcome import Usage
from pytest_memuse.model.digests import canonical_json

_BYTES = 3
_OF_A_MESSAGE = 8
"""Tokens that mark where a message begins, who speaks and where it ends."""

_IMPLAUSIBLE = 4
"""A report of less than this share of the estimate counts only a part of the context, such as what was not cached."""


def text_tokens(text: str) -> int:
    """Return the estimated tokens of a text."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES)


def json_tokens(value: Any) -> int:
    """Return the estimated tokens of JSON data, such as the schema of a tool."""
    return text_tokens(canonical_json(value))


def message_tokens(messages: Iterable[Any]) -> int:
    """Return the estimated tokens of messages, with all that goes out with them: calls, identifiers, reasoning."""
    out = 0
    for message in messages:
        content = message.get("content")
        out += _OF_A_MESSAGE + (text_tokens(content) if isinstance(content, str) else json_tokens(content))
        for name in ("tool_calls", "tool_call_id", "thinking_blocks", "reasoning_content"):
            out += json_tokens(message[name]) if message.get(name) else 0
    return out


def reported_input(usage: Usage, estimate: int) -> int:
    """Return the tokens of a request as reported where that is plausible, else the estimate."""
    if usage.input is None or usage.input * _IMPLAUSIBLE < estimate:
        return estimate
    return usage.input


def reported_output(usage: Usage, estimate: int) -> int:
    """Return the tokens of a response as reported where that is plausible, else the estimate.

    What it reasoned counts as long as it is last.
    """
    if usage.output is None or usage.output * _IMPLAUSIBLE < estimate:
        return estimate
    return usage.output
