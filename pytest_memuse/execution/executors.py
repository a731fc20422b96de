"""One `concurrent.futures.Executor`, chosen by an address. We write no scheduler."""

import multiprocessing
import re
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager

from pytest_memuse.model.errors import MemuseError

_LOCAL = re.compile(r"(threads|processes):([1-9][0-9]{0,3})", re.ASCII)
_DASK = re.compile(r"dask:((?:tcp|tls|ws|wss)://\S+)", re.ASCII)
_VALID = "threads:N, processes:N, dask:tcp://HOST:PORT, or nothing for this process"


def check_address(address: str) -> str:
    """Return the address of an executor. Raises `MemuseError` where it is none; nothing is started or connected to."""
    if address and not _LOCAL.fullmatch(address) and not _DASK.fullmatch(address):
        raise MemuseError(f"{address!r} is no executor", reason="executor", mend=f"valid are {_VALID}")
    return address


@contextmanager
def open_executor(address: str) -> Iterator[Executor | None]:
    """Give the executor of an address for the length of a ``with`` block; None stands for this process.

    ``threads:N`` and ``processes:N`` start N workers; processes are started afresh, since a test session has threads
    that a fork would not copy. ``dask:tcp://HOST:PORT`` uses the workers of a running cluster, which execute what they
    are sent: name only a cluster that you trust. Raises `MemuseError` for an address that is none, where Dask is not
    installed and where a cluster does not answer.
    """
    check_address(address)
    local, dask = _LOCAL.fullmatch(address), _DASK.fullmatch(address)
    if dask:
        with _dask_executor(dask[1]) as executor:
            yield executor
    elif local and local[1] == "threads":
        with ThreadPoolExecutor(int(local[2])) as executor:
            yield executor
    elif local:
        with ProcessPoolExecutor(int(local[2]), multiprocessing.get_context("spawn")) as executor:
            yield executor
    else:
        yield None


@contextmanager
def _dask_executor(cluster: str) -> Iterator[Executor]:
    try:
        from distributed import Client
    except ImportError:
        raise MemuseError(
            "Dask is not installed", reason="executor", mend="pip install 'pytest-memuse[dask]'"
        ) from None
    try:
        client = Client(cluster, timeout=10, set_as_default=False)
    except (OSError, ValueError) as error:
        raise MemuseError(
            f"the Dask cluster at {cluster} does not answer: {error}",
            reason="executor",
            mend="start its scheduler, or name another executor",
        ) from None
    with client:
        yield client.get_executor(pure=False)
