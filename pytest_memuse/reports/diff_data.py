"""The entry diff as plain data, for programs: everything that it holds, uncut and unrounded."""

from typing import Any

from pytest_memuse.gate.delivered_items import DeliveredItem
from pytest_memuse.gate.diff_summary import summary_of
from pytest_memuse.gate.entry_diff import EntryDiff
from pytest_memuse.gate.matching import TaskKey
from pytest_memuse.gate.sides import Side
from pytest_memuse.gate.suite_diff import FigureMove, SuiteDiff, TaskDiff
from pytest_memuse.reports.data import plain


def diff_data(diff: SuiteDiff) -> dict[str, Any]:
    """Return a suite's diff, every task and every entry, those that did not change included."""
    matching = diff.matching
    return {
        "suite": diff.suite,
        "same": diff.same,
        "judgments_compared": diff.judged,
        "not_compared": {
            "gone": [_key(key) for key in matching.gone],
            "changed": [_key(key) for key in matching.changed],
            "new": [_key(key) for key in matching.new],
        },
        "summary": plain(summary_of(diff)),
        "figures": {figure.spec.name: _figure(figure) for figure in diff.figures},
        "tasks": [_task(task) for task in diff.tasks],
    }


def _key(key: TaskKey) -> dict[str, str]:
    return {"arc": key.arc, "task": key.task}


def _figure(figure: FigureMove) -> dict[str, Any]:
    return {"then": _of_side(figure.then), "now": _of_side(figure.now), "worse": figure.worse}


def _of_side(side: Side) -> dict[str, Any]:
    found: dict[str, Any] = {"value": side.value, "counts": list(side.counts)}
    return found | ({"undefined": side.undefined} if side.value is None else {})


def _task(task: TaskDiff) -> dict[str, Any]:
    return {
        **_key(task.key),
        "changed": task.changed,
        "then": plain(task.then),
        "now": plain(task.now),
        "weight": task.weight,
        "moved": dict(task.moved),
        "entries": [_entry(entry) for entry in task.entries],
    }


def _entry(entry: EntryDiff) -> dict[str, Any]:
    return {
        "kind": None if entry.kind is None else entry.kind.value,
        "run": entry.run,
        "only_run": entry.alone,
        "older_text_of_task": entry.older or None,
        "foreign_namespace": entry.foreign,
        "then": _item(entry.then),
        "now": _item(entry.now),
    }


def _item(item: DeliveredItem | None) -> dict[str, Any] | None:
    if item is None:
        return None
    return {
        "item": item.item,
        "namespace": item.namespace,
        "ordinal": item.ordinal,
        "text": item.text,
        "relevant": item.relevant,
        "contradicted": item.contradicted,
        "spans": item.spans,
        "uses": [
            {"usage": use.usage.value if use.usage else None, "steps": list(use.steps), "acted": use.acted}
            for use in item.uses
        ],
    }
