"""Metrics of one question, against cases computed by hand (methods.md 6.2 and 6.3) and laws they must keep."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.encoding import HashEncoder
from clew.evaluation.answers import score_answer, score_entities
from clew.evaluation.compat import MODES, gcr, hallucination, rog, subgraphrag, tog
from clew.evaluation.evidence import Likeness, estimated_tokens, score_evidence
from clew.evaluation.matching import accepted, contains, key, matched, normalise
from clew.types import Answer, Candidate, Entity, Evidence, Gold, Hop, Path, Question, Relation, Triple

QUESTION = Question("q", "which country?")


def said(*texts: str) -> Answer:
    return Answer(QUESTION, "test", tuple(Candidate(text, 1.0) for text in texts))


def triple(head: str, relation: str, tail: str) -> Triple:
    return Triple(Entity(head, head), Relation(relation, relation), Entity(tail, tail))


def test_normalisation_and_its_traps() -> None:
    assert normalise("The  U.S.A., an Example!") == "usa example"
    assert contains("Northern Ireland", "Ireland")
    assert contains("It is not Paris", "Paris")
    assert contains("anything", "The The")
    assert key("The The") == "the the"
    assert key("!!!") == "!!!"
    assert key("Zo\u0065\u0301") == key("Zo\u00e9")


def test_the_primary_metrics_do_not_fall_into_them() -> None:
    assert score_answer(said("Northern Ireland"), Gold(("Ireland",))).hit == 0
    assert score_answer(said("It is not Paris"), Gold(("Paris",))).hit == 0
    assert score_answer(said("Paris"), Gold(("The The",))).hit == 0
    assert score_answer(said("New", "York"), Gold(("New York",))).hit == 0
    assert rog(["New", "York"], ["New York"])["hit"] == 1


def test_primary_by_hand() -> None:
    score = score_answer(said("Berlin", "paris", "Rome"), Gold(("Paris", "Rome", "Oslo", "Bonn")))
    assert (score.hit, score.hits_at_1) == (1, 0)
    assert (score.precision, score.recall) == (2 / 3, 2 / 4)
    assert score.f1 == pytest.approx(2 * (2 / 3) * 0.5 / (2 / 3 + 0.5))
    assert (score.matches, score.predictions, score.golds) == (2, 3, 4)


def test_repeats_count_once() -> None:
    score = score_answer(said("Paris", "The Paris", "Rome"), Gold(("Paris", "paris", "Rome")))
    assert (score.precision, score.recall, score.f1) == (1, 1, 1)


def test_an_alias_matches_one_gold_only() -> None:
    gold = Gold(("United States", "Georgia"), aliases=(("USA", "US"), ()))
    assert score_answer(said("USA"), gold).recall == 0.5
    assert score_answer(said("USA", "United States"), gold).precision == 0.5


def test_shared_aliases_need_the_largest_matching() -> None:
    gold = Gold(("A", "B"), aliases=(("x", "y"), ("x",)))
    for order in permutations(("x", "y")):
        assert score_answer(said(*order), gold).recall == 1
        assert score_answer(said(*order), Gold(gold.answers[::-1], aliases=gold.aliases[::-1])).recall == 1


@pytest.mark.parametrize(("answer", "value"), [(said(), 1.0), (said("Paris"), 0.0), (None, 0.0)])
def test_unanswerable_is_answered_by_abstaining(answer: Answer | None, value: float) -> None:
    score = score_answer(answer, Gold(()))
    assert {score.hit, score.hits_at_1, score.precision, score.recall, score.f1} == {value}


def test_entities_are_compared_by_id_or_label() -> None:
    gold = Gold(("Georgia",), entities=("m.1",))
    right = Answer(QUESTION, "t", (Candidate("Georgia", 1.0, Entity("m.1", "Georgia")),))
    wrong = Answer(QUESTION, "t", (Candidate("Georgia", 1.0, Entity("m.2", "Georgia")),))
    assert score_answer(wrong, gold).f1 == 1
    found = [score_entities(each, gold) for each in (right, wrong, said("Georgia"), None)]
    assert [each.f1 for each in found if each] == [1, 0, 0, 0]
    by_label = score_entities(right, Gold(("Georgia",), entities=("Georgia",)))
    assert by_label is not None
    assert by_label.f1 == 1
    assert score_entities(right, Gold(("Georgia",))) is None


def test_rog_precision_exceeds_one() -> None:
    assert rog(["English, French and Spanish"], ["English", "French", "Spanish"]) == {
        "hit": 1, "hits@1": 1, "precision": 3.0, "recall": 1.0, "f1": 1.5,
    }  # fmt: skip
    assert rog(["Paris"], ["Paris", "Paris"])["precision"] == 2
    assert gcr(["English, French and Spanish"], ["English", "French", "Spanish"]) == {
        "hit": 1, "precision": 1.0, "recall": 1.0, "f1": 1.0,
    }  # fmt: skip
    assert gcr(["Paris", "Rome"], ["Paris", "Paris"]) == {"hit": 1, "precision": 0.5, "recall": 1, "f1": 2 / 3}


def test_subgraphrag_by_hand() -> None:
    lines = ["ans: Northern Ireland", "ans: Wales", "Reasoning about Wales", "ans: none of them"]
    score = subgraphrag(lines, ["Ireland", "Wales", "Wales"], "which team?")
    assert (score["precision"], score["recall"], score["exact"], score["hits@1"]) == (1, 1, 1, 1)
    assert subgraphrag(["ans: not available"], ["Wales"])["refused"] == 1
    assert subgraphrag(["Kingdom"], ["United Kingdom"], "who?")["hit"] == 0
    assert subgraphrag(["Kingdom"], ["United Kingdom"], "where?")["hit"] == 1
    assert subgraphrag(["1969"], ["1969-07-20"], "who?")["hit"] == 0
    assert subgraphrag(["1969"], ["1969-07-20"], "when was it?")["hits@1"] == 1
    one_to_one = subgraphrag(["English, French and Spanish"], ["English", "French", "Spanish"], "who?")
    assert (one_to_one["precision"], one_to_one["recall"]) == (1, 1 / 3)


def test_hallucination_by_hand() -> None:
    known = frozenset({"wales"})
    assert hallucination([], ["Wales"], known, in_graph=True) == pytest.approx(1.5 / 2.5)
    assert hallucination([], ["Wales"], known, in_graph=False) == 1
    assert hallucination(["Wales", "Peru"], ["Wales"], known, in_graph=True) == pytest.approx(1.5 / 2.5)
    assert hallucination(["Wales"], ["Oslo"], known, in_graph=False) == pytest.approx(0.5 / 2.5)
    assert hallucination(["Peru"], ["Oslo"], known, in_graph=False) == 0


def test_tog_is_containment_both_ways() -> None:
    assert tog(["The answer is {New York}."], ["NewYork"])["em"] == 1
    assert tog(["York"], ["New York"])["em"] == 1
    assert tog(["Paris"], ["New York"])["em"] == 0
    assert tog([], ["New York"])["em"] == 0


def test_evidence_by_hand() -> None:
    one, two, other = (
        triple("Heat", "director", "Mann"),
        triple("Mann", "born", "Chicago"),
        triple("Heat", "year", "95"),
    )
    right = Path(one.head, (Hop(one), Hop(two)), 1.0)
    back = Path(two.tail, (Hop(two, False), Hop(one, False)), 0.5)
    answer = Answer(
        QUESTION,
        "t",
        (Candidate("chicago", 0.9, two.tail, (0,)), Candidate("95", 0.5), Candidate("Oslo", 0.1)),
        Evidence((right, back, Path(one.head, (Hop(other),), 0.1)), (other,)),
    )
    gold_path = (("Heat", "director", "Mann"), ("Mann", "born", "Chicago"))
    gold = Gold(("Chicago", "Paris"), paths=(gold_path, (("Heat", "writer", "Mann"),)))
    score = score_evidence(answer, gold)
    assert (score.hit, score.recall, score.exact_matching) == (1, 0.5, 1)
    assert score.coverage == pytest.approx(2 / 3)
    assert score.path_precision == pytest.approx(2 / 3)
    assert score.path_recall == 0.5
    assert score.unsupported == pytest.approx(2 / 3)
    assert score.ungrounded == pytest.approx(1 / 3)
    assert (score.entities, score.triples) == (4, 3)
    assert score.tokens == estimated_tokens((one, two, other)) == -(-(19 + 18 + 13) // 4)
    assert score.density == pytest.approx(2 * 3 / (4 * 3)) and score.connected == 1
    apart = score_evidence(Answer(QUESTION, "t", evidence=Evidence((), (one, triple("Alien", "year", "79")))), gold)
    assert apart.connected == 0
    failed = score_evidence(None, gold)
    assert (failed.density, failed.connected) == (None, None)
    assert (failed.hit, failed.recall, failed.coverage, failed.path_precision, failed.unsupported) == (0, 0, 0, 0, None)


def test_matching_takes_a_similar_name() -> None:
    answer = Answer(QUESTION, "t", evidence=Evidence((), (triple("Heat", "director", "Michael Mann"),)))
    likeness = Likeness(HashEncoder(256), 0.6)
    assert likeness(answer, Gold(("michael mann",))) == 1
    assert likeness(answer, Gold(("Michael K. Mann",))) == 1
    assert likeness(answer, Gold(("Oslo",))) == 0
    assert likeness(None, Gold(("Oslo",))) == 0 and likeness(answer, Gold(())) is None


texts = st.sampled_from(["Paris", "paris!", "The Rome", "Rome", "Oslo", "!!!", "The The", "New York", "York", ""])
golds = st.builds(Gold, st.lists(texts, min_size=1, max_size=5).map(tuple))


@given(st.lists(texts, max_size=6), golds)
def test_primary_laws(lines: list[str], gold: Gold) -> None:
    score = score_answer(said(*lines), gold)
    for value in (score.hit, score.hits_at_1, score.precision, score.recall, score.f1):
        assert 0 <= value <= 1
    assert score.hits_at_1 <= score.hit == (score.matches > 0)
    assert min(score.precision, score.recall) <= score.f1 <= max(score.precision, score.recall)
    doubled = score_answer(said(*lines, *lines), Gold(gold.answers * 2))
    assert doubled == score
    turned = score_answer(said(*lines[::-1]), Gold(gold.answers[::-1]))
    assert (turned.hit, turned.precision, turned.recall, turned.f1) == (
        score.hit, score.precision, score.recall, score.f1,
    )  # fmt: skip
    assert score_answer(said(*gold.answers), gold).f1 == 1


@given(st.lists(texts, max_size=6), golds, st.sampled_from(sorted(MODES)))
def test_compatibility_laws(lines: list[str], gold: Gold, mode: str) -> None:
    values = MODES[mode].score(lines, gold.answers, "which year?")
    bounded = [name for name in MODES[mode].metrics if mode != "rog" or name not in ("precision", "f1")]
    assert set(MODES[mode].metrics) <= set(values)
    assert all(0 <= values[name] <= 1 for name in bounded)
    assert all(value == 0 for name, value in MODES[mode].score([], gold.answers, "").items()
               if name in ("hit", "hits@1", "precision", "recall", "f1", "em"))  # fmt: skip


def largest(golds: list[frozenset[str]], predictions: list[str]) -> int:
    if not golds or not predictions:
        return 0
    first, rest = predictions[0], predictions[1:]
    used = [1 + largest(golds[:g] + golds[g + 1 :], rest) for g, keys in enumerate(golds) if first in keys]
    return max([largest(golds, rest), *used])


@given(
    st.lists(st.frozensets(st.sampled_from("abcdef")), max_size=5),
    st.lists(st.sampled_from("abcdef"), unique=True, max_size=5),
)
def test_matching_is_the_largest(golds: list[frozenset[str]], predictions: list[str]) -> None:
    assert matched(predictions, golds) == largest(golds, predictions)


def test_aliases_belong_to_their_answer() -> None:
    assert accepted(Gold(("A", "B", "a"), aliases=(("x",), (), ("y",)))) == [{"x", "y"} | {key("A")}, {"b"}]
