"""How a relation reads in English, in both directions.

Kept apart from the writer so that the grammar of one relation can be looked at, tested and overridden by itself. A
relation name falls into one of five patterns:

=========== ===================== ============================ ==========================
pattern     relation name         forward, tail wanted         backward, head wanted
=========== ===================== ============================ ==========================
passive     directed by           who directed {x}             what was directed by {x}
participle  located in            where is {x} located         what is located in {x}
relational  capital of            what is {x} the capital of   what is the capital of {x}
verb        borders               what does {x} border         what borders {x}
noun        place of birth        what is {x}'s place of birth whose place of birth is {x}
=========== ===================== ============================ ==========================

A noun behind a preposition says what the tail is: `located in country`, `in language`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from clew.labels import singular_of
from clew.synthesis.verbs import (
    PREPOSITIONS,
    article_for,
    base_of,
    is_participle,
    past_of,
    plural_of,
    third_person_base,
)
from clew.types import Relation

Kind = Literal["person", "place", "date", "number", "thing"]
WH: dict[Kind, str] = {"person": "who", "place": "what place", "date": "when", "number": "how many", "thing": "what"}
_NOUN: dict[Kind, str] = {"person": "person", "place": "place", "date": "date", "number": "number", "thing": "thing"}

_PERSON = re.compile(
    r"(?:^| )(?:\w+(?<!comput)(?<!numb)(?<!pap)(?<!riv)(?<!wat)(?<!ord)(?<!charact)(?<!gen)"
    r"(?:tor|ter|der|ner|ser|cer|ger|ist|ian|wright)"
    r"|actress|spouse|wife|husband|child|children|parents?|father|mother|brother|sister|siblings?|son|daughter|person|king"
    r"|queen|author|chief|head of state|champion|member|holder|partner|friend)s?(?: |$)"
)
_PLACE = re.compile(
    r"(?:^| )(?:place|country|countries|city|cities|town|village|location|continent|capital|state|region|province"
    r"|headquarters|birthplace|island|river|lake|nation|district|county|neighbou?rs?)(?: |$)"
)
_DATE = re.compile(
    r"(?:^| )(?:date|year|time|day|month|century|founded|established|born on|died on|since|until)(?: |$)"
)
_NUMBER = re.compile(
    r"(?:^| )(?:number|count|population|area|height|length|weight|amount|size|elevation|latitude|longitude)(?: |$)"
)
_AUXILIARY = re.compile(r"^(?:is|are|was|were|has|have|had|been) (?=\w)")


def words_of(name: str) -> str:
    """`film.film.directed_by`, `directedBy`, `http://x/y#directed-by` → `directed by`."""
    tail = re.split(r"[/#]", name.rstrip("/#"))[-1]
    if re.fullmatch(r"[\w-]+(?:\.[\w-]+)+", tail):
        tail = tail.rsplit(".", 1)[1]
    tail = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", tail)
    text = re.sub(r"[\W_]+", " ", tail).strip().lower()
    glued = re.fullmatch(r"(.*ed)(by|in)", text)
    return f"{glued[1]} {glued[2]}" if glued and is_participle(glued[1].split(" ")[-1]) else text


def has_words(name: str) -> bool:
    """Whether a name holds an English word: `directed_by` does, `P31` does not."""
    return bool(re.search(r"\b[a-z]{2,}\b", words_of(name)))


def name_of(relation: Relation) -> str:
    """What a relation is called: its id, or its label where that is a phrase or the id holds no word."""
    return relation.label if " " in relation.label or not has_words(relation.id) else relation.id


def kind_of(words: str) -> Kind | None:
    """What a relation name says about its tail, or None when it says nothing."""
    if re.search(r"\bby$", words):
        return "person"
    for kind, pattern in (("date", _DATE), ("number", _NUMBER), ("place", _PLACE), ("person", _PERSON)):
        if pattern.search(words):
            return kind  # type: ignore[return-value]
    return None


@dataclass(frozen=True, slots=True)
class Side:
    """What is known about the entities at one end of a relation: their kind, and a noun for them."""

    kind: Kind = "thing"
    noun: str = ""  # "film", "city"; empty: take the kind's own noun

    @property
    def word(self) -> str:
        return self.noun or _NOUN[self.kind]


@dataclass(frozen=True, slots=True)
class Phrasing:
    """Ways to speak of the entities that one step reaches from `{x}`.

    `noun_phrases` denote them ("the director of {x}"), `clauses` are predicates of them ("directed {x}"), `asks` are
    whole questions for one of them and `asks_many` for several.
    """

    noun_phrases: tuple[str, ...]
    clauses: tuple[str, ...]
    asks: tuple[str, ...]
    asks_many: tuple[str, ...]

    @property
    def forms(self) -> int:
        return len(self.noun_phrases) + len(self.clauses) + len(self.asks) + len(self.asks_many)


@dataclass(frozen=True, slots=True)
class PhraseGrammar:
    """Both directions of a relation, and how to state it. `statement` has the slots `{h}` and `{t}`."""

    pattern: Literal["passive", "participle", "relational", "verb", "noun"]
    forward: Phrasing
    backward: Phrasing
    statement: str


def grammar(name: str, head: Side, tail: Side) -> PhraseGrammar:
    """The grammar of a relation name. `head` and `tail` say what its ends are."""
    words = _AUXILIARY.sub("", words_of(name)) or "related to"
    tokens = words.split(" ")
    if len(tokens) > 1 and tokens[-2] in PREPOSITIONS - {"of"} and tokens[-1] not in PREPOSITIONS:
        if len(tokens) == 2:
            return _noun(tokens[1], head, tail)
        if is_participle(tokens[-3]):
            *tokens, noun = tokens
            words, tail = " ".join(tokens), Side(tail.kind, tail.noun or noun)
    last = tokens[-1]
    if last == "by" and len(tokens) > 1 and is_participle(tokens[-2]):
        return _passive(tokens, head, tail)
    if last in PREPOSITIONS or last == "of":
        if len(tokens) > 1 and is_participle(tokens[-2]):
            return _participle(words, tokens, head, tail)
        if third_person_base(tokens[0]) and len(tokens) > 1:
            return _verb(tokens, head, tail)
        if len(tokens) > 1:
            return _relational(words, head, tail)
    if third_person_base(tokens[0]) and len(tokens) == 1:
        return _verb(tokens, head, tail)
    if is_participle(last) and len(tokens) == 1 and tail.kind in ("date", "place"):
        return _participle(f"{last} in", [last, "in"], head, tail)
    return _noun(words, head, tail)


def which(side: Side) -> str:
    """`which film`; a bare `what` where no better noun is known."""
    return f"which {side.word}" if side.noun or side.kind != "thing" else "what"


def which_many(side: Side) -> str:
    """`which films`, or `which things`."""
    return f"which {plural_of(side.word)}" if side.noun or side.kind != "thing" else "which things"


def _passive(tokens: list[str], head: Side, tail: Side) -> PhraseGrammar:
    participle, extra = tokens[-2], " ".join(tokens[:-2])
    base, past = base_of(participle), past_of(participle)
    lead = f"{extra} " if extra else ""
    wh = "who" if tail.kind == "person" else which(tail)
    one = "the person who" if tail.kind == "person" else f"the {tail.word} that"
    many = which_many(head)
    forward = Phrasing(
        (f"{one} {past} {{x}}", f"the {tail.word} {{x}} was {lead}{participle} by"),
        (f"{past} {{x}}",),
        (
            f"{wh} {past} {{x}}",
            f"{wh} was {{x}} {lead}{participle} by",
            f"by whom was {{x}} {participle}" if tail.kind == "person" else f"by what was {{x}} {participle}",
            f"{{x}} was {lead}{participle} by {wh}",
            f"which {tail.word} {past} {{x}}",
        ),
        (
            f"which {plural_of(tail.word)} {past} {{x}}",
            f"{wh} {past} {{x}}",
            f"by which {plural_of(tail.word)} was {{x}} {participle}",
        ),
    )
    backward = Phrasing(
        (f"the {head.word} {lead}{participle} by {{x}}", f"the {head.word} that {{x}} {past}"),
        (f"was {lead}{participle} by {{x}}",),
        (f"{which(head)} was {participle} by {{x}}", f"what did {{x}} {base}", f"{which(head)} did {{x}} {base}"),
        (
            f"{many} were {participle} by {{x}}",
            f"{many} did {{x}} {base}",
            f"what did {{x}} {base}",
            f"{{x}} {past} {many}",
        ),
    )
    return PhraseGrammar("passive", forward, backward, f"{{h}} was {lead}{participle} by {{t}}")


def _participle(words: str, tokens: list[str], head: Side, tail: Side) -> PhraseGrammar:
    stem, preposition = " ".join(tokens[:-1]), tokens[-1]
    copula = "was" if tokens[-2] in ("born", "founded", "established") or tail.kind == "date" else "is"
    asks = [f"{which(tail)} {copula} {{x}} {words}", f"{preposition} {which(tail)} {copula} {{x}} {stem}"]
    if tail.kind == "place" and preposition in ("in", "at", "near", "on"):
        asks.insert(0, f"where {copula} {{x}} {stem}")
    if tail.kind == "date":
        asks.insert(0, f"when {copula} {{x}} {stem}")
    wh = "who" if head.kind == "person" else which(head)
    plural_copula = "were" if copula == "was" else "are"
    forward = Phrasing(
        (f"the {tail.word} {{x}} {copula} {words}", f"the {tail.word} where {{x}} {copula} {stem}")
        if tail.kind == "place" and preposition in ("in", "at")
        else (f"the {tail.word} {{x}} {copula} {words}",),
        (),
        tuple(asks),
        (f"{which_many(tail)} {copula} {{x}} {words}", *asks[:1]),
    )
    backward = Phrasing(
        (f"the {head.word} {words} {{x}}", f"the {head.word} that {copula} {words} {{x}}"),
        (f"{copula} {words} {{x}}",),
        (f"{wh} {copula} {words} {{x}}", f"{which(head)} {copula} {words} {{x}}"),
        (f"{which_many(head)} {plural_copula} {words} {{x}}", f"{wh} {copula} {words} {{x}}"),
    )
    return PhraseGrammar("participle", forward, backward, f"{{h}} {copula} {words} {{t}}")


def _relational(words: str, head: Side, tail: Side) -> PhraseGrammar:
    noun = words.rsplit(" ", 1)[0]
    wh = "who" if tail.kind == "person" else which(tail)
    if not words.endswith(" of"):  # "related to", "subordinate to": no noun to turn round
        one = "who" if head.kind == "person" else which(head)
        forward = Phrasing(
            (f"the {tail.word} {{x}} is {words}",),
            (),
            (f"{wh} is {{x}} {words}",),
            (f"{which_many(tail)} is {{x}} {words}",),
        )
        backward = Phrasing(
            (f"the {head.word} {words} {{x}}",),
            (f"is {words} {{x}}",),
            (f"{one} is {words} {{x}}",),
            (f"{which_many(head)} are {words} {{x}}",),
        )
        return PhraseGrammar("relational", forward, backward, f"{{h}} is {words} {{t}}")
    forward = Phrasing(
        (f"the {tail.word} that {{x}} is the {noun} of", f"the {tail.word} whose {noun} is {{x}}"),
        (f"has {{x}} as {article_for(noun)} {noun}",),
        (f"{wh} is {{x}} the {noun} of", f"{{x}} is the {noun} of {which(tail)}", f"whose {noun} is {{x}}"),
        (f"{which_many(tail)} is {{x}} the {noun} of", f"{which_many(tail)} have {{x}} as {noun}"),
    )
    return PhraseGrammar("relational", forward, possessed(noun, head), f"{{h}} is the {noun} of {{t}}")


def _verb(tokens: list[str], head: Side, tail: Side) -> PhraseGrammar:
    base = third_person_base(tokens[0]) or tokens[0]
    rest = " ".join(tokens[1:])
    tail_part = f" {rest}" if rest else ""
    verb = " ".join(tokens)
    wh = "who" if head.kind == "person" else which(head)
    forward = Phrasing(
        (f"the {tail.word} that {{x}} {verb}",),
        (),
        (f"what does {{x}} {base}{tail_part}", f"{which(tail)} does {{x}} {base}{tail_part}"),
        (f"{which_many(tail)} does {{x}} {base}{tail_part}", f"what does {{x}} {base}{tail_part}"),
    )
    backward = Phrasing(
        (f"the {head.word} that {verb} {{x}}",),
        (f"{verb} {{x}}",),
        (f"{wh} {verb} {{x}}", f"{which(head)} {verb} {{x}}"),
        (f"{which_many(head)} {base}{tail_part} {{x}}", f"{wh} {verb} {{x}}"),
    )
    return PhraseGrammar("verb", forward, backward, f"{{h}} {verb} {{t}}")


def _noun(words: str, head: Side, tail: Side) -> PhraseGrammar:
    one = "the person" if head.kind == "person" and not head.noun else f"the {head.word}"
    whole, words = words, singular_of(words)
    backward = Phrasing(
        (f"{one} whose {words} is {{x}}", f"{one} with {{x}} as {words}"),
        (f"has {{x}} as {words}",),
        (
            f"whose {words} is {{x}}",
            f"{'who' if head.kind == 'person' else which(head)} has {{x}} as {words}",
            f"{{x}} is the {words} of {which(head)}",
        ),
        (
            f"{which_many(head)} have {{x}} as {words}",
            f"{which_many(head)} have the {words} {{x}}",
            f"of {which_many(head)} is {{x}} the {words}",
        ),
    )
    return PhraseGrammar("noun", possessed(whole, tail), backward, f"the {words} of {{h}} is {{t}}")


def possessed(noun: str, side: Side) -> Phrasing:
    """The entity is the `noun` of {x}."""
    wh = "who" if side.kind == "person" else "what"
    noun = singular_of(noun)
    many = plural_of(noun)
    asks = [f"{wh} is the {noun} of {{x}}", f"{wh} is {{x}}'s {noun}", f"which {noun} does {{x}} have"]
    asks += [f"{{x}} has what {noun}", f"{{x}} {noun}", f"the {noun} of {{x}} is {wh}"]
    if side.kind == "person":
        asks.append(f"who is listed as {noun} of {{x}}")
    if side.kind == "date" and noun.split(" ")[0] in ("date", "year"):
        asks.append(f"when is the {noun} of {{x}}")
    return Phrasing(
        (f"the {noun} of {{x}}", f"{{x}}'s {noun}"),
        (f"is the {noun} of {{x}}",),
        tuple(asks),
        (
            f"{wh} are the {many} of {{x}}",
            f"which {many} does {{x}} have",
            f"list the {many} of {{x}}",
            f"{many} of {{x}}",
            f"{{x}} {many}",
            f"the {many} of {{x}} are {wh}",
        ),
    )
