"""Paths and what may extend them: the values that an exploration works with, without its rules' state.

A *path group* is a relation path with the entities it leads to; an *option* is the edges by one relation out of it.

Shapes: F entities of a path group's frontier, M entities of an option, E edges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.graph.subgraph import Ints
from clew.methods.roe.config import Repeats, Siblings
from clew.methods.roe.edges import FrontierMoves, GraphEdges
from clew.types import Hop, Path

MAX_ENTITIES = 20_000  # edges of a relation option; one beyond it is cut, and the answer says so


@dataclass(frozen=True, eq=False)
class PathGroup:
    """Paths that share their topic and relations; row i of the frontier came over triples[i] from row parents[i]."""

    entities: Ints  # (F,)
    parents: Ints  # (F,) rows of `before`; -1 at the topic
    triples: Ints  # (F,) -1 at the topic
    codes: tuple[int, ...] = ()
    before: PathGroup | None = None
    logprob: float = 0.0  # of the replies that led here, where the model gives such

    @property
    def topic(self) -> int:
        return int(self.entities[0]) if self.before is None else self.before.topic

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for path groups that are the same paths."""
        return self.topic, self.codes, self.entities.tobytes(), self.triples.tobytes()

    def steps(self, row: int) -> list[tuple[int, int, int]]:
        """(triple, code, entity reached) of each step of the path that ends at a row."""
        walked: list[tuple[int, int, int]] = []
        group: PathGroup = self
        while group.before is not None:
            walked.append((int(group.triples[row]), group.codes[-1], int(group.entities[row])))
            row, group = int(group.parents[row]), group.before
        return walked[::-1]

    def meets(self, rows: Ints, targets: Ints) -> NDArray[np.bool_]:
        """(M,) whether targets[i] lies on the path that ends at rows[i]."""
        met = np.zeros(len(rows), bool)
        path_group: PathGroup | None = self
        while path_group is not None:
            met |= path_group.entities[rows] == targets
            rows, path_group = path_group.parents[rows], path_group.before
        return met


def root(topic: int) -> PathGroup:
    nowhere = np.array([-1], np.int32)
    return PathGroup(np.array([topic], np.int32), nowhere, nowhere)


@dataclass(frozen=True, eq=False)
class RelationOption:
    """The edges by one relation out of a path group's frontier; its members: the (M,) entities at their other ends."""

    path_group: PathGroup
    code: int
    rows: Ints  # (E,) of the path group
    targets: Ints  # (E,)
    triples: Ints  # (E,)
    shown: int  # so many members have a number of their own

    @cached_property
    def members(self) -> Ints:
        """(M,) distinct ends, in their order."""
        ends, first = np.unique(self.targets, return_index=True)
        return ends[np.argsort(first)]

    @property
    def codes(self) -> tuple[int, ...]:
        return (*self.path_group.codes, self.code)

    def taken(self, member: int | None) -> NDArray[np.intp]:
        """Positions of the edges to one member, or to all."""
        if member is None:
            return np.arange(len(self.targets))
        return np.flatnonzero(self.targets == self.members[member])


class Pick(NamedTuple):
    """All of an option, one member, or one fact of a member (see `facts_of`).

    A negative option -1 - t means row `member` of path group t itself.
    """

    option: int
    member: int | None = None
    fact: int | None = None


@dataclass(frozen=True)
class Action:
    """What a reply says, as far as it can be done."""

    answers: tuple[Pick, ...] = ()
    explore: tuple[Pick, ...] = ()
    unseen: tuple[str, ...] = ()  # answers that are no entity of the state
    invalid: tuple[str, ...] = ()  # what was asked for and is no edge here
    problem: str = ""  # why nothing could be read


@dataclass(frozen=True, eq=False)
class ExplorationState:
    """What one prompt shows."""

    path_groups: tuple[PathGroup, ...]
    options: tuple[RelationOption, ...]

    @property
    def depth(self) -> int:
        return len(self.path_groups[0].codes)


@dataclass(frozen=True)
class ExplorationRules:
    """The rules of an exploration; see Config."""

    level: bool = False
    siblings: Siblings = "group"
    repeats: Repeats = "nothing"
    max_depth: int = 5
    max_frontier: int = 16
    max_calls: int = 64
    max_tokens: int = 0
    max_seconds: float = 0.0
    batch_triples: int = 50
    batch_tokens: int = 1500
    batch_options: int = 1000
    shown: int = 5
    every_batch: bool = False
    max_batches: int = 0  # of one state's neighbours, where they are ranked; 0: all


Weigh = Callable[[RelationOption], int]
"""How many tokens an option takes in a prompt."""


def extend(option: RelationOption, edges: NDArray[np.intp] | None = None, logprob: float = 0.0) -> PathGroup:
    """The path group that goes on over an option's edges.

    An entity reached several times keeps two ways, which is what the check for repeats one hop later needs.
    """
    chosen = option.taken(None) if edges is None else edges
    targets = option.targets[chosen]
    order = np.argsort(targets, kind="stable")
    ranked = targets[order]
    third = np.zeros(len(order), bool)
    third[2:] = ranked[2:] == ranked[:-2]
    kept = chosen[np.sort(order[~third])]
    return PathGroup(
        option.targets[kept], option.rows[kept], option.triples[kept], option.codes, option.path_group, logprob
    )


def facts_of(option: RelationOption, member: int, edges: GraphEdges) -> list[RelationOption]:
    """What a member has beside what led to it, one edge each: what is shown of a mediator, and may be picked.

    In a fixed order; nothing that leads back to the path.
    """
    behind = extend(option, option.taken(member)[:1])
    moves = edges.moves(behind.entities)
    new = ~behind.meets(moves.rows, moves.targets) & (behind.triples[moves.rows] != moves.triples)
    forward = moves.codes % 2 == 0
    # What the graph states in both directions is one fact.
    new &= forward | ~np.isin(moves.targets, moves.targets[new & forward])
    once = np.flatnonzero(new)
    return [
        RelationOption(behind, int(moves.codes[i]), moves.rows[[i]], moves.targets[[i]], moves.triples[[i]], 1)
        for i in once.tolist()
    ]


def options_of(path_group: PathGroup, edges: GraphEdges, plan: ExplorationRules) -> list[RelationOption]:
    """What a path group can be extended by, relation by relation."""
    moves = edges.moves(path_group.entities)
    if plan.repeats == "nothing":
        allowed = ~path_group.meets(moves.rows, moves.targets)
    else:
        allowed = path_group.triples[moves.rows] != moves.triples
    moves = FrontierMoves(*(column[allowed] for column in moves))
    bounds = [0, *(np.flatnonzero(np.diff(moves.codes)) + 1).tolist(), len(moves.codes)]
    found: list[RelationOption] = []
    for first, last in pairwise(bounds):
        if first == last:
            continue
        last = min(last, first + MAX_ENTITIES)
        step = plan.batch_triples if plan.siblings == "each" else last - first
        for at in range(first, last, step):
            part = slice(at, min(at + step, last))
            shown = step if plan.siblings == "each" else plan.shown
            found.append(
                RelationOption(
                    path_group,
                    int(moves.codes[first]),
                    moves.rows[part],
                    moves.targets[part],
                    moves.triples[part],
                    shown,
                )
            )
    return found


def batches(
    options: Sequence[RelationOption], plan: ExplorationRules, weigh: Weigh
) -> Iterator[tuple[RelationOption, ...]]:
    """Options in order, as many together as the triples, tokens and options of a batch allow; at least one."""
    batch: list[RelationOption] = []
    triples = tokens = 0
    for option in options:
        size, weight = min(option.shown, len(option.members)), weigh(option)
        full = (
            triples + size > plan.batch_triples
            or tokens + weight > plan.batch_tokens
            or len(batch) >= plan.batch_options
        )
        if batch and full:
            yield tuple(batch)
            batch, triples, tokens = [], 0, 0
        batch.append(option)
        triples, tokens = triples + size, tokens + weight
    if batch:
        yield tuple(batch)


def path_of(edges: GraphEdges, option: RelationOption, edge: int, score: float) -> Path:
    """The evidence behind one edge of an option."""
    return path_to(edges, extend(option, np.array([edge])), 0, score)


def path_to(edges: GraphEdges, path_group: PathGroup, row: int, score: float) -> Path:
    """The evidence behind a row of a path group."""
    hops = (Hop(edges.triple(triple), code % 2 == 0) for triple, code, _ in path_group.steps(row))
    return Path(edges.entity(path_group.topic), tuple(hops), score)
