"""What an unchanged suite of 5,000 spans costs; run with ``pytest tests/benchmarks/judging -m benchmark -s``.

Recordings and records take about 400 MB in the temporary folder, and five to twenty minutes to make.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.judging.corpus import EPISODES, SPANS, write_suite

pytestmark = pytest.mark.benchmark

ROOT = Path(__file__).parents[3]
WHOLE = 5_000
MOST_TIMES_SENT = 20
MOST_GROWTH = 1.5
"""Of the ratio to parsing, from a quarter of the suite to the whole: what is held is walked by the collector."""

ROUNDS = 3
"""Fresh processes of which the cheapest counts: other work on the machine makes each of them dearer, never cheaper."""


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suite")
    write_suite(folder, WHOLE)
    return folder


def _measured(folder: Path, arcs: int) -> dict[str, Any]:
    """Measure in a process of its own, which has imported nothing before."""
    command = [sys.executable, "-m", "tests.benchmarks.judging.measuring", str(folder), str(arcs)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_suite_is_profiled_from_records_without_litellm_at_a_cost_that_grows_with_its_size_alone(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ratios = []
    whole = -(-WHOLE // (SPANS * EPISODES))
    for arcs in (-(-whole // 4), -(-whole // 2), whole):
        rounds = [_measured(suite, arcs) for _ in range(ROUNDS)]
        found = min(rounds, key=lambda one: float(one["seconds"] / one["json_seconds"]))
        ratios.append(found["seconds"] / found["json_seconds"])
        with capsys.disabled():
            print(
                f"\n{found['spans']} spans in {arcs} arcs, {found['json_bytes'] / 1e6:.0f} MB: json.loads "
                f"{found['json_seconds']:.2f} s, profile {found['seconds']:.1f} s, {ratios[-1]:.1f} times; "
                f"{1e3 * found['seconds'] / found['spans']:.1f} ms a span; peak {found['peak'] / 1e6:.0f} MB; "
                f"with every request as it was sent {found['sent_bytes'] / 1e6:.0f} MB: json.loads "
                f"{found['sent_seconds']:.2f} s, "
                f"{found['seconds'] / found['sent_seconds']:.1f} times"
            )
        assert found["judged"] == found["spans"]
        assert found["relevance"] == 1.0
        assert found["litellm"] is False
    assert found["spans"] >= WHOLE
    assert found["seconds"] <= MOST_TIMES_SENT * found["sent_seconds"]
    assert ratios[-1] <= MOST_GROWTH * ratios[0]
