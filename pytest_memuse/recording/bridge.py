"""The memory bridge: how a memory system and a harness say what of a recording is memory (MemUse 3.2, A.1.1).

Two halves over one recorder. The provider's half is for the memory system's adapter: its work, writes, searches, the
captures and the lifecycle of its store. The host's half is for the harness: episodes, deliveries and placements. What
is said is kept as it was said, and deliveries are checked against the request that is recorded of the call after them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from pytest_memuse.model import MemuseError, Route
from pytest_memuse.model.digests import json_digest
from pytest_memuse.model.errors import nearest
from pytest_memuse.recording.captures import Lifecycle
from pytest_memuse.recording.observers import BlockObserver, ToolResultObserver, observer_note
from pytest_memuse.recording.recording import DeliveryNote, EpisodeStart, LifecycleNote, OutcomeNote
from pytest_memuse.recording.rendered import Change, Found, Rendered
from pytest_memuse.recording.session import ArcRecorder, plain_data


@dataclass(frozen=True, slots=True)
class OperationRef:
    """A reported memory operation, by its number in the recording; it knows which calls it cost."""

    number: int


@dataclass(frozen=True, slots=True)
class DeliveryRef:
    """An announced delivery, by its number in the recording, and the slots that it fills."""

    number: int
    slots: tuple[str, ...]


class Bridge:
    """Annotates one recording. ``scope`` is taken wherever a method is given none.

    Safe to use from several threads and tasks. Secrets are replaced in everything that is said here.
    """

    def __init__(self, recorder: ArcRecorder, scope: str = "") -> None:
        self._recorder = recorder
        self._scope = scope
        self._episode: EpisodeStart | None = None
        self._outcome = OutcomeNote(None)

    # The provider's half.

    def work(self) -> AbstractContextManager[object]:
        """Bracket the memory system's work: every HTTP call in it is the memory system's and no step of the agent.

        Brackets may be nested and may be open in several threads and tasks at once. Tasks that are started inside one
        belong to it, and so do threads that are in no bracket, but for the thread that began the episode.
        """
        return self._recorder.memory_work()

    def search(
        self,
        query: str,
        results: Iterable[Found],
        scope: str | None = None,
        *,
        text: str = "",
        tool_call_id: str | None = None,
    ) -> OperationRef:
        """Report a search and what it returned, in order.

        It costs the calls of the bracket that it is reported in, or that was closed last, as far as no earlier
        operation has claimed them. ``text`` is what it was rendered to, where it was; ``tool_call_id`` the agent's tool
        call that asked for it.
        """
        return self._report("search", scope, {"query": query}, Rendered(text), tuple(results), tool_call_id)

    def write(
        self,
        changes: Iterable[Change],
        scope: str | None = None,
        *,
        source: Mapping[str, Any] | None = None,
        tool_call_id: str | None = None,
    ) -> OperationRef:
        """Report a memory-writing operation and the changes that it made, none included; it costs as `search` does.

        ``source`` is what memories were written from, as plain data.
        """
        return self._report("write", scope, dict(source or {}), Rendered("", changes=tuple(changes)), (), tool_call_id)

    def snapshot(self, store: Mapping[str, str], scope: str | None = None) -> None:
        """Capture a scope's whole store: the text of each item.

        Against the capture before it, and what was reported in between, it shows net changes: what differs, not when or
        in what order it changed. The first capture of a store whose state is not known shows only what it holds.
        """
        self._recorder.capture(store, self._in(scope))

    def lifecycle(self, what: str, scope: str | None = None, *, detail: str = "") -> None:
        """Say what happened to the store as a whole: a `captures.Lifecycle`. Without a scope it happened to all of it.

        A store that was *created* or *reset* is known to be empty.
        """
        if what not in set(Lifecycle):
            known = [str(each) for each in Lifecycle]
            told = f"there is no lifecycle {what!r}; there are {', '.join(known)}"
            raise MemuseError(told + nearest(what, known), reason="bridge")
        self._recorder.note(LifecycleNote(str(what), scope, detail))

    # The host's half.

    @contextmanager
    def episode(
        self,
        task: str,
        *,
        scope: str | None = None,
        id: str = "",
        references: Sequence[Mapping[str, Any]] = (),
    ) -> Iterator["Bridge"]:
        """Bracket one episode, as `begin` and `end` do; one that raises has no outcome."""
        self.begin(task, scope=scope, id=id, references=references)
        try:
            yield self
        except BaseException:
            self._episode = None
            raise
        self.end()

    def begin(
        self,
        task: str,
        *,
        scope: str | None = None,
        id: str = "",
        references: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Begin an episode of the agent on a task; its ``scope`` is taken for the bridge's until the next one.

        ``references`` are facts of the task as in an arcs file: subject, value, superseded. Raises `MemuseError` inside
        another episode, and for a second one of the same ``id``.
        """
        starts = [event for event in self._recorder.events if isinstance(event, EpisodeStart)]
        name = id or f"episode-{len(starts) + 1}"
        if self._episode is not None:
            raise MemuseError(f"episode {self._episode.id!r} has not ended yet", reason="bridge")
        if any(start.id == name for start in starts):
            raise MemuseError(f"there was an episode {name!r} before; give this one another id", reason="bridge")
        facts = [{"superseded": [], **fact} for fact in references]
        digest = json_digest([task, self._in(scope), facts])
        data = {"id": name, "text": task, "digest": digest, "references": facts}
        self._scope = self._in(scope)
        self._episode = EpisodeStart(name, len(starts), self._scope, data)
        self._outcome = OutcomeNote(None)
        self._recorder.start_episode(self._episode)

    def end(self) -> None:
        """End the episode that is going on, with the outcome that was said, or with none."""
        if self._episode is None:
            raise MemuseError("there is no episode to end", reason="bridge")
        self._episode = None
        self._recorder.end_episode(self._outcome)

    def outcome(self, success: bool | None, detail: str = "") -> None:
        """Say whether the episode that is going on solved its task; None where no check came to a result."""
        self._outcome = OutcomeNote(success, detail)

    def agent(self) -> AbstractContextManager[object]:
        """Bracket model calls of the agent in a thread of its own while memory works in another one."""
        return self._recorder.agent_work()

    def deliver(
        self,
        text: str | Mapping[str, str],
        *,
        operations: Iterable[OperationRef] = (),
        entries: Iterable[Found] | None = None,
        slot: str = "memory",
        tool_call_id: str | None = None,
        form: str = "",
        route: Route | None = None,
        follows: Iterable[DeliveryRef] = (),
    ) -> DeliveryRef:
        """Announce memory text for the next model input.

        The next agent call whose request holds the text becomes its consuming call: in the result of the tool call
        ``tool_call_id``, else in a message that is no tool result. A mapping gives one delivery's texts in several
        slots. ``entries`` are what it shows, in order; without them those of its ``operations``. An entry that no
        operation gave is one whose origin is unobserved. ``follows`` are deliveries whose identifier or preview led the
        agent to this one. The route is agent-directed where there is a tool call, unless it is said.
        """
        texts = dict(text) if isinstance(text, Mapping) else {slot: text}
        empty = next((name for name, shown in texts.items() if not shown), None)
        if not texts or empty is not None:
            raise MemuseError(
                f"a delivery without text in slot {empty or slot!r}",
                reason="bridge",
                mend="where nothing is put into the input nothing is delivered; report the search alone",
            )
        (first, shown), *others = texts.items()
        numbers = [operation.number for operation in operations]
        note = DeliveryNote(
            operation=numbers[0] if numbers else 0,
            slot=first,
            text=shown,
            also=tuple({"slot": name, "text": other} for name, other in others),
            further=tuple(numbers[1:]),
            entries=None if entries is None else tuple(plain_data(entry) for entry in entries),
            tool_call_id=tool_call_id,
            route="" if route is None else str(route),
            form=form,
            follows=tuple(delivery.number for delivery in follows),
        )
        return DeliveryRef(self._recorder.announce(note), tuple(texts))

    def place(self, delivery: DeliveryRef, message: int | str, *, slot: str | None = None) -> None:
        """Say in which message of the next agent call the host puts a delivery's text.

        ``message`` is its position as the model reads the messages, from the end where it is negative, or a JSON
        pointer into the request. The call is then the delivery's, and the place is verified: a missing message, a text
        that is not there or that is there twice is noted in its proof, and warned of. Raises `MemuseError` where a call
        has carried the delivery already, and for a slot that it does not have.
        """
        try:
            self._recorder.claim(delivery.number, slot or delivery.slots[0], message)
        except LookupError as error:
            raise MemuseError(f"delivery {delivery.number}: {error.args[0]}", reason="bridge") from None

    def observe(self, observer: BlockObserver | ToolResultObserver) -> None:
        """Let an observer look at the recording whenever its log is derived."""
        self._recorder.note(observer_note(observer))

    # What both halves of `episodes` are made of.

    def report(
        self, kind: str, asked: Mapping[str, Any], given: Rendered | Sequence[Change], scope: str | None = None
    ) -> OperationRef:
        """Report an operation that a replay asks again: recall, offer, tool or extract (`MemoryOperation`)."""
        return OperationRef(self._recorder.operation(kind, self._in(scope), asked, given))

    def _report(
        self,
        kind: str,
        scope: str | None,
        asked: dict[str, Any],
        given: Rendered,
        found: tuple[Found, ...],
        tool_call_id: str | None,
    ) -> OperationRef:
        if tool_call_id is not None:
            asked["tool_call_id"] = tool_call_id
        return OperationRef(self._recorder.operation(kind, self._in(scope), asked, given, found))

    def _in(self, scope: str | None) -> str:
        return self._scope if scope is None else scope
