"""Edge lists whose columns say the kinds of both ends: with and without a table of nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.graph import Graph, build
from clew.graph.typed_ends import kind_columns

NODES = (
    "id,type,name,founded\nc1,company,Acme,1950\nc2,company,Bolt,1960\nc3,company,Corda,\nc4,company,Dyne,\n"
    "p1,plant,Harbour Works,\nu1,country,Norway,\n"
)
EDGES = (
    ("c1", "company", "operates", "p1", "plant", "1999"),
    ("p1", "plant", "located_in", "u1", "country", ""),
    ("c2", "company", "supplies", "c1", "company", "2004"),
    ("c1", "company", "based_in", "u1", "country", ""),
    ("c3", "company", "supplies", "c4", "company", ""),
)
HEADER = "source,source_type,relation,target,target_type,year"


def made(tmp_path: Path, edges: str, nodes: str = "", name: str = "edges.csv") -> tuple[Graph, tuple[str, ...]]:
    files = {"nodes.csv": nodes, name: edges} if nodes else {name: edges}
    for each, text in files.items():
        (tmp_path / each).write_text(text)
    report = build([tmp_path / each for each in files], tmp_path / "g.kg")
    assert report.num_problems == report.duplicates == 0
    return Graph.open(tmp_path / "g.kg", verify=True), report.tables


def said(graph: Graph) -> set[tuple[str, str, str]]:
    return {(t.head.label, t.relation.label, t.tail.label) for t in graph.triples()}


def rows(header: str, delimiter: str = ",") -> str:
    return "\n".join([header.replace(",", delimiter), *(delimiter.join(row) for row in EDGES)]) + "\n"


def kinds(graph: Graph) -> dict[str, int]:
    return {row["label"]: row["things"] for row in graph.info()["types"]}


@pytest.mark.parametrize(
    "header",
    [
        HEADER,
        "from_id,from_type,rel,to_id,to_type,year",
        "subject,subject_type,predicate,object,object_type,year",
        "head,head_type,relation,tail,tail_type,year",
        "start_id,start_label,type,end_id,end_label,year",
        "source,source_label,type,target,target_label,year",
        "src,src_kind,edge,dst,dst_kind,year",
        "sourceId,sourceType,relationship,targetId,targetType,year",
        "~from,~sourceType,~label,~to,~targetType,year",
        "subject,subject_category,predicate,object,object_category,year",
        "node1,node1_type,relation,node2,node2_type,year",
    ],
)
def test_kinds_of_ends_as_people_call_them(tmp_path: Path, header: str) -> None:
    graph, told = made(tmp_path, rows(header), NODES)
    assert kinds(graph) == {"company": 4, "plant": 1, "country": 1}
    names = header.split(",")
    facts = said(graph)
    assert {("Acme", "operates", "Harbour Works"), ("Acme", "type", "company")} <= facts
    assert not {names[1], names[4]} & {relation for _, relation, _ in facts}
    assert sum(head.startswith("_:") and relation == "year" for head, relation, _ in facts) == 2
    assert told[0].startswith(f"edges.csv: {names[1]} and {names[4]} are the kinds of what an edge leads from and to: ")


def test_without_a_table_of_nodes_the_columns_alone_say_the_kinds(tmp_path: Path) -> None:
    graph, _ = made(tmp_path, rows(HEADER, "\t"), name="edges.tsv")
    assert kinds(graph) == {"company": 4, "plant": 1, "country": 1}
    assert {("c1", "operates", "p1"), ("c2", "supplies", "c1"), ("u1", "type", "country")} <= said(graph)


def test_what_the_table_of_nodes_lacks_has_its_kind_from_the_edges(tmp_path: Path) -> None:
    nodes = "id,type,name\nc1,Company,Acme\np1,Plant,Harbour Works\n"
    (tmp_path / "nodes.csv").write_text(nodes)
    (tmp_path / "edges.csv").write_text(rows(HEADER))
    build([tmp_path / "nodes.csv", tmp_path / "edges.csv"], tmp_path / "g.kg")
    assert kinds(Graph.open(tmp_path / "g.kg")) == {"Company": 4, "Plant": 1, "country": 1}


NUMBERED = f"{HEADER}\n1,company,operates,1,plant,\n1,plant,located_in,1,country,\n2,company,based_in,1,country,2001\n"


def test_ids_that_are_unique_within_a_kind(tmp_path: Path) -> None:
    nodes = "id,type,name\n1,Company,Acme\n2,Company,Bolt\n1,Plant,Harbour Works\n1,Country,Norway\n"
    graph, told = made(tmp_path, NUMBERED, nodes)
    assert {("Acme", "operates", "Harbour Works"), ("Harbour Works", "located_in", "Norway")} <= said(graph)
    assert kinds(graph) == {"Company": 2, "Plant": 1, "Country": 1}
    assert told[1] == "  an id is one of its kind: 1 of one kind is not 1 of another"


def test_ids_that_are_unique_within_a_kind_without_a_table_of_nodes(tmp_path: Path) -> None:
    graph, _ = made(tmp_path, NUMBERED)
    assert {("company 1", "operates", "plant 1"), ("plant 1", "located_in", "country 1")} <= said(graph)


def test_a_thing_of_two_kinds_stays_one(tmp_path: Path) -> None:
    edges = f"{HEADER}\nann,author,wrote,b1,book,\nann,editor,edited,b2,book,\n"
    graph, _ = made(tmp_path, edges)
    assert {("ann", "type", "author"), ("ann", "type", "editor")} <= said(graph)


def test_labels_that_are_names_stay_what_they_were(tmp_path: Path) -> None:
    edges = "source,source_label,relation,target,target_label\nc1,Acme,operates,p1,Works\nc2,Bolt,supplies,c1,Acme\n"
    graph, told = made(tmp_path, edges, NODES)
    assert told == () and "source_label" in {relation for _, relation, _ in said(graph)}


def test_kinds_beside_other_tables_change_nothing_there(tmp_path: Path) -> None:
    (tmp_path / "firms.csv").write_text("firm_id,title,city_id\n1,Acme,1\n2,Bolt,2\n")
    (tmp_path / "cities.csv").write_text("city_id,title\n1,Oslo\n2,Ghent\n")
    (tmp_path / "links.csv").write_text("from_id,from_type,to_id,to_type,share\n1,firm,2,firm,40\n")
    report = build([tmp_path / f"{name}.csv" for name in ("firms", "cities", "links")], tmp_path / "g.kg")
    assert not any("are the kinds" in line for line in report.tables)


@pytest.mark.parametrize(
    "header",
    [
        "subject,predicate,object,object_type",  # often that of a literal
        "subject,predicate,object,source,source_type,target_type",  # where it was found
        "source,target,type,start_type,target_type",
    ],
)
def test_what_is_no_kind_of_an_end(header: str) -> None:
    names = header.split(",")
    tail = names.index("object") if "object" in names else names.index("target")
    assert kind_columns(names, 0, tail) is None
