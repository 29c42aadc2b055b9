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
from clew.graph.sets import held
from clew.graph.subgraph import Ints, Subgraph
from clew.graph.tables import NEXT, ORDER
from clew.labels import label_to_text
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.execute import execute
from clew.query.vocabulary import SYNONYMS, akin, forms, head_of, stem
from clew.query.wordnet import is_nobody, is_word, kind_of_things, nearest_kind, people_of
from clew.retrieval.words import FUNCTION

KINDS = 500  # classes among which a noun is looked for by its meaning
ENDING = 20  # classes that may be meant by the noun in which their names end
NAMED = 200_000  # things whose names are looked through for the nouns in which they end
WORDS = 4  # of a name that ends in a common noun
HEADS = 100_000  # of a relation, that tell what kind of thing has it
ALIKE_ONLY = 0.8  # the same in a graph without kinds, where the noun may be a kind that nothing states
ALIKE_DOER = 0.7  # the same of somebody who does something: a "teacher" is no school
ALIKE_PROFILE = 0.55  # cosine of a noun and the relations that some things have, in the mean
PROFILE = 12  # relations of some things that say what they are
TITLES = 2000  # texts that people are linked to, of which some may be titles
ALIKE_ROLE = 0.48  # the same of somebody and a relation that leads to people: "actors", starring
APART = 0.03  # by which that is nearer than to any other
MOST = 0.5  # of the things of a kind that says what they do, and of any kind, that make a role the kind
ABOUT_ALL = 0.9
ANYBODY = frozenset(["person", "people", "human", "individual", "agent"])  # kinds that say nothing of what one does
_ANY_GROUP = frozenset(["company", "organization", "organisation", "business", "firm", "party", "entity", "thing"])
ALIKE_KIND = 0.6  # cosine from which a noun means a class or a relation of another name ("towns", city)
_PEOPLE = frozenset(["people", "person"])
_NO_KIND = frozenset(
    "kind type sort form name number amount thing part way member percentage share".split()  # noqa: SIM905
)
_ARTICLES = frozenset(["the", "a", "an"])
_OF = re.compile(r"\W*(?:(?<=\bof )|of\b)")
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
_OF_VALUE = re.compile(r"(?P<of>[a-z]{3,})(?:er|ist)")
_ASKED = re.compile(
    r"^(?:[^:?]{2,60}: )?\W*(?:(?:in|on|at|of|for|from|by|to|with) )?"
    r"(?:which|what|who (?:among|amongst|of|out of)|name|list|find"
    r"|(?:give|show|tell) me)(?: all)?(?: the)? (?P<noun>\w+(?: \w+){0,3})"
    r"|^\W*(?:all |the )?(?P<first>\w+(?: \w+){0,2}?) "
    r"(?:of|that|who|which|whose|in|at|on|for|near|by|from|with|\w+ed) ",
    re.IGNORECASE,
)
BEGUN_SHARE = 0.9  # of the names of a kind that begin with a word which then names the kind
BEGUN_ALIKE = 50  # things of a kind whose names are looked at
_BEHIND = "is are was were has have had do does did can could will would that which who whose"
_BEHIND_NOUN = frozenset(_BEHIND.split())
SOME = 3  # things that a relation must lead to, so that it says what they are
ADJECTIVES = 1  # unknown words before the noun that names what is asked for


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
            nodes = _ends_of(graph.whole, relations)
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

    def _kind_of_ends(self, noun: tuple[str, ...], relations: Sequence[str], graph: Graph) -> str | None:
        """The kind that a noun means which ends the names of relations, where these lead to things of that kind alone:
        "ships" are vessels where a vessel has a sister ship."""
        if noun in self.classes or noun in self.relations or graph.num_triples > ALL_UP_TO:
            return None
        found = kind_of_things(noun[0], _few_kinds(self))
        if found is None:
            return None
        numbers = [number for id in relations if (number := graph.relation_number(id)) is not None]
        tails = np.unique(graph.whole.tails[np.isin(graph.whole.rels, numbers)])
        tails = tails[~graph.mediators_at(tails)]
        return found if len(tails) >= SOME and np.isin(tails, _members([found], graph)).all() else None

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


def _ends_of(whole: Subgraph, relations: Sequence[int]) -> Ints:
    """What some relations lead to, ascending; of a large graph, what a sample of its triples shows."""
    found: Ints = np.unique(sampled(whole.tails)[np.isin(sampled(whole.rels), relations)])
    return found


def stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in WORD.findall(text.lower()) if word != ",")


def asked_kind(text: str, graph: Graph, encoder: TextEncoder | None = None, *, named: bool = False) -> Ints | None:
    """The numbers of the things of the kind that a question says it asks for ("which country does …"), ascending.

    Of a doer ("which directors have …") whatever does it; by an encoder also of "actors", where the graph has
    `starring`. None where the noun is no kind of the graph.

    Args:
        named: also what relations lead to that are called so ("hq country"), which need not be all of the kind.
    """
    match = _ASKED.search(text)
    if match is None:
        return None
    words = [word for word in WORD.findall((match["noun"] or match["first"]).lower()) if word != ","]
    if words[:1] in (["do"], ["does"], ["did"]):
        return None  # "what did customers order" asks for no customers
    said = tuple(map(stem, words))
    lexicon = Lexicon.of(graph)
    for at in range(min(len(said), ADJECTIVES + 1)):
        for end in range(len(said), at, -1):
            known = kind_called(said[at:end], lexicon)
            if known is not None:
                behind = [*words[end + 1 :], *WORD.findall(text[match.end() :].lower())]
                if end < len(said) and is_compound(words[end - 1], behind):
                    known = kind_called(said[end : end + 1], lexicon) or known
                return execute(p.Class(known), graph).members
        if (doing := _doing(said[at], lexicon)) is not None:
            return execute(role(*doing), graph).members
        if said[at] in _PEOPLE and (kinds := people_of(_few_kinds(lexicon))):
            return _members(kinds, graph)
        after = said[at + 1] if at + 1 < len(said) else _OF.match(text, match.end()) and "of"
        alone = not after or (after in FUNCTION and after != "of")  # "home towns" are no homes
        if alone and (people := role_alike(said[at], graph, encoder)) is not None:
            return execute(people, graph).members
        if alone and (meant := kind_meant(said[at], lexicon)) is not None:
            return execute(p.Class(meant[0]), graph).members
        if named and alone and not at and (ends := _ends_named(said[at], graph, lexicon)) is not None:
            return ends
    return None


def is_compound(first: str, following: Sequence[str]) -> bool:
    """Whether two nouns are one, whose second says what it is: "drone models have" are models of drones.

    Not so where the second may be a verb: "which city hosts the festival", "artist works in oil".

    Args:
        following: the words behind the second one.
    """
    return stem(first) == first and (not following or following[0] in _BEHIND_NOUN)


def _ends_named(noun: str, graph: Graph, lexicon: Lexicon) -> Ints | None:
    """The things that relations called by a noun lead to; None where these are few, or figures and texts, and in a
    large graph, whose triples would all be read."""

    def made() -> Ints | None:
        if graph.num_triples > ALL_UP_TO:
            return None
        numbers = [graph.relation_number(id) for id in lexicon.relations.get((noun,), [])]
        ends = _ends_of(graph.whole, [number for number in numbers if number is not None])
        ends = ends[~graph.literals_at(ends)]
        return ends if len(ends) >= SOME else None

    return graph.derived(("lexicon.ends", noun), made)


def nobody(graph: Graph) -> Ints:
    """The numbers of the things that "who" never asks for, by their kinds: events, works and papers."""

    def made() -> Ints:
        named = _few_kinds(Lexicon.of(graph)).items()
        return np.union1d(_members([id for id, name in named if is_nobody(name)], graph), rows_of(graph))

    return graph.derived("lexicon.nobody", made)


def rows_of(graph: Graph) -> Ints:
    """The numbers of the things that have no name but their kind and a key, such as the rows of a log."""

    def made() -> Ints:
        kinds = []
        for id, name in _few_kinds(Lexicon.of(graph)).items():
            some = graph.labels_at(execute(p.Class(id), graph).members[:BEGUN_ALIKE])
            if len(some) >= SOME and all(each.lower().startswith(f"{name.lower()} ") for each in some):
                kinds.append(id)
        return _members(kinds, graph)

    return graph.derived("lexicon.rows", made)


def nowhere(graph: Graph) -> Ints:
    """The numbers of the things that "where" never asks for, by their kinds: people, events, works and papers."""

    def made() -> Ints:
        people = _members(people_of(_few_kinds(Lexicon.of(graph))), graph)
        return np.unique(np.concatenate([nobody(graph), people])).astype(np.int32)

    return graph.derived("lexicon.nowhere", made)


def kinds_said(text: str, names: Sequence[str], graph: Graph) -> list[Ints]:
    """The numbers of the things of each kind that a text speaks of by its very name, ascending: "the group that …".

    A noun beside one of the `names` in the text, or "of" it, says what that is, and speaks of no other.
    """
    lexicon = Lexicon.of(graph)
    if not _few_kinds(lexicon):
        return []
    text = text.lower()
    named = [(at, at + len(name)) for name in map(str.lower, names) if (at := text.find(name)) >= 0]
    found: dict[str, None] = {}
    words = list(WORD.finditer(text))
    for i, word in enumerate(words):
        for first in (i - 1, i) if i else (i,):
            start, end = words[first].start(), word.end()
            id = lexicon.classes.get(stems(text[start:end]))
            several = stem(word.group()) != word.group()
            said = several or (first > 0 and words[first - 1].group() in _ARTICLES)
            beside = any((a - 2 < end and start < b + 2) or text[end:a] in (" of ", " of the ") for a, b in named)
            if id is not None and id in lexicon.class_ids and said and not beside:
                found[id] = None
    return [execute(p.Class(id), graph).members for id in found]


def of_some_kind(graph: Graph) -> Ints:
    """The numbers of the things whose kind is stated, ascending; none in a large graph, whose triples would all be
    read."""

    def made() -> Ints:
        if graph.num_triples > ALL_UP_TO:
            return np.empty(0, np.int32)
        whole = graph.whole
        found: Ints = np.unique(whole.heads[np.isin(whole.rels, sorted(Lexicon.of(graph).types))])
        return found

    return graph.derived("lexicon.of_some_kind", made)


def _few_kinds(lexicon: Lexicon) -> dict[str, str]:
    """The kinds of a graph that has so few that words tell them apart; else none."""
    return lexicon.class_ids if len(lexicon.class_ids) <= KINDS else {}


def _members(kinds: Sequence[str], graph: Graph) -> Ints:
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
    if noun in FUNCTION or stem(noun) in _NO_KIND:
        return None
    if noun not in lexicon.meant:
        root = stem(noun)
        said = any(root in name for names in (lexicon.classes, lexicon.relations) for name in names)
        known = None if said or len(lexicon.class_ids) > KINDS else nearest_kind(noun, lexicon.class_ids)
        lexicon.meant[noun] = known
    return lexicon.meant[noun]


def owners(graph: Graph, relation: str, *, forward: bool = True) -> p.SetPlan | None:
    """The kind of thing that most often has a relation, or (not `forward`) is what it leads to; in a graph without
    kinds anything."""
    number, types = graph.relation_number(relation), Lexicon.of(graph).types
    if number is None:
        return None
    if not types:
        return p.All()
    kind = graph.derived(
        ("lexicon.owners", number, forward), lambda: _kind_at(graph.whole, number, sorted(types), forward=forward)
    )
    return None if kind is None else p.Class(graph.ids_at(np.array([kind]))[0])


def _kind_at(whole: Subgraph, relation: int, types: Sequence[int], *, forward: bool) -> int | None:
    """The class of most heads of a relation, or of most tails; of very many an even sample tells."""
    heads = np.unique(sampled(whole.heads if forward else whole.tails)[sampled(whole.rels) == relation])
    if len(heads) > HEADS:
        heads = heads[np.linspace(0, len(heads) - 1, HEADS).astype(np.int64)]
    counts = Counter[int]()
    for by in types:
        reached = follow(whole, heads, [(by, True)])
        counts.update(dict(zip(reached.entities.tolist(), reached.walks.tolist(), strict=True)))
    return min(counts, key=lambda kind: (-counts[kind], kind), default=None)


def doers_of(word: str, graph: Graph) -> p.SetPlan | None:
    """The things that do what a relation says: "directors" are what `directed by` leads to, "players" whatever plays
    for something, which may be all of a kind."""
    doing = _doing(stem(word), Lexicon.of(graph))
    return None if doing is None else _role_or_kind(*doing, graph)


def role_alike(word: str, graph: Graph, encoder: TextEncoder | None) -> p.SetPlan | None:
    """The people at that end of a relation which a noun of people is most like: "actors" are what `starring` leads to.
    None where two relations are as like, and where people of a kind are called so."""
    lexicon = Lexicon.of(graph)
    if stem(word) in ANYBODY or not people_of({"": stem(word)}) or len(lexicon.labels) > KINDS:
        return None
    if (meant := kind_meant(word, lexicon)) is not None and lexicon.class_ids[meant[0]].lower() not in ANYBODY:
        return None
    roles: list[tuple[str, bool]] = graph.derived("lexicon.roles", lambda: _roles(graph))
    if not roles:
        return None
    same = [each for each in roles if set(SYNONYMS.get(stem(word), ())) & set(stems(lexicon.labels[each[0]]))]
    if len(same) == 1 or encoder is None:
        return _role_or_kind(*same[0], graph) if len(same) == 1 else None
    near = encoder.encode([lexicon.labels[id] for id, _ in roles]) @ encoder.encode([stem(word)], role="query")[0]
    best, *others = np.argsort(-near)[:2].tolist()
    if near[best] < ALIKE_ROLE or any(near[best] - near[other] < APART for other in others):
        return None
    relation, forward = roles[best]
    return _role_or_kind(relation, forward, graph)


def titled(word: str, graph: Graph) -> p.SetPlan | None:
    """People by what their title ends in: "directors" are whoever is IT Director or Sales Director. None for a noun
    that no title ends in."""
    noun, lexicon = stem(word), Lexicon.of(graph)
    if noun in ANYBODY or not people_of({"": noun}) or graph.num_entities > NAMED:
        return None
    found: dict[str, dict[str, list[str]]] = graph.derived("lexicon.titles", lambda: _titles(graph))
    steps = found.get(noun, {})
    if not steps or (noun,) in lexicon.classes or (noun,) in lexicon.relations:
        return None
    relation = max(steps, key=lambda each: len(steps[each]))
    return p.Follow(p.Entities(tuple(steps[relation])), (p.Step(relation, False),))


def _titles(graph: Graph) -> dict[str, dict[str, list[str]]]:
    """What relations lead people to whose names end in nouns of people: by the noun and the relation."""
    lexicon, whole = Lexicon.of(graph), graph.whole
    people = _members(people_of(_few_kinds(lexicon)), graph)
    mine = held(whole.heads, people) & ~np.isin(whole.rels, sorted(lexicon.types))
    named: dict[str, dict[str, list[str]]] = {}
    for relation in np.unique(whole.rels[mine]).tolist():
        ends = np.unique(whole.tails[mine & (whole.rels == relation)])
        if len(ends) > TITLES or held(ends, people).any():
            continue
        for id, label in zip(graph.ids_at(ends), graph.labels_at(ends), strict=True):
            words = [each for each in WORD.findall(label.lower()) if each != ","]
            if words and words[-1].isalpha() and people_of({"": words[-1]}):
                named.setdefault(stem(words[-1]), {}).setdefault(graph.relation_at(relation).id, []).append(id)
    return named


def implied_kind(word: str, graph: Graph, encoder: TextEncoder | None) -> p.SetPlan | None:
    """The things that a noun means by the relations that they have: what has pages, a publisher and authors is a book,
    whatever its kind is called, or where no kinds are stated. None where no things have such relations, or several."""
    noun, lexicon = stem(word), Lexicon.of(graph)
    known = (noun,) in lexicon.classes or (noun,) in lexicon.relations or word in FUNCTION or stem(noun) in _NO_KIND
    if encoder is None or known or not noun.isalpha() or len(noun) < SOME or not is_word(noun):
        return None
    profiles: list[tuple[p.SetPlan, list[str]]] = graph.derived("lexicon.profiles", lambda: _profiles(graph))
    if not profiles:
        return None
    asked = encoder.encode([noun], role="query")[0]
    near = [float(np.mean(encoder.encode(labels) @ asked) / np.linalg.norm(np.mean(encoder.encode(labels), axis=0)))
            for _, labels in profiles]  # fmt: skip
    best = int(np.argmax(near))
    ends = list(lexicon.labels.values())[:KINDS]
    beside = max(float(each) for each in encoder.encode(ends) @ asked)  # what a relation leads to may be meant
    others = [each for i, each in enumerate(near) if i != best]
    apart = near[best] - max([*others, beside])
    return profiles[best][0] if near[best] >= ALIKE_PROFILE and apart >= APART else None


def _profiles(graph: Graph) -> list[tuple[p.SetPlan, list[str]]]:
    """The kinds of a graph, or without kinds the things that have about the same relations, with the names of these."""
    lexicon, whole = Lexicon.of(graph), graph.whole
    if graph.num_triples > ALL_UP_TO or len(lexicon.class_ids) > ENDING or len(lexicon.labels) > KINDS:
        return []
    heads = {id: np.unique(whole.heads[whole.rels == Binding.of(graph).relation(id)]) for id in lexicon.labels}
    groups: list[tuple[p.SetPlan, Ints, list[str]]] = []
    groups += [(kind, execute(kind, graph).members, []) for kind in map(p.Class, lexicon.class_ids)]
    for id in sorted(heads, key=lambda each: -len(heads[each])):
        here = [(len(np.intersect1d(members, heads[id])), names) for _, members, names in groups]
        shared, names = max(here, key=lambda each: each[0], default=(0, []))
        if 2 * shared >= len(heads[id]):
            names.append(lexicon.labels[id])
        elif not lexicon.types:
            groups.append((role(id, False), heads[id], [lexicon.labels[id]]))
    return [(plan, names[:PROFILE]) for plan, _, names in groups if len(names) > 1]


def _roles(graph: Graph) -> list[tuple[str, bool]]:
    """The relations that lead to people (True) or from them to other things (False); in a graph without kinds those
    that lead to things or from them, by how they are called."""
    lexicon, whole, found = Lexicon.of(graph), graph.whole, list[tuple[str, bool]]()
    people = _members(people_of(_few_kinds(lexicon)), graph)
    for id, label in lexicon.labels.items() if graph.num_triples <= ALL_UP_TO else ():
        number = Binding.of(graph).relation(id)
        ends = [np.unique(side[whole.rels == number]) for side in (whole.heads, whole.tails)]
        if graph.literals_at(ends[1]).all() or column(graph, number).ordered or people_of({"": head_of(label)}):
            continue  # a director is somebody else than an actor
        if not lexicon.types:
            found.append((id, _is_done_by(label) or label.lower().endswith("ing")))
            continue
        some = [bool(held(each, people).mean() > MOST) for each in ends]
        found += [(id, some[1])] if some[0] != some[1] else []
    return found


def _is_done_by(label: str) -> bool:
    """Whether a relation leads to who does it: "directed by"."""
    return label.lower().split()[-1] == "by"


def role(relation: str, forward: bool) -> p.Follow:
    """All that a relation leads to (`forward`) or from."""
    return p.Follow(p.All(), (p.Step(relation, forward),))


def is_role(plan: p.Plan) -> bool:
    """Whether a set is all that a relation leads to or from."""
    return isinstance(plan, p.Follow) and isinstance(plan.of, p.All) and len(plan.path) == 1


def _role_or_kind(relation: str, forward: bool, graph: Graph) -> p.SetPlan:
    """All at one end of a relation; their kind where they are about all of it, or most of one whose name says what they
    are: a footballer without a club is a player too, and a person without a film no director."""
    who, kind = role(relation, forward), owners(graph, relation, forward=not forward)
    if not isinstance(kind, p.Class):
        return who
    every, some = (len(execute(plan, graph).members) for plan in (kind, who))
    anybody = Lexicon.of(graph).class_ids.get(kind.id, "").lower() in (ANYBODY | _ANY_GROUP)
    return kind if some >= (ABOUT_ALL if anybody else MOST) * every else who


def of_value(word: str, lexicon: Lexicon, graph: Graph) -> p.SetPlan | None:
    """The things of which a value is said that a noun is made of: "drummers" of drums, "pianists" of piano."""
    match = _OF_VALUE.fullmatch(stem(word))
    if match is None or word in FUNCTION:
        return None
    cut = match["of"]
    bases = (cut, cut[:-1] if cut[-1] == cut[-2] else f"{cut}e", f"{cut}o", f"{cut}a")
    inc = graph.whole.inc
    for name in (form for base in bases for form in (base, f"{base}s")):
        number = next((graph.number_of(entity.id) for entity in graph.resolve(name)), None)
        if number is None:
            continue
        said = Counter(inc.relations[int(inc.offsets[number]) : int(inc.offsets[number + 1])].tolist())
        told = [relation for relation, times in said.most_common(1) if relation not in lexicon.silent and times > 1]
        if told:
            step = p.Step(graph.relation_at(told[0]).id, False)
            return p.Follow(p.Entities((graph.ids_at([number])[0],)), (step,))
    return None


def _doing(noun: str, lexicon: Lexicon) -> tuple[str, bool] | None:
    """The relation that says what a doer does, and whether it leads to them: "directed by" does."""
    if not noun.endswith(("er", "or")):
        return None
    for id, label in lexicon.labels.items():
        first, *rest = label.lower().split()
        verb = bool(rest) or first.endswith("ed")
        if verb and first not in FUNCTION and stem(first) != noun and forms(noun) & forms(first):
            return id, _is_done_by(label)
    return None


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


def kinds_of(graph: Graph, ids: Iterable[str]) -> set[str]:
    """The names of the kinds that some things are said to be."""
    lexicon, out, kinds = Lexicon.of(graph), graph.whole.out, set[str]()
    for number in Binding.of(graph).entities(tuple(ids)).tolist():
        here = slice(int(out.offsets[number]), int(out.offsets[number + 1]))
        ends = out.neighbors[here][np.isin(out.relations[here], list(lexicon.types))]
        kinds |= {lexicon.class_ids[id] for id in graph.ids_at(ends)}
    return kinds
