"""Rows with the counts of Table 10: four runs without memory and sixteen with, over 500 tasks (MemUse 4.3, A.6.4)."""

from collections.abc import Iterator

from pytest_memuse.profiles import EntryRow, EpisodeRow, Run, SpanRow
from tests.profiles.runs import entry, judged, misused, used

TASKS = (104, 22, 13, 33, 328)
"""Tasks by the number of baseline runs that resolved them."""
BASELINE = (375, 360, 365, 359)
"""Tasks that each baseline run resolved: 75.0, 72.0, 73.0 and 71.8 % of 500."""
NO_RESULT = (0, 0, 0, 1, 2)
"""Memory episodes without a harness result, whose strata follow from the printed numbers of episodes."""

# Per stratum: resolved episodes; of the resolved and of the failed ones those with an acted-on, beneficial, harmful
# entry. The split of the harmful ones is printed only so far that 5 passed in all, and that 1 failed a task which all
# baseline runs solve; that of the acted-on ones only for the first and last stratum.
RESOLVED = (71, 98, 93, 408, 5159)
ACTED_ON = ((7, 137), (10, 26), (8, 9), (30, 6), (404, 7))
BENEFICIAL = ((6, 73), (3, 9), (5, 2), (22, 3), (258, 2))
HARMFUL = ((0, 5), (0, 4), (0, 0), (0, 1), (5, 1))
RECEIVED_LOST = 85
"""Episodes that received memory among those failing a task that all baseline runs resolved."""


def baseline_runs() -> list[Run]:
    """Return four runs that resolve as many tasks in all, and as many tasks so many times, as the paper's."""
    left = [solved - TASKS[4] for solved in BASELINE]
    solvers: list[set[int]] = [set()] * TASKS[0]
    for times in (3, 2, 1):
        for _ in range(TASKS[times]):
            chosen = sorted(range(4), key=lambda run: -left[run])[:times]
            for run in chosen:
                left[run] -= 1
            solvers.append(set(chosen))
    assert left == [0, 0, 0, 0]
    solvers += [{0, 1, 2, 3}] * TASKS[4]
    return [
        Run("suite", tuple(EpisodeRow(str(n), "a", str(n), success=run in by) for n, by in enumerate(solvers)))
        for run in range(4)
    ]


def memory_runs() -> list[Run]:
    """Return sixteen runs over the tasks of `baseline_runs`, in the order of its strata."""
    episodes: list[list[EpisodeRow]] = [[] for _ in range(16)]
    task = 0
    for stratum in (0, 3, 2, 1, 4):
        rows = _episodes(stratum)
        for _ in range(TASKS[stratum]):
            for run in episodes:
                success, spans = next(rows)
                run.append(EpisodeRow(str(task), "a", str(task), success=success, spans=spans))
            task += 1
    return [Run("suite", tuple(run)) for run in episodes]


def _episodes(stratum: int) -> Iterator[tuple[bool | None, tuple[SpanRow, ...]]]:
    count = 16 * TASKS[stratum] - NO_RESULT[stratum]
    for success, number in ((True, RESOLVED[stratum]), (False, count - RESOLVED[stratum])):
        place = 0 if success else 1
        entries = _entries(ACTED_ON[stratum][place], BENEFICIAL[stratum][place], HARMFUL[stratum][place], number)
        for index, found in enumerate(entries):
            without = stratum == 4 and not success and index >= RECEIVED_LOST
            yield success, () if without else (judged(*found),)
    for _ in range(NO_RESULT[stratum]):
        yield None, (judged(used(), misused()),)


def _entries(acted_on: int, beneficial: int, harmful: int, number: int) -> Iterator[tuple[EntryRow, ...]]:
    """One episode has a beneficial and a harmful entry where there is no room for both apart."""
    for index in range(number):
        found = [used()] if index < beneficial else []
        found += [misused()] if acted_on - harmful <= index < acted_on else []
        if index < acted_on and not found:
            found = [entry(influence="acted_on")]
        yield tuple(found) or (entry(),)
