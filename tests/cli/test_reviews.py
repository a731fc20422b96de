"""The three reviews of docs/reviewing.md: the document shows what `memuse diff` says of runs that were really made.

``reviews`` holds the example project's baseline, and the last run of three copies of it, each with the memory system
broken in one place and recorded again (as `tests/example/test_round.py` does), as pytest left it in ``.memuse``.
"""

import re
import shutil
from pathlib import Path

import pytest

from pytest_memuse.cli import main

RUNS = Path(__file__).parent / "reviews"
DOCUMENT = Path(__file__).parents[2] / "docs" / "reviewing.md"


@pytest.mark.parametrize(
    ("run", "heading"),
    [
        ("stale-values", "Stale values come back"),
        ("other-projects", "Other projects' notes"),
        ("nothing-at-all", "Nothing at all"),
    ],
)
def test_the_document_shows_what_the_command_says(
    run: str, heading: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for source, place in (("main", "baselines/main.json"), (run, ".memuse/last.json")):
        (tmp_path / place).parent.mkdir()
        shutil.copy(RUNS / f"{source}.json", tmp_path / place)
    monkeypatch.chdir(tmp_path)
    assert main(["diff", "main"]) == 0
    section = DOCUMENT.read_text(encoding="utf-8").split(f"### {heading}\n")[1]
    shown = re.search(r"```text\n(.*?)```", section, re.DOTALL)
    assert shown is not None
    assert shown[1] == capsys.readouterr().out
