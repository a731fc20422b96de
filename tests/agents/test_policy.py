"""What the scripted model does with what it is sent."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.agents.scripted import respond
from tests.agents.driving import BASH, call_of, memory_tool, reply, request, shell_result, work

CHECK = "import sys; sys.exit(0 if 'a.port = {}\\n' in open('a.ini').read() else 1)\n"
TASK = "Set `a.port` in `a.ini`. Check with `python check.py`."
FULL_TOOL = memory_tool("search", "add", "update", "delete")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "a.ini").write_text("a.host = x\na.port = UNSET\n")
    (tmp_path / "check.py").write_text(CHECK.format("9091"))
    return tmp_path


def setting(workspace: Path) -> str:
    return (workspace / "a.ini").read_text().splitlines()[1]


def test_it_acts_on_what_the_task_states(workspace: Path) -> None:
    run = work(workspace, request("`a.port` is `9091`. " + TASK, memory="- `a.port` is `1`."))
    assert setting(workspace) == "a.port = 9091"
    assert run.commands[0] == run.commands[-2] == "python check.py"


def test_it_acts_on_recalled_memory(workspace: Path) -> None:
    work(workspace, request(TASK, memory="- The proxy is direct, so `a.port` is `9091`.\n- `b` is `2`."))
    assert setting(workspace) == "a.port = 9091"


def test_it_takes_the_memory_that_was_delivered_first(workspace: Path) -> None:
    run = work(workspace, request(TASK, memory="- `a.port` is `8081`.\n- `a.port` is `9091`."))
    assert setting(workspace) == "a.port = 9091"
    tried = [c for c in run.commands if "sed" in c]
    assert "8081" in tried[0]
    assert "9091" in tried[-1]


def test_it_follows_a_stale_memory_then_takes_it_back_explores_and_gives_up(workspace: Path) -> None:
    run = work(workspace, request(TASK, memory="- `a.port` is `8081`."))
    assert setting(workspace) == "a.port = UNSET"
    kinds = [c.split()[0] for c in run.commands]
    assert kinds == ["python", "cat", "sed", "python", "sed", "grep", "echo"]
    assert "could not find" in run.said[-1]


def test_without_memory_it_searches_memory_and_then_the_repository(workspace: Path) -> None:
    (workspace / "docs.md").write_text("For a.port see ports.md\n")
    (workspace / "ports.md").write_text("`a.port` is `9091`\n")
    run = work(workspace, request(TASK, tools=[BASH, FULL_TOOL]))
    assert run.memory_calls == [{"action": "search", "query": "a.port"}]
    assert setting(workspace) == "a.port = 9091"
    assert "cat ports.md" in run.commands


def test_a_wrong_default_in_the_documentation_is_tried_and_taken_back(workspace: Path) -> None:
    (workspace / "docs.md").write_text("a.port = 80  # as shipped\n")
    run = work(workspace, request(TASK))
    assert any("a.port = 80|" in c for c in run.commands)
    assert setting(workspace) == "a.port = UNSET"


def test_a_memory_that_its_tool_finds_is_used(workspace: Path) -> None:
    def memory(arguments: Mapping[str, Any]) -> str:
        return "1 memory found:\n[id-7] Long ago we saw that `a.port` is `9091`."

    run = work(workspace, request(TASK, tools=[BASH, FULL_TOOL]), memory)
    assert setting(workspace) == "a.port = 9091"
    assert [c["action"] for c in run.memory_calls] == ["search"]


class Store:
    """One stale memory behind the tool."""

    def __init__(self) -> None:
        self.text = "The proxy is direct, so `a.port` is `8081`."

    def __call__(self, arguments: Mapping[str, Any]) -> str:
        if arguments["action"] == "update":
            assert arguments["memory_id"] == "id-7"
            self.text = arguments["text"]
            return "Updated."
        return f"1 memory found:\n[id-7] {self.text}"


def test_what_a_file_shows_goes_before_memory_and_corrects_it(workspace: Path) -> None:
    (workspace / "NEWS.md").write_text("# News\n\nWe moved. `a.port` is now `9091`.\n")
    store = Store()
    body = request("Read `NEWS.md` first. " + TASK, memory="- " + store.text, tools=[BASH, FULL_TOOL])
    run = work(workspace, body, store)
    assert setting(workspace) == "a.port = 9091"
    assert not any("8081" in c for c in run.commands)
    assert store.text == "The proxy is direct, so `a.port` is `9091`."


def test_a_value_that_exploring_found_corrects_the_memory_that_failed(workspace: Path) -> None:
    (workspace / "ports.md").write_text("`a.port` is `9091`\n")
    store = Store()
    work(workspace, request(TASK, memory="- " + store.text, tools=[BASH, FULL_TOOL]), store)
    assert store.text == "The proxy is direct, so `a.port` is `9091`."


def test_without_an_update_action_a_stale_memory_stays(workspace: Path) -> None:
    (workspace / "NEWS.md").write_text("`a.port` is now `9091`.\n")
    store = Store()
    tool = memory_tool("search", "add", "delete")
    run = work(workspace, request("Read `NEWS.md` first. " + TASK, memory=store.text, tools=[BASH, tool]), store)
    assert run.memory_calls == []
    assert "8081" in store.text


def test_an_unproven_value_corrects_no_memory(workspace: Path) -> None:
    (workspace / "docs.md").write_text("a.port = 80\n")
    store = Store()
    run = work(workspace, request(TASK, memory=store.text, tools=[BASH, FULL_TOOL]), store)
    assert [c for c in run.memory_calls if c["action"] == "update"] == []


def test_it_never_says_a_value_that_it_read_or_remembers(workspace: Path) -> None:
    (workspace / "NEWS.md").write_text("`a.port` is now `9091`.\n")
    store = Store()
    body = request("Read `NEWS.md` first. " + TASK, memory=store.text, tools=[BASH, FULL_TOOL])
    run = work(workspace, body, store)
    assert run.memory_calls
    assert not any("9091" in text or "8081" in text for text in run.said)


def test_a_command_is_remembered_and_run(workspace: Path) -> None:
    task = "Run `a.build`. Check with `test -f built`."
    run = work(workspace, request(task, memory="`a.build` is `touch built`."))
    assert run.commands == ["test -f built", "touch built", "test -f built", run.commands[-1]]


def test_a_command_that_the_task_spells_out_needs_no_memory(workspace: Path) -> None:
    run = work(workspace, request("Run `touch built`."))
    assert run.commands[0] == "touch built"


def test_a_path_is_remembered_and_edited(workspace: Path) -> None:
    (workspace / "lib").mkdir()
    for name in ("lib/a.py", "lib/b.py"):
        (workspace / name).write_text("LIMIT = 1\n")
    task = "In `limits`, replace `LIMIT = 1` with `LIMIT = 2`. Check with `grep -q 2 lib/b.py`."
    work(workspace, request(task, memory="`limits` is `lib/b.py`."))
    assert (workspace / "lib/b.py").read_text() == "LIMIT = 2\n"
    assert (workspace / "lib/a.py").read_text() == "LIMIT = 1\n"


def test_a_path_that_is_gone_makes_it_look_for_the_text(workspace: Path) -> None:
    (workspace / "a.py").write_text("LIMIT = 1\n")
    (workspace / "b.py").write_text("LIMIT = 1\n")
    task = "In `limits`, replace `LIMIT = 1` with `LIMIT = 2`. Check with `grep -q 2 b.py`."
    work(workspace, request(task, memory="`limits` is `old.py`."))
    assert (workspace / "a.py").read_text() == "LIMIT = 1\n"
    assert (workspace / "b.py").read_text() == "LIMIT = 2\n"


def test_a_check_that_passes_already_leaves_nothing_to_do(workspace: Path) -> None:
    (workspace / "check.py").write_text("")
    run = work(workspace, request(TASK, memory="`a.port` is `1`."))
    assert len(run.commands) == 2
    assert setting(workspace) == "a.port = UNSET"


def test_several_needs_are_all_met_before_the_check(workspace: Path) -> None:
    (workspace / "check.py").write_text("t = open('a.ini').read(); assert 'x = 1' in t and 'y = 2' in t\n")
    task = "`x` is `1`. Set `x` in `a.ini` and set `y` in `a.ini`. Check with `python check.py`."
    run = work(workspace, request(task, memory="`y` is `2`."))
    assert run.commands.count("python check.py") == 2


def test_a_command_that_fails_is_not_made_up_for_by_another_that_works(workspace: Path) -> None:
    run = work(workspace, request("`x` is `exit 3`. `y` is `exit 4`. Run `x`. Run `z`.", memory="`z` is `true`."))
    assert run.commands[:2] == ["exit 3", "true"]
    assert "could not find" in run.said[-1]


def test_the_same_request_has_the_same_answer() -> None:
    body = request(TASK, memory="`a.port` is `1`.")
    assert respond(body) == respond(json.loads(json.dumps(body)))
    assert respond(body)["id"] != respond(request(TASK))["id"]


def test_a_response_counts_tokens_and_names_its_model() -> None:
    answer = respond(request(TASK))
    usage = answer["usage"]
    assert usage["prompt_tokens"] > usage["completion_tokens"] > 0
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert answer["model"] == answer["system_fingerprint"] == "memuse-scripted-1"


def test_a_message_about_a_bad_call_is_a_failure_and_not_the_end() -> None:
    body = request(TASK, memory="`a.port` is `1`.")
    message = respond(body)["choices"][0]["message"]
    body["messages"] += [message, {"role": "user", "content": "That was no valid call."}]
    assert call_of(respond(body)) == ("bash", {"command": "cat a.ini"})


def test_without_a_command_to_submit_it_ends_in_words() -> None:
    body = request("Run `true thing`.")
    body["messages"][0]["content"] = "You are helpful."
    body = reply(body, shell_result(0))
    choice = respond(body)["choices"][0]
    assert choice["finish_reason"] == "stop"
    assert choice["message"] == {"role": "assistant", "content": "Done."}


def test_tool_choice_none_gets_words_alone() -> None:
    message = respond({**request(TASK, memory="`a.port` is `7`."), "tool_choice": "none"})["choices"][0]["message"]
    assert message["content"] == "`a.port` is `7`."
    assert "tool_calls" not in message


def test_a_chosen_tool_is_the_one_that_is_called() -> None:
    body = request(TASK, tools=[BASH, FULL_TOOL])
    body["tool_choice"] = {"type": "function", "function": {"name": "recall_box"}}
    assert call_of(respond(body)) == ("recall_box", {"action": "search", "query": "a.port"})


def test_tools_that_it_does_not_know_are_left_alone() -> None:
    unknown = {"type": "function", "function": {"name": "weather", "parameters": {"properties": {"city": {}}}}}
    message = respond(request(TASK, tools=[unknown]))["choices"][0]["message"]
    assert "tool_calls" not in message
    assert message["content"]


@pytest.mark.parametrize("body", [{}, {"messages": []}, {"messages": "hi"}])
def test_what_is_no_chat_request_is_refused_with_a_reason(body: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="messages"):
        respond(body)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(
    messages=st.lists(
        anything
        | st.fixed_dictionaries(
            {"role": st.sampled_from(["system", "user", "assistant", "tool", "x", None, 3])},
            optional={"content": anything, "tool_calls": anything},
        ),
        min_size=1,
        max_size=5,
    ),
    tools=anything | st.just([BASH]) | st.just([BASH, FULL_TOOL]),
    choice=anything,
)
def test_messages_of_any_shape_are_answered(messages: list[Any], tools: Any, choice: Any) -> None:
    answer = respond({"messages": messages, "tools": tools, "tool_choice": choice})
    assert answer["choices"][0]["message"]["role"] == "assistant"


def test_a_very_long_conversation_ends_in_a_submission() -> None:
    body = request(TASK)
    pair = [{"role": "assistant", "content": "hm"}, {"role": "tool", "content": shell_result(1)}]
    body["messages"] += pair * 2000
    message = respond(body)["choices"][0]["message"]
    assert message["role"] == "assistant"
    assert "tool_calls" not in message
