"""Questions for the time between two dates: what they are about, and which dates of it, told from the graph.

Kept apart from `operators`, which takes what is found here before anything else: nothing is found where a word of the
question is left over, so that such a question is answered as it would be without this.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from clew.errors import ClewError
from clew.graph import Graph
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.decorate import Proposal
from clew.query.execute import execute
from clew.query.keys import Keys
from clew.query.lapses import LASTING, LIVING, Lapse, lapse, spanning
from clew.query.periods import Period, Periods
from clew.query.totals import Summed
from clew.retrieval.chunks import Chunk, Spotted, spot
from clew.retrieval.composing import compose
from clew.retrieval.words import FUNCTION
from clew.types import Question

SURE = 0.9  # of a time between two dates that a question names, of what it names
COMPOSED = 0.7  # from here on a set that is described, and not named, may be what a time is asked of
YEARS = 1100.0  # days from which a time is told in years, where the question leaves the unit open
_PASSING = frozenset(
    ["pass", "passed", "elapse", "elapsed", "lie", "lay", "lies", "separate", "separated", "separates", "apart", "time"]
)
_SEVERAL = frozenset(["each", "every", "per", "or"])  # a table, or a choice
_AUXILIARY = re.compile(r"^(?:did|do|does|was|were|is|are|has|have|had) (?:the |all |all the |our )?", re.IGNORECASE)


def lasting(question: Question, graph: Graph, encoder: TextEncoder | None, how: Summed | None = None) -> list[Proposal]:
    """The plan for the time that a question asks for; none where it asks for none, or the graph does not tell it.

    Args:
        how: of several things the total or the mean of their times; without it the question must be about one.
    """
    asked = lapse(question.text)
    if asked is None:
        return []
    try:
        return list(_Lasting(question, asked, graph, encoder, how).proposals())[:1]
    except ClewError:
        return []


class _Lasting:
    def __init__(
        self, question: Question, asked: Lapse, graph: Graph, encoder: TextEncoder | None, how: Summed | None
    ) -> None:
        self._question, self._asked, self._how = question, asked, how
        self._graph, self._encoder = graph, encoder
        self._keys = Keys(graph)
        self._periods = Periods(graph, self._keys)

    def proposals(self) -> Iterator[Proposal]:
        spotted = spot(Question(self._question.id, self._asked.rest), self._graph, self._encoder)
        topics = [chunk for chunk in spotted.chunks if chunk.kind == "topic"]
        words = _loose(spotted, topics)
        if _SEVERAL & {word for i, word in enumerate(spotted.words) if not _inside(i, topics)}:
            return
        if all(isinstance(chunk.plan, p.Entities) and chunk.condition is None for chunk in topics):
            if len(topics) == 1 and isinstance(topics[0].plan, p.Entities):
                yield from self._of_one(topics[0].plan, words)
            elif len(topics) == 2:
                yield from self._between(spotted, topics, words)
        yield from self._described()

    # -- two dates of one thing --------------------------------------------------------------------------------------

    def _of_one(self, named: p.Entities, words: Sequence[str]) -> Iterator[Proposal]:
        said = [word for word in words if word not in LASTING | _PASSING | LIVING]
        for period in self._meant(named, words, said):
            told = all(self._periods.names(word, each) for word in said for each in self._of_two(word, period))
            ids = [id for id in named.ids if self._has(p.Entities((id,)), period)]
            if told and ids:
                yield from self._spanned(p.Entities(tuple(ids)), period)

    def _of_two(self, word: str, period: Period) -> list[p.Step]:
        """The one of two dates that a word is to name: the other where it does not name the one."""
        return [period.since if self._periods.names(word, period.since) else period.until]

    def _meant(self, plan: p.SetPlan, words: Sequence[str], said: Sequence[str]) -> Iterator[Period]:
        """The pair of dates that a question means of a set."""
        for period in self._periods.of(plan, said)[:1]:
            over = any(self._periods.names(word, period.until) for word in said)
            both = over and any(self._periods.names(word, period.since) for word in said)
            lived = bool(LIVING & {word.lower() for word in words})
            if (self._asked.age and not over) or period.about:
                continue
            if not both and period.life != (lived or self._asked.age) and not (self._asked.age and over):
                continue
            if said or self._asked.age or not self._periods.stated(plan):
                yield period

    def _has(self, plan: p.SetPlan, period: Period) -> bool:
        return all(len(self._keys.having(plan, (step,))) for step in (period.since, period.until))

    def _spanned(self, of: p.SetPlan, period: Period) -> Iterator[Proposal]:
        def made(unit: p.TimeUnit) -> p.Aggregate:
            return p.Aggregate(self._how or "max", of, (period.until,), period.span(unit))

        unit = self._asked.unit or self._unit(made, period.finest, period.life)
        plan = made(unit)
        several = self._how is None and len(self._keys.having(of, (period.until,))) > 1
        if not several and execute(plan, self._graph).quantity is not None:
            yield Proposal(plan, SURE)

    def _unit(self, made: Callable[[p.TimeUnit], p.Plan], finest: p.TimeUnit, life: bool = False) -> p.TimeUnit:
        """In what people tell a time, where the question leaves it open."""
        if finest in ("years", "months") or life:
            return "years" if life else finest
        quantity = execute(made("days"), self._graph).quantity
        days = 0.0 if quantity is None else abs(quantity.value)
        if days >= YEARS:
            return "years" if finest == "days" else "days"
        if finest == "days" or days >= 2:
            return "days"
        return "hours" if days >= 1 / 8 else "minutes"

    # -- one date of two things --------------------------------------------------------------------------------------

    def _between(self, spotted: Spotted, topics: Sequence[Chunk], words: Sequence[str]) -> Iterator[Proposal]:
        said = [word for word in words if word not in _PASSING | {"be", "been"}]
        sides = [chunk.plan for chunk in topics]
        steps = [{step for step, _ in self._periods.dates(self._keys.members(side))} for side in sides if side]
        common = sorted(steps[0] & steps[1], key=lambda step: step.relation)
        named = [step for step in common if all(self._periods.names(word, step) for word in said)]
        if len(named) != 1 or (not said and "between" not in spotted.words):
            return
        a, b = sides
        assert a is not None and b is not None
        key = p.Key((named[0],))
        known: dict[str, p.TimeUnit] = {"year": "years", "month": "months"}
        finest = known.get(self._keys.precision(named[0]), "days")

        def made(unit: p.TimeUnit) -> p.Difference:
            return p.Difference(b, a, key, unit)

        unit = self._asked.unit or self._unit(made, finest)
        found = execute(p.Difference(b, a, key, "years" if finest == "years" else "days"), self._graph).quantity
        if found is None or _denied(spotted, topics, found.value):
            return
        plan = p.Difference(a, b, key, unit) if found.value < 0 else made(unit)
        if execute(plan, self._graph).quantity is not None:
            yield Proposal(plan, SURE)

    # -- what is described -------------------------------------------------------------------------------------------

    def _described(self) -> Iterator[Proposal]:
        """The times of what is told by its links and not named: "the loan of the Madonna"."""
        rest, ends = spanning(self._asked.rest)
        rest = _AUXILIARY.sub("", rest)
        words = [*ends, *(LIVING & set(self._asked.rest.lower().split()))]
        sets = compose(Question(self._question.id, f"which {rest}"), self._graph, self._encoder) if rest else []
        for each in sets[:1]:
            if each.score < COMPOSED or each.unsaid or each.path or isinstance(each.plan, p.Entities):
                continue
            said = [word for word in ends if word not in LASTING]
            for period in self._meant(each.plan, words, said):
                if len(self._keys.members(each.plan)) == 1 or self._how is not None:
                    yield from self._spanned(each.plan, period)


def _inside(place: int, chunks: Sequence[Chunk]) -> bool:
    return any(chunk.start <= place < chunk.end for chunk in chunks)


def _loose(spotted: Spotted, topics: Sequence[Chunk]) -> list[str]:
    """The words of a question beside what it names, the kinds that stand beside the names, and small words."""
    inside = {i for i in range(len(spotted.words)) if _inside(i, topics)}
    for chunk in spotted.chunks:
        beside = any(chunk.end == each.start or each.end == chunk.start for each in topics)
        if chunk.kind == "class" and beside:
            inside |= set(range(chunk.start, chunk.end))
    return [
        word for i, word in enumerate(spotted.words) if i not in inside and (word not in FUNCTION or word in LIVING)
    ]


def _denied(spotted: Spotted, topics: Sequence[Chunk], later: float) -> bool:
    """Whether a question says of two things which came first, and it was the other; `later` says by how much the second
    came after the first."""
    for chunk, sign in zip(topics, (1.0, -1.0), strict=True):
        before = spotted.words[chunk.start - 1] if chunk.start else ""
        if before == "the" and chunk.start > 1:
            before = spotted.words[chunk.start - 2]
        if (before == "after" and sign * later < 0) or (before == "before" and sign * later > 0):
            return True
    return False
