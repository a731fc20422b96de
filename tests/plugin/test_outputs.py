"""The files of a session in real pytest runs: written by the controller, whatever became of the gate, or a failure."""

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from pytest_memuse.plugin.options import settings_of
from pytest_memuse.plugin.outputs import check, options_in_force
from pytest_memuse.plugin.properties import profile_properties
from pytest_memuse.plugin.state import SessionState
from pytest_memuse.profiles.figures import FIGURES
from pytest_memuse.profiles.profile import Profile
from pytest_memuse.reports.json_report import report_schema
from tests.hostile_text import HOSTILE_TEXTS
from tests.plugin.project import Project, Ran
from tests.reports.sessions import run
from tests.reports.strict_junit import ANT, JENKINS, complaints

pytest_plugins = "pytester"

PAGE = (Path(__file__).parents[2] / "docs" / "outputs.md").read_text(encoding="utf-8")
VALIDATOR = Draft202012Validator(json.loads(report_schema()))
FILES = ("--memuse-json=out/report.json", "--memuse-junit=out/memuse.xml")


def _report(project: Project) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((project.folder / "out" / "report.json").read_bytes().decode("ascii"))
    assert [error.message for error in VALIDATOR.iter_errors(data)] == []
    return data


def _properties(ran: Ran, name: str) -> dict[str | None, str | None]:
    case = next(case for case in ElementTree.parse(ran.junit).iter("testcase") if case.get("name") == name)
    return {one.get("name"): one.get("value") for one in case.iter("property")}


def test_every_file_holds_what_the_session_found(project: Project) -> None:
    ran = project.run("--memuse-baseline=main", *FILES)
    assert ran.code == 0, ran.out
    report = _report(project)
    shop = report["suites"]["shop"]
    assert (shop["gate"]["status"], shop["gate"]["against"], report["fails"]) == ("passed", "main", False)
    assert set(shop["profile"]["figures"]) == set(FIGURES)
    assert (report["options"]["baseline"], report["baseline"]["name"]) == ("main", "main")
    written = (project.folder / "out" / "memuse.xml").read_bytes()
    assert [complaints(written, schema) for schema in (JENKINS, ANT)] == [[], []]
    assert len(list(ElementTree.fromstring(written).iter("testcase"))) == 6

    # In pytest's own file the test and the gate say the same, and properties are all that a strict schema minds.
    test = _properties(ran, "test_tasks_are_solved")["memuse.outcome_rate"]
    gate = _properties(ran, "gate[outcome_rate]")
    assert test == gate["memuse.now"] == repr(shop["profile"]["figures"]["outcome_rate"]["value"])
    assert (gate["memuse.verdict"], gate["memuse.outcome"], gate["memuse.lower"]) == ("held", "pass", "undefined")
    assert {one.split(":")[0] for one in complaints(ran.junit.read_bytes(), JENKINS)} == {"testcase"}


def test_without_properties_the_file_is_strict_and_a_partial_run_says_why_nothing_was_evaluated(
    project: Project,
) -> None:
    off = "--memuse-junit-properties=off"
    ran = project.run("--memuse-baseline=main", "-k", "test_tasks_are_solved", off, *FILES)
    assert ran.code == 0, ran.out
    assert complaints(ran.junit.read_bytes(), JENKINS) == []
    report = _report(project)
    shop = report["suites"]["shop"]
    assert report["incomplete"] == shop["gate"]["reason"] == "-k selected some of the tests"
    assert (shop["gate"]["status"], shop["gate"]["fails"], shop["gate"]["figures"]) == ("not evaluated", False, {})
    assert shop["profile"]["episodes"] == 18
    skipped = ElementTree.parse(project.folder / "out" / "memuse.xml").find(".//skipped")
    assert skipped is not None
    assert skipped.get("message") == "-k selected some of the tests"


@pytest.mark.long
def test_the_same_bytes_are_written_alone_and_under_xdist(project: Project) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    files, properties = [], []
    for arguments in ([], ["-n2"]):
        ran = project.run("--memuse-baseline=main", *FILES, *arguments)
        assert ran.code == 0, ran.out
        files.append((project.folder / "out" / "report.json").read_bytes())
        properties.append(_properties(ran, "test_tasks_are_solved"))
    assert files[0] == files[1]
    assert properties[0] == properties[1]
    assert properties[0]["memuse.suite"] == "shop"


@pytest.mark.long
def test_a_regressed_suite_is_told_by_every_file_alike(project: Project) -> None:
    ran = project.run("--memuse-baseline=main", "--memuse-record-mode=new_episodes", *FILES, broken=["forgets"])
    assert ran.code == 1
    gate = _report(project)["suites"]["shop"]["gate"]
    failing = {name for name, figure in gate["figures"].items() if figure["outcome"] == "fail"}
    assert (gate["status"], gate["fails"]) == ("failed", True)
    ours = ElementTree.parse(project.folder / "out" / "memuse.xml")
    theirs = ElementTree.parse(ran.junit)
    for tree in (ours, theirs):
        names = {str(case.get("name")) for case in tree.iter("testcase") if case.find("failure") is not None}
        assert names == {f"gate[{name}]" for name in failing}
    assert gate["figures"]["outcome_rate"]["responsible"]
    assert "undefined now" in gate["figures"]["relevance_share"]["undefined"]["now"]


@pytest.mark.long
def test_what_stops_a_gate_is_told_by_every_file(project: Project) -> None:
    arcs = project.folder / "arcs.yaml"
    arcs.write_text(arcs.read_text().replace("Use the port.", "Use that port."))
    ran = project.run("--memuse-baseline=main", "--memuse-record-mode=all", *FILES)
    assert ran.code == 1
    gate = _report(project)["suites"]["shop"]["gate"]
    assert (gate["status"], len(gate["matching"]["changed"])) == ("failed", 6)
    failure = ElementTree.parse(project.folder / "out" / "memuse.xml").find(".//failure")
    assert failure is not None
    assert "Only 12 of the baseline's 18 tasks" in (failure.get("message") or "")


def _light(pytester: pytest.Pytester, code: str, *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(code)
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", *arguments)


def test_a_file_that_cannot_be_written_at_the_end_fails_the_run(pytester: pytest.Pytester) -> None:
    blocking = "def test_plain(request):\n    (request.config.rootpath / 'out.json').mkdir()\n"
    ran = _light(pytester, blocking, "--memuse-json=out.json", "--memuse-junit=out.xml", "--junitxml=theirs.xml")
    assert ran.ret == 1
    ran.stdout.re_match_lines([r"--memuse-json: .*out\.json was not written: .*"])
    [failure] = ElementTree.parse(pytester.path / "theirs.xml").iter("failure")
    assert "was not written" in (failure.get("message") or "")
    assert ElementTree.parse(pytester.path / "out.xml").getroot().tag == "testsuites"


def test_who_asks_for_a_file_gets_one_also_where_no_test_uses_the_plugin(pytester: pytest.Pytester) -> None:
    assert _light(pytester, "def test_plain(): pass\n", "--memuse-json=out.json").ret == 0
    report = json.loads((pytester.path / "out.json").read_text())
    assert VALIDATOR.is_valid(report)
    assert (report["suites"], report["incomplete"]) == ({}, "no test that uses memuse ran")


def test_what_an_ini_file_names_is_left_alone_by_runs_that_have_no_part_in_it(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmemuse_json = out.json\nmemuse_junit = out.xml\n")
    assert _light(pytester, "def test_plain(): pass\n").ret == 0
    assert not list(pytester.path.glob("out.*"))


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--memuse-json=there"], "--memuse-json: .*there cannot be written: it is a folder"),
        (["--memuse-junit=plain/out.xml"], "--memuse-junit: .* cannot be written: .*plain is no folder"),
        (["--memuse-json=/dev/null"], "--memuse-json: /dev/null cannot be written: it is no plain file"),
        (["--memuse-json=a", "--memuse-junit=./a"], "--memuse-junit: .* it is the file of --memuse-json already"),
        (["--memuse-junit=a", "--junitxml=a"], "--memuse-junit: .* it is the file of --junitxml already"),
        (["--memuse-json=baselines/main.json"], "it lies in the folder of the baselines"),
        (["--memuse-json=cassettes/x.json"], "it lies in the folder of the recordings"),
        (["--memuse-json=link"], "it lies in the folder of the baselines"),
    ],
)
def test_a_file_that_cannot_be_written_is_a_usage_error_at_the_start(
    pytester: pytest.Pytester, arguments: list[str], problem: str
) -> None:
    for folder in ("there", "baselines", "cassettes"):
        pytester.mkdir(folder)
    (pytester.path / "plain").write_text("")
    (pytester.path / "link").symlink_to(pytester.path / "baselines" / "main.json")
    config = pytester.parseconfig(*arguments)
    with pytest.raises(pytest.UsageError, match=problem):
        check(config, SessionState(settings_of(config, {})))


def test_every_option_is_told_with_paths_from_the_root_folder(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmemuse_gated = steps\n")
    config = pytester.parseconfig("--memuse-mutate=outage", "--memuse-cassettes=/elsewhere")
    told = options_in_force(config, SessionState(settings_of(config, {})))
    assert (told["baselines"], told["cassettes"], told["gated"]) == ("baselines", "/elsewhere", ["steps"])
    assert json.loads(json.dumps(told)) == told
    assert isinstance(told["mutation"], dict)


def test_files_are_taken_from_the_folder_where_pytest_was_started(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = pytester.mkdir("below")
    pytester.makeini("[pytest]\n")
    monkeypatch.chdir(below)
    assert _light(pytester, "def test_plain(): pass\n", "--memuse-json=out.json", str(pytester.path)).ret == 0
    assert (below / "out.json").is_file()


def test_junit_without_its_package_is_a_usage_error(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_memuse.plugin.outputs.find_spec", lambda name: None)
    config = pytester.parseconfig("--memuse-junit=out.xml")
    with pytest.raises(pytest.UsageError, match=re.escape("`pip install pytest-memuse[junit]`")):
        check(config, SessionState(settings_of(config, {})))
    other = pytester.parseconfig("--memuse-json=out.json")
    check(other, SessionState(settings_of(other, {})))


def test_properties_are_inert_and_undefined_is_no_number() -> None:
    for text in HOSTILE_TEXTS.values():
        found = dict(profile_properties(text, Profile.of(run(harmful=True, judged=False, text=text[:500]))))
        assert str(found["memuse.harm_yield"]).startswith("undefined: ")
        assert all(str(value).isprintable() for value in found.values())


def test_every_field_of_the_report_is_documented() -> None:
    definitions = json.loads(report_schema())
    for schema in (definitions, *definitions["$defs"].values()):
        for name in schema.get("properties", {}):
            assert f"`{name}`" in PAGE or f'"{name}": ' in PAGE, name
