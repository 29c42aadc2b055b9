"""Every plan over the events of a graph that a question may mean, each with what speaks for it.

Kept apart from the readers that each know one form of question: here the kinds of events, what is named, the conditions
on them (`cases`), what may be asked for and all that may be asked of it are put together, and which plan is meant is
told by a small network from counts and cosines alone (`ranking`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from clew.query import plan as p
from clew.retrieval.events.asked import EventQuestion
from clew.retrieval.events.event_plan import EventPlan
from clew.retrieval.events.of_kind import PlansOfKind
from clew.retrieval.events.of_linked import PlansOfLinked
from clew.retrieval.events.of_several import PlansOfTwo
from clew.retrieval.events.placing import Placing

MOST = 1500  # candidates of a question
OF_A_KIND = 400  # of them over the events of one kind


def candidates(asked: EventQuestion) -> list[EventPlan]:
    """The candidates of a question, each plan once."""
    found = dict[p.Plan, EventPlan]()
    for each in _all(asked):
        found.setdefault(each.plan, each)
        if len(found) == MOST:
            break
    return list(found.values())


def _all(asked: EventQuestion) -> Iterator[EventPlan]:
    scene, placing = asked.scene, Placing(asked)
    spoken_of = {event: placing.spoken_of(event) for event in scene.events.kinds()}
    made, pairs = list[tuple[int, PlansOfTwo]](), placing.pairs()
    for event in sorted(spoken_of, key=lambda event: -spoken_of[event]):
        if spoken_of[event] or not (event in scene.lexicon.finer or scene.events.within(event)):
            of_kind = PlansOfKind(event, placing, asked)
            of_two = PlansOfTwo(of_kind, pairs)
            yield from islice(chain(PlansOfLinked(of_kind).all(), of_two.all()), OF_A_KIND)
            made.append((spoken_of[event], of_two))
    spoken = [each for said, each in made if said > 1]
    for i, one in enumerate(spoken):
        for other in spoken[i + 1 :]:
            yield from one.with_other(other)
