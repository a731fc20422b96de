"""Baselines as values: the stored form of suites' runs, its seal and its versions. No file is touched here."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_memuse.gate import errors
from pytest_memuse.gate.fields import Fields
from pytest_memuse.model.digests import json_digest
from pytest_memuse.model.errors import FormatError, printable
from pytest_memuse.model.json_text import parse_json
from pytest_memuse.profiles.rows import Run
from pytest_memuse.profiles.serialise import run_from_dict, run_to_dict

FORMAT = 1
"""The format version that is written."""

_CONTAINERS = 1_000_000
"""Objects and lists in a file: an entry needs two or three."""


@dataclass(frozen=True, slots=True)
class JudgedBy:
    """The judge that gave the signals: kind, model, semantic rubric version and settings."""

    kind: str
    version: str
    model: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [self.kind, f"version {self.version}"]
        if self.model:
            parts.append(f"model {self.model}")
        parts += [f"{name}={value}" for name, value in sorted(self.settings.items())]
        return ", ".join(parts)

    @property
    def name(self) -> str:
        """The judge without its settings."""
        return str(replace(self, settings={}))

    def differences(self, now: "JudgedBy") -> tuple[str, ...]:
        """Return a text for each part and setting in which ``now`` differs."""
        pairs = [(part, getattr(self, part), getattr(now, part)) for part in ("kind", "version", "model")]
        names = sorted({*self.settings, *now.settings})
        pairs += [(printable(name), self.settings.get(name, ""), now.settings.get(name, "")) for name in names]
        return tuple(
            f"{part} {printable(then) or '(none)'} then, {printable(new) or '(none)'} now"
            for part, then, new in pairs
            if then != new
        )


@dataclass(frozen=True, slots=True)
class Identity:
    """What shapes a suite's figures. ``recorded_against`` labels what answered for the model when it was recorded,
    "scripted model" for instance, and is empty where that was the model itself. ``extra`` is what a project or a plugin
    adds.
    """

    judge: JudgedBy
    memory: str = ""
    agent: str = ""
    model: str = ""
    recorded_against: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)

    def differences(self, now: "Identity") -> tuple[str, ...]:
        """Return a line for each part, the judge apart, in which ``now`` differs."""
        parts = ("memory", "agent", "model", "recorded_against")
        pairs = [(part.replace("_", " "), getattr(self, part), getattr(now, part)) for part in parts]
        names = sorted({*self.extra, *now.extra})
        pairs += [(printable(name), self.extra.get(name, ""), now.extra.get(name, "")) for name in names]
        return tuple(
            f"{part}: {then or '(none)'} then, {now or '(none)'} now" for part, then, now in pairs if then != now
        )


@dataclass(frozen=True, slots=True)
class Promotion:
    """How a suite's run came to be the baseline.

    ``created`` is the date in ISO form, ``how`` the command, ``reason`` what its caller gave as one. ``replaced`` is
    the digest of the run that stood there before (`run_digest`), empty for the first. ``attempts`` is how often the
    suite's recordings were made since that one: what is picked from many is better than it is. ``regressed`` names the
    gated figures that were worse than those of the replaced run, and ``not_compared`` says why that is not known.
    ``added`` counts the tasks that came to stored ones which stayed as they were; 0 where the whole run was replaced.
    """

    created: str
    how: str
    reason: str = ""
    replaced: str = ""
    attempts: int = 0
    regressed: tuple[str, ...] = ()
    not_compared: str = ""
    added: int = 0


@dataclass(frozen=True, slots=True)
class SuiteBaseline:
    """One suite's run with its identity. ``recordings`` maps each arc to its recording's digest.

    ``attempts`` counts how often the suite's recordings were made, the refreshed ones included; ``created`` is the date
    that the caller gives, in ISO form. One side of a pair that was recorded in one session gives in ``paired`` the
    digests of the recordings on the other side, and in ``commit`` what it is the side of. ``promotions`` are the newest
    ones, the newest last, and ``forgotten`` counts the older ones that are not kept. ``rulings`` tells, by figure, who
    changed what its verdict did to the build when the run was compared.
    """

    run: Run
    identity: Identity
    recordings: Mapping[str, str]
    created: str
    attempts: int = 0
    commit: str = ""
    paired: Mapping[str, str] = field(default_factory=dict)
    promotions: tuple[Promotion, ...] = ()
    forgotten: int = 0
    rulings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Baseline:
    """A stored baseline: suites by name, and the product version that wrote it."""

    product: str
    suites: Mapping[str, SuiteBaseline] = field(default_factory=dict)

    def suite(self, name: str, baseline: str) -> SuiteBaseline:
        """Return a suite of this baseline, which is known as ``baseline``."""
        if name not in self.suites:
            raise errors.no_suite(baseline, name, sorted(self.suites))
        return self.suites[name]

    def with_suite(self, suite: SuiteBaseline, product: str) -> "Baseline":
        """Return this baseline with one suite put in or replaced, every other one kept."""
        return replace(self, product=product, suites={**self.suites, suite.run.suite: suite})


def run_digest(run: Run) -> str:
    """Return the digest by which a promotion names a run."""
    return json_digest(run_to_dict(run))


def check_judge(stored: SuiteBaseline, now: JudgedBy, baseline: str) -> None:
    """Raise unless the suite was judged by the judge that judges now, in the same version and settings."""
    then = stored.identity.judge
    if differences := then.differences(now):
        raise errors.another_judge(baseline, stored.run.suite, str(then), str(now), differences)


def baseline_text(baseline: Baseline, *, a_value_a_line: bool = True) -> str:
    """Return the text of a baseline's file: sealed, sorted, a value a line, and ASCII: safe to show in a diff.

    On a single line it is written several times faster, and read the same.
    """
    data = {
        "format": FORMAT,
        "product": baseline.product,
        "suites": {name: _suite_to_dict(suite) for name, suite in baseline.suites.items()},
    }
    return json.dumps({**data, "seal": json_digest(data)}, indent=1 if a_value_a_line else None, sort_keys=True) + "\n"


def parse_baseline(text: str, source: str) -> Baseline:
    """Return the baseline that a file's text holds; ``source`` names the file in errors."""
    return _read(_json_object(text, source), source)


def _read(data: Mapping[str, Any], source: str) -> Baseline:
    version = data.get("format")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise errors.unknown_format(source, "missing" if version is None else json.dumps(version)[:40])
    if version > FORMAT:
        raise errors.newer_format(source, version, FORMAT)
    return _READERS[version](data, source)


def _read_format_1(data: Mapping[str, Any], source: str) -> Baseline:
    unsealed = {key: value for key, value in data.items() if key != "seal"}
    if data.get("seal") != json_digest(unsealed):
        raise errors.edited(source)
    fields = Fields(data, source)
    suites = fields.child("suites")
    return Baseline(fields.text("product"), {name: _suite_from_dict(suites.child(name), name) for name in suites.names})


_READERS = {1: _read_format_1}


def _suite_to_dict(suite: SuiteBaseline) -> dict[str, Any]:
    identity, judge = suite.identity, suite.identity.judge
    return {
        "created": suite.created,
        "attempts": suite.attempts,
        "identity": {
            "judge": {
                "kind": judge.kind,
                "version": judge.version,
                "model": judge.model,
                "settings": dict(judge.settings),
            },
            "memory": identity.memory,
            "agent": identity.agent,
            "model": identity.model,
            "recorded_against": identity.recorded_against,
            **({"extra": dict(identity.extra)} if identity.extra else {}),
        },
        "recordings": dict(suite.recordings),
        **({"commit": suite.commit} if suite.commit else {}),
        **({"paired": dict(suite.paired)} if suite.paired else {}),
        **({"promotions": [_promotion_to_dict(one) for one in suite.promotions]} if suite.promotions else {}),
        **({"forgotten": suite.forgotten} if suite.forgotten else {}),
        **({"rulings": dict(suite.rulings)} if suite.rulings else {}),
        "run": run_to_dict(suite.run),
    }


def _suite_from_dict(fields: Fields, name: str) -> SuiteBaseline:
    identity = fields.child("identity")
    judge = identity.child("judge")
    run = fields.child("run")
    try:
        rows = run_from_dict(run.data)
    except FormatError as error:
        raise run.damaged(f"its rows cannot be read ({printable(str(error), 200)})") from error
    if rows.suite != name:
        raise run.damaged(f"the rows are of suite {printable(rows.suite)!r}")
    return SuiteBaseline(
        run=rows,
        identity=Identity(
            judge=JudgedBy(
                judge.text("kind"), judge.text("version"), judge.text("model"), judge.child("settings").texts()
            ),
            memory=identity.text("memory"),
            agent=identity.text("agent"),
            model=identity.text("model"),
            recorded_against=identity.text("recorded_against"),
            extra=identity.child("extra").texts() if "extra" in identity.data else {},
        ),
        recordings=fields.child("recordings").texts(),
        created=fields.text("created"),
        attempts=fields.count("attempts"),
        commit=fields.text("commit") if "commit" in fields.data else "",
        paired=fields.child("paired").texts() if "paired" in fields.data else {},
        promotions=tuple(_promotion_from_dict(one) for one in fields.children("promotions")),
        forgotten=fields.count("forgotten") if "forgotten" in fields.data else 0,
        rulings=fields.child("rulings").texts() if "rulings" in fields.data else {},
    )


def _promotion_to_dict(promotion: Promotion) -> dict[str, Any]:
    return {
        "created": promotion.created,
        "how": promotion.how,
        "reason": promotion.reason,
        "replaced": promotion.replaced,
        "attempts": promotion.attempts,
        "regressed": list(promotion.regressed),
        **({"not_compared": promotion.not_compared} if promotion.not_compared else {}),
        **({"added": promotion.added} if promotion.added else {}),
    }


def _promotion_from_dict(fields: Fields) -> Promotion:
    return Promotion(
        created=fields.text("created"),
        how=fields.text("how"),
        reason=fields.text("reason"),
        replaced=fields.text("replaced"),
        attempts=fields.count("attempts"),
        regressed=fields.text_list("regressed"),
        not_compared=fields.text("not_compared") if "not_compared" in fields.data else "",
        added=fields.count("added") if "added" in fields.data else 0,
    )


def _json_object(text: str, source: str) -> dict[str, Any]:
    try:
        data = parse_json(text, unique_keys=True, most_containers=_CONTAINERS)
    except json.JSONDecodeError as error:
        for number, line in enumerate(text.splitlines(), start=1):
            if line.startswith(("<<<<<<< ", ">>>>>>> ")):
                raise errors.conflicted(source, number) from error
        raise errors.damaged(source, f"not valid JSON ({error.msg})", line=error.lineno) from error
    except ValueError as error:
        raise errors.damaged(source, f"not valid JSON ({str(error)[:80]})") from error
    if not isinstance(data, dict):
        raise errors.damaged(source, "not a JSON object", line=1)
    return data
