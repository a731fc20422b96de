"""`memuse labels`: files, folders, MEMUSE_CASES, and what cannot be read."""

import json
from pathlib import Path

import pytest
import yaml

from pytest_memuse.cli import main
from tests.cases.episodes import OWN_CASES
from tests.judging.scripted_judge import case_data


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "more").mkdir()
    for name, cases in (("labels.yaml", "ab"), ("more/one.yaml", "c"), ("more/two.yaml", "d")):
        documents = [case_data(case, {"influence": "none"}) for case in cases]
        (tmp_path / name).write_text(yaml.safe_dump_all(documents), encoding="utf-8")
    (tmp_path / "spans.yaml").write_text("case: other\nexpect: {}\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("{", encoding="utf-8")
    return tmp_path


def measured(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, int]:
    assert main(["labels", "--json", *arguments]) == 0
    data = json.loads(capsys.readouterr().out)
    return {Path(name).name: found["entries"] for name, found in data["sets"].items()}


def test_a_folder_gives_a_set_for_each_file_and_folder_and_passes_over_other_cases(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert measured(capsys, str(folder)) == {"labels.yaml": 2, "more": 2}


def test_files_are_sets(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert measured(capsys, str(folder / "labels.yaml"), str(folder / "more" / "one.yaml")) == {
        "labels.yaml": 2,
        "one.yaml": 1,
    }


def test_memuse_cases_names_what_is_measured_unless_something_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMUSE_CASES", str(folder))
    assert measured(capsys) == {"labels.yaml": 2, "more": 2}
    assert measured(capsys, str(OWN_CASES / "labels.yaml")) == {"labels.yaml": 15}


def test_wrong_and_open_labels_are_listed_by_case_and_entry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = case_data("claimed", {"influence": "acted_on"})
    (tmp_path / "set.yaml").write_text(yaml.safe_dump(case), encoding="utf-8")
    assert main(["labels", "-v", str(tmp_path / "set.yaml")]) == 0
    out = capsys.readouterr().out
    assert "judge: tracer" in out
    assert "wrong: claimed entry 1: influence: none, forced acted on" in out


def test_the_total_of_several_sets_is_what_one_set_of_all_would_give(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["labels", "--json", str(folder)]) == 0
    apart = json.loads(capsys.readouterr().out)["all"]
    files = sorted(folder.rglob("*.yaml"))
    together = "---\n".join(path.read_text(encoding="utf-8") for path in files if path.name != "spans.yaml")
    (folder / "together.yaml").write_text(together, encoding="utf-8")
    assert main(["labels", "--json", str(folder / "together.yaml")]) == 0
    whole = json.loads(capsys.readouterr().out)["all"]
    assert (apart["entries"], apart["signals"]) == (whole["entries"], whole["signals"]) != (0, {})


def test_a_judge_of_labels_for_other_evidence_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    form = folder / "form.txt"
    assert main(["annotate", str(folder / "labels.yaml"), "--from-labels", "-o", str(form)]) == 0
    changed = case_data("a", {"influence": "none"}, task="Sink the barge.")
    (folder / "labels.yaml").write_text(yaml.safe_dump(changed), encoding="utf-8")
    assert main(["labels", "--judge", f"annotations:{form}", str(folder / "labels.yaml")]) == 2
    assert "form.txt:" in (told := capsys.readouterr().err)
    assert "were given for other evidence" in told


def test_what_cannot_be_measured_is_told_with_the_nearest(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*arguments: str) -> str:
        assert main(["labels", *arguments]) == 2
        return capsys.readouterr().err

    assert "did you mean 'labels.yaml'?" in refused(str(folder / "lables.yaml"))
    assert "did you mean 'tracer'?" in refused("--judge", "trace", str(folder))
    assert "case 'other': the field 'labels' is missing" in refused(str(folder / "spans.yaml"))
    (folder / "empty").mkdir()
    assert "holds no labelled case" in refused(str(folder / "empty"))
    (folder / "bad.yaml").write_text("a: 1\n  b: 2\n", encoding="utf-8")
    assert "bad.yaml:2: not valid YAML" in refused(str(folder))
    (folder / "bad.yaml").write_bytes(b"case: x\ntask: \xff\n")
    assert "bad.yaml:2: not UTF-8 text" in refused(str(folder))
    monkeypatch.delenv("MEMUSE_CASES", raising=False)
    monkeypatch.chdir(folder)
    assert "no labelled set is named" in refused()
