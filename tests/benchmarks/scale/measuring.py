"""What reading a corpus costs: CPU seconds beside those of `json.loads` on the same lines, and the peak of memory.

``python -m tests.benchmarks.scale.measuring FILE...`` measures in a fresh process and prints one JSON object.
"""

import gc
import json
import resource
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pytest_memuse.model.log import iter_episodes
from pytest_memuse.spans import SpanOutcome, build_spans, prior_context, replay_inputs


@dataclass(frozen=True, slots=True)
class Read:
    """What was found in event-log files."""

    episodes: int = 0
    steps: int = 0
    deliveries: int = 0
    spans: int = 0
    eligible: int = 0
    sources: int = 0

    def __add__(self, other: "Read") -> "Read":
        return Read(*(a + b for a, b in zip(asdict(self).values(), asdict(other).values(), strict=True)))


@dataclass(frozen=True, slots=True)
class Measured:
    """CPU seconds of `json.loads` alone and of everything, in turn file by file; ``peak`` is in bytes."""

    read: Read
    json_seconds: float
    seconds: float
    peak: int

    @property
    def ratio(self) -> float:
        return self.seconds / self.json_seconds


def read_file(path: Path) -> Read:
    """Read one file as a stream to spans, windows and the prior context of every eligible span."""
    found = Read()
    with path.open("rb") as file:
        for recorded in iter_episodes(file, path.name):
            episode = replay_inputs(recorded)
            spans = build_spans(episode)
            eligible = [span for span in spans if span.outcome is SpanOutcome.ELIGIBLE]
            sources = sum(len(prior_context(episode, span)) for span in eligible)
            deliveries = sum(len(span.deliveries) for span in spans)
            found += Read(1, len(episode.steps), deliveries, len(spans), len(eligible), sources)
    return found


def measure(paths: Iterable[Path]) -> Measured:
    """Measure in this process. CPU time does not count what other processes take of the core meanwhile."""
    found, alone, whole = Read(), 0.0, 0.0
    for path in paths:
        begun = time.process_time()
        with path.open("rb") as file:
            for line in file:
                json.loads(line)
        parsed = time.process_time()
        found += read_file(path)
        alone, whole = alone + parsed - begun, whole + time.process_time() - parsed
    return Measured(found, alone, whole, peak_memory())


def relative_costs(corpora: Mapping[int, Sequence[Path]], rounds: int) -> dict[int, list[float]]:
    """Return what reading each file of a corpus costs relative to the same file of the first, once for each round.

    The corpora must hold the same work, file by file. A machine's clock may double and halve within a second or two,
    and its caches are shared. A file and its counterparts are therefore read right after one another, in an order that
    turns round every time, and only such neighbours are compared: a slow phase slows down both sides of a quotient.
    """
    first, *others = corpora
    found: dict[int, list[float]] = {length: [] for length in others}
    order = list(corpora)
    for _ in range(rounds):
        for chunk in range(len(corpora[first])):
            costs = {length: _cpu_seconds(corpora[length][chunk]) for length in order}
            for length in others:
                found[length].append(costs[length] / costs[first])
            order.reverse()
    return found


def arithmetic(seed: int) -> int:
    """Work that takes nothing but a core, for a third of a second or so."""
    for number in range(4_000_000):
        seed = (seed * 31 + number) % 1_000_003
    return seed


def _cpu_seconds(path: Path) -> float:
    # What was left by the file before must not be collected at this one's cost; its own garbage is.
    gc.collect()
    begun = time.process_time()
    read_file(path)
    return time.process_time() - begun


def peak_memory() -> int:
    """Return the most memory that this process has held, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():
        # Unlike the resource usage, it starts anew with the program that a process executes.
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def main(arguments: Sequence[str]) -> None:
    print(json.dumps(asdict(measure(map(Path, arguments)))))


if __name__ == "__main__":
    main(sys.argv[1:])
