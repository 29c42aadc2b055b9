"""Kinds whose things are events between others, as rows of a business are: a loan of a copy to a member, an assignment
of somebody to a project. What a question says by a verb ("borrowed", "assigned") such a kind is called by.

Kept apart from `lexicon`, which knows the names of kinds and relations, and nothing of how kinds hang together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from clew.graph import Graph
from clew.graph.kinds import ALL_UP_TO
from clew.graph.labelling import opaque
from clew.graph.nouns import KEY_ENDS
from clew.graph.sets import held
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.edges import edge_relations
from clew.query.execute import ExecutionLimits, Executor
from clew.query.keys import Keys, by_words, steps_of
from clew.query.meanings import is_price, spelled_out
from clew.query.vocabulary import PAST, akin, forms, stem
from clew.query.wordnet import people_of
from clew.retrieval.lexicon import Lexicon, stems
from clew.retrieval.words import FUNCTION

AGAIN = 1.4  # times that a value comes which things are put together by
FEW = 3  # things of which each may be a group
MOSTLY = 0.7  # share of the things that must be in a group
WORDS = 2  # in the mean, of a text that says what something is
SOME = 5  # things of a kind whose names tell whether they are codes
KINDS = 60  # kinds of a graph that are looked at
LOOKED_AT = 2000  # things of a kind that tell where its links lead
EDGES = "edges "  # before the id of a relation whose edges are a kind
DUE = frozenset("due promised deadline planned scheduled expected target required agreed".split())  # noqa: SIM905
"""What dates are called at which something is to be done."""
TOTALS = frozenset(["total", "amount", "sum", "value", "gross"])
"""What a figure is called that is all that something comes to."""
_NETS = frozenset(["net", "nett", "revenue", "turnover", "takings"])  # the same where nothing is called so
SEVERAL = 1.2  # things that lead to one of a kind, in the mean, where it is a part of them
WHOLE = 0.2  # what a name that is said in full has before one of which a word is said
STEPS = 3  # links that lead from an event to whom it is of
OF_KIND = 0.9  # share of what a link leads to that is of one kind
_BUYERS = frozenset("customer client member buyer tenant patient guest donor owner student pupil".split())  # noqa: SIM905
_BODIES = frozenset(["staff", "crew", "personnel", "workforce", "people", "cast", "team member", "contact", "user"])
"""What a table of people is called where its name is no noun for one of them."""
_ACTS = """
borrow: loan lending checkout
lend: loan lending
take: loan exam lesson
rent: tenancy rental lease hire
let: tenancy lease
hire: rental hire booking
buy: order sale purchase
purchase: order sale
sell: sale order
book: booking reservation appointment
reserve: reservation booking
assign: assignment
work: assignment shift job
visit: visit appointment
install: installation
attend: attendance enrolment registration booking
enrol: enrolment
enroll: enrollment
play: session game match
repair: repair job
fix: repair job
donate: donation gift
give: donation gift
drive: trip
teach: lesson
plant: sowing planting
sow: sowing
pick: harvest
invoice: invoice bill
bill: invoice bill
report: ticket incident
staff: staffing assignment
treat: treatment visit
"""
_MEANT = {verb: frozenset(nouns.split()) for verb, nouns in (line.split(":") for line in _ACTS.split("\n") if line)}
"""What events are called that a verb says, where the two are not written alike."""


@dataclass(frozen=True, slots=True)
class Link:
    """A step that leads from each thing of a kind to one of another: to the customer of an order, and from a line to
    the order that lists it among others."""

    step: p.Step
    to: str  # the kind's id
    words: tuple[str, ...]  # of its name, those aside that the other kind is called by


@dataclass(frozen=True, slots=True)
class Stated:
    """A number or a date that things of a kind state themselves."""

    step: p.Step
    share: float  # of the things that state it
    kind: Literal["number", "date"]
    label: str  # what it is called, in words

    @property
    def words(self) -> frozenset[str]:
        return frozenset(self.label.split())

    @property
    def money(self) -> bool:
        return is_price(self.label)

    def named_by(self, words: Iterable[str]) -> float:
        """How well the best of some words names it."""
        return max((by_words((word,), [self.label])[0] for word in words), default=0.0)

    def said_by(self, words: Sequence[str]) -> float:
        """The same, better where they say all of its name."""
        whole = all(any(forms(word) & forms(part) for word in words) for part in self.label.split())
        return self.named_by(words) + WHOLE * whole


def is_act(word: str, noun: str) -> bool:
    """Whether a verb says what a kind of events is called by: "borrowed" of loans, "assigned" of assignments."""
    last = noun.lower().split()[-1]
    said = forms(word)
    if said & forms(last) or (akin(word, last) and word != last):
        return True
    return any(last in _MEANT.get(form, ()) or stem(last) in _MEANT.get(form, ()) for form in said)


class Events:
    """How the kinds of one graph hang together."""

    def __init__(self, graph: Graph) -> None:
        self._graph, self._lexicon = graph, Lexicon.of(graph)
        self._executor = Executor(graph, ExecutionLimits(pairs=5_000_000))

    def kinds(self) -> dict[str, str]:
        """The kinds of the graph, ids to names in words, and the relations whose edges state something, which are
        events as well: what a table of two keys and a mark holds."""
        return self._graph.derived(("retrieval.events.kinds",), lambda: self.classes() | self._edges())

    def classes(self) -> dict[str, str]:
        """The kinds of named things; of many those that most things are of."""

        def made() -> dict[str, str]:
            ids = list(self._lexicon.class_ids)
            if len(ids) > KINDS:
                sizes = self._graph.whole.inc.counts(Binding.of(self._graph).entities(tuple(ids)))
                ids = [ids[i] for i in np.argsort(-sizes, kind="stable")[:KINDS].tolist()]
            return {id: self._lexicon.class_ids[id] for id in ids}

        return self._graph.derived(("retrieval.events.classes",), made)

    def _edges(self) -> dict[str, str]:
        if self._graph.num_triples > ALL_UP_TO:
            return {}
        relations = [self._graph.relation_at(number) for number in edge_relations(self._graph)]
        words = {each.id: label_to_text(each.label).lower().split() for each in relations}
        named = {id: [word for word in said if word not in FUNCTION] or said for id, said in words.items()}
        return {EDGES + id: " ".join(said) for id, said in named.items()}

    def by_verb(self, kind: str) -> bool:
        """Whether a kind is of edges that a verb names, as OWNS and VOTED_ON are: of these the relation itself is read,
        and only what they state is asked of them here."""
        last = self.kinds().get(kind, "").split()[-1:]
        return kind.startswith(EDGES) and any(w in PAST or w.endswith("ed") or stem(w) != w for w in last)

    def kinds_of(self, things: Ints, share: float = 1.0) -> list[str]:
        """The kinds that so many of some things are of, those of fewest things first."""
        found: dict[str, float] = {}
        some = sampled(things)
        for relation in sorted(self._lexicon.types):
            _, classes = self._executor.pairs(some, (p.Step(self._graph.relation_at(relation).id),))
            nodes, counts = np.unique(classes, return_counts=True)
            for id, count in zip(self._graph.ids_at(nodes), counts.tolist(), strict=True):
                found[id] = max(found.get(id, 0.0), count / max(len(some), 1))
        known = [id for id in self.kinds() if found.get(id, 0.0) >= share]
        return sorted(known, key=lambda id: len(self.members(id)))

    def members(self, kind: str) -> Ints:
        return self._executor.members(self.all(kind))

    def all(self, kind: str) -> p.SetPlan:
        """The set of all things of a kind."""
        return p.EdgesOf(kind.removeprefix(EDGES)) if kind.startswith(EDGES) else p.Class(kind)

    def labels(self, members: Ints) -> list[str]:
        return self._graph.labels_at(members)

    def links(self, kind: str) -> list[Link]:
        """Where each thing of a kind leads to one of another kind; nowhere for a kind within a kind."""
        if kind not in self.kinds():
            return []
        return self._graph.derived(("retrieval.events", kind), lambda: list(self._links(kind)))

    def _links(self, kind: str) -> Iterator[Link]:
        members, binding = sampled(self.members(kind)), Binding.of(self._graph)
        for step, share in steps_of(self._graph, members):
            if binding.relation(step.relation) in self._lexicon.types or not (step.forward or share >= OF_KIND):
                continue
            owners, ends = self._executor.pairs(members, (step,))
            if not len(ends) or self._graph.literals_at(ends).any() or len(np.unique(owners)) < len(owners):
                continue
            different, own = np.unique(ends), {stem(word) for word in stems(self.kinds()[kind])}
            label = self._lexicon.words_of(step.relation)
            parts = all(tells(word, own) for word in label)
            if not step.forward and len(ends) < (1 if parts else SEVERAL) * len(different):
                continue
            kinds = self.kinds_of(different) or self.kinds_of(different, OF_KIND)
            called = [id for id in kinds if stem(self.kinds()[id].lower().split()[-1]) in map(stem, label)]
            for least in (called or kinds)[:1]:  # of "member" the members, though all of them have a certificate
                if least == kind and not step.forward:
                    continue
                whole = set() if step.forward and not kind.startswith(EDGES) else own
                names = {stem(word) for word in stems(self.kinds()[least])} | whole
                said = tuple(word for word in label if not tells(word, names))
                yield Link(step, least, said)

    def stated(self, kind: str, of: Literal["number", "date"], share: float = 0.0) -> list[Stated]:
        """The numbers or the dates that so many things of a kind state, in the order of their columns; times of the
        day are neither."""

        def made() -> list[Stated]:
            keys, binding, found = Keys(self._graph), Binding.of(self._graph), list[Stated]()
            for step, having in steps_of(self._graph, self.members(kind), backward=False):
                values = column(self._graph, binding.relation(step.relation))
                if values.ordered and values.kind != "text" and values.precision != "clock":
                    found.append(Stated(step, having, values.kind, spelled_out(keys.label(step)).lower()))
            return found

        known: list[Stated] = self._graph.derived(("retrieval.events.stated", kind), made)
        return [each for each in known if each.kind == of and each.share >= share]

    def only(self, kind: str, to: str) -> bool:
        """Whether things of a kind lead to those of another by one relation alone, however many there are of it."""

        def made() -> bool:
            some, others = sampled(self.members(kind)), self.members(to)
            steps = [step for step, _ in steps_of(self._graph, some, backward=False)]
            return sum(bool(held(self._executor.pairs(some, (step,))[1], others).any()) for step in steps) < 2

        return self._graph.derived(("retrieval.events.only", kind, to), made)

    def coded(self, kind: str) -> bool:
        """Whether things of a kind go by codes that say nothing."""

        def made() -> bool:
            labels = self.labels(self.members(kind)[:SOME])
            noun = stem(self.kinds()[kind])
            return all(map(opaque, labels)) or all(noun in label.lower() for label in labels)

        return self._graph.derived(("retrieval.events.coded", kind), made)

    def middle(self, kind: str, step: p.Step) -> float:
        """The median of a number or a date that things of a kind state."""

        def made() -> float:
            values = column(self._graph, Binding.of(self._graph).relation(step.relation))
            known, low, _ = values.of(self._executor.pairs(self.members(kind), (step,))[1])
            return float(np.median(low[known])) if known.any() else 0.0

        return self._graph.derived(("retrieval.events.middle", kind, step), made)

    def before(self, kind: str, one: p.Step, other: p.Step) -> bool:
        """Whether the first of two dates is mostly the earlier one, of the things of a kind that state both."""

        def made() -> bool:
            days = []
            for step in (one, other):
                owners, ends = self._executor.pairs(self.members(kind), (step,))
                known, low, _ = column(self._graph, Binding.of(self._graph).relation(step.relation)).of(ends)
                days.append(dict(zip(owners[known].tolist(), low[known].tolist(), strict=True)))
            both = days[0].keys() & days[1].keys()
            return len(both) > 0 and 2 * sum(days[0][each] <= days[1][each] for each in both) > len(both)

        return self._graph.derived(("retrieval.events.before", kind, one, other), made)

    def categories(self, kind: str) -> list[tuple[p.Step, list[str]]]:
        """The columns of texts by which things of a kind fall into groups, each with the words of its name."""

        def made() -> list[tuple[p.Step, list[str]]]:
            keys, found = Keys(self._graph), list[tuple[p.Step, list[str]]]()
            members = sampled(self.members(kind))
            for step, share in steps_of(self._graph, members, backward=False):
                ends = self._executor.pairs(members, (step,))[1]
                values, few = column(self._graph, Binding.of(self._graph).relation(step.relation)), len(np.unique(ends))
                again = len(members) >= AGAIN * few or len(members) <= FEW
                label = spelled_out(keys.label(step)).lower().split()
                texts = not values.ordered and label[-1] not in KEY_ENDS and bool(self._graph.literals_at(ends).any())
                if share >= MOSTLY and few > 1 and again and texts:
                    found.append((step, label))
            return found

        return self._graph.derived(("retrieval.events.categories", kind), made)

    def values(self, kind: str, most: int) -> list[tuple[p.Step, list[tuple[str, str]]]]:
        """The columns by which things of a kind fall into a few groups, each with the ids and texts of its values."""

        def made() -> list[tuple[p.Step, list[tuple[str, str]]]]:
            keys, found = Keys(self._graph), list[tuple[p.Step, list[tuple[str, str]]]]()
            for step, _ in self.categories(kind):
                ends = np.unique(keys.ends(self.members(kind), (step,)))
                if 1 < len(ends) <= most:
                    texts = zip(self._graph.ids_at(ends), self._graph.labels_at(ends), strict=True)
                    found.append((step, list(texts)))
            return found

        return self._graph.derived(("retrieval.events.values", kind, most), made)

    def texts(self, kind: str, share: float) -> list[tuple[p.Step, list[str]]]:
        """The texts that so many things of a kind state, each with the words of its name."""

        def made() -> list[tuple[p.Step, list[str]]]:
            keys, found, some = Keys(self._graph), list[tuple[p.Step, list[str]]](), sampled(self.members(kind))
            for step, having in steps_of(self._graph, some, backward=False):
                values = column(self._graph, Binding.of(self._graph).relation(step.relation))
                text = not values.ordered or values.kind == "text"
                if having >= share and text and self._graph.literals_at(keys.ends(some, (step,))).any():
                    found.append((step, spelled_out(keys.label(step)).lower().split()))
            return found

        return self._graph.derived(("retrieval.events.texts", kind, share), made)

    def several(self, kind: str, to: str) -> list[p.Path]:
        """The steps by which things of a kind lead to several of another: the crew of a call-out."""

        def made() -> list[p.Path]:
            some, others, found = sampled(self.members(kind)), self.members(to), list[p.Path]()
            for step, _ in steps_of(self._graph, some):
                owners, ends = self._executor.pairs(some, (step,))
                if len(ends) and len(np.unique(owners)) < len(owners) and held(ends, others).mean() >= OF_KIND:
                    found.append((step,))
            return found

        return self._graph.derived(("retrieval.events.several", kind, to), made)

    def partly(self, kind: str) -> list[tuple[p.Step, list[str]]]:
        """The columns in which some things of a kind state something and others nothing, each with the words of its
        name."""

        def made() -> list[tuple[p.Step, list[str]]]:
            keys, members, found = Keys(self._graph), self.members(kind), list[tuple[p.Step, list[str]]]()
            for step, share in steps_of(self._graph, members, backward=False):
                if 0 < share < 1:
                    found.append((step, spelled_out(keys.label(step)).lower().split()))
            return found

        return self._graph.derived(("retrieval.events.partly", kind), made)

    def telling(self, kind: str, step: p.Step) -> bool:
        """Whether a text says of each thing of a kind what it is: of several words, and hardly one twice."""

        def made() -> bool:
            ends = Keys(self._graph).ends(sampled(self.members(kind)), (step,))
            texts = self.labels(np.unique(ends))
            words = sum(len(text.split()) for text in texts) / max(len(texts), 1)
            return len(texts) * AGAIN > len(ends) > SOME and words >= WORDS

        return self._graph.derived(("retrieval.events.telling", kind, step), made)

    def within(self, kind: str) -> bool:
        """Whether a kind is a part of another one: the mountain bikes among the bikes."""

        def made() -> bool:
            mine, some = self.members(kind), sampled(self.members(kind))
            larger = (self.members(other) for other in self.kinds() if other != kind)
            return any(len(each) > len(mine) and bool(held(some, each).all()) for each in larger)

        return self._graph.derived(("retrieval.events.within", kind), made)

    def labels_of(self, kind: str) -> list[str]:
        """What the properties of a kind are called, in words."""
        steps = steps_of(self._graph, self.members(kind), backward=False)
        return [spelled_out(Keys(self._graph).label(step)).lower() for step, _ in steps]

    def amount(self, kind: str, share: float) -> p.Step | None:
        """The amount that so many things of a kind state: what is called a total or a value, else the only one that is
        of money; None where that is not told."""
        figures = self.stated(kind, "number", share)
        called, nets = ([each.step for each in figures if each.words & words] for words in (TOTALS, _NETS))
        paid = [each.step for each in figures if each.money]
        return next((found[0] for found in (called, paid, nets) if len(found) == 1), None)

    def whose(self, event: str) -> str:
        """The people whose events some are, who buy, where there are several kinds; "" where that is not told."""

        def made() -> str:
            kinds = self.kinds()
            people = [id for id in self.people() if id != event and self.ways(event, id)]
            buyers = [id for id in people if kinds[id].lower().split()[-1] in _BUYERS]
            found = people if len(people) == 1 else buyers
            return found[0] if len(found) == 1 else ""

        return self._graph.derived(("retrieval.events.whose", event), made)

    def steps(self, kind: str) -> list[p.Step]:
        """The steps that things of a kind have, from themselves."""

        def made() -> list[p.Step]:
            return [step for step, _ in steps_of(self._graph, sampled(self.members(kind)), backward=False)]

        return self._graph.derived(("retrieval.events.steps", kind), made)

    def people(self) -> list[str]:
        """The kinds that are of people: by the first sense of their names, else by any of three."""

        def made() -> list[str]:
            kinds = {id: re.split(r" (?:&|and) ", noun)[0] for id, noun in self.classes().items()}  # parents & carers
            found = people_of(kinds) or people_of(kinds, senses=3)
            bodies = [id for id, noun in kinds.items() if noun.lower().split()[-1] in _BODIES]
            every = [id for id in kinds if id in found or id in bodies]
            # A volunteer who goes by a number and is a member is what a member did.
            return [id for id in every if not (self.coded(id) and any(link.to in every for link in self.links(id)))]

        return self._graph.derived(("retrieval.events.people",), made)

    def kind_at(self, event: str, path: p.Path) -> str | None:
        """The kind that a path of links leads to from things of a kind."""
        for step in path:
            event = next((link.to for link in self.links(event) if link.step == step), "")
        return event or None

    def touches(self, event: str, members: Ints) -> bool:
        """Whether any step leads straight from things of a kind to some of a set."""
        mine = sampled(self.members(event))
        return any(bool(held(self._executor.pairs(mine, (step,))[1], members).any()) for step in self.steps(event))

    def acted(self, words: Iterable[str], but: str = "") -> list[str]:
        """The kinds of events that verbs among some words say."""
        said, people = list(words), {but, *self.people()}  # whoever played is no player of the question
        kinds = self.kinds().items()
        events = [(id, noun) for id, noun in kinds if id not in people and not self.by_verb(id)]
        return [id for id, noun in events if any(is_act(word, noun) for word in said)]

    def _plain(self, kind: str, link: Link) -> bool:
        """Whether a link says no more than that it is the only one to things of its kind: the "booking" of an extra is
        the stay; but whoever leads a project is one of those who work on it."""
        event = link.step.forward and link.to not in self.people() and self.coded(kind)
        return event and sum(each.to == link.to for each in self.links(kind)) == 1

    def ways(self, event: str, kind: str, said: Sequence[str] = ()) -> list[p.Path]:
        """The shortest paths of one to three steps from things of a kind of events to those of another whose names say
        nothing that is not `said`: who leads a project is not who works on it."""
        if not said:
            return self._graph.derived(("retrieval.events.ways", event, kind), lambda: self._ways(event, kind, set()))
        return self._ways(event, kind, {form for word in said for form in forms(word)})

    def _ways(self, event: str, kind: str, mine: set[str]) -> list[p.Path]:
        ways: list[tuple[p.Path, str, frozenset[str]]] = [((), event, frozenset([event]))]
        for _ in range(STEPS):
            further = [
                ((*path, link.step), link.to, met | {link.to})
                for path, at, met in ways
                for link in self.links(at)
                if link.to not in met and (all(forms(word) & mine for word in link.words) or self._plain(at, link))
            ]
            if found := [path for path, to, _ in further if to == kind]:
                return found
            ways = further
        return []


def tells(word: str, names: Iterable[str]) -> bool:
    """Whether a word of a link's name says what it leads to and nothing else: "emp" of employees."""
    shortens = any(len(word) > 2 and name.startswith(word) for name in names)
    return word in FUNCTION or stem(word) in names or shortens or any(akin(word, name) for name in names)


def sampled(things: Ints) -> Ints:
    """Some of many things, evenly."""
    if len(things) <= LOOKED_AT:
        return things
    return things[np.linspace(0, len(things) - 1, LOOKED_AT).astype(np.int64)]
