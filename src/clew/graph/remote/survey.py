"""Looking a SPARQL endpoint over: engine, named graphs, relations, what labels entities and in which languages, limits.

Apart from asking because it happens once, and each question of it may fail on a large or a strange server: then it is
noted and the next best is taken.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Sequence
from contextlib import suppress

from clew.errors import InputError, UnavailableError
from clew.graph.remote import dialects
from clew.graph.remote.endpoint import PROBE_ROWS, Binding, Endpoint
from clew.graph.remote.http import RefusedError, TooMuchError
from clew.graph.remote.records import Profile
from clew.graph.remote.table import MixedError, as_one, pack
from clew.graph.remote.terms import RemoteTerms
from clew.graph.statements import ALIASES, DESCRIPTIONS, LABELS
from clew.labels import readable

LEAST_LIMIT = 1_000  # rows: no endpoint sets a lower limit on its replies
NAMED_GRAPHS = 50  # most that are asked by name
_COUNTS_NOT = "it refuses to count (COUNT, GROUP BY): facts are read to be counted here"
_GUESSES = ("name", "label", "title", "pref label", "preferred label", "full name")


def look_over(endpoint: Endpoint) -> Profile:
    """Raises UnavailableError where nothing answers, InputError where it is no endpoint or holds nothing."""
    first = endpoint.rows("SELECT ?s ?p ?o WHERE { ?s ?p ?o } LIMIT 1")
    endpoint.engine = dialects.engine_of(endpoint.http.server, endpoint.address.title)
    notes: list[str] = []
    if not endpoint.settings.graphs:
        endpoint.graphs = _found_graphs(endpoint, bool(first), notes)
        if endpoint.graphs:
            first = endpoint.rows("SELECT ?s ?p ?o WHERE { ?s ?p ?o } LIMIT 1")
        elif endpoint.engine == "virtuoso" and not notes:
            first = []  # what its default graph holds then is its own
    if not first:
        where = f" in {', '.join(endpoint.graphs)}" if endpoint.graphs else ""
        raise InputError(
            f"graph {endpoint.shown}: holds no triple{where}; load some, or name its named graphs:  "
            "--set graph.server.graphs='[\"IRI\"]'"
        )
    triples, row_limit = _found_size(endpoint, notes)
    counted = _counted_relations(endpoint, notes)
    labels, aliases = _found_labels(endpoint, counted)
    endpoint.name_by(labels, aliases, endpoint.settings.language)
    languages = _found_languages(endpoint, notes)
    endpoint.name_by(labels, aliases, languages)
    noted = {*labels, *aliases, *DESCRIPTIONS}
    kept = sorted(id for id in counted if id not in noted)
    named = _relation_labels(endpoint, kept)
    relations = tuple((id, named.get(id) or readable(id), counted[id]) for id in kept)
    return Profile(
        engine=endpoint.engine,
        triples=triples,
        relations=relations,
        label_properties=labels,
        alias_properties=aliases,
        languages=languages,
        text_search=_found_text_search(endpoint),
        row_limit=row_limit,
        details={
            "graphs": list(endpoint.graphs),
            "packs": _packs(endpoint),
            "aggregates": endpoint.aggregates,
            "subselects": endpoint.subselects,
        },
        notes=tuple(notes),
        at=time.time(),
    )


def _found_size(endpoint: Endpoint, notes: list[str]) -> tuple[int | None, int | None]:
    """How many triples there are and how many rows a reply has at most, None for unknown; and what it understands.

    Raises InputError for an endpoint that does not know SPARQL 1.1.
    """
    understood = '{ VALUES ?p { <http://x/> } ?s ?p ?o } UNION { ?s ?p ?o BIND("x" AS ?d) }'
    try:
        endpoint.rows(f"SELECT ?s WHERE {{ {understood} }} LIMIT 1", probe=True)
    except RefusedError as error:
        raise InputError(
            f"{error}; it takes plain patterns but not VALUES, UNION and BIND of SPARQL 1.1, by which clew asks: load "
            "its data into another store, or make a graph of a dump with clew build"
        ) from None
    endpoint.subselects = endpoint.tried("SELECT ?s WHERE { { SELECT ?s WHERE { ?s ?p ?o } LIMIT 1 } }") is not None
    if not endpoint.subselects:
        notes.append("it refuses a SELECT within a SELECT: labels and large neighbourhoods take more requests")
    triples, row_limit = None, None
    try:
        triples = endpoint.counted()
    except RefusedError:
        endpoint.aggregates = False
        notes.append(_COUNTS_NOT)
    except TooMuchError:
        notes.append("counting the triples took too long: their number is not known")
    if triples is None or triples >= LEAST_LIMIT:
        came = len(endpoint.tried(f"SELECT ?p WHERE {{ ?s ?p ?o }} LIMIT {PROBE_ROWS}") or ())
        if triples is None and came < PROBE_ROWS and came % 100:
            triples = came  # all of them: limits are round numbers
        row_limit = came if 0 < came < min(PROBE_ROWS, PROBE_ROWS if triples is None else triples) else None
    if row_limit is not None:
        endpoint.room = min(endpoint.room, row_limit)
    return triples, row_limit


def _packs(endpoint: Endpoint) -> bool:
    """Whether the server gives many rows as one; see `table.pack`."""
    if endpoint.engine != "virtuoso":
        return False
    terms = ("?s", "?p")
    where = f"{{ SELECT ?s ?p WHERE {{ ?s ?p ?o }} LIMIT 2 }} {as_one(*terms, texts=terms, kinds=terms)}"
    try:
        rows, _ = endpoint.unpacked(pack("", terms, terms, "", where, 2))
    except (InputError, UnavailableError, MixedError):
        return False
    return bool(rows)


def _found_graphs(endpoint: Endpoint, default: bool, notes: list[str]) -> tuple[str, ...]:
    """The named graphs to ask: none where the default graph is what the owner loaded."""
    if default and endpoint.engine != "virtuoso":
        return ()
    rows = endpoint.tried(f"SELECT DISTINCT ?g WHERE {{ GRAPH ?g {{ ?s ?p ?o }} }} LIMIT {NAMED_GRAPHS + 20}") or []
    graphs = sorted(row["g"]["value"] for row in rows if row["g"]["type"] == "uri")
    own = (*dialects.SYSTEM_GRAPHS, "http://localuriqaserver/sparql", endpoint.address.url)
    graphs = [graph for graph in graphs if graph not in own and RemoteTerms().write(graph) is not None]
    if len(graphs) > NAMED_GRAPHS:
        notes.append(f"more than {NAMED_GRAPHS} named graphs: all are asked together, sources are not told")
        return ()
    return tuple(graphs)


def _counted_relations(endpoint: Endpoint, notes: list[str]) -> dict[str, int | None]:
    rows = None
    if endpoint.aggregates:
        try:
            rows = _all_of(endpoint, "SELECT ?p (COUNT(*) AS ?n) WHERE { ?s ?p ?o } GROUP BY ?p")
        except RefusedError:
            endpoint.aggregates = False
            notes.append(_COUNTS_NOT)
        except TooMuchError:
            notes.append("counting the relations took too long: their numbers are not known")
    if rows is None:
        with suppress(RefusedError, TooMuchError):
            rows = _all_of(endpoint, "SELECT DISTINCT ?p WHERE { ?s ?p ?o }")
    if rows is None:
        notes.append("listing the relations took too long: those of a sample of triples are known")
        rows = endpoint.rows(f"SELECT ?p WHERE {{ ?s ?p ?o }} LIMIT {PROBE_ROWS}")
    return {
        endpoint.ids.of_iri(row["p"]["value"]): row.count("n") if "n" in row else None for row in rows if "p" in row
    }


def _all_of(endpoint: Endpoint, query: str) -> list[Binding]:
    """All rows about relations, in pages where a reply may be cut."""
    rows = endpoint.rows(query, probe=True)
    if not endpoint.may_be_cut(len(rows)):
        return rows
    rows = []
    while more := endpoint.rows(f"{query} ORDER BY ?p LIMIT {endpoint.room} OFFSET {len(rows)}", probe=True):
        rows += more
    return rows


def _found_labels(endpoint: Endpoint, relations: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The relations that label and those that give other names: set, well known, or called so."""
    aliases = tuple(id for id in sorted(ALIASES) if id in relations)
    if endpoint.settings.label_properties:
        return endpoint.settings.label_properties, aliases
    labels = sorted((id for id in LABELS if id in relations), key=lambda id: (LABELS[id], id))
    if not labels:
        called = [(readable(id).casefold().replace("_", " "), id) for id in relations]
        for guess in _GUESSES:
            for id in sorted(id for name, id in called if name == guess):
                rows = endpoint.tried(
                    f"SELECT ?o WHERE {{ ?s {endpoint.ids.write(id)} ?o FILTER(isLiteral(?o)) }} LIMIT 1"
                )
                if rows:
                    return (id,), aliases
    return tuple(labels), aliases


def _found_languages(endpoint: Endpoint, notes: list[str]) -> tuple[str, ...]:
    """The languages that were asked for, or those the labels are in where none of these is among them."""
    wanted = endpoint.settings.language
    if not endpoint.labelling:
        notes.append("no property of the graph names its entities: the ends of IRIs are shown; set label_properties")
        return wanted
    pattern = f"VALUES ?p {{ {' '.join(endpoint.labelling)} }} ?e ?p ?l ."
    if endpoint.rows(f"SELECT ?l WHERE {{ {pattern} {endpoint.in_languages} }} LIMIT 1"):
        return wanted
    rows = endpoint.tried(f"SELECT (LANG(?l) AS ?tag) WHERE {{ {pattern} }} LIMIT 2000") or []
    counts: dict[str, int] = {}
    for row in rows:
        tag = row.get("tag", {}).get("value", "").partition("-")[0]
        if tag.isalnum():
            counts[tag] = counts.get(tag, 0) + 1
    found = tuple(sorted(counts, key=lambda tag: (-counts[tag], tag))[:3])
    if found:
        notes.append(f"no label is in {', '.join(wanted)}: those in {', '.join(found)} are used")
    return found or wanted


def _relation_labels(endpoint: Endpoint, ids: Sequence[str]) -> dict[str, str]:
    if not endpoint.labelling:
        return {}
    terms = [term for id in ids if (term := endpoint.ids.write(id))]
    ways = ["?r ?p ?l ."]
    if any(id.startswith("http://www.wikidata.org/prop/") for id in ids):  # there a property is labelled, not its uses
        kinds = ("directClaim", "claim", "statementProperty", "qualifier")
        uses = " ".join(f"<http://wikiba.se/ontology#{kind}>" for kind in kinds)
        ways.append(f"VALUES ?k {{ {uses} }} ?x ?k ?r . ?x ?p ?l .")

    def ask(part: Sequence[str]) -> list[Binding]:
        values = f"VALUES ?r {{ {' '.join(part)} }} VALUES ?p {{ {' '.join(endpoint.labelling)} }}"
        found = []
        for way in ways:
            rows = endpoint.rows(f"SELECT ?r ?p ?l WHERE {{ {values} {way} {endpoint.in_languages} }}")
            if len(part) > 1 and endpoint.may_be_cut(len(rows)):
                raise TooMuchError("more labels of relations than come at once")
            found += rows
        return found

    return endpoint.best(endpoint.split(terms, ask, 500), "r")


def _found_text_search(endpoint: Endpoint) -> str:
    """The dialect whose text index finds an entity that is known to be there."""
    if not endpoint.labelling or endpoint.engine == "oxigraph":
        return ""
    some = endpoint.tried(f"SELECT ?e ?l WHERE {{ {endpoint.each(endpoint.labelling, '?e')} }} LIMIT 20")
    texts = [row["l"]["value"] for row in some or () if re.search(r"\w{4}", row["l"]["value"])]
    for dialect in dialects.candidates(endpoint.engine):
        for text in texts[:2]:
            query = dialects.search(dialect.name, text, endpoint.labelling, 5)
            try:
                if query is not None and endpoint.rows(query, probe=True):
                    return dialect.name
            except (InputError, UnavailableError):
                break
    return ""
