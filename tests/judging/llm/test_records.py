"""What was accepted is found again, equal to what it was, as long as evidence and judge are unchanged."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.judging import Signal
from pytest_memuse.judging.answers import JudgeIdentity
from pytest_memuse.judging.llm import RequestSettings, RunLimits, SpanJudgment
from pytest_memuse.judging.llm.kept import FileKind, Header, KeptAnswer, without_messages
from pytest_memuse.judging.llm.record_lines import answer_line, header_line
from pytest_memuse.judging.llm.records import JudgmentRecords, kept_judges
from pytest_memuse.judging.run import judge_episodes
from pytest_memuse.model import Episode, FormatError, MemuseError
from tests.judging.evidence_cases import package, simple
from tests.judging.llm.behaviours import ACTED_ON, BEHAVIOURS, NOTED, SEARCH, ScriptClient, judge_of
from tests.judging.llm.endpoint import TOO_LONG, Turn, assessed, in_turn, modest, says
from tests.judging.llm.judging import ALL_READ, EPISODE, PACKAGE, READ, outcome_of
from tests.storage.faults import APPENDING, calls_of, fail_at, kill_at

IDENTITY = JudgeIdentity("llm", "1", "openai/scripted", {"temperature": "0.0"})
ACCEPTED = [name for name, behaviour in BEHAVIOURS.items() if behaviour.ends is None]


def records(folder: Path, identity: JudgeIdentity = IDENTITY) -> JudgmentRecords:
    return JudgmentRecords(folder, identity)


def outcome(*turns: Turn, episode: Episode = EPISODE, **limits: Any) -> SpanJudgment:
    found = outcome_of(judge_of(ScriptClient(in_turn(*(turns or (READ, says(assessed()))))), **limits), episode)
    assert found.accepted
    return found


def kept(folder: Path, *outcomes: SpanJudgment, episode: Episode = EPISODE) -> JudgmentRecords:
    """Return records of another run that hold these outcomes."""
    store = records(folder)
    for each in outcomes or (outcome(episode=episode),):
        store.accepted(episode, each)
    return records(folder)


def answers_file(folder: Path) -> Path:
    (found,) = [path for path in folder.rglob("*.jsonl") if not path.name.endswith(".conversation.jsonl")]
    return found


def conversation_file(folder: Path) -> Path:
    (found,) = folder.rglob("*.conversation.jsonl")
    return found


@pytest.mark.parametrize("name", ACCEPTED)
def test_an_accepted_answer_is_found_as_it_was_and_its_conversation_word_by_word(name: str, tmp_path: Path) -> None:
    behaviour = BEHAVIOURS[name]
    accepted = outcome(*behaviour.turns, episode=behaviour.episode, **behaviour.limits)
    store = kept(tmp_path, accepted, episode=behaviour.episode)
    found = store.find(behaviour.episode, "S1", package(behaviour.episode))
    assert found == without_messages(accepted)
    assert store.conversation(behaviour.episode, found) == accepted
    assert found.usage == accepted.usage


_TURNS = [READ, SEARCH, TOO_LONG, *map(says, ("no", ACTED_ON, NOTED, "\ud83d" + "x", assessed(("e1", "e2"))))]


@given(turns=st.lists(st.sampled_from(_TURNS), max_size=6), words=st.text(max_size=40))
@settings(max_examples=30, deadline=None)
def test_any_conversation_is_restored_from_its_record(
    turns: list[Turn], words: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("records")
    said = json.loads(assessed())
    said["summary"], said["assessments"][0]["notes"] = words, {"relevance": words}
    found = outcome_of(judge_of(ScriptClient(in_turn(*turns, ALL_READ, says(json.dumps(said))))))
    if not found.accepted:
        # Nothing is kept of it: the limits were reached before the last answer.
        assert turns
        return
    store = kept(folder, found)
    again = store.find(EPISODE, "S1", PACKAGE)
    assert again == without_messages(found)
    assert store.conversation(EPISODE, again) == found


def test_the_identifier_of_the_span_is_the_one_that_was_asked_for(tmp_path: Path) -> None:
    found = kept(tmp_path).find(EPISODE, "S7", PACKAGE)
    assert found is not None
    assert found.judgment is not None
    assert (found.span, found.judgment.span) == ("S7", "S7")
    assert kept(tmp_path).conversation(EPISODE, found).messages == outcome().messages


def test_other_evidence_another_arc_and_another_judge_find_nothing(tmp_path: Path) -> None:
    store = kept(tmp_path)
    assert store.find(EPISODE, "S1", package(simple("Wait five seconds."))) is None
    assert store.find(replace(EPISODE, arc="another"), "S1", PACKAGE) is None
    for identity in (
        replace(IDENTITY, version="2"),
        replace(IDENTITY, model="openai/other"),
        replace(IDENTITY, settings={"temperature": "1.0"}),
    ):
        assert records(tmp_path, identity).find(EPISODE, "S1", PACKAGE) is None
    assert sorted(path.name for path in tmp_path.iterdir()) == [store.folder.name]


def test_an_answer_is_found_by_its_evidence_whatever_the_episode_is_called_now(tmp_path: Path) -> None:
    assert kept(tmp_path).find(replace(EPISODE, id="renamed"), "S1", PACKAGE) is not None


def test_repeats_of_an_episode_with_the_same_evidence_keep_an_answer_each(tmp_path: Path) -> None:
    repeats = [replace(EPISODE, id=f"repeat {n}") for n in range(3)]
    store = records(tmp_path)
    for number, episode in enumerate(repeats):
        store.accepted(episode, outcome(READ, says(assessed(notes={"relevance": f"answer {number}"}))))
    for again in (store, records(tmp_path)):
        found = [again.find(episode, "S1", PACKAGE) for episode in repeats]
        judgments = [each.judgment for each in found if each is not None and each.judgment is not None]
        notes = [judgment.assessments[0].notes[Signal.RELEVANCE] for judgment in judgments]
        assert notes == ["answer 0", "answer 1", "answer 2"]
        assert len(list(again.all(EPISODE.arc))) == 3


def test_of_several_answers_about_a_span_the_last_one_stands(tmp_path: Path) -> None:
    first, second = outcome(), outcome(ALL_READ, says(ACTED_ON))
    for order in ([first, second], [second, first, second]):
        store = kept(tmp_path / str(len(order)), *order)
        assert store.find(EPISODE, "S1", PACKAGE) == without_messages(second)
        assert [each.outcome for each in store.all(EPISODE.arc)] == [without_messages(second)]


def test_nothing_is_stored_twice(tmp_path: Path) -> None:
    accepted = outcome()
    store = kept(tmp_path, accepted)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")}
    for again in (store, records(tmp_path)):
        again.accepted(EPISODE, accepted)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")} == before
    other = simple("Wait five seconds.")
    store.accepted(replace(other, id="E2"), outcome(episode=other))
    lines = [json.loads(line) for line in conversation_file(tmp_path).read_text().splitlines()[1:]]
    assert len({line["digest"] for line in lines}) == len(lines)
    rubrics = [line for line in lines if line["message"]["role"] == "system"]
    assert len(rubrics) == 1


def test_a_record_that_another_process_has_added_is_found_without_starting_again(tmp_path: Path) -> None:
    reading, writing = records(tmp_path), records(tmp_path)
    assert reading.find(EPISODE, "S1", PACKAGE) is None
    writing.accepted(EPISODE, outcome())
    assert reading.find(EPISODE, "S1", PACKAGE) is not None
    reading.accepted(EPISODE, outcome(ALL_READ, says(ACTED_ON)))
    assert len(answers_file(tmp_path).read_text().splitlines()) == 3
    assert writing.find(EPISODE, "S1", PACKAGE) == without_messages(outcome(ALL_READ, says(ACTED_ON)))


def test_reading_makes_no_file_and_no_folder(tmp_path: Path) -> None:
    store = records(tmp_path / "judgments")
    assert store.find(EPISODE, "S1", PACKAGE) is None
    assert (store.arcs(), list(store.all("arc")), kept_judges(tmp_path / "judgments")) == ((), [], ())
    assert not (tmp_path / "judgments").exists()


def test_an_answer_is_found_without_reading_the_conversations(tmp_path: Path) -> None:
    store = kept(tmp_path)
    conversation_file(tmp_path).write_bytes(b"\x00 nothing that could be read")
    assert store.find(EPISODE, "S1", PACKAGE) is not None


@pytest.mark.long
def test_a_run_from_records_imports_no_litellm(tmp_path: Path) -> None:
    judge = judge_of(ScriptClient(modest))
    list(judge_episodes(judge.with_records(records(tmp_path, judge.identity)), [EPISODE]))
    program = f"""
import sys
from pathlib import Path
from pytest_memuse.judging.llm import ConversationLimits, LlmJudge, RequestSettings
from pytest_memuse.judging.llm.records import JudgmentRecords
from pytest_memuse.judging.run import judge_episodes
from tests.judging.llm.judging import EPISODE
judge = LlmJudge("openai/scripted", requests=RequestSettings(retries=0))
((_, found),) = judge_episodes(judge.with_records(JudgmentRecords(Path({str(tmp_path)!r}), judge.identity)), [EPISODE])
assert all(found.judgments.values()), found
print(sorted(name for name in sys.modules if name.split(".")[0] in ("litellm", "openai")))
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_records_of_all_judges_in_a_folder_are_listed_with_their_arcs(tmp_path: Path) -> None:
    other = replace(IDENTITY, model="Claude + ../../etc")
    for identity in (IDENTITY, other):
        store = records(tmp_path, identity)
        for arc in ("b", "A/../..", "x.conversation", "x", ""):
            store.accepted(replace(EPISODE, arc=arc), outcome())
    found = kept_judges(tmp_path)
    assert sorted(each.identity.model for each in found) == sorted([IDENTITY.model, other.model])
    for store in found:
        assert store.arcs() == tuple(sorted(["A/../..", "b", EPISODE.id, "x", "x.conversation"]))
        for arc in store.arcs():
            (each,) = store.all(arc)
            assert store.whole(arc, each) == outcome()
    assert {path.parent.parent for path in tmp_path.rglob("*.jsonl")} == {tmp_path}


def test_what_is_left_after_discarding_is_found_and_the_messages_of_the_rest_are_gone(tmp_path: Path) -> None:
    episodes = [replace(simple(f"Wait {n} s."), id=f"E{n}") for n in range(3)]
    store = records(tmp_path)
    outcomes = [outcome(episode=episode) for episode in episodes]
    for episode, each in zip(episodes, outcomes, strict=True):
        store.accepted(episode, each)
    (arc,) = store.arcs()
    others = records(tmp_path)
    assert others.find(episodes[0], "S1", package(episodes[0])) is not None
    store.discard(arc, [each for each in store.all(arc) if each.episode == "E1"])
    for again in (store, others, records(tmp_path)):
        assert [each.episode for each in again.all(arc)] == ["E0", "E2"]
        assert again.find(episodes[1], "S1", package(episodes[1])) is None
        assert again.conversation(episodes[2], outcomes[2]) == outcomes[2]
    lines = conversation_file(tmp_path).read_text().splitlines()
    named = {digest for each in store.all(arc) for digest in each.digests}
    assert {json.loads(line)["digest"] for line in lines[1:]} == named
    others.accepted(episodes[1], outcomes[1])
    assert records(tmp_path).conversation(episodes[1], outcomes[1]) == outcomes[1]


def test_discarding_removes_nothing_that_was_accepted_since_it_was_decided(tmp_path: Path) -> None:
    store, others = kept(tmp_path), records(tmp_path)
    unneeded = list(store.all(EPISODE.arc))
    again = outcome(ALL_READ, says(ACTED_ON))
    others.accepted(EPISODE, again)
    others.accepted(replace(EPISODE, id="E2"), again)
    store.discard(EPISODE.arc, unneeded)
    assert [each.outcome for each in records(tmp_path).all(EPISODE.arc)] == [without_messages(again)] * 2
    # The answer in whose place it was accepted is gone.
    assert len(answers_file(tmp_path).read_text().splitlines()) == 3


def test_discarding_all_removes_the_files(tmp_path: Path) -> None:
    store = kept(tmp_path)
    store.discard(EPISODE.arc, list(store.all(EPISODE.arc)))
    assert list(tmp_path.rglob("*.jsonl")) == []
    assert (store.arcs(), store.find(EPISODE, "S1", PACKAGE)) == ((), None)
    store.accepted(EPISODE, outcome())
    assert records(tmp_path).find(EPISODE, "S1", PACKAGE) is not None


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is killed by forking it first")
def test_discarding_that_fails_or_is_killed_at_any_call_leaves_all_that_was_to_stay(tmp_path: Path) -> None:
    other = replace(simple("Wait 9 s."), id="E2")
    stays = outcome(episode=other)
    kept(tmp_path / "both").accepted(other, stays)

    def prepared(folder: Path) -> JudgmentRecords:
        shutil.copytree(tmp_path / "both", folder)
        return records(folder)

    def discard(store: JudgmentRecords) -> None:
        store.discard(EPISODE.arc, [each for each in store.all(EPISODE.arc) if each.episode == EPISODE.id])

    counted = prepared(tmp_path / "counted")
    count = len(calls_of(counted.folder, lambda: discard(counted), APPENDING))
    assert count > 20
    for number in range(1, count + 1):
        store = prepared(tmp_path / f"failed {number}")
        with suppress(MemuseError):
            fail_at(store.folder, number, partial(discard, store), for_good=number % 2 == 0, names=APPENDING)
        killed = prepared(tmp_path / f"killed {number}")
        if number % 4 == 1:
            kill_at(killed.folder, number, partial(discard, killed), APPENDING)
        for folder in (tmp_path / f"failed {number}", tmp_path / f"killed {number}"):
            again = records(folder)
            found = again.find(other, "S1", package(other))
            assert found is not None
            assert again.conversation(other, found) == stays
            discard(again)
            assert [each.episode for each in records(folder).all(EPISODE.arc)] == ["E2"]
            assert sorted(path.suffix for path in again.folder.iterdir()) == [".jsonl", ".jsonl"]


def test_the_header_and_the_line_hold_what_the_answer_rests_on(tmp_path: Path) -> None:
    kept(tmp_path, outcome(READ, says("no"), says(assessed())))
    header, line = map(json.loads, answers_file(tmp_path).read_text().splitlines())
    assert header["format"] == 1
    assert header["judge"] == {
        "kind": "llm",
        "version": "1",
        "model": "openai/scripted",
        "settings": {"temperature": "0.0"},
    }
    assert line["evidence"] == PACKAGE.digest
    assert line["judgment"]["assessments"][0]["relevance"] is True
    assert set(line["reads"]) == set(outcome().reads or ())
    assert [[each["code"] for each in attempt["violations"]] for attempt in line["attempts"]] == [["invalid-json"], []]
    assert [usage["input"] for usage in line["calls"]] == [900, 900, 900]
    assert len(line["messages"]) == 3 + 1 + 4 + 1 + 1 + 1


def test_no_key_reaches_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    judge = judge_of(ScriptClient(modest))
    list(judge_episodes(judge.with_records(records(tmp_path, judge.identity)), [EPISODE]))
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*.jsonl"))
    assert b"very-secret" not in stored
    assert b"authorization" not in stored.lower()


@pytest.mark.parametrize(
    "more",
    [
        {"api_key": "k"},
        {"extra_headers": {"Authorization": "Bearer k"}},
        {"extra_headers": {"X-Auth-Token": "k"}},
        {"extra_body": {"inner": {"client_secret": "k"}}},
    ],
)
def test_a_secret_among_the_settings_which_are_part_of_a_record_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(MemuseError, match="settings are part of every record"):
        RequestSettings(more=more)


def test_settings_that_are_no_secret_are_taken() -> None:
    assert RequestSettings(more={"max_completion_tokens": 5, "extra_body": {"top_k": 3, "tokens": 2}})


def test_all_text_in_a_record_is_inert_in_a_terminal(tmp_path: Path) -> None:
    kept(tmp_path, outcome(READ, says(NOTED)))
    for path in tmp_path.rglob("*.jsonl"):
        text = path.read_bytes().decode("utf-8")
        assert "\x1b" not in text
        assert "‮" not in text


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines()


def _with(line: bytes, **changes: Any) -> bytes:
    return json.dumps({**json.loads(line), **changes}, separators=(",", ":")).encode()


def _changed_judgment(line: bytes, **changes: Any) -> bytes:
    return _with(line, judgment={**json.loads(line)["judgment"], **changes})


def _changed_assessment(line: bytes, **changes: Any) -> bytes:
    (assessment,) = json.loads(line)["judgment"]["assessments"]
    return _changed_judgment(line, assessments=[{**assessment, **changes}])


def damaged(header: bytes, line: bytes) -> dict[str, tuple[list[bytes], str]]:
    """Return what may stand in a file of answers, and what is told of it."""
    usage = {"calls": 1, "input": 1, "cached": 0, "output": 1, "cost": 0.0}
    (attempt,) = json.loads(line)["attempts"]
    judge = {**json.loads(header)["judge"], "model": "other"}
    newer = ":1: format: format 2 of judgment records is not one that this release reads (it reads 1)"
    lines = {
        "no JSON": (b"{" + line, ":2: the line is no JSON object"),
        "a list": (b"[1]", ":2: the line is no JSON object"),
        "not UTF-8": (b'{"evidence":"\xff"}', ":2: the line is no JSON object"),
        "too deep": (b'{"evidence":' + b"[" * 500 + b"]" * 500 + b"}", ":2: the line is no JSON object"),
        "too many": (line[:-1] + b',"x":[' + b"[]," * 100_000 + b"1]}", ":2: the line is too large"),
        "no digest": (_with(line, evidence="../../x"), ":2: evidence: it is no digest"),
        "a word": (_changed_assessment(line, accuracy="true"), ":2: judgment.assessments.0.accuracy"),
        "a text for a truth": (_changed_assessment(line, relevance="yes"), ":2: judgment.assessments.0.relevance"),
        "an anchor outside": (_changed_assessment(line, anchors=[99]), "an anchor of e1 is outside"),
        "no assessment": (_changed_judgment(line, assessments=[]), "assesses 0 entries and the delivery has 1"),
        "too confident": (_changed_judgment(line, confidence=1.5), ":2: judgment.confidence: it is not between"),
        "no number": (_changed_judgment(line, confidence=float("nan")), ":2: judgment.confidence: it is not"),
        "another span": (_changed_judgment(line, span="S2"), ":2: judgment.span: it is not the line's span, 'S1'"),
        "a field more": (_with(line, massages=[]), "massages: Unexpected keyword argument; did you mean 'messages'?"),
        "a field less": (_with(line, reads=None), ":2: reads: "),
        "ranges": (_with(line, reads={"task": [[9, 3]]}), ":2: reads.task: the ranges are not in order"),
        "tokens": (_with(line, calls=[{**usage, "input": -1}]), ":2: calls.0: it is no count of tokens"),
        "money": (_with(line, calls=[{**usage, "cost": float("inf")}]), ":2: calls.0.cost: it is no amount"),
        "no answer": (_with(line, attempts=[]), ":2: attempts: the last answer and no other one"),
        "accepted twice": (_with(line, attempts=[attempt, attempt]), ":2: attempts: the last answer and no other"),
        "corrected": (_with(line, corrected=-1), ":2: corrected, rollbacks or attempts: a number is out of"),
        "commands": (b'{"\x1b[31m\\u001b[31m##[error]":1}', ":2: the line is no JSON object"),
    }
    headers = {
        "no header": (line, ":1: format: the first line is no header of judgment records"),
        "a later release": (_with(header, format=2), newer),
        "true": (_with(header, format=True), ":1: format: the first line is no header"),
        "no kind": (_with(header, kind="baseline"), ":1: kind: no kind of records: 'baseline'"),
        "the other kind": (_with(header, kind="conversation"), ":1: kind: the records of conversation stand where"),
        "another arc": (_with(header, arc="other"), ":1: arc: the records of other stand where those of"),
        "another judge": (_with(header, judge=judge), ":1: judge: the records of llm, version 1, model other"),
        "no judge": (_with(header, judge=["llm"]), ":1: judge: it is no identity of a judge"),
        "a setting": (_with(header, judge={**judge, "settings": {"a": 1}}), ":1: judge.settings: a setting is no text"),
    }
    conflict = [header, b"<<<<<<< HEAD", line, b"=======", line, b">>>>>>> other"]
    return {
        **{name: ([header, changed], told) for name, (changed, told) in lines.items()},
        **{name: ([changed, line], told) for name, (changed, told) in headers.items()},
        "a conflict": (conflict, ":2: a conflict of two versions was left here"),
    }


def _damages() -> list[str]:
    header = header_line(Header(FileKind.JUDGMENTS, "arc", IDENTITY))
    return list(damaged(header, answer_line(KeptAnswer.of("E1", outcome()))))


@pytest.mark.parametrize("name", _damages())
def test_a_damaged_record_is_refused_with_file_line_and_field_and_never_asked_about_in_silence(
    tmp_path: Path, name: str
) -> None:
    kept(tmp_path)
    path = answers_file(tmp_path)
    lines, told = damaged(*_lines(path))[name]
    path.write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(FormatError) as caught:
        records(tmp_path).find(EPISODE, "S1", PACKAGE)
    text = str(caught.value)
    assert told in text
    assert path.name in text
    assert "to mend: " in text
    assert "\x1b" not in text
    assert "##[" not in text
    client = ScriptClient(modest)
    with pytest.raises(MemuseError):
        list(judge_episodes(judge_of(client, records=records(tmp_path)), [EPISODE]))
    assert client.asked == 0


def test_another_version_of_the_same_rules_is_read_whatever_wrote_its_spaces_and_order(tmp_path: Path) -> None:
    store = kept(tmp_path)
    path = answers_file(tmp_path)
    header, line = _lines(path)
    found = store.find(EPISODE, "S1", PACKAGE)
    spaced = json.dumps(dict(reversed(json.loads(line).items())), indent=None).encode()
    path.write_bytes(header + b"\r\n\r\n" + header + b"\r\n" + spaced)
    assert records(tmp_path).find(EPISODE, "S1", PACKAGE) == found


def damaged_messages(header: bytes, lines: list[bytes]) -> Iterator[tuple[list[bytes], str]]:
    first, *rest = lines
    yield [header, *rest], "of a kept conversation is not here"
    yield [header, first.replace(b"Your work", b"My work"), *rest], ":2: digest: the digest of the message is"
    yield [header, _with(first, message="x"), *rest], ":2: message: it is no message"
    yield [header, first[:-1], *rest], ":2: the line is no JSON object"
    yield [header, b"[]", *rest], ":2: the line is no JSON object"
    yield [_with(header, format=9), first, *rest], "format 9 of judgment records"


@pytest.mark.parametrize("number", range(6))
def test_a_message_that_was_changed_is_refused_with_its_place(tmp_path: Path, number: int) -> None:
    store = kept(tmp_path)
    path = conversation_file(tmp_path)
    header, *lines = _lines(path)
    cases = list(damaged_messages(header, lines))
    assert len(cases) == 6
    content, told = cases[number]
    path.write_bytes(b"\n".join(content) + b"\n")
    found = store.find(EPISODE, "S1", PACKAGE)
    assert found is not None
    with pytest.raises(FormatError) as caught:
        store.conversation(EPISODE, found)
    assert told in str(caught.value)
    assert "to mend: " in str(caught.value)


def test_a_conversation_without_a_record_is_an_error_that_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(MemuseError, match=r"no record of span S1 in .*\.jsonl"):
        records(tmp_path).conversation(EPISODE, outcome())


def test_a_link_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    inner, outside = tmp_path / "judgments", tmp_path / "outside"
    inner.mkdir()
    outside.mkdir()
    store = records(inner)
    store.folder.symlink_to(outside)
    with pytest.raises(FormatError, match="leads out of"):
        store.accepted(EPISODE, outcome())
    with pytest.raises(FormatError, match="leads out of"):
        records(inner).find(EPISODE, "S1", PACKAGE)
    assert list(outside.iterdir()) == []
    assert kept_judges(inner) == ()


def test_records_in_the_folder_of_another_judge_are_refused(tmp_path: Path) -> None:
    kept(tmp_path)
    path = answers_file(tmp_path)
    another = tmp_path / f"llm-another-v1-{'0' * 16}"
    another.mkdir()
    path.rename(another / path.name)
    with pytest.raises(FormatError, match="belong into llm-openai-scripted-v1-"):
        kept_judges(tmp_path)


def test_a_message_that_is_no_json_ends_the_run_and_not_the_records(tmp_path: Path) -> None:
    odd = outcome()
    odd = replace(odd, messages=(*odd.messages, {"role": "assistant", "content": "", "thinking_blocks": float("nan")}))
    with pytest.raises(MemuseError, match="could not be kept in"):
        records(tmp_path).accepted(EPISODE, odd)
    assert list(tmp_path.rglob("*.jsonl")) == []


def test_a_run_whose_answers_cannot_be_kept_ends_and_asks_about_no_further_span(tmp_path: Path) -> None:
    client = ScriptClient(modest)
    judge = judge_of(client, run=RunLimits(parallel=1))
    store = records(tmp_path, judge.identity)
    tmp_path.joinpath(store.folder.name).write_text("in the way")
    episodes = [replace(simple(f"Wait {n} s."), id=f"E{n}") for n in range(5)]
    with pytest.raises(MemuseError) as caught:
        list(judge_episodes(judge.with_records(store), episodes))
    assert "the answer about span S1 of episode E0 could not be kept in" in str(caught.value)
    assert "answers that were kept are not asked for again" in str(caught.value)
    assert caught.value.reason == "records"
    assert client.asked == 2
