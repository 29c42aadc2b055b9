"""What proves a plan's answer, and what checks it: walks of the members, the values compared, the plan run again.

Kept apart from `clew.graph.verify`, which knows paths and triples only: `verify` here does both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from clew.graph import Graph
from clew.graph import verify as evidence
from clew.graph.remote import ServerGraph
from clew.graph.remote.mirror import mirror
from clew.graph.sets import held
from clew.graph.subgraph import Ints
from clew.protocols import GraphStore
from clew.query import plan as p
from clew.query.as_asked import as_asked
from clew.query.english import sentence
from clew.query.execute import ExecutionLimits, Executor, Result, execute
from clew.query.text import parse, show, show_key
from clew.types import Answer, Candidate, Evidence, Hop, Path, PlanProof, Triple

SHOWN = 50  # members whose walks are cited
WITNESSES = 5  # triples cited of one condition and one member
_Walk = list[tuple[int, bool]]  # triples walked, each with its direction


class Prover:
    """Finds the walks that lead to a plan's members, and the triples that its conditions stand on."""

    def __init__(self, graph: Graph) -> None:
        self._graph, self._whole = graph, graph.whole
        self._executor = Executor(graph, ExecutionLimits())

    def paths(self, node: p.SetPlan, member: int) -> list[tuple[int, _Walk]]:
        """(start, walk) for each branch of a plan that a member is reached by."""
        match node:
            case p.Entities() | p.All() | p.EdgesOf():
                return [(member, [])]
            case p.Class(id):
                classes, relations = self._executor.binding.instances_of(id)
                for relation in relations:
                    found = self._step_to(member, (relation, False), classes)
                    if found:
                        return [(found[0], [found[1]])]
            case p.Follow(of, path, qualifiers):
                return self._follow(of, path, qualifiers, member)
            case p.And(sets):
                walks = [walk for each in sets for walk in self.paths(each, member)]
                return list({(start, tuple(walk)): (start, walk) for start, walk in walks}.values())
            case p.Or(sets):
                return next((self.paths(each, member) for each in sets if self._holds(each, member)), [])
            case p.Minus(of, _) | p.Where(of, _) | p.WhereCount(of, _, _, _, _) | p.Top(of, _, _, _, _):
                return self.paths(of, member)
            case p.Compare(a, b, _, _):
                return self.paths(a if self._holds(a, member) else b, member)
        return []

    def witnesses(self, node: p.SetPlan, member: int) -> Iterator[int]:
        """The triples that conditions and keys on a member stand on."""
        match node:
            case p.Where(of, test):
                yield from self.measured(member, test.path, test.beside, test.among, counted=False)
                yield from self.witnesses(of, member)
            case p.Top(of, key, _, _, _):
                yield from self.measured(member, key.path, key.beside, key.among, counted=key.how == "count")
                yield from self.witnesses(of, member)
            case p.WhereCount(of, path, _, _, among):
                yield from self._along(member, path, among, len(path))
                yield from self.witnesses(of, member)
            case p.Compare(a, b, key, _):
                for side in (a, b):
                    for each in self._executor.members(side)[:WITNESSES].tolist():
                        yield from self.measured(each, key.path, key.beside, key.among, counted=key.how == "count")
            case p.And(sets) | p.Or(sets):
                for each in sets:
                    yield from self.witnesses(each, member)
            case p.Minus(of, _):
                yield from self.witnesses(of, member)

    def _holds(self, node: p.SetPlan, member: int) -> bool:
        return bool(np.isin(member, self._executor.members(node)))

    def _step_to(self, member: int, move: tuple[int, bool], among: Ints) -> tuple[int, tuple[int, bool]] | None:
        """Who among some nodes leads to a member by a step, and the triple."""
        relation, forward = move
        side = self._whole.inc if forward else self._whole.out
        here = slice(int(side.offsets[member]), int(side.offsets[member + 1]))
        fits = np.flatnonzero((side.relations[here] == relation) & np.isin(side.neighbors[here], among))
        if not len(fits):
            return None
        at = here.start + int(fits[0])
        return int(side.neighbors[at]), (int(side.triples[at]), forward)

    def _follow(
        self, of: p.SetPlan, path: p.Path, qualifiers: tuple[p.Test, ...], member: int
    ) -> list[tuple[int, _Walk]]:
        moves = self._executor.binding.moves(path)
        layers = [self._executor.members(of)]
        for number in range(1, len(moves)):
            layer: p.SetPlan = p.Follow(of, path[:number])
            for test in qualifiers:
                layer = p.Where(layer, test)
            layers.append(self._executor.members(layer))
        here, walk = member, list[tuple[int, bool]]()
        for move, layer_ in zip(reversed(moves), reversed(layers), strict=True):
            found = self._step_to(here, move, layer_)
            if found is None:
                return []
            here, hop = found
            walk.insert(0, hop)
        return [(start, [*before, *walk]) for start, before in self.paths(of, here)]

    def measured(
        self, member: int, path: p.Path, beside: p.Beside | None = None, among: p.SetPlan | None = None, *,
        counted: bool = False,
    ) -> Iterator[int]:  # fmt: skip
        """The triples that a member's value stands on, or both of its dates or numbers, or what is counted of it."""
        yield from self._along(member, path, among, len(path) if counted else len(path) - 1)
        if beside is not None:
            before = path[:-1] if isinstance(beside, p.Combined) else ()
            yield from self._along(member, (*before, *beside.path), among, len(before))

    def _along(self, member: int, path: p.Path, meant: p.SetPlan | None = None, place: int = 0) -> Iterator[int]:
        """The triples over a path from a member, a few at every step; the step of one place only to what is meant."""
        here, moves = np.array([member], np.int32), self._executor.binding.moves(path)
        for number, move in enumerate(moves, 1):
            among = self._executor.members(meant) if meant is not None and number == place else None
            relation, forward = move
            side = self._whole.out if forward else self._whole.inc
            found = []
            for node in here[:WITNESSES].tolist():
                run = slice(int(side.offsets[node]), int(side.offsets[node + 1]))
                fits = side.relations[run] == relation
                if among is not None:
                    fits &= held(side.neighbors[run], among)
                at = run.start + np.flatnonzero(fits)[:WITNESSES]
                yield from side.triples[at].tolist()
                found += side.neighbors[at].tolist()
            here = np.array(found, np.int32)

    def path(self, start: int, walk: _Walk, score: float) -> Path:
        hops = tuple(Hop(self._whole.triple(triple), forward) for triple, forward in walk)
        return Path(self._graph.entity_at(start), hops, score)


def proven(result: Result, graph: Graph, score: float) -> tuple[tuple[Candidate, ...], Evidence, PlanProof]:
    """A result as candidates, their evidence, and what the plan says of itself."""
    prover, plan = Prover(graph), result.plan
    inner: p.SetPlan | None
    match plan:
        case p.SetPlan():
            inner = plan
        case p.Count(of) | p.Exists(of) | p.Is(of, _) | p.Aggregate(_, of, _, _) | p.Values(of, _):
            inner = of
        case p.Difference(a, b, _, _):
            inner = p.Or((a, b))
        case _:
            inner = None
    members = result.members if result.makes == "set" else np.empty(0, np.int32)
    if result.makes != "set" and inner is not None:
        members = Executor(graph, ExecutionLimits()).members(inner)
    paths: list[Path] = []
    triples: dict[Triple, None] = {}
    of_member: dict[int, tuple[int, ...]] = {}
    if inner is not None:
        for member in members[:SHOWN].tolist():
            walks = prover.paths(inner, member)
            of_member[member] = tuple(range(len(paths), len(paths) + len(walks)))
            paths += [prover.path(start, walk, score) for start, walk in walks]
            triples.update((graph.whole.triple(t), None) for t in prover.witnesses(inner, member))
            cited: Iterator[int] = iter(())
            match plan:
                case p.Values(_, path):
                    cited = prover.measured(member, path)
                case p.Aggregate(_, _, path, beside):
                    cited = prover.measured(member, path, beside)
                case p.Difference(_, _, key):
                    cited = prover.measured(member, key.path, key.beside, key.among, counted=key.how == "count")
            triples.update((graph.whole.triple(t), None) for t in cited)
    if result.makes == "set":
        named = members[~graph.mediators_at(members)]  # beside what has a name a nameless node is no answer
        shown = named if len(named) else members
        candidates = tuple(
            Candidate((e := graph.entity_at(m)).label, score, e, of_member.get(m, ())) for m in shown.tolist()
        )
    elif result.makes == "values":
        candidates = tuple(
            Candidate((e := graph.entity_at(m)).label, score, e, computed=True) for m in result.members.tolist()
        )
    else:
        text = said(result)
        candidates = () if text is None else (Candidate(text, score, computed=True),)
    return candidates, Evidence(tuple(paths), tuple(triples)), _proof(result, graph, len(members))


def said(result: Result) -> str | None:
    """A number, date or truth as the text of an answer; None where there is none."""
    if result.makes == "truth":
        return "yes" if result.truth else "no"
    return None if result.quantity is None else str(result.quantity)


def _proof(result: Result, graph: Graph, members: int) -> PlanProof:
    facts: dict[str, str | int] = {"members": members}
    ranking = result.ranking
    if ranking is not None:
        facts.update(compared=ranking.compared, missing=ranking.missing)
        facts["key"] = show_key(result.plan.key)  # type: ignore[attr-defined]
        if len(ranking.keys):
            facts["winner"] = ranking.said(float(ranking.keys[0]))
        if len(ranking.next_keys):
            facts["runner_up"] = graph.labels_at(ranking.next_members[:1])[0]
            facts["runner_up_key"] = ranking.said(float(ranking.next_keys[0]))
    return PlanProof(show(result.plan), sentence(result.plan, graph), result.makes, said(result), facts, result.notes)


def verify(answer: Answer, graph: GraphStore) -> list[str]:
    """What is wrong with an answer's evidence and numbers, in words; an empty list proves it.

    Beside what `clew.graph.verify` checks of paths and triples, an answer by a plan is computed again: its members,
    number, date or truth, and every figure it states must come out the same.
    """
    computed = {candidate for candidate in answer.candidates if candidate.computed}
    stated = tuple(candidate for candidate in answer.candidates if candidate not in computed)
    problems = evidence.verify(replace(answer, candidates=stated), graph)
    if answer.plan is None:
        return problems + [f"{candidate.text!r} claims to be computed, and there is no plan" for candidate in computed]
    at_hand = mirror(graph) if isinstance(graph, ServerGraph) else graph
    if not isinstance(at_hand, Graph):
        return [*problems, "the plan cannot be executed again: the graph is neither a folder nor small"]
    graph = at_hand
    try:
        result = execute(parse(answer.plan.text), graph)
    except Exception as error:  # noqa: BLE001 - whatever a forged plan provokes, the answer is not proven
        return [*problems, f"the plan cannot be executed: {error}"]
    return problems + list(_differences(answer, result, graph))


def _differences(answer: Answer, result: Result, graph: Graph) -> Iterator[str]:
    assert answer.plan is not None
    candidates, _, again = proven(result, graph, 0.0)
    for name in ("makes", "result", "sentence", "notes"):
        mine, theirs = getattr(again, name), getattr(answer.plan, name)
        if mine != theirs:
            yield f"the plan's {name} is {theirs!r}, executed again it is {mine!r}"
    stated = answer.plan.facts
    for name in sorted({*again.facts, *stated}):
        if again.facts.get(name) != stated.get(name):
            yield f"the plan states {name} {stated.get(name)!r}, executed again it is {again.facts.get(name)!r}"
    known = {(c.text, None if c.entity is None else c.entity.id) for c in candidates}
    asked = as_asked(replace(answer, candidates=candidates, plan=again), graph).candidates
    known |= {(c.text, None if c.entity is None else c.entity.id) for c in asked}
    for candidate in answer.candidates:
        if (candidate.text, None if candidate.entity is None else candidate.entity.id) not in known:
            yield f"{candidate.text!r} is not what the plan makes"
