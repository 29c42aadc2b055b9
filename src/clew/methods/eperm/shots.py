"""Few-shot examples for the plan prompt: training questions like the one asked, and the plans that led to answers.

Kept apart from planning because gold answers are read here, those of a training file that the user names, never those
of the question that is asked.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from clew.datasets.plain import read_plain
from clew.graph import Subgraph, has_arrays
from clew.methods.eperm.asking import QuestionState, TextSimilarity, relation_text
from clew.methods.eperm.config import TrainConfig
from clew.methods.eperm.gold import posterior
from clew.paths.examples import EntityIndex, resolve
from clew.protocols import Example, GraphStore

SHOTS = 3  # examples of a prompt
TRIED = 4  # questions looked at for each example that is wanted; some have no plan
TOLD = 2  # plans of an example


class PlanExamples:
    """The questions of a training file, and the plans of those that were shown. Safe between threads.

    Args:
        file: JSONL with answers, as for `clew train`.
        hops: of the longest plan.

    Raises InputError for a file that cannot be read, at once.
    """

    def __init__(self, file: Path, hops: int, similarity: TextSimilarity) -> None:
        self._hops, self._similarity = hops, similarity
        self._examples = list(read_plain(file, need_answers=True))
        self._lock = threading.Lock()
        self._index: EntityIndex | None = None
        self._plans: dict[str, str] = {}  # example id → its plans as a reply would state them

    def text(self, case: QuestionState, graph: GraphStore) -> str:
        """What stands before the question: nothing where the graph's triples are not at hand."""
        if not has_arrays(graph):
            case.notes.append("no examples in the plan prompt: the triples of the graph are not at hand")
            return ""
        asked = case.question.text.strip().casefold()
        scores = self._similarity.scores(_masked(case.question.text, case.question.topics), self._masked)
        told: list[str] = []
        for i in np.argsort(-scores, kind="stable")[: TRIED * SHOTS].tolist():
            example = self._examples[i]
            if example.question.text.strip().casefold() == asked or len(told) == SHOTS:
                continue
            if plans := self._written(example, graph.as_subgraph):
                told.append(f"Question: {' '.join(example.question.text.split())}\n{plans}")
        case.count("examples", len(told))
        return "Examples of other questions:\n" + "\n".join(told) + "\n\n" if told else ""

    @cached_property
    def _masked(self) -> list[str]:
        return [_masked(example.question.text, example.question.topics) for example in self._examples]

    def _written(self, example: Example, graph: Subgraph) -> str:
        """The gold plans of an example (Eq. 5), as JSON; empty where it has none in this graph."""
        with self._lock:
            if self._index is None or self._index.graph is not graph:
                self._index, self._plans = EntityIndex(graph), {}
            if example.question.id not in self._plans:
                self._plans[example.question.id] = self._mined(example, self._index)
            return self._plans[example.question.id]

    def _mined(self, example: Example, index: EntityIndex) -> str:
        usable, _ = resolve([example], index)
        if not usable or not len(usable[0].answers):
            return ""
        graph, asked = index.graph, usable[0]
        config = TrainConfig(hops=min(self._hops, 6))
        found = posterior(graph, asked.topics, asked.answers, config, asked.stated)
        plans = [
            {
                "path": [relation_text(graph, relation, forward) for relation, forward in plan.steps],
                "weight": round(plan.candidate.precision, 2),
            }
            for plan in found.gold[:TOLD]
        ]
        return json.dumps({"plans": plans}, ensure_ascii=False) if plans and not found.fallback else ""


def _masked(text: str, names: Sequence[str]) -> str:
    """A question without the names of its topics, which resemble the wrong things."""
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, "this") if name else text
    return " ".join(text.split()) or "?"
