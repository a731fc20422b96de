"""Exposure, recording checks, injection spans and credit windows (MemUse 3.3, A.1)."""

from pytest_memuse.spans.building import build_spans
from pytest_memuse.spans.checks import Problem, recording_problems
from pytest_memuse.spans.context import PriorSource, prior_context
from pytest_memuse.spans.exposure import match_exposure
from pytest_memuse.spans.proofs import ProblemKind
from pytest_memuse.spans.replay import replay_inputs
from pytest_memuse.spans.types import Exposure, ExposureKind, Span, SpanEntry, SpanOutcome, Window

__all__ = [
    "Exposure",
    "ExposureKind",
    "PriorSource",
    "Problem",
    "ProblemKind",
    "Span",
    "SpanEntry",
    "SpanOutcome",
    "Window",
    "build_spans",
    "match_exposure",
    "prior_context",
    "recording_problems",
    "replay_inputs",
]
