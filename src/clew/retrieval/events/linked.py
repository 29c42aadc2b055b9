"""Who or what has to do with something that is named, by the events between: "which customers have had kegs of Foundry
Stout", "Helen Marsh purchases, titles", "whose dogs did Priya Nair look after".

Kept apart from the methods, which walk relations from what is named and stop after three: here the asked kind and what
is named are joined through the kind of events that the question speaks of, however far both are from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from clew.query import plan as p
from clew.query.decorate import Proposal
from clew.query.question import read_question
from clew.retrieval.events.scene import Scene, only_best
from clew.retrieval.joining import followed
from clew.types import Question

LIKELY = 0.56  # of a list, below what a method finds that tells more
LEFT_OUT = 1  # words that a plan may leave out
MOST = 0.8  # share of the kind that is asked for that an answer may be
_UNREAD = re.compile(
    r"\b(?:how (?:many|much|often|long)|number of|count|total|sum|average|mean|most|least|fewest|more|fewer|less|than"
    r"|[a-z]{3,}est|best|worst|last|first|latest|not|never|no|none|nobody|without|neither|nor|except|other|both|also|too"
    r"|as well|in common|either|or|if|why|when|yet|still|late|due|overdue|before|after|since|between|each|every|same"
    r"|again|date|day|unpaid|open|outstanding|owe[sd]?|any)\b|n't\b|^(?:is|are|was|were|did|does|do|has|have|had)\b"
)


def linked(question: Question, scene: Callable[[], Scene]) -> list[Proposal]:
    """The plan for what is joined by events to what a question names; none for a question of another form."""
    if read_question(question.text).filters or _UNREAD.search(question.text.lower().split(", so ")[-1]):
        return []
    return only_best(_made(scene()))


def _made(scene: Scene) -> Iterator[tuple[float, float, p.Plan]]:
    if _UNREAD.search(scene.clause) or scene.dates() or scene.half_dated() or not scene.named:
        return
    for event in scene.events.kinds():
        kind, spoken = scene.asked(event), scene.spoken_of(event)
        ways = scene.ways(event, kind) if kind and kind != event and spoken else []
        if len(ways) != 1 or scene.names(event) or scene.names(kind) or event in scene.events.people():
            continue
        narrowed = scene.narrowed(scene.events.all(event), (event, kind))
        if narrowed is None or len(scene.left((), (event, kind))) > LEFT_OUT:
            continue
        mine, others = narrowed
        plan = p.And((scene.events.all(kind), *others, followed(mine, ways[0])))
        if mine != scene.events.all(event) and 0 < len(scene.keys.members(plan)) <= MOST * len(
            scene.events.members(kind)
        ):
            yield spoken - len(ways[0]) / 8, LIKELY, plan
