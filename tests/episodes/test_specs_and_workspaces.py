"""The arcs file and the workspace made from it."""

from pathlib import Path

import pytest

from pytest_memuse.episodes.specs import EpisodeSpec, load_suite
from pytest_memuse.episodes.workspace import workspace
from pytest_memuse.model import FormatError

_GOOD = """
suite: shop
arcs:
  - id: port
    episodes:
      - id: plant
        task: Keep in mind.
        test: test_port.Plant
        write: {config/a.ini: "x = 1"}
"""


def _file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "arcs.yaml"
    path.write_text(text)
    return path


def test_fields_that_the_product_does_not_know_are_handed_on(tmp_path: Path) -> None:
    (arc,) = load_suite(_file(tmp_path, _GOOD)).arcs
    assert arc.episodes[0].data == {"test": "test_port.Plant"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (_GOOD.replace("        task: Keep in mind.\n", ""), r"arcs.0.episodes.0.task: Field required"),
        (_GOOD.replace("config/a.ini", "../a.ini"), "not a path inside the workspace"),
        (_GOOD.replace("config/a.ini", "/etc/a.ini"), "not a path inside the workspace"),
        (_GOOD.replace("episodes:", "episode:"), r"arcs.0.episodes: Field required"),
        (_GOOD + "  - id: port\n    episodes: [{id: a, task: b}]\n", "arc 'port' is there twice"),
        ("suite: [", r"arcs.yaml:\d+: not valid YAML"),
        (
            "arcs: !!python/object/apply:os.system ['true']",
            r"arcs.yaml:1: not valid YAML: could not determine a constructor",
        ),
        ("", "Input should be a valid dictionary"),
    ],
)
def test_what_is_wrong_is_named_by_file_and_field(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        load_suite(_file(tmp_path, text))


def test_a_missing_file_says_where_its_path_starts(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"no such arcs file.*\n.*folder of the test file"):
        load_suite(tmp_path / "none.yaml")


def test_a_workspace_is_a_copy_that_is_gone_afterwards(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "a.txt").write_text("a")
    spec = EpisodeSpec(id="e", task="t", files="repo", write={"deep/b.txt": "b"})
    with workspace(spec, tmp_path) as folder:
        (folder / "a.txt").write_text("changed")
        assert (folder / "deep" / "b.txt").read_text() == "b"
    assert not folder.exists()
    assert (tmp_path / "repo" / "a.txt").read_text() == "a"


def test_a_link_in_the_files_does_not_lead_a_write_out_of_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "link").symlink_to(tmp_path / "outside")
    spec = EpisodeSpec(id="e", task="t", files="repo", write={"link/b.txt": "b"})
    with pytest.raises(FormatError, match="leads out of the workspace"), workspace(spec, tmp_path):
        pass
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_changed_field_changes_the_digest_of_the_task() -> None:
    spec = EpisodeSpec(id="e", task="t")
    assert spec.digest != EpisodeSpec(id="e", task="t", write={"a": "b"}).digest
    assert spec.digest == EpisodeSpec(id="e", task="t").digest
