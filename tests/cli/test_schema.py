"""`memuse schema` prints schemas that a validator takes, and by which what is written is valid."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pytest_memuse.cli import main
from pytest_memuse.reports.json_report import json_report
from tests.reports.sessions import worse_session

_LOG = Path(__file__).parents[2] / "fixtures" / "logs" / "format-1.jsonl"


def _printed(capsys: pytest.CaptureFixture[str], what: str) -> dict[str, Any]:
    assert main(["schema", what]) == 0
    schema: dict[str, Any] = json.loads(capsys.readouterr().out)
    Draft202012Validator.check_schema(schema)
    return schema


def test_a_report_is_valid_by_the_schema_that_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    Draft202012Validator(_printed(capsys, "report")).validate(json.loads(json_report(worse_session())))


def test_every_line_of_a_log_is_valid_by_the_schema_that_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    validator = Draft202012Validator(_printed(capsys, "log"))
    lines = [json.loads(line) for line in _LOG.read_text(encoding="utf-8").splitlines()]
    assert [error.message for line in lines for error in validator.iter_errors(line)] == []
    assert not validator.is_valid({**lines[0], "type": "no such line"})


def test_the_schema_of_arcs_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert "arcs" in _printed(capsys, "arcs")["properties"]


def test_what_has_no_schema_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["schema", "cassette"])
    assert raised.value.code == 2
    assert "choose from" in capsys.readouterr().err
