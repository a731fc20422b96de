"""The whole project of docs/recording.md, for each kind of agent: recorded, and replayed with no agent and no model.

Not a measurement, but too long for every day: ``pytest tests/benchmarks/recording/test_documented.py -m benchmark``.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recording.passthrough.documented import blocks, files

_NODE = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed here")
_KINDS = ["in this process", pytest.param("node", marks=_NODE), "python"]


def _make(folder: Path, kind: str) -> None:
    found = files()
    for name in ("arcs.yaml", "test_billing.py", "agent.py", "agent.mjs"):
        (folder / name).write_text(found[name])
    conftest = found["conftest.py"]
    if kind != "in this process":
        own, before, _ = conftest.partition('@pytest.fixture(scope="session")\ndef memuse_agent(')
        assert before, "the page's conftest.py has no agent in this process"
        conftest = own + found["conftest.py, for a program"]
    if kind == "python":
        ours = 'import sys\n\nPROGRAM = [sys.executable, Path(__file__).parent / "agent.py"]'
        conftest = conftest.replace('PROGRAM = ["node", Path(__file__).parent / "agent.mjs"]', ours)
    (folder / "conftest.py").write_text(conftest)
    (folder / "pytest.ini").touch()


@pytest.mark.benchmark
@pytest.mark.parametrize("kind", _KINDS)
def test_the_project_of_the_page_is_recorded_and_replayed(kind: str, tmp_path: Path) -> None:
    _make(tmp_path, kind)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMUSE", "PYTEST", "CI"))}
    environment = {**kept, "OPENAI_API_KEY": "hunter2-hunter2-hunter2", "PYTHONPATH": str(tmp_path)}

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    recorded = run("pytest", "-p", "no:cacheprovider", "--memuse-record-mode=once")
    for program in ("agent.py", "agent.mjs"):
        (tmp_path / program).rename(tmp_path / f"{program}.gone")
    (tmp_path / "agent.py").touch()  # the conftest imports it
    replayed = run("pytest", "-p", "no:cacheprovider")
    figures = [text.partition("judged by tracer")[2].partition("\n=====")[0] for text in (recorded, replayed)]
    assert "tasks solved            1.00" in figures[0]
    assert figures[0] == figures[1]
    recording = "cassettes/billing/billing-port.jsonl"
    assert "hunter2" not in (tmp_path / recording).read_text()
    assert blocks("text")[0] in run("pytest_memuse.cli", "show", recording)
