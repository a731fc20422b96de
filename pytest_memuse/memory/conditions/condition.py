"""A memory condition: parts that write and read, over one store, as a memory system under test."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_memuse.memory.conditions.models import ModelRefusal, RefusedByModel
from pytest_memuse.memory.conditions.parts import Part, Section, block_text
from pytest_memuse.memory.conditions.records import Store, turns_of
from pytest_memuse.model import MemuseError
from pytest_memuse.recording.rendered import Change, Rendered


class Condition:
    """One of MERIT's memory conditions (3.4): ``extract`` is its *write(episode)*, ``recall`` its *read(context)*.

    It offers no tool. What the parts of one condition write from an episode is written together or not at all. Where a
    memory-side model gives nothing usable, nothing is written, or nothing delivered; that is warned of
    (`models.RefusedByModel`) and kept in ``refusals``, and the episode goes on.

    With ``folder`` the store is the file ``NAME.jsonl`` in it, and another instance goes on from there; without it the
    store lives as long as the instance. ``characters`` bounds the delivered block.
    """

    def __init__(
        self,
        name: str,
        variant: str,
        parts: Sequence[Part],
        *,
        folder: Path | None = None,
        characters: int | None = None,
        closing: Sequence[Callable[[], None]] = (),
    ) -> None:
        if characters is not None and characters < 1:
            raise MemuseError(
                f"characters must be positive, found {characters}",
                reason="bad-setting",
                mend="leave it out to deliver the whole block",
            )
        self._name = name
        self._variant = variant
        self._parts = tuple(parts)
        self._store = Store(None if folder is None else folder / f"{name}.jsonl")
        self._characters = characters
        self._closing = tuple(closing)
        self._refusals: list[str] = []

    @property
    def refusals(self) -> tuple[str, ...]:
        """What memory-side models gave that could not be used, in order."""
        return tuple(self._refusals)

    def identity(self) -> Mapping[str, str]:
        """Return condition, variant, models and settings; addresses and keys do not shape what is delivered."""
        out = {"name": f"merit-{self._name}", "variant": self._variant, "version": "1"}
        for part in self._parts:
            out |= {f"{part.name}.{setting}": value for setting, value in part.identity().items()}
        return out | {"characters": "all" if self._characters is None else str(self._characters)}

    def recall(self, query: str, *, scope: str) -> Rendered:
        """Return the memory block for a query; without memories, and where a model refuses, its text is empty."""
        try:
            sections = [
                Section(part.heading, tuple(part.read(query, self._store, scope)), part.latest_first_kept)
                for part in self._parts
            ]
        except ModelRefusal as refusal:
            self._refused(refusal, "delivered")
            return Rendered("", query=query, failed=True)
        return block_text(sections, query=query, limit=self._characters)

    def tool(self) -> Mapping[str, Any] | None:
        """Return no tool: conditions deliver before an episode only."""
        return None

    def call_tool(self, arguments: Mapping[str, Any], *, scope: str) -> Rendered:
        """Refuse: there is no tool."""
        return Rendered("There is no memory tool.", failed=True)

    def extract(self, messages: Sequence[Mapping[str, str]], *, scope: str) -> Sequence[Change]:
        """Write an episode; return the changes, none where a model refuses."""
        turns = turns_of(messages)
        if not turns:
            return ()
        try:
            drafts = [draft for part in self._parts for draft in part.write(turns, self._store, scope)]
        except ModelRefusal as refusal:
            self._refused(refusal, "written")
            return ()
        return self._store.put(drafts)

    def close(self) -> None:
        """Close connections. The store is on disk already where it has a folder."""
        for close in self._closing:
            close()

    def _refused(self, refusal: ModelRefusal, undone: str) -> None:
        told = f"memory condition {self._name!r}: nothing was {undone}: {refusal}"
        self._refusals.append(told)
        warnings.warn(told, RefusedByModel, stacklevel=3)
