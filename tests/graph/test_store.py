"""The graph in all its forms: in memory, mapped, edited, a view; and what it knows beyond the store protocol."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from clew.errors import FormatError, InputError, NotFoundError
from clew.graph import Graph, add, build, compact, remove
from clew.graph.generation import Generation
from clew.testing.graph_store import TOY, GraphStoreSuite, ids

TTL = """
@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:ada rdfs:label "Ada König"@en, "Ada Koenig"@de ; skos:altLabel "A. König"@en, "Adé"@fr ; rdfs:comment "a poet"@en ;
  ex:bornIn ex:Big_Town ; ex:born "1900-01-02"^^xsd:date ; ex:motto "oui"@fr ; ex:knows [ ex:since 3 ] .
ex:bornIn rdfs:label "was born in"@en .
ex:nobody rdfs:label "Nobody"@en .
ex:ben rdfs:label "Ben DE"@de ; ex:knows ex:ada .
"""
ADA = "http://ex.org/ada"


def write_toy(folder: Path, rows=TOY) -> Path:
    file = folder / "toy.tsv"
    file.write_text("".join("\t".join(row) + "\n" for row in rows))
    return file


@pytest.fixture(scope="module")
def toy_path(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("store")
    build(write_toy(folder), folder / "toy.kg")
    return folder / "toy.kg"


@pytest.fixture(scope="module")
def rdf(tmp_path_factory) -> Graph:
    folder = tmp_path_factory.mktemp("rdf")
    (folder / "people.ttl").write_text(TTL)
    report = build(folder / "people.ttl", folder / "people.kg", strict=True)
    assert report.labels_unused == 1  # of ex:nobody
    return Graph.open(folder / "people.kg", verify=True)


@pytest.fixture(scope="module")
def edited_toy(tmp_path_factory) -> Graph:
    folder = tmp_path_factory.mktemp("edited")
    build(write_toy(folder, [*TOY[::2], ("Paris", "moved to", "Berlin")]), folder / "toy.kg")
    assert add(folder / "toy.kg", TOY) == len(TOY[1::2])
    assert remove(folder / "toy.kg", [("Paris", "moved to", "Berlin")]) == 1
    return Graph.open(folder / "toy.kg")


class TestInMemory(GraphStoreSuite):
    @pytest.fixture
    def store(self):
        return Graph.from_triples(TOY, name="toy")


class TestMapped(GraphStoreSuite):
    @pytest.fixture
    def store(self, toy_path):
        return Graph.open(toy_path, verify=True)


class TestEdited(GraphStoreSuite):
    """Half the triples come, and one goes, through the log."""

    @pytest.fixture
    def store(self, edited_toy):
        return edited_toy

    def test_relations_in_a_stable_order(self, store):
        found = [relation.id for relation in store.relations()]
        assert set(found) == {row[1] for row in TOY} | {"moved to"}  # numbers must not shift before compaction


class TestView(GraphStoreSuite):
    @pytest.fixture
    def store(self):
        noise = [("France", "noise", f"n{i}") for i in range(20)] + [("x", "capital of", "y")]
        graph = Graph.from_triples([*noise[:9], *TOY, *noise[9:]])
        return graph.view(range(9, 9 + len(TOY)))

    def test_relations_in_a_stable_order(self, store):
        assert {relation.id for relation in store.relations()} == {row[1] for row in TOY} | {"noise"}

    def test_has_its_own_numbers(self, store):
        assert store.num_triples == len(TOY)
        assert store.num_entities == len({x for row in TOY for x in (row[0], row[2])})
        for i in range(store.num_entities):
            assert store.number_of(store.entity_at(i).id) == i
        assert store.number_of("n3") is None
        assert not store.find("n3")
        assert store.whole.num_entities == store.num_entities

    def test_view_of_a_view(self, store):
        inner = store.view([0, 5])
        assert ids(inner.triples()) == sorted(ids([store.whole.triple(0), store.whole.triple(5)]))
        with pytest.raises(InputError, match="0 to 1"):
            inner.view([2])


def test_mapped_and_memory_arrays_agree(toy_path):
    memory, mapped = Graph.from_triples(TOY), Graph.open(toy_path)
    for side in ("out", "inc"):
        for entity in {x for row in TOY for x in (row[0], row[2])}:
            rows = []
            for graph in (memory, mapped):
                whole, n = graph.whole, graph.number_of(entity)
                csr = getattr(whole, side)
                here = slice(csr.offsets[n], csr.offsets[n + 1])
                names = graph.ids_at(csr.neighbors[here])
                rows.append([(graph.relation_at(r).id, x) for r, x in zip(csr.relations[here], names, strict=True)])
                for t, r, x in zip(csr.triples[here], csr.relations[here], csr.neighbors[here], strict=True):
                    ends = (whole.heads[t], whole.tails[t])
                    assert whole.rels[t] == r
                    assert ends == ((n, x) if side == "out" else (x, n))
            assert sorted(rows[0]) == sorted(rows[1])
            assert [r for r, _ in rows[1]] == sorted(r for r, _ in rows[1])


def test_array_types_are_those_of_memory(toy_path):
    memory, mapped = Graph.from_triples(TOY).whole, Graph.open(toy_path).whole
    for a, b in zip((*memory.out, *memory.inc, memory.heads), (*mapped.out, *mapped.inc, mapped.heads), strict=True):
        assert (type(a), a.dtype, a.flags.writeable) == (type(b), b.dtype, b.flags.writeable)


def test_writing_to_a_mapped_array_never_reaches_the_file(toy_path):
    Graph.open(toy_path).whole.heads[:] = 0
    assert ids(Graph.open(toy_path, verify=True).triples()) == sorted(TOY)


def test_rdf_names(rdf):
    ada = rdf.entity(ADA)
    assert (ada.label, rdf.aliases_of(ADA), rdf.description_of(ADA)) == (
        "Ada König",
        ["Ada Koenig", "A. König", "Adé"],  # in other languages as well: there are few
        "a poet",
    )
    assert rdf.entity("http://ex.org/ben").label == "Ben DE"  # no English one: a foreign label is better than none
    assert rdf.entity("http://ex.org/Big_Town").label == "Big Town"
    labels = {relation.id: relation.label for relation in rdf.relations()}
    assert labels["http://ex.org/bornIn"] == "was born in"
    assert labels["http://ex.org/knows"] == "knows"
    assert [e.id for e in rdf.resolve("ADA KONIG")] == [ADA] == [e.id for e in rdf.resolve("a. könig")]
    assert rdf.resolve(ADA) == [ada]
    assert rdf.resolve("nobody") == []


def test_rdf_literals_and_mediators(rdf):
    stated = {relation.label: value for relation, value in rdf.literals(ADA)}
    assert stated["born"].label == "1900-01-02"
    assert stated["born"].datatype == "http://www.w3.org/2001/XMLSchema#date"
    assert stated["born"].kind == "literal"
    assert stated["motto"].id == '"oui"@fr'
    assert set(stated) == {"born", "motto"}
    kinds = {t.relation.label: t.tail.kind for t in rdf.neighbors([ADA], direction="out")}
    assert kinds["knows"] == "mediator"
    assert rdf.resolve("1900-01-02")[0].kind == "literal"


def test_ambiguous_names_are_all_kept():
    graph = Graph.from_triples(
        [("a", "r", "b"), ("c", "r", "d")], labels={"a": "Same", "c": "same"}, aliases={"d": ["Same"]}
    )
    assert {e.id for e in graph.resolve("SAME")} == {"a", "c", "d"}


def test_names_identify_content():
    one, two = Graph.from_triples(TOY, name="g"), Graph.from_triples(TOY[1:], name="g")
    assert one.name == Graph.from_triples(TOY, name="g").name != two.name
    assert one.view([0]).name != one.view([1]).name
    relabelled = Graph.from_triples(TOY, name="g", labels={"Paris": "Lutetia"})
    assert relabelled.name != one.name


def test_duplicates_are_dropped_and_parallel_kept():
    graph = Graph.from_triples([*TOY, *TOY])
    assert graph.num_triples == len(TOY)
    assert len(graph.neighbors(["Paris"], direction="out")) == 2


def test_not_a_triple():
    with pytest.raises(InputError, match=r"not a triple: \('a', 'b'\)"):
        Graph.from_triples([("a", "b")])


def test_save_and_open(tmp_path):
    graph = Graph.from_triples(
        TOY, name="x", labels={"Paris": "Paris!"}, aliases={"Paris": ["Lutetia"]}, descriptions={"Lyon": "d"}
    )
    saved = graph.save(tmp_path / "x.kg")
    assert ids(saved.triples()) == ids(graph.triples())
    assert saved.entity("Paris").label == "Paris!"
    assert saved.aliases_of("Paris") == ["Lutetia"]
    assert saved.description_of("Lyon") == "d"
    assert [e.id for e in saved.resolve("lutetia")] == ["Paris"]
    assert [saved.number_of(id) for id in graph.ids_at(range(graph.num_entities))] == list(range(graph.num_entities))
    with pytest.raises(InputError, match="view"):
        saved.view([0]).save(tmp_path / "y.kg")


def test_from_networkx():
    graph = nx.MultiDiGraph()
    graph.add_edge("a", "b", key="knows")
    graph.add_edge("a", "b", relation="likes")
    graph.add_node("a", label="Ada")
    made = Graph.from_networkx(graph)
    assert ids(made.triples()) == [("a", "knows", "b"), ("a", "likes", "b")]
    assert made.entity("a").label == "Ada"
    both = Graph.from_networkx(nx.Graph([("a", "b", {"kind": "touches"})]), relation="kind")
    assert ids(both.triples()) == [("a", "touches", "b"), ("b", "touches", "a")]
    with pytest.raises(InputError, match="relation="):
        Graph.from_networkx(nx.DiGraph([("a", "b")]))


def test_attributes_of_networkx_are_properties():
    graph = nx.MultiDiGraph()
    graph.add_node("a", label="Ada", born=1815, titles=["countess", "analyst"])
    graph.add_edge("a", "b", relation="knows", since=1833)
    graph.add_edge("b", "a", relation="likes")
    made = Graph.from_networkx(graph)
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    found = ids(made.neighbors(["a"], direction="out"))
    between = next(tail for _, relation, tail in found if relation == "knows" and tail != "b")
    assert sorted(found) == sorted(
        [("a", "born", f'"1815"^^<{integer}>'), ("a", "titles", '"countess"'), ("a", "titles", '"analyst"'),
         ("a", "knows", "b"), ("a", "knows", between)]
    )  # fmt: skip
    assert made.entity(between).kind == "mediator"
    since = next(t.tail for t in made.neighbors([between], relations=["since"]))
    assert (since.kind, since.label, since.datatype) == ("literal", "1833", integer)
    assert {t.tail.id for t in made.neighbors([between], relations=["knows"], direction="out")} == {"b"}
    plain = Graph.from_networkx(graph, attributes=False)
    assert sorted(ids(plain.triples())) == [("a", "knows", "b"), ("b", "likes", "a")]


def test_from_frame():
    import pandas as pd

    frame = pd.DataFrame({"tail": ["b", "d"], "note": [1, 2], "subject": ["a", "c"], "predicate": ["r", "s"]})
    assert ids(Graph.from_pandas(frame).triples()) == [("a", "r", "b"), ("c", "s", "d")]
    with pytest.raises(InputError, match="row 1 of the frame has no tail"):
        Graph.from_frame(pd.DataFrame({"head": ["a", "b"], "relation": ["r", "r"], "tail": ["x", None]}))
    with pytest.raises(InputError, match="no column 'tail'"):
        Graph.from_frame(pd.DataFrame({"head": ["a"], "relation": ["r"], "value": ["x"]}))


class _Rdflib:
    """What `from_rdflib` asks of an rdflib graph."""

    def serialize(self, format: str, encoding: str) -> bytes:
        assert (format, encoding) == ("nt", "utf-8")
        return (
            b'<http://a/x> <http://a/p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
            b'<http://a/x> <http://www.w3.org/2000/01/rdf-schema#label> "X"@en .\n'
        )


def test_from_rdflib():
    graph = Graph.from_rdflib(_Rdflib())
    assert graph.entity("http://a/x").label == "X"
    assert graph.literals("http://a/x")[0][1].label == "1"
    assert graph.find("X")[0][0].id == "http://a/x"


def test_info(rdf, toy_path):
    facts = Graph.open(toy_path).info()
    json.dumps(facts)
    assert (facts["triples"], facts["entities"], facts["relation_count"], facts["mediators"]) == (14, 10, 8, 1)
    assert facts["relations"][0]["triples"] == 3
    assert facts["degrees"]["both"]["max"] == 8
    assert facts["label_coverage"] == 0.0
    assert facts["memory_bytes"]["triples"] >= 14 * 9 * 4
    assert rdf.info()["labelled"] == 2
    assert rdf.info()["prefixes"]["ex"] == "http://ex.org/"
    assert rdf.info()["literals"] == 3
    view = Graph.open(toy_path).view([0, 1])
    assert view.info()["entities"] == view.num_entities
    assert "<table>" in rdf._repr_html_()


def test_compaction_changes_nothing_that_can_be_seen(tmp_path):
    path = tmp_path / "toy.kg"
    build(write_toy(tmp_path), path)
    assert compact(path) is False
    before = Graph.open(path).name
    add(
        path,
        [("Rome", "twinned", "Paris"), ("m.0new", "holder", "Ada Example")],
        labels={"Rome": "Roma", "Lyon": "Lugdunum"},
    )
    remove(path, [("Paris", "capital of", "France")])
    edited = Graph.open(path)
    assert edited.name != before
    assert set(edited.touched) == {"Rome", "Paris", "m.0new", "Ada Example", "France"}
    assert edited.entity("m.0new").kind == "mediator"
    assert [e.id for e in edited.resolve("roma")] == ["Rome"]
    assert edited.resolve("lugdunum")[0].id == "Lyon"
    seen = [*edited.triples()], edited.name, edited.ids_at(range(edited.num_entities)), edited.relations()
    assert compact(path) is True
    compacted = Graph.open(path, verify=True)
    assert seen == (
        [*compacted.triples()],
        compacted.name,
        compacted.ids_at(range(edited.num_entities)),
        compacted.relations(),
    )
    for a, b in zip((*edited.whole.out, *edited.whole.inc), (*compacted.whole.out, *compacted.whole.inc), strict=True):
        assert np.array_equal(a, b)
    assert compacted.touched == ()
    assert [e.id for e in compacted.resolve("lugdunum")] == ["Lyon"]
    assert ids(edited.triples()) == ids(compacted.triples())  # the old arrays stay mapped


def test_undone_edits_leave_the_triples(tmp_path):
    path = tmp_path / "toy.kg"
    build(write_toy(tmp_path), path)
    before = Graph.open(path)
    remove(path, [("Paris", "capital of", "France")])
    add(path, [("Paris", "capital of", "France")])
    after = Graph.open(path)
    assert after.name == before.name
    assert add(path, TOY) == 0
    assert remove(path, [("Paris", "capital of", "Spain"), ("x", "y", "z")]) == 0


def test_edited_in_memory():
    graph = Graph.from_triples(TOY)
    edited = graph.edited(add=[("Rome", "located in", "Italy")], remove=[TOY[0]], labels={"Rome": "Roma"})
    assert ids(edited.triples()) == sorted([*TOY[1:], ("Rome", "located in", "Italy")])
    assert ids(graph.triples()) == sorted(TOY)
    assert edited.find("roma")[0][0].id == "Rome"
    again = edited.edited(remove=[("Rome", "located in", "Italy")], add=[TOY[0]])
    assert ids(again.triples()) == sorted(TOY)
    assert "Rome" in again.touched


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ([("a", "b")], "not a triple"),
        ([("a", "", "c")], "not a triple"),
        ([("a", "b\0", "c")], "not a triple"),
        ([("a", "b", "c" * (1 << 21))], "longer than"),
    ],
)
def test_bad_edits_change_nothing(tmp_path, bad, words):
    path = tmp_path / "toy.kg"
    build(write_toy(tmp_path), path)
    with pytest.raises(InputError, match=words):
        add(path, bad)
    with pytest.raises(InputError, match="no entity 'Rome' to label"):
        add(path, [("a", "b", "c")], labels={"Rome": "Roma"})
    assert not Generation.open(path).log.changes


def test_a_torn_edit_was_never_made(tmp_path):
    path = tmp_path / "toy.kg"
    build(write_toy(tmp_path), path)
    add(path, [("a", "b", "c")])
    once = Graph.open(path).name
    add(path, [("d", "e", "f")])
    log = Generation.open(path).place / "delta.log"
    whole = log.read_bytes()
    torn = b"%b1f00 3 {'add'" % whole
    log.write_bytes(torn)  # as a crash leaves it: nothing says that it was acknowledged
    assert Graph.open(path).num_triples == len(TOY) + 2
    add(path, [("g", "h", "i")])  # writes over what was torn
    assert Graph.open(path).num_triples == len(TOY) + 3
    assert len(log.read_bytes()) < len(torn) + 60
    assert once != Graph.open(path).name


def test_editing_what_is_no_graph(tmp_path):
    with pytest.raises(NotFoundError, match="clew build"):
        add(tmp_path / "no.kg", [("a", "b", "c")])


def damaged(tmp_path: Path) -> Path:
    build(write_toy(tmp_path), tmp_path / "toy.kg")
    return tmp_path / "toy.kg"


def test_refuses_what_is_damaged(tmp_path):
    path = damaged(tmp_path)
    tails = Generation.open(path).place / "tails.i32"
    tails.write_bytes(tails.read_bytes()[:-4])
    with pytest.raises(FormatError, match=r"tails\.i32 has 52 bytes instead of 56; .* build it again"):
        Graph.open(path)
    tails.unlink()
    with pytest.raises(FormatError, match=r"tails\.i32 is missing"):
        Graph.open(path)


def test_refuses_newer_and_foreign(tmp_path):
    path = damaged(tmp_path)
    meta = json.loads((path / "meta.json").read_text())
    (path / "meta.json").write_text(json.dumps({**meta, "version": 99}))
    with pytest.raises(FormatError, match=r"version 99.*upgrade clew"):
        Graph.open(path)
    for text in ("", "[]", '{"version": 1}', "{"):
        (path / "meta.json").write_text(text)
        with pytest.raises(FormatError, match="damaged"):
            Graph.open(path)
    (path / "meta.json").unlink()
    with pytest.raises(FormatError, match="not a graph"):
        Graph.open(path)
    with pytest.raises(NotFoundError, match="does not exist"):
        Graph.open(tmp_path / "no.kg")
    with pytest.raises(FormatError, match="is a file"):
        Graph.open(tmp_path / "toy.tsv")
