"""Fine-tuning a language model: supervised (`tune`) and by rewards (`reinforce`), one function each.

Here and in `trainer` alone TRL and PEFT are known: our pairs and rewards go in, an ordinary checkpoint folder comes
out, so that a new release of either library is met in one place.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from clew.config import Settings
from clew.errors import InputError, MissingExtraError
from clew.learning.costs import announce
from clew.learning.processes import share_of
from clew.learning.trainer import Tuned, quiet, run
from clew.protocols import Message, OnEvent, ignore

LARGE = 1_000_000_000  # weights from which adapters are trained and activations are computed again, unless told
RANK = 32  # of those adapters (RoE, section 5.1)
WARMUP = 0.03  # share of the steps
CLIP = 0.2  # [ε] how far a probability may move in one step by rewards
TOKENS_AT_ONCE = 8192  # of one pass through the network
Reward = Callable[[Sequence[str], Sequence[Mapping[str, Any]]], Sequence[float]]
"""(texts, states) → one number per text; text i was written in state i."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What a model is shown, and what it should write."""

    prompt: tuple[Message, ...]
    completion: str


@dataclass(frozen=True, slots=True)
class RewardedState:
    """What a model is shown, and what the rewards need to judge the reply (JSON values)."""

    prompt: tuple[Message, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)


class LoraSettings(Settings):
    """Low-rank adapters; rank 0 trains every weight."""

    rank: int | None = Field(None, ge=0)  # of the two factors; None: 32 where the model is large, else 0
    alpha: int = Field(64, ge=1)  # scale: the product counts alpha / rank

    removed: ClassVar[Mapping[str, Any]] = {"dropout": 0.0}


class TuneSettings(Settings):
    """How to fine-tune on pairs."""

    epochs: float = Field(3.0, gt=0)  # passes over the pairs
    max_steps: int = Field(0, ge=0)  # 0: as many as the epochs need
    batch: int = Field(16, ge=1)  # pairs per forward pass
    accumulate: int = Field(1, ge=1)  # forward passes per step
    learning_rate: float = Field(1e-4, gt=0)  # highest of the schedule
    max_tokens: int = Field(1024, ge=8)  # of prompt and completion; a longer example is refused, never cut
    bf16: bool = True  # 16-bit arithmetic
    checkpointing: bool | None = None  # activations are computed again instead of kept; None: where the model is large
    lora: LoraSettings = LoraSettings()
    save_every_s: float = Field(180.0, gt=0)  # seconds between checkpoints

    removed: ClassVar[Mapping[str, Any]] = {"weight_decay": 0.0, "warmup": 0.03, "schedule": "cosine"}


class ReinforceSettings(Settings):
    """How to train by group-relative policy optimisation."""

    epochs: float = Field(1.0, gt=0)  # passes over the states
    max_steps: int = Field(0, ge=0)  # 0: as many as the epochs need
    groups: int = Field(4, ge=1)  # states per step
    group: int = Field(4, ge=2)  # [G] replies per state
    accumulate: int = Field(1, ge=1)  # forward passes per step
    learning_rate: float = Field(5e-6, gt=0)  # constant
    kl: float = Field(0.04, ge=0)  # [γ] weight of the divergence from the start
    max_tokens: int = Field(128, ge=1)  # of a reply; models that think first need more
    # How the losses of tokens are put together. The paper's: the mean over a reply, then over the replies.
    loss: Literal["grpo", "dapo", "bnpo", "dr_grpo"] = "grpo"
    # Who samples the replies: the trainer, vLLM beside it on the same GPUs, or a server started with `trl vllm-serve`.
    vllm: Literal["off", "colocate", "server"] = "off"
    vllm_url: str = ""  # of that server
    vllm_memory: float = Field(0.3, gt=0, le=1)  # share of a GPU's memory that vLLM beside the trainer takes
    bf16: bool = True  # 16-bit arithmetic
    checkpointing: bool | None = None  # activations are computed again instead of kept; None: where the model is large
    lora: LoraSettings = LoraSettings()
    save_every_s: float = Field(180.0, gt=0)  # seconds between checkpoints

    removed: ClassVar[Mapping[str, Any]] = {"clip": 0.2, "temperature": 1.0}


def tune(
    model: Path | str,
    pairs: Sequence[Pair],
    out: Path,
    settings: TuneSettings,
    *,
    seed: int = 0,
    resume: bool = False,
    constant: bool = False,
    on_event: OnEvent = ignore,
) -> Tuned:
    """Supervised fine-tuning with the loss on the completion only. The folder `out` opens like `model` did.

    Args:
        constant: the learning rate stays as it is, else it warms up and falls as a cosine.

    Raises:
        InputError: no pairs, or none short enough; the loss is not a number (the last checkpoint stays).
        MissingExtraError: without the extra `train`.
    """
    trl = _libraries()
    from datasets import Dataset

    if not pairs:
        raise InputError("fine-tuning needs at least one pair of prompt and completion; none were given")
    network, tokenizer, adapter = _open(model, settings)
    kept, lengths = _short_enough(pairs, tokenizer, settings.max_tokens)
    rows = Dataset.from_list(
        [{"prompt": _turns(p.prompt), "completion": [{"role": "assistant", "content": p.completion}]} for p in kept]
    )
    order = _order(lengths, settings, seed)
    checkpoints = out / "checkpoints"
    longest = max(lengths)
    at_once = _at_once(share_of(settings.batch), longest)
    steps = math.ceil(len(order) / (settings.batch * settings.accumulate))
    _announce(on_event, out, network, steps, at_once, longest, f"supervised tuning on {len(kept):,} examples")
    arguments = trl.SFTConfig(
        **_common(checkpoints, settings, seed, network, batch=settings.batch, at_once=at_once),
        max_length=None,
        completion_only_loss=True,
        num_train_epochs=1,  # all epochs are laid out in `order`
        train_sampling_strategy="sequential",
        warmup_steps=0 if constant else math.ceil(WARMUP * len(order) / (settings.batch * settings.accumulate)),
        lr_scheduler_type="constant" if constant else "cosine",
    )
    with quiet():
        trainer = trl.SFTTrainer(
            model=network,
            args=arguments,
            train_dataset=rows.select(order),
            processing_class=tokenizer,
            peft_config=adapter,
        )
        return run(
            trainer, checkpoints, out, tokenizer, resume, settings.save_every_s, on_event, len(pairs) - len(kept)
        )


def reinforce(
    model: Path | str,
    states: Sequence[RewardedState],
    rewards: Mapping[str, Reward],
    out: Path,
    settings: ReinforceSettings,
    *,
    seed: int = 0,
    resume: bool = False,
    on_event: OnEvent = ignore,
) -> Tuned:
    """GRPO: `group` replies per state, advantage = (sum of rewards - mean of the group) / its deviation.

    Each reward's mean is logged under its own name.

    Raises: as `tune`.
    """
    trl = _libraries()
    from datasets import Dataset

    if not states or not rewards:
        raise InputError("training by rewards needs at least one state and one reward")
    network, tokenizer, adapter = _open(model, settings)
    rows = Dataset.from_list([{"prompt": _turns(s.prompt), "facts": json.dumps(dict(s.facts))} for s in states])
    checkpoints = out / "checkpoints"
    prompts = [
        tokenizer.apply_chat_template(_turns(s.prompt), tokenize=False, add_generation_prompt=True) for s in states
    ]
    longest = settings.max_tokens + max(map(len, tokenizer(prompts, add_special_tokens=False)["input_ids"]))
    batch = settings.groups * settings.group
    at_once = _at_once(share_of(batch), longest)
    steps = settings.max_steps or math.ceil(settings.epochs * len(states) / (settings.groups * settings.accumulate))
    _announce(on_event, out, network, steps, at_once, longest, f"tuning by rewards on {len(states):,} states")
    arguments = trl.GRPOConfig(
        **_common(checkpoints, settings, seed, network, batch=batch, at_once=at_once),
        **_rollouts(settings),
        num_train_epochs=settings.epochs,
        max_steps=settings.max_steps or -1,
        num_generations=settings.group,
        max_completion_length=settings.max_tokens,
        temperature=1.0,
        beta=settings.kl,
        epsilon=CLIP,
        loss_type=settings.loss,
        lr_scheduler_type="constant",
    )
    with quiet():
        trainer = trl.GRPOTrainer(
            model=network,
            args=arguments,
            train_dataset=rows,
            processing_class=tokenizer,
            reward_funcs=[_judged(name, reward) for name, reward in rewards.items()],
            peft_config=adapter,
        )
        return run(trainer, checkpoints, out, tokenizer, resume, settings.save_every_s, on_event, 0)


def _judged(name: str, reward: Reward) -> Callable[..., list[float]]:
    def judge(completions: list[list[dict[str, str]]], facts: list[str], **_: Any) -> list[float]:
        texts = [turns[0]["content"] for turns in completions]
        return [float(value) for value in reward(texts, [json.loads(fact) for fact in facts])]

    judge.__name__ = name
    return judge


def _libraries() -> Any:
    try:
        import peft  # noqa: F401
        import trl
    except ImportError:
        raise MissingExtraError("fine-tuning a language model", "train") from None
    return trl


def _open(model: Path | str, settings: TuneSettings | ReinforceSettings) -> tuple[Any, Any, Any]:
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    lora = settings.lora
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(model))
        with torch.device("meta"):
            large = is_large(AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(str(model))))
        rank = (RANK if large else 0) if lora.rank is None else lora.rank
        # Weights that stay as they are need no more than 16 bits; those that learn small steps do.
        frozen = bool(rank) and large and settings.bf16
        network = AutoModelForCausalLM.from_pretrained(str(model), dtype="bfloat16" if frozen else "float32")
    except (OSError, ValueError) as error:
        raise InputError(f"language model {str(model)!r}: cannot be opened ({str(error).splitlines()[0]})") from None
    if tokenizer.chat_template is None:
        raise InputError(f"language model {str(model)!r}: its tokenizer has no chat template; add one to the folder")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    adapter = None
    if rank:
        from peft import LoraConfig

        adapter = LoraConfig(
            r=rank,
            lora_alpha=lora.alpha,
            target_modules="all-linear",
            task_type="CAUSAL_LM",
        )
    return network, tokenizer, adapter


def is_large(network: Any) -> bool:
    """Whether a model is one of those that are tuned by adapters, unless told otherwise."""
    return bool(sum(p.numel() for p in network.parameters()) >= LARGE)


def _rollouts(settings: ReinforceSettings) -> dict[str, Any]:
    """Who samples, in the trainer's words."""
    if settings.vllm == "off":
        return {}
    if settings.vllm == "server":
        if not settings.vllm_url:
            raise InputError('vllm = "server" needs vllm_url, such as http://localhost:8000 (trl vllm-serve --model …)')
        return {"use_vllm": True, "vllm_mode": "server", "vllm_server_base_url": settings.vllm_url}
    return {"use_vllm": True, "vllm_mode": "colocate", "vllm_gpu_memory_utilization": settings.vllm_memory}


def _at_once(batch: int, longest: int) -> int:
    """Of the sequences of a step how many go through the network together; the others wait their turn.

    What a step learns stays the same; its memory grows with the tokens of one pass and not with the batch.
    """
    return next(n for n in range(batch, 0, -1) if batch % n == 0 and (n * longest <= TOKENS_AT_ONCE or n == 1))


def _announce(on_event: OnEvent, out: Path, network: Any, steps: int, at_once: int, longest: int, what: str) -> None:
    parameters, config = sum(p.numel() for p in network.parameters()), network.config
    layers, heads = config.num_hidden_layers, config.num_attention_heads
    inner = getattr(config, "intermediate_size", None) or 4 * config.hidden_size
    # What a pass keeps for its gradient, in numbers per token; then weights, gradient and two moments.
    kept = layers * (14 * config.hidden_size + 5 * inner + 3 * heads * longest) + 5 * config.vocab_size
    announce(
        on_event,
        f"{what} of at most {longest:,} tokens",
        out,
        steps=steps,
        parameters=parameters,
        memory=4 * at_once * longest * kept + 16 * parameters,
    )


def _common(checkpoints: Path, settings: Any, seed: int, network: Any, *, batch: int, at_once: int) -> dict[str, Any]:
    import torch
    from transformers import TrainingArguments

    on_cpu = not torch.cuda.is_available()
    # In 16 bits a processor without the instructions is many times slower, and not more frugal.
    native = not on_cpu or torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    has_new_name = "activation_checkpointing" in TrainingArguments.__dataclass_fields__
    return {
        "output_dir": str(checkpoints),
        "per_device_train_batch_size": at_once,
        "gradient_accumulation_steps": settings.accumulate * share_of(batch) // at_once,
        "learning_rate": settings.learning_rate,
        "bf16": settings.bf16 and native,
        "use_cpu": on_cpu,
        "seed": seed,
        "data_seed": seed,
        "logging_steps": 10,
        "save_strategy": "no",  # by the clock instead, see _Clock
        "save_total_limit": 2,
        "report_to": "none",
        "disable_tqdm": True,
        "dataloader_pin_memory": not on_cpu,
        # It trades time for memory that small models do not need.
        ("activation_checkpointing" if has_new_name else "gradient_checkpointing"): (
            is_large(network) if settings.checkpointing is None else settings.checkpointing
        ),
    }


def _turns(prompt: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in prompt]


def _short_enough(pairs: Sequence[Pair], tokenizer: Any, limit: int) -> tuple[list[Pair], list[int]]:
    texts = [
        tokenizer.apply_chat_template(
            [*_turns(p.prompt), {"role": "assistant", "content": p.completion}], tokenize=False
        )
        for p in pairs
    ]
    lengths = [len(ids) for ids in tokenizer(texts, add_special_tokens=False)["input_ids"]]
    kept = [i for i, length in enumerate(lengths) if length <= limit]
    if not kept:
        raise InputError(
            f"every example is longer than max_tokens = {limit} (shortest: {min(lengths)}); raise it or shorten prompts"
        )
    return [pairs[i] for i in kept], [lengths[i] for i in kept]


def _order(lengths: Sequence[int], settings: TuneSettings, seed: int) -> list[int]:
    """The examples of all epochs in the order in which they are shown, batches of like length together.

    Laid out beforehand because a sampler that draws as it goes gives a resumed training other batches.
    """
    random = np.random.default_rng(seed)
    per_step = settings.batch * settings.accumulate
    wanted = settings.max_steps * per_step or math.ceil(settings.epochs * len(lengths))
    size = np.asarray(lengths)
    order: list[int] = []
    while len(order) < wanted:
        shuffled = random.permutation(len(size))
        # Sorting whole epochs would show the same neighbours every time; pools of some batches keep chance alive.
        pools = [shuffled[i : i + 50 * settings.batch] for i in range(0, len(shuffled), 50 * settings.batch)]
        batches = []
        for pool in pools:
            by_length = pool[np.argsort(size[pool], kind="stable")]
            batches += [by_length[i : i + settings.batch] for i in range(0, len(by_length), settings.batch)]
        for i in random.permutation(len(batches)).tolist():
            order += batches[i].tolist()
    return order[:wanted]
