"""Tracing against exhaustive search, every strategy and switch on graphs small enough to see through."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from clew.encoding.hashing import HashEncoder
from clew.graph import Graph
from clew.graph.paths import PathRecords
from clew.methods.stem import trace as module
from clew.methods.stem.answers import chains, ends, path_of
from clew.methods.stem.config import Config
from clew.methods.stem.schema import SchemaGraph, SchemaTriple
from clew.methods.stem.similarity import Similarity
from clew.methods.stem.trace import Trace, trace
from effort import examples

ENCODER = HashEncoder(64)
RELATIONS = ("directed by", "directs", "born in", "spouse of")
NAMES = st.integers(0, 5).map(lambda i: f"e{i}")
TRIPLES = st.lists(st.tuples(NAMES, st.sampled_from(RELATIONS), NAMES), min_size=3, max_size=14, unique=True)
CHAIN = (("[T1]", "director", "[ENT1]"), ("[ENT1]", "birth place", "[ENT2]"))


def plan_of(triples: tuple[SchemaTriple, ...], strategy: str, topics: dict[str, int] | None = None) -> SchemaGraph:
    return SchemaGraph((), strategy, triples, topics or {"[T1]": 0})


def run(
    graph: Graph, plan: SchemaGraph, *starts: str, guided: list[str] | None = None, budget: int = 1000, **settings: Any
) -> list[Trace]:
    """A run from every topic; `starts` are their entities."""
    whole = graph.whole
    local = [whole.local(start) for start in starts]
    anchors = {node: np.array([local[topic]], np.int32) for node, topic in plan.topics.items()}
    members = None if guided is None else np.sort(np.array([whole.local(id) for id in guided], np.int32))
    similarity = Similarity(whole, ENCODER)
    return [
        trace(similarity, plan, node, int(anchors[node][0]), 1.0, anchors, members, Config(**settings), budget)
        for node in plan.topics
    ]


def texts(graph: Graph, runs: list[Trace]) -> set[str]:
    records = PathRecords(graph.whole)
    return {str(path_of(records, graph.whole, runs[number], state)) for number, state in chains(runs)}


def exhaustive(graph: Graph, plan: SchemaGraph, start: str) -> tuple[list[tuple[Any, ...]], bool]:
    """Greedy Precision by looking at every triple: the chain's triples, and whether each choice was unique."""
    similarity = Similarity(graph.whole, ENCODER)
    triples = list(enumerate((t.head.id, t.relation.id, t.tail.id) for t in graph.triples()))
    number = {r.id: i for i, r in enumerate(graph.relations())}
    here, used, unique = start, [], True
    for h, relation, _ in plan.triples:
        wanted = similarity.relations(relation)
        forward = h in ("[T1]", "[ENT1]") and h != "[ENT2]"
        scored = []
        for t, (head, r, tail) in triples:
            if t in used or here not in (head, tail):
                continue
            ways = {True, False} if head == tail else {head == here}
            score = float(wanted[number[r]])
            scored += [(score - 0.1 * (out != forward), t, tail if out else head) for out in ways]
        if not scored:
            break
        scored.sort(key=lambda each: -each[0])
        unique &= len(scored) < 2 or scored[0][0] - scored[1][0] > 1e-5
        used.append(scored[0][1])
        here = scored[0][2]
    return [triples[t][1] for t in used], unique


@examples(80)
@given(TRIPLES)
def test_precision_is_the_best_edge_of_every_step(rows: list[tuple[str, str, str]]) -> None:
    graph = Graph.from_triples(rows)
    start = rows[0][0]
    expected, unique = exhaustive(graph, plan_of(CHAIN, "Precision"), start)
    assume(unique)
    (found,) = run(graph, plan_of(CHAIN, "Precision"), start)
    records = PathRecords(graph.whole)
    paths = [path_of(records, graph.whole, found, state) for _, state in chains([found])]
    assert [[(h.triple.head.id, h.triple.relation.id, h.triple.tail.id) for h in p.hops] for p in paths] == (
        [expected] if expected else []
    )


@examples(80)
@given(TRIPLES, st.sampled_from(["Precision", "Breadth"]), st.booleans(), st.sampled_from(["composed", "text"]))
def test_whatever_is_traced_is_in_the_graph_and_hangs_together(
    rows: list[tuple[str, str, str]], strategy: str, cyclic: bool, edge_text: str
) -> None:
    graph = Graph.from_triples(rows)
    triples = (*CHAIN, ("[ENT2]", "spouse of", "[T1]")) if cyclic else CHAIN
    (found,) = run(graph, plan_of(triples, strategy), rows[0][0], theta=0.2, edge_text=edge_text)
    known = {(t.head.id, t.relation.id, t.tail.id) for t in graph.triples()}
    records = PathRecords(graph.whole)
    assert found.depth.max() <= len(triples)
    for _, state in chains([found]):
        path = path_of(records, graph.whole, found, state)
        assert {(h.triple.head.id, h.triple.relation.id, h.triple.tail.id) for h in path.hops} <= known
        assert all(a.target == b.source for a, b in zip(path.hops, path.hops[1:], strict=False))
        assert len({h.triple for h in path.hops}) == len(path.hops)


FILMS = Graph.from_triples(
    [
        ("Heat", "directed by", "Mann"),
        ("Heat", "starring", "Pacino"),
        ("Ali", "directed by", "Mann"),
        ("Ali", "starring", "Smith"),
        ("Blow", "directed by", "Demme"),
        ("Blow", "starring", "Depp"),
        ("Mann", "born in", "Chicago"),
        ("Demme", "born in", "New York"),
        ("Heat", "marriage", "m.0abc12"),
        ("m.0abc12", "of partner", "Wife"),
    ]
)
ACTORS = (("[ENT1]", "directed by", "[T1]"), ("[ENT1]", "starring", "[ENT2]"))


def test_breadth_keeps_every_good_edge_and_precision_the_best() -> None:
    for strategy in ("Breadth", "Precision"):
        assert texts(FILMS, run(FILMS, plan_of(ACTORS, strategy), "Mann")) == {
            "Mann ←directed by- Heat -starring→ Pacino",
            "Mann ←directed by- Ali -starring→ Smith",
        }
    one = texts(FILMS, run(FILMS, plan_of(ACTORS, "Precision"), "Mann", ties="first"))
    assert len(one) == 1


def test_guidance_decides_between_equals_and_lets_a_weak_edge_in() -> None:
    members = ["Mann", "Ali", "Smith"]
    for ties in ("guided", "first"):
        guided = texts(FILMS, run(FILMS, plan_of(ACTORS, "Precision"), "Mann", guided=members, ties=ties))
        assert guided == {"Mann ←directed by- Ali -starring→ Smith"}
    weak = (("[T1]", "zzz", "[ENT1]"),)
    assert texts(FILMS, run(FILMS, plan_of(weak, "Breadth"), "Demme")) == set()
    helped = texts(FILMS, run(FILMS, plan_of(weak, "Breadth"), "Demme", guided=["Demme", "Blow"], theta=0.35))
    assert helped == {"Demme ←directed by- Blow"}


def test_guidance_corrects_a_relation_and_keeps_all_edges_that_read_alike() -> None:
    wrong = (("[ENT1]", "starring", "[T1]"),)  # the plan's relation leads nowhere from Mann; the bonus names another
    without = texts(FILMS, run(FILMS, plan_of(wrong, "Precision"), "Mann"))
    films = {"Mann ←directed by- Heat", "Mann ←directed by- Ali"}
    for member, expected in (("Ali", films), ("Chicago", {"Mann -born in→ Chicago"})):
        assert texts(FILMS, run(FILMS, plan_of(wrong, "Precision"), "Mann", guided=["Mann", member])) == expected
    assert without in (films, {"Mann -born in→ Chicago"})


def test_an_edge_is_walked_again_only_where_that_is_set() -> None:
    graph = Graph.from_triples([("Julia", "child", "John"), ("John", "parent", "Julia"), ("John", "gender", "male")])
    again = (("[T1]", "child", "[ENT1]"), ("[ENT1]", "parent", "[ENT2]"), ("[ENT2]", "child", "[ENT3]"))
    way = "Julia -child→ John -parent→ Julia"
    assert texts(graph, run(graph, plan_of(again, "Precision"), "Julia")) == {way}
    plan = plan_of(again, "Precision")
    runs = run(graph, plan, "Julia", revisit=True)
    assert texts(graph, runs) == {f"{way} -child→ John"}
    assert [graph.whole.entity(each.entity).id for each in ends(graph.whole, plan, runs)] == ["John"]


def test_branching_cap_and_budget_are_told() -> None:
    rows = [("hub", f"led by {i}", f"x{i}") for i in range(30)]
    graph = Graph.from_triples(rows)
    plan = plan_of((("[T1]", "led by", "[ENT1]"),), "Breadth")
    (found,) = run(graph, plan, "hub", theta=0.1, max_branch=5)
    assert len(found.entity) == 6 and found.truncated == ["25 edges beyond max_branch were not followed"]
    (found,) = run(graph, plan, "hub", theta=0.1, max_branch=50, budget=7)
    assert len(found.entity) == 8 and "not traced" in found.truncated[0]


def test_hubs_are_read_by_the_most_similar_relations_only(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("hub", "noise", f"x{i}") for i in range(40)] + [("hub", "founder", "Ada")]
    rows += [("hub", f"other {i}", f"y{i}") for i in range(12)]
    graph = Graph.from_triples(rows)
    plan = plan_of((("[T1]", "founders", "[ENT1]"),), "Precision")
    assert texts(graph, run(graph, plan, "hub")) == {"hub -founder→ Ada"}
    monkeypatch.setattr(module, "HUB", 8)
    assert texts(graph, run(graph, plan, "hub")) == {"hub -founder→ Ada"}


def test_a_mediator_is_crossed_in_one_schema_edge() -> None:
    plan = plan_of((("[T1]", "marriage of partner", "[ENT1]"),), "Precision")
    assert texts(FILMS, run(FILMS, plan, "Heat")) == {"Heat -marriage→ m.0abc12 -of partner→ Wife"}
    assert texts(FILMS, run(FILMS, plan, "Heat", collapse_mediators=False)) == {"Heat -marriage→ m.0abc12"}


def test_an_exact_edge_into_a_mediator_offers_the_whole_fact_as_well() -> None:
    for strategy in ("Precision", "Breadth"):
        plan = plan_of((("[T1]", "marriage", "[ENT1]"),), strategy)
        found = texts(FILMS, run(FILMS, plan, "Heat", theta=-1.0, max_branch=1))
        assert {"Heat -marriage→ m.0abc12", "Heat -marriage→ m.0abc12 -of partner→ Wife"} <= found
        answered = ends(FILMS.whole, plan, run(FILMS, plan, "Heat", theta=-1.0), 0.0)
        assert "Wife" in FILMS.whole.labels([each.entity for each in answered])


def test_where_the_relation_leads_on_from_some_states_others_are_dead_ends() -> None:
    graph = Graph.from_triples([("a", "r", "b"), ("a", "r", "c"), ("b", "s", "d"), ("c", "other thing", "e")])
    plan = plan_of((("[T1]", "r", "[ENT1]"), ("[ENT1]", "s", "[ENT2]")), "Precision")
    assert texts(graph, run(graph, plan, "a")) == {"a -r→ b -s→ d", "a -r→ c"}


BOTH = (("[ENT1]", "directed by", "[T1]"), ("[ENT1]", "starring", "[T2]"))


@pytest.mark.parametrize("consistency", ["off", "prefer", "require"])
def test_two_topics_meet(consistency: str) -> None:
    plan = plan_of(BOTH, "Breadth", {"[T1]": 0, "[T2]": 1})
    runs = run(FILMS, plan, "Mann", "Smith", anchor_consistency=consistency)
    found = ends(FILMS.whole, plan, runs)
    assert [FILMS.whole.entity(each.entity).id for each in found] == ["Ali"]
    assert found[0].score == pytest.approx(0.9)


def test_only_with_consistency_is_a_second_topic_required() -> None:
    plan = plan_of((("[ENT1]", "directed by", "[T1]"), ("[ENT1]", "star", "[T2]")), "Breadth", {"[T1]": 0, "[T2]": 1})
    loose, strict = (
        texts(FILMS, run(FILMS, plan, "Mann", "Smith", theta=0.1, anchor_consistency=mode)[:1])
        for mode in ("off", "require")
    )
    assert "Mann ←directed by- Ali -starring→ Smith" in strict
    assert not any("Pacino" in text for text in strict)
    assert any("Pacino" in text for text in loose)


def test_a_topic_is_the_answer_only_where_nothing_else_is() -> None:
    rows = [("Ada", "child", "Bea"), ("Bea", "parent", "Ada"), ("Cleo", "child", "Dan"), ("Dan", "parent", "Cleo")]
    plan = plan_of((("[T1]", "child", "[ENT1]"), ("[ENT1]", "parent", "[ENT2]")), "Breadth")
    for more, expected in (([], ["Cleo"]), ([("Dan", "parent", "Eli")], ["Eli"])):
        graph = Graph.from_triples([*rows, *more])
        found = ends(graph.whole, plan, run(graph, plan, "Cleo"))
        assert [graph.whole.entity(each.entity).id for each in found] == expected


def test_a_plan_that_is_not_traced_to_its_end_has_no_answer() -> None:
    plan = plan_of((("[ENT1]", "directed by", "[T1]"), ("[ENT1]", "directed by", "[ENT2]")), "Breadth")
    runs = run(FILMS, plan, "Mann")
    assert ends(FILMS.whole, plan, runs) == []
    plan = plan_of((*ACTORS[:1], ("[ENT1]", "nothing like it", "[ENT2]")), "Breadth")
    assert ends(FILMS.whole, plan, run(FILMS, plan, "Mann")) == []


def test_text_of_edges_and_composition_choose_alike() -> None:
    plan = plan_of((("[ENT1]", "was directed by", "[T1]"),), "Precision")
    for start, film in (("Demme", "Blow"),):
        composed, text = (texts(FILMS, run(FILMS, plan, start, edge_text=mode)) for mode in ("composed", "text"))
        assert composed == text == {f"{start} ←directed by- {film}"}


def test_a_run_of_many_answers_is_the_same_however_triples_are_ordered() -> None:
    plan = plan_of(ACTORS, "Breadth")
    turned = replace(plan, triples=ACTORS[::-1])
    assert texts(FILMS, run(FILMS, plan, "Mann")) == texts(FILMS, run(FILMS, turned, "Mann"))
