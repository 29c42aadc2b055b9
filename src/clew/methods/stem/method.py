"""STEM: plan the whole schema of a question, trace it in the graph as one structure, answer from what was traced."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Any, ClassVar

import numpy as np
from torch import Tensor

from clew.errors import InputError
from clew.graph import Subgraph, taken_whole
from clew.graph.neighborhood import around, neighborhood
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.methods.stem.answers import EndState, GraphRecords, beside, ends, listed
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
from clew.retrieval.linking import link_topics
from clew.types import Answer, Event, Evidence, Question, Topic

PROMPT = FilePath(__file__).with_name("prompts") / "answer.txt"
KEPT = 4  # graphs whose relation vectors stay
MAX_ANSWERS = 1000  # of a question
NEIGHBORHOOD = 10_000  # triples around the topics: what the Triple-GNN sees, and what is fetched from a remote store


@dataclass(frozen=True, eq=False)
class _Linked:
    """A question with its topics by mention."""

    question: Question
    mentions: tuple[tuple[Topic, ...], ...]  # per topic of the plan, the entities that it may be
    note: str

    @property
    def topics(self) -> tuple[Topic, ...]:
        return tuple(topic for own in self.mentions for topic in own)

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


@dataclass(frozen=True, eq=False)
class _Place:
    """The graph that is traced in, with its relations' vectors."""

    graph: Subgraph
    similarity: Similarity
    table: Tensor | None  # of the Triple-GNN, where there is one


@dataclass(frozen=True, eq=False)
class _Placed:
    """A question that has a topic, and where it is traced."""

    asked: _Linked
    place: _Place


@dataclass(frozen=True, eq=False)
class _Planned(_Placed):
    """The same with its plans."""

    schemas: PlannedSchemas


@dataclass(frozen=True, eq=False)
class _Traced(_Planned):
    """The same with what was traced: every run, and the position of the plan of each."""

    runs: tuple[Trace, ...]
    plans: tuple[int, ...]


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
        self._places: OrderedDict[int, _Place] = OrderedDict()

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        """Answers in order; the questions are planned and guided together and traced one by one."""
        clock = _StageClock(len(questions))
        asked = [self._link(question, graph) for question in questions]
        clock.stage("link")
        placed = [_Placed(each, self._place(each, graph)) for each in asked if each.mentions]
        planned = self._plan(placed, on_event)
        clock.stage("plan")
        guided = self._guide(planned, graph)
        clock.stage("guide")
        traced = [self._trace(each, members) for each, members in zip(planned, guided, strict=True)]
        clock.stage("trace")
        left = iter([self._assemble(each) for each in traced])
        clock.stage("answer")
        edges = sum(len(run.entity) - 1 for each in traced for run in each.runs)
        on_event(Event("trace", f"{edges} edges for {len(questions)} questions", {"edges": edges}))
        found = [next(left) if each.mentions else Answer(each.question, self.name, note=each.note) for each in asked]
        answers = [replace(answer, seconds=dict(clock.seconds)) for answer in found]
        if self._reader is None:
            return answers
        own = None if self.config.prompts is None else self.config.prompts / "answer.txt"
        prompt = own if own is not None and own.is_file() else PROMPT
        return written_answers(self._reader, answers, [answer.evidence for answer in answers], prompt)  # P3

    # -- stages ----------------------------------------------------------------------------------------------------

    def _link(self, question: Question, graph: GraphStore) -> _Linked:
        linked = link_topics(question, graph, linker=self._tools.link)
        mentions: dict[str, list[Topic]] = {}
        for topic in linked:
            mentions.setdefault((topic.mention or topic.entity.label).casefold(), []).append(topic)
        place = question.text.casefold().replace("_", " ")
        order = sorted(mentions, key=lambda m: at if (at := place.find(m.replace("_", " "))) >= 0 else len(place))
        return _Linked(question, tuple(tuple(mentions[m]) for m in order), linked.note)

    def _place(self, asked: _Linked, graph: GraphStore) -> _Place:
        """The subgraph to trace in."""
        if taken_whole(graph):
            return self._known(graph.as_subgraph)
        ids = [topic.entity.id for topic in asked.topics]
        return self._known(neighborhood(graph, ids, self.config.hops, max_triples=NEIGHBORHOOD).ordered())

    def _known(self, graph: Subgraph) -> _Place:
        if id(graph) not in self._places:
            similarity = Similarity(graph, self._encoder)
            table = None
            if self._network is not None:
                table = relation_table(similarity, self._encoder, self.config.device)
            self._places[id(graph)] = _Place(graph, similarity, table)
            while len(self._places) > KEPT:
                self._places.popitem(last=False)
        return self._places[id(graph)]

    def _plan(self, placed: Sequence[_Placed], on_event: OnEvent) -> list[_Planned]:
        if not placed:
            return []
        shown = self._planner.form == "prompted" and self.config.schema_shown != "free"
        found = self._planner.plan(
            [(each.asked.question.text, each.asked.names) for each in placed],
            [self._schema(each) if shown else "" for each in placed],
        )
        calls = sum(p.usage.calls for p in found)
        on_event(Event("plan", f"{sum(len(p.plans) for p in found)} plans", {"calls": calls}))
        return [_Planned(each.asked, each.place, schemas) for each, schemas in zip(placed, found, strict=True)]

    def _schema(self, each: _Placed) -> str:
        """What a planner by prompt sees of the graph."""
        found = [each.place.graph.local(topic.entity.id) for topic in each.asked.topics]
        topics = np.array(sorted({local for local in found if local is not None}), np.int32)
        return shown_schema(each.place.similarity, topics, each.asked.plain)

    def _guide(self, planned: Sequence[_Planned], graph: GraphStore) -> list[list[Ints | None]]:
        """Per question and plan the entities of its guidance graph; one pass per distinct schema graph."""
        guided: list[list[Ints | None]] = [[None] * len(each.schemas.plans) for each in planned]
        if self._network is None or not self.config.guidance or not (self.config.bias_ent or self.config.bias_tri):
            return guided
        parts: list[QuestionInput] = []
        owner: list[tuple[int, int]] = []
        sizes: list[int] = []
        for i, each in enumerate(planned):
            ids = [topic.entity.id for topic in each.asked.topics]
            labels = [own[0].entity.label for own in each.asked.mentions]
            place = each.place.graph  # members are told by its numbers: another part of a server's graph has others
            seeds = [x for id in ids if (x := place.local(id)) is not None]
            inner: dict[int, Subgraph] = {}
            for j, plan in enumerate(each.schemas.plans):
                hops = min(self.config.hops, len(plan.triples))
                if hops not in inner:
                    inner[hops] = around(place, seeds, hops, max_triples=NEIGHBORHOOD)
                near = inner[hops]
                topics = np.array([x for id in ids if (x := near.local(id)) is not None], np.int64)
                parts.append(QuestionInput(near, topics, each.place.similarity.query(plan, labels)))
                owner.append((i, j))
                sizes.append(self.config.per_triple * len(plan.triples))
        table = planned[-1].place.table if parts else None
        if table is not None:
            for (i, j), members in zip(owner, guide(self._network, table, parts, sizes), strict=True):
                guided[i][j] = members if taken_whole(graph) else _local(planned[i].place.graph, members)
        return guided

    def _trace(self, each: _Planned, guided: Sequence[Ints | None]) -> _Traced:
        runs: list[Trace] = []
        plans: list[int] = []
        left = MAX_EDGES
        for position, (plan, members) in enumerate(zip(each.schemas.plans, guided, strict=True)):
            anchored = {node: self._anchors(each, topic, members) for node, topic in plan.topics.items()}
            anchors = {node: np.array([entity for entity, _ in found], np.int32) for node, found in anchored.items()}
            bonus = members if self.config.bias_tri else None
            for node, found in anchored.items():
                for entity, score in found:
                    run = trace(each.place.similarity, plan, node, entity, score, anchors, bonus, self.config, left)
                    left -= len(run.entity) - 1
                    runs.append(run)
                    plans.append(position)
        return _Traced(each.asked, each.place, each.schemas, tuple(runs), tuple(plans))

    def _anchors(self, each: _Placed, topic: int, guided: Ints | None) -> list[tuple[int, float]]:
        """The entities that a topic starts from, with their scores S_0 (Eq. 8-11, 15).

        With `exact_match_first` each entity that linking found is an anchor of its own. Else the candidates are the
        `anchors` entities whose vectors are nearest to the mention's, those of the guidance graph gain λ, and the best
        one is the anchor.
        """
        own = each.asked.mentions[topic]
        found = [local for t in own if (local := each.place.graph.local(t.entity.id)) is not None]
        if self.config.exact_match_first and found:
            return [(local, 1.0) for local in found[: self.config.anchors]]
        near, cosines = each.place.similarity.nearest(own[0].mention or own[0].entity.label, self.config.anchors)
        if not len(near):
            return []
        scores = cosines.astype(float)
        if guided is not None and self.config.bias_ent:
            scores = scores * np.where(np.isin(near, guided), self.config.lam, 1.0)
        best = int(scores.argmax())
        return [(int(near[best]), float(scores[best]))]

    def _assemble(self, each: _Traced) -> Answer:
        graph, planned, runs = each.place.graph, each.schemas, each.runs
        found: list[EndState] = []
        chosen: SchemaGraph | None = None
        best = -math.inf
        for position, plan in enumerate(planned.plans):
            own = [number for number, at in enumerate(each.plans) if at == position]
            here = ends(graph, plan, [runs[n] for n in own], plan.topics.values())
            if here and (worth := self._worth(each, plan)) > best:
                found = [replace(end, states=tuple((own[n], s) for n, s in end.states)) for end in here[:MAX_ANSWERS]]
                chosen, best = plan, worth
                if not self.config.similarity_weight:
                    break
        candidates, paths = listed(GraphRecords(graph), runs, found)
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
            question=each.asked.question,
            method=self.name,
            candidates=candidates,
            evidence=Evidence(paths, beside(graph, runs)),
            topics=each.asked.topics,
            note="" if candidates else "no chain of the graph matches the plan of this question",
            usage=planned.usage,
            details=details,
        )

    def _worth(self, each: _Traced, plan: SchemaGraph) -> float:
        """How much is to be said for a plan that was traced to its end."""
        if not self.config.similarity_weight:
            return plan.logprob
        spelled = " ".join(label_to_text(r) for _, r, _ in plan.triples)
        question, relations = each.place.similarity.text([each.asked.plain, spelled])
        return plan.logprob + self.config.similarity_weight * float(question @ relations)


class _StageClock:
    """Wall clock by stage, shared out over the questions of a batch."""

    def __init__(self, questions: int) -> None:
        self._each, self._last = 1.0 / max(1, questions), time.perf_counter()
        self.seconds: dict[str, float] = {}

    def stage(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name] = (now - self._last) * self._each
        self._last = now


def _local(graph: Subgraph, numbers: Ints) -> Ints:
    """Store numbers as local numbers of a fetched subgraph."""
    order = np.argsort(graph.entities)
    place = np.searchsorted(graph.entities[order], numbers).clip(max=len(order) - 1)
    same = graph.entities[order][place] == numbers
    return np.sort(order[place[same]]).astype(np.int32)
