"""Random reasoning structures: which part of the graph a synthetic question will be about.

Phase 1 of STEM's structure-to-query reverse generation (paper appendix C.2), made to serve a writer that needs no
language model: what is sampled is a chain of relation steps from a topic, with every entity that the chain reaches,
and with probability `fork` a second topic that narrows one of its stations. Walks are proportional to triples or
balanced over relations, so that the long tail is covered too. Kept apart from the writer, which only finds words.

Shapes: N entities, T triples, R relations. Entity numbers are local to the subgraph.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from clew.config import Settings
from clew.errors import InputError
from clew.graph.subgraph import Ints, Subgraph

Step = tuple[int, bool]  # relation number, walked from head to tail

FREEBASE_NOISE = (
    "freebase.valuenotation.is_reviewed",
    "common.topic.notable_types",
    "common.topic.notable_for",
)


class SamplingConfig(Settings):
    """How structures are drawn."""

    hops: tuple[float, ...] = (0.4, 0.35, 0.2, 0.05)
    """Weights of 1, 2, 3, … steps; a step through a mediator counts once."""
    fork: float = Field(default=0.1, ge=0, le=1)
    """Probability of a second topic (STEM's code: 0.1)."""
    balance: float = Field(default=0.5, ge=0, le=1)
    """0: relations in proportion to their triples; 1: every relation equally often."""
    precision: float | None = Field(default=None, ge=0, le=1)
    """Share of structures with a single answer, those of strategy Precision; None: as they come."""
    max_answers: int = Field(default=50, ge=0)
    """Structures with more answers are dropped."""
    max_frontier: int = Field(default=200, ge=1)
    """Chains that pass through more entities than this are dropped: nobody asks by way of "everyone who is male"."""
    exclude: tuple[str, ...] = FREEBASE_NOISE
    """Relation ids that no walk uses."""
    attempts: int = Field(default=20, ge=1)
    """Tries for one structure before another start is drawn (STEM's code: 20)."""

    @field_validator("hops")
    @classmethod
    def _some_weight(cls, weights: tuple[float, ...]) -> tuple[float, ...]:
        if any(weight < 0 for weight in weights) or not sum(weights) > 0:
            raise ValueError("expected weights of 1, 2, … hops, none negative and not all 0")
        return weights


@dataclass(frozen=True, slots=True)
class Branch:
    """A second topic that narrows station `station` of the chain: it must be reached by `steps` from `topic` too."""

    station: int  # 1..hops of the chain
    topic: int
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Structure:
    """A chain from `topic`, its optional branch, one sample thread, and every entity that answers it.

    `steps` may hold more entries than `hops`: a step into a mediator and the step out of it are one hop.
    """

    topic: int
    steps: tuple[Step, ...]
    hops: int
    thread: tuple[int, ...]  # entities of one walk, len(steps) + 1
    answers: tuple[int, ...]
    branch: Branch | None = None

    @property
    def strategy(self) -> str:
        """STEM's answering strategy: Precision iff there is one answer (appendix C.1)."""
        return "Precision" if len(self.answers) == 1 else "Breadth"


def expand(graph: Subgraph, frontier: Ints, step: Step, limit: int) -> Ints | None:
    """(n,) sorted distinct entities one step from `frontier`; None when more than `limit` triples lead there."""
    relation, forward = step
    side = graph.out if forward else graph.inc
    parts, total = [], 0
    for entity in frontier.tolist():
        begin, end = side.offsets[entity], side.offsets[entity + 1]
        # Inside an entity's slice relations are sorted, so one relation is one contiguous run.
        left, right = side.relations[begin:end].searchsorted((relation, relation + 1))
        total += right - left
        if total > limit:
            return None
        parts.append(side.neighbors[begin + left : begin + right])
    if len(parts) == 1:
        # Parallel triples of one relation were dropped when the graph was built: already distinct and sorted.
        return parts[0]
    return np.unique(np.concatenate(parts)) if parts else np.empty(0, np.int32)


def mask(graph: Subgraph, structure: Structure) -> list[tuple[tuple[int, int, int], tuple[str, str, str]]]:
    """The triples of a structure's thread and branch, each as numbers and as words.

    In words, everything but the topics is a placeholder `[ENTi]`; equal entities share one (STEM appendix C.1).
    """
    topics = [structure.topic] + ([structure.branch.topic] if structure.branch else [])
    names = dict(zip(topics, graph.labels(topics), strict=True))
    triples: list[tuple[int, int, int]] = []

    def add(a: int, step: Step, b: int) -> None:
        triples.append((a, step[0], b) if step[1] else (b, step[0], a))

    for (a, b), step in zip(pairwise(structure.thread), structure.steps, strict=True):
        add(a, step, b)
    if structure.branch:
        stations = [entity for entity in structure.thread[1:] if not graph.mediators[entity]]
        add(structure.branch.topic, structure.branch.steps[0], stations[structure.branch.station - 1])
    for head, _, tail in triples:
        for entity in (head, tail):
            if entity not in names:
                names[entity] = f"[ENT{len(names) - len(topics) + 1}]"
    return [((h, r, t), (names[h], graph.relation(r).id, names[t])) for h, r, t in triples]


class StructureSampler:
    """Draws structures from a graph; the same seed gives the same structures."""

    def __init__(self, graph: Subgraph, config: SamplingConfig, seed: int) -> None:
        if graph.num_triples == 0:
            raise InputError("cannot sample questions from a graph without triples")
        self.graph, self.config = graph, config
        self.random = np.random.default_rng(seed)
        names = [graph.relation(r).id for r in range(graph.num_relations)]
        excluded = np.array([name in config.exclude for name in names], bool)
        usable = np.flatnonzero(~excluded[graph.rels])
        if not len(usable):
            raise InputError("every relation of the graph is excluded from sampling: shorten `exclude`")
        self._excluded = excluded
        self._usable = usable
        order = usable[np.argsort(graph.rels[usable], kind="stable")]
        self._by_relation = order
        present, starts = np.unique(graph.rels[order], return_index=True)
        self._present = present
        self._starts = np.append(starts, len(order))
        weights = np.asarray(config.hops, float)
        self._hop_weights = weights / weights.sum()
        self._mediators: NDArray[np.bool_] = graph.mediators
        self._degree = graph.out.degrees() + graph.inc.degrees()
        self.dropped: dict[str, int] = {}

    def __iter__(self) -> Iterator[Structure]:
        while True:
            yield self.one()

    def one(self) -> Structure:
        """The next structure. Raises InputError when the graph yields none at all."""
        for _ in range(200):
            hops = int(self.random.choice(len(self._hop_weights), p=self._hop_weights)) + 1
            share = self.config.precision
            wanted = None if share is None else "Precision" if self.random.random() < share else "Breadth"
            for _ in range(self.config.attempts):
                structure = self._try(hops)
                if structure is None:
                    continue
                if wanted in (None, structure.strategy):
                    return structure
                self._drop("not of the strategy that was drawn")
        reasons = ", ".join(f"{reason}: {count}" for reason, count in sorted(self.dropped.items()))
        raise InputError(f"no structure could be sampled from this graph ({reasons}): widen max_answers or hops")

    def _drop(self, reason: str) -> None:
        self.dropped[reason] = self.dropped.get(reason, 0) + 1

    def _start(self) -> tuple[int, int, bool]:
        """A first triple and the direction to walk it."""
        if self.random.random() < self.config.balance:
            i = int(self.random.integers(len(self._present)))
            triple = int(self._by_relation[self.random.integers(self._starts[i], self._starts[i + 1])])
        else:
            triple = int(self._usable[self.random.integers(len(self._usable))])
        forward = bool(self.random.random() < 0.5)
        return triple, int(self.graph.rels[triple]), forward

    def _try(self, hops: int) -> Structure | None:
        walk = self._walk(hops)
        if walk is None:
            self._drop("walk not completed")
            return None
        thread, steps, stations = walk
        frontiers = self._frontiers(thread[0], steps)
        if frontiers is None:
            self._drop("too many entities on the way")
            return None
        branch: Branch | None = None
        if self.random.random() < self.config.fork:
            branch, frontiers = self._fork(thread, steps, stations, frontiers)
        answers = frontiers[-1]
        answers = answers[~self._mediators[answers]]
        answers = answers[answers != thread[0]]
        if branch is not None:
            answers = answers[answers != branch.topic]
        if not len(answers):
            self._drop("only the topic itself would answer")
            return None
        if len(answers) > self.config.max_answers:
            self._drop("too many answers")
            return None
        return Structure(thread[0], steps, len(stations), thread, tuple(answers.tolist()), branch)

    def _walk(self, hops: int) -> tuple[tuple[int, ...], tuple[Step, ...], tuple[int, ...]] | None:
        """A simple walk: entities, steps, and the positions in it that are stations (not mediators)."""
        triple, relation, forward = self._start()
        head, tail = int(self.graph.heads[triple]), int(self.graph.tails[triple])
        topic, here = (head, tail) if forward else (tail, head)
        if self._mediators[topic] or topic == here:
            return None
        thread, steps, stations = [topic, here], [(relation, forward)], []
        while True:
            if not self._mediators[here]:
                stations.append(len(steps))
                if len(stations) == hops:
                    return tuple(thread), tuple(steps), tuple(stations)
            elif len(steps) > 2 * hops:
                return None
            move = self._move(here, thread)
            if move is None:
                return None
            step, here = move
            thread.append(here)
            steps.append(step)

    def _move(self, here: int, visited: list[int]) -> tuple[Step, int] | None:
        """A random next step from `here` to an entity that was not visited."""
        out, inc = self.graph.out, self.graph.inc
        n_out = int(out.offsets[here + 1] - out.offsets[here])
        n_in = int(inc.offsets[here + 1] - inc.offsets[here])
        for _ in range(4):
            if n_out + n_in == 0:
                return None
            pick = int(self.random.integers(n_out + n_in))
            forward = pick < n_out
            side, at = (out, out.offsets[here] + pick) if forward else (inc, inc.offsets[here] + pick - n_out)
            relation, there = int(side.relations[at]), int(side.neighbors[at])
            if not self._excluded[relation] and there not in visited:
                return (relation, forward), there
        return None

    def _frontiers(self, topic: int, steps: tuple[Step, ...]) -> list[Ints] | None:
        """Every entity at every position of the chain, or None when one position holds too many."""
        frontiers = [np.array([topic], np.int32)]
        for step in steps:
            reached = expand(self.graph, frontiers[-1], step, self.config.max_frontier)
            if reached is None:
                return None
            frontiers.append(reached)
        return frontiers

    def _fork(
        self, thread: tuple[int, ...], steps: tuple[Step, ...], stations: tuple[int, ...], frontiers: list[Ints]
    ) -> tuple[Branch | None, list[Ints]]:
        """A second topic at a random station, and the narrowed positions from there on."""
        station = int(self.random.integers(len(stations)))
        position = stations[station]
        entity = thread[position]
        move = self._move(entity, list(thread))
        if move is None or self._mediators[move[1]]:
            self._drop("no second topic")
            return None, frontiers
        (relation, forward), second = move
        back = (relation, not forward)
        allowed = expand(self.graph, np.array([second], np.int32), back, self.graph.num_triples)
        assert allowed is not None  # no step leads over more triples than there are
        narrowed = np.intersect1d(frontiers[position], allowed).astype(np.int32)
        if len(narrowed) == len(frontiers[position]):
            # A condition that excludes nothing would be words without meaning.
            self._drop("second topic narrows nothing")
            return None, frontiers
        result = [*frontiers[:position], narrowed]
        for step in steps[position:]:
            reached = expand(self.graph, result[-1], step, self.config.max_frontier)
            assert reached is not None  # fewer starts than the whole chain had, and that stayed below the limit
            result.append(reached)
        return Branch(station + 1, second, (back,)), result
