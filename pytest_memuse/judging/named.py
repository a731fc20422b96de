"""Judges by name: ``tracer``, ``annotations:FILE``, ``llm:MODEL``, ``records:DIR``, and several joined by ``+``."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_memuse.judging.annotation_file import AnnotationFile, read_annotations
from pytest_memuse.judging.annotations import Annotations
from pytest_memuse.judging.answers import Judge
from pytest_memuse.judging.combined import Combined
from pytest_memuse.judging.tracer import Tracer
from pytest_memuse.model import FormatError, MemuseError
from pytest_memuse.model.errors import nearest
from pytest_memuse.storage import read_plain

if TYPE_CHECKING:
    from pytest_memuse.judging.llm.settings import RunLimits

FORMS = ("tracer", "annotations:FILE", "llm:MODEL", "records:DIR")
"""How judges are named; several joined by ``+`` give each signal from the first that determines it.

The address of an OpenAI-compatible endpoint may follow a model: ``llm:openai/NAME@http://localhost:8080/v1``. A folder
of records stands for the judge whose answers it keeps; where there are several, its sub-folder says which.
"""


@dataclass(frozen=True, slots=True)
class Asking:
    """How a named judge asks its model: the address of an endpoint where its name has none, and what bounds it."""

    api_base: str | None = None
    run: "RunLimits | None" = None


MAX_BYTES = 64 * 1024 * 1024

_KINDS = ("tracer", "annotations", "llm", "records")
_JOINED = re.compile(rf"\+(?=(?:{'|'.join(_KINDS)})(?:[:+]|$))")


def is_judge(text: str) -> bool:
    """Return whether a text names a judge rather than a file or a stored run."""
    return text.partition("+")[0].partition(":")[0] in _KINDS


def spelled_out(text: str) -> str:
    """Return the name of the judge that a YAML file's path stands for, any other text as it is."""
    return f"annotations:{text}" if not is_judge(text) and Path(text).suffix in (".yaml", ".yml") else text


def judge_named(text: str, folder: Path = Path(), asking: Asking | None = None) -> Judge:
    """Return the judge of that name; files are looked for from ``folder``.

    Raises `MemuseError` with the nearest name, and `FormatError` for a file that cannot be read.
    """
    asking = asking or Asking()
    parts = [_judge(part, folder, asking) for part in _JOINED.split(text)]
    return parts[0] if len(parts) == 1 else Combined(tuple(parts))


def read_annotation_file(path: Path) -> AnnotationFile:
    """Return the labels of a file. Raises `FormatError` with file, line and field."""
    return read_annotations(annotation_text(path), str(path))


def annotation_text(path: Path) -> str:
    """Return the text of a file of annotations. Raises `FormatError` where it is missing or no text."""
    try:
        content = read_plain(path, MAX_BYTES)
    except FileNotFoundError:
        beside = [each.name for each in path.parent.glob("*")] if path.parent.is_dir() else []
        raise FormatError(
            f"there is no such file{nearest(path.name, beside)}",
            source=str(path),
            reason="missing",
            mend="name a file that `memuse annotate LOG -o FILE` wrote",
        ) from None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise FormatError("not UTF-8 text", source=str(path), line=line, mend="save it as UTF-8") from None


def _judge(text: str, folder: Path, asking: Asking) -> Judge:
    kind, colon, rest = text.partition(":")
    made = _MAKERS.get(kind)
    if made is None or (kind != "tracer") != bool(rest) or (kind == "tracer" and colon):
        names = [form.partition(":")[0] for form in FORMS]
        raise MemuseError(
            f"there is no judge {text!r}{nearest(kind, names) if made is None else ''}",
            reason="no-judge",
            mend=f"name one of {', '.join(FORMS)}, or several joined by +",
        )
    return made(rest, folder, asking)


def _tracer(_: str, __: Path, ___: Asking) -> Judge:
    return Tracer()


def _annotations(path: str, folder: Path, _: Asking) -> Judge:
    return Annotations(read_annotation_file(folder / path))


def _llm(model: str, _: Path, asking: Asking) -> Judge:
    from pytest_memuse.judging.llm.judge import LlmJudge

    name, at, rest = model.partition("@http")
    return LlmJudge(name, api_base=f"http{rest}" if at else asking.api_base, run=asking.run)


def _records(path: str, folder: Path, _: Asking) -> Judge:
    from pytest_memuse.judging.llm.recorded import recorded_judge

    return recorded_judge(folder / path)


_MAKERS: Mapping[str, Callable[[str, Path, Asking], Judge]] = {
    "tracer": _tracer,
    "annotations": _annotations,
    "llm": _llm,
    "records": _records,
}
