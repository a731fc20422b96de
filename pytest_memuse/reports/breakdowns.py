"""What stands beside a profile's figures, for a terminal: where delivered text goes, what use and outcome say."""

from collections.abc import Iterable, Sequence

from pytest_memuse.model.errors import printable
from pytest_memuse.profiles.breakdowns import HiddenByOutcomes
from pytest_memuse.profiles.delivered import FormShares
from pytest_memuse.profiles.profile import Profile
from pytest_memuse.profiles.share import Share
from pytest_memuse.reports.numbers import counted, number, shared
from pytest_memuse.reports.table import table

_LISTED = 5


def breakdown_lines(profile: Profile, *, everything: bool = False) -> list[str]:
    """Return the breakdowns of a profile, a paragraph each: forms, routes, outcomes against effects.

    ``everything`` adds volume by outcome class, entries that went unused, recurring items, and accuracy against effect.
    """
    paragraphs = [
        _forms("form", profile.forms),
        _forms("route", profile.routes),
        _effects(profile),
    ]
    if everything:
        paragraphs += [_volumes(profile), _unused(profile), _recurring(profile)]
    return [line for lines in paragraphs if lines for line in ("", *lines)]


def _forms(word: str, forms: Sequence[FormShares]) -> list[str]:
    if not forms:
        return []
    head = [
        f"by {word}",
        "spans",
        "delivered tokens",
        "of the beneficial",
        "relevant",
        "acted on",
        "harmful",
        "selected",
        "restated",
    ]
    rows = [
        [
            form.form or "(none)",
            f"{form.spans:,}",
            ("at least " if form.unknown_sizes else "") + shared(form.tokens, short=True),
            *(
                shared(share, short=True)
                for share in (
                    form.beneficial,
                    form.relevant,
                    form.acted_on,
                    form.harmful,
                    form.selected,
                    form.restatements,
                )
            ),
        ]
        for form in forms
    ]
    shares = (s for f in forms for s in (f.beneficial, f.relevant, f.acted_on, f.harmful, f.selected))
    return [*table(head, rows, frozenset(range(1, len(head)))), *_reasons(shares)]


def _reasons(shares: Iterable[Share]) -> list[str]:
    """Return why some of the shares are undefined, each reason once."""
    reasons = dict.fromkeys(share.undefined for share in shares if share.part is None and share.undefined)
    return [f"undefined: {printable(reason, 200)}" for reason in reasons]


def _effects(profile: Profile) -> list[str]:
    hidden, effects, delays = profile.hidden_by_outcomes, profile.conditional_effects, profile.delays
    lines = [
        "outcomes against effects",
        f"  beneficial use, and the episode failed: {_hidden(hidden, hidden.beneficial_failed, hidden.beneficial)}",
        f"  harmful use, and the episode passed: {_hidden(hidden, hidden.harmful_passed, hidden.harmful)}",
    ]
    if hidden.unknown_outcomes:
        lines.append(f"  left out, their outcome is unknown: {counted(hidden.unknown_outcomes, 'episode')}")
    if effects.undefined:
        return [*lines, f"  acted-on entries and their delays are undefined: {printable(effects.undefined, 200)}"]
    lines.append(
        f"  effects of {counted(effects.acted_on, 'acted-on entry')}: {effects.improved} improved, "
        f"{effects.harmed} harmed, {effects.no_effect} without effect, {effects.undetermined} undetermined"
    )
    if delays.steps:
        lines.append(
            f"  first acted on after the step that first read the entry: {shared(delays.later)}, five or more steps "
            f"later: {shared(delays.five_or_more)}, latest: {delays.steps[-1]}"
        )
    if delays.unknown:
        lines.append(f"  delay unknown, no action is named: {counted(delays.unknown, 'acted-on entry')}")
    accuracy = profile.effects_by_accuracy
    if accuracy is not None and (accuracy.harmful or accuracy.beneficial):
        contradicted = Share(accuracy.harmful_contradicted, accuracy.harmful)
        lines.append(
            f"  of the harmful entries, contradicted by the record: {shared(contradicted)}, of the others irrelevant: "
            f"{accuracy.harmful_irrelevant}; beneficial though contradicted: "
            f"{shared(Share(accuracy.beneficial_contradicted, accuracy.beneficial))}"
        )
    return lines


def _hidden(hidden: HiddenByOutcomes, part: int, whole: int) -> str:
    """Return a share of episodes, with the reason where it is undefined."""
    told = shared(Share(None if hidden.undefined else part, whole))
    return f"{told}, {printable(hidden.undefined, 200)}" if hidden.undefined else told


def _volumes(profile: Profile) -> list[str]:
    rows = [
        [
            label,
            f"{volume.spans:,}",
            f"{volume.deliveries:,}",
            f"{volume.characters:,}",
            ("at least " if volume.unknown_sizes else "") + shared(volume.tokens, short=True),
        ]
        for label, volume in profile.volumes.items()
        if volume.spans
    ]
    if not rows:
        return []
    head = ["by label", "spans", "deliveries", "characters", "delivered tokens"]
    return table(head, rows, frozenset({1, 2, 3, 4}))


def _unused(profile: Profile) -> list[str]:
    unused = profile.unused
    return [
        f"ignored entries: {unused.irrelevant} irrelevant; of the others {unused.novel} novel, {unused.confirming} "
        f"confirming, {unused.redundant} redundant, {unused.undetermined} of undetermined novelty; "
        f"{unused.relevant} known to be relevant"
    ]


def _recurring(profile: Profile) -> list[str]:
    recurring = profile.recurring
    lines = [
        f"items delivered in {number(recurring.threshold)} or more episodes: {len(recurring.items)}; relevant entries "
        f"that are theirs: {shared(Share(recurring.relevant_recurring, recurring.relevant))}; episodes reached by a "
        f"relevant entry of another item: {shared(Share(recurring.episodes_without, recurring.episodes))}"
    ]
    lines += [f"  {printable('/'.join(filter(None, item)))}" for item in recurring.items[:_LISTED]]
    if len(recurring.items) > _LISTED:
        lines.append(f"  and {len(recurring.items) - _LISTED} more")
    return lines
