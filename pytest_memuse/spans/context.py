"""The prior context of a span: what else the agent could see when it first read the delivery (MemUse 3.1, A.1.3)."""

from dataclasses import dataclass

from pytest_memuse.model import Episode, MemuseError, Message
from pytest_memuse.spans.proofs import Failure, ProofResolver
from pytest_memuse.spans.replay import replay_inputs
from pytest_memuse.spans.types import Span


@dataclass(frozen=True, slots=True)
class PriorSource:
    """One message of the consuming input, the text of the target delivery cut out.

    ``position`` counts the input's messages from 0. ``text`` is what is left of ``message.text``, the pieces joined;
    ``removed`` holds the intervals ``[start, end)`` that were cut, in order. The tool calls of ``message`` stay.
    """

    position: int
    message: Message
    text: str
    removed: tuple[tuple[int, int], ...] = ()

    @property
    def is_marker(self) -> bool:
        """Whether the message was memory through and through, and only its position is left."""
        return bool(self.removed) and not self.text and not self.message.tool_calls


def prior_context(episode: Episode, span: Span) -> tuple[PriorSource, ...]:
    """Return the first consuming input of a span, message by message, without the text of the span's first delivery.

    Other deliveries stay, copies of the same items among them: they were visible. Raises `MemuseError` for a span
    without an attributed step, where a placement does not resolve to one interval, and where the recording lost a
    message of the input; none of these is ever judged.

    The input of a log with history only is replayed each time; who asks for several spans passes the episode that
    `replay_inputs` returned.
    """
    if span.first is None:
        raise MemuseError(f"span {span.id} has no consuming step, so it has no prior context", reason="unattributed")
    if not episode.steps[span.first - 1].call.input:
        episode = replay_inputs(episode)
    call = episode.steps[span.first - 1].call
    resolver = ProofResolver(episode.messages)
    cuts: dict[int, list[tuple[int, int]]] = {}
    for placement in span.deliveries[0].placements:
        host = resolver.resolve(placement, call)
        if isinstance(host, Failure):
            where = f"span {span.id}, delivery {span.deliveries[0].id}, slot {placement.slot}"
            raise MemuseError(f"{where}: {host.sentence}", reason=str(host.kind))
        cuts.setdefault(host.index, []).append((host.start, host.end))
    if any(digest not in episode.messages for digest in call.input):
        sentence = f"span {span.id}: the recording lost a message of the input of step {span.first}"
        raise MemuseError(sentence, reason="input_gap")
    return tuple(
        _source(position, message, cuts.get(position, []))
        for position, message in enumerate(episode.input_of(span.first))
    )


def _source(position: int, message: Message, cuts: list[tuple[int, int]]) -> PriorSource:
    pieces = []
    reached = 0
    for start, end in sorted(cuts):
        pieces.append(message.text[reached:start])
        reached = max(reached, end)
    pieces.append(message.text[reached:])
    return PriorSource(position, message, "".join(pieces), tuple(sorted(cuts)))
