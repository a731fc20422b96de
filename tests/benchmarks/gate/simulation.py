"""The tables of ``docs/statistics.md``, from simulated builds. ``python -m tests.benchmarks.gate.simulation --help``.

``MEMUSE_CASES=DIR`` takes ``gate_generator.yaml`` from another folder. Ctrl-C prints the tables of what is done;
``--keep FILE`` stores it as it grows, and the same command goes on from there.
"""

import argparse
import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from tests.benchmarks.gate.generators import generators
from tests.benchmarks.gate.rows import TOLERANCES, Cell, row
from tests.benchmarks.gate.tables import print_tables

_BATCH = 20
_ARCS = {"verdicts": [20, 100, 500], "kinds": [20, 100, 500], "bounds": [10, 30, 100]}


@dataclass(slots=True)
class Kept:
    """Sums of rows by cell, each over the builds with the seeds ``first`` up to ``first`` + number of builds."""

    first: int
    file: Path | None = None
    sums: dict[str, list[int]] = field(default_factory=dict)
    builds: dict[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, first: int, file: Path | None) -> "Kept":
        """Return what a file holds of the same generators from the same first seed; nothing otherwise."""
        kept = cls(first, file)
        if file is not None and file.exists():
            stored = json.loads(file.read_text(encoding="utf-8"))
            if (stored["first"], stored["generators"]) == (first, generators().digest):
                kept.sums, kept.builds = stored["sums"], stored["builds"]
        return kept

    def add(self, cell: Cell, builds: int, sums: Sequence[int]) -> None:
        """Add a batch of builds of a cell."""
        before = self.sums.get(cell.name, [0] * len(sums))
        self.sums[cell.name] = [one + other for one, other in zip(before, sums, strict=True)]
        self.builds[cell.name] = self.builds.get(cell.name, 0) + builds

    def write(self) -> None:
        """Store everything, where there is a file for it."""
        if self.file is not None:
            held = {"first": self.first, "generators": generators().digest, "builds": self.builds, "sums": self.sums}
            beside = self.file.with_suffix(".part")
            beside.write_text(json.dumps(held, indent=1), encoding="utf-8")
            beside.replace(self.file)


def batch(cell: Cell, first: int, builds: int) -> list[int]:
    """Return the summed rows of so many builds of a cell."""
    rows = [row(cell, seed) for seed in range(first, first + builds)]
    return [sum(column) for column in zip(*rows, strict=True)]


def simulate(cells: Sequence[Cell], builds: int, kept: Kept, workers: int) -> None:
    """Bring every cell up to so many builds, saying on standard error how far it is."""
    # Each worker computes with one thread: several would only get into each other's way.
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=signal.signal, initargs=_IGNORE)
    try:
        for cell in cells:
            for done, size, sums in _batches(pool, cell, builds, kept):
                kept.add(cell, size, sums)
                print(f"\r{cell.name}: {done}/{builds}   ", end="", file=sys.stderr, flush=True)
            kept.write()
            print(file=sys.stderr)
    finally:
        pool.shutdown(cancel_futures=True)
        kept.write()


_IGNORE = (signal.SIGINT, signal.SIG_IGN)


def _batches(pool: ProcessPoolExecutor, cell: Cell, builds: int, kept: Kept) -> Iterator[tuple[int, int, list[int]]]:
    """Yield how many builds are done, how many a batch had, and its sums.

    Batches are counted in the order of their seeds, so that what is kept on the way is always a run of seeds.
    """
    done = kept.builds.get(cell.name, 0)
    starts = range(done, builds, _BATCH)
    sizes = [min(_BATCH, builds - start) for start in starts]
    futures: list[Future[list[int]]] = [
        pool.submit(batch, cell, kept.first + start, size) for start, size in zip(starts, sizes, strict=True)
    ]
    for size, future in zip(sizes, futures, strict=True):
        done += size
        yield done, size, future.result()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.gate.simulation",
        description="Simulate builds and print, as Markdown: verdicts (builds that fail and changes that are found, "
        "beside other methods), kinds (the verdicts by kind, and wrong 'held'), bounds (how often the bounds hold).",
    )
    known = generators()
    parser.add_argument("table", choices=list(_ARCS))
    parser.add_argument("--builds", type=int, default=2000, help="builds a cell (default 2000)")
    parser.add_argument("--first", type=int, default=0, help="seed of the first build (default 0)")
    parser.add_argument("--arcs", type=int, nargs="+", help="default 20 100 500, for bounds 10 30 100")
    parser.add_argument("--generators", nargs="+", choices=list(known.by_name), default=list(known.by_name))
    parser.add_argument("--changes", nargs="+", choices=["none", *known.changes], default=["none", *known.changes])
    parser.add_argument("--tolerances", nargs="+", choices=list(TOLERANCES), default=["none"], help="for kinds only")
    parser.add_argument("--resamples", type=int, default=10_000, help="sign vectors (default 10000)")
    parser.add_argument("--workers", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="store sums here, and go on from those that it holds")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate, and print the tables; 130 where Ctrl-C cut it short."""
    options = _parser().parse_args(arguments)
    cells = [
        Cell(options.table, generator, arcs, change, options.resamples, tolerance)
        for change, tolerance, generator, arcs in product(
            options.changes, options.tolerances, options.generators, options.arcs or _ARCS[options.table]
        )
    ]
    kept = Kept.read(options.first, options.keep)
    code = 0
    try:
        simulate(cells, options.builds, kept, options.workers)
    except KeyboardInterrupt:
        print("\nstopped; what follows is what was done", file=sys.stderr)
        code = 130
    print_tables(options.table, [cell for cell in cells if kept.builds.get(cell.name)], kept.builds, kept.sums)
    return code


if __name__ == "__main__":
    for asked in (signal.SIGINT, signal.SIGTERM):  # a shell's background jobs ignore the first unless told otherwise
        signal.signal(asked, signal.default_int_handler)
    sys.exit(main())
