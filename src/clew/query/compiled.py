# mypy: allow-untyped-defs
"""The one loop over members that numpy is too slow for, compiled by numba; imported only where a set is large."""

from __future__ import annotations

import numpy as np

from clew.graph.compiled import compiled, first_at_least


@compiled
def runs(offsets, relations, sources, relation):
    """Where the triples of a relation begin and end for each source: (n,) each."""
    begin, end = np.empty(len(sources), np.int64), np.empty(len(sources), np.int64)
    for i in range(len(sources)):
        low, high = offsets[sources[i]], offsets[sources[i] + 1]
        begin[i] = first_at_least(relations, low, high, relation)
        end[i] = first_at_least(relations, begin[i], high, relation + 1)
    return begin, end
