"""Sets composed from a question's parts; the oracle is the set that a plan written by hand makes."""

import pytest

from clew.graph import Graph
from clew.query import execute, parse
from clew.retrieval.chunks import spot
from clew.retrieval.composing import compose
from clew.types import Question

TRIPLES = [
    *[(c, "type", "country") for c in ("Spain", "France", "Portugal", "Belgium", "Chile", "Norway")],
    *[(c, "type", "city") for c in ("Madrid", "Paris", "Lyon", "Oslo", "Lisbon", "Seville")],
    *[(x, "type", "language") for x in ("Spanish", "French", "Catalan", "Dutch")],
    ("Spain", "borders", "France"), ("Spain", "borders", "Portugal"), ("France", "borders", "Belgium"),
    ("France", "borders", "Spain"), ("Portugal", "borders", "Spain"), ("Belgium", "borders", "France"),
    ("Spain", "language spoken", "Spanish"), ("Spain", "language spoken", "Catalan"),
    ("France", "language spoken", "French"), ("Belgium", "language spoken", "French"),
    ("Belgium", "language spoken", "Dutch"), ("Chile", "language spoken", "Spanish"),
    *[(c, "continent", "Europe") for c in ("Spain", "France", "Portugal", "Belgium", "Norway")],
    ("Chile", "continent", "South America"),
    ("Madrid", "located in", "Spain"), ("Seville", "located in", "Spain"), ("Paris", "located in", "France"),
    ("Lyon", "located in", "France"), ("Oslo", "located in", "Norway"), ("Lisbon", "located in", "Portugal"),
    ("Spain", "capital", "Madrid"), ("France", "capital", "Paris"), ("Norway", "capital", "Oslo"),
    ("Portugal", "capital", "Lisbon"),
    ("Paris", "population", "2100000"), ("Lyon", "population", "520000"), ("Madrid", "population", "3300000"),
]  # fmt: skip
GRAPH = Graph.from_triples(TRIPLES, name="small world")


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("which cities are in Spain", "follow(entity(Spain), ^\"located in\")"),
        ("which countries border either Portugal or Belgium",
         "or(follow(entity(Portugal), borders), follow(entity(Belgium), borders))"),
        ("which countries border both Portugal and France",
         "and(follow(entity(Portugal), borders), follow(entity(France), borders))"),
        ("which countries in Europe do not speak Spanish",
         "minus(follow(entity(Europe), ^continent), follow(entity(Spanish), ^\"language spoken\"))"),
        ("which countries in Europe have no neighbours",
         "wherecount(follow(entity(Europe), ^continent), borders, =, 0)"),
        ("which countries other than France speak French",
         "minus(follow(entity(French), ^\"language spoken\"), entity(France))"),
        ("which countries speak French and border Spain",
         "and(follow(entity(French), ^\"language spoken\"), follow(entity(Spain), borders))"),
        ("which languages are spoken in countries that border France",
         "follow(follow(entity(France), borders), \"language spoken\")"),
        ("what is the capital of France", "follow(entity(France), capital)"),
        ("what are the capitals of Spain and Norway", "follow(entity(Spain, Norway), capital)"),
        ("what is a language spoken of both Spain and Chile",
         "and(follow(entity(Spain), \"language spoken\"), follow(entity(Chile), \"language spoken\"))"),
        ("list all languages", "class(language)"),
    ],
)  # fmt: skip
def test_parts_are_joined_by_what_the_graph_has(text: str, plan: str) -> None:
    best = compose(Question("q", text), GRAPH)[0]
    wanted, found = execute(parse(plan), GRAPH), execute(best.plan, GRAPH)
    assert GRAPH.labels_at(found.members) == GRAPH.labels_at(wanted.members) != []
    assert best.unsaid == () and best.score > 0.6


def test_a_word_that_nothing_accounts_for_is_named_and_costs() -> None:
    known = compose(Question("q", "which cities are in Spain"), GRAPH)[0]
    strange = compose(Question("q", "which volcanic cities are in Spain"), GRAPH)[0]
    assert strange.unsaid == ("volcanic",) and strange.score < known.score


@pytest.mark.parametrize("text", ["", "?", "which", "why", "not or and except", "who " * 500, "Spain " * 300])
def test_texts_without_parts_compose_nothing_or_something_that_runs(text: str) -> None:
    for each in compose(Question("q", text), GRAPH):
        execute(each.plan, GRAPH)


def test_state_capitals_are_capitals_of_states() -> None:
    spotted = spot(Question("q", "which country capitals are there"), GRAPH, None)
    assert spotted.root is not None and spotted.chunks[spotted.root].relations == ("capital",)


def test_a_relation_below_a_relation_that_has_been_followed_composes() -> None:
    """Found by answers with hostile language models: a step of no relation was made, and the question failed."""
    triples = [
        ("oz", "place of birth", "abc"), ("abc", "children", "abc"), ("abc", "currency", "cleo"),
        ("stone", "place of birth", "hill"), ("oz", "place of birth", "stone"), ("hill", "currency", "hill"),
        ("oz", "spouse", "abc"), ("cleo", "place of birth", "birth"), ("hill", "place of birth", "birth"),
        ("birth", "children", "more"), ("more", "place of birth", "stone"),
    ]  # fmt: skip
    graph = Graph.from_triples(triples, labels={"abc": "(a | b | c)", "stone": "Mo Stone", "hill": "Mo Hill"})
    asked = "what currency has the place of birth of (a | b | c) that Mo Stone is in?"
    for made in compose(Question("q", asked), graph):
        execute(made.plan, graph)
