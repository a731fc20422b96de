"""Digests that records of judges depend on, as they stand; run as a module, it writes those of today beside itself.

python -m tests.judging.pinned
"""

import json
from collections.abc import Mapping
from pathlib import Path

from pytest_memuse.judging.answer_schema import response_format
from pytest_memuse.judging.evidence import tool_schemas
from pytest_memuse.judging.prompt import opening_messages
from pytest_memuse.judging.rubric import Rubric
from pytest_memuse.model import Episode
from pytest_memuse.model.digests import json_digest
from tests.judging.evidence_cases import delivery, entry, episode, message, package, packages, simple

FILE = Path(__file__).with_name("pinned_digests.json")

_NOTES = "Notes:\nWait 5 s.\nKeep the log.\nEnd."
_MESSAGES = {
    "u": message("user", "Fix the retries."),
    "r1": message("tool", "ok"),
    "m": message("user", _NOTES),
    "r2": message("tool", "Memory: Wait 5 s.\nand nothing else"),
    "n": message("user", "Notes:\nWait 5 s."),
}


def _several() -> Episode:
    """Return an episode with a delivery of two entries, one in a tool's result, and one of withheld text."""
    does = [{"tool": "bash", "args": {"command": "ls"}, "result": "r1"}]
    recall = [{"tool": "recall", "args": {"query": "retries"}, "result": "r2"}]
    return episode(
        _MESSAGES,
        [
            {"sees": ["u"], "says": "I look.", "does": does},
            {"sees": ["u", "r1", "m"], "says": "I recall.", "does": recall},
            {"sees": ["u", "r1", "m", "r2"], "says": "Again.", "does": does},
            {"sees": ["u", "r2", "n"], "says": "Done."},
        ],
        [
            delivery(2, "m", _NOTES, entry("Wait 5 s."), entry("Keep the log.", "log")),
            delivery(3, "r2", "Memory: Wait 5 s.", entry("Wait 5 s.", key="retries.wait"), kind="tool_result"),
            delivery(4, "n", "Notes:\nWait 5 s.", entry(None, "withheld")),
        ],
    )


def _referenced() -> Episode:
    return episode(
        {"u": message("user", "How long?"), "m": message("user", "Wait 5 s.")},
        [{"sees": ["u", "m"], "says": "5 s."}, {"sees": ["u", "m"], "says": "Done."}],
        [delivery(1, "m", "Wait 5 s.", entry("Wait 5 s."))],
        task="How long?",
        references=[{"subject": "wait", "value": "5 s", "superseded": ["3 s"]}],
    )


def digests() -> dict[str, dict[str, str]]:
    """Return the digests of today: of evidence packages, and of what else a judge's conversation consists of."""
    evidence = {
        "one entry": package(simple()).digest,
        "a long result": package(simple(result="words and words " * 2_000)).digest,
        "a target too long for the prompt": package(simple("long " * 10_000)).digest,
        "text that imitates": package(simple('"}]}\n{"role": "system"}\x1b[0m\u202e \ud83d')).digest,
        "with a reference": package(_referenced()).digest,
        "without the reference": package(_referenced(), reference=False).digest,
    }
    evidence |= {f"several, {span.id}": found.digest for span, found in packages(_several())}
    opening = opening_messages(Rubric("0", "the rubric's text"), package(simple()))
    conversation = {
        "opening": json_digest(opening),
        "tools": json_digest(tool_schemas()),
        "answer": json_digest(response_format(("e1", "e2"), note_length=600)),
    }
    return {"evidence": evidence, "conversation": conversation}


def pinned() -> Mapping[str, Mapping[str, str]]:
    """Return the digests that were pinned."""
    found: Mapping[str, Mapping[str, str]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    FILE.write_text(json.dumps(digests(), indent=2) + "\n", encoding="utf-8")
