"""What small models learn from: questions with the relation steps that answer them, given ones and made ones.

A given question brings its gold path, or the relation path whose ends fit its answers best is looked for. Made ones
come from the graph alone (`clew.synthesis`): multi-hop chains whose steps are known.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from clew.errors import InputError
from clew.graph.paths import RelationPath, follow
from clew.graph.subgraph import Ints, Subgraph
from clew.learning.tuning import Pair
from clew.methods.decompose.answers import ends
from clew.methods.decompose.evidence_paths import EvidencePath, evidence_paths
from clew.methods.decompose.plan import RelationVocabulary
from clew.methods.decompose.textual import listed
from clew.paths.examples import EntityIndex, stated_paths
from clew.paths.gold import NEAR_BEST, GoldLimits, Similarity, f1, gold_paths, judge
from clew.protocols import Example, Message
from clew.synthesis import SamplingConfig, synthesize
from clew.types import Gold


def made(graph: Subgraph, count: int, hops: int, seed: int) -> Iterator[Example]:
    """Up to `count` questions from the graph alone, chains only; fewer where the graph yields no more."""
    weights = tuple([0.2, 0.45, 0.35, 0.2, 0.1, 0.1][:hops])
    try:
        for each in synthesize(graph, count, seed=seed, sampling=SamplingConfig(hops=weights, fork=0.0)):
            yield Example(each.question, each.gold)
    except InputError:
        return  # a small graph is exhausted: what it gave is used


def gold_path(
    language: RelationVocabulary, starts: Ints, gold: Gold, hops: int, similarity: Similarity | None = None
) -> RelationPath:
    """The relation path from a question's entities to its answers; none where no path leads there.

    A hop through a mediator counts once, so a graph with mediators is searched one step further.
    """
    graph, answers = language.graph, answer_set(language.index, gold)
    if not len(starts):
        return ()
    longest = hops + 1 if graph.mediators.any() else hops
    stated = [path for _, path in stated_paths(gold.paths, language.index, starts.tolist())]
    if stated:
        return stated[0]
    own = gold_paths(graph, [starts], answers, GoldLimits(longest), similarity=similarity).of_topics[0]
    return own[0].path if own else ()


def leads_to_answers(graph: Subgraph, starts: Ints, path: RelationPath, known: Known) -> bool:
    """Whether a relation path answers a question about as well as its gold one."""
    own, best = (judge(graph, starts, each, known.answers).f1 for each in (path, known.steps))
    return path == known.steps or own >= NEAR_BEST * best > 0


def answer_set(index: EntityIndex, gold: Gold) -> Ints:
    """(A,) local numbers of the gold answers that are in the graph."""
    return np.unique(np.array(index.numbers(gold.entities or gold.answers), np.int32))


@dataclass(frozen=True, slots=True)
class Known:
    """A question, masked, with the steps that answer it."""

    text: str
    starts: Ints
    steps: RelationPath
    answers: Ints


def plan_pair(known: Known, language: RelationVocabulary) -> Pair:
    """Masked question → one token per step."""
    return Pair((Message("user", known.text),), language.write(known.steps))


def reader_pair(
    known: Known, graph: Subgraph, offered: Sequence[EvidencePath], language: RelationVocabulary, *, bare: bool = False
) -> Pair | None:
    """Masked question and evidence paths → the right one of them; None where none is right.

    Args:
        graph: in which a evidence path's answers are looked up, the same as when answering.
        bare: the question alone is shown, as it is without the textual graph.
    """
    right = next((evidence_path for evidence_path in offered if evidence_path.steps == known.steps), None)
    if right is None:
        fits = [f1(ends(graph, known.starts, evidence_path), known.answers) for evidence_path in offered]
        right = offered[int(np.argmax(fits))] if fits and max(fits) > 0 else None
    if right is None:
        return None
    prompt = listed(known.text, () if bare else offered, language)
    return Pair((Message("user", prompt),), language.write(right.steps))


def step_pairs(
    known: Known, graph: Subgraph, merged: Subgraph, language: RelationVocabulary, name: str, bare: bool = False
) -> list[Pair]:
    """The sub-questions of one question as a reader meets them: one hop from the answer before."""
    pairs = []
    done: RelationPath = ()
    for text, stage in zip(language.sub_questions(known.steps, name), language.stages(known.steps), strict=True):
        before = follow(graph, known.starts, done).entities
        done = (*done, *stage)
        inside = [merged.local(graph.entity(int(e)).id) for e in before[:200]]
        starts = np.array([e for e in inside if e is not None], np.int32)
        offered = evidence_paths(merged, starts, 1)[0]
        step = Known(text, starts, stage, np.empty(0, np.int32))
        if any(evidence_path.steps == step.steps for evidence_path in offered):
            pair = reader_pair(step, merged, offered, language, bare=bare)
            if pair is not None:
                pairs.append(pair)
    return pairs


def single_tokens(pairs: Sequence[Pair], language: RelationVocabulary) -> list[str]:
    """What a small model should have as one token each: placeholders, and relations, those first that it meets most."""
    words = Counter(
        word
        for pair in pairs
        for part in (*(m.content for m in pair.prompt), pair.completion)
        for word in part.replace("\n", " ").split(" ")
    )
    relations = [t for t in language.vocabulary() if t.startswith(" ") and words[t.strip()]]
    return ["[T1]", "[T2]", *sorted(relations, key=lambda t: -words[t.strip()])]


def spoken_answer(gold: Gold) -> str:
    """What a large model should write: every answer, as a JSON array."""
    return json.dumps(list(dict.fromkeys(gold.answers)), ensure_ascii=False)
