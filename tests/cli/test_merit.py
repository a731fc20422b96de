"""`memuse merit`: tables and data of a free scripted grid, with its label, and what it refuses."""

import json
from pathlib import Path

import pytest

from pytest_memuse.cli import main
from pytest_memuse.recording.files import load_recording
from tests.arcs.test_files import FILE

SMALL = ["merit", "--domain", "retail", "--tier", "hard", "--condition", "facts,retrieval", "--arcs", "2"]


def test_a_free_grid_prints_its_tables_with_the_stand_ins_label(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--corrupt", "stale", "--rate", "0.3"]) == 0
    out = capsys.readouterr().out
    first, *_ = out.splitlines()
    assert first.startswith("2 arcs, 50 scored episodes, agent: memuse-scripted-merit")
    assert first.endswith("a scripted stand-in: these figures guard the pipeline and are no findings")
    for told in ("Dependent task success", "ignore rate", "Stale-memory harm", "facts, stale at 0.3", "too few arcs"):
        assert told in out
    assert "Dollars are unknown" in out


def test_the_same_seed_prints_the_same_and_another_one_another(capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for seed in ("0", "0", "7"):
        assert main([*SMALL, "--arcs", "1", "--seed", seed, "--json"]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert printed[0] != printed[2]


def test_data_holds_cells_differences_and_episodes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main([*SMALL, "--price", "0.40,1.60", "--json", "--out", str(tmp_path)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["finding"] is False
    assert {(cell["condition"], cell["tier"]) for cell in data["cells"]} == {
        ("none", "hard"),
        ("facts", "hard"),
        ("retrieval", "hard"),
    }
    assert len(data["episodes"]) == 30
    (model,) = data["models"]
    assert model["utility"]["facts"]["dollars"]["trade"] == "success at a price"
    assert model["utility"]["facts"]["dollars"]["camu"]["value"] > 0
    assert model["gain_over_no_memory"][0]["finding"] == "too few arcs"
    recordings = sorted(tmp_path.rglob("*.jsonl"))
    assert len(recordings) == 6
    assert load_recording(recordings[0]).arc.startswith("retail-hard-0-")


def test_arcs_of_ones_own_run_from_their_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "lockers.yaml"
    path.write_text(FILE)
    assert main(["merit", "--file", str(path), "--condition", "replay,facts", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    success = {c["condition"]: c["figures"]["dependent_success"]["value"] for c in data["cells"]}
    assert {cell["domain"] for cell in data["cells"]} == {"lockers"}
    assert success == {"none": 0.0, "replay": 0.0, "facts": 1.0}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--domain", "retial"], "did you mean 'retail'"),
        (["--condition", "fact"], "did you mean 'facts'"),
        (["--price", "1"], "--price takes two numbers"),
        (["--model", "gpt-x"], "--model needs --base-url"),
        (["--variant", "real", "--condition", "summary", "--arcs", "1"], "real needs --memory-model for summary"),
        (["--episodes", "9"], "4 to 6 episodes"),
    ],
)
def test_what_cannot_be_run_is_refused_with_how_to_mend_it(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["merit", *arguments]) == 2
    assert told in capsys.readouterr().err
