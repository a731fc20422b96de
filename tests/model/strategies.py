"""Hypothesis strategies for event logs."""

from hypothesis import strategies as st

from pytest_memuse.model import (
    Actor,
    Call,
    Delivery,
    Entry,
    Episode,
    HistoryChange,
    HistoryKind,
    Message,
    Operation,
    OperationKind,
    Outcome,
    Placement,
    PlacementKind,
    Proof,
    ReferenceFact,
    Route,
    Step,
    Task,
    ToolCall,
    ToolResult,
    Usage,
)
from pytest_memuse.model.log import EventLog

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = st.text("abcdefgh-/0123", max_size=6)
counts = st.none() | st.integers(0, 10**9)
messages = st.builds(
    Message,
    role=st.sampled_from(["system", "user", "assistant", "tool"]),
    text=texts,
    tool_calls=st.lists(st.builds(ToolCall, id=names, name=names, arguments=texts), max_size=2).map(tuple),
    tool_call_id=st.none() | names,
)
entries = st.builds(
    Entry,
    item=st.none() | names,
    value=st.none() | texts,
    namespace=names,
    scheme=names,
    version=st.none() | names,
    digest=st.none() | names,
    key=st.none() | names,
    local_version=st.none() | names,
)
placements = st.builds(
    Placement,
    slot=names,
    text=st.none() | texts,
    kind=st.sampled_from(PlacementKind),
    proofs=st.lists(
        st.builds(Proof, slot=names, text_digest=names, pointer=st.none() | names, message=st.none() | names),
        max_size=2,
    ).map(tuple),
    text_digest=st.none() | names,
    characters=counts,
)
deliveries = st.builds(
    Delivery,
    id=names,
    entries=st.lists(entries, max_size=2).map(tuple),
    placements=st.lists(placements, max_size=2).map(tuple),
    call=st.none() | names,
    route=st.sampled_from(Route),
    form=names,
    selected_from=st.lists(names, max_size=2).map(tuple),
    operations=st.lists(names, max_size=2).map(tuple),
)
operations = st.builds(
    Operation,
    id=names,
    kind=st.sampled_from(OperationKind),
    namespace=names,
    item=st.none() | names,
    value=st.none() | texts,
    query=st.none() | texts,
    results=st.lists(names, max_size=2).map(tuple),
    calls=st.lists(names, max_size=2).map(tuple),
    step=st.none() | st.integers(1, 9),
)
tasks = st.builds(
    Task,
    id=names,
    text=texts,
    references=st.lists(
        st.builds(ReferenceFact, subject=texts, value=texts, superseded=st.lists(texts, max_size=2).map(tuple)),
        max_size=2,
    ).map(tuple),
    digest=names,
)
usages = st.builds(Usage, input=counts, output=counts, cached=counts, reasoning=counts)


@st.composite
def episodes(draw: st.DrawFn, identifier: str = "episode") -> Episode:
    """An episode whose calls, results and messages hang together, as a log can hold it."""
    known = {m.digest: m for m in draw(st.lists(messages, min_size=1, max_size=4))}
    digests = st.sampled_from(sorted(known))

    def call(number: int, actor: Actor, completed: bool) -> Call:
        return Call(
            id=f"call-{number}",
            actor=actor,
            input=tuple(draw(st.lists(digests, max_size=3))),
            response=draw(st.none() | digests),
            completed=completed,
            gap=draw(st.booleans()),
            model=draw(names),
            usage=draw(usages),
            cost=draw(st.none() | st.floats(0, 10)),
        )

    steps = []
    for number in range(1, draw(st.integers(0, 3)) + 1):
        made = call(number, Actor.AGENT, completed=True)
        results = draw(st.lists(st.builds(ToolResult, names, digests, st.none() | st.booleans()), max_size=2))
        steps.append(Step(number, made, tuple(results)))
    memory_calls = tuple(call(10 + n, Actor.MEMORY, draw(st.booleans())) for n in range(draw(st.integers(0, 2))))
    failed_calls = tuple(call(20 + n, Actor.AGENT, completed=False) for n in range(draw(st.integers(0, 1))))
    named = {d for c in (*memory_calls, *failed_calls, *(s.call for s in steps)) for d in (*c.input, c.response) if d}
    named |= {r.message for s in steps for r in s.results}
    return Episode(
        id=identifier,
        steps=tuple(steps),
        deliveries=tuple(draw(st.lists(deliveries, max_size=2))),
        messages={d: known[d] for d in known if d in named},
        task=draw(st.none() | tasks),
        arc=draw(names),
        suite="suite",
        scope=draw(names),
        position=draw(st.integers(0, 5)),
        operations=tuple(draw(st.lists(operations, max_size=2))),
        memory_calls=memory_calls,
        failed_calls=failed_calls,
        history=tuple(
            draw(
                st.lists(
                    st.builds(
                        HistoryChange,
                        kind=st.sampled_from(HistoryKind),
                        before=names,
                        kept=st.integers(0, 9),
                        removed=st.lists(names, max_size=2).map(tuple),
                        messages=st.lists(names, max_size=2).map(tuple),
                    ),
                    max_size=2,
                )
            )
        ),
        outcome=draw(st.none() | st.builds(Outcome, st.none() | st.booleans(), texts)),
        resolved=draw(st.booleans()),
    )


@st.composite
def logs(draw: st.DrawFn) -> EventLog:
    """A log of up to three episodes."""
    count = draw(st.integers(0, 3))
    outside = tuple(draw(st.lists(deliveries, max_size=1)))
    made = tuple(draw(episodes(identifier=f"episode-{n}")) for n in range(count))
    return EventLog(made, "suite", draw(names), outside)
