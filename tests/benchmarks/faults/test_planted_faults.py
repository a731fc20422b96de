"""Twelve planted faults in the example project, with real Mem0, and re-recordings without a fault.

Run with ``pytest tests/benchmarks/faults -m benchmark -s``; on two cores that have nothing else to do the faults take a
quarter of an hour, and the fifty re-recordings half an hour. ``MEMUSE_RERECORDINGS=10`` makes ten of these.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_memuse.arcs.mutation import Catch
from pytest_memuse.memory.faults import FAULTS, Seen
from tests.example.conftest import ROOT

pytestmark = pytest.mark.benchmark

RERECORDINGS = int(os.environ.get("MEMUSE_RERECORDINGS", "50"))
VARIATION = "0.3"
"""How much the scripted agent varies between two recordings."""


@pytest.fixture
def example(tmp_path: Path) -> Path:
    folder = tmp_path / "example_project"
    shutil.copytree(ROOT / "example_project", folder, ignore=shutil.ignore_patterns("__pycache__", ".memuse"))
    return folder


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    dropped = ("CI", "MEMUSE", "PYTEST", "PYTHONDONTWRITEBYTECODE", "OPENAI")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    env = {**kept, "COLUMNS": "200", **environment}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_every_visible_fault_moves_its_figures_and_all_but_one_are_caught(example: Path) -> None:
    ran = run(example, "--memuse-baseline=main", "--memuse-mutate")
    print("\n" + ran.stdout[ran.stdout.index("planted faults, suite") :])
    assert ran.returncode == 0, ran.stdout + ran.stderr
    told = json.loads((example / ".memuse" / "mutate" / "shop" / "report.json").read_text())
    assert told["control"]["failed"] == told["control"]["regressed"] == []
    results = {result["fault"]: result for result in told["results"]}
    assert set(results) == set(FAULTS)
    for name, result in results.items():
        assert result["touched"]["struck"], name
        assert result["visible"] == (FAULTS[name].seen is Seen.TRACER)
        assert all(move["moved"] for move in result["moves"]), (name, result["moves"])
    missed = [name for name, result in results.items() if result["catch"] == Catch.NOTHING]
    assert len(missed) <= 1, missed

    again = run(example, "--memuse-baseline=main", "--memuse-mutate")
    assert again.stdout.count("(kept from before)") == len(FAULTS)


def test_the_gate_seldom_fails_where_nothing_is_broken(example: Path) -> None:
    failed = []
    for seed in range(1, RERECORDINGS + 1):
        ran = run(
            example,
            "--memuse-baseline=main",
            "--memuse-record-mode=all",
            f"--memuse-cassettes=varied-{seed}",
            MEMUSE_SCRIPTED_VARIATION=VARIATION,
            MEMUSE_SCRIPTED_SEED=str(seed),
        )
        verdict = re.search(r"gate shop against main \(12 arcs\): (\w+)", ran.stdout)
        assert verdict, ran.stdout + ran.stderr
        print(f"re-recording {seed}: gate {verdict[1]}", flush=True)
        if verdict[1] == "FAILED":
            failed.append(seed)
        shutil.rmtree(example / f"varied-{seed}")
    assert len(failed) <= RERECORDINGS // 10, failed
