"""The `memuse` command on recordings, event logs and what is neither."""

import json
from pathlib import Path

import pytest

from pytest_memuse.cli import main
from pytest_memuse.episodes.running import record_arc
from pytest_memuse.recording.files import save_recording
from tests.episodes.small_world import ARC, live_runner


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cassettes") / "port.jsonl"
    with live_runner() as runner:
        save_recording(path, record_arc("shop", ARC, runner))
    return path


def test_show_puts_an_episode_on_one_screen(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(recording), "--episode", "update"]) == 0
    out = capsys.readouterr().out
    assert "port/update: solved, 3 steps" in out
    assert "task recall (host_scheduled), consumed at step 1" in out
    assert "“port is 8081”, full, window 1–" in out
    assert 'notes {"action": "search"}' in out
    assert "port/probe" not in out


def test_show_gives_rows_to_programs(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(recording), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [episode["task"] for episode in data["episodes"]] == ["plant", "update", "probe"]


def test_the_log_of_a_recording_shows_the_same(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["log", str(recording)]) == 0
    log = tmp_path / "log.jsonl"
    log.write_text(capsys.readouterr().out)
    main(["show", str(recording)])
    shown = capsys.readouterr().out
    main(["show", str(log)])
    assert capsys.readouterr().out == shown


def test_profile_adds_up_files(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", str(recording)]) == 0
    out = capsys.readouterr().out
    assert "suite shop: 1 arc, 3 episodes" in out
    assert "recorded against rule-model" in out
    assert "judged by tracer 1" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "nowhere.jsonl"], "memuse: nowhere.jsonl: No such file or directory"),
        (["show", __file__], "test_memuse.py:1: "),
        (["show", "RECORDING", "--episode", "prob"], "holds no episode 'prob'"),
    ],
)
def test_what_cannot_be_shown_is_told_in_one_error(
    recording: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(recording) if a == "RECORDING" else a for a in arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


def test_help_says_what_each_command_is_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert all(word in out for word in ("show", "profile", "log", "pytest --help"))
