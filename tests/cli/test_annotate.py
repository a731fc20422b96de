"""`memuse annotate`: writing the form, adding to it, and what is never touched."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from pytest_memuse.cli import main
from pytest_memuse.judging.annotation_file import read_annotations
from pytest_memuse.model.log import EventLog, write_log
from tests.judging.episodes import recalled
from tests.judging.labelled import HELD, OWN_LABELS
from tests.judging.scripted_judge import case_data

ENTRIES = ["the port is 8443"]


def log(path: Path, entries: Sequence[str] = ENTRIES, said: str = "Let me see.") -> Path:
    episode = recalled(entries, [(said, [("bash", "curl :8443", "200")])])
    path.write_text("".join(write_log(EventLog((episode,), suite="shop"))), encoding="utf-8")
    return path


def run(*arguments: str | Path) -> int:
    return main(["annotate", *map(str, arguments)])


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    assert run(*arguments) == 2
    return capsys.readouterr().err


def test_without_a_file_the_form_is_printed_and_reads_as_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(log(tmp_path / "a.jsonl")) == 0
    printed = capsys.readouterr().out
    assert "#   | the port is 8443" in printed
    (span,) = read_annotations(printed, "printed").spans
    assert (span.episode, span.labelled) == ("made", False)


def test_run_again_the_file_stays_to_the_letter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    form = tmp_path / "labels" / "shop.yaml"
    source = log(tmp_path / "a.jsonl")
    assert run(source, "-o", form) == 0
    assert "1 span, 1 of them added, 0 labelled" in capsys.readouterr().out
    filled = form.read_text(encoding="utf-8").replace("  influence:\n", "  influence: acted_on  # surely\n")
    form.write_text(filled, encoding="utf-8")
    assert run(source, "-o", form) == 0
    assert form.read_text(encoding="utf-8") == filled
    assert "1 span, 0 of them added, 1 labelled" in capsys.readouterr().out


def test_what_is_new_is_added_behind_what_is_there(tmp_path: Path) -> None:
    form = tmp_path / "f.yaml"
    assert run(log(tmp_path / "a.jsonl"), "-o", form) == 0
    # As an editor may leave it.
    before = form.read_text(encoding="utf-8").replace("note:\n", "note: mine, 9 o'clock")
    form.write_text(before, encoding="utf-8")
    assert run(log(tmp_path / "b.jsonl", ["the port is 9091"]), "-o", form) == 0
    after = form.read_text(encoding="utf-8")
    assert after.startswith(before + "\n---\n")
    assert len(read_annotations(after, "f").spans) == 2


def test_a_span_whose_evidence_changed_is_added_anew_with_its_old_labels_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    form = tmp_path / "f.yaml"
    assert run(log(tmp_path / "a.jsonl"), "-o", form) == 0
    before = form.read_text(encoding="utf-8").replace("  influence:\n", "  influence: none\n")
    form.write_text(before, encoding="utf-8")
    changed = log(tmp_path / "a.jsonl", said="Let me look.")
    assert main(["agree", "tracer", f"annotations:{form}", str(changed)]) == 2
    assert "were given for other evidence" in capsys.readouterr().err
    assert run(changed, "-o", form) == 0
    assert "stale: the evidence of span S1 of episode made changed since it was labelled" in capsys.readouterr().out
    after = form.read_text(encoding="utf-8")
    assert after.startswith(before)
    assert "#   e1: influence none" in after.removeprefix(before)
    old, new = read_annotations(after, "f").spans
    assert (old.labelled, new.labelled) == (True, False)
    assert old.evidence != new.evidence


def test_labels_of_labelled_sets_fill_the_form_in_and_score_one_by_the_same_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    acted = {"influence": "acted_on", "novelty": "novel", "effect": None, "anchors": [1]}
    data = case_data("moor", acted, {"influence": "none"})
    data["labels"][0]["forced"].remove("anchors")
    (tmp_path / "set.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    form = tmp_path / "filled.yaml"
    assert run(tmp_path / "set.yaml", "--from-labels", "-o", form) == 0
    assert "anchors: [1]" in form.read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["labels", "--json", "--judge", f"annotations:{form}", str(tmp_path / "set.yaml")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["judge"]["kind"] == "annotations"
    signals = found["all"]["signals"]
    assert {name: (one["right"], one["unanswered"]) for name, one in signals.items()} == {
        "novelty": (1, 0),
        "influence": (2, 0),
        "effect": (1, 0),
    }
    assert found["all"]["wrong"] == found["all"]["undetermined"] == []


def test_on_every_labelled_set_the_labels_themselves_make_no_mistake_and_leave_nothing_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    form = tmp_path / "filled.yaml"
    paths = [str(path) for path in (HELD[0], OWN_LABELS)]
    assert main(["annotate", *paths, "--from-labels", "-o", str(form)]) == 0
    capsys.readouterr()
    assert main(["labels", "--json", "--judge", f"annotations:{form}", *paths]) == 0
    found = json.loads(capsys.readouterr().out)["all"]
    assert found["entries"] >= 300
    assert len(found["signals"]) == 5
    for signal in found["signals"].values():
        assert signal["right"] > 30
        assert (signal["wrong"], signal["undetermined"], signal["unanswered"]) == (0, 0, 0)
        assert signal["kappa"]["value"] == 1


def test_what_cannot_be_annotated_is_refused_and_the_file_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = log(tmp_path / "a.jsonl")
    assert "is no labelled set" in refused(capsys, source, "--from-labels")
    assert "there is no episode 'mode'; did you mean 'made'?" in refused(capsys, source, "--episode", "mode")
    form = tmp_path / "f.yaml"
    for text in ("episode: x\n", "memuse-annotations: 1\nbye: x\n", "a: [\n"):
        form.write_text(text, encoding="utf-8")
        assert "f.yaml:" in refused(capsys, source, "-o", form)
        assert form.read_text(encoding="utf-8") == text
    form.write_bytes(b"memuse-annotations: 1\nby: \xff\n")
    assert "f.yaml:2: not UTF-8 text" in refused(capsys, source, "-o", form)
    link = tmp_path / "link.yaml"
    link.symlink_to(tmp_path / "elsewhere.yaml")
    assert "symbolic link" in refused(capsys, source, "-o", link)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "f.yaml", "link.yaml"]


def test_a_file_that_somebody_saves_meanwhile_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_memuse.judging import annotation_form

    form = tmp_path / "f.yaml"
    source = log(tmp_path / "a.jsonl")
    make = annotation_form.form_lines

    def meanwhile(spans: list[annotation_form.FormSpan]) -> list[str]:
        form.write_text("memuse-annotations: 1\nby: somebody\n", encoding="utf-8")
        return list(make(spans))

    monkeypatch.setattr(annotation_form, "form_lines", meanwhile)
    assert "changed by somebody else" in refused(capsys, source, "-o", form)
    assert form.read_text(encoding="utf-8") == "memuse-annotations: 1\nby: somebody\n"


def test_a_form_that_would_be_too_large_to_read_is_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_memuse.cli.judges.MAX_BYTES", 1_000)
    assert "would have more than 1,000 bytes" in refused(capsys, log(tmp_path / "a.jsonl"), "-o", tmp_path / "f.yaml")
    assert not (tmp_path / "f.yaml").exists()


def test_a_text_that_would_take_in_what_is_added_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    form = tmp_path / "f.yaml"
    open_ended = 'memuse-annotations: 1\nnote: "it ends\n'
    form.write_text(open_ended, encoding="utf-8")
    assert "not valid YAML" in refused(capsys, log(tmp_path / "a.jsonl"), "-o", form)
    assert form.read_text(encoding="utf-8") == open_ended
