"""`verify` accepts real threads and finds each way in which a thread can be false."""

from __future__ import annotations

from dataclasses import replace

from clew.graph import Graph
from clew.graph.verify import verify
from clew.types import Answer, Candidate, Entity, Evidence, Hop, Path, Question, Relation, Triple

QUESTION = Question("q", "?")


def fact(head: str, relation: str, tail: str) -> Triple:
    return Triple(Entity(head, head), Relation(relation, relation), Entity(tail, tail))


def answer(*hops: Hop, start: str = "Paris", end: str = "Europe") -> Answer:
    path = Path(Entity(start, start), hops, 1.0)
    return Answer(QUESTION, "m", (Candidate(end, 1.0, Entity(end, end), (0,)),), Evidence((path,)))


GOOD = answer(Hop(fact("Paris", "capital of", "France")), Hop(fact("France", "continent", "Europe")))


def test_a_real_thread_is_proven_in_both_directions(toy: Graph) -> None:
    assert verify(GOOD, toy) == []
    back = answer(Hop(fact("France", "continent", "Europe"), False), start="Europe", end="France")
    assert verify(back, toy) == []
    assert verify(Answer(QUESTION, "m"), toy) == []


def test_an_invented_or_turned_triple_is_found(toy: Graph) -> None:
    invented = answer(Hop(fact("Paris", "capital of", "Germany")), end="Germany")
    assert verify(invented, toy) == [f"not in graph {toy.name!r}: (Paris, capital of, Germany)"]
    turned = answer(Hop(fact("France", "capital of", "Paris"), False), end="France")
    assert verify(turned, toy) == [f"not in graph {toy.name!r}: (France, capital of, Paris)"]
    unwalked = replace(GOOD, evidence=Evidence(GOOD.evidence.paths, (fact("Paris", "borders", "Berlin"),)))
    assert len(verify(unwalked, toy)) == 1


def test_a_broken_thread_is_found(toy: Graph) -> None:
    broken = answer(Hop(fact("Paris", "capital of", "France")), Hop(fact("Germany", "continent", "Europe")))
    assert verify(broken, toy) == [
        "path 0: hop (Germany, continent, Europe) starts at 'Germany', the thread is at 'France'"
    ]


def test_a_candidate_must_be_where_its_path_ends(toy: Graph) -> None:
    elsewhere = replace(GOOD, candidates=(Candidate("Euro", 1.0, Entity("Euro", "Euro"), (0,)),))
    assert verify(elsewhere, toy) == ["'Euro' (Euro) cites a path that ends at 'Europe'"]
    nowhere = replace(GOOD, candidates=(Candidate("Euro", 1.0, None, (3,)),))
    assert verify(nowhere, toy) == ["'Euro' cites path 3 of 1"]
