"""Real pytest runs of tests that run their own agent: recorded once, replayed without any server."""

from pathlib import Path

from tests.plugin.project import Project

_TESTS = """
import httpx
import pytest

from pytest_memuse.recording.rendered import Found
from tests.recording.servers import json_server

ANSWER = {"model": "rule-model", "choices": [{"message": {"role": "assistant", "content": "Done."}}]}


@pytest.fixture
def base(request):
    if request.config.getoption("memuse_record_mode") in (None, "none"):
        yield "http://127.0.0.1:9/v1"
        return
    with json_server(lambda path, body: ANSWER) as (base, _):
        yield base


@pytest.mark.parametrize("port", ["8081", "a b", "a-b"])
def test_port(memuse_bridge, base, port):
    facts = [{"subject": "port", "value": port}]
    with memuse_bridge.episode("Use the port.", scope="shop", references=facts) as bridge:
        found = bridge.search("port", [Found("n-1", f"port is {port}")])
        bridge.deliver(f"port is {port}", operations=[found], slot="system")
        system, user = {"role": "system", "content": f"port is {port}"}, {"role": "user", "content": "Use the port."}
        httpx.post(f"{base}/chat/completions", json={"messages": [system, user]}).raise_for_status()
        bridge.outcome(True)
    (episode,) = memuse_bridge.log().episodes
    assert [e.item for d in episode.deliveries for e in d.entries] == ["n-1"]
    assert memuse_bridge.profile().outcome_rate > 0.9
"""


def _project(folder: Path) -> Project:
    folder.mkdir()
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_own.py").write_text(_TESTS)
    return Project(folder)


def test_the_rules_of_redaction_count_and_a_distribution_over_workers_changes_no_name(tmp_path: Path) -> None:
    project = _project(tmp_path / "p")
    (tmp_path / "p" / "pytest.ini").write_text("[pytest]\nmemuse_redact =\n    port: port is (8[0-9]+)\n")
    tests = (tmp_path / "p" / "test_own.py").read_text()
    marked = tests.replace("@pytest.mark.parametrize", '@pytest.mark.xdist_group("g")\n@pytest.mark.parametrize')
    (tmp_path / "p" / "test_own.py").write_text(marked.replace('["8081", "a b", "a-b"]', '["8081"]'))
    recorded = project.run("--memuse-record-mode=once", "-n1", "--dist=loadgroup")
    assert recorded.code == 0, recorded.out
    (file,) = project.recordings().values()
    assert b"port is <redacted>" in file
    assert b"port is 8081" not in file
    replayed = project.run("-p", "no:xdist")
    assert replayed.code == 0, replayed.out


def test_a_client_that_is_first_imported_inside_an_episode_fetches_no_prices(tmp_path: Path) -> None:
    project = _project(tmp_path / "p")
    (tmp_path / "p" / "test_own.py").write_text(
        "import os\n\n"
        "def test_prices(memuse_bridge):\n    assert os.environ['LITELLM_LOCAL_MODEL_COST_MAP'] == 'True'\n\n"
        "def test_none():\n    assert 'LITELLM_LOCAL_MODEL_COST_MAP' not in os.environ\n"
    )
    ran = project.run("-p", "no:xdist")
    assert ran.code == 0, ran.out


def test_what_one_run_records_the_next_replays_without_any_server(tmp_path: Path) -> None:
    project = _project(tmp_path / "p")
    recorded = project.run("--memuse-record-mode=once")
    assert recorded.code == 0, recorded.out
    files = project.recordings()
    assert len(files) == 3
    replayed = project.run()
    assert replayed.code == 0, replayed.out
    assert project.recordings() == files
