"""The plan for a question about events, by whichever reader knows its form."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from clew.errors import ClewError
from clew.graph import Graph
from clew.graph.kinds import ALL_UP_TO
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.decorate import Proposal
from clew.query.execute import execute
from clew.retrieval.events.by_group import by_group
from clew.retrieval.events.came_out import came_out
from clew.retrieval.events.in_all import above_in_all
from clew.retrieval.events.in_common import in_common
from clew.retrieval.events.last_time import last_time, latest
from clew.retrieval.events.linked import linked
from clew.retrieval.events.most_often import most_often
from clew.retrieval.events.never_did import never_did
from clew.retrieval.events.of_events import of_events
from clew.retrieval.events.of_two import of_two
from clew.retrieval.events.sales import of_lines
from clew.retrieval.events.scene import Scene
from clew.retrieval.lexicon import Lexicon
from clew.retrieval.spoken import as_said
from clew.types import Question

_Reads = Callable[[Question, Callable[[], Scene]], list[Proposal]]


def scene_of(asked: Question, graph: Graph, encoder: TextEncoder | None) -> Callable[[], Scene] | None:
    """What a question in its own words speaks of, looked at once and when it is wanted; None over a graph without
    kinds, and over one of which not all things of each kind are looked at."""
    if graph.num_triples > ALL_UP_TO or not Lexicon.of(graph).types:
        return None
    return cache(lambda: Scene(as_said(asked, graph), graph, encoder))


def read_events(
    asked: Question, question: Question, graph: Graph, encoder: TextEncoder | None, scene: Callable[[], Scene] | None
) -> list[Proposal]:
    """The plan, with a score that nothing else comes up to where it accounts for all words; none for a question of
    another form.

    Args:
        asked: the question in its own words.
        question: the same in the words of the graph.
        scene: as `scene_of` makes it of `asked`.
    """
    in_words = (
        above_in_all(question, graph)
        or last_time(question, graph, encoder)
        or of_lines(question, graph, encoder)
        or most_often(question, graph)
    )
    if scene is None:
        return in_words

    def read_by(*readers: _Reads) -> list[Proposal]:
        for read in readers:
            try:
                if found := [each for each in read(asked, scene) if not _nameless(each.plan, graph)]:
                    return found
            except ClewError:
                continue
        return []

    came = read_by(lambda question, scene: came_out(question, graph, scene))
    return came or in_words or read_by(of_two, in_common, latest, by_group, of_events, never_did, linked)


def _nameless(plan: p.Plan, graph: Graph) -> bool:
    """Whether a plan makes a set of edges alone, which are no answers."""
    if not isinstance(plan, p.SetPlan) or not any(isinstance(node, p.EdgesOf) for node in p.walk(plan)):
        return False
    return bool(graph.mediators_at(execute(plan, graph).members).all())
