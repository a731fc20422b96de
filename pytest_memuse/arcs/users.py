"""The simulated user of an episode: says its written turns, or paraphrased ones (MERIT 3.2, 4)."""

import re
from collections.abc import Callable
from dataclasses import replace

from pytest_memuse.arcs.leaks import LeakError, leaks_of_paraphrase
from pytest_memuse.arcs.prompts import GO_AHEAD
from pytest_memuse.arcs.types import WorldArc, WorldEpisode
from pytest_memuse.model.errors import MemuseError, printable

Paraphrase = Callable[[str], str]
"""Says a user's turn in other words."""


class ScriptedUser:
    """The user of one episode. An agent that asks back is told once to go ahead, where something is to be done."""

    def __init__(self, episode: WorldEpisode) -> None:
        self._turns = list(episode.user)
        self._answers = [GO_AHEAD] if episode.kind.acts else []

    def first(self) -> str:
        """Return the turn that begins the session."""
        return self._turns.pop(0)

    def reply(self, said: str) -> str | None:
        """Return what the user says to an answer of the agent's, None where the session is over."""
        if self._answers and said.rstrip().endswith("?"):
            return self._answers.pop()
        return self._turns.pop(0) if self._turns else None


def paraphrased(arc: WorldArc, paraphrase: Paraphrase, *, attempts: int = 3) -> WorldArc:
    """Return an arc whose user says everything in other words.

    A turn must keep what identifies things: its words with digits in them, quoted names, and in plants and updates the
    values of their facts. It may state no gold value that the turn before it did not (the paraphrase-leak check). One
    that fails is asked for again; after ``attempts`` of them `LeakError` or `MemuseError` is raised.
    """
    return replace(arc, episodes=tuple(_episode(arc, episode, paraphrase, attempts) for episode in arc.episodes))


def _episode(arc: WorldArc, episode: WorldEpisode, paraphrase: Paraphrase, attempts: int) -> WorldEpisode:
    turns = tuple(_turn(arc, episode, turn, paraphrase, attempts) for turn in episode.user)
    return replace(episode, user=turns)


def _turn(arc: WorldArc, episode: WorldEpisode, turn: str, paraphrase: Paraphrase, attempts: int) -> str:
    problem: MemuseError | None = None
    for _ in range(attempts):
        said = paraphrase(turn).strip()
        leaks = leaks_of_paraphrase(arc, episode, (said,))
        lost = _lost(episode, turn, said)
        if not leaks and not lost:
            return said
        problem = LeakError(arc.id, leaks) if leaks else _forgotten(arc, episode, lost, said)
    if problem is None:
        raise ValueError("a paraphrase needs at least one attempt")
    raise problem


def _lost(episode: WorldEpisode, turn: str, said: str) -> list[str]:
    """Return what a paraphrase has to keep and does not."""
    kept = dict.fromkeys(fact.value for fact in episode.gold if not episode.kind.acts and fact.value in turn)
    kept |= dict.fromkeys(word.strip(".,;:!?()") for word in turn.split() if any(c.isdigit() for c in word))
    kept |= dict.fromkeys(_QUOTED.findall(turn))
    there = " ".join(said.split())
    return [part for part in kept if part not in there]


def _forgotten(arc: WorldArc, episode: WorldEpisode, lost: list[str], said: str) -> MemuseError:
    return MemuseError(
        f"arc {arc.id!r}, episode {episode.id!r}: the paraphrase leaves out {', '.join(map(repr, lost))}: "
        f"{printable(said)}",
        reason="paraphrase",
        mend="let the model keep names, numbers and quoted texts as they are, or take another one",
    )


_QUOTED = re.compile(r"(?<!\w)'([^'\n]{1,80})'(?!\w)")
