"""The primary metrics of one question: hit, hits@1, precision, recall and F1 with one-to-one matching.

Kept apart from the compatibility metrics so that what clew means by a score is read in one screen. A prediction
matches a gold answer when their keys (`matching.key`) are equal or the prediction's key is that of an alias.
Repeated predictions and repeated golds count once. A question whose gold is the empty set is answered rightly by
abstaining and by nothing else. A failed question is wrong, whatever its gold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clew.evaluation.matching import accepted, distinct, matched
from clew.paths.examples import by_graph
from clew.protocols import Example, GraphStore, Method
from clew.types import Answer, Gold


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """How one answer compares with its gold; all values in [0, 1], counts for the micro averages."""

    hit: float
    hits_at_1: float
    precision: float
    recall: float
    f1: float
    matches: int
    predictions: int
    golds: int


def score_answer(answer: Answer | None, gold: Gold) -> AnswerScore:
    """The primary metrics on answer texts; `None` stands for a failed or missing question."""
    return _score(distinct(answer.texts) if answer else [], accepted(gold), failed=answer is None)


def score_entities(answer: Answer | None, gold: Gold) -> AnswerScore | None:
    """The same on graph entities, compared by exact id or label; None where the gold names no entities.

    A candidate without an entity is a prediction that matches nothing.
    """
    if gold.answers and not gold.entities:
        return None
    golds = [frozenset((entity,)) for entity in dict.fromkeys(gold.entities)]
    predictions: list[str] = []
    for candidate in answer.candidates if answer else ():
        entity = candidate.entity
        if entity is None:
            predictions.append(f"\0{candidate.text}")
        else:
            predictions.append(entity.id if frozenset((entity.id,)) in golds else entity.label)
    return _score(list(dict.fromkeys(predictions)), golds, failed=answer is None)


def measure(method: Method, examples: Sequence[Example], shared: GraphStore) -> tuple[dict[str, float], list[Answer]]:
    """Hits@1, hit and F1 of what `method` answers, and the answers; questions of one graph are asked together."""
    scores: list[AnswerScore] = []
    answers: list[Answer] = []
    for graph, own in by_graph(examples, shared):
        found = method.predict([example.question for example in own], graph)
        scores += [score_answer(answer, example.gold) for answer, example in zip(found, own, strict=True)]
        answers += found
    n = max(1, len(scores))
    metrics = {"hits@1": sum(s.hits_at_1 for s in scores) / n, "hit": sum(s.hit for s in scores) / n}
    return {**metrics, "f1": sum(s.f1 for s in scores) / n}, answers


def f1_of(precision: float, recall: float) -> float:
    """The harmonic mean; 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _score(predictions: list[str], golds: list[frozenset[str]], *, failed: bool) -> AnswerScore:
    if not golds:
        right = float(not predictions and not failed)
        return AnswerScore(right, right, right, right, right, 0, len(predictions), 0)
    matches = matched(predictions, golds)
    precision = matches / len(predictions) if predictions else 0.0
    recall = matches / len(golds)
    first = bool(predictions) and any(predictions[0] in keys for keys in golds)
    return AnswerScore(
        float(matches > 0), float(first), precision, recall, f1_of(precision, recall),
        matches, len(predictions), len(golds),
    )  # fmt: skip
