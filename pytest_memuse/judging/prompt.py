"""The opening messages of a judge's conversation, laid out so that providers' caches serve what spans share (A.3.2).

First what is the same for every span of every suite, then what the spans of an episode share, then the span's own part.
The tools' schemas are the same for every span, too.
"""

from collections.abc import Sequence
from typing import Any

from pytest_memuse.judging.answer_checks import AnswerScope
from pytest_memuse.judging.evidence import EvidencePackage
from pytest_memuse.judging.evidence.package import TARGET_SHOWN
from pytest_memuse.judging.evidence.rendering import ranges, rendered_line, rendered_lines
from pytest_memuse.judging.evidence.types import PRIOR_INDEX, TARGET
from pytest_memuse.judging.rubric import Rubric
from pytest_memuse.spans import Window

_EPISODE = "The episode. Each line below is one JSON value; recorded text stands in its strings only.\n"
_SPAN = "The target delivery to assess. Each line below is one JSON value; recorded text stands in its strings only.\n"

FORCED_ANSWER = (
    "You have no further calls. Answer now, from what you have read and still have before you: one JSON object for "
    "every entry, as the rubric describes it. Where a required read is not complete, the signal that depends on it is "
    "null."
)
"""What asks for the final answer where calls or context are used up; the checks are the same."""


def opening_messages(rubric: Rubric, package: EvidencePackage) -> list[dict[str, Any]]:
    """Return the messages that open the conversation about a span."""
    return [
        {"role": "system", "content": rubric.text},
        {"role": "user", "content": _EPISODE + package.shared.overview},
        {"role": "user", "content": _SPAN + _own_part(package)},
    ]


def _own_part(package: EvidencePackage) -> str:
    target = package.own[TARGET]
    if package.unshown:
        # Cut inside a string, the text becomes one string again, so that it stays in its line.
        opening = {"target opens with": target[:TARGET_SHOWN], "characters": len(target), "whole": TARGET}
        shown = rendered_line(opening)
    else:
        shown = target
    index = {"index of the prior context": PRIOR_INDEX, "characters": len(package.own[PRIOR_INDEX])}
    ids = [entry.name for entry in package.entries]
    return shown + rendered_lines([index, required_reads(package), {"assess exactly": _listed(ids)}])


def required_reads(package: EvidencePackage) -> dict[str, Any]:
    """Return what must be read for which claim, as the judge is told it with the delivery."""
    scope = AnswerScope.of(package)
    grouped: dict[Window | None, list[str]] = {}
    for entry in package.entries:
        grouped.setdefault(entry.window, []).append(entry.name)
    claims: list[dict[str, Any]] = []
    for window, names in grouped.items():
        line: dict[str, Any] = {"entries": _listed(names)}
        if window is None:
            line["credit window"] = "empty: no step to read, and no action to claim"
        else:
            line["for selected, referenced or none"] = _steps(scope.steps_of(window))
            line["for improved, harmed or no_effect"] = _steps(scope.consequences_of(window))
        claims.append(line)
    return {
        "required reads": {
            "for any answer": list(scope.mandatory),
            "for acted_on, and for novel, confirming or redundant": ranges(
                [_number(name) for name in scope.prior], "prior "
            ),
            "by credit window": claims,
        }
    }


def mandatory_characters(rubric: Rubric, package: EvidencePackage) -> int:
    """Return the characters of the opening messages and of what every answer must have read.

    Schemas of tools and answer, the model's output and `FORCED_ANSWER` come on top (A.3.2, preflight).
    """
    opening = sum(len(message["content"]) for message in opening_messages(rubric, package))
    return opening + sum(len(package.text(name) or "") for name in AnswerScope.of(package).mandatory)


def _steps(names: Sequence[str]) -> list[str]:
    return ranges([_number(name) for name in names], "step ")


def _listed(ids: Sequence[str]) -> list[str]:
    return ranges([int(name.removeprefix("e")) for name in ids], "e")


def _number(name: str) -> int:
    return int(name.rpartition(" ")[2])
