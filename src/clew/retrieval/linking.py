"""Question → topics: which entities of the graph a question is about, with a score and a reason in words.

Apart from search because it is the only step that reads free text against names; everything after it works on ids.
An embedded graph is asked once for all its names in the question; any other store is asked with `find`, window by
window. Nothing is guessed silently: ambiguous names come back as several topics, and no match is an empty list.

Shapes: E entities that compete, R relations of the graph, D width of a vector.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA

from clew.errors import InputError, NotFoundError
from clew.graph import Graph
from clew.graph.names import Found, Word, words_of
from clew.graph.remote import Named, ServerGraph
from clew.graph.spelling import normalise
from clew.labels import label_to_text
from clew.protocols import GraphStore, TextEncoder
from clew.retrieval.words import FUNCTION, weight
from clew.types import Entity, Question, Topic

LEAST = 0.35  # a mention below this is more likely a word than a name
NEAR_BEST = 0.8  # further mentions must score this share of the best one
NAMESAKES = 10  # of one mention; the reason says when there are more
EQUAL = 0.955  # a name that scores less in a store is not equal to the mention, only like it
WINDOWS = 60  # most look-ups for one question
WINDOW_WORDS = 8
RELATION_WEIGHT = 0.35  # of a word that names a relation of the graph
LIKELY = 0.6  # a mention above this outdoes those inside it
INSIDE = 0.8  # share of its score that a mention inside a longer one keeps
CONTEXT = 0.3  # how far the encoder can move a score

_MARKED = (re.compile(r"\[([^\[\]]+)\]"), re.compile(r"[\"“„«]([^\"“”„«»]+)[\"”“»]"))


_Named = tuple[tuple[Entity, float, str], ...]
"""Who is called so: entity, likeness of the name, why; best first."""
_Finder = Callable[[Sequence[str]], list[_Named]]


@dataclass(frozen=True, slots=True)
class _Mention:
    """A part of the question and who is called that."""

    start: int
    end: int
    text: str
    named: _Named
    namesakes: int


Linker = Callable[[Question, GraphStore], "Sequence[Topic] | Topics"]
"""Question, graph → topics; may raise NotFoundError for a supplied topic that the graph does not hold."""


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of a question, best first, and what there is to say about how they were found."""

    topics: tuple[Topic, ...] = ()
    note: str = ""  # why there are none, or which of those supplied were not found; "" where all went well
    spans: tuple[tuple[int, int] | None, ...] = ()  # characters of the question behind each topic; None: not in it

    def __iter__(self) -> Iterator[Topic]:
        return iter(self.topics)

    def __len__(self) -> int:
        return len(self.topics)

    def mentions(self) -> dict[str, tuple[Topic, ...]]:
        """The topics by the part of the question they stand for: several where one name means several entities."""
        groups: dict[str, list[Topic]] = {}
        for topic in self.topics:
            groups.setdefault(topic.mention, []).append(topic)
        return {mention: tuple(mine) for mention, mine in groups.items()}


def link_topics(
    question: Question,
    graph: GraphStore,
    *,
    linker: Linker | None = None,
    encoder: TextEncoder | None = None,
    limit: int = 3,
) -> Topics:
    """The topics of any question, hard ones included: what cannot be linked is said in the note and never raised.

    Supplied topics that the graph does not hold are left out with a note; when none is left, the text is linked.

    Args:
        linker: what to link with instead of `link`, as in `Tools.link`.
        encoder, limit: as for `link`.
    """
    if not question.text.strip():
        return Topics(note="the question is empty")
    linked = linker or partial(link, encoder=encoder, limit=limit)
    notes: list[str] = []
    topics: list[Topic] = []
    try:
        topics = list(linked(question, graph))
    except (NotFoundError, InputError) as error:
        notes.append(str(error))
        for name in question.topics:
            try:
                topics += linked(replace(question, topics=(name,)), graph)
            except (NotFoundError, InputError) as other:
                notes.append(str(other))
        if not topics:
            try:
                topics = list(linked(replace(question, topics=()), graph))
            except (NotFoundError, InputError) as other:
                notes.append(str(other))
            else:
                notes.append("linked by the question's text instead" if topics else "nor does its text name one")
    if not topics and not notes:
        notes.append("no part of the question names an entity of the graph")
    return Topics(tuple(topics), "; ".join(dict.fromkeys(notes)), tuple(_places(question.text, topics)))


def _places(text: str, topics: Sequence[Topic]) -> Iterator[tuple[int, int] | None]:
    """Where each topic's mention stands in the text."""
    folded = text.casefold()
    for topic in topics:
        mention = topic.mention.casefold()
        at = folded.find(mention) if mention and len(folded) == len(text) else text.find(topic.mention)
        yield (at, at + len(topic.mention)) if at >= 0 and mention else None


def link(question: Question, graph: GraphStore, *, encoder: TextEncoder | None = None, limit: int = 3) -> list[Topic]:
    """The topics of `question`, best first: those the asker supplied, else the names found in its text.

    Mentions do not overlap, and a further mention is kept when it is nearly as certain as the best. Every entity that
    shares a mention's name is kept. An empty list means that no part of the question names an entity of the graph.

    Args:
        encoder: tells namesakes apart by whether their relations suit the question.
        limit: most mentions.

    Raises NotFoundError for a supplied topic that the graph does not hold, with the nearest names.
    """
    if question.topics:
        return [topic for name in question.topics for topic in given(name, graph)]
    chosen: list[Topic] = []
    spans: list[tuple[int, int]] = []
    for (start, end), topics in _ranked(question, graph, encoder):
        best = topics[0].score
        if best < LEAST or (chosen and best < NEAR_BEST * chosen[0].score) or len(spans) == limit:
            break
        if any(start < other_end and other < end for other, other_end in spans):
            continue
        spans.append((start, end))
        chosen += topics
    return chosen


def candidates(
    question: Question, graph: GraphStore, *, encoder: TextEncoder | None = None, limit: int = 10
) -> list[Topic]:
    """What `link` chooses from: every entity that the text may name, nested mentions and weak ones included."""
    if question.topics:
        return link(question, graph)[:limit]
    best: dict[str, Topic] = {}
    for _, topics in _ranked(question, graph, encoder):
        for topic in topics:
            if topic.entity.id not in best or best[topic.entity.id].score < topic.score:
                best[topic.entity.id] = topic
    return sorted(best.values(), key=lambda topic: -topic.score)[:limit]


def given(name: str, graph: GraphStore) -> list[Topic]:
    """The entity whose id is `name`, else every entity so called. Raises NotFoundError with the nearest names."""
    if not name.strip():
        raise InputError("a topic is empty, expected the id or the label of an entity")
    try:
        return [Topic(graph.entity(name), 1.0, name, "given")]
    except NotFoundError:
        found = graph.find(name, limit=50)
    equal = [(entity, score) for entity, score in found if score >= EQUAL]
    if not equal:
        near = ", ".join(repr(label) for label in dict.fromkeys(entity.label for entity, _ in found[:5]))
        raise NotFoundError(
            f"graph {graph.name!r}: no entity {name!r}" + (f"; nearest: {near}" if near else "; no name is like it")
        )
    shared = f", one of {len(equal)} so called" if len(equal) > 1 else ""
    return [Topic(entity, score, name, f"given{shared}") for entity, score in equal]


def _ranked(
    question: Question, graph: GraphStore, encoder: TextEncoder | None
) -> list[tuple[tuple[int, int], list[Topic]]]:
    """Mentions with their topics, the best mention first."""
    text = question.text
    words = words_of(text)
    if not words:
        return []
    known = _relation_words(graph)
    find = partial(_find, graph=graph, kept={})  # a remote store is asked once for each run of words
    mentions = _equal_names(text, words, known, graph, find)
    mentions += _like_names(text, words, known, mentions, find)
    marked = _marked(text)
    cased = _cased(text, words)
    ranked = []
    for mention in mentions:
        inside = [word for word in words if mention.start <= word.start < mention.end]
        certainty = _certainty(mention, inside, known, cased, marked)
        shared = f"; one of {mention.namesakes} so called" if mention.namesakes > len(mention.named) else ""
        topics = [
            Topic(entity, certainty * likeness, mention.text, reason + shared)
            for entity, likeness, reason in mention.named
        ]
        ranked.append(((mention.start, mention.end), topics))
    ranked = [(span, _outdone(span, topics, ranked)) for span, topics in ranked]
    if encoder is not None:
        ranked = _in_context(text, ranked, graph, encoder)
    order = [(span, sorted(topics, key=lambda topic: -topic.score)) for span, topics in ranked if topics]
    return sorted(order, key=lambda pair: (-pair[1][0].score, pair[0][0] - pair[0][1], pair[0][0]))


def _certainty(
    mention: _Mention,
    words: Sequence[Word],
    known: frozenset[str],
    cased: bool,
    marked: Sequence[tuple[int, int]],
) -> float:
    """How surely the words of a mention are meant as a name, in [0, 1]: rare, many, capitalised or marked words are."""
    if (mention.start, mention.end) in marked:
        return 1.0
    # That several words in a row are a name by chance is unlikely even where each is ordinary.
    weights = [_weight(word, known) for word in words]
    says = sum(weights) + (0.3 if max(weights) >= 0.6 else 0.15) * (len(words) - 1)
    certainty = 1 - math.exp(-1.3 * says)
    if cased:
        first = next((char for char in mention.text if char.isalpha()), "1")
        certainty = 0.5 + 0.5 * certainty if first.isupper() and mention.start > 0 else certainty**1.3
    return certainty


def _outdone(
    span: tuple[int, int], topics: list[Topic], ranked: Sequence[tuple[tuple[int, int], list[Topic]]]
) -> list[Topic]:
    """A name inside a longer, likely one is less likely meant: "Warriors" in the misspelt "Onse Were Warriors"."""
    longer = any(
        start <= span[0] and span[1] <= end and end - start > span[1] - span[0] and others and others[0].score >= LIKELY
        for (start, end), others in ranked
    )
    return [replace(topic, score=INSIDE * topic.score) for topic in topics] if longer else topics


def _marked(text: str) -> list[tuple[int, int]]:
    """Parts that the asker put in brackets or quotation marks."""
    return [match.span(1) for pattern in _MARKED for match in pattern.finditer(text)]


def _weight(word: Word, known: frozenset[str]) -> float:
    says = weight(word.folded)
    return min(says, RELATION_WEIGHT) if word.folded in known else says


def _cased(text: str, words: Sequence[Word]) -> bool:
    """Whether the asker uses capitals, so that their absence says something."""
    starts = [text[word.start].isupper() for word in words[1:] if text[word.start].isalpha()]
    return any(starts) and not all(starts)


def _equal_names(
    text: str, words: Sequence[Word], known: frozenset[str], graph: GraphStore, find: _Finder
) -> list[_Mention]:
    """Parts of the text that are names up to case, accents, signs, plural and possessive."""
    if isinstance(graph, ServerGraph):
        return [
            _Mention(
                span.start, span.end, span.text, _popular_there(graph, span.named, 0.02)[:NAMESAKES], len(span.named)
            )
            for span in graph.spans(text)
        ]
    if not isinstance(graph, Graph):
        found = _look_up_windows(text, words, known, range(len(words)), find, any_start=True)
        equal = (replace(m, named=tuple(named for named in m.named if named[1] >= EQUAL)) for m in found)
        return [mention for mention in equal if mention.named]
    mentions = []
    for span in graph.spans(text):
        named = _most_popular(graph, span.found, 0.02)[:NAMESAKES]
        mentions.append(_Mention(span.start, span.end, span.text, named, len(span.found)))
    return mentions


def _like_names(
    text: str, words: Sequence[Word], known: frozenset[str], equal: Sequence[_Mention], find: _Finder
) -> list[_Mention]:
    """Names like a part of the text that holds a rare word which no equal name explains."""
    unexplained = [
        i
        for i, word in enumerate(words)
        if _weight(word, known) >= 0.6 and not any(m.start <= word.start and word.end <= m.end for m in equal)
    ]
    if not unexplained:
        return []
    like = []
    for mention in _look_up_windows(text, words, known, unexplained, find):
        named = tuple(n for n in mention.named if n[1] < EQUAL and _plausible(mention.text, n[0]))
        if named:
            like.append(replace(mention, named=named, namesakes=len(named)))
    return like


def _look_up_windows(
    text: str,
    words: Sequence[Word],
    known: frozenset[str],
    holding: Iterable[int],
    find: _Finder,
    any_start: bool = False,
) -> list[_Mention]:
    """What the store finds for the most telling runs of words around one of `holding`.

    Runs do not end in a function word, nor begin with one unless `any_start`; marked parts are always looked up.
    """
    wanted = set(holding)
    windows = []
    for first in range(len(words)):
        for last in range(first, min(len(words), first + WINDOW_WORDS)):
            run = words[first : last + 1]
            begins = any_start or run[0].folded not in FUNCTION
            if wanted.isdisjoint(range(first, last + 1)) or not begins or run[-1].folded in FUNCTION:
                continue
            says = sum(_weight(word, known) for word in run) / len(run) ** 0.5
            windows.append((-says, run[0].start, run[-1].end))
    mentions = []
    windows += [(-math.inf, *span) for span in _marked(text)]
    chosen = [(start, re.sub(r"['’]s?$", "", text[start:end])) for _, start, end in sorted(set(windows))[:WINDOWS]]
    for (start, part), named in zip(chosen, find([part for _, part in chosen]), strict=True):
        if named:
            mentions.append(_Mention(start, start + len(part), part, named, len(named)))
    return mentions


def _plausible(text: str, entity: Entity) -> bool:
    """Whether `text` may stand for the entity: it is a part of the name, or one letter in five is off at most."""
    wanted, label = normalise(text), normalise(entity.label)
    if len(wanted) < 4 or not any(char.isalpha() for char in wanted):  # one letter off is another word, another number
        return f" {wanted} " in f" {label} " and any(char.isalpha() for char in wanted)
    return f" {wanted} " in f" {label} " or OSA.distance(wanted, label) <= max(1, len(wanted) // 5)


def _find(parts: Sequence[str], graph: GraphStore, kept: dict[str, _Named]) -> list[_Named]:
    """Who is called like each part; what was looked up before comes from `kept`."""
    if isinstance(graph, Graph):
        return [_most_popular(graph, graph.search(part, 30), 0.15) for part in parts]
    missing = [part for part in dict.fromkeys(parts) if part not in kept]
    if isinstance(graph, ServerGraph):
        found = graph.look_up(missing, 30) if missing else []
        kept.update((part, _popular_there(graph, named, 0.15)) for part, named in zip(missing, found, strict=True))
    else:
        for part in missing:
            named = graph.find(part, limit=20)
            kept[part] = tuple((entity, score, _likeness(score)) for entity, score in named)
    return [kept[part] for part in parts]


def _likeness(score: float) -> str:
    if score >= 1:
        return "exact name"
    return "name up to case and signs" if score >= EQUAL else "spelled alike"


def _in_context(
    text: str, ranked: list[tuple[tuple[int, int], list[Topic]]], graph: GraphStore, encoder: TextEncoder
) -> list[tuple[tuple[int, int], list[Topic]]]:
    """Tell entities of one label apart: those whose relations suit the question less lose some of their score."""
    result = []
    around = _relations_around([topic.entity for _, topics in ranked for topic in _namesakes(topics)], graph)
    for span, topics in ranked:
        counts = Counter(topic.entity.label for topic in topics)
        if max(counts.values()) > 1:
            row, table = _relation_vectors(graph, encoder)
            suits = (encoder.encode([_without(text, span)], role="query") @ table.T)[0]  # (R,)
            fits = [_fit([row[id] for id in around.get(t.entity.id, ()) if id in row], suits) for t in topics]
            best: dict[str, float] = {}
            for topic, fit in zip(topics, fits, strict=True):
                best[topic.entity.label] = max(fit, best.get(topic.entity.label, 0.0))
            topics = [
                replace(topic, score=topic.score * (1 - CONTEXT * (best[topic.entity.label] - fit)))
                for topic, fit in zip(topics, fits, strict=True)
            ]
        result.append((span, topics))
    return result


def _fit(rows: Sequence[int], suits: NDArray[np.float32]) -> float:
    return max(0.0, float(suits[rows].max())) if rows else 0.0


def _relation_vectors(graph: GraphStore, encoder: TextEncoder) -> tuple[dict[str, int], NDArray[np.float32]]:
    """The row of each relation's id, and (R, D) vectors of their labels; worked out once for a graph and an encoder."""
    known = _VECTORS.setdefault(graph, {})
    if encoder.name not in known:
        relations = graph.relations()
        vectors = encoder.encode([label_to_text(relation.label) for relation in relations])
        known[encoder.name] = ({relation.id: i for i, relation in enumerate(relations)}, vectors)
    return known[encoder.name]


def _without(text: str, span: tuple[int, int]) -> str:
    return " ".join((text[: span[0]] + text[span[1] :]).replace("[]", " ").split())


def _namesakes(topics: Sequence[Topic]) -> list[Topic]:
    """The topics of a mention where some of them share a label."""
    return list(topics) if len({topic.entity.label for topic in topics}) < len(topics) else []


def _relations_around(entities: Sequence[Entity], graph: GraphStore) -> dict[str, set[str]]:
    """The relations of each entity's triples."""
    if not entities:
        return {}
    if isinstance(graph, ServerGraph):
        return graph.relations_around([entity.id for entity in entities])
    return {entity.id: _relations_of(entity, graph) for entity in entities}


def _relations_of(entity: Entity, graph: GraphStore) -> set[str]:
    if isinstance(graph, Graph):
        number = graph.number_of(entity.id)
        if number is None:
            return set()
        sides = (graph.whole.out, graph.whole.inc)
        mine = [np.unique(side.relations[side.offsets[number] : side.offsets[number + 1]]) for side in sides]
        return {graph.relation_at(int(r)).id for r in np.concatenate(mine)}
    return {triple.relation.id for triple in graph.neighbors([entity.id], limit=200)}


def _relation_words(graph: GraphStore) -> frozenset[str]:
    """Words of the relations' names: "directed by" makes "directed" a poor name in this graph."""
    if graph not in _RELATION_WORDS:
        _RELATION_WORDS[graph] = frozenset(
            word.folded
            for relation in graph.relations()
            for word in words_of(label_to_text(relation.label))
            if len(word.folded) > 3
        )
    return _RELATION_WORDS[graph]


def _most_popular(graph: Graph, found: Sequence[Found], share: float) -> tuple[tuple[Entity, float, str], ...]:
    """What was found, a `share` of each score depending on how many triples the entity has; best first."""
    if not found:
        return ()
    numbers = np.array([f.number for f in found], np.int64)
    degrees = sum(side.offsets[numbers + 1] - side.offsets[numbers] for side in (graph.whole.out, graph.whole.inc))
    popular = np.log1p(degrees) / np.log1p(max(graph.num_triples, 1))
    scores = [f.score * (1 - share * (1 - p)) for f, p in zip(found, popular.tolist(), strict=True)]
    order = sorted(range(len(found)), key=lambda i: -scores[i])
    return tuple((graph.entity_at(found[i].number), scores[i], found[i].reason) for i in order)


def _popular_there(graph: ServerGraph, named: Sequence[Named], share: float) -> _Named:
    """As `_most_popular`, of what a server's names gave."""
    size = math.log1p(max(graph.num_triples or 0, 1))
    ranked = [(n.likeness * (1 - share * (1 - math.log1p(n.degree) / size)), n) for n in named]
    return tuple((n.entity, score, n.reason) for score, n in sorted(ranked, key=lambda pair: -pair[0]))


_RELATION_WORDS: WeakKeyDictionary[GraphStore, frozenset[str]] = WeakKeyDictionary()
_VECTORS: WeakKeyDictionary[GraphStore, dict[str, tuple[dict[str, int], NDArray[np.float32]]]] = WeakKeyDictionary()
