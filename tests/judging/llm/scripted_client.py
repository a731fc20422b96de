"""A scripted judge without HTTP, and records in memory."""

import json
import threading
from typing import Any

from pytest_memuse.judging.evidence import EvidencePackage
from pytest_memuse.judging.llm import SpanJudgment
from pytest_memuse.judging.llm.conversation import Reply, Request
from pytest_memuse.judging.llm.outcome import Usage
from pytest_memuse.model import Episode
from tests.judging.llm.endpoint import modest


class Client:
    """Answers as the modest judge of the endpoint does, without HTTP; each call costs a cent."""

    def __init__(self, cost: float | None = 0.01) -> None:
        self.cost = cost
        self.lock = threading.Lock()
        self.asked = 0
        self.at_once = self.most_at_once = 0
        self.together: threading.Barrier | None = None

    def ask(self, request: Request) -> Reply:
        with self.lock:
            self.asked += 1
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if self.together is not None:
                self.together.wait(10)
            turn = modest({"messages": request.messages, **({"tools": []} if request.tools else {})})
            message: dict[str, Any] = {"role": "assistant", "content": turn.text}
            if turn.calls:
                message["tool_calls"] = [
                    {"id": f"c{n}", "type": "function", "function": {"name": tool, "arguments": json.dumps(given)}}
                    for n, (tool, given) in enumerate(turn.calls)
                ]
            return Reply(message, Usage(1, 1_000, 750, 10, self.cost))
        finally:
            with self.lock:
                self.at_once -= 1


class Kept:
    """Records in memory."""

    def __init__(self) -> None:
        self.outcomes: dict[str, SpanJudgment] = {}

    def find(self, episode: Episode, span: str, package: EvidencePackage) -> SpanJudgment | None:
        return self.outcomes.get(package.digest)

    def accepted(self, episode: Episode, outcome: SpanJudgment) -> None:
        assert outcome.evidence not in self.outcomes
        self.outcomes[outcome.evidence] = outcome
