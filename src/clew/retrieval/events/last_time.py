"""When something was last done, or first: "when did we last play Thirteen Owls" asks for the date of the last of its
events, which a verb names.

Kept apart from `took_part`, where the things of events are asked for.
"""

from __future__ import annotations

import re

from clew.errors import ClewError
from clew.graph import Graph
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.decorate import Proposal
from clew.query.execute import execute
from clew.query.keys import Keys
from clew.query.lapses import ends
from clew.retrieval.chunks import LIGHT, spot
from clew.retrieval.events.kinds import DUE, Events
from clew.retrieval.joining import followed
from clew.retrieval.lexicon import Lexicon
from clew.retrieval.words import FUNCTION
from clew.types import Question

SURE = 0.9  # of the last date of events that a question names
MOST = 0.8  # share of the events that must have the date
_WHEN = re.compile(
    r"^(?:when|(?:on )?(?:what|which) (?:day|date)) (?:did|was|were|has|have|had) "
    r"(?P<rest>.*\b(?P<which>last|first|most recently|latest)\b.*)$", re.IGNORECASE,
)  # fmt: skip
_LITTLE = frozenset(
    ["last", "first", "most", "recently", "time", "latest", "we", "i", "they", "it", "been", "ever", "take"]
)


def last_time(question: Question, graph: Graph, encoder: TextEncoder | None) -> list[Proposal]:
    """The plan for the date of the last or the first of some events; none for another question."""
    match = _WHEN.match(re.sub(r"\s+", " ", question.text.strip()).rstrip("?!. "))
    if match is None or not Lexicon.of(graph).types:
        return []
    try:
        plan = _dated(Question(question.id, match["rest"]), graph, encoder, last=match["which"].lower() != "first")
    except ClewError:
        return []
    return [] if plan is None else [Proposal(plan, SURE)]


def _dated(question: Question, graph: Graph, encoder: TextEncoder | None, *, last: bool) -> p.Plan | None:
    spotted = spot(question, graph, encoder)
    named = [c.plan for c in spotted.chunks if c.kind == "topic" and isinstance(c.plan, p.Entities)]
    if not named or len(named) > 2:
        return None
    events, inside = Events(graph), set[int]()
    for chunk in spotted.chunks:
        inside |= set(range(chunk.start, chunk.end)) if chunk.kind != "relation" else set()
    words = [word for i, word in enumerate(spotted.words) if i not in inside]
    said = [c.plan.id for c in spotted.chunks if c.kind == "class" and isinstance(c.plan, p.Class)]
    acted = [id for word in words for id in events.acted([word])]
    for event in dict.fromkeys([*acted, *said]):
        verbs = [word for word in words if event in events.acted([word])]
        if any(word not in FUNCTION | LIGHT | _LITTLE and word not in verbs for word in words):
            continue
        sets: list[p.SetPlan] = [p.Class(event)]
        for whom in named:
            members = execute(whom, graph).members
            ways = [way for id in events.kinds_of(members) for way in events.ways(event, id)]
            if len(ways) != 1:
                break
            sets.append(followed(whom, p.turned(ways[0])))
        else:
            date = _date_of(event, events)
            if date is not None:
                some = p.And(tuple(sets))
                if len(Keys(graph).having(some, (date,))):
                    return p.Aggregate("max" if last else "min", some, (date,))
    return None


def _date_of(event: str, events: Events) -> p.Step | None:
    """The date at which events were: the only one, else the one that does not say that they were over."""
    dates = events.stated(event, "date", MOST)
    begun = [each for each in dates if not any(map(ends, each.words)) and DUE.isdisjoint(each.words)]
    return dates[0].step if len(dates) == 1 else begun[0].step if len(begun) == 1 else None
