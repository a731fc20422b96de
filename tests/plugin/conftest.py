"""A project that was recorded once, and a copy of it for each test."""

from pathlib import Path

import pytest

from tests.plugin.project import Project


@pytest.fixture(scope="session")
def recorded_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project.make(tmp_path_factory.mktemp("recorded") / "project")
    ran = project.run("--memuse-record-mode=once", "--memuse-update=main")
    assert ran.code == 0, ran.out
    return project


@pytest.fixture
def project(recorded_project: Project, tmp_path: Path) -> Project:
    return recorded_project.copy(tmp_path / "project")
