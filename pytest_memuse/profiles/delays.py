"""How long after its first consumption an entry is first acted on (MemUse 4.2, A.6.3)."""

from dataclasses import dataclass

from pytest_memuse.judging.answers import Signal
from pytest_memuse.profiles.axes import AXES, is_profiled, undetermined
from pytest_memuse.profiles.rows import Run
from pytest_memuse.profiles.share import Share


@dataclass(frozen=True, slots=True)
class Delays:
    """Steps from the first consuming step to the first anchored action, of each acted-on entry, shortest first.

    ``unknown`` counts acted-on entries without an anchor or a consuming step; they have no delay and are in no share.
    ``undefined`` says why there are none where the judge does not determine influence.
    """

    steps: tuple[int, ...]
    unknown: int = 0
    undefined: str = ""

    def at_least(self, steps: int) -> Share:
        """Return the share of acted-on entries first acted on at least so many steps later."""
        found = None if self.undefined else sum(delay >= steps for delay in self.steps)
        return Share(found, len(self.steps), self.undefined)

    @property
    def later(self) -> Share:
        """The share first acted on after the first consuming step."""
        return self.at_least(1)

    @property
    def five_or_more(self) -> Share:
        """The share first acted on at least five steps after the first consuming step."""
        return self.at_least(5)


def delays(run: Run) -> Delays:
    """Return the delays of the acted-on entries."""
    reason = undetermined(run.spans, {Signal.INFLUENCE})
    if reason is not None:
        return Delays((), undefined=reason)
    acted_on = AXES["acted_on"].holds
    found: list[int] = []
    unknown = 0
    for span in run.spans:
        for entry in span.entries if is_profiled(span) else ():
            if not acted_on(entry):
                continue
            if entry.anchors and span.first is not None:
                found.append(min(entry.anchors) - span.first)
            else:
                unknown += 1
    return Delays(tuple(sorted(found)), unknown)
