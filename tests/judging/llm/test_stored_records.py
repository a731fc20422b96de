"""Records that earlier releases have written are read, and those of branches can be merged."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_memuse.judging.llm.kept import KeptAnswer
from pytest_memuse.judging.llm.records import JudgmentRecords, kept_judges
from tests.judging.evidence_cases import package, simple
from tests.judging.llm.behaviours import ScriptClient, judge_of
from tests.judging.llm.endpoint import Turn, assessed, in_turn, modest, says
from tests.judging.llm.judging import EPISODE, READ, judged, outcome_of
from tests.judging.llm.needs import need_litellm
from tests.judging.llm.stored_outcome import EPISODE as STORED
from tests.judging.llm.stored_outcome import FOLDERS, IDENTITY, OUTCOME

FORMATS = sorted(path.name for path in FOLDERS.iterdir())


def test_a_folder_of_every_format_is_stored() -> None:
    assert FORMATS == ["format-1"]


@pytest.mark.parametrize("name", FORMATS)
def test_records_of_every_format_are_read(name: str) -> None:
    (records,) = kept_judges(FOLDERS / name)
    assert records.identity == IDENTITY
    (arc,) = records.arcs()
    (kept,) = records.all(arc)
    assert (arc, kept.episode) == (STORED.arc, STORED.id)
    assert records.whole(arc, kept) == OUTCOME


@pytest.mark.parametrize("name", FORMATS)
def test_records_of_every_format_are_added_to(name: str, tmp_path: Path) -> None:
    shutil.copytree(FOLDERS / name, tmp_path / "records")
    records = JudgmentRecords(tmp_path / "records", IDENTITY)
    another = replace(OUTCOME, evidence="f" * 32)
    records.accepted(STORED, another)
    answers = [each.outcome.evidence for each in JudgmentRecords(tmp_path / "records", IDENTITY).all(STORED.arc)]
    assert answers == [OUTCOME.evidence, another.evidence]
    assert records.conversation(STORED, another) == another


def test_what_is_written_today_is_what_is_stored_of_the_latest_format(tmp_path: Path) -> None:
    JudgmentRecords(tmp_path, IDENTITY).accepted(STORED, OUTCOME)
    written = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.jsonl")}
    latest = FOLDERS / FORMATS[-1]
    assert written == {path.relative_to(latest): path.read_bytes() for path in latest.rglob("*.jsonl")}
    assert len(written) == 2


def test_a_kept_answer_has_no_messages_and_names_them_all() -> None:
    kept = KeptAnswer.of("E1", OUTCOME)
    assert kept.outcome.messages == ()
    assert [rollback.messages for rollback in kept.outcome.rollbacks] == [(), ()]
    assert len(kept.digests) == 7


@pytest.mark.long
def test_records_of_two_branches_are_merged_by_git_line_by_line(tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("git is what merges here")

    def git(*arguments: str) -> None:
        own = ["git", "-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false"]
        subprocess.run([*own, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    (tmp_path / ".gitattributes").write_text("**/*.jsonl merge=union\n")
    git("add", ".")
    git("commit", "-qm", "begun")
    outcomes = {}
    for number in (1, 2):
        git("checkout", "-qb", f"branch-{number}", "main")
        episode = replace(simple(f"Wait {number} s."), id=f"E{number}")
        outcomes[number] = episode, outcome_of(judge_of(ScriptClient(modest)), episode)
        JudgmentRecords(tmp_path / "records", IDENTITY).accepted(*outcomes[number])
        git("add", ".")
        git("commit", "-qm", f"judged {number}")
    git("merge", "-q", "branch-1")
    merged = JudgmentRecords(tmp_path / "records", IDENTITY)
    for episode, accepted in outcomes.values():
        found = merged.find(episode, "S1", package(episode))
        assert found is not None
        assert merged.conversation(episode, found) == accepted


@pytest.mark.parametrize(
    ("block", "kept"),
    [
        ('"thinking": "I think \\ud83d"', True),
        ('"thinking": "", "cache_control": ' + '{"a":' * 200 + "1" + "}" * 200, False),
        ('"thinking": "", "cache_control": {"a": NaN}', False),
        ('"thinking": "' + "x" * 500_000 + '"', False),
    ],
    ids=["in bounds", "too deep", "no number", "too long"],
)
def test_what_a_provider_adds_to_its_messages_is_kept_where_a_record_can_hold_it(
    block: str, kept: bool, tmp_path: Path
) -> None:
    need_litellm()
    message = json.dumps({"role": "assistant", "content": assessed()})
    blocks = f'{{"type":"thinking","signature":"s",{block}}}'
    body = '{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop",'
    answer = Turn(body=f'{body}"message":{message[:-1]},"thinking_blocks":[{blocks}]}}}}]}}'.encode())
    with judged(in_turn(READ, answer, says(assessed())), retries=0) as (found, _):
        pass
    assert found.accepted
    assert ("thinking_blocks" in found.messages[-1]) == kept
    records = JudgmentRecords(tmp_path, IDENTITY)
    records.accepted(EPISODE, found)
    again = JudgmentRecords(tmp_path, IDENTITY)
    assert again.conversation(EPISODE, again.find(EPISODE, "S1", package(EPISODE)) or found) == found
