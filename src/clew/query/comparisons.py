"""Two things against each other: "which is longer, A or B", "was A born before B", "how much more is A than B"."""

from __future__ import annotations

import re
from dataclasses import replace

from clew.query.asked import Ranked, ReadQuestion
from clew.query.vocabulary import base_of, is_down, later_wins, measures_of

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
_IS_FIRST = re.compile(  # "was A or B approved first", "did A or B die earlier", "is A or B older"
    r"^(?:is|are|was|were|did|does|do|has|had) (?:the )?(?P<a>[^,]+?),? or (?:the )?(?P<b>.+?)(?: "
    r"(?P<verb>(?-i:[a-z]+)))?? "
    r"(?P<adj>first|last|earlier|later|\w+er)(?P<noun>)$",
    re.IGNORECASE,
)
_TWO = re.compile(  # "who has more people, A or B", "does A or B have more people"
    r"^(?:who|which|what)(?: \w+)? (?!is |are |was |were )(?P<verb>\w+) (?:the )?"
    rf"(?P<most>{_MORE_OR_LESS}) (?P<noun>[\w ]+?)(?:,|:|;| between|--| -) ?(?:the )?(?P<a>[^,]+?),? (?:or|and) "
    r"(?:the )?(?P<b>.+)$|^(?:does|do|did|has|have|is|are|was) (?:the )?(?P<c>[^,]+?) or (?:the )?(?P<d>.+?) "
    rf"(?:have |has |had |get |win )?(?:the )?(?P<most2>{_MORE_OR_LESS}) (?P<noun2>[\w ]+?)$",
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
    r"(?P<when>before|after(?! by\b)|earlier than|later than) (?:the )?(?P<b>\D+)$",
    re.IGNORECASE,
)
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
        ranked = Ranked(words, not is_down(match["adj"] or ""), noun=noun)
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
        words = ("population", noun) if noun in INHABITANTS else (noun,)
        words += (match["verb"].lower(),) if match["verb"] else ()  # "holds more people": a capacity
        sides = ((match["a"] or match["c"]).strip(), (match["b"] or match["d"]).strip())
        least = re.search(r"few|less|small|low", most) is not None
        return replace(
            found, kind="comparison", sides=sides, rest=" and ".join(sides), ranked=Ranked(words, not least, noun=noun)
        )
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
    words = (noun.lower(), *measures_of(match["adj"])) if noun else measures_of(match["adj"])
    adjective = match["adj"].split()[-1]
    dated = later_wins(adjective)
    largest = dated if dated is not None else not is_down(match["adj"])
    sides = (match["a"].strip(), match["b"].strip())
    return replace(
        found, kind="comparison", sides=sides, rest=" and ".join(sides),
        ranked=Ranked(words, largest, noun=noun, date=dated is not None, base=base_of(adjective)),
    )  # fmt: skip
