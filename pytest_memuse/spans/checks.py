"""Recording checks: whether an episode's record lets any of its spans be judged (MemUse 3.3, A.1.3)."""

from dataclasses import dataclass

from pytest_memuse.model import Call, Delivery, Episode
from pytest_memuse.spans.proofs import Failure, Host, ProblemKind, ProofResolver
from pytest_memuse.spans.replay import replay_inputs


@dataclass(frozen=True, slots=True)
class Problem:
    """One failed recording check. ``delivery`` and ``slot`` are None where it concerns the whole of either."""

    kind: ProblemKind
    sentence: str
    delivery: str | None = None
    slot: str | None = None

    def __str__(self) -> str:
        where = "" if self.delivery is None else f"delivery {self.delivery}"
        if self.slot is not None:
            where += f", slot {self.slot}"
        return f"{self.kind}: {where}: {self.sentence}" if where else f"{self.kind}: {self.sentence}"


@dataclass(frozen=True, slots=True)
class Record:
    """What the recording establishes of one delivery.

    ``step`` is the attributed consuming step. ``hosts`` holds one resolution per placement, in order, and is empty
    without an attributed step. ``strays`` are messages that unresolved proofs for other slots name. ``observed`` says
    whether the consuming input is recorded without a gap.
    """

    delivery: Delivery
    position: int
    step: int | None
    hosts: tuple[Host | Failure, ...] = ()
    observed: bool = False
    strays: tuple[str, ...] = ()

    @property
    def attributed(self) -> bool:
        return self.step is not None


def delivery_records(episode: Episode) -> tuple[Record, ...]:
    """Return the record of every delivery, in recorded order."""
    calls = {step.call.id: step for step in episode.steps}
    observed = {step.number: not _lost(episode, step.call) for step in episode.steps}
    resolver = ProofResolver(episode.messages)
    records = []
    for position, delivery in enumerate(episode.deliveries):
        step = calls.get(delivery.call) if delivery.call is not None else None
        if step is None:
            records.append(Record(delivery, position, None))
            continue
        hosts = tuple(resolver.resolve(placement, step.call) for placement in delivery.placements)
        strays = tuple(m for placement in delivery.placements for m in resolver.strays(placement, step.call))
        records.append(Record(delivery, position, step.number, hosts, observed[step.number], strays))
    return tuple(records)


def _lost(episode: Episode, call: Call) -> bool:
    return call.gap or not call.input or any(digest not in episode.messages for digest in call.input)


def recording_problems(episode: Episode) -> tuple[Problem, ...]:
    """Return every failed recording check of an episode, none where its spans may be judged.

    The checks are episode-wide: one failure makes every nonempty span with an attributed step an error span. Proofs are
    required of every placement in an observed consuming call, empty deliveries included; a gap matters only where it
    is in the consuming input of a nonempty delivery; a missing task only where there is a nonempty delivery to judge.
    """
    episode = replay_inputs(episode)
    return problems_of(episode, delivery_records(episode))


def problems_of(episode: Episode, records: tuple[Record, ...]) -> tuple[Problem, ...]:
    """Return `recording_problems` from the records of the episode's deliveries."""
    problems: list[Problem] = []
    if not episode.resolved:
        sentence = "the boundaries of the episode could not be established"
        problems.append(Problem(ProblemKind.UNRESOLVED_BOUNDARY, sentence))
    judgeable = any(record.attributed and record.delivery.entries for record in records)
    if judgeable and (episode.task is None or not episode.task.text.strip()):
        problems.append(Problem(ProblemKind.MISSING_TASK, "the recording does not hold the task"))
    named = {
        (record.step, host.message)
        for record in records
        for host in record.hosts
        if isinstance(host, Failure) and host.message is not None
    } | {(record.step, message) for record in records for message in record.strays}
    for record in records:
        if record.step is not None:
            problems.extend(_input_problems(episode, record, record.step))
            problems.extend(_placement_problems(record, named))
    return tuple(problems)


def _input_problems(episode: Episode, record: Record, step: int) -> list[Problem]:
    if record.observed or not record.delivery.entries:
        return []
    call = episode.steps[step - 1].call
    if not call.input:
        sentence = f"the input of consuming step {step} was not recorded"
        return [Problem(ProblemKind.INPUT_UNOBSERVED, sentence, record.delivery.id)]
    sentence = f"the recording lost a part of the input of consuming step {step}"
    return [Problem(ProblemKind.INPUT_GAP, sentence, record.delivery.id)]


def _placement_problems(record: Record, named: set[tuple[int | None, str]]) -> list[Problem]:
    """Return what is wrong with each placement; a host that another's unresolved proof names is contested (A.1.3)."""
    problems = []
    for placement, host in zip(record.delivery.placements, record.hosts, strict=True):
        if isinstance(host, Failure):
            problems.append(Problem(host.kind, host.sentence, record.delivery.id, placement.slot))
        elif (record.step, host.message) in named:
            sentence = f"a proof that does not resolve names message {host.index}, the host of this placement, too"
            problems.append(Problem(ProblemKind.CONTESTED_HOST, sentence, record.delivery.id, placement.slot))
    return problems
