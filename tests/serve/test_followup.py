"""What "it", "he" and "and Italy?" are taken for, without a server around it."""

from __future__ import annotations

import pytest

from clew.encoding import HashEncoder
from clew.graph import Graph
from clew.retrieval.linking import link
from clew.serve.followup import RECENT, Said, known, refers_back, resolve, turn_of
from clew.serve.whynot import why_not
from clew.types import Answer, Candidate, Evidence, Hop, Path, Question, Topic, Triple

TRIPLES = [
    ("brazil", "directed by", "gilliam"),
    ("bandits", "directed by", "gilliam"),
    ("gilliam", "born in", "minneapolis"),
    ("gilliam", "spouse", "weston"),
    ("france", "capital", "paris"),
    ("france", "currency", "euro"),
    ("italy", "capital", "rome"),
    ("rome", "mayor", "gualtieri"),
]
LABELS = {"brazil": "Brazil", "bandits": "Time Bandits", "gilliam": "Terry Gilliam", "minneapolis": "Minneapolis",
          "weston": "Maggie Weston", "france": "France", "paris": "Paris", "euro": "Euro", "italy": "Italy",
          "rome": "Rome", "gualtieri": "Roberto Gualtieri"}  # fmt: skip


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph.from_triples(TRIPLES, labels=LABELS, name="talk")


def said(graph: Graph, question: str, topics: list[str], answers: list[str]) -> Said:
    return Said(question, known(graph, topics), known(graph, answers))


def read(graph: Graph, text: str, *turns: Said) -> tuple[str, tuple[str, ...], str]:
    found = resolve(text, turns, graph, lambda q: link(q, graph), encoder=HashEncoder(256))
    return found.text, found.topics, found.note


def test_a_question_that_stands_alone_is_left_as_it_is(graph: Graph) -> None:
    before = said(graph, "What is the capital of France?", ["france"], ["paris"])
    assert read(graph, "Who directed Brazil?", before) == ("Who directed Brazil?", (), "")
    assert read(graph, "Who directed it?") == ("Who directed it?", (), "")  # nothing was said before


def test_a_pronoun_stands_for_a_topic_or_an_answer(graph: Graph) -> None:
    film = said(graph, "Who directed Brazil?", ["brazil"], ["gilliam"])
    text, topics, note = read(graph, "Where was he born in?", film)
    assert text == "Where was Terry Gilliam born in?" and topics == ("gilliam",)
    assert "“he” was read as Terry Gilliam" in note
    text, topics, _ = read(graph, "Who was it directed by?", film)
    assert topics == ("brazil",) and text == "Who was Brazil directed by?"
    text, _, _ = read(graph, "Who is his spouse?", film)
    assert text == "Who is Terry Gilliam's spouse?"


def test_that_film_is_read_as_a_whole(graph: Graph) -> None:
    film = said(graph, "What is by Terry Gilliam?", ["brazil"], [])
    assert read(graph, "who was that film directed by?", film)[0] == "who was Brazil directed by?"


def test_and_italy_asks_the_same_of_another(graph: Graph) -> None:
    before = said(graph, "What is the capital of France?", ["france"], ["paris"])
    for text in ("And Italy?", "what about Italy?", "and Italy"):
        asked, _, note = read(graph, text, before)
        assert asked == "What is the capital of Italy?", text
        assert "read as" in note
    whole = "And who directed Brazil?"
    assert read(graph, whole, before)[0] == whole  # it asks for something of its own


def test_without_a_name_the_earlier_topics_stay(graph: Graph) -> None:
    before = said(graph, "What is the capital of France?", ["france"], ["paris"])
    text, topics, note = read(graph, "and the currency?", before)
    assert topics == ("france",) and text == "and the currency?" and "France" in note


def test_only_recent_turns_are_looked_at(graph: Graph) -> None:
    old = said(graph, "Who directed Brazil?", ["brazil"], ["gilliam"])
    empty = [Said("what?") for _ in range(RECENT)]
    assert read(graph, "Where was he born?", old, *empty)[0] == "Where was he born?"


@pytest.mark.parametrize(
    ("text", "back"),
    [("who directed it?", True), ("And Italy?", True), ("her spouse?", True), ("Rome?", True),
     ("Which city is the capital of France?", False), ("what is there to see in all of France now", True)],
)  # fmt: skip
def test_whether_a_turn_refers_back(text: str, back: bool) -> None:
    assert refers_back(text) is back


def test_entities_that_are_gone_are_left_out(graph: Graph) -> None:
    assert [entity.id for entity in known(graph, ["france", "atlantis"])] == ["france"]


def answer(graph: Graph) -> Answer:
    france, paris = graph.entity("france"), graph.entity("paris")
    triple = Triple(france, next(r for r in graph.relations() if r.id == "capital"), paris)
    path = Path(france, (Hop(triple, True),), 0.9)
    topics = (Topic(france, 1.0, "France", "exact name"),)
    question = Question("q", "What is the capital of France?")
    return Answer(question, "walk", (Candidate("Paris", 0.9, paris, (0,)),), Evidence((path,)), topics)


def test_a_turn_remembers_topics_and_answers(graph: Graph) -> None:
    turn = turn_of(answer(graph))
    assert [e.id for e in turn.topics] == ["france"] and [e.id for e in turn.answers] == ["paris"]


def test_why_not_names_rank_path_or_absence(graph: Graph) -> None:
    given, encoder = answer(graph), HashEncoder(256)
    right = why_not(given, graph.entity("paris"), graph, encoder)
    assert right.rank == 1 and "best answer" in right.reason
    near = why_not(given, graph.entity("euro"), graph, encoder)
    assert near.rank is None and [str(hop.triple.relation.label) for hop in near.near[0].path.hops] == ["currency"]
    assert near.near[0].differs
    far = why_not(given, graph.entity("rome"), graph, encoder)
    assert far.near == () and "no path" in far.reason
    unlinked = why_not(Answer(given.question, "walk"), graph.entity("rome"), graph, None)
    assert "linked to no entity" in unlinked.reason
