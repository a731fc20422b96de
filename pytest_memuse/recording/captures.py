"""What store captures tell: the state of a store, and net changes between two captures of it (MemUse A.1.1).

A net change says that an item differs, not when it was changed, in what order, or what stood in between.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from pytest_memuse.model import OperationKind
from pytest_memuse.recording.recording import Event, LifecycleNote, MemoryOperation, StoreCapture


class Lifecycle(StrEnum):
    """What can happen to a store as a whole. *Created* and *reset* leave it empty; what *opened* finds is not known."""

    CREATED = "created"
    OPENED = "opened"
    RESET = "reset"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class ItemText:
    """One version of a stored item: the text that it had at some time, and whose it is."""

    namespace: str
    item: str
    text: str


@dataclass(frozen=True, slots=True)
class StoreChange:
    """A change of one item that no operation reported; ``value`` is its text afterwards, None where it is gone.

    ``net`` is False where the change itself was observed, as a reset is.
    """

    kind: OperationKind
    namespace: str
    item: str
    value: str | None
    net: bool = True


def recaptured(before: Mapping[str, str], capture: StoreCapture) -> dict[str, str]:
    """Return what a capture says of its store, given what the capture of the scope before it said."""
    if capture.whole:
        return dict(capture.put)
    gone = set(capture.gone)
    return {item: text for item, text in before.items() if item not in gone} | dict(capture.put)


class StoreTimeline:
    """Follows a recording's events in order, and knows what each scope's store holds as far as that is observed."""

    def __init__(self) -> None:
        self._captured: dict[str, dict[str, str]] = {}
        self._state: dict[str, dict[str, str]] = {}
        self._known: set[str] = set()
        self._empty = False
        self._namespaces: dict[tuple[str, str], str] = {}
        self.captures = 0
        """How many captures and resets it has followed."""

    def take(self, event: Event) -> tuple[StoreChange, ...]:
        """Follow an event; return the changes that it shows and that no operation reported.

        The first capture of a store whose state is not known shows none: where its items come from is unobserved.
        """
        if isinstance(event, MemoryOperation):
            self._follow(event)
        elif isinstance(event, StoreCapture):
            return self._compare(event)
        elif isinstance(event, LifecycleNote) and event.what in (Lifecycle.CREATED, Lifecycle.RESET):
            return self._emptied(event)
        return ()

    def versions(self) -> tuple[ItemText, ...]:
        """Return what the stores hold now, as far as that is known."""
        return tuple(
            ItemText(self._namespace(scope, item), item, text)
            for scope, store in self._state.items()
            for item, text in store.items()
        )

    def _follow(self, operation: MemoryOperation) -> None:
        store = self._state.setdefault(operation.scope, {})
        for change in operation.changes:
            item = str(change.get("item", ""))
            self._namespaces[operation.scope, item] = str(change.get("namespace") or operation.scope)
            if change.get("kind") == OperationKind.DELETE:
                store.pop(item, None)
            else:
                store[item] = str(change.get("value") or "")

    def _compare(self, capture: StoreCapture) -> tuple[StoreChange, ...]:
        self.captures += 1
        scope = capture.scope
        now = self._captured[scope] = recaptured(self._captured.get(scope, {}), capture)
        before, known = self._state.get(scope, {}), self._empty or scope in self._known
        self._state[scope] = dict(now)
        self._known.add(scope)
        if not known:
            return ()
        return (
            *(self._change(OperationKind.CREATE, scope, item, now[item]) for item in now if item not in before),
            *(
                self._change(OperationKind.UPDATE, scope, item, now[item])
                for item in now
                if item in before and before[item] != now[item]
            ),
            *(self._change(OperationKind.DELETE, scope, item, None) for item in before if item not in now),
        )

    def _emptied(self, event: LifecycleNote) -> tuple[StoreChange, ...]:
        self.captures += 1
        scopes = list(self._state) if event.within is None else [event.within]
        gone = tuple(
            self._change(OperationKind.DELETE, scope, item, None, net=False)
            for scope in scopes
            for item in self._state.get(scope, ())
        )
        for scope in scopes:
            self._state[scope] = {}
            self._known.add(scope)
        self._empty = self._empty or event.within is None
        return gone

    def _change(
        self, kind: OperationKind, scope: str, item: str, value: str | None, *, net: bool = True
    ) -> StoreChange:
        return StoreChange(kind, self._namespace(scope, item), item, value, net)

    def _namespace(self, scope: str, item: str) -> str:
        return self._namespaces.get((scope, item), scope)
