"""Items across episodes, for a terminal: their histories, those to revise or remove, and those that leak an answer."""

from collections import Counter
from collections.abc import Sequence

from pytest_memuse.model.errors import printable
from pytest_memuse.profiles.histories import Change, HarmfulItem, ItemHistory, Place, Recall
from pytest_memuse.profiles.leaks import Leak, LeakageCheck
from pytest_memuse.profiles.rows import EntryRow
from pytest_memuse.reports.numbers import counted

UNOBSERVED = "origin unobserved"
_LISTED = 5


def item_lines(history: ItemHistory) -> list[str]:
    """Return the history of an item: a head with where it comes from and what became of it, then a line an event."""
    origin = history.origin
    told = UNOBSERVED if origin is None else f"created in {_where(origin.place)}"
    uses = Counter(entry.effect or "undetermined" for entry in history.acted_on)
    effects = ", ".join(f"{count} {effect.replace('_', ' ')}" for effect, count in uses.items())
    acted = f"acted on {counted(len(history.acted_on), 'time')}" + (f" ({effects})" if effects else "")
    lines = [f"{_name(history)}: {told}, delivered in {counted(len(history.recalls), 'span')}, {acted}"]
    return lines + [f"  {line}" for event in history.events for line in _event(event)]


def harmful_lines(items: Sequence[HarmfulItem], *, everything: bool = False) -> list[str]:
    """Return the items whose every acted-on use harmed, with where each one did; nothing where there are none."""
    if not items:
        return []
    lines = ["", f"revise or remove: every use of {counted(len(items), 'item')} harmed"]
    shown = items if everything else items[:_LISTED]
    for item in shown:
        texts = [entry.text for recall in item.recalls for entry in recall.assessed]
        origin = item.histories[0].origin
        lines.append(
            f"  {_name(item.histories[0])} “{printable(texts[-1] if texts else '', 90)}”, harmed "
            f"{counted(item.uses, 'time')}, {UNOBSERVED if origin is None else f'created in {_where(origin.place)}'}"
        )
        lines += [f"    in {_where(recall.place)}" for recall in item.recalls]
    return lines + ([f"  and {len(items) - len(shown)} more"] if len(shown) < len(items) else [])


def leak_lines(check: LeakageCheck, *, everything: bool = False) -> list[str]:
    """Return the entries that state an answer of the very task that they were delivered to, and how much was looked at.

    Nothing is said where no task states an answer to look for.
    """
    if not check.checked and not check.unknown_text:
        return []
    looked = [counted(check.checked, "entry") + " checked"]
    looked += [f"{check.unknown_text} of unknown text"] if check.unknown_text else []
    looked += [f"{check.without_answer} of tasks without an answer to look for"] if check.without_answer else []
    lines = ["", f"entries that hold the answer of their own task: {len(check.found)} ({', '.join(looked)})"]
    shown = check.found if everything else check.found[:_LISTED]
    lines += [f"  {_leak(leak)}" for leak in shown]
    return lines + ([f"  and {len(check.found) - len(shown)} more"] if len(shown) < len(check.found) else [])


def _leak(leak: Leak) -> str:
    step = "" if leak.step is None else f", step {leak.step}"
    return (
        f"{printable(f'{leak.arc}/{leak.task}')}{step}: {printable(leak.item, 40)} “{printable(leak.entry.text, 90)}” "
        f"states {printable(leak.fact.subject, 40)} = {printable(leak.fact.value, 40)} ({leak.source.value})"
    )


def _name(history: ItemHistory) -> str:
    return printable("/".join(filter(None, (history.arc, history.namespace, history.item))))


def _where(place: Place) -> str:
    outcome = {True: "solved", False: "failed", None: "outcome unknown"}[place.success]
    step = "" if place.step is None else f", step {place.step}"
    return f"{printable(place.task or place.episode, 60)} ({outcome}){step}"


def _event(event: Change | Recall) -> list[str]:
    if isinstance(event, Change):
        value = "" if event.value is None else f": “{printable(event.value, 90)}”"
        net = " (known from captures of the store only)" if event.net else ""
        return [f"{event.kind.value} in {_where(event.place)}{net}{value}"]
    deleted = ", after its deletion" if event.after_deletion else ""
    head = f"delivered in {_where(event.place)}, span {printable(event.span, 20)}{deleted}"
    if event.deliveries > 1:
        head += f", {counted(event.deliveries - 1, 'restatement')}"
    if not event.assessed:
        return [f"{head}: {event.outcome.value}"]
    return [f"{head}: {_verdict(entry)}" for entry in event.assessed]


def _verdict(entry: EntryRow) -> str:
    usage = "without a verdict" if entry.usage is None else entry.usage.value
    anchors = f" at step {', '.join(str(step) for step in entry.anchors)}" if entry.anchors else ""
    text = f" “{printable(entry.text, 90)}”" if entry.text else ", its text is unknown"
    return f"{usage}{anchors}{text}"
