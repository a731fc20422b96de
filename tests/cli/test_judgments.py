"""`memuse judgments`: what kept answers took, what their checks did, and removing what nothing needs."""

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_memuse.cli import main
from pytest_memuse.judging.llm import LlmJudge
from pytest_memuse.judging.llm.conversation import Reply, Request
from pytest_memuse.judging.llm.outcome import Usage
from pytest_memuse.judging.llm.records import JudgmentRecords, kept_judges
from pytest_memuse.judging.run import judge_episodes
from pytest_memuse.model import Episode
from pytest_memuse.model.log import EventLog, write_log
from tests.judging.episodes import recalled
from tests.judging.evidence_cases import simple
from tests.judging.llm.endpoint import assessed
from tests.judging.llm.scripted_client import Client

EPISODES = [
    replace(simple(f"Wait {number} s between retries."), id=f"{arc}/E{number}", arc=arc, suite="shop")
    for arc, number in (("a", 1), ("a", 2), ("b", 3))
]
"""Two arcs, an eligible span an episode."""


class Hasty(Client):
    """Claims before it reads, is sent back, and then leaves open what it claimed."""

    def ask(self, request: Request) -> Reply:
        if len(request.messages) == 3:
            said = {"role": "assistant", "content": assessed(request.entries, novelty="novel")}
            return Reply(said, Usage(1, 1_000, 750, 10, self.cost))
        return super().ask(request)


def judged(folder: Path, client: Client, episodes: Sequence[Episode] = EPISODES, model: str = "openai/a") -> None:
    judge = LlmJudge(model, client=client)
    keeping = judge.with_records(JudgmentRecords(folder, judge.identity))
    deque(judge_episodes(keeping, episodes), maxlen=0)


def log(path: Path, *episodes: Episode) -> Path:
    path.write_text("".join(write_log(EventLog(episodes, suite="shop"))), encoding="utf-8")
    return path


def data(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    assert main(["judgments", "--json", *map(str, arguments)]) == 0
    (found,) = json.loads(capsys.readouterr().out)["judges"].values()
    return dict(found)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    assert main(["judgments", *map(str, arguments)]) == 2
    return capsys.readouterr().err


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*.jsonl")}


def test_records_are_told_by_judge_and_arc_with_what_they_took(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judged(tmp_path, Client())
    judged(tmp_path, Hasty(), EPISODES[:1], "openai/b")
    assert main(["judgments", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    first, second = out.split("\n\n")
    assert ": 3 spans in 2 arcs\n" in first
    assert "judge: llm 1, model openai/a" in first
    (row,) = [line.split() for line in first.splitlines() if line.split()[:1] == ["a"]]
    assert row == ["a", "2", "2.00", "75.0%", "4,000", "40", "0.0400", "0", "–"]
    assert "2.00 calls a span, 75.0% of input cached; 2,000 input and 20.0 output tokens a span; US$ a span: 0.020" in (
        first
    )
    assert "the first answer was accepted in all of 3 spans" in first
    assert "model openai/b" in second
    assert "sent back: 1 of 1 span (1 answer), 1 for incomplete reads" in second
    assert "by reason, which overlap, in spans: unread-mandatory 1, unread-prior 1" in second
    assert "repaired: 1; 1 of 1 with a readable first answer changed a signal (novelty 1)" in second


def test_what_calls_do_not_report_is_unknown_and_never_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judged(tmp_path, Client(cost=None))
    found = data(capsys, tmp_path)
    assert found["all"]["dollars"] == {"total": None, "reported": None, "calls_reporting": 0, "a_span": None}
    assert found["all"]["tokens"]["cached"]["total"] == 4_500
    assert found["arcs"]["b"]["calls_a_span"] == 2
    assert main(["judgments", str(tmp_path)]) == 0
    assert "US$ a span: unknown" in capsys.readouterr().out


def test_the_folder_of_one_judge_and_that_of_a_suite_are_named_as_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judged(tmp_path / "judgments", Client())
    judged(tmp_path / "judgments", Client(), model="openai/b")
    one = kept_judges(tmp_path / "judgments")[0]
    assert data(capsys, one.folder)["judge"]["model"] == one.identity.model
    assert main(["judgments", str(tmp_path), str(one.folder)]) == 0
    assert capsys.readouterr().out.count("judge: llm") == 2
    assert "holds no judgment records" in refused(capsys, tmp_path / "nowhere")
    (shop := tmp_path / "cassettes" / "shop").mkdir(parents=True)
    log(shop / "a.jsonl", EPISODES[0])
    assert "holds no judgment records" in refused(capsys, shop)


def test_pruning_removes_what_no_recording_holds_and_leaves_the_rest_to_the_byte(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = replace(simple("Wait 9 s between retries."), id="a/E2", arc="a", suite="shop")
    kept, alone = tmp_path / "kept", tmp_path / "alone"
    judged(kept, Client())
    judged(alone, Client(), [EPISODES[0], EPISODES[2]])
    left = [log(tmp_path / "a.jsonl", EPISODES[0], changed), log(tmp_path / "b.jsonl", EPISODES[2])]
    assert main(["judgments", str(kept), "--prune", *map(str, left)]) == 0
    out = capsys.readouterr().out
    assert "removed 1 of 2 records of arc a (" in out
    assert "of arc b" not in out
    assert ": 2 spans in 2 arcs" in out
    assert {name: sorted(content.splitlines()) for name, content in files(kept).items()} == {
        name: sorted(content.splitlines()) for name, content in files(alone).items()
    }
    before = files(kept)
    assert main(["judgments", str(kept), "--prune", *map(str, left)]) == 0
    assert "every record is needed: nothing was removed" in capsys.readouterr().out
    assert files(kept) == before


def test_lines_that_stay_are_those_that_stood_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judged(tmp_path / "kept", Hasty())
    before = files(tmp_path / "kept")
    logs = [log(tmp_path / "a.jsonl", EPISODES[1]), log(tmp_path / "b.jsonl", EPISODES[2])]
    found = data(capsys, tmp_path / "kept", "--prune", *logs)
    assert (found["arcs"]["a"]["removed"], found["arcs"]["b"]["removed"], found["all"]["spans"]) == (1, 0, 2)
    after = files(tmp_path / "kept")
    assert (after["b.jsonl"], after["b.conversation.jsonl"]) == (before["b.jsonl"], before["b.conversation.jsonl"])
    for name in ("a.jsonl", "a.conversation.jsonl"):
        lines = before[name].splitlines(keepends=True)
        assert after[name] == b"".join(line for line in lines if line in after[name].splitlines(keepends=True))
        assert 1 < len(after[name].splitlines()) < len(lines)


def test_nothing_is_removed_where_a_recording_cannot_be_read_or_no_record_of_an_arc_would_be_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    judged(kept, Client())
    before = files(kept)
    one = log(tmp_path / "a.jsonl", EPISODES[0])
    (tmp_path / "torn.jsonl").write_text(one.read_text()[:-40])
    assert "torn.jsonl" in refused(capsys, kept, "--prune", one, tmp_path / "torn.jsonl")
    assert "missing.jsonl" in refused(capsys, kept, "--prune", one, tmp_path / "missing.jsonl")
    assert "no record would be left of arc b: " in refused(capsys, kept, "--prune", one)
    assert "--force goes with --prune" in refused(capsys, kept, "--force")
    assert files(kept) == before
    found = data(capsys, kept, "--prune", one, "--force")
    assert (found["arcs"]["a"]["removed"], found["arcs"]["b"]["removed"]) == (1, 1)
    assert set(files(kept)) == {"a.jsonl", "a.conversation.jsonl"}


def test_evidence_is_looked_for_as_the_judge_was_shown_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fact = {"subject": "queue", "value": "orders-eu-north"}
    made = recalled(["the queue is orders-eu-north"], [("Hello.", [])], references=[fact])
    source = log(tmp_path / "all.jsonl", made)
    for reference in (True, False):
        judge = LlmJudge("openai/a", client=Client(), reference=reference)
        keeping = judge.with_records(JudgmentRecords(tmp_path / "kept", judge.identity))
        deque(judge_episodes(keeping, [made]), maxlen=0)
    digests = {kept.outcome.evidence for each in kept_judges(tmp_path / "kept") for kept in each.all(each.arcs()[0])}
    assert len(digests) == 2
    assert main(["judgments", str(tmp_path / "kept"), "--prune", str(source)]) == 0
    assert "every record is needed" in capsys.readouterr().out
