"""When an answer is none: a figure for "who", a kind for a place, a comparison of what is not stated.

Kept apart from `operators`: here nothing is found, only told why what was found is not what was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from clew.graph import Graph
from clew.graph.flags import truth_values
from clew.graph.kinds import ALL_UP_TO
from clew.graph.sets import held
from clew.labels import label_to_text
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.asked import ReadQuestion
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.execute import execute
from clew.query.keys import Likeness
from clew.query.lapses import lapse
from clew.query.meanings import dimension_of, is_price, meant, spelled_out
from clew.query.values import CURRENCIES, ReadValue, parse_date, untyped
from clew.query.vocabulary import MEASURES, SYNONYMS, forms, stem
from clew.query.wordnet import NEAR, people_of, same_act
from clew.retrieval.asking import asked_kind, nobody
from clew.retrieval.chunks import LIGHT
from clew.retrieval.lexicon import ALIKE_KIND, WORD, Lexicon, class_in, kind_meant, kinds_of, stems
from clew.retrieval.method_sets import best_of, numbers_of
from clew.retrieval.operating import LEAST_ALIKE
from clew.retrieval.roles import is_role
from clew.retrieval.words import FUNCTION
from clew.types import Answer, Candidate, Path, Question

FEW = 4  # things from which on it is told that each has one
CERTAIN = 0.5  # an answer as sure as this is believed, whatever its words
FAR = 0.3  # the same for an answer that is believed: an editor is no writer
MET = 0.45  # cosine of what is asked for and a relation's name from which the one may mean the other
LOOKED_AT = 5  # answers whose paths are looked at
NEIGHBOURS = 50  # of an answer, whose names are looked at
YES_AND_NO = "the graph only says yes or no of it, and the question asks for something else"
_BE = r"(?:['’]s| is| are| was| were)"
_NOUN_OF = re.compile(
    rf"(?:[Ww]ho|[Ww]hat){_BE} (?:the |an? )(?P<what>(?:[a-z-]+|[A-Z]{{2,}})(?: [a-z-]+){{0,2}}?) (?:of|for|in|at) "
)
_WHO_DOES = re.compile(
    r"[Ww]ho (?!is|are|was|were|do|does|did|has|have|had|can|lives?\b)(?P<what>[a-z]+) (?=[A-Z]|the )"
)
_WHICH = re.compile(
    r"(?:[Ww]hich|[Ww]hat) (?!is|are|was|were|do|does|did|has|have)(?P<what>[a-z-]+(?: [a-z-]+)?)"
    r"(?= (?:is|are|was|were|do|does|did|has|have|can|(?P<next>[a-z]+s)|[a-z]+ed|in|from|of)\b)"
)
_KIND_OF = re.compile(r" (?:the |an? )?(?:type|kind|sort|style|form)s? of ")
_ABOUT = re.compile(rf"[Ww]hat{_BE} .* about\W*$")
_LAST_DONE = re.compile(
    r"(?:when|(?:on )?(?:what|which) (?:date|day|time|year|month))\b.*?\b(?:last|latest|most recently|next) "
    r"(?:time )?(?P<what>[a-z]+)",
    re.IGNORECASE,
)
_NEXT = re.compile(r"(?:when|(?:on |in )?(?:what|which) (?:date|day|time|year|month))\b.*\bnext\b", re.IGNORECASE)
_HAPPENS = frozenset(["happen", "occur", "take", "took", "place", "go", "went", "date", "day", "time", "year", "event"])
_CONTACT = re.compile(
    r"\b(?:(?:phone|telephone|mobile|fax)(?: numbers?)?|e-?mail(?: address)?|website|homepage|web ?page)\b"
)
_CONTACTS = frozenset(
    "phone telephone tel mobile cell fax contact email mail website web url homepage page".split()  # noqa: SIM905
)
_FIGURE_OF = re.compile(
    r"(?:(?:what|how (?:much|high|big))(?: is|'s| are| was| were) )?(?:the |an? )?"
    r"(?P<what>(?:[a-z-]+ ){0,2}?(?:price|cost|fee|rent|fare|salary|wage|speed|weight|altitude|elevation))s? "
    r"(?:of|for|at|in|to) |how much (?:is|are|was|were) (?:the |an? )?[a-z]+(?: [a-z]+)? (?:at|in|to|for) "
    r"|how much (?:does|do|did) .* cost\b"
)
_DIMENSIONS = {
    **dict.fromkeys(("price", "cost", "fee", "rent", "fare", "salary", "wage"), "money"),
    "speed": "speed", "weight": "mass", "altitude": "length", "elevation": "length",
}  # fmt: skip
_WHAT_TIME = re.compile(r"(?:at )?what time\b", re.IGNORECASE)
_DAYS = ("year", "month", "day")
NO_CLOCK = "the graph has only dates where the question asks for a time of the day"
_TIMES = frozenset(["year", "date", "day", "month", "time"])
_KINDS = frozenset(["kind", "type", "class", "category", "sort", "job", "occupation", "profession", "role"])


def unmet(question: Question, found: Answer, graph: Graph, encoder: TextEncoder) -> str:
    """What a question asks for by a word that nothing on the way to an unsure answer is called by: "the dean" of a
    department whose members are all that the graph holds.

    Only for methods that go by names. One trained on questions may have learned what its words mean here.
    """
    asked = _asked_for(question.text, kinds=bool(Binding.of(graph).type_relations))
    named = {stem(word) for topic in found.topics for word in topic.mention.lower().split()}
    asked = tuple(phrase for phrase in asked if not named & set(stems(phrase)))
    if not asked or not found.candidates:
        return ""
    certain = found.candidates[0].score >= CERTAIN
    last = asked[0].split()[-1]
    noun = re.search(rf"(?:\bthe|\ban?|['’]s)(?: \w+)? {re.escape(last)}\b", question.text, re.IGNORECASE) is not None
    if certain and not (noun and people_of({"": last})):
        return ""  # words for what is done vary; who somebody is is another relation
    met = FAR if certain else MET
    best = _walked(found, best_of(found))
    relations = {relation for path in best for relation, _ in path.relations}
    if not relations:
        return ""
    binding = Binding.of(graph)
    labels = {label_to_text(graph.relation_at(binding.relation(r)).label) for r in relations}
    ids = [c.entity.id for c in best_of(found)[:LOOKED_AT] if c.entity is not None]
    kinds = sorted(kinds_of(graph, ids))
    told = {form for label in (*labels, *_stated_of(graph, ids)) for word in stems(label) for form in forms(word)}
    told |= {stem(word) for c in best_of(found) for word in stems(c.text)}
    words = [word for phrase in asked for word in phrase.split()]
    if _TIMES.issuperset(words) and any(letter.isdigit() for letter in found.candidates[0].text):
        return ""  # "what year was it closed" asks for no relation of that name
    if any(forms(word) & told or told & set(SYNONYMS.get(stem(word), ())) for word in words):
        return ""
    if any(same_act(word, said) for label in labels for said in label.lower().split() for word in words):
        return ""
    near = encoder.encode([*sorted(labels), *kinds]) @ encoder.encode(list(asked), role="query").T
    if float(near[: len(labels)].max()) >= met or (kinds and float(near[len(labels) :].max()) >= ALIKE_KIND):
        return ""
    known = any(set(stems(asked[0])) == set(stems(label)) for label in Lexicon.of(graph).labels.values())
    why = f"no path to a “{asked[0]}” was found" if known else f"the graph has no relation for “{asked[0]}”"
    return f"{why}: the best guess is {found.candidates[0].text}"


def _stated_of(graph: Graph, ids: Sequence[str]) -> list[str]:
    """The names of what some things lead to: "birds" are those of which it is said."""
    out, numbers = graph.whole.out, Binding.of(graph).entities(tuple(ids)).tolist()
    ends = [out.neighbors[int(out.offsets[n]) : int(out.offsets[n + 1])][:NEIGHBOURS] for n in numbers]
    return graph.labels_at(np.unique(np.concatenate([np.empty(0, np.int32), *ends])))


def _asked_for(text: str, *, kinds: bool) -> tuple[str, ...]:
    """The noun or the verb that says what is asked for, with the words beside it; none where no pattern fits.

    In a graph without kinds nothing says of what kind an answer is, so that "which city" asks for no word.
    """
    text = _KIND_OF.sub(" ", text)
    for pattern in (_NOUN_OF, _WHO_DOES, *([_WHICH] if kinds else [])):
        match = pattern.match(text)
        if match is None:
            continue
        said = " ".join(filter(None, (match["what"], match.groupdict().get("next"))))  # "angels", or a verb
        words = [word for word in said.lower().split() if word not in LIGHT and word not in FUNCTION]
        return tuple(dict.fromkeys((" ".join(words), words[-1], words[0]))) if words else ()
    return ("subject", "about") if _ABOUT.match(text) else ()


def implausible(question: Question, found: Answer, graph: Graph) -> str:
    """Why an answer cannot be what was asked for: what kind of thing something is, or a figure for "who"."""
    if not found.candidates:
        return ""
    if only_truth(found, graph):
        return YES_AND_NO
    paths = _walked(found, found.candidates)
    last = {path.relations[-1] for path in paths}
    binding, asked = Binding.of(graph), question.text.lower()
    moves = [(binding.relation(relation), forward) for relation, forward in last]
    if not moves:
        return ""
    kinds = all(relation in binding.type_relations and forward for relation, forward in moves)
    named = {part for topic in found.topics for part in stems(topic.mention)}
    told = {part for c in found.candidates[:5] for part in stems(c.text)}
    unmet = {stem(word) for word in stems(asked) if word not in FUNCTION and word not in LIGHT} - named - told
    if kinds and unmet and not unmet & _KINDS:
        return "the graph says of what kind it is, and nothing that the question asks for"
    people = re.match(r"who(?:m|se)?\b", asked)
    if people and all(forward and column(graph, r, sampled=True).ordered for r, forward in moves):
        return "the graph has only figures where the question asks who"
    what = re.match(r"what (?:did|does|do|has|have|had) ", asked)
    if what and all(forward and column(graph, r, sampled=True).kind == "date" for r, forward in moves):
        return "the graph has only dates where the question asks what"
    numbers = numbers_of(found.candidates, graph)
    if people and numbers.min() >= 0 and held(numbers, nobody(graph)).all():
        return "the graph has nobody where the question asks who"
    columns = [column(graph, *move, sampled=True) for move in moves]
    figures = [each.ordered for each in columns]
    if re.match(r"where\b", asked) and all(figures):
        return "the graph has only figures where the question asks for a place"
    if all(figures) and all(each.kind == "date" for each in columns) and lapse(question.text) is not None:
        return "the graph has only a date where the question asks for the time between two"
    if _WHAT_TIME.match(asked) and all(figures) and all(each.precision in _DAYS for each in columns):
        return NO_CLOCK
    digits = any(letter.isdigit() for c in found.candidates[:5] for letter in c.text)
    if re.match(r"when\b", asked) and (
        not digits
        or (not _years(found) and all(f and c.kind == "number" for f, c in zip(figures, columns, strict=True)))
    ):
        return "the graph has no date where the question asks when"
    measured = re.match(r"how (\w+)\b", asked)
    if measured and MEASURES.get(measured[1]) and measured[1] not in ("much", "many") and not digits:
        return f"the graph has no figure where the question asks how {measured[1]}"
    return ""


def _years(found: Answer) -> bool:
    """Whether every answer may be a year."""
    return all(re.fullmatch(r"1\d{3}|20\d\d", text) for text in found.texts[:LOOKED_AT])


def mismeasured(question: Question, found: Answer, graph: Graph) -> str:
    """Why an answer is a figure of something else than is asked for: seats for a price, a weight for a speed, an area
    for a phone number."""
    if not found.candidates:
        return ""
    text = question.text.lower()
    paths = _walked(found, found.candidates)
    binding = Binding.of(graph)
    ends = {path.relations[-1] for path in paths}
    labels = {graph.relation_at(binding.relation(relation)).label for relation, _ in ends}
    if (contact := _CONTACT.search(text)) is not None and labels:
        known = (graph.relation_at(number).label for number in range(graph.num_relations))
        if contact.group(0) not in " ".join(topic.mention.lower() for topic in found.topics) and not any(
            _CONTACTS & set(spelled_out(label).lower().split()) for label in known
        ):
            return f"the graph states no {contact.group(0)}"
    match = _FIGURE_OF.match(text)
    word = match["what"].split()[-1] if match is not None and match["what"] else ""
    asked = _DIMENSIONS.get(stem(word), "") if word else "money" if match is not None else ""
    if not asked or not ends or not labels:
        return ""
    columns = [column(graph, binding.relation(relation), forward, sampled=True) for relation, forward in ends]
    if any(each.kind != "number" for each in columns):
        return ""
    stated = {dimension_of(label) for label in labels} | {each.dimension for each in columns}
    stated = {"money" if each in CURRENCIES else each for each in stated} - {""}
    if asked in stated or (not stated and (asked != "money" or any(map(is_price, labels)))):
        return ""
    return f"the graph states no {word or 'price'} of it"


def _walked(found: Answer, some: Sequence[Candidate]) -> list[Path]:
    """The paths of relations to the first of some answers."""
    return [path for c in some[:LOOKED_AT] for path in found.paths_of(c) if path.relations]


def only_truth(found: Answer, graph: Graph) -> bool:
    """Whether an answer is nothing but both a yes and a no, which nobody asks for."""
    entities = [c.entity for c in best_of(found)] if found.candidates else []
    numbers = {graph.number_of(each.id) for each in entities if each is not None}
    return len(numbers) > 1 and len(numbers) == len(entities) and numbers <= truth_values(graph)


def undated(text: str, plan: p.Plan, graph: Graph) -> str:
    """Why a plan tells no "when did X last …": nothing in it is called by what was done; "" where something is. A day
    does not tell at what time either.

    The latest purchase of what is near a camera is no record of it.
    """
    if _WHAT_TIME.match(text) and isinstance(plan, (p.Follow, p.Values)) and plan.path:
        move = Binding.of(graph).moves(plan.path)[-1]
        if column(graph, *move, sampled=True).precision in _DAYS:
            return NO_CLOCK
    match = _LAST_DONE.match(text)
    if match is None or match["what"].lower() in FUNCTION or stem(match["what"]) in _HAPPENS:
        return ""
    what = match["what"].lower()
    steps = {
        graph.relation_at(Binding.of(graph).relation(s.relation)).label for s in p.walk(plan) if isinstance(s, p.Step)
    }
    kinds = graph.labels_at(Binding.of(graph).entities(tuple(k.id for k in p.walk(plan) if isinstance(k, p.Class))))
    told = {form for name in (*steps, *kinds) for word in spelled_out(name).lower().split() for form in forms(word)}
    dated = any(meant((what,), "", label, date=True) for label in steps)
    return "" if forms(what) & told or dated else f"the graph has no date for “{what}”"


def unstated(plan: p.Plan, graph: Graph) -> str:
    """Why a count is of nothing: a head count that is not stated is no 0."""
    match plan:
        case p.Count(p.Follow(of, (p.Step(relation, True),), ())):
            number = Binding.of(graph).relation(relation)
            if column(graph, number, sampled=True).ordered and not len(
                execute(p.Follow(of, (p.Step(relation),)), graph).members
            ):
                return f"the graph states no {spelled_out(graph.relation_at(number).label)} of it"
    return ""


def past(question: Question, found: Answer) -> bool:
    """Whether what comes next is asked for and every date found has gone by."""
    if _NEXT.match(question.text) is None or not found.candidates:
        return False
    dates = [parse_date(text) or untyped(text) for text in found.texts[:LOOKED_AT]]
    now = datetime.now(UTC)
    ends = [_ended(each) for each in dates]
    return all(end is not None and end <= now.timestamp() for end in ends)


def _ended(reading: ReadValue | None) -> float | None:
    """When a date is over, in seconds; a bare number may be a year."""
    if reading is None:
        return None
    if reading.kind == "number":
        year = parse_date(f"{int(reading.low):04d}") if 1000 <= reading.low < 3000 else None
        return None if year is None else year.high
    return reading.high


def missing(read: ReadQuestion, alone: Answer, graph: Graph, likeness: Likeness) -> str:
    """What a graph lacks for a comparison: dates for a filter by date, the kind of thing for a superlative."""
    known = Binding.of(graph)
    dated = any(isinstance(each.value, p.Date) for each in read.filters)
    if dated and not any(column(graph, r).kind == "date" for r in range(graph.num_relations)):
        return "the graph states no dates"
    if read.ranked is not None and known.type_relations and not accounted(read, alone, graph, likeness):
        return "the graph has nothing of the kind that is asked for"
    return ""


def _counted(rest: str) -> str:
    """The noun that a count is of: "lakes" in "which lakes …"."""
    return next((w for w in re.findall(r"[\w-]+", rest.lower())[1:] if w not in FUNCTION and w not in LIGHT), "")


_ANYTHING = re.compile(r"\bwhich (?:places|things|items|spots|venues|locations|sites)\b", re.IGNORECASE)  # of any kind


def counts_others(read: ReadQuestion, plan: p.Plan, graph: Graph, likeness: Likeness) -> bool:
    """Whether a count is of something else than its noun says: for a novel's pages the persons who recommend it, for a
    park's visitors its one director."""
    noun = _counted(read.rest)
    if not isinstance(plan, p.Count) or not noun or is_role(plan.of):
        return False
    binding, steps = Binding.of(graph), [node for node in p.walk(plan) if isinstance(node, p.Step)]
    labels = [graph.relation_at(binding.relation(step.relation)).label for step in steps]
    if not labels or any(set(stems(noun)) & set(stems(spelled_out(label))) for label in labels):
        return False
    if not _of_one_each(plan.of, graph):
        named = (id for node in p.walk(plan) if isinstance(node, p.Entities) for id in node.ids)
        names = stems(" ".join(graph.labels_at(binding.entities(tuple(named)))))
        if stem(noun) in names:
            return False  # of directors, whoever has a title that ends so
        words = [word for word in WORD.findall(read.rest.lower())[1:] if word not in FUNCTION and word not in LIGHT]
        lexicon = Lexicon.of(graph)
        if {stem(word) for word in words} - {stem(noun), *names}:
            return False
        kind = kind_meant(noun, lexicon)
        if kind is None or kind[0] not in people_of(lexicon.class_ids) or kind[1] >= NEAR:
            return False  # what somebody is names a role, which the relation must say; "movies" are films
    return max(likeness((noun,), labels)) < LEAST_ALIKE


def _of_one_each(plan: p.SetPlan, graph: Graph) -> bool:
    """Whether a set is what one thing has one of, as have all others."""
    if not isinstance(plan, p.Follow) or not isinstance(plan.of, p.Entities) or len(plan.of.ids) > 1:
        return False
    return all(_single(graph, *move) for move in Binding.of(graph).moves(plan.path))


def _single(graph: Graph, relation: int, forward: bool) -> bool:
    """Whether whatever has a relation has it once; of a few, or in a large graph, nobody can tell."""

    def made() -> bool:
        whole = graph.whole
        ends = (whole.heads if forward else whole.tails)[whole.rels == relation]
        return len(ends) >= FEW and len(np.unique(ends)) == len(ends)

    if graph.num_triples > ALL_UP_TO:
        return False
    return graph.derived(("refusing.single", relation, forward), made)


def accounted(read: ReadQuestion, found: Answer, graph: Graph, likeness: Likeness) -> bool:
    """Whether what a count is of ("lakes") is what the method's answers are, by the words of the last relation."""
    members = asked_kind(read.rest, graph)
    if members is not None and found.candidates:  # "which people …" of persons
        numbers = [graph.number_of(c.entity.id) for c in best_of(found) if c.entity is not None]
        here = np.isin([n for n in numbers if n is not None], members)
        if numbers and bool(here.all() or (here.any() and class_in(read.rest, graph) is not None)):
            return True  # of a class those that are no members are left out
    if found.candidates and _ANYTHING.search(read.rest):
        return True
    noun = _counted(read.rest)
    if not found.candidates or not noun or class_in(noun, graph) is not None:
        return bool(found.candidates)
    relations = {path.relations[-1][0] for path in found.paths_of(found.candidates[0]) if path.relations}
    labels = [graph.relation_at(Binding.of(graph).relation(r)).label for r in sorted(relations)]
    return bool(labels) and max(likeness((noun,), labels)) >= LEAST_ALIKE
