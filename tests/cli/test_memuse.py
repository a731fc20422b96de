"""The `memuse` command on recordings, event logs and what is neither."""

import io
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_memuse.cli import main
from pytest_memuse.cli.reading import read_any
from pytest_memuse.episodes.running import record_arc
from pytest_memuse.recording.files import load_recording, save_recording
from pytest_memuse.recording.recording import MemoryOperation
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
    assert "judged by tracer 2" in out


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


@pytest.fixture
def log(recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The event log of the recording, in a file of its own."""
    assert main(["log", str(recording)]) == 0
    path = tmp_path / "log.jsonl"
    path.write_text(capsys.readouterr().out)
    return path


def _changed(log: Path, name: str, change: Callable[[dict[str, Any]], None]) -> Path:
    """Write a copy of a log, each of whose lines went through a change."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for line in lines:
        change(line)
    path = log.with_name(name)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_profile_shows_what_stands_beside_the_figures(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", str(recording)]) == 0
    out = capsys.readouterr().out
    for heading in ("by form ", "by route ", "outcomes against effects", "costs of "):
        assert f"\n{heading}" in out
    assert main(["profile", str(recording), "--all"]) == 0
    every = capsys.readouterr().out
    assert "by label " in every
    assert "by label " not in out


def test_profile_gives_everything_to_programs(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", str(recording), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["suite"], data["episodes"], data["warnings"]) == ("shop", 3, [])
    assert data["figures"]["outcome_rate"]["value"] == 1.0
    assert data["figures"]["harm_share"]["counts"]["part"] == 0
    assert [form["form"] for form in data["forms"]] == ["task recall", "search result"]
    assert data["costs"]["by_actor"][0]["input"]["knowledge"] in {"measured", "unreported"}
    assert data["revise_or_remove"] == []
    assert "without_memory" not in data


def test_items_tell_the_history_of_each_item(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["items", str(recording)]) == 0
    out = capsys.readouterr().out
    assert "created in plant (solved)" in out
    assert "updated in update (solved), step " in out
    assert "delivered in probe (solved), step 1, span S1: " in out
    assert main(["items", str(recording), "--json"]) == 0
    histories = json.loads(capsys.readouterr().out)
    assert histories[0]["events"][0]["event"] == "created"
    name = histories[0]["item"]
    assert main(["items", str(recording), "--item", name]) == 0
    assert capsys.readouterr().out.startswith(out.splitlines()[0].split(":")[0])


def test_an_item_of_a_log_without_its_creation_has_an_unobserved_origin(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = [line for line in log.read_text().splitlines(keepends=True) if json.loads(line)["type"] != "operation"]
    end = json.loads(kept[-1]) | {"lines": len(kept) - 1}
    log.write_text("".join(kept[:-1]) + json.dumps(end) + "\n")
    assert main(["items", str(log)]) == 0
    out = capsys.readouterr().out
    assert "origin unobserved" in out
    assert "created in" not in out


def test_profile_without_memory_shows_gains_and_losses(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def fail_the_probe(line: dict[str, Any]) -> None:
        if line["type"] == "outcome" and seen[-1] == "port/probe":
            line["success"] = False
        if line["type"] == "episode":
            seen.append(line["id"])

    seen: list[str] = []
    without = _changed(log, "without.jsonl", fail_the_probe)
    assert main(["profile", str(log), "--without", str(without), str(log)]) == 0
    out = capsys.readouterr().out
    assert "against 2 runs without memory: 3 matched tasks in 1 run with memory" in out
    assert "  resolved: 3 of 3 (100 %) with memory, 5 of 6 (83.3 %) without" in out
    assert "  tasks gained 0.500, lost 0, on average over 2 pairs of runs" in out
    assert "by 1 of 2" in out
    assert main(["profile", str(log), "--without", str(without), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["without_memory"]
    assert (data["changes"]["gained"], data["changes"]["lost"], data["unmatched"]) == (1, 0, [])
    assert data["strata"]["groups"][0]["tasks"] == 1


def test_runs_without_memory_that_know_no_arcs_match_by_task_alone(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without = _changed(log, "without.jsonl", lambda line: line.pop("arc", None))
    assert main(["profile", str(log), "--without", str(without)]) == 0
    assert "0 matched tasks" in capsys.readouterr().out
    assert main(["profile", str(log), "--without", str(without), "--any-arc"]) == 0
    assert "3 matched tasks" in capsys.readouterr().out


def test_files_of_two_suites_have_no_profile_together(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def rename(line: dict[str, Any]) -> None:
        if line["type"] == "memuse-log":
            line["suite"] = "other"

    assert main(["profile", str(log), str(_changed(log, "other.jsonl", rename))]) == 2
    assert "the files are of 2 suites: 'shop', 'other'" in capsys.readouterr().err


def test_deliveries_outside_every_episode_are_shown_and_cost_what_they_cost(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["profile", str(log), "--json"]) == 0
    before = json.loads(capsys.readouterr().out)["delivered_tokens"]
    outside = {
        "type": "outside",
        "id": "lost",
        "call": None,
        "entries": [],
        "placements": [{"slot": "s", "text": "x" * 400}],
    }
    lines = log.read_text().splitlines(keepends=True)
    end = json.loads(lines[-1]) | {"lines": len(lines)}
    log.write_text("".join([lines[0], json.dumps(outside) + "\n", *lines[1:-1], json.dumps(end) + "\n"]))
    assert main(["profile", str(log)]) == 0
    out = capsys.readouterr().out
    assert f"{before + 100} delivered tokens" in out
    assert "warning: spans outside every recorded episode: 1;" in out
    assert main(["show", str(log)]) == 0
    assert "outside every episode: 1 span\n" in capsys.readouterr().out
    assert main(["show", str(log), "--episode", "probe"]) == 0
    assert "outside every episode" not in capsys.readouterr().out


def _written(encoding: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the command with a standard output of an encoding; return what it wrote there."""
    written = io.BytesIO()
    stdout = io.TextIOWrapper(written, encoding=encoding, write_through=True)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stdout)
        assert main(arguments) == 0
    stdout.flush()
    return written.getvalue().decode(encoding)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_text_that_an_encoding_cannot_write_is_escaped(
    encoding: str, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rename(line: dict[str, Any]) -> None:
        if line["type"] == "operation" and line.get("value"):
            line["value"] = "naïve 😀"

    path = _changed(log, "hostile.jsonl", rename)
    assert ("naïve 😀" in _written(encoding, ["items", str(path)], monkeypatch)) is (encoding == "utf-8")
    again = log.with_name("again.jsonl")
    again.write_text(_written(encoding, ["log", str(path)], monkeypatch), encoding="utf-8")
    assert read_any(again) == read_any(path)


def test_a_recording_with_half_a_character_in_it_can_be_shown(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JSON may escape one half of a character that takes two, and no encoding can write it."""
    found = load_recording(recording)
    path = tmp_path / "half.jsonl"
    events = (replace(e, asked={"query": "\ud800"}) if isinstance(e, MemoryOperation) else e for e in found.events)
    save_recording(path, replace(found, events=tuple(events)))
    assert "\\ud800" in _written("utf-8", ["log", str(path)], monkeypatch)
    for command in ("show", "profile", "items"):
        assert _written("utf-8", [command, str(path)], monkeypatch)


def test_help_says_what_each_command_is_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert all(word in out for word in ("show", "profile", "items", "log", "pytest --help"))
