"""The subgraph retriever: beams of relations, product scores, limits that keep mediators, unreadable replies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from eperm_world import BEST, Scripted, asker, career, entity, linked, named, relation

from clew.encoding import HashEncoder
from clew.graph import Graph
from clew.methods.eperm import retriever
from clew.methods.eperm.asking import (
    PlacedQuestion,
    PromptClient,
    QuestionState,
    TextSimilarity,
    read_choices,
    shown_question,
)
from clew.methods.eperm.config import Config
from clew.methods.eperm.retriever import retrieve, step
from clew.protocols import LLMRequest
from clew.types import Question, Topic

LIKENESS = TextSimilarity(HashEncoder(64))


def retrieved(case: QuestionState, *how: Any) -> PlacedQuestion:
    (placed,) = retrieve([case], *how)
    assert isinstance(placed, PlacedQuestion)
    return placed


def test_a_step_keeps_all_mediators_and_few_named_entities() -> None:
    triples = [("hub", "r", f"name {i}") for i in range(50)] + [("hub", "r", f"m.0{i}") for i in range(20)]
    graph = Graph.from_triples([*triples, ("other", "r", "name 1")], name="hub")
    ends = np.array(sorted([graph.whole.local("hub"), graph.whole.local("other")]), np.int32)  # type: ignore[type-var]
    hop = step(graph.whole, ends, 0, True, entity_limit=3)
    reached = graph.whole.labels(hop.reached)
    assert sum(name.startswith("m.0") for name in reached) == 20
    assert sum(name.startswith("name") for name in reached) == 3 + 1
    assert len(step(graph.whole, ends, 0, True).row) == 71


def test_a_hub_with_many_tails_is_walked_within_the_limit() -> None:
    triples = [("hub", "has", f"e{i}") for i in range(100_000)] + [("hub", "is", "big"), ("big", "kind", "size")]
    graph = Graph.from_triples(triples, name="hub")
    case = linked(graph, "how big is the hub", "hub")
    case = retrieved(case, graph, Config(relation_limit=4), "encoder", 2, LIKENESS, None)
    assert case.graph.num_triples == 64 + 2
    assert case.details["entities_left_out"] == 99_936


def test_the_encoder_chooses_relations_that_suit_the_question() -> None:
    graph = career()
    case = linked(graph, "who was born in", "Ronaldo")
    case = retrieved(case, graph, Config(relation_limit=1), "encoder", 1, LIKENESS, None)
    assert sorted(case.graph.labels(np.arange(case.graph.num_entities))) == ["Funchal", "Ronaldo"]


def judge(request: LLMRequest, prompt: str) -> str:
    def choice(name: str, score: float) -> str:
        return f"<count>2</count><choice>{name}</choice><reason>so</reason><score>{score}</score>"

    if "Walked so far: nothing" in prompt:
        return choice("plays in", 0.9) + choice("born in", 0.5)
    if "Walked so far: plays in" in prompt:
        return choice("team", 0.8) + choice("year", 0.2)
    return choice("country", 0.7)


def test_scores_of_the_language_model_multiply_along_a_path() -> None:
    graph = career()
    case = linked(graph, "which team", "Ronaldo")
    asking = asker(judge)
    case = retrieved(case, graph, Config(relation_limit=2), "llm", 2, None, asking)
    assert isinstance(asking.model, Scripted)
    assert len(asking.model.prompts) == 3  # one for the topic, one per path of the beam
    labels = set(case.graph.labels(np.arange(case.graph.num_entities)))
    assert {"Portugal", "Madrid", "Juventus", "Funchal"} <= labels  # 0.9 * 0.8 and 0.5 * 0.7
    assert "2010" not in labels  # 0.9 * 0.2
    assert case.calls == {"relations": 3}


@pytest.mark.parametrize("reply", ["I like all of them", "", "<choice>made up</choice><score>1</score>",
                                   "<choice>born in</choice><score>0</score>"])  # fmt: skip
def test_a_reply_without_usable_scores_falls_back_to_the_encoder(reply: str) -> None:
    graph = career()
    by_model, by_encoder = (linked(graph, "born in", "Ronaldo") for _ in range(2))
    by_model = retrieved(by_model, graph, Config(relation_limit=1), "llm", 1, LIKENESS, asker(lambda *_: reply))
    by_encoder = retrieved(by_encoder, graph, Config(relation_limit=1), "encoder", 1, LIKENESS, None)
    assert by_model.details["unread_relation_scores"] == 1
    assert by_model.graph.triple_numbers.tolist() == by_encoder.graph.triple_numbers.tolist()  # type: ignore[union-attr]


def test_short_style_takes_probabilities_for_scores() -> None:
    def chance(request: LLMRequest, prompt: str) -> object:
        assert request.constraint is not None
        return [("born in", -0.1, 2), ("plays in", -4.0, 2)]

    graph = career()
    case = linked(graph, "where", "Ronaldo")
    case = retrieved(
        case, graph, Config(relation_limit=1), "llm", 1, None, PromptClient(Scripted(chance, BEST), "short")
    )
    assert case.graph.rels.tolist() == [relation(graph, "born in")]


def test_the_whole_neighbourhood_and_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = career()
    case, cut = (linked(graph, "where", "Ronaldo") for _ in range(2))
    case = retrieved(case, graph, Config(), "none", 2, None, None)
    monkeypatch.setattr(retriever, "MAX_TRIPLES", 2)
    cut = retrieved(cut, graph, Config(), "none", 2, None, None)
    assert case.graph.num_triples == len(list(graph.triples()))
    assert cut.graph.num_triples == 2
    assert "max_triples" in cut.details["truncated"][0]
    assert named(graph, [graph.whole.local("Ronaldo")]) == ["Ronaldo"]


def test_choices_of_a_reply() -> None:
    text = "<count>2</count><choice> a.b </choice>\n<reason>x</reason><score> 0.75 </score>"
    text += "<choice>c</choice><score>7</score>"
    assert read_choices(text) == [("a.b", 0.75)]


def test_topics_become_placeholders_in_short_prompts() -> None:
    topics = [
        Topic(career().entity("Ronaldo"), 1.0, "ronaldo", "given"),
        Topic(career().entity("m.01"), 1.0, "m.01", ""),
    ]
    question = Question("q", "did  Ronaldo meet ronaldo's m.01 ?")
    assert shown_question(question, topics, "short")[0] == "did [T1] meet [T1]'s [T2] ?"
    polk = [Topic(entity("James K. Polk"), 1.0, "James K. Polk", "given")]
    asked = Question("q", "what did james k polk do before jamesk polka")
    assert shown_question(asked, polk, "short")[0] == "what did [T1] do before jamesk polka"
    assert shown_question(question, topics, "paper")[0] == "did Ronaldo meet ronaldo's m.01 ?"
