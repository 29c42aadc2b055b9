"""Training EPERM: mine the posterior plans, write plan and answer tasks, tune one model on their union (Eq. 6 to 8).

Read from the bottom: `train` is the list of stages. Validation runs the very method that answers questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clew.errors import NotFoundError, UnsupportedError
from clew.evaluation.answers import measure
from clew.graph import Subgraph
from clew.graph.paths import RelationPath
from clew.graph.subgraph import Ints
from clew.learning.beams import ScoredBeams, best_similarity_weight
from clew.learning.folders import write_record
from clew.learning.processes import is_main_process
from clew.learning.training import Training
from clew.learning.tuning import Pair
from clew.llm import normalise
from clew.methods.eperm.asking import SEPARATOR, PlacedQuestion, PromptClient, relation_text, shown_question
from clew.methods.eperm.config import HOPS, TrainConfig
from clew.methods.eperm.gold import Posterior, TopicPlan, agreed, posterior
from clew.methods.eperm.method import Eperm
from clew.methods.eperm.model import DESCRIPTION, Trained
from clew.methods.eperm.plans import plan_similarities
from clew.methods.eperm.tasks import TaskWriter
from clew.paths.examples import NO_PATH, by_graph, in_graphs, longest_stated, resolve
from clew.protocols import Example, LLMReply, LLMRequest, OnEvent, TrainRequest, TrainResult, ignore
from clew.types import Topic

TEMPERATURES = (2.0, 1.5, 1.0, 0.7, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.05)  # of equally good ones the highest
MAX_KEPT_RELATIONS = 900  # relations that become tokens of a decoder from scratch


class _Silent:
    """Stands for the language model while tasks are written: prompts are rendered, nothing is asked."""

    name = "none"
    abilities = frozenset[Any]()

    def generate(self, requests: Sequence[LLMRequest]) -> list[LLMReply]:
        raise UnsupportedError("no language model is asked while training tasks are written")


@dataclass(frozen=True, slots=True)
class MinedQuestion:
    """A training question with its gold plans."""

    case: PlacedQuestion
    posterior: Posterior
    answers: Ints


@dataclass(frozen=True, slots=True)
class Tasks:
    """What the model learns, and the relations that stand in plans with how often."""

    pairs: tuple[Pair, ...]
    relations: Counter[str]
    lines: int | None  # evidence lines that nearly all answer tasks of a small decoder have at most


class EpermTraining(Training):
    """The stages over one request."""

    def __init__(self, request: TrainRequest, on_event: OnEvent) -> None:
        super().__init__(request, on_event, 3, needs=("torch", "trl", "peft", "datasets"))
        config: TrainConfig = request.train_config or TrainConfig()
        self.config = config.model_copy(update={"hops": config.hops or longest_stated(request.examples, HOPS)})
        self.style = self.config.style or ("paper" if self.config.base else "short")
        self.random = np.random.default_rng(request.seed)
        self.hold_out(config.dev_share, config.validate_on)

    def mine(self) -> Tasks:
        """Plan and answer tasks of every question (Eq. 5)."""
        config, examples = self.config, self.examples
        if config.max_questions is not None and len(examples) > config.max_questions:
            chosen = self.random.choice(len(examples), config.max_questions, replace=False)
            examples = [examples[i] for i in sorted(chosen.tolist())]
        kinds: Counter[str] = Counter()
        hops: Counter[int] = Counter()
        found: list[MinedQuestion] = []
        for example, index in in_graphs(examples, self.request.graph):
            topics = self._topics(example)
            ids = tuple(topic.entity.id for topic in topics)
            asked = replace(example, question=replace(example.question, topics=ids))
            usable, left = resolve([asked], index)
            self.leave_out(left)
            for each in usable:
                if not len(each.answers):
                    self.leave_out({"unanswerable": [example.question.id]})
                    continue
                mined = posterior(index.graph, each.topics, each.answers, config, each.stated)
                kinds["truncated"] += mined.truncated
                if not mined.gold:
                    self.leave_out({NO_PATH: [example.question.id]})
                    continue
                kinds["fallback"] += mined.fallback
                hops[len(mined.gold[0].steps)] += 1
                text, _ = shown_question(example.question, topics, self.style)
                at = np.array(each.topics, np.int32)
                case = PlacedQuestion(example.question, topics, text, graph=index.graph, around=index.graph, starts=at)
                found.append(MinedQuestion(case, mined, each.answers))
        writer = TaskWriter(PromptClient(_Silent(), self.style), config, self.request.config, self.random)
        pairs: list[Pair] = []
        relations: Counter[str] = Counter()
        dropped = sum(len(each.posterior.gold) for each in found)
        for mine in self._agreed(found):
            dropped -= len(mine.posterior.gold)
            pairs += writer.tasks(mine.case, mine.posterior, mine.answers)
            for judged in (*mine.posterior.gold, *mine.posterior.others[:20]):
                relations.update(_names(mine.case.graph, judged))
        report = {
            "tasks": dict(writer.written),
            "best plan kept below the threshold": kinds["fallback"],
            "searches cut": kinds["truncated"],
            "plans dropped that other questions disagree with": dropped,
            "hops of gold plans": {str(k): n for k, n in sorted(hops.items())},
        }
        self.tell_mined(len(pairs), "tasks", len(examples), report)
        lines = int(np.quantile(writer.lines, 0.99)) if writer.lines and self.style == "short" else None
        return Tasks(tuple(pairs), relations, lines)

    def _agreed(self, found: Sequence[MinedQuestion]) -> list[MinedQuestion]:
        """The questions with only those gold plans that the others agree with."""
        masked = [shown_question(each.case.question, each.case.topics, "short")[0] for each in found]
        groups = [  # the gold plans of one topic of one question are ways to say the same
            (n, [plan for plan in each.posterior.gold if plan.topic == topic])
            for n, each in enumerate(found)
            for topic in sorted({plan.topic for plan in each.posterior.gold})
        ]
        named = [[SEPARATOR.join(_names(found[n].case.graph, plan)) for plan in group] for n, group in groups]
        kept: list[list[TopicPlan]] = [[] for _ in found]
        for (n, group), keep in zip(groups, agreed([masked[n] for n, _ in groups], named), strict=True):
            kept[n] += [plan for plan, good in zip(group, keep, strict=True) if good]
        return [
            MinedQuestion(each.case, replace(each.posterior, gold=tuple(gold)), each.answers)
            for each, gold in zip(found, kept, strict=True)
        ]

    def _topics(self, example: Example) -> list[Topic]:
        """What the question names, as it is linked when it is asked; without a linker the topics that it states."""
        store, link = example.graph or self.request.graph, self.request.tools.link
        try:
            if link is not None:
                return list(link(example.question, store))
            return [Topic(store.entity(name), 1.0, name, "given") for name in example.question.topics]
        except NotFoundError:
            return []

    def tune_one(self, tasks: Tasks) -> dict[str, float]:
        """One model for all tasks (Eq. 8); its last loss."""
        config = self.config
        keep = _kept(tasks.relations)
        tuned = self.tune(config.base, tasks.pairs, self.request.out, config.tune, size=config.size, keep=keep)
        if tuned is None:
            return {}
        self.details["refused"] = tuned.refused
        return {"loss": tuned.curve[-1]["loss"]} if tuned.curve else {}

    def validate(self, lines: int | None) -> dict[str, float]:
        """Metrics on dev, and the temperature that makes plan weights probabilities."""
        request = self.request
        if not is_main_process():
            return {}
        trained = Trained(
            style=self.style,
            relations=self.config.relations,
            entities=self.config.entities,
            hops=self.config.longest,
            lines=lines,
        )
        write_record(request.out / DESCRIPTION, trained)
        dev = self.dev[: self.config.validate_on]
        if not dev:
            return {}
        tools = replace(request.tools, model=request.out)
        beams = self._scored(Eperm(request.config, tools), dev)
        if beams:
            weight, temperature = request.config.similarity_weight, request.config.temperature
            if weight is None:
                weight = best_similarity_weight(beams)
            if temperature is None:
                temperature = min(TEMPERATURES, key=lambda t: _surprise(beams, t, weight))
            trained = trained.model_copy(update={"temperature": temperature, "similarity_weight": weight})
            write_record(request.out / DESCRIPTION, trained)
        metrics, _ = measure(Eperm(request.config, tools), dev, request.graph)
        return {**metrics, "temperature": trained.temperature, "similarity_weight": trained.similarity_weight}

    def _scored(self, method: Eperm, examples: Sequence[Example]) -> list[ScoredBeams]:
        """The plans of each question that has some."""
        found = []
        for store, own in by_graph(examples, self.request.graph):
            linked = [method.link(example.question, store) for example in own]
            for (case, paths), example in zip(method.find(linked, store), own, strict=True):
                plans = [plan for plan in case.plans if plan.logprob is not None]
                if not isinstance(case, PlacedQuestion) or not plans:
                    continue
                gold = {normalise(text) for text in (*example.gold.answers, *example.gold.entities)}
                right: set[RelationPath] = set()
                for each in paths:
                    ends = case.graph.labels(np.unique(each.ends))
                    if sum(normalise(end) in gold for end in ends) >= self.config.threshold * max(1, len(ends)):
                        right.add(each.plan.steps)
                found.append(
                    ScoredBeams(
                        np.array([plan.logprob for plan in plans]),
                        np.array(plan_similarities(case, [plan.steps for plan in plans], method.similarity)),
                        np.array([plan.steps in right for plan in plans]),
                    )
                )
        return found


def _kept(relations: Counter[str]) -> list[str]:
    """Relations as plans name them, at their beginning and further on: one token each."""
    names = [name for name, _ in relations.most_common(MAX_KEPT_RELATIONS)]
    return ["[T1]", "[T2]", "[V1]", "[V2]", *names, *(SEPARATOR + name for name in names)]


def _surprise(beams: Sequence[ScoredBeams], temperature: float, weight: float) -> float:
    """Mean negative log-likelihood of "the heaviest plan is right" under its weight."""
    total = 0.0
    least = 0.5 / len(beams)  # so few questions cannot tell smaller chances apart
    for each in beams:
        scores = each.logprobs + weight * each.similarities
        weights = np.exp((scores - scores.max()) / temperature)
        weights = np.clip(weights / weights.sum(), least, 1 - least)
        best = each.best(weight)
        total -= float(np.log(weights[best] if each.right[best] else 1 - weights[best]))
    return total / len(beams)


def _names(graph: Subgraph, judged: TopicPlan) -> list[str]:
    return [relation_text(graph, relation, forward) for relation, forward in judged.steps]


def train(request: TrainRequest, on_event: OnEvent = ignore) -> TrainResult:
    """Tune the one model of EPERM; the folder `out` answers questions afterwards.

    Raises:
        TrainingError: no question has a path from a topic to an answer.
        InputError: the base model cannot be opened, or the loss is not a number.
    """
    work = EpermTraining(request, on_event)
    tasks = work.run("mine plans", work.mine)
    metrics = work.run("tune", work.tune_one, tasks)
    return work.result(metrics | work.run("validate", work.validate, tasks.lines))
