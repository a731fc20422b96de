"""A small user project that real pytest runs are made on: a suite of short arcs over a dictionary of notes."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest_memuse

_WITHOUT = ("-p", "no:hypothesispytest", "-p", "no:anyio")
"""Plugins that happen to be installed here, take long to start, and have no part in what is tested."""

_ROOT = Path(pytest_memuse.__file__).parents[1]

CONFTEST = """
import os
from pathlib import Path

import pytest

from tests.episodes.small_world import DEAD, NoteMemory, chat_agent, rule_model
from tests.recording.servers import json_server


@pytest.fixture(scope="session")
def base_url(request):
    if request.config.getoption("memuse_record_mode") in (None, "none"):
        yield DEAD
        return
    with json_server(rule_model) as (base, _):
        yield base


@pytest.fixture(scope="session")
def memuse_memory(base_url):
    settings = {name: True for name in os.environ.get("BREAK", "").split()}
    return lambda folder: NoteMemory(base_url, **settings)


@pytest.fixture(scope="session")
def memuse_agent(base_url):
    return chat_agent(base_url)


@pytest.fixture(scope="session")
def memuse_outcome():
    def succeeded(episode):
        known = (episode.workspace / "known.txt").read_text()
        return "port is 9091" in known if episode.episode == "probe" else True

    return succeeded
"""

TESTS = """
import pytest


@pytest.mark.memuse(suite="shop", arcs="arcs.yaml")
def test_tasks_are_solved(memuse):
    assert memuse.profile().outcome_rate > 0.1


@pytest.mark.memuse(suite="shop", arcs="arcs.yaml")
def test_little_is_delivered(memuse):
    assert memuse.profile().delivered_tokens < 1000


def test_without_memory():
    assert True
"""


def arcs_yaml(arcs: int) -> str:
    """Return an arcs file in which every arc plants a port, supersedes it, and needs it."""
    episodes = """
      - {id: plant, scope: shop, task: "Remember this.\\nnote: port is 8081"}
      - id: update
        scope: shop
        task: search, then replace the note.
        references: [{subject: port, value: "8081"}]
      - id: probe
        scope: shop
        task: Use the port.
        references: [{subject: port, value: "9091", superseded: ["8081"]}]
"""
    return "arcs:\n" + "".join(f"  - id: arc-{n}\n    episodes:{episodes}" for n in range(arcs))


@dataclass(frozen=True)
class Ran:
    """One pytest run: exit code, what it printed, and the JUnit file where one was asked for."""

    code: int
    out: str
    junit: Path

    @property
    def gate_lines(self) -> list[str]:
        """The lines of the summary that say how gates ended."""
        return [line for line in self.out.splitlines() if line.startswith(("gate ", "gate:"))]

    @property
    def failures(self) -> dict[str, str]:
        """Names and messages of the JUnit file's failures."""
        cases = ElementTree.parse(self.junit).getroot().iter("testcase")
        return {
            f"{case.get('classname')}.{case.get('name')}": "".join(failure.itertext())
            for case in cases
            for failure in case.findall("failure")
        }


Start = Callable[[Sequence[str], Path, Mapping[str, str]], tuple[int, str]]
"""Runs pytest with these arguments in a folder with an environment; returns exit code and what it printed."""


def start_pytest(arguments: Sequence[str], folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    """Run pytest as a user does."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@dataclass(frozen=True)
class Project:
    """A project in a folder of its own, and how pytest is started in it."""

    folder: Path
    start: Start = start_pytest

    @classmethod
    def make(cls, folder: Path, *, arcs: int = 6) -> "Project":
        folder.mkdir(parents=True)
        (folder / "pytest.ini").write_text("[pytest]\n")
        (folder / "conftest.py").write_text(CONFTEST)
        (folder / "test_shop.py").write_text(TESTS)
        (folder / "arcs.yaml").write_text(arcs_yaml(arcs))
        return cls(folder)

    def copy(self, folder: Path) -> "Project":
        shutil.copytree(self.folder, folder)
        return Project(folder, self.start)

    def run(
        self,
        *arguments: str,
        broken: Sequence[str] = (),
        cache: bool = False,
        junit_file: bool = True,
        within: str = "",
        **environment: str,
    ) -> Ran:
        """Run pytest in the project, or ``within`` a folder of it; ``broken`` names faults of its memory system.

        pytest's cache is off unless asked for, so that one run of a test says nothing to the next.
        """
        junit = self.folder / "junit.xml"
        junit.unlink(missing_ok=True)
        given = [] if cache else ["-p", "no:cacheprovider"]
        given += [f"--junitxml={junit}"] if junit_file else []
        # Without compiled files every run would pay for compiling the libraries again.
        dropped = ("MEMUSE", "PYTEST", "CI", "PYTHONDONTWRITEBYTECODE")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
        environment = {**kept, "PYTHONPATH": str(_ROOT), "BREAK": " ".join(broken), "COLUMNS": "200", **environment}
        code, printed = self.start([*_WITHOUT, *given, *arguments], self.folder / within, environment)
        return Ran(code, printed, junit)

    def recordings(self) -> dict[str, bytes]:
        """Return every recording and baseline, to compare before and after."""
        found = [*self.folder.glob("cassettes/**/*.jsonl"), *self.folder.glob("baselines/*.json")]
        return {path.name: path.read_bytes() for path in sorted(found)}
