"""The triples around some entities: how a question's part of a graph of any size becomes a `Subgraph`.

Separate from the kernels because it is the one algorithm that meets a *store*: the embedded `Graph` is walked in its
arrays, any other store is asked once a hop. Both end in the same compiled loop, so the limits mean the same.

Limits. `fanout` bounds what one entity contributes per direction and relation, so that a hub keeps all its relations.
`max_triples` bounds the whole: a hop that does not fit is shared out fairly, every entity of it gets the same number
(small ones, and so mediators, stay whole) and in an entity that is cut the relations of either direction take turns.
Inside a relation the lowest-numbered ends stay. What was cut stands in `Subgraph.truncated`.

Shapes: N entities, T triples, R relations, S seeds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError, NotFoundError, unknown
from clew.graph.remote.ground import Ground
from clew.graph.remote.store import ServerGraph
from clew.graph.store import has_arrays
from clew.graph.subgraph import Ints, Subgraph
from clew.protocols import Direction, GraphStore
from clew.types import Entity, Relation, Triple

Keep = Literal["walked", "induced"]
Flags = NDArray[np.bool_]
NO_LIMIT = 1 << 60
ANY = np.empty(0, np.bool_)


def neighborhood(
    store: GraphStore,
    seeds: Sequence[str],
    hops: int,
    *,
    direction: Direction = "both",
    relations: Collection[str] | None = None,
    excluded: Collection[str] = (),
    fanout: int | None = None,
    max_triples: int | None = 10_000,
    keep: Keep = "walked",
) -> Subgraph:
    """The subgraph within `hops` of the seeds.

    Args:
        seeds: entity ids; local numbers of the distinct ones, in this order, are the result's `seeds`.
        direction: which way triples may be walked: "out" from head to tail, "in" from tail to head.
        relations: ids of the only relations that count; None means all.
        excluded: ids of relations that do not count.
        fanout: most triples per entity, direction and relation; None means no limit.
        max_triples: most triples in the result; None means no limit.
        keep: "walked" holds the triples met on the way, so those between two entities at distance `hops` are absent;
            "induced" adds every triple among the entities reached.

    Raises:
        NotFoundError: a seed is not in the graph.
        InputError: a limit is out of range.
    """
    limits = _checked(hops, direction, fanout, max_triples, keep)
    if not has_arrays(store):
        return _gather(store, seeds, relations, excluded, limits)
    numbers = [store.number_of(id) for id in seeds]
    if None in numbers:
        store.entity(seeds[numbers.index(None)])  # raises, with the nearest names
    allowed = ANY
    if relations is not None or excluded:
        allowed = _allowed(store.relations(), relations, excluded)
    return _grow(store.as_subgraph, np.array(list(dict.fromkeys(numbers)), np.int32), allowed, limits)


def around(
    graph: Subgraph,
    seeds: Sequence[int] | Ints,
    hops: int,
    *,
    direction: Direction = "both",
    allowed: Flags | None = None,
    fanout: int | None = None,
    max_triples: int | None = 10_000,
    keep: Keep = "walked",
) -> Subgraph:
    """As `neighborhood`, inside a subgraph: seeds are local numbers, `allowed` (R,) says which relations count."""
    limits = _checked(hops, direction, fanout, max_triples, keep)
    numbers = np.array(list(dict.fromkeys(np.asarray(seeds).tolist())), np.int32)
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < graph.num_entities:
        raise InputError(f"around: seeds {numbers.tolist()}, expected local numbers below {graph.num_entities}")
    return _grow(graph, numbers, ANY if allowed is None else allowed, limits)


class _Limits(NamedTuple):
    hops: int
    direction: Direction
    fanout: int
    max_triples: int
    keep: Keep


def _checked(hops: int, direction: Direction, fanout: int | None, max_triples: int | None, keep: Keep) -> _Limits:
    for what, value, least in (("hops", hops, 0), ("fanout", fanout, 1), ("max_triples", max_triples, 1)):
        if value is not None and value < least:
            raise InputError(f"neighborhood: {what} is {value}, expected at least {least}")
    return _Limits(hops, direction, fanout or NO_LIMIT, max_triples or NO_LIMIT, keep)


def _allowed(known: Sequence[Relation], relations: Collection[str] | None, excluded: Collection[str]) -> Flags:
    """(R,) which relations count; an id the graph does not know is an error, not an empty result."""
    ids = [relation.id for relation in known]
    for id in (*(relations or ()), *excluded):
        if id not in ids:
            raise NotFoundError(f"neighborhood: {unknown('relation', id, ids)}")
    return np.array([(relations is None or id in relations) and id not in excluded for id in ids] or [False])


def _grow(graph: Subgraph, seeds: Ints, allowed: Flags, limits: _Limits) -> Subgraph:
    """The fast path: arrays in, arrays out. The seeds are distinct."""
    from clew.graph.compiled import between, grow

    use_out, use_in = limits.direction != "in", limits.direction != "out"
    entities, rows, hubs, capped, *walked = grow(
        graph.out, graph.inc, seeds, limits.hops, use_out, use_in, allowed, limits.fanout, limits.max_triples
    )
    cut_between = False
    if limits.keep == "induced":
        room = limits.max_triples - len(rows[0])
        expanded, *seen = walked
        more, cut_between = between(graph.out, entities, expanded, use_out, use_in, allowed, room, *seen)
        rows = tuple(np.concatenate(pair) for pair in zip(rows, more, strict=True))
    heads, rels, tails, triples = rows
    truncated = graph.truncated
    if hubs or capped >= 0 or cut_between:
        truncated = (*truncated, *_told(limits, hubs, capped, cut_between))
    return Subgraph(
        heads,
        rels,
        tails,
        graph.entities[entities],
        graph.names,
        np.arange(len(seeds), dtype=np.int32),  # the loop numbers the seeds first
        triples if graph.triple_numbers is None else graph.triple_numbers[triples],
        truncated,
    )


def _told(limits: _Limits, hubs: int, capped: int, cut_between: bool) -> list[str]:
    told = []
    if hubs:
        told.append(f"{hubs} entities have more than {limits.fanout} triples in a relation (fanout)")
    if capped >= 0:
        told.append(f"hop {capped + 1} was cut at {limits.max_triples} triples (max_triples); later hops are absent")
    elif cut_between:
        told.append(f"triples among the entities reached were cut at {limits.max_triples} (max_triples)")
    return told


class Gathered:
    """The names of a subgraph whose triples came as records: numbers are given in the order of arrival.

    Args:
        relations: those that have their numbers already.
    """

    def __init__(self, relations: Sequence[Relation] = ()) -> None:
        self.entities: list[Entity] = []
        self.relations = list(relations)
        self.sources: list[str | None] = []
        self._entity: dict[str, int] = {}
        self._relation = {relation.id: i for i, relation in enumerate(self.relations)}
        self._rows: dict[tuple[int, int, int], None] = {}

    def add_entity(self, entity: Entity) -> int:
        number = self._entity.setdefault(entity.id, len(self.entities))
        if number == len(self.entities):
            self.entities.append(entity)
        return number

    def add(self, triple: Triple) -> None:
        """Keep a triple; one that is here already is not kept twice."""
        relation = self._relation.setdefault(triple.relation.id, len(self.relations))
        if relation == len(self.relations):
            self.relations.append(triple.relation)
        row = (self.add_entity(triple.head), relation, self.add_entity(triple.tail))
        if row not in self._rows:
            self._rows[row] = None
            self.sources.append(triple.source)

    def ordered(self) -> Gathered:
        """The same, entities numbered and triples listed in the order of ids, so that no arrival decides a tie."""
        result = Gathered(self.relations)
        for entity in sorted(self.entities, key=lambda entity: entity.id):
            result.add_entity(entity)
        rank = [result._entity[entity.id] for entity in self.entities]
        rows = [
            ((rank[head], by, rank[tail]), source)
            for (head, by, tail), source in zip(self._rows, self.sources, strict=True)
        ]
        rows.sort(key=lambda row: row[0])
        result._rows = dict.fromkeys(row for row, _ in rows)
        result.sources = [source for _, source in rows]
        return result

    def subgraph(self) -> Subgraph:
        """Everything kept so far; local numbers are the numbers here."""
        heads, rels, tails = np.array(list(self._rows), np.int32).reshape(-1, 3).T.copy()
        return Subgraph(
            heads,
            rels,
            tails,
            np.arange(len(self.entities), dtype=np.int32),
            self,
            triple_numbers=np.arange(len(heads), dtype=np.int32),
        )

    def entity_at(self, number: int) -> Entity:
        return self.entities[number]

    def relation_at(self, number: int) -> Relation:
        return self.relations[number]

    def labels_at(self, numbers: Sequence[int] | Ints) -> list[str]:
        return [self.entities[int(i)].label for i in numbers]

    def mediators_at(self, numbers: Ints) -> Flags:
        return np.array([self.entities[int(i)].kind == "mediator" for i in numbers], bool)

    def number_of(self, id: str) -> int | None:
        return self._entity.get(id)

    def numbers(self, ids: Sequence[str]) -> Ints:
        """The numbers of entities that are here."""
        return np.array([self._entity[id] for id in ids], np.int32)

    @property
    def num_relations(self) -> int:
        return len(self.relations)

    def source_at(self, triple: int) -> str | None:
        return self.sources[triple]


def _gather(
    store: GraphStore,
    seeds: Sequence[str],
    relations: Collection[str] | None,
    excluded: Collection[str],
    limits: _Limits,
) -> Subgraph:
    """One call of the store a hop, then the same loop over what came back."""
    if isinstance(store, ServerGraph):
        return _fetch(store, seeds, relations, excluded, limits)
    gathered = Gathered(store.relations())
    for id in dict.fromkeys(seeds):
        gathered.add_entity(store.entity(id))
    wanted = [entity.id for entity in gathered.entities]
    limit = None if limits.max_triples == NO_LIMIT else limits.max_triples
    asked: set[str] = set()
    at_limit = 0
    for hop in range(limits.hops + (limits.keep == "induced")):  # one call more: the triples among the outermost
        now = gathered.ordered()
        members = _grow(now.subgraph(), now.numbers(wanted), ANY, limits._replace(hops=hop, keep="walked")).entities
        near = [now.entities[int(e)].id for e in members]
        ids = [id for id in near if id not in asked]
        if not ids:
            break
        asked.update(ids)
        came = store.neighbors(ids, relations=relations, direction=limits.direction, limit=limit)
        inside = set(near) if hop == limits.hops else None
        for triple in came:
            if triple.relation.id not in excluded and (
                inside is None or (triple.head.id in inside and triple.tail.id in inside)
            ):
                gathered.add(triple)
        if limit is not None and len(came) >= limit:
            touched = Counter(id for triple in came for id in {triple.head.id, triple.tail.id})
            at_limit += sum(touched[id] >= limit for id in ids)
    now = gathered.ordered()
    found = _grow(now.subgraph(), now.numbers(wanted), ANY, limits)
    if not at_limit:
        return found
    told = f"{at_limit} entities have {limit} triples or more, of which the store was asked for {limit} (max_triples)"
    return replace(found, truncated=(*found.truncated, told))


def _fetch(
    store: ServerGraph,
    seeds: Sequence[str],
    relations: Collection[str] | None,
    excluded: Collection[str],
    limits: _Limits,
) -> Subgraph:
    """The same from a server: facts stay ids, and its limit is shared out over the whole frontier."""
    known = store.entities(seeds)
    for id in seeds:
        if id not in known:
            store.entity(id)  # raises, with the nearest names
    limit = None if limits.max_triples == NO_LIMIT else limits.max_triples
    ground = Ground(store, list(dict.fromkeys(seeds)), most=limits.max_triples)
    asked: set[str] = set()
    cut = 0
    for hop in range(limits.hops + (limits.keep == "induced")):
        now = ground.ordered()
        members = _grow(now, now.seeds, ANY, limits._replace(hops=hop, keep="walked")).entities
        near = [now.names.entity_at(int(number)).id for number in members]
        ids = [id for id in near if id not in asked]
        if not ids:
            break
        asked.update(ids)
        facts = store.facts(
            ids, relations=relations, excluded=excluded, direction=limits.direction, limit=limit, total=limit
        )
        cut += sum(facts.cut.values())
        inside = set(near)
        ground.take(row for row in facts.rows if hop < limits.hops or (row[0] in inside and row[2] in inside))
    now = ground.ordered()
    found = _grow(now, now.seeds, ANY, limits)
    if not cut:
        return found
    told = f"{cut:,} triples of large frontiers were left in the store (max_triples)"
    return replace(found, truncated=(*found.truncated, told))
