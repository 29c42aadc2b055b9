"""EPERM: answer a question by weighted plans, the weighted paths they lead to, and a reader that sees the weights."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from clew.errors import InputError
from clew.llm import ModelSettings, open_language_model
from clew.methods.eperm.asking import PromptClient, QuestionState, TextSimilarity, shown_question
from clew.methods.eperm.config import Config
from clew.methods.eperm.model import MODEL, Trained, read_description
from clew.methods.eperm.paths import PartialPaths, weigh_paths
from clew.methods.eperm.plans import weigh_plans
from clew.methods.eperm.predictor import FoundEvidence, answer_request, candidates, gather, shown_paths
from clew.methods.eperm.retriever import retrieve
from clew.methods.eperm.shots import PlanExamples
from clew.protocols import GraphStore, LanguageModel, LLMReply, OnEvent, Tools, ignore
from clew.retrieval.linking import link_topics
from clew.types import Answer, Candidate, Event, Evidence, Path, Question


class Eperm:
    """Evidence Path Enhanced Reasoning Model (Long, Zhuang, Li, Yao, Wang; AAAI 2025).

    A subgraph is retrieved by a beam over relations (section Subgraph retriever, Eq. 2); the language model writes s
    weighted plans, which are filled in with entities scored by their surroundings (Evidence path finder, Eq. 3); it
    then reads the weighted paths and names the answers (Answer predictor, Eq. 1). One model does all three.

    Needs: a language model, or a model from `clew train eperm`; the text encoder. With beams and constrained decoding
    plans cannot leave the graph; without, it samples and says so in each answer's details.
    Cost: one call for the plans and one for the answer; K per hop and topic with relations = "llm"; with
    entities = "llm" one per plan, topic and hop, or one per candidate without batch_scoring.

    Differs from the paper: Algorithm 1's indices are mended and the beam S is per plan and hop; relations and entities
    are scored by the text encoder by default; equal scores stay together in the beam; an answer's score is the weight
    of its plans. See README.md beside this file for why.
    """

    name: ClassVar[str] = "eperm"

    def __init__(self, config: Config, tools: Tools):
        trained = Trained()
        model: LanguageModel | None = tools.language_model
        if tools.model is not None:
            trained = read_description(tools.model)
            settings = ModelSettings(
                backend="local",
                model=str((tools.model / MODEL).absolute()),
                device=config.device,
                batch_size=config.batch,
            )
            model = open_language_model(settings)
        own = [open_language_model(each) if each.model else None for each in (config.planner, config.scorer)]
        model = model or own[0] or own[1]
        if model is None:
            raise InputError(
                "eperm needs a language model, or a model of its own: name one with --set language_model.model=NAME, "
                "or train one with  clew train eperm GRAPH …"
            )
        # A small reader that never saw more lines is lost among them.
        self.config = config.model_copy(update={"lines": config.lines or trained.lines})
        self._tools = tools
        self._relations = config.relations or trained.relations
        self._entities = config.entities or trained.entities
        self._hops = config.hops or trained.hops
        self._temperature = config.temperature or trained.temperature
        self._similarity_weight = (
            trained.similarity_weight if config.similarity_weight is None else config.similarity_weight
        )
        style = config.style or trained.style
        self._asker = PromptClient(model, style)  # the reader
        self._planner, self._scorer = (PromptClient(each, style) if each else self._asker for each in own)
        self.reads_whole = self._asker.style == "paper"  # counts and dates are for the model
        self.similarity = None if tools.encoder is None else TextSimilarity(tools.encoder)
        self._examples: PlanExamples | None = None
        if config.examples is not None:
            if self.similarity is None:
                raise InputError("method.examples needs a text encoder: set encoder.name")
            self._examples = PlanExamples(config.examples, config.shots, self._hops, self.similarity)

    def answer(self, question: Question, graph: GraphStore, *, on_event: OnEvent = ignore) -> Answer:
        """One answer; `predict` with one question."""
        return self.predict([question], graph, on_event=on_event)[0]

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        """Answers in order; the calls of a stage go out together for all questions."""
        seconds: dict[str, float] = {}
        cases, partial = self.find(questions, graph, seconds=seconds)
        if self.config.finder:
            on_event(_told(cases, partial))
        with _timed("predict", seconds):
            answers = self._predict(cases, [gather(case, own) for case, own in zip(cases, partial, strict=True)])
        share = {stage: spent / max(1, len(cases)) for stage, spent in seconds.items()}
        for answer in answers:
            answer.seconds.update(share)
        return answers

    def find(
        self, questions: Sequence[Question], graph: GraphStore, *, seconds: dict[str, float] | None = None
    ) -> tuple[list[QuestionState], list[list[PartialPaths]]]:
        """Everything before the answer predictor: the questions with their plans, and their weighted paths."""
        spent: dict[str, float] = {} if seconds is None else seconds
        config, similarity = self.config, self.similarity
        with _timed("link", spent):
            cases = [self._link(question, graph) for question in questions]
        if not config.finder:
            return cases, [[] for _ in cases]
        with _timed("retrieve", spent):
            retrieve(cases, graph, config, self._relations, self._hops, similarity, self._scorer)
        with _timed("plans", spent):
            if self._examples is not None:
                for case in cases:
                    case.examples = self._examples.text(case, graph)
            weigh_plans(
                cases,
                config,
                self._hops,
                self._temperature,
                self._planner,
                similarity,
                similarity_weight=self._similarity_weight,
            )
        with _timed("paths", spent):
            partial = weigh_paths(cases, config, self._entities, similarity, self._scorer)
        return cases, partial

    def _link(self, question: Question, graph: GraphStore) -> QuestionState:
        """The question with its topics, or with a note why there are none."""
        linked = link_topics(question, graph, linker=self._tools.link)
        topics = list(linked.topics)
        text, cut = shown_question(question, topics, self._asker.style, self.config.question_words)
        return QuestionState(question, topics, text, notes=[note for note in (linked.note, cut) if note])

    def _predict(self, cases: Sequence[QuestionState], found: Sequence[FoundEvidence]) -> list[Answer]:
        """The answer predictor, or every end of a path."""
        config = self.config
        paths = [shown_paths(own, config.normalise) for own in found]
        ready = [i for i, case in enumerate(cases) if (found[i].lines if config.finder else case.topics and case.text)]
        replies: dict[int, LLMReply | None] = dict.fromkeys(range(len(cases)))
        if config.predictor:
            requests = [
                answer_request(self._asker, config, cases[i], found[i], [path for path, _ in paths[i]]) for i in ready
            ]
            replies.update(zip(ready, self._asker.ask("answer", [cases[i] for i in ready], requests), strict=True))
        answers = []
        for i, case in enumerate(cases):
            reply = replies[i]
            kept: tuple[Candidate, ...] = ()
            support: tuple[Path, ...] = ()
            if i in ready and (reply is not None or config.finder):
                kept, support = candidates(case, config, self._asker.style, found[i], paths[i], reply)
                if not kept:
                    case.notes.append("the answer predictor named no answer")
            details = {
                "style": self._asker.style,
                "plans": [[plan.text, round(plan.weight, 6)] for plan in case.plans],
                "paths": len(paths[i]),
                "calls": case.calls,
                **case.details,
            }
            answers.append(
                Answer(
                    case.question,
                    self.name,
                    kept,
                    Evidence(support),
                    tuple(case.topics),
                    note="; ".join(dict.fromkeys(case.notes)),
                    reply=None if reply is None else reply.text,
                    usage=case.usage,
                    details=details,
                )
            )
        return answers


@contextmanager
def _timed(stage: str, seconds: dict[str, float]) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds[stage] = time.perf_counter() - start


def _told(cases: Sequence[QuestionState], partial: Sequence[Sequence[PartialPaths]]) -> Event:
    plans = sum(len(case.plans) for case in cases)
    paths = sum(len(each.ends) for own in partial for each in own)
    return Event("find", f"{plans} plans, {paths} paths for {len(cases)} questions", {"plans": plans, "paths": paths})
