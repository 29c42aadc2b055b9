"""Explorations over the films, a chat model that reads the prompt, and a store that can fail."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from clew.errors import UnavailableError
from clew.graph import Graph
from clew.llm import load_prompt
from clew.methods.roe.config import Config
from clew.methods.roe.edges import GraphEdges, edges_of
from clew.methods.roe.environment import Exploration
from clew.methods.roe.gold import plan_of
from clew.methods.roe.notation import JsonNotation
from clew.methods.roe.short import ShortNotation
from clew.protocols import Direction, LLMRequest
from clew.types import Entity, Relation, Triple

PROMPT = load_prompt("clew.methods.roe", "explore", slots=("question", "path", "neighbours"))


def explore(graph: Graph, topics: list[str], **settings: Any) -> Exploration:
    """An exploration with the rules of a Config."""
    edges = edges_of(graph, limit=1000)
    numbers = [number for topic in topics if (number := edges.number(topic)) is not None]
    return Exploration(numbers, edges, plan_of(Config(**settings)), json_notation(edges).weigh)


def json_notation(edges: GraphEdges, *, closed_answers: bool = True) -> JsonNotation:
    return JsonNotation(edges, PROMPT, len, closed_answers=closed_answers)


def short_notation(edges: GraphEdges, *, names: bool = False) -> ShortNotation:
    return ShortNotation(edges, names=names)


def listed(request: LLMRequest) -> Iterator[tuple[str, str, str]]:
    """Number, head and relation of every neighbour in a prompt."""
    for line in request.messages[-1].content.partition("Neighbours:\n")[2].splitlines():
        number, _, rest = line.partition(". ")
        head, relation, _ = rest.split(" | ", 2)
        yield number, head, relation


def by_relation(request: LLMRequest) -> str:
    """A chat model that answers with the relations the question names, and walks over all others."""
    question = request.messages[-1].content.partition("\n")[0]
    answers = [n for n, _, relation in listed(request) if relation in question]
    explored = [n for n, _, relation in listed(request) if "inverse" not in relation and n not in answers]
    return json.dumps({"answers": answers, "exploration_paths": [] if answers else explored})


def numbers(graph: Graph, *labels: str) -> np.ndarray:
    return np.array([graph.whole.local(label) for label in labels], np.int32)


class Remote:
    """A store that is not embedded, and that can stop answering."""

    def __init__(self, graph: Graph, fails_at: int = 10**9) -> None:
        self._graph, self._left = graph, fails_at
        self.name = "remote"
        self.calls = 0

    def find(self, label: str, *, limit: int = 10) -> list[tuple[Entity, float]]:
        return self._graph.find(label, limit=limit)

    def entity(self, id: str) -> Entity:
        return self._graph.entity(id)

    def neighbors(
        self,
        entities: Sequence[str],
        *,
        relations: object = None,
        direction: Direction = "both",
        limit: int | None = None,
    ) -> list[Triple]:
        self.calls += 1
        if self.calls >= self._left:
            raise UnavailableError("graph store: no answer within 5 s")
        return self._graph.neighbors(entities, direction=direction, limit=limit)

    def relations(self) -> list[Relation]:
        return self._graph.relations()

    def triples(self) -> object:
        return self._graph.triples()
