"""What counts the calls of a recording as they happen, and may end it."""

from typing import Protocol

from pytest_memuse.recording.recording import Exchange


class Meter(Protocol):
    """Is asked before a call goes out and told each one that came back."""

    def allow(self) -> None:
        """Return where another call may be made; raise to end the recording there."""

    def count(self, exchange: Exchange) -> None:
        """Take an exchange into account."""
