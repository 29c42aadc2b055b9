"""Edits played back over a graph: what an edit is, and the graph that results.

Kept apart because arrays never change: an edit is one line in the log (`journal`), merged whenever the graph is opened.

Costs: opening an edited graph is as fast as before; the first use of `whole` merges, a second per ten million triples.

Shapes: N entities, T triples.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from clew.errors import InputError
from clew.graph.inputs import TERM_LIMIT
from clew.graph.layout import LITERAL, MEDIATOR, NAMED
from clew.graph.naming import mediator_test
from clew.graph.strings import checked
from clew.graph.subgraph import Csr, Ints, Subgraph, csr

if TYPE_CHECKING:
    from clew.graph.store import Graph

Row = tuple[str, str, str]
_LITERAL = re.compile(r'".*"(@[A-Za-z0-9-]+|\^\^<[^<>"]*>)?', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Change:
    """One edit: triples that come, triples that go (as ids), and labels of entities."""

    add: tuple[Row, ...] = ()
    remove: tuple[Row, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> bytes:
        """One line without its end."""
        body = {"add": self.add, "remove": self.remove, "labels": dict(self.labels)}
        return json.dumps(body, ensure_ascii=False).encode()

    @classmethod
    def from_json(cls, line: bytes) -> Change:
        """Raises ValueError, KeyError, TypeError or InputError where the line is no edit."""
        data = json.loads(line)
        return change(data["add"], data["remove"], {str(id): str(label) for id, label in data["labels"].items()})


def _rows(triples: Iterable[Sequence[str]]) -> tuple[Row, ...]:
    rows: list[Row] = []
    for item in triples:
        row = tuple(item)
        if len(row) != 3 or not all(isinstance(part, str) and part.strip() and "\0" not in part for part in row):
            raise InputError(f"not a triple: {item!r}; three texts that are not empty are needed: head, relation, tail")
        if any(len(checked(part).encode()) > TERM_LIMIT for part in row):
            raise InputError(f"a term longer than {TERM_LIMIT:,} bytes in {str(item)[:100]}…")
        rows.append((row[0], row[1], row[2]))
    return tuple(rows)


def change(
    add: Iterable[Sequence[str]] = (), remove: Iterable[Sequence[str]] = (), labels: Mapping[str, str] | None = None
) -> Change:
    """A checked edit. Raises InputError for what is no triple."""
    named = {checked(id): checked(label) for id, label in (labels or {}).items()}
    return Change(_rows(add), _rows(remove), named)


class Merge:
    """Edits played back over a graph: what is new, what is gone, who was touched."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.ids: dict[str, int] = {}
        self.relations: dict[str, int] = {}
        self.kinds: list[int] = []
        self.added: dict[tuple[int, int, int], None] = {}
        self.removed: dict[int, tuple[int, int, int]] = {}
        self.labels: dict[int, str] = {}
        self._is_mediator = mediator_test(graph.mediator_pattern)

    def play(self, change: Change) -> None:
        for row in change.remove:
            self._remove(row)
        for row in change.add:
            self._add(row)
        for id, label in change.labels.items():
            number = self._known(id)
            if number is None:
                raise InputError(
                    f"graph {self.graph.title!r}: no entity {id!r} to label {label!r}; add a triple with it first"
                )
            if not label.strip():
                raise InputError(f"graph {self.graph.title!r}: an empty label for {id!r}")
            self.labels[number] = label.strip()

    def _known(self, id: str) -> int | None:
        number = self.graph.number_of(id)
        return self.ids.get(id) if number is None else number

    def _number(self, id: str, tail: bool) -> int:
        number = self._known(id)
        if number is None:
            number = self.ids[id] = self.graph.num_entities + len(self.ids)
            literal = tail and _LITERAL.fullmatch(id)
            self.kinds.append(LITERAL if literal else MEDIATOR if self._is_mediator(id) else NAMED)
        return number

    def _relation(self, id: str) -> int | None:
        number = self.graph.relation_number(id)
        return self.relations.get(id) if number is None else number

    def _place(self, key: tuple[int, int, int]) -> int | None:
        """The triple's number in the graph before the edits."""
        head, relation, tail = key
        if head >= self.graph.num_entities:
            return None
        out = self.graph.as_subgraph.out
        here = slice(int(out.offsets[head]), int(out.offsets[head + 1]))
        at = np.flatnonzero((out.relations[here] == relation) & (out.neighbors[here] == tail))
        return int(out.triples[here][at[0]]) if len(at) else None

    def _add(self, row: Row) -> None:
        head, tail = self._number(row[0], False), self._number(row[2], True)
        relation = self._relation(row[1])
        if relation is None:
            relation = self.relations[row[1]] = self.graph.num_relations + len(self.relations)
        key = (head, relation, tail)
        place = self._place(key)
        if place is None:
            self.added[key] = None
        else:
            self.removed.pop(place, None)

    def _remove(self, row: Row) -> None:
        head, relation, tail = self._known(row[0]), self._relation(row[1]), self._known(row[2])
        if head is None or relation is None or tail is None:
            return
        key = (head, relation, tail)
        self.added.pop(key, None)
        place = self._place(key)
        if place is not None:
            self.removed[place] = key

    @property
    def empty(self) -> bool:
        return not (self.ids or self.relations or self.added or self.removed or self.labels)

    def digest(self) -> str:
        state = {
            "ids": [*self.ids], "kinds": self.kinds, "relations": [*self.relations], "added": sorted(self.added),
            "removed": sorted(self.removed), "labels": sorted(self.labels.items()),
        }  # fmt: skip
        return hashlib.sha256(json.dumps(state).encode()).hexdigest()


def applied(graph: Graph, changes: Sequence[Change]) -> Graph:
    """A graph with edits played back over it; the graph itself stays as it is.

    Raises:
        InputError: a label belongs to an entity that is not in the graph.
    """
    if graph.base_entities is not None:
        raise InputError(f"graph {graph.title!r} is a view and cannot be edited: edit the graph it is a view of")
    merge = Merge(graph)
    for change in changes:
        merge.play(change)
    if merge.empty:
        return graph
    terms = graph.terms.with_edits([*merge.ids], merge.kinds, [*merge.relations], merge.labels)
    numbers = {n for h, _, t in (*merge.added, *merge.removed.values()) for n in (h, t)}
    count = len(terms.ids)
    total = graph.num_triples - len(merge.removed) + len(merge.added)
    gone = np.array(sorted(merge.removed), np.int64)
    come = np.array([*merge.added], np.int32).reshape(-1, 3)

    def merged() -> tuple[Csr, Ints, Ints | None]:
        old = graph.as_subgraph
        h, r, t = (
            np.concatenate([np.delete(side, gone), come[:, i]])
            for i, side in enumerate((old.heads, old.rels, old.tails))
        )
        out = csr(h, t, r, count)
        sources = graph.source_of
        if sources is not None:
            sources = np.concatenate([np.delete(sources, gone), np.full(len(come), -1, np.int32)])[out.triples]
        return out, h[out.triples], sources

    state: list[tuple[Csr, Ints, Ints | None]] = []

    def once() -> tuple[Csr, Ints, Ints | None]:
        if not state:
            state.append(merged())
        return state[0]

    def whole(edited: Graph) -> Subgraph:
        out, heads, _ = once()
        numbers = np.arange(total, dtype=np.int32)
        sub = Subgraph(
            heads,
            out.relations,
            out.neighbors,
            np.arange(count, dtype=np.int32),
            edited,
            triple_numbers=numbers,
            numbered_as_store=True,
        )
        # Sorted rows are their own index by head; the numbers are those a compacted graph has.
        sub.__dict__["out"] = Csr(out.offsets, out.neighbors, out.relations, numbers)
        return sub

    return type(graph)(
        whole,
        terms,
        title=graph.title,
        counts=(count, total),
        fingerprint=lambda _: hashlib.sha256((graph.fingerprint + merge.digest()).encode()).hexdigest(),
        source_of=None if graph.source_of is None else lambda: once()[2],
        path=graph.path,
        touched=sorted({*graph.touched, *terms.ids.take(np.array(sorted(numbers), np.int64))}),
        meta=graph.meta,
        schema=graph.schema,
    )
