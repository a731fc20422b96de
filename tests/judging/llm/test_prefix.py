"""Requests are laid out so that a provider's cache serves them: each begins with what was sent before.

What a cache that forgets nothing could serve of the example project's requests is printed with

    pytest tests/judging/llm/test_prefix.py -s
"""

from pathlib import Path

from pytest_memuse.cli.reading import read_any
from pytest_memuse.judging.llm import LlmJudge, RunLimits
from pytest_memuse.judging.llm.conversation import Reply, Request
from pytest_memuse.judging.run import judge_episodes
from pytest_memuse.model.digests import canonical_json
from tests.judging.llm.scripted_client import Client

EXAMPLE = Path(__file__).parents[3] / "example_project" / "cassettes" / "shop"
PAPER = 0.745
"""The share of input tokens that a cache served the paper's judge (MemUse A.6.8)."""


class Listening(Client):
    """Answers as the scripted judge does, and remembers what it was sent, a text a message."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[tuple[str, ...]] = []

    def ask(self, request: Request) -> Reply:
        self.requests.append(tuple(map(canonical_json, request.messages)))
        return super().ask(request)


def test_a_cache_that_forgets_nothing_serves_more_of_the_example_than_the_papers_did() -> None:
    client = Listening()
    judge = LlmJudge("openai/scripted", client=client, run=RunLimits(parallel=1))
    logs = [read_any(path) for path in sorted(EXAMPLE.glob("*.jsonl"))]
    episodes = [episode for log in logs for episode in log.episodes]
    assert sum(len(found.judgments) for _, found in judge_episodes(judge, episodes)) == 34
    seen: set[tuple[str, ...]] = set()
    sent = served = 0
    for messages in client.requests:
        known = next((length for length in range(len(messages), 0, -1) if messages[:length] in seen), 0)
        served += sum(map(len, messages[:known]))
        sent += sum(map(len, messages))
        seen.update(messages[:length] for length in range(1, len(messages) + 1))
    print(f"\nserved by a cache that forgets nothing: {served / sent:.1%} of {sent:,} characters")
    assert PAPER < served / sent < 1


def test_a_request_repeats_the_one_before_to_the_letter_and_adds_behind_it() -> None:
    client = Listening()
    judge = LlmJudge("openai/scripted", client=client, run=RunLimits(parallel=1))
    (log,) = [read_any(sorted(EXAMPLE.glob("*.jsonl"))[0])]
    assert list(judge_episodes(judge, log.episodes[-1:]))
    first, second = client.requests[:2]
    assert second[: len(first)] == first
    assert len(second) > len(first)
    # The rubric comes first, and is the same for every span.
    assert len({messages[0] for messages in client.requests}) == 1
