"""Answers narrowed by what else a question says, and sets of nameless nodes."""

import pytest

from clew.graph import Graph
from clew.query import execute
from clew.query import plan as p
from clew.retrieval.method_sets import of_said_values, past_mediators
from clew.retrieval.operating import either
from clew.types import Answer, Candidate, Evidence, Hop, Path, Question

ROWS = [
    *((name, "type", "Ferry") for name in ("Alca", "Brio", "Corvo")),
    ("Alca", "start", "Quay One"), ("Brio", "end", "Quay One"), ("Corvo", "start", "Quay Two"),
    ("Nils", "post", "_:p1"), ("_:p1", "post", "Harbour Office"), ("_:p1", "rank", "mate"),
    ("Alca", "crewed by", "Nils"), ("Brio", "crewed by", "Nils"),
    ("Alca", "state", "docked"), ("Brio", "state", "lost"),
]  # fmt: skip


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph.from_triples(ROWS, name="ferries")


def _found(text: str, graph: Graph) -> Answer:
    """The ferries that Nils crews, as a method finds them."""
    triples = graph.neighbors([graph.resolve("Nils")[0].id], relations={"crewed by"}, direction="in")
    paths = tuple(Path(triple.tail, (Hop(triple, False),), 0.9) for triple in triples)
    ends = tuple(Candidate(path.end.label, 0.9, path.end, (i,)) for i, path in enumerate(paths))
    return Answer(Question("q", text), "found", ends, Evidence(paths))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("docked ferries crewed by Nils", {"Alca"}),
        ("ferries crewed by Nils", {"Alca", "Brio"}),
        ("ferries crewed by Nils at Quay Two", {"Alca", "Brio"}),  # said of none of them: left to the note
    ],
)
def test_a_value_that_is_said_narrows_what_was_found(text: str, said: set[str], graph: Graph) -> None:
    found = _found(text, graph)
    assert {c.text for c in of_said_values(found, found.question, graph).candidates} == said


def test_one_of_two_relations(graph: Graph) -> None:
    sets = either(Question("q", "which ferries start or end at Quay One"), graph, None)
    assert set(graph.labels_at(execute(sets[0].plan, graph).members)) == {"Alca", "Brio"}
    assert not either(Question("q", "which red or blue ferries end at Quay One"), graph, None)


def test_a_nameless_node_is_no_answer(graph: Graph) -> None:
    office = p.Entities((graph.resolve("Harbour Office")[0].id,))
    mates = p.Follow(office, (p.Step("post", False),))
    plan = past_mediators(mates, graph)
    assert plan is not None
    assert graph.labels_at(execute(plan, graph).members) == ["Nils"]
    assert past_mediators(office, graph) is office
