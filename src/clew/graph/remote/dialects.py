"""How endpoints differ: who answers, and how its text index is asked.

Apart from the store so that a new engine is an entry here. SPARQL has no standard text search; each pattern below
binds `?e` to entities whose label holds the words, given as one escaped string literal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clew.graph.remote.terms import quoted

SYSTEM_GRAPHS = (
    "http://www.openlinksw.com/schemas/virtrdf#",
    "http://www.w3.org/2002/07/owl#",
    "http://www.w3.org/ns/ldp#",
    "http://www.w3.org/ns/rdfs-ns#",
    "urn:activitystreams-owl:map",
    "urn:core:services:sparql",
    "urn:rules.skos",
    "urn:virtuoso:val:acl:schema",
)
"""Named graphs that Virtuoso brings along: never part of what somebody loaded. It adds one for its own address."""

STATEMENT_NODES = (
    "http://www.wikidata.org/entity/statement/",
    "http://www.wikidata.org/reference/",
    "http://www.wikidata.org/value/",
)
"""IRIs that are nameless n-ary nodes: Wikidata's qualified statements hang on them (`p:`, `ps:`, `pq:`)."""

_WORD = re.compile(r"\w+", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """A text index: `probe` is an ASK that only this engine understands, `pattern` finds entities by words."""

    name: str
    engines: tuple[str, ...]  # words in the Server header, or of the address, that speak for it
    pattern: str  # with {words}, {labels} (the label properties) and {limit}
    every_word: str = "{}"  # how one word is written inside the string
    joined: str = " "


DIALECTS = (
    Dialect(
        "virtuoso",
        ("virtuoso",),
        "VALUES ?lp {{ {labels} }} ?e ?lp ?l . ?l bif:contains {words} .",
        every_word="'{}'",
        joined=" AND ",
    ),
    Dialect(
        "wikibase",
        ("wikidata", "blazegraph", "wikibase"),
        'SERVICE wikibase:mwapi {{ bd:serviceParam wikibase:api "EntitySearch"; wikibase:endpoint "www.wikidata.org"; '
        'mwapi:search {words}; mwapi:language "en" . ?e wikibase:apiOutputItem mwapi:item . }}',
    ),
    Dialect("blazegraph", ("blazegraph", "bigdata"), "?l bds:search {words} ; bds:matchAllTerms true . ?e ?lp ?l ."),
    Dialect("jena", ("fuseki", "jena"), "?e text:query ({words} {limit}) .", joined=" AND "),
    Dialect(
        "graphdb",
        ("graphdb", "ontotext"),
        "?e onto:fts {words} .",
        joined=" AND ",
    ),
    Dialect("qlever", ("qlever",), "?t ql:contains-word {words} ; ql:contains-entity ?e ."),
    Dialect("stardog", ("stardog",), "?l stardog:property:textMatch {words} . ?e ?lp ?l .", joined=" AND "),
)
PREFIXES = {
    "wikibase": "PREFIX wikibase: <http://wikiba.se/ontology#> PREFIX bd: <http://www.bigdata.com/rdf#> "
    "PREFIX mwapi: <https://www.mediawiki.org/ontology#API/>",
    "blazegraph": "PREFIX bds: <http://www.bigdata.com/rdf/search#>",
    "jena": "PREFIX text: <http://jena.apache.org/text#>",
    "graphdb": "PREFIX onto: <http://www.ontotext.com/>",
    "qlever": "PREFIX ql: <http://qlever.cs.uni-freiburg.de/builtin-functions/>",
    "stardog": "PREFIX stardog: <tag:stardog:api:>",
}


def engine_of(server: str, place: str) -> str:
    """The engine that a Server header or an address speaks of, "" where neither says."""
    said = f"{server} {place}".casefold()
    for dialect in DIALECTS:
        if any(word in said for word in dialect.engines):
            return dialect.name
    return "oxigraph" if "oxigraph" in said else ""


def candidates(engine: str) -> list[Dialect]:
    """The dialects worth a try: the engine's own, or all where it is unknown."""
    mine = [dialect for dialect in DIALECTS if dialect.name == engine]
    return mine if engine else list(DIALECTS)


def search(dialect: str, text: str, labels: Sequence[str], limit: int) -> str | None:
    """The query that asks the text index for the words of `text`; None where no word is left to ask for.

    Only letters and digits of the text go in, so that no operator of a full-text syntax does.
    """
    chosen = next(each for each in DIALECTS if each.name == dialect)
    words = _WORD.findall(text)
    if dialect == "virtuoso":
        words = [word for word in words if len(word) > 1]
    literal = quoted(chosen.joined.join(chosen.every_word.format(word) for word in words))
    if not words or literal is None:
        return None
    pattern = chosen.pattern.format(words=literal, labels=" ".join(labels), limit=limit)
    return f"{PREFIXES.get(dialect, '')} SELECT DISTINCT ?e WHERE {{ {pattern} }} LIMIT {int(limit)}"
