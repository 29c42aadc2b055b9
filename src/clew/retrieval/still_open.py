"""What has not been done yet, said by one word before the things: "a fine they have not paid", "still owes us for an
order", "outstanding invoices" are all unpaid ones where the graph says of some when they were paid.

Kept apart from `flagging`, which makes a condition of that word, and from `denials`, which read what a question's own
things lack. Nothing is changed where the graph has the word that is used, or says no such date.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clew.graph import Graph
from clew.query.lapses import begins, ends
from clew.query.vocabulary import SYNONYMS, several, stem
from clew.retrieval.events.kinds import Events

_SAME = {
    "paid": "paid|settled|cleared|paid off", "returned": "returned|come back|brought back|given back|handed back|back",
    "completed": "completed|done|finished|carried out", "closed": "closed|resolved|solved|dealt with",
    "shipped": "shipped|sent|sent out|dispatched|gone out", "delivered": "delivered|arrived",
}  # fmt: skip
_NOUNS = {"paid": "payment|paid", "returned": "return", "completed": "completion", "closed": "closing|closure"}
_OPEN = "outstanding|unsettled|open|pending|owing|unfinished|unresolved"
_ONE = r"(?:an? |the |their |his |her |our |its |all |any |one or more of (?:their|the|our) |at least one )*"
_THEY = r"(?:that |which |who )?(?:(?:they|we|he|she|it|you|i) )?"
_ASKED = re.compile(r"^\W*(?:which|what|how many|list|show|name|find)(?: (?:of )?(?:our|the|all))* *$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Undone:
    """A kind of which some things say when they were done, and the word for it."""

    nouns: str  # a pattern of what they are called
    several: str
    done: str  # "paid"
    due: bool = False  # each says when it is due


def with_undone(text: str, graph: Graph) -> str:
    """A question with one word for what has not been done yet; unchanged where it says no such thing."""
    for each in graph.derived(("retrieval.still_open",), lambda: _undone(graph)):
        if re.search(rf"\b(?:{each.nouns})\b", text, re.IGNORECASE) and (said := _said(text, each, graph)) != text:
            return said
    return text


def _undone(graph: Graph) -> list[_Undone]:
    found, events = list[_Undone](), Events(graph)
    for id, noun in events.classes().items():
        done, due = list[str](), False
        for date in events.stated(id, "date"):
            due |= "due" in date.words
            words = [word for word in date.label.split() if word.endswith(("ed", "paid"))]
            done += [word for word in words if date.share < 1 and (ends(word) or not begins(word))]
        first, last = noun.lower().split()[0], noun.lower().split()[-1]
        same = {last, *SYNONYMS.get(stem(last), ()), *_also(last)}
        if last in ("payment", "fee", "charge", "bill"):
            same.add(first)  # "rent" of rent payments
        nouns = "|".join(sorted({re.escape(form) for word in same for form in (word, several(word))}))
        if len(done) == 1 or "paid" in done:
            found.append(_Undone(nouns, several(noun.lower()), done[0] if len(done) == 1 else "paid", due))
    return found


def _also(noun: str) -> tuple[str, ...]:
    return {"invoice": ("bill",), "bill": ("invoice",), "order": ("purchase",)}.get(noun, ())


def _said(text: str, of: _Undone, graph: Graph) -> str:
    noun, same = rf"(?:{of.nouns})", _SAME.get(of.done, of.done)
    undone = f"un{of.done} {of.several}"

    def known(word: str) -> bool:
        return bool(graph.resolve(word) or graph.resolve(word.capitalize()))

    if known(of.done):
        return text  # it is a state that the graph has a word for

    def not_done(match: re.Match[str]) -> str:
        asked = _ASKED.match(match.string[: match.start()]) is not None
        return match.group(0) if asked else undone  # "which invoices have not been paid" is read as it is

    flags = re.IGNORECASE
    text = re.sub(
        rf"\b{_ONE}{noun},? {_THEY}(?:still )?(?:has|have|had|is|are|was|were)(?: still)?(?:n['’]t| not)(?: yet)?"
        rf"(?: been)? (?:{same})(?: yet)?\b(?! by\b| in\b| on\b)", not_done, text, flags=flags,
    )  # fmt: skip
    text = re.sub(rf"\b{_ONE}{noun} (?:with no|without an?) (?:{_NOUNS.get(of.done, of.done)}) date\b", undone, text,
                  flags=flags)  # fmt: skip
    for word in _OPEN.split("|"):
        if known(word):
            continue
        before = rf"\b{_ONE}(?:still )?{word} {noun}\b"
        behind = rf"\b{_ONE}{noun}(?: (?:that |which )?(?:is|are|was|were))?(?: still)? {word}\b"
        text = re.sub(f"{before}|{behind}", undone, text, flags=flags)
        if of.done == "paid":
            text = re.sub(rf"\b(?:still )?{word} (?:on|for) {_ONE}{noun}\b", f"owed on {undone}", text, flags=flags)
    if of.done != "paid":
        return text
    to_pay = rf"(?:do )?(?:we|i|they) (?:still )?(?:have|need) to pay (?:in|for|on) {_ONE}{noun}\b.*$"
    text = re.sub(rf"^how much (?:money )?(?:{to_pay})", f"what is the total of the {undone}", text, flags=flags)
    owed = rf"(?:(?:do|does) .+? (?:still )?owe(?: us)?|is (?:still )?owed) (?:on|for) {_ONE}(?:unpaid )?{noun}\b.*$"
    text = re.sub(rf"^how much (?:money )?{owed}", f"what is the total of the {undone}", text, flags=flags)
    text = re.sub(rf"^{undone},? (?:total|sum|amount)$", f"what is the total of the {undone}", text, flags=flags)
    owing = (
        rf"\b(?:still )?owes?(?: us)?(?: (?:the )?money)? (?:for |on )?{_ONE}{noun}\b",
        rf"\b(?:has|have)(?: yet to|n['’]t| not)(?: yet)? (?:paid|pay|settled?)(?: for)? {_ONE}{noun}(?: yet)?\b",
        rf"\bstill (?:has|have|needs?) to (?:pay|settle)(?: for)? {_ONE}{noun}\b",
    )
    for pattern in owing:
        text = re.sub(pattern, f"have {undone}", text, flags=flags)
    if of.due and undone in text:  # when it was paid, what is unpaid does not say
        text = re.sub(
            r"(?<!due) (?:(?:that )?(?:fell )?due )?(?:for|in|of) (?=[A-Z][a-z]+ \d{4}|\d{4}\b)", " due in ", text
        )
    return text
