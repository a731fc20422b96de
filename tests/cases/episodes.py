"""Worked cases: where they lie, how they are read, and how a case's episode becomes a `model.Episode`.

The form is described in ``data/README.md``. A malformed case is a `MalformedCase` that names file and case.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from pytest_memuse.judging import case_form
from pytest_memuse.judging.case_form import case_name
from pytest_memuse.model import Episode, FormatError

__all__ = [
    "OWN_CASES",
    "MalformedCase",
    "NoCases",
    "case_name",
    "cases_folder",
    "episode_from_case",
    "load_cases",
    "load_documents",
]

OWN_CASES = Path(__file__).parent / "data"


class NoCases(Exception):
    """The folder that was named holds no cases."""


class MalformedCase(Exception):
    """A case that does not have the form of its file; says which file and which case."""


def cases_folder() -> Path:
    """Return the folder named by ``MEMUSE_CASES``, or the project's own cases.

    Raises `NoCases` where that folder holds no case file: a slip of the pen must not pass for a run without failures.
    """
    folder = Path(os.environ.get("MEMUSE_CASES") or OWN_CASES)
    if not any(folder.rglob("*.yaml")):
        raise NoCases(f"MEMUSE_CASES={folder} names no folder with case files (spans.yaml, exposure.yaml, ...)")
    return folder


def load_documents(name: str, folder: Path | None = None) -> list[Any]:
    """Return the YAML documents of a case file; none where the file is absent from a folder other than our own."""
    path = (folder or cases_folder()) / name
    if not path.exists() and path.parent.resolve() != OWN_CASES.resolve():
        return []
    try:
        documents = list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
    except yaml.YAMLError as error:
        raise MalformedCase(f"{path}: not YAML: {error}") from error
    return [document for document in documents if document is not None]


def load_cases(name: str, folder: Path | None = None) -> list[dict[str, Any]]:
    """Return the cases of a file in order: its documents, and the items of a document that is a list."""
    path = (folder or cases_folder()) / name
    cases: list[dict[str, Any]] = []
    for document in load_documents(name, folder):
        for case in document if isinstance(document, list) else [document]:
            if not isinstance(case, dict):
                raise MalformedCase(f"{path}: case {len(cases) + 1}: expected a mapping, found {type(case).__name__}")
            cases.append(case)
    return cases


def episode_from_case(case: Mapping[str, Any], source: str = "spans.yaml") -> Episode:
    """Return the episode of a case of ``spans.yaml`` or ``labels.yaml``, see `case_form.episode_from_case`."""
    try:
        return case_form.episode_from_case(case, source)
    except FormatError as error:
        raise MalformedCase(str(error)) from error
