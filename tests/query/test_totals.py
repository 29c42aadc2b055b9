"""Words that ask for one figure of several, apart from the noun: "on average", "summed up", "together"."""

import pytest

from clew.query.totals import summed


@pytest.mark.parametrize(
    ("text", "how", "left"),
    [
        ("On average how many people fit in a room?", "mean", "how many people fit in a room"),
        ("What does a permit cost on average?", "mean", "What does a permit cost"),
        ("yearly cost of all they support, summed up", "sum", "yearly cost of all they support"),
        ("What do we pay for the two clubs together?", "sum", "What do we pay for the two clubs"),
        (
            "What would it cost to buy one of everything at Joe's?",
            "sum",
            "What would it cost to buy everything at Joe's",
        ),
        ("Add up the credits of the courses", "sum", "what are the credits of the courses"),
        ("add up everything Ann has given", "sum", "what Ann has given"),
        ("Adding up all the visits, how many teals were there?", "sum", "how many teals were there"),
        ("Who gave more altogether, Ann Lee or Bo Dahl?", "sum", "Who gave more, Ann Lee or Bo Dahl"),
        ("What do the fees of the trials amount to?", "sum", "what are the fees of the trials"),
    ],
)
def test_a_total_or_a_mean_may_be_said_anywhere(text: str, how: str, left: str) -> None:
    assert summed(text) == (how, left)


@pytest.mark.parametrize(
    "text",
    ["Which composers worked together on Alba?", "Who wrote Mean Girls?", "What is the average salary of staff?"],
)
def test_words_that_sum_nothing_up_or_are_read_with_their_noun(text: str) -> None:
    assert summed(text) is None
