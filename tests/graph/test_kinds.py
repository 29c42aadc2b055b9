"""Which relations of a graph state kinds, whatever they are called and whatever their values are."""

from __future__ import annotations

import pytest

import clew
from clew.graph import Graph
from clew.graph.flags import flags, truth_values
from clew.graph.kinds import by_names, kind_relations
from clew.query.execute import execute
from clew.query.text import parse
from clew.retrieval.lexicon import Lexicon

HOSTS = [f"h{n}" for n in range(8)]
PEOPLE = [f"p{n}" for n in range(4)]


def called(graph: Graph, numbers: tuple[int, ...]) -> list[str]:
    return sorted(graph.relation_at(number).id for number in numbers)


def described(kind: str) -> list[tuple[str, str, str]]:
    """Hosts and people with their kind; hosts alone have a category and a code, people a type of contract."""
    return [
        *((h, kind, '"Host"') for h in HOSTS),
        *((p, kind, '"Person"') for p in PEOPLE),
        *((h, "category", f'"{("mail", "web")[n % 2]}"') for n, h in enumerate(HOSTS)),
        *((p, "type", f'"{("fixed", "open")[n % 2]}"') for n, p in enumerate(PEOPLE)),
        *((h, "site class", f'"C{n}"') for n, h in enumerate(HOSTS)),
        *((h, "rack type", f'"{n % 2}"') for n, h in enumerate(HOSTS)),
        *((PEOPLE[n % 4], "runs", h) for n, h in enumerate(HOSTS)),
    ]


@pytest.mark.parametrize("name", ["kind", "class", "node_type", "entityType", "label", "@type", "instance of"])
def test_the_relation_that_most_things_have_states_their_kind(name: str) -> None:
    graph = Graph.from_triples(described(name), name="hosts")
    found = kind_relations(graph)
    assert called(graph, found.stated) == [name]
    assert called(graph, found.finer) == ["category", "type"]  # one of numbers, or a code for each, is none


def test_a_type_that_few_things_have_is_finer_than_a_kind_of_all() -> None:
    graph = Graph.from_triples(described("kind"), name="hosts")
    for written, names in (('class("\\"Person\\"")', PEOPLE), ('class("\\"web\\"")', HOSTS[1::2])):
        assert sorted(graph.labels_at(execute(parse(written), graph).members)) == names


def test_a_standard_relation_states_kinds_whatever_else_is_there() -> None:
    standard = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
    graph = Graph.from_triples([*described("kind"), (HOSTS[0], standard, "Machine")], name="hosts")
    assert called(graph, kind_relations(graph).stated) == [standard]


def test_without_a_telling_name_nothing_states_kinds() -> None:
    graph = Graph.from_triples([(h, "colour", "red") for h in HOSTS], name="hosts")
    assert kind_relations(graph).all == ()


def test_of_a_category_that_few_things_have_no_kinds_are_stated() -> None:
    films = [(f"f{n}", "directed by", f"d{n % 9}") for n in range(30)]
    some = [(f"f{n}", "category", ("drama", "comedy")[n % 2]) for n in range(8)]
    found = kind_relations(Graph.from_triples([*films, *some], name="films"))
    assert found.stated == ()
    assert len(found.finer) == 1


def test_of_a_server_names_alone_tell() -> None:
    relations = [(0, "http://e.org/kind", "kind"), (1, "http://e.org/p", "instance of")]
    assert by_names(relations) == (1,)


def test_flags_are_relations_of_nothing_but_yes_and_no() -> None:
    facts = [
        *((h, "isPublic", f'"{n % 2}"') for n, h in enumerate(HOSTS)),
        *((h, "patched", ("yes", "No")[n % 2]) for n, h in enumerate(HOSTS)),
        *((h, "on_call", "true") for h in HOSTS[:3]),
        *((h, "failures", f'"{n % 2}"') for n, h in enumerate(HOSTS)),
        *((h, "note", ("yes", "maybe")[n % 2]) for n, h in enumerate(HOSTS)),
    ]
    graph = Graph.from_triples(facts, name="hosts")
    found = {flag.relation: (flag.yes, flag.no) for flag in flags(graph)}
    assert found == {
        "isPublic": (('"1"',), ('"0"',)), "patched": (("yes",), ("No",)), "on_call": (("true",), ()),
    }  # fmt: skip
    assert {flag.label.lower() for flag in flags(graph)} == {"public", "patched", "on call"}
    assert {graph.ids_at([number])[0] for number in truth_values(graph)} == {'"1"', '"0"', "yes", "No", "true"}


def test_a_noun_that_several_classes_end_in_means_them_all() -> None:
    graph = Graph.from_triples(
        [("a", "type", "Cistercian abbey"), ("b", "type", "Benedictine abbey"), ("c", "type", "city")]
    )
    assert clew.query(graph, 'count(class("abbeys"))').rows == (("2",),)
    assert Lexicon.of(graph).classes[("abbey",)] == "abbey"
