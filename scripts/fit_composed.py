"""Fits the numbers of `clew.retrieval.believing`: how likely a composed set is right, and a method's path beside it.

    CLEW_DATA=… python scripts/fit_composed.py [--count 50] [--show] [--keep cases.jsonl]

Run after fit_auto.py. Asks what `auto` finds and what the parts of a question compose, for questions without an
operator over the invented worlds that are kept from training and over the small graphs of tests/questions/graphs on
which errors were read and no network was trained. The worlds count twice as much as the graphs: nobody shaped the
composition by their questions. Printed are, with every fifth of the groups left out of the fit in turn, how many
questions are right by the method alone, by what is believed, and by the better of the two; then the same of the
graphs named by --test, which nothing is fitted on. Writes src/clew/retrieval/composed_weights.py, fitted on all
groups, unless --show.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from clew.api import open_method
from clew.errors import ClewError
from clew.evaluation.denotation import denotation
from clew.graph import Graph
from clew.graph.subgraph import Ints
from clew.methods.auto.fitting import fit_in_own_units
from clew.query.execute import execute
from clew.reading.corpus import PEOPLE
from clew.retrieval.believing import ALONE, FEATURES, probability
from clew.retrieval.operators import Operators
from clew.types import Answer, Candidate, Gold, Question

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE / "benchmarks"))
TARGET = HERE / "src" / "clew" / "retrieval" / "composed_weights.py"
MASS = {"invented": 1.0, "read": 1.0}
FOLDS = 5
PENALTY = 1e-3  # per squared standard deviation of a feature
LESSER = 0.5  # weight of the sets after a question's first
Row = dict[str, Any]


def invented(count: int) -> Iterator[tuple[str, Graph, str, list[str]]]:
    from denotation import of_worlds

    for row, graph in of_worlds(count):
        yield row["group"], graph, row["question"], row["answer"]


def small_graphs(names: Iterable[str]) -> Iterator[tuple[str, Graph, str, list[str]]]:
    from denotation import questions_of

    for name in names:
        with TemporaryDirectory() as folder:
            for row, graph in questions_of(name, Path(folder), None):
                yield name, graph, row["question"], row["answer"]


def is_right(members: Ints, answers: Sequence[str], graph: Graph) -> bool:
    """Whether some things are the answers to a question that has some."""
    answer = Answer(Question("q", ""), "", tuple(Candidate(label, 0.5) for label in graph.labels_at(members)))
    return bool(answers) and denotation(answer, Gold(tuple(answers))) == 1


def collect(source: str, asked: Iterable[tuple[str, Graph, str, list[str]]]) -> Iterator[Row]:
    auto = open_method(Graph.from_triples([("a", "b", "c")]), "auto")
    assert isinstance(auto, Operators)
    for group, graph, text, answers in asked:
        question, gold = Question("q", text), Gold(tuple(answers))
        try:
            found = auto.offered(question, graph)
        except ClewError:
            continue
        if found is None or not found[1]:
            continue
        path, sets = found
        made = [
            {"signs": signs, "right": is_right(execute(composed.plan, graph).members, answers, graph)}
            for composed, signs in sets
        ]
        right = denotation(path, gold) == 1 if answers else not path.candidates
        yield {"source": source, "group": group, "found": bool(path.candidates), "right": right, "sets": made}


def fit(rows: Sequence[Row]) -> tuple[dict[str, float], dict[str, float]]:
    """The numbers of sets and of paths; every source counts by MASS, every question of it alike."""
    sizes = {source: sum(row["source"] == source for row in rows) for source in MASS}
    sets, paths = [], []
    for row in rows:
        mass = MASS[row["source"]] / sizes[row["source"]]
        for place, each in enumerate(row["sets"]):
            sets.append((each["signs"], each["right"], mass * (LESSER if place else 1.0)))
        if row["found"]:
            paths.append((row["sets"][0]["signs"], row["right"], mass))
    return _fitted(sets), _fitted(paths)


def _fitted(cases: Sequence[tuple[dict[str, float], bool, float]]) -> dict[str, float]:
    right, weight = (np.array([float(case[k]) for case in cases]) for k in (1, 2))
    return fit_in_own_units([signs for signs, _, _ in cases], right, weight, PENALTY, FEATURES)


def chosen(row: Row, numbers: tuple[dict[str, float], dict[str, float]]) -> bool:
    """Whether what is believed answers a question."""
    likely = [probability(each["signs"], numbers[0]) for each in row["sets"]]
    best = likely.index(max(likely))
    least = probability(row["sets"][0]["signs"], numbers[1]) if row["found"] else ALONE
    return bool(row["sets"][best]["right"] if likely[best] > least else row["right"])


def report(title: str, rows: Sequence[Row], right: Sequence[bool]) -> None:
    told: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for row, is_right in zip(rows, right, strict=True):
        either = row["right"] or any(each["right"] for each in row["sets"])
        for k, value in enumerate((1, row["right"], is_right, either)):
            told[row["source"]][k] += int(value)
    print(title)
    for source, (count, method, believed, either) in told.items():
        print(f"{source:10} {count:5} questions, right: method {method}, believed {believed}, either {either}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=50, help="questions of a world")
    parser.add_argument("--test", nargs="*", default=[], help="graphs of tests/questions/graphs outside of the fit")
    parser.add_argument("--show", action="store_true", help="print, write nothing")
    parser.add_argument("--keep", type=Path, help="file of cases: read if it is there, else written")
    given = parser.parse_args()
    from denotation import READ

    if given.keep is not None and given.keep.is_file():
        rows = [json.loads(line) for line in given.keep.read_text().splitlines()]
    else:
        rows = list(collect("invented", invented(given.count)))
        rows += collect("read", small_graphs(name for name in READ if name not in PEOPLE))
        if given.keep is not None:
            given.keep.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    groups = sorted({row["group"] for row in rows})
    fold = {group: place % FOLDS for place, group in enumerate(groups)}
    fitted = [fit([row for row in rows if fold[row["group"]] != left]) for left in range(FOLDS)]
    report("each group left out", rows, [chosen(row, fitted[fold[row["group"]]]) for row in rows])
    numbers = fit(rows)
    if given.test:
        others = list(collect("test", small_graphs(given.test)))
        report("outside of the fit", others, [chosen(row, numbers) for row in others])
    lines = [
        '"""The numbers of `believing`: scripts/fit_composed.py writes this file and says on what they were fitted."""'
    ]
    for title, some in zip(("COMPOSED", "PATH"), numbers, strict=True):
        lines += [
            "",
            f"{title}: dict[str, float] = {{",
            *(f'    "{name}": {value:.3f},' for name, value in some.items()),
            "}",
        ]
    text = "\n".join([*lines, ""])
    print(text) if given.show else TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
