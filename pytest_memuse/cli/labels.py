"""`memuse labels`: a judge measured on labelled sets."""

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_memuse.cli.judges import announce, asking, chosen_judge
from pytest_memuse.cli.reading import read_any
from pytest_memuse.judging.agreement import measure, together
from pytest_memuse.judging.labels import LabelledCase, is_labelled, labelled_cases
from pytest_memuse.model import FormatError, MemuseError
from pytest_memuse.model.errors import inert, nearest
from pytest_memuse.model.log import EventLog
from pytest_memuse.reports.labels import label_data, label_lines
from pytest_memuse.storage import read_plain
from pytest_memuse.storage.yaml_text import YamlError, load_yaml_documents

VARIABLE = "MEMUSE_CASES"
"""Names the file or folder to measure on where the command line names none."""

DEFAULTS = (Path("tests/cases/data/labels.yaml"), Path("fixtures/labels"))
"""What is measured on where nothing is named: the sets of this project, where the command is run in it."""

MAX_BYTES = 16 * 1024 * 1024


def labels(options: argparse.Namespace) -> list[str]:
    """Measure a judge on labelled sets and report right, wrong, undetermined and kappa by signal."""
    judge = chosen_judge(options.judge, options)
    found = read_sets(options.sets or default_paths(os.environ))
    announce([judge], ((case.episode, case.spans) for cases in found.values() for case in cases), options)
    with asking(options) as lines:
        sets = {name: measure(judge, cases, lines) for name, cases in found.items()}
    total = together(sets.values())
    if options.json:
        return [json.dumps(label_data(judge.identity.to_data(), sets, total), indent=1, sort_keys=True)]
    return label_lines(str(judge.identity), sets, total, verbose=options.verbose)


def default_paths(environment: Mapping[str, str]) -> list[Path]:
    """Return what to measure on where the command line names nothing. Raises `MemuseError` where there is nothing."""
    if named := environment.get(VARIABLE):
        return [Path(named)]
    found = [path for path in DEFAULTS if path.exists()]
    if not found:
        raise MemuseError(
            "no labelled set is named",
            reason="no-labels",
            mend=f"name files or folders, or set {VARIABLE} to one",
        )
    return found


def is_set(path: Path) -> bool:
    """Return whether a path is taken for labelled sets rather than for a log: a folder, or a YAML file."""
    return path.is_dir() or path.suffix in (".yaml", ".yml")


def log_or_set(path: Path) -> EventLog:
    """Return the episodes at a path: those of a log or a recording, or of labelled sets, whose suite is *cases*."""
    if is_set(path):
        return EventLog(tuple(case.episode for cases in read_sets([path]).values() for case in cases), suite="cases")
    return read_any(path)


def read_sets(paths: Sequence[Path]) -> dict[str, tuple[LabelledCase, ...]]:
    """Return the labelled sets at paths, by name.

    A file is a set. In a folder each file of its own is a set and each folder within it is one; files there that hold
    no labels at all (other worked cases) are passed over. Raises `MemuseError` where a path holds no labelled case.
    """
    found: dict[str, tuple[LabelledCase, ...]] = {}
    for path in paths:
        if not path.is_dir():
            found[str(path)] = read_labels(path)
            continue
        before = len(found)
        for part in sorted(path.iterdir()):
            files = sorted(part.rglob("*.yaml")) if part.is_dir() else [part] if part.suffix == ".yaml" else []
            cases = tuple(case for file in files for case in _labels_if_any(file))
            if cases:
                found[str(part)] = cases
        if len(found) == before:
            raise MemuseError(
                f"{inert(str(path))} holds no labelled case",
                reason="no-labels",
                mend="a labelled case is a YAML document with `messages`, `steps`, `deliveries` and `labels`",
            )
    return found


def read_labels(path: Path) -> tuple[LabelledCase, ...]:
    """Return the labelled cases of a file. Raises `FormatError` with file, case and field."""
    cases = labelled_cases(_documents(path), str(path))
    if not cases:
        raise FormatError(
            "it holds no case", source=str(path), reason="no-labels", mend="name a file of labelled cases"
        )
    return cases


def _labels_if_any(path: Path) -> tuple[LabelledCase, ...]:
    documents = _documents(path)
    return labelled_cases(documents, str(path)) if is_labelled(documents) else ()


def _documents(path: Path) -> list[Any]:
    try:
        content = read_plain(path, MAX_BYTES)
    except FileNotFoundError:
        beside = [each.name for each in path.parent.glob("*")] if path.parent.is_dir() else []
        problem = f"there is no such file{nearest(path.name, beside)}"
        raise FormatError(problem, source=str(path), reason="missing", mend="name a file or folder") from None
    try:
        return load_yaml_documents(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise FormatError("not UTF-8 text", source=str(path), line=line, mend="save it as UTF-8") from None
    except YamlError as error:
        raise FormatError(
            f"not valid YAML: {error}", source=str(path), line=error.line, mend="mend the file at this place"
        ) from None
