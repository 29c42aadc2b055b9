"""What a question says of a link: how somebody voted, over what a service is reached, in which part somebody joined."""

from pathlib import Path

import pytest

from clew.api import open_method
from clew.graph import Graph, build
from clew.query import execute, parse, show
from clew.retrieval.link_values import of_said_links
from clew.types import Question

COUNCIL = """\
_id,_labels,name,_start,_end,_type,how,part
1,:Councillor,Ada Moor,,,,,
2,:Councillor,Ben Lund,,,,,
3,:Councillor,Cleo Ray,,,,,
4,:Motion,Night Bus,,,,,
5,:Motion,Tram Line,,,,,
6,:Party,Harbour Party,,,,,
7,:Committee,Roads Board,,,,,
,,,1,4,VOTED,for,
,,,2,4,VOTED,against,
,,,3,4,VOTED,abstain,
,,,1,5,VOTED,against,
,,,2,5,VOTED,for,
,,,3,5,VOTED,against,
,,,1,6,IN_PARTY,,
,,,2,6,IN_PARTY,,
,,,1,7,SITS_ON,,chair
,,,3,7,SITS_ON,,clerk
"""
FACTS = [  # n-ary facts of two relations
    *((who, "type", "Singer") for who in ("Ada", "Ben", "Cleo")),
    ("North Choir", "type", "Choir"),
    *((f"_:m{i}", "choir", "North Choir") for i in range(3)),
    ("Ada", "membership", "_:m0"), ("Ben", "membership", "_:m1"), ("Cleo", "membership", "_:m2"),
    ("_:m0", "voice", "alto"), ("_:m1", "voice", "tenor"), ("_:m2", "voice", "alto"),
]  # fmt: skip


@pytest.fixture(scope="module")
def council(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder: Path = tmp_path_factory.mktemp("council")
    (folder / "council.csv").write_text(COUNCIL)
    build([folder / "council.csv"], folder / "council.kg")
    return Graph.open(folder / "council.kg")


def members(graph: Graph, plan: str, question: str) -> list[str]:
    made = of_said_links(parse(plan), Question("q", question), graph)
    return sorted(graph.labels_at(execute(made, graph).members))


VOTERS = 'and(class(Councillor), follow(entity("4"), ^VOTED))'


def test_a_value_behind_the_word_of_the_link(council: Graph) -> None:
    assert members(council, VOTERS, "who voted on the Night Bus?") == ["Ada Moor", "Ben Lund", "Cleo Ray"]
    assert members(council, VOTERS, "who voted for the Night Bus?") == ["Ada Moor"]
    assert members(council, VOTERS, "Which councillors voted against the Night Bus?") == ["Ben Lund"]


def test_a_value_in_another_form(council: Graph) -> None:
    assert members(council, VOTERS, "who abstained on the Night Bus?") == ["Cleo Ray"]


def test_function_words_elsewhere_are_no_values(council: Graph) -> None:
    assert len(members(council, VOTERS, "for the record: who had a vote on the Night Bus?")) == 3


def test_two_values_are_none(council: Graph) -> None:
    """Which of the two is meant cannot be known."""
    assert len(members(council, VOTERS, "who voted for, and who abstained on, the Night Bus?")) == 3


def test_the_links_of_a_nested_plan(council: Graph) -> None:
    both = 'follow(follow(entity("1"), VOTED), VOTED)'
    assert members(council, both, "which motions did Ada vote against?") == ["Tram Line"]


def test_a_value_that_nothing_has_changes_nothing(council: Graph) -> None:
    plan = parse('follow(entity("6"), ^IN_PARTY)')
    assert of_said_links(plan, Question("q", "who voted against the Harbour Party?"), council) == plan


def test_two_conditions_on_one_link(council: Graph) -> None:
    """Who voted on a motion and who voted against something is who voted against that motion."""
    plan = 'and(class(Councillor), follow(entity("4"), ^VOTED), follow(follow(entity("\\"against\\""), ^how), ^VOTED))'
    made = of_said_links(parse(plan), Question("q", "opposed it"), council)
    assert show(made).count("follow(") == 1
    assert sorted(graph_labels(council, show(made))) == ["Ben Lund"]


def graph_labels(graph: Graph, plan: str) -> list[str]:
    return list(graph.labels_at(execute(parse(plan), graph).members))


def test_facts_of_several_ends() -> None:
    graph = Graph.from_triples(FACTS, name="choir")
    plan = 'follow(entity("North Choir"), ^choir/^membership)'
    assert members(graph, plan, "who are the altos of the North Choir?") == ["Ada", "Cleo"]
    assert members(graph, plan, "who sings in the North Choir?") == ["Ada", "Ben", "Cleo"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who voted against the Night Bus?", {"Ben Lund"}),
        ("Which motions did Cleo Ray vote against?", {"Tram Line"}),
        ("How many councillors voted against the Tram Line?", {"2"}),
        ("Did Ben Lund vote for the Tram Line?", {"yes"}),
        ("Did Ada Moor vote for the Tram Line?", {"no"}),
    ],
)
def test_asked(council: Graph, question: str, expected: set[str]) -> None:
    answer = open_method(council, "auto").answer(Question("q", question), council)
    assert {c.text for c in answer.candidates} == expected
    assert answer.plan is not None  # shown and proven with the value of the link
