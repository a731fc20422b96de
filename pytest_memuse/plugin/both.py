"""Recording a suite as it stands at a commit and as it stands now, in one session."""

import shutil
from collections.abc import Mapping
from dataclasses import replace

import pytest

from pytest_memuse.gate.saved_runs import work_folder
from pytest_memuse.model import MemuseError
from pytest_memuse.plugin.checkout import checked_out
from pytest_memuse.plugin.pairs import identity_of, other_command, other_environment, store_pair
from pytest_memuse.plugin.suites import Evaluation, SuiteRunner
from pytest_memuse.plugin.turns import OtherSide, Turns
from pytest_memuse.recording.files import load_recording, recording_path
from pytest_memuse.storage import safe_name


def evaluate_both(runner: SuiteRunner, item: pytest.Item, endpoints: Mapping[str, str]) -> Evaluation:
    """Record both sides in turn, store the other one as the pair of this one, and return this one's evaluation.

    The other side is the same test at the commit, run by a process of its own in a checkout; its recordings are left
    in the work folder, where `memuse show` reads them. Both sides are judged here, by this side's judge.
    """
    settings = runner.settings
    root = item.config.rootpath
    # Made first: the servers that it starts are those that both sides ask.
    runner.runner()
    folder = work_folder(root, "both", safe_name(runner.suite))
    shutil.rmtree(folder)
    folder = work_folder(root, "both", safe_name(runner.suite))
    with checked_out(root, settings.record_both) as then:
        command = other_command(item.config, item.nodeid.split("@memuse-")[0], folder)
        environment = other_environment(then.search, endpoints)
        with OtherSide(command, then.root, environment, folder / "output.txt") as other:
            turns = Turns(other)
            here = replace(runner, around=turns.around).evaluate()
    if not turns.recorded:
        raise MemuseError(
            f"suite {runner.suite!r} has no arc in common with {settings.record_both}",
            reason="no-pair",
            mend="name a commit at which the suite has these arcs",
        )
    recordings = [load_recording(recording_path(folder, runner.suite, arc)) for arc in turns.recorded]
    there = runner.judge_recordings(recordings)
    path = store_pair(
        settings,
        there.run,
        identity_of(there.identity),
        there.identity["recordings"],
        commit=then.commit,
        beside=here.identity["recordings"],
    )
    shown = path.relative_to(root) if path.is_relative_to(root) else path
    kept = f"recorded in turn with {then.commit[:10]}, whose side is stored in {shown}: commit it with the recordings"
    return replace(here, notes=(*here.notes, kept))
