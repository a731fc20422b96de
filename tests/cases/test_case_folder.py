"""``MEMUSE_CASES`` names a folder with cases, or nothing is run at all."""

from pathlib import Path

import pytest

from tests.cases.episodes import OWN_CASES, NoCases, cases_folder
from tests.conftest import pytest_configure


def test_without_another_folder_the_cases_are_the_projects_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMUSE_CASES", raising=False)
    assert cases_folder() == OWN_CASES


@pytest.mark.parametrize("name", ["nowhere", ""])
def test_a_folder_without_cases_is_a_usage_error(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> None:
    folder = tmp_path / name
    monkeypatch.setenv("MEMUSE_CASES", str(folder))
    with pytest.raises(NoCases, match=str(folder)):
        cases_folder()
    with pytest.raises(pytest.UsageError, match="MEMUSE_CASES"):
        pytest_configure(pytestconfig)


def test_another_folder_may_hold_any_one_of_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "further").mkdir()
    (tmp_path / "further" / "spans.yaml").touch()
    monkeypatch.setenv("MEMUSE_CASES", str(tmp_path))
    assert cases_folder() == tmp_path
