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

from clew.errors import InputError, nearest
from clew.graph.columns import Facts, TableFile
from clew.graph.nouns import (
    CODE_ENDS,
    KEY_ENDS,
    Said,
    fit,
    noun_of,
    people,
    relation_words,
    role,
    said_by,
    without_shared,
)

HELD_IN = 0.9  # share of a column's values that are keys of the table that they point to
NAMED_SO = 0.5  # the same where the column's name says which table it is
SURE = 2.0  # of a name from which on it decides alone
FEW = 2000  # values without a counterpart that are left out one by one
DISTINCTIVE = 50  # least key of a table whose keys are no running numbers from one
LETTERS = 60  # most letters of a name, in the mean
_NAMES = (("name",), ("full", "name"), ("display", "name"), ("label",), ("title",), ("caption",))
_GIVEN, _FAMILY = (("first", "name"), ("given", "name")), (("last", "name"), ("family", "name"), ("surname",))
_CODES = frozenset(["code", "no", "nr", "number", "num", "plate", "ref", "reference", "sku", "isbn", "tracking", "iata",
                    "icao", "serial", "registration", "vin", "symbol", "ticker", "callsign", "username", "login",
                    "handle", "slug", "abbreviation", "abbr"])  # fmt: skip
_BARE = frozenset(["from", "to", "source", "target", "origin", "destination", "start", "end"])


@dataclass(frozen=True, slots=True)
class Reference:
    """Columns that hold the key of another table."""

    columns: tuple[int, ...]
    target: int
    relation: str
    words: str  # what the relation is called
    held: float = 1.0  # share of their values that are there
    missing: tuple[int, ...] = ()  # hashes of those that are not, where they are few
    sure: float = 3.0


@dataclass(frozen=True, slots=True)
class Column:
    """What is made of a column that is no reference."""

    role: str  # "literal", "none"
    relation: str = ""
    kind: str = ""  # "text" never a number, "truth" t and f, "whole" 5.0 is 5, "day" midnights, "time"


@dataclass(slots=True)
class Table:
    """One table: what its rows are, what they are called and what they point to."""

    source: TableFile
    name: str  # in messages and ids
    noun: tuple[str, ...]
    facts: list[Facts]
    key: tuple[int, ...] = ()
    references: list[Reference] = field(default_factory=list)
    named: tuple[int, ...] = ()
    columns: list[Column] = field(default_factory=list)
    relation: str = ""  # of a table that is a relation between its two references
    prefix: str = ""  # of its ids
    told: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        return " ".join(self.noun)

    def at(self, column: str) -> int | None:
        names = [each.casefold() for each in self.source.columns]
        return names.index(column.casefold()) if column.casefold() in names else None

    def plan(self, tables: Sequence[Table]) -> dict[str, Any]:
        """What the reader of rows needs to know, as JSON."""
        return {
            "source": asdict(self.source), "kind": self.kind, "prefix": self.prefix, "key": self.key,
            "named": self.named, "numbered": self.prefix == f"{self.name}/", "relation": self.relation,
            "columns": [asdict(each) for each in self.columns],
            "references": [{**asdict(each), "prefix": tables[each.target].prefix} for each in self.references],
        }  # fmt: skip

    def summary(self, tables: Sequence[Table]) -> list[str]:
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
            columns = ", ".join(names[i] for i in each.columns)
            less = f", {_share(each.held)} of its values" if each.held < 1 else ""
            lines.append(f"  {columns} → {tables[each.target].name}{less}")
        return [*lines, *(f"  {line}" for line in self.told)]


def decided(
    files: Sequence[tuple[TableFile, list[Facts], Mapping[str, Any]]], foreign_keys: Mapping[str, str]
) -> list[Table]:
    """The tables and how they hang together.

    Args:
        files: each table with the facts of its columns and, of a database, what it states: "primary" (columns),
            "foreign" (columns, table, its columns) and "types".
        foreign_keys: of `table.column`, the table that it points to, or "" for none; they win over what is found.

    Raises:
        InputError: `foreign_keys` names no table or no column.
    """
    short = without_shared([source.name for source, _, _ in files])
    tables = [Table(source, source.name, noun_of(name), facts)
              for (source, facts, _), name in zip(files, short, strict=True)]  # fmt: skip
    stated = [each for _, _, each in files]
    for table, said in zip(tables, stated, strict=True):
        table.key = tuple(at for name in said.get("primary", ()) if (at := table.at(name)) is not None)
        if not table.key and (own := _own_key(table)) is not None:
            table.key = (own,)
    given = _given(tables, foreign_keys)
    for i, said in enumerate(stated):
        _find(i, tables, {where: target for where, target in given.items() if target is None or tables[target].key},
              said)  # fmt: skip
    for table in tables:
        if not table.key:
            table.key = _first_unique(table)
    for i, said in enumerate(stated):
        _find(i, tables, given, said)
    pointed = {each.target for table in tables for each in table.references}
    for i, (table, said) in enumerate(zip(tables, stated, strict=True)):
        table.named = _naming(table)
        table.relation = _relation(table, tables, i in pointed)
        table.columns = [_column(table, at, said.get("types", {})) for at in range(len(table.facts))]
    for i in range(len(tables)):
        tables[i].prefix = _prefix(i, tables)
    return tables


def hang_together(tables: Sequence[Table], files: Sequence[str] | None = None) -> bool:
    """Whether the tables are of one database: some column points from one to another and says so by its name.

    Args:
        files: only what the tables of these files point to counts.
    """
    return any(
        each.sure >= SURE and tables[each.target] is not table
        for table in tables
        if files is None or table.source.file in files
        for each in table.references
    )


# -- keys ------------------------------------------------------------------------------------------------------------


def _is_unique(facts: Facts) -> bool:
    return facts.filled == facts.rows > 0 and facts.unique == 1.0


def _own_key(table: Table) -> int | None:
    """The column that is called as the key of this table, and is one."""
    found = []
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
        elif said.words == ("code",):
            rank = 3
        elif fits >= 3:
            rank = 4
        else:
            continue
        if _is_unique(facts):
            found.append((rank, at))
    return min(found)[1] if found else None


def _first_unique(table: Table) -> tuple[int, ...]:
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


# -- references ------------------------------------------------------------------------------------------------------


def _given(tables: Sequence[Table], foreign_keys: Mapping[str, str]) -> dict[tuple[int, int], int | None]:
    """By table and column, the table that the user says it points to."""
    names = [table.name.casefold() for table in tables]

    def table_at(name: str, where: str) -> int:
        if name.casefold() in names:
            return names.index(name.casefold())
        known = ", ".join(map(repr, nearest(name, [table.name for table in tables])))
        raise InputError(f"foreign key {where!r}: no table {name!r}; nearest: {known}")

    found: dict[tuple[int, int], int | None] = {}
    for where, target in foreign_keys.items():
        name, _, column = where.rpartition(".")
        i = table_at(name, where)
        at = tables[i].at(column)
        if at is None:
            known = ", ".join(map(repr, nearest(column, list(tables[i].source.columns))))
            raise InputError(f"foreign key {where!r}: table {name!r} has no column {column!r}; nearest: {known}")
        found[i, at] = table_at(target, where) if target else None
    return found


def _find(
    i: int, tables: Sequence[Table], given: Mapping[tuple[int, int], int | None], said: Mapping[str, Any]
) -> None:
    """What the columns of a table point to: as the user says, as its database states, or as it is found."""
    table = tables[i]
    table.references, table.told = [], []
    done = {at for (mine, at) in given if mine == i}
    for at in sorted(done):
        given_target = given[i, at]
        if given_target is None:
            continue
        if len(tables[given_target].key) != 1:
            raise InputError(
                f"foreign key {table.name}.{table.facts[at].name}: table {tables[given_target].name!r} has no "
                "key of one column that is unique and without holes"
            )
        table.references.append(_reference(table, (at,), given_target, tables, 3.0))
    for columns, name, there in said.get("foreign", ()):
        places = [at for column in columns if (at := table.at(column)) is not None]
        target = next((n for n, each in enumerate(tables) if each.name.casefold() == name.casefold()), None)
        if target is None or len(places) < len(columns) or done & set(places):
            continue
        key = tuple(tables[target].at(column) if column else None for column in there)
        if not tables[target].key or (None not in key and key != tables[target].key):
            table.told.append(f"{', '.join(columns)}: points to columns of {name} that are not its key; kept as values")
            continue
        table.references.append(_reference(table, tuple(places), target, tables, 3.0))
        done |= set(places)
    for at in range(len(table.facts)):
        if at not in done and (found := _found(i, at, tables)) is not None:
            table.references.append(found)
    table.references.sort(key=lambda each: each.columns)


def _reference(table: Table, columns: tuple[int, ...], target: int, tables: Sequence[Table], sure: float) -> Reference:
    said, noun = said_by(table.facts[columns[-1]].name), tables[target].noun
    held, missing = 1.0, tuple[int, ...]()
    if len(columns) == 1 and len(tables[target].key) == 1:
        facts, key = table.facts[columns[0]], tables[target].facts[tables[target].key[0]]
        held = facts.held_in(key)
        if held < 1 and not facts.level and not key.level and len(gone := facts.missing_from(key)) <= FEW:
            missing = tuple(gone.tolist())
    words = relation_words(said, noun) if len(columns) == 1 else " ".join(noun)
    return Reference(columns, target, _relation_id(table.facts[columns[0]].name, said, len(columns)) or words, words,
                     held, missing, sure)  # fmt: skip


def _relation_id(name: str, said: Said, columns: int) -> str:
    """The column's name without what says that it is a key, as it is written."""
    if columns > 1:
        return ""
    if said.end and said.words[-1] == said.end:
        return name.strip()[: -len(said.end)].rstrip("_ -.")
    if said.end:
        return name.strip()[len(said.end) :].lstrip("_ -.")
    return name.strip()


def _found(i: int, at: int, tables: Sequence[Table]) -> Reference | None:
    """The table that a column points to, by its name and its values; what is doubtful is told and left alone."""
    table, facts = tables[i], tables[i].facts[at]
    said = said_by(facts.name)
    own = table.key == (at,)
    if not facts.filled or facts.stamps or (own and not said.end):
        return None
    candidates: list[tuple[float, float, int]] = []
    for n, target in enumerate(tables):
        if len(target.key) != 1 or (n == i and at in target.key):
            continue
        key = target.facts[target.key[0]]
        sure = fit(said, target.noun, key=key.name)
        if own and sure < SURE:  # a row of this table may be one of the other, if it says so
            continue
        if n == i and sure and fit(said, table.noun) >= 3:
            sure = 0.0
        sure = sure or role(said, itself=n == i, people=people(target.noun, list(target.source.columns)),
                            noun=target.noun)  # fmt: skip
        held = facts.held_in(key)
        bare = not said.end
        if not sure and held == 1 and _distinctive(key) and (said.end in KEY_ENDS or set(said.words) & _BARE):
            sure = 1.0
        if not sure and held == 1 and said.end in CODE_ENDS and key.worded:
            sure = 1.0
        least = NAMED_SO if sure >= SURE and not bare else HELD_IN
        if sure and held < least and sure >= SURE and not bare:
            table.told.append(
                f"{facts.name}: named like a key of {target.name}, but {_share(1 - held)} of its values are not there; "
                "kept as a value"
            )
        if sure and held >= least and not (bare and not key.worded and sure < 2.8 and sure != 1.8):
            candidates.append((sure, held, n))
    if own and candidates and fit(said, table.noun) >= max(candidates)[0]:
        return None
    if not candidates:
        return None
    candidates.sort(key=lambda each: (-each[0], -each[1], each[2]))
    best = candidates[0]
    rivals = [each for each in candidates[1:] if each[:2] == best[:2]]
    if rivals and best[0] < 2.8:
        names = " and ".join(tables[n].name for _, _, n in (best, *rivals))
        table.told.append(
            f"{facts.name}: its values are keys of {names}; kept as a value, say which with "
            f"--foreign-key {table.name}.{facts.name}={tables[best[2]].name}"
        )
        return None
    return _reference(table, (at,), best[2], tables, best[0])


def _distinctive(key: Facts) -> bool:
    """Whether a key's values are its own: no running number from one."""
    return key.whole < key.filled or key.low >= DISTINCTIVE


# -- names, relations, literals --------------------------------------------------------------------------------------


def _naming(table: Table) -> tuple[int, ...]:
    """The columns whose cells, one after the other, name the rows."""
    pointing = {at for each in table.references for at in each.columns}
    said = {at: said_by(facts.name).words for at, facts in enumerate(table.facts) if at not in pointing}
    texts = {at: words for at, words in said.items() if _may_name(table.facts[at])}

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
    if any(each.columns == table.key for each in table.references):  # another table names them
        return ()
    unique = {at: words for at, words in texts.items() if table.facts[at].unique >= 0.98}
    coded = KEY_ENDS | CODE_ENDS
    filled = {at: table.facts[at].filled / table.facts[at].rows for at in unique}
    ways = (
        [at for at, words in unique.items() if words[-1] in ("name", "title", "label")],
        [at for at, words in unique.items() if (at,) == table.key and not set(words) & coded],
        [at for at, words in unique.items() if set(words) & _CODES and filled[at] >= 0.9],
        [at for at in unique if (at,) == table.key],
        [at for at, words in unique.items() if filled[at] >= 0.95 and not set(words) & {"email", "url"}],
    )
    return next(((found[0],) for found in ways if found), ())


def _may_name(facts: Facts) -> bool:
    return facts.filled > 0 and facts.letters <= LETTERS * facts.filled and facts.worded >= 0.8 * facts.filled


def _relation(table: Table, tables: Sequence[Table], pointed: bool) -> str:
    """The relation that a table of two references is, "" for a table of things.

    A running number of its own does not make a thing of a row, where the table's name is made of the two that it joins.
    """
    if len(table.references) != 2 or pointed or table.named:
        return ""
    sides = [tables[each.target].noun for each in table.references]
    noun = list(table.noun)
    first = next((n for n in (0, 1) if noun[: len(sides[n])] == list(sides[n])), None)
    rest = noun[len(sides[first]) :] if first is not None else noun
    own = set(table.key) - {at for each in table.references for at in each.columns}
    if own and not (first is not None and rest and table.facts[next(iter(own))].whole):
        return ""
    if first == 1:
        table.references.reverse()
    return "_".join(rest or table.references[1].words.split())


def _column(table: Table, at: int, types: Mapping[str, str]) -> Column:
    facts = table.facts[at]
    pointing = any(at in each.columns for each in table.references)
    if pointing or at in table.named or not facts.filled:
        return Column("none")
    if at in table.key and (not facts.worded or len(table.key) > 1):
        return Column("none")
    kind, filled = "", facts.filled
    declared = types.get(facts.name, "").casefold()
    if facts.padded:
        kind = "text"
    elif _truths(facts, declared):
        kind = "truth"
    elif facts.floats == filled and filled < facts.rows:
        kind = "whole"
    elif facts.stamps == filled:
        kind = "day" if facts.midnights == filled else "time"
    return Column("literal", facts.name.strip(), kind)


def _truths(facts: Facts, declared: str) -> bool:
    if declared.startswith("bool") and facts.whole == facts.filled:
        return facts.low >= 0 and len(facts.hashes) <= 2
    return facts.truths == facts.filled and len(facts.hashes) <= 4


def _prefix(i: int, tables: Sequence[Table]) -> str:
    """What the ids of a table begin with; a table whose key is another's has its things in common with it."""
    seen = {i}
    while True:
        same = next((each.target for each in tables[i].references if each.columns == tables[i].key), None)
        if same is None or same in seen:
            return f"{tables[i].name}/"
        i = same
        seen.add(i)


def with_key_first(tables: Sequence[Table]) -> None:
    """Drop references by which a row would point to itself: its key, where that is another table's."""
    for table in tables:
        table.references = [each for each in table.references if table.relation or each.columns != table.key]


def _share(value: float) -> str:
    return f"{100 * value:.3g} %"
