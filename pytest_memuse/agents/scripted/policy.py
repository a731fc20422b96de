"""The scripted model: a pure function from what is asked to what is said and done.

There is no state, no clock and no chance in it. It works out how far the work has come by going through its own plan
with the results that the request holds, so that whatever it does next follows from what it was sent.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_memuse.agents.scripted.asked import MODEL_NAME, Asked, Call, Envelope, Reply
from pytest_memuse.agents.scripted.dialects import DIALECTS
from pytest_memuse.agents.scripted.extraction import extraction_answer, is_extraction
from pytest_memuse.agents.scripted.language import brief_of, facts_in_lines, facts_in_prose, values_of
from pytest_memuse.agents.scripted.memory_prompts import memory_answer
from pytest_memuse.agents.scripted.plan import Action, Plan, ShellAction
from pytest_memuse.agents.scripted.reading import Conversation, conversation_of
from pytest_memuse.agents.scripted.variation import Variation
from pytest_memuse.model.digests import json_digest
from pytest_memuse.recording.dialects import Api

PLAIN = Variation()
"""The model without variation."""


def respond(request: Mapping[str, Any], api: Api = Api.CHAT, variation: Variation = PLAIN) -> dict[str, Any]:
    """Return the response body for a request body, whose identifiers are digests of that request.

    Token counts are estimates, four characters a token. Raises ValueError, with a text for the caller, where the
    request has no messages or asks for something that the model does not do.
    """
    reply = reply_to(DIALECTS[api].read(request), variation)
    return DIALECTS[api].write(reply, _envelope(request, variation))


def respond_streamed(request: Mapping[str, Any], api: Api = Api.CHAT, variation: Variation = PLAIN) -> Iterator[str]:
    """Return the frames of the event stream for a request body; raises as `respond` does, before the first frame."""
    reply = reply_to(DIALECTS[api].read(request), variation)
    return DIALECTS[api].stream(reply, _envelope(request, variation))


def reply_to(asked: Asked, variation: Variation = PLAIN) -> Reply:
    """Return what the model says and does."""
    conversation = conversation_of(asked)
    if is_extraction(conversation.task):
        return Reply(extraction_answer(conversation.task))
    remembered = memory_answer(conversation.task)
    if remembered is not None:
        return Reply(remembered)
    if conversation.tools.shell is None:
        return _without_shell(conversation)
    plan = Plan(
        brief_of(conversation.task),
        tuple(facts_in_lines(conversation.system)),
        conversation.tools,
        conversation.submit,
        variation.choices(conversation.digest),
    )
    steps = plan.run()
    try:
        action = next(steps)
        for observation in conversation.turns:
            action = steps.send(observation)
    except StopIteration as end:
        return Reply(str(end.value))
    said = variation.worded(action.say, conversation.digest, len(conversation.turns))
    return Reply(said, _call(action, conversation))


def _envelope(request: Mapping[str, Any], variation: Variation) -> Envelope:
    return Envelope(json_digest(request), MODEL_NAME + variation.suffix, request)


def _without_shell(conversation: Conversation) -> Reply:
    """Answer in words what is known of the subjects asked for, after a look into memory where a tool allows it."""
    brief = brief_of(conversation.task)
    subjects = [n.subject for n in brief.needs]
    if conversation.tools.memory is not None and not conversation.turns:
        query = subjects[0] if subjects else conversation.task[:400].strip() or "this project"
        call = Call(conversation.tools.memory, _arguments({"action": "search", "query": query}))
        return Reply("I'll look through my memories of this project.", call)
    facts = [*facts_in_prose(conversation.task), *facts_in_lines(conversation.system)]
    for turn in conversation.turns:
        facts += facts_in_lines(turn.text)
    known = [f"`{s}` is `{values_of(s, facts)[0]}`." for s in subjects if values_of(s, facts)]
    return Reply(" ".join(known) or "I have no tool to work with here, and nothing I was told answers this.")


def _call(action: Action, conversation: Conversation) -> Call:
    if isinstance(action, ShellAction):
        assert conversation.tools.shell is not None
        return Call(conversation.tools.shell, _arguments({"command": action.command}))
    assert conversation.tools.memory is not None
    return Call(conversation.tools.memory, _arguments(action.arguments))


def _arguments(arguments: Mapping[str, str]) -> str:
    return json.dumps(arguments, ensure_ascii=False)
