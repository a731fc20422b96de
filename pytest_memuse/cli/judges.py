"""Judges on the command line: by name, and what one that costs money will cost before it starts."""

from collections.abc import Iterable, Iterator, Sequence

from pytest_memuse.judging.answers import Judge
from pytest_memuse.judging.combined import Combined
from pytest_memuse.judging.estimate import estimate
from pytest_memuse.judging.named import FORMS, MAX_BYTES, annotation_text, is_judge, judge_named, spelled_out
from pytest_memuse.model import Episode
from pytest_memuse.reports.numbers import counted
from pytest_memuse.spans import Span

__all__ = ["FORMS", "MAX_BYTES", "annotation_text", "cost_lines", "is_judge", "judge_named", "spelled_out"]


def cost_lines(judge: Judge, episodes: Iterable[tuple[Episode, Sequence[Span]]]) -> list[str]:
    """Return what judging episodes will take, in lines; none for judges that ask no model.

    The episodes are looked at only where one is asked.
    """
    asking = [part for part in _parts(judge) if part.identity.kind == "llm"]
    if not asking:
        return []
    found = estimate(episodes)
    lines = [
        f"{part.identity.model}: {counted(found.spans, 'span')}, about {found.calls_a_span:g} calls each (the average "
        f"of the paper's judge), {found.calls:,} calls; about {found.input_tokens:,} input tokens before caching, of "
        f"which {found.least_tokens:,} are the reads that every answer requires"
        for part in asking
    ]
    return [*lines, "The price is the provider's for these tokens and the model's output; Ctrl-C stops it."]


def _parts(judge: Judge) -> Iterator[Judge]:
    if isinstance(judge, Combined):
        for part in judge.judges:
            yield from _parts(part)
    else:
        yield judge
