"""How large the recording of a long episode is; ``pytest tests/benchmarks/recording/test_size.py -m benchmark -s``."""

from collections.abc import Callable

import pytest

from pytest_memuse.model.digests import canonical_json
from pytest_memuse.recording.recording import Exchange
from tests.recording.long_episodes import chat, distinct_text, messages_api, responses_api, size_of

pytestmark = pytest.mark.benchmark

STEPS = 200
MOST = 1.3


@pytest.mark.parametrize("api", [chat, messages_api, responses_api])
def test_a_long_episode_takes_what_its_distinct_text_takes(
    api: Callable[[int], list[Exchange]], capsys: pytest.CaptureFixture[str]
) -> None:
    exchanges = api(STEPS)
    sent = sum(len(canonical_json([exchange.request, exchange.response])) for exchange in exchanges)
    size, distinct = size_of(exchanges), distinct_text(exchanges)
    with capsys.disabled():
        print(
            f"\n{api.__name__}: {STEPS} steps, {sent / 1e6:.1f} MB sent and received, {distinct / 1e3:.0f} KB of "
            f"distinct text, recording {size / 1e3:.0f} KB, {size / distinct:.2f} times (target {MOST})"
        )
    assert size <= MOST * distinct
