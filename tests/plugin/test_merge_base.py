"""In CI a change is compared with the baseline from before it, in a real git repository."""

import subprocess

from tests.plugin.project import Project


def _git(project: Project, *arguments: str) -> None:
    identity = ("-c", "user.name=tester", "-c", "user.email=tester@example.invalid")
    subprocess.run(["git", *identity, *arguments], cwd=project.folder, check=True, capture_output=True)


def _branch(project: Project) -> None:
    _git(project, "init", "-q", "-b", "trunk")
    _git(project, "add", "-A")
    _git(project, "commit", "-q", "-m", "before")
    _git(project, "checkout", "-q", "-b", "change")


def test_a_change_that_updates_its_own_baseline_is_compared_with_the_merge_base(project: Project) -> None:
    _branch(project)
    ran = project.run("--memuse-record-mode=new_episodes", "--memuse-update=main", "--memuse-force", broken=["forgets"])
    assert "baseline main: stored shop" in ran.out
    _git(project, "commit", "-q", "-a", "-m", "forget everything and call it the baseline")

    deceived = project.run("--memuse-baseline=main", broken=["forgets"])
    assert deceived.code == 0, deceived.out
    ran = project.run("--memuse-baseline=main", broken=["forgets"], CI="true", GITHUB_BASE_REF="trunk")
    assert ran.code == 1
    assert "the merge base with trunk" in ran.out
    assert "warning: this change edits main.json" in ran.out
    assert "tasks solved regressed" in ran.out


def test_an_untouched_baseline_is_read_there_without_a_warning(project: Project) -> None:
    _branch(project)
    ran = project.run("--memuse-baseline=main", CI="true", GITHUB_BASE_REF="trunk")
    assert ran.code == 0, ran.out
    assert "the merge base with trunk" in ran.out
    assert "warning" not in ran.out


def test_where_git_does_not_know_the_branch_the_file_is_read(project: Project) -> None:
    ran = project.run("--memuse-baseline=main", CI="true", GITHUB_BASE_REF="trunk")
    assert ran.code == 0, ran.out
    assert "merge base" not in ran.out
