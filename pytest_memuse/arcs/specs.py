"""An arc over a world as every other room knows arcs: its tasks, by text, facts and digest."""

from dataclasses import asdict

from pytest_memuse.arcs.types import WorldArc, WorldEpisode
from pytest_memuse.episodes.specs import ArcSpec, EpisodeSpec
from pytest_memuse.model.digests import json_digest


def spec_of(arc: WorldArc) -> ArcSpec:
    """Return the arc's tasks as an arcs file would list them, so that its recording can be replayed and compared.

    A task's text is everything that the user says, its scope the arc. World, tools and check are part of its digest.
    """
    world = json_digest([{table: list(rows) for table, rows in arc.tables.items()}, [asdict(t) for t in arc.tools]])
    return ArcSpec(id=arc.id, episodes=tuple(_episode(arc.id, episode, world) for episode in arc.episodes))


def _episode(arc: str, episode: WorldEpisode, world: str) -> EpisodeSpec:
    check = None if episode.check is None else [asdict(row) for row in episode.check.rows]
    return EpisodeSpec.model_validate(
        {
            "id": episode.id,
            "task": "\n\n".join(episode.user),
            "scope": arc,
            "references": [asdict(fact) for fact in episode.gold],
            "kind": str(episode.kind),
            "check": json_digest([world, check]),
        }
    )
