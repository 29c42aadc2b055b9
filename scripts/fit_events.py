"""Fits the network of `clew.retrieval.events.ranking`: which plan over events a question means.

    python scripts/fit_events.py [--show]

Learns from the answers alone: of each question over the graphs of tests/questions/graphs whose errors were read (READ
of benchmarks/denotation.py) every candidate plan is executed, and those whose answer is right count as meant, whatever
they say; where none is, "none of them" does. Every question is also asked of `auto` without the ranking. With every
fifth of the graphs left out of the fit in turn, what the likeliest plan is right on and what `auto` is right on tell
when to take which (`choosing`). Printed is how many questions are right by either and by both, on the graphs left out
in turn and on all others of tests/questions/graphs, which nothing is fitted on. Writes ranking.safetensors beside the
module, unless --show. Half an hour on two cores.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from clew.errors import ClewError
from clew.graph import Graph
from clew.graph.kinds import ALL_UP_TO
from clew.methods.auto.fitting import fit_in_own_units
from clew.query.execute import execute
from clew.query.proof import proven
from clew.retrieval.events.asked import EventQuestion
from clew.retrieval.events.candidates import candidates
from clew.retrieval.events.choosing import SIGNS, prefers, signs_of
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
)
from clew.retrieval.events.scene import Scene
from clew.retrieval.lexicon import Lexicon
from clew.retrieval.operators import Operators
from clew.retrieval.spoken import as_said
from clew.types import Answer, Question

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE / "benchmarks"))
FOLDS, EPOCHS, BATCH = 5, 16, 64
HIDDEN, FORM_HIDDEN, DROPOUT = 128, 32, 0.4
BLIND = 0.2  # share of the questions whose candidates are seen as before they are executed
RATE, DECAY = 3e-3, 0.02
PENALTY = 1e-3  # of the choice, per squared standard deviation of a sign
UNKNOWN = 0.3  # weight of a question that has an answer, which no candidate gives
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
                        said_by = Answer(question, "events", shown, plan=proof)
                        known[each.key] = right(name, _without_kind(said_by, row), row)
            signs = list(dict.fromkeys([*signs, *(name for each in every for name in each.candidate.signs)]))
            found.append(
                Case(
                    name, bool(row["answer"]), list(signs),
                    features([each.candidate for each in every], [each.found for each in every], asked, signs).astype(
                        np.float16
                    ),
                    asked.vector, [FORMS.index(each.candidate.form) for each in every],
                    [known[each.key] for each in every], every, len(asked.scene.topics), len(asked.clause),
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
            every=[case.every[i] for i in at],
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


def judged(net: Ranker, every: Sequence[Case]) -> list[tuple[RankedPlan, float]]:
    """Of each case the likeliest plan, and whether its answer is right."""
    some = before(net, every)
    with torch.no_grad():
        shares = [logits.softmax(0).numpy() for logits in net.of(some)]
    found = []
    for case, share in zip(some, shares, strict=True):
        best = best_of(case.every, share, case.topics, case.words)
        found.append((best, case.right[[each.candidate for each in case.every].index(best.candidate)]))
    return found


def told(
    name: str, found: Sequence[tuple[RankedPlan, float]], some: Sequence[Case], choice: Mapping[str, float]
) -> None:
    possible = sum(any(case.right) for case in some)
    chosen = [prefers(best, case.answer, choice) for (best, _), case in zip(found, some, strict=True)]
    both = [right if plan else case.answered for plan, (_, right), case in zip(chosen, found, some, strict=True)]
    lost = [plan for plan, case in zip(chosen, some, strict=True) if not case.answerable and not case.answer.candidates]
    print(
        f"{name}: {len(some)} questions; right are a candidate of {possible}, the likeliest of "
        f"{sum(right for _, right in found):.0f}, the answers of auto to {sum(case.answered for case in some):.0f}, "
        f"both together {sum(both):.0f}; of {len(lost)} told to have no answer {sum(lost)} are answered"
    )


def choice_of(found: Sequence[tuple[RankedPlan, float]], some: Sequence[Case]) -> dict[str, float]:
    """The numbers of `choosing`, by the questions that one of the two is right on and the other is not."""
    differ = [
        (signs_of(best, case.answer), right > case.answered)
        for (best, right), case in zip(found, some, strict=True) if right != case.answered
    ]  # fmt: skip
    right = np.array([plan for _, plan in differ], np.float64)
    return fit_in_own_units([signs for signs, _ in differ], right, np.ones(len(differ)), PENALTY, SIGNS)


def main() -> None:
    from denotation import GRAPHS, READ

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", action="store_true", help="fit and print alone")
    options = parser.parse_args()
    torch.set_num_threads(1)
    with Pool(2) as pool:
        every = [case for some in pool.imap(cases_of, sorted(GRAPHS), chunksize=4) for case in some]
    fit_and_write(every, sorted(READ), write=not options.show)


def fit_and_write(every: Sequence[Case], names: Sequence[str], *, write: bool) -> None:
    """Fits on the cases over some graphs, and prints how it does on all.

    Args:
        write: the weights.
    """
    signs = aligned(every)
    fit = [case for case in every if case.group in names]
    apart = [case for case in every if case.group not in names]
    found, order = list[tuple[RankedPlan, float]](), list[Case]()
    fold = {name: n % FOLDS for n, name in enumerate(names)}
    for here in range(FOLDS):
        apart_here = [case for case in fit if fold[case.group] == here]
        found += judged(fitted([case for case in fit if fold[case.group] != here]), apart_here)
        order += apart_here
    choice = choice_of(found, order)
    told("graphs left out in turn", found, order, choice)
    net = fitted(fit)
    if apart:
        told("graphs that nothing was fitted on", judged(net, apart), apart, choice)
    if write:
        weights = {name: value.detach().to(torch.float16).contiguous() for name, value in net.state_dict().items()}
        weights["choice"] = torch.tensor(list(choice.values()))
        save_file(weights, FILE, {"encoder": DEFAULT, "signs": " ".join(signs), "choice": " ".join(choice)})


if __name__ == "__main__":
    main()
