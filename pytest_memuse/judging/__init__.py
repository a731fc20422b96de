"""Judges: spans in, signals out (MemUse 3.4, A.2)."""

from pytest_memuse.judging.answers import (
    Accuracy,
    Assessment,
    Effect,
    Influence,
    Judge,
    JudgeIdentity,
    Judgment,
    Novelty,
    Signal,
)
from pytest_memuse.judging.run import judge_episode
from pytest_memuse.judging.tracer import Tracer

__all__ = [
    "Accuracy",
    "Assessment",
    "Effect",
    "Influence",
    "Judge",
    "JudgeIdentity",
    "Judgment",
    "Novelty",
    "Signal",
    "Tracer",
    "judge_episode",
]
