"""What docs/recording.md says of recording a program by hand is so."""

import shlex
import shutil
from pathlib import Path

import pytest

from pytest_memuse.agents.scripted import ScriptedModel
from pytest_memuse.cli import main
from pytest_memuse.recording.files import load_recording
from tests.recording.passthrough.documented import blocks, files


@pytest.mark.skipif(shutil.which("node") is None, reason="the page's agent is a program for node, not installed here")
def test_the_commands_of_the_page_do_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("agent.mjs").write_text(files()["agent.mjs"])
    record, replay = blocks("sh")[0].splitlines()
    with ScriptedModel() as model:
        assert main(shlex.split(record.replace("https://api.openai.com/v1", model.base_url))[1:]) == 0
    assert main(shlex.split(replay)[1:]) == 0
    capfd.readouterr()
    assert main(shlex.split(replay.replace('"Set the port."', '"Set the ports."'))[1:]) == 1
    told = " ".join(blocks("text")[1].split()).replace("https://api.openai.com/v1", model_address(Path("run.jsonl")))
    assert told in capfd.readouterr().err


def model_address(recording: Path) -> str:
    """Return the base URL that a recording was made with."""
    return str(load_recording(recording).made_with["upstreams"][""])
