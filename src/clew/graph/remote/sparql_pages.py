"""A graph behind a SPARQL endpoint read whole, in pages: its entities, their names, its facts.

Apart from the questions about a few entities (`sparql.py`), because what counts here is that pages fit together, and
what they cost: sorting is dearer for a server than sending.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from clew.errors import InputError
from clew.graph.remote.endpoint import Binding, Endpoint
from clew.graph.remote.http import TooMuchError
from clew.graph.remote.records import Fact

WHOLE = 250_000  # rows: sorting them into pages costs a server several times as much as sending them as they come
ALL = 1 << 40  # rows
COUNTED_HERE = 200_000  # facts that are read to be counted where the server does not


class Pages(Endpoint):
    """An endpoint that is read whole; see `records.GraphServer` for `terms`, `texts` and `scan`."""

    small = False  # whether its triples are at most `WHOLE`

    def _pages(
        self, select: str, where: str, order: str, start: int, *, table: bool = False
    ) -> Iterator[tuple[int, list[Binding]]]:
        """A long result from row `start` on. The order makes pages of one state of the graph fit together."""
        if start == 0 and self.small and (whole := self._as_they_come(select, where, order, table)) is not None:
            yield len(whole), whole
            return
        inner = f"SELECT {select} WHERE {{ {where} }} {order}"
        if self.engine == "virtuoso":  # sorts no more than ten thousand rows unless the sorting stands in a subquery
            inner = f"SELECT * WHERE {{ {{ {inner} }} }}"
        before: list[Binding] = []
        while rows := self.rows(f"{inner} LIMIT {self.room} OFFSET {start}", table=table):
            if rows == before:
                raise InputError(f"graph {self.shown}: sends the same rows again for the next page; it heeds no OFFSET")
            before = rows
            start += len(rows)
            yield start, rows

    def _as_they_come(self, select: str, where: str, order: str, table: bool) -> list[Binding] | None:
        """All rows of a small result; None where replies are too short for it and pages do not fit together."""
        grouping = order.partition("ORDER BY")[0]
        if self.room >= self.settings.page:
            rows = self.rows(f"SELECT {select} WHERE {{ {where} }} {grouping} LIMIT {WHOLE + 1}", table=table)
            return rows if len(rows) <= WHOLE and not self.may_be_cut(len(rows)) else None
        if grouping or not self.aggregates:
            return None
        (counted,) = self.rows(f"SELECT (COUNT(*) AS ?c) WHERE {{ {where} }}")
        expected = counted.count("c")
        rows = []
        while len(rows) < expected:
            more = self.rows(f"SELECT {select} WHERE {{ {where} }} LIMIT {self.room} OFFSET {len(rows)}", table=table)
            if not more:
                return None
            rows += more
        distinct = {json.dumps(row, sort_keys=True) for row in rows}
        return rows if len(rows) == len(distinct) == expected else None

    def terms(self, start: int) -> Iterator[tuple[int, list[tuple[str, int, str]]]]:
        if not self.aggregates:  # facts are read and counted here
            for after, facts in self.scan(start):
                yield after, [(id, n, "") for id, n in Counter(end for h, _, t, _ in facts for end in (h, t)).items()]
            return
        out = f"{self.fact('?e', '?p', '?n')} {self.filters(None, (), '?n')}"
        into = f"{self.fact('?s', '?p', '?e')} {self.filters(None, (), '?e')}"
        if self.engine == "virtuoso":  # grouped by its objects as they are scanned, it loses three quarters of them
            into = f"SELECT ?e ?p ?s WHERE {{ {into} }} LIMIT {ALL}"
        where = f"{{ {out} }} UNION {{ {into} }}"
        for after, rows in self._pages("?e (COUNT(*) AS ?c)", where, "GROUP BY ?e ORDER BY ?e", start):
            pairs = ((self.ids.read(row["e"]), row.count("c")) for row in rows if "e" in row)
            yield after, [(id, count, "") for id, count in pairs if id is not None]

    def texts(self, start: int) -> Iterator[tuple[int, list[tuple[str, str, int]]]]:
        if not self.naming:
            return
        where = self.each(self.naming, "?e")
        for after, rows in self._pages("?e ?p ?l", where, "ORDER BY ?e ?p ?l", start):
            found = ((self.ids.read(row["e"]), row["l"]["value"].strip(), self.rank(row)) for row in rows)
            yield after, [(id, text, rank) for id, text, rank in found if id is not None and rank is not None and text]

    def scan(self, start: int) -> Iterator[tuple[int, list[Fact]]]:
        where = f"{self.fact('?e', '?p', '?n')} {self.filters(None, (), '?n')}"
        source = " ?g" if self.graphs else ""
        select, order = f"?e ?p {self.shown_as('?n', table=self.as_tables)}{source}", f"ORDER BY ?e ?p ?n{source}"
        for after, rows in self._pages(select, where, order, start, table=self.as_tables):
            facts: dict[tuple[str, str, str], str | None] = {}
            for row in rows:
                head, relation, tail = (self.ids.read(row[key]) for key in ("e", "p", "n"))
                if head is not None and relation is not None and tail is not None:
                    facts.setdefault((head, relation, tail), row["g"]["value"] if "g" in row else None)
            yield after, [(*fact, source) for fact, source in facts.items()]

    def counted_here(self, where: str) -> list[Binding]:
        """Groups of facts counted from the facts themselves, for servers that do not count."""
        count: Counter[tuple[str, ...]] = Counter()
        terms: dict[tuple[str, ...], Binding] = {}
        for after, rows in self._pages("?e ?d ?p ?n", where, "ORDER BY ?e ?d ?p ?n", 0):
            for row in rows:
                key = tuple(row[name]["value"] for name in "edp")
                count[key] += 1
                terms.setdefault(key, row)
            if after > COUNTED_HERE:
                raise TooMuchError(
                    f"graph {self.shown}: does not count, and more than {COUNTED_HERE:,} facts are too many to be read "
                    "for that; leave their relation out, or clew pull the part that is needed"
                )
        return [Binding({**terms[key], "c": {"type": "literal", "value": str(n)}}) for key, n in count.items()]
