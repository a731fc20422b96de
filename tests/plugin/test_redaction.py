"""Secrets of the environment and of the ini file's own rules are in no file of a project whose suite was recorded."""

from pathlib import Path

from tests.plugin.project import Project

_KEY = "Zq0-aXw93-Lh55-Tt81"


def test_a_recorded_project_holds_no_secret_and_says_what_was_replaced(tmp_path: Path) -> None:
    project = Project.make(tmp_path / "project", arcs=1)
    (project.folder / "pytest.ini").write_text("[pytest]\nmemuse_redact =\n    port: port is (8[0-9]{3})\n")
    conftest = (project.folder / "conftest.py").read_text()
    told = 'NoteMemory(base_url, prefix=os.environ["NOTES_API_KEY"], **settings)'
    (project.folder / "conftest.py").write_text(conftest.replace("NoteMemory(base_url, **settings)", told))
    recorded = project.run("--memuse-record-mode=once", "--memuse-update=main", NOTES_API_KEY=_KEY)
    assert "arc-0: secrets replaced:" in recorded.out
    assert "known value" in recorded.out
    files = project.recordings()
    assert len(files) == 2
    assert not [name for name, content in files.items() if _KEY.encode() in content or b"port is 8081" in content]
    assert recorded.code == 0


def test_a_rule_that_is_none_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmemuse_redact =\n    port: (\n")
    ran = Project(tmp_path).run("--collect-only")
    assert ran.code == 4
    assert "memuse_redact: 'port: ('" in ran.out
