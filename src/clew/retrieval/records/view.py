"""What the records of a kind state, as the columns of a table.

Shapes: n records, e different things that a column holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from clew.graph import Graph
from clew.graph.kinds import ALL_UP_TO
from clew.graph.subgraph import Ints
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.execute import ExecutionLimits, Executor
from clew.query.keys import steps_of
from clew.query.meanings import is_price, spelled_out
from clew.query.values import unit_of
from clew.query.vocabulary import head_of, stem
from clew.query.wordnet import is_place, is_word, people_of
from clew.retrieval.lexicon import Lexicon, kinds_of
from clew.retrieval.words import FUNCTION

Role = Literal["number", "date", "truth", "person", "name", "text"]
COLUMNS = 60  # of one kind of records
SEVERAL = 1.2  # values of a record in the mean from which it states several
KINDS = 12  # of a graph that are looked at, the largest first
LEAST = 3  # records of a kind
LOOKED_AT = 60  # records whose names are looked at
CODED = 0.95  # share of them whose names say nothing
WORDY = 4.0  # words of a text that is no name, in the mean
NAMELIKE = 0.55  # share of words in no dictionary from which texts are people's names
LIKELY = 0.15  # by how much less like people's names they may be where no other column is of people
CALLED = 0.1  # what the name of a column adds to that share, where it is one of people
FEW_STATES = 12  # values of a column that says how things stand
TITLE = 0.5  # different things among so many records from which a column says what a record is about
MOSTLY = 0.9  # share of the records that state what they are about
SHOWN = 6  # values of a column that an encoder is shown
TRUE, FALSE = frozenset(["true", "yes", "y", "t"]), frozenset(["false", "no", "n", "f"])
CODES = frozenset(["no", "number", "nr", "id", "code", "tel", "phone", "telephone", "mobile", "postcode", "zip"])
NUMBER_OF = frozenset(["no", "nr", "number", "count", "qty", "quantity", "how many", "amount", "n"])
APART = 0.7  # different values, of those there are, from which numbers tell things apart
ENTRIES = 20_000  # different things of a column that are sought in a question
WORD = re.compile(r"[^\W_]+(?:['’](?!s\b)[^\W_]+)*")
_CODE = re.compile(r"(?=.*\d)[\w./:#-]+")


@dataclass(frozen=True, eq=False)
class ViewColumn:
    """What records state by a relation."""

    step: p.Step
    label: str  # what it is called, in words
    said: frozenset[str]  # stems of the words that name it: the relation's, and the kind's of what it leads to
    role: Role
    ends: Ints  # (e,) ascending
    labels: tuple[str, ...]  # (e,) of no more than ENTRIES
    money: bool = False
    unit: str = ""
    clock: bool = False  # dates that are times of the day
    several: bool = False  # of one record
    counts: bool = True  # numbers that add up, and no codes
    stated: int = 0  # records that state it
    number_of: bool = False  # how many of what a record is about there are
    people: float = 0.0  # how much it looks as if it held people's names

    @cached_property
    def proper(self) -> float:
        """The share of the things that bear a name of their own: of several capitals, or a word in no dictionary."""
        some = [WORD.findall(label) for label in self.labels[:LOOKED_AT]]
        own = sum(sum(word[:1].isupper() for word in each) > 1 or not all(map(is_word, each)) for each in some)
        return float(own) / max(len(some), 1)

    @property
    def shown(self) -> str:
        """The column as an encoder reads it."""
        return f"{self.label}: {', '.join(sorted(set(self.labels), key=len)[:SHOWN])}"


@dataclass(eq=False)
class RecordView:
    """The records of a kind and their columns."""

    graph: Graph
    kind: p.Class
    name: str  # of the kind, in words
    members: Ints  # (n,)
    columns: list[ViewColumn] = field(default_factory=list)
    _owners: dict[ViewColumn, ViewColumn | None] = field(default_factory=dict)

    @cached_property
    def title(self) -> ViewColumn | None:
        """What most tells the records apart for people, where nearly all state it."""
        names = [each for each in self.columns if each.role == "name" and not each.several and self.tells(each)]
        best = max(names, key=lambda each: len(each.ends), default=None)
        return best if best is not None and len(best.ends) >= TITLE * len(self.members) else None

    @cached_property
    def words(self) -> dict[str, list[tuple[int, int]]]:
        """Where a word stands, by its stem: the columns and the places of their things."""
        found: dict[str, list[tuple[int, int]]] = {}
        for at, each in enumerate(self.columns):
            if each.role in ("number", "date", "truth"):
                continue
            for place, label in enumerate(each.labels):
                for word in set(words_in(label)):
                    found.setdefault(word, []).append((at, place))
        return found

    @cached_property
    def states(self) -> dict[str, list[tuple[int, int]]]:
        """The participles that are all of a value in columns of few values, such as Refused, and where they stand."""
        found: dict[str, list[tuple[int, int]]] = {}
        for at, each in enumerate(self.columns):
            for place, label in (
                enumerate(each.labels) if each.role == "name" and len(each.labels) <= FEW_STATES else ()
            ):
                if label.isalpha() and label.lower().endswith(("ed", "n")):
                    found.setdefault(stem(label.lower()), []).append((at, place))
        return found

    def owner_of(self, column: ViewColumn) -> ViewColumn | None:
        """The column of the things that another says the type of, or where they are: of each thing there it states one,
        and there are more of them. A donor has one type of donor, and one town."""
        if column not in self._owners:
            found = [] if column.several else [each for each in self.columns if self._owns(each, column)]
            self._owners[column] = max(
                found, key=lambda each: (bool(each.said & column.said), len(each.ends)), default=None
            )
        return self._owners[column]

    def _owns(self, things: ViewColumn, column: ViewColumn) -> bool:
        """Whether a column holds what another says one thing of; a donor type is a donor's."""
        if things is column or things.role not in ("name", "person") or things.several or not self.tells(things):
            return False
        shared = bool(things.said & column.said)
        if len(things.ends) <= len(column.ends) or (len(things.ends) > TITLE * len(self.members) and not shared):
            return False
        seen = self.stated_with(things, column)
        return len(seen) > len(column.ends) and all(len(each) == 1 for each in seen.values())

    def tells(self, column: ViewColumn) -> bool:
        """Whether nearly all records state it."""
        return column.stated >= MOSTLY * len(self.members)

    def stated_with(self, column: ViewColumn, other: ViewColumn) -> dict[int, set[int]]:
        """What the records of each thing in a column state in another; a record counts for one thing."""
        executor = executor_of(self.graph)
        owners, ends = executor.pairs(self.members, (column.step,))
        of = dict(zip(owners.tolist(), ends.tolist(), strict=True))
        owners, values = executor.pairs(self.members, (other.step,))
        seen: dict[int, set[int]] = {}
        for owner, value in zip(owners.tolist(), values.tolist(), strict=True):
            if owner in of:
                seen.setdefault(of[owner], set()).add(value)
        return seen

    def leads_on(self, column: ViewColumn) -> bool:
        """Whether more is known of what a column holds."""
        side, kinds = self.graph.whole.out, Binding.of(self.graph).kind_relations
        low, high = side.offsets[column.ends], side.offsets[column.ends + 1]
        return any(
            not np.isin(side.relations[a:b], kinds).all()
            for a, b in zip(low.tolist(), high.tolist(), strict=True)
            if a < b
        )

    def is_named(self, text: str) -> bool:
        """Whether a text is the name of one of the records: then that is asked about."""
        return any(np.isin(number, self.members) for e in self.graph.resolve(text)
                   if (number := self.graph.number_of(e.id)) is not None)  # fmt: skip

    def vectors(self, encoder: TextEncoder) -> object:
        """(columns, width): the columns with some of what they hold."""
        key = ("records.vectors", self.kind.id, encoder.name)
        return self.graph.derived(key, lambda: encoder.encode([each.shown for each in self.columns]))


def executor_of(graph: Graph) -> Executor:
    """What executes plans over records; views hold none, since several threads ask them."""
    return Executor(graph, ExecutionLimits(pairs=2_000_000))


def words_in(text: str) -> list[str]:
    """The stems of the words of a text, apart from possessive endings."""
    return [stem(match.group(0).lower()) for match in WORD.finditer(re.sub(r"['’]s\b", "", text))]


def views_of(graph: Graph) -> list[RecordView]:
    """The kinds of records in a graph, those that say most first; none in one too large to be looked through."""

    def made() -> list[RecordView]:
        lexicon = Lexicon.of(graph)
        if graph.num_triples > ALL_UP_TO or not lexicon.types or len(lexicon.class_ids) > 10 * KINDS:
            return []
        executor = executor_of(graph)
        kinds = []
        for id, name in lexicon.class_ids.items():
            members = executor.found(p.Class(id))
            if len(members) >= LEAST and _are_records(graph, members, name):
                kinds.append((len(members), id, name, members))
        kinds.sort(key=lambda each: (-each[0], each[1]))
        views = []
        for _, id, name, members in kinds[:KINDS]:
            view = RecordView(graph, p.Class(id), name, members)
            view.columns = _with_people(list(_columns(view, executor)))
            if len(view.columns) > 1 and not any(map(view.leads_on, view.columns)):
                views.append(view)
        return views

    return graph.derived("records.views", made)


def _are_records(graph: Graph, members: Ints, name: str) -> bool:
    """Whether nearly all things of a kind have no name of their own: nameless, or called by the kind or a code."""
    some = members[np.linspace(0, len(members) - 1, min(len(members), LOOKED_AT)).astype(np.int64)]
    nameless = graph.mediators_at(some)
    labels = graph.labels_at(some)
    kind = name.lower()
    saying_nothing = sum(
        bool(none) or label.lower().startswith(f"{kind} ") or _CODE.fullmatch(label) is not None
        for none, label in zip(nameless, labels, strict=True)
    )
    return saying_nothing >= CODED * len(some)


def _columns(view: RecordView, executor: Executor) -> Iterator[ViewColumn]:
    """What the records of a kind state."""
    graph, lexicon = view.graph, Lexicon.of(view.graph)
    binding = Binding.of(graph)
    own, kinds = binding.entities((view.kind.id,)), set(binding.kind_relations)
    for step, _ in steps_of(graph, view.members, backward=False)[:COLUMNS]:
        number = binding.relation(step.relation)
        owners, reached = executor.pairs(view.members, (step,))
        ends = np.unique(reached)
        if not len(ends) or len(ends) > ENTRIES or (number in kinds and np.isin(own, ends).any()):
            continue  # what kind of thing it is; a category of its own says more
        literal = bool(graph.literals_at(ends).all())
        stated = len(np.unique(owners))
        several = len(owners) > SEVERAL * stated
        made = _column(graph, lexicon, step, ends, number, literal=literal, several=several)
        yield replace(made, stated=stated)


def _column(
    graph: Graph, lexicon: Lexicon, step: p.Step, ends: Ints, relation: int, *, literal: bool, several: bool
) -> ViewColumn:
    name = spelled_out(lexicon.labels.get(step.relation) or graph.relation_at(relation).label.rsplit(".", 1)[-1])
    kinds = [] if literal else sorted(kinds_of(graph, graph.ids_at(ends[:LOOKED_AT])))
    labels = tuple(graph.labels_at(ends))
    values = column(graph, relation)
    said = {word for word in words_in(name) if word not in FUNCTION}
    said |= {word for kind in kinds[:2] for word in words_in(kind) if word not in FUNCTION}
    unit = values.unit or values.stated or _unit_in(graph.relation_at(relation).label)
    known = unit_of(unit) if unit else None
    role: Role = "name"
    if len(labels) <= 2 and {label.casefold() for label in labels} <= TRUE | FALSE:
        role = "truth"
    elif values.ordered and values.kind == "date":
        role = "date"
    elif values.ordered and values.kind == "number":
        role = "number"
    elif sum(len(words_in(label)) for label in labels) > WORDY * len(labels):
        role = "text"
    money = role == "number" and (is_price(name) or (known is not None and known.dimension == "money"))
    people = _people(name, kinds, labels) if role == "name" else 0.0
    role = "person" if people >= NAMELIKE else role
    own = graph.relation_at(relation).label.lower().strip(" .#")
    several_alike = role == "number" and len(ends) < APART * int(np.count_nonzero(graph.whole.rels == relation))
    number_of = own in NUMBER_OF and several_alike  # "No." of birds, and no number of each sighting
    counts = number_of or CODES.isdisjoint(words_in(name))
    said |= {"number", "count"} if number_of else set()
    return ViewColumn(
        step, name, frozenset(said), role, ends, labels, money, unit, values.precision == "clock", several, counts,
        number_of=number_of, people=people,
    )  # fmt: skip


def _unit_in(label: str) -> str:
    """The unit that a column's whole name is, or that stands behind it in brackets: "Km", "Fuel (l)"."""
    match = re.fullmatch(r"(?:.*[(\[])?(?P<unit>[^()\[\]]+?)[)\]]?", label.strip())
    return match["unit"] if match is not None and unit_of(match["unit"]) is not None else ""


def _with_people(columns: list[ViewColumn]) -> list[ViewColumn]:
    """The columns; where none is of people, those are that are called so and hold some: the donors of a charity, among
    them firms."""
    if any(each.role == "person" for each in columns):
        return columns
    return [
        replace(each, role="person")
        if each.role == "name" and each.people >= NAMELIKE - LIKELY and _called(each.label)
        else each
        for each in columns
    ]


def _called(name: str) -> bool:
    """Whether a column is called by a word for people: a driver is an agent in one sense and a worker in the next."""
    return bool(people_of({"": head_of(re.sub(r" names?$", "", name)).lower()}, senses=2))


def _people(name: str, kinds: list[str], labels: tuple[str, ...]) -> float:
    """How much a column looks as if it held people: its name or its kind says so, and it holds names that no dictionary
    has."""
    labels = tuple(part for label in labels for part in re.split(r" [/&] ", label))
    words = [word for label in labels[:LOOKED_AT] for word in WORD.findall(label)]
    named = all(label[:1].isupper() and len(label.split()) <= 4 for label in labels[:LOOKED_AT])
    unknown = sum(word.isalpha() and not word.isupper() and not is_word(word) for word in words)
    if not named or not words:
        return 0.0
    share, head = float(unknown) / len(words), head_of(name).lower()
    if any(map(is_place, kinds or [head])):
        return 0.0  # a ward is a place before it is somebody's
    if not kinds and _called(name) and all(label.isalpha() for label in labels[:LOOKED_AT]):
        return max(share + CALLED, NAMELIKE)  # mechanics called Dan and Sally
    if people_of({kind: kind for kind in kinds}) if kinds else _called(name):
        return share + CALLED
    by, known = name.lower().endswith(" by"), is_word(head.split()[-1])  # a station is nobody, whatever it is called
    return share if by or not (kinds or known or head in FUNCTION) else 0.0
