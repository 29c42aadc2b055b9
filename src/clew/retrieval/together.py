"""Whether things that are named are linked as a question says: "did Ada found the bakery".

Kept apart from `operating`, which goes by the names of relations: here a method that reads plain questions is asked
about each of two names in turn ("which bakery did Ada found", "who founded the bakery").
"""

from __future__ import annotations

import re

from clew.graph import Graph
from clew.graph.sets import held
from clew.protocols import Method, TextEncoder
from clew.query import plan as p
from clew.query.asked import ReadQuestion
from clew.query.decorate import Proposal
from clew.query.execute import execute
from clew.query.keys import steps_of
from clew.retrieval.chunks import LIGHT
from clew.retrieval.examples import ways_from
from clew.retrieval.lexicon import Lexicon, kinds_of, stems
from clew.retrieval.linking import link
from clew.retrieval.method_sets import sets_of
from clew.retrieval.words import FUNCTION
from clew.types import Answer, Question, Topic

_MORE = re.compile(r"\d|(?<!^)\b[A-Z]")  # a third name or a date, of which a path between the two says nothing
_BELONGING = frozenset(["take", "takes", "took", "involved", "linked", "connected", "associated", "related"])
SOME = 100  # ends of a path whose kinds are looked at
DIRECT = 0.9  # how far the one relation that the words name is believed
LEAST = 0.4  # share from which a path is what the words mean


def linked(
    method: Method, read: ReadQuestion, found: Answer, graph: Graph, encoder: TextEncoder | None
) -> list[Proposal]:
    """Whether two things named are linked by the relation that the words ask for."""
    if read.whoever:
        score = found.candidates[0].score if found.candidates else 0.0
        return [Proposal(p.Exists(plan), score) for plan in sets_of(found, graph)]
    named = _named(read.rest, read.rest, graph, encoder)
    if len(named) < 2:  # a name that begins `rest` may be any word
        named = _named(read.text, read.rest, graph, encoder)
    left = read.rest
    for mention in named:
        left = left.replace(mention, " ", 1)
    if read.filters or read.ranked is not None or _MORE.search(left) is not None:
        return []
    if len(named) == 2 and (direct := _directly(left, *named.values(), graph=graph)) is not None:
        return [direct]
    if len(named) == 2 and (made := _either(method, read.rest, tuple(named.values()), graph)):
        return made
    topics = [topic.entity.id for topic in found.topics]
    others = [topic.entity.id for topics in named.values() for topic in topics]
    said, labels = set(stems(read.rest)), Lexicon.of(graph).labels
    for plan in sets_of(found, graph):
        steps = [node.relation for node in p.walk(plan) if isinstance(node, p.Step)]
        if len(steps) > 1 and not all(said & set(stems(labels.get(each, ""))) for each in steps):
            continue  # a step that nobody asks for links nearly everything
        starts = {id for node in p.walk(plan) if isinstance(node, p.Entities) for id in node.ids}
        rest = [id for id in dict.fromkeys([*others, *topics]) if id not in starts]
        if rest:
            return [Proposal(p.Is(p.Entities((rest[0],)), plan), found.candidates[0].score)]
    return []


def _named(text: str, rest: str, graph: Graph, encoder: TextEncoder | None) -> dict[str, list[Topic]]:
    """The topics of a text, by what `rest` calls them."""
    named: dict[str, list[Topic]] = {}
    for topic in link(Question("truth", text), graph, encoder=encoder):
        if topic.mention in rest:
            named.setdefault(topic.mention, []).append(topic)
    return named


def _directly(left: str, one: list[Topic], other: list[Topic], *, graph: Graph) -> Proposal | None:
    """Whether the one relation that the words between two names name leads from one to the other, either way: none
    stated is a no, where it is stated of one of them."""
    words = set(stems(left))
    content = {id: set(stems(label)) - FUNCTION for id, label in Lexicon.of(graph).labels.items()}
    called = [id for id, said in content.items() if said and said <= words]
    if not called and not words - FUNCTION - LIGHT - _BELONGING:
        return _at_all(one, other, graph)
    if len(called) != 1 or words - FUNCTION - LIGHT - content[called[0]]:
        return None
    sides = [p.Entities(tuple(topic.entity.id for topic in each)) for each in (one, other)]
    ways = [p.Step(called[0]), p.Step(called[0], False)]
    if not any(len(execute(p.Follow(side, (way,)), graph).members) for side in sides for way in ways):
        return None
    reached = p.Or((p.Follow(sides[0], (ways[0],)), p.Follow(sides[0], (ways[1],))))
    return Proposal(p.Is(sides[1], reached), DIRECT)


def _at_all(one: list[Topic], other: list[Topic], graph: Graph) -> Proposal | None:
    """Whether the one relation that leads from one of two names to the other does: what "takes part in" is any."""
    sides = [p.Entities(tuple(topic.entity.id for topic in each)) for each in (one, other)]
    ends = execute(sides[1], graph).members
    ways = [
        step
        for step, _ in steps_of(graph, execute(sides[0], graph).members)
        if held(ends, execute(p.Follow(sides[0], (step,)), graph).members).any()
    ]
    return Proposal(p.Is(sides[1], p.Follow(sides[0], (ways[0],))), DIRECT) if len(ways) == 1 else None


def _either(method: Method, said: str, sides: tuple[list[Topic], ...], graph: Graph) -> list[Proposal]:
    """Whether a path that the words mean leads from one of two names to the other, by the surer side."""
    made: list[Proposal] = []
    for one, other in (sides, sides[::-1]):
        ids = tuple(topic.entity.id for topic in other)
        rest = said.replace(other[0].mention, " ", 1)
        kinds = kinds_of(graph, ids)
        for kind in sorted(kinds)[:2] or ["thing"]:
            text = " ".join(f"which {kind.lower()} {rest}".split())
            for way in ways_from(method, Question("truth", text, (one[0].entity.id,)), graph):
                if way.share < LEAST:
                    break
                plan: p.SetPlan = p.Entities(tuple(topic.entity.id for topic in one))
                for step in way.path:
                    plan = p.Follow(plan, (step,))
                ends = graph.ids_at(execute(plan, graph).members[:SOME])
                if set(ends) & set(ids) or (kinds and kinds & kinds_of(graph, ends)):
                    made.append(Proposal(p.Is(p.Entities(ids), plan), way.share * way.probability))
    return sorted(made, key=lambda each: -each.prior)
