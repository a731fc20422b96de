"""Influence: following an entry's content into the actions of its credit window (MemUse A.2.2)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pytest_memuse.judging.actions import Action, Deed
from pytest_memuse.judging.answers import Influence
from pytest_memuse.judging.checks import changes, files_of, reverts
from pytest_memuse.judging.content import Content, Kind, significant_words
from pytest_memuse.judging.copies import Copies
from pytest_memuse.judging.doubts import Heard, argument_doubt, calendar_doubt, manner_doubt, overheard, word_doubt
from pytest_memuse.judging.effects import corrects, reverses
from pytest_memuse.judging.mentions import mention_of, shown_key
from pytest_memuse.judging.occurrences import Grade, occurrences
from pytest_memuse.judging.prior import Known, Prior, PriorSources, Readings
from pytest_memuse.judging.reading import Reading, stem, words_of
from pytest_memuse.model import Delivery, Episode
from pytest_memuse.model.errors import printable
from pytest_memuse.spans import Span, SpanEntry, Window


@dataclass(frozen=True, slots=True)
class Attribution:
    """An entry's influence, its anchor steps and why.

    ``acted`` are the indices of anchored actions among the episode's, ``used`` the spellings of content in them.
    """

    influence: Influence | None
    note: str
    anchors: tuple[int, ...] = ()
    acted: tuple[int, ...] = ()
    used: tuple[str, ...] = ()


@dataclass(slots=True)
class _Uses:
    """What following an entry's content has found so far."""

    acted: list[int] = field(default_factory=list)
    used: dict[str, None] = field(default_factory=dict)
    note: str = ""
    doubts: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Trail:
    """An episode's actions after a span's delivery, with what else could explain them."""

    episode: Episode
    span: Span
    actions: tuple[Action, ...]
    prior: PriorSources
    copies: Copies
    readings: Readings

    @property
    def complete(self) -> bool:
        """Whether nothing of the prior context was lost or left out of the record."""
        lost = any(step.call.gap for step in self.episode.steps[: self.span.first or 0])
        return not lost and not self.prior.unrecorded

    def follow(self, entry: SpanEntry, contents: tuple[Content, ...]) -> Attribution:
        """Return the influence of an entry whose exposed text holds these contents."""
        window = entry.window
        if window is None:
            return Attribution(Influence.NONE, "its credit window is empty: a fuller copy took it over")
        siblings = self._siblings(entry)
        if key := shown_key(entry, self.span):
            contents = (*contents, Content(Kind.IDENTIFIER, key, words_of(key)))
        known = {content.name: self.prior.of(content, siblings) for content in contents}
        uses = self._uses(entry, contents, known, window)
        if uses.acted and not self.complete:
            return Attribution(None, "part of the prior context was lost or not recorded; " + uses.note)
        if uses.acted:
            anchors = tuple(sorted({self.actions[i].step for i in uses.acted}))
            return Attribution(Influence.ACTED_ON, uses.note, anchors, tuple(uses.acted), tuple(uses.used))
        if (step := self._selection(entry, window)) is not None:
            return Attribution(Influence.SELECTED, f"its fuller version was read through it at step {step}", (step,))
        if uses.doubts:
            return Attribution(None, uses.doubts[0])
        fresh = [c for c in contents if known[c.name].known is Known.ABSENT]
        influence, note = mention_of(
            self.episode, self.span, entry, fresh, self._new_words(entry), self.actions, self.readings
        )
        return Attribution(influence, note)

    def _uses(self, entry: SpanEntry, contents: tuple[Content, ...], known: dict[str, Prior], window: Window) -> _Uses:
        uses = _Uses()
        key = shown_key(entry, self.span)
        words = self._new_words(entry)
        heard = list(self._heard(contents, window))
        told = self.readings(entry.exposure.text or "")
        others = [s.reading for s in self.prior.competing] + self._siblings(entry)
        for index, action in enumerate(self.actions):
            if action.step not in window or action.deed in (Deed.SPEECH, Deed.MAINTENANCE):
                continue
            if action.deed is Deed.RETRIEVAL:
                if key and _names(action, key):
                    uses.doubts.append(f"step {action.step} asks memory for {key}, and no fuller delivery is recorded")
                continue
            reading = self.readings(action.text)
            found = [(c, places) for c in contents if (places := occurrences(c, reading))]
            if found and self._takes_back(action, uses):
                continue
            certain = [c for c, places in found if any(p.grade is Grade.FULL for p in places) or _whole(c, action)]
            fresh = [c for c in certain if known[c.name].known is Known.ABSENT and not c.advised_against]
            specific = [c for c in fresh if not overheard(c, action, reading, told, heard)]
            if specific:
                uses.acted.append(index)
                for content in specific:
                    uses.used.update(dict.fromkeys(_spellings(content, reading)))
                uses.note = uses.note or (
                    f"step {action.step} uses {specific[0].kind} {specific[0].written!r}, which no prior source states"
                )
                continue
            doubt = self._doubt(action, [c for c, _ in found], certain, known, heard)
            if doubt is None:
                doubt = (
                    word_doubt(action, words, reading, heard)
                    or argument_doubt(action, told, words, others, heard)
                    or manner_doubt(action, told)
                    or calendar_doubt(action, told, reading, others)
                )
            if doubt is not None:
                uses.doubts.append(doubt)
        return uses

    def _doubt(
        self,
        action: Action,
        found: list[Content],
        certain: list[Content],
        known: dict[str, Prior],
        heard: list[Heard],
    ) -> str | None:
        """Return why an action that shares content with the entry is open, None where a prior source explains it."""
        for content in found:
            prior = known[content.name]
            if self.prior.explains(content, self.readings(action.text)):
                continue
            where = f"step {action.step} uses {content.kind} {content.written!r}"
            if prior.known is Known.EXPLAINED:
                continue
            if prior.known is not Known.ABSENT:
                return f"{where}, which {prior.origin} also states: {printable(prior.quote)!r}"
            if content in certain and content.advised_against:
                return f"{where}, which the entry names as what not to use or as what was before"
            if content in certain:
                return f"{where}, which a message after the delivery states as well"
            return f"{where} in a form that others share"
        return None

    def _takes_back(self, action: Action, uses: _Uses) -> bool:
        """Whether an action undoes or corrects an earlier anchored one; that is a consequence, not a use."""
        for index in uses.acted:
            earlier = self.actions[index]
            if reverts(action, files_of(earlier)) and changes(action):
                return True
            if reverses(action, earlier) or any(corrects(action, earlier, value) for value in uses.used):
                return True
        return False

    def _siblings(self, entry: SpanEntry) -> list[Reading]:
        """Return the other items of the same delivery: what they state as well is nobody's alone."""
        return [
            self.readings(other.exposure.text)
            for other in self.span.entries
            if other is not entry and other.exposure.text and other.entry.identity != entry.entry.identity
        ]

    def _heard(self, contents: tuple[Content, ...], window: Window) -> Iterator[Heard]:
        """Yield what reached the agent after the delivery otherwise than through the entry.

        The result of an action that used the entry's content is that action's finding, no other source.
        """
        first = self.span.first or window.first
        steps = {s.number: s for s in self.episode.steps}
        asked = {a.id: a for a in self.actions if a.step >= first}
        seen = set(steps[first].call.input)
        for number in range(first, window.last + 1):
            step = steps[number]
            results = {r.message for r in step.results}
            for digest in step.call.input:
                message = self.episode.messages.get(digest)
                if digest in seen or message is None or message.role in ("assistant", "tool"):
                    continue
                seen.add(digest)
                yield Heard(number, self.readings(self.copies.removed(digest, message.text)), message.role == "user")
            for result in step.results:
                action = asked.get(result.tool_call_id)
                message = self.episode.messages.get(result.message)
                if message is None or (action and any(occurrences(c, self.readings(action.text)) for c in contents)):
                    continue
                yield Heard(number + 1, self.readings(self.copies.removed(result.message, message.text)), ordered=False)
            seen |= results

    def _new_words(self, entry: SpanEntry) -> frozenset[str]:
        """Return the stems of the entry's significant words that no prior source and no other entry holds."""
        stems = {stem(word) for word in significant_words(entry.exposure.text or "")}
        others = [s.reading for s in self.prior.competing] + self._siblings(entry)
        return frozenset(s for s in stems if not any(s in reading.stems for reading in others))

    def _selection(self, entry: SpanEntry, window: Window) -> int | None:
        """Return the step whose retrieval followed the entry to a fuller delivery of the same item."""
        own = {d.id for d in self.span.deliveries}
        name = entry.entry.key or entry.entry.item
        for later in self.episode.deliveries:
            consumed = self.episode.step_of_call(later.call)
            if later.id in own or consumed is None:
                continue
            same = entry.entry.identity is not None and entry.entry.identity in {e.identity for e in later.entries}
            for action in self.actions:
                if action.step not in window or action.step >= consumed or action.deed is not Deed.RETRIEVAL:
                    continue
                named = bool(name) and _names(action, name or "")
                followed = bool(own & set(later.selected_from))
                if [same, named, followed].count(True) >= 2 and self._carried(action, later):
                    return action.step
        return None

    def _carried(self, action: Action, delivery: Delivery) -> bool:
        """Whether a delivery's text stands in an action's result."""
        texts = [p.text for p in delivery.placements if p.text]
        return not texts or any(text in action.result for text in texts)


def _whole(content: Content, action: Action) -> bool:
    """Whether an argument is the content and nothing else, in whatever spelling."""
    several = len(content.words) > 1 and content.quantity is None
    return several and any(len(v) < 300 and words_of(v) == content.words for v in action.values)


def _names(action: Action, name: str) -> bool:
    return bool(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", action.text))


def _spellings(content: Content, reading: Reading) -> Iterator[str]:
    for place in occurrences(content, reading):
        yield reading.text[place.start : place.end]
