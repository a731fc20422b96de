"""Synthetic rows for the tests of the gate."""

from pytest_memuse.profiles.rows import EntryRow, EpisodeRow, RowOutcome, Run, SpanRow, Triage, Usage

SIGNALS = ("relevance", "accuracy", "novelty", "influence", "effect")

_OF_USAGE = {
    Usage.USED: ("acted_on", "improved"),
    Usage.MISUSED: ("acted_on", "harmed"),
    Usage.UNPRODUCTIVE: ("acted_on", "no_effect"),
    Usage.IGNORED: ("none", None),
}


def entry(item="mem-1", text="port is 8081", usage=Usage.USED, relevance=True, ordinal=None, anchors=(4,)) -> EntryRow:
    """Return a judged entry whose signals are those of its usage label."""
    influence, effect = _OF_USAGE[usage]
    return EntryRow(
        item=item,
        ordinal=ordinal,
        text=text,
        exposure="full",
        window=(1, 9),
        relevance=relevance,
        accuracy="uncontradicted",
        novelty="novel",
        influence=influence,
        effect=effect,
        anchors=anchors if influence == "acted_on" else (),
        usage=usage,
    )


def span(*entries: EntryRow, characters=400, id="s1", determines=SIGNALS, redacted=False) -> SpanRow:
    """Return a judged span, or an empty one without entries."""
    labels = {e.usage for e in entries}
    triage = Triage.NEGATIVE if Usage.MISUSED in labels else Triage.POSITIVE if Usage.USED in labels else Triage.NEUTRAL
    return SpanRow(
        id=id,
        outcome=RowOutcome.JUDGED if entries else RowOutcome.EMPTY,
        characters=characters,
        entries=entries,
        triage=triage if entries else None,
        first=2,
        last=2,
        determines=determines if entries else (),
        redacted=redacted,
    )


def episode(arc: str, *spans: SpanRow, task="probe", digest="d1", success=True, id="", steps=6) -> EpisodeRow:
    """Return an episode of an arc."""
    return EpisodeRow(
        id=id or f"{arc}-{task}", arc=arc, task=task, task_digest=digest, success=success, steps=steps, spans=spans
    )


def suite(count: int, make=None, name="billing") -> Run:
    """Return a run of so many arcs; ``make`` turns an arc's name and number into its episodes."""
    made = make or (lambda arc, number: [episode(arc, span(entry()))])
    return Run(name, tuple(e for number in range(count) for e in made(f"arc-{number:02}", number)))
