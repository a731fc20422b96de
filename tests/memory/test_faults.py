"""Planted faults."""

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_memuse.memory.faults import Outage
from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.model import OperationKind
from pytest_memuse.recording.rendered import Change, Rendered


class Whole:
    """A memory system that works, and says what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def identity(self) -> Mapping[str, str]:
        return {"name": "whole"}

    def recall(self, query: str, *, scope: str) -> Rendered:
        self.asked.append("recall")
        return Rendered(text="something")

    def tool(self) -> Mapping[str, Any]:
        return {"name": "box"}

    def call_tool(self, arguments: Mapping[str, Any], *, scope: str) -> Rendered:
        self.asked.append(str(arguments["action"]))
        return Rendered(text="done")

    def extract(self, messages: Sequence[Mapping[str, str]], *, scope: str) -> Sequence[Change]:
        self.asked.append("extract")
        return (Change(OperationKind.CREATE, "1", "text"),)

    def close(self) -> None:
        self.asked.append("close")


def test_an_outage_delivers_nothing_and_reaches_no_store() -> None:
    whole = Whole()
    outage = Outage(whole)
    assert outage.recall("q", scope="s").text == ""
    found = outage.call_tool({"action": "search", "query": "q"}, scope="s")
    assert (found.text, found.entries, found.failed) == ("No memories found.", (), False)
    assert whole.asked == []


def test_an_outage_still_writes_and_names_itself() -> None:
    whole = Whole()
    outage = Outage(whole)
    assert isinstance(outage, MemorySystem)
    assert outage.call_tool({"action": "add", "text": "t"}, scope="s").text == "done"
    assert len(outage.extract([{"role": "user", "content": "x"}], scope="s")) == 1
    outage.close()
    assert whole.asked == ["add", "extract", "close"]
    assert outage.identity() == {"name": "whole", "fault": "outage"}
    assert outage.tool() == {"name": "box"}
