"""The judge that asks a language model, within limits, and checks every answer (MemUse 3.5, A.3)."""

from pytest_memuse.judging.llm.judge import LlmJudge
from pytest_memuse.judging.llm.outcome import ErrorReason, SpanJudgment, Usage
from pytest_memuse.judging.llm.run_policy import Records
from pytest_memuse.judging.llm.settings import ConversationLimits, RequestSettings, RunLimits, SchemaUse

__all__ = [
    "ConversationLimits",
    "ErrorReason",
    "LlmJudge",
    "Records",
    "RequestSettings",
    "RunLimits",
    "SchemaUse",
    "SpanJudgment",
    "Usage",
]
