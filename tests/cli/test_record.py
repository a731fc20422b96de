"""`memuse record` and `memuse replay` with commands that ask a model over HTTP."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_memuse.cli import main
from pytest_memuse.model import Actor
from pytest_memuse.recording.files import load_recording
from tests.recording.servers import json_server

_ASK = """
import json, os, sys, urllib.request
base = os.environ["OPENAI_BASE_URL"]
for text in sys.argv[1:]:
    body = json.dumps({"messages": [{"role": "user", "content": text}], "model": "m"}).encode()
    request = urllib.request.Request(base + "/chat/completions", body, {"authorization": "Bearer hunter2-hunter2"})
    print(json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"], file=open("said", "a"))
"""


def _model(path: str, body: Any) -> Any:
    said = {"role": "assistant", "content": body["messages"][0]["content"].upper()}
    return {"model": "m", "choices": [{"message": said}], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _record(*words: str, more: str = "", options: tuple[str, ...] = ()) -> int:
    with json_server(_model) as (base, _):
        return main(
            [
                "record",
                "--upstream",
                base,
                "--out",
                "out.jsonl",
                *options,
                "--",
                sys.executable,
                "-c",
                _ASK + more,
                *words,
            ]
        )


def _replay(*words: str) -> int:
    return main(["replay", "out.jsonl", "--", sys.executable, "-c", _ASK, *words])


def test_a_command_is_recorded_and_runs_from_its_recording_without_a_server(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert _record("one", "two", options=("--task", "Shout.")) == 0
    assert "memuse: out.jsonl: 2 calls, 20 tokens, " in capfd.readouterr().err
    assert _replay("one", "two") == 0
    assert "2 calls, 20 tokens, " in capfd.readouterr().err
    assert Path("said").read_text() == "ONE\nTWO\n" * 2
    recording = load_recording(Path("out.jsonl"))
    assert [exchange.actor for exchange in recording.exchanges] == [Actor.AGENT] * 2
    assert (recording.arc, recording.episodes[0].task["text"]) == ("out", "Shout.")
    assert recording.made_with["agent"] == {"name": Path(sys.executable).name}
    assert "hunter2" not in Path("out.jsonl").read_text()
    assert main(["show", "out.jsonl"]) == 0
    assert "out/episode: outcome unknown, 2 steps" in capfd.readouterr().out


def test_a_request_that_was_not_recorded_is_named_with_the_nearest_and_fails(
    capfd: pytest.CaptureFixture[str],
) -> None:
    _record("one")
    assert _replay("one", "other") == 1
    told = capfd.readouterr().err
    assert "not in the recording: POST http://127.0.0.1:" in told
    assert "they first differ at /messages/0/content: recorded 'one', asked 'other'" in told
    assert "1 requests were not in it" in told


def test_the_commands_exit_code_is_passed_on() -> None:
    assert _record("one", more="sys.exit(7)") == 7
    assert load_recording(Path("out.jsonl")).exchanges


def test_an_interrupt_keeps_what_was_whole(capfd: pytest.CaptureFixture[str]) -> None:
    # As a terminal's Ctrl-C reaches both: the parent is interrupted, and the command ends.
    assert _record("one", more="import signal; os.kill(os.getppid(), signal.SIGINT)") == 130
    assert len(load_recording(Path("out.jsonl")).exchanges) == 1
    assert "1 call, 10 tokens" in capfd.readouterr().err


def test_a_command_without_a_call_writes_nothing_and_is_told_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    Path("out.jsonl").write_text("kept")
    assert _record() == 2
    assert "make it send its requests to $OPENAI_BASE_URL" in capsys.readouterr().err
    assert Path("out.jsonl").read_text() == "kept"


@pytest.mark.parametrize(
    ("command", "problem"), [([], "no command is given"), (["no-such-program"], "'no-such-program' cannot be run")]
)
def test_what_cannot_be_run_is_told(command: list[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", "--upstream", "http://127.0.0.1:9/v1", "--out", "out.jsonl", "--", *command]) == 2
    assert problem in capsys.readouterr().err
    assert not Path("out.jsonl").exists()


def test_the_variables_of_both_apis_are_set_and_a_proxy_does_not_stand_between(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "internal.example")
    show = "import json, os; json.dump(dict(os.environ), open('env.json', 'w'))"
    upstreams = ["--upstream", "http://127.0.0.1:9/v1", "--upstream-anthropic", "http://127.0.0.1:9"]
    main(["record", *upstreams, "--out", "out.jsonl", "--", sys.executable, "-c", show])
    seen = json.loads(Path("env.json").read_text())
    origin = seen["OPENAI_BASE_URL"].removesuffix("/openai/v1")
    assert origin.startswith("http://127.0.0.1:")
    assert seen["OPENAI_API_BASE"] == f"{origin}/openai/v1"
    assert seen["ANTHROPIC_BASE_URL"] == f"{origin}/anthropic"
    assert seen["NO_PROXY"] == "internal.example,127.0.0.1,localhost"
    made_up = {name for name in seen if name.endswith("_API_KEY")} - set(os.environ)
    assert not made_up
