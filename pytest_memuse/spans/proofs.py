"""Placement proofs: which message of the consuming input hosts a placement, and where in it (MemUse A.1.1, A.1.3)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from pytest_memuse.model import Call, Message, Placement, Proof
from pytest_memuse.model.digests import text_digest

_POINTER = re.compile(r"/messages/(0|[1-9][0-9]{0,8})(?:/content)?", re.ASCII)


class ProblemKind(StrEnum):
    """How a recording check failed; each way is told apart."""

    MISSING_TASK = "missing_task"
    UNRESOLVED_BOUNDARY = "unresolved_boundary"
    INPUT_UNOBSERVED = "input_unobserved"
    INPUT_GAP = "input_gap"
    MISSING_PROOF = "missing_proof"
    DUPLICATE_PROOF = "duplicate_proof"
    UNLOCATED_PROOF = "unlocated_proof"
    ABSENT_MESSAGE = "absent_message"
    AMBIGUOUS_MESSAGE = "ambiguous_message"
    INVALID_PROOF = "invalid_proof"
    TEXT_UNRESOLVED = "text_unresolved"
    TEXT_ABSENT = "text_absent"
    TEXT_REPEATED = "text_repeated"
    CONTESTED_HOST = "contested_host"


@dataclass(frozen=True, slots=True)
class Host:
    """A resolved placement: the ``index`` of its host message in the consuming input, the message's digest, and the
    interval ``[start, end)`` of the placement in the message's text."""

    index: int
    message: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a placement does not resolve. ``message`` is the digest of the message that its proof names, if it names one
    in the input: no other placement there can be told apart from it (A.1.3)."""

    kind: ProblemKind
    sentence: str
    message: str | None = None


class ProofResolver:
    """Resolves the placements of one episode against its recorded inputs, remembering digests and intervals."""

    def __init__(self, messages: Mapping[str, Message]) -> None:
        self._messages = messages
        self._text_digests: dict[str, str] = {}
        self._intervals: dict[tuple[str, str], tuple[int, int] | ProblemKind] = {}

    def resolve(self, placement: Placement, call: Call) -> Host | Failure:
        """Return where the placement stands in the input of its consuming call, or why that is not established."""
        proofs = [proof for proof in placement.proofs if proof.slot == placement.slot]
        if len(proofs) != 1:
            kind = ProblemKind.DUPLICATE_PROOF if proofs else ProblemKind.MISSING_PROOF
            named = self._locate(proofs[0], call) if proofs else None
            host = call.input[named] if isinstance(named, int) else None
            return Failure(kind, f"{len(proofs)} proofs match the slot, exactly one must", host)
        proof = proofs[0]
        index = self._verify(proof, call)
        if isinstance(index, Failure):
            return index
        digest = call.input[index]
        interval = self._interval(placement, digest)
        if isinstance(interval, ProblemKind):
            return Failure(interval, _INTERVALS[interval].format(index=index))
        return Host(index, digest, *interval)

    def strays(self, placement: Placement, call: Call) -> tuple[str, ...]:
        """Return the messages of the input that a placement's proofs for other slots name without resolving.

        Such a proof proves nothing of its placement, but the message that it names may hold memory text that cannot be
        told apart from what is proven there (A.1.3).
        """
        found = (self._verify(proof, call) for proof in placement.proofs if proof.slot != placement.slot)
        return tuple(f.message for f in found if isinstance(f, Failure) and f.message is not None)

    def _verify(self, proof: Proof, call: Call) -> int | Failure:
        """Return the position of the one message that a proof names, whose text has the digest that it states."""
        index = self._locate(proof, call)
        if isinstance(index, int) and self._text_digest(call.input[index]) != proof.text_digest:
            sentence = f"the proof's digest is not that of the text of message {index} of the input"
            return Failure(ProblemKind.INVALID_PROOF, sentence, call.input[index])
        return index

    def _locate(self, proof: Proof, call: Call) -> int | Failure:
        index: int | None = None
        if proof.pointer is not None:
            match = _POINTER.fullmatch(proof.pointer)
            if match is None:
                sentence = f"the pointer {proof.pointer!r} names no message of the request"
                return Failure(ProblemKind.UNLOCATED_PROOF, sentence)
            index = int(match[1])
            if index >= len(call.input) or call.input[index] not in self._messages:
                sentence = f"the input of {len(call.input)} messages has none at {proof.pointer!r}"
                return Failure(ProblemKind.ABSENT_MESSAGE, sentence)
            if proof.message is not None and proof.message != call.input[index]:
                sentence = f"the proof's pointer and its message digest name different messages ({proof.pointer!r})"
                return Failure(ProblemKind.INVALID_PROOF, sentence, call.input[index])
            return index
        if proof.message is None:
            return Failure(ProblemKind.UNLOCATED_PROOF, "the proof names neither a pointer nor a message")
        count = call.input.count(proof.message)
        if count == 0 or proof.message not in self._messages:
            return Failure(ProblemKind.ABSENT_MESSAGE, f"message {proof.message} is not in the consuming input")
        if count > 1:
            sentence = f"message {proof.message} stands {count} times in the consuming input"
            return Failure(ProblemKind.AMBIGUOUS_MESSAGE, sentence, proof.message)
        return call.input.index(proof.message)

    def _text_digest(self, message: str) -> str:
        if message not in self._text_digests:
            self._text_digests[message] = text_digest(self._messages[message].text)
        return self._text_digests[message]

    def _interval(self, placement: Placement, message: str) -> tuple[int, int] | ProblemKind:
        """Return the one interval of the placement in a message.

        A text that is not recorded is still placed where its digest is that of the whole message.
        """
        text = placement.text
        if text is None:
            if placement.text_digest is not None and placement.text_digest == self._text_digest(message):
                return (0, len(self._messages[message].text))
            return ProblemKind.TEXT_UNRESOLVED
        key = (message, text)
        if key not in self._intervals:
            self._intervals[key] = _unique(text, self._messages[message].text)
        return self._intervals[key]


_INTERVALS = {
    ProblemKind.TEXT_UNRESOLVED: "the placement's text is not recorded, so it cannot be found in message {index}",
    ProblemKind.TEXT_ABSENT: "the placement's text does not occur in message {index}",
    ProblemKind.TEXT_REPEATED: "the placement's text occurs more than once in message {index}",
}


def _unique(text: str, host: str) -> tuple[int, int] | ProblemKind:
    """Return the only interval of a text in its host; an empty text has nothing to separate and stands at the end."""
    if not text:
        return (len(host), len(host))
    start = host.find(text)
    if start < 0:
        return ProblemKind.TEXT_ABSENT
    if host.find(text, start + 1) >= 0:
        return ProblemKind.TEXT_REPEATED
    return (start, start + len(text))
