"""Judges on the command line: by name, with records and limits, and what one will cost before it is asked."""

import argparse
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from pytest_memuse.judging.answers import Judge
from pytest_memuse.judging.combined import Combined, judges_in, keeping, with_each
from pytest_memuse.judging.named import FORMS, MAX_BYTES, Asking, annotation_text, is_judge, judge_named, spelled_out
from pytest_memuse.judging.run import JudgedSpans, Lines, judge_episodes
from pytest_memuse.model import Episode
from pytest_memuse.model.errors import MemuseError, inert, printable
from pytest_memuse.reports.numbers import counted
from pytest_memuse.spans import Span, SpanOutcome

if TYPE_CHECKING:
    from pytest_memuse.judging.estimate import Experience
    from pytest_memuse.judging.evidence import EvidencePackage
    from pytest_memuse.judging.llm.judge import LlmJudge

__all__ = [
    "FORMS",
    "MAX_BYTES",
    "annotation_text",
    "announce",
    "asking",
    "chosen_judge",
    "cost_lines",
    "is_judge",
    "judged_by_records",
    "spelled_out",
    "with_records",
]

_EVERY = 10.0
"""Seconds between two lines of progress of a judge that asks a model."""

_TERMINAL_EVERY = 0.5

_TELLING = 20
"""Records from which on a judge's own averages are told in place of the paper's."""

_LIMITS = {"max_spans": "spans", "max_calls": "calls", "max_tokens": "tokens", "max_dollars": "dollars"}


def chosen_judge(name: str, options: argparse.Namespace) -> Judge:
    """Return the judge of that name as the options have it: its records, its endpoint, its limits."""
    return with_records(judge_named(name, asking=_asked_how(options)), options)


def with_records(judge: Judge, options: argparse.Namespace, repeat: int = 1) -> Judge:
    """Return a judge that keeps its answers where the options say, for one of several judgings of the same spans.

    The answers of a further judging, ``repeat`` from 2 on, are kept apart; limits are for all of them together.
    """
    folder: Path | None = options.records
    if folder is None:
        return judge
    from pytest_memuse.judging.llm.records import JudgmentRecords

    # The folders of the pytest fixture `memuse_agreement`, so that either side finds what the other one was answered.
    where = folder if repeat == 1 else folder / f"judging-{repeat}"
    return keeping(judge, lambda identity: JudgmentRecords(where, identity))


def check_options(judges: Iterable[Judge], options: argparse.Namespace) -> None:
    """Raise `MemuseError` where options are given that only a judge which asks a model has, and none of these does."""
    given = [f"--{name.replace('_', '-')}" for name in _ASKING if getattr(options, name) is not None]
    if given and not any(True for judge in judges for _ in _asking_parts(judge)):
        raise MemuseError(
            f"{given[0]} is for a judge that asks a model, and none here does",
            reason="usage",
            mend="name one, llm:MODEL, or leave it out",
        )


_ASKING = ("records", "api_base", "parallel", *_LIMITS)


def announce(
    judges: Sequence[Judge], episodes: Iterable[tuple[Episode, Sequence[Span]]], options: argparse.Namespace
) -> None:
    """Tell what the judges will take, before anything is asked; nothing of judges that ask nobody.

    Raises `MemuseError` where options are given that are for none of them, and where a model cannot be asked at all.
    """
    check_options(judges, options)
    if len(judges) > 1:
        episodes = list(episodes)
    for judge in judges:
        for line in cost_lines(judge, episodes, options.records):
            print(f"memuse: {line}", file=sys.stderr, flush=True)


def cost_lines(
    judge: Judge, episodes: Iterable[tuple[Episode, Sequence[Span]]], records: Path | None = None
) -> list[str]:
    """Return what judging episodes will take, in lines; none for judges that ask no model.

    The episodes are looked at only where one is asked. LiteLLM is imported where spans are left to ask about; raises
    `MemuseError` where it can tell that they cannot be.
    """
    lines: list[str] = []
    found: list[tuple[Episode, Sequence[Span]]] | None = None
    for part in _asking_parts(judge):
        found = list(episodes) if found is None else found
        lines += _lines_of(part, found, records)
    if lines and isinstance(judge, Combined):
        lines.append("  at most: spans of which the judges before it determine every signal are not asked about")
    return lines


def judged_by_records(
    name: str, episodes: Sequence[Episode], options: argparse.Namespace
) -> list[tuple[Episode, JudgedSpans]] | None:
    """Return what kept answers say of episodes, None where none are kept or a span has to be asked about.

    Evidence is put together once here, where telling the cost and asking do it once each.
    """
    if options.records is None:
        return None
    # Without limits: what is left open here counts towards none.
    judge = _silent(with_records(judge_named(name, asking=Asking(options.api_base)), options))
    parts = list(_asking_parts(judge))
    if not parts:
        return None
    found = list(judge_episodes(judge, episodes))
    if any(_is_open(judged) for _, judged in found):
        return None
    for part in parts:
        told = f"{printable(part.identity.model, 120)}: {counted(part.spent.reused, 'span')}, all in the records"
        print(f"memuse: {told}; nothing is asked", file=sys.stderr, flush=True)
    return found


def _is_open(judged: JudgedSpans) -> bool:
    return any(span.outcome is SpanOutcome.ELIGIBLE and span.id not in judged.judgments for span in judged.spans)


def _silent(judge: Judge) -> Judge:
    def silenced(part: Judge) -> Judge:
        return next((asking.without_asking("only records are read") for asking in _asking_parts(part)), part)

    return with_each(judge, silenced)


@contextmanager
def asking(options: argparse.Namespace) -> Iterator[Lines]:
    """Give the lines in which progress is told; on a terminal each is written over the one before.

    Ctrl-C is passed on, and it is told what becomes of the answers.
    """
    err: TextIO = sys.stderr
    terminal, written = err.isatty(), False

    def say(text: str) -> None:
        nonlocal written
        written = True
        err.write(f"\r\x1b[K{printable(text, 300)}" if terminal else f"memuse: {printable(text, 1000)}\n")
        err.flush()

    try:
        with warnings.catch_warnings():
            # Of what LiteLLM asks of pydantic with its first request; none of it is the user's to mend.
            warnings.filterwarnings("ignore", module=r"pydantic\b")
            yield Lines(say, _TERMINAL_EVERY if terminal else _EVERY, time.monotonic)
    except KeyboardInterrupt:
        if terminal and written:
            err.write("\n")
        folder: Path | None = options.records
        kept = "nothing was kept" if folder is None else f"accepted answers are in {inert(str(folder))}"
        err.write(f"memuse: interrupted; {kept}\n")
        raise
    if terminal and written:
        err.write("\n")


def _asked_how(options: argparse.Namespace) -> Asking:
    from pytest_memuse.judging.llm.settings import RunLimits

    limits = {field: getattr(options, name) for name, field in _LIMITS.items()}
    if options.parallel is not None:
        limits["parallel"] = options.parallel
    return Asking(options.api_base, RunLimits(**limits))


def _asking_parts(judge: Judge) -> "Iterator[LlmJudge]":
    for part in judges_in(judge):
        if part.identity.kind != "llm":
            continue
        from pytest_memuse.judging.llm.judge import LlmJudge

        if isinstance(part, LlmJudge):
            yield part


def _lines_of(judge: "LlmJudge", episodes: Sequence[tuple[Episode, Sequence[Span]]], folder: Path | None) -> list[str]:
    from pytest_memuse.judging.estimate import estimate
    from pytest_memuse.judging.llm.provider import price_of
    from pytest_memuse.judging.llm.recorded import shows_reference
    from pytest_memuse.reports.judging_costs import asking_lines

    records, identity = judge.records, judge.identity

    def kept(episode: Episode, span: str, package: "EvidencePackage") -> bool:
        return records is not None and records.find(episode, span, package) is not None

    reference = shows_reference(identity)
    found = estimate(episodes, kept=kept, most=judge.run_limits.spans, reference=reference)
    experience = _experience(judge)
    price = None
    if found.spans:
        judge.check_access()
        price = price_of(identity.model)
    where = inert(str(folder)) if folder is not None else ""
    return asking_lines(identity.model, found.at(experience.calls_a_span), experience, price, where)


def _experience(judge: "LlmJudge") -> "Experience":
    """Return what a judge's own records say of its conversations, where there are enough of them."""
    from pytest_memuse.judging.estimate import Experience
    from pytest_memuse.judging.llm.records import JudgmentRecords
    from pytest_memuse.judging.llm.repairs import use_of

    records = judge.records
    if not isinstance(records, JudgmentRecords):
        return Experience()
    use = use_of(kept.outcome for arc in records.arcs() for kept in records.all(arc))
    if use.spans < _TELLING or use.calls_a_span is None:
        return Experience()
    return Experience(use.spans, use.calls_a_span, use.cached_share, use.output.each(use.spans))
