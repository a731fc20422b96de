"""A model without a model: a fixed policy that goes through the whole pipeline for nothing (the mock of MERIT 3.1, G5).

It reads only what a model would read. Its results guard the pipeline and are no findings about a memory system.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_memuse.arcs.known import forbids, stated, statements
from pytest_memuse.arcs.prompts import SYSTEM_PROMPT
from pytest_memuse.arcs.skills import Asked, Plan, Unknown, plan_for
from pytest_memuse.model.tokens import estimated_tokens

MODEL_NAME = "memuse-scripted-merit-1"
"""What the scripted model calls itself in requests and responses."""


@dataclass(frozen=True, slots=True)
class ScriptedModel:
    """Answers Chat Completions requests of an arc's sessions; equal requests give equal answers.

    It never acts where the user forbids it. What a request leaves open it takes from what the user said in the session,
    else from the memory block, and of several values that the block states of one subject it takes the first that
    stands there: it weighs neither dates nor order. Where a value is missing it does nothing and says so. With
    ``looks`` it makes sure by a reading tool how things stand before it changes them.
    """

    looks: bool = True
    name: str = MODEL_NAME

    def __call__(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the response to a request. Token counts are estimates, four characters a token."""
        messages = request["messages"]
        text, call = self._answer(messages)
        said: dict[str, Any] = {"role": "assistant", "content": text}
        if call is not None:
            function = {"name": call.tool, "arguments": json.dumps(dict(call.arguments), ensure_ascii=False)}
            said["tool_calls"] = [{"id": f"call-{len(messages)}", "type": "function", "function": function}]
        prompt, completion = estimated_tokens(_characters(messages)), estimated_tokens(_characters([said]))
        return {
            "id": f"scripted-{len(messages)}",
            "object": "chat.completion",
            "model": self.name,
            "choices": [{"index": 0, "message": said, "finish_reason": "tool_calls" if call else "stop"}],
            "usage": {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion},
        }

    def _answer(self, messages: Sequence[Mapping[str, Any]]) -> tuple[str, Asked | None]:
        last = max(place for place, message in enumerate(messages) if message["role"] == "user")
        turn = messages[last]["content"]
        if forbids(turn):
            noted = " ".join(statements(turn))
            return (f"Noted. {noted} " if noted else "Noted. ") + "I have changed nothing.", None
        sources = [m["content"] for m in messages if m["role"] == "user"]
        block = "\n".join(m["content"] for m in messages if m["role"] == "system").removeprefix(SYSTEM_PROMPT)

        def known(subject: str) -> str:
            for text in (*sources, block):
                for value in stated(subject, text):
                    return value
            raise Unknown(subject)

        plan = plan_for(turn, known)
        if plan is None:
            return "You are welcome.", None
        results = iter([m["content"] for m in messages[last:] if m["role"] == "tool"])
        return self._next(plan, results)

    def _next(self, plan: Plan, results: Iterator[str]) -> tuple[str, Asked | None]:
        """Go through the plan with the results that there are; return what comes after them."""
        try:
            asked = next(plan)
            while True:
                if asked.look and not self.looks:
                    asked = plan.send("")
                    continue
                result = next(results, None)
                if result is None:
                    return "", asked
                if result.startswith('{"error":'):
                    return f"That could not be done: {result}", None
                asked = plan.send(result)
        except StopIteration as end:
            return str(end.value), None
        except Unknown as unknown:
            return f"I do not know the {unknown}, so I have changed nothing.", None


def _characters(messages: Sequence[Mapping[str, Any]]) -> int:
    calls = (call["function"] for message in messages for call in message.get("tool_calls", ()))
    return sum(len(m["content"]) for m in messages) + sum(len(c["name"]) + len(c["arguments"]) for c in calls)
