"""A test that runs its own agent is recorded by one run and answered from its file by the next."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from pytest_memuse.episodes.own_recording import SUITE, OwnRecording
from pytest_memuse.model import FormatError, MemuseError
from pytest_memuse.recording.bridge import Bridge
from pytest_memuse.recording.files import recording_path
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.rendered import Found
from pytest_memuse.spans.checks import recording_problems
from tests.recording.servers import json_server

DEAD = "http://127.0.0.1:9/v1"
NAME = "tests/test_a.py::test_port[1]"


def _own(folder: Path, mode: str, name: str = NAME) -> OwnRecording:
    return OwnRecording(recording_path(folder, SUITE, name), name, mode, Redaction())


def _model(path: str, body: Any) -> Any:
    if path.endswith("/embeddings"):
        return {"data": [{"embedding": [0.5]}]}
    return {"model": "rule-model", "choices": [{"message": {"role": "assistant", "content": "It is 8081."}}]}


def _run(bridge: Bridge, base: str, *, port: str = "8081", item: str = "n-1") -> None:
    with bridge.work():
        httpx.post(f"{base}/embeddings", json={"input": "port"}).raise_for_status()
        found = bridge.search("port", [Found(item, f"port is {port}")])
    bridge.deliver(f"port is {port}", operations=[found], slot="system")
    messages = [{"role": "system", "content": f"Known: port is {port}"}, {"role": "user", "content": "Which port?"}]
    httpx.post(f"{base}/chat/completions", json={"model": "m", "messages": messages}).raise_for_status()
    bridge.outcome(True)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cassettes")
    own = _own(folder, "once")
    with json_server(_model) as (base, _), own.episode("Which port?", scope="shop") as bridge:
        _run(bridge, base)
    own.finish()
    return folder


def _replay(folder: Path, run: Callable[[Bridge], None], mode: str = "none") -> OwnRecording:
    own = _own(folder, mode)
    with own.episode("Which port?", scope="shop") as bridge:
        run(bridge)
    own.finish()
    return own


@pytest.mark.parametrize("mode", ["none", "once"])
def test_the_second_run_needs_no_server_and_gives_the_same_log(recorded: Path, mode: str) -> None:
    before = {path: path.read_bytes() for path in recorded.rglob("*.jsonl")}
    own = _replay(recorded, lambda bridge: _run(bridge, DEAD), mode)
    (episode,) = own.log().episodes
    assert [e.item for e in episode.deliveries[0].entries] == ["n-1"]
    assert (len(episode.steps), len(episode.memory_calls)) == (1, 1)
    assert episode.operations[0].calls == (episode.memory_calls[0].id,)
    assert episode.outcome is not None
    assert episode.outcome.success
    assert recording_problems(episode) == ()
    assert {path: path.read_bytes() for path in recorded.rglob("*.jsonl")} == before


def test_a_request_that_was_not_recorded_is_told_with_its_nearest(recorded: Path) -> None:
    with pytest.raises(MemuseError, match=r"(?s)not in the recording.*8081.*9091.*new_episodes") as caught:
        _replay(recorded, lambda bridge: _run(bridge, DEAD, port="9091"))
    assert caught.value.reason == "stale"


def test_a_test_that_says_other_things_of_its_memory_is_stale(recorded: Path) -> None:
    with pytest.raises(MemuseError, match=r"operation \(annotation 2\): entries was .*n-1.*, and is .*n-2.* now"):
        _replay(recorded, lambda bridge: _run(bridge, DEAD, item="n-2"))


def test_a_test_that_says_more_or_less_of_its_memory_is_stale(recorded: Path) -> None:
    def more(bridge: Bridge) -> None:
        _run(bridge, DEAD)
        bridge.snapshot({})

    with pytest.raises(MemuseError, match=r"outcome \(annotation 4\): type was 'outcome'.*, and is 'capture' now"):
        _replay(recorded, more)
    with pytest.raises(MemuseError, match=r"operation \(annotation 2\): type was 'operation'.*, and is 'outcome' now"):
        _replay(recorded, lambda bridge: None)


def test_one_more_episode_than_was_recorded_is_stale(recorded: Path) -> None:
    own = _replay(recorded, lambda bridge: _run(bridge, DEAD))
    with pytest.raises(MemuseError, match="it ran 1 episodes when it was recorded"), own.episode("Another?"):
        pass


def test_without_a_recording_the_error_names_file_and_command(tmp_path: Path) -> None:
    own = _own(tmp_path, "none")
    with pytest.raises(MemuseError, match=r"(?s)no recording: .*\.jsonl does not exist.*record-mode=once"):
        own.episode("t").__enter__()


def test_new_episodes_ask_live_only_what_is_not_recorded(recorded: Path, tmp_path: Path) -> None:
    path = recording_path(tmp_path, SUITE, NAME)
    path.parent.mkdir()
    path.write_bytes(recording_path(recorded, SUITE, NAME).read_bytes())
    with json_server(_model) as (base, asked):
        own = _replay(tmp_path, lambda bridge: _run(bridge, base, port="9091"), "new_episodes")
    assert [list(body) for body in asked] == [["model", "messages"]]
    assert own.recording().made_with["attempt"] == 2
    _replay(tmp_path, lambda bridge: _run(bridge, DEAD, port="9091"))


@pytest.mark.parametrize("mode", ["all", "rewrite"])
def test_all_and_rewrite_ask_everything_again(recorded: Path, tmp_path: Path, mode: str) -> None:
    path = recording_path(tmp_path, SUITE, NAME)
    path.parent.mkdir()
    path.write_bytes(recording_path(recorded, SUITE, NAME).read_bytes())
    with json_server(_model) as (base, asked):
        _replay(tmp_path, lambda bridge: _run(bridge, base), mode)
    assert len(asked) == 2


def test_a_test_that_breaks_off_inside_an_episode_leaves_no_recording(tmp_path: Path) -> None:
    own = _own(tmp_path, "once")

    def run() -> None:
        with own.episode("t"):
            raise RuntimeError("the agent broke")

    with pytest.raises(RuntimeError, match="the agent broke"):
        run()
    own.finish()
    assert list(tmp_path.rglob("*.jsonl")) == []


def test_several_episodes_are_answered_each_from_its_own_exchanges(tmp_path: Path) -> None:
    counted = iter(range(100))
    answer = {"choices": [{"message": {"role": "assistant", "content": "?"}}]}
    for mode in ("once", "none"):
        own = _own(tmp_path, mode)
        seen = []
        with json_server(lambda _, __: {**answer, "id": next(counted)}) as (base, _):
            for _ in range(2):
                with own.episode("t"):
                    seen.append(httpx.post(f"{base}/chat/completions", json={"messages": []}).json()["id"])
        own.finish()
        assert seen == [0, 1]
        assert [episode.position for episode in own.log().episodes] == [0, 1]


def test_two_tests_never_share_a_file_however_they_are_called(tmp_path: Path) -> None:
    long = "t" * 300
    names = ["test_a.py::test_x[a b]", "test_a.py::test_x[a-b]", "test_a.py::test_X[a-b]", long, long + "t", "../../x"]
    paths = {recording_path(tmp_path, SUITE, name) for name in names}
    assert len({str(path).lower() for path in paths}) == len(names)
    assert all(path.resolve().is_relative_to(tmp_path.resolve()) and len(path.name) < 120 for path in paths)


def test_the_file_of_another_test_is_refused(recorded: Path, tmp_path: Path) -> None:
    other = recording_path(tmp_path, SUITE, "another")
    other.parent.mkdir()
    other.write_bytes(recording_path(recorded, SUITE, NAME).read_bytes())
    with pytest.raises(MemuseError, match=r"recording of 'tests/test_a\.py::test_port"):
        _own(tmp_path, "none", "another")


def test_a_damaged_file_is_refused_unless_it_is_recorded_anew(tmp_path: Path) -> None:
    path = recording_path(tmp_path, SUITE, NAME)
    path.parent.mkdir()
    path.write_text("{}\n")
    with pytest.raises(FormatError, match="type: must be a text"):
        _own(tmp_path, "once")
    with json_server(_model) as (base, _):
        _replay(tmp_path, lambda bridge: _run(bridge, base), "all")
    _replay(tmp_path, lambda bridge: _run(bridge, DEAD))
