"""What is kept of one response while it passes: its decoded bytes, bounded, and whether a stream has said its last."""

import re

from pytest_memuse.recording.content_codings import ContentDecoder, Unreadable

_LAST_WORDS = re.compile(
    rb"[\r\n](?:data: ?\[DONE\]|event: ?(?:message_stop|error|response\.(?:completed|failed|incomplete)))"
)
_CARRIED = 64
"""Longer than the longest of the last words, so that words that are split across chunks are found."""


class Captured:
    """Collects a response. ``streamed`` says that it is a stream of events, whose last one is looked for."""

    def __init__(self, encoding: str, limit: int, *, streamed: bool) -> None:
        self._parts: list[bytes] = []
        self._streamed = streamed
        self._carried = b"\n"
        self._decoder: ContentDecoder | None = None
        self.wire_bytes = 0
        self.problem = ""
        """Why nothing is kept of the body; empty where it is."""
        self.at_end = False
        """Whether a stream's last event has begun: clients act on it without waiting for the end of the body."""
        try:
            self._decoder = ContentDecoder(encoding, limit)
        except Unreadable as error:
            self.problem = str(error)

    @property
    def body(self) -> bytes | None:
        """What came, decoded; None where it could not be kept."""
        return None if self.problem else b"".join(self._parts)

    def add(self, chunk: bytes) -> None:
        """Take in bytes as they came from the wire."""
        self.wire_bytes += len(chunk)
        if self._decoder is None:
            return
        try:
            plain = self._decoder.feed(chunk)
        except Unreadable as error:
            self.problem, self._decoder = str(error), None
            self._parts.clear()
            return
        self._parts.append(plain)
        if self._streamed and not self.at_end:
            seen = self._carried + plain
            self.at_end = _LAST_WORDS.search(seen) is not None
            self._carried = seen[-_CARRIED:]
