"""SCR: answer a question by a beam of walks, each step chosen by comparing the question so far with the candidates."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any, ClassVar

import numpy as np
import torch

from clew.encoding import bounded
from clew.errors import InputError
from clew.graph import Graph, Subgraph, taken_whole
from clew.graph.neighborhood import neighborhood
from clew.graph.remote import ServerGraph
from clew.methods.scr.answers import PathRecords, ScoredEntity, abstains, beam_evidence, reach
from clew.methods.scr.config import Config
from clew.methods.scr.features import question_states, without_topic
from clew.methods.scr.model import GraphView, ScrModel, load_model, relation_names, unlike, view
from clew.methods.scr.reading import QuestionReading, StateReading, TextReading
from clew.methods.scr.search import FinishedWalk, SearchSettings, Walks, search, single_step
from clew.methods.scr.similarity import similarity, weigh
from clew.methods.scr.stored_encoding import kept_view
from clew.protocols import GraphStore, OnEvent, TextEncoder, Tools, ignore
from clew.retrieval.linking import link_topics
from clew.retrieval.reader import read_all
from clew.types import Answer, Candidate, Event, Evidence, Question, Topic

PROMPT = FilePath(__file__).with_name("prompts") / "read.txt"
LIKELY = 0.1  # a path is shown when it is at least this share as likely as the answer's best one
WIDER = 0.1  # a reader is shown walks of this share of the threshold, from a beam three times as wide: it knows better
READ = 512  # tokens of a reader's reply
NAMED = 20  # ends that a line of the reader's prompt names
PRUNE = 0.1  # walks below this share of the threshold are dropped


class Scr:
    """Stepwise Contrastive Reasoning (Lin, Luo, Liu, Wu; AAAI 2026).

    A relational graph network encodes every entity with its surroundings; a question encoder encodes the question and
    the walk so far. At each step the question is compared with the present entity and its neighbours; the nearest is
    the next entity, and the walk ends where the present one is nearest. A beam of walks is kept; their probabilities
    order the answers (sections Methodology and Reasoning with Beam Search, Eq. 1-15).

    Needs: the text encoder and a model from `clew train scr`. A language model is optional (the reader of Figure 2).
    Cost: no calls of a language model, one with `reader`. One small batch per hop for all questions together.

    Differs from the paper, each a switch: candidates know the edge they are reached by; a walk may return to an entity
    over another edge; all entities that a relation path reaches are answers; hubs have a limit; topics that agree are
    rewarded; the light question encoder reads frozen token states. See README.md beside this file for why.
    """

    name: ClassVar[str] = "scr"

    def __init__(self, config: Config, tools: Tools):
        if tools.encoder is None or tools.model is None:
            raise InputError("scr needs a text encoder and a model folder; train one with  clew train scr GRAPH …")
        self.config, self._tools = config, tools
        self._encoder: TextEncoder = tools.encoder
        self._model = load_model(tools.model, tools.encoder, config.device)
        self._views: dict[str, GraphView] = {}
        self.reads_whole = config.reader  # the question with its counts and dates is for the language model

    def answer(self, question: Question, graph: GraphStore, *, on_event: OnEvent = ignore) -> Answer:
        """One answer; `predict` with one question."""
        return self.predict([question], graph, on_event=on_event)[0]

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        """Answers in order; all questions over an embedded graph share each step's batch."""
        linked = [link_topics(question, graph, linker=self._tools.link) for question in questions]
        answers = self._over(questions, [list(each.topics) for each in linked], graph, on_event)
        return [
            replace(answer, note="; ".join(filter(None, (each.note, answer.note if each.topics else ""))))
            if each.note
            else answer
            for answer, each in zip(answers, linked, strict=True)
        ]

    def _over(
        self, questions: Sequence[Question], topics: Sequence[list[Topic]], graph: GraphStore, on_event: OnEvent
    ) -> list[Answer]:
        if taken_whole(graph):
            return self._answer(questions, topics, self._view(graph, on_event), on_event)
        answers: list[Answer] = []
        for question, own in zip(questions, topics, strict=True):
            answers += self._answer([question], [own], self._pass_over(self._surroundings(graph, own)), on_event)
        return answers

    def _pass_over(self, part: Subgraph) -> GraphView:
        """The graph pass over what was fetched; the same part is not passed twice.

        Of a graph smaller than `neighborhood` every question has the same part.
        """
        ids = "\0".join(part.entity(i).id for i in range(part.num_entities))
        key = hashlib.sha256(ids.encode())
        for column in (part.heads, part.rels, part.tails):
            key.update(np.ascontiguousarray(column).tobytes())
        seen = self._views.get(key.hexdigest())
        if seen is None:
            cache = self._tools.cache
            encoder = self._encoder if cache is None else bounded(self._encoder, cache / "names")
            seen = view(self._model.network, part, encoder)
            self._views = {key.hexdigest(): seen}
        return seen

    def _view(self, graph: Graph, on_event: OnEvent) -> GraphView:
        seen = self._views.get(graph.name)  # threads with other graphs replace the table meanwhile
        if seen is None:
            warning = unlike(self._model.trained, relation_names(graph.whole))
            if warning:
                on_event(Event("warning", warning))
            seen, how = kept_view(self._model, self._encoder, graph.whole, graph.name, self._tools.cache)
            self._views = {graph.name: seen}
            on_event(Event("graph", f"graph pass {how}: {seen.graph.num_entities:,} entities", {"how": how}))
        return seen

    def _surroundings(self, graph: GraphStore, topics: list[Topic]) -> Subgraph:
        hops = self.config.hops or self._model.trained.hops
        ids = [topic.entity.id for topic in topics]
        # What costs is every name that has to be encoded, however cheap a large graph is to walk.
        known = isinstance(graph, (Graph, ServerGraph))
        most = self.config.nearby if known else self.config.neighborhood
        return neighborhood(graph, ids, hops + 1, max_triples=most).ordered()

    def _answer(
        self, questions: Sequence[Question], topics: Sequence[list[Topic]], seen: GraphView, on_event: OnEvent
    ) -> list[Answer]:
        started = time.perf_counter()
        starts = [
            (i, local, topic)
            for i, own in enumerate(topics)
            for topic in own
            if (local := seen.graph.local(topic.entity.id)) is not None
        ]
        finished: list[FinishedWalk] = []
        unscored: dict[int, int] = {}
        similarities = np.zeros(0)
        weight = (
            self._model.trained.calibration.similarity_weight
            if self.config.similarity_weight is None
            else self.config.similarity_weight
        )
        if starts:
            texts = [self._text(questions[i], topic) for i, _, topic in starts]
            owners = [s[0] for s in starts]
            finished, unscored = run_search(
                self._model, self._encoder, self.config, seen, texts, [s[1] for s in starts], owners
            )
            similarities = np.zeros(len(finished))
            if weight:
                similarities = similarity(seen, self._encoder, finished, texts, owners)
        searched = time.perf_counter()
        share = (searched - started) / max(1, len(questions))
        answers: list[Answer] = []
        hypotheses: list[Evidence] = []
        for i, question in enumerate(questions):
            own = {row: local for row, (owner, local, _) in enumerate(starts) if owner == i}
            rows = [row for row, walk in enumerate(finished) if walk.start in own]
            walks = [finished[row] for row in rows]
            if len(own) == 1:
                walks = weigh(walks, similarities[rows], weight)
            cut = {row: unscored[row] for row in own if row in unscored}
            answer, beam = self._assemble(question, list(topics[i]), seen.graph, walks, own, cut, share)
            answers.append(answer)
            hypotheses.append(beam)
        on_event(Event("search", f"{len(finished)} walks for {len(questions)} questions", {"walks": len(finished)}))
        return self._read(answers, hypotheses) if self.config.reader else answers

    def _text(self, question: Question, topic: Topic) -> str:
        if not self._model.trained.mask_topics:
            return question.text
        return without_topic(question.text, topic)

    def _assemble(
        self,
        question: Question,
        topics: list[Topic],
        graph: Subgraph,
        walks: list[FinishedWalk],
        starts: dict[int, int],
        unscored: dict[int, int],
        seconds: float,
    ) -> tuple[Answer, Evidence]:
        """The answer, and for a reader the beam that it is taken from (Eq. 15)."""
        started = time.perf_counter()
        trained, config = self._model.trained, self.config
        siblings = trained.siblings if config.siblings is None else config.siblings
        # Where the stop does not count, staying at the topic would always be the likeliest walk.
        none = bool(starts) and config.score_stop and abstains(walks, by_path=siblings)
        least = config.threshold * (WIDER if config.reader and siblings else 1)
        chosen = [] if none and not config.reader else confident(walks, least, by_path=siblings)
        reached, notes = reach(
            graph,
            chosen,
            starts,
            siblings=siblings,
            conjunction=trained.conjunction if config.conjunction is None else config.conjunction,
            topics_answer=trained.topics_answer if config.topics_answer is None else config.topics_answer,
        )
        kept = self._cut(graph, reached)
        records = PathRecords(graph)
        paths: dict[tuple[Any, ...], int] = {}
        listed: list[Any] = []
        candidates: list[Candidate] = []
        for each in kept:
            own = []
            likely = [walk for walk in each.walks if walk[3] >= LIKELY * each.walks[0][3]]
            for start, codes, triples, score in likely[: config.max_paths]:
                key = (start, codes, triples)
                if key not in paths:
                    paths[key] = len(listed)
                    listed.append(records.path(starts[start], codes, triples, score))
                own.append(paths[key])
            entity = graph.entity(each.entity)
            candidates.append(Candidate(entity.label, trained.calibration(each.score), entity, tuple(own)))
        details: dict[str, Any] = {"walks": len(walks), "answers_found": len(reached)}
        if unscored:
            limit = config.hub_limit or trained.hub_limit
            details["hub"] = f"{sum(unscored.values())} candidates beyond hub_limit = {limit} were not scored"
        if notes:
            details["limits"] = notes
        answer = Answer(
            question=question,
            method=self.name,
            candidates=tuple(candidates),
            evidence=Evidence(tuple(listed)),
            topics=tuple(topics),
            note="the graph holds no answer, as far as the model can tell" if none else _note(topics, starts, reached),
            seconds={"search": seconds, "answers": time.perf_counter() - started},
            details=details,
        )
        return answer, beam_evidence(graph, records, reached, starts, config.max_paths) if config.reader else Evidence()

    def _read(self, answers: Sequence[Answer], hypotheses: Sequence[Evidence]) -> list[Answer]:
        """Let the language model write the answers from B_K (Figure 2), one call a question, all in one batch.

        Each answer is bound to its paths. Where there is nothing to read, the answer stays as it is.
        """
        model = self._tools.language_model
        if model is None:
            raise InputError("method.reader = true needs a language model: set language_model.model, or leave it out")
        started = time.perf_counter()
        asked = [(answer.question.text, beam) for answer, beam in zip(answers, hypotheses, strict=True)]
        readings = read_all(model, asked, max_tokens=READ, named=NAMED, prompt=PROMPT)
        share = (time.perf_counter() - started) / max(1, len(answers))
        return [
            replace(
                answer,
                candidates=reading.candidates,
                evidence=beam,
                note=reading.note,
                reply=reading.reply,
                usage=reading.usage,
                seconds={**answer.seconds, "reader": share},
            )
            if beam.paths
            else answer
            for answer, beam, reading in zip(answers, hypotheses, readings, strict=True)
        ]

    def _cut(self, graph: Subgraph, reached: list[ScoredEntity]) -> list[ScoredEntity]:
        """Answers above the cut; mediators only where nothing else was reached."""
        named = np.array([not graph.mediators[each.entity] for each in reached], bool)
        if named.any():
            reached = [each for each, is_named in zip(reached, named, strict=True) if is_named]
        cut = self._model.trained.calibration.cut if self.config.cut is None else self.config.cut
        kept = [each for each in reached if each.score >= cut * reached[0].score]
        return kept[: self.config.max_answers]


def _note(topics: list[Topic], starts: dict[int, int], reached: list[ScoredEntity]) -> str:
    if not topics:
        return "no topic entity was found in the question"
    if not starts:
        return "no topic entity lies in this graph"
    return "" if reached else "no walk was likely enough"


def confident(walks: list[FinishedWalk], threshold: float, *, by_path: bool) -> list[FinishedWalk]:
    """Walks with at least `threshold`; where there is none, the single best one."""

    def probability(walk: FinishedWalk) -> float:
        return walk.path_probability if by_path else walk.probability

    walks = [walk for walk in walks if walk.codes]
    chosen = [walk for walk in walks if probability(walk) >= threshold]
    return chosen or sorted(walks, key=lambda walk: -probability(walk))[:1]


def plan_of(config: Config, model: ScrModel) -> SearchSettings:
    """The settings of a search: those given, else what the model was trained for."""
    trained = model.trained
    siblings = trained.siblings if config.siblings is None else config.siblings
    wide = config.reader and siblings
    return SearchSettings(
        beam=config.beam * (3 if wide else 1),
        hops=config.hops or trained.hops,
        floor=PRUNE * config.threshold * (WIDER if wide else 1),
        returns=config.returns or trained.returns,
        by_path=siblings,
        representatives=config.representatives,
        score_stop=config.score_stop,
        hub_limit=config.hub_limit or trained.hub_limit,
        one_each=not model.network.config.relation_aware,
    )


@torch.no_grad()
def run_search(
    model: ScrModel,
    encoder: TextEncoder,
    config: Config,
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

    plan = plan_of(config, model)
    if not network.config.multi_step:
        return single_step(seen, float(network.temperature), ask, topics, plan), {}
    return search(
        seen.graph,
        seen.tables,
        float(network.temperature),
        ask,
        np.array(topics, np.int64),
        np.array(owners, np.int64),
        plan,
    )
