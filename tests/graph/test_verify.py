"""`verify` accepts real threads and finds each way in which a thread can be false."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as FilePath

from clew.graph import Graph, build
from clew.graph.verify import verify
from clew.types import Answer, Candidate, Entity, Evidence, Hop, Path, Question, Relation, Topic, Triple

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
    assert verify(elsewhere, toy) == ["'Euro' (Euro) cites a path that ends at 'Europe' ('Europe')"]
    nowhere = replace(GOOD, candidates=(Candidate("Euro", 1.0, None, (3,)),))
    assert verify(nowhere, toy) == ["'Euro' cites path 3 of 1"]


def candidate(text: str, entity: Entity | None = None, base: Answer = GOOD) -> Answer:
    return replace(base, candidates=(Candidate(text, 1.0, entity, (0,)),))


def test_every_forgery_is_found(toy: Graph) -> None:
    europe, paris = Entity("Europe", "Europe"), Entity("Paris", "Paris")
    triple = fact("France", "continent", "Europe")
    first = Hop(fact("Paris", "capital of", "France"))
    forged = {
        "a text that is not the path's end": candidate("Asia"),
        "a text that is not its entity's": candidate("Asia", europe),
        "a label": candidate("Europe", Entity("Europe", "Utopia")),
        "a kind": candidate("Europe", Entity("Europe", "Europe", "mediator")),
        "an end with another label": answer(first, Hop(replace(triple, tail=Entity("Europe", "Utopia"))), end="Europe"),
        "a relation's label": answer(
            first, Hop(replace(triple, relation=Relation("continent", "destroyer of"))), end="Europe"
        ),
        "a source": answer(first, Hop(replace(triple, source="a book that is holy to all")), end="Europe"),
        "a start with another label": replace(
            GOOD, evidence=Evidence((replace(GOOD.evidence.paths[0], start=Entity("Paris", "Rome")),))
        ),
        "a middle with another label": answer(Hop(replace(first.triple, tail=Entity("France", "Gaul"))), Hop(triple)),
        "an empty path from nowhere": Answer(
            QUESTION,
            "m",
            (Candidate("Atlantis", 1.0, None, (0,)),),
            Evidence((Path(Entity("Atlantis", "Atlantis"), (), 1.0),)),
        ),
        "an empty path under another label": Answer(
            QUESTION, "m", (Candidate("Rome", 1.0, None, (0,)),), Evidence((Path(Entity("Paris", "Rome"), (), 1.0),))
        ),
        "a score": replace(GOOD, evidence=Evidence((replace(GOOD.evidence.paths[0], score=float("nan")),))),
        "a topic": replace(GOOD, topics=(Topic(Entity("Atlantis", "Atlantis"), 1.0, "x", "given"),)),
        "a topic's label": replace(GOOD, topics=(Topic(Entity("Paris", "Rome"), 1.0, "x", "given"),)),
        "a negative position": replace(GOOD, candidates=(Candidate("Europe", 1.0, europe, (-1,)),)),
    }
    assert [what for what, each in forged.items() if not verify(each, toy)] == []
    honest = Answer(QUESTION, "m", (Candidate("paris", 1.0, paris, (0,)),), Evidence((Path(paris, (), 1.0),)))
    assert verify(honest, toy) == []
    assert verify(candidate("Europe"), toy) == []


def test_a_source_that_the_graph_states_is_accepted(tmp_path: FilePath) -> None:
    file = tmp_path / "g.nq"
    file.write_text("<http://x/a> <http://x/r> <http://x/b> <http://x/book> .\n")
    build([file], tmp_path / "g.kg")
    graph = Graph.open(tmp_path / "g.kg")
    (triple,) = graph.triples()
    path = Path(triple.head, (Hop(triple),), 1.0)
    cited = Answer(QUESTION, "m", (Candidate(triple.tail.label, 1.0, triple.tail, (0,)),), Evidence((path,)))
    assert triple.source is not None
    assert verify(cited, graph) == []
    for source, wrong in ((None, 0), ("http://x/other", 1)):
        path = Path(triple.head, (Hop(replace(triple, source=source)),), 1.0)
        assert len(verify(replace(cited, evidence=Evidence((path,))), graph)) == wrong
