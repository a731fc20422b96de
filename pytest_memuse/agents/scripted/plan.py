"""How the scripted model works on a task: a plan that yields one action at a time and is sent what came of it.

The order of evidence for a value: what the task states, what this episode's outputs showed, what memory says (the
recalled text first, then a search with the memory tool), what a search of the repository finds. What it says aloud
never repeats a value, so that an extraction of memories from the conversation learns values from the user alone.
"""

from collections.abc import Generator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from pytest_memuse.agents.scripted import commands
from pytest_memuse.agents.scripted.language import (
    Brief,
    Fact,
    Need,
    NeedKind,
    facts_in_lines,
    pointer_in,
    setting_in,
    values_of,
)
from pytest_memuse.agents.scripted.reading import Observation, Tools, shown_memories
from pytest_memuse.agents.scripted.variation import Choices

MOST_ATTEMPTS = 6
_MOST_POINTERS = 2


@dataclass(frozen=True, slots=True)
class ShellAction:
    """Run a command."""

    say: str
    command: str


@dataclass(frozen=True, slots=True)
class MemoryAction:
    """Call the memory tool."""

    say: str
    arguments: dict[str, str]


Action = ShellAction | MemoryAction
_T = TypeVar("_T")
Doing = Generator[Action, Observation, _T]


class Origin(StrEnum):
    """Where a value came from."""

    STATED = "stated"
    SEEN = "seen"
    REMEMBERED = "remembered"
    EXPLORED = "explored"


@dataclass(slots=True)
class _Quest:
    """The search for one needed value: what is still to be tried, and what was tried."""

    need: Need
    waiting: list[tuple[Origin, str]] = field(default_factory=list)
    tried: set[str] = field(default_factory=set)
    current: tuple[Origin, str] | None = None
    worked: bool = False
    searched: bool = False
    explored: bool = False
    explores_first: bool = False
    undo: tuple[str, str] | None = None
    """The file that was changed, and the command that takes the change back."""


class Plan:
    """Works on one brief, with what is remembered. ``run`` yields actions and returns the closing words."""

    def __init__(
        self, brief: Brief, remembered: tuple[Fact, ...], tools: Tools, submit: str | None, choices: Choices
    ) -> None:
        self._brief = brief
        self._remembered = list(remembered)
        self._tools = tools
        self._submit = submit
        self._choices = choices
        self._seen: list[Fact] = []
        self._contents: dict[str, str | None] = {}

    def run(self) -> Doing[str]:
        """Read first, check, act on each need until the check passes, correct memories, submit."""
        for path in self._choices.order(self._brief.reads):
            yield from self._read(path, f"I'll read `{path}` first, as asked.")
        if not self._brief.needs:
            yield from self._correct_memories([])
            return (yield from self._end("I have noted this; there is nothing to change."))
        check = self._brief.check
        if check is not None and (yield from self._passes(check, "Let me see where the check stands before I start.")):
            yield from self._correct_memories([])
            return (yield from self._end("The check passes already, so there is nothing to do."))
        quests = [self._quest(need) for need in self._brief.needs]
        for _ in range(MOST_ATTEMPTS):
            settled = yield from self._attempt(quests)
            if settled:
                yield from self._correct_memories(quests)
                return (yield from self._end("Done."))
            if settled is None:
                break
        return (yield from self._end("I could not find what this task needs, so I leave that part undone."))

    def _attempt(self, quests: list[_Quest]) -> Doing[bool | None]:
        """Try the next value of every open quest; True where all is done, None where there is nothing left to try."""
        acted = False
        for quest in quests:
            if quest.current is not None:
                continue
            quest.current = yield from self._next_value(quest)
            if quest.current is not None:
                acted = True
                quest.worked = yield from self._act(quest)
        if not acted:
            return None
        check = self._brief.check
        if all(q.worked for q in quests) and (
            check is None or (yield from self._passes(check, "Now the check again."))
        ):
            return True
        for quest in quests:
            if quest.current is not None and quest.current[0] in (Origin.REMEMBERED, Origin.EXPLORED):
                yield from self._undo(quest)
        return False

    def _quest(self, need: Need) -> _Quest:
        """Return a quest with what is known at the start; a missed hint is not looked for in memory either."""
        waiting = self._known(need)
        missed = (not waiting or waiting[0][0] is Origin.REMEMBERED) and self._choices.misses()
        return _Quest(
            need,
            waiting=waiting[1:] if missed else waiting,
            explores_first=self._choices.otherwise(),
            searched=missed,
        )

    def _known(self, need: Need) -> list[tuple[Origin, str]]:
        """Return what is known at the start: what is stated or was seen rules out what is remembered."""
        for origin, facts in ((Origin.STATED, self._brief.facts), (Origin.SEEN, tuple(self._seen))):
            values = values_of(need.subject, facts)
            if values:
                return [(origin, values[0])]
        if need.kind is NeedKind.RUN and " " in need.subject:  # The command itself, not the name of one.
            return [(Origin.STATED, need.subject)]
        if need.kind is NeedKind.REPLACE and "/" in need.subject:
            return [(Origin.STATED, need.subject)]
        return [(Origin.REMEMBERED, value) for value in values_of(need.subject, self._remembered)]

    def _next_value(self, quest: _Quest) -> Doing[tuple[Origin, str] | None]:
        subject = quest.need.subject
        while True:
            while quest.waiting:
                origin, value = quest.waiting.pop(0)
                if value not in quest.tried:
                    quest.tried.add(value)
                    return origin, value
            turned = quest.explores_first and not quest.explored
            if self._tools.memory is not None and not quest.tried and not quest.searched and not turned:
                quest.searched = True
                say = f"Nothing I was told covers `{subject}`; I'll look through my memories of this project."
                result = yield MemoryAction(say, {"action": "search", "query": subject})
                found = [f for _, text in shown_memories(result.text) for f in facts_in_lines(text)]
                self._remembered += found
                quest.waiting += [(Origin.REMEMBERED, v) for v in values_of(subject, found)]
            elif not quest.explored:
                quest.explored = True
                found_here = yield from self._explore(quest.need)
                quest.waiting += [(Origin.EXPLORED, v) for v in self._choices.order(found_here)]
            else:
                return None

    def _explore(self, need: Need) -> Doing[list[str]]:
        """Search the repository: for the text to replace, or for lines that state a value or send one elsewhere."""
        if need.kind is NeedKind.REPLACE:
            result = yield ShellAction(f"I'll look for the files that hold `{need.old}`.", commands.find(need.old))
            return list(dict.fromkeys(path for path, _ in commands.found_lines(result.text)))
        say = f"I'll search the repository for `{need.subject}`."
        result = yield ShellAction(say, commands.find(need.subject))
        values: list[str] = []
        pointers: list[str] = []
        for path, line in commands.found_lines(result.text):
            if path == need.file:
                continue
            facts = values_of(need.subject, facts_in_lines(line))
            setting = setting_in(line)
            pointer = pointer_in(line)
            if facts:
                values += facts
            elif setting is not None and setting.key == need.subject:
                values.append(setting.value)
            elif pointer is not None and need.subject in line:
                pointers.append(pointer)
        for path in list(dict.fromkeys(pointers))[:_MOST_POINTERS]:
            text = yield from self._read(path, f"This points to `{path}`; I'll read it.")
            values += values_of(need.subject, facts_in_lines(text))
        return values

    def _act(self, quest: _Quest) -> Doing[bool]:
        assert quest.current is not None
        need, (origin, value) = quest.need, quest.current
        if need.kind is NeedKind.RUN:
            return not (yield ShellAction(_REASONS[origin].format(need.subject), value)).failed
        if need.kind is NeedKind.REPLACE:
            path, edit = value, commands.replace(value, need.old, need.new)
        else:
            path = need.file
            if path not in self._contents:
                yield from self._read(path, f"I'll look at `{path}`.", learn=False)
            edit = commands.set_value(path, need.subject, value, self._contents[path])
        done = yield ShellAction(_REASONS[origin].format(need.subject), edit.do)
        quest.undo = None if done.failed else (path, edit.undo)
        return not done.failed

    def _undo(self, quest: _Quest) -> Doing[None]:
        quest.current, quest.worked = None, False
        undo, quest.undo = quest.undo, None
        if undo is not None:
            path, command = undo
            yield ShellAction(f"That did not do it; I take back what I changed in `{path}`.", command)

    def _correct_memories(self, quests: list[_Quest]) -> Doing[None]:
        """Update every remembered value that this episode showed to be out of date."""
        if self._tools.memory is None or not self._tools.can_update:
            return
        proven = {q.need.subject: q.current[1] for q in quests if q.current is not None}
        known = {f.subject: f.value for f in reversed([*self._brief.facts, *self._seen])} | proven
        for subject, value in known.items():
            if all(v == value for v in values_of(subject, self._remembered)):
                continue
            say = f"What I remembered of `{subject}` is out of date; I'll look that memory up to correct it."
            result = yield MemoryAction(say, {"action": "search", "query": subject})
            for item, text in shown_memories(result.text):
                old = values_of(subject, facts_in_lines(text))
                if old and value not in old:
                    new = text.replace(f"`{old[0]}`", f"`{value}`")
                    say = f"This is the memory of `{subject}` that I correct."
                    yield MemoryAction(say, {"action": "update", "memory_id": item, "text": new})

    def _end(self, closing: str) -> Doing[str]:
        if self._submit is not None and self._tools.shell is not None:
            yield ShellAction(closing, self._submit)
        return closing

    def _read(self, path: str, say: str, *, learn: bool = True) -> Doing[str]:
        result = yield ShellAction(say, commands.read(path))
        self._contents[path] = None if result.failed else result.text
        if learn and not result.failed:
            self._seen += facts_in_lines(result.text)
        return "" if result.failed else result.text

    def _passes(self, check: str, say: str) -> Doing[bool]:
        return not (yield ShellAction(say, check)).failed


_REASONS = {
    Origin.STATED: "The task itself says what to use for `{}`.",
    Origin.SEEN: "What I read says what to use for `{}`; I go by that.",
    Origin.REMEMBERED: "I remember `{}` from earlier work on this project; I'll go by that.",
    Origin.EXPLORED: "The repository suggests something for `{}`; I'll try it.",
}
