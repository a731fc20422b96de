"""How the shop team's agent, memory and checks are plugged in. Replaying needs only `memuse_memory`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def memuse_memory(memuse_scripted_model, memuse_embedder):
    from pytest_memuse.memory.mem0 import Mem0Memory

    # Called once per arc, with an empty folder for the store.
    return lambda folder: Mem0Memory(
        folder,
        llm_base_url=memuse_scripted_model,
        llm_model="memuse-scripted-1",
        embedder_base_url=memuse_embedder,
    )


@pytest.fixture(scope="session")
def memuse_agent(memuse_scripted_model):
    from pytest_memuse.agents.mini_swe import MiniSweAgent

    return MiniSweAgent(memuse_scripted_model)


@pytest.fixture(scope="session")
def memuse_outcome():
    def succeeded(episode):
        """Run the task's own tests in the agent's workspace; the agent never saw them."""
        done = subprocess.run(
            [sys.executable, "-m", "unittest", episode.data["test"]],
            cwd=episode.workspace,
            env={"PYTHONPATH": str(HERE / "checks"), "PATH": os.defpath, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            timeout=60,
            check=False,
        )
        return done.returncode == 0

    return succeeded
