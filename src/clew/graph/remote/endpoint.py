"""A SPARQL endpoint as rows: queries out, bindings in, and the pieces that every query is made of.

Apart from the queries themselves (`sparql.py`, `survey.py`), which only say what is asked. Nothing but written terms
(`terms.py`), numbers and constants is ever put into a query.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from clew.errors import InputError
from clew.graph.inputs import ALIAS
from clew.graph.remote.address import Address
from clew.graph.remote.http import Http, RefusedError, TooMuchError
from clew.graph.remote.records import Traffic
from clew.graph.remote.replies import Replies
from clew.graph.remote.settings import ServerSettings
from clew.graph.remote.table import MixedError, Solution, told
from clew.graph.remote.terms import RemoteTerms, is_literal, quoted
from clew.graph.statements import DESCRIPTIONS, LABELS

Binding = Solution
PROBE_ROWS = 20_001  # more than the limit that endpoints commonly set on their replies


class Endpoint:
    """One endpoint, with what was found out about how its graph names things."""

    kind, counts = "SPARQL endpoint", "triples"

    def __init__(self, address: Address, settings: ServerSettings) -> None:
        self.shown, self.traffic = address.shown, Traffic()
        self.address, self.settings = address, settings
        self.http = Http(address, settings, self.traffic)
        self.ids = RemoteTerms(settings.base)
        self.engine = ""
        self.graphs: tuple[str, ...] = settings.graphs
        self.room = settings.page  # most rows of one reply
        self.labelling: tuple[str, ...] = ()  # written terms of the relations that label
        self.naming: tuple[str, ...] = ()  # and of those that give other names too
        self.noted: tuple[str, ...] = ()  # and of all that name or describe: with a text, they are no fact
        self.label_rank: dict[str, int] = {}  # id of a naming relation → its rank
        self.wanted: list[str] = []  # languages of names, best first
        self.in_languages = ""  # the filter that keeps names in these
        self.aggregates = True  # whether it counts
        self.subselects = True  # whether a SELECT may stand within another
        self.as_tables = False  # long results come as CSV
        self.packs = False  # and many rows of a result as one
        self.pool = ThreadPoolExecutor(settings.concurrency, thread_name_prefix="clew-sparql")

    def close(self) -> None:
        self.pool.shutdown(cancel_futures=True)
        self.http.close()

    @property
    def _where(self) -> dict[str, Any]:
        if not self.graphs:
            return {}
        return {"default-graph-uri": list(self.graphs), "named-graph-uri": list(self.graphs)}

    def of_graphs(self, variable: str = "?g") -> str:
        """A filter by named graph, for queries that are asked `anywhere`; "" where none is needed.

        What leads to many entities Virtuoso looks up by the graph, where it knows that, through all subjects of it for
        each entity: 0.13 s for 81 entities of a graph of 12,000, and 0.005 s where it does not know the graph.
        """
        if self.engine != "virtuoso":
            return ""
        known = [text for graph in self.graphs if (text := quoted(graph))]
        # Compared as they are they would be known again.
        return f'FILTER(CONCAT(STR({variable}), "") IN ({", ".join(known)}))' if known else ""

    def truth(self, query: str) -> bool:
        """What an ASK says."""
        found = self.http.select(query, self._where).get("boolean")
        if not isinstance(found, bool):
            raise InputError(f"graph {self.shown}: an ASK without an answer")
        return found

    def rows(
        self, query: str, *, fresh: bool = False, table: bool = False, probe: bool = False, anywhere: bool = False
    ) -> list[Binding]:
        """What a SELECT binds.

        Args:
            anywhere: the query itself says which named graphs count (`of_graphs`).
            table: the query says what its terms are (`shown_as`), so that it may come as CSV.
            probe: the server need not understand it; it is not asked again after an internal error.
        """
        where = {} if anywhere else self._where
        return self._read_reply(self.http.select(query, where, fresh=fresh, table=table, probe=probe))

    def may_be_cut(self, rows: int) -> bool:
        """Whether a reply of so many rows may be part of a longer one: servers limit replies, most without a word.

        No limit above `PROBE_ROWS` is looked for. It is a round number, as one in a thousand long replies is by chance:
        that number is taken for the limit from then on.
        """
        if rows >= PROBE_ROWS and rows % 1_000 == 0:
            self.room = min(self.room, rows)
        return rows >= self.room

    def unpacked(self, query: str, *, anywhere: bool = False) -> tuple[list[Binding], int]:
        """What the rows of a query by `table.pack` bind, and as how many rows they came.

        Raises MixedError where a text holds the signs that they are parted by.
        """
        reply = self.http.select(query, {} if anywhere else self._where, table=True)
        rows = self._read_reply(reply)
        if "came" not in reply:
            raise MixedError("not a packed table")
        return rows, reply["came"]

    def _read_reply(self, reply: dict[str, Any]) -> list[Binding]:
        if "results" not in reply:
            raise InputError(f"graph {self.shown}: a SPARQL result without bindings")
        found: list[Binding] = reply["results"]["bindings"]
        if found and type(found[0]) is not Solution:  # from the replies that are kept
            found = [Solution(row) for row in found]
        self.traffic.rows += len(found)
        return found

    def in_table(self, ids: Iterable[str]) -> bool:
        """Whether facts around these come as a table; Virtuoso writes texts of the query itself in another encoding."""
        return self.as_tables and not any(map(is_literal, ids))

    @staticmethod
    def shown_as(*variables: str, table: bool) -> str:
        """Variables of a SELECT that may be bound to any term."""
        return " ".join(f"{each} {told(each)}" if table else each for each in variables)

    def tried(self, query: str) -> list[Binding] | None:
        """The rows, or None where the server cannot or will not."""
        try:
            return self.rows(query, probe=True)
        except (TooMuchError, RefusedError):
            return None

    def split(self, items: Sequence[Any], ask: Callable[[Sequence[Any]], list[Any]], most: int) -> list[Any]:
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
        return [row for rows in self.pool.map(halved, parts) for row in rows]

    def count(self) -> int | None:
        """How many triples there are now; None where the server cannot or will not say."""
        try:
            return self.counted()
        except (TooMuchError, RefusedError):
            return None

    def counted(self) -> int:
        """The same; raises TooMuchError or RefusedError."""
        # Whether the graph has changed is no question for kept replies.
        rows = self.rows("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }", fresh=True)
        return rows[0].count("n") if rows and "n" in rows[0] else 0

    def keep(self, replies: Replies) -> None:
        """Answer from these replies, and add to them, from now on."""
        self.http.kept = replies

    def forget(self) -> None:
        """Drop kept replies."""
        if self.http.kept is not None:
            self.http.kept.clear()

    def name_by(self, labels: Sequence[str], aliases: Sequence[str], languages: Sequence[str]) -> None:
        """Set what names entities, in which languages, and what therefore is no fact."""
        given = {id: rank for rank, id in enumerate(labels)}
        self.label_rank = {id: LABELS.get(id, given[id]) for id in labels}
        self.label_rank |= dict.fromkeys(aliases, ALIAS)
        self.wanted = [language.casefold() for language in languages]
        written = [self.ids.write(id) for id in labels]
        self.labelling = tuple(term for term in written if term)
        self.naming = tuple(term for id in (*labels, *aliases) if (term := self.ids.write(id)))
        noted = (self.ids.write(id) for id in dict.fromkeys((*labels, *aliases, *sorted(DESCRIPTIONS))))
        self.noted = tuple(term for term in noted if term)
        tests = ['LANG(?l) = ""'] + [
            f'LANGMATCHES(LANG(?l), "{tag}")' for tag in self.wanted if tag.replace("-", "").isalnum()
        ]
        self.in_languages = (
            f"FILTER(isLiteral(?l) && ({' || '.join(tests)}))" if "*" not in self.wanted else "FILTER(isLiteral(?l))"
        )

    def filters(self, relations: Collection[str] | None, excluded: Collection[str], tail: str) -> str | None:
        """What of the facts counts; None where nothing can.

        Args:
            tail: the variable of a fact's tail; "" where it is known to be no literal.
        """
        # A relation that names, stated of a thing and not of a text, is a fact like any other.
        named = f"FILTER(?p NOT IN ({', '.join(self.noted)}) || !isLiteral({tail}))"
        parts = [named] if self.noted and tail else []
        if relations is not None:
            written = sorted(term for id in relations if (term := self.ids.write(id)))
            if not written:
                return None
            # Virtuoso's compiler fails on a union of such filters; Oxigraph plans VALUES of relations as scans.
            only = f"VALUES ?p {{ {' '.join(written)} }}" if self.engine == "virtuoso" else None
            parts.append(only or f"FILTER(?p IN ({', '.join(written)}))")
        out = sorted(term for id in excluded if (term := self.ids.write(id)))
        if out:
            parts.append(f"FILTER(?p NOT IN ({', '.join(out)}))")
        return " ".join(parts)

    def fact(self, head: str, relation: str, tail: str) -> str:
        pattern = f"{head} {relation} {tail} ."
        return f"GRAPH ?g {{ {pattern} }}" if self.graphs else pattern

    def each(self, properties: Sequence[str], start: str, end: str = "", *, graphs: str = "") -> str:
        """`start property ?l end` for each naming property, with ?p bound to the property.

        Args:
            graphs: of a query that is asked `anywhere`, the filter of the label's graph ?h.

        A variable property would be planned by some engines as a scan of all labels.
        """
        before, _, node = start.rpartition(" ")
        parts = []
        for p in properties:
            label = f"{before} GRAPH ?h {{ {node} {p} ?l . }} {graphs}" if graphs else f"{start} {p} ?l ."
            parts.append(f"{{ {label} {end} {self.in_languages} BIND({p} AS ?p) }}")
        return " UNION ".join(parts)

    def best(self, rows: Iterable[Binding], key: str) -> dict[str, str]:
        """The best label of each entity, by language, then by property, then by text."""
        best: dict[str, tuple[int, str]] = {}
        for row in rows:
            id, rank = self.ids.read(row[key]), self.rank(row)
            text = row["l"]["value"].strip()
            if id is None or rank is None or not text or rank >= ALIAS:
                continue
            if id not in best or (rank, text) < best[id]:
                best[id] = (rank, text)
        return {id: text for id, (_, text) in best.items()}

    def rank(self, row: Binding) -> int | None:
        """As `clew build` ranks names: 0 is best; None for a language that was not asked for."""
        base = self.label_rank.get(self.ids.of_iri(row["p"]["value"]))
        tag = row["l"].get("xml:lang", "").casefold()
        if base is None:
            return None
        language = len(self.wanted)
        if tag:
            matches = [
                i for i, want in enumerate(self.wanted) if tag == want or tag.startswith(want + "-") or want == "*"
            ]
            if not matches:
                return None
            language = matches[0]
        return ALIAS + language if base == ALIAS else language * 5 + base
