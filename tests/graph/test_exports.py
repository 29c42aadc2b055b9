# ruff: noqa: E501 - lines as the tools write them
"""Exports of graph databases and programs for graphs, as the tools write them, give one and the same graph."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import networkx as nx
import pytest

import clew
from clew.errors import InputError
from clew.graph import Graph, build
from clew.graph.dgraph import is_dgraph

XSD = "http://www.w3.org/2001/XMLSchema#"
KEANU = {"born": "1964-09-02", "name": "Keanu Reeves"}
MATRIX = {"tagline": 'Welcome to\nthe "Real" World', "title": "The Matrix", "released": 1999}
APOC = [
    {"type": "node", "id": "188", "labels": ["Movie"], "properties": MATRIX},
    {"type": "node", "id": "189", "labels": ["Person"], "properties": KEANU},
    {"type": "node", "id": "190", "labels": ["Person"], "properties": {"born": "1967-08-21", "name": "Carrie-Anne Moss"}},
    {"id": "0", "type": "relationship", "label": "ACTED_IN", "properties": {"roles": ["Neo", "Mr Anderson"]},
     "start": {"id": "189", "labels": ["Person"], "properties": KEANU},
     "end": {"id": "188", "labels": ["Movie"], "properties": MATRIX}},
    {"id": "1", "type": "relationship", "label": "ACTED_IN",
     "start": {"id": "190", "labels": ["Person"]}, "end": {"id": "188", "labels": ["Movie"]}},
]  # fmt: skip
APOC_CSV = """"_id","_labels","born","name","released","tagline","title","_start","_end","_type","name","roles"
"188",":Movie","","","1999","Welcome to
the ""Real"" World","The Matrix",,,,,
"189",":Person","1964-09-02","Keanu Reeves","","","",,,,,
"190",":Person","1967-08-21","Carrie-Anne Moss","","","",,,,,
,,,,,,,"189","188","ACTED_IN","","[""Neo"",""Mr Anderson""]"
,,,,,,,"190","188","ACTED_IN","",""
"""
ARANGO = {
    "person_%s.data.json" % ("5d" * 16): [
        {"_key": "189", "_id": "person/189", "_rev": "_fX", **KEANU},
        {"_key": "190", "_id": "person/190", "_rev": "_fY", "born": "1967-08-21", "name": "Carrie-Anne Moss"},
    ],
    "movies_%s.data.json" % ("6e" * 16): [{"_key": "188", "_id": "movies/188", "_rev": "_fZ", **MATRIX}],
    "ACTED_IN_%s.data.json" % ("7f" * 16): [
        {"_key": "1", "_id": "ACTED_IN/1", "_from": "person/189", "_to": "movies/188", "_rev": "_f0",
         "roles": ["Neo", "Mr Anderson"]},
        {"_key": "2", "_id": "ACTED_IN/2", "_from": "person/190", "_to": "movies/188", "_rev": "_f1"},
    ],
}  # fmt: skip
DGRAPH = r"""<0x1> <title> "The Matrix" <0x0> .
<0x1> <tagline> "Welcome to\nthe \"Real\" World" <0x0> .
<0x1> <released> "1999"^^<xs:int> <0x0> .
<0x1> <dgraph.type> "Movie" <0x0> .
<0x2> <name> "Keanu Reeves" <0x0> .
<0x2> <born> "1964-09-02T00:00:00Z"^^<xs:dateTime> <0x0> .
<0x2> <dgraph.type> "Person" <0x0> .
<0x2> <ACTED_IN> <0x1> <0x0> (roles="Neo",billing=1) .
<0x3> <name> "Carrie-Anne Moss"@en <0x0> .
<0x3> <born> "1967-08-21T00:00:00Z"^^<xs:dateTime> <0x0> .
<0x3> <dgraph.type> "Person" <0x0> .
<0x3> <ACTED_IN> <0x1> <0x0> .
<0x4> <dgraph.type> "dgraph.graphql" <0x0> .
<0x4> <dgraph.graphql.schema> "type Person { name: String }" <0x0> .
"""
DGRAPH_JSON = """[
  {"uid":"0x1","namespace":"0x0","title":"The Matrix"},
  {"uid":"0x1","namespace":"0x0","tagline":"Welcome to\\nthe \\"Real\\" World"},
  {"uid":"0x1","namespace":"0x0","released":1999},
  {"uid":"0x1","namespace":"0x0","dgraph.type":["Movie"]},
  {"uid":"0x2","namespace":"0x0","name":"Keanu Reeves"},
  {"uid":"0x2","namespace":"0x0","born":"1964-09-02T00:00:00Z"},
  {"uid":"0x2","namespace":"0x0","dgraph.type":["Person"]},
  {"uid":"0x2","namespace":"0x0","ACTED_IN":[{"uid":"0x1","ACTED_IN|roles":"Neo","ACTED_IN|billing":1}]},
  {"uid":"0x3","namespace":"0x0","name":"Carrie-Anne Moss","born":"1967-08-21T00:00:00Z","dgraph.type":"Person"},
  {"uid":"0x3","namespace":"0x0","ACTED_IN":[{"uid":"0x1"}]},
  {"uid":"0x4","namespace":"0x0","dgraph.type":["dgraph.graphql"],"dgraph.graphql.schema":"type A { }"}
]
"""
GRAPHSON = r"""
{"id":{"@type":"g:Int64","@value":189},"label":"Person","outE":{"ACTED_IN":[{"id":{"@type":"g:Int32","@value":7},"inV":{"@type":"g:Int64","@value":188},"properties":{"roles":{"@type":"g:List","@value":["Neo","Mr Anderson"]}}}]},"properties":{"name":[{"id":{"@type":"g:Int64","@value":0},"value":"Keanu Reeves"}],"born":[{"id":{"@type":"g:Int64","@value":1},"value":{"@type":"gx:LocalDate","@value":"1964-09-02"}}]}}
{"id":{"@type":"g:Int64","@value":190},"label":"Person","outE":{"ACTED_IN":[{"id":{"@type":"g:Int32","@value":8},"inV":{"@type":"g:Int64","@value":188}}]},"properties":{"name":[{"id":{"@type":"g:Int64","@value":2},"value":"Carrie-Anne Moss"}],"born":[{"id":{"@type":"g:Int64","@value":3},"value":{"@type":"gx:LocalDate","@value":"1967-08-21"}}]}}
{"id":{"@type":"g:Int64","@value":188},"label":"Movie","inE":{"ACTED_IN":[{"id":{"@type":"g:Int32","@value":7},"outV":{"@type":"g:Int64","@value":189}}]},"properties":{"title":[{"id":{"@type":"g:Int64","@value":4},"value":"The Matrix"}],"released":[{"id":{"@type":"g:Int64","@value":5},"value":{"@type":"g:Int32","@value":1999}}],"tagline":[{"id":{"@type":"g:Int64","@value":6},"value":"Welcome to\nthe \"Real\" World"}]}}
""".lstrip()
GEXF = """<?xml version='1.0' encoding='UTF-8'?>
<gexf xmlns="http://gexf.net/1.3" version="1.3" xmlns:viz="http://gexf.net/1.3/viz">
  <meta lastmodifieddate="2024-05-01"><creator>Gephi 0.10.1</creator></meta>
  <graph defaultedgetype="directed" mode="static">
    <attributes class="node" mode="static">
      <attribute id="type" title="type" type="string"/><attribute id="born" title="born" type="string"/>
      <attribute id="r" title="released" type="integer"><default>0</default></attribute>
      <attribute id="tagline" title="tagline" type="string"/>
    </attributes>
    <attributes class="edge"><attribute id="0" title="roles" type="liststring"/></attributes>
    <nodes>
      <node id="188" label="The Matrix">
        <attvalues><attvalue for="type" value="Movie"/><attvalue for="r" value="1999"/>
          <attvalue for="tagline" value="Welcome to&#10;the &quot;Real&quot; World"/></attvalues>
        <viz:size value="10.0"/><viz:position x="1.0" y="2.0"/>
      </node>
      <node id="189" label="Keanu Reeves"><attvalues><attvalue for="type" value="Person"/>
        <attvalue for="born" value="1964-09-02"/></attvalues></node>
      <node id="190" label="Carrie-Anne Moss"><attvalues><attvalue for="type" value="Person"/>
        <attvalue for="born" value="1967-08-21"/></attvalues></node>
    </nodes>
    <edges>
      <edge id="0" source="189" target="188" kind="ACTED_IN" weight="1.0">
        <attvalues><attvalue for="0" value="[Neo, Mr Anderson]"/></attvalues></edge>
      <edge id="1" source="190" target="188" label="ACTED_IN"/>
    </edges>
  </graph>
</gexf>
"""
GML = """Creator "igraph version 0.10.4"
Version 1
graph
[
  # films
  directed 1
  node
  [
    id 188
    label "The Matrix"
    type "Movie"
    released 1999
    tagline "Welcome to
the &quot;Real&quot; World"
    graphics [ x 1.0 y 2.0 fill "#FFCC00" ]
  ]
  node [ id 189 label "Keanu Reeves" type "Person" born "1964-09-02" ]
  node [ id 190 label "Carrie-Anne Moss" type "Person" born "1967-08-21" ]
  edge
  [
    source 189
    target 188
    label "ACTED_IN"
    roles "Neo"
    roles "Mr Anderson"
  ]
  edge [ source 190 target 188 label "ACTED_IN" ]
]
"""
CYJS = {
    "format_version": "1.0", "generated_by": "cytoscape-3.10.1", "target_cytoscapejs_version": "~2.1",
    "data": {"shared_name": "films", "name": "films", "SUID": 52, "selected": True},
    "elements": {
        "nodes": [
            {"data": {"id": "88", "shared_name": "The Matrix", "type": "Movie", "released": 1999, "name": "The Matrix",
                      "SUID": 88, "selected": False, "tagline": MATRIX["tagline"]}, "position": {"x": 1.5, "y": 2.5}},
            {"data": {"id": "89", "shared_name": "x", "type": "Person", "SUID": 89, **KEANU}, "selected": False},
            {"data": {"id": "90", "type": "Person", "SUID": 90, "name": "Carrie-Anne Moss", "born": "1967-08-21"}},
        ],
        "edges": [
            {"data": {"id": "95", "source": "89", "target": "88", "shared_name": "K (ACTED_IN) M", "SUID": 95,
                      "shared_interaction": "ACTED_IN", "name": "K (ACTED_IN) M", "interaction": "ACTED_IN",
                      "selected": False, "roles": ["Neo", "Mr Anderson"]}},
            {"data": {"id": "96", "source": "90", "target": "88", "interaction": "ACTED_IN", "SUID": 96}},
        ],
    },
}  # fmt: skip


def lines(records: list[dict[str, object]], end: str = "\n") -> str:
    return "".join(json.dumps(each, ensure_ascii=False) + end for each in records)


def whole(records: list[dict[str, object]]) -> str:
    return json.dumps({"nodes": records[:3], "rels": records[3:]})


FILES: dict[str, dict[str, str]] = {
    "apoc json lines": {"all.json": lines(APOC)},
    "apoc json lines called so": {"all.jsonl": "\ufeff" + lines(APOC, "\r\n")},
    "apoc array": {"all.json": json.dumps(APOC)},
    "apoc nodes and rels": {"all.json": whole(APOC)},
    "apoc ids as keys": {
        "all.json": json.dumps({"nodes": {e["id"]: e for e in APOC[:3]}, "rels": {e["id"]: e for e in APOC[3:]}})
    },
    "apoc csv": {"all.csv": APOC_CSV},
    "arangodump": {name: lines(records) for name, records in ARANGO.items()}
    | {"person_x.structure.json": '{"parameters":{"name":"person"},"indexes":[]}', "dump.json": '{"database":"x"}'},
    "arangoexport": {f"{name.partition('_5')[0].partition('_6')[0].partition('_7')[0]}.jsonl": lines(records)
                     for name, records in ARANGO.items()},
    "arangodump of old": {name: lines([{"type": 2300, "data": each} for each in records])
                          for name, records in ARANGO.items()},
    "dgraph": {"g01.rdf": DGRAPH},
    "dgraph json": {"g01.json": DGRAPH_JSON},
    "graphson": {"g.json": GRAPHSON},
    "graphson called so": {"g.graphson": GRAPHSON},
    "graphson in one": {"g.json": json.dumps({"vertices": [json.loads(line) for line in GRAPHSON.splitlines()]})},
    "gexf": {"g.gexf": GEXF},
    "gexf 1.2": {"g.gexf": GEXF.replace("http://gexf.net/1.3", "http://www.gexf.net/1.2draft").replace('"1.3"', '"1.2"')
                 .replace('kind="ACTED_IN"', 'label="ACTED_IN"')},
    "gml": {"g.gml": GML},
    "gml of windows": {"g.gml": "\ufeff" + GML.replace("\n", "\r\n").replace("to\r\nthe", "to\nthe")},
    "cytoscape": {"g.cyjs": json.dumps(CYJS)},
    "cytoscape flat": {"g.cyjs": json.dumps({"elements": [*CYJS["elements"]["nodes"], *CYJS["elements"]["edges"]]})},
}  # fmt: skip


def rows(graph: Graph, plan: str) -> list[str]:
    return sorted(str(row[0]) for row in clew.query(graph, plan).rows)


@pytest.mark.parametrize("tool", FILES)
def test_one_graph(tmp_path: Path, tool: str) -> None:
    place = tmp_path / "export"
    place.mkdir()
    for number, (name, text) in enumerate(FILES[tool].items()):
        data = text.encode()
        file = place / (f"{name}.gz" if number == 0 and "a" in tool else name)
        file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)
    report = build(place, tmp_path / "x.kg")
    assert not report.num_problems, report
    graph = Graph.open(tmp_path / "x.kg")
    triples = {(t.head.label, t.relation.id, t.tail.label) for t in graph.triples()}
    kinds = {(head, tail.casefold()) for head, relation, tail in triples if relation == "type"}
    assert kinds == {("The Matrix", "movie"), ("Keanu Reeves", "person"), ("Carrie-Anne Moss", "person")}
    acted = {(head, tail) for head, relation, tail in triples if relation == "ACTED_IN" and tail == "The Matrix"}
    assert acted >= {("Keanu Reeves", "The Matrix"), ("Carrie-Anne Moss", "The Matrix")}
    between = {t.tail.id for t in graph.triples() if t.relation.id == "ACTED_IN" and t.tail.id.startswith("_:")}
    assert len(between) == 1
    roles = {t.tail.label for t in graph.triples() if t.head.id in between and t.relation.id == "roles"}
    assert roles == ({"Neo"} if "dgraph" in tool else {"Neo", "Mr Anderson"})
    assert ("The Matrix", "tagline", MATRIX["tagline"]) in triples
    assert {t.tail.id for t in graph.triples() if t.relation.id == "released"} == {f'"1999"^^<{XSD}integer>'}
    kind = next(tail for head, relation, tail in triples if relation == "type" and tail.casefold() == "person")
    assert rows(graph, f"count(class({kind}))") == ["2"]
    assert rows(graph, f"where(class({kind}), born, <, date(1965))") == ["Keanu Reeves"]
    assert "Carrie-Anne Moss" in rows(graph, 'follow(follow(entity("Keanu Reeves"), ACTED_IN), ^ACTED_IN)')


def test_what_networkx_writes(tmp_path: Path) -> None:
    made = nx.Graph()
    made.add_node(1, label="Ann", born=1980)
    made.add_node(2, label='Bö "x"', born=1990)
    made.add_edge(1, 2, type="knows", since="2020-01-02")
    nx.write_gexf(made, tmp_path / "x.gexf")
    nx.write_gml(nx.relabel_nodes(made, {1: "Ann", 2: 'Bö "x"'}), tmp_path / "x.gml")
    (tmp_path / "x.cyjs").write_text(json.dumps(nx.cytoscape_data(made)))
    for name in ("x.gexf", "x.gml"):
        report = build(tmp_path / name, tmp_path / "x.kg")
        assert not report.num_problems
        graph = Graph.open(tmp_path / "x.kg")
        said = {(t.head.label, t.relation.id, t.tail.label) for t in graph.triples() if not t.tail.id.startswith("_:")}
        assert {("Ann", "knows", 'Bö "x"'), ('Bö "x"', "knows", "Ann"), ("Ann", "born", "1980")} <= said
        assert f'"2020-01-02"^^<{XSD}date>' in {t.tail.id for t in graph.triples()}
    assert not build(tmp_path / "x.cyjs", tmp_path / "x.kg").num_problems


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.gexf", '<!DOCTYPE g [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;">]><gexf>&b;</gexf>', "document type declaration"),
        ("x.gexf", "<gexf><graph><nodes><node id='1'", "not well-formed"),
        ("x.gexf", "<gexf><graph><nodes><node/></nodes></graph></gexf>", "a node without an id"),
        ("x.gml", "graph [ node [ id 1 ", "it ends within a bracket"),
        ("x.gml", "graph " + "[ a " * 100_000, "brackets within one another"),
        ("x.gml", "<html>", "is no GML"),
        ("x.gml", 'graph [ edge [ source 1 ] label "x', "without source or target"),
        ("x.cyjs", '{"elements": {}}', "holds no triple"),
        ("x.json", '{"type":"relationship","id":"1","label":"A"}\n', "without start or end"),
        ("x.jsonl", '{"uid":"0x1"}\n', "holds no triple"),
        ("x.jsonl", '{"_id":"a/1","_key":"1","_from":"a/1","_to":""}\n', "an empty term"),
        ("x.graphson", '{"id":{"@type":"g:Int64"},"label":"a","outE":{}}\n', "a vertex without an id"),
        ("x.rdf", "<0x1> <name> \"open .\n<0x1> <name> .\n", "is no statement of Dgraph's"),
    ],
)  # fmt: skip
def test_bad_files_are_told(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match="no triple") as caught:
        build(tmp_path / name, tmp_path / "x.kg")
    assert message in str(caught.value)


def test_bad_lines_cost_themselves_alone(tmp_path: Path) -> None:
    text = lines(APOC[:2]) + "{not json\n[1]\n" + lines(APOC[2:])
    (tmp_path / "all.json").write_text(text)
    report = build(tmp_path / "all.json", tmp_path / "x.kg")
    assert sorted((each.line or 0, each.kind) for each in report.problems) == [(3, "syntax"), (4, "fields")]
    assert rows(Graph.open(tmp_path / "x.kg"), "count(class(Person))") == ["2"]


def test_rdf_that_is_none_of_dgraph() -> None:
    assert not is_dgraph(b"<?xml version='1.0'?><rdf:RDF>") and not is_dgraph(
        b"<http://a/b> <http://c/d> <http://e/f> ."
    )
    assert is_dgraph(b'<0x1f> <name> "x" .') and is_dgraph(b'_:a <name> "x" .')
