"""One suite recorded under one fault, by a pytest process of its own, and what its tests made of it."""

import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from pytest_memuse.gate.baseline import SuiteBaseline
from pytest_memuse.gate.store import read_baseline
from pytest_memuse.model import MemuseError
from pytest_memuse.model.errors import printable
from pytest_memuse.recording.files import load_recording, recording_path
from pytest_memuse.recording.recording import Recording
from pytest_memuse.storage import read_plain

_POLL = 0.5
_TOLD_LINES = 15
_LARGEST = 64 * 1024 * 1024
BASELINE = "run"
"""The name under which the process stores its run."""


@dataclass(frozen=True, slots=True)
class FaultRun:
    """A suite as it was recorded and judged under a fault. ``failed`` are its tests that did not pass."""

    folder: Path
    stored: SuiteBaseline
    failed: tuple[str, ...]
    seconds: float

    def recordings(self) -> list[Recording]:
        """Return the recordings that were made, an arc after the other."""
        suite = self.stored.run.suite
        return [load_recording(recording_path(self.folder / "cassettes", suite, arc)) for arc in self.stored.run.arcs]


def read_run(folder: Path, suite: str) -> FaultRun:
    """Return the run that a process left in a folder.

    Raises `MemuseError`, OSError or `ElementTree.ParseError` where there is none, or not all of it.
    """
    stored = read_baseline(folder / "baselines", BASELINE).suite(suite, str(folder))
    return FaultRun(folder, stored, _failed_tests(folder / "junit.xml"), 0.0)


def record(
    command: Sequence[str],
    environment: Mapping[str, str],
    root: Path,
    folder: Path,
    suite: str,
    progress: Callable[[int, float], None],
) -> FaultRun:
    """Run the command, which records into ``folder``, and return what came of it.

    ``progress`` is told now and then how many arcs are recorded and how many seconds have passed. Raises `MemuseError`,
    with the end of what the process said, where the suite could not be evaluated. Ctrl-C ends the process.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    output, begun = folder / "output.txt", time.monotonic()
    with output.open("wb") as out:
        process = subprocess.Popen(
            [*command, f"--memuse-baselines={folder / 'baselines'}", f"--memuse-update={BASELINE}",
             f"--junitxml={folder / 'junit.xml'}", "-o", "junit_logging=no", "-o", "junit_family=xunit2"],
            cwd=root, env=dict(environment), stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            while process.poll() is None:
                progress(_recorded(folder / "cassettes"), time.monotonic() - begun)
                try:
                    process.wait(_POLL)
                except subprocess.TimeoutExpired:
                    continue
        finally:
            _end(process)
    try:
        found = read_run(folder, suite)
    except (MemuseError, OSError, ElementTree.ParseError):
        raise MemuseError(
            f"suite {printable(suite)!r} could not be recorded",
            reason="fault-run",
            mend=f"the whole output is in {output}; its last lines are{_last_lines(output)}",
        ) from None
    return FaultRun(folder, found.stored, found.failed, time.monotonic() - begun)


def _recorded(cassettes: Path) -> int:
    return sum(1 for _ in cassettes.glob("*/*.jsonl"))


def _failed_tests(junit: Path) -> tuple[str, ...]:
    root = ElementTree.fromstring(read_plain(junit, _LARGEST))
    failed = [
        str(case.get("name"))
        for case in root.iter("testcase")
        if case.find("failure") is not None or case.find("error") is not None
    ]
    return tuple(dict.fromkeys(failed))


def _last_lines(output: Path) -> str:
    told = output.read_text(encoding="utf-8", errors="replace").splitlines()[-_TOLD_LINES:]
    return "".join(f"\n  {printable(line, 200)}" for line in told)


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
