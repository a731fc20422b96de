"""Executors by address: whichever is chosen, the results are the same."""

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pytest_memuse.execution import check_address, open_executor
from pytest_memuse.judging import Judgment, Tracer
from pytest_memuse.judging.run import AHEAD, judge_episodes
from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.profiles import Profile
from pytest_memuse.profiles.assembling import episode_row
from pytest_memuse.profiles.rows import Run
from pytest_memuse.profiles.serialise import run_to_dict
from pytest_memuse.spans import Span
from tests.cases.episodes import OWN_CASES, load_cases
from tests.judging.labelled import labelled_episode
from tests.spans.conversations import conversation


def cases() -> list[Episode]:
    """The worked cases of labels and spans, in order: some that are judged, some neutral, some errors."""
    return [
        labelled_episode(case, name) for name in ("labels.yaml", "spans.yaml") for case in load_cases(name, OWN_CASES)
    ]


def run(address: str) -> Run:
    with open_executor(address) as executor:
        judged = judge_episodes(Tracer(), cases(), executor)
        return Run("cases", tuple(episode_row(e, found.spans, found.judgments) for e, found in judged))


@pytest.fixture(scope="module")
def in_this_process() -> Run:
    return run("")


@pytest.mark.parametrize("address", ["threads:1", "threads:4", pytest.param("processes:2", marks=pytest.mark.slow)])
def test_the_same_rows_come_in_the_same_order_whatever_the_executor(address: str, in_this_process: Run) -> None:
    assert len(in_this_process.episodes) > AHEAD
    assert run_to_dict(run(address)) == run_to_dict(in_this_process)


@pytest.mark.slow
def test_a_local_dask_cluster_of_two_workers_gives_the_same_profile_as_one_thread(in_this_process: Run) -> None:
    distributed = pytest.importorskip(
        "distributed", reason="Dask is an extra (pip install 'pytest-memuse[dask]') and is not installed"
    )
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        found = run(f"dask:{cluster.scheduler_address}")
    assert run_to_dict(found) == run_to_dict(in_this_process)
    assert figures(found) == figures(in_this_process)


def figures(found: Run) -> list[tuple[Any, ...]]:
    """Every defined figure with its counts and interval."""
    defined = [figure for figure in Profile.of(found) if figure.defined]
    return [(f.spec.name, float(f), f.counts, f.lower, f.upper) for f in defined]


class _Failing:
    """A judge that breaks."""

    identity = Tracer().identity

    def judge(self, episode: Episode, spans: tuple[Span, ...], span: Span) -> Judgment | None:
        raise RuntimeError(f"broken at {episode.id}")


@pytest.mark.parametrize("address", ["", "threads:2"])
def test_what_a_judge_raises_is_raised_at_its_episode(address: str) -> None:
    with (
        open_executor(address) as executor,
        pytest.raises(RuntimeError, match="broken at L-path-named-only-by-the-entry"),
    ):
        list(judge_episodes(_Failing(), cases(), executor))


def test_a_stream_of_episodes_is_read_a_few_ahead_only() -> None:
    taken: list[str] = []

    def stream() -> Iterator[Episode]:
        for seed in range(10 * AHEAD):
            taken.append(str(seed))
            yield conversation(seed).exact

    with open_executor("threads:2") as executor:
        judged = judge_episodes(Tracer(), stream(), executor)
        next(judged)
        assert len(taken) == AHEAD + 1
        judged.close()  # type: ignore[attr-defined]


def test_threads_are_gone_when_the_block_is_left() -> None:
    before = threading.active_count()
    with open_executor("threads:3") as executor:
        assert isinstance(executor, ThreadPoolExecutor)
        list(executor.map(str, range(20)))
        assert threading.active_count() > before
    assert threading.active_count() == before


@pytest.mark.parametrize(
    "address",
    ["thread:2", "threads", "threads:0", "threads:-1", "threads:99999", "dask:", "dask:file:///etc", "dask", " "],
)
def test_what_is_no_address_is_refused_with_the_valid_ones(address: str) -> None:
    with pytest.raises(MemuseError, match="is no executor\n  to mend: valid are threads:N, processes:N, dask:tcp"):
        check_address(address)


def test_without_dask_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(MemuseError, match=r"pip install 'pytest-memuse\[dask\]'"),
        open_executor("dask:tcp://127.0.0.1:1"),
    ):
        pass
