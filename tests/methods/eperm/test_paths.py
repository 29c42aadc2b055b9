"""Weighted evidence paths: mediators told apart, beams and ties, calls per step or per candidate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from eperm_world import CAREER, Scripted, asker, career, case_of, named, relation

from clew.encoding import HashEncoder
from clew.graph import Graph
from clew.llm.constraint import Choices
from clew.methods.eperm import paths
from clew.methods.eperm.asking import (
    PlacedQuestion,
    PromptClient,
    TextSimilarity,
    WeightedPlan,
    marked,
    read_score,
    read_scores,
)
from clew.methods.eperm.config import Config
from clew.methods.eperm.facts import brief_facts, choices_of, facts_of
from clew.methods.eperm.paths import PartialPaths, weigh_paths
from clew.methods.eperm.predictor import gather, shown_paths
from clew.paths import entities_reached
from clew.protocols import LLMRequest


def planned(graph: Graph, text: str, topic: str, *plans: tuple[list[tuple[str, bool]], float]) -> PlacedQuestion:
    case = case_of(graph, text, topic)
    for steps, weight in plans:
        walked = tuple((relation(graph, name), forward) for name, forward in steps)
        case.plans.append(WeightedPlan(walked, " | ".join(name for name, _ in steps), weight))
    return case


TEAM = [("plays in", True), ("team", True)]
COUNTRY = [("born in", True), ("country", True)]


def by_year(request: LLMRequest, prompt: str) -> str:
    """Scores as a model would that reads the facts: 0.9 for what says 2010 or is Portugal, else 0.1."""
    if "Candidates:" in prompt:
        lines = prompt.partition("Candidates:\n")[2].partition("\n\n")[0].splitlines()
        return "\n".join(f"{line.split()[0]}: {0.9 if '2010' in line or 'Portugal' in line else 0.1}" for line in lines)
    facts = prompt.partition("Candidate entity:")[2]
    return f"{{Candidate Entity: x, Score: {0.9 if '2010' in facts or 'Portugal' in facts else 0.1}}}"


@pytest.mark.parametrize("batch", [True, False])
def test_mediators_are_told_apart_by_their_facts(batch: bool) -> None:
    graph = career()
    case = planned(graph, "which team in 2010", "Ronaldo", (TEAM, 1.0))
    asking = asker(by_year)
    partial = weigh_paths([case], Config(beam=1, batch_scoring=batch), "llm", None, asking)[0]
    assert named(graph, partial[0].ends) == ["Portugal"]
    assert partial[0].weights.tolist() == pytest.approx([1.0])  # the best of a step has 1
    assert case.calls["entities"] == (1 if batch else 3)  # nobody is asked about the only team that is left


def test_the_encoder_tells_mediators_apart_as_well() -> None:
    graph = career()
    case = planned(graph, "team year 2014", "Ronaldo", (TEAM, 1.0))
    partial = weigh_paths([case], Config(beam=1), "encoder", TextSimilarity(HashEncoder(256)), None)[0]
    assert named(graph, partial[0].ends) == ["Madrid"]
    assert partial[0].scores.tolist() == pytest.approx([1.0])


def wide() -> Graph:
    triples = []
    for i in range(12):
        triples += [("t", "has", f"m.0{i}"), (f"m.0{i}", "year", str(2000 + i)), (f"m.0{i}", "of", f"end {i}")]
    return Graph.from_triples(triples, name="wide")


def test_batch_scoring_asks_at_least_five_times_less_for_the_same_paths() -> None:
    graph = wide()
    found, calls = [], []
    for batch in (True, False):
        case = planned(graph, "which of 2010", "t", ([("has", True), ("of", True)], 1.0))
        partial = weigh_paths([case], Config(batch_scoring=batch, beam=12), "llm", None, asker(by_year))[0]
        weights = partial[0].weights.tolist()
        found.append([(partial[0].path(i).entities, weight) for i, weight in enumerate(weights)])
        calls.append(case.calls["entities"])
    assert found[0] == found[1]
    assert calls[1] >= 5 * calls[0]


def test_a_path_weighs_its_plan_times_its_entities() -> None:
    graph = career()
    case = planned(graph, "2010", "Ronaldo", (TEAM, 0.75), (COUNTRY, 0.25))
    partial = weigh_paths([case], Config(), "llm", None, asker(by_year))[0]
    weights = dict(zip(graph.whole.labels(partial[0].ends), partial[0].weights.tolist(), strict=True))
    assert weights == pytest.approx({"Portugal": 0.75, "Madrid": 0.75 / 81, "Juventus": 0.75 / 81})
    found = gather(case, partial)
    portugal = graph.whole.local("Portugal")
    assert portugal is not None
    assert found.scores[portugal] == pytest.approx(0.75 + 0.25)
    shown = shown_paths(found)
    assert sum(path.score for path, _ in shown) == pytest.approx(1.0)
    assert [path.score for path, _ in shown] == sorted((path.score for path, _ in shown), reverse=True)


def test_the_beam_keeps_s_paths_and_those_that_equal_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = wide()
    plan = ([("has", True), ("of", True)], 1.0)
    tied = weigh_paths([planned(graph, "q", "t", plan)], Config(beam=2), "none", None, None)[0]
    assert len(tied[0].ends) == 12
    case = planned(graph, "q", "t", plan)
    monkeypatch.setattr(paths, "TIES", 5)
    few = weigh_paths([case], Config(beam=2), "none", None, None)[0]
    assert len(few[0].ends) == 5
    assert case.details["paths_cut"] == 7

    def rising(request: LLMRequest, prompt: str) -> str:
        return "\n".join(f"{i}: {i / 20}" for i in range(1, 13))

    best = weigh_paths([planned(graph, "q", "t", plan)], Config(beam=2), "llm", None, asker(rising))[0]
    assert len(best[0].ends) == 2


def test_many_candidates_are_chosen_among_by_the_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = wide()
    case = planned(graph, "year 2007", "t", ([("has", True)], 1.0))
    asking = asker(lambda *_: "1: 0.9\n2: 0.9")
    monkeypatch.setattr(paths, "PRESELECT", 2)
    partial = weigh_paths([case], Config(), "llm", TextSimilarity(HashEncoder(256)), asking)[0]
    assert case.details["candidates_not_scored"] == 10
    assert "m.07" in named(graph, partial[0].ends)
    assert isinstance(asking.model, Scripted)
    assert len([line for line in asking.model.prompts[0].splitlines() if "(year" in line or "(of" in line]) == 2


def test_unreadable_scores_count_alike() -> None:
    case = planned(career(), "q", "Ronaldo", (TEAM, 1.0))
    partial = weigh_paths([case], Config(), "llm", None, asker(lambda *_: "certainly!"))[0]
    assert partial[0].weights.tolist() == pytest.approx([1.0] * 3)
    assert case.details["unread_entity_scores"] == 6


def test_a_path_does_not_turn_round_over_its_triple() -> None:
    graph = career()
    there_and_back = ((relation(graph, "born in"), True), (relation(graph, "born in"), False))
    start = graph.whole.local("Ronaldo")
    assert start is not None
    assert named(graph, entities_reached(graph.whole, start, there_and_back)) == ["Aveiro"]


def test_both_ways_of_scoring_see_the_same_line_in_the_short_style() -> None:
    def fair(request: LLMRequest, prompt: str) -> object:
        assert isinstance(request.constraint, Choices)
        return [(text, -1.0, 1) for text in request.constraint.texts]

    seen = {}
    for batch in (True, False):
        case = planned(career(), "in 2010", "Ronaldo", ([("plays in", True)], 1.0))
        asking = PromptClient(Scripted(fair, ("beams", "logprobs", "constrained")), "short")
        partial = weigh_paths([case], Config(batch_scoring=batch), "llm", None, asking)[0]
        assert len(partial[0].ends) == 3
        assert isinstance(asking.model, Scripted)
        seen[batch] = asking.model.prompts
    assert seen[True] == [
        "entities: in [V1]\nplays in\n"
        "1 year: [V1]; team: Portugal\n2 team: Madrid; year: 2014\n3 team: Juventus; year: 2018"
    ]
    assert seen[False] == [
        "entity: in [V1]\nplays in\nyear: [V1]; team: Portugal",
        "entity: in 2010\nplays in\nteam: Madrid; year: 2014",
        "entity: in 2010\nplays in\nteam: Juventus; year: 2018",
    ]


def test_short_style_scores_are_chances_of_yes() -> None:
    def chance(request: LLMRequest, prompt: str) -> object:
        assert request.constraint is not None and request.n == 2
        return [("yes", -0.1, 1), ("no", -2.4, 1)] if "2010" in prompt else [("no", -0.1, 1), ("yes", -2.4, 1)]

    case = planned(career(), "q", "Ronaldo", ([("plays in", True)], 1.0))
    asking = PromptClient(Scripted(chance, ("beams", "logprobs", "constrained")), "short")
    partial: list[PartialPaths] = weigh_paths([case], Config(batch_scoring=False), "llm", None, asking)[0]
    share = float(np.exp(-0.1) / (np.exp(-0.1) + np.exp(-2.4)))
    assert sorted(partial[0].scores.tolist(), reverse=True) == pytest.approx([share, 1 - share, 1 - share])


def test_facts_show_one_triple_per_relation_first() -> None:
    triples = [("x", "tag", f"t{i}") for i in range(30)] + [("x", "year", "1999"), ("y", "knows", "x")]
    graph = Graph.from_triples(triples, name="facts")
    local = graph.whole.local("x")
    assert local is not None
    facts = facts_of(case_of(graph, "q", "x"), local, 4)
    assert facts[0] == "x"
    assert set(facts[1:4]) == {"tag: t0", "year: 1999", "knows (inverse): y"}
    assert len(facts) == 5


def test_a_small_decoder_sees_what_tells_candidates_apart_and_no_more() -> None:
    graph = Graph.from_triples([*CAREER, ("m.01", "captain", "Pepe"), ("m.01", "squad", "m.09")], name="career")
    case = case_of(graph, "which team", "Ronaldo", "Pepe")
    spell, ronaldo = (graph.whole.local(name) or 0 for name in ("m.01", "Ronaldo"))
    facts = brief_facts(case, spell, 12, ronaldo, (relation(graph, "plays in"), True))
    assert facts[:2] == ["", "captain: [T2]"]  # no name, no way back, topics first
    assert sorted(facts[2:]) == ["team: Portugal", "year: 2010"]  # and not the nameless squad
    by_other_way = brief_facts(case, spell, 12, ronaldo, (relation(graph, "team"), False))
    assert {"plays in (inverse): [T1]", "captain: [T2]"} <= set(by_other_way)
    assert brief_facts(case, ronaldo, 1, ronaldo, (0, True))[0] == "[T1]"


def test_a_choice_says_what_speaks_for_a_candidate_and_then_its_number() -> None:
    case = case_of(career(), "in 2010", "Ronaldo")
    facts = [["", "team: Portugal", "year: 2010"], ["Madrid", "year: 2014"], ["", "team: A"], [""], ["x " * 50]]
    choices = choices_of(case, facts)
    assert choices[:4] == ["year: [V1] 1", "Madrid 2", "team: A 3", "4"]
    assert choices[4] == "x " * 12 + "5"


@pytest.mark.parametrize(
    ("question", "facts", "shown"),
    [
        ("who in 2003", [["", "year: 2003"], ["", "year: 2004"]], "who in [V1]|year: [V1]|year: 2004"),
        ("who in 2003", [["", "from: 2003-05-01"]], "who in [V1]|from: [V1]-05-01"),
        ("who in 2003", [["", "from: 20030"]], "who in 2003|from: 20030"),
        ("is new york, in Spain", [["Spain", "in: New York"]], "is [V1], in [V2]|[V2]|in: [V1]"),
        ("who is in New York City", [["New York", "in: New York City"]], "who is in [V1]|New York|in: [V1]"),
        ("is it so", [["It", "is: so"]], "is it so|It|is: so"),
        ("anything", [[""]], "anything"),
        ("[V_7_] in 2003 [V_٣_]", [["", "in: 2003"]], "[V_7_] in [V1] [V_٣_]|in: [V1]"),
    ],
)
def test_what_question_and_facts_both_say_is_marked(question: str, facts: list[list[str]], shown: str) -> None:
    text, told = marked(question, facts)
    assert "|".join([text, *(fact for known in told for fact in known if fact)]) == shown


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("{Candidate Entity: m.01, Score: 0.93}", 0.93),
        ("Score:1", 1.0),
        ("I say 85%", 0.85),
        ("Score: 7", None),
        ("no", None),
        ("<think>0.2</think> score = 0.4", 0.4),
    ],
)
def test_reading_one_score(text: str, score: float | None) -> None:
    assert read_score(text) == score


def test_reading_many_scores() -> None:
    assert read_scores("1: 0.9\n2) 0.5\nCandidate 3: score 0.25\n9: 1.0", 4) == [0.9, 0.5, 0.25, None]


def test_an_end_that_all_topics_reach_weighs_most() -> None:
    triples = [("x", "knows", "both"), ("y", "knows", "both"), ("x", "knows", "one"), ("y", "knows", "other")]
    graph = Graph.from_triples(triples, name="two topics")
    case = case_of(graph, "whom do x and y know", "x", "y")
    case.plans = [WeightedPlan(((relation(graph, "knows"), True),), "knows", 1.0)]
    for aside, alone in ((1.0, 0.5), (0.2, 0.1)):
        partial = weigh_paths([case], Config(aside=aside), "none", None, None)[0]
        assert [each.topic for each in partial] == [0, 1]
        scores = {graph.whole.labels([end])[0]: score for end, score in gather(case, partial).scores.items()}
        assert scores == pytest.approx({"both": 1.0, "one": alone, "other": alone})


def test_a_path_that_passes_by_another_topic_weighs_more() -> None:
    """Both films are Y's; one has Z behind a mediator, and X is a topic that no path touches."""
    triples = [("Y", "directs", "film 1"), ("Y", "directs", "film 2"), ("film 1", "cast", "m.01"), ("m.01", "is", "Z")]
    triples += [("film 1", "won", "prize"), ("film 2", "won", "medal"), ("X", "far", "away")]
    graph = Graph.from_triples(triples, name="topics")

    def scores(*topics: str, steps: Sequence[str] = ("directs",)) -> dict[str, float]:
        case = case_of(graph, "q", *topics)
        case.plans = [WeightedPlan(tuple((relation(graph, name), True) for name in steps), "p", 1.0)]
        found = weigh_paths([case], Config(aside=0.2), "none", None, None)[0]
        own = next(partial for partial in found if partial.topic == 0)
        return dict(zip(graph.whole.labels(own.ends), own.scores.tolist(), strict=True))

    assert scores("Y", "Z") == pytest.approx({"film 1": 1.0, "film 2": 0.2})
    assert scores("Y", "Z", steps=("directs", "won")) == pytest.approx({"prize": 1.0, "medal": 0.2})
    assert scores("Y", "Z", "X") == pytest.approx({"film 1": 0.2, "film 2": 0.04})
    assert scores("Y") == pytest.approx({"film 1": 1.0, "film 2": 1.0})
