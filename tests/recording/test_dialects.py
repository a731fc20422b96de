"""What is read of a recorded model call."""

from pytest_memuse.model import Actor
from pytest_memuse.recording.dialects import read_call
from pytest_memuse.recording.recording import Exchange
from pytest_memuse.recording.session import placement_in


def _exchange(path: str, request: object, response: object, status: int = 200) -> Exchange:
    return Exchange(1, Actor.AGENT, "POST", f"http://localhost/v1{path}", request, status, "", {}, response)


def test_a_call_of_another_api_completes_a_step_whose_input_is_a_gap() -> None:
    read = read_call(_exchange("/messages", {"model": "m", "messages": []}, {"content": [{"text": "hello"}]}))
    assert (read.readable, read.response is not None, read.model) == (False, True, "m")


def test_a_refused_call_completes_nothing() -> None:
    assert read_call(_exchange("/chat/completions", {"messages": []}, {"error": {}}, 500)).response is None


def test_the_parts_of_a_message_are_one_text_and_a_placement_is_found_in_it() -> None:
    parts = [{"type": "text", "text": "You are an agent."}, {"type": "text", "text": "Notes: port is 8081"}]
    request = {"messages": [{"role": "system", "content": parts}]}
    (message,) = read_call(_exchange("/chat/completions", request, {"choices": [{"message": {}}]})).messages
    assert message.text == "You are an agent.\nNotes: port is 8081"
    assert placement_in(request, "port is 8081", None) == ("/messages/0/content", "port is 8081", message.text)
