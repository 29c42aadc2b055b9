"""The names of kinds and relations of one graph, and what other nouns mean among them.

Kept apart from `chunks`, which finds the parts of one question: here nothing is known of a question but single words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np

from clew.graph import Graph
from clew.graph.kinds import ALL_UP_TO, kind_relations, sampled
from clew.graph.paths import follow
from clew.graph.subgraph import Ints, Subgraph
from clew.graph.tables import NEXT, ORDER
from clew.labels import label_to_text
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.execute import execute
from clew.query.vocabulary import SYNONYMS, akin, head_of, stem
from clew.query.wordnet import is_word, kind_of_things, nearest_kind
from clew.retrieval.words import FUNCTION

KINDS = 500  # classes among which a noun is looked for by its meaning
ENDING = 20  # classes that may be meant by the noun in which their names end
NAMED = 200_000  # things whose names are looked through for the nouns in which they end
WORDS = 4  # of a name that ends in a common noun
HEADS = 100_000  # of a relation, that tell what kind of thing has it
TYPED = 0.9  # share of the things that have a relation whose kind is said, from which the commonest is what they are
ALIKE_ONLY = 0.8  # the same in a graph without kinds, where the noun may be a kind that nothing states
ALIKE_DOER = 0.7  # the same of somebody who does something: a "teacher" is no school
ALIKE_KIND = 0.6  # cosine from which a noun means a class or a relation of another name ("towns", city)
NO_KIND = frozenset(
    "kind type sort form name number amount thing part way member percentage share".split()  # noqa: SIM905
)
_LONG = re.compile(r"[^\W\d_]{3}")  # "A" is a category, and no word for a kind
WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*|,")
_NUMBERED = re.compile(r"(?P<letters>[A-Z]{2,})[ _.-]?\d")
_DONE = ("sold", "won", "made", "held", "paid", "spent", "written", "given", "taken", "run", "built")
_AMOUNT = re.compile(
    r"^(?:(?:total |whole )?(?:number|amount|count|quantity) of |(?:n|num|nb|cnt|qty) (?=\w{3}))"
    r"|(?<=\w{3}) (?:count|qty|cnt)$",  # a lot number is no number of lots
    re.IGNORECASE,
)
_NOUN_OF = re.compile(r"(?P<noun>(?!instance|kind|type|sort|one|out|because)[a-z]{3,}(?<!ed)) of")
_DOER = re.compile(r"\w{3,}(?:ian|ist|ians|ists)$")  # names who does something, and never what a relation leads to
_DOES = re.compile(r"\w{3,}(?:[eo]rs?|ians?|ists?)$")  # the same, and other words with these endings
BEGUN_SHARE = 0.9  # of the names of a kind that begin with a word which then names the kind
BEGUN_ALIKE = 50  # things of a kind whose names are looked at
SOME = 3  # things that a relation must lead to, so that it says what they are


class Lexicon:
    """The names of kinds and relations of one graph, by stems."""

    def __init__(self, graph: Graph) -> None:
        kinds = kind_relations(graph)
        self.types = frozenset(kinds.stated)
        order = (graph.relation_number(ORDER), graph.relation_number(NEXT))
        self.table = None not in order  # rows of one table: whatever a question calls them
        self.silent = self.types  # relations that no words ask for
        self.classes: dict[tuple[str, ...], str] = {}
        self.class_ids: dict[str, str] = {}
        self.finer: set[str] = set()  # ids of classes that are kinds within a kind
        for relations in (kinds.stated, kinds.finer):
            if not relations:
                continue
            nodes = ends_of(graph.whole, relations)
            for id, label in zip(graph.ids_at(nodes), graph.labels_at(nodes), strict=True):
                named = stems(label_to_text(label))
                if relations is kinds.stated:
                    self.class_ids[id] = label_to_text(label)
                    self.classes.setdefault(named, id)
                elif named not in self.classes and id not in self.class_ids and _LONG.search(label):
                    self.classes[named] = id
                    self.finer.add(id)
        if self.classes:
            heads: dict[str, list[str]] = {}
            for named, id in self.classes.items():
                if len(named) > 1 and id not in self.finer:
                    heads.setdefault(named[-1], []).append(id)
            for head, ids in heads.items():
                if len(ids) == 1:  # "clubs" are football clubs where no other clubs are
                    self.classes.setdefault((head,), ids[0])
                elif len(ids) <= ENDING:  # "abbeys" are Cistercian and Benedictine ones (`Binding.instances_of`)
                    self.classes.setdefault((head,), head)
        for named, id in list(self.classes.items()):  # "PRs" are pull requests
            initials = "".join(word[0] for word in named)
            says = initials.isalpha() and not is_word(initials) and initials not in FUNCTION
            if len(named) > 1 and says and id in self.class_ids:
                self.classes.setdefault((initials,), id)
        for id, begins in _beginnings(graph, kinds.stated, self.class_ids).items():
            if (stem(begins),) not in self.classes:  # "CVEs" are vulnerabilities that are all called CVE-…
                self.classes[(stem(begins),)] = id
        self.meant: dict[str, tuple[str, float] | None] = {}  # kinds by nouns that no name holds (`kind_meant`)
        self._ends: dict[str, list[str]] | None = None
        self.relations: dict[tuple[str, ...], list[str]] = {}
        self.labels: dict[str, str] = {}
        self.nouns_of: dict[str, list[str]] = {}  # by nouns: "subsidiaries of X" are what `subsidiary of` leads from
        for number, relation in enumerate(graph.relations()):
            if number in self.silent:
                continue
            label = label_to_text(relation.label.rsplit(".", 1)[-1])
            self.labels[relation.id] = label
            if (noun := _NOUN_OF.fullmatch(label.lower())) is not None:
                self.nouns_of.setdefault(stem(noun["noun"]), []).append(relation.id)
            last = label.rsplit(" ", 1)[-1]
            done = label.removesuffix(f" {last}") if last.endswith("ed") or last in _DONE else label  # goals "scored"
            amount = _AMOUNT.sub("", label)  # "number of pages" are pages
            for name in dict.fromkeys((label, head_of(label), done, amount)):
                if stems(name):
                    self.relations.setdefault(stems(name), []).append(relation.id)
        ends: dict[tuple[str, ...], list[str]] = {}
        for id, label in self.labels.items():  # "the names of the courses": course_name
            for cut in range(1, len(stems(head_of(label)))):
                ends.setdefault(stems(head_of(label))[cut:], []).append(id)
        for end, ids in ends.items():
            if len(end) == 1 and (kind := self._kind_of_ends(end, ids, graph)) is not None:
                self.classes[end] = kind
            known = self.relations.setdefault(end, [])
            known += [id for id in ids if id not in known]

    def words_of(self, relation: str) -> list[str]:
        """The words of a relation's name, in small letters; none of one that no words ask for."""
        return self.labels.get(relation, "").lower().split()

    def _kind_of_ends(self, noun: tuple[str, ...], relations: Sequence[str], graph: Graph) -> str | None:
        """The kind that a noun means which ends the names of relations, where these lead to things of that kind alone:
        "ships" are vessels where a vessel has a sister ship."""
        if noun in self.classes or noun in self.relations or graph.num_triples > ALL_UP_TO:
            return None
        found = kind_of_things(noun[0], few_kinds(self))
        if found is None:
            return None
        numbers = [number for id in relations if (number := graph.relation_number(id)) is not None]
        tails = np.unique(graph.whole.tails[np.isin(graph.whole.rels, numbers)])
        tails = tails[~graph.mediators_at(tails)]
        return found if len(tails) >= SOME and np.isin(tails, members_of([found], graph)).all() else None

    def ending(self, noun: str, graph: Graph) -> tuple[str, ...]:
        """Ids of the things whose names end in a common noun, given by its stem: "gorillas" are western lowland ones.

        Empty where there are none, or too many for a noun that no kind has.
        """
        if self._ends is None:
            self._ends = {}
            few = graph.num_entities <= NAMED
            numbers = np.arange(graph.num_entities if few else 0, dtype=np.int32)
            numbers = numbers[~(graph.mediators_at(numbers) | graph.literals_at(numbers))]
            for id, label in zip(graph.ids_at(numbers), graph.labels_at(numbers), strict=True):
                before, _, last = label.rpartition(" ")
                if before and last.isalpha() and last.islower() and len(label.split()) <= WORDS:
                    self._ends.setdefault(stem(last), []).append(id)
        found = self._ends.get(noun, [])
        return tuple(found) if len(found) <= ENDING else ()

    @classmethod
    def of(cls, graph: Graph) -> Lexicon:
        if graph not in _LEXICONS:
            _LEXICONS[graph] = cls(graph)
        return _LEXICONS[graph]


_LEXICONS: WeakKeyDictionary[Graph, Lexicon] = WeakKeyDictionary()


def _beginnings(graph: Graph, stated: Sequence[int], classes: Mapping[str, str]) -> dict[str, str]:
    """What the names of the things of a kind begin with, by the id of the kind: letters before a number in all of them,
    or a word in nearly all; nothing of a graph with many kinds."""
    found: dict[str, str] = {}
    inc = graph.whole.inc
    for id in classes if len(classes) <= KINDS else ():
        number = graph.number_of(id)
        assert number is not None  # it is a class of this graph
        here = slice(int(inc.offsets[number]), int(inc.offsets[number + 1]))
        members = inc.neighbors[here][np.isin(inc.relations[here], stated)][:BEGUN_ALIKE]
        labels = graph.labels_at(members)
        letters = {match["letters"] if match else "" for match in map(_NUMBERED.match, labels)}
        if len(members) >= SOME and len(letters) == 1 and "" not in letters:
            found[id] = letters.pop()
            continue
        words = Counter(first for label in labels if (first := label.split(" ")[0]) != label and first.isalpha())
        for word, times in words.most_common(1):  # "gauges" are stations that are all called Gauge …
            if len(members) > SOME and times >= BEGUN_SHARE * len(members) and len(word) > SOME and is_word(word):
                found[id] = word.lower()
    return found


def ends_of(whole: Subgraph, relations: Sequence[int]) -> Ints:
    """What some relations lead to, ascending; of a large graph, what a sample of its triples shows."""
    found: Ints = np.unique(sampled(whole.tails)[np.isin(sampled(whole.rels), relations)])
    return found


def stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in WORD.findall(text.lower()) if word != ",")


def few_kinds(lexicon: Lexicon) -> dict[str, str]:
    """The kinds of a graph that has so few that words tell them apart; else none."""
    return lexicon.class_ids if len(lexicon.class_ids) <= KINDS else {}


def members_of(kinds: Sequence[str], graph: Graph) -> Ints:
    found: Ints = np.unique(
        np.concatenate([np.empty(0, np.int32), *(execute(p.Class(k), graph).members for k in kinds)])
    )
    return found


def kind_called(said: tuple[str, ...], lexicon: Lexicon) -> str | None:
    """The class that words (stems) name, one word also by a synonym."""
    if said in lexicon.classes or len(said) > 1:
        return lexicon.classes.get(said)
    return next((lexicon.classes[(same,)] for same in SYNONYMS.get(said[0], ()) if (same,) in lexicon.classes), None)


def kind_meant(noun: str, lexicon: Lexicon) -> tuple[str, float] | None:
    """The class that a noun means by what words mean, and how well it fits; none where a name of the graph holds it."""
    if noun in FUNCTION or stem(noun) in NO_KIND:
        return None
    if noun not in lexicon.meant:
        root = stem(noun)
        said = any(root in name for names in (lexicon.classes, lexicon.relations) for name in names)
        known = None if said or len(lexicon.class_ids) > KINDS else nearest_kind(noun, lexicon.class_ids)
        lexicon.meant[noun] = known
    return lexicon.meant[noun]


def owners(graph: Graph, relation: str, *, forward: bool = True) -> p.SetPlan | None:
    """The kind of thing that most often has a relation, or (not `forward`) is what it leads to; anything in a graph
    without kinds, or where few of them are said to be of any."""
    number, types = graph.relation_number(relation), Lexicon.of(graph).types
    if number is None:
        return None
    if not types:
        return p.All()
    found = graph.derived(
        ("lexicon.owners", number, forward), lambda: _kind_at(graph.whole, number, sorted(types), forward=forward)
    )
    if found is None:
        return None
    return p.Class(graph.ids_at(np.array([found[0]]))[0]) if found[1] >= TYPED else p.All()


def _kind_at(whole: Subgraph, relation: int, types: Sequence[int], *, forward: bool) -> tuple[int, float] | None:
    """The class of most heads of a relation, or of most tails, and the share of them that are of any class; of very
    many an even sample tells."""
    heads = np.unique(sampled(whole.heads if forward else whole.tails)[sampled(whole.rels) == relation])
    if len(heads) > HEADS:
        heads = heads[np.linspace(0, len(heads) - 1, HEADS).astype(np.int64)]
    counts, typed = Counter[int](), np.zeros(len(heads), np.bool_)
    for by in types:
        reached = follow(whole, heads, [(by, True)])
        counts.update(dict(zip(reached.entities.tolist(), reached.walks.tolist(), strict=True)))
        typed |= np.isin(heads, whole.heads[whole.rels == by])
    if not counts:
        return None
    return min(counts, key=lambda kind: (-counts[kind], kind)), float(typed.mean())


def alike(
    word: str, lexicon: Lexicon, encoder: TextEncoder | None
) -> tuple[Literal["class", "relation"], p.SetPlan | None, tuple[str, ...], float] | None:
    """The kind or relation that a noun of another name means."""
    kinds = {stems(label): id for id, label in lexicon.class_ids.items()}
    for synonym in SYNONYMS.get(stem(word), ()):
        if (synonym,) in kinds:
            return "class", p.Class(kinds[(synonym,)]), (), 0.9
        known = [id for id, label in lexicon.labels.items() if synonym in stems(head_of(label))]
        if known:
            return "relation", None, tuple(known), 0.9
    kin = [id for id, label in lexicon.labels.items() if any(akin(word, part) for part in label.lower().split())]
    if kin and not lexicon.types:
        return "relation", None, tuple(kin), 0.9
    if (meant := kind_meant(word, lexicon)) is not None:
        return "class", p.Class(meant[0]), (), meant[1]
    if encoder is None or not word.isalpha() or len(word) < 3:
        return None
    classes, relations = list(lexicon.class_ids.items())[:2000], list(lexicon.labels.items())[:2000]
    texts = [label for _, label in classes] + [head_of(label) for _, label in relations]
    if _DOER.match(word):
        texts = texts[: len(classes)]
    if not texts:
        return None
    alike = encoder.encode(texts) @ encoder.encode([stem(word)], role="query")[0]
    best = int(alike.argmax())
    least = ALIKE_DOER if _DOES.match(word) else ALIKE_KIND if classes else ALIKE_ONLY
    if float(alike[best]) < least:
        return None
    fit = float(alike[best])
    if best < len(classes):
        return "class", p.Class(classes[best][0]), (), fit
    return "relation", None, (relations[best - len(classes)][0],), fit


def class_in(text: str, graph: Graph) -> p.Class | None:
    """The class whose name a text says first."""
    known = Lexicon.of(graph).classes
    words = [stem(word) for word in re.findall(r"[\w-]+", text.lower())]
    for at in range(len(words)):
        for length in (3, 2, 1):
            label = known.get(tuple(words[at : at + length]))
            if label is not None:
                return p.Class(label)
    return None


def one_kind(graph: Graph, ids: Iterable[str]) -> p.Class | None:
    """The one kind that some things are said to be; None where they are of several, or of one that is not stated."""
    own = kinds_of(graph, ids)
    known = [id for id, name in Lexicon.of(graph).class_ids.items() if name in own]
    return p.Class(known[0]) if len(known) == 1 else None


def kinds_of(graph: Graph, ids: Iterable[str]) -> set[str]:
    """The names of the kinds that some things are said to be."""
    lexicon, numbers = Lexicon.of(graph), Binding.of(graph).entities(tuple(ids))
    ends = [follow(graph.whole, numbers, [(relation, True)]).entities for relation in sorted(lexicon.types)]
    return {lexicon.class_ids[id] for some in ends for id in graph.ids_at(some)}
