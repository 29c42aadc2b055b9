"""The whole method: with a scripted language model, with nobody, and its switches."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from clew.config import parse
from clew.encoding import HashEncoder
from clew.errors import ConfigError, NotFoundError, UnsupportedError
from clew.graph import Graph
from clew.graph.verify import verify
from clew.jsontext import write_json
from clew.llm import ModelSettings, open_language_model
from clew.methods.decompose.config import Config
from clew.methods.decompose.method import Decompose
from clew.methods.decompose.plan import QuestionPlan
from clew.methods.decompose.plan_choice import PlanOption
from clew.methods.decompose.planning import small_plan
from clew.methods.decompose.work import Work
from clew.protocols import LLMRequest, Tools
from clew.retrieval.linking import link
from clew.testing.fake_llm import FakeLanguageModel, FakeServer
from clew.testing.method import MethodSuite
from clew.types import Answer, Question

Q = Question("q", "what is the currency of the country that Paris is the capital of?", ("Paris",))
PARTS = '["Which country is Paris the capital of?", "What is the currency of that country?"]'


class TestDecompose(MethodSuite):
    name = "decompose"


def said(request: LLMRequest) -> str:
    """Splits, then answers the first sub-question, the second, and the whole."""
    text = request.messages[-1].content
    if "src,edge attr,dst" not in text and "Answer:" not in text:
        return PARTS
    if "Give every entity" in text:
        return '["Euro", "Atlantis"]'
    return '["France"]' if "Which country is Paris" in text.split("Question: ")[-1] else '["Euro"]'


def asked(graph: Graph, parts: str = PARTS, **settings: Any) -> tuple[Answer, list[LLMRequest]]:
    model = FakeLanguageModel(lambda request: parts if said(request) == PARTS else said(request))
    method = Decompose(parse(Config, settings, "test"), Tools(HashEncoder(128), model, link=link))
    return method.answer(Q, graph), model.requests


def prompt(request: LLMRequest) -> str:
    return "\n".join(message.content for message in request.messages)


def test_n_sub_questions_cost_n_plus_one_calls(toy: Graph) -> None:
    answer, requests = asked(toy)
    assert answer.details["subquestions"] == [
        "Which country is Paris the capital of?",
        "What is the currency of that country?",
    ]
    assert answer.details["subanswers"] == ["France"]  # the last one would change nothing
    assert answer.usage.calls == len(requests) == 3
    assert answer.details["decomposed_by"] == "language model"
    assert answer.texts == ("Euro", "Atlantis")
    assert [c.supported for c in answer.candidates] == [True, False]
    assert verify(answer, toy) == []
    assert answer.reply == '["Euro", "Atlantis"]'
    assert set(answer.details["graph"]) == {"entities", "triples", "density", "connected"}
    assert answer.details["graph"]["triples"] == len(answer.evidence.triples)


def test_a_sub_question_sees_the_answers_before_it_and_the_last_prompt_does_not(toy: Graph) -> None:
    _, requests = asked(toy)
    three = write_json(["Which country is Paris the capital of?", "Which currency has it?", "What is its symbol?"])
    _, requests = asked(toy, three)
    assert len(requests) == 4
    assert "Answer: France" in prompt(requests[2])
    assert "Answer: France" not in prompt(requests[1]) + prompt(requests[3])
    _, requests = asked(toy, three, dependency=False)
    assert len(requests) == 2  # nobody would see a sub-answer


def test_dependency_changes_the_query(toy: Graph) -> None:
    """With the sub-question alone in the query, only the answer before it names the country."""

    class Told(HashEncoder):
        texts: ClassVar[list[str]] = []

        def encode(self, texts: Any, *, role: Any = "passage") -> Any:
            self.texts += texts if role == "query" else []
            return super().encode(texts, role=role)

    for dependency in (True, False):
        encoder = Told(64)
        encoder.texts.clear()
        Decompose(Config(dependency=dependency), Tools(encoder, FakeLanguageModel(said), link=link)).answer(Q, toy)
        assert ("What is the currency of that country? France" in encoder.texts) is dependency


def test_the_textual_graph_can_be_left_out(toy: Graph) -> None:
    _, requests = asked(toy)
    assert "node id,node attr" in prompt(requests[-1])
    _, requests = asked(toy, text_graph=False)
    assert "node id,node attr" not in prompt(requests[-1])


def test_a_weight_of_one_asks_once_and_retrieves_by_the_question_alone(toy: Graph) -> None:
    answer, requests = asked(toy, complex_weight=1.0)
    assert len(requests) == answer.usage.calls == 1  # nothing is split, and no sub-answer would be used
    assert answer.details["subquestions"] == [Q.text]


def test_evidence_is_cut_to_its_tokens_and_the_cut_is_told(toy: Graph) -> None:
    answer, _ = asked(toy, evidence_tokens=24, nodes=10, edges=10, around="whole")
    assert "triples did not fit into 24 tokens" in answer.note


def test_without_a_model_the_encoder_chooses(toy: Graph) -> None:
    method = Decompose(Config(), Tools(HashEncoder(256), link=link))
    answer = method.answer(Question("q", "what is the currency of France?"), toy)
    assert answer.texts[:1] == ("Euro",)
    assert answer.usage.calls == 0
    assert answer.details["decomposed_by"] == "nobody"
    assert answer.candidates[0].supported


def test_siblings_are_answers_too() -> None:
    rows = [("France", "borders", name) for name in ("Spain", "Italy", "Belgium", "Andorra")]
    graph = Graph.from_triples([*rows, ("Spain", "language", "Spanish")])
    question = Question("q", "what does France border?")
    encoder = HashEncoder(128)
    every = Decompose(Config(connectivity="topk", edges=2), Tools(encoder, link=link)).answer(question, graph)
    assert set(every.texts) == {"Spain", "Italy", "Belgium", "Andorra"}
    config = Config(connectivity="topk", edges=2, siblings=False)
    few = Decompose(config, Tools(encoder, link=link)).answer(question, graph)
    assert 0 < len(few.texts) <= 2


@pytest.mark.parametrize("question", ["who is the sister of Zyxwv?", " "])
def test_a_language_model_is_asked_even_where_nothing_is_named(toy: Graph, question: str) -> None:
    model = FakeLanguageModel('["Nobody"]')
    answer = Decompose(Config(), Tools(HashEncoder(64), model, link=link)).answer(Question("q", question), toy)
    if question.strip():
        assert answer.texts == ("Nobody",) and not answer.candidates[0].supported
    else:
        assert answer.candidates == () and answer.note == "the question is empty" and not model.requests


def test_a_soft_prompt_is_refused_before_the_first_question(toy: Graph) -> None:
    model = FakeLanguageModel(said, name="remote:some-model")
    with pytest.raises(UnsupportedError, match=r"soft_prompt.*remote:some-model.*backend = 'local'"):
        Decompose(Config(graph_encoder=True), Tools(HashEncoder(64), model, link=link))
    assert model.requests == []
    with pytest.raises(ConfigError, match="none is set"):
        Decompose(Config(graph_encoder=True), Tools(HashEncoder(64), link=link))
    able = FakeLanguageModel(said, abilities=("soft_prompt",))
    with pytest.raises(NotFoundError, match="clew train decompose"):
        Decompose(Config(graph_encoder=True), Tools(HashEncoder(64), able, link=link))


def test_an_unreadable_plan_leaves_the_question_whole(toy: Graph) -> None:
    model = FakeLanguageModel(
        lambda request: "I cannot do that" if "JSON array of strings and nothing" in prompt(request) else said(request)
    )
    answer = Decompose(Config(), Tools(HashEncoder(64), model, link=link)).answer(Q, toy)
    assert answer.details["subquestions"] == [Q.text]
    assert "asked whole" in answer.note
    assert answer.usage.calls == 2


def test_a_reply_that_never_ends_is_cut_and_told(toy: Graph) -> None:
    """A model that thinks aloud for ever gives no sub-questions and no answer; each cut says where."""
    with FakeServer("<think>" + " let me see" * 500) as server:
        model = open_language_model(ModelSettings(model="fake", base_url=server.url, retry_cut=False))
        config = Config(max_tokens=7)
        answer = Decompose(config, Tools(HashEncoder(64), model, link=link)).answer(Q, toy)
    assert answer.candidates == () and answer.details["subquestions"] == [Q.text]
    for told in (
        "the list of sub-questions was cut at 7 tokens",
        "the reply was cut at 7 tokens",
        "the language model gave no answer",
    ):
        assert told in answer.note


def test_a_small_plan_asks_about_the_topic_it_leads_on_from() -> None:
    graph = Graph.from_triples([("Ada", "spouse", "Bob"), ("Rome", "mayor", "Cyd"), ("Cyd", "spouse", "Dot")])
    method = Decompose(Config(), Tools(HashEncoder(64), link=link))
    work = method.start(Question("q", "did Ada marry the mayor of Rome?", ("Ada", "Rome")), graph)
    assert isinstance(work, Work) and work.masked.found == ("Ada", "Rome")
    spouse, mayor = (work.seen.language.index.relations[name] for name in ("spouse", "mayor"))
    for steps, name in ((((spouse, True),), "Ada"), (((mayor, True), (spouse, True)), "Rome")):
        plan = small_plan(work, PlanOption(steps, -0.1, 0.5))
        assert plan.by == "small model" and len(plan.parts) == len(steps) and name in plan.parts[0]
        assert plan.steps == steps and len(plan.stages) == len(plan.parts)
    whole = small_plan(work, None)
    assert whole.parts == (work.text,) and whole.by == "nobody" and "asked whole" in whole.note


@pytest.mark.parametrize(("follow", "answer"), [(True, "Cyd"), (False, "Bob")])
def test_without_a_reader_the_plans_own_relations_answer(follow: bool, answer: str) -> None:
    """The encoder would take the relation that the question's words name, the plan says otherwise."""
    graph = Graph.from_triples([("Ada", "spouse", "Bob"), ("Ada", "employer", "Cyd")])
    method = Decompose(Config(follow_plan=follow), Tools(HashEncoder(64), link=link))
    work = method.start(Question("q", "who is the spouse of Ada?", ("Ada",)), graph)
    assert isinstance(work, Work)
    stage = ((work.seen.language.index.relations["employer"], True),)
    work.plan = QuestionPlan(("spouse of Ada?", "who is that?"), "small model", stages=(stage, stage))
    method.follow_plans([work])
    assert work.answers == [answer]
    work.plan = QuestionPlan(("spouse of Ada?", "who is that?"), "nobody")
    work.parts, work.answers = [], []
    method.follow_plans([work])
    assert work.answers == ["Bob"]


def test_prompts_of_ones_own(toy: Graph, tmp_path: Any) -> None:
    (tmp_path / "decompose.txt").write_text("Split: $question")
    (tmp_path / "subanswer.txt").write_text("$graph $earlier $question")
    (tmp_path / "answer.txt").write_text("$graph Give every entity $question")
    model = FakeLanguageModel(said)
    Decompose(Config(prompts=tmp_path), Tools(HashEncoder(64), model, link=link)).answer(Q, toy)
    assert prompt(model.requests[0]) == f"Split: {Q.text}"
