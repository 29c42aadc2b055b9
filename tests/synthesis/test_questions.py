"""Synthetic questions: answers complete by an oracle, deterministic, nothing leaks, the report adds up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import InputError
from clew.graph import Graph
from clew.synthesis import SamplingConfig, Structure, StructureSampler, SynthesisReport, Writer, synthesize
from effort import examples

NAMES = st.integers(0, 7).map(lambda i: f"e{i}")
TRIPLES = st.lists(
    st.tuples(NAMES | st.just("m.0x1"), st.sampled_from(["directed_by", "borders", "capital of"]), NAMES),
    min_size=4,
    max_size=24,
)


def reached(triples: set[tuple[str, str, str]], starts: set[str], relation: str, forward: bool) -> set[str]:
    """The obvious way to follow one step."""
    return {(t if forward else h) for h, r, t in triples if r == relation and (h if forward else t) in starts}


def answers_by_hand(graph: Graph, structure: Structure) -> set[str]:
    """Every entity the structure describes, with sets of strings."""
    whole = graph.whole
    triples = {(t.head.id, t.relation.id, t.tail.id) for t in graph.triples()}
    topic = whole.entity(structure.topic).id
    stations, here = 0, {topic}
    for i, (relation, forward) in enumerate(structure.steps):
        here = reached(triples, here, whole.relation(relation).id, forward)
        if whole.entity(structure.thread[i + 1]).kind != "mediator":
            stations += 1
            if structure.branch and structure.branch.station == stations:
                (back_relation, back_forward) = structure.branch.steps[0]
                second = {whole.entity(structure.branch.topic).id}
                here &= reached(triples, second, whole.relation(back_relation).id, back_forward)
    topics = {topic} | ({whole.entity(structure.branch.topic).id} if structure.branch else set())
    return {e for e in here - topics if not e.startswith("m.")}


@examples(60)
@given(TRIPLES, st.integers(0, 1000))
def test_answers_are_all_that_the_structure_describes(rows: list[tuple[str, str, str]], seed: int) -> None:
    graph = Graph.from_triples(rows)
    sampler = StructureSampler(graph.whole, SamplingConfig(fork=0.5), seed)
    try:
        structures = [sampler.one() for _ in range(5)]
    except InputError:
        return  # a graph of loops and mediators alone yields nothing, and says so
    for structure in structures:
        assert {graph.whole.entity(a).id for a in structure.answers} == answers_by_hand(graph, structure)
        assert structure.thread[0] == structure.topic
        assert len(set(structure.thread)) == len(structure.thread)


def test_the_same_seed_gives_the_same_questions(toy: Graph) -> None:
    first = [s.to_row() for s in synthesize(toy.whole, 30, seed=3)]
    assert first == [s.to_row() for s in synthesize(toy.whole, 30, seed=3)]
    assert first != [s.to_row() for s in synthesize(toy.whole, 30, seed=4)]


def test_rows_hold_what_training_needs(toy: Graph) -> None:
    report = SynthesisReport()
    rows = [s.to_row() for s in synthesize(toy.whole, 40, seed=1, report=report)]
    triples = {(t.head.id, t.relation.id, t.tail.id) for t in toy.triples()}
    for row in rows:
        assert row["answer"] and row["q_entity"]
        assert not set(row["q_entity"]) & set(row["a_entity"])
        assert len(row["assertions"]) == len(row["masked"])
        for path in row["paths"]:
            assert {tuple(triple) for triple in path} <= triples
        if row["type"] == "chain":
            assert all(answer not in assertion for answer in row["answer"] for assertion in row["assertions"])
        assert row["strategy"] == ("Precision" if len(row["a_entity"]) == 1 else "Breadth")
    assert report.questions == sum(report.hops.values()) == sum(report.strategies.values()) == 40
    assert len({row["question"].lower().rstrip("?") for row in rows}) == 40
    assert report.relations_covered <= report.relations == toy.num_relations


def test_a_step_through_a_mediator_is_one_hop(toy: Graph) -> None:
    sampler = StructureSampler(toy.whole, SamplingConfig(hops=(1.0,), balance=1.0, fork=0.0), 0)
    through = [s for s in (sampler.one() for _ in range(300)) if len(s.steps) == 2]
    assert through
    assert all(toy.whole.mediators[s.thread[1]] and s.hops == 1 for s in through)


def test_balance_lifts_rare_relations() -> None:
    rows = [(f"a{i}", "common", f"b{i}") for i in range(500)] + [("x", "rare", "y")]
    graph = Graph.from_triples(rows)

    def share(balance: float) -> float:
        sampler = StructureSampler(graph.whole, SamplingConfig(hops=(1.0,), balance=balance, fork=0.0), 0)
        drawn = [graph.whole.relation(sampler.one().steps[0][0]).id for _ in range(200)]
        return drawn.count("rare") / len(drawn)

    assert share(0.0) < 0.05
    assert 0.35 < share(1.0) < 0.65


def test_labels_with_slots_are_not_filled_twice() -> None:
    graph = Graph.from_triples([("the {x} and {t}", "directed_by", "a {h} b")])
    structure = StructureSampler(graph.whole, SamplingConfig(hops=(1.0,)), 0).one()
    written = Writer(graph.whole, 0).write(structure)
    assert ("the {x} and {t}" in written.text) or ("a {h} b" in written.text)


@pytest.mark.parametrize("config", [SamplingConfig(exclude=("r",)), SamplingConfig(max_answers=0)])
def test_a_graph_that_yields_nothing_says_why(config: SamplingConfig) -> None:
    graph = Graph.from_triples([("a", "r", "b")])
    with pytest.raises(InputError, match=r"exclude|max_answers"):
        StructureSampler(graph.whole, config, 0).one()


def test_asking_for_more_than_the_graph_holds_is_said() -> None:
    graph = Graph.from_triples([("a", "borders", "b")])
    with pytest.raises(InputError, match="different questions"):
        list(synthesize(graph.whole, 5000, seed=0, sampling=SamplingConfig(hops=(1.0,), fork=0.0)))


def test_strategies_are_as_asked_for() -> None:
    rows = [(f"p{i}", "born in", f"c{i % 5}") for i in range(60)] + [(f"p{i}", "spouse", f"q{i}") for i in range(60)]
    graph = Graph.from_triples(rows).whole
    for share in (0.0, 0.8, 1.0):
        report = SynthesisReport()
        sampling = SamplingConfig(hops=(1.0,), fork=0.0, precision=share)
        list(synthesize(graph, 60 if share else 20, seed=2, sampling=sampling, report=report))
        assert abs(report.strategies["Precision"] / report.questions - share) < 0.15
        assert report.dropped.get("not of the strategy that was drawn", 0) > 0


def test_relations_without_words_are_counted_and_named() -> None:
    graph = Graph.from_triples([(f"a{i}", "P31", f"b{i}") for i in range(5)] + [("a1", "capital_of", "b2")]).whole
    report = SynthesisReport()
    assert len(list(synthesize(graph, 5, report=report))) == 5
    assert report.to_json()["relations_without_words"] == 1
    assert "1 of 2 relations" in report.warning() and "(P31)" in report.warning()
