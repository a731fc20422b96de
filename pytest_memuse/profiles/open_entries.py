"""Entries that could count for a figure and of which it is not determined whether they do (MemUse A.2, A.4.2).

Each axis counts only established labels (3.5), so that a share is at least what is shown. How many entries are open,
and whether any of those that could count is determined at all, says what may be made of that.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pytest_memuse.profiles.axes import AXES, Axis, is_profiled
from pytest_memuse.profiles.rows import SpanRow


@dataclass(frozen=True, slots=True)
class OpenSignal:
    """``count`` of ``among`` entries, called ``entries``, have no determined ``signal``."""

    count: int
    among: int
    entries: str
    signal: str

    def __str__(self) -> str:
        one = self.count == 1
        return f"{self.count} of {self.among} {self.entries} {'has' if one else 'have'} an undetermined {self.signal}"


@dataclass(frozen=True, slots=True)
class OpenEntries:
    """The open signals that bear on a figure, those with open entries only; none where everything is determined."""

    signals: tuple[OpenSignal, ...] = ()

    @property
    def refusal(self) -> str:
        """Why the figure says nothing of how high it is: no entry that could count is determined. Empty otherwise."""
        for one in self.signals:
            if one.count == one.among:
                return f"none of the {one.among} {one.entries} has a determined {one.signal}"
        return ""

    def __str__(self) -> str:
        return ", ".join(str(one) for one in self.signals)


def open_entries(spans: Iterable[SpanRow], axis: Axis | None) -> OpenEntries:
    """Return what is open on an axis and on those that it refines, among the entries of profiled spans."""
    entries = [entry for span in spans if is_profiled(span) for entry in span.entries]
    found = []
    while axis is not None:
        wider = AXES[axis.refines] if axis.refines is not None else None
        eligible = [entry for entry in entries if wider is None or wider.holds(entry)]
        called = "entries" if wider is None else wider.counted
        if count := sum(axis.lacks(entry) for entry in eligible):
            found.append(OpenSignal(count, len(eligible), called, axis.decided_by.value))
        axis = wider
    return OpenEntries(tuple(found))


def with_open_entries(axis: Axis) -> Axis:
    """Return the axis on which every entry counts that counts or could, for all that is determined."""
    wider = with_open_entries(AXES[axis.refines]) if axis.refines is not None else None
    return replace(
        axis,
        counted=f"{axis.counted} or undetermined ones",
        holds=lambda entry: (wider is None or wider.holds(entry)) and (axis.holds(entry) or axis.lacks(entry)),
    )
