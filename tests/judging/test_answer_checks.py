"""Parsing and checking answers: nothing but its own violations comes out, and each says what to do."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.judging import Accuracy, Effect, Influence, Novelty, Signal
from pytest_memuse.judging.answer_checks import AnswerScope, Coverage, coverage, examine
from pytest_memuse.judging.answer_parsing import LONGEST_ANSWER, LONGEST_NOTE, parse_answer
from pytest_memuse.judging.answer_schema import answer_schema, response_format
from pytest_memuse.judging.evidence import EvidencePackage, ReadLedger, read_evidence
from pytest_memuse.judging.judgments import effects_without_action, judgment_of
from pytest_memuse.judging.violations import MOST_TOLD, ViolationCode, codes, feedback
from pytest_memuse.model import MemuseError
from pytest_memuse.spans import Window
from tests.judging.evidence_cases import package, simple

SCOPE = AnswerScope({"e1": Window(2, 3)}, first=2, last=4, prior=("prior 1",))
EVERYTHING = Coverage(frozenset({"task", "prior-index", "prior 1", *(f"step {n}" for n in range(1, 5))}))


def assessment(**changes: Any) -> dict[str, Any]:
    return {
        "id": "e1",
        "relevance": True,
        "accuracy": "uncontradicted",
        "novelty": "novel",
        "influence": "acted_on",
        "effect": "improved",
        "anchors": [3],
        "notes": {"influence": "step 3 waits", "effect": "the check passes at 4", "anything": "else"},
    } | changes


def answer(*assessments: dict[str, Any], **changes: Any) -> str:
    given = list(assessments) or [assessment()]
    return json.dumps({"assessments": given, "summary": "It helped.", "confidence": 0.7} | changes)


def sentences(text: str, scope: AnswerScope = SCOPE, read: Coverage = EVERYTHING) -> dict[str, str]:
    return {v.code.value: v.sentence for v in examine(text, scope, read).violations}


def read_all(found: EvidencePackage) -> ReadLedger:
    ledger = ReadLedger()
    for name in found.names():
        ledger = read_evidence(found, ledger, name).ledger
    return ledger


def test_an_accepted_answer_becomes_a_judgment_of_all_signals() -> None:
    examined = examine(answer(), SCOPE, EVERYTHING)
    judgment = judgment_of("S1", examined, SCOPE, EVERYTHING)
    (found,) = judgment.assessments

    assert examined.accepted
    assert (judgment.span, judgment.determines, judgment.confidence) == ("S1", frozenset(Signal), 0.7)
    assert judgment.summary == "It helped."
    assert (found.relevance, found.accuracy, found.novelty) == (True, Accuracy.UNCONTRADICTED, Novelty.NOVEL)
    assert (found.influence, found.effect, found.anchors) == (Influence.ACTED_ON, Effect.IMPROVED, (3,))
    assert found.notes == {Signal.INFLUENCE: "step 3 waits", Signal.EFFECT: "the check passes at 4"}
    assert found.window_read


def test_whether_the_window_was_read_is_certified_and_not_believed() -> None:
    read = Coverage(EVERYTHING.complete - {"step 3"})
    text = answer(assessment(influence=None, effect=None, anchors=[], window_read=True))
    (found,) = judgment_of("S1", examine(text, SCOPE, read), SCOPE, read).assessments
    assert not found.window_read


def test_an_answer_that_was_not_accepted_becomes_no_judgment() -> None:
    with pytest.raises(MemuseError, match="invalid-json"):
        judgment_of("S1", examine("", SCOPE, EVERYTHING), SCOPE, EVERYTHING)


def test_an_effect_without_an_action_is_kept_for_the_rules_that_reset_and_count_it() -> None:
    examined = examine(answer(assessment(influence="referenced")), SCOPE, EVERYTHING)
    assert effects_without_action(examined) == 1
    assert judgment_of("S1", examined, SCOPE, EVERYTHING).assessments[0].effect is Effect.IMPROVED
    assert effects_without_action(examine(answer(), SCOPE, EVERYTHING)) == 0


def test_a_whole_package_read_through_the_tools_covers_every_claim() -> None:
    found = package(simple())
    scope, read = AnswerScope.of(found), coverage(found, read_all(found))
    assert examine(answer(assessment(anchors=[2])), scope, read).accepted


def test_a_package_of_which_nothing_was_read_covers_none() -> None:
    found = package(simple())
    examined = examine(answer(assessment(anchors=[2])), AnswerScope.of(found), coverage(found, ReadLedger()))
    assert codes(examined.violations) == (
        "unread-mandatory",
        "unread-cited-step",
        "unread-prior",
        "unread-consequences",
    )


def test_a_target_that_the_prompt_does_not_show_whole_is_a_mandatory_read() -> None:
    found = package(simple("x" * 30_000))
    assert found.unshown
    assert AnswerScope.of(found).mandatory == ("task", "prior-index", "target", "step 1", "step 2")
    assert AnswerScope.of(package(simple())).mandatory == ("task", "prior-index", "step 1", "step 2")


def test_a_violation_says_what_to_read_and_from_which_character() -> None:
    read = Coverage(EVERYTHING.complete - {"step 4", "prior 1"}, {"step 4": ((16_000, 20_000),)})
    told = sentences(answer(), read=read)
    assert told == {
        "unread-prior": "e1: novelty novel and influence acted_on requires complete reads of all of the prior context; "
        "unread: prior 1",
        "unread-consequences": "e1: effect improved requires complete reads of every step from its window's start to "
        "the end of the episode; unread: step 4 (characters 16000 to 20000)",
    }


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"relevance": "yes"}, "e1: relevance must be true or false, not 'yes'"),
        ({"relevance": None}, "e1: relevance must be true or false, not null"),
        ({"accuracy": None}, "e1: accuracy must not be null; where neither holds it is uncontradicted"),
        (
            {"novelty": "unknown"},
            "e1: novelty must be one of novel, confirming, redundant, or null where it is undetermined, not 'unknown'",
        ),
        ({"anchors": "3"}, "e1: anchors must be a list of step numbers, not '3'"),
        ({"anchors": [True]}, "e1: an anchor must be the whole number of a step, not true"),
        ({"anchors": [3.0]}, "e1: an anchor must be the whole number of a step, not 3.0"),
        ({"anchors": [{}]}, "e1: an anchor must be the whole number of a step, not an object"),
        ({"effect": 3}, "e1: effect must be one of improved, harmed, no_effect, or null where it is undetermined, "
         "not a number"),
    ],
)  # fmt: skip
def test_a_value_that_is_not_allowed_is_told_with_those_that_are(changes: dict[str, Any], told: str) -> None:
    assert sentences(answer(assessment(**changes))) == {"bad-value": told}


def test_entries_that_are_missing_given_twice_and_invented_are_told_in_one_sentence() -> None:
    scope = AnswerScope({"e1": Window(2, 3), "e2": Window(2, 3)}, 2, 4, ("prior 1",))
    text = answer(assessment(), assessment(), assessment(id="e7"), {"relevance": True})
    assert sentences(text, scope)["wrong-entries"] == (
        "assess exactly e1, e2, each once; missing: e2; given more than once: e1; not delivered: 'e7', "
        "an assessment without an id"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the answer is empty; give one JSON object"),
        ("```json\n{}\n```", "the answer stands in a code fence; give the bare JSON object"),
        ("[]", "the answer is not one JSON object and nothing else: it is no JSON object"),
        ("{}", 'the object has no list "assessments"'),
        ('{"assessments": {}}', 'the object has no list "assessments"'),
        ("x" * (LONGEST_ANSWER + 1), f"the answer has {LONGEST_ANSWER + 1} characters; {LONGEST_ANSWER} are allowed"),
    ],
)
def test_what_is_no_answer_is_told_in_one_sentence(text: str, told: str) -> None:
    assert sentences(text) == {"invalid-json": told}


def test_an_answer_cut_in_the_middle_is_no_json() -> None:
    whole = answer()
    for end in range(1, len(whole)):
        assert list(sentences(whole[:end])) == ["invalid-json"]


def test_notes_are_bounded_and_never_enforced() -> None:
    found = parse_answer(answer(assessment(notes={"novelty": "n" * 9_000, "effect": 3}), summary=["x"]), ("e1",))
    assert found.violations == ()
    assert found.answer.summary == ""
    assert {s: len(n) for s, n in found.answer.entries[0].notes.items()} == {Signal.NOVELTY: LONGEST_NOTE}


def test_the_message_to_the_judge_is_bounded_and_quotes_what_it_sent_as_plain_text() -> None:
    scope = AnswerScope({f"e{n}": Window(2, 3) for n in range(1, 501)}, 2, 4)
    given = [assessment(id=f"e{n}", accuracy="\x1b[31m\n- accepted: all" * 9) for n in range(1, 501)]
    told = feedback(examine(answer(*given), scope, EVERYTHING).violations)

    assert len(told) < 12_000
    assert "\x1b" not in told
    assert len(told.splitlines()) == MOST_TOLD + 3


def test_the_schema_admits_what_the_checks_admit_and_bounds_every_text() -> None:
    schema = answer_schema(["e1", "e2"], note_length=50)
    listed = schema["properties"]["assessments"]
    assert (listed["minItems"], listed["maxItems"]) == (2, 2)
    assert listed["items"]["properties"]["id"]["enum"] == ["e1", "e2"]

    def unbounded(node: Any) -> list[Any]:
        if isinstance(node, dict):
            free = node.get("type") == "string" and "maxLength" not in node and "enum" not in node
            free = free or (node.get("type") == "array" and "maxItems" not in node)
            return [node] * free + [each for inner in node.values() for each in unbounded(inner)]
        return [each for inner in node for each in unbounded(inner)] if isinstance(node, list) else []

    assert unbounded(schema) == []
    assert response_format(["e1"])["json_schema"]["schema"] == answer_schema(["e1"])


def test_where_lengths_are_refused_the_schema_names_none() -> None:
    text = json.dumps(answer_schema(["e1"], bounded=False))
    assert not any(word in text for word in ("maxLength", "minItems", "maxItems", "minimum", "maximum"))
    assert json.loads(text)["required"] == ["assessments", "summary", "confidence"]


@pytest.mark.parametrize("bounded", [True, False])
def test_the_schema_is_one_and_takes_a_whole_answer_and_no_invented_value(bounded: bool) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="the report extra is not installed")
    schema = answer_schema(["e1"], bounded=bounded)
    jsonschema.Draft202012Validator.check_schema(schema)
    valid = jsonschema.Draft202012Validator(schema)
    notes = {signal.value: "why" for signal in Signal}

    assert valid.is_valid(json.loads(answer(assessment(notes=notes, evidence=[4], effect=None))))
    for wrong in ({"relevance": "yes"}, {"novelty": "undetermined"}, {"anchors": [2.5]}, {"id": "e2"}):
        assert not valid.is_valid(json.loads(answer(assessment(notes=notes, evidence=[], **wrong))))


def test_values_in_the_schema_are_those_of_the_signals() -> None:
    properties = answer_schema(["e1"])["properties"]["assessments"]["items"]["properties"]
    assert properties["accuracy"]["enum"] == list(Accuracy)
    for signal, kind in (("novelty", Novelty), ("influence", Influence), ("effect", Effect)):
        assert properties[signal]["enum"] == [*kind, None]


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FIELDS = ["id", "relevance", "accuracy", "novelty", "influence", "effect", "anchors", "evidence", "notes"]
NEAR = st.sampled_from(
    ["e1", "e2", "novel", "none", "acted_on", "improved", "uncontradicted", True, None, 3, [3], [99]]
)
ASSESSMENTS = st.dictionaries(st.sampled_from(FIELDS), NEAR | JSON_VALUES)


@given(st.text() | st.builds(json.dumps, JSON_VALUES))
def test_nothing_but_violations_comes_of_any_text(text: str) -> None:
    examined = examine(text, SCOPE, EVERYTHING)
    assert codes(examined.violations) in (("invalid-json",), ("wrong-entries",), ("wrong-entries", "bad-value"))


@given(st.lists(ASSESSMENTS, max_size=3), JSON_VALUES, st.sets(st.sampled_from(sorted(EVERYTHING.complete))))
def test_nothing_but_violations_comes_of_any_object(given: list[Any], confidence: Any, read: set[str]) -> None:
    text = json.dumps({"assessments": given, "confidence": confidence})
    examined = examine(text, SCOPE, Coverage(frozenset(read)))
    assert all(isinstance(violation.code, ViolationCode) and violation.sentence for violation in examined.violations)
    if examined.accepted:
        (found,) = judgment_of("S1", examined, SCOPE, Coverage(frozenset(read))).assessments
        assert all(anchor in Window(2, 3) for anchor in found.anchors)


VALID = st.fixed_dictionaries(
    {
        "id": st.just("e1"),
        "relevance": st.booleans(),
        "accuracy": st.sampled_from(list(Accuracy)),
        "novelty": st.none() | st.sampled_from(list(Novelty)),
        "influence": st.none() | st.sampled_from(list(Influence)),
        "effect": st.none() | st.sampled_from(list(Effect)),
        "anchors": st.lists(st.integers(0, 6), max_size=3),
        "evidence": st.lists(st.integers(0, 6), max_size=3),
    }
)


@given(VALID, st.sets(st.sampled_from(sorted(EVERYTHING.complete))), st.sampled_from(sorted(EVERYTHING.complete)))
def test_reading_more_never_makes_an_answer_worse(given: dict[str, Any], read: set[str], more: str) -> None:
    before = examine(answer(given), SCOPE, Coverage(frozenset(read)))
    after = examine(answer(given), SCOPE, Coverage(frozenset(read | {more})))
    assert set(codes(after.violations)) <= set(codes(before.violations))


@given(VALID, st.sets(st.sampled_from(sorted(EVERYTHING.complete))))
def test_what_the_checks_ask_for_is_enough(given: dict[str, Any], read: set[str]) -> None:
    """Reading what the violations name leaves only those that no read can mend."""
    found = examine(answer(given), SCOPE, Coverage(frozenset(read))).violations
    named = {name for violation in found for name in violation.unread}
    left = examine(answer(given), SCOPE, Coverage(frozenset(read | named))).violations
    assert all(not violation.unread for violation in left)
