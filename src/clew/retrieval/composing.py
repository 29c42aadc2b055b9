"""A question's set composed from its parts: each name, kind or relation is joined to the one that it depends on.

Kept apart from `chunks`, which finds the parts, and from `operating`, which puts a count around the set. A join is a
relation path that the graph has between the two sets; the words between the parts choose it, and where they say
nothing the commonest does ("cities in Germany"). The idea is bridging (Berant et al., EMNLP 2013, section 3.2.2);
that only what the graph has is proposed, Gu et al. (ACL 2023). Nothing is trained.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from clew.errors import ClewError
from clew.graph import Graph
from clew.graph.sets import distinct, first_tails, held, surroundings
from clew.graph.subgraph import Ints
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.execute import ExecutionLimits, Executor
from clew.query.keys import steps_of
from clew.query.vocabulary import SYNONYMS, forms, head_of, stem
from clew.retrieval.chunks import LIGHT, Chunk, Spotted, spot
from clew.retrieval.lexicon import Lexicon, owners, stems
from clew.retrieval.words import FUNCTION
from clew.types import Question

SAID = 0.45  # likeness from which the words between two parts mean a relation
BEAM = 3  # readings of one part that are kept
EDGES = 3  # joins of two parts that are tried
TREES = 24  # ways to attach the parts that are tried
SIBLINGS = 200  # other things of a kind that are looked at for what joins them
EXACTLY = 0.9  # likeness from which the words say a relation that this thing does not have
AROUND = 12  # steps from a set that a second one is tried behind
AT_ONCE = 1_000_000  # triples around a set that are looked at together; of more those of one relation at a time
UNSAID = 0.72  # what a word that nothing accounts for leaves of the score
FAR = 0.9  # what a part that is not joined to its neighbour keeps
_EXCEPT = ("except", "besides", "excluding", "beside", "apart", "aside")
_DENIES = """
not no never without don't doesn't didn't isn't aren't wasn't weren't haven't hasn't neither nor n't nobody nothing none
"""
_NOT = frozenset(_DENIES.split())
_AND = frozenset(["and", "or", "both", "either", ",", "the", "a", "an", "also"])
_OF = frozenset(
    ["of", "in", "for", "from", "by", "at", "to", "on", "is", "are", "was", "were", "does", "do", "did", "has"]
)
Mode = Literal["and", "or", "not", "except"]


@dataclass(frozen=True, slots=True)
class Composed:
    """A set, what of its members is asked for (a path; none: the members), and how well the words are accounted for."""

    base: p.SetPlan
    path: p.Path
    score: float
    unsaid: tuple[str, ...]  # content words that nothing accounts for

    @property
    def plan(self) -> p.SetPlan:
        return p.Follow(self.base, self.path) if self.path else self.base


@dataclass(frozen=True, slots=True)
class _Made:
    """A reading of one part with everything below it."""

    plan: p.SetPlan
    fits: tuple[float, ...] = ()
    explained: frozenset[int] = frozenset()
    path: p.Path = ()

    @property
    def score(self) -> float:
        return sum(self.fits) / len(self.fits) if self.fits else 0.9


@dataclass(frozen=True, slots=True)
class _Edge:
    path: p.Path  # from the child's set to the parent's
    fit: float
    said: bool
    absent: bool = False  # things of the child's kind are joined so, this one is to nothing: the set is empty


def compose(
    question: Question, graph: Graph, encoder: TextEncoder | None = None, kind: p.SetPlan | None = None
) -> list[Composed]:
    """The sets that a question's words may mean, best first; none where no part of it is in the graph. `kind` is what
    is asked for where the words do not say it."""
    return _Composer(spot(question, graph, encoder, kind), graph, encoder).composed()


class _Composer:
    def __init__(self, spotted: Spotted, graph: Graph, encoder: TextEncoder | None) -> None:
        self._spotted, self._words, self._chunks = spotted, spotted.words, spotted.chunks
        self._graph, self._encoder = graph, encoder
        self._lexicon = Lexicon.of(graph)
        self._executor = Executor(graph, ExecutionLimits(pairs=5_000_000))
        self._ends: dict[bytes, list[tuple[p.Step, Ints]]] = {}
        self._joins: dict[tuple[p.SetPlan, p.SetPlan | None, int], list[_Edge]] = {}

    def composed(self) -> list[Composed]:
        found: dict[tuple[p.SetPlan, p.Path], Composed] = {}
        for tree, prior in self._trees():
            for made in self._root(tree):
                if _comes_back(made) or self._names_itself(made):
                    continue
                unsaid = self._unsaid(made)
                score = prior * made.score * UNSAID ** len(unsaid)
                each = Composed(made.plan, made.path, score, unsaid)
                known = found.get((each.base, each.path))
                if known is None or known.score < score:
                    found[each.base, each.path] = each
        return sorted(found.values(), key=lambda each: -each.score)

    # -- trees -------------------------------------------------------------------------------------------------------

    def _trees(self) -> Iterator[tuple[dict[int, int], float]]:
        """Parents of all parts but the root (-1: nothing says what is asked for), nested, likeliest first."""
        root = self._spotted.root
        top = -1 if root is None else root
        made: list[tuple[dict[int, int], float]] = [({}, 1.0)]
        for k in range(len(self._chunks)):
            if k == top:
                continue
            grown = []
            for tree, prior in made:
                for parent, share in self._places(k, top, tree):
                    grown.append(({**tree, k: parent}, prior * share))
            made = sorted(grown, key=lambda item: -item[1])[:TREES]
        yield from made

    def _places(self, k: int, top: int, tree: dict[int, int]) -> Iterator[tuple[int, float]]:
        if k < top or k == 0 or (top == -1 and k - 1 not in tree and k - 1 != top):
            yield top, 1.0
            return
        if self._coordinated(k) and k - 1 in tree:
            yield tree[k - 1], 1.0
            return
        between = self._between(k)
        joined = "and" in between or "or" in between or "but" in between
        here, share = k - 1, (0.7 if joined else 1.0)
        while True:
            fits = self._chunks[here].kind != "topic" if here >= 0 else True
            if here == top or fits or top == -1:
                yield here, share * (1.0 if fits else 0.75)
                share *= FAR / (0.7 if joined and share == 0.7 else 1.0)
            if here == top or here not in tree:
                return
            here = tree[here]

    def _between(self, k: int) -> tuple[str, ...]:
        start = self._chunks[k - 1].end if k else 0
        return self._words[start : self._chunks[k].start]

    def _coordinated(self, k: int) -> bool:
        between = set(self._between(k))
        return k > 0 and between <= _AND and bool(between & {"and", "or", ","})

    def _mode(self, k: int) -> Mode:
        between = self._between(k)
        if self._coordinated(k):
            before = self._mode(k - 1)
            if before in ("not", "except"):
                return before
            after = [word for j in range(k, len(self._chunks)) for word in self._between(j)]
            return "or" if "or" in after or "either" in self._between(k - 1) else "and"
        text = " ".join(between)
        if any(word in between for word in _EXCEPT) or "other than" in text or "but not" in text:
            return "except"
        return "not" if _NOT & set(between) else "and"

    # -- sets --------------------------------------------------------------------------------------------------------

    def _root(self, tree: dict[int, int]) -> list[_Made]:
        top = self._spotted.root
        if top is None:
            return self._unknown(tree) if tree else []
        chunk = self._chunks[top]
        if chunk.kind == "topic":
            return []  # "which Lakes": a name is not what is asked for
        return self._property(top, chunk, tree) if chunk.kind == "relation" else self._node(top, tree)

    def _node(self, k: int, tree: dict[int, int]) -> list[_Made]:
        chunk = self._chunks[k]
        if chunk.kind == "relation":
            if k not in tree.values():
                return []
            return [replace(m, plan=_followed(m.plan, m.path), path=()) for m in self._property(k, chunk, tree)]
        assert chunk.plan is not None
        fits = (chunk.fit,) if chunk.fit < 1 else ()
        return self._constrained(k, [_Made(chunk.plan, fits)], tree)

    def _constrained(self, k: int, made: list[_Made], tree: dict[int, int]) -> list[_Made]:
        for group in self._groups(k, tree):
            made = [new for each in made for new in self._joined(k, each, group, tree)]
            made = sorted(made, key=lambda each: -each.score)[:BEAM]
        return made

    def _groups(self, k: int, tree: dict[int, int]) -> list[list[int]]:
        groups: list[list[int]] = []
        for child in sorted(c for c in tree if tree[c] == k):
            if groups and self._coordinated(child) and groups[-1][-1] == child - 1:
                groups[-1].append(child)
            else:
                groups.append([child])
        return groups

    def _joined(self, k: int, made: _Made, group: list[int], tree: dict[int, int]) -> Iterator[_Made]:
        """A set with a condition: what is linked to one or several others that are said together."""
        first = group[0]
        mode = self._mode(first) if len(group) == 1 else self._mode(group[-1])
        if mode == "except":
            plans = [self._chunks[c].plan for c in group if self._chunks[c].kind == "topic"]
            ids = tuple(id for plan in plans if isinstance(plan, p.Entities) for id in plan.ids)
            left_out = p.Entities(ids) if ids else None
            linked = (
                "but" in self._between(first) and left_out is not None and not self._finds(p.And((made.plan, left_out)))
            )
            if left_out is not None and not linked:
                yield replace(made, plan=p.Minus(made.plan, left_out), fits=(*made.fits, 0.95))
            if not linked:
                return
            mode = "not"  # "contain egg but not butter": what is linked to it
        if mode == "not" and self._chunks[first].kind == "relation":
            for step in self._steps_named(self._chunks[first].relations, made.plan):
                yield replace(made, plan=p.WhereCount(made.plan, (step,), "=", 0), fits=(*made.fits, 0.95))
            return
        domain = made.plan if k >= 0 else None
        for child in self._node(first, tree):
            for edge in self._edges(child.plan, domain if mode != "not" else self._kind(k), first, k):
                sets: list[p.SetPlan] = [_followed(child.plan, edge.path)]
                fits = [*made.fits, *child.fits, edge.fit]
                explained = made.explained | child.explained | (self._span(first) if edge.said else frozenset())
                for other in group[1:]:
                    for more in self._node(other, tree)[:1]:
                        sets.append(_followed(more.plan, edge.path))
                        fits += more.fits
                        explained |= more.explained
                if mode == "not":
                    without = sets[0] if len(sets) == 1 else p.Or(tuple(sets))
                    yield self._checked(p.Minus(made.plan, without), fits, explained)
                    continue
                together = sets[0] if len(sets) == 1 else p.Or(tuple(sets)) if mode == "or" else p.And(tuple(sets))
                if mode == "and" and len(sets) > 1 and not self._finds(together):
                    together, fits = p.Or(tuple(sets)), [*fits, 0.7]
                if edge.absent:
                    yield _Made(_and(made.plan, together), tuple(fits), explained)
                    continue
                yield self._checked(_and(made.plan, together), fits, explained)

    def _kind(self, k: int) -> p.SetPlan | None:
        """What a denied part is denied of; of an unstated kind anything."""
        return self._chunks[k].plan if k >= 0 else None

    def _checked(self, plan: p.SetPlan, fits: Sequence[float], explained: frozenset[int]) -> _Made:
        return _Made(plan, tuple(fits) if self._finds(plan) else (*fits, 0.0, 0.0), explained)

    def _unknown(self, tree: dict[int, int]) -> list[_Made]:
        """What is asked for is of no stated kind: the words must name the relation that leads there."""
        groups = self._groups(-1, tree)
        if not groups:
            return []
        found, excepted = [], [g for g in groups if self._mode(g[0]) == "except"]
        groups = [g for g in groups if g not in excepted]
        if not groups:
            return []
        for child in self._node(groups[0][0], tree):
            for edge in self._edges(child.plan, None, groups[0][0], -1):
                if not edge.said:
                    continue
                made = _Made(
                    _followed(child.plan, edge.path),
                    (*child.fits, edge.fit),
                    child.explained | self._span(groups[0][0]),
                )
                more = [made]
                for group in [*([groups[0][1:]] if groups[0][1:] else []), *groups[1:], *excepted]:
                    more = [new for each in more for new in self._joined(-2, each, group, tree)]
                found += more
        return sorted(found, key=lambda each: -each.score)[:BEAM]

    def _property(self, k: int, chunk: Chunk, tree: dict[int, int]) -> list[_Made]:
        """A relation asked for, of the sets below it; or of the things of one kind that satisfy what is said."""
        found: list[_Made] = []
        groups = self._groups(k, tree)
        fit = (chunk.fit,) if chunk.fit < 1 else ()
        if groups:
            options = [self._node(c, tree) for c in groups[0]]
            if all(options):
                for first in options[0]:
                    others = [option[0] for option in options[1:]]
                    of = first.plan if not others else p.Or((first.plan, *(o.plan for o in others)))
                    explained = first.explained.union(*(o.explained for o in others), self._span(groups[0][0]))
                    steps = self._steps_named(chunk.relations, of)
                    if chunk.inverse:
                        steps = [step for step in steps if not step.forward]
                    if not set(self._between(groups[0][0])) & _OF and groups[0][0] == k + 1:
                        steps.sort(key=lambda step: step.forward)  # "what borders X": those that lead to X
                    if chunk.inverse and len(steps) > 1 and len(groups) == 1:  # whose father or mother one is
                        ends = tuple(p.Follow(of, (step,)) for step in steps)
                        found.append(_Made(p.Or(ends), (*first.fits, *fit, 0.95), explained))
                        continue
                    both = bool(others) and "both" in self._between(groups[0][0])
                    for place, step in enumerate(steps):
                        fits = (*first.fits, *fit, 0.95 - 0.05 * place)
                        made = _Made(of, fits, explained, (step,))
                        if both:  # "a member of both A and B": of each, and not of either
                            each_end = tuple(p.Follow(o.plan, (step,)) for o in (first, *others))
                            found += self._more(-2, replace(made, plan=p.And(each_end), path=()), groups[1:], tree)
                            continue
                        if len(groups) == 1:
                            found.append(made)
                            continue
                        found += self._more(k, made, groups[1:], tree) if not isinstance(of, p.Entities) else []
                        ended = [replace(made, plan=p.Follow(of, (step,)), path=())]  # "neighbours of Italy that use …"
                        for group in groups[1:]:
                            ended = [new for each in ended for new in self._joined(-2, each, group, tree)]
                        found += ended
        if groups and not self._lexicon.types and not chunk.inverse:  # "species" are what the relation leads to
            reached = p.Follow(p.All(), (p.Step(chunk.relations[0]),))
            found += self._constrained(k, [_Made(reached, (*fit, 0.95))], tree)
        for relation in chunk.relations[:2]:
            bearers = owners(self._graph, relation) if self._lexicon.types or not found else None
            if bearers is not None:
                path = (p.Step(relation),)
                fits = fit if found else (*fit, 0.9)
                made_of = [replace(m, path=path) for m in self._constrained(k, [_Made(bearers, fits)], tree)]
                found += [m for m in made_of if not _comes_back(m)]
        return sorted((m for m in found if self._finds(_followed(m.plan, m.path))), key=lambda m: -m.score)[:BEAM]

    def _more(self, k: int, made: _Made, groups: list[list[int]], tree: dict[int, int]) -> list[_Made]:
        several = [made]
        for group in groups:
            several = [new for each in several for new in self._joined(k, each, group, tree)]
        return [replace(each, path=made.path) for each in several]

    def _steps_named(self, relations: Sequence[str], of: p.SetPlan) -> list[p.Step]:
        """The named relations that members of a set have, with their direction first."""
        members = self._members(of)
        there = {(step.relation, step.forward): share for step, share in steps_of(self._graph, members)}
        return [p.Step(r, f) for f in (True, False) for r in relations if (r, f) in there]

    # -- joins -------------------------------------------------------------------------------------------------------

    def _span(self, k: int) -> frozenset[int]:
        """The places of the words that say how a part is joined."""
        start = self._chunks[k - 1].end if k else 0
        end = len(self._words) if k == len(self._chunks) - 1 else self._chunks[k].end
        after = self._chunks[k + 1].start if k == 0 and self._spotted.root != 0 and len(self._chunks) > 1 else end
        return frozenset(range(start, max(end, after)))

    def _edges(self, child: p.SetPlan, domain: p.SetPlan | None, k: int, parent: int) -> list[_Edge]:
        key = (child, domain, k)
        if key not in self._joins:
            self._joins[key] = self._found(child, domain, k, parent)
        return self._joins[key]

    def _found(self, child: p.SetPlan, domain: p.SetPlan | None, k: int, parent: int) -> list[_Edge]:
        members = self._members(child)
        wanted = None if domain is None else self._members(domain)
        if not len(members) or (wanted is not None and not len(wanted)):
            return []
        named = self._chunks[parent] if parent >= 0 else None
        said = [self._words[i] for i in sorted(self._span(k)) if not self._chunks[k].start <= i < self._chunks[k].end]
        content = [word for word in said if word not in FUNCTION and word not in _NOT and word != ","]
        above = self._words[named.start : named.end] if named is not None else ()
        found: list[tuple[p.Path, int, str]] = []
        near = self._near(members)
        for step, ends in near:
            if self._silent(step):
                continue
            size = len(ends) if wanted is None else int(held(ends, wanted).sum())
            if size:
                found.append(((step,), size, self._lexicon.labels[step.relation]))
        place = parent < 0 and "where" in self._words
        if place:  # what is somewhere is no number
            found = [each for each in found if not self._literal(each[0][-1])]
        there = {path[0] for path, _, _ in found}
        unsure = wanted is not None and (content or not found)
        absent = self._absent(child, members, wanted, there) if unsure and wanted is not None else []
        like_absent = self._likeness(content, above, [self._lexicon.labels[step.relation] for step in absent])
        exact = [step for step, like in zip(absent, like_absent, strict=True) if like >= EXACTLY]
        far, joined = 1.0, bool(found)
        if not found and wanted is not None and not exact:
            far, found = 0.8, list(self._two(wanted, near))
        same: list[_Edge] = []
        inside = wanted is not None and not isinstance(domain, p.All) and bool(held(members, wanted).any())
        if inside and not self._between(k):
            same = [_Edge((), 0.8, True)]  # "the city Paris"; a row that is named
        possible = exact if exact or joined else absent if not content or len(absent) == 1 else []
        nothing = [_Edge((step,), 0.95 if step in exact else 0.7, True, absent=True) for step in possible]
        if not found:
            return sorted([*same, *nothing], key=lambda edge: -edge.fit)[:EDGES]
        fits = self._likeness(content, above, [label for _, _, label in found])
        most = max(size for _, size, _ in found)
        edges = []
        for (path, size, _), like in zip(found, fits, strict=True):
            common = math.log1p(size) / math.log1p(most)
            said_ = like >= SAID
            fit = (
                0.5 + 0.5 * like if said_ else (0.5 + 0.2 * common if not content else 0.45 + 0.1 * common + 0.2 * like)
            )
            fit += 0.02 * common * said_
            fit += 0.01 * (path[-1].forward != self._active(k))  # "countries border X": those that lead to X
            if not said_ and len({label for _, _, label in found}) == 1:
                fit = max(fit, 0.75)  # nothing else links the two
            only = len(found) == 1 and (place or not content)
            edges.append(_Edge(path, far * fit, said_ or only))
        if any(edge.said for edge in edges):
            nothing = []
        return sorted([*edges, *same, *nothing], key=lambda edge: -edge.fit)[:EDGES]

    def _absent(self, child: p.SetPlan, members: Ints, wanted: Ints, there: set[p.Step]) -> list[p.Step]:
        """The steps that lead from other things of a name's kind to what is asked for, and from this one nowhere."""
        if not isinstance(child, p.Entities) or not self._lexicon.types:
            return []
        out = self._graph.whole.out
        kinds = [
            out.neighbors[out.offsets[n] : out.offsets[n + 1]][
                np.isin(out.relations[out.offsets[n] : out.offsets[n + 1]], list(self._lexicon.types))
            ]
            for n in members.tolist()
        ]
        found: list[p.Step] = []
        for kind in np.unique(np.concatenate(kinds)).tolist()[:2]:
            others = self._members(p.Class(self._graph.ids_at([kind])[0]))[: SIBLINGS + len(members)]
            others = others[~held(others, members)][:SIBLINGS]
            for step, _ in steps_of(self._graph, others):
                silent = self._graph.relation_number(step.relation) in self._lexicon.silent
                if silent or step in there or step in found:
                    continue
                if held(self._executor.pairs(others, (step,))[1], wanted).any():
                    found.append(step)
        return found

    def _literal(self, step: p.Step) -> bool:
        """Whether a step leads to literals, by the first of its triples."""
        ends = first_tails(self._graph.whole, self._graph.relation_number(step.relation), 20)
        return step.forward and bool(self._graph.literals_at(ends).all())

    def _active(self, k: int) -> bool:
        """Whether a part is the object of a verb, so that what is asked for leads to it; not "of X", "in X"."""
        between = self._between(k)
        return bool(set(between) - FUNCTION) and not {"of", "by"} & set(between[-2:])

    def _two(self, wanted: Ints, near: list[tuple[p.Step, Ints]]) -> Iterator[tuple[p.Path, int, str]]:
        labels = self._lexicon.labels
        for step, between in near[:AROUND]:
            if self._silent(step):
                continue
            for second, ends in self._near(between)[:AROUND]:
                back = second.relation == step.relation and second.forward != step.forward
                if back or self._silent(second):
                    continue
                size = int(held(ends, wanted).sum())
                if size:
                    heads = (head_of(labels[each.relation]).split() for each in (step, second))
                    said = " ".join(word for head in heads for word in head if word.lower() not in FUNCTION)
                    yield (step, second), size, said

    def _near(self, members: Ints) -> list[tuple[p.Step, Ints]]:
        """The steps that members of a set have (of a wide one those of a sample), each with all its ends."""
        key = members.tobytes()
        if key not in self._ends:
            steps = steps_of(self._graph, members)
            sides = (self._graph.whole.out, self._graph.whole.inc)
            if sum(int(side.counts(members).sum()) for side in sides) <= AT_ONCE:
                ends = {
                    (self._graph.relation_at(relation).id, forward): ends
                    for (relation, forward), ends in surroundings(self._graph.whole, members)
                }
                self._ends[key] = [(step, ends[step.relation, step.forward]) for step, _ in steps]
            else:
                self._ends[key] = [(s, distinct(self._executor.pairs(members, (s,))[1])) for s, _ in steps]
        return self._ends[key]

    def _silent(self, step: p.Step) -> bool:
        return self._graph.relation_number(step.relation) in self._lexicon.silent

    def _likeness(self, content: Sequence[str], above: Sequence[str], labels: Sequence[str]) -> list[float]:
        """How well words between two parts, and the upper part itself, say each relation: in [0, 1]."""
        mine = {stem(word) for word in content} | {s for word in content for s in SYNONYMS.get(stem(word), ())}
        theirs = {stem(word) for word in above}
        found = []
        for label in labels:
            parts = {s for s in stems(head_of(label)) if s not in FUNCTION} or set(stems(label))
            here, over = (len(parts & words) / max(1, len(parts)) for words in (mine, theirs))
            found.append(max(0.5 + 0.5 * here if here else 0.0, 0.4 + 0.5 * over if over else 0.0))
        if self._encoder is not None and content and max(found, default=1.0) < 0.9:
            alike = self._encoder.encode(list(labels)) @ self._encoder.encode([" ".join(content)], role="query")[0]
            found = [
                max(score, float(a) if a >= SAID else 0.5 * max(0.0, float(a)))
                for score, a in zip(found, alike, strict=True)
            ]
        return found

    # -- what is said ------------------------------------------------------------------------------------------------

    def _unsaid(self, made: _Made) -> tuple[str, ...]:
        covered = {i for chunk in self._chunks for i in range(chunk.start, chunk.end)} | made.explained
        steps = {node for node in p.walk(made.plan) if isinstance(node, p.Step)} | set(made.path)
        labels = {self._lexicon.labels.get(step.relation, "") for step in steps}
        told = {form for label in labels for part in label.lower().split() for form in forms(part)}
        return tuple(
            word
            for i, word in enumerate(self._words)
            if i not in covered and word not in FUNCTION and word not in LIGHT and word not in _NOT
            and not forms(word) & told and word not in _EXCEPT and word != ","
        )  # fmt: skip

    def _members(self, plan: p.SetPlan) -> Ints:
        try:
            return self._executor.members(plan)
        except ClewError:
            return np.empty(0, np.int32)

    def _names_itself(self, made: _Made) -> bool:
        """Whether nothing but what the question names comes out of it."""
        plan = _followed(made.plan, made.path)
        named = {id for node in p.walk(plan) if isinstance(node, p.Entities) for id in node.ids}
        if not named or isinstance(plan, p.Entities):
            return False
        members = self._members(plan)
        return 0 < len(members) <= len(named) and set(self._graph.ids_at(members)) <= named

    def _finds(self, plan: p.SetPlan) -> bool:
        return len(self._members(plan)) > 0


def _comes_back(made: _Made) -> bool:
    """Whether a path is the step that things were found by, or leads back over it: "the head of X" is not X again."""
    if len(made.path) != 1 or not isinstance(made.plan, p.And):
        return False
    step = made.path[0].relation
    return any(isinstance(part, p.Follow) and [s.relation for s in part.path] == [step] for part in made.plan.sets)


def _followed(plan: p.SetPlan, path: p.Path) -> p.SetPlan:
    for step in path:
        plan = p.Follow(plan, (step,))
    return plan


def _and(a: p.SetPlan, b: p.SetPlan) -> p.SetPlan:
    left = a.sets if isinstance(a, p.And) else (a,)
    return p.And((*left, *(b.sets if isinstance(b, p.And) else (b,))))
