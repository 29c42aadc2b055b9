"""Plans in the words of people, for a network that reads them beside a question.

Unlike `clew.query.english`, which says exactly what is computed, here words matter that questions have: "the latest
date" and not the largest, "every dog with the most stays", "every booking without a paid on", "that is the fitter of
any workshop job". Nobody is shown these.
"""

from __future__ import annotations

from collections.abc import Sequence

from clew.errors import ClewError
from clew.graph import Graph
from clew.labels import label_to_text
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.english import Speaker

_SUMMARIES = {"sum": "the total", "mean": "the average", "min": "the lowest", "max": "the highest"}
_COUNTS = {"=": "exactly", "!=": "other than", "<": "fewer than", "<=": "at most", ">": "more than", ">=": "at least"}
_HELD = {
    "<": "fewer {} than", "<=": "no more {} than", ">": "more {} than", ">=": "as many {} as", "=": "as many {} as",
    "!=": "not as many {} as",
}  # fmt: skip
_HOW = {"sum": "total", "mean": "average"}


def in_words(plan: p.Plan, graph: Graph) -> str:
    """A plan as the cross-encoder reads it."""
    return _Writer(graph).plan(plan)


class _Writer(Speaker):
    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._of: Graph = graph

    def _entity(self, name: str) -> str:
        return label_to_text(super()._entity(name))

    def _relation(self, name: str) -> str:
        return label_to_text(super()._relation(name)).lower()

    def _dated(self, path: p.Path) -> bool:
        if not path or not path[-1].forward:
            return False
        try:
            return column(self._of, Binding.of(self._of).relation(path[-1].relation)).kind == "date"
        except ClewError:
            return False

    def _end(self, key: p.Key, largest: bool) -> str:
        if not isinstance(key.beside, p.Since) and self._dated(key.path):
            return "latest" if largest else "earliest"
        return "highest" if largest else "lowest"

    def _events(self, path: p.Path, among: p.SetPlan | None) -> str:
        """What lies at the end of a path that is counted or stands before a figure: "stays (dog)"."""
        said = " of ".join(self._relation(step.relation) for step in reversed(path))
        if among is None:
            return said
        if isinstance(among, p.Class):
            return f"{self._entity(among.id)}s ({said})"
        return f"{self.plan(among).removeprefix('every ')} ({said})"

    def _figure(self, key: p.Key) -> str:
        """What is ranked or compared, without which end of it."""
        if key.how == "count":
            return self._events(key.path, key.among)
        if key.how == "value":
            return self._measure(key.path, key.beside)
        last = key.path[-1:] if len(key.path) > 1 and key.path[-1].forward else key.path
        said, before = self._measure(last, key.beside), key.path[: len(key.path) - len(last)]
        return f"{_HOW[key.how]} {said}" + (f" of its {self._events(before, key.among)}" if before else "")

    def _key(self, key: p.Key) -> str:
        return f"number of {self._figure(key)}" if key.how == "count" else self._figure(key)

    def plan(self, node: p.Plan) -> str:
        match node:
            case p.EdgesOf(relation):
                return f"every {self._relation(relation)}"
            case p.Minus(of, p.Follow() as without):
                return f"{self.plan(of)} that is not {self._some(without)}"
            case p.WhereCount(of, path, op, n, among) if isinstance(n, tuple):
                held = _HELD[op].format(self._events(path, among))
                return f"{self.plan(of)} with {held} its {self._measure(n, None)}"
            case p.WhereCount(of, path, op, n, among):
                counted = self._events(path, among)
                if (op, n) in (("=", 0), ("<", 1), ("<=", 0)):
                    return f"{self.plan(of)} without {counted}"
                if (op, n) in ((">", 0), (">=", 1)):
                    return f"{self.plan(of)} with {counted}"
                return f"{self.plan(of)} with {_COUNTS[op]} {n} {counted}"
            case p.Aggregate(("min" | "max") as how, of, path, None) if self._dated(path):
                return f"the {self._end(p.Key(path), how == 'max')} {self._path(path)} of {self.plan(of)}"
            case p.Aggregate(how, of, path, beside) if not isinstance(beside, p.Since):
                return f"{_SUMMARIES[how]} {self._measure(path, beside) or 'value'} of {self.plan(of)}"
            case p.Compare(a, b, key, largest):
                return f"{self.plan(a)} or {self.plan(b)}, which has {self._extreme(key, largest, 'er')}"
            case p.Count(of):
                return f"how many: {self.plan(of)}"
            case p.Exists(of):
                return f"is there any: {self.plan(of).removeprefix('every ')}"
        return super().plan(node)

    def _extreme(self, key: p.Key, largest: bool, end: str = "est") -> str:
        if key.how == "count":
            more = ("more" if largest else "fewer") if end == "er" else ("most" if largest else "fewest")
            return f"{'the ' if end == 'est' else ''}{more} {self._figure(key)}"
        extreme = self._end(key, largest) if key.how == "value" else "highest" if largest else "lowest"
        if end == "er":
            extreme = {"highest": "higher", "lowest": "lower", "latest": "later", "earliest": "earlier"}[extreme]
        return f"the {extreme} {self._figure(key)}"

    def _some(self, plan: p.SetPlan) -> str:
        """A set as what something is one of."""
        return self.plan(plan).replace("every ", "any ")

    def _all_of(self, sets: Sequence[p.SetPlan]) -> str:
        said = super()._all_of(sets).replace(", if also in: every ", " that is any ")
        return said.replace(", if also in: ", " that is ")

    def _top(self, node: p.Top) -> str:
        if node.k == 1 and not node.skip:
            return f"{self.plan(node.of)} with {self._extreme(node.key, node.largest)}"
        most = self._extreme(node.key, node.largest)
        place = f"number {node.skip + 1}" if node.k == 1 else f"the {node.k}"
        return f"{self.plan(node.of)}, {place} with {most}"
