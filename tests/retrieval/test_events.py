"""What is joined by events: both roles at one event, the third one, things several steps away, prices of a link."""

from pathlib import Path as File

import pytest

from clew.graph import Graph, build
from clew.query import execute
from clew.query import plan as p
from clew.query.decorate import decorate
from clew.query.meanings import dimension_of, stated_unit
from clew.query.question import read_question
from clew.retrieval.composing import Composed, compose
from clew.retrieval.onward import onward_to_kind
from clew.retrieval.operating import compared, either, likeness_by, operated
from clew.retrieval.operator_words import asked_of
from clew.retrieval.operators import COMPOSED, Operators
from clew.types import Question
from fake_methods import Finds, Sure

ENTRIES = [("spring fair", "rose", "gold"), ("spring fair", "tulip", "silver"), ("autumn fair", "tulip", "gold"),
           ("autumn fair", "aster", "silver")]  # fmt: skip
ROWS = [
    *((f"entry{i}", "type", "Entry") for i in range(len(ENTRIES))),
    *((f"entry{i}", role, value) for i, entry in enumerate(ENTRIES)
      for role, value in zip(("fair", "flower", "ribbon"), entry, strict=True)),
    ("spring fair", "type", "Fair"), ("autumn fair", "type", "Fair"),
    *((name, "type", "Flower") for name in ("rose", "tulip", "aster")),
    *((name, "type", "Garden") for name in ("Old Garden", "New Garden")),
    ("rose", "garden", "Old Garden"), ("tulip", "garden", "New Garden"), ("aster", "garden", "New Garden"),
    ("Old Garden", "county", "Kent"), ("New Garden", "county", "Avon"),
    ("spring fair", "town", "Dale"), ("autumn fair", "town", "Hill"),
    ("Dale", "type", "Town"), ("Hill", "type", "Town"), ("gold", "type", "Ribbon"), ("silver", "type", "Ribbon"),
]  # fmt: skip
PRICES = {
    "shops": "id,name,town\n1,Mill Books,Dale\n2,Corner Books,Hill\n",
    "novels": "id,title,pages\n1,Green Roof,200\n2,Long Night,300\n3,Last Train,250\n",
    "shop_novels": "shop_id,novel_id,price_eur\n1,1,12.50\n1,2,9.00\n2,1,7.00\n2,3,11.00\n",
}


@pytest.fixture(scope="module")
def fairs() -> Graph:
    return Graph.from_triples(ROWS, name="fairs")


@pytest.fixture(scope="module")
def prices(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder: File = tmp_path_factory.mktemp("prices")
    files = [folder / f"{name}.csv" for name in PRICES]
    for file, text in zip(files, PRICES.values(), strict=True):
        file.write_text(text)
    build(files, folder / "prices.kg")
    return Graph.open(folder / "prices.kg")


def said(graph: Graph, text: str) -> list[str]:
    found = compose(Question("q", text), graph)
    return sorted(graph.labels_at(execute(found[0].plan, graph).members)) if found else []


def test_two_conditions_are_met_by_one_event(fairs: Graph) -> None:
    assert said(fairs, "which flowers took gold at the autumn fair") == ["tulip"]  # the rose got it elsewhere


def test_what_takes_part_besides_two_that_are_named(fairs: Graph) -> None:
    assert said(fairs, "what took gold at the spring fair") == ["rose"]


def test_both_is_never_either(fairs: Graph) -> None:
    assert said(fairs, "flowers at both the spring fair and the autumn fair") == ["tulip"]


def test_a_kind_three_steps_away(fairs: Graph) -> None:
    assert said(fairs, "which gardens were at the spring fair") == ["New Garden", "Old Garden"]
    assert said(fairs, "which gardens were at the autumn fair") == ["New Garden"]


def answered(graph: Graph, text: str, of: p.SetPlan) -> list[str]:
    """What the operators of a question make of a set."""
    read = asked_of(Question("q", text), graph).read or read_question(text)
    made = operated(graph, [Composed(of, (), 1.0, ())], read, likeness_by(None))
    assert made and isinstance(made[0].plan, p.SetPlan), [each.plan for each in made]
    return sorted(graph.labels_at(execute(made[0].plan, graph).members))


def sold_at(graph: Graph, shop: str) -> p.SetPlan:
    kinds = {label: id for id, label in zip(*_kinds(graph), strict=True)}
    link = next(r.id for r in graph.relations() if r.label.startswith("novel"))
    return p.And((p.Class(kinds["novel"]), p.Follow(p.Entities((graph.resolve(shop)[0].id,)), (p.Step(link),))))


def _kinds(graph: Graph) -> tuple[list[str], list[str]]:
    from clew.retrieval.lexicon import Lexicon

    ids = list(Lexicon.of(graph).class_ids)
    return ids, [Lexicon.of(graph).class_ids[id] for id in ids]


def test_a_price_is_that_of_the_link(prices: Graph) -> None:
    """Green Roof is cheaper elsewhere: at the Mill it is the dearest."""
    at_mill = sold_at(prices, "Mill Books")
    assert answered(prices, "which is the cheapest novel at Mill Books", at_mill) == ["Long Night"]
    assert answered(prices, "which novels cost more than 10 euros at Mill Books", at_mill) == ["Green Roof"]


def test_two_held_against_each_other_by_what_each_has_with_a_third(prices: Graph) -> None:
    read = asked_of(Question("q", "Green Roof: is it cheaper at Mill Books or at Corner Books?"), prices).read
    assert read is not None and read.sides is not None
    made = compared(read, prices, None, likeness_by(None))
    assert isinstance(made[0].plan, p.SetPlan)
    assert prices.labels_at(execute(made[0].plan, prices).members) == ["Corner Books"]


def test_a_price_for_each_of_something_is_money() -> None:
    assert (stated_unit("eur_kg"), dimension_of("eur_kg")) == ("EUR", "money")
    assert dimension_of("price_usd_per_night") == "money"
    assert (stated_unit("weight_kg"), dimension_of("weight_kg")) == ("kg", "mass")
    read = read_question("which hams cost more than 40 euros a kilo in Avon")
    assert read.rest == "which hams in Avon"


def test_whether_one_or_the_other() -> None:
    graph = Graph.from_triples(
        [("d1", "type", "Delivery"), ("d2", "type", "Delivery"), ("d1", "loaded", "salt"), ("d2", "unloaded", "salt"),
         ("d1", "at", "Pier One"), ("d2", "at", "Pier Two"), ("Pier One", "type", "Pier"), ("Pier Two", "type", "Pier"),
         ("salt", "type", "Good"), ("rice", "type", "Good"), ("d3", "type", "Delivery"), ("d3", "loaded", "rice"),
         ("d3", "at", "Pier Three"), ("Pier Three", "type", "Pier")]
    )  # fmt: skip
    found = either(Question("q", "Which piers have handled salt, whether loaded or unloaded?"), graph, None)
    assert sorted(graph.labels_at(execute(found[0].plan, graph).members)) == ["Pier One", "Pier Two"]


@pytest.mark.parametrize(
    ("text", "words"),
    [("which is fattier, Oak Ham or Elm Ham", "fat"), ("what is the saltiest ham", "salt")],
)
def test_what_there_is_more_of(text: str, words: str) -> None:
    graph = Graph.from_triples(
        [(name, "type", "Ham") for name in ("Oak Ham", "Elm Ham")]
        + [
            ("Oak Ham", "fat pct", "20"),
            ("Elm Ham", "fat pct", "31"),
            ("Oak Ham", "salt", "5"),
            ("Elm Ham", "salt", "3"),
        ]
    )
    read = asked_of(Question("q", text), graph).read
    assert read is not None and read.ranked is not None and words in read.ranked.words and read.ranked.largest
    if read.sides is not None:
        plans = [each.plan for each in compared(read, graph, None, likeness_by(None))]
    else:
        plans = [each.plan for each in decorate(graph, p.Class("Ham"), read)]
    assert isinstance(plans[0], p.SetPlan)
    wanted = "Elm Ham" if words == "fat" else "Oak Ham"
    assert graph.labels_at(execute(plans[0], graph).members) == [wanted]


def test_part_of_the_name_of_a_kind_is_no_name() -> None:
    graph = Graph.from_triples(
        [("Dale Milling", "type", "Milling House"), ("Oak Milling", "type", "Milling House"),
         ("Dale Milling", "runs", "Mill"), ("Mill", "type", "Mill")]
    )  # fmt: skip
    assert said(graph, "which milling houses run a mill") == ["Dale Milling"]


def test_a_noun_is_no_flag() -> None:
    graph = Graph.from_triples(
        [("Brie", "type", "Cheese"), ("Edam", "type", "Cheese"), ("Brie", "raw milk", "true"),
         ("Edam", "raw milk", "false"), ("Brie", "cow", "Holstein"), ("Edam", "cow", "Holstein")]
    )  # fmt: skip
    assert said(graph, "cheeses made with milk from Holstein") == ["Brie", "Edam"]
    assert said(graph, "which raw milk cheeses are there") == ["Brie"]


def test_an_answer_that_stops_short_is_followed_to_what_is_asked_for(fairs: Graph) -> None:
    question = Question("q", "spring fair: which gardens took something home?")
    found = Operators(Finds("spring fair", ("fair", False))).answer(question, fairs)
    assert sorted(found.texts) == ["New Garden", "Old Garden"] and found.plan is not None
    of_values = Finds("spring fair", ("fair", False), ("ribbon", True))
    assert onward_to_kind(of_values.answer(question, fairs), question.text, fairs) is None  # ribbons lead nowhere
    asked = "which flowers took something home?"
    assert onward_to_kind(of_values.answer(question, fairs), asked, fairs) is None


def test_a_guess_that_the_parts_of_a_question_compose_is_answered(fairs: Graph) -> None:
    question = Question("q", "which gardens flourished at the spring fair")
    assert compose(question, fairs)[0].score < COMPOSED  # not sure enough by itself
    guess = ("fair", False), ("flower", True), ("garden", True)
    assert Operators(Finds("spring fair", *guess, sure=False)).answer(question, fairs).texts


CLUBS = Graph.from_triples(
    [
        ("Ada", "won by", "m.1"), ("m.1", "frames", "6"), ("Ada", "won by", "m.2"), ("m.2", "frames", "9"),
        *((name, "kind", "player") for name in ("Ada", "Ben")), ("Rink", "kind", "hall"), ("Rink", "home of", "Ada"),
        ("Rink", "home of", "Ben"),
    ],
    name="clubs",
)  # fmt: skip


def test_figures_that_a_count_names_are_told_and_not_counted() -> None:
    wins = Sure("Ada", ("won by", True), ("frames", True))
    assert Operators(wins).answer(Question("q", "with how many frames did Ada win"), CLUBS).texts == ("6", "9")
    assert not Operators(wins).answer(Question("q", "how many halls did Ada see"), CLUBS).texts


def test_what_a_sure_method_found_is_an_answer_where_nothing_can_be_compared() -> None:
    question, back = Question("q", "where did Ada breathe their last in peace"), ("home of", False)
    assert Operators(Sure("Ada", back)).answer(question, CLUBS).texts == ("Rink",)
    doubtful = Operators(Finds("Ada", back)).answer(question, CLUBS)
    several = Operators(Sure("Rink", ("home of", True))).answer(Question("q", "who at Rink is the last"), CLUBS)
    for answer in (doubtful, several):
        assert not answer.texts and answer.note.startswith("I cannot compare this")
