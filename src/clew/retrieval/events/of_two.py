"""Which of two has more events: "have we given more jobs to A or to B", "of the two florists A and B, which do we book
more often", "I reckon A has been a guest here more times than B, am I right".

Kept apart from `two_names`, which compares what each of two things states: here their events are counted, or a figure
of these is added up or averaged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np

from clew.query import plan as p
from clew.query.decorate import Proposal
from clew.query.execute import execute
from clew.query.question import read_question
from clew.query.vocabulary import stem
from clew.retrieval.events.scene import Scene, all_of, only_best, two_of
from clew.types import Question

SURE = 0.87  # of a comparison of which the question speaks by the events' name or verb
FAR = 2  # steps from one of the two to its events
LEFT_OUT = 3  # words that a plan may leave out
MOST = 0.7  # share of the events that must state a figure
NAMED = 0.7  # how well a word must fit a figure to name it
_MORE = re.compile(
    r"\b(?:(?P<more>more|most|bigger|higher|larger|greater|busier|better)|(?P<less>fewer|less|fewest|least|smaller|lower))\b"
)
_MONEY = re.compile(r"\b(?:money|spen[dt]|earn(?:s|ed)?|revenue|brought in|takings|income|cash|paid|owes?)\b")
_MEAN = re.compile(r"\b(?:on average|average|mean)\b")
_SIZES = frozenset(["bigger", "higher", "larger", "greater", "smaller", "lower", "better"])
_COUNTS = re.compile(r"\b(?:numbers?|amount|total|count|often|times|sum|cost)\b")
_TRUTH = re.compile(
    r"^(?:has|have|had|did|does|do|is|are|was|were)\b|\b(?:right|true|correct|yes or no)\b"
    r"|^(?:i (?:reckon|think|guess|believe|bet)|my (?:feeling|guess|impression|hunch))\b"
)
_OF_TWO = re.compile(r"\b(?:or|vs|versus|than|between|of the two|out of|compared|which|who)\b")
_ASKED = """
more most bigger higher larger greater busier better fewer less fewest least smaller lower times often number count vs
versus between two than or settle argument bet reckon think guess feeling right true correct compared going
"""
_SAID = frozenset(_ASKED.split())
_UNREAD = re.compile(
    r"\b(?:how (?:many|much)|by how|not|never|without|first|last|before|after|since|earlier|later|older|difference)\b"
    r"|n't\b"
)


def of_two(question: Question, scene: Callable[[], Scene]) -> list[Proposal]:
    """The plan for which of two has more events; none for a question of another form."""
    text = question.text.lower()
    more = _MORE.search(text)
    if more is None or _OF_TWO.search(text) is None:
        return []
    if more.group(0) in _SIZES and not (_COUNTS.search(text) or _MONEY.search(text) or _MEAN.search(text)):
        return []  # "which is larger" of what each of them states
    return only_best(_made(scene(), question))


def _made(scene: Scene, question: Question) -> Iterator[tuple[float, float, p.Plan]]:
    more, truth = _MORE.search(scene.clause), _TRUTH.search(scene.clause) is not None
    names = two_of([c for c in scene.named if c.kind == "topic"], scene)
    if more is None or len(names) != 2 or _UNREAD.search(scene.clause) or read_question(question.text).filters:
        return
    than = scene.words.index("than") if "than" in scene.words else None
    if truth and " or " in scene.clause and than is None:
        truth = False  # "did A or B have more"
    if truth and (than is None or not names[0].start < than <= names[1].start):
        return
    a, b = (chunk.plan for chunk in names)
    if a is None or b is None:
        return
    for event in scene.events.kinds():
        if event in scene.events.people() and stem(scene.noun(event)) not in map(stem, scene.words):
            continue
        spoken = scene.spoken_of(event)
        paths = [scene.path(side, event) for side in (a, b)]
        if not spoken or paths[0] is None or len(paths[0]) > FAR or paths[0] != paths[1] or scene.names(event):
            continue
        both = np.union1d(execute(a, scene.graph).members, execute(b, scene.graph).members)
        others = [  # and not the "florists" that both are
            c
            for c in scene.topics
            if c not in names and c.plan is not None and not np.isin(both, execute(c.plan, scene.graph).members).all()
        ]
        placed = [scene.placed(c.plan, event) for c in others if c.plan is not None]
        left = [word for word in scene.left((), (event, *scene.events.kinds_of(execute(a, scene.graph).members)))
                if word not in _SAID]  # fmt: skip
        if any(each is None for each in placed) or len(left) > LEFT_OUT:
            continue
        among = all_of([scene.events.all(event), *(each[1] for each in placed if each is not None)])
        for key in _keys(scene, event, paths[0], among):
            compared = p.Compare(a, b, key, more["more"] is not None)
            yield spoken - len(paths[0]) / 10, SURE, p.Is(a, compared) if truth else compared


def _keys(scene: Scene, event: str, path: p.Path, among: p.SetPlan) -> Iterator[p.Key]:
    """What is compared: a figure that is named or money, else how many events there are."""
    figures = scene.events.stated(event, "number", MOST)
    words = [word for word in scene.words if word not in _SAID]
    named = [each for each in figures if each.named_by(words) >= NAMED]
    how: p.How = "mean" if _MEAN.search(scene.clause) else "sum"
    if _MONEY.search(scene.clause) and (amount := scene.events.amount(event, MOST)) is not None:
        yield p.Key((*path, amount), how, among)
    elif len(named) == 1 and (how == "mean" or named[0].label.split()[0] in scene.words):
        yield p.Key((*path, named[0].step), how, among)
    elif how == "sum" and not _MONEY.search(scene.clause) and not scene.events.by_verb(event):
        yield p.Key(path, "count", among)
