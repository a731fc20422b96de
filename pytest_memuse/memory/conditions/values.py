"""Values as people write them: where they end, what they are said to replace, and which look like values at all."""

import re
from dataclasses import dataclass

_LONGEST = 200
_QUOTES = ("``", "''", '""', "“”", "‘’")
_FLAGS = re.IGNORECASE

_QUOTED = re.compile(r"[`'\"“‘](?P<v>[^`'\"”’]{1,200})[`'\"”’]")
_INSTEAD = re.compile(
    r"[,;(]? ?(?:\band )?\b(?:instead of|rather than|in place of|and not|not|no longer|up from|down from|formerly"
    r"|previously|before it was|it was|replacing|which replaces|where it was)\b:? (?P<i>.+)$",
    _FLAGS,
)
_REST = re.compile(
    r"(?: [-–—]+ |; | ?\(|,? (?:but|so|because|since|until|please|when|once|if|though|although|which|while"
    r"|as (?:of|we|agreed|discussed)|from now on|going forward|for now|for later|effective|instead|right|now|then|again"
    r"|this time|in the end|do not|don't|and (?:please|do|don't|not|nothing|then))\b).*$",
    _FLAGS,
)
_CONTRAST = re.compile(r"(?:no longer|not) .{1,160}? but (?:rather )?(?P<v>.+)", _FLAGS)
_STATE = (
    "settled|agreed|decided|done|fixed|revised|changed|final|confirmed|correct|wrong|right|fine|ok|okay|ready|due|pending"
    "|broken|failing|valid|invalid|outdated|out of date|obsolete|urgent|important|lost|missing|late|the same|up to date"
)
_DENIED = re.compile(
    rf"(?:not|no longer|never|nothing|unknown|undecided|open|gone|to be|(?:already |still |all )?(?:{_STATE}))\b",
    _FLAGS,
)
_REFERENCE = re.compile(
    r"(?:the (?:value|one|same|address|amount|version|place|time|full|total|previous|latest)\b"
    r"|what|whatever|that|it|where|as|like|how|who|why)\b",
    _FLAGS,
)
_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAY = (
    r"\d{4}-\d{2}-\d{2}|(?:mon|tues|wednes|thurs|fri|satur|sun)day(?: the \d{1,2}(?:st|nd|rd|th)?)?"
    rf"|(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? )?(?:{_MONTH})(?: \d{{1,2}}(?:st|nd|rd|th)?)?"
)
_TIME = r"\d{1,2}(?::\d{2})(?: ?[ap]\.?m\.?)?|\d{1,2} ?[ap]\.?m\.?|noon|midnight"
_ON = re.compile(rf"(?:on |for )?(?P<day>{_DAY})\Z", _FLAGS)
_AT = re.compile(rf"(?:at )?(?P<time>{_TIME})\Z", _FLAGS)
_PIECES = re.compile(r",? (?=(?:at|on|in) )|, ", _FLAGS)
_PLACE = re.compile(r"(?:at|in) (?P<place>(?:the )?[A-Z].{0,80})\Z")
_PREPOSITION = re.compile(r"(?:at|on|to|as|for|in) (?=[\d$€£`'\"A-Z])")


@dataclass(frozen=True, slots=True)
class Cut:
    """A value cut out of what was said; ``instead`` is the value that it is said to replace, empty where none is."""

    value: str
    instead: str = ""


def trimmed_value(said: str) -> Cut | None:
    """Return the value that a sentence goes on with after "is", without what follows; None where it names none.

    None is for denials ("not yet known"), references ("the value that the other one has") and what is too long.
    """
    told = said.strip()
    if contrast := _CONTRAST.match(told):
        told = contrast["v"]
    if preposition := _PREPOSITION.match(told):
        told = told[preposition.end() :]
    if (quoted := _QUOTED.match(told)) and quoted["v"].strip():
        after = _INSTEAD.search(told, quoted.end())
        return Cut(quoted["v"].strip(), _bare(after["i"]) if after else "")
    return _cut(told)


def without_replaced(told: str) -> Cut:
    """Return a text without what it is said to replace ("my reviews instead of Heron Room"), and that beside it."""
    replaced = _INSTEAD.search(told)
    return Cut(told[: replaced.start()], _bare(replaced["i"])) if replaced else Cut(told)


def is_shaped(value: str) -> bool:
    """Whether a text looks like a value by itself: with a digit, a capital letter or a mark of code in it."""
    return any(character.isdigit() or character.isupper() or character in "_/@" for character in value)


def appointment(said: str) -> dict[str, str]:
    """Return place, day and time of "at Casa Brisa on 2027-04-01 at 19:13"; nothing for what is no such phrase."""
    cut = _cut(said.strip())
    if cut is None or not re.match(r"(?:at|on|in|for) ", cut.value, _FLAGS):
        return {}
    found: dict[str, str] = {}
    for piece in _PIECES.split(cut.value):
        told = piece.removeprefix("and ").strip()
        for name, pattern in (("day", _ON), ("time", _AT), ("place", _PLACE)):
            if match := pattern.match(told):
                found.setdefault(name, match[name].strip())
                break
        else:
            return {}
    return found


def _cut(told: str) -> Cut | None:
    if _DENIED.match(told):
        return None
    kept = without_replaced(told)
    value = _bare(kept.value)
    if not value or len(value) > _LONGEST or not any(c.isalnum() for c in value) or _REFERENCE.match(value):
        return None
    return Cut(value, kept.instead)


def first_clause(told: str) -> str:
    """Return a text without the clause that follows it."""
    return _REST.sub("", told.partition(",")[0]).removesuffix(" later").strip()


def _bare(text: str) -> str:
    """Return a value without the clause after it, and without the marks around it; quotes go where both are there."""
    bare = _REST.sub("", text).strip(" \t.,;:!?)(")
    while len(bare) > 1 and bare[0] + bare[-1] in _QUOTES:
        bare = bare[1:-1].strip()
    return bare
