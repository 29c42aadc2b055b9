"""The parts of a question that a graph knows: names, kinds of things and relations asked for, in their order.

Kept apart from `composing`, which joins them: here words meet the names of one graph, there sets meet sets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np

from clew.graph import Graph
from clew.graph.tables import NEXT, ORDER, UNNAMED
from clew.labels import label_to_text
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.vocabulary import MEASURES, SYNONYMS, head_of, stem
from clew.retrieval.linking import SAME_NAME, candidates
from clew.retrieval.words import FUNCTION
from clew.types import Question, Topic

ALIKE_KIND = 0.6  # cosine from which a noun means a class or a relation of another name ("towns", city)
ALIKE_COLUMN = 0.45  # the same for the columns of a table
LEAST_NAME = 0.35  # a mention below this is more likely a word than a name
CELL = 0.2  # the same in a table, where the question is about nothing else
MOST_CELLS = 200  # cells that one run of words may stand in
SURE_NAME = 0.6  # a mention from this on is a name even where its words are also those of a relation
MOST_CHUNKS = 6
ADJECTIVES = 2  # unknown words that may stand between a question word and what is asked for
_PLACES = frozenset(["location", "venue", "city", "place", "country", "site", "stadium", "town", "state", "county"])
_LACKING = ("no", "without")
_AFTER_NOUN = frozenset(["of", "in", "is", "are", "was", "were", "has", "have", "for", "with", "on", "by", "at", ","])

_LIGHT = """
located lie lies situated found exist exists total different various world earth globe called named kind kinds use
uses used using belong belongs part have live lives lived people own entire whole overall inside exactly place
places thing things number amount country's all every each many much old long big high go goes come say listed table
chart list shown given mentioned recorded record data
"""
LIGHT = frozenset(_LIGHT.split())  # words that need nothing in the graph to stand for them
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*|,")
_ASKS = frozenset(re.findall(r"\w+", "what which who whom whose where when many list name show give find all count"))


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some words in a row: a set that is named (`plan`), or relations asked for (`relations`, best first)."""

    start: int
    end: int
    kind: Literal["class", "topic", "relation"]
    plan: p.SetPlan | None = None
    relations: tuple[str, ...] = ()
    fit: float = 1.0


@dataclass(frozen=True, slots=True)
class Spotted:
    """A question as words with the chunks among them, ascending and apart."""

    words: tuple[str, ...]  # lower case
    chunks: tuple[Chunk, ...]
    root: int | None  # the chunk that is asked for; None: nothing says of what kind it is


class Lexicon:
    """The names of kinds and relations of one graph, by stems."""

    def __init__(self, graph: Graph) -> None:
        binding = Binding.of(graph)
        self.types = frozenset(binding.type_relations)
        order = (graph.relation_number(ORDER), graph.relation_number(NEXT))
        self.order = frozenset(number for number in order if number is not None)
        self.table = len(self.order) == 2  # rows of one table: whatever a question calls them
        self.silent = self.types | (self.order if self.table else frozenset())  # relations that no words ask for
        self.classes: dict[tuple[str, ...], str] = {}
        self.class_ids: dict[str, str] = {}
        if binding.type_relations:
            whole = graph.whole
            nodes = np.unique(whole.tails[np.isin(whole.rels, binding.type_relations)])
            for id, label in zip(graph.ids_at(nodes), graph.labels_at(nodes), strict=True):
                self.class_ids[id] = label_to_text(label)
                self.classes.setdefault(stems(label_to_text(label)), id)
        self.relations: dict[tuple[str, ...], list[str]] = {}
        self.labels: dict[str, str] = {}
        for number, relation in enumerate(graph.relations()):
            if number in self.silent:
                continue
            label = label_to_text(relation.label.rsplit(".", 1)[-1])
            self.labels[relation.id] = label
            for name in dict.fromkeys((label, head_of(label))):
                if stems(name):
                    self.relations.setdefault(stems(name), []).append(relation.id)
        ends: dict[tuple[str, ...], list[str]] = {}
        for id, label in self.labels.items():  # "the names of the courses": course_name
            for cut in range(1, len(stems(head_of(label)))):
                ends.setdefault(stems(head_of(label))[cut:], []).append(id)
        for end, ids in ends.items():
            known = self.relations.setdefault(end, [])
            known += [id for id in ids if id not in known]

    @classmethod
    def of(cls, graph: Graph) -> Lexicon:
        if graph not in _LEXICONS:
            _LEXICONS[graph] = cls(graph)
        return _LEXICONS[graph]


_LEXICONS: WeakKeyDictionary[Graph, Lexicon] = WeakKeyDictionary()


def stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in _WORD.findall(text.lower()) if word != ",")


def spot(question: Question, graph: Graph, encoder: TextEncoder | None) -> Spotted:
    """The chunks of a question. What no name, kind or relation accounts for stays between them."""
    text = re.sub(r"(?<=\w)['’]s\b", "", question.text)
    found = list(_WORD.finditer(text))
    words = tuple(match.group(0).lower() for match in found)
    lexicon = Lexicon.of(graph)
    taken = [False] * len(words)
    chunks: list[Chunk] = []

    def put(chunk: Chunk) -> None:
        chunks.append(chunk)
        taken[chunk.start : chunk.end] = [True] * (chunk.end - chunk.start)

    for topics, (start, end) in _names(Question(question.id, text, question.topics), found, graph, encoder):
        if any(taken[start:end]) or len(chunks) == MOST_CHUNKS:
            continue
        said = tuple(stem(word) for word in words[start:end])
        ordinary = said in lexicon.classes or said in lexicon.relations
        if ordinary and (topics[0].score < SURE_NAME or text[found[start].start()].islower()):
            continue
        if all(t.entity.id in lexicon.class_ids for t in topics):
            put(Chunk(start, end, "class", p.Class(topics[0].entity.id)))
        else:
            put(Chunk(start, end, "topic", p.Entities(tuple(t.entity.id for t in topics))))
    for length in (4, 3, 2, 1):
        for start in range(len(words) - length + 1):
            if any(taken[start : start + length]):
                continue
            said = tuple(stem(word) for word in words[start : start + length])
            if said in lexicon.classes:
                put(Chunk(start, start + length, "class", p.Class(lexicon.classes[said])))
            elif said in lexicon.relations and words[start] not in FUNCTION:
                put(Chunk(start, start + length, "relation", None, tuple(lexicon.relations[said])))
    _measured(words, taken, lexicon, put)
    asked = _asked(words)
    if lexicon.table:
        _within_cells(words, taken, asked, graph, lexicon, put)
    if asked is not None and not any(chunk.start <= asked < chunk.end for chunk in chunks) and not taken[asked]:
        alike = _alike(words[asked], lexicon, encoder)
        if alike is not None:
            put(Chunk(asked, asked + 1, *alike))
    for i in range(1, len(words)):
        if words[i - 1] in _LACKING and not taken[i] and (alike := _alike(words[i], lexicon, None)) is not None:
            put(Chunk(i, i + 1, *alike))
    chunks.sort(key=lambda chunk: chunk.start)
    root = _root(chunks, words, asked)
    if root is None and lexicon.table and lexicon.class_ids:
        root = _row_or_column(chunks, words, asked, graph, lexicon, encoder)
    if root is not None and root + 1 < len(chunks) and chunks[root].end == chunks[root + 1].start:
        first, second = chunks[root].kind, chunks[root + 1].kind
        after = words[chunks[root + 1].end : chunks[root + 1].end + 1]
        if (first, second) == ("class", "relation") and (not after or after[0] in _AFTER_NOUN):
            root += 1  # "state capitals" are capitals of states
        elif (first, second) == ("relation", "class"):
            del chunks[root + 1]  # "capital cities" are capitals
    kept = [
        c
        for i, c in enumerate(chunks)
        if c.kind != "relation" or i == root or words[c.end : c.end + 1] == ("of",) or words[c.start - 1] in _LACKING
    ]  # other names of relations say how their neighbours are joined
    return Spotted(words, tuple(kept), kept.index(chunks[root]) if root is not None else None)


def _names(
    question: Question, found: list[re.Match[str]], graph: Graph, encoder: TextEncoder | None
) -> list[tuple[list[Topic], tuple[int, int]]]:
    """Names with all their namesakes and the words they stand on, the likeliest first."""
    groups: dict[str, list[Topic]] = {}
    given = {id: graph.entity(id) for id in question.topics if graph.number_of(id) is not None}
    for entity in given.values():
        groups.setdefault(entity.label, []).append(Topic(entity, 1.0, entity.label, "given"))
    table = Lexicon.of(graph).table
    for topic in candidates(Question(question.id, question.text), graph, encoder=encoder, limit=40):
        if topic.score >= (CELL if table else LEAST_NAME) and topic.entity.id not in given:
            groups.setdefault(topic.mention, []).append(topic)
    made = []
    for mention, topics in groups.items():
        at = question.text.lower().find(mention.lower())
        over = [i for i, m in enumerate(found) if m.start() < at + len(mention) and at < m.end()]
        if at >= 0 and over:
            best = max(topic.score for topic in topics)
            kept = [topic for topic in topics if topic.score >= SAME_NAME * best]
            made.append((kept, (over[0], over[-1] + 1)))
    return sorted(made, key=lambda pair: (-pair[0][0].score, pair[1][0] - pair[1][1]))


def _measured(words: tuple[str, ...], taken: list[bool], lexicon: Lexicon, put: object) -> None:
    """ "How big" and "how many people live" ask for a relation by what it measures."""
    assert callable(put)
    for i, word in enumerate(words[:-1]):
        if word != "how" or taken[i + 1]:
            continue
        measures: tuple[str, ...] = MEASURES.get(words[i + 1], ()) if words[i + 1] not in ("many", "much") else ()
        end = i + 2
        if words[i + 1] == "many" and i + 2 < len(words) and words[i + 2] in ("people", "inhabitants", "residents"):
            measures, end = ("population",), i + 3
        fitting = [(m, r, stems(head_of(n))) for m in measures for r, n in lexicon.labels.items()]
        chosen = [
            r for m, r, name in sorted(fitting, key=lambda item: (measures.index(item[0]), len(item[2]))) if m in name
        ]
        if chosen and not any(taken[i:end]):
            put(Chunk(i, end, "relation", None, tuple(dict.fromkeys(chosen))))


def _within_cells(
    words: tuple[str, ...], taken: list[bool], asked: int | None, graph: Graph, lexicon: Lexicon, put: object
) -> None:
    """Words that stand inside cells of a table, the longest run first: all the cells that hold it are meant."""
    assert callable(put)
    if "table.cells" not in graph.derived:
        labels = graph.labels_at(range(graph.num_entities))
        graph.derived["table.cells"] = [" ".join(["", *_WORD.findall(label.lower()), ""]) for label in labels]
    cells: list[str] = graph.derived["table.cells"]
    kinds = {graph.number_of(id) for id in lexicon.class_ids}
    for length in (4, 3, 2, 1):
        for start in range(len(words) - length + 1):
            run = words[start : start + length]
            content = [word for word in run if word not in FUNCTION and word not in LIGHT and word != ","]
            if any(taken[start : start + length]) or not content or start == asked or run[0] in FUNCTION:
                continue
            if length == 1 and len(run[0]) < 3 and not run[0].isdigit():
                continue
            phrase = f" {' '.join(run)} "
            found = [i for i, cell in enumerate(cells) if phrase in cell and i not in kinds]
            if found:
                put(Chunk(start, start + length, "topic", p.Entities(tuple(graph.ids_at(found[:MOST_CELLS]))), (), 0.9))


def _asked(words: tuple[str, ...]) -> int | None:
    """The noun that a question word stands before."""
    for i, word in enumerate(words):
        if word in _ASKS:
            after = i + 1
            while after < len(words) and (words[after] in FUNCTION or words[after] in LIGHT or words[after].isdigit()):
                if words[after] in ("in", "of", ","):
                    return None
                after += 1
            return after if after < len(words) else None
    return None


def _alike(
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
    if encoder is None or not word.isalpha() or len(word) < 3:
        return None
    least = ALIKE_COLUMN if lexicon.table else ALIKE_KIND
    classes, relations = list(lexicon.class_ids.items())[:2000], list(lexicon.labels.items())[:2000]
    texts = [label for _, label in classes] + [head_of(label) for _, label in relations]
    if not texts:
        return None
    alike = encoder.encode(texts) @ encoder.encode([word], role="query")[0]
    best = int(alike.argmax())
    if float(alike[best]) < least:
        return None
    fit = float(alike[best])
    if best < len(classes):
        return "class", p.Class(classes[best][0]), (), fit
    return "relation", None, (relations[best - len(classes)][0],), fit


def _nearest(word: str, lexicon: Lexicon, encoder: TextEncoder | None) -> str:
    """The column whose name is most like a word; without a word the first."""
    columns = list(lexicon.labels)
    if not word or encoder is None:
        return columns[0]
    alike = encoder.encode([lexicon.labels[c] for c in columns]) @ encoder.encode([word], role="query")[0]
    return columns[int(alike.argmax())]


def _row_or_column(
    chunks: list[Chunk], words: tuple[str, ...], asked: int | None, graph: Graph, lexicon: Lexicon,
    encoder: TextEncoder | None,
) -> int:  # fmt: skip
    """What is asked of a table in words that it does not hold: a time, a place, else its rows."""
    place = next((i for i, word in enumerate(words) if word in _ASKS or word == "how"), 0)
    chosen: tuple[str, ...] = ()
    if "when" in words:
        chosen = tuple(r for r in lexicon.labels if column(graph, Binding.of(graph).relation(r)).kind == "date")
    elif "where" in words:
        chosen = tuple(r for r, label in lexicon.labels.items() if _PLACES & set(stems(label)))
    elif next(iter(lexicon.class_ids.values())) == UNNAMED and "many" not in words and "number" not in words:
        chosen = (_nearest(words[asked] if asked is not None else "", lexicon, encoder),)
    at = asked if asked is not None and not any(c.start <= asked < c.end for c in chunks) else place
    if any(c.start <= at < c.end for c in chunks):
        at = 0  # a place before all others: nothing stands for the rows
    end = at if any(c.start <= at < c.end for c in chunks) else at + 1
    rows = p.Class(next(iter(lexicon.class_ids)))
    chunks.append(Chunk(at, end, "relation", None, chosen) if chosen else Chunk(at, end, "class", rows))
    chunks.sort(key=lambda chunk: (chunk.start, chunk.end))
    return next(i for i, c in enumerate(chunks) if (c.start, c.end) == (at, end))


def _root(chunks: list[Chunk], words: tuple[str, ...], asked: int | None) -> int | None:
    """The chunk that is asked for: the one behind the question word, else the first that is no name."""
    if asked is not None:
        for i, chunk in enumerate(chunks):
            if chunk.start <= asked < chunk.end:
                return i
    if any(word in _ASKS for word in words) or (words and words[0] == "how"):
        place = next((i for i, w in enumerate(words) if w in _ASKS or w == "how"), 0)
        for i, chunk in enumerate(chunks):
            unknown = set(words[place + 1 : chunk.start]) - FUNCTION - LIGHT
            if chunk.start >= place and chunk.kind != "topic" and len(unknown) <= ADJECTIVES:
                return i
        return None
    return next((i for i, chunk in enumerate(chunks) if chunk.kind != "topic"), None)
