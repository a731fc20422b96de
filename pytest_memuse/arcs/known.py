"""What a text that a model reads says of a subject: ``The SUBJECT is VALUE.``, ``SUBJECT: VALUE`` and the like."""

import re
from collections.abc import Iterator

# Every repetition is bounded: what stands in a memory block may be anything.
_SAYS = re.compile(
    r"[\"'`*]{0,2}(?:\s{1,9}(?:is|are)(?:\s{1,9}now)?\s{0,9}:?\s{1,9}|\s{0,9}(?:[:=]|->|→)\s{0,9})", re.IGNORECASE
)
_VALUE = re.compile(r"(.{1,300}?)(?=[.;!?](?:\s|$)|[ \t]{0,9}$)", re.MULTILINE)


def stated(subject: str, text: str) -> Iterator[str]:
    """Yield the values that a text states of a subject, in order; a value ends with its sentence, line or clause."""
    pattern = re.compile(r"(?<!\w)" + r"\s{1,9}".join(map(re.escape, subject.split())), re.IGNORECASE)
    for found in pattern.finditer(text):
        says = _SAYS.match(text, found.end())
        value = _VALUE.match(text, says.end()) if says else None
        if value and (plain := value[1].strip().strip("\"'`*")):
            yield plain


_FORBIDS = re.compile(
    r"\b(?:do not|don't|do nothing|nothing is to be|leave everything|must not|not to)\b[^.!?]{0,80}"
    r"\b(?:yet|for now|until|act on|before I)\b",
    re.IGNORECASE,
)


def forbids(turn: str) -> bool:
    """Tell whether a user forbids acting."""
    return _FORBIDS.search(turn) is not None


def statements(turn: str) -> list[str]:
    """Return the sentences of a turn that state something of a subject."""
    found = (_STATES.search(sentence) for sentence in re.split(r"(?<=[.!?])\s+", turn))
    return [sentence[0] for sentence in found if sentence]


_STATES = re.compile(r"\bThe\s.{1,200}?\sis\s.{1,300}")
