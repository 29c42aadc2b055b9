"""The openCypher store against real databases, one over Bolt and one over its own protocol."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

import pytest
import server_programs as programs

from clew.errors import InputError, NotFoundError, UnavailableError
from clew.graph import Graph
from clew.graph.neighborhood import neighborhood
from clew.graph.remote import ServerGraph
from clew.graph.remote.database import kept_as_json
from clew.testing.graph_store import TOY, GraphStoreSuite, ids

Open = Callable[..., ServerGraph]
Start = Callable[[str], Any]
PLANES = ["a", "é", "ß", "Ж", "中", "עב", "ไ", "\u200d", "𝔘", "😀", "\U000e0041", "\U00100000", "\ufffd"]
ODD = ['"', "\\", "\\u0022", "\n", "\r", "\t", "'", "}", "{", ">", "<", "$ids", "//", "%", "` ", "*/", ";", "--"]
PLAIN = {"node_labels": "drop"}  # TOY has no types


def hold(server: Any, triples: Iterable[tuple[str, str, str]], names: dict[str, str]) -> None:
    """Nodes with the properties `id` and, where they have one, `name`; relationships without properties."""
    server.clear()
    rows = list(triples)
    nodes = [{"id": id, "name": names.get(id)} for id in dict.fromkeys(end for h, _, t in rows for end in (h, t))]
    server.run("UNWIND $rows AS row CREATE (n:Thing {id: row.id, name: row.name})", rows=nodes)
    for relation in sorted({r for _, r, _ in rows}):
        pairs = [{"h": h, "t": t} for h, r, t in rows if r == relation]
        server.run(
            "UNWIND $rows AS row MATCH (a:Thing {id: row.h}), (b:Thing {id: row.t}) "
            f"CREATE (a)-[:`{relation}`]->(b)",
            rows=pairs,
        )


@pytest.fixture
def engine(property_graph: Any) -> Any:
    return property_graph


class TestConformance(GraphStoreSuite):
    @pytest.fixture
    def store(self, engine: Any, opened: Open) -> ServerGraph:
        hold(engine, TOY, {end: end for h, _, t in TOY for end in (h, t) if not end.startswith("m.")})
        return opened(engine.url, **PLAIN)


def random_graph(seed: int) -> tuple[list[tuple[str, str, str]], dict[str, str]]:
    """A multigraph with a hub, namesakes, odd ids and every plane of Unicode."""
    draw = random.Random(seed)
    entities = [f"e{i}" for i in range(25)] + [f"x{odd}{i}" for i, odd in enumerate(ODD + PLANES)]
    relations = ["r", "is in", "née"]
    triples = {(draw.choice(entities), draw.choice(relations), draw.choice(entities)) for _ in range(250)}
    triples |= {("e0", draw.choice(relations), f"e{i}") for i in range(25)}
    names = {id: draw.choice(["Same Name", f"Name {i}", f"{draw.choice(PLANES)} {i}"]) for i, id in enumerate(entities)}
    held = {end for h, _, t in triples for end in (h, t)}
    return sorted(triples), {id: name.strip() for id, name in names.items() if id in held}


@pytest.mark.parametrize("seed", range(2))
def test_neighbourhoods_are_those_of_the_embedded_store(engine: Any, opened: Open, seed: int) -> None:
    triples, names = random_graph(seed)
    hold(engine, triples, names)
    store, embedded = opened(engine.url, **PLAIN), Graph.from_triples(triples, labels=names)
    assert ids(store.triples()) == ids(embedded.triples())
    draw = random.Random(seed)
    everything = sorted({end for h, _, t in triples for end in (h, t)})
    for _ in range(8):
        some = draw.sample(everything, draw.randint(1, 20))
        for direction in ("out", "in", "both"):
            found = store.neighbors(some, direction=direction)  # type: ignore[arg-type]
            assert ids(found) == ids(embedded.neighbors(some, direction=direction))  # type: ignore[arg-type]
            records = {end.id: end for triple in found for end in (triple.head, triple.tail)}
            assert all(records[id].label == names[id] for id in records if id in names)
        here, there = neighborhood(store, some[:3], 2), neighborhood(embedded, some[:3], 2)
        assert ids(map(here.triple, range(here.num_triples))) == ids(map(there.triple, range(there.num_triples)))
    for text in [*names.values(), "same name", "Sam Name"]:
        mine, theirs = (
            {entity.id: round(score, 6) for entity, score in graph.find(text, limit=99)} for graph in (store, embedded)
        )
        assert mine == theirs


def films(server: Any) -> None:
    server.clear()
    server.run(
        "CREATE (a:Person {name: 'Ann', born: 1970, aliases: ['Annie', 'A.']}), (b:Film {name: 'Brazil', year: 1985}), "
        "(a)-[:ACTED_IN {role: 'Jill', pay: 1.5}]->(b), (a)-[:LIKES]->(b)"
    )


def test_properties_become_triples(engine: Any, opened: Open) -> None:
    films(engine)
    store = opened(engine.url)
    xsd = "http://www.w3.org/2001/XMLSchema#"
    rows = {(t.head.label, t.relation.id, t.tail.id) for t in store.neighbors(["Ann"])}
    (edge,) = [tail for _, _, tail in rows if tail.startswith("_:")]
    assert rows == {
        ("Ann", "born", f'"1970"^^<{xsd}integer>'),
        ("Ann", "type", "label:Person"),
        ("Ann", "LIKES", "Brazil"),
        ("Ann", "ACTED_IN", "Brazil"),
        ("Ann", "ACTED_IN", edge),
    }
    assert store.entity(edge).kind == "mediator"
    around = {(t.relation.id, t.tail.id) for t in store.neighbors([edge], direction="out")}
    assert around == {("ACTED_IN", "Brazil"), ("role", '"Jill"'), ("pay", f'"1.5"^^<{xsd}double>')}
    assert {t.head.id for t in store.neighbors([f'"1985"^^<{xsd}integer>'])} == {"Brazil"}
    assert {t.head.id for t in store.neighbors(["label:Film"], direction="in")} == {"Brazil"}
    assert [entity.id for entity, _ in store.find("annie")][:1] == ["Ann"]
    assert {relation.id for relation in store.relations()} >= {"ACTED_IN", "LIKES", "born", "year", "role", "type"}
    assert store.info()["nodes_and_relationships"] == store.num_triples and "triples" not in store.info()
    fresh = opened(engine.url)  # a mediator that was not met before
    assert fresh.neighbors([edge]) == store.neighbors([edge])


def test_relationship_properties_can_be_left_out(engine: Any, opened: Open) -> None:
    films(engine)
    store = opened(engine.url, relationship_properties="drop", node_labels="drop")
    found = {(t.relation.id, t.tail.id) for t in store.neighbors(["Ann"], relations=["ACTED_IN", "LIKES", "role"])}
    assert found == {("ACTED_IN", "Brazil"), ("LIKES", "Brazil")}


def test_limits_are_fair_to_relations_and_told(engine: Any, opened: Open) -> None:
    triples = [("hub", "many", f"m{i}") for i in range(1500)] + [("hub", "few", f"f{i}") for i in range(3)]
    hold(engine, triples, {})
    store = opened(engine.url, page=1000, names="exact", **PLAIN)
    found = store.facts(["hub"], limit=100)
    kept = {relation: sum(row[1] == relation for row in found.rows) for relation in ("many", "few")}
    assert kept == {"many": 97, "few": 3}
    assert [row[2] for row in found.rows if row[1] == "many"] == sorted(f"m{i}" for i in range(1500))[:97]
    assert found.cut == {"hub": 1403}


def test_facts_in_both_directions_and_in_one_come_in_one_query(engine: Any, opened: Open) -> None:
    triples = [(f"e{i}", f"r{i % 3}", f"e{i * i % 17}") for i in range(17)]
    hold(engine, triples, {})
    store = opened(engine.url, **PLAIN)
    assert store.names is not None
    around, ahead = [f"e{i}" for i in range(0, 17, 3)], [f"e{i}" for i in range(1, 17, 3)]
    apart = [*store.facts(around).rows, *store.facts(ahead, direction="out").rows]
    store.forget()
    before = store.server.traffic.requests
    assert store.facts(around, outward=ahead).rows == sorted(set(apart))
    assert store.server.traffic.requests == before + 1
    assert store.facts(ahead, direction="out").rows == sorted({row for row in apart if row[0] in ahead})
    assert store.server.traffic.requests == before + 1, "what was asked for is kept"


@pytest.mark.parametrize(
    "hostile", [*ODD, "\ud800", "a\x00b", "x'}) DETACH DELETE n //", '"}) DELETE n //', "_:r1", "label:x"]
)
def test_hostile_ids_and_names_are_only_unknown(engine: Any, opened: Open, hostile: str) -> None:
    films(engine)
    for names in ("exact", "index"):
        store = opened(engine.url, names=names) if names == "exact" else opened(engine.url)
        with pytest.raises(NotFoundError):
            store.entity(hostile)
        assert store.neighbors([hostile]) == []
        assert not [entity for entity, score in store.find(hostile) if score > 0.9]
    assert engine.run("MATCH (n) RETURN count(n) AS c")[0]["c"] == 2


def test_replies_are_kept_for_a_while_but_not_those_that_json_would_change(engine: Any, opened: Open) -> None:
    films(engine)
    first = opened(engine.url, cache_age_s=60, names="exact")
    wanted = first.neighbors(["Ann"])
    second = opened(engine.url, cache_age_s=60, names="exact")
    assert second.neighbors(["Ann"]) == wanted
    assert second.server.traffic.requests == 0
    assert second.server.traffic.cached > 0
    assert second.changed() == ""
    assert second.server.traffic.requests == 2  # whether it changed is always asked: nodes and relationships
    second.forget()
    assert second.neighbors(["Ann"]) == wanted
    assert second.server.traffic.requests > 2
    assert kept_as_json([{"v": [1, 2.5, "é", None, True]}])
    assert not any(kept_as_json([{"v": odd}]) for odd in ((1, 2), b"x", float("nan"), date(2008, 5, 3)))


def test_a_text_index_of_the_server_is_used(started: Start, opened: Open) -> None:
    server = started("falkordb")
    films(server)
    server.run("CALL db.idx.fulltext.createNodeIndex('Film', 'name')")
    store = opened(server.url, names="server")
    assert "falkordb" in store.name_search
    assert [entity.id for entity, _ in store.find("brazil!")] == ["Brazil"]


def test_an_empty_database_is_said(engine: Any, opened: Open) -> None:
    engine.clear()
    with pytest.raises(InputError, match="holds no node"):
        opened(engine.url).relations()


def test_wrong_credentials_are_said(started: Start, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    server = started("arcadedb")
    monkeypatch.setenv("CLEW_SERVER_USER", "root")
    monkeypatch.setenv("CLEW_SERVER_PASSWORD", "wrong-secret")
    with pytest.raises(UnavailableError, match="CLEW_SERVER_PASSWORD") as failure:
        opened(server.url).relations()
    assert "wrong-secret" not in str(failure.value)


def test_no_server_is_said(opened: Open) -> None:
    pytest.importorskip("neo4j")
    with pytest.raises(UnavailableError, match="cannot be reached"):
        opened(f"bolt://127.0.0.1:{programs.free_port()}").relations()


def test_a_graph_that_falkordb_does_not_hold_is_said(started: Start, opened: Open) -> None:
    server = started("falkordb")
    server.run("CREATE (:Thing {name: 'here'})")
    with pytest.raises(InputError, match="holds no graph 'nosuch', or nothing was ever loaded into it; it holds graph"):
        opened(server.url.removesuffix("graph") + "nosuch").relations()


def test_a_bolt_address_with_a_query_string_is_said(opened: Open) -> None:
    with pytest.raises(InputError, match=r"which bolt:// does not take; .*bolt://HOST:PORT/DATABASE"):
        opened("bolt://127.0.0.1:1/graph?database=films")


def test_a_bolt_server_that_does_not_encrypt_is_said(
    started: Start, opened: Open, capfd: pytest.CaptureFixture[str]
) -> None:
    server = started("arcadedb")
    with pytest.raises(UnavailableError, match=r"it speaks no TLS there .* ask without"):
        opened(server.url.replace("bolt", "bolt+s")).relations()
    assert capfd.readouterr().err == ""
