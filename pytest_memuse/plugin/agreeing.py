"""The fixture `memuse_agreement`: how far a test's suite may trust its judge."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_memuse.plugin.state import state_of, suite_of

if TYPE_CHECKING:
    from pytest_memuse.judging.answers import Judge
    from pytest_memuse.plugin.fixtures import Memuse
    from pytest_memuse.plugin.options import Settings
    from pytest_memuse.profiles.agreement import JudgesAgreement
    from pytest_memuse.profiles.judge_noise import JudgeNoise
    from pytest_memuse.profiles.rows import Run


class MemuseAgreement:
    """What the `memuse_agreement` fixture gives a test; call it with one judge or with two.

    A model is asked as the judge mode allows, and its answers are kept with the suite's own.
    """

    def __init__(self, memuse: "Memuse", own: "Judge", suite: str, folder: Path, settings: "Settings") -> None:
        self._memuse = memuse
        self._own = own
        self._suite = suite
        self._folder = folder
        self._settings = settings

    def __call__(self, first: "str | Path | Judge", second: "str | Path | Judge | None" = None) -> "JudgesAgreement":
        """Return how two judges agree on the suite's episodes; of one alone, how it agrees with the suite's own judge.

        A judge is an object, a name as the command line takes it (``tracer``, ``annotations:FILE``), a YAML file of
        annotations, or a stored run: a baseline by name or path. Files are looked for from the folder of the test file.
        The figures of the first judge are those that the second one's signals move; the suite's own comes first.
        Fails the test where a judge cannot be read, or where labels were given for other evidence.
        """
        from pytest_memuse.model import MemuseError
        from pytest_memuse.profiles.agreement import JudgesAgreement

        try:
            mine = self._own_run() if second is None else self._run(first)
            return JudgesAgreement.of(*mine, *self._run(first if second is None else second))
        except MemuseError as error:
            pytest.fail(str(error), pytrace=False)

    def noise(self, judge: "str | Path | Judge | None" = None, times: int = 2) -> "JudgeNoise":
        """Return what a judge's own noise makes of each figure, from judging the suite's episodes several times.

        The judge is named as for a call; without one it is the suite's own. A model is asked anew for every judging
        after the first, whose answers are not taken for them; each judging's answers are kept by themselves, so that
        the next session asks nobody. Fails the test for fewer than two judgings, or where one leaves spans unjudged.
        """
        from pytest_memuse.model import MemuseError
        from pytest_memuse.profiles.judge_noise import JudgeNoise, judge_noise

        try:
            given = self._own if judge is None else self._named(judge)
            if given is None:
                raise MemuseError(f"{judge} is a stored run, which judges nothing again", reason="noise")
            first = (self._own_run() if given is self._own else self._judged(given))[1]
            runs = [first, *(self._judged(given, repeat)[1] for repeat in range(2, times + 1))]
            for number, run in enumerate(runs, start=1):
                _check_judged(number, run)
            return JudgeNoise(len(runs), judge_noise(runs))
        except MemuseError as error:
            pytest.fail(str(error), pytrace=False)

    def _own_run(self) -> "tuple[str, Run]":
        return str(self._own.identity), self._memuse.profile().run

    def _run(self, given: "str | Path | Judge") -> "tuple[str, Run]":
        judge = self._named(given)
        return self._stored(str(given)) if judge is None else self._judged(judge)

    def _named(self, given: "str | Path | Judge") -> "Judge | None":
        """Return the judge that is meant, None for a stored run."""
        from pytest_memuse.judging.named import is_judge, judge_named, spelled_out

        if not isinstance(given, (str, Path)):
            return given
        name = spelled_out(str(given))
        return judge_named(name, self._folder) if is_judge(name) else None

    def _judged(self, judge: "Judge", repeat: int = 1) -> "tuple[str, Run]":
        from pytest_memuse.judging.run import judge_episodes
        from pytest_memuse.plugin.judgment_records import suite_judge
        from pytest_memuse.profiles.assembling import episode_row
        from pytest_memuse.profiles.rows import Run

        kept = suite_judge(judge if repeat == 1 else self._apart(judge, repeat), self._settings, self._suite)
        rows = [
            episode_row(episode, found.spans, found.judgments, reasons=found.reasons)
            for episode, found in judge_episodes(kept, self._memuse.episodes)
        ]
        return str(judge.identity), Run(self._suite, tuple(rows))

    def _apart(self, judge: "Judge", repeat: int) -> "Judge":
        """Return a judge with records of this judging alone."""
        from pytest_memuse.judging.combined import keeping
        from pytest_memuse.judging.llm.records import JudgmentRecords
        from pytest_memuse.plugin.judgment_records import records_folder

        folder = records_folder(self._settings.cassettes, self._suite) / f"judging-{repeat}"
        return keeping(judge, lambda identity: JudgmentRecords(folder, identity))

    def _stored(self, name: str) -> "tuple[str, Run]":
        from pytest_memuse.gate.store import read_baseline

        path = str(self._folder / name) if name.endswith(".json") else name
        suite = read_baseline(self._settings.baselines, path).suite(self._suite, name)
        return f"{suite.identity.judge}, in {name}", suite.run


def _check_judged(number: int, run: "Run") -> None:
    from pytest_memuse.model import MemuseError
    from pytest_memuse.profiles.rows import RowOutcome

    left = sum(span.outcome is RowOutcome.UNJUDGED for episode in run.episodes for span in episode.spans)
    if left:
        raise MemuseError(
            f"judging {number} left {left} spans unjudged, so that it is not of the same spans as the others",
            reason="noise",
            mend="run it with --memuse-judge-mode=new where the model can be asked, within a budget for all of them",
        )


@pytest.fixture
def memuse_agreement(request: pytest.FixtureRequest) -> MemuseAgreement:
    """Give access to the agreement of judges on the suite that the test's ``memuse`` marker names."""
    memuse: Any = request.getfixturevalue("memuse")
    own: Any = request.getfixturevalue("memuse_judge")
    settings = state_of(request.config).settings
    return MemuseAgreement(memuse, own, suite_of(request.node), request.path.parent, settings)
