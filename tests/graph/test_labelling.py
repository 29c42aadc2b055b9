"""Names, types and tables that a build recognises by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.errors import InputError
from clew.graph import Graph, build

MUSIC = """
@prefix : <http://ex.org/> . @prefix dc: <http://purl.org/dc/terms/> .
:a1 a :Artist ; :name "The Beatles" ; :comment "a band of four" . :a2 a :Artist ; :name "Queen" .
:s1 a :Song ; dc:title "Yesterday" ; :by :a1 ; :writtenBy :p1 ; :length "2:05" . :s2 a :Song ; dc:title "One Vision" .
:p1 a :Person ; :firstName "Paul" ; :lastName "McCartney" .
"""


def built(folder: Path, name: str, text: str, **settings: object) -> tuple[Graph, str]:
    (folder / name).write_text(text, encoding="utf-8")
    report = build(folder / name, folder / "g.kg", **settings)  # type: ignore[arg-type]
    return Graph.open(folder / "g.kg"), str(report)


def test_names_are_found_under_whatever_property_holds_them(tmp_path: Path) -> None:
    graph, said = built(tmp_path, "music.ttl", MUSIC)
    labels = {id: graph.entity(f"http://ex.org/{id}").label for id in ("a1", "a2", "s1", "s2", "p1")}
    assert labels == {"a1": "The Beatles", "a2": "Queen", "s1": "Yesterday", "s2": "One Vision", "p1": "Paul McCartney"}
    assert "names: http://ex.org/name names 2 of 8 things (25 %)" in said and "warning" not in said
    assert graph.literals("http://ex.org/a1")[0][1].label == "a band of four"  # the triples stay
    assert graph.info()["names_from"]["given name and family name"] == 1


def test_a_label_of_rdf_comes_before_a_name_that_was_found(tmp_path: Path) -> None:
    graph, _ = built(
        tmp_path, "g.ttl", MUSIC + ':a1 <http://www.w3.org/2000/01/rdf-schema#label> "Fab Four" . :a3 :name "X-Ray" .'
    )
    assert graph.entity("http://ex.org/a1").label == "Fab Four"


def test_the_user_chooses_the_property(tmp_path: Path) -> None:
    graph, _ = built(tmp_path, "music.ttl", MUSIC, label=["comment"])
    assert graph.entity("http://ex.org/a1").label == "a band of four"
    with pytest.raises(InputError, match=r"no property 'nmae' to take labels from; nearest: .*name"):
        build(tmp_path / "music.ttl", tmp_path / "h.kg", label="nmae")


def test_an_unheard_property_that_all_have_and_none_share_names_them(tmp_path: Path) -> None:
    rows = "".join(
        f':x{i} :bezeichnung "Ding Nummer {chr(65 + i)}" ; :art "rot" ; :next :x{i + 1} .\n' for i in range(20)
    )
    graph, said = built(tmp_path, "g.ttl", "@prefix : <http://ex.org/> .\n" + rows)
    assert graph.entity("http://ex.org/x3").label == "Ding Nummer D"
    assert "bezeichnung names 20 of 21 things" in said


def test_what_a_thing_is_names_it_before_its_code(tmp_path: Path) -> None:
    goods = ["black ink", "red ink", "nitrile gloves", "green soap", "round liner", "stencil paper"]
    lines = [
        f':x{i} a :Supply ; :sku "{item[:3].upper()}-{"KLMNOP"[i]}" ; :item "{item}" .' for i, item in enumerate(goods)
    ]
    graph, said = built(tmp_path, "g.ttl", "@prefix : <http://ex.org/> .\n" + "\n".join(lines))
    assert graph.entity("http://ex.org/x2").label == "nitrile gloves", said


def test_ids_that_say_nothing_are_warned_of(tmp_path: Path) -> None:
    rows = "".join(f"<http://ex.org/Q{i}> <http://ex.org/P1> <http://ex.org/Q{i + 1}> .\n" for i in range(20))
    _, said = built(tmp_path, "g.nt", rows)
    assert "warning: 0 % of 21 things have a name; others show as http://ex.org/Q0" in said and "--label" in said


def test_properties_are_called_what_their_entities_are(tmp_path: Path) -> None:
    text = """
    <http://w.org/entity/Q1> <http://w.org/prop/direct/P106> <http://w.org/entity/Q2> .
    <http://w.org/entity/P106> <http://www.w3.org/2000/01/rdf-schema#label> "occupation"@en .
    """
    graph, _ = built(tmp_path, "g.nt", text.strip().replace("\n    ", "\n") + "\n")
    assert [relation.label for relation in graph.relations()] == ["occupation"]


NODES = (
    'id,name,type,born\n1,Aaron Sorkin,Person,1961\n2,"A Few, Good Men",Movie,\n3,Tom Cruise,Person;Actor,1962-07-03\n'
)
EDGES = "source,target,type,role,rating\n3,2,ACTED_IN,Lt. Daniel Kaffee,4.5\n1,2,WROTE,,\n,2,WROTE,,\n"


def triples(graph: Graph) -> set[tuple[str, str, str]]:
    return {(t.head.label, t.relation.label, t.tail.label) for t in graph.triples()}


def test_tables_of_nodes_and_edges(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text(NODES)
    (tmp_path / "edges.csv").write_text(EDGES)
    report = build([tmp_path / "nodes.csv", tmp_path / "edges.csv"], tmp_path / "g.kg")
    graph = Graph.open(tmp_path / "g.kg")
    assert triples(graph) == {
        ("Aaron Sorkin", "type", "Person"),
        ("Aaron Sorkin", "born", "1961"),
        ("Aaron Sorkin", "WROTE", "A Few, Good Men"),
        ("A Few, Good Men", "type", "Movie"),
        ("Tom Cruise", "type", "Person"),
        ("Tom Cruise", "type", "Actor"),
        ("Tom Cruise", "born", "1962-07-03"),
        ("Tom Cruise", "ACTED_IN", "A Few, Good Men"),
        ("Tom Cruise", "ACTED_IN", "_:edges.0"),
        ("_:edges.0", "ACTED_IN", "A Few, Good Men"),
        ("_:edges.0", "role", "Lt. Daniel Kaffee"),
        ("_:edges.0", "rating", "4.5"),
    }
    assert graph.entity("_:edges.0").kind == "mediator"
    assert graph.literals("1")[0][1].datatype == "http://www.w3.org/2001/XMLSchema#integer"
    assert report.problem_counts == {"empty": 1} and report.problems[0].line == 4
    shown = graph.info()
    assert {row["label"]: row["things"] for row in shown["types"]} == {"Person": 2, "Movie": 1, "Actor": 1}
    assert {row["label"]: row["values"] for row in shown["relations"]}["born"] == "numbers, dates"


def test_neo4j_headers(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("personId:ID(P),name,born:int,:LABEL\nk,Keanu Reeves,1964,Actor;Person\n")
    (tmp_path / "m.csv").write_text("movieId:ID(M),title,tags:string[],:LABEL\nk,The Matrix,a;b,Movie\n")
    (tmp_path / "r.csv").write_text(":START_ID(P),role,:END_ID(M),:TYPE\nk,Neo,k,ACTED_IN\n")
    build([tmp_path / f"{name}.csv" for name in "nmr"], tmp_path / "g.kg")
    found = triples(Graph.open(tmp_path / "g.kg"))
    assert {("Keanu Reeves", "ACTED_IN", "The Matrix"), ("Keanu Reeves", "born", "1964")} <= found
    assert {("The Matrix", "tags", "a"), ("The Matrix", "tags", "b"), ("_:r.0", "role", "Neo")} <= found


def test_a_header_is_never_a_triple(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text(NODES)
    build(tmp_path / "nodes.csv", tmp_path / "g.kg")
    assert ("Tom Cruise", "born", "1962-07-03") in triples(Graph.open(tmp_path / "g.kg"))
    (tmp_path / "few.csv").write_text("id,place\na,b\n")
    with pytest.raises(InputError, match="2 columns where split at"):
        build(tmp_path / "few.csv", tmp_path / "g.kg", header=False)
    (tmp_path / "edges.csv").write_text("source,target,type\na,b,knows\n")
    build(tmp_path / "edges.csv", tmp_path / "g.kg")
    assert triples(Graph.open(tmp_path / "g.kg")) == {("a", "knows", "b")}


def test_types_go_by_other_names(tmp_path: Path) -> None:
    rows = [(f"x{i}", "instanceOf", "City" if i % 2 else "Town") for i in range(10)]
    assert [row["things"] for row in Graph.from_triples(rows).info()["types"]] == [5, 5]
    rows = [(f"x{i}", "category", "City" if i % 3 else "Town") for i in range(10)]
    assert [row["label"] for row in Graph.from_triples(rows).info()["types"]] == ["City", "Town"]


def test_a_relation_with_properties_is_not_named_by_one_of_them(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text(
        ":ID,name,:LABEL\n" + "".join(f"p{i},Person {i},Person\n" for i in range(12)) + "f1,Heat,Film\n"
    )
    roles = "".join(f"p{i},f1,ACTED_IN,Role {chr(65 + i)}\n" for i in range(12))
    (tmp_path / "edges.csv").write_text(":START_ID,:END_ID,:TYPE,role\n" + roles)
    report = build([tmp_path / "nodes.csv", tmp_path / "edges.csv"], tmp_path / "g.kg")
    assert (report.mediators, "role" in report.names_from) == (12, False)


WIKIDATA = """
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix e: <http://kb.org/entity/> .
@prefix p: <http://kb.org/prop/> . @prefix ps: <http://kb.org/prop/statement/> .
@prefix pq: <http://kb.org/prop/qualifier/> . @prefix wdt: <http://kb.org/prop/direct/> .
e:Q1 rdfs:label "Karin" ; p:P39 <http://kb.org/entity/statement/Q1-1a> . e:Q2 rdfs:label "Prime Minister" .
<http://kb.org/entity/statement/Q1-1a> ps:P39 e:Q2 ; pq:P580 "2002-10-14" .
wdt:P39 rdfs:label "position held" . e:P580 rdfs:label "start time" .
"""


def test_statements_are_passed_through_and_all_relations_of_a_property_have_its_label(tmp_path: Path) -> None:
    graph, _ = built(tmp_path, "g.ttl", WIKIDATA)
    assert graph.entity("http://kb.org/entity/statement/Q1-1a").kind == "mediator"
    labels = {relation.id.removeprefix("http://kb.org/prop/"): relation.label for relation in graph.relations()}
    assert labels == {"P39": "position held", "statement/P39": "position held", "qualifier/P580": "start time"}


def test_values_without_a_name_are_nothing_to_warn_of(tmp_path: Path) -> None:
    _, said = built(tmp_path, "g.tsv", "".join(f"Town {chr(65 + i)}\tpopulation\t{1000 + i}\n" for i in range(20)))
    assert "warning" not in said


def test_a_serial_names_the_kind_that_has_nothing_else(tmp_path):
    """Batteries have a serial and no name in a graph where everything else has one; their cycles are no names."""
    rows = ["id,label,name,serial,cycles"]
    rows += [f"d{n},Drone,Drone {chr(65 + n)},," for n in range(20)]
    rows += [f"{n},Battery,,BT-{1192 + 7 * n},{n * 10}" for n in range(6)]
    (tmp_path / "nodes.csv").write_text("\n".join(rows))
    (tmp_path / "edges.csv").write_text("source,target,type\n" + "".join(f"{n},d{n},POWERS\n" for n in range(6)))
    report = build([tmp_path / "nodes.csv", tmp_path / "edges.csv"], tmp_path / "g.kg")
    assert report.names_from == {"serial": 6}
    graph = Graph.open(tmp_path / "g.kg")
    assert [e.kind for e in graph.resolve("BT-1199")] == ["named", "literal"]


def test_plain_triples_of_ids_take_the_names_that_they_state(tmp_path: Path) -> None:
    rows = "".join(f"P{i:02}\tname\tPerson {chr(65 + i)} Lee\nP{i:02}\tworks_at\tC{i % 3}\n" for i in range(12))
    graph, said = built(tmp_path, "g.tsv", rows + "C0\tname\tAcme\nC1\tname\tBolt\nC2\tname\tCurie Labs\n")
    assert graph.entity("P01").label == "Person B Lee" and graph.entity("C2").label == "Curie Labs"
    assert "names: name names 15" in said
    spoken = "".join(f"Person {chr(65 + i)}\tname\tAlias {chr(65 + i)}\n" for i in range(12))  # ids that say something
    (tmp_path / "other").mkdir()
    graph, _ = built(tmp_path / "other", "g.tsv", spoken)
    assert graph.entity("Person B").label == "Person B"


def test_make_and_model_together_are_another_name(tmp_path: Path) -> None:
    (tmp_path / "vans.csv").write_text(
        "reg,make,model,payload\n191-D-1,Ford,Transit 350,1250\n201-KE-2,Renault,Master LM35,1300\n"
        "212-C-3,Iveco,Daily,1500\n"
    )
    build(tmp_path / "vans.csv", tmp_path / "g.kg")
    graph = Graph.open(tmp_path / "g.kg")
    [van] = graph.resolve("Renault Master LM35")
    assert van.label == "201-KE-2"


def test_properties_go_by_their_address_and_shipments_do_not(tmp_path: Path) -> None:
    def table(name: str, code: str, streets: str) -> None:
        rows = (f"{code}-{i:03},{i} {street} Street,{i}\n" for i, street in enumerate(streets.split(), 1))
        (tmp_path / name).write_text("ref,address,size\n" + "".join(rows))

    table("properties.csv", "P", "Marlow Quarry Beacon Linnet Osier Mill")
    table("shipments.csv", "S", "Elm Oak Ash Birch Yew Rowan")
    build([tmp_path / "properties.csv", tmp_path / "shipments.csv"], tmp_path / "g.kg")
    graph = Graph.open(tmp_path / "g.kg")
    assert [each.label for each in graph.resolve("1 Marlow Street")] == ["1 Marlow Street"]
    assert graph.entity("properties/P-001").label == "1 Marlow Street"
    assert graph.entity("shipments/S-001").label == "S-001"
