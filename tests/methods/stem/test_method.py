"""STEM as a method: the conformance suite over a scripted language model, plans, fallbacks, switches."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pytest

from clew.encoding.hashing import HashEncoder
from clew.errors import ConfigError
from clew.graph import Graph
from clew.llm import ModelSettings
from clew.methods.stem.config import Config
from clew.methods.stem.method import Stem, _Place
from clew.methods.stem.network import QuestionInput
from clew.methods.stem.planner import Planner
from clew.methods.stem.similarity import Similarity, suited_theta
from clew.protocols import LanguageModel, LLMRequest, Message, Tools, ignore
from clew.testing.fake_llm import FakeLanguageModel, FakeServer
from clew.testing.method import EXAMPLES, TRIPLES, MethodSuite
from clew.types import Question, Triple


def speak(request: LLMRequest) -> str:
    """What a good model would say to the three prompts of STEM."""
    system, last = request.messages[0].content, request.messages[-1].content.partition("\n\nThe graph near it")[0]
    if "break a question" in system:
        topic = next((name for name in ("Japan", "France", "Tokyo", "Germany") if name in last), "")
        if not topic:
            return "I cannot say."
        if "capital of" in last:
            return f"Precision\n{topic} is the capital of [ENT1]."
        return f"Precision\n{topic} has the {'continent' if 'continent' in last else 'currency'} [ENT1]."
    if "into triples" in system:
        found = re.findall(r"^(\w+) (?:has the|is the) ([\w ]+?) (\[ENT1\])", last, re.MULTILINE)
        return "\n".join(f"({h} | {r} | {t})" for h, r, t in found)
    chain = re.search(r"^\[1\] (.*)$", last, re.MULTILINE)
    return f'["{chain[1].split(" -> ")[-1]}"]' if chain else "[]"


class TestStem(MethodSuite):
    name = "stem"

    @pytest.fixture(scope="class")
    @classmethod
    def language_model(cls) -> LanguageModel | None:
        return FakeLanguageModel(speak)


class TestStemWithoutReader(TestStem):
    """The answers are the ends of the chains, and tracing reads the texts of edges."""

    settings: ClassVar[Mapping[str, Any]] = {
        "reader": False,
        "edge_text": "text",
        "beams": 1,
        "exact_relation_first": False,
    }


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph.from_triples(TRIPLES, name="toy")


def opened(script: Any, **settings: Any) -> tuple[Stem, FakeLanguageModel]:
    model = FakeLanguageModel(script)
    return Stem(Config(**settings), Tools(encoder=HashEncoder(256), language_model=model)), model


def test_without_a_planner_it_says_how_to_get_one() -> None:
    with pytest.raises(ConfigError, match=r"clew train stem.*language_model\.model"):
        Stem(Config(), Tools(encoder=HashEncoder(64)))
    with pytest.raises(ConfigError, match="planner"):
        Stem(Config(planner="trained"), Tools(encoder=HashEncoder(64), language_model=FakeLanguageModel("x")))


def test_the_planner_sees_the_graph_near_the_topics(graph: Graph) -> None:
    method, model = opened(speak, reader=False)
    method.answer(EXAMPLES[1].question, graph)
    shown = [request.messages[-1].content.partition("(head | relation | tail):\n")[2] for request in model.requests]
    assert shown[0] == shown[1] and "France | continent | Europe" in shown[0].splitlines()
    method, model = opened(speak, reader=False, schema_shown="free")
    method.answer(EXAMPLES[1].question, graph)
    assert not any("graph near it" in request.messages[-1].content for request in model.requests)


def test_what_linking_says_stands_beside_an_answer(graph: Graph) -> None:
    method, _ = opened(speak, reader=False)
    asked = EXAMPLES[1].question
    answer = method.answer(Question("q", asked.text, (*asked.topics, "nobody at all")), graph)
    assert answer.candidates and "no entity 'nobody at all'" in answer.note


def test_an_empty_breadth_follows_the_best_edge_and_says_so(graph: Graph) -> None:
    settings = {"reader": False, "strategy": "breadth", "theta": 2.0, "exact_relation_first": False}
    method, _ = opened(speak, **settings)
    answer = method.answer(EXAMPLES[0].question, graph)
    assert answer.texts == ("Yen",)
    assert any("no edge reached theta" in told for told in answer.details["limits"])
    method, _ = opened(speak, **settings, breadth_fallback=False)
    assert method.answer(EXAMPLES[0].question, graph).texts == ()


def test_equal_questions_are_planned_once(graph: Graph) -> None:
    method, model = opened(speak, reader=False)
    asked = [Question(str(i), "what is the currency of Japan?", ("Japan",)) for i in range(3)]
    answers = method.predict(asked, graph)
    assert [a.texts for a in answers] == [("Yen",)] * 3
    assert len(model.requests) == 2 and model.requests[0].beams == 4
    assert [a.usage.calls for a in answers] == [2, 0, 0]


def test_what_does_not_parse_is_asked_again_and_then_built_from_the_question(graph: Graph) -> None:
    method, model = opened("nonsense", reader=False, retries=2)
    answer = method.answer(Question("q", "what is the currency of Japan?", ("Japan",)), graph)
    assert len(model.requests) == 3 and [r.beams for r in model.requests] == [4, 0, 0]
    assert answer.details["planning"] == {"plans from the question's words": 1}
    assert answer.texts[:1] == ("Yen",)


def test_a_plan_whose_unknown_never_binds_abstains(graph: Graph) -> None:
    def script(request: LLMRequest) -> str:
        if "break a question" in request.messages[0].content:
            return "Breadth\nJapan has xyzzy [ENT1].\n[ENT1] has qwrt [ENT2]."
        return "(Japan | xyzzyqq | [ENT1])\n([ENT1] | qwrtzz | [ENT2])\n(broken"

    method, _ = opened(script, reader=False, theta=0.9)
    answer = method.answer(Question("q", "what is the xyzzy of Japan?", ("Japan",)), graph)
    assert answer.candidates == () and "no chain" in answer.note
    assert answer.details["planning"] == {"triples that do not parse": 1}  # equal beams are grounded once


@pytest.mark.parametrize(("strategy", "said"), [("adaptive", "Precision"), ("breadth", "Breadth")])
def test_strategy_is_a_switch(graph: Graph, strategy: str, said: str) -> None:
    method, _ = opened(speak, reader=False, strategy=strategy)
    answer = method.answer(EXAMPLES[0].question, graph)
    assert answer.details["strategy"] == said and answer.texts == ("Yen",)


@pytest.mark.parametrize(
    ("weights", "schema"),
    [({}, "owner of money"), ({"similarity_weight": 50.0}, "currency")],
)
def test_a_plan_like_the_question_may_go_before_a_likelier_one(
    graph: Graph, weights: Mapping[str, float], schema: str
) -> None:
    def script(request: LLMRequest) -> str | list[str]:
        if "break a question" in request.messages[0].content:
            return ["Precision\nJapan owner of money [ENT1].", "Precision\nJapan currency [ENT1]."]
        said = request.messages[-1].content.partition("\n\nThe graph near it")[0]
        return f"(Japan | {'currency' if 'currency' in said else 'owner of money'} | [ENT1])"

    method, _ = opened(script, reader=False, beams=2, **weights)
    answer = method.answer(Question("q", "what is the currency of Japan?", ("Japan",)), graph)
    assert answer.candidates[0].supported
    plans = {plan["schema"][0][1]: plan["schema"] for plan in answer.details["plans"]}
    assert list(plans) == ["owner of money", "currency"]
    assert answer.details["chosen"] == plans[schema]


def test_stages_and_plans_are_told(graph: Graph) -> None:
    method, _ = opened(speak)
    answer = method.answer(EXAMPLES[1].question, graph)
    assert set(answer.seconds) == {"link", "plan", "guide", "trace", "answer", "read"}
    assert answer.details["plans"][0]["schema"] == [["France", "continent", "[ENT1]"]]
    assert answer.candidates[0].supported and answer.reply == '["Europe"]'


def test_an_anchor_that_is_no_exact_name_gains_by_guidance(graph: Graph) -> None:
    method, _ = opened(speak, reader=False, exact_match_first=False)
    answer = method.answer(EXAMPLES[0].question, graph)
    assert answer.texts == ("Yen",)


@pytest.mark.parametrize(
    ("settings", "anchor"),
    [({}, "Springfield Ohio"), ({"lam": 1.0}, "Springfield"), ({"bias_ent": False}, "Springfield")],
)
def test_an_anchor_is_the_nearest_entity_vector_and_guided_ones_gain_lambda(
    settings: dict[str, Any], anchor: str
) -> None:
    rows = [("Springfield", "in", "Illinois"), ("Springfield Ohio", "in", "Ohio"), ("Springfield", "near", "Ohio")]
    whole = Graph.from_triples(rows).whole
    method, _ = opened(speak, reader=False, exact_match_first=False, **settings)
    similarity = Similarity(whole, HashEncoder(256))
    near, cosines = similarity.nearest("Springfield", 9)
    expected = similarity.text(whole.labels(near)) @ similarity.text(["Springfield"])[0]
    assert len(near) == 4 and np.allclose(cosines, expected, atol=1e-6)  # Eq. 8, 9
    assert cosines[0] > 0.9999 > cosines[1] > 1 / 1.5
    asked = method._link(Question("q", "who lives in Springfield?", ("Springfield",)), Graph.from_triples(rows))
    guided = np.array([whole.local("Springfield Ohio")], np.int32)
    asked.place = _Place(similarity, None)
    ((entity, score),) = method._anchors(asked, 0, guided)  # Eq. 10, 11, 15
    assert whole.labels([entity]) == [anchor]
    assert score == pytest.approx(float(cosines[0] if anchor == "Springfield" else 1.5 * cosines[1]))


def test_theta_suits_the_encoder_unless_it_is_set() -> None:
    assert opened(speak)[0].config.theta == suited_theta(HashEncoder(256)) != 0.6
    assert opened(speak, theta=0.3)[0].config.theta == 0.3
    assert opened(speak, edge_text="text")[0].config.theta == 0.6


def test_sgda_and_sagb_may_be_two_served_models(graph: Graph) -> None:
    def served(body: dict[str, Any]) -> str:
        return speak(LLMRequest(tuple(Message(m["role"], m["content"]) for m in body["messages"])))

    with FakeServer(served, models=("sgda",)) as one, FakeServer(served, models=("sagb",)) as two:
        config = Config(
            decomposer=ModelSettings(base_url=one.url, model="sgda"),
            grounder=ModelSettings(base_url=two.url, model="sagb"),
            reader=False,
            beams=1,
        )
        answer = Stem(config, Tools(encoder=HashEncoder(256))).answer(EXAMPLES[0].question, graph)
    assert answer.texts == ("Yen",)
    assert [{body["model"] for body in server.bodies} for server in (one, two)] == [{"sgda"}, {"sagb"}]


def test_a_trained_planner_sees_no_names() -> None:
    asked: list[str] = []

    def decompose(request: LLMRequest) -> str:
        asked.append(request.messages[-1].content)
        return "Precision\n[T1] has the currency [ENT1]."

    two = FakeLanguageModel(decompose), FakeLanguageModel({"[A] has the currency [B].": "([A] | currency | [B])"})
    planner = Planner(Config(), *two, "trained")
    found = planner.plan([("the currency of Japan?", [["Japan"]]), ("the currency of Zyx_Q?", [["Zyx Q", "Zyx_Q"]])])
    assert asked == ["the currency of [T1]?"]
    assert [p.plans[0].triples for p in found] == [(("[T1]", "currency", "[ENT1]"),)] * 2
    assert [p.plans[0].assertions[0] for p in found] == [
        "Japan has the currency [ENT1].",
        "Zyx Q has the currency [ENT1].",
    ]


class Records:
    """A store that only speaks records, as a server does, in an order of its own each time it is asked."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.asked, self.name = graph, 0, "records"
        self.entity, self.relations, self.triples, self.find = graph.entity, graph.relations, graph.triples, graph.find

    def neighbors(self, entities: Any, **limits: Any) -> list[Triple]:
        self.asked += 1
        found = self.graph.neighbors(entities, **limits)
        return found[self.asked % max(1, len(found)) :] + found[: self.asked % max(1, len(found))]


def test_guidance_names_the_same_entities_whatever_the_store_numbers_them(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def guide(_: Any, __: Any, parts: Sequence[QuestionInput], ___: Any) -> list[Any]:
        return [part.graph.entities[[x for x in [part.graph.local("Europe")] if x is not None]] for part in parts]

    method, _ = opened(speak, reader=False)
    monkeypatch.setattr(method, "_network", object())
    monkeypatch.setattr("clew.methods.stem.method.guide", guide)
    monkeypatch.setattr("clew.methods.stem.method.relation_table", lambda *_: object())
    asked = method._link(Question("q", "which continent is France in?", ("France",)), graph)
    for store in (graph, Records(graph)):
        asked.place = method._place(asked, store)  # type: ignore[arg-type]
        method._plan([asked], ignore)
        for members in method._guide([asked])[0]:
            assert members is not None
            assert [asked.place.graph.entity(int(x)).id for x in members] == ["Europe"]
