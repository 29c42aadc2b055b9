"""What a relation leads to, read as numbers or dates: one column per relation and direction, made when first asked for.

Kept apart from the executor because a column is a property of the graph: the share of its triples that read as its kind
says how sure that is, and decides whether there is an order at all. A column is kept as long as its graph is.

Shapes: M distinct things that a relation leads to, T its triples.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from clew.graph import Graph
from clew.graph.kinds import ALL_UP_TO
from clew.graph.kinds import sampled as sample_of
from clew.graph.strings import literal_parts
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.query.meanings import spelled_out, stated_unit
from clew.query.values import ReadValue, loosely, parse_date, time_of_day, typed, untyped

ColumnKind = Literal["number", "date", "text"]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

SURE = 0.5  # from this share of readable values on, a relation has an order
LOOSE = 0.7  # the same where only what a text begins with is a value
SAMPLE = 1000  # things looked at first; where none of them reads as a value, the others are not looked at
_NUMBER, _DATE = 1, 2
_YEAR_WORDS = ("year", "date", "founded", "born", "died", "established", "since", "season")
_PERHAPS = re.compile(  # where all its numbers may be years: "first climbed in", "joined the EU in", "bar_yr", "est"
    r"(?:.* )?(?:\w+ed|built|won|made|begun|born)\b.* in|first \w+|\w+ed|(?:.* )?(?:year|established|inception|start"
    r"|end|opening|founding|foundation|launch|construction|birth|death)"
)
_BEGINNING, _END = -10_000, 3000
_ADDRESS = re.compile(r"\d+[A-Za-z]?,? (?P<name>[A-Z][a-z]+ [A-Z].*)")
NAMED = 3  # different names behind numbers from which on these are addresses
_YEARS = (1000, 2200)  # numbers outside are no years unless the name says so
_RECENT = (1400, 2100)  # numbers of no unit that are all between these, few of them round, are years
_SLASHED = re.compile(r"^(?P<a>\d\d?)/(?P<b>\d\d?)/(?P<c>\d{4})(?=$| )")
MONTHS = 12
_SEVERAL = 5  # of them at least
_TIMED = re.compile(r"\b(?:[a-z]{2,}ed|built|blt|won|made|begun|born|in|on|from|since|until|till|yr|premiere|debut)\b")
ALL_TIMES = 0.9  # share of a column's cells from which it holds times of the day
_WHEN = """
arrival arrives arrive departure departs depart start starts end ends begin begins open opens opening close closes
closing time from to until at doors kickoff sunrise sunset boarding check scheduled hour
"""
_HOW_LONG = """
duration length runtime lap pace split record elapsed finish finishing min playing running best personal taken total
"""
_HAPPENING, _LASTING = frozenset(_WHEN.split()), frozenset(_HOW_LONG.split())
_DATING = re.compile(  # a verb alone says when: "opened", "enrolled in"
    r"(?:opened|joined|enrolled|hired|released|published|launched|formed|started|completed|built|began|created|closed"
    r"|acquired|inaugurated|incorporated|painted|composed|recorded|discovered|retired|(?:first|last) [a-z]+ed)"
    r"(?: in| on| at)?"
)


@dataclass(frozen=True, eq=False)
class Column:
    """The things a relation leads to, and the intervals that those of its kind stand for."""

    kind: ColumnKind
    share: float  # of its triples whose value reads as `kind`; of text, those that read as nothing
    nodes: Ints  # (M,) ascending numbers of the things that read as `kind`
    low: Floats  # (M,)
    high: Floats  # (M,)
    dimension: str = ""
    unit: str = ""  # the commonest one as written
    precision: str = ""  # of dates, the commonest
    stated: str = ""  # the unit that the relation's name states, of bare numbers

    @property
    def ordered(self) -> bool:
        return self.kind != "text" and self.share >= SURE

    def of(self, nodes: Ints) -> tuple[Bools, Floats, Floats]:
        """Which of some nodes read as this column's kind, and their intervals (0 where they do not): (n,) each."""
        if not len(self.nodes):
            return np.zeros(len(nodes), bool), np.zeros(len(nodes)), np.zeros(len(nodes))
        at = np.minimum(np.searchsorted(self.nodes, nodes), len(self.nodes) - 1)
        known = self.nodes[at] == nodes
        return known, np.where(known, self.low[at], 0.0), np.where(known, self.high[at], 0.0)


def column(graph: Graph, relation: int, forward: bool = True, *, sampled: bool = False) -> Column:
    """The column at the end of a relation (its number) walked in a direction.

    Args:
        sampled: for those who ask of what kind the things are: of a large graph an even sample of its triples is read,
            where that holds enough of the relation.
    """
    whole = graph.whole
    sampled = sampled and whole.num_triples > ALL_UP_TO

    def made() -> Column:
        rels, column_ends = whole.rels, whole.tails if forward else whole.heads
        if sampled:
            rels, column_ends = sample_of(rels), sample_of(column_ends)
        mine = np.flatnonzero(rels == relation)
        if sampled and len(mine) < SAMPLE:
            return column(graph, relation, forward)
        ends, counts = np.unique(column_ends[mine], return_counts=True)
        label = graph.relation_at(relation).label
        spelled, unit = spelled_out(label).lower(), stated_unit(label)
        if (times := _clock_times(graph, ends, counts, spelled)) is not None:
            return times
        dated = any(word in label.casefold() for word in _YEAR_WORDS)
        dated |= _DATING.fullmatch(label_to_text(label).lower()) is not None
        found = column_of(graph, ends, counts, years=dated)
        if found.kind != "number" or found.dimension:
            return found
        named = _PERHAPS.fullmatch(spelled) is not None and _may_be_years(found)
        timed = _TIMED.search(spelled) is not None and _look_like_years(found)
        if unit in ("", "year", "years") and (named or timed):
            return column_of(graph, ends, counts, years=True)
        return replace(found, stated=unit)

    return graph.derived(("query.column", relation, forward, sampled), made)


def _clock_times(graph: Graph, ends: Ints, counts: NDArray[np.int64], name: str) -> Column | None:
    """A column of times of the day, where its name speaks of when something is and not of how long it takes."""
    words = set(name.split())
    if not len(ends) or words & _LASTING or not words & _HAPPENING:
        return None
    read = [time_of_day(text) for text in graph.labels_at(ends[: 4 * SAMPLE])]
    keep = [at for at, each in enumerate(read) if each is not None]
    share = float(counts[keep].sum()) / max(int(counts[: 4 * SAMPLE].sum()), 1)
    if share < ALL_TIMES or len(ends) > 4 * SAMPLE:
        return None
    return _made("date", [read[at] for at in keep], ends[keep], share, "", "", "clock")


def _may_be_years(found: Column) -> bool:
    whole = bool((found.low == np.floor(found.low)).all())
    return whole and found.share == 1.0 and _YEARS[0] <= float(found.low.min()) and float(found.low.max()) < _YEARS[1]


def _look_like_years(found: Column) -> bool:
    """Whether numbers are years where a verb or a preposition says little of it: "joined tour" leads to 1966."""
    if len(found.nodes) < _SEVERAL or not _may_be_years(found):
        return False
    recent = _RECENT[0] <= float(found.low.min()) and float(found.low.max()) < _RECENT[1]
    return recent and float((found.low % 10 == 0).mean()) < 0.5


def column_of(graph: Graph, nodes: Ints, counts: NDArray[np.int64] | None = None, *, years: bool = False) -> Column:
    """Some distinct nodes as a column; `counts` says how often each occurs, `years` that whole numbers may be years."""
    counts = np.ones(len(nodes), np.int64) if counts is None else counts
    total = int(counts.sum())
    none = Column("text", 1.0, nodes[:0], np.empty(0), np.empty(0))
    if not total:
        return none
    if len(nodes) > 4 * SAMPLE:
        sample = nodes[np.linspace(0, len(nodes) - 1, SAMPLE).astype(np.int64)]
        if not any(reading is not None for reading in readings(graph, sample)):
            return none
    read = readings(graph, nodes)
    kinds = np.array([0 if r is None else _NUMBER if r.kind == "number" else _DATE for r in read], np.uint8)
    weights = {kind: int(counts[kinds == kind].sum()) for kind in (_NUMBER, _DATE)}
    if max(weights.values()) < SURE * total and not _addresses(graph, nodes):
        loose = [
            r if r is not None else other for r, other in zip(read, readings(graph, nodes, loose=True), strict=True)
        ]
        codes = np.array([0 if r is None else _NUMBER if r.kind == "number" else _DATE for r in loose], np.uint8)
        again = {kind: int(counts[codes == kind].sum()) for kind in (_NUMBER, _DATE)}
        if max(again.values()) >= LOOSE * total:
            read, kinds, weights = loose, codes, again
    if years or weights[_DATE]:
        read, kinds = _with_years(read, kinds, force=weights[_NUMBER] <= weights[_DATE])
        weights = {kind: int(counts[kinds == kind].sum()) for kind in (_NUMBER, _DATE)}
    chosen = _NUMBER if weights[_NUMBER] >= weights[_DATE] else _DATE
    if not weights[chosen]:
        return none
    if chosen == _DATE:
        keep = np.flatnonzero(kinds == _DATE)
        mine = [read[i] for i in keep]
        precision = _commonest([r.dimension for r in mine if r], counts[keep])
        return _made("date", mine, nodes[keep], weights[_DATE] / total, "", "", precision)
    return _numbers(read, kinds, nodes, counts, total)


def _addresses(graph: Graph, nodes: Ints) -> bool:
    """Whether texts begin with a number and go on with names, each another: "12 Church Street" is no twelve."""
    found = [match["name"] for match in map(_ADDRESS.match, graph.labels_at(nodes[:SAMPLE])) if match is not None]
    return 2 * len(found) > len(nodes[:SAMPLE]) and len(set(found)) >= NAMED


def _with_years(
    read: list[ReadValue | None], kinds: NDArray[np.uint8], *, force: bool
) -> tuple[list[ReadValue | None], NDArray[np.uint8]]:
    """Whole numbers as years, where all numbers can be years (or, with `force`, each that can be)."""
    whole = [
        k == _NUMBER and r is not None and not r.dimension and r.low == int(r.low) and _BEGINNING <= r.low < _END
        for k, r in zip(kinds.tolist(), read, strict=True)
    ]
    # Years of antiquity are small or below zero; where most are, "year 2" is the second and no date.
    far = sum(may and r is not None and abs(r.low) >= 100 for may, r in zip(whole, read, strict=True))
    old = 2 * far > sum(whole) and not force
    can = [may and r is not None and (old or r.low >= 100) for may, r in zip(whole, read, strict=True)]
    if not force and sum(can) < int(np.count_nonzero(kinds == _NUMBER)):
        return read, kinds
    changed, codes = list(read), kinds.copy()
    for i, may in enumerate(can):
        reading = read[i]
        if may and reading is not None:
            year = int(reading.low)
            changed[i] = parse_date(f"{'-' if year < 0 else ''}{abs(year):04d}")
            codes[i] = _DATE
    return changed, codes


def _numbers(
    read: list[ReadValue | None], kinds: NDArray[np.uint8], nodes: Ints, counts: NDArray[np.int64], total: int
) -> Column:
    """The numbers of a column in one dimension; a bare number among quantities is in the commonest unit."""
    from clew.query.values import in_base

    keep = np.flatnonzero(kinds == _NUMBER)
    mine = [r for r in (read[i] for i in keep) if r is not None]
    dimension = _commonest([r.dimension for r in mine if r.dimension], counts[keep][[bool(r.dimension) for r in mine]])
    unit = _commonest([r.unit for r in mine if r.unit and r.dimension == dimension], None)
    fitting = [i for i, r in enumerate(mine) if r.dimension in ("", dimension)]
    keep, mine = keep[fitting], [mine[i] for i in fitting]
    if dimension:
        mine = [r if r.dimension else ReadValue("number", v := in_base(r.low, unit), v, dimension, unit) for r in mine]
    return _made("number", mine, nodes[keep], int(counts[keep].sum()) / total, dimension, unit, "")


def _made(
    kind: ColumnKind, read: list[ReadValue] | list[ReadValue | None], nodes: Ints, share: float, dimension: str,
    unit: str, precision: str,
) -> Column:  # fmt: skip
    low = np.array([r.low for r in read if r is not None], np.float64)
    high = np.array([r.high for r in read if r is not None], np.float64)
    return Column(kind, share, nodes, low, high, dimension, unit, precision)


def _commonest(names: list[str], counts: NDArray[np.int64] | None) -> str:
    weights: dict[str, int] = {}
    for name, count in zip(names, [1] * len(names) if counts is None else counts.tolist(), strict=True):
        weights[name] = weights.get(name, 0) + count
    return max(weights, key=lambda name: weights[name], default="")


def readings(graph: Graph, nodes: Ints, *, loose: bool = False) -> list[ReadValue | None]:
    """What the names of some nodes read as; a literal by its datatype, if it has one. `loose`: what they begin with."""
    literal = graph.literals_at(nodes)
    texts = graph.labels_at(nodes)
    found: list[ReadValue | None] = [None] * len(texts)
    datatypes: dict[int, str | None] = {}
    if literal.any():
        places = np.flatnonzero(literal)
        for place, id in zip(places.tolist(), graph.ids_at(nodes[places]), strict=True):
            datatypes[place] = literal_parts(id)[1]
    day_first = any((match := _SLASHED.match(text)) is not None and int(match["a"]) > MONTHS for text in texts)
    for i, text in enumerate(texts):
        if day_first:  # 26/02/2024 says what 03/04/2024 beside it is
            text = _SLASHED.sub(lambda m: f"{m['c']}-{int(m['b']):02d}-{int(m['a']):02d}", text)
        datatype = datatypes.get(i)
        found[i] = typed(text, datatype) if datatype else loosely(text) if loose else untyped(text)
    return found
