"""Why a request got no reply, and when it is sent again."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any, TypeVar

from pytest_memuse.judging.llm.settings import RequestSettings
from pytest_memuse.model.errors import inert

_KEY = re.compile(r"\b(?:sk|pk|key|Bearer)[-_ ][\w*.-]{6,}")
_SHOWN = 240
_TRACEBACK = "Traceback (most recent call last)"
"""What LiteLLM puts behind some of its messages; it tells of its source, and of nothing that a user did."""


class FailureKind(StrEnum):
    """*passing*: worth another try. *too-long*: beyond the model's context. *refused*: it will be refused again.

    *unauthorised*: refused because of the key, so that every other request will be, too.
    """

    PASSING = "passing"
    TOO_LONG = "too-long"
    REFUSED = "refused"
    UNAUTHORISED = "unauthorised"


class Failure(Exception):
    """A request without a reply. ``wait`` is how many seconds the endpoint asks to wait, if it does."""

    def __init__(
        self, kind: FailureKind, sentence: str, *, status: int | None = None, wait: float | None = None
    ) -> None:
        super().__init__(sentence)
        self.kind = kind
        self.status = status
        self.wait = wait


def failure_of(error: Exception) -> Failure:
    """Return what an exception of LiteLLM means.

    It is told by its class's name and its status: naming the classes would import them. The text is the endpoint's;
    what looks like a key is left out of it.
    """
    names = {kind.__name__ for kind in type(error).__mro__}
    status = getattr(error, "status_code", None)
    text = _KEY.sub("…", str(error)[:4_000]).partition(_TRACEBACK)[0]
    sentence = f"{type(error).__name__}: {inert(' '.join(text.split()), _SHOWN)}"
    known = status if isinstance(status, int) else None
    if "ContextWindowExceededError" in names:
        return Failure(FailureKind.TOO_LONG, sentence, status=known)
    if known == 401 or "AuthenticationError" in names:
        return Failure(FailureKind.UNAUTHORISED, sentence, status=known)
    if known in (408, 409, 425, 429) or (known is not None and known >= 500) or "APIConnectionError" in names:
        return Failure(FailureKind.PASSING, sentence, status=known, wait=_asked_wait(error))
    return Failure(FailureKind.REFUSED, sentence, status=known)


def _asked_wait(error: Exception) -> float | None:
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    value = headers.get("retry-after") if headers is not None and hasattr(headers, "get") else None
    if not isinstance(value, str):
        return None
    if re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,6})?", value.strip(), re.ASCII):
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value[:60]) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


_Result = TypeVar("_Result")


def with_retries(ask: Callable[[], _Result], settings: RequestSettings, wait: Callable[[float], None]) -> _Result:
    """Return what ``ask`` returns, asked again after passing failures; raise its last `Failure`.

    Waits double from try to try. A wait that the endpoint asks for is kept, up to the longest one.
    """
    for tried in range(settings.retries + 1):
        try:
            return ask()
        except Failure as failure:
            if failure.kind is not FailureKind.PASSING or tried == settings.retries:
                raise
            pause = settings.first_wait * 2**tried
            wait(min(max(pause, failure.wait or 0.0), settings.longest_wait))
    raise AssertionError("the last try returns or raises")
