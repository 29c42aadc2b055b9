"""GraphML and JSON documents become the triples that tables of nodes and edges become."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pyarrow as pa
import pytest

from clew.errors import InputError
from clew.graph import Graph, build
from clew.testing.graph_store import ids

XSD = "http://www.w3.org/2001/XMLSchema#"


@pytest.mark.parametrize("directed", [True, False])
def test_graphml_as_networkx_writes_it(tmp_path: Path, directed: bool) -> None:
    made = nx.MultiDiGraph() if directed else nx.MultiGraph()
    made.add_node("a", name="Ann & Co", born=1970)
    made.add_node("b", name="Brazil", score=1.5, ok=True)
    made.add_edge("a", "b", label="acted in")
    made.add_edge("a", "b", label="liked", since=1999)
    nx.write_graphml(made, tmp_path / "x.graphml")
    build(tmp_path / "x.graphml", tmp_path / "x.kg")
    graph = Graph.open(tmp_path / "x.kg")
    found = set(ids(graph.triples()))
    assert {("a", "acted in", "b"), ("a", "liked", "b"), ("a", "born", f'"1970"^^<{XSD}integer>')} <= found
    assert ("b", "ok", f'"true"^^<{XSD}boolean>') in found
    assert (("b", "acted in", "a") in found) is not directed
    assert next(h for h, r, t in found if r == "since").startswith("_:")
    assert graph.entity("a").label == "Ann & Co"


def test_graphml_with_entities_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.graphml"
    file.write_text('<!DOCTYPE x [<!ENTITY a "aaaa">]><graphml><graph><node id="&a;"/></graph></graphml>')
    with pytest.raises(InputError, match="has a document type declaration"):
        build(file, tmp_path / "x.kg")


def test_an_arrow_table_is_a_frame() -> None:
    table = pa.table({"head": ["a", "b"], "relation": ["r", "r"], "tail": ["b", "c"]})
    assert ids(Graph.from_frame(table).triples()) == [("a", "r", "b"), ("b", "r", "c")]


def test_a_table_of_things_with_ids_and_names_that_start_and_end_is_no_table_of_edges(tmp_path: Path) -> None:
    (tmp_path / "p-nodes.csv").write_text("id,type,name,aka,start,end\ng1,grant,Deep Ice,DI; Ice,2021,2024\n")
    (tmp_path / "p-edges.csv").write_text("source,target,relationship\ng1,g1,renewal of\n")
    build([tmp_path / "p-nodes.csv", tmp_path / "p-edges.csv"], tmp_path / "p.kg")
    graph = Graph.open(tmp_path / "p.kg")
    assert {e.label for e in graph.resolve("Ice")} == {"Deep Ice"}
    assert {"start", "end", "renewal of"} <= {relation.label for relation in graph.relations()}


@pytest.mark.parametrize("name", ["rel", "kind", "edge_type"])
def test_edges_of_graphml_state_their_relation_by_several_names(tmp_path: Path, name: str) -> None:
    (tmp_path / "g.graphml").write_text(
        f'<graphml><key id="k" for="edge" attr.name="{name}" attr.type="string"/><graph edgedefault="directed">'
        '<node id="a"/><node id="b"/><edge source="a" target="b"><data key="k">owns</data></edge></graph></graphml>'
    )
    build(tmp_path / "g.graphml", tmp_path / "g.kg")
    assert [relation.label for relation in Graph.open(tmp_path / "g.kg").relations()] == ["owns"]


def test_what_is_called_an_alias_names_a_thing_beside_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("United States\talso known as\tUSA\nUnited States\tcapital\tWashington\n")
    build(tmp_path / "t.tsv", tmp_path / "t.kg")
    graph = Graph.open(tmp_path / "t.kg")
    (index,) = graph.indexes
    assert "United States" in {graph.entity_at(found.number).label for found in index.exact("USA")}
    assert graph.num_triples == 2


@pytest.mark.parametrize(
    ("nodes", "edges"),
    [
        ("Id,Kind,Label", "Source,Target,Type,Label\n1,2,Directed,works for"),  # as Gephi writes them
        ("node_id,node_type,node_name", "from_id,to_id,rel_type\n1,2,works for"),
        ("entity_id,entity_type,entity_name", "head_entity,relation,tail_entity\n1,works for,2"),
        ("id,category,name", "src,dst,rel\n1,2,works for"),
        ("id,type,title", "source_id,target_id,relation\n1,2,works for"),
        ("ID,Type,Name", "node1,node2,relationship\n1,2,works for"),
        ("uuid,labels,name", "start_node,end_node,relationship_type\n1,2,works for"),
        ("id,type,name", "id,source,target,type\ne1,1,2,works for"),
    ],
)
def test_headers_of_tables_as_people_write_them(tmp_path: Path, nodes: str, edges: str) -> None:
    (tmp_path / "nodes.csv").write_text(f"{nodes}\n1,Person,Ann Lee\n2,Company,Acme\n")
    (tmp_path / "edges.csv").write_text(f"{edges}\n")
    build([tmp_path / "nodes.csv", tmp_path / "edges.csv"], tmp_path / "g.kg")
    whole = Graph.open(tmp_path / "g.kg").whole
    found = {(t.head.label, t.relation.label, t.tail.label) for t in map(whole.triple, range(whole.num_triples))}
    assert found == {("Ann Lee", "works for", "Acme"), ("Ann Lee", "type", "Person"), ("Acme", "type", "Company")}


NODES = '"nodes": [{"id": 1, "labels": ["Person"], "properties": {"name": "Ann Lee"}}, {"id": 2, "name": "Acme"}]'


@pytest.mark.parametrize(
    "text",
    [
        f'{{{NODES}, "links": [{{"source": 1, "target": 2, "key": 0, "relation": "works for"}}]}}',  # networkx
        f'{{{NODES}, "edges": [{{"source": {{"id": 1}}, "target": {{"id": 2}}, "label": "works for"}}]}}',  # D3
        f'{{{NODES}, "relationships": [{{"start_node": "1", "end_node": "2", "type": "works for"}}]}}',
    ],
)
def test_a_json_document_of_nodes_and_links(tmp_path: Path, text: str) -> None:
    (tmp_path / "g.json").write_text(text)
    build(tmp_path / "g.json", tmp_path / "g.kg")
    whole = Graph.open(tmp_path / "g.kg").whole
    found = {(t.head.label, t.relation.label, t.tail.label) for t in map(whole.triple, range(whole.num_triples))}
    assert found == {("Ann Lee", "works for", "Acme"), ("Ann Lee", "type", "Person")}


@pytest.mark.parametrize(
    "rows", ['[["a", "knows", "b"]]', '{"triples": [{"subject": "a", "predicate": "knows", "object": "b"}]}']
)
def test_a_json_document_of_triples(tmp_path: Path, rows: str) -> None:
    (tmp_path / "g.json").write_text(rows)
    build(tmp_path / "g.json", tmp_path / "g.kg")
    whole = Graph.open(tmp_path / "g.kg").whole
    assert ids([whole.triple(0)]) == [("a", "knows", "b")] and whole.num_triples == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"a": 1}', "is no graph; expected"),
        ('[["a", "b"], 3, {"head": "x"}]', "expected head, relation and tail"),
        ('{"nodes": [{"x": 1}, 7], "links": [{"source": 1}, null]}', "without"),
    ],
)
def test_a_json_document_that_is_no_graph_is_told(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "g.json").write_text(text)
    with pytest.raises(InputError, match=told):
        build(tmp_path / "g.json", tmp_path / "g.kg")
