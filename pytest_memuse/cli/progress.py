"""How far a command that is being recorded has come: calls, tokens, seconds."""

from collections.abc import Callable
from typing import TextIO

from pytest_memuse.model.errors import printable
from pytest_memuse.recording.dialects import read_call
from pytest_memuse.recording.recording import Exchange

_TERMINAL_SECONDS = 0.2
_PLAIN_SECONDS = 10.0


class CallCounter:
    """Counts a recorder's model calls as they come, and tells of them; a `recording.meter.Meter`.

    On a terminal one line is written over, elsewhere a plain line now and then. ``clock`` gives seconds.
    """

    def __init__(self, out: TextIO, clock: Callable[[], float], *, terminal: bool) -> None:
        self._out = out
        self._clock = clock
        self._terminal = terminal
        self._begun = self._told = clock()
        self.exchanges = 0
        self.calls = 0
        self._failed = 0
        self._tokens = 0
        self._unreported = 0

    def allow(self) -> None:
        """Let every call through."""

    def count(self, exchange: Exchange) -> None:
        """Take an exchange into account, and tell of it where it is time to."""
        self.exchanges += 1
        if exchange.actor is not None:
            self.calls += 1
            if 200 <= exchange.status < 300:
                usage = read_call(exchange).usage
                self._tokens += (usage.input or 0) + (usage.output or 0)
                self._unreported += usage.input is None and usage.output is None
            else:
                self._failed += 1
        now = self._clock()
        if now - self._told >= (_TERMINAL_SECONDS if self._terminal else _PLAIN_SECONDS):
            self._told = now
            self._out.write(f"\r\x1b[Kmemuse: {self.told()}" if self._terminal else f"memuse: {self.told()}\n")
            self._out.flush()

    def say(self, text: str) -> None:
        """Write a line that stays."""
        self._out.write(("\r\x1b[K" if self._terminal else "") + f"memuse: {printable(text, 1000)}\n")
        self._out.flush()

    def told(self) -> str:
        """Return what has been counted, in words. Calls that report no tokens are named, since theirs are unknown."""
        parts = [f"{self.calls:,} call{'' if self.calls == 1 else 's'}"]
        if self._failed:
            parts[0] += f" ({self._failed:,} failed)"
        tokens = f"{self._tokens:,} tokens"
        if self._unreported:
            tokens += f" in {self.calls - self._failed - self._unreported:,} of them, the others report none"
        return ", ".join([*parts, tokens, f"{self._clock() - self._begun:.1f} s"])
