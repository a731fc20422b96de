from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.judging import Accuracy, Effect, Influence, JudgeIdentity, Novelty, Signal, Tracer, judge_episode
from pytest_memuse.judging.tracer import TRACED
from pytest_memuse.model import Episode
from pytest_memuse.spans import build_spans
from tests.judging.episodes import assess, recalled

QUEUE = "the queue is named orders-eu-north"
USE = ("bash", "queuectl drain orders-eu-north", "drained")


def test_the_identity_has_no_model() -> None:
    assert Tracer().identity == JudgeIdentity(kind="tracer", version="2")


def test_without_references_three_signals_are_determined_and_with_them_all() -> None:
    plain = recalled([QUEUE], [("", [USE])])
    known = recalled([QUEUE], [("", [USE])], references=[{"subject": "queue", "value": "orders-eu-north"}])
    for episode, determined in ((plain, TRACED), (known, frozenset(Signal))):
        (judgment,) = judge_episode(Tracer(), episode, build_spans(episode)).values()
        assert judgment is not None
        assert judgment.determines == determined


def test_notes_name_the_content_and_the_step() -> None:
    (assessment,) = assess(recalled([QUEUE], [("", []), ("", [USE])]))
    assert assessment.anchors == (2,)
    assert "step 2 uses identifier 'orders-eu-north'" in assessment.notes[Signal.INFLUENCE]


def test_the_competing_source_is_quoted() -> None:
    log = ("bash", "tail app.log", "jobs pile up in orders-eu-north")
    (assessment,) = assess(recalled([QUEUE], [("", [log]), ("", [USE])], first=2))
    assert assessment.influence is None
    assert "'jobs pile up in orders-eu-north'" in assessment.notes[Signal.INFLUENCE]


def test_what_the_agent_first_reads_after_the_delivery_competes_with_nothing() -> None:
    """What is first recorded after exposure is no competing source (A.2.2)."""
    log = ("bash", "tail app.log", "jobs pile up in orders-eu-north")
    (assessment,) = assess(recalled([QUEUE], [("", [log]), ("", [USE])]))
    assert (assessment.influence, assessment.anchors) == (Influence.ACTED_ON, (2,))
    assert assessment.novelty is Novelty.NOVEL


def test_what_an_action_on_the_entry_finds_is_no_other_source() -> None:
    cat = ("bash", "cat svc/queue_names.py", "NAME = 'orders-eu-north'")
    entry = "svc/queue_names.py holds the queue's name, orders-eu-north"
    (assessment,) = assess(recalled([entry], [("", [cat]), ("", [USE])]))
    assert assessment.anchors == (1, 2)


def test_using_what_the_entry_advises_against_is_left_open() -> None:
    (assessment,) = assess(recalled(["never drain orders-eu-north"], [("", [USE])]))
    assert assessment.influence is None


def test_a_lost_prior_context_leaves_novelty_and_influence_open() -> None:
    episode = recalled([QUEUE], [("", []), ("", [USE])], first=2)
    spans = build_spans(episode)
    first, *rest = episode.steps
    lost = replace(episode, steps=(replace(first, call=replace(first.call, gap=True)), *rest))
    (judgment,) = judge_episode(Tracer(), lost, spans).values()
    assert judgment is not None
    assert [(a.novelty, a.influence) for a in judgment.assessments] == [(None, None)]


def test_an_entry_of_unknown_exposure_is_left_open() -> None:
    episode = recalled([QUEUE], [("", [USE])])
    (delivery,) = episode.deliveries
    other = replace(delivery, entries=(replace(delivery.entries[0], value="something that is not shown"),))
    (assessment,) = assess(replace(episode, deliveries=(other,)))
    assert (assessment.influence, assessment.novelty, assessment.effect) == (None, None, None)


def test_an_empty_window_claims_nothing() -> None:
    episode = recalled([QUEUE], [("", [USE])])
    (span,) = build_spans(episode)
    empty = replace(span, entries=(replace(span.entries[0], window=None),))
    judgment = Tracer().judge(episode, (empty,), empty)
    assert [(a.influence, a.anchors) for a in judgment.assessments] == [(Influence.NONE, ())]


def test_maintaining_the_memory_is_no_action() -> None:
    update = ("mem0_memory", {"action": "update", "memory_id": "x", "text": "orders-eu-north is gone"}, "updated")
    (assessment,) = assess(recalled([QUEUE], [("", [update])]))
    assert assessment.influence is Influence.NONE


def test_a_memory_command_in_the_shell_is_no_action() -> None:
    (assessment,) = assess(recalled([QUEUE], [("", [("bash", "mem0 search orders-eu-north", "nothing")])]))
    assert assessment.influence is Influence.NONE


@pytest.mark.parametrize(
    ("says", "influence"),
    [
        ("Memory says to run the tests, so I run them.", None),
        ("The memory does not matter here.", Influence.REFERENCED),
        ("I run the tests.", Influence.NONE),
    ],
)
def test_a_remark_about_the_only_memory(says: str, influence: Influence | None) -> None:
    (assessment,) = assess(recalled(["always run the tests"], [(says, [("bash", "pytest", "3 passed")])]))
    assert assessment.influence is influence


FAIL = '{"returncode": 1, "output": "wrong"}'
PASS = '{"returncode": 0, "output": "ok"}'
CHECK = "python tools/check.py"


def effect_of(*deeds: tuple[str, str]) -> Effect | None:
    steps = [("", [("bash", command, result)]) for command, result in deeds]
    (assessment,) = assess(recalled(["`billing.port` is `18081`"], steps))
    assert assessment.influence is Influence.ACTED_ON
    return assessment.effect


EDIT = ("sed -i 's/port = 1/port = 18081/' svc.ini", PASS)


@pytest.mark.parametrize(
    ("deeds", "effect"),
    [
        ([(CHECK, FAIL), EDIT, (CHECK, PASS)], Effect.IMPROVED),
        ([(CHECK, FAIL), EDIT, ("cat svc.ini", PASS), (CHECK, PASS)], Effect.IMPROVED),
        ([(CHECK, FAIL), EDIT, ("sed -i 's/a/b/' other.ini", PASS), (CHECK, PASS)], None),
        ([EDIT, (CHECK, PASS)], None),
        ([("pytest", FAIL), EDIT, ("pytest -k one", PASS)], None),
        ([("pytest -k one", FAIL), EDIT, ("pytest -q", PASS)], Effect.IMPROVED),
        ([(CHECK, FAIL), EDIT, (CHECK, FAIL)], None),
        ([(CHECK, PASS), EDIT, (CHECK, FAIL)], Effect.HARMED),
        ([(CHECK, FAIL), EDIT, (CHECK, FAIL), ("git checkout svc.ini", PASS)], Effect.HARMED),
        ([(CHECK, FAIL), EDIT, (CHECK, FAIL), ("sed -i 's/port = 18081/port = 1/' svc.ini", PASS)], Effect.HARMED),
        ([(CHECK, FAIL), EDIT, (CHECK, FAIL), ("git stash", PASS), (CHECK, FAIL), ("git stash pop", PASS)], None),
        ([("curl localhost:18081/up", FAIL), ("curl localhost:18090/up", PASS)], Effect.HARMED),
        ([("nc -z localhost 18081", FAIL)], None),
        ([(CHECK, FAIL), (f"PORT=18081 {CHECK}", PASS)], Effect.IMPROVED),
        (
            [(CHECK, FAIL), ("echo 'port = 18081' > fix.py", PASS), ("python fix.py", PASS), (CHECK, PASS)],
            Effect.IMPROVED,
        ),
    ],
)
def test_an_effect_is_claimed_only_where_the_record_forces_it(
    deeds: list[tuple[str, str]], effect: Effect | None
) -> None:
    assert effect_of(*deeds) is effect


FACT = {"subject": "billing.port", "value": "18090", "superseded": ["18081"]}


@pytest.mark.parametrize(
    ("entry", "relevance", "accuracy"),
    [
        ("`billing.port` is `18090`", True, Accuracy.CORROBORATED),
        ("the billing port is 18,081", True, Accuracy.CONTRADICTED),
        ("billingPort = 18081, since the move 18090", True, Accuracy.CORROBORATED),
        ("BILLING_PORT is 7000", True, Accuracy.CONTRADICTED),
        ("billing.port is set in svc.ini", True, Accuracy.UNCONTRADICTED),
        ("something listens on 18081", True, Accuracy.CONTRADICTED),
        ("the brand colour is teal", False, Accuracy.UNCONTRADICTED),
    ],
)
def test_reference_facts_decide_relevance_and_accuracy(entry: str, relevance: bool, accuracy: Accuracy) -> None:
    (assessment,) = assess(recalled([entry], [("Hello.", [])], references=[FACT]))
    assert (assessment.relevance, assessment.accuracy) == (relevance, accuracy)


WORDS = st.sampled_from(
    ["orders-eu-north", "18081", "250 ms", "svc/a_b.py", "the", "run", "tests", "2", "pytest -q", "`x_y`", "not"]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)
STEPS = st.lists(
    st.tuples(TEXTS, st.lists(st.tuples(st.just("bash"), TEXTS, TEXTS), max_size=2)), min_size=1, max_size=4
)


@st.composite
def episodes(draw: st.DrawFn) -> Episode:
    steps = draw(STEPS)
    entries = draw(st.lists(TEXTS.filter(str.strip), min_size=1, max_size=2, unique=True))
    return recalled(entries, steps, first=draw(st.integers(1, len(steps))))


@given(episodes())
def test_anchors_lie_in_the_window_and_claims_have_anchors(episode: Episode) -> None:
    spans = build_spans(episode)
    for span in spans:
        judgment = judge_episode(Tracer(), episode, spans).get(span.id)
        for entry, assessment in zip(
            span.entries, judgment.assessments if judgment else (), strict=judgment is not None
        ):
            assert all(entry.window is not None and anchor in entry.window for anchor in assessment.anchors)
            assert bool(assessment.anchors) == (assessment.influence in (Influence.ACTED_ON, Influence.SELECTED))
            assert assessment.effect is None or assessment.influence is Influence.ACTED_ON


PLAIN = st.lists(st.sampled_from(["the", "run", "tests", "2", "3", "file", "always", "check"]), min_size=1).map(
    " ".join
)


@given(entry=PLAIN, steps=STEPS)
def test_an_entry_without_memory_specific_content_is_never_acted_on(
    entry: str, steps: list[tuple[str, list[tuple[str, str, str]]]]
) -> None:
    assert all(a.influence is not Influence.ACTED_ON for a in assess(recalled([entry], steps)))


@given(episodes())
def test_judging_twice_gives_the_same_and_a_used_judge_the_same_as_a_new_one(episode: Episode) -> None:
    spans = build_spans(episode)
    used = Tracer()
    assert (
        judge_episode(used, episode, spans)
        == judge_episode(used, episode, spans)
        == judge_episode(Tracer(), episode, spans)
    )


def previewed(reads: list[tuple[str, list[tuple[str, object, str]]]]) -> Episode:
    """Return an episode whose one entry is shown under the identifier note-51."""
    episode = recalled(["note-51: the relay needs a gentle restart"], reads)
    (delivery,) = episode.deliveries
    keyed = replace(delivery.entries[0], item="note-51", key="note-51")
    return replace(episode, deliveries=(replace(delivery, entries=(keyed,)),))


def test_following_an_identifier_to_what_is_no_delivery_is_an_action() -> None:
    (assessment,) = assess(previewed([("", [("bash", "kb show note-51", "use --drain-first")])]))
    assert (assessment.influence, assessment.anchors) == (Influence.ACTED_ON, (1,))


def test_asking_memory_for_an_identifier_without_a_delivery_is_left_open() -> None:
    (assessment,) = assess(previewed([("", [("memory_read", {"id": "note-51"}, "not found")])]))
    assert assessment.influence is None


def test_naming_the_identifier_is_a_reference() -> None:
    (assessment,) = assess(previewed([("note-51 is about something else.", [])]))
    assert assessment.influence is Influence.REFERENCED


def test_the_entrys_words_from_another_mouth_are_another_source() -> None:
    """Only proven placements are copies of the item; an earlier tool result of equal text competes."""
    log = ("bash", "tail app.log", QUEUE)
    (before,) = assess(recalled([QUEUE], [("", [log]), ("", [USE])], first=2))
    (after,) = assess(recalled([QUEUE], [("", [log]), ("", [USE])]))
    assert (before.influence, after.influence) == (None, Influence.ACTED_ON)


def test_a_repeated_delivery_competes_with_nothing() -> None:
    episode = recalled([QUEUE], [("", []), ("", [USE])])
    (delivery,) = episode.deliveries
    again = replace(delivery, id="d2", call="call-2")
    (assessment,) = assess(replace(episode, deliveries=(delivery, again)))
    assert assessment.influence is Influence.ACTED_ON


def test_a_plain_word_is_traced_where_a_reference_fact_names_it() -> None:
    steps = [("", [("bash", "deploy --region frankfurt", "ok")])]
    (unknown,) = assess(recalled(["the staging region is frankfurt"], steps))
    facts = [{"subject": "staging region", "value": "dublin", "superseded": ["frankfurt"]}]
    (known,) = assess(recalled(["the staging region is frankfurt"], steps, references=facts))
    assert unknown.influence is None
    assert (known.influence, known.accuracy) == (Influence.ACTED_ON, Accuracy.CONTRADICTED)
