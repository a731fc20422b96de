"""What evaluating the paper's corpus costs; run with ``pytest tests/benchmarks/scale -m benchmark -s``.

Each target is a ratio within one run, or a peak of memory. The corpus takes about 700 MB in the temporary folder.
"""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_memuse.execution import open_executor
from tests.benchmarks.scale.corpus import PAPER, Shape, longer, write_corpus
from tests.benchmarks.scale.measuring import measure, read_file

pytestmark = pytest.mark.benchmark

ROOT = Path(__file__).parents[3]
MOST_TIMES_JSON = 15
MOST_MEMORY = 500e6
MOST_PER_STEP = 1.3
LEAST_SPEEDUP = 1.7
ROUNDS = 3


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Path]]:
    folder = tmp_path_factory.mktemp("corpus")
    yield write_corpus(folder, PAPER)
    shutil.rmtree(folder)


def told(capsys: pytest.CaptureFixture[str], text: str) -> None:
    with capsys.disabled():
        print(f"\n{text}")


def fresh(paths: list[Path]) -> dict[str, Any]:
    """Measure in a process of its own, so that the peak of memory is that of reading."""
    command = [sys.executable, "-m", "tests.benchmarks.scale.measuring", *map(str, paths)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def judged(found: dict[str, Any], name: str, size: int, capsys: pytest.CaptureFixture[str]) -> None:
    ratio = found["seconds"] / found["json_seconds"]
    read = found["read"]
    told(
        capsys,
        f"{name}: {read['episodes']} episodes, {read['deliveries']} deliveries, {read['spans']} spans, "
        f"{size / 1e6:.0f} MB: json.loads {found['json_seconds']:.1f} s, everything {found['seconds']:.1f} s, "
        f"{ratio:.1f} times; peak {found['peak'] / 1e6:.0f} MB",
    )
    assert (read["episodes"], read["deliveries"], read["spans"]) == (PAPER.episodes, PAPER.deliveries, PAPER.spans)
    assert ratio <= MOST_TIMES_JSON
    assert found["peak"] < MOST_MEMORY


def test_files_to_evidence_cost_a_small_multiple_of_parsing(
    corpus: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    judged(fresh(corpus), "exact requests", sum(path.stat().st_size for path in corpus), capsys)


def test_a_log_with_history_only_costs_no_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = write_corpus(tmp_path, replace(PAPER, exact=False))
    judged(fresh(paths), "history only", sum(path.stat().st_size for path in paths), capsys)


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "history"])
def test_the_cost_of_a_step_hardly_grows_with_the_length_of_its_episode(
    exact: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shape = Shape(episodes=100, deliveries=2562, spans=298, exact=exact)
    corpora: dict[int, list[Path]] = {}
    for times in (1, 2, 4):
        folder = tmp_path / str(times)
        folder.mkdir()
        corpora[times] = write_corpus(folder, longer(shape, times))
    costs: dict[int, float] = {}
    for _ in range(ROUNDS):
        for times, paths in corpora.items():
            found = measure(paths)
            costs[times] = min(found.seconds / found.read.steps, costs.get(times, float("inf")))
    told(capsys, "per step: " + ", ".join(f"{1e6 * c:.0f} µs at {t} times the length" for t, c in costs.items()))
    assert costs[2] / costs[1] <= MOST_PER_STEP
    assert costs[4] / costs[1] <= MOST_PER_STEP


def test_two_processes_are_nearly_twice_as_fast_as_one(corpus: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Wall-clock time of the same files; needs two idle cores."""
    seconds: dict[int, float] = {}
    for workers in (1, 2):
        with open_executor(f"processes:{workers}") as executor:
            assert executor is not None
            list(executor.map(read_file, corpus[:workers]))  # Starting a worker is not part of the work.
            begun = time.perf_counter()
            total = sum(found.deliveries for found in executor.map(read_file, corpus))
            seconds[workers] = time.perf_counter() - begun
            assert total == PAPER.deliveries
    speedup = seconds[1] / seconds[2]
    told(capsys, f"one process {seconds[1]:.1f} s, two {seconds[2]:.1f} s: {speedup:.2f} times as fast")
    assert speedup >= LEAST_SPEEDUP
