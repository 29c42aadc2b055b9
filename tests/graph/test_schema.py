"""What of RDF is no fact: ontologies, Wikibase's books, nodes that only hold a value."""

import pytest

import clew
from clew.graph import Graph, build

PROTEGE = """
@prefix : <http://ex.org/m#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://ex.org/m> a owl:Ontology ; owl:versionIRI <http://ex.org/m/1> .
:keptIn a owl:ObjectProperty ; rdfs:domain :Book ; rdfs:range :House ; rdfs:label "kept in"@en, "liegt in"@de .
:House a owl:Class ; rdfs:label "religious house"@en .
:Abbey a owl:Class ; rdfs:subClassOf :House ; rdfs:label "abbey"@en, "Abtei"@de .
:Cistercian a owl:Class ; rdfs:subClassOf :Abbey,
    [ a owl:Restriction ; owl:onProperty :keptIn ; owl:someValuesFrom :House ] ; rdfs:label "Cistercian abbey"@en .
:Book a owl:Class ; owl:disjointWith :House .
[] a owl:AllDisjointClasses ; owl:members ( :Book :House ) .
:lil a owl:NamedIndividual, :Cistercian ; rdfs:label "Lilienau"@de .
:zw a owl:NamedIndividual, :Abbey ; rdfs:label "Zwettl"@en, "Zwettla"@la .
:psalter a owl:NamedIndividual, :Book ; rdfs:label "Psalter"@en ; :keptIn :lil .
:gospels a owl:NamedIndividual, :Book ; rdfs:label "Gospels"@en ; :keptIn :zw .
"""

WIKIBASE = """
@prefix wb: <http://w.org/entity/> . @prefix wds: <http://w.org/entity/statement/> .
@prefix wdt: <http://w.org/prop/d/> .
@prefix p: <http://w.org/prop/> . @prefix ps: <http://w.org/prop/s/> . @prefix pq: <http://w.org/prop/q/> .
@prefix psv: <http://w.org/prop/sv/> . @prefix v: <http://w.org/value/> . @prefix no: <http://w.org/prop/novalue/> .
@prefix wikibase: <http://wikiba.se/ontology#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
wb:Q1 a wikibase:Item ; rdfs:label "Ana"@en ; wdt:P3 wb:Q9 ; wdt:P24 wb:Q2 ; p:P24 wds:Q1-a ; a no:P27 .
wds:Q1-a a wikibase:Statement, wikibase:BestRank ; ps:P24 wb:Q2 ; pq:P7 "+880"^^xsd:decimal ;
    wikibase:rank wikibase:NormalRank .
wb:Q2 a wikibase:Item ; rdfs:label "Loch"@en ; wdt:P3 wb:Q8 ; wdt:P38 "1763-01-01T00:00:00Z"^^xsd:dateTime ;
    p:P38 wds:Q2-b .
wds:Q2-b a wikibase:Statement ; ps:P38 "1763-01-01T00:00:00Z"^^xsd:dateTime ; psv:P38 v:t .
v:t a wikibase:TimeValue ; wikibase:timeValue "1763-01-01T00:00:00Z"^^xsd:dateTime ; wikibase:timePrecision 9 .
wb:Q8 a wikibase:Item ; rdfs:label "winery"@en . wb:Q9 a wikibase:Item ; rdfs:label "winemaker"@en .
wb:P3 a wikibase:Property ; rdfs:label "instance of"@en ; wikibase:directClaim wdt:P3 .
wb:P7 a wikibase:Property ; rdfs:label "height"@en ; wikibase:qualifier pq:P7 .
wb:P24 a wikibase:Property ; rdfs:label "employer"@en ; wikibase:directClaim wdt:P24 ; wikibase:claim p:P24 ;
    wikibase:statementProperty ps:P24 .
wb:P27 a wikibase:Property ; rdfs:label "spouse"@en ; wikibase:novalue no:P27 .
wb:P38 a wikibase:Property ; rdfs:label "inception"@en ; wikibase:directClaim wdt:P38 ; wikibase:claim p:P38 ;
    wikibase:statementProperty ps:P38 ; wikibase:statementValue psv:P38 .
"""

VALUES = """
@prefix : <http://ex.org/> . @prefix s: <https://schema.org/> . @prefix qudt: <http://qudt.org/schema/qudt/> .
@prefix unit: <http://qudt.org/vocab/unit/> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
:a s:name "Via A" ; :length [ a s:QuantitativeValue ; s:value 320 ; s:unitCode "MTR" ] ;
    s:geo [ a s:GeoCoordinates ; s:elevation 2140 ; s:latitude 46.5 ] ; :mass :m1 ;
    s:additionalProperty [ a s:PropertyValue ; s:name "rope length" ; s:value 60 ; s:unitText "m" ] ;
    :width [ s:value 3 ; s:unitCode "KMT" ] ; :result [ s:value 3 ; :judge :b ] .
:b s:name "Via B" ; :length [ a s:QuantitativeValue ; s:value 90 ; s:unitCode "MTR" ] ;
    :price [ a s:MonetaryAmount ; s:value "12.50" ; s:currency "EUR" ] ; :width [ s:value 400 ; s:unitCode "MTR" ] .
:m1 a qudt:QuantityValue ; qudt:numericValue 12.5 ; qudt:unit unit:KiloGM .
"""


def built(tmp_path, text, name="g"):
    (tmp_path / f"{name}.ttl").write_text(text)
    report = build(tmp_path / f"{name}.ttl", tmp_path / f"{name}.kg")
    return Graph.open(tmp_path / f"{name}.kg", verify=True), report


def said(graph):
    return {(t.head.label, t.relation.label, t.tail.label) for t in graph.triples()}


def test_an_ontology_is_set_aside_and_its_classes_are_inherited(tmp_path):
    graph, report = built(tmp_path, PROTEGE)
    assert {row["label"]: row["things"] for row in graph.info()["types"]} == {
        "religious house": 2, "abbey": 2, "Book": 2, "Cistercian abbey": 1,
    }  # fmt: skip
    assert {relation.label for relation in graph.relations()} == {"type", "kept in"}
    assert (report.inherited, graph.num_triples) == (3, 9)
    assert "schema: 26 triples set aside" in str(report)
    assert graph.resolve("Class") == graph.resolve("kept in") == []  # neither is a thing
    assert [e.label for e in graph.resolve("Abtei")] == ["abbey"]
    assert [e.label for e in graph.resolve("Zwettla")] == ["Zwettl"]
    assert clew.query(graph, 'count(class("abbey"))').rows == (("2",),)


INVERSES = """
@prefix : <http://ex.org/i#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
:wrote a owl:ObjectProperty . :author a owl:ObjectProperty ; owl:inverseOf :wrote .
:keeps a owl:ObjectProperty ; owl:inverseOf :keptBy . :nextTo a owl:ObjectProperty, owl:SymmetricProperty .
:ann a :Poet ; :wrote :ode, :elegy . :bea a :Poet ; :wrote :sonnet . :ode a :Poem ; :author :ann ; :nextTo :hymn .
:hymn a :Poem ; :author :bea, "unknown" . :elegy a :Poem ; :nextTo :sonnet . :sonnet a :Poem ; :nextTo :elegy .
:abbey a :House ; :keeps :ode .
"""


def test_what_an_inverse_property_says_is_said_of_both(tmp_path):
    graph, report = built(tmp_path, INVERSES)
    assert report.inverted == 4 and "inverses: 4 facts more" in str(report)
    facts = {(h, r, t) for h, r, t in said(graph) if r != "type"}
    assert facts == {
        *((poet, "wrote", poem) for poet, poem in WRITTEN), *((poem, "author", poet) for poet, poem in WRITTEN),
        ("ode", "next to", "hymn"), ("hymn", "next to", "ode"), ("elegy", "next to", "sonnet"),
        ("sonnet", "next to", "elegy"), ("hymn", "author", "unknown"),  # a text has no facts of its own
        ("abbey", "keeps", "ode"),  # nothing is said by its inverse, so that there is nothing to complete
    }  # fmt: skip


WRITTEN = (("ann", "ode"), ("ann", "elegy"), ("bea", "sonnet"), ("bea", "hymn"))


def test_queries_see_what_is_set_aside(tmp_path):
    graph, _ = built(tmp_path, PROTEGE)
    owl = "PREFIX owl: <http://www.w3.org/2002/07/owl#> SELECT ?c WHERE { ?c a owl:Class }"
    assert {row[0] for row in clew.query(graph, owl).rows} == {"religious house", "abbey", "Cistercian abbey", "Book"}
    assert graph.with_schema.num_triples == graph.num_triples + 26
    assert "kept in" in graph.with_schema.entity("http://ex.org/m#keptIn").label
    clew.graph.add(tmp_path / "g.kg", [("http://ex.org/m#psalter", "http://ex.org/m#keptIn", "http://ex.org/m#zw")])
    clew.graph.compact(tmp_path / "g.kg")
    again = Graph.open(tmp_path / "g.kg")
    assert again.with_schema.num_triples == again.num_triples + 26  # an edit and its compaction keep it
    assert again.num_triples == graph.num_triples + 1


def test_an_ontology_by_itself_is_what_the_graph_is_about(tmp_path):
    text = PROTEGE[: PROTEGE.index(":lil a")]
    graph, report = built(tmp_path, text)
    assert report.schema == 0
    assert ("Cistercian abbey", "sub class of", "abbey") in said(graph)


def test_wikibase_claims_have_the_names_of_their_properties(tmp_path):
    graph, _ = built(tmp_path, WIKIBASE)
    assert {relation.label for relation in graph.relations()} == {"instance of", "employer", "height", "inception"}
    assert {row["label"]: row["things"] for row in graph.info()["types"]} == {"winemaker": 1, "winery": 1}
    assert ("Loch", "inception", "1763") in said(graph)  # known to the year, as its value node says
    assert any(row[1:] == ("height", "880") for row in said(graph))
    assert graph.resolve("employer") == []
    statements = {t.head.id for t in graph.triples() if t.head.kind == "mediator"}
    assert statements == {"http://w.org/entity/statement/Q1-a"}  # the other says what the direct claim says


def test_nodes_that_hold_a_value_are_read_as_the_value(tmp_path):
    graph, report = built(tmp_path, VALUES)
    rows = said(graph)
    assert {("Via A", "length (m)", "320"), ("Via B", "length (m)", "90"), ("Via A", "elevation", "2140"),
            ("Via A", "mass (kg)", "12.5"), ("Via B", "price (EUR)", "12.50"),
            ("Via A", "rope length (m)", "60")} <= rows  # fmt: skip
    assert not any(relation == "width (m)" for _, relation, _ in rows)  # 3 km and 400 m: nodes as they were
    assert ("Via A", "result", "3") not in rows  # says more than a value
    assert report.values == 6
    columns = {relation["label"]: relation["values"] for relation in graph.info()["relations"]}
    assert columns["length (m)"] == "numbers"


def test_too_much_to_be_set_aside_stays_and_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("clew.graph.schema.MOST", 5)
    graph, report = built(tmp_path, PROTEGE)
    assert (report.schema, report.kept) == (0, 26)
    assert "26 triples are no facts, too many" in str(report)
    assert any(relation.label == "domain" for relation in graph.relations())
    graph, report = built(tmp_path, VALUES, "v")
    assert (report.values, report.kept) == (0, 0)


def test_damaged_schema_is_told(tmp_path):
    graph, _ = built(tmp_path, PROTEGE)
    graph.schema = lambda: b'{"add": 3}'
    with pytest.raises(clew.errors.FormatError, match="schema is damaged"):
        graph.with_schema  # noqa: B018


def test_the_members_of_a_list_are_values_of_what_has_it(tmp_path):
    graph, report = built(
        tmp_path,
        """@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :p rdfs:label "Roots" ; :authors ( :a :b :c ) ; :pages ( ( 1 2 ) 3 ) . :q rdfs:label "Soil" ; :authors ( :b ) .
        :a rdfs:label "Ada" . :b rdfs:label "Bo" . :c rdfs:label "Cy" . :p :none () .""",
    )
    assert said(graph) == {
        *(("Roots", "authors", name) for name in ("Ada", "Bo", "Cy")), ("Soil", "authors", "Bo"),
        *(("Roots", "pages", number) for number in "123"), ("Roots", "none", "nil"),
    }  # fmt: skip
    assert report.members == 7 and "lists: 7 members" in str(report)
    assert graph.with_schema.num_triples == 8 + 16 + 3
