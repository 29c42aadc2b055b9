"""STEM: plan the whole schema of a question, trace it in the graph as one structure, answer from what was traced."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path as FilePath
from typing import Any, ClassVar

import numpy as np
from torch import Tensor

from clew.errors import InputError
from clew.graph import Subgraph, taken_whole
from clew.graph.neighborhood import around, neighborhood
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.methods.stem.answers import EndState, beside, ends, listed
from clew.methods.stem.config import Config
from clew.methods.stem.guidance import guide
from clew.methods.stem.model import CARD, load_model, open_planner, relation_table
from clew.methods.stem.network import QuestionInput
from clew.methods.stem.planner import PlannedSchemas
from clew.methods.stem.schema import TOPIC, SchemaGraph, masked
from clew.methods.stem.shown import shown_schema
from clew.methods.stem.similarity import THETA, Similarity, suited_theta
from clew.methods.stem.trace import MAX_EDGES, Trace, trace
from clew.protocols import GraphStore, Method, OnEvent, TextEncoder, Tools, ignore
from clew.reading.written import reader_of, written_answers
from clew.retrieval.answering import StageClock, noted
from clew.retrieval.linking import link_topics
from clew.types import Answer, Event, Evidence, Question, Topic

PROMPT = FilePath(__file__).with_name("prompts") / "answer.txt"
KEPT = 4  # graphs whose relation vectors stay
MAX_ANSWERS = 1000  # of a question
NEIGHBORHOOD = 10_000  # triples around the topics: what the Triple-GNN sees, and what is fetched from a remote store


@dataclass(frozen=True, eq=False)
class _Place:
    """Where a question is traced: vectors of the relations of its graph, and the Triple-GNN's, where there is one."""

    similarity: Similarity
    table: Tensor | None

    @property
    def graph(self) -> Subgraph:
        return self.similarity.graph


@dataclass(eq=False)
class _Asking:
    """One question under way."""

    question: Question
    mentions: tuple[tuple[Topic, ...], ...]  # per topic of the plan, the entities that it may be
    note: str
    place: _Place = field(init=False)  # of a question that has a topic
    planned: PlannedSchemas = field(init=False)
    runs: list[Trace] = field(default_factory=list)

    @property
    def topics(self) -> tuple[Topic, ...]:
        return tuple(topic for own in self.mentions for topic in own)

    @property
    def ids(self) -> list[str]:
        """Of its topics."""
        return [topic.entity.id for topic in self.topics]

    @property
    def names(self) -> list[list[str]]:
        """Per topic, what the question or a model may call it."""
        return [
            list(dict.fromkeys(name for t in own for name in (t.entity.label, t.mention, t.entity.id) if name))
            for own in self.mentions
        ]

    @property
    def plain(self) -> str:
        """The question without the names of its topics."""
        return " ".join(TOPIC.sub(" ", masked(self.question.text, self.names)).split()) or "?"


class Stem(Method):
    """Structure-Tracing Evidence Mining (Yu, Xu, Chen, Chen, Xu).

    SGDA turns a question into assertions with unknowns and a strategy, SAGB turns them into schema triples (section
    3.2); a Triple-GNN marks the entities that matter (3.3); from anchored topics the schema graph is traced in the
    knowledge graph, edge by edge, taking the best edge (Precision) or every good one (Breadth) (3.4); the chains found
    are the evidence from which a language model answers (3.5).

    Needs: the text encoder, and a planner: a folder from `clew train stem`, or a language model. Cost in language-model
    calls: none with a trained planner and no reader; else B + 1 to 2B for planning (fewer where beams agree) and 1 to
    read.

    Differs from the paper, each a switch: a topic that is an entity is its own anchor; edges with the schema's own
    relation go first; equal scores are all kept in Precision; every schema edge is walked once; mediators are crossed
    in one step; without a language model the answers are the entities where the plan's last unknown stands.
    """

    name: ClassVar[str] = "stem"

    def __init__(self, config: Config, tools: Tools) -> None:
        if tools.encoder is None:
            raise InputError("stem needs a text encoder: set encoder.name, or install 'clew[models,offline]'")
        self.config, self._tools = config, tools
        self._encoder: TextEncoder = tools.encoder
        model = None
        if tools.model is not None and (tools.model / CARD).is_file():
            model = load_model(tools.model, tools.encoder, config.device)
        self._network = None if model is None else model.network
        self._planner = open_planner(config, tools, model)
        self._reader = reader_of(config.reader, tools)
        self.reads_whole = self._planner.form == "prompted" or self._reader is not None
        chosen: dict[str, Any] = {}
        if self.config.breadth_fallback is None:
            chosen["breadth_fallback"] = self._planner.form == "prompted"
        if self.config.revisit is None:
            chosen["revisit"] = model is not None and model.trained.revisit
        if self.config.theta is None:
            chosen["theta"] = THETA if self.config.edge_text == "text" else suited_theta(self._encoder)
        self.config = self.config.model_copy(update=chosen)
        self._places: dict[int, _Place] = {}

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        """Answers in order; the questions are planned and guided together and traced one by one."""
        clock = StageClock(len(questions))
        every = [self._link(question, graph) for question in questions]
        asked = [each for each in every if each.mentions]
        clock.stage("link")
        for each in asked:
            each.place = self._place(each, graph)
        self._plan(asked, on_event)
        clock.stage("plan")
        guided = self._guide(asked)
        clock.stage("guide")
        for each, members in zip(asked, guided, strict=True):
            self._trace(each, members)
        clock.stage("trace")
        found = [self._assemble(each) if each.mentions else Answer(each.question, self.name) for each in every]
        clock.stage("answer")
        edges = sum(len(run.entity) - 1 for each in asked for run in each.runs)
        on_event(Event("trace", f"{edges} edges for {len(questions)} questions", {"edges": edges}))
        answers = [replace(answer, seconds=dict(clock.seconds)) for answer in found]
        if self._reader is not None:
            own = None if self.config.prompts is None else self.config.prompts / "answer.txt"
            prompt = own if own is not None and own.is_file() else PROMPT
            answers = written_answers(self._reader, answers, [answer.evidence for answer in answers], prompt)  # P3
        return [noted(answer, each.note) for answer, each in zip(answers, every, strict=True)]

    # -- stages ----------------------------------------------------------------------------------------------------

    def _link(self, question: Question, graph: GraphStore) -> _Asking:
        linked = link_topics(question, graph, linker=self._tools.link)
        mentions: dict[str, list[Topic]] = {}
        for topic in linked:
            mentions.setdefault((topic.mention or topic.entity.label).casefold(), []).append(topic)
        place = question.text.casefold().replace("_", " ")
        order = sorted(mentions, key=lambda m: at if (at := place.find(m.replace("_", " "))) >= 0 else len(place))
        return _Asking(question, tuple(tuple(mentions[m]) for m in order), linked.note)

    def _place(self, asked: _Asking, graph: GraphStore) -> _Place:
        """The subgraph to trace in: what is computed for a whole graph is kept, for the last KEPT of them."""
        if not taken_whole(graph):
            near = neighborhood(graph, asked.ids, self.config.hops, max_triples=NEIGHBORHOOD)
            return self._made(near.ordered())
        whole = graph.as_subgraph
        place = self._places.get(id(whole)) or self._made(whole)
        self._places = dict([*self._places.items(), (id(whole), place)][-KEPT:])
        return place

    def _made(self, graph: Subgraph) -> _Place:
        similarity = Similarity(graph, self._encoder)
        trained = self._network is not None
        return _Place(similarity, relation_table(similarity, self._encoder, self.config.device) if trained else None)

    def _plan(self, asked: Sequence[_Asking], on_event: OnEvent) -> None:
        if not asked:
            return
        shown = self._planner.form == "prompted" and self.config.schema_shown != "free"
        found = self._planner.plan(
            [(each.question.text, each.names) for each in asked],
            [self._schema(each) if shown else "" for each in asked],
        )
        calls = sum(p.usage.calls for p in found)
        on_event(Event("plan", f"{sum(len(p.plans) for p in found)} plans", {"calls": calls}))
        for each, planned in zip(asked, found, strict=True):
            each.planned = planned

    def _schema(self, each: _Asking) -> str:
        """What a planner by prompt sees of the graph."""
        return shown_schema(each.place.similarity, np.sort(each.place.graph.locals_of(each.ids)), each.plain)

    def _guide(self, asked: Sequence[_Asking]) -> list[list[Ints | None]]:
        """Per question and plan the entities of its guidance graph; one pass per distinct schema graph."""
        table = asked[-1].place.table if asked and self.config.guidance else None
        if self._network is None or table is None or not (self.config.bias_ent or self.config.bias_tri):
            return [[None] * len(each.planned.plans) for each in asked]
        parts: list[QuestionInput] = []
        sizes: list[int] = []
        for each in asked:
            labels = [own[0].entity.label for own in each.mentions]
            seeds = each.place.graph.locals_of(each.ids)
            inner: dict[int, Subgraph] = {}
            for plan in each.planned.plans:
                hops = min(self.config.hops, len(plan.triples))
                if hops not in inner:
                    inner[hops] = around(each.place.graph, seeds, hops, max_triples=NEIGHBORHOOD)
                near = inner[hops]
                topics = near.locals_of(each.ids).astype(np.int64)
                parts.append(QuestionInput(near, topics, each.place.similarity.query(plan, labels)))
                sizes.append(self.config.per_triple * len(plan.triples))
        members = iter(guide(self._network, table, parts, sizes))
        # Members are numbers of the store, in whose order the entities of a place are.
        return [
            [
                np.searchsorted(each.place.graph.entities, own).astype(np.int32)
                for own in islice(members, len(each.planned.plans))
            ]
            for each in asked
        ]

    def _trace(self, each: _Asking, guided: Sequence[Ints | None]) -> None:
        left = MAX_EDGES
        for plan, members in zip(each.planned.plans, guided, strict=True):
            anchored = {node: self._anchors(each, topic, members) for node, topic in plan.topics.items()}
            anchors = {node: np.array([entity for entity, _ in found], np.int32) for node, found in anchored.items()}
            bonus = members if self.config.bias_tri else None
            for node, found in anchored.items():
                for entity, score in found:
                    run = trace(each.place.similarity, plan, node, entity, score, anchors, bonus, self.config, left)
                    left -= len(run.entity) - 1
                    each.runs.append(run)

    def _anchors(self, each: _Asking, topic: int, guided: Ints | None) -> list[tuple[int, float]]:
        """The entities that a topic starts from, with their scores S_0 (Eq. 8-11, 15).

        With `exact_match_first` each entity that linking found is an anchor of its own. Else the candidates are the
        `anchors` entities whose vectors are nearest to the mention's, those of the guidance graph gain λ, and the best
        one is the anchor.
        """
        own = each.mentions[topic]
        found = each.place.graph.locals_of(t.entity.id for t in own)
        if self.config.exact_match_first and len(found):
            return [(local, 1.0) for local in found[: self.config.anchors].tolist()]
        near, cosines = each.place.similarity.nearest(own[0].mention or own[0].entity.label, self.config.anchors)
        if not len(near):
            return []
        scores = cosines.astype(float)
        if guided is not None and self.config.bias_ent:
            scores = scores * np.where(np.isin(near, guided), self.config.lam, 1.0)
        best = int(scores.argmax())
        return [(int(near[best]), float(scores[best]))]

    def _assemble(self, each: _Asking) -> Answer:
        graph, planned, runs = each.place.graph, each.planned, each.runs
        found: list[EndState] = []
        chosen: SchemaGraph | None = None
        best = -math.inf
        for plan in planned.plans:
            here = ends(graph, plan, runs)
            if here and (worth := self._worth(each, plan)) > best:
                found, chosen, best = here[:MAX_ANSWERS], plan, worth
                if not self.config.similarity_weight:
                    break
        candidates, paths = listed(graph, runs, found)
        limits = sorted({told for run in runs for told in run.truncated} | set(graph.truncated))
        details: dict[str, Any] = {
            "plans": [
                {"strategy": p.strategy, "assertions": list(p.assertions), "schema": [list(t) for t in p.triples]}
                for p in planned.plans
            ],
            "edges": sum(len(run.entity) - 1 for run in runs),
        }
        if chosen is not None:
            details["strategy"] = chosen.strategy
            details["chosen"] = [list(t) for t in chosen.triples]
        if planned.counts:
            details["planning"] = dict(planned.counts)
        if limits:
            details["limits"] = limits
        return Answer(
            question=each.question,
            method=self.name,
            candidates=candidates,
            evidence=Evidence(paths, beside(graph, runs)),
            topics=each.topics,
            note="" if candidates else "no chain of the graph matches the plan of this question",
            usage=planned.usage,
            details=details,
        )

    def _worth(self, each: _Asking, plan: SchemaGraph) -> float:
        """How much is to be said for a plan that was traced to its end."""
        if not self.config.similarity_weight:
            return plan.logprob
        spelled = " ".join(label_to_text(r) for _, r, _ in plan.triples)
        question, relations = each.place.similarity.text([each.plain, spelled])
        return plan.logprob + self.config.similarity_weight * float(question @ relations)
