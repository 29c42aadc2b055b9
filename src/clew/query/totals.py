"""Words that ask for one figure of several and stand apart from what is summed: "on average", "in total", "summed up".

Kept apart from `question`, which reads a summary before its noun ("the average salary"): these may stand anywhere, also
where the question has another figure or none, so that only what is found without them tells whether they meant it.
"""

from __future__ import annotations

import re
from typing import Literal

from clew.query.question import read_question

Summed = Literal["sum", "mean"]

_ANYWHERE: tuple[tuple[Summed, str], ...] = (
    ("mean", r"on (?:the |an )?average|in the mean"),
    (
        "sum",
        r"in total|altogether|all told|(?:all )?(?:taken|put|counted|added|summed|totted|totalled) (?:up|together)"
        r"|(?:when|if|once) (?:they are |you |we )?(?:add|sum)(?:ed)? (?:them |these |those )?(?:all )?(?:up|together)",
    ),
)
_AT_AN_END: tuple[tuple[Summed, str], ...] = (  # elsewhere they say of other words that they belong together
    ("mean", r"averaged(?: out)?"),
    ("sum", r"all together|together|combined|in all|overall|in sum|summed|totalled|as a total|all in all|in aggregate"),
)
_ONE_OF_EACH = re.compile(r"\bone (?:of|portion of|piece of|copy of) (?P<all>everything|each|every)\b", re.IGNORECASE)
_ADD = re.compile(
    r"^(?:please |can you |could you )?(?:add up|sum up|sum|total up|tot up)(?: all)? "
    r"(?P<what>(?:the|all|everything|what) .+)$",
    re.IGNORECASE,
)
_ADDING = re.compile(
    r"^(?:(?:adding|totting|totalling|summing)(?: up)?|(?:taking|putting|counting)(?= [\w ]+ together,)) [\w ]+, "
    r"(?P<what>.+)$",
    re.IGNORECASE,
)
_AMOUNT_TO = re.compile(
    r"^(?:what|how much) (?:do|does|did|would|will) (?:all (?:of )?)?(?P<what>.+?) (?:all )?"
    r"(?:add up to|sum(?: up)? to|amount to|come to)(?: (?:in all|in total|altogether))?$",
    re.IGNORECASE,
)


_TOTAL_OF = re.compile(  # "what is the total of the unpaid invoices"
    r"^(?:(?:what(?:['’]s| is| was)|give me|show me) )?(?:the )?(?:grand |overall )?total (?:value )?(?:of|for) "
    r"(?P<what>(?:all )?(?:the )?(?!of\b)[a-z-]+(?: [a-z-]+)?s\b.*)$",
    re.IGNORECASE,
)
_THE_TOTAL = re.compile(  # "if you count up the cattle on all farms, what is the total"
    r"^(?:if|when|once) (?:you|we|i|one) (?:counts?|adds?|sums?|tots?) (?:up |together )?(?:all )?(?:the )?"
    r"(?P<what>.+?)(?: up| together)?,? what(?:['’]s| is) the (?:total|sum)$",
    re.IGNORECASE,
)


_BEFORE: tuple[tuple[Summed, str], ...] = (  # a noun that `question` did not find the end of
    ("mean", r"(?:average|mean)(?= [a-z])"),
    ("sum", r"total amount of(?= (?:money|cash)\b)"),
    ("sum", r"(?:total|combined|summed|aggregate)(?= (?!(?:number|amount|of)\b)[a-z])"),
)


def summed(text: str) -> tuple[Summed, str] | None:
    """Whether a question asks for the total or the mean of what it asks for else, and the question without the words
    that say so; None where no such word stands apart from a noun."""
    plain = re.sub(r"\s+", " ", text.strip()).rstrip("?!. ")
    if (add := _ADD.match(plain)) is not None:
        what = re.sub(r"^(?:everything|what) ", "", add["what"])
        return "sum", f"what are {what}" if what == add["what"] else f"what {what}"
    if (adding := _ADDING.match(plain)) is not None:
        return "sum", adding["what"]
    if (amount := _AMOUNT_TO.match(plain) or _TOTAL_OF.match(plain)) is not None:
        alone = re.fullmatch(r"(?:all )?(?:of )?(?:the )?(?P<noun>[a-z-]+s)", amount["what"])
        return "sum", f"which {alone['noun']} are there" if alone else f"what are {amount['what']}"
    if (total := _THE_TOTAL.match(plain)) is not None:
        return "sum", f"how many {total['what']} are there"
    for how, words in _ANYWHERE:
        match = re.search(rf",? ?\b(?:{words})\b,?", plain, re.IGNORECASE)
        if match is not None:
            rest = _without(plain, match)
            if match.group(0).endswith(",") and match.start() and not match.group(0).startswith(","):
                rest = f"{plain[: match.start()]}, {plain[match.end() :].strip()}"  # "more altogether, A or B"
            return how, rest
    for how, words in _AT_AN_END:
        match = re.search(rf"^(?:{words})\b,?|,? (?:{words})(?=$|,)", plain, re.IGNORECASE)
        if match is not None:
            return how, _without(plain, match)
    if read_question(plain).kind == "plain":
        for how, words in _BEFORE:
            if (match := re.search(rf"\b{words}", plain)) is not None:
                return how, _without(plain, match)
    if (each := _ONE_OF_EACH.search(plain)) is not None:
        return "sum", f"{plain[: each.start()]}{each['all']}{plain[each.end() :]}"
    return None


def _without(plain: str, match: re.Match[str]) -> str:
    return re.sub(r"\s+", " ", f"{plain[: match.start()]} {plain[match.end() :]}").strip(" ,")
