"""RoE: answer a question by letting one model walk the graph, naming answers as it goes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from clew.encoding import remembering
from clew.errors import BudgetError, ConfigError
from clew.labels import label_to_text
from clew.llm import BudgetExhausted, Prompt, load_prompt, token_counter
from clew.methods.roe.config import Config
from clew.methods.roe.edges import GraphEdges, edges_of
from clew.methods.roe.environment import Exploration, Rank
from clew.methods.roe.gold import MAX_QUESTION, plan_of, shown_text, spellings
from clew.methods.roe.model import check, read_trained
from clew.methods.roe.notation import JsonNotation, Notation, Topical
from clew.methods.roe.options import ExplorationState, PathGroup, RelationOption, path_of, path_to
from clew.methods.roe.short import ShortNotation
from clew.protocols import GraphStore, LLMReply, LLMRequest, Method, OnEvent, TextEncoder, Tools, ignore
from clew.retrieval.linking import link_topics
from clew.types import Answer, Candidate, Event, Evidence, Path, Question, Topic, Usage

STORE_LIMIT = 10_000  # triples per entity that a remote store is asked for
MAX_ANSWERS = 1000  # of a question
MAX_PATHS = 3  # evidence paths of one answer


class RoE(Method):
    """Reasoning by Exploration (Han, Guo, Shomer, Wang, Chu, Li, Ma, Tang 2025).

    One language model explores the graph step by step: it sees the path so far and the neighbours of its end, names
    the neighbours that answer the question and those worth going to (section 4.1). Trained by supervision on gold
    steps (4.2, Algorithm 1), then by group-relative policy optimisation with five rewards (4.3).

    Needs: any language model, untrained; or a model from `clew train roe`. With a text encoder a chat model sees the
    relations of a hub in the order of their likeness to the question. Cost: one call per path state, at most
    `max_calls` per question; 2 in the median on PQ-2H.

    Differs from the paper, each a switch: the unit is one path state for training and inference alike (the paper
    trains on whole levels: `state = "level"`); all entities by one relation are one option (`siblings = "each"` for
    single ones); gold are the relation paths that fit the answers best (`gold = "all"`); the discovery rewards are
    bounded (`discovery = "paper"`). See README.md beside this file for why.
    """

    name: ClassVar[str] = "roe"

    def __init__(self, config: Config, tools: Tools):
        model = tools.language_model
        if tools.model is not None:
            trained = read_trained(tools.model)
            config = trained.asked_with(config)
            model = trained.open(config)
        check(config)
        if model is None:
            raise ConfigError(
                "method 'roe' needs a language model: set [language_model] in the configuration, or name a model that "
                "clew train roe made with --model"
            )
        self.config, self._tools, self._language_model = config, tools, model
        self._prompt = load_prompt(
            "clew.methods.roe", "explore", slots=("question", "path", "neighbours"), override=config.prompt
        )
        self.reads_whole = config.notation == "json"  # counts and dates are for the model
        ranks = config.notation == "json" and config.state == "path" and tools.model is None
        self._encoder = remembering(tools.encoder) if ranks and tools.encoder is not None else None

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        """Answers in order; the present states of all questions are shown to the model together.

        Raises what the language model raises when nothing was asked yet; later a used-up budget ends the walks, and
        what they found is the answer.
        """
        begun = time.perf_counter()
        edges = edges_of(graph, limit=STORE_LIMIT)
        begun_with = [self._begin(question, graph, edges) for question in questions]
        walks = [walk for walk in begun_with if isinstance(walk, _Exploring)]
        while live := [walk for walk in walks if not walk.going.done]:
            states = [walk.going.prompt() for walk in live]
            requests = [self._request(walk, state) for walk, state in zip(live, states, strict=True)]
            replies, stopped = self._generate(requests, live)
            for walk, state, reply in zip(live, states, replies, strict=True):
                if reply is None:
                    walk.going.stop(stopped)
                else:
                    self._step(walk, state, reply, on_event)
        # Questions walk together, so each is booked its share of the time.
        seconds = (time.perf_counter() - begun) / max(1, len(begun_with))
        return [self._finish(each, seconds) if isinstance(each, _Exploring) else each for each in begun_with]

    def _begin(self, question: Question, graph: GraphStore, edges: GraphEdges) -> _Exploring | Answer:
        """Topics, and the first state; where nothing can be explored the answer says why."""
        linked = link_topics(question, graph, linker=self._tools.link)
        starts: dict[int, Topic] = {}
        for topic in linked.topics:
            number = edges.number(topic.entity.id)
            if number is not None:
                starts.setdefault(number, topic)
        if not starts:
            note = linked.note or "no topic entity lies in this graph"
            return Answer(question, self.name, topics=linked.topics, note=note)
        text = shown_text(question.text)
        named = Topical(text, {n: spellings([t.mention, t.entity.label]) for n, t in starts.items()})
        notation = notation_of(self.config, edges, self._prompt, token_counter(self._language_model))
        rank = None if self._encoder is None else likest_first(self._encoder, edges, text)
        going = Exploration(list(starts), edges, plan_of(self.config), notation.weigh, rank=rank)
        cut = len(text) < len(" ".join(question.text.split()))
        notes = [linked.note, f"the question was cut at {MAX_QUESTION} characters" if cut else ""]
        return _Exploring(question, linked.topics, notation, named, going, notes)

    def _request(self, walk: _Exploring, state: ExplorationState) -> LLMRequest:
        """The prompt of a state, bound to its options as far as the model can be bound."""
        abilities, config = self._language_model.abilities, self.config
        bound = "constrained" in abilities
        by_schema = not bound and "json_schema" in abilities
        return LLMRequest(
            walk.notation.messages(walk.text, state),
            max_tokens=config.max_tokens,
            logprobs="logprobs" in abilities,
            json_schema=walk.notation.schema(state) if by_schema else None,
            constraint=walk.notation.grammar(state) if bound else None,
        )

    def _generate(self, requests: list[LLMRequest], live: list[_Exploring]) -> tuple[list[LLMReply | None], str]:
        try:
            return list(self._language_model.generate(requests)), ""
        except BudgetError as error:
            partial = error.partial if isinstance(error, BudgetExhausted) else ()
            if not any(partial) and not any(walk.going.tally.calls for walk in live):
                raise
            return [*partial, *[None] * (len(requests) - len(partial))], str(error)

    def _step(self, walk: _Exploring, state: ExplorationState, reply: LLMReply, on_event: OnEvent) -> None:
        """Read one reply and go on."""
        text = reply.texts[0] if reply.texts else None
        written = "" if text is None else text.text
        action = walk.notation.read(written, state)
        usage = reply.usage
        logprob = (text.logprob if text is not None else None) or 0.0
        walk.usage += usage
        walk.reply = written
        walk.going.advance(action, tokens=usage.prompt_tokens + usage.completion_tokens, logprob=logprob)
        if on_event is ignore:
            return
        told = JsonNotation(walk.going.edges, self._prompt, len, closed_answers=True, inline=True).paper(action, state)
        on_event(
            Event(
                "step",
                f"depth {state.depth}: {len(state.options)} relations seen, {len(action.explore)} explored, "
                f"{len(action.answers)} answered",
                {
                    "question": walk.question.id,
                    "depth": state.depth,
                    "seen": walk.notation.messages(walk.text, state)[-1].content,
                    "reply": written,
                    **told,
                    "invalid": list(action.invalid),
                    "problem": action.problem,
                },
            )
        )

    def _finish(self, walk: _Exploring, seconds: float) -> Answer:
        """Everything that was named, best supported first, each with its paths."""
        going, tally = walk.going, walk.going.tally
        candidates, paths, cut = self._candidates(going)
        notes = [*walk.notes, going.stopped, *tally.notes]
        if tally.cut:
            notes.append(
                f"{len(tally.cut)} entities have more triples than a store is asked for ({STORE_LIMIT:,}); "
                "what lies beyond was not seen"
            )
        if cut:
            notes.append(f"{cut} more answers are left out")
        if not candidates:
            notes.insert(0, _why_nothing(going))
        details: dict[str, Any] = {
            "calls": tally.calls,
            "tokens": tally.tokens,
            "explored": tally.explored,
            "invalid": tally.invalid,
            "unreadable": tally.unreadable,
        }
        if going.stopped:
            details["stopped"] = going.stopped
        if tally.cut:
            details["cut"] = [going.edges.entity(number).id for number in tally.cut]
        return Answer(
            walk.question,
            self.name,
            tuple(candidates),
            Evidence(tuple(paths)),
            walk.topics,
            "; ".join(note for note in notes if note),
            walk.reply,
            walk.usage,
            {"explore": seconds},
            details,
        )

    def _candidates(self, going: Exploration) -> tuple[list[Candidate], list[Path], int]:
        reached: dict[int, list[_Way]] = {}
        for found in going.found:
            option = found.option
            for edge in found.edges.tolist():
                entity = int(option.targets[edge])
                ways = reached.setdefault(entity, [])
                if len(ways) < MAX_PATHS and all(way.source is not option for way in ways):
                    ways.append(_Way(option.path_group.topic, found.logprob, option, edge))
        for path_group, row in going.ended:
            reached.setdefault(int(path_group.entities[row]), []).append(
                _Way(path_group.topic, path_group.logprob, path_group, row)
            )
        numbers = np.fromiter(reached, np.int32, len(reached))
        named = ~going.edges.mediators(numbers) if len(numbers) else np.empty(0, bool)
        if named.any():  # a nameless node is an answer only where nothing else is
            reached = {n: reached[n] for n in numbers[named].tolist()}
        topics = max(1, len({way.topic for ways in reached.values() for way in ways}))
        scored = [
            (len({way.topic for way in ways}) / topics * max(way.score for way in ways), entity)
            for entity, ways in reached.items()
        ]
        scored.sort(key=lambda each: -each[0])
        paths: list[Path] = []
        candidates: list[Candidate] = []
        for score, number in scored[:MAX_ANSWERS]:
            own = [way.path(going.edges) for way in reached[number]]
            end = going.edges.entity(number)
            candidates.append(Candidate(end.label, score, end, tuple(range(len(paths), len(paths) + len(own)))))
            paths += own
        if not self.config.closed_answers:
            candidates += [Candidate(text, 0.0) for text in dict.fromkeys(going.unseen)]
        return candidates, paths, max(0, len(scored) - MAX_ANSWERS)


@dataclass(eq=False)
class _Exploring:
    """One question under way."""

    question: Question
    topics: tuple[Topic, ...]
    notation: Notation
    text: Topical
    going: Exploration
    notes: list[str]
    usage: Usage = field(default_factory=Usage)
    reply: str | None = None


@dataclass(frozen=True, eq=False)
class _Way:
    """How an answer was reached: over an edge of an option, or as a row of a path group."""

    topic: int
    logprob: float
    source: RelationOption | PathGroup
    at: int

    @property
    def score(self) -> float:
        return math.exp(min(0.0, self.logprob))

    def path(self, edges: GraphEdges) -> Path:
        if isinstance(self.source, RelationOption):
            return path_of(edges, self.source, self.at, self.score)
        return path_to(edges, self.source, self.at, self.score)


def _why_nothing(going: Exploration) -> str:
    tally = going.tally
    if not tally.calls:
        return "" if going.stopped else "the topics have no neighbours"
    if tally.unreadable == tally.calls:
        return "no reply of the language model could be read"
    if going.unseen or tally.invalid:
        return "nothing that the language model named was among what it saw"
    return "the language model found no answer"


def likest_first(encoder: TextEncoder, edges: GraphEdges, question: str) -> Rank:
    """Options of a hub by the likeness of their relations to the question, so that few calls suffice."""

    def ranked(options: Sequence[RelationOption]) -> list[RelationOption]:
        names = [label_to_text(edges.relation(option.code // 2).label) for option in options]
        likeness = encoder.encode(names) @ encoder.encode([question], role="query")[0]
        return [options[i] for i in np.argsort(-likeness, kind="stable").tolist()]

    return ranked


def notation_of(config: Config, edges: GraphEdges, prompt: Prompt, count: Callable[[str], int]) -> Notation:
    """The configured notation over a graph."""
    if config.notation == "json":
        return JsonNotation(
            edges, prompt, count, closed_answers=config.closed_answers, inline=config.mediators != "keep"
        )
    return ShortNotation(edges, names=config.notation != "numbers", words=config.notation == "words")
