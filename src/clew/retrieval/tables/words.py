"""A table's cells and columns by the words that stand in them, and where a question says them.

Shapes: T words of a question.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from clew.graph import Graph
from clew.graph.subgraph import Ints
from clew.graph.tables import NEXT, ORDER
from clew.labels import label_to_text
from clew.query.binding import Binding
from clew.query.columns import Column, column
from clew.query.vocabulary import NUMBERS, stem
from clew.retrieval.words import FUNCTION

LONGEST = 8  # words of one mention
MOST_MENTIONS = 10
MOST_CELLS = 200  # cells that one mention may stand in
MOST_COLUMNS = 40
_WORD = re.compile(r"[^\W_]+(?:[.,'’:/-][^\W_]+)*")
_COMMON = """
table list listed chart total number many much how what which who when where
"""
_DENOTES_NOTHING = frozenset(_COMMON.split())


@dataclass(frozen=True, slots=True)
class Heading:
    """A column of a table. `relation` is "" for the one whose cells name the rows."""

    relation: str
    label: str
    stems: frozenset[str]
    values: Column | None  # how its cells are read; None for names

    @property
    def kind(self) -> str:
        return self.values.kind if self.values is not None and self.values.ordered else "text"


@dataclass(frozen=True, slots=True)
class CellMention:
    """Words of a question that stand in cells of one column."""

    start: int
    end: int
    heading: Heading
    ids: tuple[str, ...]  # the cells; of the naming column the rows
    exact: bool  # the cells hold nothing else


@dataclass(frozen=True, slots=True)
class Amount:
    """A number that a question states, and the word it is."""

    place: int
    value: float
    year: bool


class TableWords:
    """The words of one table: made once and kept with its graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph, binding = graph, Binding.of(graph)
        self.types = binding.type_relations
        whole = graph.whole
        typed = np.isin(whole.rels, self.types)
        self.rows: Ints = np.unique(whole.heads[typed])
        self.kind_id = graph.ids_at(whole.tails[typed][:1])[0]
        self.kind = graph.labels_at(whole.tails[typed][:1])[0]
        skipped = {graph.relation_number(ORDER), graph.relation_number(NEXT), *self.types}
        headings = [Heading("", self.kind, _stems(self.kind), None)]
        self._column_of: dict[int, Heading] = {}
        for number, relation in enumerate(graph.relations()[: MOST_COLUMNS + len(skipped)]):
            if number not in skipped:
                made = Heading(
                    relation.id, label_to_text(relation.label), _stems(relation.label), column(graph, number)
                )
                headings.append(made)
                self._column_of[number] = made
        self.headings = tuple(headings)
        self._cells: dict[int, tuple[str, ...]] = {}
        self._holding: dict[str, set[int]] = defaultdict(set)
        kinds = set(np.unique(whole.tails[typed]).tolist())
        for number, label in enumerate(graph.labels_at(range(graph.num_entities))):
            if number not in kinds:
                words = tokens(label)
                self._cells[number] = words
                for word in words:
                    self._holding[word].add(number)

    @classmethod
    def of(cls, graph: Graph) -> TableWords:
        return graph.derived("tables.words", lambda: cls(graph))

    def mentions(self, words: tuple[str, ...]) -> list[CellMention]:
        """Where cells stand in a question, the longest first; none inside another."""
        taken, found = [False] * len(words), list[CellMention]()
        for length in range(min(LONGEST, len(words)), 0, -1):
            for start in range(len(words) - length + 1):
                run = words[start : start + length]
                if any(taken[start : start + length]) or all(w in FUNCTION or w in _DENOTES_NOTHING for w in run):
                    continue
                if run[0] in FUNCTION and not run[0].isdigit() and length > 1 and run[-1] in FUNCTION:
                    continue
                cells = self._with(run)
                made = self._in_columns(start, start + length, cells, run) if cells else []
                if made:
                    found += made
                    taken[start : start + length] = [True] * length
                    if len(found) >= MOST_MENTIONS:
                        return found
        return found

    def _with(self, run: tuple[str, ...]) -> list[int]:
        sets = sorted((self._holding.get(word, set()) for word in run), key=len)
        cells = set.intersection(*sets) if sets else set()
        if len(run) == 1 or not cells:
            return sorted(cells)[: 4 * MOST_CELLS]
        return [c for c in sorted(cells) if _inside(run, self._cells[c])][: 4 * MOST_CELLS]

    def _in_columns(self, start: int, end: int, cells: list[int], run: tuple[str, ...]) -> list[CellMention]:
        whole, made = self.graph.whole, list[CellMention]()
        exact = [c for c in cells if self._cells[c] == run]
        for group, same in ((exact, True), (cells, False)):
            if not group or (not same and len(group) == len(exact)):
                continue
            among = np.isin(whole.tails, group)
            for relation in np.unique(whole.rels[among]).tolist():
                if relation in self._column_of:
                    ends = np.unique(whole.tails[among & (whole.rels == relation)])[:MOST_CELLS]
                    made.append(
                        CellMention(start, end, self._column_of[relation], tuple(self.graph.ids_at(ends)), same)
                    )
            rows = np.intersect1d(group, self.rows)[:MOST_CELLS]
            if len(rows):
                made.append(CellMention(start, end, self.headings[0], tuple(self.graph.ids_at(rows)), same))
        return made


def tokens(text: str) -> tuple[str, ...]:
    """The words of a text without plural endings, in lower case; numbers without their commas."""
    found = []
    for word in _WORD.findall(text.lower()):
        plain = word.replace("’", "'").removesuffix("'s")
        found.append(plain.replace(",", "") if re.fullmatch(r"\d[\d,]*", plain) else stem(plain))
    return tuple(found)


def amounts(words: tuple[str, ...]) -> list[Amount]:
    """The numbers that a question states in digits or words."""
    found = []
    for place, word in enumerate(words):
        if re.fullmatch(r"\d{1,15}(?:\.\d+)?", word):
            value = float(word)
            found.append(Amount(place, value, word.isdigit() and 1000 <= value < 2100 and len(word) == 4))
        elif word in NUMBERS and word not in ("a", "an", "no"):
            found.append(Amount(place, float(NUMBERS[word]), False))
    return found


def _stems(label: str) -> frozenset[str]:
    words = frozenset(tokens(label_to_text(label)))
    return frozenset(word for word in words if word not in FUNCTION) or words


def _inside(run: tuple[str, ...], cell: tuple[str, ...]) -> bool:
    return any(cell[i : i + len(run)] == run for i in range(len(cell) - len(run) + 1))
