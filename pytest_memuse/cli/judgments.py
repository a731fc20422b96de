"""`memuse judgments`: what a judge's records say of its answers, and records that nothing needs any more."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pytest_memuse.judging.llm.kept import KeptAnswer
    from pytest_memuse.judging.llm.records import JudgmentRecords

_DESCRIPTION = """\
Tell what the records of a judge that asks a model hold, by judge and arc: spans,
calls a span, the share of input that the provider's cache served, tokens, money,
and what the checks of its answers did: how many were sent back and why, and how
many of these repairs changed a signal.
"""

_EXAMPLES = """\
examples:
  memuse judgments cassettes/shop/judgments
  memuse judgments cassettes/shop/judgments --prune cassettes/shop/*.jsonl
"""


def add_judgments(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    judgments = commands.add_parser(
        "judgments",
        help="tell what the kept answers of a judge took, and remove those that nothing needs any more",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    judgments.add_argument(
        "folders", type=Path, nargs="+", metavar="DIR", help="a folder of records, or the sub-folder of one judge in it"
    )
    judgments.add_argument(
        "--prune",
        type=Path,
        nargs="+",
        metavar="LOG",
        help="remove the records whose evidence does not occur in these event logs, recordings or labelled sets",
    )
    judgments.add_argument(
        "--force", action="store_true", help="with --prune: also where no record of an arc would be left"
    )
    judgments.add_argument("--json", action="store_true", help="print everything as JSON, for programs")
    judgments.set_defaults(run=_judgments)


class _Arc(NamedTuple):
    """The records of one arc under one judge, those that stay and those that nothing needs."""

    records: "JudgmentRecords"
    arc: str
    kept: "list[KeptAnswer]"
    unneeded: "list[KeptAnswer]"


def _judgments(options: argparse.Namespace) -> list[str]:
    """Report on the records. Raises `MemuseError`; nothing is removed then."""
    import json

    from pytest_memuse.judging.llm.recorded import records_at
    from pytest_memuse.reports.judgments import KeptArc, judgments_data, judgments_lines, pruned_lines

    found = {records.folder: records for folder in options.folders for records in records_at(folder)}
    arcs = [
        _Arc(records, arc, list(records.all(arc)), []) for records in found.values() for arc in sorted(records.arcs())
    ]
    if options.prune:
        arcs = _pruned(arcs, options.prune, force=options.force)
    elif options.force:
        from pytest_memuse.model.errors import MemuseError

        raise MemuseError("--force goes with --prune", reason="usage", mend="leave it out")
    shown = [
        KeptArc(
            str(each.records.folder),
            each.records.identity,
            each.arc,
            tuple(kept.outcome for kept in each.kept),
            len(each.unneeded) if options.prune else None,
        )
        for each in arcs
    ]
    if options.json:
        return [json.dumps(judgments_data(shown), indent=1, sort_keys=True)]
    return [*(pruned_lines(shown) if options.prune else []), *judgments_lines(shown)]


def _pruned(arcs: Sequence[_Arc], logs: Sequence[Path], *, force: bool) -> list[_Arc]:
    """Remove what nothing needs, once it is sure of all of it; return what is left."""
    from pytest_memuse.judging.llm.recorded import shows_reference
    from pytest_memuse.model.errors import MemuseError, inert

    needed = _evidence(logs, {shows_reference(each.records.identity) for each in arcs})
    left = []
    for each in arcs:
        digests = needed[shows_reference(each.records.identity)]
        stays = [kept for kept in each.kept if kept.outcome.evidence in digests]
        unneeded = [kept for kept in each.kept if kept.outcome.evidence not in digests]
        left.append(_Arc(each.records, each.arc, stays, unneeded))
    emptied = list(dict.fromkeys(inert(each.arc, 60) for each in left if each.unneeded and not each.kept))
    if emptied and not force:
        more = f" and {len(emptied) - 10} more" if len(emptied) > 10 else ""
        raise MemuseError(
            f"no record would be left of arc {', '.join(emptied[:10])}{more}: nothing that was judged there occurs in "
            "the files that are named; nothing was removed",
            reason="prune",
            mend="name the recordings of all arcs, or add --force if these records are to go",
        )
    for each in left:
        if each.unneeded:
            each.records.discard(each.arc, each.unneeded)
    return left


def _evidence(logs: Sequence[Path], shown: set[bool]) -> dict[bool, set[str]]:
    """Return the digests of all evidence that occurs in files, with the task's reference facts shown or not."""
    from pytest_memuse.cli.labels import log_or_set
    from pytest_memuse.judging.eligible_evidence import eligible_evidence

    needed: dict[bool, set[str]] = {reference: set() for reference in shown}
    for path in logs:
        for episode in log_or_set(path).episodes:
            for reference, digests in needed.items():
                digests |= {each.package.digest for each in eligible_evidence(episode, reference=reference)}
    return needed
