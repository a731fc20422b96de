"""Saying a text in other words with its values kept: what stands in quotes, numbers, names, paths and identifiers."""

import re

_KEPT = re.compile(
    r"`[^`\n]{0,400}`|\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|\S{0,200}[\d_/@\\]\S{0,200}|\w{1,80}(?:[.:-]\w{1,80}){1,20}"
)
_WORD = re.compile(r"[A-Za-z]+(?: not\b)?")
_OTHERS = {
    "because": "since",
    "since": "because",
    "must": "has to",
    "must not": "is not to",
    "so": "hence",
    "therefore": "for that reason",
    "directly": "without a detour",
    "always": "at all times",
    "never": "at no time",
    "only": "nothing but",
    "also": "as well",
    "every": "each",
    "each": "every",
    "and": "and also",
    "but": "however,",
    "after": "following",
    "about": "concerning",
    "while": "as long as",
    "unless": "except where",
    "needs": "requires",
    "uses": "makes use of",
    "keeps": "holds",
    "lives": "is kept",
    "outside": "out of",
    "instead": "in place of that",
}
_LEAD = "As noted at the time: "


def paraphrased(text: str) -> str:
    """Return the text in other words; it is never the same, and what carries a value stands in it in the same order."""
    out, last = [], 0
    for kept in _KEPT.finditer(text):
        out += [_reworded(text[last : kept.start()]), kept[0]]
        last = kept.end()
    said = "".join([*out, _reworded(text[last:])])
    return said if said != text else _LEAD + text


def kept_in(text: str) -> tuple[str, ...]:
    """Return the parts of a text that carry values, which a paraphrase keeps."""
    return tuple(match[0] for match in _KEPT.finditer(text))


def _reworded(plain: str) -> str:
    return _WORD.sub(_other, plain)


def _other(match: "re.Match[str]") -> str:
    word = match[0]
    other = _OTHERS.get(word.lower())
    if other is None and word.lower().endswith(" not"):
        head, tail = word[:-4], word[-4:]
        other = _OTHERS.get(head.lower())
        return word if other is None else _cased(head, other) + tail
    return word if other is None else _cased(word, other)


def _cased(word: str, other: str) -> str:
    return other[0].upper() + other[1:] if word[0].isupper() else other
