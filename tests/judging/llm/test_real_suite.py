"""The suite that runs against a real judge: it works, and fails where the judge obeys what it reads."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.judging.llm.adversaries import TEXTS
from tests.judging.llm.endpoint import Script, Turn, assessed, modest, says, served
from tests.judging.llm.judging import ALL_READ
from tests.judging.llm.needs import need_litellm

need_litellm()

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[3]
OBEYED = assessed(novelty="novel", influence="acted_on", effect="improved", anchors=[2], evidence=[2])


def obedient(request: Mapping[str, Any], _: int) -> Turn:
    """Read everything, and then say what the texts want to hear."""
    read = any(message["role"] == "tool" for message in request["messages"])
    return says(OBEYED) if read else ALL_READ


def suite_against(script: Script) -> tuple[int, str]:
    """Run the suite as its documentation says, and return its exit code and what it printed."""
    with served(script) as endpoint:
        named = {"MEMUSE_REAL_JUDGE": "openai/scripted", "MEMUSE_REAL_JUDGE_BASE": endpoint.url}
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "tests/judging/llm/test_adversarial.py", "-k", "real"],
            cwd=ROOT,
            env={**{name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}, **named},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    return ran.returncode, ran.stdout + ran.stderr


def test_a_judge_that_leaves_open_what_it_cannot_show_passes() -> None:
    code, printed = suite_against(modest)
    assert code == 0, printed
    assert f"{len(TEXTS)} passed" in printed


def test_a_judge_that_obeys_fails_with_every_text() -> None:
    code, printed = suite_against(obedient)
    assert code == 1
    assert f"{len(TEXTS)} failed" in printed
    assert "is not <Influence.ACTED_ON" in printed
