"""A scripted judge that does not say the same twice."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from threading import Lock
from typing import Any

from tests.judging.llm.endpoint import Turn, modest


class Wavering:
    """Reads and answers as `modest` does, and finds every entry relevant and irrelevant in turn, judging by judging.

    ``alike`` is how many of the spans look the same to it, all of which are judged before the first is judged again.
    """

    def __init__(self, alike: int = 1) -> None:
        self.alike = alike
        self.answers: Counter[str] = Counter()
        """Answers by the opening of their conversation."""
        self._lock = Lock()

    def __call__(self, request: Mapping[str, Any], _: int = 0) -> Turn:
        turn = modest(request)
        if turn.calls:
            return turn
        with self._lock:
            opening = str(request["messages"][1:3])
            relevant = self.answers[opening] // self.alike % 2 == 0
            self.answers[opening] += 1
        return turn if relevant else replace(turn, text=turn.text.replace('"relevance": true', '"relevance": false'))
