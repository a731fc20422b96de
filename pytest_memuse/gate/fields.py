"""Typed access to the fields of a JSON object, with errors that name file and field."""

from collections.abc import Mapping
from typing import Any

from pytest_memuse.gate import errors


class Fields:
    """A JSON object at a path of a baseline's file."""

    def __init__(self, data: Any, source: str, path: str = "") -> None:
        self.source = source
        self.path = path
        if not isinstance(data, Mapping):
            raise self.damaged("an object belongs here")
        self.data: Mapping[str, Any] = data

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields, in the file's order."""
        return tuple(self.data)

    def child(self, name: str) -> "Fields":
        """Return the object in a field."""
        return Fields(self.data.get(name), self.source, self._at(name))

    def children(self, name: str) -> tuple["Fields", ...]:
        """Return the objects of the list in a field; a field that is not there is an empty list."""
        return tuple(
            Fields(one, self.source, f"{self._at(name)}[{number}]") for number, one in enumerate(self._list(name))
        )

    def text(self, name: str) -> str:
        """Return the text in a field."""
        value = self.data.get(name)
        if not isinstance(value, str):
            raise errors.damaged(self.source, "a text belongs here", field=self._at(name))
        return value

    def count(self, name: str) -> int:
        """Return the number, 0 or more, in a field."""
        value = self.data.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise errors.damaged(self.source, "a whole number of at least 0 belongs here", field=self._at(name))
        return value

    def texts(self) -> dict[str, str]:
        """Return the object as a mapping of texts."""
        return {name: self.text(name) for name in self.data}

    def text_list(self, name: str) -> tuple[str, ...]:
        """Return the texts of the list in a field; a field that is not there is an empty list."""
        values = self._list(name)
        for number, value in enumerate(values):
            if not isinstance(value, str):
                raise errors.damaged(self.source, "a text belongs here", field=f"{self._at(name)}[{number}]")
        return tuple(values)

    def damaged(self, problem: str) -> errors.BaselineError:
        """Return the error of this object."""
        return errors.damaged(self.source, problem, field=self.path)

    def _list(self, name: str) -> list[Any]:
        value = self.data.get(name, [])
        if not isinstance(value, list):
            raise errors.damaged(self.source, "a list belongs here", field=self._at(name))
        return value

    def _at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name
