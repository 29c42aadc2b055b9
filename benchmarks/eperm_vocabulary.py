"""How many gold plans EPERM's plan prompt still allows: every relation of the plan stands in it, direction included.

    python benchmarks/eperm_vocabulary.py [--set webqsp-pooled:train] [--number 685] [--encoder]

A gold plan is the best relation path by F1 of what it reaches, of up to three hops; a question counts as kept when one
of its gold plans can be written from what the prompt lists. `--encoder` measures the paper's retriever (K = 5) instead.
"""

from __future__ import annotations

import argparse
import json
import sys

import numpy as np

from clew.graph import Graph
from clew.methods.eperm.asking import PlacedQuestion, QuestionState, TextSimilarity, relation_text
from clew.methods.eperm.config import Config
from clew.methods.eperm.plans import vocabulary
from clew.methods.eperm.retriever import retrieve
from clew.paths.examples import EntityIndex, resolve
from clew.paths.gold import GoldLimits, gold_paths
from clew.questions import QuestionSource
from clew.settings import configure
from clew.types import Topic
from clew.workspace import Workspace


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", default="webqsp-pooled:train")
    parser.add_argument("--graph", default=None)
    parser.add_argument("--number", type=int, default=685)
    parser.add_argument("--encoder", action="store_true")
    asked = parser.parse_args()
    flags = {"data": {"questions": asked.set}} | ({"graph": {"path": asked.graph}} if asked.graph else {})
    space = Workspace(configure(flags=flags))
    graph = space.graph
    assert isinstance(graph, Graph)
    examples = list(QuestionSource(space.configuration.data, asked.set))
    chosen = np.random.default_rng(0).permutation(len(examples))[: asked.number]
    index, config = EntityIndex(graph.whole), Config()
    similarity = TextSimilarity(space.encoder())
    kept = total = shown = 0
    lost: list[str] = []
    for i in chosen.tolist():
        usable, _ = resolve([examples[i]], index)
        for each in usable:
            found = gold_paths(graph.whole, each.topics, each.answers, GoldLimits(3), stated=each.stated)
            plans = [path.path for own in found.of_topics for path in own if path.path]
            if not plans:
                continue
            topics = [Topic(graph.whole.entity(t), 1.0, graph.whole.entity(t).label, "given") for t in each.topics]
            case = QuestionState(examples[i].question, topics, examples[i].question.text)
            (placed,) = retrieve([case], graph, config, "encoder" if asked.encoder else "none", 3, similarity, None)
            assert isinstance(placed, PlacedQuestion)
            levels = vocabulary(placed, config.vocabulary, 3, similarity)
            texts = [set().union(*levels[: hop + 1]) for hop in range(len(levels))]
            total += 1
            shown += sum(map(len, levels))
            fits = any(
                len(plan) <= len(texts)
                and all(relation_text(graph.whole, *step) in texts[hop] for hop, step in enumerate(plan))
                for plan in plans
            )
            kept += fits
            if not fits:
                lost.append(examples[i].question.text)
    share = kept / max(total, 1)
    json.dump(
        {"set": asked.set, "questions": total, "kept": share, "relations_shown": shown / max(total, 1), "lost": lost},
        sys.stdout,
        indent=1,
    )


if __name__ == "__main__":
    main()
