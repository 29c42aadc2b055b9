"""Operators around a method: it finds the set that remains, the plan counts, compares or filters it.

Kept apart from every room. A question is read once; without an operator it goes through untouched, so that a method
keeps the behaviour of its paper. Otherwise the method is asked for the rest, the relation path of its answer becomes a
set plan over the whole graph, and `decorate` puts the operator around it. What cannot be computed is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from clew.errors import ClewError
from clew.graph import Graph
from clew.graph.remote import ServerGraph
from clew.graph.remote.mirror import at_hand
from clew.graph.sets import held
from clew.protocols import GraphStore, Method, OnEvent, TextEncoder, ignore
from clew.query import plan as p
from clew.query.as_asked import as_asked
from clew.query.asked import WH, ReadQuestion
from clew.query.decorate import Proposal, best_first, decorate
from clew.query.execute import execute
from clew.query.keys import Keys
from clew.query.proof import proven
from clew.query.question import REASON, nested, read_question
from clew.query.text import parse, show
from clew.query.totals import Summed, summed
from clew.query.values import untyped
from clew.retrieval.asking import asked_kind, nobody
from clew.retrieval.believing import believed
from clew.retrieval.believing import compared as set_beside
from clew.retrieval.composing import Composed, compose
from clew.retrieval.conditions import accounted_for, beside_values, guesses
from clew.retrieval.dating import with_years
from clew.retrieval.events.choosing import UNNAMED, chosen
from clew.retrieval.events.reading import read_events, scene_of
from clew.retrieval.events.scene import Scene
from clew.retrieval.flagging import undone_said
from clew.retrieval.lacking import Lacking, passes_over
from clew.retrieval.lasting import lasting
from clew.retrieval.lexicon import Lexicon, class_in, stems
from clew.retrieval.link_values import of_said_links
from clew.retrieval.linking import link, link_topics, unknown_names
from clew.retrieval.method_sets import (
    best_of,
    kind_of_all,
    narrowed,
    of_asked_kind,
    of_said_values,
    past_mediators,
    put,
    sets_of,
    without,
)
from clew.retrieval.method_sets import of_figures as figures_found
from clew.retrieval.onward import onward_to_kind
from clew.retrieval.operating import (
    bearers,
    compared,
    either,
    in_units,
    likeness_by,
    may_be,
    named_together,
    none_stated,
    of_both,
    of_named,
    operated,
    sides_of,
)
from clew.retrieval.operator_words import OperatorQuestion, asked_of, of_everything
from clew.retrieval.peers import not_stated
from clew.retrieval.plan_tests import (
    counting,
    counts_all,
    falls_short,
    is_ranked,
    is_whole,
    leaves_out,
    meets,
    of_all_there_is,
    of_anything,
)
from clew.retrieval.pronouns import WHO, asked_of_them
from clew.retrieval.records import read_records
from clew.retrieval.refusing import (
    YES_AND_NO,
    accounted,
    counts_others,
    implausible,
    mismeasured,
    missing,
    only_truth,
    past,
    undated,
    unmet,
    unstated,
)
from clew.retrieval.spoken import in_graph_words
from clew.retrieval.summing import counts, of_figures, owed
from clew.retrieval.tables import read_table
from clew.retrieval.telling import says, tells
from clew.retrieval.tenses import in_tense, kept_in_tense
from clew.retrieval.together import linked
from clew.retrieval.truth import Truth, as_count
from clew.retrieval.two_values import value_said
from clew.retrieval.unnamed import Option, Weighed, likeliest, read_of, weighed, weighs
from clew.types import Answer, Event, Question

SURE_OF_RECORDS = 0.85  # share of a question's words in a plan over records from which nothing else is asked
SOME_OF_RECORDS = 0.54  # the same where nothing else tells more than which records are meant
COMPOSED = 0.62  # a composed set below this leaves the question to what the method found
IDIOM = 0.7  # a method this sure has read the words that nothing can be compared by: "the last resting place"
DOUBTFUL = 0.5  # where the method found nothing, a composed set from here on is taken
LOOKED_AT = 20  # texts of a set, of which one may be somebody's name
MOST = 0.5  # share of the things compared that must have what they are compared by
_BEFORE = r"(?:in|on|at|of|for|from|by|to|with)"  # "in which city"
_ELSEWHERE = "is put together over a folder or a small graph (triples_at_once) only; clew pull copies a part"
_OF_COUNTS = "I cannot compute an average of counts"
_SAME = re.compile(r"\bthe same \w+", re.I)  # "did A and B attend the same school" is answered by the school


class Operators:
    """A method with operators around it."""

    name: ClassVar[str] = "operators"

    def __init__(self, method: Method, encoder: TextEncoder | None = None, *, trained: bool = False) -> None:
        """Put operators around a method.

        Args:
            trained: the method learned from questions what words mean in this graph; else it goes by names, and a word
            that no name accounts for makes an unsure answer none.
        """
        self._method, self._encoder, self._trained = method, encoder, trained
        self._likeness = likeness_by(encoder)
        self.ranks = not trained
        """Whether every plan over events is ranked; the script that fits the ranking asks without."""
        self.name = method.name  # type: ignore[misc]  # answers carry the name of the method that found the set

    @property
    def encoder(self) -> TextEncoder | None:
        """The encoder by which words and names are compared."""
        return self._encoder

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
        asked = questions
        if isinstance(graph, Graph):
            questions = [with_years(in_graph_words(question, graph), graph) for question in questions]
        scenes = [scene_of(said, graph, self._encoder) if isinstance(graph, Graph) else None for said in asked]
        records = [
            self._of_records(said, each, graph, scene) if isinstance(graph, Graph) else []
            for said, each, scene in zip(asked, questions, scenes, strict=True)
        ]
        sure = [bool(some) and some[0].prior >= SURE_OF_RECORDS for some in records]
        named = isinstance(graph, Graph) or (isinstance(graph, ServerGraph) and graph.names is not None)
        lacking = [
            unknown_names(question, graph) if named and not told else []
            for question, told in zip(questions, sure, strict=True)
        ]
        open_ = [
            question for question, names, told in zip(questions, lacking, sure, strict=True) if not (names or told)
        ]
        answers = iter(self._summed(open_, graph, on_event))
        made = []
        for question, names, told, some in zip(asked, lacking, sure, records, strict=True):
            answer = Answer(question, self.name, note=f"the graph has nothing called {_listed(names)}" if names else "")
            if not names and not told:
                answer = replace(next(answers), question=question)
            likely = bool(some) and some[0].prior >= SOME_OF_RECORDS
            if isinstance(graph, Graph) and (
                told or (likely and not tells(answer, some[0], graph, unnamed=UNNAMED in answer.details))
            ):
                answer = self._executed(answer, question, some, graph, on_event)
            made.append(answer)
        return [
            answer if names else self._or_events(answer, scene, graph, on_event)
            for answer, names, scene in zip(made, lacking, scenes, strict=True)
        ]

    def _or_events(
        self, answer: Answer, scene: Callable[[], Scene] | None, graph: GraphStore, on_event: OnEvent
    ) -> Answer:
        """The answer by the likeliest plan over events where that is likelier to be right; else the answer as sure as
        it is beside that plan."""
        if not self.ranks or scene is None or self._encoder is None or not isinstance(graph, Graph):
            return answer
        best = chosen(answer, scene, self._encoder)
        if best is None:
            return answer
        if best.plan is None:
            share = best.probability / max(answer.candidates[0].score, 1e-6)
            as_sure = tuple(replace(each, score=min(1.0, share * each.score)) for each in answer.candidates)
            return replace(answer, candidates=as_sure)
        instead = "no answer" if not answer.candidates else f"an answer at {answer.candidates[0].score:.2f}"
        told = {"router": f"the likeliest plan over events, at {best.probability:.2f}, instead of {instead}"}
        found = Answer(answer.question, self.name, topics=answer.topics, details={**answer.details, **told})
        proposals = [Proposal(best.plan.candidate.plan, best.probability)]
        return self._executed(found, answer.question, proposals, graph, on_event)

    def _of_records(
        self, said: Question, question: Question, graph: Graph, scene: Callable[[], Scene] | None
    ) -> list[Proposal]:
        """What is read of events and of records without names, the likelier of the two."""
        events = read_events(said, question, graph, self._encoder, scene)
        if events and events[0].prior >= SURE_OF_RECORDS:
            return events
        records = read_records(question, graph, self._encoder)
        return max((events, records), key=lambda each: each[0].prior if each else 0.0)

    def _of_table(self, question: Question, graph: Graph, on_event: OnEvent) -> Answer:
        """A question to one table: among the plans that the table allows the likeliest."""
        proposals = read_table(question.text, graph, self._encoder)
        if not proposals:
            return Answer(question, self.name, note="no cell, column or row of the table fits the question")
        return self._executed(Answer(question, self.name), question, proposals, graph, on_event)

    def _summed(self, questions: Sequence[Question], graph: GraphStore, on_event: OnEvent) -> list[Answer]:
        """Answers; where a question asks for the total or the mean of the figures that it asks for, that one figure."""
        said = [summed(question.text) if isinstance(graph, Graph) else None for question in questions]
        if not isinstance(graph, Graph) or not any(said):
            return self._predict(questions, graph, on_event)
        inner = [
            in_graph_words(replace(question, text=each[1]), graph)
            for question, each in zip(questions, said, strict=True)
            if each
        ]
        listed = iter(self._predict(inner, graph, on_event))
        first = [next(listed) if each else None for each in said]
        made = [
            None if each is None or found is None else self._one_figure(question, found, each, graph, on_event)
            for question, each, found in zip(questions, said, first, strict=True)
        ]
        left = [question for question, answer in zip(questions, made, strict=True) if answer is None]
        others = iter(self._predict(left, graph, on_event) if left else [])
        for k, each in enumerate(said):
            if made[k] is not None:
                continue
            whole, plain = next(others), first[k]
            made[k] = plain if plain is not None and is_ranked(plain) else whole
            if made[k] is plain:
                continue  # "the most rain in total" is the most rain
            if each is not None and plain is not None:
                figure = self._one_figure(questions[k], whole, each, graph, on_event)
                of_counts = each[0] == "mean" and counts(plain)
                made[k] = figure or (replace(whole, candidates=(), plan=None, note=_OF_COUNTS) if of_counts else whole)
        return [answer for answer in made if answer is not None]

    def _one_figure(
        self, question: Question, listed: Answer, said: tuple[Summed, str], graph: Graph, on_event: OnEvent
    ) -> Answer | None:
        """What an answer lists, added up or averaged, or how long it all took; None for other things."""
        how, text = said
        times = lasting(replace(question, text=text), graph, self._encoder, how)
        amounts = _COMES_TO.search(question.text) is not None
        plan = None if times else of_figures(listed, how, graph, amounts=amounts)
        proposals = times if plan is None else [Proposal(plan, listed.candidates[0].score)]
        return self._executed(listed, question, proposals, graph, on_event) if proposals else None

    def _predict(self, questions: Sequence[Question], graph: GraphStore, on_event: OnEvent) -> list[Answer]:
        inner = [self._inner(question, graph, on_event) for question in questions]
        asked = [asked_of(question, graph) for question, _ in inner]
        answers = self._method.predict([each.rest for each in asked], graph, on_event=on_event)
        made = [
            self._in_tense(each, self._finished(each, answer, graph, within, on_event), graph, on_event)
            for each, answer, (_, within) in zip(asked, answers, inner, strict=True)
        ]
        made = [self._of_links(each, answer, graph, on_event) for each, answer in zip(asked, made, strict=True)]
        made = [
            answer if answer.candidates else self._by_likeliest(each, answer, graph, on_event)
            for each, answer in zip(asked, made, strict=True)
        ]
        return [replace(answer, question=question) for answer, question in zip(made, questions, strict=True)]

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
        if not isinstance(plan, p.SetPlan) or found.datatype:
            return question, None
        on_event(Event("operators", f"{phrase}: {found.label}"))
        topics = (*question.topics, found.id)
        return replace(question, text=f"{before} {found.label}", topics=topics), (found.id, plan)

    def _finished(
        self,
        asked: OperatorQuestion,
        found: Answer,
        store: GraphStore,
        within: tuple[str, p.SetPlan] | None,
        on_event: OnEvent,
    ) -> Answer:
        question, read = asked.question, asked.read
        if isinstance(store, Graph) and (times := lasting(question, store, self._encoder)):
            return self._executed(found, question, times, store, on_event)
        if isinstance(store, Graph) and (lacking := self._lacking(asked, store)):
            return self._executed(found, question, lacking, store, on_event)
        if isinstance(store, Graph) and _HOW_MUCH.match(question.text):
            try:
                total = owed(question, self._sets, store, self._encoder)
            except ClewError:
                total = None
            if total is not None:
                return self._executed(found, question, [total], store, on_event)
        sets: Sequence[Composed] | None = None
        if read is None:
            if isinstance(store, Graph):
                try:
                    sets = self._answering(asked, found, store)
                except ClewError as error:
                    on_event(Event("operators", str(error)))
                    return found
            if within is None and sets is None:
                if not isinstance(store, Graph):
                    return self._uncomposed(asked, found)
                wanted = of_asked_kind(found, question.text, store, self._encoder)
                onward = onward_to_kind(found, question.text, store) or _of_them(wanted, question.text, store)
                if onward is not None:
                    prior = found.candidates[0].score
                    return self._executed(found, question, [Proposal(onward, prior)], store, on_event)
                why = implausible(question, found, store) or mismeasured(question, found, store)
                if not why and past(question, found):
                    why = "the graph states no date to come"
                if not why and self._encoder is not None and not self._trained:
                    why = unmet(question, found, store, self._encoder)
                why = why or not_stated(question, found, self._method, store)
                if not why and asked.denied is not None and _NOT.search(question.text):
                    why = "I cannot leave out what the question denies"
                if why:
                    return replace(found, candidates=(), note=why)
                if _IN_ALL.match(question.text) and (in_all := of_figures(found, "sum", store)) is not None:
                    prior = found.candidates[0].score  # the minutes of several matches
                    return self._executed(found, question, [Proposal(in_all, prior)], store, on_event)
                return of_said_values(wanted, question, store)
            read = replace(read_question(""), stated=question.text)  # no operator of its own: the set is the answer
        if read.unsaid:
            why = "the graph states no reasons" if read.unsaid == REASON else f"I cannot compute {read.unsaid}"
            return replace(found, question=question, candidates=(), note=why)
        if not isinstance(store, Graph):
            kept = found.candidates if read.answer == "entity" else ()  # a list is no answer to "how many"
            return replace(found, question=question, candidates=kept, note=f"not applied: a {read.kind} {_ELSEWHERE}")
        graph = store
        try:
            if sets:
                proposals = operated(graph, sets, read, self._likeness)
            elif sets is not None:
                proposals = self._plainly(
                    asked, self._composed(asked, read, sets, graph, least=self._least(asked)), graph
                )
            else:
                proposals = self._proposals(asked, read, found, graph)
        except ClewError as error:
            proposals = []
            on_event(Event("operators", str(error)))
        proposals = [each for each in proposals if not (read.negated and is_whole(each.plan))]
        proposals = [each for each in proposals if not self._leaves_out_wanted(each.plan, asked, graph)]
        undone = undone_said(question.text, graph)
        if proposals and undone is not None:
            told = [(each, counting(each.plan, undone.plan)) for each in proposals]
            proposals = [replace(each, plan=plan) for each, plan in told if plan is not None]
            if not proposals:
                return replace(found, question=question, candidates=(), note="I cannot tell this of those alone")
        if proposals and (two := value_said(question.text, graph)) is not None:
            proposals = [each for each in proposals if two in p.walk(each.plan)]
            if not proposals:
                return replace(found, question=question, candidates=(), note="I cannot tell this of those alone")
        if read.count and not read.filters:
            proposals = [each for each in proposals if not counts_others(read, each.plan, graph, self._likeness)]
        if sets is None and not _sure(read, proposals):
            decided = self._alone(asked, read, found, proposals, graph)
            if isinstance(decided, Answer):
                return decided
            proposals = decided
        if not _THINGS.search(question.text):  # "how many films are there" where nothing is called a film
            proposals = [each for each in proposals if not of_all_there_is(each.plan)]
        proposals = [replace(each, plan=asked_of_them(each.plan, question.text, graph)) for each in proposals]
        proposals = list(of_named(proposals, graph))
        if not proposals:
            if sets and undone is not None and meets(sets[0].plan, undone.plan):
                return replace(found, candidates=(), note="the graph has none of which all of that is said")
            if only_truth(found, graph):
                return replace(found, candidates=(), note=YES_AND_NO)
            if read.negated:
                return replace(found, candidates=(), note="I cannot leave out what the question denies")
            return of_asked_kind(found, question.text, graph, self._encoder)
        why = unstated(proposals[0].plan, graph)
        if why or (not self._trained and (why := undated(question.text, proposals[0].plan, graph))):
            return replace(found, question=question, candidates=(), note=why)
        if within is not None:
            proposals = [Proposal(put(each.plan, *within), each.prior) for each in proposals]
        return self._executed(found, question, proposals, graph, on_event)

    @staticmethod
    def _executed(
        found: Answer, question: Question, proposals: Sequence[Proposal], graph: Graph, on_event: OnEvent
    ) -> Answer:
        """An answer by the first of some plans."""
        best, result = proposals[0], execute(proposals[0].plan, graph)
        if len(result.members) and graph.mediators_at(result.members).all():
            best = replace(best, plan=_past_nameless(best.plan, graph))
            result = execute(best.plan, graph)
        on_event(Event("operators", show(best.plan), {"proposals": len(proposals)}))
        candidates, evidence, proof = proven(result, graph, min(1.0, max(0.0, float(best.prior))))
        details = {**found.details, "plans": [{"plan": show(each.plan), "prior": each.prior} for each in proposals[:5]]}
        answer = replace(
            found, question=question, candidates=candidates, evidence=evidence, plan=proof, details=details,
            note="; ".join(filter(None, (best.note, *result.notes))),
        )  # fmt: skip
        return as_asked(answer, graph)

    def _in_tense(self, asked: OperatorQuestion, found: Answer, graph: GraphStore, on_event: OnEvent) -> Answer:
        """An answer with the links that hold now, or those that are over, where the question says which."""
        if not asked.when or not found.candidates or not isinstance(graph, Graph):
            return found
        if found.plan is None:
            return kept_in_tense(found, asked.when, graph)
        plan = parse(found.plan.text)
        timed = in_tense(plan, asked.when, graph)
        if timed == plan:
            return found
        prior = found.candidates[0].score
        return self._executed(found, asked.question, [Proposal(timed, prior)], graph, on_event)

    def _of_links(self, asked: OperatorQuestion, found: Answer, graph: GraphStore, on_event: OnEvent) -> Answer:
        """An answer by the links alone whose values the question says ("voted against")."""
        if not found.candidates or not isinstance(graph, Graph):
            return found
        if found.plan is None:
            sets = sets_of(found, graph) if len(best_of(found)) > 1 else []
            plan: p.Plan | None = sets[0] if sets else None
        else:
            plan = parse(found.plan.text)
        said = plan if plan is None else of_said_links(plan, asked.question, graph)
        if said is None or said == plan:
            return found
        prior = found.candidates[0].score
        return self._executed(found, asked.question, [Proposal(said, prior)], graph, on_event)

    @staticmethod
    def _uncomposed(asked: OperatorQuestion, found: Answer) -> Answer:
        """What a method found over a store without arrays, where a folder's parts would have been composed as well."""
        if found.candidates and not asked.marked:
            return found
        why = f"not applied: a question of several parts {_ELSEWHERE}"
        return replace(found, note="; ".join(filter(None, (found.note, why))))

    def _answering(self, asked: OperatorQuestion, found: Answer, graph: Graph) -> Sequence[Composed] | None:
        """What the parts of a question without an operator compose, where that is believed; None: the method's path.

        Where neither a set nor the method's answer is, none of the sets.
        """
        sets = self._sets(asked.question, graph)
        surely = bool(sets) and sets[0].score >= COMPOSED and not sets[0].unsaid
        if found.candidates and not surely and (both := of_both(asked.question, found, graph, self._encoder)):
            return both
        if only_truth(found, graph):
            found = replace(found, candidates=())
        if not asked.marked:  # "and Italy?" asks for nothing
            sets = [each for each in sets if not of_anything(each.plan, asked.question.text, graph)]
        if asked.question.topics:  # the asker's topics are all to be used
            used = {topic.entity.id for topic in found.topics}
            sets = [
                s
                for s in sets
                if used <= {id for node in p.walk(s.plan) if isinstance(node, p.Entities) for id in node.ids}
            ]
        likely = [each for each in sets if each.score >= DOUBTFUL]
        if not found.candidates and (asked.marked or asked.denied is not None):
            return likely[:1]  # no method's path says "or" and "not"
        if asked.denied is not None and any(leaves_out(each.plan) for each in sets):
            return [each for each in likely if leaves_out(each.plan)][:1]
        if by_event := [each for each in likely if each.events and not each.unsaid]:
            return by_event[:1]
        if (compared_ := value_said(asked.question.text, graph)) is not None:  # nor "late"
            return [each for each in likely if compared_ in p.walk(each.plan) and not each.unsaid][:1]
        if (undone := undone_said(asked.question.text, graph)) is not None:  # nor "unpaid"
            return [each for each in likely if meets(each.plan, undone.plan) and not each.unsaid][:1]
        chosen = believed(asked.question, sets, found, graph)
        if chosen is not None:
            return [replace(chosen[0], score=chosen[1])]
        return None if found.candidates else []

    def offered(
        self, question: Question, graph: Graph
    ) -> tuple[Answer, list[tuple[Composed, dict[str, float]]]] | None:
        """What the method finds for a question without an operator, and the sets that its parts compose instead, as
        `believing` sees them; None for another question. The numbers there are fitted on this."""
        question = with_years(in_graph_words(question, graph), graph)
        asked = asked_of(question, graph)
        if unknown_names(question, graph) or asked.read is not None or nested(question.text) is not None:
            return None
        found = self._method.predict([asked.rest], graph)[0]
        if only_truth(found, graph):
            found = replace(found, candidates=())
        return found, list(set_beside(asked.question, self._sets(asked.question, graph), found, graph))

    def _sets(self, question: Question, graph: Graph) -> list[Composed]:
        """What a question's parts compose, less whole kinds of which it says more ("boats longer than the moon")."""
        return [each for each in self._readings(question, graph) if not falls_short(each)]

    def _readings(
        self, question: Question, graph: Graph, kind: p.SetPlan | None = None, *, instead: bool = False
    ) -> list[Composed]:
        """What the question's parts compose; where the asker named its topics, only what is about one of them."""
        sets = either(question, graph, self._encoder) or compose(question, graph, self._encoder, kind, instead=instead)
        asked = (
            asked_kind(question.text, graph, self._encoder) if sets and _WHOSE.match(question.text) is None else None
        )
        if asked is not None:  # "which people …" are no productions
            found = [(each, execute(each.plan, graph).members) for each in sets]
            sets = [each for each, members in found if not len(members) or held(members, asked).any()]
        if sets and WHO.match(question.text):
            may_be = ((each, asked_of_them(each.plan, question.text, graph)) for each in sets)
            sets = [each for each, people in may_be if people != each.plan or _may_be_somebody(each.plan, graph)]
        if not question.topics:
            return sets
        wanted = {topic.entity.id for topic in link_topics(question, graph).topics}

        def about(plan: p.SetPlan) -> bool:
            named = [id for node in p.walk(plan) if isinstance(node, p.Entities) for id in node.ids]
            return not named or not wanted.isdisjoint(named)

        return [replace(each, base=narrowed(each.base, wanted)) for each in sets if about(each.plan)]

    def _leaves_out_wanted(self, plan: p.Plan, asked: OperatorQuestion, graph: Graph) -> bool:
        """Whether a plan leaves out what the words before a denial want: "invoices of X that have not been paid" are
        none of others."""
        left = [node.without for node in p.walk(plan) if isinstance(node, p.Minus)]
        if asked.denied is None or not asked.denied.head or not left:
            return False
        wanted = self._readings(replace(asked.question, text=f"which {asked.denied.head}"), graph)[:1]
        named = {id for each in wanted for node in p.walk(each.plan) if isinstance(node, p.Entities) for id in node.ids}
        out = {id for each in left for node in p.walk(each) if isinstance(node, p.Entities) for id in node.ids}
        return bool(out) and out <= named

    def _lacking(self, asked: OperatorQuestion, graph: Graph) -> list[Proposal]:
        """Plans of a question that denies a link of the things it asks for."""
        read, denied = read_of(asked), asked.denied
        if denied is None or read.answer not in ("entity", "number") or read.unsaid or read.sides is not None:
            return []
        try:
            head = replace(asked.question, text=f"which {denied.head}")
            heads = self._readings(head, graph) if denied.head else []
            lacking = Lacking(self._method, graph, self._encoder, ever=not asked.when)
            made = lacking.proposals(asked.question, denied, heads)
            made = [replace(each, plan=in_tense(each.plan, asked.when, graph)) for each in made]
            sets = [Composed(each.plan, (), each.prior, ()) for each in made if isinstance(each.plan, p.SetPlan)]
            return operated(graph, sets, read, self._likeness)
        except ClewError:
            return []

    # -- what no word names ------------------------------------------------------------------------------------------

    def _by_likeliest(self, asked: OperatorQuestion, found: Answer, graph: GraphStore, on_event: OnEvent) -> Answer:
        """An answer by what is likeliest compared or lacked where no word names it; else the refusal."""
        sort = weighs(read_of(asked), denied=asked.denied is not None)
        if sort is None or not isinstance(graph, Graph):
            return found
        try:
            proposals = likeliest(self.unnamed(asked, sort, graph), sort)
            if not proposals:
                return found
            answer = self._executed(found, asked.question, proposals, graph, on_event)
            if read_of(asked).sides is not None:
                answer = replace(answer, details={**answer.details, UNNAMED: True})
            return answer if says(answer, graph) else found
        except ClewError as error:
            on_event(Event("operators", str(error)))
            return found

    def unnamed(
        self, asked: OperatorQuestion, sort: Weighed, graph: Graph, hidden: Collection[str] = ()
    ) -> list[Option]:
        """All that a question may compare or deny. The numbers of `unnamed` are fitted on this."""
        if self._encoder is None:
            return []
        read = read_of(asked)
        if read.sides is not None:
            if (sides := sides_of(read, graph, self._encoder)) is None:
                return []
            sets = [Composed(p.Or(sides), (), 1.0, ())]
        else:
            sets = self._readings(_stated(asked.question, read), graph)
        return weighed(asked.question.text, read, sort, sets, graph, self._encoder, hidden=hidden)

    # -- what the method says of the whole question ------------------------------------------------------------------

    def _alone(
        self, asked: OperatorQuestion, read: ReadQuestion, found: Answer, proposals: Sequence[Proposal], graph: Graph
    ) -> list[Proposal] | Answer:
        """Plans, or the method's own answer to the whole question, where no plan is sure.

        A list is no answer to "how many"; where a set is asked for, the method's answer stands unless a plan compares
        it with the others.
        """
        whole = read.answer == "entity" and not read.negated and read.sides is None
        if proposals and not (whole and (read.ranked is not None or read.filters)):
            return list(proposals)
        if not whole and not (read.kind == "boolean" and _SAME.search(asked.question.text)):
            what = {"count": "count", "negation": "leave out", "boolean": "tell whether", "arithmetic": "compute"}
            why = found.note or f"nothing was found for “{read.rest}”"
            note = f"I cannot {what.get(read.kind, 'compare')} this: {why}"
            return replace(found, question=asked.question, candidates=(), note=note)
        alone = self._method.predict([asked.question], graph)[0]
        alone = replace(alone, usage=found.usage + alone.usage)
        alone = beside_values(alone, read, graph)
        if read.ranked is not None or read.filters:
            proposals = [*proposals, *self._of_method(alone, read, graph, None)]
        named = [each for each in proposals if each.named]  # what a word of the question names is not told by another
        proposals = sorted(named or proposals, key=lambda each: -each.prior * each.share)
        taken = [each for each in proposals if self._outweighs(each, alone, read, graph)]
        why = missing(read, alone, graph, self._likeness)
        if taken or (proposals and why):
            return taken or proposals
        if not why and not self._trained and (read.ranked is not None or read.filters):
            why = f"the graph has nothing that “{' '.join(read.removed)}” can be told by"
        few = read.ranked is not None and 0 < len(alone.candidates) <= read.ranked.k
        if why and not (few and alone.candidates[0].score >= IDIOM):
            return replace(alone, candidates=(), note=f"I cannot compare this: {why}")
        return replace(alone, note=alone.note or f"no relation fits the {read.kind}: not applied")

    @staticmethod
    def _outweighs(plan: Proposal, alone: Answer, read: ReadQuestion, graph: Graph) -> bool:
        """Whether a plan is believed and not the method's answer to the whole question, which it may have read.

        Few things that have what is compared tell nothing of the others; and a comparison that the question does not
        name tells nothing of an answer that it leaves out.
        """
        if (plan.named and plan.share >= MOST) or not alone.candidates:
            return True
        best = best_of(alone)
        several = len(best) > (read.ranked.k if read.ranked is not None else 1)
        if several or alone.candidates[0].score <= plan.prior * plan.share:
            return True
        keys, numbers = Keys(graph), [graph.number_of(c.entity.id) for c in best if c.entity is not None]
        known = [number for number in numbers if number is not None]
        kind = next((node for node in p.walk(plan.plan) if isinstance(node, p.Class)), None)
        if kind is not None and not np.isin(known, keys.members(kind)).any():
            return True  # the method's answer is of another kind than is asked for
        return plan.share >= MOST and bool(np.isin(known, keys.compared(plan.plan)).any())

    # -- sets --------------------------------------------------------------------------------------------------------

    def _proposals(self, asked: OperatorQuestion, read: ReadQuestion, found: Answer, graph: Graph) -> list[Proposal]:
        """Plans, best first: of the set that the question's parts compose, else of the set that the method found."""
        if read.sides is not None:
            return compared(read, graph, self._encoder, self._likeness)
        if read.answer == "truth":
            if (any_of := self._any(asked.question, graph)) is not None:
                return [any_of]
            truth = Truth(graph, self._encoder, self._likeness).proposals(asked.question, read)
            return truth or linked(self._method, read, found, graph, self._encoder)
        if (
            read.count
            and not read.filters
            and (none := none_stated(_stated(asked.question, read), graph, self._encoder))
        ):
            return none
        sets = self._readings(_stated(asked.question, read), graph)
        made = self._composed(asked, read, sets, graph, least=self._least(asked))
        unsaid = read.count and any(map(falls_short, sets))
        made = [each for each in made if not (unsaid and counts_all(each.plan))]  # "how many lots failed to sell"
        if (whole := of_everything(read, graph)) is not None:
            shorter, left_out = whole
            note = f"“{left_out}” names nothing in the graph and was left out"
            every = [replace(each, note=note) for each in self._proposals(asked, shorter, found, graph)]
            made = sorted([*made, *every], key=lambda each: -each.prior)
        if made:
            return made
        if read.count and (amounts := in_units(read, graph, self._encoder, self._likeness)):
            return amounts
        if read.count and not read.filters and (figures := figures_found(found, graph)) is not None:
            label = Lexicon.of(graph).labels.get(figures.path[-1].relation, "")
            counted = set(stems(read.rest)) - {"time"}  # "how many times"
            told = bool(set(stems(label)) & counted)  # "how many frames did X win with": stated
            in_all = of_figures(found, "sum", graph) if _HOW_MANY.match(asked.question.text) else None
            return [Proposal(in_all or figures, found.candidates[0].score)] if told else []
        # Another word may mean several things that the method is sure of; of one it says nothing.
        sure = bool(found.candidates) and found.candidates[0].score >= IDIOM and len(best_of(found)) > 1
        if read.count and not sure and not accounted(read, found, graph, self._likeness):
            return []
        domain = class_in(read.rest or asked.question.text, graph)
        if read.negated and domain is None and _WHO_NOT.match(asked.question.text):
            domain = kind_of_all(found, graph)  # "who does not work in Madrid": of those who may
        if read.negated and domain is None:
            return []  # without what is asked for there is nothing to take the denied ones from
        made = self._of_method(found, read, graph, domain) or self._composed(asked, read, sets, graph, least=DOUBTFUL)
        return [each for each in made if not (unsaid and counts_all(each.plan))]

    def _any(self, question: Question, graph: Graph) -> Proposal | None:
        """Whether there is any of what can be counted."""
        text = as_count(question.text)
        found = self.predict([replace(question, text=text)], graph)[0] if text else None
        plan = parse(found.plan.text) if found is not None and found.plan is not None else None
        if not isinstance(plan, p.Count) or not isinstance(plan.of, p.SetPlan):
            return None
        assert found is not None
        return Proposal(p.Exists(plan.of), found.candidates[0].score if found.candidates else 0.5)

    def _of_method(self, found: Answer, read: ReadQuestion, graph: Graph, domain: p.Class | None) -> list[Proposal]:
        """The operators around the relation paths of a method's answer."""
        excepted = link(Question("without", read.without), graph, encoder=self._encoder) if read.without else []
        score, made = found.candidates[0].score if found.candidates else 0.5, list[Proposal]()
        for base in sets_of(found, graph, domain):
            if excepted:
                base = without(base, p.Entities(tuple(topic.entity.id for topic in excepted)), graph)
            for each in decorate(graph, base, read, likeness=self._likeness, domain=domain):
                if not guesses(each, Composed(base, (), score, ()), read, graph, self._likeness):
                    made.append(replace(each, prior=each.prior * score))
        return best_first(made)

    @staticmethod
    def _plainly(asked: OperatorQuestion, made: list[Proposal], graph: Graph) -> list[Proposal]:
        """Of the plans for a question without an operator those that say what is asked for: "and Italy?" does not."""
        if asked.marked:
            return made
        return [each for each in made if not of_anything(each.plan, asked.question.text, graph)]

    @staticmethod
    def _least(asked: OperatorQuestion) -> float:
        """From which score on a composed set is taken: no method's path says "or" and "not"."""
        return DOUBTFUL if asked.marked else COMPOSED

    def _composed(
        self, asked: OperatorQuestion, read: ReadQuestion, sets: Sequence[Composed], graph: Graph, *, least: float
    ) -> list[Proposal]:
        """Plans of the sets that the question's parts compose, or those of things that have what it asks for."""
        stated = _stated(asked.question, read)
        sets = [accounted_for(each, read, graph, self._likeness) for each in sets]
        sets = [each for each in sets if each.score >= least and (asked.denied is None or not passes_over(each, graph))]
        if not sets and read.summary:
            sets = named_together(stated, graph, self._encoder)
        made = operated(graph, sets, read, self._likeness)
        if (made and made[0].prior >= least) or read.answer == "truth":
            return made
        sets = [
            each
            for kind in bearers(graph, read, self._likeness)
            if not (_WHO_DOES.match(asked.question.text) and kind == class_in(read.rest, graph))
            for composed in self._readings(stated, graph, kind, instead=not made)
            for each in (accounted_for(composed, read, graph, self._likeness),)
            if each.score >= max(least, COMPOSED) or may_be(each, kind, graph, self._encoder, COMPOSED)
        ]
        whole: set[object] = {node for each in made for node in p.walk(each.plan)}
        others = [each for each in operated(graph, sets, read, self._likeness) if each.plan not in whole]
        return sorted([*made, *others], key=lambda each: -each.prior)  # a part of a plan answers less of the question


_WHOSE = re.compile(
    r"\W*(?:which|what) \w+(?: \w+)?['’]s?\b", re.IGNORECASE
)  # "which company's address": not a company


_HOW_MUCH = re.compile(r"\W*how much\b", re.IGNORECASE)
_HOW_MANY = re.compile(r"\W*how many\b", re.IGNORECASE)
_COMES_TO = re.compile(r"\b(?:adds?|sums?|amounts?|comes?) (?:up )?to\b|\btotal (?:value )?(?:of|for)\b", re.IGNORECASE)
_IN_ALL = re.compile(r"\W*how (?:many|much (?:money|cash))\b", re.IGNORECASE)
_WHO_NOT = re.compile(  # nothing else is said of them
    r"\W*who (?:is|was|does|did|has|are|were|do|have)(?:n['’]t| not| never)\b(?! .*\b(?:but|and)\b)", re.IGNORECASE
)
_NOT = re.compile(r"\b(?:not|never|no|without|nobody|none|neither)\b|n['’]t\b", re.IGNORECASE)
_THINGS = re.compile(r"\b(?:things?|entit(?:y|ies)|nodes?|items?)\b", re.IGNORECASE)
_WHO_DOES = (
    re.compile(  # "who manages the highest orchard" asks for no orchard, "who is the oldest member" for a member
        r"\W*whom?(?! (?:(?:is|are|was|were)(?! [a-z]+(?:ing|ed)\b)|of|among|in|on|at|from)\b)(?!['’]s\b) [a-z]",
        re.IGNORECASE,
    )
)


def _of_them(found: Answer, text: str, graph: Graph) -> p.Plan | None:
    """Whom "who" and "whose" ask for of what a method found; None where that is the answer."""
    sets = sets_of(found, graph, kind_of_all(found, graph)) if found.candidates else []
    made = asked_of_them(sets[0], text, graph, places=False) if sets else None
    return None if not sets or made == sets[0] else made


def _past_nameless(plan: p.Plan, graph: Graph) -> p.Plan:
    """A plan for what has a name: whose the nameless nodes are that another finds, such as the tickets of events."""
    named = past_mediators(plan, graph) if isinstance(plan, p.SetPlan) else plan
    return plan if named is None else named


def _may_be_somebody(plan: p.SetPlan, graph: Graph) -> bool:
    """Whether "who" may ask for a set: some of it is no figure, event or paper; a name may be a text of a table."""
    members = execute(plan, graph).members
    some = members[~held(members, nobody(graph))]
    texts = some[graph.literals_at(some)][:LOOKED_AT]
    return not len(members) or len(texts) < len(some) or any(untyped(each) is None for each in graph.labels_at(texts))


def _sure(read: ReadQuestion, proposals: Sequence[Proposal]) -> bool:
    """Whether the first plan needs no second opinion: the question names what it compares, and most things have it."""
    if not proposals:
        return False
    one = read.answer == "entity" and not read.negated and (read.ranked is not None or bool(read.filters))
    return not one or (proposals[0].named and proposals[0].share >= MOST)


def _listed(names: Sequence[str]) -> str:
    return " or ".join(f"“{name}”" for name in names)


def _stated(question: Question, read: ReadQuestion) -> Question:
    """A question with what it denies and excepts, without its operators: "oldest lion …" asks which lion."""
    text = read.stated or question.text
    asks = read.ranked is None or re.match(rf"(?:{_BEFORE} )?{WH}\b", text, re.IGNORECASE) is not None
    return replace(question, text=text if asks else f"which {text}")
