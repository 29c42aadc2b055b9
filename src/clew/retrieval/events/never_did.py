"""What has no event of a kind: "objects in poor condition that no conservator has ever worked on", "suppliers never
used", "which vendors have we yet to book for any couple at all".

Kept apart from `lacking`, which reads the clause that denies: here the events are those that the question speaks of,
and whatever else it names is a condition on the events or on what is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from clew.query import plan as p
from clew.query.decorate import Proposal
from clew.query.question import read_question
from clew.retrieval.events.scene import Scene, all_of, only_best
from clew.retrieval.joining import followed
from clew.types import Question

LIKELY = 0.6  # of a plan that leaves out no word
LEFT_OUT = 1  # words that a plan may leave out
MOST = 0.95  # share of the things that may lack them
_NEVER = re.compile(
    r"\b(?:never|no|without|none|nobody|no[- ]one|lacking)\b|\byet to\b"
    r"|\bnot (?:once|a single|any|one|had|been|got|have)\b|\bnot .* at all\b|n't .*\b(?:any|a single|at all)\b"
    r"|n't (?:ever |yet )?(?:had|been|got|have|made|done|given|taken) "
)
_UNREAD = re.compile(
    r"\b(?:how (?:many|much)|most|least|fewest|average|mean|total|than|longer|before|after|since|except|other than"
    r"|neither|nor|both|due|still|outstanding|late|yes|unpaid)\b"
    r"|^(?:is|has|did|does|do|was|were|have) (?!there|we|you)"
)
_SAID = frozenset("never nobody without none single ever once yet lacking all list show used use any".split())  # noqa: SIM905


def never_did(question: Question, scene: Callable[[], Scene]) -> list[Proposal]:
    """The plan for what has no event; none for a question of another form."""
    text = question.text.lower()
    if _NEVER.search(text) is None or read_question(question.text).filters:
        return []
    return only_best(_made(scene()))


def _made(scene: Scene) -> Iterator[tuple[float, float, p.Plan]]:
    if _UNREAD.search(scene.clause) or _NEVER.search(scene.clause) is None or scene.dates():
        return
    done = {c.start for c in scene.named if c.end == c.start + 1 and scene.words[c.start].endswith("ed")}  # no state
    events = scene.events
    for event in (id for id in events.kinds() if id not in events.people() and not events.by_verb(id)):
        kind, spoken = scene.asked(event), scene.spoken_of(event)
        ways = scene.ways(event, kind) if kind and kind != event and spoken > 1 else []
        if len(ways) != 1:
            continue
        narrowed = scene.narrowed(scene.events.all(kind), (kind, event), done)
        left = [word for word in scene.left((), (kind, event)) if word not in _SAID]
        if narrowed is None or len(left) > LEFT_OUT:
            continue
        some, others = narrowed
        plan = p.Minus(some, followed(all_of([scene.events.all(event), *others]), ways[0]))
        members, all_ = len(scene.keys.members(plan)), len(scene.keys.members(some))
        if 0 < members <= MOST * all_:
            yield spoken - len(left) / 4, LIKELY, plan
