"""The arcs file: which episodes make up a suite, in what order, over which files.

Written by the user in YAML. Every error names the file and the field.
"""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from pytest_memuse.model import FormatError
from pytest_memuse.model.digests import json_digest
from pytest_memuse.storage import read_plain
from pytest_memuse.storage.yaml_text import YamlError, load_yaml

MAX_FILE_BYTES = 8 * 1024 * 1024

_DRIVE = re.compile(r"[A-Za-z]:")


def _relative(path: str, *, up: bool) -> bool:
    """Tell whether a path is relative on every platform; ``up`` allows it to leave the folder that it starts from."""
    parts = PurePosixPath(path).parts
    plain = bool(parts) and path.isprintable() and "\\" not in path and not _DRIVE.match(path)
    return plain and not path.startswith("/") and (up or ".." not in parts)


def _printable(name: str) -> str:
    if not name.isprintable():
        raise ValueError(f"{name!r} holds a character that cannot be printed")
    return name


Name = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_printable)]
"""What an arc or an episode is called, in files and in reports."""


class ReferenceSpec(BaseModel):
    """A fact that is true when the episode runs, with the values that it had before."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    subject: str = Field(min_length=1)
    value: str = Field(min_length=1)
    superseded: tuple[str, ...] = ()


class EpisodeSpec(BaseModel):
    """One episode. Fields that are not listed here go to ``data``, for the agent and the outcome check."""

    model_config = ConfigDict(extra="allow", frozen=True)

    id: Name
    task: str = Field(min_length=1)
    scope: str = ""
    files: str | None = None
    write: dict[str, str] = Field(default_factory=dict)
    references: tuple[ReferenceSpec, ...] = ()

    @field_validator("write")
    @classmethod
    def _inside_the_workspace(cls, value: dict[str, str]) -> dict[str, str]:
        for name in value:
            if not _relative(name, up=False):
                raise ValueError(f"{name!r} is not a path inside the workspace")
        return value

    @field_validator("files")
    @classmethod
    def _beside_the_arcs_file(cls, value: str | None) -> str | None:
        if value is not None and not _relative(value, up=True):
            raise ValueError(f"{value!r} is not a path from the arcs file's folder")
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

    id: Name
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
    try:
        content = read_plain(path, MAX_FILE_BYTES)
    except FileNotFoundError:
        raise FormatError(
            "there is no such arcs file",
            source=str(path),
            reason="missing",
            mend="the path in @pytest.mark.memuse(arcs=...) is taken from the folder of the test file",
        ) from None
    try:
        raw = load_yaml(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise FormatError("not UTF-8 text", source=str(path), line=line, mend="save it as UTF-8") from None
    except YamlError as error:
        raise FormatError(
            f"not valid YAML: {error}", source=str(path), line=error.line, mend="mend the file at this place"
        ) from None
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
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{what} {name!r} is there twice")
        seen.add(name)
