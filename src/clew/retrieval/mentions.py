"""Which parts of a text may name entities of a graph, and how: the raw material that `linking` chooses from.

Apart from linking because every way of naming is a small search of its own: a name as it stands, with a letter wrong,
a part of a longer name, initials, the adjective of a place, a date or a number in another spelling. An embedded graph
is asked for all its names at once; any other store is asked with `find`, run of words by run of words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA

from clew.graph import Graph
from clew.graph.names import NameIndex, NameMatch, Word, words_of
from clew.graph.remote import ServerGraph
from clew.graph.spelling import normalise
from clew.protocols import GraphStore
from clew.query.wordnet import is_word
from clew.retrieval.lexicon import kinds_of, stems
from clew.retrieval.readings import LONGEST, SHORT, names_for, values_in
from clew.retrieval.words import FUNCTION, ORDINARY, weight
from clew.types import Entity

POPULAR = 0.06  # share of a namesake's score that depends on how much the graph says of it
NAMESAKES = 10  # of one mention; the reason says when there are more
EQUAL = 0.955  # a name that scores less in a store is not equal to the mention, only like it
RARE = 0.6  # weight of a word from which on it is not one of everybody's words
WINDOWS = 60  # most look-ups of a store that is asked by name
SPELT_UP_TO = 100_000  # things of a graph in whose names' words slips are looked for
SHORTEST_SPELT = 6  # letters of such a word
INITIALLED = 0.8  # score of what goes by the initials of a name that is written out
MISSPELT = 0.9  # what is kept of the score of a part of a name with a slip in it
PARTS = 8  # most look-ups of parts of names in an embedded graph
WINDOW_WORDS = 8
PART_WORDS = 4
NAME = 0.7  # least certainty of a short form that is written as a name
SURE = 0.65  # likeness of a part of a name from which on its own parts are not looked up
SHORT_NAME = 7  # letters below which one wrong is a lot
LONGEST_NAME = 60  # letters of a name that may be called by a part of it
WELL_KNOWN = 10.0  # triples of an entity that may be called by a part of its name without doubt
RELATION_WEIGHT = 0.35  # of a word that names a relation of the graph
FAMILIAR = 8  # how many times more triples another reading must have to come before a name as it stands
BEHIND = 0.7  # share of its score that another reading of a name has where the name comes first
OVERTAKEN = 0.85  # share of its score that a name keeps where another reading comes first
_MARKED = (re.compile(r"\[([^\[\]]+)\]"), re.compile(r"[\"“„«]([^\"“”„«»]+)[\"”“»]"))
_THE = re.compile(r"\bthe\s+$", re.IGNORECASE)
HAVE_IT = 50  # things that have a value whose kinds are looked at
_VALUE_OF = re.compile(  # "status is open", "priority: high", "a status of 'open'"
    r"(?P<word>\w+)(?: (?:is|are|was|were|of|being|set to|equal to|equals|marked)(?: still| now| currently)?|:| ?=)? ?"
    r"[\"'“‘]?$",
    re.IGNORECASE,
)
_NEXT = re.compile(r"[\"'”’]? (?P<word>\w+)")
_IS_SO = re.compile(
    r"\b(?:is|are|was|were|be|being|marked|listed as|marked as) (?:(?:still|now|currently|all|both) )?[\"'“‘]?$", re.I
)
_AND_ON = re.compile(r"[\"'”’]?(?:\W*$|,| (?:and|or|but|at|in|on|right|now|today|currently)\b)", re.IGNORECASE)
_SPEAKING = re.compile(r"\b(?:speak(?:s|ing|ers?)?|spoken?|languages?)\b", re.IGNORECASE)
_QUALIFIED = re.compile(r"\s*\([^()]*\)$")

Named = tuple[tuple[Entity, float, str], ...]
"""Who is called so: entity, likeness of the name, why; best first."""
Find = Callable[[Sequence[str]], list[Named]]


@dataclass(frozen=True, slots=True)
class Mention:
    """A part of the question and who is called that."""

    start: int
    end: int
    text: str
    named: Named
    namesakes: int
    least: float = 0.0  # how certain it is at least that a name is meant, whatever its words say
    exact: bool = True  # whether a name stands there as it is, up to case, accents and signs


@dataclass(frozen=True, slots=True)
class MentionReading:
    """A question as linking reads it."""

    text: str
    words: tuple[Word, ...]
    known: frozenset[str]  # words of the graph's relations
    marked: tuple[tuple[int, int], ...]  # what the asker put in brackets or quotation marks
    cased: bool  # whether the asker uses capitals, so that their absence says something

    @classmethod
    def of(cls, text: str, known: frozenset[str]) -> MentionReading:
        words = tuple(words_of(text))
        marked = tuple(match.span(1) for pattern in _MARKED for match in pattern.finditer(text))
        starts = [text[word.start].isupper() for word in words[1:] if text[word.start].isalpha()]
        return cls(text, words, known, marked, any(starts) and not all(starts))

    def weight(self, word: Word) -> float:
        """How much a word says about what is meant; little for one of a relation's name."""
        says = weight(word.folded)
        return min(says, RELATION_WEIGHT) if word.folded in self.known else says

    def capital(self, word: Word) -> bool:
        """Whether a word is capitalised where most are not."""
        return self.cased and word.start > 0 and self.text[word.start].isupper()

    def inside(self, start: int, end: int) -> list[Word]:
        return [word for word in self.words if start <= word.start < end]


REMEMBERED = 64  # questions of a graph whose mentions are kept
"""A question is linked more than once: by the method, for names that are missing, for the sets that it speaks of."""


def mentions_in(reading: MentionReading, graph: GraphStore) -> list[Mention]:
    """Every part of the question that may be a name, nested and overlapping ones included."""
    if not reading.words:
        return []
    if isinstance(graph, ServerGraph) and graph.names is not None:
        names = graph.names  # a graph without triples, whose degrees are those of the server's
        return _in_index(reading, _Names(names.graph, names.degrees, graph.num_triples))
    if isinstance(graph, Graph):
        known: dict[str, tuple[Mention, ...]] = graph.derived("linking.mentions", dict)
        found = known.get(reading.text)
        if found is None:
            for oldest in list(known)[: max(0, len(known) + 1 - REMEMBERED)]:  # a list: other threads change it
                known.pop(oldest, None)
            found = known[reading.text] = tuple(_in_index(reading, _Names(graph)))
        return list(found)
    find = partial(_find, graph=graph, kept={})  # a remote store is asked once for each run of words
    equal = _by_name(reading, range(len(reading.words)), find, any_start=True)
    equal = [replace(m, named=kept) for m in equal if (kept := tuple(n for n in m.named if n[1] >= EQUAL))]
    return equal + _like_names(reading, equal, find)


def _in_index(reading: MentionReading, index: _Names) -> list[Mention]:
    spans = index.graph.spans(reading.text)
    mentions = [index.mention(span.start, span.end, span.text, span.found) for span in spans]
    mentions += _values(reading, index)
    outer = _outermost(mentions)
    mentions = [
        _with_other_readings(mention, reading, index) if whole else mention
        for mention, whole in zip(mentions, outer, strict=True)
    ]
    mentions += _other_names(reading, mentions, index)
    mentions += _misspelt(reading, mentions, index)
    mentions += _parts(reading, mentions, index)
    return [_stated_value(mention, reading, index.graph) for mention in mentions]


def _stated_value(mention: Mention, reading: MentionReading, graph: Graph) -> Mention:
    """A value in everybody's words is surely meant beside the name of its relation or of what has it: "status open",
    "high priority", "open tickets", "which tickets are still open"."""
    value = mention.named[0][0] if mention.named and mention.exact and graph.num_triples else None
    if value is None or " " in mention.text or normalise(mention.text) not in ORDINARY:
        return mention
    number, inc = graph.number_of(value.id), graph.whole.inc
    if number is None or (value.kind != "literal" and graph.whole.out.counts(np.array([number]))[0]):
        return mention  # a thing of which something is said is no value
    here = slice(int(inc.offsets[number]), int(inc.offsets[number + 1]))
    names = {tuple(stems(graph.relation_at(r).label)[-1:]) for r in np.unique(inc.relations[here]).tolist()}
    before, behind = _VALUE_OF.search(reading.text[: mention.start]), _NEXT.match(reading.text, mention.end)
    ahead, after = (tuple(stems(match["word"])) if match and match["word"] else () for match in (before, behind))
    said = bool(ahead) and ahead in names
    said = said or (bool(after) and after in names)
    if not said:
        kinds = {tuple(stems(kind)[-1:]) for kind in kinds_of(graph, graph.ids_at(inc.neighbors[here][:HAVE_IT]))}
        is_so = _IS_SO.search(reading.text[: mention.start]) is not None and _AND_ON.match(reading.text, mention.end)
        spoken = {tuple(stems(word.folded)) for word in reading.words}
        said = after in kinds or (bool(is_so) and not kinds.isdisjoint(spoken))
    return replace(mention, least=NAME) if said else mention


def _outermost(mentions: Sequence[Mention]) -> list[bool]:
    """Whether no longer mention holds each."""
    order = sorted(range(len(mentions)), key=lambda i: (mentions[i].start, -mentions[i].end))
    result, furthest = [False] * len(mentions), -1
    for i in order:
        result[i] = mentions[i].end > furthest
        furthest = max(furthest, mentions[i].end)
    return result


class _Names:
    """The names of an embedded graph: what several indexes find, ranked by how much the graph says of each entity."""

    def __init__(self, graph: Graph, degrees: NDArray[np.int64] | None = None, num_triples: int | None = None) -> None:
        self.graph, self._degrees = graph, degrees
        self.most = math.log1p(max(num_triples or graph.num_triples, 1))

    def degrees(self, numbers: Sequence[int]) -> NDArray[np.int64]:
        at = np.asarray(numbers, np.int64)
        if self._degrees is not None:
            return self._degrees[at]
        return self.graph.whole.out.counts(at) + self.graph.whole.inc.counts(at)

    def all(self, search: Callable[[NameIndex], Iterable[NameMatch]]) -> list[NameMatch]:
        """Each entity once, the best first."""
        best: dict[int, NameMatch] = {}
        graph = self.graph
        for i, index in enumerate(graph.indexes):
            for found in search(index):
                stale = graph.base_entities is None and graph.terms.stale(i, found.number)
                if not stale and (found.number not in best or best[found.number].score < found.score):
                    best[found.number] = found
        return sorted(best.values(), key=lambda found: (-found.score, found.number))

    def exact(self, text: str) -> list[NameMatch]:
        return self.all(lambda index: index.exact(text))

    def mention(self, start: int, end: int, text: str, found: Sequence[NameMatch], share: float = POPULAR) -> Mention:
        """A mention of the most popular of those found; `share` of each score depends on how popular it is."""
        named = self.popular(found, share)
        # A name that is also a value is, as a rule, the value of the very thing's name.
        things = tuple(each for each in named if each[0].kind != "literal") or named
        return Mention(start, end, text, things, len(found) - len(named) + len(things))

    def popular(self, found: Sequence[NameMatch], share: float) -> Named:
        if not found:
            return ()
        popularity = np.log1p(self.degrees([f.number for f in found])) / self.most
        scores = [f.score * (1 - share * (1 - p)) for f, p in zip(found, popularity.tolist(), strict=True)]
        order = sorted(range(len(found)), key=lambda i: -scores[i])[:NAMESAKES]
        self.graph.at_hand([found[i].number for i in order])
        return tuple((self.graph.entity_at(found[i].number), scores[i], found[i].reason) for i in order)

    def holders(self, text: str) -> Named:
        """Entities whose name holds `text` among other words, those of which the graph says most first.

        A name that is `text` but for a closing bracket, as "Queen (band)" is "Queen", is nearly an equal one.
        """
        held = self.all(lambda index: index.holding(text)) or self._scattered(text)
        if not held:
            return ()
        degrees = self.degrees([f.number for f in held])
        order = np.lexsort((np.array([-f.score for f in held]), -degrees))[:NAMESAKES]
        self.graph.at_hand([held[int(i)].number for i in order])
        entities = [self.graph.entity_at(held[int(i)].number) for i in order]
        total = max(float(degrees.sum()), WELL_KNOWN)
        named = []
        for i, entity in zip(order.tolist(), entities, strict=True):
            share = float(degrees[i]) / total
            if normalise(_QUALIFIED.sub("", entity.label)) == normalise(text):
                named.append((entity, 0.93 + 0.03 * share, "name up to what stands in brackets"))
            elif len(entity.label) <= LONGEST_NAME:
                longer = (held[i].score - 0.5) / 0.45
                named.append((entity, 0.5 + 0.3 * math.sqrt(share) + 0.12 * longer, held[i].reason))
        return tuple(sorted(named, key=lambda each: -each[1]))

    def initialled(self, run: Sequence[Word]) -> list[tuple[Entity, float, str]]:
        """Entities that go by the initials of a run of words: EU for "European Union"."""
        short = "".join(word.folded[:1] for word in run).upper()
        found = [each for each in self.exact(short) if self.graph.labels_at([each.number])[0] == short]
        things = (self.graph.entity_at(each.number) for each in found)
        # A code that is a value, such as the ML of Mali, stands for nothing by itself.
        return [(each, INITIALLED, f"initials of it ({short})") for each in things if each.kind != "literal"]

    def spelt(self, word: str) -> str:
        """The one word of a name that is a slip away from `word`, two where it is long: "Nietsche"; "" for none."""
        if len(word) < SHORTEST_SPELT:
            return ""
        known = words_of_names(self.graph)
        folded, off = normalise(word), 2 if len(word) >= 8 else 1
        near = [each for each in known if each[:1] == folded[:1] and abs(len(each) - len(folded)) <= off]
        near = [each for each in near if 0 < OSA.distance(folded, each, score_cutoff=off) <= off]
        return near[0] if len(near) == 1 else ""

    def _scattered(self, text: str) -> list[NameMatch]:
        """Names that hold the words of `text` with others between them: "george bush" in "George W. Bush"."""
        words = normalise(text).split()
        if not 2 <= len(words) <= 3:
            return []
        held = self.all(lambda index: index.holding(text, apart=True))
        labels = self.graph.labels_at([f.number for f in held])
        pattern = re.compile(r"\b" + r"\b.*\b".join(map(re.escape, words)) + r"\b")
        return [
            f._replace(reason="words of the name")
            for f, label in zip(held, labels, strict=True)
            if pattern.search(normalise(label))
        ]


def _with_other_readings(mention: Mention, reading: MentionReading, index: _Names) -> Mention:
    """A name as it stands gives way to a far more familiar reading: "JFK" the film to John F. Kennedy."""
    words = reading.inside(mention.start, mention.end)
    if not mention.named or not words or len(words) > LONGEST or (mention.start, mention.end) in reading.marked:
        return mention
    named = len(words) == 1 and _is_name(reading, words[0])
    if max(map(reading.weight, words)) < RARE and not any(map(reading.capital, words)) and not named:
        return mention
    others = _readings(mention.text, words, reading, index)
    if not others:
        return mention
    least = NAME if named else 0.0
    return replace(mention, named=_weighed(mention.named, others, index)[:NAMESAKES], least=least)


def _readings(
    text: str, words: Sequence[Word], reading: MentionReading, index: _Names
) -> list[tuple[Entity, float, str]]:
    """Entities that `text` may stand for by another name: adjective, short form, initials, or a part of their name."""
    said = " ".join(word.folded for word in words)
    found = _renamed(said, reading, index)
    if words[0].folded in ("the", "a", "an") and len(words) > 1:
        words, said = words[1:], said.partition(" ")[2]
    if len(words) == 1 and 2 <= len(said) <= 5:
        found += [f for f in index.all(lambda i: i.initials(said)) if len(said) > 2 or text.isupper()]
    ranked = list(index.popular(found, 0.15))
    if len(words) <= 2 and (said not in FUNCTION):
        ranked += index.holders(said)[:3]
    best: dict[str, tuple[Entity, float, str]] = {}
    for each in ranked:
        if each[0].id not in best or best[each[0].id][1] < each[1]:
            best[each[0].id] = each
    return sorted(best.values(), key=lambda each: -each[1])


def _renamed(said: str, reading: MentionReading, index: _Names) -> list[NameMatch]:
    """Entities under another name of `said`; where the question is about speaking, a language before its country."""
    spoken = _SPEAKING.search(reading.text) is not None
    found = []
    for name, how in names_for(said):
        score = 0.95 if spoken == name.endswith(" language") else 0.85
        found += [NameMatch(f.number, score, f"{how} ({name})") for f in index.exact(name)]
    return found


def _weighed(named: Named, others: Sequence[tuple[Entity, float, str]], index: _Names) -> Named:
    """Names as they stand and other readings in one list: a reading leads where the graph says far more of it."""
    known = {entity.id for entity, _, _ in named}
    others = [each for each in others if each[0].id not in known]
    if not others:
        return named
    mine = int(index.degrees(_numbers([entity for entity, _, _ in named], index)).max())
    degrees = index.degrees(_numbers([entity for entity, _, _ in others], index)).tolist()
    best = named[0][1]
    result = []
    overtaken = False
    for (entity, likeness, why), degree in zip(others, degrees, strict=True):
        leads = degree >= FAMILIAR * (mine + 1)
        overtaken = overtaken or leads
        result.append((entity, min(best, 0.98) * (0.9 + 0.1 * likeness) if leads else BEHIND * likeness, why))
    kept = [(e, OVERTAKEN * s if overtaken else s, why) for e, s, why in named]
    return tuple(sorted([*kept, *result], key=lambda each: -each[1]))


def _numbers(entities: Sequence[Entity], index: _Names) -> list[int]:
    return [number for entity in entities if (number := index.graph.number_of(entity.id)) is not None]


def _other_names(reading: MentionReading, mentions: Sequence[Mention], index: _Names) -> list[Mention]:
    """Adjectives of places and short forms that are no name of the graph as they stand."""
    there = {(mention.start, mention.end) for mention in mentions}
    result = []
    for first in range(len(reading.words)):
        for last in range(first, min(first + LONGEST, len(reading.words))):
            run = reading.words[first : last + 1]
            span = (run[0].start, run[-1].end)
            said = " ".join(word.folded for word in run)
            named = first == last and _is_name(reading, run[0])
            if span in there or (said in FUNCTION and not named):
                continue
            found = _renamed(said, reading, index)
            if found:
                best = {f.number: f for f in reversed(found)}
                mention = index.mention(*span, reading.text[slice(*span)], list(best.values()), 0.15)
                result.append(replace(mention, least=NAME if named else 0.0))
    return result


def _is_name(reading: MentionReading, word: Word) -> bool:
    """Whether a word like "us" is a name: short and in capitals, or behind "the"."""
    if word.folded not in SHORT:
        return False
    written = reading.text[word.start : word.end]
    return (written.isupper() and len(written) > 1) or _THE.search(reading.text[: word.start]) is not None


def _values(reading: MentionReading, index: _Names) -> list[Mention]:
    """Dates and numbers that the graph spells otherwise. One that it does not hold still keeps its words from names."""
    result = []
    for value in values_in(reading.text):
        found: dict[int, NameMatch] = {}
        for form in value.forms:
            for each in index.exact(form):
                found.setdefault(each.number, NameMatch(each.number, 0.97, f"{value.kind} written {form!r}"))
        text = reading.text[value.start : value.end]
        if found or (value.kind == "date" and " " in text):
            result.append(index.mention(value.start, value.end, text, list(found.values())))
    return result


def _unexplained(reading: MentionReading, mentions: Iterable[Mention]) -> list[int]:
    """Words that are neither everybody's nor part of a name that stands there as it is."""
    covered = [False] * len(reading.text)
    for mention in mentions:
        if mention.exact:
            covered[mention.start : mention.end] = [True] * (mention.end - mention.start)
    result = []
    for i, word in enumerate(reading.words):
        ordinary = word.folded in FUNCTION or word.folded in ORDINARY or word.folded in reading.known
        if not covered[word.start] and (not ordinary or (reading.capital(word) and word.folded not in FUNCTION)):
            result.append(i)
    return result


def _misspelt(reading: MentionReading, mentions: Sequence[Mention], index: _Names) -> list[Mention]:
    """Names with a letter or two wrong, where a word is unexplained or a longer name explains more."""
    unknown = set(_unexplained(reading, mentions))
    if not unknown and sum(_rare(mention, reading) for mention in mentions) < 2:
        return []
    places: dict[tuple[int, int], list[NameMatch]] = {}
    for each in graph_misspelt(index, reading.words):
        first, last, off, found = each
        if unknown.isdisjoint(range(first, last + 1)) and (last - first < 2 or off > 1):
            continue
        run = reading.words[first : last + 1]
        if max(map(reading.weight, run)) < RARE and len(run) < 2:
            continue
        short = sum(len(word.folded) for word in run) < SHORT_NAME
        places.setdefault((run[0].start, run[-1].end), []).append(
            found._replace(score=0.8 * found.score) if short else found
        )
    return [
        replace(index.mention(*span, reading.text[slice(*span)], found, 0.1), exact=False)
        for span, found in places.items()
    ]


def _rare(mention: Mention, reading: MentionReading) -> bool:
    return mention.exact and any(reading.weight(w) >= RARE for w in reading.inside(mention.start, mention.end))


def words_of_names(graph: Graph) -> frozenset[str]:
    """The words of all names, folded; none of a graph with too many."""

    def made() -> frozenset[str]:
        if graph.num_entities > SPELT_UP_TO:
            return frozenset()
        every = np.arange(graph.num_entities, dtype=np.int32)
        labels = graph.labels_at(every[~graph.literals_at(every)])
        return frozenset(word for label in labels for word in normalise(label).split())

    return graph.derived("linking.words", made)


def graph_misspelt(index: _Names, words: Sequence[Word]) -> list[tuple[int, int, int, NameMatch]]:
    graph = index.graph
    return [
        each
        for i, names in enumerate(graph.indexes)
        for each in names.misspelt(words)
        if graph.base_entities is not None or not graph.terms.stale(i, each[3].number)
    ]


def _parts(reading: MentionReading, mentions: Sequence[Mention], index: _Names) -> list[Mention]:
    """Parts of longer names around unexplained words: "tupac", "united states", "ufc"."""
    unknown = _unexplained(reading, mentions)
    spans = {(mention.start, mention.end) for mention in mentions if mention.exact}
    result: list[Mention] = []
    done: set[int] = set()
    for first, last in _windows(reading, unknown):
        if not done.isdisjoint(range(first, last + 1)):
            continue
        run = reading.words[first : last + 1]
        start, whole = run[0].start, reading.text[run[0].start : run[-1].end]
        for part in dict.fromkeys((whole, re.sub(r"['’]s?$", "", whole))):  # "St Bride's", "Ann's"
            end = start + len(part)
            if (start, end) in spans:
                continue
            named = _readings(part, words_of(part), reading, index) if len(run) <= 2 else list(index.holders(part))
            if not named and len(run) == 1 and reading.capital(run[0]):
                named = [(e, MISSPELT * s, f"{why}, misspelt") for e, s, why in index.holders(index.spelt(part))]
            if not named and len(run) > 1 and _written_as_a_name(reading, run):
                named = index.initialled(run)
            if named:
                if named[0][1] >= SURE:
                    done.update(range(first, last + 1))
                result.append(Mention(start, end, part, tuple(named[:NAMESAKES]), len(named), exact=False))
                break
    return result


def _windows(reading: MentionReading, holding: Sequence[int]) -> list[tuple[int, int]]:
    """The most telling runs of words around one of `holding`: long before short, without function words at the ends."""
    wanted = set(holding)
    found = []
    for first in range(len(reading.words)):
        for last in range(first, min(len(reading.words), first + PART_WORDS)):
            run = reading.words[first : last + 1]
            if wanted.isdisjoint(range(first, last + 1)) or run[0].folded in FUNCTION or run[-1].folded in FUNCTION:
                continue
            found.append((not _written_as_a_name(reading, run), -sum(map(reading.weight, run)), first, last))
    names = sum(not each[0] for each in found)
    return [(first, last) for _, _, first, last in sorted(found)[: PARTS + min(names, PARTS)]]


def _written_as_a_name(reading: MentionReading, run: Sequence[Word]) -> bool:
    """Whether every word is capitalised, within the question: these are looked up before all other runs."""
    return run[0].start > 0 and all(map(reading.capital, run))


# -- stores that are asked by name -----------------------------------------------------------------------------------


def _like_names(reading: MentionReading, equal: Sequence[Mention], find: Find) -> list[Mention]:
    """Names like a part of the text that holds a rare word which no equal name explains."""
    unexplained = [
        i
        for i, word in enumerate(reading.words)
        if reading.weight(word) >= RARE and not any(m.start <= word.start and word.end <= m.end for m in equal)
    ]
    like = []
    for mention in _by_name(reading, unexplained, find) if unexplained else ():
        named = tuple(n for n in mention.named if n[1] < EQUAL and _plausible(mention.text, n[0]))
        if named:
            like.append(replace(mention, named=named, namesakes=len(named), exact=False))
    return like


def _by_name(reading: MentionReading, holding: Iterable[int], find: Find, any_start: bool = False) -> list[Mention]:
    """What the store finds for the most telling runs of words around one of `holding`.

    Runs do not end in a function word, nor begin with one unless `any_start`; marked parts are always looked up.
    """
    wanted = set(holding)
    windows = []
    for first in range(len(reading.words)):
        for last in range(first, min(len(reading.words), first + WINDOW_WORDS)):
            run = reading.words[first : last + 1]
            begins = any_start or run[0].folded not in FUNCTION
            if wanted.isdisjoint(range(first, last + 1)) or not begins or run[-1].folded in FUNCTION:
                continue
            says = sum(map(reading.weight, run)) / len(run) ** 0.5
            windows.append((-says, run[0].start, run[-1].end))
    mentions = []
    windows += [(-math.inf, *span) for span in reading.marked]
    spans = [span for _, *span in sorted(set(windows))[:WINDOWS]]
    chosen = [(start, re.sub(r"['’]s?$", "", reading.text[start:end])) for start, end in spans]
    for (start, part), named in zip(chosen, find([part for _, part in chosen]), strict=True):
        if named:
            mentions.append(Mention(start, start + len(part), part, named, len(named)))
    return mentions


def _plausible(text: str, entity: Entity) -> bool:
    """Whether `text` may stand for the entity: it is a part of the name, or one letter in five is off at most."""
    wanted, label = normalise(text), normalise(entity.label)
    if len(wanted) < 4 or not any(char.isalpha() for char in wanted):  # one letter off is another word, another number
        return f" {wanted} " in f" {label} " and any(char.isalpha() for char in wanted)
    if text.islower() and is_word(text):  # "driven" is no misspelt driver
        return f" {wanted} " in f" {label} "
    return f" {wanted} " in f" {label} " or OSA.distance(wanted, label) <= max(1, len(wanted) // 5)


def _find(parts: Sequence[str], graph: GraphStore, kept: dict[str, Named]) -> list[Named]:
    """Who is called like each part; what was looked up before comes from `kept`, and a server is asked once for all."""
    missing = [part for part in dict.fromkeys(parts) if part not in kept]
    if isinstance(graph, ServerGraph):
        for part, named in zip(missing, graph.look_up(missing, 20) if missing else (), strict=True):
            kept[part] = tuple((each.entity, each.likeness, each.reason) for each in named)
    else:
        for part in missing:
            kept[part] = tuple((entity, score, _likeness(score)) for entity, score in graph.find(part, limit=20))
    return [kept[part] for part in parts]


def _likeness(score: float) -> str:
    if score >= 1:
        return "exact name"
    return "name up to case and signs" if score >= EQUAL else "spelled alike"
