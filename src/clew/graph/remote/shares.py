"""How a limit is shared out: every entity the same, and inside an entity every relation the same.

Small groups stay whole and what they leave over goes to the large ones ("water-filling"), so that a hub keeps all its
relations and a mediator all its ends. Shapes: n groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from clew.graph.remote.records import Facts, FactsWanted, Group


def fill(sizes: Sequence[int] | NDArray[np.int64], room: int) -> NDArray[np.int64]:
    """(n,) how much of each group is kept so that the sum is at most `room`: min(size, level), ties in order."""
    wanted = np.asarray(sizes, np.int64)
    if int(wanted.sum()) <= room:
        return wanted
    ordered = np.sort(wanted)
    below = np.concatenate([[0], np.cumsum(ordered)[:-1]])
    # The highest level L with sum(min(size, L)) <= room lies where the groups below it are whole.
    levels = (room - below) // np.arange(len(ordered), 0, -1)
    place = int(np.argmax(levels < ordered))
    level = max(int(levels[place]), 0)
    kept = np.minimum(wanted, level)
    left = room - int(kept.sum())
    more = np.flatnonzero(wanted > level)[: max(left, 0)]
    kept[more] += 1
    return kept


def share_out(counts: Mapping[Group, int], limit: int | None, total: int | None) -> dict[Group, int]:
    """How many facts of each group are kept: at most `limit` an entity and `total` in all."""
    by_entity: dict[str, list[Group]] = {}
    for group in counts:
        by_entity.setdefault(group.entity, []).append(group)
    entities = list(by_entity)
    sizes = [sum(counts[group] for group in by_entity[entity]) for entity in entities]
    if limit is not None:
        sizes = [min(size, limit) for size in sizes]
    rooms = sizes if total is None else fill(sizes, total).tolist()
    kept: dict[Group, int] = {}
    for entity, room in zip(entities, rooms, strict=True):
        groups = by_entity[entity]
        shares = fill([counts[group] for group in groups], room).tolist()
        kept.update(zip(groups, shares, strict=True))
    return kept


def cut_down(facts: Facts, wanted: FactsWanted) -> Facts:
    """The same limits where everything came at once; rows are put in the order of ids."""
    sides, limit, total = wanted.sides, wanted.limit, wanted.total
    facts.rows = list(dict.fromkeys(facts.rows))
    facts.rows.sort(key=itemgetter(0, 1, 2))
    if total is None and (limit is None or len(facts.rows) <= limit):
        return facts
    if len(facts.rows) <= min(limit or len(facts.rows), total or len(facts.rows)):
        return facts
    asked = set(wanted.ids)
    into = asked.difference(wanted.outward)
    groups: dict[Group, list[int]] = {}
    for i, (head, relation, tail, _) in enumerate(facts.rows):
        if True in sides and head in asked:
            groups.setdefault(Group(head, True, relation), []).append(i)
        if False in sides and tail in into and not (head == tail and True in sides):
            groups.setdefault(Group(tail, False, relation), []).append(i)
    kept = share_out({group: len(places) for group, places in groups.items()}, limit, total)
    chosen = {place for group, places in groups.items() for place in places[: kept[group]]}
    for group, places in groups.items():
        left = sum(place not in chosen for place in places)
        if left:
            facts.cut[group.entity] = facts.cut.get(group.entity, 0) + left
    facts.rows = [facts.rows[i] for i in sorted(chosen)]
    return facts
