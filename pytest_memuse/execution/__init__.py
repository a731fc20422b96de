"""Where work runs: in this process, in threads, in processes, or on a Dask cluster."""

from pytest_memuse.execution.executors import check_address, open_executor

__all__ = ["check_address", "open_executor"]
