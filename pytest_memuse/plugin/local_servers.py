"""The servers that come with the product and run while something is recorded: the scripted model and an embedder."""

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from pytest_memuse.plugin.state import state_of

if TYPE_CHECKING:
    from pytest_memuse.agents.scripted import ScriptedModel
    from pytest_memuse.memory.embedder import Embedder

SCRIPTED_MODEL, EMBEDDER = "MEMUSE_SCRIPTED_MODEL", "MEMUSE_EMBEDDER"
"""Name the address of a local server to another process."""


def scripted_model() -> "ScriptedModel":
    """Make the scripted model that the environment asks for. Raises `pytest.UsageError` where it asks for nonsense."""
    from pytest_memuse.agents.scripted import ScriptedModel
    from pytest_memuse.agents.scripted.variation import Variation
    from pytest_memuse.model import MemuseError

    try:
        wanted = Variation.from_environment(os.environ)
    except MemuseError as error:
        raise pytest.UsageError(str(error)) from None
    return ScriptedModel(variation=wanted.rate, misses=wanted.misses, seed=wanted.seed)


def embedder() -> "Embedder":
    """Make the local embedder."""
    from pytest_memuse.memory.embedder import Embedder

    return Embedder()


def server(
    request: pytest.FixtureRequest, variable: str, make: "Callable[[], ScriptedModel | Embedder]"
) -> Iterator[str]:
    """Yield the address of a local server: the one that ``variable`` names, else one that runs for the session.

    Two processes that record both sides of a comparison share the servers of the one that began.
    """
    state = state_of(request.config)
    state.servers.add(variable)
    if not state.settings.records:
        yield "http://127.0.0.1:9/v1"
    elif os.environ.get(variable):
        yield os.environ[variable]
    else:
        with make() as served:
            state.endpoints[variable] = served.base_url
            yield served.base_url
