"""Training EPERM: mine the posterior plans, write plan and answer tasks, tune one model on their union (Eq. 6 to 8).

Read from the bottom: `train` is the list of stages. Validation runs the very method that answers questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clew.errors import ClewError, TrainingError, UnsupportedError
from clew.evaluation.answers import score_answer
from clew.graph import Subgraph, has_arrays
from clew.graph.paths import RelationPath
from clew.graph.subgraph import Ints
from clew.learning import TrainingStages
from clew.learning.beams import ScoredBeams, best_similarity_weight
from clew.learning.folders import write_json, write_record
from clew.learning.processes import is_main_process, wait_for_all
from clew.learning.scratch import create_decoder
from clew.learning.tuning import Pair, tune
from clew.llm import normalise
from clew.methods.eperm.asking import SEPARATOR, PlacedQuestion, PromptClient, relation_text, shown_question
from clew.methods.eperm.config import HOPS, TrainConfig
from clew.methods.eperm.gold import Posterior, TopicPlan, agreed, posterior
from clew.methods.eperm.method import Eperm
from clew.methods.eperm.model import DESCRIPTION, MODEL, Trained
from clew.methods.eperm.plans import plan_similarities
from clew.methods.eperm.tasks import TaskWriter
from clew.paths.examples import EntityIndex, longest_stated, stated_paths
from clew.protocols import Example, GraphStore, LLMReply, LLMRequest, OnEvent, TrainRequest, TrainResult, ignore
from clew.types import Answer, Event, Gold, Topic

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
    """What the model learns, the relations that stand in plans with how often, and what mining has to tell."""

    pairs: tuple[Pair, ...]
    relations: Counter[str]
    report: dict[str, Any]
    lines: int | None  # evidence lines that nearly all answer tasks of a small decoder have at most


class _Training:
    """The stages over one request."""

    def __init__(self, request: TrainRequest, on_event: OnEvent):
        self.request, self.on_event = request, on_event
        config: TrainConfig = request.train_config or TrainConfig()
        self.config = config.model_copy(update={"hops": config.hops or longest_stated(request.examples, HOPS)})
        self.style = self.config.style or ("paper" if self.config.base else "short")
        self._names: EntityIndex | None = None
        self.random = np.random.default_rng(request.seed)
        self.examples, self.dev = list(request.examples), list(request.dev)
        if not self.dev and self.config.validate_on:
            held = min(self.config.validate_on, int(self.config.dev_share * len(self.examples)))
            order = np.random.default_rng((request.seed, len(self.examples))).permutation(len(self.examples)).tolist()
            self.dev = [self.examples[i] for i in order[:held]]
            self.examples = [self.examples[i] for i in sorted(order[held:])]

    def mine(self) -> Tasks:
        """Plan and answer tasks of every question (Eq. 5)."""
        config = self.config
        examples = self.examples
        if config.max_questions is not None and len(examples) > config.max_questions:
            chosen = self.random.choice(len(examples), config.max_questions, replace=False)
            examples = [examples[i] for i in sorted(chosen.tolist())]
        left: dict[str, list[str]] = {}
        kinds: Counter[str] = Counter()
        hops: Counter[int] = Counter()
        found: list[MinedQuestion] = []
        for example in examples:
            store = example.graph or self.request.graph
            if not has_arrays(store):
                raise UnsupportedError(
                    f"graph {store.name!r}: training needs its triples at hand; clew build makes such a graph"
                )
            graph = store.as_subgraph
            topics, answers, why = self._resolve(example, store, graph)
            if why:
                left.setdefault(why, []).append(example.question.id)
                continue
            starts = [graph.local(topic.entity.id) or 0 for topic in topics]
            stated = stated_paths(example.gold.paths, self._index(graph), starts)
            mined = posterior(graph, starts, answers, config, stated)
            kinds["truncated"] += mined.truncated
            if not mined.gold:
                left.setdefault("no path from a topic to an answer", []).append(example.question.id)
                continue
            kinds["fallback"] += mined.fallback
            hops[len(mined.gold[0].steps)] += 1
            text, _ = shown_question(example.question, topics, self.style)
            at = np.array(starts, np.int32)
            case = PlacedQuestion(example.question, topics, text, graph=graph, around=graph, starts=at)
            found.append(MinedQuestion(case, mined, answers))
        writer = TaskWriter(PromptClient(_Silent(), self.style), config, self.request.config, self.random)
        pairs: list[Pair] = []
        relations: Counter[str] = Counter()
        dropped = sum(len(each.posterior.gold) for each in found)
        for each in self._agreed(found):
            dropped -= len(each.posterior.gold)
            pairs += writer.tasks(each.case, each.posterior, each.answers)
            for judged in (*each.posterior.gold, *each.posterior.others[:20]):
                relations.update(_names(each.case.graph, judged))
        report = {
            "questions": len(examples),
            "tasks": dict(writer.written),
            "best plan kept below the threshold": kinds["fallback"],
            "searches cut": kinds["truncated"],
            "plans dropped that other questions disagree with": dropped,
            "hops of gold plans": {str(k): n for k, n in sorted(hops.items())},
            "left out": left,
        }
        write_json(self.request.out / "mining.json", report)
        told = ", ".join(f"{len(ids)} {reason}" for reason, ids in left.items())
        self.on_event(
            Event(
                "train",
                f"{len(pairs)} tasks from {len(examples)} questions; {kinds['fallback']} kept their best plan though "
                f"it is below t = {config.threshold}" + (f"; left out: {told}" if told else ""),
                {"tasks": len(pairs), "fallback": kinds["fallback"]},
            )
        )
        if not pairs:
            raise TrainingError(
                "no question has a plan from a topic to an answer: check that topics and answers are ids or labels of "
                f"graph {self.request.graph.name!r}; the reasons are in {self.request.out / 'mining.json'}"
            )
        lines = int(np.quantile(writer.lines, 0.99)) if writer.lines and self.style == "short" else None
        return Tasks(tuple(pairs), relations, report, lines)

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

    def _resolve(self, example: Example, store: GraphStore, graph: Subgraph) -> tuple[list[Topic], Any, str]:
        """Topics, answers in local numbers, and why the question cannot be used, or ""."""
        try:
            topics = list(self.request.tools.link(example.question, store)) if self.request.tools.link else []
            if self.request.tools.link is None:
                topics = [Topic(store.entity(name), 1.0, name, "given") for name in example.question.topics]
        except ClewError:
            return [], None, "unknown topic"
        if not topics:
            return [], None, "no topic"
        answers = self._index(graph).numbers(example.gold.entities or example.gold.answers)
        if not answers:
            return [], None, "unknown answers" if example.gold.answers else "no answers"
        return topics, np.unique(np.array(answers, np.int32)), ""

    def _index(self, graph: Subgraph) -> EntityIndex:
        """Names of the last graph that was asked for: examples of one graph stand together."""
        if self._names is None or self._names.graph is not graph:
            self._names = EntityIndex(graph)
        return self._names

    def tune(self, tasks: Tasks) -> tuple[dict[str, float], dict[str, Any]]:
        """One model for all tasks (Eq. 8); its metrics and details."""
        config, request, details = self.config, self.request, dict[str, Any]()
        base: Any = config.base
        if not base:
            base = request.out / "base"
            if is_main_process() and not (request.resume and (base / "config.json").is_file()):
                texts = [turn.content for pair in tasks.pairs for turn in pair.prompt]
                parameters = create_decoder(
                    base,
                    [*texts, *(pair.completion for pair in tasks.pairs)],
                    size=config.size,
                    keep=_kept(tasks.relations),
                    seed=request.seed,
                )
                self.on_event(Event("train", f"a decoder of {parameters:,} parameters", {"parameters": parameters}))
                details["parameters"] = parameters
            wait_for_all()
        if request.resume and (request.out / MODEL / "config.json").is_file():
            return {}, details
        tuned = tune(
            base,
            tasks.pairs,
            request.out,
            config.tune,
            seed=request.seed,
            resume=request.resume,
            on_event=self.on_event,
        )
        details["refused"] = tuned.refused
        return {"loss": tuned.curve[-1]["loss"]} if tuned.curve else {}, details

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
        method = Eperm(request.config, tools)
        by_store: dict[int, list[Example]] = {}
        for example in dev:
            by_store.setdefault(id(example.graph or request.graph), []).append(example)
        groups = [(each[0].graph or request.graph, each) for each in by_store.values()]
        beams = [scored for store, each in groups for scored in self._scored(method, store, each)]
        if beams:
            weight, temperature = request.config.similarity_weight, request.config.temperature
            if weight is None:
                weight = best_similarity_weight(beams)
            if temperature is None:
                temperature = min(TEMPERATURES, key=lambda t: _surprise(beams, t, weight))
            trained = trained.model_copy(update={"temperature": temperature, "similarity_weight": weight})
            write_record(request.out / DESCRIPTION, trained)
            method = Eperm(request.config, tools)
        answered = [
            (answer, example.gold)
            for store, each in groups
            for answer, example in zip(method.predict([e.question for e in each], store), each, strict=True)
        ]
        fitted = {"temperature": trained.temperature, "similarity_weight": trained.similarity_weight}
        return measure(answered) | fitted

    def _scored(self, method: Eperm, store: GraphStore, examples: Sequence[Example]) -> list[ScoredBeams]:
        """The plans of each question that has some."""
        linked = [method.link(example.question, store) for example in examples]
        found = []
        for (case, own), example in zip(method.find(linked, store), examples, strict=True):
            if not isinstance(case, PlacedQuestion):
                continue
            gold = {normalise(text) for text in (*example.gold.answers, *example.gold.entities)}
            right: dict[RelationPath, bool] = {}
            for each in own:
                ends = case.graph.labels(np.unique(each.ends))
                share = sum(normalise(end) in gold for end in ends) / max(1, len(ends))
                right[each.plan.steps] = right.get(each.plan.steps, False) or share >= self.config.threshold
            plans = [plan for plan in case.plans if plan.logprob is not None]
            if plans:
                found.append(
                    ScoredBeams(
                        np.array([plan.logprob for plan in plans]),
                        np.array(plan_similarities(case, [plan.steps for plan in plans], method.similarity)),
                        np.array([right.get(plan.steps, False) for plan in plans]),
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


def measure(answered: Sequence[tuple[Answer, Gold]]) -> dict[str, float]:
    """Hits@1 and F1 of some answers."""
    scores = [score_answer(answer, gold) for answer, gold in answered]
    n = max(1, len(scores))
    return {"hits@1": sum(s.hits_at_1 for s in scores) / n, "f1": sum(s.f1 for s in scores) / n}


def _names(graph: Subgraph, judged: TopicPlan) -> list[str]:
    return [relation_text(graph, relation, forward) for relation, forward in judged.steps]


def train(request: TrainRequest, on_event: OnEvent = ignore) -> TrainResult:
    """Tune the one model of EPERM; the folder `out` answers questions afterwards.

    Raises:
        TrainingError: no question has a plan from a topic to an answer.
        InputError: the base model cannot be opened, or the loss is not a number.
    """
    work = _Training(request, on_event)
    stages = TrainingStages(3, on_event, needs=("torch", "trl", "peft", "datasets"))
    tasks = stages.run("mine plans", work.mine)
    metrics, told = stages.run("tune", work.tune, tasks)
    metrics |= stages.run("validate", work.validate, tasks.lines)
    details = {key: value for key, value in tasks.report.items() if key != "left out"}
    return TrainResult(request.out, metrics, stages.seconds, details | told)
