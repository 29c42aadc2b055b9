"""What of RDF is schema or bookkeeping and no fact, set aside at the end of reading: ontologies, Wikibase's own terms.

Kept apart from the readers, because a statement tells what it is only together with others: a subject is a class or a
property by a type that may be stated anywhere in the input. What is set aside stays in the graph's folder as an edit
that is not applied (`Graph.with_schema`): `clew query` sees it, questions do not. What things need of it is kept as
facts before: a thing of a class is a thing of the classes above it (RDFS, rule rdfs9), what one of two inverse
properties says the other says as well (OWL 2 RL, prp-inv and prp-symp), and the labels of a property are those of all
relations that Wikibase makes of it.

Shapes: N entities, T triples, R relations, K triples set aside; a row is (head, relation, tail, source).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.graph.assembly import Assembly, Spooled
from clew.graph.delta import Change
from clew.graph.external import OnDisk
from clew.graph.inputs import Notes, column
from clew.graph.layout import LITERAL, SCHEMA, open_strings, put
from clew.graph.subgraph import Ints

BLOCK = 1 << 20
MOST = 1_000_000  # triples that are set aside; of more nothing is
INSTANCES = 0.1  # things for each class from which on classes are schema; below it they are what a graph is about
INVERTED = 20_000_000  # triples of properties with an inverse; of more nothing is completed
ABOVE = 200_000  # pairs of a class and one above it that are looked at

RDF, RDFS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2000/01/rdf-schema#"
OWL, WIKIBASE, SHACL = "http://www.w3.org/2002/07/owl#", "http://wikiba.se/ontology#", "http://www.w3.org/ns/shacl#"
TYPE, SUBCLASS, FIRST, REST = f"{RDF}type", f"{RDFS}subClassOf", f"{RDF}first", f"{RDF}rest"
INVERSE = f"{OWL}inverseOf"
_OF_THINGS = {f"{OWL}sameAs", f"{OWL}differentFrom"}  # said of things, though of a schema's vocabulary
_RELATIONS = {
    *(f"{RDFS}{name}" for name in ("domain", "range", "subPropertyOf", "isDefinedBy")),
    *(f"{site}://schema.org/{name}" for site in ("http", "https") for name in ("domainIncludes", "rangeIncludes")),
}
_NO_KINDS = {
    *(f"{RDFS}{name}" for name in ("Class", "Datatype", "Resource", "Literal", "ContainerMembershipProperty")),
    *(f"{RDF}{name}" for name in ("Property", "List")),
}
_OF_ANY_THING = {
    *(f"{OWL}{name}" for name in ("NamedIndividual", "Thing")), f"{RDFS}Resource", f"{RDFS}Literal",
    *(f"{WIKIBASE}{name}" for name in ("Item", "Statement", "BestRank", "Lexeme", "Form", "Sense")),
}  # fmt: skip
_LINKS = (
    "directClaim", "claim", "statementProperty", "statementValue", "qualifier", "qualifierValue", "reference",
    "referenceValue", "directClaimNormalized", "statementValueNormalized", "qualifierValueNormalized",
)  # fmt: skip
_VALUES = {f"{WIKIBASE}{name}" for name in ("TimeValue", "QuantityValue", "GlobecoordinateValue", "Reference")}
_PRECISION = {8: slice(0, 4), 9: slice(0, 4), 10: slice(0, 7)}  # what of a date is known: of a decade its first year

Rows = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Parted:
    """What was done: triples set aside, kinds that things have by a class above theirs, facts that a property has from
    its inverse, value nodes read as values."""

    schema: int = 0
    inherited: int = 0
    inverted: int = 0
    values: int = 0
    kept: int = 0  # triples that would have been set aside but for their number
    members: int = 0  # of lists, read as values of what has the list


class Everything:
    """What has been read so far, with what is needed of it to tell schema from facts."""

    def __init__(self, assembly: Assembly) -> None:
        assembly.flush()
        self.assembly = assembly
        self.relations = list(open_strings(assembly.scratch, "relations"))
        self.texts = open_strings(assembly.folder, "ids")
        self.rows = OnDisk(assembly.scratch / "triples.i32", 4)
        self.kinds = assembly.kinds()
        self.type = self.relation(TYPE)
        typed = self.picked(lambda row: row[:, 1] == self.type) if self.type >= 0 else np.empty((0, 4), np.int32)
        self.typed = typed
        classes = np.unique(typed[:, 2])
        self.classes = dict(zip(classes.tolist(), self.texts.take(classes), strict=True))

    def relation(self, id: str) -> int:
        """The number of a relation, -1 for one that is not there."""
        return self.relations.index(id) if id in self.relations else -1

    def relations_of(self, test: Callable[[str], bool]) -> NDArray[np.bool_]:
        """(R,) Which relations' ids pass."""
        return np.fromiter(map(test, self.relations), bool, len(self.relations))

    def picked(self, test: Callable[[Rows], NDArray[np.bool_]]) -> Rows:
        """The rows that pass."""
        return np.concatenate([np.empty((0, 4), np.int32), *(block[test(block)] for block in self.rows.blocks(BLOCK))])

    def mask(self, numbers: NDArray[np.int32] | Sequence[int]) -> NDArray[np.bool_]:
        """(N,) True for some entities."""
        found = np.zeros(self.assembly.entities.count, bool)
        found[numbers] = True
        return found

    def of_types(self, test: Callable[[str], bool]) -> Ints:
        """The entities of some types, each as often as it has one."""
        types = np.array([number for number, id in self.classes.items() if test(id)], np.int32)
        found: Ints = self.typed[np.isin(self.typed[:, 2], types), 0]
        return found

    def names(self, entities: Ints) -> dict[int, list[tuple[int, str]]]:
        """Rank and text of every name of some entities."""
        wanted = self.mask(entities)
        found: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for first, second, rows in self._spooled():
            owners = self.assembly.entities.find(first, second)
            for row in np.flatnonzero((owners >= 0) & wanted[owners]).tolist():
                found[int(owners[row])].append(rows(row))
        return found

    def names_of(self, id: str) -> list[tuple[int, str]]:
        """The same of one id, that of a relation too."""
        from clew.graph import bulk

        mine = bulk.hash_terms(*column([id]))
        return [
            rows(row)
            for first, second, rows in self._spooled()
            for row in np.flatnonzero((first == mine[0][0]) & (second == mine[1][0])).tolist()
        ]

    def _spooled(self) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint64], Callable[[int], tuple[int, str]]]]:
        """Names block by block: whose they are, as two hashes, and what tells rank and text of a row."""
        spool = Spooled(self.assembly.scratch, "label")
        for start in range(0, len(spool), BLOCK):
            here = slice(start, start + BLOCK)

            def named(row: int, start: int = start) -> tuple[int, str]:
                at, length = spool.lengths(slice(start + row, start + row + 1))
                text = spool.bytes(at, int(length[0])).tobytes().decode("utf-8", "replace")
                return int(spool.ranks[start + row : start + row + 1][0]), text

            yield spool.first[here], spool.second[here], named


def part(assembly: Assembly) -> Parted:
    """Set aside what is no fact, and add as facts what things have by it; to be called when all files are read."""
    if not assembly.rows:
        return Parted()
    assembly.flush()
    if not any("://" in id for id in open_strings(assembly.scratch, "relations")):
        return Parted()
    from clew.graph.rdf_lists import read_lists
    from clew.graph.value_nodes import read_values

    read = Everything(assembly)
    if (declared := read.relations_of(lambda id: id.startswith(WIKIBASE))).any():
        _label_claims(read, declared)
        _round_dates(read)
    aside = _Aside(read)
    kept = sum(int(np.count_nonzero(aside.of(block))) for block in read.rows.blocks(BLOCK))
    if kept > MOST:
        aside = _Aside(None)
    else:
        kept = 0
    values, lists = read_values(read, MOST), read_lists(read, aside.of, MOST if aside.found else 0)
    inverted = _inverted(read)
    gone, added = values.gone | lists.gone, [values.rows, lists.rows, aside.inherited, inverted]

    def out(block: Rows) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = aside.of(block) | gone[block[:, 0]] | gone[block[:, 2]]
        return found

    total = sum(int(np.count_nonzero(out(block))) for block in read.rows.blocks(BLOCK))
    if total or any(map(len, added)):
        _part(read, out, added)
    read_as_values = int(np.count_nonzero(values.gone))
    return Parted(total, len(aside.inherited), len(inverted), read_as_values, kept, len(lists.rows))


class _Aside:
    """Which rows are no facts; without anything that was read, none."""

    def __init__(self, read: Everything | None) -> None:
        self.inherited = np.empty((0, 4), np.int32)
        self.found = False
        if read is not None:
            self._find(read)

    def _find(self, read: Everything) -> None:
        self._type = read.type
        self._kinds = np.zeros(read.assembly.entities.count, bool)
        self._heads, self._tails = self._kinds.copy(), self._kinds.copy()
        self._relations = np.zeros(len(read.relations), bool)
        relations = read.relations_of(_schematic)
        subclass, first, rest = (read.relation(id) for id in (SUBCLASS, FIRST, REST))
        if not len(read.typed) and not relations.any() and max(subclass, first, rest) < 0:
            return  # nothing says what is schema
        novalues = read.relation(f"{WIKIBASE}novalue")
        denied = read.picked(lambda row: row[:, 1] == novalues)[:, 2]
        kinds = self._kinds.copy()
        kinds[[number for number, id in read.classes.items() if _no_kind(id)]] = True
        kinds[denied] = True
        heads = read.mask(read.of_types(lambda id: _no_kind(id) and id not in _OF_ANY_THING))
        heads[read.typed[~kinds[read.typed[:, 2]], 0]] = False  # a thing of a kind of its own is a thing
        above = read.picked(lambda row: row[:, 1] == subclass)
        links = read.picked(lambda row: relations[row[:, 1]] | heads[row[:, 0]] | np.isin(row[:, 1], (first, rest)))
        links = np.concatenate([links, above])
        blank = links[read.texts.starting(links[:, 2], b"_:")]
        while True:  # lists and restrictions, nameless, hang on what is schema already
            more = blank[(relations[blank[:, 1]] | heads[blank[:, 0]] | (blank[:, 1] == subclass))
                         & ~heads[blank[:, 2]], 2]  # fmt: skip
            if not len(more):
                break
            heads[more] = True
        classes = np.unique(np.concatenate([above[:, 0], above[:, 2], read.of_types(_class)]))
        things = np.zeros(len(kinds), bool)
        for row in read.rows.blocks(BLOCK):
            fact = ~relations[row[:, 1]] & ~heads[row[:, 0]] & ~kinds[row[:, 2]] & (row[:, 1] != subclass)
            things[row[fact, 0]] = True
        if np.count_nonzero(things) < INSTANCES * len(classes):
            return  # an ontology by itself: its classes are what it is about
        self.inherited = _inherited(read, above[~heads[above[:, 2]] | ~read.texts.starting(above[:, 2], b"_:")], kinds)
        if subclass >= 0 and (len(self.inherited) or heads[above[:, 0]].any()):
            relations[subclass] = True
        values = read.mask(read.of_types(_VALUES.__contains__))
        self._kinds, self._heads, self._tails, self._relations = kinds, heads, values, relations
        self.found = True
        bare = _bare_statements(read, self.of)
        heads[bare] = values[bare] = True

    def of(self, rows: Rows) -> NDArray[np.bool_]:
        """Which of some rows."""
        if not self.found:
            return np.zeros(len(rows), bool)
        heads, relations, tails = rows[:, 0], rows[:, 1], rows[:, 2]
        found: NDArray[np.bool_] = (
            self._relations[relations]
            | self._heads[heads]
            | self._tails[tails]
            | ((relations == self._type) & self._kinds[tails])
        )
        return found


def _bare_statements(read: Everything, aside: Callable[[Rows], NDArray[np.bool_]]) -> Ints:
    """Statements of a Wikibase that say no more than its direct claims do: no qualifier, and the claim is there."""
    numbers = {id: number for number, id in enumerate(read.relations)}
    of: dict[str, dict[int, int]] = {}  # what each property has of a kind
    for link in ("directClaim", "claim", "statementProperty"):
        number = read.relation(f"{WIKIBASE}{link}")
        rows = read.picked(lambda row, number=number: row[:, 1] == number)  # type: ignore[misc]
        ids = read.texts.take(rows[:, 2].astype(np.int64))
        of[link] = {head: numbers[id] for head, id in zip(rows[:, 0].tolist(), ids, strict=True) if id in numbers}
    direct = np.full(len(read.relations), -1, np.int32)  # the direct claim of each claim
    for property, claim in of["claim"].items():
        direct[claim] = of["directClaim"].get(property, -1)
    stated = np.zeros(len(read.relations), bool)
    stated[[*of["statementProperty"].values()]] = True
    claims = read.picked(lambda row: direct[row[:, 1]] >= 0)
    if not len(claims):
        return np.empty(0, np.int32)
    nodes = read.mask(claims[:, 2])
    said = read.picked(lambda row: nodes[row[:, 0]] & ~aside(row))
    times = np.bincount(said[:, 0], minlength=len(nodes))
    value = np.full(len(nodes), -1, np.int32)
    only = said[(times[said[:, 0]] == 1) & stated[said[:, 1]]]
    value[only[:, 0]] = only[:, 2]
    claims = claims[value[claims[:, 2]] >= 0]
    same = np.stack([claims[:, 0], direct[claims[:, 1]], value[claims[:, 2]]], axis=1)
    straight = np.isin(np.arange(len(read.relations)), direct)
    facts = read.picked(lambda row: straight[row[:, 1]])[:, :3]
    known, which = np.unique(np.concatenate([facts, same]), axis=0, return_inverse=True)
    there = np.zeros(len(known), bool)
    there[which.ravel()[: len(facts)]] = True
    found: Ints = claims[there[which.ravel()[len(facts) :]], 2]
    return found


def _schematic(relation: str) -> bool:
    """Whether a relation says something of the schema, or keeps Wikibase's books."""
    return (relation.startswith((OWL, WIKIBASE, SHACL)) or relation in _RELATIONS) and relation not in _OF_THINGS


def _no_kind(type: str) -> bool:
    """Whether a type says what something is for the schema and not what kind of thing it is."""
    return type.startswith((OWL, WIKIBASE, SHACL)) or type in _NO_KINDS


def _class(type: str) -> bool:
    return type in (f"{OWL}Class", f"{RDFS}Class")


def _inherited(read: Everything, above: Rows, no_kinds: NDArray[np.bool_]) -> Rows:
    """Rows that state the classes above the stated ones, of every thing; none where there are too many."""
    parents: dict[int, set[int]] = defaultdict(set)
    for low, high in np.unique(above[:, [0, 2]], axis=0).tolist():
        if low != high and not no_kinds[high] and not read.texts[high].startswith((OWL, RDFS, "_:")):
            parents[low].add(high)
    pairs: list[tuple[int, int]] = []
    for low in sorted(set(parents) & read.classes.keys()):
        seen, left = {low}, list(parents[low])
        while left:
            high = left.pop()
            if high not in seen:
                seen.add(high)
                pairs.append((low, high))
                left += parents.get(high, ())
        if len(pairs) > ABOVE:
            return np.empty((0, 4), np.int32)
    if not pairs:
        return np.empty((0, 4), np.int32)
    table = np.array(pairs, np.int32)  # by the lower class
    stated = read.typed
    low, high = (np.searchsorted(table[:, 0], stated[:, 2], side) for side in ("left", "right"))
    counts = high - low
    if int(counts.sum()) > 4 * len(read.rows):
        return np.empty((0, 4), np.int32)
    rows = np.repeat(stated, counts, axis=0)
    places = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(low, counts)
    rows[:, 2] = table[places, 1]
    both = np.concatenate([stated[:, [0, 2]], rows[:, [0, 2]]])  # what is stated already, or by two ways, is one fact
    _, first = np.unique(both, axis=0, return_index=True)
    return rows[np.sort(first[first >= len(stated)]) - len(stated)]


def _inverted(read: Everything) -> Rows:
    """Rows that state, by the inverse of a property, what is stated by the property alone.

    Of two inverse properties neither of which lacks facts people use either ("wrote", "author"), and each holds a part
    of them. Where one has no facts there is nothing to complete: a path is walked both ways.
    """
    number_of = {id: number for number, id in enumerate(read.relations)}
    stated = read.relation(INVERSE)
    pairs = read.picked(lambda row: row[:, 1] == stated)[:, [0, 2]] if stated >= 0 else np.empty((0, 2), np.int32)
    ids = zip(*(read.texts.take(pairs[:, side].astype(np.int64)) for side in (0, 1)), strict=True)
    inverse = {(number_of[a], number_of[b]) for a, b in ids if a in number_of and b in number_of}
    both_ways = read.texts.take(np.unique(read.of_types(f"{OWL}SymmetricProperty".__eq__)).astype(np.int64))
    inverse |= {(number_of[id],) * 2 for id in both_ways if id in number_of}
    made, concerned = [np.empty((0, 4), np.int32)], np.array(sorted({n for pair in inverse for n in pair}), np.int32)
    said = read.picked(lambda row: np.isin(row[:, 1], concerned)) if inverse else made[0]
    for one, other in sorted({*inverse, *((b, a) for a, b in inverse)}) if len(said) <= INVERTED else ():
        rows, known = said[said[:, 1] == one], said[said[:, 1] == other]
        turned = rows[read.kinds[rows[:, 2]] != LITERAL][:, [2, 1, 0, 3]]
        turned[:, 1] = other
        _, first = np.unique(np.concatenate([known, turned])[:, [0, 2]], axis=0, return_index=True)
        made.append(turned[np.sort(first[first >= len(known)]) - len(known)])
    return np.concatenate(made)


def _label_claims(read: Everything, declared: NDArray[np.bool_]) -> None:
    """Give every relation that Wikibase makes of a property the property's names: `p:P24`, `ps:P24`, `pq:P24`."""
    links = np.array([read.relation(f"{WIKIBASE}{name}") for name in _LINKS])
    rows = read.picked(lambda row: declared[row[:, 1]] & np.isin(row[:, 1], links) & (row[:, 0] != row[:, 2]))
    names = read.names(np.unique(rows[:, 0]))
    made = [(tail, rank, text) for head, tail in rows[:, [0, 2]].tolist() for rank, text in names.get(head, ())]
    if made:
        owners = read.texts.take(np.array([tail for tail, _, _ in made], np.int64))
        ranks = np.array([rank for _, rank, _ in made], np.int16)
        read.assembly.add(Notes("label", column(owners), column([text for _, _, text in made]), ranks))
        read.assembly.flush()


def _round_dates(read: Everything) -> None:
    """Show dates that are known to the year or month as such, where every value node of a date says so."""
    value, precision = (read.relation(f"{WIKIBASE}{name}") for name in ("timeValue", "timePrecision"))
    if value < 0 or precision < 0:
        return
    rows = read.picked(lambda row: (row[:, 1] == value) | (row[:, 1] == precision))
    dates = dict(rows[rows[:, 1] == value][:, [0, 2]].tolist())
    known: dict[int, set[str]] = defaultdict(set)
    for node, number in rows[rows[:, 1] == precision][:, [0, 2]].tolist():
        if node in dates:
            known[dates[node]].add(read.texts[number].split('"')[1])
    shown = []
    for date, digits in known.items():
        most = max((int(each) for each in digits if each.isdigit()), default=11)
        id = read.texts[date]
        if most in _PRECISION and id[1:5].isdigit():
            shown.append((id, id[1:11][_PRECISION[most]]))
    if shown:
        texts = column([text for _, text in shown])
        read.assembly.add(Notes("label", column([id for id, _ in shown]), texts, np.zeros(len(shown), np.int16)))


def _part(read: Everything, aside: Callable[[Rows], NDArray[np.bool_]], added: Iterable[Rows]) -> None:
    """Write what is set aside to a file of the graph, and let the assembly go on with the rest."""
    assembly = read.assembly
    entities, relations = np.zeros(assembly.entities.count, bool), np.zeros(assembly.relations.count, bool)

    def facts() -> Iterator[Rows]:
        for block in read.rows.blocks(BLOCK):
            yield block[~aside(block)]
        yield from added

    for rows in facts():
        entities[rows[:, 0]] = entities[rows[:, 2]] = relations[rows[:, 1]] = True
    schema = read.picked(aside)
    heads, tails = (read.texts.take(schema[:, side].astype(np.int64)) for side in (0, 2))
    stated = [
        (head, read.relations[r], tail) for head, r, tail in zip(heads, schema[:, 1].tolist(), tails, strict=True)
    ]
    names = read.names(np.flatnonzero(~entities).astype(np.int32))
    labels = {read.texts[number]: min(named)[1] for number, named in names.items()}
    (assembly.folder / SCHEMA).write_bytes(Change(tuple(stated), (), labels).to_json())
    with (assembly.scratch / "facts.i32").open("wb") as file:
        for rows in facts():
            put(rows, file)
    assembly.narrow(assembly.scratch / "facts.i32", entities, relations)
