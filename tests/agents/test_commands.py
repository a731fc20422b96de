"""The shell commands of the scripted model, carried out by a real shell."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_memuse.agents.scripted import commands
from pytest_memuse.agents.scripted.language import setting_in


def run(command: str, folder: Path) -> str:
    done = subprocess.run(command, shell=True, cwd=folder, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1\na.b = UNSET\n", "x = 1\na.b = new\n"),
        ("a.b: UNSET  # why\n", "a.b: new  # why\n"),
        ('{\n  "a.b": "UNSET",\n  "c": "UNSET"\n}\n', '{\n  "a.b": "new",\n  "c": "UNSET"\n}\n'),
        ("a.b = [x|y] * $2 ^ \\d\n", "a.b = new\n"),
        ("other = 1\n", "other = 1\na.b = new\n"),
    ],
)
def test_setting_a_value_changes_its_line_alone_and_can_be_taken_back(before: str, after: str, tmp_path: Path) -> None:
    file = tmp_path / "my file.ini"
    file.write_text(before)
    edit = commands.set_value(file.name, "a.b", "new", before)
    run(edit.do, tmp_path)
    assert file.read_text() == after
    run(edit.undo, tmp_path)
    assert file.read_text() == before
    assert list(tmp_path.iterdir()) == [file]


def test_a_missing_file_is_made_and_removed_again(tmp_path: Path) -> None:
    edit = commands.set_value("deep/down/a.ini", "a.b", "it's", None)
    run(edit.do, tmp_path)
    assert (tmp_path / "deep/down/a.ini").read_text() == "a.b = it's\n"
    run(edit.undo, tmp_path)
    assert not (tmp_path / "deep/down/a.ini").exists()


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(value=st.text(alphabet="ab1.$&|\\'\"*[]^/;`(){}<> !~-", min_size=1, max_size=12).map(str.strip).filter(bool))
def test_whatever_stands_in_a_value_reaches_the_file_and_no_shell(value: str, tmp_path: Path) -> None:
    file = tmp_path / "a.ini"
    file.write_text("a.b = UNSET\n")
    edit = commands.set_value("a.ini", "a.b", value, "a.b = UNSET\n")
    run(edit.do, tmp_path)
    assert file.read_text() == f"a.b = {value}\n"
    run(edit.undo, tmp_path)
    assert file.read_text() == "a.b = UNSET\n"
    assert list(tmp_path.iterdir()) == [file]


def test_a_search_shows_paths_and_lines(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("nothing\na.b = 1: one\n")
    (tmp_path / "z.ini").write_text("a.b = 2\naxb = 3\n")
    found = commands.found_lines(run(commands.find("a.b"), tmp_path))
    assert found == [("docs/a.md", "a.b = 1: one"), ("z.ini", "a.b = 2")]
    assert setting_in(found[1][1]) is not None


def test_a_text_that_looks_like_an_option_is_searched_for(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("--help me\n")
    assert commands.found_lines(run(commands.find("--help"), tmp_path)) == [("a.txt", "--help me")]
