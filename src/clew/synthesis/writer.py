"""Structures to questions in English, without a language model.

Phase 2 of STEM's reverse generation (paper appendix C.2) with a grammar in the place of the language model. Each
relation has its `PhraseGrammar`; a chain nests noun phrases ("the spouse of the person who directed {x}"), the last
step asks, a branch becomes a relative clause. Everything is drawn by one seeded generator.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.graph.kinds import kinds_of_any
from clew.graph.subgraph import Ints, Subgraph
from clew.labels import singular_of
from clew.synthesis.lexicon import SAME, Meaning, extended, meaning_of, shared
from clew.synthesis.phrases import (
    Kind,
    PhraseGrammar,
    Phrasing,
    Side,
    grammar,
    has_words,
    kind_of,
    name_of,
    words_of,
)
from clew.synthesis.structures import Step, Structure, mask
from clew.synthesis.verbs import plural_of
from clew.types import Entity

_YEAR = re.compile(r"-?\d{3,4}(?:-\d\d(?:-\d\d)?)?(?:T.*)?")
_NUMERIC = re.compile(r"[-+]?[\d,]*\.?\d+(?:[eE][-+]?\d+)?")
_WRAPPERS = (
    "{}",
    "what is {}",
    "name {}",
    "tell me {}",
    "can you tell me {}",
    "i want to know {}",
    "please give me {}",
)
_WHO_WRAPPERS = ("{}", "who is {}", "name {}", "tell me who {} is", "do you know who {} is")


_PLURAL_VERBS = {"was": "were", "is": "are", "does": "do", "has": "have", "falls": "fall"}
_SWAPS = re.compile(rf"\b(?:{'|'.join(sorted(SAME, key=len, reverse=True))})\b")


@dataclass(frozen=True, slots=True)
class Written:
    """A question and the assertions behind it, with placeholders for what the asker does not know."""

    text: str
    form: str  # which construction was used, for the report
    assertions: tuple[str, ...]  # one per masked triple
    masked: tuple[tuple[str, str, str], ...]  # (head, relation, tail) with [ENTi] for everything but the topics


class Writer:
    """Knows how every relation of one graph reads."""

    def __init__(self, graph: Subgraph, seed: int) -> None:
        self.graph = graph
        self.random = np.random.default_rng(seed)
        self.used: Counter[str] = Counter()
        self._swapped: dict[str, tuple[str, ...]] = {}
        self._types = _type_nouns(graph)
        self._meanings: list[Meaning | None] = [
            meaning_of(words_of(graph.relation(r).id)) or meaning_of(words_of(graph.relation(r).label))
            for r in range(graph.num_relations)
        ]
        self._nouns = _nouns_as_heads(graph, self._meanings)
        self._kinds = _kinds_as_tails(graph)
        self.grammars: list[PhraseGrammar] = self._read_relations()

    @property
    def forms(self) -> int:
        """How many phrasings the grammar of this graph's relations holds."""
        return sum(g.forward.forms + g.backward.forms for g in self.grammars)

    @property
    def unreadable(self) -> list[str]:
        """Ids of the relations whose names hold no word (`P31`): their labels are missing."""
        relations = map(self.graph.relation, range(self.graph.num_relations))
        return [relation.id for relation in relations if not has_words(name_of(relation))]

    def state(self, relation: int, head: str, tail: str) -> str:
        """One triple as a declarative sentence."""
        return _fill(self.grammars[relation].statement, head, tail)

    def write(self, structure: Structure) -> Written:
        """One question for a structure."""
        names = self.graph.labels([structure.topic] + ([structure.branch.topic] if structure.branch else []))
        subject = names[0]
        clause = ""
        if structure.branch:
            relation, forward = structure.branch.steps[0]
            phrasing = self._phrasing((relation, forward))
            options = phrasing.clauses or tuple(f"is {phrase}" for phrase in phrasing.noun_phrases)
            clause = self._pick(options).replace("{x}", names[1])
        station = 0
        turned = self._turned(structure)
        simple, many = True, False  # the subject is a name, or "X's mother's" something; it is plural
        if (noun := self._kind_of(structure.topic)) and self.random.random() < 0.12:
            subject, simple = f"{self._pick((f'the {noun}',))} {subject}", False
        for i, step in enumerate(structure.steps[: -2 if turned else -1]):
            subject, possessive, many = self._name(step, subject, simple, many)
            simple = simple and possessive
            if not self.graph.mediators[structure.thread[i + 1]]:
                station += 1
                if structure.branch and structure.branch.station == station:
                    subject, simple = f"{subject} that also {clause}", False
        last = structure.steps[-1]
        at_end = clause if structure.branch and structure.branch.station == structure.hops else ""
        if turned:
            text, form = _agreeing(self._pick(turned), many).replace("{x}", subject), "shared"
        else:
            several = len(structure.answers) > 1
            text, form = self._ask(last, subject, at_end, simple=simple, many=many, several=several)
        form = f"{structure.hops} hops, {'conjunction, ' if structure.branch else ''}{form}"
        self.used[form] += 1
        masked = mask(self.graph, structure)
        said = tuple(self.state(r, h, t) for (_, r, _), (h, _, t) in masked)
        return Written(self._style(text), form, said, tuple(words for _, words in masked))

    def _turned(self, structure: Structure) -> tuple[str, ...]:
        """Questions for a chain whose last step goes back over its last but one, more often than not."""
        steps = structure.steps
        if len(steps) < 2 or structure.hops != len(steps) or structure.branch or self.random.random() < 0.4:
            return ()
        (relation, forward), (back, again) = steps[-2:]
        if relation != back or forward == again:
            return ()
        meaning = self._meanings[relation]
        words = _possessable(words_of(name_of(self.graph.relation(relation))))
        nouns = (meaning.nouns if meaning else ()) or ((words,) if words else ())
        head, tail = self._sides[relation]
        if not nouns or (not forward and not head.noun):
            return ()
        verb = meaning.verbs[int(self.random.integers(len(meaning.verbs)))] if meaning and meaning.verbs else None
        return shared(self._pick(nouns), verb, head, tail, forward=forward)

    def _ask(
        self, step: Step, subject: str, clause: str, *, simple: bool, many: bool, several: bool
    ) -> tuple[str, str]:
        """The last step as a question, and its construction. `many`: the subject is plural; `several`: the answer."""
        phrasing = self._phrasing(step)
        pattern = self.grammars[step[0]].pattern + (" forward" if step[1] else " backward")
        side = self._side(step)
        if clause:
            phrase, _, plural = self._name(step, subject, simple, many)
            asked = f"{'who' if side.kind == 'person' else 'what'} {'are' if plural else 'is'}"
            return f"{asked} {phrase} and also {clause}", f"{pattern} wrapped"
        if self.random.random() < 0.25:
            wrappers = _WHO_WRAPPERS if side.kind == "person" else _WRAPPERS
            phrase, _, plural = self._name(step, subject, simple, many)
            wrapper = self._pick(wrappers)
            if plural:
                wrapper = re.sub(r"\bis\b", "are", wrapper)
            if wrapper == "{}" and self.random.random() < 0.5:
                phrase = phrase.removeprefix("the ")
            return wrapper.replace("{}", phrase), f"{pattern} wrapped"
        options = phrasing.asks_many if several and self.random.random() < 0.7 else phrasing.asks
        return _agreeing(self._pick(_fitting(options, simple)), many).replace("{x}", subject), pattern

    def _name(self, step: Step, subject: str, simple: bool, many: bool) -> tuple[str, bool, bool]:
        """A phrase for what a step reaches, whether it is a possessive, and whether it is plural."""
        chosen = self._pick(_fitting(self._phrasing(step).noun_phrases, simple))
        plurals = _exchanged(plural_of(self._side(step).word))
        plural = any(chosen.removeprefix("the ").startswith(f"{each} ") or chosen.endswith(each) for each in plurals)
        return _agreeing(chosen, many).replace("{x}", subject), chosen.startswith("{x}'s "), plural

    def _kind_of(self, entity: int) -> str:
        """A noun that people put before a name ("the film Heat"), or nothing; nobody says "the person Ada"."""
        noun = self._types.get(entity, "") or self._nouns[entity]
        return "" if noun == "person" else noun

    def _style(self, text: str) -> str:
        """As people type: sometimes a capital and a question mark, sometimes neither."""
        if self.random.random() < 0.5:
            text = text[:1].upper() + text[1:]
        return text + "?" if self.random.random() < 0.7 else text

    def _pick(self, options: tuple[str, ...]) -> str:
        """One of the options, with nouns exchanged for what people also call such things."""
        chosen = options[int(self.random.random() * len(options))]
        variants = self._swapped.get(chosen)
        if variants is None:
            variants = self._swapped[chosen] = _exchanged(chosen)
        return variants[int(self.random.random() * len(variants))] if len(variants) > 1 else chosen

    def _phrasing(self, step: Step) -> Phrasing:
        relation, forward = step
        return self.grammars[relation].forward if forward else self.grammars[relation].backward

    def _side(self, step: Step) -> Side:
        relation, forward = step
        return self._sides[relation][1 if forward else 0]

    def _read_relations(self) -> list[PhraseGrammar]:
        graph = self.graph
        self._sides: list[tuple[Side, Side]] = []
        grammars = []
        order = np.argsort(graph.rels, kind="stable")
        bounds = np.searchsorted(graph.rels[order], np.arange(graph.num_relations + 1))
        for r in range(graph.num_relations):
            mine = order[bounds[r] : bounds[r + 1]]
            sample = mine[:: max(1, len(mine) // 64)][:64]
            relation = graph.relation(r)
            name = name_of(relation)
            named = kind_of(words_of(name))
            head = self._look(graph.heads[sample], None)
            tail = self._look(graph.tails[sample], named)
            noun = head.noun or _domain_of(relation.id)
            told = "" if noun else _majority([self._nouns[h] for h in graph.heads[sample]])
            # "film" says that a head is no person; "person" is a kind and no noun.
            head = Side("person" if told == "person" else "thing", told.replace("person", "")) if told else head
            head = Side(head.kind, head.noun or noun)
            self._sides.append((head, tail))
            meaning = self._meanings[r]
            read = grammar(name, head, tail)
            grammars.append(read if meaning is None else extended(read, meaning, head, tail))
        return grammars

    def _look(self, entities: Ints, named: Kind | None) -> Side:
        """The kind and noun of one end of a relation, from a sample of the entities there."""
        noun = _majority([self._types.get(e, "") for e in entities.tolist()])
        records = [self.graph.entity(int(e)) for e in entities[:16]]
        seen = _kind_seen(records)
        if seen != "thing":
            return Side(seen, "")
        kind = named if named not in ("date", "number") else None
        return Side(kind or (kind_of(noun) if noun else None) or _agreed(self._kinds[entities]), noun)


def _exchanged(phrase: str) -> tuple[str, ...]:
    """The phrase, and the phrase with other nouns for the same things."""

    def other(n: int) -> str:
        return _SWAPS.sub(lambda m: SAME[m[0]][n % len(SAME[m[0]])], phrase)

    return tuple(dict.fromkeys((phrase, other(0), other(1))))


def _agreeing(template: str, many: bool) -> str:
    """The template's verb in the plural where `{x}` is its subject and plural: "when were the films released"."""
    if not many or "whose" in template:
        return template
    template = re.sub(r"\b(was|is|does|has)(?= \{x\})", lambda m: _PLURAL_VERBS[m[0]], template)
    return re.sub(r"(?<!of \{x\} )(?<=\{x\} )(was|is|does|has|falls)\b", lambda m: _PLURAL_VERBS[m[0]], template)


def _fitting(options: tuple[str, ...], simple: bool) -> tuple[str, ...]:
    """Without possessives when the subject is a longer phrase: "the film that X directed's genre" reads badly."""
    if simple:
        return options
    return tuple(option for option in options if "{x}'s" not in option and not option.startswith("{x} ")) or options


def _possessable(words: str) -> str:
    """A relation's words where they read as a noun, else nothing."""
    words = re.sub(r"^has ", "", words)
    return (
        "" if re.search(r"(?:^(?:in|is|on|at|to)|(?:by|in|of|to|on|at|with|from))$|^in ", words) else singular_of(words)
    )


def _fill(template: str, head: str, tail: str) -> str:
    # Two passes would let a label that contains "{t}" be filled a second time.
    before, _, after = template.partition("{h}")
    if "{t}" in before:
        left, _, middle = before.partition("{t}")
        return left + tail + middle + head + after
    middle, _, right = after.partition("{t}")
    return before + head + middle + tail + right


def _kind_seen(records: list[Entity]) -> Kind:
    """What the values themselves show: dates and numbers are recognised by their form."""
    labels = [record.label for record in records if record.kind != "mediator"]
    if not labels:
        return "thing"
    dated = sum(bool(_YEAR.fullmatch(label)) for label in labels)
    if dated > 0.8 * len(labels):
        return "date"
    if sum(bool(_NUMERIC.fullmatch(label)) for label in labels) > 0.8 * len(labels):
        return "number"
    return "thing"


def _kinds_as_tails(graph: Subgraph) -> NDArray[np.int8]:
    """(N,) what the relations that point at an entity say of it: 1 person, 2 place, 0 nothing.

    A person's own relations seldom say so ("nationality"), but those that lead to people do ("spouse").
    """
    codes = np.zeros(graph.num_relations, np.int8)
    for r in range(graph.num_relations):
        kind = kind_of(words_of(name_of(graph.relation(r))))
        codes[r] = {"person": 1, "place": 2}.get(kind or "", 0)
    said = np.zeros(graph.num_entities, np.int8)
    np.maximum.at(said, graph.tails, codes[graph.rels])
    return said


def _nouns_as_heads(graph: Subgraph, meanings: list[Meaning | None]) -> list[str]:
    """(N,) a noun for entities that have a relation which gives it away: what has actors is a film."""
    nouns = [""] * graph.num_entities
    for r, meaning in enumerate(meanings):
        if meaning is not None and meaning.heads:
            for head in np.unique(graph.heads[graph.rels == r]).tolist():
                nouns[head] = meaning.heads
    return nouns


def _agreed(codes: NDArray[np.int8]) -> Kind:
    """The kind that four in five of the known ones share, when at least one in five is known."""
    known = codes[codes > 0]
    if len(known) < 0.2 * len(codes):
        return "thing"
    people = float((known == 1).mean()) if len(known) else 0.0
    return "person" if people >= 0.8 else "place" if people <= 0.2 and len(known) else "thing"


def _majority(nouns: list[str]) -> str:
    known = Counter(noun for noun in nouns if noun)
    if not known:
        return ""
    noun, count = known.most_common(1)[0]
    return noun if count > 0.5 * len(nouns) else ""


def _domain_of(relation: str) -> str:
    """`film.film.directed_by` → `film`; the middle part of a Freebase-style name is the type of its head."""
    parts = relation.split(".")
    return parts[-2].replace("_", " ") if len(parts) >= 3 and "/" not in relation else ""


def _type_nouns(graph: Subgraph) -> dict[int, str]:
    """A noun for every entity whose type the graph states."""
    wanted = kinds_of_any(graph.names).all
    if not wanted:
        return {}
    rows = np.flatnonzero(np.isin(graph.rels, wanted))
    kinds = np.unique(graph.tails[rows])
    nouns = dict(zip(kinds.tolist(), graph.labels(kinds), strict=True))
    readable = {kind: words_of(noun) for kind, noun in nouns.items()}
    return {
        int(head): readable[int(tail)]
        for head, tail in zip(graph.heads[rows].tolist(), graph.tails[rows].tolist(), strict=True)
        if readable[int(tail)]
    }
