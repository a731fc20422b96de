"""Both sides of a change, recorded in one session: a model that changed meanwhile is not blamed on the memory."""

import re
import subprocess
from pathlib import Path

import pytest

from pytest_memuse.recording.files import load_recording
from tests.plugin.project import Project

# A served model that is another one since the baseline was recorded: it no longer replaces what it was told to.
_SHARED_MODEL = """
def _changed(path, body):
    if "replace" in str(body.get("messages", "")) and any(m["role"] == "tool" for m in body["messages"]):
        return {"model": "rule-model-2", "choices": [{"message": {"role": "assistant", "content": "Done."}}]}
    return rule_model(path, body)


@pytest.fixture(scope="session")
def base_url(request):
    if request.config.getoption("memuse_record_mode") in (None, "none") and not request.config.getoption(
        "memuse_record_both"
    ):
        yield DEAD
    elif "SHOP_MODEL" in os.environ:
        yield os.environ["SHOP_MODEL"]
    else:
        with json_server(_changed if os.environ.get("MODEL") == "changed" else rule_model) as (base, _):
            os.environ["SHOP_MODEL"] = base
            yield base
"""


@pytest.fixture
def versioned(project: Project) -> Project:
    """A recorded project under git, whose two sides can share one model endpoint."""
    conftest = project.folder / "conftest.py"
    conftest.write_text(conftest.read_text() + _SHARED_MODEL)
    (project.folder / ".gitignore").write_text("junit.xml\n__pycache__\n")
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "recorded"]):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=project.folder, check=True)
    return project


@pytest.mark.long
def test_a_changed_model_is_blamed_on_memory_by_a_stored_baseline_and_not_by_a_pair(versioned: Project) -> None:
    stored = versioned.run("--memuse-baseline=main", "--memuse-record-mode=all", MODEL="changed")
    assert stored.code == 1
    assert "test_shop.test_tasks_are_solved.gate[outcome_rate]" in stored.failures

    paired = versioned.run("--memuse-baseline=main", "--memuse-record-both=git:HEAD", MODEL="changed")
    assert paired.code == 0, paired.out
    assert "gate shop: both sides were recorded in one session" in paired.out
    assert re.search(r"compared with that of \w{10} instead of the baseline main", paired.out)
    assert re.search(r"gate shop against \w{10} \(6 arcs\): passed", paired.out)
    assert not paired.failures
    left = versioned.folder / ".memuse" / "both" / "shop" / "shop"
    assert {path.stem for path in left.glob("*.jsonl")} == {f"arc-{n}" for n in range(6)}
    here = versioned.folder / "cassettes" / "shop"
    assert all(_asked(path) == _asked(here / path.name) for path in left.glob("*.jsonl"))

    # In CI, where nothing is recorded, the committed pair still goes before the stored baseline.
    replayed = versioned.run("--memuse-baseline=main", CI="true")
    assert replayed.code == 0, replayed.out
    assert "instead of the baseline main" in replayed.out

    again = versioned.run("--memuse-baseline=main", "--memuse-record-mode=all", MODEL="changed")
    assert "was recorded beside other recordings and is not used" in again.out
    assert "gate shop against main (6 arcs): FAILED" in again.out


def _asked(path: Path) -> set[str]:
    """Return the addresses that a recording's requests went to."""
    return {exchange.uri for exchange in load_recording(path).exchanges}


@pytest.mark.long
def test_a_change_of_the_memory_is_found_by_the_pair(versioned: Project) -> None:
    conftest = versioned.folder / "conftest.py"
    conftest.write_text(conftest.read_text().replace("**settings)", "forgets=True)"))
    ran = versioned.run("--memuse-record-both=git:HEAD")
    assert ran.code == 1
    assert "gate shop against" in ran.out
    assert "undefined now" in ran.failures["test_shop.test_tasks_are_solved.gate[relevance_share]"]


@pytest.mark.long
def test_a_commit_without_the_suite_tells_what_the_other_side_said(versioned: Project) -> None:
    (versioned.folder / "test_shop.py").rename(versioned.folder / "test_store.py")
    before = versioned.recordings()
    ran = versioned.run("--memuse-record-both=git:HEAD")
    assert ran.code == 1
    assert "the other side: it ended without recording anything" in ran.out
    assert "test_store.py" in ran.out
    assert versioned.recordings() == before
