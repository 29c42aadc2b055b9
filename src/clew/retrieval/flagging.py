"""Where a question says what a flag or a value of its graph says: "huts without showers", "battery powered", "phase 3".

Kept apart from `chunks`, which puts what is found among the other parts: such words are a set of things, those that
meet them, and no relation that anything is joined by.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from clew.graph import Graph
from clew.graph.flags import Flag, flags
from clew.graph.sets import first_tails
from clew.query import plan as p
from clew.query.columns import column
from clew.query.execute import execute
from clew.query.keys import steps_of
from clew.query.lapses import ends
from clew.query.vocabulary import UNDONE, forms, stem
from clew.retrieval.lexicon import Lexicon, owners, stems
from clew.retrieval.words import FUNCTION

PARTLY = 0.85  # fit of a flag of which a question says one telling word: "on batteries", batteryPowered
TELLING = 4  # letters of such a word
MOST_INITIALS = 4
SHORTEST = 3  # letters of the name of a property beside its value
MOST_VALUES = 20_000  # triples of a relation whose values are looked at
_COMPARED = frozenset(["than", "least", "most", "over", "under", "above", "below", "top", "first", "last", "about"])
_SEXES = (
    (frozenset(["female", "females", "woman", "women", "girl", "girls"]), "FfW"),
    (frozenset(["male", "males", "man", "men", "boy", "boys"]), "Mm"),
)
_OPPOSITES = {
    "onshore": "offshore", "offshore": "onshore", "indoor": "outdoor", "outdoor": "indoor", "closed": "open",
    "open": "closed", "dead": "alive", "deceased": "alive", "public": "private", "private": "public",
    "online": "offline", "offline": "online",
}  # fmt: skip
_ADJECTIVE = re.compile(r"\w+(?:ed|able|ible|ing|ive|al|ful|ic|en)")
_UNDONE = re.compile(UNDONE)
_STOCKED = re.compile(
    r"(?:(?:current|quantity|qty|units?|items?|number) (?:in |of )?)?(?:stock|inventory|on hand)"
    r"(?: (?:level|qty|quantity|units|count|on hand))?"
)
_DONE = frozenset(["finished", "completed", "done", "closed", "returned", "paid", "delivered", "shipped", "resolved"])
_TOLD = re.compile(rf"{UNDONE}|\b(?:in|out of) stock\b|\b(?:{'|'.join(sorted(_DONE))})\b")
_PREFIXES = ("un", "non-", "non", "in", "dis")


@dataclass(frozen=True, slots=True)
class Condition:
    """Words of a question that things meet or do not meet, whatever they are joined by."""

    start: int
    end: int
    plan: p.SetPlan  # the things that meet it
    opposite: p.SetPlan | None = None  # those of which the graph says that they do not
    fit: float = 1.0


def conditions_said(words: Sequence[str], taken: Sequence[bool], graph: Graph) -> Iterator[Condition]:
    """The conditions that words of a question state: flags, and values of what they name ("phase 3", "4 bed")."""
    yield from _flags_said(words, taken, graph)
    yield from _values_said(words, taken, graph)
    yield from _sexes_said(words, taken, graph)
    yield from _undone_said(words, taken, graph)
    yield from _done_said(words, taken, graph)
    yield from _stock_said(words, taken, graph)


def _stock_said(words: Sequence[str], taken: Sequence[bool], graph: Graph) -> Iterator[Condition]:
    """ "Out of stock" and "in stock" of what there is nothing or something of, where the graph says how much."""
    if "stock" not in words:
        return
    lexicon = Lexicon.of(graph)
    found = [id for id, label in lexicon.labels.items() if _STOCKED.fullmatch(label.replace("_", " ").lower())]
    of = owners(graph, found[0]) if len(found) == 1 else None
    if of is None or not column(graph, graph.relation_number(found[0]) or 0).ordered:
        return
    path = (p.Step(found[0]),)
    none, some = p.Where(of, p.Test(path, "<=", p.Number(0))), p.Where(of, p.Test(path, ">", p.Number(0)))
    for i, word in enumerate(words):
        if word == "stock" and i and words[i - 1] == "in" and not taken[i]:
            yield Condition(i - 1, i + 1, some, none)
        elif word == "stock" and i > 1 and list(words[i - 2 : i]) == ["out", "of"] and not taken[i]:
            yield Condition(i - 2, i + 1, none, some)


def _undone_said(words: Sequence[str], taken: Sequence[bool], graph: Graph) -> Iterator[Condition]:
    """ "Unpaid" before invoices of which only some say when they were paid, or by whom."""
    lexicon = Lexicon.of(graph)
    for i, word in enumerate(words[:-1]):
        kind = _kind_behind(words, i, lexicon) if _UNDONE.fullmatch(word) and not taken[i] else None
        if kind is None or graph.resolve(word) or graph.resolve(word.capitalize()):
            continue
        of_kind = p.Class(kind)
        if states := [each.id for said in (word[2:], word[2:].capitalize()) for each in graph.resolve(said)]:
            having = _stating(of_kind, tuple(dict.fromkeys(states)), graph)
            if having is not None:
                yield Condition(i, i + 1, p.Minus(of_kind, having), having)  # of projects those that are not "finished"
                continue
        done = forms(word[2:])
        told = [
            id for id, label in lexicon.labels.items() if done & set(stems(label)) | done & set(label.lower().split())
        ]
        shares = {
            step.relation: share for step, share in steps_of(graph, execute(of_kind, graph).members, backward=False)
        }
        relation = next((id for id in told if 0 < shares.get(id, 0) < 1), None)
        if relation is not None:
            undone, was = (p.WhereCount(of_kind, (p.Step(relation),), op, 0) for op in ("=", ">"))
            yield Condition(i, i + 1, undone, was)


def _kind_behind(words: Sequence[str], i: int, lexicon: Lexicon) -> str | None:
    """The kind that the one or two words behind a place name."""
    said = tuple(stem(word) for word in words[i + 1 : i + 3])
    return lexicon.classes.get(said[:1]) or lexicon.classes.get(said)


def _done_said(words: Sequence[str], taken: Sequence[bool], graph: Graph) -> Iterator[Condition]:
    """ "Finished" before jobs of which only some say when they went out, where nothing is stated to be finished."""
    lexicon = Lexicon.of(graph)
    for i, word in enumerate(words[:-1]):
        kind = _kind_behind(words, i, lexicon) if word in _DONE and not taken[i] else None
        if kind is None or graph.resolve(word) or graph.resolve(word.capitalize()):
            continue
        of_kind = p.Class(kind)
        dates = [
            step
            for step, share in steps_of(graph, execute(of_kind, graph).members, backward=False)
            if 0 < share < 1 and column(graph, graph.relation_number(step.relation) or 0).kind == "date"
        ]
        named = {step: lexicon.words_of(step.relation) for step in dates}
        over = [step for step, label in named.items() if forms(word) & set(label)] or [
            step for step, label in named.items() if any(map(ends, label)) or label[-1:] == ["out"]
        ]
        if len(over) == 1:
            done, open_ = (p.WhereCount(of_kind, (over[0],), op, 0) for op in (">", "="))
            yield Condition(i, i + 1, done, open_)


def _stating(kind: p.Class, values: tuple[str, ...], graph: Graph) -> p.SetPlan | None:
    """The things of a kind that state one of some values, by the one relation that leads there from some of them."""
    members = execute(kind, graph).members
    for step, _ in steps_of(graph, members, backward=False):
        having = p.Follow(p.Entities(values), (p.Step(step.relation, False),))
        if 0 < np.isin(members, execute(having, graph).members).mean() < 1:
            return having
    return None


def undone_said(text: str, graph: Graph) -> Condition | None:
    """What a question says to lack something by one word, or to be in stock or not: "unpaid invoices"; None where it
    says neither."""
    if _TOLD.search(text.lower()) is None:
        return None
    words = re.findall(r"[\w-]+", text.lower())
    none = [False] * len(words)
    said = _undone_said(words, none, graph), _done_said(words, none, graph), _stock_said(words, none, graph)
    return next(chain(*said), None)


def _flags_said(words: Sequence[str], taken: Sequence[bool], graph: Graph) -> Iterator[Condition]:
    """The flags that the words of a question say, those said in full first.

    In full: all words of its name in a row. Else by one word of four letters or more that no other relation and no kind
    is called by.
    """
    known = [flag for flag in flags(graph) if flag.yes]
    if not known:
        return
    lexicon = Lexicon.of(graph)
    names = {flag.relation: [s for s in stems(flag.label) if s not in FUNCTION] for flag in known}
    said: set[str] = set()
    for flag in known:
        if (found := _in_full(words, taken, flag, names[flag.relation])) is not None:
            said.add(flag.relation)
            yield found
    others = [label for id, label in lexicon.labels.items() if id not in names]
    used = {form for text in (*others, *lexicon.class_ids.values()) for word in stems(text) for form in forms(word)}
    for flag in known:
        parts = names[flag.relation]
        if len(parts) > 1 and _ADJECTIVE.fullmatch(parts[-1]) is None:
            parts = parts[:-1]  # "milk" is not said to be raw
        long = [name for name in parts if len(name) >= TELLING]
        done = [name.removesuffix("able").removesuffix("ible") for name in long if name.endswith(("able", "ible"))]
        # "Be booked" is said of what is bookable.
        mine = {form for name in (*long, *done) if len(name) >= TELLING for form in forms(name)}
        shared = {f for other in known if other is not flag for name in names[other.relation] for f in forms(name)}
        telling = mine - used - shared
        for i, word in enumerate(words):
            if flag.relation in said or taken[i] or word in FUNCTION or len(word) < TELLING:
                continue
            if forms(word) & telling:
                said.add(flag.relation)
                yield _condition(i, i + 1, flag, PARTLY)


def _in_full(words: Sequence[str], taken: Sequence[bool], flag: Flag, name: Sequence[str]) -> Condition | None:
    if not name:
        return None
    wanted = [forms(part) for part in name]
    for start, word in enumerate(words):
        parts = [part for part in word.split("-") if part not in FUNCTION]  # as `name` has none: "digital-only"
        joined = "-" in word and len(parts) == len(name) and not taken[start]  # "battery-powered"
        if joined and all(forms(part) & form for part, form in zip(parts, wanted, strict=True)):
            return _condition(start, start + 1, flag, 1.0)
    if len(name) == 1 and 2 <= len(name[0]) <= MOST_INITIALS:
        for start in range(len(words) - len(name[0]) + 1):
            here = range(start, start + len(name[0]))
            said = [words[i] for i in here]
            if any(taken[i] or len(words[i]) < SHORTEST or words[i] in FUNCTION for i in here):
                continue
            if "".join(word[0] for word in said) == name[0]:  # "open access", oa
                return _condition(start, start + len(said), flag, 1.0)
    for start in range(len(words) - len(name) + 1):
        here = range(start, start + len(name))
        if any(taken[i] for i in here):
            continue
        if all(forms(words[i]) & form for i, form in zip(here, wanted, strict=True)):
            return _condition(start, start + len(name), flag, 1.0)
        if len(name) == 2 and forms(words[start]) & wanted[1] and not taken[start]:  # "paid the ransom", ransomPaid
            end = next((i for i in range(start + 1, len(words)) if words[i] not in FUNCTION), None)
            if end is not None and not taken[end] and forms(words[end]) & wanted[0]:
                return _condition(start, end + 1, flag, 1.0)
        turned = _turned(words[start]) if len(name) == 1 else ""
        if flag.no and len(turned) >= TELLING and forms(turned) & wanted[0]:
            return _condition(start, start + 1, flag, 0.95, denied=True)
    return None


def _condition(start: int, end: int, flag: Flag, fit: float, *, denied: bool = False) -> Condition:
    """A flag that words say; `denied` by the word itself: "unfurnished"."""
    step = (p.Step(flag.relation, False),)
    having, lacking = (p.Follow(p.Entities(ids), step) if ids else None for ids in (flag.yes, flag.no))
    plan, opposite = (lacking, having) if denied else (having, lacking)
    assert plan is not None  # only flags with a yes are looked for, and denied ones with a no
    return Condition(start, end, plan, opposite, fit)


def _turned(word: str) -> str:
    """What a word denies: "unfurnished", "non-smoking", "onshore"; "" where it denies nothing."""
    bare = (word.removeprefix(each).lstrip("-") for each in _PREFIXES if word.startswith(each))
    return _OPPOSITES.get(word) or next(bare, "")


def _values_said(words: Sequence[str], taken: Sequence[bool], graph: Graph) -> Iterator[Condition]:
    """A number beside the name of a property that has this very value: "phase 3", "grade 4", "4 bed"."""
    lexicon = Lexicon.of(graph)
    for i, word in enumerate(words):
        if taken[i] or not word.isdigit():
            continue
        if (i and words[i - 1] in _COMPARED) or (i + 1 < len(words) and words[i + 1] in ("or", "and", "to")):
            continue
        for other in (i - 1, i + 1):
            if not 0 <= other < len(words) or taken[other] or len(words[other]) < SHORTEST or words[other] in FUNCTION:
                continue
            found = {id: ids for id in _called(words[other], lexicon) if (ids := _with_value(graph, id, word))}
            if len(found) == 1:
                (relation, ids), first = next(iter(found.items())), min(i, other)
                yield Condition(first, first + 2, p.Follow(p.Entities(ids), (p.Step(relation, False),)))
                break


def _sexes_said(words: Sequence[str], taken: Sequence[bool], graph: Graph) -> Iterator[Condition]:
    """ "Female" and "men" of things whose sex is stated by a letter."""
    lexicon = Lexicon.of(graph)
    relations = [id for name in ("sex", "gender") for id in lexicon.relations.get((name,), ())]
    for i, word in enumerate(words):
        letters = next((letters for said, letters in _SEXES if word in said), "")
        found = [(id, ids) for id in relations for letter in letters if (ids := _with_value(graph, id, letter))]
        if found and not taken[i]:
            (relation, ids) = found[0]
            yield Condition(i, i + 1, p.Follow(p.Entities(ids), (p.Step(relation, False),)))


def _called(word: str, lexicon: Lexicon) -> list[str]:
    """The relations whose name is a word, or one of its words begins with it: "bed" of bedrooms."""
    named = lexicon.relations.get((stem(word),), [])
    begun = [id for id, label in lexicon.labels.items() if any(part.startswith(stem(word)) for part in stems(label))]
    return named or begun


def _with_value(graph: Graph, relation: str, value: str) -> tuple[str, ...]:
    """The ids of what a relation leads to that is called by a number."""
    number = graph.relation_number(relation)
    if number is None:
        return ()

    def made() -> dict[str, tuple[str, ...]]:
        tails = np.unique(first_tails(graph.whole, number, MOST_VALUES))
        known: dict[str, tuple[str, ...]] = {}
        for id, label in zip(graph.ids_at(tails), graph.labels_at(tails), strict=True):
            known[label] = (*known.get(label, ()), id)
        return known

    return graph.derived(("flagging.values", number), made).get(value, ())
