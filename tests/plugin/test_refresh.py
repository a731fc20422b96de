"""Refreshing in real pytest runs: what is kept, what runs, what is told; previews, budgets, interruptions."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_memuse.plugin.forks import available
from tests.plugin.project import Project

_COUNTING = """
import json

COUNTED = Path(__file__).parent / "asked.jsonl"


def _counted(path, body):
    if path.endswith("/chat/completions"):
        with COUNTED.open("a") as file:
            file.write(json.dumps(body["messages"][1]["content"]) + "\\n")
    return rule_model(path, body)
"""

_DRIFTING = """
from dataclasses import dataclass

from tests.episodes.small_world import NoteMemory as Plain


@dataclass
class NoteMemory(Plain):
    drifts: bool = False

    def recall(self, query, *, scope):
        given = super().recall(query, scope=scope)
        return type(given)("") if self.drifts and "DRIFT" in query else given
"""

_EPISODE = """
      - {{id: plant, scope: shop, task: "Remember {arc}.\\nnote: port is 8081"}}
      - {{id: other, scope: else, task: "Something else {arc}."}}
      - {{id: update, scope: shop, task: "search, then replace the note {arc}."}}
      - {{id: probe, scope: shop, task: "Use the port {probe}."}}
"""


_SLOW = """
    run = chat_agent(base_url)

    def slow(episode):
        if episode.arc == "arc-2":
            import subprocess, sys

            child = "import os, time; open('child', 'w').write(str(os.getpid())); time.sleep(60)"
            subprocess.run([sys.executable, "-c", child])
        run(episode)

    return slow
"""


def _asked(project: Project) -> list[str]:
    """Return the tasks that the live model was asked about since the last look, in order, each once."""
    path = project.folder / "asked.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return list(dict.fromkeys(json.loads(line).split("\n")[0] for line in lines))


def _made(folder: Path) -> Project:
    """A project of six arcs of four episodes; the probes of two arcs are such that a change of the memory shows."""
    project = Project.make(folder)
    conftest = project.folder / "conftest.py"
    text = conftest.read_text().replace("json_server(rule_model)", "json_server(_counted)")
    conftest.write_text(text.replace("\n\n@pytest.fixture", _COUNTING + _DRIFTING + "\n\n@pytest.fixture", 1))
    arcs = "".join(
        f"  - id: arc-{n}\n    episodes:{_EPISODE.format(arc=n, probe=f'DRIFT {n}' if n in (1, 4) else n)}"
        for n in range(6)
    )
    (project.folder / "arcs.yaml").write_text("arcs:\n" + arcs)
    return project


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = _made(tmp_path_factory.mktemp("refresh") / "project")
    ran = project.run("--memuse-record-mode=once", "--memuse-update=main")
    assert ran.code == 0, ran.out
    assert len(_asked(project)) == 24
    return project


@pytest.fixture
def world(recorded: Project, tmp_path: Path) -> Project:
    return recorded.copy(tmp_path / "project")


def test_two_drifted_episodes_of_24_are_recorded_anew_and_nothing_else(world: Project) -> None:
    before = world.recordings()
    ran = world.run("--memuse-record-mode=new_episodes", broken=["drifts"])
    assert ran.code == 0, ran.out
    assert _asked(world) == ["Use the port DRIFT 1.", "Use the port DRIFT 4."]
    changed = [name for name, content in world.recordings().items() if before[name] != content]
    assert changed == ["arc-1.jsonl", "arc-4.jsonl"]
    for told in (
        "refreshed 2 of 6 recordings of suite shop: 2 episodes recorded anew, 6 of the same arcs kept",
        "arc-1, episode probe, step 1: delivers differently",
        "kept: plant, other, update; attempt 2",
        "arc-4/probe  1 → 0    5 → 0             1      yes → no",
        "next: the baseline main rests on the old recordings: compare with `pytest --memuse-baseline=main`",
        "`pytest --memuse-update=main`",
        "then: git add cassettes/shop/arc-1.jsonl cassettes/shop/arc-4.jsonl baselines/main.json",
    ):
        assert told in ran.out
    again = world.run("--memuse-record-mode=new_episodes")
    assert again.code == 0, again.out
    assert _asked(world) == ["Use the port DRIFT 1.", "Use the port DRIFT 4."]
    assert "kept: plant, other, update; attempt 3" in again.out
    assert "note: attempt 3: a model answers otherwise each time" in again.out


def test_a_stale_suite_tells_what_the_rest_would_come_to(world: Project) -> None:
    before = world.recordings()
    ran = world.run(broken=["forgets"])
    assert ran.code == 1
    assert "as far as the recorded steps go, with the agent's part as it was recorded" in ran.out
    assert re.search(r"all 6 +18 of 18 +12 gone, 0 changed +0 +84 → 12 +–", ran.out)
    assert world.recordings() == before


def test_a_budget_stops_between_calls_keeps_whole_arcs_and_says_how_to_go_on(world: Project) -> None:
    for path in world.folder.glob("cassettes/shop/*.jsonl"):
        path.unlink()
    calls = 2 * 11 + 5  # each arc makes eleven calls: seven of the agent, four embeddings
    ran = world.run("--memuse-record-mode=once", f"--memuse-budget={calls}calls", "--memuse-baseline=main")
    assert ran.code == 1
    assert "the budget of 27 calls is used up, after 2 of 6 arcs; their recordings are whole and kept" in ran.out
    assert "pytest --memuse-record-mode=once --memuse-budget=27calls` to go on" in ran.out
    assert "gate shop: not evaluated (the budget was used up before every arc was recorded)" in ran.out
    assert "Traceback" not in ran.out
    assert sorted(p.name for p in world.folder.glob("cassettes/shop/*")) == ["arc-0.jsonl", "arc-1.jsonl"]


@pytest.mark.skipif(not available(), reason="this platform cannot fork safely, and the option is refused there")
@pytest.mark.long
def test_arcs_are_refreshed_at_the_same_time_with_the_same_result(world: Project) -> None:
    ran = world.run("--memuse-record-mode=new_episodes", "--memuse-jobs=3", broken=["drifts"])
    assert ran.code == 0, ran.out
    assert sorted(_asked(world)) == ["Use the port DRIFT 1.", "Use the port DRIFT 4."]
    assert "memuse: recording shop/arc-4 (5/6), episode 4/4 probe" in ran.out
    told = [line.split(",")[0].strip() for line in ran.out.splitlines() if "delivers differently" in line]
    assert told == ["arc-1", "arc-4"]


def test_a_budget_that_cannot_be_measured_is_not_to_be_tried_again(world: Project) -> None:
    ran = world.run("--memuse-record-mode=all", "--memuse-budget=2usd")
    assert ran.code == 1
    assert re.search(
        r"the budget of 2.00 usd cannot be measured: exchange \d+ does not report its cost .*, after 0 of 6", ran.out
    )
    assert "to mend: give the budget in calls or minutes" in ran.out
    assert "to go on" not in ran.out


def test_a_budget_that_is_none_is_a_usage_error(world: Project) -> None:
    ran = world.run("--memuse-budget=much")
    assert ran.code == 4
    assert "--memuse-budget: 'much' is no budget" in ran.out


@pytest.mark.long
def test_ctrl_c_keeps_whole_arcs_and_leaves_no_process_and_no_folder(world: Project, tmp_path: Path) -> None:
    for path in world.folder.glob("cassettes/shop/*.jsonl"):
        path.unlink()
    conftest = world.folder / "conftest.py"
    conftest.write_text(conftest.read_text().replace("    return chat_agent(base_url)", _SLOW))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    child = world.folder / "child"
    started = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--memuse-record-mode=once"],
        cwd=world.folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "TMPDIR": str(temporary), "BREAK": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        while not child.exists() or not child.read_text():
            assert started.poll() is None, started.communicate()[0]
            time.sleep(0.05)
        started.send_signal(signal.SIGINT)
        out, _ = started.communicate(timeout=60)
    finally:
        started.kill()
    assert started.returncode == 2
    assert "suite 'shop': interrupted after 2 of 6 arcs; their recordings are whole and kept" in out
    assert "run again with `pytest --memuse-record-mode=once` to go on" in out
    assert sorted(p.name for p in world.folder.glob("cassettes/shop/*")) == ["arc-0.jsonl", "arc-1.jsonl"]
    assert list(temporary.glob("memuse*")) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(child.read_text()), 0)
