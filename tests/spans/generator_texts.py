"""What random memory says, and how memory systems and tools write it. Part of `tests.spans.generator`."""

import json
import random

VALUES = (
    "drain the node",
    "drain the node then wait",
    "drain the node then wait for it",
    "drain the",
    'say "hi"\nthen stop',
    'say "hi"\nthen stop now',
    "def f():\n    return 1\n\n    # end",
    "if a < b && c: stop",
    "a\tb C:\\dir\\new",
    "call snake_case first",
    "it's  a  wide value",
    "x",
    "",
    None,
)
KEYS = ("m-1", "m-12", "m-1-b", "mem 2", "x", "drain")
SEPARATORS = ("\t", ":", "|", "→", ": ", " | ")


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace("\t", "&#9;")


def numbered(chance: random.Random, text: str) -> str:
    """A numbered view, at times one whose numbers skip or whose separator changes."""
    separator, number, lines = chance.choice(SEPARATORS), chance.randint(1, 12), []
    for line in text.split("\n"):
        lines.append(f"{number:>3}{separator}{line}")
        number += 1 if chance.random() < 0.95 else 2
        separator = separator if chance.random() < 0.95 else chance.choice(SEPARATORS)
    return "\n".join(lines)


def written(chance: random.Random, value: str) -> str:
    """The value as some memory system or tool writes it: once more in JSON, numbered, escaped, reflowed or cut."""
    text = value
    for _ in range(chance.choice((0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 5))):
        form = chance.randrange(12)
        if form < 3:
            text = json.dumps({"memory": text} if chance.random() < 0.3 else text)
        elif form < 5:
            text = numbered(chance, text)
        elif form < 7:
            text = f"<note id='1'>{escaped(text)}</note>" if chance.random() < 0.8 else escaped(text)
        elif form == 7:
            text = text.replace(" ", chance.choice(("  ", "\n  ", "\t")))
        elif form == 8:
            text = text.replace("_", "\\_").replace("#", "\\#").replace(".", "\\.")
        elif form == 9:
            text = text[: chance.randint(4, max(5, len(text)))] + "…"
        elif form == 10:
            text = f'saw "{text}" and a 5" pipe'
        else:
            text = chance.choice(("put differently", "&#xD800; &bogus; &#0;", '"\\x"', "1\n2", text.upper()))
    return text if len(text) < 160 else text[:160]
