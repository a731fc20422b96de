"""What profiling a suite from its judge's records costs, beside parsing the same files as JSON.

``python -m tests.benchmarks.judging.measuring FOLDER ARCS`` measures so many arcs of a suite in a fresh process and
prints one JSON object.
"""

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NoReturn

from pytest_memuse.episodes.specs import SuiteSpec
from pytest_memuse.plugin.judging_options import JudgingSettings
from pytest_memuse.plugin.judgment_records import suite_judge
from pytest_memuse.plugin.suites import SuiteRunner
from pytest_memuse.profiles.profile import Profile
from pytest_memuse.profiles.rows import Run
from pytest_memuse.recording.files import load_recording
from pytest_memuse.recording.lines import event_to_line
from pytest_memuse.recording.redaction import Redaction
from tests.benchmarks.judging.corpus import SUITE, judge
from tests.benchmarks.scale.measuring import peak_memory
from tests.plugin.sessions import settings_in


@dataclass(frozen=True, slots=True)
class Measured:
    """CPU seconds of `json.loads` on every line of recordings and answers, and of the profile; ``peak`` in bytes.

    A recording holds each message once. ``sent_bytes`` and ``sent_seconds`` are of the same events with every request
    as it was sent, the answers again among them.
    """

    spans: int
    judged: int
    json_bytes: int
    json_seconds: float
    sent_bytes: int
    sent_seconds: float
    seconds: float
    peak: int
    litellm: bool
    relevance: float


def main(arguments: Sequence[str]) -> None:
    folder = Path(arguments[0])
    recordings = sorted((folder / SUITE).glob("*.jsonl"))[: int(arguments[1])]
    kept = folder / SUITE / "judgments"
    answers = [path for recording in recordings for path in kept.glob(f"*/{recording.name}")]
    files = [*recordings, *answers]
    before = _parsed(files)
    begun = time.process_time()
    run, profile = _profiled(folder, recordings)
    seconds = time.process_time() - begun
    peak = peak_memory()
    sent_bytes, sent_seconds = _sent(recordings)
    outcomes = [span.outcome.value for span in run.spans]
    kept_answers = _parsed(answers)
    found = Measured(
        spans=len(outcomes),
        judged=outcomes.count("judged"),
        json_bytes=sum(path.stat().st_size for path in files),
        # The machine's clock varies: once before, once after.
        json_seconds=(before + _parsed(files)) / 2,
        sent_bytes=sent_bytes + sum(path.stat().st_size for path in answers),
        sent_seconds=sent_seconds + kept_answers,
        seconds=seconds,
        peak=peak,
        litellm="litellm" in sys.modules,
        relevance=float(profile.relevance_share),
    )
    print(json.dumps(asdict(found)))


def _parsed(files: Sequence[Path]) -> float:
    begun = time.process_time()
    for path in files:
        with path.open("rb") as file:
            for line in file:
                json.loads(line)
    return time.process_time() - begun


def _sent(recordings: Sequence[Path]) -> tuple[int, float]:
    """Return bytes and CPU seconds of parsing events as they were sent."""
    size, seconds = 0, 0.0
    for path in recordings:
        lines = [json.dumps(event_to_line(event)) for event in load_recording(path).events]
        size += sum(map(len, lines))
        begun = time.process_time()
        for line in lines:
            json.loads(line)
        seconds += time.process_time() - begun
    return size, seconds


def _profiled(folder: Path, recordings: Sequence[Path]) -> tuple[Run, Profile]:
    """Profile a suite as the plugin does where the judge mode is none."""
    settings = replace(settings_in(folder), cassettes=folder, judging=JudgingSettings("none"))
    runner = SuiteRunner(
        suite=SUITE,
        spec=SuiteSpec.model_construct(arcs=()),
        settings=settings,
        memory=_unused,
        runner=_unused,
        judge=suite_judge(judge(), settings, SUITE),
        redaction=Redaction(),
        say=lambda told: None,
        describe=lambda drifts: "",
        base=folder,
        root=folder,
    )
    run = runner.judge_recordings([load_recording(path) for path in recordings]).run
    return run, Profile.of(run)


def _unused(*_: object) -> NoReturn:
    raise AssertionError("nothing is recorded or replayed")


if __name__ == "__main__":
    main(sys.argv[1:])
