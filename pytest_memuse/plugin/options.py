"""Options resolved; what wins is decided here: flag beats environment beats ini beats default."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from pytest_memuse.plugin.judging_options import JudgingSettings, Rejudging, check_no_path, judging_settings
from pytest_memuse.plugin.mutation_options import MutationSettings, add_mutation_flags, mutation_settings
from pytest_memuse.plugin.option_table import OPTIONS, Option

if TYPE_CHECKING:
    from pytest_memuse.gate.tolerance import Tolerance
    from pytest_memuse.recording.matching import MatchingRule

_RUN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,59}")
_BY_NAME = {option.name: option for option in OPTIONS}


@dataclass(frozen=True, slots=True)
class Settings:
    """Every option, resolved. ``in_use`` is set where any of them was given.

    ``update`` is the baseline to store, and ``new_only`` says that only what it does not hold yet is. ``save`` and
    ``compare`` are None where they were not given, and empty where they were without a value.
    """

    baseline: str
    update: str
    record_mode: str
    record_both: str
    budget: str
    drift: str
    inconclusive: str
    unevaluated: str
    cassettes: Path
    baselines: Path
    gated: tuple[str, ...]
    executor: str
    force: bool
    in_ci: bool
    in_use: bool
    matching: tuple[str, ...] = ()
    json: str = ""
    junit: str = ""
    junit_properties: bool = True
    jobs: int = 1
    new_only: bool = False
    reason: str = ""
    tolerance: str = ""
    target_branch: str = ""
    save: str | None = None
    compare: str | None = None
    mutation: MutationSettings | None = None
    judging: JudgingSettings = field(default_factory=JudgingSettings)

    @property
    def records(self) -> bool:
        return self.record_mode != "none"

    def tolerances(self) -> "dict[str, Tolerance]":
        """Return the tolerance of each figure that has one. Raises `MemuseError` for what is none."""
        from pytest_memuse.gate.tolerance import parse_tolerances
        from pytest_memuse.profiles.figures import FIGURES

        return parse_tolerances(self.tolerance, FIGURES)

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
            optional: dict[str, Any] = {} if option.alone is None else {"nargs": "?", "const": option.alone}
            group.addoption(
                option.switch,
                dest=option.key,
                metavar=option.metavar,
                default=None,
                help=told.replace("%", "%%"),
                **optional,
            )
        if option.ini:
            kind: Literal["linelist", "string"] = "linelist" if option.lines else "string"
            parser.addini(option.ini_key, told, type=kind, default=None)
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
        for name, off in (("record_mode", "none"), ("update", ""), ("update_new_only", ""), ("record_both", "")):
            if values[name] != off:
                raise pytest.UsageError(
                    f"{_BY_NAME[name].switch}={values[name]} is refused because CI is set: nothing is recorded or "
                    "updated in CI; add --memuse-force to do it all the same"
                )
    if values["update"] and values["update_new_only"]:
        raise pytest.UsageError("--memuse-update does not go with --memuse-update-new-only: give one of the two")
    for name in ("save", "compare"):
        check_run_name(config, _BY_NAME[name].switch, found[name])
    if values["record_both"]:
        if values["record_mode"] not in ("none", "all"):
            raise pytest.UsageError(
                "--memuse-record-both records every arc anew and goes without "
                f"--memuse-record-mode={values['record_mode']}"
            )
        values["record_mode"] = "all"
    mutation = mutation_settings(config, values, environment, refused=in_ci and not force)
    judging = judging_settings(config, found, in_ci=in_ci, refused=in_ci and not force)
    root = config.rootpath
    settings = Settings(
        # Who judges a baseline again compares with it afterwards: before, the gate could only refuse.
        baseline=values["baseline"] if judging.rejudging is not Rejudging.BASELINE else "",
        update=values["update"] or values["update_new_only"] or judging.baseline,
        new_only=bool(values["update_new_only"]),
        reason=values["reason"],
        tolerance=values["tolerance"],
        target_branch=values["target_branch"],
        save=found["save"],
        compare=found["compare"],
        record_mode=values["record_mode"],
        record_both=values["record_both"],
        budget=values["budget"],
        jobs=_jobs(values),
        drift=values["drift"],
        inconclusive=values["inconclusive"],
        unevaluated=values["unevaluated"],
        cassettes=root / values["cassettes"],
        baselines=root / values["baselines"],
        gated=tuple(values["gated"].replace(",", " ").split()),
        executor=values["executor"],
        force=force,
        in_ci=in_ci,
        in_use=any(value is not None for value in found.values()) or mutation is not None,
        matching=tuple(config.getini("memuse_matching")),
        json=values["json"],
        junit=values["junit"],
        junit_properties=values["junit_properties"] == "on",
        mutation=mutation,
        judging=judging,
    )
    if settings.matching:
        _check_matching(settings)
    if config.getoption("memuse_tolerance", None):
        check_figures(settings)
    return settings


def check_figures(settings: Settings) -> None:
    """Raise `pytest.UsageError` where a figure that is gated, or that a tolerance is for, does not exist."""
    from pytest_memuse.gate.tolerance import check_gated
    from pytest_memuse.model.errors import MemuseError
    from pytest_memuse.profiles.figures import FIGURES

    try:
        settings.tolerances()
        check_gated(settings.gated, FIGURES)
    except MemuseError as error:
        raise pytest.UsageError(str(error)) from None


def check_run_name(config: pytest.Config, switch: str, name: str | None) -> None:
    """Raise `pytest.UsageError` where a saved run cannot have the name, or where a path was taken for one."""
    if not name:
        return
    check_no_path(config, switch, name)
    if switch == _BY_NAME["save"].switch and name.isdigit():
        raise pytest.UsageError(f"{switch}: {name!r} is a number, which runs are given; valid are names with a letter")
    if not _RUN_NAME.fullmatch(name):
        raise pytest.UsageError(
            f"{switch}: {name!r} is not a valid value; valid are up to 60 letters, digits, dots, hyphens, underscores"
        )


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
        by_ini = config.getini(option.ini_key)
        if by_ini:
            return "\n".join(by_ini) if option.lines else str(by_ini)
    return None
