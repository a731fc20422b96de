"""Whatever is done to a good file, reading it gives a value or a `FormatError`, and never anything else."""

import itertools
import json
from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.cli.reading import judged
from pytest_memuse.gate import BaselineError
from pytest_memuse.gate.baseline import baseline_text, parse_baseline
from pytest_memuse.model import FormatError
from pytest_memuse.model.digests import json_digest
from pytest_memuse.model.log import EventLog, read_log, write_log
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.lines import read_lines, recording_digest, write_lines
from tests.gate.test_baseline import made
from tests.recording.test_files_and_lines import small_recording

RECORDING = [line.encode() for line in write_lines(small_recording(3))]
BASELINE = json.loads(baseline_text(made()))
LOG = [line.encode() for line in write_log(derive_log(small_recording(3)))]

_value = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 10)
    | st.sampled_from([10**30, 1e300, -0.5])
    | st.sampled_from(["", "x", "agent", "create", "../..", "\x1b[2J", "\ud800", "\0", "1"])
    | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "number", "$ref", "$f32", "$is", "$but", "$keep", "$then", "kind", "item", "x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *itertools.chain.from_iterable(_places(item, (*path, key)) for key, item in inner)]


def _changed(value: Any, path: tuple[Any, ...], fresh: Any, *, drop: bool) -> Any:
    if not path:
        return fresh
    copy = dict(value) if isinstance(value, dict) else list(value)
    if len(path) == 1 and drop:
        del copy[path[0]]
    else:
        copy[path[0]] = _changed(value[path[0]], path[1:], fresh, drop=drop)
    return copy


@st.composite
def _with_another_value(draw: st.DrawFn, lines: list[bytes]) -> list[bytes]:
    """One value of one line is another one, or gone; digests over the lines are left out, so that it is looked at."""
    out = [json.loads(line) for line in lines]
    out[-1].pop("digest", None)
    number = draw(st.integers(0, len(out) - 1))
    path = draw(st.sampled_from(_places(out[number])))
    out[number] = _changed(out[number], path, draw(_value), drop=draw(st.booleans()))
    return [json.dumps(line).encode() + b"\n" for line in out]


@st.composite
def _with_other_bytes(draw: st.DrawFn, lines: list[bytes]) -> list[bytes]:
    """A piece of the file is other bytes, or gone."""
    whole = b"".join(lines)
    start = draw(st.integers(0, len(whole)))
    end = min(len(whole), start + draw(st.integers(0, 40)))
    return (whole[:start] + draw(st.binary(max_size=20)) + whole[end:]).splitlines(keepends=True)


def _use_recording(lines: list[bytes]) -> None:
    recording = read_lines(lines, "x")
    recording_digest(recording)
    log = derive_log(recording)
    judged(log.episodes)
    assert read_log(write_log(log), "x").episodes == log.episodes


def _use_log(lines: list[bytes]) -> None:
    log = read_log(lines, "x")
    judged(log.episodes)
    list(write_log(EventLog(log.episodes, log.suite)))


@given(_with_another_value(RECORDING))
def test_a_recording_with_another_value_is_read_or_refused(lines: list[bytes]) -> None:
    with suppress(FormatError):
        _use_recording(lines)


@given(_with_other_bytes(RECORDING))
def test_a_recording_with_other_bytes_is_read_or_refused(lines: list[bytes]) -> None:
    with suppress(FormatError):
        _use_recording(lines)


@given(_with_another_value(LOG))
def test_a_log_with_another_value_is_read_or_refused(lines: list[bytes]) -> None:
    with suppress(FormatError):
        _use_log(lines)


@given(_with_other_bytes(LOG))
def test_a_log_with_other_bytes_is_read_or_refused(lines: list[bytes]) -> None:
    with suppress(FormatError):
        _use_log(lines)


@given(st.data())
def test_a_baseline_with_another_value_is_read_or_refused(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(_places(BASELINE)))
    changed = _changed(BASELINE, path, data.draw(_value), drop=data.draw(st.booleans()))
    if isinstance(changed, dict):
        changed["seal"] = json_digest({key: value for key, value in changed.items() if key != "seal"})
    with suppress(BaselineError):
        parse_baseline(json.dumps(changed), "x")


def test_what_was_not_changed_is_read() -> None:
    _use_recording(RECORDING)
    _use_log(LOG)
    assert parse_baseline(json.dumps(BASELINE), "x") == made()
