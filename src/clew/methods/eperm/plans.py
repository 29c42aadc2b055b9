"""Stage B1: weighted plans, relation paths that exist in the question's subgraph.

A model with beams and constraints writes them along the relations that lead on from the topics, so no plan is outside
the graph; its length-normalised log-probabilities become weights by softmax. Any other model is sampled, or asked for
scores of its own; what it writes is read back into the graph and dropped where the graph has no such path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from clew.graph import Subgraph
from clew.graph.paths import RelationPath, follow, relation_paths
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.llm import clean
from clew.methods.eperm.asking import (
    INVERSE,
    SEPARATOR,
    PromptClient,
    QuestionState,
    TextSimilarity,
    WeightedPlan,
    plan_text,
    read_score,
    relation_text,
    shares,
)
from clew.methods.eperm.config import Config
from clew.paths.walks import entities_reached, turns_back
from clew.protocols import LLMReply, LLMRequest
from clew.retrieval.grammar import RelationGrammar

_SPLIT = re.compile(r"\s*(?:\||->|→|,|;)\s*")
_SCORED = re.compile(r"\s*\(?\s*score\b.*$", re.IGNORECASE)
HOP_TOKENS = 24  # of one relation of a plan, at most


def weigh_plans(
    cases: Sequence[QuestionState],
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
    way = config.weighing
    if way == "auto":
        way = "beams" if asker.constrained else "samples"
    asked, requests, grammars = [], [], []
    for case in cases:
        if case.graph is None or not len(case.starts):
            continue
        if not len(relation_paths(case.graph, case.starts, 1, max_paths=1).paths):
            case.notes.append("the topics have no relations in the graph")
            continue
        asked.append(case)
        case.details["weighing"] = _told(way, config)
        if way != "beams":
            case.details["fallback"] = f"plans are weighed by {case.details['weighing']}"
        grammars.append(PlanGrammar(case.graph, case.starts, hops))
        requests.append(_request(case, way, config, hops, asker, similarity, grammars[-1]))
    replies = asker.ask("plans", asked, requests)
    for case, reply, grammar in zip(asked, replies, grammars, strict=True):
        assert case.graph is not None
        found = _read(case, case.graph, case.starts, reply, way, grammar, hops)
        empty = [steps for steps in found if turns_back(steps) and not _reaches(case.graph, case.starts, steps)]
        for steps in empty:
            del found[steps]
        if way == "beams":
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
    case: QuestionState, plans: Sequence[RelationPath], similarity: TextSimilarity | None
) -> list[float]:
    """How much each plan resembles the question by the encoder, in [0, 1]; zeros without one."""
    if similarity is None or case.graph is None or not plans:
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


def _told(way: str, config: Config) -> str:
    if way == "beams":
        return "softmax of log-probabilities per token"
    if way == "self":
        return "scores that the model states itself (no log-probabilities)"
    return f"frequency among {config.plans} samples (no log-probabilities)"


def _request(
    case: QuestionState,
    way: str,
    config: Config,
    hops: int,
    asker: PromptClient,
    similarity: TextSimilarity | None,
    grammar: RelationGrammar,
) -> LLMRequest:
    prompt = asker.prompt("plans" if way == "self" else "plan")
    values: dict[str, object] = {"question": case.text}
    if "vocabulary" in prompt.slots:
        values["vocabulary"] = "; ".join(vocabulary(case, config.vocabulary, hops, similarity))
        values["topics"] = ", ".join(dict.fromkeys(topic.entity.label for topic in case.topics))
    if "count" in prompt.slots:
        values["count"] = config.plans
    messages = prompt.render(**values)
    tokens = HOP_TOKENS * hops
    if way == "beams":
        return LLMRequest(messages, max_tokens=tokens, beams=config.plans, n=config.plans, constraint=grammar)
    if way == "self":
        return LLMRequest(messages, max_tokens=(tokens + 8) * config.plans)
    return LLMRequest(messages, max_tokens=tokens, n=config.plans, temperature=config.sampling)


def vocabulary(case: QuestionState, limit: int, hops: int, similarity: TextSimilarity | None) -> list[str]:
    """The relations of the subgraph, most like the question first."""
    graph = case.graph
    assert graph is not None
    near: dict[str, None] = {}
    ends = case.starts
    for _ in range(hops):
        found = relation_paths(graph, ends, 1, max_paths=5000).paths
        near.update(dict.fromkeys(relation_text(graph, *each.steps[0]) for each in found))
        if not found:
            break
        ends = np.unique(np.concatenate([each.ends for each in found]))
    texts = list(near)
    if similarity is not None and len(texts) > limit:
        case.count("relations_not_shown", len(texts) - limit)
        scores = similarity.scores(case.plain, [label_to_text(text) for text in texts])
        texts = [texts[i] for i in np.argsort(-scores, kind="stable").tolist()]
    return texts[:limit]


def _read(
    case: QuestionState,
    graph: Subgraph,
    starts: Ints,
    reply: LLMReply,
    way: str,
    grammar: RelationGrammar,
    hops: int,
) -> dict[RelationPath, tuple[float, float | None]]:
    """Weight and log-probability per token of every plan; the weight of a beam is how often it was written."""
    found: dict[RelationPath, tuple[float, float | None]] = {}
    if way == "beams":
        for text in reply.texts:
            logprob = (text.logprob or 0.0) / max(text.tokens, 1)
            for steps in grammar.read(text.text):
                found[steps] = (found.get(steps, (0.0, None))[0] + 1.0, logprob)
        return found
    lines = [line for text in reply.texts for line in (clean(text.text).splitlines() or [""]) if line.strip()]
    for line in lines if way == "self" else [text.text for text in reply.texts]:
        bare = _SCORED.sub("", clean(line).strip())
        weight = 1.0
        if way == "self":
            stated = read_score(line) if bare != clean(line).strip() else None
            weight = 0.5 if stated is None else stated
            case.count("unread_plan_scores", int(stated is None))
        paths = read_plan(graph, starts, bare, hops)
        case.count("plans_outside_the_graph", int(not paths))
        for steps in paths:
            found[steps] = (found.get(steps, (0.0, None))[0] + weight / len(paths), None)
    return found


def read_plan(graph: Subgraph, starts: Ints, text: str, hops: int) -> list[RelationPath]:
    """The relation paths that a free text may stand for; a relation without a direction may be walked either way.

    Forms understood: `a | b`, `a -> b`, `a, b`; `(inverse)` after or `inverse:` before a relation; ids or labels in any
    case, with spaces for underscores. Empty where the graph has no such path from the starts, or it has too many hops.
    """
    parts = [part.strip(" .\"'`<>[]") for part in _SPLIT.split(" ".join(text.split()))]
    parts = [part for part in parts if part]
    if not 1 <= len(parts) <= hops:
        return []
    open_: list[tuple[RelationPath, Ints]] = [((), starts)]
    for part in parts:
        name, directions = _direction(part)
        following: list[tuple[RelationPath, Ints]] = []
        for steps, ends in open_:
            for each in relation_paths(graph, ends, 1, max_paths=100_000).paths:
                relation, forward = each.steps[0]
                known = graph.relation(relation)
                if forward in directions and name in (_plain(known.label), _plain(known.id)):
                    following.append(((*steps, (relation, forward)), each.ends))
        open_ = following
    return [steps for steps, _ in open_ if len(follow(graph, starts, steps).entities)]


def _direction(part: str) -> tuple[str, tuple[bool, ...]]:
    lowered = part.casefold()
    for mark in ("(inverse)", "inverse:", "inverse of"):
        if mark in lowered:
            return _plain(lowered.replace(mark, "")), (False,)
    return _plain(part), (True, False)


def _plain(name: str) -> str:
    return " ".join(name.casefold().replace("_", " ").split())
