"""What joins two parts of a question: the relation paths that a graph has between their sets, chosen by the words.

Kept apart from `composing`, which makes sets of the joins. The words between the parts choose the path, and where they
say nothing the commonest does ("cities in Germany").
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from clew.graph import Graph
from clew.graph.sets import distinct, first_tails, held, surroundings
from clew.graph.subgraph import Ints
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.execute import ExecutionLimits, Executor
from clew.query.keys import steps_of
from clew.query.vocabulary import SYNONYMS, forms, head_of, stem
from clew.retrieval.attaching import NOT, Attachments
from clew.retrieval.chunks import Chunk, Spotted
from clew.retrieval.events.kinds import tells
from clew.retrieval.lexicon import Lexicon, kinds_of, stems
from clew.retrieval.peers import peers_of
from clew.retrieval.words import FUNCTION

SAID = 0.45  # likeness from which the words between two parts mean a relation
EDGES = 3  # joins of two parts that are tried
INFLECTED = 0.8  # of a word in a relation's name that is said in another form: a director, directed
EXACTLY = 0.9  # likeness from which the words say a relation that this thing does not have
WIDE = 20_000  # members of a set behind which no third step is looked for
MEANT = 0.7  # fit of a kind to which a third step is looked for
OWNERS = 4  # steps from what belongs to something to whose it is in the end
ROLE = 0.8  # what a join keeps that says a role which no word of the question does
SAMPLE = 5  # members of a set whose kinds are looked at
THREE = 0.85  # what a join of three steps keeps beside one of two
AROUND = 12  # steps from a set that a second one is tried behind
_WHERE = frozenset(["in", "at", "from", "near", "inside", "within", "around"])
_PLACED = """
in at located location region city country state place area part county district province town village based site
situated address continent municipality zone
"""
_PLACES = frozenset(_PLACED.split())
_OF_LIFE = frozenset(["birth", "death", "burial", "born", "died", "buried"])  # people are not where they were born
NESTED = 3  # places within places
VAGUE = frozenset(["anywhere", "somewhere", "something", "someone", "somebody", "other", "than", "else", "elsewhere"])
_BE = frozenset(["that", "which", "who", "is", "are", "was", "were", "a", "an"])
AT_ONCE = 1_000_000  # triples around a set that are looked at together; of more those of one relation at a time


@dataclass(frozen=True, slots=True)
class Edge:
    """A join of two parts."""

    path: p.Path  # from the child's set to the parent's
    fit: float
    said: bool
    absent: bool = False  # things of the child's kind are joined so, this one is to nothing: the set is empty
    others: tuple[p.Path, ...] = ()  # that mean the same: in a country is also what is in one of its towns

    def reached(self, plan: p.SetPlan) -> p.SetPlan:
        """What the join leads to from a set."""
        ends = [followed(plan, path) for path in (self.path, *self.others)]
        return ends[0] if len(ends) == 1 else p.Or(tuple(ends))


def followed(plan: p.SetPlan, path: p.Path) -> p.SetPlan:
    """What a path leads to from a set."""
    for step in path:
        plan = p.Follow(plan, (step,))
    return plan


class Joins:
    """The joins of the parts of one question in one graph."""

    def __init__(self, spotted: Spotted, parts: Attachments, graph: Graph, encoder: TextEncoder | None) -> None:
        self._words, self._chunks, self._parts = spotted.words, spotted.chunks, parts
        self._graph, self._encoder = graph, encoder
        self._lexicon = Lexicon.of(graph)
        self._executor = Executor(graph, ExecutionLimits(pairs=5_000_000))
        self._ends: dict[bytes, list[tuple[p.Step, Ints]]] = {}
        self._joins: dict[tuple[p.SetPlan, p.SetPlan | None, int], list[Edge]] = {}

    def members(self, plan: p.SetPlan) -> Ints:
        """The members of a set; none where a plan cannot be executed within its limits."""
        return self._executor.found(plan)

    def edges(self, child: p.SetPlan, domain: p.SetPlan | None, k: int, parent: int) -> list[Edge]:
        """The joins from the set of part `k` to what `parent` stands for, of which `domain` is known; best first."""
        key = (child, domain, k)
        if key not in self._joins:
            self._joins[key] = self._found(child, domain, k, parent)
        return self._joins[key]

    def _found(self, child: p.SetPlan, domain: p.SetPlan | None, k: int, parent: int) -> list[Edge]:
        members = self.members(child)
        wanted = None if domain is None else self.members(domain)
        if not len(members) or (wanted is not None and not len(wanted)):
            return []
        named = self._chunks[parent] if parent >= 0 else None
        said = [
            self._words[i] for i in sorted(self._parts.span(k)) if not self._chunks[k].start <= i < self._chunks[k].end
        ]
        content = [word for word in said if word not in FUNCTION and word not in (*NOT, *VAGUE, ",")]
        above_at = named.start if named is not None else -1
        above = self._words[named.start : named.end] if named is not None else ()
        found: list[tuple[p.Path, int, str]] = []
        near = self._near(members)
        for step, ends in near:
            if self.silent(step):
                continue
            size = len(ends) if wanted is None else int(held(ends, wanted).sum())
            if size:
                found.append(((step,), size, self._lexicon.labels[step.relation]))
        place = parent < 0 and "where" in self._words
        if place:  # what is somewhere is no number
            found = [each for each in found if not self.literal(each[0][-1])]
        there = {path[0] for path, _, _ in found}
        unsure = wanted is not None and (content or not found)
        absent = self._absent(child, members, wanted, there) if unsure and wanted is not None else []
        far, joined = 1.0, bool(found)
        two = [] if found or wanted is None else list(self._two(wanted, near))
        # Farms are in regions, and so in their country; stations on a river are not on those that it flows into.
        if inner := [each for each in two if each[0][-1] in absent and self._places(each[0][0])]:
            far, found, absent = 0.95, inner, []
        like_absent = self._likeness(content, above, [self._lexicon.labels[step.relation] for step in absent])
        exact = [step for step, like in zip(absent, like_absent, strict=True) if like >= EXACTLY]
        if not found and not exact:
            far, found = 0.8, two
            if wanted is not None and not isinstance(domain, p.All) and (named is None or self._meant(named)):
                found = [*two, *self._three(wanted, near)] or list(self._owners(members, wanted))
        between = self._parts.between(k)
        there_in = set(between) & _WHERE and not {part for word in content for part in stems(word)} - _PLACES
        if there_in or (not joined and self._chunks[k].end == above_at):  # "castles in Germany", "German castles"
            ways = self._within(members, wanted) if wanted is not None else []
            if len(ways) > 1 or any(len(way) > 1 for way in ways):
                return [Edge(ways[0], 0.9, True, others=tuple(ways[1:]))]
        same: list[Edge] = []
        inside = wanted is not None and not isinstance(domain, p.All) and bool(held(members, wanted).any())
        if inside and set(between) <= _BE:
            same = [Edge((), 0.96 if between else 0.8, True)]  # "the city Paris", "species that are reptiles"
        possible = exact if exact or joined else absent if not content or len(absent) == 1 else []
        nothing = [Edge((step,), 0.95 if step in exact else 0.7, True, absent=True) for step in possible]
        if not found:
            return sorted([*same, *nothing], key=lambda edge: -edge.fit)[:EDGES]
        fits = self._likeness(content, above, [label for _, _, label in found])
        most = max(size for _, size, _ in found)
        nearer = {label for path, _, label in found if len(path) < 3} or {label for _, _, label in found}
        edges = []
        roles = self._roles(found, members, wanted, content)
        for (path, size, label), like in zip(found, fits, strict=True):
            common = math.log1p(size) / math.log1p(most)
            said_ = like >= SAID
            fit = (
                0.5 + 0.5 * like if said_ else (0.5 + 0.2 * common if not content else 0.45 + 0.1 * common + 0.2 * like)
            )
            fit += 0.02 * common * said_
            if not said_ and set(between) & _WHERE:  # "farms in Sweden" are there, whoever owns them
                steps = [set(stems(self._lexicon.labels[step.relation])) for step in path]
                fit += 0.1 * sum(bool(each & _PLACES) for each in steps) / len(steps)
            fit += 0.01 * (path[-1].forward != self._parts.active(k))  # "countries border X": those that lead to X
            if not said_ and len(nearer) == 1 and label in nearer:
                fit = max(fit, 0.75)  # nothing else links the two
            fit *= ROLE if path in roles else 1.0
            only = len(found) == 1 and (place or not (content or nothing))
            fit *= far * (THREE if len(path) > 2 else 1)
            edges.append(Edge(path, fit, said_ or only))
        if any(edge.said for edge in edges):
            nothing = []
        return sorted([*edges, *same, *nothing], key=lambda edge: -edge.fit)[:EDGES]

    def _absent(self, child: p.SetPlan, members: Ints, wanted: Ints, there: set[p.Step]) -> list[p.Step]:
        """The steps that lead from other things of a name's kind to what is asked for, and from this one nowhere."""
        if not isinstance(child, p.Entities) or not self._lexicon.types:
            return []
        found: dict[p.Step, None] = {}
        for others in peers_of(self._graph, members):
            for step, ends in self._near(others):
                silent = self._graph.relation_number(step.relation) in self._lexicon.silent
                if silent or step in there or step in found:
                    continue
                if held(ends, wanted).any():
                    found[step] = None
        return list(found)

    def literal(self, step: p.Step) -> bool:
        """Whether a step leads to literals, by the first of its triples."""
        ends = first_tails(self._graph.whole, self._graph.relation_number(step.relation), 20)
        return step.forward and bool(self._graph.literals_at(ends).all())

    def _two(self, wanted: Ints, near: list[tuple[p.Step, Ints]]) -> Iterator[tuple[p.Path, int, str]]:
        for step, between in near[:AROUND]:
            if self.silent(step):
                continue
            for second, ends in self._near(between)[:AROUND]:
                back = second.relation == step.relation and second.forward != step.forward
                if back or self.silent(second):
                    continue
                onward: list[tuple[p.Path, Ints]] = [((step, second), ends)]
                if len(ends) and self._graph.mediators_at(ends).all():  # a node without a name is no stop of its own
                    onward = [
                        ((step, second, third), far)
                        for third, far in self._near(ends)[:AROUND]
                        if not self.silent(third) and third != p.Step(second.relation, not second.forward)
                    ]
                for path, far in onward:
                    size = int(held(far, wanted).sum())
                    if size:
                        yield path, size, self._said_by(path)

    def _within(self, place: Ints, wanted: Ints) -> list[p.Path]:
        """The ways to what is in a place or in places in it, the most travelled first; where there are none, the most
        travelled to what is of something there: wines of a producer in a region of a country."""
        found: list[tuple[int, p.Path]] = []
        of_these: list[tuple[int, p.Path]] = []
        reached: list[tuple[p.Path, Ints]] = [((), place)]
        for depth in range(NESTED + 1):
            further: list[tuple[p.Path, Ints]] = []
            for path, members in reached:
                for step, ends in self._near(members):
                    if step.forward or self.silent(step):
                        continue
                    size, places = int(held(ends, wanted).sum()), self._places(step)
                    if size and places and depth < NESTED:
                        found.append((size, (*path, step)))
                    elif size and not places and depth > 1:
                        of_these.append((size, (*path, step)))
                    if places:
                        further.append(((*path, step), ends[~held(ends, wanted)]))
            reached = [each for each in further if len(each[1])][:AROUND]
        found.sort(key=lambda each: (len(each[1]) > 1, -each[0]))
        ways = [path for _, path in found if path[-1] == found[0][1][-1]][:NESTED]  # by one relation, at any depth
        return ways or [path for _, path in sorted(of_these, key=lambda each: -each[0])[:1]]

    def _places(self, step: p.Step) -> bool:
        """Whether a relation leads from a thing to where it is."""
        said = set(stems(self._lexicon.labels[step.relation]))
        return bool(said & _PLACES) and not said & _OF_LIFE

    def _three(self, wanted: Ints, near: list[tuple[p.Step, Ints]]) -> Iterator[tuple[p.Path, int, str]]:
        """Paths of three steps, where two of them at least only say what something belongs to: ships call at the
        terminals of a port, a medal is won by the cheese of a dairy."""
        for first, one in near[:AROUND]:
            if first.forward or self.silent(first) or len(one) > WIDE:
                continue
            for second, two in self._near(one)[:AROUND]:
                if second.relation == first.relation or self.silent(second) or held(two, wanted).any():
                    continue
                if len(two) > WIDE or (second.forward and len(two) > len(one)):
                    continue
                for third, ends in self._near(two)[:AROUND]:
                    if third.relation in (first.relation, second.relation) or self.silent(third):
                        continue
                    if third.forward and len(ends) > len(two):
                        continue  # leads to many for each: nothing belongs to them
                    if second.forward and not third.forward:
                        continue
                    size = int(held(ends, wanted).sum())
                    if size:
                        path = (first, second, third)
                        yield path, size, self._said_by(path)

    def _roles(
        self, found: Sequence[tuple[p.Path, int, str]], members: Ints, wanted: Ints | None, content: Sequence[str]
    ) -> set[p.Path]:
        """The single steps whose names say a role that no word does, where another one's says only what it leads to:
        employees in a department belong to it by `dept`, and one of them by `head`."""
        single = [(path, label) for path, _, label in found if len(path) == 1]
        if len(single) < 2 or wanted is None or not self._lexicon.types:
            return set()
        ids = [*self._graph.ids_at(members[:SAMPLE]), *self._graph.ids_at(wanted[:SAMPLE])]
        names = {stem(word) for kind in kinds_of(self._graph, ids) for word in kind.lower().split()}
        said = {form for word in content for form in forms(word)}
        telling: set[p.Path] = {
            path for path, label in single
            if any(not tells(word, names) and not forms(word) & said for word in label.lower().split())
        }  # fmt: skip
        return telling if len(telling) < len(single) else set()

    def _owners(self, members: Ints, wanted: Ints) -> Iterator[tuple[p.Path, int, str]]:
        """Paths of three steps or four from what belongs to one thing, that to another, to whose all this is: of an
        invoice the job, its bike, the customer."""
        ways: list[tuple[p.Path, Ints]] = [((), members)]
        for depth in range(1, OWNERS + 1):
            further: list[tuple[p.Path, Ints]] = []
            for path, here in ways:
                for step, ends in self._near(here)[:AROUND]:
                    if not step.forward or self.silent(step) or self.literal(step) or held(ends, members).any():
                        continue
                    owners = self._executor.pairs(here, (step,))[0]
                    if len(np.unique(owners)) < len(owners):
                        continue  # one for each
                    if (size := int(held(ends, wanted).sum())) and depth > 2:
                        yield (*path, step), size, self._said_by((*path, step))
                    elif not size:
                        further.append(((*path, step), ends))
            ways = further[:AROUND]

    def _meant(self, kind: Chunk) -> bool:
        """Whether a kind is surely asked for: by its name, or by a noun that no other follows ("business angels")."""
        after = self._words[kind.end] if kind.end < len(self._words) else ""
        noun = self._words[kind.start] not in FUNCTION and (stem(after) == after or after in FUNCTION)
        return kind.fit == 1 or (kind.fit >= MEANT and noun)

    def _said_by(self, path: p.Path) -> str:
        heads = (head_of(self._lexicon.labels[step.relation]).split() for step in path)
        return " ".join(word for head in heads for word in head if word.lower() not in FUNCTION)

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

    def silent(self, step: p.Step) -> bool:
        """Whether no words ask for a step: it says of what kind something is."""
        return self._graph.relation_number(step.relation) in self._lexicon.silent

    def _likeness(self, content: Sequence[str], above: Sequence[str], labels: Sequence[str]) -> list[float]:
        """How well words between two parts, and the upper part itself, say each relation: in [0, 1]."""
        said = {stem(word) for word in content} | {s for word in content for s in SYNONYMS.get(stem(word), ())}
        mine = {form for word in content for form in forms(word)}
        theirs = {stem(word) for word in above}
        found = []
        for label in labels:
            parts = {s for s in stems(head_of(label)) if s not in FUNCTION} or set(stems(label))
            inflected = sum(bool(forms(part) & mine) for part in parts)
            here = (len(parts & said) or INFLECTED * inflected) / max(1, len(parts))
            over = len(parts & theirs) / max(1, len(parts))
            found.append(max(0.5 + 0.5 * here if here else 0.0, 0.4 + 0.5 * over if over else 0.0))
        if self._encoder is not None and content and max(found, default=1.0) < 0.9:
            alike = self._encoder.encode(list(labels)) @ self._encoder.encode([" ".join(content)], role="query")[0]
            found = [
                max(score, float(a) if a >= SAID else 0.5 * max(0.0, float(a)))
                for score, a in zip(found, alike, strict=True)
            ]
        return found
