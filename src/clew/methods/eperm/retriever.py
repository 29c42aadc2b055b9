"""Stage A: the question's subgraph, by a beam of relation paths from each topic (Eq. 2).

Each step scores the relations that lead on from every path of the beam, one call per path, keeps the K paths with the
best product of scores, and follows them; the union of the triples walked is the subgraph. Both directions are walked.

Shapes: E ends of a relation path, T triples, K relation paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.graph import Subgraph, has_arrays
from clew.graph.compiled_search import along
from clew.graph.kernels import select
from clew.graph.neighborhood import neighborhood
from clew.graph.paths import RelationPath, relation_paths
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.llm.constraint import Choices
from clew.methods.eperm.asking import (
    PlacedQuestion,
    PromptClient,
    QuestionState,
    TextSimilarity,
    chances,
    plan_text,
    read_choices,
    relation_text,
)
from clew.methods.eperm.config import Config, Scorer
from clew.protocols import GraphStore, LLMRequest

ENTITY_LIMIT = 64  # named entities kept per node and relation; mediators are always kept
MAX_TRIPLES = 20_000  # of a neighbourhood taken whole
MAX_RELATIONS = 2000  # relations of one step that are scored; told when there are more


class Expansion(NamedTuple):
    """One hop from some entities."""

    row: NDArray[np.int64]  # which of the entities it starts at
    reached: Ints
    triples: Ints
    cut: int = 0  # hops that the limit left out


def step(graph: Subgraph, ends: Ints, relation: int, forward: bool, entity_limit: int | None = None) -> Expansion:
    """All hops over one relation. With a limit, each entity keeps its mediators and so many named ones."""
    row, reached, triples = along(graph.out if forward else graph.inc, ends, relation)
    if entity_limit is not None and len(row):
        named = ~graph.mediators[reached]
        before = np.cumsum(named) - named
        first = np.searchsorted(row, row)  # rows come in order
        keep = ~named | (before - before[first] < entity_limit)
        return Expansion(row[keep], reached[keep], triples[keep], int((~keep).sum()))
    return Expansion(row, reached, triples)


@dataclass(slots=True)
class _BeamPath:
    """A relation path of the beam."""

    steps: RelationPath
    ends: Ints
    score: float


@dataclass(slots=True)
class _Search:
    """The beam of one topic of one question."""

    case: PlacedQuestion
    topic: str  # id
    start: int  # in the graph that is searched, all around the topics
    beam: list[_BeamPath]
    triples: list[Ints] = field(default_factory=list)


def retrieve(
    cases: Sequence[QuestionState],
    store: GraphStore,
    config: Config,
    scorer: Scorer,
    hops: int,
    similarity: TextSimilarity | None,
    asker: PromptClient | None,
) -> list[QuestionState]:
    """Every case, those that have topics with the graph these lie in."""
    whole = store.as_subgraph if has_arrays(store) else None
    searches: list[_Search] = []
    found: list[QuestionState] = []
    for case in cases:
        ids = list(dict.fromkeys(topic.entity.id for topic in case.topics))
        if not ids:
            found.append(case)
            continue
        near = whole
        if scorer == "none" or near is None:
            near = neighborhood(store, ids, hops, max_triples=MAX_TRIPLES)
        placed = PlacedQuestion.of(case, near, whole or near, ids)
        found.append(placed)
        if scorer != "none":
            for id, start in zip(ids, placed.starts.tolist(), strict=True):
                searches.append(_Search(placed, id, start, [_BeamPath((), np.array([start], np.int32), 1.0)]))
    if scorer == "none":
        return found
    for _ in range(hops if searches else 0):
        _advance(searches, config, scorer, similarity, asker)
    for placed in (case for case in found if isinstance(case, PlacedQuestion)):
        own = [search for search in searches if search.case is placed]
        walked = [triples for search in own for triples in search.triples]
        rows = np.unique(np.concatenate([np.empty(0, np.int32), *walked]))
        placed.place(select(placed.around, rows, keep=placed.starts.tolist()), [search.topic for search in own])
    return found


def _advance(
    searches: Sequence[_Search],
    config: Config,
    scorer: Scorer,
    similarity: TextSimilarity | None,
    asker: PromptClient | None,
) -> None:
    """One step of all beams."""
    offers: list[tuple[_Search, _BeamPath, list[tuple[int, bool]], list[str]]] = []
    for search in searches:
        for walk in search.beam:
            leading = relation_paths(search.case.around, walk.ends, 1, max_paths=MAX_RELATIONS)
            options = [each.steps[0] for each in leading.paths]
            if leading.truncated:
                search.case.details["truncated"] = [*search.case.details.get("truncated", []), *leading.truncated]
            if options:
                texts = [relation_text(search.case.around, relation, forward) for relation, forward in options]
                offers.append((search, walk, options, texts))
        search.beam = []
    if not offers:
        return
    scored = _scores(offers, config, scorer, similarity, asker)
    grown: dict[int, list[tuple[float, _BeamPath, tuple[int, bool]]]] = {}
    for (search, walk, options, _), scores in zip(offers, scored, strict=True):
        best = np.argsort(-scores, kind="stable")[: config.relation_limit]
        grown.setdefault(id(search), []).extend(
            (walk.score * float(scores[i]), walk, options[i]) for i in best.tolist() if scores[i] > 0
        )
    for search in searches:
        found = sorted(grown.get(id(search), []), key=lambda each: -each[0])[: config.relation_limit]
        for score, walk, (relation, forward) in found:
            hop = step(search.case.around, walk.ends, relation, forward, ENTITY_LIMIT)
            search.case.count("entities_left_out", hop.cut)
            search.triples.append(hop.triples)
            search.beam.append(_BeamPath((*walk.steps, (relation, forward)), np.unique(hop.reached), score))


def _scores(
    offers: Sequence[tuple[_Search, _BeamPath, list[tuple[int, bool]], list[str]]],
    config: Config,
    scorer: Scorer,
    similarity: TextSimilarity | None,
    asker: PromptClient | None,
) -> list[NDArray[np.float64]]:
    """S(Q, r) for every relation on offer: one array per path of a beam."""
    if scorer == "encoder" or asker is None:
        return [_similarities(similarity, search, walk, texts) for search, walk, _, texts in offers]
    requests = [_request(asker, config, search, walk, texts) for search, walk, _, texts in offers]
    replies = asker.ask("relations", [search.case for search, *_ in offers], requests)
    results = []
    for (search, walk, _, texts), reply in zip(offers, replies, strict=True):
        if asker.constrained and asker.style == "short":
            pairs = chances(reply)
        else:
            pairs = read_choices(reply.text)
        position = {text.casefold(): i for i, text in enumerate(texts)}
        scores = np.zeros(len(texts))
        for text, score in pairs[: config.relation_limit]:
            if (i := position.get(text.casefold())) is not None:
                scores[i] = max(scores[i], score)
        if not scores.any():  # nothing readable, or all scores zero: the encoder decides
            search.case.count("unread_relation_scores")
            scores = _similarities(similarity, search, walk, texts)
        results.append(scores)
    return results


def _similarities(
    similarity: TextSimilarity | None, search: _Search, walk: _BeamPath, texts: Sequence[str]
) -> NDArray[np.float64]:
    if similarity is None:
        return np.ones(len(texts))
    walked = label_to_text(plan_text(search.case.around, walk.steps))
    return similarity.scores(f"{search.case.plain} {walked}".strip(), [label_to_text(text) for text in texts])


def _request(asker: PromptClient, config: Config, search: _Search, walk: _BeamPath, texts: Sequence[str]) -> LLMRequest:
    walked = plan_text(search.case.around, walk.steps)
    budget = min(config.relation_limit, len(texts))
    if asker.style == "short":
        messages = asker.prompt("relations").render(question=search.case.text, walked=walked)
        if asker.constrained:
            return LLMRequest(messages, max_tokens=64, beams=budget, n=budget, constraint=Choices(texts))
        return LLMRequest(messages, max_tokens=64)
    messages = asker.prompt("relations").render(
        question=search.case.text,
        topic=search.case.around.entity(search.start).label,
        walked=walked or "nothing",
        relations="; ".join(texts),
        budget=budget,
    )
    return LLMRequest(messages, max_tokens=96 * budget)
