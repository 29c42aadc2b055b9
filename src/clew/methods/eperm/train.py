"""Training EPERM: mine the posterior plans, write plan and answer tasks, tune one model on their union (Eq. 6 to 8).

Read from the bottom: `train` is the list of stages. Validation runs the very method that answers questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clew.errors import ClewError, TrainingError, UnsupportedError
from clew.evaluation.answers import score_answer
from clew.graph import Graph, Subgraph
from clew.graph.paths import RelationPath
from clew.graph.subgraph import Ints
from clew.learning import Stage, run_stages
from clew.learning.beams import ScoredBeams, best_similarity_weight
from clew.learning.checkpoints import write_json
from clew.learning.processes import is_main_process, wait_for_all
from clew.learning.scratch import create_decoder
from clew.learning.tuning import Pair, tune
from clew.llm import normalise
from clew.methods.eperm.asking import SEPARATOR, PromptClient, QuestionState, relation_text, shown_question
from clew.methods.eperm.config import TrainConfig
from clew.methods.eperm.gold import Posterior, TopicPlan, agreed, posterior
from clew.methods.eperm.method import Eperm
from clew.methods.eperm.model import DESCRIPTION, MODEL, Trained
from clew.methods.eperm.plans import plan_similarities
from clew.methods.eperm.tasks import TaskWriter
from clew.paths.examples import EntityIndex, stated_paths
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


@dataclass(slots=True)
class TrainingState:
    """What the stages hand on to each other."""

    pairs: list[Pair] = field(default_factory=list)
    relations: Counter[str] = field(default_factory=Counter)  # how often a relation stands in a plan
    report: dict[str, Any] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)


class _Training:
    """The stages over one `TrainingState`."""

    def __init__(self, request: TrainRequest, on_event: OnEvent):
        self.request, self.on_event = request, on_event
        self.config: TrainConfig = request.train_config or TrainConfig()
        self.style = self.config.style or ("paper" if self.config.base else "short")
        self.material = TrainingState()
        self._names: EntityIndex | None = None
        self.random = np.random.default_rng(request.seed)
        self.examples, self.dev = list(request.examples), list(request.dev)
        if not self.dev and self.config.validate_on:
            held = min(self.config.validate_on, int(self.config.dev_share * len(self.examples)))
            order = np.random.default_rng((request.seed, len(self.examples))).permutation(len(self.examples)).tolist()
            self.dev = [self.examples[i] for i in order[:held]]
            self.examples = [self.examples[i] for i in sorted(order[held:])]
        self.trained = Trained(
            style=self.style,
            relations=self.config.relations,
            entities=self.config.entities,
            hops=self.config.hops,
        )

    def gold_paths(self) -> None:
        """Plan and answer tasks of every question (Eq. 5)."""
        config, m = self.config, self.material
        writer = TaskWriter(PromptClient(_Silent(), self.style), config, self.request.config, self.random)
        examples = self.examples
        if config.max_questions is not None and len(examples) > config.max_questions:
            chosen = self.random.choice(len(examples), config.max_questions, replace=False)
            examples = [examples[i] for i in sorted(chosen.tolist())]
        left: dict[str, list[str]] = {}
        kinds: Counter[str] = Counter()
        hops: Counter[int] = Counter()
        found: list[tuple[QuestionState, Posterior, Ints]] = []
        for example in examples:
            store = example.graph or self.request.graph
            if not isinstance(store, Graph):
                raise UnsupportedError(
                    f"graph {store.name!r}: training needs its triples at hand; clew build makes such a graph"
                )
            topics, answers, why = self._resolve(example, store)
            if why:
                left.setdefault(why, []).append(example.question.id)
                continue
            graph = store.whole
            starts = [graph.local(topic.entity.id) or 0 for topic in topics]
            stated = stated_paths(example.gold.paths, self._index(store), starts) if config.stated else ()
            mined = posterior(graph, starts, answers, config, stated)
            kinds["truncated"] += mined.truncated
            if not mined.gold:
                left.setdefault("no path from a topic to an answer", []).append(example.question.id)
                continue
            kinds["fallback"] += mined.fallback
            hops[len(mined.gold[0].steps)] += 1
            text, _ = shown_question(example.question, topics, self.style, self.request.config.question_words)
            case = QuestionState(example.question, topics, text, graph=graph, around=graph)
            case.starts = np.array(starts, np.int32)
            found.append((case, mined, answers))
        dropped = sum(len(mined.gold) for _, mined, _ in found)
        for case, mined, answers in self._agreed(found):
            dropped -= len(mined.gold)
            m.pairs += writer.tasks(case, mined, answers)
            for judged in (*mined.gold, *mined.others[:20]):
                m.relations.update(_names(case.graph, judged))
        if writer.lines and self.style == "short":
            self.trained = self.trained.model_copy(update={"lines": int(np.quantile(writer.lines, 0.99))})
        m.report = {
            "questions": len(examples),
            "tasks": dict(writer.written),
            "best plan kept below the threshold": kinds["fallback"],
            "searches cut": kinds["truncated"],
            "plans dropped that other questions disagree with": dropped,
            "hops of gold plans": {str(k): n for k, n in sorted(hops.items())},
            "left out": left,
        }
        write_json(self.request.out / "mining.json", m.report)
        told = ", ".join(f"{len(ids)} {reason}" for reason, ids in left.items())
        self.on_event(
            Event(
                "train",
                f"{len(m.pairs)} tasks from {len(examples)} questions; {kinds['fallback']} kept their best plan though "
                f"it is below t = {config.threshold}" + (f"; left out: {told}" if told else ""),
                {"tasks": len(m.pairs), "fallback": kinds["fallback"]},
            )
        )
        if not m.pairs:
            raise TrainingError(
                "no question has a plan from a topic to an answer: check that topics and answers are ids or labels of "
                f"graph {self.request.graph.name!r}; the reasons are in {self.request.out / 'mining.json'}"
            )

    def _agreed(
        self, found: Sequence[tuple[QuestionState, Posterior, Ints]]
    ) -> list[tuple[QuestionState, Posterior, Ints]]:
        """The questions with only those gold plans that the others agree with."""
        if not self.config.agreement:
            return list(found)
        limit = self.request.config.question_words
        masked = [shown_question(case.question, case.topics, "short", limit)[0] for case, _, _ in found]
        groups = [  # the gold plans of one topic of one question are ways to say the same
            (n, [plan for plan in mined.gold if plan.topic == topic])
            for n, (_, mined, _) in enumerate(found)
            for topic in sorted({plan.topic for plan in mined.gold})
        ]
        named = [[SEPARATOR.join(_names(found[n][0].graph, plan)) for plan in group] for n, group in groups]
        kept: list[list[TopicPlan]] = [[] for _ in found]
        for (n, group), keep in zip(groups, agreed([masked[n] for n, _ in groups], named), strict=True):
            kept[n] += [plan for plan, good in zip(group, keep, strict=True) if good]
        return [
            (case, replace(mined, gold=tuple(gold)), answers)
            for (case, mined, answers), gold in zip(found, kept, strict=True)
        ]

    def _resolve(self, example: Example, store: Graph) -> tuple[list[Topic], Any, str]:
        """Topics, answers in local numbers, and why the question cannot be used, or ""."""
        try:
            topics = list(self.request.tools.link(example.question, store)) if self.request.tools.link else []
            if self.request.tools.link is None:
                topics = [Topic(store.entity(name), 1.0, name, "given") for name in example.question.topics]
        except ClewError:
            return [], None, "unknown topic"
        if not topics:
            return [], None, "no topic"
        answers = self._index(store).numbers(example.gold.entities or example.gold.answers)
        if not answers:
            return [], None, "unknown answers" if example.gold.answers else "no answers"
        return topics, np.unique(np.array(answers, np.int32)), ""

    def _index(self, store: Graph) -> EntityIndex:
        """Names of the last graph that was asked for: examples of one graph stand together."""
        if self._names is None or self._names.graph is not store.whole:
            self._names = EntityIndex(store.whole)
        return self._names

    def tune(self) -> None:
        """One model for all tasks (Eq. 8)."""
        config, request = self.config, self.request
        base: Any = config.base
        if not base:
            base = request.out / "base"
            if is_main_process() and not (request.resume and (base / "config.json").is_file()):
                texts = [turn.content for pair in self.material.pairs for turn in pair.prompt]
                parameters = create_decoder(
                    base,
                    [*texts, *(pair.completion for pair in self.material.pairs)],
                    size=config.size,
                    keep=self._kept(),
                    seed=request.seed,
                )
                self.on_event(Event("train", f"a decoder of {parameters:,} parameters", {"parameters": parameters}))
                self.material.report["parameters"] = parameters
            wait_for_all()
        if request.resume and (request.out / MODEL / "config.json").is_file():
            return
        tuned = tune(
            base,
            self.material.pairs,
            request.out,
            config.tune,
            seed=request.seed,
            resume=request.resume,
            on_event=self.on_event,
        )
        self.material.report["refused"] = tuned.refused
        if tuned.curve:
            self.material.metrics["loss"] = tuned.curve[-1]["loss"]

    def _kept(self) -> list[str]:
        """Relations as plans name them, at their beginning and further on: one token each."""
        names = [name for name, _ in self.material.relations.most_common(MAX_KEPT_RELATIONS)]
        return ["[T1]", "[T2]", "[V1]", "[V2]", *names, *(SEPARATOR + name for name in names)]

    def validate(self) -> None:
        """Metrics on dev, and the temperature that makes plan weights chances."""
        request, m = self.request, self.material
        if not is_main_process():
            return
        write_json(request.out / DESCRIPTION, self.trained.model_dump(mode="json"))
        dev = self.dev[: self.config.validate_on]
        if not dev:
            return
        tools = replace(request.tools, model=request.out)
        method = Eperm(request.config, tools)
        by_store: dict[int, list[Example]] = {}
        for example in dev:
            by_store.setdefault(id(example.graph or request.graph), []).append(example)
        groups = [(each[0].graph or request.graph, each) for each in by_store.values()]
        chances = [chance for store, each in groups for chance in self._chances(method, store, each)]
        if chances:
            weight, temperature = request.config.similarity_weight, request.config.temperature
            if weight is None:
                weight = best_similarity_weight(chances)
            if temperature is None:
                temperature = min(TEMPERATURES, key=lambda t: _surprise(chances, t, weight))
            self.trained = self.trained.model_copy(update={"temperature": temperature, "similarity_weight": weight})
            write_json(request.out / DESCRIPTION, self.trained.model_dump(mode="json"))
            method = Eperm(request.config, tools)
        answered = [
            (answer, example.gold)
            for store, each in groups
            for answer, example in zip(method.predict([e.question for e in each], store), each, strict=True)
        ]
        m.metrics.update(measure(answered))
        m.metrics["temperature"] = self.trained.temperature
        m.metrics["similarity_weight"] = self.trained.similarity_weight

    def _chances(self, method: Eperm, store: GraphStore, examples: Sequence[Example]) -> list[ScoredBeams]:
        """The plans of each question that has some."""
        cases, partial = method.find([example.question for example in examples], store)
        found = []
        for case, own, example in zip(cases, partial, examples, strict=True):
            gold = {normalise(text) for text in (*example.gold.answers, *example.gold.entities)}
            right: dict[RelationPath, bool] = {}
            for each in own:
                assert case.graph is not None
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


def _surprise(chances: Sequence[ScoredBeams], temperature: float, weight: float) -> float:
    """Mean negative log-likelihood of "the heaviest plan is right" under its weight."""
    total = 0.0
    least = 0.5 / len(chances)  # so few questions cannot tell smaller chances apart
    for chance in chances:
        scores = chance.logprobs + weight * chance.similarities
        weights = np.exp((scores - scores.max()) / temperature)
        weights = np.clip(weights / weights.sum(), least, 1 - least)
        best = chance.best(weight)
        total -= float(np.log(weights[best] if chance.right[best] else 1 - weights[best]))
    return total / len(chances)


def measure(answered: Sequence[tuple[Answer, Gold]]) -> dict[str, float]:
    """Hits@1 and F1 of some answers."""
    scores = [score_answer(answer, gold) for answer, gold in answered]
    n = max(1, len(scores))
    return {"hits@1": sum(s.hits_at_1 for s in scores) / n, "f1": sum(s.f1 for s in scores) / n}


def _names(graph: Subgraph | None, judged: TopicPlan) -> list[str]:
    assert graph is not None
    return [relation_text(graph, relation, forward) for relation, forward in judged.steps]


def train(request: TrainRequest, on_event: OnEvent = ignore) -> TrainResult:
    """Tune the one model of EPERM; the folder `out` answers questions afterwards.

    Raises:
        TrainingError: no question has a plan from a topic to an answer.
        InputError: the base model cannot be opened, or the loss is not a number.
    """
    training = _Training(request, on_event)
    stages = [
        Stage("mine plans", training.gold_paths),
        Stage("tune", training.tune, needs=("torch", "trl", "peft", "datasets")),
        Stage("validate", training.validate),
    ]
    seconds = run_stages(stages, on_event)
    material = training.material
    details = {key: value for key, value in material.report.items() if key != "left out"}
    return TrainResult(request.out, material.metrics, seconds, details)
