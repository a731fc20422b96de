"""How memories are written into a model input: the frame, one line an entry, and where each entry stands."""

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_memuse.recording.rendered import Rendered, RenderedEntry

RECALL_HEADING = (
    "# Memories from earlier work on this project\n"
    "They were true when they were written and may be out of date. What you see yourself counts for more.\n\n"
)


@dataclass(frozen=True, slots=True)
class Memory:
    """One stored memory as the adapter read it: the system's identifier, the text, and whose it is."""

    item: str
    text: str
    namespace: str = ""


def one_line(text: str) -> str:
    """Return the text as one line, so that an entry cannot look like two, or like the end of its frame."""
    return " ".join(text.split())


def recall_text(memories: Sequence[Memory], *, query: str, limit: int) -> Rendered:
    """Render the memories in the order given, in at most ``limit`` characters, the frame included.

    The entry that crosses the limit is cut and keeps its whole text in ``value``; those after it are left out. Without
    memories, and where the limit leaves no room for a character of the first one, the text is empty.
    """
    return _rendered(RECALL_HEADING, [("- ", None, m) for m in memories], query=query, limit=limit)


def search_text(memories: Sequence[Memory], *, query: str, limit: int) -> Rendered:
    """Render a search's results with the identifiers that the tool's other actions take."""
    if not memories:
        return Rendered(text="No memories found.", query=query)
    noun = "memory" if len(memories) == 1 else "memories"
    return _rendered(
        f"{len(memories)} {noun} found:\n", [(f"[{m.item}] ", m.item, m) for m in memories], query=query, limit=limit
    )


def _rendered(heading: str, lines: Sequence[tuple[str, str | None, Memory]], *, query: str, limit: int) -> Rendered:
    text = heading
    entries: list[RenderedEntry] = []
    for number, (mark, key, memory) in enumerate(lines):
        start = len(text) + (1 if number else 0) + len(mark)
        if start >= limit:
            break
        shown = one_line(memory.text)[: limit - start]
        text += ("\n" if number else "") + mark + shown
        entries.append(
            RenderedEntry(
                item=memory.item,
                value=one_line(memory.text),
                start=start,
                end=start + len(shown),
                key=key,
                namespace=memory.namespace,
            )
        )
    return Rendered(text=text if entries else "", entries=tuple(entries), query=query)
