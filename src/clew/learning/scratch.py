"""Small decoders from scratch: an ordinary checkpoint folder with random weights and a tokenizer of one's own texts.

A test bed, and called that: where no pretrained weights are at hand, every stage of every method can still be really
trained and measured, through exactly the code that tunes an 8 B model, by changing one name. What such a model cannot
do is copy names it never saw; let it write relations, placeholders and candidate numbers.

Shapes: L texts, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import Field

from clew.config import Settings
from clew.errors import InputError, MissingExtraError

END, PAD, ANSWER = "<|end|>", "<|pad|>", "<|answer|>"
# The plainest template that keeps a prompt and its completion apart; the prompt is a prefix of the whole.
TEMPLATE = (
    "{% for message in messages %}{% if message['role'] == 'assistant' %}"
    f"{ANSWER}{{{{ message['content'] }}}}{END}"
    "{% else %}{{ message['content'] }}\n{% endif %}{% endfor %}"
    f"{{% if add_generation_prompt %}}{ANSWER}{{% endif %}}"
)


class DecoderSize(Settings):
    """The shape of a decoder of the Qwen3 architecture."""

    width: int = Field(default=256, ge=16)
    layers: int = Field(default=6, ge=1)
    heads: int = Field(default=4, ge=1)
    key_heads: int = Field(default=2, ge=1)
    inner: int = Field(default=768, ge=16)
    positions: int = Field(default=2048, ge=16)
    vocabulary: int = Field(default=4096, ge=300)


SIZES = {
    "tiny": DecoderSize(width=64, layers=2, heads=2, key_heads=1, inner=128, vocabulary=1024),
    "1m": DecoderSize(width=128, layers=4, heads=4, key_heads=2, inner=384, vocabulary=2048),
    "3m": DecoderSize(width=192, layers=6, heads=4, key_heads=2, inner=576, vocabulary=2048),
    "5m": DecoderSize(width=256, layers=6, heads=4, key_heads=2, inner=768, vocabulary=4096),
    "20m": DecoderSize(width=448, layers=8, heads=8, key_heads=4, inner=1344, vocabulary=8192),
    "300m": DecoderSize(width=1024, layers=20, heads=16, key_heads=8, inner=3072, vocabulary=16384, positions=4096),
}
"""Sizes by name; the name says about how many million parameters there are at a full vocabulary."""


def create_decoder(
    out: Path,
    texts: Iterable[str],
    *,
    size: str | DecoderSize = "5m",
    keep: Iterable[str] = (),
    seed: int = 0,
) -> int:
    """Write a folder that `AutoModelForCausalLM.from_pretrained` opens; return the number of parameters.

    Args:
        texts: what the tokenizer is fitted to (prompts and completions of the training data).
        keep: texts that become one token each (relation names, placeholders), at most half of the vocabulary.
        seed: of the weights.

    Raises: InputError for an unknown size or no texts; MissingExtraError without the extra `models`.
    """
    try:
        import torch
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
        from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
    except ImportError:
        raise MissingExtraError("a decoder from scratch", "models") from None
    if isinstance(size, str):
        if size not in SIZES:
            raise InputError(f"no decoder size {size!r}; known: {', '.join(SIZES)}")
        size = SIZES[size]
    kept = list(dict.fromkeys(keep))[: size.vocabulary // 2]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size.vocabulary - len(kept),
        special_tokens=[PAD, END, ANSWER],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    fitted = list(texts)
    if not any(text.strip() for text in fitted):
        raise InputError("a decoder from scratch needs texts to fit its tokenizer to; none were given")
    tokenizer.train_from_iterator(fitted, trainer)
    tokenizer.add_tokens(kept)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=END,
        additional_special_tokens=[ANSWER],
        chat_template=TEMPLATE,
        model_max_length=size.positions,
        clean_up_tokenization_spaces=False,
    )
    config = Qwen3Config(
        vocab_size=len(fast),
        hidden_size=size.width,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        num_key_value_heads=size.key_heads,
        head_dim=size.width // size.heads,
        intermediate_size=size.inner,
        max_position_embeddings=size.positions,
        tie_word_embeddings=True,
        pad_token_id=fast.pad_token_id,
        eos_token_id=fast.eos_token_id,
        bos_token_id=None,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Qwen3ForCausalLM(config)
    out.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(out)
    fast.save_pretrained(out)
    return sum(parameter.numel() for parameter in model.parameters())
