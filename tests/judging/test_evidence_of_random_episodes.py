"""What holds of the evidence of every episode, on episodes that go on as real ones do."""

import json
import random
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.judging.answer_checks import AnswerScope, coverage
from pytest_memuse.judging.evidence import CopyState, EpisodeCase, EvidencePackage, ReadLedger, read_evidence
from pytest_memuse.model import Outcome
from pytest_memuse.spans import SpanOutcome, build_spans, prior_context, replay_inputs
from tests.spans.generator import random_episode

seeds = st.integers(0, 2**32)


def texts(value: Any) -> str:
    """Return the recorded text of a message's record: the whole, or its parts joined."""
    return str(value["text"]) if "text" in value else "".join(part.get("text", "") for part in value["parts"])


def lines(found: EvidencePackage, name: str) -> list[Any]:
    return [json.loads(line) for line in (found.text(name) or "").split("\n")[:-1]]


def read_in_pages(found: EvidencePackage, ledger: ReadLedger, name: str) -> ReadLedger:
    start = 0
    while start < len(found.text(name) or ""):
        answer = read_evidence(found, ledger, name, start, start + 700)
        assert not answer.failed
        ledger, start = answer.ledger, start + 700
    return ledger


@given(seeds)
def test_the_evidence_of_every_eligible_span_is_what_the_agent_could_see(seed: int) -> None:
    episode = replay_inputs(random_episode(random.Random(seed)))
    spans = build_spans(episode)
    case = EpisodeCase(episode, spans)
    other = EpisodeCase(replace(episode, outcome=Outcome(True, "passed"), id="x", arc="y", suite="z"), spans)
    for span in spans:
        if span.outcome is not SpanOutcome.ELIGIBLE:
            continue
        found = case.package(span)
        assert found.digest == other.package(span).digest
        assert [lines(found, name)[0] for name in found.names()]

        # The prior context is the one that the rules of the span give, source by source.
        sources = [source for source in prior_context(episode, span) if not source.is_marker]
        assert [texts(lines(found, name)[0]) for name in found.prior] == [source.text for source in sources]
        assert len([line for line in lines(found, "prior-index") if "position" in line]) == len(
            prior_context(episode, span)
        )

        # What the index calls removed stands in no line of this input, and did before.
        present = {source.message.digest for source in prior_context(episode, span)}
        before = {d for step in episode.steps[: found.first - 1] for d in step.call.input}
        removed = {line["message"] for line in lines(found, "prior-index") if "removed before this input" in line}
        named = {f"m{known.number}": digest for digest, known in case.book.known.items()}
        assert not {named[name] for name in removed} & present
        assert {d for d in before if d in episode.messages and episode.messages[d].role == "user"} - present <= {
            named[name] for name in removed
        }

        # A copy that is still visible can be seen in this input and could in the one before.
        for entry in found.entries:
            for copy in entry.copies:
                record = lines(found, copy.delivery)
                whole = [row["text"] for row in record if row.get("text")]
                shown = [source.message.text for source in prior_context(episode, span)]
                if copy.state in (CopyState.VISIBLE, CopyState.TOGETHER) and whole:
                    assert any(text in told for text in whole for told in shown)
                if copy.state is CopyState.VISIBLE:
                    assert copy.step < found.first

        # Reading every record in pages covers everything; reading all but one leaves that one.
        ledger = ReadLedger()
        for name in found.names():
            ledger = read_in_pages(found, ledger, name)
        everything = coverage(found, ledger)
        assert not everything.unread(tuple(found.names()))
        assert not everything.unread(AnswerScope.of(found).mandatory)
