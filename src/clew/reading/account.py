"""How a plan accounts for the words of a question: who asks for which step, in which order, and what nobody asks for.

Apart from the network, because it is counted and not learned: every step takes up its own part of the question, no
part is taken up twice ("the son of X's child" are two steps over `children`), and parts are met in the order in which
English chains them, from the topic outwards. Meanings come from `clew.synthesis.lexicon`, everything else from the
words of the graph.

Shapes: A account features.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np

from clew.labels import label_to_text
from clew.reading.growth import PlanCandidate
from clew.reading.synonyms import VAGUE
from clew.reading.trails import Hops
from clew.reading.wording import EMPTY, QuestionWording, Wording, stem
from clew.retrieval.words import FUNCTION
from clew.synthesis.lexicon import MEANINGS, SAME, Meaning, meaning_of

ACCOUNT = (
    "left_over",  # content words, each time they are said, that no step can ask for; over MOST
    "unasked",  # steps that no word is left to ask for, over 3
    "guessed",  # steps that may be asked for by words that are not known to mean them, over 3
    "unmet",  # words left over that are known to name something else than any step of the plan, over MOST
    "disorder",  # neighbouring steps whose words stand in the wrong order; a first step against what is asked
    "ask_met",  # the question is put as one asks for the last step ("what does X do": occupation)
    "leads_right",  # who, where: the last step is known to lead to persons, to places
    "leads_wrong",  # it is known to lead to something else
)
MOST = 2  # words left over that count: in a long question every plan leaves some
LOOKED_AT = 200  # triples of a thing without a type
Phrase = frozenset[str]  # stems of the words of one way to say a step

_TOKEN = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"\s*(?:['’]s?)(?!\w)")
# "whose capital is it", "is it the capital of", "it is the capital of": asked against the direction of the noun.
_INVERSE = re.compile(
    r"\bwhose (?:\w+ ){1,4}(?:is|was|are|were) (?:the )?it$|"
    r"^(?:\w+ ){0,4}(?:is|was|are|were) it (?:the|a|an) (?:\w+ ){1,5}of\b|"
    r"^it (?:is|was) (?:the|a|an) (?:\w+ ){1,5}of\b"
)
_VAGUE = EMPTY | {stem(word) for word in ("type", "kind", "sort", "different", "share", "shares", "common")}
PERSONS = frozenset(map(stem, ("person", "people", "human", "actor", "player", "politician", "athlete", "author")))
PLACES = frozenset(map(stem, ("place", "location", "city", "country", "state", "town", "region", "area", "continent")))


@dataclass(frozen=True, slots=True)
class _Sense:
    """What is known of one hop in one direction."""

    phrases: tuple[Phrase, ...]
    heads: str  # what has this relation, as far as its meaning tells: a "film", a "person"
    known: bool  # to the lexicon: then a word that it knows for something else cannot ask for this
    asks: tuple[re.Pattern[str], ...]
    leads: str  # to a "person", "place", "other" thing; "" where not known


@lru_cache(maxsize=65536)
def _sense(label: str, forward: bool) -> _Sense:
    last = label.rsplit(".", 1)[-1] if label.count(".") >= 2 else label
    words = label_to_text(last).casefold()
    meaning = meaning_of(words)
    own = [_phrase(words), *([_phrase(label_to_text(label))] if last != label else [])]
    if meaning is None:
        return _Sense(tuple(dict.fromkeys(filter(None, own))), "", False, (), "")
    said: list[str] = []
    if forward or not meaning.converse:
        said += meaning.nouns
        said += [form for verb in meaning.verbs for form in (verb.base, verb.past, verb.participle)]
    if forward:
        said += [text.replace("{x}", " ") for text in (*meaning.tells, *meaning.asks) if "{head}" not in text]
    else:
        said += [*meaning.converse, *(text.replace("{x}", " ") for text in (*meaning.shows, *meaning.tells))]
        if meaning.converse:
            own = []
    phrases = tuple(dict.fromkeys(filter(None, [*own, *map(_phrase, said)])))
    return _Sense(phrases, meaning.heads, True, _asks(meaning) if forward else (), _leads(meaning, forward))


def _phrase(text: str) -> Phrase:
    return frozenset(stem(w) for w in _TOKEN.findall(text.casefold()) if w not in FUNCTION) - _VAGUE


def _asks(meaning: Meaning) -> tuple[re.Pattern[str], ...]:
    texts = [ask.replace("{head}", "film") for ask in meaning.asks]
    return tuple(re.compile(re.escape(text.casefold()).replace(re.escape("{x}"), "(.+)")) for text in texts)


NAMING = frozenset(
    stem(noun)
    for meaning in MEANINGS
    for noun in (*meaning.nouns, *meaning.converse)
    if noun.isalpha() and noun.casefold() not in VAGUE
)
"""Nouns that are known to name some relation."""
_KIN = tuple(meaning_of(word) for word in ("spouse", "child", "parent", "sibling"))


def _leads(meaning: Meaning, forward: bool) -> str:
    if not forward:
        return {"person": "person", "": ""}.get(meaning.heads, "other")
    if meaning in _KIN or meaning.verbs or any(ask.startswith("who ") for ask in meaning.asks):
        return "person"
    return "place" if any(ask.startswith("where ") for ask in meaning.asks) else "other"


class Accounts:
    """The accounts of one question."""

    def __init__(self, asked: QuestionWording, wording: Wording) -> None:
        self._wording, self._types = wording, frozenset(wording.types)
        text = asked.text.casefold()
        self._cue = asked.cue
        marks = [(first, last) for first, last, _ in asked.spans]
        tokens = [(m.start(), m.group()) for m in _TOKEN.finditer(text)]
        topic = {start for start, _ in tokens for first, last in marks if first <= start < last}
        at = [i for i, (start, _) in enumerate(tokens) if start in topic]
        owned = any(_POSSESSIVE.match(text, last) for _, last in marks)
        self._plain = " ".join(word for _, word in tokens)
        self._inverse = _INVERSE.search(self._plain) is not None
        self._stems: list[str] = []
        self._start: list[int] = []  # in `_plain`
        self._place: list[float] = []  # how far outwards from the topic a word stands
        for i, (start, word) in enumerate(tokens):
            if start in topic or word in FUNCTION or len(word) < 2 or stem(word) in _VAGUE:
                continue
            self._stems.append(stem(word))
            self._start.append(sum(len(word) + 1 for _, word in tokens[:i]))
            near = min(at, key=lambda t: abs(t - i), default=len(tokens))
            after = i > near
            self._place.append(abs(i - near) + (0 if after == owned else len(tokens)))
        self._met: dict[tuple[int, bool], list[int] | None] = {}
        self._words = frozenset(self._stems)
        self._senses: dict[tuple[int, bool], _Sense] = {}
        self._said: dict[Hops, tuple[tuple[Phrase, ...], Phrase]] = {}
        self._kinds: dict[tuple[int, bool], str] = {}  # of what a hop leads to

    def note(self, plan: PlanCandidate, kind: str) -> None:
        """Remember what kind of thing the last hop of a plan leads to, for plans that go on from there."""
        hop = _last(plan)[-1]
        if hop not in self._kinds:
            self._kinds[hop] = kind or self._guess(plan)

    def _guess(self, plan: PlanCandidate) -> str:
        """The kind of a thing without a type: a "film" has directors and actors."""
        out, end = self._wording.graph.out, int(plan.ends[0])
        first, last = int(out.offsets[end]), int(out.offsets[end + 1])
        relations = np.unique(out.relations[first : min(last, first + LOOKED_AT)]).tolist()
        heads = Counter(heads for r in relations if (heads := self._sense(r, True).heads))
        return heads.most_common(1)[0][0] if heads else ""

    def of(self, plan: PlanCandidate) -> list[float]:
        """(A) of a plan."""
        free = dict(enumerate(self._stems))
        disorder = int(self._inverse and plan.trails[0].steps[0][0][1])
        unasked: list[Hops] = []
        place: float | None = None
        for trail in plan.trails:
            before = -1.0
            for step in trail.steps:
                place = self._claim(step, free)
                if place is None:
                    unasked.append(step)
                else:
                    disorder += place < before
                    before = place
        for step in plan.after:
            place = self._claim(step, free)
            if place is None:
                unasked.append(step)
        last = _last(plan)
        met = self._asks_for(last)
        if met is not None:
            free = {i: word for i, word in free.items() if i in met}
            if place is None:
                unasked.pop()
        guessed, unmet = self._guesses(unasked, list(free.values()))
        leads = self._leads_to(last)
        wanted = self._cue if self._cue in ("person", "place") else ""
        return [
            min(len(free) - guessed, MOST) / MOST,
            (len(unasked) - guessed) / 3,
            guessed / 3,
            min(unmet, MOST) / MOST,
            float(disorder),
            float(met is not None),
            float(bool(wanted) and leads == wanted),
            float(bool(wanted) and leads not in ("", wanted)),
        ]

    def _guesses(self, unasked: Sequence[Hops], free: Sequence[str]) -> tuple[int, int]:
        """How many steps some word left over may ask for, and how many words are left that name something known.

        A word that is known for something else does not ask for a step that is known; nothing asks for a class.
        """
        steps = [step for step in unasked if step[-1][0] not in self._types]
        known = sum(self._sense(*step[-1]).known for step in steps)
        naming = sum(word in NAMING for word in free)
        by_name = min(len(steps) - known, naming)
        return by_name + min(len(steps) - by_name, len(free) - naming), naming - by_name

    def _claim(self, step: Hops, free: dict[int, str]) -> float | None:
        """Take from `free` the nearest words that ask for a step; how far outwards they stand, None for no word."""
        if step not in self._said:
            hops = [*step, *((number, True) for number, forward in step if self._inverse and not forward)]
            ways = tuple(phrase for hop in hops for phrase in self._sense(*hop).phrases)
            self._said[step] = ways, self._words.intersection(chain.from_iterable(ways))
        phrases, said = self._said[step]
        first = self._nearest(said, free)
        if first is not None:
            best = max((p for p in phrases if free[first] in p), key=lambda p: self._reach(first, p, free))
            taken = {free.pop(first)}
            for i in sorted(free, key=lambda i: abs(i - first)):
                if free[i] in best and free[i] not in taken:
                    taken.add(free.pop(i))
        kind = self._nearest(_named(self._kinds.get(step[-1], "")), free)
        if kind is not None:
            del free[kind]
        found = kind if first is None else first
        return None if found is None else self._place[found]

    def _nearest(self, words: Phrase, free: dict[int, str]) -> int | None:
        if words.isdisjoint(self._words):  # so with most steps
            return None
        near = [i for i in free if free[i] in words]
        return min(near, key=lambda i: self._place[i], default=None)

    def _reach(self, first: int, phrase: Phrase, free: dict[int, str]) -> float:
        """How much of a phrase stands around a word."""
        return sum(free.get(i) in phrase for i in (first - 1, first + 1)) - 0.01 * len(phrase)

    def _sense(self, number: int, forward: bool) -> _Sense:
        known = self._senses.get((number, forward))
        if known is None:
            label = self._wording.graph.relation(number).label
            known = self._senses[number, forward] = _sense(label, forward)
        return known

    def _asks_for(self, step: Hops) -> list[int] | None:
        """The words that name what it is asked of where the question is put as one asks for a step; else None."""
        hop = step[-1]
        if hop not in self._met:
            found = next((m for ask in self._sense(*hop).asks if (m := ask.fullmatch(self._plain))), None)
            self._met[hop] = (
                None
                if found is None
                else [i for i, at in enumerate(self._start) if any(a <= at < b for a, b in found.regs[1:])]
            )
        return self._met[hop]

    def _leads_to(self, step: Hops) -> str:
        known, words = self._sense(*step[-1]).leads, _phrase(self._kinds.get(step[-1], ""))
        if known in ("person", "place") or not words:
            return known
        return "person" if words & PERSONS else "place" if words & PLACES else "other"


def _last(plan: PlanCandidate) -> Hops:
    return plan.after[-1] if plan.after else plan.trails[0].steps[-1]


@lru_cache(maxsize=65536)
def _named(kind: str) -> Phrase:
    return _phrase(kind) | {stem(same) for word in kind.split() for same in SAME.get(word, ())}


def accounts(
    asked: QuestionWording, wording: Wording, plans: Sequence[PlanCandidate], kinds: Sequence[str]
) -> list[list[float]]:
    """(P, A) for the plans of a question and the kinds of their ends."""
    each = Accounts(asked, wording)
    for plan, kind in zip(plans, kinds, strict=True):
        each.note(plan, kind)
    return [each.of(plan) for plan in plans]
