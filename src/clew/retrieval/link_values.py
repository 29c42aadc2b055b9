"""What is said of a link and not of a thing: "voted against the motion", "reached over grpc", "joined as a singer".

A link with properties has a nameless node beside it that carries them, and so has an n-ary fact. Where a question says
one of their values, and a plan walks the links whatever their value, only the links with this value are walked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from clew.graph import Graph
from clew.graph.sets import surroundings
from clew.query import plan as p
from clew.query.execute import ExecutionLimits, Executor
from clew.query.vocabulary import forms
from clew.retrieval.lexicon import WORD, Lexicon, stems
from clew.retrieval.method_sets import beginning
from clew.retrieval.words import FUNCTION
from clew.types import Question

MOST_LINKS = 20_000  # links of one step that are looked at
MOST_VALUES = 200  # different values of a property, above which it is a name and no kind of link
_ORDER = frozenset("first last next only most least other another same more less all any some no not one two".split())  # noqa: SIM905


def of_said_links(plan: p.Plan, question: Question, graph: Graph) -> p.Plan:
    """A plan that walks only the links whose values a question says; the same plan where it says none.

    A value of function words counts directly behind the word that names the link alone ("voted for").
    """
    made: p.Plan = _Links(plan, question, graph).of(plan)
    return made


class _Links:
    """The links of one plan."""

    def __init__(self, plan: p.Plan, question: Question, graph: Graph) -> None:
        self._graph, self._lexicon = graph, Lexicon.of(graph)
        self._executor = Executor(graph, ExecutionLimits())  # remembers the sets that several readings share
        self._words = [word for word in WORD.findall(question.text.lower()) if word != ","]
        self._forms = [forms(word) for word in self._words]
        ids = tuple(dict.fromkeys(id for node in p.walk(plan) if isinstance(node, p.Entities) for id in node.ids))
        numbers = [number for id in ids if (number := graph.number_of(id)) is not None]
        self._named = set(ids)
        self._named_stems = {each for label in graph.labels_at(numbers) for each in stems(label)}
        steps = (node for node in p.walk(plan) if isinstance(node, p.Step))
        self._walked = {each for step in steps for each in stems(self._label(step))}

    def of(self, node: Any) -> Any:
        """A part of the plan; steps before those inside them, since two steps may be one link."""
        if isinstance(node, tuple):
            return tuple(self.of(each) for each in node)
        if not isinstance(node, p.Plan):
            return node
        if isinstance(node, p.Follow) and not node.qualifiers and (said := self._said(node)) != node:
            return replace(said, of=self.of(said.of))
        made = p.rebuilt(node, self.of)
        return self._joined(made) if isinstance(made, p.And) else made

    def _said(self, node: p.Follow) -> p.Follow:
        """A step over the links whose value the question says."""
        for links, path in _over_links(node):
            for prop, values in self._values(links, path):
                said = [id for id, label in values if self._is_said(id, label, path[0])]
                if len(said) == 1:
                    made = replace(links, path=path, qualifiers=(_is(prop, said),))
                    if self._finds(made):
                        return made
        return node

    def _joined(self, node: p.And) -> p.SetPlan:
        """One condition for two: what X calls and what is called over grpc is what X calls over grpc."""
        for at, value in enumerate(node.sets):
            if not (isinstance(value, p.Follow) and isinstance(value.of, p.Follow)):
                continue
            named, back = value.of.of, value.of.path
            if not isinstance(named, p.Entities) or len(back) != 1 or back[0].forward or len(value.path) != 1:
                continue
            for place, other in enumerate(node.sets):
                if place == at or not isinstance(other, p.Follow) or other.qualifiers or beginning(other) == named:
                    continue
                for links, path in _over_links(other):
                    made = replace(links, path=path, qualifiers=(_is(p.Step(back[0].relation), named.ids),))
                    if value.path[0].relation in (step.relation for step in path) and self._finds(made):
                        kept = [made if i == place else each for i, each in enumerate(node.sets) if i != at]
                        joined = p.And(tuple(kept)) if len(kept) > 1 else made
                        if self._finds(joined):
                            return joined
        return node

    def _values(self, links: p.Follow, path: p.Path) -> list[tuple[p.Step, list[tuple[str, str]]]]:
        """The properties of the links that a path walks, each with the ids and labels of its values."""
        members = self._executor.found(replace(links, path=path[:1]))
        members = members[self._graph.mediators_at(members)]
        if not 0 < len(members) <= MOST_LINKS:
            return []
        walked, found = {step.relation for step in path}, []
        for (relation, forward), ends in surroundings(self._graph.whole, members):
            step = p.Step(self._graph.relation_at(relation).id, forward)
            told = forward and step.relation not in walked and relation not in self._lexicon.silent
            if told and len(ends) <= MOST_VALUES and not self._graph.mediators_at(ends).any():
                values = zip(self._graph.ids_at(ends), self._graph.labels_at(ends), strict=True)
                found.append((step, list(values)))
        return found

    def _is_said(self, id: str, label: str, step: p.Step) -> bool:
        """Whether the question says a value, and means the link by it."""
        value = [word for word in WORD.findall(label.lower()) if word != ","]
        if not value or id in self._named or not any(word.isalpha() for word in value) or set(value) & _ORDER:
            return False
        content = [word for word in value if word not in FUNCTION]
        known = {each for word in value for each in forms(word)}
        if content and (known <= self._named_stems or known & self._walked or stems(label) in self._lexicon.classes):
            return False  # these words have told something else
        for at in range(len(self._words) - len(value) + 1):
            if all(forms(word) & self._forms[at + i] for i, word in enumerate(value)):
                link = {each for part in stems(self._label(step)) for each in forms(part)}
                if content or (at > 0 and self._forms[at - 1] & link):
                    return True
        return False

    def _label(self, step: p.Step) -> str:
        return self._lexicon.labels.get(step.relation, "")

    def _finds(self, plan: p.SetPlan) -> bool:
        return len(self._executor.found(plan)) > 0


def _over_links(node: p.Follow) -> list[tuple[p.Follow, p.Path]]:
    """How a node may be read as a step over links: where from, and the two relations around their nameless nodes."""
    if len(node.path) == 2:
        return [(node, node.path)]
    found: list[tuple[p.Follow, p.Path]] = [
        (node, (node.path[0], node.path[0]))
    ]  # an edge and its node have one relation
    if isinstance(node.of, p.Follow) and len(node.of.path) == 1 and not node.of.qualifiers:
        found.append((node.of, (*node.of.path, *node.path)))
    return found


def _is(prop: p.Step, ids: Iterable[str]) -> p.Test:
    return p.Test((prop,), "=", p.Entities(tuple(ids)))
