"""SCR: answer a question by a beam of walks, each step chosen by comparing the question so far with the candidates."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any, ClassVar

import numpy as np

from clew.encoding import bounded
from clew.errors import InputError
from clew.graph import Graph, Subgraph, taken_whole
from clew.graph.neighborhood import neighborhood
from clew.graph.paths import PathRecords
from clew.methods.scr.answers import beam_evidence, path_of
from clew.methods.scr.asking import ReachedEntities, read_walks, run_search, settle
from clew.methods.scr.config import Config
from clew.methods.scr.features import without_topic
from clew.methods.scr.model import GraphView, load_model, relation_names, unlike, view
from clew.methods.scr.near_names import has_few_names, near_view
from clew.methods.scr.search import FinishedWalk
from clew.methods.scr.similarity import similarity, weigh
from clew.methods.scr.stored_encoding import kept_view
from clew.protocols import GraphStore, Method, OnEvent, TextEncoder, Tools, abilities_of, ignore
from clew.reading.written import reader_of, written_answers
from clew.retrieval.answering import StageClock, noted
from clew.retrieval.linking import Topics, link_topics
from clew.types import Answer, Candidate, Event, Evidence, Path, Question, Topic

PROMPT = FilePath(__file__).with_name("prompts") / "read.txt"
LIKELY = 0.1  # a path is shown when it is at least this share as likely as the answer's best one
MAX_ANSWERS = 1000  # of a question
MAX_PATHS = 10  # threads of an answer, relation paths shown to a reader (the paper: 10)
NEIGHBORHOOD = 200_000  # triples fetched per question from a store that is neither embedded nor a known server


class Scr(Method):
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
        self._settings = settle(config, self._model)
        self._views: dict[str, GraphView] = {}
        self._reader = reader_of(config.reader, tools)
        self.reads_whole = self._reader is not None  # the question with its counts and dates is for the language model

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        """Answers in order; all questions over an embedded graph share each step's batch."""
        linked = [link_topics(question, graph, linker=self._tools.link) for question in questions]
        if taken_whole(graph):
            answers = self._answer(questions, linked, self._view(graph, on_event), on_event)
        else:
            answers = [
                answer
                for question, own in zip(questions, linked, strict=True)
                for answer in self._answer([question], [own], self._near(question, own, graph), on_event)
            ]
        return [noted(answer, each.note) for answer, each in zip(answers, linked, strict=True)]

    def _near(self, question: Question, topics: Topics, graph: GraphStore) -> GraphView:
        """What lies around a question's topics, as the model sees it."""
        large = "text_search" in abilities_of(graph)
        ids = [topic.entity.id for topic in topics]
        most = self.config.nearby if large else NEIGHBORHOOD
        part = neighborhood(graph, ids, self._settings.search.hops + 1, max_triples=most).ordered()
        starts = _starts(part, [topics])
        if not large or not starts or has_few_names(part):
            return self._pass_over(part)
        texts = [self._text(question, topic) for _, _, topic in starts]
        numbers = [local for _, local, _ in starts]
        return near_view(self._model, self._names, self._settings.search, part, texts, numbers)

    @property
    def _names(self) -> TextEncoder:
        """The encoder, which keeps names of a graph that is too large to be encoded whole."""
        cache = self._tools.cache
        return self._encoder if cache is None else bounded(self._encoder, cache / "names")

    def _pass_over(self, part: Subgraph) -> GraphView:
        """The graph pass over what was fetched; the same part is not passed twice.

        Of a graph smaller than what is fetched every question has the same part.
        """
        ids = "\0".join(part.entity(i).id for i in range(part.num_entities))
        key = hashlib.sha256(ids.encode())
        for column in (part.heads, part.rels, part.tails):
            key.update(np.ascontiguousarray(column).tobytes())
        seen = self._views.get(key.hexdigest())
        if seen is None:
            seen = view(self._model.network, part, self._names)
            self._views = {key.hexdigest(): seen}
        return seen

    def _view(self, graph: Graph, on_event: OnEvent) -> GraphView:
        seen = self._views.get(graph.name)  # threads with other graphs replace the table meanwhile
        if seen is None:
            warning = unlike(self._model.trained, relation_names(graph.as_subgraph))
            if warning:
                on_event(Event("warning", warning))
            seen, how = kept_view(self._model, self._encoder, graph.as_subgraph, graph.name, self._tools.cache)
            self._views = {graph.name: seen}
            on_event(Event("graph", f"graph pass {how}: {seen.graph.num_entities:,} entities", {"how": how}))
        return seen

    def _answer(
        self, questions: Sequence[Question], topics: Sequence[Topics], seen: GraphView, on_event: OnEvent
    ) -> list[Answer]:
        clock = StageClock(len(questions))
        starts = _starts(seen.graph, topics)
        weight = self._settings.similarity_weight
        finished: list[FinishedWalk] = []
        unscored: dict[int, int] = {}
        similarities = np.zeros(0)
        if starts:
            texts = [self._text(questions[i], topic) for i, _, topic in starts]
            owners = [owner for owner, _, _ in starts]
            locals_ = [local for _, local, _ in starts]
            finished, unscored = run_search(
                self._model, self._encoder, self._settings.search, seen, texts, locals_, owners
            )
            similarities = np.zeros(len(finished))
            if weight:
                similarities = similarity(seen, self._encoder, finished, texts, owners)
        clock.stage("search")
        answers: list[Answer] = []
        hypotheses: list[Evidence] = []
        for i, question in enumerate(questions):
            own = {row: local for row, (owner, local, _) in enumerate(starts) if owner == i}
            rows = [row for row, walk in enumerate(finished) if walk.start in own]
            walks = [finished[row] for row in rows]
            if len(own) == 1:
                walks = weigh(walks, similarities[rows], weight)
            answer, beam = self._assemble(question, topics[i], seen.graph, walks, own)
            if left := sum(unscored.get(row, 0) for row in own):
                limit = self._settings.search.hub_limit
                answer.details["hub"] = f"{left} candidates beyond hub_limit = {limit} were not scored"
            answers.append(answer)
            hypotheses.append(beam)
        clock.stage("answers")
        answers = [replace(answer, seconds=dict(clock.seconds)) for answer in answers]
        on_event(Event("search", f"{len(finished)} walks for {len(questions)} questions", {"walks": len(finished)}))
        # Figure 2: the answers are written from B_K.
        return answers if self._reader is None else written_answers(self._reader, answers, hypotheses, PROMPT)

    def _text(self, question: Question, topic: Topic) -> str:
        if not self._model.trained.mask_topics:
            return question.text
        return without_topic(question.text, topic)

    def _assemble(
        self, question: Question, topics: Topics, graph: Subgraph, walks: list[FinishedWalk], starts: dict[int, int]
    ) -> tuple[Answer, Evidence]:
        """The answer, and for a reader the beam that it is taken from (Eq. 15)."""
        calibration = self._model.trained.calibration
        reached = read_walks(graph, walks, starts, self._settings)
        records = PathRecords(graph)
        paths: list[Path] = []
        candidates: list[Candidate] = []
        for each in reached.above(calibration.cut)[:MAX_ANSWERS]:
            likely = [walk for walk in each.walks if walk.score >= LIKELY * each.walks[0].score][:MAX_PATHS]
            entity, places = graph.entity(each.entity), range(len(paths), len(paths) + len(likely))
            candidates.append(Candidate(entity.label, calibration(each.score), entity, tuple(places)))
            paths += [path_of(records, graph, starts, walk) for walk in likely]
        details: dict[str, Any] = {"walks": len(walks), "answers_found": reached.found}
        if reached.notes:
            details["limits"] = list(reached.notes)
        answer = Answer(
            question=question,
            method=self.name,
            candidates=tuple(candidates),
            evidence=Evidence(tuple(paths)),
            topics=topics.topics,
            note=_note(topics, starts, reached),
            details=details,
        )
        reads = self._settings.reads
        return answer, beam_evidence(graph, records, reached.entities, starts, MAX_PATHS) if reads else Evidence()


def _starts(graph: Subgraph, topics: Sequence[Topics]) -> list[tuple[int, int, Topic]]:
    """Of the topics of some questions those in the graph: number of the question, local number, topic."""
    return [
        (i, local, topic)
        for i, own in enumerate(topics)
        for topic in own
        if (local := graph.local(topic.entity.id)) is not None
    ]


def _note(topics: Topics, starts: dict[int, int], reached: ReachedEntities) -> str:
    if not starts:
        return "no topic entity lies in this graph" if topics.topics else ""
    if reached.abstained:
        return "the graph holds no answer, as far as the model can tell"
    return "" if reached.found else "no walk was likely enough"
