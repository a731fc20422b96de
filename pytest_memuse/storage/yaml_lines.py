"""YAML that people fill in, read with the line of every value; and the words that are written into such a file.

What is read is plain: mappings, lists and words. Anchors, aliases and tags are refused, so that nothing stands for
anything but itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from pytest_memuse.model.errors import is_shown
from pytest_memuse.storage.yaml_text import YamlError, bounded

MAX_VALUES = 1_000_000
"""Values in one text: those of a form with some ten thousand spans. Documents are taken one at a time."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PREFIX = "tag:yaml.org,2002:"
_WORDS = frozenset({"str", "bool", "int", "float", "timestamp", "null", "merge", "value"})
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Marked:
    """A value and the line on which it stands, or on which its key stands, counted from 1.

    ``value`` is a mapping of texts to `Marked`, a list of `Marked`, a text, a whole number, true or false, or None.
    Numbers with a fraction, dates and times stay the text that was written.
    """

    value: Any
    line: int


def load_yaml_lines(text: str) -> list[Marked]:
    """Return the documents of a YAML text, in order and within bounds. Raises `YamlError`."""
    found: list[Marked] = bounded(text, lambda: list(_documents(text)), MAX_VALUES)
    return found


def quoted(text: str) -> str:
    """Return a text as a double-quoted word of YAML, on one line, which reads back as it was.

    Halves of characters, which YAML cannot hold, are replaced; `written` says what such a text is read back as.
    """
    return '"' + "".join(_ESCAPES.get(c) or (c if is_shown(c) else _escaped(c)) for c in written(text)) + '"'


def written(text: str) -> str:
    """Return a text as a YAML file can hold it: with another character in place of half a one."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace") if not text.isascii() else text


_ESCAPES = {'"': '\\"', "\\": "\\\\"}


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _documents(text: str) -> Iterator[Marked]:
    for event in yaml.parse(text, Loader=_LOADER):
        if getattr(event, "anchor", None) is not None:
            problem = "an anchor or an alias (& or *) stands here; put quotes around a text that begins with one"
            raise YamlError(problem, _line(event))
    for node in yaml.compose_all(text, Loader=_LOADER):
        yield _marked(node, _line(node))


def _line(at: Any) -> int:
    return int(at.start_mark.line) + 1


def _marked(node: Any, line: int) -> Marked:
    own = _line(node)
    kind = node.tag.removeprefix(_PREFIX)
    if isinstance(node, yaml.MappingNode) and kind == "map":
        found: dict[str, Marked] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise YamlError("a key is a mapping or a list", own)
            found[str(key.value)] = _marked(value, _line(key))
        return Marked(found, line)
    if isinstance(node, yaml.SequenceNode) and kind == "seq":
        return Marked([_marked(each, _line(each)) for each in node.value], line)
    if isinstance(node, yaml.ScalarNode) and kind in _WORDS:
        return Marked(_word(str(node.value), kind), line)
    raise YamlError(f"the tag {node.tag[:60]!r} stands here, and none is read", own)


def _word(text: str, kind: str) -> Any:
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() in ("true", "yes", "on")
    if kind == "int" and len(text) <= _DIGITS and text.isascii() and text.isdigit():
        return int(text)
    return text
