"""The plan for a question about events, by whichever reader knows its form."""

from __future__ import annotations

from clew.graph import Graph
from clew.protocols import TextEncoder
from clew.query.decorate import Proposal
from clew.retrieval.events.in_all import above_in_all
from clew.retrieval.events.last_time import last_time
from clew.retrieval.events.most_often import most_often
from clew.retrieval.events.sales import of_lines
from clew.types import Question


def read_events(question: Question, graph: Graph, encoder: TextEncoder | None) -> list[Proposal]:
    """The plan, with a score that nothing else comes up to; none for a question of another form."""
    return (
        above_in_all(question, graph)
        or last_time(question, graph, encoder)
        or of_lines(question, graph, encoder)
        or most_often(question, graph)
    )
