"""Whether two things have something in common: "do A and B belong to the same club", "do A and B share a circuit".

Kept apart from `operating`, where the rest of a yes-or-no question is a set that one thing is among: here the set is
read of the first of the two and asked of the other as well.
"""

from __future__ import annotations

import re
from dataclasses import replace

from clew.graph import Graph
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.decorate import Proposal
from clew.query.execute import execute
from clew.retrieval.chunks import spot
from clew.retrieval.composing import compose
from clew.retrieval.method_sets import rewritten
from clew.types import Question

_SAME = re.compile(r"\b(?:the|a) (?:very )?(?:same|common|shared) (?P<noun>\w+)\b", re.IGNORECASE)
_SHARE = re.compile(r"\bshare (?:the|a|an) (?P<noun>\w+)\b", re.IGNORECASE)
_ARTICLES = frozenset(["the", "a", "an"])
_BOTH = re.compile(r"\bboth\b", re.IGNORECASE)


def sharing(question: Question, stated: str, graph: Graph, encoder: TextEncoder | None) -> list[Proposal]:
    """Whether what is asked of two named things leads both to one; nothing where the words lead one of them nowhere.

    Args:
        stated: what the question states, "A and B belong to the same club".
    """
    match = _SAME.search(stated) or _SHARE.search(stated)
    if match is None:
        return []
    spotted = spot(replace(question, text=stated), graph, encoder)
    named = [(chunk, chunk.plan) for chunk in spotted.chunks if isinstance(chunk.plan, p.Entities)]
    if len(named) != 2:
        return []
    (first, one), (second, other) = named
    if set(spotted.words[first.end : second.start]) - _ARTICLES != {"and"}:
        return []
    gone = " ".join(spotted.words[second.start : second.end])
    verb = "" if match.re is _SAME else "have"
    text = f"{stated[: match.start()]} {verb} {stated[match.end() :]}"
    text = re.sub(rf"(?:\band )?(?:the )?(?<!\w){re.escape(gone)}(?!\w)", " ", text, count=1, flags=re.IGNORECASE)
    text = re.sub(r"\s+", " ", f"which {match['noun']} {_BOTH.sub(' ', text)}").strip()
    made: list[Proposal] = []
    for found in compose(replace(question, text=text), graph, encoder)[:2]:
        theirs = rewritten(found.plan, lambda node: other if node == one else node)
        if theirs == found.plan or isinstance(found.plan, p.Entities):
            continue
        if all(len(execute(plan, graph).members) for plan in (found.plan, theirs)):
            made.append(Proposal(p.Exists(p.And((found.plan, theirs))), found.score))
    return made
