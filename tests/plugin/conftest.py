"""A project that was recorded once, and a copy of it for each test."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.plugin.project import Project
from tests.plugin.warm import WarmPytest


@pytest.fixture(scope="session")
def recorded_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project.make(tmp_path_factory.mktemp("recorded") / "project")
    ran = project.run("--memuse-record-mode=once", "--memuse-update=main")
    assert ran.code == 0, ran.out
    return project


@pytest.fixture
def project(recorded_project: Project, tmp_path: Path) -> Project:
    return recorded_project.copy(tmp_path / "project")


@pytest.fixture(scope="session")
def quick_project(recorded_project: Project) -> Iterator[Project]:
    """The recorded project; where a process can be forked, its runs need not import the large libraries again."""
    if not hasattr(os, "fork"):
        yield recorded_project
        return
    warm = WarmPytest(Path(__file__).parents[2])
    yield Project(recorded_project.folder, warm)
    warm.close()


@pytest.fixture(scope="session")
def regressed_project(quick_project: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The recorded project, recorded again with a memory that forgets; its baseline is from before."""
    project = quick_project.copy(tmp_path_factory.mktemp("regressed") / "project")
    ran = project.run("--memuse-record-mode=new_episodes", broken=["forgets"])
    assert ran.code == 0, ran.out
    return project
