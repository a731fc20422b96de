"""The shell commands of the scripted model: reading, editing, taking an edit back, searching."""

import re
import shlex
from dataclasses import dataclass

from pytest_memuse.agents.scripted.language import setting_in

MOST_LINES = 40


@dataclass(frozen=True, slots=True)
class Edit:
    """A command that changes a file, and the one that takes the change back."""

    do: str
    undo: str


def read(path: str) -> str:
    """Show a file."""
    return f"cat {shlex.quote(path)}"


def set_value(path: str, key: str, value: str, shown: str | None) -> Edit:
    """Give a setting its value. ``shown`` is the file's content as it was seen, None where there is no such file."""
    file = shlex.quote(path)
    for line in (shown or "").splitlines():
        setting = setting_in(line)
        if setting is not None and setting.key == key:
            return _swap(path, line, line[: setting.start] + value + line[setting.end :])
    addition = f"printf '%s\\n' {shlex.quote(f'{key} = {value}')}"
    if shown is None:
        return Edit(f'mkdir -p "$(dirname {file})" && {addition} > {file}', f"rm -f {file}")
    return Edit(f"{addition} >> {file}", _sed("$d", path))


def replace(path: str, old: str, new: str) -> Edit:
    """Replace a text wherever it stands in a file."""
    return _swap(path, old, new)


def find(text: str) -> str:
    """Search the repository for a text, with file names and line numbers."""
    return f"grep -rnIF --exclude-dir=.git -e {shlex.quote(text)} . | sort | head -n {MOST_LINES}"


def found_lines(output: str) -> list[tuple[str, str]]:
    """Return path and text of each line that `find` printed."""
    matches = (re.fullmatch(r"(?:\./)?([^:\n]{1,400}):\d{1,9}:(.*)", line) for line in output.splitlines())
    return [(m[1], m[2]) for m in matches if m]


def _swap(path: str, old: str, new: str) -> Edit:
    return Edit(_substitution(path, old, new), _substitution(path, new, old))


def _substitution(path: str, old: str, new: str) -> str:
    # A dot stays as it is, as people write it: it matches itself too, and the line around it tells the place.
    pattern = re.sub(r"([\\*\[\]^$|])", r"\\\1", old)
    replacement = re.sub(r"([\\&|])", r"\\\1", new)
    return _sed(f"s|{pattern}|{replacement}|g", path)


def _sed(script: str, path: str) -> str:
    # With a suffix, which is the only spelling that every sed takes.
    return f"sed -i.orig {shlex.quote(script)} {shlex.quote(path)} && rm {shlex.quote(path + '.orig')}"
