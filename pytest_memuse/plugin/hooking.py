"""Asking the hooks: each plugin by itself, so that an answer or an error can be told with the name of who gave it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_memuse.gate.baseline import Identity
from pytest_memuse.gate.comparison import Comparison
from pytest_memuse.gate.rulings import Decided, Outcome, Ruled, usual_outcome
from pytest_memuse.model.errors import MemuseError, inert, nearest, printable
from pytest_memuse.plugin import hookspecs
from pytest_memuse.plugin.ruling import Ruling

_REDACTION = "pytest_memuse_redaction"
_NAMES = tuple(name for name in vars(hookspecs) if name.startswith("pytest_memuse_"))
_MOST = 100
_LONGEST = 1_000


def check_hooks(config: pytest.Config, elsewhere: Sequence[str] = ()) -> None:
    """Raise `MemuseError` where a hook of ``elsewhere``, which is `hooks_here` of the workers, is not known here.

    Misspelt names need no check: pytest refuses them when it loads the module.
    """
    unheard = sorted(set(elsewhere) - set(hooks_here(config)))
    if unheard:
        raise MemuseError(
            f"a hook would not be called: {'; '.join(map(inert, unheard))} is loaded by the workers only",
            reason="hook",
            mend="move it to the conftest.py of the root folder, or to a plugin, which are loaded everywhere",
        )


def hooks_here(config: pytest.Config) -> list[str]:
    """Return the hooks that are implemented in this process, each as ``NAME in WHO``, redaction apart.

    Redaction is asked where it is needed, in the workers.
    """
    return [
        f"{name} in {_who(config, plugin)}"
        for name in _NAMES
        if name != _REDACTION
        for plugin in _implementing(config, name)
    ]


def extra_identity(config: pytest.Config, suite: str, identity: Identity) -> dict[str, str]:
    """Return what plugins add to a suite's identity. Raises `MemuseError` for a hook that fails or answers wrongly."""
    found: dict[str, tuple[str, str]] = {}
    for who, answer in _asked(config, "pytest_memuse_identity", suite=suite, identity=identity):
        for name, value in _entries(answer, who).items():
            known, by = found.setdefault(name, (value, who))
            if known != value:
                raise _wrong("pytest_memuse_identity", who, f"{name!r} is {value!r}, and {known!r} according to {by}")
    return {name: value for name, (value, _) in sorted(found.items())}


def decide(config: pytest.Config, suite: str, comparison: Comparison, inconclusive: str) -> tuple[Decided, ...]:
    """Return what each gated figure does to the build, and who changed that.

    ``inconclusive`` is the word of ``memuse_inconclusive``. Raises `MemuseError` for a hook that fails or answers
    wrongly.
    """
    name, decided = "pytest_memuse_verdict", []
    for figure in comparison.figures:
        usual = usual_outcome(figure, inconclusive)
        rulings = []
        asked = _asked(config, name, suite=suite, figure=figure, verdict=figure.verdict, outcome=usual)
        for who, answer in asked:
            rulings.append(_ruled(answer, who))
        decided.append(Decided(figure, usual, tuple(rulings)))
    return tuple(decided)


def observe(config: pytest.Config, suite: str, comparison: Comparison, decided: Sequence[Decided]) -> None:
    """Show a comparison to those that want to see it. Raises `MemuseError` for a hook that fails."""
    for _ in _asked(config, "pytest_memuse_comparison", suite=suite, comparison=comparison, decided=decided):
        pass


def redaction_rules(config: pytest.Config) -> list[str]:
    """Return the rules that plugins add. Raises `MemuseError` for a hook that fails or answers wrongly."""
    from pytest_memuse.recording.redaction import parse_rules

    found: list[str] = []
    for who, answer in _asked(config, _REDACTION):
        if isinstance(answer, str) or not isinstance(answer, Sequence) or not all(isinstance(r, str) for r in answer):
            raise _wrong(_REDACTION, who, f"it must return a list of texts or None, and returned {answer!r}")
        try:
            parse_rules(answer)
        except MemuseError as error:
            raise _wrong(_REDACTION, who, str(error)) from error
        found += answer
    return found


def _asked(config: pytest.Config, name: str, **arguments: Any) -> Iterator[tuple[str, Any]]:
    """Call a hook of each plugin that implements it and yield who answered what; None is no answer."""
    manager = config.pluginmanager
    implementing = _implementing(config, name)
    for plugin in implementing:
        who = _who(config, plugin)
        alone = manager.subset_hook_caller(name, [other for other in implementing if other is not plugin])
        try:
            answers = alone(config=config, **arguments)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # Also what pytest.skip, pytest.exit and sys.exit raise: none of them is to end a gate that has not passed.
            raise MemuseError(
                f"the hook {name} of {who} raised {type(error).__name__}: {inert(str(error), 1_000)}",
                reason="hook",
                mend="mend the hook; a gate whose hook fails is not passed",
            ) from error
        for answer in answers if isinstance(answers, list) else [answers]:
            if answer is not None:
                yield who, answer


def _implementing(config: pytest.Config, name: str) -> list[object]:
    hook = getattr(config.hook, name)
    return list(dict.fromkeys(implementation.plugin for implementation in hook.get_hookimpls()))


def _who(config: pytest.Config, plugin: object) -> str:
    """Return a plugin's name; of a conftest.py its path from the root folder."""
    name = config.pluginmanager.get_name(plugin) or ""
    if name in ("", str(id(plugin))):
        # It was registered without a name; the one that it got is another in every process.
        kind = type(plugin)
        name = f"{kind.__module__}.{kind.__qualname__}"
    path = Path(name)
    if path.is_absolute() and path.is_relative_to(config.rootpath):
        name = path.relative_to(config.rootpath).as_posix()
    return inert(name, 200)


def _ruled(answer: object, who: str) -> Ruled:
    name, words = "pytest_memuse_verdict", [outcome.value for outcome in Outcome]
    if not isinstance(answer, Ruling):
        raise _wrong(name, who, f"it must return a Ruling or None, and returned {answer!r}")
    if answer.outcome not in words:
        told = nearest(str(answer.outcome), words)
        raise _wrong(name, who, f"an outcome is one of {', '.join(words)}, not {answer.outcome!r}{told}")
    if not isinstance(answer.reason, str) or not answer.reason.strip():
        raise _wrong(name, who, "a ruling needs a reason, which is shown beside the verdict")
    return Ruled(Outcome(answer.outcome), answer.reason, who)


def _entries(answer: object, who: str) -> Mapping[str, str]:
    name = "pytest_memuse_identity"
    if not isinstance(answer, Mapping) or len(answer) > _MOST:
        raise _wrong(name, who, f"it must return a mapping of at most {_MOST} entries or None")
    for key, value in answer.items():
        if not (isinstance(key, str) and isinstance(value, str)):
            raise _wrong(name, who, f"it must map texts to texts, and gave {key!r}: {value!r}")
        if not key or len(key) > _MOST or printable(key) != key or len(value) > _LONGEST:
            raise _wrong(
                name,
                who,
                f"{key!r} must be a printable name of at most {_MOST} characters and its value have at most {_LONGEST}",
            )
    return answer


def _wrong(name: str, who: str, problem: str) -> MemuseError:
    return MemuseError(
        f"the hook {name} of {who} cannot be used: {inert(problem, 1_000)}",
        reason="hook",
        mend="see docs/hooks.md for what it returns",
    )
