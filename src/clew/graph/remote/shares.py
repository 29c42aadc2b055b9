"""How a limit is shared out: every entity the same, and inside an entity every relation the same.

Small groups stay whole and what they leave over goes to the large ones ("water-filling"), so that a hub keeps all its
relations and a mediator all its ends. Shapes: n groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from clew.graph.remote.records import Group


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
