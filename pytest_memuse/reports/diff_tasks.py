"""Tasks of the entry diff for people: a line for the task, and below it each entry that something became of.

A mark says what kind of line it is: ``!`` newly harmful, ``-`` not delivered any more, ``+`` not delivered then, ``~``
otherwise changed, ``=`` the same. No line begins with text that was recorded.
"""

import re
from collections import Counter
from collections.abc import Sequence

from pytest_memuse.gate.delivered_items import DeliveredItem, Use
from pytest_memuse.gate.entry_diff import ChangeKind, EntryDiff
from pytest_memuse.gate.suite_diff import TaskDiff
from pytest_memuse.gate.task_sides import TaskSide
from pytest_memuse.model.errors import printable
from pytest_memuse.profiles.rows import Usage
from pytest_memuse.reports.numbers import counted

_STEPS = 6
_TEXT = 140
_LEAD = 40
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SPOKEN = {
    Usage.UNCLEAR: "acted on without a clear effect",
    Usage.UNPRODUCTIVE: "acted on without effect",
    Usage.AMBIGUOUS: "undetermined",
}


def task_lines(
    tasks: Sequence[TaskDiff],
    *,
    tasks_shown: int | None,
    entries_shown: int | None,
    harmful_shown: int | None = None,
    everything: bool = False,
    more: str = "--all",
) -> list[str]:
    """Return the lines of tasks in the order given. A limit of None is none; ``more`` is what lifts them.

    The first two limits never cut a newly harmful entry: within a task it does not count, and of a task beyond the
    limit these entries have a line each, all of them but for a limit of their own. With ``everything`` the entries that
    nothing became of are shown too.
    """
    kept = len(tasks) if tasks_shown is None else tasks_shown
    shown, rest = tasks[:kept], tasks[kept:]
    lines = [line for task in shown for line in _task(task, entries_shown, everything, more)]
    harmful = [(task, entry) for task in rest for entry in task.newly_harmful]
    told = harmful if harmful_shown is None else harmful[:harmful_shown]
    lines += [_briefly(task, entry) for task, entry in told]
    if len(told) < len(harmful):
        lines.append(f"and {len(harmful) - len(told)} more newly harmful entries ({more})")
    if rest:
        lines.append(f"and {counted(len(rest), 'more task')} ({more})")
    return lines


def _task(task: TaskDiff, limit: int | None, everything: bool, more: str) -> list[str]:
    entries = task.entries if everything else task.changes
    first = [entry for entry in entries if entry.kind is ChangeKind.NEWLY_HARMFUL]
    rest = [entry for entry in entries if entry.kind is not ChangeKind.NEWLY_HARMFUL]
    shown = rest if limit is None else rest[:limit]
    led_to = consequence(task.then, task.now)
    several = max(task.then.episodes, task.now.episodes) > 1
    lines = [f"task {printable(str(task.key), 160)}: {_sides(task.then, task.now)}"]
    lines += [f"  {line}" for entry in (*first, *shown) for line in _entry(entry, led_to, several)]
    if len(shown) < len(rest):
        kinds = Counter(str(entry.kind or "unchanged") for entry in rest[len(shown) :])
        told = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        lines.append(f"  and {len(rest) - len(shown)} more ({more}): {told}")
    return lines


def _briefly(task: TaskDiff, entry: EntryDiff) -> str:
    head = (
        f"! newly harmful in task {printable(str(task.key), 160)}: {name_of(entry.shown)}, {_quoted(entry.shown.text)}"
    )
    led_to = consequence(task.then, task.now)
    if entry.then is not None and entry.now is not None and entry.text_changed:
        then_text, _ = _differing(entry.then.text, entry.now.text)
        return f"{head}: {said_of(entry.now)} now; it read {_quoted(then_text)} then: {said_of(entry.then)}; {led_to}"
    return f"{head}: {_then_and_now(entry)}; {led_to}"


def _sides(then: TaskSide, now: TaskSide) -> str:
    steps_then, steps_now = _each(then.steps, then), _each(now.steps, now)
    tokens_then, tokens_now = _each(then.tokens, then), _each(now.tokens, now)
    each = " a run" if max(then.episodes, now.episodes) > 1 else ""
    steps = "step" if steps_then == steps_now == "1" else "steps"
    return ", ".join(
        (
            _arrow(_outcome(then), _outcome(now)),
            f"{_arrow(steps_then, steps_now)} {steps}{each}",
            f"{_arrow(tokens_then, tokens_now)} tokens delivered{each}",
        )
    )


def _arrow(then: str, now: str) -> str:
    return then if then == now else f"{then} → {now}"


def _each(amount: int, side: TaskSide) -> str:
    return f"{amount:,}" if side.episodes == 1 else f"{amount / side.episodes:,.1f}"


def _outcome(side: TaskSide) -> str:
    if not side.known:
        return "outcome unknown"
    if side.known == 1:
        return "solved" if side.solved else "failed"
    return f"solved {side.solved} of {side.known}"


def consequence(then: TaskSide, now: TaskSide) -> str:
    """Return what became of a task in words: steps first, then the outcome, both as compared with then."""
    more = now.steps / now.episodes - then.steps / then.episodes
    if abs(more) < 1e-9:
        steps = "as many steps"
    else:
        amount = f"{abs(more):.0f}" if abs(more - round(more)) < 1e-9 else f"{abs(more):.1f}"
        steps = f"{amount} {'more' if more > 0 else 'fewer'} {'step' if amount == '1' else 'steps'}"
    return f"{steps}, {_became(then, now)}"


def _became(then: TaskSide, now: TaskSide) -> str:
    if not then.known or not now.known:
        return "outcome unknown" if not now.known else f"task {_outcome(now)}, unknown then"
    if then.known == now.known == 1:
        if then.solved == now.solved:
            return "task still solved" if now.solved else "task still fails"
        return "task solved now" if now.solved else "task fails now"
    return f"task solved {then.solved} of {then.known} then, {now.solved} of {now.known} now"


def _entry(entry: EntryDiff, led_to: str, several: bool) -> list[str]:
    shown = entry.shown
    head = f"{_mark(entry)} {'newly harmful: ' if entry.kind is ChangeKind.NEWLY_HARMFUL else ''}{name_of(shown)}"
    head += f" of {printable(shown.namespace, 40)}" if entry.foreign else ""
    head += f" (run {entry.run + 1})" if several else ""
    acted = any(side is not None and side.acted_on for side in (entry.then, entry.now))
    tail = f"; {led_to}" if acted and entry.kind is not None else ""
    if entry.then is not None and entry.now is not None and entry.text_changed:
        then_text, now_text = _differing(entry.then.text, entry.now.text)
        older = f"; an older text, which task {printable(entry.older, 60)} was given then"
        return [
            f"{head} reads differently{tail}",
            f"    then {_quoted(then_text)}: {said_of(entry.then)}",
            f"    now  {_quoted(now_text)}: {said_of(entry.now)}{older if entry.older else ''}",
        ]
    return [f"{head}, {_quoted(shown.text)}: {_then_and_now(entry)}{tail}"]


def _then_and_now(entry: EntryDiff) -> str:
    absent = "no such run" if entry.alone else "not delivered"
    then = absent if entry.then is None else said_of(entry.then)
    now = absent if entry.now is None else said_of(entry.now)
    return f"{then} then and now" if then == now else f"{then} then; {now} now"


def _mark(entry: EntryDiff) -> str:
    if entry.kind is ChangeKind.NEWLY_HARMFUL:
        return "!"
    if entry.now is None:
        return "-"
    if entry.then is None:
        return "+"
    return "~" if entry.kind is not None else "="


def name_of(item: DeliveredItem) -> str:
    """Return what a person can find an item by: its place in the order of creation, and its identifier.

    Memory systems make long identifiers at random; the beginning of one tells it from the others.
    """
    name = item.item[:8] if _UUID.fullmatch(item.item) else printable(item.item, 40)
    place = "" if item.ordinal is None else f"item {item.ordinal + 1} "
    return f"{place}`{name}`" if name else place.rstrip() or "an item without a name"


def said_of(item: DeliveredItem) -> str:
    """Return what the agent did with an item and at which steps, and what is known of the item."""
    told = ", ".join(_use(use) for use in item.uses)
    known = ["irrelevant"] if item.relevant is False else []
    known += ["contradicted"] if item.contradicted else []
    return f"{told} ({', '.join(known)})" if known else told


def _use(use: Use) -> str:
    steps = _at(use.steps)
    if use.usage is None:
        return f"delivered{steps} (not judged)"
    # Where nothing is credited to the entry, the step is the one at which it was read: no use happened there.
    return _SPOKEN.get(use.usage, use.usage.value) + (steps if use.acted else "")


def _at(steps: Sequence[int]) -> str:
    if not steps:
        return ""
    shown = ", ".join(str(step) for step in steps[:_STEPS])
    more = f" and {len(steps) - _STEPS} more" if len(steps) > _STEPS else ""
    return f" at step{'' if len(steps) == 1 else 's'} {shown}{more}"


def _quoted(text: str) -> str:
    return f"“{printable(text, _TEXT)}”" if text else "its text is unknown"


def _differing(then: str, now: str) -> tuple[str, str]:
    """Return the two texts; where they differ only after what is shown, without a part that both have before that."""
    pairs = enumerate(zip(then, now, strict=False))
    same = next((place for place, (one, other) in pairs if one != other), min(len(then), len(now)))
    if same < _TEXT - _LEAD:
        return then, now
    return then[:_LEAD] + "…" + then[same - _LEAD :], now[:_LEAD] + "…" + now[same - _LEAD :]
