"""Conditions that compare with a thing's own value: "hikes with more ascent than the Via Paradiso", "born before Bach".

Kept apart from `two_names`, which holds two things against each other: here one is named, and what is asked for are
those that have more or less of something than it.
"""

from __future__ import annotations

import re

from clew.graph import Graph
from clew.query import plan as p
from clew.query.asked import WH, Filter, ReadQuestion, dating_verb
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.comparisons import between
from clew.query.keys import names, steps_of
from clew.query.meanings import meant
from clew.retrieval.lexicon import class_in
from clew.retrieval.linking import SAME_NAME, link_topics
from clew.types import Question

_THAN = re.compile(
    r"\b(?:(?P<than>than)|(?P<when>before|after)) (?:(?:that|those) of |(?:in|at|on) )?(?:the |an? )?", re.IGNORECASE
)
_MORE = re.compile(
    r"(?:,? (?:that|which|who))?(?: (?P<be>is|are|was|were|has|have|had|do|does|did|with|having|of))?(?: an?)?"
    r"(?P<verb>(?: [a-z]+(?: for| in| to)?)?) (?P<more>more|less|fewer|earlier|later|[a-z]{2,}er)"
    r"(?P<noun>(?: [a-z]+){0,2})$"
)
_CLAUSE = re.compile(r"(?:,? (?:that|which|who))?(?: (?:is|are|was|were|had|has|have))?$", re.IGNORECASE)
_SETS = re.compile(r"(?:is|are|was|were|do|does|did|has|have|had|how much|how many times|by how)\b", re.IGNORECASE)
_ASKS = re.compile(rf"(?:in |on |at |of )?{WH}\b", re.IGNORECASE)
_TAIL = re.compile(r"(?: (?:do|does|did|is|are|was|were|has|have|had|itself))?\W*$", re.IGNORECASE)


def against(text: str, graph: Graph) -> ReadQuestion | None:
    """A question for what has more or less of something than a thing that the graph names; None for any other."""
    plain = re.sub(r"\s+", " ", text.strip()).rstrip("?!. ")
    if _SETS.match(plain):
        return None
    for than in _THAN.finditer(plain):
        named = _named(plain[than.end() :], graph)
        if named is None:
            continue
        before = plain[: than.start()].rstrip()
        made = _measured(before, named) if than["than"] else _dated(before, than["when"].lower(), named, graph)
        if made is not None and (_ASKS.match(made.rest) or class_in(made.rest, graph) is not None):
            return made
    return None


def _named(text: str, graph: Graph) -> p.Entities | None:
    """The thing that some words name and nothing else, with its namesakes."""
    if not text or text[0].isdigit():
        return None
    topics = [
        topic for topic in link_topics(Question("standard", text), graph).topics if text.startswith(topic.mention)
    ]
    whole = [topic for topic in topics if _TAIL.fullmatch(text[len(topic.mention) :])]
    if not whole:
        return None
    best = max(topic.score for topic in whole)
    return p.Entities(tuple(topic.entity.id for topic in whole if topic.score >= SAME_NAME * best))


def _measured(before: str, named: p.Entities) -> ReadQuestion | None:
    """ "… have more ascent" than what is named."""
    match = _MORE.search(before)
    if match is None or match.start() == 0:
        return None
    read = between(f"{match['verb']} {match['more']}{match['noun']}".strip(), ("", ""), truth=False)
    if read is None or read.ranked is None:
        return None
    ranked, rest = read.ranked, before[: match.start()].strip()
    counts = bool(ranked.noun) and not ranked.base
    op: p.Op = ">" if ranked.largest else "<"
    stated = Filter(ranked.words, op, named, of_count=counts, base=ranked.base)
    removed = before[match.start() :].strip()
    return ReadQuestion(before, "comparison", rest, filters=(stated,), removed=(f"{removed} than",), stated=rest)


def _date_of(step: p.Step, graph: Graph) -> int | None:
    """The number of a relation that leads to dates; None for any other."""
    number = Binding.of(graph).relation(step.relation)
    return number if column(graph, number).kind == "date" else None


def _dated(before: str, when: str, named: p.Entities, graph: Graph) -> ReadQuestion | None:
    """ "… born" before what is named, where that has such a date: lawyers appear before a judge."""
    verbs = dating_verb(before)
    steps = steps_of(graph, Binding.of(graph).entities(named.ids), backward=False) if verbs else []
    labels = [graph.relation_at(number).label for step, _ in steps if (number := _date_of(step, graph)) is not None]
    if not any(names(verbs, label) or meant(verbs, "", label, date=True) for label in labels):
        return None
    rest = _CLAUSE.sub("", before[: before.lower().rfind(verbs[0])].rstrip())
    op: p.Op = "<" if when == "before" else ">"
    stated = Filter((*verbs, "date", "year"), op, named)
    return ReadQuestion(before, "date filter", rest, filters=(stated,), removed=(f"{verbs[0]} {when}",), stated=rest)
