"""How a sentence states a value of something.

The groups: ``s`` is the subject, ``v`` the value with what follows it, ``i`` the value that it is said to replace, and
``e`` what the subject is of.

Every pattern is matched at the beginning of a clause, which is short; none repeats what repeats.
"""

import re

_FLAGS = re.IGNORECASE
_MONEY = r"[$€£]?\d[\d.,]{0,15}(?: ?(?:eur|usd|gbp|euros?|dollars?|pounds))?"

LEAD = re.compile(
    r"(?:please|also|and|but|so|well|ok(?:ay)?|hi|hello|hey|thanks|actually|sorry|in fact|correction|update|news|note"
    r"|fyi|by the way|one more thing|as discussed|as agreed|good to know"
    r"|for (?:the )?(?:next time|later|the record|now)"
    r"|from now on|going forward|as of (?:now|today)|remember|keep in mind|bear in mind|be aware|take note|so you know"
    r"|just so you know|there (?:has been|is|was) (?:a|one) (?:change|correction|update)|it turns out|we now know"
    r"|(?:i|we) (?:want|wanted|need|have|would like) to (?:tell|let) you(?: know)?"
    r"|(?:i|we)(?:'ve| have)? (?:just )?(?:found|found out|learned|decided|settled|agreed|confirmed)(?= that\b))"
    r"(?:(?: about| on| of)? (?:this|it|the following)(?=[,:;!-]))?(?: that)?(?:[,:;!-]{1,3} ?| )",
    _FLAGS,
)
"""What stands before a statement and is no part of it."""

NEVER = re.compile(
    r"(?:do not|don't|never|no need|nothing|leave|wait|hold|if|when|unless|until|whether|can|could|would)\b", _FLAGS
)
"""How a clause begins that states nothing."""

CONDITION = re.compile(r"(?:if|when|whenever|once|should|in case) [^,]{2,120}, (?:then )?", _FLAGS)
"""Says when a statement is to be used; the statement holds all the same."""

MENTION = re.compile(r".{0,60}\b(?:about|regarding|concerning) (?P<topic>[^,:]{2,120})\Z", _FLAGS)
"""A sentence that says what the next ones are about."""

TOPIC = re.compile(
    r"(?:for|about|regarding|as for|concerning|on|in|with regard to|back to) (?P<topic>[^,:]{1,120})[,:] (?P<rest>.+)",
    _FLAGS,
)
NEXT_CLAUSE = re.compile(
    r"(?:,? and|,|;) (?=(?:(?:the|its|his|her|their|my|our) )?[\w' -]{1,60} (?:is|are|will be|should be)(?: now)? \S)",
    _FLAGS,
)

_CHANGED = (
    r"(?:(?:is|are|was|were|has been|have been|gets|got)(?: now| actually| then| just| since)?"
    r" (?:set|changed|moved|updated|corrected|revised|switched|raised|lowered|fixed)"
    r"|(?:has |have )?(?:changed|moved|switched|gone up|gone down)|went up|went down|goes up|goes down"
    r"|changes|moves|switches)(?: from (?P<i>.{1,160}?))? to"
)
_IS = (
    r"(?:is|are)(?: (?:now|actually|really|instead|going to be|to be|supposed to be|meant to be)){0,2}"
    r"(?: (?:set|settled|fixed|agreed|scheduled|planned|booked|reserved)(?= (?:at|on|for|in|as) ))?"
)
_SHALL = (
    r"(?:will|should|must|shall|has to|have to|needs to|ought to)(?: now)? be|turned out to be|became|becomes|equals"
)
STATED = re.compile(rf"(?P<s>.{{2,160}}?) (?:{_CHANGED}|{_IS}|{_SHALL}) (?P<v>.+)", _FLAGS)
SET = re.compile(
    r"(?:set|change|update|switch|move|correct|revise|reset|raise|lower) (?P<s>.{2,160}?)(?: from (?P<i>.{1,160}?))?"
    r" to (?P<v>.+)",
    _FLAGS,
)
USE = re.compile(
    r"(?:(?:i|we|they)(?:'d| would)?(?: now| always)? )?(?:use|take|prefer|choose|book|want) (?P<v>.{1,160}?)"
    r" (?:for|as) (?P<s>.{2,160})",
    _FLAGS,
)
AGREED = re.compile(
    r"(?:.{0,60}?\b(?:agreed|settled|decided|promised|granted|approved|confirmed|offered|owe)\b"
    r"(?: (?:on|upon|to|for|them|him|her|you))? )?"
    rf"(?:an? |the )?(?P<s>[\w' -]{{3,60}}?) of (?P<v>{_MONEY}|\d[\w.:/-]{{0,30}})"
    r"(?P<e> (?:for|on|to|of|in) .{2,100})?",
    _FLAGS,
)
INSTRUCTED = re.compile(
    r".{2,160}? (?:is|was) to (?P<rest>(?:set|change|update|switch|use|raise|lower|roll) .+)", _FLAGS
)
"""Says what something comes to by what is to be done for it."""

AMOUNT_OF = re.compile(rf"(?P<v>{_MONEY}|\d[\w.:/-]{{0,30}}) (?P<e>(?:for|on|of|in) .{{2,100}})", _FLAGS)
"""A value that is followed by what it is of."""

INVERTED = re.compile(r"(?P<v>.{1,120}?) (?:is|are)(?: now)? (?P<s>(?:the|our|my|your|their) .{2,160})", _FLAGS)
MARKED = re.compile(r"(?P<s>[^:=]{2,120}?) ?(?:: | = |->|→) ?(?P<v>.+)")

PHRASES = (
    (
        re.compile(
            r"(?:it is safe to |we can |you can )?roll(?:ing)? ?back (?P<e>.{2,80}?) to (?:version )?(?P<v>.+)", _FLAGS
        ),
        "rollback version of {}",
    ),
    (re.compile(r"(?:ship|send|deliver) (?P<e>.{2,80}?) to (?P<v>\d.+)", _FLAGS), "delivery address for {}"),
    (
        re.compile(
            rf"(?:.{{0,40}}?\b)?(?:refund|pay back|credit) (?P<v>{_MONEY}) (?:for|on|of) (?P<e>.{{2,80}})", _FLAGS
        ),
        "refund for {}",
    ),
    (re.compile(r"(?:make|keep) (?P<e>it|that|this|the [\w '-]{2,60}?) (?P<v>[$€£]?\d.*)", _FLAGS), "{}"),
    (re.compile(r"(?:make|keep) (?P<e>it|that) (?P<v>.+)", _FLAGS), "{}"),
)
"""Ways to state a value that name its subject by a verb, and how the subject is called."""
