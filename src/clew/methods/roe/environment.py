"""Exploration as a pure state machine: `prompt()` says what is seen, `advance(reply)` takes a step, `done` ends it.

It never calls a model and draws nothing at random, so answering and training walk exactly the same states. A
*path group* is a relation path with the entities it leads to: one entity in the paper's sense, or all that share the
relations, so that a question with 500 answers does not take 500 steps. What a reply may pick are the *options* of its
state; nothing that is no edge of the graph can be picked.

Shapes: F entities of a path group's frontier, M entities of an option.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.errors import BudgetError, UnavailableError
from clew.graph.subgraph import Ints
from clew.methods.roe.config import Repeats, Siblings
from clew.methods.roe.edges import FrontierMoves, GraphEdges, hop
from clew.types import Path


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

    def steps(self, row: int) -> list[tuple[int, int]]:
        """(triple, code) of the path that ends at a row."""
        walked: list[tuple[int, int]] = []
        path_group: PathGroup = self
        while path_group.before is not None:
            walked.append((int(path_group.triples[row]), path_group.codes[-1]))
            row, path_group = int(path_group.parents[row]), path_group.before
        return walked[::-1]

    def entities_met(self, row: int) -> list[int]:
        """The entities of the path that ends at a row, its topic left out."""
        met: list[int] = []
        path_group: PathGroup = self
        while path_group.before is not None:
            met.append(int(path_group.entities[row]))
            row, path_group = int(path_group.parents[row]), path_group.before
        return met[::-1]

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
    max_entities: int = 20_000
    every_batch: bool = False
    max_batches: int = 0  # of one state's neighbours, where they are ranked; 0: all


class Rank(Protocol):
    """Options by how likely they lead to the answer, likeliest first."""

    def __call__(self, options: Sequence[RelationOption], /) -> list[RelationOption]: ...


class Weigh(Protocol):
    """How many tokens an option takes in a prompt."""

    def __call__(self, option: RelationOption, /) -> int: ...


@dataclass(eq=False)
class StepAnswers:
    """Answers of one step: the members of an option that were named, and how sure the model was."""

    option: RelationOption
    edges: NDArray[np.intp]
    logprob: float


@dataclass(eq=False)
class Tally:
    """What an exploration did and cost."""

    calls: int = 0
    tokens: int = 0
    invalid: int = 0
    unreadable: int = 0
    explored: int = 0
    cut: dict[int, None] = field(
        default_factory=dict
    )  # entities of which the store gave as many triples as were asked for
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


class Exploration:
    """One question's walk."""

    def __init__(
        self,
        topics: Sequence[int],
        edges: GraphEdges,
        plan: ExplorationRules,
        weigh: Weigh,
        clock: Callable[[], float] = time.monotonic,
        *,
        rank: Rank | None = None,
    ) -> None:
        self.edges, self.plan, self.tally = edges, plan, Tally()
        self.found: list[StepAnswers] = []
        self.ended: list[tuple[PathGroup, int]] = []  # rows of path groups that were named as answers
        self.unseen: list[str] = []
        self.stopped = ""  # why it ended before its time
        self._weigh, self._rank, self._clock, self._begun = weigh, rank, clock, clock()
        self._waiting: list[ExplorationState] = []  # a stack: depth first
        self._next: list[PathGroup] = []  # of the next depth, when states are levels
        self._opened: dict[int, int] = {}
        self._seen: set[tuple[object, ...]] = set()
        path_groups = [root(topic) for topic in dict.fromkeys(topics)]
        for group in [path_groups] if plan.level else [[path_group] for path_group in reversed(path_groups)]:
            self._open(group)
        self._move_on()

    @property
    def done(self) -> bool:
        return bool(self.stopped) or not self._waiting

    def prompt(self) -> ExplorationState:
        """The state that waits for a reply."""
        return self._waiting[-1]

    def advance(self, action: Action, *, tokens: int = 0, logprob: float = 0.0) -> None:
        """Take the step that `action` says for the present state."""
        state = self._waiting.pop()
        tally = self.tally
        tally.calls += 1
        tally.tokens += tokens
        tally.invalid += len(action.invalid)
        tally.unreadable += bool(action.problem)
        self.unseen += action.unseen
        for option, edges in self._picked(state, action.answers):
            self.found.append(StepAnswers(option, edges, option.path_group.logprob + logprob))
        self.ended += [
            (state.path_groups[-1 - pick.option], pick.member or 0) for pick in action.answers if pick.option < 0
        ]
        if action.answers and self.plan.siblings == "group" and not self.plan.every_batch:
            # The model was told to name all and to look no further: the rest of a hub would be asked for nothing.
            # Where the likeliest relations came first, so would the rest of the hubs that led here.
            over = list(state.path_groups)
            while self._rank is not None and (before := over[-1].before) is not None:
                over.append(before)
            self._waiting = [
                each for each in self._waiting if not any(own is done for own in each.path_groups for done in over)
            ]
        children = [
            child
            for option, edges in self._picked(state, action.explore)
            for child in self._children(option, edges, option.path_group.logprob + logprob)
        ]
        tally.explored += len(children)
        if state.depth + 1 < self.plan.max_depth:
            if self.plan.level:
                self._next += children
            else:
                for child in reversed(self._admitted(children)):
                    self._open([child])
        self._move_on()

    def stop(self, why: str) -> None:
        """End here; what was found stays."""
        self.stopped = why

    def _move_on(self) -> None:
        """Find the next state, or the reason why there is none."""
        if not self._waiting and self._next:
            path_groups, self._next = self._admitted(self._next), []
            self._open(path_groups)
        if self._waiting and not self.stopped:
            plan, tally = self.plan, self.tally
            if tally.calls >= plan.max_calls:
                self.stop(f"stopped after {tally.calls} calls (max_calls)")
            elif plan.max_tokens and tally.tokens >= plan.max_tokens:
                self.stop(f"stopped after {tally.tokens} tokens (max_question_tokens)")
            elif plan.max_seconds and self._clock() - self._begun >= plan.max_seconds:
                self.stop(f"stopped after {plan.max_seconds:g} seconds (max_seconds)")

    def _admitted(self, path_groups: list[PathGroup]) -> list[PathGroup]:
        """Those not walked before, as many as the depth has room for."""
        new: list[PathGroup] = []
        for path_group in path_groups:
            if path_group.key in self._seen:
                continue
            depth = len(path_group.codes)
            if self._opened.get(depth, 0) >= self.plan.max_frontier:
                self.tally.note(f"more than {self.plan.max_frontier} paths of {depth} hops (max_frontier)")
                break
            self._seen.add(path_group.key)
            self._opened[depth] = self._opened.get(depth, 0) + 1
            new.append(path_group)
        return new

    def _open(self, path_groups: Sequence[PathGroup]) -> None:
        """Look at the neighbours of some path groups, and queue one state for each batch of them."""
        try:
            options = [option for path_group in path_groups for option in options_of(path_group, self.edges, self.plan)]
            # Weighing may ask the graph too, for the facts of mediators.
            parts = list(batches(options, self.plan, self._weigh))
            if len(parts) > 1 and self._rank is not None:
                parts = list(batches(self._rank(options), self.plan, self._weigh))
                if left := sum(map(len, parts[self.plan.max_batches or len(parts) :])):
                    self.tally.note(f"{left} relations least like the question were not shown (max_batches)")
                    parts = parts[: self.plan.max_batches]
            states = [ExplorationState(tuple(path_groups), part) for part in parts]
        except (UnavailableError, BudgetError) as error:
            self.stop(f"the graph stopped answering, so this answer is partial: {error}")
            return
        if any(len(option.targets) >= self.plan.max_entities for option in options):
            self.tally.note(f"a relation leads to more than {self.plan.max_entities} edges (max_entities)")
        for path_group in path_groups:
            self.tally.cut.update(dict.fromkeys(self.edges.cut(path_group.entities)))
        self._waiting += reversed(states)

    def _picked(
        self, state: ExplorationState, picks: Sequence[Pick]
    ) -> Iterator[tuple[RelationOption, NDArray[np.intp]]]:
        """The picked edges in the reply's order, once per option; a mediator's fact is an option of its own."""
        wanted: dict[int, list[int | None]] = {}
        for pick in picks:
            if pick.option >= 0 and pick.fact is None:
                wanted.setdefault(pick.option, []).append(pick.member)
        for pick in dict.fromkeys(picks):
            if pick.fact is not None and pick.member is not None:
                facts = facts_of(state.options[pick.option], pick.member, self.edges)
                yield facts[pick.fact], np.arange(1)
            elif (members := wanted.pop(pick.option, None)) is not None:
                option = state.options[pick.option]
                edges = np.concatenate([option.taken(member) for member in ([None] if None in members else members)])
                yield option, edges[np.sort(np.unique(edges, return_index=True)[1])]

    def _children(self, option: RelationOption, edges: NDArray[np.intp], logprob: float) -> Iterator[PathGroup]:
        if self.plan.siblings == "group":
            yield extend(option, edges, logprob)
            return
        for member in dict.fromkeys(option.targets[edges].tolist()):
            yield extend(option, edges[option.targets[edges] == member][:1], logprob)


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
        last = min(last, first + plan.max_entities)
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
    walked = [*option.path_group.steps(int(option.rows[edge])), (int(option.triples[edge]), option.code)]
    return _record(edges, option.path_group, walked, score)


def path_to(edges: GraphEdges, path_group: PathGroup, row: int, score: float) -> Path:
    """The evidence behind a row of a path group."""
    return _record(edges, path_group, path_group.steps(row), score)


def _record(edges: GraphEdges, path_group: PathGroup, walked: list[tuple[int, int]], score: float) -> Path:
    return Path(edges.entity(path_group.topic), tuple(hop(edges, triple, code) for triple, code in walked), score)
