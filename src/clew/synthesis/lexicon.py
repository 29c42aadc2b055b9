"""How people speak of relations that many graphs have: "how did she die" asks for a cause of death.

Kept apart from the grammar, which knows every relation name and no meaning. Here is the reverse: a few dozen meanings,
recognised by the relation's words, with other nouns for them, verbs, whole questions and predicates. General English,
of no data set; a graph whose relations have other names loses nothing. `extended` adds them to a relation's grammar.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from clew.synthesis.phrases import PhraseGrammar, Phrasing, Side, possessed, which, which_many
from clew.synthesis.verbs import article_for, plural_of, third_person_of


@dataclass(frozen=True, slots=True)
class Verb:
    """What an entity at the tail did with the head: `starred in` a film, `wrote` a book."""

    base: str
    past: str
    participle: str = ""  # without a preposition; empty where there is no passive
    preposition: str = ""

    def active(self, form: str) -> str:
        return f"{form} {self.preposition}".rstrip()


@dataclass(frozen=True, slots=True)
class Meaning:
    """One meaning. `{x}` is the known end; `{head}` in `asks` the noun for entities at the head."""

    words: str  # the relation's words as a regular expression
    nouns: tuple[str, ...] = ()  # the tail is the NOUN of the head
    verbs: tuple[Verb, ...] = ()
    asks: tuple[str, ...] = ()  # questions for the tail
    tells: tuple[str, ...] = ()  # predicates of the head, in the past tense or with is, was, has
    converse: tuple[str, ...] = ()  # the head is the NOUN of the tail
    shows: tuple[str, ...] = ()  # predicates of the tail, in the same form
    heads: str = ""  # the noun for entities at the head, where the meaning gives it away


def _verb(base: str, past: str, participle: str = "", preposition: str = "") -> Verb:
    return Verb(base, past, participle, preposition)


MEANINGS = (
    Meaning(
        "spouses?|married to|partners?|husband|wife",
        ("spouse", "husband", "wife", "partner", "other half", "better half", "significant other"),
        asks=("who is {x} married to", "who did {x} marry"),
        tells=("is married to {x}", "married {x}"),
        converse=("spouse", "husband", "wife", "partner"),
        heads="person",
    ),
    Meaning(
        "child|children|sons?|daughters?",
        ("child", "son", "daughter", "kid", "offspring"),
        converse=("parent", "father", "mother", "mom", "dad"),
        heads="person",
    ),
    Meaning(
        "parents?|father|mother",
        ("parent", "father", "mother", "mom", "dad"),
        converse=("child", "son", "daughter", "kid", "offspring"),
        heads="person",
    ),
    Meaning(
        "siblings?|brothers?|sisters?", ("sibling", "brother", "sister"), converse=("sibling", "brother", "sister")
    ),
    Meaning(
        "gender|sex|sex or gender",
        ("gender", "sex"),
        asks=("is {x} male or female", "is {x} a man or a woman", "what sex is {x}"),
    ),
    Meaning(
        "nationality|citizenship|country of citizenship",
        ("nationality", "nation", "country", "citizenship", "country of origin"),
        asks=(
            "what country is {x} from",
            "what nationality is {x}",
            "which country is {x} a citizen of",
            "where is {x} from",
            "where does {x} come from",
        ),
        tells=("is a citizen of {x}", "is from {x}"),
    ),
    Meaning("ethnicity|ethnic group", ("ethnicity", "race", "ethnic group"), asks=("what race is {x}",)),
    Meaning(
        "religion|religious affiliation",
        ("religion", "faith", "belief", "religious belief"),
        asks=("what religion does {x} practice", "what faith does {x} follow", "what does {x} believe in"),
    ),
    Meaning(
        "professions?|occupations?|jobs?",
        ("profession", "job", "occupation", "career", "line of work"),
        asks=("what does {x} do", "what does {x} do for a living", "what did {x} do for work", "what is {x} known as"),
        tells=("worked as {x}",),
        heads="person",
    ),
    Meaning(
        "cause of death|manner of death|died of",
        ("cause of death", "reason of death", "cause of the death", "reason for the death"),
        asks=(
            "how did {x} die",
            "why did {x} die",
            "what did {x} die of",
            "what caused the death of {x}",
            "what killed {x}",
            "how {x} died",
            "why {x} died",
        ),
        tells=("died of {x}", "died from {x}"),
        heads="person",
    ),
    Meaning(
        "place of birth|birth ?place|born in",
        ("place of birth", "birthplace", "hometown", "birth place"),
        asks=("where was {x} born", "in what city was {x} born", "where does {x} come from", "where is {x} from"),
        tells=("was born in {x}",),
        heads="person",
    ),
    Meaning(
        "place of death|death ?place|died in",
        ("place of death", "death place"),
        asks=("where did {x} die", "in what place did {x} die"),
        tells=("died in {x}",),
        heads="person",
    ),
    Meaning("date of birth|birth ?date|born on", ("birthday", "birth date"), asks=("when was {x} born",)),
    Meaning("date of death|death ?date|died on", ("death date",), asks=("when did {x} die",)),
    Meaning(
        "institutions?|educat\\w+(?: \\w+)?|alma mater|schools?|universit\\w+|college",
        ("school", "university", "college", "alma mater", "educational institution"),
        asks=(
            "where did {x} study",
            "where did {x} go to school",
            "which school did {x} attend",
            "where was {x} educated",
        ),
        tells=("studied at {x}", "attended {x}", "graduated from {x}"),
    ),
    Meaning(
        "location|located in|residence|places? lived|lives in|address",
        ("location", "address", "home", "residence"),
        asks=("where does {x} live", "where did {x} live", "where is {x}", "where is {x} located"),
        tells=("lived in {x}", "is located in {x}"),
    ),
    Meaning(
        "(?:starred |starring )?(?:actors?|actress\\w*|cast|stars?)|starring|starred",
        ("actor", "star", "cast member"),
        (
            _verb("star", "starred", "starred", "in"),
            _verb("act", "acted", "acted", "in"),
            _verb("appear", "appeared", "", "in"),
            _verb("play", "played", "", "in"),
        ),
        asks=("who is in {x}", "who stars in {x}", "who acts in {x}", "who are the actors in {x}"),
        tells=("featured {x}", "starred {x}"),
        heads="film",
    ),
    Meaning(
        "direct\\w+(?: by)?|film director", ("director",), (_verb("direct", "directed", "directed"),), heads="film"
    ),
    Meaning(
        "written by|writers?|screenwriters?|screenplay(?: by)?|story by",
        ("writer", "author", "screenwriter"),
        (_verb("write", "wrote", "written"),),
    ),
    Meaning("authors?|authored by", ("author", "writer"), (_verb("write", "wrote", "written"),)),
    Meaning("produc\\w+(?: by)?", ("producer",), (_verb("produce", "produced", "produced"),)),
    Meaning("compos\\w+(?: by)?|music(?: by)?", ("composer",), (_verb("compose", "composed", "composed"),)),
    Meaning("invent\\w+(?: by)?", ("inventor",), (_verb("invent", "invented", "invented"),)),
    Meaning("discover\\w+(?: by)?", ("discoverer",), (_verb("discover", "discovered", "discovered"),)),
    Meaning(
        "found(?:ers?|ed by)",
        ("founder",),
        (
            _verb("found", "founded", "founded"),
            _verb("start", "started", "started"),
            _verb("create", "created", "created"),
        ),
    ),
    Meaning(
        "(?:has )?genres?",
        ("genre", "type", "kind", "style"),
        asks=(
            "what kind of {head} is {x}",
            "what type of {head} is {x}",
            "what genre is {x}",
            "what genre does {x} fall under",
            "what sort of {head} is {x}",
            "{x} is in which genre",
            "{x} falls under which genre",
        ),
    ),
    Meaning(
        "(?:in |official |spoken )?languages?(?: spoken)?",
        ("language", "main language", "primary language", "spoken language"),
        asks=(
            "what language is {x} in",
            "what language is spoken in {x}",
            "what do people speak in {x}",
            "which languages do people speak in {x}",
            "what language is used in {x}",
            "what is the language spoken in {x}",
            "{x} is in which language",
        ),
        tells=("is in {x}", "speaks {x}"),
        shows=("is spoken in {x}", "is heard in {x}"),
    ),
    Meaning(
        "release (?:year|date)|year of release|released(?: in| on)?",
        ("release year", "release date", "year of release"),
        asks=(
            "when was {x} released",
            "what year was {x} released",
            "when did {x} come out",
            "in what year was {x} released",
            "what is the year of {x}",
            "{x} was released in which year",
            "{x} came out when",
        ),
        tells=("was released in {x}", "came out in {x}"),
    ),
    Meaning(
        "(?:has )?(?:tags?|keywords?|topics?|subjects?|themes?)",
        ("tag", "topic", "theme", "keyword", "subject"),
        asks=(
            "what is {x} about",
            "what words describe {x}",
            "what terms apply to {x}",
            "describe {x}",
            "describe {x} in a few words",
            "what topics is {x} about",
            "how would people describe {x}",
            "what can describe {x}",
        ),
        tells=("is about {x}", "is described by {x}", "was tagged with {x}"),
    ),
    Meaning(
        "(?:has )?(?:\\w+ )?ratings?",
        ("rating",),
        asks=("how is {x} rated", "how good is {x}", "what is {x} rated"),
    ),
    Meaning(
        "(?:has )?(?:\\w+ )?votes",
        ("number of votes", "popularity"),
        asks=("how many votes did {x} get", "how popular is {x}", "how many people rated {x}", "how famous is {x}"),
    ),
    Meaning(
        "capital|capital city",
        ("capital city", "capital"),
        asks=("what city is the capital of {x}", "which town is the capital in {x}", "from where is {x} governed"),
        tells=("is governed from {x}", "has {x} as its capital"),
        shows=("is the capital of {x}", "serves as the capital of {x}"),
    ),
    Meaning(
        "population|inhabitants",
        ("number of inhabitants", "number of people", "population size"),
        asks=(
            "how many people live in {x}",
            "how many inhabitants does {x} have",
            "how populous is {x}",
            "{x} has how many inhabitants",
        ),
    ),
    Meaning(
        "(?:land |surface |total )?area(?: in .*)?",
        ("size", "surface", "area", "surface area"),
        asks=(
            "how big is {x}",
            "how large is {x}",
            "how many square kilometers does {x} cover",
            "{x} covers how much land",
        ),
    ),
    Meaning("elevation|height", ("height",), asks=("how high is {x}", "how tall is {x}")),
    Meaning("length", asks=("how long is {x}",)),
    Meaning(
        "currenc\\w+(?: used)?",
        ("currency", "money", "local money"),
        asks=(
            "what money is used in {x}",
            "what do people pay with in {x}",
            "what currency do people use in {x}",
            "which money circulates in {x}",
        ),
        tells=("uses {x}", "pays with {x}", "pays in {x}"),
        shows=("is used in {x}", "circulates in {x}", "is legal tender in {x}"),
    ),
    Meaning(
        "continent",
        ("continent", "part of the world"),
        asks=(
            "on which continent is {x}",
            "what continent is {x} on",
            "which continent does {x} lie in",
            "in which part of the world is {x}",
        ),
        tells=("is in {x}", "lies in {x}", "is on the continent {x}"),
        shows=("contains {x}",),
    ),
    Meaning(
        "(?:located in |in )?country",
        ("country",),
        asks=(
            "in which country is {x}",
            "what country is {x} in",
            "where is {x}",
            "which country does {x} belong to",
            "where would I find {x}",
        ),
        tells=("is in {x}", "lies in {x}", "is within {x}", "belongs to {x}"),
        converse=("city", "town", "place"),
        shows=("contains {x}",),
    ),
    Meaning(
        "time ?zone",
        ("time zone", "timezone"),
        asks=("what time zone is {x} in", "which time zone applies in {x}"),
        tells=("is in {x}",),
    ),
    Meaning(
        "(?:country )?(?:calling|dialling|dialing|phone|telephone|area) codes?",
        ("calling code", "dialing code", "phone code", "telephone code", "country code"),
        asks=("what do I dial to call {x}", "how do I call {x}", "to call {x} I dial what"),
    ),
    Meaning("iso codes?|iso \\w+ codes?", ("ISO code", "ISO abbreviation", "abbreviation", "code")),
    Meaning("(?:internet |web |top level )?domain", ("internet domain", "web domain", "domain", "internet ending")),
    Meaning(
        "borders?|shares borders? with|bordering countries|neighbou?rs?|adjacent to",
        ("neighbor", "neighbour", "bordering country", "neighboring country", "neighbouring country"),
        asks=(
            "which countries border {x}",
            "what is next to {x}",
            "which countries share a border with {x}",
            "{x} is bordered by whom",
            "who has a common border with {x}",
        ),
        tells=(
            "is next to {x}",
            "is adjacent to {x}",
            "borders {x}",
            "shares a border with {x}",
            "has a common border with {x}",
        ),
        converse=("neighbor", "neighbour", "neighboring country"),
    ),
    Meaning(
        "leaders?|head of state|head of government|president|prime minister|governor|mayor|monarch|king",
        ("leader",),
        asks=("who leads {x}", "who governs {x}", "who runs {x}"),
    ),
    Meaning("inception|founded|date founded|established|foundation", asks=("when was {x} founded", "how old is {x}")),
    Meaning("employers?|works for|company", ("employer",), asks=("who does {x} work for", "where does {x} work")),
    Meaning("teams?|member of sports team", ("team", "club"), asks=("what team does {x} play for",)),
    Meaning(
        "awards?(?: won| received)?",
        ("award", "prize"),
        asks=("what awards did {x} win", "which prizes did {x} receive", "what did {x} win"),
        tells=("won {x}", "received {x}"),
    ),
)
_COMPILED = tuple((re.compile(meaning.words), meaning) for meaning in MEANINGS)

SAME = {
    "film": ("movie",),
    "films": ("movies",),
    "country": ("nation", "state"),
    "countries": ("nations", "states"),
}
"""Nouns that people use for each other."""


def meaning_of(words: str) -> Meaning | None:
    """The meaning of a relation's words, as `words_of` gives them; None where it is not known."""
    return next((meaning for pattern, meaning in _COMPILED if pattern.fullmatch(words)), None)


def extended(grammar: PhraseGrammar, meaning: Meaning, head: Side, tail: Side) -> PhraseGrammar:
    """The grammar of a relation with all that its meaning adds."""
    forward, backward = [grammar.forward], [grammar.backward]
    forward += [possessed(noun, tail) for noun in meaning.nouns]
    backward += [possessed(noun, head) for noun in meaning.converse]
    backward += [_turned_round(noun, head) for noun in meaning.nouns]
    for verb in meaning.verbs:
        forward.append(_did(verb, tail))
        backward.append(_done(verb, head))
    asks = tuple(ask.replace("{head}", head.word) for ask in meaning.asks)
    wh = "who" if tail.kind == "person" else which(tail)
    wanted = (wh, *(f"which {noun}" for one in meaning.nouns[:2] for noun in (one, plural_of(one))))
    left = tuple(f"{{x}} {tell.replace('{x}', each)}" for tell in meaning.tells for each in wanted)
    forward.append(Phrasing((), (), (*asks, *left), (*asks, *left)))
    if meaning.tells:
        backward.append(_told(meaning.tells, head))
    if meaning.shows:
        named = tail.noun or ("" if tail.kind == "person" else next(iter(meaning.nouns), ""))
        forward.append(_told(meaning.shows, replace(tail, noun=named)))
    return replace(grammar, forward=_joined(forward), backward=_joined(backward))


def _turned_round(noun: str, head: Side) -> Phrasing:
    """{x} is the `noun` of the entity."""
    wh, many = which(head), which_many(head)
    return Phrasing(
        (),
        (),
        (f"{{x}} is the {noun} of {wh}", f"what is {{x}} the {noun} of", f"what was {{x}} the {noun} of"),
        (f"{{x}} is the {noun} of {many}", f"{many} is {{x}} the {noun} of", f"{{x}} was the {noun} of {many}"),
    )


def _did(verb: Verb, tail: Side) -> Phrasing:
    said, says = verb.active(verb.past), verb.active(third_person_of(verb.base))
    wh = "who" if tail.kind == "person" else which(tail)
    one = "the person who" if tail.kind == "person" else f"the {tail.word} that"
    turned = (f"{{x}} was {verb.participle} by {wh}",) if verb.participle else ()
    return Phrasing(
        (f"{one} {said} {{x}}",),
        (f"{said} {{x}}",),
        (f"{wh} {said} {{x}}", f"{wh} {says} {{x}}", f"which {tail.word} {said} {{x}}", *turned),
        (f"which {plural_of(tail.word)} {said} {{x}}", f"{wh} {said} {{x}}", *turned),
    )


def _done(verb: Verb, head: Side) -> Phrasing:
    said, says, ask = (verb.active(form) for form in (verb.past, third_person_of(verb.base), verb.base))
    many = plural_of(head.word)
    names = [f"the {head.word} {{x}} {said}", f"the {head.word} that {{x}} {said}", f"the {many} {{x}} {said}"]
    asks = [f"what did {{x}} {ask}", f"{which(head)} did {{x}} {ask}", f"{{x}} {said} {which(head)}"]
    asks_many = [f"what did {{x}} {ask}", f"{which_many(head)} did {{x}} {ask}", f"{{x}} {said} {which_many(head)}"]
    asks += [f"what does {{x}} {ask}", f"{{x}} {says} {which(head)}"]
    asks_many += [f"what does {{x}} {ask}", f"{{x}} {says} {which_many(head)}"]
    clauses = []
    if verb.participle:
        by = f"{verb.participle} by {{x}}"
        names += [f"the {head.word} {by}", f"the {many} {by}"]
        clauses.append(f"was {by}")
        asks.append(f"{which(head)} was {by}")
        asks_many += [f"{which_many(head)} were {by}", f"what are the {many} {by}", f"{many} {by}"]
        if not verb.preposition:
            names.append(f"{{x}} {verb.participle} {many}")
    return Phrasing(tuple(names), tuple(clauses), tuple(asks), tuple(asks_many))


def _told(tells: tuple[str, ...], head: Side) -> Phrasing:
    wh, relative = ("who", "who") if head.kind == "person" else (which(head), "that")
    many = plural_of(head.word)
    plural = [_plural_verb(tell) for tell in tells]
    short = [reduced for tell in tells if (reduced := _reduced(tell))]
    return Phrasing(
        tuple(f"the {head.word} {relative} {tell}" for tell in tells)
        + tuple(f"the {many} {relative} {tell}" for tell in plural)
        + tuple(f"{noun} {tell}" for tell in short for noun in (f"the {head.word}", f"the {many}", many)),
        tells,
        tuple(f"{wh} {tell}" for tell in tells),
        tuple(f"{which_many(head)} {tell}" for tell in plural) + tuple(f"{wh} {tell}" for tell in tells),
    )


_PLURAL = {"was": "were", "is": "are", "has": "have"}


def _plural_verb(tell: str) -> str:
    """`is in {x}` → `are in {x}`, `speaks {x}` → `speak {x}`; past tenses have one form."""
    verb, space, rest = tell.partition(" ")
    if verb in _PLURAL:
        return _PLURAL[verb] + space + rest
    return (verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb) + space + rest


def _reduced(tell: str) -> str:
    """`is in {x}` → `in {x}`, `speaks {x}` → `speaking {x}`; nothing for a past tense."""
    verb, space, rest = tell.partition(" ")
    if verb in ("is", "was"):
        return "" if rest.startswith("the ") else rest
    if not verb.endswith("s") or verb.endswith("ss"):
        return ""
    base = {"has": "have", "lies": "ly"}.get(verb, verb[:-1])
    return (base[:-1] if base.endswith("e") else base) + "ing" + space + rest


def _joined(phrasings: list[Phrasing]) -> Phrasing:
    def every(name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each for phrasing in phrasings for each in getattr(phrasing, name)))

    return Phrasing(every("noun_phrases"), every("clauses"), every("asks"), every("asks_many"))


def shared(relation_noun: str, verb: Verb | None, head: Side, tail: Side, *, forward: bool) -> tuple[str, ...]:
    """Questions for a step and the same step back: films with the director of {x}, people in a film with {x}.

    Args:
        forward: {x} stands at the head, and other heads with the same tail are asked for.
    """
    one, many = head.word, plural_of(head.word)
    if forward:
        asks = [
            f"which {many} have the same {relation_noun} as {{x}}",
            f"which {many} share {article_for(relation_noun)} {relation_noun} with {{x}}",
            f"which {many} share the {relation_noun} with {{x}}",
            f"which {many} have the same {relation_noun} of {{x}}",
            f"what {many} share the {relation_noun} of {{x}}",
            f"{many} with the same {relation_noun} as {{x}}",
            f"what are the {many} that have the same {relation_noun} as {{x}}",
            f"the {relation_noun} of {{x}} is also the {relation_noun} of which {many}",
        ]
        if verb:
            said, ask = verb.active(verb.past), verb.active(verb.base)
            if verb.participle:
                asks.append(f"which {many} are {verb.participle} by the same {relation_noun} as {{x}}")
            asks += [
                f"the {relation_noun} of {{x}} also {said} which {many}",
                f"which {many} did the {relation_noun} of {{x}} {ask}",
                f"what other {many} did the {relation_noun} of {{x}} {ask}",
                f"the {many} {said} by the {relation_noun} of {{x}}"
                if not verb.preposition and verb.participle == said
                else f"the {many} that the {relation_noun} of {{x}} {said}",
            ]
        return tuple(asks)
    nouns = plural_of(relation_noun)
    asks = [
        f"{'who' if tail.kind == 'person' else 'what'} shares {article_for(one)} {one} with {{x}}",
        f"which {nouns} have the same {one} as {{x}}",
        f"the co-{nouns} of {{x}}",
        f"who are the co-{nouns} of {{x}}" if tail.kind == "person" else f"what are the co-{nouns} of {{x}}",
        f"{{x}} is {relation_noun} together with whom" if tail.kind == "person" else "what goes together with {x}",
    ]
    if verb:
        said = verb.active(verb.past)
        asks += [
            f"who {said} {many} together with {{x}}",
            f"who {verb.past} together with {{x}}",
            f"who {said} the same {one} as {{x}}",
            f"who {said} the same {one} with {{x}}",
            f"{{x}} {said} the same {one} with whom",
            f"{{x}} {said} {many} with whom",
            f"who co-{said} {many} with {{x}}",
        ]
    return tuple(asks)
