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

from clew.errors import ConfigError, InputError
from clew.graph import Subgraph, taken_whole
from clew.graph.neighborhood import neighborhood
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.llm import ModelSettings, open_language_model
from clew.methods.stem.answers import EndState, GraphRecords, beside, ends, listed
from clew.methods.stem.config import Config
from clew.methods.stem.guidance import guide
from clew.methods.stem.model import CARD, DECOMPOSE, GROUND, StemModel, load_model, relation_table
from clew.methods.stem.network import QuestionInput
from clew.methods.stem.planner import PACKAGE, PlannedSchemas, Planner
from clew.methods.stem.schema import TOPIC, SchemaGraph, masked
from clew.methods.stem.shown import shown_schema
from clew.methods.stem.similarity import THETA, Similarity, suited_theta
from clew.methods.stem.trace import Trace, trace
from clew.protocols import GraphStore, OnEvent, TextEncoder, Tools, ignore
from clew.retrieval.linking import link_topics
from clew.retrieval.reader import read_all
from clew.types import Answer, Event, Evidence, Question, Topic

STAGES = ("link", "plan", "guide", "trace", "answer")
PROMPT = FilePath(__file__).with_name("prompts") / "answer.txt"
READ = 512  # tokens of a reader's reply
NAMED = 20  # ends that a line of the reader's prompt names
KEPT = 4  # graphs whose relation vectors stay


@dataclass(frozen=True, eq=False)
class _Asked:
    """A question on its way: its topics by mention, and the graph it is traced in."""

    question: Question
    mentions: tuple[tuple[Topic, ...], ...]  # per topic of the plan, the entities that it may be
    note: str = ""

    @property
    def plain(self) -> str:
        """The question without the names of its topics."""
        return " ".join(TOPIC.sub(" ", masked(self.question.text, self.names)).split()) or "?"

    @property
    def names(self) -> list[list[str]]:
        """Per topic, what the question or a model may call it."""
        return [
            list(dict.fromkeys(name for t in own for name in (t.entity.label, t.mention, t.entity.id) if name))
            for own in self.mentions
        ]


class Stem:
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
        self._model: StemModel | None = None
        if tools.model is not None and (tools.model / CARD).is_file():
            self._model = load_model(tools.model, tools.encoder, config.device)
        self._planner = _open_planner(config, tools, self._model)
        self.reads_whole = self._planner.form == "prompted" or self._reads()  # counts and dates are for the model
        chosen: dict[str, Any] = {}
        if self.config.breadth_fallback is None:
            chosen["breadth_fallback"] = self._planner.form == "prompted"
        if self.config.theta is None:
            chosen["theta"] = THETA if self.config.edge_text == "text" else suited_theta(self._encoder)
        self.config = self.config.model_copy(update=chosen)
        self._similar: OrderedDict[int, tuple[Subgraph, Similarity, Any]] = OrderedDict()

    def answer(self, question: Question, graph: GraphStore, *, on_event: OnEvent = ignore) -> Answer:
        """One answer; `predict` with one question."""
        return self.predict([question], graph, on_event=on_event)[0]

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        """Answers in order; the questions are planned and guided together and traced one by one."""
        clock = _StageClock(len(questions))
        asked = [self._link(question, graph) for question in questions]
        clock.stage("link")
        places = [self._place(each, graph) for each in asked]
        planned = self._plan(asked, places, on_event)
        clock.stage("plan")
        guided = self._guide(asked, planned, places, graph)
        clock.stage("guide")
        traced = [self._trace(*each) for each in zip(asked, planned, places, guided, strict=True)]
        clock.stage("trace")
        found = [self._assemble(*each) for each in zip(asked, planned, places, traced, strict=True)]
        clock.stage("answer")
        edges = sum(len(run.entity) - 1 for runs, _ in traced for run in runs)
        on_event(Event("trace", f"{edges} edges for {len(questions)} questions", {"edges": edges}))
        answers = [replace(answer, seconds=dict(clock.seconds)) for answer in found]
        return self._read(answers) if self._reads() else answers

    # -- stages ----------------------------------------------------------------------------------------------------

    def _link(self, question: Question, graph: GraphStore) -> _Asked:
        linked = link_topics(question, graph, linker=self._tools.link)
        mentions: dict[str, list[Topic]] = {}
        for topic in linked:
            mentions.setdefault((topic.mention or topic.entity.label).casefold(), []).append(topic)
        place = question.text.casefold().replace("_", " ")
        order = sorted(mentions, key=lambda m: at if (at := place.find(m.replace("_", " "))) >= 0 else len(place))
        return _Asked(question, tuple(tuple(mentions[m]) for m in order), linked.note)

    def _plan(
        self,
        asked: Sequence[_Asked],
        places: Sequence[tuple[Subgraph, Similarity, Any] | None],
        on_event: OnEvent,
    ) -> list[PlannedSchemas | None]:
        with_topics = [each for each in asked if each.mentions]
        if not with_topics:
            return [None] * len(asked)
        schemas = [self._schema(each, place) for each, place in zip(asked, places, strict=True) if each.mentions]
        planned = self._planner.plan([(each.question.text, each.names) for each in with_topics], schemas)
        calls = sum(p.usage.calls for p in planned)
        on_event(Event("plan", f"{sum(len(p.plans) for p in planned)} plans", {"calls": calls}))
        left = iter(planned)
        return [next(left) if each.mentions else None for each in asked]

    def _schema(self, asked: _Asked, place: tuple[Subgraph, Similarity, Any] | None) -> str:
        """What a planner by prompt sees of the graph."""
        if place is None or self._planner.form != "prompted" or self.config.schema_shown == "free":
            return ""
        graph, similarity, _ = place
        found = [graph.local(topic.entity.id) for own in asked.mentions for topic in own]
        topics = np.array(sorted({local for local in found if local is not None}), np.int32)
        return shown_schema(similarity, topics, asked.plain, self.config.schema_lines)

    def _place(self, asked: _Asked, graph: GraphStore) -> tuple[Subgraph, Similarity, Any] | None:
        """The subgraph to trace in, with its relations' vectors."""
        if not asked.mentions:
            return None
        if taken_whole(graph):
            return self._known(graph.whole)
        ids = [topic.entity.id for own in asked.mentions for topic in own]
        part = neighborhood(graph, ids, self.config.hops, max_triples=self.config.neighborhood)
        return self._known(part.ordered())

    def _known(self, graph: Subgraph) -> tuple[Subgraph, Similarity, Any]:
        if id(graph) not in self._similar:
            similarity = Similarity(graph, self._encoder)
            table = None
            if self._model is not None and self._model.network is not None:
                table = relation_table(similarity, self._encoder, self.config.device)
            self._similar[id(graph)] = (graph, similarity, table)
            while len(self._similar) > KEPT:
                self._similar.popitem(last=False)
        return self._similar[id(graph)]

    def _guide(
        self,
        asked: Sequence[_Asked],
        planned: Sequence[PlannedSchemas | None],
        places: Sequence[tuple[Subgraph, Similarity, Any] | None],
        graph: GraphStore,
    ) -> list[list[Ints | None]]:
        """Per question and plan the entities of its guidance graph; one pass per distinct schema graph."""
        nothing: list[list[Ints | None]] = [[None] * len(p.plans) if p is not None else [] for p in planned]
        network = None if self._model is None else self._model.network
        if network is None or not self.config.guidance or not (self.config.bias_ent or self.config.bias_tri):
            return nothing
        parts: list[QuestionInput] = []
        owner: list[tuple[int, int]] = []
        sizes: list[int] = []
        table = None
        for i, (each, plans, place) in enumerate(zip(asked, planned, places, strict=True)):
            if plans is None or place is None:
                continue
            _, similarity, table = place
            ids = [topic.entity.id for own in each.mentions for topic in own]
            labels = [own[0].entity.label for own in each.mentions]
            around: dict[int, Subgraph] = {}
            for j, plan in enumerate(plans.plans):
                hops = min(self.config.hops, len(plan.triples))
                if hops not in around:
                    around[hops] = neighborhood(graph, ids, hops, max_triples=self.config.neighborhood)
                near = around[hops]
                topics = np.array([x for id in ids if (x := near.local(id)) is not None], np.int64)
                parts.append(QuestionInput(near, topics, similarity.query(plan, labels)))
                owner.append((i, j))
                sizes.append(self.config.per_triple * len(plan.triples))
        if not parts or table is None:
            return nothing
        for (i, j), members in zip(owner, guide(network, table, parts, sizes), strict=True):
            place = places[i]
            assert place is not None
            nothing[i][j] = members if taken_whole(graph) else _local(place[0], members)
        return nothing

    def _trace(
        self,
        asked: _Asked,
        planned: PlannedSchemas | None,
        place: tuple[Subgraph, Similarity, Any] | None,
        guided: Sequence[Ints | None],
    ) -> tuple[list[Trace], list[int]]:
        """Every run, and the position of the plan of each."""
        runs: list[Trace] = []
        plans: list[int] = []
        if planned is None or place is None:
            return runs, plans
        graph, similarity, _ = place
        left = self.config.max_edges
        for position, (plan, members) in enumerate(zip(planned.plans, guided, strict=True)):
            anchored = {
                node: self._anchors(graph, similarity, asked, topic, members) for node, topic in plan.topics.items()
            }
            anchors = {node: np.array([entity for entity, _ in found], np.int32) for node, found in anchored.items()}
            for node, found in anchored.items():
                for entity, score in found:
                    bonus = members if self.config.bias_tri else None
                    run = trace(similarity, plan, node, entity, score, anchors, bonus, self.config, left)
                    left -= len(run.entity) - 1
                    runs.append(run)
                    plans.append(position)
        return runs, plans

    def _anchors(
        self, graph: Subgraph, similarity: Similarity, asked: _Asked, topic: int, guided: Ints | None
    ) -> list[tuple[int, float]]:
        """The entities that a topic starts from, with their scores S_0 (Eq. 8-11, 15).

        With `exact_match_first` each entity that linking found is an anchor of its own. Else the candidates are the
        `anchors` entities whose vectors are nearest to the mention's, those of the guidance graph gain λ, and the best
        one is the anchor.
        """
        own = asked.mentions[topic]
        found = [local for t in own if (local := graph.local(t.entity.id)) is not None]
        if self.config.exact_match_first and found:
            return [(local, 1.0) for local in found[: self.config.anchors]]
        near, cosines = similarity.nearest(own[0].mention or own[0].entity.label, self.config.anchors)
        if not len(near):
            return []
        scores = cosines.astype(float)
        if guided is not None and self.config.bias_ent:
            scores = scores * np.where(np.isin(near, guided), self.config.lam, 1.0)
        best = int(scores.argmax())
        return [(int(near[best]), float(scores[best]))]

    def _assemble(
        self,
        asked: _Asked,
        planned: PlannedSchemas | None,
        place: tuple[Subgraph, Similarity, Any] | None,
        traced: tuple[list[Trace], list[int]],
    ) -> Answer:
        runs, positions = traced
        topics = tuple(topic for own in asked.mentions for topic in own)
        if planned is None or place is None:
            return Answer(asked.question, self.name, topics=topics, note=asked.note)
        graph = place[0]
        found: list[EndState] = []
        chosen: SchemaGraph | None = None
        best = -math.inf
        for position, plan in enumerate(planned.plans):
            own = [number for number, at in enumerate(positions) if at == position]
            here = ends(graph, plan, [runs[n] for n in own], plan.topics.values(), self.config.cut)
            if here and (worth := self._worth(asked, plan, place[1])) > best:
                found = [
                    replace(each, states=tuple((own[n], s) for n, s in each.states))
                    for each in here[: self.config.max_answers]
                ]
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
        note = "" if candidates else "no chain of the graph matches the plan of this question"
        return Answer(
            question=asked.question,
            method=self.name,
            candidates=candidates,
            evidence=Evidence(paths, beside(graph, runs)),
            topics=topics,
            note=note,
            usage=planned.usage,
            details=details,
        )

    def _worth(self, asked: _Asked, plan: SchemaGraph, similarity: Similarity) -> float:
        """How much is to be said for a plan that was traced to its end."""
        worth = plan.logprob
        if self.config.similarity_weight:
            said = asked.plain
            question, spelled = similarity.text([said, " ".join(label_to_text(r) for _, r, _ in plan.triples)])
            worth += self.config.similarity_weight * float(question @ spelled)
        return worth

    def _reads(self) -> bool:
        wanted = self.config.reader
        if wanted and self._tools.language_model is None:
            raise InputError("method.reader = true needs a language model: set language_model.model, or leave it out")
        return self._tools.language_model is not None if wanted is None else wanted

    def _read(self, answers: Sequence[Answer]) -> list[Answer]:
        """Let the language model answer from the chains (P3), all questions in one batch; answers keep their paths."""
        model = self._tools.language_model
        assert model is not None
        started = time.perf_counter()
        own = None if self.config.prompts is None else self.config.prompts / "answer.txt"
        readings = read_all(
            model,
            [(answer.question.text, answer.evidence) for answer in answers],
            max_tokens=READ,
            evidence_tokens=self.config.evidence_tokens,
            named=NAMED,
            prompt=own if own is not None and own.is_file() else PROMPT,
        )
        share = (time.perf_counter() - started) / max(1, len(answers))
        return [
            replace(
                answer,
                candidates=reading.candidates,
                note=reading.note,
                reply=reading.reply,
                usage=answer.usage + reading.usage,
                seconds={**answer.seconds, "read": share},
            )
            if answer.evidence.paths
            else answer
            for answer, reading in zip(answers, readings, strict=True)
        ]


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


def _open_planner(config: Config, tools: Tools, model: StemModel | None) -> Planner:
    """The trained planner, or one over the configured language models."""
    trained = model is not None and model.trained.planner
    if config.planner == "trained" and not trained:
        raise ConfigError("method.planner = 'trained' needs a model folder with a planner: clew train stem GRAPH …")
    if trained and config.planner != "prompted":
        assert model is not None
        two = [
            open_language_model(
                settings
                if settings.model
                else ModelSettings(backend="local", model=str((model.folder / part).absolute()), device=config.device)
            )
            for part, settings in ((DECOMPOSE, config.decomposer), (GROUND, config.grounder))
        ]
        return Planner(config, two[0], two[1], "trained")
    decomposer, grounder = (
        open_language_model(settings) if settings.model else tools.language_model
        for settings in (config.decomposer, config.grounder)
    )
    decomposer, grounder = decomposer or grounder, grounder or decomposer  # a model that was named alone does both
    if decomposer is None or grounder is None:
        raise ConfigError(
            f"{PACKAGE.rpartition('.')[2]} needs a planner: a trained one (clew train stem GRAPH --questions …, then "
            "--model), or a language model (--set language_model.model=NAME)"
        )
    return Planner(config, decomposer, grounder, "prompted")
