"""A small graph with mediators, a scripted model that speaks the paper's prompts, and ways to run single stages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from clew.graph import Graph
from clew.methods.eperm.asking import PlacedQuestion, PromptClient, QuestionState
from clew.methods.eperm.config import Style
from clew.protocols import Ability, LLMReply, LLMRequest, LLMText
from clew.types import Entity, Question, Topic, Usage

CAREER = [
    ("Ronaldo", "plays in", "m.01"),
    ("m.01", "team", "Portugal"),
    ("m.01", "year", "2010"),
    ("Ronaldo", "plays in", "m.02"),
    ("m.02", "team", "Madrid"),
    ("m.02", "year", "2014"),
    ("Ronaldo", "plays in", "m.03"),
    ("m.03", "team", "Juventus"),
    ("m.03", "year", "2018"),
    ("Ronaldo", "born in", "Funchal"),
    ("Funchal", "country", "Portugal"),
    ("Aveiro", "born in", "Funchal"),
]
BEST: Sequence[Ability] = ("beams", "logprobs", "constrained", "json_schema")


class Scripted:
    """A model whose function gives (text, log-probability, tokens) for each request."""

    name = "scripted"

    def __init__(
        self,
        script: Callable[[LLMRequest, str], Sequence[tuple[str, float, int]] | str],
        abilities: Sequence[Ability] = (),
    ) -> None:
        self._script, self.abilities = script, frozenset(abilities)
        self.prompts: list[str] = []
        self.requests: list[LLMRequest] = []

    def generate(self, requests: Sequence[LLMRequest]) -> list[LLMReply]:
        replies = []
        for request in requests:
            prompt = "\n".join(message.content for message in request.messages)
            self.prompts.append(prompt)
            self.requests.append(request)
            said = self._script(request, prompt)
            rows = [(said, -1.0, 1)] if isinstance(said, str) else list(said)
            replies.append(LLMReply(tuple(LLMText(t, p, n) for t, p, n in rows), Usage(1, 0, len(prompt), 1)))
        return replies


def career() -> Graph:
    return Graph.from_triples(CAREER, name="career")


def linked(graph: Graph, text: str, *topics: str) -> QuestionState:
    """A question with its topics."""
    named = [Topic(graph.entity(name), 1.0, name, "given") for name in topics]
    return QuestionState(Question("q", text, topics), named, text)


def case_of(graph: Graph, text: str, *topics: str) -> PlacedQuestion:
    """A question whose subgraph is the whole graph."""
    return PlacedQuestion.of(linked(graph, text, *topics), graph.whole, graph.whole, topics)


def asker(script: Any, abilities: Sequence[Ability] = (), style: Style = "paper") -> PromptClient:
    return PromptClient(Scripted(script, abilities), style)


def relation(graph: Graph, name: str) -> int:
    return next(i for i, known in enumerate(graph.relations()) if known.label == name)


def named(graph: Graph, locals_: Any) -> list[str]:
    return sorted(graph.whole.labels(locals_))


def entity(name: str) -> Entity:
    return Entity(name, name)


WORDS = {"currency": "currency", "continent": "continent", "capital of": "capital of", "borders": "borders"}


def says(request: LLMRequest) -> Any:
    """What a fair model would write to the prompts of the style "paper": plans by keyword, answers by weight."""
    prompt = request.messages[-1].content
    if prompt.startswith("Find relation paths"):
        question = prompt.rpartition("Question: ")[2]
        plan = next((name for word, name in WORDS.items() if word in question), "located in")
        return json.dumps({"plans": [{"path": [plan], "weight": 0.8}, {"path": ["continent"], "weight": 0.2}]})
    if prompt.startswith("Answer the question from the reasoning paths"):
        lines = prompt.rpartition("Reasoning paths:")[2].partition("Question:")[0]
        rows = re.findall(r"-> ([^\n]*?) Score:([\d.]+)$", lines, re.MULTILINE)
        best = max((float(score) for _, score in rows), default=0.0)
        return json.dumps([name.rpartition("-> ")[2] for name, score in rows if float(score) == best])
    return "[]"
