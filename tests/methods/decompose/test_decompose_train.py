"""Training: small models in the place of large ones, the graph encoder, and what is left in the folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("trl", reason="needs the extra train")
import torch

from clew.config import merge, parse
from clew.encoding import HashEncoder
from clew.errors import ConfigError, FormatError, InputError, TrainingError, UnsupportedError
from clew.graph import Graph
from clew.learning.scratch import DecoderSize, create_decoder
from clew.methods.decompose.compositions import (
    Known,
    answer_set,
    gold_path,
    leads_to_answers,
    made,
    reader_pair,
)
from clew.methods.decompose.config import Config, NetworkConfig, TrainConfig
from clew.methods.decompose.encoder_training import FrozenModel, ReaderExample, unread_by_reader
from clew.methods.decompose.evidence_paths import evidence_paths
from clew.methods.decompose.hybrid import GraphVectors
from clew.methods.decompose.method import Decompose
from clew.methods.decompose.network import HEADS, EncoderRecord, GraphEncoder, batch_graphs, load_network, save_network
from clew.methods.decompose.plan import RelationVocabulary
from clew.methods.decompose.plan_choice import PlanChoice, read_plan_choice
from clew.methods.decompose.roles import Role, small_model
from clew.methods.decompose.train import train
from clew.methods.decompose.training_state import DecomposeTraining
from clew.protocols import Example, Message, Tools, TrainRequest, TrainResult, ignore
from clew.retrieval.linking import link
from clew.testing.fake_llm import FakeLanguageModel
from clew.testing.method import HARD
from clew.types import Gold, Question

pytestmark = pytest.mark.filterwarnings("ignore")  # the training libraries warn about themselves
ENCODER = HashEncoder(64)
TINY: dict[str, Any] = {
    "decomposer": {"size": "tiny", "synthetic": 20, "epochs": 16, "batch": 8, "learning_rate": 5e-3},
    "reader": {"size": "tiny", "synthetic": 0, "epochs": 5, "batch": 8, "learning_rate": 5e-3},
    "network": {"width": 16, "layers": 2, "inner": 16},
    "fit": {"lr": 1e-2, "clip": 0.1, "patience": 2},
    "epochs": 3,
}


def families() -> Graph:
    rows = []
    for i in range(14):
        rows += [
            (f"parent_{i}", "spouse", f"partner_{i}"),
            (f"parent_{i}", "children", f"child_{i}"),
            (f"child_{i}", "place_of_birth", f"town_{i % 5}"),
            (f"partner_{i}", "profession", f"job_{i % 4}"),
        ]
    return Graph.from_triples(rows, name="families")


def questions() -> list[Example]:
    made_up = []
    for i in range(14):
        for text, answer in (
            (f"what is the work of parent_{i} 's wife ?", f"job_{i % 4}"),
            (f"where was the kid of parent_{i} born ?", f"town_{i % 5}"),
        ):
            made_up.append(Example(Question(f"{i}{text[:3]}", text, (f"parent_{i}",)), Gold((answer,), (answer,))))
    return made_up


@pytest.fixture(scope="module")
def graph() -> Graph:
    return families()


def request(graph: Graph, out: Path, **changes: Any) -> TrainRequest:
    settings = merge(TINY, changes.pop("settings", {}))
    values: dict[str, Any] = {
        "graph": graph,
        "examples": questions(),
        "dev": (),
        "config": Config(hops=2, region=2),
        "train_config": parse(TrainConfig, settings, "train"),
        "tools": Tools(encoder=ENCODER, link=link),
        **changes,
    }
    return TrainRequest(out=out, **values)


@pytest.fixture(scope="module")
def trained(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TrainResult]:
    out = tmp_path_factory.mktemp("decompose") / "model"
    out.mkdir()
    return out, train(request(graph, out))


def test_everything_is_trained_and_used(graph: Graph, trained: tuple[Path, TrainResult]) -> None:
    out, result = trained
    assert read_plan_choice(out / "decomposer") == PlanChoice(**result.details["choosing"])
    assert {"plans", "loss_with_soft_prompt", "loss_without_soft_prompt"} <= set(result.metrics)
    assert result.metrics["plans"] > 0.5
    assert set(result.seconds) == {"decomposer", "reader", "graph encoder"}
    method = Decompose(Config(hops=2, region=2), Tools(ENCODER, model=out, link=link))
    answers = method.predict([example.question for example in questions()], graph)
    assert {answer.details["decomposed_by"] for answer in answers} >= {"small model"}
    whole = [answer for answer in answers if len(answer.details["subquestions"]) == 2]
    assert whole and all(answer.usage.calls == 3 for answer in whole)
    right = [answer.texts[:1] == example.gold.answers for answer, example in zip(answers, questions(), strict=True)]
    assert np.mean(right) > 0.3  # one thread in six would be chance; a tiny reader learns some of it


def test_a_hard_question_raises_nothing(graph: Graph, trained: tuple[Path, TrainResult]) -> None:
    method = Decompose(Config(), Tools(ENCODER, model=trained[0], link=link))
    long = Question("long", "what is the work of parent_1 's wife " * 700, ("parent_1",))
    answers = method.predict([*HARD, long], graph)
    assert all(answer.candidates or answer.note for answer in answers)
    assert "only the first 150 of 5600 words" in answers[-1].note


def test_the_trained_models_can_be_left_aside(graph: Graph, trained: tuple[Path, TrainResult]) -> None:
    method = Decompose(Config(small=False), Tools(ENCODER, model=trained[0], link=link))
    answer = method.answer(questions()[0].question, graph)
    assert answer.usage.calls == 0


def test_a_language_model_goes_before_the_small_reader(graph: Graph, trained: tuple[Path, TrainResult]) -> None:
    model = FakeLanguageModel('["job_0"]')
    method = Decompose(Config(), Tools(ENCODER, model, trained[0], link=link))
    answer = method.answer(questions()[0].question, graph)
    assert answer.details["decomposed_by"] == "small model"
    assert answer.reply == '["job_0"]'


def test_a_graph_encoder_for_another_model_is_not_used(
    graph: Graph, trained: tuple[Path, TrainResult], tmp_path: Path
) -> None:
    other = FakeLanguageModel('["job_0"]', abilities=("soft_prompt",))
    tools = Tools(ENCODER, other, trained[0], link=link)
    Decompose(Config(), tools).answer(questions()[0].question, graph)
    assert all(request.soft_prompt is None for request in other.requests)
    with pytest.raises(ConfigError, match=r"trained for language model 'local:.*this is 'fake'"):
        Decompose(Config(graph_encoder=True), tools)


def test_the_soft_prompt_reaches_the_model_it_was_trained_for(graph: Graph, trained: tuple[Path, TrainResult]) -> None:
    method = Decompose(Config(graph_encoder=True), Tools(ENCODER, model=trained[0], link=link))
    role = method.reader
    assert role is not None
    work = method.start(questions()[0].question, graph)
    method.gather([work])
    method.merge([work])
    (soft,) = method.soft_prompts([work])
    assert soft.shape == (1, role.model.backend.width)  # type: ignore[attr-defined]
    plain = Decompose(Config(graph_encoder=False), Tools(ENCODER, model=trained[0], link=link))
    assert plain.soft_prompts([work]) == []


def test_a_finished_stage_is_not_trained_again(graph: Graph, trained: tuple[Path, TrainResult]) -> None:
    out, first = trained
    weights = (out / "decomposer" / "model" / "model.safetensors").read_bytes()
    again = train(request(graph, out, resume=True))
    assert (out / "decomposer" / "model" / "model.safetensors").read_bytes() == weights
    assert again.metrics["loss_with_soft_prompt"] == pytest.approx(first.metrics["loss_with_soft_prompt"], abs=1e-6)


def test_the_graph_encoder_learns_from_questions_that_the_reader_has_not_seen(graph: Graph, tmp_path: Path) -> None:
    for given, unread in ((20, 8), (6000, 28)):
        settings = parse(TrainConfig, {"reader": {"given": given}}, "train")
        state = DecomposeTraining(request(graph, tmp_path, train_config=settings, dev=questions()), ignore)
        rest = unread_by_reader(state)
        assert len(rest) == unread
        seen = {example.question.id for example in state.sample(state.examples, given, 3)}
        assert given == 6000 or not seen & {example.question.id for example in rest}


def test_what_cannot_be_trained_is_said(graph: Graph, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no training questions"):
        train(request(graph, tmp_path, examples=()))
    off = {"decomposer": {"enabled": False}, "reader": {"enabled": False}}
    with pytest.raises(UnsupportedError, match="backend = 'local'"):
        train(request(graph, tmp_path, settings=off))
    with pytest.raises(UnsupportedError, match="needs a language model in this process, this is fake"):
        tools = Tools(ENCODER, FakeLanguageModel("[]"), link=link)
        train(request(graph, tmp_path, settings=off, tools=tools))
    lost = [Example(Question("q", "who is it?", ("parent_1",)), Gold(("nobody",)))]
    with pytest.raises(TrainingError, match="no question has a path"):
        train(request(graph, tmp_path, examples=lost, dev=lost, settings={"decomposer": {"synthetic": 0}}))


def test_gold_paths_come_from_paths_or_are_looked_for(graph: Graph) -> None:
    whole, language = graph.whole, RelationVocabulary(graph.whole)
    names = language.index.relations
    start = np.array([whole.local("parent_3")], np.int32)
    wanted = ((names["spouse"], True), (names["profession"], True))
    assert gold_path(language, start, Gold(("job_3",)), 2) == wanted
    path = (("parent_3", "spouse", "partner_3"), ("partner_3", "profession", "job_3"))
    assert gold_path(language, start, Gold(("x",), paths=(path,)), 2) == wanted
    back = np.array([whole.local("job_3")], np.int32)
    assert gold_path(language, back, Gold(("x",), paths=(path[1:],)), 2) == ((names["profession"], False),)
    assert gold_path(language, start, Gold(("Atlantis",)), 2) == ()
    assert gold_path(language, np.empty(0, np.int32), Gold(("job_3",)), 2) == ()


def test_of_paths_that_fit_alike_the_one_that_reads_like_the_question_is_gold() -> None:
    rows = [("Ada", "spouse", "Bob"), ("Ada", "boss", "Bob"), ("Ada", "friend", "Bob"), ("Ada", "friend", "Cyd")]
    language = RelationVocabulary(Graph.from_triples(rows).whole)
    start, gold = np.array([language.graph.local("Ada")], np.int32), Gold(("Bob",))

    def chosen(word: str) -> str:
        found = gold_path(language, start, gold, 2, lambda plans: np.array([word in language.spell(p) for p in plans]))
        return language.spell(found)

    assert chosen("boss") == "boss"
    assert chosen("spouse") == "spouse"
    assert chosen("friend") != "friend"  # it leads to others too
    known = Known("", start, gold_path(language, start, gold, 2), answer_set(language.index, gold))
    right = {
        language.spell(((r, True),)): leads_to_answers(language.graph, start, ((r, True),), known) for r in range(3)
    }
    assert right == {"spouse": True, "boss": True, "friend": False}


def test_synthetic_questions_end_where_the_graph_does(graph: Graph) -> None:
    some = list(made(graph.whole, 20, 2, 0))
    assert len(some) == 20
    assert {example.gold.hops for example in some} <= {1, 2}
    language = RelationVocabulary(graph.whole)
    assert all(
        gold_path(language, np.array([graph.whole.local(e.question.topics[0])], np.int32), e.gold, 2) for e in some
    )
    few = list(made(Graph.from_triples([("a", "r", "b")]).whole, 10_000, 1, 0))
    assert 0 < len(few) < 200


# -- the network -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def vectors(graph: Graph) -> GraphVectors:
    return GraphVectors(graph.whole, ENCODER)


def parts(graph: Graph, vectors: GraphVectors) -> list[Any]:
    queries = ENCODER.encode(["spouse of parent_1", "child_2 place of birth", "job"])
    paper = Config(around="whole", anchored=False, mediator_facts=False, edges=5, edge_cost=0.5)
    return [(vectors.retrieve(query, paper).graph, vectors) for query in queries]


def network(seed: int = 0) -> GraphEncoder:
    torch.manual_seed(seed)
    return GraphEncoder(NetworkConfig(width=16, inner=8), 64, 24).eval()


@torch.no_grad()
def test_a_batch_of_graphs_equals_each_alone(graph: Graph, vectors: GraphVectors) -> None:
    encoder, graphs = network(), parts(graph, vectors)
    together = encoder(batch_graphs(graphs))
    assert together.shape == (3, 1, 24)
    for i, one in enumerate(graphs):
        assert torch.allclose(encoder(batch_graphs([one]))[0], together[i], atol=1e-5)
    assert not torch.allclose(together[0], together[1], atol=1e-4)


@torch.no_grad()
def test_attention_is_a_softmax_over_each_entitys_messages(graph: Graph, vectors: GraphVectors) -> None:
    """The layer against the obvious loop."""
    encoder = network()
    layer = encoder.layers[0]
    batch = batch_graphs(parts(graph, vectors)[:1])
    nodes = encoder.enter(batch.nodes)
    found = layer(nodes, batch)
    edge = layer.edge(batch.edges)
    for n in range(len(nodes)):
        into = [e for e in range(len(batch.targets)) if int(batch.targets[e]) == n]
        rows = []
        for h in range(HEADS):
            cut = slice(h * layer.each, (h + 1) * layer.each)
            keys = torch.stack([(layer.key(nodes[batch.sources[e]]) + edge[e])[cut] for e in into])
            values = torch.stack([(layer.value(nodes[batch.sources[e]]) + edge[e])[cut] for e in into])
            rows.append(torch.softmax(keys @ layer.query(nodes[n])[cut] / layer.each**0.5, 0) @ values)
        assert torch.allclose(found[n], torch.cat(rows) + layer.skip(nodes[n]), atol=1e-5)


def test_weights_survive_and_damage_is_told(tmp_path: Path, graph: Graph, vectors: GraphVectors) -> None:
    encoder = network()
    save_network(
        tmp_path,
        encoder,
        EncoderRecord(config=encoder.config, width=64, model_width=24, language_model="m", encoder="e"),
    )
    again, made_for = load_network(tmp_path, "cpu")
    batch = batch_graphs(parts(graph, vectors))
    assert torch.equal(again(batch), encoder(batch))
    assert made_for.language_model == "m"
    weights = tmp_path / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-4])
    with pytest.raises(FormatError):
        load_network(tmp_path, "cpu")
    with pytest.raises(ConfigError, match="no multiple"):
        GraphEncoder(NetworkConfig(width=18), 8, 8)


def test_gradients_reach_the_graph_encoder_and_nothing_else(
    graph: Graph, vectors: GraphVectors, tmp_path: Path
) -> None:
    create_decoder(
        tmp_path,
        ["what is it <1> <2>"],
        size=DecoderSize(width=24, layers=1, heads=2, inner=32, vocabulary=300),
        keep=["<1>"],
    )
    frozen = FrozenModel(Role(small_model(tmp_path, "cpu"), small=True))
    encoder = GraphEncoder(NetworkConfig(width=16, inner=8), 64, frozen.width)
    lessons = [
        ReaderExample((Message("user", "what is it " * (i + 1)),), "<1>", part, vectors)
        for i, (part, _) in enumerate(parts(graph, vectors))
    ]
    loss = frozen.loss(lessons, encoder(batch_graphs(parts(graph, vectors))))
    loss.backward()  # type: ignore[no-untyped-call]
    assert all(
        p.grad is not None and p.grad.abs().sum() > 0 for n, p in encoder.project.named_parameters() if "weight" in n
    )
    with torch.no_grad():
        alone = [frozen.loss([reader_example], None) for reader_example in lessons]
        together = frozen.loss(lessons, None)
    assert float(together) == pytest.approx(float(torch.stack(alone).mean()), abs=1e-4)  # padding changes nothing
    assert frozen.tokens(lessons) == 6


def test_a_reader_learns_only_from_what_it_is_shown(graph: Graph) -> None:
    whole, language = graph.whole, RelationVocabulary(graph.whole)
    start = np.array([whole.local("parent_3")], np.int32)
    offered = evidence_paths(whole, start, 2)[0]
    known = Known("work of [T1] 's wife ?", start, (), np.array([graph.whole.local("job_3")], np.int32))
    pair = reader_pair(known, whole, offered, language)
    assert pair is not None
    assert pair.completion == " spouse profession" and pair.completion in pair.prompt[0].content.split("\n")
    bare = reader_pair(known, whole, offered, language, bare=True)
    assert bare is not None
    assert (bare.prompt[0].content, bare.completion) == (known.text, pair.completion)
    assert reader_pair(known, whole, offered[:1], language) is None


def test_the_graph_encoder_is_trained_against_any_local_model(graph: Graph, tmp_path: Path) -> None:
    """A model that reads tables and writes names, as a user's own would; its weights stay as they were."""
    folder, out = tmp_path / "decoder", tmp_path / "model"
    create_decoder(folder, [e.question.text for e in questions()], size="tiny")
    out.mkdir()
    before = (folder / "model.safetensors").read_bytes()
    model = small_model(folder, "cpu")
    off = {"decomposer": {"enabled": False}, "reader": {"enabled": False}, "encoder_questions": 8, "validate_on": 4}
    tools = Tools(ENCODER, model, link=link)
    config = Config(hops=2, region=2, evidence_tokens=200, max_tokens=16)
    result = train(request(graph, out, settings={**off, "epochs": 2}, tools=tools, config=config))
    assert (folder / "model.safetensors").read_bytes() == before
    assert result.metrics["loss_with_soft_prompt"] < result.metrics["loss_without_soft_prompt"]
    method = Decompose(config.model_copy(update={"graph_encoder": True}), Tools(ENCODER, model, out, link=link))
    answer = method.answer(questions()[0].question, graph)
    assert answer.usage.calls == len(answer.details["subquestions"]) + 1
    assert answer.reply is not None
