"""Reading and writing event logs."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings

from pytest_memuse.model import (
    Actor,
    Call,
    Delivery,
    Entry,
    Episode,
    FormatError,
    HistoryChange,
    HistoryKind,
    Message,
    Placement,
    Step,
    ToolResult,
    log_reading,
)
from pytest_memuse.model.episodes import LOST
from pytest_memuse.model.log import EventLog, iter_episodes, log_schema, read_log, write_log
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


def test_a_delivery_outside_every_episode_may_stand_anywhere_in_a_log() -> None:
    lost = Delivery("d", (Entry("A", "port is 8081"),), (Placement("slot", "port is 8081"),), None)
    plain = _log()
    outside = json.loads(list(write_log(EventLog((), outside=(lost,))))[1])
    assert outside["type"] == "outside"
    end = json.dumps({"type": "end", "lines": len(plain)}) + "\n"
    for place in range(1, len(plain)):
        lines = [*plain[:place], json.dumps(outside) + "\n", *plain[place:-1], end]
        found = read_log(lines, "log")
        assert found.outside == (lost,)
        assert found.episodes == read_log(plain, "log").episodes == tuple(iter_episodes(lines, "log"))


def test_the_schema_names_every_type_of_line() -> None:
    mapping = log_schema()["discriminator"]["mapping"]
    assert set(mapping) == {
        "memuse-log", "message", "episode", "call", "result", "operation", "delivery", "outside", "history", "outcome",
        "end",
    }  # fmt: skip


@given(logs())
@settings(max_examples=60)
def test_episodes_read_one_at_a_time_are_those_of_the_whole_log(log: EventLog) -> None:
    assert tuple(iter_episodes(write_log(log), "log")) == log.episodes


def _talk(name: str, *messages: Message) -> Episode:
    call = Call("call-1", Actor.AGENT, tuple(message.digest for message in messages))
    return Episode(name, (Step(1, call),), (), {message.digest: message for message in messages})


def test_an_episode_is_there_as_soon_as_its_last_line_was_read() -> None:
    written = list(write_log(EventLog((_talk("a", Message("user", "one")), _talk("b", Message("user", "two"))))))
    taken: list[str] = []

    def lines() -> Iterator[str]:
        for line in written:
            taken.append(json.loads(line)["type"])
            yield line

    reading = iter_episodes(lines(), "log")
    assert next(reading).id == "a"
    assert taken == ["memuse-log", "message", "episode", "call", "message", "episode"]
    assert [episode.id for episode in reading] == ["b"]


def test_a_stream_that_was_cut_off_yields_what_was_whole_and_then_says_so() -> None:
    written = list(write_log(EventLog((_talk("a", Message("user", "one")), _talk("b", Message("user", "two"))))))
    reading = iter_episodes(written[:-1], "log")
    assert next(reading).id == "a"
    with pytest.raises(FormatError, match="cut off"):
        next(reading)


def test_what_one_episode_alone_names_is_marked_and_forgotten_with_it() -> None:
    shared, own = Message("system", "shared"), Message("user", "own")
    written = list(write_log(EventLog((_talk("a", shared, own), _talk("b", shared)))))
    assert [json.loads(line).get("local", False) for line in written if '"message"' in line] == [False, True]
    naming = json.loads(written[-2])
    naming["input"] = [own.digest]
    with pytest.raises(FormatError, match=rf"^log:{len(written) - 1}: input: no message with digest '{own.digest}'"):
        list(iter_episodes([*written[:-2], json.dumps(naming), written[-1]], "log"))


def test_a_log_written_before_messages_were_marked_reads_the_same() -> None:
    shared, own = Message("system", "shared"), Message("user", "own")
    log = EventLog((_talk("a", shared, own), _talk("b", shared)))
    old = [line.replace('"local":true,', "") for line in write_log(log)]
    assert old != list(write_log(log))
    assert read_log(old, "log") == log


def test_a_message_that_is_marked_in_one_place_only_is_kept() -> None:
    own = Message("user", "own")
    written = list(write_log(EventLog((_talk("a", own),))))
    again = written[1].replace('"local":true,', "")
    second = written[2].replace('"a"', '"b"')
    lines = [*written[:2], again, *written[2:4], second, written[3], '{"type":"end","lines":7}']
    assert [episode.messages for episode in iter_episodes(lines, "log")] == [{own.digest: own}] * 2


def test_messages_that_only_the_history_names_belong_to_the_episode() -> None:
    message = Message("user", "Fix it.")
    change = HistoryChange(HistoryKind.APPEND, "call-1", 0, (), (message.digest,))
    log = EventLog(
        (Episode("a", (Step(1, Call("call-1", Actor.AGENT)),), (), {message.digest: message}, history=(change,)),)
    )
    assert read_log(write_log(log), "log") == log


def test_an_input_may_name_a_lost_message_where_it_has_a_gap_and_nowhere_else() -> None:
    for gap in (True, False):
        call = Call("call-1", Actor.AGENT, (LOST,), gap=gap)
        written = list(write_log(EventLog((Episode("a", (Step(1, call),), (), {}),))))
        if gap:
            assert read_log(written, "log").episodes[0].steps[0].call == call
        else:
            with pytest.raises(FormatError, match="input: no message with digest ''"):
                read_log(written, "log")


def test_a_result_of_a_call_that_is_no_step_brings_no_message() -> None:
    message = Message("tool", "out")
    written = list(
        write_log(
            EventLog(
                (
                    Episode(
                        "a",
                        (Step(1, Call("call-1", Actor.AGENT), (ToolResult("t", message.digest),)),),
                        (),
                        {message.digest: message},
                    ),
                )
            )
        )
    )
    stray = [line.replace('"call":"call-1"', '"call":"call-9"') for line in written]
    found = read_log(stray, "log")
    assert found.episodes[0].messages == {}
    assert read_log(write_log(found), "log") == found


@pytest.mark.parametrize(
    ("at", "line", "problem"),
    [
        (0, {"type": "end", "lines": 1}, "type: the first line is not the header"),
        (2, {"type": "memuse-log", "version": 1}, "type: a second header"),
        (2, {"type": "outcome", "success": True}, "type: a line of type 'outcome' stands before the first episode"),
        (3, {"type": "call", "id": "c", "actor": "agent", "response": "0"}, "response: no message with digest '0'"),
        (
            3,
            {"type": "result", "call": "c", "tool_call_id": "t", "message": "0"},
            "message: no message with digest '0'",
        ),
        (4, {"type": "end", "lines": 5}, "lines: 4 lines stand before the end, it says 5"),
    ],
)
def test_a_line_out_of_place_is_named(at: int, line: dict[str, Any], problem: str) -> None:
    lines = _log()
    with pytest.raises(FormatError, match=rf"^log:{at + 1}: {problem}"):
        read_log([*lines[:at], json.dumps(line), *lines[at + 1 :]], "log")


def test_a_line_too_long_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_reading, "MAX_LINE_BYTES", 100)
    with pytest.raises(FormatError, match=r"^log:1: the line is longer than 100 bytes"):
        read_log(["x" * 101], "log")
