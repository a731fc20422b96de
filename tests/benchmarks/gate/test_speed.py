"""The gate's speed as a ratio within one run: ``pytest tests/benchmarks/gate/test_speed.py -m benchmark -s``."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.benchmark
def test_the_gate_is_thirty_times_faster_than_scipy_on_the_same_spans(capsys: pytest.CaptureFixture[str]) -> None:
    """In a process of its own, since the number of threads is set before numpy is imported."""
    command = [sys.executable, "-m", "tests.benchmarks.gate.speed"]
    done = subprocess.run(command, cwd=Path(__file__).parents[3], stdout=subprocess.PIPE, text=True, check=True)
    took = json.loads(done.stdout)
    ours = took["gate"]
    with capsys.disabled():
        print(
            f"\ngate {ours:.3f} s; scipy on spans {took['spans']:.1f} s ({took['spans'] / ours:.0f} times as long), "
            f"on sums by arc {took['arcs']:.1f} s ({took['arcs'] / ours:.0f} times)"
        )
    assert took["spans"] / ours >= 30
