"""`decompose`: sub-questions, a small graph for each, their union, one answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from clew.encoding import remembering
from clew.errors import ConfigError
from clew.graph import Subgraph, taken_whole
from clew.graph.neighborhood import neighborhood
from clew.graph.paths import RelationPath
from clew.llm import load_prompt, parse_answers, token_counter
from clew.methods.decompose.answers import of_names, of_threads
from clew.methods.decompose.config import Config
from clew.methods.decompose.evidence_paths import EvidencePath, Judge, anchors, evidence_paths
from clew.methods.decompose.hybrid import NONE, REGION_TRIPLES, Floats, GraphVectors, hybrid, merge, shape
from clew.methods.decompose.plan import RelationVocabulary, masked_question
from clew.methods.decompose.plan_choice import PlanChoice, read_plan_choice
from clew.methods.decompose.planning import PLAN_TOKENS, QuestionSplitter
from clew.methods.decompose.roles import DECOMPOSER, Role, open_voices
from clew.methods.decompose.soft import open_prompter
from clew.methods.decompose.textual import listed, read_thread, tables, with_mediators
from clew.methods.decompose.work import Seen, Work, plain, small_request
from clew.protocols import GraphStore, LLMRequest, Message, Method, OnEvent, Tools, ignore
from clew.retrieval.answering import AnswerPaths
from clew.retrieval.linking import link_topics
from clew.retrieval.verbalise import one_line
from clew.types import Answer, Candidate, Event, Evidence, Path, Question, Topic

WORDS = 150  # of a question; no prompt and no sentence encoder has room for a novel
CANDIDATES = 16  # paths of the retrieved graph that a small reader is shown
NAMED = 3  # of a sub-answer, entities whose names go into the next query
CARRIED = 20  # of a sub-answer, entities around which the next one is looked for


class Decompose(Method):
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
        self.planner = QuestionSplitter(
            config, self._voices.decomposer, self._encoder, self._prompts["decompose"], self._trained_choice(tools)
        )
        self._prompter = open_prompter(config, tools.model, self._voices.reader, self._encoder)
        self._seen: dict[str, Seen] = {}
        self._lock = threading.Lock()

    def _trained_choice(self, tools: Tools) -> PlanChoice:
        """How plans of a small decomposer are weighed: as trained, unless the settings say otherwise."""
        role, choice = self._voices.decomposer, PlanChoice()
        if tools.model is not None and role is not None and role.small:
            choice = read_plan_choice(tools.model / DECOMPOSER)
        weight = self.config.similarity_weight
        return choice if weight is None else choice.model_copy(update={"similarity_weight": weight})

    @property
    def reader(self) -> Role | None:
        """Who gives the final answer."""
        return self._voices.reader

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        """Answers in order; the calls of one stage go out together. Raises what a language model raises."""
        started = [self.start(question, graph, on_event) for question in questions]
        works = [each for each in started if isinstance(each, Work)]
        self.gather(works, on_event)
        self.merge(works)
        answers = iter(self._final(works))
        return [next(answers) if isinstance(each, Work) else each for each in started]

    def gather(self, works: Sequence[Work], on_event: OnEvent = ignore) -> None:
        """Plan, retrieve and answer the sub-questions: everything before the final answer (4.1, 4.2)."""
        self.planner.plan(works)
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

    def start(self, question: Question, graph: GraphStore, on_event: OnEvent = ignore) -> Work | Answer:
        """Names in the question, and the graph that is searched; an answer that says why where there is none."""
        words = question.text.split()
        cut = f"only the first {WORDS} of {len(words)} words of the question are read" if len(words) > WORDS else ""
        if not words:
            return Answer(question, self.name, note="the question is empty")
        linked = link_topics(question, graph, linker=self._tools.link)
        topics = list(linked.topics)
        notes = [note for note in (cut, linked.note) if note]
        if topics or not (self._voices.reader is None or self._voices.reader.small):
            seen = self.view(graph, topics, on_event)
            if seen.vectors.graph.num_triples:
                text = " ".join(words[:WORDS]) if cut else question.text
                return Work(question, text, topics, masked_question(text, topics), seen, notes=notes)
            notes.append("the graph around the question is empty")
        return Answer(question, self.name, topics=tuple(topics), note="; ".join(dict.fromkeys(notes)))

    def view(self, graph: GraphStore, topics: Sequence[Topic], on_event: OnEvent = ignore) -> Seen:
        """A graph of bounded size whole, computed once; of any other store what lies around the topics."""
        if not taken_whole(graph):
            ids = [topic.entity.id for topic in topics]
            part = neighborhood(graph, ids, self.config.hops, max_triples=REGION_TRIPLES)
            return self._made(part.ordered(), None)
        with self._lock:
            if graph.name not in self._seen:
                begun = time.perf_counter()
                self._seen = {graph.name: self._made(graph.as_subgraph, self._tools.cache)}
                on_event(
                    Event("graph", f"vectors of {graph.num_entities:,} entities", {"s": time.perf_counter() - begun})
                )
            return self._seen[graph.name]

    def _made(self, graph: Subgraph, cache: Any) -> Seen:
        language = RelationVocabulary(graph)
        judge = Judge(language, self._encoder)
        return Seen(GraphVectors(graph, self._encoder, cache), language, judge)

    def _retrieve(self, work: Work, i: int) -> None:
        """4.2: the graph for sub-question i."""
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
            earlier = "".join(f"Question: {one_line(q)}\nAnswer: {a or 'unknown'}\n" for q, a in pairs)
        text = self._tables(work, work.parts[i], [work.plan.parts[i]], role)
        slots = {"graph": text, "earlier": earlier, "question": one_line(work.plan.parts[i])}
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
        graph = merge(work.parts)
        before = work.carried if i and self.config.dependency else [topic.entity for topic in work.topics]
        starts = anchors(graph, before)
        ranked = work.seen.judge.rank(evidence_paths(graph, starts, 1)[0], plain(text), [text])
        return graph, starts, ranked, text

    def merge(self, works: Sequence[Work]) -> None:
        """4.3: the union of a question's graphs takes their place."""
        for work in works:
            work.parts = [merge(work.parts)]

    def _final(self, works: Sequence[Work]) -> list[Answer]:
        """4.4: read the union."""
        begun, role = time.perf_counter(), self._voices.reader
        soft = self.soft_prompts(works) or None
        answers = (
            self._final_small(works, role, soft) if role is None or role.small else self._final_large(works, role, soft)
        )
        for work in works:
            work.seconds["answer"] = (time.perf_counter() - begun) / len(works)
        return answers

    def _final_small(self, works: Sequence[Work], role: Role | None, soft: list[Floats] | None) -> list[Answer]:
        offers = [self.offer(work) for work in works]
        chosen = self._choose(works, offers, [work.plan.steps for work in works], role, soft)
        answers = []
        for work, (graph, starts, _, _), picked in zip(works, offers, chosen, strict=True):
            found = AnswerPaths()
            if self.config.siblings:
                graph = work.seen.vectors.graph
                starts = anchors(graph, [topic.entity for topic in work.topics])
            candidates, note = of_threads(graph, starts, picked, found)
            work.tell(note, "" if candidates else "the retrieved graph holds no path from the question's entities")
            answers.append(self._assemble(work, candidates, found.paths, None))
        return answers

    def offer(self, work: Work) -> Offer:
        """The evidence paths of the merged graph, best first, and the question as small models see it."""
        graph = work.parts[-1]
        starts = anchors(graph, [topic.entity for topic in work.topics])
        found, note = evidence_paths(graph, starts, self.config.hops)
        work.tell(note)
        parts = [masked_question(part, work.topics).text for part in work.plan.parts]
        ranked = work.seen.judge.rank(found, plain(work.masked.text), [plain(part) for part in parts])
        return graph, starts, ranked, work.masked.text

    def _choose(
        self,
        works: Sequence[Work],
        offers: Sequence[Offer],
        planned: Sequence[RelationPath],
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
            prompt = listed(text, ranked[:CANDIDATES] if self.config.text_graph else (), seen.language)
            requests.append(small_request(prompt, PLAN_TOKENS, None if soft is None else soft[i]))
        for i, reply in zip(open_, role.model.generate(requests), strict=True):
            seen = works[i].seen
            picked = read_thread(works[i].charge(reply), offers[i][2], seen.language)
            if picked is not None:
                best[i] = [picked]
            else:
                works[i].tell("the small reader named no path of the retrieved graph: it was chosen without it")
        return best

    def _unread(self, ranked: Sequence[EvidencePath], steps: RelationPath) -> list[EvidencePath]:
        """Nobody reads: the path whose relations a small decomposer named, where the graph holds it; else the first."""
        own = [evidence_path for evidence_path in ranked if self.config.follow_plan and evidence_path.steps == steps]
        return own or list(ranked[:1])

    def _final_large(self, works: Sequence[Work], role: Role, soft: list[Floats] | None) -> list[Answer]:
        most = self.config.max_tokens
        requests = [
            LLMRequest(self.final_messages(work, role), max_tokens=most, soft_prompt=None if soft is None else soft[i])
            for i, work in enumerate(works)
        ]
        answers = []
        for work, reply in zip(works, role.model.generate(requests), strict=True):
            text = work.charge(reply, "the reply", most)
            graph, found = work.parts[-1], AnswerPaths()
            starts = anchors(graph, [topic.entity for topic in work.topics])
            candidates, _ = of_names(graph, starts, parse_answers(text), self.config.hops, found)
            work.tell("" if candidates else "the language model gave no answer")
            answers.append(self._assemble(work, candidates, found.paths, text))
        return answers

    def final_messages(self, work: Work, role: Role) -> tuple[Message, ...]:
        """What a large model is shown of the merged graph; answers to sub-questions are left out (4.4)."""
        asked = [work.text, *work.plan.parts]
        text = self._tables(work, work.parts[-1], asked, role) if self.config.text_graph else ""
        return self._prompts["answer"].render(graph=text, question=one_line(work.text))

    # -- pieces ------------------------------------------------------------------------------------------------------

    def _tables(self, work: Work, graph: Subgraph, texts: Sequence[str], role: Role) -> str:
        """The triples that suit one of `texts` best; what touches a topic or an earlier answer goes first."""
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
        return self._prompter.prompts([(work.parts[-1], work.seen.vectors) for work in works])

    def _assemble(self, work: Work, candidates: list[Candidate], paths: tuple[Path, ...], reply: str | None) -> Answer:
        graph = work.parts[-1]
        alone = set(range(graph.num_entities)) - set(graph.heads.tolist()) - set(graph.tails.tolist())
        # An entity that no triple holds is still part of what was retrieved: a path of no hop says so.
        paths += tuple(Path(graph.entity(i), (), 0.0) for i in sorted(alone))
        return Answer(
            question=work.question,
            method=self.name,
            candidates=tuple(candidates),
            evidence=Evidence(paths, tuple(graph.triple(t) for t in range(graph.num_triples))),
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


Offer = tuple[Subgraph, Any, tuple[EvidencePath, ...], str]  # graph, starts, evidence paths best first, masked question
