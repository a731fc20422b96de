"""The fields of a file of arcs, one by one."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from pytest_memuse.arcs.types import Action, Format, Kind, Tier
from pytest_memuse.arcs.worlds import NAME
from pytest_memuse.episodes.specs import Name


def _identifier(name: str) -> str:
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name: a small letter, then small letters, digits and underscores")
    return name


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


Identifier = Annotated[str, AfterValidator(_identifier)]
Text = Annotated[str, Field(min_length=1, max_length=2_000)]
Cell = Annotated[str, Field(max_length=2_000)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_listed), Field(min_length=1, max_length=20)]
Rows = Annotated[tuple[dict[Identifier, Cell], ...], Field(max_length=1_000)]
World = Annotated[dict[Identifier, Rows], Field(max_length=20)]


class _Field(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class GoldField(_Field):
    """A fact: what it is about, its value, and the values that it had before."""

    subject: Text
    value: Text
    superseded: Annotated[tuple[Text, ...], BeforeValidator(_listed)] = ()


class RowField(_Field):
    """A row that a check looks for."""

    table: Identifier
    where: dict[Identifier, Cell] = Field(default_factory=dict)
    expects: dict[Identifier, Cell] = Field(default_factory=dict)
    contains: dict[Identifier, Text] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _asks_for_something(self) -> "RowField":
        if not self.expects and not self.contains:
            raise ValueError("a check needs `expects` or `contains`")
        return self


class EpisodeField(_Field):
    """One episode. Probes have gold facts and a check, independent episodes a check, plants and updates gold facts."""

    id: Name
    kind: Kind
    user: Texts
    gold: tuple[GoldField, ...] = ()
    check: tuple[RowField, ...] = ()

    @field_validator("check", mode="before")
    @classmethod
    def _one_or_more(cls, value: object) -> object:
        return [value] if isinstance(value, dict) else value

    @model_validator(mode="after")
    def _has_what_its_kind_needs(self) -> "EpisodeField":
        wants_gold, wants_check = self.kind is not Kind.INDEPENDENT, self.kind.acts
        if bool(self.gold) is not wants_gold:
            raise ValueError(f"an episode of kind {self.kind} has {'' if wants_gold else 'no '}`gold` facts")
        if bool(self.check) is not wants_check:
            raise ValueError(f"an episode of kind {self.kind} has {'a' if wants_check else 'no'} `check`")
        return self


class WrittenField(_Field):
    """How an argument is written that a tool stores."""

    about: str = ""
    format: Format = Format.TEXT
    at_most: str = ""
    optional: bool = False


class ToolField(_Field):
    """A tool, by what it does to one table: read rows, change one, add one, or put one (add it or change it).

    ``by`` are columns that choose rows, ``search`` columns that are searched for a text, ``set`` columns that are
    written.
    """

    name: Identifier
    about: str = ""
    read: Identifier | None = None
    change: Identifier | None = None
    add: Identifier | None = None
    put: Identifier | None = None
    by: Annotated[tuple[Identifier, ...], BeforeValidator(_listed)] = ()
    search: Annotated[tuple[Identifier, ...], BeforeValidator(_listed)] = ()
    set: dict[Identifier, WrittenField] = Field(default_factory=dict)

    @field_validator("set", mode="before")
    @classmethod
    def _names_alone(cls, value: object) -> object:
        if isinstance(value, str):
            return {value: {}}
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return {each: {} for each in value}
        return value

    @model_validator(mode="after")
    def _does_one_thing(self) -> "ToolField":
        if sum(table is not None for table in (self.read, self.change, self.add, self.put)) != 1:
            raise ValueError("a tool has one of `read`, `change`, `add` and `put`, with the table that it is about")
        columns = [*self.by, *self.search, *self.set]
        if len(set(columns)) != len(columns) or not columns:
            raise ValueError("a tool has parameters in `by`, `search` and `set`, each once")
        if self.read is not None and self.set:
            raise ValueError("a tool that reads has no `set`")
        if self.read is None and (self.search or not self.set):
            raise ValueError("a tool that writes has `set` and no `search`")
        if (self.change or self.put) and not self.by:
            raise ValueError("a tool that changes a row has `by`, the columns that choose it")
        return self

    def does(self) -> tuple[Action, str]:
        """Return what the tool does, and to which table."""
        given = {Action.READ: self.read, Action.UPDATE: self.change, Action.INSERT: self.add, Action.PUT: self.put}
        return next((action, table) for action, table in given.items() if table is not None)


class ArcField(_Field):
    """One arc. Tables in its ``world`` stand instead of the file's of the same name."""

    id: Name
    tier: Tier = Tier.EASY
    world: World = Field(default_factory=dict)
    episodes: tuple[EpisodeField, ...] = Field(min_length=1, max_length=50)

    @model_validator(mode="after")
    def _episodes_are_told_apart(self) -> "ArcField":
        _unique([episode.id for episode in self.episodes], "episode")
        return self


class FileField(_Field):
    """A file of arcs."""

    domain: Name
    world: World = Field(default_factory=dict)
    tools: tuple[ToolField, ...] = Field(min_length=1, max_length=40)
    arcs: tuple[ArcField, ...] = Field(min_length=1, max_length=500)

    @model_validator(mode="after")
    def _names_are_told_apart(self) -> "FileField":
        _unique([arc.id for arc in self.arcs], "arc")
        _unique([tool.name for tool in self.tools], "tool")
        return self


FIELDS = frozenset(
    name
    for model in (FileField, ArcField, EpisodeField, GoldField, RowField, ToolField, WrittenField)
    for name in model.model_fields
)
"""The names of all fields."""


def _unique(names: list[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{what} {name!r} is there twice")
        seen.add(name)
