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

from clew.errors import ClewError
from clew.graph import Graph
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.decorate import Proposal
from clew.query.question import read_question
from clew.query.vocabulary import forms
from clew.retrieval.events.kinds import DUE
from clew.retrieval.events.outcomes import Outcome, done_by, outcomes
from clew.retrieval.events.scene import Scene
from clew.retrieval.joining import followed
from clew.retrieval.lexicon import Lexicon
from clew.retrieval.words import FUNCTION
from clew.types import Question

SURE = 0.88  # of a plan that accounts for the whole question
LIKELY = 0.6  # of one that leaves out a word
LEFT_OUT = 2  # words that a plan may leave out
_NO_VERBS = frozenset(["in", "out", "end"])
MOST = 0.5  # share of the events that must state an amount
NEAR = 4  # words before a date of which one says which it is

_DUE = r"(?:due|deadlines?|promised|planned|scheduled|expected|agreed|target|supposed|should|meant|required|arranged)"
_BEHIND_DUE = r"(?: (?:date|day|time|back|in|home|out|to|be|have|been|come|got|for|them|it|us|gone|returned|finished|paid))*"
_NOT = r"(?:n't|n’t| not| never)"
_HAD = r"(?:has|have|had|is|are|was|were|did|do|does|could|would|ha)"
_CUES: tuple[tuple[str, bool, re.Pattern[str]], ...] = tuple(
    (what, so, re.compile(pattern))
    for what, so, pattern in (
        ("expired", True, r"\b(?:expir(?:ed|es?|y|ing|ation)|lapsed?|ran out|run out|out of date|no longer (?:valid|in date))\b"),
        ("expired", False, r"\b(?:still|was|were|is|are) (?:valid|in date|up to date)\b"),
        ("overdue", True, r"\boverdue\b|\bshould (?:already )?have (?:been|come) (?:back|returned|paid|home|done|finished)\b"),
        ("late", False, r"\b(?:on time|in time|punctually|promptly)\b"),
        ("late", False, r"\b(?:by|before|within|ahead of) (?:[a-z]+ ){0,2}?(?:deadlines?|due date)\b"),
        ("late", True, rf"\b(?:after|past|beyond|later than|behind|over) (?:(?!and\b|or\b)[a-z]+ ){{0,6}}?{_DUE}\b{_BEHIND_DUE}"),
        ("late", True, r"\b(?:too |very |rather )?late(?:r than (?:it|they|we) (?:[a-z]+ ){0,2}have)?\b(?! (?:at|in) (?:the )?(?:night|evening))"),
        ("late", True, r"\b(?:missed|missing|broke|overran|overshot) (?:its |their |the |his |her )?(?:own )?deadlines?\b|\bbehind schedule\b|\boverran\b"),
        ("open", True, r"\b(?:has|have|had|is|are|was|were|does|did|do)(?:n't|n’t| still not| not)(?: yet| ever| actually)*(?: been)? (?P<verb>[a-z]+)(?: (?:back|up|off|in|out))?(?: yet)?\b"),
        ("open", True, r"\bnot(?: yet)?(?: been)? (?P<verb>back|returned|paid|settled|delivered|shipped|collected|completed|finished|closed|resolved)(?: yet)?\b"),
        ("open", True, r"\bnot yet(?: been)? (?P<verb>[a-z]+)(?: (?:back|up|off|in|out|over))?\b"),
        ("open", True, r"\b(?:have|has|had) (?:we|they|i|he|she) (?:not|still not)(?: yet)? (?P<verb>[a-z]+)(?: (?:back|up|off|in|out))?\b"),
        ("open", True, r"\byet to (?:be )?(?P<verb>[a-z]+)(?: (?:back|up|off|in|out))?\b"),
        ("open", True, r"\b(?:still )?(?:waiting for|awaiting|pending) (?:an? |the |its |their )?(?P<verb>handover|collection|return|payment|delivery|dispatch|approval|reply|response|answer|decision)\b"),
        ("open", True, r"\b(?:nobody|no ?one|none) (?:of [a-z]+ )?(?:has|have) (?:yet )?(?P<verb>[a-z]+)(?: yet)?\b"),
        ("open", True, r"\b(?:with no|without an?|no|lacking an?|missing an?) (?:[a-z]+ )?(?P<verb>return|payment|paid|delivery|completion|closing|closure|end|actual [a-z]+|return|collection|resolution)(?: date)?(?: (?:recorded|yet|so far|entered|on record|against them|against it))*\b"),
        ("open", True, r"\bstill (?:to be|to|needs? to be|waiting to be|have to be|has to be|need) (?P<verb>[a-z]+)(?: (?:back|up|off|in|out))?\b"),
        ("open", True, r"\bstill (?:un|in)?(?P<un>paid|returned|resolved|settled|delivered|collected|finished|completed|answered|closed)\b"),
        ("open", True, r"\b(?:un)(?P<un>paid|returned|resolved|settled|delivered|collected|finished|completed|answered|closed|shipped)\b"),
        ("open", True, r"\b(?:are |is |have |has )?still (?P<out>out(?: on (?:hire|loan))?|away|with (?:us|them|customers?)|got|holding(?: on to)?|holding|keeping|has|have|using)\b"),
        ("open", True, r"\b(?:has|have|had|is|are) still (?P<out>out(?: on (?:hire|loan))?|away|got|holding(?: on to)?)\b"),
        ("open", True, r"\b(?:still )?(?P<owe>owes?|owed|owing)(?: us)?\b"),
        ("open", True, r"\b(?:is |are |was |were )?(?:still |currently |yet )*(?P<open>outstanding|open|pending|ongoing|in progress|under way|underway|incomplete|being worked on)\b"),
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
    r" than|at least \d|at most|why|how long|each|per|by how|days late|except|other than|neither|nor|both|not only|if)\b"
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
                yield _Cue("flag", False, *match.span(), each.done)
            elif (match := re.search(rf"\b(?:{yes})\b", text)) is not None:
                yield _Cue("flag", True, *match.span(), each.done)


class _Reader:
    def __init__(self, question: Question, graph: Graph, encoder: TextEncoder | None) -> None:
        self._question, self._graph = question, graph
        self._scene = Scene(question, graph, encoder)
        self._text, self._clause = self._scene.text, self._scene.clause
        self._dates = self._scene.dates()

    def proposals(self) -> list[Proposal]:
        if _UNREAD.search(self._clause) or (read_question(self._question.text).filters and not self._dates):
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
        yield from _flag_cues(self._text, self._graph)
        for what, so, pattern in _CUES:
            match = pattern.search(self._text)
            if match is None:
                continue
            said = {name: word for name, word in match.groupdict().items() if word}
            word = next(iter(said.values()), "")
            if word and "verb" not in said and (self._graph.resolve(word) or self._graph.resolve(word.capitalize())):
                continue  # the graph has a name for it
            done = done_by(word.split()[0]) if {"verb", "un"} & set(said) else ""
            if "verb" in said and not done:
                continue
            if "out" in said or match.group(0).endswith(" back"):
                done = "returned"
            elif ("open" in said and _SUM.search(self._clause)) or "owe" in said:
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
        if chosen is None:
            return None
        narrowed = scene.narrowed(chosen, (of.kind, kind), said)
        left = scene.left(said, (of.kind, kind), of.words)
        left = [word for word in left if done_by(word) != of.done]
        if narrowed is None or len(left) > LEFT_OUT or (len(left) == LEFT_OUT and cue.what == "open" and not cue.done):
            return None
        plan = self._wanted(*narrowed, of, kind)
        return None if plan is None else (LIKELY if len(left) == LEFT_OUT else SURE - 0.02 * len(left), plan)

    def _at(self, of: Outcome, said: set[int], *, so: bool) -> p.SetPlan | None:
        """The events that had expired, or were overdue, at the one date that is said; None without one."""
        if len(self._dates) != 1:
            return None
        _, date, at = self._dates[0]
        said |= at
        kind = p.Class(of.kind)
        if of.what == "expired":
            return p.Where(kind, p.Test(of.steps, "<" if so else ">=", date))
        due, done = of.steps
        return p.Minus(p.Where(kind, p.Test((due,), "<", date)), p.Where(kind, p.Test((done,), "<=", date)))

    def _dated(self, chosen: p.SetPlan, of: Outcome, said: set[int]) -> p.SetPlan | None:
        """The events that meet the conditions on dates too, each on the date that is named before it; None where none
        is."""
        for op, date, at in self._dates:
            labels = " ".join(self._scene.events.labels_of(of.kind)) if date.text.isdigit() else ""
            if date.text in labels.split():
                said |= at  # the "subs 2025" of members
                continue
            before = self._scene.words[max(0, min(at) - NEAR) : min(at)]
            dates = self._scene.events.stated(of.kind, "date")
            named = [each for each in dates if any(forms(word) & each.words for word in before if word not in FUNCTION)]
            due = [each for each in named if each.words & DUE] or named
            if len(due) != 1:
                return None
            said |= at
            chosen = p.Where(chosen, p.Test((due[0].step,), op, date))
        return chosen

    def _wanted(self, mine: p.SetPlan, others: Sequence[p.SetPlan], of: Outcome, kind: str) -> p.Plan | None:
        ranked, counted = _MOST.search(self._clause), _COUNT.search(self._clause)
        of_kind = None
        if kind and kind != of.kind:
            ways = self._scene.ways(of.kind, kind)
            if len(ways) != 1:
                return None
            base = p.And((p.Class(kind), *others)) if others else p.Class(kind)
            if ranked is not None:
                return p.Top(base, p.Key(p.turned(ways[0]), "count", mine), ranked["most"] is not None)
            of_kind = p.And((p.Class(kind), *others, followed(mine, ways[0])))
        elif others or ranked is not None:
            return None
        if counted is not None:
            return p.Count(mine if of_kind is None or _OFTEN.search(self._clause) else of_kind)
        if _SUM.search(self._clause):
            amount = self._scene.events.amount(of.kind, MOST)
            return None if amount is None else p.Aggregate("sum", mine, (amount,))
        if not _ASKS.match(self._clause) and _TRUTH.search(self._clause) and self._scene.named:
            return p.Exists(mine)
        if kind == of.kind and (item := self._scene.shown(of.kind)):
            mine = followed(mine, item)
        found = of_kind or (mine if kind == of.kind else None)
        return found if found is not None and self._scene.finds(found) else None
