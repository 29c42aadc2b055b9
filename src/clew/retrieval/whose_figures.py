"""Whose figures a question means that names only where they are: "the average salary in Finance" is that of those who
work there, where a department has no salary itself.

Kept apart from `spoken`, which puts single words into those of a graph: here it is told from how kinds hang together
what has the figure.
"""

from __future__ import annotations

import re

from clew.graph import Graph
from clew.query import plan as p
from clew.query.execute import execute
from clew.query.meanings import spelled_out
from clew.query.vocabulary import several, stem
from clew.query.wordnet import people_of
from clew.retrieval.events.kinds import Events
from clew.retrieval.lexicon import Lexicon
from clew.retrieval.linking import link
from clew.types import Question

MOST = 0.5  # share of a kind's things that must have a figure
_OF_SOME = re.compile(
    r"^(?P<before>(?:what(?:['’]s| is| was) )?(?:the )?)"
    r"(?P<how>average|mean|highest|lowest|total|combined|sum of(?: all)?(?: the)?) (?P<figure>[a-z][a-z -]*?)"
    r"(?: paid)? (?P<at>in|of|at|for|from|within|across) (?P<where>(?:the )?[A-Za-z].*)$", re.IGNORECASE,
)  # fmt: skip
_BARE = re.compile(r"^(?P<how>average|mean|total) (?P<figure>[a-z]+) (?P<where>[A-Z].*)$")
_EARN = re.compile(
    r"^(?:how much|what) (?:do |does )?(?:people|someone|somebody|staff|everyone|employees|they|an employee)"
    r"(?: who work| working)? (?P<at>in|at|for|on) (?P<where>.+?) (?:earn|make|get paid)s?(?: on average)$",
    re.IGNORECASE,
)  # fmt: skip
_PAY = frozenset(["salary", "wage", "pay", "income"])


def with_their_kind(text: str, graph: Graph) -> str:
    """The question with the kind of things whose figures are meant; unchanged where what is named has them itself."""
    plain = re.sub(r"\s+", " ", text.strip()).rstrip("?!. ")
    match = _OF_SOME.match(plain) or _BARE.match(plain)
    if match is not None:
        before = match.groupdict().get("before") or ""
        kind = _having(match["figure"], match["where"], graph)
        where = f"{match.groupdict().get('at') or 'in'} {match['where']}"
        how = "total" if match["how"].lower().startswith("sum") else match["how"]
        return f"{before}{how} {match['figure']} of {kind} {where}" if kind else text
    if (earn := _EARN.match(plain)) is not None:
        for figure in _figures(graph):
            if set(figure.split()) & _PAY and (kind := _having(figure, earn["where"], graph)):
                return f"what is the average {figure} of {kind} {earn['at']} {earn['where']}"
    return text


def _figures(graph: Graph) -> list[str]:
    """The names of all figures, in words."""
    return list(dict.fromkeys(spelled_out(label).lower() for label in Lexicon.of(graph).labels.values()))


def _having(figure: str, where: str, graph: Graph) -> str:
    """The kind in the plural, of what has a figure and belongs to what is named; "" where that is not told."""
    lexicon, events = Lexicon.of(graph), Events(graph)
    if not lexicon.types:
        return ""
    wanted = {stem(word) for word in figure.lower().split()}
    kinds = events.classes()
    topics = link(Question("where", where), graph)
    if not topics or len({topic.mention for topic in topics}) > 1:
        return ""
    named = execute(p.Entities(tuple(topic.entity.id for topic in topics)), graph).members

    def has(kind: str) -> bool:
        return any(wanted <= set(map(stem, each.words)) for each in events.stated(kind, "number", MOST))

    mine = events.kinds_of(named)
    if not mine or any(map(has, mine)):
        return ""
    others = [id for id in kinds if id not in mine and has(id) and any(events.ways(id, each) for each in mine)]
    if len(others) > 1:
        others = [id for id in people_of(kinds) if id in others]
    if len(others) != 1 or stem(kinds[others[0]].lower().split()[-1]) in map(stem, where.lower().split()):
        return ""  # "of the employees in Finance"
    return several(kinds[others[0]])
