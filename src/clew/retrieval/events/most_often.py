"""What something was done with most often: "the most borrowed title", "which game have we played most", "the book with
the highest number of loans", of events that a verb or their own name says.

Kept apart from `sales`, where lines say how many of something: here the events themselves are counted.
"""

from __future__ import annotations

import re

from clew.errors import ClewError
from clew.graph import Graph
from clew.query import plan as p
from clew.query.decorate import Proposal
from clew.query.keys import Keys
from clew.query.vocabulary import stem
from clew.retrieval.events.kinds import Events
from clew.retrieval.events.took_part import things_of
from clew.retrieval.lexicon import Lexicon, kind_called
from clew.types import Question

SURE = 0.88  # of a ranking by how many events there are
_MOST = r"(?P<most>most|least)"
_OFTEN = r"(?: often| frequently| times| of all)?"
_ASKS = r"^(?:(?:which|what)(?: is| was| are|['’]s)? )?(?:our |the )?"
_NUMBER = r"(?:highest|largest|greatest|(?P<most>lowest|smallest))"
_ALL = r"(?: (?:over|across|of) all [a-z ]+)?"
_FORMS = (
    re.compile(rf"{_ASKS}{_MOST}(?: often| frequently)?[ -](?P<verb>[a-z]+) (?P<noun>[a-z]+)$", re.IGNORECASE),
    re.compile(
        r"^(?:which|what)(?: of our)? (?P<noun>[a-z]+) (?:was|is|has|have|did|do|were|are|got)(?: we| they| been)*"
        rf" (?P<verb>[a-z]+) (?:the )?{_MOST}{_OFTEN}$", re.IGNORECASE,
    ),
    re.compile(
        rf"^(?:which|what) (?P<noun>[a-z]+) (?:has|have|had|with) the {_NUMBER} number of (?P<verb>[a-z]+){_ALL}$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:which|what) (?P<noun>[a-z]+) (?:has|have|had) (?:the )?(?P<most>most|fewest|least) "
        rf"(?P<verb>[a-z]+){_ALL}$",
        re.IGNORECASE,
    ),
)  # fmt: skip


def most_often(question: Question, graph: Graph) -> list[Proposal]:
    """The plan for what most events, or fewest, are of; none for another question, or where one step counts them."""
    plain = re.sub(r"\s+", " ", question.text.strip()).rstrip("?!. ")
    match = next((found for form in _FORMS if (found := form.match(plain)) is not None), None)
    if match is None or not Lexicon.of(graph).types:
        return []
    try:
        plan = _plan(match, graph)
    except ClewError:
        return []
    return [] if plan is None else [Proposal(plan, SURE)]


def _plan(match: re.Match[str], graph: Graph) -> p.SetPlan | None:
    events, lexicon = Events(graph), Lexicon.of(graph)
    verb = match["verb"].lower()
    named = kind_called((stem(verb),), lexicon)
    kind = kind_called((stem(match["noun"].lower()),), lexicon)
    found = [named] if named in events.kinds() else events.acted([verb], kind or "")
    if len(found) != 1 or found[0] is None or found[0] == kind:
        return None
    event = found[0]
    if kind is None:
        things = things_of(events, event, [])
        kind = events.kind_at(event, things[0]) if len(things) == 1 and things[0][0].forward else None
    ways = events.ways(event, kind) if kind is not None else []
    if len(ways) != 1 or kind is None:
        return None
    key = p.Key(p.turned(ways[0]), "count", events.all(event))
    plan = p.Top(p.Class(kind), key, (match["most"] or "most").lower() == "most")
    return plan if Keys(graph).finds(plan) else None
