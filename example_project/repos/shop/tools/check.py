"""Compares settings and built files with settings.lock, which holds checksums instead of values."""

import hashlib
import re
import sys
from pathlib import Path


def found(path: Path, key: str) -> str | None:
    """Return the checksum of a setting, or of a whole file where the key is a dash."""
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    if key == "-":
        return hashlib.sha256(text.encode()).hexdigest()
    line = re.search(rf"""^\s*"?{re.escape(key)}"?\s*[:=]\s*"?([^"\n]*?)"?,?$""", text, re.MULTILINE)
    return hashlib.sha256(f"{path.as_posix()}\n{key}\n{line[1]}".encode()).hexdigest() if line else None


def main() -> int:
    """Say how many entries of the lock file differ; 1 where one does."""
    entries = [line.split() for line in Path("settings.lock").read_text(encoding="utf-8").splitlines()]
    differing = sum(found(Path(name), key) != checksum for checksum, name, key in entries)
    print(f"settings.lock: {differing} of {len(entries)} entries differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
