"""Arcs at the same time: processes that are forked before the first arc, each of which brings one arc after another.

Catching HTTP concerns a whole process, and a user's fixtures cannot be sent to another one, so that neither threads
nor fresh processes will do. All are forked at once, before anything is asked of the session's local servers: a fork
while another thread works could copy a lock that nobody would ever open.
"""

import os
import pickle
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, NoReturn, TypeVar

from pytest_memuse.model import MemuseError
from pytest_memuse.model.errors import printable

_Task = TypeVar("_Task")
_Done = TypeVar("_Done")

Work = Callable[[_Task, Callable[[Any], None]], _Done]
"""Does a task in a forked process; what it hands to its second argument is told to the parent at once."""


def available() -> bool:
    """Tell whether this platform can do it."""
    return hasattr(os, "fork") and sys.platform != "darwin"


def in_parallel(
    jobs: int, tasks: Sequence[_Task], work: "Work[_Task, _Done]", told: Callable[[Any], None]
) -> Iterator[tuple[int, _Done]]:
    """Yield the number of each task with what came of it, in the order in which they end.

    What ``work`` raises ends the others and is raised here, and so is `MemuseError` where a process dies. Nothing of
    the parent's is torn down in the forked processes: they end by `os._exit`.
    """
    waiting = list(range(len(tasks)))[::-1]
    with _forked(min(jobs, len(tasks)), tasks, work) as pipes:
        busy: dict[Connection, tuple[int, int]] = {}
        for pipe, process in pipes:
            _give(pipe, process, waiting, busy)
        while busy:
            ready = wait(list(busy))
            for pipe in [pipe for pipe in busy if pipe in ready]:
                process, number = busy[pipe]
                try:
                    kind, value = pickle.loads(pipe.recv_bytes())
                except (EOFError, OSError):
                    raise _died(process, number) from None
                if kind == "told":
                    told(value)
                    continue
                del busy[pipe]
                if kind == "raised":
                    text, reason = value
                    raise MemuseError(text, reason=reason)
                yield number, value
                _give(pipe, process, waiting, busy)


def _give(pipe: Connection, process: int, waiting: list[int], busy: dict[Connection, tuple[int, int]]) -> None:
    if waiting:
        number = waiting.pop()
        busy[pipe] = (process, number)
        with suppress(BrokenPipeError):  # a process that has died is told of when it is read from
            pipe.send(number)


@contextmanager
def _forked(jobs: int, tasks: Sequence[_Task], work: "Work[_Task, _Done]") -> Iterator[list[tuple[Connection, int]]]:
    """Yield the pipes to freshly forked processes; afterwards none of them is left."""
    processes: list[tuple[Connection, int]] = []
    try:
        for _ in range(jobs):
            ours, theirs = Pipe()
            sys.stdout.flush()
            sys.stderr.flush()
            process = os.fork()
            if process == 0:
                for pipe in (ours, *(pipe for pipe, _ in processes)):
                    pipe.close()
                _serve(theirs, tasks, work)
            theirs.close()
            processes.append((ours, process))
        yield processes
    finally:
        for pipe, _ in processes:
            pipe.close()
        for _, process in processes:
            _end(process)


def _serve(pipe: Connection, tasks: Sequence[_Task], work: "Work[_Task, _Done]") -> NoReturn:
    """Do what the parent asks for until it closes the pipe; never return to the parent's code."""
    try:
        _serve_until_closed(pipe, tasks, work)
    finally:
        # The parent asks once that this process ends; should that come only now, it ends all the same.
        try:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(0)


def _serve_until_closed(pipe: Connection, tasks: Sequence[_Task], work: "Work[_Task, _Done]") -> None:
    # Ctrl-C reaches every process of the terminal, and it is the parent that ends its children. What these start is
    # not to inherit that, which a handler is not and ignoring would be.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    while True:
        try:
            number = pipe.recv()
        except EOFError:
            return
        _send(pipe, _outcome(tasks[number], work, lambda value: _send(pipe, ("told", value))))


def _outcome(task: _Task, work: "Work[_Task, _Done]", tell: Callable[[Any], None]) -> tuple[str, Any]:
    try:
        return "done", work(task, tell)
    except SystemExit:
        raise
    except MemuseError as error:
        return "raised", (str(error), error.reason)
    except BaseException as error:
        # Tracebacks do not travel; their text does.
        told = "".join(traceback.format_exception(error))
        return "raised", (f"{type(error).__name__}: {printable(str(error), 300)}\n{told}", "raised")


def _send(pipe: Connection, message: tuple[str, Any]) -> None:
    pipe.send_bytes(pickle.dumps(message))


def _died(process: int, number: int) -> MemuseError:
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    return MemuseError(
        f"the process of arc {number + 1} ended by {how}",
        reason="crashed",
        mend="run without --memuse-jobs to see where; what was recorded whole is kept",
    )


def _end(process: int) -> None:
    """End a process: kindly, so that it removes its folders, then not."""
    for sent, seconds in ((signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0)):
        with suppress(ProcessLookupError):
            os.kill(process, sent)
        if _gone(process, seconds):
            return


def _gone(process: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if os.waitpid(process, os.WNOHANG)[0]:
                return True
        except ChildProcessError:
            return True
        time.sleep(0.01)
    return False
