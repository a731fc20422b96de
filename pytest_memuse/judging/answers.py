"""What a judge says of an entry: the five signals, their anchors and notes (MemUse 3.4, A.2.2, A.2.3)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from pytest_memuse.model import Episode
from pytest_memuse.spans.types import Span


class Signal(StrEnum):
    """The five signals."""

    RELEVANCE = "relevance"
    ACCURACY = "accuracy"
    NOVELTY = "novelty"
    INFLUENCE = "influence"
    EFFECT = "effect"


class Accuracy(StrEnum):
    CORROBORATED = "corroborated"
    CONTRADICTED = "contradicted"
    UNCONTRADICTED = "uncontradicted"


class Novelty(StrEnum):
    NOVEL = "novel"
    CONFIRMING = "confirming"
    REDUNDANT = "redundant"


class Influence(StrEnum):
    ACTED_ON = "acted_on"
    SELECTED = "selected"
    REFERENCED = "referenced"
    NONE = "none"


class Effect(StrEnum):
    IMPROVED = "improved"
    HARMED = "harmed"
    NO_EFFECT = "no_effect"


@dataclass(frozen=True, slots=True)
class Assessment:
    """One entry's signals; None is undetermined. ``anchors`` are the steps of actions that the entry shaped.

    ``window_read`` says whether the whole credit window was read, which tells *ambiguous* from *unclear* (3.5).
    ``notes`` explains a signal by its name.
    """

    relevance: bool | None
    accuracy: Accuracy | None
    novelty: Novelty | None
    influence: Influence | None
    effect: Effect | None
    anchors: tuple[int, ...] = ()
    window_read: bool = True
    notes: Mapping[Signal, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judgment:
    """An accepted assessment of every entry of a span, and the signals that this judge determines for it.

    A signal that is not in ``determines`` was not looked at; figures that rest on it are undefined. A signal that is
    in it may still be None: looked at, and undetermined. ``confidence``, from 0 to 1, is the judge's own and weights
    nothing; None where the judge states none. ``summary`` is what it says of the span as a whole.
    """

    span: str
    assessments: tuple[Assessment, ...]
    determines: frozenset[Signal] = frozenset(Signal)
    confidence: float | None = None
    summary: str = ""


@dataclass(frozen=True, slots=True)
class JudgeIdentity:
    """What shapes a judge's answers: its kind, model, semantic rubric version and settings."""

    kind: str
    version: str
    model: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        model = [f"model {self.model}"] if self.model else []
        settings = [f"{name}={value}" for name, value in sorted(self.settings.items())]
        return ", ".join([self.kind, f"version {self.version}", *model, *settings])

    def to_data(self) -> dict[str, Any]:
        """Return the identity as plain JSON data."""
        return {"kind": self.kind, "version": self.version, "model": self.model, "settings": dict(self.settings)}


class Judge(Protocol):
    """Turns one eligible span into a judgment, or None where no accepted answer was obtained (an error span)."""

    @property
    def identity(self) -> JudgeIdentity: ...

    def judge(self, episode: Episode, spans: tuple[Span, ...], span: Span) -> Judgment | None: ...
