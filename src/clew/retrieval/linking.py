"""Question → topics: which entities of the graph a question is about, with a score and a reason in words.

Apart from search because it is the only step that reads free text against names; everything after it works on ids.
An embedded graph is asked once for all its names in the question; any other store is asked with `find`, window by
window. Nothing is guessed silently: ambiguous names come back as several topics, and no match is an empty list.

Shapes: E entities that compete, R relations of the graph, D width of a vector.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError, NotFoundError
from clew.graph import Graph
from clew.graph.kinds import ALL_UP_TO
from clew.graph.labelling import OTHER_NAMES
from clew.graph.names import Word, words_of
from clew.graph.remote import ServerGraph
from clew.graph.spelling import normalise
from clew.labels import label_to_text
from clew.protocols import GraphStore, TextEncoder
from clew.query.vocabulary import MONTHS, WEEKDAYS
from clew.retrieval.lexicon import Lexicon, stems
from clew.retrieval.mentions import EQUAL, RARE, Mention, MentionReading, mentions_in
from clew.retrieval.qualifiers import of_said_kind, qualified
from clew.types import Entity, Question, Topic

LEAST = 0.35  # a mention below this is more likely a word than a name
WEAK = 0.2  # where nothing else is named, the best mention above this is taken: "drama", "states"
NEAR_BEST = 0.8  # further mentions must score this share of the best one
NEAR_JOINED = 0.7  # the same for an exact name that "and" or "but" stands between: each is a condition of its own
SAME_NAME = 0.75  # of several that one mention may mean, those are kept that score this share of the best one
LIKELY = 0.6  # a mention above this outdoes those inside it
INSIDE = 0.8  # share of its score that a mention inside a longer one keeps
BROKEN = 0.3  # share of its score that a mention keeps where the name that stands there goes on in words it lacks
SHORTEST = 4  # letters of a word that is taken for an unknown name
CONTEXT = 0.3  # how far the encoder can move a score
MOST_WORDS = 400  # of a question that are read
MOST_LETTERS = 8000


_SIGNS = "+#*°™®"
_SYMBOLS = re.compile(rf"[{_SIGNS}]*(?!\w)")

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
    if not question.topics and len(_shortened(question.text)) < len(question.text.rstrip()):
        notes.append(f"only the first {MOST_WORDS} words of the question are read")
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


def link(
    question: Question,
    graph: GraphStore,
    *,
    encoder: TextEncoder | None = None,
    relations: TextEncoder | None = None,
    limit: int = 3,
) -> list[Topic]:
    """The topics of `question`, best first: those the asker supplied, else the names found in its text.

    Mentions do not overlap, and a further mention is kept when it is nearly as certain as the best. Every entity that
    shares a mention's name is kept. An empty list means that no part of the question names an entity of the graph.

    Args:
        encoder: tells namesakes apart by whether their relations suit the question.
        relations: as `Tools.relations`.
        limit: most mentions.

    Raises NotFoundError for a supplied topic that the graph does not hold, with the nearest names.
    """
    if question.topics:
        return [topic for name in question.topics for topic in given(name, graph)]
    ranked = _ranked(question, graph, encoder, relations)
    chosen: list[tuple[tuple[int, int], list[Topic]]] = []
    for (start, end), topics in ranked:
        best = topics[0].score
        share = NEAR_JOINED if chosen and _condition(question.text, chosen[0][0], (start, end), topics) else NEAR_BEST
        if best < LEAST or (chosen and best < share * chosen[0][1][0].score) or len(chosen) == limit:
            break
        if not any(start < other_end and other < end for (other, other_end), _ in chosen):
            chosen.append(((start, end), topics))
    if not chosen:
        chosen = [(span, topics) for span, topics in ranked if topics[0].score >= WEAK][:1]
    if isinstance(graph, (Graph, ServerGraph)):
        chosen = qualified(question.text, chosen, graph)
    if isinstance(graph, Graph):
        chosen = of_said_kind(question.text, chosen, graph)
    return [topic for _, topics in chosen for topic in topics if topic.score >= SAME_NAME * topics[0].score]


def _condition(text: str, one: tuple[int, int], other: tuple[int, int], topics: Sequence[Topic]) -> bool:
    """Whether a name is a condition beside another: "plays violin and was born in Norway"."""
    between = text[min(one[1], other[1]) : max(one[0], other[0])]
    return topics[0].reason.startswith("exact") and re.search(r"\b(?:and|but)\b", between, re.IGNORECASE) is not None


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
    question: Question, graph: GraphStore, encoder: TextEncoder | None, relations: TextEncoder | None = None
) -> list[tuple[tuple[int, int], list[Topic]]]:
    """Mentions with their topics, the best mention first."""
    reading = MentionReading.of(_shortened(question.text), _relation_words(graph))
    ranked = []
    for mention in mentions_in(reading, graph):
        certainty = _certainty(mention, reading)
        beside = "" if mention.exact else _name_goes_on(mention, reading)
        shared = f"; one of {mention.namesakes} so called" if mention.namesakes > len(mention.named) else ""
        topics = [
            Topic(entity, certainty * likeness * _whole(entity, beside), mention.text, reason + shared)
            for entity, likeness, reason in mention.named
        ]
        ranked.append(((mention.start, mention.end), _but_for_symbols(topics, reading.text, mention.end)))
    if isinstance(graph, Graph):
        ranked = [(span, _but_for_mere_names(topics, graph)) for span, topics in ranked]
    ranked = _outdone(ranked)
    if encoder is not None:
        ranked = _in_context(reading.text, ranked, graph, encoder, encoder if relations is None else relations)
    order = [(span, sorted(topics, key=lambda topic: -topic.score)) for span, topics in ranked if topics]
    return sorted(order, key=lambda pair: (-pair[1][0].score, pair[0][0] - pair[0][1], pair[0][0]))


def _but_for_symbols(topics: list[Topic], text: str, end: int) -> list[Topic]:
    """Those whose name ends in the signs that stand behind a mention at `end`: "C++" is neither C nor C#.

    Names are compared without signs, and all three are called alike; where none ends so, all stay.
    """
    said = _SYMBOLS.match(text, end)
    signs = "" if said is None else said.group(0)  # none where a word goes on
    same = [t for t in topics if t.entity.label[len(t.entity.label.rstrip(_SIGNS)) :] == signs]
    return same or topics


def _but_for_mere_names(topics: list[Topic], graph: Graph) -> list[Topic]:
    """Topics without what is only the name of another, as plain triples state it: `X aka "Y"` makes a thing of Y."""
    if len(topics) < 2:
        return topics
    mere = graph.derived("linking.mere_names", partial(_mere_names, graph))
    return [topic for topic in topics if graph.number_of(topic.entity.id) not in mere] or topics


def _mere_names(graph: Graph) -> frozenset[int]:
    """The numbers of what nothing is said of but that something is called so."""
    naming = [i for i, r in enumerate(graph.relations()) if label_to_text(r.label).casefold() in OTHER_NAMES]
    if not naming or graph.num_triples > ALL_UP_TO:
        return frozenset()
    whole = graph.whole
    called = np.bincount(whole.tails[np.isin(whole.rels, naming)], minlength=graph.num_entities)
    led_to, leads = np.diff(whole.inc.offsets), np.diff(whole.out.offsets)
    return frozenset(np.flatnonzero((called > 0) & (called == led_to) & (leads == 0)).tolist())


def _name_goes_on(mention: Mention, reading: MentionReading) -> str:
    """The rare capitalised word beside a mention, of the same name, as "mona" is of "Lisa"; "" where none is."""
    inside = [i for i, word in enumerate(reading.words) if mention.start <= word.start < mention.end]
    if not inside or not reading.capital(reading.words[inside[0]]):
        return ""
    for left, right in ((inside[0] - 1, inside[0]), (inside[-1], inside[-1] + 1)):
        if left < 0 or right == len(reading.words):
            continue
        first, second = reading.words[left], reading.words[right]
        neighbour = second if left == inside[-1] else first
        together = reading.text[first.end : second.start] == " "
        if together and reading.capital(neighbour) and reading.weight(neighbour) >= RARE:
            return neighbour.folded
    return ""


def _whole(entity: Entity, beside: str) -> float:
    """What is kept of a score: a name that lacks its neighbour's word is hardly the one that stands there."""
    return BROKEN if beside and beside not in normalise(entity.label).split() else 1.0


def unknown_names(question: Question, graph: GraphStore) -> list[str]:
    """Names in a question's text that no entity of the graph may stand for: an answer that passes over one is wrong.

    Only what is surely a name counts: a rare word that is capitalised, not in capitals throughout and not the first,
    where the asker uses capitals. Questions that name their topics apart have none.
    """
    if question.topics:
        return []
    reading = MentionReading.of(_shortened(question.text), _relation_words(graph))
    kinds = Lexicon.of(graph).classes if isinstance(graph, Graph) else {}  # "CVEs", a kind
    said = ((word, stems(reading.text[word.start : word.end])) for word in reading.words)
    names = [word for word, named in said if _surely_a_name(word, reading) and named not in kinds]
    if not names:
        return []  # linking is not done twice for it
    covered = [span for span, topics in _ranked(question, graph, None) if topics and topics[0].score >= WEAK]
    found: list[tuple[int, int]] = []
    for word in names:
        if any(start <= word.start < end for start, end in covered):
            continue
        if found and reading.text[found[-1][1] : word.start] == " ":
            found[-1] = (found[-1][0], word.end)
        else:
            found.append((word.start, word.end))
    return [reading.text[start:end] for start, end in found]


def _surely_a_name(word: Word, reading: MentionReading) -> bool:
    written = reading.text[word.start : word.end]
    capital = reading.capital(word) and not written.isupper()
    dated = word.folded in MONTHS or word.folded in WEEKDAYS
    return capital and not dated and len(written) >= SHORTEST and reading.weight(word) >= RARE


def _shortened(text: str) -> str:
    """The words that are read: what comes after `MOST_WORDS` of them is not."""
    if len(text) <= MOST_WORDS:
        return text
    words = words_of(text[:MOST_LETTERS])
    return text[: words[MOST_WORDS - 1].end] if len(words) > MOST_WORDS else text[:MOST_LETTERS]


def _certainty(mention: Mention, reading: MentionReading) -> float:
    """How surely the words of a mention are meant as a name, in [0, 1]: rare, many, capitalised or marked words are."""
    if (mention.start, mention.end) in reading.marked:
        return 1.0
    # That several words in a row are a name by chance is unlikely even where each is ordinary.
    weights = [reading.weight(word) for word in reading.inside(mention.start, mention.end)] or [0.1]
    says = sum(weights) + (0.3 if max(weights) >= RARE else 0.15) * (len(weights) - 1)
    certainty = 1 - math.exp(-1.3 * says)
    if reading.cased:
        first = next((char for char in mention.text if char.isalpha()), "1")
        certainty = 0.5 + 0.5 * certainty if first.isupper() and mention.start > 0 else certainty**1.3
    return max(certainty, mention.least)


def _outdone(ranked: Sequence[tuple[tuple[int, int], list[Topic]]]) -> list[tuple[tuple[int, int], list[Topic]]]:
    """A name inside a longer, likely one is less likely meant: "Warriors" in the misspelt "Onse Were Warriors".

    What stands in a date that the graph does not hold is no name at all.
    """
    dates = [span for span, topics in ranked if not topics]
    ranked = [
        (span, topics)
        for span, topics in ranked
        if topics and not any(start <= span[0] and span[1] <= end for start, end in dates)
    ]
    likely = sorted(span for span, others in ranked if max(topic.score for topic in others) >= LIKELY)
    starts = [start for start, _ in likely]
    furthest = list(accumulate((end for _, end in likely), max))
    result = []
    for span, topics in ranked:
        before = bisect_right(starts, span[0])
        # A longer one begins before this and ends no earlier, or begins here and ends later.
        sooner = bisect_left(starts, span[0])
        longer = (sooner > 0 and furthest[sooner - 1] >= span[1]) or any(
            end > span[1] for _, end in likely[sooner:before]
        )
        result.append((span, [replace(t, score=INSIDE * t.score) for t in topics] if longer else topics))
    return result


def _in_context(
    text: str,
    ranked: list[tuple[tuple[int, int], list[Topic]]],
    graph: GraphStore,
    encoder: TextEncoder,
    relations: TextEncoder,
) -> list[tuple[tuple[int, int], list[Topic]]]:
    """Tell entities of one label apart: those whose relations suit the question less lose some of their score."""
    result = []
    around: dict[str, set[str]] = {}
    if isinstance(graph, ServerGraph):  # one query for all of them
        shared = [
            t.entity.id for _, topics in ranked if len({t.entity.label for t in topics}) < len(topics) for t in topics
        ]
        around = graph.relations_around(shared) if shared else {}
    for span, topics in ranked:
        counts = Counter(topic.entity.label for topic in topics)
        if max(counts.values()) > 1:
            mine = [sorted(around.get(t.entity.id) or _relations_of(t.entity, graph)) for t in topics]
            known = _relation_vectors(graph, relations, {id for ids in mine for id in ids})
            asked = encoder.encode([_without(text, span)], role="query")[0]
            fits = [max([0.0, *(float(known[id] @ asked) for id in ids if id in known)]) for ids in mine]
            best: dict[str, float] = {}
            for topic, fit in zip(topics, fits, strict=True):
                best[topic.entity.label] = max(fit, best.get(topic.entity.label, 0.0))
            topics = [
                replace(topic, score=topic.score * (1 - CONTEXT * (best[topic.entity.label] - fit)))
                for topic, fit in zip(topics, fits, strict=True)
            ]
        result.append((span, topics))
    return result


def _relation_vectors(graph: GraphStore, encoder: TextEncoder, ids: Collection[str]) -> dict[str, NDArray[np.float32]]:
    """Vectors of labels by relation, of these and others met before: a graph may have thousands, and few are near."""
    known = _VECTORS.setdefault(graph, {}).setdefault(encoder.name, {})
    missing = set(ids) - set(known)
    if missing:
        if isinstance(graph, Graph):
            numbers = sorted(n for n in map(graph.relation_number, missing) if n is not None)
            records = [graph.relation_at(number) for number in numbers]
        else:
            records = [each for each in graph.relations() if each.id in missing]
        labels = {each.id: label_to_text(each.label) for each in records}
        known.update(zip(labels, encoder.encode(list(labels.values())), strict=True))
    return known


def _without(text: str, span: tuple[int, int]) -> str:
    return " ".join((text[: span[0]] + text[span[1] :]).replace("[]", " ").split())


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


_RELATION_WORDS: WeakKeyDictionary[GraphStore, frozenset[str]] = WeakKeyDictionary()
_VECTORS: WeakKeyDictionary[GraphStore, dict[str, dict[str, NDArray[np.float32]]]] = WeakKeyDictionary()
