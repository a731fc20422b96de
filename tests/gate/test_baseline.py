"""Baselines: stored whole, sealed, versioned, and every error with its text."""

import errno
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.gate import (
    Baseline,
    BaselineError,
    Identity,
    JudgedBy,
    Promotion,
    SuiteBaseline,
    baseline_path,
    check_judge,
    known_baselines,
    read_baseline,
    write_baseline,
)
from pytest_memuse.gate import store as store_module
from pytest_memuse.gate.baseline import FORMAT, baseline_text, parse_baseline
from pytest_memuse.model.digests import json_digest
from pytest_memuse.model.errors import FormatError
from tests.gate.rows import entry, episode, span, suite

FIXTURES = Path(__file__).parents[2] / "fixtures" / "baselines"
JUDGE = JudgedBy("tracer", "1", settings={"window": "all"})
PROMOTION = {"created": "2026-03-01", "how": "x", "reason": "", "replaced": "", "attempts": 1, "regressed": []}
IDENTITY = Identity(JUDGE, "mem0 2.2.1", "mini-swe-agent 2.4.6", "scripted", "scripted model")


def stored(name="billing", count=3, **more) -> SuiteBaseline:
    run = suite(count, name=name)
    digests = {arc: f"digest-{arc}" for arc in run.arcs}
    return SuiteBaseline(run, IDENTITY, digests, "2026-03-01", **more)


def made(**suites) -> Baseline:
    return Baseline("0.1.0", suites or {"billing": stored(attempts=2)})


def sealed(data: dict) -> str:
    data = {key: value for key, value in data.items() if key != "seal"}
    return json.dumps({**data, "seal": json_digest(data)}, indent=1, sort_keys=True)


def error_of(text: str, source="baselines/main.json") -> BaselineError:
    with pytest.raises(BaselineError) as caught:
        parse_baseline(text, source)
    return caught.value


def test_what_is_written_is_read_again(tmp_path):
    baseline = made(billing=stored(attempts=2), search=stored("search", 2))
    path = write_baseline(tmp_path, "main", baseline)
    assert path == tmp_path / "main.json"
    assert read_baseline(tmp_path, "main") == baseline
    assert read_baseline(tmp_path, str(path)) == baseline


@settings(deadline=None)
@given(st.text(max_size=20), st.sampled_from([True, False, None]))
def test_any_text_of_memory_comes_back_as_it_was(text, success):
    run = replace(suite(0), episodes=(episode("a", span(entry(text=text)), success=success),))
    baseline = made(billing=replace(stored(), run=run))
    written = baseline_text(baseline)
    assert written.isascii()
    assert parse_baseline(written, "x") == baseline


def test_one_baseline_has_one_text_whatever_order_its_parts_came_in():
    one = made(a=stored("a"), b=stored("b"))
    other = Baseline("0.1.0", dict(reversed(one.suites.items())))
    assert baseline_text(one) == baseline_text(other)


def test_updating_one_suite_keeps_the_others():
    baseline = made(billing=stored(), search=stored("search"))
    updated = baseline.with_suite(stored("search", 5, attempts=4), "0.2.0")
    assert updated.suites["billing"] == baseline.suites["billing"]
    assert (len(updated.suites["search"].run.episodes), updated.product) == (5, "0.2.0")
    assert len(baseline.suites["search"].run.episodes) == 3


@pytest.mark.parametrize("version", range(1, FORMAT + 1))
def test_every_format_that_was_ever_written_is_still_read(version):
    baseline = read_baseline(FIXTURES, f"format-{version}")
    made_up = baseline.suites["synthetic"]
    assert made_up.identity.recorded_against == "nothing: synthetic rows, made to keep this format readable"
    assert made_up.identity.judge == JudgedBy("tracer", "1", settings={"window": "all"})
    assert made_up.attempts == 3
    assert [e.success for e in made_up.run.episodes] == [True, False, None]
    assert made_up.run.episodes[0].spans[0].entries[0].text == "der Port ist 8081 – nicht 8080"
    assert set(baseline.suites) == {"synthetic", "empty"}
    assert made_up.promotions == ()


def test_promotions_in_an_old_format_are_still_read():
    stored_then = read_baseline(FIXTURES, "format-1-promoted").suites["shop"]
    assert stored_then.identity.recorded_against == "rule-model"
    first, second = stored_then.promotions
    assert (first.how, first.replaced, first.attempts, first.regressed) == ("--memuse-update", "", 1, ())
    assert second == Promotion(
        created="2026-11-30",
        how="--memuse-update",
        reason="notes are no longer kept",
        replaced="307d517e1f4f0aecff352f28e776e82b",
        attempts=1,
        regressed=("harm_yield", "relevance_share"),
    )
    assert (len(stored_then.run.episodes), stored_then.attempts, stored_then.forgotten) == (15, 2, 0)


def test_every_stored_format_has_a_test_that_reads_it():
    assert sorted(path.name for path in FIXTURES.iterdir()) == ["format-1-promoted.json", "format-1.json"]


def test_a_missing_baseline_names_those_that_exist_and_the_command_that_makes_it(tmp_path):
    write_baseline(tmp_path, "main", made())
    write_baseline(tmp_path, "team/nightly", made())
    with pytest.raises(BaselineError) as caught:
        read_baseline(tmp_path, "mian")
    assert caught.value.reason == "no-baseline"
    assert str(caught.value) == (
        f"There is no baseline 'mian' ({tmp_path}/mian.json does not exist; known: main, team/nightly); "
        "did you mean 'main'?\n  to mend: make it from this suite with `pytest --memuse-update=mian`"
    )


def test_a_missing_folder_is_a_missing_baseline(tmp_path):
    with pytest.raises(BaselineError, match="none is stored there"):
        read_baseline(tmp_path / "nowhere", "main")


def test_a_missing_suite_names_those_that_are_there():
    with pytest.raises(BaselineError) as caught:
        made().suite("biling", "main")
    assert caught.value.reason == "no-suite"
    assert "holds no suite 'biling', but billing; did you mean 'billing'?" in str(caught.value)
    assert "pytest --memuse-update=main" in caught.value.mend


@pytest.mark.parametrize(
    "name", ["../main", "a/../../b", "/etc/passwd", "", "a\0b", "a\\b", "C:x", "a//b", ".", "..", "a/", "x\ny", " a"]
)
def test_a_name_stays_inside_the_folder(tmp_path, name):
    with pytest.raises(BaselineError) as caught:
        baseline_path(tmp_path, name)
    assert caught.value.reason == "bad-name"
    assert "give a plain name such as main, or the path of a .json file" in str(caught.value)


def test_a_link_inside_the_folder_leads_nowhere_else(tmp_path):
    outside, folder = tmp_path / "outside", tmp_path / "baselines"
    outside.mkdir()
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    with pytest.raises(BaselineError, match="outside the baseline folder"):
        baseline_path(folder, "link/main")


def test_a_name_that_ends_in_json_is_a_path(tmp_path):
    assert baseline_path(tmp_path, "../other/main.json") == Path("../other/main.json")
    with pytest.raises(BaselineError, match="cannot be printed"):
        baseline_path(tmp_path, "a\0.json")


def test_an_edited_baseline_is_refused():
    error = error_of(baseline_text(made()).replace('"success": true', '"success": false', 1))
    assert error.reason == "edited"
    assert str(error).startswith(
        "baselines/main.json was changed after it was written: its seal does not match its content."
    )
    assert "never edited or merged by hand" in str(error)
    assert "git checkout -- baselines/main.json" in error.mend
    assert "pytest --memuse-update=main" in error.mend


@pytest.mark.parametrize("key", ["created", "attempts", "recordings", "identity", "run"])
def test_the_seal_covers_every_part_of_a_suite(key):
    data = json.loads(baseline_text(made()))
    data["suites"]["billing"][key] = {}
    assert error_of(json.dumps(data)).reason == "edited"


def test_a_baseline_without_a_seal_is_an_edited_one():
    data = json.loads(baseline_text(made()))
    del data["seal"]
    assert error_of(json.dumps(data)).reason == "edited"


def test_reformatting_a_baseline_is_no_edit():
    assert parse_baseline(json.dumps(json.loads(baseline_text(made()))), "x") == made()


def test_a_newer_format_asks_for_a_newer_release():
    error = error_of('{"format": 99, "whatever": 1}')
    assert error.reason == "format-newer"
    assert str(error).startswith(
        f"baselines/main.json is in baseline format 99; this pytest-memuse reads formats up to {FORMAT}."
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [("{}", "missing"), ('{"format": "one"}', '"one"'), ('{"format": true}', "true"), ('{"format": 0}', "0")],
)
def test_a_file_of_no_known_format_is_no_baseline(text, found):
    error = error_of(text)
    assert error.reason == "format-unknown"
    assert f"its 'format' is {found}" in str(error)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ('{\n "format": 1,\n "suites": {', 3, "not valid JSON"),
        ("[]", 1, "not a JSON object"),
        ('{"format": 1, "format": 1}', None, "a key stands twice"),
        ('{"format": 1, "product": NaN}', None, "NaN is no JSON number"),
        ("[" * 100_000, None, "nested too deeply"),
        ('{"format": ' + "9" * 5_000 + "}", None, "not valid JSON"),
    ],
)
def test_damaged_json_is_named_with_its_line(text, line, problem):
    error = error_of(text)
    assert isinstance(error, FormatError)
    assert (error.reason, error.line) == ("damaged", line)
    assert problem in str(error)
    assert "pytest --memuse-update=main" in error.mend


def test_a_merge_conflict_is_named_as_one():
    text = baseline_text(made()).replace(' "product"', '<<<<<<< HEAD\n "product"', 1)
    error = error_of(text)
    assert (error.reason, error.line) == ("conflict", text[: text.index("<<<<<<<")].count("\n") + 1)
    assert "never merged by hand" in str(error)


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (["product"], 1, "product"),
        (["suites"], [], "suites"),
        (["suites", "billing"], None, "suites.billing"),
        (["suites", "billing", "attempts"], -1, "suites.billing.attempts"),
        (["suites", "billing", "attempts"], True, "suites.billing.attempts"),
        (["suites", "billing", "identity", "judge", "settings"], {"a": 1}, "suites.billing.identity.judge.settings.a"),
        (["suites", "billing", "recordings"], {"arc": 3}, "suites.billing.recordings.arc"),
        (["suites", "billing", "promotions"], {}, "suites.billing.promotions"),
        (["suites", "billing", "promotions"], ["x"], "suites.billing.promotions[0]"),
        (["suites", "billing", "promotions"], [PROMOTION | {"attempts": -1}], "suites.billing.promotions[0].attempts"),
        (["suites", "billing", "promotions"], [PROMOTION | {"how": 1}], "suites.billing.promotions[0].how"),
        (
            ["suites", "billing", "promotions"],
            [PROMOTION | {"regressed": "all"}],
            "suites.billing.promotions[0].regressed",
        ),
        (
            ["suites", "billing", "promotions"],
            [PROMOTION | {"regressed": [1]}],
            "suites.billing.promotions[0].regressed[0]",
        ),
        (["suites", "billing", "promotions"], [PROMOTION | {"added": 0.5}], "suites.billing.promotions[0].added"),
        (["suites", "billing", "forgotten"], "many", "suites.billing.forgotten"),
        (["suites", "billing", "run"], {"suite": "other", "episodes": []}, "suites.billing.run"),
        (["suites", "billing", "run", "episodes"], 7, "suites.billing.run"),
    ],
)
def test_a_sealed_file_of_another_shape_names_the_field(path, value, field):
    data = json.loads(baseline_text(made()))
    place = data
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    error = error_of(sealed(data))
    assert isinstance(error, FormatError)
    assert (error.reason, error.field) == ("damaged", field)


def test_a_file_that_is_not_utf8_is_damaged(tmp_path):
    (tmp_path / "main.json").write_bytes(b'{\n"a": "\xff"}')
    with pytest.raises(BaselineError, match=r"main\.json:2: the baseline is damaged, not UTF-8 text"):
        read_baseline(tmp_path, "main")


def test_a_file_larger_than_any_baseline_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(store_module, "LARGEST", 100)
    (tmp_path / "main.json").write_text(" " * 101)
    with pytest.raises(BaselineError, match="has 101 bytes and may have at most 100") as caught:
        read_baseline(tmp_path, "main")
    assert caught.value.reason == "too-large"


def test_a_folder_in_the_place_of_a_file_is_named_as_one(tmp_path):
    (tmp_path / "main.json").mkdir()
    with pytest.raises(BaselineError, match=r"main\.json: it is a folder; only plain files are read") as caught:
        read_baseline(tmp_path, "main")
    assert caught.value.reason == "not-a-file"


def test_a_link_in_the_place_of_a_file_is_not_followed(tmp_path):
    write_baseline(tmp_path, "real", made())
    (tmp_path / "main.json").symlink_to("real.json")
    with pytest.raises(BaselineError, match="a symbolic link"):
        read_baseline(tmp_path, "main")


@pytest.mark.parametrize(
    "now",
    [
        replace(JUDGE, version="2"),
        replace(JUDGE, kind="llm"),
        replace(JUDGE, model="m"),
        replace(JUDGE, settings={}),
    ],
)
def test_another_judge_is_refused_with_both_named_and_the_command_that_judges_again(now):
    with pytest.raises(BaselineError) as caught:
        check_judge(stored(), now, "main")
    assert caught.value.reason == "another-judge"
    assert f"was judged by {JUDGE}, this run by {now}" in str(caught.value)
    assert "`pytest --memuse-rejudge=main`" in caught.value.mend


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("again", "`pytest --memuse-rejudge=baselines/again.json`"),
        ("old/spring.json", "`pytest --memuse-rejudge=old/spring.json`"),
        ("a name", "`pytest --memuse-rejudge='a name'`"),
        ("git:HEAD~1", "`pytest --memuse-rejudge=main`, and compare with a commit that holds it"),
        ("git:v1:nightly", "`pytest --memuse-rejudge=nightly`, and compare with a commit that holds it"),
    ],
)
def test_the_command_names_what_can_be_judged_again(name, command):
    with pytest.raises(BaselineError) as caught:
        check_judge(stored(), replace(JUDGE, version="2"), name)
    assert command in caught.value.mend


def test_the_same_judge_is_not_refused():
    check_judge(stored(), JudgedBy("tracer", "1", settings={"window": "all"}), "main")


def test_another_memory_system_is_told_and_not_refused():
    assert IDENTITY.differences(replace(IDENTITY, memory="mem0 3.0")) == ("memory: mem0 2.2.1 then, mem0 3.0 now",)
    assert IDENTITY.differences(IDENTITY) == ()


def test_every_part_of_what_shapes_the_figures_is_told_where_it_differs():
    now = Identity(JUDGE, "m", "a", "n", "", {"prompt": "2", "new": "x"})
    then = replace(IDENTITY, extra={"prompt": "1"})
    assert then.differences(now) == (
        "memory: mem0 2.2.1 then, m now",
        "agent: mini-swe-agent 2.4.6 then, a now",
        "model: scripted then, n now",
        "recorded against: scripted model then, (none) now",
        "new: (none) then, x now",
        "prompt: 1 then, 2 now",
    )


def test_a_write_that_fails_says_so_and_leaves_the_old_file(tmp_path, monkeypatch):
    write_baseline(tmp_path, "main", made())

    def fail(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(BaselineError, match="No space left on device") as caught:
        write_baseline(tmp_path, "main", made(billing=stored(count=9)))
    monkeypatch.undo()
    assert caught.value.reason == "not-written"
    assert "What was there before is untouched" in str(caught.value)
    assert read_baseline(tmp_path, "main") == made()
    assert os.listdir(tmp_path) == ["main.json"]


def test_a_baseline_that_could_not_be_read_again_does_not_replace_one_that_can(tmp_path, monkeypatch):
    write_baseline(tmp_path, "main", made())
    size = (tmp_path / "main.json").stat().st_size
    monkeypatch.setattr(store_module, "LARGEST", size + 100)
    with pytest.raises(BaselineError, match="may have at most"):
        write_baseline(tmp_path, "main", made(billing=stored(count=9)))
    assert read_baseline(tmp_path, "main") == made()


def test_an_interrupt_while_writing_leaves_the_old_file_whole_and_nothing_else(tmp_path, monkeypatch):
    write_baseline(tmp_path, "main", made())

    def interrupt(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_baseline(tmp_path, "main", made(billing=stored(count=9)))
    monkeypatch.undo()
    assert read_baseline(tmp_path, "main") == made()
    assert os.listdir(tmp_path) == ["main.json"]


def test_known_baselines_are_listed_by_the_names_that_read_them(tmp_path):
    for name in ("main", "team/nightly"):
        write_baseline(tmp_path, name, made())
    assert known_baselines(tmp_path) == ("main", "team/nightly")


def test_a_pair_and_a_commit_come_back():
    alone = made(billing=stored(commit="abc"))
    pair = made(billing=stored(commit="abc", paired={"arc-00": "d"}))
    assert parse_baseline(baseline_text(alone), "x") == alone
    assert parse_baseline(baseline_text(pair), "x") == pair
