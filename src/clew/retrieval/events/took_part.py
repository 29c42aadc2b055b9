"""What somebody did, by the events that a verb says: the books that Ann "borrowed" are those of her loans, and not
those that she reserved.

Kept apart from `composing`, whose joins go by the names of relations: here the verb names a kind of events, and what is
asked for is what these are of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.graph import Graph
from clew.query import plan as p
from clew.query.execute import execute
from clew.query.wordnet import people_of
from clew.retrieval.chunks import LIGHT, Chunk, Spotted
from clew.retrieval.events.kinds import Events
from clew.retrieval.joining import followed
from clew.retrieval.words import FUNCTION

_ASKS_THINGS = frozenset(["what", "which", "whatever"])
_DOES = frozenset(["did", "has", "have", "does", "do", "had", "by"])
_LITTLE = frozenset(["ever", "far", "us", "until", "today", "already", "list", "altogether", "been", "our", "actually"])


def by_events(spotted: Spotted, graph: Graph) -> Iterator[tuple[p.SetPlan, tuple[str, ...]]]:
    """The sets that somebody's events lead to, each with the words that say nothing of it."""
    topics = [named for chunk in spotted.chunks if (named := _named(chunk)) is not None]
    if len(topics) != 1:
        return
    events, whom = Events(graph), topics[0]
    members = execute(whom, graph).members
    mine = events.kinds_of(members)
    inside = {i for chunk in spotted.chunks for i in range(chunk.start, chunk.end) if chunk.kind != "relation"}
    words = [word for i, word in enumerate(spotted.words) if i not in inside]
    acted = {word: events.acted([word]) for word in words}
    for event in dict.fromkeys(id for word in words for id in acted[word]):
        verbs = [word for word in words if event in acted[word]]
        if event in mine or not any(word.endswith(("ed", "t", "d")) or word not in FUNCTION for word in verbs):
            continue
        ways = [way for id in mine for way in events.ways(event, id)]
        if len(ways) != 1:
            continue
        of_them = p.And((events.all(event), followed(whom, p.turned(ways[0]))))
        asked = _asked(spotted, event, mine, events, words)
        if asked is None:
            continue
        unsaid = tuple(word for word in words if word not in FUNCTION | LIGHT | _LITTLE and word not in verbs)
        for path in asked:
            found = followed(of_them, path)
            if len(execute(found, graph).members):
                yield found, unsaid


def _named(chunk: Chunk) -> p.Entities | None:
    """What a part names, also where that is taken for what has it: "what has X borrowed"."""
    plan = chunk.plan.of if isinstance(chunk.plan, p.Follow) else chunk.plan
    named = chunk.kind == "topic" or isinstance(chunk.plan, p.Follow)
    return plan if isinstance(plan, p.Entities) and named and chunk.condition is None else None


def _asked(
    spotted: Spotted, event: str, mine: Sequence[str], events: Events, words: Sequence[str]
) -> list[p.Path] | None:
    """The ways from events to what is asked for; None where that is not said."""
    classes = [c for c in spotted.chunks if c.kind == "class" and isinstance(c.plan, p.Class) and c.fit >= 0.9]
    named = [_id(c) for c in classes if _id(c) not in (event, *mine)]
    if len(set(named)) > 1 or any(_id(c) == event for c in classes) or not _DOES & set(spotted.words):
        return None
    if named:
        return ways_behind(events, event, named[0])
    if not _ASKS_THINGS & set(words):
        return None
    return things_of(events, event, mine)


def _id(chunk: Chunk) -> str:
    assert isinstance(chunk.plan, p.Class)
    return chunk.plan.id


def ways_behind(events: Events, event: str, kind: str) -> list[p.Path]:
    """The way from things of one kind to those of another, where there is one: straight on, or by way of what is part
    of them, as the lines of an order are."""
    ways = events.ways(event, kind)
    if not ways:
        lines = [
            (*p.turned((link.step,)), *way)
            for line in events.kinds()
            if line not in (event, kind)
            for link in events.links(line)
            if link.to == event
            for way in events.ways(line, kind)
            if way[0] != link.step
        ]
        least = min(map(len, lines), default=0)
        ways = [way for way in lines if len(way) == least]
    return ways if len(ways) == 1 else []


def things_of(events: Events, event: str, mine: Sequence[str]) -> list[p.Path]:
    """What events are of beside whose they are: the nearest things that have a name and are no people."""
    people = set(people_of(events.classes()))
    found: list[tuple[int, p.Path]] = []
    for kind in events.kinds():
        if kind in (event, *mine) or kind in people:
            continue
        ways = ways_behind(events, event, kind)
        found += [(len(path) + 10 * events.coded(kind), path) for path in ways]
    found.sort(key=lambda each: each[0])
    best = [path for cost, path in found if cost == found[0][0]]
    return best if len(best) == 1 else []
