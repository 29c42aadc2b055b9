"""Steps from a set of entities: which there are, and that only chosen ones are taken."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clew.graph import Graph
from clew.reading.trails import Along, PathHypothesis, expand, hops_around


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 9)), min_size=1, max_size=40),
    st.sets(st.integers(0, 9), max_size=4),
    st.sets(st.tuples(st.integers(0, 3), st.booleans()), max_size=4),
)
def test_chosen_hops_give_the_steps_made_of_them(
    rows: list[tuple[int, int, int]], nameless: set[int], along: set[tuple[int, bool]]
) -> None:
    triples = [(f"e{h}", f"r{r}", f"e{t}") for h, r, t in rows]
    graph = Graph.from_triples(triples, mediator={f"e{n}" for n in nameless}.__contains__).whole
    trail = PathHypothesis(0, (), np.array([graph.local(triples[0][0])], np.int32))
    every = {each.steps[-1]: each.ends.tolist() for each in expand(graph, trail, 100)}
    assert {hop for step in every for hop in step} <= set(hops_around(graph, [trail], 100))
    only = Along(hop for hop in along if hop[0] < graph.num_relations)
    chosen = {each.steps[-1]: each.ends.tolist() for each in expand(graph, trail, 100, only)}
    assert chosen == {step: ends for step, ends in every.items() if along.issuperset(step)}
