"""Real git repositories for tests, touched by nobody's configuration."""

import os
import subprocess
from pathlib import Path

_IDENTITY = ("-c", "user.name=tester", "-c", "user.email=tester@example.invalid", "-c", "commit.gpgsign=false")
_ENVIRONMENT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ.get("PATH", "")}


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder and return what it says."""
    done = subprocess.run(
        ["git", *_IDENTITY, *arguments],
        cwd=folder,
        env=_ENVIRONMENT,
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    return done.stdout


def commit(folder: Path, message: str) -> str:
    """Commit everything in a folder, and return the commit."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
    return git(folder, "rev-parse", "HEAD").strip()
