"""The entry diff around a real pytest run: shown after a failed gate, accepted, and then the gate passes."""

import pytest

from pytest_memuse.cli import main
from tests.plugin.project import Project


def test_a_failed_gate_shows_what_moved_it_and_the_accepted_change_passes(
    project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = project.run("--memuse-baseline=main", "--memuse-record-mode=all", broken=["refuses_update"])
    assert failed.code == 1
    section = failed.out.split("what moved the figures most, entry by entry:")[1]
    assert "task arc-" in section.split("next:")[0]
    assert "`memuse diff main`" in section

    monkeypatch.chdir(project.folder)
    monkeypatch.delenv("CI", raising=False)
    assert main(["diff", "main", "--accept", "--reason", "updates are refused from now on"]) == 0
    assert "accepted: shop" in capsys.readouterr().out
    passed = project.run("--memuse-baseline=main", broken=["refuses_update"])
    assert "gate shop against main (6 arcs): passed" in passed.out
