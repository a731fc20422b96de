"""Names of files: one for any name that a user gives, and none that leads out of its folder."""

import re
from pathlib import Path

from pytest_memuse.model.digests import text_digest
from pytest_memuse.model.errors import FormatError

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_TAKEN = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?|.*\.|.*-[0-9a-f]{12}")
"""Names that Windows gives to devices or cuts, and names that look like those which are made here."""


def safe_name(name: str) -> str:
    """Return a file name for any name: itself where it is short and plain, else a readable part and its digest.

    Two names never share a file, on file systems that ignore case neither.
    """
    if _SAFE.fullmatch(name) and name == name.lower() and not _TAKEN.fullmatch(name):
        return name
    readable = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:40] or "name"
    return f"{readable}-{text_digest(name)[:12]}"


def inside(folder: Path, path: Path) -> Path:
    """Return ``path`` where its folder is ``folder`` or one below it, links followed.

    Raises `FormatError` where a link leads out of it. ``folder`` itself may be a link: its owner made it.
    """
    try:
        stays = path.parent.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        # A loop of links leads nowhere, and a NUL is part of no name.
        stays = False
    if not stays:
        raise FormatError(
            f"a symbolic link on the way leads out of {folder}",
            source=str(path),
            reason="outside",
            mend="put a plain folder in the link's place",
        )
    return path
