"""The scripted model: a pure function from the body of a chat request to the body of its response.

There is no state, no clock and no chance in it. It works out how far the work has come by going through its own plan
with the results that the request holds, so that whatever it does next follows from what it was sent.
"""

import json
from collections.abc import Mapping
from typing import Any

from pytest_memuse.agents.scripted.extraction import extraction_answer, is_extraction
from pytest_memuse.agents.scripted.language import brief_of, facts_in_lines, facts_in_prose, values_of
from pytest_memuse.agents.scripted.plan import Action, Plan, ShellAction
from pytest_memuse.agents.scripted.reading import Conversation, conversation_of
from pytest_memuse.model.digests import json_digest

MODEL_NAME = "memuse-scripted-1"
_CHARACTERS_PER_TOKEN = 4


def respond(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the chat completion for a request body, whose identifiers are digests of that request.

    Token counts are estimates, four characters a token. Raises ValueError, with a text for the caller, where the
    request has no messages or asks for something that the model does not do.
    """
    if not isinstance(request.get("messages"), list) or not request["messages"]:
        raise ValueError("'messages' must be a list of at least one message")
    if request.get("stream"):
        raise ValueError("the scripted model does not stream; leave out 'stream'")
    digest = json_digest(request)
    message = _answer(conversation_of(request), digest)
    usage = {
        "prompt_tokens": _tokens(request["messages"]) + _tokens(request.get("tools") or ""),
        "completion_tokens": _tokens(message),
    }
    return {
        "id": f"chatcmpl-{digest}",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL_NAME,
        "system_fingerprint": MODEL_NAME,
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": "tool_calls" if "tool_calls" in message else "stop",
                "logprobs": None,
            }
        ],
        "usage": {**usage, "total_tokens": sum(usage.values())},
    }


def _answer(conversation: Conversation, digest: str) -> dict[str, Any]:
    if is_extraction(conversation.task):
        return _said(extraction_answer(conversation.task))
    if conversation.tools.shell is None:
        return _without_shell(conversation, digest)
    plan = Plan(
        brief_of(conversation.task),
        tuple(facts_in_lines(conversation.system)),
        conversation.tools,
        conversation.submit,
    )
    steps = plan.run()
    try:
        action = next(steps)
        for observation in conversation.turns:
            action = steps.send(observation)
    except StopIteration as end:
        return _said(str(end.value))
    return _called(action, conversation, digest)


def _without_shell(conversation: Conversation, digest: str) -> dict[str, Any]:
    """Answer in words what is known of the subjects asked for, after a look into memory where a tool allows it."""
    brief = brief_of(conversation.task)
    subjects = [n.subject for n in brief.needs]
    if conversation.tools.memory is not None and not conversation.turns:
        query = subjects[0] if subjects else conversation.task[:400].strip() or "this project"
        call = _call(conversation.tools.memory, {"action": "search", "query": query}, digest)
        return _said("I'll look through my memories of this project.") | {"tool_calls": [call]}
    facts = [*facts_in_prose(conversation.task), *facts_in_lines(conversation.system)]
    for turn in conversation.turns:
        facts += facts_in_lines(turn.text)
    known = [f"`{s}` is `{values_of(s, facts)[0]}`." for s in subjects if values_of(s, facts)]
    return _said(" ".join(known) or "I have no tool to work with here, and nothing I was told answers this.")


def _called(action: Action, conversation: Conversation, digest: str) -> dict[str, Any]:
    if isinstance(action, ShellAction):
        assert conversation.tools.shell is not None
        call = _call(conversation.tools.shell, {"command": action.command}, digest)
    else:
        assert conversation.tools.memory is not None
        call = _call(conversation.tools.memory, action.arguments, digest)
    return _said(action.say) | {"tool_calls": [call]}


def _call(name: str, arguments: Mapping[str, str], digest: str) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return {"id": f"call_{digest[:24]}", "type": "function", "function": function}


def _said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def _tokens(value: Any) -> int:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return -(-len(text) // _CHARACTERS_PER_TOKEN)
