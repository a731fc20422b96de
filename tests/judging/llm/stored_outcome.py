"""An outcome with everything that a record may hold, made up; run as a module, it stores it in today's format.

    python -m tests.judging.llm.stored_outcome FOLDER

A folder that a release has written stays as it is, so that later releases are held to reading it.
"""

import sys
from pathlib import Path

from pytest_memuse.judging import Accuracy, Assessment, Effect, Influence, JudgeIdentity, Judgment, Novelty, Signal
from pytest_memuse.judging.llm import SpanJudgment, Usage
from pytest_memuse.judging.llm.outcome import Attempt, Rollback
from pytest_memuse.judging.llm.records import JudgmentRecords
from pytest_memuse.judging.violations import Violation, ViolationCode
from pytest_memuse.model import Episode

FOLDERS = Path(__file__).with_name("stored_records")
EPISODE = Episode("api-path/update", (), (), {}, arc="API path / 1")
IDENTITY = JudgeIdentity("llm", "1", "openai/gpt-5-mini", {"calls": "24", "temperature": "0.0", "bounded": ""})
_CALL = {"id": "c1", "type": "function", "function": {"name": "read_evidence", "arguments": '{"name":"task"}'}}
_ASKS = {"role": "assistant", "content": "", "tool_calls": [_CALL], "thinking_blocks": [{"text": "ä \u202e \x1b"}]}
_GIVES = {"role": "tool", "tool_call_id": "c1", "content": '{"name":"task"}\nUse /v2.'}
OUTCOME = SpanJudgment(
    span="S2",
    evidence="0123456789abcdef0123456789abcdef",
    judgment=Judgment(
        "S2",
        (
            Assessment(
                relevance=True,
                accuracy=Accuracy.CONTRADICTED,
                novelty=Novelty.NOVEL,
                influence=Influence.ACTED_ON,
                effect=Effect.HARMED,
                anchors=(4, 6),
                notes={Signal.EFFECT: "the check failed with it"},
            ),
            Assessment(False, Accuracy.UNCONTRADICTED, None, None, None, window_read=False),
        ),
        confidence=0.75,
        summary="an old address",
    ),
    messages=(
        {"role": "system", "content": "The rubric."},
        {"role": "user", "content": "The episode."},
        _ASKS,
        _GIVES,
        {"role": "assistant", "content": "no"},
        {"role": "user", "content": "Your answer was not accepted."},
        {"role": "assistant", "content": '{"assessments": []}'},
    ),
    reads={"task": ((0, 9),), "step 3": ((0, 100), (200, 300))},
    attempts=(
        Attempt(
            3,
            (
                Violation(ViolationCode.INVALID_JSON, "the answer is not one JSON object"),
                Violation(ViolationCode.UNREAD_WINDOW, "read step 4", "e1", ("step 4",)),
            ),
        ),
        Attempt(4, forced=True, signals={"e1": {"relevance": True, "accuracy": "contradicted", "effect": None}}),
    ),
    rollbacks=(Rollback(2, 120_000, (_ASKS, _GIVES), refused=True), Rollback(1, 90_000)),
    calls=(
        Usage(1, 9_000, 0, 40, 0.002),
        Usage(1, 9_500, 9_000, 40, 0.001),
        Usage(1, None, None, None, None),
        Usage(1),
    ),
    forced=True,
    corrected=1,
)

if __name__ == "__main__":
    JudgmentRecords(Path(sys.argv[1]), IDENTITY).accepted(EPISODE, OUTCOME)
