"""Training data of STEM, the Triple-GNN, and a whole training with the smallest decoders."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from clew.config import parse
from clew.datasets.plain import parse_example, read_plain, to_plain
from clew.encoding.hashing import HashEncoder
from clew.errors import FormatError, InputError, TrainingError
from clew.graph import Graph
from clew.learning.checkpoints import load_weights
from clew.methods.stem.config import Config, NetworkConfig, TrainConfig
from clew.methods.stem.gold import (
    GoldChains,
    TripleSentences,
    gold_rows,
    masked_questions,
    masked_triples,
    planner_examples,
    revisit_share,
)
from clew.methods.stem.method import Stem
from clew.methods.stem.model import load_model
from clew.methods.stem.network import JoinedInput, QuestionInput, TripleNetwork, balanced_loss
from clew.methods.stem.similarity import Similarity, reworded
from clew.methods.stem.train import train
from clew.paths.examples import EntityIndex
from clew.protocols import Example, Tools, TrainRequest
from clew.synthesis import SamplingConfig, synthesize
from clew.types import Gold, Question

ENCODER = HashEncoder(32)
PEOPLE = [f"person {i}" for i in range(12)]
CITIES = [f"city {i}" for i in range(4)]
ROWS = [(p, "born in", CITIES[i % 4]) for i, p in enumerate(PEOPLE)]
ROWS += [(c, "located in", f"land {i % 2}") for i, c in enumerate(CITIES)]
ROWS += [(PEOPLE[i], "spouse of", PEOPLE[i + 1]) for i in range(0, 12, 2)]
GRAPH = Graph.from_triples(ROWS, name="people")


def born(p: str) -> str:
    return next(t for h, r, t in ROWS if h == p and r == "born in")


def land(p: str) -> str:
    return next(t for h, r, t in ROWS if h == born(p) and r == "located in")


EXAMPLES = [
    Example(Question(f"c{i}", f"where was {p} born?", (p,)), Gold((born(p),), (born(p),))) for i, p in enumerate(PEOPLE)
] + [
    Example(Question(f"l{i}", f"in which land was {p} born?", (p,)), Gold((land(p),), (land(p),)))
    for i, p in enumerate(PEOPLE)
]
NETWORK = {"width": 16, "layers": 2}


def trained(out: Path, *, resume: bool = False, graph: Any = GRAPH, examples: Any = EXAMPLES, **settings: Any) -> Any:
    config = parse(TrainConfig, {"parts": ["network"], "network": NETWORK, "fit": {"steps": 30}, **settings}, "train")
    return train(TrainRequest(graph, examples, (), Config(), config, Tools(encoder=ENCODER), out, resume=resume))


def test_gold_chains_are_those_that_reach_the_answers_and_little_else() -> None:
    questions = masked_questions(EXAMPLES, EntityIndex(GRAPH.whole))[0]
    assert len(questions) == 24 and {each.text for each in questions} == {
        "where was [T1] born?",
        "in which land was [T1] born?",
    }
    chains = GoldChains(GRAPH.whole, 3)
    assert chains.schema(questions[-1]) == (
        ("[T1]", "born in", "[ENT1]"),
        ("[ENT1]", "located in", "[ENT2]"),
    )
    gold = {GRAPH.whole.entity(int(e)).id for e in gold_rows(chains, questions[-1])}
    assert gold == {"person 11", born("person 11"), land("person 11")}


def test_whether_chains_walk_a_triple_twice_is_told_by_the_gold() -> None:
    family = Graph.from_triples(
        [("ann", "child", "cy"), ("bo", "child", "cy"), ("ann", "born in", "Oslo")], name="family"
    )
    again = Example(Question("a", "who are the parents of the child of ann?", ("ann",)), Gold(("ann", "bo")))
    once = Example(Question("b", "where was ann born?", ("ann",)), Gold(("Oslo",)))

    def share(*examples: Example) -> float:
        questions = masked_questions(examples, EntityIndex(family.whole))[0]
        return revisit_share(GoldChains(family.whole, 2), questions)

    assert share(once) == 0
    assert share(again, once) == 0.5


def test_two_topics_share_the_last_unknown() -> None:
    chains = [((0, True), (1, True)), None, ((0, False),)]
    names = [GRAPH.whole.relation(r).id for r in range(2)]
    assert masked_triples(GRAPH.whole, chains) == (
        ("[T1]", names[0], "[ENT1]"),
        ("[ENT1]", names[1], "[ENT2]"),
        ("[ENT2]", names[0], "[T3]"),
    )


def test_one_example_per_masked_text_and_what_is_left_out_is_counted() -> None:
    strange = [
        Example(Question("x", "who is Zyx?", ("Zyx",)), Gold(("city 1",))),
        Example(Question("y", "who is person 1?", ("person 1",)), Gold(("nobody",))),
    ]
    questions, left = masked_questions([*EXAMPLES, *strange], EntityIndex(GRAPH.whole))
    planned, unplanned = planner_examples(
        questions, GoldChains(GRAPH.whole, 2), TripleSentences(GRAPH.whole, 0), per_text=4, seed=0
    )
    assert {each.text for each in planned} == {"where was [T1] born?", "in which land was [T1] born?"}
    assert all(each.strategy == "Precision" for each in planned)
    assert all(len(x.assertions) == len(x.triples) and "[T1]" in x.assertions[0] for x in planned)
    assert left == {"unknown topic": ["x"], "unknown answers": ["y"]} and not unplanned


def test_relations_that_read_the_same_are_told_apart() -> None:
    graph = Graph.from_triples([("a", "film.film.genre", "b"), ("a", "music.album.genre", "c")])
    said = [TripleSentences(graph.whole, 0).say(("[T1]", r.id, "[ENT1]")) for r in graph.relations()]
    assert len(set(said)) == 2


def test_synthetic_lessons_name_nobody() -> None:
    made = list(synthesize(GRAPH.whole, 60, seed=1, sampling=SamplingConfig(fork=0.5)))
    questions = masked_questions([each.example() for each in made], EntityIndex(GRAPH.whole))[0]
    chains, said = GoldChains(GRAPH.whole, 2), TripleSentences(GRAPH.whole, 0)
    lessons, _ = planner_examples(questions, chains, said, per_text=4, seed=0)
    assert lessons and all(lesson.origin == "synthetic" for lesson in lessons)
    for lesson in lessons:
        said = " ".join((lesson.text, *lesson.assertions, *(end for h, _, t in lesson.triples for end in (h, t))))
        assert not any(name in said for name in (*PEOPLE, *CITIES, "land 0", "land 1")), said
        assert "[T1]" in lesson.text and lesson.strategy in ("Precision", "Breadth")


def test_what_synthesis_wrote_is_read_back(tmp_path: Path) -> None:
    """Triples, a model's own assertions and its strategy, from the file to the targets of SGDA, SAGB and Triple-GNN."""
    made = next(each for each in synthesize(GRAPH.whole, 20, seed=1) if len(each.masked) == 2)
    row = made.to_row() | {"strategy": "Breadth"}
    row["assertions"] = [f"{h} is tied to {t}" for h, _, t in made.masked]
    (tmp_path / "made.jsonl").write_text(json.dumps(row) + "\n")
    (example,) = read_plain(tmp_path / "made.jsonl")
    assert to_plain(example)["masked"] == row["masked"]
    questions = masked_questions([example], EntityIndex(GRAPH.whole))[0]
    chains = GoldChains(GRAPH.whole, 2)
    (lesson,), _ = planner_examples(questions, chains, TripleSentences(GRAPH.whole, 0), per_text=4, seed=0)
    assert (lesson.strategy, lesson.origin) == ("Breadth", "synthetic")
    assert lesson.assertions == tuple(f"{h} is tied to {t}" for h, _, t in lesson.triples)
    assert chains.schema(questions[0]) == lesson.triples  # Eq. 42: the network is trained on it as well
    for key, value, why in (("strategy", "Fast", "Precision"), ("assertions", ["one"], "expected as many")):
        with pytest.raises(InputError, match=why):
            parse_example(row | {key: value})
    strange = parse_example(row | {"masked": [["nobody", "born in", "[ENT1]"]] * 2})
    (unplanned,), left = masked_questions([strange], EntityIndex(GRAPH.whole))
    assert unplanned.planned is None and "a schema that does not fit the graph: mined instead" in left


def test_questions_with_graphs_of_their_own_train_on_the_union(tmp_path: Path) -> None:
    halves = [Graph.from_triples(ROWS[:14], name="one"), Graph.from_triples(ROWS[14:], name="two")]
    own = [replace(example, graph=halves[i % 2]) for i, example in enumerate(EXAMPLES)]
    card = load_model(trained(tmp_path / "own", examples=own, fit={"steps": 2}).model, ENCODER, "cpu").trained
    assert card.graph.startswith("union of 2 question graphs")


def part(width: int) -> QuestionInput:
    whole = GRAPH.whole
    return QuestionInput(whole, np.array([0]), np.ones(3 * width, np.float32))


@pytest.mark.parametrize("config", [NetworkConfig(width=16, layers=2), NetworkConfig(printed=True, **NETWORK)])
def test_questions_of_one_batch_do_not_touch(config: NetworkConfig) -> None:
    torch.manual_seed(0)
    network = TripleNetwork(config, 8)
    relations = torch.randn(2 * GRAPH.num_relations, 8)
    one = network(JoinedInput.of([part(8)]), relations)
    two = network(JoinedInput.of([part(8), part(8)]), relations)
    assert torch.allclose(two, torch.cat([one, one]), atol=1e-5)
    assert one.std() > 0


def test_a_network_of_the_width_of_the_paper_has_its_size() -> None:
    network = TripleNetwork(NetworkConfig(width=512, layers=6), 1024)
    assert 9e6 < sum(p.numel() for p in network.parameters()) < 11e6


def test_predicting_one_everywhere_does_not_minimise_the_loss() -> None:
    labels, owner = torch.tensor([1.0, 0.0, 0.0, 0.0]), torch.zeros(4, dtype=torch.long)
    ones = balanced_loss(torch.full((4,), 9.0), labels, owner, 1)
    right = balanced_loss(torch.tensor([9.0, -9.0, -9.0, -9.0]), labels, owner, 1)
    assert right < 0.01 < ones
    assert ones == pytest.approx(4.5, abs=0.1)


def test_the_network_learns_and_the_same_seed_gives_the_same_weights(tmp_path: Path) -> None:
    first = trained(tmp_path / "a", fit={"steps": 120, "lr": 0.01})
    assert first.metrics["guided recall"] > 0.9
    runs = [trained(tmp_path / name, fit={"steps": 5}).model for name in ("b", "c")]
    weights = [load_weights(folder / "network.safetensors") for folder in runs]
    assert all(torch.equal(tensor, weights[1][name]) for name, tensor in weights[0].items())


def test_rewording_changes_relations_and_nothing_else() -> None:
    similarity = Similarity(GRAPH.whole, ENCODER)
    triples = (("[T1]", "born in", "[ENT1]"), ("[ENT1]", "located in", "[ENT2]")) * 20
    changed = reworded(similarity, triples, 0.5, np.random.default_rng(0))
    assert [(h, t) for h, _, t in changed] == [(h, t) for h, _, t in triples]
    pairs = [(old[1], new[1]) for old, new in zip(triples, changed, strict=True)]
    known = {"born in", "located in", "spouse of"}
    assert {new for _, new in pairs} <= known and 0 < sum(old != new for old, new in pairs) < 20
    assert reworded(similarity, triples, 0.0, np.random.default_rng(0)) == triples


def test_what_training_refuses(tmp_path: Path) -> None:
    lost = [Example(Question("x", "where is Zyx?", ("Zyx",)), Gold(("city 1",)))]
    with pytest.raises(TrainingError, match="gold chain"):
        trained(tmp_path / "a", examples=lost)
    with pytest.raises(TrainingError, match=r"mining\.json"):
        trained(tmp_path / "b", examples=lost, parts=["planner"])


def test_a_damaged_folder_is_said(tmp_path: Path) -> None:
    folder = trained(tmp_path / "a", fit={"steps": 2}).model
    with pytest.raises(InputError, match=r"encoder\.name"):
        load_model(folder, HashEncoder(64), "cpu")
    (folder / "network.safetensors").write_bytes(b"short")
    with pytest.raises(FormatError, match="safetensors"):
        load_model(folder, ENCODER, "cpu")
    (folder / "stem.json").write_text('{"format": 1}')
    with pytest.raises(FormatError, match="damaged"):
        load_model(folder, ENCODER, "cpu")


@pytest.mark.slow
def test_a_whole_training_answers_unseen_names(tmp_path: Path) -> None:
    settings = {
        "parts": ["planner", "network"],
        "decompose": {"base": "tiny", "tune": {"epochs": 150, "batch": 8, "learning_rate": 3e-3, "bf16": False}},
        "ground": {"base": "tiny", "tune": {"epochs": 4, "bf16": False}, "pairs": 800},
        "hops": 2,
    }
    result = trained(tmp_path / "model", examples=EXAMPLES[:20], **settings)
    assert result.details["plans"] == 2
    method = Stem(Config(beams=2), Tools(encoder=ENCODER, model=result.model))
    asked = [example for example in EXAMPLES if example.question.id in ("c11", "l10", "l11")]
    answers = method.predict([example.question for example in asked], GRAPH)
    assert [a.texts for a in answers] == [e.gold.answers for e in asked]
    assert json.loads((result.model / "mining.json").read_text())["D_std"] == 2
    again = trained(tmp_path / "model", examples=EXAMPLES[:20], resume=True, **settings)
    assert sum(again.seconds.values()) < sum(result.seconds.values())
