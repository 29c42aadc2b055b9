"""Stage B1: weighted plans, relation paths that exist in the question's subgraph.

A model with beams and constraints writes them along the relations that lead on from the topics, so no plan is outside
the graph; its length-normalised log-probabilities become weights by softmax. Any other model is sampled, or asked for
scores of its own; what it writes is read back into the graph and dropped where the graph has no such path.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from clew.graph import Subgraph
from clew.graph.paths import RelationPath, follow, relation_paths
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.llm import clean, normalise
from clew.methods.eperm.asking import (
    INVERSE,
    SEPARATOR,
    PlacedQuestion,
    PromptClient,
    TextSimilarity,
    WeightedPlan,
    plan_text,
    relation_text,
    shares,
)
from clew.methods.eperm.config import Config
from clew.methods.eperm.written import (
    read_plan,
    written_plans,
)
from clew.paths.walks import entities_reached, turns_back
from clew.protocols import LLMReply, LLMRequest, Message
from clew.retrieval.grammar import RelationGrammar

SAMPLING = 0.8  # temperature of samples, where there are no beams
UNSTATED = 0.5  # weight of a plan that the model gave none
ENUMERATED = 250  # relations that a schema lists; servers bound how many it may have
TOLD = 150  # relations named where a plan left the graph
HOP_TOKENS = 24  # of one relation of a plan, at most

WrittenPlans = dict[RelationPath, tuple[float, float | None]]
"""Weight and log-probability per token of each plan."""


def weigh_plans(
    cases: Sequence[PlacedQuestion],
    config: Config,
    hops: int,
    temperature: float,
    asker: PromptClient,
    similarity: TextSimilarity | None,
    *,
    similarity_weight: float = 0.0,
) -> None:
    """Fill `plans` of every case, best first, weights summing to 1; tell in `details` how they were weighed.

    Args:
        similarity_weight: of the encoder's similarity of question and plan, beside the log-probability per token.
    """
    writer = _PlanWriter(config, hops, asker, similarity)
    asked = []
    for case in cases:
        if not len(case.starts):
            continue
        if not len(relation_paths(case.graph, case.starts, 1, max_paths=1).paths):
            case.notes.append("the topics have no relations in the graph")
            continue
        asked.append(case)
        case.details["weighing"] = writer.weighing
        if writer.way != "beams":
            case.details["fallback"] = f"plans are weighed by {writer.weighing}"
    reads = writer.write(asked)
    for case, found in zip(asked, reads, strict=True):
        empty = [steps for steps in found if turns_back(steps) and not _reaches(case.graph, case.starts, steps)]
        for steps in empty:
            del found[steps]
        if writer.way == "beams":
            similarities = plan_similarities(case, list(found), similarity if similarity_weight else None)
            scores = [
                (logprob or 0.0) + similarity_weight * like
                for (_, logprob), like in zip(found.values(), similarities, strict=True)
            ]
            weights = zip(found.items(), shares(scores, temperature), strict=True)
            found = {steps: (share * copies, logprob) for (steps, (copies, logprob)), share in weights}
        case.count("plans_without_paths", len(empty))
        if not config.filter:
            found = {steps: (1.0, logprob) for steps, (_, logprob) in found.items()}
        total = sum(weight for weight, _ in found.values())
        plans = [
            WeightedPlan(steps, plan_text(case.graph, steps), weight / total if total > 0 else 1 / len(found), logprob)
            for steps, (weight, logprob) in found.items()
        ]
        case.plans = sorted(plans, key=lambda plan: -plan.weight)[: config.plans]
        if not case.plans:
            case.notes.append("no plan that the language model wrote can be followed in the graph")


def plan_similarities(
    case: PlacedQuestion, plans: Sequence[RelationPath], similarity: TextSimilarity | None
) -> list[float]:
    """How much each plan resembles the question by the encoder, in [0, 1]; zeros without one."""
    if similarity is None or not plans:
        return [0.0] * len(plans)
    graph = case.graph
    return [
        float(x) for x in similarity.scores(case.plain, [label_to_text(plan_text(graph, steps)) for steps in plans])
    ]


def _reaches(graph: Subgraph, starts: Ints, steps: RelationPath) -> bool:
    """Whether a plan leads anywhere by the rules of stage B2."""
    return bool(len(entities_reached(graph, starts, steps)))


class PlanGrammar(RelationGrammar):
    """The plans that lead somewhere from some of the starts by the rules of stage B2: no turning round at once.

    They end in something that has a name, unless nothing named can be reached: a mediator answers no question.
    """

    def __init__(self, graph: Subgraph, starts: Ints, hops: int) -> None:
        super().__init__(graph, starts, hops=hops, separator=SEPARATOR, inverse=INVERSE)
        self._within = graph, starts
        self._leads: dict[RelationPath, bool] = {}
        self._named = bool(graph.mediators.any())
        if self._named and not any(True for _ in self.steps(())):
            self._named = False
            self._leads.clear()

    @cached_property
    def key(self) -> str:
        return f"plans:{super().key}"

    def steps(self, state: RelationPath) -> Iterator[tuple[str, RelationPath]]:
        for piece, following in super().steps(state):
            if (not turns_back(following) or _reaches(*self._within, following)) and self._leads_on(following):
                yield piece, following

    def complete(self, state: RelationPath) -> bool:
        return super().complete(state) and self._ends_named(state)

    def _ends_named(self, state: RelationPath) -> bool:
        return not (self._named and self._within[0].mediators[self._frontier(state)].all())

    def _leads_on(self, state: RelationPath) -> bool:
        """Whether a plan is whole or becomes one."""
        if state not in self._leads:
            self._leads[state] = self._ends_named(state) or any(True for _ in self.steps(state))
        return self._leads[state]


class _PlanWriter:
    """Has plans written, and reads them back into the graph.

    Each plan has a weight and its log-probability per token; the weight of a beam is how often it was written.
    """

    def __init__(self, config: Config, hops: int, asker: PromptClient, similarity: TextSimilarity | None) -> None:
        self._config, self._hops, self._asker, self._similarity = config, hops, asker, similarity
        self.way: str = config.weighing
        if self.way == "auto":
            self.way = "beams" if asker.constrained else "samples" if asker.style == "short" else "self"

    @property
    def weighing(self) -> str:
        """How plans are weighed, in words."""
        if self.way == "beams":
            return "softmax of log-probabilities per token"
        if self.way == "self":
            return "scores that the model states itself (no log-probabilities)"
        return f"frequency among {self._config.plans} samples (no log-probabilities)"

    def write(self, asked: Sequence[PlacedQuestion]) -> list[WrittenPlans]:
        """The plans of each question, in one call for all."""
        grammars = [PlanGrammar(case.graph, case.starts, self._hops) for case in asked]
        requests = [self._request(case, grammar) for case, grammar in zip(asked, grammars, strict=True)]
        replies = self._asker.ask("plans", asked, requests)
        reads = [self._read(*each) for each in zip(asked, replies, grammars, strict=True)]
        again = [i for i, found in enumerate(reads) if not found] if self.way == "self" else []
        if again:
            # Where no plan can be followed, what leads on where they broke off is said, and asked for once more.
            corrected = [_corrected(asked[i], requests[i], replies[i]) for i in again]
            for i, reply in zip(again, self._asker.ask("plans", [asked[i] for i in again], corrected), strict=True):
                reads[i] = self._read(asked[i], reply, grammars[i])
        return reads

    def _request(self, case: PlacedQuestion, grammar: RelationGrammar) -> LLMRequest:
        config, hops, asker, way = self._config, self._hops, self._asker, self.way
        prompt = asker.prompt("plans" if way == "self" else "plan")
        values: dict[str, object] = {"question": case.text}
        levels: list[list[str]] = []
        if "vocabulary" in prompt.slots:
            levels = vocabulary(case, config.vocabulary, hops, self._similarity)
            values["vocabulary"] = vocabulary_text(levels)
            values["topics"] = ", ".join(dict.fromkeys(topic.entity.label for topic in case.topics))
        if "examples" in prompt.slots:
            values["examples"] = case.examples
        if "count" in prompt.slots:
            values["count"] = config.plans
        messages = prompt.render(**values)
        tokens = HOP_TOKENS * hops
        if way == "beams":
            return LLMRequest(messages, max_tokens=tokens, beams=config.plans, n=config.plans, constraint=grammar)
        if way == "self":
            by_schema = "json_schema" in asker.model.abilities and levels
            schema = plan_schema(levels, hops, config.plans) if by_schema else None
            return LLMRequest(messages, max_tokens=(tokens + 16) * config.plans, json_schema=schema)
        return LLMRequest(messages, max_tokens=tokens, n=config.plans, temperature=SAMPLING)

    def _read(self, case: PlacedQuestion, reply: LLMReply, grammar: RelationGrammar) -> WrittenPlans:
        found: WrittenPlans = {}
        if self.way == "beams":
            for text in reply.texts:
                logprob = (text.logprob or 0.0) / max(text.tokens, 1)
                for steps in grammar.read(text.text):
                    found[steps] = (found.get(steps, (0.0, None))[0] + 1.0, logprob)
            return found
        graph, starts = case.graph, case.starts
        names = [normalise(topic.entity.label) for topic in case.topics]
        written = [plan for text in reply.texts for plan in written_plans(text.text)]
        for parts, stated in written:
            weight = 1.0
            if self.way == "self":
                weight = UNSTATED if stated is None else stated
                case.count("unread_plan_scores", int(stated is None))
            kept = list(parts)
            while kept and normalise(kept[0]) in names:  # the topic is where every plan begins
                kept = kept[1:]
            paths = read_plan(graph, starts, kept, self._hops)
            case.count("plans_outside_the_graph", int(not paths))
            for steps in paths:
                found[steps] = (found.get(steps, (0.0, None))[0] + weight / len(paths), None)
        return found


def vocabulary(case: PlacedQuestion, limit: int, hops: int, similarity: TextSimilarity | None) -> list[list[str]]:
    """The relations that lead on at each hop, those of earlier hops left out.

    The first hop is whole; of a later one those that lead on from mediators come first, then those most like the
    question, `limit` together.
    """
    graph = case.graph
    known: set[str] = set()
    levels: list[list[str]] = []
    ends = case.starts
    for hop in range(hops):
        texts: dict[str, None] = {}
        reached: list[Ints] = []
        between = graph.mediators[ends]
        for part in (ends[between], ends[~between]):
            found = relation_paths(graph, part, 1, max_paths=5000).paths if len(part) else []
            own = [text for each in found if (text := relation_text(graph, *each.steps[0])) not in known]
            own = [text for text in dict.fromkeys(own) if text not in texts]
            reached += [each.ends for each in found]
            if hop and similarity is not None and len(own) > limit:
                scores = similarity.scores(case.plain, [label_to_text(text) for text in own])
                own = [own[i] for i in np.argsort(-scores, kind="stable").tolist()]
            texts.update(dict.fromkeys(own))
        shown = list(texts) if not hop else list(texts)[:limit]
        case.count("relations_not_shown", len(texts) - len(shown))
        levels.append(shown)
        known.update(texts)
        if not reached:
            break
        ends = np.unique(np.concatenate(reached))
    return levels


def vocabulary_text(levels: Sequence[Sequence[str]]) -> str:
    """The relations as the prompt lists them, a line per hop."""
    return "\n".join(f"hop {hop}: {'; '.join(own)}" for hop, own in enumerate(levels, 1) if own)


def plan_schema(levels: Sequence[Sequence[str]], hops: int, plans: int) -> dict[str, object]:
    """What a reply with several plans must be; few enough relations are listed in it."""
    texts = list(dict.fromkeys(text for own in levels for text in own))
    relation: dict[str, object] = {"type": "string"}
    if len(texts) <= ENUMERATED:
        relation["enum"] = texts
    path = {"type": "array", "items": relation, "minItems": 1, "maxItems": hops}
    plan = {
        "type": "object",
        "properties": {"path": path, "weight": {"type": "number"}},
        "required": ["path", "weight"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"plans": {"type": "array", "items": plan, "minItems": 1, "maxItems": plans}},
        "required": ["plans"],
        "additionalProperties": False,
    }


def _corrected(case: PlacedQuestion, request: LLMRequest, reply: LLMReply) -> LLMRequest:
    """The request once more, with what leads on where plans broke off."""
    said = (
        Message("assistant", clean(reply.text) or "(nothing)"),
        Message("user", f"None of these can be followed. {_broken_off(case, reply.text)}Try again."),
    )
    return replace(request, messages=(*request.messages, *said))


def _broken_off(case: PlacedQuestion, text: str) -> str:
    """Where the first written plan leaves the graph, and what leads on there."""
    graph = case.graph
    for parts, _ in written_plans(text):
        walked = 0
        while walked < len(parts) and read_plan(graph, case.starts, parts[: walked + 1], walked + 1):
            walked += 1
        ends = case.starts
        if walked:
            plans = read_plan(graph, case.starts, parts[:walked], walked)
            ends = np.unique(np.concatenate([follow(graph, case.starts, steps).entities for steps in plans]))
        leading = relation_paths(graph, ends, 1, max_paths=TOLD).paths
        told = "; ".join(relation_text(graph, *each.steps[0]) for each in leading)
        after = f"After {SEPARATOR.join(parts[:walked])}" if walked else "From the topic entities"
        return f"{after} only these relations lead on: {told}. "
    return ""
