"""Questions with their topics masked; plans and steps in words."""

from __future__ import annotations

import numpy as np
import pytest

from clew.graph import Graph
from clew.reading.growth import PlanCandidate
from clew.reading.plantext import END, START, STEP, sheet
from clew.reading.records import turned
from clew.reading.trails import PathHypothesis
from clew.reading.wording import PLACEHOLDER, PLAN_FEATURES, QuestionWording, WordedStep, Wording, step_features, way_of


def test_mentions_are_masked_longest_first_and_placed() -> None:
    asked = QuestionWording.of("Did Ann Lee's sister Ann meet ann_lee?", ["Ann", "Ann Lee"])
    assert asked.text == f"Did {PLACEHOLDER}'s sister {PLACEHOLDER} meet {PLACEHOLDER}?"
    assert [asked.text[a:b] for a, b, _ in asked.spans] == [PLACEHOLDER] * 3
    assert [mention for *_, mention in asked.spans] == [1, 0, 1]


def test_underscores_in_a_name_are_spaces_in_a_question() -> None:
    assert QuestionWording.of("who is ann lee's dad", ["ann_lee"]).text == f"who is {PLACEHOLDER}'s dad"


def test_a_name_that_does_not_stand_in_the_question_is_passed_over() -> None:
    assert QuestionWording.of("who is it", ["Zed", ""]).spans == ()


@pytest.mark.parametrize("way", range(6))
def test_turning_a_step_twice_gives_it_back(way: int) -> None:
    step = WordedStep("film actor", "performance film" if way > 1 else "", way)
    assert turned(turned(step)) == step != turned(step)


def test_ways() -> None:
    ways = [((0, True),), ((0, False),), *(((0, a), (1, b)) for a in (True, False) for b in (True, False))]
    assert [way_of(step) for step in ways] == list(range(6))


def test_shared_words_count_up_to_their_endings() -> None:
    asked = QuestionWording.of("Which films did Ann direct?", ["Ann"])
    shared, named = (
        step_features(asked, [WordedStep("directed by", "", 1)])[0],
        step_features(asked, [WordedStep("year", "", 0)])[0],
    )
    assert shared[0] == 1 and named[0] == 0


def test_a_renamed_relation_can_turn_round() -> None:
    graph = Graph.from_triples([("Ann", "parents", "Bo")], name="g").whole
    wording = Wording(graph)
    other = wording.renamed(lambda number: ("child", True))
    assert wording.step(((0, True),)) == WordedStep("parents", "", 0)
    assert other.step(((0, True),)) == WordedStep("child", "", 1)


def test_a_sheet_names_topics_steps_and_ends() -> None:
    graph = Graph.from_triples([("Ann", "born", "1950-01-02"), ("Ann", "type", "person")], name="g")
    whole = graph.whole
    start, end = whole.local("Ann"), whole.local("1950-01-02")
    assert start is not None and end is not None
    step = ((graph.relation_number("born") or 0, True),)
    plan = PlanCandidate((PathHypothesis(0, (step,), np.array([end], np.int32)),), np.array([end], np.int32))
    asked = QuestionWording.of("When was Ann born?", ["Ann"])
    page = sheet(asked, [plan], Wording(whole), [start], [0])
    assert page.tokens[0, :, 0].tolist() == [START, STEP, END]
    features = dict(zip(PLAN_FEATURES, page.features[0].tolist(), strict=True))
    assert features["time"] == 1 and features["asks_time"] == 1 and features["taken_up"] == 1
    assert page.start_kinds == ["person"]
