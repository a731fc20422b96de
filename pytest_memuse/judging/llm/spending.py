"""What judging has used, and whether another span may be begun."""

import threading

from pytest_memuse.judging.llm.outcome import Usage
from pytest_memuse.judging.llm.settings import RunLimits


class Spending:
    """Counts spans and usage under limits, for the life of a judge; serves several threads."""

    def __init__(self, limits: RunLimits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._spans = 0
        self._usage = Usage()
        self._stopped = ""

    @property
    def usage(self) -> Usage:
        """What was used so far."""
        with self._lock:
            return self._usage

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
