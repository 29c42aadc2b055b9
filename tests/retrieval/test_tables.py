"""Questions to one table: the plans that it allows, and the one that the fitted ranking takes.

The weights were fitted to other tables; nothing here needs an encoder.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import clew
from clew.graph import Graph
from clew.graph.tables import table_graph
from clew.protocols import GraphStore, OnEvent, ignore
from clew.query.execute import execute
from clew.retrieval.operators import Operators
from clew.retrieval.tables import read_table
from clew.retrieval.tables.candidates import TableCandidates
from clew.retrieval.tables.ranking import Described, fitted, save
from clew.retrieval.tables.words import TableWords, amounts, tokens
from clew.types import Answer, Question

HEADER = ["Season", "Team", "Coach", "Wins", "Losses", "Attendance", "Result"]
ROWS = [
    ["1998", "Harbor City", "Tom Reed", "18", "8", "21,340", "Semifinal"],
    ["1999", "Harbor City", "Tom Reed", "22", "6", "24,115", "Champions"],
    ["2000", "Northfield Rovers", "Alan Pike", "20", "9", "18,020", "Champions"],
    ["2001", "Harbor City", "Marta Ruiz", "15", "15", "19,876", "Quarterfinal"],
    ["2002", "Eastgate United", "Sven Dahl", "24", "5", "31,450", "Champions"],
    ["2003", "Eastgate United", "Sven Dahl", "19", "10", "30,001", "Final"],
]


class Silent:
    """A method that never answers: a table is not asked of it."""

    name: ClassVar[str] = "silent"

    def answer(self, question: Question, graph: GraphStore, *, on_event: OnEvent = ignore) -> Answer:
        return self.predict([question], graph, on_event=on_event)[0]

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        return [Answer(question, self.name) for question in questions]


@pytest.fixture(scope="module")
def graph() -> Graph:
    return table_graph(HEADER, ROWS)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("how many seasons did harbor city play", ["3"]),
        ("who was the coach in 2000", ["Alan Pike"]),
        ("which coach is listed last", ["Sven Dahl"]),
        ("what team had the most wins", ["Eastgate United"]),
        ("what was the average number of wins", ["19.66666667"]),
        ("which team won in 1999", ["Harbor City"]),
        ("how many losses did northfield rovers have", ["9"]),
    ],
)
def test_questions_to_a_table(graph: Graph, text: str, answers: list[str]) -> None:
    answer = Operators(Silent()).answer(Question("q", text), graph)
    assert sorted(answer.texts) == answers and answer.plan is not None
    assert clew.verify(answer, graph) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("how many more wins did harbor city have in 1999 than in 2001", "7"),
        ("who coached after alan pike", "Marta Ruiz"),
        ("how many seasons had an attendance above 30,000", "2"),
        ("which season had the second most wins", "1999"),
        ("who had fewer losses, alan pike or marta ruiz", "Alan Pike"),
        ("how many seasons were not won by harbor city", "3"),
    ],
)
def test_a_plan_for_what_is_asked_is_among_the_candidates(graph: Graph, text: str, wanted: str) -> None:
    found = TableCandidates(TableWords.of(graph), tokens(text)).found()
    right = [each for each in found if each.texts == (wanted,)]
    assert right
    for each in found[::25]:  # every candidate is a plan that the executor runs to the same end
        result = execute(each.plan, graph)
        if result.makes in ("set", "values"):
            assert sorted(graph.labels_at(result.members)) == sorted(each.texts)


def test_the_priors_are_probabilities_of_answers(graph: Graph) -> None:
    made = read_table("which team won in 1999", graph, None)
    assert 0 < made[0].prior <= 1 and made == sorted(made, key=lambda each: -each.prior)


@pytest.mark.parametrize("text", ["", "?", "the of and", "who " * 300, "1999 " * 200, "\ud800", "ß 1e999 ٣"])
def test_texts_that_say_nothing_end_in_an_answer_or_none(graph: Graph, text: str) -> None:
    for each in read_table(text, graph, None)[:3]:
        execute(each.plan, graph)


def test_words_and_numbers() -> None:
    assert tokens("Harbor City's 21,340 races") == ("harbor", "city", "21340", *tokens("race"))
    assert [(a.value, a.year) for a in amounts(tokens("two of 1,500 in 1999"))] == [
        (2, False),
        (1500, True),
        (1999, True),
    ]


def test_weights_are_read_back_as_they_were_written(graph: Graph, tmp_path: Path) -> None:
    known = fitted()
    file = tmp_path / "weights.npz"
    save(known, file)
    with np.load(file, allow_pickle=False) as held:
        assert held["w"].shape == known.w.shape and held["parts"].tolist() == list(known.parts)
    grown = TableCandidates(TableWords.of(graph), tokens("how many seasons"))
    found = grown.found()
    assert np.isfinite(known.scores(Described(found, grown, "how many seasons", None))).all()
