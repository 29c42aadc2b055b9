"""Which keys of plain JSON hold the ids of other objects: decided for all objects of a list together.

Kept apart from `plain_json`, where objects become things one by one. A service numbers each of its lists from one, so
that a number says nothing by itself: `team_id` leads to teams by its name, `requester_id` to people by its meaning and
because all of its values are there. The lists are taken as tables, and the rule is that of tables (`foreign_keys`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from clew.graph.arrow import text_array
from clew.graph.columns import ColumnFacts, TableFile
from clew.graph.foreign_keys import NAMED_SO, Reference, find_references, shown_share
from clew.graph.nouns import noun_of, relation_words, said_by
from clew.graph.relational import RelationalTable

LONGEST = 200  # letters of a value that may be an id
MOSTLY = 0.9  # share of numbers that must be those of things
MOST_TOLD = 40  # lines
_UNNAMED = "thing"  # what has no kind
_NUMBER = "number"
_BY_NUMBER = "#"  # behind the name of a list whose things are referred to by their numbers


class Identified(Protocol):
    """What is asked of a thing."""

    id: str
    name: str
    key: str  # its id as the document states it, "" without one
    kind: str
    group: str  # what the key that leads to its list says
    said: dict[str, list[Any]]


class ReferenceColumns:
    """What the keys of each list refer to."""

    def __init__(self, things: Iterable[Identified]) -> None:
        self.told: list[str] = []
        self._found: dict[tuple[str, str], tuple[str, str]] = {}  # by list and key: the list meant, the relation
        self._ids: dict[str, dict[str, str]] = {}  # by list (or kind), and by id as it is stated
        every = list(things)
        self._split = _split(every)
        held: dict[str, list[Identified]] = {}
        for thing in every:
            held.setdefault(self._list(thing), []).append(thing)
        self._add_ids(held)
        stated = {key for ids in self._ids.values() for key in ids}
        columns = {name: _columns(mine, stated) for name, mine in held.items()}
        for name, mine in held.items():
            columns[name] |= self._by_number(name, mine, held)
        if not any(columns.values()):
            return
        self._decide(held, columns)
        kinds: dict[str, list[Identified]] = {}  # parts of a list, by what its objects state
        for thing in every:
            if thing.kind and thing.kind not in held:
                kinds.setdefault(thing.kind, []).append(thing)
        left = {name: {key: values for key, values in mine.items() if (name, key) not in self._found}
                for name, mine in columns.items()}  # fmt: skip
        if kinds and any(left.values()):
            self._add_ids(kinds)
            self._decide({**held, **kinds}, left)
        self._tell(held, columns)

    def meant(self, thing: Identified, key: str, value: Any) -> tuple[str, str] | None:
        """The id of the thing that a value refers to, "" where it is none, and the relation; None for other keys."""
        found = self._found.get((self._list(thing), key))
        return None if found is None else (self._ids[found[0]].get(str(value).strip(), ""), found[1])

    def _list(self, thing: Identified) -> str:
        group = thing.group or thing.kind or _UNNAMED
        return thing.kind if group in self._split else group

    def _add_ids(self, held: Mapping[str, Iterable[Identified]]) -> None:
        for name, things in held.items():
            ids = self._ids.setdefault(name, {})
            for thing in things:
                if thing.key:
                    ids.setdefault(thing.key, thing.id)

    def _decide(self, held: Mapping[str, list[Identified]], columns: Mapping[str, dict[str, list[str]]]) -> None:
        tables = [_table(name, things, self._ids[name], columns.get(name, {})) for name, things in held.items()]
        for i, table in enumerate(tables):
            if len(table.facts) < 2:
                continue
            find_references(i, tables, {}, {})
            for each in table.references:
                self._note(table, each, tables)
            self.told += [f"{table.name}.{line.partition(', say which')[0]}" for line in table.told
                          if "named like a key" not in line]  # fmt: skip

    def _by_number(
        self, name: str, things: list[Identified], held: Mapping[str, list[Identified]]
    ) -> dict[str, list[str]]:
        """The keys of a list that hold the numbers by which things of another list go beside their ids: `pull_number`
        and `closes_issues` of what has a `number`."""
        found: dict[str, list[str]] = {}
        for key in dict.fromkeys(key for thing in things for key in thing.said):
            values = [str(value) for thing in things for value in thing.said.get(key, ()) if type(value) is int]
            if not values or (name, key) in self._found or key == _NUMBER:
                continue
            words = said_by(key)
            for other, some in held.items():
                last = words.stem[-1:] if words.end or words.words[-1] == _NUMBER else words.words[-1:]
                if not last or noun_of(last[0])[-1] != noun_of(other)[-1]:
                    continue
                numbers = {str(number): thing.id for thing in some for number in thing.said.get(_NUMBER, ())}
                if len(numbers) == len(some) and sum(value in numbers for value in values) >= MOSTLY * len(values):
                    self._ids[other + _BY_NUMBER] = numbers
                    relation = relation_words(words, noun_of(other)) if words.end else key
                    self._found[name, key] = other + _BY_NUMBER, relation
                    found[key] = values
        return found

    def _note(self, table: RelationalTable, found: Reference, tables: list[RelationalTable]) -> None:
        self._found.setdefault(
            (table.name, table.facts[found.columns[0]].name), (tables[found.target].name, found.relation)
        )

    def _tell(self, held: Mapping[str, list[Identified]], columns: Mapping[str, dict[str, list[str]]]) -> None:
        """A line for each list whose keys refer to others, one for each of these keys, and what is in doubt."""
        decided = {f"{name}.{key}" for name, key in self._found}
        doubts = [line for line in dict.fromkeys(self.told) if line.partition(":")[0] not in decided]
        lines: list[str] = []
        for name, things in held.items():
            mine = {key: target for (at, key), (target, _) in self._found.items() if at == name}
            lines += [f"{len(things):,} × {name!r}"] * bool(mine)
            for key, target in mine.items():
                values = set(columns[name][key])
                share = len(values & self._ids[target].keys()) / len(values)
                told = f", {shown_share(share)} of its values" if share < 1 else ""
                lines.append(f"  {key} → {target.removesuffix(_BY_NUMBER)}{told}")
        more = len(lines) - MOST_TOLD
        self.told = [*lines[:MOST_TOLD], *([f"  … and {more:,} more"] if more > 0 else []), *doubts[:MOST_TOLD]]


def _split(things: Iterable[Identified]) -> set[str]:
    """Lists in which two objects of different kinds have the same id: each kind counts for itself there."""
    met: dict[tuple[str, str], Identified] = {}
    found = set()
    for thing in things:
        if thing.key and thing.group:
            other = met.setdefault((thing.group, thing.key), thing)
            if other.id != thing.id and other.kind != thing.kind and other.name != thing.name:
                found.add(thing.group)
    return found


def _columns(things: Iterable[Identified], stated: set[str]) -> dict[str, list[str]]:
    """The values of the keys that may hold ids: whole numbers and short texts, half of which are some object's id."""
    found: dict[str, list[str]] = {}
    other: set[str] = set()
    for thing in things:
        for key, values in thing.said.items():
            if key in other:
                continue
            for value in values:
                if type(value) is int or (isinstance(value, str) and len(value) <= LONGEST):
                    found.setdefault(key, []).append(str(value).strip())
                else:
                    other.add(key)
    return {
        key: values
        for key, values in found.items()
        if key not in other and sum(value in stated for value in values) >= NAMED_SO * len(values)
    }


def _table(name: str, things: list[Identified], ids: Mapping[str, str], columns: Mapping[str, list[str]]) -> Any:
    """A list of objects as a table: its ids, and the columns in question."""
    facts = []
    for key, values in (("id", list(ids)), *columns.items()):
        facts.append(ColumnFacts(key))
        facts[-1].see(text_array(values))
    said = tuple(dict.fromkeys(key for thing in things for key in thing.said))
    table = RelationalTable(TableFile("", "json", name, said), name, noun_of(name), facts)
    table.key = (0,) if ids else ()
    return table
