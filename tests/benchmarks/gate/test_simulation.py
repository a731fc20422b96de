"""The simulation's own parts: the generator file, its small expressions, and what is kept when it is stopped."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.gate.expressions import BadExpression, parse
from tests.benchmarks.gate.generators import FILE, generators
from tests.benchmarks.gate.rows import Cell
from tests.benchmarks.gate.simulation import Kept, batch, main
from tests.cases.episodes import OWN_CASES, MalformedCase

OWN = (OWN_CASES / FILE).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "mean"),
    [
        ("1+poisson(1)", 2.0),
        ("beta(0.6,3)", 0.6 / 3.6),
        ("lognormal(6,0.5)", np.exp(6.125)),
        ("0.7 * r", 0.35),
        ("-2 + round(3 * r) / 4", -2 + 1.5 / 4),
        (0.15, 0.15),
    ],
)
def test_an_expression_has_the_mean_of_its_draws(text, mean):
    expression = parse(text)
    assert expression.mean(0.5) == pytest.approx(mean)
    drawn = expression.draw(np.random.default_rng(0), (200_000,), 0.5).mean()
    assert drawn == pytest.approx(mean, rel=0.02) or "round" in str(text)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "(1).__class__",
        "2 ** 9999999",
        "beta(0.6)",
        "beta(r, 3)",
        "poisson(lam=1)",
        "s",
        "True",
        "1 if 1 else 2",
        "'a'",
        "(" * 90 + "1" + ")" * 90 + " +",
        "1 + " * 60 + "1",
    ],
)
def test_whatever_else_could_be_written_is_refused(text):
    with pytest.raises(BadExpression):
        parse(text)


def test_the_file_holds_three_generators_two_of_them_as_remarks():
    found = generators().by_name
    assert set(found) == {"dense", "sparse", "repeats"}
    assert found["sparse"].relevance.mean() == pytest.approx(0.3 / 6.3)
    assert (found["sparse"].acted_on, found["sparse"].harmed, found["sparse"].corroborated) == (0.1, 0.02, 0.6)
    assert found["repeats"].repeats == 3
    assert found["repeats"].spans.mean() == pytest.approx(3.0)


def test_changed_parameters_are_those_that_are_simulated(tmp_path):
    changed = OWN.replace("harmed: 0.05", "harmed: 0.5").replace(
        '"beta(0.3, 6)", acted_on 0.1', '"beta(3, 6)", acted_on 0.2'
    )
    changed = changed.replace("three repeats a task", "two repeats a task")
    (tmp_path / FILE).write_text(changed, encoding="utf-8")
    found = generators(tmp_path / FILE).by_name
    assert (found["dense"].harmed, found["repeats"].harmed, found["sparse"].harmed) == (0.5, 0.5, 0.02)
    assert (found["sparse"].acted_on, found["repeats"].repeats) == (0.2, 2)
    assert found["sparse"].relevance.mean() == pytest.approx(1 / 3)


def test_a_mapping_goes_before_the_remark_of_its_name(tmp_path):
    (tmp_path / FILE).write_text(OWN + "\nsparse: {acted_on: 0.4}\nempty: {relevance: 0}\n", encoding="utf-8")
    found = generators(tmp_path / FILE).by_name
    assert (found["sparse"].acted_on, found["sparse"].harmed) == (0.4, 0.05)
    assert found["empty"].relevance.mean() == 0


@pytest.mark.parametrize("damage", ["dense: [1]", "changes: {}", "dense: {colour: 3}", "a: ["])
def test_a_file_of_another_form_is_refused_with_its_name(tmp_path, damage):
    (tmp_path / FILE).write_text(damage, encoding="utf-8")
    with pytest.raises(MalformedCase, match=FILE):
        generators(tmp_path / FILE)


def test_a_build_is_its_seeds_whatever_was_simulated_before():
    cell = Cell("verdicts", "dense", 10, "none", 200)
    whole = batch(cell, 0, 6)
    parts = [batch(cell, 3, 3), batch(cell, 0, 3)]
    assert whole == [sum(column) for column in zip(*parts, strict=True)]


def test_what_is_kept_goes_on_where_it_stopped_and_only_for_the_same_seeds(tmp_path):
    kept = Kept(0, tmp_path / "kept.json")
    cell = Cell("verdicts", "dense", 10, "none", 200)
    kept.add(cell, 3, batch(cell, 0, 3))
    kept.write()
    again = Kept.read(0, tmp_path / "kept.json")
    assert (again.builds, again.sums) == (kept.builds, kept.sums)
    assert Kept.read(7, tmp_path / "kept.json").builds == {}


def test_one_command_prints_a_table(capsys):
    options = "--builds 2 --arcs 8 --generators dense --changes none harm --workers 1 --resamples 200"
    assert main(["verdicts", *options.split(" ")]) == 0
    printed = capsys.readouterr().out
    assert "| dense | 8 | 2 |" in printed
    assert "| harm | dense | 8 | 2 |" in printed
    assert "Measured once" in printed


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="an interrupt is sent to a process group, which is POSIX")
def test_an_interrupt_prints_and_keeps_what_was_done(tmp_path):
    file = tmp_path / "kept.json"
    command = [sys.executable, "-m", "tests.benchmarks.gate.simulation", "verdicts", "--keep", str(file)]
    options = ["--generators", "dense", "--arcs", "8", "500", "--changes", "none", "--builds", "20", "--workers", "1"]
    process = subprocess.Popen(
        [*command, *options],
        cwd=Path(__file__).parents[3],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    for _ in range(600):
        if file.exists() or process.poll() is not None:
            break
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    printed, told = process.communicate(timeout=60)
    assert process.returncode == 130, told
    assert "stopped" in told
    assert "| dense | 8 | 20 |" in printed
    assert list(json.loads(file.read_text())["builds"].values()) == [20]
