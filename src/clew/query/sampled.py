"""How the values of a relation in a server read, by some of them: what decides how they are compared there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.graph import Graph
from clew.graph.layout import LITERAL, NAMED
from clew.graph.remote import ServerGraph
from clew.graph.strings import Strings
from clew.graph.terms import Terms
from clew.query.columns import Column, column

SAMPLED = 200  # values


def sampled_column(literals: Sequence[str], store: ServerGraph, relation: str) -> Column | None:
    """The column that these literals of a relation make; None without any."""
    values = list(dict.fromkeys(literals))
    if not values:
        return None
    kinds = np.array([NAMED] + [LITERAL] * len(values), np.uint8)
    terms = Terms(Strings(more=["", *values]), [store.relation_record(relation).label], kinds)
    rows = np.array([(0, 0, i) for i in range(1, len(kinds))], np.int32)
    return column(Graph.of_arrays(rows, terms, title="sample"), 0)
