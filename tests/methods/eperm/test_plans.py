"""Weighted plans: never outside the graph, weights as the paper has them, and the ways without log-probabilities."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from eperm_world import BEST, asker, career, case_of

from clew.encoding import HashEncoder
from clew.graph import Graph
from clew.graph.paths import follow
from clew.methods.eperm.asking import INVERSE, SEPARATOR, PromptClient, TextSimilarity
from clew.methods.eperm.config import Config
from clew.methods.eperm.plans import PlanGrammar, vocabulary, weigh_plans
from clew.methods.eperm.written import read_plan
from clew.protocols import Ability, LLMRequest


def plans_of(
    script: object, abilities: tuple[Ability, ...] = (), **settings: object
) -> tuple[list[tuple[str, float]], dict]:
    case = case_of(career(), "which team", "Ronaldo")
    config = Config.model_validate(settings)
    weigh_plans([case], config, 2, config.temperature or 1.0, asker(script, abilities), None)
    return [(plan.text, plan.weight) for plan in case.plans], case.details


def test_weights_are_a_softmax_over_log_probabilities_per_token() -> None:
    def beams(request: LLMRequest, prompt: str) -> object:
        assert request.beams == request.n == 3
        assert request.constraint is not None
        return [("plays in | team", -0.4, 4), ("born in | country", -2.0, 4), ("born in", -1.5, 2)]

    found, details = plans_of(beams, tuple(BEST), plans=3)
    exact = np.exp([-0.1, -0.5, -0.75]) / np.exp([-0.1, -0.5, -0.75]).sum()
    assert [text for text, _ in found] == ["plays in | team", "born in | country", "born in"]
    assert [weight for _, weight in found] == pytest.approx(exact)
    assert details["weighing"] == "softmax of log-probabilities per token"
    assert "fallback" not in details
    colder, _ = plans_of(beams, tuple(BEST), plans=3, temperature=0.1)
    assert colder[0][1] == pytest.approx(1 / (1 + math.exp(-4) + math.exp(-6.5)))


def test_the_encoder_may_have_a_say_in_the_weights() -> None:
    def beams(request: LLMRequest, prompt: str) -> object:
        return [("born in", -1.0, 1), ("plays in | team", -1.0, 1)]

    def weights(words: float) -> dict[str, float]:
        case = case_of(career(), "which team did [T1] play in", "Ronaldo")
        similarity = TextSimilarity(HashEncoder(256))
        weigh_plans([case], Config(), 2, 1.0, asker(beams, tuple(BEST)), similarity, similarity_weight=words)
        return {plan.text: plan.weight for plan in case.plans}

    assert weights(0.0)["born in"] == pytest.approx(0.5)
    # The question shares "play in" and "team" with one plan, and with the other only a word of grammar.
    assert weights(8.0)["plays in | team"] > 0.6
    case = case_of(career(), "which team did [T1] play in", "Ronaldo")
    case.text = "which team did [T1] play in"
    assert case.plain == "which team did this play in"


def test_samples_weigh_by_frequency_and_are_dropped_outside_the_graph() -> None:
    def samples(request: LLMRequest, prompt: str) -> object:
        assert request.n == 6 and request.beams == 0
        texts = ["plays in | team"] * 3 + ["Born_In -> COUNTRY"] + ["plays in | salary", "team"]
        return [(text, 0.0, 1) for text in texts]

    found, details = plans_of(samples, weighing="samples")
    assert found == [("plays in | team", pytest.approx(0.75)), ("born in | country", pytest.approx(0.25))]
    assert details["plans_outside_the_graph"] == 2
    assert "no log-probabilities" in details["weighing"]
    assert details["weighing"] in details["fallback"]


def test_scores_the_model_states_itself() -> None:
    text = "plays in | team Score:0.6\nborn in Score: 0.2\nborn in | country\nmade up Score:0.9"
    found, details = plans_of(lambda *_: text, weighing="self")
    assert [name for name, _ in found] == ["plays in | team", "born in | country", "born in"]
    assert [weight for _, weight in found] == pytest.approx([0.6 / 1.3, 0.5 / 1.3, 0.2 / 1.3])
    assert details["unread_plan_scores"] == 1
    assert "states itself" in details["weighing"]


def test_no_plan_in_the_graph_is_told() -> None:
    case = case_of(career(), "which team", "Ronaldo")
    weigh_plans([case], Config(), 2, 1.0, asker(lambda *_: "salary | currency"), None)
    assert case.plans == []
    assert "can be followed" in case.notes[0]


def test_plans_as_chat_models_write_them() -> None:
    """JSON with weights, and every form that was once refused; the direction is kept where it is said."""
    whole = json.dumps({"plans": [{"path": ["plays in", "team"], "weight": 0.9}, {"path": ["born in"], "weight": 0.1}]})
    found, details = plans_of(lambda *_: f"```json\n{whole}\n```")
    assert found == [("plays in | team", pytest.approx(0.9)), ("born in", pytest.approx(0.1))]
    assert details["weighing"].startswith("scores that the model states itself")
    for said in (
        "Relation path: plays in | team", "**plays in** | **team**", "1. plays in -> team",
        "Ronaldo -> plays in -> team", "- plays_in, team.", "plays in | teams", "Plays In | Team (score 0.8)",
        '["plays in", "team"]', "playsin | team",
        '{"plans": [{"path": "plays in | team", "weight": 1}]}',
    ):  # fmt: skip
        found, _ = plans_of(lambda *_, said=said: said)
        assert [text for text, _ in found] == ["plays in | team"], said
    case = case_of(career(), "who was born there", "Funchal")
    said = '{"plans": [{"path": ["born in (inverse)"], "weight": 1}]}'
    weigh_plans([case], Config(), 2, 1.0, asker(lambda *_: said), None)
    assert [plan.text for plan in case.plans] == ["born in (inverse)"]


def test_plans_outside_the_graph_are_corrected_once() -> None:
    def script(request: LLMRequest, prompt: str) -> object:
        if "None of these can be followed" not in prompt:
            return "plays in | salary"
        assert "After plays in only these relations lead on: team; year; plays in (inverse)." in prompt
        return "plays in | team"

    found, _ = plans_of(script)
    assert [text for text, _ in found] == ["plays in | team"]
    found, details = plans_of(lambda *_: "salary")
    assert found == [] and details["plans_outside_the_graph"] == 2


def test_the_vocabulary_is_by_hop_and_the_first_is_whole() -> None:
    triples = [("t", f"first {i}", f"m.0{i}") for i in range(30)] + [(f"m.0{i}", f"second {i}", "x") for i in range(30)]
    case = case_of(Graph.from_triples(triples, name="broad"), "second 7", "t")
    levels = vocabulary(case, 4, 2, TextSimilarity(HashEncoder(256)))
    assert set(levels[0]) == {f"first {i}" for i in range(30)}
    assert len(levels[1]) == 4 and "second 7" in levels[1]
    assert case.details["relations_not_shown"] == 30 + 30 - 4  # the ways back among them


def test_reading_plans() -> None:
    graph = career().whole
    start = np.array([graph.local("Funchal")], np.int32)
    one = read_plan(graph, start, "`born in (inverse)`", 2)
    assert len(one) == 1 and one[0][0][1] is False
    assert read_plan(graph, start, "born in", 2) == one  # the only direction there is
    assert read_plan(graph, start, "inverse: born in, plays in, team", 3) != []
    assert read_plan(graph, start, "inverse: born in, plays in, team", 2) == []
    assert read_plan(graph, start, "", 2) == read_plan(graph, start, "team", 2) == []


def decoder(folder: Path, relations: list[str]) -> PromptClient:
    """An untrained decoder: its plans are noise, so only the constraint keeps them in the graph."""
    from clew.learning.scratch import DecoderSize, create_decoder
    from clew.llm import ModelSettings, open_language_model

    size = DecoderSize(width=32, layers=1, heads=2, key_heads=1, inner=64, vocabulary=400, positions=256)
    kept = [name for r in relations for name in (r, r + INVERSE, SEPARATOR + r, SEPARATOR + r + INVERSE)]
    create_decoder(folder, ["plan: who is the r of [T1]", *relations], size=size, keep=kept)
    return PromptClient(open_language_model(ModelSettings(backend="local", model=str(folder), batch_size=96)), "short")


def escaped(count: int, folder: Path, *, seed: int) -> tuple[int, int]:
    """Plans written over random graphs, and how many of them the graph does not have."""
    pytest.importorskip("transformers", reason="needs clew[models]")
    random = np.random.default_rng(seed)
    relations = [f"relation_{i}" for i in range(12)]
    asking = decoder(folder, relations)
    written = outside = 0
    while written < count:
        cases = []
        for _ in range(16):
            rows = random.integers(0, [20, 12, 20], size=(40, 3)).tolist()
            graph = Graph.from_triples(
                [(f"e{h}", relations[r], f"e{t}") for h, r, t in rows], name=f"g{random.random()}"
            )
            start = f"e{rows[0][0]}"
            cases.append(case_of(graph, f"who is the r of [T1] {random.integers(1000)}", start))
        weigh_plans(cases, Config(plans=6), 3, 1.0, asking, None)
        for case in cases:
            assert case.graph is not None and case.plans
            assert sum(plan.weight for plan in case.plans) == pytest.approx(1.0)
            for plan in case.plans:
                written += 1
                outside += not len(follow(case.graph, case.starts, plan.steps).entities)
    return written, outside


def test_no_plan_is_outside_the_graph(tmp_path: Path) -> None:
    written, outside = escaped(90, tmp_path, seed=1)
    assert written >= 90 and outside == 0


@pytest.mark.slow
def test_no_plan_of_ten_thousand_is_outside_the_graph(tmp_path: Path) -> None:
    written, outside = escaped(10_000, tmp_path, seed=2)
    assert written >= 10_000 and outside == 0


def test_the_grammar_offers_no_plan_that_can_only_turn_round() -> None:
    from clew.llm.constraint import states_of

    graph = Graph.from_triples([("a", "r", "b"), ("b", "s", "c"), ("d", "s", "c")], name="turns").whole
    start = np.array([graph.local("a")], np.int32)
    grammar = PlanGrammar(graph, start, 3)
    assert states_of(grammar, "r | s | s (inverse)") != []  # reaches d
    assert states_of(grammar, "r | s") != []
    assert states_of(grammar, "r | r (inverse)") == states_of(grammar, "r | r (inverse) | r") == []
    assert grammar.key.startswith("plans:")


def test_a_plan_does_not_end_in_a_mediator_where_names_are() -> None:
    from clew.llm.constraint import states_of

    case = case_of(career(), "which team", "Ronaldo")
    assert case.graph is not None
    grammar = PlanGrammar(case.graph, case.starts, 2)
    assert states_of(grammar, "plays in") == []
    assert states_of(grammar, "plays in | team") != []
    # One hop is too short to leave the mediators, so they are not even begun.
    assert "plays in" not in [piece for piece, _ in PlanGrammar(case.graph, case.starts, 1).steps(())]
    nameless = Graph.from_triples([("a", "r", "m.01"), ("a", "r", "m.02")], name="nameless").whole
    start = np.array([nameless.local("a")], np.int32)
    assert nameless.mediators.sum() == 2
    assert states_of(PlanGrammar(nameless, start, 2), "r") != []
