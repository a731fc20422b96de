"""The cells of a grid: which there are, and that running them twice is the same to the byte."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from pytest_memuse.arcs.cells import OWN, Cell, Shape, conditions_with, generated, grid, grid_over, run_cells, written
from pytest_memuse.arcs.generator import generate
from pytest_memuse.arcs.merit import Merit
from pytest_memuse.arcs.metering import Price
from pytest_memuse.arcs.progress import GridProgress
from pytest_memuse.arcs.scripted import MODEL_NAME, ScriptedModel
from pytest_memuse.arcs.types import Kind, Tier
from pytest_memuse.memory.conditions import CONDITIONS
from pytest_memuse.model import MemuseError
from pytest_memuse.recording.lines import recording_digest
from tests.recording.servers import json_server

ONE = generated(Shape(arcs=1))


def test_the_whole_grid_is_the_papers() -> None:
    cells = grid()
    assert len(cells) == 3 * 3 * 6
    assert {cell.condition for cell in cells} == set(CONDITIONS)


def test_no_memory_always_runs_and_is_never_corrupted() -> None:
    cells = grid(domains=["retail"], tiers=["hard"], conditions=["facts"], corruptions=["stale"], rates=[0.1, 0.3])
    assert [(cell.condition, cell.rate) for cell in cells] == [
        ("none", 0),
        ("facts", 0),
        ("facts", 0.1),
        ("facts", 0.3),
    ]


def test_memory_without_variants_runs_once() -> None:
    cells = grid(domains=["retail"], tiers=["hard"], conditions=["replay", "facts", OWN], variants=["starter", "real"])
    assert [(cell.condition, cell.variant) for cell in cells] == [
        ("none", "starter"),
        ("replay", "starter"),
        ("facts", "starter"),
        ("facts", "real"),
        (OWN, ""),
    ]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"domains": ["retial"]}, "did you mean 'retail'"),
        ({"tiers": ["harder"]}, "no tier 'harder'"),
        ({"conditions": ["fact"]}, "did you mean 'facts'"),
        ({"corruptions": ["stale"]}, "rates"),
        ({"corruptions": ["stale"], "rates": [1.5]}, "rates 1.5"),
        ({"corruptions": ["flood"], "rates": [0.1]}, "no corruption 'flood'"),
    ],
)
def test_a_cell_that_does_not_exist_is_refused(asked: dict[str, list[str]], told: str) -> None:
    with pytest.raises(MemuseError, match=told):
        grid(**asked)  # type: ignore[arg-type]


def test_a_small_grid_is_the_same_twice_and_holds_what_construction_says() -> None:
    """One arc a cell: all nine without memory, the hard ones with each. The whole is in tests/benchmarks/merit."""
    cells = [cell for cell in grid() if cell.tier is Tier.HARD or cell.condition == "none"]
    runs = list(run_cells(cells, ScriptedModel(), arcs=ONE))
    again = list(run_cells(cells[-6:], ScriptedModel(), arcs=ONE))
    digests = [recording_digest(run.recording) for _, run in runs]
    assert [recording_digest(run.recording) for _, run in again] == digests[-6:]

    merit = Merit.of(episode for _, run in runs for episode in run.scored)
    assert merit.where(condition="none").dependent_success == 0.0
    assert merit.where(condition="none").independent_success >= 0.8
    hardest = merit.where(tier="hard")
    assert hardest.where(condition="retrieval").stale_held == 1.0
    assert hardest.where(condition="retrieval").holding == 1.0
    assert hardest.where(condition="facts").stale_held == 0.0
    assert hardest.where(condition="facts").holding == 1.0
    text = {name: float(hardest.where(condition=name).exposed) for name in CONDITIONS}
    assert max(text, key=lambda name: text[name]) == "replay"
    assert text["none"] == 0


def test_stale_records_are_returned_by_memory_that_only_adds() -> None:
    cells = grid(
        domains=["retail"], tiers=["hard"], conditions=["facts", "retrieval"], corruptions=["stale"], rates=[1.0]
    )
    episodes = [e for _, run in run_cells(cells, ScriptedModel(), arcs=ONE) for e in run.scored]
    probes = [e for e in episodes if e.kind is Kind.PROBE and e.corruption]
    assert {e.condition for e in probes} == {"facts", "retrieval"}
    assert all(e.stale and not e.held for e in probes)
    assert Merit.of(episodes).where(condition="facts").stale_harm("stale", 1.0) == 1.0


def test_arcs_that_somebody_wrote_run_in_the_cells_of_their_domain_and_tier() -> None:
    easy, hard = (generate("retail", tier, seed=5, arcs=1)[0] for tier in ("easy", "hard"))
    own = [replace(easy, domain="lockers"), replace(hard, domain="lockers"), replace(hard, domain="lockers", id="two")]
    cells = grid_over(own, conditions=["facts"])
    assert [(cell.domain, cell.tier, cell.condition) for cell in cells] == [
        ("lockers", "easy", "none"),
        ("lockers", "easy", "facts"),
        ("lockers", "hard", "none"),
        ("lockers", "hard", "facts"),
    ]
    runs = list(run_cells(cells, ScriptedModel(), arcs=written(own)))
    assert [run.recording.arc for _, run in runs] == [own[0].id] * 2 + [own[1].id, "two"] * 2
    assert Merit.of(e for _, run in runs for e in run.scored).where(condition="facts").gain == 1.0


def test_memory_side_calls_of_a_real_variant_are_metered_into_cost_and_band() -> None:
    """The memory-side model finds every fact by the sentences' form, over real HTTP, and says what it cost."""

    def extracted(path: str, body: dict[str, Any]) -> dict[str, Any]:
        turns = json.loads(body["messages"][-1]["content"])["conversation"]
        told = " ".join(turn["content"] for turn in turns if turn["role"] == "user")
        facts = re.findall(r"The (.+?) is (?:now )?(.+?)\.(?= |$)", told)
        content = json.dumps({"facts": [{"subject": subject, "value": value} for subject, value in facts]})
        usage = {"prompt_tokens": 50, "completion_tokens": 7, "cost": 0.002}
        return {"model": "m", "choices": [{"message": {"role": "assistant", "content": content}}], "usage": usage}

    cells = grid(domains=["retail"], tiers=["hard"], conditions=["facts"], variants=["starter", "real"])
    prices = {MODEL_NAME: Price(1.0, 1.0)}
    with json_server(extracted) as (base, _):
        memory = conditions_with({"llm_model": "m", "llm_base_url": base})
        runs = list(run_cells(cells, ScriptedModel(), arcs=ONE, memory=memory, prices=prices))
    merit = Merit.of(episode for _, run in runs for episode in run.scored)
    starter, real = (merit.where(condition="facts", variant=variant) for variant in ("starter", "real"))
    assert starter.memory_tokens == 0
    assert real.memory_tokens == 57
    assert real.cost > starter.cost
    assert real.utility().extra > 0.002
    assert merit.band("facts").real == 1.0
    assert merit.band("facts").difference == 0


def test_a_system_of_ones_own_needs_its_factory() -> None:
    cells = grid(domains=["retail"], tiers=["easy"], conditions=[OWN])
    with pytest.raises(MemuseError, match="one's own"):
        list(run_cells(cells, ScriptedModel(), memory=conditions_with(), arcs=ONE))


def test_progress_tells_rate_and_estimate_now_and_then() -> None:
    now, said = [0.0], list[str]()
    progress = GridProgress(40, said.append, lambda: now[0], every=10.0)
    for _ in range(12):
        now[0] += 1.0
        progress.count(Cell("retail", Tier.HARD, 0, "facts"))
    assert said == ["10 of 40 arcs (retail, hard, facts/starter), 60 arcs/min, about 30 s left"]
