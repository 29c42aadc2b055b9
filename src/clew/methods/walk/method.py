"""The method `walk`: question → topics → relation paths → the best one's ends, each with its thread.

Separate parts: `search` knows the graph, `ranking` the question, `candidates` brings them together, `weights` holds the
fitted numbers. This file is what the user meets: configuration, stages in running order, evidence, abstention.

Shapes: L texts, D width of a vector.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from clew.config import Settings
from clew.encoding import remembering
from clew.errors import ConfigError, unknown
from clew.graph import Subgraph, has_arrays
from clew.graph.kinds import kinds_of_any
from clew.graph.neighborhood import neighborhood
from clew.graph.remote import in_a_server
from clew.graph.remote.ground import Ground
from clew.methods.walk.candidates import BeamSearch, SearchLimits, WalkCandidate, texts_of
from clew.methods.walk.ranking import FEATURES, Floats, Rating
from clew.methods.walk.weights import CALIBRATION, UNITS, WEIGHTS
from clew.protocols import GraphStore, Method, OnEvent, Tools, ignore
from clew.reading.calibration import calibrated
from clew.reading.threads import Way, all_ends, answers, way_of
from clew.reading.topics import ALTERNATIVES, MAX_TRIPLES, MOST_TOPICS, namesakes, start_of, starts_of
from clew.retrieval.reader import read
from clew.retrieval.scoring import QuestionParts, take_apart
from clew.types import Answer, Candidate, Event, Evidence, Path, Question, Topic


class Config(Settings):
    """Settings of `walk`."""

    hops: int = Field(3, ge=1, le=4)  # most steps of a path; passing through a mediator is one step
    threshold: float = Field(
        0.55, ge=0, le=1
    )  # from development questions; below this score the answer is "no answer found"
    paths: int = Field(2, ge=1)  # threads shown per answer
    weights: dict[str, float] = Field(default_factory=dict)  # overrides of the fitted linear weights

    removed: ClassVar[Mapping[str, Any]] = {
        "beam": 8,
        "topics": MOST_TOPICS,
        "shortlist": 100,
        "finalists": 32,
        "frontier": 2000,
        "max_triples": MAX_TRIPLES,
        "alternatives": ALTERNATIVES,
    }


@dataclass(frozen=True, eq=False)
class _Asking:
    """One question on its way."""

    question: Question
    topics: tuple[Topic, ...]
    asked: QuestionParts
    left_out: tuple[str, ...]
    seconds: float


class Walk(Method):
    """Training-free walk over relation paths.

    Idea: every step of the right path is asked for by a phrase of the question, and every content word of the question
    is asked for by some step. Beam search over relation paths (never entity paths) from each topic; paths of all
    lengths and topics, and pairs of paths that meet, compete in one score (`ranking`); all ends of the best
    path are the answer, with its calibrated probability as their score, or "no answer found" below the threshold.

    Needs a sentence encoder. A language model, where configured, reads the best paths and chooses among their ends.
    Cost: no language-model call (one with a reader); about 30 short texts to encode per question, relation texts once
    per graph; search O(topics · hops · beam · triples around the frontier).
    """

    name: ClassVar[str] = "walk"

    def __init__(self, config: Config, tools: Tools) -> None:
        if tools.encoder is None:
            raise ConfigError("walk needs a sentence encoder, got none: set [encoder] name, or pass Tools(encoder=…)")
        for key in config.weights:
            if key not in FEATURES:
                raise ConfigError(f"walk: {unknown('key', key, FEATURES)} in [method.weights]")
        self._config, self._tools, self._encoder = config, tools, remembering(tools.encoder)
        self._relations = self._encoder if tools.relations is None else remembering(tools.relations)
        self.rating = Rating.of({**WEIGHTS, **config.weights}, UNITS)
        self.limits = SearchLimits(config.hops)
        self._types: dict[str, list[int]] = {}

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        """One answer per question; their phrases are encoded together."""
        asking = [self._begin(question, graph) for question in questions]
        began = time.perf_counter()
        self._encode([text for a in asking if a.topics for text in texts_of(a.asked)])
        shared = (time.perf_counter() - began) / max(len(asking), 1)
        return [self._answer(a, graph, shared, on_event) for a in asking]

    def _answer(self, asking: _Asking, graph: GraphStore, encoding: float, on_event: OnEvent) -> Answer:
        if not asking.topics:
            why = "; ".join(asking.left_out) or "no part of the question names an entity of the graph"
            return self._abstain(asking, f"no topic found: {why}")
        on_event(Event("link", ", ".join(topic.entity.label for topic in asking.topics)))
        began = time.perf_counter()
        ground = self.ground(asking.topics, graph)
        found, cut = self.hunt(asking.asked, asking.topics, ground, graph.name)
        searched = time.perf_counter()
        on_event(Event("search", f"{len(found)} relation paths", {"best": found[0].text if found else None}))
        answer = self._conclude(asking, ground, found, cut)
        seconds = {"link": asking.seconds, "encode": encoding, "search": searched - began}
        return replace(answer, seconds={**seconds, "evidence": time.perf_counter() - searched, **answer.seconds})

    def _begin(self, question: Question, graph: GraphStore) -> _Asking:
        """Topics, and the question taken apart with their mentions masked."""
        began = time.perf_counter()
        start = start_of(question, graph, linker=self._tools.link, encoder=self._encoder)
        told, kept = list(start.told), start.topics
        asked = take_apart(question.text, list(dict.fromkeys(topic.mention for topic in kept)))
        if asked.left_out:
            told.append(f"the last {asked.left_out} words of the question were not read")
        return _Asking(question, kept, asked, tuple(told), time.perf_counter() - began)

    def ground(self, topics: Iterable[Topic], graph: GraphStore) -> Subgraph:
        """The whole graph where it is embedded, what the search looks at of a server's, else what lies around."""
        if has_arrays(graph):
            return graph.as_subgraph
        ids = list(dict.fromkeys(topic.entity.id for topic in topics))
        if in_a_server(graph):
            return Ground(graph, ids, most=MAX_TRIPLES)
        return neighborhood(graph, ids, self._config.hops + 1, max_triples=MAX_TRIPLES)

    def candidates(self, question: Question, graph: GraphStore) -> tuple[Subgraph | None, list[WalkCandidate]]:
        """What competes for a question, best first, and the graph in which the ends stand; scripts/fit_walk.py."""
        asking = self._begin(question, graph)
        if not asking.topics:
            return None, []
        ground = self.ground(asking.topics, graph)
        return ground, self.hunt(asking.asked, asking.topics, ground, graph.name)[0]

    def hunt(
        self, asked: QuestionParts, topics: Sequence[Topic], ground: Subgraph, name: str
    ) -> tuple[list[WalkCandidate], tuple[str, ...]]:
        """The candidates of a question that was taken apart, best first, and what a limit cut off."""
        pairs = [(topic, start) for topic in topics if (start := ground.local(topic.entity.id)) is not None]
        if not pairs:
            return [], ()
        if name not in self._types or ground.truncated:
            self._types[name] = list(kinds_of_any(ground.names).stated)
        hunt = BeamSearch(
            ground,
            asked,
            [topic for topic, _ in pairs],
            [start for _, start in pairs],
            self.rating,
            self._encode,
            self._relations.encode,
            self.limits,
            self._types[name],
        )
        return hunt.run(), (*ground.truncated, *hunt.cut)

    def _conclude(self, asking: _Asking, ground: Subgraph, found: list[WalkCandidate], cut: tuple[str, ...]) -> Answer:
        """The best path's ends with their threads, or an abstention that names the best path."""
        details: dict[str, Any] = {"limits": [*asking.left_out, *cut]}
        if not found:
            return self._abstain(asking, "no answer found: no path leads from the topics", details)
        score = calibrated(calibration_inputs(found), CALIBRATION, 1.0)
        details |= {
            "path": found[0].text,
            "features": {name: round(float(v), 4) for name, v in zip(FEATURES, found[0].features, strict=True)},
            "alternatives": [
                {"path": f.text, "ends": len(f.ends), "score": round(f.score, 3)} for f in found[1 : 1 + ALTERNATIVES]
            ],
        }
        groups = [found[0], *namesakes(found, asking.topics, lambda each: (each.trails, ()))]
        if self._tools.language_model is not None:
            return self._read(asking, ground, [*groups, *found[1 : 1 + ALTERNATIVES]], score, details)
        if score < self._config.threshold:
            note = f"no answer found: the best path, {found[0].text!r}, has score {score:.2f}"
            return self._abstain(asking, f"{note}, below {self._config.threshold:.2f} (threshold)", details)
        candidates, paths = self._threads(ground, groups, asking.topics, score)
        return Answer(asking.question, self.name, candidates, Evidence(paths), topics=asking.topics, details=details)

    def _threads(
        self, ground: Subgraph, groups: Sequence[WalkCandidate], topics: Sequence[Topic], score: float
    ) -> tuple[tuple[Candidate, ...], tuple[Path, ...]]:
        """Every end of the groups as a candidate, with the paths that lead there."""
        if ground.grows:
            for chains, _ in _ways(ground, groups, topics):
                all_ends(ground, chains)  # has what lies on the way fetched
            ground = ground.ordered()
        return answers(ground, _ways(ground, groups, topics), score, self._config.paths)

    def _read(
        self, asking: _Asking, ground: Subgraph, groups: Sequence[WalkCandidate], score: float, details: dict[str, Any]
    ) -> Answer:
        """A language model chooses among the ends; what it says beyond them is left unsupported."""
        assert self._tools.language_model is not None
        began = time.perf_counter()
        _, paths = self._threads(ground, groups, asking.topics, score)
        evidence = Evidence(paths)
        reading = read(self._tools.language_model, asking.question.text, evidence)
        return Answer(
            asking.question,
            self.name,
            reading.candidates,
            evidence,
            asking.topics,
            note=reading.note,
            reply=reading.reply,
            usage=reading.usage,
            seconds={"read": time.perf_counter() - began},
            details=details,
        )

    def _abstain(self, asking: _Asking, note: str, details: dict[str, Any] | None = None) -> Answer:
        return Answer(asking.question, self.name, topics=asking.topics, note=note, details=details or {})

    def _encode(self, texts: Sequence[str]) -> Floats:
        """(L, D) vectors; what was encoded before is remembered."""
        return self._encoder.encode(texts)


def _ways(ground: Subgraph, groups: Sequence[WalkCandidate], topics: Sequence[Topic]) -> list[Way]:
    starts = starts_of(ground, topics)
    return [way_of(group.trails, (), starts) for group in groups]


def calibration_inputs(found: Sequence[WalkCandidate]) -> dict[str, float]:
    """What the calibration looks at: the best candidate alone, and against the others."""
    scores = np.array([f.score for f in found], np.float64)
    share = float(1 / np.exp(scores - scores[0]).sum())
    return {"share": share, **dict(zip(FEATURES, found[0].features.tolist(), strict=True))}
