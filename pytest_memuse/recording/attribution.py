"""Whose work an HTTP call is: the memory system's inside a bracket of its work, whatever threads and tasks it uses.

A bracket holds for the thread or task that opened it and for every task that is started inside it, which inherit its
context. A thread of a pool inherits nothing; its calls count for the work that is open elsewhere, unless it is the
thread that the episode was started in, which is the host's own.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from pytest_memuse.model import Actor


@dataclass(eq=False, slots=True)
class Work:
    """One bracket. ``unclaimed`` are the exchanges made in it that no operation has taken for its cost yet."""

    owner: "Attribution"
    actor: Actor
    outer: "Work | None" = None
    unclaimed: list[int] = field(default_factory=list)


# A context variable is a constant: what it holds belongs to the thread or task that looks.
_OPEN: ContextVar[Work | None] = ContextVar("memuse_open_work", default=None)
_CLOSED: ContextVar[Work | None] = ContextVar("memuse_closed_work", default=None)


class Attribution:
    """The brackets of one recorder, nested and concurrent."""

    def __init__(self) -> None:
        self._open: list[Work] = []
        self._home = threading.current_thread()

    def settle(self) -> None:
        """Take the calling thread for the host's own; what earlier brackets left unclaimed stays so."""
        self._home = threading.current_thread()
        _CLOSED.set(None)

    @contextmanager
    def work(self, actor: Actor) -> Iterator[Work]:
        """Open a bracket: calls inside it are the actor's. Of nested brackets the innermost counts."""
        work = Work(self, actor, self._mine(_OPEN.get()))
        _OPEN.set(work)
        self._open.append(work)
        try:
            yield work
        finally:
            self._open.remove(work)
            # Not by a token: a generator may be closed in another context than it was opened in.
            _OPEN.set(work.outer)
            _CLOSED.set(work)

    def current(self) -> Work | None:
        """Return the bracket that the calling thread or task is in, None where it is in none."""
        mine = self._mine(_OPEN.get())
        if mine is not None:
            return mine
        if threading.current_thread() is self._home:
            return None
        return next((work for work in reversed(tuple(self._open)) if work.actor is Actor.MEMORY), None)

    def claim(self) -> tuple[int, ...]:
        """Take the exchanges of the bracket that was closed last in the open one, else those of the open one."""
        opened, closed = self._mine(_OPEN.get()), self._mine(_CLOSED.get())
        for work in (closed if closed is not None and closed.outer is opened else None, opened):
            if work is not None and work.unclaimed:
                spent = tuple(work.unclaimed)
                work.unclaimed.clear()
                return spent
        return ()

    def _mine(self, work: Work | None) -> Work | None:
        return work if work is not None and work.owner is self else None
