"""From traced states to chains as evidence, and to answers without a language model (paper section 3.5).

Kept apart from tracing, which speaks in numbers. A chain is a way from an anchor to a state that nothing goes on from.
Without a language model the answers are the entities at which the plan's last unknown stands, of the best plan that
was traced to its end.

Shapes: S states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.graph import Subgraph
from clew.graph.paths import PathRecords
from clew.graph.subgraph import Ints
from clew.methods.stem.schema import SchemaGraph
from clew.methods.stem.trace import Trace
from clew.paths.walks import facts_of
from clew.retrieval.answering import AnswerPaths
from clew.types import Candidate, Path, Triple

CHAINS = 2000  # shown as evidence, the best ones
CROSSED = 400  # mediators whose other facts are shown
FACTS = 12  # of one mediator
CUT = 0.95  # share of the best one's score that an answer needs
PATHS = 4  # evidence paths named per answer


def path_of(records: PathRecords, graph: Subgraph, run: Trace, state: int) -> Path:
    """The way to a state; its score is the mean T-score, with bonuses, over the schema edges walked."""
    steps: list[tuple[int, bool]] = []
    here = int(run.entity[0])
    for s in run.way(state)[1:]:
        for t in (int(run.triple[s]), int(run.second[s])):
            if t >= 0:
                forward = int(graph.heads[t]) == here
                steps.append((t, forward))
                here = int(graph.tails[t] if forward else graph.heads[t])
    score = (float(run.score[state]) - float(run.score[0])) / max(1, int(run.depth[state]))
    return records.path(int(run.entity[0]), steps, score)


@dataclass(frozen=True, slots=True)
class EndState:
    """An entity at which a plan's last unknown stands, and the states that say so."""

    entity: int
    score: float  # 0..1
    states: tuple[tuple[int, int], ...]  # (run, state), best first


def ends(graph: Subgraph, plan: SchemaGraph, runs: Sequence[Trace], cut: float = CUT) -> list[EndState]:
    """The answers of one plan by those of the runs that traced it, best first.

    A state's worth is its mean T-score times the share of the plan's edges that were matched on its way. Topics of one
    question that reach the same entity add up; those that do not, count 0. A topic is an answer only where nothing else
    is. Entities below `cut` of the best are left out; among the rest, ways through the guidance graph go first.
    """
    asked = set(plan.topics.values())
    own_runs = [(number, run) for number, run in enumerate(runs) if run.plan is plan]
    worth: dict[int, dict[int, float]] = {}
    led: dict[int, float] = {}
    states: dict[int, list[tuple[float, int, int]]] = {}
    for number, run in own_runs:
        at = np.array([i for i, node in enumerate(run.node) if node == plan.target and run.depth[i]], np.int64)
        if not len(at):
            continue
        matched = np.minimum(run.satisfied()[at] / max(1, len(plan.triples)), 1.0)
        value = run.plain[at] / run.depth[at] * matched
        inside = run.guided[at] / run.depth[at]
        for state, entity, each, share in zip(
            at.tolist(), run.entity[at].tolist(), value.tolist(), inside.tolist(), strict=True
        ):
            own = worth.setdefault(entity, {})
            own[run.topic] = max(own.get(run.topic, 0.0), each)
            led[entity] = max(led.get(entity, 0.0), share)
            states.setdefault(entity, []).append((-each, number, state))
    starts = {int(run.entity[0]) for _, run in own_runs}
    total = {
        entity: sum(own.values()) / max(1, len(asked)) for entity, own in worth.items() if not graph.mediators[entity]
    }
    # "The father of X's child" is X; but where others are found as well, the question means them.
    total = {entity: score for entity, score in total.items() if entity not in starts} or total
    if not total:
        return []
    least = cut * max(total.values())
    kept = [
        EndState(entity, score * (0.9 + 0.1 * led[entity]), tuple((n, s) for _, n, s in sorted(states[entity])[:PATHS]))
        for entity, score in total.items()
        if score >= least
    ]
    return sorted(kept, key=lambda each: (-each.score, each.entity))


def chains(runs: Sequence[Trace]) -> list[tuple[int, int]]:
    """(run, state) of every maximal chain, best first; at most CHAINS."""
    found = [
        (-float(run.score[s]) / (1 + int(run.depth[s])), number, int(s))
        for number, run in enumerate(runs)
        for s in np.flatnonzero(~run.children() & (run.depth > 0))
    ]
    return [(number, s) for _, number, s in sorted(found)[:CHAINS]]


def listed(
    graph: Subgraph, runs: Sequence[Trace], answers: Sequence[EndState]
) -> tuple[tuple[Candidate, ...], tuple[Path, ...]]:
    """Answers as candidates, and the evidence: the answers' own ways first, then every other chain."""
    records, found = PathRecords(graph), AnswerPaths()
    ways = dict.fromkeys([*(key for each in answers for key in each.states), *chains(runs)])
    places = {(n, state): found.place(path_of(records, graph, runs[n], state)) for n, state in ways}
    candidates = []
    for each in answers:
        entity = graph.entity(each.entity)
        own = tuple(dict.fromkeys(places[key] for key in each.states))
        candidates.append(Candidate(entity.label, min(1.0, each.score), entity, own))
    return tuple(candidates), found.paths


def beside(graph: Subgraph, runs: Sequence[Trace]) -> tuple[Triple, ...]:
    """What else the graph says of the mediators that were met: dates, roles, the other members of a fact."""
    met = np.unique(
        np.concatenate([np.empty(0, np.int32), *(run.entity for run in runs), *(_between(graph, run) for run in runs)])
    )
    met = met[graph.mediators[met]][:CROSSED]
    return tuple(graph.triple(row) for row in facts_of(graph, met.tolist(), FACTS))


def _between(graph: Subgraph, run: Trace) -> Ints:
    """The mediators that steps over two triples crossed."""
    first, second = run.triple[run.second >= 0], run.second[run.second >= 0]
    ends = np.stack([graph.heads[first], graph.tails[first]], 1)
    other = np.stack([graph.heads[second], graph.tails[second]], 1)
    found: Ints = ends[(ends[:, :, None] == other[:, None, :]).any(2)]
    return found
