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

from clew.errors import InputError
from clew.learning import TrainingStages
from clew.learning.beams import ScoredBeams, best_similarity_weight
from clew.learning.scratch import SIZES, create_decoder
from clew.learning.tuning import Pair, TuneSettings, tune
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
from clew.methods.decompose.training_state import TrainingState, gathered
from clew.methods.decompose.work import Seen, Work
from clew.protocols import OnEvent, TrainRequest, TrainResult, ignore

MAX_TOKENS = 512  # of prompt and reply of a small model


def train_decomposer(state: TrainingState) -> None:
    """Masked questions → relation steps, from given questions and synthetic compositions."""
    config, out = state.settings.decomposer, state.request.out / DECOMPOSER
    if not (out / "model").is_dir():
        method = state.method(small=False)
        given = state.draw(state.train, config.given, 1)
        synthetic = made(state.graph, config.synthetic, state.request.config.hops, state.request.seed)
        seen = state.view(method)
        pairs = []
        for examples, repeat in ((given, config.repeat), (list(synthetic), 1)):
            for work, example in state.works(method, examples):
                known = state.known(work, example.gold)
                if known is not None:
                    pairs += [plan_pair(known, seen.language)] * repeat
        state.details["decomposer_pairs"] = len(pairs)
        _tune(state, config, pairs, seen, out)
    _choose_plans(state, out)


def _choose_plans(state: TrainingState, out: Path) -> None:
    """On held-out questions: how the encoder's similarity weighs, and how sure a plan must be to be asked."""
    method = state.method(decomposer=ModelSettings())
    asked: list[tuple[Work, Known]] = []
    for work, example in state.works(method, state.draw(state.dev, state.settings.validate_on, 2)):
        known = state.known(work, example.gold)
        if known is not None:
            asked.append((work, known))
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
    state.details.update(
        {
            "choosing": {"similarity_weight": weight, "minimum_score": minimum_score},
            "choosing_questions": len(asked),
        }
    )


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


def train_reader(state: TrainingState) -> None:
    """Masked question and evidence paths of the merged graph → the evidence path that answers."""
    config, out = state.settings.reader, state.request.out / READER
    if (out / "model").is_dir():
        return
    method = state.method()
    examples = state.draw(state.train, config.given, 3)
    examples += made(state.graph, config.synthetic, state.request.config.hops, state.request.seed + 1)
    seen = state.view(method)
    rng = np.random.default_rng((state.request.seed, 6))
    pairs: list[Pair] = []
    for work, _, known in gathered(state, method, examples):
        merged, starts, ranked, _ = method.offer(work)
        bare = bool(rng.random() < config.bare)
        shown = ranked[:CANDIDATES]
        pair = reader_pair(known, state.graph, shown, seen.language, bare=bare)
        if pair is not None:
            pairs.append(pair)
        if len(starts):
            pairs += step_pairs(known, state.graph, merged, seen.language, "[T1]", bare)
    state.details["reader_pairs"] = len(pairs)
    _tune(state, config, pairs, seen, out)


def _tune(state: TrainingState, config: SmallConfig, pairs: Sequence[Pair], seen: Seen, out: Path) -> None:
    if not pairs:
        raise InputError(
            "training decompose: no question leads from its entities to its answers in this graph; "
            "check that topics and answers are names of its entities"
        )
    if isinstance(config.size, str) and config.size not in SIZES:
        raise InputError(f"training decompose: no decoder size {config.size!r}; known: {', '.join(SIZES)}")
    size = SIZES[config.size] if isinstance(config.size, str) else config.size
    keep = single_tokens(pairs, seen.language, size.vocabulary)
    start = out / "start"
    if not (start / "config.json").is_file():
        texts = [text for pair in pairs for text in (pair.prompt[0].content, pair.completion)]
        create_decoder(start, texts, size=size, keep=keep, seed=state.request.seed)
    settings = TuneSettings(
        epochs=config.epochs,
        batch=config.batch,
        learning_rate=config.learning_rate,
        max_tokens=MAX_TOKENS,
        bf16=False,
    )
    request = state.request
    tuned = tune(start, pairs, out, settings, seed=request.seed, resume=request.resume, on_event=state.on_event)
    state.details[f"{out.name}_curve"] = [
        {name: round(row[name], 4) for name in ("step", "loss", "seconds")}
        for row in tuned.curve[:: 1 + len(tuned.curve) // 20]
    ]
    state.details[f"{out.name}_seconds"] = round(tuned.seconds, 1)


def train(request: TrainRequest, on_event: OnEvent = ignore) -> TrainResult:
    """Leave a folder with `decomposer/`, `reader/` and `graph_encoder/`, those of them that were asked for.

    Raises:
        UnsupportedError: the graph is not an embedded one, or the graph encoder has no model in this process.
        InputError: no question can be learnt from.
    """
    state = TrainingState.of(request, on_event)
    settings = state.settings
    wanted = {
        "decomposer": train_decomposer if settings.decomposer.enabled else None,
        "reader": train_reader if settings.reader.enabled else None,
        "graph encoder": train_encoder if settings.encoder else None,
    }
    chosen = {name: stage for name, stage in wanted.items() if stage is not None}
    if not chosen:
        raise InputError("training decompose: every stage is switched off; nothing to do")
    stages = TrainingStages(len(chosen), on_event, needs=() if chosen.keys() == {"graph encoder"} else ("trl",))
    for name, stage in chosen.items():
        stages.run(name, stage, state)
    return TrainResult(request.out, state.metrics, stages.seconds, state.details)
