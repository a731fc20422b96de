"""The answers of ``judge_checks.yaml``, checked against the reads that a case says were made."""

import json
from collections.abc import Mapping
from typing import Any

from pytest_memuse.judging.answer_checks import AnswerScope, Coverage, Examined, examine
from pytest_memuse.judging.judgments import effects_without_action, judgment_of
from pytest_memuse.judging.violations import codes
from pytest_memuse.spans import Window
from tests.cases.episodes import MalformedCase, case_name, load_documents


def answer_cases(name: str, folder: Any = None) -> list[dict[str, Any]]:
    """Return the cases of a file that holds ``defaults`` and ``cases``, the defaults put into every case."""
    found: list[dict[str, Any]] = []
    for document in load_documents(name, folder):
        if not isinstance(document, dict) or not isinstance(document.get("cases"), list):
            raise MalformedCase(f"{name}: expected a mapping with 'defaults' and a list 'cases'")
        for case in document["cases"]:
            if not isinstance(case, dict):
                raise MalformedCase(f"{name}: case {len(found) + 1}: expected a mapping, found {type(case).__name__}")
            found.append({**(document.get("defaults") or {}), **case})
    return found


def checked(case: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return what the checks make of a case's answer, in the words of the case file.

    ``answer`` is the list of assessments, or the text of an answer as a judge sent it. ``confidence`` is 0.5 where the
    case states none.
    """
    try:
        scope, read = _scope(case), Coverage(frozenset(case["read"]))
        given = case["answer"]
        whole = {"assessments": given, "summary": "", "confidence": case.get("confidence", 0.5)}
        examined = examine(given if isinstance(given, str) else json.dumps(whole), scope, read)
    except (KeyError, TypeError, ValueError) as error:
        raise MalformedCase(f"{source}: case {case_name(case)!r}: {type(error).__name__}: {error}") from error
    return {
        "accepted": examined.accepted,
        "violations": sorted(codes(examined.violations)),
        "reset": effects_without_action(examined),
        **_judged(examined, scope, read),
    }


def _scope(case: Mapping[str, Any]) -> AnswerScope:
    windows = case.get("windows", dict.fromkeys(case.get("entries", ["e1"]), case["window"]))
    return AnswerScope(
        {str(name): Window(*steps) if steps else None for name, steps in windows.items()},
        case["first"],
        case["last"],
        tuple(f"prior {name}" for name in case["prior"]),
    )


def _judged(examined: Examined, scope: AnswerScope, read: Coverage) -> dict[str, Any]:
    if not examined.accepted:
        return {}
    judgment = judgment_of("S1", examined, scope, read)
    return {
        "confidence_kept": judgment.confidence,
        "window_read": [assessment.window_read for assessment in judgment.assessments],
        "anchors_kept": [list(assessment.anchors) for assessment in judgment.assessments],
    }
