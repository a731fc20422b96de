"""A session that uses no memuse fixture pays for nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("litellm", "vcr", "scipy", "numpy", "pydantic", "jsonschema", "yaml", "mem0")

_PLUGIN = """
import sys

def pytest_unconfigure():
    names = %r
    print("LOADED", sorted(n for n in names if n in sys.modules))
"""


def _loaded(folder: Path, *arguments: str) -> str:
    (folder / "conftest.py").write_text(_PLUGIN % (HEAVY,))
    (folder / "test_plain.py").write_text("def test_plain(): pass\n")
    # Other installed plugins may import heavy packages of their own; only ours is loaded.
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider", "-p", "pytest_memuse.plugin", *arguments],
        cwd=folder,
        env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return next(line for line in done.stdout.splitlines() if line.startswith("LOADED"))


def test_no_heavy_package_is_imported(tmp_path: Path) -> None:
    assert _loaded(tmp_path) == "LOADED []"


def test_not_even_where_the_ini_file_names_a_baseline(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmemuse_baseline = main\n")
    (tmp_path / "baselines").mkdir()
    (tmp_path / "baselines" / "main.json").write_text("{}")
    assert _loaded(tmp_path) == "LOADED []"


def test_the_check_itself_can_see_a_heavy_package(tmp_path: Path) -> None:
    (tmp_path / "test_plain2.py").write_text("import yaml\ndef test_plain(): pass\n")
    assert _loaded(tmp_path) == "LOADED ['yaml']"


def _printed(folder: Path, *arguments: str) -> str:
    (folder / "test_plain.py").write_text("def test_plain(): pass\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--no-header", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("ini", ["", "memuse_baseline = main\n"], ids=["unused", "a baseline in the ini file"])
def test_nothing_is_printed_where_no_test_uses_the_plugin(tmp_path: Path, ini: str) -> None:
    folder = tmp_path / "project"
    (folder / "baselines").mkdir(parents=True)
    (folder / "baselines" / "main.json").write_text("{}")
    (folder / "pytest.ini").write_text("[pytest]\n" + ini)
    printed = _printed(folder)
    assert "memuse" not in printed
    assert "gate" not in printed


def test_who_asks_for_a_gate_on_the_command_line_is_told_that_there_was_none(tmp_path: Path) -> None:
    (tmp_path / "baselines").mkdir()
    (tmp_path / "baselines" / "main.json").write_text("{}")
    printed = _printed(tmp_path, "--memuse-baseline=main")
    assert "gate: not evaluated (no test that uses memuse ran)" in printed
