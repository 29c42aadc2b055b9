"""Reports of a run, against answers put together by hand."""

from __future__ import annotations

import pytest

from clew.graph import Graph
from clew.methods.stem.report import report, schema_scores
from clew.protocols import Example
from clew.types import Answer, Candidate, Entity, Evidence, Gold, Hop, Path, Question, Relation, Triple

ROWS = [("a", "r", "b"), ("b", "s", "c"), ("x", "r", "y"), ("x", "r", "z")]
GRAPH = Graph.from_triples(ROWS)
GOOD = [["[T1]", "r", "[ENT1]"], ["[ENT1]", "s", "[ENT2]"]]


def answer(id: str, topic: str, said: str, schema: list[list[str]], strategy: str, rows: list[int]) -> Answer:
    hops = tuple(Hop(Triple(Entity(h, h), Relation(r, r), Entity(t, t))) for h, r, t in (ROWS[i] for i in rows))
    paths = (Path(Entity(topic, topic), hops, 1.0),) if hops else ()
    return Answer(
        Question(id, "?", (topic,)),
        "stem",
        (Candidate(said, 1.0, None, (0,) if paths else ()),) if said else (),
        Evidence(paths),
        seconds={"plan": 0.5, "trace": 0.25},
        details={"plans": [{"strategy": strategy, "schema": schema}], "strategy": strategy},
    )


EXAMPLES = [
    Example(Question("1", "?", ("a",)), Gold(("c",))),
    Example(Question("2", "?", ("x",)), Gold(("y", "z"))),
    Example(Question("3", "?", ("nowhere",)), Gold(("y",))),
    Example(Question("4", "?", ("a",)), Gold(("c",))),
]


def test_everything_is_counted_once() -> None:
    answers = [
        answer("1", "a", "c", GOOD, "Precision", [0, 1]),
        answer("2", "x", "y", [["[T1]", "r", "[ENT1]"]], "Precision", [2]),
        answer("3", "nowhere", "", [], "Precision", []),
        answer("4", "a", "b", GOOD[:1], "Precision", [0]),
    ]
    told = report(answers, EXAMPLES, GRAPH.whole)
    assert told["questions"] == 4 and told["with a gold chain"] == 3
    assert told["left out"] == {"unknown topic": 1, "no gold chain": 0}
    assert told["schema"] == {"precision": 1.0, "recall": pytest.approx(2.5 / 3, abs=1e-4), "f1": pytest.approx(0.8889)}
    assert told["coverage"] == {"1": 0.75, "2-4": 0.5, "all": pytest.approx(2 / 3, abs=1e-4)}
    assert told["strategy accuracy"] == {"1": 1.0, ">=2": 0.0}
    third = pytest.approx(1 / 3, abs=1e-4)
    assert told["schema x answer"] == {
        "invalid, answer wrong": third,
        "valid, answer right": pytest.approx(2 / 3, abs=1e-4),
    }
    assert told["evidence x answer"] == {
        "invalid, answer right": third,
        "invalid, answer wrong": third,
        "valid, answer right": third,
    }
    assert told["seconds"]["all"] == {"plan": 0.5, "trace": 0.25, "total": 0.75}
    assert set(told["seconds"]) == {"all", "answers 1", "answers 2-4", "Precision"}


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        (GOOD, (1.0, 1.0, 1.0)),
        ([["Ada", "r", "[ENT7]"], ["[ENT7]", "s", "[ENT9]"]], (1.0, 1.0, 1.0)),
        ([["[ENT1]", "r", "[T1]"]], (0.0, 0.0, 0.0)),
        ([*GOOD, ["[ENT2]", "s", "[ENT3]"]], (2 / 3, 1.0, 0.8)),
        ([], (0.0, 0.0, 0.0)),
    ],
)
def test_schemas_are_compared_triple_by_triple(own: list[list[str]], expected: tuple[float, ...]) -> None:
    assert schema_scores(own, GOOD) == pytest.approx(expected)
