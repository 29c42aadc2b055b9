"""`decompose`: sub-questions, a small graph for each, their union, one answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from clew.encoding import remembering
from clew.errors import ConfigError
from clew.graph import Subgraph, taken_whole
from clew.graph.neighborhood import neighborhood
from clew.graph.paths import follow
from clew.llm import clean, load_prompt, parse_answers, token_counter
from clew.methods.decompose.answers import AnswerPaths, of_names, of_threads
from clew.methods.decompose.config import Config
from clew.methods.decompose.evidence_paths import EvidencePath, Judge, anchors, evidence_paths
from clew.methods.decompose.hybrid import NONE, Floats, GraphVectors, hybrid, merge, shape
from clew.methods.decompose.plan import QuestionPlan, RelationVocabulary, Steps, masked_question, read_plan
from clew.methods.decompose.plan_choice import PlanChoice, PlanOption, read_plan_choice
from clew.methods.decompose.roles import DECOMPOSER, Role, open_voices
from clew.methods.decompose.soft import open_prompter
from clew.methods.decompose.steps import StepGrammar
from clew.methods.decompose.textual import listed, read_thread, tables, with_mediators
from clew.protocols import GraphStore, LLMReply, LLMRequest, Message, OnEvent, Tools, ignore
from clew.retrieval.linking import link_topics
from clew.retrieval.masking import Masked
from clew.types import Answer, Candidate, Entity, Event, Evidence, Path, Question, Topic, Usage

TOPIC = "this"  # stands for a name in what the encoder compares with relation paths
WORDS = 150  # of a question; no prompt and no sentence encoder has room for a novel
PLAN_TOKENS = 24  # that a small decomposer may write; as many per step where it is held to the graph
NAMED = 3  # of a sub-answer, entities whose names go into the next query
CARRIED = 20  # of a sub-answer, entities around which the next one is looked for


@dataclass(slots=True)
class Work:
    """One question under way."""

    question: Question
    text: str  # of the question, cut where it is absurdly long
    topics: list[Topic]
    masked: Masked
    seen: Seen | None
    plan: QuestionPlan = field(default_factory=lambda: QuestionPlan((), "nobody"))
    parts: list[Subgraph] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)  # to the sub-questions so far
    carried: list[Entity] = field(default_factory=list)  # what the last one led to
    reached: list[Entity] = field(default_factory=list)  # what all of them led to
    usage: Usage = field(default_factory=Usage)
    notes: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def charge(self, reply: LLMReply, what: str = "the reply", limit: int = 0) -> str:
        """The text of a reply, booked on this question; one that came to no end within `limit` tokens is told."""
        self.usage += reply.usage
        if limit and reply.texts and not reply.texts[0].finished:
            self.tell(f"{what} was cut at {limit} tokens")
        return reply.text if reply.texts else ""

    def tell(self, *notes: str) -> None:
        self.notes += [note for note in notes if note and note not in self.notes]


@dataclass(frozen=True, eq=False, slots=True)
class Seen:
    """A graph with what is computed for it once."""

    vectors: GraphVectors
    language: RelationVocabulary
    judge: Judge


class Decompose:
    """Decompositional Reasoning for Graph Retrieval (anonymous ACL submission; built on G-Retriever).

    A question is split into ordered sub-questions (4.1). For each, entities and triples are scored against a weighted
    sum of question and sub-question, and a prize-collecting Steiner tree joins the best into a connected graph (4.2);
    the answer to one sub-question goes into the next query. The union of the graphs (4.3) is read as text and as a soft
    prompt of a trained graph encoder (4.4).

    Needs: a text encoder. Optional: a language model; a folder from `clew train decompose` with small models for its
    place and the graph encoder. Cost: n + 1 calls for n sub-questions; none without a language model.
    Differs from the paper: see the room's README.
    """

    name: ClassVar[str] = "decompose"

    def __init__(self, config: Config, tools: Tools) -> None:
        if tools.encoder is None:
            raise ConfigError("method 'decompose' needs a text encoder: set encoder.name")
        self.config, self._tools, self._encoder = config, tools, remembering(tools.encoder)
        self._voices = open_voices(config, tools)
        reader = self._voices.reader
        self.reads_whole = reader is not None and not reader.small  # counts and dates are for the model
        self._prompts = {
            name: load_prompt(
                "clew.methods.decompose",
                name,
                slots=slots,
                override=None if config.prompts is None else config.prompts / f"{name}.txt",
            )
            for name, slots in (
                ("decompose", ("question",)),
                ("subanswer", ("graph", "earlier", "question")),
                ("answer", ("graph", "question")),
            )
        }
        self._choosing = self._trained_choosing(tools)
        self._prompter = open_prompter(config, tools.model, self._voices.reader, self._encoder)
        self._seen: dict[str, Seen] = {}
        self._lock = threading.Lock()

    def _trained_choosing(self, tools: Tools) -> PlanChoice:
        """How plans of a small decomposer are weighed: as trained, unless the settings say otherwise."""
        role = self._voices.decomposer
        trained = PlanChoice()
        if tools.model is not None and role is not None and role.small:
            trained = read_plan_choice(tools.model / DECOMPOSER)
        weight, minimum_score = self.config.similarity_weight, self.config.minimum_score
        return PlanChoice(
            trained.similarity_weight if weight is None else weight,
            trained.minimum_score if minimum_score is None else minimum_score,
        )

    @property
    def reader(self) -> Role | None:
        """Who gives the final answer."""
        return self._voices.reader

    def answer(self, question: Question, graph: GraphStore, *, on_event: OnEvent = ignore) -> Answer:
        return self.predict([question], graph, on_event=on_event)[0]

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        """Answers in order; the calls of one stage go out together. Raises what a language model raises."""
        works = [self.start(question, graph, on_event) for question in questions]
        live = [work for work in works if work.seen is not None]
        self.gather(live, on_event)
        self.merge(live)
        done = {id(work): answer for work, answer in zip(live, self._final(live), strict=True)}
        return [done.get(id(work)) or self._abstain(work) for work in works]

    def gather(self, works: Sequence[Work], on_event: OnEvent = ignore) -> None:
        """Plan, retrieve and answer the sub-questions: everything before the final answer (4.1, 4.2)."""
        self._decompose(works)
        on_event(Event("decompose", f"{sum(len(work.plan.parts) for work in works)} sub-questions", {}))
        self.follow_plans(works)

    def follow_plans(self, works: Sequence[Work]) -> None:
        """Retrieve for the sub-questions in their order and answer them (4.2)."""
        for i in range(max((len(work.plan.parts) for work in works), default=0)):
            now = [work for work in works if i < len(work.plan.parts)]
            self._encoder.encode([text for work in now for text in (work.text, self._query(work, i))], role="query")
            for work in now:
                self._retrieve(work, i)
            # The answer to the last one would be shown to nobody, and without dependency that to any.
            read = [work for work in now if self.config.dependency and i + 1 < len(work.plan.parts)]
            if read:
                self._subanswer(read, i)

    # -- stages in their order ---------------------------------------------------------------------------------------

    def start(self, question: Question, graph: GraphStore, on_event: OnEvent = ignore) -> Work:
        """Names in the question, and the graph that is searched."""
        words = question.text.split()
        text = question.text if len(words) <= WORDS else " ".join(words[:WORDS])
        work = Work(question, text, [], Masked(text, (), ()), None)
        if len(words) > WORDS:
            work.tell(f"only the first {WORDS} of {len(words)} words of the question are read")
        if not words:
            work.tell("the question is empty")
            return work
        linked = link_topics(question, graph, linker=self._tools.link)
        work.topics = list(linked.topics)
        work.tell(linked.note)
        if not work.topics and (self._voices.reader is None or self._voices.reader.small):
            return work
        work.masked = masked_question(text, work.topics)
        work.seen = self.view(graph, work.topics, on_event)
        if not work.seen.vectors.graph.num_triples:
            work.tell("the graph around the question is empty")
            work.seen = None
        return work

    def view(self, graph: GraphStore, topics: Sequence[Topic], on_event: OnEvent = ignore) -> Seen:
        """A graph of bounded size whole, computed once; of any other store what lies around the topics."""
        if not taken_whole(graph):
            ids = [topic.entity.id for topic in topics]
            part = neighborhood(graph, ids, self.config.hops, max_triples=self.config.region_triples)
            return self._made(part.ordered(), None)
        with self._lock:
            if graph.name not in self._seen:
                begun = time.perf_counter()
                self._seen = {graph.name: self._made(graph.whole, self._tools.cache)}
                on_event(
                    Event("graph", f"vectors of {graph.num_entities:,} entities", {"s": time.perf_counter() - begun})
                )
            return self._seen[graph.name]

    def _made(self, graph: Subgraph, cache: Any) -> Seen:
        language = RelationVocabulary(graph)
        judge = Judge(language, self._encoder, self.config.path_weight)
        return Seen(GraphVectors(graph, self._encoder, cache), language, judge)

    def _decompose(self, works: Sequence[Work]) -> None:
        """4.1; with a weight of 1 no sub-question would be looked at, so none is made."""
        role, begun = self._voices.decomposer, time.perf_counter()
        if role is None or self.config.complex_weight == 1.0:
            for work in works:
                work.plan = QuestionPlan((work.text,), "nobody")
            return
        if role.small:
            for work, options in zip(works, self.options(works), strict=True):
                work.plan = self.small_plan(work, self._choosing.best(options))
        else:
            limit = self.config.plan_tokens
            requests = [
                LLMRequest(self._prompts["decompose"].render(question=_flat(work.text)), max_tokens=limit)
                for work in works
            ]
            for work, reply in zip(works, role.model.generate(requests), strict=True):
                text = work.charge(reply, "the list of sub-questions", limit)
                work.plan = read_plan(work.text, text, self.config.max_subquestions)
        for work in works:
            work.tell(work.plan.note)
            work.seconds["decompose"] = (time.perf_counter() - begun) / len(works)

    def options(self, works: Sequence[Work]) -> list[list[PlanOption]]:
        """What the small decomposer offers for each question: plans that it wrote, without repetitions."""
        role = self._voices.decomposer
        assert role is not None
        replies = role.model.generate([self._plan_request(work, role) for work in works])
        found: list[dict[Steps, float]] = []
        for work, reply in zip(works, replies, strict=True):
            work.charge(reply)
            own: dict[Steps, float] = {}
            for text in reply.texts:
                assert work.seen is not None
                steps = work.seen.language.read(clean(text.text))[: self.config.max_subquestions]
                if steps:
                    own.setdefault(steps, (text.logprob or 0.0) / max(text.tokens, 1))
            found.append(own)
        self._encoder.encode([plain(work.masked.text) for work in works], role="query")
        return [
            [
                PlanOption(steps, logprob, float(similarity))
                for (steps, logprob), similarity in zip(own.items(), self._alike(work, list(own)), strict=True)
            ]
            for work, own in zip(works, found, strict=True)
        ]

    def _alike(self, work: Work, plans: Sequence[Steps]) -> Floats:
        assert work.seen is not None
        return work.seen.judge.similarity(plans, plain(work.masked.text))

    def _plan_request(self, work: Work, role: Role) -> LLMRequest:
        """Beams, held to steps that exist around the topics, where the model can do that; else one text."""
        assert work.seen is not None
        beams = self.config.plans if {"beams", "logprobs"} <= role.model.abilities else 1
        request = replace(small_request(work.masked.text, PLAN_TOKENS), beams=beams, n=beams)
        starts = anchors(work.seen.vectors.graph, [topic.entity for topic in work.topics])
        if not self.config.constrained or not len(starts) or "constrained" not in role.model.abilities:
            return request
        longest = self.config.hops * (2 if work.seen.vectors.graph.mediators.any() else 1)
        grammar = StepGrammar(work.seen.language, starts, longest)
        return replace(request, max_tokens=PLAN_TOKENS * longest, constraint=grammar)

    def small_plan(self, work: Work, option: PlanOption | None) -> QuestionPlan:
        """The sub-questions of a plan that a small decomposer wrote; the question itself without one."""
        assert work.seen is not None
        if option is None:
            return QuestionPlan(
                (work.text,), "nobody", "the small model is sure of no plan: the question is asked whole"
            )
        language = work.seen.language
        parts = language.sub_questions(option.steps, _subject(work, option.steps))
        return QuestionPlan(parts, "small model", stages=tuple(language.stages(option.steps)))

    def _retrieve(self, work: Work, i: int) -> None:
        """4.2: the graph for sub-question i."""
        assert work.seen is not None
        begun = time.perf_counter()
        whole, own = self._encoder.encode([work.text, self._query(work, i)], role="query")
        query = hybrid(whole, own, self.config.complex_weight)
        about = [topic.entity for topic in work.topics]
        if self.config.anchored and self.config.dependency:
            about += work.carried[:CARRIED]
        found = work.seen.vectors.retrieve(query, self.config, anchors(work.seen.vectors.graph, about))
        work.parts.append(found.graph)
        work.tell(found.note)
        work.seconds["retrieve"] = work.seconds.get("retrieve", 0.0) + time.perf_counter() - begun

    def _query(self, work: Work, i: int) -> str:
        """Sub-question i and the answer before it: what is retrieved for."""
        part = work.plan.parts[i]
        return f"{part} {work.answers[-1]}".strip() if self.config.dependency and work.answers else part

    def _subanswer(self, works: Sequence[Work], i: int) -> None:
        """4.2: answers to the i-th sub-questions, each from its own graph."""
        role, begun = self._voices.subanswerer, time.perf_counter()
        if role is None or role.small:
            self._subanswer_small(works, i, role)
        else:
            requests = [self._subanswer_request(work, i, role) for work in works]
            for work, reply in zip(works, role.model.generate(requests), strict=True):
                names = parse_answers(work.charge(reply, f"the answer to sub-question {i + 1}", self.config.max_tokens))
                _, work.carried = of_names(work.parts[i], anchors(work.parts[i], work.carried), names, 1, AnswerPaths())
                work.reached += work.carried
                work.answers.append(", ".join(names[:NAMED]))
        for work in works:
            work.seconds["subanswers"] = work.seconds.get("subanswers", 0.0) + (time.perf_counter() - begun) / len(
                works
            )

    def _subanswer_request(self, work: Work, i: int, role: Role) -> LLMRequest:
        earlier = ""
        if self.config.dependency:
            pairs = zip(work.plan.parts, work.answers, strict=False)
            earlier = "".join(f"Question: {_flat(q)}\nAnswer: {a or 'unknown'}\n" for q, a in pairs)
        text = self._tables(work, work.parts[i], [work.plan.parts[i]], role)
        slots = {"graph": text, "earlier": earlier, "question": _flat(work.plan.parts[i])}
        return LLMRequest(self._prompts["subanswer"].render(**slots), max_tokens=self.config.max_tokens)

    def _subanswer_small(self, works: Sequence[Work], i: int, role: Role | None) -> None:
        asked = [masked_question(work.plan.parts[i], work.topics).text for work in works]
        self._encoder.encode([form for text in asked for form in (text, plain(text))], role="query")
        offers = [self._step(work, i, text) for work, text in zip(works, asked, strict=True)]
        planned = [work.plan.stages[i] if work.plan.stages else () for work in works]
        chosen = self._choose(works, offers, planned, role)
        for work, (graph, starts, _, _), picked in zip(works, offers, chosen, strict=True):
            found, _ = of_threads(graph, starts, picked[:1], AnswerPaths())
            work.carried = [candidate.entity for candidate in found if candidate.entity is not None]
            work.answers.append(", ".join(entity.label for entity in work.carried[:NAMED]))

    def _step(self, work: Work, i: int, text: str) -> Offer:
        """One-hop paths from what the previous sub-question led to, in the graphs so far."""
        assert work.seen is not None
        graph = merge(work.parts)
        before = work.carried if i and self.config.dependency else [topic.entity for topic in work.topics]
        starts = anchors(graph, before)
        ranked = work.seen.judge.rank(evidence_paths(graph, starts, 1).evidence_paths, plain(text), [text])
        return graph, starts, ranked, text

    def merge(self, works: Sequence[Work]) -> None:
        """4.3: the union of a question's graphs takes their place."""
        for work in works:
            work.parts = [merge(work.parts)]

    def _final(self, works: Sequence[Work]) -> list[Answer]:
        """4.4: read the union."""
        role = self._voices.reader
        if role is None:
            return self._final_small(works, None, None)
        soft = self.soft_prompts(works) or None
        if role.small:
            return self._final_small(works, role, soft)
        return self._final_large(works, role, soft)

    def _final_small(self, works: Sequence[Work], role: Role | None, soft: list[Floats] | None) -> list[Answer]:
        begun = time.perf_counter()
        offers = [self.offer(work) for work in works]
        chosen = self._choose(works, offers, [work.plan.steps for work in works], role, soft)
        answers = []
        for work, (graph, starts, _, _), picked in zip(works, offers, chosen, strict=True):
            assert work.seen is not None
            found = AnswerPaths()
            start = starts
            if self.config.siblings:
                graph = work.seen.vectors.graph
                start = anchors(graph, [topic.entity for topic in work.topics])
            candidates, note = of_threads(graph, start, picked, found)
            work.tell(note, "" if candidates else "the retrieved graph holds no path from the question's entities")
            work.seconds["answer"] = (time.perf_counter() - begun) / len(works)
            answers.append(self._assemble(work, candidates, found.paths, None))
        return answers

    def offer(self, work: Work) -> Offer:
        """The evidence paths of the merged graph, best first, and the question as small models see it."""
        assert work.seen is not None
        graph = work.parts[-1]
        starts = anchors(graph, [topic.entity for topic in work.topics])
        found = evidence_paths(graph, starts, self.config.hops)
        work.tell(found.note)
        parts = [masked_question(part, work.topics).text for part in work.plan.parts]
        ranked = work.seen.judge.rank(found.evidence_paths, plain(work.masked.text), [plain(part) for part in parts])
        return graph, starts, ranked, work.masked.text

    def _choose(
        self,
        works: Sequence[Work],
        offers: Sequence[Offer],
        planned: Sequence[Steps],
        role: Role | None,
        soft: list[Floats] | None = None,
    ) -> list[list[EvidencePath]]:
        """The paths that answer: those a small reader writes, else the planned one, else the encoder's first."""
        best = [self._unread(ranked, steps) for (_, _, ranked, _), steps in zip(offers, planned, strict=True)]
        open_ = [i for i, (_, _, ranked, _) in enumerate(offers) if ranked]
        if role is None or not open_:
            return best
        requests = []
        for i in open_:
            _, _, ranked, text = offers[i]
            seen = works[i].seen
            assert seen is not None
            prompt = listed(text, ranked[: self.config.candidates] if self.config.text_graph else (), seen.language)
            requests.append(small_request(prompt, PLAN_TOKENS, None if soft is None else soft[i]))
        for i, reply in zip(open_, role.model.generate(requests), strict=True):
            seen = works[i].seen
            assert seen is not None
            picked = read_thread(works[i].charge(reply), offers[i][2], seen.language)
            if picked is not None:
                best[i] = [picked]
            else:
                works[i].tell("the small reader named no path of the retrieved graph: it was chosen without it")
        return best

    def _unread(self, ranked: Sequence[EvidencePath], steps: Steps) -> list[EvidencePath]:
        """Nobody reads: the path whose relations a small decomposer named, where the graph holds it; else the first."""
        own = [evidence_path for evidence_path in ranked if self.config.follow_plan and evidence_path.steps == steps]
        return own or list(ranked[:1])

    def _final_large(self, works: Sequence[Work], role: Role, soft: list[Floats] | None) -> list[Answer]:
        begun = time.perf_counter()
        requests = []
        for i, work in enumerate(works):
            messages = self.final_messages(work, role)
            requests.append(
                LLMRequest(messages, max_tokens=self.config.max_tokens, soft_prompt=None if soft is None else soft[i])
            )
        answers = []
        for work, reply in zip(works, role.model.generate(requests), strict=True):
            text = work.charge(reply, "the reply", self.config.max_tokens)
            graph, found = work.parts[-1], AnswerPaths()
            starts = anchors(graph, [topic.entity for topic in work.topics])
            candidates, _ = of_names(graph, starts, parse_answers(text), self.config.hops, found)
            work.tell("" if candidates else "the language model gave no answer")
            work.seconds["answer"] = (time.perf_counter() - begun) / len(works)
            answers.append(self._assemble(work, candidates, found.paths, text))
        return answers

    def final_messages(self, work: Work, role: Role) -> tuple[Message, ...]:
        """What a large model is shown of the merged graph; answers to sub-questions are left out (4.4)."""
        asked = [work.text, *work.plan.parts]
        text = self._tables(work, work.parts[-1], asked, role) if self.config.text_graph else ""
        return self._prompts["answer"].render(graph=text, question=_flat(work.text))

    # -- pieces ------------------------------------------------------------------------------------------------------

    def _tables(self, work: Work, graph: Subgraph, texts: Sequence[str], role: Role) -> str:
        """The triples that suit one of `texts` best; what touches a topic or an earlier answer goes first."""
        assert work.seen is not None
        queries = self._encoder.encode(list(dict.fromkeys(texts)), role="query")
        scores = np.max([work.seen.vectors.triple_scores(graph, query) for query in queries], axis=0)
        kept = NONE
        if self.config.anchored:
            kept = anchors(graph, [*(topic.entity for topic in work.topics), *work.reached[:CARRIED]])
            scores = with_mediators(graph, scores + np.isin(graph.heads, kept) + np.isin(graph.tails, kept))
        counted = token_counter(role.model)
        shown = tables(graph, scores, keep=kept, max_tokens=self.config.evidence_tokens, count=counted)
        work.tell(shown.note)
        return shown.text

    def soft_prompts(self, works: Sequence[Work]) -> list[Floats]:
        """What the graph encoder makes of the merged graphs; none without a trained one."""
        if self._prompter is None:
            return []
        return self._prompter.prompts([(work.parts[-1], work.seen.vectors) for work in works if work.seen is not None])

    def _assemble(self, work: Work, candidates: list[Candidate], paths: list[Path], reply: str | None) -> Answer:
        graph = work.parts[-1]
        alone = set(range(graph.num_entities)) - set(graph.heads.tolist()) - set(graph.tails.tolist())
        # An entity that no triple holds is still part of what was retrieved: a path of no hop says so.
        paths = paths + [Path(graph.entity(i), (), 0.0) for i in sorted(alone)]
        return Answer(
            question=work.question,
            method=self.name,
            candidates=tuple(candidates),
            evidence=Evidence(tuple(paths), tuple(graph.triple(t) for t in range(graph.num_triples))),
            topics=tuple(work.topics),
            note="; ".join(work.notes),
            reply=reply,
            usage=work.usage,
            seconds=work.seconds,
            details={
                "subquestions": list(work.plan.parts),
                "subanswers": list(work.answers),
                "decomposed_by": work.plan.by,
                "graph": shape(graph),
            },
        )

    def _abstain(self, work: Work) -> Answer:
        return Answer(work.question, self.name, topics=tuple(work.topics), note="; ".join(work.notes))


Offer = tuple[Subgraph, Any, tuple[EvidencePath, ...], str]  # graph, starts, evidence paths best first, masked question


def _subject(work: Work, steps: Steps) -> str:
    """The name that the first sub-question asks about: that of the first topic from which the steps lead on."""
    assert work.seen is not None
    names = [name for name in work.masked.found if name]
    graph = work.seen.vectors.graph
    for name, topic in zip(work.masked.found, work.topics, strict=True):
        if name and (len(names) == 1 or len(follow(graph, anchors(graph, [topic.entity]), steps).entities)):
            return name
    return next(iter(names), work.topics[0].entity.label if work.topics else "")


def small_request(prompt: str, max_tokens: int, soft: Floats | None = None) -> LLMRequest:
    """What a decoder from scratch is asked."""
    return LLMRequest((Message("user", prompt),), max_tokens=max_tokens, soft_prompt=soft)


def _flat(text: str) -> str:
    return " ".join(text.split())


def plain(text: str) -> str:
    """A masked question as the encoder reads it: without names, which no relation resembles."""
    for placeholder in ("[T1]", "[T2]", "[T3]"):
        text = text.replace(placeholder, TOPIC)
    return text
