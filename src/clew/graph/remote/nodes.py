"""How the nodes, relationships and properties of an openCypher database are ids, names and facts of a graph.

Apart from the queries because nothing is asked here: a relationship is a triple; one with properties also gets a
nameless n-ary node between its ends, which carries them (`relationship_properties`); a property of a node is a triple
that ends in a literal; its labels say its type. What was met is remembered: ids and inner ids, and mediators.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clew.graph.inputs import ALIAS
from clew.graph.property_values import literals
from clew.graph.remote.records import Fact
from clew.graph.remote.settings import ServerSettings

TYPE = "type"  # the relation from a node to its labels
LABEL = "label:"  # what the ids of labels begin with
EDGE = "_:r"  # and those of relationships that are mediators

Properties = Mapping[str, Any]


class Nodes:
    """What of a property graph is which part of a graph.

    Attributes:
        key: the property that holds the id of a node; "": its inner id is its id.
        names, aliases: properties that name a node, best first.
        labels: the labels that nodes have.
        on_relationships: properties of relationships.
        inside, outside: id → inner id of the nodes that were met, and the other way round.
        around: mediator → its facts.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self.key = settings.id_property
        self.names: tuple[str, ...] = settings.label_properties
        self.aliases: tuple[str, ...] = ()
        self.labels: tuple[str, ...] = ()
        self.on_relationships: frozenset[str] = frozenset()
        self.labels_are_types = settings.node_labels == "types"
        self.relationships_are_nodes = settings.relationship_properties == "mediator"  # those with properties
        self.inside: dict[str, Any] = {}
        self.outside: dict[Any, str] = {}
        self.around: dict[str, tuple[Fact, ...]] = {}

    def known_as(self, inner: Any, value: Any) -> str:
        """The id of a node whose id property holds `value`."""
        id = str(inner) if value is None else str(value)
        self.inside[id] = inner
        self.outside[inner] = id
        return id

    def id_of(self, inner: Any, properties: Properties) -> str:
        return self.known_as(inner, properties.get(self.key) if self.key else None)

    def label_of(self, properties: Properties) -> str | None:
        for name in self.names:
            for value in literals(properties.get(name)):
                text = value[1 : value.rindex('"')].strip()
                if text:
                    return text
        return None

    def texts_of(self, properties: Properties) -> list[tuple[str, int]]:
        """The names of a node, (text, rank): its label, then its aliases."""
        label = self.label_of(properties)
        texts = [] if label is None else [(label, 0)]
        for alias in self.aliases:
            held = [value[1 : value.rindex('"')].strip() for value in literals(properties.get(alias))]
            texts += [(text, ALIAS) for text in held if text]
        return texts

    def facts_of(
        self, id: str, properties: Properties, node_labels: Sequence[str], labels: dict[str, str]
    ) -> Iterator[Fact]:
        """The facts of a node without its relationships. Its label, and those of its types, go into `labels`."""
        label = self.label_of(properties)
        if label is not None:
            labels[id] = label
        for key, held in properties.items():
            if key == self.key or key in self.aliases or (key in self.names and self._named_by(properties) == key):
                continue
            yield from ((id, key, value, None) for value in literals(held))
        if self.labels_are_types:
            for each in node_labels:
                labels[LABEL + each] = spaced(each)
                yield (id, TYPE, LABEL + each, None)

    def _named_by(self, properties: Properties) -> str | None:
        return next((name for name in self.names if self.label_of({name: properties.get(name)})), None)

    def relationship(self, head: str, kind: str, tail: str, inner: Any, properties: Properties) -> list[Fact]:
        """Its triple; where it has properties also to the mediator, from it to the other end, and its properties."""
        if not properties or not self.relationships_are_nodes:
            return [(head, kind, tail, None)]
        edge = f"{EDGE}{inner}"
        around: list[Fact] = [(head, kind, edge, None), (edge, kind, tail, None)]
        around += [(edge, key, value, None) for key, held in properties.items() for value in literals(held)]
        self.around[edge] = tuple(around)
        return [(head, kind, tail, None), *around]

    @property
    def plain_relationships(self) -> bool:
        """Whether every relationship is one triple and nothing else."""
        return not (self.relationships_are_nodes and self.on_relationships)

    @property
    def naming(self) -> frozenset[str]:
        """Properties that name a node or tell its id."""
        return frozenset({self.key, *self.names, *self.aliases})


def spaced(name: str) -> str:
    """ACTED_IN as people write it."""
    return name.replace("_", " ").lower() if name.isupper() and len(name) > 3 else name.replace("_", " ")


def quoted_name(name: str) -> str | None:
    """A label, type or property key as it may stand in a query; None for one that could end its quotation.

    Neo4j reads escapes before it reads quotation marks, so that no backslash is let through either.
    """
    return f"`{name}`" if name and name.isprintable() and not set(name) & {"`", "\\"} else None


def plain_name(name: str) -> str | None:
    """A property key or label as it may stand in a query, quoted; None for one that could be more than a name."""
    return f"`{name}`" if name.isidentifier() and name.isascii() else None
