"""EPERM: answer a question by weighted plans, the weighted paths they lead to, and a reader that sees the weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from clew.errors import InputError
from clew.learning.folders import read_record
from clew.llm import ModelSettings, open_language_model, parse_answers
from clew.methods.eperm.asking import PlacedQuestion, PromptClient, QuestionState, TextSimilarity, shown_question
from clew.methods.eperm.config import Config
from clew.methods.eperm.model import DESCRIPTION, MODEL, Trained
from clew.methods.eperm.paths import PartialPaths, weigh_paths
from clew.methods.eperm.plans import weigh_plans
from clew.methods.eperm.predictor import Shown, answer_request, candidates, gather, shown_paths
from clew.methods.eperm.retriever import retrieve
from clew.methods.eperm.shots import PlanExamples
from clew.protocols import GraphStore, LanguageModel, LLMReply, LLMRequest, Method, OnEvent, Tools, ignore
from clew.retrieval.answering import StageClock, unproven
from clew.retrieval.linking import link_topics
from clew.types import Answer, Candidate, Event, Evidence, Path, Question

BATCH = 64  # rows of a batch of the trained model


class Eperm(Method):
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
            trained, _ = read_record(Trained, tools.model / DESCRIPTION)
            settings = ModelSettings(
                backend="local",
                model=str((tools.model / MODEL).absolute()),
                device=config.device,
                batch_size=BATCH,
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
            self._examples = PlanExamples(config.examples, self._hops, self.similarity)

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        """Answers in order; the calls of a stage go out together for all questions."""
        clock = StageClock(len(questions))
        linked = [self.link(question, graph) for question in questions]
        clock.stage("link")
        if self.config.finder:
            found = self.find(linked, graph, clock)
            on_event(_told(found))
            answers = self._predict(found)
        else:
            answers = self._predict_alone(linked)
        clock.stage("predict")
        for answer in answers:
            answer.seconds.update(clock.seconds)
        return answers

    def find(
        self, linked: Sequence[QuestionState], graph: GraphStore, clock: StageClock | None = None
    ) -> list[tuple[QuestionState, list[PartialPaths]]]:
        """Everything before the answer predictor: the questions with their plans, and the weighted paths of each."""
        clock = clock or StageClock(len(linked))
        config, similarity, weight = self.config, self.similarity, self._similarity_weight
        cases = retrieve(linked, graph, config, self._relations, self._hops, similarity, self._scorer)
        placed = [case for case in cases if isinstance(case, PlacedQuestion)]
        clock.stage("retrieve")
        if self._examples is not None:
            for case in placed:
                case.examples = self._examples.text(case, graph)
        weigh_plans(placed, config, self._hops, self._temperature, self._planner, similarity, similarity_weight=weight)
        clock.stage("plans")
        paths = iter(weigh_paths(placed, config, self._entities, similarity, self._scorer))
        clock.stage("paths")
        return [(case, next(paths) if isinstance(case, PlacedQuestion) else []) for case in cases]

    def link(self, question: Question, graph: GraphStore) -> QuestionState:
        """The question with its topics, or with a note why there are none."""
        linked = link_topics(question, graph, linker=self._tools.link)
        topics = list(linked.topics)
        text, cut = shown_question(question, topics, self._asker.style)
        return QuestionState(question, topics, text, notes=[note for note in (linked.note, cut) if note])

    def _predict_alone(self, cases: Sequence[QuestionState]) -> list[Answer]:
        """Without the finder: the question stands alone in the prompt (Table 3)."""
        asked = [case for case in cases if self.config.predictor and case.topics and case.text]
        prompt, most = self._asker.prompt("question"), self.config.max_tokens
        requests = [LLMRequest(prompt.render(question=case.text), max_tokens=most) for case in asked]
        replies = dict(zip(map(id, asked), self._asker.ask("answer", asked, requests), strict=True))
        answers = []
        for case in cases:
            reply = replies.get(id(case))
            kept = () if reply is None else unproven(parse_answers(reply.text))
            answers.append(self._answer(case, reply, kept))
        return answers

    def _predict(self, found: Sequence[tuple[QuestionState, list[PartialPaths]]]) -> list[Answer]:
        """The answer predictor, or every end of a path."""
        shown = [
            Shown(case, evidence, shown_paths(evidence))
            for case, partial in found
            if isinstance(case, PlacedQuestion) and (evidence := gather(case, partial)).lines
        ]
        replies: list[LLMReply | None] = [None] * len(shown)
        if self.config.predictor:
            requests = [answer_request(self._asker, self.config, each) for each in shown]
            replies = [*self._asker.ask("answer", [each.case for each in shown], requests)]
        read: dict[int, Answer] = {}
        for each, reply in zip(shown, replies, strict=True):
            named = candidates(each, self.config, self._asker.style, reply)
            read[id(each.case)] = self._answer(each.case, reply, *named, paths=len(each.paths))
        return [read.get(id(case)) or self._answer(case) for case, _ in found]

    def _answer(
        self,
        case: QuestionState,
        reply: LLMReply | None = None,
        kept: tuple[Candidate, ...] = (),
        support: tuple[Path, ...] = (),
        paths: int = 0,
    ) -> Answer:
        if not kept and (reply is not None or paths):
            case.notes.append("the answer predictor named no answer")
        details = {
            "style": self._asker.style,
            "plans": [[plan.text, round(plan.weight, 6)] for plan in case.plans],
            "paths": paths,
            "calls": case.calls,
            **case.details,
        }
        return Answer(
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


def _told(found: Sequence[tuple[QuestionState, Sequence[PartialPaths]]]) -> Event:
    plans = sum(len(case.plans) for case, _ in found)
    paths = sum(len(each.ends) for _, own in found for each in own)
    return Event("find", f"{plans} plans, {paths} paths for {len(found)} questions", {"plans": plans, "paths": paths})
