"""Where a question says what a flag of its graph says: "huts without showers", "is it indoors", "battery powered".

Kept apart from `chunks`, which puts what is found among the other parts: a flag is a set of things, those of which it
says yes, and no relation that anything is joined by.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.graph import Graph
from clew.graph.flags import Flag, flags
from clew.query import plan as p
from clew.query.vocabulary import forms
from clew.retrieval.lexicon import Lexicon, stems
from clew.retrieval.words import FUNCTION

PARTLY = 0.85  # fit of a flag of which a question says one telling word: "on batteries", batteryPowered
TELLING = 4  # letters of such a word
_PREFIXES = ("un", "non-", "non", "in", "dis")


@dataclass(frozen=True, slots=True)
class FlagSaid:
    """A flag that words of a question say."""

    start: int
    end: int
    flag: Flag
    fit: float
    denied: bool = False  # by the word itself: "unfurnished"

    @property
    def plan(self) -> p.SetPlan:
        """The things of which it is said."""
        return self._of(self.flag.no if self.denied else self.flag.yes)

    @property
    def opposite(self) -> p.SetPlan | None:
        """The things of which the graph says that it is not so; None where it says so of none."""
        ids = self.flag.yes if self.denied else self.flag.no
        return self._of(ids) if ids else None

    def _of(self, ids: tuple[str, ...]) -> p.SetPlan:
        return p.Follow(p.Entities(ids), (p.Step(self.flag.relation, False),))


def flags_said(words: Sequence[str], taken: Sequence[bool], graph: Graph) -> Iterator[FlagSaid]:
    """The flags that the words of a question say, those said in full first.

    In full: all words of its name in a row. Else by one word of four letters or more that no other relation and no kind
    is called by.
    """
    known = [flag for flag in flags(graph) if flag.yes]
    if not known:
        return
    lexicon = Lexicon.of(graph)
    names = {flag.relation: [s for s in stems(flag.label) if s not in FUNCTION] for flag in known}
    said: set[str] = set()
    for flag in known:
        if (found := _in_full(words, taken, flag, names[flag.relation])) is not None:
            said.add(flag.relation)
            yield found
    others = [label for id, label in lexicon.labels.items() if id not in names]
    used = {form for text in (*others, *lexicon.class_ids.values()) for word in stems(text) for form in forms(word)}
    for flag in known:
        mine = {form for name in names[flag.relation] if len(name) >= TELLING for form in forms(name)}
        shared = {f for other in known if other is not flag for name in names[other.relation] for f in forms(name)}
        telling = mine - used - shared
        for i, word in enumerate(words):
            if flag.relation in said or taken[i] or word in FUNCTION or len(word) < TELLING:
                continue
            if forms(word) & telling:
                said.add(flag.relation)
                yield FlagSaid(i, i + 1, flag, PARTLY)


def _in_full(words: Sequence[str], taken: Sequence[bool], flag: Flag, name: Sequence[str]) -> FlagSaid | None:
    if not name:
        return None
    wanted = [forms(part) for part in name]
    for start, word in enumerate(words):
        parts = word.split("-")
        joined = len(parts) == len(name) > 1 and not taken[start]  # "battery-powered"
        if joined and all(forms(part) & form for part, form in zip(parts, wanted, strict=True)):
            return FlagSaid(start, start + 1, flag, 1.0)
    for start in range(len(words) - len(name) + 1):
        here = range(start, start + len(name))
        if any(taken[i] for i in here):
            continue
        if all(forms(words[i]) & form for i, form in zip(here, wanted, strict=True)):
            return FlagSaid(start, start + len(name), flag, 1.0)
        turned = _turned(words[start]) if len(name) == 1 else ""
        if flag.no and len(turned) >= TELLING and forms(turned) & wanted[0]:
            return FlagSaid(start, start + 1, flag, 0.95, denied=True)
    return None


def _turned(word: str) -> str:
    """A word without what denies it: "unfurnished", "non-smoking"; "" where nothing does."""
    return next((word.removeprefix(each).lstrip("-") for each in _PREFIXES if word.startswith(each)), "")
