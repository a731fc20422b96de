"""Files that are damaged, foreign or incomplete: one error each that says what, where and how to mend."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_memuse.judging.tracer import Tracer
from pytest_memuse.model import Actor
from pytest_memuse.model.digests import json_digest
from pytest_memuse.recording.files import load_recording, save_recording
from tests.plugin.project import Project


def _recording(project: Project) -> Path:
    return project.folder / "cassettes" / "shop" / "arc-1.jsonl"


def _baseline(project: Project) -> Path:
    return project.folder / "baselines" / "main.json"


def test_a_truncated_recording(project: Project) -> None:
    path = _recording(project)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-3]))
    before = project.recordings()
    ran = project.run("--memuse-baseline=main")
    assert ran.code == 1
    assert "arc-1.jsonl:" in ran.out
    assert "the recording was cut off" in ran.out
    assert "to mend: restore the file from version control, or record the arc again" in ran.out
    assert project.recordings() == before


def test_a_recording_of_a_version_to_come(project: Project) -> None:
    path = _recording(project)
    path.write_text(path.read_text().replace('"version":1', '"version":7', 1))
    before = project.recordings()
    ran = project.run("--memuse-baseline=main")
    assert ran.code == 1
    assert (
        "arc-1.jsonl:1: version: version 7 of the recording is not one that this release reads (it reads 1)" in ran.out
    )
    assert "to mend: install a release" in ran.out
    assert project.recordings() == before


def test_a_recording_with_a_missing_exchange(project: Project) -> None:
    path = _recording(project)
    recording = load_recording(path)
    gone = next(e for e in recording.exchanges if e.actor is Actor.EMBEDDING)
    save_recording(path, replace(recording, events=tuple(event for event in recording.events if event is not gone)))
    before = project.recordings()
    ran = project.run("--memuse-baseline=main")
    assert ran.code == 1
    assert "1 of 6 recordings are stale" in ran.out
    assert "arc-1, episode plant, step 1: unreplayable at operation 2" in ran.out
    assert "asks what was not recorded: the nearest recorded request is exchange" in ran.out
    assert "record the stale arcs again with `pytest --memuse-record-mode=new_episodes`" in ran.out
    assert project.recordings() == before


def test_a_missing_recording(project: Project) -> None:
    _recording(project).unlink()
    ran = project.run("--memuse-baseline=main")
    assert ran.code == 1
    assert "arc 'arc-1' has no recording" in ran.out
    assert "pytest --memuse-record-mode=once" in ran.out


def test_an_edited_baseline(project: Project) -> None:
    path = _baseline(project)
    path.write_text(path.read_text().replace('"success": false', '"success": true').replace('"steps": 3', '"steps": 4'))
    before = project.recordings()
    ran = project.run("--memuse-baseline=main")
    assert ran.code == 4
    assert "its seal does not match its content" in ran.out
    assert "git checkout -- " in ran.out
    assert "Traceback" not in ran.out
    assert project.recordings() == before


def test_an_edited_baseline_is_not_overwritten_by_an_update(project: Project) -> None:
    path = _baseline(project)
    path.write_text(path.read_text().replace('"steps": 3', '"steps": 4'))
    before = project.recordings()
    ran = project.run("--memuse-update=main")
    assert ran.code == 1
    assert "baseline main: not updated" in ran.out
    assert project.recordings() == before


def test_a_baseline_of_a_format_to_come(project: Project) -> None:
    path = _baseline(project)
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 9}))
    ran = project.run("--memuse-baseline=main")
    assert ran.code == 4
    assert "main.json is in baseline format 9" in ran.out


def test_a_baseline_of_another_judge(project: Project) -> None:
    path = _baseline(project)
    data = json.loads(path.read_text())
    data["suites"]["shop"]["identity"]["judge"] |= {"kind": "llm", "model": "some-model"}
    del data["seal"]
    path.write_text(json.dumps({**data, "seal": json_digest(data)}))
    before = project.recordings()
    ran = project.run("--memuse-baseline=main")
    assert ran.code == 1
    version = Tracer().identity.version
    told = f"was judged by llm, version {version}, model some-model, this run by tracer, version {version}"
    assert told in ran.out
    assert "`pytest --memuse-rejudge=main` (not in CI)" in ran.out
    assert list(ran.failures) == ["test_shop.test_tasks_are_solved.gate[comparison]"]
    assert project.recordings() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--memuse-record-mode=sometimes"],
            "--memuse-record-mode: 'sometimes' is not a valid value; valid are none, once",
        ),
        (["--memuse-drift=ignore"], "--memuse-drift: 'ignore' is not a valid value; valid are fail, acted, warn"),
        (["--memuse-baseline=../../etc/passwd"], "cannot name a baseline"),
        (["--memuse-update=../x"], "cannot name a baseline"),
        (["--memuse-baseline=missing.json"], "There is no baseline 'missing.json'"),
    ],
)
def test_a_wrong_option_is_a_usage_error(project: Project, arguments: list[str], message: str) -> None:
    ran = project.run(*arguments)
    assert ran.code == 4
    assert message in ran.out
    assert "Traceback" not in ran.out


@pytest.mark.parametrize("arguments", [["--memuse-record-mode=all"], ["--memuse-update=main"]])
def test_in_ci_nothing_is_recorded_or_updated_unless_forced(project: Project, arguments: list[str]) -> None:
    before = project.recordings()
    ran = project.run(*arguments, CI="true")
    assert ran.code == 4
    assert "is refused because CI is set" in ran.out
    assert "--memuse-force" in ran.out
    assert project.recordings() == before
    assert project.run(*arguments, "--memuse-force", CI="true").code == 0


def test_a_failing_run_does_not_become_the_baseline_unless_forced(project: Project) -> None:
    tests = project.folder / "test_shop.py"
    tests.write_text(tests.read_text().replace("delivered_tokens < 1000", "delivered_tokens < 0"))
    before = project.recordings()
    ran = project.run("--memuse-update=main")
    assert ran.code == 1
    assert "baseline main: not updated (the run failed); --memuse-force updates it all the same" in ran.out
    assert project.recordings() == before


def test_a_partial_run_does_not_become_the_baseline(project: Project) -> None:
    before = project.recordings()
    ran = project.run("--memuse-update=main", "-k", "test_tasks_are_solved")
    assert ran.code == 1
    assert "baseline main: not updated (-k selected some of the tests)" in ran.out
    assert "memuse::update[main]" in ran.out
    assert project.recordings() == before


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (
            "test_shop.py",
            '@pytest.mark.memuse(suite="shop", arcs="arcs.yaml")\n',
            "",
            'mark it with @pytest.mark.memuse(suite="NAME", arcs="FILE.yaml")',
        ),
        ("test_shop.py", 'arcs="arcs.yaml"', 'arcs="nowhere.yaml"', "there is no such arcs file"),
        ("conftest.py", "def memuse_memory", "def another_name", "the fixture memuse_memory is not defined: define it"),
    ],
)
def test_what_a_project_leaves_out_is_told_without_the_plugins_source(
    project: Project, file: str, old: str, new: str, message: str
) -> None:
    path = project.folder / file
    path.write_text(path.read_text().replace(old, new))
    ran = project.run()
    assert ran.code == 1
    assert message in ran.out
    assert "fixtures.py" not in ran.out
    assert "UsageError" not in ran.out


def test_a_failing_assertion_shows_figure_counts_interval_and_tasks(project: Project) -> None:
    tests = project.folder / "test_shop.py"
    tests.write_text(tests.read_text().replace("delivered_tokens < 1000", "relevance_share > 1"))
    ran = project.run()
    assert ran.code == 1
    assert (
        "relevance (share of entries, mean over profiled spans)" in " ".join(ran.out.split()) or "relevance" in ran.out
    )
    assert "counts:" in ran.out
    assert "95 % interval over arcs" in ran.out


def test_an_undefined_figure_refuses_to_be_compared_and_says_why(project: Project) -> None:
    arcs = project.folder / "arcs.yaml"
    tests = project.folder / "test_shop.py"
    tests.write_text(tests.read_text().replace("delivered_tokens < 1000", "relevance_share >= 0"))
    arcs.write_text("\n".join(line for line in arcs.read_text().splitlines() if "references" not in line))
    ran = project.run("--memuse-record-mode=all")
    assert ran.code == 1
    assert (
        "relevance_share is undefined: it rests on relevance, which the judge of this run does not determine" in ran.out
    )
