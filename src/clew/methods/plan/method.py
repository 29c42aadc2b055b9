"""The method `plan`: question → topics → plans grown from them → the one that says what is asked → its ends.

Growth, wording and the network live in `clew.reading`; this file is what the user meets: configuration, the stages in
running order, evidence, probabilities, abstention.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from pydantic import Field

from clew.config import Settings
from clew.errors import ConfigError
from clew.graph import Subgraph, has_arrays
from clew.graph.neighborhood import neighborhood
from clew.labels import label_to_text
from clew.methods.plan.calibration import probability, signs
from clew.protocols import GraphStore, OnEvent, Tools, ignore
from clew.reading.growth import GrowthLimits, PlanCandidate
from clew.reading.network import Network
from clew.reading.reader import Rated, Reader, Reading
from clew.reading.threads import answers, best_guess, way_of
from clew.reading.topics import ALTERNATIVES, MAX_TRIPLES, MOST_TOPICS, namesakes, start_of, starts_of
from clew.reading.wording import QuestionWording, Wording
from clew.types import Answer, Event, Evidence, Question, Topic


class Config(Settings):
    """Settings of `plan`."""

    hops: int = Field(3, ge=1, le=4)  # most steps of a trail; passing through a mediator is one step
    threshold: float = Field(0.3, ge=0, le=1)  # below this probability the answer is "no answer found"
    paths: int = Field(2, ge=1)  # threads shown per answer

    removed: ClassVar[Mapping[str, Any]] = {
        "beam": 12,
        "plans": 64,
        "frontier": 400,
        "topics": MOST_TOPICS,
        "max_triples": MAX_TRIPLES,
        "alternatives": ALTERNATIVES,
    }


@dataclass(frozen=True, eq=False)
class _Asking:
    """One question with its topics."""

    question: Question
    topics: tuple[Topic, ...]
    told: tuple[str, ...]
    seconds: float


class PlanMethod:
    """Plans read by a small network that was trained over many graphs and knows none by heart.

    Idea: grow every sensible plan around the topics (relation paths, paths that meet, steps from where they meet), and
    let one network judge which of them says in words what the question asks. It reads the words of relations and kinds,
    never their ids, so a graph never seen is read like any other.

    Needs the sentence encoder whose token states the network reads (the default one). No language-model call.
    Cost: one short text encoded per question, relation texts once per graph.
    """

    name: ClassVar[str] = "plan"

    def __init__(self, config: Config, tools: Tools) -> None:
        if tools.encoder is None:
            raise ConfigError("plan needs a sentence encoder, got none: set [encoder] name, or pass Tools(encoder=…)")
        self._config, self._tools, self._encoder = config, tools, tools.encoder
        network = Network.open(tools.model / "reader.safetensors") if tools.model is not None else None
        self._reader = Reader(network, tools.encoder, tools.relations)
        self._limits = GrowthLimits(hops=config.hops)
        self._wordings: WeakKeyDictionary[GraphStore, Wording] = WeakKeyDictionary()

    def answer(self, question: Question, graph: GraphStore, *, on_event: OnEvent = ignore) -> Answer:
        """One answer; an abstention says why in its note and names the best guess."""
        asking = self._begin(question, graph)
        if not asking.topics:
            why = "; ".join(asking.told) or "no part of the question names an entity of the graph"
            return Answer(question, self.name, note=f"no topic found: {why}")
        on_event(Event("link", ", ".join(topic.entity.label for topic in asking.topics)))
        began = time.perf_counter()
        ground, wording = self.ground(asking.topics, graph)
        reading = self.read(question.text, asking.topics, ground, wording)
        read = time.perf_counter()
        best = reading.rated[0] if reading.rated else None
        said = None if best is None else plan_text(best, ground)
        on_event(Event("read", f"{len(reading.rated)} plans", {"best": said}))
        answer = self._conclude(asking, ground, reading)
        seconds = {"link": asking.seconds, "read": read - began, "evidence": time.perf_counter() - read}
        return replace(answer, seconds=seconds)

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        """One answer per question."""
        return [self.answer(question, graph, on_event=on_event) for question in questions]

    def _begin(self, question: Question, graph: GraphStore) -> _Asking:
        began = time.perf_counter()
        start = start_of(question, graph, linker=self._tools.link, encoder=self._encoder)
        return _Asking(question, start.topics, start.told, time.perf_counter() - began)

    @property
    def unable(self) -> str:
        """Why the encoder handed over does not do, so that the network's own is opened; "" where it does."""
        if self._reader.uses_given:
            return ""
        return f"plan reads token states of {self._reader.network.encoder}, and the encoder is {self._encoder.name}"

    def ground(self, topics: Sequence[Topic], graph: GraphStore) -> tuple[Subgraph, Wording]:
        """The whole graph where it is embedded, else what lies around the topics."""
        if not has_arrays(graph):
            ids = list(dict.fromkeys(topic.entity.id for topic in topics))
            ground = neighborhood(graph, ids, self._config.hops + 1, max_triples=MAX_TRIPLES)
            ground = ground.ordered()
            return ground, Wording(ground)
        wording = self._wordings.get(graph)
        if wording is None:
            wording = self._wordings[graph] = Wording(graph.as_subgraph)
        return wording.graph, wording

    def read(
        self, text: str, topics: Sequence[Topic], ground: Subgraph, wording: Wording, also: Sequence[PlanCandidate] = ()
    ) -> Reading:
        """What competes for a question, best first.

        Args:
            topics: each with how the question calls it; those that `ground` does not hold are passed over.
            also: plans to judge beside those grown here; their trails count the topics that `ground` holds.
        """
        here = [(t, start) for t in topics if (start := ground.local(t.entity.id)) is not None]
        if not here:
            return Reading(QuestionWording.of(text, []), (), 1.0, tuple(ground.truncated))
        return self._reader.read(
            text,
            ground,
            wording,
            [start for _, start in here],
            [topic.mention for topic, _ in here],
            self._limits,
            [topic.score for topic, _ in here],
            also,
        )

    def _conclude(self, asking: _Asking, ground: Subgraph, reading: Reading) -> Answer:
        details: dict[str, Any] = {"limits": [*asking.told, *ground.truncated, *reading.cut]}
        if not reading.rated:
            note = "no answer found: no plan leads from the topics"
            return Answer(asking.question, self.name, topics=asking.topics, note=note, details=details)
        best = reading.rated[0]
        score = probability(reading, self._reader.network.calibration)
        said = plan_text(best, ground)
        details |= {
            "plan": said,
            "none": round(reading.none, 4),
            "signs": {name: round(value, 4) for name, value in signs(reading).items()},
            "alternatives": [
                {"plan": plan_text(r, ground), "ends": len(r.plan.ends), "share": round(r.share, 4)}
                for r in reading.rated[1 : 1 + ALTERNATIVES]
            ],
        }
        topics = [t for t in asking.topics if ground.local(t.entity.id) is not None]
        groups = [best, *namesakes(reading.rated, topics, lambda each: (each.plan.trails, each.plan.after))]
        starts = starts_of(ground, topics)
        ways = [way_of(each.plan.trails, each.plan.after, starts) for each in groups]
        candidates, paths = answers(ground, ways, score, self._config.paths)
        if score < self._config.threshold:
            note = best_guess(candidates, said, score, self._config.threshold)
            return Answer(asking.question, self.name, topics=asking.topics, note=note, details=details)
        unused = unused_topics(topics, best)
        note = f"not used: {', '.join(unused)} (no plan with it was more likely)" if unused else ""
        return Answer(
            asking.question, self.name, candidates, Evidence(paths), asking.topics, note=note, details=details
        )


def unused_topics(topics: Sequence[Topic], best: Rated) -> list[str]:
    """Labels of topics whose mention the plan does not use."""
    used = {topics[trail.topic].mention for trail in best.plan.trails}
    return list(dict.fromkeys(topic.entity.label for topic in topics if topic.mention not in used))


def plan_text(rated: Rated, ground: Subgraph) -> str:
    """A plan as one line: "capital → population", "← directed by & starred actors → genre"."""

    def steps(chain: Sequence[Any]) -> str:
        hops = [(label_to_text(ground.relation(r).label), forward) for step in chain for r, forward in step]
        return " ".join(f"→ {name}" if forward else f"← {name}" for name, forward in hops)

    text = " & ".join(steps(trail.steps) for trail in rated.plan.trails)
    return f"({text}) {steps(rated.plan.after)}" if rated.plan.after else text
