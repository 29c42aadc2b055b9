"""The sets of things that a comparison may be of, where the words for them name none: "places", "operators", "who"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from clew.graph import Graph
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.asked import ReadQuestion
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.meanings import spelled_out
from clew.query.vocabulary import stem
from clew.query.wordnet import people_of
from clew.retrieval.composing import Composed
from clew.retrieval.lexicon import Lexicon, few_kinds, owners
from clew.retrieval.operating import ANY_KIND, bearers, likeness_by
from clew.retrieval.pronouns import WHO
from clew.retrieval.words import FUNCTION

COMPOSED = 4  # sets that the words compose which are looked at
SURE = 0.7  # of such a set of some kind, beside which no other kind is looked for
WORDS = 3  # of what is asked for, of which one may mean a kind
NEAR_KIND = 0.35  # cosine from which a word may mean a kind
NEAR_RELATION = 0.5  # the same of what a relation leads to
NEAREST = 2  # kinds and relations that a word may mean
FEW_KINDS = 12  # among which "places" and "things" may be any
MANY = 2000  # relations among which one of a name is looked for
PEOPLE, BEARERS, ANYTHING = 0.8, 0.5, 0.5  # scores of what no word names


@dataclass(frozen=True, slots=True)
class MeantSet:
    """A set of things that may be meant."""

    plan: p.SetPlan
    score: float  # of the composition, or the cosine of the word and the kind's name
    unsaid: tuple[str, ...]  # content words that it does not account for
    nearby: bool = False  # its name is only near to a word, or no word means it
    after: p.Path = ()  # what is asked of those of it that are left

    @property
    def is_kind(self) -> bool:
        return isinstance(self.plan, (p.Class, p.All))

    @property
    def has_kind(self) -> bool:
        return any(isinstance(node, p.Class) for node in p.walk(self.plan))


def sets_meant(
    question: str, read: ReadQuestion, sets: Sequence[Composed], graph: Graph, encoder: TextEncoder
) -> list[MeantSet]:
    """The sets of things that a question may compare, each once.

    Args:
        sets: what the question's parts compose, best first, however little they account for.
    """
    found = [things for each in sets[:COMPOSED] for things in _composed(each, graph)]
    words = tuple(word for word in re.findall(r"[^\W\d_]+", read.stated.lower()) if word not in FUNCTION)[:WORDS]
    if not any(each.score >= SURE and each.has_kind for each in found):
        done = "" if read.ranked is None else read.ranked.verb  # "who owns the most restaurants" asks for owners
        found += _others(question, words, done, graph, encoder)
        found += [MeantSet(plan, BEARERS, words, True) for plan in bearers(graph, read, likeness_by(encoder)) if words]
    if not few_kinds(Lexicon.of(graph)):
        found.append(MeantSet(p.All(), ANYTHING, words))
    once = {(each.plan, each.after): each for each in reversed(found)}
    return list(reversed(once.values()))


def _composed(each: Composed, graph: Graph) -> Iterator[MeantSet]:
    """A composed set; where it goes on to something, also what it goes on from."""
    ordered = bool(each.path) and column(graph, *Binding.of(graph).moves(each.path)[-1]).ordered
    if each.path:
        yield MeantSet(each.base, each.score, each.unsaid, after=() if ordered else each.path)
    if not ordered:
        yield MeantSet(each.plan, each.score, each.unsaid)


def _others(question: str, words: Sequence[str], done: str, graph: Graph, encoder: TextEncoder) -> Iterator[MeantSet]:
    """Kinds that a word or "who" may mean, and what relations lead to that are called nearly so, or as what is done."""
    kinds, labels = few_kinds(Lexicon.of(graph)), Lexicon.of(graph).labels
    if WHO.match(question):
        yield from (MeantSet(p.Class(id), PEOPLE, tuple(words)) for id in people_of(kinds)[:NEAREST])
    called = words[:1] or done.split()[:1]
    if not called:
        return
    asked = encoder.encode([*words, *called], role="query")
    if kinds and words:
        near = encoder.encode(list(kinds.values())) @ asked[: len(words)].T  # (K, W)
        vague = stem(words[0]) in ANY_KIND and len(kinds) <= FEW_KINDS
        for at in np.argsort(-near.max(1))[: FEW_KINDS if vague else NEAREST].tolist():
            word = int(near[at].argmax())
            if near[at, word] >= NEAR_KIND or vague:
                rest = tuple(each for each in words if each != words[word])
                yield MeantSet(p.Class(list(kinds)[at]), float(near[at, word]), rest, True)
    if 0 < len(labels) <= MANY:
        close = encoder.encode(list(map(spelled_out, labels.values()))) @ asked[-1]  # (R,)
        for at in np.argsort(-close)[:NEAREST].tolist():
            id = list(labels)[at]
            of = owners(graph, id)
            figures = column(graph, Binding.of(graph).relation(id)).ordered
            if close[at] >= NEAR_RELATION and of is not None and not figures:
                yield MeantSet(p.Follow(of, (p.Step(id),)), float(close[at]), tuple(words[1:]), True)
