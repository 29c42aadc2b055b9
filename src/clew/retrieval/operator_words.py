"""What of a question is an operator in this graph: names, quotations and the names of relations are read for none.

Kept apart from `clew.query.question`, a grammar that knows no graph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from clew.graph import Graph
from clew.labels import label_to_text
from clew.protocols import GraphStore
from clew.query.asked import Filter, Ranked, ReadQuestion
from clew.query.denials import Denial, denial
from clew.query.question import REASON, read_question
from clew.query.vocabulary import stem
from clew.retrieval.against import against
from clew.retrieval.lexicon import WORD, Lexicon, stems
from clew.retrieval.tenses import When, tense_of
from clew.retrieval.two_names import of_two_names
from clew.retrieval.words import FUNCTION
from clew.types import Question

R = TypeVar("R", ReadQuestion, Denial, Filter, Ranked)
MARKED = re.compile(
    r"\b(?:or|either|neither|not|never|without|except|excluding|besides|other than|apart from|but not|no"
    r"|nobody|nothing|none|outside)\b|n['’]t\b",
    re.I,
)  # words that join or deny sets: no relation path says them
EITHER = re.compile(r"\b(an?) \w+ or (an?) \w+\s*\W*$", re.I)  # "is she a singer or a writer" asks which, not whether
_REASONS = frozenset(["reason", "cause", "because", "purpose", "why", "motive", "explanation", "due"])
_NAME = re.compile(r"[A-Z][\w'’-]*(?: (?:(?:of|the|and|at|to|for|a|in|from|on|with) )*[A-Z0-9][\w'’-]*)*")
_QUOTED = re.compile(r"(?<!\w)[\"“«„](?P<inner>[^\"“”«»„]{2,})[\"”»]")
_RANKS = re.compile(r"first|last|latest|best|worst|top|most|least|(?:high|low|long|larg|small|old|new|young|earli)est")
_SIGN = re.compile(r"zz[a-z]zz", re.IGNORECASE)  # stands for a name
_GROUPED = re.compile(
    r"\b(?:average|mean|total|combined|sum of|number of|how many)(?: the)? [a-z]+(?: [a-z]+)?"
    r" by (?:the )?(?P<group>[a-z]+)\W*$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class OperatorQuestion:
    """A question with what its words ask for beside a set; no `read`: nothing, and a method's path answers it."""

    question: Question
    read: ReadQuestion | None
    marked: bool  # words join or deny sets; "a man or a woman" names what to choose from
    denied: Denial | None = None  # a link that the things asked for lack
    when: When = ""  # of links that say until when they held: those that hold now, or those that are over

    @property
    def rest(self) -> Question:
        """What a method is asked: the question without its operator."""
        return self.question if self.read is None or not self.read.rest else replace(self.question, text=self.read.rest)


def asked_of(question: Question, graph: GraphStore) -> OperatorQuestion:
    """Read a question for its operators, knowing the names in it."""
    when: When = ""
    if isinstance(graph, Graph):
        question, when = tense_of(question, graph)
    text = question.text
    hidden, names = _without_names(question, graph)
    read = read_question(hidden)
    denied = denial(read.stated or hidden)
    denied = None if denied is None else _restored(denied, names)
    read = _restored(read, names)
    asked = None
    if isinstance(graph, Graph) and (read.kind == "plain" or read.count) and not (read.filters or read.removed[1:]):
        asked = against(read.rest, graph)
    if asked is not None:
        read = replace(asked, count=read.count, answer=read.answer)
    elif isinstance(graph, Graph) and not all(graph.resolve(side) for side in read.sides or ("",)):
        read = of_two_names(text, graph) or read
    marked = MARKED.search(hidden) is not None and EITHER.search(hidden) is None
    plain = read.kind == "plain" and not read.unsaid and not read.removed
    choice = read.answer == "truth" and EITHER.search(text) is not None
    if plain or choice or _is_named(read, graph):
        return OperatorQuestion(question, None, marked, denied, when)
    return OperatorQuestion(question, _by_groups(replace(read, text=text), graph), marked, denied, when)


def _is_named(read: ReadQuestion, graph: GraphStore) -> bool:
    """Whether the words that look like an operator name a relation here: a reason, a percentage, "highest point"."""
    if read.unsaid == REASON:
        return any(_REASONS & set(stems(label_to_text(r.label))) for r in graph.relations())
    figure = read.unsaid.removeprefix("a ")
    if figure.isalpha() and any(figure in label_to_text(r.label).lower() for r in graph.relations()):
        return True
    if read.ranked is None or read.kind != "superlative" or not read.removed:
        return False
    said = f"{read.removed[-1].split()[-1]} {read.ranked.noun}".strip().lower()
    labels = {label_to_text(r.label).lower() for r in graph.relations()}
    return any(re.search(rf"^{re.escape(label)}\b", said) for label in labels if " " in label)


_AROUND = re.compile(
    r"^(?P<kept>.+?),? (?:still |now |currently |there )?(?:in|at|on|within) (?:the|our|this|my) "
    r"(?P<noun>[a-z]+(?: [a-z]+)?)$"
)


def of_everything(read: ReadQuestion, graph: Graph) -> tuple[ReadQuestion, str] | None:
    """A question without an end that names nothing here and so means all of it, and that end: "the oldest host in the
    inventory".

    None where there is no such end, or the graph has something of its name.
    """
    match = _AROUND.match(read.stated or read.rest)
    if match is None or (read.ranked is None and not read.filters):
        return None
    noun, lexicon = match["noun"], Lexicon.of(graph)
    names = {stems(noun), stems(noun.split()[-1])}
    known = any(name in lexicon.classes or name in lexicon.relations for name in names) or graph.resolve(noun)
    return None if known else (replace(read, rest=match["kept"], stated=match["kept"]), noun)


def _by_groups(read: ReadQuestion, graph: GraphStore) -> ReadQuestion:
    """ "The number of films by genre" asks for one number of each genre, where that is a kind or a relation."""
    match = _GROUPED.search(read.text) if read.answer == "number" and not read.unsaid else None
    if match is None or not isinstance(graph, Graph):
        return read
    group, lexicon = match["group"], Lexicon.of(graph)
    if stem(group) != group or not ((group,) in lexicon.classes or (group,) in lexicon.relations):
        return read
    return replace(read, unsaid=f"a figure for each {group} by itself")


# -- names -------------------------------------------------------------------------------------------------------------


def _without_names(question: Question, graph: GraphStore) -> tuple[str, dict[str, str]]:
    """The question with a sign for each name in which a word might be taken for an operator, and what the signs stand
    for."""
    text = question.text
    plain = read_question(text)
    if plain.kind == "plain" and not plain.removed and not plain.unsaid and MARKED.search(text) is None:
        return text, {}
    signs: dict[str, str] = {}
    found = [*_names(question, graph), *(_stated_figures(text, graph) if plain.unsaid else ())]
    for name in sorted(dict.fromkeys(found), key=lambda each: -len(each)):
        sign = f"Zz{chr(ord('a') + len(signs))}zz"
        if name in text and len(signs) < 26:
            text, signs[sign] = text.replace(name, sign), name
    return text, signs


def _names(question: Question, graph: GraphStore) -> Iterator[str]:
    text = question.text
    yield from (match["inner"] for match in _QUOTED.finditer(text) if " " in match["inner"])
    if isinstance(graph, Graph):
        yield from (name for name in _NAME.findall(text) if " " in name and graph.resolve(name))
        yield from _ranks_in_names(text, Lexicon.of(graph))
        for id in question.topics:
            if graph.number_of(id) is not None and (said := _run(graph.entity(id).label, text)):
                yield said


def _ranks_in_names(text: str, lexicon: Lexicon) -> Iterator[str]:
    """What a relation or a kind is called by a word that else ranks: a "first ascent" is none of several."""
    found = list(WORD.finditer(text))
    said = [stem(match.group(0)) for match in found]
    names = (*lexicon.relations, *lexicon.classes)
    for named in {name[:-1] if name[-1] in FUNCTION else name for name in names}:  # a "first ascent of" is one
        if len(named) < 2 or not any(_RANKS.fullmatch(word) for word in named):
            continue
        for at in range(len(said) - len(named) + 1):
            if all(_alike(*pair) for pair in zip(said[at:], named, strict=False)):
                yield text[found[at].start() : found[at + len(named) - 1].end()]


def _alike(said: str, named: str) -> bool:
    """Whether two words are the same, or begin alike: the "first ascensionists" made a first ascent."""
    return said == named or (len(named) > 4 and said[:4] == named[:4] and not _RANKS.fullmatch(named))


def _stated_figures(text: str, graph: GraphStore) -> Iterator[str]:
    """What is stated and not computed: "points per game", "average age", where a relation is called so."""
    for relation in graph.relations():
        label = label_to_text(relation.label).lower()
        if (" per " in label or label.startswith(("average ", "mean ", "total "))) and (
            at := text.lower().find(label)
        ) >= 0:
            yield text[at : at + len(label)]


def _run(label: str, text: str) -> str:
    """The longest piece of a text that begins a name of several words, where it is more than half of it."""
    words = label.split()
    for count in range(len(words), max(1, len(words) // 2), -1):
        pattern = r"\W+".join(re.escape(word.strip(".,:;!?")) for word in words[:count])
        if (match := re.search(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE)) is not None:
            return match.group(0)
    return ""


def _restored(read: R, signs: dict[str, str]) -> R:
    """A record of a question's words with the names in the place of their signs."""
    known = {sign.lower(): name for sign, name in signs.items()}

    def named(value: Any) -> Any:
        if isinstance(value, str):
            return re.sub(_SIGN, lambda match: known.get(match.group(0).lower(), match.group(0)), value)
        if isinstance(value, tuple):
            return tuple(map(named, value))
        if isinstance(value, Ranked):
            return _restored(value, signs)
        return _restored(value, signs) if isinstance(value, Filter) else value

    return replace(read, **{f.name: named(getattr(read, f.name)) for f in fields(read)}) if signs else read
