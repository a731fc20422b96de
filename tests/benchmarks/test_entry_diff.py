"""The entry diff at the paper's size: 15,271 spans in 2,000 arcs on each side (MemUse 4.1).

Run with ``pytest tests/benchmarks/test_entry_diff.py -m benchmark -s``; prints seconds of processor time.
"""

import random
import time

import pytest

from pytest_memuse.gate.suite_diff import diff_suites
from pytest_memuse.profiles.rows import EpisodeRow, Run, SpanRow, Usage
from pytest_memuse.reports.diff import Heading, diff_lines
from pytest_memuse.reports.diff_data import diff_data
from tests.gate.rows import entry, episode, span

ARCS, SPANS = 2_000, 15_271


def large(seed: int, spans: int = SPANS, arcs: int = ARCS) -> Run:
    """Return a run whose arcs share the spans as evenly as can be, an episode to a span, three to six entries each."""
    draw = random.Random(seed)
    uses = [Usage.USED, Usage.MISUSED, Usage.IGNORED, Usage.UNPRODUCTIVE]
    episodes: list[EpisodeRow] = []
    for number in range(spans):
        rows = [
            entry(f"{number}-{n}", f"fact {draw.randrange(8)} of {number}", draw.choices(uses, [2, 1, 15, 2])[0])
            for n in range(draw.randint(3, 6))
        ]
        one: SpanRow = span(*rows, characters=draw.randint(200, 4000))
        episodes.append(
            episode(f"arc-{number % arcs}", one, task=f"task-{number // arcs}", success=draw.random() < 0.7)
        )
    return Run("large", tuple(episodes))


@pytest.mark.benchmark
def test_the_diff_of_two_large_runs_takes_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    """Compared with a run of a tenth of the size: ten times as much takes no more than some twenty times as long."""
    seconds = []
    for spans, arcs in ((SPANS // 10, ARCS // 10), (SPANS, ARCS)):
        then, now = large(1, spans, arcs), large(2, spans, arcs)
        begun = time.process_time()
        diff = diff_suites(then, now)
        compared = time.process_time()
        lines = diff_lines(diff, Heading("then", "now"))
        diff_data(diff)
        seconds.append(time.process_time() - begun)
        with capsys.disabled():
            told = f"{compared - begun:.2f} s to compare, {seconds[-1] - (compared - begun):.2f} s to render"
            print(f"\n{spans:,} spans in {arcs:,} arcs: {told}, {len(lines):,} lines")
    assert seconds[1] < 20 * seconds[0]
