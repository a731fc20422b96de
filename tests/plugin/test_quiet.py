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


@pytest.mark.parametrize("section", ["memuse", "gate"])
def test_nothing_is_printed(tmp_path: Path, section: str) -> None:
    (tmp_path / "test_plain.py").write_text("def test_plain(): pass\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--no-header"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert section not in done.stdout
