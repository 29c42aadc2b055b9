"""What a question says of how events came out: "who handed something back past the date it was due", "which clients are
still holding on to our kit", "how often did patients fail to turn up", "what do the open bills come to".

Kept apart from `two_values` and `still_open`, which put a word for it into the question and leave the rest to other
readers: here the whole plan is made, of the events that are meant, whose they are, whom else the question names, and
what it wants to know of them. Whatever else a question says leaves it to the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from clew.errors import ClewError
from clew.graph import Graph
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.decorate import Proposal
from clew.query.execute import execute
from clew.query.keys import Keys, steps_of
from clew.query.question import read_question
from clew.query.vocabulary import MONTHS, SYNONYMS, akin, forms, stem
from clew.retrieval.chunks import LIGHT, Spotted, spot
from clew.retrieval.events.kinds import Events, is_act, sampled
from clew.retrieval.events.outcomes import Outcome, done_by, outcomes
from clew.retrieval.events.took_part import things_of
from clew.retrieval.joining import followed
from clew.retrieval.lexicon import Lexicon, kind_meant
from clew.retrieval.words import FUNCTION
from clew.types import Question

SURE = 0.88  # of a plan that accounts for the whole question
LIKELY = 0.6  # of one that leaves out a word
LEFT_OUT = 2  # words that a plan may leave out
MOST = 0.8  # share of the events that must state an amount

_DUE = r"(?:due|deadlines?|promised|planned|scheduled|expected|agreed|target|supposed|should|meant|required|arranged)"
_BEHIND_DUE = r"(?: (?:date|day|time|back|in|home|out|to|be|have|been|come|got|for|them|it|us|gone|returned|finished|paid))*"
_NOT = r"(?:n't|n’t| not| never)"
_HAD = r"(?:has|have|had|is|are|was|were|did|do|does|could|would|ha)"
_CUES: tuple[tuple[str, bool, re.Pattern[str]], ...] = tuple(
    (what, so, re.compile(pattern))
    for what, so, pattern in (
        ("late", False, r"\b(?:on time|in time|punctually|promptly)\b"),
        ("late", False, r"\b(?:by|before|within|ahead of) (?:[a-z]+ ){0,2}?(?:deadlines?|due date)\b"),
        ("late", True, rf"\b(?:after|past|beyond|later than|behind|over) (?:(?!and\b|or\b)[a-z]+ ){{0,6}}?{_DUE}\b{_BEHIND_DUE}"),
        ("late", True, r"\b(?:too |very |rather )?late(?:r than (?:it|they|we) (?:[a-z]+ ){0,2}have)?\b(?! (?:at|in) (?:the )?(?:night|evening))"),
        ("late", True, r"\b(?:missed|missing|broke|overran|overshot) (?:its |their |the |his |her )?(?:own )?deadlines?\b|\bbehind schedule\b|\boverran\b"),
        ("open", True, r"\b(?:has|have|had|is|are|was|were|does|did|do)(?:n't|n’t| not)(?: yet)?(?: been)? (?P<verb>[a-z]+)(?: (?:back|up|off|in|out))?(?: yet)?\b"),
        ("open", True, r"\bnot(?: yet)?(?: been)? (?P<verb>back|returned|paid|settled|in|delivered|shipped|collected|completed|finished|closed|resolved)(?: yet)?\b"),
        ("open", True, r"\byet to (?:be )?(?P<verb>[a-z]+)(?: (?:back|up|off|in|out))?\b"),
        ("open", True, r"\b(?:nobody|no ?one|none) (?:of [a-z]+ )?(?:has|have) (?:yet )?(?P<verb>[a-z]+)(?: yet)?\b"),
        ("open", True, r"\b(?:with no|without an?|no|lacking an?|missing an?) (?:[a-z]+ )?(?P<verb>return|payment|paid|delivery|completion|closing|closure|end|actual [a-z]+|return|collection|resolution)(?: date)?(?: (?:recorded|yet|so far|entered|on record|against them|against it))*\b"),
        ("open", True, r"\bstill (?:to be|to|needs? to be|waiting to be|have to be|has to be|need) (?P<verb>[a-z]+)(?: (?:back|up|off|in|out))?\b"),
        ("open", True, r"\bstill (?:un|in)?(?P<un>paid|returned|resolved|settled|delivered|collected|finished|completed|answered|closed)\b"),
        ("open", True, r"\b(?:un)(?P<un>paid|returned|resolved|settled|delivered|collected|finished|completed|answered|closed|shipped)\b"),
        ("open", True, r"\b(?:are |is |have |has )?still (?P<out>out(?: on (?:hire|loan))?|away|with (?:us|them|customers?)|got|holding(?: on to)?|holding|keeping|has|have|using)\b"),
        ("open", True, r"\b(?:has|have|had|is|are) still (?P<out>out(?: on (?:hire|loan))?|away|got|holding(?: on to)?)\b"),
        ("open", True, r"\b(?:still )?(?P<owe>owes?|owed|owing)(?: us)?\b"),
        ("open", True, r"\b(?:is |are |was |were )?(?:still |currently |yet )*(?P<open>outstanding|open|pending|ongoing|in progress|under way|underway|running|incomplete|being worked on)\b"),
    )
)
_FLAG_WORDS: dict[str, tuple[str, str]] = {
    "attended": (
        r"(?:actually |really )?(?:attend(?:s|ed|ing)?|turn(?:s|ed)? up|show(?:s|ed)? up|came(?: along)?|(?:was|were|is|are) (?:actually |really )?(?:present|there)|made it)",
        r"no[- ]shows?|(?:fail(?:s|ed)?|forgot|neglected) to (?:turn up|show(?: up)?|attend|come|appear)|missed|(?:was|were|is|are) absent|absent|skipped"
        r"|(?:did|do|does|has|have|had|was|were)(?:n't|n’t| not|) (?:actually |ever |then |even )?(?:turn(?:ed)? up|show(?:n|ed)?(?: up)?|attend(?:ed)?|come(?: along)?|appear(?:ed)?)"
        r"|(?:and |but )?(?:then )?(?:did|do|was|were)(?:n't|n’t| not)(?: then)? (?:turn(?:ed)? up|show(?: up)?|attend(?:ed)?|come|there|present)|not attend(?:ed)?|never (?:came|turned up|showed(?: up)?|attended|appeared)|stood us up",
    ),
    "passed": (r"pass(?:es|ed)?|succeed(?:s|ed)?|got through", r"fail(?:s|ed)?|flunked|(?:did|has|have)(?:n't| not) pass(?:ed)?|not passed"),
    "cancelled": (r"cancel(?:l?ed|s)?|called off|cancellations?|fell through|backed out", r"not cancel(?:l?ed)|went ahead|went through"),
}
_GENERIC = frozenset(
    """
    get gets got bring brings brought take takes took taken hand hands handed give gives gave given turn turned keep
    keeps kept hold holds holding send sent put make made need needs ever yet still back in out off up home already
    actually really least once time times all our we us they them it its customer's list find show tell moment
    currently now right item items thing things kit equipment gear stuff goods piece pieces bit bits anything something
    single date dates day days people person anyone someone anybody somebody who whom whose number numbers total amount
    sum much many often money altogether overall together worth add adds adding comes come came remaining remain remains
    names name codes code order far going after before later than where when which what never not no any some of
    records books record diary system file practice shop club firm company office team till here date(s)
    left leave yes worked with for on to at the a an and or be been being is are was were has have had do did does
    """.split()  # noqa: SIM905
)
_THINGS = frozenset(["item", "thing", "kit", "equipment", "gear", "stuff", "goods", "piece", "bit", "article", "bits"])
_COUNT = re.compile(r"^(?:the )?(?:how many|(?:total )?number of|count of|how often|how many times)\b|\bhow (?:often|many)\b")
_OFTEN = re.compile(r"\bhow (?:often|many times)\b")
_SUM = re.compile(
    r"^(?:the )?(?:how much|total|sum|overall|combined)\b|\b(?:adds? up to|comes? to|amounts? to|in total|altogether|total (?:of|for|value|amount)"
    r"|sum of|how much|worth|combined)\b"
)
_TRUTH = re.compile(r"^(?:did|has|have|had|was|were|is|are|does|do|whether|if)\b|\bany\b|\byes or no\b|^[^?]* ever\b")
_ASKS = re.compile(r"^(?:in |for |by |on |of |from |to |at )?(?:which|what|who|whose|whom|list|show|name|find|give|all|every)\b")
_UNREAD = re.compile(
    r"\b(?:average|mean|percentage|percent|share|proportion|longest|shortest|first|last|latest|earliest|oldest|newest|more than|fewer than|less"
    r" than|at least \d|at most|why|how long|each|per|by how|days late|except|other than|neither|nor|both|not only|before|since|as of|if)\b"
)
_MOST = re.compile(r"\b(?P<most>most|(?:largest|highest|greatest|biggest) number of)\b|\b(?P<least>fewest|least|(?:smallest|lowest) number of)\b")


@dataclass(frozen=True, slots=True)
class _Cue:
    """Words that say how something came out."""

    what: str
    so: bool
    start: int  # in the text
    end: int
    done: str = ""  # what it was not, by the verb that is used: "returned"
    word: str = ""


def came_out(question: Question, graph: Graph, encoder: TextEncoder | None) -> list[Proposal]:
    """The plan for the events that came out as a question says, or for whose they are; none for another question."""
    if not Lexicon.of(graph).types or not outcomes(graph):
        return []
    text = re.sub(r"\s+", " ", question.text.strip()).rstrip("?!. ")
    if not _may_say(text.lower(), graph):
        return []
    try:
        return _Reader(Question(question.id, text), graph, encoder).proposals()
    except ClewError:
        return []


def _may_say(text: str, graph: Graph) -> bool:
    return any(pattern.search(text) for _, _, pattern in _CUES) or any(True for _ in _flag_cues(text, graph))


def _flag_cues(text: str, graph: Graph) -> Iterator[_Cue]:
    for each in outcomes(graph):
        if each.what == "flag" and each.done in _FLAG_WORDS:
            yes, no = _FLAG_WORDS[each.done]
            if (match := re.search(rf"\b(?:{no})\b", text)) is not None:
                yield _Cue("flag", False, *match.span(), each.done, match.group(0))
            elif (match := re.search(rf"\b(?:{yes})\b", text)) is not None:
                yield _Cue("flag", True, *match.span(), each.done, match.group(0))


class _Reader:
    def __init__(self, question: Question, graph: Graph, encoder: TextEncoder | None) -> None:
        self._graph, self._events, self._lexicon = graph, Events(graph), Lexicon.of(graph)
        self._keys = Keys(graph)
        self._question = question
        self._spotted: Spotted = spot(question, graph, encoder)
        self._words = self._spotted.words
        starts, at = list[int](), 0
        for word in self._words:
            starts.append(at)
            at += len(word) + 1
        self._starts, self._text = starts, " ".join(self._words)
        self._topics = [c for c in self._spotted.chunks if c.kind == "topic" and c.condition is None]
        self._classes = [c for c in self._spotted.chunks if c.kind == "class" and isinstance(c.plan, p.Class)]
        hidden = list(self._words)
        for chunk in self._topics:
            hidden[chunk.start : chunk.end] = ["⟨" + "x" * (len(w) - 1) for w in hidden[chunk.start : chunk.end]]
        self._hidden = " ".join(hidden)

    def proposals(self) -> list[Proposal]:
        if _UNREAD.search(self._hidden) or read_question(self._question.text).filters:
            return []
        for cue in self._cues():
            made = [found for each in self._meant(cue) if (found := self._plan(cue, each)) is not None]
            best = max((fit for fit, _ in made), default=0.0)
            plans = list(dict.fromkeys(plan for fit, plan in made if fit == best))
            if len(plans) == 1:
                return [Proposal(plans[0], best)]
        return []

    # -- the words that say it ---------------------------------------------------------------------------------------

    def _cues(self) -> Iterator[_Cue]:
        yield from _flag_cues(self._hidden, self._graph)
        for what, so, pattern in _CUES:
            match = pattern.search(self._hidden)
            if match is None:
                continue
            said = {name: word for name, word in match.groupdict().items() if word}
            word = next(iter(said.values()), "")
            if word and (self._graph.resolve(word) or self._graph.resolve(word.capitalize())):
                continue  # the graph has a name for it
            done = done_by(word.split()[0]) if {"verb", "un"} & set(said) else ""
            if "verb" in said and not done:
                continue
            if "out" in said:
                done = "returned"
            elif "owe" in said:
                done = "paid"
            yield _Cue(what, so, *match.span(), done, word)

    def _meant(self, cue: _Cue) -> list[Outcome]:
        """What may be meant by the words, of the kinds of events that the question speaks of."""
        options = [each for each in outcomes(self._graph) if each.what == cue.what]
        if cue.what == "flag":
            options = [each for each in options if each.done == cue.done]
        elif cue.done:
            same = [each for each in options if each.done == cue.done]
            options = same or [each for each in options if each.done == "completed" and cue.done in ("delivered", "answered")]
        fits = [(self._fit(each, cue), each) for each in options]
        best = max((fit for fit, _ in fits), default=0)
        if best == 0 and len({each.kind for _, each in fits}) > 1:
            return []
        return [each for fit, each in fits if fit == best]

    def _fit(self, each: Outcome, cue: _Cue) -> int:
        """How much of a question speaks of a kind of events, and of the dates that an outcome is told by."""
        named = any(c.plan == p.Class(each.kind) for c in self._classes)
        noun = self._events.kinds()[each.kind].lower().split()[-1]
        called = named or any(self._is_noun(word, noun) for word in self._words)
        acts = any(is_act(word, noun) for word in self._words if word not in FUNCTION)
        outside = [w for i, w in enumerate(self._words) if not cue.start <= self._starts[i] < cue.end]
        dated = any(forms(word) & each.words or done_by(word) == each.done for word in outside if word not in FUNCTION | {"in", "out", "end"})
        return 4 * called + 2 * acts + dated + (1 if each.done == cue.done and cue.done else 0)

    def _is_noun(self, word: str, noun: str) -> bool:
        return stem(word) == stem(noun) or stem(noun) in SYNONYMS.get(stem(word), ()) or word in _CALLED.get(stem(noun), ())

    # -- the plan ----------------------------------------------------------------------------------------------------

    def _plan(self, cue: _Cue, of: Outcome) -> tuple[float, p.Plan] | None:
        said = {i for i, start in enumerate(self._starts) if cue.start <= start < cue.end}
        chosen: p.SetPlan = of.so if cue.so else of.not_so
        kind = self._asked(of)
        events: list[p.SetPlan] = [chosen]
        things: list[p.SetPlan] = []
        for chunk in self._spotted.chunks:
            if chunk.kind != "topic" or said & set(range(chunk.start, chunk.end)) or chunk.plan is None:
                continue
            placed = self._placed(chunk.plan, of.kind, kind)
            if placed is None:
                return None
            (events if placed[0] == of.kind else things).append(placed[1])
        mine = p.And(tuple(events)) if len(events) > 1 else events[0]
        left = self._left(said, of, kind)
        if len(left) > LEFT_OUT or not (len(left) < LEFT_OUT or cue.done or cue.what != "open"):
            return None
        plan = self._wanted(mine, things, of, kind)
        if plan is None:
            return None
        return (SURE if not left else 0.86 if len(left) == 1 else LIKELY), plan

    def _asked(self, of: Outcome) -> str:
        """The kind of things that the question asks for: what it names first, "who", or what the events are of; "" where
        that is not said."""
        words = self._words
        if {"who", "whose", "whom"} & set(words[:2]) and not any(c.start <= 2 and words[0] == "whose" for c in self._classes):
            return self._events.whose(of.kind) or self._doer(of.kind)
        for i, word in enumerate(words[:7]):
            chunk = next((c for c in self._classes if c.start <= i < c.end), None)
            if chunk is not None and isinstance(chunk.plan, p.Class):
                return chunk.plan.id
            if stem(word) in _THINGS and any(w in ("which", "what") for w in words[:i]):
                ways = things_of(self._events, of.kind, [])
                return self._events.kind_at(of.kind, ways[0]) or "" if ways else ""
            if self._is_noun(word, self._events.kinds()[of.kind].lower().split()[-1]):
                return of.kind
            meant = kind_meant(word, self._lexicon) if word not in FUNCTION else None
            if meant is not None and meant[0] in self._events.kinds() and i < 5:
                return meant[0]
        return ""

    def _doer(self, event: str) -> str:
        people = [id for id in self._events.people() if self._events.ways(event, id)]
        return people[0] if len(people) == 1 else ""

    def _placed(self, named: p.SetPlan, event: str, kind: str) -> tuple[str, p.SetPlan] | None:
        """Where a set that the question names belongs: to the events that are meant, or to what is asked for; and which
        of these it leaves."""
        members = execute(named, self._graph).members
        if not len(members):
            return None
        for id in dict.fromkeys((event, kind)):
            if not id:
                continue
            own = self._events.members(id)
            if np.isin(members, own).all():
                return id, named
            ways = [way for each in self._events.kinds_of(members) for way in self._events.ways(id, each)]
            if len(ways) == 1:
                return id, followed(named, p.turned(ways[0]))
            if (path := self._touching(id, members)) is not None:
                return id, followed(named, p.turned(path))
        for link in self._events.links(event):
            if (path := self._touching(link.to, members)) is not None:
                return event, followed(named, p.turned((link.step, *path)))
        return None

    def _touching(self, kind: str, members: np.ndarray) -> p.Path | None:
        mine = sampled(self._events.members(kind))
        steps = [
            step
            for step, _ in steps_of(self._graph, mine, backward=False)
            if np.isin(self._keys.ends(self._events.members(kind), (step,)), members).any()
        ]
        return (steps[0],) if len(steps) == 1 else None

    def _left(self, said: set[int], of: Outcome, kind: str) -> list[str]:
        """The words that the plan does not account for."""
        inside = {i for c in self._spotted.chunks if c.kind != "relation" for i in range(c.start, c.end)} | said
        noun = self._events.kinds()[of.kind].lower().split()[-1]
        links = {form for id in (of.kind, kind) if id for link in self._events.links(id) for form in self._link_words(link)}
        left = []
        for i, word in enumerate(self._words):
            if i in inside or word == "," or word in FUNCTION or word in LIGHT or word in _GENERIC or word in MONTHS:
                continue
            if is_act(word, noun) or self._is_noun(word, noun) or forms(word) & (of.words | links) or done_by(word) == of.done:
                continue
            if any(akin(word, other) for other in links):
                continue
            left.append(word)
        return left

    def _link_words(self, link: object) -> set[str]:
        step, to = link.step, link.to  # type: ignore[attr-defined]
        label = self._lexicon.labels.get(step.relation, "").lower().split()
        return {form for word in (*label, *self._events.kinds()[to].lower().split()) for form in forms(word)}

    def _wanted(self, mine: p.SetPlan, things: Sequence[p.SetPlan], of: Outcome, kind: str) -> p.Plan | None:
        ranked, counted = _MOST.search(self._hidden), _COUNT.search(self._hidden)
        of_kind = None
        if kind and kind != of.kind:
            ways = self._events.ways(of.kind, kind)
            if len(ways) != 1:
                return None
            if ranked is not None:
                key = p.Key(p.turned(ways[0]), "count", mine)
                base = p.And((p.Class(kind), *things)) if things else p.Class(kind)
                return p.Top(base, key, ranked["most"] is not None)
            of_kind = p.And((p.Class(kind), *things, followed(mine, ways[0])))
        elif things or ranked is not None:
            return None
        if counted is not None:
            return p.Count(mine if of_kind is None or _OFTEN.search(self._hidden) else of_kind)
        if _SUM.search(self._hidden):
            amount = self._events.amount(of.kind, MOST)
            return None if amount is None else p.Aggregate("sum", mine, (amount,))
        if not _ASKS.match(self._hidden) and _TRUTH.search(self._hidden) and self._topics:
            return p.Exists(mine)
        found = of_kind or (mine if kind == of.kind else None)
        return found if found is not None and len(execute(found, self._graph).members) else None


_CALLED = {
    "invoice": ("bill", "bills"), "bill": ("invoice", "invoices"), "payment": ("fee", "fees", "dues", "bill", "bills", "charges"),
    "booking": ("reservation", "reservations", "session", "sessions"), "delivery": ("drop-off", "drop-offs", "drops"),
    "hire": ("rental", "rentals"), "loan": ("checkout", "checkouts"), "fine": ("penalty", "penalties"),
    "appointment": ("visit", "visits"), "order": ("purchase", "purchases"), "ticket": ("incident", "issue", "incidents", "issues", "case", "cases"),
    "issue": ("ticket", "tickets", "bug", "bugs"), "job": ("repair", "repairs", "work"), "request": ("complaint", "complaints", "report", "reports"),
}  # fmt: skip
"""What else the events of a kind are called."""
