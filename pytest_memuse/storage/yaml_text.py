"""YAML that others wrote, loaded as plain data within bounds: no object is made, no alias multiplies what it names.

The events of the text are counted first, which costs no memory; only a text within the bounds is loaded.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

MAX_DEPTH = 50
"""Levels of nesting."""

MAX_VALUES = 200_000
"""Values in one text, each counted again wherever an alias stands for it."""

MAX_CHARACTERS = 64 * 1024 * 1024
"""Characters of these values, counted likewise."""

_REPEATED = "counting those that aliases repeat"
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlError(ValueError):
    """A text is not the YAML that is read here. ``line`` counts from 1, None where it is not known."""

    def __init__(self, problem: str, line: int | None) -> None:
        super().__init__(problem)
        self.line = line


def load_yaml(text: str) -> Any:
    """Return the value of a YAML text of one document. Raises `YamlError`.

    Tags beyond those of plain data, a key that stands twice in a mapping, an alias within what it stands for, and more
    values, characters or levels than the bounds of this module are refused.
    """
    return bounded(text, lambda: yaml.load(text, Loader=_LOADER))


def load_yaml_documents(text: str) -> list[Any]:
    """Return the values of a YAML text's documents, in order; the bounds hold for all together. Raises `YamlError`."""
    documents: list[Any] = bounded(text, lambda: list(yaml.load_all(text, Loader=_LOADER)))
    return documents


def bounded(text: str, load: Callable[[], Any], most_values: int | None = None) -> Any:
    """Return what ``load`` makes of a text, called once the text is within the bounds. Raises `YamlError`.

    ``most_values`` stands for `MAX_VALUES` where it is given.
    """
    try:
        _Counter(MAX_VALUES if most_values is None else most_values).run(text)
        return load()
    except YamlError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise YamlError(str(error.problem or error.context), None if mark is None else mark.line + 1) from None
    except yaml.YAMLError as error:
        raise YamlError(str(error).splitlines()[0], None) from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # What PyYAML raises where a value is not what its tag says: a date like 2001-99-99, `!!bool maybe`, or a number
        # of ten thousand digits.
        raise YamlError(f"a value is not what its tag says ({str(error)[:100]})", None) from None
    except RecursionError:
        raise YamlError("it is nested too deeply", None) from None


@dataclass(slots=True)
class _Open:
    """A mapping or a list whose end has not come; ``keys`` is None in a list."""

    anchor: str | None
    values: int
    characters: int
    keys: set[str] | None
    at_key: bool = True


@dataclass(slots=True)
class _Counter:
    """Counts what a text would become."""

    most_values: int
    values: int = 0
    characters: int = 0
    open: list[_Open] = field(default_factory=list)
    anchored: dict[str, tuple[int, int]] = field(default_factory=dict)

    def run(self, text: str) -> None:
        for event in _events(text):
            line = event.start_mark.line + 1
            if isinstance(event, yaml.ScalarEvent):
                self._take_key(event.value, line)
                self._count(1, len(event.value), line)
                if event.anchor is not None:
                    self.anchored[event.anchor] = 1, len(event.value)
            elif isinstance(event, yaml.AliasEvent):
                if event.anchor in self.anchored:
                    self._count(*self.anchored[event.anchor], line)
                elif any(outer.anchor == event.anchor for outer in self.open):
                    raise YamlError(f"the alias {event.anchor!r} stands within what it stands for", line)
            elif isinstance(event, yaml.CollectionStartEvent):
                self._count(1, 0, line)
                keys: set[str] | None = set() if isinstance(event, yaml.MappingStartEvent) else None
                self.open.append(_Open(event.anchor, self.values, self.characters, keys))
                if len(self.open) > MAX_DEPTH:
                    raise YamlError(f"it is nested more than {MAX_DEPTH} levels deep", line)
                continue
            elif isinstance(event, yaml.CollectionEndEvent):
                closed = self.open.pop()
                if closed.anchor is not None:
                    self.anchored[closed.anchor] = (
                        self.values - closed.values + 1,
                        self.characters - closed.characters,
                    )
            else:
                continue
            if self.open:
                self.open[-1].at_key = not self.open[-1].at_key

    def _take_key(self, name: str, line: int) -> None:
        around = self.open[-1] if self.open else None
        if around is None or around.keys is None or not around.at_key:
            return
        if name in around.keys:
            raise YamlError(f"the key {name[:60]!r} stands twice in one mapping", line)
        around.keys.add(name)

    def _count(self, values: int, characters: int, line: int) -> None:
        self.values += values
        self.characters += characters
        if self.values > self.most_values:
            raise YamlError(f"it holds more than {self.most_values:,} values, {_REPEATED}", line)
        if self.characters > MAX_CHARACTERS:
            raise YamlError(f"it holds more than {MAX_CHARACTERS:,} characters, {_REPEATED}", line)


def _events(text: str) -> Iterator[Any]:
    return iter(yaml.parse(text, Loader=_LOADER))
