"""The method as a whole: conformance without log-probabilities, ablations, notes and accounts."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from eperm_world import BEST, Scripted, career, says

from clew.encoding import HashEncoder
from clew.errors import InputError
from clew.graph import Graph
from clew.graph.verify import verify
from clew.llm import ModelSettings
from clew.methods.eperm.config import Config
from clew.methods.eperm.method import Eperm
from clew.protocols import LanguageModel, LLMRequest, Message, Tools
from clew.testing.fake_llm import FakeLanguageModel, FakeServer
from clew.testing.method import MethodSuite
from clew.types import Answer, Question

WHERE = Question("q", "which team did Ronaldo play for in 2010", ("Ronaldo",))


class TestEperm(MethodSuite):
    name = "eperm"
    settings: ClassVar = {"hops": 1}

    @pytest.fixture(scope="class")
    @classmethod
    def language_model(cls) -> LanguageModel:
        return FakeLanguageModel(says)


def reader(request: LLMRequest, prompt: str) -> object:
    """Two plans under constraint, entity scores by year, and the best path's end as answer."""
    if prompt.startswith("Write a relation path"):
        return [("plays in | team", -0.3, 3), ("born in | country", -3.0, 3)]
    if prompt.startswith("A question is to be answered"):
        lines = [line for line in prompt.splitlines() if line[:2].strip().isdigit() and " (" in line]
        good = ("2010", "Portugal (")
        return "\n".join(f"{i}: {0.9 if any(map(line.__contains__, good)) else 0.1}" for i, line in enumerate(lines, 1))
    if prompt.startswith("Answer the question from"):
        rows = prompt.rpartition("Reasoning paths:")[2].partition("Question:")[0].strip().splitlines()
        return f'["{rows[0].rpartition(" Score:")[0].rpartition("-> ")[2]}"]'
    return '["Sporting"]'


def ask(
    question: Question = WHERE, *, graph: Graph | None = None, script: object = reader, **settings: object
) -> Answer:
    config = Config.model_validate({"entities": "llm", "relations": "none", "hops": 2, **settings})
    tools = Tools(encoder=HashEncoder(64), language_model=Scripted(script, BEST))  # type: ignore[arg-type]
    return Eperm(config, tools).answer(question, graph or career())


def test_the_weighted_paths_lead_to_the_answer() -> None:
    answer = ask()
    assert answer.texts == ("Portugal",)
    assert verify(answer, career()) == []
    paths = answer.paths_of(answer.candidates[0])
    assert str(paths[0]) == "Ronaldo -plays in→ m.01 -team→ Portugal"
    assert paths[0].score > paths[1].score
    assert 0 < answer.candidates[0].score <= 1
    assert answer.details["weighing"] == "softmax of log-probabilities per token"
    assert answer.details["calls"] == {"plans": 1, "entities": 2, "answer": 1}  # one a hop
    assert answer.usage.calls == 4
    assert set(answer.seconds) == {"link", "retrieve", "plans", "paths", "predict"}


def test_path_weights_sum_to_one() -> None:
    assert sum(path.score for path in ask(predictor=False).evidence.paths) == pytest.approx(1.0)


def test_without_the_predictor_every_end_is_an_answer() -> None:
    answer = ask(predictor=False)
    assert answer.texts[0] == "Portugal"
    assert set(answer.texts) == {"Portugal", "Madrid", "Juventus"}
    assert "answer" not in answer.details["calls"]


def test_without_the_finder_only_the_question_is_read() -> None:
    answer = ask(finder=False)
    assert answer.texts == ("Sporting",)
    assert not answer.candidates[0].supported
    assert answer.details["calls"] == {"answer": 1}


def test_without_the_filter_nothing_is_weighed() -> None:
    answer = ask(filter=False, predictor=False)
    assert {path.score for path in answer.evidence.paths} == {0.25}
    assert "entities" not in answer.details["calls"]


def test_a_mediator_is_no_answer_where_names_are() -> None:
    def plans(request: LLMRequest, prompt: str) -> object:
        return [("plays in", -0.1, 2), ("born in", -0.2, 2)]

    assert ask(script=plans, predictor=False, entities="none").texts == ("Funchal",)


def test_a_topic_is_no_answer_where_others_are() -> None:
    married = [("m.01", "Ann"), ("m.01", "Bob"), ("m.02", "Ann"), ("m.02", "Cy")]
    triples = [*((marriage, "spouse", name) for marriage, name in married), ("Ann", "known as", "Ann")]
    graph = Graph.from_triples(triples, name="couples")

    def plans(plan: str) -> tuple[str, ...]:
        question = Question("q", "who did Ann marry", ("Ann",))
        return ask(question, graph=graph, script=lambda *_: [(plan, -0.1, 2)], predictor=False).texts

    assert set(plans("spouse (inverse) | spouse")) == {"Bob", "Cy"}
    assert plans("known as") == ("Ann",)


@pytest.mark.parametrize("retriever", ["encoder", "none"])
@pytest.mark.parametrize("scorer", ["llm", "none"])
def test_a_hub_is_answered_and_what_was_left_out_is_told(hub: Graph, retriever: str, scorer: str) -> None:
    def script(request: LLMRequest, prompt: str) -> object:
        if prompt.startswith("Write a relation path"):
            return [("has", -0.1, 1), ("is", -0.2, 1)]
        return "1: 0.9" if prompt.startswith("A question is to be answered") else '["big"]'

    asked = {"graph": hub, "script": script, "relations": retriever, "entities": scorer}
    answer = ask(Question("q", "how big is the hub", ("hub",)), **asked)  # type: ignore[arg-type]
    assert answer.texts == ("big",) and answer.candidates[0].supported
    assert answer.details["paths"] <= 501 + 1  # of the hub the ties of the beam, and one of the other plan
    told = {"truncated", "entities_left_out"} & answer.details.keys()
    assert told == {"truncated" if retriever == "none" else "entities_left_out"}
    if scorer == "llm":
        assert answer.details["candidates_not_scored"] > 0


@pytest.fixture(scope="module")
def hub() -> Graph:
    """10⁵ tails of one relation."""
    triples = [("hub", "has", f"e{i}") for i in range(100_000)]
    return Graph.from_triples([*triples, ("hub", "is", "big"), ("big", "kind", "size")], name="hub")


def test_topics_without_relations_are_told() -> None:
    lonely = Graph.from_triples([("a", "r", "b"), ("b", "r", "c")], name="lonely")
    answer = ask(Question("q", "who", ("a",)), graph=lonely, script=lambda *_: [])
    assert not answer.candidates
    assert "no plan" in answer.note


def test_a_reply_that_names_nothing_is_an_abstention() -> None:
    def silent(request: LLMRequest, prompt: str) -> object:
        return "I don't know" if "reasoning paths" in prompt else reader(request, prompt)

    answer = ask(script=silent)
    assert answer.candidates == ()
    assert "no answer" in answer.note
    assert answer.details["unread_answers"] == 1


def test_an_answer_on_no_path_is_unsupported() -> None:
    def dreamer(request: LLMRequest, prompt: str) -> object:
        return '["Portugal", "Atlantis"]' if "reasoning paths" in prompt else reader(request, prompt)

    answer = ask(script=dreamer)
    assert [(c.text, c.supported) for c in answer.candidates] == [("Portugal", True), ("Atlantis", False)]
    assert answer.candidates[1].score == 0


def test_all_entity_scores_zero_is_told() -> None:
    def stern(request: LLMRequest, prompt: str) -> object:
        if prompt.startswith("A question is to be answered"):
            return "\n".join(f"{i}: 0.0" for i in range(1, 9))
        return reader(request, prompt)

    answer = ask(script=stern, plans=1)
    assert answer.candidates == ()
    assert "fits the question" in answer.note


def test_a_long_question_is_cut_and_told() -> None:
    answer = ask(Question("q", "which team " + "really " * 500 + "in 2010", ("Ronaldo",)))
    assert "cut to its first 200 words" in answer.note


def test_a_model_is_needed() -> None:
    with pytest.raises(InputError, match="clew train eperm"):
        Eperm(Config(), Tools(encoder=HashEncoder(64)))


@pytest.mark.parametrize("main", [True, False])
def test_planner_scorer_and_reader_may_be_models_of_their_own(main: bool) -> None:
    def served(body: dict[str, Any]) -> str:
        prompt = body["messages"][-1]["content"]
        if prompt.startswith("Find relation paths"):
            return '{"plans": [{"path": ["plays in", "team"], "weight": 0.9}]}'
        request = LLMRequest(tuple(Message(m["role"], m["content"]) for m in body["messages"]))
        return str(reader(request, prompt))

    reading = Scripted(reader)
    with FakeServer(served, models=("p",)) as planner, FakeServer(served, models=("s",)) as scorer:
        config = Config(
            planner=ModelSettings(base_url=planner.url, model="p"),
            scorer=ModelSettings(base_url=scorer.url, model="s"),
            entities="llm",
        )
        tools = Tools(encoder=HashEncoder(64), language_model=reading if main else None)  # type: ignore[arg-type]
        answer = Eperm(config, tools).answer(WHERE, career())
    assert answer.texts == ("Portugal",) and answer.details["calls"]["plans"] == 1
    assert {body["model"] for body in scorer.bodies} == {"s"}
    asked = [body["messages"][-1]["content"].split()[0] for body in planner.bodies if body["model"] == "p"]
    assert asked[-2:] == (["Greet", "Find"] if main else ["Find", "Answer"])  # a server is tried once, then asked
    assert len(reading.prompts) == int(main)
