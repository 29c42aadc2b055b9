"""A graph of films, questions that a tiny decoder learns in seconds, and a chat model that reads the prompt."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from clew.errors import UnavailableError
from clew.graph import Graph
from clew.llm import load_prompt
from clew.methods.roe.config import Config
from clew.methods.roe.edges import Edges, edges_of
from clew.methods.roe.environment import Exploration
from clew.methods.roe.gold import plan_of
from clew.methods.roe.notation import JsonNotation, ShortNotation
from clew.protocols import Direction, Example, LLMRequest
from clew.types import Entity, Gold, Question, Relation, Triple

FILMS = 12
PROMPT = load_prompt("clew.methods.roe", "explore", slots=("question", "path", "neighbours"))


def film_triples() -> list[tuple[str, str, str]]:
    triples = []
    for i in range(FILMS):
        triples += [
            (f"film {i}", "directed_by", f"person {i % 4}"),
            (f"film {i}", "written_by", f"person {(i * 3 + 1) % 5}"),
            (f"film {i}", "release_year", str(1990 + i % 3)),
        ]
    return triples


def film_examples() -> list[Example]:
    """Who directed, who wrote (1 hop), and the years of a person's films (2 hops, several answers)."""
    triples = film_triples()
    examples = []
    for i in range(FILMS):
        for verb, relation in (("directed", "directed_by"), ("wrote", "written_by")):
            answer = next(t for h, r, t in triples if (h, r) == (f"film {i}", relation))
            examples.append(_example(f"who {verb} film {i}", f"film {i}", (answer,)))
    for p in range(4):
        films = [h for h, r, t in triples if (r, t) == ("directed_by", f"person {p}")]
        years = sorted({t for h, r, t in triples if r == "release_year" and h in films})
        examples.append(_example(f"in which years came out what person {p} directed", f"person {p}", tuple(years)))
    return examples


def _example(text: str, topic: str, answers: tuple[str, ...]) -> Example:
    return Example(Question(text, text, (topic,)), Gold(answers, answers))


def explore(graph: Graph, topics: list[str], **settings: Any) -> Exploration:
    """An exploration with the rules of a Config."""
    edges = edges_of(graph, limit=1000)
    numbers = [number for topic in topics if (number := edges.number(topic)) is not None]
    return Exploration(numbers, edges, plan_of(Config(**settings)), json_notation(edges).weigh)


def json_notation(edges: Edges, *, closed_answers: bool = True) -> JsonNotation:
    return JsonNotation(edges, PROMPT, len, closed_answers=closed_answers)


def short_notation(edges: Edges, *, names: bool = False) -> ShortNotation:
    return ShortNotation(edges, names=names, mask=True)


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
