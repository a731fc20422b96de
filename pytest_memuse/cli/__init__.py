"""The `memuse` command: a thin second face beside the pytest plugin."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from pytest_memuse import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 0 done, 2 wrong usage or a file that cannot be read."""
    from pytest_memuse.model.errors import MemuseError

    options = _parser().parse_args(arguments)
    try:
        lines = options.run(options)
    except MemuseError as error:
        print(f"memuse: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"memuse: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    try:
        for line in lines:
            print(line)
    except BrokenPipeError:
        # The reader (a pager, `head`) has seen enough.
        sys.stderr.close()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="memuse",
        description="Look at recorded episodes of an agent with a memory. The gate is in pytest: see `pytest --help`.",
    )
    parser.add_argument("--version", action="version", version=f"memuse {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    show = commands.add_parser(
        "show", help="show episodes: steps, deliveries, spans, credit windows, verdicts", description=_show.__doc__
    )
    show.add_argument("log", type=Path, metavar="LOG", help="an event log, or the recording of an arc")
    show.add_argument("--episode", help="show this episode only (its id, or the end of it)")
    show.add_argument("--json", action="store_true", help="print rows as JSON, for programs")
    show.set_defaults(run=_show)
    profile = commands.add_parser(
        "profile", help="compute the profile of logs and recordings", description=_profile.__doc__
    )
    profile.add_argument("logs", type=Path, nargs="+", metavar="LOG", help="event logs or recordings, one suite in all")
    profile.add_argument("--all", action="store_true", help="show every figure that a profile holds")
    profile.set_defaults(run=_profile)
    log = commands.add_parser(
        "log", help="print the event log that is derived from a recording", description=_log.__doc__
    )
    log.add_argument("log", type=Path, metavar="RECORDING", help="the recording of an arc")
    log.set_defaults(run=_log)
    return parser


def _show(options: argparse.Namespace) -> list[str]:
    """Show the episodes of an event log or a recording as a person wants to read them."""
    from pytest_memuse.cli.reading import judged, read_any
    from pytest_memuse.model.errors import MemuseError, nearest
    from pytest_memuse.profiles.rows import Run
    from pytest_memuse.profiles.serialise import run_to_dict
    from pytest_memuse.reports.episode import episode_lines

    log = read_any(options.log)
    found = judged(log.episodes)
    if options.episode is not None:
        names = [row.id for row, _, _ in found]
        found = [one for one in found if one[0].id == options.episode or one[0].id.endswith(f"/{options.episode}")]
        if not found:
            raise MemuseError(
                f"{options.log} holds no episode {options.episode!r}{nearest(options.episode, names)}",
                reason="no-episode",
                mend=f"it holds {', '.join(names)}",
            )
    if options.json:
        run = Run(log.suite, tuple(row for row, _, _ in found))
        return [json.dumps(run_to_dict(run), indent=1, sort_keys=True)]
    return [line for row, episode, spans in found for line in (*episode_lines(episode, spans, row), "")]


def _profile(options: argparse.Namespace) -> list[str]:
    """Judge the episodes of logs and recordings with the tracer and print their profile."""
    from pytest_memuse.cli.reading import judged, read_any, tracer_identity
    from pytest_memuse.profiles.profile import Profile
    from pytest_memuse.profiles.rows import Run
    from pytest_memuse.reports.profile import profile_lines

    logs = [read_any(path) for path in options.logs]
    rows = tuple(row for log in logs for row, _, _ in judged(log.episodes))
    identity = {
        "recorded_against": ", ".join(dict.fromkeys(log.recorded_against for log in logs if log.recorded_against)),
        "judge": tracer_identity(),
    }
    return profile_lines(Profile.of(Run(logs[0].suite, rows)), identity, everything=options.all)


def _log(options: argparse.Namespace) -> list[str]:
    """Print the event log of a recording, one JSON object a line."""
    from pytest_memuse.cli.reading import read_any
    from pytest_memuse.model.log import write_log

    return [line.rstrip("\n") for line in write_log(read_any(options.log))]
