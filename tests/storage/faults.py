"""Making each call to the system fail in turn, or killing the process at it; calls outside a folder do not count."""

import atexit
import errno
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

CALLS = ("mkdir", "listdir", "open", "write", "fsync", "replace", "rename", "close", "unlink")
APPENDING = (*CALLS, "ftruncate", "flock")
"""What appending to a file calls besides."""

Strike = Callable[[str, Callable[..., Any], tuple[Any, ...]], None]
"""Called before the n-th call with its name, the call itself and its arguments; it raises, or never returns."""


class _Watch:
    """Counts the calls that have to do with some folders; descriptors of their files are followed."""

    def __init__(self, folders: Sequence[Path], strike_at: int, strike: Strike | None) -> None:
        self._folders = tuple(map(str, folders))
        self._descriptors: set[int] = set()
        self._strike_at = strike_at
        self._strike = strike
        self.seen: list[str] = []

    def wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            if not self._ours(arguments):
                return real(*arguments, **options)
            self.seen.append(name)
            if self._strike is not None and len(self.seen) >= self._strike_at:
                self._strike(name, real, arguments)
            result = real(*arguments, **options)
            if name == "open":
                self._descriptors.add(result)
            elif name == "close":
                self._descriptors.discard(arguments[0])
            return result

        return call

    def _ours(self, arguments: tuple[Any, ...]) -> bool:
        first = arguments[0] if arguments else None
        if isinstance(first, int):
            return first in self._descriptors
        return isinstance(first, (str, Path)) and str(first).startswith(self._folders)


@contextmanager
def _watched(
    folder: Path, strike_at: int = 0, strike: Strike | None = None, names: Sequence[str] = CALLS
) -> Iterator[_Watch]:
    watch = _Watch((folder,), strike_at, strike)
    homes: dict[str, Any] = {name: import_module("fcntl") if name == "flock" else os for name in names}
    real = {name: getattr(home, name) for name, home in homes.items()}
    for name, function in real.items():
        setattr(homes[name], name, watch.wrapped(name, function))
    try:
        yield watch
    finally:
        for name, function in real.items():
            setattr(homes[name], name, function)


def calls_of(folder: Path, action: Callable[[], object], names: Sequence[str] = CALLS) -> list[str]:
    """Return the names of the calls that an action makes, in order; calls of other names do not count."""
    with _watched(folder, names=names) as watch:
        action()
    return watch.seen


def fail_at(
    folder: Path, number: int, action: Callable[[], object], *, for_good: bool, names: Sequence[str] = CALLS
) -> None:
    """Run an action whose n-th call fails: half a write, then no space; ``for_good`` fails every call after it too."""

    def strike(name: str, real: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        if for_good or len(watch.seen) == number:
            if name == "write":
                real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
            if name == "close":
                # A close that reports an error has closed all the same.
                real(*arguments)
            raise OSError(errno.ENOSPC, "No space left on device")

    with _watched(folder, number, strike, names) as watch:
        action()


def kill_at(folder: Path, number: int, action: Callable[[], object], names: Sequence[str] = CALLS) -> None:
    """Run an action in a process of its own that is killed at its n-th call, in the middle of it where it writes."""
    child = os.fork()
    if child == 0:

        def strike(name: str, real: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
            if name == "write":
                real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
            os.kill(os.getpid(), signal.SIGKILL)

        try:
            with _watched(folder, number, strike, names):
                action()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), f"the process got past call {number}"


def install(folders: Sequence[Path], order: str) -> None:
    """Do to this process, from now on, what an order says: ``count:FILE``, ``fail:N`` or ``kill:N``; nothing if empty.

    ``kill:write N`` counts writes alone: what other threads read meanwhile is another number of calls in every run.
    ``count`` leaves the names of the calls in a file, a line each, when the process ends.
    """
    if not order:
        return
    what, _, argument = order.partition(":")
    kind, _, number = argument.rpartition(" ") if what != "count" else ("", "", "0")

    def strike(name: str, real: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        counted = [each for each in watch.seen if not kind or each == kind]
        if len(counted) != int(number) or (kind and name != kind):
            return
        if name == "write":
            real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
        if what == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if name == "close":
            real(*arguments)
        raise OSError(errno.ENOSPC, "No space left on device")

    watch = _Watch(folders, 0, None if what == "count" else strike)
    for name in CALLS:
        setattr(os, name, watch.wrapped(name, getattr(os, name)))
    if what == "count":
        atexit.register(lambda: Path(argument).write_text("\n".join(watch.seen)))
