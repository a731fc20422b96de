"""Scripted users and paraphrased ones."""

from dataclasses import replace

import pytest

from pytest_memuse.arcs.generator import generate
from pytest_memuse.arcs.leaks import Channel, LeakError
from pytest_memuse.arcs.models import paraphrasing
from pytest_memuse.arcs.prompts import GO_AHEAD
from pytest_memuse.arcs.types import Kind, WorldArc, WorldEpisode
from pytest_memuse.arcs.users import ScriptedUser, paraphrased
from pytest_memuse.model.errors import MemuseError


@pytest.fixture(scope="module")
def arc() -> WorldArc:
    return generate("operations", "hard", seed=5, arcs=1)[0]


def gold_of(arc: WorldArc) -> str:
    return next(episode.gold[0].value for episode in arc.episodes if episode.kind is Kind.PROBE)


def test_the_user_says_the_turns_in_order_and_then_nothing() -> None:
    user = ScriptedUser(WorldEpisode("e", Kind.PROBE, ("one", "two")))
    assert (user.first(), user.reply("Done."), user.reply("You are welcome.")) == ("one", "two", None)


def test_an_agent_that_asks_back_is_told_to_go_ahead_once_and_never_in_a_plant() -> None:
    user = ScriptedUser(WorldEpisode("e", Kind.PROBE, ("one", "two")))
    assert (user.first(), user.reply("Shall I?"), user.reply("Really?"), user.reply("Sure?")) == (
        "one",
        GO_AHEAD,
        "two",
        None,
    )
    plant = ScriptedUser(WorldEpisode("e", Kind.PLANT, ("one",)))
    assert (plant.first(), plant.reply("Shall I?")) == ("one", None)


def test_a_paraphrase_that_keeps_what_identifies_things_replaces_every_turn(arc: WorldArc) -> None:
    said = paraphrased(arc, lambda turn: f"Hello! {turn} Cheers.")
    assert [e.user for e in said.episodes] == [tuple(f"Hello! {turn} Cheers." for turn in e.user) for e in arc.episodes]
    assert replace(said, episodes=arc.episodes) == arc


def test_a_gold_value_in_a_paraphrased_probe_is_found(arc: WorldArc) -> None:
    value, probes = gold_of(arc), [e.user[0] for e in arc.episodes if e.kind is Kind.PROBE]
    with pytest.raises(LeakError) as raised:
        paraphrased(arc, lambda turn: f"{turn} Namely {value}." if turn in probes else turn)
    assert {(leak.channel, leak.value) for leak in raised.value.leaks} == {(Channel.PARAPHRASE, value)}


def test_a_gold_value_in_a_paraphrased_independent_episode_is_found(arc: WorldArc) -> None:
    value, others = gold_of(arc), [e.user[0] for e in arc.episodes if e.kind is Kind.INDEPENDENT]
    with pytest.raises(LeakError, match="paraphrase"):
        paraphrased(arc, lambda turn: f"{turn} Not {value}." if turn in others else turn)


def test_a_paraphrase_that_loses_a_value_or_a_name_is_refused(arc: WorldArc) -> None:
    with pytest.raises(MemuseError, match="leaves out") as raised:
        paraphrased(arc, lambda turn: "Please keep something in mind.")
    assert raised.value.reason == "paraphrase"


def test_a_paraphrase_that_fails_is_asked_for_again(arc: WorldArc) -> None:
    answers: dict[str, int] = {}

    def better_the_third_time(turn: str) -> str:
        answers[turn] = answers.get(turn, 0) + 1
        return turn if answers[turn] == 3 else "Please keep something in mind."

    kept = [e for e in arc.episodes if e.kind is Kind.UPDATE]
    assert paraphrased(replace(arc, episodes=tuple(kept)), better_the_third_time).episodes == tuple(kept)
    assert set(answers.values()) == {3}


def test_a_model_is_asked_for_a_paraphrase_of_one_turn_alone() -> None:
    asked = []

    def model(request: object) -> dict[str, object]:
        asked.append(request)
        return {"choices": [{"message": {"content": "In other words."}}]}

    assert paraphrasing(model, "some-model")("A turn.") == "In other words."
    ((request,),) = [asked]
    assert request["model"] == "some-model"  # type: ignore[index]
    assert [m["role"] for m in request["messages"]] == ["system", "user"]  # type: ignore[index]
    assert request["messages"][1]["content"] == "A turn."  # type: ignore[index]


def test_an_answer_that_is_no_chat_completion_is_refused() -> None:
    with pytest.raises(MemuseError, match="paraphrase"):
        paraphrasing(lambda request: {"error": "no"})("A turn.")
