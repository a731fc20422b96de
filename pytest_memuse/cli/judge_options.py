"""Options of the commands that judge: which judge, where its answers are kept, and how a model is asked."""

import argparse
from pathlib import Path

JUDGES = "tracer, annotations:FILE, llm:MODEL, records:DIR, or several joined by +"


def judge_options() -> argparse.ArgumentParser:
    """Return a parent for the parsers of commands that name judges by themselves."""
    parent = argparse.ArgumentParser(add_help=False)
    group = parent.add_argument_group(
        "judges that ask a model",
        "What it will cost is printed before anything is asked. The key is read from the environment. A limit is for "
        "each judge; spans beyond it are left unjudged.",
    )
    group.add_argument(
        "--records",
        type=Path,
        metavar="DIR",
        help="keep accepted answers here, and take those that are here already instead of asking again",
    )
    group.add_argument(
        "--api-base",
        metavar="URL",
        help="the OpenAI-compatible endpoint of llm:MODEL, such as http://localhost:8080/v1; MODEL@URL says the same",
    )
    group.add_argument("--parallel", type=_whole, metavar="N", help="spans that are asked about at a time (default: 5)")
    group.add_argument("--max-spans", type=_whole, metavar="N", help="ask about at most so many spans")
    group.add_argument("--max-calls", type=_whole, metavar="N", help="begin no further span after so many calls")
    group.add_argument("--max-tokens", type=_whole, metavar="N", help="nor after so many tokens, input and output")
    group.add_argument("--max-dollars", type=_dollars, metavar="USD", help="nor after so much money, as LiteLLM prices")
    return parent


def judging_options() -> argparse.ArgumentParser:
    """Return a parent for the parsers of commands that have one judge."""
    parent = argparse.ArgumentParser(add_help=False, parents=[judge_options()])
    parent.add_argument("--judge", default="tracer", metavar="NAME", help=f"the judge: {JUDGES} (default: tracer)")
    return parent


def _whole(text: str) -> int:
    """Return a number of at least 0; what is bounded by it may ask for more."""
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise argparse.ArgumentTypeError(f"a whole number is needed, not {text[:40]!r}")
    return int(text)


def _dollars(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise argparse.ArgumentTypeError(f"an amount in US dollars is needed, such as 2.50, not {text[:40]!r}")
    return found
