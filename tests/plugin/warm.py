"""Starts pytest in new processes that need not import the large libraries again, where a process can be forked.

A server process imports them and forks for each run, which is then a run like any other: a process of its own with its
own folder, environment and arguments. Nothing of pytest_memuse itself is imported before the fork.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_SERVER = """
import json, os, sys
import numpy, pydantic, pytest, scipy.special, vcr, yaml

for line in sys.stdin:
    asked = json.loads(line)
    child = os.fork()
    if not child:
        os.chdir(asked["folder"])
        os.environ.clear()
        os.environ.update(asked["environment"])
        out = os.open(asked["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.path[0] = asked["folder"]
        sys.argv = ["pytest", *asked["arguments"]]
        # Not os._exit: what a process does at its end belongs to the run.
        sys.exit(pytest.main(sys.argv[1:]))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class WarmPytest:
    """Starts pytest, to be closed at the end."""

    def __init__(self, root: Path) -> None:
        self._server: subprocess.Popen[str] = subprocess.Popen(
            [sys.executable, "-c", _SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # One thread, for threads do not live on in a fork.
            env={**os.environ, "PYTHONPATH": str(root), "OPENBLAS_NUM_THREADS": "1"},
        )

    def __call__(self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
        """Run pytest with these arguments; return its exit code and what it printed."""
        out = folder / ".printed"
        asked: dict[str, Any] = {"arguments": list(arguments), "folder": str(folder), "out": str(out)}
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps({**asked, "environment": dict(environment)}) + "\n")
        self._server.stdin.flush()
        code = int(self._server.stdout.readline())
        printed = out.read_text(encoding="utf-8")
        out.unlink()
        return code, printed

    def close(self) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait(60)
