"""MERIT's metrics over scored episodes: success, utilization, harm of corrupted memory, verification, cost (3.5).

Every function takes episodes of one cell or of several pooled, whatever their order, and gives a figure with counts
and interval, or an undefined one that says why. Arcs are the clusters throughout.
"""

from collections import defaultdict
from collections.abc import Sequence

from pytest_memuse.arcs.figure import ArcKey, MeritFigure, MeritSpec, arc_of, difference, mean, share, undefined
from pytest_memuse.arcs.scores import ScoredEpisode
from pytest_memuse.arcs.types import Kind
from pytest_memuse.profiles.figure import Counts
from pytest_memuse.profiles.figures import Contribution

RATES = (0.1, 0.3)
"""The corruption rates of MERIT 3.5."""

CORRUPTIONS = ("stale", "contradiction", "distractor")
"""The corruptions of MERIT 3.5."""

NOTHING_TO_LOSE = "nothing to lose"
"""How the reason of a harm begins that is none because nothing worked before."""


def clean(episodes: Sequence[ScoredEpisode]) -> list[ScoredEpisode]:
    """Return the episodes whose memory was not corrupted."""
    return [episode for episode in episodes if not episode.corruption]


def dependent_success(episodes: Sequence[ScoredEpisode], name: str = "dependent_success") -> MeritFigure:
    """Return the task success rate of probes. Those satisfied on arrival are failures, as delta scoring has it."""
    found = _checked(episodes, Kind.PROBE)
    spec = MeritSpec(name, "dependent task success", "share of probe episodes")
    return share(spec, found, _solved, counted="solved probes", among="probe episodes", blame=False)


def independent_success(episodes: Sequence[ScoredEpisode], name: str = "independent_success") -> MeritFigure:
    """Return the task success rate of independent episodes."""
    found = _checked(episodes, Kind.INDEPENDENT)
    spec = MeritSpec(name, "independent task success", "share of independent episodes")
    return share(spec, found, _solved, counted="solved episodes", among="independent episodes", blame=False)


def utilization(episodes: Sequence[ScoredEpisode], name: str = "utilization") -> MeritFigure:
    """Return MUR: of the episodes whose memory block held every gold value, the share that acted on every one."""
    found, reason = _held(episodes), _unseen(episodes)
    spec = MeritSpec(name, "memory utilization rate", "share of episodes that held every gold value")
    return share(
        spec, found, lambda e: e.acted is True, counted="acted on", among=_HOLDING, blame=False, at_least=reason
    )


def ignore_rate(episodes: Sequence[ScoredEpisode], name: str = "ignore_rate") -> MeritFigure:
    """Return 1 - MUR. It is an upper bound where values were acted on in a form that containment cannot see."""
    found, reason = _held(episodes), _unseen(episodes)
    spec = MeritSpec(name, "ignore rate", "share of episodes that held every gold value")
    return share(
        spec, found, lambda e: e.acted is False, counted="not acted on", among=_HOLDING, blame=True, at_most=reason
    )


def holding(episodes: Sequence[ScoredEpisode], name: str = "holding") -> MeritFigure:
    """Return in what share of the traced episodes the memory block held every gold value."""
    found = [episode for episode in episodes if episode.held is not None]
    spec = MeritSpec(name, "memory held every gold value", "share of episodes that need a fact")
    return share(spec, found, lambda e: e.held is True, counted="held", among=_NEEDING, blame=False)


def stale_held(episodes: Sequence[ScoredEpisode], name: str = "stale_held") -> MeritFigure:
    """Return in what share of the traced episodes the memory block held a superseded value."""
    found = [episode for episode in episodes if episode.stale is not None]
    spec = MeritSpec(name, "memory held a superseded value", "share of episodes that need a fact")
    return share(spec, found, lambda e: e.stale is True, counted="held stale", among=_NEEDING, blame=True)


def exposed(episodes: Sequence[ScoredEpisode], name: str = "exposed") -> MeritFigure:
    """Return estimated tokens of the memory block per episode."""
    spec = MeritSpec(name, "memory text", "estimated tokens per episode")
    return mean(spec, episodes, lambda e: e.exposed)


def untraceable(episodes: Sequence[ScoredEpisode], name: str = "untraceable") -> MeritFigure:
    """Return in what share of the traced episodes a gold value stands in another form, which tracing cannot see."""
    found = [episode for episode in episodes if episode.held is not None]
    spec = MeritSpec(name, "values in another form", "share of episodes that need a fact")
    return share(spec, found, lambda e: e.untraceable > 0, counted="not traceable", among=_NEEDING, blame=True)


def satisfied_on_arrival(episodes: Sequence[ScoredEpisode], name: str = "satisfied_on_arrival") -> MeritFigure:
    """Return in what share of the probes the check was true before they began; they are counted as failures."""
    found = [episode for episode in episodes if episode.kind is Kind.PROBE]
    spec = MeritSpec(name, "satisfied on arrival", "share of probe episodes")
    counted = "satisfied on arrival"
    return share(spec, found, lambda e: e.satisfied_on_arrival, counted=counted, among="probe episodes", blame=True)


def verified(episodes: Sequence[ScoredEpisode], name: str = "verified") -> MeritFigure:
    """Return in what share of the episodes that acted the agent had looked up what it was about to change."""
    found = [episode for episode in episodes if episode.verified is not None and episode.kind.acts]
    spec = MeritSpec(name, "verified before acting", "share of episodes that acted")
    return share(spec, found, lambda e: e.verified is True, counted="verified", among=_ACTING, blame=False)


def tokens(episodes: Sequence[ScoredEpisode], name: str = "tokens") -> MeritFigure:
    """Return metered tokens per episode, the memory's own calls included."""
    spec = MeritSpec(name, "tokens", "tokens per episode")
    return mean(spec, episodes, tokens_of)


def memory_tokens(episodes: Sequence[ScoredEpisode], name: str = "memory_tokens") -> MeritFigure:
    """Return tokens per episode of the memory's own model calls."""
    spec = MeritSpec(name, "memory-side tokens", "tokens per episode")
    return mean(spec, episodes, lambda e: e.memory_tokens)


def cost(episodes: Sequence[ScoredEpisode], name: str = "cost") -> MeritFigure:
    """Return dollars per episode, the memory's own calls included."""
    spec = MeritSpec(name, "cost", "dollars per episode")
    return mean(spec, episodes, lambda e: e.cost)


def tokens_of(episode: ScoredEpisode) -> int | None:
    """Return the tokens of both sides of an episode, None where one of them does not tell."""
    if episode.agent_tokens is None or episode.memory_tokens is None:
        return None
    return episode.agent_tokens + episode.memory_tokens


def harm(episodes: Sequence[ScoredEpisode], corruption: str, rate: float) -> MeritFigure:
    """Return SMH: dependent success with clean memory less that with memory corrupted at a rate, on the same probes."""
    name = f"stale_harm({corruption!r}, {rate:g})"
    spec = MeritSpec(name, f"harm of {corruption} memory at {rate:g}", "difference of dependent task success")
    probes = [episode for episode in episodes if episode.kind is Kind.PROBE]
    corrupted = [e for e in probes if e.corruption == corruption and abs(e.rate - rate) < 1e-9]
    if not corrupted:
        kinds = ", ".join(f"{c} at {r:g}" for c, r in sorted({(e.corruption, e.rate) for e in probes if e.corruption}))
        return undefined(
            spec, f"no probe was run with {corruption} memory at {rate:g}; there are {kinds or 'clean ones only'}"
        )
    whole = clean(probes)
    found = contrast(spec, corrupted, whole, said=("solved clean and failed corrupted", "corrupted"))
    if found.defined and not any(episode.success for episode in whole):
        found.reason = f"{NOTHING_TO_LOSE}: no probe was solved with clean memory either"
    return found


def contrast(
    spec: MeritSpec,
    first: Sequence[ScoredEpisode],
    second: Sequence[ScoredEpisode],
    *,
    said: tuple[str, str] = ("solved by the second and failed by the first", "the first side"),
) -> MeritFigure:
    """Return the success rate of the second episodes less that of the first, on the task instances that both hold.

    Instances are the same where domain, tier, seed, arc and episode are; several runs of one count as its mean.
    ``said`` words the counts, and names the first side.
    """
    sides = _instances(first), _instances(second)
    shared = [key for key in sides[0] if key in sides[1]]
    arcs: dict[ArcKey, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    worse, better, blamed = 0, 0, []
    for key in shared:
        rates = [_rate(side[key]) for side in sides]
        worse += rates[0] < rates[1]
        better += rates[0] > rates[1]
        if rates[0] < rates[1]:
            blamed += [episode for episode in sides[0][key] if not episode.success]
        for values, rate in zip(arcs[key[0]], rates, strict=True):
            values.append(rate)
    other = f"{said[0]} ({better} the other way)"
    found = difference(
        spec,
        [(_sum(one), _sum(two)) for one, two in arcs.values()],
        Counts(worse, other, len(shared), "paired episodes"),
        empty=f"no episode of {said[1]} was run on both sides",
        blamed=blamed,
    )
    alone = len(sides[0]) + len(sides[1]) - 2 * len(shared)
    if alone and found.defined:
        left = f"{alone} episodes were run on one side only and are left out"
        found.reason = f"{found.reason}; {left}" if found.reason else left
    return found


def _instances(episodes: Sequence[ScoredEpisode]) -> dict[tuple[ArcKey, str], list[ScoredEpisode]]:
    found: dict[tuple[ArcKey, str], list[ScoredEpisode]] = defaultdict(list)
    for episode in episodes:
        if episode.success is not None:
            found[arc_of(episode), episode.episode].append(episode)
    return found


def _rate(episodes: Sequence[ScoredEpisode]) -> float:
    return sum(episode.success is True for episode in episodes) / len(episodes)


def _sum(values: Sequence[float]) -> Contribution:
    return sum(values), float(len(values))


_HOLDING = "episodes that held every gold value"
_NEEDING = "episodes that need a fact"
_ACTING = "episodes in which the agent acted"


def _checked(episodes: Sequence[ScoredEpisode], kind: Kind) -> list[ScoredEpisode]:
    """Return the episodes of a kind whose check came to a result."""
    return [episode for episode in episodes if episode.kind is kind and episode.success is not None]


def _solved(episode: ScoredEpisode) -> bool:
    return episode.success is True


def _held(episodes: Sequence[ScoredEpisode]) -> list[ScoredEpisode]:
    return [episode for episode in episodes if episode.held is True and episode.acted is not None]


def _unseen(episodes: Sequence[ScoredEpisode]) -> str:
    """Return why utilization is a lower bound; empty where every episode that was not acted on is plain."""
    unseen = sum(episode.acted is False and episode.untraceable > 0 for episode in _held(episodes))
    return f"in {unseen} of them a gold value stands in another form, which containment cannot see" if unseen else ""
