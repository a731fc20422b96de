"""Does the suite notice a broken gate? Each edit of ``mutants.yaml`` breaks it once; the tests of its area must fail.

Run all, or those of which module or description hold a text::

    pytest tests/benchmarks/gate/test_mutants.py -m benchmark -s
    MEMUSE_MUTANTS=exchange.py pytest tests/benchmarks/gate/test_mutants.py -m benchmark -s

The package, the tests and the fixtures are copied to a temporary folder, one copy for each of two workers; the copy is
edited, and the area's tests run there until the first fails, hypothesis with a fixed seed. First of all they have to
pass there unedited. Every edit gets a line, as it ends: killed by which test, survived, or survived as explained.
"""

import ast
import os
import queue
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
LIST = Path(__file__).with_name("mutants.yaml")
GATE = Path("pytest_memuse", "gate")
COPIED = ("pytest_memuse", "tests", "fixtures", "pyproject.toml")
OPTIONS = ("-x", "-q", "--no-header", "--tb=line", "-p", "no:cacheprovider", "--hypothesis-seed=0", "-o", "addopts=")
WORKERS = 2
PASSED, FAILED = 0, 1
"""Exit codes of pytest."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One edit of a module of the gate. ``equivalent`` says why no caller could see it; empty where one could."""

    module: str
    what: str
    old: str
    new: str
    tests: tuple[str, ...]
    equivalent: str = ""

    def __str__(self) -> str:
        return f"{self.module}: {self.what}"

    def edited(self, source: str) -> str:
        """Return the module's source with the edit. Raises `ValueError` where it is not clear what to edit."""
        found = source.count(self.old)
        if found != 1:
            raise ValueError(
                f"{self}: the text to edit stands {found} times in {GATE / self.module}, and has to stand there once; "
                f"follow the module in {LIST.name}: {self.old!r}"
            )
        return source.replace(self.old, self.new)


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    EXPLAINED = "survived as explained"
    BROKEN = "did not run"
    KILLED_ALTHOUGH_EXPLAINED = "killed, and its explanation is wrong"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant, by which test, or what pytest said where no test decided."""

    mutant: Mutant
    fate: Fate
    by: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.fate:<10} {self.mutant} [{self.by}, {self.seconds:.0f} s]"


def mutants() -> list[Mutant]:
    """Return every mutant of the list."""
    areas: Mapping[str, Mapping[str, Any]] = yaml.safe_load(LIST.read_text(encoding="utf-8"))
    return [
        Mutant(module, edit["what"], edit["old"], edit["new"], tuple(area["tests"]), edit.get("equivalent", ""))
        for module, area in areas.items()
        for edit in area["edits"]
    ]


def copied(folder: Path) -> Path:
    """Copy what the tests of the gate need."""
    for name in COPIED:
        source, target = ROOT / name, folder / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, target)
    return folder


def run_tests(copy: Path, tests: tuple[str, ...], timeout: float | None = None) -> tuple[int, str]:
    """Return pytest's exit code and output for some test files of the gate, run in a copy until the first failure."""
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    files = [f"tests/gate/{name}" for name in tests]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *files, *OPTIONS],
        cwd=copy,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=timeout,
    )
    return done.returncode, done.stdout


def tried(mutant: Mutant, copy: Path, timeout: float) -> Outcome:
    """Break the copy, run the tests of the area, and mend the copy."""
    module = copy / GATE / mutant.module
    source = module.read_text(encoding="utf-8")
    started = time.monotonic()
    try:
        _write(module, mutant.edited(source))
        try:
            code, output = run_tests(copy, mutant.tests, timeout)
        except subprocess.TimeoutExpired:
            code, output = FAILED, f"FAILED by its time: over {timeout:.0f} seconds"
    finally:
        _write(module, source)
    return Outcome(mutant, *_fate(mutant, code, output), time.monotonic() - started)


def _write(module: Path, source: str) -> None:
    # Compiled code goes by the second of the last change and the size, and an edit may leave both as they were.
    Path(cache_from_source(str(module))).unlink(missing_ok=True)
    module.write_text(source, encoding="utf-8")


def _fate(mutant: Mutant, code: int, output: str) -> tuple[Fate, str]:
    lines = output.strip().splitlines() or ["no output"]
    if code == PASSED:
        return (Fate.EXPLAINED, mutant.equivalent) if mutant.equivalent else (Fate.SURVIVED, lines[-1])
    failed = [line.removeprefix("FAILED ").partition(" - ")[0] for line in lines if line.startswith("FAILED ")]
    if code != FAILED or not failed:
        return Fate.BROKEN, f"pytest ended with {code}: {lines[-1]}"
    killer = failed[0].removeprefix("tests/gate/")
    return (Fate.KILLED_ALTHOUGH_EXPLAINED if mutant.equivalent else Fate.KILLED), killer


def tried_all(chosen: list[Mutant], folder: Path) -> Iterator[Outcome]:
    """Yield what becomes of each mutant, in the order in which they end."""
    copies: queue.SimpleQueue[Path] = queue.SimpleQueue()
    outcomes: queue.SimpleQueue[Outcome | Exception] = queue.SimpleQueue()
    for number in range(WORKERS):
        copies.put(copied(folder / str(number)))
    timeouts = _unedited(folder / "0", {mutant.tests for mutant in chosen})

    def work(mutant: Mutant) -> None:
        copy = copies.get()
        try:
            outcomes.put(tried(mutant, copy, timeouts[mutant.tests]))
        except Exception as error:
            outcomes.put(error)
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(WORKERS) as executor:
        for mutant in chosen:
            executor.submit(work, mutant)
        for _ in chosen:
            outcome = outcomes.get()
            if isinstance(outcome, Exception):
                executor.shutdown(cancel_futures=True)
                raise outcome
            yield outcome


def _unedited(copy: Path, areas: set[tuple[str, ...]]) -> dict[tuple[str, ...], float]:
    """Return the seconds allowed to the tests of each area, which have to pass while nothing is broken."""
    timeouts = {}
    for tests in sorted(areas):
        started = time.monotonic()
        code, output = run_tests(copy, tests)
        assert code == PASSED, f"{', '.join(tests)} have to pass before anything is broken:\n{output[-3000:]}"
        timeouts[tests] = 60 + 10 * (time.monotonic() - started)
    return timeouts


@pytest.mark.benchmark
def test_every_broken_gate_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = os.environ.get("MEMUSE_MUTANTS", "")
    chosen = [mutant for mutant in mutants() if wanted in str(mutant)]
    assert chosen, f"no mutant holds {wanted!r}"
    outcomes = []
    for outcome in tried_all(chosen, tmp_path):
        outcomes.append(outcome)
        with capsys.disabled():
            print(f"\n{outcome}" if len(outcomes) == 1 else outcome, flush=True)
    counts = Counter(outcome.fate for outcome in outcomes)
    with capsys.disabled():
        print(f"{len(outcomes)} mutants: " + ", ".join(f"{counts[fate]} {fate}" for fate in Fate if counts[fate]))
    wrong = [str(outcome) for outcome in outcomes if outcome.fate not in (Fate.KILLED, Fate.EXPLAINED)]
    assert not wrong, "\n".join(wrong)


def test_every_edit_of_the_list_still_fits_its_module() -> None:
    """So that the list follows the gate: each text stands once, and what the edit makes of the module is Python."""
    for mutant in mutants():
        edited = mutant.edited((ROOT / GATE / mutant.module).read_text(encoding="utf-8"))
        assert mutant.new != mutant.old
        ast.parse(edited, mutant.module)
        assert all((ROOT / "tests" / "gate" / name).is_file() for name in mutant.tests), mutant


def test_no_edit_stands_in_the_list_twice() -> None:
    edits = Counter((mutant.module, mutant.old, mutant.new) for mutant in mutants())
    assert [edit for edit, count in edits.items() if count > 1] == []


def test_an_edit_that_does_not_fit_is_named_with_what_to_do() -> None:
    mutant = Mutant("sides.py", "a side is lost", "twice", "once", ())
    assert mutant.edited("twice now") == "once now"
    for source, times in (("never", 0), ("twice, twice", 2)):
        with pytest.raises(ValueError, match=f"sides.py: a side is lost: the text to edit stands {times} times"):
            mutant.edited(source)


@pytest.mark.parametrize(
    ("code", "output", "equivalent", "fate", "by"),
    [
        (1, "F\nFAILED tests/gate/test_x.py::test_y - assert 1 == 2\n1 failed", "", Fate.KILLED, "test_x.py::test_y"),
        (0, "3 passed in 1 s", "", Fate.SURVIVED, "3 passed in 1 s"),
        (0, "3 passed", "it is the same", Fate.EXPLAINED, "it is the same"),
        (1, "FAILED tests/gate/test_x.py::test_y", "x", Fate.KILLED_ALTHOUGH_EXPLAINED, "test_x.py::test_y"),
        (2, "ERROR tests/gate/test_x.py", "", Fate.BROKEN, "pytest ended with 2: ERROR tests/gate/test_x.py"),
        (
            1,
            "ERROR tests/gate/test_x.py::test_y",
            "",
            Fate.BROKEN,
            "pytest ended with 1: ERROR tests/gate/test_x.py::test_y",
        ),
        (4, "", "", Fate.BROKEN, "pytest ended with 4: no output"),
    ],
)
def test_only_a_failing_test_kills(code: int, output: str, equivalent: str, fate: Fate, by: str) -> None:
    assert _fate(Mutant("sides.py", "", "", "", (), equivalent), code, output) == (fate, by)
