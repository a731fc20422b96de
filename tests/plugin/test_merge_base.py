"""In CI a change is compared with the baseline from before it, in real git repositories."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pytest_memuse.gate import Baseline, read_baseline, write_baseline
from pytest_memuse.plugin.baseline_source import prepare
from pytest_memuse.plugin.options import settings_of
from pytest_memuse.plugin.state import SessionState
from pytest_memuse.plugin.target_branch import TARGETS, target_branch
from tests.gate.repositories import commit, git
from tests.gate.test_baseline import stored
from tests.plugin.project import Project

pytest_plugins = "pytester"
WORDS_OF_THE_RULE = "the edited copy takes effect once it is merged"


@pytest.mark.long
def test_a_change_that_refreshes_recordings_and_edits_the_baseline_is_compared_with_the_merge_base(
    project: Project,
) -> None:
    git(project.folder, "init", "-q", "-b", "trunk")
    before = commit(project.folder, "before")
    git(project.folder, "checkout", "-q", "-b", "change")
    ran = project.run("--memuse-record-mode=new_episodes", "--memuse-update=main", broken=["forgets"])
    assert "baseline main: stored shop" in ran.out
    commit(project.folder, "forget everything and call it the baseline")
    changed = git(project.folder, "diff", "--name-only", before, "HEAD").split()
    assert "baselines/main.json" in changed
    assert sum(name.startswith("cassettes/") for name in changed) == 6
    assert (project.folder / ".memuse" / "last.json").is_file()
    assert ".memuse/last.json" not in git(project.folder, "ls-files")

    deceived = project.run("--memuse-baseline=main", broken=["forgets"])
    assert deceived.code == 0, deceived.out
    # CI services check out a commit and no branch.
    git(project.folder, "checkout", "-q", "--detach")
    ran = project.run("--memuse-baseline=main", broken=["forgets"], CI="true", GITHUB_BASE_REF="trunk")
    assert ran.code == 1
    assert f"baseline main: read as it stands at {before[:10]}, the merge base with trunk" in ran.out
    assert f"warning: this change edits main.json; {WORDS_OF_THE_RULE}" in ran.out
    assert "tasks solved regressed" in ran.out
    assert f"next: `memuse diff git:{before[:10]}` shows what changed in suite shop" in ran.out
    assert "to accept it, after a review: `memuse diff main --accept" in ran.out


@dataclass
class Change:
    """A repository with ``main.json`` on the branch ``trunk``, and a branch ``change`` checked out."""

    top: Path
    pytester: pytest.Pytester
    monkeypatch: pytest.MonkeyPatch

    @property
    def baselines(self) -> Path:
        return self.top / "baselines"

    def write(self, attempts: int, *suites: str, name: str = "main") -> None:
        baseline = Baseline("0.1.0", {suite: stored(suite, attempts=attempts) for suite in suites or ("billing",)})
        write_baseline(self.baselines, name, baseline)

    def prepared(self, *flags: str, target: str = "trunk", ci: str = "true", top: Path | None = None) -> SessionState:
        """Read the baseline as a session would in this repository, or in another one."""
        for name in TARGETS:
            self.monkeypatch.delenv(name, raising=False)
        self.monkeypatch.setenv("GITHUB_BASE_REF", target)
        given = flags or ("--memuse-baseline=main",)
        settings = settings_of(self.pytester.parseconfig(*given), {"CI": ci})
        state = SessionState(replace(settings, baselines=(top or self.top) / "baselines"))
        prepare(state)
        return state


@pytest.fixture
def change(tmp_path: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Change:
    found = Change(tmp_path / "top", pytester, monkeypatch)
    found.top.mkdir()
    git(found.top, "init", "-q", "-b", "trunk")
    found.write(1)
    commit(found.top, "before")
    git(found.top, "checkout", "-q", "-b", "change")
    return found


def _attempts(state: SessionState, suite: str = "billing") -> int:
    assert isinstance(state.baseline, Baseline)
    return state.baseline.suites[suite].attempts


def test_an_untouched_baseline_is_read_there_without_a_warning(change: Change) -> None:
    state = change.prepared()
    assert _attempts(state) == 1
    (note,) = state.baseline_notes
    assert note.startswith("read as it stands at ")
    assert note.endswith(", the merge base with trunk")
    assert state.read_as == ""


def test_outside_ci_the_file_is_read_as_it_is(change: Change) -> None:
    change.write(2)
    state = change.prepared(ci="")
    assert (_attempts(state), state.baseline_notes) == (2, [])


def test_an_edit_that_is_not_committed_is_an_edit(change: Change) -> None:
    change.write(2)
    state = change.prepared()
    assert _attempts(state) == 1
    assert any("this change edits main.json" in note for note in state.baseline_notes)
    assert read_baseline(change.baselines, state.read_as) == state.baseline


def test_a_baseline_that_the_change_deletes_is_read_there_with_a_warning(change: Change) -> None:
    shutil.rmtree(change.baselines)
    state = change.prepared()
    assert _attempts(state) == 1
    assert "warning: this change deletes main.json, which takes effect once it is merged" in state.baseline_notes


def test_a_suite_that_the_change_adds_is_compared_with_what_it_adds_and_the_others_are_not(change: Change) -> None:
    change.write(7, "billing", "search")
    state = change.prepared()
    assert (_attempts(state), _attempts(state, "search")) == (1, 7)
    assert state.baseline_notes[-1] == "new in this change, so compared with what it adds itself: search"


def test_a_baseline_that_the_change_adds_is_read_as_it_adds_it_with_a_warning(change: Change) -> None:
    change.write(3, name="nightly")
    state = change.prepared("--memuse-baseline=nightly")
    assert _attempts(state) == 3
    (note,) = state.baseline_notes
    assert note.startswith("warning: nightly.json is not there at ")
    assert "the merge base with trunk; read as this change adds it, which can only agree with itself" in note


def test_a_copy_that_could_not_be_read_once_it_is_merged_is_refused_now(change: Change) -> None:
    (change.baselines / "main.json").write_text("{}")
    with pytest.raises(pytest.UsageError, match="is no baseline of a known format"):
        change.prepared()


def test_the_branch_may_be_known_at_the_remote_alone(change: Change, tmp_path: Path) -> None:
    change.write(2)
    commit(change.top, "after")
    git(tmp_path, "clone", "-q", "--branch", "change", str(change.top), "clone")
    git(tmp_path / "clone", "checkout", "-q", "--detach")
    state = change.prepared(top=tmp_path / "clone")
    assert _attempts(state) == 1
    assert any("the merge base with trunk" in note for note in state.baseline_notes)


def test_of_what_ci_merged_by_itself_the_newest_of_the_target_branch_is_read(change: Change) -> None:
    change.write(2)
    commit(change.top, "the change")
    git(change.top, "checkout", "-q", "trunk")
    (change.top / "other").write_text("meanwhile")
    newest = commit(change.top, "meanwhile")
    git(change.top, "checkout", "-q", "--detach")
    git(change.top, "merge", "-q", "--no-edit", "change")
    state = change.prepared()
    assert _attempts(state) == 1
    assert state.merge_base == newest


@pytest.mark.parametrize("branches", ["--single-branch", "--no-single-branch"])
def test_a_shallow_clone_reads_the_file_and_says_how_to_mend_it(change: Change, tmp_path: Path, branches: str) -> None:
    change.write(2)
    commit(change.top, "after")
    git(change.top, "checkout", "-q", "trunk")
    (change.top / "other").write_text("meanwhile")
    commit(change.top, "meanwhile")
    source = change.top.as_uri()
    git(tmp_path, "clone", "-q", "--depth=1", branches, "--branch", "change", source, "shallow")
    state = change.prepared(top=tmp_path / "shallow")
    assert _attempts(state) == 2
    (note,) = state.baseline_notes
    assert note.startswith(
        "warning: read as this change has it, its own update included, since the merge base with trunk is not known: "
        "this clone is shallow and "
    )
    assert "to mend: check out the whole history (`fetch-depth: 0`), or `git fetch " in note


def test_a_target_branch_that_is_not_there_is_told(change: Change) -> None:
    state = change.prepared(target="mian")
    (note,) = state.baseline_notes
    assert "the merge base with mian is not known: this clone holds no branch mian; to mend: " in note


def test_branches_without_a_common_commit_are_told(change: Change) -> None:
    git(change.top, "checkout", "-q", "--orphan", "alone")
    change.write(4)
    commit(change.top, "alone")
    state = change.prepared()
    assert _attempts(state) == 4
    assert "the change and trunk have no commit in common" in state.baseline_notes[0]


def test_a_folder_outside_every_repository_is_told(change: Change, tmp_path: Path) -> None:
    shutil.copytree(change.baselines, tmp_path / "plain" / "baselines")
    state = change.prepared(top=tmp_path / "plain")
    assert _attempts(state) == 1
    assert "is not in a git repository" in state.baseline_notes[0]


def test_without_git_it_is_told(change: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    state = change.prepared()
    assert "git could not be run" in state.baseline_notes[0]


@pytest.mark.parametrize("target", ["--help", "-x", "a b", "..", "trunk~1"])
def test_nothing_that_a_branch_name_says_is_an_option(change: Change, target: str) -> None:
    state = change.prepared(target=target)
    assert _attempts(state) == 1
    assert "is not known" in state.baseline_notes[0]


def test_a_baseline_at_a_commit_is_read_there_in_ci_too(change: Change) -> None:
    change.write(2)
    commit(change.top, "after")
    state = change.prepared("--memuse-baseline=git:HEAD")
    assert (_attempts(state), state.baseline_notes) == (2, [])
    with pytest.raises(pytest.UsageError, match=r"git knows no commit 'trnk'.*did you mean 'trunk'"):
        change.prepared("--memuse-baseline=git:trnk")


@pytest.mark.parametrize("name", TARGETS)
def test_every_ci_service_has_its_variable(name: str) -> None:
    assert target_branch("", {name: "refs/heads/release/2"}) == "release/2"
    assert target_branch("develop", {name: "release/2"}) == "develop"


def test_a_build_of_no_change_has_no_target() -> None:
    assert target_branch("", {"GITHUB_BASE_REF": "", "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "false"}) == ""
    assert target_branch("", {}) == ""
