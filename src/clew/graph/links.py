"""Which columns of tables hold the names of another table's rows, one or several in a cell, as Airtable and Notion
export them and people write them.

Kept apart from keys (`foreign_keys`), which are sought by what a column is called: here it is the values that decide,
and a header only says how many of them must be there. A text with commas is a list only where its parts are names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clew.graph.columns import ColumnFacts
from clew.graph.foreign_keys import Reference, reference_to
from clew.graph.nouns import CODES, NAMED_FIRST, akin, fit, people, role, said_by

if TYPE_CHECKING:
    from clew.graph.relational import RelationalTable

HELD_IN = 0.9  # share of a column's names that the other table has, by values alone
NAMED_SO = 0.5  # the same where the header says which table it is
LEAST = 3  # different names, by values alone
FILLED, DISTINCT = 0.9, 0.9  # shares of rows that have a name, and of names that are no other's
LETTERS = 80  # of a name, in the mean
_NAMED = (("name",), ("title",), ("full", "name"), ("display", "name"))


def find_links(
    tables: Sequence[RelationalTable],
    decided: Iterable[tuple[int, int]],
    given: Mapping[tuple[int, int], int],
    naming: Sequence[int | None],
) -> None:
    """Add what columns point to by name; a table that is pointed to so has its names as its keys.

    What is doubtful is told and left alone.

    Args:
        decided: columns, each by its table and its place, of which the user said what they are.
        given: those of them that hold names of a table, as the user says.
        naming: of each table the column with its names, as `naming_of` finds it.
    """
    found = {place: (n, 3.0) for place, n in given.items()}
    for i, table in enumerate(tables):
        taken = {at for each in table.references for at in each.columns} | {at for mine, at in decided if mine == i}
        for at in range(len(table.facts)):
            if at not in taken and (link := _link(i, at, tables, naming)) is not None:
                found[i, at] = link
    for n, table in enumerate(tables):
        linking = [place for place, (target, _) in found.items() if target == n]
        names = naming[n]
        if not linking or names is None or table.key == (names,):
            continue
        if any(each.target == n for other in tables for each in other.references):
            for i, at in linking:
                tables[i].told.append(
                    f"{tables[i].facts[at].name}: holds names of {table.name}, to which others point by its key; kept "
                    "as a value"
                )
                del found[i, at]
            continue
        table.key = (names,)
        table.repeated = _repeated(table.facts[names])
    for (i, at), (target, sure) in found.items():
        names = naming[target]
        assert names is not None
        table = tables[i]
        if at in table.key:
            continue
        table.references.append(_reference(table, at, target, tables, sure))
        table.references.sort(key=lambda each: each.columns)


def holds_names(
    place: tuple[int, int], target: int, tables: Sequence[RelationalTable], naming: Sequence[int | None]
) -> bool:
    """Whether a column, by its table and its place, holds names of another table rather than its keys."""
    names, key, facts = naming[target], tables[target].key, tables[place[0]].facts[place[1]]
    if names is None or facts.worded < 0.5 * facts.filled:
        return False
    by_key = facts.held_in(tables[target].facts[key[0]]) if len(key) == 1 else 0.0
    return facts.as_parts().held_in(tables[target].facts[names]) > by_key


def naming_of(tables: Sequence[RelationalTable], stated: Sequence[Mapping[str, Any]]) -> list[int | None]:
    """Of each table the column by which rows of others would name its rows: the first, or one called a name; where the
    first is a code, the one whose values others hold."""
    found: list[int | None] = []
    for n, (table, said) in enumerate(zip(tables, stated, strict=True)):
        may = [] if said.get("primary") else _names_in(table)
        if len(may) > 1 and said_by(table.facts[may[0]].name).words[0] in CODES:
            others = [facts for m, other in enumerate(tables) if m != n for facts in other.facts if facts.worded]
            may.sort(key=lambda at: not any(each.held_in(table.facts[at]) >= HELD_IN for each in others))
        found.append(may[0] if may else None)
    return found


def _names_in(table: RelationalTable) -> list[int]:
    """The columns that may name the rows, likeliest first."""
    said = [said_by(facts.name).words for facts in table.facts]
    called = [
        at
        for at, words in enumerate(said)
        if words in _NAMED or words == (*table.noun, "name") or (len(words) == 2 and words[0] in NAMED_FIRST)
    ]
    return [at for at in dict.fromkeys((0, *called)) if at < len(said) and _may_be_names(table.facts[at])]


def _may_be_names(facts: ColumnFacts) -> bool:
    return (
        facts.filled >= max(FILLED * facts.rows, 1)
        and facts.unique >= DISTINCT
        and facts.worded >= 0.8 * facts.filled
        and facts.letters <= LETTERS * facts.filled
        and not (facts.stamps or facts.days)
    )


def _link(i: int, at: int, tables: Sequence[RelationalTable], naming: Sequence[int | None]) -> tuple[int, float] | None:
    """The table whose names a column holds, and how surely."""
    facts = tables[i].facts[at]
    if naming[i] == at or not facts.filled or facts.worded < 0.5 * facts.filled:
        return None
    said = said_by(facts.name)
    values = facts.as_parts()
    fitting: list[tuple[float, float, int]] = []
    for n, target in enumerate(tables):
        names = naming[n]
        if names is None or (n == i and at in target.key):
            continue
        held = values.held_in(target.facts[names])
        sure = fit(said, target.noun) or role(
            said, itself=n == i, people=people(target.noun, list(target.source.columns)), noun=target.noun
        )
        sure = sure or 2.0 * akin(said, target.noun)
        least = NAMED_SO if sure else HELD_IN
        if held >= least and (sure or len(values.hashes) >= LEAST):
            fitting.append((max(sure, 2.0), held, n))
    if not fitting:
        return None
    fitting.sort(key=lambda each: (-each[0], -each[1], each[2]))
    if fitting[1:] and fitting[1][:2] == fitting[0][:2]:
        rivals = " and ".join(tables[n].name for _, _, n in fitting[:2])
        tables[i].told.append(f"{facts.name}: its values are names of {rivals}; kept as a value, say which with "
                              f"--foreign-key {tables[i].name}.{facts.name}={tables[fitting[0][2]].name}")  # fmt: skip
        return None
    return fitting[0][2], fitting[0][0]


def _reference(
    table: RelationalTable, at: int, target: int, tables: Sequence[RelationalTable], sure: float
) -> Reference:
    facts, key = table.facts[at], tables[target].facts[tables[target].key[0]]
    made = reference_to(table, (at,), target, tables, sure)
    if facts.listed <= 0:
        return made
    values = facts.as_parts()
    missing = values.missing_from(key)
    return replace(
        made, held=values.held_in(key), many=True, commas=tuple(key.commas.tolist()),
        missing=tuple(missing.tolist()),
    )  # fmt: skip


def _repeated(facts: ColumnFacts) -> tuple[int, ...]:
    """Hashes of names that several rows have."""
    return tuple(facts.hashes[facts.counts > 1].tolist())
