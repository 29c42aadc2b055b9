"""What a plan says in words: its steps, the kinds of things it leads to, and which words of the question it takes up.

Separate from the network because this is where graphs differ: typed or not, dotted relation names or labels, values as
literals or as plain labels. Nothing here knows a data set. Everything about a graph is worked out once and kept.

Shapes: F features of a plan, G features of a step.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clew.graph import Subgraph
from clew.graph.kinds import kinds_of_any
from clew.graph.subgraph import Ints
from clew.labels import ABBREVIATIONS, in_full, label_to_text
from clew.reading.growth import PlanCandidate
from clew.reading.synonyms import as_asked, plain_text
from clew.reading.trails import Hops, undoes
from clew.retrieval.masking import mask_topics
from clew.retrieval.scoring import answer_cue, value_cue
from clew.retrieval.words import FUNCTION

Floats = NDArray[np.float32]

KIND_SAMPLE = 3  # ends that tell what kind of thing a plan leads to
STEP_FEATURES = ("shared", "named")
PLAN_FEATURES = (
    "known",  # the ends are known; False for plans made from a schema alone
    "width",  # log of the number of ends, over 5
    "one",
    "time",
    "number",
    "text",  # another literal
    "back",  # a step walks back over the one before
    "twice",  # one relation in one direction twice
    "loop",  # the only end is the topic
    "unused",  # mentions of the question that the plan does not use
    "joined",  # trails beyond the first
    "asks_person",
    "asks_place",
    "asks_time",
    "asks_number",
    "taken_up",  # share of the question's content words that some step or kind holds
    "left",  # content words that none holds, over 4
    "kind_named",  # the kind of the ends is named in the question
    "kind_known",
    "ends_named",  # share of the ends that the question itself names
)


@lru_cache(maxsize=65536)
def plain_words(label: str) -> str:
    """A label as plain words in lower case, abbreviations written out."""
    return in_full(label_to_text(label).casefold())


@dataclass(frozen=True, slots=True)
class WordedStep:
    """A step in words. One hop, or two around a mediator."""

    first: str
    second: str  # empty for one hop
    way: int  # 0, 1: forward, backward; 2–5: the same of both hops


WAYS = 6


def way_of(step: Hops) -> int:
    """The directions of a step as one number."""
    if len(step) == 1:
        return 0 if step[0][1] else 1
    return 2 + 2 * (not step[0][1]) + (not step[1][1])


@dataclass(eq=False)
class Wording:
    """How one graph's relations and kinds read.

    Args:
        rename: other words for a relation number, and whether they say it in the other direction ("parents" as
            "child"); used in training, so that words are read and not remembered.
        untyped: no kinds, as in a graph that states none.
    """

    graph: Subgraph
    rename: Callable[[int], tuple[str, bool]] | None = None
    untyped: bool = False
    question: str = ""  # plain text of the question whose words are used for a step; "": the graph's own

    def __post_init__(self) -> None:
        self._words: dict[int, str] = {}
        self._kinds: dict[int, str] = {}
        self._values: dict[int, str] = {}
        self._types: list[int] | None = None
        self._steps: dict[Hops, WordedStep] = {}

    def renamed(self, rename: Callable[[int], tuple[str, bool]] | None) -> Wording:
        """The same with other words; what was worked out for the graph is shared."""
        other = copy(self)
        other.rename, other._steps = rename, {}
        return other

    def asked(self, question: str) -> Wording:
        """The same with each step in the words of a question that mean it (`clew.reading.synonyms`)."""
        other = copy(self)
        other.question, other._steps = plain_text(question), {}
        return other

    @property
    def types(self) -> list[int]:
        """Relations that state what kind of thing an entity is."""
        if self._types is None:
            self._types = list(kinds_of_any(self.graph.names).stated)
        return self._types

    def relation(self, number: int) -> str:
        """A relation in plain words."""
        if self.rename is not None:
            return self.rename(number)[0]
        if number not in self._words:
            self._words[number] = plain_words(self.graph.relation(number).label)
        return self._words[number]

    def step(self, step: Hops) -> WordedStep:
        known = self._steps.get(step)
        if known is None:
            hops = [self._hop(*hop) for hop in step]
            way = way_of(tuple((0, forward) for _, forward in hops))
            known = self._steps[step] = WordedStep(hops[0][0], hops[1][0] if len(hops) > 1 else "", way)
        return known

    def _hop(self, number: int, forward: bool) -> tuple[str, bool]:
        """A hop in words, and whether they say it in the direction in which it is walked."""
        if self.rename is not None:
            words, turned = self.rename(number)
            return words, forward != turned
        words = self.relation(number)
        if not self.question:
            return words, forward
        label = self.graph.relation(number).label
        short = label_to_text(label).casefold()
        if short != words and any(f" {word} " in self.question for word in short.split() if word in ABBREVIATIONS):
            words = short
        return as_asked(label, words, forward, self.question)

    def kind(self, entity: int) -> str:
        """What kind of thing an entity is: its type, for dotted relation names the part before the last, else ""."""
        if self.untyped:
            return ""
        if entity not in self._kinds:
            self._kinds[entity] = self._kind(entity)
        return self._kinds[entity]

    def _kind(self, entity: int) -> str:
        out = self.graph.out
        span = slice(int(out.offsets[entity]), int(out.offsets[entity + 1]))
        relations = out.relations[span]
        if self.types:
            kinds = out.neighbors[span][np.isin(relations, self.types)]
            return ", ".join(plain_words(label) for label in self.graph.labels(kinds[:2]))
        names = [self.graph.relation(int(r)).id for r in np.unique(relations)[:30]]
        dotted = Counter(name.split(".")[-2].replace("_", " ") for name in names if name.count(".") >= 2)
        return ", ".join(kind for kind, _ in dotted.most_common(2))

    def kinds(self, entities: Ints) -> str:
        """The commonest kind among some of the entities."""
        found = [self.kind(entity) for entity in entities[:KIND_SAMPLE].tolist()]
        return max(found, key=found.count, default="")  # the first of several that are as common

    def value(self, entities: Ints) -> str:
        """What the ends are as values: "time", "number", "text" for another literal, "" for things."""
        if not len(entities):
            return ""
        first = int(entities[0])
        if first not in self._values:
            self._values[first] = self._value(first)
        return self._values[first]

    def _value(self, entity: int) -> str:
        record = self.graph.entity(entity)
        cue = value_cue(record.label, record.datatype)
        if cue in ("time", "number"):
            return cue
        return "text" if record.kind == "literal" else ""


_WORD = re.compile(r"[^\W_]+")
_BEFORE = re.compile(r"(?P<link>in|into|onto|of|by|from|at|on|to|for|with|under|through) (?:the )?$", re.IGNORECASE)
_ENDINGS = ("ations", "ation", "ings", "ing", "ers", "ors", "er", "or", "ies", "ied", "ie", "es", "ed", "s", "e", "y")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without its ending, roughly: "directed", "director" and "directs" meet."""
    word = word.casefold()
    if len(word) <= 3:
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=65536)
def stems(text: str) -> frozenset[str]:
    """The content words of a text."""
    return frozenset(stem(word) for word in _WORD.findall(text.casefold()) if word not in FUNCTION)


EMPTY = frozenset(map(stem, ("called", "name", "named", "find", "following", "people", "thing", "things", "tell")))


PLACEHOLDER = "it"
_HOLDER = frozenset((PLACEHOLDER,))


@dataclass(frozen=True, eq=False)
class QuestionWording:
    """A question as the reader takes it: each mention of a topic replaced by PLACEHOLDER.

    `spans` holds (first, last + 1, mention) of each placeholder in `text`, in characters.
    """

    text: str
    spans: tuple[tuple[int, int, int], ...]
    words: frozenset[str]  # stems of the content words
    cue: str
    plain: str  # lower case and without signs, for looking up labels

    @classmethod
    def of(cls, question: str, mentions: Sequence[str]) -> QuestionWording:
        """The question with `mentions` masked, longest first; one that does not stand in it is passed over."""
        masked = mask_topics(question, [[mention] for mention in mentions], lambda _: PLACEHOLDER)
        text = masked.text
        plain = " ".join(_WORD.findall(text.casefold()))
        return cls(text, masked.places, stems(text) - EMPTY - _HOLDER, answer_cue(text), f" {plain} ")


def mention_flags(spans: NDArray[np.int64], marked: Sequence[tuple[int, int, int]]) -> NDArray[np.int64]:
    """(n,) the mention that each token stands for, from 1; 0 for none. `spans` (n, 2) in characters."""
    flags = np.zeros(len(spans), np.int64)
    for first, last, mention in marked:
        inside = (spans[:, 0] < last) & (spans[:, 1] > first) & (spans[:, 1] > spans[:, 0])
        flags[inside] = mention + 1
    return flags


def turned_round(
    asked: QuestionWording, wording: Wording, plans: Sequence[PlanCandidate], mentions: Sequence[int]
) -> Floats:
    """(P,) 1 for a plan that walks its first relation forward from a topic before which the preposition stands that
    ends the relation, where another walks it backward: "rivers that empty into the Sava" are no river that it flows
    into."""
    before = {number: _BEFORE.search(asked.text[:first]) for first, _, number in asked.spans}
    links = {number: match["link"].lower() for number, match in before.items() if match is not None}
    back = {(t.topic, t.steps[0][0][0]) for plan in plans for t in plan.trails if t.steps and not t.steps[0][0][1]}
    against = np.zeros(len(plans), np.float32)
    for i, plan in enumerate(plans):
        for trail in plan.trails:
            relation, forward = trail.steps[0][0]
            link = links.get(mentions[trail.topic])
            if link and forward and (trail.topic, relation) in back:
                against[i] = wording.relation(relation).rsplit(" ", 1)[-1] == link
    return against


def step_features(asked: QuestionWording, steps: Sequence[WordedStep]) -> Floats:
    """(S, G): the share of a step's words that stand in the question, and whether its whole label does."""
    rows = np.zeros((len(steps), len(STEP_FEATURES)), np.float32)
    for i, step in enumerate(steps):
        words = stems(step.first) | stems(step.second)
        if words:
            rows[i, 0] = len(words & asked.words) / len(words)
        rows[i, 1] = f" {step.first} " in asked.plain or (step.second != "" and f" {step.second} " in asked.plain)
    return rows


def plan_features(
    asked: QuestionWording, plan: PlanCandidate, wording: Wording, starts: Sequence[int], mentions: Sequence[int]
) -> tuple[list[float], str]:
    """(F) features of a plan, and the kind of its ends in words."""
    value = wording.value(plan.ends)
    kind = "" if value else wording.kinds(plan.ends)
    steps = [wording.step(step) for step in plan.steps]
    held = stems(kind).union(*(stems(s.first) | stems(s.second) for s in steps))
    used = {mentions[trail.topic] for trail in plan.trails}
    chains = [trail.steps for trail in plan.trails]
    back = any(undoes(b, a) for chain in chains for a, b in pairwise(chain))
    few = set(plan.ends.tolist()) if len(plan.ends) < 50 else set[int]()
    named = len(few.intersection(starts)) / max(len(few), 1)
    loop = len(plan.ends) == 1 and any(int(plan.ends[0]) == starts[trail.topic] for trail in plan.trails)
    return made_features(
        asked,
        held,
        kind,
        value,
        width=len(plan.ends),
        back=back,
        twice=any(len(set(chain)) < len(chain) for chain in chains),
        loop=loop,
        unused=len(set(mentions)) - len(used),
        joined=len(plan.trails) - 1,
        named=named,
    ), kind


def made_features(
    asked: QuestionWording,
    held: frozenset[str],
    kind: str,
    value: str | None,
    *,
    width: int | None,
    back: bool,
    twice: bool,
    loop: bool,
    unused: int,
    joined: int,
    named: float,
) -> list[float]:
    """(F) features; `width` and `value` are None where a plan was made from a schema and leads to nothing known."""
    taken = len(asked.words & held) / max(len(asked.words), 1)
    return [
        float(width is not None),
        0.0 if width is None else float(np.log1p(width)) / 5,
        float(width == 1),
        float(value == "time"),
        float(value == "number"),
        float(value == "text"),
        float(back),
        float(twice),
        float(loop),
        min(unused, 3) / 3,
        min(joined, 2) / 2,
        float(asked.cue == "person"),
        float(asked.cue == "place"),
        float(asked.cue == "time"),
        float(asked.cue == "number"),
        taken,
        len(asked.words - held) / 4,
        float(bool(stems(kind) & asked.words)),
        float(kind != ""),
        named,
    ]
