"""Each call's input, replayed from the agent's messages, retractions and history rewrites (MemUse A.1.1, A.1.3)."""

from dataclasses import replace
from itertools import pairwise

from pytest_memuse.model import Call, Episode, HistoryChange, HistoryKind
from pytest_memuse.model.episodes import LOST

LONGEST_INPUT = 100_000
"""Messages of one input; a change that names a later position is not placed, whatever its line says."""

MOST_REPLAYED = 20_000_000
"""Messages of all replayed inputs of an episode together. A history is short where the inputs that it gives are long;
behind this bound, inputs stay unobserved."""


def replay_inputs(episode: Episode) -> Episode:
    """Return the episode with the input of each agent call as its record establishes it.

    Where the history holds the agent's messages, a call without an exact request gets the input that replaying them
    gives. A call with an exact request keeps it; where the history does not agree with it, the input has a gap. An
    episode without a history is returned as it is, and replaying a second time changes nothing.
    """
    if not episode.history:
        return episode
    if any(change.kind is HistoryKind.APPEND for change in episode.history):
        calls = _Replay(episode).calls()
    else:
        calls = _contradicted(episode)
    if not calls:
        return episode
    return replace(
        episode,
        steps=tuple(replace(s, call=calls[s.call.id]) if s.call.id in calls else s for s in episode.steps),
        failed_calls=tuple(calls.get(call.id, call) for call in episode.failed_calls),
    )


class _VisibleHistory:
    """The messages that the agent sees, while changes come in.

    Positions from ``doubtful`` on are not established; it is None where all are. ``contradicted`` is set where a change
    did not fit a history that was established.
    """

    def __init__(self, messages: tuple[str, ...] = ()) -> None:
        self.messages = list(messages)
        self.doubtful: int | None = None
        self.contradicted = False

    def apply(self, change: HistoryChange) -> None:
        fits = self._fits(change)
        length = len(self.messages)
        if change.kept > LONGEST_INPUT:
            self.messages = []
            self._doubt(0)
        elif change.kept > length:
            # The record has lost what stood between: missing positions, or an invalid retained prefix.
            self.messages.extend([LOST] * (change.kept - length))
            self._doubt(length)
        else:
            del self.messages[change.kept :]
            if not fits:
                self._doubt(0)
            if change.kind is HistoryKind.APPEND:
                if change.kept < length:
                    # What stood here left without a record.
                    self._doubt(change.kept)
            elif self.doubtful is not None and change.kept <= self.doubtful:
                # A removal above a kept prefix is known: what was in doubt is gone with it.
                self.doubtful = None
        if change.kind is not HistoryKind.RETRACTION:
            self.messages.extend(change.messages)

    def set(self, messages: tuple[str, ...], *, established: bool) -> None:
        self.messages = list(messages)
        self.doubtful = None if established else 0

    def agrees(self, request: tuple[str, ...]) -> bool:
        """Return whether nothing that is established of the history differs from an exact request."""
        if self.contradicted:
            return False
        if self.doubtful is None:
            return tuple(self.messages) == request
        return tuple(self.messages[: self.doubtful]) == request[: self.doubtful]

    def _fits(self, change: HistoryChange) -> bool:
        """Return whether what a change removes is visible; a retraction must have something to retract."""
        if change.kind is HistoryKind.APPEND:
            return True
        found = self.messages[change.kept : self.doubtful]
        if self.doubtful is not None:
            return not change.removed or list(change.removed[: len(found)]) == found
        if change.kind is HistoryKind.RETRACTION and not found:
            return False
        return not change.removed or list(change.removed) == found

    def _doubt(self, position: int) -> None:
        self.contradicted = self.contradicted or self.doubtful is None
        self.doubtful = position if self.doubtful is None else min(position, self.doubtful)


class _Replay:
    """Replays the whole history of an episode, call by call; one instance replays one episode, once."""

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
        self._calls = {call.id: call for call in (*episode.failed_calls, *(step.call for step in episode.steps))}
        self._numbers = {step.call.id: step.number for step in episode.steps}
        self._absent = {d for change in episode.history for d in change.messages if d not in episode.messages}
        self._visible = _VisibleHistory()
        self._settled: dict[str, Call] = {}
        self._reached = 0
        self._strayed = False
        self._replayed = 0

    def calls(self) -> dict[str, Call]:
        """Return the calls that the replay changes, by identifier."""
        before: str | None = None
        late: set[str] = set()
        for change in self._episode.history:
            if change.before != before:
                self._settle(before)
                before = change.before
                if not self._come_to(change.before):
                    # The record's order contradicts itself: neither that call nor the history from here is known.
                    late.add(change.before)
                    self._visible.set((), established=False)
                    before = None
            self._visible.apply(change)
        self._settle(before)
        self._settle_until(len(self._episode.steps))
        self._settled |= {name: replace(self._settled[name], gap=True) for name in late}
        return {name: call for name, call in self._settled.items() if call != self._calls[name]}

    def _come_to(self, call: str) -> bool:
        """Settle the steps before a call that a change names; return False where the record is past that call."""
        if call in self._settled:
            return False
        number = self._numbers.get(call)
        if number is None:
            self._strayed = True
            return True
        self._settle_until(number - 1)
        self._reached, self._strayed = number, False
        return True

    def _settle_until(self, number: int) -> None:
        """Settle steps before which nothing changed. What other calls saw in between is not known to be theirs."""
        for step in self._episode.steps[self._reached : number]:
            self._settle(step.call.id, ambiguous=self._strayed)
        self._reached = max(self._reached, number)

    def _settle(self, name: str | None, *, ambiguous: bool = False) -> None:
        """Compare a call with the history before it, or give it its input; nothing is to do where it is no agent's."""
        if name is None or name not in self._calls:
            return
        call, visible = self._calls[name], self._visible
        self._replayed += len(call.input or visible.messages)
        if call.input and not call.gap:
            self._settled[name] = call if ambiguous or visible.agrees(call.input) else replace(call, gap=True)
            visible.set(call.input, established=True)
        elif call.input:
            self._settled[name] = call
            visible.set(call.input, established=False)
        elif self._replayed > MOST_REPLAYED:
            self._settled[name] = replace(call, gap=True)
        else:
            found = tuple(visible.messages)
            lost = visible.doubtful is not None or visible.contradicted or not self._absent.isdisjoint(found)
            self._settled[name] = replace(call, input=found, gap=call.gap or lost or ambiguous)
        visible.contradicted = False


def _contradicted(episode: Episode) -> dict[str, Call]:
    """Return the calls whose exact request is not what a change before them leaves of the request of the step before.

    Such a history tells what left the input and nothing of what was added, so a request may go on from it freely.
    """
    changes: dict[str, list[HistoryChange]] = {}
    for change in episode.history:
        changes.setdefault(change.before, []).append(change)
    out: dict[str, Call] = {}
    for before, step in pairwise(episode.steps):
        call = step.call
        if call.id not in changes or call.gap or before.call.gap or not call.input or not before.call.input:
            continue
        visible = _VisibleHistory(before.call.input)
        for change in changes[call.id]:
            visible.apply(change)
        if visible.doubtful is not None or not visible.agrees(call.input[: len(visible.messages)]):
            out[call.id] = replace(call, gap=True)
    return out
