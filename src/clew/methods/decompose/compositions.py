"""What small models learn from: questions with the relation steps that answer them, given ones and made ones.

A given question brings its gold path, or the relation path whose ends fit its answers best is looked for. Made ones
come from the graph alone (`clew.synthesis`): multi-hop chains whose steps are known.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph.paths import follow, relation_paths
from clew.graph.subgraph import Ints, Subgraph
from clew.learning.tuning import Pair
from clew.methods.decompose.answers import ends
from clew.methods.decompose.plan import Language, Step, Steps
from clew.methods.decompose.textual import listed
from clew.methods.decompose.threads import Thread, threads
from clew.protocols import Example, Message
from clew.synthesis import SamplingConfig, synthesize
from clew.types import Gold

MINED = 1_500  # relation paths looked at for one question without a gold path
NEAR_BEST = 0.95  # paths whose F1 is at least this share of the best one's fit as well
COMPARED = 60  # of those, the shortest ones that are compared with the question
STEP_COST = 0.03  # a further step must make a path so much more like the question

Alike = Callable[[Sequence[Steps]], NDArray[np.floating]]  # (P,) how much relation paths read like the question


def made(graph: Subgraph, count: int, hops: int, seed: int) -> Iterator[Example]:
    """Up to `count` questions from the graph alone, chains only; fewer where the graph yields no more."""
    weights = tuple([0.2, 0.45, 0.35, 0.2, 0.1, 0.1][:hops])
    try:
        for each in synthesize(graph, count, seed=seed, sampling=SamplingConfig(hops=weights, fork=0.0)):
            yield Example(each.question, each.gold)
    except InputError:
        return  # a small graph is exhausted: what it gave is used


def gold_steps(language: Language, starts: Ints, gold: Gold, hops: int, alike: Alike | None = None) -> Steps:
    """The relation steps from a question's entities to its answers; none where no path leads there.

    Without a gold path the relation paths whose ends fit the answers about best are candidates; many do so by accident.
    Of those the one that reads most like the question is taken, where `alike` can tell, else the shortest.
    """
    graph = language.graph
    for path in gold.paths:
        steps = _along(language, starts, path)
        if steps:
            return steps
    wanted = answer_set(graph, gold)
    if not len(starts) or not len(wanted):
        return ()
    longest = hops + 1 if graph.mediators.any() else hops
    found = [
        (steps, overlap(reached, wanted))
        for steps, reached in relation_paths(graph, starts, longest, max_paths=MINED, max_ends=500).paths
    ]
    best = max((fit for _, fit in found), default=0.0)
    near = [steps for steps, fit in found if fit >= NEAR_BEST * best][:COMPARED] if best else []
    if not near or alike is None:
        return max(found, key=lambda each: each[1])[0] if best else ()  # shorter paths come first and win ties
    scores = alike(near) - STEP_COST * np.array([len(steps) for steps in near])
    return near[int(np.argmax(scores))]


def leads_to_answers(graph: Subgraph, starts: Ints, steps: Steps, known: Known) -> bool:
    """Whether steps answer a question about as well as its gold steps."""
    wanted = answer_set(graph, known.gold)
    mine, best = (overlap(follow(graph, starts, each).entities, wanted) for each in (steps, known.steps))
    return steps == known.steps or mine >= NEAR_BEST * best > 0


def _along(language: Language, starts: Ints, path: Sequence[tuple[str, str, str]]) -> Steps:
    """A gold path as steps, walked from whichever end is a start."""
    graph, numbers = language.graph, language.numbers
    for triples in (path, tuple(reversed(path))):
        here = {graph.entity(int(s)).id for s in starts} | {graph.entity(int(s)).label for s in starts}
        steps: list[Step] = []
        for head, relation, tail in triples:
            if relation not in numbers or not ({head, tail} & here):
                break
            forward = head in here
            steps.append((numbers[relation], forward))
            here = {tail if forward else head}
        if len(steps) == len(triples):
            return tuple(steps)
    return ()


def answer_set(graph: Subgraph, gold: Gold) -> Ints:
    """Local numbers of the gold answers that are in the graph."""
    found = [graph.local(name) for name in (*gold.entities, *gold.answers)]
    return np.unique(np.array([i for i in found if i is not None], np.int32))


def overlap(reached: Ints, wanted: Ints) -> float:
    """F1 of two sets of entities."""
    both = len(np.intersect1d(reached, wanted))
    return 2 * both / (len(reached) + len(wanted)) if both else 0.0


@dataclass(frozen=True, slots=True)
class Known:
    """A question, masked, with the steps that answer it."""

    text: str
    starts: Ints
    steps: Steps
    gold: Gold


def plan_pair(known: Known, language: Language) -> Pair:
    """Masked question → one token per step."""
    return Pair((Message("user", known.text),), language.write(known.steps))


def reader_pair(
    known: Known, graph: Subgraph, offered: Sequence[Thread], language: Language, *, bare: bool = False
) -> Pair | None:
    """Masked question and threads → the right one of them; None where none is right.

    Args:
        graph: in which a thread's answers are looked up, the same as when answering.
        bare: the question alone is shown, as it is without the textual graph.
    """
    right = next((thread for thread in offered if thread.steps == known.steps), None)
    if right is None:
        wanted = answer_set(graph, known.gold)
        fits = [overlap(ends(graph, known.starts, thread), wanted) for thread in offered]
        right = offered[int(np.argmax(fits))] if fits and max(fits) > 0 else None
    if right is None:
        return None
    prompt = listed(known.text, () if bare else offered, language)
    return Pair((Message("user", prompt),), language.write(right.steps))


def step_pairs(
    known: Known, graph: Subgraph, merged: Subgraph, language: Language, name: str, bare: bool = False
) -> list[Pair]:
    """The sub-questions of one question as a reader meets them: one hop from the answer before."""
    pairs = []
    done: Steps = ()
    for text, stage in zip(language.sub_questions(known.steps, name), language.stages(known.steps), strict=True):
        before = follow(graph, known.starts, done).entities
        done = (*done, *stage)
        inside = [merged.local(graph.entity(int(e)).id) for e in before[:200]]
        starts = np.array([e for e in inside if e is not None], np.int32)
        offered = threads(merged, starts, 1).threads
        step = Known(text, starts, stage, Gold(()))
        if any(thread.steps == step.steps for thread in offered):
            pair = reader_pair(step, merged, offered, language, bare=bare)
            if pair is not None:
                pairs.append(pair)
    return pairs


def single_tokens(pairs: Sequence[Pair], language: Language, vocabulary: int) -> list[str]:
    """What a small model should have as one token each: placeholders, and the relations it meets most."""
    words = Counter(
        word
        for pair in pairs
        for part in (*(m.content for m in pair.prompt), pair.completion)
        for word in part.replace("\n", " ").split(" ")
    )
    relations = sorted((t for t in language.vocabulary() if t.startswith(" ")), key=lambda t: -words[t.strip()])
    fixed = ["[T1]", "[T2]"]
    room = max(0, vocabulary // 2 - len(fixed))
    return [*fixed, *(token for token in relations[:room] if words[token.strip()])]


def spoken_answer(gold: Gold) -> str:
    """What a large model should write: every answer, as a JSON array."""
    return json.dumps(list(dict.fromkeys(gold.answers)), ensure_ascii=False)
