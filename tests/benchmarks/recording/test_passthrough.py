"""What the pass-through recorder adds to a call: with and without it in turn, within one run.

``pytest tests/benchmarks/recording/test_passthrough.py -m benchmark -s`` prints the tables of docs/performance.md. The
upstream is a process of its own; client and recorder share the process of the test, as they do for an agent in Python,
which is the slower case: they take turns on one interpreter.
"""

import http.client
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from pytest_memuse.recording.passthrough import PassThrough
from pytest_memuse.recording.session import ArcRecorder

CALLS = 150
PIECES = 20
_BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "word " * 800}]}).encode()
"""A request of 4 KB; the answers have 1 KB."""

_SERVER = """
import asyncio

OK = b"HTTP/1.1 200 OK\\r\\ncontent-type: "

async def serve(reader, writer):
    try:
        while True:
            head = (await reader.readuntil(b"\\r\\n\\r\\n")).lower()
            await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\\r\\n")[0]))
            path = head.split(b" ")[1].decode()
            wait = float(path.split("wait=")[1])
            if "stream" not in path:
                await asyncio.sleep(wait)
                body = b'{"text": "' + b"word " * 200 + b'"}'
                writer.write(OK + b"application/json\\r\\ncontent-length: %d\\r\\n\\r\\n%s" % (len(body), body))
                continue
            writer.write(OK + b"text/event-stream\\r\\ntransfer-encoding: chunked\\r\\n\\r\\n")
            for number in range(PIECES):
                await asyncio.sleep(wait / PIECES)
                event = b'data: {"text": "' + b"word " * 8 + b'"}\\n\\n'
                writer.write(b"%x\\r\\n%s\\r\\n" % (len(event), event))
                await writer.drain()
            writer.write(b"e\\r\\ndata: [DONE]\\n\\n\\r\\n0\\r\\n\\r\\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
""".replace("PIECES", str(PIECES))


@contextmanager
def _upstream() -> Iterator[int]:
    running = subprocess.Popen([sys.executable, "-c", _SERVER], stdout=subprocess.PIPE, text=True)
    try:
        assert running.stdout is not None
        yield int(running.stdout.readline())
    finally:
        running.kill()
        running.wait()


@dataclass(frozen=True)
class Asked:
    """One call, in milliseconds: to the first byte of the body, to its end, and of the processor's time."""

    first: float
    end: float
    processor: float


def _ask(connection: http.client.HTTPConnection, path: str) -> Asked:
    worked, begun = time.process_time(), time.perf_counter()
    connection.request("POST", f"/v1/chat/completions?{path}", _BODY, {"content-type": "application/json"})
    answer = connection.getresponse()
    answer.read(1)
    first = time.perf_counter()
    answer.read()
    ended = time.perf_counter()
    return Asked(1000 * (first - begun), 1000 * (ended - begun), 1000 * (time.process_time() - worked))


def _compared(plain: int, passed: int, path: str, calls: int) -> tuple[list[Asked], list[Asked]]:
    connections = [http.client.HTTPConnection("127.0.0.1", port) for port in (plain, passed)]
    for connection in connections:
        _ask(connection, path)
    turns = [[_ask(connection, path) for connection in connections] for _ in range(calls)]
    for connection in connections:
        connection.close()
    return [turn[0] for turn in turns], [turn[1] for turn in turns]


def _row(name: str, plain: list[float], passed: list[float], processor: float) -> str:
    cells = [name]
    for quantile in (0.5, 0.1):
        without, with_it = (sorted(side)[int(quantile * len(side))] for side in (plain, passed))
        cells += [f"{without:.2f} ms", f"{with_it:.2f} ms", f"{with_it / without:.2f}"]
    return f"| {' | '.join(cells)} | {processor:.2f} ms |"


@pytest.mark.benchmark
def test_added_latency(capsys: pytest.CaptureFixture[str]) -> None:
    """Prints times and their ratios. Asserts only that every call through the recorder was recorded."""
    recorder = ArcRecorder()
    rows: list[str] = []
    asked = 0
    with _upstream() as port, PassThrough(f"http://127.0.0.1:{port}/v1", recorder) as through:
        for wait, calls in ((0.0, CALLS), (0.5, CALLS // 8)):
            for kind in ("whole", "stream"):
                plain, passed = _compared(port, through.port, f"{kind}&wait={wait}", calls)
                asked += calls + 1
                spent = [statistics.fmean(call.processor for call in side) for side in (plain, passed)]
                for name, ends in (("to its first byte", "first"), ("to its end", "end")):
                    if kind == "whole" and ends == "first":
                        continue
                    sides = ([float(getattr(call, ends)) for call in side] for side in (plain, passed))
                    rows.append(
                        _row(f"{kind}, {name}, upstream taking {1000 * wait:.0f} ms", *sides, spent[1] - spent[0])
                    )
    assert len(recorder.events) == asked
    with capsys.disabled():
        print("\n| | median without | with | ratio | fastest tenth without | with | ratio | processor, added |")
        print("|---|---|---|---|---|---|---|---|\n" + "\n".join(rows))
