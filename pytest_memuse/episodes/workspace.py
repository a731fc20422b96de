"""The agent's workspace: a temporary copy of the task's files, gone after the episode."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_memuse.episodes.specs import EpisodeSpec
from pytest_memuse.model import FormatError


@contextmanager
def workspace(spec: EpisodeSpec, base: Path) -> Iterator[Path]:
    """Yield a fresh folder that holds the episode's files; ``base`` is where relative paths start from.

    Symbolic links are copied as links. Raises `FormatError` where the folder named by ``files`` is missing.
    """
    with tempfile.TemporaryDirectory(prefix="memuse-", ignore_cleanup_errors=True) as made:
        folder = Path(made) / "workspace"
        if spec.files is None:
            folder.mkdir()
        else:
            source = base / spec.files
            if not source.is_dir():
                raise FormatError(
                    f"episode {spec.id!r}: `files` names a folder that does not exist: {spec.files}",
                    source=str(base),
                    reason="missing",
                )
            shutil.copytree(source, folder, symlinks=True)
        for name, text in spec.write.items():
            target = folder / name
            # Before anything is made: a link among the files may lead anywhere.
            if not target.resolve().is_relative_to(folder.resolve()):
                raise FormatError(f"episode {spec.id!r}: {name!r} leads out of the workspace", source=str(base))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        yield folder
