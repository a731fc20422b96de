"""Every call with which a record is written fails and is killed in turn: no accepted answer is lost or asked again."""

import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from pytest_memuse.judging import Judgment
from pytest_memuse.judging.llm import RunLimits, SpanJudgment
from pytest_memuse.judging.llm.conversation import Reply, Request
from pytest_memuse.judging.llm.records import JudgmentRecords
from pytest_memuse.judging.run import judge_episodes
from pytest_memuse.model import Episode, MemuseError
from tests.judging.evidence_cases import package, simple
from tests.judging.llm.behaviours import ScriptClient, judge_of
from tests.judging.llm.endpoint import modest
from tests.storage.faults import APPENDING, calls_of, fail_at, kill_at

EPISODES = [
    replace(simple(f"Wait {number} s between retries."), id=f"E{number}", arc=f"arc {number // 2}")
    for number in range(3)
]
"""Two of one arc, so that its files are made by the first and grow by the second, and one of another."""

EVIDENCE = {package(episode).digest: episode for episode in EPISODES}

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is killed by forking it first")


class Numbered(ScriptClient):
    """Gives every conversation an answer that no other one has, and writes down what it was asked about."""

    def __init__(self, name: str) -> None:
        super().__init__(modest)
        self.name = name
        self.answers = 0
        self.about: list[str] = []

    def ask(self, request: Request) -> Reply:
        reply = super().ask(request)
        content = reply.message["content"]
        if not content:
            return reply
        self.answers += 1
        self.about.append(str(request.messages[2]["content"]))
        answer = {**json.loads(content), "summary": f"{self.name}-{self.answers}"}
        return replace(reply, message={**reply.message, "content": json.dumps(answer)})


class Told:
    """Records that write down, outside of the folder, which answers they were returned for."""

    def __init__(
        self, records: JudgmentRecords, told: Path, spans: int, after: Callable[[int], None] = lambda _: None
    ) -> None:
        self.records = records
        self.unsought = spans
        self.sought = threading.Event()
        self.told = told
        self.count = 0
        self.after = after

    def find(self, *arguments: Any) -> SpanJudgment | None:
        try:
            found = self.records.find(*arguments)
            self.unsought -= 1
        except BaseException:
            self.unsought = 0
            raise
        finally:
            if self.unsought <= 0:
                self.sought.set()
        return found

    def accepted(self, episode: Episode, outcome: SpanJudgment) -> None:
        # One thread reads and another writes: what is counted is to come in the same order in every run.
        assert self.sought.wait(60)
        self.records.accepted(episode, outcome)
        assert outcome.judgment is not None
        with self.told.open("a") as file:
            file.write(json.dumps([outcome.evidence, outcome.judgment.summary]) + "\n")
        self.count += 1
        self.after(self.count)


@dataclass
class Run:
    """The folder of the records, what was said to be kept, and how judges run over it."""

    folder: Path
    told: Path
    parallel: int = 1

    def judge(self, client: Numbered, episodes: list[Episode] = EPISODES, **options: Any) -> dict[str, Judgment | None]:
        asked = judge_of(client, run=RunLimits(parallel=self.parallel))
        records = Told(JudgmentRecords(self.folder, asked.identity), self.told, len(episodes), **options)
        judged = judge_episodes(asked.with_records(records), episodes)
        return {package(episode).digest: found.judgments["S1"] for episode, found in judged}

    def returned(self) -> dict[str, str]:
        """Return the answers that were said to be kept, the last one of each evidence."""
        if not self.told.exists():
            return {}
        return dict(json.loads(line) for line in self.told.read_text().splitlines())

    def on_disk(self) -> dict[str, str]:
        """Return the answers whose lines are whole on disk, read by hand; a torn line is not."""
        found = {}
        for path in self.folder.rglob("*.jsonl"):
            if path.name.endswith(".conversation.jsonl"):
                continue
            for line in path.read_bytes().split(b"\n")[1:]:
                try:
                    data = json.loads(line)
                except ValueError:
                    continue
                found[data["evidence"]] = data["judgment"]["summary"]
        return found

    def check_files(self) -> None:
        """Check that all lines are whole, none stands there twice, and that every message which one names is there."""
        for path in self.folder.rglob("*"):
            assert path.is_dir() or path.suffix == ".jsonl", path
        paths = [path for path in self.folder.rglob("*.jsonl") if not path.name.endswith(".conversation.jsonl")]
        for path in paths:
            answers = _lines(path)
            messages = _lines(path.with_name(f"{path.stem}.conversation.jsonl"))
            digests = [line["digest"] for line in messages[1:]]
            assert (answers[0]["kind"], messages[0]["kind"]) == ("judgments", "conversation")
            assert len(set(digests)) == len(digests)
            keys = [(line["episode"], line["evidence"], line["judgment"]["summary"]) for line in answers[1:]]
            assert len(set(keys)) == len(keys)
            assert {digest for line in answers[1:] for digest in line["messages"]} <= set(digests)

    def check_resumed(self) -> None:
        """Start again after whatever happened, and check that nothing was lost, repeated or left in pieces."""
        kept, said = self.on_disk(), self.returned()
        assert said.items() <= kept.items()
        client = Numbered("second")
        found = self.judge(client)
        assert client.answers == len(EVIDENCE) - len(kept)
        summaries = {evidence: judgment.summary if judgment else None for evidence, judgment in found.items()}
        assert summaries.keys() == EVIDENCE.keys()
        assert {evidence: summaries[evidence] for evidence in kept} == kept
        self.check_files()
        last = Numbered("third")
        assert self.judge(last) == found
        assert last.asked == 0


def _lines(path: Path) -> list[dict[str, Any]]:
    content = path.read_bytes()
    assert content.endswith(b"\n")
    return [json.loads(line) for line in content.splitlines()]


def run_in(folder: Path) -> Run:
    folder.mkdir()
    return Run(folder / "judgments", folder / "told")


def calls(folder: Path) -> list[str]:
    counted = run_in(folder)
    return calls_of(counted.folder, lambda: counted.judge(Numbered("first")), APPENDING)


def test_the_calls_that_are_made_to_fail_are_those_of_writing(tmp_path: Path) -> None:
    found = calls(tmp_path / "counted")
    assert {"mkdir", "open", "flock", "write", "fsync", "close"} <= set(found)
    # An answer, and messages that were not there yet.
    assert found.count("write") == 2 * len(EPISODES)


def fails_at(folder: Path, number: int, *, for_good: bool) -> bool:
    """Let a run fail at its n-th call, and check what the next one makes of it; return whether it ended by it."""
    run = run_in(folder)
    failed, before = False, set(threading.enumerate())
    try:
        fail_at(run.folder, number, lambda: run.judge(Numbered("first")), for_good=for_good, names=APPENDING)
    except MemuseError as error:
        failed = True
        text = str(error)
        assert str(run.folder) in text
        assert "No space left on device" in text
        assert "to mend: " in text
    else:
        # What failed says nothing about what is on disk, such as the closing of a file.
        assert len(run.returned()) == len(EPISODES)
    for thread in set(threading.enumerate()) - before:
        # What was under way when the run ended may still be kept.
        thread.join(30)
    run.check_resumed()
    return failed


def test_each_write_fails_in_turn_and_the_next_run_goes_on_from_what_was_kept(tmp_path: Path) -> None:
    found = calls(tmp_path / "counted")
    writes = [number for number, name in enumerate(found, start=1) if name == "write"]
    # Each is followed by its way to the disk.
    assert {found[number] for number in writes} == {"fsync"}
    for number in writes:
        assert fails_at(tmp_path / f"{number}", number, for_good=False)
        assert fails_at(tmp_path / f"{number} and on", number + 1, for_good=True)


@pytest.mark.long
@pytest.mark.parametrize("for_good", [False, True], ids=["once", "for good"])
def test_each_call_fails_in_turn_and_the_next_run_goes_on_from_what_was_kept(tmp_path: Path, for_good: bool) -> None:
    count = len(calls(tmp_path / "counted"))
    failed = [number for number in range(1, count + 1) if fails_at(tmp_path / f"{number}", number, for_good=for_good)]
    assert len(failed) >= 5 * len(EPISODES)


def killed_at(folder: Path, number: int) -> None:
    run = run_in(folder)
    kill_at(run.folder, number, lambda: run.judge(Numbered("first")), APPENDING)
    run.check_resumed()


@forks
def test_a_run_that_is_killed_at_a_write_or_right_after_it_goes_on_from_what_was_kept(tmp_path: Path) -> None:
    found = calls(tmp_path / "counted")
    writes = [number for number, name in enumerate(found, start=1) if name == "write"]
    for number in (writes[0], writes[1], writes[1] + 1, writes[2], writes[3], writes[3] + 1):
        killed_at(tmp_path / f"{number}", number)


@forks
@pytest.mark.long
def test_a_run_that_is_killed_at_each_call_in_turn_goes_on_from_what_was_kept(tmp_path: Path) -> None:
    for number in range(1, len(calls(tmp_path / "counted")) + 1):
        killed_at(tmp_path / f"{number}", number)


@forks
def test_an_answer_that_was_whole_on_disk_when_the_run_was_killed_is_not_asked_for_again(tmp_path: Path) -> None:
    run = run_in(tmp_path / "run")
    found = calls(tmp_path / "counted")
    second_write = [number for number, name in enumerate(found, start=1) if name == "write"][1]
    kill_at(run.folder, second_write + 1, lambda: run.judge(Numbered("first")), APPENDING)
    # It had not returned, and its line was there.
    assert run.returned() == {}
    assert list(run.on_disk().values()) == ["first-1"]
    client = Numbered("second")
    run.judge(client)
    assert client.answers == len(EPISODES) - 1
    assert run.on_disk()[package(EPISODES[0]).digest] == "first-1"


@forks
def test_two_processes_that_judge_the_same_arcs_at_once_lose_and_mix_nothing(tmp_path: Path) -> None:
    run = run_in(tmp_path / "run")
    told = {name: tmp_path / name for name in ("one", "two")}
    context = multiprocessing.get_context("fork")

    def judge(name: str) -> None:
        Run(run.folder, told[name], parallel=2).judge(Numbered(name))

    processes = [context.Process(target=judge, args=(name,)) for name in told]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    run.check_files()
    said = [
        tuple(json.loads(line)) for path in told.values() if path.exists() for line in path.read_text().splitlines()
    ]
    stored = [
        (line["evidence"], line["judgment"]["summary"])
        for path in run.folder.rglob("arc*.jsonl")
        if not path.name.endswith(".conversation.jsonl")
        for line in _lines(path)[1:]
    ]
    assert sorted(stored) == sorted(said)
    client = Numbered("third")
    found = run.judge(client)
    assert client.asked == 0
    assert {(evidence, judgment.summary) for evidence, judgment in found.items() if judgment} <= set(said)


@forks
def test_ctrl_c_in_the_middle_of_a_run_keeps_what_was_accepted(tmp_path: Path) -> None:
    run = run_in(tmp_path / "run")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1

        class Hanging(Numbered):
            """Says, once two answers were accepted, that it hangs, and hangs."""

            def ask(self, request: Request) -> Reply:
                if len(run.returned()) == 2:
                    os.write(writing, b"x")
                    threading.Event().wait(60)
                return super().ask(request)

        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            run.judge(Hanging("first"))
        except KeyboardInterrupt:
            code = 130
        finally:
            os._exit(code)
    assert os.read(reading, 1) == b"x"
    os.kill(child, signal.SIGINT)
    _, status = os.waitpid(child, 0)
    os.close(reading)
    os.close(writing)
    assert os.waitstatus_to_exitcode(status) == 130
    assert sorted(run.returned().values()) == ["first-1", "first-2"]
    assert run.on_disk() == run.returned()
    run.check_resumed()
