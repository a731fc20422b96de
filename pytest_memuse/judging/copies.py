"""Where the same item reached the agent more than once: one source, which does not compete (A.2.2)."""

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_memuse.model import Episode
from pytest_memuse.spans import Span
from pytest_memuse.spans.proofs import Failure, ProofResolver


@dataclass(frozen=True, slots=True)
class Copies:
    """What to cut from which message so that a span's own items are gone from it and everything else stays.

    ``hosts`` are the digests of all messages that carry a delivery of any item.
    """

    cuts: dict[str, tuple[tuple[str, str], ...]]
    hosts: frozenset[str] = frozenset()

    def removed(self, message: str, text: str) -> str:
        """Return the text of a message, by its digest, without the copies."""
        for placement, rest in self.cuts.get(message, ()):
            text = text.replace(placement, rest)
        return text


def copies_of(episode: Episode, spans: Iterable[Span], span: Span) -> Copies:
    """Return the copies of a span's items: its own deliveries whole, of other deliveries the same items' exposed text.

    Only text at a proven placement is a copy; the same words anywhere else are another source.
    """
    identities = {entry.entry.identity for entry in span.entries} - {None}
    resolver = ProofResolver(episode.messages)
    calls = {step.call.id: step.call for step in episode.steps}
    cuts: dict[str, list[tuple[str, str]]] = {}
    hosts: set[str] = set()
    for other in spans:
        own = other.id == span.id
        shown = [e.exposure.text for e in other.entries if e.exposure.text and e.entry.identity in identities]
        for delivery in other.deliveries:
            call = calls.get(delivery.call or "")
            for placement in delivery.placements if call is not None else ():
                host = resolver.resolve(placement, call) if call is not None else None
                if call is None or host is None or isinstance(host, Failure) or not placement.text:
                    continue
                hosts.add(call.input[host.index])
                if not own and not shown:
                    continue
                rest = "\n" if own else placement.text
                for text in shown:
                    rest = rest.replace(text, "\n")
                cuts.setdefault(call.input[host.index], []).append((placement.text, rest))
    return Copies({message: tuple(pairs) for message, pairs in cuts.items()}, frozenset(hosts))
