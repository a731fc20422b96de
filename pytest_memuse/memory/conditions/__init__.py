"""MERIT's six memory conditions (3.4) as memory systems: none, full replay, retrieval, summary, fact store, hybrid."""

from pytest_memuse.memory.conditions.condition import Condition
from pytest_memuse.memory.conditions.factory import CONDITIONS, VARIANTS, Settings, condition
from pytest_memuse.memory.conditions.models import ChatModel, EmbeddingModel, RefusedByModel

__all__ = [
    "CONDITIONS",
    "VARIANTS",
    "ChatModel",
    "Condition",
    "EmbeddingModel",
    "RefusedByModel",
    "Settings",
    "condition",
]
