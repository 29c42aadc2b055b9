"""What others of a thing's kind have and it lacks: the graph states no price of it, although it states others' prices.

Kept apart from `refusing`, which goes by the words of one answer: here a method is asked the same question about
another thing of the kind, and says which relation the words mean where it is stated.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from clew.errors import ClewError
from clew.graph import Graph
from clew.graph.sets import held
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.protocols import Method
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.execute import ExecutionLimits, Executor
from clew.query.keys import names, steps_of
from clew.query.meanings import spelled_out
from clew.retrieval.examples import ways_from
from clew.retrieval.lexicon import WORD, Lexicon
from clew.retrieval.words import FUNCTION
from clew.types import Answer, Question

SIBLINGS = 200  # other things of a kind that are looked at
KINDS = 2  # of a thing, whose members are its peers
MOST_OF_ONE = 10_000  # triples of another thing of a kind, that tells what things of the kind have
USUAL = 0.2  # share of the peers that have a relation from which a thing without it lacks it
MEANT = 0.6  # probability from which a method's path from a peer is what the words mean
ASKED = 2  # peers that are asked about


def peers_of(graph: Graph, members: Ints) -> list[Ints]:
    """Other things of the kinds that some things are of: (P,) numbers of each kind, ascending; none where no kind is
    stated. What millions lead to says little of its kind and is left out."""
    types = list(Lexicon.of(graph).types)
    out, inc = graph.whole.out, graph.whole.inc
    if not types:
        return []
    kinds = [
        out.neighbors[low:high][np.isin(out.relations[low:high], types)]
        for low, high in ((int(out.offsets[n]), int(out.offsets[n + 1])) for n in members.tolist())
    ]
    found = []
    for kind in np.unique(np.concatenate([np.empty(0, np.int32), *kinds])).tolist()[:KINDS]:
        try:
            others = Binding.of(graph).first_instances(graph.ids_at([kind])[0], SIBLINGS + len(members))
        except ClewError:
            continue
        others = others[~held(others, members)][:SIBLINGS]
        found.append(others[out.counts(others) + inc.counts(others) <= MOST_OF_ONE])
    return found


def not_stated(question: Question, found: Answer, method: Method, graph: Graph) -> str:
    """Why an answer by way of something else is none: what the words ask for is one relation of the topic's kind, and
    this thing lacks it. "" where nothing says so.

    "Who is the artistic director of the Teatr" is not answered by who directed what was staged there, where other
    theatres have an artistic director.
    """
    paths = found.paths_of(found.candidates[0]) if found.candidates else []
    topics = {topic.entity.id: topic for topic in found.topics}
    starts = {path.start.id for path in paths}
    if len(starts) != 1 or not all(path.hops for path in paths):
        return ""
    topic = topics.get(next(iter(starts)))
    number = None if topic is None else graph.number_of(topic.entity.id)
    if topic is None or number is None:
        return ""
    at = question.text.lower().find(topic.mention.lower())
    if at < 0:
        return ""
    before, after = question.text[:at], question.text[at + len(topic.mention) :]
    words = [word for word in WORD.findall(f"{before} {after}".lower()) if word not in FUNCTION]
    walked = {relation for path in paths for relation, _ in path.relations}
    near = min(len(path.hops) for path in paths) < 2
    if near and any(names(words, _name_of(relation, graph)) for relation in walked):
        return ""
    executor = Executor(graph, ExecutionLimits())
    own = {step for step, _ in steps_of(graph, np.array([number], np.int32))}
    for peers in peers_of(graph, np.array([number], np.int32)):
        for step, share in steps_of(graph, peers):
            label = _name_of(step.relation, graph)
            if share < USUAL or step in own or step.relation in walked or not names(words, spelled_out(label)):
                continue
            having = peers[np.unique(executor.pairs(peers, (step,))[0])[:ASKED]]
            ids, labels = graph.ids_at(having), graph.labels_at(having)
            asked = [
                replace(question, text=f"{before}{name}{after}", topics=(id,))
                for id, name in zip(ids, labels, strict=True)
            ]
            if all(_means(method, each, step, graph) for each in asked):
                name = topic.entity.label
                what = f"no “{label}” of {name}" if step.forward else f"nothing that has {name} as “{label}”"
                return f"the graph states {what}: the best guess is {found.texts[0]}"
    return ""


def _name_of(relation: str, graph: Graph) -> str:
    return label_to_text(graph.relation_at(Binding.of(graph).relation(relation)).label)


def _means(method: Method, asked: Question, step: p.Step, graph: Graph) -> bool:
    """Whether a question about a thing that has a relation asks for what it leads to."""
    ways = ways_from(method, asked, graph)
    return bool(ways) and ways[0].path == (step,) and ways[0].share * ways[0].probability >= MEANT
