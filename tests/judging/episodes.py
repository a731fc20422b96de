"""Short episodes for the tests of this room, written as cases of ``labels.yaml`` are."""

from collections.abc import Sequence
from typing import Any

from pytest_memuse.judging import Assessment, Tracer, judge_episode
from pytest_memuse.model import Episode
from pytest_memuse.spans import build_spans
from tests.judging.labelled import labelled_episode

Deed = tuple[str, Any, str]


def recalled(
    entries: Sequence[str],
    steps: Sequence[tuple[str, Sequence[Deed]]],
    *,
    task: str = "Do the thing.",
    first: int = 1,
    references: Sequence[dict[str, Any]] = (),
) -> Episode:
    """Return an episode whose entries are recalled at step ``first``; a step is what the agent says and does.

    A deed is a tool, its arguments (a text is a shell command) and its result.
    """
    text = "\n".join(f"- {entry}" for entry in entries)
    messages: dict[str, Any] = {"u": {"role": "user", "text": task}, "m": {"role": "user", "text": text}}
    seen, rows = ["u"], []
    for number, (says, does) in enumerate(steps, start=1):
        if number == first:
            seen.append("m")
        row: dict[str, Any] = {"sees": list(seen), "says": says, "does": []}
        for index, (tool, arguments, result) in enumerate(does):
            name = f"r{number}-{index}"
            messages[name] = {"role": "tool", "text": result}
            arguments = {"command": arguments} if isinstance(arguments, str) else arguments
            row["does"].append({"tool": tool, "args": arguments, "result": name})
            seen.append(name)
        rows.append(row)
    delivered = [{"item": f"item-{n}", "version": 1, "value": entry} for n, entry in enumerate(entries)]
    case = {
        "case": "made",
        "task": task,
        "references": references,
        "messages": messages,
        "steps": rows,
        "deliveries": [
            {
                "id": "d1",
                "step": first,
                "entries": delivered,
                "placements": [{"slot": "recall", "message": "m", "text": text}],
            }
        ],
    }
    return labelled_episode(case, "made")


def assess(episode: Episode) -> tuple[Assessment, ...]:
    """Return the tracer's assessments of the episode's only span."""
    spans = build_spans(episode)
    (judgment,) = judge_episode(Tracer(), episode, spans).values()
    assert judgment is not None
    return judgment.assessments
