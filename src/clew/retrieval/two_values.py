"""What a question says of two values of one thing: "returned late", "below their reorder level", "more than the boss".

Such words are put into one word that says which two values are meant ("loan-returned-after-due"), before anything else
is read: no operator takes "below" for a condition on a number, and no name is sought in "due date". Which values those
are the graph tells: a kind that has both, dates that say when something was due and when it was done, figures of which
one is named and the other is what it is held against. `values_said` finds the word again and makes the condition of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from weakref import WeakKeyDictionary

import numpy as np

from clew.graph import Graph
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import Column, column
from clew.query.keys import Keys, by_words, steps_of
from clew.query.lapses import begins, ends
from clew.query.meanings import spelled_out
from clew.query.periods import Periods
from clew.query.values import shown_date, untyped
from clew.query.vocabulary import MEASURES, SYNONYMS, base_of, forms, several, stem
from clew.query.wordnet import people_of
from clew.retrieval.events.kinds import DUE, Events, sampled
from clew.retrieval.flagging import Condition
from clew.retrieval.lexicon import Lexicon, stems

SOME = 0.3  # share of a kind's things that must have what they are held against
NAMED = 0.6  # how well a word must fit a figure to name it
_PLANS = frozenset([
    "budget", "estimate", "estimated", "planned", "quote", "quoted", "target", "goal", "allowance", "asking", "reserve",
    "limit", "expected",
])  # fmt: skip
_FLOORS = frozenset(["reorder", "minimum", "min", "threshold", "safety", "par", "restock"])
_ROOMS = frozenset(["capacity", "seats", "places", "max", "maximum"])
_KEPT = "stock quantity qty inventory hand available"
_PAID = "actual spent cost price sold hammer paid raised final total rent fee hours"
_TAKEN = "attendance attendees booked enrolled sold occupancy guests participants used registered"
_HELD = tuple(
    (those, frozenset(usual.split())) for those, usual in ((_FLOORS, _KEPT), (_PLANS, _PAID), (_ROOMS, _TAKEN))
)
"""What is held against what, where only the second is named."""

_IN_FULL = {"min": "minimum", "max": "maximum", "minimum": "min", "maximum": "max"}
_AROUND = """
is are was were be been being has have had having do does did we you they it that which who whose with where what when
yet got get gets getting fall falls fell fallen go goes went gone going come came comes coming bring brings brought
bringing hand handed handing give gave given giving turn turned out back in off over up down sent home of the a an our
their its his her any some something anything thing things item items again only ever still already currently now by at
too even
"""
_UNITS = frozenset(["eur", "usd", "gbp", "qty", "count", "number", "pcm", "pounds", "euros", "kg"])
_BESIDE = frozenset(_AROUND.split())  # words that say nothing beside what is compared
_ASKING = frozenset(["which", "what", "who", "whose", "that"])
_THE = r"(?:(?:the|of|their|its|his|her|our|own|they|it|was|were|is|had|been|we|you|that|day|date|time|on|which|to) )*"
_BELOW = (
    "below|beneath|under|underneath|less than|lower than|smaller than|fewer than|short of|cheaper than|shorter than"
)
_ABOVE = "above|over|more than|higher than|greater than|larger than|bigger than|in excess of|exceed(?:s|ed|ing)?|beyond"
_HELD_AGAINST = re.compile(rf"\b(?:(?P<below>{_BELOW})|(?P<above>{_ABOVE})) {_THE}", re.IGNORECASE)
_THAN = re.compile(
    r"\b(?:(?P<less>less|fewer|lower|smaller|cheaper|younger)|(?P<more>more|higher|greater|larger|bigger|older|dearer"
    rf"|heavier|longer|taller))\b(?P<what>(?: [\w-]+){{0,4}}?) than {_THE}",
    re.IGNORECASE,
)
_LATE = re.compile(
    r"\b(?:too |very |rather |so )?late\b(?! (?:19|20|in |at |night|evening|morning|fee|fine))", re.IGNORECASE
)
_ON_TIME = re.compile(r"\b(?:on time|in time|punctually)\b", re.IGNORECASE)
_OVERDUE = re.compile(r"\boverdue\b", re.IGNORECASE)
_AFTER = re.compile(rf"\b(?:after|later than|past|beyond) {_THE}", re.IGNORECASE)
_DAY = r"(?: (?:date|day|time))?(?: (?:back|for)(?=$|,))?\b"
_TRUTH = re.compile(
    r"^\W*(?:(?:has|have|had|did|does|do|was|is|were|are|whether|if) (?P<who>.+?)(?: (?:ever|at any time|once|been))*"
    r"|(?P<whose>.+?)[ ,:-]+ever)\s*$",
    re.IGNORECASE,
)
_HOW_OFTEN = re.compile(r"\bhow (?:often|many times)\b.*$", re.IGNORECASE)
_ON_DAY = re.compile(
    r"(?P<between>(?: (?!on\b|as\b|at\b|by\b)[\w'’]+){0,3}) (?:on|as of|as at|at|by) (?:the )?"
    r"(?P<day>\d{4}-\d\d-\d\d|\d{1,2}[/.]\d{1,2}[/.]\d{4}|\d{1,2}(?:st|nd|rd|th)? [A-Z][a-z]+ \d{4})",
    re.IGNORECASE,
)
_MEASURED = re.compile(r",? (?:measured|compared|judged|going|judging|counted|meaning)\b.*$", re.IGNORECASE)
_LATER: p.Op = ">"
_EARLIER: p.Op = "<="
_LETTERS = str.maketrans("0123456789-", "abcdefghij ")  # a date in a word that nobody takes for one
_MAY_SAY = re.compile(
    rf"\b(?:late|on time|in time|punctually|overdue|after|later than|past|than|{_BELOW}|{_ABOVE})\b", re.IGNORECASE
)
_MADE: WeakKeyDictionary[Graph, dict[str, tuple[p.SetPlan, p.SetPlan]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of things with what can be held against each other."""

    id: str
    noun: str
    dates: tuple[p.Step, ...]
    figures: tuple[p.Step, ...]
    linked: tuple[tuple[p.Step, p.Step], ...]  # figures of what a thing of the kind belongs to
    to_alike: tuple[p.Step, ...]  # links to things of the same kind: a manager


@dataclass(frozen=True, slots=True)
class _Said:
    """What is said of two values: of what kind, where in the text, the word for it and the condition."""

    kind: _Kind
    start: int
    end: int
    word: str
    around: frozenset[str]  # forms of words that are part of it
    due: str = ""  # what the date is called that something was due at


def values_said(words: Sequence[str], taken: Sequence[bool], graph: Graph) -> Iterator[Condition]:
    """The conditions that words made by `with_two_values` state."""
    made = _MADE.get(graph, {})
    for i, word in enumerate(words):
        if not taken[i] and word in made:
            yield Condition(i, i + 1, *made[word])


def value_said(text: str, graph: Graph) -> p.SetPlan | None:
    """The condition that a word made by `with_two_values` states in a question; None where there is none."""
    made = _MADE.get(graph, {})
    return next((made[word][0] for word in re.findall(r"[\w-]+", text.lower()) if word in made), None)


def with_two_values(text: str, graph: Graph) -> str:
    """A question with one word for what it says of two values; as it stands where it says nothing of the kind, or the
    graph has no two such values."""
    if not Lexicon.of(graph).types or _MAY_SAY.search(text) is None or value_said(text, graph) is not None:
        return text
    reader = _Reader(text, graph)
    said = reader.late() or reader.held_against() or reader.than_another()
    return text if said is None else reader.rewritten(said)


class _Reader:
    def __init__(self, text: str, graph: Graph) -> None:
        self._text = re.sub(r"\s+", " ", text.strip()).rstrip("?!. ")
        self._lower = self._text.lower()
        self._graph, self._keys = graph, Keys(graph)
        self._periods = Periods(graph, self._keys)
        self._words = re.findall(r"[\w-]+", self._lower)

    def _kinds(self) -> list[_Kind]:
        return self._graph.derived(("retrieval.two_values",), self._looked_up)

    def _looked_up(self) -> list[_Kind]:
        found = []
        lexicon, events = Lexicon.of(self._graph), Events(self._graph)
        for id, label in events.classes().items():
            members = sampled(events.members(id))
            dates, figures = (
                tuple(each.step for each in events.stated(id, of, SOME) if each.step.relation in lexicon.labels)
                for of in ("date", "number")
            )
            values, alike, linked = {*dates, *figures}, list[p.Step](), list[tuple[p.Step, p.Step]]()
            for step, share in steps_of(self._graph, members, backward=False):
                if share < SOME or step in values or step.relation not in lexicon.labels:
                    continue
                ends = np.unique(self._keys.ends(members, (step,)))
                if not len(ends) or self._graph.literals_at(ends).any():
                    continue
                if id in events.kinds_of(ends):
                    alike.append(step)
                for second, part in steps_of(self._graph, ends, backward=False):
                    column_ = self._column(second)
                    if part >= SOME and column_.ordered and column_.kind == "number":
                        linked.append((step, second))
            found.append(_Kind(id, label, dates, figures, tuple(linked), tuple(alike)))
        return found

    def _column(self, step: p.Step) -> Column:
        return column(self._graph, Binding.of(self._graph).relation(step.relation))

    def _label(self, step: p.Step) -> str:
        return spelled_out(self._keys.label(step)).lower()

    # -- dates -------------------------------------------------------------------------------------------------------

    def late(self) -> _Said | None:
        """What was done after it was due, or by then, or was not done although it was due."""
        options = list(self._due_and_done())
        best = max((each[0] for each in options), default=0.0)
        chosen = [each[1:] for each in options if each[0] == best]
        if len(chosen) != 1:
            return None
        kind, due, done, match, sign = chosen[0]
        end, day = match.end(), _ON_DAY.match(self._text, match.end())
        of, none, when = p.Class(kind.id), p.Number(0), ""
        if sign == "overdue" or (day is not None and best < 2):  # "past its due date on 30 June"
            then = p.Date(datetime.now(UTC).date().isoformat()) if day is None else self._day(day["day"])
            if then is None:
                return None
            sign, end, when = "overdue", end if day is None else day.end(), then.text
            over = p.Where(of, p.Test((done,), "<" if day is None else "<=", then))
            late: p.SetPlan = p.Minus(p.Where(of, p.Test((due,), "<", then)), over)
            fine: p.SetPlan = p.Minus(of, late)
        else:
            since = p.Since((due,), "days")
            late, fine = (p.Where(of, p.Test((done,), op, none, beside=since)) for op in (_LATER, _EARLIER))
        conditions = (fine, late) if sign == "by" else (late, fine)
        word = self._word(kind, self._label(done), sign, f"{self._label(due)} {when.translate(_LETTERS)}", *conditions)
        around = {form for label in (done, due) for each in self._label(label).split() for form in forms(each)}
        said = {form for each in self._words if self._periods.names(each, done) for form in forms(each)}
        return _Said(kind, match.start(), end, word, frozenset(around | said), self._label(due))

    def _due_and_done(self) -> Iterator[tuple[float, _Kind, p.Step, p.Step, re.Match[str], str]]:
        """The pairs of dates that may be meant, each with how well the words fit it, where they stand and the sign."""
        for kind in self._kinds():
            labels = {step: set(self._label(step).split()) for step in kind.dates}
            said = [word for word in self._words if not self._is_kind(word, kind)]
            for due in (step for step in kind.dates if labels[step] & DUE):
                match, sign = self._late_by(labels[due] & DUE)
                if match is None or self._is_name(match):
                    continue
                for done in (step for step in kind.dates if not labels[step] & DUE):
                    named = any(self._periods.names(word, done) for word in said)
                    start = any(begins(word) and not ends(word) for word in labels[done])
                    paid = bool(forms("paid") & labels[done])  # late is what came late, else its money
                    if named or not start:
                        fit = 2 * named + self._mentions(kind) - start - 0.5 * paid
                        yield fit, kind, due, done, match, sign

    def _day(self, text: str) -> p.Date | None:
        slashed = re.fullmatch(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4})", text)  # the day first, as it is read elsewhere
        plain = f"{slashed[3]}-{int(slashed[2]):02}-{int(slashed[1]):02}" if slashed else text
        found = untyped(re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", plain.title() if not slashed else plain))
        return p.Date(shown_date(found)) if found is not None and found.kind == "date" else None

    def _late_by(self, due: set[str]) -> tuple[re.Match[str] | None, str]:
        named = "|".join(sorted({*due, *DUE}))
        if match := re.search(rf"{_AFTER.pattern}(?:{named}){_DAY}", self._lower):
            return match, "after"
        if match := _LATE.search(self._lower):
            return match, "after"
        if match := _ON_TIME.search(self._lower):
            return match, "by"
        return _OVERDUE.search(self._lower), "overdue"

    def _is_name(self, match: re.Match[str]) -> bool:
        """Whether the words are part of what something is called: "late return", the reason of a fine."""
        end = self._lower[match.end() :].split()[:1]
        return any(self._graph.resolve(f"{match.group(0)} {word}") for word in end) or bool(
            self._graph.resolve(match.group(0).strip())
        )

    # -- figures -----------------------------------------------------------------------------------------------------

    def held_against(self) -> _Said | None:
        """A figure of a thing held against another one of it: "stock below the reorder level"."""
        for pattern in (_HELD_AGAINST, _THAN):
            for match in pattern.finditer(self._lower):
                below = bool(match.groupdict().get("below") or match.groupdict().get("less"))
                for usual in (False, True):
                    for kind, path, end in self._named_behind(match):
                        first = self._first_of(kind, path, match, usual=usual)
                        if first is not None:
                            return self._figures(kind, first, path, match.start(), end, below=below)
        return None

    def _named_behind(self, match: re.Match[str]) -> list[tuple[_Kind, p.Path, int]]:
        """The figures whose names stand behind a comparison, the longest name first, of the kind that is spoken of."""
        rest = self._lower[match.end() :]
        found: list[tuple[tuple[int, bool, bool, int], _Kind, p.Path, int]] = []
        for kind in self._kinds():
            paths: list[p.Path] = [(step,) for step in kind.figures]
            paths += [each for each in kind.linked if each[1] not in kind.figures]
            for path in paths:
                name = self._label(path[-1])
                first = name.split()[0]
                telling = first if any(first in those for those, _ in _HELD) else ""
                for said in dict.fromkeys((name, _plain_name(name), telling, _IN_FULL.get(telling, ""))):
                    level = "(?: (?:stock|order|quantity|allowed))?(?: (?:level|amount|quantity|number|point))?"
                    if said and (behind := re.match(rf"{re.escape(said)}s?{level}\b(?! of \d| \d)", rest)):
                        fit = (behind.end(), self._mentions(kind), len(path) == 1, -len(found))
                        found.append((fit, kind, path, match.end() + behind.end()))
        return [each[1:] for each in sorted(found, key=lambda each: each[0], reverse=True)]

    def _first_of(self, kind: _Kind, path: p.Path, match: re.Match[str], *, usual: bool) -> p.Step | None:
        """The figure that is held against another one: named before, or called alike, or the usual one."""
        figures = [step for step in kind.figures if step != path[-1]]
        before = self._lower[: match.start()].split()[-5:] + (match.groupdict().get("what") or "").split()
        noun = set(stems(kind.noun))
        words = [word for word in before if word not in _BESIDE and stem(word) not in noun]
        fits = [max((by_words((word,), [self._label(step)])[0] for word in words), default=0.0) for step in figures]
        if figures and max(fits) >= NAMED and fits.count(max(fits)) == 1:
            return figures[fits.index(max(fits))]
        other = set(self._label(path[-1]).split())
        same = [step for step in figures if set(self._label(step).split()) & other]
        if len(same) == 1 and len(path) > 1:
            return same[0]
        for those, held in _HELD if usual else ():
            named = [step for step in figures if set(self._label(step).split()) & held]
            if other & those and named:
                return named[0] if len(named) == 1 else None
        return None

    def than_another(self) -> _Said | None:
        """A figure of a thing held against that of what it is linked to: "earn more than their manager"."""
        for match in (*_THAN.finditer(self._lower), *_HELD_AGAINST.finditer(self._lower)):
            for kind in self._kinds():
                for link in kind.to_alike:
                    said = {self._label(link), *SYNONYMS.get(stem(self._label(link)), ())}
                    behind = re.match(r"(?P<noun>[a-z]+)", self._lower[match.end() :])
                    noun = stem(behind["noun"]) if behind is not None else ""
                    if behind is None or not (
                        {noun} & set(map(stem, said)) or self._label(link) in SYNONYMS.get(noun, ())
                    ):
                        continue
                    first = self._compared(kind, match)
                    if first is not None:
                        below = bool(match.groupdict().get("below") or match.groupdict().get("less"))
                        end = match.end() + behind.end()
                        return self._figures(kind, first, (link, first), match.start(), end, below=below)
        return None

    def _compared(self, kind: _Kind, match: re.Match[str]) -> p.Step | None:
        said = match.groupdict()
        adjective = base_of((said.get("less") or said.get("more") or "").split(" ")[-1])
        before = self._lower[: match.start()].split()[-3:] + (said.get("what") or "").split()
        words = [word for word in before if word not in _BESIDE]
        measured = [
            *words,
            *(same for word in words for same in SYNONYMS.get(stem(word), ())),
            *MEASURES.get(adjective, ()),
        ]
        if {"earn", "earns", "paid", "make", "makes", "earning", "money"} & set(before):
            measured += ["salary", "wage", "pay", "income"]
        for word in measured:
            named = [step for step in kind.figures if by_words((word,), [self._label(step)])[0] >= NAMED]
            if len(named) == 1:
                return named[0]
        return None

    def _figures(self, kind: _Kind, first: p.Step, path: p.Path, start: int, end: int, *, below: bool) -> _Said:
        beside = p.Combined(path, "-")
        ops: tuple[p.Op, p.Op] = ("<", ">=") if below else (">", "<=")
        plans = [p.Where(p.Class(kind.id), p.Test((first,), op, p.Number(0), beside=beside)) for op in ops]
        names = " ".join(self._label(step) for step in path)
        word = self._word(kind, self._label(first), "below" if below else "above", names, *plans)
        around = {form for each in self._label(first).split() for form in forms(each)}
        return _Said(kind, start, end, word, frozenset(around | {"earn", "make", "paid", "pay", "cost", "exceed"}))

    # -- the question ------------------------------------------------------------------------------------------------

    def _word(self, kind: _Kind, one: str, sign: str, other: str, plan: p.SetPlan, opposite: p.SetPlan) -> str:
        said = "-".join(re.findall(r"[^\W_]+", f"{kind.noun} {one} {sign} {other}".lower()))
        _MADE.setdefault(self._graph, {})[said] = plan, opposite
        return said

    def _mentions(self, kind: _Kind) -> bool:
        return any(self._is_kind(word, kind) for word in self._words)

    def _is_kind(self, word: str, kind: _Kind) -> bool:
        named = stems(kind.noun)
        return bool(named) and (stem(word) == named[-1] or named[-1] in SYNONYMS.get(stem(word), ()))

    def rewritten(self, said: _Said) -> str:
        """The question with the word in the place of what says it."""
        before, after = self._text[: said.start].rstrip(), self._text[said.end :]
        behind = re.match(r" (?P<noun>[a-z]+(?<!ing))\b", after)
        if behind is not None and (self._is_kind(behind["noun"], said.kind) or forms(behind["noun"]) & said.around):
            noun = behind["noun"] if self._is_kind(behind["noun"], said.kind) else several(said.kind.noun)
            return f"{before} {said.word} {noun}{after[behind.end() :]}"
        words, behind_ = before.split(), _MEASURED.sub("", after).split()
        while behind_ and self._around(behind_[0], said, ()):
            behind_.pop(0)
        after = "".join(f" {word}" for word in behind_)
        kept = len(words)
        while kept and self._around(words[kept - 1], said, words[: kept - 1]):
            kept -= 1
        while kept < len(words) and words[kept].lower() in _ASKING and not kept:
            kept += 1  # "who" asks
        head, denied = words[:kept], any(word in ("not", "never", "n't") for word in words[kept:])
        no = " not" if denied else ""
        of_kind = any(self._is_kind(word.lower(), said.kind) for word in head)
        if of_kind or not self._of_others(head, said):
            head = self._of_kind(head, said.kind)
            return f"{' '.join(head)} are{no} {said.word}{after}"
        things = f"{said.word} {several(said.kind.noun)}"
        start = " ".join(head)
        if _HOW_OFTEN.search(start):
            return f"{_HOW_OFTEN.sub(f'how many {several(said.kind.noun)}', start)} are{no} {said.word}{after}"
        if (truth := _TRUTH.match(start)) is not None:
            name, rest = self._somebody(truth["who"] or truth["whose"], said)
            rest = re.sub(r"\b(?:for|in) (?=[A-Z][a-z]+ \d{4})", "due in ", rest) if said.due == "due" else rest
            return f"does {name} have any {things}{rest}{after}"
        return f"{start} {'has' if self._one(head) else 'have'}{no} {things}{after}"

    def _of_kind(self, head: Sequence[str], kind: _Kind) -> list[str]:
        """The words before a condition with a noun for its kind that the graph knows."""
        plural, found = several(kind.noun.lower()), list(head)
        places = [i for i, word in enumerate(found) if self._is_kind(word.lower(), kind)]
        if places:
            return [plural if i in places and stem(word.lower()) not in stems(kind.noun) else word
                    for i, word in enumerate(found)]  # fmt: skip
        if self._one(found):
            return [*found[:-1], "which", plural]
        if found and found[-1].lower() not in _ASKING:
            found.pop()
        return [*found, plural] if found else ["which", plural]

    def _somebody(self, text: str, said: _Said) -> tuple[str, str]:
        """A name and what follows it, without the words that say what is asked whether it was so."""
        words = text.split()
        named = next((i for i, word in enumerate(words) if word.islower()), len(words)) or len(words)
        noun = set(stems(said.kind.noun))
        rest = [word for word in words[named:] if not self._around(word, said, ()) and stem(word.lower()) not in noun]
        return re.sub(r"['’]s$", "", " ".join(words[:named])), "".join(f" {word}" for word in rest)

    def _one(self, head: Sequence[str]) -> bool:
        return [word.lower() for word in head[-1:]] == ["who"]

    def _of_others(self, head: Sequence[str], said: _Said) -> bool:
        """Whether something of another kind than that of the values is asked for."""
        if not head:
            return False
        if self._one(head):
            return not people_of({said.kind.id: said.kind.noun})
        lexicon = Lexicon.of(self._graph)
        return (
            any((stem(word.lower()),) in lexicon.classes for word in head)
            or _HOW_OFTEN.search(" ".join(head)) is not None
            or _TRUTH.match(" ".join(head)) is not None
        )

    def _around(self, word: str, said: _Said, before: Sequence[str]) -> bool:
        """Whether a word is part of what is said of the two values; verbs too that the graph does not know."""
        plain, lexicon = word.lower(), Lexicon.of(self._graph)
        if plain in ("not", "never"):
            return True
        if self._is_kind(plain, said.kind):
            return False
        if plain in _BESIDE or forms(plain) & said.around:
            return True
        if (stem(plain),) in lexicon.classes:
            return stem(plain) == plain  # "a book"
        behind = any(self._is_kind(each.lower(), said.kind) for each in before)
        return behind and word.islower() and (stem(plain),) not in lexicon.relations and not self._graph.resolve(word)


def _plain_name(label: str) -> str:
    """A figure's name without its unit and what only says that it is a number: "budget eur", "seat count"."""
    words = label.split()
    while len(words) > 1 and words[-1] in (
        "eur",
        "usd",
        "gbp",
        "qty",
        "count",
        "number",
        "pcm",
        "pounds",
        "euros",
        "kg",
    ):
        words.pop()
    return " ".join(words)
