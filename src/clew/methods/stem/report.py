"""What went wrong where: schemas, strategies, coverage and latency of a STEM run against gold.

Kept apart from answering, which never sees gold, and from `clew.evaluation`, which knows no schema. Gold plans are
those that a data set's paths state, else those mined from its answers as for training.

Equations 17 and 45-47, Tables 14-16, 25 and 26 of the paper.
"""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clew.evaluation.matching import accepted, key
from clew.graph import Subgraph
from clew.graph.paths import trace
from clew.methods.stem.gold import GoldChains, MaskedQuestion, masked_questions
from clew.methods.stem.schema import PLACEHOLDER
from clew.paths.examples import EntityIndex
from clew.protocols import Example
from clew.types import Answer

Ids = tuple[str, str, str]
SIZES = ((1, 1, "1"), (2, 4, "2-4"), (5, 9, "5-9"), (10, 10**9, ">=10"))


def normalised(triples: Iterable[Sequence[str]]) -> Counter[Ids]:
    """Schema triples with every placeholder written alike and every topic written alike (Eq. 45-47)."""

    def end(name: str) -> str:
        return "?" if PLACEHOLDER.fullmatch(name) else "topic"

    return Counter((end(h), r, end(t)) for h, r, t in triples)


def schema_scores(own: Iterable[Sequence[str]], gold: Iterable[Sequence[str]]) -> tuple[float, float, float]:
    """Precision, recall and F1 of one schema against the gold one, triple by triple."""
    left, right = normalised(own), normalised(gold)
    both = (left & right).total()
    precision, recall = both / max(1, left.total()), both / max(1, right.total())
    return precision, recall, 2 * both / max(1, left.total() + right.total())


def gold_triples(chains: GoldChains, question: MaskedQuestion) -> set[Ids]:
    """The triples of the graph on the gold chains from topics to answers."""
    graph, found = chains.graph, set[int]()
    for topic, chain in zip(question.topics, chains.of(question), strict=True):
        if chain is not None:
            found.update(trace(graph, [topic], chain.path, question.answers, limit=1000).triples.tolist())
    return {(t.head.id, t.relation.id, t.tail.id) for t in map(graph.triple, sorted(found))}


def coverage(answer: Answer, gold: set[Ids]) -> float:
    """Share of the gold triples in the evidence (Eq. 17)."""
    own = {(t.head.id, t.relation.id, t.tail.id) for t in answer.evidence.all_triples()}
    return len(gold & own) / len(gold)


def report(
    answers: Iterable[Answer],
    examples: Sequence[Example],
    graph: Subgraph,
    *,
    hops: int = 3,
) -> dict[str, Any]:
    """All reports of one run as JSON values.

    Args:
        answers: of method `stem`, in any order; each is joined with the example of its id.

    Questions whose topics or answers are not in the graph, or without a gold chain, are counted and left out of what
    needs one.
    """
    by_id = {answer.question.id: answer for answer in answers}
    size = {example.question.id: len(accepted(example.gold)) for example in examples}
    right = {e.question.id: _right(by_id[e.question.id], e) for e in examples if e.question.id in by_id}
    found, left = masked_questions(examples, EntityIndex(graph))
    questions = [q for q in found if q.question.id in by_id]
    chains = GoldChains(graph, hops)
    schema: list[tuple[float, float, float]] = []
    covered: dict[str, list[float]] = defaultdict(list)
    planned: Counter[tuple[str, str]] = Counter()
    matrix: dict[str, Counter[str]] = {"schema": Counter(), "evidence": Counter()}
    without = 0
    for each in questions:
        id = each.question.id
        answer = by_id[id]
        wanted, triples = chains.schema(each), gold_triples(chains, each)
        if not wanted or not triples:
            without += 1
            continue
        plans = answer.details.get("plans") or [{"schema": [], "strategy": "none"}]
        scores = schema_scores(plans[0]["schema"], wanted)
        schema.append(scores)
        share = coverage(answer, triples)
        for name in ("all", _bucket(size[id])):
            covered[name].append(share)
        planned[("1" if size[id] == 1 else ">=2", plans[0]["strategy"])] += 1
        said = "answer right" if right[id] else "answer wrong"
        matrix["schema"][f"{'valid' if scores[2] == 1 else 'invalid'}, {said}"] += 1
        matrix["evidence"][f"{'valid' if share == 1 else 'invalid'}, {said}"] += 1
    return {
        "questions": len(by_id),
        "with a gold chain": len(schema),
        "left out": {**{reason: len(ids) for reason, ids in left.items()}, "no gold chain": without},
        "schema": dict(zip(("precision", "recall", "f1"), map(_mean, zip(*schema, strict=True)), strict=True))
        if schema
        else {},
        "coverage": {name: _mean(values) for name, values in sorted(covered.items())},
        "strategy accuracy": _accuracy(planned),
        "schema x answer": _shares(matrix["schema"]),
        "evidence x answer": _shares(matrix["evidence"]),
        "seconds": _latency(by_id.values(), size),
    }


def _right(answer: Answer, example: Example) -> bool:
    """Hits@1, in the form in which labels are compared everywhere."""
    return bool(answer.texts) and any(key(answer.texts[0]) in each for each in accepted(example.gold))


def _bucket(answers: int) -> str:
    return next((name for low, high, name in SIZES if low <= answers <= high), "0")


def _mean(values: Iterable[float]) -> float:
    return round(statistics.fmean(values), 4)


def _shares(counts: Mapping[str, int]) -> dict[str, float]:
    """Shares that sum to 1."""
    total = sum(counts.values())
    return {name: round(count / total, 4) for name, count in sorted(counts.items())} if total else {}


def _accuracy(planned: Mapping[tuple[str, str], int]) -> dict[str, float]:
    """Per group of questions, how many were given the strategy that their number of answers asks for (Table 15)."""
    found = {}
    for group, wanted in (("1", "Precision"), (">=2", "Breadth")):
        total = sum(count for (own, _), count in planned.items() if own == group)
        if total:
            found[group] = round(planned.get((group, wanted), 0) / total, 4)
    return found


def _latency(answers: Iterable[Answer], size: Mapping[str, int]) -> dict[str, dict[str, float]]:
    """Median seconds by stage, over all, by number of answers and by strategy (Tables 14 and 16)."""
    groups: dict[str, list[dict[str, float]]] = defaultdict(list)
    for answer in answers:
        strategy = str(answer.details.get("strategy", "none"))
        for name in ("all", f"answers {_bucket(size.get(answer.question.id, 0))}", strategy):
            groups[name].append({**answer.seconds, "total": sum(answer.seconds.values())})
    return {
        name: {
            stage: round(statistics.median(row.get(stage, 0.0) for row in rows), 6)
            for stage in dict.fromkeys(stage for row in rows for stage in row)
        }
        for name, rows in sorted(groups.items())
    }
