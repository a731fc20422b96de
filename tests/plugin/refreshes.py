"""Refreshes of a small project that fail or are killed at a call to the system, and the run after them."""

import shutil
from pathlib import Path

from pytest_memuse.gate import read_baseline
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.files import load_recording
from tests.plugin.project import Project, Ran

REFRESH = ("--memuse-record-mode=new_episodes", "--memuse-update=main")
BROKEN = ("forgets",)
"""What makes every recording of the project stale, so that it is refreshed."""

_INSTALL = """
from tests.storage.faults import install

install([Path(__file__).parent / name for name in ("cassettes", "baselines")], os.environ.get("FAULT", ""))
"""


class Refreshes:
    """A recorded project whose refreshes can be made to fail; each one is tried on a copy."""

    def __init__(self, recorded: Project, scratch: Path) -> None:
        self._scratch = scratch
        self._start = recorded.copy(scratch / "start")
        with (self._start.folder / "conftest.py").open("a") as conftest:
            conftest.write(_INSTALL)
        counted = scratch / "calls.txt"
        done = self._start.copy(scratch / "done")
        ran = done.run(*REFRESH, broken=BROKEN, FAULT=f"count:{counted}")
        assert ran.code == 0, ran.out
        self.calls = counted.read_text().splitlines()
        self._old, self._new = _stored(self._start), _stored(done)

    def failed_at(self, number: int, what: str) -> Ran:
        """Refresh with a call that fails or kills; check that every file is whole, and that the next run works."""
        project = self._start.copy(self._scratch / "tried")
        try:
            ran = project.run(*REFRESH, broken=BROKEN, FAULT=f"{what}:{number}")
            found = _stored(project)
            assert found.keys() == self._old.keys()
            for name, value in found.items():
                assert value in (self._old[name], self._new[name]), f"{name} is neither the old nor the new one"
            after = project.run(*REFRESH, broken=BROKEN)
            assert after.code == 0, after.out
            assert _stored(project) == self._new
            assert not list(project.folder.glob("**/*.part"))
            return ran
        finally:
            shutil.rmtree(project.folder)


def _stored(project: Project) -> dict[str, object]:
    """Return what every recording and baseline says, without ports and dates."""
    found: dict[str, object] = {
        path.name: derive_log(load_recording(path)) for path in project.folder.glob("cassettes/**/*.jsonl")
    }
    baseline = read_baseline(project.folder / "baselines", "main")
    return {**found, "main.json": {name: suite.run for name, suite in baseline.suites.items()}}
