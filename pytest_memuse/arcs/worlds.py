"""The world of an arc: a small database in memory that tools read and change, and that checks look at (MERIT 3.2)."""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any

from pytest_memuse.arcs.arguments import Refused, checked, folded, number_of, same_value, storable
from pytest_memuse.arcs.types import Action, Check, Parameter, Row, RowCheck, Tool, WorldArc
from pytest_memuse.model.errors import MemuseError, nearest

MOST_ROWS = 50
"""Rows that one reading tool call shows."""

NAME = re.compile(r"[a-z][a-z0-9_]{0,62}", re.ASCII)
"""What tables, columns, tools and parameters may be called."""


class World:
    """The world of one arc, as it stands. It lives for the arc, is used by one thread, and is to be closed.

    Tool calls and checks reach the database through parameters only; names of tables and columns are checked when the
    world is opened.
    """

    def __init__(self, connection: sqlite3.Connection, tools: Iterable[Tool], columns: Mapping[str, list[str]]) -> None:
        self._connection = connection
        self._tools = {tool.name: tool for tool in tools}
        self._columns = columns

    @classmethod
    def open(cls, arc: WorldArc) -> "World":
        """Make the world as the arc's first episode finds it. Raises `MemuseError` for a name that is none."""
        return cls.of(arc.tables, arc.tools)

    @classmethod
    def of(cls, tables: Mapping[str, Iterable[Row]], tools: Iterable[Tool]) -> "World":
        """Make a world of tables and tools; see `open`."""
        tools = tuple(tools)
        kept = {table: tuple(rows) for table, rows in tables.items()}
        columns = _columns(kept, tools)
        # Nothing is read while something else is written: no transaction is needed.
        connection = sqlite3.connect(":memory:", isolation_level=None)
        for table, names in columns.items():
            connection.execute(f'CREATE TABLE "{table}" ({", ".join(_column(name) for name in names)})')
            rows = kept.get(table, ())
            marks = ", ".join("?" for _ in names)
            connection.executemany(
                f'INSERT INTO "{table}" VALUES ({marks})',
                [[storable(str(row.get(name, ""))) for name in names] for row in rows],
            )
        return cls(connection, tools, columns)

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def changes(self) -> int:
        """Rows that were written since the world was made, those of its beginning included."""
        return self._connection.total_changes

    def tools(self) -> tuple[dict[str, Any], ...]:
        """Return the schemas of the tools (OpenAI ``function`` objects)."""
        return tuple(schema_of(tool) for tool in self._tools.values())

    def call(self, name: str, arguments: Any) -> str:
        """Carry out a tool call and return its result as JSON text; what is wrong with the call is its ``error``."""
        try:
            return _json(self._called(name, arguments))
        except Refused as refused:
            return _json({"error": str(refused)})

    def holds(self, check: Check) -> bool:
        """Tell whether a check's predicate is true of the world as it stands.

        Raises `MemuseError` where it names a table or a column that the world does not have.
        """
        return all(self._found(row) for row in check.rows)

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield every text of the world as it stands, each with the place where it stands."""
        for table, names in self._columns.items():
            with closing(self._connection.execute(f'SELECT * FROM "{table}" ORDER BY rowid')) as rows:
                for number, row in enumerate(rows, 1):
                    yield from (
                        (f"{table}, row {number}, {n}", value) for n, value in zip(names, row, strict=True) if value
                    )

    def values(self, table: str, column: str) -> tuple[str, ...]:
        """Return the distinct values of a column, in order of appearance."""
        with closing(self._connection.execute(f'SELECT "{column}" FROM "{table}" ORDER BY rowid')) as rows:
            return tuple(dict.fromkeys(value for (value,) in rows if value))

    def size(self, table: str) -> int:
        """Return how many rows a table has."""
        with closing(self._connection.execute(f'SELECT count(*) FROM "{table}"')) as rows:
            return int(next(rows)[0])

    def _called(self, name: str, arguments: Any) -> dict[str, Any]:
        tool = self._tools.get(name)
        if tool is None:
            raise Refused(f"there is no tool {name[:80]!r}{nearest(name[:80], self._tools)}")
        given = checked(tool, arguments)
        keys = [(p, given[p.name]) for p in tool.parameters if p.key and p.name in given]
        if tool.action is Action.READ:
            return {tool.table: self._rows(tool.table, keys)}
        written = {p.column: given[p.name] for p in tool.parameters if not p.key and p.name in given}
        self._below(tool, keys, given)
        for table, action in ((tool.table, tool.action), *tool.also.items()):
            self._write(table, action, keys, written | dict(tool.fixed))
        return {"done": tool.name, tool.table: self._rows(tool.table, keys)[-1:]}

    def _rows(self, table: str, keys: list[tuple[Parameter, str]]) -> list[dict[str, str]]:
        names = self._columns[table]
        where, values = _where(keys)
        found = self._connection.execute(f'SELECT * FROM "{table}"{where} ORDER BY rowid LIMIT {MOST_ROWS}', values)
        return [{n: value for n, value in zip(names, row, strict=True) if value} for row in found]

    def _below(self, tool: Tool, keys: list[tuple[Parameter, str]], given: Mapping[str, str]) -> None:
        for parameter in tool.parameters:
            if not parameter.at_most or parameter.name not in given:
                continue
            for row in self._rows(tool.table, keys):
                most = number_of(row.get(parameter.at_most, ""))
                amount = number_of(given[parameter.name])
                if most is not None and amount is not None and amount > most:
                    raise Refused(f"{parameter.name} may be at most {most}, the {parameter.at_most}")

    def _write(self, table: str, action: Action, keys: list[tuple[Parameter, str]], written: Mapping[str, str]) -> None:
        new = {column: value for column, value in written.items() if column in self._columns[table]}
        if action in (Action.UPDATE, Action.PUT) and new:
            where, values = _where(keys)
            assigned = ", ".join(f'"{column}" = ?' for column in new)
            done = self._connection.execute(f'UPDATE "{table}" SET {assigned}{where}', [*new.values(), *values])
            if done.rowcount:
                return
        if action is Action.UPDATE:
            raise Refused(f"{table} has no row with " + ", ".join(f"{p.name} {value!r}" for p, value in keys))
        row = {p.column: value for p, value in keys} | new
        filled = [row.get(name, "") for name in self._columns[table]]
        self._connection.execute(f'INSERT INTO "{table}" VALUES ({", ".join("?" for _ in filled)})', filled)

    def _found(self, check: RowCheck) -> bool:
        names = self._columns.get(check.table)
        if names is None:
            known = ", ".join(self._columns)
            raise MemuseError(f"a check names the table {check.table!r}; there are {known}", reason="arc")
        asked = {**check.where, **check.expects, **check.contains}
        unknown = next((column for column in asked if column not in names), None)
        if unknown is not None:
            told = f"a check names the column {unknown!r} of {check.table}; it has {', '.join(names)}"
            raise MemuseError(told + nearest(unknown, names), reason="arc")
        with closing(self._connection.execute(f'SELECT * FROM "{check.table}"')) as rows:
            return any(_fits(check, dict(zip(names, row, strict=True))) for row in rows)


def _column(name: str) -> str:
    """Return a column's definition."""
    return f"\"{name}\" TEXT NOT NULL DEFAULT ''"


def schema_of(tool: Tool) -> dict[str, Any]:
    """Return a tool's function schema; every argument is a text."""
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": {
            "type": "object",
            "properties": {
                p.name: {"type": "string", "description": p.description or p.name.replace("_", " ")}
                for p in tool.parameters
            },
            "required": [p.name for p in tool.parameters if p.required],
        },
    }


def _fits(check: RowCheck, row: Mapping[str, str]) -> bool:
    exact = {**check.where, **check.expects}
    return all(same_value(row[column], value) for column, value in exact.items()) and all(
        folded(text) in folded(row[column]) for column, text in check.contains.items()
    )


def _columns(tables: Mapping[str, tuple[Row, ...]], tools: Iterable[Tool]) -> dict[str, list[str]]:
    """Return every table's columns: those of its rows, and those that tools write. Raises for a name that is none."""
    found: dict[str, dict[str, None]] = {table: {} for table in tables}
    for table, rows in tables.items():
        for row in rows:
            found[table].update(dict.fromkeys(row))
    for tool in tools:
        columns = found.setdefault(tool.table, {})
        columns.update(dict.fromkeys(p.column for p in tool.parameters))
        columns.update(dict.fromkeys(tool.fixed))
        for other in tool.also:
            found.setdefault(other, {}).update(dict.fromkeys(p.column for p in tool.parameters if p.key))
    for name in (*found, *(column for columns in found.values() for column in columns)):
        if not NAME.fullmatch(name):
            raise MemuseError(
                f"{name[:80]!r} cannot name a table or a column",
                reason="arc",
                mend="names begin with a small letter and hold small letters, digits and underscores, 63 at most",
            )
    empty = next((table for table, columns in found.items() if not columns), None)
    if empty is not None:
        raise MemuseError(f"the table {empty!r} has no column", reason="arc", mend="give it a row, or a tool")
    return {table: list(columns) for table, columns in found.items()}


def _where(keys: list[tuple[Parameter, str]]) -> tuple[str, list[str]]:
    parts = [
        f'instr(lower("{p.column}"), lower(?)) > 0' if p.within else f'"{p.column}" = ? COLLATE NOCASE' for p, _ in keys
    ]
    return (" WHERE " + " AND ".join(parts) if parts else ""), [value for _, value in keys]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
