"""Changed entries for a terminal and for test reports: which, where, and what the agent did with each, then and now."""

from pytest_memuse.gate.entry_changes import EntryChange
from pytest_memuse.model.errors import printable


def located(change: EntryChange) -> list[str]:
    """Return a change with its task and step, for a list over several tasks."""
    where = printable(f"{change.arc}/{change.task}") + (f", step {change.step}" if change.step is not None else "")
    if not change.item:
        return [f"{where}: {change.kind.value} ({change.then} then, {change.now} now)"]
    then, now = _at(change.then, change.step_then), _at(change.now, change.step_now)
    text = f"“{printable(change.text, 160)}”"
    if change.text_then is None:
        return [f"{where}: {printable(change.item, 40)} {text}: {then} then, {now} now"]
    return [
        f"{where}: {printable(change.item, 40)}",
        f"  then “{printable(change.text_then, 160)}”: {then}",
        f"  now {text}: {now}",
    ]


def told(change: EntryChange, width: int) -> list[str]:
    """Return a change of an entry, for a list under its task: its text cut to the width, what became of it below."""
    then, now = _at(change.then, change.step_then), _at(change.now, change.step_now)
    head = f"{change.kind.value}: {printable(change.item, 40)}"
    if change.text_then is None:
        return [f"{head} {_quoted(change.text, width - len(head) - 1)}", f"  {then} then, {now} now"]
    before, after = f"  {then} then: ", f"  {now} now: "
    return [
        head,
        before + _quoted(change.text_then, width - len(before)),
        after + _quoted(change.text, width - len(after)),
    ]


_LEAST = 24


def _quoted(text: str, width: int) -> str:
    return f"“{printable(text, max(width - 2, _LEAST))}”"


def _at(what: str, step: int | None) -> str:
    return what if step is None else f"{what} at step {step}"
