"""The regression gate: two runs in, a verdict for each gated figure out.

`compare` compares; `read_baseline` and `write_baseline` keep what is compared with. Everything else is in the modules.
"""

from pytest_memuse.gate.baseline import Baseline, Identity, JudgedBy, SuiteBaseline, check_judge
from pytest_memuse.gate.comparison import Comparison, Refusal, compare
from pytest_memuse.gate.entry_changes import ChangeKind, EntryChange
from pytest_memuse.gate.errors import BaselineError
from pytest_memuse.gate.matching import Matching, TaskKey
from pytest_memuse.gate.store import baseline_path, known_baselines, read_baseline, write_baseline
from pytest_memuse.gate.tolerance import Tolerance, parse_tolerance
from pytest_memuse.gate.verdicts import FigureResult, NotGated, Verdict

__all__ = [
    "Baseline",
    "BaselineError",
    "ChangeKind",
    "Comparison",
    "EntryChange",
    "FigureResult",
    "Identity",
    "JudgedBy",
    "Matching",
    "NotGated",
    "Refusal",
    "SuiteBaseline",
    "TaskKey",
    "Tolerance",
    "Verdict",
    "baseline_path",
    "check_judge",
    "compare",
    "known_baselines",
    "parse_tolerance",
    "read_baseline",
    "write_baseline",
]
