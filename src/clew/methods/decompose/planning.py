"""Section 4.1: the sub-questions of every question, by a language model or by a small decoder held to the graph."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from clew.graph.paths import RelationPath, follow
from clew.llm import Prompt, clean
from clew.methods.decompose.config import Config
from clew.methods.decompose.evidence_paths import anchors
from clew.methods.decompose.plan import QuestionPlan, StepGrammar, read_plan
from clew.methods.decompose.plan_choice import PlanChoice, PlanOption
from clew.methods.decompose.roles import Role
from clew.methods.decompose.work import Work, plain, small_request
from clew.protocols import LLMRequest, TextEncoder
from clew.retrieval.verbalise import one_line

PLANS = 8  # that a small decomposer writes for one question; the best is asked
PLAN_TOKENS = 24  # that it may write; as many per step where it is held to the graph
MAX_SUBQUESTIONS = 6  # more are put together


class QuestionSplitter:
    """Who takes questions apart, if anybody does.

    Args:
        choice: how the plans of a small decomposer are weighed.
    """

    def __init__(self, config: Config, role: Role | None, encoder: TextEncoder, prompt: Prompt, choice: PlanChoice):
        self.config, self._role, self._encoder, self._prompt, self._choice = config, role, encoder, prompt, choice

    def plan(self, works: Sequence[Work]) -> None:
        """Fill `plan` of every question; with a weight of 1 no sub-question would be looked at, so none is made."""
        role, begun = self._role, time.perf_counter()
        if role is None or self.config.complex_weight == 1.0:
            for work in works:
                work.plan = QuestionPlan((work.text,), "nobody")
            return
        if role.small:
            for work, options in zip(works, self.options(works), strict=True):
                work.plan = small_plan(work, self._choice.best(options))
        else:
            limit = self.config.max_tokens
            requests = [
                LLMRequest(self._prompt.render(question=one_line(work.text)), max_tokens=limit) for work in works
            ]
            for work, reply in zip(works, role.model.generate(requests), strict=True):
                text = work.charge(reply, "the list of sub-questions", limit)
                work.plan = read_plan(work.text, text, MAX_SUBQUESTIONS)
        for work in works:
            work.tell(work.plan.note)
            work.seconds["decompose"] = (time.perf_counter() - begun) / len(works)

    def options(self, works: Sequence[Work]) -> list[list[PlanOption]]:
        """What the small decomposer offers for each question: plans that it wrote, without repetitions."""
        role = self._role
        if role is None or not works:
            return [[] for _ in works]
        replies = role.model.generate([self._request(work, role) for work in works])
        found: list[dict[RelationPath, float]] = []
        for work, reply in zip(works, replies, strict=True):
            work.charge(reply)
            own: dict[RelationPath, float] = {}
            for text in reply.texts:
                steps = work.seen.language.read(clean(text.text))[:MAX_SUBQUESTIONS]
                if steps:
                    own.setdefault(steps, (text.logprob or 0.0) / max(text.tokens, 1))
            found.append(own)
        self._encoder.encode([plain(work.masked.text) for work in works], role="query")
        return [
            [
                PlanOption(steps, logprob, float(similarity))
                for (steps, logprob), similarity in zip(
                    own.items(), work.seen.judge.similarity(list(own), plain(work.masked.text)), strict=True
                )
            ]
            for work, own in zip(works, found, strict=True)
        ]

    def _request(self, work: Work, role: Role) -> LLMRequest:
        """Beams, held to steps that exist around the topics, where the model can do that; else one text."""
        beams = PLANS if {"beams", "logprobs"} <= role.model.abilities else 1
        request = replace(small_request(work.masked.text, PLAN_TOKENS), beams=beams, n=beams)
        starts = anchors(work.seen.vectors.graph, [topic.entity for topic in work.topics])
        if not len(starts) or "constrained" not in role.model.abilities:
            return request
        longest = self.config.hops * (2 if work.seen.vectors.graph.mediators.any() else 1)
        grammar = StepGrammar(work.seen.language, starts, longest)
        return replace(request, max_tokens=PLAN_TOKENS * longest, constraint=grammar)


def small_plan(work: Work, option: PlanOption | None) -> QuestionPlan:
    """The sub-questions of a plan that a small decomposer wrote; the question itself without one."""
    if option is None:
        return QuestionPlan((work.text,), "nobody", "the small model is sure of no plan: the question is asked whole")
    language = work.seen.language
    parts = language.sub_questions(option.steps, _subject(work, option.steps))
    return QuestionPlan(parts, "small model", stages=tuple(language.stages(option.steps)))


def _subject(work: Work, steps: RelationPath) -> str:
    """The name that the first sub-question asks about: that of the first topic from which the steps lead on."""
    names = [name for name in work.masked.found if name]
    graph = work.seen.vectors.graph
    for name, topic in zip(work.masked.found, work.topics, strict=True):
        if name and (len(names) == 1 or len(follow(graph, anchors(graph, [topic.entity]), steps).entities)):
            return name
    return next(iter(names), work.topics[0].entity.label if work.topics else "")
