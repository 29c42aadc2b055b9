"""What statements of RDF mean for a graph: triples, names, descriptions, in batches.

Kept apart from the readers of the syntaxes, which all hand their statements to it. A literal becomes an entity whose
id is its text in quotes with language or datatype behind (`"1889-03-31"^^<http://www.w3.org/2001/XMLSchema#date>`), so
that a date or a number can be an answer.

Shapes: n rows of a batch.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyoxigraph as ox

from clew.graph.inputs import (
    ALIAS,
    ALIAS_IN_NO_LANGUAGE,
    FOREIGN,
    FOREIGN_ALIAS,
    FOREIGN_LANGUAGES,
    TERM_LIMIT,
    Batch,
    Notes,
    Problems,
    Rows,
    column,
)
from clew.graph.property_values import XSD, dated
from clew.graph.property_values import literal as property_literal

LABELS = {
    "http://www.w3.org/2004/02/skos/core#prefLabel": 0,
    "http://www.w3.org/2000/01/rdf-schema#label": 1,
    "http://schema.org/name": 2,
    "https://schema.org/name": 2,
    "http://xmlns.com/foaf/0.1/name": 3,
    "http://rdf.freebase.com/ns/type.object.name": 4,
}
ALIASES = {
    "http://www.w3.org/2004/02/skos/core#altLabel",
    "http://schema.org/alternateName",
    "https://schema.org/alternateName",
    "http://rdf.freebase.com/ns/common.topic.alias",
}
DESCRIPTIONS = {
    "http://www.w3.org/2000/01/rdf-schema#comment",
    "http://schema.org/description",
    "https://schema.org/description",
    "http://purl.org/dc/terms/description",
    "http://rdf.freebase.com/ns/common.topic.description",
}
NOTED = {*LABELS, *ALIASES, *DESCRIPTIONS}
DROPPED = 1 << 20  # no rank
STRING = f"{XSD}string"
LANG_STRING = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"

CHUNK = 1 << 16  # statements per batch
MOST_LETTERS = 1 << 26  # of the texts in a batch


def literal_id(literal: Any) -> str:
    """The id of a literal; see `strings.literal_parts` for the way back."""
    if literal.language:
        return f'"{literal.value}"@{literal.language}'
    datatype = literal.datatype.value
    return f'"{literal.value}"' if datatype == STRING else f'"{literal.value}"^^<{datatype}>'


_TERM = re.compile(r"https?://(?:www\.)?schema\.org/([A-Z][A-Za-z0-9]*)")
_SPAN = re.compile(r"P(?=\d|T\d)(?:\d+[YMWD])*(?:T(?:\d+[HM])*(?:\d+(?:\.\d+)?S)?)?", re.ASCII)


def _meant(literal: Any) -> str:
    """The id of what a plain text of JSON-LD means where that is no text; "" where it is one.

    JSON has no dates, and hardly any context says which texts are: `"duration": "PT52M"`, `"availability":
    "https://schema.org/InStock"`.
    """
    text = literal.value
    if not text or literal.language or literal.datatype.value != STRING:
        return ""
    if text[0] == "h" and (term := _TERM.fullmatch(text)):
        return f"http://schema.org/{term[1]}"
    if text[0] == "P" and _SPAN.fullmatch(text):
        return f'"{text}"^^<{XSD}duration>'
    value = dated(text)
    return "" if value is text else property_literal(value)


class Statements:
    """Sorts statements into triples, labels and descriptions, and hands them over in batches."""

    def __init__(
        self,
        languages: Sequence[str],
        blank_prefix: str,
        problems: Problems,
        name: str,
        *,
        renumber: bool,
        only: Sequence[str] = (),
        loose: bool = False,
    ) -> None:
        """`loose` is for JSON-LD: texts that are dates, durations or terms of schema.org are read as such."""
        self._languages = [language.casefold() for language in languages]
        self._only, self._kept = [language.casefold() for language in only], dict[str, bool]()
        self._ranks: dict[str | None, int | None] = {None: len(languages), "": len(languages)}
        self._loose = loose
        self._blank, self._problems, self._name = f"_:{blank_prefix}", problems, name
        # The parser invents random names for anonymous nodes: numbered, the same file gives the same graph.
        self._blanks: dict[str, str] | None = {} if renumber else None
        self._clear()

    def _blank_id(self, name: str) -> str:
        if self._blanks is None:
            return self._blank + name
        if name not in self._blanks:
            self._blanks[name] = f"{self._blank}b{len(self._blanks)}"
        return self._blanks[name]

    def _clear(self) -> None:
        self._heads: list[str] = []
        self._relations: list[str] = []
        self._tails: list[str] = []
        self._literal: list[bool] = []
        self._sources: list[str] = []
        self._sourced = False
        self._letters = 0  # of texts taken in
        self._notes: dict[str, tuple[list[str], list[str], list[int]]] = {}

    def _rank(self, language: str | None) -> int:
        """0 is the language liked best; from FOREIGN on for those that were not asked for, each about its own."""
        if language not in self._ranks:
            tag = (language or "").casefold()
            matches = [i for i, want in enumerate(self._languages) if tag == want or tag.startswith(want + "-")]
            self._ranks[language] = matches[0] if matches else FOREIGN + zlib.crc32(tag.encode()) % FOREIGN_LANGUAGES
        return self._ranks[language] or 0

    def wants(self, language: str | None) -> bool:
        """Whether texts of a language are to be read."""
        if language is None:
            return True
        if language not in self._kept:
            tag = language.casefold()
            self._kept[language] = not self._only or any(tag == x or tag.startswith(x + "-") for x in self._only)
        return self._kept[language]

    def add(self, quads: Iterable[Any], line: int | None = None) -> None:
        """Take in statements until they end; what the parser raises passes through."""
        heads, relations, tails = self._heads.append, self._relations.append, self._tails.append
        literal, sources = self._literal.append, self._sources.append
        named, blank, text = ox.NamedNode, ox.BlankNode, ox.Literal
        blank_id = self._blank_id
        for subject, predicate, tail, graph in quads:
            kind = type(subject)
            if kind is named:
                head = subject.value
            elif kind is blank:
                head = blank_id(subject.value)
            else:
                self._problems.add(self._name, line, "syntax", "a statement about a statement is not supported")
                continue
            relation = predicate.value
            kind = type(tail)
            if kind is text:
                if len(tail.value) * 4 > TERM_LIMIT and len(tail.value.encode()) > TERM_LIMIT:
                    self._problems.add(
                        self._name, line, "long", f"a text of {len(tail.value):,} letters about {head[:200]}"
                    )
                    continue
                if self._only and tail.language and not self.wants(tail.language):
                    continue
                self._letters += len(tail.value)
                if self._noted(head, relation, tail):
                    continue
                heads(head)
                if self._loose and (meant := _meant(tail)):
                    tails(meant)
                    literal(meant[0] == '"')
                else:
                    tails(literal_id(tail))
                    literal(True)
            else:
                if kind is named:
                    heads(head)
                    tails(tail.value)
                elif kind is blank:
                    heads(head)
                    tails(blank_id(tail.value))
                else:
                    self._problems.add(self._name, line, "syntax", "a statement about a statement is not supported")
                    continue
                literal(False)
            relations(relation)
            if type(graph) is ox.DefaultGraph:
                sources("")
            else:
                self._sourced = True
                sources(graph.value if type(graph) is named else blank_id(graph.value))

    def rank_of(self, relation: str, language: str | None) -> tuple[str, int] | None:
        """The kind and the rank of a text that names or describes its subject; None where it is not wanted."""
        if relation in LABELS:
            rank = self._rank(language)
            return "label", rank if rank >= FOREIGN else rank * 5 + LABELS[relation]
        if relation in ALIASES:
            rank = self._rank(language)
            if rank >= FOREIGN:
                return "label", FOREIGN_ALIAS
            return "label", ALIAS + rank if language else ALIAS_IN_NO_LANGUAGE
        return "description", self._rank(language)

    def _noted(self, head: str, relation: str, text: Any) -> bool:
        """Whether the statement only names or describes its subject, and was put aside for that."""
        if relation not in NOTED:
            return False
        found = self.rank_of(relation, text.language)
        if found is not None and text.value.strip():
            owners, texts, ranks = self._notes.setdefault(found[0], ([], [], []))
            owners.append(head)
            texts.append(text.value.strip())
            ranks.append(found[1])
        return True

    def sizes(self) -> dict[str, int]:
        """How much of each kind was taken in since the last batch."""
        return {"rows": len(self._heads), **{kind: len(owners) for kind, (owners, _, _) in self._notes.items()}}

    @property
    def prefixed(self) -> bool:
        """Whether the names of nameless nodes are changed."""
        return self._blank != "_:" or self._blanks is not None

    @property
    def choosy(self) -> bool:
        """Whether texts in some languages are left out."""
        return bool(self._only)

    def __len__(self) -> int:
        return len(self._heads) + sum(len(owners) for owners, _, _ in self._notes.values())

    @property
    def full(self) -> bool:
        """Whether it is time to hand over what was taken in."""
        return len(self) >= CHUNK or self._letters > MOST_LETTERS

    def batches(self) -> Iterator[Batch]:
        """What was taken in since the last call."""
        if self._heads:
            yield Rows(
                column(self._heads),
                column(self._relations),
                column(self._tails),
                np.array(self._literal, bool),
                column(self._sources) if self._sourced else None,
            )
        for kind, (owners, texts, ranks) in self._notes.items():
            yield Notes(kind, column(owners), column(texts), np.array(ranks, np.int16))
        self._clear()
