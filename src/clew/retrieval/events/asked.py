"""What a question asks of events, as counts and cosines that hold for any graph: the words that say what it wants to
know, its numbers and dates, and how near its other words are to the names of a graph.

Kept apart from `scene`, which finds where what is named belongs: here nothing is decided, only measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.asked import Filter
from clew.query.execute import ExecutionLimits, Executor
from clew.query.question import read_question
from clew.query.values import unit_for, unit_of
from clew.query.vocabulary import DOWN, HOLDING, MEASURES, PACES, akin, base_of, forms
from clew.retrieval.chunks import Chunk
from clew.retrieval.events.kinds import Stated
from clew.retrieval.events.scene import Scene
from clew.retrieval.words import FUNCTION

PAIRS = 2_000_000  # steps for all plans that a question may mean
REMARK = 4  # words of a text that is no name
MANY_TEXTS = 20  # of those that a word stands in
LETTERS = 3  # of a word that says something
DIGITS = 3  # of a number that may be one of things; years have four
UNLIKE, LIKE = 0.25, 0.75  # cosines of a word and a name that have nothing, and everything, in common
_CUES: dict[str, str] = {
    "how_many": r"\bhow many\b|\bnumber of\b|\bno\.? of\b|\bcount(?:ing)?\b|\bnumbers?\b|\bthe figure\b",
    "how_often": r"\bhow (?:often|many times)\b|\btimes\b|\boften\b",
    "how_much": r"\bhow much\b",
    "how_long": r"\bhow long\b|\bhours?\b|\bminutes\b",
    "long": r"\bhow long\b|\b(?:long|longest|shortest|quickest|fastest|slowest|last(?:s|ed)|takes?|took|days|weeks)\b",
    "total": r"\b(?:totals?|in total|altogether|in all|overall|add(?:s|ed|ing)? up|comes? to|came to|amounts? to|sum"
    r"|combined|all told)\b",
    "mean": r"\b(?:on average|averages?|averaged|averaging|avg|mean|typically|typical)\b",
    "most": r"\b(?:most|highest|largest|biggest|greatest|top|best|dearest|priciest|busiest|favou?rite|more|higher"
    r"|bigger|larger|longest|maximum|max)\b",
    "least": r"\b(?:least|lowest|fewest|smallest|cheapest|fewer|less|lower|shortest|minimum|min)\b",
    "than": r"\bthan\b",
    "last": r"\b(?:last|latest|most recent(?:ly)?|newest|recently)\b",
    "first": r"\b(?:first|earliest|oldest|next(?! (?:to|of|door))|soonest)\b",
    "when": r"\bwhen\b|\bdates?\b|\bday\b",
    "who": r"\b(?:who|whose|whom)\b",
    "which": r"\bwhich\b",
    "what": r"\bwhat\b",
    "where": r"\bwhere\b",
    "list": r"\b(?:list|show|names?|find|give)\b",
    "truth": r"(?:^|, )(?:is|are|was|were|did|does|do|has|have|had|can|could|will|would)\b"
    r"|\b(?:right|true|correct|yes or no|yes no|y n)\b",
    "there": r"\b(?:is|are|was|were) there\b|\bany\b",
    "not": r"\b(?:not|never|no|none|zero|nobody|no[- ]one|without|lacking|yet to|un[a-z]+ed|unpaid)\b|n't\b",
    "still": r"\b(?:still|outstanding|open|overdue|late|pending|yet|waiting|due|missing)\b",
    "both": r"\b(?:both|as well(?: as)?|also|too|in common|shared?|sharing|again|plus)\b",
    "or": r"\bor\b|\bvs\b|\bversus\b|\bbetween\b",
    "money": r"\b(?:money|cash|revenue|takings|turnover|income|earn\w*|br(?:ings?|ought) in|spen[dt]|spending|grossed"
    r"|value|worth|paid|pay|cost|price|owe[sd]?|charge[ds]?|bill(?:ed)?|pounds|euros|dollars)\b",
    "each": r"\b(?:each|every|per|by)\b",
    "but": r"\b(?:but|yet|although|though|despite|except|rather than|instead of|leaving out|without)\b",
    "gap": r"\b(?:differ\w*|gap|apart|minus|less|left(?: over)?|leftover|remain\w*|unspent|unused|uneaten"
    r"|net|overr[ua]n\w*|overspen[dt]|lost|loss|lose|losing|over|under|short|above|below|beyond|than|exceed\w*|more"
    r"|margin|saved?|shrank|grew|gained?)\b",
    "lacks": r"\b(?:no|not|never|zero|without|lack\w*|missing|absent|blank|empty|outstanding|still|yet|nobody|none"
    r"|un[a-z]+ed)\b|n't\b",
}
CUES = {name: re.compile(pattern) for name, pattern in _CUES.items()}
"""By what each sort of words is called: the words that say what a question wants to know."""
_OPERATORS = ("mean", "most", "least", "total", "how_many", "how_much", "last", "first", "not", "both", "or")
_OF_CUES = """
how many much number count numbers often times long total totals altogether overall sum combined average averages
averaged avg mean typically most highest largest biggest greatest top best busiest favourite more higher bigger larger
longest least lowest fewest smallest cheapest fewer less lower shortest than last latest recent recently newest first
earliest oldest when date dates day who whose whom which what where list show name names find give right true correct
there any not never no none nobody without lacking yet still both well also too common shared share again plus or vs
versus between each every per by up come comes came adding adds add ever all told please tell me know
"""
SAID = frozenset(_OF_CUES.split())
"""Words that only say what a question wants to know."""
_WHOLE = {
    word: n for n, word in enumerate(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 1)
}
_N = rf"\d{{1,2}}|{'|'.join(_WHOLE)}"
_COUNTS = re.compile(
    r"(?:\b(?P<op>more than|over|at least|fewer than|less than|exactly|just|only|under|at most) )?"
    rf"\b(?P<n>{_N})\b(?! (?:hundred|thousand|million|billion|k|m|mn|bn)\b)(?P<more> or more|\+)?"
)
_SEVERAL = re.compile(r"\b(?:several|multiple|repeated(?:ly)?|more than (?:a single|once)|on more than a)\b")
_EACH = re.compile(r"\b(?:per|each|every)(?: [a-z⟨]+){1,3}")
_LASTING = re.compile(
    r"\b(?P<op>longer than|more than|over|beyond|upwards of|at least|less than|under|shorter than) "
    rf"(?P<n>\d+|an?|{'|'.join(_WHOLE)}) (?P<unit>night|day|week|fortnight|month)s?\b"
)
_SIGNS: Mapping[str, p.CountOp] = {
    "more than": ">", "over": ">", "beyond": ">", "upwards of": ">",
    "longer than": ">", "at least": ">=", "fewer than": "<", "less than": "<",
    "shorter than": "<", "exactly": "=", "just": "=", "only": "=", "under": "<", "at most": "<=",
}  # fmt: skip
_DAYS = {"night": 1, "day": 1, "week": 7, "fortnight": 14, "month": 30}
_SPELLS = frozenset(["hour", "day", "week", "month", "year", "night", "minute", "head", "unit", "kilo", "kg", "litre"])
_PAIR = re.compile(
    r"\b(?:below|under|less|fewer|short|low|lower|beneath|over|above|exceed\w*|more|higher|bigger|reorder|running out"
    r"|than|minimum|maximum|limit)\b"
)
_BELOW = re.compile(r"\b(?:below|under|less|fewer|short|low|lower|beneath|running out|minimum|cheaper)\b")
_AGAINST = {
    "full": re.compile(
        r"\b(?:full|fully|booked up|sold out|no (?:places?|seats?|room|spaces?)|all (?:the|its) \w+ (?:are )?taken)\b"
    ),
    "over": re.compile(r"\b(?:over|exceed\w*|more|oversubscribed|overbooked|too many|above|beyond)\b"),
    "free": re.compile(r"\b(?:free|left|spare|room for|space for|spaces?|fewer|less|under|not full|available)\b"),
}
_ALL = re.compile(r"\b(?:all|every|each|always|everyone|everybody)\b")
_BETWEEN_DATES = re.compile(
    r"\b(?:before|after|later|earlier|late|early|past|expired?|expires|lapsed|valid|ran out|runs out|in date|by then"
    r"|overdue|already|by the time)\b"
)
_GAP = re.compile(
    r"\b(?:differ\w*|gap|margin|exceed\w*|surplus|excess|minus|left|remain\w*|spare|free|outstanding|owe[sd]?|owing"
    r"|balance|short(?:fall)?|ahead|behind|apart|by how|available|still to (?:pay|come))\b"
    r"|\bhow (?:much|many|far) (?:[a-z]+ ){0,3}(?:more|less|fewer|[a-z]+er)\b"
    r"|\bhow (?:much|many|far)\b.*\bthan\b|\b(?:minus|less) (?:what|the)\b|\bnet\b|\bunpaid\b|\boverr[ua]n"
    r"|(?:\bnot|n't) (?:yet |been )*paid\b"
)
_TWO_ASKED = re.compile(r"\b(?:and|plus)\b|[+&]")
_YES = re.compile(r'"(?:true|false|yes|no|[yn]|[01])"', re.IGNORECASE)
_YES_NO = re.compile(r"\b(?:yes (?:or )?no|y n)\b")
_NOW = re.compile(
    r"\b(?:current(?:ly)?|now|present(?:ly)?|today|at the moment|still|active|these days|right now|not left|ongoing)\b"
)
_OF_AGE = re.compile(r"\b(?:oldest|youngest) ([^\W\d_]+)")
_YOUNGEST, _OLDEST = re.compile(r"\b(?:youngest|littlest)\b"), re.compile(r"\b(?:oldest|eldest)\b")
_LARGEST = re.compile(
    r"\b(?:most|top|highest|maximum|max|favou?rite|best|more (?:[a-z]+ ){0,3}than (?:any|every|all|the other)[a-z]*)\b"
)
_SMALLEST = re.compile(r"\b(?:least|fewest|lowest|minimum|min)\b")
_RANKS = ("est", "er", "worst", "worse")
_EITHER = PACES | {"good", "bad"}  # whether the larger is meant depends on what is measured
Floats = NDArray[np.float32]


class EventQuestion:
    """One question over the kinds of a graph."""

    def __init__(self, scene: Scene, encoder: TextEncoder) -> None:
        self.scene, self._encoder = scene, encoder
        self.executor = Executor(scene.graph, ExecutionLimits(pairs=PAIRS))
        """Of all that the question may mean, so that what several plans are made of is made once."""
        text = scene.clause
        self.cues = {name: cue.search(text) is not None for name, cue in CUES.items()}
        for name in ("not", "lacks") if (plain := _YES_NO.sub("", text)) != text else ():
            self.cues[name] = CUES[name].search(plain) is not None
        if not any(self.cues[name] for name in _OPERATORS):  # "looking at the mean cost for each, who …"
            self.cues |= {name: CUES[name].search(scene.text) is not None for name in _OPERATORS}
        self.cues["mean"] |= CUES["mean"].search(scene.text) is not None
        named = {i for c in scene.topics for i in range(c.start, c.end)}
        named |= {i for _, _, at in scene.dates() for i in at}
        places = [i for i, word in enumerate(scene.words) if i not in named and word != ","]
        free = [i for i in places if i >= scene.begin]
        self.clause = self._telling(free)
        """The words of what asks that say something, names and dates aside."""
        self.words = self._telling(places)
        """The same of the whole question."""
        dated = {i for _, _, at in scene.dates() for i in at}
        words = [word for i, word in enumerate(scene.words) if i not in dated]
        stated = " ".join(words) if dated else scene.question.text  # "10 to 16 March" is no number
        read = read_question(stated)
        self.filters: list[Filter] = [
            each for each in read.filters if isinstance(each.value, p.Number) and not each.of_count
        ]
        self.first = read.ranked.k if read.ranked is not None else 1
        """How many of the largest or smallest are asked for."""
        each_of = (match.group(0).split()[1:] for match in _EACH.finditer(text))
        self.each_of = [of for of in each_of if of[0] not in _SPELLS and unit_of(of[0]) is None]
        """The words behind "per" and "each", one of which says of what a figure each is asked for."""
        self.numbers = [(i, number) for i in free if (number := _number(scene.words[i])) is not None]
        """The numbers that the words state, each with its place."""
        plain = " ".join(scene.words[scene.begin :])
        measured = {each.value.value for each in self.filters if isinstance(each.value, p.Number) and each.value.unit}
        self.counts = [each for match in _COUNTS.finditer(plain) if (each := _counted(match))[1] not in measured]
        if not self.counts and _SEVERAL.search(plain):
            self.counts = [(">", 1)]
        """How many of something are asked for: "three or more"."""
        self.figures = [
            (*_counted(match), _beside(plain[: match.start()].split()[-1:], plain[match.end() :].split()[:2]))
            for match in _COUNTS.finditer(plain) if match["op"] or match["more"]
        ]  # fmt: skip
        """The same where things may state the number themselves, with the words behind it: "more than 16 panels"."""
        self.denials = len(CUES["not"].findall(" ".join(scene.words[i] for i in places)))
        """How many words deny something, names and dates aside."""
        self.lasting = [
            (_SIGNS[match["op"]], _n(match["n"]) * _DAYS[match["unit"]]) for match in _LASTING.finditer(plain)
        ]
        """How many days something must have lasted."""
        self.youngest = _YOUNGEST.search(text) is not None
        self.by_age = self.youngest or _OLDEST.search(text) is not None
        """Whether something is asked for by its age, of which a date of birth tells."""
        self.aged = set(_OF_AGE.findall(text))
        """What is asked for by its age, which no event of it tells."""
        self.compares = not self.filters and _PAIR.search(scene.text) is not None
        """Whether two figures of a thing may be compared."""
        self.universal = _ALL.search(text) is not None
        """Whether it may be asked if all of some things are so."""
        self.now = _NOW.search(scene.text) is not None
        """Whether it is asked for what holds now."""
        self.gap = _GAP.search(text) is not None
        """Whether it may be asked for one number less another."""
        self.in_order = not scene.dates() and _BETWEEN_DATES.search(scene.text) is not None
        """Whether one date may be held against another that the question does not state."""
        self.limits = {name for name, cue in _AGAINST.items() if cue.search(text)}
        """How a number of events may be held against a figure of what has them: full, over, or with some left."""
        self.two_asked = _TWO_ASKED.search(scene.question.text.lower()) is not None
        """Whether two things may be asked for of one: "the artist and the venue"."""
        self.below = _BELOW.search(scene.text) is not None
        self._rank()
        self.topics = [c for c in scene.topics if not self._compared(c) and not self._in_passing(c)]
        """What is named, but for numbers that something is held against, and single words of long texts."""
        filtered = {word for each in self.filters for text in each.words for word in text.lower().split()}
        self.unsaid = {
            kind: frozenset(word for word in scene.left(dated, (kind,), filtered) if word not in SAID)
            for kind in scene.events.kinds()
        }
        """By kinds, the words that neither they nor their links account for."""
        self._alike: dict[str, float] = {}
        self._meant: dict[str, float] = {}
        self._cosines: dict[tuple[str, str], float] = {}
        self._fits: dict[str, float] = {}
        self._named: dict[str, float] = {}
        self._vectors: dict[str, Floats] = dict(zip(self.words, self._encoded[1:], strict=True))

    def _rank(self) -> None:
        words = self.scene.words[self.scene.begin :]
        bases = {word: base for word in words if word.endswith(_RANKS) and (base := base_of(word))}
        self.measured = frozenset(word for base in bases.values() for word in MEASURES[base])
        """What the adjectives measure that rank or compare."""
        text = self.scene.clause
        up, down = (pattern.search(text) is not None for pattern in (_LARGEST, _SMALLEST))
        best = [base for word, base in bases.items() if word.endswith("st")]
        self.sides = _sides(up, down, best)
        """Whether the largest, the smallest or either may be asked for."""
        self.of_two = _sides(self.cues["most"] or up, self.cues["least"] or down, list(bases.values()))
        """The same of two things."""
        if not self.of_two and self.cues["or"]:
            self.of_two = [True]  # "average rating: pottery vs orienteering"
        self.ends = [last for last, cue in ((True, "last"), (False, "first")) if self.cues[cue]]
        """The same of dates: whether the last, the first or either may be asked for."""

    def _compared(self, chunk: Chunk) -> bool:
        """Whether a named number is one that the question holds something against: "took more than 14 days"."""
        word = self.scene.words[chunk.start]
        if isinstance(chunk.plan, p.Follow) and self.cues["lacks"] and chunk.condition is None:
            of = chunk.plan.of
            if not isinstance(of, p.Entities) or all(_YES.match(id) for id in of.ids):
                return True  # a flag that may be denied
        if chunk.end - chunk.start > 1 or not re.fullmatch(r"\d+(?:\.\d+)?", word):
            return False
        stated = {each.value.value for each in self.filters if isinstance(each.value, p.Number)}
        return float(word) in stated | {n for _, n in self.counts}

    def _in_passing(self, chunk: Chunk) -> bool:
        """Whether a word is only met in a text of many: "logs" in a remark."""
        if chunk.plan is None or chunk.end - chunk.start > 1:
            return False
        members = self.executor.members(chunk.plan)[:MANY_TEXTS]
        texts = self.scene.graph.labels_at(members) if self.scene.graph.literals_at(members).all() else []
        return min((len(text.split()) for text in texts), default=0) >= REMARK

    def stated(self, value: p.Number, figure: Stated) -> p.Number:
        """A number of the question in the unit that its name means beside a figure: "pounds" of money or of weight."""
        if not value.unit:
            return value
        dimension = self.scene.keys.dimension(figure.step)
        return p.Number(value.value, unit_for(value.unit, dimension) if dimension else "")

    def _telling(self, places: Iterable[int]) -> list[str]:
        words = dict.fromkeys(self.scene.words[i] for i in places)
        return [w for w in words if w not in FUNCTION and w not in SAID and not w.isdigit() and len(w) >= LETTERS]

    @cached_property
    def _encoded(self) -> Floats:
        """(1 + words, D) what the question says, its names hidden, and each of its words."""
        text = re.sub(r"⟨x*(?: ⟨x*)*", "X", self.scene.clause)
        return self._encoder.encode([text, *self.words])

    @property
    def vector(self) -> Floats:
        """(D,) what the question says, its names hidden."""
        vector: Floats = self._encoded[0]
        return vector

    def _vector(self, name: str) -> Floats:
        vector: Floats | None = self._vectors.get(name)
        if vector is None:
            vector = self._vectors[name] = self._encoder.encode([name])[0]
        return vector

    def alike(self, name: str) -> float:
        """The largest cosine of a name with a word of the question."""
        if not self.words or not name:
            return 0.0
        if name not in self._alike:
            self._alike[name] = float(np.max(self._encoded[1:] @ self._vector(name)))
        return self._alike[name]

    def meaning(self, name: str) -> float:
        """The cosine of a name with the question as a whole, its names hidden."""
        if name not in self._meant:
            self._meant[name] = float(self.vector @ self._vector(name)) if name else 0.0
        return self._meant[name]

    def cosine(self, word: str, name: str) -> float:
        if (word, name) not in self._cosines:
            self._cosines[word, name] = float(self._vector(word) @ self._vector(name))
        return self._cosines[word, name]

    def unlike(self, words: Sequence[str], names: Sequence[str]) -> float:
        """How many of some words no name is like."""
        best = (max(self.cosine(word, name) for name in names) for word in words)
        return sum(1 - min(max((each - UNLIKE) / (LIKE - UNLIKE), 0.0), 1.0) for each in best)

    def says(self, words: Iterable[str]) -> bool:
        """Whether the question says one of some words, in any form."""
        return any(forms(word) & forms(each) for each in words for word in self.words)

    def quotes(self, words: Sequence[str]) -> bool:
        """Whether some words stand in the question one after the other: "no-shows" of what is called noShow."""
        return f" {' '.join(words)}" in f" {' '.join(re.findall(r'[a-z]+', self.scene.text))}"

    def says_akin(self, words: Iterable[str]) -> bool:
        """The same, also by a word of the same family."""
        long = [word for word in self.words if len(word) > LETTERS]
        return any(forms(word) & forms(each) or akin(each, word) for each in words for word in long)

    def place_of(self, words: Iterable[str]) -> int:
        """The place of the first word that is akin to one of some; behind all others where none is."""
        some, every = set(words), self.scene.words
        said = (
            i for i, word in enumerate(every) if any(forms(word) & forms(each) or akin(each, word) for each in some)
        )
        return next(said, len(every))

    def fit(self, figure: Stated) -> float:
        """How well the words name a figure."""
        if figure.label not in self._fits:
            self._fits[figure.label] = figure.said_by(self.words) if self.words else 0.0
        return self._fits[figure.label]

    def named(self, stated: Stated) -> float:
        """How well the best of the words names a figure or a date."""
        if stated.label not in self._named:
            self._named[stated.label] = stated.named_by(self.words)
        return self._named[stated.label]

    def near(self, place: int) -> list[str]:
        """The words beside a number that may say what it is one of: two behind it and one before."""
        words = self.scene.words
        if "-" in words[place]:
            return [words[place].split("-", 1)[1]]
        return [w for w in (*words[place + 1 : place + 3], *words[max(0, place - 1) : place]) if w in self.words]


def _sides(up: bool, down: bool, bases: Sequence[str]) -> list[bool]:
    up |= any(base not in DOWN or base in _EITHER for base in bases)
    down |= any(base in DOWN or base in _EITHER for base in bases)
    return [largest for largest, said in ((True, up), (False, down)) if said]


def _number(word: str) -> float | None:
    """The number that a word is, or begins with: "two-bedroom"."""
    word = word.split("-")[0] if word.count("-") == 1 else word
    if word.isdigit():
        return float(word) if len(word) <= DIGITS else None
    return float(_WHOLE[word]) if word in _WHOLE and word != "one" else None


def _n(text: str) -> int:
    return int(text) if text.isdigit() else _WHOLE.get(text, 1)


def _beside(before: Sequence[str], behind: Sequence[str]) -> list[str]:
    """The words beside a number that may say what it is one of; what "holds" so many has a capacity."""
    holds = [word for each in before if not HOLDING.isdisjoint(forms(each)) for word in ("capacity", "seats", "places")]
    return [word for word in (*behind, *before) if word not in FUNCTION] + holds


def _counted(match: re.Match[str]) -> tuple[p.CountOp, int]:
    return ">=" if match["more"] else _SIGNS.get(match["op"] or "", ">="), _n(match["n"])
