"""The fixture `memuse_agreement`: how far a test's suite may trust its judge."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_memuse.plugin.state import state_of, suite_of

if TYPE_CHECKING:
    from pytest_memuse.judging.answers import Judge
    from pytest_memuse.plugin.fixtures import Memuse
    from pytest_memuse.profiles.agreement import JudgesAgreement
    from pytest_memuse.profiles.rows import Run


class MemuseAgreement:
    """What the `memuse_agreement` fixture gives a test; call it with one judge or with two."""

    def __init__(self, memuse: "Memuse", own: "Judge", suite: str, folder: Path, baselines: Path) -> None:
        self._memuse = memuse
        self._own = own
        self._suite = suite
        self._folder = folder
        self._baselines = baselines

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

    def _own_run(self) -> "tuple[str, Run]":
        return str(self._own.identity), self._memuse.profile().run

    def _run(self, given: "str | Path | Judge") -> "tuple[str, Run]":
        from pytest_memuse.judging.named import is_judge, judge_named, spelled_out

        if not isinstance(given, (str, Path)):
            return self._judged(given)
        name = spelled_out(str(given))
        return self._judged(judge_named(name, self._folder)) if is_judge(name) else self._stored(name)

    def _judged(self, judge: "Judge") -> "tuple[str, Run]":
        from pytest_memuse.judging.run import judge_episodes
        from pytest_memuse.profiles.assembling import episode_row
        from pytest_memuse.profiles.rows import Run

        rows = [
            episode_row(episode, found.spans, found.judgments, reasons=found.reasons)
            for episode, found in judge_episodes(judge, self._memuse.episodes)
        ]
        return str(judge.identity), Run(self._suite, tuple(rows))

    def _stored(self, name: str) -> "tuple[str, Run]":
        from pytest_memuse.gate.store import read_baseline

        path = str(self._folder / name) if name.endswith(".json") else name
        suite = read_baseline(self._baselines, path).suite(self._suite, name)
        return f"{suite.identity.judge}, in {name}", suite.run


@pytest.fixture
def memuse_agreement(request: pytest.FixtureRequest) -> MemuseAgreement:
    """Give access to the agreement of judges on the suite that the test's ``memuse`` marker names."""
    memuse: Any = request.getfixturevalue("memuse")
    own: Any = request.getfixturevalue("memuse_judge")
    baselines = state_of(request.config).settings.baselines
    return MemuseAgreement(memuse, own, suite_of(request.node), request.path.parent, baselines)
