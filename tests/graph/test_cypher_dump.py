"""Cypher as APOC, Memgraph and people write it: the same graph whatever its form, and what is not read is told."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from clew.errors import InputError
from clew.graph import BuildReport, Graph, build
from clew.graph.cypher_tokens import Scanner
from clew.testing.graph_store import ids

XSD = "http://www.w3.org/2001/XMLSchema#"
DUMP = """
// two films
BEGIN;
CREATE (a:Person {name: 'Ann \\'A\\' Lee', born: 1970, aliases: ['Annie']})-[:ACTED_IN {role: "Jill; }", pay: 1.5}]->
  (b:Film:Movie {id: 'f1', name: 'Brazil', ok: true, none: null});
CREATE (:Film {id: 7, `odd key`: 'x\\u00e9'});
MATCH (a:Person {name: 'Ann \\'A\\' Lee'}), (f:Film {id: 7}) CREATE (a)<-[:`likes it`]-(f);
COMMIT;
MATCH (n) DETACH DELETE n;
CREATE (c {name: 'After'})
"""


def test_a_dump_of_create_statements(tmp_path: Path) -> None:
    file = tmp_path / "films.cypher"
    file.write_text(DUMP, encoding="utf-8")
    report = build(file, tmp_path / "films.kg")
    graph = Graph.open(tmp_path / "films.kg")
    ann = "Ann 'A' Lee"
    (between,) = [t.head.id for t in graph.triples() if t.relation.id == "role"]
    assert graph.entity(between).kind == "mediator"
    assert ids(graph.triples()) == sorted(
        [
            (ann, "ACTED_IN", "f1"),
            (ann, "ACTED_IN", between),
            (between, "ACTED_IN", "f1"),
            (between, "role", '"Jill; }"'),
            (between, "pay", f'"1.5"^^<{XSD}double>'),
            (ann, "born", f'"1970"^^<{XSD}integer>'),
            (ann, "type", "Person"),
            ("f1", "type", "Film"),
            ("f1", "type", "Movie"),
            ("f1", "ok", f'"true"^^<{XSD}boolean>'),
            ("Film 7", "odd key", '"xé"'),
            ("Film 7", "type", "Film"),
            ("Film 7", "likes it", ann),
        ]
    )
    assert graph.entity("f1").label == "Brazil"
    assert [entity.id for entity, _ in graph.find("Annie")][:1] == [ann]
    assert report.problem_counts == {"syntax": 1}
    assert "DELETE" in report.problems[0].message or "a node without properties" in report.problems[0].message


@pytest.mark.parametrize(
    "bad", ["CREATE (a", "CREATE (a {x: })", "CREATE (a)-[:R]->", "ANSWER 1", "CREATE (a {x: [[[[[[[[[[1]]]]]]]]]]})"]
)
def test_what_cannot_be_read_is_counted(tmp_path: Path, bad: str) -> None:
    file = tmp_path / "x.cypher"
    file.write_text(f"{bad};\nCREATE (:A {{name: 'x'}})-[:R]->(:B {{name: 'y'}});", encoding="utf-8")
    report = build(file, tmp_path / "x.kg")
    assert report.problem_counts == {"syntax": 1}
    assert ("x", "R", "y") in ids(Graph.open(tmp_path / "x.kg").triples())


def made(tmp_path: Path, text: str, name: str = "g.cypher") -> tuple[BuildReport, Graph]:
    file = tmp_path / name
    file.write_text(textwrap.dedent(text), encoding="utf-8")
    report = build(file, tmp_path / "g.kg")
    return report, Graph.open(tmp_path / "g.kg")


def shown(graph: Graph) -> set[tuple[str, str, str]]:
    """Triples between things by their labels, without those of mediators."""
    found = (graph.whole.triple(i) for i in range(graph.num_triples))
    return {(t.head.label, t.relation.label, t.tail.label) for t in found if "_:" not in t.head.id + t.tail.id}


SCHEMA = """
:begin
CREATE RANGE INDEX FOR (n:Person) ON (n.born);
CREATE CONSTRAINT team_name FOR (node:Team) REQUIRE (node.name) IS UNIQUE;
CREATE CONSTRAINT UNIQUE_IMPORT_NAME FOR (node:`UNIQUE IMPORT LABEL`) REQUIRE (node.`UNIQUE IMPORT ID`) IS UNIQUE;
:commit
CALL db.awaitIndexes(300);
"""
CLEANUP = """
:begin
MATCH (n:`UNIQUE IMPORT LABEL`)  WITH n LIMIT 20000 REMOVE n:`UNIQUE IMPORT LABEL` REMOVE n.`UNIQUE IMPORT ID`;
:commit
:begin
DROP CONSTRAINT UNIQUE_IMPORT_NAME;
:commit
"""
PEOPLE = r"""[{_id:0, properties:{name:"Ann \"A\" Lee", born:1970}}, {_id:1, properties:{name:"Bo"}}]"""
TEAMS = "[{name:\"Core\", properties:{formed:date('2016-03-01')}}]"
MEMBERS = (
    '[{start: {_id:0}, end: {name:"Core"}, properties:{since:2016}}, '
    '{start: {_id:1}, end: {name:"Core"}, properties:{}}]'
)
PERSON = "(n:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row._id})"
TEAM = "(n:Team{name: row.name})"
FINDS = "MATCH (start:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.start._id})\nMATCH (end:Team{name: row.end.name})"
MAKES = "CREATE (start)-[r:MEMBER_OF]->(end) SET r += row.properties"
BATCHES = f"""{SCHEMA}:begin
UNWIND {PEOPLE} AS row
CREATE {PERSON} SET n += row.properties SET n:Person;
UNWIND {TEAMS} AS row
CREATE {TEAM} SET n += row.properties;
:commit
:begin
UNWIND {MEMBERS} AS row
{FINDS}
{MAKES};
:commit
{CLEANUP}"""
SHELL = {":begin": "BEGIN", ":commit": "COMMIT", "CALL db.awaitIndexes(300);": "SCHEMA AWAIT", " AS row": " as row"}
ADDED = {f"CREATE {PERSON}": f"MERGE {PERSON} ON CREATE", f"CREATE {TEAM}": f"MERGE {TEAM} ON CREATE"}
MG = "MATCH (u:__mg_vertex__), (v:__mg_vertex__) WHERE u.__mg_id__ = {} AND v.__mg_id__ = 2 CREATE (u)-[:`MEMBER_OF`"


def changed(text: str, words: dict[str, str]) -> str:
    for old, new in words.items():
        text = text.replace(old, new)
    return text


EXPORTS = {
    "batches": BATCHES,
    "neo4j-shell": changed(BATCHES, SHELL),
    "updateAll": BATCHES.replace("CREATE (", "MERGE ("),
    "addStructure": changed(BATCHES, ADDED),
    "parameters": f"""{SCHEMA}:param rows => {PEOPLE}
:begin
UNWIND $rows AS row
CREATE {PERSON} SET n += row.properties SET n:Person;
:commit
:param rows => {TEAMS}
:begin
UNWIND $rows AS row
CREATE {TEAM} SET n += row.properties;
:commit
:param rows => {MEMBERS}
:begin
UNWIND $rows AS row
{FINDS}
{MAKES};
:commit
{CLEANUP}""",
    "no optimisation": rf"""{SCHEMA}:begin
CREATE (:Person:`UNIQUE IMPORT LABEL` {{born:1970, name:"Ann \"A\" Lee", `UNIQUE IMPORT ID`:0}});
CREATE (:Person:`UNIQUE IMPORT LABEL` {{name:"Bo", `UNIQUE IMPORT ID`:1}});
CREATE (:Team {{formed:date('2016-03-01'), name:"Core"}});
:commit
:begin
MATCH (n1:`UNIQUE IMPORT LABEL`{{`UNIQUE IMPORT ID`:0}}), (n2:Team{{name:"Core"}})
CREATE (n1)-[r:MEMBER_OF {{since:2016}}]->(n2);
MATCH (n1:`UNIQUE IMPORT LABEL`{{`UNIQUE IMPORT ID`:1}}), (n2:Team{{name:"Core"}}) CREATE (n1)-[r:MEMBER_OF]->(n2);
:commit
{CLEANUP}""",
    "several relationships": rf"""{SCHEMA}
MERGE (n:`UNIQUE IMPORT LABEL`{{`UNIQUE IMPORT ID`:0}}) SET n.name="Ann \"A\" Lee", n.born=1970, n:Person;
MERGE (n:`UNIQUE IMPORT LABEL`{{`UNIQUE IMPORT ID`:1}}) SET n.name="Bo", n:Person;
MERGE (n:Team{{name:"Core"}}) SET n.formed=date('2016-03-01');
MATCH (n1:`UNIQUE IMPORT LABEL`{{`UNIQUE IMPORT ID`:0}}), (n2:Team{{name:"Core"}})
MERGE (n1)-[r:MEMBER_OF{{`UNIQUE IMPORT ID REL`:0}}]->(n2) SET r.since=2016;
MATCH (n1:`UNIQUE IMPORT LABEL`{{`UNIQUE IMPORT ID`:1}}), (n2:Team{{name:"Core"}})
MERGE (n1)-[r:MEMBER_OF{{`UNIQUE IMPORT ID REL`:1}}]->(n2);
{CLEANUP}MATCH ()-[r]->() WHERE r.`UNIQUE IMPORT ID REL` IS NOT NULL WITH r LIMIT 20000 REMOVE r.`UNIQUE IMPORT ID REL`;
""",
    "Memgraph": rf"""
CREATE INDEX ON :`Person`(`born`);
CREATE INDEX ON :__mg_vertex__(__mg_id__);
CREATE CONSTRAINT ON (u:`Team`) ASSERT u.`name` IS UNIQUE;
CREATE (:__mg_vertex__:`Person` {{__mg_id__: 0, `name`: "Ann \"A\" Lee", `born`: 1970}});
CREATE (:__mg_vertex__:`Person` {{__mg_id__: 1, `name`: "Bo", `none`: Null}});
CREATE (:__mg_vertex__:`Team` {{__mg_id__: 2, `name`: "Core", `formed`: DATE("2016-03-01")}});
{MG.format(0)} {{`since`: 2016}}]->(v);
{MG.format(1)}]->(v);
DROP INDEX ON :__mg_vertex__(__mg_id__);
MATCH (u) REMOVE u:__mg_vertex__, u.__mg_id__;
""",
}


@pytest.mark.parametrize("form", EXPORTS)
def test_an_export_is_the_same_graph_in_each_of_its_forms(tmp_path: Path, form: str) -> None:
    report, graph = made(tmp_path, EXPORTS[form], "g.cypherl" if form == "Memgraph" else "g.cypher")
    assert not report.problems
    ann = 'Ann "A" Lee'
    assert {(t.head.id, t.relation.id, t.tail.id) for t in graph.triples() if "_:" not in t.head.id + t.tail.id} == {
        (ann, "type", "Person"), (ann, "born", f'"1970"^^<{XSD}integer>'), (ann, "MEMBER_OF", "Core"),
        ("Bo", "type", "Person"), ("Bo", "MEMBER_OF", "Core"),
        ("Core", "type", "Team"), ("Core", "formed", f'"2016-03-01"^^<{XSD}date>'),
    }  # fmt: skip
    (between,) = {t.head.id for t in graph.triples() if t.head.id.startswith("_:")}
    assert (between, "since", f'"2016"^^<{XSD}integer>') in ids(graph.triples())


def test_exports_one_behind_the_other_have_their_own_ids(tmp_path: Path) -> None:
    other = changed(EXPORTS["batches"], {"Ann": "Cem", '"Bo"': '"Di"', '"Core"': '"Shop"'})
    report, graph = made(tmp_path, EXPORTS["batches"] + other)
    assert not report.problems
    members = {(h, t) for h, r, t in shown(graph) if r == "MEMBER_OF"}
    assert members == {('Ann "A" Lee', "Core"), ("Bo", "Core"), ('Cem "A" Lee', "Shop"), ("Di", "Shop")}


MOVIES = """
// what is made by hand
CREATE CONSTRAINT person_name IF NOT EXISTS FOR (p:Person) REQUIRE p.name IS UNIQUE;
CREATE (TheMatrix:Movie {title:'The Matrix', released:1999, tagline:'Welcome to the Real World'})
CREATE (Keanu:Person {name:'Keanu Reeves', born:1964})
CREATE (LillyW:Person {name:'Lilly Wachowski', born:1967}), (LanaW:Person {name:'Lana Wachowski'})
CREATE
(Keanu)-[:ACTED_IN {roles:['Neo', 'Mr. "Anderson"']}]->(TheMatrix),
(LillyW)-[:DIRECTED]->(TheMatrix)<-[:DIRECTED]-(LanaW)
WITH Keanu AS a
MATCH (a)-[:ACTED_IN]->(m)<-[:DIRECTED]-(d) RETURN a,m,d LIMIT 10;

MERGE (Hugo:Person {name:'Hugo Weaving'}) ON CREATE SET Hugo.born = 1960 ON MATCH SET Hugo.seen = true
WITH 1 AS dummy /* a separator; */
MATCH (m:Movie) WHERE m.title IN ['The Matrix', 'The Matrix'] AND 1999 = m.released
MATCH (h:Person {name: 'Hugo Weaving'})
MERGE (h)-[:ACTED_IN]->(m);
MERGE (Hugo:Person {name:'Hugo Weaving'}) ON MATCH SET Hugo += {seen: true, born: null};
UNWIND [['Carrie-Anne Moss', 1967], ['Joel Silver', 1952]] AS who
MERGE (p:Person {name: who[0]}) SET p.born = who[1];
"""


def test_a_script_that_people_write(tmp_path: Path) -> None:
    report, graph = made(tmp_path, MOVIES)
    assert not report.problems
    found = shown(graph)
    assert {
        ("Keanu Reeves", "ACTED_IN", "The Matrix"),
        ("Lilly Wachowski", "DIRECTED", "The Matrix"),
        ("Lana Wachowski", "DIRECTED", "The Matrix"),
        ("Hugo Weaving", "ACTED_IN", "The Matrix"),
        ("Hugo Weaving", "seen", "true"),
        ("Carrie-Anne Moss", "born", "1967"),
    } <= found
    assert not any(head == "Hugo Weaving" and relation == "born" for head, relation, _ in found)
    roles = {t.tail.label for t in graph.triples() if t.relation.id == "roles"}
    assert roles == {"Neo", 'Mr. "Anderson"'}


def test_values_of_every_type(tmp_path: Path) -> None:
    report, graph = made(
        tmp_path,
        r"""
        CREATE (:A {name: 'x', a: -1.5e3, b: [1, 2], c: datetime('2018-10-30T12:50:35.556+01:00[Europe/Berlin]'),
          d: duration('P5M1DT12H'), e: point({longitude: 8.5, latitude: 47.4}), f: "it's \u00e9 \uD83D\uDE00\n",
          g: date({year: 2016, month: 3}), h: localtime('12:50:35'), i: false, j: date('some day'), k: toInteger('7'),
          l: datetime({epochMillis: 0})});
        """,
    )
    assert not report.problems
    wkt = "http://www.opengis.net/ont/geosparql#wktLiteral"
    assert {(t.relation.id, t.tail.id) for t in graph.triples()} == {
        ("type", "A"), ("a", f'"-1500.0"^^<{XSD}double>'), ("b", f'"1"^^<{XSD}integer>'),
        ("b", f'"2"^^<{XSD}integer>'), ("c", f'"2018-10-30T12:50:35.556+01:00"^^<{XSD}dateTime>'),
        ("d", f'"P5M1DT12H"^^<{XSD}duration>'), ("e", f'"Point(8.5 47.4)"^^<{wkt}>'), ("f", '"it\'s é 😀\n"'),
        ("g", f'"2016-03-01"^^<{XSD}date>'), ("h", f'"12:50:35"^^<{XSD}time>'), ("i", f'"false"^^<{XSD}boolean>'),
        ("j", '"some day"'), ("k", f'"7"^^<{XSD}integer>'),
        ("l", f'"1970-01-01T00:00:00+00:00"^^<{XSD}dateTime>'),
    }  # fmt: skip


def test_things_without_a_name_get_one_of_their_kind(tmp_path: Path) -> None:
    _, graph = made(
        tmp_path,
        """
        CREATE (:Office {city: 'Hamburg', country: 'Germany', `UNIQUE IMPORT ID`: 4}),
          (:Office {city: 'Berlin', country: 'Germany', `UNIQUE IMPORT ID`: 5}),
          (:Shift {pages: 3, code: 'OC-1', ends: date('2024-01-02')}), (:Shift {pages: 3, code: 'OC-2'}),
          (:Visit {seconds: 3}), (:Incident {key: 'INC-7', title: 'Slow search'}), (:Person {name: 'Wei', id: 1}),
          (:Person {name: 'Wei', id: 2}), (:Film {id: 1}), (:Film {id: 2});
        """,
    )
    labels = {t.head.label for t in graph.triples()}
    assert labels == {"Hamburg", "Berlin", "OC-1", "OC-2", "Visit 1", "Slow search", "Wei", "Film 1", "Film 2"}
    assert [entity.label for entity, _ in graph.find("INC-7")][:1] == ["Slow search"]


@pytest.mark.parametrize(
    ("bad", "kind", "told"),
    [
        ("LOAD CSV WITH HEADERS FROM 'file:///a.csv' AS row CREATE (:A {name: row.name})", "syntax", "LOAD CSV reads"),
        (":auto USING PERIODIC COMMIT 500\nLOAD CSV FROM 'a' AS row CREATE (:A)", "syntax", "LOAD CSV reads"),
        ("MATCH (a {name: 'none'}), (b {name: 'none'}) CREATE (a)-[:R]->(b)", "unmatched", "no node before it is so"),
        ("UNWIND [{a: 1}, {a: 2}", "syntax", "expected"),
        ("MATCH (a)-[:R]->(b) SET a.x = 1", "syntax", "a relationship to be matched"),
        ("MERGE (:A {name: 'x', id: randomUUID()})", "unknown", "randomUUID() has no value"),
        ("FOREACH (x IN [1] | CREATE (:A))", "syntax", "FOREACH"),
        ("CREATE (:B {name: 'z', at: apoc.date.parse('x')})", "unknown", "apoc.date.parse(x) has no value"),
        ("CREATE (:B {name: 'z', at: timestamp()})", "unknown", "timestamp() has no value"),
        ("CREATE (:B {name: row.x})", "syntax", "which nothing before it states"),
        ("CREATE (a:B {name: 'z'}) DELETE a", "syntax", "DELETE is not carried out"),
        (":source other.cypher\n", "syntax", "the command :source"),
        ("CREATE (:B {d: date({year: 'x'}), name: 'z'})", "unknown", "has no value"),
        ("CREATE (:B {x: 'no end})", "syntax", "without an end"),
    ],
)
def test_what_is_not_read_is_told_with_its_line(tmp_path: Path, bad: str, kind: str, told: str) -> None:
    good = "CREATE (:A {name: 'x'})-[:R]->(:B {name: 'y'});\n"
    end = "" if "no end" in bad else good.replace("x", "v")
    report, graph = made(tmp_path, f"{good}{bad};\n{end}")
    assert report.problem_counts == {kind: 1}
    assert told in report.problems[0].message and report.problems[0].line in (2, 3)
    assert ("x", "R", "y") in shown(graph) and (("v", "R", "y") in shown(graph)) is bool(end)


def test_a_script_empties_the_database_before_it_fills_it(tmp_path: Path) -> None:
    report, _ = made(tmp_path, "MATCH (n) DETACH DELETE n;\nCREATE (:A {name: 'x'})-[:R]->(:B {name: 'y'});")
    assert not report.problems


def test_names_may_be_keywords(tmp_path: Path) -> None:
    text = """
    CREATE (set:Set {delete: true, set: 1, name: 'a'})-[:CALL {on: 'x'}]->(order:Order {name: 'b', remove: 'c'});
    UNWIND [{set: 1}] AS order MATCH (limit:Set {set: order.set}) SET limit.return = order.set, limit:Merge;
    """
    report, graph = made(tmp_path, text)
    assert not report.problems
    assert {("a", "delete", "true"), ("a", "CALL", "b"), ("a", "return", "1"), ("a", "type", "Merge")} <= shown(graph)


def test_statements_may_lack_their_semicolons(tmp_path: Path) -> None:
    text = "UNWIND [{n: 'a'}, {n: 'b'}] AS row\nCREATE (x:A {name: row.n})\nRETURN x ORDER BY x.name\n"
    report, graph = made(tmp_path, text + changed(text, {"'a'": "'c'", "'b'": "'d'"}))
    assert not report.problems and len({t.head.id for t in graph.triples()}) == 4


@pytest.mark.parametrize(
    "hostile",
    [
        "CREATE (:A {x: " + "[" * 200_000,
        "CREATE (:A {x: " + "{a: " * 50_000 + "1",
        "CREATE " + "(" * 200_000,
        "CREATE (:A {x: '" + "\\" * 200_001,
        "UNWIND " + "[1, " * 9 + "1" + "]" * 9 + " AS x CREATE (:A)",
        "/*" * 100_000,
    ],
    ids=["lists", "maps", "brackets", "a text", "one list more", "comments"],
)
def test_nesting_without_end_is_told_at_once(tmp_path: Path, hostile: str) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        made(tmp_path, hostile)


def test_patterns_that_fit_everything_end(tmp_path: Path) -> None:
    many = "UNWIND [" + ", ".join(map(str, range(3000))) + "] AS i CREATE (:A {name: 'x', i: i});\n"
    report, graph = made(tmp_path, many + "MATCH (a:A), (b:A) CREATE (a)-[:R]->(b);\nCREATE (:B {name: 'y', i: 1});")
    assert report.problem_counts == {"syntax": 1} and "a MATCH of more than" in report.problems[0].message
    assert graph.num_triples == 6002


@pytest.mark.parametrize("size", [1, 7, 64])
def test_blocks_may_end_anywhere(size: int) -> None:
    text = BATCHES + MOVIES
    scanner, cut = Scanner(), []
    for at in range(0, len(text), size):
        cut += scanner.feed(text[at : at + size])
    assert cut + list(scanner.feed("", last=True)) == list(Scanner().feed(text, last=True))
