"""The example project as it is committed."""

import re

from tests.example.conftest import ROOT, Example


def test_it_replays_to_a_profile_and_a_passed_gate(example: Example) -> None:
    ran = example.run("--memuse-baseline=main")
    assert ran.code == 0, ran.out
    assert re.search(r"suite shop: 12 arcs, 48 episodes, \d+ profiled spans", ran.out)
    assert "a scripted stand-in: these figures are no finding about the memory system" in ran.out
    assert "gate shop against main (12 arcs): passed" in ran.out


def test_it_needs_neither_agent_nor_model_nor_embedder_to_replay(example: Example) -> None:
    conftest = example.folder / "conftest.py"
    text = conftest.read_text()
    conftest.write_text(text[: text.index('@pytest.fixture(scope="session")\ndef memuse_agent')])
    assert example.run("--memuse-baseline=main").code == 0


def test_its_recordings_stay_small() -> None:
    files = list((ROOT / "example_project" / "cassettes").rglob("*.jsonl"))
    assert len(files) == 12
    assert sum(path.stat().st_size for path in files) < 5_000_000
