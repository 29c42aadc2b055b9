"""Answers of a trained tiny model: evidence, batches, leakage, topics that are not there."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from scr_films import Trainer

from clew.encoding import HashEncoder
from clew.errors import InputError
from clew.graph import Graph
from clew.graph.verify import verify
from clew.methods.registry import card
from clew.methods.scr.config import Config
from clew.methods.scr.method import Scr
from clew.protocols import Example, Tools
from clew.testing.fake_llm import FakeLanguageModel
from clew.types import Gold, Question, to_json
from films import film_triples


@pytest.fixture(scope="module")
def scr(model_folder: Path, encoder: HashEncoder) -> Scr:
    return Scr(Config(), Tools(encoder=encoder, model=model_folder))


def without_time(answer: Any) -> Any:
    return {key: value for key, value in to_json(answer).items() if key != "seconds"}


def test_it_answers_with_threads_that_are_in_the_graph(scr: Scr, films: Graph, examples: list[Example]) -> None:
    facts = {(t.head.id, t.relation.id, t.tail.id) for t in films.triples()}
    for example in examples:
        answer = scr.answer(example.question, films)
        assert answer.texts[0] in example.gold.answers
        assert all(candidate.supported for candidate in answer.candidates)
        assert 0 < answer.candidates[0].score <= 1
        for candidate in answer.candidates:
            for path in answer.paths_of(candidate):
                assert path.end == candidate.entity and path.start.id == example.question.topics[0]
                assert all((h.triple.head.id, h.triple.relation.id, h.triple.tail.id) in facts for h in path.hops)


def test_several_answers_of_one_relation_path_are_all_given(scr: Scr, films: Graph, examples: list[Example]) -> None:
    years = [example for example in examples if example.gold.kind == "years"]
    for example in years:
        assert set(scr.answer(example.question, films).texts) == set(example.gold.answers)


def test_a_batch_gives_what_single_questions_give(scr: Scr, films: Graph, examples: list[Example]) -> None:
    together = scr.predict([example.question for example in examples], films)
    for example, answer in zip(examples, together, strict=True):
        alone = scr.answer(example.question, films)
        assert alone.texts == answer.texts
        assert [c.score for c in alone.candidates] == pytest.approx([c.score for c in answer.candidates], rel=1e-4)


def test_it_never_sees_gold(scr: Scr, films: Graph, examples: list[Example]) -> None:
    """Question holds no gold, and an answer is a function of question and graph: same call, same bytes."""
    question = examples[0].question
    assert not {"gold", "answers", "answer"} & set(Question.__dataclass_fields__)
    assert without_time(scr.answer(question, films)) == without_time(scr.answer(question, films))


def test_renaming_the_answer_changes_no_thread(scr: Scr, films: Graph, examples: list[Example]) -> None:
    """The gold answer's name in the graph may change: the relations walked stay the same."""
    example = examples[-1]
    renamed = {answer: f"renamed {i}" for i, answer in enumerate(sorted(example.gold.answers))}
    triples = [
        (renamed.get(t.head.id, t.head.id), t.relation.id, renamed.get(t.tail.id, t.tail.id)) for t in films.triples()
    ]
    other = scr.answer(example.question, Graph.from_triples(triples, name="renamed"))
    assert other.candidates and set(other.texts) <= set(renamed.values())
    before = scr.answer(example.question, films).evidence.paths[0].relations
    assert other.evidence.paths[0].relations == before


def test_abstains_with_a_note(scr: Scr, films: Graph) -> None:
    nobody = scr.answer(Question("q", "who directed nothing", ("no such film",)), films)
    assert not nobody.candidates and "no entity 'no such film'" in nobody.note
    mixed = scr.predict([Question("a", "who?", ()), Question("b", "who directed film 1", ("film 1",))], films)
    assert not mixed[0].candidates and mixed[1].texts[0] == "person 1"


def test_several_topics_meet(
    tmp_path: Path, trainer: Trainer, films: Graph, examples: list[Example], encoder: HashEncoder
) -> None:
    by_director: dict[str, list[str]] = {}
    for triple in films.triples():
        if triple.relation.id == "directed_by":
            by_director.setdefault(triple.tail.id, []).append(triple.head.id)
    pairs = [
        Example(Question(f"{a} {b}", f"who directed {a} and {b}", (a, b)), Gold((person,), (person,)))
        for person, made in by_director.items()
        for a, b in combinations(made, 2)
    ]
    asked = next(pair for pair in pairs if pair.question.topics == ("film 1", "film 5"))
    others = [*examples, *(pair for pair in pairs if pair is not asked)]
    trainer(tmp_path / "model", examples=others, dev=others, update={"fit": {"steps": 90}})
    answer = Scr(Config(), Tools(encoder=encoder, model=tmp_path / "model")).answer(asked.question, films)
    assert answer.texts[0] == "person 1"
    assert {path.start.id for path in answer.paths_of(answer.candidates[0])} == {"film 1", "film 5"}


def test_without_the_stop_it_still_answers(model_folder: Path, encoder: HashEncoder, films: Graph) -> None:
    asked = Question("q", "who directed film 1", ("film 1",))
    answer = Scr(Config(score_stop=False), Tools(encoder=encoder, model=model_folder)).answer(asked, films)
    assert answer.candidates and verify(answer, films) == []


def test_a_hub_limit_is_told(model_folder: Path, encoder: HashEncoder) -> None:
    graph = Graph.from_triples([(f"film {i}", "directed_by", "person 0") for i in range(40)], name="hub")
    limited = Scr(Config(hub_limit=10), Tools(encoder=encoder, model=model_folder))
    answer = limited.answer(Question("q", "in which years came out what person 0 directed", ("person 0",)), graph)
    assert answer.details["hub"].startswith("30 candidates beyond hub_limit = 10")


def test_a_store_without_arrays_is_asked_for_the_surroundings(scr: Scr, films: Graph, examples: list[Example]) -> None:
    class Remote:
        """Only the protocol's methods of a graph."""

        name = "remote"

        def __init__(self, graph: Graph):
            for method in ("find", "entity", "neighbors", "relations", "triples"):
                setattr(self, method, getattr(graph, method))

    question = examples[0].question
    assert scr.answer(question, Remote(films)).texts[0] == scr.answer(question, films).texts[0]  # type: ignore[arg-type]


def test_a_graph_too_large_for_a_pass_is_read_around_its_topics(
    model_folder: Path, encoder: HashEncoder, films: Graph, examples: list[Example], tmp_path: Path, monkeypatch: Any
) -> None:
    questions = [example.question for example in examples[:6]]
    whole = Scr(Config(), Tools(encoder=encoder, model=model_folder)).predict(questions, films)
    monkeypatch.setattr("clew.graph.store.WHOLE_UP_TO", 10)
    seen: list[str] = []
    near = Scr(Config(), Tools(encoder=encoder, model=model_folder, cache=tmp_path))
    answers = near.predict(questions, films, on_event=lambda event: seen.append(event.stage))
    assert [answer.texts[:1] for answer in answers] == [answer.texts[:1] for answer in whole]
    assert "graph" not in seen
    (kept,) = tmp_path.glob("names/0/*/keys.b16")
    assert 0 < kept.stat().st_size // 16 <= films.num_entities + films.num_relations
    assert not (tmp_path / "scr").exists()


def test_of_many_names_around_a_topic_only_those_near_the_walks_are_encoded(
    model_folder: Path, encoder: HashEncoder, examples: list[Example], tmp_path: Path, monkeypatch: Any
) -> None:
    far = [("film 0", "seen by", f"Viewer {i}") for i in range(40)]
    graph = Graph.from_triples([*film_triples(), *far], name="more films")
    monkeypatch.setattr("clew.graph.store.WHOLE_UP_TO", 10)
    questions = [example.question for example in examples]
    right = [set(example.gold.answers) for example in examples]
    scr = Scr(Config(nearby=10_000), Tools(encoder=encoder, model=model_folder, cache=tmp_path / "all"))
    known = [set(answer.texts[:1]) <= gold for answer, gold in zip(scr.predict(questions, graph), right, strict=True)]
    monkeypatch.setattr("clew.methods.scr.near_names.NEAREST", 8)
    monkeypatch.setattr("clew.methods.scr.near_names.REACHED", 8)
    few = Scr(Config(nearby=10_000), Tools(encoder=encoder, model=model_folder, cache=tmp_path / "few"))
    found = [set(answer.texts[:1]) <= gold for answer, gold in zip(few.predict(questions, graph), right, strict=True)]
    assert sum(found) >= sum(known) - 1 and sum(known) > len(known) // 2

    (every,), (some,) = ((tmp_path / kept).glob("names/0/*/keys.b16") for kept in ("all", "few"))
    assert some.stat().st_size < every.stat().st_size


def test_the_card_names_what_exists() -> None:
    from importlib import import_module

    own = card("scr")
    assert own.needs.model == "required" and own.needs.language_model == "optional"
    for reference in (own.method, own.config, own.train, own.train_config):
        assert reference is not None
        module, _, name = reference.partition(":")
        assert hasattr(import_module(module), name)


def test_the_reader_reads_the_beam_and_its_answers_are_bound(
    model_folder: Path, encoder: HashEncoder, films: Graph
) -> None:
    language_model = FakeLanguageModel("person 1\nNobody Else")
    reading = Scr(Config(reader=True), Tools(encoder=encoder, model=model_folder, language_model=language_model))
    answer = reading.answer(Question("q", "who directed film 1", ("film 1",)), films)
    assert [(c.text, c.supported) for c in answer.candidates] == [("person 1", True), ("Nobody Else", False)]
    prompt = language_model.requests[0].messages[-1].content
    assert "] film 1 -> directed_by -> person 1\n" in prompt and prompt.count("all of [3]") == 1
    assert answer.usage.calls == 1
    with pytest.raises(InputError, match=r"set language_model\.model"):
        Scr(Config(reader=True), Tools(encoder=encoder, model=model_folder))


def test_the_reader_sees_all_walks_of_the_beam_with_siblings_on_one_line_in_one_batch(
    model_folder: Path, encoder: HashEncoder, films: Graph
) -> None:
    language_model = FakeLanguageModel(lambda request: "all of [1]")
    tools = Tools(encoder=encoder, model=model_folder, language_model=language_model)
    questions = [Question(str(i), f"which films did person {i} direct", (f"person {i}",)) for i in (1, 2)]
    alone = Scr(Config(threshold=0.0), Tools(encoder=encoder, model=model_folder)).predict(questions, films)
    read = Scr(Config(threshold=0.0, reader=True), tools).predict(questions, films)
    assert len(language_model.requests) == 2
    for own, answer in zip(alone, read, strict=True):
        assert verify(answer, films) == []
        # More than what the learned cut leaves, and the likeliest relation path's ends all together.
        assert {path.relations for path in answer.evidence.paths} > {
            path.relations for c in own.candidates[:1] for path in own.paths_of(c)
        }
        best = max(answer.evidence.paths, key=lambda path: path.score)
        same = {p.end.label for p in answer.evidence.paths if p.relations == best.relations}
        assert {c.text for c in answer.candidates} == same and all(c.supported for c in answer.candidates)


def test_an_unanswerable_question_can_be_learned(
    tmp_path: Path, trainer: Trainer, films: Graph, examples: list[Example], encoder: HashEncoder
) -> None:
    never = [Example(Question(f"u{i}", f"how tall is film {i}", (f"film {i}",)), Gold((), hops=0)) for i in range(8)]
    result = trainer(tmp_path, update={"fit": {"steps": 120}}, examples=[*examples, *never], dev=[*examples, *never])
    assert result.metrics["hits@1"] >= 0.95
    method = Scr(Config(), Tools(encoder=encoder, model=tmp_path))
    tall = method.answer(Question("q", "how tall is film 9", ("film 9",)), films)
    assert not tall.candidates and "no answer" in tall.note
    assert method.answer(examples[0].question, films).candidates


def test_one_step_aligns_the_question_with_the_answer(
    tmp_path: Path, trainer: Trainer, films: Graph, examples: list[Example], encoder: HashEncoder
) -> None:
    trainer(tmp_path, update={"network": {"multi_step": False}, "fit": {"steps": 100}, "siblings": False})
    method = Scr(Config(), Tools(encoder=encoder, model=tmp_path))
    answers = [method.answer(example.question, films) for example in examples]
    right = sum(a.texts[:1] != () and a.texts[0] in e.gold.answers for a, e in zip(answers, examples, strict=True))
    assert right > len(examples) / 3  # chance is 1 in 20
    longest = max(len(path.hops) for answer in answers for path in answer.evidence.paths)
    assert longest == 2
