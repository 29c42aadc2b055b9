"""Which group comes first by all of its events: "which planner's couples have the highest average budget", "who has
booked the most hours overall", "which extra has brought in the most money", "who has had more calls than anyone else".

Kept apart from `superlatives`, whose keys are of one thing, and from `most_often`, which knows a few forms: here a
group may be things of a kind, what a column says of the events, or those that a link of theirs leads to, and the events
are counted, their figures added up or averaged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from clew.graph.nouns import abbreviates
from clew.query import plan as p
from clew.query.decorate import Proposal
from clew.query.meanings import measures
from clew.query.question import read_question
from clew.query.vocabulary import MEASURES, akin, base_of, forms, stem
from clew.query.wordnet import people_of
from clew.retrieval.events.kinds import Stated
from clew.retrieval.events.scene import EARLY, ITEMS, Scene, only_best
from clew.retrieval.words import FUNCTION
from clew.types import Question

SURE = 0.88  # of a ranking that accounts for the whole question
LIKELY = 0.6  # of one that leaves out a word
LEFT_OUT = 2  # words that a plan may leave out
MOST = 0.7  # share of the events that must state a figure
NAMED = 0.55  # how well a word must fit a figure to name it
BEHIND = 12  # letters behind "most" in which what is counted begins
MEANT = 0.85  # fit of a noun for the groups
ADJECTIVE = 0.8  # how well one that only measures it names a figure: "dearest"
TIES = 3  # groups that may come first together
_ALSO = r"(?: (?:any|every) ?(?:one|body|thing|other)(?: else)?| any other| the (?:others?|rest))"
_FIRST = re.compile(
    r"\b(?P<most>most(?! recent)|highest|largest|biggest|greatest|top|best|dearest|priciest|busiest|favou?rite|popular"
    rf"|(?:more|higher|bigger|larger)(?= (?:[a-z-]+ ){{0,4}}than{_ALSO}))\b"
    rf"|\b(?P<least>least|lowest|fewest|smallest|cheapest|(?:fewer|less|lower)(?= (?:[a-z-]+ ){{0,4}}than{_ALSO}))\b"
)
_MANY = re.compile(r"(?:most|more|fewest|fewer|least|less)$")
_MOST_SO = re.compile(
    r"\b(?:most|least) (?:expensive|costly|valuable|populous|senior|severe|serious|difficult|powerful|successful"
    r"|profitable|important|famous|dangerous)\b"
)
_MEAN = re.compile(r"\b(?:(?:on|in) average|averages?|averaged|avg|mean|averag(?:e|ing) out|typically)\b")
_MONEY = re.compile(
    r"\b(?:money|cash|revenue|takings|turnover|income|earn(?:s|ed|ing|ings)?|brought in|bring(?:s)? in|made us|spen[dt]"
    r"|spending|grossed|takes|value|worth|paid|sales value|pounds|euros|dollars)\b"
)
_TAKEN = re.compile(
    r"\b(?:earn\w*|br(?:ings?|ought) in|made us|revenue|takings|turnover|income|spen[dt]|spending|grossed|paid)\b"
)
_TOTAL = re.compile(
    r"\b(?:in total|total|overall|altogether|in all|combined|add(?:s|ed)? up|sum of|cumulative(?:ly)?)\b"
)
_OFTEN = re.compile(r"\b(?:often|times|frequently|popular|favou?rite|busiest)\b")
_COUNTED = re.compile(
    r"\b(?:most|more|fewest|fewer|least|less|busiest|number of|hours?|minutes|time|overtime|durations?)\b"
)
_NUMBER_OF = re.compile(r"\bnumber of ((?:[a-z-]+ ?){1,3})")
_WORKED = re.compile(
    r"\b(?:hours?|worked|work|jobs?|put in|done|did|carried out|handled|dealt with|assigned|allocated|served|fixed|sold"
    r"|serviced)\b"
)
_KINDS = ("type", "kind", "sort", "category")
_KIND_OF = re.compile(
    r"\b(?P<word>types?|kinds?|sorts?|categor(?:y|ies)) of\b|\b[a-z]+ (?P<behind>types?|kinds?|category)\b"
)
_EFFORT = frozenset(["hour", "minute", "duration", "time", "day", "overtime"])
_SIZES = frozenset(["large", "big", "great", "small", "high", "low"])  # adjectives of whatever is compared
_UNREAD = re.compile(
    r"\b(?:than \d|at least|at most|why|how long|except|other than|neither|nor|both|not|never|no|without|first|last"
    r"|latest|earliest|oldest|newest|before|after|since|if|per cent|percentage|versus|vs|second|third)\b|n't\b"
)
_ASKS_FIGURE = re.compile(
    r"^(?:how (?:much|many|long)|what (?:is|was|are) the (?:most|highest|largest|biggest|lowest|average|total"
    r"|[a-z ]+ of the))\b"
)
_COMPARES = """
most highest largest biggest greatest top best dearest priciest busiest favourite favorite popular longest more higher
bigger larger least lowest fewest smallest cheapest fewer less average averages averaged avg mean typically total
overall combined sum often frequently earn earned earning earnings brought bring revenue takings turnover income money
cash spent spend value worth paid count counts big typical rank ranks turns comes tend tends going
"""
_SAID = frozenset(_COMPARES.split())
_ITSELF = ITEMS | {"service", "type", "category"}  # columns by which events are put together that go by codes


@dataclass(frozen=True, slots=True)
class _Groups:
    """What events are put together by."""

    events: str  # the kind of these events
    all: p.SetPlan  # the groups
    path: p.Path  # from a group to its events
    fit: float  # how much the question speaks of them
    words: frozenset[str] = frozenset()  # what they are called by
    loose: bool = False  # only told by what a noun means


def by_group(question: Question, scene: Callable[[], Scene]) -> list[Proposal]:
    """The plan for the group that comes first; none for a question of another form."""
    text = re.sub(r"\s+", " ", question.text.lower())
    if _FIRST.search(text) is None or not any(cue.search(text) for cue in (_MEAN, _MONEY, _TOTAL, _OFTEN, _COUNTED)):
        return []  # "the largest city" is one thing's
    return _Reader(question, scene()).proposals()


class _Reader:
    def __init__(self, question: Question, scene: Scene) -> None:
        self._question, self._scene = question, scene
        self._events, self._text = self._scene.events, self._scene.clause
        if _FIRST.search(self._text) is None or (_MEAN.search(self._scene.text) and not _MEAN.search(self._text)):
            self._text = self._scene.text  # "looking at the mean cost for each conservator, who …"
        self._first = _FIRST.search(self._text)
        self._mean = _MEAN.search(self._text) is not None
        self._money = _MONEY.search(self._text) is not None

    def proposals(self) -> list[Proposal]:
        so = _MOST_SO.search(self._text) is not None and not self._mean
        if self._first is None or so or _UNREAD.search(self._text) or _ASKS_FIGURE.match(self._text):
            return []
        if read_question(self._question.text).filters:
            return []
        made: list[tuple[tuple[float, int], float, p.SetPlan]] = []
        for groups in self._groups():
            for how, figure, fit in self._keys(groups):
                if (plan := self._plan(groups, how, figure)) is not None:
                    things = len(self._events.members(groups.events))
                    made.append(((groups.fit + fit - len(groups.path) / 10, things), plan[0], plan[1]))
        return only_best(made)

    # -- what is counted or added up ---------------------------------------------------------------------------------

    def _keys(self, groups: _Groups) -> Iterator[tuple[p.How, Stated | None, float]]:
        kind = groups.events
        often = self._mean or _OFTEN.search(self._text) or "number of" in self._text
        if isinstance(groups.all, p.Class) and not often and self._own(groups.all.id):
            return  # each states it itself
        figures = [each for each in self._events.stated(kind, "number", MOST) if measures(each.label)]
        spoken = self._scene.spoken_of(kind)
        fits = {each: self._fit(each) for each in figures}
        named = [each for each, fit in fits.items() if fit >= NAMED and fit == max(fits.values())]
        if self._mean:
            if not named and self._money:
                named = [each for each in figures if each.money]
            if not named and spoken and len(figures) == 1:
                named = figures
            for each in named if len(named) == 1 else ():
                yield "mean", each, fits[each] + spoken / 8
            return
        amount = self._events.amount(kind, MOST)
        paid = [each for each in figures if each.step == amount]
        if self._money and paid and (spoken or _TAKEN.search(self._text)):
            yield "sum", paid[0], 1 + spoken / 4
            return
        total = _TOTAL.search(self._text) is not None
        effort = [each for each in named if each.words & _EFFORT or forms("hours") & each.words]
        if len(named) == 1 and (total or effort):
            yield "sum", named[0], fits[named[0]] + spoken / 8
        elif not named and spoken and self._counts(kind):
            yield "count", None, spoken / 4

    def _counts(self, kind: str) -> bool:
        """Whether it is how many events there are that is compared: "the most trips", "most often", "the busiest"."""
        assert self._first is not None
        if _OFTEN.search(self._text) or self._events.by_verb(kind):
            return not self._events.by_verb(kind)
        numbered = _NUMBER_OF.search(self._text)
        if numbered is None and not _MANY.match(self._first.group(0)):
            return False
        behind = (numbered[1] if numbered is not None else self._text[self._first.end() :]).split()[:3]
        own = self._events.kinds()[kind].lower().split()
        return any(self._scene.calls(word, kind) or word in own for word in behind)

    def _own(self, kind: str) -> bool:
        """Whether the things of a kind state the figure themselves that is named."""
        return any(self._fit(each) > NAMED for each in self._events.stated(kind, "number", MOST))

    def _fit(self, each: Stated) -> float:
        """How well the words of a question name a figure, best where they say all of its name."""
        words = [word for word in self._scene.words if word not in _SAID]
        said = each.said_by(words)
        if self._mean:
            bases = {base_of(word) for word in self._scene.words} - _SIZES
            measured = [word for base in bases for word in MEASURES.get(base, ())]
            said += max(0.0, ADJECTIVE * each.named_by(measured) - each.named_by(words))
        return said

    # -- the groups --------------------------------------------------------------------------------------------------

    def _groups(self) -> Iterator[_Groups]:
        scene, events = self._scene, self._events
        who = bool({"who", "whose"} & set(scene.words[:3])) or scene.words[-1:] == ("who",)
        people = who or self._asks_people()
        for kind in events.kinds():
            asked = scene.asked(kind)
            ends = [asked] if asked and asked != kind else []
            if people:
                ends = self._somebody(kind)
            for end in ends:
                named = people or any(c.plan == p.Class(end) and c.fit >= MEANT for c in scene.classes)
                for way in ways if len(ways := scene.ways(kind, end)) == 1 else []:
                    yield _Groups(kind, p.Class(end), p.turned(way), 1.0, loose=not named)
            if who and not self._mean:
                continue
            if asked in ("", kind) or not any(c.plan == p.Class(asked) and c.fit == 1 for c in scene.classes):
                yield from self._by_link(kind)
            yield from self._by_column(kind, asked)

    def _asks_people(self) -> bool:
        """Whether a noun for somebody is asked for that the graph does not know: "which mechanic"."""
        match = re.match(r"^(?:which|what) (?:of (?:our|the) )?([a-z]+)", self._text)
        if match is None or (stem(match[1]),) in self._scene.lexicon.classes:
            return False
        return bool(people_of({"it": stem(match[1])}))

    def _somebody(self, kind: str) -> list[str]:
        """Whom "who" asks for: of those who do what events are and those who pay for it, the first where it is told by
        hours."""
        people = [id for id in self._events.people() if id != kind and self._scene.ways(kind, id)]
        words_of = self._scene.lexicon.words_of
        links = [(link.to, words_of(link.step.relation)) for link in self._events.links(kind)]
        said = [to for to, label in links if to in people and self._says(label)]
        if len(set(said)) == 1:
            return said[:1]
        buyers = self._events.whose(kind)
        if len(people) < 2 or not buyers:
            return people
        return [id for id in people if id != buyers] if _WORKED.search(self._text) else [buyers]

    def _says(self, words: Sequence[str]) -> bool:
        return any(self._same(word, part) for word in self._scene.words for part in words)

    def _by_link(self, kind: str) -> Iterator[_Groups]:
        """Those to whom a link of the events leads that the question names: the conservators of treatments."""
        for link in self._events.links(kind):
            label = self._scene.lexicon.words_of(link.step.relation)
            asked = [word for word in self._asked_for() if any(self._same(word, part) for part in label)]
            if asked and self._scene.spoken_of(link.to) < 4:
                some = p.Follow(self._events.all(kind), (link.step,))
                yield _Groups(kind, some, p.turned((link.step,)), 1.1, frozenset(asked))

    def _by_column(self, kind: str, asked: str) -> Iterator[_Groups]:
        """What a column says of the events, or of what they belong to: departments of the crew, kinds of sessions."""
        own: list[tuple[p.Path, str]] = [((), kind)]
        for way, owner in own + [((link.step,), link.to) for link in self._events.links(kind)]:
            for step, label in self._events.categories(owner):
                said = [word for word in self._asked_for() if any(self._same(word, part) for part in label)]
                coded = asked == kind == owner and set(label) & _ITSELF and self._events.coded(kind)
                if said or coded:
                    path = (*way, step)
                    groups = p.Follow(self._events.all(kind), path)
                    yield _Groups(kind, groups, p.turned(path), 1.2 if said else 1.0, frozenset(said))

    def _asked_for(self) -> list[str]:
        """The words that may say what is put together: those that the question begins with, those behind "each"."""
        words, found = self._scene.words, list[str]()
        first = _FIRST.search(self._scene.text)
        many = first is not None and _MANY.match(first.group(0)) is not None
        counted = self._scene.at(first.end(), first.end() + BEHIND) if first is not None and many else set[int]()
        if (match := _KIND_OF.search(self._question.text.lower())) is not None:
            found += [match["word"] or match["behind"], *_KINDS]
        for i, word in enumerate(words):
            behind = set(words[max(0, i - 2) : i]) & {"each", "per", "by", "which", "what", "whose", "every"}
            if word not in _SAID and word not in FUNCTION and i not in counted and (i < EARLY or behind):
                found.append(word)
        return found

    def _same(self, word: str, part: str) -> bool:
        return bool(forms(word) & forms(part)) or akin(word, part) or (len(word) > 3 and abbreviates(word, part))

    # -- the plan ----------------------------------------------------------------------------------------------------

    def _plan(self, groups: _Groups, how: p.How, figure: Stated | None) -> tuple[float, p.SetPlan] | None:
        scene, first = self._scene, self._first
        assert first is not None
        narrowed = scene.narrowed(scene.events.all(groups.events), (groups.events,))
        if narrowed is None or narrowed[1]:
            return None
        some = narrowed[0]
        among = None if isinstance(some, p.Class) and how != "count" else some
        end = scene.events.kind_at(groups.events, p.turned(groups.path))
        also = {*groups.words, *(figure.label.split() if figure is not None else ())}
        left = [word for word in scene.left((), (groups.events, end or ""), also) if word not in _SAID]
        if len(left) > LEFT_OUT:
            return None
        path = groups.path if figure is None else (*groups.path, figure.step)
        plan = p.Top(groups.all, p.Key(path, how, among), first["most"] is not None)
        if not 0 < len(scene.keys.members(plan)) <= TIES:
            return None  # what many share is not what is asked for
        vague = groups.loose or (how == "sum" and left and not scene.spoken_of(groups.events))
        return (LIKELY if len(left) == LEFT_OUT or vague else SURE - 0.02 * len(left)), plan
