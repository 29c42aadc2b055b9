"""From questions to scored entities: what is searched and what its walks say, the same in training and in answering.

Shapes: S starts (a topic of a question), W walks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from clew.graph import Subgraph
from clew.methods.scr.answers import ScoredEntity, abstains, reach
from clew.methods.scr.config import Config
from clew.methods.scr.features import question_states
from clew.methods.scr.model import GraphView, ScrModel
from clew.methods.scr.reading import QuestionReading, StateReading, TextReading
from clew.methods.scr.search import FinishedWalk, SearchSettings, Walks, search, single_step
from clew.protocols import TextEncoder

PRUNE = 0.1  # walks below this share of the threshold are dropped
WIDER = 0.1  # a reader is shown walks of this share of the threshold, from a beam three times as wide: it knows better
REPRESENTATIVES = 3  # most hypotheses of one relation path in the beam


@dataclass(frozen=True, slots=True)
class AskSettings:
    """How a model is asked: what the settings say, else what it was trained for."""

    search: SearchSettings
    threshold: float  # least probability of a walk that answers
    siblings: bool  # all entities that a chosen relation path reaches are answers
    conjunction: float  # gain of an answer for each further topic that reaches it
    topics_answer: bool
    similarity_weight: float
    reads: bool  # a language model reads what was found


def settle(config: Config, model: ScrModel) -> AskSettings:
    """`config` with what it leaves open taken from the model."""
    trained = model.trained
    siblings = trained.siblings if config.siblings is None else config.siblings
    wide = config.reader and siblings
    weight = config.similarity_weight
    return AskSettings(
        SearchSettings(
            beam=config.beam * (3 if wide else 1),
            hops=config.hops or trained.hops,
            floor=PRUNE * config.threshold * (WIDER if wide else 1),
            returns=trained.returns,
            by_path=siblings,
            representatives=REPRESENTATIVES,
            score_stop=config.score_stop,
            hub_limit=config.hub_limit or trained.hub_limit,
            one_each=not model.network.config.relation_aware,
        ),
        threshold=config.threshold * (WIDER if wide else 1),
        siblings=siblings,
        conjunction=trained.conjunction if config.conjunction is None else config.conjunction,
        topics_answer=trained.topics_answer,
        similarity_weight=trained.calibration.similarity_weight if weight is None else weight,
        reads=config.reader,
    )


@torch.no_grad()
def run_search(
    model: ScrModel,
    encoder: TextEncoder,
    settings: SearchSettings,
    seen: GraphView,
    texts: Sequence[str],
    topics: Sequence[int],
    owners: Sequence[int],
) -> tuple[list[FinishedWalk], dict[int, int]]:
    """Search from `topics` with one text each; `owners` says which of them share a question's beam."""
    network = model.network
    reading: QuestionReading
    if network.config.question == "states":
        distinct = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        states = question_states(encoder, list(distinct))
        rows = np.array([distinct[text] for text in texts])
        reading = StateReading(network, states, np.arange(len(states)), seen.vectors, seen.relations)
    else:
        assert model.encoder_folder is not None
        rows = np.arange(len(texts))
        reading = TextReading(network, model.encoder_folder, texts, seen.graph, seen.relations.device)

    def ask(live: Walks) -> torch.Tensor:
        return reading.last_step(rows[live.starts], live.entities, live.codes)

    if not network.config.multi_step:
        return single_step(seen, float(network.temperature), ask, topics, settings), {}
    return search(
        seen.graph,
        seen.tables,
        float(network.temperature),
        ask,
        np.array(topics, np.int64),
        np.array(owners, np.int64),
        settings,
    )


@dataclass(frozen=True, slots=True)
class ReachedEntities:
    """What the walks of one question say."""

    entities: tuple[ScoredEntity, ...]  # best first; mediators only where nothing else was reached
    found: int  # entities, mediators beside the others
    notes: tuple[str, ...]  # on limits
    abstained: bool  # staying at the topic is the likeliest walk

    def above(self, cut: float) -> tuple[ScoredEntity, ...]:
        """The entities with at least this share of the best one's score."""
        return tuple(each for each in self.entities if each.score >= cut * self.entities[0].score)


def read_walks(
    graph: Subgraph, walks: Sequence[FinishedWalk], starts: dict[int, int], settings: AskSettings
) -> ReachedEntities:
    """The entities that one question's walks reach with enough probability.

    Args:
        starts: of each start, the entity it stands at.
    """
    by_path = settings.siblings
    # Where the stop does not count, staying at the topic would always be the likeliest walk.
    abstained = settings.search.score_stop and abstains(walks, by_path=by_path)
    silent = abstained and not settings.reads
    reached, notes = reach(
        graph,
        [] if silent else confident(walks, settings.threshold, by_path=by_path),
        starts,
        siblings=settings.siblings,
        conjunction=settings.conjunction,
        topics_answer=settings.topics_answer,
    )
    named = [each for each in reached if not graph.mediators[each.entity]]
    return ReachedEntities(tuple(named or reached), len(reached), tuple(notes), abstained)


def confident(walks: Sequence[FinishedWalk], threshold: float, *, by_path: bool) -> list[FinishedWalk]:
    """Walks with at least `threshold`; where there is none, the single best one."""
    walked = [walk for walk in walks if walk.codes]
    chosen = [walk for walk in walked if walk.by(path=by_path) >= threshold]
    return chosen or sorted(walked, key=lambda walk: -walk.by(path=by_path))[:1]
