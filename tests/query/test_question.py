"""What a question asks for, beside the set it is about."""

import pytest

from clew.query import plan as p
from clew.query.question import nested, read_question


@pytest.mark.parametrize(
    ("text", "kind", "rest"),
    [
        ("How many states border Iowa?", "count", "which states border Iowa"),
        ("what is the number of rivers in Ohio", "count", "which rivers in Ohio"),
        ("count the films of Lynch", "count", "which films of Lynch"),
        ("how many people live in Chicago", "plain", "how many people live in Chicago"),
        ("What is the largest city in Texas?", "superlative", "What is city in Texas"),
        ("what is the second largest city in Texas", "ordinal", "what is city in Texas"),
        ("what state has the most rivers", "superlative", "what state"),
        ("which films came out before 2008", "date filter", "which films came out"),
        ("which songs were released in the 1990s", "date filter", "which songs were released"),
        ("who governed Ohio from 1990 to 1994", "date filter", "who governed Ohio"),
        ("which cities have more than 1 million inhabitants", "number filter", "which cities"),
        ("which states do not border Texas", "negation", "which states border Texas"),
        ("what states border Texas other than Oklahoma", "negation", "what states border Texas"),
        ("does Spain border Portugal", "boolean", "Spain border Portugal"),
        ("Is it true that Oslo is a city?", "boolean", "Oslo is a city"),
        ("Which is longer, the Nile or the Amazon?", "comparison", "Nile and Amazon"),
        ("how much higher is Everest than K2", "arithmetic", "Everest and K2"),
        (
            "what is the total population of the states that border Texas",
            "arithmetic",
            "which states that border Texas",
        ),
        ("what is the capital of France", "plain", "what is the capital of France"),
        ("who was the First Lady in 1990", "date filter", "who was the First Lady"),
        ("what rivers run through West Virginia", "plain", "what rivers run through West Virginia"),
        ("¿Cuántos ríos hay?", "plain", "¿Cuántos ríos hay"),
        # what only asks for the question
        ("could you tell me how many rivers are in Peru", "count", "which rivers are in Peru"),
        ("hey, do you know which city is the largest in Peru?", "superlative", "which city is in Peru"),
        ("I'd like to know whether Lima is in Peru", "boolean", "Lima in Peru"),
        ("tell me the mayor of Lima", "plain", "tell me the mayor of Lima"),
        # no operators
        ("candidates with arc welding", "plain", "candidates with arc welding"),
        ("isla verde founding year", "plain", "isla verde founding year"),
        (
            "is there anybody from Toronto on the roster, and who",
            "plain",
            "is there anybody from Toronto on the roster, and who",
        ),
        ("where is Oak Step sold, I mean the shop", "plain", "where is Oak Step sold, I mean the shop"),
        ("what year did Peru first win", "plain", "what year did Peru first win"),
        ("who built First Harbour Bank", "plain", "who built First Harbour Bank"),
        ("who is the best friend of Leo", "plain", "who is the best friend of Leo"),
        ("I have never heard Ebb, tell me its genre", "plain", "I have never heard Ebb, tell me its genre"),
        ("besides Orla, who works at Nimbus", "negation", "who works at Nimbus"),
        ("", "plain", ""),
    ],
)
def test_kinds_and_what_remains(text: str, kind: str, rest: str) -> None:
    found = read_question(text)
    assert (found.kind, found.rest) == (kind, rest)


def test_operators_are_read_with_their_numbers() -> None:
    found = read_question("what are the three longest rivers in Africa").ranked
    assert found is not None and (found.k, found.skip, found.largest, found.words[0]) == (3, 0, True, "length")
    found = read_question("the third smallest state").ranked
    assert found is not None and (found.k, found.skip, found.largest) == (1, 2, False)
    found = read_question("who is the youngest player").ranked
    assert found is not None and not found.largest and found.words[0] == "age"
    found = read_question("what is his most recent film").ranked
    assert found is not None and found.date and found.largest
    (one,) = read_question("towns with at least 3,500 inhabitants").filters
    assert (one.op, one.value) == (">=", p.Number(3500.0))
    (one,) = read_question("rivers longer than 400 miles").filters
    assert (one.op, one.value, one.words[0]) == (">", p.Number(400.0, "mi"), "length")
    (one,) = read_question("songs of the band since 5 May 1999").filters
    assert (one.op, one.value) == (">=", p.Date("1999-05-05"))
    (one,) = read_question("albums of the 2000s in the 1990s").filters
    assert (one.op, one.value, one.upper) == ("between", p.Date("1990"), p.Date("1999"))
    assert read_question("Which is younger, Ann or Bo?").sides == ("Ann", "Bo")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("what is the population of the largest state", ("what is the population of", "the largest state")),
        ("what states border the state with the smallest area",
         ("what states border", "the state with the smallest area")),
        ("what is the largest city in the smallest state", ("what is the largest city in", "the smallest state")),
        ("what is the largest city in Texas", None),
        ("which country is the largest in Europe", None),
        ("what is the capital of France", None),
    ],
)  # fmt: skip
def test_a_superlative_inside_a_question(text: str, parts: tuple[str, str] | None) -> None:
    assert nested(text) == parts


@pytest.mark.parametrize(
    ("text", "unsaid"),
    [
        ("What is the average salary per department?", "a figure for each department by itself"),
        ("What is the average age of the players of each club?", "a figure for each club by itself"),
        ("How many players does each club have?", "a figure for each club by itself"),
        ("Who is the oldest player of every club?", "a figure for each club by itself"),
        ("How many players do the clubs have each?", "a figure for each one by itself"),
        ("Which department has the highest average salary?", "a comparison of averages"),
        ("What is the capital of every country?", ""),  # a list is what is asked for
        ("Who plays for each of the two clubs?", ""),
        ("How much does Ann earn per year?", ""),  # a unit is no group
        ("What is the population per square km of Ohio?", ""),
    ],
)
def test_a_figure_for_each_of_several_is_said_to_be_none(text: str, unsaid: str) -> None:
    assert read_question(text).unsaid == unsaid


def test_the_longest_time_is_the_earliest_start() -> None:
    ranked = read_question("Who has been a member for the longest time?").ranked
    assert ranked is not None and (ranked.base, ranked.largest, ranked.words[:2]) == (
        "tenured",
        True,
        ("member", "since"),
    )
    length = read_question("Which rivers are the longest?").ranked
    assert length is not None and not length.date


@pytest.mark.parametrize(
    ("text", "sides", "largest"),
    [
        ("was simvastatin or atorvastatin approved first?", ("simvastatin", "atorvastatin"), False),
        ("did Nathaniel Penrose or Everard Castle die later", ("Nathaniel Penrose", "Everard Castle"), True),
        ("Is Kite or Ember bigger?", ("Kite", "Ember"), True),
        ("Did we buy more litres at Maxol or at Circle K?", ("Maxol", "Circle K"), True),
        ("are there fewer calls about the Hub 2 or about the Hub 3?", ("Hub 2", "Hub 3"), False),
    ],
)
def test_a_choice_of_two_put_as_yes_or_no(text: str, sides: tuple[str, str], largest: bool) -> None:
    read = read_question(text)
    assert read.kind == "comparison" and read.sides == sides and read.ranked is not None
    assert read.ranked.largest is largest


@pytest.mark.parametrize(
    ("text", "op"), [("Which stations have 10 or more platforms?", ">="), ("tunnels of 3 km or less", "<=")]
)
def test_a_number_or_more(text: str, op: str) -> None:
    (stated,) = read_question(text).filters
    assert stated.op == op


def test_whether_one_or_another_is_something_is_no_comparison() -> None:
    assert read_question("Was Tom or Ann a manager").sides is None


def test_first_before_a_dated_verb_is_no_superlative() -> None:
    read = read_question("which routes were first climbed before 1960")
    assert read.kind != "superlative" and read.ranked is None and read.filters[0].words[0] == "climbed"
    assert read_question("the first routes climbed before 1960").ranked is not None


def test_last_is_a_verb_behind_did() -> None:
    assert read_question("How many minutes did the call last in which he shouted?").ranked is None
    assert read_question("Which call came last in May?").ranked is not None


@pytest.mark.parametrize("date", ["10 March 2025", "2025-03-10"])
def test_from_a_day_onwards(date: str) -> None:
    (stated,) = read_question(f"Which cities had calls from {date} onwards?").filters
    assert (stated.op, str(getattr(stated.value, "text", ""))) == (">=", "2025-03-10")


@pytest.mark.parametrize(
    ("when", "op"),
    [("before 1970", "<"), ("between 1960 and 1970", "between"), ("in 1960 or 1961", "between")],
)
def test_a_date_of_what_something_has_names_it(when: str, op: str) -> None:
    found = read_question(f"which plays had their premiere {when}")
    (one,) = found.filters
    assert (one.words[0], one.op, one.of) == ("premiere", op, "")
    assert found.rest == "which plays had their premiere" and "premiere" not in found.stated


@pytest.mark.parametrize(
    ("text", "words", "largest"),
    [
        ("what production has the shortest running time?", "running", False),
        ("the shortest production, running time wise", "running", False),
        ("which theatre holds the most people", "people", True),
    ],
)
def test_what_a_superlative_goes_by(text: str, words: str, largest: bool) -> None:
    ranked = read_question(text).ranked
    assert ranked is not None and ranked.largest == largest and not ranked.date
    assert words in ranked.words[0] and ranked.base != "tenured"


def test_two_and_a_half_hours() -> None:
    for text in ("films that last over two and a half hours", "films that lasted more than 2 and a half hours"):
        (one,) = read_question(text).filters
        assert (one.op, one.value) == (">", p.Number(2.5, "hours"))
    (one,) = read_question("films longer than an hour and a half").filters
    assert one.value == p.Number(1.5, "hours")
    assert read_question("the last film").ranked is not None


def test_lasting_and_being_ordered_by_somebody_are_no_orders() -> None:
    assert read_question("how long does paper two last?").ranked is None
    assert read_question("who leads the projects ordered by Fresh & Co?").rest.endswith("Fresh & Co")
    assert read_question("list the projects ordered by size").removed
