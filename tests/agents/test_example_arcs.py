"""The example project's arcs do what their heading says, with and without the right memory."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_memuse.agents.scripted.language import brief_of, facts_in_lines, facts_in_prose, setting_in, values_of
from tests.agents.driving import request, unittest_passes, work

EXAMPLE = Path(__file__).parents[2] / "example_project"
SUITE = yaml.safe_load((EXAMPLE / "arcs/shop.yaml").read_text())
ARCS = {arc["id"]: arc["episodes"] for arc in SUITE["arcs"]}
EXPLORABLE = {"moved-file", "credentials-file", "archive-region"}
UNCHANGED = {"build-quirk", "archive-region"}
each_arc = pytest.mark.parametrize("arc", ARCS)


def prepare(episode: Mapping[str, Any], folder: Path) -> Path:
    shutil.copytree(EXAMPLE / "arcs" / episode["files"], folder)
    for name, text in episode.get("write", {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def succeeds(episode: Mapping[str, Any], folder: Path, memory: str = "") -> tuple[bool, int]:
    """Run an episode without harness and store; return whether it succeeded, and the number of its commands."""
    run = work(prepare(episode, folder), request(episode["task"], memory=memory))
    return unittest_passes(episode["test"], folder, EXAMPLE / "checks"), len(run.commands)


def remembered(episode: Mapping[str, Any], *, stale: bool = False) -> str:
    (fact,) = episode["references"]
    value = fact["superseded"][0] if stale else fact["value"]
    return f"- `{fact['subject']}` is `{value}`."


def texts_in(folder: Path) -> Iterator[str]:
    for file in folder.rglob("*"):
        if file.is_file():
            yield file.read_text()


def test_there_are_enough_arcs_for_a_verdict() -> None:
    assert len(ARCS) >= 12
    assert all(len(episodes) == 4 for episodes in ARCS.values())
    assert sum("superseded" in episodes[-1]["references"][0] for episodes in ARCS.values()) >= 9


@each_arc
def test_a_plant_states_the_fact_and_succeeds_by_it(arc: str, tmp_path: Path) -> None:
    plant = ARCS[arc][0]
    (fact,) = plant["references"]
    stated = {(f.subject, f.value) for f in facts_in_prose(plant["task"])}
    assert (fact["subject"], fact["value"]) in stated
    assert len(stated) >= 2  # Something besides, so that not every memory is relevant later.
    assert succeeds(plant, tmp_path / "w")[0]


@each_arc
def test_another_project_states_unrelated_facts(arc: str) -> None:
    elsewhere, probe = ARCS[arc][1], ARCS[arc][-1]
    facts = list(facts_in_prose(elsewhere["task"]))
    assert elsewhere["scope"] != probe["scope"]
    assert 4 <= len(facts) <= 6
    assert not {f.subject for f in facts} & {n.subject for n in brief_of(probe["task"]).needs}


@pytest.mark.parametrize("project", sorted({episodes[1]["scope"] for episodes in ARCS.values()}))
def test_an_episode_in_another_project_succeeds(project: str, tmp_path: Path) -> None:
    elsewhere = next(episodes[1] for episodes in ARCS.values() if episodes[1]["scope"] == project)
    assert succeeds(elsewhere, tmp_path / "w")[0]


@pytest.mark.parametrize("arc", sorted(ARCS.keys() - UNCHANGED))
def test_an_update_is_found_in_the_repository_and_not_in_the_task(arc: str, tmp_path: Path) -> None:
    update = ARCS[arc][2]
    assert not list(facts_in_prose(update["task"]))
    ok, commands = succeeds(update, tmp_path / "w", remembered(update, stale=True))
    assert ok
    assert commands <= 6  # It never tries the value that it remembers.


@each_arc
def test_a_probe_needs_the_memory_of_the_current_value(arc: str, tmp_path: Path) -> None:
    probe = ARCS[arc][-1]
    ok, best = succeeds(probe, tmp_path / "with", remembered(probe))
    assert ok
    others = {"without": ""}
    if arc not in UNCHANGED:
        others["stale"] = remembered(probe, stale=True)
    for name, memory in others.items():
        ok, commands = succeeds(probe, tmp_path / name, memory)
        assert ok is (arc in EXPLORABLE), name
        assert not ok or commands > best, name


@pytest.mark.parametrize("arc", sorted(ARCS.keys() - EXPLORABLE))
def test_the_value_that_a_probe_needs_is_nowhere_in_its_files_or_task(arc: str, tmp_path: Path) -> None:
    probe = ARCS[arc][-1]
    (fact,) = probe["references"]
    texts = [probe["task"], *texts_in(prepare(probe, tmp_path / "w"))]
    lines = [line for text in texts for line in text.splitlines()]
    assert len(texts) > 3
    assert fact["value"] not in values_of(fact["subject"], facts_in_lines("\n".join(texts)))
    assert not any(s.value == fact["value"] for line in lines if (s := setting_in(line)) and s.key == fact["subject"])
    # A value of one character stands in every file.
    assert len(fact["value"]) == 1 or not any(fact["value"] in line for line in lines)
