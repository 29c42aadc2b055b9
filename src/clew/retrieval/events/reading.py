"""The plan for a question about events, by whichever reader knows its form."""

from __future__ import annotations

from functools import cache

from clew.graph import Graph
from clew.graph.kinds import ALL_UP_TO
from clew.protocols import TextEncoder
from clew.query.decorate import Proposal
from clew.retrieval.events.by_group import by_group
from clew.retrieval.events.came_out import came_out
from clew.retrieval.events.in_all import above_in_all
from clew.retrieval.events.in_common import in_common
from clew.retrieval.events.last_time import last_time, latest
from clew.retrieval.events.most_often import most_often
from clew.retrieval.events.never_did import never_did
from clew.retrieval.events.of_events import of_events
from clew.retrieval.events.of_two import of_two
from clew.retrieval.events.sales import of_lines
from clew.retrieval.events.scene import Scene
from clew.retrieval.spoken import as_said
from clew.types import Question


def read_events(asked: Question, question: Question, graph: Graph, encoder: TextEncoder | None) -> list[Proposal]:
    """The plan, with a score that nothing else comes up to where it accounts for all words; none for a question of
    another form.

    Args:
        asked: the question in its own words.
        question: the same in the words of the graph.
    """
    in_words = (
        above_in_all(question, graph)
        or last_time(question, graph, encoder)
        or of_lines(question, graph, encoder)
        or most_often(question, graph)
    )
    if graph.num_triples > ALL_UP_TO:
        return in_words  # what hangs together is told by all things of each kind
    scene = cache(lambda: Scene(as_said(asked, graph), graph, encoder))  # read once for all
    return (
        came_out(asked, graph, scene)
        or in_words
        or of_two(asked, graph, scene)
        or in_common(asked, graph, scene)
        or latest(asked, graph, scene)
        or by_group(asked, graph, scene)
        or of_events(asked, graph, scene)
        or never_did(asked, graph, scene)
    )
