"""What every graph store must do, as tests to inherit.

Usage: subclass `GraphStoreSuite` in a test module and give it a fixture `store` that returns your store filled with
`TOY` (ids and labels are the same texts). Override `can_scan` where `triples()` raises UnsupportedError.

    class TestMyStore(GraphStoreSuite):
        @pytest.fixture
        def store(self): return MyStore(TOY)
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from clew.errors import NotFoundError, UnsupportedError
from clew.protocols import GraphStore, abilities_of
from clew.types import Triple

TOY: tuple[tuple[str, str, str], ...] = (
    ("Paris", "capital of", "France"),
    ("Lyon", "located in", "France"),
    ("Paris", "located in", "France"),
    ("France", "continent", "Europe"),
    ("France", "currency", "Euro"),
    ("Germany", "continent", "Europe"),
    ("Germany", "currency", "Euro"),
    ("Berlin", "capital of", "Germany"),
    ("Berlin", "located in", "Germany"),
    ("France", "borders", "Germany"),
    ("Germany", "borders", "France"),
    ("France", "office held", "m.0abc12"),
    ("m.0abc12", "holder", "Ada Example"),
    ("m.0abc12", "since", "2010"),
)
"""Parallel relations (Paris, France), a reciprocal one (borders), and a mediator."""

Ids = tuple[str, str, str]


def ids(triples: Iterable[Triple]) -> list[Ids]:
    """Triples as ids, sorted."""
    return sorted((t.head.id, t.relation.id, t.tail.id) for t in triples)


class GraphStoreSuite:
    """Inherit and provide the fixture `store`."""

    can_scan = True

    def test_is_a_graph_store(self, store: GraphStore) -> None:
        assert isinstance(store, GraphStore)

    def test_abilities_hold(self, store: GraphStore) -> None:
        able = abilities_of(store)
        assert able <= {"arrays", "scan", "text_search", "plans"}
        assert ("scan" in able) <= self.can_scan
        if "arrays" in able:
            assert store.as_subgraph.num_triples == len(TOY)  # type: ignore[attr-defined]
        if "text_search" in able:
            spans = store.spans("the capital of Germany")  # type: ignore[attr-defined]
            assert "Germany" in {span.text for span in spans}

    def test_name_is_stable(self, store: GraphStore) -> None:
        assert store.name
        assert store.name == store.name

    def test_scan_gives_every_triple_once(self, store: GraphStore) -> None:
        if not self.can_scan:
            with pytest.raises(UnsupportedError):
                list(store.triples())
            return
        assert ids(store.triples()) == sorted(TOY)

    def test_relations_in_a_stable_order(self, store: GraphStore) -> None:
        found = [relation.id for relation in store.relations()]
        assert sorted(found) == sorted({relation for _, relation, _ in TOY})
        assert found == [relation.id for relation in store.relations()]

    def test_relations_have_labels(self, store: GraphStore) -> None:
        assert all(relation.label for relation in store.relations())

    def test_entity_by_id(self, store: GraphStore) -> None:
        entity = store.entity("France")
        assert (entity.id, entity.label, entity.kind) == ("France", "France", "named")

    def test_mediators_are_told(self, store: GraphStore) -> None:
        assert store.entity("m.0abc12").kind == "mediator"

    def test_unknown_entity_names_the_nearest(self, store: GraphStore) -> None:
        with pytest.raises(NotFoundError, match=r"Frence.*France"):
            store.entity("Frence")

    def test_find_exact(self, store: GraphStore) -> None:
        (entity, score), *_ = store.find("Germany")
        assert (entity.id, score) == ("Germany", 1.0)

    def test_find_ignores_case(self, store: GraphStore) -> None:
        (entity, score), *_ = store.find("ada example")
        assert entity.id == "Ada Example"
        assert 0.9 <= score <= 1.0

    def test_find_is_ranked_and_limited(self, store: GraphStore) -> None:
        found = store.find("Paris", limit=2)
        assert 1 <= len(found) <= 2
        assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
        assert all(0.0 <= score <= 1.0 for _, score in store.find("Pariz"))

    def test_find_nothing(self, store: GraphStore) -> None:
        assert not [entity for entity, score in store.find("zzqx vvkk") if score > 0.9]

    @pytest.mark.parametrize("entity", sorted({x for h, _, t in TOY for x in (h, t)}))
    @pytest.mark.parametrize("direction", ["out", "in", "both"])
    def test_neighbors(self, store: GraphStore, entity: str, direction: str) -> None:
        expected = [
            row for row in TOY if (direction != "in" and row[0] == entity) or (direction != "out" and row[2] == entity)
        ]
        assert ids(store.neighbors([entity], direction=direction)) == sorted(expected)  # type: ignore[arg-type]

    def test_neighbors_of_several_give_each_triple_once(self, store: GraphStore) -> None:
        expected = [row for row in TOY if {"France", "Germany"} & {row[0], row[2]}]
        assert ids(store.neighbors(["France", "Germany"])) == sorted(expected)

    def test_neighbors_by_relation(self, store: GraphStore) -> None:
        found = store.neighbors(["France"], relations=["borders", "currency"])
        assert ids(found) == sorted(
            row for row in TOY if row[1] in ("borders", "currency") and "France" in (row[0], row[2])
        )

    def test_neighbors_by_unknown_relation(self, store: GraphStore) -> None:
        assert store.neighbors(["France"], relations=["no such relation"]) == []

    def test_neighbors_limit_is_per_entity(self, store: GraphStore) -> None:
        for limit in (1, 2, 3):
            assert len(store.neighbors(["France"], limit=limit)) == limit
        two = store.neighbors(["Paris", "Berlin"], limit=1)
        assert len(two) == 2

    def test_neighbors_of_unknown_or_no_entity(self, store: GraphStore) -> None:
        assert store.neighbors([]) == []
        assert store.neighbors(["no such entity"]) == []
