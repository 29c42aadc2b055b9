"""When something was last done, or first: "when did we last play Thirteen Owls" asks for the date of the last of its
events, which a verb names.

Kept apart from `took_part`, where the things of events are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from clew.errors import ClewError
from clew.graph import Graph
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.decorate import Proposal
from clew.query.execute import execute
from clew.query.keys import Keys
from clew.query.lapses import ends
from clew.query.vocabulary import forms
from clew.retrieval.chunks import LIGHT, spot
from clew.retrieval.events.kinds import DUE, Events, Stated
from clew.retrieval.events.outcomes import done_by
from clew.retrieval.events.scene import Scene, only_best
from clew.retrieval.joining import followed
from clew.retrieval.lexicon import Lexicon
from clew.retrieval.words import FUNCTION
from clew.types import Question

SURE = 0.9  # of the last date of events that a question names
LIKELY = 0.6  # of one that leaves out words of the question
LEFT_OUT = 3  # words that a plan may leave out
MOST = 0.8  # share of the events that must have the date
SOME = 0.3  # the same of a date that the question names
_WHEN = re.compile(
    r"^(?:when|(?:on )?(?:what|which) (?:day|date)) (?:did|was|were|has|have|had) "
    r"(?P<rest>.*\b(?P<which>last|first|most recently|latest)\b.*)$", re.IGNORECASE,
)  # fmt: skip
_LAST = re.compile(r"\b(?:last|latest|most recent(?:ly)?|newest|(?P<first>first|earliest))\b")
_DAY = re.compile(r"\b(?:when|(?<!by )dates?|days?|how long ago)\b")
_UNREAD = re.compile(
    r"\b(?:not|never|without|going by|judging by|how many|how much|who|whose|before|after|since|than|average|total)\b"
    r"|n't\b"
)
_DATING = frozenset("date day time on at of when last latest recent recently first earliest".split())  # noqa: SIM905
_LITTLE = frozenset(
    ["last", "first", "most", "recently", "time", "latest", "we", "i", "they", "it", "been", "ever", "take"]
)


def latest(question: Question, scene: Callable[[], Scene]) -> list[Proposal]:
    """The same of any question for the date of the last of some events: "on what day did X most recently pay us
    something", "X latest payment date"; none for another question."""
    text = question.text.lower()
    if _LAST.search(text) is None or _DAY.search(text) is None:
        return []
    return [each for each in only_best(_latest(scene())) if each.prior]


def _latest(scene: Scene) -> Iterator[tuple[float, float, p.Plan]]:
    last = _LAST.search(scene.clause)
    if last is None or _DAY.search(scene.clause) is None or not scene.named or _UNREAD.search(scene.clause):
        return
    for event in (id for id in scene.events.kinds() if id not in scene.events.people()):
        narrowed = scene.narrowed(scene.events.all(event), (event,))
        date = date_meant(scene, event) if narrowed is not None and not narrowed[1] else None
        if narrowed is None or date is None or not len(scene.keys.having(narrowed[0], (date.step,))):
            continue
        left = scene.left(scene.at(*last.span(), clause=True), (event,), date.label.split())
        done = set(map(done_by, date.words)) - {""}
        left = [word for word in left if word not in _DATING and done_by(word) not in done]
        named = bool(set(scene.words) & date.words - _DATING)
        plan = p.Aggregate("min" if last["first"] else "max", narrowed[0], (date.step,))
        fit, sure = scene.spoken_of(event) + named / 2, SURE if len(left) < 2 else LIKELY
        if fit > 0:
            yield fit, sure if len(left) <= LEFT_OUT else 0.0, plan


def date_meant(scene: Scene, event: str) -> Stated | None:
    """The date of events that the words mean: one that they name or say by a verb, else when the events were."""
    dates = [each for each in scene.events.stated(event, "date") if each.share >= SOME and DUE.isdisjoint(each.words)]
    said = {form for word in scene.words if word not in FUNCTION | _DATING for form in forms(word)}
    done = {done_by(word) for word in scene.words if word not in FUNCTION} - {""}
    named = [each for each in dates if any(forms(word) & said for word in each.words - _DATING)]
    named = named or [each for each in dates if {done_by(word) for word in each.words} & done]
    main = date_of(event, scene.events)
    return named[0] if len(named) == 1 else next((each for each in dates if each.step == main), None)


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
        sets: list[p.SetPlan] = [events.all(event)]
        for whom in named:
            members = execute(whom, graph).members
            ways = [way for id in events.kinds_of(members) for way in events.ways(event, id)]
            if len(ways) != 1:
                break
            sets.append(followed(whom, p.turned(ways[0])))
        else:
            date = date_of(event, events)
            if date is not None:
                some = p.And(tuple(sets))
                if len(Keys(graph).having(some, (date,))):
                    return p.Aggregate("max" if last else "min", some, (date,))
    return None


def date_of(event: str, events: Events) -> p.Step | None:
    """The date at which events were: the only one, else the earliest of those that do not say that they were over."""
    dates = events.stated(event, "date", MOST)
    begun = [each for each in dates if not any(map(ends, each.words)) and DUE.isdisjoint(each.words)]
    if len(dates) == 1 or not begun:
        return dates[0].step if len(dates) == 1 else None
    return min(begun, key=lambda each: events.middle(event, each.step)).step
