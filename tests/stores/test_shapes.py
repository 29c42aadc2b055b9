"""Graphs as their owners have them: labels in other languages or none, named graphs, Wikidata, GET only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import server_programs as programs

from clew.graph.remote import ServerGraph
from clew.graph.remote.names import fetch_names

Open = Callable[..., ServerGraph]
PREFIXES = """
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix : <http://test.example/e/> .
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
@prefix s: <http://www.wikidata.org/entity/statement/> .
"""
WIKIDATA = """
wd:Q1 rdfs:label "Ann"@en ; wdt:P39 wd:Q2 ; p:P39 s:Q1-a .
s:Q1-a ps:P39 wd:Q2 ; pq:P580 "2008" .
wd:Q2 rdfs:label "mayor"@en .
wd:P39 rdfs:label "position held"@en ; wikibase:directClaim wdt:P39 ; wikibase:claim p:P39 ;
  wikibase:statementProperty ps:P39 .
wd:P580 rdfs:label "start time"@en ; wikibase:qualifier pq:P580 .
"""


@pytest.fixture
def oxigraph(started: Callable[[str], Any]) -> Any:
    server = started("oxigraph")
    server.clear()
    return server


def hold(server: Any, turtle: str, graph: str = "") -> None:
    server.load((PREFIXES + turtle).encode(), kind="text/turtle", graph=graph)


def test_labels_in_another_language_are_used_and_said(oxigraph: Any, opened: Open) -> None:
    hold(oxigraph, ':a rdfs:label "Wien"@de ; :in :b . :b rdfs:label "Österreich"@de, "Autriche"@fr .')
    store = opened(oxigraph.url, base=programs.BASE)
    assert store.entity("a").label == "Wien"
    assert any("de" in note for note in store.profile.notes)
    asked = opened(oxigraph.url, base=programs.BASE, language=("fr", "de"))
    assert [asked.entity(id).label for id in "ab"] == ["Wien", "Autriche"]


def test_a_graph_without_labels_is_said_and_shows_the_ends_of_iris(oxigraph: Any, opened: Open) -> None:
    hold(oxigraph, ":Vienna :located_in :Austria .")
    store = opened(oxigraph.url)
    assert any("label_properties" in note for note in store.profile.notes)
    (triple,) = store.neighbors([f"{programs.BASE}Vienna"])
    assert (triple.head.label, triple.tail.label) == ("Vienna", "Austria")


def test_named_graphs_are_sources_and_can_be_chosen(oxigraph: Any, opened: Open) -> None:
    hold(oxigraph, ':a :in :b . :a rdfs:label "Vienna" .', "http://test.example/one")
    hold(oxigraph, ":a :near :c .", "http://test.example/two")
    store = opened(oxigraph.url, base=programs.BASE)
    found = {(triple.relation.id, triple.source) for triple in store.neighbors(["a"])}
    assert found == {("in", "http://test.example/one"), ("near", "http://test.example/two")}
    one = opened(oxigraph.url, base=programs.BASE, graphs=("http://test.example/one",))
    assert [triple.relation.id for triple in one.neighbors(["a"])] == ["in"]


@pytest.mark.parametrize("names", ["auto", "exact"])
def test_statements_of_wikidata_are_mediators(oxigraph: Any, opened: Open, names: str) -> None:
    hold(oxigraph, WIKIDATA)
    store = opened(oxigraph.url, names=names)
    (person, _), *_ = store.find("Ann")
    around = store.neighbors([person.id])
    (statement,) = [t.tail for t in around if t.tail.kind == "mediator"]
    assert {(t.relation.label, t.tail.label) for t in around if t.tail.kind != "mediator"} >= {
        ("position held", "mayor")
    }
    beyond = {(t.relation.label, t.tail.label) for t in store.neighbors([statement.id], direction="out")}
    assert beyond == {("position held", "mayor"), ("start time", "2008")}


def test_a_server_that_takes_get_only(oxigraph: Any, opened: Open) -> None:
    hold(oxigraph, ':a :in :b . :a rdfs:label "Vienna" .')
    by_post, by_get = opened(oxigraph.url), opened(oxigraph.url, http_method="get")
    id = f"{programs.BASE}a"
    assert by_get.neighbors([id]) == by_post.neighbors([id]) != []


def test_fetching_names_goes_on_where_it_was_interrupted(oxigraph: Any, opened: Open) -> None:
    hold(oxigraph, "".join(f':e{i} :in :e{i + 1} ; rdfs:label "Name {i}" .\n' for i in range(30)))
    store = opened(oxigraph.url, base=programs.BASE, names="exact")
    asked: list[tuple[str, int]] = []

    class Breaks:
        """The server, which dies before its names are told, once."""

        def terms(self, start: int) -> Any:
            asked.append(("terms", start))
            return store.server.terms(start)

        def texts(self, start: int) -> Any:
            asked.append(("texts", start))
            if len(asked) < 3:
                raise ConnectionError
            return store.server.texts(start)

    def fetched() -> Any:
        server: Any = Breaks()
        return fetch_names(server, store.names_folder, identity=store.identity, kind_of=store.kind_of)

    with pytest.raises(ConnectionError):
        fetched()
    assert len(fetched()) == 31
    assert asked == [("terms", 0), ("texts", 0), ("texts", 0)]
