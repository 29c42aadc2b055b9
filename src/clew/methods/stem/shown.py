"""The part of the graph's schema that a language model sees when it plans: relations near the topics, with examples.

Kept apart from planning, which speaks of text only. Every relation stands in one example triple of the graph, so its
direction is visible, and how a mediator is crossed: one triple leads into it, the next lead out of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.graph import Subgraph
from clew.graph.compiled_search import along
from clew.graph.paths import NO_TARGETS, ReachedBy, relation_paths
from clew.graph.subgraph import Ints
from clew.methods.stem.similarity import Similarity

LINES = 80  # example triples
MOST = 2000  # relation steps of a hop that are looked at


def shown_schema(similarity: Similarity, topics: Ints, question: str) -> str:
    """Example triples `head | relation | tail`, at most LINES: those at the topics, out of mediators next to them,
    and one step further the relations most like the question."""
    graph = similarity.graph
    first = _examples(graph, topics, set())
    reached = _ends(graph, topics)
    between = graph.mediators[reached]
    known = {relation for relation, _ in first}
    second = _examples(graph, reached[between], known)
    known |= {relation for relation, _ in second}
    third = _examples(graph, np.unique(np.concatenate([_ends(graph, reached[between]), reached[~between]])), known)
    told = [*_likest(similarity, question, first, LINES)]
    told += _likest(similarity, question, second, max(LINES - len(told), LINES // 4))
    told += _likest(similarity, question, third, max(0, LINES - len(told)))
    return "\n".join(dict.fromkeys(text for _, text in told))


def _leading(graph: Subgraph, entities: Ints) -> tuple[ReachedBy, ...]:
    """What leads on from some entities."""
    return relation_paths(graph, entities, 1, max_paths=MOST).paths if len(entities) else ()


def _ends(graph: Subgraph, entities: Ints) -> Ints:
    return np.unique(np.concatenate([NO_TARGETS, *(each.ends for each in _leading(graph, entities))]))


def _examples(graph: Subgraph, entities: Ints, known: set[int]) -> list[tuple[int, str]]:
    """Relation and an example of it, once per relation and direction."""
    examples: list[tuple[int, str]] = []
    for each in _leading(graph, entities):
        relation, forward = each.steps[0]
        if relation in known:
            continue
        _, _, triples = along(graph.out if forward else graph.inc, entities, relation)
        if len(triples):
            triple = int(triples[0])
            head, tail = graph.labels(np.array([graph.heads[triple], graph.tails[triple]], np.int32))
            parts = (head, graph.relation(relation).label, tail)
            examples.append((relation, " | ".join(" ".join(part.split()).replace("|", "/") for part in parts)))
    return examples


def _likest(
    similarity: Similarity, question: str, examples: Sequence[tuple[int, str]], most: int
) -> list[tuple[int, str]]:
    if len(examples) <= most:
        return list(examples)
    score = similarity.relations(question)[[relation for relation, _ in examples]]
    return [examples[i] for i in np.sort(np.argsort(-score, kind="stable")[:most]).tolist()]
