"""What nouns are kinds of, and which verbs say the same, by WordNet 3.1 (Miller 1995; Fellbaum 1998).

People call a kind of thing by another name than the graph does: climbers are people, a guidebook is a book. The
file beside this module is made by `scripts/make_wordnet.py` and is read when the first such word comes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clew.query.vocabulary import forms

FILE = Path(__file__).with_name("wordnet.npz")
SENSE = 1.5  # what each commoner sense of a word counts, in steps
ABOVE = 4.5  # steps up to a kind that a noun may mean
BELOW = 2.0  # steps down to the one kind that a wider noun may mean
SHARED = 3  # first senses that are compared
NEAR, _STEP = 0.9, 0.04  # how well a noun of the same sense fits a kind, and what each step takes
_PEOPLE = frozenset(["human", "agent", "people", "individual", "actor"])  # persons, as graphs call them
_SOMEBODY = ("person", "animal", "group", "country", "deity", "character", "structure", "brand")
_HOUSES = frozenset(["label", "role", "festival", "channel", "platform"])  # of records; a person in a play; who awards
_NOBODY = ("event", "creation", "document", "happening", "food", "beverage")


class _Words:
    """Words with the numbers of their first senses.

    Args:
        text: a line feed, and then one word a line, in order.
        at: of each line, the place of its first sense, and at last that behind all.
    """

    def __init__(self, text: bytes, at: npt.NDArray[np.int32], senses: npt.NDArray[np.int32]) -> None:
        self._text, self._at, self._senses = text, at, senses
        self._breaks = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))  # a word stands between two of them

    def of(self, word: str) -> tuple[int, ...]:
        """The numbers of the first senses of a word; none of an unknown one."""
        wanted = word.encode("ascii", "replace")
        place = bisect_left(range(len(self._breaks) - 1), wanted, key=self._word)
        if place == len(self._breaks) - 1 or self._word(place) != wanted:
            return ()
        return tuple(self._senses[self._at[place] : self._at[place + 1]].tolist())

    def _word(self, place: int) -> bytes:
        return self._text[self._breaks[place] + 1 : self._breaks[place + 1]]


class _File(NamedTuple):
    nouns: _Words
    verbs: _Words
    above_at: npt.NDArray[np.int32]
    above: npt.NDArray[np.int32]


@cache
def _read() -> _File:
    with np.load(FILE, allow_pickle=False) as held:
        nouns, verbs = (
            _Words(held[name].tobytes(), held[f"{name}_at"], held[f"{name}_senses"]) for name in ("nouns", "verbs")
        )
        return _File(nouns, verbs, held["above_at"], held["above"])


def nearest_kind(noun: str, kinds: Mapping[str, str]) -> tuple[str, float] | None:
    """The kind that a noun means, and how well it fits; None where none does or two do alike.

    A noun means a kind that it is a synonym of or a narrower word for (a climber is a person), else the only kind that
    is narrower than it (the "companies" of a graph of manufacturers). Persons are whatever is said of people, and
    so is the only kind of people that there is.

    Args:
        kinds: names of kinds in words by their ids; names that WordNet does not have are looked up by their last word.
    """
    stated = {id: senses for id, name in kinds.items() if (senses := _senses(name))}
    own, person = _senses(noun), _senses("person")[0]
    if not own or not stated:
        return None
    if of_people := person in _steps_up(own[:1]):  # a teacher may also be an abstraction
        own = tuple(sense for sense in own if person in _steps_up((sense,)))
    up = _steps_up(own)
    wider = {}
    for id, senses in stated.items():
        steps = min((up[s] + SENSE * i for i, s in enumerate(senses[:SHARED]) if s in up), default=None)
        if steps is not None and (steps <= ABOVE or person == senses[0]):
            wider[id] = min(steps, ABOVE)
    found = wider
    if not wider:
        for id, senses in stated.items():
            known = _steps_up(senses)
            steps = min((known[s] + SENSE * i for i, s in enumerate(own[:SHARED]) if s in known), default=None)
            if steps is not None and steps <= BELOW:
                found[id] = steps + 1
    if not found and of_people:
        persons = [id for id, senses in stated.items() if person in _steps_up(senses[:1])]
        found = dict.fromkeys(persons, ABOVE)  # "councillors" are members where nobody else is stated
    order = sorted(found, key=found.__getitem__)
    if not order or (len(order) > 1 and (found is not wider or found[order[0]] == found[order[1]])):
        return None
    return order[0], NEAR - _STEP * found[order[0]]


def kind_of_things(noun: str, kinds: Mapping[str, str]) -> str | None:
    """The id of the kind that a noun means (`nearest_kind`), unless it is one of people: what somebody is, the employee
    of a firm or a line manager, names a role and no kind."""
    near = nearest_kind(noun, kinds)
    return None if near is None or near[0] in people_of(kinds) else near[0]


def people_of(kinds: Mapping[str, str], *, senses: int = 1) -> list[str]:
    """The ids of the kinds that are kinds of people, by their names in words, in one of so many first senses."""
    person = _senses("person")[0]
    return [id for id, name in kinds.items() if (known := _senses(name)) and person in _steps_up(known[:senses])]


def is_nobody(name: str) -> bool:
    """Whether a kind, by its name in words, is of events, works, papers or food in some sense, and in none of people,
    animals, groups or the houses that stand for them: nothing that "who" asks for."""
    if not _HOUSES.isdisjoint(name.lower().split()[-1:]):
        return False
    up = _steps_up(_senses(name)[:SHARED])
    some, none = ({_senses(each)[0] for each in said} for said in (_SOMEBODY, _NOBODY))
    return not none.isdisjoint(up) and some.isdisjoint(up)


def is_place(name: str) -> bool:
    """Whether a kind, by its name in words, is in some sense of places or of what is built."""
    up = _steps_up(_senses(name)[:SHARED])
    return any(_senses(each)[0] in up for each in ("location", "structure"))


def same_act(word: str, other: str) -> bool:
    """Whether two verbs, in any form, have a sense in common among their first: to run something is to operate it."""
    own, theirs = ({s for form in forms(each.lower()) for s in _read().verbs.of(form)} for each in (word, other))
    return bool(own & theirs)


def is_word(word: str) -> bool:
    """Whether a word is a noun or a verb of English, in any form."""
    file = _read()
    return any(words.of(form) for words in (file.nouns, file.verbs) for form in (word.lower(), *forms(word.lower())))


@lru_cache(maxsize=4096)
def _senses(name: str) -> tuple[int, ...]:
    """The senses of a noun in words, in one number or several; of an unknown one those of its last word."""
    nouns, words = _read().nouns, name.lower().split()
    if not words:
        return ()
    if words[-1] in _PEOPLE:
        return nouns.of("person")
    for start in dict.fromkeys((0, len(words) - 1)):
        for last in dict.fromkeys(_singular(words[-1])):
            if found := nouns.of(" ".join([*words[start:-1], last])):
                return found
    return ()


def _singular(word: str) -> tuple[str, ...]:
    """A noun as it may stand in a dictionary, the likeliest first."""
    if word.endswith("men"):
        return (word, f"{word[:-3]}man")
    if not word.endswith("s") or word.endswith("ss"):
        return (word,)
    made = [word[:-1]]
    if word.endswith("es"):
        made = [f"{word[:-3]}y", word[:-2], word[:-1]] if word.endswith("ies") else [word[:-1], word[:-2]]
    return (*made, word)


@lru_cache(maxsize=4096)
def _steps_up(senses: tuple[int, ...]) -> Mapping[int, float]:
    """All that some senses are kinds of, and the fewest steps up to each; a rarer sense begins further off."""
    file, best = _read(), dict[int, float]()
    left = [(sense, SENSE * rank) for rank, sense in enumerate(senses)]
    while left:
        sense, steps = left.pop()
        if best.get(sense, np.inf) <= steps:
            continue
        best[sense] = steps
        ends = file.above[file.above_at[sense] : file.above_at[sense + 1]].tolist()
        left += [(end, steps + 1) for end in ends]
    return best
