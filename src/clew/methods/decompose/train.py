"""Training for `decompose`: a small decomposer, a small reader, and the graph encoder against a frozen model.

Read from the bottom: `train` is the list of stages. Each later stage answers its questions with what the earlier ones
left in the folder, through the very code that answers a user (sub-answers are taken from text alone, which breaks the
circle that the paper leaves open: merged graphs need sub-answers, and those a trained encoder).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clew.learning.beams import ScoredBeams, best_similarity_weight
from clew.learning.tuning import Pair, TuneSettings
from clew.llm import ModelSettings
from clew.methods.decompose.compositions import (
    Known,
    leads_to_answers,
    made,
    plan_pair,
    reader_pair,
    single_tokens,
    step_pairs,
)
from clew.methods.decompose.config import SmallConfig
from clew.methods.decompose.encoder_training import train_encoder
from clew.methods.decompose.method import CANDIDATES, Decompose
from clew.methods.decompose.plan import QuestionPlan
from clew.methods.decompose.plan_choice import PlanChoice, best_minimum_score, save_plan_choice
from clew.methods.decompose.planning import small_plan
from clew.methods.decompose.roles import DECOMPOSER, READER
from clew.methods.decompose.training_state import DecomposeTraining
from clew.methods.decompose.work import Seen, Work
from clew.protocols import OnEvent, TrainRequest, TrainResult, ignore

MAX_TOKENS = 512  # of prompt and reply of a small model


def train_decomposer(state: DecomposeTraining) -> None:
    """Masked questions → relation steps, from given questions and synthetic compositions."""
    config, out = state.settings.decomposer, state.request.out / DECOMPOSER
    if not state.finished(out):
        method, seed = state.method(small=False), state.request.seed
        given = state.sample(state.examples, config.given, 1)
        synthetic = list(made(state.graph, config.synthetic, state.request.config.hops, seed))
        times = {example.question.id: config.repeat for example in given}
        seen = state.view(method)
        pairs = []
        for _, example, known in state.lessons(method, [*given, *synthetic], gather=False):
            pairs += [plan_pair(known, seen.language)] * times.get(example.question.id, 1)
        _tune(state, config, pairs, seen, out, len(given) + len(synthetic))
    _choose_plans(state, out)


def _choose_plans(state: DecomposeTraining, out: Path) -> None:
    """On held-out questions: how the encoder's similarity weighs, and how sure a plan must be to be asked."""
    method = state.method(decomposer=ModelSettings())
    dev = state.sample(state.dev, state.settings.validate_on, 2)
    asked = [(work, known) for work, _, known in state.lessons(method, dev, gather=False)]
    offered = method.planner.options([work for work, _ in asked])
    kept = [(work, known, options) for (work, known), options in zip(asked, offered, strict=True) if options]
    if not kept:
        state.metrics["plans"] = 0.0
        return
    beams = [
        ScoredBeams(
            np.array([option.logprob for option in options]),
            np.array([option.similarity for option in options]),
            np.array([leads_to_answers(state.graph, known.starts, o.steps, known) for o in options]),
        )
        for _, known, options in kept
    ]
    weight = best_similarity_weight(beams)
    best = [options[each.best(weight)] for (_, _, options), each in zip(kept, beams, strict=True)]
    works = [work for work, _, _ in kept]
    whole = _matched(method, kept, [small_plan(work, None) for work in works])
    split = _matched(method, kept, [small_plan(work, option) for work, option in zip(works, best, strict=True)])
    scores = [float(each.scores(weight).max()) for each in beams]
    minimum_score = best_minimum_score(scores, [int(b) - int(a) for a, b in zip(whole, split, strict=True)])
    save_plan_choice(out, PlanChoice(similarity_weight=weight, minimum_score=minimum_score))
    right = sum(bool(each.right[each.best(weight)]) for each in beams)
    sure = [minimum_score is None or score >= minimum_score for score in scores]
    state.metrics["plans"] = right / len(asked)
    state.metrics["plans_by_the_decoder_alone"] = sum(bool(c.right[c.best(0.0)]) for c in beams) / len(asked)
    state.metrics["plans_among_the_beams"] = sum(bool(each.right.any()) for each in beams) / len(asked)
    state.metrics["plans_asked"] = sum(sure) / len(asked)
    state.metrics["matched_whole"] = float(np.mean(whole))
    state.metrics["matched"] = float(np.mean([s if ok else w for s, w, ok in zip(split, whole, sure, strict=True)]))
    state.details["choosing"] = {"similarity_weight": weight, "minimum_score": minimum_score}
    state.details["choosing_questions"] = len(asked)


def _matched(method: Decompose, kept: Sequence[tuple[Work, Known, Any]], plans: Sequence[QuestionPlan]) -> list[bool]:
    """Whether the merged graph of each question holds an answer (Exact Matching), asked by these plans."""
    found = []
    for (work, known, _), plan in zip(kept, plans, strict=True):
        work.plan, work.parts, work.answers, work.carried = plan, [], [], []
        method.follow_plans([work])
        method.merge([work])
        ids = (work.seen.language.graph.entity(int(answer)).id for answer in known.answers)
        found.append(any(work.parts[-1].local(id) is not None for id in ids))
    return found


def train_reader(state: DecomposeTraining) -> None:
    """Masked question and evidence paths of the merged graph → the evidence path that answers."""
    config, out = state.settings.reader, state.request.out / READER
    if state.finished(out):
        return
    method = state.method()
    examples = state.sample(state.examples, config.given, 3)
    examples += made(state.graph, config.synthetic, state.request.config.hops, state.request.seed + 1)
    seen = state.view(method)
    rng = np.random.default_rng((state.request.seed, 6))
    pairs: list[Pair] = []
    for work, _, known in state.lessons(method, examples):
        merged, starts, ranked, _ = method.offer(work)
        bare = bool(rng.random() < config.bare)
        pair = reader_pair(known, state.graph, ranked[:CANDIDATES], seen.language, bare=bare)
        if pair is not None:
            pairs.append(pair)
        if len(starts):
            pairs += step_pairs(known, state.graph, merged, seen.language, "[T1]", bare)
    _tune(state, config, pairs, seen, out, len(examples))


def _tune(
    state: DecomposeTraining, config: SmallConfig, pairs: Sequence[Pair], seen: Seen, out: Path, questions: int
) -> None:
    state.tell_mined(len(pairs), "lessons", questions, {f"{out.name}_pairs": len(pairs)}, out)
    settings = TuneSettings(
        epochs=config.epochs,
        batch=config.batch,
        learning_rate=config.learning_rate,
        max_tokens=MAX_TOKENS,
        bf16=False,
    )
    state.tune("", pairs, out, settings, size=config.size, keep=single_tokens(pairs, seen.language))


def train(request: TrainRequest, on_event: OnEvent = ignore) -> TrainResult:
    """Leave a folder with `decomposer/`, `reader/` and `graph_encoder/`, those of them that were asked for.

    Raises:
        UnsupportedError: the graph is not an embedded one, or the graph encoder has no model in this process.
        TrainingError: no question has a path from a topic to an answer.
    """
    state = DecomposeTraining(request, on_event)
    if state.settings.decomposer.enabled:
        state.run("decomposer", train_decomposer, state)
    if state.settings.reader.enabled:
        state.run("reader", train_reader, state)
    if state.settings.encoder:
        state.run("graph encoder", train_encoder, state)
    return state.result(state.metrics)
