"""`memuse agree A A`: a judge that is asked about the same spans again and does not say the same."""

import json
from pathlib import Path

import pytest
import yaml

from pytest_memuse.cli import main
from tests.judging.llm.endpoint import served
from tests.judging.llm.needs import need_litellm
from tests.judging.llm.wavering import Wavering
from tests.judging.scripted_judge import case_data

need_litellm()


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """A labelled set of two cases, which are two arcs."""
    path = tmp_path / "set.yaml"
    made = [case_data(name, {"influence": "none"}, task=f"Moor barge {name}.") for name in "ab"]
    path.write_text(yaml.safe_dump_all(made))
    return path


def test_one_judge_named_twice_is_asked_anew_each_time_and_its_noise_is_told(
    cases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = Wavering()
    with served(script) as endpoint:
        judge = f"llm:openai/scripted@{endpoint.url}"
        assert main(["agree", "--times", "3", "--json", judge, judge, str(cases)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(script.answers.values()) == {3}
    assert found["signals"]["relevance"]["agreed"] == 0
    # Relevant, irrelevant, relevant: every arc alike, so that all of the variance is the judge's.
    noise = found["noise"]["relevance_share"]
    assert noise["value"] == pytest.approx(2 / 3)
    assert noise["judge"] > 0
    assert noise["judge_share"] == 1


def test_how_often_is_said_of_one_judge_that_is_named_twice(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["tracer", "main"], ["tracer", "annotations:x.yaml"], ["main", "main"]):
        assert main(["agree", "--times", "3", *arguments, str(cases)]) == 2
        assert "--times is for one judge, named twice" in capsys.readouterr().err
    assert main(["agree", "--times", "1", "tracer", "tracer", str(cases)]) == 2
    assert "takes at least two judgings" in capsys.readouterr().err
