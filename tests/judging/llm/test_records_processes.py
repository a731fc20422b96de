"""Real processes that ask a real endpoint are killed and interrupted: the endpoint counts what it is asked again."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_memuse.judging.llm import LlmJudge, RunLimits
from pytest_memuse.judging.llm.records import JudgmentRecords
from pytest_memuse.judging.run import judge_episodes
from tests.judging.evidence_cases import simple
from tests.judging.llm.endpoint import Endpoint, Turn, modest, served
from tests.judging.llm.needs import need_litellm

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="what is killed here ends without a word"),
]
need_litellm()

_PROGRAM = """
import sys
from pathlib import Path

from pytest_memuse.judging.llm import LlmJudge, RunLimits
from tests.judging.llm.test_records_processes import judge_all
from tests.storage.faults import install

url, folder, order = sys.argv[1:]
install([Path(folder)], order)
judge_all(LlmJudge("openai/scripted", api_base=url, run=RunLimits(parallel=1)), Path(folder))
"""

EPISODES = [replace(simple(f"Wait {n} s."), id=f"E{n}", arc="arc") for n in range(4)]


class Scripted:
    """Numbers its answers; hangs before the n-th conversation, if it is told to."""

    def __init__(self, hangs_before: int | None = None) -> None:
        self.conversations = self.answers = 0
        self.hangs_before = hangs_before

    def __call__(self, request: Mapping[str, Any], _: int) -> Turn:
        turn = modest(request)
        if turn.calls:
            self.conversations += 1
            return Turn(hang=True) if self.conversations == self.hangs_before else turn
        self.answers += 1
        return Turn(json.dumps({**json.loads(turn.text), "summary": f"answer-{self.answers}"}))


def start(endpoint: Endpoint, folder: Path, order: str = "") -> "subprocess.Popen[str]":
    environment = {**os.environ, "OPENAI_API_KEY": "sk-not-for-records"}
    command = [sys.executable, "-c", _PROGRAM, endpoint.url, str(folder), order]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)


def stored(folder: Path) -> dict[str, str]:
    """Return the summaries of the answers whose lines are whole on disk, by episode."""
    found = {}
    for path in folder.rglob("arc.jsonl"):
        for line in path.read_bytes().split(b"\n")[1:]:
            try:
                data = json.loads(line)
            except ValueError:
                continue
            found[data["episode"]] = data["judgment"]["summary"]
    return found


def judge_all(judge: LlmJudge, folder: Path) -> dict[str, str]:
    """Judge the episodes of the program here, and return what the answers say of them."""
    records = JudgmentRecords(folder, judge.identity)
    judged = judge_episodes(judge.with_records(records), EPISODES)
    judgments = {episode.id: found.judgments["S1"] for episode, found in judged}
    return {name: judgment.summary for name, judgment in judgments.items() if judgment is not None}


def resumed(endpoint: Endpoint, folder: Path) -> dict[str, str]:
    """Start again over the same records with the same judge."""
    return judge_all(LlmJudge("openai/scripted", api_base=endpoint.url, run=RunLimits(parallel=1)), folder)


def test_a_process_that_is_killed_in_the_middle_of_a_line_asks_again_for_that_answer_alone(tmp_path: Path) -> None:
    folder, script = tmp_path / "records", Scripted()
    with served(script) as endpoint:
        # Each answer's messages are written before its line.
        killed = start(endpoint, folder, "kill:write 4")
        killed.communicate(timeout=300)
        assert (killed.returncode, script.conversations) == (-signal.SIGKILL, 2)
        before = stored(folder)
        assert before == {"E0": "answer-1"}
        (path,) = folder.rglob("arc.jsonl")
        assert not path.read_bytes().endswith(b"\n")
        script.conversations = 0
        said = resumed(endpoint, folder)
    assert script.conversations == 3
    assert stored(folder).items() >= before.items()
    assert said == stored(folder)
    assert path.read_bytes().endswith(b"\n")


def test_a_process_that_is_interrupted_keeps_what_was_accepted_and_ends_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    script = Scripted(hangs_before=3)
    with served(script) as endpoint:
        interrupted = start(endpoint, folder)
        while script.conversations < 3:
            endpoint.asked.wait(1)
            assert interrupted.poll() is None
        interrupted.send_signal(signal.SIGINT)
        _, errors = interrupted.communicate(timeout=60)
        # The request was still under way: nobody has let it go.
        assert not endpoint.release.is_set()
        assert errors.rstrip().endswith("KeyboardInterrupt")
        before = stored(folder)
        assert sorted(before) == ["E0", "E1"]
        script.conversations, script.hangs_before = 0, None
        said = resumed(endpoint, folder)
    assert script.conversations == 2
    assert stored(folder).items() >= before.items()
    assert said == stored(folder)
    assert sorted(said) == ["E0", "E1", "E2", "E3"]
    assert b"sk-not-for-records" not in b"".join(path.read_bytes() for path in folder.rglob("*.jsonl"))
