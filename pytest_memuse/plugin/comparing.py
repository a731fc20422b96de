"""A suite compared as the settings say: one place for the gate, for a look at a saved run, and for what is stored."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytest_memuse.gate.baseline import JudgedBy, SuiteBaseline, check_judge
from pytest_memuse.plugin.options import Settings

if TYPE_CHECKING:
    from pytest_memuse.gate.comparison import Comparison, Refusal
    from pytest_memuse.profiles.rows import Run


def compared_with(
    then: SuiteBaseline, name: str, run: "Run", judge: JudgedBy, recordings: Mapping[str, str], settings: Settings
) -> "Comparison | Refusal":
    """Compare a run with a stored suite that is known as ``name``, in the gated figures and with their tolerances.

    ``recordings`` gives the digests of the run's recordings by arc. Raises `MemuseError` where another judge gave the
    signals of the stored suite.
    """
    from pytest_memuse.gate.comparison import compare
    from pytest_memuse.profiles.figures import DEFAULT_GATED

    check_judge(then, judge, name)
    return compare(
        then.run,
        run,
        figures=settings.gated or DEFAULT_GATED,
        tolerances=settings.tolerances(),
        recordings=(then.recordings, recordings),
    )
