"""A person's labels: reading them, judging with them, and the form that they are written in."""

import pickle
from dataclasses import replace
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.judging import Accuracy, Effect, Influence, Judgment, Novelty, Signal
from pytest_memuse.judging.annotation_file import read_annotations
from pytest_memuse.judging.annotation_form import HEAD
from pytest_memuse.judging.annotations import Annotations
from pytest_memuse.judging.labels import LabelledCase
from pytest_memuse.model import FormatError
from pytest_memuse.profiles.assembling import episode_row
from pytest_memuse.profiles.rows import RowOutcome
from pytest_memuse.spans import build_spans
from tests.hostile_text import HOSTILE_TEXTS
from tests.judging.annotated import annotations, form_of, labels_text
from tests.judging.episodes import recalled
from tests.judging.scripted_judge import labelled

WHOLE = {
    "relevance": True,
    "accuracy": "corroborated",
    "novelty": "novel",
    "influence": "acted_on",
    "effect": "improved",
    "anchors": [1],
}
IDLE = {"relevance": False, "accuracy": "uncontradicted", "novelty": "undetermined", "influence": "none"}
CASE = labelled("c", {"influence": "acted_on"}, {"influence": "none"})


def judged(judge: Annotations, case: LabelledCase = CASE) -> Judgment:
    return judge.judge(case.episode, case.spans, case.spans[0])


def refused(text: str) -> str:
    with pytest.raises(FormatError) as caught:
        judged(Annotations.from_text(text, "labels.yaml"))
    return str(caught.value)


# Judging


def test_labels_become_signals_and_a_signal_that_every_entry_has_is_determined() -> None:
    judgment = judged(annotations(CASE, WHOLE, IDLE))
    first, second = judgment.assessments
    assert judgment.determines == frozenset(Signal)
    assert (first.relevance, first.accuracy, first.novelty) == (True, Accuracy.CORROBORATED, Novelty.NOVEL)
    assert (first.influence, first.effect, first.anchors) == (Influence.ACTED_ON, Effect.IMPROVED, (1,))
    assert (second.relevance, second.novelty, second.influence, second.effect) == (False, None, Influence.NONE, None)


def test_a_signal_that_one_entry_lacks_is_not_determined_and_the_others_are() -> None:
    judgment = judged(annotations(CASE, WHOLE, {"influence": "none"}))
    assert judgment.determines == {Signal.INFLUENCE, Signal.EFFECT}
    assert judgment.assessments[0].relevance is None


def test_an_effect_needs_no_label_where_nobody_acted_and_one_where_somebody_did() -> None:
    assert Signal.EFFECT in judged(annotations(CASE, {"influence": "referenced"}, {"influence": "none"})).determines
    unsaid = {"influence": "acted_on", "anchors": [1]}
    assert Signal.EFFECT not in judged(annotations(CASE, unsaid, {"influence": "none"})).determines
    said = {**unsaid, "effect": "undetermined"}
    assert Signal.EFFECT in judged(annotations(CASE, said, {"influence": "none"})).determines


def test_a_span_without_a_label_is_unjudged_and_no_error() -> None:
    judge = annotations(CASE, {}, {})
    judgment = judged(judge)
    assert judgment.determines == frozenset()
    row = episode_row(CASE.episode, CASE.spans, {CASE.spans[0].id: judgment})
    assert row.spans[0].outcome is RowOutcome.UNJUDGED
    assert judged(annotations(CASE, WHOLE, IDLE), labelled("other", {"influence": "none"})).determines == frozenset()


def test_the_same_evidence_is_the_same_span_and_changed_evidence_makes_labels_stale() -> None:
    task = CASE.episode.task
    assert task is not None
    changed = replace(CASE.episode, task=replace(task, text="Sink the barge."))
    spans = build_spans(changed)
    judge = annotations(CASE, WHOLE, IDLE)
    with pytest.raises(FormatError) as caught:
        judge.judge(changed, spans, spans[0])
    assert caught.value.reason == "stale-labels"
    assert "labels.yaml:3: the labels of span 'S1' of episode 'c' were given for other evidence" in str(caught.value)
    assert "memuse annotate LOG -o FILE" in str(caught.value)
    # The outcome is no evidence.
    solved = replace(CASE.episode, outcome=None, resolved=True)
    assert judge.judge(solved, CASE.spans, CASE.spans[0]) == judged(judge)


def test_labels_for_the_evidence_of_now_outlive_those_for_what_was() -> None:
    old = labels_text(CASE, IDLE, IDLE, evidence="0" * 32)
    new = labels_text(CASE, WHOLE, IDLE)
    text = old + "---\n" + new.split("---\n")[-1]
    assert judged(Annotations.from_text(text, "f")) == judged(annotations(CASE, WHOLE, IDLE))


def test_the_identity_is_the_digest_of_the_labels_and_not_of_how_they_are_set() -> None:
    judge = annotations(CASE, WHOLE, IDLE)
    again = Annotations.from_text("# a comment\n" + labels_text(CASE, {**WHOLE, "note": "sure"}, IDLE), "other.yaml")
    assert judge.identity == again.identity
    assert judge.identity.kind == "annotations"
    assert judge.identity != annotations(CASE, {**WHOLE, "effect": "harmed"}, IDLE).identity


def test_a_judge_of_annotations_can_be_sent_to_another_process() -> None:
    judge = annotations(CASE, WHOLE, IDLE)
    judged(judge)
    assert judged(pickle.loads(pickle.dumps(judge))) == judged(judge)


def test_anchors_outside_the_credit_window_and_entries_that_are_not_there_are_refused_by_line() -> None:
    assert "labels.yaml:7: anchors: step 9 is outside its credit window, steps 1 to 2" in refused(
        labels_text(CASE, {"influence": "acted_on", "anchors": [9]})
    )
    many = labels_text(CASE, {"influence": "none"}, {"influence": "none"}, {"influence": "none"})
    assert "there is no entry 'e3'" in refused(many)


# Reading


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"influence": "acted-on"}, "labels.yaml:8: influence: 'acted-on' is none of acted_on, selected, referenced"),
        ({"influence": "acted-on"}, "did you mean 'acted_on'?"),
        ({"influense": "none"}, "there is no field 'influense'; did you mean 'influence'?"),
        ({"relevance": "maybe"}, "relevance: 'maybe' is none of true, false, undetermined"),
        ({"relevance": 1}, "relevance: 1 is none of true, false"),
        ({"novelty": True}, "novelty: true is none of novel"),
        ({"accuracy": ["novel"]}, "accuracy: a list is none of"),
        ({"effect": "improved"}, "effect: an effect is observed of an entry that was acted on only"),
        ({"influence": "none", "effect": "harmed"}, "label its influence acted_on, or leave the effect empty"),
        ({"influence": "none", "anchors": [1]}, "anchors: anchors are the steps of actions"),
        ({"influence": "acted_on", "anchors": ["1."]}, "anchors: '1.' is no step"),
        ({"influence": "acted_on", "anchors": [0]}, "anchors: 0 is no step"),
        ({"influence": "acted_on", "anchors": 1}, "anchors: expected a list, found a number"),
        ({"note": {"a": 1}}, "note: expected a text, found a mapping"),
    ],
)
def test_a_row_is_read_strictly(row: dict[str, Any], problem: str) -> None:
    assert problem in refused(labels_text(CASE, row))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "labels.yaml:1: it is no file of annotations: it is empty"),
        ("episode: x\n", "its first document has no 'memuse-annotations'"),
        ("- 1\n", "its first document has no 'memuse-annotations'"),
        ("memuse-annotations: 2\n", "labels.yaml:1: memuse-annotations: format '2' is not known here"),
        ("memuse-annotations: 1\nbye: me\n", "labels.yaml:2: bye: there is no field 'bye'; did you mean 'by'?"),
        ("memuse-annotations: 1\n---\nepisode: a\nspan: b\n", "labels.yaml:3: the field 'evidence' is missing"),
        ("memuse-annotations: 1\n---\nepisode: &a x\nspan: *a\n", "labels.yaml:3: not valid YAML: an anchor"),
        ("memuse-annotations: 1\n---\n!!python/object:os.system {}\n", "labels.yaml:3: not valid YAML: the tag"),
        ("memuse-annotations: 1\n---\nepisode: !x a\n", "labels.yaml:3: not valid YAML: the tag '!x'"),
        ("memuse-annotations: 1\nby: a\nby: b\n", "the key 'by' stands twice"),
        ("memuse-annotations: 1\n---\n? [a]\n: b\n", "labels.yaml:3: not valid YAML"),
        ("memuse-annotations: 1\n---\n" + "[" * 100, "labels.yaml:3: not valid YAML"),
        ("memuse-annotations: 1\n---\n- a\n", "labels.yaml:3: expected a mapping, found a list"),
    ],
)
def test_a_file_is_read_strictly(text: str, problem: str) -> None:
    assert problem in refused(text)


def test_a_span_or_an_entry_that_is_labelled_twice_is_refused_with_both_lines() -> None:
    text = labels_text(CASE, IDLE)
    twice = text + "---\n" + text.split("---\n")[-1]
    assert "labels.yaml:13: span 'S1' of episode 'c' is there twice, on line 3 too" in refused(twice)
    text = labels_text(CASE, IDLE, entries=[{"entry": "e1"}, {"entry": "e1"}])
    assert "labels.yaml:8: entry: e1 is labelled twice, on line 7 too" in refused(text)


def test_who_and_when_may_be_said_and_dates_are_texts() -> None:
    text = labels_text(CASE, WHOLE, IDLE, by="me", when="2026-11-30").replace("'2026-11-30'", "2026-11-30")
    text = text.replace("memuse-annotations: 1", "memuse-annotations: 1\nby: us\nwhen: 2026-11-29")
    assert judged(Annotations.from_text(text, "f")).determines == frozenset(Signal)


# The form


def test_an_empty_form_is_a_file_without_labels() -> None:
    text = form_of(CASE.episode)
    found = read_annotations(text, "form.yaml")
    (span,) = found.spans
    assert not span.labelled
    assert [row.name for row in span.entries] == ["e1", "e2"]
    assert judged(Annotations(found)).determines == frozenset()


def test_a_form_that_is_filled_in_judges() -> None:
    text = form_of(CASE.episode).replace("  influence:\n", "  influence: none\n")
    assert judged(Annotations.from_text(text, "f")).determines == {Signal.INFLUENCE, Signal.EFFECT}


def test_the_evidence_stands_beside_as_comments() -> None:
    text = form_of(recalled(["the port is 8443"], [("Let me see.", [("bash", "curl :8443", "200\nok")])]))
    comments = [line for line in text.removeprefix(HEAD).splitlines() if line.startswith("#")]
    assert any("the port is 8443" in line for line in comments)
    assert any("curl :8443" in line for line in comments)
    assert any("Do the thing." in line for line in comments)
    assert "#   | the port is 8443" in comments


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_stays_in_its_comments(name: str) -> None:
    hostile = HOSTILE_TEXTS[name]
    episode = recalled([hostile[:300]], [(hostile, [("bash", hostile, hostile)])], task=hostile)
    check_inert(form_of(replace(episode, id=hostile[:300])))


@given(st.text(st.characters(), max_size=60))
def test_any_text_stays_in_its_comments(hostile: str) -> None:
    episode = recalled([f"- {hostile}"], [(hostile, [("bash", hostile, hostile)])], task=hostile or "t")
    check_inert(form_of(replace(episode, id=hostile or "e")))


def check_inert(text: str) -> None:
    """Fail where the form is anything but a head and one span without labels, or is long, or has odd lines."""
    documents = list(yaml.safe_load_all(text))
    assert len(documents) == 2
    assert set(documents[1]) == {"episode", "span", "evidence", "entries"}
    labels = read_annotations(text, "form.yaml")
    assert not labels.spans[0].labelled
    assert all(len(line) < 1200 for line in text.splitlines())
    assert len(text) < 120_000
    assert all(line.isprintable() for line in text.split("\n"))


def test_a_name_that_holds_what_yaml_cannot_finds_its_labels_again() -> None:
    episode = replace(recalled(["the port is 8443"], [("", [])]), id='half \ud800 "\\\x00\u2028\U000e0001')
    text = form_of(episode).replace("  influence:\n", "  influence: none\n")
    spans = build_spans(episode)
    judgment = Annotations.from_text(text, "f").judge(episode, spans, spans[0])
    assert Signal.INFLUENCE in judgment.determines
