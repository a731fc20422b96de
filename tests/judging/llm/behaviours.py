"""Ways in which a scripted judge behaves, each with how its conversation ends; and a client that needs no HTTP."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_memuse.judging.llm import ConversationLimits, ErrorReason, LlmJudge, RequestSettings, RunLimits
from pytest_memuse.judging.llm.conversation import Reply, Request
from pytest_memuse.judging.llm.failures import Failure, FailureKind
from pytest_memuse.judging.llm.outcome import Usage
from pytest_memuse.model import Episode
from tests.judging.evidence_cases import simple
from tests.judging.llm.endpoint import TOO_LONG, Script, Turn, assessed, fails, reads, says
from tests.judging.llm.judging import ALL_READ, EPISODE, MANDATORY, READ, smallest_context

ACTED_ON = assessed(novelty="novel", influence="acted_on", effect="improved", anchors=[2], evidence=[2])
NOTED = json.dumps(
    {
        **json.loads(assessed(notes={"relevance": "it fits", "accuracy": "söme \u200b text \u202e \ud83d ] }"})),
        "summary": "\x1b[31mred",
    }
)
SEARCH = Turn(calls=(("search_evidence", {"query": "retries"}),))
ODD = Turn(
    text="I look.",
    calls=(
        ("read_evidence", {"name": "../../etc/passwd"}),
        ("read_evidence", "{not json"),
        ("run_shell", {"x": "\x00"}),
    ),
)
LONG = simple(result="words and words " * 1_500)
STEP = Turn(calls=(("read_evidence", {"name": "step 1"}), ("read_evidence", {"name": "step 1", "start": 16_000})))
REST = reads(*(name for name in MANDATORY if name != "step 1"))
TIGHT = {"output": 2_000, "context": smallest_context(LONG, output=2_000)}


@dataclass(frozen=True)
class Behaviour:
    """What the model says in turn, the last one repeated, about the last span of an episode; ``ends`` is the error."""

    turns: Sequence[Turn]
    ends: ErrorReason | None = None
    episode: Episode = EPISODE
    limits: dict[str, Any] = field(default_factory=dict)


BEHAVIOURS = {
    "reads and answers": Behaviour((ALL_READ, says(ACTED_ON))),
    "words beyond ASCII": Behaviour((READ, says(NOTED))),
    "calls that cannot be carried out": Behaviour((ODD, READ, says(assessed()))),
    "invalid JSON": Behaviour((READ, says("not JSON"), says(""), says(assessed()))),
    "missing entries": Behaviour((READ, says(assessed(())), says(assessed(("e1", "e2"))), says(assessed()))),
    "claims before reading": Behaviour((says(ACTED_ON), ALL_READ, says(ACTED_ON))),
    "an effect without an action": Behaviour((ALL_READ, says(assessed(influence="none", effect="harmed")))),
    "endless searching": Behaviour((READ, SEARCH, SEARCH, SEARCH, says(assessed())), limits={"calls": 5}),
    "a round that does not fit": Behaviour((REST, STEP, STEP, says(assessed())), None, LONG, TIGHT),
    "refused as too long": Behaviour((READ, SEARCH, TOO_LONG, says(assessed()))),
    "refused again and again": Behaviour((READ, SEARCH, SEARCH, TOO_LONG, TOO_LONG, says("no"), says(assessed()))),
    "no usage": Behaviour((Turn(calls=READ.calls, usage=None), says(assessed(), usage=None))),
    "wrong to the end": Behaviour((READ, says("no")), ErrorReason.FOLLOW_UPS, limits={"follow_ups": 2}),
    "searching to the end": Behaviour((SEARCH,), ErrorReason.CALLS, limits={"calls": 3}),
    "an opening that is too long": Behaviour((TOO_LONG,), ErrorReason.CONTEXT),
    "a request that fails": Behaviour((READ, fails(404)), ErrorReason.REQUEST),
    "evidence that cannot fit": Behaviour(
        (READ,), ErrorReason.PREFLIGHT, simple(result="x" * 400_000), {"context": 60_000}
    ),
}


class ScriptClient:
    """Answers by a script of the endpoint, without HTTP. Usage is reported where the turn does not say otherwise."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked = 0

    def ask(self, request: Request) -> Reply:
        self.asked += 1
        turn = self.script({"messages": request.messages, **({"tools": []} if request.tools else {})}, self.asked)
        if turn.status != 200:
            raise Failure(FailureKind.TOO_LONG if turn is TOO_LONG else FailureKind.REFUSED, turn.error)
        message: dict[str, Any] = {"role": "assistant", "content": turn.text}
        if turn.calls:
            message["tool_calls"] = list(_calls(turn))
        return Reply(message, Usage(1, None, None, None, None) if turn.usage is None else Usage(1, 900, 300, 20, 0.01))


def judge_of(client: ScriptClient, *, run: RunLimits | None = None, records: Any = None, **limits: Any) -> LlmJudge:
    """Return a judge that asks a scripted client and waits for nothing."""
    requests = RequestSettings(retries=0)
    chosen = ConversationLimits(**limits)
    return LlmJudge("openai/scripted", client=client, limits=chosen, requests=requests, run=run, records=records)


def _calls(turn: Turn) -> Iterator[dict[str, Any]]:
    for number, (tool, given) in enumerate(turn.calls):
        arguments = given if isinstance(given, str) else json.dumps(given)
        yield {"id": f"c{number}", "type": "function", "function": {"name": tool, "arguments": arguments}}
