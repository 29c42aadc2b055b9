"""What is so now and what was so before, of links and events that say until when."""

from pathlib import Path

import pytest

from clew.api import open_method
from clew.graph import Graph, build
from clew.query import execute, parse
from clew.retrieval.tenses import in_tense, tense_of
from clew.types import Question

LINKS = """\
_id,_labels,name,dob,_start,_end,_type,since,till
1,:Person,Ada Moor,1960-01-01,,,,,
2,:Person,Ben Lund,1970-01-01,,,,,
3,:Person,Cleo Ray,1980-01-01,,,,,
4,:Shop,Corner Books,,,,,,
5,:Shop,Mill Bakery,,,,,,
,,,,1,4,MANAGES,2001-01-01,2010-12-31
,,,,2,4,MANAGES,2011-01-01,
,,,,2,5,MANAGES,2003-01-01,2010-06-30
,,,,3,5,MANAGES,2010-07-01,
"""
EVENTS = [
    *((f"job{i}", "type", "Job") for i in range(4)),
    *((who, "type", "Person") for who in ("Ada", "Ben", "Cleo")),
    ("Corner", "type", "Shop"), ("Mill", "type", "Shop"),
    ("job0", "person", "Ada"), ("job0", "shop", "Corner"), ("job0", "start year", "2001"), ("job0", "end year", "2010"),
    ("job1", "person", "Ben"), ("job1", "shop", "Corner"), ("job1", "start year", "2011"),
    ("job2", "person", "Cleo"), ("job2", "shop", "Mill"), ("job2", "start year", "2010"),
    ("job3", "person", "Ben"), ("job3", "shop", "Mill"), ("job3", "start year", "2003"), ("job3", "end year", "2010"),
]  # fmt: skip


@pytest.fixture(scope="module")
def links(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """Links with properties, as a property graph exports them."""
    folder: Path = tmp_path_factory.mktemp("links")
    (folder / "shops.csv").write_text(LINKS)
    build([folder / "shops.csv"], folder / "shops.kg")
    return Graph.open(folder / "shops.kg")


@pytest.fixture(scope="module")
def events() -> Graph:
    return Graph.from_triples(EVENTS, name="jobs")


def names(graph: Graph, plan: str, when: str) -> list[str]:
    made = in_tense(parse(plan), when, graph)  # type: ignore[arg-type]
    return sorted(graph.labels_at(execute(made, graph).members))


def test_links_that_hold_and_links_that_are_over(links: Graph) -> None:
    of_mill = 'and(class(Person), follow(entity("5"), ^MANAGES))'
    assert names(links, of_mill, "") == ["Ben Lund", "Cleo Ray"]
    assert names(links, of_mill, "now") == ["Cleo Ray"]
    assert names(links, of_mill, "past") == ["Ben Lund"]


def test_who_lacks_something_now_may_have_had_it(links: Graph) -> None:
    without = "wherecount(class(Person), MANAGES, =, 0)"
    assert names(links, without, "") == []
    assert names(links, without, "now") == ["Ada Moor"]


def test_events_with_an_end(events: Graph) -> None:
    at_corner = "follow(follow(entity(Corner), ^shop), person)"
    assert names(events, at_corner, "") == ["Ada", "Ben"]
    assert names(events, at_corner, "now") == ["Ben"]
    assert names(events, at_corner, "past") == ["Ada"]


def test_a_plan_without_an_end_stays(links: Graph) -> None:
    plan = parse("class(Shop)")
    assert in_tense(plan, "now", links) is plan


@pytest.mark.parametrize(
    ("asked", "left", "when"),
    [
        ("Who currently manages the Mill Bakery?", "Who manages the Mill Bakery?", "now"),
        ("who manages the Mill Bakery at the moment?", "who manages the Mill Bakery?", "now"),
        ("former managers of the Mill Bakery", "managers of the Mill Bakery", "past"),
        ("Who manages the Mill Bakery?", "Who manages the Mill Bakery?", ""),
    ],
)
def test_words_for_now_and_before(links: Graph, asked: str, left: str, when: str) -> None:
    question, said = tense_of(Question("q", asked), links)
    assert (question.text, said) == (left, when)


def test_nothing_ends_in_this_graph() -> None:
    graph = Graph.from_triples([("Ada", "manages", "Mill"), ("Mill", "type", "Shop")])
    asked = Question("q", "Who currently manages Mill?")
    assert tense_of(asked, graph) == (asked, "")


def test_where_all_is_over_nothing_is_now() -> None:
    """An end of every link tells nothing: the graph was made when they were over, or states only past ones."""
    rows = [each for each in EVENTS if each[0] not in ("job1", "job2")]
    asked = Question("q", "Who currently works at Mill?")
    assert tense_of(asked, Graph.from_triples(rows)) == (asked, "")


def test_a_question_is_answered_in_its_tense(links: Graph) -> None:
    method = open_method(links, "auto")
    asked = ["Who manages the Mill Bakery at the moment?", "Which shop does Ben Lund currently manage?"]
    found = method.predict([Question(str(i), text) for i, text in enumerate(asked)], links)
    assert [answer.texts for answer in found] == [("Cleo Ray",), ("Corner Books",)]
    assert [answer.question.text for answer in found] == asked
