"""A question in the words of a graph: misspelt kinds of things, and names behind a kind that is used as a title.

Done before anything is linked, so that every reader of the question sees the same words. Only what has one meaning is
changed: one kind that is one slip away, one thing of the kind that is called so.
"""

from __future__ import annotations

import re
from dataclasses import replace

from rapidfuzz.distance import OSA

from clew.graph import Graph
from clew.graph.names import words_of
from clew.query import plan as p
from clew.query.execute import execute
from clew.query.rewording import asked_first
from clew.query.values import unit_of
from clew.query.vocabulary import NUMBERS, SYNONYMS, stem
from clew.query.wordnet import is_word
from clew.retrieval.chunks import LIGHT
from clew.retrieval.lexicon import Lexicon, kind_meant, stems
from clew.retrieval.states import with_states
from clew.retrieval.words import FUNCTION
from clew.types import Question

SHORTEST = 5  # letters of a word that may be a slip
LONGEST = 200  # kinds whose names are compared with a word
LABELS = 20_000  # things of a kind whose names are looked at
_WORD = re.compile(r"(?<![\w'’-])[a-z]+(?![\w'’-])")
_THEN_WHICH = re.compile(  # what is asked for comes after the question whether there is one
    r"^\W*(?:is|are) (?:there )?(?:some|any)(?:body|one|thing)? (?:else )?(?P<that>that |who |which )?"
    r"(?P<rest>[^?]+)\? *(?P<wh>who|which|what)(?: (?P<noun>[\w -]+?))?(?: (?:is|are) (?:it|they|that))?\W*$",
    re.IGNORECASE,
)
_NUMBER = rf"(?P<n>\d+|{'|'.join(each for each in NUMBERS if len(each) > 2)})"
_SO_MANY = re.compile(rf"\b(?:the )?{_NUMBER}-(?P<noun>[a-z]{{3,}}) (?P<things>[a-z]+s)\b", re.IGNORECASE)
_IN_SO_MANY = re.compile(rf" in {_NUMBER} (?P<noun>[a-z]{{3,}}s)(?=\W*$)", re.IGNORECASE)
_WHETHER = re.compile(r"^(?:is|was) (?P<x>.+) with exactly (?P<rest>.+)$", re.IGNORECASE)
_TITLED = re.compile(r"\b(?P<title>[A-Z][a-z]+) (?P<name>[A-Z][\w'’-]*\w)(?! [A-Z])")


def in_graph_words(question: Question, graph: Graph) -> Question:
    """The question with kinds spelt, and things named, as in the graph; unchanged where its topics are given."""
    lexicon = Lexicon.of(graph)
    if question.topics or not lexicon.types:
        return question
    text = with_states(asked_first(_asking_which(question.text)), graph)
    text = _SO_MANY.sub(lambda match: _so_many(match, lexicon), text)
    text = _IN_SO_MANY.sub(lambda match: _so_many(match, lexicon), text)
    text = _WHETHER.sub(r"does \g<x> have exactly \g<rest>", text) if text != question.text else text
    text = _TITLED.sub(lambda match: _named(match, lexicon, graph), text)
    text = _WORD.sub(lambda match: _spelt(match.group(0), lexicon, graph), text)
    return question if text == question.text else replace(question, text=text)


def _so_many(match: re.Match[str], lexicon: Lexicon) -> str:
    """ "Four-act operas", "operas in four acts" as "operas with exactly four acts", where the graph speaks of acts."""
    noun, things = stem(match["noun"]), match.groupdict().get("things")
    known = any(noun in stems(label) for label in lexicon.labels.values()) or (noun,) in lexicon.classes
    if not known or unit_of(noun) is not None or (things and (stem(things),) not in lexicon.classes):
        return match.group(0)
    said = f"with exactly {match['n']} {noun}s"
    return f"{things} {said}" if things else f" {said}"


def _asking_which(text: str) -> str:
    """ "Is anybody in both clubs? Who?" asks who is in both clubs."""
    match = _THEN_WHICH.match(text)
    if match is None:
        return text
    asked = f"{match['wh'].lower()} {match['noun']}" if match["noun"] else match["wh"].lower()
    return f"{asked} {'' if match['that'] else 'is '}{match['rest'].strip()}?"


def _spelt(word: str, lexicon: Lexicon, graph: Graph) -> str:
    """A word, or the kind that it is one slip away from, in the same number."""
    root = stem(word)
    known = (root,) in lexicon.classes or (root,) in lexicon.relations or SYNONYMS.get(root)
    if len(word) < SHORTEST or known or word in FUNCTION or word in LIGHT or graph.resolve(word):
        return word
    kinds = {part: said for said in list(lexicon.classes)[:LONGEST] for part in said if len(part) >= SHORTEST - 1}
    near = [part for part in kinds if part[0] == word[0] and _one_slip(word, part)]
    said = {part for labels in lexicon.labels.values() for part in stems(labels)}
    if len(near) != 1 or root in said or any(root in name for name in lexicon.classes) or is_word(word):
        return word
    return f"{near[0]}s" if word.endswith("s") and not near[0].endswith("s") else near[0]


def _one_slip(word: str, kind: str) -> bool:
    """Whether a word is a kind, or several of it, with one letter wrong, missing, too many or in another's place."""
    forms = (kind, f"{kind}s") if word.endswith("s") else (kind,)
    return any(OSA.distance(form, word, score_cutoff=1) == 1 for form in forms) and f"{kind}s" != word


def _named(match: re.Match[str], lexicon: Lexicon, graph: Graph) -> str:
    """ "Judge Pike" as "Rosalind Pike", where judges are a kind and one of them is called so."""
    title = match["title"].lower()
    kind = lexicon.classes.get((stem(title),))
    if kind is None and (meant := kind_meant(title, lexicon)) is not None:
        kind = meant[0]  # "Councillor Pike" of a member
    if kind is None or graph.resolve(match.group(0)) or graph.resolve(match["name"]):
        return match.group(0)
    members = execute(p.Class(kind), graph).members
    folded = {word.folded for word in words_of(match["name"])}
    if len(members) > LABELS or not folded:
        return match.group(0)
    labels = [label for label in graph.labels_at(members) if folded <= {word.folded for word in words_of(label)}]
    return labels[0] if len(labels) == 1 else match.group(0)
