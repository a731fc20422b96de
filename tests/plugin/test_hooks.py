"""The hooks: what the document shows is what happens, and a hook that fails never lets a gate pass."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_memuse.gate.baseline import Identity, JudgedBy
from pytest_memuse.gate.rulings import Outcome
from pytest_memuse.model import MemuseError
from pytest_memuse.plugin import hooking, hookspecs
from pytest_memuse.plugin.ruling import Ruling
from tests.plugin.project import Project
from tests.reports.sessions import compared, run

pytest_plugins = "pytester"

PAGE = (Path(__file__).parents[2] / "docs" / "hooks.md").read_text(encoding="utf-8")
IDENTITY = Identity(JudgedBy("tracer", "2"))


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_documented_hooks_do_what_the_document_says(tmp_path: Path) -> None:
    project = Project.make(tmp_path / "project", arcs=1)
    conftest, arcs, index = (project.folder / name for name in ("conftest.py", "arcs.yaml", "index.version"))
    conftest.write_text(conftest.read_text() + "\n\n" + "\n\n".join(_blocks("python")))
    arcs.write_text(arcs.read_text().replace("Use the port.", "Use the port, see TICKET-12345678."))
    index.write_text("7\n")
    recorded = project.run("--memuse-record-mode=once", "--memuse-update=main")
    assert recorded.code == 0, recorded.out
    assert not [name for name, content in project.recordings().items() if b"12345678" in content]
    assert _baseline(project)["shop"]["identity"]["extra"] == {"index": "7"}

    index.write_text("8\n")
    ran = project.run("--memuse-baseline=main", "--memuse-inconclusive=fail", "--memuse-json=out.json")
    assert ran.code == 1, ran.out
    shown = _blocks("text")
    for line in (*shown[0].splitlines(), *shown[1].splitlines()):
        assert line in ran.out.splitlines()
    figures = json.loads((project.folder / "out.json").read_text())["suites"]["shop"]["gate"]["figures"]
    assert (figures["harm_yield"]["outcome"], figures["harm_yield"]["usual_outcome"]) == ("fail", "fail")
    assert (figures["delivered_tokens"]["outcome"], figures["delivered_tokens"]["usual_outcome"]) == ("pass", "fail")
    assert "harm must be shown to hold" in ran.failures["test_shop.test_tasks_are_solved.gate[harm_yield]"]
    assert "test_shop.test_tasks_are_solved.gate[delivered_tokens]" not in ran.failures
    published = json.loads((project.folder / "history.jsonl").read_text())
    assert published["figures"]["delivered_tokens"][2] == "pass"


@pytest.mark.long
@pytest.mark.parametrize("raising", ["RuntimeError('the dashboard is down')", "pytest.exit('done', returncode=0)"])
def test_a_hook_that_raises_fails_the_gate_with_its_name(project: Project, raising: str) -> None:
    code = raising if raising.startswith("pytest.") else f"raise {raising}"
    _add(project, "conftest.py", f"\n\ndef pytest_memuse_comparison(config):\n    {code}\n")
    ran = project.run("--memuse-baseline=main")
    assert ran.code == 1, ran.out
    failure = ran.failures["test_shop.test_tasks_are_solved.gate[comparison]"]
    assert "the hook pytest_memuse_comparison of conftest.py raised" in failure
    if "dashboard" in raising:
        assert failure.strip() == _blocks("text")[2].strip()


@pytest.mark.long
def test_hooks_are_called_in_the_controller(project: Project) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    hook = """

def pytest_memuse_verdict(config, figure):
    from pytest_memuse.plugin.ruling import Ruling

    assert not hasattr(config, "workerinput")
    return Ruling("fail", "not today") if figure.name == "harm_yield" else None
"""
    _add(project, "conftest.py", hook)
    ran = project.run("--memuse-baseline=main", "-n2")
    assert list(ran.failures) == ["test_shop.test_tasks_are_solved.gate[harm_yield]"]
    assert "fail by conftest.py: not today" in ran.out


@pytest.mark.long
def test_a_hook_that_only_workers_would_load_fails_the_gate(project: Project) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    below = project.folder / "below"
    below.mkdir()
    for name in ("test_shop.py", "arcs.yaml"):
        (project.folder / name).rename(below / name)
    (below / "conftest.py").write_text("def pytest_memuse_verdict(config):\n    return None\n")
    ran = project.run("--memuse-baseline=main", "-n2")
    assert ran.code == 1, ran.out
    assert "pytest_memuse_verdict in below/conftest.py is loaded by the workers only" in ran.out
    assert project.run("--memuse-baseline=main").code == 0


@pytest.mark.long
def test_rulings_are_kept_in_the_baseline_and_a_redaction_rule_that_is_none_fails(project: Project) -> None:
    hook = """

def pytest_memuse_verdict(figure):
    from pytest_memuse.plugin.ruling import Ruling

    return Ruling("warn", "known") if figure.name == "harm_yield" else None
"""
    _add(project, "conftest.py", hook)
    ran = project.run("--memuse-baseline=main", "--memuse-update=next")
    assert ran.code == 0, ran.out
    assert _baseline(project, "next")["shop"]["rulings"] == {
        "harm_yield": "pass by the settings; warn by conftest.py: known"
    }
    _add(project, "conftest.py", "\n\ndef pytest_memuse_redaction():\n    return ['port: (']\n")
    refused = project.run("--memuse-baseline=main")
    assert refused.code == 1
    assert "the hook pytest_memuse_redaction of conftest.py cannot be used: memuse_redact: 'port: ('" in refused.out


def _baseline(project: Project, name: str = "main") -> dict[str, Any]:
    suites: dict[str, Any] = json.loads((project.folder / "baselines" / f"{name}.json").read_text())["suites"]
    return suites


def _add(project: Project, name: str, code: str) -> None:
    path = project.folder / name
    path.write_text(path.read_text() + code)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def pytest_memuse_verdit(config): pass", "unknown hook 'pytest_memuse_verdit'"),
        ("def pytest_memuse_verdict(config, sute): pass", "Argument(s) {'sute'} are declared in the hookimpl"),
    ],
)
def test_a_misspelt_hook_is_refused_by_pytest(pytester: pytest.Pytester, code: str, told: str) -> None:
    pytester.makeconftest(code)
    pytester.makepyfile("def test_plain(): pass")
    ran = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    assert ran.ret != 0
    assert told in ran.stdout.str() + ran.stderr.str()


class Asked:
    """A pytest configuration with plugins that implement one hook each."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        hookspecs_known = hasattr(config.hook, "pytest_memuse_verdict")
        assert hookspecs_known, "the plugin is not loaded"

    def add(self, name: str, hook: str, function: Callable[..., Any]) -> None:
        plugin = type("Plugin", (), {hook: staticmethod(function)})()
        self.config.pluginmanager.register(plugin, name)


@pytest.fixture
def asked(pytester: pytest.Pytester) -> Asked:
    return Asked(pytester.parseconfig())


def _calls(config: pytest.Config) -> dict[str, Callable[[], object]]:
    """Return what asks each hook."""
    comparison = compared(run(harmful=False), run(harmful=False))
    return {
        "pytest_memuse_identity": lambda: hooking.extra_identity(config, "shop", IDENTITY),
        "pytest_memuse_comparison": lambda: hooking.observe(config, "shop", comparison, ()),
        "pytest_memuse_verdict": lambda: hooking.decide(config, "shop", comparison, "pass"),
        "pytest_memuse_redaction": lambda: hooking.redaction_rules(config),
    }


def _raising(error: BaseException) -> Callable[..., Any]:
    def hook() -> None:
        raise error

    return hook


@pytest.mark.parametrize(
    "error",
    [ValueError("no"), SystemExit(0), pytest.exit.Exception("no", 0), pytest.skip.Exception("no"), GeneratorExit()],
    ids=lambda error: type(error).__name__,
)
def test_whatever_a_hook_raises_is_an_error_with_its_name(asked: Asked, error: BaseException) -> None:
    for hook, call in _calls(asked.config).items():
        asked.add(f"bad-{hook}", hook, _raising(error))
        with pytest.raises(MemuseError, match=f"the hook {hook} of bad-{hook} raised {type(error).__name__}"):
            call()


@pytest.mark.parametrize(
    ("hook", "answer", "told"),
    [
        ("pytest_memuse_identity", {"index": 7}, "it must map texts to texts, and gave 'index': 7"),
        ("pytest_memuse_identity", ["index"], "it must return a mapping of at most 100 entries or None"),
        ("pytest_memuse_identity", {"\x1b[2J": "7"}, "must be a printable name"),
        ("pytest_memuse_identity", {"index": "7" * 1_001}, "its value have at most 1000"),
        ("pytest_memuse_verdict", "fail", "it must return a Ruling or None, and returned 'fail'"),
        ("pytest_memuse_verdict", Ruling("fial", "no"), "not 'fial'; did you mean 'fail'?"),  # type: ignore[arg-type]
        ("pytest_memuse_verdict", Ruling("fail", " "), "a ruling needs a reason"),
        ("pytest_memuse_redaction", "port: x", "it must return a list of texts or None"),
        ("pytest_memuse_redaction", ["port: ("], "memuse_redact: 'port: \\('"),
    ],
)
def test_an_answer_that_is_none_is_an_error_that_says_so(asked: Asked, hook: str, answer: object, told: str) -> None:
    asked.add("bad", hook, lambda: answer)
    with pytest.raises(MemuseError, match=f"the hook {hook} of bad cannot be used: .*{told}"):
        _calls(asked.config)[hook]()


def test_answers_of_several_plugins_are_put_together(asked: Asked) -> None:
    asked.add("one", "pytest_memuse_identity", lambda suite: {"index": suite})
    asked.add("two", "pytest_memuse_identity", lambda identity: {"prompt": identity.judge.kind, "index": "shop"})
    asked.add("three", "pytest_memuse_identity", lambda: None)
    assert hooking.extra_identity(asked.config, "shop", IDENTITY) == {"index": "shop", "prompt": "tracer"}
    asked.add("four", "pytest_memuse_identity", lambda: {"index": "other"})
    with pytest.raises(MemuseError, match=r"'index' is '(other|shop)', and '(other|shop)' according to (one|four)"):
        hooking.extra_identity(asked.config, "shop", IDENTITY)
    asked.add("rules", "pytest_memuse_redaction", lambda: ("ticket: T-[0-9]+",))
    assert hooking.redaction_rules(asked.config) == ["ticket: T-[0-9]+"]


def test_the_strictest_ruling_counts_and_every_one_is_told(asked: Asked) -> None:
    asked.add("mild", "pytest_memuse_verdict", lambda figure: Ruling("pass", f"waived {figure.name}"))
    asked.add("strict", "pytest_memuse_verdict", lambda figure, outcome: Ruling("fail", f"not {outcome}"))
    comparison = compared(run(harmful=False), run(harmful=True))
    decided = hooking.decide(asked.config, "shop", comparison, "warn")
    assert {one.outcome for one in decided} == {Outcome.FAIL}
    harm = next(one for one in decided if one.figure.name == "harm_yield")
    assert set(harm.told.split("; ")) == {"pass by mild: waived harm_yield", "fail by strict: not fail"}


def test_hooks_see_what_was_compared(asked: Asked) -> None:
    seen = []
    asked.add("look", "pytest_memuse_comparison", lambda suite, comparison, decided: seen.append((suite, decided)))
    comparison = compared(run(harmful=False), run(harmful=True))
    decided = hooking.decide(asked.config, "shop", comparison, "pass")
    hooking.observe(asked.config, "shop", comparison, decided)
    assert seen == [("shop", decided)]


def test_what_only_workers_know_is_refused(asked: Asked) -> None:
    asked.add("here", "pytest_memuse_verdict", lambda: None)
    asked.add("rules", "pytest_memuse_redaction", lambda: None)
    assert hooking.hooks_here(asked.config) == ["pytest_memuse_verdict in here"]
    hooking.check_hooks(asked.config, ["pytest_memuse_verdict in here"])
    with pytest.raises(MemuseError, match=r"pytest_memuse_verdict in below/conftest\.py is loaded by the workers only"):
        hooking.check_hooks(asked.config, ["pytest_memuse_verdict in below/conftest.py"])


def test_every_hook_is_documented_in_both_places() -> None:
    for name in (name for name in vars(hookspecs) if name.startswith("pytest_memuse_")):
        assert "code-block:: python" in (getattr(hookspecs, name).__doc__ or "")
        assert f"`{name}(" in PAGE
