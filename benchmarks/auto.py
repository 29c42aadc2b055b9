"""How often a bare question is answered rightly: `walk`, `plan` and `auto` with their defaults, on the same questions.

    CLEW_DATA=… python benchmarks/auto.py [--limit 100] [--sets demo,geo*:dev,pq-2h:test,…] [--methods auto]
                                           [--json out.json]

Topics are those the set gives; a name with a star is asked with the topics found by linking. Of a larger set a sample
is asked, drawn with seed 0. Hits@1 counts an abstention as wrong; the expected calibration error (ten bins) is over the
answers given, and its floor is what answers that are right exactly as often as said would have by chance, with so few
questions. "worlds" are the invented worlds that no network read, as many questions of each; the numbers of `auto` are
fitted on them. GeoQuery: the questions that a path answers. SimpleQuestions states one of many answers ("name a
poet"), so that Hits@1 cannot reach 1; it is usually scored by the fact, which is given as well: right where the
stated answer is among those given, by one step from the stated subject.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from clew.datasets import demo, load, question_set, read_plain
from clew.datasets.source import data_folder
from clew.encoding import open_encoder
from clew.evaluation.answers import score_answer
from clew.evaluation.calibration import calibrate
from clew.extras import load as load_object
from clew.graph import Graph
from clew.methods.registry import card
from clew.protocols import Example, Tools
from clew.reading.corpus import demo_graph, facts_graph, geo_graph, invented_worlds, json_lines
from clew.types import Answer, Gold, Question
from denotation import kept_worlds

SETS = (
    "demo:test,demo*:test,geo*:dev,simplequestions*:valid,metaqa-r-1hop:test,metaqa-r-2hop:test,metaqa-r-3hop:test,"
    "pq-2h:test,pq-3h:test,webqsp-pooled:dev,cwq-pooled:dev"
)
METHODS = ("walk", "plan", "auto")
Floats = np.ndarray[tuple[int], np.dtype[np.float64]]


def asked(name: str, limit: int) -> Iterator[tuple[Graph, list[Example]]]:
    """The graphs of a set, each with questions that have an answer there."""
    if name != "worlds":
        yield questions(name, limit)
        return
    each = -(-limit // len(invented_worlds(0)))
    for drawn, rows in kept_worlds():
        answered = [row for row in rows if row.answers][:each]
        yield drawn.graph(), [drawn.example(row, str(i), linked=True) for i, row in enumerate(answered)]


def questions(name: str, limit: int) -> tuple[Graph, list[Example]]:
    known, _, split = name.partition(":")
    linked, known, folder = known.endswith("*"), known.removesuffix("*"), data_folder(None)
    if known == "demo":
        graph, rows = demo_graph(), [row for row in read_plain(demo.questions_file("test")) if row.gold.answers]
    elif known == "geo":
        lines = [line for line in json_lines(folder / "geoquery" / f"{split}.jsonl") if line["kinds"] == ["plain"]]
        graph, rows = geo_graph(folder), [_example(line["id"], line["question"], line["answer"]) for line in lines]
    elif known == "simplequestions":
        lines = json_lines(folder / "simplequestions" / f"{split}.jsonl.gz")
        graph, rows = facts_graph(folder), [_example(line["id"], line["question"], line["a_entity"]) for line in lines]
    else:
        triples = question_set(known).triples
        assert triples is not None
        graph, rows = Graph.from_triples(triples(folder), name=known), list(load(known, split, folder=folder))
    rows = random.Random(0).sample(rows, min(limit, len(rows)))
    return graph, [replace(row, question=replace(row.question, topics=())) for row in rows] if linked else rows


def _example(id: str, text: str, answers: list[str]) -> Example:
    return Example(Question(id, text), Gold(tuple(answers)))


def subjects(folder: Path) -> dict[str, list[str]]:
    """The labels of what each question of SimpleQuestions is about, by the question's id."""
    rows = [row for split in ("train", "valid") for row in json_lines(folder / "simplequestions" / f"{split}.jsonl.gz")]
    return {row["id"]: row["q_entity"] for row in rows}


def of_its_fact(answer: Answer, gold: Gold, subject: list[str]) -> bool:
    """Whether one step from a stated subject leads to what is answered, and to a stated answer among it."""
    mine = [candidate for candidate in answer.candidates if candidate.text in gold.answers]
    paths = [path for candidate in mine for path in answer.paths_of(candidate)]
    return any(len(path.hops) == 1 and path.start.label in subject for path in paths)


def floor(said: Floats, times: int = 200) -> float:
    """The mean error of answers that are right exactly as often as is said."""
    chance = np.random.default_rng(0)
    return float(np.mean([calibrate(said, (chance.random(len(said)) < said) * 1.0).ece for _ in range(times)]))


def measure(name: str, limit: int, methods: list[str], encoder: object) -> Iterator[dict[str, object]]:
    graphs = list(asked(name, limit))
    about = subjects(data_folder(None)) if name.startswith("simplequestions") else {}
    for method in methods:
        opened = load_object(card(method).method)(load_object(card(method).config)(), Tools(encoder=encoder))
        hits, sure, facts = [], [], []
        for row, answer in ((row, opened.answer(row.question, graph)) for graph, rows in graphs for row in rows):
            hits.append(float(score_answer(answer, row.gold).hits_at_1))
            facts.append(of_its_fact(answer, row.gold, about.get(row.question.id, [])))
            sure.append(answer.candidates[0].score if answer.candidates else np.nan)
        right, said = np.array(hits), np.array(sure)
        given = ~np.isnan(said)
        yield {
            "set": name,
            "method": method,
            "questions": len(hits),
            "hits@1": round(float(right.mean()), 4),
            **({"fact": round(float(np.mean(facts)), 4)} if about else {}),
            "abstained": round(float((~given).mean()), 4),
            "calibration error": round(calibrate(said[given], right[given]).ece, 4),
            "floor": round(floor(said[given]), 4),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    encoder, results = open_encoder(), []
    for name in args.sets.split(","):
        for found in measure(name, args.limit, args.methods.split(","), encoder):
            results.append(found)
            print("  ".join(f"{key} {value}" for key, value in found.items()), flush=True)
        if args.json:
            args.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
