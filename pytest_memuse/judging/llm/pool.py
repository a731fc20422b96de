"""Threads that a session does not wait for when it is interrupted in the middle of a request."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Task = tuple["Future[Any]", Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class DaemonThreads(Executor):
    """A fixed number of daemon threads.

    A `ThreadPoolExecutor` is joined when the interpreter ends, so that Ctrl-C would wait for every request that is
    under way, minutes at worst.
    """

    def __init__(self, number: int) -> None:
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(number)]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Hand a call to the next free thread."""
        future: Future[_T] = Future()
        self._tasks.put((future, fn, args, kwargs))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the threads once they are idle; with ``cancel_futures`` what was not begun is not begun."""
        if cancel_futures:
            while True:
                try:
                    task = self._tasks.get_nowait()
                except queue.Empty:
                    break
                if task is not None:
                    task[0].cancel()
        for _ in self._threads:
            self._tasks.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            future, call, arguments, named = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = call(*arguments, **named)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)
