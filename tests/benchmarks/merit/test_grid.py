"""The whole grid of MERIT with the scripted agent, for nothing: the same twice, and what construction says of it.

Run with ``pytest tests/benchmarks/merit -m benchmark -s``; the smaller everyday one is in tests/arcs/test_cells.py.
"""

import json
import os
import subprocess
import sys
import time
from collections import Counter

import pytest

from pytest_memuse.arcs.cells import Cell, grid, run_cells
from pytest_memuse.arcs.episode_tracing import traces
from pytest_memuse.arcs.merit import Merit
from pytest_memuse.arcs.running import ArcRun
from pytest_memuse.arcs.scripted import ScriptedModel
from pytest_memuse.arcs.types import Kind, Tier
from pytest_memuse.memory.conditions import CONDITIONS
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.lines import recording_digest
from pytest_memuse.reports.merit import merit_lines

ALLOWED_SECONDS = 300
"""CPU seconds of one core that a run of the grid may take; on two cores that is less than five minutes."""

_AGAIN = """
import json
from tests.benchmarks.merit.test_grid import digests, whole_grid
print(json.dumps(digests(whole_grid())))
"""


def whole_grid() -> list[tuple[Cell, ArcRun]]:
    """Run 3 domains, 3 tiers and 6 conditions (starter) with 10 arcs of 5 episodes."""
    return list(run_cells(grid(), ScriptedModel()))


def digests(runs: list[tuple[Cell, ArcRun]]) -> list[str]:
    """Return what tells whether two runs are the same: each recording's digest and its scores, to the letter."""
    return [f"{recording_digest(run.recording)} {run.scored!r}" for _, run in runs]


@pytest.fixture(scope="module")
def first() -> tuple[list[tuple[Cell, ArcRun]], float]:
    begun = time.process_time()
    runs = whole_grid()
    return runs, time.process_time() - begun


@pytest.mark.benchmark
def test_the_grid_costs_little_and_is_the_same_in_another_process(
    first: tuple[list[tuple[Cell, ArcRun]], float], capsys: pytest.CaptureFixture[str]
) -> None:
    runs, seconds = first
    assert Counter(cell for cell, _ in runs) == dict.fromkeys(grid(), 10)
    assert digests(whole_grid()) == digests(runs)
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    done = subprocess.run([sys.executable, "-c", _AGAIN], env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == digests(runs)
    assert seconds < ALLOWED_SECONDS
    with capsys.disabled():
        episodes = sum(len(run.scored) for _, run in runs)
        print(f"\nthe grid: {len(runs)} arcs, {episodes} episodes, {seconds:.1f} CPU seconds")


@pytest.mark.benchmark
def test_the_floor_is_zero_on_probes_and_high_on_independent_episodes_in_all_nine_cells(
    first: tuple[list[tuple[Cell, ArcRun]], float], capsys: pytest.CaptureFixture[str]
) -> None:
    merit = Merit.of(episode for _, run in first[0] for episode in run.scored)
    floor = merit.where(condition="none")
    cells = {(episode.domain, episode.tier) for episode in floor.episodes}
    assert len(cells) == 9
    for domain, tier in cells:
        cell = floor.where(domain=domain, tier=tier)
        assert cell.dependent_success == 0.0, (domain, tier)
        assert cell.dependent_success.counts.denominator >= 10, (domain, tier)
        assert cell.independent_success >= 0.8, (domain, tier)
    with capsys.disabled():
        print("\n" + "\n".join(merit_lines(merit)))


@pytest.mark.benchmark
def test_what_memory_holds_of_updated_facts_is_its_architectures(
    first: tuple[list[tuple[Cell, ArcRun]], float],
) -> None:
    """Read from the recordings' deliveries alone, whatever the agent made of them."""
    hard = [
        episode
        for cell, run in first[0]
        if cell.tier is Tier.HARD
        for episode in traces(derive_log(run.recording).episodes, cell.condition)
        if episode.kind is Kind.PROBE
    ]
    held = {name: [e for e in hard if e.condition == name] for name in CONDITIONS}
    assert all(len(episodes) == 60 for episodes in held.values())
    assert not any(e.held or e.stale for e in held["none"])
    assert all(e.held and e.stale for e in held["replay"])
    both = sum(bool(e.held and e.stale) for e in held["retrieval"])
    assert both == len(held["retrieval"]), both
    assert all(e.held and not e.stale for e in held["facts"])
    assert all(e.held and e.stale for e in held["hybrid"])


@pytest.mark.benchmark
def test_full_replay_exposes_most_tokens_in_every_cell(first: tuple[list[tuple[Cell, ArcRun]], float]) -> None:
    merit = Merit.of(episode for _, run in first[0] for episode in run.scored)
    for domain, tier in {(episode.domain, episode.tier) for episode in merit.episodes}:
        text = {name: float(merit.where(domain=domain, tier=tier, condition=name).exposed) for name in CONDITIONS}
        assert max(text, key=lambda name: text[name]) == "replay", (domain, tier, text)
