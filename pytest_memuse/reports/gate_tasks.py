"""The tasks that changed, for a terminal: how each ended, what was delivered to it, and the entries that changed."""

from collections.abc import Callable, Mapping

from pytest_memuse.gate.comparison import Comparison
from pytest_memuse.gate.entry_changes import EntryChange
from pytest_memuse.gate.task_sides import TaskSide, TaskSides
from pytest_memuse.model.errors import printable
from pytest_memuse.reports.gate_entries import told
from pytest_memuse.reports.numbers import counted, number
from pytest_memuse.reports.wrapping import wrapped

_TASKS = 100
_ENTRIES = 20
_FIGURES = 3


def task_lines(comparison: Comparison, width: int) -> list[str]:
    """Return the tasks of which anything changed, those first that moved the figures most; the others are counted."""
    changed = comparison.changed_tasks
    lines = [f"tasks that changed: {len(changed):,} of {len(comparison.tasks):,}"]
    if len(changed) > 1:
        lines[0] += ", those first that moved the figures most"
    titles = {figure.name: figure.title for figure in comparison.figures if figure.difference is not None}
    for task in changed[:_TASKS]:
        lines += _task(task, comparison.changes.get(task.key, ()), titles, width)
    if len(changed) > _TASKS:
        lines.append(f"  and {len(changed) - _TASKS:,} more")
    return lines


def _task(task: TaskSides, changes: tuple[EntryChange, ...], titles: Mapping[str, str], width: int) -> list[str]:
    facts = [
        _then_now(_outcome, task),
        f"tokens {_then_now(lambda side: _per_episode(side.tokens, side), task)}",
        f"entries {_then_now(lambda side: _per_episode(side.entries, side), task)}",
    ]
    if task.then.steps * task.now.episodes != task.now.steps * task.then.episodes:
        facts.append(f"steps {_then_now(lambda side: _per_episode(side.steps, side), task)}")
    if max(task.then.episodes, task.now.episodes) > 1:
        facts.append(f"means over {_then_now(lambda side: counted(side.episodes, 'episode'), task)}")
    lines = wrapped(f"task {printable(str(task.key))}: {'; '.join(facts)}", width, indent=2)
    if moved := _moved(task, titles):
        lines += wrapped(moved, width, indent=4)
    entries = [change for change in changes if change.item]
    lines += [f"    {line}" for change in entries[:_ENTRIES] for line in told(change, width - 4)]
    if len(entries) > _ENTRIES:
        lines.append(f"    and {len(entries) - _ENTRIES:,} more entries")
    return lines


def _then_now(of: Callable[[TaskSide], str], task: TaskSides) -> str:
    then, now = of(task.then), of(task.now)
    return f"{then} then and now" if then == now else f"{then} then, {now} now"


def _outcome(side: TaskSide) -> str:
    if side.known == 0:
        return "outcome unknown"
    if side.known == 1 and side.episodes == 1:
        return "solved" if side.solved else "failed"
    return f"solved {side.solved} of {side.known}"


def _per_episode(amount: int, side: TaskSide) -> str:
    return f"{amount:,}" if side.episodes == 1 else number(amount / side.episodes)


def _moved(task: TaskSides, titles: Mapping[str, str]) -> str:
    parts = [
        f"{titles[name]} {'worse' if moved > 0 else 'better'} by {number(abs(moved))}"
        for name, moved in task.moved.items()
        if name in titles
    ]
    if not parts:
        return ""
    more = f", and {len(parts) - _FIGURES} more figures" if len(parts) > _FIGURES else ""
    return f"moved {', '.join(parts[:_FIGURES])}{more}"
