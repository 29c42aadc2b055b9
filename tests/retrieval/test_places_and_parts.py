"""Sets over places within places, things told by the noun in which their names end, and what is said of two together.

The oracle is the set that a plan written by hand makes.
"""

import pytest

from clew.graph import Graph
from clew.query import execute
from clew.query import plan as p
from clew.retrieval.chunks import spot
from clew.retrieval.composing import compose
from clew.retrieval.operating import of_both
from clew.types import Answer, Candidate, Entity, Evidence, Hop, Path, Question, Relation, Triple

ROWS = [
    *((name, "type", "fort") for name in ("High Fort", "Low Fort", "Far Fort", "Old Fort")),
    *((name, "type", "pot") for name in ("Pot 1", "Pot 2", "Pot 3")),
    *((name, "type", "potter") for name in ("Ana", "Ben")),
    *((name, "type", "town") for name in ("Arn", "Bex", "Cul")),
    *((name, "type", "region") for name in ("North", "South")),
    *((name, "type", "country") for name in ("Oria", "Uria")),
    *((name, "type", "bird") for name in ("Zip", "Zap", "Zup")),
    *((name, "type", "species") for name in ("great owl", "little owl", "sea duck")),
    ("High Fort", "location", "Arn"), ("Low Fort", "location", "Bex"), ("Far Fort", "location", "Cul"),
    ("Old Fort", "location", "North"),
    ("Arn", "part of", "North"), ("Bex", "part of", "North"), ("Cul", "part of", "South"),
    ("North", "country", "Oria"), ("South", "country", "Uria"),
    ("Crown", "country", "Oria"), ("Far Fort", "owner", "Crown"),
    ("Ana", "located in", "Arn"), ("Ben", "located in", "Cul"),
    ("Pot 1", "maker", "Ana"), ("Pot 2", "maker", "Ana"), ("Pot 3", "maker", "Ben"),
    ("Zip", "species", "great owl"), ("Zap", "species", "little owl"), ("Zup", "species", "sea duck"),
    ("Ana", "feeds", "Zip"), ("Ana", "feeds", "Zap"), ("Ben", "feeds", "Zap"),
]  # fmt: skip
GRAPH = Graph.from_triples(ROWS, name="places")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("which forts are in Oria", ["High Fort", "Low Fort", "Old Fort"]),  # and not the one whose owner is there
        ("which forts in Uria are there", ["Far Fort"]),
        ("forts in North", ["High Fort", "Low Fort", "Old Fort"]),
        ("Oria forts", ["High Fort", "Low Fort", "Old Fort"]),
        ("pots from Oria", ["Pot 1", "Pot 2"]),  # of a maker in a town in a region of it
        ("which birds are owls", ["Zap", "Zip"]),
        ("which forts are anywhere other than in North", ["Far Fort"]),
    ],
)
def test_members(text: str, wanted: list[str]) -> None:
    best = compose(Question("q", text), GRAPH)[0]
    assert sorted(GRAPH.labels_at(execute(best.plan, GRAPH).members)) == wanted


def test_a_noun_in_the_plural_means_what_names_end_in() -> None:
    def topics(text: str) -> list[tuple[str, ...]]:
        chunks = spot(Question("q", text), GRAPH, None).chunks
        return [chunk.plan.ids for chunk in chunks if chunk.kind == "topic" and isinstance(chunk.plan, p.Entities)]

    assert topics("which birds are owls") == [("great owl", "little owl")]
    assert topics("which birds are ducks") == [("sea duck",)]


def answered(*ways: tuple[str, str, str]) -> Answer:
    """What a method found: (answer, start, relation) with the relation from the answer to the start."""

    def entity(name: str) -> Entity:
        return Entity(name, name)

    paths = []
    for name, start, relation in ways:
        triple = Triple(entity(name), Relation(relation, relation), entity(start))
        paths.append(Path(entity(start), (Hop(triple, False),), 0.8))
    candidates = [Candidate(name, 0.8, entity(name), (i,)) for i, (name, _, _) in enumerate(ways)]
    return Answer(Question("q", ""), "method", tuple(candidates), Evidence(tuple(paths)))


def test_both_of_two_are_met_by_the_path_that_leads_from_one() -> None:
    found = answered(("Ana", "Zip", "feeds"))
    both = of_both(Question("q", "who feeds both Zip and Zap"), found, GRAPH, None)
    assert [GRAPH.labels_at(execute(each.plan, GRAPH).members) for each in both] == [["Ana"]]
    assert of_both(Question("q", "who feeds Zip or Zap"), found, GRAPH, None) == []
    assert of_both(Question("q", "who feeds both Zip and Zup"), found, GRAPH, None) == []
