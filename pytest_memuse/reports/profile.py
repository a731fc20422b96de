"""A profile for a terminal: every figure with its interval and counts."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from pytest_memuse.model.errors import printable
from pytest_memuse.profiles.figures import FIGURES
from pytest_memuse.profiles.profile import Profile
from pytest_memuse.reports.numbers import counted, number, span
from pytest_memuse.reports.table import table

SCRIPTED = "memuse-scripted"
"""Prefix of the model names that the shipped stand-in gives itself."""

_SHOWN = (
    "outcome_rate",
    "relevance_share",
    "corroboration_share",
    "information_gain_share",
    "acted_on_share",
    "benefit_share",
    "harm_share",
    "benefit_yield",
    "harm_yield",
    "coverage_beneficial",
    "coverage_harmful",
    "token_efficiency",
    "delivered_tokens",
    "effect_uncertainty",
)


def recorded_against(identity: Mapping[str, Any]) -> str:
    """Return what the agent's model was, with the label that a stand-in must bear."""
    model = str(identity.get("recorded_against", ""))
    if not model:
        return "an unknown model"
    if model.startswith(SCRIPTED):
        return f"{model}, a scripted stand-in: these figures are no finding about the memory system"
    return model


def judge_lines(judge: Mapping[str, Any]) -> list[str]:
    """Return who judged: kind, version and model; of several judges together one line more for each."""
    model = f", model {printable(str(judge['model']), 120)}" if judge.get("model") else ""
    kind = str(judge.get("kind", ""))
    lines = [f"judged by {printable(kind)} {printable(str(judge.get('version', '')))}{model}"]
    if kind != "combined":
        return lines
    settings = {str(name): str(value) for name, value in dict(judge.get("settings", {})).items()}
    return lines + [f"  {printable(name, 20)}: {printable(settings[name], 300)}" for name in sorted(settings)]


def profile_lines(profile: Profile, identity: Mapping[str, Any], *, everything: bool = False) -> list[str]:
    """Return the profile of one suite: a line of what it rests on, then a table of figures.

    ``everything`` shows every figure that a profile holds; otherwise those that people look at first.
    """
    run = profile.run
    judge = identity.get("judge", {})
    head = (
        f"suite {printable(run.suite)}: {counted(len(run.arcs), 'arc')}, {counted(len(run.episodes), 'episode')}, "
        f"{counted(profile.profiled_spans, 'profiled span')}, {counted(profile.tokens, 'delivered token')}"
    )
    rows = []
    for name in FIGURES if everything else _SHOWN:
        figure = profile.figure(name)
        title = FIGURES[name].title
        if figure.defined:
            bound = f"{figure.bound} " if figure.bound else ""
            interval = span(*(figure.interval or (None, None))) + (" (rough)" if figure.rough else "")
            rows.append([title, bound + number(float(figure)), interval, str(figure.counts)])
        else:
            rows.append([title, "undefined", "", figure.reason])
    notes = _notes(profile)
    first, *parts = judge_lines(judge)
    triage = ", ".join(f"{count} {label}" for label, count in profile.triage_counts.items() if count)
    return [
        head,
        f"recorded against {printable(recorded_against(identity), 200)}",
        f"{first}; spans: {triage or 'none'}",
        *parts,
        *notes,
        "",
        *table(["figure", "value", "95 % interval", "counts"], rows, frozenset({1})),
    ]


def _notes(profile: Profile) -> list[str]:
    """Return what keeps the figures from being read as they stand: unknown effects, spans that were not judged."""
    notes = [f"warning: {printable(warning, 300)}" for warning in profile.warnings]
    effects = profile.conditional_effects
    if effects.undetermined:
        notes.append(
            f"the effect of {effects.undetermined} of {counted(effects.acted_on, 'acted-on entry')} is undetermined: "
            "benefit, harm, yields and token efficiency are at least what is shown"
        )
    problems = Counter(problem for span in profile.run.spans for problem in span.problems)
    if problems:
        worst, times = problems.most_common(1)[0]
        notes.append(f"problem of {counted(times, 'span')}: {printable(worst, 200)}")
    return notes
