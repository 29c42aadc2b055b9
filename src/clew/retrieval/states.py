"""How things stand, in the words of a graph: "out of order" of what is stated to be broken, "no longer working" of what
is not operational.

Kept apart from `spoken`, which mends names: here a word of a question is known to say the same of any thing as the word
that the graph has.
"""

from __future__ import annotations

import re

from clew.graph import Graph
from clew.graph.flags import flags
from clew.query.vocabulary import stem
from clew.retrieval.lexicon import Lexicon, stems

# In each line words that say the same of how a thing stands.
_SAME = """
working/operational/functional/functioning/operating/in operation/in service/in use/active/in working order
broken/out of order/out of service/out of action/defective/faulty/not working/not operational
closed/shut/closed down/shut down/defunct/disused/decommissioned/inactive/retired/not active/not in use/not operational
ongoing/in progress/under way/underway/running/active/current/open/not over/not finished
finished/completed/complete/done/over/concluded/closed/ended
cancelled/canceled/called off/scrapped/abandoned
planned/scheduled/upcoming/proposed/not started/pending
under construction/being built/in construction
available/free/vacant/unoccupied/in stock
on loan/lent out/out on loan/borrowed/checked out/loaned
paid/settled/paid off
unpaid/outstanding/not paid/open/due/not settled
resolved/solved/fixed/closed/done
unresolved/open/unsolved/not resolved/not solved/not closed/pending
under repair/in repair/being repaired/being fixed
deceased/dead/died out/extinct
"""
_GROUPS = tuple(tuple(line.split("/")) for line in _SAME.split("\n") if line)
_PHRASES = sorted({each.removeprefix("not ") for group in _GROUPS for each in group}, key=len, reverse=True)
_BEFORE = frozenset(
    "is are was were be been being isn't aren't still currently now already not longer all ever".split()  # noqa: SIM905
)
_BEHIND = frozenset("and or but at in on right now today currently anymore any yet these".split())  # noqa: SIM905
_WHETHER = re.compile(r"\W*(?:is|are|was|were)\b", re.IGNORECASE)
_STATE = re.compile(
    rf"(?:(?<![\w-])(?P<before>[\w']+) )?(?<![\w-])(?P<not>not |no longer )?(?P<state>{'|'.join(_PHRASES)})(?![\w-])"
    r"(?=(?: (?P<behind>\w+))?)"
)


def with_states(text: str, graph: Graph) -> str:
    """A question with how things stand said as in the graph; unchanged where the graph has the word that is used, none
    that says the same, or several."""
    return _STATE.sub(lambda match: _said(match, graph), text)


def _said(match: re.Match[str], graph: Graph) -> str:
    state, lexicon = match["state"], Lexicon.of(graph)
    before, behind = (match["before"] or "").lower(), match["behind"] or ""
    of_things = (stem(behind),) in lexicon.classes  # "broken machines"
    whether = _WHETHER.match(match.string) is not None and not behind  # "is the rack out of order"
    said_of = before in _BEFORE or (stem(before),) in lexicon.classes  # and not "counting the ones no longer working"
    of_itself = whether or (said_of and (not behind or behind in _BEHIND))
    if not (of_things or of_itself) or _known(state, graph):
        return match.group(0)
    phrase = f"not {state}" if match["not"] else state
    others = [each for group in _GROUPS if phrase in group for each in group if _stated(each, graph)]
    found = list(dict.fromkeys(others))
    plain = [each for each in found if not each.startswith("not ")] or found
    if len(plain) != 1 or (of_things and plain[0].startswith("not ")):
        return match.group(0)
    return f"{match['before']} {plain[0]}" if match["before"] else plain[0]


def _stated(state: str, graph: Graph) -> bool:
    """The same, where it is no relation that leads elsewhere: the day that a loan is "due" is no state of it."""
    said = stems(state.removeprefix("not "))
    return _known(state, graph) and not (said in Lexicon.of(graph).relations and not _flagged(said, graph))


def _flagged(words: tuple[str, ...], graph: Graph) -> bool:
    return any(stems(flag.label) == words for flag in flags(graph))


def _known(state: str, graph: Graph) -> bool:
    """Whether a graph says so of things: by a flag, a value, or a name of its schema."""
    said, lexicon = state.removeprefix("not "), Lexicon.of(graph)
    words = stems(said)
    if _flagged(words, graph):
        return True
    return words in lexicon.relations or words in lexicon.classes or bool(graph.resolve(said))
