"""Verdict rules and aggregates: signals in, profiles out (MemUse 3.5, A.4)."""

from pytest_memuse.profiles.assembling import creation_ordinals, episode_row, span_row
from pytest_memuse.profiles.figure import Counts, Figure, Responsible, UndefinedFigure, UndefinedValue
from pytest_memuse.profiles.figures import DEFAULT_GATED, FIGURES, Bound, FigureSpec, Kind, Worse
from pytest_memuse.profiles.profile import Profile, arc_contributions
from pytest_memuse.profiles.rows import EntryRow, EpisodeRow, RowOutcome, Run, SpanRow, Triage, Usage
from pytest_memuse.profiles.serialise import run_from_dict, run_to_dict
from pytest_memuse.profiles.verdicts import triage_label, usage_label

__all__ = [
    "DEFAULT_GATED",
    "FIGURES",
    "Bound",
    "Counts",
    "EntryRow",
    "EpisodeRow",
    "Figure",
    "FigureSpec",
    "Kind",
    "Profile",
    "Responsible",
    "RowOutcome",
    "Run",
    "SpanRow",
    "Triage",
    "UndefinedFigure",
    "UndefinedValue",
    "Usage",
    "Worse",
    "arc_contributions",
    "creation_ordinals",
    "episode_row",
    "run_from_dict",
    "run_to_dict",
    "span_row",
    "triage_label",
    "usage_label",
]
