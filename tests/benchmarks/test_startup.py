"""What the plugin costs a session that does not use it: pairs of runs with and without it, in turn, in one run."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

PAIRS = 15


@pytest.mark.benchmark
def test_a_session_without_memuse_pays_for_the_plugin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Prints the median difference; run with ``pytest tests/benchmarks -m benchmark -s``. Asserts only that it ran."""
    (tmp_path / "test_plain.py").write_text("def test_plain(): pass\n")

    def once(*arguments: str) -> float:
        begun = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return time.perf_counter() - begun

    once(), once("-p", "no:memuse")
    pairs = [(once(), once("-p", "no:memuse")) for _ in range(PAIRS)]
    differences = sorted(1000 * (with_it - without) for with_it, without in pairs)
    base = 1000 * statistics.median(without for _, without in pairs)
    with capsys.disabled():
        print(
            f"\nplugin start: median {statistics.median(differences):+.1f} ms of {base:.0f} ms "
            f"(quartiles {differences[PAIRS // 4]:+.1f} to {differences[-1 - PAIRS // 4]:+.1f}, {PAIRS} pairs)"
        )
