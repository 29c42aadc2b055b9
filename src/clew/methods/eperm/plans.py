"""Stage B1: weighted plans, relation paths that exist in the question's subgraph.

A model with beams and constraints writes them along the relations that lead on from the topics, so no plan is outside
the graph; its length-normalised log-probabilities become weights by softmax. Any other model is sampled, or asked for
scores of its own; what it writes is read back into the graph and dropped where the graph has no such path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from rapidfuzz import fuzz

from clew.graph import Subgraph
from clew.graph.paths import RelationPath, follow, relation_paths
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.llm import clean, normalise, parse_json
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
from clew.protocols import LLMReply, LLMRequest, Message
from clew.retrieval.grammar import RelationGrammar

_SPLIT = re.compile(r"\s*(?:\||->|→|,|;)\s*")
_ITEM = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.):])\s+")
_LEAD = re.compile(r"^[^|]{0,40}?(?:path|plan)s?\s*\d*\s*:\s*", re.IGNORECASE)
UNSTATED = 0.5  # weight of a plan that the model gave none
ENUMERATED = 250  # relations that a schema lists; servers bound how many it may have
TOLD = 150  # relations named where a plan left the graph
SPELLED = 85.0  # least similarity (0..100) of a relation as written and as it is
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
        way = "beams" if asker.constrained else "samples" if asker.style == "short" else "self"
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
    reads = [_read(*each, way, hops) for each in zip(asked, replies, grammars, strict=True)]
    if way == "self":
        _correct(asked, requests, replies, grammars, reads, config, hops, asker)
    for case, found in zip(asked, reads, strict=True):
        assert case.graph is not None
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
    levels: list[list[str]] = []
    if "vocabulary" in prompt.slots:
        levels = vocabulary(case, config.vocabulary, hops, similarity)
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
    return LLMRequest(messages, max_tokens=tokens, n=config.plans, temperature=config.sampling)


def vocabulary(case: QuestionState, limit: int, hops: int, similarity: TextSimilarity | None) -> list[list[str]]:
    """The relations that lead on at each hop, those of earlier hops left out.

    The first hop is whole; of a later one those that lead on from mediators come first, then those most like the
    question, `limit` together.
    """
    graph = case.graph
    assert graph is not None
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


def _correct(
    asked: Sequence[QuestionState],
    requests: list[LLMRequest],
    replies: Sequence[LLMReply],
    grammars: Sequence[RelationGrammar],
    reads: list[dict[RelationPath, tuple[float, float | None]]],
    config: Config,
    hops: int,
    asker: PromptClient,
) -> None:
    """Say what leads on where plans broke off, and ask again, for questions none of whose plans can be followed."""
    replies = list(replies)
    for _ in range(config.corrections):
        again = [i for i, found in enumerate(reads) if not found]
        if not again:
            return
        for i in again:
            said = (
                Message("assistant", clean(replies[i].text) or "(nothing)"),
                Message("user", f"None of these can be followed. {_broken_off(asked[i], replies[i].text)}Try again."),
            )
            requests[i] = replace(requests[i], messages=(*requests[i].messages, *said))
        more = asker.ask("plans", [asked[i] for i in again], [requests[i] for i in again])
        for i, reply in zip(again, more, strict=True):
            replies[i] = reply
            reads[i] = _read(asked[i], reply, grammars[i], "self", hops)


def _broken_off(case: QuestionState, text: str) -> str:
    """Where the first written plan leaves the graph, and what leads on there."""
    graph = case.graph
    assert graph is not None
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


def _read(
    case: QuestionState, reply: LLMReply, grammar: RelationGrammar, way: str, hops: int
) -> dict[RelationPath, tuple[float, float | None]]:
    """Weight and log-probability per token of every plan; the weight of a beam is how often it was written."""
    found: dict[RelationPath, tuple[float, float | None]] = {}
    if way == "beams":
        for text in reply.texts:
            logprob = (text.logprob or 0.0) / max(text.tokens, 1)
            for steps in grammar.read(text.text):
                found[steps] = (found.get(steps, (0.0, None))[0] + 1.0, logprob)
        return found
    graph, starts = case.graph, case.starts
    assert graph is not None
    names = [normalise(topic.entity.label) for topic in case.topics]
    written = [plan for text in reply.texts for plan in written_plans(text.text)]
    for parts, stated in written:
        weight = 1.0
        if way == "self":
            weight = UNSTATED if stated is None else stated
            case.count("unread_plan_scores", int(stated is None))
        kept = list(parts)
        while kept and normalise(kept[0]) in names:  # the topic is where every plan begins
            kept = kept[1:]
        paths = read_plan(graph, starts, kept, hops)
        case.count("plans_outside_the_graph", int(not paths))
        for steps in paths:
            found[steps] = (found.get(steps, (0.0, None))[0] + weight / len(paths), None)
    return found


def written_plans(text: str) -> list[tuple[tuple[str, ...], float | None]]:
    """The plans of a reply as written, with the weights stated: the JSON that was asked for, else a plan a line."""
    parsed = parse_json(text)
    value = parsed.value
    items = value.get("plans") if isinstance(value, dict) else value
    if isinstance(items, list) and all(isinstance(item, str) and not _SPLIT.search(item) for item in items):
        items = [items]  # one plan, relation by relation
    if parsed.ok and isinstance(items, (list, tuple)):
        found = []
        for item in items:
            path = item.get("path") if isinstance(item, dict) else item
            weight = item.get("weight") if isinstance(item, dict) else None
            parts = _SPLIT.split(path) if isinstance(path, str) else path if isinstance(path, list) else []
            told = tuple(" ".join(part.split()) for part in parts if isinstance(part, str) and part.strip())
            stated = float(weight) if isinstance(weight, (int, float)) and 0 <= weight <= 1 else None
            if told:
                found.append((told, stated))
        if found:
            return found
    plans = []
    for line in clean(text).splitlines():
        bare = _SCORED.sub("", line.strip())
        named = _ITEM.sub("", _LEAD.sub("", bare).replace("**", "").replace("`", ""))
        parts = [part.strip(" .\"'<>[]") for part in _SPLIT.split(" ".join(named.split()))]
        if told := tuple(part for part in parts if part):
            plans.append((told, read_score(line) if bare != line.strip() else None))
    return plans


def read_plan(graph: Subgraph, starts: Ints, written: str | Sequence[str], hops: int) -> list[RelationPath]:
    """The relation paths that a plan may stand for; a relation that leads on only against its direction is walked so.

    Forms understood: `a | b`, `a -> b`, `a, b`; `(inverse)` after or `inverse:` before a relation; ids or labels in any
    case, with spaces for underscores; else the last part of a dotted name; else what is spelled nearly so. Each only
    among the relations that lead on. Empty where the graph has no such path from the starts, or it has too many hops.
    """
    parts = [*_SPLIT.split(" ".join(written.split()))] if isinstance(written, str) else list(written)
    parts = [bare for part in parts if (bare := part.strip(" .\"'`<>[]"))]
    if not 1 <= len(parts) <= hops:
        return []
    open_: list[tuple[RelationPath, Ints]] = [((), starts)]
    for part in parts:
        name, forward = _direction(part)
        leading = [
            (steps, each) for steps, ends in open_ for each in relation_paths(graph, ends, 1, max_paths=100_000).paths
        ]
        chosen = _likest(graph, name, forward, sorted({each.steps[0] for _, each in leading}))
        open_ = [((*steps, each.steps[0]), each.ends) for steps, each in leading if each.steps[0] in chosen]
    return [steps for steps, _ in open_ if len(follow(graph, starts, steps).entities)]


def _likest(graph: Subgraph, name: str, forward: bool, steps: Sequence[tuple[int, bool]]) -> set[tuple[int, bool]]:
    """Those of some steps that a name means: spelled so, else ending so, else spelled nearly so."""
    spelled = [(step, (_plain(graph.relation(step[0]).label), _plain(graph.relation(step[0]).id))) for step in steps]
    ways = [[each for each in spelled if each[0][1] is way] for way in (forward, not forward)]
    for own in ways:  # a direction that leads nowhere was a slip
        if exact := {step for step, forms in own if name in forms}:
            return exact
    for own in ways:
        if short := {step for step, forms in own if name == forms[0].rpartition(".")[2]}:
            return short
    for own in ways:
        near = [(max(fuzz.ratio(name, form) for form in forms), step) for step, forms in own]
        best = max((score for score, _ in near), default=0.0)
        if best >= SPELLED:
            return {step for score, step in near if score == best}
    return set()


def _direction(part: str) -> tuple[str, bool]:
    lowered = part.casefold()
    for mark in ("(inverse)", "inverse:", "inverse of"):
        if mark in lowered:
            return _plain(lowered.replace(mark, "")), False
    return _plain(part), True


def _plain(name: str) -> str:
    return " ".join(name.casefold().replace("_", " ").split())
