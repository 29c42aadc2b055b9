"""What every door offers: ask, retrieve, link, complete, look at an entity, say why not, verify.

The doors (`api`, `openai`, `agents`) turn their clients' words into these calls and the replies into theirs. Whatever
computes runs in a thread, so that the process goes on listening; a cancelled call takes its question off the desk.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal, TypeVar

import numpy as np

from clew.errors import ClewError, InputError, NotFoundError, UnavailableError
from clew.graph import Graph
from clew.graph.remote import ServerGraph
from clew.graph.verify import verify
from clew.protocols import GraphStore
from clew.query import ExecutionLimits as PlanLimits
from clew.query import run
from clew.retrieval.linking import candidates, given
from clew.serve import followup, records
from clew.serve.batching import ClosedError
from clew.serve.hosting import Host, Hosted, Snapshot
from clew.serve.observe import span
from clew.serve.replies import ask_reply, described, said
from clew.serve.whynot import why_not
from clew.types import Answer, Candidate, Entity, Event, Evidence, Question, Relation, Topic, Triple

T = TypeVar("T")
Stage = Literal["linking", "search", "evidence"]
OnStage = Callable[[Stage, dict[str, Any]], None]
MADE = 10_000  # members of a plan that candidates are looked for among
PLAN_PAIRS = 2_000_000  # triples that a plan from outside may look at
REMEMBERED = 512  # answers kept for the follow-ups of clients that send their conversation as text


class TooSlowError(UnavailableError):
    """A question took longer than it may."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer with what it was given over."""

    id: str
    graph: str
    snapshot: Snapshot
    question: str
    answer: Answer
    batch: int
    waited_s: float


class Service:
    """The graphs of a host, asked from a running event loop."""

    def __init__(self, host: Host) -> None:
        self.host, self.limits = host, host.limits
        self._remembered: OrderedDict[tuple[str, str, str], followup.Said] = OrderedDict()
        self._hidden = _roots(host)

    # -- questions -------------------------------------------------------------------------------------------------

    async def answer(
        self,
        question: str,
        *,
        graph: str | None = None,
        method: str | None = None,
        topics: Sequence[str] = (),
        history: Sequence[followup.Said] = (),
        on_stage: OnStage | None = None,
    ) -> Answered:
        """One answer; cancelling the call ends the work for it.

        Raises:
            ClewError: nothing to ask, an unknown graph, method or topic, too many questions, too little time.
        """
        self._check(question)
        hosted = self.host.graph(graph)
        now = hosted.now
        name = self.host.method(now, method)
        with span("clew.ask", {"clew.graph": hosted.name, "clew.method": name}):
            text, note = question, ""
            if history and not topics:
                resolved = await self._thread(self._resolve, question, history, now)
                text, topics, note = resolved.text, resolved.topics, resolved.note
            elif topics:
                await self._thread(_check_topics, topics, now.graph)
            answered = await self._desk(hosted, now, name, text, topics, on_stage)
        if note:
            answer = answered.answer
            answer = replace(answer, note=f"{note}; {answer.note}" if answer.note else note)
            answered = replace(answered, answer=answer)
        return replace(answered, question=question)

    async def _desk(
        self, hosted: Hosted, now: Snapshot, method: str, text: str, topics: Sequence[str], on_stage: OnStage | None
    ) -> Answered:
        id = token_hex(8)
        loop = asyncio.get_running_loop()
        stages = _Stages(on_stage, loop)
        question = Question(id, text, tuple(topics))
        self.host.listen(id, stages.linked)
        while True:
            desk = await self._thread(now.desk, method)
            try:
                asking = desk.ask(question, stages.event)
                break
            except ClosedError:
                if hosted.now is now:
                    raise
                now = hosted.now  # the graph was replaced between finding its desk and asking there
        try:
            async with asyncio.timeout(self.limits.seconds):
                answer = await asyncio.wrap_future(asking.answer)
        except TimeoutError:
            raise TooSlowError(
                f"no answer within {self.limits.seconds:g} seconds; ask for fewer hops, or another method"
            ) from None
        finally:
            asking.leave()
            self.host.forget(id)
        stages.end(answer)
        return Answered(id, hosted.name, now, text, answer, asking.batch, asking.waited_s)

    async def ask(self, request: records.AskRequest, on_stage: OnStage | None = None) -> Answered:
        """The answer to a request; `reply` cuts it to size."""
        now = self.host.graph(request.graph).now
        history = [
            followup.Said(
                turn.question, followup.known(now.graph, turn.topics), followup.known(now.graph, turn.answers)
            )
            for turn in request.history
        ]
        return await self.answer(
            request.question,
            graph=request.graph,
            method=request.method,
            topics=request.topics,
            history=history,
            on_stage=on_stage,
        )

    def reply(self, answered: Answered, *, limit: int, threads: int) -> records.AskReply:
        return ask_reply(
            answered.answer,
            answered.snapshot.graph,
            id=answered.id,
            graph=answered.graph,
            question=answered.question,
            limit=limit,
            threads=threads,
        )

    async def retrieve(self, request: records.AskRequest) -> records.RetrieveReply:
        """Evidence without answers, best paths first."""
        answered = await self.answer(
            request.question, graph=request.graph, method=request.method, topics=request.topics
        )
        answer = answered.answer
        paths = tuple(sorted(answer.evidence.paths, key=lambda path: -path.score))[: request.limit]
        return records.RetrieveReply(
            id=answered.id,
            graph=answered.graph,
            version=answered.snapshot.graph.name,
            method=answer.method,
            question=request.question,
            topics=answer.topics,
            evidence=Evidence(paths, answer.evidence.triples[: request.limit]),
            text=tuple(said(path) for path in paths),
            note=answer.note,
        )

    async def conversation(
        self, turns: Sequence[str], *, graph: str | None, method: str | None, on_stage: OnStage | None = None
    ) -> Answered:
        """The answer to the last of a user's turns; earlier ones are only looked at where it refers back to them."""
        history: list[followup.Said] = []
        if len(turns) > 1 and followup.refers_back(turns[-1]):
            for turn in turns[-1 - followup.RECENT : -1]:
                history.append(await self._said(turn, history, graph, method))
        return await self.answer(turns[-1], graph=graph, method=method, history=history, on_stage=on_stage)

    async def _said(
        self, turn: str, history: Sequence[followup.Said], graph: str | None, method: str | None
    ) -> followup.Said:
        """What an earlier turn was about: remembered, else asked again."""
        hosted = self.host.graph(graph)
        key = (hosted.now.graph.name, method or "", "\n".join([*(said.question for said in history), turn]))
        if key not in self._remembered:
            try:
                answered = await self.answer(turn, graph=graph, method=method, history=history)
                self._remembered[key] = followup.turn_of(answered.answer)
            except InputError:
                return followup.Said(turn)
            while len(self._remembered) > REMEMBERED:
                self._remembered.popitem(last=False)
        return self._remembered[key]

    def _resolve(self, question: str, history: Sequence[followup.Said], now: Snapshot) -> followup.Resolved:
        return followup.resolve(question, history, now.graph, now.topics, encoder=now.encoder())

    def _check(self, question: str) -> None:
        if not question.strip():
            raise InputError("the question is empty; ask for example  'what is the capital of France?'")
        if len(question) > self.limits.question:
            raise InputError(
                f"the question has {len(question):,} characters, expected at most {self.limits.question:,}; shorten it"
            )

    # -- the graph -------------------------------------------------------------------------------------------------

    async def link(self, request: records.QuestionRequest, limit: int = 20) -> records.LinkReply:
        """What a question would be linked to, and what else it may name."""
        self._check(request.question)
        hosted = self.host.graph(request.graph)
        now = hosted.now
        asked = Question("link", request.question, request.topics)

        def look() -> tuple[list[Topic], list[Topic]]:
            return now.topics(asked), candidates(asked, now.graph, encoder=now.encoder(), limit=limit)

        chosen, found = await self._thread(look)
        return records.LinkReply(graph=hosted.name, topics=tuple(chosen), candidates=tuple(found))

    async def complete(self, prefix: str, graph: str | None, limit: int) -> records.EntitiesReply:
        """Entities whose name begins so, then entities called nearly so."""
        hosted = self.host.graph(graph)
        now = hosted.now

        def look() -> tuple[records.SuggestionReply, ...]:
            return tuple(
                records.SuggestionReply(
                    entity=found.entity,
                    description=described(now.graph, found.entity.id),
                    score=round(found.score, 4),
                    degree=found.degree,
                )
                for found in now.completion.suggest(prefix, limit)
            )

        return records.EntitiesReply(graph=hosted.name, entities=await self._thread(look))

    async def entity(
        self,
        text: str,
        graph: str | None,
        *,
        offset: int = 0,
        limit: int = 50,
        relation: str | None = None,
        direction: Literal["out", "in", "both"] = "both",
    ) -> records.EntityReply:
        """An entity by id, else by the one name that is its own, with a page of its triples."""
        hosted = self.host.graph(graph)
        now = hosted.now
        return await self._thread(_entity, hosted.name, now.graph, text, offset, limit, relation, direction)

    async def info(self, graph: str | None) -> records.GraphReply:
        hosted = self.host.graph(graph)
        now = hosted.now

        def look() -> records.GraphReply:
            details = now.info()
            return records.GraphReply(
                name=hosted.name,
                version=now.graph.name,
                default_method=now.default,
                triples=details.get("triples"),
                entities=details.get("entities"),
                examples=tuple(now.completion.hubs(8)),
                details=details,
            )

        return await self._thread(look)

    async def methods(self, graph: str | None) -> records.MethodsReply:
        hosted = self.host.graph(graph)
        states = await self._thread(hosted.now.states)
        return records.MethodsReply(
            graph=hosted.name,
            methods=tuple(
                records.MethodReply(
                    name=state.card.name,
                    summary=state.card.summary,
                    paper=state.card.paper,
                    ready=not state.lacks,
                    lacks=state.lacks,
                    default=state.default,
                )
                for state in states
            ),
        )

    async def why_not(self, request: records.WhyNotRequest) -> records.WhyNotReply:
        """Why `request.entity` is not the answer, or what rank it has."""
        answered = await self.answer(
            request.question, graph=request.graph, method=request.method, topics=request.topics
        )
        now = answered.snapshot

        def look() -> records.WhyNotReply:
            expected = given(request.entity, now.graph)[0].entity
            found = why_not(answered.answer, expected, now.graph, now.encoder())
            paths = [near.path for near in found.near]
            return records.WhyNotReply(
                graph=answered.graph,
                question=request.question,
                entity=expected,
                rank=found.rank,
                score=found.score,
                reason=found.reason,
                followed=None if found.followed is None else said(found.followed),
                followed_likeness=found.followed_likeness,
                paths=tuple(
                    records.NearPath(words=said(near.path), path=i, likeness=near.likeness, differs=near.differs)
                    for i, near in enumerate(found.near)
                ),
                evidence=Evidence(tuple(paths)),
            )

        return await self._thread(look)

    async def verify(self, request: records.VerifyRequest) -> records.VerifyReply:
        """Whether the graph states what an answer's evidence, or a list of triples of ids, claims."""
        hosted = self.host.graph(request.graph)
        graph = hosted.now.graph
        if request.evidence is None and not request.triples and request.plan is None:
            raise InputError("nothing to verify: send evidence or plan as /v1/ask returned it, or triples of three ids")
        evidence = request.evidence or Evidence()
        more = await self._thread(_claimed, request.triples, graph)
        stated = [c for c in request.candidates if not c.computed and (c.paths or request.plan is None)]
        candidates = tuple(Candidate(c.text, c.score, c.entity, c.paths) for c in stated)
        claim = Answer(Question("verify", ""), "", candidates, Evidence(evidence.paths, (*evidence.triples, *more)))
        problems = await self._thread(verify, claim, graph)
        problems += await self._thread(_unmade, request.plan, request.candidates, graph)
        return records.VerifyReply(
            graph=hosted.name, version=graph.name, proven=not problems, problems=tuple(problems[:100])
        )

    # -- the machinery ---------------------------------------------------------------------------------------------

    async def _thread(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.to_thread(work, *arguments)

    def public(self, error: ClewError) -> str:
        """An error's message without the folders of this machine."""
        text = str(error)
        for folder, shown in self._hidden:
            text = text.replace(folder, shown)
        return text


def _unmade(plan: str | None, candidates: Sequence[records.CandidateReply], graph: GraphStore) -> list[str]:
    """Which candidates a plan does not make when it is executed again."""
    if plan is None:
        return [f"{c.text!r} claims to be computed, and there is no plan" for c in candidates if c.computed]
    if not isinstance(graph, (Graph, ServerGraph)):
        raise InputError("plans are executed on graph folders and graphs in servers only")
    found = run(graph, plan, limit=MADE, limits=PlanLimits(pairs=PLAN_PAIRS))
    texts = {row[0] for row in found.rows}
    ids = {row[1] for row in found.rows} if "id" in found.columns else texts
    wrong = [
        c.text for c in candidates if (c.text not in texts if c.entity is None else c.entity.id not in ids | texts)
    ]
    more = [f"the plan was not executed to the end: {note}" for note in found.notes if not found.complete]
    return [*(f"{text!r} is not what the plan makes" for text in wrong), *more]


class _Stages:
    """Turns what a method says while it works into stages, on the event loop's side."""

    def __init__(self, on_stage: OnStage | None, loop: asyncio.AbstractEventLoop) -> None:
        self._on_stage, self._loop = on_stage, loop
        self._linked = self._searched = False

    def linked(self, topics: list[Topic]) -> None:
        if self._on_stage is not None and not self._linked:
            self._linked = True
            self._tell("linking", {"topics": topics})

    def event(self, event: Event) -> None:
        if self._on_stage is not None and event.stage not in ("link", "warning", "graph"):
            self._searched = True
            self._tell("search", {"stage": event.stage, "message": event.message})

    def end(self, answer: Answer) -> None:
        if self._on_stage is None:
            return
        if not self._linked:
            self._on_stage("linking", {"topics": list(answer.topics)})
        if not self._searched:
            self._on_stage("search", {"stage": "search", "message": str(answer.details.get("path", ""))})
        self._on_stage("evidence", {"paths": len(answer.evidence.paths), "candidates": len(answer.candidates)})

    def _tell(self, stage: Stage, data: dict[str, Any]) -> None:
        assert self._on_stage is not None
        self._loop.call_soon_threadsafe(self._on_stage, stage, data)


def _roots(host: Host) -> list[tuple[str, str]]:
    """Folders of this machine and what is shown instead, the longest first."""
    roots: dict[str, str] = {}
    for name, hosted in host.graphs.items():
        if hosted.folder is not None:
            for form in (hosted.folder, hosted.folder.resolve()):
                roots[str(form)] = name
    for folder in (Path.cwd(), Path.home(), Path(sys.prefix), Path(__file__).parents[2]):
        roots.setdefault(str(folder) + os.sep, "")
    return sorted(roots.items(), key=lambda pair: -len(pair[0]))


def _claimed(triples: Sequence[tuple[str, str, str]], graph: GraphStore) -> tuple[Triple, ...]:
    """Triples of ids as records, with the names that the graph has for them: only whether they are stated is asked."""
    relations = {relation.id: relation for relation in graph.relations()}

    def entity(id: str) -> Entity:
        try:
            return graph.entity(id)
        except NotFoundError:
            return Entity(id, id)

    return tuple(
        Triple(entity(head), relations.get(relation, Relation(relation, relation)), entity(tail))
        for head, relation, tail in triples
    )


def _check_topics(topics: Sequence[str], graph: GraphStore) -> None:
    for topic in topics:
        given(topic, graph)


def _entity(
    name: str,
    graph: GraphStore,
    text: str,
    offset: int,
    limit: int,
    relation: str | None,
    direction: Literal["out", "in", "both"],
) -> records.EntityReply:
    entity = given(text, graph)[0].entity
    if isinstance(graph, Graph):
        counts, total, triples = _page(graph, entity.id, offset, limit, relation, direction)
        aliases = tuple(graph.aliases_of(entity.id)[:20])
    else:
        wanted = None if relation is None else {relation}
        found = graph.neighbors([entity.id], relations=wanted, direction=direction, limit=offset + limit + 1)
        counts, total, triples, aliases = (), len(found), found[offset : offset + limit], ()
    return records.EntityReply(
        graph=name,
        version=graph.name,
        entity=entity,
        description=described(graph, entity.id),
        aliases=aliases,
        total=total,
        offset=offset,
        next=offset + limit if offset + limit < total else None,
        relations=tuple(counts),
        triples=tuple(triples),
    )


def _page(
    graph: Graph, id: str, offset: int, limit: int, relation: str | None, direction: str
) -> tuple[Sequence[records.RelationCount], int, list[Triple]]:
    """Its relations with their counts, how many triples are selected, and one page of these, from the arrays."""
    number = graph.number_of(id)
    assert number is not None
    wanted = None if relation is None else graph.relation_number(relation)
    counts: list[records.RelationCount] = []
    selected: list[Any] = []
    sides: tuple[tuple[Any, Literal["out", "in"]], ...] = ((graph.whole.out, "out"), (graph.whole.inc, "in"))
    for side, towards in sides:
        here = slice(int(side.offsets[number]), int(side.offsets[number + 1]))
        relations, triples = side.relations[here], side.triples[here]
        for each, many in zip(*np.unique(relations, return_counts=True), strict=True):
            counts.append(
                records.RelationCount(relation=graph.relation_at(int(each)), direction=towards, triples=int(many))
            )
        if direction in (towards, "both") and (relation is None or wanted is not None):
            selected.append(triples if wanted is None else triples[relations == wanted])
    chosen = np.concatenate(selected) if selected else np.empty(0, np.int32)
    page = [graph.whole.triple(int(t)) for t in chosen[offset : offset + limit]]
    return counts, len(chosen), page
