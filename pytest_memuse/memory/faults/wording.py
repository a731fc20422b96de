"""Saying a text in other words with its values kept: what stands in quotes, numbers, names, paths and identifiers."""

import re

_KEPT = re.compile(
    r"`[^`\n]{0,400}`|\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|\S{0,200}[\d_/@\\]\S{0,200}|\w{1,80}(?:[.:-]\w{1,80}){1,20}"
)
_WORD = re.compile(r"[A-Za-z]+")
_PAIRS = (
    ("the", "our"),
    ("this", "that"),
    ("these", "those"),
    ("directly", "straight"),
    ("only", "just"),
    ("lives", "stays"),
    ("needs", "wants"),
    ("keeps", "holds"),
    ("nearly", "almost"),
    ("starts", "begins"),
)
"""Words and others for them that are as long: what is delivered gets neither longer nor shorter, which would show."""

_OTHERS = dict(_PAIRS)
_LEAD = "Noted: "
_CLAUSES = re.compile(r"([^,\n]{3,200}), ([^\n]{3,1000}?)([.!]?)")


def paraphrased(text: str) -> str:
    """Return the text in other words, never the same; what carries a value stands in it in the same order.

    It is as long as before: words give way to others of their length, or the clauses of a sentence change places. Only
    where neither can be done, a word leads the text in.
    """
    out, last = [], 0
    for kept in _KEPT.finditer(text):
        out += [_reworded(text[last : kept.start()]), kept[0]]
        last = kept.end()
    said = "".join([*out, _reworded(text[last:])])
    return said if said != text else _turned(text) or _LEAD + text


def kept_in(text: str) -> tuple[str, ...]:
    """Return the parts of a text that carry values, which a paraphrase keeps."""
    return tuple(match[0] for match in _KEPT.finditer(text))


def _reworded(plain: str) -> str:
    return _WORD.sub(_other, plain)


def _other(match: "re.Match[str]") -> str:
    word = match[0]
    other = _OTHERS.get(word.lower())
    if other is None:
        return word
    return other[0].upper() + other[1:] if word[0].isupper() else other


def _turned(text: str) -> str:
    """Return a sentence with its first clause last; an empty text where that carries a value, or is all there is."""
    clauses = _CLAUSES.fullmatch(text)
    if clauses is None or kept_in(clauses[1]) or clauses[1][0].lower() == clauses[2][0].lower():
        return ""
    first, second = clauses[1], clauses[2]
    return second[0].upper() + second[1:] + ", " + first[0].lower() + first[1:] + clauses[3]
