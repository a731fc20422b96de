"""Events' lines from their stored forms (`compaction`), within bounds: a short line can stand for a very long one.

What is restored shares its parts with what stood before, in memory too, so every part is weighed and measured once.
"""

import base64
import struct
from collections.abc import Mapping
from typing import Any

from pytest_memuse.model.json_text import MAX_DEPTH
from pytest_memuse.recording.compaction import MARKS, name_of, nameable, said_in
from pytest_memuse.recording.streams import unpacked_stream

MAX_EXPANDED_LINE = 256 * 1024 * 1024
"""Characters of one event, with everything put in that it names."""

MAX_EXPANDED = 16 * 1024 * 1024 * 1024
"""Characters of all events of a recording together, as they were sent."""

MAX_KEPT = 10_000_000
"""Elements of lists that are taken over from earlier exchanges; each takes memory, however little it says."""

_OWN = frozenset({"type", "number"})


class DamagedForm(ValueError):
    """A stored form cannot be restored; ``field`` is the field of the event."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(problem)
        self.field = field


class Restorer:
    """Gives the lines of one recording as they were before `compaction.Compactor`, line by line in order."""

    def __init__(self, *, max_kept: int = MAX_KEPT) -> None:
        self._shared: dict[str, Any] = {}
        self._exchanges: dict[int, dict[str, Any]] = {}
        self._measured: dict[int, tuple[int, int]] = {}
        self._said: dict[str, Any] | None = None
        self._alive: list[Any] = []
        self._left = MAX_EXPANDED
        self._left_kept = max_kept

    def add(self, digest: str, value: Any) -> None:
        """Know a value that stands in a line of its own, as older recordings have them."""
        self._shared[digest] = value

    def restored(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        """Return an event's line. Raises `DamagedForm`."""
        base = self._base(stored)
        self._said = said_in(base)
        line = {name: value for name, value in base.items() if name not in _OWN}
        for name in _texts(stored, "lacks"):
            line.pop(name, None)
        weight = 0
        for name, value in stored.items():
            if name in _OWN:
                line[name] = value
                continue
            if name in ("like", "lacks"):
                continue
            try:
                line[name] = self._restored(value, base.get(name))
            except KeyError as error:
                raise DamagedForm(name, f"names a shared value {error} that does not stand before it") from None
            except (TypeError, AttributeError, RecursionError):
                raise DamagedForm(name, "the stored form of the value is damaged") from None
            except ValueError as error:
                raise DamagedForm(name, str(error)) from None
        for name, value in line.items():
            weight += self._weight(name, value)
        self._left -= weight
        if weight > MAX_EXPANDED_LINE or self._left < 0:
            raise DamagedForm("", "its shared values are too long together")
        for digest, value in nameable(stored):
            self._shared.setdefault(name_of(digest), value)
        # What was measured is known by where it is in memory, so it must stay there.
        self._alive.append(line)
        if line.get("type") == "exchange" and isinstance(line.get("number"), int):
            self._exchanges[line["number"]] = line
        return line

    def _base(self, stored: Mapping[str, Any]) -> Mapping[str, Any]:
        if "like" not in stored or stored.get("type") != "exchange":
            return {}
        like = stored["like"]
        if type(like) is not int or like not in self._exchanges:
            raise DamagedForm("like", f"no exchange {like!r} stands before this line")
        return self._exchanges[like]

    def _restored(self, value: Any, base: Any) -> Any:
        if isinstance(value, list):
            return [self._restored(item, None) for item in value]
        if not isinstance(value, dict):
            return value
        marks = MARKS & value.keys()
        if not marks:
            return {key: self._restored(item, None) for key, item in value.items()}
        if marks == {"$ref"} and len(value) == 1:
            return self._shared[value["$ref"]]
        if "$but" in marks:
            return self._but(value, base)
        if "$said" in marks:
            return self._but({"$but" if key == "$said" else key: item for key, item in value.items()}, self._said)
        if "$keep" in marks:
            return self._kept(value, base)
        if len(value) != 1:
            raise ValueError("the stored form of the value is damaged")
        ((mark, inner),) = value.items()
        if mark == "$is":
            return {key: self._restored(item, None) for key, item in inner.items()}
        if mark == "$f32":
            return _vector(inner)
        if mark == "$bytes":
            return _decoded(inner).decode("utf-8", "surrogateescape")
        if mark == "$stream":
            return unpacked_stream(inner, MAX_EXPANDED_LINE)
        raise ValueError("the stored form of the value is damaged")

    def _but(self, value: Mapping[str, Any], base: Any) -> dict[str, Any]:
        but, gone = value["$but"], frozenset(_texts(value, "$gone"))
        if not isinstance(base, dict) or not isinstance(but, dict) or not value.keys() <= {"$but", "$gone"}:
            raise ValueError("says what differs from a value that is not there")
        out = {key: item for key, item in base.items() if key not in gone}
        out.update({key: self._restored(item, base.get(key)) for key, item in but.items()})
        return out

    def _kept(self, value: Mapping[str, Any], base: Any) -> list[Any]:
        keep, then = value["$keep"], value.get("$then")
        known = isinstance(base, list) and type(keep) is int and 0 <= keep <= len(base)
        if not known or not isinstance(then, list) or len(value) != 2:
            raise ValueError("goes on from a list that is not there")
        self._left_kept -= keep
        if self._left_kept < 0:
            raise ValueError("its shared values are too many")
        more = [self._restored(item, None) for item in then]
        whole = [*base[:keep], *more]
        measured = self._measured.get(id(base)) if keep == len(base) else None
        if measured is not None:
            # A list that goes on from one that was measured is that one and what came to it.
            weight, depth = measured
            for item in more:
                inner_weight, inner_depth = self._measure(item, 1)
                weight, depth = weight + inner_weight, max(depth, inner_depth + 1)
            self._measured[id(whole)] = weight, depth
        return whole

    def _weight(self, name: str, value: Any) -> int:
        try:
            weight, depth = self._measure(value, 0)
        except ValueError as error:
            raise DamagedForm(name, str(error)) from None
        if depth > MAX_DEPTH:
            raise DamagedForm(name, f"it is nested more than {MAX_DEPTH} levels deep")
        return weight

    def _measure(self, value: Any, level: int) -> tuple[int, int]:
        """Return characters and levels of a value."""
        if isinstance(value, str):
            return len(value) + 3, 0
        if not isinstance(value, (dict, list)):
            return 8, 0
        known = self._measured.get(id(value))
        if known is not None:
            return known
        if level > MAX_DEPTH:
            raise ValueError(f"it is nested more than {MAX_DEPTH} levels deep")
        weight, depth = 16, 0
        for item in value.values() if isinstance(value, dict) else value:
            inner_weight, inner_depth = self._measure(item, level + 1)
            weight += inner_weight
            depth = max(depth, inner_depth)
        if isinstance(value, dict):
            weight += sum(map(len, value)) + 4 * len(value)
        self._measured[id(value)] = weight, depth + 1
        return weight, depth + 1


def _texts(stored: Mapping[str, Any], name: str) -> list[str]:
    found = stored.get(name, [])
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise DamagedForm(name, "must be a list of texts")
    return found


def _vector(inner: Any) -> list[float]:
    packed = _decoded(inner)
    if len(packed) % 4:
        raise ValueError("the vector's length is not a multiple of four bytes")
    return list(struct.unpack(f"<{len(packed) // 4}f", packed))


def _decoded(text: Any) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, TypeError) as error:
        raise ValueError(f"what it holds is not base64: {error}") from None
