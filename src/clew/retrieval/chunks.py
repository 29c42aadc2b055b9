"""The parts of a question that a graph knows: names, kinds of things and relations asked for, in their order.

Kept apart from `composing`, which joins them: here words meet the names of one graph, there sets meet sets.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import Literal

from clew.graph import Graph
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.asked import DATING_VERBS
from clew.query.binding import Binding
from clew.query.execute import execute
from clew.query.keys import steps_of
from clew.query.relatives import has_relatives, spelled_out
from clew.query.vocabulary import INVERSE, MEASURES, SYNONYMS, head_of, stem
from clew.retrieval.asking import is_compound
from clew.retrieval.flagging import Condition, conditions_said
from clew.retrieval.lexicon import ALIKE_KIND, WORD, Lexicon, alike, kind_called, kind_meant, kinds_of, owners, stems
from clew.retrieval.linking import SAME_NAME, candidates
from clew.retrieval.models import of_model
from clew.retrieval.roles import doers_of, implied_kind, of_value, role_alike, titled
from clew.retrieval.two_values import values_said
from clew.retrieval.words import FUNCTION
from clew.types import Question, Topic

LEAST_NAME = 0.35  # a mention below this is more likely a word than a name
SURE_NAME = 0.6  # a mention from this on is a name even where its words are also those of a relation
MOST_CHUNKS = 6
ADJECTIVES = 2  # unknown words that may stand between a question word and what is asked for
_LINKS = ("in", "on", "for", "by", "at", "to", "with", "from", "of", "under")
_ANY = frozenset(["any", "no", "every", "each", "some", "several"])
ANYBODY = frozenset(["people", "persons", "person", "individuals"])  # whoever does what the verb says
_LACKING = ("no", "without")
_BE = ("is", "are", "was", "were")
_BECOME = frozenset(["become", "becomes", "became"])
_AFTER_NOUN = frozenset(["of", "in", "is", "are", "was", "were", "has", "have", "for", "with", "on", "by", "at", ","])

_LIGHT = """
located lie lies situated found exist exists total different various world earth globe called named kind kinds use
uses used using belong belongs part have live lives lived people own entire whole overall inside exactly place
places thing things number amount country's all every each many much old long big high go goes come say listed table
went gone going came coming put somewhere anywhere anything anybody anyone something someone somebody
achieve achieved call calls
chart list shown given mentioned recorded record data need needs require requires include includes contain contains
"""
LIGHT = frozenset(_LIGHT.split())  # words that need nothing in the graph to stand for them
_NAMES_OF = re.compile(r"\b(?:the )?(?:names?|titles?) (?:of|for)\b(?: the\b)?", re.IGNORECASE)
_ASKS = frozenset(re.findall(r"\w+", "what which who whom whose where when many list name show give find all count"))


_PRONOUNS = frozenset(["what", "who", "whom", "where", "when"])
_RELATIVE = frozenset(["who", "whom", "whose", "which", "where"])
_KIND_OF = re.compile(r"\b(?:kind|type|sort|categor(?:y|ie))s? of (?P<noun>[a-z]+)\b", re.IGNORECASE)
_OBJECTS = frozenset(["a", "an", "the", "any", "its", "their", "his", "her", "some"])
_DETERMINERS = frozenset(["a", "an", "any", "all", "every", "the", "each", "which"])


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some words in a row: a set that is named (`plan`), or relations asked for (`relations`, best first)."""

    start: int
    end: int
    kind: Literal["class", "topic", "relation"]
    plan: p.SetPlan | None = None
    relations: tuple[str, ...] = ()
    fit: float = 1.0
    inverse: bool = False  # relations that are meant against their direction: children are whose father one is
    condition: Condition | None = None  # that `plan` is the set of


@dataclass(frozen=True, slots=True)
class Spotted:
    """A question as words with the chunks among them, ascending and apart."""

    words: tuple[str, ...]  # lower case
    chunks: tuple[Chunk, ...]
    root: int | None  # the chunk that is asked for; None: nothing says of what kind it is


def spot(
    question: Question,
    graph: Graph,
    encoder: TextEncoder | None,
    kind: p.SetPlan | None = None,
    *,
    instead: bool = False,
) -> Spotted:
    """The chunks of a question. What no name, kind or relation accounts for stays between them.

    Args:
        kind: what is asked for where the words name no kind: "who", or a noun in a graph without kinds.
        instead: `kind` also stands in for a kind that a noun is only like.
    """
    text, lexicon = re.sub(r"(?<=\w)['’]s\b", "", question.text), Lexicon.of(graph)
    if not any((word,) in names for word in ("name", "title") for names in (lexicon.relations, lexicon.classes)):
        text = _NAMES_OF.sub(" ", text)  # whatever is asked for is shown by its name
    text = _KIND_OF.sub(lambda match: _kinds_named(match, lexicon), text)
    text = _nearer_relatives(text, question, graph, encoder, lexicon)
    found = list(WORD.finditer(text))
    words = tuple(match.group(0).lower() for match in found)
    taken = [False] * len(words)
    chunks: list[Chunk] = []

    def put(chunk: Chunk) -> None:
        chunks.append(chunk)
        taken[chunk.start : chunk.end] = [True] * (chunk.end - chunk.start)

    for met in values_said(words, taken, graph):
        put(Chunk(met.start, met.end, "topic", met.plan, (), met.fit, condition=met))
    for topics, (start, end) in _names(Question(question.id, text, question.topics), found, graph, encoder):
        if any(taken[start:end]) or len(chunks) == MOST_CHUNKS:
            continue
        verb = end - start == 1 and words[start].endswith("ed") and not _OBJECTS.isdisjoint(words[end : end + 1])
        if verb and text[found[start].start()].islower():
            continue  # "closed a round" is no state that something is in
        said = tuple(stem(word) for word in words[start:end])
        ordinary = said in lexicon.classes or said in lexicon.relations
        if ordinary and (topics[0].score < SURE_NAME or text[found[start].start()].islower()):
            continue
        if text[found[start].start()].islower() and _in_longer_name(words, start, end, lexicon):
            continue
        if all(t.entity.id in lexicon.class_ids for t in topics):
            put(Chunk(start, end, "class", of_model(topics[0].entity.id, graph)))
        else:
            own = {w.lower() for w in WORD.findall(topics[0].entity.label)} if len(topics) == 1 else set[str]()
            while start and not taken[start - 1] and own & _name_alone(words[start - 1], lexicon):
                start -= 1  # "Harlan & Voss" of which only "Voss" was found
            put(Chunk(start, end, "topic", p.Entities(tuple(t.entity.id for t in topics))))
    for met in conditions_said(words, taken, graph):
        if not any(taken[met.start : met.end]):
            put(Chunk(met.start, met.end, "topic", met.plan, (), met.fit, condition=met))
    for i, word in enumerate(words[:-1]):
        nouns = lexicon.nouns_of.get(stem(word), []) if words[i + 1] == "of" and not taken[i] else []
        if nouns and (stem(word) != word or (i and words[i - 1] in _DETERMINERS)):  # "is part of" names no parts
            put(Chunk(i, i + 1, "relation", None, tuple(nouns), 0.95, inverse=True))
    for length in (4, 3, 2, 1):
        for start in range(len(words) - length + 1):
            if any(taken[start : start + length]):
                continue
            said = tuple(stem(word) for word in words[start : start + length])
            if said in lexicon.classes:
                put(Chunk(start, start + length, "class", of_model(lexicon.classes[said], graph)))
            elif words[start] == "times" and words[start - 1 : start] in (("many",), ("which",)):
                continue  # how often
            elif said in lexicon.relations and words[start] not in FUNCTION:
                if length == 1 and (meant := _with_the_word_before(words, start, taken, lexicon, encoder)):
                    put(Chunk(start - 1, start + 1, "relation", None, (meant,), 0.9))
                    continue
                put(Chunk(start, start + length, "relation", None, tuple(lexicon.relations[said])))
    for i, word in enumerate(words):
        parents = INVERSE.get(stem(word), ())
        back = [id for id, label in lexicon.labels.items() if label.lower() in parents] if parents else []
        if back and not taken[i]:
            put(Chunk(i, i + 1, "relation", None, tuple(back), 0.95, inverse=True))
    _measured(words, taken, lexicon, put)
    asking = _asking(words, chunks)
    asked = _asked(asking)
    for i, word in enumerate(words):
        doers = None if taken[i] else doers_of(word, graph)
        several = i == asked or stem(word) != word or (lexicon.types and isinstance(doers, p.Class))
        if doers is not None and several:
            put(Chunk(i, i + 1, "class", doers, (), 0.9))
        elif not taken[i] and (said_of := of_value(word, lexicon, graph)) is not None:
            put(Chunk(i, i + 1, "class", said_of, (), 0.9))
    over = next((c for c in chunks if c.kind == "topic" and asked is not None and c.start <= asked < c.end), None)
    if over is not None and (
        any(c.kind == "class" and c.start == over.end for c in chunks) or _several(words, over.end, taken)
    ):
        asked = over.end  # "which English players"
    if asked is not None and not taken[asked] and any(c.kind == "class" and c.start == asked + 1 for c in chunks):
        asked += 1  # "which law firm"
    if asked is not None and not taken[asked] and _describes(words, asked, taken):
        asked += 1  # "home towns" are towns
    if asked is not None and not any(chunk.start <= asked < chunk.end for chunk in chunks) and not taken[asked]:
        if (who := titled(words[asked], graph) or role_alike(words[asked], graph, encoder)) is not None:
            put(Chunk(asked, asked + 1, "class", who, (), 0.9))
        elif (kin := alike(words[asked], lexicon, encoder)) is not None:
            put(Chunk(asked, asked + 1, *kin))
        elif (implied := implied_kind(words[asked], graph, encoder)) is not None:
            put(Chunk(asked, asked + 1, "class", implied, (), 0.85))
    for i, word in enumerate(words):
        plural = not taken[i] and stem(word) != word and text[found[i].start()].islower()
        if plural and (kinds := lexicon.ending(stem(word), graph)):
            put(Chunk(i, i + 1, "topic", p.Entities(kinds), (), 0.9))
    begins = _first_noun(words) if asked is None else None
    if begins is not None and not taken[begins]:
        kind_of = kind_meant(words[begins], lexicon)
        implied = implied_kind(words[begins], graph, encoder) if kind_of is None else None
        if kind_of is not None or implied is not None:
            plan, fit = (p.Class(kind_of[0]), kind_of[1]) if kind_of is not None else (implied, 0.85)
            put(Chunk(begins, begins + 1, "class", plan, (), fit))
            asked = begins
    for i in range(1, len(words)):
        if words[i - 1] in _ANY and not taken[i] and (kind_of := kind_meant(words[i], lexicon)) is not None:
            put(Chunk(i, i + 1, "class", p.Class(kind_of[0]), (), kind_of[1]))
        if words[i - 1] in _LACKING and not taken[i] and (kin := alike(words[i], lexicon, None)) is not None:
            put(Chunk(i, i + 1, *kin))
    chunks = _kinds_together(sorted(chunks, key=lambda chunk: chunk.start), words)
    verbs = {c.start for c in chunks if c.kind == "relation" and _verbal(words[c.start : c.end], c, lexicon)}
    anybody = next((i for i, word in enumerate(words) if word in ANYBODY and not taken[i]), None)
    if asked is not None and anybody is not None and anybody > asked:
        anybody = None  # "which club do the people … belong to" asks for the club
    if (
        anybody is not None
        and lexicon.types
        and (doing := [c for c in chunks if c.start in verbs and c.start > anybody])
    ) and (doers := owners(graph, doing[0].relations[0])) is not None:
        put(Chunk(anybody, anybody + 1, "class", doers, (), 0.9))  # "how many people work on …"
        chunks.sort(key=lambda chunk: chunk.start)
        asked = anybody
    elif anybody is not None and (known := kind_called((stem(words[anybody]),), lexicon)) is not None:
        put(Chunk(anybody, anybody + 1, "class", p.Class(known), (), 0.9))  # "which people …" of persons
        chunks.sort(key=lambda chunk: chunk.start)
        asked = anybody
    somebody = _who_does(words) or (anybody is not None and all(chunk.start >= anybody for chunk in chunks))
    serving = _serving_as(words, chunks) if somebody else None
    root = _root([c for c in chunks if c.start not in verbs], asking, asked)
    if root is not None:
        root = chunks.index([c for c in chunks if c.start not in verbs][root])
    if serving is not None:
        root = next(i for i, chunk in enumerate(chunks) if chunk.start == serving)
    if root is not None and asked is not None and chunks[root].end == asked + 1 and chunks[root].condition is not None:
        chunks[root] = replace(chunks[root], kind="class", fit=0.95, condition=None)  # "which villains": all of whom so
    late = root is None or (begins is not None and chunks[root].start > begins + 1)
    begun = _begun_by(chunks, begins) if late and begins is not None else None
    if begun is not None and chunks[begun].condition is not None:
        chunks[begun] = replace(chunks[begun], kind="class", fit=0.95, condition=None)  # "villains who belong to X"
        root = begun
    place = root if begun is None else begun
    if place is not None and (called := _noun(chunks, place, found, graph, lexicon)) is not None:
        root, chunks[called[0]] = called
    alike_only = instead and root is not None and chunks[root].kind == "class" and chunks[root].fit < 1
    if alike_only and root is not None:
        del chunks[root]  # "the youngest musician" is no instrument where these are not born
        root = None
    wants = root is None or chunks[root].kind == "topic" or (chunks[root].kind == "relation" and "who" in asking)
    if kind is not None and wants:
        root = _of_kind(chunks, words, asked, kind, noun=alike_only or not lexicon.types)
    if root is not None and root + 1 < len(chunks) and chunks[root].end == chunks[root + 1].start:
        first, second = chunks[root].kind, chunks[root + 1].kind
        after = words[chunks[root + 1].end : chunks[root + 1].end + 1]
        named = [label for id, label in lexicon.labels.items() if id in chunks[root + 1].relations]
        said = words[chunks[root + 1].start : chunks[root + 1].end]
        noun = any(head_of(label) == label and said[-1] + "s" != label.lower() for label in named) or (
            "who" in words and after in (("of",), ("for",))
        )  # no "works in", "treats", but "who is the team lead of"
        if _begins_verb(words, chunks[root].end, after):
            noun = False
        if (first, second) == ("class", "relation") and noun and (not after or after[0] in _AFTER_NOUN):
            root += 1  # "state capitals" are capitals of states
        elif (first, second) == ("class", "class") and is_compound(words[chunks[root].end - 1], after):
            root += 1
        elif (first, second) == ("relation", "class"):
            del chunks[root + 1]  # "capital cities" are capitals
    for i in range(len(chunks) - 1, 0, -1):
        if i != root and _says_what_is(chunks[i], chunks[i - 1], graph, lexicon):  # "the Aurora ferry" is Aurora
            chunks[i - 1 : i + 1] = [replace(chunks[i - 1], end=chunks[i].end)]
            root = root - 1 if root is not None and root > i else root
        elif (i - 1 != root or asked is None) and _said_of_name(chunks[i - 1], chunks[i], words, graph, lexicon):
            chunks[i - 1 : i + 1] = [replace(chunks[i], start=chunks[i - 1].start)]  # "the port of Gdynia"
            if root == i - 1:
                root = next((k for k, chunk in enumerate(chunks) if chunk.kind != "topic"), None)
            elif root is not None and root >= i:
                root -= 1
    kept = [
        c
        for i, c in enumerate(chunks)
        if c.kind != "relation"
        or i == root
        or words[c.end : c.end + 1] == ("of",)
        or words[c.start - 1] in _LACKING
        or (i == len(chunks) - 1 and root is not None and words[c.start - 1] in ("not", "never"))
    ]  # other names of relations say how their neighbours are joined
    return Spotted(words, tuple(kept), kept.index(chunks[root]) if root is not None else None)


def _kinds_together(chunks: list[Chunk], words: tuple[str, ...]) -> list[Chunk]:
    """The chunks with two kinds said in one breath as one: "gods and goddesses" are those of either."""
    made = chunks[:1]
    for chunk in chunks[1:]:
        before = made[-1]
        one, other = before.plan, chunk.plan
        kinds = isinstance(one, p.Class) and isinstance(other, p.Class) and one != other
        joined = words[before.end : chunk.start] in (("and",), ("or",)) and before.kind == chunk.kind == "class"
        several = all(stem(words[each.end - 1]) != words[each.end - 1] for each in (before, chunk))
        behind = words[chunk.end : chunk.end + 2]
        asks = behind[:1] == ("which",) and stem(behind[-1]) != behind[-1]  # "bridges and tunnels: which contractors …"
        if kinds and joined and several and not asks:
            assert one is not None and other is not None
            made[-1] = replace(before, end=chunk.end, plan=p.Or((one, other)), fit=min(before.fit, chunk.fit))
        else:
            made.append(chunk)
    return made


def _in_longer_name(words: tuple[str, ...], start: int, end: int, lexicon: Lexicon) -> bool:
    """Whether words are part of what a kind is called: the "shipping" of "shipping lines" is no name."""
    return any(
        tuple(stem(word) for word in words[low:high]) in lexicon.classes
        for low in range(max(0, start - 2), start + 1)
        for high in range(end, min(len(words), end + 2) + 1)
        if high - low > end - start
    )


def _name_alone(word: str, lexicon: Lexicon) -> set[str]:
    """The word, unless it is one of the language's own or what a kind or a relation of the graph is called."""
    known = (stem(word),) in lexicon.classes or (stem(word),) in lexicon.relations
    return set() if known or word in FUNCTION or word in LIGHT else {word}


def _says_what_is(kind: Chunk, name: Chunk, graph: Graph, lexicon: Lexicon) -> bool:
    """Whether a kind right behind a name is the kind of what is named."""
    named = name.plan.ids if name.kind == "topic" and isinstance(name.plan, p.Entities) else ()
    if not named or name.end != kind.start or not isinstance(kind.plan, p.Class):
        return False
    return lexicon.class_ids.get(kind.plan.id) in kinds_of(graph, named)


def _said_of_name(kind: Chunk, name: Chunk, words: tuple[str, ...], graph: Graph, lexicon: Lexicon) -> bool:
    """Whether a kind before "of" a name is the kind of what is named: "the port of Gdynia", not "ports of Poland"."""
    if words[kind.end : name.start] != ("of",) or words[kind.start - 1 : kind.start] != ("the",):
        return False
    return _says_what_is(replace(kind, start=name.end), name, graph, lexicon)


def _kinds_named(match: re.Match[str], lexicon: Lexicon) -> str:
    """ "Kinds of incidents" as the property that states them, where one is called incident type."""
    noun = match["noun"]
    names = ((stem(noun.lower()), kind) for kind in ("type", "kind", "category", "class"))
    named = next((name for name in names if name in lexicon.relations), None)
    return match.group(0) if named is None else f"{' '.join(named)} of {noun}"


def _serving_as(words: tuple[str, ...], chunks: list[Chunk]) -> int | None:
    """The kind that somebody is by what they are taken for: "who works as a nurse", "people hired as drivers"."""
    kinds = (chunk.start for chunk in chunks if chunk.kind == "class")
    return next((at for at in kinds if "as" in words[max(0, at - 2) : at] and words[at - 1] in ("as", "a", "an")), None)


def _first_noun(words: tuple[str, ...]) -> int | None:
    """The noun in the plural that begins a question without a question word: "guidebooks that came out in 2018"."""
    if any(_asks(words, i) for i in range(len(words))):
        return None
    first = next((i for i, word in enumerate(words) if word not in FUNCTION and word not in LIGHT), None)
    if first is None:
        return None
    for i in range(first, min(first + 2, len(words))):  # "Irish actors without a prize"
        if words[i] in FUNCTION:
            return None
        if words[i] != stem(words[i]):
            return i
    return None


def _begun_by(chunks: list[Chunk], at: int) -> int | None:
    """The chunk that holds the noun which begins a question: "tragedies by somebody from Oslo"."""
    return next((i for i, chunk in enumerate(chunks) if chunk.start <= at < chunk.end), None)


def _describes(words: tuple[str, ...], at: int, taken: list[bool]) -> bool:
    """Whether a word in the singular stands before a noun in the plural that nothing accounts for."""
    return _several(words, at + 1, taken) and stem(words[at]) == words[at]


def _several(words: tuple[str, ...], at: int, taken: list[bool]) -> bool:
    """Whether a noun in the plural that nothing accounts for stands at a place."""
    word = words[at] if at < len(words) and not taken[at] else ""
    return bool(word) and stem(word) != word and word not in FUNCTION and word not in LIGHT


def _nearer_relatives(
    text: str, question: Question, graph: Graph, encoder: TextEncoder | None, lexicon: Lexicon
) -> str:
    """The text with grandparents as parents of parents, where the graph does not name them."""
    if not has_relatives(text):
        return text
    named = [topic.mention for topic in candidates(question, graph, encoder=encoder, limit=40)]
    return spelled_out(text, named, lexicon.labels.values())


def _with_the_word_before(
    words: tuple[str, ...], at: int, taken: list[bool], lexicon: Lexicon, encoder: TextEncoder | None
) -> str | None:
    """The relation that two words mean of which the second only ends some names: "birth date" is no start date."""
    before, known = words[at - 1] if at else "", lexicon.relations[(stem(words[at]),)]
    if not before or taken[at - 1] or before in FUNCTION or before in LIGHT or not before.isalpha():
        return None
    if any((stem(words[at]),) in (stems(lexicon.labels[id]), stems(head_of(lexicon.labels[id]))) for id in known):
        return None
    said = {stem(before), *SYNONYMS.get(stem(before), ())}
    same = next((id for id, label in lexicon.labels.items() if said & set(stems(label))), None)
    if same is not None or encoder is None:
        return same
    ids = list(lexicon.labels)
    near = encoder.encode(list(lexicon.labels.values())) @ encoder.encode([f"{before} {words[at]}"], role="query")[0]
    return ids[int(near.argmax())] if float(near.max()) >= ALIKE_KIND else None


def _names(
    question: Question, found: list[re.Match[str]], graph: Graph, encoder: TextEncoder | None
) -> list[tuple[list[Topic], tuple[int, int]]]:
    """Names with all their namesakes and the words they stand on, the likeliest first."""
    groups: dict[str, list[Topic]] = {}
    given = {id: graph.entity(id) for id in question.topics if graph.number_of(id) is not None}
    for entity in given.values():
        groups.setdefault(entity.label, []).append(Topic(entity, 1.0, entity.label, "given"))
    for topic in candidates(Question(question.id, question.text), graph, encoder=encoder, limit=40):
        if topic.score >= LEAST_NAME and topic.entity.id not in given:
            groups.setdefault(topic.mention, []).append(topic)
    made = []
    for mention, topics in groups.items():
        whole = re.search(rf"(?<!\w){re.escape(mention.lower())}(?!\w)", question.text.lower())
        at = whole.start() if whole else question.text.lower().find(mention.lower())  # "euro" is not in "European"
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


def _verbal(said: tuple[str, ...], chunk: Chunk, lexicon: Lexicon) -> bool:
    """Whether the name of a relation is a verb with its preposition ("works on"), which nobody asks for."""
    label = lexicon.labels[chunk.relations[0]].lower().split() if chunk.relations else []
    return len(label) == len(said) > 1 and label[-1] in _LINKS and label[0] not in FUNCTION


def _noun(
    chunks: list[Chunk], root: int, found: list[re.Match[str]], graph: Graph, lexicon: Lexicon
) -> tuple[int, Chunk] | None:
    """A name that is asked for as if it were a kind ("which defenders"): what is most often said to be it.

    Adjectives before it ("which Polish defenders") stay names.
    """
    while root + 1 < len(chunks) and chunks[root].kind == chunks[root + 1].kind == "topic":
        if chunks[root].end != chunks[root + 1].start:
            break
        root += 1
    chunk = chunks[root]
    if chunk.kind != "topic" or not isinstance(chunk.plan, p.Entities):
        return None
    if any(not found[i].group(0)[0].islower() for i in range(chunk.start, chunk.end)):
        return None
    if chunk.end - chunk.start > 1 and _is_named(chunk.plan, found[chunk.start : chunk.end], graph):
        return None
    if chunk.start and found[chunk.start - 1].group(0).lower() in (*_BE, "a", "an"):
        return None  # "what is jazz"
    alone = found[chunk.start].group(0) if chunk.end == chunk.start + 1 else ""
    if alone and (people := titled(alone, graph)) is not None:
        return root, replace(chunk, kind="class", plan=people, fit=0.9)
    inc, said = graph.whole.inc, Counter[int]()
    for number in Binding.of(graph).entities(chunk.plan.ids).tolist():
        said.update(inc.relations[inc.offsets[number] : inc.offsets[number + 1]].tolist())
    told = [(relation, times) for relation, times in said.most_common() if relation not in lexicon.silent]
    if not told or told[0][1] < 2:
        return None
    said_of: p.SetPlan = p.Follow(chunk.plan, (p.Step(graph.relation_at(told[0][0]).id, False),))
    return root, replace(chunk, kind="class", plan=_bearers(said_of, graph), fit=0.9)


def _is_named(plan: p.Entities, said: list[re.Match[str]], graph: Graph) -> bool:
    """Whether small letters say the whole name of a thing that is written with capitals: "aileen crosbie"."""
    numbers = Binding.of(graph).entities(plan.ids)
    words = [each.group(0) for each in said]
    return any(
        [word.lower() for word in label.split()] == words and all(word[0].isupper() for word in label.split())
        for label, text in zip(graph.labels_at(numbers), graph.literals_at(numbers).tolist(), strict=True) if not text
    )  # fmt: skip


def _bearers(plan: p.SetPlan, graph: Graph) -> p.SetPlan:
    """A set; where it is of nodes without names, such as edges with properties, what they start from."""
    members = execute(plan, graph).members
    if not len(members) or not graph.mediators_at(members).all():
        return plan
    starts = [step for step, share in steps_of(graph, members) if not step.forward and share == 1]
    return p.Follow(plan, (starts[0],)) if len(starts) == 1 else plan


def _asking(words: tuple[str, ...], chunks: list[Chunk]) -> tuple[str, ...]:
    """The words with "that" for a pronoun behind the kind of thing it stands for: "rangers who speak" asks for them."""
    behind = {c.end for c in chunks if c.kind == "class"}
    first = next((i for i, word in enumerate(words) if word in _ASKS or word == "how"), len(words))
    return tuple("that" if i == first and i in behind else word for i, word in enumerate(words))


def _begins_verb(words: tuple[str, ...], at: int, after: tuple[str, ...]) -> bool:
    """Whether a word that may be a noun or a verb is what several do: "trails start at", but "state capitals in"."""
    several = stem(words[at - 1]) != words[at - 1] and stem(words[at]) == words[at]
    return several and bool(after) and after[0] in ("at", "in", "on", "by", "to", "from", "with")


def _who_does(words: tuple[str, ...]) -> bool:
    """Whether a question asks who does something: a verb stands behind "who", not "the manager of"."""
    place = next((i for i in range(len(words)) if _asks(words, i)), len(words))
    if words[place : place + 1] != ("who",):
        return False
    behind = next((i for i in range(place + 1, len(words)) if words[i] not in FUNCTION | _BECOME), len(words))
    if {"the", "a", "an", "his", "her", "their"} & set(words[place:behind]) or behind == len(words):
        return False
    return words[behind - 1] not in _BE or words[behind].endswith("ed") or words[behind] in DATING_VERBS


def _of_a_doer(words: tuple[str, ...], i: int) -> bool:
    """Whether those behind a question word are who does it: "what did customers order" asks for no customers."""
    return words[i] in _PRONOUNS and words[i + 1 : i + 2] in (("do",), ("does",), ("did",))


def _asks(words: tuple[str, ...], i: int) -> bool:
    """Whether a word asks: "who" behind a noun ("rangers who speak …") only goes on from it."""
    if words[i] not in _ASKS:
        return False
    noun = i > 0 and words[i - 1] not in FUNCTION and words[i - 1] not in _ASKS and words[i - 1] != ","
    return not (noun and words[i] in _RELATIVE)


def _asked(words: tuple[str, ...]) -> int | None:
    """The noun that a question word stands before."""
    for i in range(len(words)):
        if _asks(words, i):
            if _who_does(words) or _of_a_doer(words, i):
                return None
            after = i + 1
            while after < len(words) and (words[after] in FUNCTION | _BECOME | LIGHT or words[after].isdigit()):
                if words[after] in ("in", "of", ","):
                    return None
                after += 1
            return after if after < len(words) else None
    return None


def _of_kind(chunks: list[Chunk], words: tuple[str, ...], asked: int | None, kind: p.SetPlan, *, noun: bool) -> int:
    """The place of a chunk for what is asked for, put where the question word stands; where nothing is of a kind called
    by the noun behind it, it takes that too."""
    place = next((i for i, word in enumerate(words) if word in _ASKS or word == "how"), 0)
    if words[place + 1 : place + 2] and words[place + 1] in _BE:  # "who is our guest" asks for no guest of a guest
        own = next((i for i, chunk in enumerate(chunks) if chunk.start > place), None)
        if own is not None and chunks[own].kind == "class" and chunks[own].plan == kind:
            return own
    free = asked is not None and not any(chunk.start <= asked < chunk.end for chunk in chunks)
    end = asked + 1 if free and asked is not None and noun else place + 1
    chunks[:] = [chunk for chunk in chunks if chunk.end <= place or chunk.start >= end]
    chunks.append(Chunk(place, end, "class", kind, (), 0.85))
    chunks.sort(key=lambda chunk: chunk.start)
    return next(i for i, chunk in enumerate(chunks) if chunk.start == place)


def _root(chunks: list[Chunk], words: tuple[str, ...], asked: int | None) -> int | None:
    """The chunk that is asked for: the one behind the question word, else the first that is no name."""
    if _who_does(words):
        return None
    if asked is not None:
        for i, chunk in enumerate(chunks):
            if chunk.start <= asked < chunk.end:
                behind = chunks[i + 1] if i + 1 < len(chunks) else None
                beside = behind is not None and behind.start == chunk.end and behind.kind != "topic"
                return i + 1 if chunk.kind == "topic" and beside else i  # "which science fiction books"
    if any(_asks(words, i) for i in range(len(words))) or (words and words[0] == "how"):
        place = next((i for i, w in enumerate(words) if w == "how" or _asks(words, i)), 0)
        if _of_a_doer(words, place) and any(c.kind == "class" and c.start == place + 2 for c in chunks):
            return None
        for i, chunk in enumerate(chunks):
            unknown = set(words[place + 1 : chunk.start]) - FUNCTION - LIGHT
            if chunk.start >= place and chunk.kind != "topic" and len(unknown) <= ADJECTIVES:
                return i
        return None
    return next((i for i, chunk in enumerate(chunks) if chunk.kind != "topic"), None)
