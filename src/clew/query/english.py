"""A plan as a sentence: what was understood, for whoever asked.

Kept apart because it is read by people only. Words come from labels where a graph is at hand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from clew.errors import ClewError
from clew.graph import Graph
from clew.labels import readable
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.values import shown_number
from clew.query.vocabulary import is_plural

_OPS = {"=": "is", "!=": "is not", "<": "is less than", "<=": "is at most", ">": "is more than", ">=": "is at least",
        "contains": "contains", "starts": "starts with"}  # fmt: skip
_DATE_OPS = {
    "=": "is in",
    "!=": "is not in",
    "<": "is before",
    "<=": "is not after",
    ">": "is after",
    ">=": "is not before",
}
_PLURALS = {"is": "are", "contains": "contain", "starts": "start"}
_PARTICIPLE = re.compile(
    r"(?:\w+ed|born|written|made|known|spoken|given|held|won|built) (?:by|in|at|from|on|for|to|with)\b"
)
_COUNTS = {"=": "exactly", "!=": "not exactly", "<": "fewer than", "<=": "at most", ">": "more than", ">=": "at least"}
_SUMMARIES = {"sum": "the total", "mean": "the average", "min": "the smallest", "max": "the largest"}
_SIGNS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}
_ORDINALS = {1: "second", 2: "third", 3: "fourth", 4: "fifth"}


def sentence(plan: p.Plan, graph: Graph | None = None) -> str:
    """A plan in plain English."""
    return Speaker(graph).plan(plan)


def _kept_from(plan: p.SetPlan) -> p.SetPlan:
    """The set whose members a condition keeps some of."""
    while isinstance(plan, (p.Where, p.WhereCount)):
        plan = plan.of
    return plan


class Speaker:
    """Writes parts of a plan. Others override how a part is said."""

    def __init__(self, graph: Graph | None) -> None:
        self._graph = graph

    def _entity(self, name: str) -> str:
        found = None if self._graph is None else self._graph.number_of(name)
        return readable(name) if found is None or self._graph is None else self._graph.entity_at(found).label

    def _relation(self, name: str) -> str:
        label = readable(name)
        if self._graph is not None:
            try:
                label = self._graph.relation_at(Binding.of(self._graph).relation(name)).label
            except ClewError:  # a sentence is no place to complain: executing the plan says what is missing
                label = readable(name)
        dotted = "." in label[:-1] and not any(map(str.isspace, label))  # a name of Freebase, and no "No. of seats"
        return (label.rsplit(".", 1)[-1] if dotted else label).replace("_", " ")

    def _path(self, path: p.Path) -> str:
        """Words for what lies at the end of a path."""
        said = " of the ".join(
            self._relation(s.relation) if s.forward else f"those whose {self._relation(s.relation)} it is"
            for s in reversed(path)
        )
        return said.replace(" of the those ", " of those ")

    def value(self, value: Any) -> str:
        match value:
            case p.Number(number, unit):
                return f"{shown_number(number)} {unit}".strip()
            case p.Date(text):
                return text
            case p.Text(text):
                return f"“{text}”"
            case p.Entities(ids):
                return " or ".join(dict.fromkeys(map(self._entity, ids)))
        return self.plan(value)

    def _verb(self, path: p.Path, words: str) -> str:
        """A verb after a path, as the number of its last relation's name asks for: "borders are", "capital is"."""
        first, _, rest = words.partition(" ")
        if path and is_plural(self._relation(path[-1].relation)):
            first = _PLURALS.get(first, first)
        return f"{first} {rest}".strip()

    def _having(self, step: p.Step, what: str) -> str:
        """What has `what` at the end of a relation: "those whose capital is Oslo", "those directed by Jane Campion"."""
        name = self._relation(step.relation)
        if _PARTICIPLE.match(name):
            return f"those {name} {what}"
        return f"those whose {name} {'include' if is_plural(name) else 'is'} {what}"

    def _measure(self, path: p.Path, beside: p.Beside | None) -> str:
        """Words for a value: what lies at the end of a path, a time, two numbers put together."""
        match beside:
            case p.Since(since, unit):
                return f"number of {unit} from the {self._path(since)} to the {self._path(path)}"
            case p.Combined(other, sign):
                first = f" of the {self._path(path[:-1])}" if len(path) > 1 else ""
                said = f"{self._path(path[-1:])} {_SIGNS[sign]} {self._path(other)}{first}"
                return said.replace(" of the those ", " of those ")
        return self._path(path)

    def _test(self, test: p.Test) -> str:
        match test:
            case p.Test(path, op, p.Number(0, ""), None, p.Combined(other, "-"), "value"):
                return f"whose {self._path(path)} {_OPS[op]} its {self._path(other)}"
        what = f"whose {self._path(test.path)}" if test.path else "which"
        if test.how != "value" or test.beside is not None:
            between = "" if test.upper is None else f" and {self.value(test.upper)}"
            verb = "is between" if between else _OPS[test.op]
            key = self._key(p.Key(test.path, test.how, test.among, test.beside))
            return f"whose {key} {verb} {self.value(test.value)}{between}"
        if test.upper is not None:
            return f"{what} {self._verb(test.path, 'is between')} {self.value(test.value)} and {self.value(test.upper)}"
        words = _DATE_OPS if isinstance(test.value, p.Date) and test.op in _DATE_OPS else _OPS
        verb = self._verb(test.path, words[test.op])
        if isinstance(test.value, p.Entities):  # one of several things is no sum of them
            verb = {"are": "include", "are not": "do not include"}.get(verb, verb)
        return f"{what} {verb} {self.value(test.value)}"

    def _among(self, path: p.Path, among: p.SetPlan | None, beside: p.Beside | None = None) -> str:
        """What is counted or added up: "borders", "club of (room)"."""
        said = self._measure(path, beside) or "value"
        if among is None:
            return said
        return f"{said} ({self._entity(among.id) if isinstance(among, p.Class) else f'of {self.plan(among)}'})"

    def _key(self, key: p.Key) -> str:
        path = self._among(key.path, key.among, key.beside)
        return {"value": path, "count": f"number of {path}", "sum": f"total {path}", "mean": f"average {path}"}[key.how]

    def plan(self, node: p.Plan) -> str:
        match node:
            case p.Entities():
                return self.value(node)
            case p.Class(id):
                return f"every {self._entity(id)}"
            case p.EdgesOf(relation):
                return f"every “{self._relation(relation)}” edge"
            case p.All():
                return "everything"
            case p.Follow(of, path, qualifiers):
                tests = "".join(f", {self._test(t)}" for t in qualifiers)
                last = path[-1]
                start = self.plan(of)
                if last.forward:
                    return f"the {self._path(path)} of {start}{tests}"
                before = f"the {self._path(path[:-1])} of {start}" if path[:-1] else start
                return f"{self._having(last, before)}{tests}"
            case p.And(sets):
                return self._all_of(sets)
            case p.Or(sets):
                return ", or ".join(map(self.plan, sets))
            case p.Minus(of, without):
                return f"{self.plan(of)}, except {self.plan(without)}"
            case p.Where(of, test):
                return f"{self.plan(of)}, {self._test(test)}"
            case p.WhereCount(of, path, op, n, among):
                if isinstance(n, tuple):
                    counted = self._key(p.Key(path, "count", among))
                    return f"{self.plan(of)}, whose {counted} {_OPS[op]} their {self._measure(n, None)}"
                return f"{self.plan(of)}, with {_COUNTS[op]} {n} {self._among(path, among)}"
            case p.Top():
                return self._top(node)
            case p.Compare(a, b, key, largest):
                which = "larger" if largest else "smaller"
                return f"{self.plan(a)} or {self.plan(b)}, the one with the {which} {self._key(key)}"
            case p.Values(of, path):
                return f"the {self._path(path)} of {self.plan(of)}" if path else self.plan(of)
            case p.Count(of):
                return f"the number of: {self.plan(of)}"
            case p.Aggregate(_, p.Entities((_,)) as of, path, p.Since() as since):
                return f"the {self._measure(path, since)} of {self.plan(of)}"
            case p.Aggregate(how, of, path, beside):
                return f"{_SUMMARIES[how]} {self._measure(path, beside) or 'value'} of {self.plan(of)}"
            case p.Difference(a, b, key, str() as unit):
                return f"the number of {unit} from the {self._key(key)} of {self.plan(b)} to that of {self.plan(a)}"
            case p.Difference(a, b, key):
                return f"the {self._key(key)} of {self.plan(a)} less that of {self.plan(b)}"
            case p.Arithmetic(sign, a, b):
                return f"{self.plan(a)} {_SIGNS[sign]} {self.plan(b)}"
            case p.Exists(of):
                return f"whether there is: {self.plan(of)}"
            case p.Is(of, within):
                return f"whether {self.plan(of)} is among {self.plan(within)}"
        raise TypeError(f"no plan: {node!r}")

    def _all_of(self, sets: Sequence[p.SetPlan]) -> str:
        """A set and what else holds of its members: "every city whose country is Japan"; classes first, and none that
        another set is part of already."""
        sets = [each for each in sets if not any(each == _kept_from(other) for other in sets if other != each)]
        if len(sets) == 1:
            return self.plan(sets[0])
        said = self._edges_at(sets) or [
            self.plan(each) for each in sorted(sets, key=lambda each: not isinstance(each, p.Class))
        ]
        whose = [text.removeprefix("those ") for text in said[1:] if text.startswith("those ")]
        others = [text for text in said[1:] if not text.startswith("those ")]
        joined = (" and " if said[0].startswith("those ") else " ") + " and ".join(whose) if whose else ""
        return said[0] + joined + "".join(f", if also in: {text}" for text in others)

    def _edges_at(self, sets: Sequence[p.SetPlan]) -> list[str]:
        """The edges of a relation at what they are said to touch: "every “mark” edge at Spring Maths"; none where there
        are no such sets."""
        of = next((each for each in sets if isinstance(each, p.EdgesOf)), None)
        ends, others = list[str](), list[str]()
        for each in sets if of is not None else ():
            if isinstance(each, p.Follow) and not each.qualifiers and [s.relation for s in each.path] == [of.relation]:  # type: ignore[union-attr]
                ends.append(f" at {self.plan(each.of)}")
            elif each != of:
                others.append(self.plan(each))
        return [self.plan(of) + "".join(ends), *others] if of is not None and ends else []

    def _top(self, node: p.Top) -> str:
        most = "largest" if node.largest else "smallest"
        if node.k == 1:
            which = f"{_ORDINALS.get(node.skip, f'{node.skip + 1}th')} {most}" if node.skip else most
            return f"{self.plan(node.of)}, the one with the {which} {self._key(node.key)}"
        after = f", after the first {node.skip}" if node.skip else ""
        return f"{self.plan(node.of)}, the {node.k} with the {most} {self._key(node.key)}{after}"
