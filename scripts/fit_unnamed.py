"""Fits the numbers of `clew.retrieval.unnamed`: how likely a plan is meant where no word names what it compares.

    python scripts/fit_unnamed.py [--test GRAPH …] [--show]

Lays out every plan that a question may mean, for the comparisons and denials of the small graphs in
tests/questions/graphs on which errors were read and of the demo graph. A plan is right where its denotation is. All
such questions take part, not only those that words fail to read: these are the few that are left; and each once
more with what its right plans compare by hidden, so that nothing answers it. Printed are, with
every fifth graph left out of the fit in turn, and then for the graphs named by --test that nothing is fitted on: how
many questions have a right plan, how many have it first, and of those with a plan that is likely enough how many are
answered right, with the questions that nothing answers beside them. Writes src/clew/retrieval/unnamed/weights.py,
fitted on all groups, unless --show.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clew.api import open_method
from clew.errors import ClewError
from clew.graph import Graph
from clew.methods.auto.fitting import fit_in_own_units
from clew.query import plan as p
from clew.query.execute import execute
from clew.retrieval.operator_words import asked_of
from clew.retrieval.operators import Operators
from clew.retrieval.unnamed import Option, Weighed, weighs
from clew.retrieval.unnamed.weighing import LEAST, SIGNS, probability, read_of
from clew.types import Question
from fit_composed import is_right, small_graphs

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE / "benchmarks"))
TARGET = HERE / "src" / "clew" / "retrieval" / "unnamed" / "weights.py"
TITLES: Mapping[Weighed, str] = {"compared": "COMPARED", "lacking": "LACKING"}
FOLDS = 5
PENALTY = 2e-3  # per squared standard deviation of a sign
EMPTIED = 0.4  # weight of a question whose right plans are hidden
MOST = 200  # things that an answer may be


@dataclass(frozen=True)
class Case:
    """A question with its plans."""

    group: str
    sort: Weighed
    answerable: bool
    plans: Sequence[tuple[Mapping[str, float], bool]]  # what speaks for each, and whether it is right
    emptied: bool = False


def collect(names: Iterable[str]) -> Iterator[Case]:
    auto = open_method(Graph.from_triples([("a", "b", "c")]), "auto")
    assert isinstance(auto, Operators)
    for name, graph, text, answers in small_graphs(names):
        asked = asked_of(Question("q", text), graph)
        sort = weighs(read_of(asked), denied=asked.denied is not None)
        if sort is None:
            continue
        try:
            plans = list(judged(auto.unnamed(asked, sort, graph), answers, graph))
            yield Case(name, sort, bool(answers), [(option.signs, right) for option, right in plans])
            keys = {key_of(option.plan) for option, right in plans if right}
            if keys:
                left = judged(auto.unnamed(asked, sort, graph, keys), [], graph)
                yield Case(name, sort, False, [(option.signs, right) for option, right in left], emptied=True)
        except ClewError:
            continue


def judged(options: Iterable[Option], answers: Sequence[str], graph: Graph) -> Iterator[tuple[Option, bool]]:
    """The plans that find something, and whether that is right."""
    for option in options:
        try:
            members = execute(option.plan, graph).members
        except ClewError:
            continue
        if 0 < len(members) <= MOST:
            yield option, is_right(members, answers, graph)


def key_of(plan: p.SetPlan) -> str:
    """The relation that a plan compares by."""
    paths = (n.key.path if isinstance(n, p.Top) else n.test.path if isinstance(n, p.Where) else n.path
             for n in p.walk(plan) if isinstance(n, (p.Top, p.Where, p.WhereCount)))  # fmt: skip
    return next(paths)[-1].relation


def fit(cases: Sequence[Case], sort: Weighed) -> dict[str, float]:
    """The numbers of one regression; a question with more plans counts more, but less than they do."""
    told, right, weight = [], [], []
    for case in cases:
        if case.sort == sort and case.plans:
            told += [signs for signs, _ in case.plans]
            right += [float(is_right) for _, is_right in case.plans]
            weight += [(EMPTIED if case.emptied else 1.0) * len(case.plans) ** -0.5] * len(case.plans)
    return fit_in_own_units(told, np.array(right), np.array(weight), PENALTY, SIGNS[sort])


def report(title: str, told: Iterable[tuple[Case, Mapping[str, float]]]) -> None:
    count = dict.fromkeys(
        ("questions", "with a right plan", "right first", "said", "said and right", "empty", "empty said"), 0
    )
    for case, numbers in told:
        best = max(((probability(signs, numbers), right) for signs, right in case.plans), default=(0.0, False))
        said = best[0] >= LEAST
        count["questions" if case.answerable else "empty"] += 1
        if not case.answerable:
            count["empty said"] += said
            continue
        count["with a right plan"] += any(right for _, right in case.plans)
        count["right first"] += best[1]
        count["said"] += said
        count["said and right"] += said and best[1]
    print(f"{title}: {', '.join(f'{name} {value}' for name, value in count.items())}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--test", nargs="*", default=[], help="graphs of tests/questions/graphs outside of the fit")
    parser.add_argument("--show", action="store_true", help="print, write nothing")
    given = parser.parse_args()
    from denotation import READ

    cases = list(collect([*READ, "demo-written", "demo-dev"]))
    groups = sorted({case.group for case in cases})
    fold = {group: place % FOLDS for place, group in enumerate(groups)}
    others = list(collect(given.test))
    lines = [
        '"""The numbers of `weighing`: scripts/fit_unnamed.py writes this file and says on what they were fitted."""'
    ]
    for sort, title in TITLES.items():
        fitted = [fit([case for case in cases if fold[case.group] != left], sort) for left in range(FOLDS)]
        numbers = fit(cases, sort)
        report(f"{sort}, each graph left out", ((c, fitted[fold[c.group]]) for c in cases if c.sort == sort))
        if given.test:
            report(f"{sort}, outside of the fit", ((case, numbers) for case in others if case.sort == sort))
        rows = (f'    "{name}": {value:.3f},' for name, value in numbers.items())
        lines += ["", f"{title}: dict[str, float] = {{", *rows, "}"]
    text = "\n".join([*lines, ""])
    print(text) if given.show else TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
