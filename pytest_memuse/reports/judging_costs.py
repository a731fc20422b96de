"""What asking a model will take, as it is told before the first call."""

from pytest_memuse.judging.estimate import Estimate, Experience
from pytest_memuse.judging.llm.provider import Price
from pytest_memuse.model.errors import printable
from pytest_memuse.reports.numbers import counted, number

_MILLION = 1_000_000


def asking_lines(model: str, found: Estimate, experience: Experience, price: Price | None, kept_in: str) -> list[str]:
    """Return what will be asked and what that will take: spans, calls, tokens and, where the price is known, money.

    ``kept_in`` names the folder of the records, empty where answers are not kept. Nothing is to be said of the cost
    where no span is asked about.
    """
    head = f"{printable(model, 120)}: {counted(found.spans, 'span')} to ask about"
    if found.kept:
        head += f"; {_are(found.kept)} in the records and not asked about again"
    if found.beyond:
        head += f"; {_are(found.beyond)} beyond the limit of spans and left unjudged"
    if not found.spans:
        return [head]
    own = f"the average of {counted(experience.spans, 'record')} of its own"
    whose = own if experience.spans else "the average of the paper's judge"
    return [
        head,
        f"  about {found.calls_a_span:.3g} calls a span ({whose}): {found.calls:,} calls, {found.input_tokens:,} input "
        f"tokens before caching; {found.least_tokens:,} of these are what every answer requires, read once",
        "  " + _money(found, experience, price),
        f"  answers are kept in {kept_in}: Ctrl-C loses none that was accepted"
        if kept_in
        else "  answers are not kept: with --records DIR none is asked for twice, and Ctrl-C loses none",
    ]


def _money(found: Estimate, experience: Experience, price: Price | None) -> str:
    if price is None:
        return "the price is unknown: LiteLLM's table does not have the model; bound it with --max-calls or --max-spans"
    whole = found.input_tokens * price.input
    told = f"about {_dollars(whole)} for the input without caching"
    share = experience.cached_share
    if share is not None and price.cached is not None:
        cached = found.input_tokens * ((1 - share) * price.input + share * price.cached)
        whose = "as so far" if experience.spans else "as in the paper"
        told += f", {_dollars(cached)} where {share:.1%} of it is cached, {whose}"
    output = experience.output_a_span
    if output is None:
        return f"{told}; output is {number(price.output * _MILLION)} USD a million tokens on top, reasoning included"
    return f"{told}; {_dollars(output * found.spans * price.output)} for the output, as so far"


def _dollars(amount: float) -> str:
    return f"{number(amount)} USD"


def _are(amount: int) -> str:
    return "1 is" if amount == 1 else f"{amount:,} are"
