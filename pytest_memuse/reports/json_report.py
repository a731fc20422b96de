"""Everything of a session as one JSON document, for programs. Its schema is `schemas/report.schema.json`.

The same session gives the same bytes: no clock, no durations, sorted keys, and ASCII, so that text of memory is inert.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from pytest_memuse.profiles.figure import Figure, UndefinedValue
from pytest_memuse.profiles.profile import Profile
from pytest_memuse.reports.data import plain
from pytest_memuse.reports.gate_data import SuiteGate, finite, gate_data

VERSION = 1
"""Version of the document. A field more does not raise it; a field that goes or means another thing does."""

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class SuiteOutput:
    """One suite of a session. ``profile`` and ``identity`` are None where the suite was not evaluated.

    ``test`` names the test that its gate stands at, empty where none ran; ``notes`` are what the run told of it.
    """

    name: str
    gate: SuiteGate
    test: str = ""
    profile: Profile | None = None
    identity: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BaselineRead:
    """The baseline that a session read: its name as given, notes, and which copy it was.

    ``merge_base`` is the commit that a change's own copy was passed over for, empty where none was; ``read_as`` is the
    name by which the same copy is read again.
    """

    name: str
    read_as: str
    merge_base: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionOutput:
    """A session, for the outputs. ``complete`` is empty where whole suites ran, and says otherwise why not."""

    product: str
    options: Mapping[str, Any]
    suites: tuple[SuiteOutput, ...]
    baseline: BaselineRead | None = None
    incomplete: str = ""
    warnings: tuple[str, ...] = ()


def json_report(session: SessionOutput) -> str:
    """Return the document. Raises `ValueError` for a number that JSON cannot hold, which would be a defect."""
    data = _unicode(report_data(session))
    return json.dumps(data, indent=1, sort_keys=True, allow_nan=False, ensure_ascii=True) + "\n"


def _unicode(value: Any) -> Any:
    """Return plain data with halves of surrogate pairs replaced, which are no text and which readers refuse."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_unicode(key): _unicode(inner) for key, inner in value.items()}
    return [_unicode(inner) for inner in value] if isinstance(value, list) else value


def report_schema() -> str:
    """Return the JSON Schema of the document, as it is shipped."""
    return files("pytest_memuse.reports").joinpath("schemas", "report.schema.json").read_text(encoding="utf-8")


def report_data(session: SessionOutput) -> dict[str, Any]:
    """Return the document as plain data."""
    read = session.baseline
    return {
        "type": "memuse-report",
        "version": VERSION,
        "product": session.product,
        "options": plain(session.options),
        "baseline": None if read is None else _baseline(read),
        "fails": any(suite.gate.fails for suite in session.suites),
        "incomplete": session.incomplete or None,
        "suites": {suite.name: suite_data(suite) for suite in session.suites},
        "warnings": list(session.warnings),
    }


def _baseline(read: BaselineRead) -> dict[str, Any]:
    return {
        "name": read.name,
        "read_as": read.read_as,
        "merge_base": read.merge_base or None,
        "notes": list(read.notes),
    }


def suite_data(suite: SuiteOutput) -> dict[str, Any]:
    """Return a suite: its gate, its profile, and what shaped them."""
    return {
        "test": suite.test or None,
        "gate": gate_data(suite.gate),
        "profile": None if suite.profile is None else profile_data(suite.profile),
        "identity": None if suite.identity is None else plain(suite.identity),
        "notes": list(suite.notes),
    }


def profile_data(profile: Profile) -> dict[str, Any]:
    """Return every figure of a profile, and the counts beside them."""
    return {
        "arcs": len(profile.run.arcs),
        "episodes": len(profile.run.episodes),
        "profiled_spans": profile.profiled_spans,
        "delivered_tokens": profile.tokens,
        "figures": {figure.name: profile_figure_data(figure) for figure in profile},
        "triage": dict(profile.triage_counts),
        "corrected_effects": profile.corrected_effects,
        "warnings": list(profile.warnings),
    }


def profile_figure_data(figure: Figure | UndefinedValue) -> dict[str, Any]:
    """Return a figure: its value, its 95 % interval over arcs, and its counts; ``undefined`` says why one is null."""
    value = finite(float(figure)) if figure.defined else None
    lower, upper = (finite(bound) for bound in figure.interval or (None, None))
    undefined = {}
    if value is None:
        undefined["value"] = figure.reason or "not a finite number"
    for name, bound in (("lower", lower), ("upper", upper)):
        if bound is None:
            undefined[name] = "the figure is undefined" if value is None else "it takes two arcs that hold all of it"
    counts = figure.counts
    return {
        "title": figure.spec.title,
        "unit": figure.spec.unit,
        "value": value,
        "lower": lower,
        "upper": upper,
        "bound": None if figure.bound is None else figure.bound.value,
        "counts": {
            "part": counts.numerator,
            "counted": counts.counted,
            "whole": counts.denominator,
            "among": counts.among,
        },
        "undefined": undefined,
    }
