"""Random small episodes that reach the branches of this room: few texts, items and messages, so that they collide."""

from typing import Any

from hypothesis import strategies as st

TEXTS = ("drain the node", "drain the node then wait", "drain the no", "use ISO dates", "x")
VALUES = (*TEXTS, "drain the node then wait for it", None)
ITEMS = ("A", "B", "C", None)

_entries = st.fixed_dictionaries(
    {
        "item": st.sampled_from(ITEMS),
        "version": st.sampled_from([1, 2, None]),
        "value": st.sampled_from(VALUES),
        "key": st.sampled_from([None, "mem-1", "x"]),
    }
)


@st.composite
def cases(draw: st.DrawFn, min_deliveries: int = 0) -> dict[str, Any]:
    """Draw an episode in the worked cases' form, with good and bad proofs, gaps and unread deliveries."""
    names = [f"{kind}{number}" for number in range(4) for kind in "mt"]
    bodies = {name: draw(st.sampled_from(TEXTS)) for name in names}
    marks = {name: draw(st.sampled_from(["", "mem-1: "])) for name in names}
    messages = {
        name: {"role": "tool" if name[0] == "t" else "user", "text": f"{name}: {marks[name]}{bodies[name]}"}
        for name in names
    }
    sees = draw(st.lists(st.lists(st.sampled_from(names), min_size=1, max_size=6), min_size=1, max_size=6))
    steps: list[dict[str, Any]] = [{"sees": seen, "gap": draw(st.integers(0, 9)) == 0} for seen in sees]
    deliveries = []
    for number in range(draw(st.integers(min_deliveries, 7))):
        step = draw(st.one_of(st.none(), st.integers(1, len(steps)), st.integers(1, len(steps))))
        visible = names if step is None else steps[step - 1]["sees"]
        hosts = draw(st.lists(st.sampled_from(visible), min_size=1, max_size=2))
        deliveries.append(
            {
                "id": f"d{number}",
                "step": step,
                "entries": draw(st.lists(_entries, max_size=2)),
                "placements": [
                    {
                        "slot": f"slot{place}",
                        "message": host,
                        "kind": "tool_result" if host[0] == "t" else "message",
                        "text": marks[host] + bodies[host],
                        "proof": "missing" if draw(st.integers(0, 19)) == 0 else "ok",
                    }
                    for place, host in enumerate(hosts)
                ],
                "selected_from": draw(st.lists(st.sampled_from([f"d{n}" for n in range(7)]), max_size=1)),
            }
        )
    return {"case": "random", "messages": messages, "steps": steps, "deliveries": deliveries}
