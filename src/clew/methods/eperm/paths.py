"""Stage B2: weighted evidence paths, the plans filled in with entities (Eq. 3).

Every plan is followed from every topic. At each hop the entities reached are scored against the question by what the
graph says about them (so that mediators are told apart), and a beam of the S best partial paths goes on. A path weighs
what its plan weighs times the scores of its entities. A path never turns round at once over the triple it came by.

Shapes: P partial paths of one plan from one topic, C candidate entities of a step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from clew.graph import Subgraph
from clew.graph.paths import MinedPath
from clew.graph.subgraph import Ints
from clew.llm.constraint import Choices
from clew.methods.eperm.asking import (
    UNREAD,
    PlacedQuestion,
    PromptClient,
    TextSimilarity,
    WeightedPlan,
    chances,
    read_score,
    read_scores,
)
from clew.methods.eperm.config import Config, Scorer
from clew.methods.eperm.facts import (
    CHOICE_TOKENS,
    NO,
    YES,
    brief_facts,
    choices_of,
    described,
    entities_prompt,
    entity_prompt,
    facts_of,
)
from clew.methods.eperm.retriever import step
from clew.protocols import LLMReply, LLMRequest

Floats = NDArray[np.float64]
EQUAL = 1e-9  # scores nearer than this are ties
TIES = 500  # at the edge of the beam stay together, up to so many
PRESELECT = 32  # candidates of a step that a language model sees


@dataclass(slots=True)
class PartialPaths:
    """The partial paths of one plan from one topic, all of one length."""

    case: PlacedQuestion
    plan: WeightedPlan
    topic: int  # position among the starts
    start: int
    triples: Ints  # (P, hops so far)
    ends: Ints  # (P,)
    scores: Floats  # (P,) product of the entity scores

    @property
    def weights(self) -> Floats:
        """(P,) plan weight times entity scores."""
        return self.plan.weight * self.scores

    def path(self, i: int) -> MinedPath:
        """The i-th path in local numbers."""
        graph = self.case.graph
        triples = self.triples[i].tolist()
        forward = tuple(f for _, f in self.plan.steps)
        reached = [int((graph.tails if f else graph.heads)[t]) for t, f in zip(triples, forward, strict=True)]
        return MinedPath((self.start, *reached), tuple(r for r, _ in self.plan.steps), forward, tuple(triples))


@dataclass(slots=True)
class _Step:
    """One hop of one plan: what the beam may go on with."""

    partial: PartialPaths
    row: NDArray[np.int64]
    reached: Ints
    triples: Ints
    candidates: Ints  # (C,) distinct entities reached
    scores: Floats  # (C,)

    @property
    def mediators(self) -> NDArray[np.bool_]:
        """(C,) which candidates are such."""
        return self.partial.case.graph.mediators[self.candidates]


def weigh_paths(
    cases: Sequence[PlacedQuestion],
    config: Config,
    scorer: Scorer,
    similarity: TextSimilarity | None,
    asker: PromptClient | None,
) -> list[list[PartialPaths]]:
    """The weighted paths of every case: those of each plan and topic together, plans in their order."""
    if not config.filter:
        scorer = "none"
    live = [
        PartialPaths(case, plan, i, start, np.empty((1, 0), np.int32), np.array([start], np.int32), np.ones(1))
        for case in cases
        for plan in case.plans
        for i, start in enumerate(case.starts.tolist())
    ]
    done: dict[int, list[PartialPaths]] = {}
    hop = 0
    while live:
        steps = [found for partial in live if (found := _expand(partial, hop)) is not None]
        _score(steps, config, scorer, similarity, asker)
        live = []
        for each in steps:
            _keep(each, config)
            partial = each.partial
            if not len(partial.ends):
                partial.case.count("plans_scored_to_zero")
            elif hop + 1 < len(partial.plan.steps):
                live.append(partial)
            else:
                done.setdefault(id(partial.case), []).append(partial)
        hop += 1
    results = []
    for case in cases:
        ready = done.get(id(case), [])
        if config.filter and config.aside < 1:
            _weigh_topics(case, ready, config.aside)
        order = {plan.steps: i for i, plan in enumerate(case.plans)}
        ready.sort(key=lambda t: (order[t.plan.steps], t.topic))
        if case.plans and not ready:
            case.notes.append("no plan leads to an entity that fits the question")
        results.append(ready)
    return results


def _weigh_topics(case: PlacedQuestion, ready: Sequence[PartialPaths], aside: float) -> None:
    """Paths that pass by the other topics of the question weigh more: "which film with X did Y direct"."""
    graph = case.graph
    mentions = list(dict.fromkeys(topic.mention for topic in case.topics))
    if len(mentions) < 2 or not ready:
        return
    named = {topic.entity.id: topic.mention for topic in case.topics}
    own = [named[graph.entity(start).id] for start in case.starts.tolist()]
    near = {mention: np.zeros(graph.num_entities, bool) for mention in mentions}
    for start, mention in zip(case.starts.tolist(), own, strict=True):
        near[mention][_touching(graph, start)] = True
    for partial in ready:
        for mention, mask in near.items():
            if mention == own[partial.topic]:
                continue
            touched = np.zeros(len(partial.ends), bool)
            for hop, (_, forward) in enumerate(partial.plan.steps):
                touched |= mask[(graph.tails if forward else graph.heads)[partial.triples[:, hop]]]
            partial.scores = np.where(touched, partial.scores, partial.scores * aside)


def _touching(graph: Subgraph, start: int) -> Ints:
    """An entity and those one hop from it, where a mediator is no hop."""
    around = _neighbors(graph, np.array([start], np.int32))
    between = around[graph.mediators[around]]
    return np.concatenate((np.array([start], np.int32), around, _neighbors(graph, between)))


def _neighbors(graph: Subgraph, entities: Ints) -> Ints:
    sides = [
        side.neighbors[side.offsets[e] : side.offsets[e + 1]]
        for e in entities.tolist()
        for side in (graph.out, graph.inc)
    ]
    return np.unique(np.concatenate([np.empty(0, np.int32), *sides]))


def _expand(partial: PartialPaths, hop: int) -> _Step | None:
    graph = partial.case.graph
    relation, forward = partial.plan.steps[hop]
    row, reached, triples, _ = step(graph, partial.ends, relation, forward)
    if hop and partial.plan.steps[hop - 1] == (relation, not forward):
        fresh = partial.triples[row, hop - 1] != triples
        row, reached, triples = row[fresh], reached[fresh], triples[fresh]
    if not len(row):
        return None
    candidates = np.unique(reached)
    return _Step(partial, row, reached, triples, candidates, np.ones(len(candidates)))


def _keep(found: _Step, config: Config) -> None:
    """The beam goes on with the S best partial paths and those that equal the last of them."""
    partial = found.partial
    place = np.searchsorted(found.candidates, found.reached)
    scores = partial.scores[found.row] * found.scores[place]
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > 0]
    if len(order) > config.beam:
        edge = scores[order[config.beam - 1]] - EQUAL if config.filter else 0.0
        most = max(config.beam, TIES)
        tied = order[scores[order] >= edge]
        if len(tied) > most:
            partial.case.count("paths_cut", len(tied) - most)
        order = tied[:most]
    partial.triples = np.column_stack((partial.triples[found.row[order]], found.triples[order])).astype(np.int32)
    partial.ends, partial.scores = found.reached[order], scores[order]


def _score(
    steps: Sequence[_Step],
    config: Config,
    scorer: Scorer,
    similarity: TextSimilarity | None,
    asker: PromptClient | None,
) -> None:
    """Fill the scores of all candidates of one hop of all plans."""
    if scorer == "none" or (scorer == "encoder" and similarity is None):
        return
    asked = [each for each in steps if each.partial.plan.weight > 0]
    if scorer != "encoder" and asker is not None and asker.style == "paper":  # nobody is asked which of one is the best
        asked = [each for each in asked if len(each.candidates) > 1]
    if scorer == "mediators":
        asked = [each for each in asked if each.mediators.any() and len(each.candidates) <= PRESELECT]
    facts = [[facts_of(each.partial.case, int(c), config.facts) for c in each.candidates.tolist()] for each in asked]
    if similarity is not None and (scorer == "encoder" or any(len(f) > PRESELECT for f in facts)):
        similarity.prepare([described(known) for own in facts for known in own])
    similarities = [
        similarity.scores(each.partial.case.plain, [described(known) for known in own])
        if similarity is not None and (scorer == "encoder" or len(own) > PRESELECT)
        else np.ones(len(own))
        for each, own in zip(asked, facts, strict=True)
    ]
    if scorer == "encoder" or asker is None:
        for each, scores in zip(asked, similarities, strict=True):
            each.scores = _scaled(scores)  # cosines have no scale
        return
    if asker.style == "paper" and config.batch_scoring:
        _score_together(asked, facts, similarities, asker)
        return
    requests: list[LLMRequest] = []
    owners: list[PlacedQuestion] = []
    shown: list[list[int]] = []
    for each, own, scores in zip(asked, facts, similarities, strict=True):
        chosen = sorted(np.argsort(-scores, kind="stable")[:PRESELECT].tolist())
        each.partial.case.count("candidates_not_scored", len(own) - len(chosen))
        shown.append(chosen)
        made = _requests(asker, config, each, _shown_facts(asker, config, each, chosen, own))
        requests += made
        owners += [each.partial.case] * len(made)
    replies = iter(asker.ask("entities", owners, requests))
    for each, chosen in zip(asked, shown, strict=True):
        each.scores = np.zeros(len(each.candidates))
        each.scores[chosen] = _read(asker, config, each, len(chosen), replies)
        if asker.style == "paper":
            each.scores = _scaled(each.scores)


def _score_together(
    asked: Sequence[_Step],
    facts: Sequence[Sequence[Sequence[str]]],
    similarities: Sequence[Floats],
    asker: PromptClient,
) -> None:
    """One call per question and hop: the candidates of all its plans, each once."""
    groups: dict[int, list[int]] = {}
    for i, each in enumerate(asked):
        groups.setdefault(id(each.partial.case), []).append(i)
    owners: list[PlacedQuestion] = []
    requests: list[LLMRequest] = []
    shown: list[list[int]] = []
    for members in groups.values():
        case = asked[members[0]].partial.case
        best: dict[int, float] = {}
        told: dict[int, Sequence[str]] = {}
        for i in members:
            for c, score, known in zip(asked[i].candidates.tolist(), similarities[i].tolist(), facts[i], strict=True):
                best[c] = max(best.get(c, 0.0), score)
                told[c] = known
        chosen = sorted(sorted(best, key=lambda c: -best[c])[:PRESELECT])
        case.count("candidates_not_scored", len(best) - len(chosen))
        plans = "; ".join(dict.fromkeys(asked[i].partial.plan.text for i in members))
        messages = entities_prompt(asker, case, plans, [told[c] for c in chosen])
        requests.append(LLMRequest(messages, max_tokens=12 * len(chosen) + 64))
        owners.append(case)
        shown.append(chosen)
    replies = asker.ask("entities", owners, requests)
    for members, case, chosen, reply in zip(groups.values(), owners, shown, replies, strict=True):
        scores = read_scores(reply.text, len(chosen))
        case.count("unread_entity_scores", sum(score is None for score in scores))
        if all(score is None for score in scores):
            continue  # nothing was said: all count alike
        said = {c: UNREAD if score is None else score for c, score in zip(chosen, scores, strict=True)}
        for i in members:
            asked[i].scores = _scaled(np.array([said.get(c, 0.0) for c in asked[i].candidates.tolist()]))


def _scaled(scores: Floats) -> Floats:
    """The best of a step has 1, as the only candidate of another step has, about which nobody was asked."""
    best = float(scores.max(initial=0.0))
    return scores / best if best > 0 else scores


def _shown_facts(
    asker: PromptClient, config: Config, found: _Step, chosen: Sequence[int], facts: Sequence[Sequence[str]]
) -> list[Sequence[str]]:
    """What a prompt says about the chosen candidates."""
    if asker.style == "paper":
        return [facts[i] for i in chosen]
    partial = found.partial
    came = partial.plan.steps[partial.triples.shape[1]]
    return [brief_facts(partial.case, int(found.candidates[i]), config.facts, partial.start, came) for i in chosen]


def _requests(asker: PromptClient, config: Config, found: _Step, facts: Sequence[Sequence[str]]) -> list[LLMRequest]:
    case, plan = found.partial.case, found.partial.plan.text
    constrained = asker.style == "short" and asker.constrained
    if config.batch_scoring:
        messages = entities_prompt(asker, case, plan, facts)
        if constrained:
            choices = choices_of(case, facts)
            return [LLMRequest(messages, CHOICE_TOKENS, beams=len(facts), n=len(facts), constraint=Choices(choices))]
        return [LLMRequest(messages, max_tokens=12 * len(facts) + 16)]
    prompts = [entity_prompt(asker, case, plan, known) for known in facts]
    if constrained:
        return [LLMRequest(each, max_tokens=8, beams=2, n=2, constraint=Choices((YES, NO))) for each in prompts]
    return [LLMRequest(each, max_tokens=64) for each in prompts]


def _read(asker: PromptClient, config: Config, found: _Step, count: int, replies: Iterator[LLMReply]) -> Floats:
    """(count,) scores of the candidates that were shown."""
    constrained = asker.style == "short" and asker.constrained
    scores: list[float | None]
    if config.batch_scoring:
        reply = next(replies)
        if constrained:
            scores = [0.0] * count
            likely = chances(reply)
            best = max((chance for _, chance in likely), default=1.0)
            for text, chance in likely:
                number = text.rpartition(" ")[2]
                if number.isdecimal() and 1 <= int(number) <= count:
                    scores[int(number) - 1] = chance / best
        else:
            scores = read_scores(reply.text, count)
    else:
        scores = []
        for reply in islice(replies, count):
            yes = sum(chance for text, chance in chances(reply) if text == YES) if constrained else None
            scores.append(read_score(reply.text) if yes is None else yes)
    found.partial.case.count("unread_entity_scores", sum(score is None for score in scores))
    return np.array([UNREAD if score is None else score for score in scores])
