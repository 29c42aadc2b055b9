"""Superlatives and ordinals: "the second largest", "most recently", "the most cities", "with the lowest price"."""

from __future__ import annotations

import re
from dataclasses import replace

from clew.query.asked import STOPS, Kind, Ranked, ReadQuestion, cut, dating_verb
from clew.query.meanings import TENURE
from clew.query.vocabulary import (
    DOWN,
    HOLDING,
    KNOWN_MEASURES,
    MEASURES,
    MONTHS,
    NUMBERS,
    ORDINALS,
    base_of,
    full_of,
    later_wins,
    stem,
)

_HOW_MANY = r"(?:(?P<k>\d+|two|three|four|five|six|seven|eight|nine|ten) )?"
_ORDER = r"(?:(?P<order>second|third|fourth|fifth|2nd|3rd|4th|5th)[ -](?:to |the )?)?"
_LONG_ADJECTIVES = (
    "populous|populated|expensive|recent|popular|dense|costly|senior|severe|serious|valuable|difficult|powerful"
    "|successful|profitable"
)
_MOST_ADJECTIVE = re.compile(
    rf"\b(?:the )?(?:top )?{_HOW_MANY}{_ORDER}(?P<most>most|least) "
    rf"(?P<adj>densely populated|sparsely populated|{_LONG_ADJECTIVES})\b",
    re.IGNORECASE,
)
_WITH_MOST = re.compile(
    r"\b(?:(?P<verb>\w+(?: (?:through|in|on|by|with|for|to|from|into|over|after|up|out|off|down|back|away))?) )?"
    r"(?:the )?(?<!\bat )"
    rf"{_ORDER}"
    r"(?P<most>most(?! (?:of|common|recent|popul|dens|spars|expens|costl|famous|important|senior|sever|serious|valuab"
    r"|difficult|powerful|success|profitab))|least(?! popul)|fewest|"
    r"greatest number of|largest number of|"
    r"smallest number of|highest number of|lowest number of|maximum number of|minimum number of)(?: number of)? "
    r"(?:other |different |distinct )?(?P<noun>(?:(?:annual|yearly|monthly|weekly|daily|total|registered) )?"
    rf"\w+(?:-\w+)?(?: per \w+| (?!{STOPS})[a-z]+(?=$))?)",
    re.IGNORECASE,
)
_EST = re.compile(
    rf"\b(?:the )?(?:top )?{_HOW_MANY}{_ORDER}(?P<adj>[a-z]+est|best|worst)\b(?!-)(?: {_HOW_MANY.replace('k', 'k2')})?",
    re.IGNORECASE,
)
_LAST = re.compile(
    r"\b(?:the )?(?:(?P<first>first|earliest)"
    r"|(?P<last>last(?! (?:over|under|(?:more|less|longer) than|at least|up to)\b)|final|most recently|most recent"
    r"|latest|newest)|(?P<order>second|third|fourth|fifth)(?= (?:one |person )?to \w))\b"
    r"(?! (?:name|lady|language|names|world|division|person(?! (?:ever )?to\b)|place|time|of all))(?<!\bat first)",
    re.IGNORECASE,
)
_LATELY = re.compile(
    r"\b(?:the )?(?:most recently|latest|newly|last) "
    r"(?P<verb>[a-z]{3,}ed|built|made|bought|sold|born|begun) (?P<noun>[a-z]+)"
    r"(?<!\bin)(?<!\bby)(?<!\bon)(?<!\bat)(?<!\bto)(?<!\bfor)(?<!\bwith)(?<!\bfrom)\b",
    re.IGNORECASE,
)
_ASKS_WHEN = re.compile(
    r"(?:.*\b)?(?:when|since when|(?:what|which|the) (?:exact )?(?:year|date|month|day|time)s?)\b", re.IGNORECASE
)
_FRIEND = re.compile(r" (?:friends?|pals?|mates?|man|men|in show|known)\b", re.IGNORECASE)  # "best friend"
_NOT_SUPERLATIVE = frozenset(
    [
        "west",
        "west.",
        "forest",
        "interest",
        "rest",
        "test",
        "guest",
        "request",
        "contest",
        "honest",
        "modest",
        "east",
        "priest",
        "budapest",
        "everest",
    ]
)


_NOUN = re.compile(
    r" ?(?!(?:by|in|of|on|for|from|to|with|is|are|was|were|that|who)\b)(\w+)"
    r"(?: (?!(?:in|of|on|at|by|per|for|from|with|still|ever|we|has|have|had)\b)(\w+))?"
)
_BY = re.compile(
    r",? (?:by|in terms of|(?:as )?measured by|judging by|judged by|going by|based on|according to|in) "
    r"(?:its |their |the )?(?:(?:number|amount|count) of )?"
    r"(?P<key>\w+(?: \w+)?)$",
    re.IGNORECASE,
)
_PER = re.compile(
    r" (?:per|an?) (?P<key>hour|night|day|week|month|year|minute|person|head|unit|km|kilo)$", re.IGNORECASE
)


OFTEN = "times"  # what is counted where a question says no more than "the most"
_OFTEN = re.compile(
    r"\b(?:the )?(?:most|(?P<least>least|fewest))"
    r"(?: (?:often|frequently|commonly|common|frequent|times|number of times))"
    r"|\b(?:the )?(?:most|(?P<fewest>least))(?= (?:on|in) (?:this|the) (?:chart|list|table)$|$)",
    re.IGNORECASE,
)
_SERVING = re.compile(  # "the longest serving ranger", "the shortest-standing member"
    r"\b(?:the )?(?:longest|(?P<short>shortest))[ -]"
    r"(?:serving|standing|running(?! times?\b)|established|employed|tenured|playing)\b",
    re.IGNORECASE,
)
_SINCE = re.compile(  # "who has been a member for the longest time", "who has worked here the longest"
    r"(?:\bfor |(?<!\bis )(?<!\bare ))the (?:longest|(?P<short>shortest))(?: time)?$", re.IGNORECASE
)
_PERFECT = re.compile(r"\b(?:has|have|had) (?:been|\w+ed|had|held)\b(?: (?P<where>[a-z ]+))?$", re.IGNORECASE)
_PERFECT_ANY = re.compile(r"\b(?:has|have|had) (?:been|\w+ed|had|held)\b", re.IGNORECASE)
_SMALL = frozenset(
    ["a", "an", "the", "at", "in", "on", "of", "for", "with", "by", "to", "from", "here", "there", "our"]
)
_HAVING = ("with", "has", "have", "having", "had", "got", "by", "of", "which", "who", "what", "is", "are", "in")
_WITH_EST = re.compile(  # "with the lowest population density", "has the largest city", "covers the largest area"
    rf"\b(?:(?!(?:is|are|was|were|which|what|whose|the|of|in|for|by|and)\b)[a-z]+"
    rf"(?= (?:the )?[a-z]+est (?:{'|'.join(sorted(KNOWN_MEASURES))})\b)"
    r"|with|has|have|having|had|charg(?:es?|ing|ed)|gets?|got|earn(?:s|ed)?|pa(?:ys?|id)|receive[sd]?|scored?"
    r"|(?:bought|sold|acquired|purchased|built|made|valued|listed|let|rented|insured|auctioned|hired) (?:for|at)"
    r"|commands?(?= (?:the )?[a-z]+est (?:price|fee|rent|salary|pay|wage|rate|premium))"
    r"|offer(?:s|ed)?|demand(?:s|ed)?|report(?:s|ed)?|achieve[sd]?|post(?:s|ed)|reach(?:es|ed)) "
    rf"(?:the )?{_ORDER}(?P<adj>[a-z]+est) (?P<noun>\w+(?: (?!{STOPS})\w+){{0,2}})",
    re.IGNORECASE,
)


_PAID = re.compile(r"(?P<verb>[a-z]+) (?:for|at) ", re.IGNORECASE)  # "insured for the highest sum"
_HOLDING_A = re.compile(r" (?:has|have|had|holds?|held) (?:an?|the) (?P<what>(?:\w+ )?)$", re.IGNORECASE)
_NO_VERB = re.compile(r"\w+ (?=(?:with|of|on|in|by) )", re.IGNORECASE)
_ASKS_FOR = re.compile(
    r"\W*(?:(?:which|what|whose|who|is|was|are|were|name|list|find|give|show|tell|get|need|want|me|us|i|the|an?|one"
    r"|single|'s)\W+)*",
    re.IGNORECASE,
)


def superlative(found: ReadQuestion) -> ReadQuestion:
    """A superlative, with the measure that is stated beside it: "the biggest country by area"."""
    made = _several(_superlative_itself(found))
    if made.ranked is not None and made.removed:  # whatever is found is shown by its name
        made = replace(made, rest=re.sub(r"^(?:the )?names? of (?:the )?(?=[a-z])", "", made.rest, flags=re.IGNORECASE))
    if made.ranked is None or made.sides is not None:
        return made
    match = _PER.search(made.rest)
    if match is not None:  # "the cheapest lawyer per hour"
        return replace(cut(made, match), ranked=replace(made.ranked, words=(*made.ranked.words, match["key"].lower())))
    match = _BY.search(made.rest)
    said = match["key"].lower() if match else ""
    loosely = match is not None and match.group(0).startswith(" in ") and " in terms of " not in match.group(0)
    if match is None or (loosely and said not in KNOWN_MEASURES) or said in ("far", "the"):
        return made
    if not match["key"].islower() or (" " in said and not KNOWN_MEASURES & set(said.split())):
        return made  # "the newest film by Ridley Scott"
    ranked = replace(made.ranked, words=(said, *made.ranked.words))
    if re.search(r" (?:number|amount|count) of ", match.group(0)):
        ranked = replace(made.ranked, words=(said,), noun=said, base="")  # "the most popular by number of visits"
    return replace(cut(made, match), ranked=ranked)


_SEVERAL = re.compile(
    r"^(?P<asks>which|what|who|name|list|give(?: me)?|show(?: me)?|find)(?: are| were)?(?: the)? "
    r"(?P<k>\d{1,2}|two|three|four|five|six|seven|eight|nine|ten) (?!\w+(?:st|nd|rd|th)\b)(?=\w)",
    re.IGNORECASE,
)
_TOP = re.compile(
    rf"\b(?:the )?(?P<end>top|bottom) {_HOW_MANY}(?P<noun>\w+)(?P<between>.*?) by (?:the )?(?P<key>\w+(?: \w+)?)$",
    re.IGNORECASE,
)


def _several(made: ReadQuestion) -> ReadQuestion:
    """How many are asked for, said apart from the superlative: "which three clubs have the most points"."""
    match = _SEVERAL.match(made.rest)
    if match is None or made.ranked is None or made.ranked.k > 1 or made.ranked.skip or made.count:
        return made
    return replace(cut(made, match, match["asks"]), ranked=replace(made.ranked, k=_k(match)))


_IEST = re.compile(r"(?!priest)[a-z]{3,}iest")  # "the saltiest cheese": whichever has the most salt


def _superlative_itself(found: ReadQuestion) -> ReadQuestion:
    if found.sides is not None or found.summary:
        return found
    kind: Kind = "superlative" if found.kind == "plain" else found.kind
    match = _TOP.search(found.rest)
    if match is not None:  # "the top five players by goals"
        key = match["key"].lower()
        top = Ranked((key, *key.split()[:1]), match["end"].lower() == "top", _k(match))
        put = f"{match['noun']}{match['between']}"
        return cut(found, match, put, kind=kind, ranked=top)
    match = _SINCE.search(found.rest)
    perfect = _PERFECT.search(found.rest[: match.start()].strip()) if match is not None else None
    if match is not None and (perfect or _PERFECT_ANY.search(found.rest)):  # who came first
        verbs = dating_verb(found.rest[: match.start()])
        where = tuple(word for word in (perfect["where"] or "").split() if word not in _SMALL) if perfect else ()
        words = (*verbs, *where, "since", "start", "from", "date", "year")
        return cut(found, match, kind=kind, ranked=Ranked(words, match["short"] is None, base=TENURE))
    match = _SERVING.search(found.rest)
    if match is not None:
        words = ("since", "start", "from", "tenure", "service", "date", "year")
        return cut(found, match, kind=kind, ranked=Ranked(words, match["short"] is None, base=TENURE))
    match = _OFTEN.search(found.rest)
    if match is not None:
        ranked = Ranked((OFTEN,), match["least"] is None and match["fewest"] is None, noun=OFTEN)
        often = cut(found, match, "", kind=kind, ranked=ranked)
        last = often.rest.rsplit(" ", 1)[-1].lower()
        if match.group(0).split()[-1].lower() in ("most", "least") and last.isalpha() and len(often.rest.split()) > 1:
            ranked = replace(ranked, words=(last,), noun=last)  # "who earns the most"
            often = replace(often, ranked=ranked, dated=(*found.dated, last))
        return often
    match = _WITH_MOST.search(found.rest)
    if match is not None and _ASKS_FOR.fullmatch(found.rest[: match.start()]):
        behind = _NO_VERB.match(found.rest, match.start())
        if behind is not None:  # "the club with the most rooms": a noun is no verb
            match = _WITH_MOST.search(found.rest, behind.end())
    if match is not None:
        largest = re.match(r"most|great|large|high|max", match["most"], re.IGNORECASE) is not None
        noun, verb = match["noun"].lower().removeprefix("on "), (match["verb"] or "").lower()
        words = (noun, verb) if stem(verb) in HOLDING else (noun,)  # "holds the most people": a capacity
        ranked = Ranked(words, largest, 1, _skip(match), noun=noun, verb="" if verb in _HAVING else verb)
        without = cut(found, match, "", kind="ordinal" if ranked.skip else kind, ranked=ranked)
        held = _HOLDING_A.search(found.rest[: match.start()]) if ranked.verb else None
        if held is None:
            return without
        ranked = replace(ranked, verb=f"{held['what']}{ranked.verb}")  # "has an ownership interest in the most ships"
        return replace(
            without, rest=f"{held.string[: held.start()]} {found.rest[match.end() :]}".strip(), ranked=ranked
        )
    match = _WITH_EST.search(found.rest)
    if match is not None and (base := base_of(match["adj"])):
        noun = match["noun"].lower()
        paid = _PAID.match(match.group(0))
        words = (f"{match['adj'].lower()} {noun}", *((paid["verb"].lower(),) if paid else ()), *MEASURES[base])
        ranked = Ranked(words, base not in DOWN, 1, _skip(match), noun)
        return cut(found, match, "", kind="ordinal" if ranked.skip else kind, ranked=ranked)
    match = _MOST_ADJECTIVE.search(found.rest)
    if match is not None:
        adjective = match["adj"].lower()
        measures = ("density",) if adjective.startswith(("densely", "sparsely")) else MEASURES[adjective.split()[-1]]
        largest = (match["most"].lower() == "most") != adjective.startswith("sparsely")
        dated = later_wins(adjective)
        base = adjective.split()[-1]
        made = Ranked(measures, largest, _k(match), _skip(match), date=dated is not None, base=base)
        return cut(found, match, "", kind="ordinal" if made.skip else kind, ranked=made)
    for match in _EST.finditer(found.rest):
        base, adjective = base_of(match["adj"]), match["adj"].lower()
        if not base and _IEST.fullmatch(adjective) and not _in_name(found.rest, match):
            said = _noun_behind(found.rest, match)
            full = Ranked(full_of(adjective), True, _k(match), _skip(match), noun=said)
            return cut(found, match, "", kind="ordinal" if full.skip else kind, ranked=full)
        if not base or match["adj"].lower() in _NOT_SUPERLATIVE or _in_name(found.rest, match):
            continue
        if match["adj"].lower() in ("latest", "newest", "earliest") and _TO.match(found.rest[match.end() :]):
            break  # "the latest satellite to be launched"
        if match["adj"].lower() == "best" and _FRIEND.match(found.rest, match.end("adj")):
            continue
        dated = later_wins(base) if base not in ("old", "young") else None
        largest = dated if dated is not None else base not in DOWN
        noun = _noun_behind(found.rest, match)
        made = Ranked(MEASURES[base], largest, _k(match), _skip(match), noun, date=dated is not None, base=base)
        return cut(found, match, "", kind="ordinal" if made.skip else kind, ranked=made)
    match = _LATELY.search(found.rest)
    if match is not None and found.kind == "plain":  # "who chairs the most recently created committee"
        verb, noun = match["verb"].lower(), match["noun"]
        made = Ranked((verb, "date", "year", "time"), True, date=True)
        return cut(found, match, noun, kind="superlative", ranked=made)
    match = _LAST.search(found.rest)
    if match is not None and (_in_name(found.rest, match) or _adverb(found.rest, match)):
        return found
    if match is not None and found.kind == "plain":
        verbs = dating_verb(found.rest[: match.start()])
        doing = _TO.match(found.rest[match.end() :])
        if doing is not None:  # "the first to get certified on it", "last to join"
            verbs = (doing["verb"].lower(),)
        made = Ranked((*verbs, "date", "year", "time"), bool(match["last"]), 1, _skip(match), date=True)
        kind = "ordinal" if made.skip else "superlative"
        without = cut(found, match, "", kind=kind, ranked=made)
        if doing is None or not doing["more"]:
            without = replace(without, dated=(*found.dated, *verbs))
        return replace(without, rest=_TO_DO.sub(_who_did, without.rest)) if doing else without
    return found


_TO = re.compile(
    r" (?:(?:one|person|people|ever) |(?!to\b)[a-z]+ )??(?:ever )?to (?:(?:be|get|have|been|become|ever) )*"
    r"(?P<verb>[a-z]+(?: (?:up|out|off|down))?)\b(?P<more> [a-z]+)?",
    re.IGNORECASE,
)
_TO_DO = re.compile(
    r"^(?P<who>(?:who|which|what)(?: (?!is|was|are|were)[a-z]+)?)(?: (?:is|was|are|were))?"
    r"(?: (?:one|person|people)| (?!to\b)(?P<noun>[a-z]+))?(?: ever)? to (?:(?:be|get|have|been|ever) )*",
    re.IGNORECASE,
)


def _noun_behind(text: str, match: re.Match[str]) -> str:
    """The one or two words behind a match that may name a kind of thing."""
    noun = _NOUN.match(text[match.end() :])
    return " ".join(word for word in (noun.groups() if noun else ()) if word).lower()


def _who_did(match: re.Match[str]) -> str:
    return f"which {match['noun']} " if match["noun"] else f"{match['who']} "


def _in_name(text: str, match: re.Match[str]) -> bool:
    """Whether a word is part of a name: "First Harbour Bank"."""
    word = match.group(0).strip()
    return match.start() > 0 and word[:1].isupper() and text[match.end() :].strip()[:1].isupper()


_DATED_VERB = re.compile(
    r" [a-z]+(?:ed|en|wn|ung|ught|ilt|elt|eft|ept|ade|eld|old|eard|aid|ent|ead|ound|one) "
    r"(?:in|on|before|after|since|until|by|between|during) "
    rf"(?:(?:the|early|late|mid|\d{{1,2}}(?:st|nd|rd|th)?)[ -])*(?:\d{{4}}s?|century|{'|'.join(MONTHS)})\b",
    re.IGNORECASE,
)


_DOES = re.compile(r"\b(?:do|does|did|will|can|must)\b", re.IGNORECASE)
_LASTED = re.compile(r"\s*(?:[?.!]*$|(?:in|on|at|during) (?:which|whom)\b|(?:that|when|where|for) )", re.IGNORECASE)


def _adverb(text: str, match: re.Match[str]) -> bool:
    """Whether "first" only says when something happened: "what year did Peru first win", "first climbed in 1960"."""
    if match["last"] == "last" and _LASTED.match(text[match.end() :]) and _DOES.search(text[: match.start()]):
        return True  # "how long does it last", "how many minutes did the call last in which …"
    if match["first"] is None or match.group(0).lower().startswith("the"):
        return False
    return _DATED_VERB.match(text[match.end() :]) is not None or _ASKS_WHEN.match(text[: match.start()]) is not None


def _k(match: re.Match[str]) -> int:
    groups = match.groupdict()
    stated = groups.get("k") or groups.get("k2")
    return max(1, int(stated) if stated and stated.isdigit() else NUMBERS.get((stated or "one").lower(), 1))


def _skip(match: re.Match[str]) -> int:
    return ORDINALS.get((match["order"] or "").lower(), 0)
