"""`memuse record` and `memuse replay`: what they are called with; what they do is imported when they are run."""

import argparse
from pathlib import Path


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the two commands."""
    recording = commands.add_parser(
        "record",
        help="run a command and record its model calls as one episode",
        description="Run a command with OPENAI_BASE_URL, OPENAI_API_BASE and ANTHROPIC_BASE_URL set to a local "
        "endpoint that passes everything on to the API, and write what passed as a recording. The exit code is the "
        "command's. Ctrl-C ends the command; what was whole by then is written.",
    )
    recording.add_argument(
        "--upstream", required=True, metavar="URL", help="the API to pass calls on to: https://api.openai.com/v1"
    )
    recording.add_argument(
        "--upstream-anthropic", metavar="URL", help="another one for Anthropic's clients: https://api.anthropic.com"
    )
    recording.add_argument("--out", required=True, type=Path, metavar="FILE.jsonl", help="the recording to write")
    recording.add_argument("--task", default="", metavar="TEXT", help="what the command is to do, for reports")
    recording.set_defaults(run=_record)
    replaying = commands.add_parser(
        "replay",
        help="run a command with its model calls answered from a recording",
        description="Run a command as `memuse record` does, its calls answered from a recording; nothing reaches the "
        "network. The exit code is the command's, or 1 where it asked what the recording does not hold.",
    )
    replaying.add_argument("recording", type=Path, metavar="FILE.jsonl", help="a recording")
    replaying.set_defaults(run=_replay)
    for parser in (recording, replaying):
        parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND ...", help="what is to be run")


def _record(options: argparse.Namespace) -> int:
    from pytest_memuse.cli.recorded_runs import record

    return record(options)


def _replay(options: argparse.Namespace) -> int:
    from pytest_memuse.cli.recorded_runs import replay

    return replay(options)
