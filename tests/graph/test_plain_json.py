"""Plain JSON: objects within objects, as services and tools hand them out; files that are not read say what to do."""

import json

import pytest

import clew
from clew.errors import InputError
from clew.graph import Graph, build


def built(tmp_path, data, name="users.json"):
    text = data if isinstance(data, str) else json.dumps(data)
    (tmp_path / name).write_text(text)
    report = build(tmp_path / name, tmp_path / "g.kg")
    assert report.num_problems == 0
    return Graph.open(tmp_path / "g.kg", verify=True)


def said(graph, *, types=False):
    return {
        (t.head.label, t.relation.label, t.tail.label) for t in graph.triples() if types or t.relation.label != "type"
    }


USERS = [
    {"id": 1, "name": "Ada Quist", "address": {"city": "Lund"}, "company": {"id": 7, "name": "Rootworks"},
     "skills": ["python", "sql"], "boss": None,
     "projects": [{"id": 11, "name": "Atlas", "role": "lead"}, {"id": 12, "name": "Borealis", "role": "dev"}]},
    {"id": 2, "name": "Bo Lind", "address": {"city": "Kiel"}, "company": {"id": 7, "name": "Rootworks"},
     "bossId": 1, "projects": [{"id": 11, "name": "Atlas", "role": "dev"}], "born": "1970-01-02"},
]  # fmt: skip


@pytest.mark.parametrize("wrapped", ["list", "data", "lines", "keyed"])
def test_objects_within_objects(tmp_path, wrapped):
    data = {"list": USERS, "data": {"data": USERS, "meta": {"count": 2}}, "keyed": {"users": USERS}}.get(wrapped)
    text = "\n".join(map(json.dumps, USERS)) if wrapped == "lines" else data
    graph = built(tmp_path, text, "users.jsonl" if wrapped == "lines" else "users.json")
    rows = said(graph, types=True)
    assert {
        ("Ada Quist", "type", "user"), ("Ada Quist", "city", "Lund"), ("Ada Quist", "company", "Rootworks"),
        ("Bo Lind", "company", "Rootworks"), ("Ada Quist", "skills", "python"), ("Atlas", "type", "project"),
        ("Bo Lind", "projects", "Atlas"), ("Bo Lind", "born", "1970-01-02"),
    } <= rows  # fmt: skip
    assert len(graph.resolve("Rootworks")) == len(graph.resolve("Atlas")) == 1
    roles = {row for row in rows if row[1] == "role"}
    assert len(roles) == 3 and all(row[0].startswith("_:") for row in roles)  # of a person in a project


def test_keys_of_others_are_references(tmp_path):
    data = {"users": [{"id": 1, "name": "Ada", "companyId": 7}, {"id": 2, "name": "Bo", "company_id": 8}],
            "companies": [{"id": 7, "name": "Rootworks"}, {"id": 1, "name": "Shade", "owner": "Ada"}]}  # fmt: skip
    assert said(built(tmp_path, data)) == {
        ("Ada", "company", "Rootworks"), ("Bo", "company_id", "8"), ("Shade", "owner", "Ada"),
    }  # fmt: skip


def test_openalex_and_csl(tmp_path):
    def work(number, title, authors):
        by = [{"author_position": at, "author": {"id": f"https://openalex.org/A{name}", "display_name": name}}
              for at, name in authors]  # fmt: skip
        source = {"id": "https://openalex.org/S1", "display_name": "Nature"}
        return {"id": f"https://openalex.org/W{number}", "display_name": title, "title": title, "type": "article",
                "referenced_works": [f"https://openalex.org/W{number - 1}"], "authorships": by,
                "primary_location": {"source": source}}  # fmt: skip

    works = {
        "meta": {},
        "results": [work(1, "Roots", [("first", "Ada"), ("last", "Bo")]), work(2, "Soil", [("first", "Ada")])],
    }
    rows = said(built(tmp_path, works, "works.json"))
    assert {("Roots", "author", "Ada"), ("Roots", "author", "Bo"), ("Soil", "referenced_works", "Roots"),
            ("Soil", "primary_location", "Nature")} <= rows  # fmt: skip
    csl = [{"id": "q20", "type": "article-journal", "title": "Roots", "author": [{"family": "Quist", "given": "Ada"}],
            "issued": {"date-parts": [[2020, 3, 1]]}}]  # fmt: skip
    graph = built(tmp_path, csl, "refs.json")
    assert {("Roots", "author", "Ada Quist"), ("Roots", "issued", "2020-03-01")} <= said(graph)


def test_a_stix_bundle(tmp_path):
    graph = built(tmp_path, {"type": "bundle", "id": "bundle--1", "objects": [
        {"type": "threat-actor", "id": "threat-actor--1", "name": "Sand Viper", "aliases": ["APT-99"],
         "created_by_ref": "identity--1"},
        {"type": "malware", "id": "malware--1", "name": "DuneRAT", "is_family": True},
        {"type": "identity", "id": "identity--1", "name": "ACME"},
        {"type": "relationship", "id": "relationship--1", "relationship_type": "uses", "source_ref": "threat-actor--1",
         "target_ref": "malware--1"}]}, "stix.json")  # fmt: skip
    assert {("Sand Viper", "uses", "DuneRAT"), ("Sand Viper", "created_by", "ACME")} <= said(graph)
    assert [e.label for e in graph.resolve("APT-99")] == ["Sand Viper"]
    assert {row["label"] for row in graph.info()["types"]} == {"threat actor", "malware", "identity"}


def test_a_fhir_bundle(tmp_path):
    graph = built(tmp_path, {"resourceType": "Bundle", "entry": [
        {"fullUrl": "urn:uuid:1", "resource": {"resourceType": "Patient", "id": "1", "gender": "female",
            "name": [{"family": "Keller", "given": ["Mia", "Anna"]}],
            "managingOrganization": {"reference": "Organization/9"}}},
        {"resource": {"resourceType": "Condition", "id": "2", "subject": {"reference": "urn:uuid:1"},
                      "code": {"coding": [{"code": "38341003", "display": "Hypertension"}]}}},
        {"resource": {"resourceType": "Organization", "id": "9", "name": "North Clinic"}}]})  # fmt: skip
    assert {("Hypertension", "subject", "Mia Anna Keller"), ("Mia Anna Keller", "managingOrganization", "North Clinic"),
            ("Mia Anna Keller", "gender", "female")} <= said(graph)  # fmt: skip


def test_geojson(tmp_path):
    graph = built(tmp_path, {"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": "n1", "properties": {"name": "Alpine Hut", "ele": 2100},
         "geometry": {"type": "Point", "coordinates": [7.1, 46.2]}}]}, "huts.geojson")  # fmt: skip
    assert said(graph, types=True) == {
        ("Alpine Hut", "ele", "2100"), ("Alpine Hut", "latitude", "46.2"), ("Alpine Hut", "longitude", "7.1"),
        ("Alpine Hut", "type", "hut"),
    }  # fmt: skip


WD = "http://www.wikidata.org/entity/"


@pytest.mark.parametrize("form", ["service", "standard", "csv", "tsv"])
def test_results_of_a_query(tmp_path, form):
    rows = [
        (f"{WD}Q90", "Paris", f"{WD}Q142", "France", "2145906"),
        (f"{WD}Q64", "Berlin", f"{WD}Q183", "Germany", "3677472"),
    ]
    names = ("item", "itemLabel", "country", "countryLabel", "population")
    data = [dict(zip(names, row, strict=True)) for row in rows]
    if form == "standard":
        data = {"head": {"vars": list(names)}, "results": {"bindings": [
            {key: {"type": "literal", "value": value} for key, value in row.items()} for row in data]}}  # fmt: skip
    if form == "csv":
        data = "\n".join([",".join(names), *(",".join(row) for row in rows)])
    elif form == "tsv":  # as engines write it
        lines = [f'<{a}>\t"{b}"@en\t<{c}>\t"{d}"@en\t{e}' for a, b, c, d, e in rows]
        data = "\n".join(["\t".join(f"?{name}" for name in names), *lines])
    graph = built(tmp_path, data, f"query.{form if form in ('csv', 'tsv') else 'json'}")
    assert said(graph) == {("Paris", "country", "France"), ("Berlin", "country", "Germany"),
                           ("Paris", "population", "2145906"), ("Berlin", "population", "3677472")}  # fmt: skip
    assert clew.query(graph, 'follow(entity("Paris"), country)').rows[0][0] == "France"


def test_obographs(tmp_path):
    nodes = [{"id": "http://p/GO_1", "lbl": "inheritance"}, {"id": "http://p/GO_2", "lbl": "growth"}]
    edges = [{"sub": "http://p/GO_1", "pred": "part_of", "obj": "http://p/GO_2"}]
    graph = built(tmp_path, {"graphs": [{"id": "http://x", "nodes": nodes, "edges": edges}]})
    assert said(graph) == {("inheritance", "part_of", "growth")}


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("Q42.json", '{"entities": {"Q42": {"id": "Q42", "claims": {}}}}', "Q42.ttl"),
        ("x.json", '{"a": 1}', "objects with names or ids"),
        ("x.bib", "@book{a, title={b}}", "CSL JSON"),
        ("x.yaml", "a: 1", "yq -o json"),
        ("x.owl", "Prefix(:=<http://e/>)\nOntology(<http://e>)", "functional syntax, which is no RDF"),
        ("x.owl", '<?xml version="1.0"?><!-- a --><Ontology xmlns="http://www.w3.org/2002/07/owl#"/>', "OWL/XML"),
        ("x.owl", "Prefix: : <http://e/>\nOntology: <http://e>\n", "Manchester syntax"),
        ("x.obo", "[Term]", "robot convert"),
    ],
)
def test_what_is_not_read_says_what_to_do(tmp_path, name, text, told):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=told):
        build(tmp_path / name, tmp_path / "g.kg")


def test_turtle_that_is_called_owl(tmp_path):
    assert said(built(tmp_path, "# made by hand\n@prefix : <http://e/> .\n:a :knows :b .", "x.owl")) == {
        ("a", "knows", "b")
    }


def test_one_review_is_a_review_where_others_have_several(tmp_path):
    said_of = {"reviewer": "Ana", "stars": 4}
    books = [{"title": "Karoo", "reviews": [said_of]}, {"title": "Lisbon", "reviews": [said_of, {"reviewer": "Bo"}]}]
    found = said(built(tmp_path, books, "books.json"))
    assert not {row for row in found if row[0] in ("Karoo", "Lisbon") and row[1] in ("reviewer", "stars")}
    assert sum(row[1:] == ("reviewer", "Ana") for row in found) == 2


def test_one_object_around_all_and_what_its_lists_hold(tmp_path):
    sessions = [
        {"id": "s1", "title": "Opening", "type": "keynote", "room": {"id": "r1", "name": "Aula"}},
        {"id": "s2", "title": "Scans", "type": "papers", "room": {"id": "r2", "name": "Lab"}},
    ]
    graph = built(tmp_path, {"conference": {"title": "Heritage Days", "sessions": sessions}}, "programme.json")
    assert {("Heritage Days", "sessions", "Opening"), ("Scans", "room", "Lab")} <= said(graph)
    kinds = {row["label"]: row["count"] if "count" in row else row["things"] for row in graph.info()["types"]}
    assert kinds["session"] == 2 and kinds["keynote"] == kinds["papers"] == 1  # of a kind each, and sessions all
    wrapped = built(tmp_path, {"reply": {"people": [{"name": "Ada", "town": "Ulm"}]}}, "wrapped.json")
    assert ("Ada", "town", "Ulm") in said(wrapped)
