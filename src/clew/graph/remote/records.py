"""What passes between a store and the server it stands for: facts, names and what was found out about the graph.

Apart from the dialects so that each of them fills in the same few records and the store never sees a query.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, Protocol

from clew.graph.remote.replies import Replies
from clew.protocols import Direction

Fact = tuple[str, str, str, str | None]
"""Ids of head, relation and tail, and the named graph the fact stands in."""


class Group(NamedTuple):
    """The facts of one entity in one direction and relation; what limits are shared out among."""

    entity: str
    forward: bool
    relation: str


@dataclass(frozen=True, slots=True)
class FactsWanted:
    """Which facts around which entities are asked for.

    `limit` is the most facts of one entity and `total` of all; both are shared out fairly among relations.
    """

    ids: Sequence[str]
    relations: Collection[str] | None = None  # the only ones that count
    excluded: Collection[str] = ()
    direction: Direction = "both"
    limit: int | None = None
    total: int | None = None
    labels: bool = True  # whether labels of what the facts lead to are wanted as well
    outward: Collection[str] = frozenset()  # those of `ids` of which only the facts are wanted that they are heads of

    @property
    def sides(self) -> list[bool]:
        """Whether facts are asked for whose head (True), whose tail (False) an entity is."""
        return [side for side, name in ((True, "out"), (False, "in")) if self.direction in (name, "both")]

    def asked(self, ids: Sequence[str], forward: bool) -> Sequence[str]:
        """Those of `ids` whose facts on one side are wanted: as heads (forward), or as tails."""
        return ids if forward or not self.outward else [id for id in ids if id not in self.outward]

    def takes(self, relation: str) -> bool:
        return (self.relations is None or relation in self.relations) and relation not in self.excluded


@dataclass(slots=True)
class Facts:
    """Facts around some entities."""

    rows: list[Fact] = field(default_factory=list)  # distinct
    labels: dict[str, str] = field(default_factory=dict)  # of the entities in them, where they have one
    cut: dict[str, int] = field(default_factory=dict)  # entity → facts that a limit left out


@dataclass(frozen=True, slots=True)
class Profile:
    """What was found out about a server once. Kept on disk; `at` says when."""

    engine: str  # "oxigraph", "virtuoso", …; "" where the server does not say
    triples: int | None  # None: counting took too long
    relations: tuple[tuple[str, str, int | None], ...]  # id, label, triples; sorted by id
    label_properties: tuple[str, ...]
    alias_properties: tuple[str, ...]
    languages: tuple[str, ...]  # of labels, as they are asked for
    text_search: str = ""  # dialect of the text index; "": none
    row_limit: int | None = None  # most rows the server gives in one reply
    details: Mapping[str, Any] = field(default_factory=dict)  # what only this kind of server has; JSON values
    notes: tuple[str, ...] = ()  # what an owner should know
    at: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Profile:
        relations = tuple((str(i), str(label), n) for i, label, n in data["relations"])
        lists = ("label_properties", "alias_properties", "languages", "notes")
        return cls(**{**data, **{key: tuple(data[key]) for key in lists}, "relations": relations})


@dataclass(slots=True)
class Traffic:
    """What a store has asked of its server so far."""

    requests: int = 0
    retries: int = 0
    cached: int = 0
    rows: int = 0
    bytes: int = 0
    seconds: float = 0.0


class GraphServer(Protocol):
    """A kind of server. Ids are those of the store; no method puts one into a query unescaped."""

    kind: str
    counts: str  # what `count` counts, in words
    shown: str  # the address without secrets
    traffic: Traffic

    def profile(self) -> Profile:
        """Look the graph over. Raises UnavailableError where nothing answers, InputError where it is no such server."""
        ...

    def use(self, profile: Profile) -> None:
        """Ask in the way that the profile found out."""
        ...

    def count(self) -> int | None:
        """How many triples, or nodes and relationships, there are now; None where counting takes too long.

        Kept replies do not count.
        """
        ...

    def keep(self, replies: Replies) -> None:
        """Answer from these replies, and add to them, from now on."""
        ...

    def forget(self) -> None:
        """Drop kept replies."""
        ...

    def facts(self, wanted: FactsWanted) -> Facts:
        """The facts around some entities."""
        ...

    def labels(self, ids: Sequence[str]) -> dict[str, str | None]:
        """The label of each of these that the graph holds, None where it has none; what is absent is not there."""
        ...

    def aliases(self, id: str) -> list[str]: ...
    def description(self, id: str) -> str | None: ...

    def groups(self, ids: Sequence[str]) -> dict[Group, int]:
        """How many facts there are around each entity, by direction and relation."""
        ...

    def named(self, texts: Sequence[str], limit: int) -> dict[str, list[tuple[str, str]]]:
        """(id, name) of entities called exactly one of `texts`, by text."""
        ...

    def search(self, text: str, limit: int) -> list[tuple[str, str]]:
        """(id, name) of entities that the server's own text index finds; needs `text_search`."""
        ...

    def terms(self, start: int) -> Iterator[tuple[int, list[tuple[str, int, str]]]]:
        """All entities in pages, from row `start`; with each page, the next start.

        Of each entity its id, how many triples it has, and where the server keeps it ("": the id says that).
        """
        ...

    def texts(self, start: int) -> Iterator[tuple[int, list[tuple[str, str, int]]]]:
        """All names of entities, (id, text, rank), in pages from row `start`; the label has the lowest rank."""
        ...

    def scan(self, start: int) -> Iterator[tuple[int, list[Fact]]]:
        """All facts, in pages from row `start`."""
        ...

    def locate(self, places: Mapping[str, str]) -> None:
        """Remember where entities are kept, as `terms` told it of the same state of the graph."""
        ...

    def close(self) -> None: ...
