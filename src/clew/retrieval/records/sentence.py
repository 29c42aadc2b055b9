"""The parts of a question that records know: what is said of them, what is asked for, what is measured.

Kept apart from `plans`, which puts the parts together: here words meet the columns of one view.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from rapidfuzz.distance import OSA

from clew.protocols import TextEncoder
from clew.query.asked import PARTICLES, ReadQuestion
from clew.query.meanings import AGEING, MONEY, meant
from clew.query.values import unit_of
from clew.query.vocabulary import MEASURES, PAST, SYNONYMS, akin, forms, head_of, stem
from clew.query.wordnet import is_nobody, is_place, is_word, nearest_kind, people_of
from clew.retrieval.records.view import WORD, RecordView, ViewColumn, words_in
from clew.retrieval.words import FUNCTION

FULL = 1.0  # quality of a name that stands in the question as it is
PART = 0.8  # of a part of a name that only it has
SOME = 0.6  # of a word of a name, or half of a text
ALIKE = 0.42  # cosine of a noun and a column from which the noun may name it
APART = 0.04  # by which it must be nearer than to any other column
LIKELY = 0.3  # by how much less like people's names a column may be than another
PROPER = 0.1  # what it gains where the column holds names, of places and businesses, and no common nouns
SPECIFIC = 4  # of what an adjective measures, the likeliest
SHORTEST = 5  # letters of a word in which a slip is looked for
RARE = 5  # letters of a word that tells a description from all others
ABBREVIATED = 3  # letters of a column's name that a noun may begin with: "registration" of Reg
NEAR = 3  # words from a name within which a word may say which column is meant
_NEGATIONS = frozenset(["not", "never", "no", "without", "nobody", "none", "neither", "didn", "hasn", "haven", "isn",
                        "wasn", "doesn", "don", "aren", "weren", "cannot", "nothing"])  # fmt: skip
_ARTICLES = frozenset(["the", "a", "an"])
_AUXILIARIES = frozenset(["have", "has", "had", "do", "does", "did", "is", "are", "was", "were"])
_ENTRIES = "entry record row item line transaction case occasion instance time log booking event"
_RECORDS = frozenset(map(stem, _ENTRIES.split()))
_LIGHT = """
spend spent pay paid payed buy bought purchase purchased log logged clock clocked book booked record recorded get got
make made take took taken go went gone come came put fork forked out rack racked up run ran use used work worked do
done give gave given have had total altogether overall all together combined sum average mean typical number amount
amounts figure list show tell name look find please one single each every ever still so far now already just only
different distinct various whole entire period data set list back us we our i my me you your they them their there
here any anything something somebody someone anyone anybody everyone everybody much many often most least more less
fewer least fewest than over under above below going by logged single exactly about ask asked want need like else
other others besides apart aside leaving except excluding including counting ones was were been being be is are am
involved involve involves happen happened happens receive received charge charged bring brought set
"""
_FREE = frozenset(_LIGHT.split()) | FUNCTION
_PAYING = """
spend spent pay paid payed cost costs costing price expensive cheap bill bills charge charged charges fork forked
revenue earn earned takings owe owed money give gave given donate donated raise raised contribute contributed
"""
MONEY_WORDS = MONEY | frozenset(_PAYING.split())
_AGAIN = frozenset(["same", "whoever", "too", "also", "her", "his"])  # speak of what something else in the question is
_RATES = frozenset(["rate", "per", "hourly", "nightly", "unit"])
_PER = re.compile(
    r"\b(?:per|an?|each|every) (?:hour|night|day|week|month|year|unit|piece|head|person|kilo|km|mile)\b", re.I
)
_DATES = frozenset(["date", "day", "when", "time", "year", "month"])
_PAID = frozenset(["paid", "pay", "spent", "spend", "owe", "owed", "bought", "buy", "ordered", "donated"])
_KEEPING = """
officer clerk agent handler handled assigned staff teller cashier inspector reviewer operator adviser advisor manager
recorded entered taken processed
"""
_STAFF = frozenset(map(stem, _KEEPING.split()))
_GIVEN = {"give": ("donate", "supply"), "bring": ("supply", "donate"), "sell": ("supply", "vend"), "send": ("supply",)}
PLACES = frozenset(["place", "places", "where", "somewhere", "spot", "spots", "venue", "venues", "location"])
ANYBODY = frozenset(["who", "whose", "whom", "people", "person", "somebody", "someone", "everyone", "everybody",
                     "anyone", "anybody", "nobody"])  # fmt: skip


@dataclass(frozen=True, slots=True)
class QuestionWord:
    """A word of a question."""

    text: str  # as it stands
    lower: str
    root: str


@dataclass(frozen=True, slots=True)
class SaidName:
    """Words that name things in one or several columns."""

    start: int
    end: int
    options: tuple[tuple[int, tuple[int, ...]], ...]  # columns, each with the places of the things meant there
    quality: float


@dataclass(eq=False)
class Sentence:
    """A question against a view. `used` are the words that have a part in it."""

    view: RecordView
    encoder: TextEncoder | None
    text: str
    read: ReadQuestion
    words: list[QuestionWord] = field(default_factory=list)
    mentions: list[SaidName] = field(default_factory=list)
    used: set[int] = field(default_factory=set)

    def without(self, some: Sequence[SaidName]) -> Sentence:
        """The same sentence, some of whose names are none."""
        made = replace(self, used=set())
        made.mentions = [each for each in self.mentions if each not in some]
        return made

    def text_of(self, mention: SaidName) -> str:
        return " ".join(word.text for word in self.words[mention.start : mention.end])

    def __post_init__(self) -> None:
        if self.words:
            return
        plain = re.sub(r"['’]s\b", "", self.text)
        self.words = [
            QuestionWord(m.group(0), m.group(0).lower(), stem(m.group(0).lower())) for m in WORD.finditer(plain)
        ]
        self.mentions = self._mentions()

    # -- names -------------------------------------------------------------------------------------------------------

    def _mentions(self) -> list[SaidName]:
        """Names that stand apart, the surest and longest first taken."""
        taken: set[int] = set()
        chosen: list[SaidName] = []
        for each in sorted(self._candidates(), key=lambda m: (-(m.quality >= PART), m.start - m.end, -m.quality)):
            span = set(range(each.start, each.end))
            if taken.isdisjoint(span):
                taken |= span
                chosen.append(each)
        return sorted(chosen, key=lambda each: each.start)

    def _candidates(self) -> list[SaidName]:
        roots = [word.root for word in self.words]
        index = self.view.words
        hits: dict[tuple[int, int], list[int]] = {}
        stated = self._stated()
        for at, root in enumerate(roots):
            if at in stated or (self.words[at].lower in FUNCTION and not self.words[at].text[:1].isupper()):
                continue
            for place in index.get(root) or self._slip(at, index) or self._noun_of_state(at):
                hits.setdefault(place, []).append(at)
        found: dict[tuple[int, int], dict[int, list[tuple[int, float]]]] = {}
        for (column, at), places in hits.items():
            label = self.view.columns[column].labels[at]
            for start, end, quality in self._runs(column, label, places, roots):
                found.setdefault((start, end), {}).setdefault(column, []).append((at, quality))
        mentions = []
        for (start, end), columns in found.items():
            best = max(quality for some in columns.values() for _, quality in some)
            options = {column: tuple(at for at, quality in some if quality >= best) for column, some in columns.items()}
            mentions.append(SaidName(start, end, tuple((c, places) for c, places in options.items() if places), best))
        return mentions

    def _stated(self) -> set[int]:
        """The places of the words of dates and amounts, which are no names."""
        lower, found = [word.lower for word in self.words], set[int]()
        for piece in self.read.removed:
            said = [match.group(0).lower() for match in WORD.finditer(re.sub(r"['’]s\b", "", piece))]
            if any(word[:1].isdigit() for word in said):
                at = next((i for i in range(len(lower)) if lower[i : i + len(said)] == said), None)
                found.update(range(at, at + len(said)) if at is not None else ())
        return found

    def _slip(self, at: int, index: dict[str, list[tuple[int, int]]]) -> list[tuple[int, int]]:
        """The places of the one word that a word with a slip in it may be."""
        word = self.words[at]
        if len(word.lower) < SHORTEST or is_word(word.lower):
            return []
        near = [
            known for known in index if len(known) >= SHORTEST and OSA.distance(known, word.root, score_cutoff=1) <= 1
        ]
        return index[near[0]] if len(near) == 1 else []

    def _noun_of_state(self, at: int) -> list[tuple[int, int]]:
        """The places of the one state that a noun is said of: "a refusal" of what is Refused."""
        word = self.words[at]
        if len(word.lower) < SHORTEST or not word.lower.isalpha():
            return []
        said = forms(word.lower) - {word.root}
        found = [place for state, places in self.view.states.items() if forms(state) & said for place in places]
        return found if len({column for column, _ in found}) == 1 else []

    def _runs(
        self, column: int, label: str, places: Sequence[int], roots: Sequence[str]
    ) -> list[tuple[int, int, float]]:
        """Where a name stands in the question, whole or in part: start, end, quality."""
        parts = words_in(label)
        content = [part for part in parts if part not in FUNCTION] or parts
        role = self.view.columns[column].role
        found = []
        for first in places:
            if any(first - 1 == each for each in places) and roots[first - 1] in parts:
                continue  # inside a longer run
            longest = (0, 0, first)
            for begin in (i for i, part in enumerate(parts) if self._same(first, part)):
                length, end = 0, first
                at = first
                while begin + length < len(parts) and at < len(roots):
                    if length and self.words[at].lower in _ARTICLES and parts[begin + length] not in _ARTICLES:
                        at += 1  # "the hamper for the raffle" of what is written "hamper for raffle"
                        continue
                    if not self._same(at, parts[begin + length]):
                        break
                    length, at, end = length + 1, at + 1, at + 1
                if length > longest[0]:
                    longest = (length, begin, end)
            length, begin, end = longest
            if not length:
                continue
            said = [part for part in parts[begin : begin + length] if part not in FUNCTION]
            if not said:
                continue
            if length == len(parts) or len(said) == len(content):
                found.append((first, end, FULL))
                continue
            quality = self._part(role, label, parts, begin, length, said, content, first)
            if quality:
                found.append((first, end, quality))
        return found

    def _same(self, at: int, part: str) -> bool:
        word = self.words[at]
        return (
            word.root == part
            or bool(part in self.view.states and (forms(word.lower) - {word.root}) & forms(part))
            or (
                len(word.lower) >= SHORTEST
                and len(part) >= SHORTEST
                and OSA.distance(word.root, part, score_cutoff=1) <= 1
                and not is_word(word.lower)
            )
        )

    def _part(
        self, role: str, label: str, parts: Sequence[str], begin: int, length: int, said: Sequence[str],
        content: Sequence[str], at: int,
    ) -> float:  # fmt: skip
        """The quality of a part of a name; 0 where it is none."""
        if role == "person":
            return PART if begin == 0 or begin + length == len(parts) else 0.0
        if len(said) >= 2 or 2 * len(said) > len(content):
            return PART if len(said) >= 2 else SOME
        common = not label[:1].isupper() and self.words[at].text.islower()
        if role == "name" and common and len(self.view.words[said[0]]) == 1 and len(said[0]) >= RARE:
            return SOME  # the headlamp of a "headlamp bulb"
        if role == "text" or not label[:1].isupper():
            return 0.0
        if begin == 0 and self.words[at].text[:1].isupper():
            return PART  # "a Transit" of several that bear names beginning so
        rare, only = not is_word(said[0]), len(self.view.words[said[0]]) == 1
        return PART if rare and len(said[0]) >= 4 else SOME if only or begin + length == len(parts) else 0.0

    # -- columns -----------------------------------------------------------------------------------------------------

    def near(self, mention: SaidName, column: ViewColumn) -> bool:
        """Whether a word beside a name is one of a column's own."""
        if mention.start and self.words[mention.start - 1].lower == column.label.lower():
            return True  # "from Athlone", "to Athlone"
        around = range(max(0, mention.start - NEAR), min(len(self.words), mention.end + NEAR))
        return any(self._is_said(self.words[at], column) for at in around if not mention.start <= at < mention.end)

    def _is_said(self, word: QuestionWord, column: ViewColumn) -> bool:
        """Whether a word is of a column's name, in any form."""
        if word.lower in FUNCTION:
            return False
        own = {word.root, *SYNONYMS.get(word.root, ())} | forms(word.lower)
        return any(part in own or forms(part) & own or akin(word.lower, part) for part in column.said)

    def naming(self, column: ViewColumn) -> list[int]:
        """The places of the words that name a column; nothing where the noun that says what it holds is not among
        them: a project is no project manager."""
        taken = {at for m in self.mentions for at in range(m.start, m.end)}
        found = [at for at, word in enumerate(self.words) if at not in taken and self._is_said(word, column)]
        head = {part for part in words_in(head_of(column.label))[-1:] if part not in FUNCTION}
        known = head | (column.said - set(words_in(column.label)))
        own = [at for at in found if not known or self._is_said(self.words[at], replace(column, said=frozenset(known)))]
        return found if own else []

    def unexplained(self) -> list[tuple[str, bool]]:
        """Words that no part of the question has a use for, and whether each is a verb: what is done where something is
        recorded is much the same."""
        operators = {word for piece in self.read.removed for word in words_in(piece)}
        kind = set(words_in(self.view.name))
        kind |= {part for each in self.view.columns if each.role == "number" for part in each.said}
        named = {at for m in self.mentions for at in range(m.start, m.end)}
        return [
            (word.lower, self.is_verb(at))
            for at, word in enumerate(self.words)
            if at not in self.used | named
            and (word.lower not in _FREE or word.lower in _AGAIN)
            and word.root not in operators
            and word.root not in kind | _RECORDS
        ]

    def is_verb(self, at: int) -> bool:
        """Whether a word is the past or a participle of a verb, or has a particle behind it: "picked", "drove", "set …
        back"."""
        word = self.words[at].lower
        behind = self.words[at + 1].lower if at + 1 < len(self.words) else ""
        past = word.endswith(("ed", "ing")) and len(word) > 4 and word[:1].islower()
        return past or word in PAST or behind in PARTICLES

    def is_record(self, noun: str) -> bool:
        """Whether a noun speaks of the records themselves: their kind, or the act that a column's name speaks of ("the
        payments" of what says by whom it was paid)."""
        root, kind = stem(noun), words_in(self.view.name)
        if any(root in words_in(head_of(each.label))[-1:] for each in self.view.columns):
            return False
        if self._is_act(noun):
            return True
        if root in _RECORDS or root in kind or any(root in SYNONYMS.get(each, ()) for each in kind):
            return True
        if nearest_kind(noun, {"": self.view.name}) is not None:
            return True  # "gifts" are donations
        if kind[-1:] and kind[-1] in _RECORDS and is_nobody(noun):
            return True  # "trips" of a vehicle log
        acts = [each for each in self.view.columns if each.label.lower().endswith(" by")]
        return noun not in ANYBODY and any(forms(root) & forms(part) for each in acts for part in each.said)

    def _is_act(self, noun: str) -> bool:
        """Whether a noun is what people of a column do: the "applications" of applicants."""
        people = [each for each in self.view.columns if each.role in ("name", "person")]
        heads = {word for each in people for word in words_in(head_of(each.label))[-1:]}
        doers = {word for word in heads if people_of({"": word}) or word.endswith(("er", "or", "ant", "ee"))}
        somebody = noun in ANYBODY or bool(people_of({"": noun}))
        return (
            not somebody
            and stem(noun) not in doers
            and any(akin(noun, word) or (forms(noun) - {stem(noun)}) & forms(word) for word in doers)
        )

    def column_called(
        self, noun: str, *, roles: Sequence[str] = ("name", "person", "text", "date"), fixed: Sequence[ViewColumn] = ()
    ) -> ViewColumn | None:
        """The column that a noun means: by its own words, for people or places by what it holds, or the one that an
        encoder finds nearest by far.

        Args:
            fixed: columns of which a value is stated; only their own words ask for them.
        """
        columns = [each for each in self.view.columns if each.role in roles]
        root, somebody = stem(noun), noun in ANYBODY or bool(people_of({"": noun}))
        own = [each for each in columns if root in {words_in(head_of(each.label))[-1:][0] if each.label else ""}]
        own = own or [each for each in columns if root in each.said]
        own = own or [
            each for each in columns if len(each.label) >= ABBREVIATED and noun.startswith(each.label.lower())
        ]
        alike = [each for each in columns if each not in fixed and self._is_said(QuestionWord(noun, noun, root), each)]
        own = own or [each for each in alike if somebody or each.role != "person"]
        if own:
            return min(own, key=lambda each: (-self.matches(each), len(each.label)))
        if noun in PLACES and not somebody:
            return self.place_column(fixed)
        if noun in _DATES and "date" in roles:
            return self.date_column()
        if somebody:
            return self.person_column(fixed) if noun in ANYBODY or self._has_people() else None
        return self._nearest(noun, [each for each in columns if each.role in ("name", "person") and each not in fixed])

    def _nearest(self, noun: str, columns: Sequence[ViewColumn], apart: float = APART) -> ViewColumn | None:
        if self.encoder is None or not columns:
            return None
        vectors = np.asarray(self.view.vectors(self.encoder))
        places = [self.view.columns.index(each) for each in columns]
        plural = noun if noun.endswith("s") else f"{noun}s"
        alike = vectors[places] @ self.encoder.encode([plural], role="query")[0]
        alike = alike + PROPER * np.array([each.proper for each in columns])
        least = ALIKE if apart >= 0 else ALIKE - PROPER
        order = np.argsort(-alike)
        if alike[order[0]] < least or (len(order) > 1 and alike[order[0]] - alike[order[1]] < apart):
            return None
        return columns[int(order[0])]

    def person_column(self, taken: Sequence[ViewColumn] = ()) -> ViewColumn | None:
        """The people that "who" asks for: those of a column that the question's words name, else those most like
        names of people."""
        columns = [each for each in self.view.columns if each.role == "person" and each not in taken]
        if (doers := self._doers(taken)) is not None:
            return doers
        if not columns:
            return None if self._has_people() else self.other_party(taken)
        named = [each for each in columns if self.naming(each)]
        staff = not named and all(_STAFF & set(words_in(each.label)) for each in columns)
        if staff and any(word.root in _PAID for word in self.words) and (payers := self.other_party(taken)) is not None:
            return payers  # and nobody who keeps the records
        pool = named or columns
        best = max(each.people for each in pool)  # the one of most people: a manager goes with the project
        return max((each for each in pool if each.people >= best - LIKELY), key=lambda each: len(each.ends))

    def _doers(self, taken: Sequence[ViewColumn]) -> ViewColumn | None:
        """A column of those who do what a verb of the question says: "who donated" of a donor, be it a firm."""
        named = {at for m in self.mentions for at in range(m.start, m.end)}
        said = {form for at, word in enumerate(self.words) if at not in named for form in forms(word.lower)}
        said |= {other for word in said for other in _GIVEN.get(word, ())}
        found = []
        for each in self.view.columns:
            head = words_in(head_of(each.label))[-1:] if each.role in ("name", "person") and each not in taken else []
            found += [each for word in head if word.endswith(("or", "er")) and (forms(word) - {word}) & said]
        return found[0] if len(found) == 1 else None

    def _has_people(self) -> bool:
        return any(each.role == "person" for each in self.view.columns)

    def other_party(self, taken: Sequence[ViewColumn] = ()) -> ViewColumn | None:
        """Whom those who keep the records deal with: names of their own that do not say by whom something was done."""
        columns = [
            each for each in self.view.columns
            if each.role in ("name", "person") and each not in taken and self.view.tells(each)
        ]  # fmt: skip
        named = [
            each for each in columns
            if each.proper >= 0.5 and not each.label.lower().endswith(" by")
            and not (is_place(head_of(each.label).split(" ")[-1].lower()) or each.labels[0][:1].isdigit())
        ]  # fmt: skip
        return max(named, key=lambda each: len(each.ends), default=None)

    def subject_column(self, taken: Sequence[ViewColumn] = ()) -> ViewColumn | None:
        """What records are about, where "what" asks for it: of what nearly all state, neither people nor places, what
        tells them apart most."""
        columns = [
            each for each in self.view.columns
            if each.role == "name" and each not in taken and self.view.tells(each)
            and not each.several and not is_place(head_of(each.label))
        ]  # fmt: skip
        return max(columns, key=lambda each: len(each.ends), default=None)

    def place_column(self, taken: Sequence[ViewColumn] = ()) -> ViewColumn | None:
        """Where records are: a column of places, by its name, else what an encoder finds nearest to places."""
        columns = [each for each in self.view.columns if each.role in ("name", "person") and each not in taken]
        ways = {each.label.lower(): each for each in columns if each.label.lower() in ("from", "to")}
        if len(ways) == 2:
            return ways["from" if any(word.lower == "from" for word in self.words) else "to"]
        places = [each for each in columns if is_place(each.label)]
        return places[0] if places else self._nearest("place", columns, apart=-1)

    def date_column(self, *, clock: bool | None = None) -> ViewColumn | None:
        """The date that is meant where the question does not say which; a time of the day (`clock`) where it asks for
        one."""
        columns = [each for each in self.view.columns if each.role == "date" and clock in (None, each.clock)]
        columns.sort(key=lambda each: each.clock)
        columns.sort(key=lambda each: not _DATES.issuperset(words_in(each.label)))  # the date, before "best before"
        named = [each for each in columns if self.naming(each)]
        return next(iter(named or columns), None)

    def matches(self, column: ViewColumn) -> int:
        """How many different words of the question are of a column's name."""
        return len({self.words[at].root for at in self.naming(column)})

    def measure(self, words: Sequence[str], base: str = "", unit: str = "") -> ViewColumn | None:
        """The figures that words mean."""
        columns = [each for each in self.view.columns if each.role == "number" and each.counts]
        if not columns:
            return None
        said = [word for phrase in words for word in phrase.split()]
        if said and said[-1] in MONEY_WORDS:  # "the fuel bill" is money
            columns = [each for each in columns if each.money] or columns
        roots = {stem(word) for word in said}
        named = [each for each in columns if roots & each.said]
        most = max(map(self.matches, named), default=0)
        named = [each for each in named if self.matches(each) == most]
        units = {unit_of(word) for word in said if unit_of(word) is not None}
        if units:  # "kilometres" of what is called Km
            named = [each for each in columns if each.unit and unit_of(each.unit) in units] or named
        if not named and unit:
            named = [
                each for each in columns
                if unit in (each.unit, stem(each.unit)) or stem(unit) in each.said
                or (unit_of(unit) is not None and unit_of(unit) == unit_of(each.unit or "?"))
            ]  # fmt: skip
        if not named:
            named = [each for each in columns if self.naming(each)]
        if not named and (roots | {word.root for word in self.words}) & {stem(word) for word in MONEY_WORDS}:
            money = [each for each in columns if each.money]
            rates = [each for each in money if _RATES & each.said]
            whole = [each for each in money if {"amount", "total", "sum"} & each.said]
            named = (rates if _PER.search(self.text) else whole) or [m for m in money if m not in rates] or money
        if not named and base:
            named = self._of_adjective(base, columns)
        if not named:
            scored = [(meant(tuple(said), base, each.label, date=False), each) for each in columns]
            best = max((score for score, _ in scored), default=0.0)
            named = [each for score, each in scored if score >= max(best, 0.5)]
        if not named and base not in AGEING and len(columns) == 1:
            named = columns
        if not named and said and not base and (near := self._nearest(said[-1], columns)) is not None:
            named = [near]
        return next(iter(named), None)

    @staticmethod
    def _of_adjective(base: str, columns: Sequence[ViewColumn]) -> list[ViewColumn]:
        """The figures that an adjective is said of: "long" of a distance before a time, where it is in a unit of it."""
        lengths = [each for each in columns if (unit := unit_of(each.unit)) is not None and unit.dimension == "length"]
        if base in ("long", "short") and lengths:
            return lengths
        for word in MEASURES.get(base, ())[:SPECIFIC]:
            if found := [each for each in columns if word in each.said]:
                return found
        return []

    def flags(self) -> list[tuple[ViewColumn, int]]:
        """The columns of yes and no that a word of the question names, with its place: "billable" time."""
        figures = {at for each in self.view.columns if each.role == "number" and self.matches(each) > 1
                   for at in self.naming(each)}  # fmt: skip
        found = []
        for each in self.view.columns:
            places = [at for at in self.naming(each) if at not in figures] if each.role == "truth" else []
            found += [(each, places[0])] if places else []
        return found

    def denied_from(self) -> int | None:
        """The place from which on what is said is denied: of "have we never paid" that of "have"."""
        at = next(
            (at for at, word in enumerate(self.words) if word.lower in _NEGATIONS or word.lower[-3:] in ("n't", "n’t")),
            None,
        )
        if at is not None and self.words[at].lower[-3:] in ("n't", "n’t"):
            return at
        if at is None or self.words[at].lower in ("without", "no"):
            return at
        return next((i for i in range(at - 1, -1, -1) if self.words[i].lower in _AUXILIARIES), at)

    def use(self, column: ViewColumn | None) -> None:
        """Count the words that name a column as used."""
        if column is not None:
            self.used.update(self.naming(column))
