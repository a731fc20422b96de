"""The arcs file: which episodes make up a suite, in what order, over which files.

Written by the user in YAML. Every error names the file and the field.
"""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from pytest_memuse.model import FormatError
from pytest_memuse.model.digests import json_digest

MAX_FILE_BYTES = 8 * 1024 * 1024


class ReferenceSpec(BaseModel):
    """A fact that is true when the episode runs, with the values that it had before."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    subject: str = Field(min_length=1)
    value: str = Field(min_length=1)
    superseded: tuple[str, ...] = ()


class EpisodeSpec(BaseModel):
    """One episode. Fields that are not listed here go to ``data``, for the agent and the outcome check."""

    model_config = ConfigDict(extra="allow", frozen=True)

    id: str = Field(min_length=1)
    task: str = Field(min_length=1)
    scope: str = ""
    files: str | None = None
    write: dict[str, str] = Field(default_factory=dict)
    references: tuple[ReferenceSpec, ...] = ()

    @field_validator("write")
    @classmethod
    def _inside_the_workspace(cls, value: dict[str, str]) -> dict[str, str]:
        for name in value:
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts or not path.parts or "\\" in name or "\0" in name:
                raise ValueError(f"{name!r} is not a path inside the workspace")
        return value

    @property
    def data(self) -> Mapping[str, Any]:
        return self.model_extra or {}

    @property
    def digest(self) -> str:
        """Identifies the task: its text, scope, files by name, written files and references."""
        return json_digest(self.model_dump(mode="json"))


class ArcSpec(BaseModel):
    """Episodes that share one memory store, in order."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1)
    about: str = ""
    episodes: tuple[EpisodeSpec, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _episodes_are_told_apart(self) -> "ArcSpec":
        _unique([episode.id for episode in self.episodes], "episode")
        return self


class SuiteSpec(BaseModel):
    """A suite: its arcs, and the folder that relative paths in it start from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    suite: str | None = None
    about: str = ""
    arcs: tuple[ArcSpec, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _arcs_are_told_apart(self) -> "SuiteSpec":
        _unique([arc.id for arc in self.arcs], "arc")
        return self


def load_suite(path: Path) -> SuiteSpec:
    """Read an arcs file. Raises `FormatError` naming file, line or field, and how to mend it."""
    if not path.is_file():
        raise FormatError(
            "there is no such arcs file",
            source=str(path),
            reason="missing",
            mend="the path in @pytest.mark.memuse(arcs=...) is taken from the folder of the test file",
        )
    if path.stat().st_size > MAX_FILE_BYTES:
        raise FormatError(f"the file is larger than {MAX_FILE_BYTES} bytes", source=str(path))
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise FormatError(f"not valid YAML: {error.problem}", source=str(path), line=line) from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"not valid YAML: {error}", source=str(path)) from None
    try:
        return SuiteSpec.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise FormatError(
            first["msg"].removeprefix("Value error, "),
            source=str(path),
            field=field or None,
            mend="an arcs file holds `arcs`, each with `id` and `episodes`, each with `id` and `task`",
        ) from None


def _unique(names: list[str], what: str) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"{what} {twice!r} is there twice")
