"""What evaluating the paper's corpus costs; run with ``pytest tests/benchmarks/scale -m benchmark -s``.

Each target is a ratio within one run, or a peak of memory. The corpus takes about 700 MB in the temporary folder.
"""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import pytest

from pytest_memuse.execution import open_executor
from tests.benchmarks.scale.corpus import PAPER, equal_work, write_corpus
from tests.benchmarks.scale.measuring import arithmetic, read_file, relative_costs

pytestmark = pytest.mark.benchmark

ROOT = Path(__file__).parents[3]
MOST_TIMES_JSON = 15
MOST_MEMORY = 500e6
MOST_PER_STEP = 1.3
LEAST_SPEEDUP = 1.7
LEAST_CAPACITY = 1.85
GROUP = 4
CHUNKS = 8
ROUNDS = 6


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
    """The median of many comparisons of neighbours in time; it holds on a machine that does other work meanwhile."""
    corpora: dict[int, list[Path]] = {}
    for length in (1, 2, 4):
        folder = tmp_path / str(length)
        folder.mkdir()
        corpora[length] = write_corpus(folder, equal_work(length, CHUNKS, exact))
    growth = relative_costs(corpora, ROUNDS)
    name = "exact requests" if exact else "history only"
    for length, ratios in growth.items():
        lower, middle, upper = quantiles(ratios, n=4)
        told(
            capsys,
            f"{name}, {length} times the length: {middle:.2f} times the cost of a step "
            f"(quartiles {lower:.2f} to {upper:.2f} of {len(ratios)} comparisons)",
        )
    assert median(growth[2]) <= MOST_PER_STEP
    assert median(growth[4]) <= MOST_PER_STEP


def test_two_processes_are_nearly_twice_as_fast_as_one(corpus: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Wall-clock time of the same files, a few at a time: first one process, then two, and round again.

    It needs two idle cores. Whether the machine gives them is measured in the same way, with arithmetic that shares
    nothing; where it does not, there is nothing to be said of the product.
    """
    speedups: list[float] = []
    capacities: list[float] = []
    with open_executor("processes:1") as one, open_executor("processes:2") as two:
        assert one is not None
        assert two is not None
        for executor in (one, two):
            list(executor.map(read_file, corpus[:2]))  # Starting a worker is not part of the work.
        for start in range(0, len(corpus), GROUP):
            files = corpus[start : start + GROUP]
            speedups.append(_seconds(one, read_file, files) / _seconds(two, read_file, files))
            capacities.append(_seconds(one, arithmetic, range(GROUP)) / _seconds(two, arithmetic, range(GROUP)))
    speedup, capacity = median(speedups), median(capacities)
    told(capsys, f"two processes are {speedup:.2f} times as fast as one, plain arithmetic {capacity:.2f} times")
    if capacity < LEAST_CAPACITY:
        pytest.skip(
            f"the machine gives two processes only {capacity:.2f} times the arithmetic of one: no two idle cores"
        )
    assert speedup >= LEAST_SPEEDUP


def _seconds(executor: Executor, work: Callable[[Any], object], parts: Iterable[Any]) -> float:
    begun = time.perf_counter()
    for _ in executor.map(work, parts):
        pass
    return time.perf_counter() - begun
