"""Whether an arc's tasks are still those that were recorded, and from which episode on they are not."""

from dataclasses import dataclass
from pathlib import Path

from pytest_memuse.episodes.files_digest import FileDigests
from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.recording.recording import Recording


@dataclass(frozen=True, slots=True)
class TaskChange:
    """First episode that is not the recorded one, by its place in the arc and its name; the name may be gone."""

    position: int
    episode: str
    reason: str


def first_changed_episode(arc: ArcSpec, recording: Recording, base: Path | None) -> TaskChange | None:
    """Return where the arc first parts from its recording, None where it does not.

    An edited task, another order, an episode more or less: what stands before is kept by a refresh. Files are
    compared where the recording knows their digest and the folder is there, since a replay needs none.
    """
    recorded = recording.episodes
    digests = FileDigests(base) if base is not None else None
    for position, episode in enumerate(arc.episodes):
        if position >= len(recorded):
            return TaskChange(position, episode.id, "the episode was added after the arc was recorded")
        task = recorded[position].task
        if recorded[position].id != episode.id:
            return TaskChange(position, episode.id, "the arc's episodes are not those of the recording")
        if task.get("digest") != episode.digest:
            return TaskChange(position, episode.id, "the task was edited after it was recorded")
        known = task.get("files_digest")
        if known and episode.files is not None and digests is not None:
            now = digests.of(episode.files)
            if now is not None and now != known:
                return TaskChange(
                    position, episode.id, f"the files in {episode.files} were edited after the task was recorded"
                )
    if len(recorded) > len(arc.episodes):
        gone = recorded[len(arc.episodes)].id
        return TaskChange(len(arc.episodes), gone, "the episode was taken out of the arc after it was recorded")
    return None
