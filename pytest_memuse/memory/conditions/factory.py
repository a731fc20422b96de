"""A condition by its name: which parts it is made of, and with which models."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from pytest_memuse.memory.conditions.condition import Condition
from pytest_memuse.memory.conditions.facts import FactStore, ModelExtraction, PatternExtraction
from pytest_memuse.memory.conditions.models import ChatModel, EmbeddingModel, HttpModel
from pytest_memuse.memory.conditions.parts import Part
from pytest_memuse.memory.conditions.replay import Transcripts
from pytest_memuse.memory.conditions.retrieval import EmbeddingRetrieval, KeywordRetrieval
from pytest_memuse.memory.conditions.summary import ModelSummary, TruncatedSummary
from pytest_memuse.model import MemuseError
from pytest_memuse.model.errors import nearest, printable

CONDITIONS = ("none", "replay", "retrieval", "summary", "facts", "hybrid")
"""The six conditions in the order of MERIT 3.4, C0 to C5."""

VARIANTS = ("starter", "real")
"""Without a model, and with memory-side models. None and full replay are the same in both."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a condition may be told beside its name. One set serves a whole grid: what a condition has no use for rests.

    ``count`` messages are retrieved. The starter summary keeps ``budget`` characters, the real one is asked for
    ``words``. The memory-side models, which are not the agent's, are named by ``llm_model`` and ``embedder_model``, and
    asked at OpenAI-compatible endpoints (``llm_base_url``, ``embedder_base_url``, the first for both where the second
    is left out) or by callables (``chat``, ``embedder``). ``llm_parameters`` go into chat requests as they are.
    ``timeout`` is in seconds.
    """

    count: int = 5
    budget: int = 800
    words: int = 200
    llm_model: str = ""
    llm_base_url: str = ""
    llm_parameters: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0})
    embedder_model: str = ""
    embedder_base_url: str = ""
    api_key: str = field(default="not-needed", repr=False)
    timeout: float = 60.0
    chat: ChatModel | None = None
    embedder: EmbeddingModel | None = None

    def __post_init__(self) -> None:
        for name in ("count", "budget", "words", "timeout"):
            value = getattr(self, name)
            whole = name != "timeout"
            if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)) or not value > 0:
                raise MemuseError(
                    f"{name} must be a {'whole ' if whole else ''}number above 0, found {printable(repr(value))}",
                    reason="bad-setting",
                    mend=f"correct it, or leave {name} out",
                )


def condition(
    name: str,
    variant: str = "starter",
    *,
    folder: Path | None = None,
    characters: int | None = None,
    **settings: Any,
) -> Condition:
    """Return one of the six memory conditions of MERIT 3.4, ready to be a suite's memory system.

    ``name`` is one of `CONDITIONS`, ``variant`` one of `VARIANTS`; ``settings`` are those of `Settings`. With
    ``folder`` the store is kept there as a file, without it in memory. ``characters`` bounds the delivered block: full
    replay then leaves out its earliest messages, every other condition what comes last. Raises `MemuseError` for names
    that do not exist, and for a real variant without the models that it needs.
    """
    _known("condition", name, CONDITIONS)
    _known("variant", variant, VARIANTS)
    for each in settings:
        _known("setting", each, [known.name for known in fields(Settings)])
    closing: list[Callable[[], None]] = []
    maker = _Maker(name, Settings(**settings), closing)
    makers: Mapping[str, Mapping[str, tuple[Callable[[], Part], ...]]] = {
        "none": {"starter": (), "real": ()},
        "replay": {"starter": (Transcripts,), "real": (Transcripts,)},
        "retrieval": {"starter": (maker.keywords,), "real": (maker.embeddings,)},
        "summary": {"starter": (maker.truncation,), "real": (maker.rewriting,)},
        "facts": {"starter": (maker.patterns,), "real": (maker.extraction,)},
        "hybrid": {"starter": (maker.patterns, maker.keywords), "real": (maker.extraction, maker.embeddings)},
    }
    parts = [make() for make in makers[name][variant]]
    return Condition(name, variant, parts, folder=folder, characters=characters, closing=closing)


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes the parts of one condition from its settings, and gathers what is to be closed."""

    condition: str
    settings: Settings
    closing: list[Callable[[], None]]

    def keywords(self) -> Part:
        return KeywordRetrieval(self.settings.count, heading=self._heading("From earlier conversations:"))

    def embeddings(self) -> Part:
        model = self._model("embedder", self.settings.embedder, self.settings.embedder_base_url, "/embeddings")
        heading = self._heading("From earlier conversations:")
        return EmbeddingRetrieval(model, self.settings.embedder_model, self.settings.count, heading=heading)

    def truncation(self) -> Part:
        return TruncatedSummary(self.settings.budget)

    def rewriting(self) -> Part:
        chat, settings = self._chat(), self.settings
        return ModelSummary(chat, settings.llm_model, settings.words, settings.llm_parameters)

    def patterns(self) -> Part:
        return FactStore(PatternExtraction(), heading=self._heading("Facts:"))

    def extraction(self) -> Part:
        extractor = ModelExtraction(self._chat(), self.settings.llm_model, self.settings.llm_parameters)
        return FactStore(extractor, heading=self._heading("Facts:"))

    def _heading(self, text: str) -> str:
        # Only where two parts stand in one block do they need names.
        return text if self.condition == "hybrid" else ""

    def _chat(self) -> ChatModel:
        return self._model("llm", self.settings.chat, "", "/chat/completions")

    def _model(self, kind: str, model: ChatModel | None, base_url: str, path: str) -> ChatModel:
        address = base_url or self.settings.llm_base_url
        if not getattr(self.settings, f"{kind}_model"):
            raise self._lacking(f"{kind}_model", "the memory-side model is pinned apart from the agent's")
        if model is not None:
            return model
        if not address:
            raise self._lacking(f"{kind}_base_url", "it says where the model is asked")
        made = HttpModel(address, path, api_key=self.settings.api_key, timeout=self.settings.timeout)
        self.closing.append(made.close)
        return made

    def _lacking(self, setting: str, why: str) -> MemuseError:
        return MemuseError(
            f"the real variant of the condition {self.condition!r} needs {setting}: {why}",
            reason="bad-setting",
            mend=f"condition({self.condition!r}, 'real', {setting}='...'), or take the starter variant",
        )


def _known(what: str, word: str, known: "tuple[str, ...] | list[str]") -> None:
    if word not in known:
        raise MemuseError(
            f"there is no {what} {printable(str(word))!r}{nearest(str(word), known)}",
            reason=f"no-such-{what}",
            mend=f"the {what}s are {', '.join(known)}",
        )
