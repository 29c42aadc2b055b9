"""What the tables of a relational database mean as a graph, decided from all of them together.

Kept apart from `property_graph`, where headers say what is a node and what an edge: here a table is one kind of things
(`drivers`), a column that holds another table's keys is a relation (`home_warehouse_id`), and a table of two such
columns is a relation itself. A database states its keys; of files they are found: a name that fits and values that are
there. Containment alone decides nothing: small numbers are keys of every table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from clew.graph.arrow import hashes_of, text_array
from clew.graph.columns import ColumnFacts, TableFile
from clew.graph.foreign_keys import SURE, Reference, find_references, given_by, shown_share
from clew.graph.labelling import ADDRESSED, is_address, name_rank
from clew.graph.links import find_links, holds_names, naming_of
from clew.graph.nouns import (
    CODE_ENDS,
    CODES,
    EXPANDED,
    JOINING,
    KEY_ENDS,
    NAMED_FIRST,
    abbreviates,
    akin,
    asks,
    beyond,
    fit,
    noun_of,
    said_by,
    without_shared,
)
from clew.labels import in_full

WORD = 4  # letters from which the word before an "id" is no abbreviation
LETTERS = 60  # most letters of a name, in the mean
SHARED = 0.5  # of a column in another one of its table, from which neither names the rows
ALONE, AGAIN, TAG = 0.1, 2.5, 24  # of lists: share of cells with one value, times that a value comes, letters of it
NEW = 1.5  # parts that never stand alone, by different cells with several, up to which cells are lists
_NAMES = (
    ("name",), ("full", "name"), ("display", "name"), ("label",), ("title",), ("caption",), ("headline",),
    ("bezeichnung",), ("benennung",), ("titel",), ("nom",), ("libelle",), ("libellé",), ("titre",), ("nombre",),
    ("denominacion",), ("denominación",), ("titulo",), ("título",), ("nome",), ("titolo",), ("naam",), ("navn",),
    ("namn",), ("nazwa",),
)  # fmt: skip
_GIVEN, _FAMILY = (
    (
        ("first", "name"), ("given", "name"), ("forename",), ("firstname",), ("fname",), ("vorname",), ("prénom",),
        ("prenom",), ("voornaam",), ("fornavn",), ("förnamn",), ("imię",), ("imiona",), ("given",), ("given", "names"),
        ("forenames",), ("christian", "name"), ("christian", "names"),
    ),
    (
        ("last", "name"), ("family", "name"), ("surname",), ("lastname",), ("lname",), ("nachname",), ("familienname",),
        ("achternaam",), ("etternavn",), ("efternamn",), ("cognome",), ("apellido",), ("apellidos",), ("nazwisko",),
    ),
)  # fmt: skip
_NUMBER_OF = frozenset(["nr", "no", "numer", "numero", "número", "numéro", "num"])
_DATES = frozenset(["date", "datum", "fecha", "data", "born", "died", "birth", "death", "time"])
_WAYS = frozenset(["in", "out", "made", "taken", "done", "given", "received"])
_PARTS = frozenset(["item", "entry", "row", "position", "part", "product"])
_KEPT = frozenset(["stock", "list", "register", "master", "catalogue", "catalog", "inventory", "directory"])
_OTHERS = frozenset(
    ["contact", "emergency", "owner", "manager", "parent", "guardian", "spouse", "partner", "agent", "bank"]
)
"""Whose names are none of what a table is of."""
_DESCRIBED = (
    ("description",),
    ("desc",),
    ("item",),
    ("item", "description"),
    ("product",),
    ("article",),
    ("product", "description"),
)
SHORT = 40  # most letters of a description that is what something is called, in the mean
_CODES = frozenset(["code", "no", "nr", "number", "num", "plate", "ref", "reference", "sku", "isbn", "tracking", "iata",
                    "icao", "serial", "registration", "vin", "symbol", "ticker", "callsign", "username", "login",
                    "handle", "slug", "abbreviation", "abbr"])  # fmt: skip


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """What is made of a column that is no reference."""

    role: str  # "literal", "none"
    relation: str = ""
    kind: str = (
        ""  # "text" never a number, "truth" t and f, "checked" or empty, "list", "whole" 5.0 is 5, "day", "time"
    )


@dataclass(slots=True)
class RelationalTable:
    """One table: what its rows are, what they are called and what they point to."""

    source: TableFile
    name: str  # in messages and ids
    noun: tuple[str, ...]
    facts: list[ColumnFacts]
    key: tuple[int, ...] = ()
    references: list[Reference] = field(default_factory=list)
    named: tuple[int, ...] = ()
    columns: list[ColumnPlan] = field(default_factory=list)
    repeated: tuple[int, ...] = ()  # hashes of keys that several rows have: the first of them is meant
    relation: str = ""  # of a table that is a relation between its two references
    prefix: str = ""  # of its ids
    told: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        return " ".join(self.noun)

    def at(self, column: str) -> int | None:
        names = [each.casefold() for each in self.source.columns]
        return names.index(column.casefold()) if column.casefold() in names else None

    def plan(self, tables: Sequence[RelationalTable]) -> dict[str, Any]:
        """What the reader of rows needs to know, as JSON."""
        return {
            "source": asdict(self.source), "kind": self.kind, "prefix": self.prefix, "key": self.key,
            "repeated": self.repeated, "named": self.named, "numbered": self.prefix == f"{self.name}/",
            "relation": self.relation,
            "columns": [asdict(each) for each in self.columns],
            "references": [{**asdict(each), "prefix": tables[each.target].prefix} for each in self.references],
        }  # fmt: skip

    def summary(self, tables: Sequence[RelationalTable]) -> list[str]:
        """What was decided, a line for the table and one for each reference."""
        names = self.source.columns
        if self.relation:
            ends = " to ".join(tables[each.target].name for each in self.references)
            held = [column.relation for column in self.columns if column.role == "literal"]
            lines = [f"{self.name}: relation {self.relation!r} from {ends}{', with ' * bool(held)}{', '.join(held)}"]
        else:
            rows = self.facts[0].rows if self.facts else 0
            key = ", ".join(names[i] for i in self.key) or "none (rows are numbered)"
            called = " ".join(names[i] for i in self.named) or f"{self.kind} and key"
            lines = [f"{self.name}: {rows:,} × {self.kind!r}, key {key}, named by {called}"]
        for each in self.references:
            columns = ", ".join(names[i] for i in each.columns) + " (several in a cell)" * each.many
            less = f", {shown_share(each.held)} of its values" if each.held < 1 else ""
            lines.append(f"  {columns} → {tables[each.target].name}{less}")
        return [*lines, *(f"  {line}" for line in self.told)]


def decided(
    files: Sequence[tuple[TableFile, list[ColumnFacts], Mapping[str, Any]]], foreign_keys: Mapping[str, str]
) -> list[RelationalTable]:
    """The tables and how they hang together.

    Args:
        files: each table with the facts of its columns and, of a database, what it states: "primary" (columns),
            "foreign" (columns, table, its columns) and "types".
        foreign_keys: of `table.column`, the table that it points to, or "" for none; they win over what is found.

    Raises:
        InputError: `foreign_keys` names no table or no column.
    """
    short = without_shared([source.name for source, _, _ in files])
    tables = [RelationalTable(source, source.name, noun_of(name), facts)
              for (source, facts, _), name in zip(files, short, strict=True)]  # fmt: skip
    stated = [each for _, _, each in files]
    for table in tables:
        table.noun = _shorter(table, tables)
    for table, said in zip(tables, stated, strict=True):
        table.key = tuple(at for name in said.get("primary", ()) if (at := table.at(name)) is not None)
        if not table.key and (own := _own_key(table)) is not None:
            table.key = (own,)
    for name, there in ((name, there) for said in stated for _, name, there in said.get("foreign", ())):
        for table in tables:  # a key that is stated only by who points to it
            if table.name.casefold() == name.casefold() and not table.key and all(there):
                table.key = tuple(at for column in there if (at := table.at(column)) is not None)
    given = given_by(tables, foreign_keys)
    naming = naming_of(tables, stated)
    by_name = {at: to for at, to in given.items() if to is not None and holds_names(at, to, tables, naming)}
    by_key = given | dict.fromkeys(by_name, None)
    for i, said in enumerate(stated):
        find_references(i, tables, {at: to for at, to in by_key.items() if to is None or tables[to].key}, said)
    for table in tables:
        if not table.key:
            table.key = _first_unique(table)
    if len(tables) == 1 and len(tables[0].key) == 1:  # a file of any name: `employee_id` says what its rows are
        keyed = said_by(tables[0].facts[tables[0].key[0]].name)
        noun = (EXPANDED.get(keyed.stem[-1]) or keyed.stem[-1]) if keyed.end in KEY_ENDS else ""
        tables[0].noun = (*keyed.stem[:-1], noun) if len(noun) >= WORD else tables[0].noun
    for i, said in enumerate(stated):
        find_references(i, tables, by_key, said)
    find_links(tables, by_key, by_name, naming)
    pointed = {each.target for table in tables for each in table.references}
    for i, (table, said) in enumerate(zip(tables, stated, strict=True)):
        table.named = _naming(table)
        table.relation = _relation(table, tables, i in pointed)
        table.columns = [_column(table, at, said.get("types", {})) for at in range(len(table.facts))]
    for i in range(len(tables)):
        tables[i].prefix = _prefix(i, tables)
    return tables


def _shorter(table: RelationalTable, tables: Sequence[RelationalTable]) -> tuple[str, ...]:
    """What the rows of a table are, without a last word that says how they are kept or which way they go: "loans out"
    are loans and the "vehicle stock" are vehicles, where there are no others."""
    if len(table.noun) < 2 or table.noun[-1] not in _WAYS | _KEPT:
        return table.noun
    noun = noun_of("_".join(table.noun[:-1]))
    others = [other.noun for other in tables if other is not table]
    return table.noun if any(other[: len(noun)] == noun or other == table.noun[:-1] for other in others) else noun


def hang_together(tables: Sequence[RelationalTable], nodes: Sequence[str] = ()) -> bool:
    """Whether the tables are of one database: some column points from one to another and says so by its name.

    Args:
        nodes: files that could be nodes of a property graph, whose ids all differ; where two do not, none is.
    """
    pointing = any(each.sure >= SURE and tables[each.target] is not table
                   for table in tables for each in table.references)  # fmt: skip
    keys = [table.facts[table.key[0]] for table in tables if table.source.file in nodes and len(table.key) == 1]
    return pointing and (not nodes or any(a.held_in(b) for n, a in enumerate(keys) for b in keys[:n]))


# -- keys ------------------------------------------------------------------------------------------------------------


def _is_unique(facts: ColumnFacts) -> bool:
    return facts.filled == facts.rows > 0 and facts.unique == 1.0


def _own_key(table: RelationalTable) -> int | None:
    """The column that is called as the key of this table, and is one."""
    found = []
    first = table.facts[0] if table.facts else None
    keyed = first is not None and said_by(first.name).end in KEY_ENDS and _is_unique(first)
    for at, facts in enumerate(table.facts):
        said = said_by(facts.name)
        if said.words in (("id",), ("key",), ("pk",), ("uuid",), ("guid",)):
            rank = 0
        elif ((fits := fit(said, table.noun)) >= 2.8 and said.end) or (
            fits >= 3 and "".join(said.words) != "".join(table.noun)
        ):
            rank = 1
        elif fits == 2.0:
            rank = 2
        elif said.words[-1] in CODES and len(said.words) == 1:
            rank = 3
        elif said.words[0] in _NUMBER_OF and len(said.words) == 2 and akin(said_by(said.words[1]), table.noun):
            rank = 1  # "Nr umowy" of contracts
        elif fits >= 3 and not (keyed and at and facts.worded == facts.filled):
            rank = 4  # but the "couple" behind a "client_id" is what they are called
        else:
            continue
        if _is_unique(facts):
            found.append((rank, at))
    return min(found)[1] if found else None


def _first_unique(table: RelationalTable) -> tuple[int, ...]:
    """The first column without holes and repetitions that names no other table and is no measure."""
    for at, facts in enumerate(table.facts):
        mine = [each for each in table.references if at in each.columns]
        if mine:  # a row of this table is a row of the other, where that is all it points to
            if len(table.references) == 1 and at == 0 and _is_unique(facts) and mine[0].sure >= SURE:
                return (at,)
            continue
        said = said_by(facts.name)
        keyed = said.end or said.words[-1] in _CODES or said.words in _NAMES
        if _is_unique(facts) and (keyed or (at == 0 and not facts.stamps and (facts.worded or facts.whole))):
            return (at,)
    return ()


# -- names, relations, literals --------------------------------------------------------------------------------------


def _naming(table: RelationalTable) -> tuple[int, ...]:
    """The columns whose cells, one after the other, name the rows."""
    pointing = {at for each in table.references for at in each.columns}
    said = {at: _in_full(facts) for at, facts in enumerate(table.facts) if at not in pointing}
    texts = {at: words for at, words in said.items() if _may_name(table.facts[at])}

    if (titled := _titled(table, texts)) is not None:
        return (titled,)

    def called(words: Sequence[tuple[str, ...]], least: float = 0.0) -> int | None:
        fits = (at for word in words for at, said in texts.items() if said == word and table.facts[at].unique >= least)
        return next(fits, None)

    if (name := called([*_NAMES[:4], (*table.noun, "name")], 0.2)) is not None:
        return (name,)
    first, last = called(_GIVEN), called(_FAMILY)
    if first is not None and last is not None:
        return (first, last)
    if (name := called(_NAMES[4:], 0.5)) is not None:
        return (name,)
    named = [  # "primary name", "nombre cliente"
        at
        for at, words in texts.items()
        if len(words) == 2 and words[0] not in _OTHERS and (words[1] == "name" or words[0] in NAMED_FIRST)
    ]
    if len(named) == 1 and table.facts[named[0]].unique >= 0.9:
        return (named[0],)
    as_kind = [
        at
        for at, words in texts.items()
        if (at,) != table.key
        and (
            words == table.noun
            or akin(said_by(table.facts[at].name), table.noun)
            or (len(words) == 1 and abbreviates(words[0], table.noun[-1]))
        )
    ]
    if len(as_kind) == 1 and table.facts[as_kind[0]].unique >= 0.9:  # two players of one name are players all the same
        return (as_kind[0],)
    if table.noun[-1] in ADDRESSED:
        for at, facts in enumerate(table.facts):
            if at not in pointing and is_address(facts.name) and facts.unique >= 0.9:
                return (at,)
    if table.repeated and len(table.key) == 1:
        return table.key
    if any(each.columns == table.key for each in table.references):  # another table names them
        return ()
    if len(table.key) == 1 and said_by(table.facts[table.key[0]].name).words[0] in _NUMBER_OF:
        return ()  # contracts go by their numbers
    unique = {at: words for at, words in texts.items() if table.facts[at].unique >= 0.98}
    own = {at: words for at, words in unique.items() if not _shares_values(table, at)}
    coded = KEY_ENDS | CODE_ENDS
    filled = {at: table.facts[at].filled / table.facts[at].rows for at in unique}
    keyed = len(table.key) == 1 and bool(said_by(table.facts[table.key[0]].name).end)  # by an id, and no code
    foremost = next((at for at in said if (at,) != table.key), None) if keyed else None  # where names mostly stand
    described = [
        at
        for at, words in own.items()
        if words in _DESCRIBED and filled[at] >= 0.95 and table.facts[at].letters <= SHORT * table.facts[at].filled
    ]
    ways = (
        described
        if len(table.references) < 2 and (foremost is None or _is_code(table.facts[foremost]) or foremost in described)
        else [],
        [at for at, words in unique.items() if words[-1] in ("name", "title", "label") and words[0] not in _OTHERS],
        [at for at, words in unique.items() if (at,) == table.key and not set(words) & coded],
        [at for at, words in unique.items() if words[: len(table.noun)] == table.noun and not set(words) & coded],
        [at for at in own if at == foremost and filled[at] >= 0.95 and name_rank(table.facts[at].name) < 10],
        [at for at, words in unique.items() if set(words) & _CODES and filled[at] >= 0.9],
        [at for at in unique if (at,) == table.key],
        [at for at, words in own.items() if filled[at] >= 0.95 and not set(words) & {"email", "url"}],
    )
    return next(((found[0],) for found in ways if found), ())


def _in_full(facts: ColumnFacts) -> tuple[str, ...]:
    """The words of a column's name, abbreviations written out."""
    return tuple(in_full(" ".join(said_by(facts.name).words)).split())


def _titled(table: RelationalTable, texts: Mapping[int, tuple[str, ...]]) -> int | None:
    """The "title" of objects whose "object name" says what they are: many of them are paintings."""
    own = [at for at, words in texts.items() if words in _NAMES[:4] or words == (*table.noun, "name")]
    others = [at for at, words in texts.items() if words in _NAMES[4:]]
    if own and others and all(table.facts[at].unique < 0.7 for at in own) and table.facts[others[0]].unique >= 0.9:
        return others[0]
    return None


def _is_code(facts: ColumnFacts) -> bool:
    """Whether a column is called a code."""
    return said_by(facts.name).words[-1] in _CODES | {"reg"}


def _shares_values(table: RelationalTable, at: int) -> bool:
    """Whether another column has the values of one: the home and the away side of a match name clubs and no match."""
    others = [facts for i, facts in enumerate(table.facts) if i != at and _may_name(facts)]
    return any(max(table.facts[at].held_in(other), other.held_in(table.facts[at])) >= SHARED for other in others)


def _may_name(facts: ColumnFacts) -> bool:
    return (
        facts.filled > 0
        and not facts.stamps
        and facts.letters <= LETTERS * facts.filled
        and facts.worded >= 0.8 * facts.filled
        and said_by(facts.name).words[-1] not in _DATES  # "abt 1766"
    )


def _relation(table: RelationalTable, tables: Sequence[RelationalTable], pointed: bool) -> str:
    """The relation that a table of two references is, "" for a table of things.

    A running number of its own does not make a thing of a row, where the table's name is made of the two that it joins
    and the rows state little more.
    """
    if (
        len(table.references) != 2
        or pointed
        or any(each.many for each in table.references)
        or (table.key and table.named)
    ):
        return ""
    rests = [beyond(table.noun, tables[each.target].noun) for each in table.references]
    first = next((n for n in (0, 1) if rests[n] is not None), None)
    rest = rests[first] if first is not None else list(table.noun)
    known = {at for each in table.references for at in each.columns}
    own = set(table.key) - known
    much = not (JOINING | _PARTS).issuperset(rest or ()) and _states_much(
        table
    )  # but the lines of an order are its products
    if own and (much or not (first is not None and rest and table.facts[next(iter(own))].whole)):
        return ""
    if first == 1:
        table.references.reverse()
    table.named = ()
    named = tuple(rest) if rest and not JOINING.issuperset(rest) else tuple(table.references[1].words.split())
    stated = [said_by(facts.name).words for at, facts in enumerate(table.facts) if at not in known]
    return "_".join(table.noun if named in stated else named)  # the "mark" of exam marks is a number


def _states_much(table: RelationalTable) -> bool:
    """Whether the rows say so much themselves that they are events: the calls of a crew, each with its times."""
    known = {at for each in table.references for at in each.columns} | set(table.key)
    return sum(facts.filled > 0 for at, facts in enumerate(table.facts) if at not in known) >= 2


def _column(table: RelationalTable, at: int, types: Mapping[str, str]) -> ColumnPlan:
    facts = table.facts[at]
    pointing = any(at in each.columns for each in table.references)
    if pointing or at in table.named or not facts.filled:
        return ColumnPlan("none")
    if at in table.key and (not facts.worded or len(table.key) > 1):
        return ColumnPlan("none")
    kind, filled = "", facts.filled
    declared = types.get(facts.name, "").casefold()
    if facts.padded:
        kind = "text"
    elif _truths(facts, declared):
        kind = "truth"
    elif facts.hashes.tolist() == hashes_of(text_array(["checked"])).tolist():  # Airtable's boxes
        kind = "checked"
    elif facts.floats == filled and filled < facts.rows:
        kind = "whole"
    elif facts.stamps and facts.stamps + facts.days == filled:
        kind = "day" if facts.midnights + facts.days == filled else "time"
    elif _lists(facts):
        kind = "list"
    return ColumnPlan("literal", facts.name.strip(), kind)


def _truths(facts: ColumnFacts, declared: str) -> bool:
    """Whether a column only says yes or no: in letters, or as 1 and 0 where its type or its name is that of a yes."""
    if facts.truths == facts.filled:
        return len(facts.hashes) <= 4
    if facts.whole < facts.filled or not set(facts.hashes.tolist()) <= set(hashes_of(text_array(["0", "1"])).tolist()):
        return False
    return declared.startswith("bool") or (len(facts.hashes) == 2 and asks(said_by(facts.name)))


def _lists(facts: ColumnFacts) -> bool:
    """Whether cells list values of a few, as tags do: what stands between commas comes again and stands alone as well.

    "Lyon, France" and "Voss, Mara" have a comma in every cell, remarks hardly say the same twice.
    """
    alone = facts.filled - facts.listed
    every = alone + facts.pieces
    new = len(np.setdiff1d(facts.parts, facts.hashes))  # parts that never stand alone
    return (
        facts.listed > 0
        and facts.pieces > facts.listed
        and new <= NEW * len(facts.commas)  # "St Mary's Church, Brant" among donors is one of them
        and alone >= ALONE * facts.filled
        and (new == 0 or every >= AGAIN * len(facts.parts))
        and facts.worded >= 0.9 * facts.filled
        and facts.letters <= TAG * every
    )


def _prefix(i: int, tables: Sequence[RelationalTable]) -> str:
    """What the ids of a table begin with; a table whose key is another's has its things in common with it."""
    seen = {i}
    while True:
        same = next((each.target for each in tables[i].references if each.columns == tables[i].key), None)
        if same is None or same in seen:
            return f"{tables[i].name}/"
        i = same
        seen.add(i)


def with_key_first(tables: Sequence[RelationalTable]) -> None:
    """Drop references by which a row would point to itself: its key, where that is another table's."""
    for table in tables:
        table.references = [each for each in table.references if table.relation or each.columns != table.key]
