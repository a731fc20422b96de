"""What a judge may read of a span, the tools that it reads with, and what it has read (MemUse A.2.1, A.3.1)."""

from pytest_memuse.judging.evidence.ledger import ReadLedger
from pytest_memuse.judging.evidence.package import EpisodeCase, build_evidence
from pytest_memuse.judging.evidence.tool_schemas import READ, SEARCH, tool_schemas
from pytest_memuse.judging.evidence.tools import PAGE, ToolAnswer, call_tool, read_evidence, search_evidence
from pytest_memuse.judging.evidence.types import (
    CopyState,
    EarlierCopy,
    EpisodeEvidence,
    EvidencePackage,
    TargetEntry,
    step_name,
)

__all__ = [
    "PAGE",
    "READ",
    "SEARCH",
    "CopyState",
    "EarlierCopy",
    "EpisodeCase",
    "EpisodeEvidence",
    "EvidencePackage",
    "ReadLedger",
    "TargetEntry",
    "ToolAnswer",
    "build_evidence",
    "call_tool",
    "read_evidence",
    "search_evidence",
    "step_name",
    "tool_schemas",
]
