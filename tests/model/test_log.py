"""Reading and writing event logs."""

import json

import pytest
from hypothesis import given, settings

from pytest_memuse.model import Actor, Call, Episode, FormatError, Message, Step
from pytest_memuse.model.log import EventLog, log_schema, read_log, write_log
from tests.model.strategies import logs


@given(logs())
@settings(max_examples=60)
def test_write_read_write_is_the_identity(log: EventLog) -> None:
    written = list(write_log(log))
    again = read_log(written, "log")
    assert again == log
    assert list(write_log(again)) == written


def _log() -> list[str]:
    message = Message("user", "Fix it.")
    call = Call("call-1", Actor.AGENT, (message.digest,), message.digest)
    return list(write_log(EventLog((Episode("e", (Step(1, call),), (), {message.digest: message}),))))


def test_a_message_is_stored_once_however_many_calls_carry_it() -> None:
    message = Message("user", "Fix it.")
    steps = tuple(Step(n, Call(f"call-{n}", Actor.AGENT, (message.digest,), message.digest)) for n in range(1, 9))
    lines = list(write_log(EventLog((Episode("e", steps, (), {message.digest: message}),))))
    assert sum("Fix it." in line for line in lines) == 1


def test_a_truncated_log_says_where_it_ends_and_how_to_mend_it() -> None:
    with pytest.raises(FormatError, match=r"episodes\.jsonl:4: the log was cut off.*\n  to mend: restore") as caught:
        read_log(_log()[:-1], "episodes.jsonl")
    assert caught.value.reason == "truncated"


def test_a_line_cut_in_the_middle_is_named_by_file_and_line() -> None:
    lines = _log()
    with pytest.raises(FormatError, match=r"episodes\.jsonl:4: .*JSON"):
        read_log([*lines[:3], lines[3][:20]], "episodes.jsonl")


def test_a_damaged_field_is_named() -> None:
    lines = _log()
    call = json.loads(lines[3])
    call["input"] = "not a list"
    with pytest.raises(FormatError, match=r"episodes\.jsonl:4: input: ") as caught:
        read_log([*lines[:3], json.dumps(call), *lines[4:]], "episodes.jsonl")
    assert (caught.value.line, caught.value.field) == (4, "input")


def test_a_version_that_is_not_known_is_refused_by_name() -> None:
    lines = _log()
    with pytest.raises(FormatError, match=r"episodes\.jsonl:1: version: version 99 .*it reads 1") as caught:
        read_log([lines[0].replace('"version":1', '"version":99'), *lines[1:]], "episodes.jsonl")
    assert caught.value.reason == "version"


def test_a_message_that_was_edited_is_found_by_its_digest() -> None:
    with pytest.raises(FormatError, match=r"episodes\.jsonl:2: digest: "):
        read_log([line.replace("Fix it.", "Break it.") for line in _log()], "episodes.jsonl")


def test_a_digest_without_its_message_is_an_error() -> None:
    lines = _log()
    with pytest.raises(FormatError, match=r"episodes\.jsonl:3: input: no message with digest"):
        read_log([lines[0], *lines[2:]], "episodes.jsonl")


@pytest.mark.parametrize("lines", [[], ["\n"], ["{}"], ["[1]"], ['{"type":"end","lines":0}'], ["\x00"], ["[" * 5000]])
def test_what_is_no_log_is_refused(lines: list[str]) -> None:
    with pytest.raises(FormatError, match=r"^junk"):
        read_log(lines, "junk")


def test_nothing_may_stand_behind_the_end() -> None:
    lines = _log()
    with pytest.raises(FormatError, match="behind the end"):
        read_log([*lines, lines[1]], "log")


def test_an_episode_may_stand_in_a_log_once_only() -> None:
    lines = _log()
    with pytest.raises(FormatError, match="twice"):
        read_log([*lines[:3], lines[2], *lines[3:]], "log")


def test_the_schema_names_every_type_of_line() -> None:
    mapping = log_schema()["discriminator"]["mapping"]
    assert set(mapping) == {
        "memuse-log", "message", "episode", "call", "result", "operation", "delivery", "history", "outcome", "end",
    }  # fmt: skip
