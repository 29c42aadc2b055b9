"""The SPARQL store against real engines: the conformance suite, and the same graph embedded."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import server_programs as programs

from clew.errors import InputError, NotFoundError, UnavailableError
from clew.graph import Graph
from clew.graph.neighborhood import neighborhood
from clew.graph.remote import ServerGraph
from clew.testing.graph_store import TOY, GraphStoreSuite, ids

ENGINES = sorted(["oxigraph", "virtuoso"])
NAMES = {name for h, r, t in TOY for name in (h, r, t) if not name.startswith("m.")}
Open = Callable[..., ServerGraph]
Start = Callable[[str], Any]

PLANES = ["a", "é", "ß", "Ж", "中", "עב", "ไ", "\u200d", "𝔘", "😀", "\U000e0041", "\U00100000", "\ufffd"]
ODD = [
    '"',
    "\\",
    "\\u0022",
    "\n",
    "\r",
    "\t",
    "'",
    "}",
    "{",
    ">",
    "<",
    "?x",
    "#",
    "%",
    " ",
    "_:b",
    " http://x/y",
    ".",
    ";",
]


def hold(server: Any, triples: Any, labels: dict[str, str]) -> None:
    server.clear()
    server.load(programs.n_triples(triples, labels))


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, started: Start) -> Any:
    return started(request.param)


class TestConformance(GraphStoreSuite):
    @pytest.fixture
    def store(self, engine: Any, opened: Open) -> ServerGraph:
        hold(engine, TOY, {name: name for name in NAMES})
        return opened(engine.url, base=programs.BASE)


def random_graph(seed: int) -> tuple[list[tuple[str, str, str]], dict[str, str]]:
    """A multigraph with a hub, namesakes, odd ids, odd literals and every plane of Unicode."""
    draw = random.Random(seed)
    entities = [f"e{i}" for i in range(25)] + [f"x{odd}{i}" for i, odd in enumerate(ODD + PLANES)]
    texts = [f'"{odd}{plane}{i}"' for i, (odd, plane) in enumerate(zip(ODD, PLANES * 2, strict=False))]
    literals = [*texts, '"1889-03-31"^^<http://www.w3.org/2001/XMLSchema#date>', '"wort"@de', '"12"', '"a\\\\u0062c"']
    relations = ["r", "is in", "née", "r/2"]
    triples = {
        (draw.choice(entities), draw.choice(relations), draw.choice(entities + literals)) for _ in range(300)
    } | {("e0", draw.choice(relations), f"e{i}") for i in range(25)}
    labels = {
        id: draw.choice(["Same Name", f"Name {i}", f"{draw.choice(PLANES)} {i}"]) for i, id in enumerate(entities)
    }
    held = {end for h, _, t in triples for end in (h, t)}
    return sorted(triples), {id: label.strip() for id, label in labels.items() if id in held}


@pytest.mark.parametrize("seed", range(3))
def test_neighbourhoods_are_those_of_the_embedded_store(engine: Any, opened: Open, seed: int) -> None:
    triples, labels = random_graph(seed)
    hold(engine, triples, labels)
    store, embedded = opened(engine.url, base=programs.BASE), Graph.from_triples(triples, labels=labels)
    assert ids(store.triples()) == ids(embedded.triples())
    draw = random.Random(seed)
    everything = sorted({end for h, _, t in triples for end in (h, t)})
    for _ in range(12):
        some = draw.sample(everything, draw.randint(1, 20))
        for direction in ("out", "in", "both"):
            found = store.neighbors(some, direction=direction)  # type: ignore[arg-type]
            expected = embedded.neighbors(some, direction=direction)  # type: ignore[arg-type]
            assert ids(found) == ids(expected)
            records = {end.id: end for triple in found for end in (triple.head, triple.tail)}
            assert all(records[id].label == labels[id] for id in records if id in labels)
        here, there = neighborhood(store, some[:3], 2), neighborhood(embedded, some[:3], 2)
        assert ids(map(here.triple, range(here.num_triples))) == ids(map(there.triple, range(there.num_triples)))


def test_facts_in_both_directions_and_in_one_come_in_one_query(engine: Any, opened: Open) -> None:
    triples, labels = random_graph(3)
    hold(engine, triples, labels)
    store = opened(engine.url, base=programs.BASE)
    assert store.names is not None
    everything = sorted({end for h, _, t in triples for end in (h, t)})
    around, ahead = everything[::3], everything[1::3]
    apart = [*store.facts(around).rows, *store.facts(ahead, direction="out").rows]
    store.forget()
    before = store.server.traffic.requests
    assert store.facts(around, outward=ahead).rows == sorted(set(apart))
    assert store.server.traffic.requests == before + 1, "texts and things, both ways and one way, are one query"
    assert store.facts(ahead, direction="out").rows == sorted({row for row in apart if row[0] in ahead})
    assert store.server.traffic.requests == before + 1, "what was asked for is kept"


def test_texts_that_hold_the_signs_which_part_packed_rows(engine: Any, opened: Open) -> None:
    texts = ['"a\x1eb"', '"\x1fhttp://e/forged"', '"plain"']
    triples = [("e", "r", text) for text in texts] + [("f", "r", "e")]
    hold(engine, triples, {})
    store = opened(engine.url, base=programs.BASE, names="exact")
    for ids_of in (["e"], ["e", *texts], texts):
        rows = {row[:3] for row in store.facts(ids_of).rows}
        assert rows == {row for row in triples if row[0] in ids_of or row[2] in ids_of}


def test_names_are_found_as_in_the_embedded_store(engine: Any, opened: Open) -> None:
    triples, labels = random_graph(7)
    hold(engine, triples, labels)
    store, embedded = opened(engine.url, base=programs.BASE), Graph.from_triples(triples, labels=labels)
    for text in [*labels.values(), "same name", "Sam Name"]:
        mine, theirs = (
            {
                entity.id: round(score, 6)
                for entity, score in graph.find(text, limit=99)
                if not entity.id.startswith('"')
            }
            for graph in (store, embedded)
        )
        assert mine == theirs


def test_every_entity_is_told_with_the_number_of_its_facts(engine: Any, opened: Open) -> None:
    draw = random.Random(1)
    triples = [(f"a{i}", f"r{draw.randrange(4)}", f"b{draw.randrange(300)}") for i in range(2500)]
    triples += [(f"b{i}", "r1", f"b{draw.randrange(300)}") for i in range(100)]
    triples += [(f"a{i}", "size", f'"{draw.randrange(90)}"') for i in range(500)]
    hold(engine, triples, {id: id for h, _, t in triples for id in (h, t) if not id.startswith('"')})
    store = opened(engine.url, base=programs.BASE)
    assert store.num_triples
    told = {id: count for _, page in store.server.terms(0) for id, count, _ in page}
    assert told == Counter(end for h, _, t in dict.fromkeys(triples) for end in (h, t))


@pytest.mark.parametrize("names", ["exact", "server"])
def test_names_are_found_without_an_index(engine: Any, opened: Open, names: str) -> None:
    hold(engine, TOY, {name: name for name in NAMES})
    store = opened(engine.url, base=programs.BASE, names=names)
    assert [entity.id for entity, _ in store.find("ada example")] == ["Ada Example"]
    found = {span.text: span.named[0].entity.id for span in store.spans("does France border germany?")}
    assert found == {"France": "France", "germany": "Germany"}


def test_limits_are_fair_to_relations_and_told(engine: Any, opened: Open) -> None:
    triples = [("hub", "many", f"m{i}") for i in range(3000)] + [("hub", "few", f"f{i}") for i in range(3)]
    hold(engine, triples, {})
    store = opened(engine.url, base=programs.BASE, page=1000, names="exact")  # the hub does not fit a page
    found = store.facts(["hub"], limit=100)
    kept = {relation: sum(row[1] == relation for row in found.rows) for relation in ("many", "few")}
    assert kept == {"many": 97, "few": 3}
    assert [row[2] for row in found.rows if row[1] == "many"] == sorted(f"m{i}" for i in range(3000))[:97]
    assert found.cut == {"hub": 2903}
    whole = store.facts(["hub"])
    assert len(whole.rows) == 3003
    assert not whole.cut


def test_nameless_nodes_are_walked_through(engine: Any, opened: Open) -> None:
    data = "\n".join(
        [
            f"{programs.iri('film')} {programs.iri('role')} _:a .",
            f"_:a {programs.iri('actor')} {programs.iri('Ann')} .",
            f"_:a {programs.iri('award')} _:b .",
            f'_:b {programs.iri("year")} "1999" .',
            f"{programs.iri('film')} {programs.iri('role')} _:c .",
            f"_:c {programs.iri('actor')} {programs.iri('Bob')} .",
        ]
    )
    engine.clear()
    engine.load(data.encode())
    store = opened(engine.url, base=programs.BASE, names="exact")
    sub = neighborhood(store, ["film"], 3)
    labels = {store.entity(sub.entity(i).id).kind: None for i in range(sub.num_entities)}
    assert set(labels) == {"named", "mediator", "literal"}
    assert sub.num_triples == 6
    ends = {sub.entity(int(t)).id for t in sub.tails}
    assert {"Ann", "Bob", '"1999"'} <= ends


def test_an_unknown_entity_is_said(engine: Any, opened: Open) -> None:
    hold(engine, TOY, {name: name for name in NAMES})
    store = opened(engine.url, base=programs.BASE)
    for hostile in ("x> . } DROP ALL #", '"', '"x"@en ; DROP', "_:b0", "\ud800", "a\x00b"):
        with pytest.raises(NotFoundError):
            store.entity(hostile)
        assert store.neighbors([hostile]) == []


def test_a_graph_that_changes_is_said(engine: Any, opened: Open) -> None:
    hold(engine, TOY, {})
    store = opened(engine.url, base=programs.BASE)
    before = store.name
    assert store.changed() == ""
    engine.load(programs.n_triples([("Paris", "river", "Seine")], {}))
    assert "changed meanwhile: 14 triples then, 15 now" in store.changed()
    assert opened(engine.url, base=programs.BASE).name != before


def test_an_empty_graph_is_said(engine: Any, opened: Open) -> None:
    engine.clear()
    with pytest.raises(InputError, match="holds no triple"):
        opened(engine.url).relations()


def test_no_server_is_said(opened: Open) -> None:
    with pytest.raises(UnavailableError, match="cannot be reached"):
        opened(f"http://127.0.0.1:{programs.free_port()}/sparql").relations()
