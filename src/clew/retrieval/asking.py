"""What kind of thing a question asks for, and what "who" and "where" never ask for, in one graph."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from clew.graph import Graph
from clew.graph.kinds import ALL_UP_TO
from clew.graph.subgraph import Ints
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.execute import execute
from clew.query.vocabulary import stem
from clew.query.wordnet import is_nobody, people_of
from clew.retrieval.lexicon import (
    BEGUN_ALIKE,
    SOME,
    WORD,
    Lexicon,
    ends_of,
    few_kinds,
    kind_called,
    kind_meant,
    members_of,
    stems,
)
from clew.retrieval.models import of_model
from clew.retrieval.roles import doing_of, in_role, role_alike
from clew.retrieval.words import FUNCTION

_PEOPLE = frozenset(["people", "person"])
_ARTICLES = frozenset(["the", "a", "an"])
_OF = re.compile(r"\W*(?:(?<=\bof )|of\b)")
_ASKED = re.compile(
    r"^(?:[^:?]{2,60}: )?\W*(?:(?:in|on|at|of|for|from|by|to|with) )?"
    r"(?:which|what|who (?:among|amongst|of|out of)|name|list|find"
    r"|(?:give|show|tell) me)(?: all)?(?: the)? (?P<noun>\w+(?: \w+){0,3})"
    r"|^\W*(?:all |the )?(?P<first>\w+(?: \w+){0,2}?) "
    r"(?:of|that|who|which|whose|in|at|on|for|near|by|from|with|\w+ed) ",
    re.IGNORECASE,
)
_BEHIND = "is are was were has have had do does did can could will would that which who whose"
_BEHIND_NOUN = frozenset(_BEHIND.split())
ADJECTIVES = 1  # unknown words before the noun that names what is asked for


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
                return execute(of_model(known, graph), graph).members
        if (doing := doing_of(said[at], lexicon)) is not None:
            return in_role(*doing, graph)
        if said[at] in _PEOPLE and (kinds := people_of(few_kinds(lexicon))):
            return members_of(kinds, graph)
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
        ends = ends_of(graph.whole, [number for number in numbers if number is not None])
        ends = ends[~graph.literals_at(ends)]
        return ends if len(ends) >= SOME else None

    return graph.derived(("lexicon.ends", noun), made)


def nobody(graph: Graph) -> Ints:
    """The numbers of the things that "who" never asks for, by their kinds: events, works and papers."""

    def made() -> Ints:
        named = few_kinds(Lexicon.of(graph)).items()
        return np.union1d(members_of([id for id, name in named if is_nobody(name)], graph), rows_of(graph))

    return graph.derived("lexicon.nobody", made)


def rows_of(graph: Graph) -> Ints:
    """The numbers of the things that have no name but their kind and a key, such as the rows of a log."""

    def made() -> Ints:
        kinds = []
        for id, name in few_kinds(Lexicon.of(graph)).items():
            some = graph.labels_at(execute(p.Class(id), graph).members[:BEGUN_ALIKE])
            if len(some) >= SOME and all(each.lower().startswith(f"{name.lower()} ") for each in some):
                kinds.append(id)
        return members_of(kinds, graph)

    return graph.derived("lexicon.rows", made)


def nowhere(graph: Graph) -> Ints:
    """The numbers of the things that "where" never asks for, by their kinds: people, events, works and papers."""

    def made() -> Ints:
        people = members_of(people_of(few_kinds(Lexicon.of(graph))), graph)
        return np.unique(np.concatenate([nobody(graph), people])).astype(np.int32)

    return graph.derived("lexicon.nowhere", made)


def kinds_said(text: str, names: Sequence[str], graph: Graph) -> list[Ints]:
    """The numbers of the things of each kind that a text speaks of by its very name, ascending: "the group that …".

    A noun beside one of the `names` in the text, or "of" it, says what that is, and speaks of no other.
    """
    lexicon = Lexicon.of(graph)
    if not few_kinds(lexicon):
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
