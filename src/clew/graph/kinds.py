"""Which relations of a graph say what kind of thing something is: the one rule that everything else goes by.

A standard relation says it by its id (`rdf:type`), others by their name and by how they are used: a property `kind`
that most things have, with few different values, is read as a type is, whether its values are entities or texts. One
that only some things have beside it (a `category` of devices, a `type` of properties) is finer: its values are words
for kinds as well, and what kind of thing something is in the first place is said by the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clew.graph import pages
from clew.graph.subgraph import Ints, Names
from clew.labels import label_to_text

if TYPE_CHECKING:
    from clew.graph.store import Graph

TYPES = (
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
    "http://www.wikidata.org/prop/direct/P31",
    "type.object.type",
)
STATING = frozenset(["type", "types", "instance of", "is a", "isa", "p31", "rdf type", "rdf:type", "@type"])
_NAMED = re.compile(r"(?:\w+ )?(?:type|kind|class|category|label)s?|categories")
SHARED = 0.5  # different values of a relation, of the things that have it, up to which it may say their kind
COVERED = 0.5  # share of the things of the relation that most have, from which another says as much
LEAST = 4  # things that have a relation whose name alone does not say that it states kinds
READ = 200  # values that are looked at
ALL_UP_TO = 8_000_000  # triples of a graph that are all read for its kinds; of more, a quarter as many
BLOCK = 16_384  # triples read at once: heads stand together, so that each block has some of every common kind
TRUTHS = frozenset(["true", "false", "yes", "no"])
_WORDY = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True, slots=True)
class KindRelations:
    """The numbers of the relations that say what kind of thing something is."""

    stated: tuple[int, ...] = ()
    finer: tuple[int, ...] = ()  # of some things, beside or without a stated one: kinds within a kind

    @property
    def all(self) -> tuple[int, ...]:
        return (*self.stated, *self.finer)


@dataclass(frozen=True, slots=True)
class _Use:
    """How a relation is used."""

    relation: int
    things: int  # that have it
    sure: bool  # its name says that it states kinds, whatever its values are


def kind_relations(graph: Graph) -> KindRelations:
    """The relations of a graph that say what kind of thing something is, worked out once; of a large graph from an
    even sample of its triples."""
    return graph.derived("graph.kinds", lambda: _found(graph))


def kinds_of_any(names: Names) -> KindRelations:
    """The same of any store: of one without arrays by the ids and names of its relations."""
    from clew.graph.store import Graph

    if isinstance(names, Graph):
        return kind_relations(names)
    relations = (names.relation_at(number) for number in range(names.num_relations))
    return KindRelations(by_names((number, each.id, each.label) for number, each in enumerate(relations)))


def by_names(relations: Iterable[tuple[int, str, str]]) -> tuple[int, ...]:
    """Of relations (number, id, label) those that state kinds by their ids, else by their names."""
    known = list(relations)
    standard = tuple(number for number, id, _ in known if id in TYPES)
    return standard or tuple(number for number, id, label in known if STATING & _said(id, label))


def sampled(column: Ints) -> Ints:
    """A column of a graph's triples; of very many, blocks of rows evenly spread, the same in every column."""
    if len(column) <= ALL_UP_TO:
        return column
    starts = np.linspace(0, len(column) - BLOCK, ALL_UP_TO // (4 * BLOCK)).astype(np.int64)
    pages.wanted(column, starts, starts + BLOCK)
    return np.concatenate([column[start : start + BLOCK] for start in starts.tolist()])


def _said(id: str, label: str) -> set[str]:
    """A relation's id and label as plain words."""
    return {label_to_text(text).casefold() for text in (id, label)} | {label.casefold().replace("_", " ")}


def _found(graph: Graph) -> KindRelations:
    standard = tuple(n for n in map(graph.relation_number, TYPES) if n is not None)
    called: list[tuple[int, bool]] = []  # with whether its name alone says that it states kinds
    for number, relation in enumerate(graph.relations()):
        said = _said(relation.id, relation.label)
        sure = bool(STATING & said)
        if number not in standard and (sure or any(map(_NAMED.fullmatch, said))):
            called.append((number, sure))
    if not called:
        return KindRelations(standard)
    whole = graph.whole
    heads, rels, tails = map(sampled, (whole.heads, whole.rels, whole.tails))
    uses = []
    for number, sure in called:
        mine = rels == number
        uses += _use(graph, _Use(number, len(np.unique(heads[mine])), sure), np.unique(tails[mine]))
    if standard:
        return KindRelations(standard, tuple(use.relation for use in uses))
    most = max((use.things for use in uses), default=0)
    widely = [use for use in uses if use.things >= COVERED * most]
    stated = [use for use in widely if use.sure]
    all_heads = np.unique(heads)
    things = len(all_heads) - int(np.count_nonzero(graph.mediators_at(all_heads)))
    covered = np.unique(heads[np.isin(rels, [use.relation for use in stated])])
    if stated and len(covered) < COVERED * things:  # "is a" of some drugs: a kind of drug, and not what most things are
        return KindRelations((), tuple(use.relation for use in uses))
    if not stated:  # no more than one, which most things have
        stated = sorted(widely, key=lambda use: -use.things)[:1]
        stated = [use for use in stated if use.things >= COVERED * things] or [use for use in uses if use.sure]
    chosen = tuple(use.relation for use in stated)
    return KindRelations(chosen, tuple(use.relation for use in uses if use.relation not in chosen))


def _use(graph: Graph, use: _Use, tails: Ints) -> list[_Use]:
    """A use, or nothing where its values are no kinds: numbers, codes, or hardly two things share one."""
    if use.sure:
        return [use] if use.things else []
    if use.things < LEAST or len(tails) > SHARED * use.things:
        return []
    said = [label_to_text(label) for label in graph.labels_at(tails[:READ])]
    wordy = all(_WORDY.search(text) is not None and text.casefold() not in TRUTHS for text in said)
    return [use] if wordy else []
