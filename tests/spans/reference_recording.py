"""The rules of MemUse A.1.1 and A.1.3, literally: inputs, proofs, recording checks, prior context. Part of
`tests.spans.reference`."""

from dataclasses import dataclass, replace

from pytest_memuse.model import Delivery, Episode, HistoryChange, HistoryKind, Message, Placement, Proof, Step
from pytest_memuse.model.digests import text_digest
from pytest_memuse.model.episodes import LOST

Host = tuple[int, Message]
"""A host message and its position in the consuming input."""


@dataclass
class History:
    """The visible messages while the record is replayed. From ``unknown`` on, when it is set, they are not certain."""

    messages: list[str]
    unknown: int | None = None
    has_gap: bool = False

    def lose(self, position: int) -> None:
        self.has_gap = self.has_gap or self.unknown is None
        self.unknown = position if self.unknown is None else min(self.unknown, position)

    def apply(self, change: HistoryChange) -> None:
        """A retraction above a retained prefix is a known removal, and so is what a rewrite replaces. Missing
        positions, a retraction that finds no visible target and a prefix that cannot be are gaps.

        Silent: for how long. For as long as the uncertain positions are visible.
        """
        is_append = change.kind is HistoryKind.APPEND
        length = len(self.messages)
        if change.kept > length:
            self.messages += [LOST] * (change.kept - length)
            self.lose(length)
        else:
            known = self.messages[: self.unknown] if self.unknown is not None else self.messages
            targets = known[change.kept :]
            named = list(change.removed)
            if self.unknown is not None:
                is_found = not named or named[: len(targets)] == targets
            else:
                is_found = (not named or named == targets) and (change.kind is HistoryKind.REWRITE or bool(targets))
            self.messages = self.messages[: change.kept]
            if is_append and change.kept < length:
                self.lose(change.kept)
            elif not is_append:
                if not is_found:
                    self.lose(0)
                if self.unknown is not None and change.kept <= self.unknown:
                    self.unknown = None
        if change.kind is not HistoryKind.RETRACTION:
            self.messages += change.messages

    def agrees_with(self, request: tuple[str, ...]) -> bool:
        if self.has_gap:
            return False
        return tuple(self.messages[: self.unknown]) == (request if self.unknown is None else request[: self.unknown])


def replayed(episode: Episode) -> Episode:
    """Each consuming input is what the messages, retractions and rewrites before it leave, in recorded order. Where the
    exact request is recorded too, they must agree.

    Silent: a history without messages. It tells what left the input between two requests, and nothing of what came.
    """
    if not any(change.kind is HistoryKind.APPEND for change in episode.history):
        return replace(episode, steps=tuple(between_requests(episode, n) for n in range(len(episode.steps))))
    history, steps = History([]), []
    for step in episode.steps:
        call = step.call
        for change in episode.history:
            if change.before == call.id:
                history.apply(change)
        if not call.input:
            gap = call.gap or history.unknown is not None or history.has_gap
            call = replace(call, input=tuple(history.messages), gap=gap)
        elif call.gap:
            history = History(list(call.input), unknown=0)
        else:
            call, history = replace(call, gap=not history.agrees_with(call.input)), History(list(call.input))
        history.has_gap = False
        steps.append(replace(step, call=call))
    return replace(episode, steps=tuple(steps))


def between_requests(episode: Episode, place: int) -> Step:
    step = episode.steps[place]
    changes = [change for change in episode.history if change.before == step.call.id]
    if place == 0 or not changes:
        return step
    before = episode.steps[place - 1].call
    if step.call.gap or before.gap or not step.call.input or not before.input:
        return step
    history = History(list(before.input))
    for change in changes:
        history.apply(change)
    goes_on = history.unknown is None and history.agrees_with(step.call.input[: len(history.messages)])
    return step if goes_on else replace(step, call=replace(step.call, gap=True))


def step_of(episode: Episode, delivery: Delivery) -> int | None:
    """The attributed step is the one that the bound call completed; a call that completed none attributes none."""
    for step in episode.steps:
        if delivery.call is not None and step.call.id == delivery.call:
            return step.number
    return None


def input_of(episode: Episode, step: int) -> list[Message | None]:
    """The messages of a step's input; None is one that the record lost."""
    return [episode.messages.get(digest) for digest in episode.steps[step - 1].call.input]


def is_gap_free(episode: Episode, step: int) -> bool:
    """An input is observed and free of gaps if it was recorded with every message of it."""
    messages = input_of(episode, step)
    return bool(messages) and None not in messages and not episode.steps[step - 1].call.gap


def named_hosts(episode: Episode, step: int, proof: Proof) -> list[Host]:
    """The messages that a proof names: by its pointer into the request, by a message's digest, or by both."""
    hosts = []
    for position, message in enumerate(input_of(episode, step)):
        by_pointer = proof.pointer in (f"/messages/{position}", f"/messages/{position}/content")
        by_digest = message is not None and proof.message == message.digest
        if message is not None and (by_pointer or proof.pointer is None) and (by_digest or proof.message is None):
            hosts.append((position, message))
    return hosts


def resolve_proof(episode: Episode, step: int, proof: Proof) -> Host | None:
    """A proof names a message of the history or a place in the request, with the digest of the text there, and
    resolves to one visible host message. What an adapter defines itself stays unverified."""
    if proof.pointer is None and proof.message is None:
        return None
    hosts = named_hosts(episode, step, proof)
    if len(hosts) != 1 or text_digest(hosts[0][1].text) != proof.text_digest:
        return None
    return hosts[0]


def host_of(episode: Episode, step: int, placement: Placement) -> Host | None:
    """Exactly one proof matches the slot of a placement, and it resolves."""
    matched = [proof for proof in placement.proofs if proof.slot == placement.slot]
    return resolve_proof(episode, step, matched[0]) if len(matched) == 1 else None


def occurrences(part: str, text: str) -> int:
    return sum(text.startswith(part, start) for start in range(len(text)))


def interval(placement: Placement, host: Message) -> tuple[int, int] | None:
    """The text occurs exactly once in its host. Silent: unresolved text whose digest is that of the whole host is the
    whole of it, and an empty text has nothing to separate."""
    if placement.text is None:
        return (0, len(host.text)) if placement.text_digest == text_digest(host.text) else None
    if placement.text == "":
        return (0, 0)
    if occurrences(placement.text, host.text) != 1:
        return None
    start = host.text.index(placement.text)
    return (start, start + len(placement.text))


def is_contested(episode: Episode, step: int, host: Message) -> bool:
    """No unresolved proof may name the message as a possible host: none of those that were verified against this
    request, whatever their slot."""
    for delivery in episode.deliveries:
        for placement in delivery.placements if step_of(episode, delivery) == step else ():
            for proof in placement.proofs:
                if resolve_proof(episode, step, proof) is None and host in possible_hosts(episode, step, proof):
                    return True
    return False


def possible_hosts(episode: Episode, step: int, proof: Proof) -> list[Message]:
    """The messages that a proof names, by its pointer or else by a digest."""
    if proof.pointer is None and proof.message is None:
        return []
    if proof.pointer is not None:
        proof = replace(proof, message=None)
    return [message for _, message in named_hosts(episode, step, proof)]


def proven_host(episode: Episode, step: int, placement: Placement) -> Host | None:
    """The host in which a placement is proven: its proof resolves, and its text is at one place there."""
    host = host_of(episode, step, placement)
    return None if host is None or interval(placement, host[1]) is None else host


def recording_is_valid(episode: Episode) -> bool:
    """Every nonempty delivery with a step has a gap-free input, every placement in an observed call is proven;
    boundaries are resolved, and there is a task where there is something to judge."""
    for delivery in episode.deliveries:
        step = step_of(episode, delivery)
        if step is None:
            continue
        if delivery.entries and not is_gap_free(episode, step):
            return False
        if delivery.entries and (episode.task is None or not episode.task.text.strip()):
            return False
        hosts = [proven_host(episode, step, placement) for placement in delivery.placements]
        if any(host is None or is_contested(episode, step, host[1]) for host in hosts):
            return False
    return episode.resolved


def prior_context(episode: Episode, delivery: Delivery) -> list[str] | None:
    """The consuming input without the text of the delivery; None without such an input, where it is not proven, and
    where the record lost a message of it."""
    step = step_of(episode, delivery)
    if step is None:
        return None
    messages = input_of(episode, step)
    if None in messages:
        return None
    texts = [list(message.text) for message in messages if message is not None]
    for placement in delivery.placements:
        host = proven_host(episode, step, placement)
        place = None if host is None else interval(placement, host[1])
        if host is None or place is None:
            return None
        for index in range(*place):
            texts[host[0]][index] = ""
    return ["".join(text) for text in texts]
