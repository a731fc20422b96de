"""One episode on one screen: the steps, what memory was delivered where, and what became of each entry."""

from collections.abc import Sequence

from pytest_memuse.model import Actor, Episode, Step
from pytest_memuse.model.errors import printable
from pytest_memuse.profiles.call_costs import ledger
from pytest_memuse.profiles.rows import EntryRow, EpisodeRow, SpanRow
from pytest_memuse.reports.numbers import counted, quantity
from pytest_memuse.spans.types import Span


def episode_lines(episode: Episode, spans: Sequence[Span], row: EpisodeRow) -> list[str]:
    """Return the episode: a head, then each step with the spans that it first consumed and their verdicts."""
    outcome = {True: "solved", False: "failed", None: "outcome unknown"}[row.success]
    lines = [f"{printable(episode.id)}: {outcome}, {counted(len(episode.steps), 'step')}"]
    if episode.task is not None:
        lines.append(f"  task: {printable(episode.task.text, 140)}")
    placed = {span.id for step in episode.steps for span in spans if span.first == step.number}
    by_id = {span_row.id: span_row for span_row in row.spans}
    for step in episode.steps:
        for span in spans:
            if span.first == step.number:
                lines += _span(by_id[span.id])
        lines += _step(episode, step)
    for span in spans:
        if span.id not in placed:
            lines += _span(by_id[span.id], span.provisional)
    return lines + _costs(episode)


def outside_lines(rows: Sequence[SpanRow]) -> list[str]:
    """Return the spans outside every recorded episode: text that was delivered, and nobody is known to have read."""
    return (
        [f"outside every episode: {counted(len(rows), 'span')}", *(line for row in rows for line in _span(row))]
        if rows
        else []
    )


def _costs(episode: Episode) -> list[str]:
    """Return what the calls of each actor cost, as far as they reported it."""
    book = ledger([episode])
    lines = []
    for actor in Actor:
        costs = book.costs(actor=actor)
        if costs.calls:
            failed = f" ({costs.failed} failed)" if costs.failed else ""
            told = [f"input tokens {quantity(costs.input)}"]
            # An embedding has no output.
            told += [f"output tokens {quantity(costs.output)}"] if actor is not Actor.EMBEDDING else []
            told += [f"US$ {quantity(costs.reported)}"] if costs.reported.value is not None else []
            lines.append(f"  {actor.value}: {counted(costs.calls, 'call')}{failed}, {', '.join(told)}")
    return lines


def _step(episode: Episode, step: Step) -> list[str]:
    response = episode.messages.get(step.call.response or "")
    said = printable(response.text, 110) if response is not None else ""
    lines = [f"  {step.number:>3}  {said}".rstrip()]
    for call in response.tool_calls if response is not None else ():
        result = next((r for r in step.results if r.tool_call_id == call.id), None)
        lines.append(f"       {printable(call.name, 20)} {printable(call.arguments, 110)}")
        if result is not None:
            lines.append(f"         → {printable(episode.messages[result.message].text, 110)}")
    return lines


def _span(span: SpanRow, provisional: int | None = None) -> list[str]:
    steps = "never consumed" if span.first is None else f"consumed at step {span.first}"
    if span.first is None and provisional is not None:
        steps += f" (recorded about step {provisional})"
    if span.last is not None and span.last != span.first:
        steps += f" to {span.last}, {counted(span.deliveries - 1, 'restatement')}"
    label = span.triage.value if span.triage is not None else span.outcome.value
    form = f" {printable(span.form)}" if span.form else ""
    lines = [
        f"    ┌ span {printable(span.id)}:{form} ({printable(span.route)}), {steps}, "
        f"{'at least ' if span.redacted else ''}{counted(span.tokens, 'token')}: {label}"
    ]
    lines += [f"    │ problem: {printable(problem, 120)}" for problem in span.problems]
    lines += [f"    │ {_entry(entry)}" for entry in span.entries]
    return lines


def _entry(entry: EntryRow) -> str:
    window = "no window" if entry.window is None else f"window {entry.window[0]}–{entry.window[1]}"
    signals = [
        word
        for word in (
            {True: "relevant", False: "irrelevant", None: ""}[entry.relevance],
            entry.accuracy or "",
            entry.novelty or "",
            (entry.influence or "").replace("_", " "),
            (entry.effect or "").replace("_", " "),
        )
        if word
    ]
    anchors = f" at step {', '.join(str(step) for step in entry.anchors)}" if entry.anchors else ""
    usage = f": {entry.usage.value}{anchors}" if entry.usage is not None else ""
    told = f" ({', '.join(signals)})" if signals else ""
    return f"{printable(entry.item, 12)} “{printable(entry.text, 80)}”, {entry.exposure}, {window}{usage}{told}"
