"""Who or what two things have in common by the events of both: "which crew worked on A and also on B", "vendors shared
by A and B", "who has bought a car and used our workshop too".

Kept apart from `sharing`, where one relation leads to both: here each of the two is reached by an event of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from clew.query import plan as p
from clew.query.decorate import Proposal
from clew.query.question import read_question
from clew.retrieval.chunks import Chunk
from clew.retrieval.events.kinds import is_act
from clew.retrieval.events.scene import Scene, all_of, only_best, two_of
from clew.retrieval.joining import followed
from clew.retrieval.words import FUNCTION
from clew.types import Question

SURE = 0.87  # of a plan that accounts for the whole question
LIKELY = 0.6  # of one that leaves out words
LEFT_OUT = 3  # words that a plan may leave out
_BOTH = re.compile(
    r"\b(?:both|as well(?: as)?|also|too|in common|shared?(?: by)?|sharing|and (?:then )?again|and then|and something"
    r"|plus)\b|\b(?:with|had|having) an? .+ and an? "
)
_PARTS = re.compile(r" (?:and(?: (?:also|then|again|has|have|had|who|was|were))*|as well as|plus) ")
_UNREAD = re.compile(
    r"^what (?:is|are|was|were) the [a-z ]+ of the\b|n't\b"
    r"|\b(?:not|never|no|without|neither|nor|most|least|fewest|average|mean|total|how much|than|or|but)\b"
)
_ASKED = "both well also too common shared share sharing again plus full works same"
_SAID = frozenset(_ASKED.split())


def in_common(question: Question, scene: Callable[[], Scene]) -> list[Proposal]:
    """The plan for what two things have in common; none for a question of another form."""
    text = question.text.lower()
    if _BOTH.search(text) is None or read_question(question.text).filters:
        return []
    return _Reader(scene()).proposals()


class _Reader:
    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def proposals(self) -> list[Proposal]:
        scene = self._scene
        pair = two_of(scene.named, scene)
        if _UNREAD.search(scene.clause) or _BOTH.search(scene.clause) is None or len(pair) not in (0, 2):
            return []
        made = self._of_two_things(pair) if pair else self._of_two_events()
        return [each for each in only_best(made) if each.prior]

    def _of_two_things(self, pair: Sequence[Chunk]) -> Iterator[tuple[float, float, p.Plan]]:
        """What is linked to both of two named things, each time by an event of the same kind."""
        scene = self._scene
        for event in scene.events.kinds():
            kind = scene.asked(event)
            if not kind or kind == event or scene.names(event) or scene.events.by_verb(event):
                continue
            ways = scene.ways(event, kind)
            if len(ways) != 1:
                continue
            sides, loose = list[p.SetPlan](), False
            for chunk in pair:
                assert chunk.plan is not None
                scene.loose = False
                placed = scene.placed(chunk.plan, event)
                if placed is not None and scene.finds(placed[1]):
                    loose |= scene.loose
                    sides.append(p.And((scene.events.all(event), placed[1])))
            others, met = list[p.SetPlan](), list[p.SetPlan]()
            for chunk in scene.topics:
                if chunk not in pair and chunk.plan is not None:
                    placed = scene.placed(chunk.plan, event, kind)
                    (met if placed is not None and placed[0] == event else others).append(
                        chunk.plan if placed is None else placed[1]
                    )
            if len(sides) == 2 and sides[0] != sides[1]:
                parts = tuple(followed(all_of([side, *met]), ways[0]) for side in sides)
                plan = p.And((scene.events.all(kind), *parts, *others))
                if scene.finds(plan):
                    spoken = scene.spoken_of(event)
                    guessed = 2 * (not spoken or loose)  # as bad as two words that are left out
                    yield 1 + spoken - len(ways[0]) / 8, self._sure((event, kind), guessed), plan

    def _of_two_events(self) -> Iterator[tuple[float, float, p.Plan]]:
        """Who took part in events of two kinds, each said in a part of the question."""
        scene = self._scene
        match = _PARTS.search(scene.clause)
        if match is None:
            return
        parts = scene.clause[: match.start()].split(), scene.clause[match.end() :].split()
        first, second = (self._events_in(part) for part in parts)
        for one, fit in first.items():
            for other, fits in second.items():
                kind = scene.asked(one) if one != other else ""
                if not kind or kind in (one, other) or kind != scene.asked(other):
                    continue
                ways = [scene.ways(event, kind) for event in (one, other)]
                if any(len(each) != 1 for each in ways):
                    continue
                sides = tuple(
                    followed(scene.events.all(event), way[0]) for event, way in zip((one, other), ways, strict=True)
                )
                plan = p.And((scene.events.all(kind), *sides))
                if scene.finds(plan):
                    yield fit + fits, self._sure((one, other, kind)), plan

    def _sure(self, kinds: Sequence[str], guessed: int = 0) -> float:
        """How likely a plan is by the words that it leaves out; 0 of too many."""
        left = guessed + sum(word not in _SAID for word in self._scene.left((), kinds))
        return 0.0 if left > LEFT_OUT else SURE if left < 2 else LIKELY

    def _events_in(self, words: list[str]) -> dict[str, float]:
        """The kinds of events that some words say, with how clearly: by name, a word of their name, or a verb."""
        scene, found = self._scene, dict[str, float]()
        for kind, name in scene.events.kinds().items():
            own = name.lower().split()
            named = any(scene.calls(word, kind) for word in words)
            part = any(word in own for word in words)
            acted = any(is_act(word, own[-1]) for word in words if word not in FUNCTION)
            fit = 2.0 * named + 1.5 * part + acted
            if fit > 0 and kind not in scene.events.people() and not scene.events.by_verb(kind):
                found[kind] = fit
        return found
