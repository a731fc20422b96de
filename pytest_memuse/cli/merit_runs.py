"""What `memuse merit` does: it runs the cells of a grid, tells how far it is, and prints the tables."""

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from pytest_memuse.arcs.cells import Cell, Shape, conditions_with, generated, grid, grid_over, run_cells, written
from pytest_memuse.arcs.domains import DOMAINS
from pytest_memuse.arcs.files import load_arcs
from pytest_memuse.arcs.loop import ChatModel
from pytest_memuse.arcs.merit import Merit
from pytest_memuse.arcs.metering import Price
from pytest_memuse.arcs.metrics import RATES
from pytest_memuse.arcs.models import HttpChatModel
from pytest_memuse.arcs.progress import PLAIN_SECONDS, TERMINAL_SECONDS, GridProgress
from pytest_memuse.arcs.running import ArcRun
from pytest_memuse.arcs.scores import ScoredEpisode
from pytest_memuse.arcs.scripted import MODEL_NAME, ScriptedModel
from pytest_memuse.arcs.types import Tier
from pytest_memuse.memory.conditions import CONDITIONS
from pytest_memuse.model.errors import MemuseError
from pytest_memuse.recording.files import save_recording
from pytest_memuse.reports.merit import merit_lines
from pytest_memuse.reports.merit_data import merit_data


def merit(options: argparse.Namespace) -> list[str]:
    """Run the grid that the options ask for and return its tables, or its data as JSON."""
    memories = {
        "conditions": options.condition or CONDITIONS,
        "variants": options.variant,
        "corruptions": options.corrupt,
        "rates": (options.rate or RATES) if options.corrupt else (),
    }
    if options.file is not None:
        own = load_arcs(options.file)
        cells, arcs = grid_over(own, **memories), written(own)
        count = sum(len(arcs(cell)) for cell in cells)
    else:
        where = {"domains": options.domain or tuple(DOMAINS), "tiers": options.tier or tuple(Tier)}
        cells = grid(**where, seeds=options.seed, **memories)
        arcs = generated(Shape(options.arcs, options.episodes, options.dependent_ratio))
        count = len(cells) * options.arcs
    terminal = sys.stderr.isatty()
    every = TERMINAL_SECONDS if terminal else PLAIN_SECONDS
    progress = GridProgress(count, partial(_say, terminal), time.monotonic, every=every)
    scored: list[ScoredEpisode] = []
    with ExitStack() as stack:
        model = _model(options, stack)
        memory = conditions_with(_settings(options))
        for cell, run in run_cells(cells, model, arcs=arcs, memory=memory, prices=_prices(options)):
            scored += run.scored
            progress.count(cell)
            if options.out is not None:
                _save(options.out, cell, run)
    if terminal:
        sys.stderr.write("\r\x1b[K")
    found = Merit.of(scored)
    return [json.dumps(merit_data(found), indent=1, sort_keys=True)] if options.json else merit_lines(found)


def _say(terminal: bool, text: str) -> None:
    print(f"\r\x1b[Kmemuse: {text}" if terminal else f"memuse: {text}", end="" if terminal else "\n", file=sys.stderr)
    sys.stderr.flush()


def _model(options: argparse.Namespace, stack: ExitStack) -> ChatModel:
    if not options.model:
        return ScriptedModel()
    if not options.base_url:
        raise MemuseError("--model needs --base-url", reason="merit", mend="say where the model is asked: https://…/v1")
    model = HttpChatModel(options.model, options.base_url, api_key=_key())
    stack.callback(model.close)
    return model


def _key() -> str:
    return os.environ.get("OPENAI_API_KEY") or "not-needed"


def _settings(options: argparse.Namespace) -> Mapping[str, str]:
    """Return the settings of conditions that have a model of their own. Raises `MemuseError` where one is missing."""
    if "real" in options.variant:
        conditions = set(options.condition or CONDITIONS)
        for needed, given, which in (
            ("--memory-model", options.memory_model, {"summary", "facts", "hybrid"}),
            ("--embedder", options.embedder, {"retrieval", "hybrid"}),
        ):
            if not given and conditions & which:
                raise MemuseError(
                    f"--variant real needs {needed} for {', '.join(sorted(conditions & which))}",
                    reason="merit",
                    mend="the memory-side model is pinned apart from the agent's; name it, or take the starter variant",
                )
    given = {
        "llm_model": options.memory_model,
        "llm_base_url": options.memory_base_url or options.base_url,
        "embedder_model": options.embedder,
        "api_key": _key(),
    }
    return {name: value for name, value in given.items() if value}


def _prices(options: argparse.Namespace) -> Mapping[str, Price]:
    if options.price is None:
        return {}
    if len(options.price) != 2 or min(options.price) < 0:
        raise MemuseError(
            "--price takes two numbers, dollars for a million input and output tokens",
            reason="merit",
            mend="--price 0.40,1.60",
        )
    return {options.model or MODEL_NAME: Price(*options.price)}


def _save(folder: Path, cell: Cell, run: ArcRun) -> None:
    corruption = f"{cell.corruption}-{cell.rate:g}" if cell.corruption else ""
    name = "-".join(part for part in (cell.condition, cell.variant, corruption) if part)
    save_recording(folder / name / f"{run.recording.arc}.jsonl", run.recording)
