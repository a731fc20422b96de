"""The options of judgment records: whether a judge may ask, and what is judged again."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

import pytest

from pytest_memuse.plugin.option_table import JUDGE_MODES

AGAIN = "again"
"""The value of ``--memuse-rejudge`` that asks the model again; a baseline of that name is given by its path."""


_SWITCH = "--memuse-rejudge"


class Rejudging(StrEnum):
    """What ``--memuse-rejudge`` does: nothing, *replay* recorded conversations, ask *again*, or judge a *baseline*."""

    NOTHING = ""
    REPLAY = "replay"
    AGAIN = AGAIN
    BASELINE = "baseline"


@dataclass(frozen=True, slots=True)
class JudgingSettings:
    """What a judge that keeps its answers may do.

    ``mode`` is one of `JUDGE_MODES`. ``lenient`` says that a span without a record is told and fails nothing; nobody
    asked for that, so that no model is asked either. ``baseline`` is the one that is judged again, by name or path.
    """

    mode: str = "new"
    lenient: bool = False
    rejudging: Rejudging = Rejudging.NOTHING
    baseline: str = ""

    @property
    def asks(self) -> bool:
        """Whether a span without a record is asked about."""
        return self.mode != "none" and not self.lenient


def judging_settings(
    config: pytest.Config, found: Mapping[str, str | None], *, in_ci: bool, refused: bool
) -> JudgingSettings:
    """Return what is to be done. ``found`` are the options as they were given, None where they were not.

    ``refused`` says that nothing may be updated. Raises `pytest.UsageError` for what does not go together.
    """
    mode, rejudge = found["judge_mode"], found["rejudge"]
    rejudging = _rejudging(rejudge)
    if rejudging is Rejudging.NOTHING:
        return JudgingSettings(mode or _default(in_ci))
    check_no_path(config, _SWITCH, rejudge)
    given = f"{_SWITCH}={rejudge}" if rejudge else _SWITCH
    for other in _others(config, found):
        raise pytest.UsageError(f"{given} judges what is recorded and goes without {other}: give one of the two")
    if rejudging is Rejudging.BASELINE:
        if refused:
            raise pytest.UsageError(
                f"{given} is refused because CI is set: nothing is recorded or updated in CI; add --memuse-force to do "
                "it all the same"
            )
        return JudgingSettings(mode or _default(in_ci), rejudging=rejudging, baseline=rejudge or "")
    if mode == "all":
        raise pytest.UsageError(
            f"{given} compares with the records, which --memuse-judge-mode=all replaces: give one of the two"
        )
    return JudgingSettings(mode or _default(in_ci), lenient=mode is None and not in_ci, rejudging=rejudging)


def check_no_path(config: pytest.Config, switch: str, value: str | None) -> None:
    """Raise `pytest.UsageError` where the value of a flag that needs none is a path that stood behind it."""
    given = config.invocation_params
    if value and f"{switch}={value}" not in given.args and (given.dir / value.partition("::")[0]).exists():
        raise pytest.UsageError(
            f"{switch}: {value!r} was taken for its value; give files and folders first, or write {switch}=NAME"
        )


def _others(config: pytest.Config, found: Mapping[str, str | None]) -> Iterator[str]:
    """Yield the options, as they are written, that make or keep another run than the recorded one."""
    for name in ("record_mode", "record_both", "update", "update_new_only", "save", "compare"):
        value = found[name]
        if value is not None and value != "none":
            switch = "--memuse-" + name.replace("_", "-")
            yield f"{switch}={value}" if value else switch
    if config.getoption("memuse_mutate", None) is not None:
        yield "--memuse-mutate"


def _rejudging(given: str | None) -> Rejudging:
    if given is None:
        return Rejudging.NOTHING
    return {"": Rejudging.REPLAY, AGAIN: Rejudging.AGAIN}.get(given, Rejudging.BASELINE)


def _default(in_ci: bool) -> str:
    return "none" if in_ci else JUDGE_MODES[0]
