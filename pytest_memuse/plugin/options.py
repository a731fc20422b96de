"""Options resolved; what wins is decided here: flag beats environment beats ini beats default."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_memuse.plugin.mutation_options import MutationSettings, add_mutation_flags, mutation_settings
from pytest_memuse.plugin.option_table import OPTIONS, Option

if TYPE_CHECKING:
    from pytest_memuse.recording.matching import MatchingRule

_BY_NAME = {option.name: option for option in OPTIONS}


@dataclass(frozen=True, slots=True)
class Settings:
    """Every option, resolved. ``in_use`` is set where any of them was given."""

    baseline: str
    update: str
    record_mode: str
    record_both: str
    budget: str
    drift: str
    inconclusive: str
    cassettes: Path
    baselines: Path
    gated: tuple[str, ...]
    executor: str
    force: bool
    in_ci: bool
    in_use: bool
    matching: tuple[str, ...] = ()
    jobs: int = 1
    mutation: MutationSettings | None = None

    @property
    def records(self) -> bool:
        return self.record_mode != "none"

    def matching_rules(self) -> "tuple[MatchingRule, ...]":
        """Return what may vary in requests that are the same: the default rules and those of ``memuse_matching``."""
        from pytest_memuse.recording.matching import parse_rules

        return parse_rules(self.matching)


def add_options(parser: pytest.Parser) -> None:
    """Declare flags and ini keys."""
    group = parser.getgroup("memuse", "evaluate an agent's memory at its point of use")
    for option in OPTIONS:
        told = option.help
        if option.values:
            told += f" (one of {', '.join(option.values)}; default {option.default})"
        elif option.default:
            told += f" (default {option.default})"
        if option.flag:
            group.addoption(option.switch, dest=option.key, metavar=option.metavar, default=None, help=told)
        if option.ini:
            parser.addini(option.key, told, type="string", default=None)
    parser.addini(
        "memuse_redact",
        "rules for what is never written to a recording, a line each, `name: regular expression`; the first group of "
        "what matches is replaced, all of it where there is no group (docs/redaction.md)",
        type="linelist",
        default=[],
    )
    parser.addini(
        "memuse_matching",
        "what may vary in requests that are the same, a line each, `name: regular expression => replacement`; "
        "`name: off` leaves out a default rule (docs/recording-reference.md)",
        type="linelist",
        default=[],
    )
    add_mutation_flags(group)
    group.addoption(
        "--memuse-force",
        dest="memuse_force",
        action="store_true",
        help="update or record although the run failed, is partial, or CI is set",
    )


def settings_of(config: pytest.Config, environment: Mapping[str, str] = os.environ) -> Settings:
    """Resolve every option. Raises `pytest.UsageError` for a value that is not one of the valid ones."""
    found = {option.name: _value(config, option, environment) for option in OPTIONS}
    values = {name: value if value is not None else _BY_NAME[name].default for name, value in found.items()}
    for name, value in values.items():
        option = _BY_NAME[name]
        if option.values and value not in option.values:
            raise pytest.UsageError(
                f"{option.switch}: {value!r} is not a valid value; valid are {', '.join(option.values)}"
            )
    if values["executor"]:
        _check_executor(values["executor"])
    if config.getini("memuse_redact"):
        _check_rules(config.getini("memuse_redact"))
    if values["budget"]:
        _check_budget(values["budget"])
    in_ci = environment.get("CI", "").lower() not in ("", "0", "false")
    force = bool(config.getoption("memuse_force", False))
    if in_ci and not force:
        for name, off in (("record_mode", "none"), ("update", ""), ("record_both", "")):
            if values[name] != off:
                raise pytest.UsageError(
                    f"{_BY_NAME[name].switch}={values[name]} is refused because CI is set: nothing is recorded or "
                    "updated in CI; add --memuse-force to do it all the same"
                )
    if values["record_both"]:
        if values["record_mode"] not in ("none", "all"):
            raise pytest.UsageError(
                "--memuse-record-both records every arc anew and goes without "
                f"--memuse-record-mode={values['record_mode']}"
            )
        values["record_mode"] = "all"
    mutation = mutation_settings(config, values, environment, refused=in_ci and not force)
    root = config.rootpath
    settings = Settings(
        baseline=values["baseline"],
        update=values["update"],
        record_mode=values["record_mode"],
        record_both=values["record_both"],
        budget=values["budget"],
        jobs=_jobs(values),
        drift=values["drift"],
        inconclusive=values["inconclusive"],
        cassettes=root / values["cassettes"],
        baselines=root / values["baselines"],
        gated=tuple(values["gated"].replace(",", " ").split()),
        executor=values["executor"],
        force=force,
        in_ci=in_ci,
        in_use=any(value is not None for value in found.values()) or mutation is not None,
        matching=tuple(config.getini("memuse_matching")),
        mutation=mutation,
    )
    if settings.matching:
        _check_matching(settings)
    return settings


def _check_executor(address: str) -> None:
    from pytest_memuse.execution import check_address
    from pytest_memuse.model.errors import MemuseError

    try:
        check_address(address)
    except MemuseError as error:
        raise pytest.UsageError(f"{_BY_NAME['executor'].switch}: {error}") from None


def _check_rules(lines: Sequence[str]) -> None:
    from pytest_memuse.model.errors import MemuseError
    from pytest_memuse.recording.redaction import parse_rules

    try:
        parse_rules(lines)
    except MemuseError as error:
        raise pytest.UsageError(str(error)) from None


def _check_matching(settings: Settings) -> None:
    from pytest_memuse.model.errors import MemuseError

    try:
        settings.matching_rules()
    except MemuseError as error:
        raise pytest.UsageError(str(error)) from None


def _jobs(values: Mapping[str, str]) -> int:
    given, switch = values["jobs"], _BY_NAME["jobs"].switch
    if not (given.isascii() and given.isdigit() and 1 <= int(given[:4]) == int(given) <= 256):
        raise pytest.UsageError(f"{switch}: {given!r} is not a valid value; valid are 1 to 256")
    if int(given) == 1:
        return 1
    from pytest_memuse.plugin.forks import available

    other = next((name for name in ("budget", "record_both") if values[name]), None)
    if other is not None:
        raise pytest.UsageError(f"{switch}={given} does not go with {_BY_NAME[other].switch}: give one of the two")
    if not available():
        raise pytest.UsageError(f"{switch}={given} needs a platform that can fork processes safely; this one cannot")
    return int(given)


def _check_budget(limit: str) -> None:
    from pytest_memuse.episodes.budget import parse_budget
    from pytest_memuse.model.errors import MemuseError

    try:
        parse_budget(limit)
    except MemuseError as error:
        raise pytest.UsageError(f"{_BY_NAME['budget'].switch}: {error}") from None


def _value(config: pytest.Config, option: Option, environment: Mapping[str, str]) -> str | None:
    """Return what was given for an option by flag, else in the environment, else in the ini file; else None."""
    if option.flag:
        by_flag = config.getoption(option.key, None)
        if by_flag is not None:
            return str(by_flag)
    by_environment = environment.get(option.key.upper())
    if by_environment:
        return by_environment
    if option.ini:
        by_ini = config.getini(option.key)
        if by_ini:
            return str(by_ini)
    return None
