"""Baselines read as they stand at a commit of a real repository."""

import shutil
from pathlib import Path

import pytest

from pytest_memuse.gate import BaselineError, read_baseline, write_baseline
from pytest_memuse.gate import store as store_module
from pytest_memuse.model.errors import MemuseError
from tests.gate.repositories import commit, git
from tests.gate.test_baseline import made, stored


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    top = tmp_path_factory.mktemp("repository")
    git(top, "init", "-q", "-b", "trunk")
    write_baseline(top / "baselines", "main", made(billing=stored(attempts=1)))
    commit(top, "one")
    git(top, "tag", "v1")
    write_baseline(top / "baselines", "main", made(billing=stored(attempts=2)))
    write_baseline(top / "baselines", "team/nightly", made(search=stored("search")))
    (top / "baselines" / "far.json").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    (top / "baselines" / "bad.json").write_text("{}")
    commit(top, "two")
    write_baseline(top / "baselines", "main", made(billing=stored(attempts=3)))
    return top


@pytest.mark.parametrize(
    ("name", "attempts"), [("git:v1", 1), ("git:HEAD~1", 1), ("git:trunk", 2), ("git:HEAD:main", 2), ("main", 3)]
)
def test_a_commit_is_named_as_git_names_it(repository, name, attempts):
    assert read_baseline(repository / "baselines", name).suites["billing"].attempts == attempts


def test_any_name_or_path_can_be_read_there(repository, monkeypatch):
    assert set(read_baseline(repository / "baselines", "git:trunk:team/nightly").suites) == {"search"}
    monkeypatch.chdir(repository)
    assert set(read_baseline(Path("elsewhere"), "git:trunk:baselines/team/nightly.json").suites) == {"search"}


def test_a_commit_that_is_not_known_is_named_with_its_nearest(repository):
    with pytest.raises(MemuseError) as caught:
        read_baseline(repository / "baselines", "git:trnk")
    assert caught.value.reason == "no-commit"
    assert "git knows no commit 'trnk' (branches and tags: trunk, v1); did you mean 'trunk'?" in str(caught.value)
    assert "fetch-depth: 0" in caught.value.mend


@pytest.mark.parametrize("reference", ["--help", "--all", "-1", "", "trunk --", "a\0b", "HEAD^{tree}", "@{-5}"])
def test_nothing_that_a_reference_says_is_an_option(repository, reference):
    with pytest.raises(MemuseError, match="git knows no commit"):
        read_baseline(repository / "baselines", f"git:{reference}")


def test_a_baseline_that_was_not_there_yet_names_those_that_were(repository):
    with pytest.raises(BaselineError) as caught:
        read_baseline(repository / "baselines", "git:v1:nightly")
    assert caught.value.reason == "no-baseline"
    assert "at v1 (" in str(caught.value)
    assert "known there: main" in str(caught.value)


def test_a_name_stays_inside_the_folder_there_too(repository):
    for name in ("../main", "a:b"):
        with pytest.raises(BaselineError, match="cannot name a baseline"):
            read_baseline(repository / "baselines", f"git:v1:{name}")


def test_a_folder_outside_every_repository_is_told(tmp_path):
    with pytest.raises(MemuseError, match="is not in a git repository") as caught:
        read_baseline(tmp_path / "baselines", "git:main")
    assert caught.value.reason == "no-repository"


def test_a_folder_that_is_gone_from_the_working_tree_is_read_there(repository, tmp_path):
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(repository), str(clone))
    shutil.rmtree(clone / "baselines")
    assert read_baseline(clone / "baselines", "git:v1").suites["billing"].attempts == 1


def test_what_git_keeps_elsewhere_is_told(repository):
    with pytest.raises(BaselineError, match="a pointer into Git LFS"):
        read_baseline(repository / "baselines", "git:trunk:far")


def test_an_error_in_history_tells_nobody_to_mend_it_there(repository):
    with pytest.raises(BaselineError, match="is no baseline of a known format") as caught:
        read_baseline(repository / "baselines", "git:trunk:bad")
    assert caught.value.mend == "name a commit at which it is whole, or another baseline"


def test_a_git_hook_does_not_decide_which_repository_is_meant(repository, monkeypatch, tmp_path):
    git(tmp_path, "init", "-q", "-b", "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / ".git"))
    assert read_baseline(repository / "baselines", "git:v1").suites["billing"].attempts == 1


def test_a_file_larger_than_any_baseline_is_not_read(repository, monkeypatch):
    monkeypatch.setattr(store_module, "LARGEST", 100)
    with pytest.raises(MemuseError, match="may have at most 100") as caught:
        read_baseline(repository / "baselines", "git:v1")
    assert caught.value.reason == "too-large"


def test_what_stands_at_a_commit_is_not_written(repository):
    with pytest.raises(BaselineError, match="what stands at a commit is not written"):
        write_baseline(repository / "baselines", "git:v1", made())


def test_without_git_the_error_says_so(repository, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MemuseError, match="git could not be run"):
        read_baseline(repository / "baselines", "git:v1")
