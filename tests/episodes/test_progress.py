"""What is told while a suite is recorded and replayed."""

from pytest_memuse.episodes.progress import Progress, Told


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def _progress(terminal: bool = False, **counts: int) -> tuple[Progress, Clock, list[Told]]:
    clock, said = Clock(), []
    return Progress("shop", said.append, clock, terminal=terminal, **counts), clock, said


def test_recording_tells_rate_and_time_left_once_they_are_known() -> None:
    progress, clock, said = _progress(to_record=6)
    progress.begin(certain=2)
    progress.recording("a", "1/3", "plant", 1, 2)
    clock.now += 30
    progress.recording("a", "1/3", "probe", 2, 2)
    clock.now += 50
    progress.end()
    clock.now += 1000  # judging is no recording time
    progress.begin(certain=2)
    progress.recording("b", "2/3", "plant", 1, 2)
    assert [line.text for line in said] == [
        "recording shop/a (1/3), episode 1/2 plant",
        "recording shop/a (1/3), episode 2/2 probe, 2.0 episodes/min, about 2 min left",
        "recording shop/b (2/3), episode 1/2 plant, 1.5 episodes/min, about 3 min left",
    ]


def test_arcs_that_may_turn_out_stale_make_the_time_left_a_bound() -> None:
    progress, clock, said = _progress(perhaps=4)
    progress.begin(perhaps=2)
    progress.recording("a", "1/2", "plant", 1, 2)
    clock.now += 6
    progress.recording("a", "1/2", "probe", 2, 2)
    assert said[-1].text.endswith("episode 2/2 probe, 10 episodes/min, at most 18 s left")


def test_a_quick_replay_is_not_told_of_and_a_long_one_not_too_often() -> None:
    progress, clock, said = _progress()
    progress.replaying("a", "1/2", 1, 4)
    assert said == []
    for number in range(2, 30):
        clock.now += 1
        progress.replaying("a", "1/2", number, 30)
    assert [line.text.split("episode ")[1] for line in said] == ["11/30", "21/30"]


def test_on_a_terminal_a_line_may_be_written_over() -> None:
    progress, clock, said = _progress(terminal=True)
    clock.now += 3
    progress.replaying("a", "1/2", 1, 4)
    progress.replaying("a", "1/2", 2, 4)
    assert [line.passing for line in said] == [True, True]
