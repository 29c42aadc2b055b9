"""Questions that ask for yes or no: whether what is named is among what the rest of the question says."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from clew.graph import Graph
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.asked import ReadQuestion
from clew.query.binding import Binding
from clew.query.decorate import Proposal
from clew.query.execute import execute
from clew.query.keys import Likeness, steps_of
from clew.query.vocabulary import INVERSE, PAST, forms, stem
from clew.retrieval.attaching import NOT
from clew.retrieval.chunks import Spotted, spot
from clew.retrieval.composing import Composed, compose
from clew.retrieval.lexicon import Lexicon, class_in, kinds_of, stems
from clew.retrieval.operating import operated
from clew.retrieval.sharing import sharing
from clew.retrieval.words import FUNCTION
from clew.types import Question

LOOKED_AT = 100  # members of a set whose kinds are looked at
SURE = 0.62  # a set below this decides no yes or no
_STANDING = frozenset(stem(word) for word in ("status", "state", "condition", "stage", "phase"))
_SIBLINGS = frozenset(["siblings", "brothers", "sisters", "brother and sister", "sister and brother"])


_ANY = re.compile(
    r"^(?:(?:is|are|was|were) there (?:any|some) (?P<things>[a-z][\w -]*?)"
    r"|(?:do|does|did|has|have|had) (?:we|you|they|i|our \w+"
    r"|(?P<owner>(?!(?:it|s?he|any|some|every|no|who)\b)(?!any|some|every)\S.*?))"
    r" (?:(?:have|got|get|own|hold) )?any (?P<theirs>[a-z][\w -]*?))"
    r"(?P<rest> (?:(?:that|which|who)|over|under|above|below|in|from|of|at|on|before|after|with|without|since|during"
    r"|by|for)\b.*)?$",
    re.IGNORECASE,
)


def as_count(text: str) -> str:
    """A question whether there is any as one how many there are: "are there any unpaid bills", "does X have any huts
    over 200"; "" for another."""
    match = _ANY.match(text.strip(" ?.!"))
    things = match and (match["things"] or match["theirs"])
    if match is None or not things or stem(things.split()[-1]) == things.split()[-1]:
        return ""
    rest = match["rest"] or ""
    if match["owner"] is None:  # "do we have any"
        return f"how many {things}{rest} are there" if not rest else f"how many {things}{rest}"
    said = re.match(r" (?:that|which|who) (?P<said>.+)$", rest)
    if said is not None:
        return f"how many {things} of {match['owner']} {said['said']}"
    return f"how many {things}{rest} does {match['owner']} have"


def _decides(each: Composed) -> bool:
    """Whether a set may say yes or no: what kind of thing something is says nothing of a word left over."""
    return each.score >= SURE and not (each.unsaid and isinstance(each.plan, p.Class))


class Truth:
    """Yes or no: whether what is named first is among what the rest of the question says; or whether there is any."""

    def __init__(self, graph: Graph, encoder: TextEncoder | None, likeness: Likeness) -> None:
        self._graph, self._encoder, self._likeness = graph, encoder, likeness

    def proposals(self, question: Question, read: ReadQuestion) -> list[Proposal]:
        """Nothing where the words do not all meet something in the graph: no answer is not a "no"."""
        if shared := sharing(question, read.stated, self._graph, self._encoder):
            return shared
        spotted = spot(replace(question, text=read.stated), self._graph, self._encoder)
        first = spotted.chunks[0] if spotted.chunks else None
        asked = replace(read, answer="entity", kind="plain")
        if first is None or not isinstance(first.plan, p.Entities) or set(spotted.words[: first.start]) - FUNCTION:
            sets = [each for each in self._sets(question, f"which {read.stated}") if _decides(each)]
            made = operated(self._graph, sets, asked, self._likeness)
            stood = [(e, self._stands(e.plan, read.stated)) for e in made if isinstance(e.plan, p.SetPlan)]
            return [Proposal(p.Exists(plan), each.prior) for each, plan in stood if plan is not None]
        if read.whoever:
            sets = [each for each in self._sets(question, read.stated) if _decides(each)]
            return [
                Proposal(p.Exists(each.plan), each.prior)
                for each in operated(self._graph, sets, asked, self._likeness)
                if isinstance(each.plan, p.SetPlan)
            ]
        if (meeting := self._meeting(spotted) or self._been(spotted) or self._done(spotted)) is not None:
            return [meeting]
        second = spotted.chunks[1].plan if len(spotted.chunks) > 1 else None
        if isinstance(second, p.Entities) and spotted.words[first.end : spotted.chunks[1].start] == ("and",):
            if " ".join(spotted.words[spotted.chunks[1].end :]) in _SIBLINGS:
                return self._siblings(first.plan, second)
            both = p.Entities((*first.plan.ids, *second.ids))  # "do both A and B lie on C": all of them
            first = replace(first, end=spotted.chunks[1].end, plan=both)
        assert isinstance(first.plan, p.Entities)
        rest = " ".join(spotted.words[first.end :])
        if len(spotted.chunks) == 1 and (read.filters or read.ranked):
            made = operated(self._graph, [Composed(first.plan, (), 0.9, ())], asked, self._likeness)
            if read.filters:
                return [Proposal(p.Exists(each.plan), each.prior) for each in made if isinstance(each.plan, p.SetPlan)]
        noun = re.sub(r"^an? ", "which ", rest)  # "is the eagle a bird": whether it is among the birds
        texts = [
            f"what is {rest}",
            *([noun] if noun != rest else []),
            *(f"which {kind} {rest}" for kind in sorted(kinds_of(self._graph, first.plan.ids))[:3]),
        ]
        sets = sorted((s for text in texts for s in self._sets(question, text)), key=lambda s: -s.score)
        made = operated(self._graph, [s for s in sets if _decides(s)], asked, self._likeness)
        told = [(e, of) for e in made if isinstance(e.plan, p.SetPlan) and (of := self._told_of(first.plan, e.plan))]
        return [Proposal(p.Is(of, e.plan), e.prior) for e, of in told if isinstance(e.plan, p.SetPlan)]

    def _stands(self, plan: p.SetPlan, stated: str) -> p.SetPlan | None:
        """A set of values, of these what the question says: "is the inquiry still open" asks for one status of several.
        None where it says none of them."""
        if not isinstance(plan, p.Follow) or plan.qualifiers or not plan.path[-1].forward:
            return plan
        label = Lexicon.of(self._graph).labels.get(plan.path[-1].relation, "")
        if not set(stems(label)) & _STANDING:
            return plan
        number, whole = Binding.of(self._graph).relation(plan.path[-1].relation), self._graph.whole
        values = np.unique(whole.tails[whole.rels == number])
        said = set(stems(stated)) - set(stems(label))
        ids = [
            id
            for id, value in zip(self._graph.ids_at(values), self._graph.labels_at(values), strict=True)
            if stems(value) and set(stems(value)) <= said
        ]
        return p.And((plan, p.Entities(tuple(ids)))) if ids else None

    def _told_of(self, named: p.Entities, among: p.SetPlan) -> p.Entities | None:
        """Of what goes by one name the things of a kind with a set's members; None where the set is of other kinds: the
        visits at which a drug was given tell nothing of who got it. Whether something is of a kind is asked of any."""
        kinds = kinds_of(self._graph, self._graph.ids_at(execute(among, self._graph).members[:LOOKED_AT]))
        own = {id: kinds_of(self._graph, (id,)) for id in named.ids}
        if isinstance(among, p.Class) or not kinds or not any(own.values()):
            return named
        alike = tuple(id for id in named.ids if own[id] & kinds)
        namesakes = len(set(self._graph.labels_at(Binding.of(self._graph).entities(named.ids)))) == 1
        return p.Entities(alike) if alike and namesakes else named if alike else None

    def _siblings(self, one: p.Entities, other: p.Entities) -> list[Proposal]:
        """Whether two have a parent in common, where the graph names parents."""
        labels = Lexicon.of(self._graph).labels
        parents = [id for id, label in labels.items() if label.lower() in INVERSE["child"]]
        theirs = [p.Follow(p.Follow(one, (p.Step(id),)), (p.Step(id, False),)) for id in parents]
        if not any(len(execute(each, self._graph).members) for each in theirs):
            return []
        return [Proposal(p.Is(other, theirs[0] if len(theirs) == 1 else p.Or(tuple(theirs))), 0.9)]

    def _meeting(self, spotted: Spotted) -> Proposal | None:
        """Whether a flag is said of what is named: "does the lock run on batteries". None where the graph says neither
        yes nor no of it."""
        first, *others = spotted.chunks
        if len(others) != 1 or (met := others[0].condition) is None or not isinstance(first.plan, p.Entities):
            return None
        either = [each for each in (met.plan, met.opposite) if each is not None]
        if not any(len(execute(p.And((first.plan, each)), self._graph).members) for each in either):
            return None
        denied = bool(NOT & set(spotted.words[first.end : others[0].start]))
        plan = met.opposite or p.Minus(first.plan, met.plan) if denied else met.plan
        return Proposal(p.Is(first.plan, plan), 0.95 * met.fit)

    def _been(self, spotted: Spotted) -> Proposal | None:
        """Whether something has been done, where the graph says of its kind when, or by whom: "has the bill been paid".
        None for other questions."""
        first = spotted.chunks[0]
        after = spotted.words[first.end :]
        verbs = [word for word in after if word not in FUNCTION and word not in NOT]
        if len(verbs) != 1 or "been" not in after or not isinstance(first.plan, p.Entities):
            return None
        lexicon = Lexicon.of(self._graph)
        for kind in sorted(kinds_of(self._graph, first.plan.ids)):
            of = class_in(kind, self._graph)
            members = execute(of, self._graph).members if of is not None else np.empty(0, np.int32)
            for step, _ in steps_of(self._graph, members, backward=False):
                if forms(verbs[0]) & set(lexicon.words_of(step.relation)):
                    op: p.CountOp = "=" if NOT & set(after) else ">"
                    return Proposal(p.Exists(p.WhereCount(first.plan, (step,), op, 0)), 0.9)
        return None

    def _done(self, spotted: Spotted) -> Proposal | None:
        """Whether a verb is what the graph says of something: "did X drown" where "drowned" is how some died.

        None where what is named has no such property.
        """
        first, *others = spotted.chunks
        content = [word for word in spotted.words[first.end :] if word not in FUNCTION]
        if others or len(content) != 1 or not isinstance(first.plan, p.Entities):
            return None
        verb = content[0]
        past = [form for form, base in PAST.items() if base == verb]
        said = [verb, f"{verb}ed", f"{verb}d", f"{verb}{verb[-1]}ed", *past]
        values = tuple(dict.fromkeys(each.id for form in said for each in self._graph.resolve(form)))
        if not values:
            return None
        for step, _ in steps_of(self._graph, execute(first.plan, self._graph).members, backward=False):
            bearers = p.Follow(p.Entities(values), (p.Step(step.relation, False),))
            if len(execute(bearers, self._graph).members):
                return Proposal(p.Is(first.plan, bearers), 0.9)
        return None

    def _sets(self, question: Question, text: str) -> list[Composed]:
        return compose(replace(question, text=re.sub(r"\s+", " ", text)), self._graph, self._encoder)
