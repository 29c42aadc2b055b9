"""Two things against each other: "which is longer, A or B", "was A born before B", "how much more is A than B"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from clew.query.asked import Ranked, ReadQuestion
from clew.query.lapses import spanning
from clew.query.meanings import TENURE
from clew.query.vocabulary import MEASURES, base_of, full_of, is_down, later_wins, measures_of

_COMPARED = re.compile(
    r"^(?:what|which|who)(?: \w+)?? (?:is|are|has|have|was|were|of the two is) (?:the |a )?"
    r"(?P<adj>more \w+|less \w+|\w+er|better|worse)"
    r"(?: (?P<noun>[\w ]+?))?(?:,|:| between| out of| of)? (?:the )?(?P<a>[^,]+?),? (?:or|and) (?:the )?(?P<b>.+)$",
    re.IGNORECASE,
)
_MORE_OR_LESS = r"more|most|fewer|less|fewest|(?:a|the) (?:larger|higher|greater|smaller|lower|bigger)"
_DOES_MORE = re.compile(  # "who earns more, A or B", "which takes longer, A or B", "who was born first, A or B"
    r"^(?:who|which|what)(?: \w+)?? (?:is |was |were |are |has |have )?(?P<verb>\w+) "
    r"(?P<adj>more|less|\w+er|first|last)(?: (?P<noun>\w+))?(?:,|:| -) ?(?:the )?(?P<a>[^,]+?),? (?:or|and) (?:the )?"
    r"(?P<b>.+)$",
    re.IGNORECASE,
)
_AT = "at|in|on|from|for|with|to|by"
_ARE_MORE = re.compile(  # "are there more calls about A or about B"
    r"^(?:are|were) (?:there )?(?P<most>more|fewer|less) (?P<noun>(?-i:[a-z]+)) (?:\w+ )?"
    rf"(?:about|of|{_AT}) (?:the )?(?P<a>[^,]+?),? or (?:(?:about|of|{_AT}) )?(?:the )?(?P<b>.+)$",
    re.IGNORECASE,
)
_DID_MORE = re.compile(  # "did we buy more litres at A or at B"
    r"^(?:did|do|have|had) (?:we|i|they|you) (?:\w+ ){1,2}?(?P<most>more|fewer|less) (?P<noun>(?-i:[a-z]+)) "
    rf"(?:{_AT}) (?:the )?(?P<a>[^,]+?),? or (?:(?:{_AT}) )?(?:the )?(?P<b>.+)$",
    re.IGNORECASE,
)
_IS_FIRST = re.compile(  # "was A or B approved first", "did A or B die earlier", "is A or B older"
    r"^(?:is|are|was|were|did|does|do|has|had) (?:the )?(?P<a>[^,]+?),? or (?:the )?(?P<b>.+?)(?: "
    r"(?P<verb>(?-i:[a-z]+)))?? "
    r"(?P<adj>first|last|earlier|later|\w+er)(?P<noun>)$",
    re.IGNORECASE,
)
_TWO = re.compile(  # "who has more people, A or B", "does A or B have more people"
    r"^(?:who|which|what)(?: \w+)? (?!is |are |was |were )(?P<verb>\w+) (?:the )?"
    rf"(?P<most>{_MORE_OR_LESS}) (?P<noun>[\w ]+?)(?:,|:|;| between|--| -) ?(?:the )?(?P<a>[^,]+?),? (?:or|and) "
    r"(?:the )?(?P<b>.+)$|^(?:(?P<does>does|do|did)|has|have|is|are|was) (?:the )?(?P<c>[^,]+?) or (?:the )?(?P<d>.+?) "
    r"(?:have |has |had |get |win |(?(does)(?P<verb2>(?-i:[a-z]+)) |(?!)))?"
    rf"(?:the )?(?P<most2>{_MORE_OR_LESS}) (?P<noun2>[\w ]+?)$",
    re.IGNORECASE,
)
_IS_MORE = re.compile(
    r"^(?:is|are|was|were|does|do) (?!it (?:true|correct|right)\b)(?:the )?(?P<a>.+?) (?:have )?(?:an? "
    r")?(?P<adj>more(?! than)|less(?! than)|\w+er)"
    r"(?: (?P<noun>\w+(?: \w+)?))? than (?:the )?(?P<b>\D+)$",
    re.IGNORECASE,
)
_IS_BEFORE = re.compile(  # "was Rosa born before Victor"
    r"^(?:is|was|were|did|does|do|has) (?:the )?(?P<a>.+?) (?P<verb>\w+) "
    r"(?P<when>before|(?<!look )(?<!looks )(?<!looked )(?<!named )(?<!called )after(?! by\b)|earlier than|later than) "
    r"(?:the )?(?P<b>\D+)$",
    re.IGNORECASE,
)
_BY = re.compile(r"\b(?:by|in terms of|measured by|going by|judging by) (?:its |their |the )?(?P<key>\w+(?: \w+)?)$")
INHABITANTS = ("people", "inhabitants", "residents", "citizens")
_DIFFERENCE = re.compile(
    r"^how (?:much|many \w+) (?P<adj>more \w+|less \w+|\w+er) (?:is|was|are|does|did) (?:the )?"
    r"(?P<a>.+?) than (?:the )?(?P<b>.+)$"
    r"|^how much (?:more|less) (?:does|did|do) (?:the )?(?P<g>.+?) (?P<verb>\w+) than (?:the )?(?P<h>.+)$"
    r"|^how many more (?P<people>\w+) (?:live |are there |are |were |has |have |does |did )?(?:in )?(?:the )?(?P<e>.+?)"
    r"(?: have| has| get| got| win)? than (?:in |does |did )?(?:the )?(?P<f>.+?)(?: does| did| has)?$"
    r"|^what (?:is|was) the difference (?:in|of) (?P<noun>[\w ]+?) (?:between|of) (?:the )?(?P<c>.+?) and (?:the )?"
    r"(?P<d>.+)$",
    re.IGNORECASE,
)


def comparison(found: ReadQuestion) -> ReadQuestion:
    match = _DIFFERENCE.match(found.rest)
    if match:
        noun = (match["people"] or match["noun"] or match["verb"] or "").lower()
        words = measures_of(match["adj"] or "") or (("population",) if noun in INHABITANTS else tuple(noun.split()))
        sides = tuple(match[x] or match[y] or match[z] or match[v] for x, y, z, v in ("aceg", "bdfh"))
        if match["adj"]:  # "how much longer did A last than B"
            sides = tuple(spanning(f"did {side}")[0].removeprefix("did ") for side in sides)
        base = base_of((match["adj"] or "").split()[-1]) if match["adj"] else ""
        base = base if base in ("long", "short") else ""  # of these it may be a time that nothing states
        ranked = Ranked(words, not is_down(match["adj"] or ""), noun=noun, base=base)
        return replace(
            found,
            kind="arithmetic",
            answer="number",
            difference=True,
            sides=(sides[0], sides[1]),
            ranked=ranked,
            rest=" and ".join(sides),
        )
    match = _TWO.match(found.rest)
    if match:
        noun, most = (match["noun"] or match["noun2"]).lower(), (match["most"] or match["most2"]).lower()
        words = ("population", noun) if noun in INHABITANTS else measures_of(noun) or (noun,)
        verb = (match["verb"] or match["verb2"] or "").lower()
        words += (verb,) if verb else ()  # "holds more people": a capacity
        sides = ((match["a"] or match["c"]).strip(), (match["b"] or match["d"]).strip())
        least = re.search(r"few|less|small|low", most) is not None
        ranked = Ranked(words, not least, noun=noun, verb="" if verb in ("have", "has", "had", "got") else verb)
        return replace(found, kind="comparison", sides=sides, rest=" and ".join(sides), ranked=ranked)
    match = _DID_MORE.match(found.rest) or _ARE_MORE.match(found.text.rstrip("?!. "))
    if match:
        noun = match["noun"].lower()
        sides = (match["a"].strip(), match["b"].strip())
        ranked = Ranked((noun,), re.match("more|most", match["most"], re.I) is not None, noun=noun)
        return replace(found, kind="comparison", sides=sides, rest=" and ".join(sides), ranked=ranked)
    match = _DOES_MORE.match(found.rest) or _IS_FIRST.match(found.rest)
    adjective = match["adj"].lower() if match else ""
    if match is not None and (adjective in ("more", "less", "first", "last") or measures_of(adjective)):
        noun, timed = (match["noun"] or "").lower(), adjective in ("first", "last")
        dated = adjective == "last" if timed else later_wins(adjective)
        verb = (match["verb"] or "").lower()
        words = (*(word for word in (noun, verb) if word), *(("date", "year") if timed else measures_of(adjective)))
        sides = (match["a"].strip(), match["b"].strip())
        largest = dated if dated is not None else not is_down(adjective)
        base = base_of(adjective) or ("early" if adjective == "first" else "late" if timed else "")
        return replace(
            found, kind="comparison", sides=sides, rest=" and ".join(sides),
            ranked=Ranked(words, largest, noun=noun or verb, date=timed or dated is not None, base=base),
        )  # fmt: skip
    match = _IS_BEFORE.match(found.rest)
    if match is not None:
        later = match["when"].lower() in ("after", "later than")
        words = (match["verb"].lower(), "date", "year")
        sides = (match["a"].strip(), match["b"].strip())
        return replace(
            found, kind="boolean", answer="truth", sides=sides, rest=" and ".join(sides),
            ranked=Ranked(words, later, noun=words[0], date=True),
        )  # fmt: skip
    match = _IS_MORE.match(found.rest)
    if match is not None and (match["noun"] or measures_of(match["adj"])):
        noun = (match["noun"] or "").lower()
        words = ("population",) if noun in INHABITANTS else ((noun,) if noun else ()) + measures_of(match["adj"])
        dated = later_wins(match["adj"])
        largest = dated if dated is not None and not noun else not is_down(match["adj"])
        sides = (match["a"].strip(), match["b"].strip())
        return replace(
            found, kind="boolean", answer="truth", sides=sides, rest=" and ".join(sides),
            ranked=Ranked(words, largest, noun=noun, date=dated is not None and not noun, base=base_of(match["adj"])),
        )  # fmt: skip
    match = _COMPARED.match(found.rest)
    if match is None or not measures_of(match["adj"]):
        return found
    noun = (match["noun"] or "").strip().removeprefix("the ")
    by = _BY.search(noun)  # "the bigger ship by tonnage"
    noun = by["key"] if by is not None else noun
    words = (noun.lower(), *measures_of(match["adj"])) if noun else measures_of(match["adj"])
    adjective = match["adj"].split()[-1]
    dated = later_wins(adjective)
    largest = dated if dated is not None else not is_down(match["adj"])
    sides = (match["a"].strip(), match["b"].strip())
    return replace(
        found, kind="comparison", sides=sides, rest=" and ".join(sides),
        ranked=Ranked(words, largest, noun=noun, date=dated is not None, base=base_of(adjective)),
    )  # fmt: skip


# -- by what stands around two names that the graph holds --------------------------------------------------------------

_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_FIRST = {"first": False, "earlier": False, "earliest": False, "sooner": False, "before": False,
          "last": True, "later": True, "latest": True, "after": True}  # fmt: skip
_PERFECT = re.compile(
    r"\b(?:has|have|had|['’]s) (?:been|\w+ed|worked|held|sat|stood|run|gone)\b|\b(?:served|stayed|existed|been)\b", re.I
)
_HAVING_MORE = re.compile(r"\b(?:is|are|was|were) (?:the )?(?P<adj>[a-z]{2,}ier)$")
_SMALL_WORDS = """
a an the of in on at for from to with by and or is are was were be been being do does did has have had which what who
whom whose one ones it its they we us our you i me my he she his her their them that this these those than two both up
out down off around there here any more less fewer most least so tell say know about would can could will
"""
_SMALL = frozenset(_SMALL_WORDS.split())


def between(ask: str, sides: tuple[str, str], *, truth: bool) -> ReadQuestion | None:
    """A comparison of two names by what stands around them: "which is higher up", "who gives us more money".

    Args:
        ask: the question without the two names and what joins them.
        truth: whether the first is more than the second, and not which of the two.

    Returns:
        None where no word of it compares.
    """
    words = [word.lower() for word in _WORD.findall(ask)]
    kind = words[1] if len(words) > 2 and words[0] in ("which", "what") and words[1] not in _SMALL else ""
    ranked = _compared(words, ask, kind)
    if ranked is None:
        return None
    found = ReadQuestion(ask, "comparison", " and ".join(sides), sides=sides, ranked=ranked)
    return replace(found, kind="boolean", answer="truth") if truth else found


def _compared(words: Sequence[str], ask: str, kind: str) -> Ranked | None:
    """What is compared, by the words around two names; `kind` says what both are and is no measure."""
    said = [word for word in words if word not in _SMALL and word != kind]
    for at, word in enumerate(words):
        after = words[at + 1] if at + 1 < len(words) else ""
        if word in ("longer", "shorter") and _PERFECT.search(ask) is not None:
            others = [each for each in said if each != word]
            return Ranked((*others, "since", "start", "from", "date", "year"), word == "longer", base=TENURE)
        if word in ("more", "less", "fewer", "most", "least", "fewest"):
            up = word in ("more", "most")
            if after in MEASURES and after not in ("many", "much"):
                others = [each for each in said if each != after]
                dated, down = later_wins(after), is_down(after)
                largest = dated == up if dated is not None else up != down
                return Ranked((*others, *MEASURES[after]), largest, date=dated is not None, base=after)
            if not said:
                return None
            noun = after if after in said else ""
            extra = ("population",) if noun in INHABITANTS else ()
            others = [each for each in said if each != noun]
            return Ranked((*((noun,) if noun else ()), *extra, *others), up, noun=noun)
        base = base_of(word) if word.endswith(("er", "est", "rse", "rst")) else ""
        if word in _FIRST and not (base and base not in ("early", "late")):
            others = [each for each in said if each != word]
            return Ranked(
                (*others, "date", "year"), _FIRST[word], noun="", date=True, base="late" if _FIRST[word] else "early"
            )
        if base:
            others = [each for each in said if each != word]
            dated = later_wins(base)
            largest = dated if dated is not None else not is_down(base)
            return Ranked((*others, *MEASURES[base]), largest, date=dated is not None and not others, base=base)
    more = _HAVING_MORE.search(ask.lower())
    return None if more is None else Ranked(full_of(more["adj"]), True)
