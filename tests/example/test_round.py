"""The round that the product exists for, with real Mem0, a real embedder and a real agent.

A change breaks the memory system. Without recording, the suite is stale and says where. Recorded again, the gate fails
figure by figure and says who is responsible. Undone and recorded again, it passes.
"""

import re

import pytest

from tests.example.conftest import Break, Example

ARCS = 12


def _no_update(example: Example) -> None:
    example.with_setting("update_tool=False")


def _no_scope(example: Example) -> None:
    example.with_setting("scope_filter=False")


def _outage(example: Example) -> None:
    example.with_outage()


@pytest.mark.long
@pytest.mark.parametrize(
    ("broken", "stale", "regressed", "diff"),
    [
        pytest.param(
            _no_update,
            r"changed-port, episode update, step \d+: .*\n +stored entry changed: item 1: “.*`billing.port` is `9091`",
            {"outcome_rate", "harm_yield", "coverage_beneficial"},
            r"newly harmful: 9 entries in 9 tasks, 9 of them contradicted\n(.*\n)*  back to an older text: 10 entries",
            id="the-update-tool-is-disabled-and-stale-values-come-back",
        ),
        pytest.param(
            _no_scope,
            r"\w+, episode \w+, step 1: delivers differently.*\n +entry comes in: item \d+: “",
            {"relevance_share", "delivered_tokens", "token_efficiency"},
            r"\n  from a namespace that the task had nothing of then: 144 entries in 24 tasks \(36 of repo:mobile",
            id="the-scope-filter-is-lost-and-other-projects-flood-in",
        ),
        pytest.param(
            _outage,
            r"changed-port, episode \w+, step 1: delivers differently.*\n +entry goes out: item 1: “",
            {"outcome_rate", "coverage_beneficial", "relevance_share"},
            r"\n  nothing is delivered now in 24 of 24 tasks that had memory then\n",
            id="nothing-is-returned",
        ),
    ],
)
def test_a_broken_memory_is_stale_then_fails_then_passes_once_undone(
    example: Example, broken: Break, stale: str, regressed: set[str], diff: str
) -> None:
    before = example.files()
    broken(example)

    replayed = example.run("--memuse-baseline=main")
    assert replayed.code == 1
    assert re.search(r"\d+ of 12 recordings are stale", replayed.out)
    assert re.search(stale, replayed.out)
    assert example.files() == before

    recorded = example.run("--memuse-baseline=main", "--memuse-record-mode=new_episodes")
    assert recorded.code == 1
    failed = recorded.failed_gates
    assert regressed <= set(failed), recorded.out
    for figure in regressed:
        assert "regressed" in failed[figure]
        # Task, step, item, its text, and what the agent did with it then and now.
        named = re.search(
            r"[\w-]+/\w+, step \d+: [0-9a-f-]{36}( “.+”: .+ then, .+ now|\n +then “.+”: .+\n +now “.+”: .+)",
            failed[figure],
        )
        assert named, failed[figure]
        assert f"gate[{figure}]" in recorded.out

    assert re.search(diff, example.diff("main"))

    example.restore()
    undone = example.run("--memuse-baseline=main", "--memuse-record-mode=new_episodes")
    assert undone.code == 0, undone.out
    assert "(12 arcs): passed" in undone.out
    assert undone.failed_gates == {}
