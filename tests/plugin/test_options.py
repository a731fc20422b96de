"""Where an option may be set and what wins."""

from pathlib import Path

import pytest

from pytest_memuse.plugin.option_table import OPTIONS
from pytest_memuse.plugin.options import settings_of

pytest_plugins = "pytester"


def _drift(pytester: pytest.Pytester, ini: str, environment: dict[str, str], flags: list[str]) -> str:
    pytester.makeini(f"[pytest]\n{ini}\n")
    return settings_of(pytester.parseconfig(*flags), environment).drift


@pytest.mark.parametrize(
    ("ini", "environment", "flags", "expected"),
    [
        ("", {}, [], "fail"),
        ("memuse_drift = warn", {}, [], "warn"),
        ("memuse_drift = warn", {"MEMUSE_DRIFT": "acted"}, [], "acted"),
        ("memuse_drift = warn", {"MEMUSE_DRIFT": "acted"}, ["--memuse-drift=fail"], "fail"),
    ],
)
def test_flag_beats_environment_beats_ini_beats_default(
    pytester: pytest.Pytester, ini: str, environment: dict[str, str], flags: list[str], expected: str
) -> None:
    assert _drift(pytester, ini, environment, flags) == expected


def test_folders_start_from_the_root_folder(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmemuse_cassettes = recordings\n")
    settings = settings_of(pytester.parseconfig(), {})
    assert (settings.cassettes, settings.baselines) == (
        Path(pytester.path) / "recordings",
        Path(pytester.path) / "baselines",
    )


def test_help_names_every_option_with_its_valid_values(pytester: pytest.Pytester) -> None:
    text = " ".join(pytester.runpytest_inprocess("--help").stdout.str().split())
    for option in OPTIONS:
        assert not option.flag or f"{option.switch}={option.metavar}" in text
        assert not option.ini or option.key in text
        assert not option.values or f"(one of {', '.join(option.values)}; default {option.default})" in text


def test_an_executor_that_is_none_is_a_usage_error(pytester: pytest.Pytester) -> None:
    with pytest.raises(pytest.UsageError, match="--memuse-executor: 'cores:2' is no executor"):
        settings_of(pytester.parseconfig("--memuse-executor=cores:2"), {})
    assert settings_of(pytester.parseconfig("--memuse-executor=threads:2"), {}).executor == "threads:2"


def test_rules_of_what_may_vary_are_read_from_the_ini_file(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmemuse_matching =\n    ticket: TICKET-[0-9]+ => TICKET\n    uuid: off\n")
    names = [rule.name for rule in settings_of(pytester.parseconfig(), {}).matching_rules()]
    assert names[-1] == "ticket"
    assert "uuid" not in names


def test_a_rule_of_what_may_vary_that_is_none_is_a_usage_error(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmemuse_matching = ticket TICKET\n")
    with pytest.raises(pytest.UsageError, match="memuse_matching: 'ticket TICKET': it must be `name: regular expr"):
        settings_of(pytester.parseconfig(), {})
