"""A recording of hostile memory: what the command prints is text, and its JSON reads back the same."""

import json
from pathlib import Path

import pytest

from pytest_memuse.cli import main
from pytest_memuse.cli.reading import read_any
from pytest_memuse.episodes.running import Runner, record_arc
from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.recording.files import save_recording
from pytest_memuse.recording.redaction import Redaction
from tests.episodes.hostile_memory import NOTES, HostileMemory
from tests.episodes.small_world import ARC, chat_agent, rule_model
from tests.hostile_text import dangers
from tests.recording.servers import json_server

NAME = "::error::owned ##[error]owned ##vso[task.x]"


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cassettes") / "owned.jsonl"
    arc = ArcSpec.model_validate({**ARC.model_dump(), "id": NAME})
    with json_server(rule_model) as (base, _):
        memory = lambda folder: HostileMemory(base)  # noqa: E731
        runner = Runner(memory, chat_agent(base), lambda episode: True, path.parent, Redaction())
        save_recording(path, record_arc(NAME, arc, runner))
    return path


@pytest.mark.parametrize("command", [["show"], ["profile", "--all"], ["items"]], ids=lambda command: command[0])
def test_what_is_printed_is_text_and_nothing_else(
    command: list[str], recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, str(recording)]) == 0
    out = capsys.readouterr().out
    assert "owned" in out
    assert dangers(out) == []


@pytest.mark.parametrize("command", [["show"], ["profile"], ["items"]], ids=lambda command: command[0])
def test_json_is_no_command_and_holds_the_texts_as_they_are(
    command: list[str], recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, str(recording), "--json"]) == 0
    out = capsys.readouterr().out
    assert dangers(out, longest=10_000_000) == []
    assert NAME in json.dumps(json.loads(out))


def test_a_log_is_no_command_and_reads_back_the_same(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["log", str(recording)]) == 0
    out = capsys.readouterr().out
    assert dangers(out, longest=10_000_000) == []
    log = tmp_path / "log.jsonl"
    log.write_text(out)
    assert read_any(log) == read_any(recording)
    kept = {json.loads(line).get("value") for line in out.splitlines()}
    assert set(NOTES) <= kept
