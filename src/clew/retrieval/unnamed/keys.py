"""All that the members of a set can be compared by: figures, dates, counts and sums, of themselves and a step away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from clew.errors import ClewError
from clew.graph import Graph
from clew.graph.kinds import TRUTHS
from clew.graph.subgraph import Ints
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import Column, column
from clew.query.execute import ExecutionLimits, Executor
from clew.query.keys import Keys, steps_of
from clew.query.meanings import measures, spelled_out
from clew.query.periods import Periods
from clew.retrieval.lexicon import Lexicon, one_kind

LOOKED_AT = 2000  # members of a set
NAMED = 20_000  # things of a graph without kinds
SOME = 20  # ends that tell what all are
OFTEN = 0.3  # share of what a step leads to that must have another one which is counted
MOST = 60  # keys of one set
LASTING = 2  # pairs of dates
NUMBER_OF = "number of "


@dataclass(frozen=True, slots=True)
class PossibleKey:
    """A path to what may be compared or counted."""

    path: p.Path
    how: p.How
    label: str  # of its relations, in words
    text: str  # what it is, in words
    share: float  # of the members that have it
    column: Column | None = None  # of values
    single: bool = False  # a count of what each member has one of
    since: p.Since | None = None  # what is compared is how long it took

    @property
    def dated(self) -> bool:
        return self.column is not None and self.column.kind == "date"

    @property
    def measures(self) -> bool:
        """Whether it can be compared: no telephone is the largest."""
        return self.column is None or self.dated or measures(self.label)

    @property
    def sort(self) -> str:
        """Which other keys it stands beside: dates, numbers, counts, sums, times."""
        if self.since is not None:
            return "span"
        return self.how if self.column is None or self.how != "value" else self.column.kind


class EveryKey:
    """What the things of one graph have."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self._binding = graph, Binding.of(graph)
        self._executor = Executor(graph, ExecutionLimits(pairs=5_000_000))

    def members(self, plan: p.SetPlan) -> Ints:
        """Some thousands of a set's members; none where a plan cannot be executed within its limits."""
        if isinstance(plan, p.All):
            numbers = np.arange(min(self.graph.num_entities, NAMED), dtype=np.int32)
            return numbers[~(self.graph.mediators_at(numbers) | self.graph.literals_at(numbers))][:LOOKED_AT]
        return self.found(plan)[:LOOKED_AT]

    def found(self, plan: p.SetPlan) -> Ints:
        try:
            return self._executor.members(plan)
        except ClewError:
            return np.empty(0, np.int32)

    def counts(self, members: Ints, path: p.Path) -> Ints:
        """(M,) how many things a path leads to from each member."""
        counted: Ints = np.bincount(self._executor.pairs(members, path)[0], minlength=len(members)).astype(np.int32)
        return counted

    def of(self, members: Ints) -> list[PossibleKey]:
        """What some things have, what most of them have first."""
        return sorted(self._each(members), key=lambda key: -key.share)[:MOST]

    def lasting(self, plan: p.SetPlan) -> list[PossibleKey]:
        """How long the members of a set went on."""
        periods = Periods(self.graph, Keys(self.graph)).of(plan)[:LASTING]
        labels = [self._label(each.until) for each in periods]
        return [
            PossibleKey((each.until,), "value", label, f"duration {label}", each.share, since=each.span())
            for each, label in zip(periods, labels, strict=True)
        ]

    def _each(self, members: Ints) -> Iterator[PossibleKey]:
        for step, share in steps_of(self.graph, members):
            values, label = self._column(step), self._label(step)
            if self._is_type(step):
                continue
            if values is not None:
                yield PossibleKey((step,), "value", label, label, share, values)
                continue
            owners, reached = self._executor.pairs(members, (step,))
            single, ends = len(np.unique(owners)) == len(owners), np.unique(reached)
            if not len(ends) or self._are_flags(ends):
                continue
            kind = self._kind(ends)
            yield PossibleKey((step,), "count", label, f"{NUMBER_OF}{kind} {label}", share, single=single)
            if not self.graph.literals_at(ends[:SOME]).all():
                yield from self._beyond(step, share, ends, single)

    def _beyond(self, step: p.Step, share: float, ends: Ints, single: bool) -> Iterator[PossibleKey]:
        """What the things have that a step leads to: of several things a figure adds up."""
        unnamed = bool(self.graph.mediators_at(ends[:SOME]).all())
        for second, part in steps_of(self.graph, ends, backward=unnamed):
            if second.relation == step.relation or self._is_type(second):
                continue
            path, label, values = (step, second), f"{self._label(step)} {self._label(second)}", self._column(second)
            if values is not None:
                if not single and values.kind == "number":
                    yield PossibleKey(path, "sum", label, f"total {label}", share * part, values)
                yield PossibleKey(path, "value", label, label, share * part, values)
            elif part > OFTEN:
                reached = np.unique(self._executor.pairs(ends[:LOOKED_AT], (second,))[1])
                if len(reached) and not self.graph.literals_at(reached[:SOME]).any():
                    yield PossibleKey(path, "count", label, f"{NUMBER_OF}{self._kind(reached)} {label}", share * part)

    def _column(self, step: p.Step) -> Column | None:
        """The values that a step leads to, where they have an order."""
        found = column(self.graph, self._binding.relation(step.relation)) if step.forward else None
        return found if found is not None and found.ordered else None

    def _label(self, step: p.Step) -> str:
        return spelled_out(self.graph.relation_at(self._binding.relation(step.relation)).label)

    def _is_type(self, step: p.Step) -> bool:
        return self._binding.relation(step.relation) in self._binding.type_relations

    def _are_flags(self, ends: Ints) -> bool:
        return len(ends) <= 2 and {text.lower() for text in self.graph.labels_at(ends)} <= TRUTHS

    def _kind(self, ends: Ints) -> str:
        """The name of the kind of the first of some things."""
        kind = one_kind(self.graph, self.graph.ids_at(ends[:1]))
        return "" if kind is None else Lexicon.of(self.graph).class_ids[kind.id]
