"""Which relations of a graph only say yes or no of a thing: `batteryPowered` true, `open` yes, `isPublic` 1.

Kept apart from the values of columns: a flag is no value that anybody asks for but a condition that things meet.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clew.graph.kinds import sampled
from clew.labels import label_to_text

if TYPE_CHECKING:
    from clew.graph.store import Graph

_XSD = "http://www.w3.org/2001/XMLSchema#"
_YES = ("true", "True", "TRUE", "yes", "Yes", "YES", "y", "Y")
_NO = ("false", "False", "FALSE", "no", "No", "NO", "n", "N")
_ASKING = re.compile(r"(?:is|has|have|was|can|are|does|allows?)\b ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Flag:
    """A relation that says yes or no, and the ids of the values by which it does."""

    relation: str
    label: str  # in plain words, without "is" or "has"
    yes: tuple[str, ...]
    no: tuple[str, ...]


def flags(graph: Graph) -> tuple[Flag, ...]:
    """The flags of a graph, worked out once: every value of such a relation is a yes or a no. Of a large graph a sample
    of its triples is looked at."""
    return graph.derived("graph.flags", lambda: _found(graph))


def truth_values(graph: Graph) -> frozenset[int]:
    """The numbers of the things that are a yes or a no and nothing else."""

    def made() -> frozenset[int]:
        ids = {id for flag in flags(graph) for id in (*flag.yes, *flag.no)}
        return frozenset(number for id in ids if (number := graph.number_of(id)) is not None)

    return graph.derived("graph.truth", made)


def _found(graph: Graph) -> tuple[Flag, ...]:
    words = _values(graph, (*_YES, *_NO))
    digits = _values(graph, ("1", "0"))
    if not words and not digits:
        return ()
    rels, tails = sampled(graph.whole.rels), sampled(graph.whole.tails)
    in_all = np.bincount(rels, minlength=graph.num_relations)
    made = []
    for values, numeric in ((words, False), (digits, True)):
        here = np.isin(tails, list(values))
        said = np.bincount(rels[here], minlength=graph.num_relations)
        for relation in np.flatnonzero((said > 0) & (said == in_all)).tolist():
            record = graph.relation_at(relation)
            label = label_to_text(record.label)
            ends = [values[n] for n in np.unique(tails[here & (rels == relation)]).tolist()]
            if numeric and _ASKING.match(label) is None and not any(id.endswith(f"{_XSD}boolean>") for id, _ in ends):
                continue  # how often, and not whether
            yes, no = (tuple(id for id, said_yes in ends if said_yes == wanted) for wanted in (True, False))
            made.append(Flag(record.id, _ASKING.sub("", label, count=1), yes, no))
    return tuple(made)


def _values(graph: Graph, texts: tuple[str, ...]) -> dict[int, tuple[str, bool]]:
    """Of things so called, by number: the id, and whether it says yes."""
    found = {}
    for text in texts:
        plain = f'"{text}"'
        typed = (f"{plain}^^<{_XSD}{kind}>" for kind in ("boolean", "string", "integer"))
        for id in (text, plain, *typed):
            if (number := graph.number_of(id)) is not None:
                found[number] = (id, text in _YES or text == "1")
    return found
