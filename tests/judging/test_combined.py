"""Several judges as one, by signal."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.judging import Effect, Influence, JudgeIdentity, Judgment, Novelty, Signal, Tracer
from pytest_memuse.judging.combined import Combined
from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.profiles.assembling import span_row
from pytest_memuse.spans import Span
from tests.judging.annotated import annotations
from tests.judging.scripted_judge import ScriptedJudge, answer, labelled

CASE = labelled("c", {"influence": "none"})
USE = frozenset({Signal.INFLUENCE, Signal.EFFECT})
NOVEL = frozenset({Signal.NOVELTY})
FIRST = ScriptedJudge({"c": [answer(influence=Influence.ACTED_ON, anchors=(1,), novelty=Novelty.NOVEL)]}, USE)
SECOND = ScriptedJudge({"c": [answer(influence=Influence.NONE, novelty=Novelty.REDUNDANT, anchors=(2,))]}, USE | NOVEL)
SILENT = ScriptedJudge({})


@dataclass
class Counting:
    """A judge that must not be asked more often than it is needed."""

    asked: list[str] = field(default_factory=list)
    identity: JudgeIdentity = field(default_factory=lambda: JudgeIdentity("counting", "1"))

    def judge(self, episode: Episode, spans: tuple[Span, ...], span: Span) -> Judgment:
        self.asked.append(span.id)
        return Judgment(span.id, (answer(),) * len(span.entries))


def judged(judge: Combined) -> Judgment | None:
    return judge.judge(CASE.episode, CASE.spans, CASE.spans[0])


def test_each_signal_is_the_first_judges_that_determines_it_and_anchors_come_with_the_influence() -> None:
    judgment = judged(Combined((FIRST, SECOND)))
    assert judgment is not None
    (entry,) = judgment.assessments
    assert judgment.determines == USE | NOVEL
    assert (entry.influence, entry.anchors, entry.novelty) == (Influence.ACTED_ON, (1,), Novelty.REDUNDANT)


def test_a_mapping_decides_whose_a_signal_is() -> None:
    judgment = judged(Combined((FIRST, SECOND), {Signal.INFLUENCE: 1}))
    assert judgment is not None
    assert judgment.assessments[0].influence is Influence.NONE
    # Nobody else is asked for what is one judge's: the first does not determine novelty.
    only = judged(Combined((FIRST, SECOND), {Signal.NOVELTY: 0}))
    assert only is not None
    assert only.determines == USE


def test_an_effect_of_another_judges_action_is_reset_by_the_rules_and_counted() -> None:
    effects = ScriptedJudge({"c": [answer(influence=Influence.ACTED_ON, effect=Effect.HARMED)]})
    judgment = judged(Combined((SECOND, effects), {Signal.EFFECT: 1}))
    row = span_row(CASE.spans[0], judgment)
    assert (row.entries[0].effect, row.corrected) == (None, 1)


def test_a_judge_without_an_answer_leaves_the_span_without_one_and_one_that_is_not_needed_is_not_asked() -> None:
    assert judged(Combined((FIRST, SILENT))) is None
    counting = Counting()
    everything = ScriptedJudge({"c": [answer()]})
    assert judged(Combined((everything, counting))) is not None
    assert counting.asked == []


def test_labels_come_first_and_the_tracer_fills_in_what_nobody_labelled() -> None:
    labelled_one = annotations(CASE, {"influence": "referenced"})
    judgment = judged(Combined((labelled_one, Tracer())))
    assert judgment is not None
    traced = Tracer().judge(CASE.episode, CASE.spans, CASE.spans[0])
    assert judgment.assessments[0].influence is Influence.REFERENCED
    assert judgment.assessments[0].novelty == traced.assessments[0].novelty
    nothing = judged(Combined((annotations(CASE, {}), Tracer())))
    assert nothing is not None
    assert nothing.assessments == traced.assessments


def test_the_identity_of_each_judge_is_kept() -> None:
    judge = Combined((annotations(CASE, {"influence": "none"}), Tracer()), {Signal.NOVELTY: 1})
    assert judge.parts == (judge.judges[0].identity, Tracer().identity)
    assert judge.identity.kind == "combined"
    assert judge.identity.settings["2"] == "tracer, version 2"
    assert judge.identity.settings["1"].startswith("annotations, version 1, labels=")
    assert judge.identity.settings["novelty"] == "from 2"
    assert judge.identity != Combined(judge.judges).identity
    assert judge.identity != Combined(judge.judges[::-1], judge.by_signal).identity


def test_what_cannot_be_combined_is_refused() -> None:
    with pytest.raises(MemuseError, match="no judge to combine"):
        Combined(())
    with pytest.raises(MemuseError, match="novelty is to come from judge 2, and the judges are 0 to 1"):
        Combined((FIRST, SECOND), {Signal.NOVELTY: 2})


@given(st.lists(st.sets(st.sampled_from(Signal)), min_size=1, max_size=4))
def test_what_any_judge_determines_is_determined_and_nothing_else(determines: list[set[Signal]]) -> None:
    judges = tuple(ScriptedJudge({"c": [answer()]}, frozenset(found)) for found in determines)
    judgment = judged(Combined(judges))
    assert judgment is not None
    assert judgment.determines == frozenset().union(*determines)
