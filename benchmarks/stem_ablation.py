"""STEM: what guidance, the strategy, each number and the training data do (Tables 7, 11, 12, 13; K', tau, lambda, B).

    python benchmarks/stem_ablation.py coverage MODEL --set cwq-pooled:dev     gold plans, guidance on against off
    python benchmarks/stem_ablation.py sweep MODEL --set cwq-pooled:dev        a setting at a time
    python benchmarks/stem_ablation.py data STD SYN AUG --set cwq-pooled:dev   models trained on different plans

`coverage` traces gold plans, also such whose relations are known by their last words only or are mistaken for others
with like names, as from a planner that does not know the graph. `sweep` answers questions: with the model's own plans,
or with `--plans "last words"` and the like, where sample b of B has mistakes of its own. `data` compares trained
planners with the first, and tells what each was trained on. Each p is that of a paired permutation test on the
questions, not corrected for their number. MODEL is a folder of `clew train stem`, with a Triple-GNN where guidance is
used. With --json the rows are kept for `benchmarks/stem_tables.py`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clew.datasets import load
from clew.encoding import open_encoder
from clew.evaluation import paired_permutation
from clew.evaluation.answers import score_answer
from clew.graph.neighborhood import neighborhood
from clew.methods.stem.config import Config
from clew.methods.stem.gold import GoldChains, MaskedQuestion, masked_questions
from clew.methods.stem.guidance import guide
from clew.methods.stem.method import Stem
from clew.methods.stem.model import load_model, relation_table
from clew.methods.stem.network import QuestionInput
from clew.methods.stem.report import coverage, gold_triples, schema_scores
from clew.methods.stem.schema import SchemaGraph, SchemaTriple
from clew.methods.stem.similarity import Similarity, reworded
from clew.paths.examples import EntityIndex
from clew.protocols import Example, LLMReply, LLMRequest, LLMText, Tools
from clew.retrieval.linking import link
from clew.synthesis.phrases import words_of
from stem import graph_of, traced

KINDS = (("Precision", "first"), ("adaptive", "all"), ("Breadth", "all"))  # the first is the paper's Precision
# How a plan names relations, and whether an edge of the very relation goes first: by the graph's ids, by their last
# words, or, every other one, by the wrong words.
WORDED = (("ids", True), ("last words", False), ("mistaken", True), ("mistaken", False))
MOST = 8  # samples of a plan
SWEPT: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("bias (Tables 7, 12)", "entities and triples", {}),
    ("bias (Tables 7, 12)", "without entities", {"bias_ent": False}),
    ("bias (Tables 7, 12)", "without triples", {"bias_tri": False}),
    ("bias (Tables 7, 12)", "none", {"guidance": False}),
    ("strategy (Table 11)", "always Precision", {"strategy": "precision"}),
    ("strategy (Table 11)", "always Breadth", {"strategy": "breadth"}),
    ("equal edges", "those in the guidance graph", {"ties": "guided"}),
    ("equal edges", "one (paper)", {"ties": "first"}),
    ("text alone (paper)", "exact_relation_first = false", {"exact_relation_first": False}),
    ("text alone (paper)", "the same without guidance", {"exact_relation_first": False, "guidance": False}),
    *(("K'", str(n), {"per_triple": n}) for n in (1, 2, 8, 16)),
    *(("tau", str(t), {"tau": t}) for t in (0.2, 0.8, 2.0)),
    *(("lambda", str(x), {"lam": x, "exact_match_first": False}) for x in (1.2, 2.7)),
    *(("B", str(b), {"beams": b}) for b in (1, 2, 8)),
)


def worded(
    wording: str, similarity: Similarity, schema: tuple[SchemaTriple, ...], seed: int
) -> tuple[SchemaTriple, ...]:
    """A gold schema as planners of three kinds would write it; the seed is the question's."""
    if wording == "mistaken":
        return reworded(similarity, schema, 0.5, np.random.default_rng([7, seed]))
    return tuple((h, words_of(r) if wording == "last words" else r, t) for h, r, t in schema)


def coverages(options: argparse.Namespace) -> list[dict[str, Any]]:
    name = options.set
    graph = graph_of(name)
    encoder = open_encoder()
    model = load_model(options.model, encoder, "cpu")
    assert model.network is not None
    similarity = Similarity(graph.whole, encoder)
    table = relation_table(similarity, encoder, "cpu")
    questions = masked_questions(list(load(name)), EntityIndex(graph.whole))[0]
    chains = GoldChains(graph.whole, options.hops)
    order = np.random.default_rng(0).permutation(len(questions))[: options.number]
    shares: dict[tuple[str, bool, str, bool], list[float]] = defaultdict(list)
    held: dict[str, list[float]] = defaultdict(list)
    for i in order.tolist():
        each = questions[i]
        wanted, schema = gold_triples(chains, each), chains.schema(each)
        if not wanted:
            continue
        ids = [graph.whole.entity(t).id for t in each.topics]
        near = neighborhood(graph, ids, min(options.hops, len(schema)), max_triples=5000)
        local = np.array([near.local(id) for id in ids], np.int64)
        ends = {graph.whole.local(end) for h, _, t in wanted for end in (h, t)}
        for wording, exact in WORDED:
            triples = worded(wording, similarity, schema, i)
            bound = {f"[T{n}]": n - 1 for n in range(1, len(ids) + 1) if any(f"[T{n}]" in t for t in triples)}
            query = similarity.query(SchemaGraph((), "", triples, bound), each.names)
            members = guide(model.network, table, [QuestionInput(near, local, query)], [options.scale * len(triples)])[
                0
            ]
            held[wording].append(len(ends & set(members.tolist())) / min(len(ends), len(members)))
            for kind, ties in KINDS:
                config = Config(exact_relation_first=exact, ties=ties)
                adaptive = "Precision" if len(each.answers) == 1 else "Breadth"
                plan = SchemaGraph((), adaptive if kind == "adaptive" else kind, triples, bound)
                for guided in (members, None):
                    runs = traced(similarity, plan, list(each.topics), config, guided)
                    found = {int(t) for run in runs for t in (*run.triple, *run.second) if t >= 0}
                    own = {(t.head.id, t.relation.id, t.tail.id) for t in map(graph.whole.triple, found)}
                    shares[wording, exact, f"{kind}, {ties}", guided is not None].append(
                        len(wanted & own) / len(wanted)
                    )
    rows = []
    for wording, exact in WORDED:
        for kind, ties in KINDS:
            on, off = (np.array(shares[wording, exact, f"{kind}, {ties}", guided]) for guided in (True, False))
            rows.append(
                {
                    "set": name,
                    "relations": wording,
                    "exact_relation_first": exact,
                    "strategy": f"{kind}, one edge a step" if ties == "first" else kind,
                    "questions": len(on),
                    "with_guidance": round(float(on.mean()), 4),
                    "without": round(float(off.mean()), 4),
                    "p": round(paired_permutation(on - off), 5),
                    "gold_in_guidance_graph": round(float(np.mean(held[wording])), 4),
                }
            )
    return rows


class GoldPlans:
    """A planner that knows what is asked and not how the graph says it, as a language model for `Stem`.

    It writes B samples of a question's gold plan in the words of `worded`, each with mistakes of its own.
    """

    name = "gold plans"
    abilities: frozenset[Any] = frozenset()

    def __init__(self, wording: str, similarity: Similarity, questions: list[MaskedQuestion], hops: int) -> None:
        self._plans: dict[str, list[str]] = {}
        self._triples: dict[str, SchemaTriple] = {}
        chains = GoldChains(similarity.graph, hops)
        for i, each in enumerate(questions):
            schema = chains.schema(each)
            if not schema:
                continue
            labels = {f"[T{n}]": name for n, name in enumerate(each.names, 1)}
            strategy = "Precision" if len(each.answers) == 1 else "Breadth"
            samples = self._plans.setdefault(" ".join(each.question.text.split()), [])
            for b in range(MOST):
                triples = worded(wording, similarity, schema, 1000 * b + i)
                named = [(labels.get(h, h), r, labels.get(t, t)) for h, r, t in triples]
                said = [f"{h} has as {r} {t}" for h, r, t in named]
                self._triples.update(zip(said, named, strict=True))
                samples.append("\n".join([strategy, *said]))

    def generate(self, requests: Sequence[LLMRequest]) -> list[LLMReply]:
        return [LLMReply(tuple(map(LLMText, self._texts(each)))) for each in requests]

    def _texts(self, request: LLMRequest) -> list[str]:
        asked = request.messages[-1].content.strip()
        if asked in self._plans:
            return self._plans[asked][: request.n]
        known = [self._triples[line] for line in asked.splitlines() if line in self._triples]
        return ["\n".join(f"({h} | {r} | {t})" for h, r, t in known) or "I cannot say."] * request.n


def drawn(options: argparse.Namespace) -> list[Example]:
    """So many questions of the set, the same each time, in their order."""
    examples = list(load(options.set))
    order = np.random.default_rng(0).permutation(len(examples))[: options.number]
    return [examples[i] for i in sorted(order.tolist())]


def beside(names: Sequence[str], own: Sequence[np.ndarray], other: Sequence[np.ndarray]) -> dict[str, float]:
    """The mean of each metric, and how likely chance alone parts it so far from the other's."""
    told: dict[str, float] = {}
    for name, values, base in zip(names, own, other, strict=True):
        told[name] = round(float(values.mean()), 4)
        told[f"p {name}"] = round(paired_permutation(values - base), 4) if (values != base).any() else 1.0
    return told


def sweeps(options: argparse.Namespace) -> list[dict[str, Any]]:
    graph, examples = graph_of(options.set), drawn(options)
    encoder = open_encoder()
    questions = masked_questions(examples, EntityIndex(graph.whole))[0]
    chains = GoldChains(graph.whole, options.hops)
    gold = {each.question.id: gold_triples(chains, each) for each in questions}
    plans = None
    if options.plans != "own":
        plans = GoldPlans(options.plans, Similarity(graph.whole, encoder), questions, options.hops)
    tools = Tools(encoder, plans, options.model, lambda q, g: link(q, g, encoder=encoder))
    planners: dict[int, Stem] = {}
    kept: dict[tuple[str, str], tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
    rows = []
    for group, setting, changed in SWEPT:
        planner = "trained" if plans is None else "prompted"
        config = Config(**{"hops": options.hops, "planner": planner, "reader": False, **changed})
        if config.beams not in planners:  # plans are kept per text, and do not depend on the other settings
            planners[config.beams] = Stem(config, tools)
        method = planners[config.beams]
        method.config = method._planner.config = config
        method.predict([each.question for each in examples[:4]], graph)
        start = time.perf_counter()
        answers = method.predict([each.question for each in examples], graph)
        seconds = time.perf_counter() - start
        scores = [score_answer(a, e.gold) for a, e in zip(answers, examples, strict=True)]
        shares = [coverage(a, gold[a.question.id]) for a in answers if gold.get(a.question.id)]
        own = (
            np.array([s.hits_at_1 for s in scores]),
            np.array([s.f1 for s in scores]),
            np.array(shares),
        )
        kept[group, setting] = own
        base = kept[SWEPT[0][:2]]
        row: dict[str, Any] = {
            "set": options.set,
            "plans": options.plans,
            "what": group,
            "setting": setting,
            "questions": len(examples),
        }
        row |= beside(("hits@1", "f1", "coverage"), own, base)
        rows.append({**row, "ms": round(1000 * seconds / len(examples), 1)})
    return rows


def data(options: argparse.Namespace) -> list[dict[str, Any]]:
    """One row per model: how many plans it learned from, how right its schemas are, and what it answers."""
    graph, examples = graph_of(options.set), drawn(options)
    encoder = open_encoder()
    questions = masked_questions(examples, EntityIndex(graph.whole))[0]
    chains = GoldChains(graph.whole, options.hops)
    gold = {each.question.id: chains.schema(each) for each in questions}
    config = Config(hops=options.hops, reader=False, guidance=False)
    rows: list[dict[str, Any]] = []
    first: list[np.ndarray] = []
    for folder in (options.model, *options.others):
        told = json.loads((folder / "mining.json").read_text())
        method = Stem(config, Tools(encoder, None, folder, lambda q, g: link(q, g, encoder=encoder)))
        answers = method.predict([each.question for each in examples], graph)
        scores = [score_answer(a, e.gold) for a, e in zip(answers, examples, strict=True)]
        plans = {a.question.id: a.details["plans"][0]["schema"] if a.details.get("plans") else [] for a in answers}
        schemas = np.array([schema_scores(plans[id], wanted) for id, wanted in gold.items() if wanted])
        own = [np.array([s.hits_at_1 for s in scores]), np.array([s.f1 for s in scores]), schemas[:, 2]]
        first = first or own
        row: dict[str, Any] = {"set": options.set, "questions": len(examples), "with a gold chain": len(schemas)}
        row |= {"D_std": told["D_std"], "D_syn": told["D_syn"]}
        row |= dict(zip(("precision", "recall"), schemas[:, :2].mean(0).round(4).tolist(), strict=True))
        rows.append(row | beside(("hits@1", "f1", "schema f1"), own, first))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["coverage", "sweep", "data"])
    parser.add_argument("model", type=Path)
    parser.add_argument("others", type=Path, nargs="*", help="of data: the models to compare with the first")
    parser.add_argument("--set", default="cwq-pooled:dev")
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--hops", type=int, default=3)
    parser.add_argument("--plans", choices=["own", "ids", "last words", "mistaken"], default="own")
    parser.add_argument("--scale", type=int, default=4, help="K', entities of the guidance graph per schema triple")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = {"coverage": coverages, "sweep": sweeps, "data": data}[options.what](options)
    for row in rows:
        print("  ".join(f"{k} {v}" for k, v in row.items()))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
