"""MERIT's figures as data for programs: every cell, differences with their families, and the controls."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from pytest_memuse.arcs.controls import FLOOR, memory_titles
from pytest_memuse.arcs.economics import DOLLARS, TOKENS, Unit
from pytest_memuse.arcs.figure import MeritFigure
from pytest_memuse.arcs.inference import Family
from pytest_memuse.arcs.merit import METRICS, Merit
from pytest_memuse.arcs.scores import ScoredEpisode
from pytest_memuse.reports.data import figure_data, plain
from pytest_memuse.reports.profile import SCRIPTED

_CELL = ("model", "domain", "tier", "condition", "variant")


def merit_data(merit: Merit) -> dict[str, Any]:
    """Return everything that scored episodes hold: one entry a cell, one an agent model and memory, and the episodes.

    ``finding`` is False where a scripted stand-in was the agent: such figures guard the pipeline.
    """
    models = list(dict.fromkeys(episode.model for episode in merit.episodes))
    return {
        "finding": not any(model.startswith(SCRIPTED) for model in models),
        "models": [_of_model(merit.where(model=model)) | {"model": model} for model in models],
        "controls": [
            {
                "model": control.model,
                "floor": figure_data(control.floor),
                "control": figure_data(control.control),
                "success": {name: figure_data(figure) for name, figure in control.success.items()},
                "relative": {name: figure_data(figure) for name, figure in control.relative.items()},
                "warning": control.warning,
            }
            for control in merit.models()
        ],
        "cells": [_cell(merit, key) for key in dict.fromkeys(map(_key, merit.clean))],
        "episodes": [_episode(episode) for episode in merit.episodes],
    }


def _key(episode: ScoredEpisode) -> tuple[str, ...]:
    return tuple(str(getattr(episode, field)) for field in _CELL)


def _cell(merit: Merit, key: tuple[str, ...]) -> dict[str, Any]:
    named = dict(zip(_CELL, key, strict=True))
    cell = merit.where(**named)
    return named | {"figures": {name: figure_data(cell.metric(name)) for name in METRICS}}


def _of_model(merit: Merit) -> dict[str, Any]:
    memories = {
        title: merit.where(condition=condition, variant=variant)
        for (condition, variant), title in memory_titles(merit.episodes).items()
    }
    harms = {
        f"{title}, {corruption} at {rate:g}": memory.stale_harm(corruption, rate)
        for title, memory in memories.items()
        for corruption, rate in dict.fromkeys((e.corruption, e.rate) for e in memory.episodes if e.corruption)
    }
    tiers = list(dict.fromkeys(str(episode.tier) for episode in merit.clean))
    gains = {
        f"{tier}, {title}": memory.where(tier=tier).gain
        for tier in tiers
        for title, memory in memories.items()
        if title != FLOOR and merit.floor and any(e.tier == tier for e in memory.episodes)
    }
    return {
        "gain_over_no_memory": _family(merit.family("gain over no memory", gains), gains),
        "stale_memory_harm": _family(merit.family("stale-memory harm", harms), harms),
        "utility": {
            title: {unit.name: _utility(memory, unit) for unit in (DOLLARS, TOKENS)}
            for title, memory in memories.items()
            if title != FLOOR and merit.floor
        },
        "seeds": {
            tier: {
                title: plain(memory.where(tier=tier).seeds("dependent_success"))
                for title, memory in memories.items()
                if any(e.tier == tier for e in memory.episodes)
            }
            for tier in tiers
        },
    }


def _utility(memory: Merit, unit: Unit) -> dict[str, Any]:
    found = memory.utility(unit)
    named = {field: figure_data(getattr(found, field)) for field in ("gain", "extra", "camu", "break_even")}
    return named | {"trade": str(found.trade)}


def _family(found: Family, figures: Mapping[str, MeritFigure]) -> list[dict[str, Any]]:
    return [
        {
            "name": member.name,
            "difference": figure_data(figures[member.name]),
            "p": member.comparison.p,
            "adjusted_p": member.adjusted,
            "finding": str(member.finding),
            "method": str(member.comparison.method),
            "arcs": member.comparison.arcs,
            "differing_arcs": member.comparison.differing,
        }
        for member in found.members
    ]


def _episode(episode: ScoredEpisode) -> dict[str, Any]:
    return {field.name: plain(getattr(episode, field.name)) for field in fields(episode)}
