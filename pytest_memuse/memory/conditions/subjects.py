"""What a fact is about, as people name it, and when two names are one subject."""

import re

_FLAGS = re.IGNORECASE

PRONOUN = re.compile(r"(?:it|this|that|that one|this one|the (?:amount|value|number|one))", _FLAGS)
"""Stands for the subject before it."""

NO_SUBJECT = re.compile(
    r"(?:there|here|everything|nothing|all|what|which|who|that|this|these|those|leave|wait|i|we|you|they|he|she)\b",
    _FLAGS,
)
"""How that begins which no fact is about."""

OPEN = re.compile(r"(?!(?:my|our) )[^\d_`/]{2,60}", _FLAGS)
"""May leave open what it is a property of; one's own things are one's own."""

OWNER = re.compile(r"(?P<property>.{1,80}?) (?:of|for) (?:the )?(?P<owner>.{2,120})\Z", _FLAGS)
"""Names a property and what has it ("time of the dinner")."""

ABOUT_SOMETHING = re.compile(
    r"\b(?:of|for|my|our|your|his|her|their|preferred|preference|favou?rite|default|standing|agreed|usual|safe|correct)\b",
    _FLAGS,
)
"""Such a subject may have any value; that of another ("the kettle") must look like one."""

_ARTICLE = re.compile(r"(?:the|an|a) ", _FLAGS)
_TOKEN = re.compile(r"\w+(?:[-./]\w+)*")
_DROPPED_WORDS = """
    a about actual agreed amount an and as at be by confirmed correct current customer customer's
    diagnosed final for from his her in is it
    its latest my need needed new now number of on our partial please preferred preference proper right setting settled
    standing that the their this to updated usual value we will with you your
"""
_DROPPED = frozenset(_DROPPED_WORDS.split())
_SAME = {
    "refunded": "refund",
    "refunds": "refund",
    "reimbursement": "refund",
    "shipping": "delivery",
    "delivered": "delivery",
    "roll-back": "rollback",
    "build": "version",
    "release": "version",
    "date": "day",
    "hour": "time",
    "restaurant": "place",
    "venue": "place",
    "location": "place",
}


def subject_key(subject: str) -> str:
    """Return what two ways to name one subject have in common: its telling words, in the order of the alphabet."""
    words = _TOKEN.findall(subject.casefold().replace("’", "'").replace("'s ", " "))
    telling = {_SAME.get(word, word) for word in words if word not in _DROPPED}
    # "Delivery address" and "address" are one thing, and so are "rollback version" and "rollback".
    telling -= {"delivery"} if "address" in telling else set()
    telling -= {"version", "safe"} if "rollback" in telling else set()
    return " ".join(sorted(telling or set(words))) or subject.casefold()


def without_article(subject: str) -> str:
    """Return a subject without the article and the marks around it."""
    bare = " ".join(subject.replace("`", "").split()).strip(" ,;:'\"`")
    article = _ARTICLE.match(bare)
    return bare[article.end() :] if article else bare
