"""Items that hold the answer of the very task that they are delivered to (MemUse A.6.7).

What can be checked: a task's references state the answer, an entry's exposed text is known, and the record shows who
created its item. An item that an earlier episode of another task created carries experience, which is what memory is
for; it is no leak, though it hold the answer. What cannot be checked this way: an answer in other words, one that
takes several facts to tell, tasks without references, and whether the agent could have known the answer anyway. The
paper's review matched identifiers of a corpus with the benchmark's sources by hand; this finds candidates for one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from pytest_memuse.model import ReferenceFact, Task
from pytest_memuse.profiles.histories import Change, item_histories
from pytest_memuse.profiles.judged_episode import JudgedEpisode
from pytest_memuse.profiles.rows import EntryRow


class LeakSource(StrEnum):
    """Who created an item that holds the answer: nobody on record, an earlier attempt at the task, the episode itself.

    What the agent wrote in the same episode is its own note, and no leak into it; it is listed so that it can be told.
    """

    UNOBSERVED = "unobserved origin"
    SAME_TASK = "another episode of the same task"
    SAME_EPISODE = "the same episode"


@dataclass(frozen=True, slots=True)
class Leak:
    """An entry whose exposed text states a reference value of the task that it was delivered to."""

    arc: str
    episode: str
    task: str
    span: str
    step: int | None
    namespace: str
    item: str
    fact: ReferenceFact
    source: LeakSource
    entry: EntryRow


@dataclass(frozen=True, slots=True)
class LeakageCheck:
    """What was found, and how much could be checked.

    ``checked`` entries had an exposed text and a task with an answer to look for; ``unknown_text`` had no known text;
    ``without_answer`` were delivered to a task without references, or with such only as its own text states.
    """

    found: tuple[Leak, ...]
    checked: int
    unknown_text: int
    without_answer: int


def leakage(episodes: Sequence[JudgedEpisode]) -> LeakageCheck:
    """Look for items that hold the answer of the task that they were delivered to and that no other task taught.

    An answer is a reference's value, standing in the text as a whole (not inside a longer word or number). One that
    the task itself states is none.
    """
    origins = {
        (history.namespace, history.item, recall.place.episode, recall.span): recall.origin
        for history in item_histories(episodes)
        for recall in history.recalls
    }
    found: list[Leak] = []
    checked = unknown_text = without_answer = 0
    for judged in episodes:
        answers = _answers(judged.episode.task)
        for span, _, pairs in judged.pairs:
            for entry, row in pairs:
                text = entry.exposure.text
                if not answers:
                    without_answer += 1
                elif text is None:
                    unknown_text += 1
                else:
                    checked += 1
                    source = _source(judged, origins.get((row.namespace, row.item, judged.episode.id, span.id)))
                    facts = [fact for fact, pattern in answers if source is not None and pattern.search(text)]
                    found += [_leak(judged, span.id, span.first, fact, source, row) for fact in facts if source]
    return LeakageCheck(tuple(found), checked, unknown_text, without_answer)


def _answers(task: Task | None) -> list[tuple[ReferenceFact, re.Pattern[str]]]:
    facts = () if task is None else task.references
    patterns = [(fact, _whole(fact.value)) for fact in facts if fact.value.strip()]
    return [(fact, pattern) for fact, pattern in patterns if task is not None and not pattern.search(task.text)]


def _whole(value: str) -> re.Pattern[str]:
    """Return a pattern for a value that does not stand inside a longer word or number."""
    value = value.strip()
    before = r"(?<!\w)(?<!\d\.)" if re.match(r"\w", value) else ""
    after = r"(?!\w)(?!\.\d)" if re.match(r"\w", value[-1]) else ""
    return re.compile(before + re.escape(value) + after)


def _source(judged: JudgedEpisode, origin: Change | None) -> LeakSource | None:
    if origin is None:
        return LeakSource.UNOBSERVED
    if origin.place.episode == judged.episode.id:
        return LeakSource.SAME_EPISODE
    return LeakSource.SAME_TASK if origin.place.task == judged.task else None


def _leak(
    judged: JudgedEpisode, span: str, step: int | None, fact: ReferenceFact, source: LeakSource, row: EntryRow
) -> Leak:
    return Leak(judged.row.arc, judged.episode.id, judged.task, span, step, row.namespace, row.item, fact, source, row)
