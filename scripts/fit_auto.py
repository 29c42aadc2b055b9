"""Fits the numbers of `auto`: how far to believe each reader, and the probability that the best plan is right.

    CLEW_DATA=… python scripts/fit_auto.py [--count 60] [--show] [--keep cases.npz]

Run after the network of `plan` (clew.reading.train) and the rating of `walk` (fit_walk.py). Asks what both readers
propose for questions that neither was fitted on: of the invented worlds that are kept from training, a group each, and
of the small graphs of tests/questions/graphs on which errors were read and no network was trained. Parts of the sets of
CLEW_DATA on whose training parts the network was fitted guard against losing what is answered there; they count a
fifth.

Of each question with an answer a second case is made from which every right plan is taken away: what is then said is
wrong, as where the graph does not hold what is asked for. What decides whether to answer counts many such cases, the
probability that is told few (EMPTIED). Printed are, with every fourth group left out of the fit in
turn: how often the first answer is right by each reader alone and by both, the expected calibration error (ten bins,
questions with an answer), and for some thresholds the share of right answers that are lost and of questions without an
answer that are told. Writes src/clew/methods/auto/weights.py, fitted on all groups, unless --show.

Shapes: Q questions, O options of a question, F features.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from clew.datasets import demo, load, question_set, read_plain
from clew.datasets.source import data_folder
from clew.encoding import open_encoder, remembering
from clew.evaluation.calibration import calibrate
from clew.graph import Graph
from clew.methods.auto.fitting import Case, case, choose, fit_calibration, fit_rating
from clew.methods.auto.merging import FEATURES, RatingNumbers
from clew.methods.auto.method import Auto, Config
from clew.protocols import Example, Tools
from clew.query.question import read_question
from clew.reading.account import ACCOUNT
from clew.reading.calibration import calibrated
from clew.reading.corpus import PEOPLE, demo_graph, facts_graph, geo_graph, json_lines
from clew.reading.topics import start_of
from clew.retrieval.linking import unknown_names
from clew.types import Gold, Question

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE / "benchmarks"))
TARGET = HERE / "src" / "clew" / "methods" / "auto" / "weights.py"

GUARDS = (("demo*", "train"), ("geo*", "train"), ("simplequestions*", "valid"), ("metaqa-r-1hop", "dev"),
          ("metaqa-r-2hop", "dev"), ("metaqa-r-3hop", "dev"), ("pq-2h", "train"), ("pq-3h", "train"),
          ("webqsp-pooled", "dev"), ("cwq-pooled", "dev"))  # fmt: skip
MASS = {"invented": 3.0, "read": 1.0, "guard": 1.0}  # of the sources in the fit of the rating
TOLD_MASS = {"invented": 1.0, "read": 1.0, "guard": 1.0}  # and in those of the two probabilities
FOLDS = 4
LEAST = 20  # questions of a group that is fitted on
# Where the fit starts: a word left over costs 2, a step that nothing asks for 1 (`clew.reading.account`).
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
PENALTY = 0.03  # of what moves away from PRIOR; other features do no better on groups left out
TOLD = (
    "share", "none", "none_odds", "walk", "plan", "both", "neither", "steps_2", "steps_3", "joined", "unused", *ACCOUNT,
)  # fmt: skip
CALIBRATION_PENALTY = {"calibration": 1e-3, "answerable": 1e-4}
# Weight of the cases whose right plans were taken away, against the others of a group.
EMPTIED = {"calibration": 0.02, "answerable": 0.3}
RIGHT = 0.3  # share of right ends from which a plan is not left in an emptied case
THRESHOLDS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
ALONE = {"walk": {"walk": 1.0}, "plan": {"plan": 1.0}}


@dataclass(frozen=True, eq=False)
class Group:
    """The questions over one graph."""

    source: str
    name: str
    asked: list[Case]  # with an answer
    unanswerable: list[Case]

    @property
    def emptied(self) -> list[Case]:
        """The questions with an answer, without their right plans."""
        found = []
        for each in self.asked:
            kept = each.precision < RIGHT
            if 0 < kept.sum() < len(kept):
                zeros = np.zeros(int(kept.sum()))
                found.append(Case(each.rows[kept], zeros, zeros, each.none))
        return found


def invented(count: int) -> Iterator[tuple[str, Graph, list[Example]]]:
    from denotation import kept_worlds

    for drawn, rows in kept_worlds():
        examples = [drawn.example(row, str(i), linked=True) for i, row in enumerate(rows[:count])]
        yield drawn.world.file, drawn.graph(), examples


def small_graphs() -> Iterator[tuple[str, Graph, list[Example]]]:
    from denotation import READ, questions_of

    for name in (name for name in READ if name not in PEOPLE):
        with TemporaryDirectory() as folder:
            rows = list(questions_of(name, Path(folder), None))
            examples = [Example(Question(row["id"], row["question"]), Gold(tuple(row["answer"]))) for row, _ in rows]
            yield name, rows[0][1], examples


def guards(count: int) -> Iterator[tuple[str, Graph, list[Example]]]:
    folder = data_folder(None)
    for name, split in GUARDS:
        known = name.removesuffix("*")
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
        if name.endswith("*"):  # topics found by linking
            rows = [replace(row, question=replace(row.question, topics=())) for row in rows]
        yield known, graph, rows


def collect(count: int) -> list[Group]:
    encoder = remembering(open_encoder())
    auto = Auto(Config(threshold=0.0), Tools(encoder=encoder))
    groups = []
    sources: tuple[tuple[str, Iterator[tuple[str, Graph, list[Example]]]], ...] = (
        ("invented", invented(count)), ("read", small_graphs()), ("guard", guards(count)),
    )  # fmt: skip
    for source, rows in sources:
        for name, graph, examples in rows:
            asked: list[Case] = []
            unanswerable: list[Case] = []
            for each in examples:
                read = read_question(each.question.text)
                if read.kind != "plain" or read.unsaid or unknown_names(each.question, graph):
                    continue
                start = start_of(each.question, graph, linker=None, encoder=encoder, most=6)
                found = Case(np.zeros((0, len(FEATURES)), np.float32), np.zeros(0), np.zeros(0), 1.0)
                if start.topics:
                    ground, merged, _ = auto.propose(each.question.text, start.topics, graph)
                    if merged is not None:
                        found = case(merged.options, merged.none, each.gold, ground.labels, ground.local)
                (asked if each.gold.answers or each.gold.entities else unanswerable).append(found)
            groups.append(Group(source, name, asked, unanswerable))
            print(f"{source} {name}: {len(asked)} questions, {len(unanswerable)} without an answer", flush=True)
    return groups


def save(path: Path, groups: Sequence[Group]) -> None:
    every = [each for group in groups for each in (*group.asked, *group.unanswerable)]
    np.savez(
        path,
        rows=np.concatenate([each.rows for each in every]),
        f1=np.concatenate([each.f1 for each in every]),
        precision=np.concatenate([each.precision for each in every]),
        at=np.cumsum([0, *(len(each.rows) for each in every)]),
        none=np.array([each.none for each in every]),
        groups=np.array(json.dumps([(g.source, g.name, len(g.asked), len(g.unanswerable)) for g in groups])),
    )


def read(path: Path) -> list[Group]:
    with np.load(path) as file:
        rows, f1, precision, at, none = (file[name] for name in ("rows", "f1", "precision", "at", "none"))
        told = json.loads(str(file["groups"]))
    parts = [slice(a, b) for a, b in pairwise(at)]
    every = [Case(rows[p], f1[p], precision[p], float(n)) for p, n in zip(parts, none, strict=True)]
    groups, begin = [], 0
    for source, name, asked, unanswerable in told:
        middle, end = begin + asked, begin + asked + unanswerable
        groups.append(Group(source, name, every[begin:middle], every[middle:end]))
        begin = end
    return groups


def fit(groups: Sequence[Group]) -> RatingNumbers:
    """Every group of a source counts alike."""
    sizes = {source: sum(group.source == source for group in groups) for source in MASS}
    cases = [each for group in groups for each in group.asked]
    weight = [MASS[g.source] / sizes[g.source] / len(g.asked) for g in groups for _ in g.asked]
    weights = fit_rating(cases, weight, PRIOR, PENALTY, tuple(PRIOR))
    chosen = [
        (g, some is g.asked, choose(some, weights)) for g in groups for some in (g.asked, g.emptied, g.unanswerable)
    ]

    def calibration(name: str) -> dict[str, float]:
        told: list[dict[str, float]] = []
        right, importance = [], []
        for group, asked, some in chosen:
            if len(some.right):
                told += some.told
                right.append(some.right)
                share = 1.0 if asked else EMPTIED[name]
                mass = share * TOLD_MASS[group.source] / sizes[group.source] / len(some.right)
                importance.append(np.full(len(some.right), mass))
        rights, masses = np.concatenate(right), np.concatenate(importance)
        return fit_calibration(told, rights, masses, {}, CALIBRATION_PENALTY[name], TOLD)

    return RatingNumbers(weights, calibration("calibration"), calibration("answerable"))


def sure_of(told: Sequence[Mapping[str, float]], numbers: Mapping[str, float]) -> NDArray[np.float64]:
    return np.array([calibrated(each, numbers) for each in told])


def report(groups: Sequence[Group], numbers_of: Callable[[Group], RatingNumbers]) -> None:
    print(f"{'':26} {'walk':>6} {'plan':>6} {'auto':>6} {'best':>6} {'ECE':>6}")
    lines: dict[str, list[tuple[float, ...]]] = {}
    lost: dict[str, list[list[float]]] = {}
    for group in groups:
        numbers = numbers_of(group)
        auto = choose(group.asked, numbers.weights)
        sure, kept = sure_of(auto.told, numbers.calibration), sure_of(auto.told, numbers.answerable)
        alone = [choose(group.asked, each).hits for each in ALONE.values()]
        best = sum(each.precision.max(initial=0) for each in group.asked) / max(len(group.asked), 1)
        line = (*alone, auto.hits, best, calibrate(sure, auto.right).ece)
        lines.setdefault(group.source, []).append(line)
        print(f"{group.source + ' ' + group.name:26} {' '.join(f'{value:6.3f}' for value in line)}")
        without = sure_of(choose(group.unanswerable, numbers.weights).told, numbers.answerable)
        gone = [float((kept[auto.right > 0.5] < each).mean()) for each in THRESHOLDS]
        # those without any option are told already
        told = [float((without < each).sum() + len(group.unanswerable) - len(without)) for each in THRESHOLDS]
        lost.setdefault(group.source, []).append([*gone, *told, float(len(group.unanswerable))])
    for source, some in lines.items():
        print(f"{source + ', mean':26} {' '.join(f'{value:6.3f}' for value in np.mean(some, 0))}")
    for source, some in lost.items():
        table = np.array(some)
        gone, told = table[:, : len(THRESHOLDS)].mean(0), table[:, len(THRESHOLDS) :].sum(0)
        for i, each in enumerate(THRESHOLDS):
            without = f"{told[i]:.0f}/{told[-1]:.0f}"
            print(f"{source}: below {each:.2f} right lost {gone[i]:.3f}, without an answer told {without}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=60, help="questions of a world and of a set of CLEW_DATA")
    parser.add_argument("--show", action="store_true", help="print, write nothing")
    parser.add_argument("--keep", type=Path, help="file of cases: read if it is there, else written")
    given = parser.parse_args()
    if given.keep is not None and given.keep.is_file():
        groups = read(given.keep)
    else:
        groups = collect(given.count)
        if given.keep is not None:
            save(given.keep, groups)
    groups = [group for group in groups if len(group.asked) >= LEAST]
    order = np.random.default_rng(0).permutation(len(groups)).tolist()
    fold = {group.name: order[i] % FOLDS for i, group in enumerate(groups)}
    fitted = [fit([group for group in groups if fold[group.name] != left]) for left in range(FOLDS)]
    print("as shipped")
    report(groups, lambda _: RatingNumbers.shipped())
    print("fitted, each group left out")
    report(groups, lambda group: fitted[fold[group.name]])
    numbers = fit(groups)
    lines = ['"""The numbers of `auto`: scripts/fit_auto.py writes this file and says on what they were fitted."""', ""]
    for table, some in numbers.to_json().items():
        body = [f'    "{name}": {value:.3f},' for name, value in some.items()]
        lines += [f"{table.upper()}: dict[str, float] = {{", *body, "}", ""]
    text = "\n".join(lines)
    print(text) if given.show else TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
