"""The regression gate: two runs in, a verdict for each gated figure out.

`compare` compares; `read_baseline` and `write_baseline` keep what is compared with. Everything else is in the modules.
"""

from pytest_memuse.gate.baseline import Baseline, Identity, JudgedBy, Promotion, SuiteBaseline, check_judge, run_digest
from pytest_memuse.gate.comparison import Comparison, Refusal, compare
from pytest_memuse.gate.entry_changes import EntryChange
from pytest_memuse.gate.entry_diff import ChangeKind, EntryDiff
from pytest_memuse.gate.errors import BaselineError
from pytest_memuse.gate.matching import Matching, TaskKey
from pytest_memuse.gate.promotion import promote
from pytest_memuse.gate.store import baseline_path, known_baselines, read_baseline, write_baseline
from pytest_memuse.gate.suite_diff import SuiteDiff, TaskDiff, diff_suites
from pytest_memuse.gate.tolerance import Tolerance, parse_tolerance
from pytest_memuse.gate.verdicts import FigureResult, NotGated, Verdict

__all__ = [
    "Baseline",
    "BaselineError",
    "ChangeKind",
    "Comparison",
    "EntryChange",
    "EntryDiff",
    "FigureResult",
    "Identity",
    "JudgedBy",
    "Matching",
    "NotGated",
    "Promotion",
    "Refusal",
    "SuiteBaseline",
    "SuiteDiff",
    "TaskDiff",
    "TaskKey",
    "Tolerance",
    "Verdict",
    "baseline_path",
    "check_judge",
    "compare",
    "diff_suites",
    "known_baselines",
    "parse_tolerance",
    "promote",
    "read_baseline",
    "run_digest",
    "write_baseline",
]
