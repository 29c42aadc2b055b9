"""How plans account for the words of a question: every step takes up its own part, in the order of English."""

from __future__ import annotations

import numpy as np
import pytest

from clew.graph import Graph
from clew.reading.account import ACCOUNT, accounts
from clew.reading.growth import PlanCandidate
from clew.reading.trails import PathHypothesis
from clew.reading.wording import QuestionWording, Wording

GRAPH = Graph.from_triples(
    [
        ("Ann", "parents", "Bob"),
        ("Bob", "children", "Cay"),
        ("Cay", "gender", "female"),
        ("Ann", "place_of_birth", "Rome"),
        ("Ann", "profession", "cook"),
        ("Ann", "spouse", "Dan"),
        ("Film", "directed_by", "Ann"),
        ("Film", "starred_actors", "Bob"),
        ("Film", "release_year", "1999"),
    ],
    name="people",
)


def plan(path: str) -> PlanCandidate:
    """From "directed_by → gender", "←" for a step backward."""
    whole, ends, steps = GRAPH.whole, [], []
    for name in path.split():
        number = GRAPH.relation_number(name.lstrip("-"))
        assert number is not None
        steps.append(((number, not name.startswith("-")),))
    label = {"-": "Film"}.get(path.split()[-1][0], "Cay")
    ends = np.array([whole.local(label)], np.int32)
    return PlanCandidate((PathHypothesis(0, tuple(steps), ends),), ends)


def account(question: str, path: str) -> dict[str, float]:
    every = [plan(path), *(plan(name) for name in ("parents", "-directed_by", "-starred_actors"))]
    asked = QuestionWording.of(question, ["Zoe"])
    return dict(zip(ACCOUNT, accounts(asked, Wording(GRAPH.whole), every, [""] * len(every))[0], strict=True))


def cost(question: str, path: str) -> float:
    found = account(question, path)
    return 2 * found["left_over"] + found["unasked"] + found["guessed"] + found["disorder"] - found["ask_met"]


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("Zoe's parents's gender?", "parents gender", "parents"),
        ("Zoe's parents's gender?", "parents gender", "gender"),
        ("who is the mother of Zoe's son", "children parents", "parents children"),  # the nearest first
        ("who is the son of the child of Zoe", "children children", "children"),  # said twice, walked twice
        ("who is the son of Zoe", "children", "children children"),
        ("whose child is Zoe", "-children", "children children"),
        ("what does Zoe's father do", "parents profession", "parents"),
        ("where was Zoe's father born", "parents place_of_birth", "parents"),
        ("when were the films directed by Zoe released", "-directed_by release_year", "-directed_by"),
        ("who starred in the movies directed by Zoe", "-directed_by starred_actors", "-starred_actors directed_by"),
    ],
)
def test_the_plan_that_says_it_all_costs_least(question: str, right: str, wrong: str) -> None:
    assert cost(question, right) < cost(question, wrong)


def test_who_and_where_know_what_they_ask_for() -> None:
    assert account("where was Zoe born", "place_of_birth")["leads_right"] == 1
    assert account("where is Zoe", "parents")["leads_wrong"] == 1
    assert account("who is Zoe's wife", "spouse")["leads_right"] == 1
    assert (
        account("what is it of Zoe", "spouse")["leads_right"] == account("what is it of Zoe", "spouse")["leads_wrong"]
    )


def test_words_that_may_ask_for_a_step_are_told_from_words_that_cannot() -> None:
    """ "heir" is no word for a child that is known, but there is a step for it."""
    assert account("the heir of Zoe's child", "children children")["guessed"] > 0
    assert account("the heir of Zoe's child", "children")["left_over"] > 0
    assert account("the heir of Zoe's child", "children children")["left_over"] == 0


def test_a_word_that_names_something_else_asks_for_no_step() -> None:
    """ "leader" is known, and no child; of a relation that nobody knows it may be the name."""
    found = account("the leader of Zoe", "children")
    assert found["unmet"] > 0 and found["unasked"] > 0 and found["guessed"] == 0
    assert account("the child of Zoe", "children")["unmet"] == 0
