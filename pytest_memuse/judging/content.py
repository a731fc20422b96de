"""Memory-specific content: the details of an entry's text by which an action can be recognised (MemUse A.2.2).

An identifier, location, value, option, command or quoted text is such a detail; a common word, a small number and
general advice are none. Whether a detail is memory-specific in a given span depends on its prior sources.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, pairwise

from pytest_memuse.judging.measures import Dimension, Quantity, is_unit_name
from pytest_memuse.judging.reading import Reading, stem, words_of
from pytest_memuse.judging.spelled import NUMBER_WORDS, is_duration
from pytest_memuse.judging.stances import clauses_against
from pytest_memuse.judging.vocabulary import (
    COMMAND_HEADS,
    COMMON,
    COMMON_CAPITALS,
    COMMON_COMPOUNDS,
    COMMON_FILES,
    COMMON_FLAGS,
    COMMON_NAMES,
    COMMON_TOKENS,
    FILE_ENDINGS,
    STOPWORDS,
)


class Kind(StrEnum):
    """What a detail is; it decides how strictly it must reappear."""

    PATH = "path"
    IDENTIFIER = "identifier"
    OPTION = "option"
    QUOTED = "quoted text"
    COMMAND = "command"
    TERM = "term"
    QUANTITY = "value"


@dataclass(frozen=True, slots=True)
class Content:
    """One detail: as it is written, its folded words, and for values the quantity.

    ``purpose`` holds the stems of the words that tell what a value is for, ``said`` those of them
    that its sentence says, ``before`` the word that it or a term follows. ``advised_against`` marks a detail that the
    entry names as what not to use, or as what was before. Two details of one ``name`` are the same.
    """

    kind: Kind
    written: str
    words: tuple[str, ...]
    quantity: Quantity | None = None
    purpose: frozenset[str] = frozenset()
    said: frozenset[str] = frozenset()
    before: str = ""
    advised_against: bool = False

    @property
    def name(self) -> str:
        """The normal form: equal for every spelling of the same detail."""
        if self.quantity is not None:
            return f"{self.quantity.dimension}: {min(self.quantity.forms)}"
        return " ".join(self.words)


MOST_CONTENTS = 128
"""Details kept of one entry; an entry of more is a document, of which the first ones are followed."""

_TOKEN = re.compile(r"[^\s\"'`“”‘’«»()\[\]{}<>,;|=]+")
_QUOTES = re.compile(
    r"`([^`\n]{1,200})`|\"([^\"\n]{1,200})\"|“([^”\n]{1,200})”|«([^»\n]{1,200})»|(?<!\w)'([^'\n]{1,200})'(?!\w)"
)
_OPTION = re.compile(r"--[A-Za-z][\w-]*")
_CALL = re.compile(r"(?<![^\W\d])([A-Za-z_]\w{0,80})\(\)")
_CAPITALS = re.compile(r"(?<![\w-])[A-Z][A-Z0-9]{2,}(?![\w-])(?: \d{1,6}(?![\w.,:/-]))?")
_NAMES = re.compile(r"(?<![\w.-])[A-ZÀ-Þ][a-zà-ÿ]{2,20}(?: [A-ZÀ-Þ][a-zà-ÿ]{2,20}){1,3}(?![\w-])")
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]")
_PURPOSES = {
    Dimension.DURATION: "sleep timeout wait delay interval backoff retry ttl seconds timedelta duration",
    Dimension.SIZE: "memory size limit buffer bytes quota",
    Dimension.PERCENT: "percent percentage rate fraction ratio share",
}
_PORT_PURPOSE = "port listen localhost host http bind serve publish"


def contents_of(text: str) -> tuple[Content, ...]:
    """Return the details of a text in order of their kinds, each once; pure, and linear in the text's length."""
    reading = Reading(text)
    text = reading.text
    found: dict[str, Content] = {}
    taken: list[tuple[int, int]] = []
    for start, content in _named(text):
        taken.append((start, start + len(content.written)))
        if len(found) < MOST_CONTENTS:
            found.setdefault(content.name, content)
    for content in chain(_quoted(text), _commands(text), _terms(text), _values(reading, taken)):
        if len(found) >= MOST_CONTENTS:
            break
        found.setdefault(content.name, content)
    against = {text[start:end].casefold() for start, end in clauses_against(text)}
    return tuple(
        replace(c, advised_against=True) if any(c.written.casefold() in clause for clause in against) else c
        for c in found.values()
    )


_SAYING_NOTHING = COMMON | NUMBER_WORDS


def significant_words(text: str) -> frozenset[str]:
    """Return the words of a text that are neither function words nor words of every piece of software."""
    return frozenset(w for w in Reading(text).words if len(w) > 2 and w not in _SAYING_NOTHING and not w[0].isdigit())


def _named(text: str) -> Iterator[tuple[int, Content]]:
    """Yield paths, options and identifiers with their offsets."""
    for match in _TOKEN.finditer(text):
        token = match.group().rstrip(".:!?…")
        lead = len(token) - len(token.lstrip("*_#@"))
        start, token = match.start() + lead, token[lead:].rstrip("*")
        if not 2 < len(token) <= 300 or token.casefold() in COMMON_TOKENS:
            continue
        if option := _OPTION.fullmatch(token):
            if option.group() not in COMMON_FLAGS:
                yield start, Content(Kind.OPTION, token, words_of(token))
            continue
        kind = _kind(token)
        if kind is not None:
            yield start, Content(kind, token, _path_words(token) if kind is Kind.PATH else words_of(token))
    for call in _CALL.finditer(text):
        if call[1].casefold() not in COMMON and len(call[1]) > 2:
            yield call.start(), Content(Kind.IDENTIFIER, call.group(), words_of(call[1]))


def _path_words(token: str) -> tuple[str, ...]:
    """Return the words of a location: what stands before it (a scheme, ``./``, the home folder) does not name it."""
    return words_of(re.sub(r"^(?:[a-z]+://|~/|(?:\.{1,2}/)+)", "", token))


def _kind(token: str) -> Kind | None:
    words = words_of(token)
    if not words or all(word.isdigit() for word in words) or is_duration(token) or is_unit_name(token.lower()):
        return None
    if re.fullmatch(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+", token):
        return Kind.IDENTIFIER
    if "/" in token.strip("/") and re.search(r"[^\W\d]", token):
        return Kind.PATH if len(_path_words(token)) > 1 and _is_path(token, words) else None
    stem_, dot, ending = token.rpartition(".")
    if dot and stem_ and ending.lower() in FILE_ENDINGS and re.fullmatch(r"[\w.@+-]+", stem_):
        return Kind.PATH if token.casefold() not in COMMON_FILES else None
    if not re.fullmatch(r"[$%]?[\w.:@#+-]+", token):
        return None
    if token.startswith(("$", "%")) and len(words) >= 1:
        return Kind.IDENTIFIER if not set(words) <= {"home", "path", "pwd", "user"} else None
    if _is_identifier(token, words):
        return Kind.IDENTIFIER
    return None


def _is_path(token: str, words: tuple[str, ...]) -> bool:
    if token.startswith(("/", "./", "../", "~/")) or "://" in token or token.endswith("/"):
        return True
    if token.count("/") > 1 or re.search(r"[\d._-]", token):
        return True
    return not all(word in COMMON or len(word) < 3 for word in words)


def _is_identifier(token: str, words: tuple[str, ...]) -> bool:
    if "_" in token.strip("_"):
        return len(words) > 1
    if _CAMEL.search(token) and len(words) > 1:
        return True
    if re.fullmatch(r"[a-z]\.[a-z]{4,}", token):
        # An account's name: an initial and a family name.
        return True
    if re.fullmatch(r"[A-Za-z_]+(?:(?:\.|::)[A-Za-z_]+)+", token):
        return all(len(part) > 1 for part in re.split(r"\.|::", token))
    mixed = re.search(r"\d", token) and re.search(r"[A-Za-z]", token)
    if mixed and token[0].isalpha():
        return len(token) >= 4 or "-" in token
    if mixed and re.fullmatch(r"(?=[0-9a-f]*\d)[0-9a-f]{7,64}", token):
        return True
    if re.fullmatch(r"(?:[^\W\d_]{2,}|[A-Z](?=-[^\W_]+-))(?:-[^\W_]{2,})+", token):
        first = token.casefold().split("-")[0]
        return token.casefold() not in COMMON_COMPOUNDS and first not in COMMON_COMPOUNDS and not set(words) <= COMMON
    return False


def _quoted(text: str) -> Iterator[Content]:
    for match in _QUOTES.finditer(text):
        inner = next(group for group in match.groups() if group is not None).strip()
        words = words_of(inner)[:12]
        telling = [w for w in words if w not in COMMON | COMMAND_HEADS and len(w) > 1 and not w.isdigit()]
        if telling and (len(words) > 1 or len(words[0]) > 2):
            yield Content(Kind.QUOTED, inner, words)


def _commands(text: str) -> Iterator[Content]:
    """Yield programs with what they are asked to do; a program alone, or its everyday use, is no detail."""
    tokens = [m.group().rstrip(".,;:!?") for m in re.finditer(r"\S+", text)]
    for head, following in pairwise(tokens):
        head, following = head.strip("`'\"("), following.strip("`'\")")
        if head not in COMMAND_HEADS or not re.fullmatch(r"[a-z][\w:.-]*", following) or following.lower() in COMMON:
            continue
        words = words_of(f"{head} {following}")
        if len(words) > 1:
            yield Content(Kind.COMMAND, f"{head} {following}", words)


def _terms(text: str) -> Iterator[Content]:
    for match in _CAPITALS.finditer(text):
        term = match.group().partition(" ")[0]
        if term not in COMMON_CAPITALS:
            before = words_of(text[max(0, match.start() - 40) : match.start()])[-1:]
            yield Content(Kind.TERM, match.group(), words_of(match.group()), before="".join(before))
    for match in _NAMES.finditer(text):
        words = words_of(match.group())
        if not set(words) & (COMMON | COMMON_NAMES) and len(words) == match.group().count(" ") + 1:
            yield Content(Kind.TERM, match.group(), words)


def _values(reading: Reading, taken: list[tuple[int, int]]) -> Iterator[Content]:
    covered = bytearray(len(reading.text) + 1)
    for start, end in taken:
        covered[start:end] = b"\1" * (end - start)
    previous: Quantity | None = None
    seen: set[tuple[Dimension, str]] = set()
    for quantity in reading.quantities:
        inside = previous is not None and quantity.start < previous.end and previous.dimension is Dimension.DATE
        account = any(form.startswith("code ") for form in quantity.forms)
        if (covered[quantity.start] and not account) or quantity.alternate or inside:
            continue
        name = (quantity.dimension, min(quantity.forms))
        if name in seen:
            continue
        seen.add(name)
        previous = quantity if previous is None or quantity.end > previous.end else previous
        low, high = reading.sentence(quantity.start, quantity.end)
        purpose = frozenset(stem(w) for w in reading.words_between(low, high) if w not in STOPWORDS and not w.isdigit())
        implied = _PURPOSES.get(quantity.dimension, "").split()
        if "port" in purpose:
            implied = _PORT_PURPOSE.split()
        yield Content(
            Kind.QUANTITY,
            reading.text[quantity.start : quantity.end],
            (),
            quantity,
            purpose | {stem(word) for word in implied},
            purpose,
            leading(reading, quantity.start),
        )


def leading(reading: Reading, start: int) -> str:
    """Return the stem of the word that a value follows (*gate* 2, *job* 9), empty where none says anything."""
    found = next((w for w in reading.before(start) if w not in STOPWORDS and not w.isdigit()), "")
    return stem(found)
