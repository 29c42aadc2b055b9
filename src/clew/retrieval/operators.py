"""Operators around a method: it finds the set that remains, the plan counts, compares or filters it.

Kept apart from every room. A question is read once; without an operator it goes through untouched, so that a method
keeps the behaviour of its paper. Otherwise the method is asked for the rest, the relation path of its answer becomes a
set plan over the whole graph, and `decorate` puts the operator around it. What cannot be computed is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar

import numpy as np

from clew.errors import ClewError
from clew.graph import Graph
from clew.graph.remote import ServerGraph
from clew.graph.remote.mirror import at_hand
from clew.labels import label_to_text
from clew.protocols import GraphStore, Method, OnEvent, TextEncoder, ignore
from clew.query import plan as p
from clew.query.asked import ReadQuestion
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.decorate import Proposal, by_words, decorate
from clew.query.execute import execute
from clew.query.proof import proven
from clew.query.question import REASON, nested, read_question
from clew.query.text import parse, show
from clew.query.vocabulary import MEASURES, stem
from clew.retrieval.chunks import LIGHT
from clew.retrieval.composing import Composed, compose
from clew.retrieval.lexicon import Lexicon, stems
from clew.retrieval.linking import link, link_topics, unknown_names
from clew.retrieval.operating import Truth, bearers, named_together, operated
from clew.retrieval.tables import read_table
from clew.retrieval.words import FUNCTION
from clew.types import Answer, Candidate, Event, Question

SAME = 1e-6  # candidates whose scores differ less are one answer of the method
COMPOSED = 0.62  # a composed set below this leaves the question to what the method found
SURER = 0.9  # a composed set as sure as this, and surer than the method is of its answer, is taken instead
DOUBTFUL = 0.5  # where the method found nothing, a composed set from here on is taken
MARKED = re.compile(
    r"\b(?:or|either|neither|not|never|without|except|excluding|besides|other than|apart from|but not|no"
    r"|nobody|nothing|none)\b|n['’]t\b",
    re.I,
)  # words that join or deny sets: no relation path says them
_ELSEWHERE = "is put together over a folder or a small graph (triples_at_once) only; clew pull copies a part"
EITHER = re.compile(r"\b(an?) \w+ or (an?) \w+\s*\W*$", re.I)  # "is she a singer or a writer" asks which, not whether
_REASONS = frozenset(["reason", "cause", "because", "purpose", "why", "motive", "explanation", "due"])
_KINDS = frozenset(["kind", "type", "class", "category", "sort", "job", "occupation", "profession", "role"])
_NAME = re.compile(r"[A-Z][\w'’-]*(?: (?:(?:of|the|and|at|to|for|a|in|from|on|with) )*[A-Z0-9][\w'’-]*)*")
LEAST_ALIKE = 0.45  # cosine of operator words and a relation's label from which an encoder's opinion counts
TOGETHER = 4  # most relation paths of a method's answer that are taken together


class Operators:
    """A method with operators around it."""

    name: ClassVar[str] = "operators"

    def __init__(self, method: Method, encoder: TextEncoder | None = None) -> None:
        self._method, self._encoder = method, encoder
        self.name = method.name  # type: ignore[misc]  # answers carry the name of the method that found the set

    def answer(self, question: Question, graph: GraphStore, *, on_event: OnEvent = ignore) -> Answer:
        """One answer; by a plan where the question asks for more than a path."""
        return self.predict([question], graph, on_event=on_event)[0]

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        """One answer per question, in order; the method sees all that it is asked at once.

        A question that names what the graph does not hold is not answered: what passes over a name is no answer. Of a
        server's graph only where its names are at hand.
        """
        graph = at_hand(graph, on_event=on_event)
        if isinstance(graph, Graph) and Lexicon.of(graph).table:
            return [self._of_table(question, graph, on_event) for question in questions]
        named = isinstance(graph, Graph) or (isinstance(graph, ServerGraph) and graph.names is not None)
        missing = [unknown_names(question, graph) if named else [] for question in questions]
        known = [question for question, names in zip(questions, missing, strict=True) if not names]
        answers = iter(self._predict(known, graph, on_event))
        return [
            next(answers)
            if not names
            else Answer(question, self.name, note=f"the graph has nothing called {_listed(names)}")
            for question, names in zip(questions, missing, strict=True)
        ]

    def _of_table(self, question: Question, graph: Graph, on_event: OnEvent) -> Answer:
        """A question to one table: among the plans that the table allows the likeliest."""
        proposals = read_table(question.text, graph, self._encoder)
        if not proposals:
            return Answer(question, self.name, note="no cell, column or row of the table fits the question")
        return self._executed(Answer(question, self.name), question, proposals, graph, on_event)

    def _predict(self, questions: Sequence[Question], graph: GraphStore, on_event: OnEvent) -> list[Answer]:
        inner = [self._inner(question, graph, on_event) for question in questions]
        questions, stated = [q for q, _ in inner], questions
        read = [self._read(question.text, graph) for question in questions]
        asked = [
            question if each is None or not each.rest else replace(question, text=each.rest)
            for question, each in zip(questions, read, strict=True)
        ]
        answers = self._method.predict(asked, graph, on_event=on_event)
        made = [
            self._finished(question, each, answer, graph, within, on_event)
            for question, each, answer, (_, within) in zip(questions, read, answers, inner, strict=True)
        ]
        return [replace(answer, question=question) for answer, question in zip(made, stated, strict=True)]

    def _inner(
        self, question: Question, graph: GraphStore, on_event: OnEvent
    ) -> tuple[Question, tuple[str, p.SetPlan] | None]:
        """A question with the inner superlative put in by name: "the largest state" is found first, on its own."""
        parts = nested(question.text)
        if parts is None:
            return question, None
        before, phrase = parts
        asked = self.predict([Question(f"{question.id}/inner", f"what is {phrase}")], graph, on_event=on_event)[0]
        if (
            asked.plan is None
            or asked.plan.makes != "set"
            or not asked.candidates
            or asked.candidates[0].entity is None
        ):
            return question, None
        plan = parse(asked.plan.text)
        found = asked.candidates[0].entity
        if not isinstance(plan, p.SetPlan):
            return question, None
        on_event(Event("operators", f"{phrase}: {found.label}"))
        topics = (*question.topics, found.id)
        return replace(question, text=f"{before} {found.label}", topics=topics), (found.id, plan)

    def _read(self, text: str, graph: GraphStore) -> ReadQuestion | None:
        """What a question asks for beside a set; None where it has no operator, or its words name a relation."""
        read = _but_for_names(text, graph)
        if read.answer == "truth" and EITHER.search(text) is not None:
            return None
        if read.kind == "plain" and not read.unsaid and not read.removed:
            return None
        if read.unsaid == REASON and any(_REASONS & set(stems(label_to_text(r.label))) for r in graph.relations()):
            return None
        figure = read.unsaid.removeprefix("a ")  # a percentage that the graph states
        if figure.isalpha() and any(figure in label_to_text(r.label).lower() for r in graph.relations()):
            return None
        if read.ranked is not None and read.kind == "superlative" and read.removed:
            said = f"{read.removed[-1].split()[-1]} {read.ranked.noun}".strip().lower()
            labels = {label_to_text(r.label).lower() for r in graph.relations()}
            if any(re.search(rf"^{re.escape(label)}\b", said) for label in labels if " " in label):
                return None  # "highest point" is what a relation is called here
        return read

    def _finished(
        self,
        question: Question,
        read: ReadQuestion | None,
        found: Answer,
        store: GraphStore,
        within: tuple[str, p.SetPlan] | None,
        on_event: OnEvent,
    ) -> Answer:
        sets: Sequence[Composed] | None = None
        if read is None:
            if isinstance(store, Graph):
                try:
                    sets = self._answering(question, found, store)
                except ClewError as error:
                    on_event(Event("operators", str(error)))
                    return found
            if within is None and sets is None:
                if not isinstance(store, Graph):
                    return self._uncomposed(question, found)
                why = self._implausible(question, found, store)
                return replace(found, candidates=(), note=why) if why else found
            read = replace(read_question(""), stated=question.text)  # no operator of its own: the set is the answer
        if read.unsaid:
            why = "the graph states no reasons" if read.unsaid == REASON else f"I cannot compute {read.unsaid}"
            return replace(found, question=question, candidates=(), note=why)
        if not isinstance(store, Graph):
            kept = found.candidates if read.answer == "entity" else ()  # a list is no answer to "how many"
            return replace(found, question=question, candidates=kept, note=f"not applied: a {read.kind} {_ELSEWHERE}")
        graph = store
        try:
            if sets is not None:
                made = self._composed(question, read, sets, graph, least=self._least(question))
                proposals = self._plainly(question, made)
            else:
                proposals = self._proposals(question, read, found, graph)
        except ClewError as error:
            proposals = []
            on_event(Event("operators", str(error)))
        if not proposals:
            return found if sets is not None else self._unsaid(question, read, found, store)
        if within is not None:
            proposals = [Proposal(_put(each.plan, *within), each.prior) for each in proposals]
        return self._executed(found, question, proposals, graph, on_event)

    @staticmethod
    def _executed(
        found: Answer, question: Question, proposals: Sequence[Proposal], graph: Graph, on_event: OnEvent
    ) -> Answer:
        """An answer by the first of some plans."""
        best = proposals[0]
        on_event(Event("operators", show(best.plan), {"proposals": len(proposals)}))
        result = execute(best.plan, graph)
        candidates, evidence, proof = proven(result, graph, min(1.0, max(0.0, float(best.prior))))
        details = {**found.details, "plans": [{"plan": show(each.plan), "prior": each.prior} for each in proposals[:5]]}
        return replace(
            found, question=question, candidates=candidates, evidence=evidence, plan=proof, details=details,
            note="; ".join(result.notes),
        )  # fmt: skip

    def _uncomposed(self, question: Question, found: Answer) -> Answer:
        """What a method found over a store without arrays, where a folder's parts would have been composed as well."""
        if found.candidates and not _marked(question.text):
            return found
        why = f"not applied: a question of several parts {_ELSEWHERE}"
        return replace(found, note="; ".join(filter(None, (found.note, why))))

    def _answering(self, question: Question, found: Answer, graph: Graph) -> Sequence[Composed] | None:
        """What the parts of a question without an operator compose, where that answers it; None: the method's path."""
        sets = self._readings(question, graph)
        if not found.candidates or _marked(question.text):
            return sets
        if not sets or _one_path(sets[0].plan):
            return None  # methods read relation paths better: their words need not be those of the relations
        best = sets[0]
        if not _asks_for_members(best, question.text):
            return None
        if best.score >= COMPOSED and not best.unsaid and self._passes_over(best, found, graph):
            return sets
        if best.score < max(SURER, found.candidates[0].score):
            return None
        named = {id for node in p.walk(best.plan) if isinstance(node, p.Entities) for id in node.ids}
        if question.topics and not {topic.entity.id for topic in found.topics} <= named:
            return None  # the asker's topics are all to be used
        least = found.candidates[0].score - SAME
        said = {c.text for c in found.candidates if c.score >= least}
        return None if set(graph.labels_at(execute(best.plan, graph).members)) == said else sets

    @staticmethod
    def _passes_over(composed: Composed, found: Answer, graph: Graph) -> bool:
        """Whether the method's answer is of another kind than is asked for, or takes no path from something named."""
        best = [c for c in found.candidates if c.score >= found.candidates[0].score - SAME]
        kind = _kind(composed)
        if kind is not None and not composed.path:
            numbers = [graph.number_of(c.entity.id) for c in best if c.entity is not None]
            if not np.isin([n for n in numbers if n is not None], execute(kind, graph).members).any():
                return True
        used = {e.id for c in best for path in found.paths_of(c) for e in (path.start, path.end)}
        named = [set(node.ids) for node in p.walk(composed.base) if isinstance(node, p.Entities)]
        return bool(used) and any(used.isdisjoint(ids) for ids in named)

    def _readings(self, question: Question, graph: Graph, kind: p.SetPlan | None = None) -> list[Composed]:
        """What the question's parts compose; where the asker named its topics, only what is about one of them."""
        sets = compose(question, graph, self._encoder, kind)
        if not question.topics:
            return sets
        wanted = {topic.entity.id for topic in link_topics(question, graph).topics}

        def about(plan: p.SetPlan) -> bool:
            named = [id for node in p.walk(plan) if isinstance(node, p.Entities) for id in node.ids]
            return not named or not wanted.isdisjoint(named)

        return [replace(each, base=_narrowed(each.base, wanted)) for each in sets if about(each.plan)]

    def _unsaid(self, question: Question, read: ReadQuestion, found: Answer, graph: GraphStore) -> Answer:
        """No plan: a list is no answer to "how many"; where a set is asked for, the method answers alone."""
        if read.answer == "entity" and not read.negated and read.sides is None:
            alone = self._method.predict([question], graph)[0]
            alone = replace(alone, usage=found.usage + alone.usage)
            if isinstance(graph, Graph) and (why := self._missing(read, alone, graph)):
                return replace(alone, candidates=(), note=f"I cannot compare this: {why}")
            return replace(alone, note=alone.note or f"no relation fits the {read.kind}: not applied")
        asked = {"count": "count", "negation": "leave out", "boolean": "tell whether", "arithmetic": "compute"}.get(
            read.kind, "compare"
        )
        why = found.note or f"nothing was found for “{read.rest}”"
        return replace(found, question=question, candidates=(), note=f"I cannot {asked} this: {why}")

    @staticmethod
    def _implausible(question: Question, found: Answer, graph: Graph) -> str:
        """Why an answer cannot be what was asked for: what kind of thing something is, or a figure for "who"."""
        if not found.candidates:
            return ""
        paths = [path for c in found.candidates[:5] for path in found.paths_of(c) if path.relations]
        last = {path.relations[-1] for path in paths}
        binding, asked = Binding.of(graph), question.text.lower()
        moves = [(binding.relation(relation), forward) for relation, forward in last]
        if not moves:
            return ""
        kinds = all(relation in binding.type_relations and forward for relation, forward in moves)
        named = {part for topic in found.topics for part in stems(topic.mention)}
        told = {part for c in found.candidates[:5] for part in stems(c.text)}
        unmet = {stem(word) for word in stems(asked) if word not in FUNCTION and word not in LIGHT} - named - told
        if kinds and unmet and not unmet & _KINDS:
            return "the graph says of what kind it is, and nothing that the question asks for"
        if re.match(r"who(?:m|se)?\b", asked) and all(forward and column(graph, r).ordered for r, forward in moves):
            return "the graph has only figures where the question asks who"
        columns = [column(graph, *move) for move in moves]
        figures = [each.ordered for each in columns]
        if re.match(r"where\b", asked) and all(figures):
            return "the graph has only figures where the question asks for a place"
        digits = any(letter.isdigit() for c in found.candidates[:5] for letter in c.text)
        if re.match(r"when\b", asked) and (
            all(f and c.kind == "number" for f, c in zip(figures, columns, strict=True)) or not digits
        ):
            return "the graph has no date where the question asks when"
        measured = re.match(r"how (\w+)\b", asked)
        if measured and MEASURES.get(measured[1]) and measured[1] not in ("much", "many") and not digits:
            return f"the graph has no figure where the question asks how {measured[1]}"
        return ""

    def _missing(self, read: ReadQuestion, alone: Answer, graph: Graph) -> str:
        """What a graph lacks for a comparison: dates for a filter by date, the kind of thing for a superlative."""
        known = Binding.of(graph)
        dated = any(isinstance(each.value, p.Date) for each in read.filters)
        if dated and not any(column(graph, r).kind == "date" for r in range(graph.num_relations)):
            return "the graph states no dates"
        if read.ranked is not None and known.type_relations and not self._accounted(read, alone, graph):
            return "the graph has nothing of the kind that is asked for"
        return ""

    # -- sets --------------------------------------------------------------------------------------------------------

    def _proposals(self, question: Question, read: ReadQuestion, found: Answer, graph: Graph) -> list[Proposal]:
        """Plans, best first: of the set that the question's parts compose, else of the set that the method found."""
        if read.sides is not None:
            return self._compared(read, graph)
        if read.answer == "truth":
            return Truth(graph, self._encoder, self._likeness).proposals(question, read) or self._boolean(
                read, found, graph
            )
        sets = self._readings(_stated(question, read), graph)
        made = self._composed(question, read, sets, graph, least=self._least(question))
        if made:
            return made
        if read.count and not self._accounted(read, found, graph):
            return []
        domain = self._class_in(read.rest or question.text, graph)
        if read.negated and domain is None:
            return []  # without what is asked for there is nothing to take the denied ones from
        score = found.candidates[0].score if found.candidates else 0.5
        made = [
            Proposal(each.plan, each.prior * score)
            for base in self._sets(found, graph, domain)
            for each in decorate(graph, self._except(base, read, graph), read, likeness=self._likeness, domain=domain)
        ]
        return sorted(made, key=lambda each: -each.prior) or self._composed(question, read, sets, graph, least=DOUBTFUL)

    @staticmethod
    def _plainly(question: Question, made: list[Proposal]) -> list[Proposal]:
        """Of the plans for a question without an operator those that say what is asked for: "and Italy?" does not."""
        if _marked(question.text):
            return made
        return [each for each in made if not any(isinstance(node, p.All) for node in p.walk(each.plan))]

    @staticmethod
    def _least(question: Question) -> float:
        """From which score on a composed set is taken: no method's path says "or" and "not"."""
        return DOUBTFUL if _marked(question.text) else COMPOSED

    def _composed(
        self, question: Question, read: ReadQuestion, sets: Sequence[Composed], graph: Graph, *, least: float
    ) -> list[Proposal]:
        """Plans of the sets that the question's parts compose, or those of things that have what it asks for."""
        asked = _stated(question, read)
        sets = [each for each in sets if each.score >= least]
        if not sets and read.summary:
            sets = named_together(asked, graph, self._encoder)
        made = operated(graph, sets, read, self._likeness)
        if (made and made[0].prior >= least) or read.answer == "truth":
            return made
        sets = [
            each
            for kind in bearers(graph, read, self._likeness)
            for each in self._readings(asked, graph, kind)
            if each.score >= max(least, COMPOSED)
        ]
        others = operated(graph, sets, read, self._likeness)
        return sorted([*made, *others], key=lambda each: -each.prior)

    def _accounted(self, read: ReadQuestion, found: Answer, graph: Graph) -> bool:
        """Whether what a count is of ("lakes") is what the method's answers are, by the words of the last relation."""
        noun = next(
            (w for w in re.findall(r"[\w-]+", read.rest.lower())[1:] if w not in FUNCTION and w not in LIGHT), ""
        )
        if not found.candidates or not noun or self._class_in(noun, graph) is not None:
            return bool(found.candidates)
        relations = {path.relations[-1][0] for path in found.paths_of(found.candidates[0]) if path.relations}
        labels = [graph.relation_at(Binding.of(graph).relation(r)).label for r in sorted(relations)]
        return bool(labels) and max(self._likeness((noun,), labels)) >= LEAST_ALIKE

    def _except(self, plan: p.SetPlan, read: ReadQuestion, graph: Graph) -> p.SetPlan:
        """A set without what the question excepts: members of it, or what leads where the set leads, elsewhere.

        "The neighbours of France except Spain" leaves a member out; "who knows Rust but not Python" those who know
        Python, because Python itself is no member.
        """
        if not read.without:
            return plan
        topics = link(Question("without", read.without), graph, encoder=self._encoder)
        if not topics:
            return plan
        named = p.Entities(tuple(t.entity.id for t in topics))
        alike = None if len(execute(p.And((plan, named)), graph).members) else _from(named, plan)
        if alike is None or not len(execute(alike, graph).members):
            return p.Minus(plan, named)
        return p.Minus(plan, alike)

    def _sets(self, found: Answer, graph: Graph, domain: p.Class | None) -> list[p.SetPlan]:
        """The relation paths that the method's best answers end, as one set; of the kind asked for, where known."""
        if not found.candidates:
            return []
        best = found.candidates[0].score
        top = [candidate for candidate in found.candidates if candidate.score >= best - SAME]
        branches: dict[tuple[str, tuple[tuple[str, bool], ...]], None] = {}
        for candidate in top:
            for path in found.paths_of(candidate):
                branches.setdefault((path.start.id, path.relations))
        if not branches or len(branches) > 50:
            return []
        plans: dict[tuple[tuple[str, bool], ...], list[str]] = {}
        for start, relations in branches:
            plans.setdefault(relations, []).append(start)
        joint = self._joint(top, found)
        made = [_walked(starts, relations, graph) for relations, starts in list(plans.items())[:TOGETHER]]
        if joint:
            made = [_walked([start], relations, graph) for start, relations in list(branches)[:TOGETHER]]
        plan = made[0] if len(made) == 1 else p.And(tuple(made)) if joint else p.Or(tuple(made))
        if domain is not None:
            kept = p.And((domain, plan))
            if len(execute(kept, graph).members):
                return [kept]
        return [plan]

    @staticmethod
    def _joint(top: Sequence[Candidate], found: Answer) -> bool:
        """Whether each answer is reached from several starts: what meets there must meet in the plan as well."""
        starts = [{path.start.id for path in found.paths_of(candidate)} for candidate in top]
        return bool(starts) and all(len(each) > 1 and each == starts[0] for each in starts)

    def _class_in(self, text: str, graph: Graph) -> p.Class | None:
        """The class whose name the question says first."""
        known = Lexicon.of(graph).classes
        words = [stem(word) for word in re.findall(r"[\w-]+", text.lower())]
        for at in range(len(words)):
            for length in (3, 2, 1):
                label = known.get(tuple(words[at : at + length]))
                if label is not None:
                    return p.Class(label)
        return None

    # -- comparisons and truth ---------------------------------------------------------------------------------------

    def _compared(self, read: ReadQuestion, graph: Graph) -> list[Proposal]:
        assert read.sides is not None and read.ranked is not None
        sides = []
        for name in read.sides:
            topics = link(Question("side", name), graph, encoder=self._encoder)
            if not topics:
                return []
            same = [t.entity.id for t in topics if t.entity.label == topics[0].entity.label]
            sides.append(p.Entities(tuple(same)))  # whichever of the namesakes has what is compared
        both = p.Or((sides[0], sides[1]))
        binding, made = Binding.of(graph), []
        for proposal in decorate(
            graph, both, replace(read, sides=None, difference=False, answer="entity"), likeness=self._likeness
        ):
            if isinstance(proposal.plan, p.Top):
                key = proposal.plan.key
                last = binding.moves(key.path)[-1]
                if read.difference and not column(graph, *last).ordered:
                    continue
                plan: p.Plan = (
                    p.Difference(sides[0], sides[1], key)
                    if read.difference
                    else p.Compare(sides[0], sides[1], key, proposal.plan.largest)
                )
                if read.answer == "truth" and isinstance(plan, p.Compare):
                    plan = p.Is(sides[0], plan)
                made.append(Proposal(plan, proposal.prior))
        return made

    def _boolean(self, read: ReadQuestion, found: Answer, graph: Graph) -> list[Proposal]:
        """Whether two things named are linked by the relation that the words ask for."""
        if read.whoever:
            score = found.candidates[0].score if found.candidates else 0.0
            return [Proposal(p.Exists(plan), score) for plan in self._sets(found, graph, None)]
        topics = [topic.entity.id for topic in found.topics]
        others = [topic.entity.id for topic in link(Question("truth", read.rest), graph, encoder=self._encoder)]
        named = list(dict.fromkeys([*others, *topics]))
        for plan in self._sets(found, graph, None):
            starts = {id for node in p.walk(plan) if isinstance(node, p.Entities) for id in node.ids}
            rest = [id for id in named if id not in starts]
            if rest:
                return [Proposal(p.Is(p.Entities((rest[0],)), plan), found.candidates[0].score)]
        return []

    # -- likeness ----------------------------------------------------------------------------------------------------

    def _likeness(self, words: Sequence[str], labels: Sequence[str]) -> list[float]:
        """Words in common; where there are none, what the encoder makes of it."""
        plain = [label_to_text(label) for label in labels]
        scores = by_words(words, plain)
        if self._encoder is None or max(scores, default=0.0) > 0.5 or not words:
            return scores
        asked = self._encoder.encode([" ".join(words[:2])], role="query")
        known = self._encoder.encode(plain)
        alike = (known @ asked[0]).tolist()
        return [max(s, 0.8 * a) if a >= LEAST_ALIKE else s for s, a in zip(scores, alike, strict=True)]


def _but_for_names(text: str, graph: GraphStore) -> ReadQuestion:
    """A question read for its operators; what stands in a name is none: "The Last Tram" is no superlative."""
    read = read_question(text)
    if not isinstance(graph, Graph) or (read.kind == "plain" and not read.removed and not read.unsaid):
        return read
    names = [name for name in _NAME.findall(text) if " " in name and graph.resolve(name)]
    if not names:
        return read
    stands = {f"Zz{chr(ord('a') + i)}zz": name for i, name in enumerate(dict.fromkeys(names))}
    for sign, name in stands.items():
        text = text.replace(name, sign)

    def named(value: Any) -> Any:
        if isinstance(value, str):
            for sign, name in stands.items():
                value = re.sub(sign, lambda _, name=name: name, value, flags=re.IGNORECASE)  # type: ignore[misc]
            return value
        return (
            tuple(map(named, value)) if isinstance(value, tuple) and all(isinstance(v, str) for v in value) else value
        )

    hidden = read_question(text)
    return replace(hidden, **{f.name: named(getattr(hidden, f.name)) for f in fields(hidden)})


def _listed(names: Sequence[str]) -> str:
    return " or ".join(f"“{name}”" for name in names)


def _stated(question: Question, read: ReadQuestion) -> Question:
    """A question with what it denies and excepts, without its operators."""
    return replace(question, text=read.stated or question.text)


def _put(node: Any, id: str, plan: p.SetPlan) -> Any:
    """A plan with an entity replaced by the plan that found it."""
    return _rewritten(node, lambda entities: plan if entities.ids == (id,) else entities)


def _narrowed(node: Any, wanted: set[str]) -> Any:
    """A plan in which, of several entities of one name, only those stand that are wanted."""

    def kept(entities: p.Entities) -> p.Entities:
        ids = tuple(id for id in entities.ids if id in wanted)
        return p.Entities(ids) if ids else entities

    return _rewritten(node, kept)


def _rewritten(node: Any, change: Callable[[p.Entities], p.SetPlan]) -> Any:
    """A plan, or a part of one, with what `change` makes of each set of named entities."""
    if isinstance(node, p.Entities):
        return change(node)
    if isinstance(node, tuple):
        return tuple(_rewritten(each, change) for each in node)
    if isinstance(node, (p.Plan, p.Test)):
        record: Any = node
        return replace(record, **{f.name: _rewritten(getattr(record, f.name), change) for f in fields(record)})
    return node


def _marked(text: str) -> bool:
    """Whether words join or deny sets; "a man or a woman" names what to choose from."""
    return MARKED.search(text) is not None and EITHER.search(text) is None


def _kind(composed: Composed) -> p.Class | None:
    """The class whose members a composed set is of."""
    return next((node for node in p.walk(composed.base) if isinstance(node, p.Class)), None)


def _asks_for_members(composed: Composed, text: str) -> bool:
    """Whether members of a class may be the answer; "where is the company that …" asks for none."""
    return bool(composed.path) or _kind(composed) is None or re.match(r"(?:when|where|how)\b", text, re.I) is None


def _of_all(plan: p.SetPlan) -> bool:
    """Whether a plan is everything, or all that a relation leads to."""
    while isinstance(plan, p.Follow):
        plan = plan.of
    return isinstance(plan, p.All)


def _one_path(plan: p.SetPlan) -> bool:
    """Whether a plan is a relation path from what one name stands for."""
    if isinstance(plan, p.And):
        narrow = [part for part in plan.sets if not _of_all(part)]
        return len(narrow) == 1 and _one_path(narrow[0])
    while isinstance(plan, p.Follow):
        plan = plan.of
    return isinstance(plan, p.Entities)


def _from(starts: p.Entities, plan: p.SetPlan) -> p.SetPlan | None:
    """The relation path of a plan that is one path, from other starts; None for another plan."""
    if isinstance(plan, p.Entities):
        return starts
    if isinstance(plan, p.And):
        return next((made for made in (_from(starts, part) for part in plan.sets) if made is not None), None)
    if isinstance(plan, p.Follow):
        of = _from(starts, plan.of)
        return None if of is None else p.Follow(of, plan.path)
    return None


def _walked(starts: Sequence[str], relations: Sequence[tuple[str, bool]], graph: Graph) -> p.SetPlan:
    """A relation path as a set plan; a step through nameless nodes is one node of two relations."""
    plan: p.SetPlan = p.Entities(tuple(starts))
    left = [p.Step(relation, forward) for relation, forward in relations]
    while left:
        one = p.Follow(plan, (left[0],))
        members = execute(one, graph).members
        if len(left) > 1 and len(members) and bool(graph.mediators_at(members[:1])[0]):
            plan, left = p.Follow(plan, (left[0], left[1])), left[2:]
        else:
            plan, left = one, left[1:]
    return plan
