"""Who comes to more than so much in all: "customers invoiced over 200 altogether", "volunteers with more than 20 hours
in total", of events that each state a figure.

Kept apart from `filters`, which compare a figure with what one thing states: here the figures of all events of somebody
are added up, and which events those are is said by their name or by a verb.
"""

from __future__ import annotations

import re

from clew.errors import ClewError
from clew.graph import Graph
from clew.query import plan as p
from clew.query.decorate import Proposal
from clew.query.keys import Keys
from clew.query.question import read_question
from clew.query.vocabulary import stem
from clew.retrieval.events.kinds import TOTALS, Events
from clew.retrieval.lexicon import Lexicon, kind_called
from clew.types import Question

SURE = 0.88  # of a condition on a sum that a question says
MOST = 0.8  # share of the events that must state the figure
NAMED = 0.7  # how well a word must fit a figure to name it
_IN_ALL = re.compile(
    r"\b(?:in total|altogether|in all|all told|combined|overall|adds? up to|amounts? to|comes? to"
    r"|(?:put|taken) together|counting all|all (?:of )?(?:their|his|her|its) \w+|total)\b", re.IGNORECASE,
)  # fmt: skip


def above_in_all(question: Question, graph: Graph) -> list[Proposal]:
    """The plan for those whose figures add up to so much; none for another question."""
    if not Lexicon.of(graph).types or _IN_ALL.search(question.text) is None:
        return []
    read = read_question(question.text)
    stated = [each for each in read.filters if isinstance(each.value, p.Number) and each.op in ("<", "<=", ">", ">=")]
    if len(stated) != 1 or len(read.filters) != 1 or read.ranked is not None or read.summary or read.unsaid:
        return []
    try:
        found = _Reader(question.text, graph)
        plan = found.plan(stated[0].op, stated[0].value)  # type: ignore[arg-type]
        return [Proposal(p.Count(plan) if read.count else plan, SURE)] if plan is not None else []
    except ClewError:
        return []


class _Reader:
    def __init__(self, text: str, graph: Graph) -> None:
        self._graph, self._events, self._keys = graph, Events(graph), Keys(graph)
        self._words = re.findall(r"[a-z]+", text.lower())

    def plan(self, op: p.Op, value: p.Number) -> p.SetPlan | None:
        kinds, lexicon = self._events.kinds(), Lexicon.of(self._graph)
        named = [id for word in self._words if (id := kind_called((stem(word),), lexicon)) in kinds]
        acted = [id for id in self._events.acted(self._words) if id not in named]
        for event in dict.fromkeys([*named[1:], *acted, *named[:1]]):
            whose = next((id for id in named if id != event and self._events.ways(event, id)), "") or self._whose(event)
            ways = self._events.ways(event, whose) if whose else []
            figure = self._figure(event)
            if len(ways) == 1 and figure is not None:
                path = (*p.turned(ways[0]), figure)
                found = p.Where(p.Class(whose), p.Test(path, op, p.Number(value.value), how="sum"))
                return found if len(self._keys.members(found)) else None
        return None

    def _whose(self, event: str) -> str:
        """The people whose events are meant by "who" and "whose": those who buy, where there are several kinds."""
        if not {"who", "whose"} & set(self._words):
            return ""
        return self._events.whose(event)

    def _figure(self, event: str) -> p.Step | None:
        """The figure of events that the words name, else the one amount that each states."""
        figures = self._events.stated(event, "number", MOST)
        said = [word for word in self._words if word not in TOTALS]
        named = [each.step for each in figures if each.named_by(said) >= NAMED]
        return named[0] if len(named) == 1 else self._events.amount(event, MOST)
