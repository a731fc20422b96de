"""What replaying costs per call, beside plain vcrpy.

``pytest tests/benchmarks/recording/test_replay.py -m benchmark -s``. Times are CPU seconds of this process, taken in
turn, the median of several rounds, with the opening of the recording shared among its calls. Calls have 4 KB, are all
to one address, and are made with one httpx client; of each replay 200 calls are measured, spread evenly over it. Plain
vcrpy, told to compare bodies too, is asked a sample of its 2,000 calls, spread evenly over them; with
``MEMUSE_WHOLE=1`` it is asked all of them, which takes minutes.
"""

import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import pytest
import vcr
from vcr.request import Request

from pytest_memuse.model import Actor
from pytest_memuse.recording.answers import Answers
from pytest_memuse.recording.cassette import answering_http
from pytest_memuse.recording.recording import Exchange, Recording
from pytest_memuse.recording.redaction import Redaction

pytestmark = pytest.mark.benchmark

SIZES = (200, 1000, 5000)
MOST_PER_CALL = 1.3
BESIDE_VCRPY = 2000
LEAST_TIMES_FASTER = 50
ROUNDS = 7
CHUNK = 200
SAMPLE = 20
URI = "http://127.0.0.1:9/v1/chat/completions"


def body(number: int) -> dict[str, Any]:
    """Return a request of 4 KB like no other."""
    text = " ".join(f"word{number}x{n}" for n in range(400))[:3900]
    return {"model": "m", "messages": [{"role": "user", "content": text}]}


def recording(calls: int) -> Recording:
    headers = {"content-type": "application/json"}
    answer = {"model": "m", "choices": [{"message": {"role": "assistant", "content": "yes"}}]}
    return Recording(
        "suite",
        "arc",
        tuple(Exchange(n + 1, Actor.AGENT, "POST", URI, body(n), 200, "OK", headers, answer) for n in range(calls)),
    )


def seconds_per_call(open_cassette: Callable[[], AbstractContextManager[Any]], numbers: Sequence[int]) -> float:
    """Return CPU seconds per call of the calls with these numbers."""
    bodies = [body(number) for number in numbers]
    with httpx.Client() as client, open_cassette():
        begun = time.process_time()
        for asked in bodies:
            assert client.post(URI, json=asked).status_code == 200
        return (time.process_time() - begun) / len(numbers)


def opened(made: Recording) -> tuple[Answers, float]:
    """Return what answers from a recording, and the CPU seconds per exchange that making it took."""
    begun = time.process_time()
    answers = Answers(made.exchanges, redaction=Redaction())
    return answers, (time.process_time() - begun) / len(made.exchanges)


def spread(calls: int, sample: int) -> range:
    """Return numbers of calls, evenly spread."""
    step = calls // sample
    return range(step // 2, calls, step)


def test_a_call_costs_the_same_however_many_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    made = {calls: recording(calls) for calls in SIZES}
    opening: dict[int, list[float]] = {calls: [] for calls in SIZES}
    calling: dict[int, list[float]] = {calls: [] for calls in SIZES}
    for _ in range(ROUNDS):
        for calls in SIZES:
            answers, spent = opened(made[calls])
            opening[calls].append(spent)
            calling[calls].append(seconds_per_call(lambda a=answers: answering_http(a), spread(calls, CHUNK)))  # type: ignore[misc]
    costs = {calls: median(opening[calls]) + median(calling[calls]) for calls in SIZES}
    ratio = max(costs.values()) / min(costs.values())
    with capsys.disabled():
        told = ", ".join(f"{calls} calls: {seconds * 1e6:.0f} µs each" for calls, seconds in costs.items())
        print(f"\nreplay of {told}; ratio {ratio:.2f} (target {MOST_PER_CALL})")
    assert ratio <= MOST_PER_CALL


class _InMemory:
    """Gives vcrpy its interactions without a file, so that reading YAML is not what is measured."""

    def __init__(self, made: Recording) -> None:
        self._made = made

    def load_cassette(self, cassette_path: object, serializer: object) -> tuple[list[Request], list[dict[str, Any]]]:
        requests, responses = [], []
        for exchange in self._made.exchanges:
            sent = httpx.Request("POST", URI, json=exchange.request)
            requests.append(Request("POST", URI, sent.content, {"content-type": "application/json"}))
            responses.append(
                {
                    "status": {"code": 200, "message": "OK"},
                    "headers": {"content-type": ["application/json"]},
                    "body": {"string": json.dumps(exchange.response).encode()},
                }
            )
        return requests, responses

    def save_cassette(self, *ignored: object) -> None:
        raise AssertionError("nothing is to be recorded")


def test_a_replay_of_2_000_calls_is_at_least_50_times_faster_than_plain_vcrpy(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    made = recording(BESIDE_VCRPY)
    recorder = vcr.VCR(record_mode="none", match_on=["method", "scheme", "host", "port", "path", "query", "body"])
    recorder.register_persister(_InMemory(made))

    def plain() -> AbstractContextManager[Any]:
        opened: AbstractContextManager[Any] = recorder.use_cassette(str(tmp_path / "none.yaml"))
        return opened

    numbers = range(BESIDE_VCRPY) if os.environ.get("MEMUSE_WHOLE") else spread(BESIDE_VCRPY, SAMPLE)
    answers, opening = opened(made)
    ours = seconds_per_call(lambda: answering_http(answers), spread(BESIDE_VCRPY, CHUNK)) + opening
    plainly = seconds_per_call(plain, numbers)
    with capsys.disabled():
        print(
            f"\n{BESIDE_VCRPY} calls: {ours * BESIDE_VCRPY:.2f} s; plain vcrpy {plainly * BESIDE_VCRPY:.0f} s, from "
            f"{len(numbers)} of its calls; {plainly / ours:.0f} times as fast (target {LEAST_TIMES_FASTER})"
        )
    assert plainly / ours >= LEAST_TIMES_FASTER
