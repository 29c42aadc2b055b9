"""Fits the networks of `clew.retrieval.events`: which plan over events a question means.

    python scripts/fit_events.py [--show]

Learns from the answers alone: of each question over the graphs of tests/questions/graphs whose errors were read (READ
of benchmarks/denotation.py) every candidate plan is executed, and those whose answer is right count as meant, whatever
they say; where none is, "none of them" does. Every question is also asked of `auto` without the ranking. With every
fifth of the graphs left out of the fit of the ranking in turn, its logits are what the second look learns beside
(`fit_second_look`), on each half of the graphs for the other one. What the likeliest plan is then right on and what
`auto` is right on tell when to take which (`choosing`). Printed is how many questions are right by either and by both,
on the graphs left out and on all others of tests/questions/graphs, which nothing is fitted on. Writes
ranking.safetensors and second_look.safetensors beside the modules, unless --show. An hour on two cores.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file

from clew.api import open_method
from clew.encoding import DEFAULT
from clew.encoding.cross_encoder import CrossEncoder
from clew.errors import ClewError
from clew.evaluation.calibration import calibrate
from clew.graph import Graph
from clew.graph.kinds import ALL_UP_TO
from clew.methods.auto.fitting import fit_in_own_units
from clew.query.as_asked import as_asked
from clew.query.execute import execute
from clew.query.proof import proven
from clew.retrieval.events.asked import EventQuestion
from clew.retrieval.events.candidates import candidates
from clew.retrieval.events.choosing import SIGNS, decided, signs_of
from clew.retrieval.events.in_words import in_words
from clew.retrieval.events.ranking import (
    EXECUTED,
    FILE,
    FORMS,
    FOUND,
    Executed,
    RankedPlan,
    best_of,
    executed,
    features,
    to_look_at,
)
from clew.retrieval.events.scene import Scene
from clew.retrieval.events.second_look import FILE as SECOND_LOOK
from clew.retrieval.events.second_look import cross_encoder, found_in_words, look
from clew.retrieval.lexicon import Lexicon
from clew.retrieval.operators import Operators
from clew.retrieval.spoken import as_said
from clew.types import Answer, Question
from fit_second_look import Pairs, trained, write

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE / "benchmarks"))
FOLDS, EPOCHS, BATCH = 5, 16, 64
HIDDEN, FORM_HIDDEN, DROPOUT = 128, 32, 0.4
BLIND = 0.2  # share of the questions whose candidates are seen as before they are executed
RATE, DECAY = 3e-3, 0.02
PENALTY = 1e-3  # of the choice, per squared standard deviation of a sign
UNKNOWN = 0.3  # weight of a question that has an answer, which no candidate gives
QUESTIONS = 7_000  # that the second look reads of one half of the graphs
OF_ALL = (0, 1)  # seeds of what it reads of all; the mean of these weights ships
DRAWN_FROM = 20  # plans of a question that it learns from
MOST = 300  # things of an answer that is compared with the right one
Halves = NDArray[np.float16]  # some ten thousand questions with a hundred candidates each
Floats = NDArray[np.float32]


@dataclass
class Case:
    """One question with its candidates."""

    group: str
    answerable: bool
    signs: list[str]  # in the order of `seen`
    seen: Halves
    vector: Floats
    forms: list[int]
    right: list[float]
    every: list[Executed]
    said: list[str]  # the same in words
    found: str  # what `answer` was found by
    topics: int
    words: int
    answer: Answer  # by `auto` without the ranking
    answered: float  # whether it is right


def cases_of(name: str) -> list[Case]:
    """The questions over one graph of tests/questions/graphs."""
    from denotation import questions_of, right

    method = open_method(Graph.from_triples([("a", "b", "c")]), "auto")
    assert isinstance(method, Operators)
    method.ranks, encoder = False, method.encoder
    assert encoder is not None
    found, signs = list[Case](), list[str]()
    with TemporaryDirectory() as folder:
        for row, graph in questions_of(name, Path(folder), None):
            lexicon = Lexicon.of(graph)
            if not lexicon.types or lexicon.table or graph.num_triples > ALL_UP_TO:
                continue
            question = Question(row["id"], row["question"])
            try:
                answer = method.answer(question, graph)
                said = as_said(question, graph)
                asked = EventQuestion(Scene(said, graph, encoder), encoder)
                every = [each for c in candidates(asked) if (each := executed(c, asked)) is not None]
            except ClewError:
                continue
            if not every:
                continue
            known: dict[Any, float] = {}
            for each in every:
                if each.key not in known:
                    known[each.key] = 0.0
                    if each.things < MOST:
                        shown, _, proof = proven(execute(each.candidate.plan, graph), graph, 0.5)
                        said_by = as_asked(Answer(question, "events", shown, plan=proof), graph)
                        known[each.key] = right(name, _without_kind(said_by, row), row)
            signs = list(dict.fromkeys([*signs, *(name for each in every for name in each.candidate.signs)]))
            found.append(
                Case(
                    name, bool(row["answer"]), list(signs),
                    features([each.candidate for each in every], [each.found for each in every], asked, signs).astype(
                        np.float16
                    ),
                    asked.vector, [FORMS.index(each.candidate.form) for each in every],
                    [known[each.key] for each in every], every,
                    [in_words(each.candidate.plan, graph) for each in every],
                    found_in_words(answer, graph), len(asked.scene.topics), len(asked.clause),
                    replace(answer, evidence=Answer(question, "").evidence),
                    right(name, _without_kind(answer, row), row),
                )
            )  # fmt: skip
    return found


def _without_kind(answer: Answer, row: dict[str, Any]) -> Answer:
    """Of things that go by numbers the number alone, where the right answers are bare ones."""
    if not row["answer"] or not all(text.isdigit() for text in row["answer"]) or answer.plan is None:
        return answer
    if answer.plan.makes != "set":
        return answer
    return replace(answer, candidates=tuple(replace(c, text=c.text.rsplit(" ", 1)[-1]) for c in answer.candidates))


def aligned(found: Sequence[Case]) -> list[str]:
    """Gives the cases the same columns of signs; these."""
    signs = sorted({name for case in found for name in case.signs})
    place = {name: n for n, name in enumerate(signs)}
    for case in found:
        columns = np.zeros((len(case.seen), len(signs)), np.float16)
        columns[:, [place[name] for name in case.signs]] = case.seen[:, : len(case.signs)]
        case.seen, case.signs = np.concatenate([columns, case.seen[:, len(case.signs) :]], axis=1), signs
    return signs


def blind(case: Case) -> Case:
    """A case as it is seen before anything is executed."""
    seen = case.seen.copy()
    seen[:, len(case.signs) : len(case.signs) + len(FOUND)] = 0
    return replace(case, seen=seen)


def before(net: Ranker, some: Sequence[Case]) -> list[Case]:
    """Cases with what is executed alone: the candidates that look best before."""
    with torch.no_grad():
        best = [np.argsort(-logits[:-1].numpy(), kind="stable")[:EXECUTED] for logits in net.of([*map(blind, some)])]
    return [
        replace(
            case, seen=case.seen[at], forms=[case.forms[i] for i in at], right=[case.right[i] for i in at],
            every=[case.every[i] for i in at], said=[case.said[i] for i in at],
        )
        for case, at in zip(some, best, strict=True)
    ]  # fmt: skip


class Ranker(torch.nn.Module):
    """As `clew.retrieval.events.ranking.Network` computes it."""

    def __init__(self, width: int, dim: int) -> None:
        super().__init__()
        self.lin, self.a, self.b = torch.nn.Linear(width, 1), torch.nn.Linear(width, HIDDEN), torch.nn.Linear(HIDDEN, 1)
        self.q, self.fo = torch.nn.Linear(dim, FORM_HIDDEN), torch.nn.Linear(FORM_HIDDEN, len(FORMS))
        for layer in (self.lin, self.b, self.fo):
            torch.nn.init.zeros_(layer.weight)
        self.none = torch.nn.Parameter(torch.zeros(1))

    def forward(self, seen: torch.Tensor, vectors: torch.Tensor, forms: torch.Tensor) -> torch.Tensor:
        def drop(x: torch.Tensor, share: float = DROPOUT) -> torch.Tensor:
            return torch.nn.functional.dropout(x, share, self.training)

        form = self.fo(drop(torch.relu(self.q(drop(vectors, DROPOUT / 2)))))
        own = self.lin(seen)[:, 0] + self.b(drop(torch.relu(self.a(seen))))[:, 0]
        result: torch.Tensor = own + form.gather(1, forms[:, None])[:, 0]
        return result

    def of(self, some: Sequence[Case]) -> list[torch.Tensor]:
        """(N + 1,) logits of each case."""
        seen = torch.from_numpy(np.concatenate([case.seen for case in some])).float()
        vectors = torch.from_numpy(np.concatenate([np.repeat(c.vector[None], len(c.forms), 0) for c in some]))
        forms = torch.tensor([form for case in some for form in case.forms])
        parts = self(seen, vectors, forms).split([len(case.forms) for case in some])
        return [torch.cat([part, self.none]) for part in parts]


def fitted(some: Sequence[Case], seed: int = 0) -> Ranker:
    torch.manual_seed(seed)
    order, net = np.random.default_rng(seed), Ranker(some[0].seen.shape[1], len(some[0].vector))
    optimizer = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=DECAY)
    net.train()
    for _ in range(EPOCHS):
        places = order.permutation(len(some))
        for start in range(0, len(places), BATCH):
            batch = [some[i] for i in places[start : start + BATCH]]
            batch = [blind(case) if order.random() < BLIND else case for case in batch]
            loss = torch.zeros(())
            for case, logits in zip(batch, net.of(batch), strict=True):
                meant = torch.tensor([each > 0.5 for each in case.right] + [not any(case.right)])
                weight = UNKNOWN if case.answerable and not any(case.right) else 1.0
                loss = loss - weight * (torch.logsumexp(logits[meant], 0) - torch.logsumexp(logits, 0))
            optimizer.zero_grad()
            (loss / len(batch)).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    return net.eval()


@dataclass
class Judged:
    """A case with what is executed alone, and the logits of a ranking that did not see its graph."""

    case: Case
    logits: Floats  # (N + 1,)

    def pairs(self) -> Pairs:
        """What the second look learns from."""
        case, at = self.case, to_look_at(self.case.every, self.logits, DRAWN_FROM, 0.0)
        found = case.answer.candidates
        return Pairs(
            case.answer.question.text, case.answerable, [case.said[i] for i in at],
            [*self.logits[at].tolist(), float(self.logits[-1])], [case.right[i] > 0.5 for i in at], not any(case.right),
            case.found, found[0].score if found else 0.0, case.answered > 0.5,
        )  # fmt: skip

    def best(self, by: CrossEncoder) -> tuple[RankedPlan, float]:
        """The likeliest plan, and whether its answer is right."""
        case, at = self.case, to_look_at(self.case.every, self.logits)
        looked = look(case.answer.question.text, [case.said[i] for i in at], case.found, by)
        best = best_of(case.every, self.logits, at, looked, case.topics, case.words)
        return best, case.right[[each.candidate for each in case.every].index(best.candidate)]


def judged(net: Ranker, every: Sequence[Case]) -> list[Judged]:
    some = before(net, every)
    with torch.no_grad():
        return [Judged(case, logits.numpy()) for case, logits in zip(some, net.of(some), strict=True)]


def of_halves(some: Sequence[Judged], names: Sequence[str]) -> list[tuple[RankedPlan, float]]:
    """The likeliest plan of each case, looked at by what did not read its graph."""
    half = {name: n % 2 for n, name in enumerate(names)}
    parts = [[each.pairs() for each in some if half[each.case.group] != n] for n in range(2)]
    with Pool(2) as pool, TemporaryDirectory() as folder:
        made = pool.map(partial(trained, questions=QUESTIONS), parts)
        looks = []
        for n, net in enumerate(made):
            write([net], Path(folder) / f"{n}.safetensors")
            looks.append(cross_encoder(Path(folder) / f"{n}.safetensors"))
        return [each.best(looks[half[each.case.group]]) for each in some]


def told(
    name: str,
    found: Sequence[tuple[RankedPlan, float]],
    some: Sequence[Case],
    numbers: Mapping[str, Mapping[str, float]],
) -> None:
    possible = sum(any(case.right) for case in some)
    both, likely, correct, lost = 0.0, list[float](), list[float](), list[bool]()
    for (best, right), case in zip(found, some, strict=True):
        decision = decided(best, case.answer, numbers)
        taken = decision is not None and decision.plan is not None
        outcome = right if taken else case.answered
        both += outcome
        if decision is not None:
            likely.append(decision.probability)
            correct.append(float(outcome > 0.5))
        if not case.answerable and not case.answer.candidates:
            lost.append(taken)
    error = calibrate(likely, correct).ece
    print(
        f"{name}: {len(some)} questions; right are a candidate of {possible}, the likeliest of "
        f"{sum(right for _, right in found):.0f}, the answers of auto to {sum(case.answered for case in some):.0f}, "
        f"both together {both:.0f}, with a calibration error of {error:.3f}; of {len(lost)} told to have no "
        f"answer {sum(lost)} are answered",
        flush=True,
    )


def regressions(found: Sequence[tuple[RankedPlan, float]], some: Sequence[Case]) -> dict[str, dict[str, float]]:
    """The numbers of `choosing`: the choice by the questions that one of the two is right on and the other is not."""
    rows = [(signs_of(best, case.answer), right, case) for (best, right), case in zip(found, some, strict=True)]
    told = {
        "choice": [(signs, right > case.answered) for signs, right, case in rows if right != case.answered],
        "plan": [(signs, right > 0.5) for signs, right, _ in rows],
        "found": [(signs, case.answered > 0.5) for signs, _, case in rows if case.answer.candidates],
    }
    return {
        name: fit_in_own_units(
            [signs for signs, _ in of],
            np.array([right for _, right in of], np.float64),
            np.ones(len(of)),
            PENALTY,
            SIGNS,
        )
        for name, of in told.items()
    }


def main() -> None:
    from denotation import GRAPHS, READ

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", action="store_true", help="fit and print alone")
    options = parser.parse_args()
    torch.set_num_threads(1)
    with Pool(2) as pool:
        every = [case for some in pool.imap(cases_of, sorted(GRAPHS), chunksize=4) for case in some]
    fit_and_write(every, sorted(READ), keep=not options.show)


SHARED: list[Case] = []
"""What is fitted on, for processes that begin with it: it is too large to be handed over."""


def _left_out(here: set[str]) -> list[Judged]:
    """The cases over some graphs, judged by a ranking that is fitted on those over all others."""
    net = fitted([case for case in SHARED if case.group not in here])
    return judged(net, [case for case in SHARED if case.group in here])


def fit_and_write(every: Sequence[Case], names: Sequence[str], *, keep: bool) -> None:
    """Fits on the cases over some graphs, and prints how it does on all.

    Args:
        keep: write the weights.
    """
    signs = aligned(every)
    fit = [case for case in every if case.group in names]
    apart = [case for case in every if case.group not in names]
    SHARED[:] = fit
    with Pool(2) as pool:
        parts = [{name for n, name in enumerate(names) if n // 2 % FOLDS == here} for here in range(FOLDS)]
        some = [each for judged_ in pool.imap(_left_out, parts, chunksize=1) for each in judged_]
    found, order = of_halves(some, names), [each.case for each in some]
    numbers = regressions(found, order)
    told("graphs left out", found, order, numbers)
    net, pairs = fitted(fit), [each.pairs() for each in some]
    with Pool(2) as pool, TemporaryDirectory() as folder:
        nets = pool.starmap(trained, [(pairs, 2 * QUESTIONS, seed) for seed in OF_ALL])
        file = SECOND_LOOK if keep else Path(folder) / "second_look.safetensors"
        write(nets, file)
        by = cross_encoder(file)
        if apart:
            others = judged(net, apart)
            best = [each.best(by) for each in others]
            told("graphs that nothing was fitted on", best, [each.case for each in others], numbers)
    if keep:
        weights = {name: value.detach().to(torch.float16).contiguous() for name, value in net.state_dict().items()}
        columns = list(numbers["choice"])
        weights["choosing"] = torch.tensor([[of[name] for name in columns] for of in numbers.values()])
        said = {"choosing": " ".join(columns), "regressions": " ".join(numbers)}
        save_file(weights, FILE, {"encoder": DEFAULT, "signs": " ".join(signs), **said})


if __name__ == "__main__":
    main()
