"""A graph behind any SPARQL 1.1 endpoint: one query a hop, whatever the frontier.

Apart from the store because it is only about queries: what a hop, a label, a count looks like as SPARQL, and what to do
when a reply would be too long.

A hop asks for the facts of all its entities and, in the same query, for the labels of what they lead to. Where the
reply fills a page, the groups (entity, direction, relation) are counted first and each is asked for its fair share, so
that a hub costs a few queries more and not a transfer of its hundred thousand edges.

Nameless nodes have no address in SPARQL. The store remembers by which way each was reached and asks along it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from clew.graph.remote import dialects
from clew.graph.remote.address import Address
from clew.graph.remote.endpoint import Binding
from clew.graph.remote.http import RefusedError, TooMuchError
from clew.graph.remote.records import Facts, FactsWanted, Group, Profile
from clew.graph.remote.settings import ServerSettings
from clew.graph.remote.shares import cut_down, share_out
from clew.graph.remote.sparql_pages import WHOLE, Pages
from clew.graph.remote.survey import look_over
from clew.graph.remote.table import MixedError, as_one, pack
from clew.graph.remote.terms import is_blank, is_literal, quoted
from clew.graph.statements import DESCRIPTIONS

AT_ONCE = 2_000  # entities of one query
SUBQUERIES = 100  # of one query
PACKED = (
    30_000  # facts of one packed reply: Virtuoso takes 1.3 s to write so many, and four times that for twice as many
)
ORDERED = (
    5_000  # ends of a group that are sorted, so that those with the lowest ids stay; Oxigraph sorts 5,000 a second
)
_IN_ORDER = " ORDER BY ?n"
_NODE_ID = re.compile(r"_:(nodeID://b\d+)\Z")  # Virtuoso lets its nameless nodes be asked for


class SparqlServer(Pages):
    """See `records.Server`."""

    def __init__(self, address: Address, settings: ServerSettings) -> None:
        super().__init__(address, settings)
        self._text_search = ""
        self._routes: dict[str, tuple[tuple[str, str, bool], ...]] = {}  # nameless node → (from, relation, forward)…

    def profile(self) -> Profile:
        return look_over(self)

    def use(self, profile: Profile) -> None:
        self.engine = profile.engine
        self.as_tables = profile.engine == "virtuoso"  # writes CSV eight times as fast as JSON
        self.packs = bool(profile.details["packs"])
        self.aggregates, self.subselects = profile.details["aggregates"], profile.details["subselects"]
        self.graphs = tuple(profile.details["graphs"])
        self.room = min(self.settings.page, profile.row_limit or self.settings.page)
        self.name_by(profile.label_properties, profile.alias_properties, profile.languages)
        self._text_search = profile.text_search
        self.small = profile.triples is not None and profile.triples <= WHOLE

    # -- facts ---------------------------------------------------------------------------------------------------------

    def facts(self, wanted: FactsWanted) -> Facts:
        asked = list(dict.fromkeys(wanted.ids))
        if self.filters(wanted.relations, wanted.excluded, "") is None:
            return Facts()
        result = Facts()
        crowded: list[str] = []

        def ask(part: Sequence[str]) -> list[Facts]:
            rows = self._around(part, wanted)
            if rows is None:
                crowded.extend(part)
                return []
            return [self._read(rows, {side: set(wanted.asked(part, side)) for side in (True, False)})]

        # Apart where replies are tables that are not packed: see `in_table`.
        texts = [id for id in asked if is_literal(id)] if self.as_tables and not self.packs else []
        things = [id for id in asked if not is_literal(id)] if texts else asked
        for found in [each for ids in (things, texts) for each in self.split(ids, ask, AT_ONCE)]:
            result.rows += found.rows
            result.labels |= found.labels
        if wanted.labels and not self.subselects:
            result.labels |= self._labels_of_ends(result)
        if crowded:
            found = self._shared_out([id for id in asked if id in set(crowded)], wanted)
            result.rows += found.rows
            result.labels |= found.labels
            result.cut |= found.cut
        return cut_down(result, wanted)

    def _term(self, id: str) -> str | None:
        node = _NODE_ID.match(id) if self.engine == "virtuoso" else None
        return f"<{node.group(1)}>" if node else self.ids.write(id)

    def _starts(self, ids: Sequence[str], text: str = "?e") -> list[tuple[str, str]]:
        """Patterns that bind ?e to entities, or `text` to texts, each with the variable of its texts, "" for none."""
        written = {id: term for id in ids if (term := self._term(id))}
        starts = []
        for held in ("", text):
            terms = [term for id, term in written.items() if is_literal(id) == bool(held)]
            if terms:
                starts.append((f"VALUES {held or '?e'} {{ {' '.join(terms)} }}", held))
        by_shape: dict[tuple[bool, ...], dict[str, None]] = {}
        for id in ids:
            route = () if id in written else self._routes.get(id, ())
            start = self.ids.write(route[0][0]) if route else None
            if start is not None:
                row = " ".join([start, *(str(self.ids.write(relation)) for _, relation, _ in route)])
                by_shape.setdefault(tuple(forward for *_, forward in route), {})[f"({row})"] = None
        for shape, rows in by_shape.items():
            places = ["?x0", *(f"?x{i}" for i in range(1, len(shape))), "?e"]
            steps = " ".join(
                f"{places[i]} ?r{i} {places[i + 1]} ." if forward else f"{places[i + 1]} ?r{i} {places[i]} ."
                for i, forward in enumerate(shape)
            )
            columns = " ".join(["?x0", *(f"?r{i}" for i in range(len(shape)))])
            starts.append((f"VALUES ({columns}) {{ {' '.join(rows)} }} {steps} FILTER(isBlank(?e))", ""))
        return starts

    def _around(self, ids: Sequence[str], wanted: FactsWanted) -> list[Binding] | None:
        """Facts around `ids` and the labels of what they lead to, in one query; None where a reply is too short."""
        if self.packs:
            try:
                return self._hop(ids, wanted, packed=True)
            except MixedError:
                pass  # a text holds the very signs that rows are parted by
        return self._hop(ids, wanted)

    def _hop(self, ids: Sequence[str], wanted: FactsWanted, *, packed: bool = False) -> list[Binding] | None:
        text = "?v" if packed else "?e"  # see `_sides`
        starts = [
            (forward, start, held)
            for forward in wanted.sides
            for start, held in self._starts(wanted.asked(ids, forward), text)
            if not (forward and held)  # a literal is nobody's subject
        ]
        terms = ("?e", "?n", "?l") if wanted.labels else ("?e", "?n")
        kinds = terms if any(held for _, _, held in starts) else terms[1:]  # of those that may be bound to texts
        branches = self._sides(starts, wanted, kinds if packed else None)
        if not branches:
            return []
        apart = self.of_graphs()
        for forward, start, held in starts if wanted.labels and self.subselects else ():
            ends = ("?e", "?q", "?n") if forward else ("?n", "?q", held or "?e")
            way = f"{self.fact(*ends)} {apart}" if apart else f"{' '.join(ends)} ."
            if named := self.each(self.labelling, f"{start} {way} ?n", graphs=self.of_graphs("?h")):
                label = f'{{ SELECT DISTINCT ?n ?p ?l ?d WHERE {{ {named} BIND("l" AS ?d) }} }}'
                branches.append(
                    f"{{ {label} {as_one('', '?n', '?l', texts=('?l',), kinds=kinds)} }}" if packed else label
                )
        # Terms in VALUES meet each fact once; a way to a nameless node may lead there twice.
        once = not wanted.labels and not any(start.startswith("VALUES (?x0") for _, start, _ in starts)
        distinct, where = "" if once else "DISTINCT ", " UNION ".join(branches)
        source, anywhere = " ?g" if self.graphs else "", bool(apart)
        if packed:
            most = min(PACKED, self.settings.page)
            rows, groups = self.unpacked(pack(f"?d ?p{source}", terms, kinds, distinct, where, most), anywhere=anywhere)
            return None if len(rows) >= most or self.may_be_cut(groups) else rows
        table = self.in_table(ids)
        shown = self.shown_as(*(("?n", "?l") if wanted.labels else ("?n",)), table=table)
        query = f"SELECT {distinct}?d ?e ?p {shown}{source} WHERE {{ {where} }} LIMIT {self.room}"
        rows = self.rows(query, table=table, anywhere=anywhere)
        return None if self.may_be_cut(len(rows)) else rows

    def _sides(
        self, starts: Sequence[tuple[bool, str, str]], wanted: FactsWanted, kinds: Sequence[str] | None = None
    ) -> list[str]:
        """Patterns of the facts ?e ?p ?n (?d "o") and ?n ?p ?e ("i") around entities.

        Args:
            kinds: for rows that `pack` packs, as it is given them.
        """
        branches = []
        for forward, start, held in starts:
            fact = self.fact("?e", "?p", "?n") if forward else self.fact("?n", "?p", held or "?e")
            if kinds is not None and held:
                # Virtuoso says a text of the query in another encoding, one of the graph as it is. Whether the two are
                # the same it cannot be asked: sameTerm, = and STR each miss some where a single text is asked about.
                fact += f" {self.fact('?n', '?p', '?e')}"
            filters = f"{self.filters(wanted.relations, wanted.excluded, '?n' if forward else held)} {self.of_graphs()}"
            texts = (["?n"] if forward else []) + (["?e"] if held else [])
            absent = [""] if wanted.labels else []
            row = "" if kinds is None else as_one("?e", "?n", *absent, texts=texts, kinds=kinds)
            branches.append(f'{{ {start} {fact} {filters} BIND("{"o" if forward else "i"}" AS ?d) {row} }}')
        return branches

    def _read(self, rows: Iterable[Binding], asked: Mapping[bool, Collection[str]] | None) -> Facts:
        """Rows of a hop; those around others than `asked`, as heads (True) or tails, are dropped.

        They are nameless siblings of those that were asked for, and other texts of the same fact (`_sides`).
        """
        read = self.ids.read
        seen: dict[tuple[str, str, str], str | None] = {}
        labels: list[Binding] = []
        routes: dict[str, tuple[tuple[str, str, bool], ...]] = {}
        for row in rows:
            kind = row["d"]["value"]
            if kind == "l":
                labels.append(row)
                continue
            e, p, n = read(row["e"]), read(row["p"]), read(row["n"])
            forward = kind == "o"
            if e is None or p is None or n is None or (asked is not None and e not in asked[forward]):
                continue
            source = row["g"]["value"] if "g" in row else None
            fact: tuple[str, str, str] = (e, p, n) if forward else (n, p, e)
            before = seen.get(fact)
            seen[fact] = source if before is None or (source is not None and source < before) else before
            if is_blank(n) and n not in self._routes and n not in routes:
                way = self._routes.get(e, ()) if is_blank(e) else ()
                routes[n] = (*way, (e, p, forward))
        self._routes |= routes
        return Facts([(*known, source) for known, source in seen.items()], self.best(labels, "n"))

    def _shared_out(self, ids: Sequence[str], wanted: FactsWanted) -> Facts:
        """Facts of entities that have too many: each group is counted, then asked for its share."""
        counts = self._counts(ids, wanted)
        filters = self.filters(wanted.relations, wanted.excluded, "?n")
        kept = share_out(counts, wanted.limit, wanted.total)
        result = Facts()
        for group, count in counts.items():
            if kept[group] < count:
                result.cut[group.entity] = result.cut.get(group.entity, 0) + count - kept[group]
        jobs: list[str] = []
        table = self.in_table(ids)
        room, branches, whole = 0, [], {True: [], False: []}  # type: ignore[var-annotated]

        def flush() -> None:
            nonlocal room
            parts = list(branches)
            for forward, rows in whole.items():
                if rows:
                    fact = self.fact("?e", "?p", "?n") if forward else self.fact("?n", "?p", "?e")
                    mark = "o" if forward else "i"
                    parts.append(f'{{ VALUES (?e ?p) {{ {" ".join(rows)} }} {fact} {filters} BIND("{mark}" AS ?d) }}')
                    rows.clear()
            branches.clear()
            if parts:
                shown = f"?d ?e ?p {self.shown_as('?n', table=table)}{' ?g' if self.graphs else ''}"
                jobs.append(f"SELECT {shown} WHERE {{ {' UNION '.join(parts)} }}")
            room = 0

        for group, room_of_group in kept.items():
            share, entity, relation = room_of_group, self._term(group.entity), self.ids.write(group.relation)
            while share > 0 and entity is not None and relation is not None:
                if room and (room + share > self.room or len(branches) >= SUBQUERIES):
                    flush()
                part = min(share, self.room - 1)
                if share == counts[group] and part == share:
                    whole[group.forward].append(f"({entity} {relation})")
                else:
                    ends = (entity, relation, "?n") if group.forward else ("?n", relation, entity)
                    start, ordered = kept[group] - share, counts[group] <= ORDERED
                    known = f'BIND({entity} AS ?e) BIND({relation} AS ?p) BIND("{"o" if group.forward else "i"}" AS ?d)'
                    if self.subselects:
                        some = self._some(self.fact(*ends), part, start, ordered)
                        branches.append(f"{{ {{ {some} }} {known} }}")
                    else:
                        some = self._some(f"{self.fact(*ends)} {known}", part, start, ordered)
                        jobs.append(some.replace("SELECT ?n", "SELECT ?d ?e ?p ?n", 1))
                room += part
                share -= part
        flush()
        for rows in self.pool.map(lambda query: self._in_order(query, table), jobs):
            result.rows += self._read(rows, None).rows
        if wanted.labels:
            result.labels = self._labels_of_ends(result)
        return result

    def _labels_of_ends(self, found: Facts) -> dict[str, str]:
        met = dict.fromkeys(end for head, _, tail, _ in found.rows for end in (head, tail))
        known = self.labels([id for id in met if not is_literal(id) and not is_blank(id)])
        return {id: text for id, text in known.items() if text is not None}

    def _some(self, fact: str, part: int, start: int, ordered: bool) -> str:
        """Some ends of one group: those with the lowest ids, as in a folder; of a large one the first of its index."""
        shown = "?n ?g" if self.graphs else "?n"
        some = f"SELECT {shown} WHERE {{ {fact} }}{_IN_ORDER if ordered else ''}"
        if self.engine == "virtuoso":  # see `_pages`
            some = f"SELECT * WHERE {{ {{ {some} }} }}"
        return f"{some} LIMIT {part}" + (f" OFFSET {start}" if start else "")

    def _in_order(self, query: str, table: bool) -> list[Binding]:
        """The rows; where sorting is too much for the server, whichever come first."""
        try:
            return self.rows(query, table=table)
        except (TooMuchError, RefusedError):
            if _IN_ORDER not in query:
                raise
        return self.rows(query.replace(_IN_ORDER, ""), table=table)

    def _counts(self, ids: Sequence[str], wanted: FactsWanted) -> dict[Group, int]:
        def ask(part: Sequence[str]) -> list[Binding]:
            starts = [(side, *start) for side in wanted.sides for start in self._starts(wanted.asked(part, side))]
            branches = self._sides([(side, start, held) for side, start, held in starts if not (side and held)], wanted)
            if not branches:
                return []
            where = " UNION ".join(branches)
            if not self.aggregates:
                return self.counted_here(where)
            rows = self.rows(
                f"SELECT ?e ?d ?p (COUNT(*) AS ?c) WHERE {{ {where} }} GROUP BY ?e ?d ?p LIMIT {self.room}",
                anywhere=bool(self.of_graphs()),
            )
            if self.may_be_cut(len(rows)):
                raise TooMuchError(
                    f"graph {self.shown}: more than {self.room:,} groups of facts around {len(part):,} entities"
                )
            return rows

        counts: dict[Group, int] = {}
        asked = set(ids)
        for row in self.split(ids, ask, AT_ONCE):
            e, p = self.ids.read(row["e"]), self.ids.read(row["p"])
            if e in asked and p is not None:
                counts[Group(str(e), row["d"]["value"] == "o", p)] = row.count("c")
        return dict(sorted(counts.items()))

    # -- names ---------------------------------------------------------------------------------------------------------

    def labels(self, ids: Sequence[str]) -> dict[str, str | None]:
        """See `records.Server`; nameless nodes count as held once they were met."""
        terms = {term: id for id in dict.fromkeys(ids) if (term := self._term(id))}

        def ask(part: Sequence[str]) -> list[Binding]:
            values = f"VALUES ?e {{ {' '.join(part)} }}"
            out, into = self.fact("?e", "?x", "?y"), self.fact("?y", "?x", "?e")
            there = f'{{ {values} FILTER(EXISTS {{ {out} }} || EXISTS {{ {into} }}) BIND("x" AS ?d) }}'
            if self.labelling:
                there += f' UNION {{ {self.each(self.labelling, f"{values} ?e")} BIND("l" AS ?d) }}'
            found = self.rows(f"SELECT DISTINCT ?d ?e ?p ?l WHERE {{ {there} }}")
            if len(part) > 1 and self.may_be_cut(len(found)):
                raise TooMuchError(f"graph {self.shown}: more labels of {len(part):,} entities than it gives at once")
            return found

        rows = self.split(list(terms), ask, min(AT_ONCE, 500))
        found: dict[str, str | None] = {id: None for id in ids if id in self._routes}
        for row in rows:
            if row["d"]["value"] == "x" and (id := self.ids.read(row["e"])) is not None:
                found[id] = None
        best = self.best([row for row in rows if row["d"]["value"] == "l"], "e")
        return {id: best.get(id) for id in {**found, **best}}

    def aliases(self, id: str) -> list[str]:
        term = self.ids.write(id)
        if term is None or not self.naming or is_literal(id):
            return []
        rows = self.rows(f"SELECT ?p ?l WHERE {{ {self.each(self.naming, term)} }}")
        ranked = sorted((rank, row["l"]["value"].strip()) for row in rows if (rank := self.rank(row)) is not None)
        return list(dict.fromkeys(text for _, text in ranked[1:] if text and text != ranked[0][1]))

    def description(self, id: str) -> str | None:
        term = self.ids.write(id)
        if term is None or is_literal(id):
            return None
        written = " ".join(f"<{each}>" for each in sorted(DESCRIPTIONS))
        rows = self.rows(f"SELECT ?l WHERE {{ VALUES ?p {{ {written} }} {term} ?p ?l . {self.in_languages} }}")
        return min((row["l"]["value"].strip() for row in rows), default=None)

    def groups(self, ids: Sequence[str]) -> dict[Group, int]:
        return self._counts(list(dict.fromkeys(ids)), FactsWanted(ids))

    def named(self, texts: Sequence[str], limit: int) -> dict[str, list[tuple[str, str]]]:
        if not self.naming:
            return {}
        tags = [tag for tag in self.wanted if tag.replace("-", "").isalnum()]
        literals = {
            f"{body}{tag}" for text in texts if (body := quoted(text)) for tag in ("", *(f"@{tag}" for tag in tags))
        }

        def ask(part: Sequence[str]) -> list[Binding]:
            named = self.each(self.naming, f"VALUES ?l {{ {' '.join(part)} }} ?e")
            return self.rows(f"SELECT DISTINCT ?e ?l WHERE {{ {named} }} LIMIT {self.room}")

        found: dict[str, list[tuple[str, str]]] = {}
        for row in self.split(sorted(literals), ask, AT_ONCE):
            id = self.ids.read(row["e"])
            text = row["l"]["value"]
            if id is not None and (id, text) not in found.setdefault(text, []):
                found[text].append((id, text))
        return {text: sorted(rows)[:limit] for text, rows in found.items()}

    def search(self, text: str, limit: int) -> list[tuple[str, str]]:
        query = dialects.search(self._text_search, text, self.labelling, limit)
        if query is None:
            return []
        ids = [id for row in self.rows(query) if (id := self.ids.read(row["e"])) is not None]
        known = self.labels(ids)
        return [(id, label) for id in dict.fromkeys(ids) if (label := known.get(id)) is not None]

    def locate(self, places: Mapping[str, str]) -> None:
        """An IRI says where it is."""
