"""A question read for its operator: its kind, what is counted, compared or filtered, and what remains to be found.

Kept apart from any method and any graph: it is a grammar of English operator words. What remains (`rest`) is again a
question that a set-finding method can answer: "How many states border Iowa?" leaves "which states border Iowa".
A question in another language, or without such words, is read as plain and nothing changes.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from clew.query.asked import WH, ReadQuestion, cut
from clew.query.capitals import with_names, without_names
from clew.query.comparisons import comparison
from clew.query.filters import filtered
from clew.query.lapses import about_what, of_time, spanning
from clew.query.rewording import reworded
from clew.query.superlatives import superlative
from clew.query.vocabulary import MONTHS, base_of

_INNER = re.compile(
    r"\b(?P<link>of|in|on|through|for|with|by|from|to|border(?:s|ing)?|that|traverses?|crosses?|has|have|does|do|than"
    r"|wrote|made|won|built|sings?|plays?|owns?|\w{3,}ed)"
    r" (?P<inner>(?:the |a )?(?:(?:\w+ )?(?:second|third|fourth|fifth) )?(?:\w+est|most \w+|least \w+) .*"
    r"|(?:the |a |all )?\w+(?: \w+)?"
    r" (?:with|that has|which has|having|whose|that borders?|which borders?|with the) (?:the )?"
    r"(?:\w+est|most|least|fewest) .*)$",
    re.IGNORECASE,
)
_OWN_MOST = re.compile(r"(?:the )?(?:most|least|fewest) (?!popul|dens|spars|expens|recent|costl)", re.IGNORECASE)
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        "what which who where when how is are was were the a an of in on give me name list show tell find many much "
        "does do did that all has have it there please can you high long large big tall",
    )
)


def nested(text: str) -> tuple[str, str] | None:
    """A question around a superlative that is not its own: what stands before it, and the inner noun phrase.

    "what is the population of the largest state" → ("what is the population of", "the largest state").
    """
    plain = re.sub(r"\s+", " ", text.strip()).rstrip("?!. ")
    last = None
    for at in range(len(plain)):
        match = _INNER.match(plain, at) if at == 0 or plain[at - 1] == " " else None
        if match is None:
            continue
        before = plain[: match.start("inner")].strip()
        adjective = re.search(r"\b(\w+est|most|least|fewest)\b", match["inner"], re.IGNORECASE)
        known = adjective and (base_of(adjective[1]) or adjective[1].lower() in ("most", "least", "fewest"))
        content = [w for w in re.findall(r"\w+", before.lower()) if w not in _EMPTY]
        if re.search(r"\b(?:number|amount) of\b", match["inner"]):
            continue  # "by the largest number of countries" is the question's own superlative
        if re.match(
            r"(?:the )?(?:most|least|fewest) (?!\w*(?:popul|dens|spars|expens|recent|popular|costl))",
            match["inner"],
            re.I,
        ):
            continue  # and so is "borders the most countries"
        if known and content and match["link"].lower() not in ("has", "have", "with"):
            last = before, match["inner"]
    return last


@lru_cache(maxsize=256)  # one question is read for its total, its names and its operators
def read_question(text: str) -> ReadQuestion:
    """Read a question once. What is not understood as an operator stays in `rest`."""
    hidden = without_names(re.sub(r"\s+", " ", text.strip()).rstrip("?!. "))
    read = _read(text, reworded(hidden))
    return read if "qq" not in hidden else replace(with_names(read), text=text)


def _read(text: str, plain: str) -> ReadQuestion:
    measured = re.match(r"how \w+ (?:is|are|was|were) ", plain, re.IGNORECASE) is not None
    plain = _OR_MORE.sub(lambda m: f"{'at least' if m['up'] else 'at most'} {m['n']}", plain)
    found = ReadQuestion(text, "plain", plain, of_key=measured and not plain.lower().startswith("how many"))
    if (match := _SORTED.search(found.rest)) is not None:
        found = cut(found, match)  # a set has no order
    if (match := _BEYOND.search(found.rest)) is not None:
        return replace(found, unsaid=f"a {match['what'].lower()}", stated=found.rest)
    if _OF_ITS_OWN.search(found.rest):
        return replace(found, unsaid="a comparison of two figures of one thing", stated=found.rest)
    if _RATIO.match(found.rest):
        return replace(found, unsaid="a ratio", stated=found.rest)
    if _ADVICE.match(found.rest):
        return replace(found, unsaid="a recommendation", stated=found.rest)
    if _WHY.match(found.rest):
        return replace(found, unsaid=REASON, stated=found.rest)
    if (match := _EACH.search(found.rest)) is not None and _FIGURE.search(found.rest) is not None:
        group = match["group"] or match["owner"] or "one"
        return replace(found, unsaid=f"a figure for each {group.lower()} by itself", stated=found.rest)
    if (match := _ALL_OF.match(found.rest)) is not None:
        return replace(found, unsaid=f"whether {match['what']}", stated=found.rest)
    for step in (comparison, _truth, _counted, _summed, superlative, filtered):
        found = step(found)
    if found.ranked is not None and found.ranked.date and found.sides is None and _WHEN.match(plain) is not None:
        found = replace(found, of_key=True)  # "when was the last repair": its date
    rest = re.sub(r"\s+", " ", found.rest).strip()
    if found.removed:  # "wards in Oslo, between 12 and 20 beds", "films that made the most money"
        rest = re.sub(r"(?<=\w)(?:(?<!before)(?<!after) (?:that|which|who))?,?$", "", rest)
    found = replace(found, rest=rest)
    stated = found.rest
    for verb in found.dated:
        said = (
            rf"\b(?:(?:was|were|is|are|been) )?(?:(?:first|last|originally|initially|officially) )?{re.escape(verb)}\b"
        )
        stated = re.sub(said, "", stated, count=1)
    stated = re.sub(r" (?:that|which|who)$", "", re.sub(r"\s+", " ", stated).strip())
    went_on: tuple[str, ...] = ()
    if of_time(found):
        stated, went_on = spanning(stated)
        stated = about_what(stated)
    return replace(_negation(found), stated=stated, ends=went_on)


_OF_ITS_OWN = re.compile(  # "products that are below their reorder level"
    r"\b(?:is|are|was|were|falls?|fell|drops?|dropped) (?:below|above|under|over|beyond) (?:its|their) (?:own )?[a-z]",
    re.IGNORECASE,
)
_WHEN = re.compile(r"(?:when|(?:on |in )?(?:what|which) (?:year|date|month|day))\b", re.IGNORECASE)
_OR_MORE = re.compile(
    r"(?P<n>\d[\d,.]*(?: (?!or\b)\w+)?) or "
    r"(?:(?P<up>more|higher|above|greater|later|longer|older)|less|fewer|lower|below|under)\b",
    re.IGNORECASE,
)
_SORTED = re.compile(
    r",? (?:and )?(?:ordered|sorted|ranked|in order) (?:by|of|from)(?! (?-i:[A-Z]))"
    r"(?: (?!zz|that\b|which\b|who\b)[^ ]+){1,6}$"
    r"|(?:,| and) listed (?:by|from) .+$"
    r"|,? (?:ordered |sorted )?in (?:ascending|descending|alphabetical|increasing|decreasing|reverse)\b.*$",
    re.IGNORECASE,
)
REASON = "a reason"
_WHY = re.compile(r"(?:why|how come|for (?:what|which) reason)\b", re.IGNORECASE)
_ADVICE = re.compile(
    r"(?:should|shall|must) (?:i|we|one)\b|(?:can|could|would) you (?:recommend|advise|suggest)\b", re.IGNORECASE
)
_BEYOND = re.compile(
    r"\b(?:what|which|the) (?P<what>percentage|proportion|fraction|ratio|median|standard deviation|variance"
    r"|correlation)(?= (?:of|between)\b)",
    re.IGNORECASE,
)
_RATIO = re.compile(r"how many times (?:\w+er|more|less|as \w+)\b(?=.* (?:than|as)\b)", re.IGNORECASE)
_UNITS = r"(?:cent|capita|square|km\w*|sq\w*|person|head|year|month|week|day|hour|minute|second|night|game|season)s?\b"
_EACH = re.compile(  # a figure for each of several is a table, which no plan makes
    r"\b(?:(?:for|of|in|at|by|from|to|with|on|within|across|does|do|did|has|have) (?:each|every)(?: of the)?"
    rf"|per|(?:grouped|broken down|split) by(?: the)?) (?!other\b)(?!{_UNITS})(?P<group>[a-z]+)"
    r"|\b(?:each|every) (?P<owner>[a-z]+)['’]s\b|\beach$",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"\b(?:average|mean|total|combined|sum|maximum|minimum|how many|how much|number of|amount of|count"
    r"|\w+est(?= \w+ .*\b(?:each|every)\b)|(?:most|least|fewest|top)(?= .*\b(?:each|every)\b))\b",
    re.IGNORECASE,
)
_ALL_OF = re.compile(r"(?:are|do|did|does|is|were|have|has) (?P<what>(?:all|every|most)\b.+)$", re.IGNORECASE)


EARLY = 40  # characters within which a question word makes a question one that asks for things
_YES_NO = re.compile(
    r"^(?:is it (?:true|correct|right) that|is|are|was|were|does|do|did|has|have|had|can)\b ?(?P<rest>.+)$",
    re.IGNORECASE,
)
_REQUEST = re.compile(r"(?:can|could) (?:i|you|we|someone)\b|do you (?:happen to )?(?:know|have)\b", re.IGNORECASE)
_NAMED_TOO = re.compile(r"(?:,| and) (?:who|whom|what|where|(?:and )?which)(?: ones?)?$", re.IGNORECASE)


def _truth(found: ReadQuestion) -> ReadQuestion:
    match = _YES_NO.match(found.rest)
    there = re.match(r"(?:is|are|was|were) there\b", found.rest, re.IGNORECASE)
    other = re.search(rf"\b{WH}\b", found.rest.split(",")[0], re.IGNORECASE)
    early = other is not None and other.end() <= EARLY
    if match is None or found.kind != "plain" or (early and not there):
        return found
    if _REQUEST.match(found.rest) or _NAMED_TOO.search(found.rest):  # "is there anybody from Toronto, and who"
        return found
    rest = re.sub(r"^there (?:any |an? )?|^any ", "", match["rest"], flags=re.IGNORECASE)
    whoever = re.match(r"(?:any|some)(?:one|body)\b(?: who)?", rest, re.IGNORECASE)
    if whoever is not None:
        rest = f"who{rest[whoever.end() :]}"
    return replace(found, kind="boolean", answer="truth", rest=rest, whoever=whoever is not None)


# -- counts and sums ---------------------------------------------------------------------------------------------------

_PEOPLE = re.compile(
    r"^how many (?:people|inhabitants|residents|citizens|persons)"
    r" (?:live|lived|reside|are there|are|stay"
    r"|(?:does|do|did)(?! (?:we|they|you|i)\b)(?=.* (?:have|hold|house|seat|count|contain|fit|employ)\W*$)"
    r"|has(?! (?:we|they|you|i)\b))\b"
    r"|^how many (?:inhabitants|residents|citizens) "
    r"|^(?:what (?:is|was) )?(?:the )?number of (?:people|inhabitants|residents|citizens) (?:in|of|living) ",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"^(?:(?:(?P<where>in|on|at|for|from|by|to|with|through|of) )?how many(?: different| distinct| of the)?"
    r"|(?:what|which) (?:is|are|was) the (?:total )?number of(?: different)?"
    r"|what's the (?:total )?number of|(?:give|tell|show|find|return)(?: me)? the (?:total )?number of"
    r"|the (?:total )?number of|count(?: the)?(?: number of)?|number of)\b(?: the)?",
    re.IGNORECASE,
)
_PERIODS = re.compile(
    r"^(?:by )?how many (?:years|days|months|hours|minutes|points|km|kilomet(?:er|re)s|miles|met(?:er|re)s|feet)\b",
    re.I,
)


def _counted(found: ReadQuestion) -> ReadQuestion:
    if found.kind != "plain" or _PEOPLE.match(found.rest) or _PERIODS.match(found.rest):
        return found
    match = _COUNT.match(found.rest)
    if match is None:
        return found
    put = f"{match['where']} which" if match["where"] else "which"
    made = cut(found, match, put, kind="count", answer="number", count=True)
    if (total := re.search(r",? (?:in total|altogether|overall|in all)$", made.rest, re.IGNORECASE)) is not None:
        made = cut(made, total)
    return replace(made, rest=re.sub(r"\bare there\b|\bdo we have\b|\bexist\b", "are", made.rest, flags=re.IGNORECASE))


_SUMMARY = re.compile(
    r"\b(?:(?P<sum>total|combined|sum of(?: all)?(?: the)?|overall)|(?P<mean>average|(?<!\bi )mean)"
    r"|(?P<max>maximum)|(?P<min>minimum))"
    r" (?P<noun>\w+(?: \w+)?)(?= (?:of|for|in|across|that|per|among)\b|$)",
    re.IGNORECASE,
)


_OF_THINGS = re.compile(r"(?:of|for) (?:all )?(?:the (?:\w+ )?|un[a-z]+(?:ed|id) )\w+s\b", re.IGNORECASE)


def _summed(found: ReadQuestion) -> ReadQuestion:
    match = _SUMMARY.search(found.rest)
    if match is None or found.kind not in ("plain", "value"):
        return found
    summary = next(name for name in ("sum", "mean", "max", "min") if match[name])
    noun = match["noun"].lower()
    if re.search(
        r"\b(?:\w+est|most|least|same|more|less|\w+er)(?: the)? $", found.rest[: match.start()], re.IGNORECASE
    ):
        return replace(found, unsaid="a comparison of averages") if summary == "mean" else found
    after = found.rest[match.end() :].strip()
    counted = re.match(r"(?:of|for) (?P<what>\w+(?: \w+)?)(?= (?:of|for|in|by|that|per)\b|$)", after)
    of_things = noun == "amount" and _OF_THINGS.match(after) is not None
    if noun.split()[0] in ("number", "amount") and counted is not None and not of_things:  # "of the invoices of X"
        noun, after = counted["what"].lower(), after[counted.end() :].strip()
        if not after and summary == "sum":
            return found  # "the total number of cities" is a count
    if noun.split()[0] in ("number", "amount") and not of_things:
        return replace(found, unsaid=f"{'an average' if summary == 'mean' else f'a {summary}'} of counts")
    if re.match(rf"in (?:{'|'.join(MONTHS)}|\d{{4}})\b", after, re.IGNORECASE):
        after = f"{noun} {after}"  # "total fees paid in January" is of no January
    rest = re.sub(r"^(?:of|for|in|across|among) (?:all )?(?:the )?", "", after) or noun
    return replace(
        found, kind="arithmetic", answer="number", summary=summary, summary_words=tuple(noun.split()),
        rest=f"which {rest}", removed=(*found.removed, match.group(0)),
    )  # fmt: skip


_EXCEPT = re.compile(
    r",?\s*\b(?:except(?: for)?|excluding|other than|besides|apart from|but not)\b (?:the )?(?P<what>.+)$",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:do|does|did|is|are|was|were|have|has|can)(?: not|n't)\b|\bnot\b|\bnever\b", re.IGNORECASE)
_NO = re.compile(
    r"\b(?:has|have|having|with|contains?|had|there are|there is) no\b|\bwithout(?: any)?\b", re.IGNORECASE
)


_APART = re.compile(
    r"^(?:besides|apart from|except(?: for)?|other than) (?:the )?(?P<what>[^,]+), (?P<rest>.+)$", re.IGNORECASE
)
_ASIDE = re.compile(
    r"^(?:never mind|i(?:['’]m| am) not|i (?:don['’]t|do not|have never)|i['’]ve never)\b", re.IGNORECASE
)


def _negation(found: ReadQuestion) -> ReadQuestion:
    if _ASIDE.match(found.rest):  # of whoever asks, not of what is asked for
        return found
    match = _APART.match(found.rest)
    if match is not None:
        kind = "negation" if found.kind == "plain" else found.kind
        return replace(found, rest=match["rest"], without=match["what"], kind=kind)
    match = _EXCEPT.search(found.rest)
    if match is not None:
        without = re.sub(r"\b(?:and )?(?:excluding|except(?: for)?)\b", "and", match["what"], flags=re.IGNORECASE)
        return cut(found, match, without=without, kind="negation" if found.kind == "plain" else found.kind)
    for pattern, put in ((_NOT, ""), (_NO, "has")):
        match = pattern.search(found.rest)
        if match is not None:
            verb = {"is not": "is", "are not": "are", "isn't": "is", "aren't": "are"}.get(match.group(0).lower(), put)
            return cut(found, match, verb, negated=True, kind="negation" if found.kind == "plain" else found.kind)
    return found
