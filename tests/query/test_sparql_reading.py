"""SPARQL read into plans: what is read means the same, and what no plan can say is refused."""

import pytest

from clew.errors import InputError
from clew.graph import Graph
from clew.query import NotAPlanError, execute, from_sparql, show

pytest.importorskip("rdflib", reason="rdflib reads SPARQL: pip install 'clew[sparql]'")

PREFIX = "PREFIX : <http://x/>\n"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
X = "http://x/"


@pytest.mark.parametrize(
    ("query", "plan"),
    [
        ("SELECT ?x { :a :r ?x }", 'follow(entity("http://x/a"), "http://x/r")'),
        ("SELECT ?x { ?x :r :a ; :s ?y }",
         'wherecount(follow(entity("http://x/a"), ^"http://x/r"), "http://x/s", >=, 1)'),
        ("SELECT ?n { ?x a :C ; :n ?n }", 'follow(class("http://x/C"), "http://x/n")'),
        ("SELECT ?x { ?x a :C ; :n ?n FILTER(?n > 3) }", 'where(class("http://x/C"), "http://x/n", >, 3)'),
        ("SELECT ?x { ?x a :C ; :n ?n FILTER(?n >= 3 && ?n <= 5) }",
         'where(class("http://x/C"), "http://x/n", between, 3, 5)'),
        ("SELECT ?x { ?x a :C ; :n ?n FILTER(?n = 'a' || ?n = 'b') }",
         'or(where(class("http://x/C"), "http://x/n", =, "a"), where(class("http://x/C"), "http://x/n", =, "b"))'),
        ("SELECT ?x { ?x a :C ; :n ?n } ORDER BY DESC(?n) LIMIT 1", 'top(class("http://x/C"), "http://x/n", largest)'),
        ("SELECT ?m { ?x a :C ; :n ?n ; :m ?m } ORDER BY ?n LIMIT 2 OFFSET 1",
         'follow(top(wherecount(class("http://x/C"), "http://x/m", >=, 1), "http://x/n", smallest, 2, 1), "http://x/m")'),
        ("SELECT (COUNT(*) AS ?c) { ?x a :C }", 'count(class("http://x/C"))'),
        ("SELECT (COUNT(DISTINCT ?n) AS ?c) { ?x a :C ; :n ?n }", 'count(follow(class("http://x/C"), "http://x/n"))'),
        ("SELECT (AVG(?n) AS ?c) { ?x a :C ; :n ?n }", 'mean(class("http://x/C"), "http://x/n")'),
        ("SELECT ?g { ?x a :C ; :g ?g } GROUP BY ?g ORDER BY DESC(COUNT(*)) LIMIT 1",
         'top(follow(class("http://x/C"), "http://x/g"), count(^"http://x/g"), largest)'),
        ("SELECT ?g { ?x a :C ; :g ?g } GROUP BY ?g HAVING (COUNT(*) > 2)",
         'wherecount(follow(class("http://x/C"), "http://x/g"), ^"http://x/g", >, 2)'),
        ("SELECT ?g { ?x a :C ; :g ?g ; :n ?n } GROUP BY ?g HAVING (SUM(?n) > 2.5)",
         'where(follow(wherecount(class("http://x/C"), "http://x/n", >=, 1), "http://x/g"), '
         'sum(^"http://x/g"/"http://x/n"), >, 2.5)'),
        ("SELECT ?x { ?x a :C FILTER NOT EXISTS { ?x :r ?y } }", 'wherecount(class("http://x/C"), "http://x/r", =, 0)'),
        ("SELECT ?x { ?x a :C MINUS { ?x :r :a } }",
         'minus(class("http://x/C"), follow(entity("http://x/a"), ^"http://x/r"))'),
        ("SELECT ?x { ?x a :C OPTIONAL { ?x :r ?y } FILTER(!BOUND(?y)) }",
         'wherecount(class("http://x/C"), "http://x/r", =, 0)'),
        ("SELECT ?x { { ?x a :C } UNION { ?x :r :a } }",
         'or(class("http://x/C"), follow(entity("http://x/a"), ^"http://x/r"))'),
        ("SELECT ?x { :a :r/^:s ?x FILTER(?x != :a) }",
         'minus(follow(follow(entity("http://x/a"), "http://x/r"), ^"http://x/s"), entity("http://x/a"))'),
        ("SELECT ?x { ?x a :C ; :n ?n { SELECT (MAX(?k) AS ?m) { ?y a :C ; :n ?k } } FILTER(?n = ?m) }",
         'where(class("http://x/C"), "http://x/n", =, max(class("http://x/C"), "http://x/n"))'),
        ("SELECT ?x { ?x :d ?d FILTER(?d < '2008-01-01'^^xsd:date) }",
         'where(all(), "http://x/d", <, date(2008-01-01))'),
        ("SELECT ?x { ?x a :C FILTER(isLiteral(?x) OR lang(?x) = '') }", 'class("http://x/C")'),
        ("ASK { :a :r :b }", 'is(entity("http://x/b"), follow(entity("http://x/a"), "http://x/r"))'),
        ("ASK { :a :r ?x . ?x a :C }", 'exists(and(class("http://x/C"), follow(entity("http://x/a"), "http://x/r")))'),
    ],
)  # fmt: skip
def test_queries_become_plans(query: str, plan: str) -> None:
    assert show(from_sparql(PREFIX + query)) == plan


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("INSERT DATA { :a :r :b }", "updates are refused"),
        ("DELETE WHERE { ?s ?p ?o }", "updates are refused"),
        ("SELECT ?x { SERVICE <http://evil/> { ?x :r :a } }", "SERVICE is refused"),
        ("SELECT ?x { GRAPH :g { ?x :r :a } }", "GRAPH is refused"),
        ("SELECT ?x { :a :r+ ?x }", "has no end"),
        ("SELECT ?x { :a (:r/:s)* ?x }", "has no end"),
        ("SELECT ?x { :a !:r ?x }", "cannot be said"),
        ("SELECT ?x { :a ?r ?x }", "is a variable"),
        ("SELECT ?x ?y { ?x :r ?y }", "2 columns"),
        ("CONSTRUCT { ?x :r ?y } WHERE { ?x :r ?y }", "CONSTRUCT is refused"),
        ("SELECT ?x { ?x :r :a . ?z :r :b }", "not connected"),
        ("SELECT ?x { ?x :r :a } LIMIT 3", "LIMIT without ORDER BY"),
        ("SELECT ?x { ?x :r ?y FILTER(?y > ?z) }", "compares with a stated or computed value"),
        ("SELECT ?x { ?x :r ?y FILTER(regex(?y, '^a.*b')) }", "regular expression"),
        ("SELECT ?g (COUNT(*) AS ?n) { ?x :g ?g } GROUP BY ?g", "2 columns"),
        ("SELECT (COUNT(*) AS ?n) { ?x :g ?g } GROUP BY ?g", "a table"),
        ("SELECT (COUNT(*) AS ?n) { ?x a :C ; :r ?y . ?y a :D }", "not clear what is counted"),
        ("SELECT ?x { ?x :r ", "not a SPARQL query"),
        ("SELECT ?x { ?x :d ?d FILTER(?d < 'soon'^^xsd:date) }", "not a value of its type"),
        ("SELECT ?x " + "{" * 300 + " ?x :r :a " + "}" * 300, "nested deeper"),
        ("SELECT ?x { ?x :r :a } #" + "x" * 1_000_000, "characters; at most"),
    ],
)
def test_what_no_plan_says_is_refused(query: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_sparql(PREFIX + query)


def test_the_graph_tells_what_rows_stand_for() -> None:
    rows = [(f"{X}f{i}", X + "by", X + ("a" if i else "b")) for i in range(4)]
    rows += [(f"{X}f{i}", TYPE, X + "Flight") for i in range(4)] + [(X + n, TYPE, X + "Airline") for n in "ab"]
    graph = Graph.from_triples(rows)
    query = PREFIX + "SELECT (COUNT(*) AS ?n) { ?a a :Airline . ?f a :Flight ; :by ?a }"
    plan = from_sparql(query, graph)
    assert str(execute(plan, graph).quantity) == "4"
    with pytest.raises(NotAPlanError, match="with the graph at hand"):
        from_sparql(query)


def test_the_first_of_several_columns_on_request() -> None:
    assert show(from_sparql(PREFIX + "SELECT ?x ?y { ?x a :C ; :r ?y }", first_column=True)).startswith("wherecount(")
