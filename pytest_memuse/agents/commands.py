"""Running a model's shell commands: in the workspace, in an environment of their own, for a bounded time."""

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MOST_OUTPUT = 200_000
"""Bytes of a command's output that are kept; what comes after them is read and dropped."""

_LINGERING_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What came of a command. ``problem`` says why it has no exit status of its own; the status is then -1."""

    output: str
    returncode: int
    problem: str = ""


def command_environment(workspace: Path) -> dict[str, str]:
    """Return what a command sees of its host: no secrets, the Python that runs the tests, the workspace as its home."""
    return {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), *os.defpath.split(os.pathsep)]),
        "HOME": str(workspace),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PAGER": "cat",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def run_command(command: str, workspace: Path, environment: Mapping[str, str], seconds: float) -> CommandResult:
    """Run a command in a new shell and return what it printed, error output included.

    A command that does not end in time is stopped with everything that it started. One that cannot be run at all gives
    a problem, not an error.
    """
    try:
        process = subprocess.Popen(
            command,
            shell=True,
            cwd=workspace,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:  # Such as a null byte in the command.
        return CommandResult("", -1, f"the command cannot be run: {error}")
    try:
        output, ended = _output_of(process, seconds)
    finally:
        # Also what an ended command left running: it would go on writing into the workspace of an ended episode.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    text = output.decode("utf-8", "replace")
    if not ended:
        return CommandResult(text, -1, f"no end after {seconds:g} seconds")
    return CommandResult(text, process.returncode)


def _output_of(process: "subprocess.Popen[bytes]", seconds: float) -> tuple[bytes, bool]:
    """Read a process's output to its end; the flag says whether the process ended in time.

    What an ended process left running may keep its output open: it is then read for a moment only.
    """
    assert process.stdout is not None
    kept = bytearray()
    deadline = time.monotonic() + seconds
    with process.stdout as pipe, selectors.DefaultSelector() as selector:
        os.set_blocking(pipe.fileno(), False)
        selector.register(pipe, selectors.EVENT_READ)
        while (left := deadline - time.monotonic()) > 0:
            if selector.select(min(left, _LINGERING_SECONDS)):
                chunk = pipe.read(65536)
                if not chunk:
                    break
                kept += chunk[: max(0, MOST_OUTPUT - len(kept))]
            elif process.poll() is not None:
                break
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            return bytes(kept), False
    return bytes(kept), True
