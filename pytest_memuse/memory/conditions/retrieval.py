"""Retrieval (C2 of MERIT 3.4): one record a message; the nearest ones to the task are delivered, best first.

Records accumulate: a value that was revised stays beside the one that replaced it, and nothing in the block says which
is which.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_memuse.memory.conditions.models import EmbeddingModel, ModelRefusal, vectors_of
from pytest_memuse.memory.conditions.parts import Line
from pytest_memuse.memory.conditions.records import Record, Store, Turn
from pytest_memuse.memory.rendering import one_line

_NAME = "turn"
_WORD = re.compile(r"[^\W_]+")
_COMMON_WORDS = """
    a about an and any are as at be but by can could do for from had has have i if in is it its me my no not of on or
    our please so that the their them then there this to us was we were what when which will with would you
    your
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_SCORE_DIGITS = 6
"""Further digits of a score depend on the machine's arithmetic."""


@dataclass(frozen=True, slots=True)
class KeywordRetrieval:
    """Delivers the ``count`` messages that share most words with the query, at least one; common words do not count.

    Of two that share as many the one written first comes first.
    """

    count: int = 5
    name: str = _NAME
    heading: str = ""
    latest_first_kept: bool = False

    def identity(self) -> Mapping[str, str]:
        """Return how messages are ranked and how many are delivered."""
        return {"ranking": "shared words", "count": str(self.count)}

    def write(self, turns: Sequence[Turn], store: Store, scope: str) -> Sequence[Record]:
        """Return a record of each message."""
        return _drafts(turns, store, scope)

    def read(self, query: str, store: Store, scope: str) -> Sequence[Line]:
        """Return the nearest messages."""
        asked = words_of(query)
        return _best(store.records(_NAME, scope), lambda r: len(asked & words_of(r.text)) or None, self.count)


@dataclass(frozen=True, slots=True)
class EmbeddingRetrieval:
    """Delivers the ``count`` messages whose embeddings are nearest to the query's, by their cosine.

    Of two that are as near the one written first comes first. Of a long message the first ``embedded`` characters
    count.
    """

    model: EmbeddingModel
    model_name: str
    count: int = 5
    embedded: int = 6000
    name: str = _NAME
    heading: str = ""
    latest_first_kept: bool = False

    def identity(self) -> Mapping[str, str]:
        """Return the embedding model, how messages are ranked and how many are delivered."""
        return {
            "ranking": "cosine",
            "embedder": self.model_name,
            "embedded": f"{self.embedded} characters",
            "count": str(self.count),
        }

    def write(self, turns: Sequence[Turn], store: Store, scope: str) -> Sequence[Record]:
        """Return a record of each message with its vector; raise `ModelRefusal` where there is none."""
        drafts = _drafts(turns, store, scope)
        vectors = self._vectors([draft.text for draft in drafts], store, scope)
        return [replace(draft, vector=vector) for draft, vector in zip(drafts, vectors, strict=True)]

    def read(self, query: str, store: Store, scope: str) -> Sequence[Line]:
        """Return the nearest messages; an empty store is not searched, nor is anything for an empty query."""
        records = store.records(_NAME, scope)
        if not records or not query.strip():
            return []
        (asked,) = self._vectors([query], store, scope)
        return _best(records, lambda r: round(_cosine(asked, r.vector), _SCORE_DIGITS), self.count)

    def _vectors(self, texts: Sequence[str], store: Store, scope: str) -> list[tuple[float, ...]]:
        vectors = vectors_of(self.model, self.model_name, texts, longest=self.embedded)
        known = {len(record.vector) for record in store.records(_NAME, scope)} | {len(vector) for vector in vectors}
        if len(known) > 1:
            raise ModelRefusal(
                "the vectors are not as long as those in the store: it was written with another embedder"
            )
        return vectors


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text that can tell it from another, in lower case."""
    return frozenset(_WORD.findall(text.casefold())) - _COMMON


def _drafts(turns: Sequence[Turn], store: Store, scope: str) -> list[Record]:
    episode = store.next_episode(scope)
    return [Record(_NAME, scope, episode, one_line(turn.text), role=turn.role) for turn in turns]


def _best(records: Sequence[Record], score: Callable[[Record], float | None], count: int) -> list[Line]:
    scored = [(value, record) for record in records if (value := score(record)) is not None]
    scored.sort(key=lambda pair: (-pair[0], pair[1].number))
    return [Line(f"- {record.role}: ", record) for _, record in scored[:count]]


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    size = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / size if size else 0.0
