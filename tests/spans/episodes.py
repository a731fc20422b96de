"""Short episodes for the tests of this room, in the worked cases' form."""

from typing import Any

from pytest_memuse.model import Episode
from pytest_memuse.spans import Span, build_spans
from tests.cases.episodes import episode_from_case


def delivery(name: str, step: int | None, message: str, text: str, *, item: str = "A", **more: Any) -> dict[str, Any]:
    """Return a delivery of one entry that is its placement's whole text; ``entry`` and ``place`` change either."""
    entry = {"item": item, "version": 1, "value": text, **more.pop("entry", {})}
    place = {"slot": "host", "message": message, "text": text, **more.pop("place", {})}
    return {"id": name, "step": step, "entries": [entry], "placements": [place], **more}


def episode(sees: list[list[str]], texts: dict[str, str], *deliveries: dict[str, Any], **more: Any) -> Episode:
    """Return an episode whose messages are user messages, except those named ``t…``, which are tool results."""
    messages = {key: {"role": "tool" if key[0] == "t" else "user", "text": text} for key, text in texts.items()}
    steps = [{"sees": names} for names in sees]
    for number in more.pop("gaps", ()):
        steps[number - 1]["gap"] = True
    return episode_from_case(
        {"case": "test", "messages": messages, "steps": steps, "deliveries": list(deliveries), **more}
    )


def windows(spans: tuple[Span, ...]) -> list[list[tuple[int, int] | None]]:
    return [[None if e.window is None else (e.window.first, e.window.last) for e in span.entries] for span in spans]


def grouped(spans: tuple[Span, ...]) -> list[list[str]]:
    return [[d.id for d in span.deliveries] for span in spans]


def built(sees: list[list[str]], texts: dict[str, str], *deliveries: dict[str, Any], **more: Any) -> tuple[Span, ...]:
    return build_spans(episode(sees, texts, *deliveries, **more))
