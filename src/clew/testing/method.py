"""What every method must do: subclass `MethodSuite` in a test module and name yours.

class TestMine(MethodSuite):
    name = "mine"

A method that needs a language model gets one that reads `script`; one that must be trained overrides `model`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from clew.api import predict_run
from clew.encoding.hashing import HashEncoder
from clew.graph import Graph
from clew.graph.remote import ServerSettings, open_server
from clew.graph.verify import verify
from clew.methods.registry import card
from clew.protocols import Example, LanguageModel, Method, TextEncoder
from clew.settings import configure
from clew.testing.endpoint import BASE, LocalEndpoint, in_order
from clew.testing.fake_llm import FakeLanguageModel
from clew.testing.graph_store import TOY
from clew.types import Answer, Event, Gold, Question, answer_from_json, to_json
from clew.workspace import Workspace

TRIPLES = (
    *TOY[:11],
    ("Japan", "currency", "Yen"),
    ("Japan", "continent", "Asia"),
    ("Tokyo", "capital of", "Japan"),
    *TOY[11:],  # the mediator and its facts
)
EXAMPLES = (
    Example(Question("a", "what is the currency of Japan?", ("Japan",)), Gold(("Yen",), ("Yen",), hops=1)),
    Example(Question("b", "which continent is France in?", ("France",)), Gold(("Europe",), ("Europe",), hops=1)),
    Example(Question("c", "which country is Tokyo the capital of?", ("Tokyo",)), Gold(("Japan",), ("Japan",), hops=1)),
    Example(Question("d", "what is the currency of Germany?"), Gold(("Euro",), ("Euro",), hops=1)),
)
HARD = (
    Question("unknown topic", "who is the sister of Zyxwv?", ("Zyxwv Qpo",)),
    Question("nothing named", "xqzv blorf grumph?"),
    Question("long", "what " * 5000 + "?", ("Japan",)),
    Question("control", "what\x00is\nthe currency \x1b[31m of?", ("Japan",)),
    Question("code", "$question {question} %s <script> ```json", ("Japan",)),
    Question("blank", " "),
)


class MethodSuite:
    """The conformance suite of the `Method` seam."""

    name: ClassVar[str]
    settings: ClassVar[Mapping[str, Any]] = {}
    script: ClassVar[Any] = '["Japan"]'  # what the language model says, where one is needed
    uses_graph: ClassVar[bool] = True  # False for a baseline that never looks at the graph
    triples_at_once: ClassVar[int] = 0  # of a server's graph: by default it is asked hop by hop, as a large one is
    tolerance: ClassVar[float] = 1e-4  # of scores between a question alone and in a batch

    @pytest.fixture(scope="class")
    @classmethod
    def graph(cls) -> Graph:
        return Graph.from_triples(TRIPLES, name="conformance")

    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls) -> TextEncoder:
        return HashEncoder(256)

    @pytest.fixture(scope="class")
    @classmethod
    def language_model(cls) -> LanguageModel | None:
        return FakeLanguageModel(cls.script) if card(cls.name).needs.language_model == "required" else None

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls) -> Path | None:
        """A folder that `clew train` wrote."""
        if card(cls.name).needs.model == "required":
            raise NotImplementedError(f"method {cls.name!r} must be trained: override the fixture `model`")
        return None

    @pytest.fixture(scope="class")
    @classmethod
    def space(
        cls, graph: Graph, encoder: TextEncoder, language_model: LanguageModel | None, model: Path | None
    ) -> Callable[[], Workspace]:
        def make() -> Workspace:
            chosen = {"name": cls.name, **cls.settings, **({} if model is None else {"model": str(model)})}
            configuration = configure(flags={"method": chosen}, environment={})
            return Workspace(configuration, graph=graph, encoder=encoder, language_model=language_model)

        return make

    @pytest.fixture(scope="class")
    @classmethod
    def method(cls, space: Callable[[], Workspace]) -> Method:
        return space().open_method()

    def test_it_is_called_what_its_card_says(self, method: Method) -> None:
        assert method.name == self.name == card(self.name).name

    def test_it_answers_questions_that_the_graph_answers(self, method: Method, graph: Graph) -> None:
        answers = method.predict([example.question for example in EXAMPLES], graph)
        right = [a.texts[:1] == e.gold.answers for a, e in zip(answers, EXAMPLES, strict=True)]
        assert all(answer.question == example.question for answer, example in zip(answers, EXAMPLES, strict=True))
        assert {answer.method for answer in answers} == {self.name}
        assert sum(right) >= (len(EXAMPLES) - 1 if self.uses_graph else 1), [answer.texts for answer in answers]

    def test_a_hard_question_raises_nothing(self, method: Method, graph: Graph) -> None:
        for question in HARD:
            answer = method.answer(question, graph)
            assert answer.candidates or answer.note, question.id
            assert answer_from_json(json.loads(json.dumps(to_json(answer), allow_nan=False))) == answer

    def test_it_abstains_where_nothing_is_named(self, method: Method, graph: Graph) -> None:
        if not self.uses_graph:
            pytest.skip("does not look at the graph")
        for question in HARD[:2]:
            answer = method.answer(question, graph)
            assert answer.candidates == (), question.id
            assert answer.note

    def test_nothing_asked_nothing_answered(self, method: Method, graph: Graph) -> None:
        assert method.predict([], graph) == []

    def test_every_cited_triple_is_in_the_graph(self, method: Method, graph: Graph) -> None:
        for example in EXAMPLES:
            answer = method.answer(example.question, graph)
            assert verify(answer, graph) == []
            assert not self.uses_graph or any(candidate.supported for candidate in answer.candidates)

    def test_a_graph_in_a_server_gives_the_same(
        self, method: Method, graph: Graph, tmp_path: Path, space: Callable[[], Workspace]
    ) -> None:
        """The same facts behind a SPARQL endpoint; ties go by number, so the folder is numbered as a server lists."""
        pytest.importorskip("pyoxigraph", reason="the extra sparql is not installed")
        pytest.importorskip("httpx", reason="the extra sparql is not installed")
        folder, asked = in_order(graph), [example.question for example in EXAMPLES] + list(HARD[:2])
        with LocalEndpoint(graph) as endpoint:
            settings = ServerSettings(base=BASE, home=tmp_path, triples_at_once=self.triples_at_once)
            server = open_server(endpoint.url, settings)
            there = method.predict(asked, server)
            server.close()
        for mine, theirs in zip(space().open_method().predict(asked, folder), there, strict=True):
            assert theirs.texts == mine.texts, mine.question.id
            assert [c.score for c in theirs.candidates] == pytest.approx([c.score for c in mine.candidates], abs=1e-5)
            assert theirs.topics == mine.topics
            assert [str(path) for path in theirs.evidence.paths] == [str(path) for path in mine.evidence.paths]
            assert set(theirs.evidence.triples) == set(mine.evidence.triples)

    def test_scores_fall(self, method: Method, graph: Graph) -> None:
        for example in EXAMPLES:
            scores = [candidate.score for candidate in method.answer(example.question, graph).candidates]
            assert scores == sorted(scores, reverse=True)

    def test_the_same_question_gets_the_same_answer(self, space: Callable[[], Workspace], graph: Graph) -> None:
        asked = [example.question for example in EXAMPLES]
        once, again = (plain(space().open_method().predict(asked, graph)) for _ in range(2))
        assert once == again

    def test_together_as_one_by_one(self, method: Method, graph: Graph) -> None:
        asked = [example.question for example in EXAMPLES] + list(HARD[:2])
        for together, alone in zip(method.predict(asked, graph), [method.answer(q, graph) for q in asked], strict=True):
            assert together.texts == alone.texts
            assert together.evidence.all_triples() == alone.evidence.all_triples()
            scores = [[c.score for c in answer.candidates] for answer in (together, alone)]
            assert scores[0] == pytest.approx(scores[1], abs=self.tolerance)

    def test_an_answer_survives_json(self, method: Method, graph: Graph) -> None:
        answer = method.answer(EXAMPLES[0].question, graph)
        assert answer_from_json(json.loads(json.dumps(to_json(answer), allow_nan=False))) == answer

    def test_it_says_what_it_does(self, method: Method, graph: Graph) -> None:
        events: list[Event] = []
        method.answer(EXAMPLES[0].question, graph, on_event=events.append)
        assert all(event.stage and event.message for event in events)
        json.dumps([event.data for event in events])

    def test_gold_changes_nothing(self, space: Callable[[], Workspace], tmp_path: Path) -> None:
        """Every gold answer is replaced by another entity of the graph; not one prediction may move."""
        others = [replace(example, gold=Gold(("Lyon",), ("Lyon",), hops=3)) for example in EXAMPLES]
        runs = [
            predict_run(space(), examples, tmp_path / name)
            for name, examples in (("true", EXAMPLES), ("renamed", others))
        ]
        # Rows stand in the order in which threads finished.
        told = [plain(sorted(run.answers(), key=lambda answer: answer.question.id)) for run in runs]
        assert told[0] == told[1]
        assert runs[0].errors() == runs[1].errors() == {}


def plain(answers: Sequence[Answer]) -> list[Answer]:
    """Answers without what may differ between two equal runs: wall clock, and what came from a cache."""
    return [replace(answer, seconds={}, usage=replace(answer.usage, cached_calls=0, calls=0)) for answer in answers]
