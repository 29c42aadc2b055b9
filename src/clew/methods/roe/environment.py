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

import numpy as np
from numpy.typing import NDArray

from clew.errors import BudgetError, UnavailableError
from clew.methods.roe.edges import GraphEdges
from clew.methods.roe.options import (
    MAX_ENTITIES,
    Action,
    ExplorationRules,
    ExplorationState,
    PathGroup,
    Pick,
    RelationOption,
    Weigh,
    batches,
    extend,
    facts_of,
    options_of,
    root,
)

Rank = Callable[[Sequence[RelationOption]], list[RelationOption]]
"""Options by how likely they lead to the answer, likeliest first."""


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
        if any(len(option.targets) >= MAX_ENTITIES for option in options):
            self.tally.note(f"a relation leads to more than {MAX_ENTITIES} edges, some are left out")
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
