"""Questions in the words of a graph: slips in the names of kinds, and kinds used as titles."""

import pytest

from clew.graph import Graph
from clew.retrieval.composing import compose
from clew.retrieval.spoken import as_said, in_graph_words
from clew.types import Question

ROWS = [
    *((name, "type", "Warden") for name in ("Olga Prisk", "Tam Roe", "Una Roe")), ("Ivo Dale", "type", "Hermit"),
    *((name, "type", "Shelter") for name in ("Grey Hut", "Low Hut")),
    ("Olga Prisk", "keeps", "Grey Hut"), ("Tam Roe", "keeps", "Low Hut"), ("Olga Prisk", "speaks", "Cornish"),
    ("Tam Roe", "speaks", "Cornish"), ("Olga Prisk", "speaks", "Welsh"),
]  # fmt: skip


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph.from_triples(ROWS, name="huts")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("which shetlers does Tam Roe keep", "which shelters does Tam Roe keep"),
        ("number of shelers", "number of shelters"),
        ("what does Warden Prisk keep", "what does Olga Prisk keep"),
        ("what does Warden Roe keep", "what does Warden Roe keep"),  # two are called so
        ("what does Warden Dale keep", "what does Warden Dale keep"),  # no warden
        ("which shelters does Tam Roe keep", "which shelters does Tam Roe keep"),
        ("who speaks cornish", "who speaks cornish"),
    ],
)
def test_what_has_one_meaning_is_put_in_the_words_of_the_graph(text: str, meant: str, graph: Graph) -> None:
    assert in_graph_words(Question("q", text), graph).text == meant


@pytest.mark.parametrize(
    ("text", "said"),
    [("wardens > 3 huts", "wardens more than 3 huts"), ("huts <=20 beds", "huts at most 20 beds"),
     ("huts with a fee >£5", "huts with a fee more than £5"), ("keeps -> huts", "keeps -> huts")],
)  # fmt: skip
def test_signs_before_numbers_are_words(text: str, said: str, graph: Graph) -> None:
    assert as_said(Question("q", text), graph).text == said


def test_given_topics_leave_the_words_alone(graph: Graph) -> None:
    asked = Question("q", "what does Warden Prisk keep", ("Olga Prisk",))
    assert in_graph_words(asked, graph) is asked


def test_who_behind_a_kind_asks_for_nothing_itself(graph: Graph) -> None:
    from clew.query import execute

    best = compose(Question("q", "wardens who speak both Cornish and Welsh"), graph)[0]
    assert graph.labels_at(execute(best.plan, graph).members) == ["Olga Prisk"]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Is there anything that both A and B call? Which service?", "which service both A and B call?"),
        ("is anybody in both the Hill Club and the Dale Club? who?", "who is in both the Hill Club and the Dale Club?"),
        ("Is anybody in both clubs?", "Is anybody in both clubs?"),
        ("Is there a hut near the lake?", "Is there a hut near the lake?"),
    ],
)
def test_what_is_asked_after_whether_there_is_one(text: str, meant: str, graph: Graph) -> None:
    assert in_graph_words(Question("q", text), graph).text == meant
