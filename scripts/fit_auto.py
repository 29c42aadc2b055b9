"""Fits the numbers of `auto`: how far to believe each reader, and the probability that the best plan is right.

    CLEW_DATA=… python scripts/fit_auto.py READERS [--count 150] [--show]

READERS is a folder of folders, each with a reader.safetensors made by  python -m clew.reading.train --leave-out …;
every group of question sets below is read with one that has it left out, and walked with the rating that has it left
out where `walk` was fitted on it (scripts/fit_walk.py --without READERS). What both propose is kept in
READERS/proposals, so that a second run only fits. Every figure is of a group that neither the reader nor the numbers
were fitted on; the numbers written are fitted on all groups. AUC: how often a right answer is surer than what is said
to the same set's questions when every right plan is taken away. Writes src/clew/methods/auto/weights.py unless --show.

Shapes: Q questions, O options of a question, F features.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open

from clew.datasets import demo, load, question_set, read_plain
from clew.datasets.source import data_folder
from clew.encoding import open_encoder, remembering
from clew.graph import Graph
from clew.methods.auto.fitting import Case, case, choose, fit_calibration, fit_rating
from clew.methods.auto.merging import RatingNumbers, as_plans, features, options
from clew.methods.plan.method import Config as PlanConfig
from clew.methods.plan.method import PlanMethod
from clew.methods.walk.method import Config as WalkConfig
from clew.methods.walk.method import Walk
from clew.methods.walk.ranking import Rating
from clew.protocols import Example, TextEncoder, Tools
from clew.query.question import read_question
from clew.query.relatives import spelled_out
from clew.reading.account import ACCOUNT
from clew.reading.calibration import calibrated
from clew.reading.corpus import demo_graph, facts_graph, geo_graph, json_lines
from clew.reading.topics import start_of
from clew.retrieval.scoring import take_apart
from clew.types import Gold, Question

# question set, split, group, weight; "*": with topics found by linking
SETS = (
    ("demo*", "train", "demo", 1.0),
    ("geo*", "train", "geo", 1.0),
    ("simplequestions*", "valid", "simplequestions", 1.0),
    ("metaqa-r-1hop", "dev", "metaqa", 0.34),
    ("metaqa-r-2hop", "dev", "metaqa", 0.33),
    ("metaqa-r-3hop", "dev", "metaqa", 0.33),
    ("pq-2h", "train", "pq", 0.5),
    ("pq-3h", "train", "pq", 0.5),
    ("webqsp-pooled", "train", "freebase", 0.5),
    ("cwq-pooled", "train", "freebase", 0.5),
    ("wikitables*", "train", "wikitables", 1.0),
)
# The rating stays near these: what no word asks for and no step explains counts by hand, and fitted freely the numbers
# do no better on groups left out. A word left over costs 2, a step that nothing asks for 1 (`clew.reading.account`).
PRIOR = {
    "walk": 1.0,
    "plan": 0.5,
    "account.left_over": -4.0,
    "account.unasked": -3.0,
    "account.guessed": -4.0,
    "account.disorder": -1.6,
    "account.ask_met": 1.0,
    "account.leads_right": 0.5,
    "account.leads_wrong": -1.2,
    "joined": 1.0,
    "plan.unused": -2.0,
}
TOLD = ("share", "none", *ACCOUNT)  # of the calibration
EMPTIED = 0.1  # weight in the calibration of the questions whose right plans were taken away, against the others
_OPERATOR = re.compile(
    r"\b(?:how (?:many|long|much)|total|number|first|last|before|after|next|previous|other|besides|not|most|least|only|"
    r"same|than|or|difference|more|less|\w+est)\b",
    re.IGNORECASE,
)
PENALTY = 0.3  # of what moves away from PRIOR
CALIBRATION_PENALTY = 3e-4
TARGET = Path(__file__).resolve().parent.parent / "src" / "clew" / "methods" / "auto" / "weights.py"


def table_graph(table: dict[str, Any]) -> Graph:
    """A table as a graph: a node per row, a relation per column; the first column names the rows where it can."""
    columns = [column.replace("\n", " ").strip() for column in table["header"]]
    names = [row[0].strip() for row in table["rows"]]
    named = len(set(names)) == len(names) and all(names)
    triples, labels = [], {}
    for number, row in enumerate(table["rows"]):
        labels[f"row {number}"] = names[number]
        triples += [
            (f"row {number}", column, cell.strip())
            for column, cell in zip(columns[named:], row[named:], strict=False)
            if column and cell.strip()
        ]
    mediator = None if named else re.compile(r"row \d+").fullmatch
    return Graph.from_triples(triples, name=table["id"], labels=labels if named else None, mediator=mediator)


def tables(split: str, count: int, folder: Path) -> Iterator[tuple[Graph, Example]]:
    """Questions without operators over as many Wikipedia tables, topics found by linking."""
    folder = folder / "wikitablequestions"
    known = {table["id"]: table for table in json_lines(folder / "tables.jsonl.gz")}
    rows = json_lines(folder / f"{split}.jsonl.gz")
    random.Random(11).shuffle(rows)
    for row in rows:
        if read_question(row["question"]).kind == "plain" and not _OPERATOR.search(row["question"]):
            yield (
                table_graph(known[row["table"]]),
                Example(Question(row["id"], row["question"]), Gold(tuple(row["answer"]))),
            )
            count -= 1
        if count == 0:
            return


def source(name: str, split: str, count: int, folder: Path) -> Iterable[tuple[Graph, Example]]:
    known = name.removesuffix("*")
    if known == "wikitables":
        return tables(split, count, folder)
    if known == "demo":
        graph, rows = demo_graph(), [row for row in read_plain(demo.questions_file(split)) if row.gold.answers]
    elif known == "geo":
        graph = geo_graph(folder)
        lines = [line for line in json_lines(folder / "geoquery" / f"{split}.jsonl") if line["kinds"] == ["plain"]]
        rows = [Example(Question(line["id"], line["question"]), Gold(tuple(line["answer"]))) for line in lines]
    elif known == "simplequestions":
        graph = facts_graph(folder)
        lines = json_lines(folder / "simplequestions" / f"{split}.jsonl.gz")
        rows = [Example(Question(line["id"], line["question"]), Gold(tuple(line["a_entity"]))) for line in lines]
    else:
        triples = question_set(known).triples
        assert triples is not None
        graph, rows = Graph.from_triples(triples(folder), name=known), list(load(known, split, folder=folder))
    rows = random.Random(11).sample(rows, min(count, len(rows)))
    if name.endswith("*"):
        rows = [replace(row, question=replace(row.question, topics=())) for row in rows]
    return [(graph, row) for row in rows]


def propose(
    walk: Walk, plan: PlanMethod, encoder: TextEncoder, asked_of: Iterable[tuple[Graph, Example]]
) -> tuple[list[Case], list[Case]]:
    """What is proposed, and the same questions with every plan that gives a right answer taken away."""
    cases, emptied = [], []
    for graph, row in asked_of:
        topics = start_of(row.question, graph, linker=None, encoder=encoder, most=6).topics
        found_options, none = [], 1.0
        if topics:
            ground, wording = plan.ground(topics, graph)
            mentions = list(dict.fromkeys(topic.mention for topic in topics))
            text = spelled_out(row.question.text, mentions, map(wording.relation, range(ground.num_relations)))
            asked = take_apart(text, mentions)
            found, _ = walk.hunt(asked, topics, ground, graph.name)
            reading = plan.read(text, topics, ground, wording, as_plans(found))
            found_options, none = options(found, reading), reading.none
        each = case(found_options, none, row.gold, graph.whole.labels, graph.whole.local)
        cases.append(each)
        rest = [option for option, right in zip(found_options, each.precision, strict=True) if right == 0]
        if rest:
            zeros, left = np.zeros(len(rest)), sum(option.rated.share for option in rest)
            emptied.append(Case(features(rest), zeros, zeros, none / max(none + left, 1e-9)))
    return cases, emptied


def save(path: Path, cases: Sequence[Case]) -> None:
    path.parent.mkdir(exist_ok=True)
    np.savez(
        path,
        rows=np.concatenate([each.rows for each in cases]),
        f1=np.concatenate([each.f1 for each in cases]),
        precision=np.concatenate([each.precision for each in cases]),
        at=np.cumsum([0, *(len(each.rows) for each in cases)]),
        none=np.array([each.none for each in cases]),
    )


def read(path: Path) -> list[Case]:
    with np.load(path) as file:
        rows, f1, precision, at, none = (file[name] for name in ("rows", "f1", "precision", "at", "none"))
    parts = [slice(a, b) for a, b in pairwise(at)]
    return [Case(rows[p], f1[p], precision[p], float(n)) for p, n in zip(parts, none, strict=True)]


def collect(readers: Path, count: int) -> dict[str, tuple[list[Case], list[Case]]]:
    """The proposals of every set whose group some reader has left out, and the emptied ones."""
    left_out: dict[str, Path | None] = {}
    for path in sorted(readers.glob("*/reader.safetensors")):
        with safe_open(str(path), "np") as file:
            for group in json.loads(file.metadata()["clew"]).get("left_out", []):
                left_out[group] = path.parent
    encoder = remembering(open_encoder())
    found = {}
    for name, split, group, _ in SETS:
        kept, less = (readers / part / f"{name}.npz" for part in ("proposals", "emptied"))
        if group == "wikitables":
            left_out[group] = None  # the network that ships was trained on none of them
        if group not in left_out:
            print(f"{name}: no reader was trained without {group}; passed over")
            continue
        if not kept.is_file():
            walk = Walk(WalkConfig(threshold=0.0), Tools(encoder=encoder))
            without = readers / f"walk-without-{group}.json"
            if without.is_file():
                fitted = json.loads(without.read_text(encoding="utf-8"))
                walk.rating = Rating.of(fitted["linear"], fitted["units"])
            plan = PlanMethod(PlanConfig(threshold=0.0), Tools(encoder=encoder, model=left_out[group]))
            cases, emptied = propose(walk, plan, encoder, source(name, split, count, data_folder(None)))
            save(less, emptied)
            save(kept, cases)
        found[name] = read(kept), read(less)
        print(f"{name}: {len(found[name][0])} questions", flush=True)
    return found


def fit(sets: Mapping[str, tuple[list[Case], list[Case]]], mix: Mapping[str, float]) -> RatingNumbers:
    """Every set by its weight in the mixture."""
    cases = [each for mine, _ in sets.values() for each in mine]
    weight = [mix[name] / len(mine) for name, (mine, _) in sets.items() for _ in mine]
    weights = fit_rating(cases, weight, PRIOR, PENALTY, tuple(PRIOR))
    told, right, importance = [], [], []
    for name, (mine, emptied) in sets.items():
        for some, share in ((mine, 1.0), (emptied, EMPTIED)):
            chosen = choose(some, weights)
            told += chosen.told
            right.append(chosen.right)
            importance.append(np.full(len(chosen.right), share * mix[name] / len(chosen.right)))
    calibration = fit_calibration(
        told, np.concatenate(right), np.concatenate(importance), {}, CALIBRATION_PENALTY, TOLD
    )
    return RatingNumbers(weights, calibration)


def error(sure: np.ndarray, right: np.ndarray) -> float:
    """Expected calibration error over ten bins."""
    bins = np.minimum((sure * 10).astype(int), 9)
    return float(sum(abs(sure[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean() for b in set(bins)))


ALONE = {"walk": {"walk": 1.0}, "plan": {"plan": 1.0}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("readers", type=Path)
    parser.add_argument("--count", type=int, default=150, help="questions of a set")
    parser.add_argument("--show", action="store_true", help="print, write nothing")
    given = parser.parse_args()
    sets = collect(given.readers, given.count)
    group = {name: group for name, _, group, _ in SETS if name in sets}
    mix = {name: weight for name, _, _, weight in SETS if name in sets}
    print(f"{'left out':24} {'walk':>6} {'plan':>6} {'auto':>6} {'best':>6} {'ECE':>6} {'AUC':>6}")
    errors = []
    for left in dict.fromkeys(group.values()):
        others = {name: each for name, each in sets.items() if group[name] != left}
        numbers = fit(others, mix)
        for name in (name for name in sets if group[name] == left):
            cases, emptied = sets[name]
            auto, none = choose(cases, numbers.weights), choose(emptied, numbers.weights)
            alone = [choose(cases, each).hits for each in ALONE.values()]
            possible = sum(each.precision.max(initial=0) for each in cases) / auto.questions
            sure, unsure = (
                np.array([calibrated(told, numbers.calibration) for told in each.told]) for each in (auto, none)
            )
            errors.append(error(sure, auto.right))
            told_apart = (sure[auto.right > 0.5][:, None] > unsure[None]).mean()
            line = (*alone, auto.hits, possible, errors[-1], told_apart)
            print(f"{name:24} {' '.join(f'{value:6.3f}' for value in line)}")
    print(f"expected calibration error, mean over left-out sets: {np.mean(errors):.3f}")
    numbers = fit(sets, mix)
    lines = ['"""The numbers of `auto`: scripts/fit_auto.py writes this file and says on what they were fitted."""', ""]
    for title, fitted in (("WEIGHTS", numbers.weights), ("CALIBRATION", numbers.calibration)):
        body = [f'    "{name}": {value:.3f},' for name, value in fitted.items()]
        lines += [f"{title}: dict[str, float] = {{", *body, "}", ""]
    text = "\n".join(lines)
    print(text) if given.show else TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
