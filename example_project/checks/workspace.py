"""What the outcome tests read; they run in the workspace that an episode left behind."""

import re
from pathlib import Path


def content(path: str) -> str:
    """Return a file's text, empty where there is no such file."""
    file = Path(path)
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def setting(path: str, key: str) -> str | None:
    """Return the value of a line like ``key = value``, None where there is none."""
    match = re.search(rf"""^\s*"?{re.escape(key)}"?\s*[:=]\s*"?([^"\n]*?)"?,?$""", content(path), re.MULTILINE)
    return match[1] if match else None
