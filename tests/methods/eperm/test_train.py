"""Mining the posterior, writing tasks, and a tiny model that is really tuned and then answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("trl", reason="needs the extra train")

from eperm_world import career

from clew.config import parse
from clew.encoding import HashEncoder
from clew.errors import NotFoundError, TrainingError
from clew.graph import Graph
from clew.learning.folders import read_json, read_record
from clew.methods.eperm import tasks
from clew.methods.eperm.asking import PromptClient, plan_text
from clew.methods.eperm.config import Config, TrainConfig
from clew.methods.eperm.gold import Posterior, agreed, posterior
from clew.methods.eperm.method import Eperm
from clew.methods.eperm.model import DESCRIPTION, Trained
from clew.methods.eperm.tasks import TaskWriter
from clew.methods.eperm.train import EpermTraining, _Silent, train
from clew.protocols import Example, Tools, TrainRequest, TrainResult, ignore
from clew.types import Event, Gold, Question

pytestmark = pytest.mark.filterwarnings("ignore")  # the training libraries warn about themselves
TINY = {
    "size": {"width": 48, "layers": 1, "heads": 2, "key_heads": 1, "inner": 96, "vocabulary": 400, "positions": 512},
    "tune": {"epochs": 40, "batch": 8, "learning_rate": 5e-3, "bf16": False},
    "distractors": 3,
}


def films() -> Graph:
    triples = []
    for i in range(8):
        triples += [
            (f"film {i}", "directed_by", f"person {i % 3}"),
            (f"film {i}", "written_by", f"person {(i + 1) % 4}"),
            (f"film {i}", "year", str(1990 + i % 4)),
        ]
    return Graph.from_triples(triples, name="films")


def examples() -> list[Example]:
    found = []
    graph = films()
    for i in range(8):
        for verb, relation in (("directed", "directed_by"), ("wrote", "written_by")):
            answer = next(t.tail.id for t in graph.neighbors([f"film {i}"]) if t.relation.id == relation)
            text = f"who {verb} film {i}"
            found.append(Example(Question(text, text, (f"film {i}",)), Gold((answer,), (answer,))))
    return found


def tuned(out: Path, *, graph: Graph | None = None, asked: list[Example] | None = None, **more: Any) -> TrainResult:
    settings = {**TINY, **more.pop("settings", {})}
    events: list[Event] = []
    request = TrainRequest(
        graph=graph or films(),
        examples=examples() if asked is None else asked,
        dev=more.pop("dev", examples()[:6]),
        config=Config(),
        train_config=parse(TrainConfig, settings, "train"),
        tools=Tools(encoder=HashEncoder(64)),
        out=out,
        **more,
    )
    out.mkdir(exist_ok=True)
    return train(request, events.append)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("eperm") / "model"
    tuned(out)
    return out


def mined(graph: Graph, topic: str, *answers: str, **settings: Any) -> tuple[list[str], Posterior]:
    whole = graph.whole
    numbers = np.array([whole.local(name) for name in answers], np.int32)
    found = posterior(whole, [whole.local(topic) or 0], numbers, TrainConfig.model_validate(settings))
    return [plan_text(whole, each.steps) for each in found.gold], found


def test_a_plan_is_gold_when_enough_of_what_it_reaches_is_right() -> None:
    graph = Graph.from_triples(
        [("t", "exact", "a"), ("t", "exact", "b"), ("t", "wide", "a"), ("t", "wide", "c"), ("t", "wide", "d")], name="g"
    )
    gold, found = mined(graph, "t", "a", "b", hops=1)
    assert gold == ["exact"]
    assert [each.candidate.precision for each in found.others] == [pytest.approx(1 / 3)]
    loose, _ = mined(graph, "t", "a", "b", hops=1, threshold=0.3, posterior="ratio")
    assert loose == ["exact", "wide"]


def test_a_narrow_plan_does_not_outdo_one_that_finds_all_answers() -> None:
    triples = [("t", "first", "a"), ("t", "all", "a"), ("t", "all", "b"), ("t", "all", "c")]
    assert mined(Graph.from_triples(triples, name="g"), "t", "a", "b", "c", hops=1)[0] == ["all"]


def test_where_no_plan_passes_the_best_is_kept() -> None:
    graph = Graph.from_triples([("t", "r", x) for x in "abcdefgh"] + [("t", "s", x) for x in "abcdijk"], name="g")
    gold, found = mined(graph, "t", "a", hops=1, threshold=0.5)
    assert gold == ["s"]
    assert found.fallback


def test_plans_of_several_topics_are_gold_by_what_they_reach_together() -> None:
    films = [("X", "acts in", f"film {i}") for i in range(9)] + [("Y", "directs", f"film {i}") for i in range(7, 12)]
    graph = Graph.from_triples([*films, ("Y", "born in", "Z")], name="two topics")
    whole = graph.whole
    topics = [whole.local("X") or 0, whole.local("Y") or 0]
    both = np.array([whole.local("film 7"), whole.local("film 8")], np.int32)
    found = posterior(whole, topics, both, TrainConfig(hops=1))
    assert [(each.topic, plan_text(whole, each.steps)) for each in found.gold] == [(0, "acts in"), (1, "directs")]
    assert not found.fallback
    wrong = np.array([whole.local("film 0")], np.int32)  # Y did not direct it
    assert {each.topic for each in posterior(whole, topics, wrong, TrainConfig(hops=1)).gold} == {0}


def test_other_questions_tell_which_of_two_gold_plans_is_meant() -> None:
    texts = ["who directed [T1]"] * 6 + ["who wrote [T1]"] * 6
    plans = (
        [["directed by"]] * 5 + [["directed by", "written by"]] + [["written by"]] * 5 + [["written by", "directed by"]]
    )
    kept = agreed(texts, plans)
    assert kept[5] == kept[11] == [True, False]
    assert all(all(each) for i, each in enumerate(kept) if i not in (5, 11))
    both = agreed(["who is from [T1]"] * 4, [["born in", "birthplace of (inverse)"]] * 4)
    assert both == [[True, True]] * 4


def test_no_way_to_the_answer_gives_no_plan() -> None:
    graph = Graph.from_triples([("t", "r", "a"), ("x", "r", "y")], name="g")
    assert mined(graph, "t", "y", hops=2)[0] == []


def test_answer_tasks_show_wrong_plans_and_weights_that_inform(monkeypatch: pytest.MonkeyPatch) -> None:
    _, found = mined(career(), "Ronaldo", "Funchal", hops=2)
    assert found.others
    silent = PromptClient(_Silent(), "short")
    monkeypatch.setattr(tasks, "MISLEADING", 0.0)
    honest = TaskWriter(silent, TrainConfig(), Config(), np.random.default_rng(0))
    rows = [honest.weighted(found) for _ in range(50)]
    assert all(sum(weight for _, weight, _ in row) == pytest.approx(1.0) for row in rows)
    assert all([w for _, w, _ in row] == sorted((w for _, w, _ in row), reverse=True) for row in rows)
    heaviest = sum(row[0][2] for row in rows) / len(rows)
    monkeypatch.setattr(tasks, "MISLEADING", 1.0)
    trick = TaskWriter(silent, TrainConfig(), Config(), np.random.default_rng(0))
    misled = [row[0][2] for row in (trick.weighted(found) for _ in range(50)) if len(row) > 1]
    assert heaviest > 0.6 > 0.1 > sum(misled) / len(misled) - 1e-9


@pytest.mark.parametrize("style", ["short", "paper"])
def test_every_kind_of_task_is_written(style: Any) -> None:
    from eperm_world import case_of

    graph = career()
    case = case_of(graph, "which team in 2010", "Ronaldo")
    writer = TaskWriter(PromptClient(_Silent(), style), TrainConfig(scorers=True), Config(), np.random.default_rng(3))
    portugal = np.array([graph.whole.local("Portugal")], np.int32)
    found = posterior(graph.whole, case.starts.tolist(), portugal, TrainConfig(threshold=0.2, posterior="ratio"))
    for _ in range(12):
        pairs = writer.tasks(case, found, portugal)
    assert {"plan", "answer", "relations", "entities", "entity"} <= set(writer.written)
    assert all(pair.completion for pair in pairs)


def test_the_tuned_model_answers(folder: Path) -> None:
    method = Eperm(Config(), Tools(encoder=HashEncoder(64), model=folder))
    asked = examples()
    answers = method.predict([example.question for example in asked], films())
    right = [answer.texts[:1] == example.gold.answers for answer, example in zip(answers, asked, strict=True)]
    assert sum(right) >= 14, [answer.texts for answer in answers]
    assert all(answer.details["style"] == "short" for answer in answers)
    assert all(candidate.supported for answer in answers for candidate in answer.candidates)
    assert all(answer.usage.calls == 2 for answer in answers)


@pytest.mark.parametrize(("set_to", "stated", "hops"), [(0, [3, 1], 3), (0, [0, 0], 2), (0, [9, 2], 4), (1, [3, 3], 1)])
def test_plans_are_as_long_as_the_questions_say(set_to: int, stated: list[int], hops: int, tmp_path: Path) -> None:
    asked = [Example(Question(str(i), "who?"), Gold(("a",), hops=n or None)) for i, n in enumerate(stated)]
    request = TrainRequest(films(), asked, (), Config(), TrainConfig(hops=set_to), Tools(), tmp_path)
    assert EpermTraining(request, ignore).config.longest == hops


def test_what_training_leaves_behind(folder: Path) -> None:
    trained = read_record(Trained, folder / DESCRIPTION)[0]
    assert (trained.style, trained.hops, trained.relations) == ("short", 2, "none")
    assert trained.lines is not None and 2 <= trained.lines <= 5  # gold and up to three distractors
    assert trained.temperature < 1.0  # fitted: a right plan deserves more than a sixth
    assert (folder / "model" / "model.safetensors").is_file()
    assert not (folder / "checkpoints").exists()


def test_no_more_lines_are_shown_than_the_model_was_trained_with(folder: Path) -> None:
    few, many = (
        Eperm(Config(plans=12, lines=lines), Tools(encoder=HashEncoder(64), model=folder)) for lines in (None, 12)
    )
    assert few.config.lines == read_record(Trained, folder / DESCRIPTION)[0].lines and many.config.lines == 12
    asked = [example.question for example in examples()[:4]]
    cut = [answer.details.get("lines_not_shown", 0) for answer in few.predict(asked, films())]
    shown = [answer.details.get("lines_not_shown", 0) for answer in many.predict(asked, films())]
    assert sum(cut) > 0 and sum(shown) == 0


def test_a_finished_tuning_is_not_repeated(folder: Path) -> None:
    before = (folder / "model" / "model.safetensors").read_bytes()
    again = tuned(folder, resume=True)
    assert (folder / "model" / "model.safetensors").read_bytes() == before
    assert again.metrics["hits@1"] >= 0.8


def test_the_same_seed_gives_the_same_tasks_and_weights(tmp_path: Path) -> None:
    few = {"settings": {"tune": {**TINY["tune"], "max_steps": 3}, "validate_on": 0}}
    for name in ("a", "b"):
        tuned(tmp_path / name, **few)
    one, two = ((tmp_path / name / "model" / "model.safetensors").read_bytes() for name in ("a", "b"))
    assert one == two


def test_without_a_dev_set_some_questions_are_held_out(tmp_path: Path) -> None:
    quick = {"tune": {**TINY["tune"], "max_steps": 1}, "dev_share": 0.25}
    result = tuned(tmp_path / "a", dev=[], settings=quick)
    assert read_json(tmp_path / "a" / "mining.json")["questions"] == 12
    assert {"hits@1", "temperature"} <= result.metrics.keys()
    none = tuned(tmp_path / "b", dev=[], settings={**quick, "validate_on": 0})
    assert read_json(tmp_path / "b" / "mining.json")["questions"] == 16
    assert "hits@1" not in none.metrics


def test_nothing_to_learn_is_said(tmp_path: Path) -> None:
    lost = [Example(Question("q", "who", ("film 1",)), Gold(("nobody here",)))]
    with pytest.raises(TrainingError, match=r"mining\.json"):
        tuned(tmp_path, asked=lost)
    assert "unknown answers" in (tmp_path / "mining.json").read_text()


def test_training_on_questions_without_a_good_plan_goes_on_and_is_counted(tmp_path: Path) -> None:
    """Every plan reaches eight entities and one of them is right: below t, so the best is kept for each question."""
    graph = Graph.from_triples([(f"t{i}", "r", f"{i} {x}") for i in range(6) for x in "abcdefgh"], name="g")
    asked = [Example(Question(f"q{i}", f"which of t{i}", (f"t{i}",)), Gold((f"{i} a",))) for i in range(6)]
    quick = {"tune": {**TINY["tune"], "max_steps": 1}, "validate_on": 0}
    result = tuned(tmp_path, graph=graph, asked=asked, dev=[], settings=quick)
    assert result.details["best plan kept below the threshold"] == 6
    assert read_json(tmp_path / "mining.json")["best plan kept below the threshold"] == 6


def test_a_folder_without_a_description_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"eperm\.json"):
        Eperm(Config(), Tools(encoder=HashEncoder(64), model=tmp_path))
