"""The entry diff of a suite for people: what was compared, what changed on the whole, then task by task."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_memuse.gate.diff_summary import DiffSummary, Tally, summary_of
from pytest_memuse.gate.entry_diff import ChangeKind
from pytest_memuse.gate.suite_diff import FigureMove, SuiteDiff
from pytest_memuse.model.errors import inert, printable
from pytest_memuse.reports.diff_tasks import task_lines
from pytest_memuse.reports.numbers import counted, number, signed
from pytest_memuse.reports.table import table

TASKS_SHOWN = 6
ENTRIES_SHOWN = 4
TELLING_TASKS = 3
TELLING_ENTRIES = 2
TELLING_HARMFUL = 10
_LISTED = 5
_NAMESPACES = 4


@dataclass(frozen=True, slots=True)
class Heading:
    """What was compared with what, in words, and the lines that say how the two were made."""

    then: str
    now: str
    notes: Sequence[str] = ()


def diff_lines(diff: SuiteDiff, heading: Heading, *, everything: bool = False, only_task: bool = False) -> list[str]:
    """Return the diff of a suite. ``everything`` lifts every limit and shows what did not change; with ``only_task``
    the diff is of tasks that were asked for, and the summary of the suite is left out.
    """
    lines = [f"suite {printable(diff.suite)}: then {printable(heading.then, 200)}; now {printable(heading.now, 200)}"]
    lines += [printable(note, 400) for note in heading.notes]
    if not diff.judged:
        lines.append("only what was delivered is compared, and no judgment")
    lines += _unmatched(diff, everything)
    summary = summary_of(diff)
    if not only_task:
        lines += ["", *_summary(summary)]
        if diff.changed:
            lines += ["", *_figures(diff.figures)]
    tasks = diff.tasks if everything or only_task else diff.changed
    limits = (None, None) if everything else (TASKS_SHOWN, ENTRIES_SHOWN)
    told = task_lines(tasks, tasks_shown=limits[0], entries_shown=limits[1], everything=everything or only_task)
    return [*lines, *(["", *told] if told else [])]


def telling_lines(diff: SuiteDiff) -> list[str]:
    """Return a few lines for the terminal after a failed gate: the tasks that moved the figures most."""
    found = diff.changed
    if not found:
        return []
    lines = task_lines(
        found,
        tasks_shown=TELLING_TASKS,
        entries_shown=TELLING_ENTRIES,
        harmful_shown=TELLING_HARMFUL,
        more="`memuse diff`",
    )
    return ["what moved the figures most, entry by entry:", *(f"  {line}" for line in lines)]


def next_line(baseline: str, *, acceptable: bool) -> str:
    """Return what a reviewer does next, the diff read."""
    if acceptable:
        name = shlex.quote(inert(baseline, 200))
        return f'next: undo the change, or accept it: memuse diff {name} --accept --reason "WHY"'
    return (
        'next: undo the change, or accept it where pytest has run the suite: memuse diff NAME --accept --reason "WHY"'
    )


def _summary(summary: DiffSummary) -> list[str]:
    head = f"{counted(summary.tasks, 'task')} compared, {summary.changed or 'nothing'} changed"
    lines = [f"{head}; {_outcomes(summary)}" if summary.changed else head]
    if summary.silent:
        lines.append(f"  nothing is delivered now in {summary.silent} of {summary.served} tasks that had memory then")
    if summary.newly_served:
        lines.append(f"  memory is delivered now in {counted(summary.newly_served, 'task')} that had none then")
    for kind, tally in summary.kinds.items():
        lines.append(f"  {kind.value}: {_of(tally)}{_remark(kind, summary)}")
    if summary.older.entries:
        lines.append(
            f"  back to an older text: {_of(summary.older)}; the baseline delivered that text earlier in the arc, "
            "and then a newer one"
        )
    if summary.foreign.entries:
        lines.append(
            f"  from a namespace that the task had nothing of then: {_of(summary.foreign)} "
            f"({_namespaces(summary.namespaces)})"
        )
    then, now = summary.steps_then, summary.steps_now
    if summary.changed and then != now:
        lines.append(f"  agent steps in an episode: {number(then)} then, {number(now)} now")
    return lines


def _outcomes(summary: DiffSummary) -> str:
    fewer, more = summary.fewer_solved, summary.more_solved
    if summary.repeated:
        told = [f"{fewer} solved less often"] if fewer else []
        told += [f"{more} solved more often"] if more else []
    else:
        told = [f"{fewer} that were solved fail now"] if fewer > 1 else []
        told += ["1 that was solved fails now"] if fewer == 1 else []
        told += [f"{more} that failed {'is' if more == 1 else 'are'} solved now"] if more else []
    return ", ".join(told) or "as many are solved as then"


def _of(tally: Tally) -> str:
    return f"{counted(tally.entries, 'entry')} in {counted(tally.tasks, 'task')}"


def _remark(kind: ChangeKind, summary: DiffSummary) -> str:
    if kind is ChangeKind.NEWLY_HARMFUL and summary.contradicted:
        return f", {summary.contradicted} of them contradicted"
    return ""


def _namespaces(counts: Mapping[str, int]) -> str:
    names = list(counts)
    shown = ", ".join(f"{counts[name]} of {printable(name, 40) or 'no namespace'}" for name in names[:_NAMESPACES])
    more = sum(counts[name] for name in names[_NAMESPACES:])
    return f"{shown}, {more} of {counted(len(names) - _NAMESPACES, 'other')}" if more else shown


def _figures(figures: Sequence[FigureMove]) -> list[str]:
    head = ["figure", "then", "now", "difference", "which is"]
    return table(head, [_figure(figure) for figure in figures], frozenset({1, 2, 3}))


def _figure(figure: FigureMove) -> list[str]:
    then, now = figure.then.value, figure.now.value
    difference = now - then if then is not None and now is not None else None
    told = "worse" if figure.worse else "" if difference in (0, None) else "better"
    if then is None or now is None:
        when = "" if then is None and now is None else " now" if now is None else " then"
        told = f"undefined{when}: {figure.now.undefined or figure.then.undefined}"
    return [figure.spec.title, number(then), number(now), signed(difference), told]


def _unmatched(diff: SuiteDiff, everything: bool) -> list[str]:
    matching = diff.matching
    found = (
        ("gone", matching.gone),
        ("not the same task any more", matching.changed),
        ("new", matching.new),
    )
    lines = []
    for word, keys in found:
        shown = keys if everything else keys[:_LISTED]
        if keys:
            more = f" and {len(keys) - len(shown)} more (--all)" if len(shown) < len(keys) else ""
            lines.append(f"not compared, {word}: {', '.join(printable(str(key), 60) for key in shown)}{more}")
    return lines
