"""Ordinary vcrpy cassettes, in YAML or JSON, read as a recording: one episode whose model calls are the agent's.

Nothing in a cassette is run, and both kinds are read within bounds (`storage.yaml_text`, `model.json_text`).
"""

import base64
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_memuse.model.errors import FormatError
from pytest_memuse.model.json_text import parse_json
from pytest_memuse.recording.bodies import body_bytes, body_value, plain_body
from pytest_memuse.recording.recording import EpisodeStart, Event, Exchange, Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.response_headers import kept_headers
from pytest_memuse.recording.roles import actor_of
from pytest_memuse.storage import read_plain
from pytest_memuse.storage.yaml_text import YamlError, load_yaml

MAX_CASSETTE_BYTES = 64 * 1024 * 1024
"""A longer cassette is not read: YAML takes many times its length in memory."""

MAX_DECODED = 64 * 1024 * 1024
"""Bytes of all bodies of a cassette together, decoded: a few bytes can stand for many."""

_MEND = "it must be a cassette as vcrpy writes it: `interactions` with `request` and `response`, and `version: 1`"
_BEGINS = re.compile(rb"\s*(?:\{\s*)?[\"']?(?:interactions|version)[\"']?\s*:")


def is_vcr_cassette(beginning: bytes) -> bool:
    """Tell whether a file whose first line is so may be an ordinary vcrpy cassette."""
    return _BEGINS.match(beginning) is not None or beginning.strip() == b"{"


def recording_from_vcr(path: Path, redaction: Redaction | None = None) -> Recording:
    """Read a cassette as a recording of one episode, named after the file.

    Raises `FormatError`, naming the interaction and the field, for what vcrpy did not write, and `OSError` where the
    file cannot be read.
    """
    exchanges = exchanges_from_vcr(path, redaction)
    start = EpisodeStart(path.stem, 0, "", {"id": path.stem, "text": "", "digest": "", "references": []})
    events: tuple[Event, ...] = (start, *exchanges)
    return Recording("", path.stem, events, {"recorded_with": "vcrpy"})


def exchanges_from_vcr(path: Path, redaction: Redaction | None = None) -> tuple[Exchange, ...]:
    """Return the exchanges of a cassette, in order, redacted as a recording's are. Raises as `recording_from_vcr`."""
    source = str(path)
    data = _parsed(read_plain(path, MAX_CASSETTE_BYTES), source)
    interactions = data.get("interactions") if isinstance(data, dict) else None
    if not isinstance(interactions, list):
        raise _error("holds no list of interactions", source, "interactions")
    if data.get("version", 1) != 1:
        raise _error(f"version {data['version']!r} of vcrpy's format is not read", source, "version")
    redaction, room = redaction or Redaction(), _Room(MAX_DECODED)
    return tuple(
        _exchange(number, interaction, redaction, source, room) for number, interaction in enumerate(interactions, 1)
    )


def _parsed(raw: bytes, source: str) -> Any:
    if raw.lstrip()[:1] == b"{":
        try:
            return parse_json(raw)
        except ValueError as error:
            raise _error(f"it is not JSON ({error})", source) from None
    try:
        return load_yaml(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise FormatError("not UTF-8 text", source=source, line=line, mend=_MEND) from None
    except YamlError as error:
        raise FormatError(f"not valid YAML: {error}", source=source, line=error.line, mend=_MEND) from None


class _Room:
    """What is left for the bodies of a cassette."""

    def __init__(self, left: int) -> None:
        self._left = left

    def take(self, body: bytes | None) -> bool:
        """Take a body's bytes; return False where there is no room for them."""
        self._left -= len(body or b"")
        return self._left >= 0


def _exchange(number: int, interaction: Any, redaction: Redaction, source: str, room: _Room) -> Exchange:
    where = f"interactions.{number - 1}"
    request, response = (_object(interaction, name, source, where) for name in ("request", "response"))
    method, uri = (_text(request, name, source, f"{where}.request") for name in ("method", "uri"))
    status = response.get("status")
    code = status.get("code") if isinstance(status, dict) else None
    if type(code) is not int or not 100 <= code <= 999:
        raise _error("must be a status code", source, f"{where}.response.status.code")
    sent = _headers(request.get("headers"), source, f"{where}.request.headers")
    got = _headers(response.get("headers"), source, f"{where}.response.headers")
    asked, _ = plain_body(_body(request, source, f"{where}.request"), sent.get("content-encoding", ""))
    body, coding = plain_body(_body(response, source, f"{where}.response"), got.get("content-encoding", ""))
    if not (room.take(asked) and room.take(body)):
        raise _error(f"all bodies together have more than {MAX_DECODED:,} bytes, decoded", source, f"{where}.response")
    headers = kept_headers(got, redaction)
    reason = status.get("message") if isinstance(status, dict) else ""
    return Exchange(
        number=number,
        actor=actor_of(method, uri),
        method=method,
        uri=redaction.uri(uri),
        request=body_value(redaction.body(asked)),
        status=code,
        reason=redaction.text(reason) if isinstance(reason, str) else "",
        headers={**headers, "content-encoding": coding} if coding else headers,
        response=body_value(redaction.body(body)),
    )


def _object(value: Any, name: str, source: str, where: str) -> Mapping[str, Any]:
    found = value.get(name) if isinstance(value, dict) else None
    if not isinstance(found, dict):
        raise _error("must be an object", source, f"{where}.{name}")
    return found


def _text(value: Mapping[str, Any], name: str, source: str, where: str) -> str:
    found = value.get(name)
    if not isinstance(found, str):
        raise _error("must be a text", source, f"{where}.{name}")
    return found


def _headers(value: Any, source: str, where: str) -> dict[str, str]:
    """Return headers by lower-case name. vcrpy writes a list of values, older releases one value."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _error("must be an object", source, where)
    return {str(name).lower(): ", ".join(_values(found)) for name, found in value.items()}


def _values(found: Any) -> Iterator[str]:
    for item in found if isinstance(found, list) else [found]:
        yield item.decode("latin-1") if isinstance(item, bytes) else str(item)


def _body(side: Mapping[str, Any], source: str, where: str) -> bytes | None:
    """Return the body of a request or response.

    It is text or bytes (``!!binary``), or either as ``string``, or as ``base64_string``. Some serializers put the value
    of a JSON body in its place, as ``parsed_body``.
    """
    value = side.get("body")
    if value is None and isinstance(side.get("parsed_body"), (dict, list)):
        try:
            return body_bytes(side["parsed_body"])
        except (TypeError, ValueError) as error:
            raise _error(f"is no JSON value: {error}", source, f"{where}.parsed_body") from None
    if isinstance(value, dict) and isinstance(value.get("base64_string"), str):
        try:
            return base64.b64decode(value["base64_string"], validate=True)
        except ValueError as error:
            raise _error(f"is not base64: {error}", source, f"{where}.body") from None
    found = value.get("string") if isinstance(value, dict) else value
    if isinstance(found, str):
        return found.encode("utf-8", "surrogatepass")
    if found is None or isinstance(found, bytes):
        return found
    raise _error("must be a text or bytes", source, f"{where}.body")


def _error(problem: str, source: str, field: str | None = None) -> FormatError:
    return FormatError(problem, source=source, field=field, mend=_MEND)
