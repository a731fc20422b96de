"""What judging has used, and whether another span may be begun."""

import threading
from dataclasses import dataclass, field

from pytest_memuse.judging.llm.outcome import Usage
from pytest_memuse.judging.llm.settings import RunLimits

_PATIENCE = 4
"""So many times the spans that are asked about at once may go without any answer, before the endpoint is given up."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What judging took: spans that were ``asked`` about to an end, spans ``reused`` from records, and usage."""

    asked: int = 0
    reused: int = 0
    usage: Usage = field(default_factory=Usage)

    def since(self, before: "Spent") -> "Spent":
        """Return what was added since; unknown usage stays unknown."""
        now, then = self.usage, before.usage
        usage = Usage(
            now.calls - then.calls,
            None if now.input is None or then.input is None else now.input - then.input,
            None if now.cached is None or then.cached is None else now.cached - then.cached,
            None if now.output is None or then.output is None else now.output - then.output,
            None if now.cost is None or then.cost is None else now.cost - then.cost,
        )
        return Spent(self.asked - before.asked, self.reused - before.reused, usage)


class Spending:
    """Counts spans and usage under limits, for the life of a judge; serves several threads."""

    def __init__(self, limits: RunLimits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._spans = 0
        self._usage = Usage()
        self._asked = self._reused = self._unanswered = 0
        self._stopped = ""

    @property
    def usage(self) -> Usage:
        """What was used so far."""
        with self._lock:
            return self._usage

    @property
    def spent(self) -> Spent:
        """What was used so far, and for how many spans."""
        with self._lock:
            return Spent(self._asked, self._reused, self._usage)

    @property
    def stopped(self) -> str:
        """Why no further span is begun; empty as long as one may be."""
        with self._lock:
            return self._stopped

    def begin(self) -> bool:
        """Count a span that is about to be asked about; False where a limit leaves it unjudged."""
        with self._lock:
            if not self._stopped:
                self._stopped = self._reached()
            if self._stopped:
                return False
            self._spans += 1
            return True

    def count(self, usage: Usage) -> None:
        """Add what a call used."""
        with self._lock:
            self._usage += usage

    def done(self, *, asked: bool) -> None:
        """Count a span that has come to an end: asked about, or taken from a record."""
        with self._lock:
            self._asked += asked
            self._reused += not asked

    def unanswered(self) -> None:
        """Count a span whose request got no answer, retries included; where that is all there ever was, stop."""
        with self._lock:
            self._unanswered += 1
            if not self._usage.calls and self._unanswered >= _PATIENCE * self._limits.parallel:
                why = f"the endpoint has answered nothing, and was asked about {self._unanswered} spans"
                self._stopped = self._stopped or why

    def stop(self, why: str) -> None:
        """Begin no further span."""
        with self._lock:
            self._stopped = self._stopped or why

    def _reached(self) -> str:
        limits, used = self._limits, self._usage
        if limits.spans is not None and self._spans >= limits.spans:
            return f"the limit of {limits.spans} spans is reached"
        if limits.calls is not None and used.calls >= limits.calls:
            return f"the budget of {limits.calls} calls is used up"
        if limits.tokens is not None:
            if used.input is None or used.output is None:
                return "the budget of tokens cannot be measured: the endpoint reports none; give it in calls"
            if used.input + used.output >= limits.tokens:
                return f"the budget of {limits.tokens} tokens is used up"
        if limits.dollars is not None:
            if used.cost is None:
                return "the budget of money cannot be measured: the price of a call is unknown; give it in calls"
            if used.cost >= limits.dollars:
                return f"the budget of {limits.dollars:.2f} USD is used up"
        return ""
