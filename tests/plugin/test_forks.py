"""Tasks in forked processes: results and tellings come back, and nothing is left however they end."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_memuse.model import MemuseError
from pytest_memuse.plugin.forks import available, in_parallel

pytestmark = pytest.mark.skipif(
    not available(), reason="this platform cannot fork safely, and the option is refused there"
)

Tell = Callable[[Any], None]


def _all(jobs: int, tasks: list[int], work: Callable[[int, Tell], Any], told: list[Any] | None = None) -> list[Any]:
    found = dict(in_parallel(jobs, tasks, work, (told if told is not None else []).append))
    return [found[number] for number in range(len(tasks))]


@pytest.fixture(autouse=True)
def forked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Note every process that is forked, and see afterwards that none of them is left."""
    made: list[int] = []
    fork = os.fork

    def noting() -> int:
        process = fork()
        if process:
            made.append(process)
        return process

    monkeypatch.setattr(os, "fork", noting)
    yield made
    for process in made:
        with pytest.raises(ChildProcessError):
            os.waitpid(process, os.WNOHANG)


@pytest.mark.parametrize("jobs", [1, 2, 9])
def test_every_task_is_done_once_in_a_process_of_its_own(jobs: int) -> None:
    done = _all(jobs, [3, 4, 5], lambda task, tell: (task * 10, os.getpid()))
    assert [value for value, _ in done] == [30, 40, 50]
    assert os.getpid() not in {process for _, process in done}
    assert len({process for _, process in done}) <= jobs


def test_what_a_process_tells_arrives_before_its_result() -> None:
    told: list[Any] = []
    assert _all(1, [1, 2], lambda task, tell: tell(f"task {task}") or task, told) == [1, 2]
    assert told == ["task 1", "task 2"]


def test_an_error_of_the_product_keeps_its_text_and_reason() -> None:
    def work(task: int, tell: Tell) -> None:
        raise MemuseError("there is no recording", reason="not-recorded", mend="record it")

    with pytest.raises(MemuseError, match="there is no recording\n  to mend: record it") as raised:
        _all(2, [1, 2], work)
    assert raised.value.reason == "not-recorded"


def test_any_other_error_is_raised_with_the_text_of_its_traceback() -> None:
    with pytest.raises(MemuseError, match=r"(?s)ZeroDivisionError: division by zero.*Traceback.*test_forks.py"):
        _all(2, [1], lambda task, tell: 1 / 0)


def test_a_process_that_dies_is_told_with_its_signal_and_the_others_end(tmp_path: Path) -> None:
    def work(task: int, tell: Tell) -> None:
        if task == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(60)

    with pytest.raises(MemuseError, match="the process of arc 1 ended by signal SIGKILL"):
        _all(2, [1, 2], work)


def test_an_interruption_removes_folders_and_what_the_tasks_started(tmp_path: Path) -> None:
    folders, started = tmp_path / "folders", tmp_path / "started"
    folders.mkdir()
    started.mkdir()
    script = f"import os, pathlib, time; pathlib.Path({str(started)!r}, str(os.getpid())).touch(); time.sleep(60)"

    def work(task: int, tell: Tell) -> None:
        with tempfile.TemporaryDirectory(dir=folders):
            tell("ready")
            subprocess.run([sys.executable, "-c", script], check=False)

    def interrupt(message: str) -> None:
        while len(list(started.iterdir())) < 2:
            time.sleep(0.01)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(in_parallel(2, [1, 2], work, interrupt))
    assert list(folders.iterdir()) == []
    for process in started.iterdir():
        with pytest.raises(ProcessLookupError):
            os.kill(int(process.name), 0)


def test_a_handler_at_exit_of_the_parent_does_not_run_in_a_child(tmp_path: Path) -> None:
    script = (
        "import atexit, os\n"
        "from pytest_memuse.plugin.forks import in_parallel\n"
        "atexit.register(lambda: print('at exit', flush=True))\n"
        "print('before')\n"
        "list(in_parallel(2, [1, 2], lambda task, tell: task, print))\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.split("\n") == ["before", "at exit", ""]
