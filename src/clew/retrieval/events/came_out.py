"""What a question says of how events came out: "who handed something back past the date it was due", "which clients are
still holding on to our kit", "how often did patients fail to turn up", "what do the open bills come to".

Kept apart from `two_values` and `still_open`, which put a word for it into the question and leave the rest to other
readers: here the whole plan is made, of the events that are meant, whose they are, whom else the question names, and
what it wants to know of them. Whatever else a question says leaves it to the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from clew.graph import Graph
from clew.query import plan as p
from clew.query.decorate import Proposal
from clew.query.question import read_question
from clew.query.vocabulary import base_of, forms
from clew.retrieval.events.kinds import DUE
from clew.retrieval.events.outcomes import Outcome, What, done_by, outcomes
from clew.retrieval.events.scene import Scene, all_of, only_best
from clew.retrieval.joining import followed
from clew.retrieval.words import FUNCTION
from clew.types import Question

SURE = 0.88  # of a plan that accounts for the whole question
LIKELY = 0.6  # of one that leaves out words
LEFT_OUT = 2  # words that a plan may leave out
MOST = 0.5  # share of the events that must state an amount
NEAR = 4  # words before a date of which one says which it is
_DENIES = frozenset(["not", "never", "without", "nobody", "none", "neither"])
_NO_VERBS = frozenset(["in", "out", "end"])

_DUE = r"(?:due|deadlines?|promised|planned|scheduled|expected|agreed|target|supposed|should|meant|required|arranged)"
_BEHIND_DUE = (
    r"(?: (?:date|day|time|back|in|home|out|to|be|have|been|come|got|for|them|it|us|gone|returned|finished|paid))*"
)
_WAY = r"(?: (?:back|up|off|in|out|over))?"
_HAS = r"(?:has|have|had|is|are|was|were|does|did|do)"
_NOT = r"(?:n't|n’t| still not| not)"
_DONE = "paid|returned|resolved|settled|delivered|collected|finished|completed|answered|closed|shipped"
_NOUN = "handover|collection|return|payment|delivery|dispatch"
_STATED = rf"{_NOUN}|paid|completion|closing|closure|end|actual [a-z]+|resolution"
_LATE = (
    rf"\b(?:after|past|beyond|later than|behind|over) (?:(?!and\b|or\b)[a-z]+ ){{0,6}}?{_DUE}\b{_BEHIND_DUE}",
    r"\b(?:too |very |rather )?late(?:r than (?:it|they|we) (?:[a-z]+ ){0,2}have)?\b"
    r"(?! (?:at|in) (?:the )?(?:night|evening))",
    r"\b(?:missed|missing|broke|overran|overshot) (?:its |their |the |his |her )?(?:own )?deadlines?\b"
    r"|\bbehind schedule\b|\boverran\b",
)
_OPEN = (  # what was not done by a verb (`verb`, `un`), is somewhere (`out`), is owed (`owe`), or is open
    rf"\b{_HAS}{_NOT}(?: yet| ever| actually)*(?: been)? (?P<verb>[a-z]+){_WAY}(?: yet)?\b",
    rf"\bnot(?: yet)?(?: been)? (?P<verb>back|{_DONE})(?: yet)?\b",
    rf"\bnot yet(?: been)? (?P<verb>[a-z]+){_WAY}\b",
    rf"\b(?:have|has|had) (?:we|they|i|he|she) (?:not|still not)(?: yet)? (?P<verb>[a-z]+){_WAY}\b",
    rf"\byet to (?:be )?(?P<verb>[a-z]+){_WAY}\b",
    rf"\b(?:still )?(?:waiting for|awaiting|pending) (?:an? |the |its |their )?(?P<verb>{_NOUN})\b",
    r"\b(?:nobody|no ?one|none) (?:of [a-z]+ )?(?:has|have) (?:yet )?(?P<verb>[a-z]+)(?: yet)?\b",
    rf"\b(?:with no|without an?|no|lacking an?|missing an?) (?:[a-z]+ )?(?P<verb>{_STATED})(?: date)?"
    r"(?: (?:recorded|yet|so far|entered|on record|against them|against it))*\b",
    rf"\bstill (?:to be|to|needs? to be|waiting to be|have to be|has to be|need) (?P<verb>[a-z]+){_WAY}\b",
    rf"\bstill (?:un|in)?(?P<un>{_DONE})\b",
    rf"\bun(?P<un>{_DONE})\b",
    r"\b(?:(?:are|is|have|has|had) )?still (?P<out>out(?: on (?:hire|loan))?|away|with (?:us|them|customers?)|got"
    r"|holding(?: on to)?|keeping|has|have|using)\b",
    r"\b(?:still )?(?P<owe>owes?|owed|owing)(?: us)?\b",
    r"\b(?:(?:is|are|was|were) )?(?:still |currently |yet )*(?P<open>outstanding|open|pending|ongoing|in progress"
    r"|under way|underway|incomplete|being worked on)\b",
)
_SAYS: tuple[tuple[What, bool, tuple[str, ...]], ...] = (
    ("expired", True, (
        r"\b(?:expir(?:ed|es?|y|ing|ation)|lapsed?|ran out|run out|out of date|no longer (?:valid|in date))\b",
    )),
    ("expired", False, (r"\b(?:still|was|were|is|are) (?:valid|in date|up to date)\b",)),
    ("overdue", True, (
        r"\boverdue\b|\bshould (?:already )?have (?:been|come) (?:back|returned|paid|home|done|finished)\b",
    )),
    ("late", False, (
        r"\b(?:on time|in time|punctually|promptly)\b",
        r"\b(?:by|before|within|ahead of) (?:[a-z]+ ){0,2}?(?:deadlines?|due date)\b",
    )),
    ("late", True, _LATE),
    ("open", True, _OPEN),
)  # fmt: skip
_CUES = [(what, so, re.compile(pattern)) for what, so, patterns in _SAYS for pattern in patterns]
_CAME = (
    r"(?:actually |really )?(?:attend(?:s|ed|ing)?|turn(?:s|ed)? up|show(?:s|ed)? up|came(?: along)?|made it"
    r"|(?:was|were|is|are) (?:actually |really )?(?:present|there))"
)
_MISSED = (
    r"no[- ]shows?|(?:fail(?:s|ed)?|forgot|neglected) to (?:turn up|show(?: up)?|attend|come|appear)|missed|skipped"
    r"|(?:(?:was|were|is|are) )?absent|stood us up|never (?:came|turned up|showed(?: up)?|attended|appeared)"
    r"|(?:did|do|does|has|have|had|was|were)(?:n't|n’t| not)(?: (?:actually|ever|then|even))*"
    r" (?:turn(?:ed)? up|show(?:n|ed)?(?: up)?|attend(?:ed)?|come(?: along)?|appear(?:ed)?|there|present)"
    r"|not attend(?:ed)?"
)
_FLAGS: dict[str, tuple[str, str]] = {  # words that say of a flag that it is so, and that it is not
    "attended": (_CAME, _MISSED),
    "passed": (
        r"pass(?:es|ed)?|succeed(?:s|ed)?|got through",
        r"fail(?:s|ed)?|flunked|(?:did|has|have)(?:n't| not) pass(?:ed)?|not passed",
    ),
    "cancelled": (
        r"cancel(?:l?ed|s)?|called off|cancellations?|fell through|backed out",
        r"not cancel(?:l?ed)|went ahead|went through",
    ),
}
_COINS = "pounds|euros|dollars|francs|kroner|kronor|yen|quid"
_COUNT = re.compile(
    rf"^(?:the )?(?:(?:total )?number of|count of)\b|\bhow (?:often|many)\b(?! (?:{_COINS})\b)|\bwhat number of\b"
)
_OFTEN = re.compile(r"\bhow (?:often|many times)\b")
_SUM = re.compile(
    r"^(?:the )?(?:total|sum|overall|combined)\b|\b(?:adds? up to|comes? to|amounts? to|in total|altogether|worth"
    rf"|combined|how much|how many (?:{_COINS})|total (?:of|for|value|amount)|sum of|total$)\b"
)
_TRUTH = re.compile(r"^(?:did|has|have|had|was|were|is|are|does|do|whether|if)\b|\bany\b|\byes or no\b|^[^?]* ever\b")
_ANY = re.compile(r"^(?:is|are|was|were) there\b")
_ASKS = re.compile(
    r"^(?:in |for |by |on |of |from |to |at )?(?:which|what|who|whose|whom|list|show|name|find|give|all|every)\b"
)
_UNREAD = re.compile(
    r"\b(?:average|mean|percentage|percent|share|proportion|longest|shortest|first|last|latest|earliest"
    r"|more than|fewer than|less than|at least \d|at most|why|how long|each|per|by how|days late|except|other than"
    r"|neither|nor|both|not only|if)\b"
)
_RANKED = re.compile(
    r"\b(?P<most>most|(?:largest|highest|greatest|biggest) number of)\b"
    r"|\b(?P<least>fewest|least|(?:smallest|lowest) number of)\b"
)


@dataclass(frozen=True, slots=True)
class _Cue:
    """Words that say how something came out."""

    what: What
    so: bool
    start: int  # in the text
    end: int
    done: str = ""  # what it was not, by the verb that is used: "returned"


def came_out(question: Question, graph: Graph, scene: Callable[[], Scene]) -> list[Proposal]:
    """The plan for the events that came out as a question says, or for whose they are; none for another question."""
    if not outcomes(graph):
        return []
    text = re.sub(r"\s+", " ", question.text.lower())
    if not any(pattern.search(text) for _, _, pattern in _CUES) and not any(_flags_said(text, graph)):
        return []
    return _Reader(question, graph, scene()).proposals()


def _flags_said(text: str, graph: Graph) -> Iterator[_Cue]:
    for each in outcomes(graph):
        if each.what == "flag" and each.done in _FLAGS:
            yes, no = _FLAGS[each.done]
            denied = re.search(rf"\b(?:{no})\b", text)
            match = denied or re.search(rf"\b(?:{yes})\b", text)
            if match is not None:
                yield _Cue("flag", denied is None, *match.span(), each.done)


def said_of(of: Outcome, text: str) -> tuple[bool, float] | None:
    """Whether some words say that events came out in a way, or that they did not, and how surely they mean this way;
    None where they say neither."""
    found: tuple[bool, float] | None = None
    for what, so, pattern in _CUES:
        match = pattern.search(text) if what == of.what else None
        if match is not None:
            word = next(filter(None, match.groupdict().values()), "")
            done = done_by(word.split()[0]) if word else ""
            fit = 1.0 if done in ("", of.done) else 0.3
            found = (so, fit) if found is None or fit > found[1] else found
    if of.what == "flag" and of.done in _FLAGS:
        yes, no = (re.search(rf"\b(?:{said})\b", text) is not None for said in _FLAGS[of.done])
        found = (False, 1.0) if no else (True, 1.0) if yes else found
    return found


class _Reader:
    def __init__(self, question: Question, graph: Graph, scene: Scene) -> None:
        self._question, self._graph, self._scene = question, graph, scene
        self._dates = scene.dates()

    def proposals(self) -> list[Proposal]:
        ranks = any(word.endswith("est") and base_of(word) for word in self._scene.clause.split())
        if self._scene.half_dated():
            return []
        if ranks and _RANKED.search(self._scene.clause) is None:
            return []  # "the largest unpaid invoice"
        filtered = read_question(self._question.text).filters and not self._dates
        if _UNREAD.search(self._scene.clause) or filtered:
            return []
        for cue in self._cues():
            made = [plan for each in self._meant(cue) if (plan := self._plan(cue, each)) is not None]
            if found := only_best((sure, sure, plan) for sure, plan in made):
                return found
        return []

    # -- the words that say it ---------------------------------------------------------------------------------------

    def _cues(self) -> Iterator[_Cue]:
        yield from _flags_said(self._scene.text, self._graph)
        for what, so, pattern in _CUES:
            match = pattern.search(self._scene.text)
            if match is None:
                continue
            said = {name: word for name, word in match.groupdict().items() if word}
            word = next(iter(said.values()), "")
            if word and "verb" not in said and (self._graph.resolve(word) or self._graph.resolve(word.capitalize())):
                continue  # the graph has a name for it
            done = done_by(word.split()[0]) if {"verb", "un"} & set(said) else ""
            if "out" in said or match.group(0).endswith(" back"):
                done = "returned"
            elif "verb" in said and not done:
                continue
            elif "owe" in said or ("open" in said and _SUM.search(self._scene.clause)):
                done = "paid"
            yield _Cue(what, so, *match.span(), done)

    def _meant(self, cue: _Cue) -> list[Outcome]:
        """What may be meant by the words, of the kinds of events that the question speaks of."""
        options = [each for each in outcomes(self._graph) if each.what == cue.what]
        if cue.what == "flag":
            options = [each for each in options if each.done == cue.done]
        elif cue.done:
            same = [each for each in options if each.done == cue.done]
            options = same or [o for o in options if o.done == "completed" and cue.done in ("delivered", "answered")]
        fits = [(self._fit(each, cue), each) for each in options]
        best = max((fit for fit, _ in fits), default=0)
        if best < 2 and cue.what == "open" and not cue.done:
            return []  # "open" of what the question does not speak of
        if best == 0 and len({each.kind for _, each in fits}) > 1:
            return []
        return [each for fit, each in fits if fit == best]

    def _fit(self, each: Outcome, cue: _Cue) -> int:
        """How much of a question speaks of a kind of events, and of the dates that an outcome is told by."""
        said = self._scene.at(cue.start, cue.end)
        words = [w for i, w in enumerate(self._scene.words) if i not in said and w not in FUNCTION | _NO_VERBS]
        dated = any(forms(word) & each.words or done_by(word) == each.done for word in words)
        return self._scene.spoken_of(each.kind) + dated + bool(each.done == cue.done and cue.done)

    # -- the plan ----------------------------------------------------------------------------------------------------

    def _plan(self, cue: _Cue, of: Outcome) -> tuple[float, p.Plan] | None:
        scene, said = self._scene, self._scene.at(cue.start, cue.end)
        kind = scene.asked(of.kind)
        chosen = self._at(of, said, so=cue.so) if of.steps else self._dated(of.so if cue.so else of.not_so, of, said)
        others = [word for i, word in enumerate(scene.words) if i >= scene.begin and i not in said]
        denials = [i for i, word in enumerate(others) if word in _DENIES or word.endswith(("n't", "n’t"))]
        if any(not any(done_by(word) for word in others[i + 1 : i + 3] if word not in FUNCTION) for i in denials):
            return None  # "open issues that are not in any sprint"
        narrowed = None if chosen is None else scene.narrowed(chosen, (of.kind, kind), said)
        left = [word for word in scene.left(said, (of.kind, kind), of.words) if done_by(word) != of.done]
        many = len(left) == LEFT_OUT
        if narrowed is None or len(left) > LEFT_OUT or (many and cue.what == "open" and not cue.done):
            return None
        denied = min(said) > 0 and scene.words[min(said) - 1] in ("no", "without")
        plan = self._lacking(*narrowed, of, kind) if denied else self._wanted(*narrowed, of, kind)
        return None if plan is None else (LIKELY if many else SURE - 0.02 * len(left), plan)

    def _lacking(self, mine: p.SetPlan, others: Sequence[p.SetPlan], of: Outcome, kind: str) -> p.Plan | None:
        """What has none of the events: customers with no unpaid invoices."""
        ways = self._scene.ways(of.kind, kind) if kind and kind != of.kind else []
        if len(ways) != 1 or _COUNT.search(self._scene.clause):
            return None
        return p.Minus(all_of([self._scene.events.all(kind), *others]), followed(mine, ways[0]))

    def _at(self, of: Outcome, said: set[int], *, so: bool) -> p.SetPlan | None:
        """The events that had expired, or were overdue, at the one date that is said; None without one."""
        if len(self._dates) != 1:
            return None
        _, date, at = self._dates[0]
        said |= at
        return of.at(self._scene.events.all(of.kind), date, so=so)

    def _dated(self, chosen: p.SetPlan, of: Outcome, said: set[int]) -> p.SetPlan | None:
        """The events that meet the conditions on dates too, each on the date that is named before it; None where none
        is."""
        events = self._scene.events
        for op, date, at in self._dates:
            if date.text.isdigit() and any(date.text in label.split() for label in events.labels_of(of.kind)):
                said |= at  # the "subs 2025" of members
                continue
            before = [w for w in self._scene.words[max(0, min(at) - NEAR) : min(at)] if w not in FUNCTION]
            named = [d for d in events.stated(of.kind, "date") if any(forms(word) & d.words for word in before)]
            due = [each for each in named if each.words & DUE] or named
            if len(due) != 1:
                return None
            said |= at
            chosen = p.Where(chosen, p.Test((due[0].step,), op, date))
        return chosen

    def _wanted(self, mine: p.SetPlan, others: Sequence[p.SetPlan], of: Outcome, kind: str) -> p.Plan | None:
        scene, clause = self._scene, self._scene.clause
        ranked, counted = _RANKED.search(clause), _COUNT.search(clause)
        of_kind = None
        if kind and kind != of.kind:
            ways = scene.ways(of.kind, kind)
            if len(ways) != 1:
                return None
            if ranked is not None:
                base = all_of([scene.events.all(kind), *others])
                return p.Top(base, p.Key(p.turned(ways[0]), "count", mine), ranked["most"] is not None)
            of_kind = p.And((scene.events.all(kind), *others, followed(mine, ways[0])))
        elif others or ranked is not None:
            return None
        if counted is not None:
            return p.Count(mine if of_kind is None or _OFTEN.search(clause) else of_kind)
        if _SUM.search(clause):
            amount = scene.events.amount(of.kind, MOST)
            return None if amount is None else p.Aggregate("sum", mine, (amount,))
        if not _ASKS.match(clause) and _TRUTH.search(clause) and (scene.named or _ANY.match(clause)):
            return p.Exists(mine if of_kind is None else of_kind)
        if kind == of.kind and (item := scene.shown(of.kind)):
            mine = followed(mine, item)
        found = of_kind or (mine if kind == of.kind else None)
        return found if found is not None and scene.finds(found) else None
