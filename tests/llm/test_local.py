"""The backend in this process, on a tiny decoder with random weights."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from clew.errors import ConfigError, InputError, UnsupportedError
from clew.llm import ModelSettings, open_language_model, parse_json
from clew.llm.constraint import Choices
from clew.llm.local import LocalModel
from clew.protocols import LanguageModel, LLMRequest, Message
from clew.testing.language_model import LanguageModelSuite


def ask(text: str = "Who wrote the book?", **options: Any) -> LLMRequest:
    return LLMRequest((Message("user", text),), **{"max_tokens": 8, **options})


@pytest.fixture(scope="module")
def model(folder: Path) -> Iterator[LocalModel]:
    opened = LocalModel(ModelSettings(backend="local", model=str(folder), device="cpu"))
    yield opened
    opened.close()


@pytest.fixture(scope="module", params=["bare", "with accounts"])
def either(request: pytest.FixtureRequest, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    settings = ModelSettings(backend="local", model=str(folder), device="cpu", batch_size=3)
    if request.param == "bare":
        return LocalModel(settings)
    cache = tmp_path_factory.mktemp("replies") / "replies.db"
    return open_language_model(settings.model_copy(update={"cache": cache}))


class TestConformance(LanguageModelSuite):
    @pytest.fixture
    def model(self, either: LanguageModel) -> LanguageModel:
        return either


def scored(model: LocalModel, request: LLMRequest, ids: list[int]) -> float:
    """Sum of the log-probabilities of `ids` after the prompt, by one plain forward pass: the oracle."""
    prompt = model.prompt(request.messages)
    vectors = model.module.get_input_embeddings()(torch.tensor([prompt + ids]))
    if request.soft_prompt is not None:
        vectors = torch.cat([torch.tensor(request.soft_prompt)[None], vectors], dim=1)
        prompt = [0] * len(request.soft_prompt) + prompt
    with torch.inference_mode():
        logits = model.module(inputs_embeds=vectors).logits[0].log_softmax(-1)
    return sum(float(logits[len(prompt) + i - 1, token]) for i, token in enumerate(ids))


def greedy(model: LocalModel, request: LLMRequest) -> list[int]:
    """Greedy decoding token by token without a cache: the oracle."""
    ids: list[int] = []
    end = model.tokenizer.eos_token_id
    while len(ids) < request.max_tokens and end not in ids:
        ids.append(int(np.argmax(scored_next(model, request, ids))))
    return ids


def scored_next(model: LocalModel, request: LLMRequest, ids: list[int]) -> list[float]:
    prompt = model.prompt(request.messages)
    with torch.inference_mode():
        return list(model.module(input_ids=torch.tensor([prompt + ids])).logits[0, -1].tolist())


def test_left_padding_changes_nothing(model: LocalModel) -> None:
    """Rows of very different length, limits and soft prompts in one batch give what each gives alone."""
    rng = np.random.default_rng(0)
    requests = [
        ask("Paris"),
        ask("Who wrote the book that won the prize? " * 12, logprobs=True),
        ask("born in", max_tokens=3),
        ask("Paris", soft_prompt=rng.normal(size=(3, model.width)).astype(np.float32), logprobs=True),
        ask("Paris", temperature=1.0, seed=7),
    ]
    together = model.generate(requests)
    alone = [model.generate([request])[0] for request in requests]
    assert [[t.text for t in r.texts] for r in together] == [[t.text for t in r.texts] for r in alone]
    for both, one in zip(together, alone, strict=True):
        assert both.usage == one.usage
        if one.texts[0].logprob is not None:
            assert both.texts[0].logprob == pytest.approx(one.texts[0].logprob, abs=1e-3)
    assert len({reply.text for reply in (together[0], together[3])}) == 2  # the soft prompt is read


def test_greedy_and_its_logprob_against_plain_forward_passes(model: LocalModel) -> None:
    request = ask("Paris is", max_tokens=5, logprobs=True)
    text = model.generate([request])[0].texts[0]
    ids = greedy(model, request)
    assert text.tokens == len(ids)
    assert text.text == model.tokenizer.decode(ids, skip_special_tokens=True)
    assert text.logprob == pytest.approx(scored(model, request, ids), abs=1e-3)


def test_beams_carry_the_models_own_logprob(model: LocalModel) -> None:
    options: dict[str, Any] = {"beams": 4, "n": 4, "constraint": Choices(["Paris", "France is", "capital of", "1"])}
    request = ask("Paris", **options)
    texts = model.generate([request])[0].texts
    assert {text.text for text in texts} == {"Paris", "France is", "capital of", "1"}
    for text in texts:
        (ids,) = model.encode_pieces([text.text])
        assert text.logprob == pytest.approx(scored(model, request, [*ids, model.tokenizer.eos_token_id]), abs=1e-3)
        assert (text.finished, text.tokens) == (True, len(ids) + 1)
    means = [text.logprob / text.tokens for text in texts if text.logprob is not None]
    assert means == sorted(means, reverse=True)


def test_unfinished_beams(model: LocalModel) -> None:
    request = ask("Paris", beams=3, n=2, max_tokens=4)
    for text in model.generate([request])[0].texts:
        assert text.logprob is not None
        assert text.tokens == 4 or text.finished


def test_sampling_follows_the_distribution(model: LocalModel) -> None:
    """First tokens of many samples against the softmax of the logits at that temperature."""
    request = ask("Paris", temperature=0.05, n=400, max_tokens=1, seed=3)
    wanted = torch.tensor(scored_next(model, request, [])).div(0.05).softmax(-1)
    counts: dict[str, int] = {}
    for text in model.generate([request])[0].texts:
        counts[text.text] = counts.get(text.text, 0) + 1
    for token in wanted.topk(3).indices.tolist():
        share = counts.get(model.tokenizer.decode([token], skip_special_tokens=True), 0) / 400
        assert share == pytest.approx(float(wanted[token]), abs=0.1)


def test_seeds(model: LocalModel) -> None:
    def texts(seed: int | None) -> list[str]:
        request = ask(temperature=1.5, n=3, seed=seed, max_tokens=12)
        return [text.text for text in model.generate([request])[0].texts]

    assert texts(1) == texts(1)
    assert len({*texts(1), *texts(2)}) == 6
    assert texts(None) != texts(None)


def test_stop_strings(model: LocalModel) -> None:
    plain = model.generate([ask(temperature=1.0, seed=5, max_tokens=30)])[0].text
    word = plain[6:9]
    stopped = model.generate([ask(temperature=1.0, seed=5, max_tokens=30, stop=(word,))])[0]
    assert stopped.text == plain[: plain.index(word)]
    assert stopped.texts[0].finished
    assert stopped.usage.completion_tokens < 30


def test_callers_share_batches(model: LocalModel) -> None:
    before = model._batches.batches
    with ThreadPoolExecutor(12) as pool:
        replies = list(pool.map(lambda i: model.generate([ask(f"q {i % 3}", max_tokens=16)])[0].text, range(24)))
    assert model._batches.batches - before < 16
    assert replies[:3] * 8 == replies


def test_one_bad_request_does_not_hurt_others(model: LocalModel) -> None:
    bad = ask(json_schema={"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}})
    with pytest.raises(InputError, match="JSON schema"):
        model.generate([bad])
    assert model.generate([ask()])[0].texts


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"enum": ["Lyon", "Nice"]}, "minItems": 2, "maxItems": 2},
        {"type": "object",
         "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 99}, "s": {"enum": ["é\"}"]}},
         "required": ["n", "s"], "additionalProperties": False},
    ],
)  # fmt: skip
def test_json_by_schema(model: LocalModel, schema: dict[str, Any]) -> None:
    requests = [ask(json_schema=schema, temperature=1.0, seed=seed, max_tokens=60) for seed in range(5)]
    for reply in model.generate(requests):
        assert reply.texts[0].finished
        assert parse_json(reply.text, schema).ok
        json.loads(reply.text)


def test_stream_gives_the_same_text(model: LocalModel) -> None:
    request = ask(temperature=1.0, seed=4, max_tokens=20)
    assert "".join(model.stream(request)) == model.generate([request])[0].text


def test_stream_stops_when_nobody_listens(model: LocalModel) -> None:
    stream = model.stream(ask(temperature=1.0, seed=4, max_tokens=1500))
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert model.generate([ask()])[0].texts  # the worker is free again


def test_context_overflow_is_refused_before_work(model: LocalModel) -> None:
    with pytest.raises(InputError, match=r"the context holds 2048; show less evidence"):
        model.generate([ask("word " * 3000)])


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"soft_prompt": np.zeros((2, 3), np.float32)}, InputError, r"takes \(tokens, 64\)"),
        ({"beams": 2, "n": 3}, InputError, "n may not exceed beams"),
        ({"beams": 2, "temperature": 0.5}, UnsupportedError, "beams"),
        ({"constraint": "Paris"}, InputError, "expected a Grammar"),
        ({"constraint": Choices(["x"]), "stop": ("x",)}, UnsupportedError, "stop strings"),
    ],
)
def test_impossible_requests(model: LocalModel, options: dict[str, Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        model.generate([ask(**options)])


def test_a_folder_called_like_a_model_must_be_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("Some/model").mkdir(parents=True)
    with pytest.raises(InputError, match=r"write \./Some/model for the folder"):
        LocalModel(ModelSettings(backend="local", model="Some/model"))
    with pytest.raises(InputError, match="no model folder, it has no config"):
        LocalModel(ModelSettings(backend="local", model="./Some/model"))


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    for name, words in ((tmp_path, r"no config\.json"), (tmp_path / "absent", "no such model folder")):
        with pytest.raises(InputError, match=words):
            LocalModel(ModelSettings(backend="local", model=str(name)))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError, match="not a causal language model"):
        LocalModel(ModelSettings(backend="local", model=str(tmp_path)))
    with pytest.raises(InputError, match="surely/not-there: not a causal language model"):
        LocalModel(ModelSettings(backend="local", model="surely/not-there"))


def test_four_bits_are_refused_where_there_is_no_gpu(folder: Path) -> None:
    with pytest.raises(ConfigError, match="four_bit = true needs an NVIDIA GPU, and the device here is 'cpu'"):
        LocalModel(ModelSettings(backend="local", model=str(folder), device="cpu", four_bit=True))


@pytest.fixture
def copied(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "copy"))


def test_model_without_a_chat_template(copied: Path, tmp_path: Path) -> None:
    (copied / "chat_template.jinja").unlink()
    settings = ModelSettings(backend="local", model=str(copied), device="cpu")
    with pytest.raises(ConfigError, match=r"no chat template; set language_model\.chat_template"):
        LocalModel(settings)
    plain = LocalModel(settings.model_copy(update={"chat_template": "plain"}))
    assert plain.tokenizer.decode(plain.prompt([Message("system", "A"), Message("user", "B c")])) == "A\nB c"
    strict = tmp_path / "strict.jinja"
    strict.write_text(
        "{% for m in messages %}{% if m['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"
        "<{{ m['role'] }}>{{ m['content'] }}{% endfor %}"
    )
    own = LocalModel(settings.model_copy(update={"chat_template": strict}))
    assert own.tokenizer.decode(own.prompt([Message("system", "A"), Message("user", "B")])) == "<user>A\n\nB"
    with pytest.raises(InputError, match="refuses the messages: no system"):
        own.prompt([Message("user", "B"), Message("system", "A")])


def test_a_reply_that_is_begun_is_continued(model: LocalModel) -> None:
    text = model.tokenizer.decode(model.prompt([Message("user", "B"), Message("assistant", "The answer")]))
    assert text == "B\n<|answer|>The answer"


def test_name_follows_the_weights(copied: Path) -> None:
    settings = ModelSettings(backend="local", model=str(copied), device="cpu")
    first = LocalModel(settings)
    assert first.name == LocalModel(settings).name
    assert str(copied.parent) not in first.name
    with torch.no_grad():
        first.module.get_input_embeddings().weight[5, 5] += 1.0
    first.module.save_pretrained(copied)
    assert LocalModel(settings).name != first.name


@pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing:FutureWarning")  # peft 0.21 on transformers 5
def test_adapter(folder: Path, tmp_path: Path) -> None:
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    lora = LoraConfig(r=2, target_modules=["q_proj"], init_lora_weights=False)
    adapted = get_peft_model(AutoModelForCausalLM.from_pretrained(folder), lora)
    adapted.save_pretrained(tmp_path / "adapter")
    settings = ModelSettings(backend="local", model=str(folder), device="cpu", adapter=tmp_path / "adapter")
    model = LocalModel(settings)
    request = ask("Paris", logprobs=True, max_tokens=4)
    text = model.generate([request])[0].texts[0]
    with torch.inference_mode():
        prompt = model.prompt(request.messages)
        logits = adapted.eval()(input_ids=torch.tensor([prompt])).logits[0, -1]
    assert (
        model.tokenizer.decode([int(logits.argmax())])
        == text.text[: len(model.tokenizer.decode([int(logits.argmax())]))]
    )
    assert "+adapter#" in model.name
    with pytest.raises(InputError, match=r"no adapter_config\.json"):
        LocalModel(settings.model_copy(update={"adapter": tmp_path}))


def test_protocol(model: LocalModel) -> None:
    assert isinstance(model, LanguageModel)
    assert model.count_tokens("Paris is the capital") > 0
