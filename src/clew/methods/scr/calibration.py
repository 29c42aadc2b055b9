"""What the dev set teaches: how to cut the list of answers, what a score is worth, whether the encoder is asked.

The walks come from the very search that answers questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.graph import Subgraph
from clew.methods.scr.answers import ScoredEntity
from clew.methods.scr.asking import AskSettings, read_walks, run_search
from clew.methods.scr.features import Floats
from clew.methods.scr.gold import TopicQuestion
from clew.methods.scr.model import ScrCalibration, ScrModel, view
from clew.methods.scr.search import FinishedWalk
from clew.methods.scr.similarity import WEIGHTS, Reals, similarity, weigh
from clew.protocols import TextEncoder

LEAST_GAIN = 0.02  # in Hits@1 + F1 on the dev questions, for the encoder's similarity to be asked at all
CUTS = tuple(i / 20 for i in range(1, 20))

Results = list[tuple[Sequence[ScoredEntity], set[int]]]  # per question: what was reached, best first, and the answers


@dataclass(frozen=True, slots=True)
class DevWalks:
    """The walks that a search found for one dev question."""

    walks: list[FinishedWalk]
    similarities: Reals  # of each walk's relation path to the question
    topics: dict[int, int]  # of each start, the entity it stands at
    answers: set[int]


def search_dev(
    model: ScrModel,
    encoder: TextEncoder,
    settings: AskSettings,
    graph: Subgraph,
    vectors: Floats,
    dev: Sequence[TopicQuestion],
    *,
    similarities: bool = False,
) -> list[DevWalks]:
    """A real search for each of `dev`; with `similarities` also what the encoder thinks of the walks."""
    seen = view(model.network, graph, encoder, vectors)
    found: list[DevWalks] = []
    for at in range(0, len(dev), 64):
        part = dev[at : at + 64]
        starts = [(i, topic, text) for i, q in enumerate(part) for topic, text in zip(q.topics, q.texts, strict=True)]
        texts, topics, owners = [s[2] for s in starts], [s[1] for s in starts], [s[0] for s in starts]
        finished, _ = run_search(model, encoder, settings.search, seen, texts, topics, owners)
        near = similarity(seen, encoder, finished, texts, owners) if similarities else np.zeros(len(finished))
        for i, question in enumerate(part):
            own = {row: topic for row, (owner, topic, _) in enumerate(starts) if owner == i}
            rows = [row for row, walk in enumerate(finished) if walk.start in own]
            found.append(DevWalks([finished[row] for row in rows], near[rows], own, set(question.answers.tolist())))
    return found


def results_of(settings: AskSettings, graph: Subgraph, searched: Sequence[DevWalks], weight: float) -> Results:
    """What each question's walks reach, the encoder's similarity counting `weight`."""
    results: Results = []
    for each in searched:
        walks = weigh(each.walks, each.similarities, weight) if len(each.topics) == 1 else each.walks
        results.append((read_walks(graph, walks, each.topics, settings).entities, each.answers))
    return results


def measure(results: Results, cut: float) -> dict[str, float]:
    """Hits@1, Hit and F1. A question without an answer counts as right where nothing is answered."""
    hits1 = hit = f1 = 0.0
    for reached, gold in results:
        kept = [each.entity for each in reached if each.score >= cut * reached[0].score]
        if not gold:
            hits1, hit, f1 = hits1 + (not kept), hit + (not kept), f1 + (not kept)
            continue
        right = sum(entity in gold for entity in kept)
        hits1 += bool(kept) and kept[0] in gold
        hit += right > 0
        f1 += 2 * right / (len(kept) + len(gold)) if right else 0.0
    n = max(1, len(results))
    return {"hits@1": hits1 / n, "hit": hit / n, "f1": f1 / n}


def calibrate(results: Results) -> ScrCalibration:
    """The cut with the best F1, and a logistic map from scores to the chance of being right (Platt)."""
    cut = max(CUTS, key=lambda c: (round(measure(results, c)["f1"], 6), c))
    scores = np.array([each.score for reached, _ in results for each in reached[:20]])
    right = np.array([each.entity in gold for reached, gold in results for each in reached[:20]], float)
    if len(scores) < 20 or right.all() or not right.any():
        return ScrCalibration(cut=cut)
    p = np.clip(scores, 1e-6, 1 - 1e-6)
    x = np.stack([np.log(p / (1 - p)), np.ones(len(p))], 1)
    w = np.array([1.0, 0.0])
    for _ in range(25):  # Newton, with a weak pull towards the identity map
        probability = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        gradient = x.T @ (probability - right) + (w - [1.0, 0.0])
        hessian = (x * (probability * (1 - probability))[:, None]).T @ x + np.eye(2)
        w = w - np.linalg.solve(hessian, gradient)
    slope = float(w[0])
    if slope <= 0:  # scores say nothing on this dev set: keep their order
        return ScrCalibration(cut=cut)
    return ScrCalibration(slope=slope, shift=float(w[1]), cut=cut)


def fitted(
    settings: AskSettings, graph: Subgraph, searched: Sequence[DevWalks], weight: float | None
) -> tuple[dict[str, float], ScrCalibration]:
    """The metrics and the calibration of the best weight of the encoder's similarity.

    Args:
        weight: the only one that is tried; None: those of WEIGHTS.
    """
    found = []
    for each in WEIGHTS if weight is None else (weight,):
        results = results_of(settings, graph, searched, each)
        calibration = calibrate(results).model_copy(update={"similarity_weight": each})
        found.append((measure(results, calibration.cut), calibration))
    best = max(found, key=_worth)
    # The lowest weight costs nothing.
    return found[0] if _worth(best)[0] < _worth(found[0])[0] + LEAST_GAIN else best


def _worth(each: tuple[dict[str, float], ScrCalibration]) -> tuple[float, float]:
    """Hits@1 and F1 together; of equals the lower weight of similarity."""
    metrics, calibration = each
    return round(metrics["hits@1"] + metrics["f1"], 6), -calibration.similarity_weight
