"""``--memuse-rejudge`` and ``--memuse-rejudge=again``: whether recorded judgments are come to a second time."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_memuse.episodes.progress import LINE_EVERY, Told
from pytest_memuse.judging.answers import Judgment
from pytest_memuse.judging.evidence import EvidencePackage
from pytest_memuse.judging.llm.differences import compare_signals, record_differences
from pytest_memuse.judging.llm.outcome import SpanJudgment
from pytest_memuse.judging.run import Lines
from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.model.errors import printable
from pytest_memuse.plugin.judging_options import Rejudging
from pytest_memuse.plugin.judgment_records import KeepsConversations, RecordingJudge, recording_judges
from pytest_memuse.plugin.suites import SuiteRunner
from pytest_memuse.reports.numbers import counted, number
from pytest_memuse.reports.table import table
from pytest_memuse.spans import SpanOutcome, build_spans, replay_inputs

_LISTED = 20


@dataclass(frozen=True, slots=True)
class _Found:
    """The record of a span, and the evidence that it was found by."""

    episode: Episode
    span: str
    package: EvidencePackage
    record: SpanJudgment

    @property
    def place(self) -> str:
        return f"arc {printable(self.episode.arc or self.episode.id, 60)}, {self.name}"

    @property
    def name(self) -> str:
        return f"episode {printable(self.episode.id, 80)}, span {printable(self.span, 60)}"


@dataclass(slots=True)
class _Tally:
    """What asking again came to, and what of it is shown."""

    spans: int = 0
    signals: int = 0
    differing: list[list[str]] = field(default_factory=list)
    spans_differing: int = 0
    failed: list[str] = field(default_factory=list)
    left: int = 0


def rejudged(runner: SuiteRunner, episodes: Sequence[Episode]) -> tuple[str, ...]:
    """Judge again what has a record, as the options say, and return what to tell.

    Raises `MemuseError` where a conversation does not come to its record, or a signal is another one. Records stay as
    they are.
    """
    rejudging = runner.settings.judging.rejudging
    if rejudging not in (Rejudging.REPLAY, Rejudging.AGAIN):
        return ()
    judges = list(recording_judges(runner.judge))
    if not judges:
        return (f"suite {runner.suite!r}: nothing is judged again, since the judge keeps no records",)
    each = _replay if rejudging is Rejudging.REPLAY else _again
    return tuple(line for judge in judges for line in each(runner, judge, episodes))


def _replay(runner: SuiteRunner, judge: RecordingJudge, episodes: Sequence[Episode]) -> list[str]:
    records = judge.records
    if not isinstance(records, KeepsConversations):
        return [f"suite {runner.suite!r}: nothing is replayed, since the judge's records hold no conversations"]
    replayed, problems = 0, []
    for found in _records(judge, episodes):
        replayed += 1
        try:
            then = records.conversation(found.episode, found.record)
            differing = record_differences(then, judge.replayed(found.package, then))
        except MemuseError as error:
            problems.append(f"{found.place}: {str(error).partition(chr(10))[0]}")
            continue
        if differing:
            problems.append(f"{found.place}: {_several(differing)}")
    told = f"suite {runner.suite!r}: {counted(replayed, 'recorded conversation')} of {_named(judge)}"
    if not problems:
        return [f"{told} replayed, {'which comes' if replayed == 1 else 'each of which comes'} to its record"]
    more = f"\n  and {len(problems) - _LISTED} more" if len(problems) > _LISTED else ""
    raise MemuseError(
        f"{told} replayed, and {len(problems)} of them {'does' if len(problems) == 1 else 'do'} not come to the "
        "record:" + "".join(f"\n  {problem}" for problem in problems[:_LISTED]) + more,
        reason="rejudge",
        mend="restore the records from version control, or ask the model anew with `pytest --memuse-judge-mode=all`",
    )


def _again(runner: SuiteRunner, judge: RecordingJudge, episodes: Sequence[Episode]) -> list[str]:
    known: list[Mapping[str, _Found]] = []
    for episode in episodes:
        known.append({found.span: found for found in _records(judge, [episode])})
    tally = _Tally()
    # Nothing is kept, so that the records stay as they are whatever the model says now.
    fresh = judge.with_records(None).without_asking("")
    for (_, given), records in zip(
        fresh.judged_episodes(episodes, _lines(runner), None, [list(each) for each in known]), known, strict=True
    ):
        for name, found in records.items():
            _compare(tally, found, given.judgments.get(name), name in given.judgments, given.reasons.get(name, ""))
    return _told(runner, judge, tally, fresh.stopped)


def _compare(tally: _Tally, found: _Found, now: Judgment | None, asked: bool, reason: str) -> None:
    then = found.record.judgment
    if not asked or then is None:
        tally.left += 1
        return
    if now is None:
        tally.failed.append(f"{found.place}: {printable(reason or 'no accepted answer', 200)}")
        return
    compared = compare_signals(then, now)
    tally.spans += 1
    tally.signals += compared.signals
    tally.spans_differing += bool(compared.differences)
    where = [printable(found.episode.id, 60), printable(found.span, 40)]
    tally.differing += [[*where, d.entry, d.signal.value, d.then, d.now] for d in compared.differences]


def _told(runner: SuiteRunner, judge: RecordingJudge, tally: _Tally, stopped: str) -> list[str]:
    share = f" ({number(100 * (1 - len(tally.differing) / tally.signals))} %)" if tally.signals else ""
    agree = tally.signals - len(tally.differing)
    told = (
        f"suite {runner.suite!r}: {counted(tally.spans, 'span')} with a record judged again by {_named(judge)}: "
        f"{agree} of {counted(tally.signals, 'signal')} agree{share}"
    )
    notes = []
    if tally.failed:
        shown = "".join(f"\n  {line}" for line in tally.failed[:_LISTED])
        notes.append(f"{counted(len(tally.failed), 'span')} came to no accepted answer this time:{shown}")
    if tally.left:
        why = f": {stopped}" if stopped else ""
        notes.append(f"{counted(tally.left, 'span')} with a record could not be asked about{why}")
    if tally.failed and not tally.spans:
        raise MemuseError(
            "\n".join([f"{told}; no signal could be compared", *notes]),
            reason="rejudge",
            mend="see to it that the judge's model can be asked, and do it again; the records are as they were",
        )
    if not tally.differing:
        return [told, *notes]
    rows = table(["episode", "span", "entry", "signal", "then", "now"], tally.differing[:_LISTED])
    more = len(tally.differing) - _LISTED
    lines = [told, *(f"  {row}" for row in rows), *([f"  and {more} more"] if more > 0 else []), *notes]
    raise MemuseError(
        "\n".join(lines),
        reason="rejudge",
        mend="the records are as they were; how far such a judge can be trusted is measured in docs/judging.md, and "
        "`pytest --memuse-judge-mode=all` replaces its answers by new ones",
    )


def _records(judge: RecordingJudge, episodes: Sequence[Episode]) -> Iterator[_Found]:
    """Yield the record of every eligible span that has one, as the judge's evidence of now finds it."""
    records = judge.records
    assert records is not None
    for episode in episodes:
        replayed = replay_inputs(episode)
        spans = build_spans(replayed)
        eligible = [span for span in spans if span.outcome is SpanOutcome.ELIGIBLE]
        case = judge.case(replayed, spans) if eligible else None
        for span in eligible:
            assert case is not None
            try:
                package = case.package(span)
            except MemuseError:
                continue  # Nobody may judge it; the suite's own judging says why.
            record = records.find(replayed, span.id, package)
            if record is not None and record.accepted:
                yield _Found(replayed, span.id, package, record)


def _named(judge: RecordingJudge) -> str:
    identity = judge.identity
    return printable(f"{identity.kind} {identity.model}".strip(), 80)


def _several(parts: Sequence[str]) -> str:
    shown = ", ".join(parts[:5])
    return f"{shown} and {len(parts) - 5} more" if len(parts) > 5 else shown


def _lines(runner: SuiteRunner) -> Lines:
    def say(text: str) -> None:
        runner.say(Told(f"{runner.suite}, again: {text}", passing=runner.terminal))

    return Lines(say, 0.5 if runner.terminal else LINE_EVERY, time.monotonic)
