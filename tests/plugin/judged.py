"""A project whose suite is judged by a scripted model, and the records that its judge keeps."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_memuse.judging.llm.conversation import Reply, Request
from pytest_memuse.judging.llm.failures import Failure, FailureKind
from pytest_memuse.judging.llm.outcome import Usage
from tests.judging.llm.endpoint import modest
from tests.plugin.project import Project, Ran

_JUDGE = """

@pytest.fixture(scope="session")
def memuse_judge():
    from dataclasses import replace

    from pytest_memuse.judging.llm import ConversationLimits, LlmJudge, RequestSettings, RunLimits
    from tests.plugin.judged import client_of

    spans = os.environ.get("SPANS")
    judge = LlmJudge(
        "openai/scripted",
        api_base="http://127.0.0.1:9/v1",
        requests=RequestSettings(retries=0),
        run=RunLimits(spans=None if spans is None else int(spans)),
        client=client_of(os.environ),
    )
    # Another version of the rubric, as a later release has it.
    judge._rubric = replace(judge._rubric, version=os.environ.get("RUBRIC", judge._rubric.version))
    return judge
"""

_TESTS = """
import sys

import pytest

opened = []
sys.addaudithook(lambda event, given: opened.append(given[1]) if event == "socket.connect" else None)


@pytest.mark.memuse(suite="shop", arcs="arcs.yaml")
def test_what_was_judged(memuse):
    counts = memuse.profile().triage_counts
    print("\\nCOUNTS", {name: count for name, count in counts.items() if count})
    print("IMPORTED", "litellm" in sys.modules, "OPENED", opened)


@pytest.mark.memuse(suite="shop", arcs="arcs.yaml")
def test_relevance(memuse):
    assert memuse.profile().relevance_share > 0.1
"""


class ScriptedClient:
    """Answers as `modest` does, with these values for every entry; a line of a file tells each request."""

    def __init__(self, asked: Path, answers: Mapping[str, Any]) -> None:
        self._asked = asked
        self._answers = answers

    def ask(self, request: Request) -> Reply:
        with self._asked.open("a") as file:
            file.write(f"{len(request.messages)}\n")
        if self._answers.get("fails"):
            raise Failure(FailureKind.REFUSED, "the model is not at home")
        turn = modest({"messages": request.messages, **({"tools": True} if request.tools else {})})
        message: dict[str, Any] = {"role": "assistant", "content": turn.text}
        if turn.calls:
            message["tool_calls"] = [
                {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
                for n, (name, arguments) in enumerate(turn.calls, start=1)
            ]
        else:
            answer = json.loads(turn.text)
            for row in answer["assessments"]:
                row.update(self._answers)
            message["content"] = json.dumps(answer)
        return Reply(message, Usage(1, 1_000, 500, 20, 0.001))


def client_of(environment: Mapping[str, str]) -> ScriptedClient | None:
    """Return the client that the environment asks for; None leaves it to LiteLLM, at an address where nobody is."""
    if "ANSWERS" not in environment:
        return None
    return ScriptedClient(Path(environment["ASKED"]), json.loads(environment["ANSWERS"]))


def make_judged(project: Project) -> Project:
    """Give a recorded project a judge that asks a model, and tests of what it says."""
    conftest = project.folder / "conftest.py"
    conftest.write_text(conftest.read_text() + _JUDGE)
    (project.folder / "test_shop.py").write_text(_TESTS)
    return project


def judged(
    project: Project, *arguments: str, answers: Mapping[str, Any] | None = None, **environment: str
) -> tuple[Ran, int]:
    """Run pytest with a model that answers; return the run, and how often the model was asked."""
    asked = project.folder / ".asked"
    asked.unlink(missing_ok=True)
    ran = project.run("-s", *arguments, ANSWERS=json.dumps(answers or {}), ASKED=str(asked), **environment)
    return ran, len(asked.read_text().splitlines()) if asked.exists() else 0


def unasked(project: Project, *arguments: str, **environment: str) -> Ran:
    """Run pytest where no model can be asked, and no key is known."""
    kept = {name: "" for name in os.environ if name.endswith("_API_KEY")}
    return project.run("-s", *arguments, **kept, **environment)


def record_files(project: Project) -> dict[str, bytes]:
    """Return the files of judgment records by their paths in the suite's folder."""
    folder = project.folder / "cassettes" / "shop" / "judgments"
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def answer_files(project: Project) -> list[Path]:
    """Return the files of accepted answers, an arc after the other."""
    found = project.folder.glob("cassettes/shop/judgments/*/*.jsonl")
    return sorted(path for path in found if not path.name.endswith(".conversation.jsonl"))


def change_answer(path: Path, **changes: Any) -> str:
    """Change the first entry's values in the first answer of a file, as an editor would; return whose answer it is."""
    number = 1  # The header comes first.
    lines = path.read_text().splitlines(keepends=True)
    line = json.loads(lines[number])
    line["judgment"]["assessments"][0].update(changes)
    lines[number] = json.dumps(line) + "\n"
    path.write_text("".join(lines))
    return f"episode {line['episode']}, span {line['span']}"


def drop_answer(path: Path) -> None:
    """Remove the last answer of a file."""
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
