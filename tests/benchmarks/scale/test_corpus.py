"""The corpus generator, at a size for every day, and what must hold of it at any size."""

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_memuse.execution import open_executor
from pytest_memuse.model.log import iter_episodes, read_log
from pytest_memuse.spans import build_spans
from tests.benchmarks.scale.corpus import PAPER, SMALL, equal_work, longer, write_corpus
from tests.benchmarks.scale.measuring import measure, read_file, relative_costs


def test_a_corpus_has_the_deliveries_and_spans_of_its_shape(tmp_path: Path) -> None:
    found = measure(write_corpus(tmp_path, SMALL)).read
    assert (found.episodes, found.deliveries, found.spans) == (SMALL.episodes, SMALL.deliveries, SMALL.spans)
    assert found.eligible == found.spans


def test_the_small_shape_is_the_papers_in_proportion() -> None:
    assert SMALL.deliveries / SMALL.episodes == pytest.approx(PAPER.deliveries / PAPER.episodes, rel=0.01)
    assert SMALL.spans / SMALL.episodes == pytest.approx(PAPER.spans / PAPER.episodes, rel=0.01)


def test_most_deliveries_restate_a_block_of_several_kilobytes_in_a_system_message(tmp_path: Path) -> None:
    restated = total = 0
    for path in write_corpus(tmp_path, SMALL):
        with path.open("rb") as file:
            for episode in iter_episodes(file, path.name):
                for span in build_spans(episode):
                    total += len(span.deliveries)
                    text = span.deliveries[0].placements[0].text or ""
                    if len(text) > 4000:
                        restated += len(span.deliveries) - 1
    assert restated > 0.8 * total


def test_the_same_seed_makes_the_same_corpus(tmp_path: Path) -> None:
    texts = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        (tmp_path / name).mkdir()
        texts.append([path.read_bytes() for path in write_corpus(tmp_path / name, SMALL, seed)])
    assert texts[0] == texts[1] != texts[2]


def test_longer_episodes_have_so_many_times_the_steps_deliveries_and_spans(tmp_path: Path) -> None:
    once = measure(write_corpus(tmp_path, SMALL)).read
    thrice = measure(write_corpus(tmp_path, longer(SMALL, 3))).read
    assert thrice.episodes == once.episodes
    assert (thrice.steps, thrice.deliveries, thrice.spans) == (3 * once.steps, 3 * once.deliveries, 3 * once.spans)


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "history"])
def test_files_of_equal_work_differ_only_in_how_many_episodes_share_it(exact: bool, tmp_path: Path) -> None:
    """Otherwise what the benchmark of long episodes compares would not be the length alone."""
    found = {}
    for length in (1, 4):
        folder = tmp_path / str(length)
        folder.mkdir()
        (path,) = write_corpus(folder, equal_work(length, 1, exact))
        found[length] = read_file(path)
    short, long = found[1], found[4]
    assert (short.episodes, long.episodes) == (8, 2)
    assert (short.steps, short.deliveries, short.spans, short.eligible) == (200, 208, 24, 24)
    assert (long.steps, long.deliveries, long.spans, long.eligible) == (200, 208, 24, 24)


def test_costs_are_compared_between_the_same_files_of_two_corpora(tmp_path: Path) -> None:
    corpora = {}
    for length in (1, 8):
        folder = tmp_path / str(length)
        folder.mkdir()
        corpora[length] = write_corpus(folder, equal_work(length, 1))
    assert {length: len(ratios) for length, ratios in relative_costs(corpora, 2).items()} == {8: 2}


def test_a_corpus_with_history_only_has_the_same_spans(tmp_path: Path) -> None:
    found = []
    for shape in (SMALL, replace(SMALL, exact=False)):
        spans = []
        for path in write_corpus(tmp_path, shape):
            with path.open("rb") as file:
                spans += [build_spans(episode) for episode in iter_episodes(file, path.name)]
        found.append(spans)
    assert found[0] == found[1]


def test_a_stream_gives_the_episodes_of_the_whole_log(tmp_path: Path) -> None:
    for path in write_corpus(tmp_path, SMALL):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        assert tuple(iter_episodes(lines, path.name)) == read_log(lines, path.name).episodes


@pytest.mark.slow
def test_files_read_in_two_processes_give_what_one_gives(tmp_path: Path) -> None:
    paths = write_corpus(tmp_path, SMALL)
    with open_executor("processes:2") as executor:
        assert executor is not None
        assert list(executor.map(read_file, paths)) == [read_file(path) for path in paths]
