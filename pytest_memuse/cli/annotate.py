"""`memuse annotate`: the form that a person labels deliveries in, the evidence beside it."""

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_memuse.judging.annotation_file import AnnotationFile, EntryLabels, SpanLabels
    from pytest_memuse.judging.annotation_form import FormSpan
    from pytest_memuse.judging.labels import Label, LabelledCase
    from pytest_memuse.model import Episode
    from pytest_memuse.spans import Span, SpanEntry

_DESCRIPTION = """\
Write the form in which a person labels what memory delivered: a YAML document
for every span that a judge would be asked about, with the evidence as comments.
Run again, it adds what is not in the file yet; what is there stays as it is,
to the letter. A span whose evidence has changed since it was labelled is added
anew, for its labels count no more.
"""

_EXAMPLES = """\
examples:
  memuse annotate cassettes/shop/arc-1.jsonl -o labels/shop.yaml
  memuse agree tracer annotations:labels/shop.yaml cassettes/shop/arc-1.jsonl
"""


def add_annotate(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    annotate = commands.add_parser(
        "annotate",
        help="write the form in which a person labels deliveries",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    annotate.add_argument(
        "logs", type=Path, nargs="+", metavar="LOG", help="event logs, recordings, or labelled sets (YAML)"
    )
    annotate.add_argument(
        "-o", "--out", type=Path, metavar="FILE", help="add the form to this file; without it, it is printed"
    )
    annotate.add_argument("--episode", help="this episode only (its id, or the end of it)")
    annotate.add_argument(
        "--from-labels",
        action="store_true",
        help="fill the form in from the labels of labelled sets: what a judge scores that makes no mistake",
    )
    annotate.set_defaults(run=_annotate)


def _annotate(options: argparse.Namespace) -> list[str]:
    """Print the form, or add it to a file. Raises `MemuseError`; a file stays as it is then."""
    from pytest_memuse.judging.annotation_file import AnnotationFile
    from pytest_memuse.judging.annotation_form import HEAD, form_lines

    if options.out is None:
        spans = list(_new_spans(_tasks(options), AnnotationFile("")))
        return [*HEAD.splitlines(), *form_lines(spans)]
    return _added(options.out, _tasks(options))


@dataclass(frozen=True, slots=True)
class _Task:
    """An episode to label, its spans, and the labels that fill the form in, by span."""

    episode: "Episode"
    spans: "tuple[Span, ...]"
    labels: "dict[str, tuple[EntryLabels, ...]]"


def _tasks(options: argparse.Namespace) -> list[_Task]:
    from pytest_memuse.cli.labels import is_set, read_sets
    from pytest_memuse.cli.reading import read_any
    from pytest_memuse.model.errors import MemuseError, nearest
    from pytest_memuse.spans import build_spans, replay_inputs

    found: list[_Task] = []
    for path in options.logs:
        if is_set(path):
            cases = [case for of in read_sets([path]).values() for case in of]
            found += [_Task(case.episode, case.spans, _filled(case) if options.from_labels else {}) for case in cases]
        elif options.from_labels:
            raise MemuseError(
                f"{path} is no labelled set, which --from-labels fills the form in from",
                reason="usage",
                mend="name YAML files with labelled cases, or folders of them",
            )
        else:
            for episode in map(replay_inputs, read_any(path).episodes):
                found.append(_Task(episode, build_spans(episode), {}))
    wanted = options.episode
    if wanted is not None:
        names = [task.episode.id for task in found]
        found = [task for task in found if task.episode.id == wanted or task.episode.id.endswith(f"/{wanted}")]
        if not found:
            raise MemuseError(
                f"there is no episode {wanted!r}{nearest(wanted, names)}",
                reason="no-episode",
                mend="`memuse show LOG` names them",
            )
    return found


def _filled(case: "LabelledCase") -> "dict[str, tuple[EntryLabels, ...]]":
    found: dict[str, tuple[EntryLabels, ...]] = {}
    for span, index, label in case.entries():
        found[span.id] = (*found.get(span.id, ()), _entry_labels(f"e{index + 1}", label, span.entries[index]))
    return found


def _entry_labels(name: str, label: "Label", entry: "SpanEntry") -> "EntryLabels":
    from pytest_memuse.judging.annotation_file import EntryLabels
    from pytest_memuse.judging.answers import Influence, Signal

    anchored = label.values[Signal.INFLUENCE] in (Influence.ACTED_ON, Influence.SELECTED)
    anchors = tuple(step for step in label.anchors if anchored and entry.window is not None and step in entry.window)
    return EntryLabels(name, label.values, anchors)


def _new_spans(tasks: Iterable[_Task], there: "AnnotationFile") -> "Iterator[FormSpan]":
    """Yield the eligible spans that the file does not hold with the evidence of now."""
    from pytest_memuse.judging.annotation_file import SpanLabels
    from pytest_memuse.judging.annotation_form import FormSpan
    from pytest_memuse.judging.evidence import EpisodeCase
    from pytest_memuse.spans import SpanOutcome
    from pytest_memuse.storage.yaml_lines import written

    held = {(labels.episode, labels.span, labels.evidence) for labels in there.spans}
    before = {(labels.episode, labels.span): labels for labels in there.spans if labels.labelled}
    for task in tasks:
        case = EpisodeCase(task.episode, task.spans)
        for span in task.spans:
            if span.outcome is not SpanOutcome.ELIGIBLE:
                continue
            package = case.package(span)
            place = (written(task.episode.id), written(span.id))
            if (*place, package.digest) in held:
                continue
            held.add((*place, package.digest))
            rows = task.labels.get(span.id)
            labels = SpanLabels(*place, package.digest, rows) if rows is not None else None
            yield FormSpan(*place, package, labels, before.get(place))


def _added(path: Path, tasks: "list[_Task]") -> list[str]:
    from pytest_memuse.cli.judges import MAX_BYTES, annotation_text
    from pytest_memuse.judging.annotation_file import AnnotationFile, read_annotations
    from pytest_memuse.judging.annotation_form import HEAD, form_lines
    from pytest_memuse.model.errors import MemuseError, inert
    from pytest_memuse.storage import write_whole

    before = annotation_text(path) if path.exists() or path.is_symlink() else ""
    there = read_annotations(before, str(path)) if before.strip() else AnnotationFile(str(path))
    new = list(_new_spans(tasks, there))
    added = "".join(f"{line}\n" for line in form_lines(new))
    kept = before if before.endswith("\n") or not before else before + "\n"
    text = (kept if before.strip() else HEAD) + added
    if len(text.encode("utf-8")) > MAX_BYTES:
        raise MemuseError(
            f"{inert(str(path))} would have more than {MAX_BYTES:,} bytes, which no command would read",
            reason="too-large",
            mend="name fewer logs, or one episode with --episode, and another file for the rest",
        )
    after = read_annotations(text, str(path))
    if after.spans[: len(there.spans)] != there.spans or len(after.spans) != len(there.spans) + len(new):
        raise MemuseError(
            f"what stands at the end of {inert(str(path))} takes in what would be added",
            reason="annotation",
            mend="end the last document of the file, or add to another file",
        )

    def unchanged(_: Path) -> None:
        now = annotation_text(path) if path.exists() else ""
        if now != before:
            raise MemuseError(
                f"{inert(str(path))} was changed by somebody else while the form was made; nothing was written",
                reason="annotation",
                mend="run the command again",
            )

    if new:
        write_whole(path, [text.encode("utf-8")], unchanged)
    return _told(path, after, new)


def _told(path: Path, after: "AnnotationFile", new: "list[FormSpan]") -> list[str]:
    from pytest_memuse.model.errors import inert
    from pytest_memuse.reports.numbers import counted

    labelled = sum(labels.labelled for labels in after.spans)
    lines = [f"{inert(str(path))}: {counted(len(after.spans), 'span')}, {len(new)} of them added, {labelled} labelled"]
    stale: list[tuple[FormSpan, SpanLabels]] = [(one, one.before) for one in new if one.before is not None]
    for one, before in stale[:10]:
        where = f"span {inert(one.span, 80)} of episode {inert(one.episode, 80)}"
        lines.append(f"stale: the evidence of {where} changed since it was labelled (line {before.line}); look again")
    if len(stale) > 10:
        lines.append(f"and {len(stale) - 10} more")
    return lines
