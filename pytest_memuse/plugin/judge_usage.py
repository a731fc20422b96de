"""What the judges of a suite that ask a model took, told once the suite is judged."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pytest_memuse.judging.answers import Judge
from pytest_memuse.judging.combined import judges_in

if TYPE_CHECKING:
    from pytest_memuse.judging.llm.spending import Spent


def spent_so_far(judge: Judge) -> "Mapping[str, Spent]":
    """Return what each judge that asks a model has used, by its identity; a judge may be that of several suites."""
    return {str(part.identity): spent for part, spent in _asking(judge)}


def usage_notes(suite: str, judge: Judge, before: "Mapping[str, Spent]") -> tuple[str, ...]:
    """Return what was used since, a line a judge; none of judges that ask nobody."""
    found = list(_asking(judge))
    if not found:
        return ()
    from pytest_memuse.judging.llm.spending import Spent
    from pytest_memuse.reports.judgments import usage_lines

    return tuple(
        f"suite {suite!r}: {line}"
        for part, spent in found
        for line in usage_lines(part.identity.model, spent.since(before.get(str(part.identity), Spent())))
    )


def _asking(judge: Judge) -> "Iterator[tuple[Judge, Spent]]":
    for part in judges_in(judge):
        if part.identity.kind != "llm":
            continue
        from pytest_memuse.judging.llm.spending import Spent

        spent = getattr(part, "spent", None)
        if isinstance(spent, Spent):
            yield part, spent
