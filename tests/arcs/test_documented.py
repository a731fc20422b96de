"""What docs/arcs.md shows of arcs with known truth is what happens."""

import re
from pathlib import Path

import pytest

from pytest_memuse.arcs.files import load_arcs
from pytest_memuse.arcs.leaks import LeakError

PAGE = (
    (Path(__file__).parents[2] / "docs" / "arcs.md")
    .read_text(encoding="utf-8")
    .partition("## Arcs with known truth")[2]
)


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the file of arcs that the page shows."""
    (tmp_path / "arcs").mkdir()
    (tmp_path / "arcs" / "lockers.yaml").write_text(blocks("yaml")[0], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("number", [0, 1])
def test_the_code_prints_what_stands_below_it(folder: Path, capsys: pytest.CaptureFixture[str], number: int) -> None:
    exec(compile(blocks("python")[number], "docs/arcs.md", "exec"), {})
    assert capsys.readouterr().out == blocks("text")[number]


def test_the_error_of_a_leak_is_the_one_that_is_shown(folder: Path) -> None:
    path = Path("arcs") / "lockers.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("city: Molde", 'city: "Molde, 8,264"'), encoding="utf-8")
    with pytest.raises(LeakError) as raised:
        load_arcs(path)
    assert f"{raised.value}\n" == blocks("text")[2]
