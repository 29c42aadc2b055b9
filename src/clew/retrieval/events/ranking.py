"""Which of the candidate plans over events a question means, by a small network over counts and cosines.

No word and no name of a graph is among what it sees: how much of the words a plan accounts for, how near they are to
the names of what it is made of, what it finds, and what the question says it wants to know (`asked`). So it holds for
graphs that it was not fitted on; scripts/fit_events.py fits it, and says how it does on graphs left out.

Shapes: N candidates, S signs, C cues, F forms, D width of the sentence encoder, H hidden units.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from clew.errors import ClewError
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.execute import Result
from clew.retrieval.events.asked import CUES, EventQuestion
from clew.retrieval.events.candidates import candidates
from clew.retrieval.events.event_plan import BELOW_ZERO, EventPlan, Form
from clew.retrieval.events.in_words import in_words
from clew.retrieval.events.scene import Scene
from clew.retrieval.events.second_look import Looked, cross_encoder, found_in_words, look
from clew.types import Answer

FILE = Path(__file__).with_name("ranking.safetensors")
EXECUTED = 32  # of the candidates that look best before anything is executed
LOOKED_AT = 8  # most plans that the second look is asked about
OF_ONE_ANSWER = 2  # of them, that find the same
POSSIBLE = 0.004  # least probability of an answer that the second look is asked about
LOOK_WEIGHT = 1.0  # of its logits beside the network's
FEW = 8  # things of an answer that people ask for
NEARLY_ALL = 0.8  # share of a kind that is hardly asked for
FORMS: tuple[str, ...] = get_args(Form)
FOUND = ("number", "truth", "one", "few", "many", "nearly_all", "all", "zero", "shared")
"""What is seen of what a plan finds."""
MORE = 4  # numbers of the question as a whole
_ZERO = ("0", "0.0")  # of a quantity as it is shown
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Executed:
    """A candidate and what it finds."""

    candidate: EventPlan
    key: Hashable  # the same of plans that find the same
    found: tuple[float, ...]  # as `FOUND` names it
    things: int  # of a set


def executed(candidate: EventPlan, asked: EventQuestion) -> Executed | None:
    """What a candidate finds; None where that is nothing, or nothing with a name, where a superlative is of one thing
    alone, and where a sum is of no figure."""
    graph = asked.scene.graph
    try:
        result = asked.executor.run(candidate.plan)
    except ClewError:
        return None
    if not result.complete or (result.ranking is not None and result.ranking.compared < 2):
        return None
    plan, zero = candidate.plan, str(result.quantity) in _ZERO
    if candidate.form in BELOW_ZERO and (result.quantity is None or result.quantity.value < 0):
        return None
    if zero and isinstance(plan, p.Aggregate):
        figures = asked.executor.pairs(asked.executor.members(plan.of), plan.path)[1]
        if not len(figures):
            return None
    if result.makes in ("set", "values"):
        if not len(result.members) or (result.makes == "set" and graph.mediators_at(result.members).all()):
            return None
        key: Hashable = result.members.tobytes()
    elif result.makes == "truth":
        key = result.truth
    elif result.quantity is None:
        return None
    else:
        key = str(result.quantity)
    of = len(asked.scene.events.members(candidate.kind))
    return Executed(candidate, (result.makes, key), _found(result, of), len(result.members))


def _found(result: Result, of: int) -> tuple[float, ...]:
    number, truth, n = result.quantity is not None, result.truth is not None, len(result.members)
    things = not number and not truth and of > 0
    zero = str(result.quantity) in _ZERO
    shared = result.ranking is not None and result.ranking.compared > 0 and n > 1
    found = (
        number,
        truth,
        n == 1,
        2 <= n <= FEW,
        n > FEW,
        things and n >= NEARLY_ALL * of,
        things and n == of,
        zero,
        shared,
    )
    return tuple(map(float, found))


def features(
    made: Sequence[EventPlan], found: Sequence[Sequence[float]], asked: EventQuestion, signs: Sequence[str]
) -> Floats:
    """(N, S + 9 + F (C + 1) + 4) what is seen of each candidate.

    Args:
        found: of each what it finds; empty where nothing was executed.
        signs: the names of the signs, in their order.
    """
    place = {name: n for n, name in enumerate(signs)}
    cues = np.array([asked.cues[name] for name in CUES], np.float32)
    each_form, width = len(CUES) + 1, len(signs) + len(FOUND)
    seen = np.zeros((len(made), width + len(FORMS) * each_form + MORE), np.float32)
    for row, candidate, told in zip(seen, made, found, strict=True):
        for name, value in candidate.signs.items():
            if name in place:
                row[place[name]] = value
        row[len(signs) : len(signs) + len(told)] = told
        begin = width + FORMS.index(candidate.form) * each_form
        row[begin] = 1
        row[begin + 1 : begin + each_form] = cues
        left = min(candidate.signs["left"], 4.0) / 4 if len(asked.clause) <= 2 else 0.0
        row[-MORE:] = len(asked.clause) / 10, min(len(asked.scene.topics), 3) / 3, left, min(len(made), 100) / 100
    return seen


@dataclass(frozen=True, slots=True)
class RankingNetwork:
    """One layer of hidden units beside a linear one, and what each form is by the question's vector."""

    encoder: str  # whose vectors it was fitted with
    signs: tuple[str, ...]
    weights: dict[str, Floats]
    choosing: dict[str, dict[str, float]]  # numbers of its regressions

    @classmethod
    def read(cls, file: Path) -> RankingNetwork:
        """Raises SafetensorError where the file is none."""
        with safe_open(str(file), "np") as held:
            about = held.metadata() or {}
            weights = {name: held.get_tensor(name).astype(np.float32) for name in held.keys()}  # noqa: SIM118
        numbers = dict(zip(about["regressions"].split(), weights.pop("choosing").tolist(), strict=True))
        seen = about["choosing"].split()
        choosing = {name: dict(zip(seen, row, strict=True)) for name, row in numbers.items()}
        return cls(about["encoder"], tuple(about["signs"].split()), weights, choosing)

    def scores(self, seen: Floats, vector: Floats, forms: Sequence[str]) -> Floats:
        """(N + 1,) logits of the candidates, and of none of them."""
        w = self.weights
        hidden = np.maximum(seen @ w["a.weight"].T + w["a.bias"], 0)
        form = np.maximum(w["q.weight"] @ vector + w["q.bias"], 0) @ w["fo.weight"].T + w["fo.bias"]
        logits = seen @ w["lin.weight"][0] + w["lin.bias"] + hidden @ w["b.weight"][0] + w["b.bias"]
        logits = logits + form[[FORMS.index(each) for each in forms]]
        return np.concatenate([logits, w["none"]]).astype(np.float32)


@dataclass(frozen=True, slots=True)
class LookedAt:
    """What the second look says of the likeliest plan: logits."""

    plan: float
    none: float
    found: float  # of what was found otherwise


@dataclass(frozen=True, slots=True)
class RankedPlan:
    """The likeliest plan over the events of a graph."""

    candidate: EventPlan
    probability: float  # of its answer; plans that find the same speak for each other
    things: int  # that it finds
    topics: int  # that the question names
    words: int  # that say something, in what asks
    looked: LookedAt


@cache
def network() -> RankingNetwork:
    """The network that ships."""
    return RankingNetwork.read(FILE)


def ranked(scene: Scene, encoder: TextEncoder, answer: Answer) -> RankedPlan | None:
    """The likeliest plan for what a question speaks of; None where it may mean nothing of the graph's events, where it
    names a month of no year, and with another encoder than the network was fitted with.

    Args:
        answer: what was found otherwise.
    """
    if encoder.name.split("@")[0] != network().encoder or scene.half_dated():  # behind "@": how exact its numbers are
        return None
    try:
        return likeliest(EventQuestion(scene, encoder), network(), answer)
    except ClewError:
        return None


def likeliest(asked: EventQuestion, network: RankingNetwork, answer: Answer) -> RankedPlan | None:
    made = candidates(asked)
    if not made:
        return None
    first = network.scores(
        features(made, [()] * len(made), asked, network.signs), asked.vector, [each.form for each in made]
    )
    chosen = np.argsort(-first[:-1], kind="stable")[:EXECUTED].tolist()
    every = [each for i in chosen if (each := executed(made[i], asked)) is not None]
    if not every:
        return None
    logits = scored(every, asked, network)
    best = to_look_at(every, logits)
    plans = [in_words(every[i].candidate.plan, asked.scene.graph) for i in best]
    looked = look(answer.question.text, plans, found_in_words(answer, asked.scene.graph), cross_encoder())
    return best_of(every, logits, best, looked, len(asked.scene.topics), len(asked.clause))


def scored(every: Sequence[Executed], asked: EventQuestion, network: RankingNetwork) -> Floats:
    """(N + 1,) the logits of some executed candidates, and of none of them."""
    made = [each.candidate for each in every]
    seen = features(made, [each.found for each in every], asked, network.signs)
    return network.scores(seen, asked.vector, [each.form for each in made])


def to_look_at(
    every: Sequence[Executed], logits: Floats, most: int = LOOKED_AT, possible: float = POSSIBLE
) -> list[int]:
    """Which candidates the second look is asked about: the best plans of each of the likeliest answers.

    Args:
        logits: (N + 1,) of the network.
        possible: least probability of an answer.
    """
    shares, by_answer = softmax(logits), defaultdict[Hashable, list[int]](list)
    for n, each in enumerate(every):
        by_answer[each.key].append(n)
    total = {key: float(shares[of].sum()) for key, of in by_answer.items()}
    likely = sorted((key for key in total if total[key] >= possible), key=lambda key: -total[key])
    best = [n for key in likely for n in sorted(by_answer[key], key=lambda n: -float(logits[n]))[:OF_ONE_ANSWER]]
    return best[:most]


def best_of(
    every: Sequence[Executed], logits: Floats, at: Sequence[int], looked: Looked, topics: int, words: int
) -> RankedPlan:
    """The best of the plans whose answer is likeliest.

    Args:
        logits: (N + 1,) of the network.
        at: the candidates that were looked at again. What was not counts as the worst of them.
    """
    again = np.full(len(logits), min(looked.plans, default=0.0), np.float32)
    again[list(at)], again[-1] = looked.plans, looked.none
    logits = logits + LOOK_WEIGHT * again
    shares, by_answer = softmax(logits), defaultdict[Hashable, float](float)
    for each, share in zip(every, shares.tolist(), strict=False):
        by_answer[each.key] += share
    key = max(by_answer, key=lambda each: by_answer[each])
    best = max((n for n, each in enumerate(every) if each.key == key), key=lambda n: float(shares[n]))
    chosen, seen = every[best], LookedAt(float(again[best]), looked.none, looked.found)
    return RankedPlan(chosen.candidate, by_answer[key], chosen.things, topics, words, seen)


def softmax(logits: Floats) -> Floats:
    odds = np.exp(logits - logits.max())
    shares: Floats = odds / odds.sum()
    return shares
