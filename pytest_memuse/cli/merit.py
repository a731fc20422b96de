"""`memuse merit`: what it is called with; what it does is imported when it is run."""

import argparse
from pathlib import Path


def add_merit(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    merit = commands.add_parser(
        "merit",
        help="run arcs with known truth over memory conditions and print what memory was worth",
        description="Generate arcs with planted, updated and probed facts, run them under memory conditions, and print "
        "MERIT's tables: task success, ignore rate, stale-memory harm, tokens and money, marginal utility. Without "
        "--model a scripted stand-in is the agent: that costs nothing, guards the pipeline, and finds out nothing "
        "about any memory. The condition without memory always runs too, since the others are counted from it. Lists "
        "are separated by commas.",
    )
    merit.add_argument(
        "--file",
        type=Path,
        metavar="FILE.yaml",
        help="run the arcs of this file and not generated ones (docs/arcs.md says what the scripted agent understands)",
    )
    merit.add_argument("--domain", type=_names, metavar="LIST", help="domains; all unless given")
    merit.add_argument("--tier", type=_names, metavar="LIST", help="easy, medium, hard; all unless given")
    merit.add_argument("--condition", type=_names, metavar="LIST", help="memory conditions; all six unless given")
    merit.add_argument(
        "--variant", type=_names, default=("starter",), metavar="LIST", help="starter (no model), real, or both"
    )
    merit.add_argument("--arcs", type=int, default=10, metavar="N", help="arcs of each domain and tier (10)")
    merit.add_argument("--episodes", type=int, default=5, metavar="N", help="episodes of each arc, 4 to 6 (5)")
    merit.add_argument(
        "--dependent-ratio", type=float, default=0.5, metavar="R", help="share of tasks that need memory (0.5)"
    )
    merit.add_argument("--seed", type=_whole, default=(0,), metavar="LIST", help="seeds of the arcs (0)")
    merit.add_argument(
        "--corrupt", type=_names, default=(), metavar="LIST", help="run again with stale, contradiction, distractor"
    )
    merit.add_argument("--rate", type=_numbers, metavar="LIST", help="rates of --corrupt (0.1,0.3)")
    merit.add_argument(
        "--price",
        type=_numbers,
        metavar="IN,OUT",
        help="dollars for a million input and output tokens of the agent's model, where its API does not tell its cost",
    )
    merit.add_argument(
        "--model", default="", metavar="NAME", help="a real agent model, asked over HTTP: this costs money"
    )
    merit.add_argument("--base-url", default="", metavar="URL", help="its OpenAI-compatible API, up to /v1")
    merit.add_argument("--memory-model", default="", metavar="NAME", help="memory-side model of real variants")
    merit.add_argument("--embedder", default="", metavar="NAME", help="embedding model of real variants")
    merit.add_argument(
        "--memory-base-url", default="", metavar="URL", help="API of memory-side models; the agent's unless given"
    )
    merit.add_argument("--out", type=Path, metavar="FOLDER", help="write the recording of each arc there")
    merit.add_argument("--json", action="store_true", help="print everything as JSON, for programs")
    merit.set_defaults(run=_merit)


def _merit(options: argparse.Namespace) -> list[str]:
    from pytest_memuse.cli.merit_runs import merit

    return merit(options)


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _whole(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in _names(text))


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(part) for part in _names(text))
