"""The `memuse` command: a thin second face beside the pytest plugin."""

import argparse
import io
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from pytest_memuse import __version__
from pytest_memuse.cli.agree import add_agree
from pytest_memuse.cli.annotate import add_annotate
from pytest_memuse.cli.diff import add_diff
from pytest_memuse.cli.judge_options import judging_options
from pytest_memuse.cli.judgments import add_judgments
from pytest_memuse.cli.merit import add_merit
from pytest_memuse.cli.record import add_commands
from pytest_memuse.cli.runs import add_runs
from pytest_memuse.cli.schema import add_schema

_COMMAND = re.compile(r"#{2}(?=\w*\[)")
"""What CI systems obey in a log wherever it stands in a line: ``##[error]``, ``##vso[``, ``##teamcity[``."""


_INTERRUPTED = 130
"""What a shell returns for a command that Ctrl-C ended."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 0 done, 2 wrong usage or a file that cannot be read.

    `memuse record` and `memuse replay` return that of the command that they run, and `memuse diff --exit-code` 1 where
    anything changed. It is 130 where Ctrl-C ended a command.
    """
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
    except KeyboardInterrupt:
        # What there is to say of it was said where it happened.
        return _INTERRUPTED
    if isinstance(lines, int):
        return lines
    code, lines = lines if isinstance(lines, tuple) else (0, lines)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Text of memory may hold what the terminal's encoding, or any, does not.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        for line in lines:
            # Text for people holds no such thing any more. A line of JSON may, and reads back the same.
            print(_COMMAND.sub(r"#\\u0023", line))
    except BrokenPipeError:
        # The reader (a pager, `head`) has seen enough.
        sys.stderr.close()
    return int(code)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="memuse",
        description="Look at recorded episodes of an agent with a memory. The gate is in pytest: see `pytest --help`.",
    )
    parser.add_argument("--version", action="version", version=f"memuse {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    show = commands.add_parser(
        "show",
        help="show episodes: steps, deliveries, spans, credit windows, verdicts",
        description=_show.__doc__,
        parents=[judging_options()],
    )
    show.add_argument("log", type=Path, metavar="LOG", help="an event log, or the recording of an arc")
    show.add_argument("--episode", help="show this episode only (its id, or the end of it)")
    show.add_argument("--json", action="store_true", help="print rows as JSON, for programs")
    show.set_defaults(run=_show)
    profile = commands.add_parser(
        "profile",
        help="compute the profile of logs and recordings",
        description="Judge the episodes of logs and recordings, with the tracer unless told otherwise, and print their "
        "profile: figures, shares by delivery form and route, outcomes against effects, costs, items that only harmed, "
        "and items that hold the answer of their own task.",
        parents=[judging_options()],
    )
    profile.add_argument("logs", type=Path, nargs="+", metavar="LOG", help="event logs or recordings, one suite in all")
    profile.add_argument("--all", action="store_true", help="show every figure and every breakdown")
    profile.add_argument(
        "--without",
        type=Path,
        nargs="+",
        metavar="LOG",
        help="runs of the same tasks without memory: tasks gained and lost, strata, resolve rates",
    )
    profile.add_argument(
        "--any-arc", action="store_true", help="with --without: match tasks by identifier and text, whatever their arc"
    )
    profile.add_argument("--json", action="store_true", help="print everything as JSON, for programs")
    profile.set_defaults(run=_profile)
    items = commands.add_parser(
        "items",
        help="show the history of each memory item across episodes",
        description="Show each item's history: where it was written, changed, deleted and delivered, and what came of "
        "it. An item whose creation no episode records has an unobserved origin.",
    )
    items.add_argument("logs", type=Path, nargs="+", metavar="LOG", help="event logs or recordings")
    items.add_argument("--item", help="show this item only")
    items.add_argument("--json", action="store_true", help="print histories as JSON, for programs")
    items.set_defaults(run=_items)
    log = commands.add_parser(
        "log", help="print the event log that is derived from a recording", description=_log.__doc__
    )
    log.add_argument("log", type=Path, metavar="RECORDING", help="the recording of an arc")
    log.set_defaults(run=_log)
    labels = commands.add_parser(
        "labels",
        help="measure a judge on labelled sets",
        description="Judge labelled cases and print, per signal, how many forced labels the judge has right, wrong and "
        "undetermined, and Cohen's kappa with its lower bound.",
        parents=[judging_options()],
    )
    labels.add_argument(
        "sets",
        type=Path,
        nargs="*",
        metavar="FILE_OR_FOLDER",
        help="labelled sets; without any, what MEMUSE_CASES names, or this project's own",
    )
    labels.add_argument("-v", "--verbose", action="store_true", help="list what is wrong or left open, by case")
    labels.add_argument("--json", action="store_true", help="print everything as JSON, for programs")
    labels.set_defaults(run=_labels)
    add_annotate(commands)
    add_agree(commands)
    add_judgments(commands)
    add_diff(commands)
    add_runs(commands)
    add_commands(commands)
    add_merit(commands)
    add_schema(commands)
    return parser


def _show(options: argparse.Namespace) -> list[str]:
    """Show the episodes of an event log or a recording as a person wants to read them."""
    from pytest_memuse.cli.judges import chosen_judge
    from pytest_memuse.cli.profiling import judged_as_told
    from pytest_memuse.model.errors import MemuseError, nearest
    from pytest_memuse.profiles.rows import Run
    from pytest_memuse.profiles.serialise import run_to_dict
    from pytest_memuse.reports.episode import episode_lines, outside_lines
    from pytest_memuse.reports.profile import judge_lines

    judge = chosen_judge(options.judge, options)
    (log,) = judged_as_told([options.log], judge, options)
    found, outside = log.episodes, log.outside
    if options.episode is not None:
        names, wanted = [one.row.id for one in found], options.episode
        found = tuple(one for one in found if one.row.id == wanted or one.row.id.endswith(f"/{wanted}"))
        outside = ()
        if not found:
            raise MemuseError(
                f"{options.log} holds no episode {options.episode!r}{nearest(options.episode, names)}",
                reason="no-episode",
                mend=f"it holds {', '.join(names)}",
            )
    if options.json:
        run = Run(log.suite, tuple(one.row for one in found), outside)
        return [json.dumps(run_to_dict(run) | {"judge": judge.identity.to_data()}, indent=1, sort_keys=True)]
    lines = [line for one in found for line in (*episode_lines(one.episode, one.spans, one.row), "")]
    return [*judge_lines(judge.identity.to_data()), "", *lines, *outside_lines(outside)]


def _profile(options: argparse.Namespace) -> list[str]:
    from pytest_memuse.cli.profiling import profile

    return profile(options)


def _items(options: argparse.Namespace) -> list[str]:
    from pytest_memuse.cli.profiling import items

    return items(options)


def _labels(options: argparse.Namespace) -> list[str]:
    from pytest_memuse.cli.labels import labels

    return labels(options)


def _log(options: argparse.Namespace) -> list[str]:
    """Print the event log of a recording, one JSON object a line."""
    from pytest_memuse.cli.reading import read_any
    from pytest_memuse.model.log import write_log

    lines = (line.rstrip("\n") for line in write_log(read_any(options.log)))
    return [_encodable(line, sys.stdout.encoding or "ascii") for line in lines]


def _encodable(line: str, encoding: str) -> str:
    """Return a line of JSON as an encoding can write it and a terminal may show it; it reads back the same.

    What the encoding cannot write is escaped, and so is what commands a terminal. Both stand in strings only.
    """
    from pytest_memuse.model.errors import is_shown

    try:
        line.encode(encoding)
    except UnicodeEncodeError:
        return "".join(c if c.isascii() and is_shown(c) else json.dumps(c)[1:-1] for c in line)
    return "".join(c if is_shown(c) else json.dumps(c)[1:-1] for c in line)
