"""Judges that ask a model, on the command line: cost before the first call, records, limits, keys, Ctrl-C."""

import json
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_memuse.cli import main
from pytest_memuse.cli.judges import cost_lines
from pytest_memuse.judging.answers import Judge
from pytest_memuse.judging.combined import keeping
from pytest_memuse.judging.llm import LlmJudge
from pytest_memuse.judging.llm.records import JudgmentRecords, kept_judges
from pytest_memuse.judging.named import Asking, judge_named
from pytest_memuse.judging.run import judge_episodes
from pytest_memuse.spans import build_spans
from tests.cli.test_annotate import log
from tests.judging.evidence_cases import simple
from tests.judging.llm.endpoint import Endpoint, Turn, modest, served
from tests.judging.llm.needs import need_litellm
from tests.judging.llm.scripted_client import Client
from tests.judging.scripted_judge import case_data

need_litellm()

MODEL = "llm:openai/scripted"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with served(modest) as found:
        yield found


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "set.yaml"
    path.write_text(yaml.safe_dump_all([case_data(name, {"relevance": True}) for name in ("a", "b")]))
    return path


def told(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """Return what a command that succeeds says beside its result."""
    assert main(list(map(str, arguments))) == 0
    return capsys.readouterr().err


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    assert main(list(map(str, arguments))) == 2
    return capsys.readouterr().err


def test_the_cost_is_told_before_the_first_call(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before: list[str] = []

    def script(request: Mapping[str, Any], number: int) -> Turn:
        if number == 1:
            before.append(capsys.readouterr().err)
        return modest(request, number)

    with served(script) as endpoint:
        assert main(["labels", "--judge", MODEL, "--api-base", endpoint.url, "--json", str(cases)]) == 0
    (cost,) = before
    assert "memuse: openai/scripted: 2 spans to ask about\n" in cost
    assert "about 5.06 calls a span (the average of the paper's judge): 10 calls, " in cost
    assert "the price is unknown" in cost
    assert "answers are not kept" in cost
    found = json.loads(capsys.readouterr().out)
    assert found["judge"]["model"] == "openai/scripted"
    assert found["all"]["signals"]["relevance"]["right"] == 2
    assert len(endpoint.requests) == 4


def test_what_is_in_the_records_is_not_asked_again(
    cases: Path, tmp_path: Path, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("labels", "--judge", f"{MODEL}@{endpoint.url}", "--records", tmp_path / "kept")
    first = told(capsys, *arguments, "--max-spans", "1", cases)
    assert "1 span to ask about; 1 is beyond the limit of spans and left unjudged" in first
    assert f"answers are kept in {tmp_path / 'kept'}: Ctrl-C loses none" in first
    assert "the limit of 1 spans is reached, 1 spans are left unjudged" in first
    second = told(capsys, *arguments, cases)
    assert "1 span to ask about; 1 is in the records and not asked about again" in second
    asked = len(endpoint.requests)
    third = told(capsys, *arguments, cases)
    assert third == "memuse: openai/scripted: 0 spans to ask about; 2 are in the records and not asked about again\n"
    assert len(endpoint.requests) == asked


def test_a_run_that_asks_nobody_needs_no_litellm(
    cases: Path,
    tmp_path: Path,
    endpoint: Endpoint,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arguments = ("--judge", f"{MODEL}@{endpoint.url}", "--records", tmp_path / "kept")
    told(capsys, "labels", *arguments, cases)
    monkeypatch.setitem(sys.modules, "litellm", None)  # Importing it fails from here on.
    told(capsys, "labels", *arguments, cases)
    assert "litellm cannot be imported" in refused(capsys, "profile", *arguments, log(tmp_path / "a.jsonl"))


def test_a_missing_key_is_told_with_its_variable_before_anything_is_asked(
    cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    message = refused(capsys, "labels", "--judge", "llm:openai/gpt-5-mini", cases)
    assert "there is no key for openai, the provider of openai/gpt-5-mini: " in message
    assert "the environment variable OPENAI_API_KEY is not set; nothing was asked" in message
    unknown = refused(capsys, "labels", "--judge", "llm:opnai/gpt-5-mini", cases)
    assert "LiteLLM knows no provider of the model 'opnai/gpt-5-mini'; did you mean 'openai'?" in unknown
    monkeypatch.setenv("OPENAI_API_KEY", "")
    assert "OPENAI_API_KEY is not set" in refused(capsys, "labels", "--judge", "llm:openai/gpt-5-mini", cases)
    # Where nobody is to be asked, no key is missed.
    spared = told(capsys, "labels", "--judge", "llm:openai/gpt-5-mini", "--max-spans", "0", cases)
    assert "0 spans to ask about; 2 are beyond the limit of spans and left unjudged" in spared


def test_a_known_price_gives_an_estimate_in_money(
    cases: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, endpoint: Endpoint
) -> None:
    at = ["labels", "--judge", "llm:openai/gpt-5-mini", "--api-base", endpoint.url]
    cost = told(capsys, *at, cases)
    assert " USD for the input without caching, " in cost
    assert " USD where 74.5% of it is cached, as in the paper; output is " in cost


def test_from_twenty_records_on_a_judge_is_estimated_by_its_own_averages(tmp_path: Path, endpoint: Endpoint) -> None:
    made = [replace(simple(f"Wait {number} s between retries."), id=f"E{number}") for number in range(21)]
    name = "llm:openai/gpt-5-mini"
    keeping = keeping_in(tmp_path, LlmJudge(name.removeprefix("llm:"), client=Client()))
    found = []
    for until in (19, 20):
        deque(judge_episodes(keeping, made[:until]), maxlen=0)
        asked = keeping_in(tmp_path, judge_named(name, asking=Asking(endpoint.url)))
        found.append("\n".join(cost_lines(asked, [(made[20], build_spans(made[20]))], tmp_path)))
    assert "(the average of the paper's judge): 5 calls" in found[0]
    assert "about 2 calls a span (the average of 20 records of its own): 2 calls" in found[1]
    assert "where 75.0% of it is cached, as so far; " in found[1]
    assert found[1].splitlines()[2].endswith("USD for the output, as so far")


def keeping_in(folder: Path, judge: Judge) -> Judge:
    return keeping(judge, lambda identity: JudgmentRecords(folder, identity))


def test_a_judge_that_asks_nobody_costs_nothing_and_takes_no_options_of_one_that_does(
    cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys, "labels", "--judge", "tracer", cases) == ""
    kept = refused(capsys, "labels", "--records", tmp_path / "kept", cases)
    assert "--records is for a judge that asks a model, and none here does" in kept
    assert not (tmp_path / "kept").exists()
    assert "--max-dollars is for" in refused(capsys, "profile", "--max-dollars", "1", log(tmp_path / "a.jsonl"))


@pytest.mark.parametrize(
    ("option", "value"), [("--max-spans", "-1"), ("--parallel", "two"), ("--max-dollars", "nan"), ("--max-tokens", "²")]
)
def test_limits_that_are_no_numbers_are_wrong_usage(
    option: str, value: str, cases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["labels", "--judge", MODEL, f"{option}={value}", str(cases)])
    assert ended.value.code == 2
    assert option in capsys.readouterr().err


def test_profile_and_show_say_who_judged(
    tmp_path: Path, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    source, before = str(log(tmp_path / "a.jsonl")), len(endpoint.requests)
    judge = ["--judge", f"{MODEL}@{endpoint.url}", "--records", str(tmp_path / "kept")]
    for command in ("profile", "show"):
        assert main([command, *judge, source]) == 0
        assert "judged by llm 1" in (shown := capsys.readouterr().out)
        assert ", model openai/scripted" in shown
    assert main(["profile", *judge, "--json", source]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["identity"]["judge"]["model"] == "openai/scripted"
    assert found["identity"]["judge"]["settings"]["temperature"] == "0.0"
    assert found["figures"]["relevance_share"]["value"] == 1.0
    assert main(["show", *judge, "--json", source]) == 0
    assert json.loads(capsys.readouterr().out)["judge"] == found["identity"]["judge"]
    assert main(["show", source]) == 0
    assert capsys.readouterr().out.startswith("judged by tracer ")
    assert "memuse: openai/scripted: 1 span, all in the records; nothing is asked" in told(
        capsys, "show", *judge, source
    )
    joined = f"tracer+{MODEL}@{endpoint.url}"
    assert main(["profile", "--judge", joined, "--records", str(tmp_path / "kept"), source]) == 0
    out = capsys.readouterr().out
    assert "judged by combined 1, model openai/scripted" in out
    assert "  1: tracer, version " in out
    assert len(endpoint.requests) == before + 2


def test_the_answers_of_two_judges_are_set_against_each_other_without_asking(
    cases: Path, tmp_path: Path, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    for model in (MODEL, "llm:openai/other"):
        told(capsys, "labels", "--judge", f"{model}@{endpoint.url}", "--records", kept, cases)
    asked = len(endpoint.requests)
    several = refused(capsys, "agree", "tracer", f"records:{kept}", cases)
    assert "keeps the answers of 2 judges: " in several
    first, second = (records.folder for records in kept_judges(kept))
    assert main(["agree", f"records:{first}", f"records:{second}", str(cases)]) == 0
    out = capsys.readouterr().out
    assert "2 spans judged by both, in 2 arcs" in out
    assert "model openai/other" in out
    assert len(endpoint.requests) == asked
    nearly = refused(capsys, "agree", "tracer", f"records:{str(first)[:-1]}", cases)
    assert f"holds no judgment records; did you mean '{first.name}'?" in nearly


def test_spans_without_a_record_are_left_unjudged_by_records(
    cases: Path, tmp_path: Path, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    told(capsys, "labels", "--judge", f"{MODEL}@{endpoint.url}", "--records", kept, "--max-spans", "1", cases)
    assert main(["labels", "--json", "--judge", f"records:{kept}", str(cases)]) == 0
    captured = capsys.readouterr()
    assert "there is no record of an answer, 1 spans are left unjudged" in captured.err
    relevance = json.loads(captured.out)["all"]["signals"]["relevance"]
    assert (relevance["right"], relevance["unanswered"]) == (1, 1)
    told(capsys, "labels", "--judge", f"{MODEL}@{endpoint.url}", "--records", kept, cases)
    assert told(capsys, "labels", "--judge", f"records:{kept}", cases) == ""


def test_a_judge_that_is_named_twice_is_asked_twice_and_both_judgings_are_kept_apart(
    cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(modest) as endpoint:
        judge = f"{MODEL}@{endpoint.url}"
        first = told(capsys, "agree", judge, judge, cases, "--records", tmp_path / "kept")
        assert first.count("2 spans to ask about\n") == 2
        assert len(endpoint.requests) == 8
        told(capsys, "agree", judge, judge, cases, "--records", tmp_path / "kept")
        assert len(endpoint.requests) == 8
        limited = refused(capsys, "agree", judge, judge, cases, "--max-spans", "2")
        assert "the limit of 2 spans is reached, 2 spans are left unjudged" in limited
        assert "no span was judged on both sides (A: 2, B: 0)" in limited


def test_ctrl_c_keeps_what_was_accepted_and_says_where(
    cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(request: Mapping[str, Any], number: int) -> Turn:
        if number == 3:
            main_thread = threading.main_thread().ident
            assert main_thread is not None
            signal.pthread_kill(main_thread, signal.SIGINT)
            return Turn(hang=True)
        return modest(request, number)

    arguments = ["labels", "--judge", MODEL, "--parallel", "1", "--records", str(tmp_path / "kept"), str(cases)]
    with served(script) as endpoint:
        assert main([*arguments, "--api-base", endpoint.url]) == 130
    assert f"memuse: interrupted; accepted answers are in {tmp_path / 'kept'}" in capsys.readouterr().err
    (records,) = kept_judges(tmp_path / "kept")
    assert [kept.outcome.accepted for arc in records.arcs() for kept in records.all(arc)] == [True]
