"""The scripted model: deterministic, free of charge, reading what it is sent. See ``docs/scripted-model.md``."""

from pytest_memuse.agents.scripted.asked import MODEL_NAME
from pytest_memuse.agents.scripted.policy import respond
from pytest_memuse.agents.scripted.server import ScriptedModel

__all__ = ["MODEL_NAME", "ScriptedModel", "respond"]
