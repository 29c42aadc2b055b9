"""A graph behind any SPARQL 1.1 endpoint: one query a hop, whatever the frontier.

Apart from the store because it is only about queries: what a hop, a label, a count looks like as SPARQL, and what to do
when a reply would be too long. Nothing but written terms (`terms.py`), numbers and constants is ever put into a query.

A hop asks for the facts of all its entities and, in the same query, for the labels of what they lead to. Where the reply
fills a page, the groups (entity, direction, relation) are counted first and each is asked for its fair share, so that a
hub costs two queries more and not a transfer of its hundred thousand edges.

Nameless nodes have no address in SPARQL. The store remembers by which way each was reached and asks along it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from clew.errors import InputError, UnavailableError
from clew.graph.inputs import ALIAS
from clew.graph.rdf import ALIASES, DESCRIPTIONS, LABELS
from clew.graph.remote import dialects
from clew.graph.remote.address import Address
from clew.graph.remote.http import Http, RefusedError, TooMuchError
from clew.graph.remote.records import Fact, Facts, Group, Profile, Traffic
from clew.graph.remote.settings import ServerSettings
from clew.graph.remote.shares import share_out
from clew.graph.remote.terms import Terms, is_blank, is_literal, quoted
from clew.graph.strings import readable
from clew.protocols import Direction

Binding = Mapping[str, Mapping[str, str]]

AT_ONCE = 2_000  # entities of one query
SUBQUERIES = 100  # of one query
PROBE_ROWS = 20_001  # more than the limit that endpoints commonly set on their replies
NAMED_GRAPHS = 50  # most that are asked by name
_NODE_ID = re.compile(r"_:(nodeID://b\d+)\Z")  # Virtuoso lets its nameless nodes be asked for
_GUESSES = ("name", "label", "title", "pref label", "preferred label", "full name")


class SparqlServer:
    """See `records.Server`."""

    kind = "SPARQL endpoint"

    def __init__(self, address: Address, settings: ServerSettings) -> None:
        self.shown, self.traffic = address.shown, Traffic()
        self._address, self._settings = address, settings
        self._http = Http(address, settings, self.traffic)
        self._terms = Terms(settings.base)
        self._graphs: tuple[str, ...] = settings.graphs
        self._noted: tuple[str, ...] = ()  # written terms of the relations that name and describe
        self._label_rank: dict[str, int] = {}  # id of a label relation → its rank
        self._labelling = self._languages = ""
        self._engine = ""
        self._room = settings.page
        self._routes: dict[str, tuple[tuple[str, str, bool], ...]] = {}  # nameless node → (from, relation, forward)…
        self._pool = ThreadPoolExecutor(settings.concurrency, thread_name_prefix="clew-sparql")

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._http.close()

    # -- asking --------------------------------------------------------------------------------------------------------

    def _rows(self, query: str) -> list[Binding]:
        parameters: dict[str, Any] = {}
        if self._graphs:
            parameters = {"default-graph-uri": list(self._graphs), "named-graph-uri": list(self._graphs)}
        found = self._http.select(query, parameters).get("results", {}).get("bindings")
        if not isinstance(found, list):
            raise InputError(f"graph {self.shown}: a SPARQL result without bindings")
        self.traffic.rows += len(found)
        return found

    def _number(self, query: str) -> int:
        rows = self._rows(query)
        return int(rows[0]["n"]["value"]) if rows and "n" in rows[0] else 0

    def _tried(self, query: str) -> list[Binding] | None:
        """The rows, or None where the server cannot or will not."""
        try:
            return self._rows(query)
        except (TooMuchError, RefusedError):
            return None

    def _split(self, items: Sequence[Any], ask: Callable[[Sequence[Any]], list[Any]], most: int) -> list[Any]:
        """`ask` over parts of `items` at once; a part that is too much for the server is asked in halves."""

        def halved(part: Sequence[Any]) -> list[Any]:
            try:
                return ask(part)
            except (TooMuchError, RefusedError):
                if len(part) <= 1:
                    raise
            middle = len(part) // 2
            return [*halved(part[:middle]), *halved(part[middle:])]

        parts = [items[start : start + most] for start in range(0, len(items), most)]
        if len(parts) <= 1:
            return [row for part in parts for row in halved(part)]
        return [row for rows in self._pool.map(halved, parts) for row in rows]

    # -- looking the graph over ----------------------------------------------------------------------------------------

    def profile(self) -> Profile:
        first = self._rows("SELECT ?s ?p ?o WHERE { ?s ?p ?o } LIMIT 1")
        self._engine = dialects.engine_of(self._http.server, self._address.title)
        notes: list[str] = []
        if not self._settings.graphs:
            self._graphs = self._found_graphs(bool(first), notes)
            if self._graphs:
                first = self._rows("SELECT ?s ?p ?o WHERE { ?s ?p ?o } LIMIT 1")
            elif self._engine == "virtuoso" and not notes:
                first = []  # what its default graph holds then is its own
        if not first:
            where = f" in {', '.join(self._graphs)}" if self._graphs else ""
            raise InputError(f"graph {self.shown}: holds no triple{where}; load one, or name its named graphs")
        triples = self.count()
        counted = self._counted_relations(notes)
        labels, aliases = self._found_labels(counted)
        self._name_by(labels, aliases, self._settings.language)
        languages = self._found_languages(labels, notes)
        self._name_by(labels, aliases, languages)
        noted = {*labels, *aliases, *DESCRIPTIONS}
        kept = sorted(id for id in counted if id not in noted)
        named = self._relation_labels(kept)
        relations = tuple((id, named.get(id) or readable(id), counted[id]) for id in kept)
        row_limit = None
        if triples is None or triples >= PROBE_ROWS:
            came = len(self._tried(f"SELECT ?p WHERE {{ ?s ?p ?o }} LIMIT {PROBE_ROWS}") or ())
            row_limit = came if 0 < came < PROBE_ROWS else None
        return Profile(
            engine=self._engine,
            triples=triples,
            relations=relations,
            label_properties=labels,
            alias_properties=aliases,
            languages=languages,
            text_search=self._found_text_search(),
            row_limit=row_limit,
            details={"graphs": list(self._graphs)},
            notes=tuple(notes),
            at=time.time(),
        )

    def use(self, profile: Profile) -> None:
        self._engine = profile.engine
        self._graphs = tuple(profile.details["graphs"])
        self._room = min(self._settings.page, profile.row_limit or self._settings.page)
        self._name_by(profile.label_properties, profile.alias_properties, profile.languages)
        self._text_search = profile.text_search

    def count(self) -> int | None:
        try:
            return self._number("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }")
        except (TooMuchError, RefusedError):
            return None

    def _found_graphs(self, default: bool, notes: list[str]) -> tuple[str, ...]:
        """The named graphs to ask: none where the default graph is what the owner loaded."""
        if default and self._engine != "virtuoso":
            return ()
        rows = self._tried(f"SELECT DISTINCT ?g WHERE {{ GRAPH ?g {{ ?s ?p ?o }} }} LIMIT {NAMED_GRAPHS + 20}") or []
        graphs = sorted(row["g"]["value"] for row in rows if row["g"]["type"] == "uri")
        own = (*dialects.SYSTEM_GRAPHS, "http://localuriqaserver/sparql", self._address.url)
        graphs = [graph for graph in graphs if graph not in own and Terms().write(graph) is not None]
        if len(graphs) > NAMED_GRAPHS:
            notes.append(f"more than {NAMED_GRAPHS} named graphs: all are asked together, sources are not told")
            return ()
        return tuple(graphs)

    def _counted_relations(self, notes: list[str]) -> dict[str, int | None]:
        rows = self._tried("SELECT ?p (COUNT(*) AS ?n) WHERE { ?s ?p ?o } GROUP BY ?p")
        if rows is None:
            notes.append("counting the relations took too long: their numbers are not known")
            rows = self._tried("SELECT DISTINCT ?p WHERE { ?s ?p ?o }")
        if rows is None:
            notes.append("listing the relations took too long: those of a sample of triples are known")
            rows = self._rows(f"SELECT DISTINCT ?p WHERE {{ {{ SELECT ?p WHERE {{ ?s ?p ?o }} LIMIT {PROBE_ROWS} }} }}")
        return {
            self._terms.of_iri(row["p"]["value"]): int(row["n"]["value"]) if "n" in row else None
            for row in rows
            if "p" in row
        }

    def _found_labels(self, relations: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The relations that label and those that give other names: set, well known, or called so."""
        aliases = tuple(id for id in sorted(ALIASES) if id in relations)
        if self._settings.label_properties:
            return self._settings.label_properties, aliases
        labels = sorted((id for id in LABELS if id in relations), key=lambda id: (LABELS[id], id))
        if not labels:
            called = [(readable(id).casefold().replace("_", " "), id) for id in relations]
            for guess in _GUESSES:
                for id in sorted(id for name, id in called if name == guess):
                    rows = self._tried(
                        f"SELECT ?o WHERE {{ ?s {self._terms.write(id)} ?o FILTER(isLiteral(?o)) }} LIMIT 1"
                    )
                    if rows:
                        return (id,), aliases
        return tuple(labels), aliases

    def _name_by(self, labels: Sequence[str], aliases: Sequence[str], languages: Sequence[str]) -> None:
        """Set what names entities, in which languages, and what therefore is no fact."""
        given = {id: rank for rank, id in enumerate(labels)}
        self._label_rank = {id: LABELS.get(id, given[id]) for id in labels}
        self._label_rank |= dict.fromkeys(aliases, ALIAS)
        self._wanted = [language.casefold() for language in languages]
        written = [self._terms.write(id) for id in labels]
        self._labelling = " ".join(term for term in written if term)
        self._naming = " ".join(term for id in (*labels, *aliases) if (term := self._terms.write(id)))
        noted = (self._terms.write(id) for id in dict.fromkeys((*labels, *aliases, *sorted(DESCRIPTIONS))))
        self._noted = tuple(term for term in noted if term)
        tests = ['LANG(?l) = ""'] + [
            f'LANGMATCHES(LANG(?l), "{tag}")' for tag in self._wanted if tag.replace("-", "").isalnum()
        ]
        self._languages = (
            f"FILTER(isLiteral(?l) && ({' || '.join(tests)}))" if "*" not in self._wanted else "FILTER(isLiteral(?l))"
        )

    def _found_languages(self, labels: Sequence[str], notes: list[str]) -> tuple[str, ...]:
        """The languages that were asked for, or those the labels are in where none of these is among them."""
        wanted = self._settings.language
        if not self._labelling:
            notes.append(
                "no property of the graph names its entities: the ends of IRIs are shown; set label_properties"
            )
            return wanted
        pattern = f"VALUES ?p {{ {self._labelling} }} ?e ?p ?l ."
        if self._rows(f"SELECT ?l WHERE {{ {pattern} {self._languages} }} LIMIT 1"):
            return wanted
        rows = self._tried(f"SELECT (LANG(?l) AS ?tag) WHERE {{ {pattern} }} LIMIT 2000") or []
        counts: dict[str, int] = {}
        for row in rows:
            tag = row.get("tag", {}).get("value", "").partition("-")[0]
            if tag.isalnum():
                counts[tag] = counts.get(tag, 0) + 1
        found = tuple(sorted(counts, key=lambda tag: (-counts[tag], tag))[:3])
        if found:
            notes.append(f"no label is in {', '.join(wanted)}: those in {', '.join(found)} are used")
        return found or wanted

    def _relation_labels(self, ids: Sequence[str]) -> dict[str, str]:
        if not self._labelling:
            return {}
        terms = [term for id in ids if (term := self._terms.write(id))]
        ways = ["?r ?p ?l ."]
        if any(id.startswith("http://www.wikidata.org/prop/") for id in ids):  # there a property is labelled, not its uses
            kinds = ("directClaim", "claim", "statementProperty", "qualifier")
            uses = " ".join(f"<http://wikiba.se/ontology#{kind}>" for kind in kinds)
            ways.append(f"VALUES ?k {{ {uses} }} ?x ?k ?r . ?x ?p ?l .")

        def ask(part: Sequence[str]) -> list[Binding]:
            return [
                row
                for way in ways
                for row in self._rows(
                    f"SELECT ?r ?p ?l WHERE {{ VALUES ?r {{ {' '.join(part)} }} VALUES ?p {{ {self._labelling} }} "
                    f"{way} {self._languages} }}"
                )
            ]

        return self._best(self._split(terms, ask, 500), "r")

    def _found_text_search(self) -> str:
        """The dialect whose text index finds an entity that is known to be there."""
        if not self._labelling or self._engine == "oxigraph":
            return ""
        some = self._tried(
            f"SELECT ?e ?l WHERE {{ VALUES ?p {{ {self._labelling} }} ?e ?p ?l . {self._languages} }} LIMIT 20"
        )
        texts = [row["l"]["value"] for row in some or () if re.search(r"\w{4}", row["l"]["value"])]
        for dialect in dialects.candidates(self._engine):
            for text in texts[:2]:
                query = dialects.search(dialect.name, text, self._labelling.split(), 5)
                try:
                    if query is not None and self._rows(query):
                        return dialect.name
                except (InputError, UnavailableError):
                    break
        return ""

    # -- facts ---------------------------------------------------------------------------------------------------------

    def facts(
        self,
        ids: Sequence[str],
        *,
        relations: Collection[str] | None,
        excluded: Collection[str],
        direction: Direction,
        limit: int | None,
        total: int | None,
    ) -> Facts:
        asked = list(dict.fromkeys(ids))
        filters = self._filters(relations, excluded)
        if filters is None:
            return Facts()
        sides = [side for side, name in ((True, "out"), (False, "in")) if direction in (name, "both")]
        result = Facts()
        crowded: list[str] = []

        def ask(part: Sequence[str]) -> list[Facts]:
            query = self._hop(part, sides, filters)
            if query is None:
                return []
            rows = self._rows(f"{query} LIMIT {self._room}")
            if len(rows) >= self._room:
                crowded.extend(part)
                return []
            return [self._read(rows, set(part))]

        for found in self._split(asked, ask, self._at_once):
            result.rows += found.rows
            result.labels |= found.labels
        if crowded:
            found = self._shared_out([id for id in asked if id in set(crowded)], sides, filters, limit, total)
            result.rows += found.rows
            result.labels |= found.labels
            result.cut |= found.cut
        return self._cut_down(result, asked, sides, limit, total)

    @property
    def _at_once(self) -> int:
        return 300 if self._engine == "virtuoso" else AT_ONCE

    def _filters(self, relations: Collection[str] | None, excluded: Collection[str]) -> str | None:
        """What of the facts counts; None where nothing can."""
        # A relation that names, stated of a thing and not of a text, is a fact like any other.
        parts = [f"FILTER(?p NOT IN ({', '.join(self._noted)}) || !isLiteral(?n))"] if self._noted else []
        if relations is not None:
            written = sorted(term for id in relations if (term := self._terms.write(id)))
            if not written:
                return None
            parts.append(f"FILTER(?p IN ({', '.join(written)}))")
        out = sorted(term for id in excluded if (term := self._terms.write(id)))
        if out:
            parts.append(f"FILTER(?p NOT IN ({', '.join(out)}))")
        return " ".join(parts)

    def _fact(self, head: str, relation: str, tail: str) -> str:
        pattern = f"{head} {relation} {tail} ."
        return f"GRAPH ?g {{ {pattern} }}" if self._graphs else pattern

    def _term(self, id: str) -> str | None:
        node = _NODE_ID.match(id) if self._engine == "virtuoso" else None
        return f"<{node.group(1)}>" if node else self._terms.write(id)

    def _starts(self, ids: Sequence[str]) -> list[tuple[str, bool]]:
        """Patterns that bind ?e to entities, each with whether it may bind literals."""
        written = {id: term for id in ids if (term := self._term(id))}
        starts = []
        for literal in (False, True):
            terms = [term for id, term in written.items() if is_literal(id) == literal]
            if terms:
                starts.append((f"VALUES ?e {{ {' '.join(terms)} }}", literal))
        by_shape: dict[tuple[bool, ...], dict[str, None]] = {}
        for id in ids:
            route = () if id in written else self._routes.get(id, ())
            start = self._terms.write(route[0][0]) if route else None
            if start is not None:
                row = " ".join([start, *(str(self._terms.write(relation)) for _, relation, _ in route)])
                by_shape.setdefault(tuple(forward for *_, forward in route), {})[f"({row})"] = None
        for shape, rows in by_shape.items():
            places = ["?x0", *(f"?x{i}" for i in range(1, len(shape))), "?e"]
            steps = " ".join(
                f"{places[i]} ?r{i} {places[i + 1]} ." if forward else f"{places[i + 1]} ?r{i} {places[i]} ."
                for i, forward in enumerate(shape)
            )
            columns = " ".join(["?x0", *(f"?r{i}" for i in range(len(shape)))])
            starts.append((f"VALUES ({columns}) {{ {' '.join(rows)} }} {steps} FILTER(isBlank(?e))", False))
        return starts

    def _hop(self, ids: Sequence[str], sides: Sequence[bool], filters: str) -> str | None:
        """Facts around `ids` and the labels of what they lead to, as one query; None where nothing can be asked."""
        branches, ways = [], []
        for start, literal in self._starts(ids):
            for forward in sides:
                if forward and literal:
                    continue  # a literal is nobody's subject
                fact = self._fact("?e", "?p", "?n") if forward else self._fact("?n", "?p", "?e")
                branches.append(f'{{ {start} {fact} {filters} BIND("{"o" if forward else "i"}" AS ?d) }}')
                ways.append(f"{{ {start} {'?e ?q ?n .' if forward else '?n ?q ?e .'} }}")
        if not branches:
            return None
        if self._labelling:
            branches.append(
                f"{{ SELECT DISTINCT ?n ?p ?l ?d WHERE {{ {' UNION '.join(ways)} VALUES ?p {{ {self._labelling} }} "
                f'?n ?p ?l . {self._languages} BIND("l" AS ?d) }} }}'
            )
        return f"SELECT DISTINCT ?d ?e ?p ?n ?l{' ?g' if self._graphs else ''} WHERE {{ {' UNION '.join(branches)} }}"

    def _read(self, rows: Iterable[Binding], asked: Collection[str] | None) -> Facts:
        """Rows of a hop; those of nameless siblings that nobody asked for are dropped."""
        read = self._terms.read
        seen: dict[tuple[str, str, str], str | None] = {}
        labels: list[Binding] = []
        routes: dict[str, tuple[tuple[str, str, bool], ...]] = {}
        for row in rows:
            kind = row["d"]["value"]
            if kind == "l":
                labels.append(row)
                continue
            e, p, n = read(row["e"]), read(row["p"]), read(row["n"])
            if e is None or p is None or n is None or (asked is not None and e not in asked):
                continue
            forward = kind == "o"
            source = row["g"]["value"] if "g" in row else None
            fact = (e, p, n) if forward else (n, p, e)
            known = seen.get(fact)
            seen[fact] = source if known is None or (source is not None and source < known) else known
            if is_blank(n) and n not in self._routes and n not in routes:
                before = self._routes.get(e, ()) if is_blank(e) else ()
                routes[n] = (*before, (e, p, forward))
        self._routes |= routes
        return Facts([(*fact, source) for fact, source in seen.items()], self._best(labels, "n"))

    def _best(self, rows: Iterable[Binding], key: str) -> dict[str, str]:
        """The best label of each entity, by language, then by property, then by text."""
        best: dict[str, tuple[int, str]] = {}
        for row in rows:
            id, rank = self._terms.read(row[key]), self._rank(row)
            text = row["l"]["value"].strip()
            if id is None or rank is None or not text or rank >= ALIAS:
                continue
            if id not in best or (rank, text) < best[id]:
                best[id] = (rank, text)
        return {id: text for id, (_, text) in best.items()}

    def _rank(self, row: Binding) -> int | None:
        """As `clew build` ranks names: 0 is best; None for a language that was not asked for."""
        base = self._label_rank.get(self._terms.of_iri(row["p"]["value"]))
        tag = row["l"].get("xml:lang", "").casefold()
        if base is None:
            return None
        language = len(self._wanted)
        if tag:
            matches = [
                i for i, want in enumerate(self._wanted) if tag == want or tag.startswith(want + "-") or want == "*"
            ]
            if not matches:
                return None
            language = matches[0]
        return ALIAS + language if base == ALIAS else language * 5 + base

    def _shared_out(
        self, ids: Sequence[str], sides: Sequence[bool], filters: str, limit: int | None, total: int | None
    ) -> Facts:
        """Facts of entities that have too many: each group is counted, then asked for its share."""
        counts = self._counts(ids, sides, filters)
        kept = share_out(counts, limit, total)
        result = Facts()
        for group, count in counts.items():
            if kept[group] < count:
                result.cut[group.entity] = result.cut.get(group.entity, 0) + count - kept[group]
        jobs: list[str] = []
        room, branches, whole = 0, [], {True: [], False: []}  # type: ignore[var-annotated]

        def flush() -> None:
            nonlocal room
            parts = list(branches)
            for forward, rows in whole.items():
                if rows:
                    fact = self._fact("?e", "?p", "?n") if forward else self._fact("?n", "?p", "?e")
                    mark = "o" if forward else "i"
                    parts.append(f'{{ VALUES (?e ?p) {{ {" ".join(rows)} }} {fact} {filters} BIND("{mark}" AS ?d) }}')
                    rows.clear()
            branches.clear()
            if parts:
                jobs.append(f"SELECT ?d ?e ?p ?n{' ?g' if self._graphs else ''} WHERE {{ {' UNION '.join(parts)} }}")
            room = 0

        for group, share in kept.items():
            entity, relation = self._term(group.entity), self._terms.write(group.relation)
            while share > 0 and entity is not None and relation is not None:
                if room and (room + share > self._room or len(branches) >= SUBQUERIES):
                    flush()
                part = min(share, self._room - 1)
                if share == counts[group] and part == share:
                    whole[group.forward].append(f"({entity} {relation})")
                else:
                    ends = (entity, relation, "?n") if group.forward else ("?n", relation, entity)
                    offset = f" OFFSET {kept[group] - share}" if share < kept[group] else ""
                    branches.append(
                        f"{{ {{ SELECT ?n{' ?g' if self._graphs else ''} WHERE {{ {self._fact(*ends)} }} LIMIT {part}{offset} }} "
                        f'BIND({entity} AS ?e) BIND({relation} AS ?p) BIND("{"o" if group.forward else "i"}" AS ?d) }}'
                    )
                room += part
                share -= part
        flush()
        for rows in self._pool.map(self._rows, jobs):
            result.rows += self._read(rows, None).rows
        ends = dict.fromkeys(end for head, _, tail, _ in result.rows for end in (head, tail))
        known = self.labels([id for id in ends if not is_literal(id) and not is_blank(id)])
        result.labels = {id: text for id, text in known.items() if text is not None}
        return result

    def _counts(self, ids: Sequence[str], sides: Sequence[bool], filters: str) -> dict[Group, int]:
        def ask(part: Sequence[str]) -> list[Binding]:
            branches = []
            for start, literal in self._starts(part):
                for forward in sides:
                    if not (forward and literal):
                        fact = self._fact("?e", "?p", "?n") if forward else self._fact("?n", "?p", "?e")
                        branches.append(f'{{ {start} {fact} {filters} BIND("{"o" if forward else "i"}" AS ?d) }}')
            if not branches:
                return []
            rows = self._rows(
                f"SELECT ?e ?d ?p (COUNT(*) AS ?c) WHERE {{ {' UNION '.join(branches)} }} GROUP BY ?e ?d ?p LIMIT {self._room}"
            )
            if len(rows) >= self._room:
                raise TooMuchError(
                    f"graph {self.shown}: more than {self._room:,} groups of facts around {len(part):,} entities"
                )
            return rows

        counts: dict[Group, int] = {}
        asked = set(ids)
        for row in self._split(ids, ask, self._at_once):
            e, p = self._terms.read(row["e"]), self._terms.read(row["p"])
            if e in asked and p is not None:
                counts[Group(str(e), row["d"]["value"] == "o", p)] = int(row["c"]["value"])
        return dict(sorted(counts.items()))

    def _cut_down(
        self, facts: Facts, asked: Sequence[str], sides: Sequence[bool], limit: int | None, total: int | None
    ) -> Facts:
        """The same limits where everything came in one reply."""
        facts.rows = list(dict.fromkeys(facts.rows))
        facts.rows.sort(key=lambda row: row[:3])
        if total is None and (limit is None or len(facts.rows) <= limit):
            return facts
        if len(facts.rows) <= min(limit or len(facts.rows), total or len(facts.rows)):
            return facts
        wanted = set(asked)
        groups: dict[Group, list[int]] = {}
        for i, (head, relation, tail, _) in enumerate(facts.rows):
            if True in sides and head in wanted:
                groups.setdefault(Group(head, True, relation), []).append(i)
            if False in sides and tail in wanted and not (head == tail and True in sides):
                groups.setdefault(Group(tail, False, relation), []).append(i)
        kept = share_out({group: len(places) for group, places in groups.items()}, limit, total)
        chosen = {place for group, places in groups.items() for place in places[: kept[group]]}
        for group, places in groups.items():
            left = sum(place not in chosen for place in places)
            if left:
                facts.cut[group.entity] = facts.cut.get(group.entity, 0) + left
        facts.rows = [facts.rows[i] for i in sorted(chosen)]
        return facts

    # -- names ---------------------------------------------------------------------------------------------------------

    def labels(self, ids: Sequence[str]) -> dict[str, str | None]:
        """See `records.Server`; nameless nodes count as held once they were met."""
        terms = {term: id for id in dict.fromkeys(ids) if (term := self._term(id))}

        def ask(part: Sequence[str]) -> list[Binding]:
            values = f"VALUES ?e {{ {' '.join(part)} }}"
            there = (
                f"{{ {values} FILTER(EXISTS {{ {self._fact('?e', '?x', '?y')} }} || EXISTS {{ {self._fact('?y', '?x', '?e')} }})"
                ' BIND("x" AS ?d) }'
            )
            if self._labelling:
                there += f' UNION {{ {values} VALUES ?p {{ {self._labelling} }} ?e ?p ?l . {self._languages} BIND("l" AS ?d) }}'
            return self._rows(f"SELECT DISTINCT ?d ?e ?p ?l WHERE {{ {there} }}")

        rows = self._split(list(terms), ask, min(self._at_once, 500))
        found: dict[str, str | None] = {id: None for id in ids if id in self._routes}
        for row in rows:
            if row["d"]["value"] == "x" and (id := self._terms.read(row["e"])) is not None:
                found[id] = None
        best = self._best([row for row in rows if row["d"]["value"] == "l"], "e")
        return {id: best.get(id) for id in {**found, **best}}

    def aliases(self, id: str) -> list[str]:
        term = self._terms.write(id)
        if term is None or not self._naming or is_literal(id):
            return []
        rows = self._rows(f"SELECT ?p ?l WHERE {{ VALUES ?p {{ {self._naming} }} {term} ?p ?l . {self._languages} }}")
        ranked = sorted((rank, row["l"]["value"].strip()) for row in rows if (rank := self._rank(row)) is not None)
        return list(dict.fromkeys(text for _, text in ranked[1:] if text and text != ranked[0][1]))

    def description(self, id: str) -> str | None:
        term = self._terms.write(id)
        if term is None or is_literal(id):
            return None
        written = " ".join(f"<{each}>" for each in sorted(DESCRIPTIONS))
        rows = self._rows(f"SELECT ?l WHERE {{ VALUES ?p {{ {written} }} {term} ?p ?l . {self._languages} }}")
        return min((row["l"]["value"].strip() for row in rows), default=None)

    def degrees(self, ids: Sequence[str]) -> dict[str, int]:
        rows: list[Binding] = []

        def ask(part: Sequence[str]) -> list[Binding]:
            filters = self._filters(None, ()) or ""
            branches = [
                f"{{ {start} {fact} {filters} }}"
                for start, literal in self._starts(part)
                for forward, fact in ((True, self._fact("?e", "?p", "?n")), (False, self._fact("?n", "?p", "?e")))
                if not (forward and literal)
            ]
            return (
                self._rows(f"SELECT ?e (COUNT(*) AS ?c) WHERE {{ {' UNION '.join(branches)} }} GROUP BY ?e")
                if branches
                else []
            )

        rows = self._split(list(dict.fromkeys(ids)), ask, 500)
        return {
            id: int(row["c"]["value"]) for row in rows if "e" in row and (id := self._terms.read(row["e"])) is not None
        }

    def named(self, texts: Sequence[str], limit: int) -> dict[str, list[tuple[str, str]]]:
        if not self._naming:
            return {}
        tags = [tag for tag in self._wanted if tag.replace("-", "").isalnum()]
        literals = {
            f"{body}{tag}" for text in texts if (body := quoted(text)) for tag in ("", *(f"@{tag}" for tag in tags))
        }

        def ask(part: Sequence[str]) -> list[Binding]:
            return self._rows(
                f"SELECT DISTINCT ?e ?l WHERE {{ VALUES ?l {{ {' '.join(part)} }} VALUES ?p {{ {self._naming} }} ?e ?p ?l }} "
                f"LIMIT {self._room}"
            )

        found: dict[str, list[tuple[str, str]]] = {}
        for row in self._split(sorted(literals), ask, self._at_once):
            id = self._terms.read(row["e"])
            text = row["l"]["value"]
            if id is not None and (id, text) not in found.setdefault(text, []):
                found[text].append((id, text))
        return {text: sorted(rows)[:limit] for text, rows in found.items()}

    def search(self, text: str, limit: int) -> list[tuple[str, str]]:
        query = dialects.search(self._text_search, text, self._labelling.split(), limit)
        if query is None:
            return []
        ids = [id for row in self._rows(query) if (id := self._terms.read(row["e"])) is not None]
        known = self.labels(ids)
        return [(id, label) for id in dict.fromkeys(ids) if (label := known.get(id)) is not None]

    # -- everything, in pages ------------------------------------------------------------------------------------------

    def _pages(self, select: str, where: str, order: str, start: int) -> Iterator[tuple[int, list[Binding]]]:
        """A long result from row `start` on. The order makes pages of one state of the graph fit together."""
        inner = f"SELECT {select} WHERE {{ {where} }} {order}"
        if self._engine == "virtuoso":  # sorts no more than ten thousand rows unless the sorting stands in a subquery
            inner = f"SELECT * WHERE {{ {{ {inner} }} }}"
        while True:
            rows = self._rows(f"{inner} LIMIT {self._room} OFFSET {start}")
            if not rows:
                return
            start += len(rows)
            yield start, rows

    def terms(self, start: int) -> Iterator[tuple[int, list[tuple[str, int]]]]:
        filters = self._filters(None, ()) or ""
        where = f"{{ {self._fact('?e', '?p', '?n')} {filters} }} UNION {{ {self._fact('?s', '?p', '?e')} {filters.replace('?n', '?e')} }}"
        for after, rows in self._pages("?e (COUNT(*) AS ?c)", where, "GROUP BY ?e ORDER BY ?e", start):
            pairs = ((self._terms.read(row["e"]), int(row["c"]["value"])) for row in rows if "e" in row)
            yield after, [(id, count) for id, count in pairs if id is not None]

    def texts(self, start: int) -> Iterator[tuple[int, list[tuple[str, str, int]]]]:
        if not self._naming:
            return
        where = f"VALUES ?p {{ {self._naming} }} ?e ?p ?l . {self._languages}"
        for after, rows in self._pages("?e ?p ?l", where, "ORDER BY ?e ?p ?l", start):
            found = ((self._terms.read(row["e"]), row["l"]["value"].strip(), self._rank(row)) for row in rows)
            yield after, [(id, text, rank) for id, text, rank in found if id is not None and rank is not None and text]

    def scan(self, start: int) -> Iterator[tuple[int, list[Fact]]]:
        where = f"{self._fact('?e', '?p', '?n')} {self._filters(None, ()) or ''}"
        select = "?e ?p ?n" + (" ?g" if self._graphs else "")
        for after, rows in self._pages(select, where, f"ORDER BY {select}", start):
            facts: dict[tuple[str, str, str], str | None] = {}
            for row in rows:
                e, p, n = (self._terms.read(row[key]) for key in ("e", "p", "n"))
                if e is not None and p is not None and n is not None:
                    facts.setdefault((e, p, n), row["g"]["value"] if "g" in row else None)
            yield after, [(*fact, source) for fact, source in facts.items()]
