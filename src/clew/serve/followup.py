"""Conversations: what "it", "he", "and Italy?" mean, by the topics and answers of earlier turns.

Kept apart from the doors because the page, a chat client and the terminal resolve follow-ups alike; it needs no web
framework. Nothing is guessed silently: what a word was read as is said in a note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clew.errors import NotFoundError
from clew.protocols import GraphStore, TextEncoder
from clew.retrieval.words import FUNCTION
from clew.types import Answer, Entity, Question, Topic

Link = Callable[[Question], list[Topic]]

PERSON = frozenset(["he", "she", "him", "her", "his", "hers", "himself", "herself"])
THING = frozenset(["it", "its", "itself", "this", "that"])
SEVERAL = frozenset(["they", "them", "their", "theirs", "themselves", "these", "those"])
PLACE = frozenset({"there"})
POSSESSIVE = frozenset(["his", "her", "its", "their"])
DEMONSTRATIVE = frozenset(["this", "that", "these", "those"])
PREFERRED = 0.15  # by how much the likelier role of a pronoun outweighs how well the question suits the entity
RECENT = 4  # earlier turns that are looked at

_LEAD = re.compile(r"\s*(?:and\s+|or\s+|but\s+)?(?:what|how)\s+about\b|\s*(?:and|or|but)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


@dataclass(frozen=True, slots=True)
class Said:
    """An earlier turn: the question as it was answered, its topics and its best answers as entities."""

    question: str
    topics: tuple[Entity, ...] = ()
    answers: tuple[Entity, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolved:
    """A question that can be understood by itself. `topics` are ids; empty means: those found in its text."""

    text: str
    topics: tuple[str, ...] = ()
    note: str = ""


def turn_of(answer: Answer) -> Said:
    """What a later question may refer to."""
    entities = dict.fromkeys(c.entity for c in answer.candidates[:5] if c.entity is not None)
    topics = tuple(dict.fromkeys(topic.entity for topic in answer.topics))
    return Said(answer.question.text, topics[:5], tuple(entities))


def known(graph: GraphStore, ids: Sequence[str]) -> tuple[Entity, ...]:
    """The entities that still exist."""
    found = []
    for id in ids:
        try:
            found.append(graph.entity(id))
        except NotFoundError:
            continue
    return tuple(found)


def refers_back(text: str) -> bool:
    """Whether a question may depend on an earlier one: it holds a pronoun or begins as an addition."""
    words = {word.casefold() for word in _WORD.findall(text)}
    return bool(words & (PERSON | THING | SEVERAL | PLACE)) or _LEAD.match(text) is not None or len(words) <= 3


def resolve(
    text: str,
    turns: Sequence[Said],
    graph: GraphStore,
    link: Link,
    *,
    encoder: TextEncoder | None = None,
) -> Resolved:
    """`text` with its references to earlier turns (oldest first) replaced by names.

    Args:
        link: the topics of a question as the graph's methods find them.
        encoder: tells which of several possible entities suits the question.
    """
    recent = list(turns)[-RECENT:]
    if not recent:
        return Resolved(text)
    own = link(Question("follow-up", text))
    swapped = _swapped(text, own, recent[-1], link)
    if swapped is not None:
        return swapped
    pronoun = _pronoun(text, bool(own))
    if pronoun is None:
        if own or not recent[-1].topics:
            return Resolved(text)
        topics = recent[-1].topics
        names = ", ".join(entity.label for entity in topics)
        return Resolved(text, tuple(entity.id for entity in topics), f"taken to be about {names}, as before")
    word = pronoun.group().casefold()
    entity = _referent(text, pronoun, recent, graph, encoder)
    if entity is None:
        return Resolved(text)
    following = _WORD.search(text, pronoun.end())
    owns = word in POSSESSIVE and following is not None and following.group().casefold() not in FUNCTION
    start, end = pronoun.span()
    if word in DEMONSTRATIVE and following is not None and following.group().casefold() not in FUNCTION:
        end = following.end()  # "that film" as a whole
    name = entity.label + ("'s" if owns else "")
    others = tuple(topic.entity.id for topic in own if topic.entity.id != entity.id)
    return Resolved(
        text[:start] + name + text[end:], (entity.id, *others), f"“{pronoun.group()}” was read as {entity.label}"
    )


def _swapped(text: str, own: Sequence[Topic], last: Said, link: Link) -> Resolved | None:
    """ "And Italy?" after "what is the capital of France?" asks for the capital of Italy."""
    lead = _LEAD.match(text)
    if lead is None or not own:
        return None
    rest = text[lead.end() :]
    for topic in own:
        rest = rest.replace(topic.mention, " ")
    if any(word.casefold() not in FUNCTION for word in _WORD.findall(rest)):
        return None
    before = link(Question("earlier", last.question))
    mention = next((topic.mention for topic in before if topic.mention and topic.mention in last.question), None)
    if mention is None:
        mention = next((entity.label for entity in last.topics if entity.label in last.question), None)
    if mention is None:
        return None
    asked = last.question.replace(mention, own[0].mention, 1)
    return Resolved(asked, (), f"read as “{asked}”")


def _pronoun(text: str, has_topics: bool) -> re.Match[str] | None:
    """The word that stands for something said earlier."""
    sure, unsure = PERSON | SEVERAL | {"its", "itself"}, {"it", "there", "this", "that"}
    for match in _WORD.finditer(text):
        word = match.group().casefold()
        if word in sure:
            return match
        if word in unsure and not has_topics:  # "is it true that Paris …" speaks of Paris
            if word == "there" and re.search(r"\b(?:is|are|was|were)\s+$", text[: match.start()], re.IGNORECASE):
                continue
            return match
    return None


def _referent(
    text: str, pronoun: re.Match[str], turns: Sequence[Said], graph: GraphStore, encoder: TextEncoder | None
) -> Entity | None:
    """Whom the pronoun means: of the latest turn that has any, the topic or answer that suits pronoun and question."""
    word = pronoun.group().casefold()
    for turn in reversed(turns):
        answers = [e for e in turn.answers if e.kind == "named"]
        single = answers[:1] if len(answers) == 1 or word in SEVERAL | PERSON else answers[:3]
        preferred, other = (list(turn.topics), single) if word in THING else (single, list(turn.topics))
        choice = [(entity, PREFERRED) for entity in preferred] + [(entity, 0.0) for entity in other]
        if not choice:
            continue
        if len(choice) == 1 or encoder is None:
            return choice[0][0]
        rest = text[: pronoun.start()] + text[pronoun.end() :]
        fits = _fits(rest, [entity for entity, _ in choice], graph, encoder)
        best = max(range(len(choice)), key=lambda i: (choice[i][1] + fits[i], -i))
        return choice[best][0]
    return None


def _fits(text: str, entities: Sequence[Entity], graph: GraphStore, encoder: TextEncoder) -> list[float]:
    """How well the relation that suits the question best does, for each entity."""
    names = []
    for entity in entities:
        around = graph.neighbors([entity.id], limit=200)
        names.append(sorted({re.sub(r"[_.]+", " ", triple.relation.label) for triple in around}))
    distinct = sorted({name for mine in names for name in mine})
    if not distinct:
        return [0.0] * len(entities)
    vectors = encoder.encode([text, *distinct])
    likeness = dict(zip(distinct, (vectors[1:] @ vectors[0]).tolist(), strict=True))
    return [max((likeness[name] for name in mine), default=0.0) for mine in names]
