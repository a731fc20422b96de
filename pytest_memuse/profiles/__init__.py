"""Verdict rules and aggregates: signals in, profiles out (MemUse 3.5, A.4).

A `Profile` is made of the rows of one run. Beside it stand functions over what a run's rows do not hold:
`compare_outcomes` over several runs, `item_histories`, `leakage` and `cost_families` over judged episodes, `ledger`
over episodes.
"""

from pytest_memuse.profiles.assembling import creation_ordinals, episode_row, outside_rows, span_row
from pytest_memuse.profiles.call_costs import Ledger, Purpose, Rates, ledger
from pytest_memuse.profiles.delivered import FormShares, Volume, delivery_shares
from pytest_memuse.profiles.families import CostFamilies, cost_families
from pytest_memuse.profiles.figure import Counts, Figure, Responsible, UndefinedFigure, UndefinedValue
from pytest_memuse.profiles.figures import DEFAULT_GATED, FIGURES, Bound, FigureSpec, Kind, Worse
from pytest_memuse.profiles.histories import HarmfulItem, ItemHistory, item_histories, revise_or_remove
from pytest_memuse.profiles.judged_episode import JudgedEpisode
from pytest_memuse.profiles.leaks import Leak, LeakageCheck, leakage
from pytest_memuse.profiles.outcomes import OutcomeComparison, compare_outcomes, split_repeats
from pytest_memuse.profiles.profile import Profile, arc_contributions
from pytest_memuse.profiles.quantity import Knowledge, Quantity, mean_of
from pytest_memuse.profiles.rows import EntryRow, EpisodeRow, RowOutcome, Run, SpanRow, Triage, Usage
from pytest_memuse.profiles.serialise import run_from_dict, run_to_dict
from pytest_memuse.profiles.share import Share
from pytest_memuse.profiles.tracing import Origins, Trace, origins, traces
from pytest_memuse.profiles.verdicts import triage_label, usage_label

__all__ = [
    "DEFAULT_GATED",
    "FIGURES",
    "Bound",
    "CostFamilies",
    "Counts",
    "EntryRow",
    "EpisodeRow",
    "Figure",
    "FigureSpec",
    "FormShares",
    "HarmfulItem",
    "ItemHistory",
    "JudgedEpisode",
    "Kind",
    "Knowledge",
    "Leak",
    "LeakageCheck",
    "Ledger",
    "Origins",
    "OutcomeComparison",
    "Profile",
    "Purpose",
    "Quantity",
    "Rates",
    "Responsible",
    "RowOutcome",
    "Run",
    "Share",
    "SpanRow",
    "Trace",
    "Triage",
    "UndefinedFigure",
    "UndefinedValue",
    "Usage",
    "Volume",
    "Worse",
    "arc_contributions",
    "compare_outcomes",
    "cost_families",
    "creation_ordinals",
    "delivery_shares",
    "episode_row",
    "item_histories",
    "leakage",
    "ledger",
    "mean_of",
    "origins",
    "outside_rows",
    "revise_or_remove",
    "run_from_dict",
    "run_to_dict",
    "span_row",
    "split_repeats",
    "traces",
    "triage_label",
    "usage_label",
]
