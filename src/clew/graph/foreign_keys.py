"""Which columns of relational tables hold the keys of another: as the user says, as a database states, or as is found.

Kept apart from what the tables mean (`relational`) because here names and values are weighed against each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from clew.errors import InputError, nearest
from clew.graph.columns import FEW, ColumnFacts
from clew.graph.nouns import CODE_ENDS, KEY_ENDS, SaidColumn, fit, people, relation_words, role, said_by

if TYPE_CHECKING:
    from clew.graph.relational import RelationalTable

HELD_IN = 0.9  # share of a column's values that are keys of the table that they point to
NAMED_SO = 0.5  # the same where the column's name says which table it is
SURE = 2.0  # of a name from which on it decides alone
PADDED = 2.8  # of a column of numbers with zeros before them that are all keys of one table
DISTINCTIVE = 50  # least key of a table whose keys are no running numbers from one
BY_CHANCE = 0.01  # how likely values of a larger table may all be keys of a smaller one
_DONE_BY = frozenset(["by", "to"])  # "trained_by", "reports_to": somebody, and no figure
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
    many: bool = False  # several in a cell, between commas
    commas: tuple[int, ...] = ()  # hashes of names that hold a comma themselves, where there are several in a cell


def given_by(tables: Sequence[RelationalTable], foreign_keys: Mapping[str, str]) -> dict[tuple[int, int], int | None]:
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


def find_references(
    i: int, tables: Sequence[RelationalTable], given: Mapping[tuple[int, int], int | None], said: Mapping[str, Any]
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
        table.references.append(reference_to(table, (at,), given_target, tables, 3.0))
    for columns, name, there in said.get("foreign", ()):
        places = [place for column in columns if (place := table.at(column)) is not None]
        target = next((n for n, each in enumerate(tables) if each.name.casefold() == name.casefold()), None)
        if target is None or len(places) < len(columns) or done & set(places):
            continue
        key = tuple(tables[target].at(column) if column else None for column in there)
        if not tables[target].key or (None not in key and key != tables[target].key):
            table.told.append(f"{', '.join(columns)}: points to columns of {name} that are not its key; kept as values")
            continue
        table.references.append(reference_to(table, tuple(places), target, tables, 3.0))
        done |= set(places)
    for at in range(len(table.facts)):
        if at not in done and (found := _found(i, at, tables)) is not None:
            table.references.append(found)
    table.references.sort(key=lambda each: each.columns)


def reference_to(
    table: RelationalTable, columns: tuple[int, ...], target: int, tables: Sequence[RelationalTable], sure: float
) -> Reference:
    """What columns point to a table by."""
    said, noun = said_by(table.facts[columns[-1]].name), tables[target].noun
    held, missing = 1.0, tuple[int, ...]()
    if len(columns) == 1 and len(tables[target].key) == 1:
        facts, key = table.facts[columns[0]], tables[target].facts[tables[target].key[0]]
        held = facts.held_in(key)
        if held < 1 and not facts.level and not key.level and len(gone := facts.missing_from(key)) <= FEW:
            missing = tuple(gone.tolist())
    theirs = [tables[target].facts[at].name for at in tables[target].key]
    words = relation_words(said, noun, key=theirs[0] if theirs else "") if len(columns) == 1 else " ".join(noun)
    named = relation_words(said, noun) == words or len(columns) > 1  # and not after the kind that it points to
    id = _relation_id(table.facts[columns[0]].name, said, len(columns)) if named else ""
    return Reference(columns, target, id or words, words, held, missing, sure)


def _relation_id(name: str, said: SaidColumn, columns: int) -> str:
    """The column's name without what says that it is a key, as it is written."""
    if columns > 1:
        return ""
    if said.end and said.words[-1] == said.end:
        return name.strip()[: -len(said.end)].rstrip("_ -.")
    if said.end:
        return name.strip()[len(said.end) :].lstrip("_ -.")
    return name.strip()


def _found(i: int, at: int, tables: Sequence[RelationalTable]) -> Reference | None:
    """The table that a column points to, by its name and its values; what is doubtful is told and left alone."""
    table, facts = tables[i], tables[i].facts[at]
    said = said_by(facts.name)
    own = table.key == (at,)
    if not facts.filled or facts.stamps or (own and not said.end):
        return None
    candidates: list[tuple[float, float, int]] = []
    doubts: list[str] = []
    for n, target in enumerate(tables):
        if len(target.key) != 1 or (n == i and at in target.key):
            continue
        key = target.facts[target.key[0]]
        sure = fit(said, target.noun, key=key.name)
        if (
            own
            and facts.name.casefold() == key.name.casefold()
            and key.held_in(facts) == 1
            and len(facts.hashes) > len(key.hashes)
        ):
            continue  # clients of whom some have a row of counts: those are the clients'
        if own and sure < SURE:  # a row of this table may be one of the other, if it says so
            continue
        if n == i and sure and fit(said, table.noun) >= 3:
            sure = 0.0
        sure = sure or role(said, itself=n == i, people=people(target.noun, list(target.source.columns)),
                            noun=target.noun)  # fmt: skip
        held = facts.held_in(key)
        if facts.listed > 0 and facts.as_parts().held_in(key) > held:  # several in a cell: see `links`
            continue
        done = len(said.words) > 1 and said.words[-1] in _DONE_BY and held == 1
        bare = not said.end and not (done and sure)
        if not sure and held == 1 and _distinctive(key) and (said.end in KEY_ENDS or set(said.words) & _BARE):
            sure = 1.0
        if not sure and held == 1 and said.end in CODE_ENDS and key.worded:
            sure = 1.0
        if not sure and held == 1 and all(each.padded == each.filled for each in (facts, key)):
            sure = PADDED  # 00101 among 00101, 00102, … is one of these, whatever its column is called
        least = NAMED_SO if sure >= SURE and not bare else HELD_IN
        if sure and held < least and sure >= SURE and not bare:
            doubts.append(
                f"{facts.name}: named like a key of {target.name}, but {shown_share(1 - held)} of its values are not "
                "there; kept as a value"
            )
        if sure and held >= least and not (bare and not key.worded and sure < 2.8 and sure != 1.8):
            candidates.append((sure, held, n))
    if own and candidates and fit(said, table.noun) >= max(candidates)[0]:
        return None
    if not candidates:
        table.told += doubts or _nameless(i, at, tables)
        return None
    candidates.sort(key=lambda each: (-each[0], -each[1], each[2]))
    best = candidates[0]
    rivals = [each for each in candidates[1:] if each[:2] == best[:2]]
    if rivals and best[0] < 2.8 and (filled := _smallest(facts, [best, *rivals], tables)) is not None:
        return reference_to(table, (at,), filled, tables, best[0])
    if rivals and best[0] < 2.8:
        names = " and ".join(tables[n].name for _, _, n in (best, *rivals))
        table.told.append(
            f"{facts.name}: its values are keys of {names}; kept as a value, say which with "
            f"--foreign-key {table.name}.{facts.name}={tables[best[2]].name}"
        )
        return None
    return reference_to(table, (at,), best[2], tables, best[0])


def _smallest(
    facts: ColumnFacts, rivals: Sequence[tuple[float, float, int]], tables: Sequence[RelationalTable]
) -> int | None:
    """Of tables that hold a column's values equally the smallest, where those of another would hardly all lie in it."""
    sizes = sorted((len(tables[n].facts[tables[n].key[0]].hashes), n) for _, _, n in rivals)
    (least, found), (larger, _) = sizes[:2]
    drawn = min(len(facts.hashes), least, 100)  # so many keys of the larger, each once
    return found if prod((least - n) / (larger - n) for n in range(drawn)) < BY_CHANCE else None


def _nameless(i: int, at: int, tables: Sequence[RelationalTable]) -> list[str]:
    """What is told of a column that is called a key, of nothing that is known, and holds keys of other tables."""
    table, facts = tables[i], tables[i].facts[at]
    if table.key == (at,) or said_by(facts.name).end not in KEY_ENDS:
        return []
    holding = [each.name for each in tables if len(each.key) == 1 and facts.held_in(each.facts[each.key[0]]) == 1]
    if not holding:
        return []
    names = f"{', '.join(holding[:4])}{' …' * (len(holding) > 4)}"
    return [
        f"{facts.name}: names no table, and its values are keys of {names}; kept as a value, say which with "
        f"--foreign-key {table.name}.{facts.name}={holding[0]}"
    ]


def _distinctive(key: ColumnFacts) -> bool:
    """Whether a key's values are its own: no running number from one."""
    return key.whole < key.filled or key.low >= DISTINCTIVE


def shown_share(value: float) -> str:
    return f"{100 * value:.3g} %"
