"""Query plans over a graph in a server: what the endpoint finds as one query is what the executor finds in a folder."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import plan_oracle
from clew.errors import InputError, NotFoundError, UnsupportedError
from clew.graph import Graph
from clew.graph.remote import ServerGraph, ServerSettings, open_server
from clew.query import execute, parse, run, show, tabulated
from clew.query import plan as p
from clew.query.proof import verify
from clew.query.remote import bound_to, in_sparql
from clew.retrieval.operators import Operators
from clew.testing.endpoint import BASE, LocalEndpoint, in_order
from clew.types import Question

pytest.importorskip("pyoxigraph", reason="the extra sparql is not installed")
pytest.importorskip("httpx", reason="the extra sparql is not installed")

ROWS = [
    ("nile", "type", "River"), ("amazon", "type", "River"), ("rhine", "type", "River"),
    ("nile", "length", '"6650"'), ("amazon", "length", '"6400"'), ("rhine", "length", '"1230"'),
    ("nile", "crosses", "Egypt"), ("nile", "crosses", "Sudan"), ("rhine", "crosses", "Germany"),
    ("Egypt", "founded", '"1922"'), ("Sudan", "founded", '"1956"'), ("Germany", "founded", '"1871"'),
    ("Egypt", "width", '"1000 km"'), ("Sudan", "width", '"900 km"'),
]  # fmt: skip
PLANS = [
    'follow(entity("nile"), crosses)',
    'count(follow(entity("NILE"), crosses))',
    'follow(entity("Egypt"), ^crosses)',
    "class(River)",
    "count(class(River))",
    "top(class(River), length, largest, 2)",
    "where(class(River), length, >, 2000)",
    "where(all(), founded, >, 1900)",
    'minus(class(River), follow(entity("Germany"), ^crosses))',
    'values(follow(entity("nile"), crosses), founded)',
    "sum(class(River), length)",
    'exists(follow(entity("amazon"), crosses))',
    "wherecount(class(River), crosses, >=, 2)",
]


@pytest.fixture(scope="module")
def rivers() -> Graph:
    return in_order(Graph.from_triples(ROWS, name="rivers"))


@pytest.fixture(scope="module")
def server(rivers: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerGraph]:
    with LocalEndpoint(rivers) as endpoint:
        store = open_server(endpoint.url, ServerSettings(base=BASE, home=tmp_path_factory.mktemp("home")))
        yield store
        store.close()


@pytest.mark.parametrize("text", PLANS)
def test_the_server_finds_what_the_executor_finds(rivers: Graph, server: ServerGraph, text: str) -> None:
    if text.startswith('count(follow(entity("NILE'):
        here = tabulated(execute(parse(text.replace("NILE", "nile")), rivers), rivers)
    else:
        here = tabulated(execute(parse(text), rivers), rivers)
    _ = server.names, server.relations()
    before = server.server.traffic.requests
    there = run(server, text)
    assert sorted(row[:2] for row in there.rows) == sorted(row[:2] for row in here.rows)
    assert there.total == here.total and here.rows
    assert not text.startswith("top") or there.rows == here.rows  # best first, with what they are ranked by
    # The plan is one query; one more tells how values are read, and two by what the best are ranked.
    assert server.server.traffic.requests - before <= 4


def test_a_plan_is_one_query_of_the_server(server: ServerGraph) -> None:
    bound = bound_to(parse('follow(entity("nile"), crosses)'), server)
    query = in_sparql(bound, server)
    assert bound == p.Follow(p.Entities(("nile",)), (p.Step("crosses"),))
    assert query.count("SELECT") == 1 and f"<{BASE}nile>" in query


def test_rows_are_bounded_and_the_rest_is_told(server: ServerGraph) -> None:
    found = run(server, "class(River)", limit=2)
    assert len(found.rows) == 2 and found.total > 2 and not found.complete and found.notes


def test_names_that_are_not_there_are_said(server: ServerGraph) -> None:
    with pytest.raises(NotFoundError, match="no entity 'Volga'"):
        run(server, 'follow(entity("Volga"), crosses)')
    with pytest.raises(NotFoundError, match="crosses"):
        run(server, 'follow(entity("nile"), crossses)')


@pytest.mark.parametrize(
    "text", ["DELETE WHERE { ?s ?p ?o }", "SELECT * WHERE { SERVICE <http://x/> { ?s ?p ?o } }", "DROP ALL"]
)
def test_what_is_no_plan_never_reaches_the_server(server: ServerGraph, text: str) -> None:
    before = server.server.traffic.requests
    with pytest.raises(InputError):
        run(server, text)
    assert server.server.traffic.requests == before


@pytest.mark.parametrize("hostile", ['nile" } DROP ALL #', "x> . } ; DROP ALL #", "a\nb", "\x00"])
def test_hostile_names_are_only_unknown(server: ServerGraph, hostile: str) -> None:
    with pytest.raises(NotFoundError):
        run(server, p.Follow(p.Entities((hostile,)), (p.Step("crosses"),)))
    assert run(server, "count(class(River))").rows == (("3",),)


def test_units_are_converted_here_as_long_as_the_graph_is_small(
    rivers: Graph, server: ServerGraph, tmp_path: Path
) -> None:
    plan = parse('where(follow(entity("nile"), crosses), width, >, number(950, "km"))')
    assert run(server, plan).rows == tabulated(execute(plan, rivers), rivers).rows == (("Egypt", "Egypt"),)
    settings = server.settings.model_copy(update={"triples_at_once": 3, "home": tmp_path})
    larger = open_server(server.address.url, settings)
    with pytest.raises(UnsupportedError, match="clew pull"):
        run(larger, plan)
    larger.close()


def test_questions_with_an_operator_are_answered_as_over_a_folder(rivers: Graph, server: ServerGraph) -> None:
    from clew.encoding import HashEncoder
    from clew.settings import configure
    from clew.workspace import Workspace

    for text in ("How many countries does the Nile cross?", "Which countries does the Nile cross?"):
        asked = Question("q", text, ("nile",))
        answers = []
        for graph in (rivers, server):
            flags = {"method": {"name": "walk", "threshold": 0.0}}
            method = Workspace(configure(flags=flags, environment={}), graph=graph, encoder=HashEncoder(256))
            opened = method.open_method()
            assert isinstance(opened, Operators)
            answers.append(opened.answer(asked, graph))
        assert answers[0].texts == answers[1].texts and answers[0].plan == answers[1].plan
        assert verify(answers[1], server) == []
    assert answers[0].texts


@pytest.mark.parametrize("seed", range(12))
def test_random_plans_agree(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    world = plan_oracle.random_world(rng)
    plan = plan_oracle.Planner(rng, world).plan()
    graph = in_order(world.graph)
    here = tabulated(execute(plan, graph), graph)
    with LocalEndpoint(graph) as endpoint:
        store = open_server(endpoint.url, ServerSettings(base=BASE, home=tmp_path))
        there = run(store, plan)
        store.close()
    assert sorted(row[:2] for row in there.rows) == sorted(row[:2] for row in here.rows), show(plan)
