"""How likely each plan is what was asked, where no word names what is compared or lacked.

`keys` of clew.query takes what words name; "which restaurants opened after 2010", of restaurants that have a founding
date, names nothing. Two logistic regressions, one for comparisons and one for denials, weigh every plan by what
speaks for it: likeness of words, what else there is to choose from, whether a stated number lies among the values, what
kind of thing comes out. Counts, shares and cosines only, never words, so that they hold for graphs that nothing was
fitted on. scripts/fit_unnamed.py fits their numbers (`weights`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from clew.graph import Graph
from clew.graph.sets import held
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.asked import Filter, Ranked, ReadQuestion
from clew.query.decorate import Proposal, larger_end
from clew.query.keys import ANY_TIME, by_words
from clew.query.lapses import ends as names_an_end
from clew.query.lapses import is_time
from clew.query.meanings import TENURE, meant, names_other_date
from clew.query.question import read_question
from clew.query.wordnet import people_of
from clew.retrieval.asking import asked_kind
from clew.retrieval.composing import Composed
from clew.retrieval.lexicon import Lexicon, few_kinds, members_of, one_kind
from clew.retrieval.operator_words import OperatorQuestion
from clew.retrieval.pronouns import WHO
from clew.retrieval.unnamed.keys import NUMBER_OF, EveryKey, PossibleKey
from clew.retrieval.unnamed.meant_sets import MeantSet, sets_meant
from clew.retrieval.unnamed.weights import COMPARED, LACKING
from clew.retrieval.words import FUNCTION

Weighed = Literal["compared", "lacking"]
LEAST = 0.3  # probability from which a plan is taken: above it more than half were right on graphs left out of the fit
UP_TO = 500_000  # triples of a graph in which everything is looked at: about a second
SURE = 0.95  # no plan whose words name nothing is surer than this
NUMBERS: Mapping[Weighed, Mapping[str, float]] = {"compared": COMPARED, "lacking": LACKING}
SIGNS: Mapping[Weighed, tuple[str, ...]] = {
    "compared": (
        "score",  # log of what the composition thinks of the things meant, or how near a word is to their kind
        "unsaid",  # content words that these do not account for
        "nearby",  # no word names their kind
        "whole",  # they are all of a kind
        "long",  # what is compared lies a step away
        "count",  # it is a number of things
        "single",  # of which each has one
        "by_words",  # words in common with its name
        "meant",  # of the family of an adjective or verb
        "question",  # cosine of the question with the name of the kind and what is compared
        "content",  # cosine of the words that nothing accounts for with the name of what is compared
        "content_over",  # by how much that is more than of any other of its sort: date, number, count
        "other",  # share of what is found that is not of the kind asked for
        "ranked",  # a superlative
        "ranked_count",  # "the most …", by a number of things or a sum
        "inside",  # the stated number lies among the values
        "many",  # of a superlative: log of how many things share the place
        "another",  # its verb means another date
    ),
    "lacking": (
        "score", "nearby", "other",
        "share",  # of the things that have what is lacked
        "phrase",  # cosine of the words of the denial with the name of what is lacked
        "phrase_over",
        "question", "question_over", "content", "content_over",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Option:
    """A plan that may be meant, what speaks for it, and the name of what it compares by."""

    plan: p.SetPlan
    signs: Mapping[str, float]
    name: str


def read_of(asked: OperatorQuestion) -> ReadQuestion:
    """What was read of a question; of one without an operator that its words are what it asks for."""
    return asked.read or replace(read_question(""), text=asked.question.text, stated=asked.question.text)


def weighs(read: ReadQuestion, *, denied: bool) -> Weighed | None:
    """Which regression weighs what a question may mean; None for a question of another sort."""
    if read.unsaid or read.answer != "entity" or read.count:
        return None
    if read.sides is not None:
        return None if read.ranked is None or read.difference else "compared"
    denied = denied or read.negated
    if not denied and (read.ranked is None) is (len(read.filters) == 1):
        return "compared"
    return "lacking" if denied and read.ranked is None and not read.filters else None


def likeliest(options: Sequence[Option], sort: Weighed) -> list[Proposal]:
    """The likeliest plan; nothing where none is likely enough."""
    best = max(options, key=lambda each: probability(each.signs, NUMBERS[sort]), default=None)
    if best is None or (likely := probability(best.signs, NUMBERS[sort])) < LEAST:
        return []
    note = f"no word of the question names “{best.name}”, the likeliest that is meant"
    return [Proposal(best.plan, min(SURE, likely), named=False, note=note)]


def probability(signs: Mapping[str, float], numbers: Mapping[str, float]) -> float:
    """By the numbers of a logistic regression."""
    total = numbers["bias"] + sum(numbers[name] * value for name, value in signs.items())
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, total))))


def weighed(
    question: str, read: ReadQuestion, sort: Weighed, sets: Sequence[Composed], graph: Graph, encoder: TextEncoder,
    *, hidden: Collection[str] = (),
) -> list[Option]:  # fmt: skip
    """The plans that a question may mean, each once, in no order; none of a graph too large to look at everything.

    Args:
        sets: what the question's parts compose, best first, however little they account for.
        hidden: relations that nothing is compared by.
    """
    if graph.num_triples > UP_TO:
        return []
    made: dict[p.SetPlan, Option] = {}
    weighing = _Weighing(question, read, sort, graph, encoder, hidden)
    both = [MeantSet(each.plan, each.score, each.unsaid) for each in sets if read.sides is not None]
    for things in both or sets_meant(question, read, sets, graph, encoder):
        for option in weighing.on(things):
            made.setdefault(option.plan, option)
    return list(made.values())


_COUNTS = get_args(p.CountOp)
_WORD = re.compile(r"[^\W\d_]+")


def _described(read: ReadQuestion) -> list[str]:
    """The words that describe what is compared."""
    ranked = read.ranked
    found = [] if ranked is None else [ranked.noun, *ranked.words, *ranked.verb.split()]
    found += [word for each in read.filters for word in each.words if word not in ANY_TIME]
    return [word for word in dict.fromkeys((*found, *read.dated)) if word]


class _Weighing:
    def __init__(
        self, question: str, read: ReadQuestion, sort: Weighed, graph: Graph, encoder: TextEncoder,
        hidden: Collection[str],
    ) -> None:  # fmt: skip
        self._hidden = hidden
        self._question, self._read, self._sort = question, read, sort
        self._graph, self._encoder, self._keys = graph, encoder, EveryKey(graph)
        self._wanted, self._words = self._asked_for(), _described(read)
        self._base = next((each.base for each in (read.ranked, *read.filters) if each is not None), "")

    def on(self, things: MeantSet) -> Iterator[Option]:
        """The plans that compare the things of one set."""
        members = self._keys.members(things.plan)
        known = [key for key in self._keys.of(members) if key.path[-1].relation not in self._hidden]
        known = [key for key in known if key.measures or self._sort == "lacking"]
        ranked = self._read.ranked
        if ranked is not None and (ranked.base in ("long", "short", TENURE) or is_time(ranked.noun)):
            known += self._keys.lasting(things.plan)
        if not known:
            return
        near = self._likeness(things, known)
        for at, key in enumerate(known):
            alike = [i for i, other in enumerate(known) if other.sort == key.sort and i != at]
            over = {f"{name}_over": float(row[at] - max(row[alike], default=0.0)) for name, row in near.items()}
            for plan, inside in self._plans(things.plan, key, members):
                if things.after and self._sort == "compared":  # what is asked of what lacks something is what it lacks
                    plan = p.Follow(plan, things.after)
                signs = {
                    **self._of_things(things), **self._of_found(self._keys.found(plan)), "inside": inside,
                    **self._of_key(things, key), **over,
                    **{name: float(row[at]) for name, row in near.items()},
                }  # fmt: skip
                yield Option(plan, {name: signs[name] for name in SIGNS[self._sort]}, key.label)

    # -- plans -------------------------------------------------------------------------------------------------------

    def _plans(self, of: p.SetPlan, key: PossibleKey, members: Ints) -> Iterator[tuple[p.SetPlan, float]]:
        """The plan that a key makes of a set, and whether the number it is held against lies among the values."""
        if self._sort == "lacking":
            if len(key.path) == 1 and key.share < 1 and key.since is None:
                yield p.WhereCount(of, key.path, "=", 0), 0.0
        elif self._read.ranked is not None:
            ranked = self._read.ranked
            amount = bool(ranked.noun) and not ranked.base and not is_time(ranked.noun)  # "more lives" is no date
            if key.dated if ranked.date else not (amount and key.dated and key.since is None):
                top = self._top(of, key, ranked)
                if self._read.sides is None:
                    yield top, 0.0
                elif key.share == 1 and len(self._keys.found(top)) == 1:  # both have it, and not the same
                    assert isinstance(of, p.Or)
                    yield p.Compare(of.sets[0], of.sets[1], top.key, top.largest), 0.0
        else:
            yield from self._tested(of, key, members, self._read.filters[0])

    def _top(self, of: p.SetPlan, key: PossibleKey, ranked: Ranked) -> p.Top:
        largest = larger_end(self._graph, key.path, ranked)
        if key.dated and ranked.base in ("long", "short", TENURE):
            over = any(map(names_an_end, key.label.lower().split()))  # "valid for longest", but "open the longest"
            largest = ranked.largest is over
        return p.Top(of, p.Key(key.path, key.how, beside=key.since), largest, ranked.k, ranked.skip)

    def _tested(
        self, of: p.SetPlan, key: PossibleKey, members: Ints, stated: Filter
    ) -> Iterator[tuple[p.SetPlan, float]]:
        value = stated.value
        if key.column is None and isinstance(value, p.Number) and not value.unit and stated.op in _COUNTS:
            n, counts = int(value.value), self._keys.counts(members, key.path)
            yield p.WhereCount(of, key.path, stated.op, n), float(counts.min() <= n <= counts.max())  # type: ignore[arg-type]
        elif key.column is not None and key.how == "value" and isinstance(value, p.Date if key.dated else p.Number):
            at = value.reading.low if isinstance(value, p.Date) else value.value
            inside = float(key.column.low.min()) <= at <= float(key.column.high.max())
            yield p.Where(of, p.Test(key.path, stated.op, value, stated.upper)), float(inside)

    # -- signs -------------------------------------------------------------------------------------------------------

    def _of_found(self, found: Ints) -> dict[str, float]:
        other = 0.0 if self._wanted is None or not len(found) else 1 - float(held(found, self._wanted).mean())
        return {"many": math.log(max(1, len(found))) if self._read.ranked is not None else 0.0, "other": other}

    @staticmethod
    def _of_things(things: MeantSet) -> dict[str, float]:
        return {
            "score": math.log(max(things.score, 0.05)),
            "unsaid": float(len(things.unsaid)),
            "nearby": float(things.nearby),
            "whole": float(things.is_kind),
        }

    def _of_key(self, things: MeantSet, key: PossibleKey) -> dict[str, float]:
        read = self._read
        words = [*self._words, *things.unsaid]
        bare = read.ranked is not None and bool(read.ranked.noun) and read.ranked.words == (read.ranked.noun,)
        label = key.label.rsplit(" ", 1)[-1] if len(key.path) > 1 else key.label
        return {
            "share": key.share,
            "long": float(len(key.path) - 1),
            "count": float(key.how == "count"),
            "single": float(key.single),
            "another": float(key.dated and names_other_date(tuple(words), label)),
            "by_words": by_words(words, [key.label])[0],
            "meant": 0.0 if key.column is None else meant(tuple(words), self._base, label, date=key.dated),
            "ranked": float(read.ranked is not None),
            "ranked_count": float(bare and key.how != "value"),
        }

    def _likeness(self, things: MeantSet, known: Sequence[PossibleKey]) -> dict[str, NDArray[np.float32]]:
        """(K,) cosines of each key with the question, with its operator words, and with those that carry meaning."""
        kind = self._kind_name(things.plan)
        said = _WORD.findall(" ".join((*self._read.removed, *self._read.dated)).lower())
        phrase = dict.fromkeys((*said, *things.unsaid))
        content = [word for word in phrase if word not in FUNCTION]
        texts = [self._question, *(" ".join(some) or self._question for some in (phrase, content))]
        asked = self._encoder.encode(texts, role="query")
        counted = self._sort == "compared"  # what is lacked is no number of things
        names = [key.text if counted else key.text.removeprefix(NUMBER_OF) for key in known]
        by_name, by_kind = (
            self._encoder.encode(names),
            self._encoder.encode([f"{kind} {name}".strip() for name in names]),
        )
        return {"question": by_kind @ asked[0], "phrase": by_name @ asked[1], "content": by_name @ asked[2]}

    def _kind_name(self, plan: p.SetPlan) -> str:
        known = Lexicon.of(self._graph).class_ids
        if isinstance(plan, p.Or) and isinstance(plan.sets[0], p.Entities):
            kind = one_kind(self._graph, plan.sets[0].ids[:1])
            return "" if kind is None else known[kind.id]
        kinds = (known.get(node.id, label_to_text(node.id)) for node in p.walk(plan) if isinstance(node, p.Class))
        return next(kinds, "")

    def _asked_for(self) -> Ints | None:
        """The things of the kind that is asked for; of "who" the people, where the graph says who they are."""
        if WHO.match(self._question):
            people = members_of(people_of(few_kinds(Lexicon.of(self._graph))), self._graph)
            return people if len(people) else None
        return asked_kind(self._question, self._graph)
