"""What stands above an entry diff: in what the two runs were made differently."""

import re
from collections.abc import Mapping

from pytest_memuse.gate.baseline import Identity, JudgedBy
from pytest_memuse.model.errors import printable

_PART = re.compile(r"(?:^|, )(?=[\w.-]{1,60}=)")
_PARTS = ("memory", "agent", "model", "recorded_against")
_LISTED = 8


def identity_lines(then: Identity, now: Identity) -> list[str]:
    """Return a line for each part of the identities that differs, the judge apart, with what differs in it."""
    pairs = [(part.replace("_", " "), getattr(then, part), getattr(now, part)) for part in _PARTS]
    extra = sorted({*then.extra, *now.extra})
    pairs += [(printable(name, 60), then.extra.get(name, ""), now.extra.get(name, "")) for name in extra]
    return [
        f"made differently: {name}: {_difference(before, after)}" for name, before, after in pairs if before != after
    ]


def judge_line(then: JudgedBy, now: JudgedBy, *, forced: bool) -> str:
    """Return what is said of two judges; ``forced`` says that their judgments are compared all the same."""
    told = f"judged by {printable(str(then), 120)} then, by {printable(str(now), 120)} now: "
    if forced:
        return told + "compared all the same (--force), though a difference may be the judges'"
    return told + "judgments of different judges are not compared (--force does)"


def _difference(before: str, after: str) -> str:
    settings_then, settings_now = _settings(before), _settings(after)
    if not settings_then or not settings_now:
        return f"{printable(before, 160) or '(none)'} then, {printable(after, 160) or '(none)'} now"
    names = [name for name in {**settings_then, **settings_now} if settings_then.get(name) != settings_now.get(name)]
    told = [
        f"{printable(name, 60)}={_value(settings_then, name)} then, {_value(settings_now, name)} now"
        for name in names[:_LISTED]
    ]
    more = [f"and {len(names) - _LISTED} more settings"] if len(names) > _LISTED else []
    return "; ".join(told + more)


def _value(settings: Mapping[str, str], name: str) -> str:
    return printable(settings[name], 120) if name in settings else "(none)"


def _settings(text: str) -> dict[str, str]:
    """Return the settings of ``name=value, name=value``; empty where the text is something else."""
    parts = [part for part in _PART.split(text) if part]
    found = dict(part.split("=", 1) for part in parts if "=" in part)
    return found if len(found) == len(parts) else {}
