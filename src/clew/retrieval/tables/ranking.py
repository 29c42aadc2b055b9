"""Which of a table's plans a question means: a bilinear model of what a plan does and what the question says.

    score(plan, question) = a(plan)ᵀ W x(question) + w[ask]ᵀ d(plan, question)

a: what the plan is made of, as parts ("count", "last", "number >", pairs of them); x: the words and pairs of words of
the question that are frequent in questions to tables, and its sentence vector; d: a few numbers, how well the columns
used are named and how much of the question the cells account for. Fitted by scripts/fit_tables.py on answers alone: the
likelihood of all plans that give the answer (Pasupat and Liang, ACL 2015, section 5).

Shapes: C candidates, P parts, V entries of x, D numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.graph import Graph
from clew.protocols import TextEncoder
from clew.query.asked import ReadQuestion
from clew.query.decorate import Proposal
from clew.query.question import read_question
from clew.retrieval.tables.candidates import Found, TableCandidates
from clew.retrieval.tables.words import Heading, TableWords, tokens
from clew.retrieval.words import FUNCTION

Floats = NDArray[np.float32]
ASKS = ("read", "count", "difference", "compare", "other")  # what has numbers d weighed on its own
NUMBERS = 19  # D
AGAINST = 4.0  # what a plan loses that says otherwise than an operator whose column is named
ENCODED = (2, 5)  # those of D that an encoder says
_WH = frozenset(["what", "which", "who", "whom", "whose", "how", "when", "where", "name", "list", "many", "much"])
FILE = Path(__file__).parent / "weights.npz"


@dataclass(frozen=True)
class TableModel:
    """Fitted weights. `parts` and `triggers` say what the rows and the first columns of `w` stand for."""

    parts: dict[str, int]
    triggers: dict[str, int]
    w: Floats  # (P, V): triggers, then the sentence vector
    d: Floats  # (ASKS, D)

    def scores(self, described: Described) -> Floats:
        """(C,)"""
        of_parts = self.w @ described.x(self)
        by_part = np.array(
            [
                sum(of_parts[k] for name in names if (k := self.parts.get(name)) is not None)
                for names in described.parts
            ],
            np.float32,
        )
        return np.asarray(by_part + (self.d[described.asks] * described.numbers).sum(1), np.float32)


@cache
def fitted() -> TableModel:
    """The weights that ship."""
    with np.load(FILE, allow_pickle=False) as held:
        names = {key: {str(name): i for i, name in enumerate(held[key].tolist())} for key in ("parts", "triggers")}
        return TableModel(names["parts"], names["triggers"], held["w"].astype(np.float32), held["d"].astype(np.float32))


def read_table(text: str, graph: Graph, encoder: TextEncoder | None, model: TableModel | None = None) -> list[Proposal]:
    """The plans of a table that a question may mean, best first; the priors are probabilities among all of them."""
    table, words = TableWords.of(graph), tokens(text)
    grown = TableCandidates(table, words)
    found = grown.found()
    if not found:
        return []
    scores = (model or fitted()).scores(Described(found, grown, text, encoder))
    read = read_question(text)
    scores = scores - AGAINST * np.array([_contradicts(each, read, grown.headings) for each in found], np.float32)
    by_answer: dict[tuple[str, ...], float] = {}
    chances = np.exp(scores - scores.max())
    chances /= chances.sum()
    for each, chance in zip(found, chances.tolist(), strict=True):
        key = tuple(sorted(each.texts))
        by_answer[key] = by_answer.get(key, 0.0) + chance
    order = sorted(range(len(found)), key=lambda i: (-by_answer[tuple(sorted(found[i].texts))], -float(scores[i])))
    return [Proposal(found[i].plan, by_answer[tuple(sorted(found[i].texts))]) for i in order[:20]]


class Described:
    """The candidates of one question as a model sees them."""

    def __init__(self, found: Sequence[Found], grown: TableCandidates, text: str, encoder: TextEncoder | None) -> None:
        self._words, self._text = grown.words, text
        self._content = [i for i, w in enumerate(self._words) if w not in FUNCTION and w not in _WH]
        self._in_cells = {i for m in grown.mentions for i in range(m.start, m.end)}
        self._asked = self._behind_question_word()
        self._vector = None if encoder is None else encoder.encode([text], role="query")[0]
        self._likeness = self._headings(grown, encoder)
        self._spoken = set(self._words)
        self.parts = [self._parts(each) for each in found]
        self.asks = np.array([_group(each) for each in found], np.int64)
        self.numbers = np.array([self._numbers(each) for each in found], np.float32).reshape(len(found), NUMBERS)

    def names(self) -> list[str]:
        """The words and pairs of words of the question; what stands in cells is no word of language."""
        words = ["#" if w.isdigit() else "@" if i in self._in_cells else w for i, w in enumerate(self._words)]
        framed = ["^", *words, "$"]
        return list(dict.fromkeys([*framed, *(f"{a} {b}" for a, b in pairwise(framed)), *_operators(self._text)]))

    def x(self, model: TableModel) -> Floats:
        """(V,)"""
        size = model.w.shape[1]
        made = np.zeros(size, np.float32)
        made[[model.triggers[n] for n in self.names() if n in model.triggers]] = 1.0
        if self._vector is not None:
            made[len(model.triggers) :] = self._vector[: size - len(model.triggers)]
        return made

    # -- parts -------------------------------------------------------------------------------------------------------

    def _parts(self, each: Found) -> tuple[str, ...]:
        rows, size = each.rows, len(each.texts)
        move = rows.move or "no move"
        kind = "a number" if each.ask != "read" else each.read.kind if each.read is not None else "text"
        many = "one" if size == 1 else "few" if size < 4 else "many"
        shape = rows.shape.removeprefix("not ") if rows.shape.startswith("not ") else rows.shape
        made = [
            each.ask, move, shape, f"{each.ask} {kind} {many}", f"{each.ask}, {move}", f"{move}, {shape}",
            f"{each.ask}, {move}, {rows.shape}",
        ]  # fmt: skip
        if rows.shape.startswith("not "):
            made.append("not")
        if each.read is not None:
            made += [f"read {word}" for word in each.read.stems]
            if not each.read.relation:
                made.append("read the name")
        made += [f"key {word}" for key in rows.keys[-1:] for word in key.stems]
        return tuple(made)

    # -- numbers -----------------------------------------------------------------------------------------------------

    def _numbers(self, each: Found) -> list[float]:
        rows, read = each.rows, each.read
        used = {i for m in rows.mentions for i in range(m.start, m.end)} | {a.place for a in rows.amounts}
        named = [h for h in (read, *rows.keys, *(m.heading for m in rows.mentions)) if h is not None]
        heads = {w for h in named for w in h.stems}
        left = [i for i in self._content if i not in used and self._words[i] not in heads]
        content = max(1, len(self._content))
        key = rows.keys[-1] if rows.keys else None
        cells = {m.heading for m in rows.mentions}
        return [
            self._named(read),
            self._first(read),
            self._likeness.get(read.label, 0.0) if read is not None else 0.0,
            self._named(key),
            self._first(key),
            self._likeness.get(key.label, 0.0) if key is not None else 0.0,
            len(used) / content,
            len(self._in_cells - used) / content,
            len(left) / content,
            float(np.mean([m.exact for m in rows.mentions])) if rows.mentions else 0.0,
            float(np.mean([self._named(m.heading) for m in rows.mentions])) if rows.mentions else 0.0,
            float(read is not None and read in cells),
            float(read is not None and key is not None and read == key),
            float(each.ask == "read" and all(set(tokens(t)) <= self._spoken for t in each.texts)),
            math.log1p(len(each.texts)),
            float(each.number is not None and each.number < 0),
            float(each.number == 0),
            float(each.number == 1),
            float(read is not None and not read.relation),
        ]

    def _named(self, heading: Heading | None) -> float:
        """The share of a column's name that the question says."""
        return 0.0 if heading is None else len(heading.stems & self._spoken) / max(1, len(heading.stems))

    def _first(self, heading: Heading | None) -> float:
        return 0.0 if heading is None else float(bool(heading.stems & self._asked))

    def _behind_question_word(self) -> frozenset[str]:
        place = next((i for i, word in enumerate(self._words) if word in _WH), -1)
        after = [w for w in self._words[place + 1 : place + 6] if w not in FUNCTION and w not in _WH]
        return frozenset(after[:2])

    def _headings(self, grown: TableCandidates, encoder: TextEncoder | None) -> dict[str, float]:
        """How much the most similar word of the question is like each column's name."""
        if encoder is None:
            return {}
        words = list(dict.fromkeys(self._words[i] for i in self._content if not self._words[i].isdigit()))[:16]
        labels = list(dict.fromkeys(h.label for h in grown.headings))
        if not words:
            return {}
        alike = encoder.encode(labels) @ encoder.encode(words, role="query").T
        return {label: float(best) for label, best in zip(labels, alike.max(1), strict=True)}


def _contradicts(each: Found, read: ReadQuestion, headings: Sequence[Heading]) -> bool:
    """Whether a plan says otherwise than what is surely read: a mean, a column named behind "the most", its end."""
    if read.summary == "mean":
        meant = [h for h in headings if h.kind == "number" and h.stems & set(tokens(" ".join(read.summary_words)))]
        return each.ask != "mean" or (bool(meant) and each.read not in meant)
    if read.ranked is None or read.ranked.date or not read.ranked.noun:
        return False
    said = set(tokens(read.ranked.noun))
    named = [h for h in headings if h.kind == "number" and h.stems <= said]
    if not named:
        return False
    most, least = "most number", "least number"
    if each.rows.move.startswith((most, least)):
        return named[0] not in each.rows.keys or each.rows.move.startswith(most) != read.ranked.largest
    return each.rows.move != "most summed" or named[0] not in each.rows.keys


def _operators(text: str) -> list[str]:
    """The operators that a question is read for, as words: "lowest" and "cheapest" are one."""
    read = read_question(text)
    made = [f"<{read.kind}>"]
    if read.ranked is not None:
        made += ["<largest>" if read.ranked.largest else "<smallest>", f"<{read.kind} {read.ranked.largest}>"]
        made += ["<dated>"] * read.ranked.date + ["<later>"] * bool(read.ranked.skip)
    made += [f"<{read.summary}>"] * bool(read.summary) + ["<denied>"] * read.negated + ["<less>"] * read.difference
    return [*made, *(f"<{each.op}>" for each in read.filters)]


def _group(each: Found) -> int:
    if each.ask in ("read", "count"):
        return ASKS.index(each.ask)
    name = "difference" if each.ask.startswith("difference") else "compare" if each.ask.startswith("the ") else "other"
    return ASKS.index(name)


def save(model: TableModel, file: Path = FILE) -> None:
    arrays: dict[str, Any] = {
        "parts": np.array(list(model.parts)), "triggers": np.array(list(model.triggers)),
        "w": model.w.astype(np.float16), "d": model.d.astype(np.float32),
    }  # fmt: skip
    np.savez_compressed(file, **arrays)
