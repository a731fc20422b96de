"""Whether recorded text keeps its place in a judge's requests: in JSON strings, and nowhere else."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from unicodedata import category

from pytest_memuse.judging.evidence import PAGE, EvidencePackage
from pytest_memuse.judging.prompt import FORCED_ANSWER
from pytest_memuse.judging.rubric import read_rubric
from pytest_memuse.judging.violations import ViolationCode, feedback
from pytest_memuse.model.errors import is_shown
from tests.judging.evidence_cases import HIDDEN

_HEADING = "recorded text stands in its strings only."
_BEGIN, _, _END = feedback(()).partition("\n\n")
_TOLD = re.compile(rf"- (?:{'|'.join(ViolationCode)}): [^\n]+|- and \d+ more of the same kinds")
_PIECES = re.compile(r'\\u[0-9a-f]{4}|\\["\\/bfnrt]|[^\\]', re.DOTALL)

NAMES = {
    *("task opens with", "steps", "messages", "all deliveries of memory", "reference solution"),
    *("delivery", "first consuming step", "entry", "placement", "placements", "target opens with"),
    *("index of the prior context", "required reads", "assess exactly"),
}
"""What the lines of the opening messages begin with: words of ours, never of a recording."""


def keeps_its_place(messages: Sequence[Mapping[str, Any]], package: EvidencePackage | None = None) -> None:
    """Fail where recorded text stands outside a JSON string, or a message is neither one of ours nor the model's.

    With the package, what a read returned must be the record's own characters, with no escape cut in two.
    """
    system, overview, target, *rest = messages
    assert system == {"role": "system", "content": read_rubric().text}
    for opening in (overview, target):
        assert opening["role"] == "user"
        heading, *lines = opening["content"].split("\n")
        assert heading.endswith(_HEADING)
        assert lines.pop() == ""
        for line in lines:
            assert next(iter(json.loads(line))) in NAMES, line[:100]
    for message in messages:
        if message["role"] != "assistant":
            assert all(map(_is_seen, set(message["content"])))
            assert HIDDEN not in message["content"]
    for message in rest:
        if message["role"] == "tool":
            check_result(message["content"], package)
        elif message["role"] == "user":
            _check_ours(message["content"])
        else:
            assert message["role"] == "assistant"


_SIGNS = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\U00013430-\U0001343f]")
"""Format characters that are signs to be seen: of numbers, of abbreviations, of how hieroglyphs stand together."""


def _is_seen(character: str) -> bool:
    """Whether a character neither hides nor moves anything; a wide space and one that no font knows are seen."""
    known = character == "\n" or is_shown(character) or category(character) in ("Cn", "Co", "Zs")
    return known or _SIGNS.fullmatch(character) is not None


def check_result(content: str, package: EvidencePackage | None) -> None:
    """Fail where what a tool returned is not in its form."""
    head, _, text = content.partition("\n")
    said = json.loads(head)
    if "error" in said:
        assert (list(said), text) == (["error"], "")
    elif "matches" in said:
        lines = text.split("\n")
        assert lines.pop() == ""
        assert [set(json.loads(line)) for line in lines] == [{"name", "start", "end", "excerpt"}] * said["shown"]
    else:
        assert said["characters"] == said["end"] - said["start"] == len(text) <= PAGE
        if said["of"] == len(text):
            assert all(isinstance(json.loads(line), dict) for line in text.split("\n")[:-1])
        if package is not None:
            record = package.text(said["name"]) or ""
            assert record[said["start"] : said["end"]] == text
            assert said["of"] == len(record)
            for cut in (said["start"], said["end"]):
                assert _PIECES.sub("", record[:cut]) == "", "an escape is cut in two"


def _check_ours(content: str) -> None:
    """Fail where a message is neither feedback in its form nor the demand for the answer, nor both."""
    told = content.removesuffix(FORCED_ANSWER).rstrip("\n")
    if not told:
        return
    assert told.startswith(_BEGIN + "\n")
    assert told.endswith("\n" + _END)
    lines = told[len(_BEGIN) + 1 : -len(_END) - 1].split("\n")
    assert lines
    assert all(_TOLD.fullmatch(line) for line in lines), lines
