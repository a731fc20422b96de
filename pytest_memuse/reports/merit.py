"""MERIT's tables for a terminal: success, use, staleness, harm, cost, and the controls beside them."""

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_memuse.arcs.controls import CONTROL, FLOOR, memory_titles
from pytest_memuse.arcs.economics import DOLLARS, TOKENS, Trade
from pytest_memuse.arcs.figure import MeritFigure
from pytest_memuse.arcs.inference import Method, Tested
from pytest_memuse.arcs.merit import Merit
from pytest_memuse.arcs.metrics import NOTHING_TO_LOSE
from pytest_memuse.arcs.types import Kind
from pytest_memuse.model.errors import printable
from pytest_memuse.reports.numbers import counted, number, signed, span
from pytest_memuse.reports.profile import SCRIPTED
from pytest_memuse.reports.table import table

_NONE = "–"
_MOST_CELLS = 12


@dataclass(frozen=True, slots=True)
class _Memory:
    """One condition in one implementation, as a row or a column of the tables."""

    title: str
    merit: Merit


def merit_lines(merit: Merit) -> list[str]:
    """Return the tables of scored episodes, those of each agent model by itself."""
    lines: list[str] = []
    models = list(dict.fromkeys(episode.model for episode in merit.episodes))
    for model in models:
        lines += _of_model(model, merit.where(model=model) if len(models) > 1 else merit)
    if len(models) > 1:
        lines += _models(merit)
    return lines or ["no episode was scored"]


def label(model: str) -> str:
    """Return what the agent's model was, with the label that a stand-in must bear."""
    if model.startswith(SCRIPTED):
        return f"{printable(model)}, a scripted stand-in: these figures guard the pipeline and are no findings"
    return printable(model) or "an unknown model"


def _of_model(model: str, merit: Merit) -> list[str]:
    memories = _memories(merit)
    arcs = len({(e.domain, e.tier, e.seed, e.arc) for e in merit.episodes})
    head = f"{counted(arcs, 'arc')}, {counted(len(merit.episodes), 'scored episode')}, agent: {label(model)}"
    sections = (_success, _gains, _use, _harms, _cost, _controls, _bands, _seeds)
    lines = [head]
    for section in sections:
        found = section(merit, memories)
        lines += ["", *found] if found else []
    return [*lines, ""]


def _success(merit: Merit, memories: Sequence[_Memory]) -> list[str]:
    domains = list(dict.fromkeys(episode.domain for episode in merit.episodes))
    tiers = list(dict.fromkeys(str(episode.tier) for episode in merit.episodes))
    lines: list[str] = []
    for name, kind in (("dependent_success", Kind.PROBE), ("independent_success", Kind.INDEPENDENT)):
        if not any(episode.kind is kind for episode in merit.clean):
            continue
        rows = [
            [
                tier,
                *(" / ".join(_rate(_cell(m.merit, name, domain=d, tier=tier)) for d in domains) for m in memories),
            ]
            for tier in tiers
        ]
        what = "Dependent" if kind is Kind.PROBE else "Independent"
        lines += [f"{what} task success by tier and memory ({' / '.join(domains)})", ""]
        lines += [*table(["tier", *(m.title for m in memories)], rows), ""]
    return lines[:-1]


def _gains(merit: Merit, memories: Sequence[_Memory]) -> list[str]:
    if not merit.floor:
        return []
    tiers = list(dict.fromkeys(str(episode.tier) for episode in merit.episodes))
    gains = {
        f"{tier}, {memory.title}": memory.merit.where(tier=tier).gain
        for tier in tiers
        for memory in memories
        if memory.title != FLOOR and _has(memory.merit, tier=tier)
    }
    return _family("Gain over no memory in dependent task success", merit, gains)


def _use(merit: Merit, memories: Sequence[_Memory]) -> list[str]:
    tiers = list(dict.fromkeys(str(episode.tier) for episode in merit.episodes))
    rows = []
    for tier in tiers:
        for memory in memories:
            if memory.title == FLOOR or not _has(memory.merit, tier=tier):
                continue
            cell = memory.merit.where(tier=tier)
            names = ("holding", "stale_held", "ignore_rate", "untraceable", "verified")
            rows.append([tier, memory.title, *(_with_counts(cell.metric(name)) for name in names)])
    head = ["tier", "memory", "held every value", "held a stale one", "ignore rate", "other form", "verified first"]
    lines = ["What the memory held, and what was done with it", ""]
    told = "“≤”: some value stands in a form that tracing by containment cannot see, so that this is an upper bound."
    bounded = any("≤" in cell for row in rows for cell in row)
    return [*lines, *table(head, rows), *([told] if bounded else [])] if rows else []


def _harms(merit: Merit, memories: Sequence[_Memory]) -> list[str]:
    kinds = list(dict.fromkeys((e.corruption, e.rate) for e in merit.episodes if e.corruption))
    harms = {
        f"{memory.title}, {corruption} at {rate:g}": memory.merit.stale_harm(corruption, rate)
        for memory in memories
        for corruption, rate in kinds
        if any(e.corruption == corruption for e in memory.merit.episodes)
    }
    return _family("Stale-memory harm: clean less corrupted dependent task success", merit, harms)


def _family(title: str, merit: Merit, differences: dict[str, MeritFigure]) -> list[str]:
    if not differences:
        return []
    tested = merit.family(title, differences)
    rows = [_tested(member, differences[member.name]) for member in tested.members]
    head = ["", "difference", "95 % interval", "p", "Holm", "", "counts"]
    lines = [f"{title} (one family of {len(rows)}, paired bootstrap by arc)", ""]
    exact = any(_exact(member) for member in tested.members)
    told = "*: every arc differs by the same, so that p is exact and the interval the one that so many arcs support."
    return [*lines, *table(head, rows, frozenset({1, 3, 4})), *([told] if exact else [])]


def _exact(member: Tested) -> bool:
    return member.comparison.method is Method.EXACT


def _tested(member: Tested, figure: MeritFigure) -> list[str]:
    if not figure.defined:
        return [member.name, "undefined", "", "", "", "", figure.reason]
    low, high = figure.interval or (None, None)
    mark = "*" if _exact(member) else ""
    return [
        member.name,
        signed(float(figure)),
        span(low, high) + mark,
        _p(figure.p),
        _p(member.adjusted),
        NOTHING_TO_LOSE if figure.reason.startswith(NOTHING_TO_LOSE) else str(member.finding),
        str(figure.counts),
    ]


def _cost(merit: Merit, memories: Sequence[_Memory]) -> list[str]:
    unit = DOLLARS if all(memory.merit.cost.defined for memory in memories) else TOKENS
    rows = []
    for memory in memories:
        of = memory.merit
        found = of.utility(unit)
        shown = memory.title == FLOOR or not merit.floor
        value = "" if shown else str(found.trade) if found.trade is not Trade.PRICE else _number(found.camu)
        even = "" if shown else _amount(found.break_even)
        extra = "" if shown else _amount(found.extra, "+") if found.extra.defined else "unknown"
        tokens = [_number(of.metric(name)) for name in ("exposed", "tokens", "memory_tokens")]
        rows.append([memory.title, *tokens, _amount(of.cost), extra, value, even])
    head = ["memory", "memory text", "tokens", "of them memory-side", "dollars", f"extra {unit.name}"]
    head += [f"CAMU per {unit.one}", f"break-even {unit.name}"]
    lines = ["Cost per episode, memory-side calls included, and marginal utility against no memory", ""]
    if unit is TOKENS:
        lines.insert(
            1,
            "Dollars are unknown: no call told its price. Marginal utility is counted in thousands of tokens instead.",
        )
    return [*lines, *table(head, rows, frozenset(range(1, 8)))]


def _controls(merit: Merit, memories: Sequence[_Memory]) -> list[str]:
    lines = []
    for tier in dict.fromkeys(str(episode.tier) for episode in merit.clean):
        for control in merit.where(tier=tier).models():
            if control.warning and control.control.defined:
                lines.append(f"{tier}: {control.warning}")
    return [f"Full-replay control ({CONTROL})", "", *lines] if lines else []


def _bands(merit: Merit, memories: Sequence[_Memory]) -> list[str]:
    rows = []
    for condition in merit.conditions:
        for tier in dict.fromkeys(str(episode.tier) for episode in merit.clean):
            found = merit.where(tier=tier, condition=condition).band(condition)
            if found.width is not None and condition not in (FLOOR, CONTROL):
                low, high = found.difference.interval or (None, None)
                sides = [_rate(found.starter), _rate(found.real), signed(float(found.difference)), span(low, high)]
                rows.append([tier, condition, *sides])
    head = ["tier", "memory", "starter", "real", "difference", "95 % interval"]
    lines = ["From starter to real implementation: how far dependent success depends on it", ""]
    return [*lines, *table(head, rows, frozenset({2, 3, 4}))] if rows else []


def _seeds(merit: Merit, memories: Sequence[_Memory]) -> list[str]:
    if len({episode.seed for episode in merit.episodes}) < 2:
        return []
    rows = []
    for memory in memories:
        for tier in dict.fromkeys(str(episode.tier) for episode in memory.merit.clean):
            found = memory.merit.where(tier=tier).seeds("dependent_success")
            values = " / ".join(f"{value:.2f}" for value in found.values[:_MOST_CELLS])
            rows.append([tier, memory.title, values, *map(_two, (found.mean, found.deviation, found.gap))])
    head = ["tier", "memory", "dependent success by seed", "mean", "sd", "largest gap"]
    return ["Seeds", "", *table(head, rows, frozenset({3, 4, 5}))]


def _models(merit: Merit) -> list[str]:
    rows = []
    for found in merit.models():
        for condition, rate in found.success.items():
            relative = found.relative[condition]
            rows.append(
                [printable(found.model), printable(condition), _rate(rate), _rate(found.control), _rate(relative)]
            )
    head = ["agent model", "memory", "dependent success", "its full replay", "relative to it"]
    lines = ["Agent models, each beside its own full-replay control", ""]
    warned = [f"{printable(f.model)}: {f.warning}" for f in merit.models() if f.warning]
    return [*lines, *table(head, rows, frozenset({2, 3, 4})), *warned, ""]


def _memories(merit: Merit) -> list[_Memory]:
    return [
        _Memory(printable(title), merit.where(condition=condition, variant=variant))
        for (condition, variant), title in memory_titles(merit.episodes).items()
    ]


def _has(merit: Merit, **fields: str) -> bool:
    return any(all(getattr(e, name) == value for name, value in fields.items()) for e in merit.episodes)


def _cell(merit: Merit, name: str, **fields: str) -> MeritFigure | None:
    return merit.where(**fields).metric(name) if _has(merit, **fields) else None


def _rate(figure: MeritFigure | None) -> str:
    return f"{float(figure):.2f}" if figure is not None and figure.defined else _NONE


def _with_counts(figure: MeritFigure) -> str:
    if not figure.defined:
        return _NONE
    bound = "≤ " if figure.bound is not None else ""
    return f"{bound}{float(figure):.2f} ({figure.counts.numerator}/{figure.counts.denominator})"


def _number(figure: MeritFigure) -> str:
    return number(float(figure)) if figure.defined else _NONE


def _amount(figure: MeritFigure, sign: str = "") -> str:
    """Return an amount of money or tokens with three significant digits, whatever its size."""
    return f"{float(figure):{sign},.3g}".replace("-", "−") if figure.defined else _NONE


def _two(value: float | None) -> str:
    return _NONE if value is None else f"{value:.2f}"


def _p(value: float | None) -> str:
    return _NONE if value is None else number(value)
