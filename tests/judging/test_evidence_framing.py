"""Recorded text in the evidence and in the prompt: inside its string, whatever it is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.judging.evidence import EvidencePackage
from pytest_memuse.judging.prompt import opening_messages
from pytest_memuse.judging.rubric import Rubric
from tests.hostile_text import HOSTILE_TEXTS, dangers
from tests.judging.evidence_cases import (
    everything,
    lines,
    package,
    simple,
    strings,
)

RUBRIC = Rubric("1", "rubric\n")


def assert_framed(found: EvidencePackage, recorded: list[str]) -> None:
    """Every line of every record is one JSON value, and all recorded texts come out of them as they were."""
    texts = []
    for name in found.names():
        text = found.text(name) or ""
        assert text.endswith("\n"), name
        for line in text.split("\n")[:-1]:
            assert len(line.splitlines()) <= 1
            texts += strings(json.loads(line))
    for text in recorded:
        assert text in texts or any(text in told for told in texts), text[:80]


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_no_hostile_text_leaves_its_string(name: str) -> None:
    # Two halves of a character, side by side, read back as the character that they make.
    text = HOSTILE_TEXTS[name].replace("\ud800\udfff", "\ud800 \udfff")
    found = package(simple(text, result=text, task=text))
    assert_framed(found, [text])
    _, overview, own = opening_messages(RUBRIC, found)
    for line in (overview["content"] + own["content"]).split("\n")[:-1]:
        assert len(line.splitlines()) == 1
    seen = [part for part in dangers(everything(found), longest=10**7) if "holds U+" in part]
    # A space of another width is to be seen, and moves nothing.
    assert [part for part in seen if not part.endswith("(Zs)")] == []


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.text(st.characters(exclude_categories=["Cs"])))
def test_no_recorded_text_leaves_its_string_whatever_it_is(text: str, result: str) -> None:
    task = f"Task: {result}"
    found = package(simple(text, result=result, task=task))
    assert_framed(found, [text, result, task])
    assert found.text("target") is not None
    frame = found.text("target") or ""
    assert frame.count("\n") == len(lines(found, "target"))


def test_a_megabyte_is_read_in_pages_and_opens_the_prompt_with_its_beginning_only() -> None:
    text = 'x"}\n' * 300_000
    found = package(simple(text, result=text, task=text))

    assert found.unshown
    assert sum(len(part["content"]) for part in opening_messages(RUBRIC, found)) < 60_000
    assert json.loads(opening_messages(RUBRIC, found)[1]["content"].split("\n")[1])["characters"] == len(text)
