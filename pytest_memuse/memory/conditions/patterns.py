"""Facts by sentence patterns, tuned by hand: what the starter fact store reads (MERIT 3.4 and 6).

The patterns know how people state a value of something, and the words of MERIT's three domains (refunds and addresses,
settings and versions, preferences and dinners). They read nothing but the conversation, miss what is put otherwise,
and take no question, request by reference ("the value that the other one has"), denial or state ("is settled") for a
fact.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pytest_memuse.memory.conditions import phrases
from pytest_memuse.memory.conditions.sentences import sentences
from pytest_memuse.memory.conditions.statements import Statement
from pytest_memuse.memory.conditions.subjects import (
    ABOUT_SOMETHING,
    NO_SUBJECT,
    OPEN,
    OWNER,
    PRONOUN,
    subject_key,
    without_article,
)
from pytest_memuse.memory.conditions.values import (
    appointment,
    first_clause,
    is_shaped,
    trimmed_value,
    without_replaced,
)

PATTERNS_VERSION = "1"
"""Part of the identity: another version may find other facts."""

_LONGEST_SENTENCE = 500
_MOST_STATEMENTS = 200


def stated_facts(texts: Iterable[str]) -> list[Statement]:
    """Return the facts that a user's turns state, in order.

    What a sentence leaves open ("it", "the time") an earlier one of the same turn may say.
    """
    out: list[Statement] = []
    for text in texts:
        reader = _Reader()
        for sentence in sentences(text):
            for statement in reader.read(sentence[:_LONGEST_SENTENCE]):
                out.append(statement)
                if len(out) >= _MOST_STATEMENTS:
                    return out
    return out


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to read a clause: what it may be about, what it says of it, and the value that this is to replace."""

    subject: str
    value: str
    instead: str = ""


@dataclass(slots=True)
class _Reader:
    """Reads the sentences of one turn in order, and knows what was spoken of before."""

    subject: str = ""
    """What "it" stands for."""
    owner: str = ""
    """What "the time" is the time of."""

    def read(self, sentence: str) -> Iterator[Statement]:
        """Yield what a sentence states."""
        if sentence.endswith("?"):
            return
        told = sentence.rstrip(".!")
        while (lead := phrases.LEAD.match(told) or phrases.CONDITION.match(told)) and lead.end() < len(told):
            told = told[lead.end() :]
        if topic := phrases.TOPIC.match(told):
            self._turn_to(without_article(topic["topic"]))
            told = topic["rest"]
        found = [
            statement
            for clause in phrases.NEXT_CLAUSE.split(told)
            if not phrases.NEVER.match(clause)
            for statement in self._clause(clause, bool(topic))
        ]
        if not found and (mention := phrases.MENTION.match(told)):
            self._turn_to(without_article(mention["topic"]))
        yield from found

    def _turn_to(self, topic: str) -> None:
        """Speak of something else; of one of the same sort "it" is the same property ("As for order 2, it is ...")."""
        before = OWNER.match(self.subject)
        same_sort = before is not None and before["owner"].partition(" ")[0] == topic.partition(" ")[0]
        self.subject = f"{before['property']} of {topic}" if before is not None and same_sort else topic
        self.owner = topic

    def _clause(self, clause: str, on_topic: bool) -> Iterator[Statement]:
        for reading in _readings(clause):
            found = self._statements(reading, on_topic)
            if found:
                yield from found
                return

    def _statements(self, reading: _Reading, on_topic: bool) -> list[Statement]:
        subject = self._named(reading.subject, on_topic)
        pronoun = PRONOUN.fullmatch(reading.subject.strip())
        if not subject and not pronoun:
            return []
        event = appointment(reading.value)
        if event and subject and not set(subject_key(subject).split()) & event.keys():
            self.subject = self.owner = subject
            return [Statement(f"{part} of {subject}", what) for part, what in event.items()]
        cut = trimmed_value(reading.value)
        if cut is None or not (is_shaped(cut.value) or (ABOUT_SOMETHING.search(subject) and not pronoun)):
            return []
        replaced = trimmed_value(reading.instead) if reading.instead else None
        instead = replaced.value if replaced else cut.instead
        if not subject:
            # "It is 5 instead of 4": what "it" is, the store can tell by the 4.
            return [Statement("", cut.value, instead)] if instead else []
        self.subject = subject
        if owner := OWNER.match(subject):
            self.owner = owner["owner"]
        return [Statement(subject, cut.value, instead)]

    def _named(self, said: str, on_topic: bool) -> str:
        """Return a subject with what it leaves open said; empty for what is none, or is not known."""
        if PRONOUN.fullmatch(said.strip()):
            return self.subject
        subject = without_article(said)
        if NO_SUBJECT.match(subject) or not any(character.isalpha() for character in subject):
            return ""
        key = subject_key(subject)
        leaves_open = OWNER.match(subject) is None and (
            on_topic or (OPEN.fullmatch(subject) is not None and len(key.split()) == 1)
        )
        if self.owner and leaves_open and not set(key.split()) & set(subject_key(self.owner).split()):
            return f"{subject} of {self.owner}"
        return subject


def _readings(clause: str) -> Iterator[_Reading]:
    """Yield readings of a clause, the likeliest first."""
    if instructed := phrases.INSTRUCTED.match(clause):
        clause = instructed["rest"]
    for pattern, subject in phrases.PHRASES:
        if found := pattern.match(clause):
            yield _Reading(subject.format(without_article(first_clause(found["e"]))), found["v"])
    if found := phrases.SET.match(clause):
        yield _Reading(found["s"], found["v"], found["i"] or "")
    if found := phrases.USE.match(clause):
        use = without_replaced(found["s"])
        yield _Reading(use.value, found["v"], use.instead)
    inverted = phrases.INVERTED.match(clause)
    if inverted and is_shaped(inverted["v"]) and not ABOUT_SOMETHING.search(inverted["v"]):
        yield _Reading(inverted["s"], inverted["v"])
    if found := phrases.STATED.match(clause):
        amount = None if OWNER.match(found["s"]) else phrases.AMOUNT_OF.match(found["v"])
        if amount:
            yield _Reading(f"{found['s']} {first_clause(amount['e'])}", amount["v"], found["i"] or "")
        yield _Reading(found["s"], found["v"], found["i"] or "")
    if found := phrases.AGREED.match(clause):
        yield _Reading(found["s"] + (found["e"] or ""), found["v"])
    if found := phrases.MARKED.match(clause):
        yield _Reading(found["s"], found["v"])
