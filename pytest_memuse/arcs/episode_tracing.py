"""Value tracing of recorded episodes, whatever suite they are of, whose tasks carry reference facts (MERIT 3.5)."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from pytest_memuse.arcs import tracing
from pytest_memuse.arcs.loop import Executed
from pytest_memuse.arcs.scores import ScoredEpisode
from pytest_memuse.arcs.types import GoldFact, Kind, Tier
from pytest_memuse.model import Episode, PlacementKind
from pytest_memuse.model.tokens import estimated_tokens

RECORDED = "recorded"
"""The condition of episodes whose suite names none: the memory system that was recorded."""


def gold_of(episode: Episode) -> tuple[GoldFact, ...]:
    """Return the reference facts that the episode needs memory for: those that the task's own text does not state."""
    task = episode.task
    if task is None:
        return ()
    facts = [GoldFact(fact.subject, fact.value, fact.superseded) for fact in task.references]
    return tuple(fact for fact in facts if fact.value.strip() and not tracing.held((fact,), task.text))


def block_of(episode: Episode) -> tuple[str, bool]:
    """Return every memory text that a model call of the episode received, and whether that is all of it.

    Text that was redacted is not all of it.
    """
    placements = [
        place for delivery in episode.deliveries if delivery.call is not None for place in delivery.placements
    ]
    texts = [place.text for place in placements]
    return "\n".join(text for text in texts if text), None not in texts


def executed_of(episode: Episode) -> tuple[Executed, ...]:
    """Return the tool calls that have a result, in order; those of the memory tool are left out.

    A call has failed where the recording says so, or where its result is a JSON object with an ``error``. Whether a
    call changed anything a recording does not tell.
    """
    delivered = _tool_texts(episode)
    return tuple(done for done, result in _calls(episode) if not any(text in result for text in delivered))


def trace(episode: Episode, condition: str = RECORDED) -> ScoredEpisode | None:
    """Return a recorded episode as a traced one; None where its task needs no fact from memory.

    ``held`` and ``acted`` are as in MERIT's arcs. Where memory text was redacted, values that are not seen are
    unknown. The suite stands for the domain, and the tier says how many facts there are, one or several.
    """
    facts = gold_of(episode)
    if not facts:
        return None
    block, whole = block_of(episode)
    executed = executed_of(episode)
    held = tracing.held(facts, block)
    usage = [call.usage for call in (*(step.call for step in episode.steps), *episode.memory_calls)]
    counts = [None if u.input is None else u.input + (u.output or 0) for u in usage]
    steps, memory = counts[: len(episode.steps)], counts[len(episode.steps) :]
    return ScoredEpisode(
        domain=episode.suite,
        tier=Tier.MEDIUM if len(facts) > 1 else Tier.EASY,
        condition=condition,
        arc=episode.arc,
        seed=0,
        episode=episode.id,
        kind=Kind.PROBE,
        success=None if episode.outcome is None else episode.outcome.success,
        satisfied_on_arrival=False,
        held=held if held or whole else None,
        stale=tracing.stale(facts, block) if whole else None,
        exposed=_exposed(episode),
        acted=tracing.acted(facts, executed),
        untraceable=tracing.untraceable(facts, block, executed),
        agent_tokens=_sum(steps),
        memory_tokens=_sum(memory),
        cost=_money(episode),
    )


def traces(episodes: Iterable[Episode], condition: str = RECORDED) -> tuple[ScoredEpisode, ...]:
    """Return the traced episodes of a suite, those without a fact to trace left out."""
    found = (trace(episode, condition) for episode in episodes)
    return tuple(one for one in found if one is not None)


def _exposed(episode: Episode) -> int | None:
    sizes = [place.size for delivery in episode.deliveries if delivery.call for place in delivery.placements]
    return None if None in sizes else sum(estimated_tokens(size) for size in sizes if size is not None)


def _calls(episode: Episode) -> Iterator[tuple[Executed, str]]:
    for step in episode.steps:
        response = episode.messages.get(step.call.response or "")
        results = {result.tool_call_id: result for result in step.results}
        for call in response.tool_calls if response is not None else ():
            result = results.get(call.id)
            if result is None:
                continue
            text = episode.messages[result.message].text
            failed = bool(result.failed) or _is_error(text)
            yield Executed(call.name, _arguments(call.arguments), text, failed, changes=False), text


def _tool_texts(episode: Episode) -> list[str]:
    """Return the memory texts that stand in tool results, by which the memory tool's own calls are known."""
    return [
        place.text
        for delivery in episode.deliveries
        for place in delivery.placements
        if place.kind is PlacementKind.TOOL_RESULT and place.text
    ]


def _is_error(text: str) -> bool:
    if not text.lstrip().startswith("{"):
        return False
    try:
        result = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(result, dict) and bool(result.get("error"))


def _arguments(text: str) -> dict[str, str]:
    """Return every leaf of a call's arguments as text; arguments that are no JSON are one."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {"": text}
    return {str(place): leaf for place, leaf in enumerate(_leaves(value))}


def _leaves(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting.extend(reversed(one.values()))
        elif isinstance(one, list):
            waiting.extend(reversed(one))
        elif one is not None:
            yield one if isinstance(one, str) else json.dumps(one)


def _sum(counts: list[int | None]) -> int | None:
    return None if None in counts else sum(count for count in counts if count is not None)


def _money(episode: Episode) -> float | None:
    calls = [*(step.call for step in episode.steps), *episode.memory_calls, *episode.failed_calls]
    costs = [call.cost for call in calls]
    return None if None in costs else sum(cost for cost in costs if cost is not None)
