"""What a `pytest_memuse_verdict` hook returns. Nothing of weight is imported here: a conftest.py imports it."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a verdict is to do to the build, and why; the reason is never empty, and is shown beside the verdict."""

    outcome: Literal["pass", "warn", "fail"]
    reason: str
