"""What things come to that are sold, used or booked line by line: a line states how many, and what one of them costs.

Kept apart from `summing`, which adds up figures that are stated: here a sum is of products, or of quantities, over the
lines that belong to what a question names, asks for or ranks. Nothing is read in a graph without such lines, nor where
a total is stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from clew.errors import ClewError
from clew.graph import Graph
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.asked import ReadQuestion
from clew.query.decorate import Proposal
from clew.query.execute import execute
from clew.query.keys import Keys, steps_of
from clew.query.meanings import spelled_out
from clew.query.question import read_question
from clew.query.vocabulary import MONTHS, stem
from clew.query.wordnet import people_of
from clew.retrieval.chunks import LIGHT, spot
from clew.retrieval.composing import Composed
from clew.retrieval.events.kinds import Events, Stated
from clew.retrieval.events.scene import all_of
from clew.retrieval.joining import followed
from clew.retrieval.lexicon import Lexicon, kind_called
from clew.retrieval.operating import likeness_by, operated
from clew.retrieval.words import FUNCTION
from clew.types import Question

SURE = 0.9  # of a sum over lines that a question asks for
MOST = 0.8  # share of the lines that must state both figures
_MANY = frozenset(["quantity", "qty", "units", "pieces", "count"])
_TOTALS = frozenset(["total", "amount", "subtotal", "value", "sum", "revenue", "net", "gross", "turnover"])
_KEPT = frozenset(
    ["stock", "hand", "inventory", "available", "reorder", "minimum", "maximum", "per", "pack"]
)  # not sold
_ONE = frozenset(["price", "cost", "rate", "fee", "unit", "each"])
_MONEY = re.compile(
    r"\b(?:how much (?:money |cash )?(?:did|has|have|does|do|was|were)\b.*\b(?:spen[dt]|paid|pay|bought|ordered)\b"
    r"|spen[dt]\b|spending|turnover|revenue|worth|takings?|earned|brought in"
    r"|(?:total|order|overall|whole) (?:order )?(?:value|amount|sum|price|cost)|value of|(?:in )?money"
    r"|comes? to|came to|adds? up to|amounts? to|total (?:of|for)|cost in total|total)\b", re.IGNORECASE,
)  # fmt: skip
_RANKED = re.compile(
    r"\b(?P<most>most|highest|largest|biggest|best|top|greatest|dearest)\b|\b(?P<least>least|lowest|smallest|fewest)\b"
    r"|\b(?P<sells>best[ -]?sell(?:er|ing)|top[ -]?sell(?:er|ing))s?\b", re.IGNORECASE,
)  # fmt: skip
_SOLD = re.compile(
    r"\b(?:sold|sells?|selling|sales|ordered|orders?|bought|buy|purchased|used|use|fitted|shipped|units?|pieces"
    r"|quantit(?:y|ies)|in demand|best[ -]?sell(?:er|ing)s?|top[ -]?sell(?:er|ing)s?)\b", re.IGNORECASE,
)  # fmt: skip
_OFTEN = re.compile(r"\b(?:often|frequently|times|(?:most|different|number of|how many) orders)\b", re.IGNORECASE)
_PIECES = re.compile(r"\b(?:units?|pieces|copies|quantit(?:y|ies)|items)\b", re.IGNORECASE)
_PAPERS = frozenset(
    ["order", "sale", "invoice", "purchase", "receipt", "job", "booking", "basket", "delivery", "ticket"]
)
_AVERAGE = re.compile(r"\b(?:average|mean|each|per|every|different|distinct)\b", re.IGNORECASE)
_PAID = re.compile(r"\bpa(?:y|ys|id|ying)\b", re.IGNORECASE)
_HOW_MANY = re.compile(r"\bhow many\b|\b(?:total )?(?:quantity|number of units|units) (?:of|sold)\b", re.IGNORECASE)
_SO_MANY = re.compile(
    r"\b(?:how many|(?:total )?(?:number|quantity) of|total)(?: units of)? (?P<what>[a-z][a-z -]*?s)\b"
    r"(?:,| (?:have|had|did|do|does|were|was|are|has|used|sold|fitted|ordered|bought|in|that|of)\b|$)", re.IGNORECASE,
)  # fmt: skip
_SAID = """
total money spend spent spending order ordered orders purchase purchased purchases buy bought buying pay paid value
worth
amount sum price cost turnover revenue everything come comes came add adds amounts up altogether whole overall far sold
sell sells selling sales unit units piece pieces quantity most highest largest biggest best top greatest least lowest
smallest fewest seller sellers bestseller bestselling top-selling best-selling made make make customer firm company used
use fitted item items money's counted rather than across all going by terms in-demand over put together since
"""
_TELLS = frozenset([*_SAID.split(), "brought", "bring", "brings", "earned", "earn", "generated", "made"])
_OF_DATES = frozenset([*MONTHS, "in", "during", "between", "and", "since", "before", "after", "year", "month"])


@dataclass(frozen=True, slots=True)
class SoldLines:
    """A kind of lines: how many, and what one of them costs."""

    id: str
    many: p.Step
    each: p.Path

    @property
    def price(self) -> p.Combined:
        """What the number of a line is multiplied by."""
        return p.Combined(self.each, "*")

    def worth(self, some: p.SetPlan) -> p.Aggregate:
        """What some of them come to."""
        return p.Aggregate("sum", some, (self.many,), self.price)


def of_lines(question: Question, graph: Graph, encoder: TextEncoder | None) -> list[Proposal]:
    """The plan for what lines come to, in money or in pieces, where a question asks for that; none for another."""
    if not Lexicon.of(graph).types or not (_MONEY.search(question.text) or _SOLD.search(question.text)):
        return []
    lines = lines_of(graph)
    if len(lines) != 1:
        return []
    try:
        return list(_Sales(question, lines[0], graph, encoder).proposals())[:1]
    except ClewError:
        return []


def lines_of(graph: Graph) -> list[SoldLines]:
    """The kinds of lines of a graph that state how many there are of something and the price of one."""
    return graph.derived(("retrieval.events.lines",), lambda: list(_lines(graph)))


def _lines(graph: Graph) -> Iterator[SoldLines]:
    events = Events(graph)

    def figures(kind: str) -> list[Stated]:
        return events.stated(kind, "number", MOST)

    for kind in events.kinds():
        links = events.links(kind)
        many = [each.step for each in figures(kind) if each.words & _MANY and not each.words & (_ONE | _KEPT)]
        if not links or len(many) != 1:
            continue
        around = [kind, *(link.to for link in links)]
        if any(each.words & _TOTALS and each.money for id in around for each in figures(id)):
            continue  # a total is stated
        own: list[p.Path] = [(each.step,) for each in figures(kind) if each.words & _ONE and each.step != many[0]]
        far: list[p.Path] = [
            (link.step, each.step) for link in links for each in figures(link.to) if each.words & _ONE and each.money
        ]
        each = own or far
        if len(each) == 1:
            yield SoldLines(kind, many[0], each[0])


class _Sales:
    def __init__(self, question: Question, lines: SoldLines, graph: Graph, encoder: TextEncoder | None) -> None:
        self._text = re.sub(r"\s+", " ", question.text.strip()).rstrip("?!. ")
        self._question, self._lines, self._graph, self._encoder = question, lines, graph, encoder
        self._events = Events(graph)
        self._read = read_question(question.text)

    def proposals(self) -> Iterator[Proposal]:
        money, sold = _MONEY.search(self._text) is not None, _SOLD.search(self._text) is not None
        spotted = spot(replace(self._question, text=self._text), self._graph, self._encoder)
        topics = [c for c in spotted.chunks if c.kind == "topic" and c.condition is None]
        others = [c.plan.id for c in spotted.chunks if c.kind == "class" and isinstance(c.plan, p.Class)]
        if money and any(self._states_money(id) for id in others if id != self._lines.id):
            return  # what invoices come to, they say
        inside = {i for c in spotted.chunks if c.kind != "relation" for i in range(c.start, c.end)}
        left = [
            w
            for i, w in enumerate(spotted.words)
            if i not in inside and w != "," and w not in FUNCTION | LIGHT | _TELLS
        ]
        if not topics and (some := self._of_text(sold=sold)):
            yield some
            return
        said = {word for each in self._read.filters for text in each.words for word in text.lower().split()}
        if [word for word in left if word not in said | _OF_DATES and not word.isdigit()]:
            return
        named = [plan for c in topics if isinstance(plan := c.plan, p.Entities)]
        ranked = _RANKED.search(self._text)
        if ranked is not None and not named:
            yield from self._ranked(ranked, money=money and not _PIECES.search(self._text), sold=sold)
        elif len(named) == 1 and not _AVERAGE.search(self._text) and ranked is None:
            yield from self._of_one(named[0], money=money, sold=sold)

    # -- what one thing comes to -------------------------------------------------------------------------------------

    def _of_one(self, named: p.Entities, *, money: bool, sold: bool) -> Iterator[Proposal]:
        members = execute(named, self._graph).members
        ways = [way for kind in self._events.kinds_of(members) for way in self._events.ways(self._lines.id, kind)]
        if len(ways) != 1:
            return
        counted = _HOW_MANY.search(self._text) is not None
        if counted and sold and not _OFTEN.search(self._text):
            beside = None
        elif money and not counted:
            beside = self._lines.price
        else:
            return
        lines = self._some(ways[0], named)
        if lines is not None and len(execute(lines, self._graph).members):
            yield Proposal(p.Aggregate("sum", lines, (self._lines.many,), beside), SURE)

    def _states_money(self, kind: str) -> bool:
        """Whether things of a kind state an amount themselves, and are none that the lines say the price of one of."""
        if self._lines.each[0] in [link.step for link in self._events.links(self._lines.id) if link.to == kind]:
            return False
        return any(each.money and each.words & _TOTALS for each in self._events.stated(kind, "number", MOST))

    def _of_text(self, *, sold: bool) -> Proposal | None:
        """How many of what the lines only say in a text: "inner tubes"."""
        match = _SO_MANY.search(self._text)
        if match is None or not sold or self._read.filters:
            return None
        words = match["what"].lower().split()
        said = " ".join([*words[:-1], stem(words[-1])])
        if kind_called((stem(words[-1]),), Lexicon.of(self._graph)) is not None:
            return None
        lines = self._events.all(self._lines.id)
        for step, _ in steps_of(self._graph, self._events.members(self._lines.id), backward=False):
            some = p.Where(lines, p.Test((step,), "contains", p.Text(said)))
            if Keys(self._graph).finds(some):
                return Proposal(p.Aggregate("sum", some, (self._lines.many,)), SURE)
        return None

    def _some(self, way: p.Path, named: p.SetPlan) -> p.SetPlan | None:
        """The lines of a thing, of those that the question's conditions on time leave."""
        plan = named
        for number, step in enumerate(p.turned(way), 1):
            plan = p.Follow(plan, (step,))
            if self._read.filters and number < len(way):
                plan = self._filtered(plan) or plan
        plan = all_of([plan, *self._among()])
        if not self._read.filters or any(isinstance(node, p.Where) for node in p.walk(plan)):
            return plan
        for link in self._events.links(self._lines.id):
            if (some := self._filtered(p.Class(link.to))) is not None:
                return p.And((plan, followed(some, p.turned((link.step,)))))
        return None

    def _among(self) -> list[p.SetPlan]:
        """The lines, where a relation leads to them and to other things alike."""
        lines = self._events.all(self._lines.id)
        return [lines] if isinstance(lines, p.EdgesOf) else []

    def _filtered(self, plan: p.SetPlan) -> p.SetPlan | None:
        filters = self._read.filters
        if not _PAID.search(self._text):  # what is spent in March is ordered then
            filters = tuple(replace(each, words=("order", "sale", "booking")) for each in filters)
        read: ReadQuestion = replace(read_question(""), filters=filters)
        made = operated(self._graph, [Composed(plan, (), 1.0, ())], read, likeness_by(self._encoder))
        found = [each.plan for each in made if isinstance(each.plan, p.Where) and each.plan.of == plan]
        return found[0] if found else None

    # -- the first of all --------------------------------------------------------------------------------------------

    def _ranked(self, ranked: re.Match[str], *, money: bool, sold: bool) -> Iterator[Proposal]:
        if (not money and not sold) or _OFTEN.search(self._text) or self._read.filters:
            return
        price = spelled_out(Keys(self._graph).label(self._lines.each[-1])).lower()
        if price in self._text.lower():
            return  # "the highest unit price" is of one
        kind = self._kind(money=money)
        ways = self._events.ways(self._lines.id, kind) if kind else []
        if len(ways) != 1:
            return
        beside = self._lines.price if money else None
        among = next(iter(self._among()), None)
        key = p.Key((*p.turned(ways[0]), self._lines.many), "sum", among, beside)
        yield Proposal(p.Top(p.Class(kind), key, ranked["least"] is None), SURE)

    def _kind(self, *, money: bool) -> str:
        """The kind that is asked for: the one that is named, those who buy, or what is sold."""
        kinds, words = self._events.kinds(), re.findall(r"[a-z]+", self._text.lower())
        asked = re.search(r"\b(?:which|what)(?: of (?:our|the|my))? (?P<noun>[a-z]+)", self._text.lower())
        said = [asked["noun"]] if asked else words[: words.index("with")] if "with" in words else words[:2]
        for word in said:
            found = kind_called((stem(word),), Lexicon.of(self._graph))
            if found in kinds and found != self._lines.id and self._events.ways(self._lines.id, found):
                return str(found)
        links = [link.to for link in self._events.links(self._lines.id)]
        people = people_of(self._events.classes())
        sold = [id for id in links if id not in people and stem(kinds[id].lower().split()[-1]) not in _PAPERS]
        if words[:1] == ["who"] or {"spend", "spent", "client", "buyer"} & set(words):
            others = [id for id in links if id not in sold]
            buyers = [id for id in people if any(id in others or self._events.ways(each, id) for each in others)]
            return buyers[0] if len(buyers) == 1 else ""
        return sold[0] if len(sold) == 1 else ""
