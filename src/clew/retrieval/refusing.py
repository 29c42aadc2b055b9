"""When an answer is none: a figure for "who", a kind for a place, a comparison of what is not stated.

Kept apart from `operators`: here nothing is found, only told why what was found is not what was asked for.
"""

from __future__ import annotations

import re

from clew.graph import Graph
from clew.query import plan as p
from clew.query.asked import ReadQuestion
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.keys import Likeness
from clew.query.vocabulary import MEASURES, stem
from clew.retrieval.chunks import LIGHT
from clew.retrieval.lexicon import class_in, stems
from clew.retrieval.operating import LEAST_ALIKE
from clew.retrieval.words import FUNCTION
from clew.types import Answer, Question

_KINDS = frozenset(["kind", "type", "class", "category", "sort", "job", "occupation", "profession", "role"])


def implausible(question: Question, found: Answer, graph: Graph) -> str:
    """Why an answer cannot be what was asked for: what kind of thing something is, or a figure for "who"."""
    if not found.candidates:
        return ""
    paths = [path for c in found.candidates[:5] for path in found.paths_of(c) if path.relations]
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
    if re.match(r"who(?:m|se)?\b", asked) and all(forward and column(graph, r).ordered for r, forward in moves):
        return "the graph has only figures where the question asks who"
    columns = [column(graph, *move) for move in moves]
    figures = [each.ordered for each in columns]
    if re.match(r"where\b", asked) and all(figures):
        return "the graph has only figures where the question asks for a place"
    digits = any(letter.isdigit() for c in found.candidates[:5] for letter in c.text)
    if re.match(r"when\b", asked) and (
        all(f and c.kind == "number" for f, c in zip(figures, columns, strict=True)) or not digits
    ):
        return "the graph has no date where the question asks when"
    measured = re.match(r"how (\w+)\b", asked)
    if measured and MEASURES.get(measured[1]) and measured[1] not in ("much", "many") and not digits:
        return f"the graph has no figure where the question asks how {measured[1]}"
    return ""


def missing(read: ReadQuestion, alone: Answer, graph: Graph, likeness: Likeness) -> str:
    """What a graph lacks for a comparison: dates for a filter by date, the kind of thing for a superlative."""
    known = Binding.of(graph)
    dated = any(isinstance(each.value, p.Date) for each in read.filters)
    if dated and not any(column(graph, r).kind == "date" for r in range(graph.num_relations)):
        return "the graph states no dates"
    if read.ranked is not None and known.type_relations and not accounted(read, alone, graph, likeness):
        return "the graph has nothing of the kind that is asked for"
    return ""


def accounted(read: ReadQuestion, found: Answer, graph: Graph, likeness: Likeness) -> bool:
    """Whether what a count is of ("lakes") is what the method's answers are, by the words of the last relation."""
    noun = next((w for w in re.findall(r"[\w-]+", read.rest.lower())[1:] if w not in FUNCTION and w not in LIGHT), "")
    if not found.candidates or not noun or class_in(noun, graph) is not None:
        return bool(found.candidates)
    relations = {path.relations[-1][0] for path in found.paths_of(found.candidates[0]) if path.relations}
    labels = [graph.relation_at(Binding.of(graph).relation(r)).label for r in sorted(relations)]
    return bool(labels) and max(likeness((noun,), labels)) >= LEAST_ALIKE
