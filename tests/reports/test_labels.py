"""The report on labelled sets, of a judge whose answers are fixed."""

import json

from pytest_memuse.judging import Effect, Influence, Novelty, Signal
from pytest_memuse.judging.agreement import measure
from pytest_memuse.reports.labels import label_data, label_lines
from tests.judging.scripted_judge import ScriptedJudge, answer, labelled
from tests.reports.golden import golden, text

FIRST = [
    labelled("moor", {"influence": "acted_on", "novelty": "novel"}, {"influence": "none", "novelty": "redundant"}),
    labelled("sail", {"influence": "none", "relevance": True}),
]
SECOND = [labelled("anchor", {"influence": "acted_on", "effect": "harmed", "novelty": None})]
JUDGE = ScriptedJudge(
    {
        "moor": [
            answer(influence=Influence.ACTED_ON, novelty=Novelty.NOVEL),
            answer(influence=Influence.NONE, notes={Signal.NOVELTY: "a prior source may state \x1b[31m9\nberths"}),
        ],
        "sail": [answer(influence=Influence.ACTED_ON, notes={Signal.INFLUENCE: "step 1 uses the berth"})],
        "anchor": [answer(influence=Influence.ACTED_ON, effect=Effect.HARMED)],
    },
    frozenset(Signal) - {Signal.RELEVANCE},
)
SETS = {"a.yaml": measure(JUDGE, FIRST), "b.yaml": measure(JUDGE, SECOND)}
TOTAL = measure(JUDGE, FIRST + SECOND)


def test_the_report_to_the_letter() -> None:
    assert text(label_lines("scripted 1", SETS, TOTAL, verbose=True)) == golden("labels")


def test_what_is_wrong_is_listed_only_where_it_is_asked_for_and_one_set_has_no_total() -> None:
    lines = label_lines("scripted 1", {"a.yaml": SETS["a.yaml"]}, SETS["a.yaml"])
    assert not any("wrong: " in line or line.startswith("all ") for line in lines)


def test_data_holds_what_was_forced_and_given_and_leaves_the_undefined_empty() -> None:
    data = json.loads(json.dumps(label_data({"kind": "scripted"}, SETS, TOTAL)))
    assert data["all"]["entries"] == 4
    assert data["sets"]["a.yaml"]["acted_on_without_an_action"] == {"count": 1, "of": 2}
    (wrong,) = data["all"]["wrong"]
    assert (wrong["case"], wrong["entry"], wrong["forced"], wrong["given"]) == ("sail", 1, "none", "acted_on")
    influence = data["all"]["signals"]["influence"]
    assert {"forced": "none", "given": "acted_on", "count": 1} in influence["confusion"]
    relevance = data["all"]["signals"]["relevance"]
    assert relevance["unanswered"] == 1
    assert relevance["kappa"] == {"value": None, "lower": None, "labels": 0, "cases": 0}
