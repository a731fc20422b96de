"""The folder of baselines; with `saved_runs` the part of the gate that touches files.

A baseline is known by a name in the folder, by the path of a ``.json`` file, or by ``git:REF`` or ``git:REF:NAME``: the
baseline ``main``, or that of the name or path, as it stands at a commit.
"""

from contextlib import suppress
from pathlib import Path

from pytest_memuse.gate import errors
from pytest_memuse.gate.baseline import Baseline, baseline_text, parse_baseline
from pytest_memuse.model.errors import FormatError
from pytest_memuse.storage import inside, read_plain, write_whole
from pytest_memuse.storage.git import Repository

LARGEST = 64 * 1024 * 1024
"""Bytes of the largest file that is read or written."""

AT_COMMIT = "git:"
"""Begins the name of a baseline as it stands at a commit."""

DEFAULT = "main"
"""The baseline that ``git:REF`` reads."""

_SUFFIX = ".json"
_ELSEWHERE = b"version https://git-lfs.github.com/spec/"
_LISTED = 1_000


def baseline_path(folder: Path, name: str) -> Path:
    """Return the file of a baseline. A ``name`` that ends in ``.json`` is a path; any other names a file of ``folder``.

    Such a name may hold ``/`` for a folder within the folder; nothing that it says, no link included, leads outside.
    """
    if not name or not name.isprintable():
        raise errors.bad_name(name, "it is empty" if not name else "it holds a character that cannot be printed")
    if name.endswith(_SUFFIX):
        return Path(name)
    parts = name.split("/")
    if "\\" in name or ":" in name or any(part in {"", ".", ".."} or part != part.strip() for part in parts):
        raise errors.bad_name(name, "a name stays inside the baseline folder and is not a path")
    path = folder.joinpath(*parts[:-1], parts[-1] + _SUFFIX)
    try:
        return inside(folder, path)
    except FormatError:
        raise errors.bad_name(name, "it leads outside the baseline folder") from None


def known_baselines(folder: Path) -> tuple[str, ...]:
    """Return the names stored in a folder, sorted; at most a thousand."""
    names: list[str] = []
    with suppress(OSError):
        for path in folder.rglob("*" + _SUFFIX):
            names.append(path.relative_to(folder).as_posix().removesuffix(_SUFFIX))
            if len(names) == _LISTED:
                break
    return tuple(sorted(names))


def stored_name(name: str) -> str:
    """Return the name or path under which a baseline can be written: of one at a commit, that of its file."""
    if not name.startswith(AT_COMMIT):
        return name
    return name.removeprefix(AT_COMMIT).partition(":")[2] or DEFAULT


def read_baseline(folder: Path, name: str) -> Baseline:
    """Return the stored baseline of a name or path, or as it stands at a commit."""
    if name.startswith(AT_COMMIT):
        return _read_at(folder, name)
    path = baseline_path(folder, name)
    try:
        return _read(path, str(path))
    except FileNotFoundError:
        raise errors.no_baseline(name, str(path), known_baselines(folder)) from None


def content_at(repository: Repository, commit: str, path: Path) -> str | None:
    """Return the text of a baseline's file as it stands at a commit, None where it is not there."""
    content = repository.content(commit, path, LARGEST)
    if content is None:
        return None
    source = f"{path} at {commit[:10]}"
    if content.startswith(_ELSEWHERE):
        raise errors.kept_elsewhere(source)
    return _decoded(content, source)


def parse_committed(text: str, source: str) -> Baseline:
    """Return the baseline of a text from the repository's history."""
    try:
        return parse_baseline(text, source)
    except errors.BaselineError as error:
        if error.reason == "format-newer":
            raise
        raise errors.as_committed(error) from None


def write_baseline(folder: Path, name: str, baseline: Baseline, *, for_review: bool = True) -> Path:
    """Store a baseline whole or not at all, and return its file.

    The text goes to a new file beside the old one, reaches the disk, is read back, and only then takes the old one's
    name. What is not ``for_review`` is written on a single line and is not read back: a large run in a tenth of the
    time.
    """
    if name.startswith(AT_COMMIT):
        raise errors.bad_name(name, "what stands at a commit is not written")
    path = baseline_path(folder, name)
    try:
        text = baseline_text(baseline, a_value_a_line=for_review)
        lines = (line.encode("ascii") for line in text.splitlines(keepends=True))
        write_whole(path, lines, (lambda part: _read(part, str(path))) if for_review else None)
    except OSError as error:
        raise errors.not_written(str(path), error.strerror or str(error)) from error
    except FormatError as error:
        raise errors.not_written(str(path), f"it could not be read again ({error.problem})") from error
    return path


def _read(path: Path, source: str) -> Baseline:
    try:
        content = read_plain(path, LARGEST)
    except FormatError as error:
        raise errors.refused(error, source) from None
    return parse_baseline(_decoded(content, source), source)


def _read_at(folder: Path, name: str) -> Baseline:
    reference = name.removeprefix(AT_COMMIT).partition(":")[0]
    path = baseline_path(folder, stored_name(name))
    repository = Repository.around(path.parent)
    commit = repository.commit(reference)
    text = content_at(repository, commit, path)
    if text is None:
        known = [file.removesuffix(_SUFFIX) for file in repository.files(commit, folder) if file.endswith(_SUFFIX)]
        raise errors.not_at_commit(stored_name(name), str(path), f"{reference} ({commit[:10]})", sorted(known))
    return parse_committed(text, f"{path} at {commit[:10]}")


def _decoded(content: bytes, source: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise errors.damaged(source, "not UTF-8 text", line=line) from error
