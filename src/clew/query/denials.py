"""A question that denies a link, read apart: whose members are asked for, and what they lack.

Kept apart from any graph. "Lights that no routine controls" asks for the lights but for those to which "which routine
controls it" has an answer; that question about one light is a plain one, and any method that reads plain questions can
tell which relation it means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_AUX = r"(?:do|does|did|is|are|was|were|have|has|had)"
_OPEN = r"(?:(?:which|what|list|find|show|give me|name|tell me)(?: all)?(?: the| of the)? |(?:all |every )(?:the )?)?"
_HEAD = rf"^(?:{_OPEN})(?P<head>(?!(?:what|which|who|whom|whose|when|where|how|that|{_AUX})\b)\w.*?)"
_NOBODY = r"(?:nobody|no[ -]?one|none|nothing)"
_ANY = r"(?:any(?: of)?(?: the)?|(?:even )?a single|even one|at least one|some(?: of the)?|one|an?)"
_ANYBODY = r"(?:any(?:one|body)|some(?:one|body)|any of the others?|(?:any )?others?|another one)"
_END = re.compile(
    r",? (?:yet|ever|so far|still|at all|at the moment|right now|now|currently|anywhere|on record|recorded"
    r"|to their name|whatsoever|as (?:yet|of now))$"
)
_STILL = re.compile(r"(?<=\w)(?:,| still| yet| currently| (?:that|which|who)(?: are| is)?)+$", re.IGNORECASE)
_WHO = re.compile(r"^who(?P<rest> .+)$", re.IGNORECASE)

THING = "⟨it⟩"  # stands in a question for the thing that it is about


@dataclass(frozen=True, slots=True)
class Denial:
    """Things of a kind that lack something.

    `asked` are wordings of what one of them (`THING`) lacks, likeliest first; `lacked` is the noun for it, where one
    is said. An empty `head` is "who": `doers` finds out who may be meant.
    """

    head: str
    asked: tuple[str, ...]
    lacked: str
    clause: str  # the words that deny, as they stand
    doers: str = ""  # of "who": the wording that asks what is lacked (`THING`) who has it


def denial(text: str) -> Denial | None:
    """Read a question that denies a link; None for any other.

    >>> denial("lights that no routine controls").asked
    ('which routine controls ⟨it⟩',)
    """
    plain = re.sub(r"\s+", " ", text.strip()).rstrip("?!. ").replace("’", "'")
    for read in (_none_of, _subject, _without, _outside, _verb, _undone):
        found = read(plain)
        if found is not None and len(found.head.split()) < 12:
            return replace(found, head=_STILL.sub("", found.head))
    return None


_NO_SUBJECT = re.compile(
    rf"{_HEAD}(?:,? (?:(?:that|which|who|whom) )?(?:(?:do|does|did) )?)"
    rf"(?:{_NOBODY}(?: (?:of|in|at|from) [^,]+?)??|no (?P<noun>(?!more|less|longer)\w+(?: \w+)??))"
    r"(?: (?:has|have|had))?(?: ever)? (?P<verb>\w+)(?P<rest>(?: [^,]+)?)$",
    re.IGNORECASE,
)
_HAS_NOBODY = re.compile(
    rf"{_HEAD} (?:(?:that|which|who) )?(?:has|have|had|with) {_NOBODY} (?:who |that )?(?P<verb>\w+.*)$", re.IGNORECASE
)
_DOING = re.compile(r"^(\w{2,})ing\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:them|it|him|her|they)\b", re.IGNORECASE)


def _subject(plain: str) -> Denial | None:
    """The denied is the subject: "that no routine controls", "that nobody owns", "have nobody reporting to them"."""
    match = _HAS_NOBODY.match(plain)
    if match is not None:
        verb = _DOING.sub(lambda m: _does(m[1]), _end(match["verb"]))
        about = _PRONOUN.sub(THING, verb) if _PRONOUN.search(verb) else f"{verb} {THING}"
        return Denial(match["head"], (f"who {about}",), "", plain[match.end("head") :])
    match = _NO_SUBJECT.match(plain)
    if match is None or re.search(r"\b(?:with|without|has|have|had)$", match["head"], re.I):
        return None
    if match["noun"] and match["verb"].lower() in ("in", "of", "on", "at", "with", "for", "from", "to", "and", "or"):
        return None
    rest = _end(f"{match['verb']}{match['rest']}")
    who = f"which {match['noun']}" if match["noun"] else "who"
    about = _PRONOUN.sub(THING, rest) if _PRONOUN.search(rest) else f"{rest} {THING}"
    return Denial(match["head"], (f"{who} {about}",), match["noun"] or "", plain[match.end("head") :])


_NONE_OF = re.compile(
    rf"{_HEAD},? none of whose (?P<whose>[a-z]+(?: (?!ever\b|ha[sd]\b|have\b|was\b|were\b|is\b|are\b)"
    r"[a-z]+)??)(?: (?:has|have|had|was|were|is|are))?(?: ever)?(?: been)?"
    rf" (?P<verb>\w.*?) {_ANY} (?P<noun>\w+)$",
    re.IGNORECASE,
)


def _none_of(plain: str) -> Denial | None:
    """The denied is of what is theirs: "wineries none of whose wines was given a prize"."""
    match = _NONE_OF.match(_end(plain))
    if match is None:
        return None
    asked = (
        f"which {match['noun']} of the {match['whose']} of {THING}",
        f"the {match['noun']} of {match['whose']} of {THING}",
    )
    return Denial(match["head"], asked, match["noun"], plain[match.end("head") :])


_NOT_IN = re.compile(
    rf"{_HEAD} (?:(?:that|which|who) (?:is|are|was|were) )?(?:currently )?(?:not|never) "
    r"(?P<how>on|in|at|under|with|part of|(?:a )?members? of|(?:assigned|attached|linked|tied|belonging) to) "
    rf"(?:any(?: of the)?|a single) (?P<noun>\w+(?: \w+)?)$",
    re.IGNORECASE,
)


def _outside(plain: str) -> Denial | None:
    """The denied is where it belongs: "villains not on any team"."""
    match = _NOT_IN.match(_end(plain))
    if match is None:
        return None
    asked = (f"which {match['noun']} is {THING} {match['how']}",)
    return Denial(match["head"], asked, match["noun"], plain[match.end("head") :])


_LACKS = re.compile(
    rf"{_HEAD} (?:(?:that|which|who) )?(?:(?:has|have|had|with|there (?:is|are)) no|without(?: {_ANY})?"
    rf"|lack(?:s|ing)?(?: {_ANY})?|(?:do|does|did)(?: not|n't) (?:have|possess|own)(?: {_ANY})?) "
    r"(?P<noun>(?!more\b|less\b|one\b|other\b)\w.*)$",
    re.IGNORECASE,
)


def _without(plain: str) -> Denial | None:
    """The denied is had: "without a warden", "have no adverse events"."""
    match = _LACKS.match(plain)
    if match is None:
        return None
    said = _end(match["noun"])
    if re.fullmatch(_ANYBODY, said, re.IGNORECASE):
        return None
    noun = re.split(
        r" (?:that|which|who|of|for|on|in|at|from|to|by|assigned|listed|recorded|based|located|there"
        r"|living|working|registered)\b",
        said,
    )[0]
    asked = (f"what {noun} does {THING} have", f"what is the {noun} of {THING}")
    return Denial(match["head"], asked, noun, plain[match.end("head") :])


_NOT_VERB = re.compile(
    rf"{_HEAD}(?: (?:that|which|who))? (?:(?P<aux>{_AUX}|can)(?: not|n't| never)|never)(?: (?:yet|ever|never))?"
    r" (?P<verb>\w.*)$",
    re.IGNORECASE,
)
_OBJECT = re.compile(
    rf"^(?P<verb>.*?)\b(?P<any>{_ANYBODY}|{_ANY} (?P<noun>\w+(?: \w+)?)|anything|something)(?P<after>(?: .*)?)$", re.I
)


def _verb(plain: str) -> Denial | None:
    """The denied is done, or done to it: "never mentored anyone", "aren't owned by anybody", "haven't been paid"."""
    who = _WHO.match(plain)
    match = _NOT_VERB.match(f"who_ {who['rest'].strip()}" if who else plain)
    if match is None:
        return None
    head = "" if who else match["head"]
    if who and match["head"] != "who_":
        return None
    verb, aux = _end(match["verb"]), (match["aux"] or "has").lower()
    clause = plain[match.end("head") :] if not who else plain[3:]
    found = _OBJECT.match(verb)
    if found is None:
        bare = verb.removeprefix("been ")
        return Denial(
            head, (f"when {'was' if 'been' in verb else aux} {THING} {bare}", f"what has {THING} {bare}"), "", clause
        )
    before, after = found["verb"].strip(), found["after"].strip()
    noun = found["noun"] or ""
    if noun.lower() in ("other", "others") or re.fullmatch(_ANYBODY, found["any"], re.I):
        noun = ""
    asked: tuple[str, ...]
    word = f"which {noun}" if noun else ("what" if found["any"].lower().endswith("thing") else "who")
    if before.endswith(" by"):
        before = before.removeprefix("been ").removesuffix(" by")
        asked = (f"{word} {before} {THING}", f"by {'whom' if word == 'who' else word} was {THING} {before}")
    elif re.search(r"\b(?:to|of|for|with|in|on|at|from)$", before):
        asked = (f"{word} {_is(aux)} {THING} {before}",)
    else:
        asked = (f"{word} {aux} {THING} {before} {after}".strip(), f"{word} was {before} by {THING}")
    doers = f"who {aux} {before} {THING}" if who and noun else ""
    return Denial(head, asked, noun, clause, doers)


_UN = re.compile(
    rf"{_HEAD}(?: (?:that|which|who))? (?:is|are|was|were|remains?|stays?)(?: still| as yet| yet)?"
    r" un(?P<verb>\w{3,}(?:ed|en|id|lt|ld|wn|nt))$",
    re.IGNORECASE,
)


def _undone(plain: str) -> Denial | None:
    """What is said with "un": "still undecided", "remain unpaid"."""
    match = _UN.match(_end(plain))
    if match is None:
        return None
    verb = match["verb"].lower()
    asked = (f"how was {THING} {verb}", f"when was {THING} {verb}", f"who {verb} {THING}")
    return Denial(match["head"], asked, "", plain[match.end("head") :])


def _does(root: str) -> str:
    """ "Reports", "runs", "lives" of what stands before "ing"."""
    if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz":
        return f"{root[:-1]}s"
    if root[-1] == "y" and root[-2] not in "aeiou":
        return f"{root[:-1]}ies"
    return f"{root}es" if root[-1] in "vuczs" or root.endswith(("sh", "dg", "rg")) else f"{root}s"


def _is(aux: str) -> str:
    return aux if aux in ("is", "are", "was", "were", "does", "do", "did", "has", "have") else "is"


def _end(text: str) -> str:
    """Without what only stresses a denial: "yet", "at all"."""
    while (cut := _END.sub("", text)) != text:
        text = cut
    return text
