"""A command of any language, recorded as one episode or run from its recording."""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_memuse import __version__
from pytest_memuse.cli.progress import CallCounter
from pytest_memuse.model.digests import json_digest
from pytest_memuse.model.errors import MemuseError
from pytest_memuse.recording.files import load_recording, save_recording
from pytest_memuse.recording.recording import EpisodeStart, OutcomeNote
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.session import ArcRecorder

if TYPE_CHECKING:
    from pytest_memuse.recording.passthrough import PassThrough

SUITE = "recorded"
"""The suite that such recordings are of."""

_EPISODE = "episode"
_LEAVE_SECONDS = 10.0
_INTERRUPTED = 130


def record(options: argparse.Namespace) -> int:
    """Run a command with the addresses of its model set to a local endpoint, and write what passed.

    Returns the command's exit code, 130 after Ctrl-C, when what was whole by then is written all the same.
    """
    through_of = _pass_through()
    command = _words(options)
    upstreams: str | Mapping[str, str] = options.upstream
    if options.upstream_anthropic:
        upstreams = {"openai": options.upstream, "anthropic": options.upstream_anthropic}
    recorder, counter = ArcRecorder(Redaction.from_environment(os.environ)), _counter()
    recorder.meter = counter
    task = {"id": _EPISODE, "text": options.task, "digest": json_digest(options.task), "references": []}
    recorder.start_episode(EpisodeStart(_EPISODE, 0, "", task if options.task else {}))
    with through_of(upstreams, recorder) as through:
        code = _run(command, through)
        through.settle()
    recorder.end_episode(OutcomeNote(None, f"the command exited with {code}"))
    if not counter.calls:
        raise MemuseError(
            f"no model call came from the command, which exited with {code}; nothing was written",
            reason="no-calls",
            mend="make it send its requests to $OPENAI_BASE_URL or $ANTHROPIC_BASE_URL, which are set for it",
        )
    made_with = {
        "product": __version__,
        "recorded": datetime.now(UTC).date().isoformat(),
        "agent": {"name": Path(command[0]).name},
        "upstreams": dict(through.upstreams),
    }
    arc = options.out.name.removesuffix(".jsonl")
    save_recording(options.out, recorder.recording(SUITE, arc, made_with))
    counter.say(f"{options.out}: {counter.told()}")
    return code


def replay(options: argparse.Namespace) -> int:
    """Run a command as `record` does, its calls answered from a recording; nothing reaches the network.

    Returns the command's exit code, or 1 where it asked what the recording does not hold.
    """
    through_of = _pass_through()
    command = _words(options)
    recording = load_recording(options.recording)
    recorder, counter = ArcRecorder(Redaction.from_environment(os.environ)), _counter()
    recorder.meter = counter
    with through_of.playing(recording, recorder) as through:
        code = _run(command, through)
        through.settle()
    for miss in through.misses:
        counter.say(f"not in the recording: {miss.method} {miss.uri}: {miss.nearest}")
    counter.say(f"{options.recording}: {counter.told()}; {len(through.misses)} requests were not in it")
    return 1 if through.misses else code


def _words(options: argparse.Namespace) -> list[str]:
    command = list(options.command)
    if command[:1] == ["--"]:
        del command[0]
    if not command:
        raise MemuseError("no command is given", reason="command", mend="put it last: `... -- node agent.mjs`")
    return command


def _pass_through() -> "type[PassThrough]":
    try:
        from pytest_memuse.recording.passthrough import PassThrough
    except ModuleNotFoundError as error:
        raise MemuseError(
            f"{error.name} is missing, which a local endpoint needs",
            reason="missing-extra",
            mend='pip install "pytest-memuse[recorder]"',
        ) from None
    return PassThrough


def _counter() -> CallCounter:
    return CallCounter(sys.stderr, time.monotonic, terminal=sys.stderr.isatty())


def _run(command: Sequence[str], through: "PassThrough") -> int:
    """Run the command to its end and return its exit code. Ctrl-C is the command's too, and it is waited for."""
    # It serves no memory, so there is nothing to ask at the memory's address.
    pointed = {name: value for name, value in through.environment(os.environ).items() if name != "MEMUSE_URL"}
    try:
        running = subprocess.Popen(command, env={**os.environ, **pointed})
    except OSError as error:
        raise MemuseError(
            f"{command[0]!r} cannot be run: {error.strerror}", reason="command", mend="check the words after `--`"
        ) from None
    try:
        code = running.wait()
    except KeyboardInterrupt:
        try:
            # The terminal has sent the interrupt to the command as well.
            running.wait(_LEAVE_SECONDS)
        except (KeyboardInterrupt, subprocess.TimeoutExpired):
            running.kill()
            running.wait()
        return _INTERRUPTED
    return 128 - code if code < 0 else code
