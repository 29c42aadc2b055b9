"""Fits when `auto` is sure: the probability that its best plan is right, on graphs with questions of every kind.

    CLEW_DATA=… python scripts/fit_calibration.py [--count 40] [--show] [--keep cases.json]

Asks what remains of a question beside operators, with the readers that ship. The graphs of tests/questions/graphs were
read by no network; the sets of CLEW_DATA were in part, so they only guard against refusing what is answered there. Of
each question with an answer a second case is made from which every right plan is taken away: what is then said is
wrong, as where the graph does not hold what is asked for. Every graph is left out of the fit once; printed are the
expected calibration error on it (ten bins, questions with an answer), and for some thresholds the share of right
answers that are lost and of cases without an answer that are told. The numbers written, CALIBRATION of
src/clew/methods/auto/weights.py, are fitted on all graphs, near those that scripts/fit_auto.py finds with every graph
left out of the readers as well; WEIGHTS stay as that script writes them, and run after it this one has the last word.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.encoding import open_encoder, remembering
from clew.graph import Graph, Subgraph
from clew.methods.auto.fitting import fit_calibration
from clew.methods.auto.merging import Merged, RatedPlan, RatingNumbers, merge
from clew.methods.auto.method import Auto, Config
from clew.methods.auto.weights import CALIBRATION, WEIGHTS
from clew.protocols import Example, Tools
from clew.query.question import read_question
from clew.reading.account import ACCOUNT
from clew.reading.calibration import calibrated
from clew.reading.topics import start_of
from clew.retrieval.linking import unknown_names
from clew.types import Gold, Question

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE / "benchmarks"))

SMALL = ("company", "football", "university", "zoo")  # music and library are kept for a last look
OTHERS = {
    "geo*:train": "geo", "pq-2h:train": "pq", "pq-3h:train": "pq", "metaqa-r-2hop:dev": "metaqa",
    "simplequestions*:valid": "simplequestions", "webqsp-pooled:dev": "webqsp",
}  # fmt: skip
TOLD = ("share", "none", *ACCOUNT)
EMPTIED = 0.1  # weight of the cases whose right plans were taken away, against the others of a graph
PENALTY = 0.01  # of what moves away from PRIOR
PRIOR = {  # from scripts/fit_auto.py, where every graph was left out of the readers as well
    "bias": 0.974, "share": 0.400, "none": -1.060, "left_over": -0.620, "unasked": -1.648, "guessed": -2.100,
    "unmet": -0.423, "disorder": 0.215, "ask_met": 0.534, "leads_right": 0.082, "leads_wrong": -0.772,
}  # fmt: skip
THRESHOLDS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55)
RIGHT = 0.3  # share of right ends from which a plan is not left in an emptied case
Row = dict[str, Any]


def examples(count: int, folder: Path) -> Iterator[tuple[str, Graph, Example]]:
    """Group, graph and question; those without an answer have no gold."""
    from auto import questions
    from denotation import questions_of

    for name in SMALL:
        for row, graph in questions_of(name, folder, None):
            yield name, graph, Example(Question(row["id"], row["question"]), Gold(tuple(row["answer"])))
    for name, group in OTHERS.items():
        graph, rows = questions(name, count)
        yield from ((group, graph, row) for row in rows)


def cases(count: int) -> list[Row]:
    """What the calibration sees of every question, and of every question without its right plans."""
    encoder = remembering(open_encoder())
    auto = Auto(Config(threshold=0.0), Tools(encoder=encoder))
    found: list[Row] = []
    with TemporaryDirectory() as folder:
        for group, graph, each in examples(count, Path(folder)):
            read = read_question(each.question.text)
            start = start_of(each.question, graph, linker=None, encoder=encoder, most=6)
            if read.kind != "plain" or read.unsaid or not start.topics or unknown_names(each.question, graph):
                continue
            ground, merged, _ = auto.propose(each.question.text, start.topics, graph)
            if merged is None:
                continue
            gold = {text.casefold() for text in each.gold.answers}
            right = [_right(option, ground, gold) for option in merged.options]
            row = {"group": group, "question": each.question.text, "kind": "asked" if gold else "unanswerable"}
            found.append({**row, "right": right[0], "signs": dict(merged.signs)})
            rest = [option for option, share in zip(merged.options, right, strict=True) if share < RIGHT]
            if gold and rest and len(rest) < len(right):
                emptied = _without(merged, rest)
                found.append({**row, "kind": "emptied", "right": 0.0, "signs": dict(emptied.signs)})
    return found


def _without(merged: Merged, rest: Sequence[RatedPlan]) -> Merged:
    """What is left where the graph does not hold what is asked for."""
    left = sum(option.rated.share for option in rest)
    none = merged.none / max(merged.none + left, 1e-9)
    return merge(rest, none, RatingNumbers(WEIGHTS, CALIBRATION))


def _right(option: RatedPlan, ground: Subgraph, gold: set[str]) -> float:
    """The share of an option's ends that are gold."""
    ends = [ground.entity(int(end)).label.casefold() for end in option.plan.ends[:200]]
    return sum(end in gold for end in ends) / max(len(ends), 1)


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Every graph counts alike."""
    sizes = Counter((row["group"], row["kind"] == "emptied") for row in rows)
    weight = np.array(
        [(EMPTIED if row["kind"] == "emptied" else 1.0) / sizes[row["group"], row["kind"] == "emptied"] for row in rows]
    )
    right = np.array([row["right"] for row in rows])
    return fit_calibration([row["signs"] for row in rows], right, weight, PRIOR, PENALTY, TOLD)


def sure(rows: Sequence[Row], numbers: Mapping[str, float]) -> NDArray[np.float64]:
    return np.array([calibrated(row["signs"], numbers) for row in rows])


def report(rows: Sequence[Row], *, fitted: bool) -> None:
    """Every graph left out once; `fitted` false: with the numbers that ship."""
    groups = list(dict.fromkeys(row["group"] for row in rows))
    errors, lost, told = [], [], []
    for group in groups:
        mine = [row for row in rows if row["group"] == group]
        numbers = fit([row for row in rows if row["group"] != group]) if fitted else CALIBRATION
        at, right = sure(mine, numbers), np.array([row["right"] for row in mine])
        asked = np.array([row["kind"] == "asked" for row in mine])
        bins = np.minimum((at[asked] * 10).astype(int), 9)
        gaps = [
            abs(at[asked][bins == b].mean() - right[asked][bins == b].mean()) * (bins == b).mean() for b in set(bins)
        ]
        errors.append(float(sum(gaps)))
        lost.append([float((at[asked & (right > 0.5)] < each).mean()) for each in THRESHOLDS])
        told.append([float((at[~asked] < each).mean()) for each in THRESHOLDS])
        print(f"{group:16} error {errors[-1]:.3f}")
    print(f"{'fitted, each left out' if fitted else 'as shipped'}: mean error {np.mean(errors):.3f}")
    for i, each in enumerate(THRESHOLDS):
        print(
            f"below {each:.2f}: right lost {np.mean(lost, 0)[i]:.3f}  without an answer told {np.mean(told, 0)[i]:.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=40, help="questions of a set of CLEW_DATA")
    parser.add_argument("--show", action="store_true", help="print, write nothing")
    parser.add_argument("--keep", type=Path, help="file of cases: read if it is there, else written")
    given = parser.parse_args()
    if given.keep is not None and given.keep.is_file():
        rows = json.loads(given.keep.read_text(encoding="utf-8"))
    else:
        rows = cases(given.count)
        if given.keep is not None:
            given.keep.write_text(json.dumps(rows), encoding="utf-8")
    report(rows, fitted=False)
    report(rows, fitted=True)
    body = "".join(f'    "{name}": {value:.3f},\n' for name, value in fit(rows).items())
    target = HERE / "src" / "clew" / "methods" / "auto" / "weights.py"
    kept, _, _ = target.read_text(encoding="utf-8").partition("CALIBRATION")
    text = f"{kept}CALIBRATION: dict[str, float] = {{\n{body}}}\n"
    print(body) if given.show else target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
