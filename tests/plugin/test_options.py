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
        given = f"=[{option.metavar}]" if option.alone is not None else f"={option.metavar}"
        assert not option.flag or option.switch + given in text
        assert not option.ini or option.ini_key in text
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


def test_one_update_excludes_the_other(pytester: pytest.Pytester) -> None:
    with pytest.raises(pytest.UsageError, match="--memuse-update does not go with --memuse-update-new-only"):
        settings_of(pytester.parseconfig("--memuse-update=main", "--memuse-update-new-only=main"), {})
    settings = settings_of(pytester.parseconfig("--memuse-update-new-only=main"), {})
    assert (settings.update, settings.new_only) == ("main", True)


@pytest.mark.parametrize("flag", ["--memuse-update=main", "--memuse-update-new-only=main"])
def test_nothing_is_updated_in_ci(pytester: pytest.Pytester, flag: str) -> None:
    with pytest.raises(pytest.UsageError, match=f"{flag} is refused because CI is set"):
        settings_of(pytester.parseconfig(flag), {"CI": "true"})
    assert settings_of(pytester.parseconfig(flag, "--memuse-force"), {"CI": "true"}).update == "main"


@pytest.mark.parametrize("switch", ["--memuse-save", "--memuse-compare"])
@pytest.mark.parametrize(
    ("written", "found"), [([], None), ([""], ""), (["="], ""), (["=before"], "before"), ([" before"], "before")]
)
def test_a_saved_run_is_named_or_not(
    pytester: pytest.Pytester, switch: str, written: list[str], found: str | None
) -> None:
    flags = [part for end in written for part in (switch + end).split(" ")]
    settings = settings_of(pytester.parseconfig(*flags), {})
    assert getattr(settings, switch.removeprefix("--memuse-")) == found


@pytest.mark.parametrize("switch", ["--memuse-save", "--memuse-compare"])
@pytest.mark.parametrize("path", ["tests", "test_shop.py", "test_shop.py::test_one"])
def test_a_path_after_the_flag_is_not_taken_for_a_name(pytester: pytest.Pytester, switch: str, path: str) -> None:
    pytester.mkdir("tests")
    pytester.makepyfile(test_shop="")
    with pytest.raises(pytest.UsageError, match="give files and folders first, or write"):
        settings_of(pytester.parseconfig(switch, path), {})
    if path == "tests":
        assert settings_of(pytester.parseconfig(f"{switch}=tests"), {}).in_use


@pytest.mark.parametrize("name", ["a/b", "..", "-x", ".hidden", "a b", "x" * 61, "é"])
def test_a_name_of_a_run_is_a_plain_one(pytester: pytest.Pytester, name: str) -> None:
    with pytest.raises(pytest.UsageError, match="is not a valid value"):
        settings_of(pytester.parseconfig(f"--memuse-save={name}"), {})


def test_a_number_names_no_run_that_is_saved(pytester: pytest.Pytester) -> None:
    with pytest.raises(pytest.UsageError, match="--memuse-save: '12' is a number"):
        settings_of(pytester.parseconfig("--memuse-save=12"), {})
    assert settings_of(pytester.parseconfig("--memuse-compare=12"), {}).compare == "12"
