"""A call is the memory system's inside a bracket of its work, whatever threads and tasks there are beside it."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from pytest_memuse.model import Actor
from pytest_memuse.recording.recording import Exchange
from tests.recording.bridged import Bridged, user


def test_an_operation_reported_behind_its_bracket_has_the_brackets_calls_and_no_other() -> None:
    made = Bridged()
    with made.bridge.episode("t"):
        with made.bridge.work():
            made.embed()
        first = made.bridge.search("a", [])
        second = made.bridge.search("b", [])
    assert [len(o.calls) for o in made.episodes()[0].operations] == [1, 0]
    assert (first.number, second.number) == (1, 2)


def test_nested_work_belongs_to_the_inner_operation() -> None:
    made = Bridged()
    with made.bridge.episode("t"), made.bridge.work():
        made.embed()
        with made.bridge.work():
            made.embed()
            made.embed()
        made.bridge.search("inner", [])
        made.bridge.write([])
    inner, outer = made.episodes()[0].operations
    assert [len(o.calls) for o in (inner, outer)] == [2, 1]
    assert not set(inner.calls) & set(outer.calls)


def test_work_in_one_thread_does_not_take_the_agents_calls_in_another() -> None:
    made = Bridged()
    opened, asked = threading.Event(), threading.Event()

    def extract() -> None:
        with made.bridge.work():
            opened.set()
            assert asked.wait(10)
            made.ask(user("Which facts?"))
            made.bridge.write([])

    with made.bridge.episode("t"):
        thread = threading.Thread(target=extract)
        thread.start()
        assert opened.wait(10)
        made.ask(user("t"))
        asked.set()
        thread.join()
    (episode,) = made.episodes()
    assert (len(episode.steps), [c.actor for c in episode.memory_calls]) == (1, [Actor.MEMORY])
    assert episode.operations[0].calls == (episode.memory_calls[0].id,)


def test_the_pool_threads_of_a_memory_system_work_for_it() -> None:
    made = Bridged()
    with made.bridge.episode("t"), made.bridge.work(), ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: made.ask(user("rank")), range(4)))
        made.bridge.search("q", [])
    (episode,) = made.episodes()
    assert (episode.steps, len(episode.operations[0].calls)) == ((), 4)


def test_an_agent_in_a_thread_of_its_own_says_so() -> None:
    made = Bridged()

    def agent() -> None:
        with made.bridge.agent():
            made.ask(user("t"))

    with made.bridge.episode("t"), made.bridge.work():
        thread = threading.Thread(target=agent)
        thread.start()
        thread.join()
    assert len(made.episodes()[0].steps) == 1


def test_tasks_of_one_thread_are_told_apart() -> None:
    made = Bridged()

    async def memory(number: int) -> None:
        with made.bridge.work():
            await asyncio.sleep(0)
            made.embed()
            await asyncio.sleep(0)
            made.embed()
            made.bridge.search(str(number), [])

    async def agent() -> None:
        for _ in range(3):
            made.ask(user("t"))
            await asyncio.sleep(0)

    async def both() -> None:
        await asyncio.gather(memory(1), agent(), memory(2))

    with made.bridge.episode("t"):
        asyncio.run(both())
    (episode,) = made.episodes()
    assert len(episode.steps) == 3
    assert [len(o.calls) for o in episode.operations] == [2, 2]
    assert len({call for o in episode.operations for call in o.calls}) == 4


def test_a_task_that_goes_on_behind_its_bracket_still_works_for_the_memory() -> None:
    made = Bridged()

    async def run() -> None:
        async def late() -> None:
            await asyncio.sleep(0)
            made.ask(user("Which facts?"))

        with made.bridge.work():
            task = asyncio.create_task(late())
        made.ask(user("t"))
        await task

    with made.bridge.episode("t"):
        asyncio.run(run())
    assert [e.actor for e in made.recorder.events if isinstance(e, Exchange)] == [Actor.AGENT, Actor.MEMORY]


def test_what_a_bracket_before_the_episode_cost_is_no_operations_of_it() -> None:
    made = Bridged()
    with made.bridge.work():
        made.embed()
    with made.bridge.episode("t"):
        made.bridge.search("q", [])
    assert made.episodes()[0].operations[0].calls == ()


def test_many_threads_at_once_lose_nothing_and_mix_nothing_up() -> None:
    made = Bridged()

    def remember(number: int) -> None:
        for turn in range(10):
            with made.bridge.work():
                for _ in range(turn % 3):
                    made.embed()
                made.bridge.search(f"{number} {turn}", [])

    with made.bridge.episode("t"), ThreadPoolExecutor(8) as pool:
        list(pool.map(remember, range(8)))
    (episode,) = made.episodes()
    costs = {str(o.query): len(o.calls) for o in episode.operations}
    assert costs == {f"{number} {turn}": turn % 3 for number in range(8) for turn in range(10)}
    assert len({call for o in episode.operations for call in o.calls}) == len(episode.memory_calls) == 8 * 9
