"""Options: what can be set, where, and what wins: flag beats environment beats ini beats default, decided here."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

RECORD_MODES = ("none", "once", "new_episodes", "all", "rewrite")
DRIFT_MODES = ("fail", "acted", "warn")
INCONCLUSIVE_MODES = ("pass", "warn", "fail")


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its name without prefix, its default, its valid values where there are few, and its help."""

    name: str
    help: str
    default: str = ""
    values: tuple[str, ...] = ()
    metavar: str = "NAME"
    flag: bool = True
    ini: bool = True

    @property
    def switch(self) -> str:
        return "--memuse-" + self.name.replace("_", "-")

    @property
    def key(self) -> str:
        return f"memuse_{self.name}"


OPTIONS = (
    Option(
        "baseline",
        "compare with this stored baseline (a name in the baselines folder, or a file) and fail where a "
        "gated figure regressed",
    ),
    Option("update", "store this run as the baseline NAME; refused where the run is partial or failed", ini=False),
    Option(
        "record_mode",
        "none: replay only; once: record arcs that have no recording; new_episodes: also record stale "
        "arcs again; all, rewrite: record every arc again",
        "none",
        RECORD_MODES,
        "MODE",
    ),
    Option(
        "drift",
        "what a stale recording does: fail; acted: fail only where it touches an entry that the agent had "
        "acted on; warn",
        "fail",
        DRIFT_MODES,
        "MODE",
    ),
    Option("inconclusive", "what an inconclusive gate does", "pass", INCONCLUSIVE_MODES, "MODE"),
    Option("cassettes", "folder of the recordings, from the root folder", "cassettes", metavar="DIR"),
    Option("baselines", "folder of the baselines, from the root folder", "baselines", metavar="DIR"),
    Option(
        "executor",
        "where episodes are judged: threads:N, processes:N, a running Dask cluster dask:tcp://HOST:PORT, or "
        "nothing: in this process",
        metavar="ADDRESS",
    ),
    Option(
        "gated",
        "figures that gate the build, separated by commas or spaces; empty: the default set",
        metavar="FIGURES",
        flag=False,
    ),
)
_BY_NAME = {option.name: option for option in OPTIONS}


@dataclass(frozen=True, slots=True)
class Settings:
    """Every option, resolved. ``in_use`` is set where any of them was given."""

    baseline: str
    update: str
    record_mode: str
    drift: str
    inconclusive: str
    cassettes: Path
    baselines: Path
    gated: tuple[str, ...]
    executor: str
    force: bool
    in_ci: bool
    in_use: bool

    @property
    def records(self) -> bool:
        return self.record_mode != "none"


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
    in_ci = environment.get("CI", "").lower() not in ("", "0", "false")
    force = bool(config.getoption("memuse_force", False))
    if in_ci and not force:
        for name, off in (("record_mode", "none"), ("update", "")):
            if values[name] != off:
                raise pytest.UsageError(
                    f"{_BY_NAME[name].switch}={values[name]} is refused because CI is set: nothing is recorded or "
                    "updated in CI; add --memuse-force to do it all the same"
                )
    root = config.rootpath
    return Settings(
        baseline=values["baseline"],
        update=values["update"],
        record_mode=values["record_mode"],
        drift=values["drift"],
        inconclusive=values["inconclusive"],
        cassettes=root / values["cassettes"],
        baselines=root / values["baselines"],
        gated=tuple(values["gated"].replace(",", " ").split()),
        executor=values["executor"],
        force=force,
        in_ci=in_ci,
        in_use=any(value is not None for value in found.values()),
    )


def _check_executor(address: str) -> None:
    from pytest_memuse.execution import check_address
    from pytest_memuse.model.errors import MemuseError

    try:
        check_address(address)
    except MemuseError as error:
        raise pytest.UsageError(f"{_BY_NAME['executor'].switch}: {error}") from None


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
