"""A graph as text, and answers bound to a graph."""

from __future__ import annotations

import csv

import numpy as np

from clew.graph import Graph
from clew.graph.verify import verify
from clew.llm import estimate_tokens
from clew.methods.decompose.answers import of_names, of_threads
from clew.methods.decompose.evidence_paths import EvidencePath, anchors, evidence_paths
from clew.methods.decompose.plan import RelationVocabulary
from clew.methods.decompose.textual import EDGES, listed, read_thread, tables
from clew.retrieval.answering import AnswerPaths
from clew.types import Answer, Evidence, Question


def words(text: str) -> int:
    return len(text.replace(",", " ").split())


def test_tables_are_cut_by_score_and_never_inside_a_row(toy: Graph) -> None:
    graph = toy.whole
    scores = np.arange(graph.num_triples, dtype=np.float32)
    whole = tables(graph, scores, max_tokens=10_000, count=words)
    assert (whole.left_out, whole.note) == (0, "")
    for limit in range(10, words(whole.text), 7):
        cut = tables(graph, scores, max_tokens=limit, count=words)
        assert words(cut.text) <= limit
        nodes, _, edges = cut.text.partition(EDGES)
        shown = {row[0] for row in csv.reader(nodes.splitlines()[1:])}
        rows = list(csv.reader(edges.splitlines()))
        assert all(len(row) == 3 and {row[0], row[2]} <= shown for row in rows)
        assert set(edges.splitlines()) <= set(whole.text.splitlines())
        assert cut.left_out == graph.num_triples - len(rows)
        assert f"{cut.left_out} of {graph.num_triples} triples" in cut.note
        kept = {(row[0], row[2]) for row in rows}
        if rows:  # the best triple is in
            assert (str(graph.heads[-1]), str(graph.tails[-1])) in kept


def test_a_label_cannot_open_a_row() -> None:
    graph = Graph.from_triples([("a\nb,c", 'r"1', "d")]).whole
    text = tables(graph, np.ones(1), max_tokens=100, count=estimate_tokens).text
    assert list(csv.reader(text.splitlines()))[1] == ["0", "a b,c"]
    assert len(text.splitlines()) == 5


def test_an_entity_without_a_triple_is_shown(toy: Graph) -> None:
    from clew.graph.kernels import select

    graph = select(toy.whole, [0], keep=[5])
    text = tables(graph, np.ones(1), max_tokens=100, count=words).text
    assert graph.entity(2).label in text


def test_a_small_reader_reads_and_writes_threads(toy: Graph) -> None:
    language = RelationVocabulary(toy.whole)
    start = anchors(toy.whole, [toy.entity("France")])
    found = evidence_paths(toy.whole, start, 1)[0]
    prompt = listed("where is [T1]?", found, language)
    assert listed("where is [T1]?", found[::-1], language) == prompt  # the order given says nothing
    first, *lines = prompt.split("\n")
    assert first == "where is [T1]?" and len(lines) == len(found)
    read = [read_thread(line, found, language) for line in lines]
    assert {evidence_path.steps for evidence_path in read if evidence_path} == {
        evidence_path.steps for evidence_path in found
    }
    for reply in ("", "flies_to", lines[0] + lines[0], "continent continent"):
        assert read_thread(reply, found, language) is None
    assert listed("where is [T1]?", (), language) == "where is [T1]?"


def test_a_mediator_is_no_hop_and_no_answer(toy: Graph) -> None:
    start = anchors(toy.whole, [toy.entity("France")])
    found = evidence_paths(toy.whole, start, 1)[0]
    ends = {toy.whole.entity(int(e)).label for evidence_path in found for e in evidence_path.ends}
    assert {"Ada Example", "2010", "Europe"} <= ends
    assert "m.0abc12" not in ends
    assert "Berlin" not in ends


def test_answers_are_bound_to_paths_or_unsupported(toy: Graph) -> None:
    graph, found = toy.whole, AnswerPaths()
    start = anchors(graph, [toy.entity("Paris")])
    candidates, entities = of_names(graph, start, ["euro", "Atlantis"], 2, found)
    assert [c.text for c in candidates] == ["Euro", "Atlantis"]
    assert [c.supported for c in candidates] == [True, False]
    assert [e.id for e in entities] == ["Euro"]
    answer = Answer(Question("q", "?"), "m", tuple(candidates), Evidence(tuple(found.paths)))
    assert verify(answer, toy) == []
    path = found.paths[candidates[0].paths[0]]
    assert path.start.label == "Paris" and path.end.label == "Euro"
    assert [c.score for c in candidates] == [1.0, 0.5]


def test_a_name_that_no_path_from_the_topics_leads_to_is_not_supported(toy: Graph) -> None:
    """A triple that holds what a model said, or the topic itself, is no evidence that it answers the question."""
    graph, found = toy.whole, AnswerPaths()
    nowhere = np.empty(0, np.int32)
    alone, entities = of_names(graph, nowhere, ["Euro"], 2, found)
    topic, _ = of_names(graph, anchors(graph, [toy.entity("Paris")]), ["Paris"], 2, found)
    assert [c.supported for c in [*alone, *topic]] == [False, False] and not found.paths
    assert [e.id for e in entities] == ["Euro"] and topic[0].entity == toy.entity("Paris")


def test_of_namesakes_the_one_that_a_path_leads_to_is_the_answer() -> None:
    rows = [("p2", "child", "p1"), ("p3", "child", "p4")]
    graph = Graph.from_triples(rows, labels={"p1": "Ada", "p3": "Ada", "p4": "Ben", "p2": "Cleo"})
    found = AnswerPaths()
    start = anchors(graph.whole, [graph.entity("p4")])
    (candidate,), entities = of_names(graph.whole, start, ["Ada"], 2, found)
    assert candidate.entity == graph.entity("p3") and {e.id for e in entities} == {"p1", "p3"}
    answer = Answer(Question("q", "?"), "m", (candidate,), Evidence(tuple(found.paths)))
    assert candidate.supported and verify(answer, graph) == []


def test_all_ends_of_a_thread_answer_and_the_start_does_not(toy: Graph) -> None:
    graph, found = toy.whole, AnswerPaths()
    start = anchors(graph, [toy.entity("France")])
    names = {graph.relation(r).label: r for r in range(graph.num_relations)}
    back = EvidencePath(((names["located in"], False),), np.empty(0, np.int32), 0.5)
    candidates, _ = of_threads(graph, start, [back], found)
    assert {c.text for c in candidates} == {"Lyon", "Paris"}
    there_and_back = EvidencePath(((names["currency"], True), (names["currency"], False)), np.empty(0, np.int32))
    candidates, _ = of_threads(graph, start, [there_and_back], found)
    assert [c.text for c in candidates] == ["Germany"]
    assert all(found.paths[i].end.label == "Germany" for i in candidates[0].paths)
