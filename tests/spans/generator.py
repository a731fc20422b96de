"""Random episodes for the comparison with the slow reference: a seeded `random.Random` in, an episode out.

A run goes on as real ones do: inputs grow, lose messages and get them back; a delivery is often an earlier one again,
whole or with one thing changed; what is delivered is written the way that memory systems and tools write it. A good
half of the episodes have a recording without fault, the others have several.
"""

import random
from dataclasses import dataclass, field, replace

from pytest_memuse.model import (
    Actor,
    Call,
    Delivery,
    Entry,
    Episode,
    Message,
    Operation,
    OperationKind,
    Placement,
    PlacementKind,
    Proof,
    Step,
    Task,
)
from pytest_memuse.model.digests import text_digest
from tests.spans.generator_history import with_history
from tests.spans.generator_texts import KEYS, VALUES, written


@dataclass
class World:
    """One episode while it is made: the visible input, the messages so far, and what was delivered."""

    chance: random.Random
    faults: float
    visible: list[Message] = field(default_factory=list)
    gone: list[Message] = field(default_factory=list)
    messages: dict[str, Message] = field(default_factory=dict)
    deliveries: list[Delivery] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    inputs: list[tuple[str, ...]] = field(default_factory=list)

    def odd(self, rate: float) -> bool:
        return self.chance.random() < rate

    def message(self, role: str, text: str) -> Message:
        made = Message(role, text, tool_call_id=f"t{len(self.messages)}" if role == "tool" else None)
        self.messages[made.digest] = made
        return made

    def entry(self) -> Entry:
        chance = self.chance
        key = chance.choice((None, None, *KEYS))
        return Entry(
            item=chance.choice(("A", "A", "A", "B", "C", None)),
            value=chance.choice(VALUES[:4] if self.odd(0.5) else VALUES),
            namespace=chance.choice(("", "", "", "", "other")),
            scheme=chance.choice(("", "", "", "", "", "rows")),
            version=chance.choice((None, "1", "1", "2")),
            digest=chance.choice((None, None, None, "f", "g")),
            key=key,
            local_version=key if key and self.odd(0.1) else chance.choice((None, "op-1", "op-2")),
        )

    def placement(self, entries: tuple[Entry, ...], number: int) -> Placement:
        chance = self.chance
        shown = [e for e in entries if self.odd(0.9)]
        parts = []
        for entry in shown:
            key = f"{entry.key}{chance.choice((': ', ' ', '0 '))}" if entry.key and self.odd(0.6) else ""
            parts.append(key + written(chance, entry.value or "nothing"))
        text = chance.choice(("; ", "\n", " ")).join(parts)
        kind = PlacementKind.TOOL_RESULT if self.odd(0.4) else PlacementKind.MESSAGE
        slot = chance.choice(("host", "read", f"slot{number}"))
        if self.odd(0.04):
            size = chance.choice((None, len(text)))
            return Placement(slot, None, kind, text_digest=text_digest(text), characters=size)
        return Placement(slot, text, kind)

    def fresh(self) -> Delivery:
        entries = tuple(self.entry() for _ in range(self.chance.choice((0, 1, 1, 1, 1, 1, 2, 2, 3))))
        count = self.chance.choice((0, 1, 1, 1, 1, 1, 2, 2)) if not entries else self.chance.choice((1, 1, 1, 1, 2))
        return Delivery("", entries, tuple(self.placement(entries, n) for n in range(count)), None)

    def again(self) -> Delivery:
        """An earlier delivery once more: as it was, or with one thing changed."""
        model = self.chance.choice(self.deliveries[-3:])
        if self.odd(0.5):
            return model
        entries, placements = list(model.entries), list(model.placements)
        change = self.chance.randrange(11)
        if change == 0:
            entries.reverse()
        elif change == 1:
            entries.append(self.entry())
        elif change == 2 and entries:
            entries.pop()
        elif change == 3 and entries:
            place = self.chance.randrange(len(entries))
            entries[place] = replace(entries[place], version=self.chance.choice((None, "1", "2")))
        elif change == 4 and entries:
            place = self.chance.randrange(len(entries))
            key = self.chance.choice(KEYS)
            entries[place] = replace(entries[place], key=key)
            placements = [replace(p, text=f"{key} {p.text}") if p.text else p for p in placements]
        elif change == 5 and entries:
            place = self.chance.randrange(len(entries))
            entries[place] = replace(entries[place], value=self.chance.choice(VALUES), local_version="op-9")
        elif change == 6 and placements:
            placements[0] = replace(placements[0], slot="other")
        elif change == 7 and placements:
            placements = [self.placement(tuple(entries), n) for n in range(len(placements))]
        elif change == 8 and placements:
            placements[0] = replace(placements[0], kind=self.chance.choice(tuple(PlacementKind)))
        elif change == 9 and placements:
            withheld = [text_digest(p.text) if p.text is not None else p.text_digest for p in placements]
            placements = [replace(p, text=None, text_digest=d) for p, d in zip(placements, withheld, strict=True)]
        elif change == 10 and entries:
            place = self.chance.randrange(len(entries))
            entries[place] = replace(entries[place], version=None, digest=None, scheme=self.chance.choice(("", "rows")))
        return replace(model, entries=tuple(entries), placements=tuple(placements))

    def host(self, placement: Placement) -> Message:
        """The message that carries a placement: one that is there already, or a new one at the input's end."""
        text = placement.text if placement.text is not None else "withheld"
        there = [m for m in self.visible if text and text in m.text]
        if there and self.odd(0.5):
            return self.chance.choice(there)
        role = "tool" if placement.kind is PlacementKind.TOOL_RESULT else "user"
        before, behind = self.chance.choice((("", ""), ("memory: ", ""), ("<m>", "</m>"), ('"', '"')))
        mark = f"{len(self.messages)} " if self.odd(0.7) else ""
        made = self.message(role, mark + before + text + behind)
        self.visible.insert(len(self.visible) if self.odd(0.8) else 0, made)
        return made

    def proven(self, placement: Placement, host: Message) -> Placement:
        """The placement with a proof of its place, or with one that fails."""
        if placement.text is None and self.odd(0.5):
            placement = replace(placement, text_digest=text_digest(host.text))
        places = [n for n, m in enumerate(self.visible) if m.digest == host.digest]
        pointer = f"/messages/{places[-1]}" + self.chance.choice(("", "/content")) if places else None
        good = self.chance.choice(
            (
                Proof(placement.slot, text_digest(host.text), pointer=pointer),
                Proof(placement.slot, text_digest(host.text), pointer=pointer),
                Proof(placement.slot, text_digest(host.text), message=host.digest),
                Proof(placement.slot, text_digest(host.text), pointer=pointer, message=host.digest),
            )
        )
        if not self.odd(self.faults):
            return replace(placement, proofs=(good,))
        other = self.chance.choice(self.visible)
        stray = replace(good, slot="elsewhere", text_digest="wrong")
        return replace(
            placement,
            proofs=self.chance.choice(
                (
                    (),
                    (good, good),
                    (replace(good, text_digest="wrong"),),
                    (replace(good, slot="elsewhere"),),
                    (good, stray),
                    (good, replace(stray, pointer=None, message=other.digest)),
                    (good, replace(good, slot="elsewhere")),
                    (Proof(placement.slot, good.text_digest),),
                    (Proof(placement.slot, good.text_digest, pointer=self.chance.choice(ODD_POINTERS)),),
                    (Proof(placement.slot, good.text_digest, message="nowhere"),),
                    (Proof(placement.slot, text_digest(other.text), pointer=pointer, message=other.digest),),
                    (Proof(placement.slot, text_digest(other.text), message=other.digest),),
                )
            ),
        )

    def deliver(self, call: str | None) -> None:
        made = self.again() if self.deliveries and self.odd(0.65) else self.fresh()
        hosts = [self.host(placement) for placement in made.placements]
        placements = tuple(self.proven(p, h) for p, h in zip(made.placements, hosts, strict=True))
        earlier = [delivery.id for delivery in self.deliveries]
        selected = tuple(self.chance.sample(earlier, 1)) if earlier and self.odd(0.2) else ()
        if self.odd(0.02):
            selected = ("nowhere",)
        name = f"d{len(self.deliveries) + 1}"
        self.deliveries.append(replace(made, id=name, placements=placements, call=call, selected_from=selected))

    def change_the_input(self) -> None:
        """Messages leave the input, come back, change their order or their text."""
        change = self.chance.randrange(8)
        if change == 0 and len(self.visible) > 1:
            kept = self.chance.randint(1, len(self.visible) - 1)
            self.gone, self.visible = self.visible[kept:], self.visible[:kept]
        elif change == 1 and len(self.visible) > 1:
            self.gone = [self.visible.pop(self.chance.randrange(len(self.visible)))]
        elif change == 2:
            self.visible += self.gone
        elif change == 3:
            self.chance.shuffle(self.visible)
        elif change == 4:
            place = self.chance.randrange(len(self.visible))
            was = self.visible[place]
            self.visible[place] = self.message("user", was.text + "!")
        elif change == 5:
            self.visible.append(self.chance.choice(self.visible))

    def step(self, number: int) -> None:
        name = f"call-{number}"
        if number > 1 and self.odd(0.4):
            self.change_the_input()
        start = len(self.deliveries)
        for _ in range(self.chance.choice((0, 1, 1, 1, 2, 2))):
            self.deliver(name)
        if self.odd(0.12):
            self.deliver(self.chance.choice((None, "failed-call")))
        self.settle(start)
        self.inputs.append(tuple(m.digest for m in self.visible))
        call = Call(name, Actor.AGENT, self.inputs[-1], gap=self.odd(self.faults / 3))
        if self.odd(self.faults / 8):
            call = replace(call, input=())
        elif self.odd(self.faults / 8):
            call = replace(call, input=(*call.input, "lost"))
        answer = self.message("assistant", f"did {number}")
        self.steps.append(Step(number, replace(call, response=answer.digest)))
        self.visible.append(answer)

    def settle(self, start: int) -> None:
        """Messages were put in before others of this step: pointers move to where the messages now stand."""
        for place in range(start, len(self.deliveries)):
            delivery = self.deliveries[place]
            placements = (replace(p, proofs=tuple(map(self.moved, p.proofs))) for p in delivery.placements)
            self.deliveries[place] = replace(delivery, placements=tuple(placements))

    def moved(self, proof: Proof) -> Proof:
        places = [n for n, m in enumerate(self.visible) if text_digest(m.text) == proof.text_digest]
        if proof.pointer is None or proof.pointer in ODD_POINTERS or not places or self.odd(self.faults / 10):
            return proof
        named = [n for n in places if proof.message in (None, self.visible[n].digest)]
        ending = "/content" if proof.pointer.endswith("/content") else ""
        return replace(proof, pointer=f"/messages/{self.chance.choice(named or places)}{ending}")


ODD_POINTERS = ("/tools/0", "/messages/01", "/messages/-1", "/messages/99", "", "/messages/0/content/x", "messages/0")


def random_episode(chance: random.Random) -> Episode:
    """An episode of up to six steps."""
    world = World(chance, faults=chance.choice((0.0, 0.0, 0.0, 0.05, 0.3)))
    world.visible = [world.message("system", "Agent."), world.message("user", "Fix it.")]
    for number in range(1, chance.randint(1, 6) + 1):
        world.step(number)
    deliveries = world.deliveries
    if world.odd(0.3):
        chance.shuffle(deliveries)
    episode = Episode(
        id="random",
        steps=tuple(world.steps),
        deliveries=tuple(deliveries),
        messages=world.messages,
        task=chance.choice((None, Task("t", " "))) if world.odd(world.faults / 4) else Task("t", "Fix it."),
        resolved=not world.odd(world.faults / 6),
    )
    episode = with_history(chance, episode, world.inputs) if world.odd(0.3) else episode
    return with_operations(chance, episode) if world.odd(0.3) else episode


def with_operations(chance: random.Random, episode: Episode) -> Episode:
    """The episode with searches that its unbound deliveries came from, some of them asked for by no step."""
    steps = (None, *range(1, len(episode.steps) + 1))
    searches = tuple(Operation(name, OperationKind.SEARCH, step=chance.choice(steps)) for name in ("o1", "o2"))
    named = ((), ("o1",), ("o1", "o2"), ("lost", "o2"))
    deliveries = (d if d.call else replace(d, operations=chance.choice(named)) for d in episode.deliveries)
    return replace(episode, deliveries=tuple(deliveries), operations=searches)
