"""Arcs of the user's own, from a YAML file: a world as tables, tools by declaration, episodes with facts and checks.

Every error names the file, the field and how to mend it. An arc that is read has passed the leak check.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_memuse.arcs.file_fields import FIELDS, ArcField, EpisodeField, FileField, GoldField, ToolField
from pytest_memuse.arcs.leaks import Haystack, LeakError, Sought, find_leaks
from pytest_memuse.arcs.prompts import SYSTEM_PROMPT
from pytest_memuse.arcs.types import (
    Check,
    GoldFact,
    Kind,
    Parameter,
    RowCheck,
    Tool,
    WorldArc,
    WorldEpisode,
)
from pytest_memuse.arcs.worlds import World
from pytest_memuse.model.errors import FormatError, MemuseError, nearest
from pytest_memuse.storage import read_plain
from pytest_memuse.storage.yaml_text import YamlError, load_yaml

MAX_FILE_BYTES = 4 * 1024 * 1024

_FORM = "a file of arcs holds `domain`, `world`, `tools` and `arcs`; docs/arcs.md shows one"
_QUOTES = "values are texts: put quotes around numbers, dates and times"


def load_arcs(path: Path) -> tuple[WorldArc, ...]:
    """Read a file of arcs.

    Raises `FormatError` for what is not of the format or cannot work: a probe without a plant before it, a value that
    the user never says, a check of a column that is not there or that holds before anything was done. Raises
    `leaks.LeakError` where a probe could be solved without memory.
    """
    file = _read(path)
    tools = tuple(_tool(tool) for tool in file.tools)
    return tuple(_arc(file, arc, tools, f"arcs.{place}", str(path)) for place, arc in enumerate(file.arcs))


def _read(path: Path) -> FileField:
    try:
        content = read_plain(path, MAX_FILE_BYTES)
    except FileNotFoundError:
        raise FormatError(
            "there is no such file of arcs", source=str(path), reason="missing", mend="name a YAML file"
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
        return FileField.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = [str(part) for part in first["loc"]]
        unknown = first["type"] == "extra_forbidden"
        told = f"there is no such field{nearest(field[-1], FIELDS)}" if unknown else first["msg"]
        raise FormatError(
            told.removeprefix("Value error, "),
            source=str(path),
            field=".".join(field) or None,
            mend=_QUOTES if first["type"] == "string_type" else _FORM,
        ) from None


def _tool(tool: ToolField) -> Tool:
    action, table = tool.does()
    keys = [Parameter(column, column, key=True) for column in tool.by]
    searched = [Parameter(column, column, key=True, within=True) for column in tool.search]
    written = [
        Parameter(column, column, each.about, each.format, at_most=each.at_most, required=not each.optional)
        for column, each in tool.set.items()
    ]
    return Tool(tool.name, tool.about, action, table, (*keys, *searched, *written))


def _arc(file: FileField, arc: ArcField, tools: tuple[Tool, ...], field: str, source: str) -> WorldArc:
    tables = {table: tuple(dict(row) for row in rows) for table, rows in {**file.world, **arc.world}.items()}
    episodes = tuple(_episode(episode) for episode in arc.episodes)
    made = WorldArc(arc.id, file.domain, arc.tier, 0, tables, tools, episodes)
    for problem, where, mend in (*_untold(arc), *_unchecked(made)):
        raise FormatError(problem, source=source, field=f"{field}.{where}", reason="arc", mend=mend)
    try:
        leaks = find_leaks(made, prompt=SYSTEM_PROMPT)
    except MemuseError as error:
        raise FormatError(str(error).splitlines()[0], source=source, field="tools", mend=error.mend) from None
    if leaks:
        raise LeakError(arc.id, leaks, source)
    return made


def _episode(episode: EpisodeField) -> WorldEpisode:
    check = Check(tuple(RowCheck(row.table, row.where, row.expects, row.contains) for row in episode.check))
    gold = tuple(GoldFact(fact.subject, fact.value, fact.superseded) for fact in episode.gold)
    return WorldEpisode(episode.id, episode.kind, episode.user, gold, check if episode.check else None)


_Problems = Iterator[tuple[str, str, str]]


def _untold(arc: ArcField) -> _Problems:
    """Find facts that a probe needs and nobody told, and facts that an episode does not say."""
    told: dict[str, list[str]] = {}
    for place, episode in enumerate(arc.episodes):
        for number, fact in enumerate(episode.gold):
            where = f"episodes.{place}.gold.{number}"
            if episode.kind is Kind.PROBE:
                yield from _needed(fact, told.get(fact.subject, []), where)
                continue
            if not Sought(fact.value).stated_in(Haystack("\n".join(episode.user))):
                problem = f"the user of {episode.id!r} never says the value {fact.value!r}"
                yield problem, f"{where}.value", "say it in a turn of the episode that plants or revises it"
            if episode.kind is Kind.UPDATE and fact.subject not in told:
                problem = f"{episode.id!r} revises {fact.subject!r}, which no episode before it plants"
                yield problem, f"{where}.subject", "plant it first, under the same subject"
            told.setdefault(fact.subject, []).append(fact.value)


def _needed(fact: GoldField, told: list[str], where: str) -> _Problems:
    if not told:
        problem = f"no episode before the probe plants {fact.subject!r}"
        yield problem, f"{where}.subject", "add a plant with this subject among its gold facts"
    elif told[-1] != fact.value:
        problem = f"the latest value that was told of {fact.subject!r} is {told[-1]!r}, not {fact.value!r}"
        yield problem, f"{where}.value", "a probe wants the latest value"
    elif set(fact.superseded) != {value for value in told if value != fact.value}:
        earlier = ", ".join(repr(value) for value in told if value != fact.value) or "nothing"
        problem = f"before its latest value, {earlier} was told of {fact.subject!r}"
        yield problem, f"{where}.superseded", "list the values that earlier episodes told, and no others"


def _unchecked(arc: WorldArc) -> _Problems:
    """Find checks that cannot be made, and those that hold before anything was done."""
    try:
        with World.open(arc) as world:
            for place, episode in enumerate(arc.episodes):
                where = f"episodes.{place}.check"
                try:
                    arrived = episode.check is not None and world.holds(episode.check)
                except MemuseError as error:
                    yield str(error).splitlines()[0], where, "name tables and columns of the world or of its tools"
                    continue
                if arrived:
                    problem = f"the check of {episode.id!r} holds before anything was done"
                    yield problem, where, "success is a check that becomes true; ask for something else"
    except MemuseError as error:
        yield str(error).splitlines()[0], "world", error.mend


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a file of arcs."""
    return FileField.model_json_schema()
