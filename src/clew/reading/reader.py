"""The reader: a question and a graph in, plans with probabilities out.

Ties growth, wording and network together and keeps what can be kept between questions: vectors of texts, step vectors
of steps. One reader may serve several threads.

The network rates every plan; where it is not sure, a cross-encoder looks again at the few plans that it likes best.

Shapes: P plans, S distinct steps, n question tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from clew.encoding import open_encoder, remembering
from clew.encoding.cross_encoder import SHIPPED as SHIPPED_CROSS
from clew.errors import ConfigError
from clew.graph import Subgraph
from clew.protocols import TextEncoder, TokenEncoder, encodes_tokens
from clew.reading.account import accounts
from clew.reading.cross_encoder import PathCrossEncoder
from clew.reading.growth import Growth, GrowthLimits, PlanCandidate, around_all
from clew.reading.likely import LikelyHops
from clew.reading.network import Floats, Network, similarities
from clew.reading.plantext import Sheet, sheet
from clew.reading.trails import Hops, PathHypothesis
from clew.reading.wording import (
    PLAN_FEATURES,
    QuestionWording,
    WordedStep,
    Wording,
    mention_flags,
    stems,
    step_features,
    turned_round,
)
from clew.retrieval.scoring import take_apart

Shares = NDArray[np.float64]

SHIPPED = Path(__file__).parent / "weights" / "reader.safetensors"
TURNED_ROUND = 8.0  # what a plan loses that walks its first relation against the preposition of the question
TAKEN_UP = 4.0
"""What a plan gains by taking up the words of the question, beside what the network makes of it: on training questions
of GeoQuery, a graph left out of training, 0.56 of the best plans are right with 0, 0.76 with 4; elsewhere nothing
moves."""
AROUND_ALL = 4.0  # what a plan loses that goes by way of the one thing that holds all there is of what it finds
KEPT = 100_000  # steps whose vectors are kept
LONG = 3  # content words of a question, beside names, from which on it may say four steps
LOOKED_AT = 8  # most plans that the cross-encoder is asked about
SURE = 0.97  # share of the best plan from which it is not asked
POSSIBLE = 0.004  # least share of a plan that it is asked about
CROSS_WEIGHT = 1.5  # of its logits beside the network's
NONE_WEIGHT = 2.0  # the same for "none of these"


@dataclass(frozen=True, eq=False)
class Rated:
    """A plan with its score and its share of the probability among the question's plans and "none of these"."""

    plan: PlanCandidate
    logit: float
    share: float
    kind: str  # of the ends
    features: Floats
    account: Floats  # how it accounts for the words of the question (`account.ACCOUNT`)


@dataclass(frozen=True, eq=False)
class Reading:
    """Every plan of a question, best first."""

    asked: QuestionWording
    rated: tuple[Rated, ...]
    none: float  # share of "none of these"
    cut: tuple[str, ...]  # what a limit left out


class Reader:
    """Reads plans with a network.

    Args:
        network: default: the one that ships with clew, and the cross-encoder that was trained beside it. One that was
            trained on a graph's own questions reads alone.
        encoder: used where it is the network's own; else the network's encoder is opened.
        relations: the same encoder for what the graph calls things, as `Tools.relations`.
    """

    def __init__(
        self,
        network: Network | None = None,
        encoder: TextEncoder | None = None,
        relations: TextEncoder | None = None,
    ) -> None:
        self.network = network or Network.open(SHIPPED)
        self._cross = PathCrossEncoder(SHIPPED_CROSS) if network is None else None
        wanted = self.network.encoder
        fits = encoder is not None and encoder.name.split("@")[0] == wanted and encodes_tokens(encoder)
        self._given = encoder if fits else None
        self._relations = relations if fits else None
        self._steps: dict[WordedStep, Floats] = {}
        self._lock = Lock()

    @property
    def uses_given(self) -> bool:
        """Whether the encoder handed over is the network's own."""
        return self._given is not None

    @cached_property
    def encoder(self) -> TokenEncoder:
        """The network's sentence encoder."""
        encoder = self._given or open_encoder(self.network.encoder)
        if not encodes_tokens(encoder):
            raise ConfigError(f"reader: encoder {encoder.name!r} gives no states of tokens; use {self.network.encoder}")
        return encoder

    @cached_property
    def _remembered(self) -> TextEncoder:
        return remembering(self.encoder if self._relations is None else self._relations)

    def read(
        self,
        question: str,
        ground: Subgraph,
        wording: Wording,
        starts: Sequence[int],
        names: Sequence[str],
        limits: GrowthLimits,
        certain: Sequence[float] = (),
        also: Sequence[PlanCandidate] = (),
    ) -> Reading:
        """The plans that `ground` offers for a question.

        Args:
            starts: local numbers of the topics. names: how the question calls each; namesakes share a name.
            certain: how sure the linking of each topic is, in (0, 1]; a plan is discounted by its least sure topic.
            also: plans that somebody else proposes; judged beside those grown here.
        """
        order = list(dict.fromkeys(names))
        mentions = [order.index(name) for name in names]
        asked = QuestionWording.of(question, order)
        wording = wording.asked(asked.text)
        states, flags = self._states(asked)
        read = self.network.read(states, flags)
        known: dict[Hops, float] = {}

        def relevance(steps: Sequence[Hops]) -> Floats:
            new = [step for step in dict.fromkeys(steps) if step not in known]
            if new:
                told = self._told(asked, states, [wording.step(step) for step in new])
                logits = self.network.relevant(told, read)
                known.update(zip(new, (-np.logaddexp(0.0, -logits)).tolist(), strict=True))
            return np.array([known[step] for step in steps], np.float32)

        likely = LikelyHops.of(ground, lambda: take_apart(question, order))
        said = partial(_named, asked, wording) if len(asked.words) >= LONG and likely is None else None
        growth = Growth(ground, starts, mentions, relevance, limits, frozenset(wording.types), likely, said)
        plans = growth.run()
        grown = {plan.key for plan in plans}
        plans += [plan for plan in also if plan.key not in grown]
        if not plans:
            return Reading(asked, (), 1.0, tuple(growth.cut))
        page = sheet(asked, plans, wording, starts, mentions)
        told = self._told(asked, states, page.steps)
        logits, none = self.network.rate(
            told,
            self._encode(page.step_kinds),
            read,
            self.network.starts(read, flags, len(order)),
            self._encode(page.start_kinds),
            page.tokens,
            page.features,
            self._encode(page.kinds),
        )
        logits = logits + TAKEN_UP * page.features[:, PLAN_FEATURES.index("taken_up")]
        logits = logits - TURNED_ROUND * turned_round(asked, wording, plans, mentions)
        logits = logits - AROUND_ALL * around_all(ground, plans)
        if len(certain):
            logits = logits + np.array(
                [min(np.log(max(certain[t.topic], 1e-3)) for t in plan.trails) for plan in plans], np.float32
            )
        shares = _shares(logits, none)
        if self._cross is not None and shares[:-1].max() < SURE:
            logits, none = self._again(self._cross, asked, page, logits, none, shares)
            shares = _shares(logits, none)
        ranked = np.argsort(-logits, kind="stable")
        told_by = np.array(accounts(asked, wording, plans, page.kinds), np.float32)
        rated = tuple(
            Rated(plans[i], float(logits[i]), float(shares[i]), page.kinds[i], page.features[i], told_by[i])
            for i in ranked
        )
        return Reading(asked, rated, float(shares[-1]), tuple(growth.cut))

    def _again(
        self, cross: PathCrossEncoder, asked: QuestionWording, page: Sheet, logits: Floats, none: float, shares: Shares
    ) -> tuple[Floats, float]:
        """The logits and that of "none" after the second look. What was not looked at counts as the worst."""
        possible = [i for i in np.argsort(-logits, kind="stable").tolist() if shares[i] >= POSSIBLE]
        if not possible:
            return logits, none
        *rows, empty = cross.sequences(asked, page, possible)
        # Namesakes have the same plans, which read the same.
        texts = [(tuple(words), tuple(marks)) for words, marks in rows]
        order = list(dict.fromkeys(texts))[:LOOKED_AT]
        *judged, nothing = cross.rate([*order, empty]).tolist()
        known = dict(zip(order, judged, strict=True))
        change = np.full(len(logits), min(judged), np.float32)
        change[possible] = [known.get(text, min(judged)) for text in texts]
        changed: Floats = logits + CROSS_WEIGHT * change
        return changed, none + NONE_WEIGHT * nothing

    def _states(self, asked: QuestionWording) -> tuple[Floats, np.ndarray]:
        states, _ = self.encoder.encode_tokens([asked.text])
        spans = self.encoder.token_spans([asked.text])
        return states, mention_flags(spans, asked.spans)

    def _told(self, asked: QuestionWording, states: Floats, steps: Sequence[WordedStep]) -> Floats:
        first = self._encode([step.first for step in steps])
        second = self._encode([step.second for step in steps])
        vectors = self._step_vectors(steps, first, second)
        features = np.concatenate([step_features(asked, steps), similarities(states, first, second)], axis=1)
        return self.network.told(vectors, features.astype(np.float32))

    def _step_vectors(self, steps: Sequence[WordedStep], first: Floats, second: Floats) -> Floats:
        """(S, d); what does not depend on the question is kept between questions."""
        with self._lock:
            known = {step: vector for step in steps if (vector := self._steps.get(step)) is not None}
        new = [i for i, step in enumerate(steps) if step not in known]
        if new:
            ways = np.array([steps[i].way for i in new], np.int64)
            made = dict(zip((steps[i] for i in new), self.network.step(first[new], second[new], ways), strict=True))
            known |= made
            with self._lock:
                if len(self._steps) > KEPT:
                    self._steps.clear()
                self._steps |= made
        return np.stack([known[step] for step in steps])

    def _encode(self, texts: Sequence[str]) -> Floats:
        """(L, states), zeros for an empty text."""
        vectors = np.zeros((len(texts), self.encoder.dim), np.float32)
        said = [i for i, text in enumerate(texts) if text]
        if said:
            vectors[said] = self._remembered.encode([texts[i] for i in said])
        return vectors


def _named(asked: QuestionWording, wording: Wording, trail: PathHypothesis) -> bool:
    """Whether the question names the last step of a trail, or the kind of what it leads to."""
    step = wording.step(trail.steps[-1])
    if asked.words & (stems(step.first) | stems(step.second)):
        return True
    return bool(asked.words & stems(wording.kinds(trail.ends)))


def _shares(logits: Floats, none: float) -> Shares:
    """(P + 1,) probabilities of the plans and of "none of these"."""
    every = np.append(logits, none).astype(np.float64)
    raised = np.exp(every - every.max())
    shares: Shares = raised / raised.sum()
    return shares
