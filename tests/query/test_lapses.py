"""Questions for the time between two dates, and the words for what it goes from and to."""

import pytest

from clew.query.lapses import asks_how_long, begins, between_two, ends, lapse, spanning
from clew.query.question import read_question


@pytest.mark.parametrize(
    ("text", "unit", "age", "rest"),
    [
        ("how many days did Loan 7 last", "days", False, "did Loan 7 last"),
        ("For how many days was voyage V-1 at sea?", "days", False, "was voyage V-1"),
        ("How long was Ada in office?", "", False, "was Ada"),
        ("How many nights did the tour last?", "days", False, "did the tour last"),
        ("How old was Ada when she died?", "years", True, "was Ada when she died"),
        ("At what age did Ada die?", "years", True, "did Ada die"),
        ("What is the number of weeks between A and B?", "weeks", False, "between A and B"),
    ],
)
def test_a_question_for_a_time_that_passed(text: str, unit: str, age: bool, rest: str) -> None:
    found = lapse(text)
    assert found is not None and (found.unit, found.age, found.rest) == (unit, age, rest)


@pytest.mark.parametrize(
    "text",
    [
        "How long is the Tisza?", "How old is Ada?", "How many days longer was A than B?",
        "How many films did Ada make?", "How many years ago was A built?", "How long will it take?",
        "Which loan lasted the longest?",
    ],
)  # fmt: skip
def test_what_asks_for_no_time_between_two_dates(text: str) -> None:
    assert lapse(text) is None


@pytest.mark.parametrize(
    ("text", "left", "said"),
    [
        ("which voyage from departure to arrival", "which voyage", ("departure", "arrival")),
        ("which ticket took to close", "which ticket", ("close", "took")),
        ("which loans that lasted", "which loans", ("lasted",)),
        ("what is the longest run", "what is the longest run", ()),
        ("how many days did the loan run", "how many days did the loan", ("run",)),
        ("which flights from Oslo to Bergen", "which flights from Oslo to Bergen", ()),
    ],
)
def test_words_that_say_from_when_until_when(text: str, left: str, said: tuple[str, ...]) -> None:
    assert spanning(text) == (left, said)


def test_names_of_beginnings_and_ends() -> None:
    assert all(map(begins, ("opened", "departure", "founded", "start", "birth")))
    assert all(map(ends, ("closing", "arrival", "decision", "died", "until", "returned")))
    assert not begins("colour") and not ends("opened")


def test_units_that_questions_state() -> None:
    assert asks_how_long("How many weeks did the longest loan last?") == "weeks"
    assert asks_how_long("How long was the longest loan?") == "" and asks_how_long("Who came first?") is None
    assert asks_how_long("How many days longer was A than B?") is None
    assert between_two("How many years older is A than B?") == "years" and between_two("How much older is A?") is None


def test_a_reading_without_the_words_of_the_time() -> None:
    read = read_question("which voyage took the most days from departure to arrival")
    assert read.stated == "which voyage" and read.ends == ("departure", "arrival")
    assert read_question("which river runs the longest from source to mouth").ends == ()
