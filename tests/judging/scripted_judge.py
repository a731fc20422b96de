"""A judge that answers what it is told, and labelled cases to measure it on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_memuse.judging import Assessment, JudgeIdentity, Judgment, Signal
from pytest_memuse.judging.labels import LabelledCase, labelled_cases
from pytest_memuse.model import Episode
from pytest_memuse.spans import Span

NOTHING = Assessment(None, None, None, None, None)


@dataclass(frozen=True)
class ScriptedJudge:
    """Answers by episode: one assessment an entry of its only span; for other episodes it has no accepted answer."""

    answers: Mapping[str, Sequence[Assessment]]
    determines: frozenset[Signal] = frozenset(Signal)

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity("scripted", "1")

    def judge(self, episode: Episode, spans: tuple[Span, ...], span: Span) -> Judgment | None:
        if episode.id not in self.answers:
            return None
        return Judgment(span.id, tuple(self.answers[episode.id]), self.determines)


def answer(**signals: Any) -> Assessment:
    return replace(NOTHING, **signals)


def case_data(name: str, *rows: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a case in its form with an entry for each row; a row's signals are all forced unless it says otherwise."""
    values = [f"the {number}. berth is kept free" for number in range(1, len(rows) + 1)]
    entries = [{"item": f"i{number}", "value": value} for number, value in enumerate(values)]
    return {
        "case": name,
        "task": "Moor the barge.",
        "messages": {"m": {"role": "user", "text": "\n".join(values)}, "r": {"role": "tool", "text": "moored"}},
        "steps": [
            {"sees": ["m"], "does": [{"tool": "moor", "args": {"barge": 3}, "result": "r"}]},
            {"sees": ["m", "r"]},
        ],
        "deliveries": [
            {
                "id": "d",
                "step": 1,
                "entries": entries,
                "placements": [{"slot": "s", "message": "m", "text": "\n".join(values)}],
            }
        ],
        "labels": [{"forced": list(row), **row} for row in rows],
    } | changes


def labelled(name: str, *rows: Mapping[str, Any]) -> LabelledCase:
    (case,) = labelled_cases([case_data(name, *rows)], "set.yaml")
    return case
