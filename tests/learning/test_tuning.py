"""Decoders from scratch and their fine-tuning: they learn, repeat, resume, and refuse what they cannot use."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="needs the extra train")
import torch
from safetensors.torch import load_file

from clew.errors import InputError
from clew.learning import tuning
from clew.learning.scratch import DecoderSize, create_decoder
from clew.learning.tuning import Pair, ReinforceSettings, RewardedState, TuneSettings, reinforce
from clew.protocols import Message
from clew.types import Event

pytestmark = pytest.mark.filterwarnings("ignore")  # the training libraries warn about themselves
TINY = DecoderSize(width=32, layers=1, heads=2, key_heads=1, inner=64, vocabulary=400, positions=128)
RELATIONS = ("directed_by", "written_by", "release_year", "starred_actors")
ASK = ("who directed it", "who wrote it", "when was it released", "who starred in it")
PAIRS = [Pair((Message("user", ask),), relation) for ask, relation in zip(ASK, RELATIONS, strict=True)] * 2
FAST = TuneSettings(epochs=1, max_steps=40, batch=4, learning_rate=1e-2, bf16=False)
tune = partial(tuning.tune, constant=True)  # a cosine over a few steps learns little


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("decoder")
    create_decoder(folder, [*ASK, *RELATIONS], size=TINY, keep=RELATIONS)
    return folder


def write(model: Path, ask: str) -> str:
    """What the model says first, greedily."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    network = AutoModelForCausalLM.from_pretrained(model)
    text = tokenizer.apply_chat_template([{"role": "user", "content": ask}], tokenize=False, add_generation_prompt=True)
    ids = tokenizer(text, return_tensors="pt", add_special_tokens=False)
    out = network.generate(**ids, max_new_tokens=8, do_sample=False)
    return str(tokenizer.decode(out[0][ids["input_ids"].shape[1] :], skip_special_tokens=True))


def weights(model: Path) -> dict[str, torch.Tensor]:
    return dict(load_file(model / "model.safetensors"))


def test_a_decoder_is_an_ordinary_folder_and_its_seed_decides_it(decoder: Path, tmp_path: Path) -> None:
    create_decoder(tmp_path, [*ASK, *RELATIONS], size=TINY, keep=RELATIONS)
    first, second = weights(decoder), weights(tmp_path)
    assert all(torch.equal(first[name], second[name]) for name in first)
    create_decoder(tmp_path / "other", [*ASK, *RELATIONS], size=TINY, keep=RELATIONS, seed=1)
    assert any(not torch.equal(first[name], value) for name, value in weights(tmp_path / "other").items())


def test_kept_texts_are_one_token(decoder: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(decoder)
    assert all(len(tokenizer(name, add_special_tokens=False)["input_ids"]) == 1 for name in RELATIONS)


def test_it_learns_its_pairs_and_resumes_as_if_never_stopped(decoder: Path, tmp_path: Path) -> None:
    whole = tune(decoder, PAIRS, tmp_path / "whole", FAST, seed=3)
    assert [write(whole.folder, ask) for ask in ASK] == list(RELATIONS)
    assert whole.curve[-1]["loss"] < 0.5 * whole.curve[0]["loss"]

    class Killed(Exception):
        pass

    def kill(event: Event) -> None:
        if event.data.get("step") == 20:
            raise Killed

    eager = FAST.model_copy(update={"save_every_s": 1e-9})
    with pytest.raises(Killed):
        tune(decoder, PAIRS, tmp_path / "cut", eager, seed=3, on_event=kill)
    newest = sorted((tmp_path / "cut" / "checkpoints").glob("checkpoint-*"))[-1]
    torn = newest.with_name("checkpoint-9999")
    torn.mkdir()  # what a kill in the middle of writing leaves
    resumed = tune(decoder, PAIRS, tmp_path / "cut", eager, seed=3, resume=True)
    assert not torn.exists()
    assert [row["step"] for row in resumed.curve] == [row["step"] for row in whole.curve]
    expected = weights(whole.folder)
    assert all(torch.equal(expected[name], value) for name, value in weights(resumed.folder).items())


def test_a_step_in_parts_is_the_same_step(decoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some = FAST.model_copy(update={"max_steps": 4, "learning_rate": 1e-3})
    events: list[Event] = []
    whole = weights(tune(decoder, PAIRS, tmp_path / "whole", some).folder)
    monkeypatch.setattr(tuning, "TOKENS_AT_ONCE", 30)
    parts = weights(tune(decoder, PAIRS, tmp_path / "parts", some, on_event=events.append).folder)
    assert all(torch.allclose(value, parts[name], atol=1e-4) for name, value in whole.items())
    start = weights(decoder)
    assert not all(torch.allclose(value, start[name], atol=1e-3) for name, value in parts.items())
    takes, *steps = [event for event in events if "takes" in event.data or "step" in event.data]
    assert takes.data["takes"]["steps"] == 4
    assert [event.data["step"] for event in steps] == [1, 3] and "left, " in steps[0].message


def test_long_examples_are_refused_and_counted(decoder: Path, tmp_path: Path) -> None:
    long = Pair((Message("user", "who " * 200),), "written_by")
    quick = FAST.model_copy(update={"max_steps": 1, "max_tokens": 64})
    assert tune(decoder, [*PAIRS, long], tmp_path, quick).refused == 1
    with pytest.raises(InputError, match="longer than max_tokens"):
        tune(decoder, [long], tmp_path, quick)


def test_a_loss_that_is_no_number_stops_with_the_cause(decoder: Path, tmp_path: Path) -> None:
    wild = FAST.model_copy(update={"learning_rate": 1e12})
    with pytest.raises(InputError, match="lower learning_rate"):
        tune(decoder, PAIRS, tmp_path, wild)


def test_nothing_to_learn_from_is_said(decoder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at least one pair"):
        tune(decoder, [], tmp_path, FAST)
    with pytest.raises(InputError, match="cannot be opened"):
        tune(tmp_path / "none", PAIRS, tmp_path / "out", FAST)
    with pytest.raises(InputError, match="no decoder size"):
        create_decoder(tmp_path, ["x"], size="huge")
    with pytest.raises(InputError, match="texts"):
        create_decoder(tmp_path, [" "], size=TINY)


def test_adapters_are_merged_into_one_folder(decoder: Path, tmp_path: Path) -> None:
    from clew.learning.tuning import LoraSettings

    with_adapter = FAST.model_copy(update={"lora": LoraSettings(rank=4), "max_steps": 3})
    tuned = tune(decoder, PAIRS, tmp_path, with_adapter)
    assert set(weights(tuned.folder)) == set(weights(decoder))
    assert (tmp_path / "adapter" / "adapter_model.safetensors").is_file()


def test_large_models_are_tuned_by_adapters_and_keep_no_activations(
    decoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The defaults of docs/large-models.md, with a border that a tiny model is above of."""
    monkeypatch.setattr(tuning, "LARGE", 1)
    tuned = tune(decoder, PAIRS, tmp_path, FAST.model_copy(update={"max_steps": 2, "bf16": True}))
    assert (tmp_path / "adapter" / "adapter_model.safetensors").is_file()
    settings = json.loads((tmp_path / "adapter" / "adapter_config.json").read_text())
    assert settings["r"] == tuning.RANK and settings["lora_alpha"] == 64
    assert set(weights(tuned.folder)) == set(weights(decoder))


def test_stage_two_hands_its_settings_to_the_trainer(tmp_path: Path) -> None:
    trl = pytest.importorskip("trl")
    paper = {"loss_type": ReinforceSettings().loss, **tuning._rollouts(ReinforceSettings())}
    assert trl.GRPOConfig(output_dir=str(tmp_path), use_cpu=True, bf16=False, **paper).loss_type == "grpo"
    with pytest.raises(InputError, match="vllm_url"):
        tuning._rollouts(ReinforceSettings(vllm="server"))
    server = ReinforceSettings(vllm="server", vllm_url="http://localhost:8000")
    for each in (server, ReinforceSettings(vllm="colocate")):
        made = trl.GRPOConfig(output_dir=str(tmp_path), use_cpu=True, bf16=False, **tuning._rollouts(each))
        assert made.use_vllm and made.vllm_mode == each.vllm


def test_processes_share_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    from clew.learning.processes import is_main_process, share_of

    assert share_of(7) == 7 and is_main_process()
    monkeypatch.setenv("WORLD_SIZE", "4")
    monkeypatch.setenv("RANK", "2")
    assert share_of(8) == 2 and not is_main_process()
    with pytest.raises(InputError, match="multiple of 4"):
        share_of(6)


TWO = """
import sys
from pathlib import Path
from clew.learning.tuning import Pair, ReinforceSettings, RewardedState, TuneSettings, reinforce, tune
from clew.protocols import Message
start, out = map(Path, sys.argv[1:])
pairs = [Pair((Message("user", f"q{i}"),), "a") for i in range(8)]
tuned = tune(start, pairs, out / "one", TuneSettings(max_steps=2, batch=4, bf16=False))
states = [RewardedState(pair.prompt) for pair in pairs]
two = ReinforceSettings(max_steps=2, groups=2, group=2, max_tokens=4, bf16=False)
reinforce(tuned.folder, states, {"long": lambda texts, facts: [float(len(t)) for t in texts]}, out / "two", two)
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_two_processes_train_one_model(decoder: Path, tmp_path: Path) -> None:
    script = tmp_path / "two.py"
    script.write_text(TWO)
    run = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", str(script)]
    done = subprocess.run([*run, str(decoder), str(tmp_path)], capture_output=True, text=True, timeout=550)
    assert done.returncode == 0, done.stderr[-2000:]
    assert {path.name for path in tmp_path.iterdir()} >= {"one", "two"}
    assert set(weights(tmp_path / "two" / "model")) == set(weights(decoder))


def names_a_relation(texts: Sequence[str], facts: Sequence[Mapping[str, Any]]) -> list[float]:
    return [float(text.startswith(fact["wanted"])) for text, fact in zip(texts, facts, strict=True)]


@pytest.fixture(scope="module")
def taught(decoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A decoder that writes some relations and does not prefer one."""
    out = tmp_path_factory.mktemp("taught")
    return tune(decoder, PAIRS, out, FAST.model_copy(update={"max_steps": 12}), seed=0).folder


@pytest.mark.parametrize(("seed", "tokens"), [(0, 8192), (1, 60), pytest.param(2, 8192, marks=pytest.mark.slow)])
def test_rewards_rise(taught: Path, tmp_path: Path, seed: int, tokens: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once, and with the replies of a step going through the network in parts."""
    monkeypatch.setattr(tuning, "TOKENS_AT_ONCE", tokens)
    states = [RewardedState((Message("user", ask),), {"wanted": "written_by"}) for ask in ASK] * 8
    settings = ReinforceSettings(max_steps=30, learning_rate=2e-3, max_tokens=4, kl=0.0, bf16=False, loss="dapo")
    tuned = reinforce(taught, states, {"wanted": names_a_relation}, tmp_path, settings, seed=seed)
    rewards = [row["rewards/wanted/mean"] for row in tuned.curve]
    assert rewards[-1] > rewards[0] + 0.2
